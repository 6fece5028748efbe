//! `cargo bench -p mi --bench batch [MOST]`: what `mi` itself costs per batch, from ten batches in a run to MOST.
//!
//! The agent is one shell that prints a failing check and a message. Its own cost, measured alone in the same
//! minute, is taken off; what is left is `mi`, its supervisor and git. Bar: 3 ms CPU, flat from 10 to 1,000.
//! A run's start and its first batch (new files, git's first words) cost more than the others and are shown on their own.
#![expect(clippy::print_stdout, reason = "a program for people")]
#![expect(clippy::disallowed_methods, reason = "it measures other programs")]

mod support;

use anyhow::{Context, Result, ensure};
use mi_test_support::{TempHome, TempProject};
use std::time::{Duration, Instant};
use support::{MI, cpu_of_children, ms_each, print_table, program, size_or};

/// One message in five is the same: neither AAA nor ABAB, so the loop guard lets it go on.
const SPEAK: &str = r#"case $((MI_BATCH % 5)) in 0) w=parser;; 1) w=lexer;; 2) w=loader;; 3) w=writer;; *) w=reader;; esac
printf '%s\n' '{"type":"thread.started","thread_id":"t1"}' '{"type":"turn.started"}' \
 '{"type":"item.started","item":{"id":"i1","type":"command_execution","command":"python3 -m unittest","aggregated_output":"","exit_code":null,"status":"in_progress"}}' \
 '{"type":"item.completed","item":{"id":"i1","type":"command_execution","command":"python3 -m unittest","aggregated_output":"FAIL: test_adds\nRan 1 test in 0.001s\n\nFAILED (failures=1)\n","exit_code":1,"status":"failed"}}'"#;
const EDIT: &str = r#"printf 'def add(a, b):\n    return a - b - %s\n' $MI_BATCH > calc.py
printf '%s\n' '{"type":"item.completed","item":{"id":"i2","type":"file_change","changes":[{"path":"calc.py","kind":"update"}],"status":"completed"}}'"#;
const END: &str = r#"printf '{"type":"item.completed","item":{"id":"i3","type":"agent_message","text":"Looked at the %s, step %s."}}\n' $w $MI_BATCH
printf '%s\n' '{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":0,"output_tokens":1,"reasoning_output_tokens":0}}'"#;

/// Short runs are repeated until they have this many batches together, for the sake of the clock's ticks.
const LEAST_BATCHES: u64 = 300;
const MOST_RUNS: u64 = 60;

type Place = (TempHome, TempProject);

struct Cost {
    wall: Duration,
    cpu: Duration,
}

fn main() -> Result<()> {
    let most = size_or(1000);
    let looks = format!("{SPEAK}\n{END}");
    let edits = format!("{SPEAK}\n{EDIT}\n{END}");
    let mut rows = Vec::new();
    // A run that changes nothing ends as a loop after two batches, so only one batch of it can be measured.
    rows.push(own(&looks, 1)?.row("looks, changes nothing", None));
    let first = own(&edits, 1)?;
    let name = "changes a tracked file";
    rows.push(first.row(name, None));
    for batches in [10, 100, 1000].into_iter().filter(|batches| *batches <= most) {
        rows.push(own(&edits, batches)?.row(name, Some(&first)));
    }
    println!("mi's own cost per batch; bar: 3 ms CPU, flat\n");
    for line in [["/bin/true", "--help"], ["git", "--version"]] {
        println!("for comparison: one `{}` costs {:.2} ms CPU here", line.join(" "), bare_cost(line)?);
    }
    println!();
    print_table(
        &[
            "agent",
            "batches",
            "runs",
            "all CPU ms",
            "agent alone CPU ms",
            "mi CPU ms",
            "mi CPU ms after the first batch",
            "all wall ms",
            "agent alone wall ms",
        ],
        &rows,
    );
    Ok(())
}

/// What a run of so many batches cost, with `mi` and without.
struct Own {
    batches: u64,
    runs: u64,
    all: Cost,
    alone: Cost,
}

fn own(agent: &str, batches: u64) -> Result<Own> {
    let runs = LEAST_BATCHES.div_ceil(batches).min(MOST_RUNS);
    let alone = cost(runs, |place| agent_alone(place, agent, batches))?;
    let all = cost(runs, |place| run(place, agent, batches))?;
    Ok(Own { batches, runs, all, alone })
}

impl Own {
    /// CPU milliseconds of `mi` in one run.
    fn of_a_run(&self) -> f64 {
        ms_each(self.all.cpu, self.runs) - ms_each(self.alone.cpu, self.runs)
    }

    fn row(&self, name: &str, first: Option<&Own>) -> Vec<String> {
        let each = |whole: Duration| format!("{:.2}", ms_each(whole, self.runs * self.batches));
        let further = |first: &Own| (self.of_a_run() - first.of_a_run()) / (self.batches - 1) as f64;
        vec![
            name.to_owned(),
            self.batches.to_string(),
            self.runs.to_string(),
            each(self.all.cpu),
            each(self.alone.cpu),
            format!("{:.2}", self.of_a_run() / self.batches as f64),
            first.map_or_else(String::new, |first| format!("{:.2}", further(first))),
            each(self.all.wall),
            each(self.alone.wall),
        ]
    }
}

/// A whole run: it ends as blocked (exit 3) when it has had its batches.
fn run((home, project): &Place, agent: &str, batches: u64) -> Result<()> {
    let mut mi = program(MI, home, project.path());
    mi.args(["run", "--json", "--mind", "rules", "--max-batches", &batches.to_string()]);
    let status = mi.arg("--hands").arg(format!("exec:{agent}")).arg("Fix the failing test").status()?;
    ensure!(status.code() == Some(3), "mi run ended with {status}");
    let log = mi_autopilot::Project::open(&home.path(), project.path())?.files.evidence().log;
    let records = std::fs::read_to_string(&log).with_context(|| format!("read {}", log.display()))?;
    let seen = records.lines().filter(|line| line.contains(r#""kind":"EvidenceItem""#)).count() as u64;
    ensure!(seen == batches, "the run had {seen} batches, not {batches}");
    Ok(())
}

/// The same agent as often, started by nobody but this program.
fn agent_alone((home, project): &Place, agent: &str, batches: u64) -> Result<()> {
    for batch in 1..=batches {
        let mut shell = program("/bin/sh", home, project.path());
        let status = shell.args(["-c", agent]).env("MI_BATCH", batch.to_string()).status()?;
        ensure!(status.success(), "the agent ended with {status}");
    }
    Ok(())
}

/// What a program costs that does nothing: the price of a process on this machine, at this time.
fn bare_cost([name, argument]: [&str; 2]) -> Result<f64> {
    let times = 200;
    let cost = cost(1, |(home, project)| {
        (0..times)
            .try_for_each(|_| Ok(program(name, home, project.path()).arg(argument).status().map(drop)?))
    })?;
    Ok(ms_each(cost.cpu, times))
}

/// A project as it is after some work: something was built, and git is told to ignore it.
fn project() -> TempProject {
    let project = TempProject::python();
    project.write(".git/info/exclude", "build/\n");
    project.write("build/made", "made");
    project
}

/// What the work costs in that many fresh places; making them is not counted.
fn cost(runs: u64, work: impl Fn(&Place) -> Result<()>) -> Result<Cost> {
    let places: Vec<Place> =
        (0..runs).map(|_| (TempHome::with_values("Prefer small changes."), project())).collect();
    let (began, before) = (Instant::now(), cpu_of_children()?);
    places.iter().try_for_each(work)?;
    Ok(Cost { wall: began.elapsed(), cpu: cpu_of_children()? - before })
}
