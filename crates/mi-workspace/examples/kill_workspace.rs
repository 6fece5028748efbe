//! `kill_workspace [OPERATIONS]`: two processes work on one project and are killed and started again at random until
//! they have acknowledged that many operations; then everything acknowledged must be there and every file valid.

#![expect(clippy::print_stdout, reason = "a program for people")]

#[path = "../tests/kills/check.rs"]
mod check;

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let wanted: u64 = std::env::args().nth(1).map_or(Ok(10_000), |text| text.parse())?;
    let child = std::env::current_exe()?.with_file_name("workspace_child");
    let folder = tempfile::tempdir()?;
    let report = check::kill_and_check(&child, folder.path(), wanted)?;
    println!("{report}");
    Ok(())
}
