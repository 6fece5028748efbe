//! A home with a project in it, and short ways to write to and look at its log.

#![allow(dead_code, reason = "each test binary uses its own part")]
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "only tests use it")]

use mi_journal::{Layout, LogPlace, LogReader, VerifyReport, verify};
use mi_model::{
    ProjectId, Timestamp,
    record::{Entry, Note},
};
use std::{
    fs,
    path::{Path, PathBuf},
};

pub(crate) struct Home {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) layout: Layout,
    pub(crate) project: ProjectId,
}

impl Home {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { layout: Layout::new(folder.path()), project: ProjectId::new("p"), folder }
    }

    /// A home whose evidence log has these notes, one append each.
    pub(crate) fn with_notes(count: usize) -> Self {
        let home = Self::new();
        home.append(count);
        home
    }

    pub(crate) fn evidence(&self) -> LogPlace {
        self.layout.project(&self.project).evidence()
    }

    pub(crate) fn append(&self, count: usize) -> Vec<u64> {
        let mut log = self.evidence().open().unwrap();
        (0..count)
            .flat_map(|number| log.append(now(), None, &[], &[note(&format!("n{number}"))]).unwrap())
            .collect()
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.evidence().log
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        fs::read_to_string(self.log()).unwrap().lines().map(str::to_owned).collect()
    }

    pub(crate) fn write_lines(&self, lines: &[String]) {
        fs::write(self.log(), lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
    }

    pub(crate) fn verify(&self) -> VerifyReport {
        verify(&self.layout, &self.project).unwrap()
    }

    pub(crate) fn seqs(&self) -> Vec<u64> {
        let reader = LogReader::open(&self.log()).unwrap();
        reader.forwards(0).unwrap().filter_map(|line| line.unwrap().frame()?.seq()).collect()
    }
}

pub(crate) fn now() -> Timestamp {
    Timestamp::from_millis(1_790_000_000_000)
}

pub(crate) fn note(message: &str) -> Entry {
    Entry::Note(Note { message: message.to_owned(), path: String::new() })
}

/// An example program of this crate; cargo builds them together with the tests.
pub(crate) fn example(name: &str) -> PathBuf {
    let folder = std::env::current_exe().unwrap().parent().and_then(Path::parent).unwrap().join("examples");
    let program = folder.join(name);
    assert!(
        program.exists(),
        "{} is missing: run all tests of the crate, not one test target",
        program.display()
    );
    program
}

/// Runs a shell line and returns its exit code and output.
#[expect(clippy::disallowed_methods, reason = "tests start processes of their own")]
pub(crate) fn shell(line: &str) -> (Option<i32>, String) {
    let output = std::process::Command::new("sh").arg("-c").arg(line).output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}
