use std::{io::{BufRead, BufReader, BufWriter}, sync::Arc, time::Instant};
use std::fmt::Write as _;
use mi_protocol::Engine;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    if args[1] == "walk" { print!("{}", walk(args[2].parse().unwrap())); return; }
    if args[1] == "large" { print!("{}", large(args[2].parse().unwrap())); return; }
    let text = match args[2].strip_prefix("builtin:") { Some(n) => mi_protocol::shipped(n).unwrap().to_owned(), None => std::fs::read_to_string(&args[2]).unwrap() };
    let began = Instant::now();
    match args[1].as_str() {
        "check" => { let (loaded, unknown) = mi_protocol::check(text.as_bytes()); println!("{} problems {} unknown {:?}", loaded.problems.len(), unknown.len(), began.elapsed()); }
        mode => {
            let protocol = Arc::new(mi_protocol::load(text.as_bytes()).protocol.unwrap());
            let mut reader = BufReader::with_capacity(1 << 16, std::fs::File::open(&args[3]).unwrap());
            let mut out = BufWriter::with_capacity(1 << 16, std::fs::File::create("/dev/null").unwrap());
            let (mut line, mut count) = (Vec::new(), 0u64);
            if mode == "audit" {
                let mut audit = mi_protocol::audit::Audit::new(protocol);
                while reader.read_until(b'\n', &mut line).unwrap() > 0 { if let Some(t) = audit.record(&line) { std::io::Write::write_all(&mut out, t.as_bytes()).unwrap(); } count += 1; line.clear(); }
                audit.summary();
            } else {
                let mut engine = mi_protocol::Engine::new(protocol);
                while reader.read_until(b'\n', &mut line).unwrap() > 0 { if let Some(v) = engine.apply(&line) { std::io::Write::write_all(&mut out, v.to_json().as_bytes()).unwrap(); std::io::Write::write_all(&mut out, b"\n").unwrap(); } count += 1; line.clear(); }
            }
            let s = began.elapsed().as_secs_f64();
            let hwm = std::fs::read_to_string("/proc/self/status").unwrap().lines().find(|l| l.starts_with("VmHWM")).unwrap().to_owned();
            println!("{mode} {count} events {s:.3} s {:.0}/s {hwm}", count as f64 / s);
        }
    }
}
/// A walk through the reference protocol: phases begin and end, state changes, edges are asked, texts are said.
fn walk(count: u64) -> String {
    let text = mi_protocol::shipped("feature-delivery").unwrap();
    let protocol = mi_protocol::load(text.as_bytes()).protocol.unwrap();
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
    lines
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
            edge % 1000, edge / 10 + 1
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
