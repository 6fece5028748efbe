//! The same question asked again is answered as before.
//!
//! Holds: a yes to something risky was for that one time; it is not given again by itself.

use super::{
    asked::Asked,
    decide::{Decision, Verdict, answered},
    sources::{Earlier, Sources},
};
use crate::{
    questions::{Kind, Question},
    words::{Act, Cue, Item, Term, Token, TokenKind, read, terms_of, tokens},
};

/// The newest answer to this very question, if it can be used again.
pub(crate) fn same_question(question: &Question, sources: &Sources) -> Option<Verdict> {
    let earlier = sources.earlier.iter().rev().find(|earlier| is_same(&question.text, &earlier.question))?;
    let risky = !Asked::of(&question.full_text()).risks().is_empty();
    match (question.kind, yes_or_no(&earlier.answer)) {
        (Kind::Consent, Some(true)) if risky && !is_standing(&earlier.answer) => Some(Verdict::Person {
            rule: "answer.risky_consent",
            why: format!("{} was for that one time", earlier.said.citation),
            source: Some(earlier.said.citation.clone()),
        }),
        (Kind::Consent, Some(true)) => Some(again(Decision::Yes, earlier)),
        (Kind::Consent, Some(false)) => Some(again(Decision::No { instead: None }, earlier)),
        (Kind::Consent, None) => None,
        (Kind::Choice | Kind::Information, _) => Some(again(Decision::Tell(earlier.answer.clone()), earlier)),
    }
}

/// Whether the answer only agrees or refuses.
pub(crate) fn is_yes_or_no(answer: &str) -> bool {
    yes_or_no(answer).is_some()
}

fn again(decision: Decision, earlier: &Earlier) -> Verdict {
    answered(decision, &earlier.said, 0.95)
}

/// Nearly the same words in any order, or the same things in other words.
fn is_same(one: &str, other: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let mut stems: Vec<String> = tokens(text)
            .into_iter()
            .filter(|token: &Token| token.kind != TokenKind::Mark)
            .map(|token| token.stem)
            .collect();
        stems.sort();
        stems.dedup();
        stems
    };
    let (first, second) = (words(one), words(other));
    let shared = first.iter().filter(|word| second.contains(word)).count();
    let all = first.len() + second.len() - shared;
    shared >= 2 && shared * 10 >= all * 9 || asks_the_same(one, other)
}

/// Whether one question says all that the other says and at most one thing more, with the same numbers and the same
/// denials.
fn asks_the_same(one: &str, other: &str) -> bool {
    let (one, other) = (Content::of(one), Content::of(other));
    let (less, more) = if one.terms.len() <= other.terms.len() { (&one, &other) } else { (&other, &one) };
    let contains = less.terms.iter().all(|term| more.terms.iter().any(|known| known.matches(term)));
    let is_close = more.terms.len() - less.terms.len() <= usize::from(less.terms.len() >= 3);
    let shared = less.terms.len() + less.values.len();
    shared >= 2
        && contains
        && is_close
        && one.values == other.values
        && one.denials == other.denials
        && one.acts.iter().all(|act| other.acts.contains(act))
        && other.acts.iter().all(|act| one.acts.contains(act))
}

/// What a question says, without the words it is put in.
struct Content {
    terms: Vec<Term>,
    values: Vec<String>,
    acts: Vec<Act>,
    denials: usize,
}

impl Content {
    fn of(text: &str) -> Self {
        let items = read(text);
        let mut values: Vec<String> = items
            .iter()
            .filter_map(|item| match item {
                Item::Value(value) => Some(value.clone()),
                _ => None,
            })
            .collect();
        values.sort();
        let acts = items.iter().filter_map(|item| match item {
            Item::Act { act, .. } if *act != Act::Unknown => Some(*act),
            _ => None,
        });
        let denies =
            |item: &&Item| matches!(item, Item::Cue { cue: Cue::Against | Cue::Not | Cue::Without, .. });
        Self {
            terms: terms_of(&items),
            values,
            acts: acts.collect(),
            denials: items.iter().filter(denies).count(),
        }
    }
}

fn yes_or_no(answer: &str) -> Option<bool> {
    let lower = answer.trim().to_lowercase();
    let first = lower.split(|char: char| !char.is_alphanumeric()).next().unwrap_or_default();
    let starts = |words: &[&str]| words.iter().any(|word| lower.starts_with(word));
    if ["no", "nope", "don", "never", "not"].contains(&first) || starts(&["不", "别", "先不"]) {
        return Some(false);
    }
    let yes = ["yes", "y", "ok", "okay", "sure", "yep", "yeah"].contains(&first)
        || starts(&["go ahead", "please do", "do it", "可以", "好", "行", "是", "要", "对", "嗯", "同意"]);
    yes.then_some(true)
}

/// Whether the person said that it holds from now on, and nothing that limits it: "yes, but always ask me".
fn is_standing(answer: &str) -> bool {
    let limits = |item: &Item| {
        matches!(
            item,
            Item::Cue { cue: Cue::Against | Cue::Not | Cue::Ask | Cue::If | Cue::But | Cue::Before, .. }
        )
    };
    if read(answer).iter().any(limits) {
        return false;
    }
    let lower = answer.to_lowercase();
    ["always", "every time", "from now on", "whenever", "每次", "以后都", "一直", "总是"]
        .iter()
        .any(|cue| lower.contains(cue))
}
