//! `measure [RECORDS]` prints what appending, reading and looking up cost on a log of that many records.

#![expect(clippy::print_stdout, reason = "a program for people")]
#![expect(clippy::disallowed_methods, reason = "it measures time")]

use mi_journal::{Layout, LogView, Pattern, Query, bench_support, verify};
use mi_model::{ProjectId, RunId, Timestamp};
use std::{error::Error, fs, time::Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let records: u64 = std::env::args().nth(1).map_or(Ok(1_000_000), |text| text.parse())?;
    let home = tempfile::tempdir()?;
    let (layout, project) = (Layout::new(home.path()), ProjectId::new("p"));
    let place = layout.project(&project).evidence();
    let start = Timestamp::from_millis(1_790_000_000_000);
    timed("fill", || bench_support::fill(&place, start, records))?;
    println!("{:>34} {} MB", "log", fs::metadata(&place.log)?.len() >> 20);

    timed("open log, tail 20", || LogView::open(&place.log)?.reader().tail(20))?;
    let rare = query(Query { pattern: Some(Pattern::regex("module m3; .*x9x9x9")?), ..Query::default() });
    timed("no index: grep without a hit", || rare(&LogView::open(&place.log)?, 20))?;
    timed("build the index", || LogView::open(&place.log)?.catch_up(u64::MAX))?;
    println!(
        "{:>34} {} MB",
        "index",
        fs::metadata(place.log.with_extension("index")).map_or(0, |index| index.len()) >> 20
    );

    let run = RunId::new(format!("r{:08}", records / 98 / 2));
    let number = records / 98 / 3;
    let since = Timestamp::from_millis(start.as_millis() + (records as i64 - 50) * 250);
    let queries = [
        ("by seq", Query { seq: Some(records / 2), ..Query::default() }),
        ("last 20 of a frequent kind", Query { kinds: vec!["decision".to_owned()], ..Query::default() }),
        ("last 20 of a kind not there", Query { kinds: vec!["loop_guard".to_owned()], ..Query::default() }),
        ("all of one run", Query { run: Some(run), ..Query::default() }),
        ("since 50 records", Query { since: Some(since), ..Query::default() }),
        (
            "grep one text",
            Query { pattern: Some(Pattern::regex(&format!("test {number} rel"))?), ..Query::default() },
        ),
        ("grep a number", Query { pattern: Some(Pattern::regex(&number.to_string())?), ..Query::default() }),
        ("grep without a hit", Query { pattern: Some(Pattern::regex("m3; .*x9x9x9")?), ..Query::default() }),
        (
            "words, Chinese, with a number",
            Query { pattern: Some(Pattern::words(&format!("提交 t{number}"))?), ..Query::default() },
        ),
    ];
    for (name, wanted) in queries {
        let look = query(wanted);
        timed(name, || look(&LogView::open(&place.log)?, 100))?;
    }
    timed("last 20 runs", || LogView::open(&place.log)?.reader().runs(20, 10_000))?;

    if let Ok(index) = fs::File::open(place.log.with_extension("index")) {
        // So that appending does not share the disk with what the measurement itself left to be written.
        index.sync_all()?;
    }
    let mut log = timed("open for appending", || place.open())?;
    let (groups, before) = (200, cpu_ms()?);
    let began = Instant::now();
    for group in 0..groups {
        log.append(start, None, &[], &bench_support::batch_entries(group, 1))?;
    }
    println!(
        "{:>34} {:.3} ms wall, {:.3} ms CPU",
        "append of six records",
        began.elapsed().as_secs_f64() * 1e3 / groups as f64,
        (cpu_ms()? - before) / groups as f64
    );
    let report = timed("verify", || verify(&layout, &project))?;
    println!("{:>34} {} records, ok {}, {:?}", "", report.records, report.ok(), report.problems);
    Ok(())
}

fn query(wanted: Query) -> impl Fn(&LogView, usize) -> Result<usize, mi_journal::FileError> {
    move |view, limit| Ok(view.newest(&wanted)?.take(limit).collect::<Result<Vec<_>, _>>()?.len())
}

/// Runs the work three times (a first time for the page cache) and prints the fastest.
fn timed<T, E: Error + 'static>(name: &str, work: impl Fn() -> Result<T, E>) -> Result<T, E> {
    let mut best = f64::MAX;
    let rounds = if matches!(name, "fill" | "build the index" | "verify") { 1 } else { 3 };
    let mut result = None;
    for _ in 0..rounds {
        let began = Instant::now();
        result = Some(work()?);
        best = best.min(began.elapsed().as_secs_f64() * 1e3);
    }
    println!("{name:>34} {best:.3} ms");
    result.map_or_else(&work, Ok)
}

/// CPU time of this process so far, with what the kernel spent on its calls.
fn cpu_ms() -> Result<f64, Box<dyn Error>> {
    let nanoseconds: f64 =
        fs::read_to_string("/proc/self/schedstat")?.split(' ').next().ok_or("schedstat")?.parse()?;
    Ok(nanoseconds / 1e6)
}
