//! `cargo bench -p mi --bench stream [MB]`: memory and speed while 100 MB and MB (1,000) of ordinary agent output
//! stream through one batch, a flood of short lines, and one line of 50 MB.
//!
//! `cat` into a file stands beside it, for the speed of the machine. Bars: 32 MiB for streams, 40 MiB in a flood of
//! short lines, 64 MiB with the 50 MB line.
#![expect(clippy::print_stdout, reason = "a program for people")]
#![expect(clippy::disallowed_methods, reason = "it measures other programs")]

mod support;

use anyhow::{Context, Result, ensure};
use mi_test_support::{Scratch, TempHome, TempProject};
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Child,
    thread,
    time::{Duration, Instant},
};
use support::{MI, cpu_of_children, ms_each, print_table, program, size_or};

const MEGABYTE: usize = 1_000_000;
/// Often enough to see the peak of a process before it ends.
const LOOK_EVERY: Duration = Duration::from_millis(2);

fn main() -> Result<()> {
    let most = usize::try_from(size_or(1000))?;
    let scratch = Scratch::new("stream");
    let ordinary = block(&scratch, "ordinary.jsonl", ordinary_lines)?;
    let short = block(&scratch, "short.jsonl", short_lines)?;
    let long = scratch.write("long.jsonl", message(&"x".repeat(50 * MEGABYTE)) + "\n");
    let cases = [
        ("ordinary output", &ordinary, 100, "32"),
        ("ordinary output", &ordinary, most, "32"),
        ("flood of short lines", &short, 100.min(most), "40"),
        ("one line of 50 MB", &long, 1, "64"),
    ];
    let mut rows = Vec::new();
    for (name, file, times, bar) in cases {
        rows.push(row(name, file, times, bar, &scratch)?);
    }
    println!("one batch; memory is the peak (VmHWM) of each process\n");
    print_table(
        &["stream", "MB", "mi MiB", "supervisor MiB", "bar MiB", "s", "MB/s", "CPU s", "`cat > file` MB/s"],
        &rows,
    );
    Ok(())
}

fn row(name: &str, file: &Path, times: usize, bar: &str, scratch: &Scratch) -> Result<Vec<String>> {
    let megabytes = fs::metadata(file)?.len() as f64 * times as f64 / 1e6;
    let agent = format!(
        "printf '%s\\n' '{}' '{}'; i=0; while [ $i -lt {times} ]; do cat {}; i=$((i+1)); done; printf '%s\\n' '{}' '{}'",
        json!({"type": "thread.started", "thread_id": "t1"}),
        json!({"type": "turn.started"}),
        file.display(),
        message("All of it is printed."),
        json!({"type": "turn.completed", "usage": {"input_tokens": 1, "cached_input_tokens": 0, "output_tokens": 1}}),
    );
    let (home, project) = (TempHome::with_values("Prefer small changes."), TempProject::python());
    let cat_wall = cat(&agent, &home, &project, scratch)?;
    let (began, before) = (Instant::now(), cpu_of_children()?);
    let mut mi = program(MI, &home, project.path());
    mi.args([
        "run",
        "--json",
        "--mind",
        "rules",
        "--max-batches",
        "1",
        "--hands",
        &format!("exec:{agent}"),
        "Print it all",
    ]);
    let peaks = watch(mi.spawn()?)?;
    let (wall, cpu) = (began.elapsed().as_secs_f64(), cpu_of_children()? - before);
    ensure_kept(&home, &project, megabytes)?;
    Ok(vec![
        name.to_owned(),
        format!("{megabytes:.0}"),
        format!("{:.1}", peaks.mi as f64 / 1024.0),
        format!("{:.1}", peaks.supervisor as f64 / 1024.0),
        bar.to_owned(),
        format!("{wall:.1}"),
        format!("{:.0}", megabytes / wall),
        format!("{:.1}", ms_each(cpu, 1000)),
        format!("{:.0}", megabytes / cat_wall.as_secs_f64()),
    ])
}

/// The same agent through `cat` into a file.
fn cat(agent: &str, home: &TempHome, project: &TempProject, scratch: &Scratch) -> Result<Duration> {
    let copy = scratch.path().join("copy");
    let line = format!("{{ {agent}; }} | cat > {}", copy.display());
    let began = Instant::now();
    let status = program("/bin/sh", home, project.path()).args(["-c", &line]).status()?;
    let wall = began.elapsed();
    ensure!(status.success(), "cat ended with {status}");
    fs::remove_file(copy)?;
    Ok(wall)
}

#[derive(Default)]
struct Peaks {
    mi: u64,
    supervisor: u64,
}

/// Waits for the end and keeps the highest marks, in KiB.
fn watch(mut mi: Child) -> Result<Peaks> {
    let mut peaks = Peaks::default();
    loop {
        peaks.mi = peaks.mi.max(high_water(mi.id()).unwrap_or(0));
        let children =
            fs::read_to_string(format!("/proc/{0}/task/{0}/children", mi.id())).unwrap_or_default();
        for child in children.split_ascii_whitespace().filter_map(|id| id.parse().ok()) {
            peaks.supervisor = peaks.supervisor.max(high_water(child).unwrap_or(0));
        }
        if let Some(status) = mi.try_wait()? {
            ensure!(status.code() == Some(3), "mi run ended with {status}");
            return Ok(peaks);
        }
        thread::sleep(LOOK_EVERY);
    }
}

fn high_water(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

/// Speed counts for nothing if the transcript is not whole.
fn ensure_kept(home: &TempHome, project: &TempProject, megabytes: f64) -> Result<()> {
    let folder = mi_autopilot::Project::open(&home.path(), project.path())?.files.hands_transcripts();
    let transcript = fs::read_dir(&folder)?.next().context("there is a transcript")??;
    let kept = transcript.metadata()?.len() as f64 / 1e6;
    ensure!(kept >= megabytes, "{kept} MB of {megabytes} MB are in the transcript");
    Ok(())
}

/// A megabyte of lines in a file, for the agent to print again and again.
fn block(scratch: &Scratch, name: &str, lines: fn(usize) -> Vec<Value>) -> Result<PathBuf> {
    let mut text = String::new();
    for number in 0.. {
        for line in lines(number) {
            text.push_str(&format!("{line}\n"));
        }
        if text.len() >= MEGABYTE {
            break;
        }
    }
    Ok(scratch.write(name, text))
}

/// A command with some output, a change of a file, a thought, a message: from 100 bytes to 20 kB each.
fn ordinary_lines(number: usize) -> Vec<Value> {
    let command = format!("sed -n '1,200p' src/module_{number}.rs");
    let output = "    let value = compute(\"quoted\", 42)?; // 汉字 and a tab\t\n".repeat(number * 37 % 350);
    let item = |kind: &str, rest: Value| {
        let mut item = json!({"id": format!("item_{number}"), "type": kind});
        if let (Some(item), Value::Object(rest)) = (item.as_object_mut(), rest) {
            item.extend(rest);
        }
        item
    };
    let started =
        json!({"command": command, "aggregated_output": "", "exit_code": null, "status": "in_progress"});
    let ended =
        json!({"command": command, "aggregated_output": output, "exit_code": 0, "status": "completed"});
    let changes = json!({"changes": [{"path": format!("src/module_{number}.rs"), "kind": "update"}], "status": "completed"});
    vec![
        json!({"type": "item.completed", "item": item("reasoning", json!({"text": "I look at the next module before I change it."}))}),
        json!({"type": "item.started", "item": item("command_execution", started)}),
        json!({"type": "item.completed", "item": item("command_execution", ended)}),
        json!({"type": "item.completed", "item": item("file_change", changes)}),
    ]
}

fn short_lines(_: usize) -> Vec<Value> {
    vec![
        json!({"type": "item.completed", "item": {"id": "item_0", "type": "reasoning", "text": "still thinking"}}),
    ]
}

fn message(text: &str) -> String {
    json!({"type": "item.completed", "item": {"id": "item_m", "type": "agent_message", "text": text}})
        .to_string()
}
