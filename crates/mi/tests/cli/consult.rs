//! `mi consult` with a scripted other AI.

use super::{Mi, TempHome, TempProject};
use serde_json::{Value, json};
use std::{path::Path, time::Duration};

struct Scene {
    home: TempHome,
    project: TempProject,
}

fn scene() -> Scene {
    let scene = Scene { home: TempHome::with_values("x"), project: TempProject::python() };
    scene.home.write("task.yaml", "description: Look at add\nacceptance_criteria: [adds two numbers]\n");
    scene
}

const GOOD: &str = r#"{"verdict":"pass","criteria":[{"criterion":"adds two numbers","met":true,"evidence":"calc.py:1"}],"suggestions":[{"file":"calc.py","text":"fine"}]}"#;

impl Scene {
    fn mi(&self) -> Mi {
        Mi::new(env!("CARGO_BIN_EXE_mi"), &self.home).cwd(self.project.path())
    }

    /// An AI that writes down what it was sent and runs `script`.
    fn other(&self, script: &str) -> String {
        let seen = self.home.path().join("seen");
        let path = self.home.write("other.sh", format!("cat > {}\n{script}\n", seen.display()));
        format!("exec:sh {}", path.display())
    }

    fn answers(&self, answer: &str) -> String {
        let path = self.home.write("answer.json", answer);
        self.other(&format!("cat {}", path.display()))
    }

    fn consult(&self, by: &str, more: &[&str], code: i32) -> super::MiOutput {
        let task = self.home.path().join("task.yaml");
        let mut arguments =
            vec!["consult", "--by", by, "--mode", "review", "--task", task.to_str().unwrap(), "--json"];
        arguments.extend(more);
        self.mi().run(arguments).expect_exit(code)
    }

    fn seen(&self) -> String {
        std::fs::read_to_string(self.home.path().join("seen")).unwrap_or_default()
    }
}

/// A good answer is annotated and nothing is applied.
#[test]
fn d_06_verified_answer_is_annotated_and_never_applied() {
    let scene = scene();
    let answer = scene.consult(&scene.answers(GOOD), &["--file", "calc.py"], 0).json();
    assert_eq!((&answer["annotation"], &answer["applied"]), (&json!("[外部审查通过]"), &json!(false)));
    assert!(
        scene.seen().contains("def add") && scene.seen().contains("adds two numbers"),
        "{}",
        scene.seen()
    );
    let zh = scene.mi().env("LANG", "zh_CN.UTF-8").run([
        "consult",
        "--by",
        &scene.answers(r#"{"verdict":"concerns","suggestions":[{"file":"calc.py","text":"x"}],"commands":["git push -f origin main"]}"#),
        "--mode",
        "review",
        "--json",
        "is add right?",
    ]);
    let zh: Value = zh.expect_exit(0).json();
    assert_eq!(zh["annotation"], "[外部建议已部分采纳]");
    assert_eq!(zh["refused"][0]["what"], "git push -f origin main");
    let journal = std::fs::read_to_string(scene.home.path().join("gate/decisions.jsonl")).unwrap();
    assert_eq!(journal.matches("external_ai_call").count(), 2);
}

/// An unclear task goes to nobody.
#[test]
fn d_06_spec_gate_comes_first() {
    let scene = scene();
    scene.home.write("task.yaml", "description: x\nacceptance_criteria_missing: true\n");
    let output = scene.consult(&scene.answers(GOOD), &[], 3);
    assert!(output.err().contains("acceptance criteria are not clear"), "{output}");
    assert_eq!(scene.seen(), "");
}

/// Work is not given away without a word about when it is done; a question may be.
#[test]
fn d_06_implementation_needs_criteria() {
    let scene = scene();
    let ask = |question: &str| {
        let by = scene.answers(GOOD);
        scene.mi().run(["consult", "--by", &by, "--mode", "implement", "--json", question])
    };
    let output = ask("implement login").expect_exit(3);
    assert!(output.err().contains("acceptance criteria are not clear"), "{output}");
    assert_eq!(scene.seen(), "");
    ask("implement login; done when tests/login.py passes").expect_exit(0);
}

/// Secrets are taken out; private memory and files of secrets are refused, also through links and diffs.
#[test]
fn d_06_private_memory_and_secrets_are_not_sent() {
    let scene = scene();
    let token = format!("ghp_{}", "a".repeat(36));
    scene.project.write("note.txt", format!("token {token}\n"));
    scene.consult(&scene.answers(GOOD), &["--file", "note.txt", &format!("and {token}")], 0);
    assert!(!scene.seen().contains(&token));
    std::fs::remove_file(scene.home.path().join("seen")).unwrap();
    scene.project.write("persona/.bob/private/n.md", "secret\n");
    std::os::unix::fs::symlink("persona/.bob/private/n.md", scene.project.path().join("link.md")).unwrap();
    scene.project.write(".env", "A=1\n");
    for file in ["persona/.bob/private/n.md", "link.md", ".env"] {
        scene.consult(&scene.answers(GOOD), &["--file", file], 4);
    }
    scene.project.git(&["add", "-f", "persona"]);
    scene.consult(&scene.answers(GOOD), &["--staged"], 4);
    assert_eq!(scene.seen(), "");
}

/// D.14: neither session history nor other tasks nor personal data leave; what members share may.
#[test]
fn d_14_history_and_personal_data_are_not_sent() {
    let scene = scene();
    for file in ["sessions/2026-11/2026-11-01.md", "handoffs/h.md", "proposals/2026-11/p.md", "core/boot.md"]
    {
        scene.home.write(&format!("persona/{file}"), "said before\n");
    }
    let persona = |file: &str| scene.home.path().join("persona").join(file).display().to_string();
    let log = persona("sessions/2026-11/2026-11-01.md");
    std::os::unix::fs::symlink(&log, scene.project.path().join("notes.md")).unwrap();
    for file in [&log, "notes.md", &persona("handoffs/h.md"), &persona("proposals/2026-11/p.md")] {
        let refused = scene.consult(&scene.answers(GOOD), &["--file", file], 4);
        assert!(
            refused.err().contains("not sent to another AI") || refused.out().contains("not sent"),
            "{refused}"
        );
    }
    assert_eq!(scene.seen(), "");
    let question = "call 13812345678, mail jane@corp.example, see /home/jane/x, card 4111111111111111";
    scene.consult(&scene.answers(GOOD), &["--file", &persona("core/boot.md"), question], 0);
    for personal in ["13812345678", "jane", "4111111111111111"] {
        assert!(!scene.seen().contains(personal), "{}", scene.seen());
    }
    assert!(scene.seen().contains("said before"));
}

/// An AI that changes the tree is not listened to.
#[test]
fn d_06_changed_tree_is_refused() {
    let scene = scene();
    let evil = format!("echo x > {}/calc.py; echo '{GOOD}'", scene.project.path().display());
    let output = scene.consult(&scene.other(&evil), &[], 4);
    assert!(output.err().contains("changed the working tree"), "{output}");
}

/// A failure is tried once more, and no further.
#[test]
fn d_06_one_retry() {
    let scene = scene();
    let count = scene.home.path().join("count");
    let fails = format!("echo x >> {}; exit 1", count.display());
    scene.consult(&scene.other(&fails), &[], 1);
    assert_eq!(std::fs::read_to_string(&count).unwrap().lines().count(), 2);
    let then_well = format!("echo x >> {0}; test $(wc -l < {0}) -ge 4 && echo '{GOOD}'", count.display());
    scene.consult(&scene.other(&then_well), &[], 0);
}

/// Two at once over all processes; the third is told to wait.
#[test]
fn d_06_at_most_two_at_once() {
    let scene = scene();
    let go = scene.home.path().join("go");
    let waits = |name: &str| {
        let path = scene.home.write(
            name,
            format!(
                "touch {0}.started\nwhile ! test -f {1}; do sleep 0.05; done\necho '{GOOD}'\n",
                scene.home.path().join(name).display(),
                go.display()
            ),
        );
        format!("exec:sh {}", path.display())
    };
    let start = |by: &str| scene.mi().start(["consult", "--by", by, "--mode", "review", "is it right?"]);
    let (first, second) = (start(&waits("one")), start(&waits("two")));
    let started = |name: &str| scene.home.path().join(format!("{name}.started")).exists();
    assert!(mi_test_support::wait_until(Duration::from_secs(20), || started("one") && started("two")));
    let third = scene.consult(&scene.answers(GOOD), &[], 3);
    assert!(third.err().contains("two other AIs"), "{third}");
    std::fs::write(&go, "").unwrap();
    first.wait().expect_exit(0);
    second.wait().expect_exit(0);
    scene.consult(&scene.answers(GOOD), &[], 0);
}

/// What would be sent can be seen before, and is little: no history, no other file.
#[test]
fn d_14_minimal_context_can_be_seen() {
    let scene = scene();
    scene.project.write("other.py", "nobody = 'asked'\n");
    let shown =
        scene.consult("codex", &["--file", "calc.py", "--constraint", "keep it short", "--dry-run"], 0).out();
    assert!(
        shown.contains("def add") && shown.contains("- keep it short") && !shown.contains("nobody"),
        "{shown}"
    );
    assert!(!shown.contains(&Path::new(&scene.project.path()).display().to_string()));
    scene.mi().run(["consult", "--by", "nobody", "--mode", "review", "x"]).expect_exit(2);
    scene.mi().run(["consult", "--by", "codex", "--mode", "review"]).expect_exit(2);
}

/// The path on which a program and everything it needs is found.
fn path_with(program: &Path) -> std::ffi::OsString {
    let folder = program.parent().unwrap().to_owned();
    let inherited = mi_test_support::tool_path();
    std::env::join_paths([folder].into_iter().chain(std::env::split_paths(&inherited))).unwrap()
}

/// The real Claude Code is asked on a scripted model: it gets the minimal context, has no tool that changes anything, and
/// its answer is checked and annotated; an answer that no criterion meets is not.
#[test]
fn d_06_real_claude_is_consulted() {
    let Some(claude) = mi_test_support::installed("claude") else { return };
    let scene = scene();
    // A review gets no tools, and the scripted model takes requests without tools for side requests.
    let say = |text: &str| {
        mi_test_support::FakeModel::start(json!({"turns": [{"say": text}], "side_uses_turns": true}))
    };
    let task = scene.home.path().join("task.yaml");
    let ask = |model: &mi_test_support::FakeModel| {
        let home = mi_test_support::ClaudeHome::new(model);
        let arguments = [
            "consult",
            "--by",
            "claude",
            "--mode",
            "review",
            "--task",
            task.to_str().unwrap(),
            "--file",
            "calc.py",
            "--json",
        ];
        let mi = scene.mi().envs(home.env()).env("PATH", path_with(&claude)).limit(Duration::from_secs(170));
        mi.run(arguments)
    };
    let model = say(GOOD);
    let answer = ask(&model).expect_exit(0).json();
    assert_eq!((&answer["annotation"], &answer["applied"]), (&json!("[外部审查通过]"), &json!(false)));
    let sent = model.model_requests().iter().map(Value::to_string).collect::<String>();
    assert!(sent.contains("def add") && sent.contains("adds two numbers"), "{sent}");
    for tool in ["\"Bash\"", "\"Write\"", "\"Edit\""] {
        assert!(!sent.contains(&format!("\"name\":{tool}")), "{tool} is offered: {sent}");
    }
    let chat = ask(&say("I like it.")).expect_exit(0).json();
    assert_eq!((&chat["annotation"], &chat["unmet"]), (&Value::Null, &json!(["adds two numbers"])), "{chat}");
}
