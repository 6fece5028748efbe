//! The council on a real disk: checkpoints that never lie, content that is cited, a clock that goes back.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use mi_council::{Aliases, Colour, Phase, Quorum, Role, Urgency, VoteForm, licence::Policy};
use mi_delivery::{Bus, Chamber, CouncilError, Opening, Place, canonical};
use mi_journal::Layout;
use mi_model::{ProjectId, Timestamp};
use std::{collections::BTreeMap, fs, path::Path};

const BEAT: i64 = 15 * 60_000;

struct Scene {
    home: tempfile::TempDir,
    project: tempfile::TempDir,
}

impl Scene {
    fn new() -> Self {
        let (home, project) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(project.path().join("a.txt"), "a\n").unwrap();
        fs::write(project.path().join("report.txt"), "fine\n").unwrap();
        Self { home, project }
    }

    fn chamber(&self, aliases: &[(&str, &str)]) -> Chamber {
        let root = canonical(self.project.path()).unwrap();
        let layout = Layout::new(self.home.path());
        let files = layout.project(&ProjectId::of_root(&root.to_string_lossy()));
        let mut table: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (person, alias) in aliases {
            table.entry((*person).to_owned()).or_default().push((*alias).to_owned());
        }
        let aliases = Aliases::new(&table).unwrap();
        Chamber::new(Place { root, layout, files, aliases, licences: Policy::default() })
    }

    fn checkpoint(&self, id: &str) -> Option<std::path::PathBuf> {
        let projects = fs::read_dir(self.home.path().join("projects")).unwrap();
        let found = projects.map(|entry| entry.unwrap().path().join(format!("council/{id}.checkpoint")));
        found.into_iter().find(|path: &std::path::PathBuf| path.exists())
    }
}

fn at(beat: i64) -> Timestamp {
    Timestamp::from_millis(beat * BEAT)
}

fn opening(paths: &[&str]) -> Opening {
    Opening {
        paths: paths.iter().map(|path| (*path).to_owned()).collect(),
        title: "t".to_owned(),
        author: "ann".to_owned(),
        draft: false,
        urgency: Urgency::Standard,
        evidence: Vec::new(),
        quorum: Quorum::default(),
        commit: None,
    }
}

fn form(name: &str, role: Role, colour: Colour) -> VoteForm {
    VoteForm {
        name: name.to_owned(),
        role: role.to_string(),
        colour: colour.to_string(),
        rationale: "r".to_owned(),
        ..VoteForm::default()
    }
}

fn evidence() -> Vec<String> {
    vec!["report.txt#L1".to_owned()]
}

/// With and without its checkpoint, and for other aliases, a proposal stands the same as the log says.
#[test]
fn a_checkpoint_is_only_a_shortcut() {
    let scene = Scene::new();
    let mut chamber = scene.chamber(&[]);
    let id = chamber.propose(opening(&["a.txt"]), at(0)).unwrap().id;
    for number in 0..140 {
        let name = format!("p{}", number % 70);
        chamber.vote(&id, form(&name, Role::Qa, Colour::Green), &evidence(), at(0)).unwrap();
    }
    let path = scene.checkpoint(&id).expect("it was written");
    let quick = chamber.brief(&id).unwrap();
    let whole = chamber.proposal(&id).unwrap();
    assert_eq!(quick.head.standing, whole.standing);
    let past: Vec<_> = quick.history.iter().map(|(name, ballot)| (name.to_owned(), ballot)).collect();
    assert_eq!(
        past,
        whole.history.iter().map(|past| (past.name.to_string(), past.ballot())).collect::<Vec<_>>()
    );
    let joined = scene.chamber(&[("p0", "p1")]);
    assert_eq!(joined.brief(&id).unwrap().head.standing.ballots.len(), 69);
    let text = fs::read_to_string(&path).unwrap();
    for spoiled in
        [text.replace("\"version\":5", "\"version\":9"), text[..text.len() / 2].to_owned(), "x".to_owned()]
    {
        fs::write(&path, spoiled).unwrap();
        assert_eq!(chamber.brief(&id).unwrap().head.standing, whole.standing);
    }
}

/// A checkpoint of another log that is just as long is noticed: the line that ends the log is not the one it was made at.
#[test]
fn a_checkpoint_is_bound_to_the_end_of_the_log() {
    let scene = Scene::new();
    let mut chamber = scene.chamber(&[]);
    let id = chamber.propose(opening(&["a.txt"]), at(0)).unwrap().id;
    for number in 0..70 {
        let name = format!("p{}", number % 10);
        chamber.vote(&id, form(&name, Role::Qa, Colour::Green), &evidence(), at(0)).unwrap();
    }
    let place = chamber.bus.place().clone();
    let before = (fs::read(&place.log).unwrap(), fs::read(&place.head).unwrap());
    chamber.vote(&id, form("p1", Role::Qa, Colour::Red), &evidence(), at(0)).unwrap_err();
    let red = |name: &str| VoteForm {
        mitigations: vec![mi_council::Mitigation::read("fix").unwrap()],
        ..form(name, Role::Qa, Colour::Red)
    };
    chamber.vote(&id, red("p1"), &evidence(), at(0)).unwrap();
    let path = scene.checkpoint(&id).unwrap();
    let (foreign, length) = (fs::read(&path).unwrap(), fs::metadata(&place.log).unwrap().len());
    fs::write(&place.log, before.0).unwrap();
    fs::write(&place.head, before.1).unwrap();
    let mut chamber = scene.chamber(&[]);
    chamber.vote(&id, red("p2"), &evidence(), at(0)).unwrap();
    assert_eq!(fs::metadata(&place.log).unwrap().len(), length, "otherwise the length alone tells");
    fs::write(&path, foreign).unwrap();
    let (brief, now) = chamber.status(&id, at(0)).unwrap();
    assert_eq!(brief.head.standing, chamber.proposal(&id).unwrap().standing);
    let reds: Vec<String> = brief.head.standing.tally(&now).reds.iter().map(ToString::to_string).collect();
    assert_eq!(reds, ["p2"]);
}

/// What a vote cites is kept by content: changing the file later changes nothing.
#[test]
fn cited_content_is_kept() {
    let scene = Scene::new();
    let mut chamber = scene.chamber(&[]);
    let id = chamber.propose(opening(&["a.txt"]), at(0)).unwrap().id;
    chamber.vote(&id, form("bob", Role::Qa, Colour::Green), &evidence(), at(0)).unwrap();
    fs::write(scene.project.path().join("report.txt"), "forged\n").unwrap();
    let proposal = chamber.proposal(&id).unwrap();
    let cited = &proposal.votes.values().next().unwrap().evidence[0];
    assert_eq!(cited.given, "report.txt#L1");
    assert_eq!(chamber.stored(&cited.address).unwrap().as_deref(), Some(&b"fine\n"[..]));
}

/// Looking at a later beat is remembered; a clock that goes back does not take it back.
#[test]
fn mi_council_009_the_beat_never_goes_back() {
    let scene = Scene::new();
    let mut chamber = scene.chamber(&[]);
    let id = chamber.propose(opening(&["a.txt"]), at(10)).unwrap().id;
    for (beat, due) in [(10, false), (14, true), (10, true), (3, true)] {
        let (brief, now) = chamber.status(&id, at(beat)).unwrap();
        let tally = brief.head.standing.tally(&now);
        assert_eq!(brief.head.standing.is_escalation_due(&tally, &now), due, "{beat}");
    }
    let events = chamber.bus.events(&id).unwrap().len();
    chamber.status(&id, at(14)).unwrap();
    assert_eq!(chamber.bus.events(&id).unwrap().len(), events, "a beat is remembered once");
}

/// A folder is its files, without what is ignored; paths that lead outside, and symlinks, are refused.
#[test]
fn artefacts_are_what_git_would_keep() {
    let scene = Scene::new();
    let root = scene.project.path();
    fs::create_dir_all(root.join("src/cache")).unwrap();
    fs::write(root.join("src/b.txt"), "b").unwrap();
    fs::write(root.join("src/cache/x"), "x").unwrap();
    fs::write(root.join(".gitignore"), "cache/\n").unwrap();
    let mut chamber = scene.chamber(&[]);
    let opened = chamber.propose(opening(&["src", "./a.txt"]), at(0)).unwrap();
    let paths: Vec<&str> = opened.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["a.txt", "src/b.txt"]);
    let named = chamber.propose(opening(&["src/cache"]), at(0)).unwrap();
    assert_eq!(named.files[0].path, "src/cache/x", "what is asked for by name is taken");
    std::os::unix::fs::symlink("/etc", root.join("out")).unwrap();
    for bad in ["../x", "/etc/hostname", "out/hostname", "nowhere", "out"] {
        assert!(chamber.propose(opening(&[bad]), at(0)).is_err(), "{bad}");
    }
}

/// A record that cannot be read stops the council instead of being passed over.
#[test]
fn a_damaged_record_is_told() {
    let scene = Scene::new();
    let mut chamber = scene.chamber(&[]);
    let id = chamber.propose(opening(&["a.txt"]), at(0)).unwrap().id;
    chamber.vote(&id, form("bob", Role::Qa, Colour::Green), &evidence(), at(0)).unwrap();
    let log = chamber.bus.place().log.clone();
    let text = fs::read_to_string(&log).unwrap();
    fs::write(&log, text.replace("\"vote\":\"green\"", "\"vote\":\"blue!\"")).unwrap();
    assert!(matches!(scene.chamber(&[]).brief(&id), Err(CouncilError::Damaged { .. })));
    assert!(!scene.chamber(&[]).verify().unwrap().ok());
}

/// Mixed votes, an Approval DR and its tasks, superseded again: CONSENSUS comes and goes.
#[test]
fn mi_council_006_an_approval_can_be_superseded() {
    let scene = Scene::new();
    let mut chamber = scene.chamber(&[]);
    let id = chamber.propose(opening(&["a.txt"]), at(0)).unwrap().id;
    for (role, colour) in
        [(Role::Owner, Colour::Green), (Role::Qa, Colour::Yellow), (Role::Security, Colour::Yellow)]
    {
        let mut vote = form(role.as_str(), role, colour);
        vote.mitigations = vec![mi_council::Mitigation::read("fix; owner=dev; due=3").unwrap()];
        chamber.vote(&id, vote, &evidence(), at(0)).unwrap();
    }
    let decision = |kind: &str, proposal: Option<&str>| mi_council::RecordForm {
        kind: kind.to_owned(),
        proposal: proposal.map(str::to_owned),
        title: "t".to_owned(),
        ..mi_council::RecordForm::default()
    };
    let approval = chamber.decide(decision("approval", Some(&id)), &[], at(1)).unwrap();
    assert_eq!(approval.tasks.len(), 2);
    assert_eq!(approval.tasks[0].due_beat, 4);
    assert_eq!(chamber.phase(&id, at(1)).unwrap(), Phase::Consensus);
    let instead = mi_council::RecordForm { supersedes: Some(approval.number), ..decision("ordinary", None) };
    chamber.decide(instead, &[], at(1)).unwrap();
    assert_eq!(chamber.phase(&id, at(1)).unwrap(), Phase::Review);
    assert!(Path::new(&chamber.place.root).is_absolute());
}
