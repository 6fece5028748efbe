//! `mi box exec` in bubblewrap: what comes out, what cannot get out, and what is kept as proof.

use mi_test_support::{Mi, MiOutput, Scratch, TempHome, installed, skipped};
use serde_json::{Value, json};
use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    time::Duration,
};

/// A home and a folder to work in.
pub struct Place {
    pub home: TempHome,
    pub scratch: Scratch,
}

impl Place {
    pub fn new() -> Self {
        Self { home: TempHome::new(), scratch: Scratch::new("box") }
    }

    pub fn mi(&self) -> Mi {
        Mi::new(env!("CARGO_BIN_EXE_mi"), &self.home).cwd(self.scratch.path()).limit(Duration::from_secs(120))
    }

    /// A shell script in bubblewrap.
    pub fn sh(&self, script: &str) -> MiOutput {
        self.mi().run(["exec", "--json", "--engine", "bwrap", "--", "/bin/sh", "-c", script])
    }

    /// The example's spec with other limits and this script.
    pub fn spec(&self, script: &str, image: Option<&str>, limits: &[(&str, Value)]) -> PathBuf {
        let example = self.mi().run(["policy", "example"]).expect_exit(0).json();
        let mut spec = example;
        spec["command"] = json!(["/bin/sh", "-c", script]);
        if let Some(image) = image {
            spec["image"] = json!(image);
        }
        for (name, value) in limits {
            spec["limits"][*name] = value.clone();
        }
        self.scratch.write("spec.json", spec.to_string())
    }

    /// The folders of runs that are not sealed.
    pub fn live(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.home.path().join("box/live")).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
    }

    /// The script with a word that only its own processes carry, and the word.
    pub fn marked(&self, script: &str) -> (String, String) {
        let word = self.scratch.path().file_name().unwrap().to_str().unwrap().to_owned();
        (format!("export MARK={word}; {script}"), word)
    }

    pub fn with_limits(&self, script: &str, limits: &[(&str, Value)]) -> MiOutput {
        let spec = self.spec(script, None, limits);
        self.mi().run(["exec", "--json", "--engine", "bwrap", "--spec", spec.to_str().unwrap()])
    }
}

/// The arguments of a run in a container: flags, then the command.
pub fn in_container(image: &str, flags: &[&str], command: &[&str]) -> Vec<String> {
    let first = ["exec", "--json", "--engine", "container", "--image", image];
    let all = [first.as_slice(), flags, &["--"], command].concat();
    all.into_iter().map(str::to_owned).collect()
}

/// The last event, which must be `exec.finished`.
#[track_caller]
pub fn finished(output: &MiOutput) -> Value {
    let last = output.events().pop().unwrap_or_default();
    assert_eq!(last["event"], "exec.finished", "{output}");
    last
}

/// What the command printed on one stream.
pub fn printed(output: &MiOutput, stream: &str) -> String {
    let of = |event: &Value| {
        (event["event"] == "exec.output" && event["stream"] == stream)
            .then(|| event["text"].as_str().unwrap().to_owned())
    };
    output.events().iter().filter_map(of).collect()
}

/// The rules of all denials.
pub fn rules(output: &MiOutput) -> Vec<String> {
    let denials = finished(output)["denials"].as_array().unwrap().clone();
    denials.iter().map(|denial| denial["rule"].as_str().unwrap().to_owned()).collect()
}

pub fn run_folder(output: &MiOutput) -> PathBuf {
    let manifest = finished(output)["manifest"].as_str().expect("a manifest").to_owned();
    Path::new(&manifest).parent().unwrap().to_owned()
}

/// Everything below a folder that is neither plain file nor folder, or has a setuid bit.
pub fn odd_files(folder: &Path) -> Vec<PathBuf> {
    let (mut odd, mut to_look) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = to_look.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let known = fs::symlink_metadata(entry.path()).unwrap();
            if known.is_dir() {
                to_look.push(entry.path());
            } else if !known.is_file() || known.permissions().mode() & 0o6000 != 0 {
                odd.push(entry.path());
            }
        }
    }
    odd
}

/// Whether bubblewrap can make a box here at all.
pub fn has_bwrap() -> bool {
    let place = Place::new();
    let output = place.sh("true");
    let works = output.code() == Some(0);
    if !works {
        skipped(&format!("bubblewrap does not work here: {}", finished(&output)["denials"]));
    }
    works
}

/// Attempts to get out, with what each must not print. `HOST` stands for a file of the host.
pub const ESCAPES: [(&str, &str); 13] = [
    (
        "network: a connection to the host",
        "(echo x | nc -w 2 127.0.0.1 22 || wget -T 2 -q -O- http://127.0.0.1/) 2>&1 && echo ESCAPED",
    ),
    ("network: an interface that is up", "grep -v -e lo: -e '|' /proc/net/dev && echo ESCAPED"),
    ("host files: a file of the host", "cat HOST 2>/dev/null && echo ESCAPED"),
    ("host files: the password hashes", "cat /etc/shadow 2>/dev/null && echo ESCAPED"),
    ("host files: through the first process", "cat /proc/1/root/HOST 2>/dev/null && echo ESCAPED"),
    (
        "host files: writing the root",
        "(touch /escaped || touch /usr/escaped || touch /bin/escaped || touch /etc/escaped) 2>/dev/null && echo ESCAPED",
    ),
    (
        "host files: what the kernel tells of the machine",
        "cat /proc/keys /proc/timer_list /proc/kmsg /proc/kcore 2>/dev/null | head -c 1 | grep -q . && echo ESCAPED",
    ),
    ("host files: writing the input", "touch /workspace/input/escaped 2>/dev/null && echo ESCAPED"),
    ("privilege: another user", "[ $(id -u) = 0 ] && echo ESCAPED; su -c 'echo ESCAPED' 2>/dev/null"),
    ("privilege: a mount", "mount -t tmpfs none /tmp 2>/dev/null && echo ESCAPED"),
    (
        "privilege: a device",
        "mknod /workspace/data/d b 8 0 2>/dev/null && cat /workspace/data/d && echo ESCAPED",
    ),
    (
        "privilege: a setting of the kernel",
        "(echo x > /proc/sys/kernel/core_pattern) 2>/dev/null && echo ESCAPED",
    ),
    (
        "privilege: capabilities",
        "grep -q 'CapEff:.0000000000000000' /proc/self/status && grep -q 'NoNewPrivs:.1' /proc/self/status || echo ESCAPED",
    ),
];

/// Every attempt to reach the network, the host's files or more rights fails.
#[test]
fn f_01_x_03_x_04_escapes_from_bwrap_fail() {
    if !has_bwrap() {
        return;
    }
    let place = Place::new();
    let host = place.scratch.write("host-file", "ESCAPED");
    for (name, script) in ESCAPES {
        let output = place.sh(&script.replace("HOST", host.to_str().unwrap()));
        assert!(!printed(&output, "stdout").contains("ESCAPED"), "{name}\n{output}");
    }
    assert!(!Path::new("/usr/escaped").exists() && !Path::new("/escaped").exists());
}

/// System calls that open doors are refused (X9); threads and ordinary sockets work.
#[test]
fn x_09_dangerous_calls_are_refused() {
    if !has_bwrap() {
        return;
    }
    if !Path::new("/usr/bin/python3").exists() {
        return skipped("the calls are made with python3, which is not in /usr");
    }
    let script = r#"
import ctypes, socket, threading
libc = ctypes.CDLL(None, use_errno=True)
def call(*numbers):
    result = libc.syscall(*numbers)
    return ctypes.get_errno() if result < 0 else 0
for name, numbers in {
    "mount": (165, 0, 0, 0, 0, 0), "fsopen": (430, 0, 0), "open_tree": (428, 0, 0, 0), "ptrace": (101, 0, 0, 0, 0),
    "process_vm_readv": (310, 1, 0, 0, 0, 0, 0), "bpf": (321, 0, 0, 0), "perf_event_open": (298, 0, 0, 0, 0, 0),
    "keyctl": (250, 0, 0), "add_key": (248, 0, 0, 0, 0, 0), "kexec_load": (246, 0, 0, 0, 0), "init_module": (175, 0, 0, 0),
    "unshare user": (272, 0x10000000), "clone user": (56, 0x10000000, 0, 0, 0, 0), "setns": (308, 0, 0),
}.items():
    assert call(*numbers) == 1, name
assert call(435, 0, 0) == 38, "clone3"
for family in (socket.AF_PACKET, 38, 40, 16 + 1):
    try:
        socket.socket(family, socket.SOCK_RAW)
        raise SystemExit("a socket of family %d" % family)
    except PermissionError:
        pass
for family in (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6):
    socket.socket(family, socket.SOCK_STREAM)
thread = threading.Thread(target=lambda: None)
thread.start()
thread.join()
print("all refused")
"#;
    if std::env::consts::ARCH != "x86_64" {
        return skipped("the numbers of the calls are those of x86-64");
    }
    let place = Place::new();
    let output =
        place.mi().run(["exec", "--json", "--engine", "bwrap", "--", "/usr/bin/python3", "-c", script]);
    assert_eq!(printed(&output, "stdout"), "all refused\n", "{output}");
}

/// Nothing of `mi` shows in the box: not in the environment of any process, not in its open files, not in its words.
#[test]
fn x_10_nothing_of_mi_shows_inside() {
    if !has_bwrap() {
        return;
    }
    let place = Place::new();
    let script = "cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n'; ls -l /proc/[0-9]*/fd 2>/dev/null; env";
    let output = place
        .mi()
        .env("MI_TEST_MARK", "the-mark-of-mi")
        .run(["exec", "--json", "--engine", "bwrap", "--", "/bin/sh", "-c", script]);
    let text = printed(&output, "stdout");
    for forbidden in ["the-mark-of-mi", "MI_HOME", place.home.path().to_str().unwrap(), "memfd"] {
        assert!(!text.contains(forbidden), "{forbidden}\n{output}");
    }
    // Nor what `mi` was given by whoever started it.
    let leak = format!(
        "exec 9< /etc/hostname; exec '{}' exec --engine bwrap -- ls /proc/self/fd",
        env!("CARGO_BIN_EXE_mi")
    );
    let listed = std::process::Command::new("/bin/sh")
        .args(["-c", &leak])
        .env("MI_HOME", place.home.path())
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&listed.stdout), "0\n1\n2\n3\n");
    assert!(
        text.contains("CHORUS_SEED=42") && text.contains("SOURCE_DATE_EPOCH=0") && text.contains("TZ=UTC")
    );
}

/// Outputs stand beside their manifest; the last line says where; the folder verifies, with `minisign` too.
#[test]
fn x_02_x_05_x_08_outputs_are_sealed() {
    if !has_bwrap() {
        return;
    }
    let place = Place::new();
    let script =
        "pwd; echo loud >&2; mkdir /workspace/output/a; echo one > /workspace/output/a/b; id -u; id -g";
    let output = place.sh(script).expect_exit(0);
    assert_eq!(printed(&output, "stdout"), "/workspace/data\n1000\n1000\n");
    assert_eq!(printed(&output, "stderr"), "loud\n");
    let folder = run_folder(&output);
    assert!(folder.starts_with(place.home.path()));
    assert_eq!(fs::read_to_string(folder.join("output/a/b")).unwrap(), "one\n");
    let manifest: Value = serde_json::from_slice(&fs::read(folder.join("manifest.json")).unwrap()).unwrap();
    assert_eq!(
        (&manifest["image"], &manifest["engine"], &manifest["egress_used"]),
        (&json!(null), &json!("bwrap"), &json!(false))
    );
    assert_eq!(manifest["outputs"][0]["path"], "a/b");
    assert_eq!(finished(&output)["exit"], 0);
    let name = folder.to_str().unwrap();
    place.mi().run(["box", "verify", name]).expect_exit(0);
    if let Some(minisign) = installed("minisign") {
        let checked = std::process::Command::new(minisign)
            .args(["-Vm", "manifest.json", "-p"])
            .arg(place.home.path().join("box/policy.pub"))
            .current_dir(&folder)
            .output()
            .unwrap();
        assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
    }
}

/// Any change, missing or extra file is named.
#[test]
fn u_verify_names_every_change() {
    if !has_bwrap() {
        return;
    }
    let place = Place::new();
    let output = place.sh("echo 1 > /workspace/output/one; echo 2 > /workspace/output/two").expect_exit(0);
    let folder = run_folder(&output);
    let problems = |name: &str| {
        let checked =
            place.mi().run(["box", "verify", "--json", folder.to_str().unwrap()]).expect_exit(1).json();
        let text = checked["problems"].to_string();
        assert!(text.contains(name), "{text}");
    };
    let file = |name: &str| folder.join(name);
    let (one, manifest) = (fs::read(file("output/one")).unwrap(), fs::read(file("manifest.json")).unwrap());
    fs::write(file("output/one"), "x").unwrap();
    problems("output/one: changed");
    fs::remove_file(file("output/one")).unwrap();
    problems("output/one: missing");
    symlink("two", file("output/one")).unwrap();
    problems("output/one: a symbolic link stands there");
    fs::remove_file(file("output/one")).unwrap();
    fs::write(file("output/one"), one).unwrap();
    fs::write(file("output/three"), "").unwrap();
    problems("output/three: not in the manifest");
    fs::remove_file(file("output/three")).unwrap();
    fs::create_dir_all(file("output/deep/empty")).unwrap();
    problems("output/deep: not in the manifest");
    fs::remove_dir_all(file("output/deep")).unwrap();
    for mode in [0o755, 0o4644] {
        fs::set_permissions(file("output/one"), PermissionsExt::from_mode(mode)).unwrap();
        problems("output/one: changed");
    }
    fs::set_permissions(file("output/one"), PermissionsExt::from_mode(0o644)).unwrap();
    fs::write(file("beside"), "").unwrap();
    problems("beside: not in the manifest");
    fs::remove_file(file("beside")).unwrap();
    for name in ["manifest.json.age", "manifest.json.age.minisig"] {
        fs::write(file(name), "").unwrap();
        problems(name);
        fs::remove_file(file(name)).unwrap();
    }
    fs::write(
        file("manifest.json"),
        String::from_utf8(manifest.clone()).unwrap().replace("MI-EXEC", "MI-EXAC"),
    )
    .unwrap();
    problems("manifest.json");
    fs::write(file("manifest.json"), manifest).unwrap();
    place.mi().run(["box", "verify", folder.to_str().unwrap()]).expect_exit(0);
    fs::remove_file(file("manifest.json.minisig")).unwrap();
    problems("manifest.json.minisig: missing");
    for name in ["statement.dsse.json", "artifact.meta.json"] {
        let away = place.scratch.path().join(name);
        fs::rename(file(name), &away).unwrap();
        symlink(&away, file(name)).unwrap();
        problems(&format!("{name}: a symbolic link stands there"));
        fs::remove_file(file(name)).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, file(name), rustix::fs::FileType::Fifo, 0o600.into(), 0)
            .unwrap();
        problems(&format!("{name}: not a plain file"));
    }
}

/// Links, pipes, sockets, devices and setuid bits in `output` are not collected and leave nothing behind.
#[test]
fn x_05_x_14_odd_outputs_are_denied_and_gone() {
    if !has_bwrap() {
        return;
    }
    let place = Place::new();
    let script = "cd /workspace/output; ln -s /etc/passwd link; mkfifo pipe; echo x > good; chmod 4755 good; \
        mknod dev c 1 3 2>/dev/null; mkdir -p d/e; ln -s .. d/e/up; ln good twin";
    let output = place.sh(script).expect_exit(4);
    assert!(rules(&output).iter().all(|rule| rule == "W.output"), "{output}");
    let denied = finished(&output)["denials"].to_string();
    for name in ["output/link", "output/pipe", "output/d/e/up"] {
        assert!(denied.contains(name), "{denied}");
    }
    assert_eq!(odd_files(&place.home.path()), Vec::<PathBuf>::new());
    assert_eq!(place.live(), Vec::<PathBuf>::new());
}

/// A command that leaves more odd names than a record holds cannot keep its run out of the journal.
#[test]
fn x_20_countless_denials_are_counted_and_the_run_is_recorded() {
    if !has_bwrap() {
        return;
    }
    let place = Place::new();
    let output =
        place.sh("cd /workspace/output; for i in $(seq 1 300); do ln -s x link$i; done").expect_exit(4);
    let denials = finished(&output)["denials"].clone();
    assert_eq!(denials.as_array().map(Vec::len), Some(101), "{denials}");
    assert!(denials[100].to_string().contains("200 more"), "{denials}");
    let timeline = fs::read_to_string(place.home.path().join("box/timeline.jsonl")).unwrap();
    assert!(timeline.contains("200 more"), "{timeline}");
}

/// A setuid bit that a sealed file got since is found, also where the file may be run anyway (X11, X14).
#[test]
fn x_11_a_setuid_bit_on_a_sealed_program_is_found() {
    if !has_bwrap() {
        return;
    }
    let place = Place::new();
    let folder = run_folder(&place.sh("cp /bin/true /workspace/output/program").expect_exit(0));
    let program = folder.join("output/program");
    place.mi().run(["box", "verify", folder.to_str().unwrap()]).expect_exit(0);
    fs::set_permissions(&program, PermissionsExt::from_mode(0o4755)).unwrap();
    let told = place.mi().run(["box", "verify", folder.to_str().unwrap()]).expect_exit(1);
    assert!(told.to_string().contains("output/program: changed: it has a setuid"), "{told}");
}

/// What an agent's reply holds is run; a reply without files, or with a refused one, is denied and nothing runs.
#[test]
fn o_replies_are_extracted_and_run() {
    if !has_bwrap() {
        return;
    }
    let place = Place::new();
    let run = |reply: &str| {
        let file = place.scratch.write("reply.md", reply);
        let arguments =
            ["exec", "--json", "--engine", "bwrap", "--from", file.to_str().unwrap(), "--", "/bin/sh", "-c"];
        place.mi().run(arguments.iter().copied().chain(["sh /workspace/input/hello.sh"]))
    };
    let good = run("Create file `hello.sh`:\n```sh\necho from the reply\n```\n").expect_exit(0);
    assert_eq!(printed(&good, "stdout"), "from the reply\n");
    let none = run("Just words.\n").expect_exit(4);
    assert!(finished(&none)["denials"][0]["reason"].as_str().unwrap().contains("task_analysis"));
    let bad = run("Create `../x.sh`:\n```sh\nx\n```\n").expect_exit(4);
    assert_eq!(rules(&bad), ["O.extract"]);
}

/// Links out of the `--from` folder are never followed; credentials in it are refused.
#[test]
fn x_13_s_input_lets_nothing_of_the_host_in() {
    if !has_bwrap() {
        return;
    }
    let place = Place::new();
    let secret = place.scratch.write("outside.txt", "outside");
    place.scratch.write("from/file.txt", "inside");
    symlink(&secret, place.scratch.path().join("from/link")).unwrap();
    let run = || {
        let from = place.scratch.path().join("from");
        let script = "cat /workspace/input/file.txt; cat /workspace/input/link 2>/dev/null; true";
        place.mi().run([
            "exec",
            "--json",
            "--engine",
            "bwrap",
            "--from",
            from.to_str().unwrap(),
            "--",
            "/bin/sh",
            "-c",
            script,
        ])
    };
    assert_eq!(printed(&run().expect_exit(0), "stdout"), "inside");
    place.scratch.write("from/home/.ssh/config", "x");
    assert_eq!(rules(&run().expect_exit(4)), ["S.mounts"]);
}

/// Secrets and environment files block completion until a reviewer releases them; the label follows (X16).
#[test]
fn s_w_x_16_secrets_block_until_a_reviewer_releases() {
    if !has_bwrap() {
        return;
    }
    let place = Place::new();
    let token = format!("ghp_{}", "a".repeat(36));
    let output = place
        .sh("echo A=1 > /workspace/output/.env; echo ghp_$(printf 'a%.0s' $(seq 36)) > /workspace/output/t")
        .expect_exit(4);
    assert!(rules(&output).iter().all(|rule| rule == "S.secret") && rules(&output).len() >= 2, "{output}");
    assert!(!output.out().contains(&token), "the secret is repeated");
    let sink = place.scratch.path().join("sink");
    fs::create_dir(&sink).unwrap();
    place.home.write_config(&format!("[sinks]\nallow = [\"{}\"]\n", sink.display()));
    let publish = || place.mi().run(["publish", "--json", "last", "--to", sink.to_str().unwrap()]);
    assert_eq!(publish().expect_exit(4).json()["denials"][0]["rule"], "S.held");
    place
        .mi()
        .run(["box", "release", "last", "--reviewer", "ada", "--reason", "a test", "--redact"])
        .expect_exit(0);
    place.mi().run(["box", "verify", "last"]).expect_exit(0);
    publish().expect_exit(0);
    let published = fs::read_dir(&sink).unwrap().next().unwrap().unwrap().path();
    assert!(!fs::read_to_string(published.join("output/t")).unwrap().contains(&token));
    let label: Value =
        serde_json::from_slice(&fs::read(published.join("artifact.meta.json")).unwrap()).unwrap();
    assert_eq!(label, json!({"classification": "internal", "pii": false}));
    assert_eq!(
        place.mi().run(["publish", "--json", "last", "--to", "/nowhere"]).expect_exit(4).json()["denials"][0]
            ["rule"],
        "U.sink"
    );
}

/// Numbers of people block completion; addresses are in the label, and what it calls restricted or personal is not
/// published before a reviewer said so (Rule S, X16).
#[test]
fn s_x_16_personal_data_waits_for_a_reviewer() {
    if !has_bwrap() {
        return;
    }
    let place = Place::new();
    let sink = place.scratch.path().join("sink");
    fs::create_dir(&sink).unwrap();
    place.home.write_config(&format!("[sinks]\nallow = [\"{}\"]\n", sink.display()));
    let publish = || place.mi().run(["publish", "--json", "last", "--to", sink.to_str().unwrap()]);
    let label = |output: &MiOutput| -> Value {
        serde_json::from_slice(&fs::read(run_folder(output).join("artifact.meta.json")).unwrap()).unwrap()
    };
    for text in ["ssn 123-45-6789", "card 4111 1111 1111 1111", "DE89 3704 0044 0532 0130 00"] {
        let output = place.sh(&format!("echo {text} > /workspace/output/a")).expect_exit(4);
        assert_eq!(rules(&output), ["S.secret"], "{text}");
        assert_eq!(label(&output)["pii"], true, "{text}");
    }
    let own = r#"echo '{"classification":"restricted","pii":false}' > /workspace/output/artifact.meta.json"#;
    for script in ["echo jane.doe@acme.de > /workspace/output/a", own] {
        let output = place.sh(script).expect_exit(0);
        assert_eq!(label(&output)["pii"], !script.contains("restricted"), "{script}");
        assert_eq!(publish().expect_exit(4).json()["denials"][0]["rule"], "S.held", "{script}");
        let held = || place.mi().run(["box", "list", "--json"]).expect_exit(0).json();
        assert_eq!(held().as_array().unwrap().last().unwrap()["held"], true);
        place.mi().run(["box", "release", "last", "--reviewer", "ada", "--reason", "known"]).expect_exit(0);
        assert_eq!(held().as_array().unwrap().last().unwrap()["held"], false);
        publish().expect_exit(0);
    }
}

/// What a reviewer has taken out is gone from files that are no text too; where it cannot be, the file goes (Rule S).
#[test]
fn s_redacted_outputs_hold_nothing_that_was_found() {
    if !has_bwrap() {
        return;
    }
    let place = Place::new();
    let token = format!("ghp_{}", "a".repeat(36));
    let script = "cd /workspace/output; t=ghp_$(printf 'a%.0s' $(seq 36)); printf '\\377\\000%s\\n' $t > bytes; \
        cp /usr/bin/true program; printf '%s' $t >> program; echo A=1 > .env; echo 123-45-6789 > n; echo x > $t; echo ok > fine";
    let output = place.sh(script).expect_exit(4);
    assert!(!finished(&output)["denials"].to_string().contains(&token), "{output}");
    place
        .mi()
        .run(["box", "release", "last", "--reviewer", "ada", "--reason", "a test", "--redact"])
        .expect_exit(0);
    place.mi().run(["box", "verify", "last"]).expect_exit(0);
    let folder = run_folder(&output).join("output");
    let mut names: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["bytes", "fine", "n"]);
    assert_eq!(fs::read(folder.join("bytes")).unwrap(), b"\xff\0[REDACTED:github-token]\n");
    assert_eq!(fs::read_to_string(folder.join("n")).unwrap(), "[REDACTED:ssn]\n");
}

/// Programs are full of words about passwords and hold none; text of two bytes per letter is read too (X21).
#[test]
fn x_21_programs_pass_and_wide_text_is_read() {
    if !has_bwrap() {
        return;
    }
    let place = Place::new();
    let words = "\0  -r, --remove-password         remove it\0Password=hunter2hunter\0";
    place.scratch.write("from/words", words);
    let from = place.scratch.path().join("from");
    let script = "cat /usr/bin/true /workspace/input/words > /workspace/output/p";
    let flags = ["exec", "--json", "--engine", "bwrap", "--from", from.to_str().unwrap(), "--"];
    place.mi().run([&flags[..], &["sh", "-c", script]].concat()).expect_exit(0);
    let text = "cp /workspace/input/words /workspace/output/";
    assert_eq!(
        rules(&place.mi().run([&flags[..], &["sh", "-c", text]].concat()).expect_exit(4)),
        ["S.secret"]
    );
    let wide = "printf '\\377\\376' > /workspace/output/w; for i in g h p _; do printf \"$i\\0\"; done >> /workspace/output/w; \
        for i in $(seq 36); do printf 'a\\0'; done >> /workspace/output/w";
    assert_eq!(rules(&place.sh(wide).expect_exit(4)), ["S.secret"]);
}

/// A manifest that is to be encrypted is, and the `age` program reads it back.
#[test]
fn f_05_manifests_are_encrypted_when_configured() {
    if !has_bwrap() {
        return;
    }
    let (Some(age), Some(keygen)) = (installed("age"), installed("age-keygen")) else { return };
    let place = Place::new();
    let key = place.scratch.path().join("key");
    let made = std::process::Command::new(keygen).arg("-o").arg(&key).output().unwrap();
    let said = String::from_utf8_lossy(&made.stderr).into_owned();
    let recipient = said.trim().strip_prefix("Public key: ").unwrap();
    place.home.write_config(&format!("[box]\nage_recipients = [\"{recipient}\"]\n"));
    let is_archived = |folder: &Path| {
        let archive = folder.join("manifest.json.age");
        let read = std::process::Command::new(&age).arg("-d").arg("-i").arg(&key).arg(archive).output();
        assert_eq!(read.unwrap().stdout, fs::read(folder.join("manifest.json")).unwrap());
        place.mi().run(["box", "verify", folder.to_str().unwrap()]).expect_exit(0);
    };
    is_archived(&run_folder(&place.sh("true").expect_exit(0)));
    let held = run_folder(&place.sh("echo A=1 > /workspace/output/.env").expect_exit(4));
    place
        .mi()
        .run(["box", "release", "last", "--reviewer", "ada", "--reason", "a test", "--redact"])
        .expect_exit(0);
    is_archived(&held);
}

/// A label of the command's own must be one.
#[test]
fn x_16_own_labels_must_validate() {
    if !has_bwrap() {
        return;
    }
    let place = Place::new();
    let write = |text: &str| place.sh(&format!("echo '{text}' > /workspace/output/artifact.meta.json"));
    let good = write(r#"{"classification":"public","pii":false}"#).expect_exit(0);
    let label = fs::read_to_string(run_folder(&good).join("artifact.meta.json")).unwrap();
    assert!(label.contains("public"));
    assert_eq!(rules(&write(r#"{"classification":"secret"}"#).expect_exit(4)), ["S.classification"]);
}

/// Denials end with `exec.finished` too, and nothing is run (A, F.3, X15).
#[test]
fn x_15_a_denials_end_with_the_same_event() {
    let place = Place::new();
    let exec = |arguments: &[&str]| place.mi().run(["exec", "--json"].iter().chain(arguments));
    let upload = exec(&["--engine", "bwrap", "--", "git", "push", "origin", "main"]).expect_exit(4);
    assert_eq!(rules(&upload), ["F.upload"]);
    assert_eq!(finished(&upload)["manifest"], json!(null));
    let tagged = exec(&["--engine", "bwrap", "--image", "localhost/x:latest", "--", "true"]).expect_exit(4);
    assert_eq!(rules(&tagged), ["I.image"]);
    let bad = place.scratch.write("bad.json", "{\"task_id\":1,\"task_id\":2}");
    assert!(
        rules(&exec(&["--spec", bad.to_str().unwrap()]).expect_exit(4))
            .iter()
            .any(|rule| rule.starts_with("A."))
    );
    let image = format!("localhost/x@sha256:{}", "ab".repeat(32));
    let arguments = in_container(&image, &[], &["true"]);
    let remote = place.mi().env("DOCKER_HOST", "tcp://127.0.0.1:1").run(arguments);
    assert_eq!(rules(&remote.expect_exit(4)), ["N.socket"]);
}

/// The same outputs twice are proven; others are named.
#[test]
fn x_prove_compares_two_runs() {
    if !has_bwrap() {
        return;
    }
    let place = Place::new();
    let prove = |script: &str| {
        place.mi().run(["exec", "--json", "--engine", "bwrap", "--prove", "--", "/bin/sh", "-c", script])
    };
    let same = prove("echo $CHORUS_SEED > /workspace/output/a").expect_exit(0);
    assert_eq!(same.events_named("exec.proved")[0]["reproducible"], true);
    let other = prove("cat /proc/sys/kernel/random/uuid > /workspace/output/a").expect_exit(4);
    assert_eq!(rules(&other), ["X.reproducible"]);
    let first = run_folder(&other);
    let again = first.with_file_name(format!("{}-again", first.file_name().unwrap().to_str().unwrap()));
    place.home.write_config(&format!("[sinks]\nallow = [{:?}]\n", place.scratch.path()));
    for folder in [first, again] {
        let folder = folder.to_str().unwrap();
        place.mi().run(["box", "verify", folder]).expect_exit(0);
        let manifest = fs::read_to_string(format!("{folder}/manifest.json")).unwrap();
        assert!(manifest.contains("X.reproducible output: output/a differs"), "{manifest}");
        place.mi().run(["publish", folder, "--to", place.scratch.path().to_str().unwrap()]).expect_exit(4);
    }
    let program = prove("cp /bin/true /workspace/output/a").expect_exit(0);
    assert_eq!(finished(&program)["outputs"][0]["executable"], true);
    assert_eq!(place.live(), Vec::<PathBuf>::new());
}

/// A run that a person stops is not run again and proves nothing.
#[test]
fn x_prove_says_nothing_of_a_run_that_was_stopped() {
    if !has_bwrap() {
        return;
    }
    let place = Place::new();
    let script = "echo be''gun; sleep 60";
    let mut running =
        place.mi().start(["exec", "--json", "--engine", "bwrap", "--prove", "--", "/bin/sh", "-c", script]);
    running.wait_for("begun");
    running.interrupt();
    let output = running.wait().expect_exit(130);
    assert_eq!(output.events_named("exec.proved"), Vec::<Value>::new());
    assert_eq!(output.events_named("exec.started").len(), 1, "{output}");
}

/// Names that a manifest does not take are denied and gone, and the run can still be verified (X5, W); folders without
/// outputs are not kept.
#[test]
fn w_x_05_every_sealed_run_can_be_read_again() {
    if !has_bwrap() {
        return;
    }
    let place = Place::new();
    let script = "cd /workspace/output; mkdir -p e/f d/D; echo 1 > A; echo 2 > a; echo 3 > 'b\\c'; echo 4 > d/D/x; \
        echo 5 > d/D/X; echo 6 > \"$(printf 'e\\314\\201')\"; echo 7 > \"$(printf '\\303\\251')\"";
    let output = place.sh(script).expect_exit(4);
    assert_eq!(rules(&output), ["W.output"; 4]);
    let folder = run_folder(&output);
    let names: Vec<Value> = finished(&output)["outputs"].as_array().unwrap().clone();
    assert_eq!(
        names.iter().map(|name| name["path"].as_str().unwrap()).collect::<Vec<_>>(),
        ["A", "d/D/X", "e\u{301}"]
    );
    place.mi().run(["box", "verify", folder.to_str().unwrap()]).expect_exit(0);
    let mut kept: Vec<_> =
        fs::read_dir(folder.join("output")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    kept.sort();
    assert_eq!(kept, ["A", "d", "e\u{301}"]);
    let deep = "cd /workspace/output; echo x > fine; n=$(printf %0200d 0); \
        for i in $(seq 18); do mkdir $n && cd -P $n || exit 1; done; echo x > f";
    let output = place.sh(deep).expect_exit(4);
    assert_eq!(rules(&output), ["W.output"]);
    let folder = run_folder(&output);
    place.mi().run(["box", "verify", folder.to_str().unwrap()]).expect_exit(0);
    assert_eq!(fs::read_dir(folder.join("output")).unwrap().count(), 1);
}

/// `engine: none` extracts and records, and runs nothing (X20).
#[test]
fn x_20_engine_none_runs_nothing() {
    let place = Place::new();
    let output = place
        .mi()
        .run(["exec", "--json", "--engine", "none", "--", "/bin/sh", "-c", "echo ran"])
        .expect_exit(0);
    assert_eq!(printed(&output, "stdout"), "");
    assert!(run_folder(&output).join("manifest.json").exists());
    assert!(fs::read_to_string(place.home.path().join("box/timeline.jsonl")).unwrap().contains("ucxl://"));
}

/// Where nothing is run no command is needed, and the files of a reply are what is kept, through the same gate (X20).
#[test]
fn x_20_engine_none_keeps_the_files_of_a_reply() {
    let place = Place::new();
    let reply = place.scratch.write("reply.md", "Create file `src/a.py`:\n```python\nprint(1)\n```\n");
    let run = || place.mi().run(["exec", "--json", "--engine", "none", "--from", reply.to_str().unwrap()]);
    let output = run().expect_exit(0);
    assert_eq!(finished(&output)["outputs"][0]["path"], "src/a.py", "{output}");
    assert_eq!(fs::read_to_string(run_folder(&output).join("output/src/a.py")).unwrap(), "print(1)\n");
    place.mi().run(["box", "verify", "last"]).expect_exit(0);
    let token = format!("ghp_{}", "a".repeat(36));
    fs::write(&reply, format!("Create file `a.py`:\n```python\nkey = '{token}'\n```\n")).unwrap();
    assert_eq!(rules(&run().expect_exit(4)), ["S.secret"]);
}

/// A run's summary is a Decision Record that `mi dr` shows in the project where it ran, and nowhere else (F.5, X20).
#[test]
fn x_20_f_05_a_run_leaves_a_decision_record() {
    let place = Place::new();
    let output = place.mi().run(["exec", "--json", "--engine", "none", "--", "true"]).expect_exit(0);
    let run = output.events_named("exec.finished")[0]["run"].as_str().unwrap().to_owned();
    let id = format!("DR-{run}");
    let list = place.mi().run(["dr", "list", "--json"]).expect_exit(0).json();
    assert_eq!(list.as_array().unwrap().len(), 1, "{list}");
    assert_eq!((&list[0]["id"], &list[0]["kind"]), (&json!(id), &json!("attestation")));
    assert_eq!(list[0]["text"], "MI-EXEC-001 in none (no image): exit 0, 0 outputs, 0 bytes");
    assert!(list[0]["address"].as_str().unwrap().starts_with("ucxl://"));
    assert_eq!(place.mi().run(["dr", "show", &id, "--json"]).expect_exit(0).json(), list[0]);
    assert!(place.mi().run(["dr", "list"]).expect_exit(0).out().contains(&id));
    let elsewhere = Scratch::new("other");
    assert_eq!(
        place.mi().cwd(elsewhere.path()).run(["dr", "list", "--json"]).expect_exit(0).json(),
        json!([])
    );
}

/// What `-- CMD` puts in place of a spec's command is what is judged (X2).
#[test]
fn x_02_the_command_that_would_run_is_judged() {
    let place = Place::new();
    let spec = place.spec("git push", None, &[]);
    let run = |command: &[&str]| {
        let start = ["exec", "--json", "--engine", "none", "--spec", spec.to_str().unwrap(), "--"];
        place.mi().run([&start[..], command].concat())
    };
    run(&["true"]).expect_exit(0);
    assert_eq!(rules(&run(&["git", "push"]).expect_exit(4)), ["F.upload"]);
    let own = place.mi().run(["exec", "--json", "--engine", "none", "--spec", spec.to_str().unwrap()]);
    assert_eq!(rules(&own.expect_exit(4)), ["F.upload"]);
}
