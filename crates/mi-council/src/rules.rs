//! What may happen next: each request becomes an event, or a refusal that names its rule.
//!
//! Requirements: MI-COUNCIL-012, MI-COUNCIL-019.

use crate::{
    Event, Now, Person, Phase, Refusal, Role, Rule, Stage, Standing, Submission, VoteForm, event::Closing,
    people::Aliases, vote::person,
};

impl Standing {
    /// Takes a vote. One that comes after the hand-over is taken too, and never counts.
    pub fn vote(&self, form: VoteForm, now: &Now, aliases: &Aliases) -> Result<Event, Refusal> {
        let vote = form.read(now.digest, self.beat_at(now.beat))?;
        if self.stage == Stage::Draft {
            return Err(Refusal::forbidden(
                Rule::Draft,
                "it is a draft; open it first: mi review request ID",
            ));
        }
        self.refuse_author(&vote.name, "votes on", aliases)?;
        Ok(Event::VoteCast(Box::new(vote)))
    }

    /// Opens a draft for review; on an open proposal there is nothing to do.
    pub fn request(&self, now: &Now) -> Result<Option<Event>, Refusal> {
        let beat = self.beat_at(now.beat);
        match self.stage {
            Stage::Draft => Ok(Some(Event::ReviewRequested { beat })),
            Stage::Review => Ok(None),
            Stage::Submitted(_) | Stage::Merged(_) | Stage::Rejected(_) => Err(self.is_over_refusal()),
        }
    }

    /// Asks one more reviewer, which gives the review its time anew.
    pub fn add_reviewer(
        &self,
        name: &str,
        role: &str,
        now: &Now,
        aliases: &Aliases,
    ) -> Result<Event, Refusal> {
        let (name, role) = self.may_review(name, role, aliases)?;
        Ok(Event::ReviewerAdded { beat: self.beat_at(now.beat), name, role })
    }

    /// Whether somebody may be asked to review, in this role; the person and the role that are meant.
    pub fn may_review(&self, name: &str, role: &str, aliases: &Aliases) -> Result<(Person, Role), Refusal> {
        let role: Role = role.parse().map_err(|error| Refusal::forbidden(Rule::Role, format!("{error}")))?;
        let name = person(name)?;
        self.refuse_author(&name, "reviews", aliases)?;
        if self.is_over() {
            return Err(self.is_over_refusal());
        }
        Ok((name, role))
    }

    /// Narrows the scope: `paths` are the files that stay. That they are fewer is for whoever can see the files to say.
    pub fn narrow(&self, scope: Vec<String>, paths: Vec<String>, now: &Now) -> Result<Event, Refusal> {
        if scope.iter().all(|scope| scope.trim().is_empty()) {
            return Err(Refusal::malformed(Rule::Scope, "say what stays in scope: --scope PATH"));
        }
        if self.is_over() {
            return Err(self.is_over_refusal());
        }
        Ok(Event::ScopeNarrowed { beat: self.beat_at(now.beat), scope, paths })
    }

    /// Whether it may be handed over now.
    pub fn may_submit(&self, now: &Now) -> Result<(), Refusal> {
        let tally = self.tally(now);
        let phase = self.phase_by(&tally);
        if phase != Phase::Consensus {
            let blockers: Vec<String> = self.blockers(&tally, now).iter().map(ToString::to_string).collect();
            let because =
                if blockers.is_empty() { String::new() } else { format!(": {}", blockers.join(", ")) };
            let rule = match phase {
                Phase::Draft => Rule::Draft,
                Phase::Review | Phase::Consensus if !tally.met => Rule::Quorum,
                Phase::Review | Phase::Consensus | Phase::Submitted | Phase::Merged | Phase::Rejected => {
                    Rule::Phase
                }
            };
            return Err(Refusal::forbidden(rule, format!("it is in {phase}, not in CONSENSUS{because}")));
        }
        match self.open_items.is_empty() {
            true => Ok(()),
            false => {
                let open: Vec<String> = self.open_items.iter().map(|item| format!("dod:{item}")).collect();
                Err(Refusal::forbidden(
                    Rule::Done,
                    format!("the Definition of Done has open items: {}", open.join(", ")),
                ))
            }
        }
    }

    /// Hands it over.
    pub fn submit(&self, submission: Submission, now: &Now) -> Result<Event, Refusal> {
        self.may_submit(now)?;
        Ok(Event::DeliverySubmitted(Box::new(submission)))
    }

    /// Ends it after the hand-over.
    pub fn close_delivery(&self, outcome: Closing, why: &str, now: &Now) -> Result<Event, Refusal> {
        if why.trim().is_empty() {
            return Err(Refusal::malformed(Rule::Rationale, "say why: --why TEXT"));
        }
        match self.stage {
            Stage::Submitted(_) => {
                Ok(Event::DeliveryClosed { beat: self.beat_at(now.beat), outcome, why: why.to_owned() })
            }
            Stage::Draft | Stage::Review | Stage::Merged(_) | Stage::Rejected(_) => Err(Refusal::forbidden(
                Rule::Phase,
                format!("it is in {}; only what was SUBMITTED can be closed", self.phase(now)),
            )),
        }
    }

    fn refuse_author(&self, name: &Person, does: &str, aliases: &Aliases) -> Result<(), Refusal> {
        let person = self.person(name, aliases);
        match self.may_vote(person.as_str()) {
            true => Ok(()),
            false => Err(Refusal::forbidden(
                Rule::Author,
                format!("`{name}` is the author, who never {does} the own proposal"),
            )),
        }
    }

    fn is_over_refusal(&self) -> Refusal {
        Refusal::forbidden(Rule::Phase, "it was handed over already; open a new proposal")
    }
}
