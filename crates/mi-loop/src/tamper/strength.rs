//! What one assertion of a test says: how strictly, in which shape, and with which literals.
//!
//! Assertions are kept as small numbers, not as text: a baseline is recorded with every run.

use serde::{Deserialize, Serialize};

use super::{TestCase, wish::Wish};

/// At most this many assertions of one test are kept.
pub(super) const MARKS_KEPT: usize = 30;
/// At most this many literals of one assertion are kept one by one.
const VALUES_KEPT: usize = 8;

/// One assertion of a test.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AssertionMark {
    /// It only asks whether there is something, not what.
    #[serde(skip_serializing_if = "super::is_default")]
    pub weak: bool,
    /// The line without its literals.
    pub shape: u32,
    /// Its literals, in order.
    pub literals: u32,
    /// Its literals without a message at the end, and whether it denies; what is asserted, whatever is called how.
    #[serde(skip_serializing_if = "super::is_default")]
    pub core: Option<(u32, bool)>,
    /// Each of its literals.
    #[serde(skip_serializing_if = "super::is_default")]
    pub values: Vec<u32>,
    /// What it calls, with the arguments.
    #[serde(skip_serializing_if = "super::is_default")]
    pub call: Option<u32>,
    /// Under how many conditions and handlers it stands in its test.
    #[serde(skip_serializing_if = "super::is_default")]
    pub guards: u32,
}

impl AssertionMark {
    /// The mark of a statement that asserts something.
    pub(super) fn of(statement: &str, guards: u32) -> Self {
        let (shape, literals) = split_literals(statement);
        let core = core(&shape, &literals).map(|core| (fingerprint(core), denies(statement)));
        let values = literals.split('\u{0}').filter(|literal| !literal.is_empty()).take(VALUES_KEPT);
        Self {
            weak: is_weak(statement),
            shape: fingerprint(&shape),
            literals: fingerprint(&literals),
            core,
            values: values.map(fingerprint).collect(),
            call: calls(statement).next().map(|(_, call)| fingerprint(&call)),
            guards,
        }
    }
}

/// The functions that an assertion calls, each with the whole call without blanks.
pub(super) fn calls(statement: &str) -> impl Iterator<Item = (&str, String)> {
    statement.match_indices('(').filter_map(|(at, _)| {
        let start = statement[..at].rfind(|char: char| !(char.is_alphanumeric() || char == '_'));
        let start =
            start.map_or(0, |before| before + statement[before..].chars().next().map_or(1, char::len_utf8));
        let name = &statement[start..at];
        let asserts = [
            "assert", "Assert", "expect", "EXPECT", "ASSERT", "CHECK", "REQUIRE", "require", "to", "be",
            "is", "not",
        ];
        let is_assertion = statement[..at].ends_with('!')
            || asserts[..8].iter().any(|word| name.starts_with(word))
            || asserts[8..].iter().any(|word| name.starts_with(word) && statement[..start].ends_with('.'));
        let is_plain = [
            "if",
            "return",
            "len",
            "str",
            "int",
            "float",
            "list",
            "sorted",
            "approx",
            "eq",
            "equal",
            "strictEqual",
            "deepEqual",
            "ok",
            "Equal",
            "test",
        ];
        if name.is_empty() || is_assertion || is_plain.contains(&name) {
            return None;
        }
        let length = call_length(&statement[at..])?;
        Some((name, statement[start..at + length].chars().filter(|char| !char.is_whitespace()).collect()))
    })
}

/// How long the arguments are that the text begins with, brackets included.
pub(super) fn call_length(text: &str) -> Option<usize> {
    let mut depth = 0_i32;
    for (at, char) in text.char_indices() {
        depth += i32::from(char == '(') - i32::from(char == ')');
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

/// The literals of a text, in order.
pub(super) fn literals_of(text: &str) -> Vec<String> {
    let (_, literals) = split_literals(text);
    literals.split('\u{0}').filter(|literal| !literal.is_empty()).map(str::to_owned).collect()
}

/// How a test got weaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weakening {
    Emptied,
    AsksLess,
    Guarded,
    ExpectsOther,
    Replaced,
    Conditional,
    Inverted,
}

/// How the test that was `old` and is `new` got weaker. `elsewhere` says how often an assertion came to the project
/// outside of this test.
pub(super) fn weakenings(
    name: &str,
    old: &TestCase,
    new: &TestCase,
    wish: &Wish,
    elsewhere: impl Fn((u32, bool)) -> bool,
) -> Vec<Weakening> {
    let mut found = Vec::new();
    if new.inverted && !old.inverted {
        found.push(Weakening::Inverted);
    }
    if new.conditional && !old.conditional {
        found.push(Weakening::Conditional);
    }
    if old.assertions > 0 && new.assertions == 0 {
        found.push(Weakening::Emptied);
        return found;
    }
    if asks_less(old, new) {
        found.push(Weakening::AsksLess);
    }
    if is_guarded(old, new) {
        found.push(Weakening::Guarded);
    }
    if wish.changes_subject(name, old) {
        return found;
    }
    if expects_other(old, new, wish) {
        found.push(Weakening::ExpectsOther);
    } else if is_replaced(old, new, wish, elsewhere) {
        found.push(Weakening::Replaced);
    }
    found
}

fn asks_less(old: &TestCase, new: &TestCase) -> bool {
    let count = |case: &TestCase, weak: bool| case.marks.iter().filter(|mark| mark.weak == weak).count();
    count(new, true) > count(old, true) && count(new, false) < count(old, false)
}

/// An assertion that was there stands under more conditions, and none like it stands under as few.
fn is_guarded(old: &TestCase, new: &TestCase) -> bool {
    let alike = |mark: &AssertionMark, other: &AssertionMark| {
        mark.shape == other.shape && mark.literals == other.literals
    };
    old.marks.iter().any(|mark| {
        let least = new.marks.iter().filter(|other| alike(mark, other)).map(|other| other.guards).min();
        least.is_some_and(|least| least > mark.guards)
    })
}

/// Same assertions, other literals that the task does not state.
fn expects_other(old: &TestCase, new: &TestCase, wish: &Wish) -> bool {
    old.marks.iter().any(|mark| {
        let alike = |marks: &[AssertionMark]| -> Vec<AssertionMark> {
            marks.iter().filter(|other| other.shape == mark.shape).cloned().collect()
        };
        let (before, now) = (alike(&old.marks), alike(&new.marks));
        let is_new = |mark: &&AssertionMark| !before.iter().any(|other| other.literals == mark.literals);
        let is_gone = before.iter().any(|other| !now.iter().any(|new| new.literals == other.literals));
        before.len() == now.len()
            && is_gone
            && now.iter().filter(is_new).any(|new| !wish.states(&old.marks, new))
    })
}

/// An assertion that is gone with its literals, from the test and from the project: another took its place.
fn is_replaced(old: &TestCase, new: &TestCase, wish: &Wish, elsewhere: impl Fn((u32, bool)) -> bool) -> bool {
    let count =
        |case: &TestCase, core: (u32, bool)| case.marks.iter().filter(|mark| mark.core == Some(core)).count();
    let is_gone = |core: (u32, bool)| count(new, core) < count(old, core) && !elsewhere(core);
    let is_new = |mark: &&AssertionMark| mark.core.is_some_and(|core| count(new, core) > count(old, core));
    let is_stated = || {
        let mut came = new.marks.iter().filter(is_new).peekable();
        came.peek().is_some() && came.all(|mark| wish.states(&old.marks, mark))
    };
    old.marks.iter().any(|mark| !mark.weak && mark.core.is_some_and(is_gone)) && !is_stated()
}

/// The literals of an assertion without a message that stands last; None when it has none.
fn core<'a>(shape: &str, literals: &'a str) -> Option<&'a str> {
    let ends_in_message =
        shape.matches('#').count() > 1 && shape.trim_end_matches([')', ';', ']']).ends_with(",#");
    let is_text = |last: &str| last.chars().any(char::is_alphabetic);
    let whole = literals.trim_end_matches('\u{0}');
    let kept = match whole.rsplit_once('\u{0}') {
        Some((before, last)) if ends_in_message && is_text(last) => before,
        _ => whole,
    };
    (!kept.is_empty()).then_some(kept)
}

/// Whether an assertion says what must not be.
fn denies(line: &str) -> bool {
    let packed: String = line.chars().filter(|char| !char.is_whitespace()).collect();
    [
        "assertNot",
        "assert_ne",
        "assertnot",
        ".not.",
        "!=",
        "refute",
        "NotEqual",
        "not_eq",
        "to_not",
        "not_to",
        "NOT_",
        "_NE(",
    ]
    .iter()
    .any(|word| packed.contains(word))
}

/// Whether an assertion only asks whether there is something.
fn is_weak(line: &str) -> bool {
    let named = [
        "assertIsNotNone(",
        "assertNotNull(",
        "assert_not_nil",
        ".toBeDefined()",
        ".toBeTruthy()",
        ".not.toBeNull()",
        ".not.toBeUndefined()",
        ".to.exist",
        "be_truthy",
        "not_to be_nil",
        "to_not be_nil",
        ".isNotNull()",
        "Assert.NotNull(",
        "Assert.IsNotNull(",
        "XCTAssertNotNil(",
        ".NotNil(",
        "expect.anything()",
    ];
    named.iter().any(|name| line.contains(name)) || is_bare(line)
}

/// `assert add(1, 2)` and `assertTrue(add(1, 2))`: any value that is not empty will do.
fn is_bare(line: &str) -> bool {
    let start = ["assert ", "self.assertTrue(", "assertTrue(", "assert.ok(", "assert(", "$this->assertTrue("];
    let Some(rest) = start.iter().find_map(|start| line.strip_prefix(start)) else { return false };
    let decides = [
        "==",
        "!=",
        "<",
        ">",
        " in ",
        " is ",
        "not ",
        "isinstance",
        "startswith",
        "endswith",
        "all(",
        "any(",
        "equal",
        "Equal",
        "match",
        "has",
        "contains",
        "includes",
        "!",
    ];
    rest.contains('(') && !decides.iter().any(|word| rest.contains(word))
}

/// The assertion without its literals and blanks, and the literals.
fn split_literals(line: &str) -> (String, String) {
    let (mut shape, mut literals) = (String::new(), String::new());
    let mut chars = line.chars().peekable();
    let mut before = ' ';
    let mut last = ' ';
    while let Some(char) = chars.next() {
        if matches!(char, '"' | '\'' | '`') {
            shape.push('#');
            literals.extend(chars.by_ref().take_while(|next| *next != char));
            literals.push('\u{0}');
        } else if char.is_ascii_digit() && !before.is_alphanumeric() && before != '_' {
            shape.push('#');
            literals.push(char);
            while let Some(next) = chars.next_if(|next| next.is_alphanumeric() || "._".contains(*next)) {
                literals.push(next);
            }
            literals.push('\u{0}');
        } else if char == '-'
            && !last.is_alphanumeric()
            && last != ')'
            && chars.peek().is_some_and(char::is_ascii_digit)
        {
            // The sign of a number, not a subtraction.
            literals.push(char);
        } else if !char.is_whitespace() {
            shape.push(char);
        }
        before = char;
        last = if char.is_whitespace() { last } else { char };
    }
    // A list over several lines ends in a comma, the same on one line does not.
    (shape.replace(",)", ")").replace(",]", "]").replace(",}", "}"), literals)
}

/// FNV-1a: small and the same everywhere.
pub(super) fn fingerprint(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
