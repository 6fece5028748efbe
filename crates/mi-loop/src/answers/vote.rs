//! What one position says to one proposal: yes, no, or nothing.
//!
//! Holds: a yes needs every topic of the proposal to be one the position speaks of; a no needs only that what
//! is refused is part of it.

use super::{
    asked::Asked,
    stance::{Position, Stance},
};
use crate::words::{Act, Term, lexicon::is_exclusive};

/// Yes or no to the proposal as it was put, or None when the position does not decide it.
pub(crate) fn vote(position: &Position, asked: &Asked) -> Option<bool> {
    if asked.tangled || names_two_of_a_kind(position) {
        return None;
    }
    let plain = plain_vote(position, asked)?;
    if plain && has_more(position, asked) && !asked.negated {
        return None;
    }
    Some(plain != asked.negated)
}

/// Whether the person wants to be asked about this.
pub(crate) fn wants_to_be_asked(position: &Position, asked: &Asked) -> bool {
    let bare = position.terms.is_empty() && asked.acts.contains(&position.act);
    let all = !position.terms.is_empty() && position.terms.iter().all(|term| asked.names(term));
    let topic = |term: &&Term| !matches!(term, Term::Word(_)) && asked.names(term);
    let some = !position.unsure
        && position.terms.iter().find(topic).is_some_and(|term| same(position.act, asked.act_on(term)));
    bare || all || some
}

/// Whether the position speaks of the proposal at all, so that silence cannot be claimed.
pub(crate) fn touches(position: &Position, asked: &Asked) -> bool {
    position.terms.iter().any(|term| asked.names(term))
        || position.terms.iter().any(|term| sibling(term, asked))
        || (position.terms.is_empty() && asked.acts.contains(&position.act))
}

fn plain_vote(position: &Position, asked: &Asked) -> Option<bool> {
    let wants = match position.stance {
        Stance::Favour | Stance::Permit => true,
        Stance::Against => false,
        Stance::Ask | Stance::Delegate | Stance::Fact => return None,
    };
    let (members, scope): (Vec<_>, Vec<_>) =
        position.terms.iter().partition(|term| matches!(term, Term::Member { .. }));
    let required = |term: &&&Term| {
        !members.iter().any(|member| is_category_of(term, member)) && !is_mere_place(term, &scope)
    };
    if !scope.iter().filter(required).all(|term| asked.names(term)) {
        return None;
    }
    if let Some(member) =
        members.iter().find(|member| asked.names(member) || sibling(member, asked)).or(members.first())
    {
        // "spaces in Python": the language is where, not what.
        let elsewhere = |other: &&&Term| !same_category(member, other) && !asked.names(other);
        if members.iter().any(|other| elsewhere(&other)) {
            return None;
        }
        return member_vote(member, position, asked, wants);
    }
    if position.terms.is_empty() {
        let act = *asked.acts.iter().find(|act| **act == position.act)?;
        return relation(position, act);
    }
    if speaks_of_own(&scope, asked) {
        return None;
    }
    if scope.iter().any(|term| matches!(term, Term::Topic("unrelated" | "breaking"))) {
        return relation(position, Act::Any);
    }
    let mut acts = scope.iter().map(|term| asked.act_on(term));
    let act = acts.clone().find(|act| *act != Act::Any).or_else(|| acts.next())?;
    let said = asked.unknown_verb().is_some_and(|verb| scope.contains(&verb));
    relation(position, if act == Act::Unknown && said { position.act } else { act })
}

fn member_vote(member: &Term, position: &Position, asked: &Asked, wants: bool) -> Option<bool> {
    let Term::Member { category, .. } = member else { return None };
    if !fits_scope(category, position, asked) {
        return None;
    }
    if asked.names(member) {
        return match asked.act_on(member) {
            act if act == position.act || measures_work(category, position, act) => Some(wants),
            Act::Skip => wants.then_some(false),
            Act::Remove | Act::Change | Act::Fix => None,
            _ => Some(wants),
        };
    }
    let takes = asked.acts.iter().all(|act| !matches!(act, Act::Change | Act::Remove | Act::Fix | Act::Skip));
    let settles = takes && wants && position.stance != Stance::Permit && is_exclusive(category);
    (settles && sibling(member, asked)).then_some(false)
}

/// "Prefer small changes" speaks of a small fix as well.
pub(crate) fn measures_work(category: &str, position: &Position, asked: Act) -> bool {
    category == "size" && position.act == Act::Change && matches!(asked, Act::Change | Act::Fix)
}

/// "Keep it short" is about what is written, not about timeouts.
pub(crate) fn fits_scope(category: &str, position: &Position, asked: &Asked) -> bool {
    let general = position.terms.iter().all(|term| matches!(term, Term::Member { .. }));
    if !general || !matches!(category, "length" | "size") {
        return true;
    }
    let mut topics = asked.terms.iter().filter_map(|(term, _)| match term {
        Term::Topic(topic) => Some(*topic),
        Term::Word(word) if WRITTEN_WORDS.contains(&word.as_str()) => Some("docs"),
        Term::Word(_) => Some("?"),
        Term::Member { .. } => None,
    });
    let nothing_else = topics.clone().next().is_none();
    let both_change = category == "size" && position.act == Act::Change && asked.acts.contains(&Act::Change);
    nothing_else || both_change || topics.any(|topic| WRITTEN.contains(&topic))
}

const WRITTEN: &[&str] =
    &["docs", "comment", "message", "changelog", "commit", "pull request", "function", "minimal"];
/// By their stems.
const WRITTEN_WORDS: &[&str] = &[
    "summary",
    "report",
    "answer",
    "explanation",
    "description",
    "text",
    "reply",
    "response",
    "write",
    "note",
    "总结",
    "说明",
    "报告",
    "回答",
];

pub(crate) fn sibling(member: &Term, asked: &Asked) -> bool {
    let Term::Member { category, member } = member else { return false };
    asked.terms.iter().any(|(term, _)| match term {
        Term::Member { category: other, member: name } => other == category && name != member,
        _ => false,
    })
}

pub(crate) fn same_category(one: &Term, other: &Term) -> bool {
    matches!((one, other), (Term::Member { category: a, .. }, Term::Member { category: b, .. }) if a == b)
}

/// "Replace tabs with spaces": which of the two is wanted is not read.
pub(crate) fn names_two_of_a_kind(position: &Position) -> bool {
    let terms = &position.terms;
    terms
        .iter()
        .enumerate()
        .any(|(at, term)| terms[at + 1..].iter().any(|other| same_category(term, other) && term != other))
}

/// "Avoid new dependencies" does not speak of a crate that is there already or that is written here.
fn speaks_of_own(scope: &[&Term], asked: &Asked) -> bool {
    let dependency = Term::Topic("dependency");
    let vague = asked.act_on(&dependency) == Act::Any && asked.terms.len() > 1;
    scope.contains(&&dependency) && (asked.own || vague || asked.act_on(&dependency) == Act::Write)
}

/// Whether the proposal goes beyond what the position speaks of.
fn has_more(position: &Position, asked: &Asked) -> bool {
    asked.terms.iter().any(|(term, _)| match term {
        Term::Word(word) if position.terms.contains(term) || HARMLESS_TARGETS.contains(&word.as_str()) => {
            false
        }
        // Where something is committed or pushed to matters; what a test is written for does not.
        Term::Word(word) => aims(asked) || QUALIFIERS.contains(&word.as_str()),
        Term::Topic("file" | "function" | "design" | "name" | "bug") => false,
        Term::Member { category: "package manager", .. }
            if position.terms.contains(&Term::Topic("install")) =>
        {
            false
        }
        // Adding a library is installing it.
        Term::Topic("install") if position.terms.contains(&Term::Topic("dependency")) => false,
        Term::Topic("data") => asked.acts.iter().any(|act| matches!(act, Act::Remove | Act::Change)),
        known => !position.terms.iter().any(|own| own.matches(known) || is_category_of(known, own)),
    })
}

/// By their stems.
const HARMLESS_TARGETS: &[&str] = &[
    "origin", "remot", "fix", "update", "result", "progress", "远程", "result", "befor", "directly", "stop",
    "finish", "end",
];
/// Words that turn what was allowed into something else.
const QUALIFIERS: &[&str] = &[
    "fewer",
    "less",
    "main",
    "master",
    "entir",
    "whol",
    "partial",
    "partially",
    "temporarily",
    "only",
    "half",
    "remaining",
    "rest",
    "onc",
];

fn aims(asked: &Asked) -> bool {
    asked.terms.iter().any(|(term, _)| {
        matches!(term, Term::Topic("commit" | "push" | "merge" | "deploy" | "release" | "pull request"))
    }) && asked.acts.contains(&Act::Do)
}

/// "All functions get type hints" is about type hints.
pub(crate) fn is_mere_place(term: &Term, scope: &[&Term]) -> bool {
    matches!(term, Term::Topic("function" | "file"))
        && scope.iter().any(|other| *other != term && !matches!(other, Term::Word(_)))
}

pub(crate) fn is_category_of(topic: &Term, member: &Term) -> bool {
    matches!((topic, member), (Term::Topic(id), Term::Member { category, .. }) if id == category)
}

pub(crate) fn same(one: Act, other: Act) -> bool {
    let group = |act: Act| match act {
        Act::Any => 0,
        Act::Add | Act::Use => 1,
        Act::Write => 2,
        Act::Run => 3,
        Act::Do => 4,
        Act::Remove => 5,
        Act::Skip => 6,
        Act::Change => 7,
        Act::Keep => 8,
        Act::Fix => 9,
        Act::Unknown => 10,
    };
    one == other || group(one) == group(other) || loosely(one, other) || loosely(other, one)
}

/// No verb, or one that only points at the topic, goes with every verb that does the thing.
fn loosely(open: Act, other: Act) -> bool {
    let doing = matches!(other, Act::Any | Act::Add | Act::Use | Act::Write | Act::Run | Act::Do);
    match open {
        Act::Any | Act::Do => doing,
        Act::Add => matches!(other, Act::Write),
        _ => false,
    }
}

/// What wanting or refusing one act says about another act on the same thing.
fn relation(position: &Position, asked: Act) -> Option<bool> {
    use Act::{Add, Any, Change, Do, Keep, Remove, Run, Skip, Unknown, Use, Write};
    let own = position.act;
    let duty = position.stance == Stance::Favour;
    match position.stance {
        Stance::Favour | Stance::Permit => match (own, asked) {
            _ if same(own, asked) => Some(true),
            (Any | Add | Use | Write | Run | Do, Skip) if duty => Some(false),
            (Add | Use | Write, Remove) if duty => Some(false),
            (Any, Keep) | (Keep, Any) => Some(true),
            (Keep, Change | Remove) if duty => Some(false),
            (Remove, Keep) if duty => Some(false),
            _ => None,
        },
        Stance::Against => match (own, asked) {
            _ if same(own, asked) => Some(false),
            (Change, Remove) => Some(false),
            (Change | Remove, Keep) => Some(true),
            (Skip, Run | Any | Do) => Some(true),
            // To refuse the thing is to refuse whatever is done with it.
            (Any, Unknown) => Some(false),
            _ => None,
        },
        Stance::Ask | Stance::Delegate | Stance::Fact => None,
    }
}
