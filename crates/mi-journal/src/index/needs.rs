//! What a line must contain for a regular expression to match it.
//!
//! Holds: never more than the expression really needs; where that is unclear, nothing is needed.

use regex_syntax::hir::{Class, Hir, HirKind};

/// Texts that any matching line contains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Needs {
    Nothing,
    Text(Vec<u8>),
    All(Vec<Needs>),
    OneOf(Vec<Needs>),
}

impl Needs {
    /// What `pattern` needs; nothing if it cannot be read, which the regex compiler will have said.
    pub(crate) fn of_pattern(pattern: &str) -> Self {
        regex_syntax::parse(pattern).map_or(Self::Nothing, |hir| needs(&hir))
    }

    /// The blocks (as bits) that may satisfy this, given the blocks in which each row is set.
    pub(crate) fn blocks(&self, blocks_of: &mut impl FnMut(usize) -> u64) -> u64 {
        match self {
            Self::Nothing => u64::MAX,
            Self::Text(text) => super::signature::text_rows(text)
                .into_iter()
                .fold(u64::MAX, |blocks, row| blocks & blocks_of(row)),
            Self::All(parts) => parts.iter().fold(u64::MAX, |blocks, part| blocks & part.blocks(blocks_of)),
            Self::OneOf(parts) => parts.iter().fold(0, |blocks, part| blocks | part.blocks(blocks_of)),
        }
    }
}

fn needs(hir: &Hir) -> Needs {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Needs::Nothing,
        HirKind::Literal(_) | HirKind::Class(_) => literal(hir).map_or(Needs::Nothing, Needs::Text),
        HirKind::Repetition(repetition) if repetition.min > 0 => needs(&repetition.sub),
        HirKind::Repetition(_) => Needs::Nothing,
        HirKind::Capture(capture) => needs(&capture.sub),
        HirKind::Concat(parts) => concatenation(parts),
        HirKind::Alternation(parts) => Needs::OneOf(parts.iter().map(needs).collect()),
    }
}

fn concatenation(parts: &[Hir]) -> Needs {
    let (mut all, mut run) = (Vec::new(), Vec::new());
    for part in parts {
        match literal(part) {
            Some(text) => run.extend(text),
            // A position such as `\b` has no width: the text goes on behind it.
            None if matches!(part.kind(), HirKind::Look(_)) => {}
            None => {
                all.push(Needs::Text(std::mem::take(&mut run)));
                all.push(needs(part));
            }
        }
    }
    all.push(Needs::Text(run));
    Needs::All(all)
}

/// The text of a part that matches one text only, ASCII case aside.
fn literal(hir: &Hir) -> Option<Vec<u8>> {
    match hir.kind() {
        HirKind::Literal(literal) => Some(literal.0.to_vec()),
        HirKind::Class(Class::Unicode(class)) => {
            let mut letters = class.iter().flat_map(|range| [range.start(), range.end()]);
            let first = letters.next()?.to_ascii_lowercase();
            let single = class.iter().all(|range| range.start() == range.end());
            (single && first.is_ascii() && letters.all(|letter| letter.to_ascii_lowercase() == first))
                .then(|| vec![first as u8])
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Needs {
        Needs::Text(text.as_bytes().to_vec())
    }

    /// Literals are found through groups, repetitions, positions and case folding, and only where needed.
    #[test]
    fn needed_texts_of_patterns() {
        let cases = [
            ("needle", text("needle")),
            ("a|b.*", Needs::OneOf(vec![text("a"), Needs::All(vec![text("b"), Needs::Nothing, text("")])])),
            ("foo.*bar", Needs::All(vec![text("foo"), Needs::Nothing, text("bar")])),
            ("(foo)+", text("foo")),
            ("(foo)?", Needs::Nothing),
            (r"ab\bcd", Needs::All(vec![text("abcd")])),
            ("(?i)abc", Needs::All(vec![text("abc")])),
            ("测试", text("测试")),
            ("[a-z]+", Needs::Nothing),
            ("(", Needs::Nothing),
        ];
        for (pattern, wanted) in cases {
            assert_eq!(Needs::of_pattern(pattern), wanted, "{pattern}");
        }
    }
}
