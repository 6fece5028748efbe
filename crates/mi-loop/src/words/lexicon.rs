//! The words the rules know, as data: what may be done (acts), to what (topics, members of a category), and
//! the cues that say whether a person wants it. The forms are in `tables`.

use std::{collections::HashMap, sync::LazyLock};

use super::{
    Token, TokenKind,
    tables::{ACTS, CATEGORIES, CUES, STOPS, TOPICS},
    tokens,
};

/// What is done to a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Act {
    /// No verb was said.
    Any,
    Add,
    Write,
    Use,
    Run,
    /// The topic itself is the act: push, commit, deploy.
    Do,
    Remove,
    Skip,
    Change,
    Keep,
    Fix,
    /// A verb that is not known: no known one stands for it.
    Unknown,
}

/// A word that says how the person stands to what is named beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cue {
    For,
    /// "needs": what stands before it, if anything, is the occasion.
    Need,
    /// Against what follows, or what came before when nothing else was said.
    Against,
    /// Against what follows only: "tabs, not spaces".
    Not,
    Permit,
    Ask,
    /// "without asking": with a refusal it means ask, with a permission it means go on.
    Unasked,
    /// Says that no question is wanted.
    NoAsk,
    /// A condition: what it limits needs judgement.
    If,
    /// Softens without limiting: "where possible".
    Hedge,
    /// What follows is less wanted than what came before: "over", "rather than".
    Over,
    /// What follows is only the moment: "before committing".
    Before,
    /// What follows comes second: "再提交".
    Then,
    /// What came before is only the moment: "提交前".
    Moment,
    Without,
    /// Joins equals: "and", "or".
    Join,
    /// Turns the thought: "but".
    But,
    /// The sentence describes: "is", "are".
    Copula,
    /// The person speaks of themselves.
    Me,
    /// The person speaks of the team or to the agent: "we use", "you write".
    Person,
    /// Limits to what is there already, or to this project's own parts.
    Own,
}

pub(crate) use super::read::What;

/// The stems of a form, and what it stands for.
type Form = (Vec<String>, Vec<What>);

/// The longest known form that starts at each position.
pub(crate) struct Lexicon {
    /// By their first stem, longest first.
    forms: HashMap<String, Vec<Form>>,
}

/// All tables above as one.
pub(crate) static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    let mut lexicon = Lexicon { forms: HashMap::new() };
    for (act, forms) in ACTS {
        lexicon.insert(forms, What::Act(*act));
    }
    for (topic, forms) in TOPICS {
        lexicon.insert(forms, What::Topic(topic));
    }
    for category in CATEGORIES {
        lexicon.insert(category.names, What::Topic(category.id));
        for (member, forms) in category.members {
            lexicon.insert(forms, What::Member { category: category.id, member });
        }
    }
    for (cue, forms) in CUES {
        lexicon.insert(forms, What::Cue(*cue));
    }
    lexicon.insert(STOPS, What::Stop);
    lexicon
});

impl Lexicon {
    /// The meanings of the longest form at the head of `tokens`, and how many tokens it takes.
    pub(crate) fn longest(&self, tokens: &[Token]) -> Option<(&[What], usize)> {
        let candidates = self.forms.get(&tokens.first()?.stem)?;
        let fits = |form: &[String]| {
            form.len() <= tokens.len()
                && form.iter().zip(tokens).all(|(part, token)| {
                    *part == token.stem && token.kind != TokenKind::Mark || part == "$" && token.stem == "$"
                })
        };
        candidates
            .iter()
            .find(|(form, _)| fits(form))
            .map(|(form, meanings)| (meanings.as_slice(), form.len()))
    }

    fn insert(&mut self, forms: &str, meaning: What) {
        for form in forms.split('|').filter(|form| !form.is_empty()) {
            let stems: Vec<String> = tokens(form).into_iter().map(|token| token.stem).collect();
            let Some(first) = stems.first().cloned() else { continue };
            let known = self.forms.entry(first).or_default();
            match known.iter_mut().find(|(other, _)| *other == stems) {
                Some((_, meanings)) if meaning == What::Stop || meanings.contains(&meaning) => {}
                Some((_, meanings)) => meanings.push(meaning),
                None => known.push((stems, vec![meaning])),
            }
            known.sort_by_key(|(form, _)| std::cmp::Reverse(form.len()));
        }
    }
}

/// Whether wanting one member of the category rules the others out.
pub(crate) fn is_exclusive(category: &str) -> bool {
    CATEGORIES.iter().any(|known| known.id == category && known.exclusive)
}
