//! `cargo bench -p mi --bench extract [MIB]`: how fast files are found in replies of several kinds, on one core.
//!
//! Bar: 100 MB/s. Counting the lines of the same text stands beside it: no reader can be faster.
#![expect(clippy::print_stdout, reason = "a program for people")]
#![expect(clippy::disallowed_methods, reason = "it measures")]

mod support;

use anyhow::{Result, ensure};
use mi_extract::{Limits, NoFolder, extract};
use std::time::Instant;
use support::{print_table, size_or};

const LIMITS: Limits = Limits { file_bytes: 16 << 20, files: 20_000 };
const ROUNDS: usize = 5;
const PROSE: &str = "The parser reads *one* line at a time and keeps what it `needs`. See [the notes](notes.md) for more,\n\
                     and mind that **nothing** is written before all of it is known. It was measured twice.\n\n";
const CODE: &str = "    let value = compute(&input, 42)?;\n    println!(\"{value}\");\n\n";

fn main() -> Result<()> {
    let bytes = usize::try_from(size_or(32))? << 20;
    let small = 2 << 10;
    let kinds = [
        ("prose", prose(bytes), false),
        ("prose, CRLF", prose(bytes).replace('\n', "\r\n"), false),
        ("files of 2 KiB in prose", files(bytes, small), true),
        ("files of 2 KiB, CRLF", files(bytes, small).replace('\n', "\r\n"), true),
        ("files of 2 KiB in a list", listed(bytes, small), true),
        ("files of 1 MiB", files(bytes, 1 << 20), true),
        ("files of 1 MiB, CRLF", files(bytes, 1 << 20).replace('\n', "\r\n"), true),
    ];
    let mut rows = Vec::new();
    for (name, reply, has_files) in kinds {
        let mut best = f64::MAX;
        let mut found = 0;
        for _ in 0..ROUNDS {
            let start = Instant::now();
            found = extract(reply.as_bytes(), &LIMITS, &NoFolder).files.len();
            best = best.min(start.elapsed().as_secs_f64());
        }
        ensure!((found > 0) == has_files, "{name}: {found} files");
        let start = Instant::now();
        let lines = reply.lines().count();
        let counting = start.elapsed().as_secs_f64();
        let speed = |seconds: f64| format!("{:.0}", reply.len() as f64 / 1e6 / seconds);
        rows.push(vec![name.to_owned(), found.to_string(), lines.to_string(), speed(best), speed(counting)]);
    }
    println!("finding files in a reply; bar: 100 MB/s\n");
    print_table(&["reply", "files", "lines", "MB/s", "MB/s counting lines"], &rows);
    Ok(())
}

fn prose(bytes: usize) -> String {
    PROSE.repeat(bytes / PROSE.len())
}

/// Files of about `size` bytes, a paragraph before each.
fn files(bytes: usize, size: usize) -> String {
    let content = CODE.repeat(size / CODE.len());
    let count = (bytes / (content.len() + PROSE.len())).clamp(1, LIMITS.files);
    (0..count)
        .map(|number| format!("{PROSE}Create `src/f{number}.rs`:\n\n```rust\n{content}```\n\n"))
        .collect()
}

/// The same in the items of one list.
fn listed(bytes: usize, size: usize) -> String {
    let indented: String = CODE.lines().map(|line| format!("   {line}\n")).collect();
    let content = indented.repeat(size / CODE.len());
    let count = (bytes / content.len()).clamp(1, LIMITS.files);
    (0..count)
        .map(|number| format!("1. Create `src/f{number}.rs`:\n\n   ```rust\n{content}   ```\n\n"))
        .collect()
}
