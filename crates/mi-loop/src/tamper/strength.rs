//! What one assertion of a test says: how strictly, in which shape, and with which literals.
//!
//! Assertions are kept as small numbers, not as text: a baseline is recorded with every run.

use serde::{Deserialize, Serialize};

use super::{TamperSign, TestInventory, compare::Inventories};

/// At most this many assertions of one test are kept.
pub(super) const MARKS_KEPT: usize = 30;

/// One assertion of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AssertionMark {
    /// It only asks whether there is something, not what.
    pub weak: bool,
    /// The line without its literals.
    pub shape: u32,
    /// Its literals, in order.
    pub literals: u32,
    /// Its literals without a message at the end, and whether it denies; what is asserted, whatever is called how.
    #[serde(default)]
    pub core: Option<(u32, bool)>,
}

impl AssertionMark {
    /// The mark of a line that asserts something.
    pub(super) fn of(line: &str) -> Self {
        let (shape, literals) = split_literals(line);
        let core = core(&shape, &literals).map(|core| (fingerprint(core), denies(line)));
        Self { weak: is_weak(line), shape: fingerprint(&shape), literals: fingerprint(&literals), core }
    }
}

/// Tests of one file that ask less than before, expect something else, or expect to fail now.
pub(super) fn weaker_tests(
    before: &Inventories,
    after: &Inventories,
    is_fix: bool,
    is_allowed: impl Fn(&str) -> bool,
) -> Vec<TamperSign> {
    let mut signs = Vec::new();
    for (path, old) in before {
        let Some(new) = after.get(path) else { continue };
        for (what, finds) in FINDERS {
            if finds.1 && !is_fix {
                continue;
            }
            let names: Vec<&str> = old
                .tests
                .keys()
                .filter(|name| {
                    new.tests.contains_key(*name) && !is_allowed(name) && (finds.0)(old, new, name)
                })
                .map(String::as_str)
                .collect();
            if !names.is_empty() {
                let shown = super::compare::shown(&names);
                signs.push(TamperSign { path: path.clone(), what: format!("{what}: {shown}") });
            }
        }
    }
    signs
}

type Finder = fn(&TestInventory, &TestInventory, &str) -> bool;

/// What is said, what finds it, and whether it counts only when the task is to fix something.
const FINDERS: [(&str, (Finder, bool)); 5] = [
    ("assertions that ask less than before", (asks_less, false)),
    ("expected values changed", (expects_other, true)),
    ("assertions replaced by others", (is_replaced, true)),
    ("tests that run only under a condition now", (is_conditional, false)),
    ("tests that must fail now", (is_inverted, false)),
];

fn asks_less(old: &TestInventory, new: &TestInventory, test: &str) -> bool {
    let count = |inventory: &TestInventory, weak: bool| {
        inventory.marks.get(test).map_or(0, |marks| marks.iter().filter(|mark| mark.weak == weak).count())
    };
    count(new, true) > count(old, true) && count(new, false) < count(old, false)
}

/// Same assertions, other literals.
fn expects_other(old: &TestInventory, new: &TestInventory, test: &str) -> bool {
    let none = Vec::new();
    let (old, new) = (old.marks.get(test).unwrap_or(&none), new.marks.get(test).unwrap_or(&none));
    let of = |marks: &[AssertionMark], shape: u32| -> Vec<u32> {
        marks.iter().filter(|mark| mark.shape == shape).map(|mark| mark.literals).collect()
    };
    old.iter().any(|mark| {
        let (before, now) = (of(old, mark.shape), of(new, mark.shape));
        before.len() == now.len() && before.iter().any(|literals| !now.contains(literals))
    })
}

/// An assertion that is gone with its literals, from the test and from the file: another took its place.
fn is_replaced(old: &TestInventory, new: &TestInventory, test: &str) -> bool {
    let in_test = |file: &TestInventory, core: (u32, bool)| {
        file.marks.get(test).map_or(0, |marks| marks.iter().filter(|mark| mark.core == Some(core)).count())
    };
    let in_file = |file: &TestInventory, core: (u32, bool)| {
        file.marks.values().flatten().filter(|mark| mark.core == Some(core)).count()
    };
    let before = old.marks.get(test).map(Vec::as_slice).unwrap_or_default();
    let is_gone = |core: (u32, bool)| {
        in_test(new, core) < in_test(old, core) && in_file(new, core) < in_file(old, core)
    };
    !expects_other(old, new, test) && before.iter().any(|mark| !mark.weak && mark.core.is_some_and(is_gone))
}

fn is_conditional(old: &TestInventory, new: &TestInventory, test: &str) -> bool {
    new.conditional.contains(test) && !old.conditional.contains(test)
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

fn is_inverted(old: &TestInventory, new: &TestInventory, test: &str) -> bool {
    new.inverted.contains(test) && !old.inverted.contains(test)
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
