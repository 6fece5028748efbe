//! `cargo bench -p mi --bench hook [ROUNDS]`: how long an agent waits for the gate before a tool.
//!
//! Whole processes, start to exit, side by side in each round: a C program that only exits, `mi hook --help` (what the
//! program costs before it does anything), and the gate's answers. Then, in this process, what 100 rules add to a
//! decision. Bars: median ≤ 3 ms and ≤ 2 × the C program; 100 rules ≤ 20 µs.
#![expect(clippy::print_stdout, reason = "a program for people")]
#![expect(clippy::disallowed_methods, reason = "it measures other programs")]

mod support;

use anyhow::{Context, Result, bail, ensure};
use mi_gate::permission::{Action, Context as Around, Layer, NoWorld, RuleSet, decide, load};
use mi_test_support::{TempHome, TempProject};
use serde_json::json;
use std::{
    fs,
    hint::black_box,
    io::{self, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};
use support::{MI, copied, print_table, program, size_or};

const EXIT: &str = "int main(void) { return 0; }\n";

struct Case {
    name: &'static str,
    program: PathBuf,
    words: Vec<&'static str>,
    input: String,
    times: Vec<Duration>,
}

fn main() -> Result<()> {
    let rounds = size_or(400);
    ensure!(Path::new(MI).is_file(), "`{MI}` is not there: build it with this program, `dev/bench hook`");
    let (home, project) = (TempHome::new(), TempProject::python());
    let exit = c_program(&home.path())?;
    let mut cases = cases(&exit, &project);
    for _ in 0..5 {
        for case in &mut cases {
            case.run(&home, &project)?;
        }
    }
    for case in &mut cases {
        case.times.clear();
    }
    for _ in 0..rounds {
        for case in &mut cases {
            case.run(&home, &project)?;
        }
    }
    println!("start to exit, {rounds} rounds side by side; bars: ≤ 3 ms and ≤ 2 × the C program\n");
    let base = median(&mut cases[0].times);
    let rows: Vec<Vec<String>> = cases.iter_mut().map(|case| case.row(base)).collect();
    print_table(&["program", "median ms", "p95 ms", "× C"], &rows);
    println!("\nin this process, one decision about `git status && cargo build`:\n");
    print_table(&["rules", "median µs"], &rules()?);
    Ok(())
}

fn cases(exit: &Path, project: &TempProject) -> Vec<Case> {
    let call = |tool: &str, input: serde_json::Value| {
        json!({"session_id": "bench", "cwd": project.path(), "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input, "tool_use_id": "t"}).to_string()
    };
    let bash = |command: &str| call("Bash", json!({"command": command}));
    let gate = vec!["hook", "pre-tool-use", "--harness", "claude", "--gate"];
    let case = |name, program: &Path, words: &[&'static str], input: String| Case {
        name,
        program: program.to_owned(),
        words: words.to_vec(),
        input,
        times: Vec::new(),
    };
    let mi = Path::new(MI);
    vec![
        case("C program that exits", exit, &[], String::new()),
        case("mi hook --help (the floor)", mi, &["hook", "--help"], String::new()),
        case("gate: ls (allow)", mi, &gate, bash("ls -la src")),
        case("gate: git status (allow)", mi, &gate, bash("git status --short")),
        case("gate: Read (allow)", mi, &gate, call("Read", json!({"file_path": "calc.py"}))),
        case(
            "gate: Edit (ask)",
            mi,
            &gate,
            call("Edit", json!({"file_path": "calc.py", "old_string": "a", "new_string": "b"})),
        ),
        case("gate: force-push (deny)", mi, &gate, bash("git push --force origin main")),
    ]
}

impl Case {
    fn run(&mut self, home: &TempHome, project: &TempProject) -> Result<()> {
        let mut command = program(&self.program, home, project.path());
        command.args(&self.words).stdin(Stdio::piped());
        // What is open for reading too, as a null device mostly is, is taken for a closed output: then a denial is an exit code.
        command.stdout(fs::OpenOptions::new().write(true).open("/dev/null")?);
        let began = Instant::now();
        let mut child = command.spawn().with_context(|| format!("start {}", self.program.display()))?;
        if let Some(mut stdin) = child.stdin.take() {
            // A program that reads nothing closes its end first.
            drop(stdin.write_all(self.input.as_bytes()));
        }
        let status = child.wait()?;
        self.times.push(began.elapsed());
        ensure!(status.success(), "{} ended with {status}", self.name);
        Ok(())
    }

    fn row(&mut self, base: Duration) -> Vec<String> {
        let middle = median(&mut self.times);
        let late = self.times[self.times.len() * 95 / 100];
        let ms = |time: Duration| format!("{:.2}", time.as_secs_f64() * 1e3);
        let ratio = middle.as_secs_f64() / base.as_secs_f64();
        vec![self.name.to_owned(), ms(middle), ms(late), format!("{ratio:.2}")]
    }
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn c_program(folder: &Path) -> Result<PathBuf> {
    // A home is only made by whoever first keeps something in it.
    fs::create_dir_all(folder).with_context(|| format!("make `{}`", folder.display()))?;
    let (source, program) = (folder.join("exit.c"), folder.join("exit"));
    fs::write(&source, EXIT).with_context(|| format!("write `{}`", source.display()))?;
    for compiler in ["cc", "gcc", "clang"] {
        match Command::new(compiler).arg("-O2").arg("-o").arg(&program).arg(&source).status() {
            Ok(status) => {
                ensure!(status.success(), "`{compiler}` could not build the program to compare with");
                let installed = folder.join("exit-installed");
                copied(&program, &installed)?;
                return Ok(installed);
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error).with_context(|| format!("start `{compiler}`")),
        }
    }
    bail!("no C compiler (cc, gcc, clang) on the PATH: install one; the bar is a multiple of a C program")
}

/// What a decision costs with no rules and with a hundred.
fn rules() -> Result<Vec<Vec<String>>> {
    let text: String = (0..100)
        .map(|number| {
            let matcher = match number % 4 {
                0 => format!("{{command: tool{number}, args: [run]}}"),
                1 => format!("{{write: \"generated/{number}/**\"}}"),
                2 => format!("{{read: \"**/secret{number}.txt\"}}"),
                _ => format!("{{command: git, args: [push], branch: [release{number}]}}"),
            };
            format!("  - id: rule-{number}\n    decision: deny\n    reason: bench\n    match: {matcher}\n")
        })
        .collect();
    let hundred = [load("bench.yaml", &format!("version: 1\nrules:\n{text}"), Layer::User)?];
    // Never twice the same: what was read last is remembered.
    let action = |number: u32| {
        let command = format!("git status && cargo build -p part{number}");
        Action::new("Bash", json!({"command": command}), Some("/project"))
    };
    let time = |action: &Action, sets: &[RuleSet]| {
        let began = Instant::now();
        black_box(decide(black_box(action), &Around::new(sets, &NoWorld)));
        began.elapsed()
    };
    let (mut none, mut all) = (Vec::new(), Vec::new());
    for number in 0..2000 {
        none.push(time(&action(2 * number), &[]));
        all.push(time(&action(2 * number + 1), &hundred));
    }
    let [none, all] = [none, all].map(|mut times| median(&mut times).as_secs_f64() * 1e6);
    let row = |name: &str, value: f64| vec![name.to_owned(), format!("{value:.1}")];
    Ok(vec![row("0", none), row("100", all), row("what 100 add (bar 20)", all - none)])
}
