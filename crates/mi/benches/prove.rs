//! `cargo bench -p mi --bench prove [ROUNDS]`: what a counter-check costs beyond the runs of the check itself.
//!
//! The check sleeps one second, then runs a shell test. Its time alone is measured first; what `mi prove` takes beyond its
//! runs of the check is its own. Bars: where every file is shown at once, two runs and ≤ 300 ms; a second `mi prove` on the
//! same tree ≤ 200 ms.
#![expect(clippy::print_stdout, reason = "a program for people")]
#![expect(clippy::disallowed_methods, reason = "it measures other programs")]

mod support;

use anyhow::{Context, Result, ensure};
use mi_test_support::{TempHome, TempProject};
use serde_json::Value;
use std::{
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};
use support::{MI, print_table, program, size_or};

const CHECK: &str = "sleep 1; sh test_sum.sh";

/// A repository with a change in its working tree.
struct Change {
    name: &'static str,
    bar: &'static str,
    base: &'static [(&'static str, &'static str)],
    head: &'static [(&'static str, &'static str)],
}

const CHANGES: [Change; 4] = [
    Change {
        name: "a new function, shown",
        bar: "2 runs, ≤ 300",
        base: &[("sum.sh", "one() {\n  echo 1\n}\n"), ("test_sum.sh", ". ./sum.sh\n[ \"$(one)\" = 1 ]\n")],
        head: &[
            ("sum.sh", "one() {\n  echo 1\n}\n\nsum() {\n  echo $(($1 + $2))\n}\n"),
            ("test_sum.sh", ". ./sum.sh\n[ \"$(sum 1 2)\" = 3 ] || { echo \"sum is wrong\"; exit 1; }\n"),
        ],
    },
    Change {
        name: "a changed line, shown",
        bar: "2 runs, ≤ 300",
        base: &[("sum.sh", "echo $(($1 - $2))\n"), ("test_sum.sh", "sh sum.sh 1 2\n")],
        head: &[
            ("sum.sh", "echo $(($1 + $2))\n"),
            ("test_sum.sh", "[ \"$(sh sum.sh 1 2)\" = 3 ] || { echo \"sum.sh is wrong\"; exit 1; }\n"),
        ],
    },
    Change {
        name: "a changed line that nothing notices",
        bar: "2 runs, ≤ 300",
        base: &[("sum.sh", "echo $(($1 - $2))\n"), ("test_sum.sh", "sh sum.sh 1 2\n")],
        head: &[("sum.sh", "echo $(($1 + $2))\n")],
    },
    Change {
        name: "three files, two of them shown",
        bar: "",
        base: &[
            ("one.sh", "echo 0\n"),
            ("two.sh", "echo 0\n"),
            ("three.sh", "echo 0\n"),
            ("test_sum.sh", "true\n"),
        ],
        head: &[
            ("one.sh", "echo 1\n"),
            ("two.sh", "echo 2\n"),
            ("three.sh", "echo 3\n"),
            (
                "test_sum.sh",
                "[ \"$(sh one.sh)\" = 1 ] || { echo one.sh; exit 1; }\n[ \"$(sh two.sh)\" = 2 ] || { echo two.sh; exit 1; }\n",
            ),
        ],
    },
];

fn main() -> Result<()> {
    let rounds = size_or(3);
    ensure!(Path::new(MI).is_file(), "`{MI}` is not there: build it with this program, `dev/bench prove`");
    println!("the check sleeps 1 s; own: beyond its runs of the check; median of {rounds} rounds\n");
    let mut rows = Vec::new();
    for change in &CHANGES {
        rows.extend(change.measure(rounds)?);
    }
    print_table(&["change", "runs", "check ms", "all ms", "own ms", "all / runs", "bar"], &rows);
    Ok(())
}

impl Change {
    /// A first proof and a second one on the same tree.
    fn measure(&self, rounds: u64) -> Result<Vec<Vec<String>>> {
        let (mut first, mut second) = (Vec::new(), Vec::new());
        for _ in 0..rounds.max(1) {
            let (home, project) = (TempHome::new(), TempProject::git_with(self.base));
            for (name, text) in self.head {
                project.write(name, text);
            }
            let began = Instant::now();
            program("sh", &home, project.path()).args(["-c", CHECK]).status().context("run the check")?;
            let check = began.elapsed();
            first.push(prove(&home, &project, check)?);
            second.push(prove(&home, &project, check)?);
        }
        let row = |name: &str, times: &mut Vec<Sample>, bar: &str| {
            times.sort_by_key(|sample| sample.own());
            let sample = &times[times.len() / 2];
            let ms = |time: Duration| format!("{:.0}", time.as_secs_f64() * 1e3);
            let ratio = match sample.runs {
                0 => String::new(),
                runs => format!("{:.3} ×", sample.all.as_secs_f64() / (sample.check * runs).as_secs_f64()),
            };
            let runs = sample.runs.to_string();
            vec![
                name.to_owned(),
                runs,
                ms(sample.check),
                ms(sample.all),
                ms(sample.own()),
                ratio,
                bar.to_owned(),
            ]
        };
        let again = format!("{}: again", self.name);
        Ok(vec![row(self.name, &mut first, self.bar), row(&again, &mut second, "0 runs, ≤ 200")])
    }
}

struct Sample {
    runs: u32,
    check: Duration,
    all: Duration,
}

impl Sample {
    fn own(&self) -> Duration {
        self.all.saturating_sub(self.check * self.runs)
    }
}

fn prove(home: &TempHome, project: &TempProject, check: Duration) -> Result<Sample> {
    let mut command: Command = program(MI, home, project.path());
    let began = Instant::now();
    let output = command.args(["prove", "--json", "--check", CHECK]).stdout(Stdio::piped()).output()?;
    let all = began.elapsed();
    let report: Value = serde_json::from_slice(&output.stdout).context("read the report")?;
    let runs = report["runs"].as_u64().context("the report has no runs")?;
    Ok(Sample { runs: u32::try_from(runs)?, check, all })
}
