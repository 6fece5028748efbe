//! What the persona's commands print and keep, sentence by sentence of the specification, with the real program.

use mi_test_support::{Mi, MiOutput, Scratch, TempHome};
use serde_json::{Value, json};
use std::{fs, process::Command};

struct Scene {
    home: TempHome,
}

impl Scene {
    fn new() -> Self {
        let scene = Self { home: TempHome::new() };
        scene.mi(&["persona", "init"]).expect_exit(0);
        scene
    }

    fn program(&self) -> Mi {
        Mi::new(env!("CARGO_BIN_EXE_mi"), &self.home)
            .env("MI_NOW", "2026-01-10T08:00:00Z")
            .env("TZ", "UTC")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
    }

    fn mi(&self, arguments: &[&str]) -> MiOutput {
        self.program().run(arguments)
    }

    fn json(&self, arguments: &[&str]) -> Value {
        self.mi(&[arguments, &["--json"]].concat()).expect_exit(0).json()
    }

    fn read(&self, relative: &str) -> String {
        fs::read_to_string(self.home.path().join("persona").join(relative)).unwrap()
    }

    fn card(&self, id: &str, salience: u8) {
        let text = format!(
            "---\nid: {id}\ntype: heuristic\ntitle: {id}\nmerge_key: {id}\nsalience: {salience}\nsource: us\n---\n## content\nx\n"
        );
        self.home.write(&format!("persona/cards/heuristics/{id}.md"), &text);
    }
}

/// The day's log is the first log too, and says the seed's sentence.
#[test]
fn d_11_the_first_log_says_so_in_the_days_log() {
    let scene = Scene::new();
    let end = ["session", "end", "--completed", "x", "--next", "y"];
    scene.program().env("LANG", "zh_CN.UTF-8").run(end).expect_exit(0);
    let words = "首次session log,系统初始化完成";
    assert!(scene.read("sessions/2026-01/2026-01-10.md").contains(&format!("\n{words}\n")));
    scene.mi(&end).expect_exit(0);
    assert_eq!(scene.read("sessions/2026-01/2026-01-10.md").matches(words).count(), 1);
}

/// A card has every field of the contract, and a merged one keeps everybody who proposed and reviewed.
#[test]
fn d_04_cards_have_every_field_and_keep_their_reviewers() {
    let scene = Scene::new();
    let propose = |title: &str, by: &str, word: &str, text: &str| {
        let words = [
            "card",
            "propose",
            title,
            "--content",
            "Three times.",
            word,
            text,
            "--merge-key",
            "retry",
            "--as",
            by,
        ];
        scene.json(&words)["proposal"].as_str().unwrap().to_owned()
    };
    let first = propose("Retry limits", "ann", "--evidence", "Incident 12.");
    scene.mi(&["card", "review", &first, "--accept", "--as", "bob"]).expect_exit(0);
    let text = scene.read("cards/heuristics/H-001.md");
    for key in [
        "id: H-001\n",
        "type: heuristic\n",
        "title: \"Retry limits\"\n",
        "merge_key: \"retry\"\n",
        "aliases: []\n",
        "salience: 5\n",
        "created: \"2026-01-10\"\n",
        "last_reviewed: \"2026-01-10\"\n",
        "source: \"\"\n",
        "status: active\n",
    ] {
        assert!(text.contains(key), "{key}: {text}");
    }
    let second = propose("Retries", "bob", "--source", "the runbook");
    let merged = scene.json(&["card", "review", &second, "--accept", "--as", "ann"]);
    assert_eq!((&merged["merged"], &merged["card"]), (&true.into(), &"H-001".into()));
    let text = scene.read("cards/heuristics/H-001.md");
    for line in ["proposed_by: \"ann, bob\"", "reviewed_by: \"bob, ann\"", "source: \"the runbook\""] {
        assert!(text.contains(line), "{line}: {text}");
    }
}

/// The warning is in what programs read too; a broken card is told there and in the exit code.
#[test]
fn d_13_calibrate_says_the_same_to_programs() {
    let scene = Scene::new();
    assert_eq!(scene.json(&["card", "calibrate"])["warning"], Value::Null);
    (1..=3).for_each(|number| scene.card(&format!("H-00{number}"), 6));
    let spread = scene.json(&["card", "calibrate"]);
    assert!(spread["warning"].as_str().unwrap().contains("100 % of 3 cards have salience 5-7"), "{spread}");
    scene.home.write("persona/cards/heuristics/H-004.md", "---\nid: H-004\nid: H-005\n---\n");
    let broken = scene.mi(&["card", "calibrate", "--json"]).expect_exit(1).json();
    assert_eq!(broken["problems"][0]["message"], "`id` stands here twice; keep one", "{broken}");
}

/// A task that does not say what is to be done is not handed over; it goes back to the person.
#[test]
fn d_08_unclear_tasks_are_not_handed_over() {
    let scene = Scene::new();
    for task in ["make it better", "TBD"] {
        let words =
            ["handoff", "new", task, "--to", "bob", "--context", "c", "--criterion", "the tests pass"];
        let refused = scene.mi(&words).expect_exit(3);
        assert!(refused.err().contains("goes back to the person (D.8)"), "{}", refused.err());
    }
    assert_eq!(scene.json(&["handoff", "list"])["handoffs"], json!([]));
}

/// A first boot says each sentence once, also where there is more to say.
#[test]
fn d_02_first_boot_says_each_sentence_once() {
    let scene = Scene::new();
    scene.card("H-001", 5);
    let out = scene.mi(&["boot"]).expect_exit(0).out();
    assert_eq!((out.matches("Ready.").count(), out.matches("First start").count()), (1, 1), "{out}");
    assert_eq!(scene.json(&["boot"])["messages"].as_array().unwrap().len(), 2);
}

/// A mistyped remote is told and not kept: the right one can be given next.
#[test]
fn d_23_sync_keeps_no_remote_that_does_not_answer() {
    let scene = Scene::new();
    let remotes = Scratch::new("remotes");
    let (wrong, right) = (remotes.path().join("wrong.git"), remotes.path().join("right.git"));
    let failed = scene.mi(&["persona", "sync", "--remote", wrong.to_str().unwrap()]).expect_exit(1);
    assert!(failed.err().contains("wrong.git"), "{}", failed.err());
    assert!(!scene.home.path().join("persona/.git").exists());
    assert!(Command::new("git").args(["init", "--quiet", "--bare"]).arg(&right).status().unwrap().success());
    let synced = scene.json(&["persona", "sync", "--remote", right.to_str().unwrap()]);
    assert_eq!((&synced["committed"], &synced["pushed"]), (&true.into(), &true.into()));
}

/// One proposal or handoff that cannot be read is named, and takes neither the boot nor a session's log with it.
#[test]
fn d_02_an_unreadable_proposal_stops_nothing_else() {
    let scene = Scene::new();
    scene.home.write("persona/proposals/x.md", [0xff]);
    scene.home.write("persona/handoffs/y.md", "no front matter");
    let boot = scene.mi(&["boot", "--json"]).expect_exit(1).json();
    let paths: Vec<&str> = boot["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|problem| problem["path"].as_str().unwrap())
        .collect();
    assert_eq!(paths, ["proposals/x.md", "handoffs/y.md"]);
    assert_eq!(boot["loaded"].as_array().unwrap().len(), 4);
    scene.mi(&["session", "end", "--next", "y"]).expect_exit(0);
    scene.mi(&["card", "list", "--proposals"]).expect_exit(1);
    let lint = scene.mi(&["persona", "lint", "--json"]).expect_exit(1).json();
    let rules: Vec<(&str, &str)> = (lint["findings"].as_array().unwrap().iter())
        .map(|found| (found["path"].as_str().unwrap(), found["rule"].as_str().unwrap()))
        .collect();
    assert_eq!(rules, [("handoffs/y.md", "broken"), ("proposals/x.md", "broken")]);
}

/// A log of another window that cannot be read is told; one's own is written and ended all the same.
#[test]
fn d_11_another_windows_broken_log_stops_no_save() {
    let scene = Scene::new();
    scene.home.write("persona/sessions/2026-01/2026-01-10-slot-Z-x.md", [0xff]);
    let saved = scene.json(&["session", "end", "--completed", "a", "--next", "b"]);
    assert_eq!((&saved["ended"], saved["notes"].as_array().unwrap().len()), (&true.into(), 1), "{saved}");
    assert!(saved["notes"][0].as_str().unwrap().contains("2026-01-10-slot-Z-x.md"), "{saved}");
    assert!(scene.read("sessions/2026-01/2026-01-10.md").contains("- [A] a\n"));
    assert_eq!(scene.json(&["session", "list"])["open"], json!([]));
    scene.home.write("persona/core/principles.md", [0xff]);
    let lint = scene.mi(&["persona", "lint", "--json"]).expect_exit(1).json();
    assert_eq!(lint["findings"][0]["path"], "core/principles.md", "{lint}");
}

/// A list of open sessions that cannot be read is set aside and told, not forgotten in silence.
#[test]
fn d_11_a_broken_list_of_sessions_is_told() {
    let scene = Scene::new();
    scene.mi(&["session", "start"]).expect_exit(0);
    let states = fs::read_dir(scene.home.path().join("persona-state")).unwrap();
    let file = states.map(|state| state.unwrap().path().join("sessions.json")).next().unwrap();
    fs::write(&file, "garbage").unwrap();
    let listed = scene.mi(&["session", "list"]).expect_exit(0);
    assert!(listed.err().contains("sessions that were open are no longer known"), "{}", listed.err());
}

/// A merge by hand that is not finished is not sent; what the person has corrected is.
#[test]
fn d_23_sync_sends_no_unfinished_merge() {
    let (one, two) = (Scene::new(), Scene::new());
    let remotes = Scratch::new("remotes");
    let bare = remotes.path().join("persona.git");
    let git = |arguments: &[&str]| {
        let settings = ["-c", "user.name=x", "-c", "user.email=x@example.com"];
        Command::new("git").args(settings).args(arguments).output().unwrap().status.success()
    };
    assert!(git(&["init", "--quiet", "--bare", "--initial-branch=main", bare.to_str().unwrap()]));
    for (scene, text) in [(&one, "- one\n"), (&two, "- two\n")] {
        scene.mi(&["persona", "sync", "--remote", bare.to_str().unwrap()]).expect_exit(0);
        scene.home.write("persona/core/principles.md", text);
    }
    one.mi(&["session", "end", "--completed", "a"]).expect_exit(0);
    one.mi(&["persona", "sync"]).expect_exit(0);
    two.mi(&["session", "end", "--completed", "b"]).expect_exit(0);
    let conflict = two.mi(&["persona", "sync"]).expect_exit(3);
    let persona = two.home.path().join("persona");
    assert!(conflict.err().contains(&format!("PERSONA is {}", persona.display())), "{}", conflict.err());
    assert!(!git(&["-C", persona.to_str().unwrap(), "merge", "origin/main"]), "both sides changed it");
    let unfinished = two.mi(&["persona", "sync"]).expect_exit(3);
    assert!(unfinished.err().contains("core/principles.md still has both sides"), "{}", unfinished.err());
    two.home.write("persona/core/principles.md", "- one and two\n");
    two.mi(&["persona", "sync"]).expect_exit(0);
    one.mi(&["persona", "sync"]).expect_exit(0);
    assert_eq!(one.read("core/principles.md"), "- one and two\n");
    let day = one.read("sessions/2026-01/2026-01-10.md");
    assert!(day.contains("] a\n") && day.contains("] b\n") && !day.contains("<<<<<<<"), "{day}");
    assert_eq!(one.json(&["session", "list"])["total"], 3, "the day's log became no slot of its own");
}

/// The name of whoever commits is no word for shared files; a role is.
#[test]
fn d_10_the_committers_name_is_found() {
    let scene = Scene::new();
    scene.home.write("persona/core/principles.md", "- Ask Ann Miller before a release.\n");
    let lint = |name: &str| {
        let config = format!("[user]\n\tname = {name}\n");
        scene.home.write("gitconfig", &config);
        let file = scene.home.path().join("gitconfig");
        scene.program().env("GIT_CONFIG_GLOBAL", file.to_str().unwrap()).run(["persona", "lint", "--json"])
    };
    let found = lint("Ann Miller").expect_exit(1).json();
    assert_eq!(found["findings"][0]["rule"], "identifying-name", "{found}");
    lint("Bob").expect_exit(0);
}

/// `mi intake --json` tells the session's end beside the other signals, also where there is none.
#[test]
fn d_11_intake_prints_session_ends() {
    let scene = Scene::new();
    for (text, expected) in [
        ("收工", json!({"signal": true, "number": 1})),
        ("下次继续", json!({"signal": true, "number": 2})),
        ("goodbye", json!({"signal": true, "number": 3})),
        ("summarize the session", json!({"signal": true, "number": 4})),
        ("fix the parser", json!({"signal": false})),
    ] {
        assert_eq!(scene.json(&["intake", text])["session_end"], expected, "{text}");
    }
}
