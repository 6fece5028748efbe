//! Running the real `mi` program as a person would, in a sealed environment.
//!
//! A test passes the program itself, because only cargo knows where it was built:
//! `Mi::new(env!("CARGO_BIN_EXE_mi"), &home).cwd(project.path()).run(["status", "--json"])`.
//! Holds: `mi` runs in a process group of its own, never longer than its time limit.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde_json::Value;

use crate::environment::sealed_environment;
use crate::processes::wait_until;
use crate::scratch::TempHome;

const DEFAULT_LIMIT: Duration = Duration::from_secs(60);

/// How `mi` is called.
#[derive(Debug, Clone)]
pub struct Mi {
    program: PathBuf,
    variables: Vec<(OsString, OsString)>,
    cwd: PathBuf,
    stdin: Vec<u8>,
    limit: Duration,
}

impl Mi {
    pub fn new(program: impl Into<PathBuf>, home: &TempHome) -> Self {
        Self {
            program: program.into(),
            variables: sealed_environment(home),
            cwd: home.user_home(),
            stdin: Vec::new(),
            limit: DEFAULT_LIMIT,
        }
    }

    pub fn cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = cwd.into();
        self
    }

    /// Sets one more variable; a later value wins.
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    pub fn envs(mut self, variables: Vec<(OsString, OsString)>) -> Self {
        self.variables.extend(variables);
        self
    }

    /// What `mi` reads; without this its standard input is empty.
    pub fn stdin(mut self, text: impl Into<Vec<u8>>) -> Self {
        self.stdin = text.into();
        self
    }

    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Runs to the end. Panics, with all that was printed, when the time limit passes.
    pub fn run<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> MiOutput {
        self.start(arguments).wait()
    }

    /// Starts and returns at once.
    pub fn start<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> RunningMi {
        let mut child = Command::new(&self.program)
            .args(arguments)
            .current_dir(&self.cwd)
            .env_clear()
            .envs(self.variables.iter().cloned())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap_or_else(|error| panic!("start {}: {error}", self.program.display()));
        feed(&mut child, self.stdin.clone());
        let stdout = Collected::from(child.stdout.take().expect("stdout was piped"));
        let stderr = Collected::from(child.stderr.take().expect("stderr was piped"));
        RunningMi { child, stdout, stderr, started: Instant::now(), limit: self.limit }
    }
}

/// A `mi` that has not been waited for. Killed with its process group when dropped.
#[derive(Debug)]
pub struct RunningMi {
    child: Child,
    stdout: Collected,
    stderr: Collected,
    started: Instant,
    limit: Duration,
}

impl RunningMi {
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits until `text` was printed on either stream; panics when the time limit passes or `mi` ends first.
    pub fn wait_for(&mut self, text: &str) {
        let (stdout, stderr) = (self.stdout.clone(), self.stderr.clone());
        let seen = || stdout.text().contains(text) || stderr.text().contains(text);
        let ended = |child: &mut Child| matches!(child.try_wait(), Ok(Some(_)));
        wait_until(self.limit, || seen() || ended(&mut self.child));
        // What was printed just before the end may still be in the pipe.
        let printed = wait_until(Duration::from_secs(1), seen);
        assert!(printed, "mi never printed {text:?}\n{}", self.snapshot());
    }

    /// SIGINT to `mi` alone, as `kill -INT` does.
    pub fn interrupt(&self) {
        self.signal(Signal::INT);
    }

    pub fn terminate(&self) {
        self.signal(Signal::TERM);
    }

    /// SIGINT to the whole process group, as the terminal does on Ctrl-C.
    pub fn interrupt_group(&self) {
        kill_process_group(self.pid_handle(), Signal::INT).expect("interrupt mi's process group");
    }

    /// SIGKILL to `mi` alone: what it started has to notice by itself.
    pub fn kill(&self) {
        self.signal(Signal::KILL);
    }

    /// Waits for the end. Panics, with all that was printed, when the time limit passes.
    pub fn wait(mut self) -> MiOutput {
        let mut status = None;
        let left = self.limit.saturating_sub(self.started.elapsed());
        wait_until(left, || {
            status = self.child.try_wait().expect("ask whether mi has ended");
            status.is_some()
        });
        let Some(status) = status else {
            panic!("mi did not end within {:?}\n{}", self.limit, self.snapshot());
        };
        let elapsed = self.started.elapsed();
        // An orphan may hold the pipes open for ever: the output is complete when both ends are closed, or late.
        wait_until(Duration::from_secs(3), || self.stdout.is_complete() && self.stderr.is_complete());
        MiOutput { status, stdout: self.stdout.bytes(), stderr: self.stderr.bytes(), elapsed }
    }

    fn signal(&self, signal: Signal) {
        kill_process(self.pid_handle(), signal).expect("send a signal to mi");
    }

    fn pid_handle(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    fn snapshot(&self) -> String {
        format!("--- stdout\n{}\n--- stderr\n{}", self.stdout.text(), self.stderr.text())
    }
}

impl Drop for RunningMi {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            // Errors mean that it has just ended, which is what we want.
            let _ = kill_process_group(self.pid_handle(), Signal::KILL);
            let _ = self.child.wait();
        }
    }
}

/// How `mi` ended and what it printed.
#[derive(Debug, Clone)]
pub struct MiOutput {
    pub status: ExitStatus,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    pub elapsed: Duration,
}

impl MiOutput {
    /// The exit code; none when a signal ended it.
    pub fn code(&self) -> Option<i32> {
        self.status.code()
    }

    pub fn signal(&self) -> Option<i32> {
        self.status.signal()
    }

    pub fn out(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    pub fn err(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    /// Panics, with all that was printed, unless the exit code is `code`.
    #[track_caller]
    pub fn expect_exit(self, code: i32) -> Self {
        assert_eq!(self.code(), Some(code), "{self}");
        self
    }

    /// Standard output as one JSON value.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.stdout).unwrap_or_else(|error| panic!("not JSON: {error}\n{self}"))
    }

    /// Standard output as NDJSON events; any other line is a failure.
    #[track_caller]
    pub fn events(&self) -> Vec<Value> {
        let parse = |line: &str| serde_json::from_str(line);
        self.out()
            .lines()
            .map(|line| {
                parse(line).unwrap_or_else(|error| panic!("line {line:?} is not JSON: {error}\n{self}"))
            })
            .collect()
    }

    /// The events that were printed whole: a killed `mi` may have been in the middle of a line.
    pub fn whole_events(&self) -> Vec<Value> {
        self.out().lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// The events whose `event` is `name`.
    #[track_caller]
    pub fn events_named(&self, name: &str) -> Vec<Value> {
        self.events().into_iter().filter(|event| event["event"] == name).collect()
    }

    /// The last event, which must be `run.finished`.
    #[track_caller]
    pub fn finished(&self) -> Value {
        let last = self.events().pop().unwrap_or_default();
        assert_eq!(last["event"], "run.finished", "{self}");
        last
    }
}

impl fmt::Display for MiOutput {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}\n--- stdout\n{}\n--- stderr\n{}", self.status, self.out(), self.err())
    }
}

/// What a pipe has given so far.
#[derive(Debug, Clone)]
struct Collected {
    bytes: Arc<Mutex<(Vec<u8>, bool)>>,
}

impl Collected {
    /// Drains the pipe in a thread of its own, so that `mi` never waits for its reader.
    fn from(mut pipe: impl Read + Send + 'static) -> Self {
        let collected = Self { bytes: Arc::default() };
        let shared = Arc::clone(&collected.bytes);
        std::thread::spawn(move || {
            let mut buffer = [0; 65536];
            loop {
                let count = pipe.read(&mut buffer).unwrap_or(0);
                let mut state = shared.lock().expect("no holder of this lock panics");
                state.0.extend_from_slice(&buffer[..count]);
                state.1 = count == 0;
                if state.1 {
                    return;
                }
            }
        });
        collected
    }

    fn bytes(&self) -> Vec<u8> {
        self.bytes.lock().expect("no holder of this lock panics").0.clone()
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes()).into_owned()
    }

    fn is_complete(&self) -> bool {
        self.bytes.lock().expect("no holder of this lock panics").1
    }
}

/// Writes in a thread of its own: a program that does not read must not block the test.
fn feed(child: &mut Child, text: Vec<u8>) {
    let mut stdin = child.stdin.take().expect("stdin was piped");
    std::thread::spawn(move || {
        // A program may end without reading; that is its business.
        let _ = stdin.write_all(&text);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The shell stands in for `mi`: the runner does not care.
    fn shell(home: &TempHome) -> Mi {
        Mi::new("/bin/sh", home).limit(Duration::from_secs(10))
    }

    /// Output, exit code, standard input and the sealed environment all come through.
    #[test]
    fn runs_and_reports() {
        let home = TempHome::new();
        let script = r#"read -r line; echo "{\"event\":\"run.finished\",\"line\":\"$line\",\"home\":\"$MI_HOME\"}"; echo talk >&2; exit 3"#;
        let output = shell(&home).stdin("hi\n").run(["-c", script]).expect_exit(3);
        assert_eq!(output.finished()["line"], "hi");
        assert_eq!(output.finished()["home"], home.path().to_str().unwrap());
        assert_eq!(output.err(), "talk\n");
        let names = shell(&home).run(["-c", "env | cut -d= -f1 | sort"]).out();
        assert!(!names.contains("CARGO_TARGET_DIR") && !names.contains("NEXTEST"), "{names}");
    }

    /// A running program can be watched, interrupted and killed.
    #[test]
    fn signals_reach_the_program() {
        let home = TempHome::new();
        let script = "trap 'echo caught; exit 130' INT; echo ready; while :; do sleep 0.05; done";
        let mut running = shell(&home).start(["-c", script]);
        running.wait_for("ready");
        running.interrupt();
        let output = running.wait().expect_exit(130);
        assert_eq!(output.out(), "ready\ncaught\n");
        let mut running = shell(&home).start(["-c", script]);
        running.wait_for("ready");
        running.kill();
        assert_eq!(running.wait().signal(), Some(9));
    }

    /// A program that does not end is reported with what it printed, and does not live on.
    #[test]
    fn time_limit_is_kept() {
        let home = TempHome::new();
        let marker = home.path().to_str().unwrap().to_owned();
        let hung = std::panic::catch_unwind(|| {
            shell(&home).limit(Duration::from_millis(300)).run(["-c", "echo stuck; sleep 600"])
        });
        let message = hung.unwrap_err().downcast::<String>().unwrap();
        assert!(message.contains("did not end") && message.contains("stuck"), "{message}");
        assert_eq!(crate::leftovers_after(&marker, Duration::from_secs(5)), []);
    }
}
