//! `kill_append [TRIES]` kills processes that append to one log, at random instants, and checks after each
//! try that every acknowledged record is there and that the chain holds.

#![expect(clippy::print_stdout, reason = "a program for people")]

use mi_journal::{Layout, LogView, verify};
use mi_model::ProjectId;
use std::{
    error::Error,
    io::Read,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

const WRITERS: usize = 3;
/// A new log now and then, so that checking all of it after every try stays cheap.
const TRIES_PER_LOG: u64 = 25;

fn main() -> Result<(), Box<dyn Error>> {
    let tries: u64 = std::env::args().nth(1).map_or(Ok(1000), |text| text.parse())?;
    let child = std::env::current_exe()?.with_file_name("journal_child");
    let (mut chance, mut acknowledged, mut repairs) = (0x9e37_79b9_7f4a_7c15, 0, 0);
    for first in (0..tries).step_by(TRIES_PER_LOG as usize) {
        let home = tempfile::tempdir()?;
        for _ in first..tries.min(first + TRIES_PER_LOG) {
            let output = kill_writers(&child, home.path(), &mut chance)?;
            let (checked, repaired) = check(home.path(), &output)?;
            acknowledged += checked;
            repairs += repaired;
        }
    }
    println!(
        "{tries} tries, {WRITERS} writers each: {acknowledged} records acknowledged, 0 lost, {repairs} torn tails set aside"
    );
    Ok(())
}

/// Starts the writers, kills them one after the other, and returns what they had acknowledged.
fn kill_writers(program: &Path, home: &Path, chance: &mut u64) -> Result<String, Box<dyn Error>> {
    let start = |_| spawn(program, home);
    let mut writers = (0..WRITERS).map(start).collect::<Result<Vec<Child>, _>>()?;
    for writer in &mut writers {
        thread::sleep(Duration::from_micros(random(chance) % 15_000));
        writer.kill()?;
    }
    let mut output = String::new();
    for mut writer in writers {
        let mut text = String::new();
        writer.stdout.take().ok_or("no pipe")?.read_to_string(&mut text)?;
        writer.wait()?;
        // The last line may be cut by the kill; what is not told whole was not acknowledged.
        output.push_str(&text[..text.rfind('\n').map_or(0, |end| end + 1)]);
    }
    Ok(output)
}

#[expect(clippy::disallowed_methods, reason = "a process that can be killed without taking this one with it")]
fn spawn(program: &Path, home: &Path) -> std::io::Result<Child> {
    let arguments = ["p", "100000"];
    Command::new(program).arg("append").arg(home).args(arguments).stdout(Stdio::piped()).spawn()
}

fn check(home: &Path, output: &str) -> Result<(u64, u64), Box<dyn Error>> {
    let (layout, project) = (Layout::new(home), ProjectId::new("p"));
    let report = verify(&layout, &project)?;
    if !report.ok() {
        return Err(format!("the chain does not hold: {:?}", report.problems).into());
    }
    let view = LogView::open(&layout.project(&project).evidence().log)?;
    let mut texts = std::collections::HashMap::new();
    for line in view.reader().forwards(0)? {
        let line = line?;
        let seq = line.frame().and_then(|frame| frame.seq()).ok_or("a line without a seq")?;
        texts.insert(seq, String::from_utf8(line.bytes)?);
    }
    for (seq, token) in output.lines().filter_map(|line| line.split_once(' ')) {
        if !texts.get(&seq.parse()?).is_some_and(|text| text.contains(&format!("\"{token} "))) {
            return Err(format!("record {seq} ({token}) was acknowledged and is not in the log").into());
        }
    }
    let torn = report.notes.iter().filter(|note| note.contains("bytes were torn")).count();
    Ok((output.lines().count() as u64, torn as u64))
}

fn random(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}
