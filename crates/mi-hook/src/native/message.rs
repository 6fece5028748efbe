//! A person's message: intake, its notices, and what the model is told about them (D.3, D.5, D.6, D.10, D.20–D.22).
//!
//! Holds: advisory, so it never blocks; what cannot be kept is read without a memory.

use mi_formats::hooks::GateAnswer;
use mi_gate::{
    intake::{Intake, Mode, Notice, NoticeKind, WordTable, WorkEvent},
    messages::Message,
};
use mi_persona::retrieval::Weight;
use serde_json::Value;

use super::{NativeCall, Said, said};
use crate::{
    HookError,
    gate::{Heard, Session, Speaker, hear_once},
    persona::{self, Keeper},
};

/// Work that nothing was heard of for this long is not in progress: the agent was interrupted.
const STALE_MS: i64 = 10 * 60 * 1000;

/// Ids of cards that are named where there is no room for their texts.
const MOST_NAMES: usize = 20;

impl NativeCall<'_> {
    pub(super) fn user_message(&self) -> Result<Said, HookError> {
        let text = self.text("prompt").ok_or(HookError::Missing { name: "prompt" })?;
        let mut problems = Vec::new();
        let keeper = self.keeper(&mut problems);
        let decisions = keeper.as_ref().map(|keeper| keeper.decisions(&mut problems)).unwrap_or_default();
        let locale = (self.world.locale)();
        let heard = Heard {
            text,
            task: None,
            diff: None,
            decisions: &decisions,
            words: &WordTable::default(),
            now: self.now(),
            locale,
        };
        let reading = match self.session() {
            Some(session) => self.heard_in(&session, &heard, keeper.as_ref(), &mut problems),
            None => hear_once(&heard),
        };
        let cards = keeper.as_ref().map(|keeper| self.cards(keeper, &reading, text, &mut problems));
        let said = (!reading.output.is_empty()).then(|| for_model(&reading));
        let model: Vec<String> = said.into_iter().chain(cards.flatten()).collect();
        if model.is_empty() {
            return Ok(Said { problems, ..Said::nothing() });
        }
        let person = (!reading.output.is_empty()).then(|| said::harmless(&reading.output));
        Ok(Said { answer: GateAnswer::Note { model: Some(model.join("\n\n")), person }, problems })
    }

    /// Cards that have to be read before the task is begun (D.15), each once in a session.
    fn cards(
        &self,
        keeper: &Keeper<'_>,
        reading: &Intake,
        text: &str,
        problems: &mut Vec<String>,
    ) -> Option<String> {
        let large = reading.risk.score.is_none_or(|score| score >= 2) || reading.batch.count > 1;
        let weight = if large { Weight::NonTrivial } else { Weight::Trivial };
        let session = self.session()?;
        let given = session.state().map(|state| state.cards_given).unwrap_or_default();
        let (cards, mut others) = keeper.cards_for(text, weight, &given);
        if cards.is_empty() {
            return None;
        }
        let ids = cards.iter().map(|(id, _)| id.clone());
        let kept = session.change_state(|state| state.cards_given.extend(ids));
        problems.extend(kept.err().map(|error| error.to_string()));
        let mut texts: Vec<&str> = cards.iter().map(|(_, text)| text.as_str()).collect();
        let more = others.len().saturating_sub(MOST_NAMES);
        others.truncate(MOST_NAMES);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let rest = format!("Read these too before you go on (mi card show ID): {}{more}", others.join(", "));
        texts.extend((!others.is_empty()).then_some(rest.as_str()));
        Some(said::harmless(&format!(
            "[mi cards] The team's cards for this task; keep to them and cite their ids:\n\n{}",
            texts.join("\n\n")
        )))
    }

    /// The persona of this call; one that cannot be used is a problem that is told.
    pub(super) fn keeper(&self, problems: &mut Vec<String>) -> Option<Keeper<'_>> {
        Keeper::open(self.world).unwrap_or_else(|error| {
            problems.push(error);
            None
        })
    }

    fn heard_in(
        &self,
        session: &Session,
        heard: &Heard<'_>,
        keeper: Option<&Keeper<'_>>,
        problems: &mut Vec<String>,
    ) -> Intake {
        let now = self.now().as_millis();
        let before = session.change_state(|state| {
            // Hooks have seen whether anything came out; without output there is nothing to save (D.12).
            state.output_made = Some(state.work.has_output());
            state.in_progress &= state.active_ms.is_some_and(|at| now.saturating_sub(at) < STALE_MS);
        });
        problems.extend(before.err().map(|error| error.to_string()));
        let mut reading =
            session.hear(heard, Speaker::Person, self.world.mi_home.as_deref()).unwrap_or_else(|error| {
                problems.push(error.to_string());
                hear_once(heard)
            });
        if let Some(keeper) = keeper {
            self.keep(session, heard, keeper, &mut reading, problems);
        }
        let after = session.change_state(|state| {
            if reading.autosave.number.is_none() && !reading.session_end.signal {
                state.work.request(heard.text);
            }
            if let ("decision", Some(description)) =
                (reading.cognitive.kind.unwrap_or_default(), reading.cognitive.description.as_deref())
            {
                state.work.decide(description);
            }
            if reading.says_override() {
                state.work.overrule(heard.text);
            }
            state.in_progress = true;
            state.active_ms = Some(now);
        });
        problems.extend(after.err().map(|error| error.to_string()));
        reading
    }

    /// What the message wants written: a proposal (D.9), the log at its end (D.11), an automatic save (D.12).
    fn keep(
        &self,
        session: &Session,
        heard: &Heard<'_>,
        keeper: &Keeper<'_>,
        reading: &mut Intake,
        problems: &mut Vec<String>,
    ) {
        let locale = heard.locale;
        if let Some(description) = reading.cognitive.save.clone() {
            match keeper.propose(&description, reading.cognitive.save_kind.as_deref()) {
                Ok(path) => {
                    let text = Message::ProposalWritten { path: &path }.text(locale);
                    reading.cognitive.proposal = Some(path);
                    reading.tell(Notice { kind: NoticeKind::Status, text }, locale);
                }
                Err(error) => problems.push(error),
            }
            return;
        }
        let event = reading.autosave.trigger.then_some(WorkEvent::HumanCloses);
        let ends = reading.session_end.signal;
        if event.is_none() && !ends {
            return;
        }
        for text in self.save(session, keeper, event.filter(|_| !ends), false, problems) {
            reading.tell(Notice { kind: NoticeKind::Status, text }, locale);
        }
    }

    /// Writes the log of the session and forgets what stands in it; the lines that say so.
    pub(super) fn save(
        &self,
        session: &Session,
        keeper: &Keeper<'_>,
        event: Option<WorkEvent>,
        end: bool,
        problems: &mut Vec<String>,
    ) -> Vec<String> {
        let work = match session.state() {
            Ok(state) => state.work,
            Err(error) => {
                problems.push(error.to_string());
                return Vec::new();
            }
        };
        let saved = match keeper.save(session, &work, event, end) {
            Ok(saved) => saved,
            Err(error) => {
                problems.push(format!("the session log was not written: {error}"));
                return Vec::new();
            }
        };
        if !saved.saved {
            return Vec::new();
        }
        let now = self.now().as_millis();
        let done = session.change_state(|state| {
            state.work = state.work.saved();
            state.output_made = Some(false);
            if event.is_some() {
                state.last_auto_save_ms = Some(now);
            }
        });
        problems.extend(done.err().map(|error| error.to_string()));
        let locale = (self.world.locale)();
        persona::warning(&saved, locale).into_iter().chain([persona::line(&saved, locale)]).collect()
    }
}

/// What the model is to do with the notices.
fn for_model(reading: &Intake) -> String {
    let value = serde_json::to_value(reading).unwrap_or(Value::Null);
    let list = |name: &str| {
        let words = value[name].as_array().into_iter().flatten().filter_map(Value::as_str);
        words.collect::<Vec<_>>().join(" ")
    };
    let mode = match reading.mode {
        Mode::Mirror => "mirror: do as asked, briefly",
        Mode::Challenge => "challenge: give the parts below before you go on, and wait where it says so",
        Mode::Obey => "obey: do it without debate",
    };
    let mut lines = vec![format!("[mi intake] mode {mode}")];
    for (name, found) in [("triggers", list("triggers")), ("speed", list("speed"))] {
        if !found.is_empty() {
            lines.push(format!("{name}: {found}"));
        }
    }
    if reading.spec_gate.blocked {
        lines.push("Do not begin: ask the person the questions below first.".to_owned());
    }
    lines.push("Repeat these notices to the person in your answer, as they stand:".to_owned());
    lines.push(reading.output.clone());
    said::harmless(&lines.join("\n"))
}
