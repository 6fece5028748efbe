//! `cargo bench -p mi --bench kills [KILLS]`: `kill -9` of `mi run` at random instants, 1,000 times.
//!
//! All runs share one project, so every start finds what the last kill left. After each kill: nothing that `mi`
//! started lives two seconds later. At samples and at the end: every record that was announced with a `seq` is in the
//! log with the same kind, and `mi verify` is content. Bar: 0 lost, 0 orphans.
#![expect(clippy::print_stdout, reason = "a program for people")]
#![expect(clippy::disallowed_methods, reason = "it starts, times and kills other programs")]

mod support;

use anyhow::{Result, ensure};
use mi_autopilot::Project;
use mi_test_support::{Scratch, TempHome, TempProject, leftovers_after};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::{
    collections::HashMap,
    fs::{self, File},
    process::Child,
    thread,
    time::{Duration, Instant, SystemTime},
};
use support::{MI, print_table, program, size_or};

/// Some batches leave a process in a session of its own, which a signal to the group does not reach.
const AGENT: &str = r#"[ $((MI_BATCH % 2)) = 0 ] && setsid sleep 60 </dev/null >/dev/null 2>&1 &
case $((MI_BATCH % 5)) in 0) w=parser;; 1) w=lexer;; 2) w=loader;; 3) w=writer;; *) w=reader;; esac
printf 'def add(a, b):\n    return a - b - %s\n' $MI_BATCH > calc.py
printf '%s\n' '{"type":"thread.started","thread_id":"t1"}' '{"type":"turn.started"}'
printf '{"type":"item.completed","item":{"id":"i1","type":"agent_message","text":"Changed the %s."}}\n' $w
sleep 0.01
printf '%s\n' '{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":0,"output_tokens":1,"reasoning_output_tokens":0}}'"#;
/// Batches of a run that nobody kills.
const BATCHES: &str = "4";
/// After how many kills the whole log is compared and verified.
const SAMPLE: u64 = 50;
const ORPHAN_LIMIT: Duration = Duration::from_secs(2);

/// What was promised on standard output: run and `seq`, with the kind of record.
type Acknowledged = HashMap<(String, u64), String>;

#[derive(Default)]
struct Tally {
    kills: u64,
    ended_before: u64,
    resumed: u64,
    repaired: u64,
    lost: u64,
    orphans: u64,
    unhappy: u64,
    slowest_end: Duration,
}

struct Place {
    home: TempHome,
    folder: TempProject,
    project: Project,
    output: Scratch,
}

fn main() -> Result<()> {
    let wanted = size_or(1000);
    let place = Place::new()?;
    let whole = place.uninterrupted()?;
    let seed = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?.as_nanos() as u64 | 1;
    println!("seed {seed}; a run of {BATCHES} batches that nobody kills takes {} ms", whole.as_millis());
    let (mut dice, mut tally, mut acknowledged) = (Dice(seed), Tally::default(), Acknowledged::new());
    let began = Instant::now();
    while tally.kills < wanted {
        place.kill_once(&mut dice, whole, &mut tally, &mut acknowledged)?;
        if tally.kills.is_multiple_of(SAMPLE) || tally.kills == wanted {
            place.compare(&acknowledged, &mut tally)?;
        }
    }
    report(&tally, acknowledged.len(), began.elapsed());
    Ok(())
}

impl Place {
    fn new() -> Result<Self> {
        let (home, folder) = (TempHome::with_values("Prefer small changes."), TempProject::python());
        let project = Project::open(&home.path(), folder.path())?;
        Ok(Self { home, folder, project, output: Scratch::new("kills") })
    }

    fn start(&self, resume: bool) -> Result<Child> {
        let mut mi = program(MI, &self.home, self.folder.path());
        mi.args([
            "run",
            "--json",
            "--mind",
            "rules",
            "--max-batches",
            BATCHES,
            "--hands",
            &format!("exec:{AGENT}"),
        ]);
        mi.arg(if resume { "--resume" } else { "Fix the failing test" });
        let stream = |name: &str| File::create(self.output.path().join(name));
        Ok(mi.stdout(stream("stdout")?).stderr(stream("stderr")?).spawn()?)
    }

    fn uninterrupted(&self) -> Result<Duration> {
        let began = Instant::now();
        let status = self.start(false)?.wait()?;
        ensure!(status.code() == Some(3), "mi run ended with {status}");
        Ok(began.elapsed())
    }

    fn kill_once(
        &self,
        dice: &mut Dice,
        whole: Duration,
        tally: &mut Tally,
        acknowledged: &mut Acknowledged,
    ) -> Result<()> {
        let resume = dice.below(2) == 0;
        let mut mi = self.start(resume)?;
        thread::sleep(Duration::from_micros(dice.below(whole.as_micros() as u64)));
        kill_process(Pid::from_child(&mi), Signal::KILL)?;
        let killed = Instant::now();
        // A run that was over before the kill came is no kill.
        match mi.wait()?.code() {
            Some(_) => tally.ended_before += 1,
            None => tally.kills += 1,
        }
        let marker = self.home.path().to_string_lossy().into_owned();
        tally.orphans += leftovers_after(&marker, ORPHAN_LIMIT).len() as u64;
        tally.slowest_end = tally.slowest_end.max(killed.elapsed());
        tally.resumed += u64::from(resume);
        self.collect(acknowledged, tally)
    }

    /// Keeps what was announced. The last line may be torn: then nothing was announced by it.
    fn collect(&self, acknowledged: &mut Acknowledged, tally: &mut Tally) -> Result<()> {
        for line in fs::read_to_string(self.output.path().join("stdout"))?.lines() {
            let Ok(event) = serde_json::from_str::<Value>(line) else { continue };
            if event["event"] == "note" {
                tally.repaired += 1;
            }
            if let Some(key) = key(&event) {
                acknowledged.insert(key, event["kind"].as_str().unwrap_or_default().to_owned());
            }
        }
        Ok(())
    }

    fn compare(&self, acknowledged: &Acknowledged, tally: &mut Tally) -> Result<()> {
        let verify = program(MI, &self.home, self.folder.path()).args(["verify", "--json"]).status()?;
        tally.unhappy += u64::from(!verify.success());
        let mut recorded = Acknowledged::new();
        for line in fs::read_to_string(self.project.files.evidence().log)?.lines() {
            let record: Value = serde_json::from_str(line)?;
            if let Some(key) = key(&record) {
                recorded.insert(key, record["kind"].as_str().unwrap_or_default().to_owned());
            }
        }
        tally.lost = acknowledged.iter().filter(|(key, kind)| recorded.get(key) != Some(kind)).count() as u64;
        println!(
            "{} kills: {} announced, {} in the log, {} lost",
            tally.kills,
            acknowledged.len(),
            recorded.len(),
            tally.lost
        );
        Ok(())
    }
}

fn key(object: &Value) -> Option<(String, u64)> {
    Some((object["run_id"].as_str()?.to_owned(), object["seq"].as_u64()?))
}

fn report(tally: &Tally, announced: usize, took: Duration) {
    let rows = [
        ("kills", tally.kills.to_string()),
        ("runs that ended before the kill", tally.ended_before.to_string()),
        ("starts with --resume", tally.resumed.to_string()),
        ("repairs noted by later runs", tally.repaired.to_string()),
        ("records announced", announced.to_string()),
        ("announced records lost (bar 0)", tally.lost.to_string()),
        ("processes alive 2 s after a kill (bar 0)", tally.orphans.to_string()),
        ("slowest end of everything, ms", tally.slowest_end.as_millis().to_string()),
        ("`mi verify` that failed (bar 0)", tally.unhappy.to_string()),
        ("seconds", took.as_secs().to_string()),
    ];
    print_table(&["kill -9 at random instants", ""], &rows.map(|(name, value)| vec![name.to_owned(), value]));
}

/// Random enough for instants (xorshift).
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit.max(1)
    }
}
