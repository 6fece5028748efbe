//! What the council must not do quietly: deliver what nobody can check, let a secret or a restricted part out, mend its log
//! without a word, call done what is not, tell the time by another clock.

use super::{
    council::{Table, council_log, records},
    council_delivery::stranger,
};
use serde_json::{Value, json};
use std::{
    fs::{self, OpenOptions},
    io::Write,
    path::Path,
};

impl Table {
    /// The folder `d` of the project, proposed with a record for every item.
    fn propose_folder(&self, title: &str) -> mi_test_support::MiOutput {
        let records = records();
        let mut arguments = vec!["propose", "d", "--title", title, "--author", "ann", "--json"];
        arguments.extend(records.iter().map(String::as_str));
        self.run(&arguments)
    }

    fn blockers_of_done(&self, id: &str) -> Vec<Value> {
        let status = self.status(id);
        let all = status["blockers"].as_array().unwrap().iter().cloned();
        all.filter(|word| word.as_str().unwrap().starts_with("dod:")).collect()
    }
}

fn token() -> String {
    format!("ghp_{}", "a1B2".repeat(9))
}

/// Everything that lies in a folder, as one text.
fn all_texts(folder: &Path) -> String {
    let read = |entry: fs::DirEntry| match entry.path() {
        path if path.is_dir() => all_texts(&path),
        path => String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned(),
    };
    fs::read_dir(folder).unwrap().map(|entry| read(entry.unwrap())).collect()
}

/// Names that a stranger's check would refuse are refused when they are proposed, and again before they are handed over.
#[test]
fn mi_council_013_names_that_no_packet_can_carry_are_never_delivered() {
    for names in [
        &["Makefile", "makefile"][..],
        &["A/x", "a/x"],
        &["é", "e\u{301}"],
        &["straße", "strasse"],
        &["ﬁ", "fi"],
        &["①", "1"],
        &["a\\b"],
        &["a\tb"],
        &["a\nb"],
        &["a\rb"],
        &["a\u{1b}b"],
        &["a\u{7f}b"],
    ] {
        let table = Table::new();
        names.iter().for_each(|name| drop(table.project.write(&format!("d/{name}"), "x\n")));
        let said = table.propose_folder("t").expect_exit(2);
        assert!(said.err().contains("cannot be delivered"), "{names:?}: {said}");
        fs::remove_dir_all(table.project.path().join("d")).unwrap();
        table.project.write("d/fine", "x\n");
        table.propose_folder("t").expect_exit(0);
        names.iter().for_each(|name| drop(table.project.write(&format!("d/{name}"), "x\n")));
        table.votes("P-1", "qa:green owner:green security:green");
        table.run(&["deliver", "P-1", "--out", "out"]).expect_exit(4);
        assert!(!table.project.path().join("out").exists());
        assert_eq!(table.phase("P-1"), "CONSENSUS");
    }
}

/// No text that somebody types carries a secret into the log or a packet; one in a file's name is refused.
#[test]
fn shhh_no_typed_text_carries_a_secret_into_a_packet() {
    let table = Table::new();
    let said = format!("see {}", token());
    table.project.write("d/fine", "x\n");
    table.propose_folder(&said).expect_exit(0);
    table
        .run(&["dr", "new", "--title", &said, "--text", &said, "--rollback", &said, "--for", "P-1"])
        .expect_exit(0);
    table.votes("P-1", "qa:green owner:green security:green");
    table.run(&["deliver", "P-1", "--out", "out", "--rollback", &said, "--notify", &said]).expect_exit(0);
    table.run(&["deliver", "close", "P-1", "--merged", "--why", &said]).expect_exit(0);
    table.run(&["beat", "--claim", &said]).expect_exit(0);
    let packet = table.project.path().join("out");
    stranger(&packet, &[]).expect_exit(0);
    let told = all_texts(&packet) + &fs::read_to_string(council_log(&table.home.path())).unwrap();
    assert!(told.contains("see ") && !told.contains(&token()), "{told}");
    table.project.write(&format!("d/{}", token()), "x\n");
    table.propose_folder("t").expect_exit(0);
    table.votes("P-2", "qa:green owner:green security:green");
    let said = table.run(&["deliver", "P-2", "--out", "other"]).expect_exit(4);
    assert!(said.err().contains("dod:security"), "{said}");
    assert!(!table.project.path().join("other").exists());
}

/// What a crash left at the end of the council's log is set aside by whatever comes next, which says so once.
#[test]
fn nothing_is_lost_any_command_says_what_it_repaired_of_the_councils_log() {
    let table = Table::new();
    let id = table.propose(&[]);
    let vote = ["review", "vote", &id, "--as", "bob", "--role", "qa", "--vote", "green"];
    let vote = [&vote[..], &["--rationale", "r", "--evidence", "report.txt"]].concat();
    for command in [
        &["review", "status", &id][..],
        &["review", "status"],
        &["dr", "list"],
        &vote,
        &["review", "narrow", &id, "--scope", "nothing"],
        &["trace"],
        &["inbox"],
        &["status"],
        &["last"],
    ] {
        let mut log = OpenOptions::new().append(true).open(council_log(&table.home.path())).unwrap();
        log.write_all(br#"{"kind":"vote_cast","ts"#).unwrap();
        let said = table.run(command).err();
        assert!(said.contains("torn") && said.contains("set aside"), "{command:?}: {said}");
        let after = table.run(&["review", "status", &id]).expect_exit(0).err();
        assert!(!after.contains("torn"), "{command:?}: {after}");
    }
}

/// The same of the log of changed rules.
#[test]
fn nothing_is_lost_mi_permit_says_what_it_repaired() {
    let table = Table::new();
    let deny = ["permit", "mi.mcp-tool", "deny", "--reason", "careful"];
    table.run(&deny).expect_exit(0);
    for command in [&["permit"][..], &deny] {
        let path = table.home.path().join("gate/permits.jsonl");
        let mut log = OpenOptions::new().append(true).open(path).unwrap();
        log.write_all(br#"{"kind":"permit","ts"#).unwrap();
        let said = table.run(command).expect_exit(0).err();
        assert!(said.contains("torn") && said.contains("set aside"), "{command:?}: {said}");
        assert!(!table.run(command).expect_exit(0).err().contains("torn"));
    }
}

/// Whatever a delivery would find undone is a blocker before: a secret in a record or in the files, a record that is gone
/// or is no longer what it was.
#[test]
fn mi_council_007_what_holds_a_delivery_is_a_blocker_before() {
    let table = Table::new();
    let id = table.propose_done();
    table.votes(&id, "qa:green owner:green security:green");
    assert_eq!(table.blockers_of_done(&id), Vec::<Value>::new());
    table.project.write("page.txt", format!("{}\n", token()));
    table.run(&["review", "evidence", &id, "docs=page.txt"]).expect_exit(0);
    assert_eq!(table.blockers_of_done(&id), ["dod:docs"]);
    table.project.write("page.txt", "a page\n");
    table.run(&["review", "evidence", &id, "docs=page.txt"]).expect_exit(0);
    let digest = mi_council::Digest::of(b"a page\n").to_string();
    let kept = table.home.path().join("store/sha256").join(&digest[..2]).join(&digest[2..]);
    fs::write(&kept, "another page\n").unwrap();
    assert_eq!(table.blockers_of_done(&id), ["dod:docs"]);
    fs::remove_file(&kept).unwrap();
    assert_eq!(table.blockers_of_done(&id), ["dod:docs"]);
    table.run(&["review", "evidence", &id, "docs=page.txt"]).expect_exit(0);
    assert_eq!(table.blockers_of_done(&id), Vec::<Value>::new());
    table.project.write("calc.py", format!("KEY = '{}'\n", token()));
    assert_eq!(table.blockers_of_done(&id), ["dod:security"]);
}

/// A policy that cannot be evaluated denies: what is no SBOM that can be read proves nothing once there is a policy.
#[test]
fn kaching_a_record_that_cannot_be_read_leaves_licences_open() {
    let table = Table::new();
    assert_eq!(
        table.blockers_of_done(&table.propose_done()),
        Vec::<Value>::new(),
        "nobody configured a policy"
    );
    table.home.write_config("[kaching]\ndeny = [\"GPL-3.0-only\"]\n");
    let judged = |record: &str| {
        table.project.write("sbom", record);
        let id = table.propose(&["--evidence", "licence=sbom"]);
        !table.blockers_of_done(&id).contains(&json!("dod:licence"))
    };
    let spdx = json!({"spdxVersion": "SPDX-2.3", "packages": [{"name": "a", "licenseConcluded": "MIT"}]})
        .to_string();
    let component = |licence: &str| {
        let licences = json!([{"license": {"id": licence}}]);
        json!({"bomFormat": "CycloneDX", "components": [{"name": "a", "licenses": licences}]}).to_string()
    };
    assert!(judged(&spdx) && judged(&component("MIT")));
    assert!(!judged(&component("GPL-3.0-only")) && !judged(&spdx[..spdx.len() - 4]));
    assert!(!judged("SPDXVersion: SPDX-2.3\n") && !judged("looked at by hand"));
}

/// A label beside a file keeps it back from context and from reviewers, as a mark inside it would (Rule S).
#[test]
fn shhh_a_restricted_label_keeps_its_files_back() {
    let table = Table::new();
    table.project.write("d/plan.md", "the sauce is ketchup\n");
    table.project.write("d/artifact.meta.json", r#"{"classification":"restricted","pii":false}"#);
    let diff = || table.run(&["context", "get", "--select", "diff"]).expect_exit(0).out();
    assert!(diff().contains("d/plan.md") && !diff().contains("ketchup"), "{}", diff());
    table.propose_folder("t").expect_exit(0);
    let shown = table.run(&["review", "show", "P-1"]).expect_exit(0).out();
    let address = shown.split_whitespace().find(|word| word.ends_with("#/d/plan.md")).unwrap();
    let content = || table.run(&["context", "get", "--address", address]).expect_exit(0).out();
    assert!(!content().contains("ketchup"), "{}", content());
    table.project.write("d/artifact.meta.json", "nonsense");
    assert!(!diff().contains("ketchup") && !content().contains("ketchup"), "what is unclear is restricted");
    table.project.write("d/artifact.meta.json", r#"{"classification":"internal","pii":false}"#);
    assert!(diff().contains("ketchup") && content().contains("ketchup"));
    table.run(&["context", "get", "--address", "ucxl://nonsense"]).expect_exit(2);
    let unknown = format!("ucxl://a:b@c:d/sha256:{}#/x", "0".repeat(64));
    table.run(&["context", "get", "--address", &unknown]).expect_exit(1);
}

/// The Completion Proposal can be read before anything is delivered, and a field without evidence says so.
#[test]
fn section_3_the_completion_proposal_can_be_read_before_the_delivery() {
    let table = Table::new();
    let id = table.propose(&["--evidence", "tests=report.txt"]);
    let shown = table.run(&["review", "show", &id]).expect_exit(0).out();
    assert!(
        shown.starts_with("### Completion Proposal") && shown.contains("**Tests:** report.txt (ucxl://"),
        "{shown}"
    );
    assert!(
        shown.contains("**Perf/SLO:** no evidence") && shown.contains("### Request for Review"),
        "{shown}"
    );
    let json = table.run(&["review", "show", &id, "--json"]).expect_exit(0).json();
    assert_eq!(json["markdown"].as_str().unwrap().trim_end(), shown.trim_end());
    table.run(&["review", "show", "P-9"]).expect_exit(1);
}

/// `MI_NOW` is the clock of errors, of the commit and the tag of a delivery, and of what a claim says about itself.
#[test]
fn mi_council_009_mi_now_replaces_every_clock() {
    let table = Table::new();
    let error = table.run(&["review", "status", "P-9", "--json"]).expect_exit(1).json();
    assert_eq!(error["ts"], "2026-02-08T12:00:00.000Z");
    let id = table.propose_done();
    table.votes(&id, "qa:green owner:green security:green");
    table.run(&["deliver", &id, "--out", "out", "--git", "delivery-1"]).expect_exit(0);
    for format in [
        "git log -1 --format=%aI%cI delivery-1",
        "git tag -l --format='%(taggerdate:iso-strict)' delivery/D-1",
    ] {
        assert!(table.project.passes(&format!("{format} | grep -q 2026-02-08T12:00:00")), "{format}");
    }
    for _ in 0..2 {
        let claim = table.run(&["beat", "--claim", "CALC-ADD-001", "--json"]).expect_exit(0).json();
        let log = fs::read_to_string(council_log(&table.home.path())).unwrap();
        let kept: Value = serde_json::from_str(log.lines().last().unwrap()).unwrap();
        assert_eq!((&kept["kind"], &kept["hlc"]), (&json!("status_claim"), &claim["hlc"]));
    }
}

/// Text has what the JSON has; a role is told once, however it is spelled; a killed delivery leaves nothing for good; a name
/// forges no line; a key that is none is said to be the one that was given.
#[test]
fn two_readers_and_other_small_print() {
    let table = Table::new();
    let id = table.propose_done();
    table.vote(&id, "qa", "qa", "red").expect_exit(0);
    table.votes(&id, "qa:green owner:green security:green");
    let shown = table.run(&["review", "status", &id]).expect_exit(0).out();
    assert!(shown.contains("by ann: calc.py") && shown.contains("red    qa as qa  (earlier)"), "{shown}");
    assert!(table.vote(&id, "eve", "Owner ", "green").expect_exit(4).err().contains("rule `role`"));
    let left = table.project.path().join(".out.new-4194999");
    fs::create_dir(&left).unwrap();
    table.run(&["deliver", &id, "--out", "out", "--notify", "QA", "--notify", "qa"]).expect_exit(0);
    assert!(!left.exists());
    assert_eq!(table.run(&["inbox", "--json"]).expect_exit(0).json().as_array().unwrap().len(), 1);
    let out = table.project.path().join("out");
    fs::write(out.join("x\nok: P-1, 0 problems"), "x").unwrap();
    let said = stranger(&out, &[]).expect_exit(1).out();
    assert!(!said.lines().any(|line| line.starts_with("ok: P-1, 0 problems")), "{said}");
    let said =
        stranger(&out, &["--key", table.project.path().join("calc.py").to_str().unwrap()]).expect_exit(2);
    assert!(said.err().contains("calc.py") && !said.err().contains("key.pub:"), "{said}");
}
