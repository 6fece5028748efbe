//! For tests and measurements: a supervisor, a program that floods, and one batch in a process of its own.
//!
//! `run TRANSCRIPT raw|digest COMMAND` runs a batch and prints how it ended and what it cost as one JSON object;
//! `emit KIND BYTES` prints a stream of that kind.

use mi_formats::AgentEvent;
use mi_hands::{BatchLimits, BatchOrder, Exec, Hands, Observer, Verdict};
use mi_model::{Timestamp, Usage};
use mi_process::{Environment, SUPERVISE, Spawner, Stopwatch, supervisor_main};
use std::{
    ffi::OsString,
    io::{BufWriter, Write},
    path::PathBuf,
    process::ExitCode,
};

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    let word = args.next();
    if word.as_deref() == Some(SUPERVISE.as_ref()) {
        return supervisor_main();
    }
    let rest: Vec<OsString> = args.collect();
    let text = |index: usize| rest.get(index).and_then(|arg| arg.to_str()).unwrap_or_default().to_owned();
    match word.as_ref().and_then(|word| word.to_str()) {
        Some("run") => run(PathBuf::from(text(0)), text(1) == "raw", text(2)),
        // A reader that has enough closes the pipe.
        Some("emit") => emit(&text(0), text(1).parse().unwrap_or(0)).unwrap_or_default(),
        _ => return ExitCode::from(2),
    }
    ExitCode::SUCCESS
}

#[derive(Default)]
struct Counter {
    events: u64,
    last_exit_code: Option<i32>,
}

impl Observer for Counter {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_770_000_000_000)
    }

    fn event(&mut self, event: &AgentEvent) -> Verdict {
        self.events += 1;
        if let AgentEvent::CommandFinished { exit_code, .. } = event {
            self.last_exit_code = *exit_code;
        }
        Verdict::Continue
    }

    fn woken(&mut self) -> Verdict {
        Verdict::Stop
    }
}

#[expect(clippy::print_stdout, reason = "this is the report")]
fn run(transcript_path: PathBuf, store_raw: bool, command: String) {
    let spawner = Spawner::new(std::env::current_exe().expect("a running program has a path"));
    let environment = Environment::Inherit { set: Vec::new(), remove: Vec::new() };
    let order = BatchOrder {
        batch_index: 0,
        prompt: "go".to_owned(),
        thread_id: None,
        thread_usage: Usage::default(),
        cwd: "/".into(),
        read_only: false,
        transcript_path,
        store_raw,
        limits: BatchLimits { idle: None, total: None },
        stop_steps: Vec::new(),
        wake: None,
    };
    let mut counter = Counter::default();
    let watch = Stopwatch::start();
    let end = Exec::new(spawner, command, environment).run_batch(&order, &mut counter).expect("a batch");
    let report = serde_json::json!({
        "ending": format!("{:?}", end.ending),
        "bytes": end.transcript.bytes,
        "events": counter.events,
        "unknown_events": end.unknown_events,
        "last_exit_code": counter.last_exit_code,
        "seconds": watch.elapsed().as_secs_f64(),
        "peak_rss_kib": peak_rss_kib(),
    });
    println!("{report}");
}

fn peak_rss_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

fn emit(kind: &str, bytes: usize) -> std::io::Result<()> {
    let mut out = BufWriter::with_capacity(256 * 1024, std::io::stdout().lock());
    match kind {
        "line" => emit_long_line(&mut out, bytes),
        "events" => repeat(&mut out, &event(&"test result: ok\\n".repeat(120)), bytes),
        "small" => repeat(&mut out, &event("ok"), bytes),
        _ => repeat(&mut out, "some text that is no event, of the length of a usual line of output\n", bytes),
    }
}

fn event(output: &str) -> String {
    format!(
        "{{\"type\":\"item.completed\",\"item\":{{\"id\":\"item_1\",\"type\":\"command_execution\",\
         \"command\":\"/bin/bash -lc 'cargo test'\",\"aggregated_output\":\"{output}\",\"exit_code\":0,\
         \"status\":\"completed\"}}}}\n"
    )
}

fn repeat(out: &mut impl Write, line: &str, bytes: usize) -> std::io::Result<()> {
    for _ in 0..bytes / line.len() {
        out.write_all(line.as_bytes())?;
    }
    out.flush()
}

/// One event of this many bytes, with its exit code behind its output.
fn emit_long_line(out: &mut impl Write, bytes: usize) -> std::io::Result<()> {
    out.write_all(b"{\"type\":\"item.completed\",\"item\":{\"id\":\"a\",\"type\":\"command_execution\",")?;
    out.write_all(b"\"command\":\"make\",\"aggregated_output\":\"")?;
    for _ in 0..bytes / 16 {
        out.write_all(b"0123456789 abc\\n")?;
    }
    out.write_all(b"\",\"exit_code\":7,\"status\":\"failed\"}}\n")?;
    out.flush()
}
