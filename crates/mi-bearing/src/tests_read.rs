//! What a test's text says: which tests it defines, and what it asserts on.

use mi_model::NewTest;
use regex_lite::Regex;
use std::sync::LazyLock;

use crate::language::Language;

/// The tests that a text defines, with whether each asserts anything that could fail.
pub fn new_tests(path: &str, text: &str) -> Vec<NewTest> {
    let helpers = asserting_helpers(path, text);
    let asserts = |line: &str| can_fail(line) || helpers.iter().any(|helper| contains_word(line, helper));
    let mut found: Vec<NewTest> = test_bodies(text)
        .into_iter()
        .map(|(name, body)| NewTest {
            name,
            file: path.to_owned(),
            asserts: body.lines().skip(1).any(asserts) || body.lines().next().is_some_and(can_fail),
        })
        .collect();
    // Scripts and tables assert without a named test.
    if found.is_empty() && text.lines().any(can_fail) {
        let name = path.rsplit('/').next().unwrap_or(path).to_owned();
        found.push(NewTest { name, file: path.to_owned(), asserts: true });
    }
    found
}

/// The tests of a text by name, each with its text up to the next one.
fn test_bodies(text: &str) -> Vec<(String, &str)> {
    static PATTERNS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
        [
            r"(?m)^\s*(?:async\s+)?def\s+(test\w*)",
            r"(?m)^\s*func\s+(Test\w+)",
            r#"(?m)^\s*(?:test|it|specify)(?:\.\w+)*\s*\(?\s*["'`]([^"'`]+)["'`]"#,
            r#"(?m)^\s*@test\s+["']([^"']+)["']"#,
            r"(?m)#\[(?:\w+::)*\w*test\w*(?:\([^)]*\))?\]\s*(?:#\[[^\]]*\]\s*)*(?:pub\s+)?(?:async\s+)?fn\s+(\w+)",
            r"(?m)@Test\b[^{;]*?\b(\w+)\s*\(",
            r"(?m)^\s*(?:public\s+)?function\s+(test\w+)",
            r"(?m)^\s*(?:static\s+)?(?:void|int)\s+(test\w*)\s*\(",
        ]
        .iter()
        .filter_map(|pattern| Regex::new(pattern).ok())
        .collect()
    });
    let mut starts: Vec<(usize, String)> = PATTERNS
        .iter()
        .flat_map(|pattern| pattern.captures_iter(text))
        .filter_map(|found| Some((found.get(0)?.start(), found.get(1)?.as_str().to_owned())))
        .collect();
    starts.sort();
    starts.dedup_by_key(|(start, _)| *start);
    let ends: Vec<usize> = starts.iter().skip(1).map(|(start, _)| *start).chain([text.len()]).collect();
    starts.into_iter().zip(ends).map(|((start, name), end)| (name, text[start..end].trim_start())).collect()
}

/// Functions of a test file that are no tests but assert for them.
fn asserting_helpers(path: &str, text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let Some(language) = Language::detect(path, text) else { return Vec::new() };
    let found = language.find_definitions(&lines).into_iter();
    found
        .filter(|one| !one.name.to_lowercase().starts_with("test") && one.name.len() > 2)
        .filter(|one| lines[one.lines.clone()].iter().skip(1).any(|line| can_fail(line)))
        .map(|one| one.name)
        .collect()
}

/// Whether the tests with these names, as a runner prints them, assert anything. `None` if none of them is known.
pub fn any_asserts(failed: &[String], known: &[NewTest]) -> Option<bool> {
    let is_named = |test: &NewTest, name: &str| {
        let plain = name.split('[').next().unwrap_or(name);
        let last = plain.rsplit("::").next().unwrap_or(plain);
        let parts = [
            name,
            plain,
            last,
            last.split('/').next().unwrap_or(last),
            last.rsplit(['#', '.', '$']).next().unwrap_or(last),
        ];
        parts.iter().any(|part| part.trim() == test.name)
            || name.ends_with(&test.name)
                && name[..name.len() - test.name.len()].ends_with(['>', '\u{203a}', ' ', ':'])
    };
    let mut found =
        failed.iter().flat_map(|name| known.iter().filter(move |test| is_named(test, name))).peekable();
    found.peek()?;
    Some(found.any(|test| test.asserts))
}

/// Whether a line asserts something about a value that is not written in the line itself.
fn can_fail(line: &str) -> bool {
    const WORDS: [&str; 30] = [
        "assert",
        "asserts",
        "expect",
        "self",
        "true",
        "false",
        "none",
        "null",
        "nil",
        "equal",
        "equals",
        "eq",
        "is",
        "not",
        "to",
        "be",
        "tobe",
        "toequal",
        "tobetruthy",
        "strictequal",
        "ok",
        "t",
        "test",
        "should",
        "undefined",
        "asserttrue",
        "assertequal",
        "assertequals",
        "must",
        "assert_eq",
    ];
    if !is_assertion(line) {
        return false;
    }
    // What a shell puts into a string is run all the same.
    if line.contains("$(") || line.contains('`') {
        return true;
    }
    let code = line.split(['"', '\'']).step_by(2).collect::<Vec<_>>().join(" ");
    let words = code.split(|char: char| !char.is_alphanumeric() && char != '_' && char != '$');
    words
        .filter(|word| word.chars().next().is_some_and(|char| char.is_alphabetic() || "_$".contains(char)))
        .any(|word| !WORDS.contains(&word.to_lowercase().as_str()))
}

/// The functions and other names that a piece of source defines.
pub fn defined_names(path: &str, text: &str) -> Vec<String> {
    static ASSIGNED: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let pattern = r"(?m)^\s*(?:export\s+|pub\s+|public\s+|static\s+)*(?:const|let|var|class|struct|enum|type|interface|trait|module|def|fn|func|function)\s+([A-Za-z_]\w+)";
        Regex::new(pattern).ok()
    });
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let functions =
        Language::detect(path, text).map(|language| language.find_definitions(&lines)).unwrap_or_default();
    let mut names: Vec<String> = functions.into_iter().map(|definition| definition.name).collect();
    if let Some(pattern) = &*ASSIGNED {
        names.extend(pattern.captures_iter(text).filter_map(|found| Some(found.get(1)?.as_str().to_owned())));
    }
    names.sort();
    names.dedup();
    names
}

/// Whether a test uses one of these names and asserts something: in the same test where the text has named tests, else in
/// the lines around it.
pub fn asserts_on(text: &str, names: &[String]) -> bool {
    let uses = |line: &str| names.iter().any(|name| contains_word(line, name));
    let is_import = |line: &str| {
        let line = line.trim_start();
        ["import ", "from ", "use ", "require", "#include", "const {"]
            .iter()
            .any(|start| line.starts_with(start))
    };
    // Such a line looks whether a name is there, not what it does.
    let is_about_name = |line: &str| {
        [
            "callable(",
            "hasattr(",
            "typeof ",
            "respond_to",
            "is not None",
            "toBeDefined",
            "function_exists",
            "not_nil",
        ]
        .iter()
        .any(|sign| line.contains(sign))
    };
    let bodies = test_bodies(text);
    if !bodies.is_empty() {
        return bodies.iter().any(|(_, body)| {
            let mut lines = body.lines().filter(|line| !is_import(line));
            lines.any(|line| uses(line) && !is_about_name(line))
                && body.lines().any(|line| is_assertion(line) && !is_about_name(line))
        });
    }
    let lines: Vec<&str> = text.lines().collect();
    lines.iter().enumerate().filter(|(_, line)| uses(line) && !is_import(line)).any(|(at, _)| {
        let around = &lines[at.saturating_sub(1)..(at + 6).min(lines.len())];
        around.iter().any(|line| is_assertion(line))
    })
}

/// Whether a line asserts something: by a word of a test library, or by a comparison that ends a test.
pub(crate) fn is_assertion(line: &str) -> bool {
    let lower = line.to_lowercase();
    [
        "assert", "expect", "should", "t.error", "t.fatal", "equal", "eq(", "same(", "ok(", "refute", "[ ",
        "[[ ", "exit", "check", "verify", "throw", "raise", "fail", "panic", "die(", "error(", "return 1",
    ]
    .iter()
    .any(|word| lower.contains(word))
}

/// Whether a text has `word` as a whole word.
pub(crate) fn contains_word(text: &str, word: &str) -> bool {
    let is_part = |char: char| char.is_alphanumeric() || char == '_';
    text.match_indices(word).any(|(at, _)| {
        !text[..at].chars().next_back().is_some_and(is_part)
            && !text[at + word.len()..].chars().next().is_some_and(is_part)
    })
}
