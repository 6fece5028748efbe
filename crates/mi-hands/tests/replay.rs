//! Recordings, replayed and made.

#![allow(clippy::unwrap_used, reason = "helpers of tests may panic as tests do")]

mod common;

use common::{Memory, entries, environment, folder, order, spawner};
use mi_hands::{
    BatchLimits, BatchOrder, Ending, Exec, Hands, HandsError, PromptPolicy, RecordSettings, Recorder, Replay,
};
use mi_model::Usage;
use mi_process::Stopwatch;
use std::{
    fs,
    os::fd::AsFd,
    path::{Path, PathBuf},
    time::Duration,
};

const THREAD: &str = r#"{"type":"thread.started","thread_id":"t1"}"#;
const CHANGED: &str = r#"{"type":"item.completed","item":{"id":"2","type":"file_change","changes":[{"path":"/p/new.txt","kind":"add"}],"status":"completed"}}"#;
const SAID: &str = r#"{"type":"item.completed","item":{"id":"3","type":"agent_message","text":"Done."}}"#;
const COMPLETED: &str = r#"{"type":"turn.completed","usage":{"input_tokens":10,"output_tokens":1}}"#;
const PATCH: &str = "diff --git a/new.txt b/new.txt\nnew file mode 100644\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+hello\n";
const TOML: &str = "name = \"demo\"\nagent = \"codex\"\nversion = \"0.166.0\"\nprompt_policy = \"any\"\n";

/// A recording with these files, and a project beside it.
struct Case {
    home: tempfile::TempDir,
}

impl Case {
    fn new(files: &[(&str, &str)]) -> Self {
        let case = Self { home: folder() };
        fs::create_dir(case.project()).unwrap();
        fs::create_dir(case.recording()).unwrap();
        for (name, text) in files {
            fs::write(case.recording().join(name), text).unwrap();
        }
        case
    }

    fn project(&self) -> PathBuf {
        self.home.path().join("project")
    }

    fn recording(&self) -> PathBuf {
        self.home.path().join("recording")
    }

    fn open(&self) -> Result<Replay, HandsError> {
        Replay::open(&self.recording(), spawner(), environment())
    }

    /// The error of batch 0, without the folder of this test.
    fn error(&self) -> String {
        let error = match self.open() {
            Ok(mut replay) => {
                replay.run_batch(&order(&self.project(), "go"), &mut Memory::default()).unwrap_err()
            }
            Err(error) => error,
        };
        error.to_string().replace(&*self.home.path().to_string_lossy(), "~")
    }
}

fn lines(lines: &[&str]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Two batches with their effects on the tree; the change is there when its event is seen. Outside any
/// repository and without a home directory.
#[test]
fn recording_is_replayed_with_its_effects() {
    let second = "diff --git a/new.txt b/new.txt\n--- a/new.txt\n+++ b/new.txt\n@@ -1 +1 @@\n-hello\n+bye\n";
    let case = Case::new(&[
        ("replay.toml", TOML),
        ("01.jsonl", &lines(&[THREAD, CHANGED, SAID, COMPLETED])),
        ("01.patch", PATCH),
        ("02.jsonl", &lines(&[THREAD, SAID, &COMPLETED.replace("10", "25")])),
        ("02.patch", second),
    ]);
    let mut replay = case.open().unwrap();
    assert_eq!(replay.describe().version.as_deref(), Some("0.166.0"));
    let first = order(&case.project(), "go");
    let mut memory = Memory { watched: Some(case.project().join("new.txt")), ..Memory::default() };
    let end = replay.run_batch(&first, &mut memory).unwrap();
    assert_eq!((&end.ending, end.thread_id.as_deref(), end.exit), (&Ending::Completed, Some("t1"), None));
    assert_eq!((memory.was_there, entries(&first.transcript_path).len()), (vec![true], 4));
    assert_eq!(fs::read_to_string(case.project().join("new.txt")).unwrap(), "hello\n");

    let base = order(&case.project(), "more");
    let next =
        BatchOrder { batch_index: 1, thread_id: end.thread_id, thread_usage: end.thread_usage, ..base };
    let end = replay.run_batch(&next, &mut Memory::default()).unwrap();
    assert_eq!(end.usage, Usage { input_tokens: 15, ..Usage::default() });
    assert_eq!(fs::read_to_string(case.project().join("new.txt")).unwrap(), "bye\n");

    let third = BatchOrder { batch_index: 2, ..order(&case.project(), "") };
    let error = replay.run_batch(&third, &mut Memory::default()).unwrap_err().to_string();
    assert!(error.ends_with("has 2 batches and batch 3 was asked for: record a longer run"), "{error}");
}

/// Wrapped lines are waited for; a plain line that is no event is kept; a stream without its end is a death.
#[test]
fn wrapped_lines_wait_and_streams_may_break_off() {
    let wrapped = format!(r#"{{"delay_ms":300,"event":{SAID}}}"#);
    let case = Case::new(&[
        ("replay.toml", TOML),
        ("00.jsonl", &lines(&[THREAD, &wrapped, r#"{"delay_ms":0,"line":"plain"}"#, "also plain"])),
    ]);
    let order = order(&case.project(), "go");
    let watch = Stopwatch::start();
    let mut memory = Memory::default();
    let end = case.open().unwrap().run_batch(&order, &mut memory).unwrap();
    assert!(watch.elapsed() >= Duration::from_millis(300));
    assert_eq!((memory.messages(), end.unknown_events), (vec!["Done."], 2));
    assert!(matches!(end.ending, Ending::Died { .. }));
    let stored: Vec<_> = entries(&order.transcript_path).iter().map(|entry| entry["line"].clone()).collect();
    assert_eq!(stored, [THREAD, SAID, "plain", "also plain"]);
}

/// Limits, interrupts and the person hold in a replay too, and then the tree is not changed.
#[test]
fn replay_is_stopped_like_a_live_run() {
    let slow = format!(r#"{{"delay_ms":60000,"event":{CHANGED}}}"#);
    let start =
        r#"{"type":"item.started","item":{"id":"1","type":"command_execution","command":"git push"}}"#;
    let files = [("replay.toml", TOML), ("00.jsonl", &*lines(&[THREAD, start, &slow])), ("00.patch", PATCH)];
    let case = Case::new(&files);
    let mut replay = case.open().unwrap();
    let base = order(&case.project(), "go");
    let mut memory = Memory { interrupt_at: Some("push".to_owned()), ..Memory::default() };
    let end = replay.run_batch(&base, &mut memory).unwrap();
    assert!(matches!(end.ending, Ending::Interrupted { .. }));

    let limits = BatchLimits { idle: Some(Duration::from_millis(100)), total: None };
    let order_idle = BatchOrder { limits, ..order(&case.project(), "go") };
    let end = replay.run_batch(&order_idle, &mut Memory::default()).unwrap();
    assert!(matches!(end.ending, Ending::TimedOut { .. }));

    let (reader, writer) = std::os::unix::net::UnixStream::pair().unwrap();
    std::io::Write::write_all(&mut &writer, b"!").unwrap();
    let order_woken = BatchOrder { wake: Some(reader.as_fd()), ..order(&case.project(), "go") };
    let end = replay.run_batch(&order_woken, &mut Memory::default()).unwrap();
    assert_eq!(end.ending, Ending::Stopped);
    assert!(!case.project().join("new.txt").exists());
}

/// Every broken recording has one message that names the file and the trouble.
#[test]
fn broken_recordings_are_said() {
    let good = lines(&[THREAD, CHANGED, SAID, COMPLETED]);
    let exact = TOML.replace("any", "exact");
    let cases: [(&[(&str, &str)], &str); 8] = [
        (&[], "read the recording ~/recording/replay.toml: No such file or directory"),
        (&[("replay.toml", "name = ")], "~/recording/replay.toml: TOML parse error at line 1"),
        (&[("replay.toml", "name = 'x'\nagent = 'codex'\nspeed = 2")], "unknown field `speed`"),
        (&[("replay.toml", TOML)], "has 0 batches"),
        (
            &[("replay.toml", TOML), ("00.jsonl", &good)],
            "the batch changes files, but its patch ~/recording/00.patch is not there",
        ),
        (
            &[("replay.toml", TOML), ("00.jsonl", &good), ("00.patch", "nonsense")],
            "apply the patch ~/recording/00.patch in ~/project: error: No valid patches in input",
        ),
        (
            &[("replay.toml", TOML), ("00.jsonl", "{\"delay_ms\":\"soon\",\"event\":{}}\n")],
            "~/recording/00.jsonl:1: delay_ms is not a whole number",
        ),
        (
            &[("replay.toml", &exact), ("00.jsonl", &good), ("00.patch", PATCH), ("00.prompt.txt", "other")],
            "the prompt differs from the recorded one in ~/recording/00.prompt.txt",
        ),
    ];
    for (files, expected) in cases {
        let error = Case::new(files).error();
        assert!(error.contains(expected), "{error}");
    }
    let missing = Replay::open(Path::new("/no/such/recording"), spawner(), environment()).unwrap_err();
    assert!(missing.to_string().starts_with("there is no recording /no/such/recording"), "{missing}");
}

/// A patch that climbs out of the project, or does not fit the tree, changes nothing.
#[test]
fn bad_patches_change_nothing() {
    let climbing = PATCH.replace("b/new.txt", "b/../out.txt").replace("a/new.txt", "a/../out.txt");
    let other = "--- a/README\n+++ b/README\n@@ -1 +1 @@\n-there is no such line\n+x\n";
    for patch in [climbing, format!("{PATCH}diff --git a/README b/README\n{other}")] {
        let files = [("replay.toml", TOML), ("00.jsonl", &*lines(&[THREAD, CHANGED])), ("00.patch", &patch)];
        let case = Case::new(&files);
        assert!(case.error().starts_with("apply the patch"), "{}", case.error());
        assert_eq!(fs::read_dir(case.project()).unwrap().count(), 0);
        assert!(!case.home.path().join("out.txt").exists());
    }
}

fn record_settings(dir: PathBuf) -> RecordSettings {
    RecordSettings {
        dir,
        name: "made".to_owned(),
        prompt_policy: PromptPolicy::Exact,
        redact: Box::new(|text| text.replace("hunter2", "[secret]")),
        left_out: vec!["__pycache__/".to_owned()],
        environment: environment(),
    }
}

/// What is recorded replays to the same stream and the same tree: new, changed, deleted and binary files, also
/// when the recording lies in the project, and in a folder below a repository.
#[test]
fn recording_of_a_run_replays() {
    let case = Case::new(&[]);
    fs::remove_dir(case.recording()).unwrap();
    let project = case.project().join("sub");
    let copy = case.home.path().join("copy");
    for place in [&project, &copy] {
        fs::create_dir_all(place).unwrap();
        fs::write(place.join("old.txt"), "1\n2\n3\n").unwrap();
        fs::write(place.join("gone.txt"), "x\n").unwrap();
    }
    fs::create_dir(case.project().join(".git")).unwrap();
    let command = format!(
        "cat > prompt; echo '{CHANGED}'; echo plain hunter2; printf '1\\n2\\nthree\\n' > old.txt; rm gone.txt; \
         mkdir d; printf '\\0\\377' > d/binary; echo password=hunter2 > new.txt; chmod +x new.txt; \
         mkdir d/__pycache__; echo x > d/__pycache__/a.pyc"
    );
    let inner = Box::new(Exec::new(spawner(), command, environment()));
    let dir = project.join("recording");
    let mut recorder = Recorder::create(inner, spawner(), record_settings(dir.clone())).unwrap();
    let mut seen = Memory::default();
    let end = recorder.run_batch(&order(&project, "the prompt"), &mut seen).unwrap();
    assert_eq!(
        (&end.ending, &end.notes),
        (&Ending::Died { message: "the program ended before its turn did".into() }, &vec![])
    );
    drop(recorder);
    let mut names: Vec<_> = fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["00.jsonl", "00.patch", "00.prompt.txt", "replay.toml"]);
    for name in names {
        let bytes = fs::read(dir.join(&name)).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains("hunter2"), "{name:?}");
    }

    let mut replay = Replay::open(&dir, spawner(), environment()).unwrap();
    let mut replayed = Memory::default();
    let end = replay.run_batch(&order(&copy, "the prompt"), &mut replayed).unwrap();
    assert_eq!(replayed.events.first(), seen.events.first());
    assert_eq!(replayed.messages(), ["plain [secret]"]);
    assert!(matches!(end.ending, Ending::Died { .. }));
    let read = |name: &str| fs::read(copy.join(name)).unwrap();
    assert_eq!((read("old.txt"), read("d/binary")), (b"1\n2\nthree\n".to_vec(), b"\0\xFF".to_vec()));
    assert_eq!((read("new.txt"), read("prompt")), (b"password=[secret]\n".to_vec(), b"the prompt".to_vec()));
    assert!(!copy.join("gone.txt").exists() && !copy.join("recording").exists());
    assert!(!copy.join("d/__pycache__").exists());
}

/// A secret that the patch cannot do without keeps the patch out of the recording; the run goes on and says so.
#[test]
fn secret_in_the_tree_is_not_recorded() {
    let case = Case::new(&[]);
    fs::write(case.project().join("a"), "hunter2\n").unwrap();
    let inner = Box::new(Exec::new(spawner(), "echo more >> a", environment()));
    let mut recorder = Recorder::create(inner, spawner(), record_settings(case.recording())).unwrap();
    let end = recorder.run_batch(&order(&case.project(), ""), &mut Memory::default()).unwrap();
    assert_eq!(end.ending, Ending::Completed);
    assert!(end.notes[0].ends_with("its patch needs a line that holds a secret"), "{:?}", end.notes);
    assert!(!case.recording().join("00.patch").exists());
}

/// A folder with something in it is not recorded into.
#[test]
fn recording_does_not_overwrite() {
    let case = Case::new(&[("mine.txt", "x")]);
    let inner = Box::new(Exec::new(spawner(), "true", environment()));
    let error = Recorder::create(inner, spawner(), record_settings(case.recording())).err().unwrap();
    assert!(error.to_string().ends_with("the folder is not empty: name a new one"), "{error}");
}
