//! What a run may use up, how it is ended, and that nothing of it is left, whatever happens to `mi`.

use mi_test_support::{Podman, SmallDisk, leftovers_after, skipped, wait_until};
use serde_json::{Value, json};
use std::{
    fs,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use super::boxed::{Place, finished, has_bwrap, in_container, printed, rules};

/// Control groups of these runs that are still there.
fn groups(runs: &[PathBuf]) -> Vec<PathBuf> {
    let names: Vec<String> =
        runs.iter().map(|run| format!("mi-{}", run.file_name().unwrap().to_string_lossy())).collect();
    let mut found = Vec::new();
    let mut to_look = vec![PathBuf::from("/sys/fs/cgroup")];
    while let Some(folder) = to_look.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                if names.iter().any(|name| entry.file_name().to_str() == Some(name)) {
                    found.push(entry.path());
                }
                to_look.push(entry.path());
            }
        }
    }
    found
}

/// The command's own code, a signal's, and those of a command that is not there.
#[test]
fn x_07_exit_codes_are_the_commands_own() {
    if !has_bwrap() {
        return;
    }
    let place = Place::new();
    for (script, code) in [("exit 7", 7), ("kill -15 $$", 143), ("kill -9 $$", 137), ("exit 0", 0)] {
        let output = place.sh(script);
        assert_eq!(
            (output.code(), &finished(&output)["exit"]),
            (Some(code), &json!(code)),
            "{script}\n{output}"
        );
    }
    place.mi().run(["exec", "--json", "--engine", "bwrap", "--", "no-such-program"]).expect_exit(127);
    place.mi().run(["exec", "--json", "--engine", "bwrap", "--", "/etc/passwd"]).expect_exit(126);
}

/// A command that ignores signals is asked at the limit and killed two seconds later.
#[test]
fn x_07_time_is_kept_also_by_what_ignores_signals() {
    if !has_bwrap() {
        return;
    }
    let place = Place::new();
    let stubborn = "trap '' TERM INT HUP; echo begun; while :; do sleep 0.1; done";
    let (stubborn, mark) = place.marked(stubborn);
    let output = place.with_limits(&stubborn, &[("step_seconds", json!(1))]).expect_exit(124);
    assert!(output.elapsed < Duration::from_secs(8), "{:?}", output.elapsed);
    let polite = "trap 'echo asked > /workspace/output/asked; exit 0' TERM; while :; do sleep 0.1; done";
    let output = place.with_limits(&place.marked(polite).0, &[("step_seconds", json!(1))]).expect_exit(124);
    assert_eq!(finished(&output)["outputs"][0]["path"], "asked");
    assert_eq!(leftovers_after(&mark, Duration::from_secs(3)).len(), 0);
}

/// Memory beyond the limit ends in 137.
#[test]
fn x_07_memory_is_limited() {
    if !has_bwrap() {
        return;
    }
    let place = Place::new();
    let eater = "a=x; while :; do a=$a$a; done";
    let output = place.with_limits(eater, &[("memory_bytes", json!(64 << 20))]);
    assert_eq!(output.code(), Some(137), "{output}");
    let shared = "dd if=/dev/zero of=/dev/shm/x bs=1M count=64 2>/dev/null; dd if=/dev/zero of=/tmp/x bs=1M count=64 2>/dev/null; sleep 1";
    assert_eq!(place.with_limits(shared, &[("memory_bytes", json!(64 << 20))]).code(), Some(137));
}

/// A fork bomb stays within its number of processes and is gone afterwards.
#[test]
fn x_fork_bombs_stay_small_and_die() {
    if !has_bwrap() {
        return;
    }
    let place = Place::new();
    let bomb = "b() { b | b & }; b; sleep 1; ls -d /proc/[0-9]* | wc -l";
    let (bomb, mark) = place.marked(bomb);
    let output = place.with_limits(&bomb, &[("pids", json!(32)), ("step_seconds", json!(5))]);
    let most: u64 =
        printed(&output, "stdout").trim().lines().last().and_then(|line| line.parse().ok()).unwrap_or(0);
    assert!(most <= 34, "{output}");
    assert_eq!(leftovers_after(&mark, Duration::from_secs(5)).len(), 0);
    assert_eq!(place.live(), Vec::<PathBuf>::new());
}

/// Open files are limited; `/workspace/data` allows execution; `/tmp` and `/dev/shm` are private and limited.
#[test]
fn x_04_x_15_slots_behave_as_said() {
    if !has_bwrap() {
        return;
    }
    let place = Place::new();
    let script = "ulimit -n; printf '#!/bin/sh\\necho runs\\n' > p; chmod +x p; ./p; \
        dd if=/dev/zero of=/tmp/x bs=1M count=2000 2>/dev/null || echo full; ls /tmp /dev/shm | grep -v x";
    let output = place.with_limits(script, &[("nofile", json!(99)), ("memory_bytes", json!(2_u64 << 30))]);
    assert_eq!(printed(&output, "stdout"), "99\nruns\nfull\n/dev/shm:\n\n/tmp:\n", "{output}");
}

/// Ten gigabytes are stopped at the limit of the slot, long before they are on the disk.
#[test]
fn x_11_too_much_output_is_denied() {
    if !has_bwrap() {
        return;
    }
    let place = Place::new();
    place.home.write_config("[box]\nmax_output_bytes = 20000000\nmax_data_bytes = 50000000\n");
    let sparse = place.sh("truncate -s 10G /workspace/output/big").expect_exit(4);
    assert_eq!(rules(&sparse), ["W.output"]);
    let real = place
        .sh("dd if=/dev/zero of=/workspace/output/big bs=1M count=10000 2>/dev/null; sleep 9")
        .expect_exit(4);
    assert_eq!(rules(&real), ["W.output"]);
    let data = place
        .sh("dd if=/dev/zero of=/workspace/data/big bs=1M count=10000 2>/dev/null; sleep 9")
        .expect_exit(4);
    assert_eq!(rules(&data), ["X.disk"]);
    assert_eq!(place.live(), Vec::<PathBuf>::new());
}

/// An upload tool that starts in the box ends the run at once.
#[test]
fn f_06_x_17_uploads_are_seen_and_end_the_run() {
    if !has_bwrap() {
        return;
    }
    let place = Place::new();
    place.scratch.write("from/go.sh", "exec -a rclone bash -c 'sleep 30; :' copy a remote:b\n");
    let from = place.scratch.path().join("from");
    let arguments = ["exec", "--json", "--engine", "bwrap", "--from", from.to_str().unwrap(), "--"];
    let output =
        place.mi().run(arguments.into_iter().chain(["bash", "/workspace/input/go.sh"])).expect_exit(4);
    assert_eq!(rules(&output), ["F.upload"], "{output}");
    assert!(output.elapsed < Duration::from_secs(15));
}

/// A hundred MiB without a newline pass through in bounded memory.
#[test]
fn x_15_floods_pass_in_bounded_memory() {
    if !has_bwrap() {
        return;
    }
    let place = Place::new();
    let flood = "head -c 104857600 /dev/zero | tr '\\0' x; touch /workspace/output/done; sleep 1";
    let running = place.mi().start(["exec", "--json", "--engine", "bwrap", "--", "/bin/sh", "-c", flood]);
    let status = PathBuf::from(format!("/proc/{}/status", running.pid()));
    let mut peak = 0;
    wait_until(Duration::from_secs(100), || {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let now: u64 = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0);
        peak = peak.max(now);
        now == 0
    });
    let output = running.wait();
    assert_eq!(printed(&output, "stdout").len(), 104_857_600);
    assert!(peak > 0 && peak <= 80 * 1024, "{peak} KiB");
}

/// A `mi` that is killed takes its box with it; the next one sweeps what is left, and only that (X12).
#[test]
fn x_12_w_a_killed_mi_is_swept_by_the_next() {
    if !has_bwrap() {
        return;
    }
    let (place, other) = (Place::new(), Place::new());
    let script = "echo be''gun; touch /workspace/output/x; sleep 60";
    let begin = |place: &Place| {
        let mut running =
            place.mi().start(["exec", "--json", "--engine", "bwrap", "--", "/bin/sh", "-c", script]);
        running.wait_for("begun");
        running
    };
    let (dead, alive, elsewhere) = (begin(&place), begin(&place), begin(&other));
    assert_eq!((place.live().len(), other.live().len()), (2, 1));
    let runs = [place.live(), other.live()].concat();
    assert!(!groups(&runs).is_empty() || !rustix_is_root());
    dead.kill();
    dead.wait();
    assert!(wait_until(Duration::from_secs(5), || {
        place.sh("true").expect_exit(0);
        place.live().len() == 1
    }));
    assert_eq!(other.live().len(), 1);
    alive.interrupt();
    assert_eq!(alive.wait().code(), Some(130));
    elsewhere.kill();
    elsewhere.wait();
    other.mi().run(["box", "gc"]).expect_exit(0);
    assert_eq!((place.live().len(), other.live().len()), (0, 0));
    assert!(wait_until(Duration::from_secs(5), || groups(&runs).is_empty()), "{:?}", groups(&runs));
}

/// What bubblewrap had begun when `mi` was killed, and what is on no record, dies with the next start; what belongs to
/// others does not.
#[test]
fn x_12_a_box_that_never_began_is_swept() {
    let place = Place::new();
    place.home.write("box/live/x-dead/run.json", "{\"engine\":\"bwrap\"}\n");
    let start = |run: &str| {
        let file = place.scratch.write(&format!("mi-box-{run}.file"), "");
        let mut waiting = Command::new("sh");
        waiting
            .args(["-c", "exec 9< \"$0\"; read line"])
            .arg(file)
            .stdin(std::process::Stdio::piped())
            .spawn()
            .unwrap()
    };
    let (mut dead, mut other) = (start("x-dead"), start("x-other"));
    place.mi().run(["box", "gc"]).expect_exit(0);
    assert!(wait_until(Duration::from_secs(5), || dead.try_wait().unwrap().is_some()));
    assert!(other.try_wait().unwrap().is_none());
    other.kill().unwrap();
    other.wait().unwrap();
    assert_eq!(place.live(), Vec::<String>::new());
}

/// Killed at any point, `mi` leaves nothing that the next start does not take away, and no half-sealed run.
#[test]
fn x_12_mi_may_be_killed_at_any_point() {
    if !has_bwrap() {
        return;
    }
    let place = Place::new();
    let (script, mark) = place.marked("echo x > /workspace/output/x");
    for wait in (2..130).step_by(3) {
        let running =
            place.mi().start(["exec", "--json", "--engine", "bwrap", "--", "/bin/sh", "-c", &script]);
        std::thread::sleep(Duration::from_millis(wait));
        running.kill();
        running.wait();
    }
    place.sh(&script).expect_exit(0);
    assert_eq!(leftovers_after(&mark, Duration::from_secs(2)), []);
    assert_eq!(place.live(), Vec::<PathBuf>::new());
    for run in place.mi().run(["box", "list", "--json"]).expect_exit(0).json().as_array().unwrap() {
        place.mi().run(["box", "verify", run["run"].as_str().unwrap()]).expect_exit(0);
    }
}

/// A disk that the command fills still takes the manifest; one that is full from the start is a denial that says so.
#[test]
fn x_a_full_disk_keeps_the_manifest() {
    if has_bwrap() {
        full_disk(
            &Place::new(),
            |script| {
                ["exec", "--json", "--engine", "bwrap", "--", "/bin/sh", "-c", script]
                    .map(str::to_owned)
                    .to_vec()
            },
            "",
        );
    }
}

/// The same with containers; none is left.
#[test]
fn x_a_full_disk_under_a_container_keeps_the_manifest() {
    let Some(podman) = Podman::start() else { return };
    let command = |script: &str| in_container(&podman.image, &[], &["/bin/sh", "-c", script]);
    full_disk(&Place::new(), command, &podman.host());
    assert_eq!(podman.containers(), Vec::<String>::new());
}

fn full_disk(place: &Place, arguments: impl Fn(&str) -> Vec<String>, engine: &str) {
    let disk = place.scratch.path().join("disk");
    fs::create_dir(&disk).unwrap();
    let Some(small) = SmallDisk::mount(&disk, 48 << 10) else { return };
    let home = disk.join("home");
    let run =
        |script: &str| place.mi().env("DOCKER_HOST", engine).env("MI_HOME", &home).run(arguments(script));
    let output = run("cat /dev/zero > /workspace/output/all; echo code $?; exit 5").expect_exit(4);
    let last = finished(&output);
    assert_eq!(rules(&output), ["X.disk"], "{output}");
    let outputs = last["outputs"].as_array().unwrap();
    let all = outputs.iter().find(|output| output["path"] == "all").unwrap();
    assert!(last["manifest"].is_string() && all["bytes"].as_u64() > Some(1 << 20), "{output}");
    assert!(printed(&output, "stdout").contains("code 1"), "{output}");
    let filler = small.fill();
    let denied = run("echo ran").expect_exit(4);
    assert_eq!((rules(&denied).len(), printed(&denied, "stdout")), (1, String::new()), "{denied}");
    let said = finished(&denied)["denials"][0].to_string();
    assert!(said.contains("No space left on device"), "{said}");
    fs::remove_file(filler).unwrap();
    fs::remove_dir_all(home.join("box/runs")).unwrap();
    run("echo ran").expect_exit(0);
    let live = fs::read_dir(home.join("box/live")).unwrap().flatten();
    assert_eq!(live.filter(|entry| entry.path().is_dir()).count(), 0);
    assert_eq!(leftovers_after(disk.to_str().unwrap(), Duration::from_secs(3)), []);
}

/// An ordinary user without control groups gets the same limits, shown to hold by the self-test (X18).
#[test]
fn x_18_an_ordinary_user_is_limited_by_polling() {
    if !has_bwrap() {
        return;
    }
    let folder = tempfile::Builder::new().prefix("mi-box-user-").tempdir_in("/var/tmp").unwrap();
    let program = folder.path().join("mi");
    fs::copy(env!("CARGO_BIN_EXE_mi"), &program).unwrap();
    let home = folder.path().join("home");
    fs::create_dir(&home).unwrap();
    for path in [folder.path(), &home] {
        std::os::unix::fs::chown(path, Some(1000), Some(1000)).ok();
    }
    fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let run = |script: &str| {
        let mut command = Command::new(&program);
        command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", &home).env("MI_HOME", home.join("mi"));
        command
            .args(["exec", "--json", "--engine", "bwrap", "--", "/bin/sh", "-c", script])
            .current_dir(&home);
        if rustix_is_root() {
            command.uid(1000).gid(1000);
        }
        command.output().unwrap()
    };
    let output = run("id -u; echo x > /workspace/output/x");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{text}");
    let manifest = text.lines().last().and_then(|line| serde_json::from_str::<Value>(line).ok()).unwrap();
    let manifest = fs::read_to_string(manifest["manifest"].as_str().unwrap()).unwrap();
    assert!(manifest.contains("supervised polling"), "{manifest}");
    assert!(home.join("mi/box/self-test.json").exists());
    assert_eq!(run("a=x; while :; do a=$a$a; done").status.code(), Some(137));
}

fn rustix_is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|known| std::os::unix::fs::MetadataExt::uid(&known) == 0)
}

/// `mi box check` gives verified proof for the tree that it saw, and none for a check that fails.
#[test]
fn x_19_checks_in_the_box_are_verified_proof() {
    if !has_bwrap() {
        return;
    }
    if !Path::new("/usr/bin/python3").exists() {
        return skipped("the project's check needs python3 in /usr");
    }
    let place = Place::new();
    let test = |body: &str| {
        let text =
            format!("import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        {body}\n");
        place.scratch.write("project/test_a.py", text);
    };
    let check = || {
        let project = place.scratch.path().join("project");
        place.mi().run([
            "check",
            "--json",
            "--engine",
            "bwrap",
            "--cd",
            project.to_str().unwrap(),
            "--",
            "python3",
            "-m",
            "unittest",
        ])
    };
    test("self.assertEqual(1, 1)");
    let good = check().expect_exit(0).json();
    assert_eq!(good["proof"], "verified", "{good}");
    test("self.assertEqual(1, 2)");
    let bad = check().expect_exit(1).json();
    assert_eq!(bad["proof"], "absent");
    assert_ne!(good["tree"], bad["tree"]);
}

/// A check that a person stops is interrupted, not failed; one that the engine cannot start says why.
#[test]
fn x_19_a_stopped_check_is_interrupted_and_a_denied_one_says_why() {
    if !has_bwrap() {
        return;
    }
    let place = Place::new();
    place.scratch.write("project/a.txt", "a");
    let project = place.scratch.path().join("project");
    let words = ["check", "--engine", "bwrap", "--cd", project.to_str().unwrap(), "--", "sleep", "61"];
    let running = place.mi().start(words);
    assert!(wait_until(Duration::from_secs(60), || !place.live().is_empty()), "it never ran");
    running.interrupt();
    let output = running.wait().expect_exit(130);
    assert!(output.out().contains("was interrupted"), "{output}");
    fs::remove_dir_all(place.home.path().join("box/live")).unwrap();
    fs::write(place.home.path().join("box/live"), "no folder").unwrap();
    let output = place.mi().run(words).expect_exit(4);
    assert!(output.out().contains("W.workspace") && output.out().contains("box/live"), "{output}");
}

/// A check of several words is run as these words, one of a single word as a line; what was not run proves nothing (X19, X20).
#[test]
fn x_19_x_20_checks_run_as_typed_or_prove_nothing() {
    let place = Place::new();
    place.scratch.write("project/a.txt", "a");
    let project = place.scratch.path().join("project");
    let check = |engine: &str, command: &[&str]| {
        let first = ["check", "--json", "--engine", engine, "--cd", project.to_str().unwrap(), "--"];
        place.mi().run([&first, command].concat())
    };
    for command in [&["true"][..], &["false"]] {
        let said = check("none", command).expect_exit(1).json();
        assert_eq!(said["proof"], "absent", "{said}");
        assert!(said["reason"].to_string().contains("not run"), "{said}");
    }
    if !has_bwrap() {
        return;
    }
    for (command, exit) in [
        (&["sh", "-c", "exit 1"][..], 1),
        (&["sh", "-c", "test \"$1\" = \"it's a  b\"", "sh", "it's a  b"], 0),
        (&["cd / && test -d usr"], 0),
        (&["true && exit 3"], 1),
    ] {
        check("bwrap", command).expect_exit(exit);
    }
}
