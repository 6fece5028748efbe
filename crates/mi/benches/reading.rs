//! `cargo bench -p mi --bench reading [MOST]`: how long a reading command takes from start to exit, on a log of
//! 1,000 records and on one of MOST (1,000,000).
//!
//! A program that only exits, and what a person without `mi` would type, run in the same round. Bars: 5 ms at
//! 1,000 records, 25 ms at 1,000,000.
#![expect(clippy::print_stdout, reason = "a program for people")]
#![expect(clippy::disallowed_methods, reason = "it measures other programs")]

mod support;

use anyhow::{Context, Result, ensure};
use mi_autopilot::Project;
use mi_journal::{LogView, bench_support};
use mi_model::Timestamp;
use mi_test_support::{TempHome, TempProject};
use std::{
    fs,
    process::Command,
    time::{Duration, Instant},
};
use support::{MI, cpu_of_children, ms_each, print_table, program, size_or};

const ROUNDS: u64 = 40;
/// A peer that reads the whole log is slow enough for a few rounds.
const SLOW_ROUNDS: u64 = 3;

struct Place {
    home: TempHome,
    folder: TempProject,
    project: Project,
    records: u64,
}

/// A command line and what it is called in the table.
struct Case {
    name: String,
    line: Vec<String>,
    rounds: u64,
}

fn main() -> Result<()> {
    let most = size_or(1_000_000);
    let mut rows = Vec::new();
    for records in [1000, most] {
        let place = Place::filled(records)?;
        let cases = place.cases();
        // Once unmeasured: the first start of a program reads it from the disk.
        for case in &cases {
            place.run(case)?;
        }
        for case in &cases {
            rows.push(place.row(case)?);
        }
    }
    println!("start to exit of reading commands; bars: 5 ms at 1,000 records, 25 ms at 1,000,000\n");
    print_table(&["records", "command", "runs", "median ms", "p95 ms", "CPU ms"], &rows);
    Ok(())
}

impl Place {
    fn filled(records: u64) -> Result<Self> {
        let (home, folder) = (TempHome::with_values("Prefer small changes."), TempProject::python());
        let project = Project::open(&home.path(), folder.path())?;
        let place = project.files.evidence();
        bench_support::fill(&place, Timestamp::from_millis(1_790_000_000_000), records)?;
        let began = Instant::now();
        let segments = LogView::open(&place.log)?.catch_up(u64::MAX)?;
        let index = place.log.with_extension("index");
        let size = |path| fs::metadata(path).map_or(0, |data| data.len()) / 1_000_000;
        println!(
            "{records} records: log {} MB, index {} MB ({segments} segments, built in {:.0} ms)",
            size(&place.log),
            size(&index),
            ms_each(began.elapsed(), 1)
        );
        if let Ok(index) = fs::File::open(&index) {
            // So that what is measured does not share the disk with what was just made.
            index.sync_all()?;
        }
        Ok(Self { home, folder, project, records })
    }

    fn cases(&self) -> Vec<Case> {
        let (middle, run) = (self.records / 2, self.records / 98 / 3);
        let grep = format!("make test {run} rel");
        let log = self.project.files.evidence().log.to_string_lossy().into_owned();
        let mi = |arguments: &str| {
            let line = [MI].into_iter().chain(arguments.split(' ')).map(str::to_owned).collect();
            Case { name: format!("mi {arguments}"), line, rounds: ROUNDS }
        };
        let peer = |name: &str, line: &[&str], rounds: u64| {
            let line = line.iter().map(|&word| word.to_owned()).collect();
            Case { name: name.to_owned(), line, rounds }
        };
        let mut found = mi("log --grep");
        found.line.push(grep.clone());
        found.name = format!("mi log --grep '{grep}'");
        let mut cases = vec![
            peer("/bin/true", &["/bin/true"], ROUNDS),
            mi("version"),
            mi("status"),
            mi("log -n 5"),
            mi("log"),
            mi("log --kind decision"),
            mi("log --kind loop_guard"),
            found,
            mi(&format!("show {middle}")),
            mi("why"),
            peer("tail -n 5 LOG", &["tail", "-n", "5", &log], ROUNDS),
            peer("grep TEXT LOG", &["grep", "-F", &grep, &log], SLOW_ROUNDS),
        ];
        if on_path("jq") {
            let filter = format!("select(.seq == {middle})");
            cases.push(peer("jq 'select(.seq == SEQ)' LOG", &["jq", "-c", &filter, &log], SLOW_ROUNDS));
        }
        cases
    }

    fn row(&self, case: &Case) -> Result<Vec<String>> {
        let before = cpu_of_children()?;
        let mut walls = (0..case.rounds).map(|_| self.run(case)).collect::<Result<Vec<Duration>>>()?;
        let cpu = ms_each(cpu_of_children()? - before, case.rounds);
        walls.sort();
        let at = |percent: usize| ms_each(walls[(walls.len() - 1) * percent / 100], 1);
        let (name, runs) = (case.name.clone(), case.rounds.to_string());
        let numbers = [at(50), at(95), cpu].map(|number| format!("{number:.1}"));
        Ok([self.records.to_string(), name, runs].into_iter().chain(numbers).collect())
    }

    fn run(&self, case: &Case) -> Result<Duration> {
        let (first, rest) = case.line.split_first().context("a case has a program")?;
        let mut command = program(first, &self.home, self.folder.path());
        let began = Instant::now();
        let status = command.args(rest).status()?;
        let wall = began.elapsed();
        ensure!(status.success(), "{} ended with {status}", case.name);
        Ok(wall)
    }
}

fn on_path(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok()
}
