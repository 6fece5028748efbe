//! `dev/bench cel [ROUNDS]`: the same guards on the same state, evaluated by `mi-protocol` and by the `cel` crate.
//!
//! Both are compiled once and then only evaluated; neither may remember a result. Bar: mi is 10 times as fast on each
//! guard.

use anyhow::{Result, anyhow, ensure};
use mi_protocol::bench_support::Guard;
use std::{collections::HashMap, hint::black_box, sync::Arc, time::Instant};

/// Guards of the reference protocol and of the seed, as both languages spell them.
const GUARDS: [&str; 8] = [
    "state.gate_passed",
    "state.gate_passed && state.cumulative_duration >= state.minimum_duration",
    "state.validator_verdict == \"APPROVE\" && state.required_files_exist",
    "state.attempt_count <= 3",
    "state.validator_verdict in [\"APPROVE\", \"PENDING\"]",
    "state.tool_calls > 0 && (state.score == null || state.score >= 80.0)",
    "!(state.rejection_count > 2) || state.log_updated_after_phase",
    "state.cumulative_duration * 2.0 + 1.0 > state.minimum_duration / 3.0",
];

fn main() -> Result<()> {
    let rounds: u32 = std::env::args().skip(1).find_map(|text| text.parse().ok()).unwrap_or(200_000);
    let env = Arc::new(cel::Env::stdlib());
    let mut context = cel::Context::with_env(Arc::clone(&env));
    context.add_variable_from_value("state", state());
    println!("{rounds} evaluations of each guard, nanoseconds per evaluation\n");
    println!("| mi     | cel    | times  | guard |\n|--------|--------|--------|-------|");
    let mut least = f64::INFINITY;
    for text in GUARDS {
        let mut guard = Guard::compile(text).map_err(|error| anyhow!("{text}: {error}"))?;
        guard.set_all(&[
            ("gate_passed", "true"),
            ("cumulative_duration", "640.5"),
            ("minimum_duration", "600.0"),
            ("validator_verdict", "\"APPROVE\""),
            ("required_files_exist", "true"),
            ("tool_calls", "14"),
            ("rejection_count", "1"),
            ("score", "87.5"),
            ("log_updated_after_phase", "true"),
        ]);
        let program = env.compile(text).map_err(|error| anyhow!("{text}: {error:?}"))?;
        let theirs = program.execute(&context).map_err(|error| anyhow!("{text}: {error:?}"))?;
        ensure!(theirs == cel::Value::Bool(guard.holds()), "{text}: the answers differ: {theirs:?}");
        let (ours, theirs) = nanoseconds(
            rounds,
            || black_box(&guard).holds(),
            || black_box(&program).execute(&context).is_ok(),
        );
        least = least.min(theirs / ours);
        println!("| {ours:6.1} | {theirs:6.1} | {:6.1} | {text} |", theirs / ours);
    }
    println!("\nleast: {least:.1} times; bar: 10 times");
    Ok(())
}

/// The best of many short turns that both take one after the other, so that a busy machine disturbs both alike.
fn nanoseconds(rounds: u32, mut ours: impl FnMut() -> bool, mut theirs: impl FnMut() -> bool) -> (f64, f64) {
    const TURNS: u32 = 40;
    let each = (rounds / TURNS).max(1);
    let mut best = (f64::INFINITY, f64::INFINITY);
    for _ in 0..TURNS {
        best = (best.0.min(turn(each, &mut ours)), best.1.min(turn(each, &mut theirs)));
    }
    best
}

fn turn(rounds: u32, once: &mut impl FnMut() -> bool) -> f64 {
    let began = Instant::now();
    for _ in 0..rounds {
        black_box(once());
    }
    began.elapsed().as_secs_f64() * 1e9 / f64::from(rounds)
}

fn state() -> cel::Value {
    let entries: HashMap<String, cel::Value> = [
        ("gate_passed", cel::Value::Bool(true)),
        ("cumulative_duration", cel::Value::Float(640.5)),
        ("minimum_duration", cel::Value::Float(600.0)),
        ("validator_verdict", cel::Value::from("APPROVE")),
        ("required_files_exist", cel::Value::Bool(true)),
        ("attempt_count", cel::Value::Int(1)),
        ("tool_calls", cel::Value::Int(14)),
        ("rejection_count", cel::Value::Int(1)),
        ("score", cel::Value::Float(87.5)),
        ("log_updated_after_phase", cel::Value::Bool(true)),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value))
    .collect();
    cel::Value::from(entries)
}
