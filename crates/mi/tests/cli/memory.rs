//! `mi memory`: keeping, finding and forgetting what the project learned.

use mi_test_support::{Mi, MiOutput, TempHome, TempProject};
use serde_json::{Value, json};
use std::{fs, process::Command};

const LOCKS: &str = "Take the plan lock before the task lock, or two servers deadlock.";
const NOTE: &str = ".nexus/memory/empirical-lock-order.md";

struct Scene {
    home: TempHome,
    project: TempProject,
}

impl Scene {
    fn new() -> Self {
        Self { home: TempHome::new(), project: TempProject::python() }
    }

    fn mi(&self, arguments: &[&str]) -> MiOutput {
        let all = ["memory"].iter().chain(arguments);
        Mi::new(env!("CARGO_BIN_EXE_mi"), &self.home)
            .cwd(self.project.path())
            .env("MI_NOW", "2026-06-01T00:00:00Z")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .run(all)
    }

    fn json(&self, arguments: &[&str]) -> Value {
        self.mi(&[arguments, &["--json"]].concat()).expect_exit(0).json()
    }

    fn save(&self, name: &str, text: &str) {
        self.mi(&["save", name, text, "--new"]).expect_exit(0);
    }

    /// A log of reads as a hook leaves it.
    fn reads(&self, harness: &str, lines: &[(&str, &str, u64, &str)]) {
        let folder = self.project.path().join(".nexus/memory");
        let text: String = lines
            .iter()
            .map(|(name, time, count, agent)| {
                let path = folder.join(name);
                json!({"path": path, "last_accessed_ts": time, "access_count": count, "last_agent": agent})
                    .to_string()
                    + "\n"
            })
            .collect();
        self.project.write(&format!(".nexus/state/{harness}/memory-access.jsonl"), text);
    }

    fn cycles(&self, times: &[&str]) {
        let cycles: Vec<Value> = times
            .iter()
            .map(|time| json!({"schema_version": "0.10", "completed_at": time, "branch": "main", "plan": null, "tasks": []}))
            .collect();
        self.project.write(".nexus/history.json", json!({"cycles": cycles}).to_string());
    }

    /// Makes a note look as if it was last changed long ago.
    fn age(&self, name: &str) {
        let path = self.project.path().join(".nexus/memory").join(name);
        let file = fs::File::options().append(true).open(path).expect("the note was saved");
        let long_ago = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
        file.set_modified(long_ago).expect("set the time of a file");
    }

    fn has(&self, path: &str) -> bool {
        self.project.path().join(path).exists()
    }
}

/// A lesson is kept, listed, shown and found, for people and for programs.
#[test]
fn nx_280_a_lesson_is_kept_and_found() {
    let scene = Scene::new();
    let saved = scene.json(&["save", "empirical-lock-order", LOCKS, "--tag", "locks"]);
    assert_eq!((&saved["saved"], &saved["action"]), (&json!(true), &json!("create")));
    assert_eq!(scene.project.read(NOTE), format!("<!-- tags: locks -->\n{LOCKS}\n"));
    let listed = scene.json(&["list"]);
    assert_eq!(listed["notes"][0]["category"], "empirical");
    assert_eq!(listed["notes"][0]["tags"], json!(["locks"]));
    assert!(scene.mi(&["list"]).expect_exit(0).out().contains("empirical-lock-order.md"));
    assert!(scene.mi(&["show", "empirical-lock-order"]).expect_exit(0).out().contains(LOCKS));
    assert!(scene.json(&["show", "empirical-lock-order.md"])["text"].as_str().unwrap().contains(LOCKS));
    let found = scene.mi(&["search", "deadlocks"]).expect_exit(0).out();
    assert!(
        found.contains("memory") && found.contains(&format!("{NOTE}:2")) && found.contains("two servers"),
        "{found}"
    );
    scene.mi(&["show", "no-such-note"]).expect_exit(1);
    assert!(scene.mi(&["search", "zebra"]).expect_exit(0).out().contains("Nothing was found"));
    scene.mi(&["search", "?!"]).expect_exit(2);
}

/// A person's own look is no observation: only agents' reads are, through their hooks (NX-320).
#[test]
fn nx_320_looking_records_no_read() {
    let scene = Scene::new();
    scene.save("lock-order", LOCKS);
    scene.mi(&["show", "lock-order"]).expect_exit(0);
    scene.mi(&["search", "lock"]).expect_exit(0);
    scene.mi(&["list"]).expect_exit(0);
    let state = fs::read_dir(scene.project.path().join(".nexus/state")).unwrap();
    assert_eq!(state.filter(|entry| entry.as_ref().unwrap().path().is_dir()).count(), 0);
}

/// Where a note overlaps, the preview shows the file and its new text, and waits (exit 3); then each decision works.
#[test]
fn nx_332_overlap_waits_for_a_decision() {
    let scene = Scene::new();
    scene.save("empirical-lock-order", LOCKS);
    let second = "Take the plan lock before the task lock also when reading.";
    let shown = scene.mi(&["save", "empirical-lock-readers", second]).expect_exit(3).out();
    for part in
        ["empirical-lock-order.md would become", "## Lock readers", second, "--new", "Nothing was written"]
    {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(shown.lines().all(|line| line.chars().count() <= 100), "{shown}");
    assert_eq!(scene.project.read(NOTE), format!("{LOCKS}\n"));
    let program = scene.mi(&["save", "empirical-lock-readers", second, "--json"]).expect_exit(3).json();
    assert_eq!((&program["saved"], &program["name"]), (&json!(false), &json!("empirical-lock-order.md")));
    scene.mi(&["save", "empirical-lock-readers", second, "--dry-run"]).expect_exit(0);
    assert_eq!(scene.project.read(NOTE), format!("{LOCKS}\n"));
    scene.mi(&["save", "empirical-lock-readers", second, "--merge"]).expect_exit(0);
    assert!(scene.project.read(NOTE).ends_with(&format!("## Lock readers\n\n{second}\n")));
    let again = scene.mi(&["save", "empirical-lock-readers", second, "--yes"]).expect_exit(0).out();
    assert!(again.contains("has this already"), "{again}");
    scene.mi(&["save", "other-thing", "Quite another thing.", "--merge=empirical-lock-order"]).expect_exit(0);
    assert!(scene.project.read(NOTE).contains("## Other thing"));
    scene.mi(&["save", "other-thing", "x y z", "--merge=no-such-note"]).expect_exit(2);
    scene.mi(&["save", "other-thing", "x y z", "--merge", "--new"]).expect_exit(2);
    scene.mi(&["save", "empirical-lock-order", "Else.", "--new"]).expect_exit(2);
}

/// Bad names are usage errors; what is no memory is denied; secrets even with force, and they are not repeated.
#[test]
fn nx_328_nx_331_what_is_refused() {
    let scene = Scene::new();
    let bad = scene.mi(&["save", "lock-order-v2", LOCKS]).expect_exit(2).err();
    assert!(bad.contains("version number"), "{bad}");
    let copied = scene.project.read("test_calc.py");
    let denied = scene.mi(&["save", "test-file-copy", &copied]).expect_exit(4).err();
    assert!(denied.contains("test_calc.py") && denied.contains("--force"), "{denied}");
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let secret =
        scene.mi(&["save", "deploy-token-place", &format!("It is {token}."), "--force"]).expect_exit(4);
    assert!(
        secret.err().contains("github") && !secret.err().contains(&token) && !secret.out().contains(&token)
    );
    let program = scene.mi(&["save", "deploy-token-place", &token, "--json"]).expect_exit(4).out();
    assert!(!program.contains(&token) && program.contains("\"exit\":4"), "{program}");
    assert!(!scene.has(".nexus/memory"));
    scene.mi(&["save", "test-file-copy", &copied, "--force"]).expect_exit(0);
}

/// Text comes from an argument, a file or standard input.
#[test]
fn text_comes_from_anywhere() {
    let scene = Scene::new();
    let file = scene.project.write("notes.txt", "先取计划锁，再取任务锁。");
    scene.mi(&["save", "lock-order-here", "--file", file.to_str().unwrap(), "--force"]).expect_exit(0);
    let mi =
        Mi::new(env!("CARGO_BIN_EXE_mi"), &scene.home).cwd(scene.project.path()).stdin("A giraffe is tall.");
    mi.run(["memory", "save", "giraffe-height-note", "-"]).expect_exit(0);
    assert_eq!(scene.json(&["search", "giraffe"])["hits"][0]["name"], "giraffe-height-note.md");
    assert_eq!(scene.json(&["search", "计划锁"])["hits"][0]["name"], "lock-order-here.md");
    scene.mi(&["save", "some-other-thing", "--file", "/nonexistent"]).expect_exit(2);
    scene.mi(&["save", "some-other-thing"]).expect_exit(2);
}

/// One search covers notes, cycles and what was learned from the person, and says which.
#[test]
fn one_search_covers_all_memories() {
    let scene = Scene::new();
    scene.save("empirical-upload-chunks", "Uploads in chunks of 8 MiB are fastest.");
    let mi = Mi::new(env!("CARGO_BIN_EXE_mi"), &scene.home).cwd(scene.project.path());
    mi.run(["learned", "add", "Ask before changing the upload chunks."]).expect_exit(0);
    let cycle = json!({"completed_at": "2026-02-03T00:00:00Z", "branch": "main", "tasks": [],
        "plan": {"id": 1, "topic": "Upload chunks", "issues": [], "created_at": "2026-02-03T00:00:00Z"}});
    scene.project.write(".nexus/history.json", json!({"cycles": [cycle]}).to_string());
    let found = scene.json(&["search", "upload", "chunks"]);
    let mut from: Vec<&str> =
        found["hits"].as_array().unwrap().iter().map(|hit| hit["from"].as_str().unwrap()).collect();
    from.sort_unstable();
    assert_eq!(from, ["history", "learned", "memory"], "{found}");
    let text = scene.mi(&["search", "upload chunks"]).expect_exit(0).out();
    assert!(text.contains("cycle 1 (2026-02-03, main)") && text.contains("learned, this project"), "{text}");
    assert_eq!(scene.json(&["search", "upload", "--in", "learned,history"])["total"], 2);
    assert_eq!(scene.json(&["search", "upload", "-n", "1"])["showing"], 1);
}

/// Without being told to delete, `gc` shows every signal and deletes nothing.
#[test]
fn nx_333_gc_shows_and_deletes_nothing() {
    let scene = Scene::new();
    scene.save("empirical-lock-order", LOCKS);
    scene.save("never-read-note", "Nobody reads this giraffe.");
    scene.age("empirical-lock-order.md");
    scene.cycles(&["2026-01-01T00:00:00Z", "2026-03-01T00:00:00Z", "2026-04-01T00:00:00Z"]);
    scene.reads("one", &[("empirical-lock-order.md", "2026-02-01T00:00:00Z", 2, "engineer")]);
    scene.reads("two", &[("empirical-lock-order.md", "2026-01-15T00:00:00Z", 1, "tester")]);
    let shown = scene.json(&["gc"]);
    let lock = &shown["candidates"][0];
    assert_eq!(
        json!([
            lock["name"],
            lock["cycles_since_read"],
            lock["read_count"],
            lock["last_agent"],
            lock["age_days"]
        ]),
        json!(["empirical-lock-order.md", 2, 3, "engineer", 929]),
        "{shown}"
    );
    let text = scene.mi(&["gc"]).expect_exit(0).out();
    assert!(text.contains("engineer") && text.contains("Nothing was deleted"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 110), "{text}");
    assert!(scene.has(NOTE));
}

/// A deletion is a commit of this one file, whatever else is staged or edited; its command brings the note back; its
/// access line goes, those of others stay.
#[test]
fn nx_335_nx_337_a_deletion_is_a_commit_that_can_be_undone() {
    let scene = Scene::new();
    scene.save("empirical-lock-order", LOCKS);
    scene.save("other-giraffe-note", "A giraffe.");
    scene.project.commit("Notes");
    scene.reads(
        "one",
        &[
            ("empirical-lock-order.md", "2026-02-01T00:00:00Z", 2, "engineer"),
            ("other-giraffe-note.md", "2026-02-01T00:00:00Z", 1, "x"),
        ],
    );
    scene.project.write("staged.txt", "staged");
    scene.project.git(&["add", "staged.txt"]);
    scene.project.write("calc.py", "edited");
    let before = scene.project.git(&["rev-parse", "HEAD"]);
    let deleted = scene.json(&["gc", "--delete", "empirical-lock-order"]);
    assert!(!scene.has(NOTE));
    assert_eq!(scene.project.git(&["diff", "--name-status", before.trim(), "HEAD"]), format!("D\t{NOTE}\n"));
    assert_eq!(scene.project.git(&["rev-list", "--count", &format!("{}..HEAD", before.trim())]).trim(), "1");
    assert_eq!(scene.project.git(&["status", "--porcelain"]), " M calc.py\nA  staged.txt\n");
    let message = scene.project.git(&["log", "-1", "--format=%B"]);
    let recover = deleted["deleted"][0]["recover"].as_str().unwrap();
    assert!(message.contains(recover) && message.contains("read 2 times, last by engineer"), "{message}");
    let log = scene.project.read(".nexus/state/one/memory-access.jsonl");
    assert!(!log.contains("lock-order") && log.contains("giraffe"), "{log}");
    let recovered =
        Command::new("sh").args(["-c", recover]).current_dir(scene.project.path().join(".nexus")).status();
    assert!(recovered.unwrap().success());
    assert_eq!(scene.project.read(NOTE), format!("{LOCKS}\n"));
}

/// Content that git does not have yet is committed first, alone, so that it can be brought back.
#[test]
fn nx_335_uncommitted_content_is_kept_before_it_is_deleted() {
    let scene = Scene::new();
    for state in ["untracked", "edited"] {
        scene.save("empirical-lock-order", LOCKS);
        if state == "edited" {
            scene.project.commit("Note");
            scene.project.write(NOTE, "edited since");
        }
        let content = scene.project.read(NOTE);
        let text = scene.mi(&["gc", "--delete", "empirical-lock-order.md"]).expect_exit(0).out();
        assert!(!scene.has(NOTE), "{state}");
        let recover = text.lines().last().unwrap().trim();
        assert!(
            Command::new("sh")
                .args(["-c", recover])
                .current_dir(scene.project.path())
                .status()
                .unwrap()
                .success()
        );
        assert_eq!(scene.project.read(NOTE), content, "{state}");
        scene.project.git(&["rm", "--quiet", "--force", NOTE]);
        scene.project.commit("Away");
    }
}

/// Without git, or where git ignores the note, nothing is deleted, and it is said what to do.
#[test]
fn nx_335_what_git_cannot_give_back_is_not_deleted() {
    let scene = Scene { home: TempHome::new(), project: TempProject::not_git() };
    scene.save("empirical-lock-order", LOCKS);
    let said = scene.mi(&["gc", "--delete", "empirical-lock-order"]).expect_exit(3).err();
    assert!(said.contains("git init") && scene.has(NOTE), "{said}");
    let scene = Scene::new();
    scene.project.write(".gitignore", ".nexus/\n");
    scene.save("empirical-lock-order", LOCKS);
    let said = scene.mi(&["gc", "--delete", "empirical-lock-order"]).expect_exit(3).err();
    assert!(said.contains("ignores") && scene.has(NOTE), "{said}");
    scene.mi(&["gc", "--delete", "no-such-note"]).expect_exit(2);
    scene.mi(&["gc", "--delete", "../../calc.py"]).expect_exit(2);
    assert!(scene.has("calc.py"));
}

/// A repository without a commit, one in the middle of a merge, and a project below the top of its repository.
#[test]
fn nx_335_deletion_works_in_odd_repositories() {
    let scene = Scene { home: TempHome::new(), project: TempProject::not_git() };
    scene.project.git(&["init", "--quiet"]);
    scene.save("empirical-lock-order", LOCKS);
    scene.mi(&["gc", "--delete", "empirical-lock-order"]).expect_exit(0);
    assert_eq!(scene.project.git(&["rev-list", "--count", "HEAD"]).trim(), "2");

    let scene = Scene::new();
    scene.save("empirical-lock-order", LOCKS);
    scene.project.commit("Note");
    scene.project.git(&["checkout", "--quiet", "-b", "side", "HEAD~1"]);
    scene.project.write("side.txt", "x");
    scene.project.commit("Side");
    scene.project.git(&["checkout", "--quiet", "main"]);
    scene.project.git(&["merge", "--quiet", "--no-commit", "--no-ff", "side"]);
    scene.mi(&["gc", "--delete", "empirical-lock-order"]).expect_exit(0);
    assert_eq!(scene.project.git(&["status", "--porcelain"]), "A  side.txt\n");
    assert!(scene.has(".git/MERGE_HEAD"));

    let scene = Scene::new();
    let below = scene.project.path().join("it's deep");
    fs::create_dir(&below).unwrap();
    let mi = |arguments: &[&str]| {
        Mi::new(env!("CARGO_BIN_EXE_mi"), &scene.home).cwd(&below).run(arguments).expect_exit(0)
    };
    mi(&["memory", "save", "lock-order", LOCKS]);
    let deleted = mi(&["memory", "gc", "--delete", "lock-order", "--json"]).json();
    let recover = deleted["deleted"][0]["recover"].as_str().unwrap().to_owned();
    assert!(!below.join(".nexus/memory/lock-order.md").exists());
    assert!(Command::new("sh").args(["-c", &recover]).current_dir(&below).status().unwrap().success());
    assert!(below.join(".nexus/memory/lock-order.md").exists());
}

/// Two notes become one in one commit; the reads of both count for it.
#[test]
fn nx_337_notes_are_merged() {
    let scene = Scene::new();
    scene.save("empirical-lock-order", LOCKS);
    scene.save("lock-readers", "Readers need no lock.");
    scene.project.commit("Notes");
    scene.reads(
        "one",
        &[
            ("empirical-lock-order.md", "2026-02-01T00:00:00Z", 2, "a"),
            ("lock-readers.md", "2026-03-01T00:00:00Z", 3, "b"),
        ],
    );
    let text = scene.mi(&["gc", "--merge", "empirical-lock-order", "lock-readers"]).expect_exit(0).out();
    assert!(text.contains("merged into empirical-lock-order.md"), "{text}");
    assert_eq!(scene.project.read(NOTE), format!("{LOCKS}\n\n## Lock readers\n\nReaders need no lock.\n"));
    assert!(!scene.has(".nexus/memory/lock-readers.md"));
    assert_eq!(scene.project.git(&["status", "--porcelain", ".nexus/memory"]), "");
    let access = scene.json(&["access"]);
    assert_eq!(access["records"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&access["records"][0]["access_count"], &access["records"][0]["last_agent"]),
        (&json!(5), &json!("b"))
    );
    scene.mi(&["gc", "--merge", "empirical-lock-order", "empirical-lock-order"]).expect_exit(2);
}

const AUTOMATIC: &str =
    "[memory.gc]\nautomatic = true\nage_days = 90\ncycles_since_read = 2\nreads_below = 2\n";

/// Automatic deletion is off until a person switches it on, with all three signals; fewer are refused when loaded.
#[test]
fn nx_333_nx_334_automatic_deletion_is_opt_in_and_needs_three_signals() {
    let scene = Scene::new();
    scene.save("empirical-lock-order", LOCKS);
    scene.age("empirical-lock-order.md");
    let off = scene.mi(&["gc", "--auto"]).expect_exit(3).err();
    assert!(off.contains("switched off"), "{off}");
    for few in ["automatic = true\n", "automatic = true\nage_days = 1\n", "age_days = 1\nreads_below = 9\n"] {
        scene.home.write_config(&format!("[memory.gc]\n{few}"));
        for command in [&["gc"][..], &["gc", "--auto"], &["list"]] {
            let refused = scene.mi(command).expect_exit(2).err();
            assert!(refused.contains("three signals"), "{refused}");
        }
    }
    scene.home.write_config("");
    scene.project.write(".mi/config.toml", AUTOMATIC);
    let cloned = scene.mi(&["gc", "--auto"]).expect_exit(3).err();
    assert!(cloned.contains("set it in your own config.toml"), "{cloned}");
    assert!(scene.has(NOTE));
}

/// Only a note that is old, unread for cycles and seldom read is deleted; one or two of these are not enough.
#[test]
fn nx_334_three_signals_at_once_delete() {
    let scene = Scene::new();
    scene.home.write_config(AUTOMATIC);
    for name in ["stale-giraffe-note", "young-zebra-note", "popular-lion-note", "recent-tiger-note"] {
        scene.save(name, &format!("About {name}."));
        if name != "young-zebra-note" {
            scene.age(&format!("{name}.md"));
        }
    }
    scene.cycles(&["2026-02-02T00:00:00Z", "2026-03-01T00:00:00Z", "2026-04-01T00:00:00Z"]);
    scene.reads(
        "one",
        &[
            ("stale-giraffe-note.md", "2026-02-01T00:00:00Z", 1, "a"),
            ("young-zebra-note.md", "2026-02-01T00:00:00Z", 1, "a"),
            ("popular-lion-note.md", "2026-02-01T00:00:00Z", 9, "a"),
            ("recent-tiger-note.md", "2026-03-15T00:00:00Z", 1, "a"),
        ],
    );
    let shown = scene.json(&["gc", "--auto", "--dry-run"]);
    assert_eq!(shown["candidates"].as_array().unwrap().len(), 1, "{shown}");
    assert!(scene.has(".nexus/memory/stale-giraffe-note.md"));
    let deleted = scene.json(&["gc", "--auto"]);
    assert_eq!(deleted["deleted"][0]["name"], "stale-giraffe-note.md");
    assert_eq!(deleted["deleted"].as_array().unwrap().len(), 1);
    assert_eq!(scene.json(&["list"])["notes"].as_array().unwrap().len(), 3);
    assert!(scene.mi(&["gc", "--auto"]).expect_exit(0).out().contains("No note is stale"));
}

/// Where nobody observes reads, nothing is deleted automatically, however old it is.
#[test]
fn nx_336_without_observed_reads_nothing_is_deleted() {
    let scene = Scene::new();
    scene.home.write_config(AUTOMATIC);
    scene.save("empirical-lock-order", LOCKS);
    scene.age("empirical-lock-order.md");
    scene.cycles(&["2026-02-02T00:00:00Z", "2026-03-01T00:00:00Z", "2026-04-01T00:00:00Z"]);
    let said = scene.mi(&["gc", "--auto"]).expect_exit(3).err();
    assert!(said.contains("observes") && scene.has(NOTE), "{said}");
}

/// A note that was never read is unread only since reads are known to be observed.
#[test]
fn nx_336_cycles_before_observation_do_not_count() {
    let scene = Scene::new();
    scene.home.write_config(AUTOMATIC);
    scene.save("never-read-note", "Nobody has read this giraffe.");
    scene.save("other-zebra-note", "Somebody read this zebra.");
    scene.age("never-read-note.md");
    scene.cycles(&["2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z", "2026-04-02T00:00:00Z"]);
    scene.reads("one", &[("other-zebra-note.md", "2026-04-01T00:00:00Z", 1, "a")]);
    assert!(scene.mi(&["gc", "--auto"]).expect_exit(0).out().contains("No note is stale"));
    assert!(scene.has(".nexus/memory/never-read-note.md"));
}

/// The logs of all harnesses are shown together; lines that are none are told and kept.
#[test]
fn nx_162_nx_325_access_is_read_together() {
    let scene = Scene::new();
    assert!(scene.mi(&["access"]).expect_exit(0).out().contains("No read"));
    scene.reads("one", &[("lock-order.md", "2026-02-01T00:00:00Z", 2, "engineer")]);
    scene.reads("two", &[("lock-order.md", "2026-03-01T00:00:00Z", 3, "tester")]);
    let path = ".nexus/state/two/memory-access.jsonl";
    let broken = format!("{}garbage\n", scene.project.read(path));
    scene.project.write(path, &broken);
    let shown = scene.mi(&["access"]).expect_exit(0);
    assert!(
        shown.out().contains("lock-order.md")
            && shown.out().contains("5 reads")
            && shown.out().contains("tester")
    );
    assert!(shown.err().contains("memory-access.jsonl:2"), "{}", shown.err());
    assert_eq!(scene.project.read(path), broken);
}

/// Two logs merge by path: counts added, the latest read and its reader win, odd lines told and kept.
#[test]
fn nx_325_two_logs_merge() {
    let scene = Scene::new();
    let line = |path: &str, time: &str, count: u64, agent: &str| {
        json!({"path": path, "last_accessed_ts": time, "access_count": count, "last_agent": agent})
            .to_string()
            + "\n"
    };
    scene.project.write("one.jsonl", line("/m/a.md", "2026-01-01T00:00:00Z", 2, "x") + "odd\n");
    let two =
        line("/m/b.md", "2026-01-01T00:00:00Z", 1, "y") + &line("/m/a.md", "2026-02-01T00:00:00Z", 3, "z");
    scene.project.write("two.jsonl", two);
    let printed = scene.mi(&["merge-log", "one.jsonl", "two.jsonl"]).expect_exit(0);
    let lines: Vec<String> = printed.out().lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    let first: Value = serde_json::from_str(&lines[0]).unwrap();
    assert_eq!(
        first,
        json!({"path": "/m/a.md", "last_accessed_ts": "2026-02-01T00:00:00.000Z", "access_count": 5, "last_agent": "z"})
    );
    assert!(lines.contains(&"odd".to_owned()) && printed.err().contains("one.jsonl:2"));
    scene.mi(&["merge-log", "one.jsonl", "two.jsonl", "--out", "both.jsonl"]).expect_exit(0);
    assert_eq!(scene.project.read("both.jsonl").trim_end(), printed.out().trim_end());
    scene.mi(&["merge-log", "one.jsonl", "two.jsonl", "--out", "both.jsonl"]).expect_exit(1);
    scene.mi(&["merge-log", "one.jsonl", "missing.jsonl"]).expect_exit(2);
    assert_eq!(scene.json(&["merge-log", "one.jsonl", "two.jsonl"])["records"].as_array().unwrap().len(), 2);
}

/// The contract's own rule that gc leaves context and rules alone.
#[test]
fn nx_338_gc_does_not_know_context_and_rules() {
    let scene = Scene::new();
    scene.project.write(".nexus/context/big-design.md", "x");
    scene.project.write(".nexus/rules/some-rule.md", "x");
    assert_eq!(scene.json(&["gc"])["candidates"], json!([]));
    for name in ["big-design", "../context/big-design", "some-rule"] {
        scene.mi(&["gc", "--delete", name]).expect_exit(2);
    }
    assert!(scene.has(".nexus/context/big-design.md") && scene.has(".nexus/rules/some-rule.md"));
}
