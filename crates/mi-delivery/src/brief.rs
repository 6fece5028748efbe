//! How a proposal stands, quickly: from a checkpoint and what the log has had since.
//!
//! Holds: a checkpoint is only a shortcut. It names the log's length it was made at and the line that ended it; whatever
//! does not fit (another version, other aliases, a shorter log, another line in that place) is passed over and the log is
//! read instead. A delivery never trusts one.

use mi_council::{
    Aliases, Ballots, Event, Packed, PastVote, Standing,
    done::{Item, Proof},
};
use mi_journal::{Line, LogReader};
use mi_model::sha256_hex;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fs, path::PathBuf};

use crate::{bus::JournalBus, error::CouncilError};

const VERSION: u32 = 5;

/// A proposal with so many events has a checkpoint, which is brought up to date with every further one.
const WORTH_KEEPING: usize = 64;

/// It is also renewed when so much was written about others since.
const RENEW_AFTER_BYTES: u64 = 1 << 20;

/// What `mi review status` needs.
#[derive(Debug, Clone)]
pub struct Brief {
    pub head: BriefHead,
    /// Past votes, oldest first.
    pub history: Packed,
}

/// The part that decides.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct BriefHead {
    pub id: String,
    pub title: String,
    pub paths: Vec<String>,
    pub standing: Standing,
    /// The addresses of the records that prove items.
    pub records: BTreeMap<Item, String>,
}

/// The first part of a checkpoint; ballots and history follow it in lines.
#[derive(Debug, Serialize, Deserialize)]
struct Checkpoint {
    version: u32,
    aliases: String,
    /// Where the log ended when this was made, and the digest of its last line then.
    bytes: u64,
    last_line: String,
    head: BriefHead,
    /// How long the lines of the ballots are.
    ballot_bytes: usize,
}

/// Where the checkpoint of a proposal is.
pub(crate) struct Checkpoints {
    pub folder: PathBuf,
}

impl Checkpoints {
    fn path(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.checkpoint"))
    }

    /// How a proposal stands; `None` if there is none of that name.
    pub(crate) fn brief(
        &self,
        bus: &JournalBus,
        id: &str,
        aliases: &Aliases,
    ) -> Result<Option<Brief>, CouncilError> {
        // What others write while this reads is left for the next time: a checkpoint claims only what it was made of.
        let reader = LogReader::open(&bus.place().log)?;
        let Some(last) = reader.tail(1)?.pop() else { return Ok(None) };
        if let Some((brief, checkpoint)) = self.load(id, aliases) {
            let from = (checkpoint.bytes, checkpoint.last_line.as_str());
            if let Some((brief, since)) = catch_up(bus, &reader, brief, from, &last, aliases)? {
                let far = last.end().saturating_sub(checkpoint.bytes) > RENEW_AFTER_BYTES;
                if since > 0 || far {
                    self.write(&brief, &last, aliases);
                }
                return Ok(Some(brief));
            }
        }
        let events = bus.events_until(id, last.end())?;
        let count = events.len();
        let brief = fold(events, aliases);
        if let Some(brief) = brief.as_ref().filter(|_| count >= WORTH_KEEPING) {
            self.write(brief, &last, aliases);
        }
        Ok(brief)
    }

    /// Brings the checkpoint up to date, if there is one, so that the next reader finds nothing new.
    pub(crate) fn renew(&self, bus: &JournalBus, id: &str, aliases: &Aliases) {
        if self.path(id).exists() {
            // Only a shortcut: without it the next reader takes over what is new.
            let _ = self.brief(bus, id, aliases);
        }
    }

    /// The brief as it was kept, and where in the log that was.
    fn load(&self, id: &str, aliases: &Aliases) -> Option<(Brief, Checkpoint)> {
        // Only an id that was given here names a file.
        id.strip_prefix("P-").filter(|number| number.bytes().all(|byte| byte.is_ascii_digit()))?;
        let mut text = fs::read_to_string(self.path(id)).ok()?;
        // A torn or edited file does not have its own digest.
        let (_, rest) = text.split_once('\n').filter(|(digest, rest)| *digest == digest_of_text(rest))?;
        let (head, lines) = rest.split_once('\n')?;
        let checkpoint: Checkpoint = serde_json::from_str(head).ok()?;
        let fits = checkpoint.version == VERSION
            && checkpoint.aliases == digest_of(aliases)
            && checkpoint.head.id == id;
        let history_at = (text.len() - lines.len()).checked_add(checkpoint.ballot_bytes)?;
        if !fits || !text.is_char_boundary(history_at) {
            return None;
        }
        let ballots_at = text.len() - lines.len();
        let history = Packed::read(text.split_off(history_at))?;
        text.drain(..ballots_at);
        let mut head = checkpoint.head.clone();
        head.standing.ballots = Ballots::read(text)?;
        Some((Brief { head, history }, checkpoint))
    }

    /// Writes a checkpoint. It is a shortcut: a failure costs nothing but time, and one that a crash tore is passed over,
    /// so nothing is flushed.
    fn write(&self, brief: &Brief, last: &Line, aliases: &Aliases) {
        let ballots = brief.head.standing.ballots.pack();
        let checkpoint = Checkpoint {
            version: VERSION,
            aliases: digest_of(aliases),
            bytes: last.end(),
            last_line: sha256_hex(&last.bytes),
            head: brief.head.clone(),
            ballot_bytes: ballots.lines().len(),
        };
        let Ok(head) = serde_json::to_string(&checkpoint) else { return };
        let rest = [head.as_str(), "\n", ballots.lines(), brief.history.lines()].concat();
        let path = self.path(&brief.head.id);
        let temporary = path.with_extension(format!("new-{}", std::process::id()));
        let _ = fs::create_dir_all(&self.folder)
            .and_then(|()| fs::write(&temporary, format!("{}\n{rest}", digest_of_text(&rest))))
            .and_then(|()| fs::rename(&temporary, &path));
    }
}

/// Takes over what the log has had since; `None` where it does not follow.
fn catch_up(
    bus: &JournalBus,
    reader: &LogReader,
    mut brief: Brief,
    (bytes, last_line): (u64, &str),
    last: &Line,
    aliases: &Aliases,
) -> Result<Option<(Brief, usize)>, CouncilError> {
    let until = last.end();
    if until <= bytes {
        // Nothing since, if the log ends with the very line that the checkpoint was made at.
        let same = until == bytes && sha256_hex(&last.bytes) == last_line;
        return Ok(same.then_some((brief, 0)));
    }
    let (id, mut count, mut first) = (brief.head.id.clone(), 0, true);
    for line in reader.forwards(bytes)? {
        let line: Line = line?;
        if line.offset >= until {
            break;
        }
        if std::mem::take(&mut first) && !line.mentions(last_line) {
            return Ok(None);
        }
        let is_ours =
            line.mentions(&id) && line.frame().is_some_and(|frame| frame.run_id() == Some(id.as_str()));
        if !is_ours {
            continue;
        }
        if let Some(event) = bus.read(&line)? {
            brief.apply(&event, aliases);
            count += 1;
        }
    }
    Ok(Some((brief, count)))
}

fn fold(events: Vec<Event>, aliases: &Aliases) -> Option<Brief> {
    let mut brief: Option<Brief> = None;
    for event in events {
        match (&mut brief, &event) {
            (None, Event::ProposalOpened(opened)) => {
                let standing = Standing::of(opened, aliases);
                let (id, title, paths) = (opened.id.clone(), opened.title.clone(), opened.paths.clone());
                let records = BTreeMap::new();
                let mut new = Brief {
                    head: BriefHead { id, title, paths, standing, records },
                    history: Packed::default(),
                };
                opened.evidence.iter().for_each(|(item, proof)| new.prove(*item, proof));
                brief = Some(new);
            }
            (Some(brief), event) => brief.apply(event, aliases),
            (None, _) => {}
        }
    }
    brief
}

impl Brief {
    pub(crate) fn apply(&mut self, event: &Event, aliases: &Aliases) {
        if let Some(past) = self.head.standing.apply(event, aliases) {
            self.remember(&past);
        }
        if let Event::ScopeNarrowed { paths, .. } = event
            && !paths.is_empty()
        {
            self.head.paths.clone_from(paths);
        }
        if let Event::EvidenceAdded { item, proof, .. } = event {
            self.prove(*item, proof);
        }
    }

    fn prove(&mut self, item: Item, proof: &Proof) {
        match proof {
            Proof::Proven { record } => drop(self.head.records.insert(item, record.address.clone())),
            Proof::Failed { .. } | Proof::Unknown => drop(self.head.records.remove(&item)),
        }
    }

    fn remember(&mut self, past: &PastVote) {
        self.history.push(past.name.as_str(), &past.ballot());
    }
}

fn digest_of_text(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

fn digest_of(aliases: &Aliases) -> String {
    let pairs: Vec<String> = aliases.pairs().map(|(alias, person)| format!("{alias}\n{person}\n")).collect();
    sha256_hex(pairs.concat().as_bytes())
}
