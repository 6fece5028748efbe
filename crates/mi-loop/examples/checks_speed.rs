//! Prints how long the proof takes over ordinary commands, in a project that names six checks.
#![allow(clippy::print_stdout, reason = "an example talks to a person")]
#![allow(clippy::disallowed_methods, reason = "an example measures")]

use std::time::{Duration, Instant};

use mi_loop::checks::{is_check_like, recognise};
use mi_loop::facts::CommandFact;
use mi_loop::project::{ProjectCheck, ProjectProfile};

fn main() {
    let ordinary = include_str!("../../mi-gate/tests/data/ordinary.txt").lines();
    let ordinary: Vec<String> = ordinary.map(|line| line.replace('⏎', "\n")).collect();
    let checks = ["cargo test", "cargo nextest run", "cargo clippy --all-targets", "make check", "npm test"];
    let checks: Vec<String> =
        checks.iter().chain(&["./dev/test --all"]).map(|text| (*text).to_owned()).collect();
    for (name, commands) in [("ordinary commands", &ordinary), ("checks", &checks)] {
        measure(name, commands, &project(&checks));
    }
}

fn project(checks: &[String]) -> ProjectProfile {
    let check = |command: &String| ProjectCheck {
        command: command.clone(),
        source: "README.md".to_owned(),
        runs_tests: true,
        ..ProjectCheck::default()
    };
    ProjectProfile {
        root: "/home/dev/app".to_owned(),
        has_tests: true,
        checks: checks.iter().map(check).collect(),
        ..ProjectProfile::default()
    }
}

fn measure(name: &str, commands: &[String], project: &ProjectProfile) {
    let fact = |command: &String| CommandFact {
        order: 0,
        command: command.clone(),
        exit_code: Some(0),
        finished: true,
        output: "test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n".to_owned(),
        tree: None,
    };
    let facts: Vec<CommandFact> = commands.iter().map(fact).collect();
    let (mut like, mut recognised) = (Vec::new(), Vec::new());
    for _ in 0..51 {
        for fact in &facts {
            like.push(timed(|| is_check_like(&fact.command, project)));
            recognised.push(timed(|| recognise(fact, project).is_some()));
        }
    }
    for (function, times) in [("is_check_like", like), ("recognise", recognised)] {
        print(name, function, times, facts.len());
    }
}

fn timed(work: impl Fn() -> bool) -> Duration {
    let start = Instant::now();
    std::hint::black_box(work());
    start.elapsed()
}

/// The first round only warms up.
fn print(name: &str, function: &str, mut times: Vec<Duration>, warm_up: usize) {
    times.drain(..warm_up);
    times.sort_unstable();
    let at = |share: usize| times[(times.len() - 1) * share / 100];
    let mean = times.iter().sum::<Duration>() / times.len().max(1) as u32;
    println!("{name}: {function} mean {mean:?}, median {:?}, 90 % {:?}, 99 % {:?}", at(50), at(90), at(99));
}
