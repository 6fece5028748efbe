//! How a proposal stands, quickly: from a checkpoint and what the log has had since.
//!
//! Holds: a checkpoint is only a shortcut. It names the log's length it was made at; whatever does not fit it (another
//! version, other aliases, a shorter log, a line that does not follow) is passed over and the log is read instead.
//! A delivery never trusts one.

use mi_council::{Aliases, Ballot, Colour, Digest, Event, PastVote, Person, Role, Standing};
use mi_journal::{Line, LogReader};
use mi_model::sha256_hex;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fs, path::PathBuf};

use crate::{bus::JournalBus, error::CouncilError, store::write_synced};

const VERSION: u32 = 3;
/// A checkpoint is renewed after so many events.
const RENEW_AFTER: usize = 200;

/// Or when so much was written about others since.
const RENEW_AFTER_BYTES: u64 = 1 << 20;

/// What `mi review status` needs.
#[derive(Debug, Clone)]
pub struct Brief {
    pub head: BriefHead,
    /// Past votes as JSON, each followed by a comma but the last: printed as it is.
    pub history: String,
}

/// The part that decides.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct BriefHead {
    pub id: String,
    pub title: String,
    pub paths: Vec<String>,
    pub standing: Standing,
}

#[derive(Debug, Serialize, Deserialize)]
struct Checkpoint {
    version: u32,
    aliases: String,
    /// The log's length when this was made, and the digest of its last line then.
    bytes: u64,
    last_line: String,
    /// Without its ballots, of which there may be many.
    head: BriefHead,
    ballots: Vec<KeptBallot>,
    /// The digests that ballots are on, each once: nearly all are on the same.
    digests: Vec<Digest>,
}

/// A ballot in few bytes: the digest by its place in the list.
#[derive(Debug, Serialize, Deserialize)]
struct KeptBallot(Person, Colour, Role, usize, u32, bool);

impl Checkpoint {
    /// Takes the ballots apart.
    fn keep(ballots: &BTreeMap<Person, Ballot>) -> (Vec<KeptBallot>, Vec<Digest>) {
        let (mut places, mut digests): (BTreeMap<Digest, usize>, Vec<Digest>) = Default::default();
        let kept = ballots.iter().map(|(person, ballot)| {
            let place = *places.entry(ballot.digest).or_insert_with(|| {
                digests.push(ballot.digest);
                digests.len() - 1
            });
            KeptBallot(person.clone(), ballot.vote, ballot.role, place, ballot.round, ballot.late)
        });
        (kept.collect(), digests)
    }

    /// The head with its ballots again; `None` if one is on a digest that is not there.
    fn into_head(self) -> Option<BriefHead> {
        let (mut head, digests) = (self.head, self.digests);
        let ballot = |KeptBallot(person, vote, role, place, round, late)| {
            let digest = *digests.get(place)?;
            Some((person, Ballot { vote, role, digest, round, late }))
        };
        head.standing.ballots = self.ballots.into_iter().map(ballot).collect::<Option<_>>()?;
        Some(head)
    }
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
        let Some(last) = LogReader::open(&bus.place().log)?.tail(1)?.pop() else { return Ok(None) };
        if let Some((brief, bytes, last_line)) = self.load(id, aliases) {
            let from = (bytes, last_line.as_str());
            if let Some((brief, since)) = catch_up(bus, brief, from, last.end(), aliases)? {
                let far = last.end().saturating_sub(bytes) > RENEW_AFTER_BYTES;
                self.renew(&brief, if far { RENEW_AFTER } else { since }, &last, aliases);
                return Ok(Some(brief));
            }
        }
        let events = bus.events_until(id, last.end())?;
        let count = events.len();
        let brief = fold(events, aliases);
        if let Some(brief) = &brief {
            self.renew(brief, count, &last, aliases);
        }
        Ok(brief)
    }

    /// The brief as it was kept, the log's length then, and the digest of the log's last line then.
    fn load(&self, id: &str, aliases: &Aliases) -> Option<(Brief, u64, String)> {
        // Only an id that was given here names a file.
        id.strip_prefix("P-").filter(|number| number.bytes().all(|byte| byte.is_ascii_digit()))?;
        let text = fs::read_to_string(self.path(id)).ok()?;
        // A torn or edited file does not have its own digest.
        let (_, rest) = text.split_once('\n').filter(|(digest, rest)| *digest == digest_of_text(rest))?;
        let (head, history) = rest.split_once('\n')?;
        let mut checkpoint: Checkpoint = serde_json::from_str(head).ok()?;
        let fits = checkpoint.version == VERSION
            && checkpoint.aliases == digest_of(aliases)
            && checkpoint.head.id == id;
        if !fits {
            return None;
        }
        let (bytes, last_line) = (checkpoint.bytes, std::mem::take(&mut checkpoint.last_line));
        let history = history.trim_end().to_owned();
        Some((Brief { head: checkpoint.into_head()?, history }, bytes, last_line))
    }

    /// Writes a checkpoint when the last one is far behind. It is a shortcut: a failure costs nothing but time.
    fn renew(&self, brief: &Brief, since: usize, last: &Line, aliases: &Aliases) {
        if since < RENEW_AFTER {
            return;
        }
        let (ballots, digests) = Checkpoint::keep(&brief.head.standing.ballots);
        let mut head = brief.head.clone();
        head.standing.ballots.clear();
        let checkpoint = Checkpoint {
            version: VERSION,
            aliases: digest_of(aliases),
            bytes: last.end(),
            last_line: sha256_hex(&last.bytes),
            head,
            ballots,
            digests,
        };
        let Ok(head) = serde_json::to_string(&checkpoint) else { return };
        let rest = format!("{head}\n{}\n", brief.history);
        let path = self.path(&brief.head.id);
        let temporary = path.with_extension(format!("new-{}", std::process::id()));
        let _ = fs::create_dir_all(&self.folder)
            .and_then(|()| write_synced(&temporary, format!("{}\n{rest}", digest_of_text(&rest)).as_bytes()))
            .and_then(|()| fs::rename(&temporary, &path));
    }
}

/// Takes over what the log has had since; `None` where it does not follow.
fn catch_up(
    bus: &JournalBus,
    mut brief: Brief,
    (bytes, last_line): (u64, &str),
    until: u64,
    aliases: &Aliases,
) -> Result<Option<(Brief, usize)>, CouncilError> {
    let reader = LogReader::open(&bus.place().log)?;
    if reader.length()? < bytes {
        return Ok(None);
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
                brief =
                    Some(Brief { head: BriefHead { id, title, paths, standing }, history: String::new() });
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
    }

    fn remember(&mut self, past: &PastVote) {
        if !self.history.is_empty() {
            self.history.push(',');
        }
        self.history.push_str(&serde_json::to_string(past).unwrap_or_default());
    }
}

fn digest_of_text(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

fn digest_of(aliases: &Aliases) -> String {
    let pairs: Vec<String> = aliases.pairs().map(|(alias, person)| format!("{alias}\n{person}\n")).collect();
    sha256_hex(pairs.concat().as_bytes())
}
