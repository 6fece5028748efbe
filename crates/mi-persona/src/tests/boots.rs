//! What a boot reads, and what it must not.

use super::{Place, items, member, moment};
use crate::{
    AccessError, BootError, Save,
    handoff::{Handoff, State},
};
use std::{fs, os::unix::fs::symlink};

fn paths(boot: &crate::Boot) -> Vec<&str> {
    boot.loaded.iter().map(|item| item.path.as_str()).collect()
}

/// A first boot reads the core, skips what is not there and says the seed's words.
#[test]
fn d_02_first_boot_reads_the_core_and_says_so() {
    let place = Place::new();
    let boot = place.boot("self", "2026-01-10").unwrap();
    assert_eq!(
        paths(&boot),
        ["core/boot.md", "core/principles.md", "core/challenge-core.md", "indexes/card-index.yaml"]
    );
    assert!(boot.first_boot && boot.index.fresh && boot.problems.is_empty());
    assert_eq!(boot.messages.len(), 2);
    assert_eq!(boot.skipped[0].path, ".self/private");
}

/// A log that cannot be read is told once, although tier A and tier A+ both want it.
#[test]
fn d_02_an_unreadable_log_is_told_once() {
    let place = Place::new();
    place.write("sessions/2026-01/2026-01-09.md", "x");
    fs::write(place.path("sessions/2026-01/2026-01-09.md"), [0xff]).unwrap();
    let boot = place.boot("self", "2026-01-10").unwrap();
    assert_eq!((boot.first_boot, boot.problems.len()), (false, 1), "{:?}", boot.problems);
}

/// Everything in the order of the seed: core, latest session, own private memory, windows, index, axioms.
#[test]
fn d_02_a_boot_reads_in_order() {
    let place = Place::new();
    place.write("sessions/2026-01/2026-01-09.md", "## completed\n- old\n## next steps\n- go on\n");
    place.write("sessions/2025-12/2025-12-31.md", "## completed\n- older\n");
    place.write("sessions/2026-01/2026-01-10-slot-A-1.md", "## completed\n- a\n## incidents\n- fire\n");
    place.write("sessions/2026-01/2026-01-10-slot-B-2.md", "## decisions\n- b\n");
    place.write(".self/private/notes.md", "mine");
    place.write(".bob/private/notes.md", "BOBS THOUGHT");
    place.card("H-001", "low", 8);
    place.card("X-001", "high", 9);
    place.card("X-002", "top", 10);
    let boot = place.boot("self", "2026-01-10").unwrap();
    let read = paths(&boot);
    assert_eq!(
        read[..5],
        [
            "core/boot.md",
            "core/principles.md",
            "core/challenge-core.md",
            "sessions/2026-01/2026-01-10-slot-B-2.md",
            ".self/private/notes.md"
        ]
    );
    assert_eq!(read[7..], ["indexes/card-index.yaml", "cards/axioms/X-002.md", "cards/axioms/X-001.md"]);
    assert_eq!(boot.parallel_sessions, ["A", "B"]);
    assert!(
        !boot.index.fresh && boot.skipped.iter().any(|skipped| skipped.path.ends_with("card-index.yaml"))
    );
    let windows: String =
        boot.loaded.iter().filter(|item| item.tier == "A+").filter_map(|item| item.text.clone()).collect();
    assert!(windows.contains("- a") && windows.contains("- b") && !windows.contains("fire"), "{windows}");
    assert!(!format!("{boot:?}").contains("THOUGHT"));
}

/// Look back: the newest day within a week; the latest log is read however old it is.
#[test]
fn d_02_an_old_session_is_latest_but_no_window() {
    let place = Place::new();
    place.write("sessions/2025-10/2025-10-01-slot-A-1.md", "## completed\n- a\n## next\n- b\n");
    let tiers = |today: &str| {
        let boot = place.boot("self", today).unwrap();
        boot.loaded
            .iter()
            .filter(|item| item.path.contains("sessions"))
            .map(|item| item.tier)
            .collect::<Vec<_>>()
    };
    assert_eq!(tiers("2026-01-10"), ["A"]);
    assert_eq!(tiers("2025-10-08"), ["A", "A+"]);
    let boot = place.boot("self", "2026-01-10").unwrap();
    assert!(
        boot.status_line.contains("2025-10-01") && boot.status_line.contains("pending: b"),
        "{}",
        boot.status_line
    );
}

/// Missing core files are named, all of them.
#[test]
fn d_02_missing_core_files_are_an_error_by_name() {
    let place = Place::new();
    fs::remove_file(place.path("core/boot.md")).unwrap();
    fs::remove_file(place.path("core/principles.md")).unwrap();
    let error = place.boot("self", "2026-01-10").unwrap_err();
    assert!(matches!(&error, BootError::MissingCore(files) if files.len() == 2), "{error}");
    assert!(error.to_string().contains("core/boot.md, core/principles.md are missing"), "{error}");
}

/// A private folder that is a link, lies behind one, or holds one, is not read.
#[test]
fn d_04_symlinked_private_folders_are_refused() {
    for case in ["folder", "member", "file"] {
        let place = Place::new();
        place.write(".bob/private/notes.md", "BOBS SECRET THOUGHTS");
        let private = place.path(".self/private");
        match case {
            "folder" => {
                fs::remove_dir(&private).unwrap();
                symlink("../.bob/private", &private).unwrap();
            }
            "member" => {
                fs::remove_dir_all(place.path(".self")).unwrap();
                symlink(".bob", place.path(".self")).unwrap();
            }
            _ => symlink("../../.bob/private/notes.md", private.join("mine.md")).unwrap(),
        }
        let boot = place.boot("self", "2026-01-10").unwrap();
        assert!(!format!("{boot:?}").contains("THOUGHTS"), "{case}");
        assert!(
            boot.problems.iter().any(|problem| problem.message.contains("symbolic link")),
            "{case}: {:?}",
            boot.problems
        );
    }
}

/// Shared files that lead into a private folder are refused too, and so is reading one by its path.
#[test]
fn d_04_no_shared_path_leads_into_private_memory() {
    let place = Place::new();
    place.write(".bob/private/x.md", "BOBS SECRET THOUGHTS");
    symlink("../../.bob/private/x.md", place.path("cards/axioms/X-009.md")).unwrap();
    fs::remove_file(place.path("core/boot.md")).unwrap();
    symlink("../.bob/private/x.md", place.path("core/boot.md")).unwrap();
    assert!(matches!(place.boot("self", "2026-01-10"), Err(BootError::Access(AccessError::Link { .. }))));
    fs::remove_file(place.path("core/boot.md")).unwrap();
    place.write("core/boot.md", "ok");
    let boot = place.boot("self", "2026-01-10").unwrap();
    assert!(boot.problems[0].path.ends_with("X-009.md") && !format!("{boot:?}").contains("THOUGHTS"));
    for path in [".bob/private/x.md", "core/../.bob/private/x.md", ".self/private/x.md"] {
        assert!(matches!(place.persona.read_shared(path), Err(AccessError::Private { .. })), "{path}");
    }
}

/// A broken card is named with its line; everything else is loaded.
#[test]
fn d_02_broken_front_matter_does_not_hide_the_rest() {
    let place = Place::new();
    place.card("X-001", "fine", 10);
    place.write("cards/axioms/X-002.md", "---\nid: X-002\ntype: axiom\ntitle: [\n---\n");
    let boot = place.boot("self", "2026-01-10").unwrap();
    assert!(paths(&boot).contains(&"cards/axioms/X-001.md"));
    assert_eq!(boot.problems.len(), 1);
    assert!(
        boot.problems[0].path.ends_with("X-002.md") && boot.problems[0].line.is_some(),
        "{:?}",
        boot.problems
    );
}

/// The status line has handoffs and proposals that wait, and the sessions that are open.
#[test]
fn d_02_status_line_tells_what_waits() {
    let place = Place::new();
    let (ann, bob) = (member("ann"), member("bob"));
    place.persona.propose(&super::proposal(&ann, "Retry limits"), "2026-01-10".parse().unwrap()).unwrap();
    let draft = Handoff {
        id: String::new(),
        from: "ann".to_owned(),
        to: "bob".to_owned(),
        status: State::Offered,
        created: String::new(),
        task: "t".to_owned(),
        context: "c".to_owned(),
        acceptance_criteria: vec!["the test passes".to_owned()],
        constraints: Vec::new(),
        not_in_scope: Vec::new(),
        deliverables: Vec::new(),
        reason: None,
    };
    place.persona.new_handoff(draft, "2026-01-10".parse().unwrap()).unwrap();
    place.persona.start_session(&moment(&bob, "2026-01-10", 0), None).unwrap();
    place.save(
        "ann",
        "2026-01-09",
        Save { items: items(&["done it"], &[], &["rest"]), end: true, ..Save::default() },
    );
    let line = place.boot("bob", "2026-01-10").unwrap().status_line;
    assert_eq!(
        line,
        "last session 2026-01-09: 1 completed ([A] done it), 0 decisions | pending: [A] rest | parallel sessions today: A | proposals to review: 1 | handoffs for you: 1"
    );
}
