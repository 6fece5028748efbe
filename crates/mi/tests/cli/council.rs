//! Proposals and votes from the command line: each point of the semantics, and every way to get around it.

use mi_test_support::{Mi, MiOutput, TempHome, TempProject};
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    thread,
};

/// A home, a project with `calc.py` and `report.txt`, and a clock.
pub(crate) struct Table {
    pub(crate) home: TempHome,
    pub(crate) project: TempProject,
    pub(crate) now: &'static str,
}

pub(crate) const NOON: &str = "2026-02-08T12:00:00Z";
const ITEMS: [&str; 9] = ["spec", "tests", "repro", "diff", "perf", "security", "licence", "docs", "trace"];

/// `--evidence ITEM=report.txt` for every item of the Definition of Done.
pub(crate) fn records() -> Vec<String> {
    ITEMS.iter().flat_map(|item| ["--evidence".to_owned(), format!("{item}=report.txt")]).collect()
}

/// The council's log of the only project of a home.
pub(crate) fn council_log(home: &Path) -> PathBuf {
    let folder = fs::read_dir(home.join("projects")).unwrap().next().unwrap().unwrap().path();
    folder.join("council.jsonl")
}

impl Table {
    pub(crate) fn new() -> Self {
        let project = TempProject::python();
        project.write("report.txt", "12 passed\n");
        Self { home: TempHome::with_values("Prefer small changes."), project, now: NOON }
    }

    pub(crate) fn at(&mut self, now: &'static str) -> &mut Self {
        self.now = now;
        self
    }

    pub(crate) fn mi(&self) -> Mi {
        Mi::new(env!("CARGO_BIN_EXE_mi"), &self.home).cwd(self.project.path()).env("MI_NOW", self.now)
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> MiOutput {
        self.mi().run(arguments)
    }

    pub(crate) fn propose(&self, more: &[&str]) -> String {
        let mut arguments =
            vec!["propose", "calc.py", "--title", "CALC-ADD-001 add", "--author", "Ann", "--json"];
        arguments.extend(more);
        let answer = self.run(&arguments).expect_exit(0).json();
        answer["id"].as_str().expect("an id").to_owned()
    }

    /// A proposal with a record for every item.
    pub(crate) fn propose_done(&self) -> String {
        let records = records();
        self.propose(&records.iter().map(String::as_str).collect::<Vec<_>>())
    }

    pub(crate) fn vote(&self, id: &str, name: &str, role: &str, vote: &str) -> MiOutput {
        self.vote_with(id, name, role, vote, &[])
    }

    pub(crate) fn vote_with(&self, id: &str, name: &str, role: &str, vote: &str, more: &[&str]) -> MiOutput {
        let mut arguments = vec!["review", "vote", id, "--as", name, "--role", role, "--vote", vote];
        arguments.extend(["--rationale", "looked at it", "--evidence", "report.txt#L1", "--json"]);
        match vote {
            "yellow" => arguments.extend(["--mitigation", "stabilise; owner=dev; due=2"]),
            "red" => arguments.extend(["--mitigation", "check the input"]),
            _ => {}
        }
        arguments.extend(more);
        self.run(&arguments)
    }

    /// `qa:green` by the person of that name, and so on.
    pub(crate) fn votes(&self, id: &str, votes: &str) {
        for vote in votes.split_whitespace() {
            let (role, colour) = vote.split_once(':').unwrap();
            self.vote(id, role, role, colour).expect_exit(0);
        }
    }

    pub(crate) fn status(&self, id: &str) -> Value {
        self.run(&["review", "status", "--json", id]).expect_exit(0).json()
    }

    pub(crate) fn phase(&self, id: &str) -> String {
        self.status(id)["phase"].as_str().unwrap().to_owned()
    }

    /// The blockers but for those of the Definition of Done.
    fn blockers(&self, id: &str) -> Vec<String> {
        let status = self.status(id);
        let all = status["blockers"].as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_owned());
        all.filter(|word| !word.starts_with("dod:")).collect()
    }

    /// Runs what must be refused, and shows that it changed nothing.
    #[track_caller]
    fn refused(&self, id: &str, exit: i32, rule: &str, arguments: &[&str]) {
        let before = self.status(id);
        let output = self.run(arguments).expect_exit(exit);
        assert!(output.err().contains(&format!("rule `{rule}`")), "{output}");
        assert_eq!(self.status(id), before, "{arguments:?}");
    }
}

/// A proposal opens in REVIEW with everything open; a draft waits.
#[test]
fn mi_council_001_a_proposal_opens_in_review_and_a_draft_waits() {
    let table = Table::new();
    let id = table.propose(&[]);
    let status = table.status(&id);
    assert_eq!(status["phase"], "REVIEW");
    assert_eq!(status["votes"], json!({}));
    assert_eq!(
        status["quorum"],
        json!({"need": {"total": 3, "domain": 1, "quality": 1}, "have": {"total": 0, "domain": 0, "quality": 0}, "met": false})
    );
    for item in ITEMS {
        assert!(status["blockers"].as_array().unwrap().contains(&json!(format!("dod:{item}"))), "{item}");
    }
    let draft = table.propose(&["--draft", "--evidence", "tests=report.txt"]);
    assert_eq!(table.phase(&draft), "DRAFT");
    assert!(!table.status(&draft)["blockers"].as_array().unwrap().contains(&json!("dod:tests")));
    assert!(table.vote(&draft, "bob", "qa", "green").expect_exit(4).err().contains("rule `draft`"));
    table.run(&["review", "request", &draft]).expect_exit(0);
    table.vote(&draft, "bob", "qa", "green").expect_exit(0);
}

/// What cannot be proposed is said, and leaves nothing behind.
#[test]
fn mi_council_001_bad_proposals_are_refused() {
    let table = Table::new();
    let base = ["propose", "calc.py", "--title", "t", "--author", "ann"];
    let with = |more: &[&str]| table.run(&[&base[..], more].concat());
    with(&["--evidence", "tests"]).expect_exit(2);
    with(&["--evidence", "beauty=report.txt"]).expect_exit(2);
    with(&["--evidence", "tests=nowhere.txt"]).expect_exit(2);
    with(&["--urgency", "tomorrow"]).expect_exit(2);
    with(&["nowhere.py"]).expect_exit(2);
    with(&["../outside"]).expect_exit(2);
    table.run(&["propose", "calc.py", "--title", " ", "--author", "ann"]).expect_exit(2);
    table.run(&["propose", "calc.py", "--title", "t", "--author", "a\u{200b}nn"]).expect_exit(4);
    let floating = ["propose", "calc.py", "--title", "per ucxl://a:b@c:d/latest#/x", "--author", "ann"];
    assert!(table.run(&floating).expect_exit(4).err().contains("floating"));
    std::os::unix::fs::symlink("calc.py", table.project.path().join("link.py")).unwrap();
    table.run(&["propose", "link.py", "--title", "t", "--author", "ann"]).expect_exit(2);
    assert_eq!(table.run(&["review", "status", "--json"]).expect_exit(0).json(), json!([]));
}

/// Every colour needs rationale and evidence; yellow and red need more; malformed is 2, refused is 4.
#[test]
fn mi_council_003_votes_are_whole_or_refused() {
    let table = Table::new();
    let id = table.propose(&[]);
    let base = ["review", "vote", id.as_str(), "--as", "bob", "--role", "qa", "--vote"];
    let form = |more: &[&'static str]| [&base[..], more].concat();
    table.refused(&id, 2, "evidence", &form(&["green", "--rationale", "r"]));
    table.refused(&id, 2, "rationale", &form(&["green", "--evidence", "report.txt"]));
    table.refused(&id, 2, "evidence", &form(&["green", "--rationale", "r", "--evidence", "nowhere.txt"]));
    table.refused(&id, 2, "evidence", &form(&["green", "--rationale", "r", "--evidence", "ucxl://nonsense"]));
    table.refused(
        &id,
        4,
        "evidence",
        &form(&["green", "--rationale", "r", "--evidence", "ucxl://a:b@c:d/latest#/x"]),
    );
    table.refused(&id, 2, "mitigation", &form(&["yellow", "--rationale", "r", "--evidence", "report.txt"]));
    table.refused(
        &id,
        2,
        "mitigation",
        &form(&["yellow", "--rationale", "r", "--evidence", "report.txt", "--mitigation", "x; owner=a"]),
    );
    table.refused(&id, 2, "mitigation", &form(&["red", "--rationale", "r", "--evidence", "report.txt"]));
    table.refused(&id, 2, "vote", &form(&["purple", "--rationale", "r", "--evidence", "report.txt"]));
    let other = "0".repeat(64);
    let digest = ["green", "--rationale", "r", "--evidence", "report.txt", "--digest", &other];
    table.refused(&id, 4, "digest", &[&base[..], &digest[..]].concat());
    for no_digest in ["2796", ""] {
        let digest = ["green", "--rationale", "r", "--evidence", "report.txt", "--digest", no_digest];
        table.refused(&id, 4, "digest", &[&base[..], &digest[..]].concat());
    }
    let role = [
        "review",
        "vote",
        &id,
        "--as",
        "bob",
        "--role",
        "boss",
        "--vote",
        "green",
        "--rationale",
        "r",
        "--evidence",
        "report.txt",
    ];
    table.refused(&id, 4, "role", &role);
    let current = table.status(&id)["digest"].as_str().unwrap().to_owned();
    table.vote_with(&id, "bob", "qa", "green", &["--digest", &current]).expect_exit(0);
}

/// The author has no vote under any spelling or alias, and reviews nothing.
#[test]
fn mi_council_004_the_author_never_votes_also_by_alias() {
    let table = Table::new();
    table.home.write_config("[council.aliases]\nann = [\"a.\", \"Annie\"]\n");
    let id = table.propose(&[]);
    for name in ["Ann", " ann ", "ＡＮＮ", "annie", "A."] {
        let output = table.vote(&id, name, "qa", "green").expect_exit(4);
        assert!(output.err().contains("rule `author`"), "{name}: {output}");
        assert!(
            table
                .run(&["review", "request", &id, "--add", name, "--role", "qa"])
                .expect_exit(4)
                .err()
                .contains("rule `author`")
        );
        let escalation = [
            "dr",
            "new",
            "--kind",
            "escalation",
            "--for",
            &id,
            "--title",
            "t",
            "--owner",
            name,
            "--expires",
            "9",
        ];
        assert!(table.run(&escalation).expect_exit(4).err().contains("rule `author`"), "{name}");
    }
    for name in ["b\u{200b}ob", "b\u{202e}ob", "bob\n"] {
        table.vote(&id, name, "qa", "green").expect_exit(4);
    }
    assert_eq!(table.status(&id)["votes"], json!({}));
}

/// The same person has one vote, whatever roles; the earlier ones stay in the history.
#[test]
fn mi_council_004_one_person_one_vote_with_history() {
    let table = Table::new();
    table.home.write_config("[council.aliases]\nbob = [\"rob\"]\n");
    let id = table.propose(&[]);
    table.vote(&id, "Bob", "qa", "red").expect_exit(0);
    table.vote(&id, "ROB", "owner", "green").expect_exit(0);
    let status = table.status(&id);
    assert_eq!(status["votes"].as_object().unwrap().len(), 1);
    assert_eq!(status["votes"]["bob"]["vote"], "green");
    assert_eq!(status["votes"]["bob"]["counted"], true);
    assert_eq!(status["history"][0]["vote"], "red");
    assert_eq!(status["quorum"]["have"], json!({"total": 1, "domain": 1, "quality": 0}));
    assert!(table.blockers(&id).iter().all(|word| !word.starts_with("red:")));
}

/// A changed byte voids votes, the old bytes give them back; a red is not laundered by touching a byte.
#[test]
fn mi_council_005_a_proposal_whose_files_changed() {
    let table = Table::new();
    let id = table.propose(&[]);
    table.votes(&id, "qa:green owner:green security:green");
    assert_eq!(table.phase(&id), "CONSENSUS");
    let original = fs::read_to_string(table.project.path().join("calc.py")).unwrap();
    table.project.write("calc.py", format!("{original}# touched\n"));
    assert_eq!(table.phase(&id), "REVIEW");
    assert!(table.blockers(&id).contains(&"drift:qa".to_owned()));
    assert_eq!(table.status(&id)["votes"]["qa"]["counted"], false);
    table.project.write("calc.py", &original);
    assert_eq!(table.phase(&id), "CONSENSUS");
    table.vote(&id, "qa", "qa", "red").expect_exit(0);
    table.project.write("calc.py", format!("{original}# fixed\n"));
    table.votes(&id, "owner:green security:green architect:green");
    assert!(table.blockers(&id).contains(&"red:qa".to_owned()));
    assert_eq!(table.phase(&id), "REVIEW");
    table.vote(&id, "qa", "qa", "green").expect_exit(0);
    assert_eq!(table.phase(&id), "CONSENSUS");
    fs::remove_file(table.project.path().join("calc.py")).unwrap();
    assert_eq!(table.phase(&id), "REVIEW", "a file that is gone is a change");
}

/// Mixed votes need an Approval DR for this proposal; only yellows are perma-yellow.
#[test]
fn mi_council_006_007_mixed_votes_and_the_approval_dr() {
    let table = Table::new();
    let id = table.propose(&[]);
    table.votes(&id, "qa:yellow owner:yellow security:yellow");
    assert_eq!(table.blockers(&id), ["perma_yellow"]);
    table.votes(&id, "security:green");
    assert_eq!(table.blockers(&id), ["dr"]);
    let other = table.propose(&[]);
    table
        .run(&["dr", "new", "--kind", "approval", "--for", &other, "--title", "residual risk"])
        .expect_exit(0);
    assert_eq!(table.blockers(&id), ["dr"]);
    let record = table
        .run(&["dr", "new", "--json", "--kind", "approval", "--for", &id, "--title", "residual risk"])
        .expect_exit(0)
        .json();
    assert_eq!(record["tasks"].as_array().unwrap().len(), 2, "the mitigations became tasks: {record}");
    assert_eq!(table.phase(&id), "CONSENSUS");
}

/// Beats: escalation at the due beat, the clock going back, one more reviewer, hot fixes, an absent owner.
#[test]
fn mi_council_009_010_beats_escalation_and_the_absent_owner() {
    let mut table = Table::new();
    let id = table.propose(&[]);
    let start = table.status(&id)["beat"].as_i64().unwrap();
    assert_eq!(table.status(&id)["due_beat"], start + 4);
    table.votes(&id, "architect:green qa:green");
    table
        .run(&[
            "dr",
            "new",
            "--kind",
            "escalation",
            "--for",
            &id,
            "--title",
            "t",
            "--owner",
            "eve",
            "--expires",
            "6",
        ])
        .expect_exit(0);
    table.at("2026-02-08T12:59:59Z");
    assert!(!table.blockers(&id).contains(&"escalation_due".to_owned()));
    assert_eq!(table.phase(&id), "REVIEW");
    table.at("2026-02-08T13:00:00Z");
    assert_eq!(table.phase(&id), "CONSENSUS", "architect and qa stand in");
    table.at(NOON);
    assert_eq!(table.phase(&id), "CONSENSUS", "the beat does not go back");
    table.at("2026-02-08T13:30:00Z");
    assert!(table.blockers(&id).contains(&"escalation_due".to_owned()), "the DR has run out");
    table.run(&["review", "request", &id, "--add", "eve", "--role", "security"]).expect_exit(0);
    assert_eq!(table.status(&id)["due_beat"], start + 10);
    assert!(!table.blockers(&id).contains(&"escalation_due".to_owned()));
    let hotfix = table.propose(&["--urgency", "hotfix"]);
    let status = table.status(&hotfix);
    assert_eq!(status["due_beat"].as_i64().unwrap() - status["beat"].as_i64().unwrap(), 1);
    assert_eq!(status["quorum"]["need"]["total"], 3);
}

/// Quorum settings: the project may only raise them; those that cannot work are refused by `mi propose`.
#[test]
fn mi_council_011_017_quorum_settings() {
    let table = Table::new();
    let base = ["propose", "calc.py", "--title", "t", "--author", "ann"];
    for bad in [
        "reviewers = 0",
        "greens = 0",
        "greens = 9",
        "domain = 2\nquality = 2",
        "reviewers = -1",
        "greens = \"two\"",
        "beats = 1.5",
    ] {
        table.home.write_config(&format!("[council]\n{bad}\n"));
        let output = table.run(&base).expect_exit(4);
        assert!(output.err().contains("quorum"), "{bad}: {output}");
    }
    table.home.write_config("[council]\nreviewers = 4\n");
    table
        .project
        .write(".mi/config.toml", "[council]\nreviewers = 2\nquality = 2\n[council.aliases]\nx = [\"y\"]\n");
    let id = table.propose(&[]);
    assert_eq!(table.status(&id)["quorum"]["need"], json!({"total": 4, "domain": 1, "quality": 2}));
    table.project.write(".mi/config.toml", "[council]\nreviewers = -2\n");
    assert!(table.run(&base).expect_exit(4).err().contains("quorum"));
}

/// Narrowing to one file voids the votes and makes it the artefact.
#[test]
fn mi_council_019_narrowing() {
    let table = Table::new();
    let id = table
        .run(&["propose", "calc.py", "report.txt", "--title", "t", "--author", "ann", "--json"])
        .json()["id"]
        .as_str()
        .unwrap()
        .to_owned();
    table.votes(&id, "qa:green owner:green security:green");
    table.run(&["review", "narrow", &id, "--scope", "calc.py"]).expect_exit(0);
    let status = table.status(&id);
    assert_eq!((status["phase"].as_str(), &status["paths"]), (Some("REVIEW"), &json!(["calc.py"])));
    assert_eq!(status["quorum"]["have"]["total"], 0);
    table.votes(&id, "qa:green owner:green security:green");
    table.project.write("report.txt", "changed\n");
    assert_eq!(table.phase(&id), "CONSENSUS", "the other file is out of scope");
}

/// A scope only gets narrower: what names no part of it, or all of it, is refused and voids nothing.
#[test]
fn mi_council_019_a_scope_is_never_widened_nor_mistyped() {
    let table = Table::new();
    for name in ["d/x", "d/y", "d/deep/z"] {
        table.project.write(name, name);
    }
    let id = table.run(&["propose", "d", "--title", "t", "--author", "ann", "--json"]).json()["id"].clone();
    let id = id.as_str().unwrap();
    let refused = |scopes: &[&str]| {
        for scope in scopes {
            table.refused(id, 4, "scope", &["review", "narrow", id, "--scope", scope]);
        }
    };
    table.votes(id, "qa:green owner:green security:green");
    refused(&["nofile", "../x", "../../../etc/passwd", "calc.py", "d", ".", "only the parser", "d/x2"]);
    table.refused(id, 2, "scope", &["review", "narrow", id, "--scope", " "]);
    table.refused(id, 4, "scope", &["review", "narrow", id, "--scope", "d/x", "--scope", "d/typo"]);
    assert_eq!(table.phase(id), "CONSENSUS");
    table.run(&["review", "narrow", id, "--scope", "d/x", "--scope", "d/deep"]).expect_exit(0);
    assert_eq!(table.status(id)["paths"], json!(["d/x", "d/deep"]));
    refused(&["d", "d/y"]);
    table.run(&["review", "narrow", id, "--scope", "d/x"]).expect_exit(0);
    refused(&["d", "d/y", "d/deep", "d/x"]);
    table.run(&["review", "narrow", id, "--scope", "d/x#the first line"]).expect_exit(0);
    assert_eq!(table.status(id)["paths"], json!(["d/x"]));
}

/// Vote-shaped text in a rationale or an artefact is text.
#[test]
fn mi_council_014_a_vote_inside_text_is_text() {
    let table = Table::new();
    table.project.write(
        "calc.py",
        "# mi review vote P-1 --as eve --role owner --vote green\n{\"vote\":\"green\",\"as\":\"eve\"}\n",
    );
    let id = table.propose(&[]);
    let shaped =
        "### Review Vote (green)\n**Reviewer:** eve (owner)\n{\"kind\":\"vote_cast\",\"name\":\"eve\"}";
    table.vote_with(&id, "bob", "qa", "green", &["--scope", shaped]).expect_exit(0);
    assert_eq!(table.status(&id)["votes"].as_object().unwrap().keys().collect::<Vec<_>>(), ["bob"]);
}

/// A secret that a reviewer writes down does not stand in the log, and so in no packet.
#[test]
fn mi_council_003_votes_hold_no_secrets() {
    let table = Table::new();
    let id = table.propose(&[]);
    let token = format!("AKIA{}", "Q3EGRIOZ5XN4TPWL");
    let said = format!("works with {token}");
    let mitigation = format!("{said}; owner=dev; due=2");
    let more = ["--scope", &said, "--mitigation", &mitigation];
    table.vote_with(&id, "bob", "qa", "yellow", &more).expect_exit(0);
    let log = fs::read_to_string(council_log(&table.home.path())).unwrap();
    assert!(log.contains("works with") && !log.contains(&token), "{log}");
}

/// Decisions are numbered, listed, shown and superseded; those that lack something are refused.
#[test]
fn mi_council_016_decisions() {
    let table = Table::new();
    let id = table.propose(&[]);
    for bad in [
        vec!["--kind", "exception", "--title", "t", "--owner", "eve", "--expires", "4", "--rule", "F.1"],
        vec!["--kind", "exception", "--title", "t", "--owner", "eve", "--expires", "4", "--rollback", "x"],
        vec!["--kind", "escalation", "--for", &id, "--title", "t", "--owner", "eve"],
        vec!["--kind", "approval", "--title", "t"],
        vec!["--kind", "whim", "--title", "t"],
        vec!["--kind", "ordinary", "--title", " "],
    ] {
        table.run(&[&["dr", "new"][..], &bad].concat()).expect_exit(2);
    }
    let floating = ["dr", "new", "--title", "t", "--cite", "ucxl://a:b@c:d/main#/x"];
    assert!(table.run(&floating).expect_exit(4).err().contains("floating"));
    let exception = [
        "dr",
        "new",
        "--json",
        "--kind",
        "exception",
        "--title",
        "no limit",
        "--owner",
        "eve",
        "--expires",
        "4",
        "--rule",
        "X.1",
        "--rollback",
        "remove it",
    ];
    let made = table.run(&exception).expect_exit(0).json();
    assert_eq!((made["id"].as_str(), made["owner"].as_str()), (Some("DR-1"), Some("eve")));
    assert!(made["address"].as_str().unwrap().starts_with("ucxl://mi:council@"));
    table
        .run(&["dr", "supersede", "DR-1", "--title", "a limit again", "--cite", "report.txt"])
        .expect_exit(0);
    let list = table.run(&["dr", "list", "--json"]).expect_exit(0).json();
    assert_eq!(
        (list[0]["superseded_by"].as_str(), list[1]["supersedes"].as_str()),
        (Some("DR-2"), Some("DR-1"))
    );
    let shown = table.run(&["dr", "show", "DR-2", "--json"]).expect_exit(0).json();
    let cited = shown["cites"][0]["address"].as_str().unwrap().to_owned();
    let content = table.run(&["context", "get", "--address", &cited]).expect_exit(0).out();
    assert_eq!(content, "12 passed\n");
    table.run(&["dr", "show", "DR-9"]).expect_exit(1);
    table.run(&["review", "status", "P-99"]).expect_exit(1);
}

/// An address by digest is evidence only where its content is: cited by a vote, a decision or a hand-over, content that
/// nobody has is refused; what was stored can be cited by its address, and a version is told to be unchecked.
#[test]
fn mi_council_015_evidence_that_is_not_here_is_no_evidence() {
    let table = Table::new();
    let id = table.propose_done();
    let vote = |name: &str, evidence: &str| {
        let base = ["review", "vote", &id, "--as", name, "--role", name, "--vote", "green"];
        table.run(&[&base[..], &["--rationale", "r", "--evidence", evidence, "--json"]].concat())
    };
    let absent = [
        format!("ucxl://mi:council@calc:P-1/sha256:{}#/report.txt", "ab".repeat(32)),
        format!("ucxl://mi:council@calc:P-1/blake3:{}#/report.txt", "ab".repeat(32)),
    ];
    for absent in &absent {
        let before = table.status(&id);
        let refused = vote("qa", absent).expect_exit(4);
        assert!(
            refused.err().contains("rule `evidence`") && refused.err().contains("cite the file"),
            "{refused}"
        );
        assert_eq!(table.status(&id), before);
        table.run(&["dr", "new", "--title", "t", "--cite", absent]).expect_exit(4);
        // One that is here does not make up for another that is not.
        let both =
            ["review", "vote", &id, "--as", "qa", "--role", "qa", "--vote", "green", "--rationale", "r"];
        let both = [&both[..], &["--evidence", "report.txt", "--evidence", absent]].concat();
        table.refused(&id, 4, "evidence", &both);
    }
    let decision =
        table.run(&["dr", "new", "--title", "t", "--json", "--cite", "report.txt"]).expect_exit(0).json();
    vote("qa", decision["cites"][0]["address"].as_str().unwrap()).expect_exit(0);
    vote("security", decision["address"].as_str().unwrap()).expect_exit(0);
    vote("owner", "ucxl://arbiter:architect@CHORUS:2.0.0/#/planning/contracts.md#CHORUS-INT-004")
        .expect_exit(0);
    table.run(&["deliver", &id, "--out", "packet"]).expect_exit(0);
    let votes = fs::read_to_string(table.project.path().join("packet/votes.md")).unwrap();
    assert_eq!(votes.matches("(unchecked: a version, kept elsewhere)").count(), 1, "{votes}");
    let kept =
        decision["cites"][0]["address"].as_str().unwrap().split_once("sha256:").unwrap().1[..64].to_owned();
    fs::write(table.home.path().join("store/sha256").join(&kept[..2]).join(&kept[2..]), "forged").unwrap();
    let other = table.propose(&[]);
    let address = decision["cites"][0]["address"].as_str().unwrap();
    let base =
        ["review", "vote", &other, "--as", "qa", "--role", "qa", "--vote", "green", "--rationale", "r"];
    table.refused(&other, 4, "evidence", &[&base[..], &["--evidence", address]].concat());
}

/// A pipe or a folder is no evidence, and nobody waits for one.
#[test]
fn mi_council_015_only_files_are_evidence() {
    let table = Table::new();
    let id = table.propose(&[]);
    assert!(table.project.passes("mkfifo pipe && mkdir folder"));
    for path in ["pipe", "folder", "."] {
        let vote =
            ["review", "vote", &id, "--as", "qa", "--role", "qa", "--vote", "green", "--rationale", "r"];
        table.refused(&id, 2, "evidence", &[&vote[..], &["--evidence", path]].concat());
        let record = format!("tests={path}");
        table.refused(&id, 2, "evidence", &["review", "evidence", &id, &record]);
        let propose = ["propose", "calc.py", "--title", "t", "--author", "ann", "--evidence", &record];
        table.refused(&id, 2, "evidence", &propose);
    }
    table.run(&["propose", "pipe", "--title", "t", "--author", "ann"]).expect_exit(2);
}

/// Two writers at once: every vote is kept, numbers are never given twice, and the chain holds.
#[test]
fn council_two_writers_at_once() {
    let table = Table::new();
    let id = table.propose(&[]);
    thread::scope(|scope| {
        for writer in 0..6 {
            let (table, id) = (&table, &id);
            scope.spawn(move || {
                table.vote(id, &format!("v{writer}"), "qa", "green").expect_exit(0);
                table.propose(&[]);
            });
        }
    });
    assert_eq!(table.status(&id)["votes"].as_object().unwrap().len(), 6);
    let list = table.run(&["review", "status", "--json"]).expect_exit(0).json();
    let mut ids: Vec<&str> = list.as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 7);
    table.run(&["verify"]).expect_exit(0);
}

/// A council's log that was edited is found by `mi verify`, and nothing is delivered from it.
#[test]
fn council_an_edited_log_is_found() {
    let table = Table::new();
    let id = table.propose_done();
    table.votes(&id, "qa:green owner:green security:red");
    let log = council_log(&table.home.path());
    let honest = fs::read_to_string(&log).unwrap();
    let vote = honest.lines().find(|line| line.contains("\"name\":\"qa\"")).unwrap();
    let forged = vote.replace("\"name\":\"qa\"", "\"name\":\"eve\"");
    let without =
        |word: &str| honest.lines().filter(|line| !line.contains(word)).collect::<Vec<_>>().join("\n") + "\n";
    let out = table.project.path().join("packet");
    for spoiled in [
        honest.replace("\"vote\":\"red\"", "\"vote\":\"green\""),
        format!("{honest}{forged}\n"),
        without("\"vote\":\"red\""),
        without("\"name\":\"owner\""),
    ] {
        fs::write(&log, &spoiled).unwrap();
        table.run(&["verify"]).expect_exit(1);
        for arguments in [
            vec!["review", "status", &id],
            vec!["review", "status"],
            vec!["deliver", &id, "--out", out.to_str().unwrap()],
            vec!["dr", "new", "--kind", "approval", "--for", &id, "--title", "x"],
        ] {
            let said = table.run(&arguments).expect_exit(1);
            assert!(said.err().contains("cannot be relied on"), "{arguments:?}: {said}");
        }
        table.vote(&id, "bob", "perf", "green").expect_exit(1);
        assert_eq!(fs::read_to_string(&log).unwrap(), spoiled, "nothing was written into it");
        assert!(!out.exists());
    }
    fs::write(&log, &honest).unwrap();
    assert_eq!(table.phase(&id), "REVIEW", "the honest log is trusted again");
}

/// A log that is gone altogether is told by its head: nobody is told that there never was a proposal, and no number is
/// given a second time.
#[test]
fn council_a_log_that_is_gone_is_told() {
    let table = Table::new();
    let id = table.propose_done();
    table.votes(&id, "qa:red");
    let log = council_log(&table.home.path());
    let honest = fs::read(&log).unwrap();
    fs::remove_file(&log).unwrap();
    for arguments in [
        vec!["review", "status", &id],
        vec!["review", "status"],
        vec!["dr", "list"],
        vec!["propose", "calc.py", "--title", "t", "--author", "ann"],
        vec!["dr", "new", "--title", "x"],
        vec!["deliver", &id, "--out", "packet"],
    ] {
        let said = table.run(&arguments).expect_exit(1);
        assert!(said.err().contains("cannot be relied on"), "{arguments:?}: {said}");
        assert!(!log.exists(), "{arguments:?}");
    }
    fs::write(&log, honest).unwrap();
    assert_eq!(table.blockers(&id)[0], "red:qa");
}

/// A checkpoint is a shortcut: one that was edited is passed over, and the log is read.
#[test]
fn council_an_edited_checkpoint_is_not_believed() {
    let table = Table::new();
    let id = table.propose(&[]);
    let text = fs::read_to_string(council_log(&table.home.path())).unwrap();
    table.vote(&id, "sam", "security", "red").expect_exit(0);
    for number in 0..70 {
        table.vote(&id, &format!("p{}", number % 3), "qa", "green").expect_exit(0);
    }
    let honest = table.status(&id);
    let checkpoint = council_log(&table.home.path()).with_file_name(format!("council/{id}.checkpoint"));
    let kept = fs::read_to_string(&checkpoint).unwrap();
    assert!(kept.contains("\nrs.0=sam\n") && text.len() < kept.len(), "{kept}");
    fs::write(&checkpoint, kept.replace("\nrs.0=sam\n", "\ngs.0=sam\n")).unwrap();
    assert_eq!(table.status(&id), honest);
}

/// Agents vote with one JSON object each; what they get wrong is no vote; a disagreement is shown.
#[test]
fn council_agents_vote_and_their_disagreement_is_shown() {
    let table = Table::new();
    let id = table.propose(&[]);
    let vote = r#"{"vote":"COLOUR","rationale":"read it","evidence_refs":["calc.py#L1"],"mitigations":[{"text":"fix","owner":"dev","due":2}],"scope":null}"#;
    for (name, colour) in [("kind.sh", "green"), ("strict.sh", "red")] {
        let text = format!("#!/bin/sh\ncat > {name}.prompt\necho '{}'\n", vote.replace("COLOUR", colour));
        table.project.write(name, text);
    }
    table
        .project
        .write("chatty.sh", format!("cat > /dev/null\necho 'Sure! {}'\n", vote.replace("COLOUR", "green")));
    table.run(&["review", "request", &id, "--by", "exec:sh kind.sh"]).expect_exit(2);
    let asked = ["review", "request", &id, "--by", "exec:sh chatty.sh", "--roles", "qa", "--json"];
    let answer = table.run(&asked).expect_exit(3).json();
    assert_eq!(answer["votes"][0]["vote"], json!(null), "{answer}");
    assert_eq!(table.status(&id)["votes"], json!({}));
    fs::rename(table.project.path().join("kind.sh"), table.project.path().join("kind")).unwrap();
    fs::rename(table.project.path().join("strict.sh"), table.project.path().join("strict")).unwrap();
    assert!(table.project.passes("chmod +x kind strict"));
    let both =
        ["review", "request", &id, "--by", "exec:./kind,exec:./strict", "--roles", "owner,qa", "--json"];
    let answer = table.run(&both).expect_exit(0).json();
    assert_eq!(answer["disagree"], true);
    let status = table.status(&id);
    assert_eq!(
        (status["votes"]["kind"]["vote"].as_str(), status["votes"]["strict"]["vote"].as_str()),
        (Some("green"), Some("red"))
    );
    let prompt = fs::read_to_string(table.project.path().join("kind.sh.prompt")).unwrap();
    assert!(prompt.contains("Reviewer behavior") && prompt.contains("return a - b"), "{prompt}");
}
