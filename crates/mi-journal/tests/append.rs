//! Appending: numbers, chain, clocks, and what happens when the file misbehaves.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "helpers of tests are tests")]

mod support;

use mi_journal::{JournalError, MAX_LINE_BYTES};
use mi_model::{RunId, Timestamp, record::Record};
use std::{fs, io::Write, os::unix::fs::PermissionsExt};
use support::{Home, example, note, now, shell};

/// Records of a group and of later groups are numbered through, load as records and verify.
#[test]
fn groups_are_numbered_and_chained() {
    let home = Home::new();
    let mut log = home.evidence().open().unwrap();
    let run = RunId::new("r1");
    assert_eq!(log.append(now(), Some(&run), &["g".to_owned()], &[note("a"), note("b")]).unwrap(), [0, 1]);
    assert_eq!(log.append(now(), None, &[], &[]).unwrap(), Vec::<u64>::new());
    assert_eq!(log.append(now(), None, &[], &[note("c")]).unwrap(), [2]);
    let records: Vec<Record> = home.lines().iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(records[1].frame.run_id, Some(run));
    assert_eq!(records[1].frame.goal_ids, ["g"]);
    assert_eq!(records[0].frame.prev, None);
    assert_eq!(records[2].entry, note("c"));
    assert_eq!((home.verify().ok(), home.verify().records, log.repairs().len()), (true, 3, 0));
}

/// A log opened again goes on where it stopped.
#[test]
fn reopened_log_goes_on() {
    let home = Home::with_notes(2);
    assert_eq!(home.append(2), [2, 3]);
    assert!(home.verify().ok());
}

/// The logical clock goes on when the machine's clock goes back, also over a restart; `ts` tells the truth.
#[test]
fn clock_going_back_keeps_the_order() {
    let home = Home::new();
    for millis in [5_000, 4_000, 4_000, 6_000] {
        let mut log = home.evidence().open().unwrap();
        log.append(Timestamp::from_millis(millis), None, &[], &[note("x")]).unwrap();
    }
    let records: Vec<Record> = home.lines().iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    let clocks: Vec<&str> = records.iter().map(|record| record.frame.hlc.as_str()).collect();
    assert_eq!(
        clocks,
        ["0000000005000-00000", "0000000005000-00001", "0000000005000-00002", "0000000006000-00000"]
    );
    assert_eq!(records[1].frame.ts, Timestamp::from_millis(4_000));
    assert!(home.verify().ok());
}

/// Two appenders that are open at once see each other's records: one chain, no number twice.
#[test]
fn appenders_open_at_once_make_one_chain() {
    let home = Home::new();
    let (mut one, mut two) = (home.evidence().open().unwrap(), home.evidence().open().unwrap());
    for _ in 0..3 {
        one.append(now(), None, &[], &[note("one")]).unwrap();
        two.append(now(), None, &[], &[note("two"), note("two")]).unwrap();
    }
    assert_eq!(home.seqs(), (0..9).collect::<Vec<_>>());
    assert!(home.verify().ok());
}

/// A log that another tool began, without numbers or chain, is continued from its line count.
#[test]
fn log_of_another_tool_is_continued() {
    let home = Home::new();
    home.layout.create(&home.project).unwrap();
    fs::write(home.log(), "{\"kind\":\"codex_input\",\"batch_id\":\"b0\"}\n{\"batch_id\":\"b0\"}\n").unwrap();
    assert_eq!(home.append(2), [2, 3]);
    let report = home.verify();
    assert_eq!((report.ok(), report.records, report.notes.len()), (true, 4, 1), "{report:?}");
    let edited: Vec<String> = home.lines().iter().map(|line| line.replace("b0", "b1")).collect();
    home.write_lines(&edited);
    assert!(!home.verify().ok());
}

/// A log deleted under an open appender is begun anew under its name, and the loss stays on record.
#[test]
fn log_deleted_while_open_is_noticed() {
    let home = Home::new();
    let mut log = home.evidence().open().unwrap();
    log.append(now(), None, &[], &[note("a"), note("b")]).unwrap();
    fs::remove_file(home.log()).unwrap();
    assert_eq!(log.append(now(), None, &[], &[note("c")]).unwrap(), [2]);
    assert_eq!(home.lines().len(), 1);
    assert!(!home.verify().ok());
}

/// A record that no reader could hold is refused before anything is written.
#[test]
fn oversized_record_is_refused() {
    let home = Home::with_notes(1);
    let mut log = home.evidence().open().unwrap();
    let error = log.append(now(), None, &[], &[note("ok"), note(&"x".repeat(MAX_LINE_BYTES))]).unwrap_err();
    assert!(matches!(error, JournalError::TooLarge { .. }), "{error}");
    assert_eq!(home.lines().len(), 1);
    assert_eq!(home.append(1), [1]);
}

/// When the file may not grow, the group is refused whole: no half line, a clear message, and it goes on later.
#[test]
fn write_that_stops_half_way_leaves_nothing() {
    let home = Home::with_notes(1);
    let child = example("journal_child");
    let append = format!("{} append {} p 100", child.display(), home.folder.path().display());
    let (code, output) = shell(&format!("trap '' XFSZ; ulimit -f 16; exec {append}"));
    assert_eq!(code, Some(1), "{output}");
    assert!(output.contains("error: append to") && output.contains("File too large"), "{output}");
    assert_only_acknowledged(&home, &output);
}

/// The same on a disk that is really full: a tmpfs of a few pages in a mount namespace of its own.
#[test]
fn full_disk_leaves_nothing_half_written() {
    let home = Home::new();
    let folder = home.folder.path().display();
    let mount = format!("mount -t tmpfs -o size=128k tmpfs {folder}");
    let (code, output) = shell(&format!("unshare -m sh -c '{mount}'"));
    if code != Some(0) {
        eprintln!("skipped: full_disk_leaves_nothing_half_written needs to mount a tmpfs: {output}");
        return;
    }
    let child = example("journal_child").display().to_string();
    let keep = tempfile::tempdir().unwrap();
    let script =
        format!("{mount} && {child} append {folder} p 1000; cp -r {folder}/. {}", keep.path().display());
    let (_, output) = shell(&format!("unshare -m sh -c '{script}'"));
    assert!(output.contains("the disk is full: free some space"), "{output}");
    let kept = Home { layout: mi_journal::Layout::new(keep.path()), folder: keep, project: home.project };
    assert_only_acknowledged(&kept, &output);
}

fn assert_only_acknowledged(home: &Home, output: &str) {
    assert!(fs::read(home.log()).unwrap().ends_with(b"\n"));
    let acknowledged =
        output.lines().filter(|line| line.starts_with(|letter: char| letter.is_ascii_digit())).count();
    assert!(acknowledged > 0, "{output}");
    let written = home.lines().iter().filter(|line| line.contains("\"run_id\":\"p")).count();
    assert_eq!(written, acknowledged);
    assert_eq!(home.append(1).len(), 1);
    assert!(home.verify().ok(), "{:?}", home.verify());
}

/// A folder that cannot be written gives one clear error; reading it works, torn tail, no index and all.
#[test]
fn read_only_home_can_be_read() {
    let home = Home::with_notes(3);
    fs::OpenOptions::new().append(true).open(home.log()).unwrap().write_all(b"{\"kind\":\"not").unwrap();
    let (folder, child) =
        (home.folder.path().display().to_string(), example("journal_child").display().to_string());
    let read_only = format!("{child} read {folder} p; {child} append {folder} p 1");
    let mount = format!("mount --bind {folder} {folder} && mount -o remount,bind,ro {folder}");
    let (code, output) = shell(&format!("unshare -m sh -c '{mount} && ({read_only}; true)'"));
    let output = if code == Some(0) { output } else { without_permission(&home, &read_only) };
    if output.starts_with("skipped") {
        eprintln!("{output}");
        return;
    }
    assert!(output.contains("tail 3 hits 3"), "{output}");
    assert!(output.contains("the last line is torn and was passed over"), "{output}");
    assert!(output.contains("error: open for appending") && output.contains("not writable"), "{output}");
}

/// For a user that may not mount: takes the permissions away, which only works if that user is not root.
fn without_permission(home: &Home, commands: &str) -> String {
    let paths = [home.log(), home.log().parent().unwrap().to_owned()];
    let modes: Vec<_> = paths.iter().map(|path| fs::metadata(path).unwrap().permissions()).collect();
    paths.iter().for_each(|path| fs::set_permissions(path, fs::Permissions::from_mode(0o555)).unwrap());
    let refused = fs::OpenOptions::new().append(true).open(home.log()).is_err();
    let output = shell(commands).1;
    paths.iter().zip(modes).for_each(|(path, mode)| fs::set_permissions(path, mode).unwrap());
    if refused {
        output
    } else {
        "skipped: read_only_home_can_be_read needs to mount or not to be root".to_owned()
    }
}

/// A folder where the log should be, and a file where a folder should be, are named with what to do.
#[test]
fn wrong_thing_in_the_way_is_named() {
    let home = Home::new();
    fs::create_dir_all(home.log()).unwrap();
    let error = home.evidence().open().unwrap_err().to_string();
    assert!(error.contains("evidence.jsonl` (a folder stands where a file should be"), "{error}");
    let other = Home::new();
    fs::write(other.folder.path().join("projects"), "").unwrap();
    let error = other.evidence().open().unwrap_err().to_string();
    assert!(
        error.contains("create the folder") && error.contains("a file stands where a folder should be"),
        "{error}"
    );
}

/// Processes killed at random instants lose nothing that they acknowledged (`kill_append N` does it N times).
#[test]
fn killed_writers_lose_no_acknowledged_record() {
    let (code, output) = shell(&format!("{} 20", example("kill_append").display()));
    assert_eq!(code, Some(0), "{output}");
    assert!(output.contains("0 lost"), "{output}");
}
