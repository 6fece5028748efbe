//! A statement that says otherwise for a part of what is asked: "Use tabs. Use spaces in Python files."
//!
//! Holds: a general statement answers only where no narrower one speaks the other way; a narrower one wins only
//! where the question names what it is about.

use super::{
    asked::Asked,
    decide::{Verdict, open},
    sources::{Origin, Sentence},
    stance::Position,
    vote::{is_category_of, sibling},
};
use crate::words::{Act, Term, is_chinese, tokens};

/// The statement that speaks against `decided` on a part of `asked` that the question leaves open. `against` says
/// whether a position, limited to what is asked, does.
pub(crate) fn otherwise<'a>(
    decided: &Position,
    asked: &Asked,
    statements: &[&'a Sentence],
    against: impl Fn(&Position) -> bool,
) -> Option<&'a Sentence> {
    let says = |statement: &Sentence, position: &Position| {
        // "Keep the README up to date; update the docs" is one wish.
        let same_wish = statement.positions.contains(decided)
            && matches!((position.act, decided.act), (Act::Keep, Act::Change));
        position != decided
            && !same_wish
            && limited(decided, position, &statement.text, asked).is_some_and(|limited| against(&limited))
    };
    // What the mind assumes by default is no exception to what the person said.
    statements
        .iter()
        .copied()
        .filter(|statement| statement.origin != Origin::Default)
        .find(|statement| statement.positions.iter().any(|position| says(statement, position)))
}

pub(crate) fn open_by(statement: &Sentence) -> Verdict {
    open("answer.narrower", &format!("{} says otherwise for a part of it", statement.citation))
}

/// Whether `one` speaks of the same as `other`, and of something more.
pub(crate) fn is_narrower(one: &Position, other: &Position) -> bool {
    let scope = |position: &Position| -> Vec<Term> {
        let own = |term: &&Term| !is_answer(term, one, other);
        position.terms.iter().filter(own).cloned().collect()
    };
    let (one_scope, other_scope) = (scope(one), scope(other));
    one_scope.len() > other_scope.len() && other_scope.iter().all(|term| one_scope.contains(term))
}

/// Whether `exact` was said of just what is asked, and `general` of more than that.
pub(crate) fn wins(exact: &Position, general: &Position, whole: &Asked) -> bool {
    let named = |term: &Term| {
        whole.names(term)
            || matches!(term, Term::Member { .. })
            || exact.terms.iter().any(|member| is_category_of(term, member))
    };
    is_narrower(exact, general) && exact.terms.iter().all(named)
}

/// Whether the term is one of two members of a category that the positions name.
fn is_answer(term: &Term, one: &Position, other: &Position) -> bool {
    let Term::Member { category, .. } = term else { return false };
    let names = |position: &Position| {
        position
            .terms
            .iter()
            .any(|term| matches!(term, Term::Member { category: own, .. } if own == category))
    };
    names(one) && names(other)
}

/// The position without what the question does not name, if it is about the decided thing or a part of it.
fn limited(decided: &Position, position: &Position, text: &str, asked: &Asked) -> Option<Position> {
    let is_named = |term: &Term| asked.names(term) || sibling(term, asked);
    let named: Vec<Term> = position.terms.iter().filter(|term| is_named(term)).cloned().collect();
    if named.is_empty() || named.len() == position.terms.len() {
        return None;
    }
    let within = decided
        .terms
        .iter()
        .filter(|term| !matches!(term, Term::Member { .. }) && asked.names(term))
        .filter(|term| !decided.terms.iter().any(|member| is_category_of(term, member)))
        .all(|term| position.terms.contains(term));
    // "Never call services in tests" is not about tests.
    let is_head = position.terms.first().is_some_and(is_named)
        || named.iter().any(|term| matches!(term, Term::Member { .. }))
        || begins_with_scope(text);
    (within && is_head).then(|| Position { terms: named, ..position.clone() })
}

/// Whether the statement is limited to a place that the question does not name: "In the frontend use pnpm".
pub(crate) fn is_elsewhere(position: &Position, text: &str, whole: &Asked) -> bool {
    let tokens = tokens(text);
    let limits = |word: &str| {
        if is_chinese(word) {
            return ["用", "使用", "里", "中"].iter().any(|after| text.contains(&format!("{word}{after}")));
        }
        let at = tokens.iter().position(|token| token.stem == word);
        let before = at.map_or(&tokens[..0], |at| &tokens[at.saturating_sub(3)..at]);
        before.iter().any(|token| PLACES.contains(&token.stem.as_str()))
    };
    position.terms.iter().any(|term| match term {
        Term::Word(word) => !whole.names(term) && limits(word),
        Term::Topic(_) | Term::Member { .. } => false,
    })
}

/// What leads to where a statement holds.
const PLACES: &[&str] = &["in", "for", "on", "within", "insid", "under", "at"];

fn begins_with_scope(text: &str) -> bool {
    let lower = text.trim_start().to_lowercase();
    ["in ", "for ", "on ", "at ", "within ", "inside ", "under ", "with ", "在", "对", "给"]
        .iter()
        .any(|start| lower.starts_with(start))
}
