//! An exhaustive check of [`Standing`] for small councils (stateright): every order of votes, edits, beats, decisions and
//! deliveries. What must hold is written down here a second time, in plain words of its own, over a ledger of its own.

use stateright::{Checker, Model, Property};
use std::collections::BTreeMap;

use crate::{
    Aliases, Colour, Digest, Event, Now, Person, Phase, Quorum, RecordForm, RecordKind, RecordNumber, Role,
    Stage, Standing, Submission,
    behaviour::{FIRST, SECOND, form, opened},
    standing::Safety,
};

/// What can happen. People are `ann` (the author, also as `an`), `bob` (also as `rob`), `cat`, `dan` and `eve`.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Vote(&'static str, Role, Colour),
    Edit,
    Clock(i64),
    Look,
    AddReviewer,
    Narrow,
    Record(RecordKind),
    Submit,
}

/// The state machine under test, the world, and a second ledger.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct World {
    standing: Standing,
    digest: Digest,
    clock: i64,
    ledger: Ledger,
}

/// What somebody with pencil and paper would know.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Ledger {
    /// person → role, colour, digest, round; votes before the hand-over only.
    votes: BTreeMap<&'static str, (Role, Colour, Digest, u8)>,
    round: u8,
    highest_beat: i64,
    due: i64,
    approved: bool,
    escalated_until: Option<i64>,
    submitted: Option<Digest>,
}

struct Council {
    steps: Vec<Step>,
    most_rounds: u8,
    last_beat: i64,
    broken: Option<Safety>,
    aliases: Aliases,
}

const QUORUM: Quorum = Quorum { reviewers: 3, domain: 1, quality: 1, greens: 2, beats: 1 };

impl Council {
    fn new(steps: Vec<Step>) -> Self {
        let table = BTreeMap::from([
            ("ann".to_owned(), vec!["an".to_owned()]),
            ("bob".to_owned(), vec!["rob".to_owned()]),
        ]);
        Self { steps, most_rounds: 1, last_beat: 3, broken: None, aliases: Aliases::new(&table).unwrap() }
    }

    /// Votes of all colours on two versions, an Approval DR, the hand-over and late votes.
    fn votes() -> Self {
        let mut steps = vec![Step::Edit, Step::Submit, Step::Record(RecordKind::Approval)];
        for colour in [Colour::Green, Colour::Yellow, Colour::Red] {
            steps.push(Step::Vote("bob", Role::Owner, colour));
            steps.push(Step::Vote("cat", Role::Qa, colour));
            steps.push(Step::Vote("dan", Role::Reviewer, colour));
        }
        for name in ["ann", "an"] {
            steps.push(Step::Vote(name, Role::Owner, Colour::Green));
        }
        steps.push(Step::Vote("rob", Role::Qa, Colour::Green));
        steps.push(Step::Vote("eve", Role::Domain, Colour::Green));
        steps.push(Step::Vote("eve", Role::Security, Colour::Yellow));
        steps.push(Step::Vote("cat", Role::Reviewer, Colour::Green));
        Self::new(steps)
    }

    /// As few votes as are needed to notice each broken property.
    fn few_votes() -> Self {
        let votes = [
            ("ann", Role::Owner, Colour::Green),
            ("bob", Role::Owner, Colour::Green),
            ("rob", Role::Qa, Colour::Green),
            ("cat", Role::Qa, Colour::Green),
            ("cat", Role::Qa, Colour::Yellow),
            ("cat", Role::Qa, Colour::Red),
            ("dan", Role::Reviewer, Colour::Green),
            ("dan", Role::Reviewer, Colour::Yellow),
            ("eve", Role::Domain, Colour::Green),
        ];
        let mut steps = vec![Step::Edit, Step::Submit];
        steps.extend(votes.map(|(name, role, colour)| Step::Vote(name, role, colour)));
        Self::new(steps)
    }

    /// The same for time.
    fn little_time() -> Self {
        Self { last_beat: 2, ..Self::time() }
    }

    /// Time, escalation, narrowing.
    fn time() -> Self {
        let mut steps = vec![
            Step::Submit,
            Step::Narrow,
            Step::AddReviewer,
            Step::Look,
            Step::Record(RecordKind::Escalation),
        ];
        steps.extend((0..=3).map(Step::Clock));
        for (name, role) in [("bob", Role::Architect), ("cat", Role::Qa), ("dan", Role::Owner)] {
            steps.push(Step::Vote(name, role, Colour::Green));
        }
        steps.push(Step::Vote("cat", Role::Qa, Colour::Red));
        Self::new(steps)
    }

    fn breaking(mut self, safety: Safety) -> Self {
        self.broken = Some(safety);
        self
    }

    fn event(&self, world: &World, step: &Step) -> Option<Event> {
        let (standing, now) = (&world.standing, world.now());
        match step {
            Step::Vote(name, role, colour) => {
                standing.vote(form(name, *role, *colour), &now, &self.aliases).ok()
            }
            Step::Look => Some(Event::BeatSeen { beat: standing.beat_at(now.beat) }),
            Step::AddReviewer => standing.add_reviewer("eve", "perf", &now, &self.aliases).ok(),
            Step::Narrow if world.ledger.round < self.most_rounds => {
                standing.narrow(vec!["x".to_owned()], Vec::new(), &now).ok()
            }
            Step::Record(kind) => record(world, *kind, &self.aliases),
            Step::Submit => {
                let beat = standing.beat_at(now.beat);
                let submission = Submission {
                    submission: "D-1".to_owned(),
                    digest: now.digest,
                    packet: FIRST,
                    notify_roles: Vec::new(),
                    beat,
                };
                standing.submit(submission, &now).ok()
            }
            Step::Edit | Step::Clock(_) | Step::Narrow => None,
        }
    }
}

fn record(world: &World, kind: RecordKind, aliases: &Aliases) -> Option<Event> {
    if !world.standing.records.is_empty() {
        return None;
    }
    let form = RecordForm {
        kind: kind.to_string(),
        proposal: Some("P-1".to_owned()),
        title: "t".to_owned(),
        owner: Some("dan".to_owned()),
        expires: (kind == RecordKind::Escalation).then_some(2),
        ..RecordForm::default()
    };
    let beat = world.standing.beat_at(world.clock);
    let record = form.read(RecordNumber(1), beat, Some(&world.standing), aliases).ok()?;
    Some(Event::DecisionRecorded(Box::new(record)))
}

impl World {
    fn now(&self) -> Now {
        Now { beat: self.clock, digest: self.digest }
    }

    /// The ledger's own bookkeeping of a step that was accepted.
    fn note(&mut self, step: &Step) {
        let ledger = &mut self.ledger;
        ledger.highest_beat = ledger.highest_beat.max(self.clock);
        match step {
            Step::Vote(name, role, colour) if ledger.submitted.is_none() => {
                let person = match *name {
                    "an" => "ann",
                    "rob" => "bob",
                    name => name,
                };
                ledger.votes.insert(person, (*role, *colour, self.digest, ledger.round));
            }
            Step::AddReviewer => ledger.due = ledger.highest_beat + 1,
            Step::Narrow => {
                ledger.round += 1;
                ledger.due = ledger.highest_beat + 1;
            }
            Step::Record(RecordKind::Approval) => ledger.approved = true,
            Step::Record(RecordKind::Escalation) => ledger.escalated_until = Some(ledger.highest_beat + 2),
            Step::Submit => ledger.submitted = Some(self.digest),
            Step::Vote(..) | Step::Record(_) | Step::Look | Step::Edit | Step::Clock(_) => {}
        }
    }
}

impl Ledger {
    fn here(&self, digest: Digest) -> Vec<(Role, Colour)> {
        let valid = |(name, (_, _, seen, round)): &(&&str, &(Role, Colour, Digest, u8))| {
            **name != "ann" && *seen == digest && *round == self.round
        };
        self.votes.iter().filter(valid).map(|(_, (role, colour, _, _))| (*role, *colour)).collect()
    }

    fn quorate(&self, digest: Digest, beat: i64) -> bool {
        let here = self.here(digest);
        let owner = here.iter().any(|(role, _)| matches!(role, Role::Owner | Role::Domain));
        let quality = here.iter().any(|(role, _)| matches!(role, Role::Qa | Role::Security | Role::Perf));
        let escalated = beat >= self.due
            && self.escalated_until.is_some_and(|until| beat < until)
            && [Role::Architect, Role::Qa].iter().all(|role| here.contains(&(*role, Colour::Green)));
        escalated || (here.len() >= 3 && owner && quality)
    }

    fn has_red(&self) -> bool {
        self.votes.iter().any(|(name, (_, colour, _, _))| *name != "ann" && *colour == Colour::Red)
    }

    fn enough_greens(&self, digest: Digest) -> bool {
        let here = self.here(digest);
        let count = |wanted: Colour| here.iter().filter(|(_, colour)| *colour == wanted).count();
        count(Colour::Green) >= 2
            || (count(Colour::Green) >= 1 && count(Colour::Yellow) >= 2 && self.approved)
    }
}

/// Whether the world is in, or was handed over from, CONSENSUS: on which digest.
fn agreed(world: &World) -> Option<Digest> {
    match (world.standing.stage, world.standing.phase(&world.now())) {
        (Stage::Review, Phase::Consensus) => Some(world.digest),
        (Stage::Submitted(digest), _) => Some(digest),
        _ => None,
    }
}

impl Model for Council {
    type State = World;
    type Action = Step;

    fn init_states(&self) -> Vec<World> {
        let mut standing = Standing::of(&opened(QUORUM), &self.aliases);
        standing.broken = self.broken;
        let ledger = Ledger {
            votes: BTreeMap::new(),
            round: 0,
            highest_beat: 0,
            due: 1,
            approved: false,
            escalated_until: None,
            submitted: None,
        };
        vec![World { standing, digest: FIRST, clock: 0, ledger }]
    }

    fn actions(&self, _world: &World, actions: &mut Vec<Step>) {
        actions.extend(self.steps.iter().cloned());
    }

    fn next_state(&self, world: &World, step: Step) -> Option<World> {
        let mut next = world.clone();
        match step {
            Step::Edit => next.digest = if world.digest == FIRST { SECOND } else { FIRST },
            Step::Clock(beat) if beat <= self.last_beat => next.clock = beat,
            ref other => {
                let event = self.event(world, other)?;
                next.standing.apply(&event, &self.aliases);
                next.note(other);
            }
        }
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("no consensus with a red", |_, world: &World| {
                agreed(world).is_none() || !world.ledger.has_red()
            }),
            Property::always("no consensus without quorum on these bytes", |_, world: &World| {
                let beat = world.ledger.highest_beat.max(world.clock);
                // What was handed over had its quorum then; an Escalation DR may have run out since.
                let since = |digest| {
                    world.ledger.submitted.is_some()
                        && (0..=beat).any(|beat| world.ledger.quorate(digest, beat))
                };
                agreed(world).is_none_or(|digest| world.ledger.quorate(digest, beat) || since(digest))
            }),
            Property::always("no consensus without greens", |_, world: &World| {
                agreed(world).is_none_or(|digest| world.ledger.enough_greens(digest))
            }),
            Property::always("the author has no vote", |council, world: &World| {
                let author = Person::named("ann").unwrap();
                let voted = world
                    .standing
                    .ballots
                    .iter()
                    .any(|(name, _)| council.aliases.person(&Person::folded(name)) == author);
                !voted || council.broken == Some(Safety::OnePersonOneVote)
            }),
            Property::always("escalation is told when it is due", |_, world: &World| {
                let beat = world.ledger.highest_beat.max(world.clock);
                let due = world.standing.stage == Stage::Review
                    && beat >= world.ledger.due
                    && !world.ledger.quorate(world.digest, beat);
                let tally = world.standing.tally(&world.now());
                let told = world
                    .standing
                    .blockers(&tally, &world.now())
                    .iter()
                    .any(|blocker| blocker.to_string() == "escalation_due");
                due == told
            }),
            Property::always("the beat never goes back", |_, world: &World| {
                world.standing.beat_at(world.clock) >= world.ledger.highest_beat
            }),
            Property::always("what was counted at the hand-over still is", |_, world: &World| {
                world.ledger.submitted.is_none_or(|digest| {
                    let tally = world.standing.tally(&world.now());
                    tally.have.total as usize == world.ledger.here(digest).len() && tally.reds.is_empty()
                })
            }),
            Property::sometimes("a delivery is possible", |_, world: &World| {
                world.ledger.submitted.is_some()
            }),
            Property::sometimes("a red is possible", |_, world: &World| world.ledger.has_red()),
        ]
    }
}

/// The number of states, and which properties were violated.
fn explore(council: Council) -> (usize, Vec<&'static str>) {
    let checker = council.checker().threads(2).spawn_bfs().join();
    let violated = checker
        .discoveries()
        .into_keys()
        .filter(|name| !["a delivery is possible", "a red is possible"].contains(name))
        .collect();
    (checker.unique_state_count(), violated)
}

/// Every order of votes and edits, for four reviewers with aliases: no rule is broken.
#[test]
fn council_model_of_votes_has_no_violation() {
    let (states, violated) = explore(Council::votes());
    println!("model of votes: {states} states explored, {} violations", violated.len());
    assert!(violated.is_empty(), "{violated:?}");
    assert!(states > 2_000, "only {states} states");
}

/// Every order of beats, escalation, narrowing and clocks that go back: no rule is broken.
#[test]
fn council_model_of_time_has_no_violation() {
    let (states, violated) = explore(Council::time());
    println!("model of time: {states} states explored, {} violations", violated.len());
    assert!(violated.is_empty(), "{violated:?}");
    assert!(states > 2_000, "only {states} states");
}

/// Each property, broken on purpose, is noticed.
#[test]
fn council_model_notices_each_broken_property() {
    let in_votes = [
        Safety::RedBlocks,
        Safety::StaleRedBlocks,
        Safety::QuorumNeeded,
        Safety::DomainNeeded,
        Safety::QualityNeeded,
        Safety::AuthorExcluded,
        Safety::DigestBound,
        Safety::OnePersonOneVote,
        Safety::YellowIsNotGreen,
        Safety::ApprovalNeeded,
        Safety::LateIsLate,
    ];
    let in_time = [
        Safety::NarrowingVoids,
        Safety::EscalationIsTold,
        Safety::EscalationWaits,
        Safety::EscalationExpires,
        Safety::BeatNeverGoesBack,
    ];
    for safety in in_votes {
        assert!(first_violation(Council::few_votes().breaking(safety)), "{safety:?} was not noticed");
    }
    for safety in in_time {
        assert!(first_violation(Council::little_time().breaking(safety)), "{safety:?} was not noticed");
    }
}

/// Stops at the first violation: the two things that must be possible do not count.
fn first_violation(council: Council) -> bool {
    let names: Vec<&'static str> = council
        .properties()
        .iter()
        .map(|property| property.name)
        .filter(|name| !["a delivery is possible", "a red is possible"].contains(name))
        .collect();
    let wanted = stateright::HasDiscoveries::AnyOf(names.iter().copied().collect());
    let checker = council.checker().threads(2).finish_when(wanted).spawn_bfs().join();
    checker.discoveries().keys().any(|name| names.contains(name))
}
