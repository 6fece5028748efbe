//! What the task itself asks for: tests to be given up, behaviour and expectations to be changed.
//!
//! Holds: a repair allows no other expectation, except a value that the task states itself.

use std::collections::BTreeSet;

use super::{
    AssertionMark, TestCase,
    strength::{call_length, fingerprint, literals_of},
};

/// The task, read for what it permits.
pub(super) struct Wish {
    task: String,
    /// Sentences that ask for tests to be removed, skipped or loosened.
    permitting: Vec<String>,
    /// It is to repair something.
    fixes: bool,
    /// It speaks of changing tests or what they expect.
    about_tests: bool,
    /// "mean([1, 2]) is 2": the call and its value.
    claims: Vec<(u32, u32)>,
    /// Values that are stated of no call, and texts in quotes.
    values: BTreeSet<u32>,
}

impl Wish {
    pub(super) fn of(task: &str) -> Self {
        let claims = claims(task);
        Self {
            task: task.to_owned(),
            permitting: permitting(task),
            fixes: fixes(task),
            about_tests: is_about_tests(task),
            values: stated_values(task, claims.is_empty()),
            claims,
        }
    }

    /// Whether a sentence that permits it names this file or test.
    pub(super) fn covers(&self, name: &str) -> bool {
        let file = name.rsplit('/').next().unwrap_or(name);
        let stem = file.split('.').next().unwrap_or(file);
        let named = |sentence: &String| {
            sentence.contains(name)
                || (file.len() >= 4 && sentence.contains(file))
                || (stem.len() >= 6 && sentence.contains(stem))
        };
        // "delete lib/ago.js and its test": the test is known by the file it belongs to.
        let subject = stem.trim_start_matches("test_").trim_end_matches("_test").trim_end_matches("_spec");
        let belongs = |sentence: &String| {
            let lower = sentence.to_lowercase();
            let mut words = sentence.split(|char: char| char.is_whitespace() || ",;()`\"".contains(char));
            let is_subject = |word: &str| {
                word.contains('.')
                    && word.rsplit('/').next().and_then(|file| file.split('.').next()) == Some(subject)
            };
            (lower.contains("its test") || lower.contains("their test") || lower.contains("测试"))
                && words.any(is_subject)
        };
        self.permitting.iter().any(|sentence| named(sentence) || belongs(sentence))
    }

    /// Whether the task removes what the test calls: "Remove pairwise()".
    pub(super) fn removes_subject(&self, case: &TestCase) -> bool {
        let removes = |sentence: &String| {
            let mut words = sentence.split(|char: char| !is_name(char)).filter(|word| !word.is_empty());
            let first = words.next().unwrap_or_default().to_lowercase();
            let named: Vec<&str> = words.take(5).collect();
            ["remove", "delete", "drop", "entferne", "lösche", "elimina", "borra", "supprime"]
                .contains(&first.as_str())
                && case.calls.iter().any(|call| call.len() >= 3 && named.contains(&call.as_str()))
        };
        self.permitting.iter().any(removes)
    }

    /// Whether a sentence that permits it names every test that the sign is about.
    pub(super) fn covers_what(&self, what: &str) -> bool {
        let names: Vec<&str> = what.split('`').skip(1).step_by(2).collect();
        !names.is_empty() && !what.contains(" more") && names.iter().all(|name| self.covers(name))
    }

    /// Whether the task names this test: as a whole word, and one that is no plain word by chance or what it tests.
    fn names_test(&self, name: &str, case: &TestCase) -> bool {
        let lower = self.task.to_lowercase();
        let edits = [
            "update", "change", "adjust", "adapt", "rewrite", "rename", "move", "edit", "correct", "wrong",
            "改", "调整", "更新",
        ];
        let speaks_of_editing = edits.iter().any(|verb| lower.contains(verb));
        name.len() >= 4 && speaks_of_editing && !case.calls.contains(name) && self.has_word(name)
    }

    /// Whether a test may expect something else because the task changes what it is about.
    pub(super) fn changes_subject(&self, test: &str, case: &TestCase) -> bool {
        let subject =
            || case.calls.iter().any(|call| !["a", "i"].contains(&call.as_str()) && self.has_word(call));
        self.about_tests || self.names_test(test, case) || !self.fixes && subject()
    }

    /// Whether the task states what the assertion expects now.
    pub(super) fn states(&self, old: &[AssertionMark], new: &AssertionMark) -> bool {
        let claimed = |(call, value): &(u32, u32)| {
            new.call == Some(*call) && (new.values.first() == Some(value) || new.values.last() == Some(value))
        };
        let known: BTreeSet<u32> = old.iter().flat_map(|mark| mark.values.iter().copied()).collect();
        let mut other = new.values.iter().filter(|value| !known.contains(value)).peekable();
        let stated = other.peek().is_some() && other.all(|value| self.values.contains(value));
        self.claims.iter().any(claimed) || stated
    }

    /// Whether the task states this value.
    pub(super) fn claims_value(&self, value: u32) -> bool {
        self.claims.iter().any(|(_, claimed)| *claimed == value) || self.values.contains(&value)
    }

    /// Whether expected data of this file, or this entry of it, may change.
    pub(super) fn allows_data(&self, path: &str, entry: &str) -> bool {
        let file = path.rsplit('/').next().unwrap_or(path);
        let words = entry.split(|char: char| !char.is_alphanumeric() && char != '_');
        let named = words.filter(|word| word.len() >= 3).any(|word| self.has_word(word));
        self.about_tests || self.task.contains(file) || self.covers(path) || !self.fixes && named
    }

    /// Whether the task is to call something otherwise.
    pub(super) fn renames(&self) -> bool {
        let lower = self.task.to_lowercase();
        let words =
            ["rename", "refactor", "umbenenn", "renombra", "renomm", "重命名", "改名", "重构", "リネーム"];
        words.iter().any(|word| lower.contains(word))
    }

    /// Whether the task speaks of replacing parts in tests.
    pub(super) fn speaks_of_mocks(&self) -> bool {
        let lower = self.task.to_lowercase();
        ["mock", "stub", "patch", "fake", "fixture", "模拟"].iter().any(|word| lower.contains(word))
    }

    fn has_word(&self, name: &str) -> bool {
        let is_part = |char: char| char.is_alphanumeric() || char == '_';
        !name.is_empty()
            && self.task.match_indices(name).any(|(at, _)| {
                !self.task[..at].ends_with(is_part) && !self.task[at + name.len()..].starts_with(is_part)
            })
    }
}

fn permitting(task: &str) -> Vec<String> {
    let verbs = [
        "delete",
        "remove",
        "drop",
        "skip",
        "disable",
        "ignore",
        "rewrite",
        "replace",
        "simplify",
        "merge",
        "consolidate",
        "clean up",
        "loosen",
        "relax",
        "xfail",
        "删除",
        "移除",
        "去掉",
        "跳过",
        "禁用",
        "忽略",
        "重写",
        "简化",
        "合并",
    ];
    let denials = [
        "don't", "do not", "never", "without", "must not", "not to", "不要", "不得", "不能", "别", "禁止",
        "勿",
    ];
    // "We do not need it any more: delete it" asks after the colon.
    let sentences = task.split(['\n', '。', '；', ';', '!', '！']).flat_map(|part| part.split(". "));
    let sentences = sentences.flat_map(|part| part.split(": "));
    // "test_x is flaky. Delete that test." speaks of the test in the sentence before.
    let sentences: Vec<&str> = sentences.collect();
    let points_back = |sentence: &str| {
        let lower = sentence.to_lowercase();
        ["that test", "this test", "those tests", "these tests"].iter().any(|words| lower.contains(words))
    };
    let asks = |sentence: &str| {
        let lower = sentence.to_lowercase();
        verbs.iter().any(|verb| lower.contains(verb)) && !denials.iter().any(|denial| lower.contains(denial))
    };
    let asking = sentences.iter().enumerate().filter(|(_, sentence)| asks(sentence));
    asking
        .flat_map(|(index, sentence)| {
            let before = index.checked_sub(1).and_then(|before| sentences.get(before));
            before.filter(|_| points_back(sentence)).into_iter().chain([sentence])
        })
        .map(|sentence| (*sentence).to_owned())
        .collect()
}

/// Whether the task is to repair something.
fn fixes(task: &str) -> bool {
    let lower = task.to_lowercase();
    let mut words = lower.split(|char: char| !char.is_alphanumeric());
    let repairs = [
        "fix",
        "fixes",
        "fixing",
        "repair",
        "bug",
        "bugs",
        "bugfix",
        "fail",
        "fails",
        "failing",
        "failure",
        "broken",
        "wrong",
        "incorrect",
        "regression",
        "crash",
        "crashes",
        "debug",
        "behebe",
        "repariere",
        "fehler",
        "corrige",
        "arregla",
        "répare",
        "corriger",
    ];
    let phrases =
        ["test pass", "tests pass", "make the", "修复", "修好", "失败", "修正", "直して", "修正して"];
    words.any(|word| repairs.contains(&word)) || phrases.iter().any(|phrase| lower.contains(phrase))
}

/// Whether the task speaks of changing tests or what they expect.
fn is_about_tests(task: &str) -> bool {
    let lower = task.to_lowercase();
    let phrases = [
        "update the test",
        "update test",
        "update all test",
        "change the test",
        "adjust the test",
        "adapt the test",
        "correct the test",
        "fix the expect",
        "fix the wrong expect",
        "expected value",
        "expected output",
        "expectation",
        "snapshot",
        "golden",
        "更新测试",
        "修改测试",
        "期望值",
        "快照",
    ];
    phrases.iter().any(|phrase| lower.contains(phrase))
}

/// Words that stand between a call and its value.
const SAYS: [&str; 24] = [
    "is", "returns", "return", "must", "should", "be", "to", "equals", "equal", "gives", "give", "yields",
    "yield", "prints", "now", "ist", "liefert", "soll", "debe", "devolver", "doit", "renvoyer", "have",
    "shall",
];

/// The values that the task states of calls: "mean([1, 2]) is 2".
fn claims(task: &str) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    for (at, _) in task.match_indices('(') {
        let start = task[..at]
            .rfind(|char: char| !is_name(char))
            .map_or(0, |before| before + last_width(&task[..at], before));
        let Some(length) = call_length(&task[at..]).filter(|_| start < at) else { continue };
        let rest = &task[at + length..];
        let Some(value) = value_after(rest) else { continue };
        let call: String = task[start..at + length].chars().filter(|char| !char.is_whitespace()).collect();
        found.push((fingerprint(&call), fingerprint(&value)));
    }
    found
}

fn is_name(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

fn last_width(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(1, char::len_utf8)
}

/// The literal that comes next, if only words that say so stand before it.
fn value_after(rest: &str) -> Option<String> {
    let rest = rest.trim_start_matches(['`', '*', ' ']);
    let end = rest.find(|char: char| char.is_ascii_digit() || "\"'`-[".contains(char))?;
    let between =
        rest[..end].replace(['=', ':', '>', '→', '返', '回', '为', '是', '应', '该', '必', '须'], " ");
    let says = between.split_whitespace().all(|word| SAYS.contains(&word.to_lowercase().as_str()));
    let value = literals_of(&rest[end..]).into_iter().next().filter(|_| says)?;
    Some(value.trim_end_matches('.').to_owned())
}

/// Texts in quotes, and numbers that are said to be the result where no call is named.
fn stated_values(task: &str, without_calls: bool) -> BTreeSet<u32> {
    let mut values: BTreeSet<u32> = literals_of(task)
        .into_iter()
        .filter(|literal| literal.chars().any(char::is_alphabetic))
        .map(|literal| fingerprint(&literal))
        .collect();
    if without_calls {
        for word in ["return ", "returns ", " be ", " is ", "== ", "返回 ", "返回"] {
            let after = task.match_indices(word).filter_map(|(at, _)| value_after(&task[at + word.len()..]));
            values.extend(after.map(|value| fingerprint(&value)));
        }
    }
    values
}
