//! Logs as a person and a machine read them.

use super::*;
use proptest::prelude::*;

fn head() -> LogHead<'static> {
    LogHead {
        date: "2026-01-02",
        slot: "A",
        session: "1f3b",
        member: "self",
        started: "2026-01-02T08:00:00.000Z",
        note: None,
    }
}

fn items(done: &[&str], decided: &[&str], next: &[&str]) -> Items {
    let list = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    Items {
        completed_items: list(done),
        decisions: list(decided),
        next_steps: list(next),
        ..Items::default()
    }
}

/// Every section of the seed stands between anchors, and empty ones say so.
#[test]
fn d_11_a_new_log_has_all_sections_between_anchors() {
    let text = new_log(&LogHead { note: Some("首次session log,系统初始化完成"), ..head() });
    for section in Section::ALL {
        let (begin, end) = (text.find(&section.begin()).unwrap(), text.find(&section.end()).unwrap());
        assert!(begin < end && text[begin..end].contains(NOTHING), "{}", section.key());
    }
    assert!(text.contains("\n首次session log,系统初始化完成\n"));
    assert!(read(&text).is_empty());
}

/// Items are added once; what a person wrote between and around them stays.
#[test]
fn d_11_adding_keeps_what_a_person_wrote() {
    let log = add(&new_log(&head()), &items(&["one\ntwo lines"], &["use Rust"], &[]));
    let edited = log.replace("- use Rust\n", "- use Rust\n- by hand\n") + "\nMy own words.\n";
    let more = add(&edited, &items(&["one\ntwo lines", "three"], &["by hand"], &["rest"]));
    assert_eq!(read(&more), items(&["one\ntwo lines", "three"], &["use Rust", "by hand"], &["rest"]));
    assert!(more.contains("\nMy own words.\n"));
    assert_eq!(add(&more, &items(&["three"], &[], &["rest"])), more);
}

/// An item cannot close its section.
#[test]
fn d_11_an_item_is_never_an_anchor() {
    let evil = "x <!-- mi:end decisions -->\n<!-- mi:section incidents -->\n## Incidents";
    let log = add(&new_log(&head()), &items(&[], &[evil], &["after"]));
    let back = read(&log);
    assert_eq!((back.decisions.len(), back.incidents.len(), back.next_steps.len()), (1, 0, 1));
}

/// Logs without anchors are read by their headings, in both languages.
#[test]
fn d_02_logs_without_anchors_are_read_by_headings() {
    let text = "# Day\nintro\n## Completed\n- a\n  more\n* b\n\n## decisions:\n1. c\nplain\n### 下一步\n- [ ] d\n## Other\n- e\n";
    assert_eq!(read(text), items(&["a\nmore", "b"], &["c", "plain"], &["d"]));
}

/// Tier A+ sees what was done and decided, nothing else.
#[test]
fn d_02_other_windows_see_completed_items_and_decisions() {
    let mut all = items(&["a"], &["b"], &["c"]);
    all.candidate_insights.push("d".to_owned());
    assert_eq!(all.for_other_windows(), items(&["a"], &["b"], &[]));
}

/// The marker of an automatic save can be read back; the newest counts.
#[test]
fn d_12_auto_save_markers() {
    let log = new_log(&head());
    assert_eq!(last_auto_save(&log), None);
    let marked = mark_auto_save(&log, 2, "2026-01-02T09:00:00.000Z");
    let marked = mark_auto_save(&marked, 1, "2026-01-02T09:20:00.000Z");
    assert_eq!(last_auto_save(&marked), "2026-01-02T09:20:00Z".parse().ok());
    assert!(marked.contains("<!-- mi:auto-save trigger=2 at=2026-01-02T09:00:00.000Z -->"));
    assert!(read(&marked).is_empty());
}

/// Same logs, same roll-up, in whatever order they come; a changed one is noticed.
#[test]
fn d_11_roll_up_has_the_same_bytes() {
    let first = add(&new_log(&head()), &items(&["one"], &["use Rust"], &["rest"]));
    let second = add(&new_log(&head()), &items(&["two"], &["use Rust"], &[]));
    let (a, b) = (
        DayLog { slot: "A", file: "2026-01-02-slot-A-1.md", text: &first },
        DayLog { slot: "B", file: "2026-01-02-slot-B-2.md", text: &second },
    );
    let rolled = roll_up("2026-01-02", &[a, b]);
    assert_eq!(rolled, roll_up("2026-01-02", &[b, a]));
    assert_eq!(
        read(&rolled),
        items(&["[A] one", "[B] two"], &["[A] use Rust", "[B] use Rust"], &["[A] rest"])
    );
    assert!(is_roll_up(&rolled) && !is_roll_up(&rolled.replace("one", "won")) && !is_roll_up(&first));
    // A roll-up that was set aside as a log brings nothing twice.
    let zero = DayLog { slot: "0", file: "2026-01-02-slot-Z.md", text: &rolled };
    assert_eq!(read(&roll_up("2026-01-02", &[a, b, zero])).decisions.len(), 2);
}

proptest! {
    /// Any items come back as they were shown, and adding twice changes nothing.
    #[test]
    fn items_come_back(done in proptest::collection::vec("\\PC{1,30}", 0..4), next in proptest::collection::vec("[^\\x00]{0,30}", 0..3)) {
        let wanted = Items { completed_items: done, next_steps: next, ..Items::default() };
        let log = add(&new_log(&head()), &wanted);
        prop_assert_eq!(add(&log, &wanted), log.clone());
        prop_assert!(read(&log).decisions.is_empty());
    }

    /// Any text can be read and added to.
    #[test]
    fn any_text_can_be_a_log(text in any::<String>()) {
        let log = add(&text, &items(&["a"], &[], &[]));
        prop_assert!(read(&log).completed_items.contains(&"a".to_owned()) || !text.is_empty());
    }
}
