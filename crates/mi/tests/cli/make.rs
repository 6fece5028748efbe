//! `mi make`: a scripted model writes files, the box checks them, a branch keeps them.

use mi_test_support::{FakeModel, Mi, MiOutput, TempHome, TempProject};
use serde_json::{Value, json};
use std::process::Command;

struct Place {
    home: TempHome,
    project: TempProject,
}

impl Place {
    fn new() -> Self {
        Self { home: TempHome::new(), project: TempProject::python() }
    }

    fn make(&self, model: &FakeModel, arguments: &[&str]) -> MiOutput {
        self.run(model, &[&["make", "--json"], arguments].concat())
    }

    fn run(&self, model: &FakeModel, words: &[&str]) -> MiOutput {
        Mi::new(env!("CARGO_BIN_EXE_mi"), &self.home)
            .cwd(self.project.path())
            .env("OPENAI_BASE_URL", model.openai_url())
            .env("OPENAI_MODEL", "fake-1")
            .limit(std::time::Duration::from_secs(120))
            .run(words)
    }

    /// Copies of the project that makings left.
    fn leftovers(&self) -> Vec<String> {
        let makings = std::fs::read_dir(self.home.path().join("make")).into_iter().flatten().flatten();
        let left = makings.flat_map(|making| ["work", "index"].map(|name| making.path().join(name)));
        left.filter(|path| path.exists()).map(|path| path.display().to_string()).collect()
    }

    fn git(&self, arguments: &[&str]) -> String {
        let output = Command::new("git").args(arguments).current_dir(self.project.path()).output().unwrap();
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }
}

/// A model that says these replies, one per request.
fn model(replies: &[&str]) -> FakeModel {
    let turns: Vec<Value> = replies.iter().map(|reply| json!({"say": reply})).collect();
    FakeModel::start(json!({"turns": turns, "side_uses_turns": true}))
}

fn finished(output: &MiOutput) -> Value {
    output.events().pop().unwrap()
}

const GOOD: &str = "Create file `greet.py`:\n```python\ndef greet():\n    return 'hello'\n```\n\n\
                    Create file `check.sh`:\n```sh\npython3 -c 'import greet; assert greet.greet() == \"hello\"'\n```\n";

/// O: a reply without files ends in task_analysis, said clearly; the prompt has the format and the boundaries.
#[test]
fn o_make_without_files_is_task_analysis() {
    let place = Place::new();
    let model = model(&["This needs no file."]);
    let output = place.make(&model, &["What does this project do?", "--", "true"]).expect_exit(3);
    assert_eq!(finished(&output)["status"], "task_analysis");
    assert_eq!(place.leftovers(), Vec::<String>::new());
    let asked = model.requests().last().unwrap()["body"].to_string();
    for words in [
        "Create file",
        "one fenced code block",
        "Uploads are prohibited",
        "/workspace/output",
        "What does this project do?",
    ] {
        assert!(asked.contains(words), "{words}: {asked}");
    }
    assert!(!asked.contains("json_schema"));
    assert_eq!(place.git(&["branch", "--list", "mi/*"]), "");
}

/// O: a role that nobody configured is answered by the default; a configured one by its own model.
#[test]
fn o_make_role_never_ends_without_a_provider() {
    let place = Place::new();
    place.home.write_config("[make]\nroles = [\"architect=openai:fake-2\"]\n");
    for (role, expected) in [("nobody", "fake-1"), ("architect", "fake-2")] {
        let model = model(&["No file."]);
        let output = place.make(&model, &["x", "--role", role, "--", "true"]).expect_exit(3);
        assert_eq!(output.events()[0]["model"], expected);
        assert_eq!(model.requests().last().unwrap()["body"]["model"], expected);
    }
    let alone = Mi::new(env!("CARGO_BIN_EXE_mi"), &place.home).cwd(place.project.path()).run(["make", "x"]);
    assert!(alone.err().contains("make.model"), "{}", alone.err());
    assert_eq!(alone.code(), Some(2));
}

/// O: refused files are shown to the model, which gets no more rounds than allowed; nothing is kept.
#[test]
fn o_make_refusals_go_back_for_bounded_rounds() {
    let place = Place::new();
    let bad = "```text:../escape\nx\n```\n";
    let model = model(&[bad, bad, bad]);
    let output = place.make(&model, &["x", "--rounds", "2", "--", "true"]).expect_exit(3);
    assert_eq!(
        (&finished(&output)["status"], &finished(&output)["rounds"]),
        (&json!("out_of_rounds"), &json!(2))
    );
    let asked: Vec<String> = model.requests().iter().map(|request| request["body"].to_string()).collect();
    assert!(asked.last().unwrap().contains("climbing_path"), "{asked:?}");
    assert_eq!(place.git(&["branch", "--list", "mi/*"]), "");
    let told =
        place.run(&self::model(&[bad]), &["make", "x", "--rounds", "1", "--", "true"]).expect_exit(3).out();
    let reply = told.trim().rsplit_once("the last reply is ").map(|(_, path)| path.to_owned());
    assert!(reply.is_some_and(|path| std::path::Path::new(&path).exists()), "{told}");
}

/// S: a file with a secret in it is refused, the model is told which, and no branch gets it.
#[test]
fn s_make_keeps_no_secret() {
    let place = Place::new();
    let key = format!(
        "-----BEGIN {0} KEY-----\n{1}\n-----END {0} KEY-----",
        "PRIVATE",
        "MIIEvQIBADANBgkqhkiG9w0B".repeat(4)
    );
    let leaking = format!("```python:key.py\nKEY = \"\"\"{key}\"\"\"\n```\n");
    let model = model(&[&leaking, GOOD]);
    let output = place.make(&model, &["x", "--rounds", "2", "--engine", "none", "--", "true"]).expect_exit(3);
    let asked: Vec<String> = model.requests().iter().map(|request| request["body"].to_string()).collect();
    assert!(asked.last().unwrap().contains("key.py: it holds a secret"), "{asked:?}");
    let branch = finished(&output)["branch"].as_str().unwrap().to_owned();
    let kept = place.git(&["ls-tree", "--name-only", &branch]);
    assert!(kept.contains("greet.py") && !kept.contains("key.py"), "{kept}");
}

/// O: a model that cannot be reached is an error with what to do, and leaves no branch.
#[test]
fn o_make_unreachable_model_is_an_error() {
    let place = Place::new();
    let output = Mi::new(env!("CARGO_BIN_EXE_mi"), &place.home)
        .cwd(place.project.path())
        .env("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
        .env("OPENAI_MODEL", "fake-1")
        .run(["make", "x", "--", "true"])
        .expect_exit(1);
    assert!(output.err().contains("127.0.0.1:9"), "{}", output.err());
    assert_eq!(place.leftovers(), Vec::<String>::new());
}

/// O: the command that gives the key runs in the project's folder, and a failure leaves no copy of the project.
#[test]
fn o_make_key_command_runs_in_the_project() {
    let place = Place::new();
    let model = model(&["No file."]);
    place.home.write_config("[mind.openai]\nkey_command = \"cat key.txt\"\n");
    let missing = place.make(&model, &["x", "--", "true"]).expect_exit(3);
    assert!(missing.err().contains("gave no key"), "{}", missing.err());
    place.project.write("key.txt", "k-1\n");
    place.make(&model, &["x", "--", "true"]).expect_exit(3);
    assert!(model.requests().last().is_some());
    assert_eq!(place.leftovers(), Vec::<String>::new());
}

/// O: a failing check goes back to the model; when it passes in the box, a branch has files, manifest and report, and
/// the working tree is as it was.
#[test]
fn o_make_feeds_failures_back_and_keeps_a_branch() {
    if mi_test_support::installed("bwrap").is_none() {
        return;
    }
    let place = Place::new();
    let wrong = GOOD.replace("return 'hello'", "return 'bye'");
    let model = model(&[&wrong, GOOD]);
    let before = place.git(&["status", "--porcelain"]);
    let output = place.make(&model, &["Greet", "--engine", "bwrap", "--", "sh", "check.sh"]).expect_exit(0);
    let end = finished(&output);
    assert_eq!((&end["status"], &end["rounds"]), (&json!("done"), &json!(2)), "{}", output.out());
    let asked = model.requests().last().unwrap()["body"].to_string();
    assert!(asked.contains("AssertionError") && asked.contains("exit code 1"), "{asked}");
    let branch = end["branch"].as_str().unwrap();
    let kept = place.git(&["diff", "--name-only", &format!("HEAD...{branch}")]);
    let id = end["id"].as_str().unwrap();
    for file in
        ["greet.py".to_owned(), format!(".mi/make/{id}/check.json"), format!(".mi/make/{id}/manifest.json")]
    {
        assert!(kept.lines().any(|line| line == file), "{file}: {kept}");
    }
    assert_eq!(place.git(&["status", "--porcelain"]), before);
    assert_eq!(place.git(&["show", &format!("{branch}:greet.py")]), "def greet():\n    return 'hello'");
}

/// X20: a check that was not run does not pass.
#[test]
fn x_20_make_without_an_engine_is_unchecked() {
    let place = Place::new();
    let model = model(&[GOOD]);
    let output = place.make(&model, &["Greet", "--engine", "none", "--", "false"]).expect_exit(3);
    assert_eq!(finished(&output)["status"], "unchecked", "{}", output.out());
}

/// A: a run that admission denies ends there; the model is not asked for another way.
#[test]
fn a_make_denied_run_is_not_tried_another_way() {
    if mi_test_support::installed("bwrap").is_none() {
        return;
    }
    let place = Place::new();
    let model = model(&[GOOD, GOOD]);
    let output = place.make(&model, &["Greet", "--engine", "bwrap", "--", "git", "push"]).expect_exit(4);
    let end = finished(&output);
    assert_eq!((&end["status"], &end["rounds"]), (&json!("denied"), &json!(1)));
    assert!(end["denials"].to_string().contains("F.upload"), "{end}");
}
