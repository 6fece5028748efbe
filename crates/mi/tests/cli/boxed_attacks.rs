//! Commands that mean harm in containers, by name; SBOMs of real images; control groups of version 2.

use mi_test_support::{MiOutput, Podman, installed, leftovers_after, skipped, wait_until};
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use super::boxed::{Place, in_container, odd_files, rules, run_folder};

fn exec(place: &Place, podman: &Podman, script: &str, limits: &[(&str, Value)]) -> MiOutput {
    let spec = place.spec(script, Some(&podman.image), limits);
    let arguments = ["exec", "--json", "--engine", "container", "--spec", spec.to_str().unwrap()];
    place.mi().env("DOCKER_HOST", podman.host()).run(arguments)
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
    assert_eq!((podman.containers(), place.live()), (Vec::new(), Vec::new()));
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
    let (bomb, mark) = place.marked(bomb);
    let output = exec(&place, &podman, &bomb, &[("pids", json!(32)), ("step_seconds", json!(3))]);
    assert!(matches!(output.code(), Some(1..=255)), "{output}");
    assert!(output.elapsed < Duration::from_secs(30), "{:?}", output.elapsed);
    assert_eq!(podman.containers(), Vec::<String>::new());
    assert_eq!(leftovers_after(&mark, Duration::from_secs(5)).len(), 0);
}

/// Killed at any point, `mi` leaves no container and no folder that its next start does not take away.
#[test]
fn x_12_mi_may_be_killed_at_any_point_of_a_container() {
    let Some(podman) = Podman::start() else { return };
    let place = Place::new();
    let arguments = in_container(&podman.image, &[], &["/bin/sh", "-c", "sleep 1"]);
    for wait in [20, 60, 120, 250, 400, 700, 1200] {
        let running = place.mi().env("DOCKER_HOST", podman.host()).start(&arguments);
        std::thread::sleep(Duration::from_millis(wait));
        running.kill();
        running.wait();
    }
    let swept = || {
        place.mi().env("DOCKER_HOST", podman.host()).run(["box", "gc"]);
        podman.containers().is_empty() && place.live().is_empty()
    };
    assert!(wait_until(Duration::from_secs(90), swept), "{:?} {:?}", podman.containers(), place.live());
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
    fs::create_dir(root.join("app")).unwrap();
    fs::write(root.join("app/requirements.txt"), "six==1.16.0\n").unwrap();
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
    let run = || place.mi().env("DOCKER_HOST", podman.host()).run(in_container(&image, &[], &["/bin/true"]));
    let output = run().expect_exit(0);
    let digest = image.rsplit_once('@').unwrap().1;
    let file = run_folder(&output).join(format!("output/SBOM-{digest}.spdx.json"));
    let sbom: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    let installed_count = fs::read_to_string("/var/lib/dpkg/status").unwrap();
    let wanted =
        installed_count.split("\n\n").filter(|entry| entry.contains("Status: install ok installed")).count();
    // The image itself, and one that a lock file names.
    assert_eq!(sbom["packages"].as_array().unwrap().len(), wanted + 2);
    assert!(sbom["packages"].as_array().unwrap().iter().any(|package| package["name"] == "six"));
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

/// `syft` is asked where it is installed, with the image as an archive; what is no SPDX document does not count.
#[test]
fn i_x_20_syft_makes_the_sbom_where_it_is_installed() {
    let Some(podman) = Podman::start() else { return };
    let place = Place::new();
    let document = json!({
        "spdxVersion": "SPDX-2.3", "SPDXID": "SPDXRef-DOCUMENT", "name": "by-syft", "dataLicense": "CC0-1.0",
        "documentNamespace": "https://x.invalid/1", "creationInfo": {"created": "2026-01-01T00:00:00Z", "creators": ["Tool: syft-0"]},
        "packages": [{"name": "p", "SPDXID": "SPDXRef-p", "versionInfo": "1", "downloadLocation": "NOASSERTION"}],
    });
    let asked = place.scratch.path().join("asked");
    let fake = |says: &str| {
        let script = format!(
            "#!/bin/sh\necho \"$@\" > {asked}\ntar tf \"${{1#docker-archive:}}\" >> {asked}\ncat <<'END'\n{says}\nEND\n",
            asked = asked.display()
        );
        let program = place.scratch.write("tools/syft", script);
        fs::set_permissions(program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    };
    let path = format!("{}:/usr/bin:/bin", place.scratch.path().join("tools").display());
    let sbom = |home: &Place| -> Value {
        let run = in_container(&podman.image, &[], &["/bin/true"]);
        let output = home.mi().env("DOCKER_HOST", podman.host()).env("PATH", &path).run(run).expect_exit(0);
        let digest = podman.image.rsplit_once('@').unwrap().1;
        let file = run_folder(&output).join(format!("output/SBOM-{digest}.spdx.json"));
        serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
    };
    fake(&document.to_string());
    assert_eq!(sbom(&place)["name"], "by-syft");
    let asked_for = fs::read_to_string(&asked).unwrap();
    assert!(asked_for.contains("spdx-json") && asked_for.contains("manifest.json"), "{asked_for}");
    fake("{\"spdxVersion\": \"SPDX-2.3\"}");
    let other = Place::new();
    assert!(sbom(&other)["creationInfo"]["creators"][0].as_str().unwrap().contains("mi"));
    let left: Vec<_> = fs::read_dir(other.home.path().join("box/live")).unwrap().flatten().collect();
    assert!(left.iter().all(|entry| entry.file_name() == ".guard"), "{left:?}");
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
