//! `mi plan synthesize --apply` and `mi memory gc` killed at random instants: all or nothing, and git has the rest.

use mi_model::Timestamp;
use mi_test_support::{Mi, TempHome, TempProject};
use mi_workspace::{Layout, Tool, Workspace};
use serde_json::{Value, json};
use std::{
    fs,
    path::PathBuf,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

const ROUNDS: u64 = 12;

struct Scene {
    home: TempHome,
    project: TempProject,
}

impl Scene {
    fn new() -> Self {
        Self { home: TempHome::new(), project: TempProject::python() }
    }

    fn mi(&self) -> Mi {
        Mi::new(env!("CARGO_BIN_EXE_mi"), &self.home)
            .cwd(self.project.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
    }

    fn call(&self, tool: Tool, arguments: &Value) -> Value {
        let now: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        Workspace::new(Layout::new(self.project.path())).call(tool, arguments, now).unwrap()
    }

    fn note(&self, name: &str) -> PathBuf {
        self.project.path().join(".nexus/memory").join(name)
    }

    /// Runs `mi` and kills it within the time that it takes when nobody does; says whether it came to its end.
    fn killed(&self, arguments: &[&str], after: Duration) -> bool {
        let running = self.mi().start(arguments);
        thread::sleep(after);
        running.kill();
        let output = running.wait();
        self.wait_for_git();
        assert!(matches!(output.code(), Some(0) | None), "{}", output.err());
        output.code() == Some(0)
    }

    /// What a killed `mi` had started ends within two seconds, and git takes its own locks away.
    fn wait_for_git(&self) {
        let is_lock = |entry: std::io::Result<fs::DirEntry>| {
            entry.is_ok_and(|entry| entry.path().extension().is_some_and(|ending| ending == "lock"))
        };
        for _ in 0..300 {
            let folders = [".git", ".git/refs/heads"].map(|folder| self.project.path().join(folder));
            if !folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap()).any(is_lock) {
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
        panic!("a lock of git was left behind");
    }

    fn git(&self, arguments: &[&str]) -> String {
        let output = Command::new("git")
            .args(arguments)
            .current_dir(self.project.path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// The name under which git keeps a text.
    fn blob(&self, text: &str) -> String {
        self.project.write("the-text", text);
        self.git(&["hash-object", "the-text"]).trim().to_owned()
    }
}

/// Instants spread over the time that a command takes, in an order by chance.
fn instants(whole: Duration) -> impl Iterator<Item = Duration> {
    let mut chance = 0x2545_f491_4f6c_dd1d_u64;
    (0..ROUNDS).map(move |_| {
        chance ^= chance << 13;
        chance ^= chance >> 7;
        chance ^= chance << 17;
        whole.mul_f64((chance % 1000) as f64 / 900.0)
    })
}

/// After a kill there is no task of the drafts or there are all; doing it again adds what is missing, once.
#[test]
fn nx_286_a_killed_synthesis_adds_all_tasks_or_none() {
    let scene = Scene::new();
    let titles: Vec<String> = (1..=30).map(|id| format!("Question {id}")).collect();
    scene.call(Tool::PlanStart, &json!({"topic": "Reach", "issues": titles, "research_summary": ""}));
    for id in 1..=30 {
        let decision = format!("Retry requests in src/part{id}.rs. Acceptance: a timeout is retried twice");
        scene.call(Tool::PlanDecide, &json!({"issue_id": id, "decision": decision}));
    }
    let drafts = scene.mi().run(["plan", "synthesize", "--json"]).expect_exit(0).json();
    let wanted = drafts["tasks"].as_array().unwrap().len();
    assert!(wanted >= 60, "{wanted}");
    let tasks = scene.project.path().join(".nexus/state/tasks.json");
    let whole = scene.mi().run(["plan", "synthesize", "--apply"]).expect_exit(0).elapsed;
    for after in instants(whole) {
        fs::remove_file(&tasks).unwrap();
        let ended = scene.killed(&["plan", "synthesize", "--apply"], after);
        let found = match fs::read(&tasks) {
            Ok(bytes) => serde_json::from_slice::<Value>(&bytes).unwrap()["tasks"].as_array().unwrap().len(),
            Err(_) => 0,
        };
        assert!(found == wanted || (found == 0 && !ended), "{found} of {wanted} tasks after {after:?}");
        scene.mi().run(["plan", "synthesize", "--apply"]).expect_exit(0);
        assert_eq!(scene.call(Tool::TaskList, &json!({}))["summary"]["total"], wanted);
    }
}

/// Two that apply at the same time add every task once.
#[test]
fn nx_286_two_syntheses_at_once_add_every_task_once() {
    let scene = Scene::new();
    scene.call(Tool::PlanStart, &json!({"topic": "t", "issues": ["a", "b"], "research_summary": ""}));
    for id in 1..=2 {
        scene.call(Tool::PlanDecide, &json!({"issue_id": id, "decision": format!("Change src/x{id}.rs")}));
    }
    let drafts = scene.mi().run(["plan", "synthesize", "--json"]).expect_exit(0).json();
    let running: Vec<_> = (0..4).map(|_| scene.mi().start(["plan", "synthesize", "--apply"])).collect();
    for one in running {
        one.wait().expect_exit(0);
    }
    let list = scene.call(Tool::TaskList, &json!({}));
    assert_eq!(list["summary"]["total"], drafts["tasks"].as_array().unwrap().len());
}

/// After a kill each note is on the disk, or git gives it back; the repository is sound and the next deletion works.
#[test]
fn nx_335_a_killed_deletion_loses_no_note() {
    let scene = Scene::new();
    let names: Vec<String> =
        (0..3).map(|number| format!("empirical-thing-{}.md", ["a", "b", "c"][number])).collect();
    let text = |name: &str, round: u64| format!("The {name} took {round} seconds.\n");
    let mut whole = Duration::ZERO;
    let arguments = || ["memory", "gc", "--delete"].into_iter().chain(names.iter().map(String::as_str));
    for (round, after) in (0..).zip(std::iter::once(Duration::ZERO).chain(instants(Duration::from_secs(1)))) {
        let texts: Vec<String> = names.iter().map(|name| text(name, round)).collect();
        for (name, text) in names.iter().zip(&texts) {
            scene.project.write(&format!(".nexus/memory/{name}"), text);
        }
        observe(&scene, &names);
        if round == 0 {
            whole = scene.mi().run(arguments()).expect_exit(0).elapsed;
            continue;
        }
        let arguments: Vec<&str> = arguments().collect();
        scene.killed(&arguments, whole.mul_f64(after.as_secs_f64()));
        scene.git(&["fsck", "--strict"]);
        scene.git(&["status", "--porcelain"]);
        let kept = scene.git(&["rev-list", "--objects", "HEAD"]);
        for (name, text) in names.iter().zip(&texts) {
            match fs::read_to_string(scene.note(name)) {
                Ok(found) => assert_eq!(found, *text),
                Err(_) => assert!(kept.contains(&scene.blob(text)), "{name} is gone after {after:?}"),
            }
        }
        let log = scene.project.read(".nexus/state/x/memory-access.jsonl");
        assert!(log.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{log}");
        let left: Vec<&str> =
            names.iter().map(String::as_str).filter(|name| scene.note(name).exists()).collect();
        if !left.is_empty() {
            scene.mi().run(["memory", "gc", "--delete"].iter().chain(&left)).expect_exit(0);
        }
    }
    assert!(names.iter().all(|name| !scene.note(name).exists()));
    let litter = fs::read_dir(scene.project.path().join(".nexus/state")).unwrap();
    let litter: Vec<_> = litter.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(litter, ["x"]);
}

/// After a kill the text of a note that is merged stands in one of the two or in both, and merging again ends it.
#[test]
fn nx_337_a_killed_merge_loses_no_text() {
    let scene = Scene::new();
    let (into, from) = ("empirical-lock-order.md", "empirical-disk-flush.md");
    let (first, second) = ("Take the plan lock first.\n", "Flush the folder once.\n");
    let put = || {
        scene.project.write(&format!(".nexus/memory/{into}"), first);
        scene.project.write(&format!(".nexus/memory/{from}"), second);
    };
    put();
    let whole = scene.mi().run(["memory", "gc", "--merge", into, from]).expect_exit(0).elapsed;
    for after in instants(whole) {
        put();
        scene.killed(&["memory", "gc", "--merge", into, from], after);
        scene.git(&["fsck", "--strict"]);
        if scene.note(from).exists() {
            assert_eq!(fs::read_to_string(scene.note(from)).unwrap(), second);
            scene.mi().run(["memory", "gc", "--merge", into, from]).expect_exit(0);
        }
        let text = fs::read_to_string(scene.note(into)).unwrap();
        assert_eq!(text, format!("{first}\n## Disk flush\n\n{second}"), "after {after:?}");
        assert!(!scene.note(from).exists());
    }
}

fn observe(scene: &Scene, names: &[String]) {
    let line = |name: &String| {
        let path = scene.note(name);
        let read = json!({"path": path, "last_accessed_ts": "2026-01-01T00:00:00Z", "access_count": 1, "last_agent": "x"});
        format!("{read}\n")
    };
    let lines: String = names.iter().map(line).collect();
    scene.project.write(".nexus/state/x/memory-access.jsonl", lines);
}
