//! `cargo bench -p mi --bench boot [CARDS]`: how long `mi boot` takes from start to exit with CARDS (10,000) cards and
//! 2,000 session logs: the first time, when every card is read, and afterwards.
//!
//! A program that only exits runs in the same round. Bar: 60 ms.
#![expect(clippy::print_stdout, reason = "a program for people")]
#![expect(clippy::disallowed_methods, reason = "it measures other programs")]

mod support;

use anyhow::{Result, ensure};
use mi_test_support::{Scratch, TempHome};
use std::{
    fs,
    time::{Duration, Instant},
};
use support::{MI, ms_each, print_table, program, size_or};

const LOGS: u64 = 2000;
const ROUNDS: usize = 30;

fn main() -> Result<()> {
    let cards = size_or(10_000);
    let (home, folder) = (TempHome::new(), Scratch::new("boot"));
    run(&home, &folder, MI, &["persona", "init"])?;
    fill(&home, cards)?;
    // A card that was just written is not cached: let them settle.
    std::thread::sleep(Duration::from_millis(300));
    let first = run(&home, &folder, MI, &["boot"])?;
    run(&home, &folder, MI, &["card", "index"])?;
    let mut rows = vec![row("mi boot, first time", &mut [first])];
    for (name, line) in [
        ("/bin/true", vec!["/bin/true"]),
        ("mi version", vec![MI, "version"]),
        ("mi boot", vec![MI, "boot"]),
        ("mi boot --json", vec![MI, "boot", "--json"]),
        ("mi card search", vec![MI, "card", "search", "retry", "limits"]),
    ] {
        let mut walls = (0..ROUNDS)
            .map(|_| run(&home, &folder, line[0], &line[1..]))
            .collect::<Result<Vec<Duration>>>()?;
        rows.push(row(name, &mut walls));
    }
    println!("start to exit with {cards} cards and {LOGS} session logs; bar for mi boot: 60 ms\n");
    print_table(&["command", "runs", "median ms", "p95 ms"], &rows);
    Ok(())
}

fn row(name: &str, walls: &mut [Duration]) -> Vec<String> {
    walls.sort();
    let at = |percent: usize| format!("{:.1}", ms_each(walls[(walls.len() - 1) * percent / 100], 1));
    vec![name.to_owned(), walls.len().to_string(), at(50), at(95)]
}

fn run(home: &TempHome, folder: &Scratch, name: &str, arguments: &[&str]) -> Result<Duration> {
    let mut command = program(name, home, folder.path());
    let began = Instant::now();
    let status = command.args(arguments).status()?;
    let wall = began.elapsed();
    ensure!(status.success(), "{name} {arguments:?} ended with {status}");
    Ok(wall)
}

/// Cards of a collection that is in good order (few at both ends), and logs over two years.
fn fill(home: &TempHome, cards: u64) -> Result<()> {
    let kinds = [
        ("axiom", "axioms", 'X'),
        ("principle", "principles", 'P'),
        ("heuristic", "heuristics", 'H'),
        ("pattern", "patterns", 'M'),
    ];
    for number in 1..=cards {
        let (kind, plural, letter) = kinds[usize::try_from(number % 4)?];
        let salience = match number % 100 {
            0..=1 => 9 + number % 2,
            2..=19 => 7 + number % 2,
            20..=79 => 4 + number % 3,
            _ => 1 + number % 3,
        };
        let text = format!(
            "---\nid: {letter}-{number:03}\ntype: {kind}\ntitle: \"Limits of retry number {number}\"\nmerge_key: retry-limits-{number}\naliases: [\"backoff {number}\"]\nsalience: {salience}\ncreated: 2026-01-02\nlast_reviewed: 2026-02-{:02}\nsource: incident {number}\nstatus: active\n---\n\n## content\n\nRetry at most {number} times, then tell somebody.\n\n## when it applies\n\nCalls over a network.\n\n## when it bends\n\nNever for payments.\n\n## evidence\n\nIncident {number}.\n",
            number % 28 + 1
        );
        home.write(&format!("persona/cards/{plural}/{letter}-{number:03}.md"), text);
    }
    for number in 0..LOGS {
        let (month, day) = (number / 84, number % 84 / 3 + 1);
        let (year, month) = (2024 + month / 12, month % 12 + 1);
        let name = format!(
            "{year}-{month:02}-{day:02}-slot-{}-{number:08x}.md",
            ['A', 'B', 'C'][usize::try_from(number % 3)?]
        );
        let text = format!(
            "# Session\n\n## completed items\n\n- task {number}\n\n## decisions\n\n- decision {number}\n\n## next steps\n\n- step {number}\n"
        );
        home.write(&format!("persona/sessions/{year}-{month:02}/{name}"), text);
    }
    fs::File::open(home.path())?.sync_all()?;
    Ok(())
}
