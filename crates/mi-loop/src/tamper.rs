//! Signs that a check was weakened: tests deleted, skipped or emptied, expectations changed, what they test replaced,
//! configuration changed to ignore them.
//!
//! The engine takes an [`inventory`] of every file for which [`is_inventoried`] holds, before the run and after each
//! batch, and [`compare`] finds what got weaker. Tests are tracked by name and body, not by count; inventories hold
//! names and small numbers, not contents.
//! Holds: moving or renaming tests is no sign; what the task itself asks for is no sign.
//! Reading source line by line can be fooled; a sign lowers a proof and says why, it never stops work by itself.

mod compare;
mod config;
mod entries;
mod language;
mod replaced;
mod script;
mod snapshot;
mod strength;
mod wish;

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

pub use compare::compare;
pub use strength::AssertionMark;

/// At most this many tests of one file are kept by name.
const TESTS_KEPT: usize = 400;
const NAME_KEPT: usize = 120;
/// At most this many ignoring entries of one file are kept.
const ENTRIES_KEPT: usize = 100;

/// What kind of weakening a sign is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TamperKind {
    /// A test is gone, and its body is nowhere else.
    TestRemoved,
    /// Fewer assertions than before, or none.
    AssertionsLost,
    /// An assertion stands under a condition or in a `try` now.
    AssertionGuarded,
    /// An assertion asks for less, or cannot fail.
    AssertionWeaker,
    /// An assertion expects something else.
    ExpectationChanged,
    /// Rows of a test's table are gone or expect something else.
    EntriesGone,
    /// Snapshots or golden files were written anew.
    ExpectedData,
    /// Tests are skipped, or only some run.
    Skipped,
    /// A test runs only under a condition, is collected no more, or must fail now.
    NotRun,
    /// What the tests call is replaced by something else.
    SubjectReplaced,
    /// Configuration leaves tests or failures out, or declares fewer checks.
    Configuration,
    /// The check's own script was changed.
    CheckScript,
    /// A sign of an older journal.
    #[default]
    Unknown,
}

/// One sign, in words a person can check.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TamperSign {
    #[serde(default)]
    pub kind: TamperKind,
    pub path: String,
    pub what: String,
}

/// What is kept of one test.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, from = "RecordedCase")]
pub struct TestCase {
    /// Assertions that can fail.
    pub assertions: u32,
    /// The body without its name, blanks and comments; None in an older journal.
    pub body: Option<u32>,
    /// The body without the names in it.
    pub outline: Option<u32>,
    /// What it asserts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<AssertionMark>,
    /// Rows of its tables.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub entries: BTreeSet<u32>,
    /// Functions that its assertions call.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub calls: BTreeSet<String>,
    #[serde(skip_serializing_if = "is_default")]
    pub skips: u32,
    /// It passes when it fails (`#[should_panic]`).
    #[serde(skip_serializing_if = "is_default")]
    pub inverted: bool,
    /// It runs only under a condition, or no runner collects it.
    #[serde(skip_serializing_if = "is_default")]
    pub conditional: bool,
}

/// What says nothing is not recorded: a baseline is part of every run's record.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A test as journals hold it; older ones only counted its assertions.
#[derive(Deserialize)]
#[serde(untagged)]
enum RecordedCase {
    Count(u32),
    Case {
        #[serde(default)]
        assertions: u32,
        #[serde(default)]
        body: Option<u32>,
        #[serde(default)]
        outline: Option<u32>,
        #[serde(default)]
        marks: Vec<AssertionMark>,
        #[serde(default)]
        entries: BTreeSet<u32>,
        #[serde(default)]
        calls: BTreeSet<String>,
        #[serde(default)]
        skips: u32,
        #[serde(default)]
        inverted: bool,
        #[serde(default)]
        conditional: bool,
    },
}

impl From<RecordedCase> for TestCase {
    fn from(recorded: RecordedCase) -> Self {
        match recorded {
            RecordedCase::Count(assertions) => Self { assertions, ..Self::default() },
            RecordedCase::Case {
                assertions,
                body,
                outline,
                marks,
                entries,
                calls,
                skips,
                inverted,
                conditional,
            } => Self { assertions, body, outline, marks, entries, calls, skips, inverted, conditional },
        }
    }
}

/// What one file contributes to the project's checks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TestInventory {
    /// Each test; a name that comes again has its number behind it.
    pub tests: BTreeMap<String, TestCase>,
    /// Tests beyond those kept whole.
    #[serde(skip_serializing_if = "is_default")]
    pub more_tests: u32,
    /// Their names, as numbers.
    #[serde(skip_serializing_if = "is_default")]
    pub more_names: BTreeSet<u32>,
    /// Assertions that can fail, in and outside tests.
    #[serde(skip_serializing_if = "is_default")]
    pub assertions: u32,
    /// Assertions that cannot fail, such as `assert True`.
    #[serde(skip_serializing_if = "is_default")]
    pub trivial: u32,
    #[serde(skip_serializing_if = "is_default")]
    pub skips: u32,
    /// Configuration that leaves tests or failures out, each as a short text.
    #[serde(skip_serializing_if = "is_default")]
    pub ignores: BTreeSet<String>,
    /// Checks that a configuration declares: scripts, targets, CI steps.
    #[serde(skip_serializing_if = "is_default")]
    pub declares: BTreeSet<String>,
    /// Rows of tables outside of tests.
    #[serde(skip_serializing_if = "is_default")]
    pub entries: BTreeSet<u32>,
    /// What is imported, by module.
    #[serde(skip_serializing_if = "is_default")]
    pub imports: BTreeMap<String, BTreeSet<String>>,
    /// Functions that are defined here and are no tests.
    #[serde(skip_serializing_if = "is_default")]
    pub defines: BTreeSet<String>,
    /// Names and modules that something else is put in the place of.
    #[serde(skip_serializing_if = "is_default")]
    pub replaces: BTreeSet<String>,
    /// Expected data, by entry.
    #[serde(skip_serializing_if = "is_default")]
    pub data: BTreeMap<String, u32>,
    /// What a shell script does.
    #[serde(skip_serializing_if = "is_default")]
    pub script: Option<u32>,
    /// Scripts that its checks start.
    #[serde(skip_serializing_if = "is_default")]
    pub starts: BTreeSet<String>,
}

impl TestInventory {
    /// Adds a test and returns the name it is kept by.
    fn add_test(&mut self, name: &str, case: TestCase) -> String {
        let name = &name[..name.floor_char_boundary(NAME_KEPT)];
        let mut kept = name.to_owned();
        let mut number = 1;
        while self.tests.contains_key(&kept) {
            number += 1;
            kept = format!("{name} #{number}");
        }
        if self.tests.len() < TESTS_KEPT {
            self.tests.insert(kept.clone(), case);
        } else {
            self.more_tests = self.more_tests.saturating_add(1);
            self.more_names.insert(strength::fingerprint(name));
        }
        kept
    }

    fn add_ignore(&mut self, entry: &str) {
        if self.ignores.len() < ENTRIES_KEPT {
            self.ignores.insert(entry[..entry.floor_char_boundary(NAME_KEPT)].to_owned());
        }
    }

    fn add_starts(&mut self, line: &str) {
        for path in script::started_by(line) {
            if self.starts.len() < ENTRIES_KEPT {
                self.starts.insert(path[..path.floor_char_boundary(NAME_KEPT)].to_owned());
            }
        }
    }

    /// How many tests the file has.
    pub fn test_count(&self) -> u64 {
        self.tests.len() as u64 + u64::from(self.more_tests)
    }
}

/// Whether the engine should read this file before the run and after each batch.
///
/// Rust sources count because tests live in them; a file without tests has no inventory and costs one search.
pub fn is_inventoried(path: &str) -> bool {
    let ignored = ["target/", "node_modules/", ".git/", "vendor/", ".venv/", "dist/"];
    let outside =
        ignored.iter().any(|folder| path.starts_with(folder) || path.contains(&format!("/{folder}")));
    let is_read = config::Kind::of(path).is_some()
        || language::Language::of(path).is_some()
        || script::is_script(path)
        || snapshot::is_expected_data(path);
    !outside && is_read
}

/// What the file contributes to the project's checks; None when that is nothing.
pub fn inventory(path: &str, content: &str) -> Option<TestInventory> {
    let mut inventory = TestInventory::default();
    if let Some(language) = language::Language::of(path) {
        language.read(path, content, &mut inventory);
    }
    if let Some(kind) = config::Kind::of(path) {
        kind.read(content, &mut inventory);
    }
    if snapshot::is_expected_data(path) {
        inventory.data = snapshot::entries(content);
    }
    inventory.script = script::content(path, content);
    (inventory != TestInventory::default()).then_some(inventory)
}

#[cfg(test)]
mod tests;
