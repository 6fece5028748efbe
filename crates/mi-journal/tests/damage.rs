//! What a crash leaves behind is set right with a note; what a hand changed is a problem.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "helpers of tests are tests")]

mod support;

use mi_journal::{LogReader, LogView, Query, repair_torn_tail};
use mi_model::{record::Entry, record::EvidenceItem, sha256_hex};
use std::{fs, io::Write};
use support::{Home, note, now};

fn add_bytes(home: &Home, bytes: &[u8]) {
    fs::OpenOptions::new().append(true).open(home.log()).unwrap().write_all(bytes).unwrap();
}

/// Half a line, a whole line of garbage, bytes that are not UTF-8, or zeros at the end: set aside, and all is well.
#[test]
fn torn_tail_is_set_aside() {
    let tails: [&[u8]; 6] = [
        b"{\"kind\":\"no",
        b"garbage\n",
        b"{\"kind\":\"x\"}\n{\"kin",
        b"\xff\xfe\n",
        &[0; 4096],
        b"[1]\n{\"a",
    ];
    for tail in tails {
        let home = Home::with_notes(2);
        add_bytes(&home, tail);
        let log = home.evidence().open().unwrap();
        assert_eq!(log.repairs().len(), 1, "{}", tail.escape_ascii());
        let aside = log.repairs()[0].set_aside.clone().unwrap();
        assert_eq!(aside, home.log().with_extension("jsonl.torn-1"));
        assert!(tail.ends_with(&fs::read(aside).unwrap()));
        assert!(home.append(1)[0] >= 2);
        assert!(home.verify().notes.iter().any(|note| note.ends_with("evidence.jsonl.torn-1 was set aside")));
    }
}

/// A torn tail does not make `verify` fail, whichever command meets it first; the second one gets another name.
#[test]
fn torn_tail_is_a_note_for_verify() {
    let home = Home::with_notes(2);
    for number in 1..=2 {
        add_bytes(&home, b"{\"kind\":\"no");
        let report = home.verify();
        assert!(report.ok(), "{report:?}");
        assert!(report.notes[0].contains("the last 11 bytes were torn; set aside as"), "{report:?}");
        assert!(report.notes[0].ends_with(&format!("torn-{number}")), "{report:?}");
        assert_eq!(repair_torn_tail(&home.log()).unwrap(), None);
    }
    home.append(1);
    assert!(home.verify().ok());
}

/// A line of garbage in the middle is passed over by readers and counted, and reported by `verify`.
#[test]
fn garbage_in_the_middle_is_passed_over() {
    for garbage in [&b"garbage\n"[..], b"{\"kind\":\"\xff\"}\n", b"{\"kind\":\"a\",\"kind\":\"b\"}\n"] {
        let home = Home::with_notes(2);
        let text = fs::read(home.log()).unwrap();
        let middle = text.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        fs::write(home.log(), [&text[..middle], garbage, &text[middle..]].concat()).unwrap();
        let view = LogView::open(&home.log()).unwrap();
        let everything = Query::default();
        let mut hits = view.newest(&everything).unwrap();
        assert_eq!((hits.by_ref().count(), hits.passed_over()), (2, 1));
        assert_eq!(repair_torn_tail(&home.log()).unwrap(), None);
        let problems = home.verify().problems;
        assert!(problems[0].contains("line 2 is not a JSON object"), "{problems:?}");
    }
}

/// Every way to change a log behind its back is found.
#[test]
fn changes_by_hand_are_problems() {
    type Change = fn(&mut Vec<String>);
    let changes: [(&str, Change); 10] = [
        ("edit the first", |lines| lines[0] = lines[0].replace("n0", "m0")),
        ("edit the last", |lines| lines[4] = lines[4].replace("n4", "m4")),
        ("insert", |lines| lines.insert(2, "{\"kind\":\"note\",\"message\":\"inserted\"}".to_owned())),
        ("repeat", |lines| lines.insert(2, lines[2].clone())),
        ("reorder", |lines| lines.swap(1, 2)),
        ("delete in the middle", |lines| drop(lines.remove(2))),
        ("delete the first", |lines| drop(lines.remove(0))),
        ("truncate by one", |lines| drop(lines.pop())),
        ("truncate to nothing", Vec::clear),
        ("rewrite the end with a good chain", |lines| rewrite_end(lines)),
    ];
    for (name, change) in changes {
        let home = Home::with_notes(5);
        assert!(home.verify().ok(), "{name}");
        let mut lines = home.lines();
        change(&mut lines);
        home.write_lines(&lines);
        assert!(!home.verify().ok(), "{name}");
        // And it stays found when the log has gone on.
        home.append(2);
        assert!(!home.verify().ok(), "{name}, then appended");
    }
}

/// Rewrites the last two records, same length, each naming the hash of the one before it.
fn rewrite_end(lines: &mut [String]) {
    lines[3] = lines[3].replace("n3", "m3");
    let old = lines[4].split("\"prev\":\"").nth(1).unwrap()[..64].to_owned();
    lines[4] = lines[4].replace(&old, &sha256_hex(lines[3].as_bytes()));
}

/// A deleted log is a problem as long as its head is there; one that never was is not.
#[test]
fn deleted_log_is_a_problem() {
    let home = Home::new();
    assert!(home.verify().ok());
    home.append(3);
    fs::remove_file(home.log()).unwrap();
    let problems = home.verify().problems;
    assert!(problems[0].contains("the log is gone; it had 3 records up to seq 2"), "{problems:?}");
    assert_eq!(home.append(1), [3]);
    assert!(!home.verify().ok());
}

/// A head that lags, as after a crash, or that is missing or spoiled, is no problem; the next append renews it.
#[test]
fn lagging_head_is_no_problem() {
    let home = Home::with_notes(2);
    let head = fs::read(home.evidence().head).unwrap();
    home.append(2);
    for old in [Some(head), None, Some(b"spoiled".to_vec())] {
        match old {
            Some(bytes) => fs::write(home.evidence().head, bytes).unwrap(),
            None => fs::remove_file(home.evidence().head).unwrap(),
        }
        assert!(home.verify().ok(), "{:?}", home.verify());
        home.append(1);
        assert!(home.verify().ok(), "{:?}", home.verify());
    }
    let mut lines = home.lines();
    lines.pop();
    home.write_lines(&lines);
    assert!(!home.verify().ok());
}

/// A transcript that evidence vouches for must be there, whole and unchanged; it may have grown since.
#[test]
fn transcripts_are_checked() {
    let home = Home::new();
    home.layout.create(&home.project).unwrap();
    let path = home.layout.project(&home.project).hands_transcripts().join("t.jsonl");
    let mut log = home.evidence().open().unwrap();
    for text in ["{\"line\":1}\n", "{\"line\":1}\n{\"line\":2}\n"] {
        fs::write(&path, text).unwrap();
        let item = EvidenceItem {
            codex_transcript_ref: home.layout.reference(&path),
            codex_transcript_sha256: sha256_hex(text.as_bytes()),
            codex_transcript_bytes: text.len() as u64,
            ..EvidenceItem::default()
        };
        log.append(now(), None, &[], &[Entry::EvidenceItem(Box::new(item)), note("x")]).unwrap();
    }
    assert!(home.verify().ok(), "{:?}", home.verify());
    for (text, problem) in [
        ("{\"line\":1}\n{\"line\":2}\n{\"line\":3}\n", None),
        ("{\"line\":1}\n{\"line\":9}\n", Some("t.jsonl was changed in its first 22 bytes")),
        ("{\"line\":1}\n", Some("t.jsonl has 11 bytes; its record vouches for 22")),
    ] {
        fs::write(&path, text).unwrap();
        let problems = home.verify().problems;
        assert_eq!(problems.len(), usize::from(problem.is_some()), "{problems:?}");
        assert!(problems.iter().all(|found| found.ends_with(problem.unwrap())), "{problems:?}");
    }
    fs::remove_file(&path).unwrap();
    assert!(home.verify().problems[0].ends_with("t.jsonl is gone"));
}

/// When raw transcripts are not kept, `verify` says so and is content.
#[test]
fn transcripts_not_kept_are_said() {
    let home = Home::new();
    let item = Entry::EvidenceItem(Box::default());
    home.evidence().open().unwrap().append(now(), None, &[], &[item]).unwrap();
    let report = home.verify();
    assert!(
        report.ok() && report.notes[0].contains("1 evidence records name no stored raw transcript"),
        "{report:?}"
    );
}

/// A 50 MB line of another tool is passed over by readers and reported by `verify`; the chain goes on behind it.
#[test]
fn fifty_megabyte_line_is_survived() {
    let home = Home::with_notes(1);
    add_bytes(&home, format!("{{\"kind\":\"{}\"}}\n", "y".repeat(50_000_000)).as_bytes());
    assert_eq!(home.append(1), [2]);
    assert_eq!(LogReader::open(&home.log()).unwrap().tail(3).unwrap().len(), 3);
    let problems = home.verify().problems;
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].contains("line 2 is longer than"), "{problems:?}");
}
