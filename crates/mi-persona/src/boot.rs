//! The boot (D.2): what is read, from where, in which order, and what is said afterwards.
//!
//! Tier A: the three core files, the latest session log, the member's own private memory. Tier A+: today's slots.
//! Then the card index and every card of salience 9 and 10 (D.13, D.15). Nothing is written but the machine's own cache.

use jiff::civil::Date;
use mi_gate::messages::{Locale, Message};
use serde::Serialize;

use crate::{
    AccessError, INDEX, Member, Persona, Problem,
    card::Status,
    handoff::State,
    log::{self, Items, Section},
    private::Unseal,
    salience::EVERY_BOOT,
    sessions::OpenSession,
    slots::{self, LogFile},
    status::{Facts, status_line},
};

/// Read on every start, in this order.
pub const CORE: [&str; 3] = ["core/boot.md", "core/principles.md", "core/challenge-core.md"];

/// Who starts, and when.
pub struct BootRequest<'a> {
    pub member: &'a Member,
    pub today: Date,
    pub locale: Locale,
    /// Opens what is encrypted in the member's own folder.
    pub unseal: &'a dyn Unseal,
}

/// What a boot loaded and says.
#[derive(Debug, Clone, Serialize)]
pub struct Boot {
    pub member: String,
    pub first_boot: bool,
    pub loaded: Vec<Loaded>,
    pub skipped: Vec<Problem>,
    pub index: IndexState,
    /// Other slots that are active today.
    pub parallel_sessions: Vec<String>,
    /// What the seed wants said.
    pub messages: Vec<String>,
    pub status_line: String,
    pub problems: Vec<Problem>,
}

/// One thing that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Loaded {
    pub order: usize,
    pub tier: &'static str,
    pub kind: &'static str,
    /// From the persona.
    pub path: String,
    pub bytes: usize,
    /// None for the index, which stays in `mi`'s working memory: `mi card search` asks it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// What is known of the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct IndexState {
    pub cards: usize,
    pub active: usize,
    /// The file says what the cards say; where it does not, the cards hold.
    pub fresh: bool,
    /// How many cards had to be read because they were not in the cache.
    pub read: usize,
}

/// Why there was no boot.
#[derive(Debug, thiserror::Error)]
pub enum BootError {
    #[error(transparent)]
    Access(#[from] AccessError),
    #[error("{} missing in the persona; `mi persona init` writes what is missing and leaves the rest alone", files(.0))]
    MissingCore(Vec<&'static str>),
}

fn files(missing: &[&str]) -> String {
    let verb = if missing.len() == 1 { "is" } else { "are" };
    format!("{} {verb}", missing.join(", "))
}

impl Persona {
    /// Performs the boot for one member.
    pub fn boot(&self, request: &BootRequest<'_>) -> Result<Boot, BootError> {
        let mut boot = Booting::default();
        self.load_core(&mut boot)?;
        let logs = self.logs_for_boot(request.today)?;
        let last = self.load_latest(&mut boot, &logs);
        let first_boot = last.is_none() && !self.has_logs()?;
        self.load_private(&mut boot, request);
        let today_slots = self.load_windows(&mut boot, &logs, request.today);
        let index = self.load_cards(&mut boot)?;
        let mut notes = Vec::new();
        let open = self.open_sessions_with(&mut notes).unwrap_or_default();
        boot.skipped.extend(notes.into_iter().map(|note| Problem::new("sessions", note)));
        let parallel = parallel(today_slots, &open, request);
        let proposals = self.proposals_with(&mut boot.problems)?.len();
        let handoffs = self.handoffs_with(&mut boot.problems)?;
        let offered = handoffs.iter().filter(|handoff| {
            request.member.is(&handoff.to) && matches!(handoff.status, State::Offered | State::Accepted)
        });
        let status_line = status_line(
            &Facts {
                last: last.as_ref().map(|(day, items)| (day.as_str(), items)),
                parallel: &parallel,
                proposals,
                handoffs: offered.count(),
                cards: index.active,
                problems: boot.problems.len(),
            },
            request.locale,
        );
        let messages = if first_boot {
            vec![Message::FirstBoot.text(request.locale), Message::Ready.text(request.locale)]
        } else {
            Vec::new()
        };
        Ok(Boot {
            member: request.member.to_string(),
            first_boot,
            loaded: boot.loaded,
            skipped: boot.skipped,
            index,
            parallel_sessions: parallel,
            messages,
            status_line,
            problems: boot.problems,
        })
    }

    fn load_core(&self, boot: &mut Booting) -> Result<(), BootError> {
        let mut missing = Vec::new();
        for path in CORE {
            match self.read_shared(path)? {
                Some(text) => boot.load("A", "core", path, Some(text)),
                None => missing.push(path),
            }
        }
        if missing.is_empty() { Ok(()) } else { Err(BootError::MissingCore(missing)) }
    }

    /// Logs of the months that a boot can need: today's, that of a week ago, and the newest that has any.
    fn logs_for_boot(&self, today: Date) -> Result<Vec<LogFile>, AccessError> {
        let week_ago = today.checked_sub(jiff::Span::new().days(slots::LOOK_BACK_DAYS)).unwrap_or(today);
        let near = [slots::month_folder(today), slots::month_folder(week_ago)];
        let mut logs = self.logs(|month| near.iter().any(|wanted| wanted == month))?;
        let mut months = self.months()?;
        months.retain(|month| month != "sessions");
        for month in months.into_iter().rev() {
            if near.contains(&month) {
                if logs.iter().any(|log| log.path.starts_with(&month)) {
                    break;
                }
                continue;
            }
            let found: Vec<LogFile> = self
                .logs(|wanted| wanted == month)?
                .into_iter()
                .filter(|log| log.path.starts_with(&month))
                .collect();
            if !found.is_empty() {
                logs.extend(found);
                break;
            }
        }
        Ok(logs)
    }

    fn load_latest(&self, boot: &mut Booting, logs: &[LogFile]) -> Option<(String, Items)> {
        let (path, day) = match slots::latest(logs) {
            Some(log) => (log.path.clone(), log.name.date.to_string()),
            None => (self.undated_log()?, "-".to_owned()),
        };
        match self.read_shared(&path) {
            Ok(text) => {
                let text = text.unwrap_or_default();
                let items = log::read(&text);
                boot.load("A", "session", &path, Some(text));
                Some((day, items))
            }
            Err(error) => {
                boot.problems.push(Problem::new(&path, error));
                Some((day, Items::default()))
            }
        }
    }

    /// The last changed `.md` file below `sessions/`, where none has a day in its name.
    fn undated_log(&self) -> Option<String> {
        let mut ignored = Vec::new();
        let files = self.files_below("sessions", &mut ignored).ok()?;
        let modified = |path: &String| {
            let (folder, name) = path.rsplit_once('/')?;
            Some(self.folder(folder).ok()??.stamp(name)?.modified_ns)
        };
        files.into_iter().filter(|path| path.ends_with(".md")).max_by_key(|path| modified(path))
    }

    fn load_private(&self, boot: &mut Booting, request: &BootRequest<'_>) {
        let folder = request.member.private_folder();
        let mut links = Vec::new();
        let files = match self.private_files_with(request.member, &mut links) {
            Ok(files) if files.is_empty() && links.is_empty() => {
                boot.skipped.push(Problem::new(&folder, "there is no private memory yet"));
                return;
            }
            Ok(files) => files,
            Err(error) => {
                boot.problems.push(Problem::new(&folder, error));
                return;
            }
        };
        for path in links {
            let refused = AccessError::Link { path: path.clone() };
            boot.problems.push(Problem::new(&path, refused));
        }
        for file in files {
            match self.private_text(request.member, &file, request.unseal) {
                Ok(text) => boot.load("A", "private", &file.path, Some(text)),
                Err(error) => boot.problems.push(Problem::new(&file.path, error)),
            }
        }
    }

    /// Tier A+; returns the slots that wrote today.
    fn load_windows(&self, boot: &mut Booting, logs: &[LogFile], today: Date) -> Vec<String> {
        let mut active = Vec::new();
        for log in slots::across_windows(logs, today) {
            if log.name.date == today {
                active.extend(log.name.slot.clone());
            }
            match self.read_shared(&log.path) {
                Ok(text) => {
                    let items = log::read(&text.unwrap_or_default()).for_other_windows();
                    boot.load("A+", "slot", &log.path, Some(shown(&items)));
                }
                Err(error) => {
                    // The latest log and the newest slot may be one file; what is wrong with it is told once.
                    let problem = Problem::new(&log.path, error);
                    if !boot.problems.contains(&problem) {
                        boot.problems.push(problem);
                    }
                }
            }
        }
        active
    }

    fn load_cards(&self, boot: &mut Booting) -> Result<IndexState, AccessError> {
        let cards = self.cards()?;
        let (standing, bytes) = match self.read_shared(INDEX) {
            Ok(Some(text)) => (Some(*blake3::hash(text.as_bytes()).as_bytes()), text.len()),
            Ok(None) => (None, 0),
            Err(error) => {
                boot.problems.push(Problem::new(INDEX, error));
                (None, 0)
            }
        };
        let fresh = standing == Some(cards.index_digest);
        if !fresh {
            let what = if standing.is_some() { "is not what the cards say" } else { "is missing" };
            boot.skipped.push(Problem::new(
                INDEX,
                format!("{what}; the cards were read instead; mi card index makes it again"),
            ));
        }
        boot.load("cards", "index", INDEX, None);
        if let Some(item) = boot.loaded.last_mut() {
            item.bytes = bytes;
        }
        let mut axioms: Vec<_> = cards.active().filter(|entry| entry.salience >= EVERY_BOOT).collect();
        axioms.sort_by(|left, right| crate::retrieval::order(left, right));
        for entry in axioms {
            match self.read_shared(&entry.path) {
                Ok(Some(text)) => boot.load("cards", "card", &entry.path, Some(text)),
                Ok(None) => boot.problems.push(Problem::new(&entry.path, "went away during the boot")),
                Err(error) => boot.problems.push(Problem::new(&entry.path, error)),
            }
        }
        let active = cards.entries.iter().filter(|entry| entry.status == Status::Active).count();
        boot.problems.extend(cards.problems);
        Ok(IndexState { cards: cards.entries.len(), active, fresh, read: cards.read })
    }
}

/// Slots of today besides one's own: those that wrote, and those that are open.
fn parallel(wrote: Vec<String>, open: &[OpenSession], request: &BootRequest<'_>) -> Vec<String> {
    let today = request.today.to_string();
    let open = open.iter().filter(|session| session.date == today).map(|session| session.slot.clone());
    let mut slots: Vec<String> = wrote.into_iter().chain(open).collect();
    slots.sort();
    slots.dedup();
    slots
}

fn shown(items: &Items) -> String {
    let mut text = String::new();
    for section in [Section::CompletedItems, Section::Decisions] {
        text.push_str(&format!("{}:\n", section.key()));
        items
            .of(section)
            .iter()
            .for_each(|item| text.push_str(&format!("- {}\n", item.replace('\n', "\n  "))));
    }
    text
}

#[derive(Default)]
struct Booting {
    loaded: Vec<Loaded>,
    skipped: Vec<Problem>,
    problems: Vec<Problem>,
}

impl Booting {
    fn load(&mut self, tier: &'static str, kind: &'static str, path: &str, text: Option<String>) {
        let bytes = text.as_ref().map_or(0, String::len);
        let order = self.loaded.len() + 1;
        self.loaded.push(Loaded { order, tier, kind, path: path.to_owned(), bytes, text });
    }
}
