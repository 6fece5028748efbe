use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use mi_gate::{
    intake::{Mode, WordTable},
    messages::Locale,
    permission::{Action, Verdict},
};
use mi_model::Timestamp;
use serde_json::json;
use tempfile::TempDir;

use super::*;

/// A home and a project, which is a git repository as far as the gate can see.
struct Scene {
    folder: TempDir,
}

const MINUTE: i64 = 60_000;

fn scene() -> Scene {
    let scene = Scene { folder: tempfile::tempdir().unwrap() };
    scene.write("p/.git/config", "[core]\n\tbare = false\n");
    scene.write("p/.git/HEAD", "ref: refs/heads/topic\n");
    fs::create_dir_all(scene.path("home")).unwrap();
    scene
}

impl Scene {
    fn path(&self, relative: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(relative)
    }

    fn write(&self, relative: &str, text: &str) {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn gate(&self) -> Gate {
        Gate::open(self.surroundings())
    }

    fn surroundings(&self) -> Surroundings {
        Surroundings {
            home: Some(self.path("home")),
            user_home: None,
            persona: None,
            member: None,
            cwd: self.path("p"),
            rules: Vec::new(),
        }
    }

    fn session(&self) -> Session {
        Session::named(&self.path("home"), "s1")
    }

    fn hear(&self, text: &str, speaker: Speaker, at: i64) -> mi_gate::intake::Intake {
        let heard = Heard {
            text,
            task: None,
            diff: None,
            decisions: &[],
            words: &WordTable::default(),
            now: Timestamp::from_millis(at),
            locale: Locale::En,
        };
        self.session().hear(&heard, speaker, Some(&self.path("home"))).unwrap()
    }

    fn ask(&self, command: &str, at: i64) -> (Verdict, String) {
        let action = Action::new("Bash", json!({"command": command}), None);
        let call = Call { action: &action, actor: None, id: Some("t1") };
        let ruling = decide_action(&self.gate(), &self.session(), &call, Timestamp::from_millis(at));
        assert!(ruling.problems.is_empty(), "{ruling:#?}");
        (ruling.decision.verdict, ruling.decision.rule)
    }

    fn verdict(&self, command: &str, cwd: &Path) -> Verdict {
        let action = Action::new("Bash", json!({"command": command}), cwd.to_str());
        self.gate().decide(&action, None).verdict
    }
}

const PUSH: &str = "git push -f origin main";

/// The person's override lets the very action through that was denied, once.
#[test]
fn d_19_override_grants_the_denied_action_once() {
    let scene = scene();
    assert_eq!(scene.ask(PUSH, 0), (Verdict::Deny, "mi.force-push-main".to_owned()));
    assert!(scene.hear("override", Speaker::Person, 1).output.contains("Override acknowledged."));
    assert_eq!(scene.ask("git push -f origin master", 2).0, Verdict::Deny);
    assert_eq!(scene.ask(PUSH, 3), (Verdict::Allow, "mi.override".to_owned()));
    assert_eq!(scene.ask(PUSH, 4).0, Verdict::Deny);
    let home = scene.path("home");
    let overridden = Records::new(&home).overridden().unwrap();
    assert_eq!(overridden, [Overridden { rule: "mi.force-push-main".to_owned(), count: 1 }]);
}

/// After ten minutes, in another topic, or from a program, it grants nothing.
#[test]
fn d_19_override_ends_with_time_and_topic_and_is_the_persons_alone() {
    let late = scene();
    late.ask(PUSH, 0);
    late.hear("override", Speaker::Person, 1);
    assert_eq!(late.ask(PUSH, 1 + 10 * MINUTE + 1).0, Verdict::Deny);

    let stale = scene();
    stale.ask(PUSH, 0);
    stale.hear("override", Speaker::Person, 10 * MINUTE + 1);
    assert_eq!(stale.ask(PUSH, 10 * MINUTE + 2).0, Verdict::Deny);

    let elsewhere = scene();
    elsewhere.ask(PUSH, 0);
    elsewhere.hear("override", Speaker::Person, 1);
    elsewhere.hear("换个任务", Speaker::Person, 2);
    assert_eq!(elsewhere.ask(PUSH, 3).0, Verdict::Deny);

    // Nothing was said before the override, so there is no topic that the next message could go on with.
    let first = scene();
    first.ask(PUSH, 0);
    first.hear("override", Speaker::Person, 1);
    first.hear("Now please write a README about bananas", Speaker::Person, 2);
    assert_eq!(first.ask(PUSH, 3).0, Verdict::Deny);

    let program = scene();
    program.ask(PUSH, 0);
    program.hear("override", Speaker::Program, 1);
    assert_eq!(program.ask(PUSH, 2).0, Verdict::Deny);
}

/// What guards the gate itself cannot be overridden.
#[test]
fn d_17_override_never_opens_the_gates_own_rules() {
    let scene = scene();
    assert_eq!(scene.ask("mi permit mi.edit allow", 0).1, "mi.human-only");
    scene.hear("override", Speaker::Person, 1);
    assert_eq!(scene.ask("mi permit mi.edit allow", 2).0, Verdict::Deny);
    let records = scene.path("home/gate/sessions/s1/gate.json");
    assert_eq!(scene.ask(&format!("echo x > {}", records.display()), 3).1, "mi.gate-records");
}

/// A high-risk request waits: reading goes on, changing does not, until the person acknowledges.
#[test]
fn d_22_changes_wait_for_acknowledgement() {
    let scene = scene();
    let reading = scene.hear("drop the users table in production, it is irreversible", Speaker::Person, 0);
    let id = reading.acknowledge.unwrap();
    assert!(reading.output.contains(&format!("mi ack {id}")), "{}", reading.output);
    assert_eq!(scene.ask("ls", 1).0, Verdict::Allow);
    assert_eq!(scene.ask("echo x > a", 2), (Verdict::Deny, "mi.acknowledgement".to_owned()));
    assert_eq!(scene.session().acknowledge("nothing", Timestamp::from_millis(3)).unwrap(), None);
    assert!(scene.session().acknowledge(&id, Timestamp::from_millis(3)).unwrap().is_some());
    assert_eq!(scene.ask("echo x > a", 4).0, Verdict::Prompt);
    assert!(scene.session().waiting().unwrap().is_empty());
    // Said again, it is still a challenge, and nothing waits or says that it does.
    let again = scene.hear("drop the users table in production, it is irreversible", Speaker::Person, 5);
    assert_eq!((again.mode, again.needs_acknowledgement, again.acknowledge), (Mode::Challenge, false, None));
    assert!(
        !again.output.contains("acknowledge") && !again.output.contains("先由你确认"),
        "{}",
        again.output
    );
    assert_eq!(scene.ask("echo x > a", 6).0, Verdict::Prompt);
}

/// What was agreed to and ended well is counted; a failure begins anew.
#[test]
fn d_19_safe_uses_are_counted_from_what_happened() {
    let scene = scene();
    let home = scene.path("home");
    let records = Records::new(&home);
    let action = Action::new("Bash", json!({"command": "git commit -m x"}), None);
    let digest = mi_gate::permission::action_digest(&action);
    let uses = || records.safe_uses("mi.commit").unwrap();
    let end = |outcome| {
        scene.ask("git commit -m x", 0);
        records.ended(Timestamp::from_millis(1), "s1", &digest, outcome).unwrap();
        uses()
    };
    assert_eq!((end(Outcome::Done), end(Outcome::Done)), (1, 2));
    assert_eq!((end(Outcome::Failed), end(Outcome::Done)), (0, 1));
    // Nothing was asked, so nothing was safely used.
    records.ended(Timestamp::from_millis(2), "s1", &digest, Outcome::Done).unwrap();
    assert_eq!(uses(), 1);
}

/// `mi permit` is the only way to a milder rule, and what it made stricter is not lost with its log (30: fail closed).
#[test]
fn d_19_damaged_permits_make_nothing_milder() {
    type Damage = fn(&Scene);
    fn edit(scene: &Scene, from: &str, to: &str) {
        let text = fs::read_to_string(scene.path("home/gate/permits.jsonl")).unwrap();
        scene.write("home/gate/permits.jsonl", &text.replace(from, to));
    }
    fn append(scene: &Scene, line: &str) {
        edit(scene, "\n", &format!("\n{line}\n"));
    }
    // What was damaged, and what then becomes of `git commit` (made deny), `git push` (made allow) and `ls`.
    let cases: &[(&str, Damage, [Verdict; 3])] = &[
        ("nothing", |_| {}, [Verdict::Deny, Verdict::Allow, Verdict::Allow]),
        (
            "garbage behind",
            |scene| {
                let path = scene.path("home/gate/permits.jsonl");
                let text = fs::read_to_string(&path).unwrap();
                fs::write(path, format!("{text}garbage\n")).unwrap();
            },
            [Verdict::Deny, Verdict::Allow, Verdict::Allow],
        ),
        (
            "garbage between",
            |scene| append(scene, "garbage"),
            [Verdict::Deny, Verdict::Prompt, Verdict::Prompt],
        ),
        (
            "gone",
            |scene| fs::remove_file(scene.path("home/gate/permits.jsonl")).unwrap(),
            [Verdict::Prompt, Verdict::Prompt, Verdict::Prompt],
        ),
        (
            "emptied",
            |scene| scene.write("home/gate/permits.jsonl", ""),
            [Verdict::Prompt, Verdict::Prompt, Verdict::Prompt],
        ),
        (
            "rewritten",
            |scene| edit(scene, "\"to\":\"deny\"", "\"to\":\"allow\""),
            [Verdict::Prompt, Verdict::Prompt, Verdict::Prompt],
        ),
        (
            "no head",
            |scene| fs::remove_dir_all(scene.path("home/heads")).unwrap(),
            [Verdict::Deny, Verdict::Prompt, Verdict::Prompt],
        ),
    ];
    for (what, damage, expected) in cases {
        let scene = scene();
        let mut permits = Permits::open(&scene.path("home")).unwrap();
        for (rule, to) in [("mi.commit", Verdict::Deny), ("mi.push", Verdict::Allow)] {
            let change = PermitLine {
                id: String::new(),
                ts: Timestamp::from_millis(1),
                rule: rule.to_owned(),
                from: Verdict::Prompt,
                to,
                reason: "r".to_owned(),
                safe_uses: 5,
            };
            permits.add(Timestamp::from_millis(1), &change).unwrap();
        }
        damage(&scene);
        let folder = scene.path("p");
        let found =
            ["git commit -m x", "git push origin topic", "ls"].map(|command| scene.verdict(command, &folder));
        assert_eq!(&found, expected, "{what}");
        assert_eq!(scene.gate().take_problems().len(), usize::from(*what != "nothing"), "{what}");
    }
}

/// Rules of a project are those above the action's own folder, and they only tighten.
#[test]
fn d_19_project_of_an_action_is_the_root_above_its_own_folder() {
    let scene = scene();
    let ban = |program: &str, decision: &str| {
        format!(
            "version: 1\nrules:\n  - {{id: x, decision: {decision}, match: {{command: {program}}}, reason: r}}\n"
        )
    };
    scene.write("q/.git/config", "[core]\n\tbare = false\n");
    scene.write("q/.mi/gate.yaml", &ban("ls", "deny"));
    scene.write("q/sub/x", "");
    scene.write("p/.mi/gate.yaml", &ban("touch", "allow"));
    assert_eq!(scene.verdict("ls", &scene.path("q/sub")), Verdict::Deny);
    assert_eq!(scene.verdict("ls", &scene.path("p")), Verdict::Allow);
    assert_eq!(scene.verdict("touch x", &scene.path("p")), Verdict::Prompt);
    scene.write("home/gate.yaml", &ban("cat", "deny"));
    assert_eq!(scene.verdict("cat x", &scene.path("p")), Verdict::Deny);
}

/// A file of rules that cannot be read denies, and is told once.
#[test]
fn d_19_unreadable_rules_deny_and_are_told_once() {
    let scene = scene();
    fs::create_dir_all(scene.path("p/.mi/gate.yaml")).unwrap();
    let gate = scene.gate();
    let ls = Action::new("Bash", json!({"command": "ls"}), None);
    for _ in 0..2 {
        assert_eq!(gate.decide(&ls, None).rule, "mi.rules-not-loaded");
    }
    assert_eq!(gate.take_problems().len(), 1);
}

/// Whatever a repository plants so that `git status` runs something is asked about.
#[test]
fn d_19_planted_git_settings_prompt() {
    let plants = [
        (".git/config", "[core]\nfsmonitor = ./x\n"),
        (".git/config", "[core] fsmonitor = ./x #]\n"),
        (".git/config.worktree", "[diff]\nexternal = ./x\n"),
        (".git/modules/sub/config", "[core]\nworktree = ../../../sub\nfsmonitor = ./x\n"),
        (".git/index", "DIRC\0\0\u{0}\u{0}xx\0\0"),
        ("objects/x", ""),
    ];
    for (path, text) in plants {
        let scene = scene();
        assert_eq!(scene.verdict("git status", &scene.path("p")), Verdict::Allow);
        scene.write(&format!("p/{path}"), text);
        if path.starts_with(".git/modules") {
            scene.write("p/.git/modules/sub/HEAD", "ref: refs/heads/main\n");
        }
        if path == ".git/index" {
            fs::write(scene.path("p/.git/index"), b"DIRC....\0\0\xe0\0....").unwrap();
        }
        if path == "objects/x" {
            scene.write("p/HEAD", "ref: refs/heads/main\n");
        }
        assert_eq!(scene.verdict("git status", &scene.path("p")), Verdict::Prompt, "{path}: {text}");
    }
    let hook = scene();
    hook.write("p/.git/hooks/post-index-change", "#!/bin/sh\n");
    assert_eq!(hook.verdict("git status", &hook.path("p")), Verdict::Allow);
    let path = hook.path("p/.git/hooks/post-index-change");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(hook.verdict("git status", &hook.path("p")), Verdict::Prompt);
}

/// An ordinary submodule is no reason to ask.
#[test]
fn d_19_ordinary_submodule_is_read_only() {
    let scene = scene();
    scene.write("p/.git/modules/sub/config", "[core]\n\tbare = false\n\tworktree = ../../../sub\n");
    scene.write("p/.git/modules/sub/HEAD", "ref: refs/heads/main\n");
    fs::write(scene.path("p/.git/index"), b"DIRC....\0\0\xe0\0....").unwrap();
    assert_eq!(scene.verdict("git status", &scene.path("p")), Verdict::Allow);
}

/// A session whose records are broken makes prompts into denies and keeps denies.
#[test]
fn d_17_broken_session_is_strict() {
    let scene = scene();
    scene.write("home/gate/sessions/s1/gate.json", "{");
    for command in ["echo x > a", PUSH] {
        let action = Action::new("Bash", json!({"command": command}), None);
        let call = Call { action: &action, actor: None, id: None };
        let ruling = decide_action(&scene.gate(), &scene.session(), &call, Timestamp::from_millis(0));
        assert_eq!(ruling.decision.verdict, Verdict::Deny);
        assert_eq!(ruling.problems.len(), 1);
    }
}

/// Examples are run once per text; a text that was changed is judged anew.
#[test]
fn d_19_examples_are_run_again_when_the_file_changes() {
    let scene = scene();
    let rule = |example: &str| {
        format!(
            "version: 1\nrules:\n  - {{id: x, decision: deny, match: {{command: wc}}, reason: r, examples: {{matches: ['{example}']}}}}\n"
        )
    };
    scene.write("home/gate.yaml", &rule("wc x"));
    for _ in 0..2 {
        assert_eq!(scene.verdict("wc y", &scene.path("p")), Verdict::Deny);
        assert_eq!(scene.verdict("ls", &scene.path("p")), Verdict::Allow);
    }
    assert_eq!(fs::read_dir(scene.path("home/gate/checked")).unwrap().count(), 1);
    scene.write("home/gate.yaml", &rule("ls x"));
    let gate = scene.gate();
    assert_eq!(gate.take_problems().len(), 1);
}

/// A link to a protected file that is not there yet is that file.
#[test]
fn d_19_links_to_files_that_are_not_there_yet_are_followed() {
    let scene = scene();
    scene.write(
        "home/gate.yaml",
        "version: 1\nrules:\n  - {id: x, decision: deny, match: {write: M}, reason: r}\n",
    );
    fs::create_dir_all(scene.path("p/sub")).unwrap();
    std::os::unix::fs::symlink("../M", scene.path("p/sub/a")).unwrap();
    std::os::unix::fs::symlink("sub/a", scene.path("p/b")).unwrap();
    std::os::unix::fs::symlink("c", scene.path("p/d")).unwrap();
    std::os::unix::fs::symlink("d", scene.path("p/c")).unwrap();
    let write = |path: &str| {
        let action = Action::new("Write", json!({"file_path": path, "content": "x"}), None);
        scene.gate().decide(&action, None).verdict
    };
    assert_eq!([write("sub/a"), write("b"), write("M")], [Verdict::Deny; 3]);
    assert_eq!([write("c"), write("other")], [Verdict::Prompt; 2]);
}

/// Another member's memory is guarded from the folders above it, behind patterns, by its other names, and in a persona that nobody configured.
#[test]
fn d_19_private_memory_is_reached_from_nowhere() {
    let scene = scene();
    scene.write("persona/.bob/private/m.md", "x");
    scene.write("persona/.ann/private/m.md", "x");
    scene.write("persona/cards/c.md", "x");
    scene.write("p/persona/.bob/private/persona/m.md", "x");
    scene.write("p/src/persona/.config/x", "x");
    fs::hard_link(scene.path("persona/.bob/private/m.md"), scene.path("p/other")).unwrap();
    fs::hard_link(scene.path("persona/cards/c.md"), scene.path("p/card")).unwrap();
    std::os::unix::fs::symlink(scene.path("persona/.bob"), scene.path("p/bob")).unwrap();
    let gate = Gate::open(Surroundings {
        persona: Some(scene.path("persona")),
        member: Some("ann".to_owned()),
        ..scene.surroundings()
    });
    let ask =
        |tool: &str, input: serde_json::Value| gate.decide(&Action::new(tool, input, None), None).verdict;
    let bash = |script: &str| ask("Bash", json!({"command": script}));
    let denied = [
        "grep -r x ../persona/.bob",
        "rg x bob",
        "cat ../persona/.bob/priv*/m.md",
        "cat ../persona/.bob/*/*",
        "cd ../persona/.bob && grep -r x .",
        "find ../persona/.bob -name m.md -exec cat {} +",
        "cat other",
        "grep x other",
        "rg x other",
        "cat persona/.bob/private/persona/m.md",
        "grep -r x persona",
        "grep -r x .",
        "find ../persona/.bob",
        "ls -R bob",
    ];
    for script in denied {
        assert_eq!(bash(script), Verdict::Deny, "{script}");
    }
    assert_eq!(ask("Grep", json!({"pattern": "x", "path": scene.path("persona/.bob")})), Verdict::Deny);
    assert_eq!(ask("Glob", json!({"pattern": "**", "path": "bob"})), Verdict::Deny);
    let free = [
        "grep -r x ../persona/.ann",
        "cat ../persona/.ann/priv*/m.md",
        "cat card",
        "cat ../persona/cards/*",
        "grep -r x src/persona/.config",
        "grep -r x src",
        "ls ../persona",
        "find .. -type f",
    ];
    for script in free {
        assert_eq!(bash(script), Verdict::Allow, "{script}");
    }
}

/// A banned file is not read through links inside folders that are read whole, behind patterns, or by its other names.
#[test]
fn d_19_links_inside_folders_are_followed() {
    let scene = scene();
    scene.write(
        "home/gate.yaml",
        "version: 1\nrules:\n  - {id: x, decision: deny, match: {read: [M, secret]}, reason: r}\n",
    );
    for file in ["M", "secret/s", "src/a.rs", "lib/b.rs", "chain/c.rs", "plain/deep/d.rs", "hard/e.rs"] {
        scene.write(&format!("p/{file}"), "x");
    }
    let link = |target: &str, name: &str| std::os::unix::fs::symlink(target, scene.path(name)).unwrap();
    link("../secret", "p/src/folder");
    link("../M", "p/lib/notes.txt");
    link("../lib", "p/chain/onward");
    link("deep", "p/plain/same");
    fs::hard_link(scene.path("p/M"), scene.path("p/hard/other")).unwrap();
    let verdict = |script: &str| scene.verdict(script, &scene.path("p"));
    let denied = [
        "grep -R x src",
        "grep -nR x lib",
        "grep --dereference-recursive x lib",
        "rg -L x src",
        "rg --follow x chain",
        "grep -R x chain",
        "find -L src -exec cat {} +",
        "find lib -exec cat {} +",
        "find lib -name '*.txt' | xargs cat",
        "git ls-files | xargs cat",
        "cat src/*/*",
        "cat src/*/s",
        "cat lib/*",
        "cat lib/note?.txt",
        "cat lib/[[:alpha:]]*",
        "cat c*/onward/*",
        "for f in lib/*; do cat \"$f\"; done",
        "diff -r lib plain",
        "bash -O dotglob -c 'cat plain/*'",
        "bash +xO nullglob -c 'cat plain/*'",
        "zsh -o globdots -c 'cat plain/*'",
    ];
    for script in denied {
        assert_ne!(verdict(script), Verdict::Allow, "{script}");
    }
    let asked = ["cat plain/*/../../M", "cat plain/?eep/../../secret/s", "rg x hard", "grep -r x hard"];
    for script in asked {
        assert_eq!(verdict(script), Verdict::Prompt, "{script}");
    }
    let free = [
        "grep -r x src",
        "rg x src",
        "cat lib/*.rs",
        "cat src/*.rs",
        "grep -R x plain",
        "find lib -type f -exec cat {} +",
        "cat plain/*/*",
    ];
    for script in free {
        assert_eq!(verdict(script), Verdict::Allow, "{script}");
    }
}

/// `xargs` cuts names at blanks: what is read then has another name.
#[test]
fn d_19_names_with_blanks_are_asked_about() {
    let scene = scene();
    scene.write(
        "home/gate.yaml",
        "version: 1\nrules:\n  - {id: x, decision: deny, match: {read: S}, reason: r}\n",
    );
    for file in ["S", "plain/a", "blank/x S", "quoted/a'b"] {
        scene.write(&format!("p/{file}"), "x");
    }
    let verdict = |script: &str| scene.verdict(script, &scene.path("p"));
    assert_eq!(verdict("find blank -type f | xargs cat"), Verdict::Prompt);
    assert_eq!(verdict("find quoted -type f | xargs cat"), Verdict::Prompt);
    assert_eq!(verdict("find blank -type f -print0 | xargs -0 cat"), Verdict::Allow);
    assert_eq!(verdict("find plain -type f | xargs cat"), Verdict::Allow);
}
