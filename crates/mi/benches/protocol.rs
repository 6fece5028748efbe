//! `cargo bench -p mi --bench protocol [EVENTS]`: the protocol engine as a person meets it: whole processes, wall clock.
//!
//! Bars: 200,000 events a second on the 146-edge protocol with 20 policies and 20 invariants (`simulate --json`, traces
//! included), 300 ms to load and check 10,000 edges, 64 MiB for the audit of 1,000,000 events, growing linearly.
//! `dev/bench protocol` also runs the comparison with the `cel` crate, which lives outside of the workspace.
#![expect(clippy::print_stdout, reason = "a program for people")]
#![expect(clippy::disallowed_methods, reason = "it measures other programs")]

mod support;

use anyhow::{Context, Result, ensure};
use mi_protocol::Engine;
use mi_test_support::{Scratch, TempHome};
use std::{
    fmt::Write as _,
    fs,
    path::Path,
    process::Stdio,
    sync::Arc,
    time::{Duration, Instant},
};
use support::{MI, print_table, program, size_or};

fn main() -> Result<()> {
    let most = size_or(1_000_000);
    let (home, scratch) = (TempHome::new(), Scratch::new("protocol-bench"));
    let file =
        scratch.write("reference.yaml", mi_protocol::shipped("feature-delivery").context("it is shipped")?);
    let events = scratch.write("events.jsonl", walk(most)?);
    simulate(&home, &file, &events, most)?;
    check(&home, &scratch)?;
    audit(&home, &scratch, &file, &events, most)
}

fn simulate(home: &TempHome, file: &Path, events: &Path, count: u64) -> Result<()> {
    let mut best = f64::INFINITY;
    for _ in 0..3 {
        let (wall, _) = run(home, &["simulate", "--json"], &[file, events])?;
        best = best.min(wall.as_secs_f64());
    }
    println!("simulate --json, 146 edges, 20 policies, 20 invariants, best of 3\n");
    let row = vec![
        count.to_string(),
        format!("{best:.2}"),
        format!("{:.0}", count as f64 / best),
        "200000".to_owned(),
    ];
    print_table(&["events", "s", "events/s", "bar"], &[row]);
    Ok(())
}

fn check(home: &TempHome, scratch: &Scratch) -> Result<()> {
    let mut rows = Vec::new();
    for edges in [2_500, 5_000, 10_000] {
        let file = scratch.write("large.yaml", large(edges));
        let mut best = f64::INFINITY;
        for _ in 0..5 {
            let (wall, _) = run(home, &["check", "--json"], &[&file])?;
            best = best.min(wall.as_secs_f64() * 1e3);
        }
        rows.push(vec![edges.to_string(), format!("{best:.0}"), "300 at 10000".to_owned()]);
    }
    println!("check --json, every guard another one, best of 5\n");
    print_table(&["edges", "ms", "bar ms"], &rows);
    Ok(())
}

fn audit(home: &TempHome, scratch: &Scratch, file: &Path, events: &Path, most: u64) -> Result<()> {
    let text = fs::read_to_string(events)?;
    let mut rows = Vec::new();
    for part in [4, 2, 1] {
        let count = usize::try_from(most / part)?;
        let bytes: usize = text.split_inclusive('\n').take(count).map(str::len).sum();
        let events = scratch.write("part.jsonl", &text[..bytes]);
        let (wall, peak) = run(home, &["audit", "--json"], &[file, &events])?;
        let seconds = wall.as_secs_f64();
        rows.push(vec![
            count.to_string(),
            format!("{:.1}", peak as f64 / 1024.0),
            "64".to_owned(),
            format!("{seconds:.2}"),
            format!("{:.2}", seconds * 1e6 / count as f64),
        ]);
    }
    println!("audit --json, full report to /dev/null\n");
    print_table(&["events", "peak MiB", "bar MiB", "s", "µs/event"], &rows);
    Ok(())
}

/// Runs `mi protocol …`; wall clock and the peak of its memory in KiB.
fn run(home: &TempHome, words: &[&str], files: &[&Path]) -> Result<(Duration, u64)> {
    let mut mi = program(MI, home, Path::new("/"));
    mi.arg("protocol").args(words).args(files).stderr(Stdio::inherit());
    let began = Instant::now();
    let mut child = mi.spawn()?;
    let mut peak = 0;
    let status = loop {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse().ok());
        peak = peak.max(kib.unwrap_or(0));
        if let Some(status) = child.try_wait()? {
            break status;
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    let wall = began.elapsed();
    ensure!(status.success(), "mi protocol {words:?} ended with {status}");
    Ok((wall, peak))
}

/// A walk through the reference protocol: phases begin and end, state changes, edges are asked, texts are said.
fn walk(count: u64) -> Result<String> {
    let text = mi_protocol::shipped("feature-delivery").context("it is shipped")?;
    let protocol = mi_protocol::load(text.as_bytes()).protocol.context("it loads")?;
    let protocol = Arc::new(protocol);
    let mut engine = Engine::new(Arc::clone(&protocol));
    let mut dice = Dice(42);
    let mut lines = String::new();
    for _ in 0..count {
        let node = engine.node().to_owned();
        let line = match dice.below(10) {
            0 => format!("{{\"type\":\"phase_start\",\"phase\":\"{node}\",\"set\":{{\"minimum_duration\":60}}}}"),
            1 => format!("{{\"type\":\"phase_end\",\"phase\":\"{node}\",\"set\":{{\"log_updated_after_phase\":true}}}}"),
            2 => "{\"type\":\"said\",\"actor\":\"worker\",\"text\":\"The tests pass; I go on with the next step.\"}".to_owned(),
            3 => "{\"type\":\"access\",\"actor\":\"worker\",\"path\":\"src/lib.rs\",\"mode\":\"read\"}".to_owned(),
            4 => format!(
                "{{\"type\":\"update\",\"set\":{{\"cumulative_duration\":{},\"gate_passed\":true,\"tool_calls\":{},\"validator_verdict\":\"APPROVE\",\"required_files_exist\":true}}}}",
                dice.below(3600), dice.below(50)
            ),
            5 => "{\"type\":\"tick\"}".to_owned(),
            _ => {
                let ways: Vec<&str> =
                    engine.outgoing().filter(|edge| !protocol.nodes[edge.to].is_end).map(|edge| &*edge.id).collect();
                match ways.get(dice.below(ways.len().max(1) as u64) as usize) {
                    Some(edge) => format!("{{\"type\":\"transition\",\"edge\":\"{edge}\"}}"),
                    None => "{\"type\":\"update\"}".to_owned(),
                }
            }
        };
        engine.apply(line.as_bytes());
        lines.push_str(&line);
        lines.push('\n');
    }
    Ok(lines)
}

/// A protocol of so many edges over a fifth as many nodes; no two guards are the same.
fn large(edges: usize) -> String {
    let nodes = edges / 5;
    let mut text = String::from("version: 1\nname: large\nstart: N0\nnodes:\n");
    for node in 0..nodes {
        let _ = writeln!(text, "  - {{ id: N{node}, kind: phase, title: 'Node {node}' }}");
    }
    text.push_str("  - { id: END, kind: end }\nedges:\n");
    let mut dice = Dice(7);
    for edge in 0..edges {
        let (from, to) = (edge % nodes, dice.below(nodes as u64));
        let to = if edge % 97 == 0 { "END".to_owned() } else { format!("N{to}") };
        let class = ["Progress", "Gate", "Decision", "Loop"][edge % 4];
        let _ = writeln!(
            text,
            "  - id: E{edge}\n    from: N{from}\n    to: {to}\n    class: {class}\n    guard_expr: 'state.gate_passed && state.tool_calls > {} && state.attempt_count <= {}'\n    guard_type: numeric\n    on_guard_fail: block",
            edge % 1000,
            edge / 10 + 1
        );
    }
    text
}

/// Numbers that are the same every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most.max(1)
    }
}
