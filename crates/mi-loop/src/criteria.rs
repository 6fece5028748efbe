//! What a task says must hold when it is done.
//!
//! Explicit lists ("Done when:", "Acceptance criteria:", "验收标准") become one criterion per point. Otherwise the prose is
//! split into its parts: each wish is a criterion of its own, and plain lists count like prose.
//! Every task asks for a change unless it plainly only asks ([`asking`]).
//! Holds: same task, same criteria, at least one and at most [`CRITERIA_KEPT`]; texts are bounded; what does not fit is a
//! criterion that nothing proves, so that no part of a task is dropped in silence.

mod asking;
mod command_wish;
mod examples;
mod files;
mod name_roles;
mod named_things;
mod parts;
mod value_rules;

use serde::{Deserialize, Serialize};

use crate::project::{documents, in_backticks};

pub use asking::only_asks;
pub(crate) use command_wish::is_command;
pub use command_wish::{Expectation, NamedCommand};
pub use examples::{Example, examples};
pub use named_things::{NameKind, NameRole, NamedThing, named_things, subwords};
pub use value_rules::value_criteria;

/// At most this many criteria are read off a task.
pub const CRITERIA_KEPT: usize = 100;
const TEXT_KEPT: usize = 300;

/// One thing that must hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Criterion {
    pub text: String,
    pub kind: CriterionKind,
    /// What it names: symbols, files, values, words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<NamedThing>,
    /// It comes from the person's values, not from the task.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_value: bool,
}

/// What can show that a criterion holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "of", rename_all = "snake_case")]
pub enum CriterionKind {
    /// A change of what the project does; the project's checks must notice it.
    #[serde(alias = "general")]
    Work,
    /// A change that keeps behaviour: refactoring, formatting, cleaning up.
    Preserving,
    /// The project's own checks pass.
    Checks,
    /// This command does what is said of it.
    Command(NamedCommand),
    /// This program of the project is run.
    ProgramRun(String),
    /// This file is there.
    FileExists(String),
    /// This file is not there any more.
    FileGone(String),
    /// This file was changed, says these texts, and no longer says those.
    Document {
        path: String,
        says: Vec<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        no_longer: Vec<String>,
    },
    /// A file or a name is now called otherwise.
    Renamed { from: String, to: String },
    /// New tests that assert something.
    NewTests,
    /// The last message answers; nothing is changed.
    Answer,
    /// The work is committed.
    Commit,
    /// Nothing below this path is changed.
    Untouched(String),
    /// No package is added to those that the project needs.
    NoNewDependencies,
    /// What the task has beyond the criteria that are kept; nothing shows it.
    Unread,
}

impl Criterion {
    fn new(text: &str, kind: CriterionKind) -> Self {
        Self { text: shorten(text), kind, names: named_things(text), is_value: false }
    }

    /// Takes a part that means nothing alone into this one.
    fn join(&mut self, part: &Self) {
        self.text = shorten(&format!("{}; {}", self.text, part.text));
    }

    /// Whether only a file's own content can show it, so that no test has to.
    pub fn is_about_files(&self) -> bool {
        match self.kind {
            CriterionKind::FileExists(_)
            | CriterionKind::FileGone(_)
            | CriterionKind::Document { .. }
            | CriterionKind::Untouched(_) => true,
            CriterionKind::Work
            | CriterionKind::Preserving
            | CriterionKind::Checks
            | CriterionKind::Command(_)
            | CriterionKind::ProgramRun(_)
            | CriterionKind::Renamed { .. }
            | CriterionKind::NewTests
            | CriterionKind::Answer
            | CriterionKind::Commit
            | CriterionKind::NoNewDependencies
            | CriterionKind::Unread => false,
        }
    }

    /// Whether it speaks of a change, rather than of checks that pass anyway.
    fn speaks_of_change(&self) -> bool {
        !matches!(self.kind, CriterionKind::Checks)
            && !matches!(&self.kind, CriterionKind::Command(named) if named.expect == Expectation::Passes)
    }
}

/// The criteria of a task.
pub fn criteria(task: &str) -> Vec<Criterion> {
    if only_asks(task) {
        return vec![Criterion {
            kind: CriterionKind::Answer,
            ..Criterion::new(parts::first_line(task), CriterionKind::Answer)
        }];
    }
    let text = parts::TaskText::read(task);
    let mut found: Vec<Criterion> = text.points.iter().flat_map(|point| of_point(point)).collect();
    // A list of nothing but checks does not say what is to be done; the rest of the task does.
    if !found.iter().any(Criterion::speaks_of_change) {
        let mut wished: Vec<Criterion> = text.wishes.iter().flat_map(|wish| of_wish(wish)).collect();
        if wished.is_empty() {
            wished.push(whole_task(task));
        }
        wished.append(&mut found);
        found = wished;
    } else {
        // What the prose says about files holds beside the list.
        let beside = text.wishes.iter().flat_map(|wish| of_wish(wish)).filter(Criterion::is_about_files);
        let beside: Vec<Criterion> =
            beside.filter(|one| !found.iter().any(|known| known.kind == one.kind)).collect();
        found.extend(beside);
    }
    let mut found = join_dependent(found);
    join_runs(&mut found);
    drop_repeated(&mut found);
    bound(found)
}

/// Parts that mean nothing alone belong to the part before them: "Fix it", "in b.py too", "the result is '1:05'".
fn join_dependent(found: Vec<Criterion>) -> Vec<Criterion> {
    let mut joined: Vec<Criterion> = Vec::new();
    for one in found {
        // "Behaviour stays the same" names nothing that could be looked at by itself.
        let is_assurance = one.kind == CriterionKind::Preserving && !parts::begins_wish(&one.text);
        let is_joined = one.kind == CriterionKind::Work || is_assurance;
        let Some(last) = joined.last_mut().filter(|_| is_joined) else {
            joined.push(one);
            continue;
        };
        let has = |kind: NameKind| one.names.iter().any(|name| name.kind == kind);
        let is_place = has(NameKind::Path) && !has(NameKind::Symbol) && parts::is_place(&one.text);
        let names_nothing = !has(NameKind::Path) && !has(NameKind::Symbol) && !has(NameKind::Value);
        let only_values = has(NameKind::Value) && !has(NameKind::Path) && !has(NameKind::Symbol);
        match &mut last.kind {
            CriterionKind::Document { says, .. } if is_place => {
                let (path, says) = (first_path(&one), says.clone());
                joined.push(Criterion {
                    kind: CriterionKind::Document { path, says, no_longer: Vec::new() },
                    ..one
                });
            }
            CriterionKind::Document { says, .. } if only_values => {
                says.extend(
                    one.names
                        .iter()
                        .filter(|name| name.kind == NameKind::Value)
                        .map(|name| name.text.clone()),
                );
                last.join(&one);
            }
            CriterionKind::Work | CriterionKind::Preserving | CriterionKind::Renamed { .. }
                if names_nothing && !parts::begins_wish(&one.text) =>
            {
                last.join(&one)
            }
            // "Split it into a() and b()", "…, in src/b.py": further names of the same change.
            CriterionKind::Preserving if is_place || parts::is_bare_name(&one.text) => {
                last.join(&one);
                last.names.extend(one.names);
            }
            CriterionKind::Work | CriterionKind::Preserving if only_values => {
                last.join(&one);
                last.names.extend(one.names);
            }
            // "Bump the version to 1.5.0, in a.toml": the first place says where.
            CriterionKind::Work
                if is_place
                    && !last
                        .names
                        .iter()
                        .any(|name| matches!(name.kind, NameKind::Path | NameKind::Symbol)) =>
            {
                last.join(&one);
                last.names.extend(one.names.into_iter().filter(|name| name.kind == NameKind::Path));
            }
            _ if is_assurance => joined.push(one),
            CriterionKind::Work if is_place => {
                let inherited = last.names.iter().filter(|name| name.kind != NameKind::Path).cloned();
                let names = inherited
                    .chain(one.names.iter().filter(|name| name.kind == NameKind::Path).cloned())
                    .collect();
                joined.push(Criterion { names, ..one });
            }
            _ => joined.push(one),
        }
    }
    joined
}

fn first_path(criterion: &Criterion) -> String {
    let path = criterion.names.iter().find(|name| name.kind == NameKind::Path);
    path.map(|name| name.text.clone()).unwrap_or_default()
}

/// "and run it": what was written before is what is run.
fn join_runs(found: &mut [Criterion]) {
    for index in 0..found.len() {
        if !matches!(&found[index].kind, CriterionKind::ProgramRun(path) if path.is_empty()) {
            continue;
        }
        let earlier = found[..index].iter().rev().flat_map(|one| &one.names);
        let mut files = earlier
            .filter(|name| name.kind == NameKind::Path && crate::project::family(&name.text).is_some());
        let file = files.next().map(|name| name.text.clone());
        found[index].kind = match file {
            Some(path) => CriterionKind::ProgramRun(path),
            None => CriterionKind::Checks,
        };
    }
}

fn drop_repeated(found: &mut Vec<Criterion>) {
    let mut seen: Vec<Criterion> = Vec::new();
    found.retain(|one| {
        let is_new = !seen.iter().any(|known| known.kind == one.kind && known.text == one.text);
        if is_new {
            seen.push(one.clone());
        }
        is_new
    });
}

fn bound(mut found: Vec<Criterion>) -> Vec<Criterion> {
    let left_out = found.len().saturating_sub(CRITERIA_KEPT);
    if left_out > 0 {
        found.truncate(CRITERIA_KEPT);
        let text =
            format!("{left_out} more criteria of the task: only {CRITERIA_KEPT} are read; split the task");
        found.push(Criterion { text, kind: CriterionKind::Unread, names: Vec::new(), is_value: false });
    }
    found
}

/// The whole task as one wish.
fn whole_task(task: &str) -> Criterion {
    let first = parts::first_line(task);
    Criterion::new(if first.is_empty() { "the task" } else { first }, CriterionKind::Work)
}

/// The criteria of one part of the prose.
fn of_wish(wish: &str) -> Vec<Criterion> {
    if let Some(named) = command_wish::read(wish) {
        return vec![Criterion::new(wish, CriterionKind::Command(named))];
    }
    if let Some(kind) = parts::special_wish(wish) {
        return vec![Criterion::new(wish, kind)];
    }
    let mut kinds = files::asked(wish);
    if kinds.is_empty() {
        kinds.extend(document_wish(wish));
    }
    if kinds.is_empty() {
        kinds.push(if parts::keeps_behaviour(wish) {
            CriterionKind::Preserving
        } else {
            CriterionKind::Work
        });
    }
    let is_described = says_what_it_does(wish, &kinds);
    let mut found: Vec<Criterion> = kinds.into_iter().map(|kind| Criterion::new(wish, kind)).collect();
    if is_described {
        found.push(Criterion::new(wish, CriterionKind::Work));
    }
    found
}

/// Whether a wish for a source file also says what that file has to do, which its mere presence does not show.
fn says_what_it_does(wish: &str, kinds: &[CriterionKind]) -> bool {
    let is_source = |path: &str| {
        crate::project::family(path).is_some()
            && !documents::is_document(path)
            && !crate::project::is_test_file(path)
    };
    let has_source = kinds.iter().any(|kind| match kind {
        CriterionKind::FileExists(path) | CriterionKind::Document { path, .. } => is_source(path),
        _ => false,
    });
    let lower = wish.to_lowercase();
    has_source
        && [" that ", " which ", " to ", " with ", "用于", "来"].iter().any(|word| lower.contains(word))
}

/// The criteria of one point of a list: as many as it names files, else one.
fn of_point(text: &str) -> Vec<Criterion> {
    if let Some(named) = command_wish::read(text) {
        return vec![Criterion::new(text, CriterionKind::Command(named))];
    }
    if let Some(kind) = parts::special_wish(text) {
        return vec![Criterion::new(text, kind)];
    }
    let (statements, rest) = parts::split_statement(text);
    let mut found: Vec<Criterion> = Vec::new();
    for statement in [statements].into_iter().chain(rest) {
        let kinds = point_kinds(statement);
        found.extend(kinds.into_iter().map(|kind| Criterion::new(statement, kind)));
    }
    found
}

fn point_kinds(text: &str) -> Vec<CriterionKind> {
    let lower = text.to_lowercase();
    let mut kinds = files::stated(text);
    if kinds.is_empty() {
        kinds.extend(document_wish(text));
    }
    if kinds.is_empty() {
        kinds = files::asked(text);
    }
    if kinds.is_empty() {
        let speaks = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        let about_tests = speaks(&["tests", "test suite", "the suite", " ci ", "all checks", "测试", "检查"]);
        let kind = if speaks(&command_wish::PASSES) && about_tests {
            CriterionKind::Checks
        } else if parts::keeps_behaviour(text) {
            CriterionKind::Preserving
        } else {
            CriterionKind::Work
        };
        kinds.push(kind);
    }
    kinds
}

/// Words by which a criterion speaks of what is written in a file.
const WRITTEN: [&str; 28] = [
    "mention",
    "contain",
    "describe",
    "document",
    "explain",
    "list",
    "include",
    "update",
    "entry",
    "note",
    "says",
    "state",
    "added to",
    "section",
    "example",
    "has a function",
    "has a class",
    "defines",
    "提到",
    "包含",
    "说明",
    "描述",
    "更新",
    "记录",
    "列出",
    "写明",
    "补充",
    "文档",
];
/// Words by which a text is to go.
const CORRECTED: [&str; 8] =
    ["typo", "misspell", "spelling", "错别字", "拼写", "tippfehler", "errata", "faute"];

/// The file a wish is about, with what must be written in it.
fn document_wish(text: &str) -> Option<CriterionKind> {
    let lower = text.to_lowercase();
    let path = named_document(text, &lower)?;
    let texts = wanted_texts(text, &path);
    if CORRECTED.iter().any(|word| lower.contains(word)) {
        let no_longer = if texts.is_empty() { single_quoted(text) } else { texts };
        return Some(CriterionKind::Document { path, says: Vec::new(), no_longer });
    }
    let names = named_things(text);
    let is_replaced = |piece: &String| {
        names.iter().any(|name| name.role == NameRole::Replaced && piece.contains(&name.text))
    };
    let (no_longer, mut says): (Vec<String>, Vec<String>) = texts.into_iter().partition(is_replaced);
    says.extend(section_name(text));
    says.dedup();
    Some(CriterionKind::Document { path, says, no_longer })
}

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
    let is_written = WRITTEN.iter().chain(&CORRECTED).any(|word| has_word_start(lower, word));
    let sets_value = ["version", "bump", "set", "版本"].iter().any(|word| has_word_start(lower, word));
    // "The version of package.json" takes something from the file.
    let is_source = |index: usize| {
        let before = index.checked_sub(1).and_then(|before| words.get(before));
        before.is_some_and(|word| ["of", "from", "von", "aus", "de"].contains(&word.to_lowercase().as_str()))
    };
    let file = words
        .iter()
        .enumerate()
        .find(|(index, word)| files::is_file(word) && !is_source(*index))
        .map(|(_, word)| word)
        .filter(|_| is_written || sets_value);
    let any = || {
        let about = ["the docs", "docs ", "documentation", "文档"].iter().any(|word| lower.contains(word));
        (about && is_written).then(|| documents::ANY_DOCUMENT.to_owned())
    };
    file.cloned().or_else(any)
}

/// Whether a text has a word that begins like this; Chinese has no blanks between words.
fn has_word_start(lower: &str, word: &str) -> bool {
    lower.match_indices(word).any(|(at, _)| {
        !word.is_ascii()
            || !lower[..at]
                .chars()
                .next_back()
                .is_some_and(|char| char.is_alphanumeric() || "._/-".contains(char))
    })
}

/// "has a section Usage", "a Usage section".
fn section_name(text: &str) -> Option<String> {
    let words: Vec<&str> =
        text.split_whitespace().map(|word| word.trim_matches(['"', '`', '.', ',', ':'])).collect();
    let at = words.iter().position(|word| word.eq_ignore_ascii_case("section"))?;
    let is_title =
        |word: &&&str| word.chars().next().is_some_and(char::is_uppercase) && !documents::is_document(word);
    let skip = |word: &&&str| ["named", "called", "on", "about", "titled"].contains(*word);
    let after = words.get(at + 1..).unwrap_or_default().iter().find(|word| !skip(word)).filter(is_title);
    let before = || at.checked_sub(1).and_then(|before| words.get(before)).filter(is_title);
    after.or_else(before).map(|word| (*word).to_owned())
}

fn is_relative(word: &str) -> bool {
    !word.starts_with('/') && !word.split('/').any(|part| part == "..")
}

/// The texts that must stand in the document: in backticks, in quotes, a version, or written like code.
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
    found.extend(single_quoted(text));
    if found.iter().all(|piece| piece.contains(path)) {
        let trimmed = text.split_whitespace().map(|word| word.trim_matches([',', '.', ';', ':', '`', '"']));
        let code = |word: &&str| {
            word.ends_with("()") || word.contains("::") || word.starts_with("--") && word.len() > 3
        };
        found.extend(trimmed.filter(code).map(str::to_owned));
    }
    found.extend(named_things::versions(text));
    found.retain(|piece| !piece.trim().is_empty() && !piece.contains(path) && !piece.contains('\n'));
    found.dedup();
    found
}

/// Texts in single quotes that stand apart, which an apostrophe does not.
fn single_quoted(text: &str) -> Vec<String> {
    single_quoted_parts(text).into_iter().map(str::to_owned).collect()
}

fn single_quoted_parts(text: &str) -> Vec<&str> {
    let pieces: Vec<&str> = text.split('\'').collect();
    let is_edge = |char: char| !char.is_alphanumeric() || !char.is_ascii();
    let opens = |before: &str| before.chars().next_back().is_none_or(is_edge);
    let closes = |after: &str| after.chars().next().is_none_or(is_edge);
    let quoted =
        pieces.windows(3).filter(|three| opens(three[0]) && closes(three[2]) && !three[1].is_empty());
    quoted.map(|three| three[1]).filter(|text| !text.starts_with(' ') && !text.ends_with(' ')).collect()
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
mod tests;
