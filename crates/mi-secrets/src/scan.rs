//! One pass over the text: the prefilter names the rules that may apply at a place, the rules look.

use std::cmp::Reverse;

use crate::{
    Finding, Level, Rule,
    assign::{self, Names},
    class::Run,
    key_block,
    memory::Memory,
    personal,
    prefilter::Prefilter,
    redact::{marks, respect_marks},
    runs,
    shapes::{SHAPES, Shape},
    tokens::{TOKENS, Token},
    value::Promise,
};

/// A text that is scanned.
#[derive(Clone, Copy)]
pub(crate) struct Text<'t>(&'t str);

impl<'t> Text<'t> {
    #[cfg(test)]
    pub(crate) fn new(text: &'t str) -> Self {
        Self(text)
    }

    pub(crate) fn as_str(self) -> &'t str {
        self.0
    }

    pub(crate) fn bytes(self) -> &'t [u8] {
        self.0.as_bytes()
    }
}

/// Everything that was found, in the order of the text. Findings may overlap.
pub fn find(text: &str) -> Vec<Finding> {
    find_at(text, 0)
}

/// As [`find`], in a text that was wrapped `depth` times.
pub(crate) fn find_at(text: &str, depth: usize) -> Vec<Finding> {
    let text = Text(text);
    let mut findings = Vec::new();
    let Literals { ids, is_in_order } = find_literals(text, &mut findings);
    let (marks, known) = (marks(text.as_str()), findings.len());
    runs::find(text, depth, marks.is_empty(), ids, &mut findings);
    personal::find(text, &mut findings);
    respect_marks(&marks, &mut findings);
    // There may be more bytes of findings than of text: they are gone over only if there is something to do.
    if !is_in_order || findings.len() > known || !marks.is_empty() {
        put_in_order(&mut findings);
    }
    findings
}

/// Sorts findings, each once, without notices about characters of a secret.
fn put_in_order(findings: &mut Vec<Finding>) {
    if !findings.is_sorted_by(|one, next| one.start < next.start || order(one) <= order(next)) {
        findings.sort_by_key(order);
    }
    findings.dedup_by(|next, one| one.start == next.start && one == next);
    let mut covered = 0;
    findings.retain(|found| {
        let is_news = found.level != Level::Notice || found.start >= covered;
        covered = if found.level == Level::Notice { covered } else { covered.max(found.end) };
        is_news
    });
}

/// What else is known of the findings at literals.
struct Literals {
    /// Where ids of AWS keys are.
    ids: Vec<usize>,
    /// Whether each begins after the one before it, and none is a notice.
    is_in_order: bool,
}

/// Adds what stands at literals, in the order of the text or nearly so.
fn find_literals(text: Text<'_>, findings: &mut Vec<Finding>) -> Literals {
    // Beginnings of key blocks inside a key block would be read again and again.
    let mut block_end = 0;
    let (mut bodies, mut memory, mut names) =
        ([Run::default(); 6], Memory::new(text.as_str()), Names::default());
    let (mut invalid, mut ids, mut is_in_order) = (Vec::new(), Vec::new(), true);
    PREFILTER.each_hit(text.bytes(), |start, literal, look| {
        let found = match look {
            Look::Token(token) => {
                let found = token.find(text, start, literal, &mut bodies);
                let is_invalid = |found: &&Finding| found.level == Level::Suspect && token.is_exact();
                invalid.extend(found.iter().filter(is_invalid).map(|found| (found.start, found.end)));
                let is_id = |found: &&Finding| found.rule == const { Rule::named("aws-access-key") };
                ids.extend(found.iter().filter(is_id).map(|found| found.start));
                found
            }
            Look::Shape(shape) => shape.find(text, start, &mut memory),
            Look::Name(promise) => {
                names.find(text, start, start + literal.len(), *promise, &mut memory.readings)
            }
            Look::KeyBlock if start < block_end => None,
            Look::KeyBlock => key_block::find(text, start).inspect(|block| block_end = block.end),
        };
        if let Some(found) = found {
            is_in_order &= found.level != Level::Notice;
            is_in_order &= add(findings, found);
        }
    });
    doubt_labels(&invalid, findings);
    Literals { ids, is_in_order }
}

/// A label makes no valid token of one that has another length or checksum than its kind; a password may be anything.
fn doubt_labels(invalid: &[(usize, usize)], findings: &mut [Finding]) {
    if invalid.is_empty() {
        return;
    }
    const LABELS: [Rule; 2] = [Rule::named("labelled-secret"), Rule::named("bearer-token")];
    let is_label = |found: &&mut Finding| LABELS.contains(&found.rule);
    for found in findings.iter_mut().filter(is_label) {
        if invalid.binary_search(&(found.start, found.end)).is_ok() {
            found.level = Level::Suspect;
        }
    }
}

/// Adds a finding where it belongs among the last few: what a name finds begins later than what stands between it and
/// its value. Thus hardly anything is left to be sorted. Says whether it begins after all the others.
fn add(findings: &mut Vec<Finding>, found: Finding) -> bool {
    if findings.last().is_none_or(|last| last.start < found.start) {
        findings.push(found);
        return true;
    }
    let is_later = |other: &&Finding| order(other) > order(&found);
    let later = findings.iter().rev().take(4).take_while(is_later).count();
    findings.insert(findings.len() - later, found);
    false
}

/// The surest first where two begin at the same place, so that a notice about the same characters is dropped.
fn order(found: &Finding) -> (usize, Reverse<Level>, usize, Rule) {
    (found.start, Reverse(found.level), found.end, found.rule)
}

/// What looks closer where a literal stands.
#[derive(Clone, Copy)]
enum Look {
    Token(&'static Token),
    Shape(&'static Shape),
    Name(Promise),
    KeyBlock,
}

static PREFILTER: Prefilter<Look, COUNT> = Prefilter::new(&RULES);

/// How many literals there are.
const COUNT: usize = {
    let (mut count, mut at) = (1 + assign::WORDS.len(), 0);
    while at < TOKENS.len() {
        count += TOKENS[at].prefixes.len();
        at += 1;
    }
    at = 0;
    while at < SHAPES.len() {
        count += SHAPES[at].literals.len();
        at += 1;
    }
    count
};

/// Every literal with its rule.
const RULES: [(&str, Look); COUNT] = {
    let mut rules = Rules { all: [(key_block::ANCHOR, Look::KeyBlock); COUNT], count: 1 };
    let mut at = 0;
    while at < TOKENS.len() {
        rules.add(TOKENS[at].prefixes, Look::Token(&TOKENS[at]));
        at += 1;
    }
    at = 0;
    while at < SHAPES.len() {
        rules.add(SHAPES[at].literals, Look::Shape(&SHAPES[at]));
        at += 1;
    }
    at = 0;
    while at < assign::WORDS.len() {
        let (word, promise) = assign::WORDS[at];
        rules.add(&[word], Look::Name(promise));
        at += 1;
    }
    rules.all
};

/// Rules on the way into their list.
struct Rules {
    all: [(&'static str, Look); COUNT],
    count: usize,
}

impl Rules {
    const fn add(&mut self, literals: &[&'static str], look: Look) {
        let mut at = 0;
        while at < literals.len() {
            self.all[self.count] = (literals[at], look);
            self.count += 1;
            at += 1;
        }
    }
}

/// Whether a word can begin at `at`: what stands before is no letter or digit, or is an escape (`\n`, `%3D`, `\u003d`).
pub(crate) fn starts_word(bytes: &[u8], at: usize) -> bool {
    let is_hex = |code: &[u8]| code.iter().all(u8::is_ascii_hexdigit);
    match &bytes[..at] {
        [.., b'\\', b'n' | b'r' | b't' | b'b' | b'f' | b'"'] => true,
        [.., b'%', high, low] => is_hex(&[*high, *low]),
        [.., b'\\', b'u', a, b, c, d] => is_hex(&[*a, *b, *c, *d]),
        [.., before] => !before.is_ascii_alphanumeric() && *before != b'_' && *before != b'-',
        [] => true,
    }
}

/// Where the text goes on after the escape that stands around `at` or ends there, if there is one: what follows an
/// escape does not belong to its letters and digits.
pub(crate) fn past_escape(bytes: &[u8], at: usize) -> Option<usize> {
    let from = at.saturating_sub(5);
    let sign = from + bytes[from..at].iter().rposition(|byte| matches!(byte, b'\\' | b'%'))?;
    let are_hex = |code: &[u8]| code.iter().all(u8::is_ascii_hexdigit);
    let length = match &bytes[sign..] {
        [b'\\', b'n' | b'r' | b't', ..] => 2,
        [b'\\', b'u', code @ ..] if code.first_chunk::<4>().is_some_and(|code| are_hex(code)) => 6,
        [b'%', code @ ..] if code.first_chunk::<2>().is_some_and(|code| are_hex(code)) => 3,
        _ => return None,
    };
    Some(sign + length).filter(|end| *end >= at)
}
