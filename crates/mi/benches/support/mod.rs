//! What the measuring programs share: `mi` and other programs in a sealed environment, CPU time, tables.
//!
//! Holds: no number is judged here. Every program prints a table and the bar beside it; people compare.

#![allow(dead_code, reason = "each program uses its own part of this")]

use mi_test_support::{TempHome, sealed_environment};
use std::{
    ffi::OsStr,
    fs, io,
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

/// The `mi` that was built with this program.
pub const MI: &str = env!("CARGO_BIN_EXE_mi");

/// Copies through this program's memory: a copy inside the file system may share the pieces.
pub fn copied(from: &Path, to: &Path) -> io::Result<()> {
    // One that is still running somewhere keeps its file.
    let _ = fs::remove_file(to);
    fs::write(to, fs::read(from)?)?;
    fs::set_permissions(to, fs::metadata(from)?.permissions())
}

/// A program that gets nothing from this environment but what a test would get, and prints nothing.
pub fn program(program: impl AsRef<OsStr>, home: &TempHome, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear().envs(sealed_environment(home)).current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// The first argument that is a number; cargo passes flags of its own.
pub fn size_or(default: u64) -> u64 {
    std::env::args().skip(1).find_map(|text| text.parse().ok()).unwrap_or(default)
}

/// The CPU time, of user and system, of every process below this one that has ended and was waited for.
///
/// The system counts in nanoseconds and shows hundredths of a second: measure many runs in one go.
pub fn cpu_of_children() -> io::Result<Duration> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    // Fields 16 and 17 of the whole line; the first two stand before the bracket.
    let ticks =
        after_name.split_ascii_whitespace().skip(13).take(2).filter_map(|field| field.parse::<u64>().ok());
    Ok(Duration::from_millis(ticks.sum::<u64>() * 10))
}

/// Milliseconds of one of `count` equal parts.
pub fn ms_each(whole: Duration, count: u64) -> f64 {
    whole.as_secs_f64() * 1e3 / count.max(1) as f64
}

/// Prints rows under a heading, each column as wide as it needs to be, in the form of a Markdown table.
pub fn print_table(heading: &[&str], rows: &[Vec<String>]) {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.chain([heading[column].chars().count()]).max().unwrap_or(0)
    };
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let padded: Vec<String> =
            cells.enumerate().map(|(column, cell)| format!("{cell:<0$}", width(column))).collect();
        println!("| {} |", padded.join(" | "));
    };
    line(&mut heading.iter().copied());
    let rules: Vec<String> = (0..heading.len()).map(|column| "-".repeat(width(column))).collect();
    line(&mut rules.iter().map(String::as_str));
    for row in rows {
        line(&mut row.iter().map(String::as_str));
    }
    println!();
}
