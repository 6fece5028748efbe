//! A proposal with all that was ever said about it: what templates and packets are filled from.

use std::collections::BTreeMap;

use crate::{
    DecisionRecord, Event, Opened, PastVote, Person, RecordNumber, Role, Standing, Submission, Vote,
    done::Checklist, event::Closing, people::Aliases,
};

/// A proposal, folded from its events.
#[derive(Debug, Clone)]
pub struct Proposal {
    pub standing: Standing,
    pub opened: Opened,
    /// What stays in scope, if it was narrowed.
    pub scope: Vec<String>,
    /// The paths that make up the artefact.
    pub paths: Vec<String>,
    pub reviewers: BTreeMap<Person, Role>,
    pub votes: BTreeMap<Person, Vote>,
    pub history: Vec<PastVote>,
    pub records: Vec<DecisionRecord>,
    pub checklist: Checklist,
    pub submission: Option<Submission>,
    pub closed: Option<(Closing, String)>,
}

impl Proposal {
    /// Begins with the event that opened it.
    pub fn of(opened: Opened, aliases: &Aliases) -> Self {
        let mut checklist = Checklist::default();
        for (item, proof) in &opened.evidence {
            checklist.set(*item, proof.clone());
        }
        Self {
            standing: Standing::of(&opened, aliases),
            scope: Vec::new(),
            paths: opened.paths.clone(),
            opened,
            reviewers: BTreeMap::new(),
            votes: BTreeMap::new(),
            history: Vec::new(),
            records: Vec::new(),
            checklist,
            submission: None,
            closed: None,
        }
    }

    /// Folds the events of one proposal; `None` if it was never opened.
    pub fn fold(events: impl IntoIterator<Item = Event>, aliases: &Aliases) -> Option<Self> {
        let mut proposal: Option<Self> = None;
        for event in events {
            match (&mut proposal, event) {
                (None, Event::ProposalOpened(opened)) => proposal = Some(Self::of(*opened, aliases)),
                (Some(proposal), event) => proposal.apply(event, aliases),
                (None, _) => {}
            }
        }
        proposal
    }

    /// Takes over one event.
    pub fn apply(&mut self, event: Event, aliases: &Aliases) {
        let was_over = self.standing.is_over();
        self.history.extend(self.standing.apply(&event, aliases));
        match event {
            Event::ReviewerAdded { name, role, .. } => {
                self.reviewers.insert(aliases.person(&name), role);
            }
            Event::VoteCast(vote) => {
                let person = aliases.person(&vote.name);
                if !was_over || !self.votes.contains_key(&person) {
                    self.votes.insert(person, *vote);
                }
            }
            Event::ScopeNarrowed { scope, paths, .. } => {
                self.scope = scope;
                if !paths.is_empty() {
                    self.paths = paths;
                }
            }
            Event::EvidenceAdded { item, proof, .. } => self.checklist.set(item, proof),
            Event::DecisionRecorded(record) => self.records.push(*record),
            Event::DeliverySubmitted(submission) => self.submission = Some(*submission),
            Event::DeliveryClosed { outcome, why, .. } => self.closed = Some((outcome, why)),
            Event::ProposalOpened(_)
            | Event::ReviewRequested { .. }
            | Event::DecisionSuperseded { .. }
            | Event::BeatSeen { .. } => {}
        }
    }

    /// Whether a decision about it is still in force.
    pub fn holds(&self, number: RecordNumber) -> bool {
        self.standing.records.iter().any(|mark| mark.number == number)
    }
}

impl Event {
    /// The same event with every person under the one name that the aliases lead to: what a stranger, who has no
    /// aliases, can fold.
    #[must_use]
    pub fn named_by(self, aliases: &Aliases) -> Self {
        match self {
            Self::ProposalOpened(mut opened) => {
                opened.author = aliases.person(&opened.author);
                Self::ProposalOpened(opened)
            }
            Self::ReviewerAdded { beat, name, role } => {
                Self::ReviewerAdded { beat, name: aliases.person(&name), role }
            }
            Self::VoteCast(mut vote) => {
                vote.name = aliases.person(&vote.name);
                Self::VoteCast(vote)
            }
            other => other,
        }
    }
}
