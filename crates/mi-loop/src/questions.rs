//! Questions addressed to the user in an agent's last message, in English and Chinese.
//!
//! Holds: code, quotes, logs and headings ask nothing; a question that the message answers itself is none.
//! Every question says whether the agent waits for it: an offer at the end does not.
//! Elsewhere: what is answered for the user is `answers`.

// Rows of phrases read better as rows.
#[rustfmt::skip]
mod cues;
mod options;
mod prose;
mod shape;
// Rows of phrases read better as rows.
#[rustfmt::skip]
mod waiting;

use serde::{Deserialize, Serialize};

use crate::words::{Term, read, terms_of};
use prose::Unit;

/// What kind of answer is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// May or shall something be done?
    Consent,
    /// Which of these?
    Choice,
    /// What is it, how is it to be?
    Information,
}

/// One question of the agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// The question in the agent's own words.
    pub text: String,
    /// The sentence before it, when the question means nothing without it ("Can I add it?").
    pub context: String,
    pub kind: Kind,
    pub options: Vec<String>,
    /// What it speaks of, in the rules' own words.
    pub topics: Vec<String>,
    /// Whether the agent cannot go on without the answer.
    pub waits: bool,
    /// The rest of the message: a plan that a bare "Shall I continue?" stands for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub around: String,
}

/// At most this many bytes of the rest of a message are kept.
const AROUND_KEPT: usize = 4000;

impl Question {
    /// The question with what it leans on.
    pub fn full_text(&self) -> String {
        if self.context.is_empty() { self.text.clone() } else { format!("{} {}", self.context, self.text) }
    }

    /// Whether it asks what the person likes.
    pub(crate) fn asks_taste(&self) -> bool {
        shape::has_any(&shape::plain(&self.text), cues::TASTE)
    }

    /// Whether agreeing is said with a no: "any objections?"
    pub(crate) fn turns_yes_around(&self) -> bool {
        shape::has_any(&shape::plain(&self.text), cues::TURNED)
    }

    /// Whether what it asks hangs on something else: "If the tests fail, should I …".
    pub(crate) fn has_condition(&self) -> bool {
        let mut plain = shape::plain(&self.full_text());
        for lead in cues::NO_CONDITIONS {
            plain = plain.replace(lead, " ");
        }
        shape::has_any(&plain, cues::CONDITIONS)
    }

    /// Whether it offers alternatives that could not be told apart, so that a yes would choose none of them.
    pub(crate) fn has_unread_options(&self) -> bool {
        self.kind == Kind::Consent && options::has_unread(&self.text)
    }

    /// Whether it asks what a part of the program shall do, not what the agent shall do.
    pub(crate) fn is_about_the_program(&self) -> bool {
        shape::is_about_the_program(&self.text)
    }

    /// Whether it states that the person's word is awaited instead of asking for leave.
    pub(crate) fn is_declared(&self) -> bool {
        shape::is_declared(&self.text)
    }

    /// Whether it asks to weigh things that are not named as options.
    pub(crate) fn compares(&self) -> bool {
        shape::has_any(&shape::plain(&self.text), cues::COMPARES)
    }
}

/// The questions of a message, in order.
pub fn find_questions(last_message: &str) -> Vec<Question> {
    let units = prose::units(last_message);
    let mut found: Vec<Question> = Vec::new();
    let mut at = 0;
    while at < units.len() {
        let items = list_after(&units, at);
        if !items.is_empty() && shape::announces_questions(&units[at]) {
            let listed = at + 1..=at + items.len();
            found.extend(
                listed.map(|own| {
                    build(&units[own], None, shape::listed(&units[own]), options::of(&units, own))
                }),
            );
            at += 1 + items.len();
            continue;
        }
        let next = units.get(at + 1).filter(|next| next.paragraph == units[at].paragraph && !next.marked);
        if let Some(mut shape) = shape::of(&units[at], next) {
            shape.waits &= !shape::offers_more_work(&units, at) && !shape::goes_on_harmlessly(&units, at);
            let listed = options::from_list(&units[at], items);
            at += listed.as_ref().map_or(0, Vec::len);
            let own = at - listed.as_ref().map_or(0, Vec::len);
            let options = listed.unwrap_or_else(|| options::of(&units, own));
            found.push(build(&units[own], before(&units, own), shape, options));
        }
        at += 1;
    }
    found.dedup_by(|one, other| one.text == other.text);
    for question in &mut found {
        let others = units.iter().filter(|unit| unit.text != question.text).map(|unit| unit.text.as_str());
        question.around = others.collect::<Vec<_>>().join("\n");
        question.around.truncate(question.around.floor_char_boundary(AROUND_KEPT));
    }
    found
}

/// Takes a text as one question that waits, whatever its shape.
pub fn question_from(text: &str) -> Question {
    let unit = Unit::whole(text);
    let shape = shape::listed(&unit);
    let options = options::of(std::slice::from_ref(&unit), 0);
    build(&unit, None, shape, options)
}

fn build(unit: &Unit, before: Option<&Unit>, shape: shape::Shape, options: Vec<String>) -> Question {
    let terms = terms_of(&read(&unit.text));
    let stands_alone = terms.iter().any(|term| !matches!(term, Term::Word(_)))
        || unit.text.contains('`')
        || options.len() >= 2;
    let leans = !stands_alone && shape::points_back(&unit.text, terms.is_empty());
    let kind = if options.len() >= 2 { Kind::Choice } else { shape.kind };
    let context = before
        .filter(|_| leans || (kind == Kind::Choice && terms.is_empty()))
        .map_or_else(String::new, |unit| unit.text.clone());
    let full = if context.is_empty() { unit.text.clone() } else { format!("{context} {}", unit.text) };
    let mut topics: Vec<String> = terms_of(&read(&full)).iter().map(|term| term.label().to_owned()).collect();
    topics.dedup();
    let around = String::new();
    Question { text: unit.text.clone(), context, kind, options, topics, waits: shape.waits, around }
}

/// The sentence a question may lean on.
fn before(units: &[Unit], at: usize) -> Option<&Unit> {
    at.checked_sub(1).and_then(|before| units.get(before))
}

/// The list that follows a sentence, up to its end.
fn list_after(units: &[Unit], at: usize) -> &[Unit] {
    if units[at].marked && !units[at].text.ends_with([':', '：']) {
        return &[];
    }
    let rest = &units[at + 1..];
    let length = rest.iter().take_while(|unit| unit.marked).count();
    &rest[..length]
}
