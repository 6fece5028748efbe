use super::{Finding, Manifest, Provenance, Source, body_hash, generate, raw_body_hash, validate, write};
use crate::vocabulary::STARTER;
use serde_json::{Value, json};
use std::{collections::BTreeMap, fs, os::unix::fs::symlink};

/// The starter set with some files changed (or added, or removed with `None`).
fn with(changes: &[(&str, Option<&str>)]) -> Source {
    let mut files: BTreeMap<&str, &str> = STARTER.iter().copied().collect();
    for (path, text) in changes {
        match text {
            Some(text) => files.insert(path, text),
            None => files.remove(path),
        };
    }
    Source::of(files)
}

fn starter(path: &str) -> &'static str {
    STARTER.iter().find(|(name, _)| *name == path).map(|(_, text)| *text).unwrap()
}

/// The starter set with one text replaced by another in one file.
fn replaced(path: &str, old: &str, new: &str) -> Source {
    let text = starter(path);
    assert!(text.contains(old), "{path} has no {old:?}");
    with(&[(path, Some(&text.replacen(old, new, 1)))])
}

fn gates(findings: &[Finding]) -> Vec<&'static str> {
    let mut gates: Vec<&str> =
        findings.iter().filter(|finding| finding.is_error()).map(|finding| finding.gate.as_str()).collect();
    gates.dedup();
    gates
}

fn made(source: &Source) -> Manifest {
    let from = Provenance { version: Some("1.2.3".to_owned()), commit: Some("abcdef0".to_owned()) };
    generate(source, &from).0.unwrap()
}

/// What is shipped passes every gate, warnings included.
#[test]
fn nx_350_the_starter_set_passes_all_gates() {
    assert_eq!(validate(&Source::starter()), []);
}

/// One planted violation for each gate, and exactly that gate sees it.
#[test]
fn nx_353_to_nx_369_each_gate_sees_its_own_violation() {
    let (engineer, tags, capabilities, invocations) = (
        "agents/engineer/meta.yml",
        "vocabulary/tags.yml",
        "vocabulary/capabilities.yml",
        "vocabulary/invocations.yml",
    );
    let guidance = "prose_guidance: >\n      Deny the tool that appends a task to the shared list. Whoever sees work that\n      is missing says so in its report, and Lead decides whether a task comes of it.\n";
    let padded = format!("prose_guidance: \"short{}\"\n", " ".repeat(60));
    let fallback = "fallback_behavior: >\n      Best effort: where there is no such list, leave it out and go on. It never\n      holds the work up.\n";
    let padded_fallback = format!("fallback_behavior: \"short{}\"\n", " ".repeat(60));
    let cases = [
        ("G1-schema", replaced(engineer, "model_tier: standard", "model_tier: huge")),
        ("G1-schema", replaced(engineer, "category: do", "category: do\nicon: x")),
        ("G2-capability-integrity", replaced(engineer, "  - no_task_create", "  - no_such_thing")),
        ("G3-category-integrity", replaced("vocabulary/categories.yml", "id: check", "id: checks")),
        (
            "G4-resume-tier-integrity",
            replaced("vocabulary/resume-tiers.yml", "id: ephemeral", "id: fleeting"),
        ),
        ("G5-tag-integrity", replaced("skills/nx-run/meta.yml", "  - run", "  - nothing")),
        ("G5-tag-integrity", replaced("skills/nx-run/meta.yml", "  - run", "  - rule")),
        ("G5-capability-integrity", replaced(capabilities, guidance, &padded)),
        ("G6-invocation-integrity", replaced(invocations, fallback, &padded_fallback)),
        (
            "G6-harness-lint",
            replaced("agents/engineer/body.md", "Open the target files", "Grep the target files"),
        ),
        ("G7-model-lint", replaced("agents/engineer/body.md", "Open the target files", "Ask sonnet")),
        ("G8-prompt-only", with(&[("tools/run.mjs", Some(""))])),
        ("G9-directory-strict", with(&[("agents/engineer/notes.txt", Some(""))])),
        ("G9-directory-strict", with(&[("skills/README.md", Some(""))])),
        ("G9-directory-strict", with(&[("skills/nx-run/body.md", None)])),
        ("G10-id-match", replaced(engineer, "id: engineer", "id: builder")),
        ("G11-tag-trigger", replaced(tags, "\"[m:gc]\"", "\"[m-gc]\"")),
    ];
    for (gate, source) in cases {
        let findings = validate(&source);
        assert_eq!(gates(&findings), [gate], "{findings:?}");
    }
    let innocent = with(&[
        ("scripts/run.ts", Some("")),
        ("docs/a.md", Some("Grep")),
        ("package.json", Some("{\"version\": \"1.0.0\"}")),
    ]);
    assert_eq!(validate(&innocent), []);
}

/// A finding knows its file and line.
#[test]
fn nx_370_findings_have_places() {
    let place = |source: Source| {
        let found = &validate(&source)[0];
        (found.file.clone(), found.line)
    };
    let engineer = "agents/engineer/meta.yml";
    assert_eq!(
        place(replaced(engineer, "model_tier: standard", "model_tier: huge")),
        (engineer.to_owned(), Some(9))
    );
    assert_eq!(place(replaced(engineer, "category: do", "category: [")), (engineer.to_owned(), Some(9)));
    assert_eq!(place(replaced(engineer, "name: engineer", "id: engineer")), (engineer.to_owned(), Some(2)));
    let tags = "vocabulary/tags.yml";
    assert_eq!(place(replaced(tags, "trigger: \"[d]\"", "trigger: d")), (tags.to_owned(), Some(32)));
}

/// A broken file is left out of the later gates; a broken or missing vocabulary file stops them and the manifest.
#[test]
fn nx_350_broken_files_stop_what_needs_them() {
    let engineer = "agents/engineer/meta.yml";
    let broken =
        starter(engineer).replace("no_task_create", "no_such_thing").replace("name: engineer", "name: ''");
    assert_eq!(gates(&validate(&with(&[(engineer, Some(&broken))]))), ["G1-schema"]);
    let unknown = starter(engineer).replace("no_task_create", "no_such_thing");
    let invalid = with(&[(engineer, Some(&unknown)), ("vocabulary/categories.yml", Some("categories: 1"))]);
    assert_eq!(gates(&validate(&invalid)), ["G1-schema"]);
    let missing = with(&[(engineer, Some(&unknown)), ("vocabulary/categories.yml", None)]);
    assert_eq!(gates(&validate(&missing)), Vec::<&str>::new());
    assert!(generate(&missing, &Provenance::default()).0.is_none());
    let tags = with(&[("vocabulary/tags.yml", None)]);
    assert_eq!(gates(&validate(&tags)), ["G11-tag-trigger"]);
    let unreadable = with(&[(engineer, Some("a: [\n"))]);
    assert_eq!(gates(&validate(&unreadable)), ["G1-schema", "G10-id-match"]);
}

/// Errors of the gates up to G6' keep the manifest from being made; those of the lint gates do not.
#[test]
fn nx_344_which_gates_stop_the_manifest() {
    let stopped = |source: &Source| generate(source, &Provenance::default()).0.is_none();
    assert!(stopped(&replaced("agents/engineer/meta.yml", "no_task_create", "no_such_thing")));
    assert!(stopped(&with(&[("skills/nx-run/body.md", None)])));
    assert!(stopped(&with(&[("package.json", Some("{\"version\": \"one\"}"))])));
    assert!(!stopped(&with(&[("tools/run.mjs", Some(""))])));
    assert!(!stopped(&replaced("vocabulary/tags.yml", "\"[m:gc]\"", "\"[m-gc]\"")));
}

/// The shape of the manifest, the order of everything in it, and the same bytes every time.
#[test]
fn nx_340_nx_341_nx_343_nx_346_the_manifest() {
    let manifest = made(&Source::starter());
    let value = &manifest.value;
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
    let ids = |value: &Value| {
        value
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| entry["id"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(
        keys(value),
        "nexus_core_version nexus_core_commit schema_contract_version agents skills vocabulary"
    );
    assert_eq!(
        (&value["nexus_core_version"], &value["nexus_core_commit"], &value["schema_contract_version"]),
        (&json!("1.2.3"), &json!("abcdef0"), &json!("2.0"))
    );
    assert_eq!(
        ids(&value["agents"]),
        "architect designer engineer postdoc researcher reviewer strategist tester writer"
    );
    assert_eq!(ids(&value["skills"]), "mi-setup nx-init nx-plan nx-run nx-sync");
    assert_eq!(
        keys(&value["agents"][0]),
        "id name alias_ko description task category resume_tier model_tier capabilities body_hash"
    );
    assert_eq!(
        keys(&value["vocabulary"]),
        "capabilities categories resume_tiers tags invocations task_exceptions memory_policy"
    );
    assert_eq!(keys(&value["vocabulary"]["invocations"][0]), "id description intent fallback_behavior");
    assert_eq!(
        keys(&value["vocabulary"]["memory_policy"]),
        "categories naming access_tracking forgetting merge"
    );
    assert_eq!(value["agents"][2]["body_hash"], body_hash(starter("agents/engineer/body.md")));
    let text = manifest.to_text();
    assert!(text.starts_with("{\n  \"nexus_core_version\": \"1.2.3\",\n") && text.ends_with("}\n}\n"));
    assert_eq!(text, made(&Source::starter()).to_text());
    assert_eq!(manifest.notes, Vec::<String>::new());
}

/// Line ends and space at the end do not change a hash; the bytes as they are may have another one.
#[test]
fn nx_342_c_19_body_hashes() {
    // printf 'a\nb\n' | sha256sum
    let hash = "sha256:911169ddaaf146aff539f58c26c489af3b892dff0fe283c1c264c65ae5aa59a2";
    let same = ["a\nb\n", "a\nb", "a\r\nb\r\n", "a\nb\n\n \t\n", "a\nb\u{feff}\u{a0}"];
    let first = body_hash(same[0]);
    assert_eq!(first, hash);
    assert!(same.iter().all(|body| body_hash(body) == first));
    assert_eq!(raw_body_hash("a\nb\n"), first);
    assert_ne!(raw_body_hash("a\nb"), first);
    assert_eq!(body_hash(""), raw_body_hash("\n"));
    assert_eq!(
        raw_body_hash("abc"),
        "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    );
    let source = with(&[("agents/engineer/body.md", Some("no line end"))]);
    assert!(
        made(&source).notes[0]
            .starts_with("agents/engineer/body.md: the hash is that of the normalised text")
    );
}

/// Version and commit: what is given, then package.json, then something that has the right form and is said.
#[test]
fn nx_345_version_and_commit() {
    let source = with(&[("package.json", Some("{\"version\": \"0.10.0\"}"))]);
    let of = |source: &Source, version: Option<&str>, commit: Option<&str>| {
        let from = Provenance { version: version.map(str::to_owned), commit: commit.map(str::to_owned) };
        let manifest = generate(source, &from).0.unwrap();
        let text = |key: &str| manifest.value[key].as_str().unwrap().to_owned();
        (text("nexus_core_version"), text("nexus_core_commit"), manifest.notes.len())
    };
    let expect = |version: &str, commit: &str, notes| (version.to_owned(), commit.to_owned(), notes);
    assert_eq!(
        of(&source, Some("2.0.0-rc.1"), Some("0123456789abcdef")),
        expect("2.0.0-rc.1", "0123456789abcdef", 0)
    );
    assert_eq!(of(&source, None, Some("local")), expect("0.10.0", "0000000", 1));
    assert_eq!(of(&Source::starter(), None, None), expect("0.0.0", "0000000", 2));
}

/// A folder on the disk gives what the same files give in memory; links, huge and foreign files do not get in.
#[test]
fn nx_350_a_folder_on_the_disk() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path();
    for (path, text) in STARTER {
        fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        fs::write(root.join(path), text).unwrap();
    }
    for ignored in ["node_modules/a/b.js", ".git/x.js", "dist/y.ts", ".nexus/z.mjs"] {
        fs::create_dir_all(root.join(ignored).parent().unwrap()).unwrap();
        fs::write(root.join(ignored), "").unwrap();
    }
    let source = Source::open(root).unwrap();
    assert_eq!(validate(&source), []);
    assert_eq!(made(&source).to_text(), made(&Source::starter()).to_text());

    fs::write(root.join("agents/tester/body.md"), [b'a', 0xff]).unwrap();
    assert_eq!(gates(&validate(&Source::open(root).unwrap())), ["G1-schema"]);
    fs::write(root.join("agents/tester/body.md"), "fine\n").unwrap();
    fs::write(root.join("outside.yml"), starter("agents/tester/meta.yml")).unwrap();
    fs::remove_file(root.join("agents/tester/meta.yml")).unwrap();
    symlink(root.join("outside.yml"), root.join("agents/tester/meta.yml")).unwrap();
    assert_eq!(gates(&validate(&Source::open(root).unwrap())), ["G1-schema", "G10-id-match"]);
    fs::remove_file(root.join("agents/tester/meta.yml")).unwrap();
    fs::create_dir(root.join("agents/tester/meta.yml")).unwrap();
    assert_eq!(gates(&validate(&Source::open(root).unwrap())), ["G9-directory-strict"]);
    assert!(Source::open(&root.join("nowhere")).is_err());
    assert!(Source::open(&root.join("outside.yml")).is_err());
}

/// A manifest is replaced as a whole, and a folder in its place is an error that says what to do.
#[test]
fn a_manifest_is_written_as_a_whole() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("manifest.json");
    write(&path, "one").unwrap();
    write(&path, "two").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "two");
    assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 1);
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    let error = write(&path, "three").unwrap_err().to_string();
    assert!(error.contains("a folder stands where a file should be"), "{error}");
    assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 1);
}

/// The manifest has the shape that is published for it, and its hashes are those of the bodies.
#[test]
fn nx_261_nx_264_nx_348_the_manifest_can_be_checked() {
    let manifest = made(&Source::starter());
    let schema = crate::schema("manifest.json").unwrap();
    assert!(jsonschema::draft202012::new(&schema).unwrap().is_valid(&manifest.value));
    let vocabulary = crate::vocabulary::Vocabulary::starter();
    for entry in manifest.value["agents"].as_array().unwrap() {
        let agent = vocabulary.agent(entry["id"].as_str().unwrap()).unwrap();
        assert_eq!(entry["body_hash"], super::body_hash(&agent.body), "{}", agent.id);
        let mut meta = entry.clone();
        meta.as_object_mut().unwrap().remove("body_hash");
        let schema = crate::schema("agent").unwrap();
        assert!(jsonschema::draft202012::new(&schema).unwrap().is_valid(&meta), "{meta}");
    }
}

/// A body has no front matter: one that begins like it is hashed and shown as it is.
#[test]
fn nx_373_bodies_have_no_front_matter() {
    let text = "---\nname: x\n---\n# Body\n";
    assert_ne!(super::body_hash(text), super::body_hash("# Body\n"));
    assert!(crate::vocabulary::STARTER.iter().all(|(_, text)| !text.starts_with("---\n")));
}
