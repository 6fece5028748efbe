//! The persona in a hook call: boot at the start (D.2), known decisions (D.14), proposals (D.9), session logs (D.11, D.12).
//!
//! Holds: without a persona nothing is said and nothing is written; whatever goes wrong is a problem that is told and
//! never stops the agent. Each session of an agent has a slot of its own.
//! Elsewhere: the files are `mi-persona`'s; when to save is decided by `mi_gate::intake`.

use std::collections::BTreeSet;

use mi_gate::{
    intake::{KnownDecision, Work, WorkEvent},
    messages::{Locale, Message},
};
use mi_journal::StateFile;
use mi_persona::{
    AutoSave, Boot, BootRequest, Member, Moment, Persona, Proposal, Save, Saved, SessionError,
    card::{CardType, Sections},
    log::Items,
    retrieval::{Match, Weight, search},
    salience::EVERY_BOOT,
};
use serde::{Deserialize, Serialize};

use crate::{World, gate::Session};

/// A persona and whose it is in this call.
pub(crate) struct Keeper<'a> {
    persona: Persona,
    member: Member,
    world: &'a World<'a>,
}

/// The persona's session that belongs to an agent's session.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Bound {
    session: String,
    slot: String,
}

/// The most of a persona that a model is given at the start; the rest is named.
const MOST_BYTES: usize = 24 * 1024;
/// The most cards that come with one message, and the most of each.
const MOST_CARDS: usize = 5;
const MOST_CARD_BYTES: usize = 2000;

impl<'a> Keeper<'a> {
    /// None where there is no persona, and a problem where there is one that cannot be used.
    pub(crate) fn open(world: &'a World<'a>) -> Result<Option<Self>, String> {
        let (Some(home), Some(folder)) = (world.mi_home.as_deref(), world.persona.as_deref()) else {
            return Ok(None);
        };
        if !folder.join("core").is_dir()
            && !folder.join("cards").is_dir()
            && !folder.join("sessions").is_dir()
        {
            return Ok(None);
        }
        let member =
            Member::new(world.member.as_deref().unwrap_or("self")).map_err(|error| error.to_string())?;
        let persona = Persona::in_home(folder, home).map_err(|error| error.to_string())?;
        Ok(Some(Self { persona, member, world }))
    }

    fn moment(&self) -> Moment<'_> {
        Moment {
            member: &self.member,
            today: (self.world.today)(),
            now: self.world.now,
            locale: (self.world.locale)(),
            salt: u64::from(std::process::id()),
        }
    }

    /// Everything on record that a message could go against.
    pub(crate) fn decisions(&self, problems: &mut Vec<String>) -> Vec<KnownDecision> {
        let mut broken = Vec::new();
        let known = self.persona.known_decisions(&mut broken).unwrap_or_else(|error| {
            problems.push(format!("what was decided before is not known: {error}"));
            Vec::new()
        });
        problems.extend(broken.iter().map(ToString::to_string));
        known
    }

    /// The cards that a task calls for (D.15), best first, with their ids; those of salience 9 and 10 were given at the start.
    /// The second list has the ids of those for which there is no room.
    pub(crate) fn cards_for(
        &self,
        task: &str,
        weight: Weight,
        given: &BTreeSet<String>,
    ) -> (Vec<(String, String)>, Vec<String>) {
        let Ok(cards) = self.persona.cards() else { return Default::default() };
        let mut wanted = search(&cards.entries, task, weight).into_iter().filter(|found| {
            found.read && found.entry.salience < EVERY_BOOT && !given.contains(found.entry.id.as_str())
        });
        let text = |found: Match<'_>| {
            let id = found.entry.id.to_string();
            let text = self.persona.read_shared(&found.entry.path).ok()??;
            let text = text.trim();
            let rest = if text.len() > MOST_CARD_BYTES {
                format!("\n(the rest: mi card show {id})")
            } else {
                String::new()
            };
            Some((id, format!("{}{rest}", mi_model::shorten(text, MOST_CARD_BYTES))))
        };
        let shown = wanted.by_ref().take(MOST_CARDS).filter_map(text).collect();
        (shown, wanted.map(|found| found.entry.id.to_string()).collect())
    }

    /// Writes what the person said yes to as a proposal; its path from the persona.
    pub(crate) fn propose(&self, description: &str, kind: Option<&str>) -> Result<String, String> {
        propose(&self.persona, &self.member, description, kind, self.moment().today)
    }

    /// Boots: what the model is given, what the person is told, what went wrong. Takes a slot for the session.
    pub(crate) fn boot(&self, session: &Session) -> (Option<String>, Option<String>, Vec<String>) {
        let moment = self.moment();
        let home = self.world.mi_home.clone().unwrap_or_default();
        let unseal = (self.world.unseal)(mi_persona::identity_file(&home, &self.member));
        let request = BootRequest {
            member: &self.member,
            today: moment.today,
            locale: moment.locale,
            unseal: unseal.as_ref(),
        };
        let boot = match self.persona.boot(&request) {
            Ok(boot) => boot,
            Err(error) => return (None, None, vec![format!("the persona did not boot: {error}")]),
        };
        let mut problems: Vec<String> = boot.problems.iter().map(ToString::to_string).collect();
        let slot = match self.bound(session) {
            Ok(bound) => format!(" | slot {}", bound.slot),
            Err(error) => {
                problems.push(error);
                String::new()
            }
        };
        let line = format!("{}{slot}", boot.status_line);
        (Some(for_model(&boot, &line)), Some(line), problems)
    }

    /// Writes the log. `event` is the trigger of an automatic save; without one the person asked for it.
    pub(crate) fn save(
        &self,
        session: &Session,
        work: &Work,
        event: Option<WorkEvent>,
        end: bool,
    ) -> Result<Saved, String> {
        let bound = self.bound(session)?;
        let save = Save {
            session: Some(bound.session),
            slot: None,
            items: items(work, event.is_none()),
            auto: event.map(|event| AutoSave { event, in_progress: false, new_instruction: false }),
            end,
        };
        let saved = match self.persona.save_session(&self.moment(), &save) {
            // It was ended by hand: the next one begins.
            Err(SessionError::Unknown(_)) => {
                let bound = self.begin(session)?;
                self.persona.save_session(&self.moment(), &Save { session: Some(bound.session), ..save })
            }
            saved => saved,
        };
        let saved = saved.map_err(|error| error.to_string())?;
        if saved.ended {
            drop(std::fs::remove_file(place(session)));
        }
        Ok(saved)
    }

    /// Gives the slot of a session back that has nothing to write.
    pub(crate) fn leave(&self, session: &Session) -> Result<(), String> {
        let bound = self.bound(session)?;
        self.persona.leave_session(&bound.session).map_err(|error| error.to_string())?;
        drop(std::fs::remove_file(place(session)));
        Ok(())
    }

    /// Whether this session has taken a slot.
    pub(crate) fn has_begun(session: &Session) -> bool {
        place(session).is_file()
    }

    fn bound(&self, session: &Session) -> Result<Bound, String> {
        match std::fs::read(place(session))
            .ok()
            .and_then(|bytes| serde_json::from_slice::<Bound>(&bytes).ok())
        {
            Some(bound) if !bound.session.is_empty() => Ok(bound),
            _ => self.begin(session),
        }
    }

    fn begin(&self, session: &Session) -> Result<Bound, String> {
        let open = self.persona.start_session(&self.moment(), None).map_err(|error| error.to_string())?;
        let bound = Bound { session: open.session, slot: open.slot };
        StateFile::new(place(session)).replace(&bound).map_err(|error| error.to_string())?;
        Ok(bound)
    }
}

/// Writes a proposal out of what a person said (D.9); its path from the persona.
pub fn propose(
    persona: &Persona,
    by: &Member,
    description: &str,
    kind: Option<&str>,
    today: mi_persona::Date,
) -> Result<String, String> {
    let kind_of_card = match kind {
        Some("principle") => CardType::Principle,
        Some("preference") => CardType::Pattern,
        _ => CardType::Heuristic,
    };
    let proposal = Proposal {
        by,
        kind: kind_of_card,
        title: description.to_owned(),
        merge_key: None,
        aliases: Vec::new(),
        salience: 5,
        source: Some(format!("said by the person on {today}: a {}", kind.unwrap_or("decision"))),
        sections: Sections { content: description.to_owned(), ..Sections::default() },
    };
    persona.propose(&proposal, today).map_err(|error| error.to_string())
}

/// The line of what was saved, as D.12 wants it for automatic saves.
pub(crate) fn line(saved: &Saved, locale: Locale) -> String {
    match (&saved.line, locale) {
        (Some(line), _) => line.clone(),
        (None, Locale::Zh) => format!("session log已写入 {}", saved.path),
        (None, Locale::En) => format!("Session log written to {}", saved.path),
    }
}

fn place(session: &Session) -> std::path::PathBuf {
    session.file("persona.json")
}

/// What the log is given. What comes next is said at the end alone: until then it changes with every task that is done.
fn items(work: &Work, at_the_end: bool) -> Items {
    Items {
        completed_items: work.completed(),
        decisions: work.decisions.clone(),
        next_steps: if at_the_end { work.open_tasks.clone() } else { Vec::new() },
        external_ai_calls: work.reviews.clone(),
        incidents: work.overrides.iter().map(|text| format!("override by the person: {text}")).collect(),
        ..Items::default()
    }
}

/// Status line, the seed's sentences, then what was read, as far as there is room.
fn for_model(boot: &Boot, line: &str) -> String {
    let mut text = format!("[mi boot] {line}\n");
    for message in boot.messages.iter().filter(|message| !line.contains(message.as_str())) {
        text.push_str(&format!("Say to the person: {message}\n"));
    }
    let mut left_out = Vec::new();
    for item in &boot.loaded {
        let Some(body) = item.text.as_deref().map(str::trim).filter(|body| !body.is_empty()) else {
            continue;
        };
        if text.len() + body.len() > MOST_BYTES {
            left_out.push(item.path.as_str());
            continue;
        }
        text.push_str(&format!("\n--- $PERSONA/{} (tier {})\n{body}\n", item.path, item.tier));
    }
    if !left_out.is_empty() {
        text.push_str(&format!(
            "\nNot shown here for its length, print it with `mi boot --full`: {}\n",
            left_out.join(", ")
        ));
    }
    text
}

/// The seed's sentence when a secret was taken out of a log.
pub(crate) fn warning(saved: &Saved, locale: Locale) -> Option<String> {
    saved.redacted.then(|| Message::SecretDetected.text(locale))
}
