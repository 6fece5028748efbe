//! `mi deploy`: six items, each proven or missing; health; the way back.

use super::{Mi, MiOutput, TempHome, TempProject};
use serde_json::{Value, json};
use std::{
    io::{Read, Write},
    net::TcpListener,
    thread,
};

struct Scene {
    home: TempHome,
    project: TempProject,
}

const PLAN: &str = "version: 1
targets:
  production:
    tests: python3 -m unittest good
    environment: deploy/needed
    environment_file: deploy/production.env
    rollback_plan: deploy/rollback.md
    rollback: touch rolled-back
    smoke_test: test -f smoke
    log: app.log
";

const GOOD: &str =
    "import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.assertTrue(True)\n";

/// Everything is in order but for what the person says.
fn scene() -> Scene {
    let project = TempProject::git_with(&[
        (".mi/deploy.yaml", PLAN),
        (".gitignore", "__pycache__\nrolled-back\nsmoke\napp.log\n"),
        ("good.py", GOOD),
        ("deploy/needed", "# needed\nDATABASE_URL\n"),
        ("deploy/production.env", "DATABASE_URL=x\n"),
        ("deploy/rollback.md", "Put the old release back.\n"),
    ]);
    Scene { home: TempHome::with_values("x"), project }
}

impl Scene {
    fn mi(&self, arguments: &[&str]) -> MiOutput {
        Mi::new(env!("CARGO_BIN_EXE_mi"), &self.home).cwd(self.project.path()).run(arguments)
    }

    fn check(&self, code: i32) -> Value {
        self.mi(&["deploy", "check", "--json"]).expect_exit(code).json()
    }

    fn approve(&self) {
        self.mi(&["deploy", "record", "review"]).expect_exit(0);
        self.mi(&["deploy", "record", "window"]).expect_exit(0);
    }
}

fn missing(list: &Value) -> Vec<String> {
    let items = list["items"].as_array().unwrap().iter();
    items
        .filter(|row| row["state"] == "missing")
        .map(|row| row["item"].as_str().unwrap().to_owned())
        .collect()
}

/// With all six proven it may go; a record of the deployment is taken only then.
#[test]
fn d_16_all_six_items_are_proven() {
    let scene = scene();
    let list = scene.check(4);
    assert_eq!(missing(&list), ["diff_reviewed", "window_confirmed"]);
    scene.mi(&["deploy", "record", "deployed"]).expect_exit(4);
    scene.approve();
    let list = scene.check(0);
    assert_eq!(
        (missing(&list), &list["blocked"], list["items"].as_array().unwrap().len()),
        (vec![], &json!(false), 6)
    );
    scene.mi(&["deploy", "record", "deployed"]).expect_exit(0);
}

/// Each item alone blocks.
#[test]
fn d_16_each_missing_item_blocks_with_exit_4() {
    type Spoil = (&'static str, fn(&Scene));
    let spoils: [Spoil; 7] = [
        // A runner of the project's own.
        ("tests_pass", |scene| {
            let plan = PLAN.lines().map(|line| match line.trim_start().starts_with("tests:") {
                true => "    tests: echo 3 passed, 1 skipped",
                false => line,
            });
            drop(scene.project.write(".mi/deploy.yaml", plan.collect::<Vec<_>>().join("\n")));
        }),
        ("tree_clean", |scene| drop(scene.project.write("left", "x"))),
        ("environment_verified", |scene| {
            drop(scene.project.write("deploy/needed", "DATABASE_URL\nAPI_KEY\n"))
        }),
        ("rollback_plan", |scene| drop(scene.project.write("deploy/rollback.md", " \n"))),
        ("tests_pass", |scene| drop(scene.project.write("good.py", GOOD.replace("True)", "False)")))),
        ("tests_pass", |scene| {
            let skipped = GOOD.replace("    def", "    @unittest.skip('later')\n    def");
            drop(scene.project.write("good.py", skipped));
        }),
        ("tests_pass", |scene| drop(scene.project.write("good.py", "import unittest\n"))),
    ];
    for (item, spoil) in spoils {
        let scene = scene();
        spoil(&scene);
        if item != "tree_clean" {
            scene.project.commit("spoiled");
        }
        scene.approve();
        assert_eq!(missing(&scene.check(4)), [item]);
    }
}

/// D.16: a runner's own words count whoever calls it: no test, or one that was skipped, blocks; where nothing is said,
/// the exit code speaks and no number is made up.
#[test]
fn d_16_tests_that_did_not_run_prove_nothing() {
    let scene = scene();
    scene.project.write(".mi/deploy.yaml", PLAN.replace("python3 -m unittest good", "sh tests.sh"));
    for (printed, proven) in [
        ("running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored", None),
        ("Ran 0 tests in 0.000s\n\nOK", None),
        ("collected 0 items\n\nno tests ran", None),
        ("collected 0 items", None),
        ("--- SKIP: TestX (0.00s)\nPASS", None),
        ("=== 5 passed, 1 xfailed ===", None),
        ("0 passed", None),
        ("test result: ok. 3 passed; 0 failed; 0 ignored", Some("3 passed")),
        ("ok  \tpkg\t0.003s", Some("exit code 0")),
        ("", Some("exit code 0")),
    ] {
        scene.project.write("tests.sh", format!("cat <<'E'\n{printed}\nE\n"));
        scene.project.commit("other tests");
        scene.approve();
        let list = scene.check(if proven.is_some() { 0 } else { 4 });
        let by = list["items"][0]["by"].as_str();
        assert_eq!(
            (by.is_some(), missing(&list).len()),
            (proven.is_some(), 1 - by.iter().count()),
            "{printed}"
        );
        assert!(by.unwrap_or_default().contains(proven.unwrap_or_default()), "{printed}: {by:?}");
    }
}

/// An approval is of one commit: the next one needs its own.
#[test]
fn d_16_approval_is_of_that_exact_commit() {
    let scene = scene();
    scene.approve();
    scene.project.write("good.py", format!("{GOOD}\n# changed\n"));
    scene.project.commit("changed");
    assert_eq!(missing(&scene.check(4)), ["diff_reviewed", "window_confirmed"]);
}

/// Without a plan nothing is deployed; a plan that cannot be read is told with its line.
#[test]
fn d_16_no_plan_blocks() {
    let scene = scene();
    scene.project.write(".mi/deploy.yaml", PLAN.replace("tests:", "test:"));
    let output = scene.mi(&["deploy", "check"]).expect_exit(2);
    assert!(output.err().contains("line 4") && output.err().contains("`tests`"), "{output}");
    scene.mi(&["deploy", "check", "--target", "moon"]).expect_exit(2);
    std::fs::remove_file(scene.project.path().join(".mi/deploy.yaml")).unwrap();
    scene.mi(&["deploy", "check"]).expect_exit(4);
}

/// Answers every request with this status.
fn serve(status: u16) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let _ = stream.read(&mut [0; 4096]);
            let _ = write!(stream, "HTTP/1.1 {status} x\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
        }
    });
    format!("http://{address}/health")
}

/// Well: endpoint, smoke test and log agree. Not well: symptom, cause and the proposed way back, and it waits.
#[test]
fn d_16_health_is_told_and_waits_for_the_person() {
    let scene = scene();
    let at = |status: u16| {
        scene.project.write(".mi/deploy.yaml", format!("{PLAN}    health: {}\n", serve(status)))
    };
    at(200);
    scene.project.write("smoke", "");
    scene.project.write("app.log", "started\n");
    assert_eq!(scene.mi(&["deploy", "health", "--json"]).expect_exit(0).json()["health"], "good");
    at(503);
    scene.project.write("app.log", "FATAL: no DATABASE_URL\n");
    let ill = scene.mi(&["deploy", "health", "--json"]).expect_exit(3).json();
    assert_eq!(ill["symptom"], "the health endpoint answers 503; 1 start-up errors in the log");
    assert_eq!(
        (&ill["suspected_cause"], &ill["proposed_rollback"]),
        (&json!("FATAL: no DATABASE_URL"), &json!("touch rolled-back"))
    );
    assert!(!scene.project.path().join("rolled-back").exists());
}

/// Nothing is rolled back without the person.
#[test]
fn d_16_rollback_waits_for_the_person() {
    let scene = scene();
    let output = scene.mi(&["deploy", "rollback"]).expect_exit(3);
    assert!(
        output.err().contains("touch rolled-back") && output.err().contains("Put the old release back."),
        "{output}"
    );
    assert!(!scene.project.path().join("rolled-back").exists());
    let script = "import os,pty,sys\npid,fd=pty.fork()\nif pid==0: os.execv(sys.argv[2],sys.argv[2:])\nos.write(fd,(sys.argv[1]+'\\n').encode())\ntry:\n  while os.read(fd,4096): pass\nexcept OSError: pass\nsys.exit(os.waitstatus_to_exitcode(os.waitpid(pid,0)[1]))\n";
    let typed = |answer: &str| {
        Mi::new("/usr/bin/env", &scene.home).cwd(scene.project.path()).run([
            "python3",
            "-c",
            script,
            answer,
            env!("CARGO_BIN_EXE_mi"),
            "deploy",
            "rollback",
        ])
    };
    typed("y").expect_exit(3);
    assert!(!scene.project.path().join("rolled-back").exists());
    typed("production").expect_exit(0);
    assert!(scene.project.path().join("rolled-back").exists());
}
