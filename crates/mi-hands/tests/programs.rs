//! `exec:` with programs that behave badly in every way a program can.

#![allow(clippy::unwrap_used, reason = "helpers of tests may panic as tests do")]

mod common;

use common::{DRIVER, Memory, entries, environment, folder, order, spawner};
use mi_formats::AgentEvent;
use mi_hands::{BatchEnd, BatchLimits, BatchOrder, Ending, Exec, Hands, HandsError};
use mi_model::{Usage, sha256_hex};
use mi_process::{ExitStatus, Stopwatch};
use serde_json::json;
use std::{os::fd::AsFd, process::Command, time::Duration};

const TS: &str = "2026-02-02T02:40:00.000Z";

fn run(command: &str, order: &BatchOrder<'_>, memory: &mut Memory) -> BatchEnd {
    Exec::new(spawner(), command, environment()).run_batch(order, memory).unwrap()
}

fn died(message: &str) -> Ending {
    Ending::Died { message: message.to_owned() }
}

/// Plain text: the prompt is read, the lines are stored as they came, the text is the message.
#[test]
fn plain_program_is_an_agent() {
    let home = folder();
    let order = order(home.path(), "do it");
    let mut memory = Memory::default();
    let end = run("cat; echo; echo \"batch $MI_BATCH\" >&2; printf '汉\\t\"x\"\\\\'", &order, &mut memory);
    assert_eq!((&end.ending, end.exit), (&Ending::Completed, Some(ExitStatus::Code(0))));
    assert_eq!(memory.messages(), ["do it\n汉\t\"x\"\\"]);
    assert_eq!(end.stderr_tail, "batch 0\n");
    let mut stored = entries(&order.transcript_path);
    stored.sort_by_key(|entry| entry["stream"].as_str().unwrap().to_owned());
    let expected = [
        json!({"ts": TS, "stream": "stderr", "line": "batch 0"}),
        json!({"ts": TS, "stream": "stdout", "line": "do it"}),
        json!({"ts": TS, "stream": "stdout", "line": "汉\t\"x\"\\", "eol": false}),
    ];
    assert_eq!(stored, expected);
    let bytes = std::fs::read(&order.transcript_path).unwrap();
    assert_eq!((end.transcript.bytes, end.transcript.sha256), (bytes.len() as u64, sha256_hex(&bytes)));
}

/// Every way to end, and what it is called.
#[test]
fn endings_are_told_apart() {
    let started = r#"echo '{"type":"thread.started","thread_id":"t1"}'"#;
    let completed = r#"echo '{"type":"turn.completed","usage":{"input_tokens":5}}'"#;
    let failed = r#"echo '{"type":"turn.failed","error":{"message":"no credit"}}'"#;
    let cases = [
        ("exit 3".to_owned(), died("the program ended with exit code 3")),
        ("echo 'last words' >&2; kill -9 $$".to_owned(), died("the program ended with signal 9: last words")),
        (format!("{started}; {completed}"), Ending::Completed),
        (format!("{started}; {completed}; exit 1"), died("the program ended with exit code 1")),
        (started.to_owned(), died("the program ended before its turn did")),
        (format!("{started}; {failed}"), Ending::Failed { message: "no credit".to_owned() }),
        ("exec <&-; echo did not read".to_owned(), Ending::Completed),
        ("exit 0".to_owned(), Ending::Completed),
    ];
    let home = folder();
    for (command, expected) in cases {
        let order = order(home.path(), &"long prompt ".repeat(100_000));
        assert_eq!(run(&command, &order, &mut Memory::default()).ending, expected, "{command}");
    }
}

/// Unknown events and broken lines are kept and counted, and nothing else happens.
#[test]
fn unknown_events_are_counted() {
    let home = folder();
    let order = order(home.path(), "");
    let mut memory = Memory::default();
    let command = r#"printf '%s\n' '{"type":"thread.started","thread_id":"t1"}' '{"type":"item.exploded"}' \
        '{"type":"x"}' '{"half' '{"type":"turn.completed"}'"#;
    let end = run(command, &order, &mut memory);
    assert_eq!((end.ending, end.unknown_events), (Ending::Completed, 2));
    assert_eq!(end.event_types.get("item.exploded"), Some(&1));
    assert_eq!(end.thread_id.as_deref(), Some("t1"));
    assert_eq!(memory.messages(), ["{\"half"]);
    assert_eq!(entries(&order.transcript_path).len(), 5);
}

/// Usage is a sum over the conversation: what earlier batches of it used is taken off.
#[test]
fn usage_of_earlier_batches_is_subtracted() {
    let home = folder();
    let earlier = Usage { input_tokens: 100, output_tokens: 10, ..Usage::default() };
    let sum = Usage { input_tokens: 130, output_tokens: 12, ..Usage::default() };
    let own = Usage { input_tokens: 30, output_tokens: 2, ..Usage::default() };
    let command = r#"echo '{"type":"thread.started","thread_id":"t1"}'
        echo '{"type":"turn.completed","usage":{"input_tokens":130,"output_tokens":12}}'"#;
    for (thread, expected) in [(Some("t1"), own), (Some("t0"), sum), (None, sum)] {
        let base = order(home.path(), "");
        let order = BatchOrder { thread_id: thread.map(str::to_owned), thread_usage: earlier, ..base };
        let end = run(command, &order, &mut Memory::default());
        assert_eq!((end.usage, end.thread_usage), (expected, sum), "{thread:?}");
    }
    let silent = BatchOrder { thread_id: Some("t1".into()), thread_usage: earlier, ..order(home.path(), "") };
    let end = run("echo \"$MI_THREAD_ID\"", &silent, &mut Memory::default());
    assert_eq!((end.usage, end.thread_usage, end.thread_id), (Usage::default(), earlier, Some("t1".into())));
}

/// Bytes that are no UTF-8 are kept as they are, besides a form that people can read.
#[test]
fn invalid_utf8_is_kept() {
    let home = folder();
    let order = order(home.path(), "");
    let end = run(r"printf 'a\377b\n'; printf '\303' >&2", &order, &mut Memory::default());
    assert_eq!(end.ending, Ending::Completed);
    let mut stored = entries(&order.transcript_path);
    stored.sort_by_key(|entry| entry["stream"].as_str().unwrap().to_owned());
    let expected = [
        json!({"ts": TS, "stream": "stderr", "line": "\u{FFFD}", "base64": "ww==", "eol": false}),
        json!({"ts": TS, "stream": "stdout", "line": "a\u{FFFD}b", "base64": "Yf9i"}),
    ];
    assert_eq!(stored, expected);
}

/// A program that goes silent is stopped at the idle limit; one that talks for ever, at the total limit.
#[test]
fn hanging_programs_are_stopped() {
    let home = folder();
    let limits =
        BatchLimits { idle: Some(Duration::from_millis(400)), total: Some(Duration::from_millis(1500)) };
    let cases = [
        ("echo hi; sleep 60", "no output for 400ms: hands.idle_timeout"),
        ("while :; do echo hi; sleep 0.05; done", "still running after 1.5s: the time limit of a batch"),
        ("yes", "still running after 1.5s: the time limit of a batch"),
        ("trap '' INT TERM; echo hi; sleep 60; sleep 60", "no output for 400ms: hands.idle_timeout"),
    ];
    for (command, message) in cases {
        let order = BatchOrder { limits, ..order(home.path(), "") };
        let watch = Stopwatch::start();
        let end = run(command, &order, &mut Memory::default());
        assert_eq!(end.ending, Ending::TimedOut { message: message.to_owned() }, "{command}");
        assert!(watch.elapsed() < Duration::from_secs(4), "{command}: {:?}", watch.elapsed());
    }
}

/// An agent that said that its turn is complete and then does not leave is done all the same.
#[test]
fn finished_turn_counts_even_if_the_process_stays() {
    let home = folder();
    let limits = BatchLimits { idle: Some(Duration::from_millis(300)), total: None };
    let order = BatchOrder { limits, ..order(home.path(), "") };
    let command = r#"echo '{"type":"turn.completed"}'; exec sleep 60"#;
    let end = run(command, &order, &mut Memory::default());
    assert_eq!((end.ending, end.exit), (Ending::Completed, Some(ExitStatus::Signal(2))));
}

/// A risky command is judged from its start event, while it runs.
#[test]
fn interrupt_comes_while_the_command_runs() {
    let home = folder();
    let order = order(home.path(), "");
    let mut memory = Memory { interrupt_at: Some("git push".to_owned()), ..Memory::default() };
    let command = r#"trap 'echo interrupted; exit 1' INT
        echo '{"type":"item.started","item":{"id":"1","type":"command_execution","command":"git push"}}'
        sleep 60 & wait; echo not reached"#;
    let watch = Stopwatch::start();
    let end = run(command, &order, &mut memory);
    let expected = Ending::Interrupted { command: "git push".to_owned(), reason: "test".to_owned() };
    assert_eq!(end.ending, expected);
    assert_eq!(memory.messages(), ["interrupted"]);
    assert!(watch.elapsed() < Duration::from_secs(3));
}

/// The person's word, given through the wake descriptor, stops the batch; said twice, at once.
#[test]
fn wake_stops_the_batch() {
    let home = folder();
    let (reader, writer) = std::os::unix::net::UnixStream::pair().unwrap();
    std::io::Write::write_all(&mut &writer, b"!").unwrap();
    let order = BatchOrder { wake: Some(reader.as_fd()), ..order(home.path(), "") };
    let end = run("trap '' INT TERM; yes & sleep 60", &order, &mut Memory::default());
    assert_eq!(end.ending, Ending::Stopped);
}

/// Without raw storage only digests and normalised events are on disk.
#[test]
fn digests_replace_lines_when_asked_for() {
    let home = folder();
    let transcript_path = home.path().join("transcripts/t.jsonl");
    let order = BatchOrder { store_raw: false, transcript_path, ..order(home.path(), "") };
    let command = r#"echo '{"type":"turn.started"}'; echo 'secret words'; head -c 3000000 /dev/zero"#;
    run(command, &order, &mut Memory::default());
    let (events, digests): (Vec<_>, Vec<_>) =
        entries(&order.transcript_path).into_iter().partition(|entry| entry.get("event").is_some());
    let digest =
        |line: &[u8]| json!({"ts": TS, "stream": "stdout", "sha256": sha256_hex(line), "bytes": line.len()});
    let mut half = digest(&[0; 3_000_000]);
    half["eol"] = json!(false);
    assert_eq!(digests, [digest(br#"{"type":"turn.started"}"#), digest(b"secret words"), half]);
    assert_eq!(events[0], json!({"ts": TS, "event": {"event": "turn_started"}}));
    assert_eq!((events.len(), &events[1]["event"]["event"]), (2, &json!("message")));
    assert_eq!(std::fs::read_dir(order.transcript_path.parent().unwrap()).unwrap().count(), 1);
}

/// What a program leaves behind in a session of its own does not outlive the batch.
#[test]
fn grandchildren_are_swept() {
    let home = folder();
    let order = order(home.path(), "");
    let marker = home.path().file_name().unwrap().to_str().unwrap();
    let command = format!("setsid sh -c 'sleep 300; : {marker}' & echo started");
    assert_eq!(run(&command, &order, &mut Memory::default()).ending, Ending::Completed);
    assert_eq!(processes_with(marker), 0);
}

fn processes_with(marker: &str) -> usize {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let has_it = |path: std::path::PathBuf| {
        std::fs::read(path.join("cmdline")).is_ok_and(|line| String::from_utf8_lossy(&line).contains(marker))
    };
    entries.filter(|entry| has_it(entry.path())).count()
}

/// A transcript that is there already is not touched, and a missing folder for the work is said.
#[test]
fn what_cannot_be_stored_is_not_started() {
    let home = folder();
    let good = order(home.path(), "");
    std::fs::create_dir_all(good.transcript_path.parent().unwrap()).unwrap();
    std::fs::write(&good.transcript_path, "old").unwrap();
    let mut exec = Exec::new(spawner(), "touch started", environment());
    let error = exec.run_batch(&good, &mut Memory::default()).unwrap_err();
    assert!(matches!(error, HandsError::Transcript { .. }), "{error}");
    assert!(!home.path().join("started").exists());
    assert_eq!(std::fs::read(&good.transcript_path).unwrap(), b"old");

    let gone = order(&home.path().join("gone"), "");
    let error = exec.run_batch(&gone, &mut Memory::default()).unwrap_err();
    assert!(error.to_string().contains("is not there"), "{error}");
    assert!(!gone.transcript_path.exists());
}

/// Runs a batch in a process of its own and returns its report.
#[expect(clippy::disallowed_methods, reason = "memory is measured in a process of its own")]
fn report(transcript: &std::path::Path, storage: &str, command: &str) -> serde_json::Value {
    let output = Command::new(DRIVER)
        .args(["run".as_ref(), transcript.as_os_str()])
        .args([storage, command])
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
}

/// A hundred megabytes on each stream at once: all of it stored, in little memory.
#[test]
fn flood_on_both_streams_is_stored_in_little_memory() {
    let home = folder();
    let path = home.path().join("t.jsonl");
    let command = format!("{DRIVER} emit text 100000000 >&2 & {DRIVER} emit events 100000000; wait");
    let report = report(&path, "raw", &command);
    assert!(report["peak_rss_kib"].as_u64().unwrap() < 32 * 1024, "{report}");
    assert!(report["bytes"].as_u64().unwrap() > 200_000_000, "{report}");
    assert_eq!(report["last_exit_code"], 0);
}

/// One line of 50 MB is one object, and the exit code behind it is read; standard error flows meanwhile.
#[test]
fn line_of_50_megabytes_is_one_object() {
    let home = folder();
    let path = home.path().join("t.jsonl");
    let command = format!("{DRIVER} emit text 2000000 >&2 & {DRIVER} emit line 50000000; wait");
    let report = report(&path, "raw", &command);
    assert!(report["peak_rss_kib"].as_u64().unwrap() < 32 * 1024, "{report}");
    assert_eq!((&report["last_exit_code"], &report["events"]), (&json!(7), &json!(1)));
    let stored = entries(&path);
    let lines: Vec<&str> = stored
        .iter()
        .filter(|entry| entry["stream"] == "stdout")
        .map(|entry| entry["line"].as_str().unwrap())
        .collect();
    assert_eq!(lines.len(), 1);
    let event: serde_json::Value = serde_json::from_str(lines[0]).unwrap();
    assert_eq!(event["item"]["aggregated_output"].as_str().unwrap().len(), 50_000_000 / 16 * 15);
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 1, "the side file is gone");
}

/// Long lines that are no JSON, or JSON without end, or no UTF-8, are stored whole and cost no memory.
#[test]
fn long_lines_of_any_kind_are_bounded() {
    let cases = [
        ("head -c 12000000 /dev/zero | tr '\\0' x", 12_000_000, false),
        ("printf '{\"a\":['; head -c 12000000 /dev/zero | tr '\\0' 1; echo", 12_000_006, false),
        ("head -c 12000000 /dev/zero | tr '\\0' '\\377'", 12_000_000, true),
    ];
    for (command, bytes, has_base64) in cases {
        let home = folder();
        let path = home.path().join("t.jsonl");
        let report = report(&path, "raw", command);
        assert!(report["peak_rss_kib"].as_u64().unwrap() < 40 * 1024, "{command}: {report}");
        let stored = entries(&path);
        assert_eq!(stored.len(), 1, "{command}");
        assert_eq!(stored[0]["line"].as_str().unwrap().chars().count(), bytes, "{command}");
        assert_eq!(stored[0].get("base64").is_some(), has_base64);
    }
}

/// After SIGKILL of the owner the agent is gone, and every line it had finished is in the transcript.
#[test]
#[expect(clippy::disallowed_methods, reason = "the test needs an owner that it can kill")]
fn killed_owner_leaves_its_transcript_and_no_agent() {
    let home = folder();
    let path = home.path().join("t.jsonl");
    let marker = home.path().file_name().unwrap().to_str().unwrap();
    let command = format!("trap '' INT; echo one; echo two; setsid sleep 300 & sleep 301; : {marker}");
    let mut owner = Command::new(DRIVER)
        .args(["run".as_ref(), path.as_os_str()])
        .args(["raw", &command])
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let watch = Stopwatch::start();
    let has_both = |text: Vec<u8>| text.iter().filter(|byte| **byte == b'\n').count() == 2;
    while !std::fs::read(&path).is_ok_and(has_both) {
        assert!(watch.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(10));
    }
    owner.kill().unwrap();
    owner.wait().unwrap();
    let watch = Stopwatch::start();
    while processes_with(marker) > 0 {
        assert!(watch.elapsed() < Duration::from_secs(2), "something lives");
        std::thread::sleep(Duration::from_millis(20));
    }
    let lines: Vec<_> = entries(&path).iter().map(|entry| entry["line"].clone()).collect();
    assert_eq!(lines, ["one", "two"]);
}

/// The event of a started command reaches the observer while the program still runs.
#[test]
fn events_arrive_as_they_happen() {
    let home = folder();
    let order = order(home.path(), "");
    let mut memory = Memory::default();
    run(r#"echo '{"type":"turn.started"}'; exit 0"#, &order, &mut memory);
    assert_eq!(memory.events, [AgentEvent::TurnStarted]);
}
