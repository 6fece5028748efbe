//! What a task says must hold when it is done.
//!
//! Explicit lists ("Done when:", "Acceptance criteria:", "验收标准") and lists of things to do become one criterion per
//! point; a command that must pass becomes a criterion of its own; otherwise the task's first line is one. What the task
//! plainly says about files ([`files`]) is added.
//! Holds: same task, same criteria, at least one and at most [`CRITERIA_KEPT`]; texts are bounded; what does not fit is a
//! criterion that nothing proves, so that no part of a task is dropped in silence.

mod files;

use serde::{Deserialize, Serialize};

use crate::{
    checks::{calls_known_runner, hold_known_runner, shell},
    project::{documents, in_backticks},
};

/// At most this many criteria are read off a task.
pub const CRITERIA_KEPT: usize = 100;
const TEXT_KEPT: usize = 300;

/// One thing that must hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Criterion {
    pub text: String,
    pub kind: CriterionKind,
}

/// What can show that a criterion holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "of", rename_all = "snake_case")]
pub enum CriterionKind {
    /// The project's own checks pass.
    Checks,
    /// This command passes.
    Command(String),
    /// This file is there.
    FileExists(String),
    /// This file is not there any more.
    FileGone(String),
    /// This document was changed and says these texts.
    Document { path: String, says: Vec<String> },
    /// Words that no command decides; the project's checks as a whole must stand for it.
    General,
    /// What the task has beyond the criteria that are kept; nothing shows it.
    Unread,
}

/// The criteria of a task.
pub fn criteria(task: &str) -> Vec<Criterion> {
    let mut found: Vec<Criterion> = listed(task).iter().flat_map(|text| of_point(text)).collect();
    if found.is_empty() {
        found = steps(task).iter().flat_map(|text| of_point(text)).collect();
        if found.is_empty() {
            found = stated_commands(task);
        }
        let is_checked = |criterion: &Criterion| !is_about_a_file(&criterion.kind);
        if !found.iter().any(is_checked) {
            found.insert(0, whole_task(task));
        }
    }
    let known: Vec<CriterionKind> = found.iter().map(|criterion| criterion.kind.clone()).collect();
    found.extend(files_in_prose(task).into_iter().filter(|criterion| !known.contains(&criterion.kind)));
    found.dedup();
    let left_out = found.len().saturating_sub(CRITERIA_KEPT);
    if left_out > 0 {
        found.truncate(CRITERIA_KEPT);
        let text =
            format!("{left_out} more criteria of the task: only {CRITERIA_KEPT} are read; split the task");
        found.push(Criterion { text, kind: CriterionKind::Unread });
    }
    found
}

/// The task's first line: the project's checks stand for it.
fn whole_task(task: &str) -> Criterion {
    let first = task.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("the task");
    Criterion { text: shorten(first.trim_start_matches(['#', ' '])), kind: CriterionKind::Checks }
}

fn is_about_a_file(kind: &CriterionKind) -> bool {
    matches!(kind, CriterionKind::FileExists(_) | CriterionKind::FileGone(_) | CriterionKind::Document { .. })
}

/// What the task says about files outside its lists.
fn files_in_prose(task: &str) -> Vec<Criterion> {
    let mut found = Vec::new();
    let mut fenced = false;
    for line in task.lines() {
        fenced ^= line.trim_start().starts_with("```");
        if fenced || bullet(line).is_some() || heading(line).is_some() {
            continue;
        }
        for sentence in line.split(['。', '！', '!', ';', '；']).flat_map(|part| part.split(". ")) {
            let kinds = match done_when(sentence) {
                Some(rest) => of_point(rest)
                    .into_iter()
                    .map(|criterion| criterion.kind)
                    .filter(is_about_a_file)
                    .collect(),
                None => files::asked(sentence),
            };
            found.extend(kinds.into_iter().map(|kind| Criterion { text: described(&kind, sentence), kind }));
        }
    }
    found
}

/// What follows "done when" in a sentence.
fn done_when(sentence: &str) -> Option<&str> {
    let at = sentence.to_ascii_lowercase().find("done when ")?;
    sentence.get(at + "done when ".len()..).map(|rest| rest.trim_end_matches('.'))
}

/// A criterion about a file in a few words; `sentence` where those are not enough.
fn described(kind: &CriterionKind, sentence: &str) -> String {
    match kind {
        CriterionKind::FileExists(path) => shorten(&format!("`{path}` is there")),
        CriterionKind::FileGone(path) => shorten(&format!("`{path}` is gone")),
        CriterionKind::Document { path, says } if says.is_empty() => {
            shorten(&format!("`{path}` was written"))
        }
        _ => shorten(sentence),
    }
}

/// The points of a list in which every point tells what to do.
fn steps(task: &str) -> Vec<String> {
    let points: Vec<&str> = task.lines().filter_map(bullet).collect();
    let verbs = [
        "fix",
        "add",
        "create",
        "write",
        "remove",
        "delete",
        "update",
        "rename",
        "implement",
        "change",
        "make",
        "ensure",
        "run",
        "refactor",
        "move",
        "replace",
        "support",
        "document",
        "handle",
        "extend",
        "修复",
        "添加",
        "新增",
        "创建",
        "新建",
        "编写",
        "删除",
        "移除",
        "更新",
        "实现",
        "修改",
        "增加",
        "重构",
        "运行",
        "确保",
    ];
    let tells = |point: &&str| {
        let first = point.split_whitespace().next().unwrap_or_default().to_lowercase();
        verbs.iter().any(|verb| if verb.is_ascii() { first == *verb } else { point.starts_with(verb) })
    };
    if points.iter().all(tells) { points.into_iter().map(str::to_owned).collect() } else { Vec::new() }
}

const HEADINGS: [&str; 14] = [
    "done when",
    "acceptance criteria",
    "acceptance",
    "definition of done",
    "success criteria",
    "exit criteria",
    "done criteria",
    "completion criteria",
    "it is done when",
    "验收标准",
    "验收条件",
    "完成标准",
    "完成条件",
    "完成的标准",
];

/// The points of the task's explicit lists.
fn listed(task: &str) -> Vec<String> {
    let mut points: Vec<String> = Vec::new();
    let mut in_list = false;
    let mut seen_bullet = false;
    for line in task.lines() {
        if let Some(rest) = heading(line) {
            (in_list, seen_bullet) = (true, false);
            points.extend(split_inline(rest));
            continue;
        }
        if !in_list || line.trim().is_empty() {
            continue;
        }
        match bullet(line) {
            Some(point) => {
                seen_bullet = true;
                points.push(point.to_owned());
            }
            None if seen_bullet && line.starts_with([' ', '\t']) => {
                if let Some(last) = points.last_mut() {
                    last.push(' ');
                    last.push_str(line.trim());
                }
            }
            None => in_list = false,
        }
    }
    points.retain(|point| point.chars().any(char::is_alphanumeric));
    points
}

/// What follows the heading on its own line, if the line is one.
fn heading(line: &str) -> Option<&str> {
    let line = line.trim().trim_start_matches(['#', '*', ' ', '-']);
    let lower = line.to_lowercase();
    let name = HEADINGS.iter().filter(|name| lower.starts_with(**name)).max_by_key(|name| name.len())?;
    // Lower-casing can change lengths; then the line is not one of our headings.
    let rest = line.get(name.len()..)?.trim_start_matches(['*', ' ']);
    let after = rest.strip_prefix(':').or_else(|| rest.strip_prefix('：'));
    match after {
        Some(rest) => Some(rest.trim_start_matches(['*', ' ']).trim()),
        None => rest.is_empty().then_some(""),
    }
}

fn split_inline(rest: &str) -> Vec<String> {
    rest.split([';', '；']).map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// The text of a bullet or a numbered point.
fn bullet(line: &str) -> Option<&str> {
    let line = line.trim();
    let signs = ["- ", "* ", "• ", "+ ", "· "];
    let marked = signs.iter().find_map(|sign| line.strip_prefix(sign));
    let numbered = || {
        let line = line.trim_start_matches(['(', '（']);
        let rest = line.trim_start_matches(|char: char| char.is_ascii_digit());
        let after = ['.', ')', '、', '）', '．'].iter().find_map(|sign| rest.strip_prefix(*sign));
        after.filter(|_| rest.len() < line.len())
    };
    let text = marked.or_else(numbered)?.trim();
    let unchecked = ["[ ]", "[x]", "[X]"].iter().find_map(|mark| text.strip_prefix(mark));
    Some(unchecked.unwrap_or(text).trim())
}

/// The criteria of one point: as many as it names files, else one.
fn of_point(text: &str) -> Vec<Criterion> {
    let kinds = match kind(text) {
        CriterionKind::Command(command) => vec![CriterionKind::Command(command)],
        CriterionKind::Document { path, says } if !says.is_empty() => {
            vec![CriterionKind::Document { path, says }]
        }
        other => {
            let mut kinds = files::stated(text);
            if kinds.is_empty() {
                kinds = files::asked(text);
            }
            if kinds.is_empty() { vec![other] } else { kinds }
        }
    };
    kinds.into_iter().map(|kind| Criterion { text: shorten(text), kind }).collect()
}

fn kind(text: &str) -> CriterionKind {
    let lower = text.to_lowercase();
    let speaks = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let passes = speaks(&PASSES);
    if let Some(command) = in_backticks(text).into_iter().find(|piece| is_command(piece))
        && (passes || calls_known_runner(&command))
    {
        return CriterionKind::Command(command);
    }
    if let Some(path) = in_backticks(text).into_iter().find(|piece| is_path(piece))
        && speaks(&["exist", "is there", "is present", "is created", "存在", "已创建"])
        && !speaks(&["not exist", "n't exist", "no longer", "不"])
    {
        return CriterionKind::FileExists(path.trim_start_matches("./").to_owned());
    }
    if let Some(path) = named_document(text, &lower).filter(|_| !passes) {
        return CriterionKind::Document { says: wanted_texts(text, &path), path };
    }
    let about_tests = speaks(&["tests", "test suite", "the suite", " ci ", "all checks", "测试", "检查"]);
    if passes && about_tests { CriterionKind::Checks } else { CriterionKind::General }
}

/// Words by which a criterion speaks of what is written in a file.
const WRITTEN: [&str; 24] = [
    "mention", "contain", "describe", "document", "explain", "list", "include", "update", "entry", "note",
    "says", "state", "added to", "section", "example", "提到", "包含", "说明", "描述", "更新", "记录",
    "列出", "写明", "补充",
];

/// The document, or the file and what is written in it, that a criterion is about.
fn named_document(text: &str, lower: &str) -> Option<String> {
    let trim = |word: &str| {
        let word = word.trim_matches(|char: char| !char.is_alphanumeric() && !"./_-".contains(char));
        word.trim_end_matches(['.', '/']).trim_start_matches("./").to_owned()
    };
    let is_wide = |char: char| char.is_whitespace() || ('\u{3000}'..='\u{9fff}').contains(&char);
    let words: Vec<String> = text.split(is_wide).map(trim).collect();
    if let Some(word) = words.iter().find(|word| documents::is_document(word) && is_relative(word)) {
        return Some(word.clone());
    }
    let is_written = WRITTEN.iter().any(|word| lower.contains(word));
    let file = words.iter().find(|word| is_path(word) && has_ending(word)).filter(|_| is_written);
    let any = || {
        let about = ["the docs", "docs ", "documentation", "文档"].iter().any(|word| lower.contains(word));
        (about && is_written).then(|| documents::ANY_DOCUMENT.to_owned())
    };
    file.cloned().or_else(any)
}

fn is_relative(word: &str) -> bool {
    !word.starts_with('/') && !word.split('/').any(|part| part == "..")
}

/// `docs/notes.txt` rather than `and/or` or `v1.2`.
fn has_ending(word: &str) -> bool {
    word.rsplit_once('.').is_some_and(|(stem, end)| {
        stem.chars().any(char::is_alphabetic)
            && (1..=5).contains(&end.len())
            && end.chars().all(|char| char.is_ascii_alphanumeric())
            && end.starts_with(|char: char| char.is_ascii_alphabetic())
    })
}

/// The texts that must stand in the document: in backticks, in quotes, or written like code.
fn wanted_texts(text: &str, path: &str) -> Vec<String> {
    let quoted = |open: char, close: char| -> Vec<String> {
        let pieces = text.split(open).skip(1);
        pieces.filter_map(|piece| Some(piece.split_once(close)?.0.to_owned())).collect()
    };
    let mut found = in_backticks(text);
    found.extend(
        text.split('"')
            .skip(1)
            .step_by(2)
            .map(str::to_owned)
            .filter(|_| text.matches('"').count().is_multiple_of(2)),
    );
    found.extend(quoted('“', '”'));
    found.extend(quoted('「', '」'));
    if found.iter().all(|piece| piece.contains(path)) {
        let trimmed = text.split_whitespace().map(|word| word.trim_matches([',', '.', ';', ':', '`', '"']));
        let code = |word: &&str| {
            word.ends_with("()") || word.contains("::") || word.starts_with("--") && word.len() > 3
        };
        found.extend(trimmed.filter(code).map(str::to_owned));
    }
    found.retain(|piece| !piece.trim().is_empty() && !piece.contains(path) && !piece.contains('\n'));
    found.dedup();
    found
}

const PASSES: [&str; 9] =
    ["pass", "succeed", "green", "exit 0", "exits 0", "exits with 0", "通过", "成功", "跑通"];

/// Commands that the task says must pass.
fn stated_commands(task: &str) -> Vec<Criterion> {
    let sentences = task.split_inclusive(['\n', '。', '!', '！']).flat_map(|part| part.split(". "));
    let mut found = Vec::new();
    for sentence in sentences {
        let lower = sentence.to_lowercase();
        if PASSES.iter().any(|word| lower.contains(word)) && !lower.contains("pass it") {
            let commands = in_backticks(sentence).into_iter().filter(|piece| is_command(piece));
            found.extend(commands.map(|command| Criterion {
                text: shorten(sentence.trim()),
                kind: CriterionKind::Command(command),
            }));
        }
    }
    found
}

/// Whether a piece of code is a shell command rather than a name in a program.
pub(crate) fn is_command(piece: &str) -> bool {
    let parts = shell::read(piece).unwrap_or_default();
    if hold_known_runner(&parts) {
        return true;
    }
    let Some(words) = parts.first().map(|part| &part.words) else { return false };
    let Some(program) = words.first() else { return false };
    let known = [
        "make", "just", "task", "cargo", "go", "npm", "pnpm", "yarn", "bun", "npx", "node", "deno", "python",
        "python3", "ruby", "bundle", "php", "composer", "mvn", "gradle", "dotnet", "swift", "bash", "sh",
        "ruff", "mypy", "eslint", "tsc", "flake8", "black", "cmake", "ninja", "mix", "docker", "uv",
        "poetry", "curl", "test",
    ];
    program.starts_with("./") || (known.contains(&program.as_str()) && words.len() > 1)
}

fn is_path(piece: &str) -> bool {
    let plain = |char: char| char.is_alphanumeric() || "._-/".contains(char);
    let named = piece.contains('/')
        || piece.rsplit_once('.').is_some_and(|(stem, end)| !stem.is_empty() && end.len() <= 5);
    named && piece.chars().all(plain) && !piece.starts_with('/') && !piece.split('/').any(|part| part == "..")
}

fn shorten(text: &str) -> String {
    mi_model::shorten(text.trim(), TEXT_KEPT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use CriterionKind::{Checks, Command, Document, FileExists, FileGone, General, Unread};

    fn document(path: &str, says: &[&str]) -> CriterionKind {
        Document { path: path.to_owned(), says: says.iter().map(|text| (*text).to_owned()).collect() }
    }

    fn read(task: &str) -> Vec<(String, CriterionKind)> {
        criteria(task).into_iter().map(|criterion| (criterion.text, criterion.kind)).collect()
    }

    fn kinds(task: &str) -> Vec<CriterionKind> {
        criteria(task).into_iter().map(|criterion| criterion.kind).collect()
    }

    /// Without a list, the first line is the one criterion, and the project's checks stand for it.
    #[test]
    fn first_line_is_the_criterion() {
        assert_eq!(
            read("Fix the flaky test\n\nIt fails on Mondays."),
            [("Fix the flaky test".to_owned(), Checks)]
        );
        assert_eq!(read("修复登录页面的错误"), [("修复登录页面的错误".to_owned(), Checks)]);
        assert_eq!(read(""), [("the task".to_owned(), Checks)]);
        assert_eq!(read("# Title\ntext"), [("Title".to_owned(), Checks)]);
    }

    /// Lists after a heading, in several writings.
    #[test]
    fn lists_become_criteria() {
        for (task, expected) in [
            (
                "Do it.\n\nDone when:\n- all tests pass\n- docs mention it\n\nThanks",
                vec![Checks, document("docs", &[])],
            ),
            (
                "## Acceptance criteria\n1. `make lint` passes\n2) `out/report.md` exists",
                vec![Command("make lint".to_owned()), FileExists("out/report.md".to_owned())],
            ),
            (
                "**Definition of done:** `cargo test` is green; README updated",
                vec![Command("cargo test".to_owned()), document("README", &[])],
            ),
            (
                "加一个函数\n验收标准：\n1、所有测试通过\n2、`docs/api.md` 存在\n3、支持中文",
                vec![Checks, FileExists("docs/api.md".to_owned()), General],
            ),
            ("完成条件:\n- `pytest -q` 通过", vec![Command("pytest -q".to_owned())]),
            (
                "Acceptance criteria:\n- [ ] works\n  in all cases\n- [x] `npm test`",
                vec![General, Command("npm test".to_owned())],
            ),
        ] {
            assert_eq!(kinds(task), expected, "{task}");
        }
    }

    /// A point about a document is not shown by tests; a point about behaviour is.
    #[test]
    fn documents_are_their_own_kind() {
        for (point, expected) in [
            ("README mentions add()", document("README", &["add()"])),
            ("README.md has a section \"Usage\"", document("README.md", &["Usage"])),
            ("The `README.md` documents `--verbose`", document("README.md", &["--verbose"])),
            ("CHANGELOG updated", document("CHANGELOG", &[])),
            ("docs/x.md describes the format.", document("docs/x.md", &[])),
            ("`config.toml` contains `debug = false`", document("config.toml", &["debug = false"])),
            ("the documentation explains it", document("docs", &[])),
            ("README.md 提到 `add()`", document("README.md", &["add()"])),
            ("add() works for negative numbers", General),
            ("calc.py handles zero", General),
            ("the README example tests pass", General),
            ("no regressions and/or crashes", General),
        ] {
            let expected = if point.contains("tests pass") { Checks } else { expected };
            assert_eq!(kinds(&format!("Done when:\n- {point}")), [expected], "{point}");
        }
    }

    /// What a task names is looked at (00-overview, point 3): files to make, to remove, and what they must contain.
    #[test]
    fn files_that_a_task_names_are_criteria() {
        let there = |path: &str| FileExists(path.to_owned());
        let gone = |path: &str| FileGone(path.to_owned());
        for (task, expected) in [
            ("Create CHANGELOG.md", vec![Checks, there("CHANGELOG.md")]),
            ("Remove old.txt", vec![Checks, gone("old.txt")]),
            ("Fix add.\n\nDone when:\n- tests pass\n- old.txt is deleted", vec![Checks, gone("old.txt")]),
            (
                "Fix add. Done when README.md contains `Usage`.",
                vec![Checks, document("README.md", &["Usage"])],
            ),
            ("Fix add and add a test for zero in test_neg.py", vec![Checks, there("test_neg.py")]),
            ("Do these:\n- fix add\n- create CHANGELOG.md\n", vec![General, there("CHANGELOG.md")]),
            ("Do these:\n- create A.md\n- delete b.txt\n", vec![Checks, there("A.md"), gone("b.txt")]),
            ("修复 add，并删除 old.txt", vec![Checks, gone("old.txt")]),
            ("Create A.md.\n\nDone when:\n- tests pass", vec![Checks, there("A.md")]),
            ("Look:\n```\nCreate A.md\n```", vec![Checks]),
            ("It fails:\n- on Mondays\n- create A.md fails", vec![Checks]),
        ] {
            assert_eq!(kinds(task), expected, "{task}");
        }
    }

    /// What does not fit is a criterion that nothing proves: no part of a task is dropped in silence.
    #[test]
    fn what_is_not_read_is_never_proven() {
        let list = |count: usize| (0..count).map(|at| format!("- f{at}.txt exists\n")).collect::<String>();
        let kept = kinds(&format!("Make files.\n\nDone when:\n{}", list(CRITERIA_KEPT)));
        assert_eq!((kept.len(), kept.last()), (100, Some(&FileExists("f99.txt".to_owned()))));
        let over = kinds(&format!("Make files.\n\nDone when:\n{}", list(CRITERIA_KEPT + 1)));
        assert_eq!((over.len(), over.last()), (101, Some(&Unread)));
        let late = format!("Context {}\n\nDone when:\n- NOTES.md exists\n", "x ".repeat(400_000));
        assert_eq!(kinds(&late), [FileExists("NOTES.md".to_owned())]);
    }

    /// A command that the task says must pass is the criterion; code that is no command is not.
    #[test]
    fn commands_that_must_pass() {
        for (task, expected) in [
            ("Fix the parser so that `make check` passes.", Command("make check".to_owned())),
            ("让 `go test ./...` 通过", Command("go test ./...".to_owned())),
            ("`parse()` should pass its argument on", Checks),
            ("`cargo test` fails on main", Checks),
            ("Make ./x work", Checks),
        ] {
            assert_eq!(kinds(task), [expected], "{task}");
        }
    }

    /// Continuation lines belong to their point, and a long list is cut.
    #[test]
    fn lists_are_bounded() {
        let long = format!("Done when:\n{}", "- one more thing\n- and another\n".repeat(100));
        assert_eq!(criteria(&long).len(), CRITERIA_KEPT + 1);
        assert_eq!(read("Done when:\n- a b\n  c d")[0].0, "a b c d");
    }

    proptest::proptest! {
        /// Any text has at least one criterion, and no more than are kept.
        #[test]
        fn any_text_is_read(task in "(?s)(Done when:|验收标准：|- |1、|`|\n|.){0,60}") {
            let count = criteria(&task).len();
            proptest::prop_assert!((1..=CRITERIA_KEPT).contains(&count));
        }
    }
}
