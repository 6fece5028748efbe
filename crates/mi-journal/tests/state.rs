//! State files and learned rules: replaced whole, quarantined when corrupt, tolerant of foreign lines.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "helpers of tests are tests")]

mod support;

use mi_journal::{JournalError, LearnedLog, learned, replace_file};
use mi_model::{LearnedScope, MindSpec, ProjectOverlay, RiskCategory};
use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
};
use support::{Home, now};

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// A missing file is the default; what is written is read back; no temporary file stays.
#[test]
fn state_is_replaced_whole() {
    let home = Home::new();
    let base = home.layout.base();
    assert_eq!(base.load_or_default().unwrap(), (MindSpec::default(), None));
    let spec = MindSpec { values_text: " Use tabs.\n".to_owned(), ..MindSpec::default() };
    base.replace(&spec).unwrap();
    base.replace(&spec).unwrap();
    assert_eq!(base.load_or_default().unwrap(), (spec, None));
    assert_eq!(names(&home.folder.path().join("mindspec")), ["base.json"]);
}

/// Writers of one file, also in one process, do not disturb each other, and what lies where the new file is made is not
/// written over, not even through a link. Who may read the file stays as it was.
#[test]
fn only_the_file_itself_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("precious"), "kept").unwrap();
    fs::write(at("file"), "old").unwrap();
    fs::set_permissions(at("file"), fs::Permissions::from_mode(0o600)).unwrap();
    let taken = [
        ".new",
        ".new-1",
        &format!(".new-{}", std::process::id()),
        &format!(".new-{}-1", std::process::id()),
    ]
    .map(|ending| format!("file{ending}"));
    for name in &taken {
        symlink(at("precious"), at(name)).unwrap();
    }
    let writers: Vec<_> = (0..8)
        .map(|number| {
            let path = at("file");
            std::thread::spawn(move || replace_file(&path, format!("{number}").repeat(4096).as_bytes()))
        })
        .collect();
    for writer in writers {
        writer.join().unwrap().unwrap();
    }
    let text = fs::read_to_string(at("file")).unwrap();
    assert!(text.len() == 4096 && text.chars().all(|char| text.starts_with(char)));
    assert_eq!(fs::metadata(at("file")).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::read_to_string(at("precious")).unwrap(), "kept");
    let mut expected: Vec<String> =
        taken.into_iter().chain(["file".to_owned(), "precious".to_owned()]).collect();
    expected.sort();
    assert_eq!(names(folder.path()), expected);
}

/// A corrupt `base.json` or `overlay.json` is set aside under another extension and said so; nothing crashes.
#[test]
fn corrupt_state_is_quarantined() {
    for garbage in [&b"{\"version\":"[..], b"", b"\xff\xfe", b"[]", b"{\"values_text\":7,\"root_path\":7}"] {
        let home = Home::new();
        home.layout.create(&home.project).unwrap();
        let (base, overlay) = (home.layout.base(), home.layout.project(&home.project).overlay());
        for (path, number) in [(base.path(), 1), (overlay.path(), 1), (base.path(), 2)] {
            fs::write(path, garbage).unwrap();
            let repair = if path == base.path() {
                base.load_or_default().map(|(spec, repair)| (spec == MindSpec::default(), repair))
            } else {
                overlay
                    .load_or_default()
                    .map(|(overlay, repair)| (overlay == ProjectOverlay::default(), repair))
            };
            let (is_default, repair) = repair.unwrap();
            let aside = repair.unwrap().set_aside.unwrap();
            assert!(is_default && !path.exists());
            assert_eq!(aside, path.with_extension(format!("json.corrupt-{number}")));
            assert_eq!(fs::read(aside).unwrap(), garbage);
        }
        let report = home.verify();
        assert_eq!((report.ok(), report.notes.len()), (true, 3), "{report:?}");
    }
}

/// A knob that would not be obeyed is refused by its name, and the person's file stays where it is.
#[test]
fn unsupported_knob_is_refused_by_name() {
    let home = Home::new();
    home.layout.create(&home.project).unwrap();
    let base = home.layout.base();
    fs::write(
        base.path(),
        r#"{"values_text": "Use tabs.", "external_actions": {"network_policy": "sometimes"}}"#,
    )
    .unwrap();
    let error = base.load_or_default().unwrap_err();
    assert!(error.to_string().contains("base.json"), "{error}");
    let why = error.source.to_string();
    assert_eq!(
        why,
        "`external_actions.network_policy` is \"sometimes\", which is not supported; it takes values_judged, ask, allow, deny"
    );
    assert!(base.path().exists());
}

/// A folder where a state file should be is one clear error.
#[test]
fn folder_in_place_of_a_state_file_is_named() {
    let home = Home::new();
    fs::create_dir_all(home.layout.base().path()).unwrap();
    let error = home.layout.base().load().unwrap_err().to_string();
    assert!(error.contains("base.json` (a folder stands where a file should be"), "{error}");
    let error = home.layout.base().replace(&MindSpec::default()).unwrap_err().to_string();
    assert!(error.contains("base.json"), "{error}");
}

/// A rule is in force from its add to its disable, in a chained log with the seed's fields.
#[test]
fn rules_are_added_and_taken_back() {
    let home = Home::new();
    let place = home.layout.project(&home.project).learned();
    let mut log = LearnedLog::open(&place, LearnedScope::Project).unwrap();
    let first = log.add(now(), None, "ask before push", "it pushed", Some(RiskCategory::Push)).unwrap();
    let second = log.add(now(), None, "ask before push", "", None).unwrap();
    assert_ne!(first, second);
    log.disable(now(), None, &first, "changed my mind").unwrap();
    let in_force = log.in_force().unwrap();
    assert_eq!(in_force.rules.iter().map(|rule| &rule.id).collect::<Vec<_>>(), [&second]);
    assert!(in_force.notes.is_empty());
    let again = log.disable(now(), None, &first, "").unwrap_err();
    assert!(matches!(again, JournalError::UnknownRule { .. }), "{again}");
    let text = fs::read_to_string(&place.log).unwrap();
    assert!(text.contains(&format!(
        "\"id\":\"{first}\",\"scope\":\"project\",\"enabled\":true,\"text\":\"ask before push\""
    )));
    assert!(text.contains(&format!(
        "\"action\":\"disable\",\"target_id\":\"{first}\",\"rationale\":\"changed my mind\""
    )));
    assert_eq!((home.verify().ok(), home.verify().records), (true, 3));
    fs::write(&place.log, text.replace("before", "after_")).unwrap();
    assert!(!home.verify().ok());
}

/// Corrupt and foreign lines of `learned.jsonl` are passed over with a note; the other rules hold.
#[test]
fn corrupt_learned_lines_are_passed_over() {
    let home = Home::new();
    let place = home.layout.global_learned();
    fs::create_dir_all(place.log.parent().unwrap()).unwrap();
    let lines: [&[u8]; 9] = [
        br#"{"id":"a","ts":"2026-02-08T12:00:00+00:00","scope":"global","enabled":true,"text":"A","rationale":"r"}"#,
        b"garbage",
        b"\xff\xfe",
        b"",
        br#"{"id":"b","ts":"2026-02-08T12:00:00Z","text":"B"}"#,
        br#"{"id":"c","ts":"2026-02-08T12:00:00Z","action":"disable"}"#,
        br#"{"ts":"2026-02-08T12:00:00Z","text":"no id"}"#,
        br#"{"id":"d","ts":"2026-02-08T12:00:00Z","enabled":false,"text":"D"}"#,
        br#"{"id":"e","ts":"2026-02-08T12:00:00Z","action":"disable","target_id":"a"}"#,
    ];
    fs::write(&place.log, lines.join(&b'\n')).unwrap();
    let learned = learned::in_force(&place.log, LearnedScope::Global).unwrap();
    assert_eq!(learned.rules.len(), 2, "the last line has no newline yet: {learned:?}");
    let mut log = LearnedLog::open(&place, LearnedScope::Global).unwrap();
    assert_eq!(log.repairs().len(), 1);
    let learned = log.in_force().unwrap();
    assert_eq!(
        learned.rules.iter().map(|rule| rule.text.as_str()).collect::<Vec<_>>(),
        ["B"],
        "it is whole, so it holds"
    );
    assert_eq!(learned.notes.len(), 4, "{learned:?}");
    log.disable(now(), None, "b", "").unwrap();
    assert_eq!(log.in_force().unwrap().rules, []);
}
