//! Prints how long the analysis of ordinary commands takes.
#![allow(clippy::print_stdout, reason = "an example talks to a person")]
#![allow(clippy::disallowed_methods, reason = "an example measures")]

use std::time::Instant;

use mi_gate::command::{analyze, risk};

fn main() {
    let list: Vec<String> =
        include_str!("../tests/data/ordinary.txt").lines().map(|line| line.replace('⏎', "\n")).collect();
    for script in &list {
        risk(&analyze(script));
    }
    let mut times = Vec::new();
    let mut risk_times = Vec::new();
    for _ in 0..50 {
        for script in &list {
            let start = Instant::now();
            let analysis = analyze(script);
            times.push(start.elapsed());
            let start = Instant::now();
            std::hint::black_box(risk(&analysis));
            risk_times.push(start.elapsed());
        }
    }
    for (name, mut times) in [("analyze", times), ("risk", risk_times)] {
        times.sort_unstable();
        let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
        println!(
            "{name}: median {:?}, 90 % {:?}, 99 % {:?} over {} calls",
            at(0.5),
            at(0.9),
            at(0.99),
            times.len()
        );
    }
}
