//! `mi box exec` in containers: a real Podman of the test's own, and engines that lie or die.

use mi_test_support::{Podman, leftovers_after, wait_until};
use serde_json::{Value, json};
use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    os::unix::net::{UnixListener, UnixStream},
    path::{Path, PathBuf},
    time::Duration,
};

use super::boxed::{ESCAPES, Place, finished, in_container, printed, rules, run_folder};

fn exec(place: &Place, podman: &Podman, command: &[&str]) -> mi_test_support::MiOutput {
    place.mi().env("DOCKER_HOST", podman.host()).run(in_container(&podman.image, &[], command))
}

fn sh(place: &Place, podman: &Podman, script: &str) -> mi_test_support::MiOutput {
    exec(place, podman, &["/bin/sh", "-c", script])
}

/// The SBOM that comes with an image's first run is no difference between two runs (X20, Rule 1).
#[test]
fn x_20_the_first_run_of_an_image_can_be_proven() {
    let Some(podman) = Podman::start() else { return };
    let place = Place::new();
    let command = ["/bin/sh", "-c", "echo same > /workspace/output/a"];
    let arguments = in_container(&podman.image, &["--prove"], &command);
    let output = place.mi().env("DOCKER_HOST", podman.host()).run(arguments).expect_exit(0);
    assert_eq!(output.events_named("exec.proved")[0]["reproducible"], true);
    assert_eq!(finished(&output)["outputs"].as_array().map(Vec::len), Some(2), "{output}");
}

/// The SBOM does not count as the command's output, and outputs that are too much take nothing else with them (X11, X20).
#[test]
fn x_11_x_20_the_sbom_is_not_measured() {
    let Some(podman) = Podman::start() else { return };
    for (bytes, exit) in [(900, 0), (1100, 4)] {
        let place = Place::new();
        place.home.write_config("[box]\nmax_output_bytes = 1000\n");
        let script = format!("head -c {bytes} /dev/zero > /workspace/output/a");
        let output = sh(&place, &podman, &script).expect_exit(exit);
        let folder = run_folder(&output);
        place.mi().run(["box", "verify", folder.to_str().unwrap()]).expect_exit(0);
        let names = fs::read_dir(folder.join("output")).unwrap().map(|entry| entry.unwrap().file_name());
        let names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
        assert_eq!(names.iter().any(|name| name == "a"), exit == 0, "{names:?}");
        assert_eq!(names.iter().filter(|name| name.starts_with("SBOM-")).count(), 1, "{names:?}");
    }
}

/// What an Exception DR lifted is not said to have held: the manifest names it as missing (F.5). A network is not to be had
/// by any (F.6).
#[test]
fn f_05_a_manifest_claims_no_control_that_an_exception_lifted() {
    let Some(podman) = Podman::start() else { return };
    for (rule, field, value, control) in [
        ("F.network", "network", json!("host"), ""),
        ("F.user", "user", json!("0:0"), "user 1000:1000"),
        ("F.security_opt", "security_opt", json!([]), "no-new-privileges"),
    ] {
        let place = Place::new();
        super::boxed_exceptions::except(&place.home.path(), rule, "2999-01-01T00:00:00Z");
        let path = place.spec("id -u", Some(&podman.image), &[]);
        let mut spec: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        spec[field] = value;
        fs::write(&path, spec.to_string()).unwrap();
        let words = ["exec", "--json", "--engine", "container", "--spec", path.to_str().unwrap()];
        let output = place.mi().env("DOCKER_HOST", podman.host()).run(words);
        if rule == "F.network" {
            assert_eq!(rules(&output.expect_exit(4)), ["F.network"]);
            continue;
        }
        let output = output.expect_exit(0);
        let manifest: Value =
            serde_json::from_slice(&fs::read(run_folder(&output).join("manifest.json")).unwrap()).unwrap();
        let held = manifest["limits"]["enforced"][control].as_str().unwrap_or_default();
        assert_eq!(held, "nothing; an exception lets it be missing", "{manifest}");
        place.mi().run(["box", "verify", run_folder(&output).to_str().unwrap()]).expect_exit(0);
    }
}

/// Outputs, exit codes, streams and removal, on a real engine.
#[test]
fn x_02_x_05_x_07_containers_run_and_go() {
    let Some(podman) = Podman::start() else { return };
    let place = Place::new();
    place.scratch.write("from/a.txt", "given");
    let from = place.scratch.path().join("from");
    let flags = ["--from", from.to_str().unwrap()];
    let script = "cat /workspace/input/a.txt > /workspace/output/b; pwd; id -u; echo loud >&2; exit 7";
    let output = place
        .mi()
        .env("DOCKER_HOST", podman.host())
        .run(in_container(&podman.image, &flags, &["/bin/sh", "-c", script]))
        .expect_exit(7);
    assert_eq!(printed(&output, "stdout"), "/workspace/data\n1000\n", "{output}");
    assert_eq!(printed(&output, "stderr"), "loud\n");
    let folder = run_folder(&output);
    assert_eq!(fs::read_to_string(folder.join("output/b")).unwrap(), "given");
    let manifest: Value = serde_json::from_slice(&fs::read(folder.join("manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest["image"], podman.image.as_str());
    assert_eq!(manifest["bound"], serde_json::json!([]), "the host's toolchains are not in containers");
    assert!(manifest["container_id"].as_str().is_some_and(|id| id.len() >= 12));
    place.mi().run(["box", "verify", folder.to_str().unwrap()]).expect_exit(0);
    assert_eq!(sh(&place, &podman, "sleep 9 & kill -9 $!; wait $!").code(), Some(137));
    assert_eq!(exec(&place, &podman, &["no-such-program"]).code(), Some(127));
    assert_eq!(exec(&place, &podman, &["/etc/passwd"]).code(), Some(126));
    assert_eq!(podman.containers(), Vec::<String>::new());
}

/// Every attempt to reach the network, the host's files or more rights fails.
#[test]
fn f_01_x_04_escapes_from_containers_fail() {
    let Some(podman) = Podman::start() else { return };
    let place = Place::new();
    let host = place.scratch.write("host-file", "ESCAPED");
    for (name, script) in ESCAPES {
        let output = sh(&place, &podman, &script.replace("HOST", host.to_str().unwrap()));
        assert!(output.events().iter().any(|event| event["event"] == "exec.started"), "{name}\n{output}");
        assert!(!printed(&output, "stdout").contains("ESCAPED"), "{name}\n{output}");
    }
    let writable = "for f in / /etc /bin /run /var /home /dev /sys /proc; do touch $f/w 2>/dev/null && echo $f; done; touch /tmp/w && echo tmp";
    assert_eq!(printed(&sh(&place, &podman, writable), "stdout"), "tmp\n");
}

/// Time, memory and processes are limited by the engine.
#[test]
fn x_07_containers_are_limited() {
    let Some(podman) = Podman::start() else { return };
    let place = Place::new();
    let run = |script: &str, limits: &[(&str, Value)]| {
        let spec = place.spec(script, Some(&podman.image), limits);
        let arguments = ["exec", "--json", "--engine", "container", "--spec", spec.to_str().unwrap()];
        place.mi().env("DOCKER_HOST", podman.host()).run(arguments)
    };
    let stubborn = run("trap '' TERM; while :; do sleep 1; done", &[("step_seconds", json!(1))]);
    assert_eq!(stubborn.code(), Some(124), "{stubborn}");
    let eater = run("a=x; while :; do a=$a$a; done", &[("memory_bytes", json!(32 << 20))]);
    assert_eq!(eater.code(), Some(137), "{eater}");
    let bomb =
        run("i=0; while [ $i -lt 40 ]; do sleep 2 & i=$((i+1)); done; echo all", &[("pids", json!(16))]);
    assert!(!printed(&bomb, "stdout").contains("all"), "{bomb}");
    assert_eq!(podman.containers(), Vec::<String>::new());
}

/// An upload tool in the container ends the run; odd outputs are denied.
#[test]
fn f_06_x_05_x_17_containers_are_watched() {
    let Some(podman) = Podman::start() else { return };
    let place = Place::new();
    place
        .scratch
        .write("from/go.sh", "cd /workspace/data; echo 'sleep 30; :' > rclone; sh rclone copy a b:c\n");
    let from = place.scratch.path().join("from");
    let flags = ["--from", from.to_str().unwrap()];
    let upload = place.mi().env("DOCKER_HOST", podman.host()).run(in_container(
        &podman.image,
        &flags,
        &["/bin/sh", "/workspace/input/go.sh"],
    ));
    assert_eq!((upload.code(), rules(&upload)), (Some(4), vec!["F.upload".to_owned()]), "{upload}");
    assert!(upload.elapsed < Duration::from_secs(20));
    let odd = sh(&place, &podman, "ln -s /etc/passwd /workspace/output/l; mkfifo /workspace/output/p")
        .expect_exit(4);
    assert_eq!(rules(&odd), ["W.output", "W.output"]);
}

/// An image by tag, without one, or one that is gone is denied before anything is made.
#[test]
fn i_images_must_be_there_by_digest() {
    let Some(podman) = Podman::start() else { return };
    let place = Place::new();
    let with = |image: &[&str]| {
        let arguments =
            ["exec", "--json", "--engine", "container"].iter().chain(image).chain(&["--", "true"]);
        place.mi().env("DOCKER_HOST", podman.host()).run(arguments).expect_exit(4)
    };
    let gone = format!("localhost/mi-box-test@sha256:{}", "ab".repeat(32));
    for image in [vec![], vec!["--image", "localhost/mi-box-test:1"], vec!["--image", gone.as_str()]] {
        assert_eq!(rules(&with(&image)), ["I.image"], "{image:?}");
    }
    assert_eq!(podman.containers(), Vec::<String>::new());
}

/// A killed `mi` leaves a container; the next start removes it, and no other.
#[test]
fn x_12_w_leftover_containers_are_swept() {
    let Some(podman) = Podman::start() else { return };
    let place = Place::new();
    podman.podman(&["create", "--name", "somebody-elses", &podman.image, "true"]);
    let arguments = in_container(&podman.image, &[], &["/bin/sh", "-c", "echo be''gun; sleep 60"]);
    let mut running = place.mi().env("DOCKER_HOST", podman.host()).start(arguments);
    running.wait_for("begun");
    running.kill();
    running.wait();
    assert_eq!(podman.containers().len(), 2);
    sh(&place, &podman, "true").expect_exit(0);
    assert_eq!(podman.containers(), ["somebody-elses"]);
}

/// An engine that dies while a run goes on is said; once it is back, the next start removes the container.
#[test]
fn x_an_engine_that_dies_is_said_and_its_container_swept() {
    let Some(mut podman) = Podman::start() else { return };
    let place = Place::new();
    let arguments = in_container(&podman.image, &[], &["/bin/sh", "-c", "echo be''gun; sleep 30"]);
    let mut running = place.mi().env("DOCKER_HOST", podman.host()).start(arguments);
    running.wait_for("begun");
    podman.kill_service();
    let output = running.wait().expect_exit(4);
    assert_eq!(rules(&output), ["N.engine"]);
    assert!(leftovers_after(place.home.path().to_str().unwrap(), Duration::from_secs(3)).is_empty());
}

/// An engine that is not running is a denial with what to do.
#[test]
fn n_an_engine_that_is_not_running_is_said() {
    let place = Place::new();
    let image = format!("localhost/x@sha256:{}", "ab".repeat(32));
    let host = format!("unix://{}", place.scratch.path().join("no-socket").display());
    let arguments = in_container(&image, &[], &["true"]);
    let output = place.mi().env("DOCKER_HOST", host).run(arguments).expect_exit(4);
    assert_eq!(rules(&output), ["N.engine"]);
    assert!(finished(&output)["denials"][0]["reason"].as_str().unwrap().contains("does not run"), "{output}");
}

/// Everything against a run is told at once: no image (X2), an upload, another user's network, and no engine.
#[test]
fn x_02_a_03_all_that_stands_against_a_run_is_told() {
    let place = Place::new();
    let run = |more: &[&str]| {
        let arguments = ["exec", "--json", "--engine", "container"].iter().chain(more);
        let nowhere = place.home.path().join("no-socket");
        place.mi().env("DOCKER_HOST", format!("tcp://{}", nowhere.display())).run(arguments).expect_exit(4)
    };
    assert_eq!(rules(&run(&["--", "true"])), ["I.image", "N.socket"]);
    assert_eq!(rules(&run(&["--", "sh", "-c", "git push"])), ["F.upload", "I.image", "N.socket"]);
    assert_eq!(rules(&run(&["--image", "x:1", "--env", "rust", "--", "true"])), ["I.image", "N.socket"]);
}

/// What a lying engine was asked, for the test to look at.
struct Liar {
    socket: PathBuf,
    asked: std::sync::Arc<std::sync::Mutex<Vec<String>>>,
}

impl Liar {
    /// An engine that makes what it is asked for, but for one field of its inspection.
    fn start(place: &Place, name: &str, digest: &str, lie: &'static str, value: Value) -> Self {
        let socket = place.scratch.path().join(name);
        let listener = UnixListener::bind(&socket).unwrap();
        let asked = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
        let (log, digest) = (asked.clone(), digest.to_owned());
        std::thread::spawn(move || {
            let mut body = Value::Null;
            // A run asks for a handful of things and for the files of an SBOM; a liar is not asked more.
            for stream in listener.incoming().take(200).flatten() {
                answer(stream, &log, &digest, &mut body, lie, &value);
            }
        });
        Self { socket, asked }
    }

    fn was_started(&self) -> bool {
        self.asked.lock().unwrap().iter().any(|line| line.contains("/start"))
    }

    fn was_removed(&self) -> bool {
        self.asked.lock().unwrap().iter().any(|line| line.starts_with("DELETE"))
    }
}

fn answer(
    stream: UnixStream,
    log: &std::sync::Mutex<Vec<String>>,
    digest: &str,
    made: &mut Value,
    lie: &str,
    value: &Value,
) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut line = String::new();
    let _ = reader.read_line(&mut line);
    let mut length = 0;
    loop {
        let mut header = String::new();
        if reader.read_line(&mut header).unwrap_or(0) == 0 || header.trim().is_empty() {
            break;
        }
        if let Some(number) = header.to_ascii_lowercase().strip_prefix("content-length:") {
            length = number.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    let _ = reader.read_exact(&mut body);
    log.lock().unwrap().push(line.trim().to_owned());
    let reply = if line.contains("/images/") {
        let own = if lie == "/Config/Env" { value.clone() } else { json!([]) };
        json!({"Id": "sha256:1234", "RepoDigests": [format!("localhost/x@{digest}")], "Config": {"Env": own}})
    } else if line.contains("/containers/create") {
        *made = serde_json::from_slice(&body).unwrap_or_default();
        json!({"Id": "abcdef123456"})
    } else if line.contains("/json") {
        inspected(made, lie, value)
    } else {
        json!({})
    };
    let text = reply.to_string();
    let mut stream = stream;
    let _ = write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{text}",
        text.len()
    );
}

/// An honest inspection of what was asked for, with the lie laid over it.
fn inspected(made: &Value, lie: &str, value: &Value) -> Value {
    let host = &made["HostConfig"];
    let mounts: Vec<Value> = host["Mounts"].as_array().into_iter().flatten().map(|mount| {
        json!({"Type": "bind", "Source": mount["Source"], "Destination": mount["Target"], "RW": mount["ReadOnly"] == false})
    }).collect();
    let mut seen = json!({
        "Id": "abcdef123456", "Image": "sha256:1234", "ExecIDs": null,
        "Config": {"User": made["User"], "Cmd": made["Cmd"], "Env": made["Env"], "Entrypoint": null},
        "HostConfig": host, "Mounts": mounts, "NetworkSettings": {"Networks": {"none": {}}, "Ports": {}},
        "State": {"Running": false, "Status": "exited", "ExitCode": 0},
    });
    if !lie.is_empty() {
        let (above, name) = lie.rsplit_once('/').unwrap();
        seen.pointer_mut(above).unwrap()[name] = value.clone();
    }
    seen
}

/// A dead run whose container never came: nobody waits for it before their own command, and it is not forgotten either.
/// The sweep that a person asks for waits as long as an engine may take.
#[test]
fn x_12_a_container_that_never_comes_keeps_nobody_waiting() {
    let place = Place::new();
    let socket = place.scratch.path().join("engine.sock");
    let listener = UnixListener::bind(&socket).unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = BufReader::new(stream.try_clone().unwrap()).read_line(&mut String::new());
            let _ = write!(
                stream,
                "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}"
            );
        }
    });
    let dead = place.home.path().join("box/live/x-dead");
    fs::create_dir_all(&dead).unwrap();
    let record = json!({"engine": "container", "socket": socket, "container": "mi-x-dead", "is_made": false});
    fs::write(dead.join("run.json"), format!("{record}\n")).unwrap();
    let output = place.mi().run(["exec", "--json", "--engine", "none", "--", "true"]).expect_exit(0);
    assert!(output.elapsed < Duration::from_secs(5), "{:?}", output.elapsed);
    assert!(dead.exists(), "it stays on record as long as it may come");
    let swept = place.mi().run(["box", "gc", "--json"]).expect_exit(0);
    assert_eq!(swept.json()["swept"], json!([{"run": "x-dead", "left": null}]));
    assert!(!dead.exists());
}

/// A container that is not what was asked for is removed and never started, whatever the lie.
#[test]
fn a_an_engine_that_lies_is_caught_before_the_start() {
    let place = Place::new();
    let digest = format!("sha256:{}", "ab".repeat(32));
    let image = format!("localhost/x@{digest}");
    let lies: Vec<(&'static str, Value)> = vec![
        ("/HostConfig/NetworkMode", json!("bridge")),
        ("/NetworkSettings/Networks", json!({"bridge": {}})),
        ("/HostConfig/Privileged", json!(true)),
        ("/HostConfig/ReadonlyRootfs", json!(false)),
        ("/HostConfig/CapDrop", json!([])),
        ("/HostConfig/CapAdd", json!(["SYS_ADMIN"])),
        ("/HostConfig/SecurityOpt", json!([])),
        ("/HostConfig/SecurityOpt", json!(["no-new-privileges", "seccomp=unconfined"])),
        ("/HostConfig/PidsLimit", json!(0)),
        ("/HostConfig/Memory", json!(0)),
        ("/HostConfig/MemorySwap", json!(-1)),
        ("/HostConfig/NanoCpus", json!(null)),
        ("/HostConfig/Ulimits", json!([])),
        ("/HostConfig/OomKillDisable", json!(true)),
        ("/HostConfig/PidMode", json!("host")),
        ("/HostConfig/IpcMode", json!("host")),
        ("/HostConfig/UsernsMode", json!("host")),
        ("/HostConfig/Devices", json!([{"PathOnHost": "/dev/sda"}])),
        ("/HostConfig/VolumesFrom", json!(["other"])),
        ("/HostConfig/PortBindings", json!({"80/tcp": [{}]})),
        ("/HostConfig/ExtraHosts", json!(["a:1.2.3.4"])),
        ("/HostConfig/Sysctls", json!({"kernel.x": "1"})),
        ("/HostConfig/RestartPolicy", json!({"Name": "always"})),
        ("/HostConfig/Binds", json!(["/:/host"])),
        ("/HostConfig/Tmpfs", json!({"/tmp": "rw", "/usr": "rw,exec"})),
        ("/HostConfig/CgroupnsMode", json!("host")),
        ("/HostConfig/UTSMode", json!("host")),
        ("/HostConfig/PidMode", json!("container:other")),
        ("/HostConfig/DeviceRequests", json!([{"Driver": "nvidia"}])),
        ("/HostConfig/GroupAdd", json!(["docker"])),
        ("/HostConfig/Dns", json!(["1.1.1.1"])),
        ("/HostConfig/PublishAllPorts", json!(true)),
        ("/Config/Healthcheck", json!({"Test": ["CMD-SHELL", "true"]})),
        ("/Config/User", json!("0")),
        ("/Config/Cmd", json!(["other"])),
        ("/Config/Entrypoint", json!(["/entry"])),
        ("/Config/Env", json!([])),
        ("/Image", json!("sha256:9999")),
        ("/Mounts", json!([])),
        ("/ExecIDs", json!(["x"])),
    ];
    for (index, (lie, value)) in lies.into_iter().enumerate() {
        let liar = Liar::start(&place, &format!("s{index}"), &digest, lie, value.clone());
        let arguments = in_container(&image, &[], &["true"]);
        let output =
            place.mi().env("DOCKER_HOST", format!("unix://{}", liar.socket.display())).run(arguments);
        assert_eq!(output.code(), Some(4), "{lie} {value}\n{output}");
        assert!(!liar.was_started() && liar.was_removed(), "{lie} {value}");
    }
}

/// An image may have variables of its own, but no secrets in them (Rule S).
#[test]
fn s_an_image_that_carries_a_secret_is_denied() {
    let place = Place::new();
    let digest = format!("sha256:{}", "ab".repeat(32));
    let image = format!("localhost/x@{digest}");
    let token = format!("ghp_{}", "aB3dE6gH9".repeat(4));
    let example = place.mi().run(["policy", "example"]).expect_exit(0).json();
    let admitted: Vec<String> = example["env"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, value)| format!("{name}={}", value.as_str().unwrap()))
        .collect();
    for (name, own, is_denied) in
        [("a", "CARGO_HOME=/usr/local/cargo".to_owned(), false), ("b", format!("T={token}"), true)]
    {
        let all = [&admitted[..], &[own]].concat();
        let liar = Liar::start(&place, name, &digest, "/Config/Env", json!(all));
        let host = format!("unix://{}", liar.socket.display());
        let output = place.mi().env("DOCKER_HOST", host).run(in_container(&image, &[], &["true"]));
        assert_eq!(rules(&output).contains(&"S.secret".to_owned()), is_denied, "{output}");
        assert_eq!(liar.was_started(), !is_denied, "{output}");
        assert!(!output.out().contains(&token));
    }
}

/// The same engine without a lie is believed: the comparison itself is not what denies.
#[test]
fn a_an_honest_engine_is_believed() {
    let place = Place::new();
    let digest = format!("sha256:{}", "ab".repeat(32));
    let liar = Liar::start(&place, "honest", &digest, "", Value::Null);
    let image = format!("localhost/x@{digest}");
    let arguments = in_container(&image, &[], &["true"]);
    let output = place.mi().env("DOCKER_HOST", format!("unix://{}", liar.socket.display())).run(arguments);
    assert!(wait_until(Duration::from_secs(1), || liar.was_started()), "{output}");
    assert!(Path::new(&liar.socket).exists());
}
