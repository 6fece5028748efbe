//! What hooks see of the work between two saves, and which triggers of D.12 follow from it.
//!
//! Holds: everything kept here is bounded and without secrets; nothing is a trigger before it was reported, which is
//! when the agent stops and waits.

use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};

use super::WorkEvent;

/// What was seen since the last save.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Work {
    /// What the person asked for, one line each.
    pub requests: Vec<String>,
    pub files: Vec<String>,
    /// Commands of tests that passed after the last change.
    pub checks: Vec<String>,
    pub decisions: Vec<String>,
    /// Reviews by another agent, as the answer calls them.
    pub reviews: Vec<String>,
    pub log_updated: bool,
    pub tasks_done: bool,
    /// Tasks of the list that are not done; they are what comes next.
    pub open_tasks: Vec<String>,
    /// What the person ordered without debate (D.3).
    pub overrides: Vec<String>,
}

/// One tool that ended.
#[derive(Debug, Clone, Copy, Default)]
pub struct ToolSeen<'a> {
    /// A shell command, with what it printed.
    pub command: Option<(&'a str, &'a str)>,
    /// Files that were written.
    pub files: &'a [String],
    /// The list of tasks as it was just written: how many are done, of how many.
    pub tasks: Option<(usize, usize)>,
    /// Those of the list that are not done.
    pub open_tasks: &'a [String],
    pub failed: bool,
}

/// Kept of each list; the newest stay.
const MOST: usize = 20;
const LONGEST: usize = 160;

impl Work {
    /// Whether code, a check, a review or a decision came out.
    pub fn has_output(&self) -> bool {
        !(self.files.is_empty()
            && self.checks.is_empty()
            && self.decisions.is_empty()
            && self.reviews.is_empty()
            && self.overrides.is_empty())
            || self.tasks_done
    }

    /// The person asked for something.
    pub fn request(&mut self, text: &str) {
        let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        keep(&mut self.requests, line);
    }

    pub fn decide(&mut self, text: &str) {
        keep(&mut self.decisions, text);
    }

    /// The person switched debate off with this message.
    pub fn overrule(&mut self, text: &str) {
        let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        keep(&mut self.overrides, line);
    }

    /// What is left of it when everything else was written to the log.
    pub fn saved(&self) -> Self {
        Self { open_tasks: self.open_tasks.clone(), ..Self::default() }
    }

    /// Takes in one tool; true if there is something new to remember.
    pub fn tool(&mut self, seen: &ToolSeen<'_>) -> bool {
        let before = self.clone();
        if !seen.failed {
            for file in seen.files {
                keep(&mut self.files, file);
                self.log_updated |= is_work_log(file);
            }
            if let Some((command, output)) = seen.command.filter(|(command, _)| runs_tests(command)) {
                match passed(output) {
                    true => keep(&mut self.checks, command),
                    false => self.checks.clear(),
                }
            }
        } else if seen.command.is_some_and(|(command, _)| runs_tests(command)) {
            self.checks.clear();
        }
        if !seen.failed && !seen.files.is_empty() {
            // What passed before a change says nothing about what is there now.
            self.checks.clear();
        }
        if let Some((done, all)) = seen.tasks {
            self.tasks_done = all > 0 && done == all;
            self.open_tasks.clear();
            seen.open_tasks.iter().for_each(|task| keep(&mut self.open_tasks, task));
        }
        *self != before
    }

    /// The agent has answered and waits: what is due now, in the seed's order.
    pub fn reported(&mut self, answer: &str) -> Vec<WorkEvent> {
        for mark in [
            "[外部审查通过]",
            "[外部建议已部分采纳]",
            "[external review passed]",
            "[external advice partly adopted]",
        ] {
            if answer.contains(mark) {
                keep(&mut self.reviews, mark);
            }
        }
        [
            (!self.checks.is_empty(), WorkEvent::TestsPassedAndReported),
            (!self.reviews.is_empty(), WorkEvent::ReviewAdoptionReported),
            (self.log_updated, WorkEvent::WorkLogUpdated),
            (self.tasks_done, WorkEvent::TaskDoneAndWaiting),
        ]
        .into_iter()
        .filter_map(|(due, event)| due.then_some(event))
        .collect()
    }

    /// What was completed, in a few words.
    pub fn completed(&self) -> Vec<String> {
        let mut details = Vec::new();
        if !self.files.is_empty() {
            details.push(format!("changed {}", some(&self.files)));
        }
        if !self.checks.is_empty() {
            details.push(format!("tests passed: {}", some(&self.checks)));
        }
        if self.tasks_done {
            details.push("all tasks of the list done".to_owned());
        }
        let details = details.join("; ");
        match (self.requests.as_slice(), details.is_empty()) {
            (_, true) => Vec::new(),
            ([], false) => vec![details],
            (requests, false) => {
                let last = requests.len() - 1;
                let line = |(at, request): (usize, &String)| {
                    if at == last { format!("{request} ({details})") } else { request.clone() }
                };
                requests.iter().enumerate().map(line).collect()
            }
        }
    }
}

fn some(list: &[String]) -> String {
    let shown: Vec<&str> = list.iter().take(5).map(String::as_str).collect();
    let more = list.len() - shown.len();
    if more > 0 { format!("{} and {more} more", shown.join(", ")) } else { shown.join(", ") }
}

fn keep(list: &mut Vec<String>, text: &str) {
    let text = mi_model::shorten(mi_secrets::redact(text).trim(), LONGEST);
    if text.is_empty() || list.contains(&text) {
        return;
    }
    list.push(text);
    let over = list.len().saturating_sub(MOST);
    list.drain(..over);
}

/// `WORKLOG.md`, `docs/work-log/2026.md`, `工作日志.md` and the like.
fn is_work_log(path: &str) -> bool {
    let path = path.to_lowercase().replace(['-', '_', ' '], "");
    ["worklog", "devlog", "progresslog", "tasklog", "工作日志", "开发日志", "projectlog"]
        .iter()
        .any(|name| path.contains(name))
}

fn runs_tests(command: &str) -> bool {
    static RUNNERS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?x)(?:^|[\s;&|(/])(?:
                cargo\s+(?:\+\S+\s+)?(?:test|nextest\s+run|t)\b | pytest\b | py\.test\b | tox\b | nox\b
              | python3?\s+-m\s+(?:pytest|unittest)\b | (?:npm|pnpm|yarn|bun)\s+(?:run\s+)?(?:test|t)\b | npx\s+(?:jest|vitest|mocha)\b
              | jest\b | vitest\b | mocha\b | go\s+test\b | deno\s+test\b | mvn\s+(?:\S+\s+)*(?:test|verify)\b | gradlew?\s+(?:\S+\s+)*test\b
              | dotnet\s+test\b | rspec\b | phpunit\b | ctest\b | make\s+(?:\S+\s+)*(?:test|check)\b | just\s+test\b | swift\s+test\b
              | bats\b | rake\s+test\b | bundle\s+exec\s+rspec\b | dev/test\b)",
        )
        .expect("a fixed pattern compiles")
    });
    RUNNERS.is_match(command)
}

/// Agents that tell no exit code tell what was printed.
fn passed(output: &str) -> bool {
    static FAILED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?mi)\b[1-9]\d*\s+(?:failed|failures?|failing|errors?)\b|\bfail(?:ed|ures?|ing)?[:=]\s*[1-9]|^FAIL(?:ED)?\b|test result: FAILED|^error(?:\[|:)|exit(?:ed)?(?: with)? code:? [1-9]|command not found|no tests? (?:ran|found)|\b0 (?:tests|passed)\b",
        )
        .expect("a fixed pattern compiles")
    });
    let end = output.len().saturating_sub(64 * 1024);
    !FAILED.is_match(&output[output.ceil_char_boundary(end)..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ran(work: &mut Work, command: &str, output: &str, failed: bool) {
        work.tool(&ToolSeen { command: Some((command, output)), failed, ..ToolSeen::default() });
    }

    fn wrote(work: &mut Work, file: &str) {
        work.tool(&ToolSeen { files: &[file.to_owned()], ..ToolSeen::default() });
    }

    /// Tests that passed are due when the agent reports; a failure or a later change takes them back.
    #[test]
    fn d_12_tests_passed_and_reported() {
        let mut work = Work::default();
        ran(&mut work, "cargo test -p x", "test result: ok. 3 passed; 0 failed", false);
        assert_eq!(work.reported("done"), [WorkEvent::TestsPassedAndReported]);
        wrote(&mut work, "a.rs");
        assert!(work.reported("done").is_empty());
        for (command, output, failed, due) in [
            ("npm test", "12 passing", false, true),
            ("cd app && pytest -q", "2 passed in 0.1s", false, true),
            ("go test ./...", "FAIL\tpkg", false, false),
            ("pytest", "1 failed, 2 passed", false, false),
            ("cargo nextest run", "", true, false),
            ("ls tests", "a", false, false),
            ("echo npm install", "", false, false),
            ("python3 -m unittest", "Ran 0 tests in 0s\n\nNO TESTS RAN", false, false),
        ] {
            let mut work = Work::default();
            ran(&mut work, command, output, failed);
            assert_eq!(!work.reported("").is_empty(), due, "{command}: {output}");
        }
    }

    /// A review that was annotated, a work log that was written and a finished list are due, in the seed's order.
    #[test]
    fn d_12_review_work_log_and_tasks() {
        let mut work = Work::default();
        wrote(&mut work, "docs/WORK-LOG.md");
        let open = ["write the docs".to_owned()];
        work.tool(&ToolSeen { tasks: Some((2, 3)), open_tasks: &open, ..ToolSeen::default() });
        assert_eq!(work.reported("x"), [WorkEvent::WorkLogUpdated]);
        assert_eq!(work.saved().open_tasks, open, "what comes next outlives a save");
        work.tool(&ToolSeen { tasks: Some((3, 3)), ..ToolSeen::default() });
        let due = work.reported("[外部建议已部分采纳] names were changed");
        assert_eq!(
            due,
            [WorkEvent::ReviewAdoptionReported, WorkEvent::WorkLogUpdated, WorkEvent::TaskDoneAndWaiting]
        );
    }

    /// The log says what was asked, changed and checked, without secrets and without growing.
    #[test]
    fn d_12_completed_items_are_what_was_seen() {
        let mut work = Work::default();
        let token = format!("{}{}", "ghp_", "a1B2".repeat(9));
        work.request(&format!("\nfix the parser with {token}\nplease"));
        wrote(&mut work, "a.rs");
        ran(&mut work, "cargo test", "ok", false);
        assert_eq!(
            work.completed(),
            ["fix the parser with [REDACTED:github-token] (changed a.rs; tests passed: cargo test)"]
        );
        for number in 0..100 {
            wrote(&mut work, &format!("{number}.rs"));
        }
        assert_eq!(work.files.len(), MOST);
        assert!(Work::default().completed().is_empty() && !Work::default().has_output());
    }
}
