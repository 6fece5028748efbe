//! `cargo bench -p mi --bench admission [ROUNDS]`: how long one admission takes once the policies are loaded.
//!
//! Bar: 1 ms warm. Loading (once per start) and a whole `mi box admit` from start to exit stand beside it.
#![expect(clippy::print_stdout, reason = "a program for people")]
#![expect(clippy::disallowed_methods, reason = "it measures other programs")]

mod support;

use anyhow::{Result, ensure};
use mi_admission::{Exceptions, Policies, RunSpec, admit};
use mi_model::Timestamp;
use mi_test_support::TempHome;
use std::time::{Duration, Instant};
use support::{ms_each, print_table, program, size_or};

fn main() -> Result<()> {
    let rounds = size_or(2_000);
    let now = Timestamp::from_millis(1_770_000_000_000);
    let policies = Policies::builtin();
    let good = RunSpec::example().to_json();
    let bad = good.replace("\"none\"", "\"host\"").replace(": 256", ": \"256\"");
    let judge = |text: &str, wanted: bool| -> Result<()> {
        let verdict = admit(text.as_bytes(), &policies, &Exceptions::none(), now);
        ensure!(verdict.is_admitted() == wanted, "an unexpected verdict: {verdict:?}");
        Ok(())
    };
    judge(&good, true)?;
    let mut rows = Vec::new();
    rows.push(row("a good request", &times(rounds, || judge(&good, true))?));
    rows.push(row("a bad request", &times(rounds, || judge(&bad, false))?));
    rows.push(row(
        "load the policies, and a good request",
        &times(rounds.min(200), || {
            let verdict = admit(good.as_bytes(), &Policies::builtin(), &Exceptions::none(), now);
            ensure!(verdict.is_admitted(), "an unexpected verdict: {verdict:?}");
            Ok(())
        })?,
    ));
    let home = TempHome::new();
    let file = home.write("spec.json", &good);
    let file = file.display().to_string();
    let whole = times(rounds.min(100), || {
        let status = program(support::MI, &home, &home.path()).args(["admit", "--json", &file]).status()?;
        ensure!(status.success(), "mi box admit failed");
        Ok(())
    })?;
    rows.push(row("mi box admit, start to exit", &whole));
    println!("admission; bar: 1 ms warm for a good request\n");
    print_table(&["what", "rounds", "median ms", "p95 ms"], &rows);
    Ok(())
}

fn times(rounds: u64, mut what: impl FnMut() -> Result<()>) -> Result<Vec<Duration>> {
    let mut times = Vec::new();
    for _ in 0..rounds {
        let start = Instant::now();
        what()?;
        times.push(start.elapsed());
    }
    times.sort();
    Ok(times)
}

fn row(what: &str, times: &[Duration]) -> Vec<String> {
    let at = |share: usize| {
        let time = times[(times.len() * share / 100).min(times.len() - 1)];
        format!("{:.3}", ms_each(time, 1))
    };
    vec![what.to_owned(), times.len().to_string(), at(50), at(95)]
}
