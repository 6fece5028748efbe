//! Sessions, roll-ups, lint and export.

use super::{Place, items, member, moment};
use crate::{AutoSave, ExportError, Member, Save, SessionError, init, lint::Known, log, trigger};
use std::{collections::BTreeSet, fs, os::unix::fs::symlink, thread};

const DAY: &str = "2026-01-10";

fn auto(number: u8) -> Option<AutoSave> {
    Some(AutoSave { event: trigger(number).unwrap(), in_progress: false, new_instruction: false })
}

/// A session's log and the day's roll-up are written; the first one says so.
#[test]
fn d_11_a_session_writes_its_log_and_the_days() {
    let place = Place::new();
    let save = Save { items: items(&["a"], &["b"], &["c"]), end: true, ..Save::default() };
    let saved = place.save("self", DAY, save.clone());
    assert!(saved.first && saved.ended && saved.saved);
    assert_eq!(saved.path, format!("sessions/2026-01/{DAY}-slot-A-{}.md", saved.session));
    let text = place.read(&saved.path);
    assert!(text.contains("首次session log,系统初始化完成") && text.contains("ended: "), "{text}");
    assert_eq!(
        log::read(&place.read("sessions/2026-01/2026-01-10.md")),
        items(&["[A] a"], &["[A] b"], &["[A] c"])
    );
    let second = place.save("self", DAY, save);
    assert!(!second.first && second.slot == "B");
    assert!(place.persona.open_sessions().unwrap().is_empty());
    assert_eq!(place.persona.list_sessions().unwrap().len(), 3);
}

/// Several windows at once get slots and logs of their own, also from many threads.
#[test]
fn d_02_parallel_sessions_have_slots_of_their_own() {
    let place = Place::new();
    let slots: Vec<String> = thread::scope(|scope| {
        let start = |salt: u64| {
            let persona = place.persona.clone();
            move || {
                let who = member("self");
                let moment = crate::Moment { salt, ..moment(&who, DAY, 0) };
                let session = persona.start_session(&moment, None).unwrap();
                let save = Save {
                    session: Some(session.session),
                    items: items(&[&format!("work {salt}")], &[], &[]),
                    ..Save::default()
                };
                persona.save_session(&moment, &save).unwrap().slot
            }
        };
        let handles: Vec<_> = (0..12).map(|salt| scope.spawn(start(salt))).collect();
        handles.into_iter().map(|handle| handle.join().unwrap()).collect()
    });
    assert_eq!(slots.iter().collect::<BTreeSet<_>>().len(), 12);
    let rolled = log::read(&place.read("sessions/2026-01/2026-01-10.md"));
    assert_eq!(rolled.completed_items.len(), 12);
    let who = member("self");
    let which = place.persona.save_session(&moment(&who, DAY, 0), &Save::default());
    assert!(matches!(which, Err(SessionError::Ambiguous(_))));
    let taken = place.persona.start_session(&moment(&who, DAY, 0), Some("A"));
    assert!(matches!(taken, Err(SessionError::SlotTaken { .. })));
}

/// An automatic save leaves a marker and one line; each exclusion of the seed holds it back.
#[test]
fn d_12_auto_save_and_its_exclusions() {
    let place = Place::new();
    let who = member("self");
    let save =
        |minute: i64, save: Save| place.persona.save_session(&moment(&who, DAY, minute), &save).unwrap();
    let done = |text: &str| Save { items: items(&[text], &[], &[]), auto: auto(2), ..Save::default() };
    let first = save(0, done("tests pass"));
    assert_eq!(first.line.as_deref(), Some("Auto-saved to slot-A | trigger: 2"));
    assert!(place.read(&first.path).contains("<!-- mi:auto-save trigger=2 at=2026-01-10T08:00:00.000Z -->"));
    let before = place.read(&first.path);
    let soon = save(9, done("more"));
    assert_eq!((soon.saved, soon.held_back), (false, Some("less than 10 minutes since the last save")));
    let talk = save(20, Save { items: items(&[], &[], &["idea"]), auto: auto(5), ..Save::default() });
    assert_eq!(talk.held_back, Some("nothing but discussion since the last save"));
    let busy = AutoSave { in_progress: true, ..auto(4).unwrap() };
    assert_eq!(save(20, Save { auto: Some(busy), ..done("x") }).held_back, Some("the task is in progress"));
    let asked = AutoSave { new_instruction: true, ..auto(4).unwrap() };
    assert_eq!(save(20, Save { auto: Some(asked), ..done("x") }).held_back, Some("a new instruction waits"));
    assert_eq!(place.read(&first.path), before);
    assert!(save(10, done("more")).saved);
    // A person's own save waits for nothing.
    assert!(save(11, Save { items: items(&["by hand"], &[], &[]), ..Save::default() }).saved);
}

/// A day's log that a person wrote, or changed, is kept as a slot of its own.
#[test]
fn d_11_a_hand_written_day_is_never_overwritten() {
    let place = Place::new();
    let path = "sessions/2026-01/2026-01-10.md";
    place.write(path, "# My day\n\n## decisions\n- by hand\n");
    let saved = place.save("self", DAY, Save { items: items(&["a"], &[], &[]), ..Save::default() });
    assert!(saved.notes[0].contains("slot-0-"), "{:?}", saved.notes);
    assert_eq!(log::read(&place.read(path)), items(&["[A] a"], &["[0] by hand"], &[]));
    place.write(path, &place.read(path).replace("[A] a", "[A] a, really"));
    place.save("self", DAY, Save { items: items(&["b"], &[], &[]), ..Save::default() });
    assert!(log::read(&place.read(path)).completed_items.iter().any(|item| item.contains("a, really")));
}

/// Secrets do not reach a log.
#[test]
fn d_10_secrets_do_not_reach_a_log() {
    let place = Place::new();
    let token = format!("ghp_{}", "a".repeat(36));
    let saved = place.save(
        "self",
        DAY,
        Save { items: items(&[&format!("used {token}")], &[], &[]), ..Save::default() },
    );
    assert!(saved.redacted && !place.read(&saved.path).contains(&token));
}

/// Init fills in what is missing and changes nothing that is there.
#[test]
fn init_changes_nothing_that_is_there() {
    let place = Place::new();
    place.write("core/boot.md", "mine");
    fs::remove_file(place.path("core/principles.md")).unwrap();
    let state = place.folder.path().join("state");
    let (_, made) = init(place.persona.root(), &state, &Member::new("self").unwrap()).unwrap();
    assert_eq!(made, ["core/principles.md"]);
    assert_eq!(place.read("core/boot.md"), "mine");
}

/// A fresh persona is clean; what is broken or identifying is found with its place, private memory is not looked at.
#[test]
fn d_10_lint_finds_what_shared_files_must_not_hold() {
    let place = Place::new();
    assert_eq!(place.persona.lint(&Known::default()).unwrap().findings, []);
    place.card("H-001", "one", 5);
    place.write("core/principles.md", "- see /home/x/notes\n");
    place.write("proposals/2026-01/p.md", "mail a@example.com\n");
    place.write(".self/private/x.md", "/home/x/private\n");
    place.write("cards/patterns/M-001.md", "no front matter\n");
    symlink(".self", place.path(".bob")).unwrap();
    let report = place.persona.lint(&Known::default()).unwrap();
    let found: Vec<(&str, &str)> = report.findings.iter().map(|one| (one.path.as_str(), one.rule)).collect();
    for wanted in [
        (".bob", "broken"),
        ("cards/heuristics/H-001.md", "empty-section"),
        ("cards/patterns/M-001.md", "broken"),
        ("core/principles.md", "absolute-path"),
        ("proposals/2026-01/p.md", "identifying-address"),
    ] {
        assert!(found.contains(&wanted), "{wanted:?} in {found:?}");
    }
    assert!(report.has_errors() && !found.iter().any(|(path, _)| path.contains("private")));
}

/// Cards whose id or dates are not of the usual form are told, and count all the same (D.4, D.15).
#[test]
fn d_10_lint_finds_odd_ids_and_dates() {
    let place = Place::new();
    place.card("H-001", "one", 5);
    let text = place.read("cards/heuristics/H-001.md").replace("H-001", "H-6").replace("one", "six");
    place.write("cards/heuristics/H-6.md", &text.replacen("---\n", "---\nlast_reviewed: yesterday\n", 1));
    let report = place.persona.lint(&Known::default()).unwrap();
    let odd: Vec<&str> = report
        .findings
        .iter()
        .filter(|found| found.rule == "card-form" && found.path.ends_with("H-6.md"))
        .map(|found| found.message.as_str())
        .collect();
    assert_eq!(odd.len(), 2, "{:?}", report.findings);
    assert!(odd.iter().any(|message| message.contains("H-006")), "{odd:?}");
    assert!(odd.iter().any(|message| message.contains("yesterday")), "{odd:?}");
}

/// An export has no private folder, no proposal, no hidden file and no link; a secret stops it whole.
#[test]
fn d_10_export_leaves_private_folders_and_proposals_out() {
    let place = Place::new();
    place.write(".self/private/x.md", "mine");
    place.write(".bob/private/x.md", "his");
    place.write("proposals/2026-01/p.md", "idea");
    place.write("sessions/.hidden.md", "hidden");
    place.write("sessions/2026-01/2026-01-02.md", "log");
    symlink("../.bob/private", place.path("sessions/link")).unwrap();
    let out = place.folder.path().join("out");
    let exported = place.persona.export(&out, &Known::default()).unwrap();
    assert_eq!(
        exported.files,
        [
            "core/boot.md",
            "core/challenge-core.md",
            "core/principles.md",
            "sessions/2026-01/2026-01-02.md",
            "indexes/card-index.yaml"
        ]
    );
    assert_eq!(exported.left_out.len(), 1);
    assert!(matches!(place.persona.export(&out, &Known::default()), Err(ExportError::Exists(_))));
    let inside = place.path("core/out");
    assert!(matches!(place.persona.export(&inside, &Known::default()), Err(ExportError::Inside(_))));
    place.write("sessions/2026-01/2026-01-03.md", &format!("ghp_{}", "a".repeat(36)));
    let second = place.folder.path().join("second");
    assert!(matches!(place.persona.export(&second, &Known::default()), Err(ExportError::Secret(_))));
    assert!(!second.exists());
}
