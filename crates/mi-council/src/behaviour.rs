//! The semantics, point by point: a few requests, and how the proposal stands after them.

use proptest::prelude::*;
use std::collections::BTreeMap;

use crate::{
    Aliases, Citation, Closing, Colour, Digest, Event, Fault, Mitigation, Now, Opened, Packed, PastVote,
    Person, Phase, Quorum, RecordForm, RecordNumber, Refusal, Role, Standing, Submission, Urgency, VoteForm,
    done::{Item, Proof},
};

pub(crate) const FIRST: Digest = Digest::new([1; 32]);
pub(crate) const SECOND: Digest = Digest::new([2; 32]);

pub(crate) fn citation() -> Citation {
    Citation { address: format!("ucxl://mi:council@p:t/sha256:{FIRST}#/x"), given: "x".to_owned() }
}

pub(crate) fn opened(quorum: Quorum) -> Opened {
    Opened {
        id: "P-1".to_owned(),
        title: "t".to_owned(),
        author: Person::named("ann").unwrap(),
        paths: vec!["x".to_owned()],
        files: Vec::new(),
        digest: FIRST,
        urgency: Urgency::Standard,
        draft: false,
        quorum,
        evidence: Item::ALL.into_iter().map(|item| (item, Proof::Proven { record: citation() })).collect(),
        requirements: Vec::new(),
        commit: None,
        beat: 0,
    }
}

pub(crate) fn form(name: &str, role: Role, colour: Colour) -> VoteForm {
    VoteForm {
        name: name.to_owned(),
        role: role.to_string(),
        colour: colour.to_string(),
        rationale: "r".to_owned(),
        evidence: vec![citation()],
        mitigations: match colour {
            Colour::Green => Vec::new(),
            Colour::Yellow | Colour::Red => vec![Mitigation::read("fix; owner=dev; due=1").unwrap()],
        },
        ..VoteForm::default()
    }
}

/// One proposal and the world around it.
pub(crate) struct Table {
    pub(crate) standing: Standing,
    pub(crate) aliases: Aliases,
    pub(crate) now: Now,
    history: Vec<PastVote>,
    records: u64,
}

impl Table {
    fn new() -> Self {
        Self::of(&opened(Quorum::default()))
    }

    fn of(opened: &Opened) -> Self {
        let aliases = Aliases::default();
        let standing = Standing::of(opened, &aliases);
        Self { standing, aliases, now: Now { beat: 0, digest: FIRST }, history: Vec::new(), records: 0 }
    }

    fn apply(&mut self, event: &Event) {
        self.history.extend(self.standing.apply(event, &self.aliases));
    }

    fn vote(&mut self, name: &str, role: Role, colour: Colour) -> Result<(), Refusal> {
        let event = self.standing.vote(form(name, role, colour), &self.now, &self.aliases)?;
        self.apply(&event);
        Ok(())
    }

    /// `qa:green` by the person of that name, and so on.
    fn votes(&mut self, votes: &str) -> &mut Self {
        for vote in votes.split_whitespace() {
            let (role, colour) = vote.split_once(':').unwrap();
            self.vote(role, role.parse().unwrap(), Colour::from_word(colour).unwrap()).unwrap();
        }
        self
    }

    fn record(&mut self, kind: &str, owner: &str, expires: Option<u32>) -> Result<(), Refusal> {
        self.records += 1;
        let form = RecordForm {
            kind: kind.to_owned(),
            proposal: Some("P-1".to_owned()),
            title: "t".to_owned(),
            owner: Some(owner.to_owned()),
            expires,
            ..RecordForm::default()
        };
        let number = RecordNumber(self.records);
        let record =
            form.read(number, self.standing.beat_at(self.now.beat), Some(&self.standing), &self.aliases)?;
        self.apply(&Event::DecisionRecorded(Box::new(record)));
        Ok(())
    }

    fn submit(&mut self) -> Result<(), Refusal> {
        let submission = Submission {
            submission: "D-1".to_owned(),
            digest: self.now.digest,
            packet: SECOND,
            notify_roles: Vec::new(),
            beat: self.now.beat,
        };
        let event = self.standing.submit(submission, &self.now)?;
        self.apply(&event);
        Ok(())
    }

    fn blockers(&self) -> String {
        let tally = self.standing.tally(&self.now);
        self.standing
            .blockers(&tally, &self.now)
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn phase(&self) -> Phase {
        self.standing.phase(&self.now)
    }
}

/// The pass rule and its blockers, colour by colour.
#[test]
fn mi_council_006_007_what_passes_and_what_blocks() {
    for (votes, phase, blockers) in [
        ("", Phase::Review, "quorum:total quorum:domain quorum:quality greens"),
        ("qa:green owner:green architect:green", Phase::Consensus, ""),
        ("qa:yellow owner:green security:green", Phase::Consensus, ""),
        ("qa:yellow owner:yellow security:green", Phase::Review, "dr"),
        ("qa:yellow owner:yellow security:yellow", Phase::Review, "perma_yellow"),
        ("qa:green owner:green architect:red", Phase::Review, "red:architect"),
        ("qa:green owner:yellow architect:red", Phase::Review, "red:architect greens"),
        ("qa:green owner:green", Phase::Review, "quorum:total"),
        ("qa:green security:green perf:green", Phase::Review, "quorum:domain"),
        ("owner:green domain:green architect:green", Phase::Review, "quorum:quality"),
        ("reviewer:green", Phase::Review, "quorum:total quorum:domain quorum:quality greens"),
    ] {
        let mut table = Table::new();
        table.votes(votes);
        assert_eq!((table.phase(), table.blockers().as_str()), (phase, blockers), "{votes}");
    }
}

/// One green and two yellows pass with an Approval DR, not with another kind; perma-yellow never passes.
#[test]
fn mi_council_006_an_approval_dr_lets_mixed_votes_pass() {
    let mut table = Table::new();
    table.votes("qa:yellow owner:yellow security:green");
    table.record("ordinary", "lead", None).unwrap();
    assert_eq!(table.phase(), Phase::Review);
    table.record("approval", "lead", None).unwrap();
    assert_eq!((table.phase(), table.blockers().as_str()), (Phase::Consensus, ""));
    table.votes("security:yellow");
    assert_eq!((table.phase(), table.blockers().as_str()), (Phase::Review, "perma_yellow"));
}

/// A changed byte voids votes, the same bytes give them back; a red blocks until its person votes again.
#[test]
fn mi_council_005_votes_are_bound_to_bytes_and_a_red_is_not_laundered() {
    let mut table = Table::new();
    table.votes("qa:green owner:green security:green");
    table.now.digest = SECOND;
    assert_eq!(
        table.blockers(),
        "drift:owner drift:qa drift:security quorum:total quorum:domain quorum:quality greens"
    );
    table.now.digest = FIRST;
    assert_eq!(table.phase(), Phase::Consensus);
    table.votes("qa:red");
    table.now.digest = SECOND;
    table.votes("owner:green security:green architect:green");
    assert_eq!((table.phase(), table.blockers().as_str()), (Phase::Review, "red:qa drift:qa"));
    table.votes("qa:green");
    assert_eq!(table.phase(), Phase::Consensus);
    assert_eq!(table.history.len(), 4, "every replaced vote stays in the history");
}

/// The author never votes, reviews, or owns an Escalation DR, in any spelling or alias.
#[test]
fn mi_council_004_the_author_has_no_say() {
    let mut table = Table::new();
    table.aliases = Aliases::new(&BTreeMap::from([("ann".to_owned(), vec!["a.".to_owned()])])).unwrap();
    for name in ["ann", " ANN ", "ａｎｎ", "A."] {
        let refusal = table.vote(name, Role::Qa, Colour::Green).unwrap_err();
        assert_eq!((refusal.rule.as_str(), refusal.fault), ("author", Fault::Forbidden), "{name}");
        let refusal = table.standing.add_reviewer(name, "qa", &table.now, &table.aliases).unwrap_err();
        assert_eq!(refusal.rule.as_str(), "author", "{name}");
        assert_eq!(table.record("escalation", name, Some(9)).unwrap_err().rule.as_str(), "author", "{name}");
    }
}

/// One person has one vote, whatever roles and spellings; an alias that is made later joins two votes.
#[test]
fn mi_council_004_one_person_one_vote() {
    let mut table = Table::new();
    for (name, role) in [("Bob", Role::Qa), ("bob ", Role::Owner), ("BOB", Role::Security)] {
        table.vote(name, role, Colour::Green).unwrap();
    }
    assert_eq!(table.standing.tally(&table.now).have.total, 1);
    assert_eq!((table.standing.ballots.len(), table.history.len()), (1, 2));
}

/// Late votes are taken, never count and move nothing; who voted in time keeps that vote.
#[test]
fn mi_council_008_late_votes_are_kept_and_do_not_count() {
    let mut table = Table::new();
    table.votes("qa:green owner:green security:green");
    table.submit().unwrap();
    table.votes("qa:red architect:red");
    assert_eq!((table.phase(), table.blockers().as_str()), (Phase::Submitted, ""));
    let vote = |name: &str| {
        table
            .standing
            .shown_votes(&table.now)
            .find(|(voter, _)| *voter == name)
            .map(|(_, vote)| vote)
            .unwrap()
    };
    assert_eq!((vote("qa").vote, vote("qa").counted), (Colour::Green, true));
    assert_eq!((vote("architect").vote, vote("architect").counted), (Colour::Red, false));
    assert_eq!((table.history[0].vote, table.history[0].late), (Colour::Red, true));
    let close = table.standing.close_delivery(Closing::Merged, "in", &table.now).unwrap();
    table.apply(&close);
    assert_eq!(table.phase(), Phase::Merged);
    assert!(table.standing.close_delivery(Closing::Rejected, "out", &table.now).is_err());
}

/// Without quorum at the due beat escalation is due, until somebody is added; the beat never goes back.
#[test]
fn mi_council_009_escalation_in_beats() {
    let mut table = Table::new();
    table.now.beat = 3;
    assert!(!table.blockers().contains("escalation_due"));
    table.now.beat = 4;
    assert!(table.blockers().ends_with("escalation_due"));
    table.apply(&Event::BeatSeen { beat: 4 });
    table.now.beat = 0;
    assert!(table.blockers().ends_with("escalation_due"), "the clock went back, the beat does not");
    let event = table.standing.add_reviewer("eve", "perf", &table.now, &table.aliases).unwrap();
    table.apply(&event);
    assert_eq!(table.standing.due_beat, 8);
    assert!(!table.blockers().contains("escalation_due"));
    table.now.beat = 9;
    table.votes("qa:green owner:green security:red");
    assert_eq!(table.blockers(), "red:security", "a quorum ends the escalation");
    let hotfix = Opened { urgency: Urgency::Hotfix, beat: 7, ..opened(Quorum::default()) };
    assert_eq!(Standing::of(&hotfix, &Aliases::default()).due_beat, 8);
}

/// From the due beat on, an unexpired Escalation DR with architect and qa green stands for the quorum.
#[test]
fn mi_council_010_architect_and_qa_stand_in_for_an_absent_owner() {
    let mut table = Table::new();
    table.votes("architect:green qa:green");
    table.record("escalation", "lead", Some(6)).unwrap();
    assert_eq!(table.phase(), Phase::Review, "before the due beat the DR changes nothing");
    for (beat, phase) in
        [(3, Phase::Review), (4, Phase::Consensus), (5, Phase::Consensus), (6, Phase::Review)]
    {
        table.now.beat = beat;
        assert_eq!(table.phase(), phase, "{beat}");
    }
    table.now.beat = 4;
    table.votes("qa:yellow");
    assert_eq!(table.phase(), Phase::Review, "qa must be green");
    table.votes("qa:green reviewer:red");
    assert_eq!(table.blockers(), "red:reviewer");
}

/// A draft takes no votes; asking for review opens it, with its time anew.
#[test]
fn mi_council_001_a_draft_takes_no_votes() {
    let mut table = Table::of(&Opened { draft: true, ..opened(Quorum::default()) });
    assert_eq!(table.vote("bob", Role::Qa, Colour::Green).unwrap_err().rule.as_str(), "draft");
    table.now.beat = 9;
    let event = table.standing.request(&table.now).unwrap().unwrap();
    table.apply(&event);
    assert_eq!((table.phase(), table.standing.due_beat), (Phase::Review, 13));
    assert_eq!(table.standing.request(&table.now).unwrap(), None);
}

/// Items that are not proven hold the delivery, never the vote.
#[test]
fn mi_council_001_open_items_hold_the_delivery_alone() {
    let mut table = Table::of(&Opened { evidence: BTreeMap::new(), ..opened(Quorum::default()) });
    table.votes("qa:green owner:green security:green");
    assert_eq!(table.phase(), Phase::Consensus);
    assert!(table.blockers().split(' ').all(|blocker| blocker.starts_with("dod:")));
    assert_eq!(table.submit().unwrap_err().rule.as_str(), "dod");
    for item in Item::ALL {
        table.apply(&Event::EvidenceAdded { beat: 0, item, proof: Proof::Proven { record: citation() } });
    }
    table.submit().unwrap();
}

/// Narrowing voids every vote and gives time anew; a red still blocks.
#[test]
fn mi_council_019_narrowing_voids_votes() {
    let mut table = Table::new();
    table.votes("qa:green owner:green security:red");
    table.now.beat = 2;
    let event = table.standing.narrow(vec!["x".to_owned()], Vec::new(), &table.now).unwrap();
    table.apply(&event);
    assert_eq!(table.standing.due_beat, 6);
    assert_eq!(table.standing.tally(&table.now).have.total, 0);
    assert!(table.blockers().starts_with("red:security"));
    assert!(table.standing.narrow(vec![" ".to_owned()], Vec::new(), &table.now).is_err());
}

/// A delivery outside of CONSENSUS is refused with what stands in the way.
#[test]
fn mi_council_012_delivery_needs_consensus() {
    let mut table = Table::new();
    table.votes("qa:green owner:green security:red");
    let refusal = table.submit().unwrap_err();
    assert_eq!((refusal.rule.as_str(), refusal.fault), ("phase", Fault::Forbidden));
    assert!(refusal.message.contains("red:security"), "{refusal}");
}

/// What the contract's readers parse, letter by letter.
#[test]
fn council_contract_status_json() {
    let mut table = Table::new();
    table.votes("qa:yellow");
    let text = table.standing.to_json(&table.now, &Packed::default(), &[]);
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["phase"], "REVIEW");
    assert_eq!(
        json["votes"],
        serde_json::json!({"qa": {"vote": "yellow", "role": "qa", "counted": true, "digest": FIRST.to_string()}})
    );
    assert_eq!(json["blockers"], serde_json::json!(["quorum:total", "quorum:domain", "greens", "dod"][..3]));
    assert_eq!(
        json["quorum"],
        serde_json::json!({"need": {"total": 3, "domain": 1, "quality": 1}, "have": {"total": 1, "domain": 0, "quality": 1}, "met": false})
    );
    assert_eq!(json["due_beat"], 4);
}

/// An event is written to the journal and read back the same.
#[test]
fn events_survive_the_journal() {
    let mut table = Table::new();
    let vote =
        table.standing.vote(form("bob", Role::Qa, Colour::Yellow), &table.now, &table.aliases).unwrap();
    for event in
        [Event::ProposalOpened(Box::new(opened(Quorum::default()))), vote, Event::BeatSeen { beat: 3 }]
    {
        table.apply(&event);
        let text = serde_json::to_string(&event).unwrap();
        assert!(text.starts_with(&format!(r#"{{"kind":"{}""#, event.kind())), "{text}");
        assert_eq!(serde_json::from_str::<Event>(&text).unwrap(), event);
    }
}

fn any_vote() -> impl Strategy<Value = (usize, usize, usize, bool)> {
    (0_usize..40, 0..Role::ALL.len(), 0_usize..3, any::<bool>())
}

proptest! {
    /// With many reviewers and any settings: CONSENSUS means a quorum of votes on these bytes, enough greens, no red.
    #[test]
    fn council_large_councils_keep_the_rules(
        votes in prop::collection::vec(any_vote(), 0..120),
        (reviewers, domain, quality, greens) in (1_u32..20, 0_u32..4, 0_u32..4, 1_u32..20),
        approved in any::<bool>(),
    ) {
        let quorum = Quorum { reviewers, domain, quality, greens, beats: 4 };
        prop_assume!(quorum.check().is_ok());
        let mut table = Table::of(&opened(quorum));
        let colours = [Colour::Green, Colour::Yellow, Colour::Red];
        let mut last: BTreeMap<usize, (Role, Colour, Digest)> = BTreeMap::new();
        for (person, role, colour, first) in votes {
            table.now.digest = if first { FIRST } else { SECOND };
            let (role, colour) = (Role::ALL[role], colours[colour]);
            table.vote(&format!("p{person}"), role, colour).unwrap();
            last.insert(person, (role, colour, table.now.digest));
        }
        if approved {
            table.record("approval", "lead", None).unwrap();
        }
        table.now.digest = FIRST;
        let here: Vec<_> = last.values().filter(|(_, _, digest)| *digest == FIRST).collect();
        let count = |wanted: &dyn Fn(&(Role, Colour, Digest)) -> bool| {
            u32::try_from(here.iter().filter(|vote| wanted(vote)).count()).unwrap()
        };
        let quorate = count(&|_| true) >= reviewers && count(&|vote| vote.0.is_domain()) >= domain && count(&|vote| vote.0.is_quality()) >= quality;
        let (green, yellow) = (count(&|vote| vote.1 == Colour::Green), count(&|vote| vote.1 == Colour::Yellow));
        let red = last.values().any(|vote| vote.1 == Colour::Red);
        let expected = quorate && !red && (green >= greens || (green >= 1 && yellow >= 2 && approved));
        prop_assert_eq!(table.phase() == Phase::Consensus, expected);
        prop_assert_eq!(table.blockers().is_empty(), expected, "what is not in CONSENSUS says why");
    }
}
