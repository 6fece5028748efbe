//! How knowledge becomes a card (D.4, D.9): proposed by one member, accepted by another, merged by its key, archived.
//!
//! Holds: nothing enters `cards/` but by [`Persona::review`]; each change makes the index again under the same lock.

use jiff::civil::Date;
use serde::Serialize;

use crate::{
    AccessError, Cards, INDEX, Member, Persona, Problem,
    access::{Folder, Kind},
    card::{self, CardId, CardType, Head, Sections, Status, same_key},
    front::{self, FrontError, quoted},
    index,
    persona::Lock,
};

/// Why a card was not changed.
#[derive(Debug, thiserror::Error)]
pub enum CardError {
    #[error(transparent)]
    Access(#[from] AccessError),
    #[error("`{path}`, {source}; correct its front matter")]
    Front { path: String, source: FrontError },
    #[error("a claim without evidence or source is not kept (D.4): give --evidence or --source")]
    NoEvidence,
    #[error("the {0} is missing: a card says what it is about")]
    Empty(&'static str),
    #[error(
        "the card holds a secret, which goes into no memory file (D.10); take it out and replace the credential"
    )]
    Secret,
    #[error("salience is {0}; it goes from 1 to 10")]
    Salience(u8),
    #[error("{proposer} proposed it, so somebody else has to review it (D.4); review it --as another member")]
    OwnProposal { proposer: String },
    #[error(
        "it does not say who proposed it, so nobody can be another; add `proposed_by` to its front matter"
    )]
    NoProposer,
    #[error("{kind} cards change only with the person's word (D.7): the person adds --human")]
    NeedsHuman { kind: &'static str },
    #[error("`{path}` is {} already", status.as_str())]
    Decided { path: String, status: Status },
    #[error("there is no proposal `{0}` that waits; `mi card list --proposals` shows those that do")]
    UnknownProposal(String),
    #[error("`{0}` means more than one proposal; give its whole path")]
    AmbiguousProposal(String),
    #[error("there is no card {0}; `mi card list` shows those that there are")]
    UnknownCard(String),
    #[error(
        "{id} cannot be restored: {path} ({other}) is active with the same merge_key; archive that one first"
    )]
    KeyTaken { id: CardId, other: CardId, path: String },
    #[error("the cards have problems that would be lost in an index:\n  {}", list(.0))]
    Problems(Vec<Problem>),
}

fn list(problems: &[Problem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n  ")
}

/// What somebody wants to be known.
#[derive(Debug, Clone)]
pub struct Proposal<'a> {
    pub by: &'a Member,
    pub kind: CardType,
    pub title: String,
    /// None: made from the title.
    pub merge_key: Option<String>,
    pub aliases: Vec<String>,
    pub salience: u8,
    pub source: Option<String>,
    pub sections: Sections,
}

/// A proposal that waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Pending {
    pub path: String,
    #[serde(rename = "type")]
    pub kind: CardType,
    pub title: String,
    pub merge_key: String,
    pub salience: u8,
    pub proposed_by: Option<String>,
}

/// What a review decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// `human`: the person said so.
    Accept {
        human: bool,
    },
    Reject {
        reason: String,
    },
}

/// What came out of a review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reviewed {
    pub proposal: String,
    pub accepted: bool,
    pub card: Option<String>,
    /// The card's file.
    pub path: Option<String>,
    /// It was added to a card with the same merge key.
    pub merged: bool,
}

impl Persona {
    /// Writes `proposals/YYYY-MM/proposal-TYPE-SLUG.md`.
    pub fn propose(&self, proposal: &Proposal<'_>, today: Date) -> Result<String, CardError> {
        check(proposal)?;
        let head = Head {
            id: None,
            kind: proposal.kind,
            title: one_line(&proposal.title),
            merge_key: proposal.merge_key.clone().unwrap_or_else(|| slug(&proposal.title)),
            aliases: proposal.aliases.clone(),
            salience: proposal.salience,
            created: Some(today.to_string()),
            last_reviewed: None,
            source: proposal.source.clone(),
            status: Status::Proposed,
            proposed_by: Some(proposal.by.to_string()),
            reviewed_by: None,
        };
        let text = card::render(&head, &proposal.sections);
        if mi_secrets::contains_secret(&text) {
            return Err(CardError::Secret);
        }
        let lock = self.lock()?;
        let month = format!("proposals/{:04}-{:02}", today.year(), today.month());
        let base = format!("proposal-{}-{}", proposal.kind.as_str(), slug(&proposal.title));
        let folder = self.folder(&month)?;
        let decided = self.folder(&format!("{month}/decided"))?;
        let stands = |folder: &Option<Folder>, name: &str| {
            folder.as_ref().is_some_and(|folder| folder.stamp(name).is_some())
        };
        let taken = |name: &str| stands(&folder, name) || stands(&decided, name);
        let names =
            std::iter::once(format!("{base}.md")).chain((2..).map(|number| format!("{base}-{number}.md")));
        let name = names.into_iter().find(|name| !taken(name)).unwrap_or_default();
        let path = format!("{month}/{name}");
        self.replace(&lock, &path, text.as_bytes())?;
        Ok(path)
    }

    /// Proposals that nobody has decided about.
    pub fn pending_proposals(&self) -> Result<Vec<Pending>, AccessError> {
        let mut ignored = Vec::new();
        self.proposals_with(&mut ignored)
    }

    /// The same, and what could not be read.
    pub fn proposals_with(&self, problems: &mut Vec<Problem>) -> Result<Vec<Pending>, AccessError> {
        let mut found = Vec::new();
        for path in self.proposal_files(problems)? {
            // One file that cannot be read takes nothing else with it.
            let text = match self.read(&path) {
                Ok(text) => text.unwrap_or_default(),
                Err(error) => {
                    problems.push(Problem::new(&path, error));
                    continue;
                }
            };
            match Head::parse(&text) {
                Ok(head) if head.status == Status::Proposed => found.push(Pending {
                    path,
                    kind: head.kind,
                    title: head.title,
                    merge_key: head.merge_key,
                    salience: head.salience,
                    proposed_by: head.proposed_by,
                }),
                Ok(_) => {}
                Err(error) => problems.push(Problem::front(&path, &error)),
            }
        }
        Ok(found)
    }

    /// Proposals lie in the folder of their month; those that were decided lie one folder deeper and are not looked at.
    fn proposal_files(&self, problems: &mut Vec<Problem>) -> Result<Vec<String>, AccessError> {
        let Some(folder) = self.folder("proposals")? else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        let mut take = |folder: &Folder, months: &mut Vec<String>| -> Result<(), AccessError> {
            for item in folder.items()? {
                let path = folder.path_of(&item.name);
                match item.kind {
                    Kind::File if item.name.ends_with(".md") => found.push(path),
                    Kind::Folder => months.push(path),
                    Kind::Link => {
                        problems.push(Problem::new(&path, AccessError::Link { path: path.clone() }))
                    }
                    Kind::File | Kind::Other => {}
                }
            }
            Ok(())
        };
        let mut months = Vec::new();
        take(&folder, &mut months)?;
        for month in months {
            if let Some(folder) = self.folder(&month)? {
                take(&folder, &mut Vec::new())?;
            }
        }
        Ok(found)
    }

    /// Decides about a proposal, named by its path or a part of its file's name.
    pub fn review(
        &self,
        wanted: &str,
        reviewer: &Member,
        verdict: &Verdict,
        today: Date,
    ) -> Result<Reviewed, CardError> {
        let lock = self.lock()?;
        let path = self.find_proposal(wanted)?;
        let text = self.read(&path)?.ok_or_else(|| CardError::UnknownProposal(path.clone()))?;
        let in_file = |source| CardError::Front { path: path.clone(), source };
        let head = Head::parse(&text).map_err(in_file)?;
        if head.status != Status::Proposed {
            return Err(CardError::Decided { path, status: head.status });
        }
        let proposer = head.proposed_by.clone().filter(|name| !name.trim().is_empty());
        let proposer = proposer.ok_or(CardError::NoProposer)?;
        if reviewer.is(&proposer) {
            return Err(CardError::OwnProposal { proposer });
        }
        let mut decided =
            front::set_field(&text, "reviewed_by", &quoted(reviewer.as_str())).map_err(in_file)?;
        let mut reviewed =
            Reviewed { proposal: path.clone(), accepted: false, card: None, path: None, merged: false };
        match verdict {
            Verdict::Reject { reason } => {
                decided = front::set_field(&decided, "reason", &quoted(reason)).map_err(in_file)?;
                decided = front::set_field(&decided, "status", "rejected").map_err(in_file)?;
            }
            Verdict::Accept { human } => {
                if head.kind.needs_human() && !human {
                    return Err(CardError::NeedsHuman { kind: head.kind.as_str() });
                }
                let (id, card_path, merged) = self.enter(&lock, &head, &text, reviewer, today)?;
                decided = front::set_field(&decided, "card", id.as_str()).map_err(in_file)?;
                decided = front::set_field(&decided, "status", "accepted").map_err(in_file)?;
                reviewed.accepted = true;
                reviewed.card = Some(id.to_string());
                reviewed.path = Some(card_path);
                reviewed.merged = merged;
            }
        }
        reviewed.proposal = decided_path(&path);
        self.replace(&lock, &reviewed.proposal, decided.as_bytes())?;
        self.remove(&lock, &path)?;
        Ok(reviewed)
    }

    /// Puts an accepted proposal into `cards/`.
    fn enter(
        &self,
        lock: &Lock,
        head: &Head,
        text: &str,
        reviewer: &Member,
        today: Date,
    ) -> Result<(CardId, String, bool), CardError> {
        let body = front::split(text).map(|parts| parts.body).unwrap_or_default();
        let sections = Sections::parse(body);
        if sections.evidence.is_empty() && head.source.is_none() {
            return Err(CardError::NoEvidence);
        }
        let cards = self.sound_cards()?;
        let key = same_key(&head.merge_key);
        let same = cards.active().find(|entry| same_key(&entry.merge_key) == key);
        let today = today.to_string();
        let (id, path, new, merged) = match same {
            Some(entry) => {
                if entry.kind.needs_human() && !head.kind.needs_human() {
                    return Err(CardError::NeedsHuman { kind: entry.kind.as_str() });
                }
                let old = self.read(&entry.path)?.unwrap_or_default();
                let merged = card::merge(&old, text, &today, reviewer.as_str())
                    .map_err(|source| CardError::Front { path: entry.path.clone(), source })?;
                (entry.id.clone(), entry.path.clone(), merged, true)
            }
            None => {
                let id = next_id(&cards, head.kind);
                let path = format!("cards/{}/{id}.md", head.kind.folder());
                let head = Head {
                    id: Some(id.clone()),
                    status: Status::Active,
                    last_reviewed: Some(today),
                    reviewed_by: Some(reviewer.to_string()),
                    ..head.clone()
                };
                (id, path, card::render(&head, &sections), false)
            }
        };
        self.replace(lock, &path, new.as_bytes())?;
        self.write_index(lock)?;
        Ok((id, path, merged))
    }

    fn find_proposal(&self, wanted: &str) -> Result<String, CardError> {
        let pending = self.pending_proposals()?;
        let exact = pending.iter().find(|proposal| proposal.path == wanted);
        let named: Vec<&Pending> = pending
            .iter()
            .filter(|proposal| proposal.path.rsplit('/').next().is_some_and(|name| name.contains(wanted)))
            .collect();
        match (exact, named.as_slice()) {
            (Some(proposal), _) => Ok(proposal.path.clone()),
            (None, [one]) => Ok(one.path.clone()),
            (None, []) => match self.decided_status(wanted)? {
                Some((path, status)) => Err(CardError::Decided { path, status }),
                None => Err(CardError::UnknownProposal(wanted.to_owned())),
            },
            (None, _) => Err(CardError::AmbiguousProposal(wanted.to_owned())),
        }
    }

    /// What was decided about a proposal that is named by the path it had.
    fn decided_status(&self, path: &str) -> Result<Option<(String, Status)>, AccessError> {
        if !path.starts_with("proposals/") {
            return Ok(None);
        }
        let kept = decided_path(path);
        let text = self.read_shared(&kept)?;
        Ok(text.and_then(|text| Head::parse(&text).ok()).map(|head| (kept, head.status)))
    }

    /// Takes a card out of use, or back into it; the file stays where it is.
    pub fn set_archived(
        &self,
        id: &CardId,
        archived: bool,
        human: bool,
    ) -> Result<(Status, String), CardError> {
        let lock = self.lock()?;
        let cards = self.cards()?;
        let entry = cards.by_id(id).ok_or_else(|| CardError::UnknownCard(id.to_string()))?;
        if entry.kind.needs_human() && !human {
            return Err(CardError::NeedsHuman { kind: entry.kind.as_str() });
        }
        let status = if archived { Status::Archived } else { Status::Active };
        let key = same_key(&entry.merge_key);
        let rival =
            cards.active().find(|other| other.path != entry.path && same_key(&other.merge_key) == key);
        if let Some(rival) = rival.filter(|_| !archived) {
            let (other, path) = (rival.id.clone(), rival.path.clone());
            return Err(CardError::KeyTaken { id: id.clone(), other, path });
        }
        if entry.status != status {
            let text = self.read(&entry.path)?.unwrap_or_default();
            let text = front::set_field(&text, "status", status.as_str())
                .map_err(|source| CardError::Front { path: entry.path.clone(), source })?;
            self.replace(&lock, &entry.path, text.as_bytes())?;
            // Archiving one of two with the same key is how that is put right; other problems stay to be told.
            match self.write_index(&lock) {
                Ok(_) | Err(CardError::Problems(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok((status, entry.path.clone()))
    }

    /// A card's whole text.
    pub fn card_text(&self, id: &CardId) -> Result<(String, String), CardError> {
        let cards = self.cards()?;
        let entry = cards.by_id(id).ok_or_else(|| CardError::UnknownCard(id.to_string()))?;
        let text = self.read_shared(&entry.path)?.unwrap_or_default();
        Ok((entry.path.clone(), text))
    }

    /// Makes the index again from the cards; none is written while a card has a problem. True if it changed.
    pub fn rebuild_index(&self) -> Result<(usize, bool), CardError> {
        let lock = self.lock()?;
        self.write_index(&lock)
    }

    pub(crate) fn write_index(&self, lock: &Lock) -> Result<(usize, bool), CardError> {
        let cards = self.sound_cards()?;
        let text = index::bytes(&cards.entries);
        let changed = self.read(INDEX)?.as_deref() != Some(&text);
        if changed {
            self.replace(lock, INDEX, text.as_bytes())?;
        }
        Ok((cards.entries.len(), changed))
    }

    /// Whether the index says what the cards say.
    pub fn index_is_fresh(&self) -> Result<bool, CardError> {
        let cards = self.sound_cards()?;
        let standing = self.read(INDEX)?;
        Ok(standing.is_some_and(|text| *blake3::hash(text.as_bytes()).as_bytes() == cards.index_digest))
    }

    fn sound_cards(&self) -> Result<Cards, CardError> {
        let cards = self.cards()?;
        if cards.problems.is_empty() { Ok(cards) } else { Err(CardError::Problems(cards.problems)) }
    }
}

/// Where a proposal is kept after it was decided.
fn decided_path(path: &str) -> String {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("proposals", path));
    format!("{folder}/decided/{name}")
}

fn check(proposal: &Proposal<'_>) -> Result<(), CardError> {
    if proposal.title.trim().is_empty() {
        return Err(CardError::Empty("title"));
    }
    if proposal.sections.content.trim().is_empty() {
        return Err(CardError::Empty("content"));
    }
    if !(1..=10).contains(&proposal.salience) {
        return Err(CardError::Salience(proposal.salience));
    }
    let source = proposal.source.as_deref().unwrap_or_default();
    if source.trim().is_empty() && proposal.sections.evidence.trim().is_empty() {
        return Err(CardError::NoEvidence);
    }
    Ok(())
}

fn next_id(cards: &Cards, kind: CardType) -> CardId {
    let highest = cards.entries.iter().filter(|entry| entry.kind == kind).map(|entry| entry.id.number).max();
    CardId::new(kind, highest.unwrap_or(0).saturating_add(1))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Words with hyphens between them, in any script, short enough for a file's name.
pub(crate) fn slug(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars().flat_map(char::to_lowercase) {
        if letter.is_alphanumeric() {
            out.push(letter);
        } else if !out.ends_with('-') && !out.is_empty() {
            out.push('-');
        }
    }
    let short: String = out.chars().take(48).collect();
    let short = short.trim_matches('-');
    if short.is_empty() { "card".to_owned() } else { short.to_owned() }
}
