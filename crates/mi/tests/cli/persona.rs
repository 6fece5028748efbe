//! `mi persona`, `mi boot`, `mi session`, `mi card`, `mi handoff`, with the real program, real git and real age.

use mi_test_support::{Mi, MiOutput, Scratch, TempHome, skipped};
use serde_json::Value;
use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::PathBuf,
    process::Command,
};

struct Scene {
    home: TempHome,
    persona: PathBuf,
    now: &'static str,
}

impl Scene {
    /// A fresh persona in a home of its own.
    fn new() -> Self {
        let scene = Self::empty();
        scene.mi(&["persona", "init"]).expect_exit(0);
        scene
    }

    fn empty() -> Self {
        let home = TempHome::new();
        let persona = home.path().join("persona");
        Self { home, persona, now: "2026-01-10T08:00:00Z" }
    }

    fn program(&self) -> Mi {
        Mi::new(env!("CARGO_BIN_EXE_mi"), &self.home)
            .env("MI_NOW", self.now)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
    }

    fn mi(&self, arguments: &[&str]) -> MiOutput {
        self.program().run(arguments)
    }

    fn json(&self, arguments: &[&str]) -> Value {
        self.mi(&[arguments, &["--json"]].concat()).expect_exit(0).json()
    }

    fn write(&self, relative: &str, text: &str) {
        self.home.write(&format!("persona/{relative}"), text);
    }

    fn read(&self, relative: &str) -> String {
        fs::read_to_string(self.persona.join(relative)).unwrap()
    }

    fn card(&self, id: &str, key: &str, salience: u8) {
        let (kind, folder) = match &id[..1] {
            "X" => ("axiom", "axioms"),
            "P" => ("principle", "principles"),
            "H" => ("heuristic", "heuristics"),
            _ => ("pattern", "patterns"),
        };
        let text = format!(
            "---\nid: {id}\ntype: {kind}\ntitle: About {key}\nmerge_key: {key}\naliases: []\nsalience: {salience}\ncreated: 2026-01-01\nlast_reviewed: 2026-01-02\nsource: us\nstatus: active\n---\n\n## content\n\nKnow {key}.\n\n## when it applies\n\nAlways.\n\n## when it bends\n\nNever.\n\n## evidence\n\nSeen.\n"
        );
        self.write(&format!("cards/{folder}/{id}.md"), &text);
    }
}

fn loaded(boot: &Value) -> Vec<String> {
    let items = boot["loaded"].as_array().unwrap();
    items.iter().map(|item| item["path"].as_str().unwrap().to_owned()).collect()
}

/// A first boot: templates, the seed's words in both languages, exit 0.
#[test]
fn d_02_first_boot_says_the_seeds_words() {
    let scene = Scene::new();
    let boot = scene.json(&["boot"]);
    assert_eq!(boot["first_boot"], true);
    assert_eq!(loaded(&boot)[..3], ["core/boot.md", "core/principles.md", "core/challenge-core.md"]);
    let chinese = scene.program().env("LANG", "zh_CN.UTF-8").run(["boot"]).expect_exit(0).out();
    assert!(
        chinese.contains("首次启动,无历史session。本次session结束时将创建第一份session log。"),
        "{chinese}"
    );
    assert!(chinese.contains("系统就绪。建议先完成一个小任务验证协作流程。"), "{chinese}");
    assert!(scene.mi(&["boot"]).expect_exit(0).out().contains("First start"));
    assert!(!scene.persona.join("sessions/2026-01").exists());
}

/// Two members, one persona: each gets the shared files and their own memory, in the order of the seed.
#[test]
fn d_02_d_04_boot_loads_in_order_and_only_ones_own_memory() {
    let scene = Scene::new();
    scene.mi(&["persona", "private", "write", "n.md", "ANNS THOUGHT", "--as", "ann"]).expect_exit(0);
    scene.mi(&["persona", "private", "write", "n.md", "BOBS THOUGHT", "--as", "bob"]).expect_exit(0);
    scene.card("X-001", "truth", 10);
    scene.card("H-001", "detail", 8);
    scene.mi(&["card", "index"]).expect_exit(0);
    scene.write("sessions/2026-01/2026-01-09.md", "## completed\n- x\n");
    let boot = scene.json(&["boot", "--member", "ann"]);
    assert_eq!(
        loaded(&boot),
        [
            "core/boot.md",
            "core/principles.md",
            "core/challenge-core.md",
            "sessions/2026-01/2026-01-09.md",
            ".ann/private/n.md",
            "sessions/2026-01/2026-01-09.md",
            "indexes/card-index.yaml",
            "cards/axioms/X-001.md"
        ]
    );
    assert!(boot.to_string().contains("ANNS") && !boot.to_string().contains("BOBS"));
    assert_eq!(boot["index"]["fresh"], true);
    assert!(
        boot["status_line"].as_str().unwrap().starts_with("last session 2026-01-09: 1 completed"),
        "{boot}"
    );
    let other = scene.program().env("MI_MEMBER", "bob").run(["boot", "--full"]).expect_exit(0).out();
    assert!(other.contains("BOBS") && !other.contains("ANNS"), "{other}");
}

/// `$PERSONA` names the folder; `..` and slashes are no member.
#[test]
fn d_04_persona_variable_and_member_names() {
    let scene = Scene::empty();
    let elsewhere = Scratch::new("persona");
    let program = scene.program().env("PERSONA", elsewhere.path().join("p"));
    program.run(["persona", "init"]).expect_exit(0);
    assert!(elsewhere.path().join("p/core/boot.md").exists());
    program.run(["boot"]).expect_exit(0);
    for name in ["../bob", "a/b", ".bob", ""] {
        program.run(["boot", "--member", name]).expect_exit(2);
    }
}

/// The words of bad input, one by one: each gets an error that names the file, and the right exit code.
#[test]
fn missing_persona_and_missing_core_files_are_clear_errors() {
    let scene = Scene::empty();
    let none = scene.mi(&["boot"]).expect_exit(3);
    assert!(none.err().contains("mi persona init"), "{}", none.err());
    scene.mi(&["persona", "init"]).expect_exit(0);
    fs::remove_file(scene.persona.join("core/principles.md")).unwrap();
    let missing = scene.mi(&["boot", "--json"]).expect_exit(1);
    assert!(
        missing.json()["error"].as_str().unwrap().contains("core/principles.md is missing"),
        "{}",
        missing.out()
    );
}

#[test]
fn broken_front_matter_is_named_with_its_line() {
    let scene = Scene::new();
    scene.card("X-001", "fine", 9);
    scene.write("cards/axioms/X-002.md", "---\nid: X-002\ntype: axiom\ntitle: a\ntitle: b\n---\n");
    let before = scene.read("indexes/card-index.yaml");
    let boot = scene.mi(&["boot", "--json"]).expect_exit(1);
    assert!(boot.err().contains("cards/axioms/X-002.md, line 5"), "{}", boot.err());
    assert!(loaded(&boot.json()).contains(&"cards/axioms/X-001.md".to_owned()));
    let index = scene.mi(&["card", "index"]).expect_exit(1);
    assert!(index.err().contains("X-002.md"), "{}", index.err());
    assert_eq!(scene.read("indexes/card-index.yaml"), before);
}

#[test]
fn duplicate_merge_keys_are_named() {
    let scene = Scene::new();
    scene.card("H-001", "same", 5);
    scene.card("H-002", "same", 5);
    for command in [&["card", "index"][..], &["card", "list"], &["boot"], &["persona", "lint"]] {
        let output = scene.mi(command).expect_exit(1);
        let said = output.err() + &output.out();
        assert!(
            said.contains("H-001") && said.contains("H-002.md") && said.contains("merge_key"),
            "{command:?}: {said}"
        );
    }
    scene.mi(&["card", "archive", "H-002"]).expect_exit(0);
    scene.mi(&["boot"]).expect_exit(0);
}

#[test]
fn symlinked_private_folders_are_refused() {
    let scene = Scene::new();
    scene.mi(&["persona", "private", "write", "n.md", "BOBS THOUGHT", "--as", "bob"]).expect_exit(0);
    symlink(".bob", scene.persona.join(".eve")).unwrap();
    let boot = scene.mi(&["boot", "--member", "eve", "--json"]).expect_exit(1);
    assert!(boot.err().contains("symbolic link") && !boot.out().contains("BOBS"), "{boot}");
    for action in [&["list"][..], &["show", "n.md"], &["write", "n.md", "x"], &["encrypt"]] {
        let words = [&["persona", "private"], action, &["--as", "eve"]].concat();
        let output = scene.mi(&words).expect_exit(4);
        assert!(!output.out().contains("BOBS"), "{output}");
    }
    assert_eq!(scene.read(".bob/private/n.md"), "BOBS THOUGHT\n");
    let show =
        scene.mi(&["persona", "private", "show", "../../.bob/private/n.md", "--as", "ann"]).expect_exit(2);
    assert!(!show.out().contains("BOBS"));
    assert!(scene.mi(&["persona", "lint"]).expect_exit(1).out().contains(".eve"));
}

/// A link in one's own folder is named and not followed; the member's own files are still read.
#[test]
fn d_02_a_link_takes_no_private_memory_away() {
    let scene = Scene::new();
    scene.mi(&["persona", "private", "write", "n.md", "BOBS THOUGHT", "--as", "bob"]).expect_exit(0);
    scene.mi(&["persona", "private", "write", "own.md", "ANNS THOUGHT", "--as", "ann"]).expect_exit(0);
    symlink("../../.bob/private/n.md", scene.persona.join(".ann/private/link.md")).unwrap();
    let boot = scene.mi(&["boot", "--member", "ann", "--json"]).expect_exit(1);
    assert!(boot.out().contains("ANNS") && !boot.out().contains("BOBS"), "{boot}");
    assert!(boot.out().contains(".ann/private/link.md"), "{boot}");
    let list = scene.mi(&["persona", "private", "list", "--as", "ann"]).expect_exit(4);
    assert!(!list.out().contains("BOBS"), "{list}");
}

#[test]
fn no_home_is_said() {
    let scene = Scene::empty();
    let output = scene.program().env("HOME", "").env("MI_HOME", "").run(["boot"]).expect_exit(2);
    assert!(output.err().contains("no home folder") && output.err().contains("MI_HOME"), "{}", output.err());
}

#[test]
fn read_only_disk_is_said_and_reading_still_works() {
    let scene = Scene::new();
    scene.card("X-001", "truth", 9);
    scene.mi(&["card", "index"]).expect_exit(0);
    let mounted = Command::new("mount")
        .args(["--bind", "-o", "ro"])
        .arg(scene.home.path())
        .arg(scene.home.path())
        .status();
    if !mounted.is_ok_and(|status| status.success()) {
        return skipped("a folder cannot be mounted read-only here (needs root)");
    }
    let _unmounted = Unmount(scene.home.path());
    let remounted = Command::new("mount").args(["-o", "remount,bind,ro"]).arg(scene.home.path()).status();
    assert!(remounted.is_ok_and(|status| status.success()));
    let boot = scene.json(&["boot"]);
    assert!(loaded(&boot).contains(&"cards/axioms/X-001.md".to_owned()));
    for command in [
        &["session", "start"][..],
        &["session", "end", "--completed", "x"],
        &["card", "archive", "X-001", "--human"],
    ] {
        let output = scene.mi(command).expect_exit(1);
        assert!(output.err().contains("not writable"), "{command:?}: {}", output.err());
    }
}

#[test]
fn full_disk_is_said_and_nothing_is_lost() {
    let scene = Scene::empty();
    fs::create_dir_all(scene.home.path()).unwrap();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=512k", "tmpfs"])
        .arg(scene.home.path())
        .status();
    if !mounted.is_ok_and(|status| status.success()) {
        return skipped("a small tmpfs cannot be mounted here (needs root)");
    }
    let _unmounted = Unmount(scene.home.path());
    scene.mi(&["persona", "init"]).expect_exit(0);
    let saved = scene.json(&["session", "save", "--completed", "first"]);
    let log = saved["path"].as_str().unwrap();
    let before = scene.read(log);
    let filler = scene.home.path().join("filler");
    let _ = fs::write(&filler, vec![0; 600 * 1024]);
    let long = "x".repeat(8000);
    let output = scene.mi(&["session", "save", "--completed", &long]).expect_exit(1);
    assert!(output.err().contains("disk is full"), "{}", output.err());
    assert_eq!(scene.read(log), before);
    fs::remove_file(&filler).unwrap();
    scene.mi(&["session", "save", "--completed", &long]).expect_exit(0);
    assert!(scene.read(log).contains("- first") && scene.read(log).contains(&long));
}

struct Unmount(PathBuf);

impl Drop for Unmount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

/// From a proposal to a card that a search finds, with the index made again on the way; and back to the archive.
#[test]
fn d_04_d_15_a_card_is_proposed_reviewed_found_and_archived() {
    let scene = Scene::new();
    let refused = scene
        .mi(&["card", "propose", "Retry limits", "--content", "Three times.", "--as", "ann"])
        .expect_exit(4);
    assert!(refused.err().contains("evidence"), "{}", refused.err());
    let words = [
        "card",
        "propose",
        "Retry limits",
        "--content",
        "Three times.",
        "--evidence",
        "Incident 12.",
        "--salience",
        "7",
        "--alias",
        "重试次数",
        "--as",
        "ann",
    ];
    let path = scene.json(&words)["proposal"].as_str().unwrap().to_owned();
    assert_eq!(path, "proposals/2026-01/proposal-heuristic-retry-limits.md");
    assert_eq!(scene.json(&["card", "list", "--proposals"])["proposals"][0]["path"], path.as_str());
    scene.mi(&["card", "review", &path, "--accept", "--as", "ann"]).expect_exit(4);
    let reviewed = scene.json(&["card", "review", "retry", "--accept", "--as", "bob"]);
    assert_eq!((&reviewed["card"], &reviewed["merged"]), (&"H-001".into(), &false.into()));
    scene.mi(&["card", "index", "--check"]).expect_exit(0);
    let found = scene.json(&["card", "search", "改一下重试次数"]);
    assert_eq!((&found["cards"][0]["id"], &found["cards"][0]["rule"]), (&"H-001".into(), &"full".into()));
    assert!(found["cards"][0]["text"].as_str().unwrap().contains("Three times."));
    assert!(scene.mi(&["card", "show", "h-001"]).expect_exit(0).out().contains("Incident 12."));
    scene.mi(&["card", "archive", "H-001"]).expect_exit(0);
    assert_eq!(scene.json(&["card", "search", "retry"])["total"], 0);
    scene.mi(&["card", "archive", "H-001", "--restore"]).expect_exit(0);
    assert_eq!(scene.json(&["card", "list"])["cards"].as_array().unwrap().len(), 1);
    scene.mi(&["card", "show", "H-999"]).expect_exit(1);
}

/// The index is a list of what the contract names, the same bytes on every machine.
#[test]
fn d_15_index_has_the_contracts_shape() {
    let (one, two) = (Scene::new(), Scene::new());
    for id in ["H-001", "X-001", "M-003"] {
        one.card(id, &format!("key-{id}"), 5);
    }
    for id in ["M-003", "X-001", "H-001"] {
        two.card(id, &format!("key-{id}"), 5);
    }
    for scene in [&one, &two] {
        scene.mi(&["card", "index"]).expect_exit(0);
    }
    let text = one.read("indexes/card-index.yaml");
    assert_eq!(text, two.read("indexes/card-index.yaml"));
    let script = "import sys,json\ntry:\n import yaml\nexcept ImportError:\n sys.exit(7)\nprint(json.dumps(yaml.safe_load(sys.stdin)))";
    let keys = ["id", "type", "title", "merge_key", "aliases", "salience", "last_reviewed", "status", "path"];
    for key in keys {
        assert_eq!(text.matches(&format!(" {key}: ")).count(), 3, "{key}: {text}");
    }
    let python = Command::new("python3")
        .args(["-c", script])
        .stdin(fs::File::open(one.persona.join("indexes/card-index.yaml")).unwrap())
        .output()
        .unwrap();
    if python.status.success() {
        let list: Value = serde_json::from_slice(&python.stdout).unwrap();
        assert_eq!(list[0]["path"], "cards/axioms/X-001.md");
    }
}

/// More than 70 % in the middle is a warning.
#[test]
fn d_13_calibrate_warns() {
    let scene = Scene::new();
    for number in 1..=4 {
        scene.card(&format!("H-00{number}"), &format!("k{number}"), 6);
    }
    let spread = scene.json(&["card", "calibrate"]);
    assert_eq!((&spread["needed"], &spread["middle_percent"]), (&true.into(), &100.into()));
    assert!(scene.mi(&["card", "calibrate"]).expect_exit(0).out().contains("WARNING"));
}

/// A session from start to end, its log between anchors, its roll-up, and the boot after it.
#[test]
fn d_11_a_session_from_start_to_end() {
    let scene = Scene::new();
    let first = scene.json(&["session", "start"]);
    assert_eq!(first["slot"], "A");
    let second = scene.json(&["session", "start", "--as", "bob"]);
    assert_eq!(second["slot"], "B");
    let line =
        scene.mi(&["session", "save", "--completed", "tests pass", "--auto", "2"]).expect_exit(0).out();
    assert_eq!(line, "Auto-saved to slot-A | trigger: 2\n");
    let soon = scene.json(&["session", "save", "--completed", "more", "--auto", "5"]);
    assert_eq!(
        (&soon["saved"], &soon["held_back"]),
        (&false.into(), &"less than 10 minutes since the last save".into())
    );
    let talk = scene.json(&["session", "end", "--on-message", "Please rename the file"]);
    assert_eq!(talk["triggered"], false);
    let ended = scene.json(&[
        "session",
        "end",
        "--on-message",
        "今天到这",
        "--decision",
        "keep SQLite",
        "--next",
        "docs",
        "--incident",
        "none lost",
    ]);
    assert_eq!((&ended["ended"], &ended["first"]), (&true.into(), &false.into()));
    let text = scene.read(ended["path"].as_str().unwrap());
    for words in [
        "<!-- mi:section completed_items -->",
        "<!-- mi:end next_steps -->",
        "- keep SQLite",
        "<!-- mi:auto-save trigger=2 ",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let day = scene.read("sessions/2026-01/2026-01-10.md");
    assert!(day.contains("- [A] keep SQLite") && day.contains("- [A] docs"), "{day}");
    let listed = scene.json(&["session", "list"]);
    assert_eq!((listed["open"].as_array().unwrap().len(), &listed["total"]), (1, &2.into()));
    let boot = scene.json(&["boot"]);
    assert_eq!(boot["parallel_sessions"], serde_json::json!(["A", "B"]));
    assert!(boot["status_line"].as_str().unwrap().contains("pending: [A] docs"), "{boot}");
    scene.mi(&["session", "save"]).expect_exit(2);
    scene.mi(&["session", "save", "--session", "nope", "--next", "x"]).expect_exit(2);
}

/// Every word of D.11 ends a session; other words do not.
#[test]
fn d_11_session_end_triggers() {
    let cases = [
        ("结束", true),
        ("save", true),
        ("收工", true),
        ("/save", true),
        ("今天到这", true),
        ("下次继续", true),
        ("Goodbye!", true),
        ("总结一下", true),
        ("Give me a summary of the session", true),
        ("Save the file as utf-8", false),
        ("Fix the loop", false),
    ];
    let scene = Scene::new();
    for (message, ends) in cases {
        let output = scene.json(&["session", "end", "--completed", "x", "--on-message", message]);
        assert_eq!(output["triggered"], ends, "{message}");
    }
}

/// A handoff: no criteria, no transfer; only the receiver answers; completion records deliverables.
#[test]
fn d_08_handoffs() {
    let scene = Scene::new();
    let new =
        ["handoff", "new", "Fix login", "--to", "bob", "--context", "Broken since Monday.", "--as", "ann"];
    let refused = scene.mi(&new).expect_exit(3);
    assert!(refused.err().contains("acceptance criteria"), "{}", refused.err());
    assert!(!scene.persona.join("handoffs").exists());
    let offered = scene.json(
        &[&new[..], &["--criterion", "the login test passes", "--constraint", "no new crate"]].concat(),
    );
    let id = offered["id"].as_str().unwrap();
    scene.mi(&["handoff", "accept", id, "--as", "eve"]).expect_exit(4);
    scene.mi(&["handoff", "complete", id, "--deliverable", "x", "--as", "bob"]).expect_exit(3);
    assert_eq!(scene.json(&["handoff", "accept", id, "--as", "bob"])["status"], "accepted");
    scene.mi(&["handoff", "complete", id, "--as", "bob"]).expect_exit(3);
    let done = scene.json(&["handoff", "complete", id, "--deliverable", "commit 1f3b", "--as", "bob"]);
    assert_eq!(done["deliverables"][0], "commit 1f3b");
    let second = scene.json(&[&new[..], &["--criterion", "the login test passes"]].concat());
    let second = second["id"].as_str().unwrap();
    let rejected = scene.json(&["handoff", "reject", second, "--reason", "Which login?", "--as", "bob"]);
    assert_eq!(rejected["reason"], "Which login?");
    assert_eq!(scene.json(&["handoff", "list"])["handoffs"].as_array().unwrap().len(), 2);
    assert!(scene.mi(&["handoff", "show", id]).expect_exit(0).out().contains("no new crate"));
    scene.mi(&["handoff", "show", "HO-none"]).expect_exit(1);
}

/// Private memory at rest is age's own format: the real program opens it with the member's key, and nobody without.
#[test]
fn d_10_private_memory_is_encrypted_with_age() {
    if Command::new("age").arg("--version").output().is_err() {
        return skipped("the age program is not installed (dev/setup installs it)");
    }
    let scene = Scene::new();
    scene.mi(&["persona", "private", "write", "n.md", "A THOUGHT"]).expect_exit(0);
    scene.mi(&["persona", "private", "encrypt"]).expect_exit(0);
    scene.mi(&["persona", "private", "write", "n.md", "ANOTHER"]).expect_exit(0);
    let file = scene.persona.join(".self/private/n.md.age");
    let sealed = fs::read(&file).unwrap();
    assert!(
        sealed.starts_with(b"age-encryption.org/v1") && !scene.persona.join(".self/private/n.md").exists()
    );
    let key = scene.home.path().join("keys/persona-self.txt");
    assert_eq!(fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
    let opened = Command::new("age").arg("-d").arg("-i").arg(&key).arg(&file).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&opened.stdout), "A THOUGHT\nANOTHER\n");
    assert!(scene.json(&["boot"]).to_string().contains("ANOTHER"));
    let away = scene.home.path().join("away.txt");
    fs::rename(&key, &away).unwrap();
    let locked = scene.mi(&["boot", "--json"]).expect_exit(1);
    assert!(locked.err().contains("no identity") && !locked.out().contains("THOUGHT"), "{locked}");
    scene.mi(&["persona", "private", "show", "n.md"]).expect_exit(3);
    let shown = scene
        .mi(&["persona", "private", "show", "n.md", "--identity", away.to_str().unwrap()])
        .expect_exit(0);
    assert_eq!(shown.out(), "A THOUGHT\nANOTHER\n");
    fs::rename(&away, &key).unwrap();
    scene.mi(&["persona", "private", "decrypt"]).expect_exit(0);
    assert_eq!(scene.read(".self/private/n.md"), "A THOUGHT\nANOTHER\n");
    assert!(!file.exists());
}

/// A secret goes into no memory file, whichever way it comes.
#[test]
fn d_10_secrets_go_into_no_memory_file() {
    let scene = Scene::new();
    let token = format!("ghp_{}", "a".repeat(36));
    scene.mi(&["persona", "private", "write", "n.md", &token]).expect_exit(4);
    scene.mi(&["card", "propose", "T", "--content", &token, "--source", "x"]).expect_exit(4);
    let words = ["handoff", "new", &token, "--to", "bob", "--context", "c", "--criterion", "it is rotated"];
    scene.mi(&words).expect_exit(4);
    let saved = scene
        .program()
        .env("LANG", "zh_CN.UTF-8")
        .run(["session", "save", "--completed", &token])
        .expect_exit(0);
    assert!(saved.err().contains("⚠️ 检测到敏感信息,建议立即撤回并更换凭证。"), "{}", saved.err());
    let grep = Command::new("grep").args(["-r", &token]).arg(scene.home.path()).output().unwrap();
    assert!(grep.stdout.is_empty(), "{}", String::from_utf8_lossy(&grep.stdout));
}

/// An export can be shown to anybody.
#[test]
fn d_10_export_has_no_private_folder_and_no_proposal() {
    let scene = Scene::new();
    scene.mi(&["persona", "private", "write", "n.md", "A THOUGHT"]).expect_exit(0);
    scene.mi(&["card", "propose", "Idea", "--content", "c", "--source", "s"]).expect_exit(0);
    scene.mi(&["session", "save", "--completed", "x"]).expect_exit(0);
    let out = scene.home.path().join("out");
    let exported = scene.json(&["persona", "export", "--out", out.to_str().unwrap()]);
    let files = exported["files"].to_string();
    assert!(files.contains("core/boot.md") && files.contains("sessions/2026-01/"), "{files}");
    assert!(!out.join("proposals").exists() && !out.join(".self").exists() && !out.join(".git").exists());
    scene.mi(&["persona", "export", "--out", out.to_str().unwrap()]).expect_exit(2);
}

/// Two machines and a bare repository: both get everything but private memory; derived files never conflict.
#[test]
fn d_23_sync_keeps_two_machines_in_step() {
    let (one, two) = (Scene::new(), Scene::new());
    let remote = Scratch::new("remote");
    let bare = remote.path().join("persona.git");
    let made =
        Command::new("git").args(["init", "--quiet", "--bare", "--initial-branch=main"]).arg(&bare).status();
    assert!(made.is_ok_and(|status| status.success()));
    let url = bare.to_str().unwrap();
    one.mi(&["persona", "sync"]).expect_exit(3);
    one.mi(&["persona", "private", "write", "n.md", "A THOUGHT"]).expect_exit(0);
    one.card("H-001", "one", 5);
    one.mi(&["session", "end", "--completed", "on one", "--next", "x"]).expect_exit(0);
    assert_eq!(one.json(&["persona", "sync", "--remote", url])["pushed"], true);
    two.card("H-002", "two", 5);
    two.mi(&["session", "end", "--completed", "on two", "--next", "y"]).expect_exit(0);
    two.mi(&["persona", "sync", "--remote", url]).expect_exit(0);
    one.mi(&["persona", "sync"]).expect_exit(0);
    for scene in [&one, &two] {
        let index = scene.read("indexes/card-index.yaml");
        assert!(index.contains("H-001") && index.contains("H-002"), "{index}");
        let day = scene.read("sessions/2026-01/2026-01-10.md");
        assert!(day.contains("on one") && day.contains("on two"), "{day}");
    }
    assert!(!two.persona.join(".self/private/n.md").exists());
    let tracked = Command::new("git")
        .arg("-C")
        .arg(&bare)
        .args(["ls-tree", "-r", "--name-only", "main"])
        .output()
        .unwrap();
    assert!(!String::from_utf8_lossy(&tracked.stdout).contains("private"));
    assert_eq!(one.json(&["persona", "sync"])["pushed"], false);
}

/// D.10: a password in the remote's address is not repeated where git complains about it.
#[test]
fn d_10_sync_does_not_repeat_a_password() {
    let scene = Scene::new();
    let password = format!("{}{}", "hunter", "2x9");
    let url = format!("http://me:{password}@127.0.0.1:1/x.git");
    let output = scene.mi(&["persona", "sync", "--remote", &url]).expect_exit(1);
    assert!(output.err().contains("127.0.0.1") && !output.err().contains(&password), "{output}");
}

/// What both sides changed is for the person: nothing is merged, nothing is lost.
#[test]
fn d_23_sync_conflict_leaves_both_sides() {
    let (one, two) = (Scene::new(), Scene::new());
    let remote = Scratch::new("remote");
    let bare = remote.path().join("persona.git");
    Command::new("git")
        .args(["init", "--quiet", "--bare", "--initial-branch=main"])
        .arg(&bare)
        .status()
        .unwrap();
    let url = bare.to_str().unwrap();
    one.mi(&["persona", "sync", "--remote", url]).expect_exit(0);
    two.mi(&["persona", "sync", "--remote", url]).expect_exit(0);
    one.write("core/principles.md", "- one\n");
    two.write("core/principles.md", "- two\n");
    one.mi(&["persona", "sync"]).expect_exit(0);
    let conflict = two.mi(&["persona", "sync"]).expect_exit(3);
    assert!(conflict.err().contains("core/principles.md"), "{}", conflict.err());
    assert_eq!(two.read("core/principles.md"), "- two\n");
    two.mi(&["boot"]).expect_exit(0);
}

/// Private memory that somebody forced into git, and a secret, stop before anything leaves.
#[test]
fn d_10_sync_refuses_private_memory_and_secrets() {
    let scene = Scene::new();
    let remote = Scratch::new("remote");
    let bare = remote.path().join("persona.git");
    Command::new("git").args(["init", "--quiet", "--bare"]).arg(&bare).status().unwrap();
    let url = bare.to_str().unwrap();
    let pushed = || {
        let refs = Command::new("git").arg("-C").arg(&bare).args(["for-each-ref"]).output().unwrap();
        !refs.stdout.is_empty()
    };
    scene.write("sessions/2026-01/2026-01-02.md", &format!("ghp_{}", "a".repeat(36)));
    let secret = scene.mi(&["persona", "sync", "--remote", url]).expect_exit(4);
    assert!(secret.err().contains("2026-01-02.md") && !pushed(), "{}", secret.err());
    fs::remove_file(scene.persona.join("sessions/2026-01/2026-01-02.md")).unwrap();
    scene.mi(&["persona", "private", "write", "n.md", "A THOUGHT"]).expect_exit(0);
    let git = |arguments: &[&str]| {
        Command::new("git").arg("-C").arg(&scene.persona).args(arguments).status().unwrap();
    };
    git(&["add", "--force", ".self/private/n.md"]);
    let private = scene.mi(&["persona", "sync"]).expect_exit(4);
    assert!(private.err().contains("private memory") && !pushed(), "{}", private.err());
    git(&["rm", "--quiet", "--cached", "-r", ".self/private/n.md"]);
    scene.mi(&["persona", "sync"]).expect_exit(0);
    assert!(pushed());
}

/// A process that is killed in the middle leaves no half file, and what it acknowledged is there.
#[test]
fn killed_at_any_instant_loses_nothing() {
    let scene = Scene::new();
    scene.mi(&["session", "start"]).expect_exit(0);
    let mut acknowledged = Vec::new();
    for number in 0..30 {
        let item = format!("item {number}.");
        let running = scene.program().start(["session", "save", "--json", "--completed", &item]);
        std::thread::sleep(std::time::Duration::from_millis(number * 2));
        running.kill();
        let output = running.wait();
        if output.whole_events().iter().any(|event| event["saved"] == true) {
            acknowledged.push(item);
        }
    }
    let saved = scene.json(&["session", "end", "--completed", "the end"]);
    let (log, day) =
        (scene.read(saved["path"].as_str().unwrap()), scene.read(saved["roll_up"].as_str().unwrap()));
    for item in acknowledged {
        assert!(log.contains(&format!("- {item}\n")) && day.contains(&item), "{item}: {log}");
    }
    scene.mi(&["boot"]).expect_exit(0);
}

/// The day is that of the person's own clock.
#[test]
fn d_11_the_day_is_where_the_person_is() {
    let scene = Scene { now: "2026-01-10T20:00:00Z", ..Scene::new() };
    let saved = scene
        .program()
        .env("TZ", "CST-8")
        .run(["session", "save", "--completed", "x", "--json"])
        .expect_exit(0);
    assert!(
        saved.json()["path"].as_str().unwrap().starts_with("sessions/2026-01/2026-01-11-slot-A-"),
        "{saved}"
    );
}

/// One search covers the cards too, and says so.
#[test]
fn d_15_memory_search_finds_cards() {
    let scene = Scene::new();
    scene.card("H-001", "zebra-locks", 5);
    let found = scene.json(&["memory", "search", "zebra", "--in", "cards"]);
    assert_eq!(
        (&found["hits"][0]["from"], &found["hits"][0]["name"]),
        (&"cards".into(), &"H-001".into()),
        "{found}"
    );
}

/// Many processes at once: every save is there, slots and ids are never given twice.
#[test]
fn fifty_processes_at_once_lose_nothing() {
    let scene = Scene::new();
    let running: Vec<_> = (0..50)
        .map(|number| {
            let (title, item) = (format!("Idea {number}"), format!("work {number}"));
            match number % 2 {
                0 => scene.program().start([
                    "card",
                    "propose",
                    &title,
                    "--content",
                    "c",
                    "--source",
                    "s",
                    "--as",
                    "ann",
                ]),
                _ => scene.program().start([
                    "session",
                    "end",
                    "--as",
                    &format!("m{number}"),
                    "--completed",
                    &item,
                ]),
            }
        })
        .collect();
    for process in running {
        process.wait().expect_exit(0);
    }
    assert_eq!(scene.json(&["card", "list", "--proposals"])["proposals"].as_array().unwrap().len(), 25);
    let day = scene.read("sessions/2026-01/2026-01-10.md");
    for number in (1..50).step_by(2) {
        assert!(day.contains(&format!("work {number}\n")), "{number}: {day}");
    }
}
