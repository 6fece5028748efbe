//! A process for the tests to run and to kill.
//!
//! `journal_child append HOME PROJECT GROUPS` appends groups of three notes and prints `SEQ TOKEN` for each
//! record that was acknowledged; `journal_child read HOME PROJECT` prints what a reading command would see.

#![expect(clippy::print_stdout, reason = "its output is what the tests read")]

use mi_journal::{Layout, LogView, Pattern, Query, repair_torn_tail};
use mi_model::{
    ProjectId, RunId, Timestamp,
    record::{Entry, Note},
};
use std::{error::Error, io::Write, process::ExitCode};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        ["append", home, project, groups] => append(home, project, groups),
        ["read", home, project] => read(home, project),
        _ => Err("usage: journal_child append HOME PROJECT GROUPS | read HOME PROJECT".into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
            println!("error: {error}{cause}");
            ExitCode::FAILURE
        }
    }
}

fn append(home: &str, project: &str, groups: &str) -> Result<(), Box<dyn Error>> {
    let run_id = RunId::new(format!("p{}", std::process::id()));
    let mut log = Layout::new(home).project(&ProjectId::new(project)).evidence().open()?;
    for group in 0..groups.parse::<u64>()? {
        let tokens: Vec<String> = (0..3).map(|part| format!("{run_id}-{group}-{part}")).collect();
        let notes = tokens.iter().map(|token| {
            Entry::Note(Note { message: format!("{token} {}", "x".repeat(300)), path: String::new() })
        });
        let now = Timestamp::from_millis(1_790_000_000_000);
        let seqs = log.append(now, Some(&run_id), &[], &notes.collect::<Vec<_>>())?;
        let told: String = seqs.iter().zip(&tokens).map(|(seq, token)| format!("{seq} {token}\n")).collect();
        std::io::stdout().write_all(told.as_bytes())?;
    }
    Ok(())
}

fn read(home: &str, project: &str) -> Result<(), Box<dyn Error>> {
    let place = Layout::new(home).project(&ProjectId::new(project)).evidence();
    if let Some(repair) = repair_torn_tail(&place.log)? {
        println!("note: {repair}");
    }
    let mut view = LogView::open(&place.log)?;
    let query = Query { pattern: Some(Pattern::regex("note")?), ..Query::default() };
    println!("tail {} hits {}", view.reader().tail(5)?.len(), view.newest(&query)?.count());
    if let Err(error) = view.catch_up(1) {
        println!("no index: {error}");
    }
    Ok(())
}
