//! Commands that mean harm in containers, by name; SBOMs of real images; exceptions for controls that are missing.

use mi_test_support::{MiOutput, Podman, installed, leftovers_after, skipped, wait_until};
use serde_json::{Value, json};
use std::{
    fs,
    os::unix::{fs::PermissionsExt, process::CommandExt},
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use super::boxed::{Place, finished, has_bwrap, odd_files, rules, run_folder};

fn exec(place: &Place, podman: &Podman, script: &str, limits: &[(&str, Value)]) -> MiOutput {
    let spec = place.spec(script, Some(&podman.image), limits);
    let arguments = ["exec", "--json", "--engine", "container", "--spec", spec.to_str().unwrap()];
    place.mi().env("DOCKER_HOST", podman.host()).run(arguments)
}

fn live(place: &Place) -> usize {
    let entries = fs::read_dir(place.home.path().join("box/live")).into_iter().flatten().flatten();
    entries.filter(|entry| entry.path().is_dir()).count()
}

/// Ten gigabytes, in `output` or in `data`, are stopped at the limit of the slot.
#[test]
fn x_11_containers_that_write_too_much_are_ended() {
    let Some(podman) = Podman::start() else { return };
    let place = Place::new();
    place.home.write_config("[box]\nmax_output_bytes = 20000000\nmax_data_bytes = 50000000\n");
    for (slot, rule) in [("output", "W.output"), ("data", "X.disk")] {
        let script = format!("dd if=/dev/zero of=/workspace/{slot}/big bs=1M count=10000; sleep 9");
        let output = exec(&place, &podman, &script, &[]).expect_exit(4);
        assert_eq!(rules(&output), [rule], "{slot}");
    }
    assert_eq!((podman.containers(), live(&place)), (Vec::new(), 0));
}

/// Links, pipes and devices in `output` are denied and gone.
#[test]
fn x_05_x_14_odd_outputs_of_containers_are_gone() {
    let Some(podman) = Podman::start() else { return };
    let place = Place::new();
    let script = "cd /workspace/output; ln -s /etc/passwd l; mkfifo p; mknod d c 1 3; echo x > good; chmod 4755 good; mkdir e; ln -s ../.. e/up; true";
    let output = exec(&place, &podman, script, &[]).expect_exit(4);
    assert!(rules(&output).iter().all(|rule| rule == "W.output"), "{output}");
    assert_eq!(odd_files(&place.home.path()), Vec::<PathBuf>::new());
}

/// A fork bomb stays below its number of processes; nothing of it is left.
#[test]
fn x_fork_bombs_in_containers_die() {
    let Some(podman) = Podman::start() else { return };
    let place = Place::new();
    let bomb = "b() { b | b & }; b; sleep 60";
    let output = exec(&place, &podman, bomb, &[("pids", json!(32)), ("step_seconds", json!(3))]);
    assert!(matches!(output.code(), Some(1..=255)), "{output}");
    assert!(output.elapsed < Duration::from_secs(30), "{:?}", output.elapsed);
    assert_eq!(podman.containers(), Vec::<String>::new());
    assert_eq!(leftovers_after("CHORUS_SEED=42", Duration::from_secs(5)).len(), 0);
}

/// Killed at any point, `mi` leaves no container and no folder that its next start does not take away.
#[test]
fn x_12_mi_may_be_killed_at_any_point_of_a_container() {
    let Some(podman) = Podman::start() else { return };
    let place = Place::new();
    let arguments = [
        "exec",
        "--json",
        "--engine",
        "container",
        "--image",
        &podman.image,
        "--",
        "/bin/sh",
        "-c",
        "sleep 1",
    ];
    for wait in [20, 60, 120, 250, 400, 700, 1200] {
        let running = place.mi().env("DOCKER_HOST", podman.host()).start(arguments);
        std::thread::sleep(Duration::from_millis(wait));
        running.kill();
        running.wait();
    }
    let swept = || {
        place.mi().env("DOCKER_HOST", podman.host()).run(["box", "gc"]);
        podman.containers().is_empty() && live(&place) == 0
    };
    assert!(wait_until(Duration::from_secs(20), swept), "{:?} {}", podman.containers(), live(&place));
    let runs = place.mi().run(["box", "list", "--json"]).expect_exit(0).json();
    for run in runs.as_array().unwrap() {
        place.mi().run(["box", "verify", run["run"].as_str().unwrap()]).expect_exit(0);
    }
}

/// An image with this machine's own package database.
fn debian_image(place: &Place, podman: &Podman) -> Option<String> {
    let status = Path::new("/var/lib/dpkg/status");
    if !status.exists() {
        skipped("the image takes its packages from this machine's dpkg, which is not here");
        return None;
    }
    let root = place.scratch.path().join("debian");
    for folder in
        ["bin", "etc", "tmp", "var/lib/dpkg", "workspace/input", "workspace/data", "workspace/output"]
    {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    let busybox = ["/bin/busybox", "/usr/bin/busybox"].into_iter().find(|path| Path::new(path).exists())?;
    fs::copy(busybox, root.join("bin/true")).unwrap();
    fs::copy(status, root.join("var/lib/dpkg/status")).unwrap();
    fs::copy("/etc/os-release", root.join("etc/os-release")).unwrap();
    let tar = place.scratch.path().join("debian.tar");
    let packed = Command::new("tar").arg("-cf").arg(&tar).arg("-C").arg(&root).arg(".").status();
    assert!(packed.unwrap().success());
    podman.podman(&["import", "--quiet", tar.to_str().unwrap(), "localhost/mi-box-debian:1"]);
    let digest = podman.podman(&["image", "inspect", "--format", "{{.Digest}}", "localhost/mi-box-debian:1"]);
    Some(format!("localhost/mi-box-debian@{digest}"))
}

/// The SBOM of a real image stands beside the outputs of its first run, names every package, and passes validators that
/// others wrote; a critical advisory about one of its packages denies the next start.
#[test]
fn i_x_20_the_sbom_of_a_real_image_is_valid() {
    let Some(podman) = Podman::start() else { return };
    let place = Place::new();
    let Some(image) = debian_image(&place, &podman) else { return };
    let run = || {
        let arguments = ["exec", "--json", "--engine", "container", "--image", &image, "--", "/bin/true"];
        place.mi().env("DOCKER_HOST", podman.host()).run(arguments)
    };
    let output = run().expect_exit(0);
    let digest = image.rsplit_once('@').unwrap().1;
    let file = run_folder(&output).join(format!("output/SBOM-{digest}.spdx.json"));
    let sbom: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    let installed_count = fs::read_to_string("/var/lib/dpkg/status").unwrap();
    let wanted =
        installed_count.split("\n\n").filter(|entry| entry.contains("Status: install ok installed")).count();
    assert_eq!(sbom["packages"].as_array().unwrap().len(), wanted + 1);
    place.mi().run(["box", "verify", "last"]).expect_exit(0);
    if let (Some(tools), Some(ntia)) = (installed("pyspdxtools"), installed("sbomcheck")) {
        let copy = place.scratch.path().join("sbom.spdx.json");
        fs::copy(&file, &copy).unwrap();
        let valid = Command::new(tools).arg("-i").arg(&copy).output().unwrap();
        assert!(valid.status.success(), "{}", String::from_utf8_lossy(&valid.stderr));
        let said = Command::new(ntia).arg(&copy).output().unwrap();
        let said = String::from_utf8_lossy(&said.stdout).into_owned();
        assert!(said.contains("Conformant: True"), "{said}");
    }
    let second = run().expect_exit(0);
    assert!(!run_folder(&second).join(format!("output/SBOM-{digest}.spdx.json")).exists(), "once per digest");
    let package = sbom["packages"][1]["name"].as_str().unwrap();
    let advisories = json!([{"id": "X-1", "package": package, "versions": [], "severity": "critical"}]);
    let advisories = place.scratch.write("advisories.json", advisories.to_string());
    place.home.write_config(&format!("[box]\nadvisories = {:?}\n", advisories.display()));
    assert_eq!(rules(&run().expect_exit(4)), ["I.vulnerable"]);
    assert_eq!(podman.containers(), Vec::<String>::new());
}

/// A program of an ordinary user, whose boxes no control group counts.
struct Ordinary {
    folder: tempfile::TempDir,
}

impl Ordinary {
    fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("mi-box-except-").tempdir_in("/var/tmp").unwrap();
        fs::copy(env!("CARGO_BIN_EXE_mi"), folder.path().join("mi")).unwrap();
        fs::create_dir_all(folder.path().join("home/mi/exceptions")).unwrap();
        fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).unwrap();
        let ordinary = Self { folder };
        ordinary.own();
        ordinary
    }

    fn own(&self) {
        let home = self.folder.path().join("home");
        for path in [home.clone(), home.join("mi"), home.join("mi/exceptions"), home.join("mi/box")] {
            let _ = std::os::unix::fs::chown(path, Some(1000), Some(1000));
        }
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("home/mi")
    }

    /// The last event of a run that does nothing.
    fn run(&self) -> Value {
        let mut command = Command::new(self.folder.path().join("mi"));
        command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", self.folder.path().join("home"));
        command.env("MI_HOME", self.home()).current_dir("/");
        command.args(["exec", "--json", "--engine", "bwrap", "--", "/bin/true"]);
        if fs::metadata("/proc/self").is_ok_and(|known| std::os::unix::fs::MetadataExt::uid(&known) == 0) {
            command.uid(1000).gid(1000);
        }
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let last = text.lines().last().and_then(|line| serde_json::from_str(line).ok());
        last.unwrap_or_else(|| panic!("{text}{}", String::from_utf8_lossy(&output.stderr)))
    }

    fn exception(&self, expiry: &str) {
        let record = json!({
            "id": "DR-9", "rule": "X.limits", "owner": "ada", "reason": "a machine without control groups",
            "expiry": expiry, "rollback": "remove DR-9",
        });
        fs::write(self.home().join("exceptions/dr-9.json"), record.to_string()).unwrap();
    }
}

/// A control that this machine cannot hold is a denial; an Exception DR lets it be missing until it expires, and stands in
/// the manifest and on the timeline.
#[test]
fn x_18_a_exceptions_lift_controls_that_are_missing() {
    if !has_bwrap() {
        return;
    }
    let ordinary = Ordinary::new();
    assert_eq!(ordinary.run()["exit"], 0);
    // As if the limits had been seen not to hold on this machine.
    let record = ordinary.home().join("box/self-test.json");
    let mut shown: Value = serde_json::from_slice(&fs::read(&record).unwrap()).unwrap();
    shown["failed"] = json!("memory: more than the limit was taken");
    fs::write(&record, shown.to_string()).unwrap();
    let denied = ordinary.run();
    assert_eq!((&denied["exit"], &denied["denials"][0]["rule"]), (&json!(4), &json!("X.limits")), "{denied}");
    ordinary.exception("2020-01-01T00:00:00Z");
    assert_eq!(ordinary.run()["exit"], 4, "expired");
    ordinary.exception("2999-01-01T00:00:00Z");
    let lifted = ordinary.run();
    assert_eq!(lifted["exit"], 0, "{lifted}");
    let manifest = fs::read_to_string(lifted["manifest"].as_str().unwrap()).unwrap();
    assert!(manifest.contains("DR-9") && manifest.contains("do not hold here"), "{manifest}");
    let timeline = fs::read_to_string(ordinary.home().join("box/timeline.jsonl")).unwrap();
    assert!(timeline.contains("\"DR-9\"") && timeline.contains("rollback"), "{timeline}");
}

/// Control groups of version 2 hold a box where they have the controllers; else this is skipped with the reason.
#[test]
fn x_18_control_groups_of_version_2() {
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let unified = mounts.lines().find(|line| line.contains(" - cgroup2 "));
    let place_of = |line: &str| line.split(' ').nth(4).map(PathBuf::from);
    let Some(folder) = unified.and_then(place_of) else { return skipped("no cgroup2 is mounted here") };
    let known = fs::read_to_string(folder.join("cgroup.controllers")).unwrap_or_default();
    if !["memory", "pids", "cpu"].iter().all(|wanted| known.split_whitespace().any(|have| have == *wanted)) {
        return skipped("version 1 holds the controllers memory, pids and cpu on this machine");
    }
    let place = Place::new();
    let output = place.with_limits("a=x; while :; do a=$a$a; done", &[("memory_bytes", json!(64 << 20))]);
    assert_eq!(output.code(), Some(137), "{output}");
}

/// A real dockerd, where one is installed and can be started; else skipped with the reason.
#[test]
fn n_containers_by_dockerd() {
    if Command::new("dockerd").arg("--version").output().is_err() {
        return skipped("dockerd is not installed (Debian's docker.io)");
    }
    let place = Place::new();
    let socket = place.scratch.path().join("docker.sock");
    let folder = |name: &str| place.scratch.path().join(name).display().to_string();
    let log = fs::File::create(place.scratch.path().join("dockerd.log")).unwrap();
    let daemon = Command::new("dockerd")
        .args(["-H", &format!("unix://{}", socket.display()), "--iptables=false", "--ip6tables=false"])
        .args([
            "--ip-forward=false",
            "--bridge=none",
            "--data-root",
            &folder("d"),
            "--exec-root",
            &folder("e"),
        ])
        .args(["--pidfile", &folder("pid"), "--default-ulimit", "nofile=16384:16384"])
        .args(["--default-ulimit", "nproc=8192:8192"])
        .stdout(log.try_clone().unwrap())
        .stderr(log)
        .spawn();
    let Ok(mut daemon) = daemon else { return skipped("dockerd does not start") };
    let answers =
        wait_until(Duration::from_secs(30), || std::os::unix::net::UnixStream::connect(&socket).is_ok());
    let image = format!("localhost/x@sha256:{}", "ab".repeat(32));
    let arguments = ["exec", "--json", "--engine", "container", "--image", &image, "--", "true"];
    let output =
        answers.then(|| place.mi().env("DOCKER_HOST", format!("unix://{}", socket.display())).run(arguments));
    let _ = Command::new("kill").arg(daemon.id().to_string()).status();
    let _ = daemon.wait();
    match output {
        None => skipped("dockerd does not answer here"),
        Some(output) => {
            assert_eq!(rules(&output), ["I.image"], "{output}");
            assert!(
                finished(&output)["denials"][0]["reason"].as_str().unwrap().contains("not on this machine")
            );
        }
    }
}
