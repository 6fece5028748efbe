//! What a message asks for and how to meet it (D.3, D.5, D.6, D.9, D.12, D.20–D.22).
//!
//! [`intake`] takes one message with what is known around it and returns an [`Intake`], and the [`State`] for the next
//! message. It keeps nothing itself.
//! Holds: secrets appear as kind, length and digest only; a blocked spec gate has no score; the same input gives
//! the same output.
//! Elsewhere: counting a diff is [`crate::change_unit`]; cards and sessions are `mi-persona`'s.

mod batch;
mod challenge;
mod contradiction;
mod diff;
mod notices;
mod risk;
mod save;
mod speed;
mod state;
mod task;
mod text;
mod words;
mod work;

#[cfg(test)]
mod tests;

use mi_model::{Timestamp, sha256_hex};
use mi_secrets::{Finding, Level};
use serde::{Deserialize, Serialize};

use crate::change_unit::ChangeUnits;
use crate::messages::{Locale, Message as Fixed};

pub use batch::Batch;
pub use contradiction::KnownDecision;
pub use notices::{Notice, NoticeKind, render_notices};
pub use risk::{Factor, Orchestration, Risk, SpecGate, Tier};
pub use risk::{criteria_question, is_vague, names_criteria};
pub use save::{AutoSave, Cognitive, EndSignal, SessionEnd, WorkEvent, auto_save, session_end};
pub use speed::Speed;
pub use state::State;
pub use task::{Area, Task, TaskError};
pub use words::{Topic, WordTable, WordTableError};
pub use work::{ToolSeen, Work};

/// One message and what is known around it.
pub struct Message<'a> {
    pub text: &'a str,
    pub task: Option<&'a Task>,
    pub diff: Option<&'a ChangeUnits>,
    pub state: &'a State,
    pub decisions: &'a [KnownDecision],
    pub words: &'a WordTable,
    pub now: Timestamp,
    pub locale: Locale,
}

/// Everything the message brings with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Intake {
    pub mode: Mode,
    pub triggers: Vec<Trigger>,
    /// Ids of decisions that the message goes against.
    pub contradicts: Vec<String>,
    pub secrets: Vec<SecretFound>,
    pub spec_gate: SpecGate,
    pub risk: Risk,
    pub orchestration: Orchestration,
    pub batch: Batch,
    pub speed: Vec<Speed>,
    pub tier: Tier,
    pub cognitive: Cognitive,
    pub autosave: AutoSave,
    pub session_end: SessionEnd,
    /// The person must acknowledge before it goes on.
    pub needs_acknowledgement: bool,
    /// What `mi ack` is given; only where a session is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acknowledge: Option<String>,
    pub notices: Vec<Notice>,
    /// What is shown to the person.
    pub output: String,
    #[serde(skip)]
    pub state: State,
}

/// How the message is met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    Mirror,
    Challenge,
    Obey,
}

/// Why a message is challenged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    BatchSize,
    Contradiction,
    MoneySecurityIrreversible,
    Personnel,
    Architecture,
    Urgency,
    SmallChangeClaim,
    Secret,
}

/// A secret in the message, without its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SecretFound {
    pub kind: String,
    pub length: usize,
    pub fingerprint: String,
}

/// Reads one message.
pub fn intake(message: &Message<'_>) -> Intake {
    // What is kept or shown later is made of this text: secrets are out of it from the start.
    let clean = text::without_secrets(message.text);
    // What is only mentioned orders, hurries and closes nothing; what it would do to data counts all the same.
    let (whole, text) = (text::Text::new(&clean), text::Text::spoken(&clean));
    let mut state = message.state.clone();
    // What is to be done stands in the message and in the task.
    let described = match message.task.filter(|task| !task.description.is_empty()) {
        Some(task) => text::without_secrets(&format!("{}\n{}", message.text, task.description)),
        None => clean.clone(),
    };
    let (about, spoken) = (text::Text::new(&described), text::Text::spoken(&described));
    // What is checked at the end is not what is done: a criterion raises no risk.
    let to_do = text::Text::new(&text::without_criteria(&clean));
    let new_topic = state.follow(&whole, message.words);
    let secrets = secrets(message.text);
    let contradicts = contradiction::find(&about, message.decisions);
    let run = text::Text::new(&text::to_be_run(&described));
    let irreversible = words::has(&about, message.words, Topic::Irreversible)
        || words::has(&run, message.words, Topic::Irreversible)
        || words::deletes_data(&about)
        || involves(message, Area::DeleteData);
    let batch = batch::read(&text, message.diff, &mut state, message.words);
    let spec_gate = risk::spec_gate(&text, message, message.locale);
    let touched = diff::words(message.diff);
    let (risk, before_vagueness) = risk::score(&[&to_do, &run, &touched], message, spec_gate.blocked);
    let orchestration = risk::orchestration(before_vagueness);
    let asks = words::wants_to_know(&spoken, message.words);
    let secured = words::has(&about, message.words, Topic::DataSecurity) && !asks
        || [Area::Auth, Area::Encryption].into_iter().any(|area| involves(message, area))
        || [Topic::Auth, Topic::Encryption, Topic::DeleteData]
            .into_iter()
            .any(|topic| words::has(&touched, message.words, topic));
    let triggers = triggers(
        &about,
        &spoken,
        message,
        &Signals { batch: &batch, contradicts: &contradicts, secrets: &secrets, irreversible, secured },
    );
    let overridden = words::says_override(&text, message.words);
    state.obey = overridden || (state.obey && !new_topic && !words::takes_override_back(&text));
    let mode = match (state.obey, triggers.is_empty()) {
        (true, _) => Mode::Obey,
        (false, false) => Mode::Challenge,
        (false, true) => Mode::Mirror,
    };
    let urgent = triggers.contains(&Trigger::Urgency);
    let named_speed = speed::named(&text);
    let hurried = urgent || named_speed.as_ref().is_some_and(|levels| !levels.is_empty());
    state.prefers_silence |= named_speed
        .as_ref()
        .is_some_and(|levels| levels.ends_with(&[Speed::S4]) && levels.contains(&Speed::S2));
    // Without a score little is said, unless haste meets what cannot be undone (D.21).
    let tier = if irreversible && hurried { Tier::Full } else { Tier::of(risk.score.unwrap_or(0)) };
    let high_risk = irreversible
        || tier == Tier::Full
        || risk::is_sensitive(&risk)
        || words::has(&about, message.words, Topic::Production);
    let deploys = words::has(&about, message.words, Topic::Deployment);
    // Haste never shortens what is irreversible, secure or deployed, nor a challenge from risk 3 on (D.21).
    let careful = !secrets.is_empty()
        || secured
        || mode == Mode::Challenge && (high_risk || risk.score.is_some_and(|score| score >= 3));
    let speed = match named_speed {
        _ if irreversible || deploys => Vec::new(),
        Some(levels) => levels,
        None if urgent && !careful => speed::of_haste(state.prefers_silence),
        None => Vec::new(),
    };
    let cognitive = save::cognitive(&text, message, &contradicts, &mut state);
    if speed.contains(&Speed::S4) {
        // What was not shown cannot be agreed to: a `save` after it means the session.
        (state.pending_card, state.pending_kind) = (None, None);
    }
    let autosave = save::of_message(&text, message, &mut state);
    save::note_talk(&text, message, &mut state);
    let session_end = save::end_signal(&text, message.words).into();
    let mut reading = Intake {
        needs_acknowledgement: mode == Mode::Challenge && high_risk
            || mode == Mode::Mirror && tier == Tier::Full,
        acknowledge: None,
        mode,
        triggers,
        contradicts,
        secrets,
        spec_gate,
        risk,
        orchestration,
        batch,
        speed,
        tier,
        cognitive,
        autosave,
        session_end,
        notices: Vec::new(),
        output: String::new(),
        state,
    };
    reading.notices = challenge::notices(&reading, message, overridden, hurried);
    reading.output = render_notices(&reading.notices, &reading.speed, message.locale);
    reading
}

impl Intake {
    /// The person said `override` in this very message.
    pub fn says_override(&self) -> bool {
        self.notices.iter().any(|notice| notice.kind == NoticeKind::Override)
    }

    /// Says that the challenge waits for the person under this id.
    pub fn wait_for(&mut self, id: &str, locale: Locale) {
        self.acknowledge = Some(id.to_owned());
        let text = Fixed::WaitsForAcknowledgement { id }.text(locale);
        self.tell(Notice { kind: NoticeKind::Confirmation, text }, locale);
    }

    /// The person has acknowledged as much in this topic: nothing waits, and the challenge says so.
    pub fn is_acknowledged(&mut self, locale: Locale) {
        self.needs_acknowledgement = false;
        let said = challenge::challenge(self, locale);
        self.say_challenge(&said, locale);
    }

    /// The parts that this challenge has to say, for a mind to fill; none where nothing is challenged.
    pub fn challenge_parts(&self) -> &'static [&'static str] {
        let challenged = self.notices.iter().any(|notice| notice.kind == NoticeKind::Challenge);
        if challenged { challenge::part_names(self.tier) } else { &[] }
    }

    /// Says the parts in a mind's words. Each is cut to two sentences and freed of secrets; the ids of decisions that the
    /// message goes against are always cited (D.15). A list of another length changes nothing.
    pub fn fill_challenge(&mut self, texts: &[String], locale: Locale) {
        let names = self.challenge_parts();
        if names.is_empty() || texts.len() != names.len() || texts.iter().any(|text| text.trim().is_empty()) {
            return;
        }
        let mut texts: Vec<String> =
            texts.iter().map(|text| challenge::two_sentences(&mi_secrets::redact(text))).collect();
        let missing: Vec<&str> =
            self.contradicts.iter().map(String::as_str).filter(|id| !texts[1].contains(id)).collect();
        if !missing.is_empty() {
            texts[1] = format!("[{}] {}", missing.join(", "), texts[1]);
        }
        let said = challenge::frame(self.tier, &texts);
        self.say_challenge(&said, locale);
    }

    fn say_challenge(&mut self, said: &str, locale: Locale) {
        for notice in self.notices.iter_mut().filter(|notice| notice.kind == NoticeKind::Challenge) {
            said.clone_into(&mut notice.text);
        }
        self.output = render_notices(&self.notices, &self.speed, locale);
    }

    /// One more notice, in its place.
    pub fn tell(&mut self, notice: Notice, locale: Locale) {
        self.notices.push(notice);
        self.output = render_notices(&self.notices, &self.speed, locale);
    }
}

/// Only what is valid: shape, length and checksum (`spec`: two thresholds). Where several rules know the same secret, it
/// is one secret, and the rule that knows its kind names it.
fn secrets(text: &str) -> Vec<SecretFound> {
    let mut told: Vec<Finding> = Vec::new();
    for found in mi_secrets::find(text).into_iter().filter(|found| found.level == Level::Secret) {
        match told.last_mut() {
            Some(last) if found.start < last.end => {
                if is_label(last.rule.name()) && !is_label(found.rule.name()) {
                    *last = found;
                }
            }
            _ => told.push(found),
        }
    }
    told.into_iter()
        .filter_map(|found| {
            let value = text.get(found.start..found.end)?;
            let digest = sha256_hex(value.as_bytes());
            Some(SecretFound {
                kind: found.rule.to_string(),
                length: value.chars().count(),
                fingerprint: digest[..8].to_owned(),
            })
        })
        .collect()
}

/// Rules that know a secret only by where it stands.
fn is_label(rule: &str) -> bool {
    matches!(rule, "labelled-secret" | "password" | "bearer-token" | "basic-auth" | "url-password" | "cookie")
}

fn involves(message: &Message<'_>, area: Area) -> bool {
    message.task.is_some_and(|task| task.involves.contains(&area))
}

struct Signals<'a> {
    batch: &'a Batch,
    contradicts: &'a [String],
    secrets: &'a [SecretFound],
    irreversible: bool,
    secured: bool,
}

fn triggers(
    about: &text::Text,
    spoken: &text::Text,
    message: &Message<'_>,
    signals: &Signals<'_>,
) -> Vec<Trigger> {
    let has = |text, topic| words::has(text, message.words, topic);
    let asks = words::wants_to_know(spoken, message.words);
    let paid = has(about, Topic::Money) && !asks || words::moves_money(about);
    let small = has(spoken, Topic::SmallChange) && risk::is_more_than_trivial(about, message);
    [
        (Trigger::BatchSize, signals.batch.count > batch::LIMIT && !signals.batch.approved),
        (Trigger::Contradiction, !signals.contradicts.is_empty()),
        (Trigger::MoneySecurityIrreversible, signals.irreversible || signals.secured || paid),
        (Trigger::Personnel, has(spoken, Topic::Personnel) && !asks || words::names_person(spoken)),
        (
            Trigger::Architecture,
            has(spoken, Topic::Architecture) && !asks
                || words::chooses_technology(spoken)
                || message.diff.is_some_and(diff::changes_schema),
        ),
        (Trigger::Urgency, has(spoken, Topic::Urgency) || words::hurries(spoken)),
        (Trigger::SmallChangeClaim, small),
        (Trigger::Secret, !signals.secrets.is_empty()),
    ]
    .into_iter()
    .filter(|(_, fired)| *fired)
    .map(|(trigger, _)| trigger)
    .collect()
}

/// The fixed warning for a secret, to be shown at once (D.10).
pub(crate) fn secret_warning(locale: Locale) -> String {
    Fixed::SecretDetected.text(locale)
}
