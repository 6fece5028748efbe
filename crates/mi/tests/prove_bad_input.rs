//! `mi prove` where something is wrong: with the check, the change, the repository or the machine.
//!
//! Each test looks for one clear message and the right exit code. After each the person's tree is what it was, byte for
//! byte, and the next command leaves no scratch copy.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]
#![expect(clippy::disallowed_methods, reason = "tests start programs of their own")]

use mi_test_support::{
    Mi, MiOutput, Podman, SmallDisk, TempHome, TempProject, descendants_with_marker, installed,
    leftovers_after, skipped, wait_until,
};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

const BASE: &str = "def add(a, b):\n    return a - b\n";
const FIXED: &str = "def add(a, b):\n    return a + b\n";
const TEST: &str = "import unittest\nfrom calc import add\n\n\nclass AddTest(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(1, 2), 3)\n";
const CHECK: &str = "python3 -m unittest -q";

/// A home, a project with an uncommitted fix, and the project as it was before `mi` ran.
struct Scene {
    home: TempHome,
    project: TempProject,
    before: BTreeMap<String, String>,
}

impl Scene {
    /// A fix with its test, uncommitted. `None` where there is no sandbox.
    fn new() -> Option<Self> {
        installed("bwrap")?;
        let project = TempProject::git_with(&[("calc.py", BASE), (".gitignore", "ignored/\n")]);
        project.write("calc.py", FIXED);
        project.write("test_calc.py", TEST);
        Some(Self::of(project))
    }

    fn of(project: TempProject) -> Self {
        let before = fingerprint(project.path());
        Self { home: TempHome::new(), project, before }
    }

    fn mi(&self) -> Mi {
        Mi::new(env!("CARGO_BIN_EXE_mi"), &self.home).cwd(self.project.path()).limit(Duration::from_secs(240))
    }

    fn prove(&self, more: &[&str]) -> MiOutput {
        self.mi().run(["prove", "--json"].iter().chain(more))
    }

    /// The project is what it was, nothing runs any more, and the next command leaves no copy.
    #[track_caller]
    fn expect_clean(&self) {
        let now = fingerprint(self.project.path());
        let differs: Vec<&String> = self
            .before
            .iter()
            .chain(&now)
            .filter(|(name, _)| self.before.get(*name) != now.get(*name))
            .map(|(name, _)| name)
            .collect();
        assert!(differs.is_empty(), "changed in the person's tree: {differs:?}");
        let marker = self.home.path();
        assert_eq!(leftovers_after(marker.to_str().unwrap(), Duration::from_secs(5)), []);
        self.mi().run(["status"]);
        assert_eq!(self.copies(), Vec::<String>::new(), "scratch copies are left");
    }

    fn copies(&self) -> Vec<String> {
        let entries = fs::read_dir(self.home.path().join("scratch")).into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }
}

/// Every file below a folder with its mode and content, `.git` included.
fn fingerprint(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(next) = waiting.pop() {
        for entry in fs::read_dir(next).unwrap().flatten() {
            let path = entry.path();
            let about = fs::symlink_metadata(&path).unwrap();
            let content = if about.is_symlink() {
                format!("-> {}", fs::read_link(&path).unwrap().display())
            } else if about.is_dir() {
                waiting.push(path.clone());
                String::new()
            } else {
                format!("{:?}", fs::read(&path).unwrap())
            };
            let name = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
            found.insert(name, format!("{:o} {content}", about.permissions().mode()));
        }
    }
    found
}

/// Why nothing could be told, in one line.
#[track_caller]
fn only_reason(output: &MiOutput) -> String {
    let report = output.json();
    let left: Vec<&str> = report["left"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(left.len(), 1, "{output}");
    left[0].to_owned()
}

#[track_caller]
fn expect_unknown(output: MiOutput, reason: &str) {
    let output = output.expect_exit(3);
    assert_eq!(output.json()["status"], "unknown", "{output}");
    let said = only_reason(&output);
    assert!(said.contains(reason), "{said:?} does not say {reason:?}");
}

/// What `mi` says on standard error when it cannot begin.
#[track_caller]
fn expect_refusal(output: MiOutput, exit: i32, reason: &str) {
    let output = output.expect_exit(exit);
    assert!(output.err().contains(reason), "{output}");
    assert!(output.err().lines().count() <= 3, "{output}");
}

/// The check of each scene works where nothing is wrong.
#[test]
fn nothing_wrong_is_shown() {
    let Some(scene) = Scene::new() else { return };
    let output = scene.prove(&["--check", CHECK]).expect_exit(0);
    assert_eq!(output.json()["status"], "shown", "{output}");
    scene.expect_clean();
}

#[test]
fn a_check_that_hangs() {
    let Some(scene) = Scene::new() else { return };
    let began = Instant::now();
    expect_unknown(scene.prove(&["--time", "2s", "--check", "sleep 600"]), "did not end within its time");
    assert!(began.elapsed() < Duration::from_secs(20));
    scene.expect_clean();
}

/// One that ignores the request to end is killed.
#[test]
fn a_check_that_hangs_and_does_not_listen() {
    let Some(scene) = Scene::new() else { return };
    let check = "trap '' TERM INT HUP; while :; do sleep 1; done";
    expect_unknown(scene.prove(&["--time", "2s", "--check", check]), "did not end within its time");
    scene.expect_clean();
}

/// A check that hangs only once the work is taken back is unknown, not red.
#[test]
fn a_check_that_hangs_without_the_work() {
    let Some(scene) = Scene::new() else { return };
    let check = "grep -q 'a + b' calc.py || sleep 600";
    expect_unknown(scene.prove(&["--time", "2s", "--check", check]), "did not end within its time");
    scene.expect_clean();
}

#[test]
fn a_check_that_floods() {
    let Some(scene) = Scene::new() else { return };
    let check = format!("head -c 100000000 /dev/zero | tr '\\0' 'x'; echo; {CHECK}");
    let output = scene.prove(&["--check", &check]).expect_exit(0);
    assert_eq!(output.json()["status"], "shown", "{output}");
    assert!(output.stdout.len() < 100_000, "{} bytes", output.stdout.len());
    scene.expect_clean();
}

#[test]
fn a_check_that_needs_a_network() {
    let Some(scene) = Scene::new() else { return };
    let check = "python3 -c \"import socket; socket.create_connection(('example.com', 80), 5)\"";
    expect_unknown(scene.prove(&["--check", check]), "needs a network");
    scene.expect_clean();
}

/// What a check writes, removes and changes stays in the copy, and the next run begins with the change again.
#[test]
fn a_check_that_writes_into_the_tree() {
    let Some(scene) = Scene::new() else { return };
    let check = format!(
        "[ ! -e new.txt ] || exit 7; {CHECK} || exit 1; echo x > new.txt; rm -rf .gitignore; echo 'broken(' >> test_calc.py; \
         chmod 000 calc.py; echo x > .git/mi-was-here; true"
    );
    let output = scene.prove(&["--check", &check]).expect_exit(0);
    assert_eq!(output.json()["status"], "shown", "{output}");
    scene.expect_clean();
}

#[test]
fn a_check_that_writes_elsewhere() {
    let Some(scene) = Scene::new() else { return };
    let target = scene.home.user_home().join("written");
    let check = format!("echo x > {}; {CHECK}", target.display());
    scene.prove(&["--check", &check]).expect_exit(0);
    assert!(!target.exists());
    scene.expect_clean();
}

#[test]
fn a_check_that_needs_more_memory() {
    let Some(scene) = Scene::new() else { return };
    let check = "python3 -c \"import time; x = bytearray(2 << 30); time.sleep(20)\"";
    let output = scene.prove(&["--memory", "256M", "--check", check]);
    expect_unknown(output, "needs more memory than --memory allows");
    scene.expect_clean();
}

#[test]
fn a_check_that_needs_more_processes() {
    let Some(scene) = Scene::new() else { return };
    let check = "for i in $(seq 60); do sleep 20 & done; wait";
    expect_unknown(scene.prove(&["--pids", "30", "--check", check]), "more processes and threads");
    scene.expect_clean();
}

/// A check without names of tests that is green and red on the same tree cannot tell anything.
#[test]
fn a_check_that_is_flaky() {
    let Some(scene) = Scene::new() else { return };
    let check = "echo x >> $TMPDIR/runs; [ $(($(wc -l < $TMPDIR/runs) % 2)) = 1 ]";
    expect_unknown(scene.prove(&["--check", check]), "passes and fails on the same tree");
    scene.expect_clean();
}

#[test]
fn a_check_that_does_not_exist() {
    let Some(scene) = Scene::new() else { return };
    expect_unknown(scene.prove(&["--check", "no-such-runner --all"]), "not found");
    scene.expect_clean();
}

#[test]
fn a_check_that_failed_before_without_names() {
    let Some(scene) = Scene::new() else { return };
    expect_unknown(scene.prove(&["--check", "false"]), "failed before this change too");
    scene.expect_clean();
}

#[test]
fn a_base_that_is_no_ancestor() {
    let Some(scene) = Scene::new() else { return };
    scene.project.git(&["stash", "--quiet", "--include-untracked"]);
    scene.project.git(&["checkout", "--quiet", "-b", "side"]);
    scene.project.write("side.txt", "side\n");
    scene.project.commit("Side");
    scene.project.git(&["checkout", "--quiet", "main"]);
    scene.project.write("other.txt", "other\n");
    scene.project.commit("Other");
    scene.project.git(&["stash", "pop", "--quiet"]);
    let scene = Scene { before: fingerprint(scene.project.path()), ..scene };
    let output = scene.prove(&["--base", "side", "--check", CHECK]).expect_exit(1);
    assert!(
        output.err().contains("side is not an ancestor of HEAD; compared with their merge base"),
        "{output}"
    );
    // The merge base is the first commit, so that other.txt is part of the change, and side.txt is not.
    let report = output.json();
    let mut files: Vec<&str> =
        report["hunks"].as_array().unwrap().iter().filter_map(|hunk| hunk["file"].as_str()).collect();
    files.dedup();
    assert_eq!(files, ["calc.py", "other.txt", "test_calc.py"], "{output}");
    scene.expect_clean();
}

#[test]
fn a_base_without_shared_history() {
    let Some(scene) = Scene::new() else { return };
    let tree = scene.project.git(&["hash-object", "-t", "tree", "-w", "/dev/null"]);
    let alone = scene.project.git(&["commit-tree", tree.trim(), "-m", "alone"]);
    let scene = Scene { before: fingerprint(scene.project.path()), ..scene };
    expect_refusal(scene.prove(&["--base", alone.trim(), "--check", CHECK]), 2, "share no history");
    scene.expect_clean();
}

#[test]
fn an_unknown_base() {
    let Some(scene) = Scene::new() else { return };
    for base in ["no-such-branch", "--help", "HEAD~99", ""] {
        let base = format!("--base={base}");
        expect_refusal(scene.prove(&[&base, "--check", CHECK]), 2, "names no commit of this repository");
    }
    expect_refusal(
        scene.prove(&["--base", "HEAD", "--head", "nope"]),
        2,
        "names no commit of this repository",
    );
    scene.expect_clean();
}

#[test]
fn wrong_usage() {
    let Some(scene) = Scene::new() else { return };
    for (arguments, reason) in [
        (["--memory", "lots"], "is not a size"),
        (["--budget", "soon"], "--budget soon"),
        (["--time", "x"], "--time x"),
        (["--engine", "magic"], "invalid value"),
    ] {
        let output = scene.prove(&arguments).expect_exit(2);
        assert!(output.err().contains(reason), "{output}");
    }
    scene.expect_clean();
}

/// Untracked, ignored, binary, renamed, linked and submodule files, names that differ only in case, and odd names.
#[test]
fn a_dirty_tree() {
    if installed("bwrap").is_none() {
        return;
    }
    let project = TempProject::git_with(&[
        ("calc.py", BASE),
        ("old_name.py", "def up(text):\n    return text.upper()\n"),
        ("logo.bin", "text for now"),
        (".gitignore", "ignored/\n*.secret\n"),
    ]);
    let inner = project.path().join("library");
    for arguments in [
        vec!["init", "--quiet", inner.to_str().unwrap()],
        vec![
            "-C",
            inner.to_str().unwrap(),
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b",
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            "x",
        ],
    ] {
        project.git(&arguments);
    }
    project.git(&["-c", "advice.addEmbeddedRepo=false", "add", "library"]);
    project.commit("With a submodule");
    project.write("calc.py", FIXED);
    project.write("test_calc.py", TEST);
    project.git(&["mv", "old_name.py", "new_name.py"]);
    project.write("logo.bin", b"\x00\xff\x00binary");
    project.write("ignored/big.txt", "ignored");
    project.write("key.secret", "secret");
    project.write("README", "upper\n");
    project.write("readme", "lower\n");
    project.write("with space\n and 'quote' \u{e9}.txt", "odd\n");
    project.write("library/new.txt", "inside\n");
    symlink("calc.py", project.path().join("link.py")).unwrap();
    symlink("/nowhere/at/all", project.path().join("dangling")).unwrap();
    let scene = Scene::of(project);
    let output = scene.prove(&["--check", CHECK]).expect_exit(1);
    let report = output.json();
    assert_eq!(report["status"], "unshown", "{output}");
    let hunks = report["hunks"].as_array().unwrap();
    let of = |file: &str| hunks.iter().find(|hunk| hunk["file"] == file);
    assert_eq!(of("calc.py").unwrap()["strength"], "strong", "{output}");
    assert_eq!(of("logo.bin").unwrap()["strength"], "none", "{output}");
    for file in
        ["new_name.py", "old_name.py", "README", "readme", "with space\n and 'quote' \u{e9}.txt", "link.py"]
    {
        assert!(of(file).is_some(), "{file}: {output}");
    }
    for file in ["ignored/big.txt", "key.secret", "library/new.txt"] {
        assert!(of(file).is_none(), "{file}: {output}");
    }
    scene.expect_clean();
}

#[test]
fn names_that_are_not_utf8() {
    use std::os::unix::ffi::OsStrExt;
    let Some(scene) = Scene::new() else { return };
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9.txt");
    fs::write(scene.project.path().join(name), "x\n").unwrap();
    let scene = Scene { before: fingerprint(scene.project.path()), ..scene };
    let output = scene.prove(&["--check", CHECK]);
    assert_eq!(output.json()["hunks"][0]["strength"], "strong", "{output}");
    scene.expect_clean();
}

#[test]
fn no_git() {
    let project = TempProject::not_git();
    let scene = Scene::of(project);
    expect_refusal(scene.prove(&["--check", "true"]), 2, "not in a git repository");
    scene.expect_clean();
}

#[test]
fn git_is_not_installed() {
    let Some(scene) = Scene::new() else { return };
    let output = scene.mi().env("PATH", "/nonexistent").run(["prove", "--check", "true"]);
    expect_refusal(output, 2, "git");
    scene.expect_clean();
}

#[test]
fn a_repository_without_commits() {
    let Some(scene) = Scene::new() else { return };
    fs::remove_dir_all(scene.project.path().join(".git")).unwrap();
    scene.project.git(&["init", "--quiet", "--initial-branch=main"]);
    let scene = Scene { before: fingerprint(scene.project.path()), ..scene };
    expect_refusal(scene.prove(&["--check", CHECK]), 2, "main");
    scene.expect_clean();
}

#[test]
fn a_tree_of_fifty_thousand_files() {
    if installed("bwrap").is_none() {
        return;
    }
    let project = TempProject::git_with(&[("calc.py", BASE)]);
    for folder in 0..100 {
        let path = project.path().join(format!("many/{folder}"));
        fs::create_dir_all(&path).unwrap();
        for file in 0..500 {
            fs::write(path.join(format!("{file}.txt")), "x\n").unwrap();
        }
    }
    project.commit("Many files");
    project.write("calc.py", FIXED);
    project.write("test_calc.py", TEST);
    let scene = Scene::of(project);
    let began = Instant::now();
    let output = scene.prove(&["--check", "python3 -m unittest -q test_calc"]).expect_exit(0);
    assert_eq!(output.json()["status"], "shown", "{output}");
    assert!(began.elapsed() < Duration::from_secs(90), "{:?}", began.elapsed());
    scene.expect_clean();
}

#[test]
fn a_disk_that_fills_up_while_copying() {
    let Some(scene) = Scene::new() else { return };
    let scratch = scene.home.path().join("scratch");
    fs::create_dir_all(&scratch).unwrap();
    let Some(disk) = SmallDisk::mount(&scratch, 64) else { return };
    for file in 0..40 {
        scene.project.write(&format!("large/{file}"), vec![b'x'; 8192]);
    }
    scene.project.commit("Large");
    scene.project.write("calc.py", BASE);
    let scene = Scene { before: fingerprint(scene.project.path()), ..scene };
    let output = scene.prove(&["--check", CHECK]);
    expect_refusal(output, 3, "No space left on device");
    scene.expect_clean();
    drop(disk);
}

#[test]
fn a_disk_that_the_check_fills_up() {
    let Some(scene) = Scene::new() else { return };
    let scratch = scene.home.path().join("scratch");
    fs::create_dir_all(&scratch).unwrap();
    let Some(disk) = SmallDisk::mount(&scratch, 512) else { return };
    let check = "head -c 4000000 /dev/zero > filler && true";
    expect_unknown(scene.prove(&["--check", check]), "disk is full");
    scene.expect_clean();
    drop(disk);
}

/// `kill -9` in the middle: the check dies with `mi`, and any next command removes the copy.
#[test]
fn killed_in_the_middle() {
    let Some(scene) = Scene::new() else { return };
    let running = scene.mi().start(["prove", "--check", "touch started; sleep 600"]);
    wait_for_check(&scene);
    running.kill();
    running.wait();
    assert_ne!(scene.copies(), Vec::<String>::new(), "there was a copy");
    scene.expect_clean();
}

/// A hook does not spend time on copies.
#[test]
fn hooks_do_not_sweep() {
    let Some(scene) = Scene::new() else { return };
    let left = scene.home.path().join("scratch/1-0/tree");
    fs::create_dir_all(&left).unwrap();
    scene.mi().stdin("{}").run(["hook", "pre-tool-use", "--harness", "claude", "--gate"]);
    assert!(left.exists());
    scene.expect_clean();
}

#[test]
fn interrupted_during_a_check() {
    let Some(scene) = Scene::new() else { return };
    for how in ["one process", "the terminal"] {
        let running = scene.mi().start(["prove", "--check", "touch started; trap '' INT; sleep 600"]);
        wait_for_check(&scene);
        match how {
            "one process" => running.interrupt(),
            _ => running.interrupt_group(),
        }
        let output = running.wait().expect_exit(130);
        assert!(output.err().contains("stopped") && output.err().lines().count() == 1, "{output}");
        // Not even the next command is needed.
        assert_eq!(scene.copies(), Vec::<String>::new());
    }
    scene.expect_clean();
}

/// Waits until a check runs in some copy.
fn wait_for_check(scene: &Scene) {
    let scratch = scene.home.path().join("scratch");
    let has_started = || {
        let copies = fs::read_dir(&scratch).into_iter().flatten().flatten();
        copies.into_iter().any(|copy| copy.path().join("tree/started").exists())
    };
    assert!(wait_until(Duration::from_secs(30), has_started), "the check never started");
}

#[test]
fn two_at_once() {
    let Some(scene) = Scene::new() else { return };
    let check = format!("sleep 1; {CHECK}");
    let started: Vec<_> = (0..4).map(|_| scene.mi().start(["prove", "--json", "--check", &check])).collect();
    for running in started {
        let output = running.wait().expect_exit(0);
        assert_eq!(output.json()["status"], "shown", "{output}");
    }
    scene.expect_clean();
}

/// On the host the check runs in the copy all the same.
#[test]
fn on_the_host() {
    let Some(scene) = Scene::new() else { return };
    let check = format!("{CHECK} && echo x > new.txt && pwd");
    let output = scene.prove(&["--engine", "host", "--check", &check]).expect_exit(0);
    assert_eq!(output.json()["status"], "shown", "{output}");
    scene.expect_clean();
    let running = scene.mi().start(["prove", "--engine", "host", "--check", "touch started; sleep 601"]);
    wait_for_check(&scene);
    running.interrupt();
    running.wait().expect_exit(130);
    scene.expect_clean();
}

#[test]
fn no_sandbox_is_installed() {
    let Some(scene) = Scene::new() else { return };
    let tools = scene.home.user_home().join("bin");
    fs::create_dir_all(&tools).unwrap();
    for tool in ["git", "sh"] {
        symlink(installed(tool).unwrap(), tools.join(tool)).unwrap();
    }
    let output = scene.mi().env("PATH", &tools).run(["prove", "--check", "true"]);
    assert_eq!(output.code(), Some(3), "{output}");
    assert!(output.err().contains("mi prove --engine host"), "{output}");
    scene.expect_clean();
}

/// Half of one processor's time for one processor that is asked for: two busy loops take twice as long.
#[test]
fn processors_are_limited() {
    let Some(scene) = Scene::new() else { return };
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    if processors < 2 {
        return skipped("one processor cannot be told from two");
    }
    let busy =
        "python3 -c \"import time; end = time.process_time() + 1.5\nwhile time.process_time() < end: pass\"";
    let check = format!("{busy} & {busy} & wait; {CHECK}");
    for engine in ["bwrap", "host"] {
        let time = |more: &[&str]| {
            let began = Instant::now();
            let home = TempHome::new();
            let mi = Mi::new(env!("CARGO_BIN_EXE_mi"), &home)
                .cwd(scene.project.path())
                .limit(Duration::from_secs(240));
            let arguments = ["prove", "--json", "--engine", engine, "--check", &check];
            mi.run(arguments.iter().chain(more)).expect_exit(0);
            began.elapsed()
        };
        let limited = time(&["--cpus", "1"]);
        // Two or three runs of the check, each with three seconds of work.
        assert!(limited > Duration::from_millis(5600), "{engine}: {limited:?}");
    }
    scene.expect_clean();
}

/// In a container without network; what is stopped leaves no container behind.
#[test]
fn in_a_container() {
    let Some(scene) = Scene::new() else { return };
    let Some(podman) = Podman::start() else { return };
    let tools = scene.home.user_home().join("bin");
    fs::create_dir_all(&tools).unwrap();
    // Podman by its socket, so that it uses this test's own storage.
    let wrapper = tools.join("podman");
    let program = installed("podman").unwrap();
    fs::write(&wrapper, format!("#!/bin/sh\nexec {} --url {} \"$@\"\n", program.display(), podman.host()))
        .unwrap();
    fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", tools.display(), mi_test_support::tool_path().to_string_lossy());
    let mi = || scene.mi().env("PATH", &path);
    let can_run = Command::new(&wrapper)
        .args([
            "run",
            "--rm",
            "--network",
            "none",
            "--memory",
            "500000000",
            "--pids-limit",
            "100",
            &podman.image,
            "true",
        ])
        .output()
        .unwrap();
    if !can_run.status.success() {
        let reason = String::from_utf8_lossy(&can_run.stderr).into_owned();
        return skipped(&format!(
            "podman cannot run a container here: {}",
            reason.lines().last().unwrap_or_default()
        ));
    }
    let container = ["--engine", "container", "--image", &podman.image];
    let check = "grep -q 'a + b' calc.py";
    let output = mi().run(["prove", "--json", "--check", check].iter().chain(&container)).expect_exit(0);
    assert_eq!(output.json()["status"], "shown", "{output}");
    let missing =
        mi().run(["prove", "--check", "true", "--engine", "container", "--image", "localhost/none:1"]);
    expect_refusal(missing, 3, "the container cannot run");
    let hangs =
        mi().run(["prove", "--json", "--time", "3s", "--check", "sleep 600"].iter().chain(&container));
    expect_unknown(hangs, "did not end within its time");
    assert_eq!(podman.containers(), Vec::<String>::new(), "after a time-out");
    let start = || mi().start(["prove", "--check", "touch started; sleep 600"].iter().chain(&container));
    let running = start();
    wait_for_check(&scene);
    running.interrupt();
    running.wait().expect_exit(130);
    assert_eq!(podman.containers(), Vec::<String>::new(), "after Ctrl-C");
    let running = start();
    wait_for_check(&scene);
    running.kill();
    running.wait();
    mi().run(["status"]);
    assert_eq!(podman.containers(), Vec::<String>::new(), "after kill -9 and the next command");
    assert_eq!(descendants_with_marker(scene.project.path().to_str().unwrap()), []);
    scene.expect_clean();
}
