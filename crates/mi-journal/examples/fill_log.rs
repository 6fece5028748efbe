//! `fill_log HOME PROJECT_ID RECORDS` writes a realistic evidence log of that many records under HOME.

use mi_journal::{Layout, bench_support};
use mi_model::{ProjectId, Timestamp};

#[expect(clippy::print_stderr, reason = "a program for people")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [home, project, records] = arguments.as_slice() else {
        eprintln!("usage: fill_log HOME PROJECT_ID RECORDS");
        std::process::exit(2);
    };
    let place = Layout::new(home).project(&ProjectId::new(project)).evidence();
    bench_support::fill(&place, Timestamp::from_millis(1_790_000_000_000), records.parse()?)?;
    Ok(())
}
