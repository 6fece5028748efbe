//! `mi box exec` in containers of a real dockerd of the test's own.

use mi_test_support::{Dockerd, MiOutput, leftovers_after, wait_until};
use serde_json::{Value, json};
use std::{fs, time::Duration};

use super::boxed::{ESCAPES, Place, finished, in_container, odd_files, printed, rules, run_folder};

fn sh(place: &Place, docker: &Dockerd, script: &str) -> MiOutput {
    let arguments = in_container(&docker.image, &[], &["/bin/sh", "-c", script]);
    place.mi().env("DOCKER_HOST", docker.host()).run(arguments)
}

fn limited(place: &Place, docker: &Dockerd, script: &str, limits: &[(&str, Value)]) -> MiOutput {
    let spec = place.spec(script, Some(&docker.image), limits);
    let arguments = ["exec", "--json", "--engine", "container", "--spec", spec.to_str().unwrap()];
    place.mi().env("DOCKER_HOST", docker.host()).run(arguments)
}

/// Outputs, exit codes, streams, limits, odd outputs, images that are not there: as with Podman, and nothing is left.
#[test]
fn n_x_02_x_05_x_07_containers_by_dockerd() {
    let Some(docker) = Dockerd::start() else { return };
    let place = Place::new();
    let script = "echo one > /workspace/output/a; pwd; id -u; echo loud >&2; exit 7";
    let output = sh(&place, &docker, script).expect_exit(7);
    assert_eq!(printed(&output, "stdout"), "/workspace/data\n1000\n", "{output}");
    assert_eq!(printed(&output, "stderr"), "loud\n");
    let folder = run_folder(&output);
    assert_eq!(fs::read_to_string(folder.join("output/a")).unwrap(), "one\n");
    let manifest: Value = serde_json::from_slice(&fs::read(folder.join("manifest.json")).unwrap()).unwrap();
    assert_eq!((&manifest["engine"], &manifest["image"]), (&json!("container"), &json!(docker.image)));
    place.mi().run(["box", "verify", folder.to_str().unwrap()]).expect_exit(0);
    let stubborn =
        limited(&place, &docker, "trap '' TERM; while :; do sleep 1; done", &[("step_seconds", json!(1))]);
    assert_eq!(stubborn.code(), Some(124), "{stubborn}");
    let eater =
        limited(&place, &docker, "a=x; while :; do a=$a$a; done", &[("memory_bytes", json!(32 << 20))]);
    assert_eq!(eater.code(), Some(137), "{eater}");
    let many = "i=0; while [ $i -lt 40 ]; do sleep 2 & i=$((i+1)); done; echo all";
    let bomb = limited(&place, &docker, many, &[("pids", json!(16))]);
    assert!(!printed(&bomb, "stdout").contains("all"), "{bomb}");
    let odd = sh(&place, &docker, "ln -s /etc/passwd /workspace/output/l; mkfifo /workspace/output/p");
    assert_eq!((odd.code(), rules(&odd)), (Some(4), vec!["W.output".to_owned(); 2]), "{odd}");
    assert_eq!(odd_files(&place.home.path()).len(), 0);
    let gone = format!("localhost/mi-box-test@sha256:{}", "ab".repeat(32));
    let arguments = in_container(&gone, &[], &["true"]);
    let gone = place.mi().env("DOCKER_HOST", docker.host()).run(arguments).expect_exit(4);
    assert_eq!(rules(&gone), ["I.image"]);
    assert!(finished(&gone)["denials"][0]["reason"].as_str().unwrap().contains("not on this machine"));
    assert_eq!((docker.containers(), place.live()), (Vec::new(), Vec::new()));
}

/// Every attempt to reach the network, the host's files or more rights fails.
#[test]
fn f_01_x_04_escapes_from_dockerds_containers_fail() {
    let Some(docker) = Dockerd::start() else { return };
    let place = Place::new();
    let host = place.scratch.write("host-file", "ESCAPED");
    for (name, script) in ESCAPES {
        let output = sh(&place, &docker, &script.replace("HOST", host.to_str().unwrap()));
        assert!(output.events().iter().any(|event| event["event"] == "exec.started"), "{name}\n{output}");
        assert!(finished(&output)["manifest"].is_string(), "{name} was not run\n{output}");
        assert!(!printed(&output, "stdout").contains("ESCAPED"), "{name}\n{output}");
    }
    let writable = "for f in / /etc /bin /run /var /home /dev /sys /proc; do touch $f/w 2>/dev/null && echo $f; done; touch /tmp/w && echo tmp";
    assert_eq!(printed(&sh(&place, &docker, writable), "stdout"), "tmp\n");
}

/// A killed `mi` leaves a container; the next start removes it, and no other.
#[test]
fn x_12_w_leftovers_in_dockerd_are_swept() {
    let Some(docker) = Dockerd::start() else { return };
    let place = Place::new();
    docker
        .docker(&["create", "--name", "somebody-elses", "--network", "none", &docker.image, "true"])
        .unwrap();
    let arguments = in_container(&docker.image, &[], &["/bin/sh", "-c", "echo be''gun; sleep 60"]);
    let mut running = place.mi().env("DOCKER_HOST", docker.host()).start(arguments);
    running.wait_for("begun");
    running.kill();
    running.wait();
    assert_eq!(docker.containers().len(), 2);
    sh(&place, &docker, "true").expect_exit(0);
    assert!(wait_until(Duration::from_secs(5), || docker.containers() == ["somebody-elses"]));
    assert_eq!(place.live().len(), 0);
    assert!(leftovers_after(place.home.path().to_str().unwrap(), Duration::from_secs(3)).is_empty());
}
