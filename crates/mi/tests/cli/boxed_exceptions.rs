//! Controls that a machine cannot hold: denied, let be missing by an Exception DR, and denied again when it has expired.

use mi_test_support::{Mi, MiOutput, skipped};
use serde_json::{Value, json};
use std::{
    fs,
    os::unix::{fs::PermissionsExt, process::CommandExt},
    path::{Path, PathBuf},
    process::Command,
};

use super::boxed::{Place, finished, has_bwrap, rules};

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
}

/// Writes an Exception DR for one rule.
pub fn except(mi_home: &Path, rule: &str, expiry: &str) {
    let record = json!({
        "id": "DR-9", "rule": rule, "owner": "ada", "reason": "a machine that cannot",
        "expiry": expiry, "rollback": "remove DR-9",
    });
    fs::create_dir_all(mi_home.join("exceptions")).unwrap();
    fs::write(mi_home.join("exceptions/dr-9.json"), record.to_string()).unwrap();
}

const PAST: &str = "2020-01-01T00:00:00Z";
const FUTURE: &str = "2999-01-01T00:00:00Z";

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
    except(&ordinary.home(), "X.limits", PAST);
    assert_eq!(ordinary.run()["exit"], 4, "expired");
    except(&ordinary.home(), "X.limits", FUTURE);
    let lifted = ordinary.run();
    assert_eq!(lifted["exit"], 0, "{lifted}");
    let manifest = fs::read_to_string(lifted["manifest"].as_str().unwrap()).unwrap();
    assert!(manifest.contains("DR-9") && manifest.contains("do not hold here"), "{manifest}");
    let timeline = fs::read_to_string(ordinary.home().join("box/timeline.jsonl")).unwrap();
    assert!(timeline.contains("\"DR-9\"") && timeline.contains("rollback"), "{timeline}");
}

/// Becomes a program for which the kernel knows some system calls no longer, as on an older one.
const ON_AN_OLDER_KERNEL: &str = r#"
import ctypes, os, struct, sys
calls = [int(call) for call in sys.argv[1].split(",")]
steps = [(0x20, 0, 0, 0)]
steps += [(0x15, len(calls) - at, 0, call) for at, call in enumerate(calls)]
steps += [(0x06, 0, 0, 0x7FFF0000), (0x06, 0, 0, 0x00050000 | 38)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(steps), ctypes.addressof(code)))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, program, 0, 0) == 0
os.execv(sys.argv[2], sys.argv[2:])
"#;

/// A run that does nothing but leave one file, where these system calls are missing.
fn run_without(place: &Place, calls: &str) -> MiOutput {
    let script = "echo ran > /workspace/output/ran";
    let mi = env!("CARGO_BIN_EXE_mi");
    let command = ["exec", "--json", "--engine", "bwrap", "--", "/bin/sh", "-c", script];
    let arguments = ["-c", ON_AN_OLDER_KERNEL, calls, mi].into_iter().chain(command);
    Mi::new("/usr/bin/python3", &place.home).cwd(place.scratch.path()).run(arguments)
}

/// What stands in the way of a test of this kind.
fn cannot_take_calls_away() -> bool {
    if std::env::consts::ARCH != "x86_64" {
        skipped("the numbers of the calls are those of x86-64");
        return true;
    }
    if !Path::new("/usr/bin/python3").exists() {
        skipped("system calls are taken away with python3, which is not in /usr");
        return true;
    }
    !has_bwrap()
}

/// A kernel without a control: denied by its rule, and nothing runs; an Exception DR for that rule, and for no other, lets it
/// be missing until it expires; manifest and timeline name the exception and what is missing.
fn missing_control(calls: &str, rule: &str, other: &str, control: &str) {
    let place = Place::new();
    let home = place.home.path();
    let denied = |why: &str| {
        let output = run_without(&place, calls).expect_exit(4);
        assert_eq!(rules(&output), [rule], "{why}: {output}");
        assert_eq!(finished(&output)["outputs"], json!([]), "{why}: nothing ran");
    };
    denied("no exception");
    except(&home, other, FUTURE);
    denied("an exception for another rule");
    except(&home, rule, PAST);
    denied("an expired exception");
    except(&home, rule, FUTURE);
    let lifted = finished(&run_without(&place, calls).expect_exit(0));
    assert_eq!(lifted["outputs"][0]["path"], "ran", "{lifted}");
    let manifest: Value =
        serde_json::from_slice(&fs::read(lifted["manifest"].as_str().unwrap()).unwrap()).unwrap();
    assert_eq!(manifest["exceptions"], json!(["DR-9"]));
    let held = manifest["limits"]["enforced"][control].as_str().unwrap();
    assert_eq!(held, "nothing; an exception lets it be missing", "{manifest}");
    let timeline = fs::read_to_string(home.join("box/timeline.jsonl")).unwrap();
    assert!(timeline.contains("\"DR-9\"") && timeline.contains("remove DR-9"), "{timeline}");
    fs::remove_file(home.join("exceptions/dr-9.json")).unwrap();
    denied("the exception is gone");
}

#[test]
fn f_landlock_that_is_missing_is_denied_without_an_exception() {
    if !cannot_take_calls_away() {
        missing_control("444,445,446", "F.landlock", "F.seccomp", "files");
    }
}

#[test]
fn f_a_filter_that_cannot_be_put_on_is_denied_without_an_exception() {
    if !cannot_take_calls_away() {
        missing_control("317", "F.seccomp", "F.landlock", "system calls");
    }
}
