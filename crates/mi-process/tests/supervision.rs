//! Real processes under a real supervisor: what is printed, how it ends, and that nothing is left.

#![allow(clippy::unwrap_used, reason = "helpers of tests may panic as tests do")]

use mi_process::{
    Child, Deadline, Environment, ExitStatus, Limits, ProcessEvent, RunEnd, Signal, SpawnSpec, Spawner,
    Stdin, StopStep, Stopwatch, run_to_end, spawn_bound,
};
use std::{
    io::{BufRead, BufReader},
    os::fd::{AsFd, AsRawFd},
    process::Command,
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

const DRIVER: &str = env!("CARGO_BIN_EXE_mi-process-driver");
static COUNTER: AtomicU32 = AtomicU32::new(0);

fn spawner() -> Spawner {
    Spawner::new(DRIVER)
}

/// A value that only the processes of one test carry in their environment.
fn marker() -> String {
    format!("m{}-{}", std::process::id(), COUNTER.fetch_add(1, Ordering::Relaxed))
}

fn shell(script: &str, marker: &str) -> SpawnSpec {
    SpawnSpec {
        program: "/bin/sh".into(),
        args: vec!["-c".into(), script.into()],
        cwd: "/".into(),
        environment: Environment::Exactly(vec![
            ("PATH".into(), "/usr/bin:/bin:/usr/local/bin".into()),
            ("MI_TEST_MARKER".into(), marker.into()),
        ]),
        stdin: Stdin::Null,
    }
}

/// The processes that carry the marker.
fn carriers(marker: &str) -> Vec<String> {
    let wanted = format!("MI_TEST_MARKER={marker}\0");
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        if environment.windows(wanted.len()).any(|window| window == wanted.as_bytes()) {
            found.push(std::fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default());
        }
    }
    found
}

struct Ended {
    stdout: String,
    stderr: String,
    status: ExitStatus,
}

fn to_end(child: &mut Child) -> Ended {
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    loop {
        match child.next(Deadline::after(Duration::from_secs(20)), None).unwrap() {
            ProcessEvent::Stdout(bytes) => stdout.extend_from_slice(bytes),
            ProcessEvent::Stderr(bytes) => stderr.extend_from_slice(bytes),
            ProcessEvent::Exited(status) => {
                let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
                return Ended { stdout: text(&stdout), stderr: text(&stderr), status };
            }
            ProcessEvent::Wake => unreachable!("there is no wake descriptor"),
            ProcessEvent::Timeout => panic!("nothing happened for 20 s"),
        }
    }
}

/// Reads until the program has printed `text`.
fn until(child: &mut Child, text: &str) {
    let mut seen = String::new();
    while !seen.contains(text) {
        match child.next(Deadline::after(Duration::from_secs(20)), None).unwrap() {
            ProcessEvent::Stdout(bytes) => seen.push_str(&String::from_utf8_lossy(bytes)),
            ProcessEvent::Stderr(_) => {}
            other => panic!("{other:?} before `{text}`"),
        }
    }
}

/// Output of both streams and the exit code arrive whole; exits by signal are told apart.
#[test]
fn output_and_exit_status_are_reported() {
    let cases = [
        ("echo out; echo err >&2; exit 3", "out\n", "err\n", ExitStatus::Code(3)),
        ("printf half", "half", "", ExitStatus::Code(0)),
        ("kill -9 $$", "", "", ExitStatus::Signal(9)),
        ("exec >&- 2>&-; sleep 0.2; exit 7", "", "", ExitStatus::Code(7)),
    ];
    for (script, stdout, stderr, status) in cases {
        let mut child = spawner().spawn(&shell(script, &marker())).unwrap();
        let ended = to_end(&mut child);
        assert_eq!((&*ended.stdout, &*ended.stderr, ended.status), (stdout, stderr, status), "{script}");
    }
}

/// The program reads the bytes it was given and then end of file; one that does not read them is not disturbed.
#[test]
fn input_is_whole_or_left_unread() {
    let big = "x".repeat(3_000_000);
    for (script, expected) in
        [("wc -c", "3000000\n"), ("exec <&-; echo closed", "closed\n"), ("head -c 1", "x")]
    {
        let spec = SpawnSpec { stdin: Stdin::Bytes(big.clone().into_bytes()), ..shell(script, &marker()) };
        let ended = to_end(&mut spawner().spawn(&spec).unwrap());
        assert_eq!((&*ended.stdout, ended.status), (expected, ExitStatus::Code(0)), "{script}");
    }
}

/// Only the environment that was spelled out arrives.
#[test]
fn environment_is_exactly_the_given_one() {
    let spec = SpawnSpec { program: "/usr/bin/env".into(), args: Vec::new(), ..shell("", "only") };
    let ended = to_end(&mut spawner().spawn(&spec).unwrap());
    let mut lines: Vec<&str> = ended.stdout.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["MI_TEST_MARKER=only", "PATH=/usr/bin:/bin:/usr/local/bin"]);
}

/// A missing program, a file that is no program, and a missing folder are three different messages.
#[test]
fn what_cannot_start_is_said() {
    let start = |program: &str, cwd: &str| {
        let spec = SpawnSpec { program: program.into(), cwd: cwd.into(), ..shell("", &marker()) };
        spawner().spawn(&spec).map(|_| ()).unwrap_err()
    };
    let missing = start("no-such-agent", "/");
    assert!(missing.is_missing_program());
    assert_eq!(missing.to_string(), "start `no-such-agent`: No such file or directory (os error 2)");
    assert_eq!(start("/etc/passwd", "/").to_string(), "start `/etc/passwd`: Permission denied (os error 13)");
    let folder = start("/bin/sh", "/no/such/folder");
    assert_eq!(folder.to_string(), "start `/bin/sh`: the working directory /no/such/folder is not there");
}

/// A supervisor that is no supervisor is an error, not a hang.
#[test]
fn wrong_supervisor_is_an_error() {
    let error = Spawner::new("/bin/true").spawn(&shell("echo hi", &marker())).unwrap_err();
    assert!(error.to_string().starts_with("start the supervisor /bin/true"), "{error}");
}

/// What a program leaves running, also in a session of its own, is gone when its end is reported.
#[test]
fn leftovers_are_swept_when_the_program_ends() {
    let marker = marker();
    let script = "setsid sh -c 'trap \"\" INT TERM HUP; sleep 300' & \
                  (trap '' TERM; sleep 301) & sleep 302 & sleep 0.1; echo ready";
    let watch = Stopwatch::start();
    let ended = to_end(&mut spawner().spawn(&shell(script, &marker)).unwrap());
    assert_eq!((&*ended.stdout, ended.status), ("ready\n", ExitStatus::Code(0)));
    assert_eq!(carriers(&marker), Vec::<String>::new());
    assert!(watch.elapsed() < Duration::from_secs(2), "{:?}", watch.elapsed());
}

/// A leftover that starts new processes all the time loses the race.
#[test]
fn respawning_leftover_is_swept() {
    let marker = marker();
    let script =
        "setsid sh -c 'trap \"\" INT TERM HUP; while :; do setsid sleep 300 & done' & sleep 0.2; echo ready";
    let ended = to_end(&mut spawner().spawn(&shell(script, &marker)).unwrap());
    assert_eq!(ended.status, ExitStatus::Code(0));
    assert_eq!(carriers(&marker), Vec::<String>::new());
}

/// A program that obeys SIGINT says its last words; one that ignores it meets SIGKILL after its wait.
#[test]
fn stop_sequence_escalates() {
    let steps = [
        StopStep { signal: Signal::Interrupt, wait: Duration::from_millis(300) },
        StopStep { signal: Signal::Terminate, wait: Duration::from_millis(300) },
    ];
    let cases = [
        ("trap 'echo bye; exit 5' INT; echo ready; while :; do sleep 0.05; done", ExitStatus::Code(5), 0),
        (
            "trap '' INT; trap 'exit 6' TERM; echo ready; while :; do sleep 0.05; done",
            ExitStatus::Code(6),
            300,
        ),
        ("trap '' INT TERM; echo ready; while :; do sleep 0.05; done", ExitStatus::Signal(9), 600),
    ];
    for (script, status, at_least_ms) in cases {
        let marker = marker();
        let mut child = spawner().spawn(&shell(script, &marker)).unwrap();
        until(&mut child, "ready");
        let watch = Stopwatch::start();
        child.stop(&steps);
        let ended = to_end(&mut child);
        assert_eq!(ended.status, status, "{script}");
        assert_eq!(ended.stdout.contains("bye"), at_least_ms == 0);
        assert!(watch.elapsed() >= Duration::from_millis(at_least_ms), "{script}: {:?}", watch.elapsed());
        assert!(
            watch.elapsed() < Duration::from_millis(at_least_ms + 1500),
            "{script}: {:?}",
            watch.elapsed()
        );
        assert_eq!(carriers(&marker), Vec::<String>::new());
    }
}

/// Dropping the handle ends everything at once.
#[test]
fn dropped_child_leaves_nothing() {
    let marker = marker();
    let mut child = spawner().spawn(&shell("setsid sleep 300 & echo ready; sleep 301", &marker)).unwrap();
    until(&mut child, "ready");
    drop(child);
    assert_eq!(carriers(&marker), Vec::<String>::new());
}

/// After SIGKILL of the owner nothing lives longer than two seconds, whatever it ignores, and nothing helps.
#[test]
#[expect(clippy::disallowed_methods, reason = "the test needs an owner that it can kill")]
fn killed_owner_leaves_no_orphan() {
    for round in 0..5 {
        let marker = marker();
        let script = "trap '' INT TERM HUP; setsid sh -c 'trap \"\" INT TERM HUP; sleep 300' & \
                      setsid setsid sleep 301 & echo ready; sleep 302; sleep 303";
        let mut owner = Command::new(DRIVER)
            .arg(script)
            .env("MI_TEST_MARKER", &marker)
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        if round < 4 {
            let mut line = String::new();
            BufReader::new(owner.stdout.take().unwrap()).read_line(&mut line).unwrap();
            assert_eq!(line, "ready\n");
        }
        owner.kill().unwrap();
        let watch = Stopwatch::start();
        owner.wait().unwrap();
        while !carriers(&marker).is_empty() && watch.elapsed() < Duration::from_secs(2) {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(carriers(&marker), Vec::<String>::new(), "after {:?}", watch.elapsed());
    }
}

/// A supervisor that is killed does not leave the program running, and the owner is told.
#[test]
fn killed_supervisor_is_noticed() {
    let marker = marker();
    let mut child = spawner().spawn(&shell("echo ready; sleep 300", &marker)).unwrap();
    until(&mut child, "ready");
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
    let supervisor: i32 =
        stat.rsplit(')').next().unwrap().split_whitespace().nth(1).unwrap().parse().unwrap();
    let pid = rustix::process::Pid::from_raw(supervisor).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    assert_eq!(to_end(&mut child).status, ExitStatus::Lost);
    assert_eq!(carriers(&marker), Vec::<String>::new());
}

/// One supervisor serves one program after the other; one that was killed meanwhile is replaced, and programs that
/// run at once have one each.
#[test]
fn supervisors_are_used_again() {
    let spawner = spawner();
    let parent_of = |script: &str| {
        let mut child = spawner.spawn(&shell(script, &marker())).unwrap();
        let ended = to_end(&mut child);
        assert_eq!(ended.status, ExitStatus::Code(0));
        ended.stdout.trim().parse::<i32>().unwrap()
    };
    let first = parent_of("echo $PPID");
    spawner.spawn(&SpawnSpec { program: "no-such-agent".into(), ..shell("", &marker()) }).unwrap_err();
    // It is told to stop when it has already ended: the next program must not get the signal.
    let mut ended = spawner.spawn(&shell("exit 4", &marker())).unwrap();
    std::thread::sleep(Duration::from_millis(200));
    ended.stop(&[StopStep { signal: Signal::Interrupt, wait: Duration::from_secs(5) }]);
    assert_eq!(to_end(&mut ended).status, ExitStatus::Code(4));
    assert_eq!(parent_of("sleep 0.2; echo $PPID"), first);
    let mut at_once = [(); 2].map(|()| spawner.spawn(&shell("echo $PPID; sleep 0.1", &marker())).unwrap());
    let parents = at_once.each_mut().map(|child| to_end(child).stdout.trim().parse::<i32>().unwrap());
    assert!(parents[0] != parents[1] && parents.contains(&first), "{parents:?} {first}");
    for parent in parents {
        rustix::process::kill_process(
            rustix::process::Pid::from_raw(parent).unwrap(),
            rustix::process::Signal::KILL,
        )
        .unwrap();
    }
    std::thread::sleep(Duration::from_millis(100));
    assert!(!parents.contains(&parent_of("echo $PPID")));
}

/// The terminal's signals do not end a supervisor: stopping is its owner's decision.
#[test]
fn supervisor_outlives_interrupt_and_terminate() {
    let mut child = spawner().spawn(&shell("echo ready; sleep 0.5; echo done", &marker())).unwrap();
    until(&mut child, "ready");
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
    let supervisor: i32 =
        stat.rsplit(')').next().unwrap().split_whitespace().nth(1).unwrap().parse().unwrap();
    let pid = rustix::process::Pid::from_raw(supervisor).unwrap();
    for signal in [rustix::process::Signal::INT, rustix::process::Signal::TERM, rustix::process::Signal::HUP]
    {
        rustix::process::kill_process(pid, signal).unwrap();
    }
    let ended = to_end(&mut child);
    assert_eq!((&*ended.stdout, ended.status), ("done\n", ExitStatus::Code(0)));
}

/// Both streams are drained while both flood, and the wake descriptor is seen in the middle of it.
#[test]
fn flood_on_both_streams_is_drained_and_can_be_interrupted() {
    let script = "yes out & yes err >&2 & wait";
    let (reader, writer) = std::os::unix::net::UnixStream::pair().unwrap();
    let mut child = spawner().spawn(&shell(script, &marker())).unwrap();
    let (mut out, mut err) = (0_usize, 0_usize);
    use std::io::Write;
    use std::os::fd::AsFd;
    loop {
        match child.next(Deadline::after(Duration::from_secs(20)), Some(reader.as_fd())).unwrap() {
            ProcessEvent::Stdout(bytes) => out += bytes.len(),
            ProcessEvent::Stderr(bytes) => err += bytes.len(),
            ProcessEvent::Wake => break,
            other => panic!("{other:?}"),
        }
        if out > 20_000_000 && err > 20_000_000 {
            (&writer).write_all(b"!").unwrap();
        }
        // On a busy machine one of the two programs may not run for a while; a reader that forgets it would never end.
        assert!(out.max(err) < 2_000_000_000, "one stream starves: {out} {err}");
    }
    child.stop(&[StopStep { signal: Signal::Interrupt, wait: Duration::from_millis(500) }]);
    assert!(!to_end(&mut child).status.is_success());
}

/// Short runs keep what fits, count what does not, and end at their limit.
#[test]
fn run_to_end_is_bounded() {
    let limits = Limits { timeout: Duration::from_millis(400), max_output_bytes: 10 };
    let run = |script: &str| run_to_end(&spawner(), &shell(script, &marker()), limits, None).unwrap();
    let output = run("printf 0123456789abc; echo no >&2; exit 1");
    assert_eq!((&*output.stdout, &*output.stderr), (&b"0123456789"[..], &b"no\n"[..]));
    assert_eq!((output.left_out_bytes, output.end), (3, RunEnd::Exited(ExitStatus::Code(1))));
    assert_eq!(run("sleep 30").end, RunEnd::TimedOut);
    assert_eq!(run("yes").end, RunEnd::TimedOut);
}

/// A bound program inherits the descriptors that are named, under their numbers, and nothing else.
#[test]
fn bound_programs_inherit_what_is_named() {
    let marker = marker();
    let file = |text: &str| {
        let path = std::env::temp_dir().join(format!("{marker}-{text}"));
        std::fs::write(&path, text).unwrap();
        let opened = std::fs::File::open(&path).unwrap();
        std::fs::remove_file(path).unwrap();
        opened
    };
    let (one, _other, two) = (file("one"), file("other"), file("two"));
    let numbers = [one.as_raw_fd(), two.as_raw_fd()];
    let script =
        format!("cat /dev/fd/{} /dev/fd/{}; ls /proc/self/fd | tr '\\n' ' '; exit 3", numbers[0], numbers[1]);
    let mut child = spawn_bound(&shell(&script, &marker), &[one.as_fd(), two.as_fd()]).unwrap();
    let ended = to_end(&mut child);
    assert_eq!(ended.status, ExitStatus::Code(3), "{}", ended.stderr);
    let listed = ended.stdout.strip_prefix("onetwo").unwrap();
    let mut seen: Vec<i32> = listed.split_whitespace().map(|word| word.parse().unwrap()).collect();
    for number in [0, 1, 2].into_iter().chain(numbers).chain(inherited()) {
        seen.retain(|other| *other != number);
    }
    assert_eq!(seen.len(), 1, "only the folder that `ls` reads is open besides: {listed}");
}

/// What a bound program leaves behind is ended through its tie; a bound program that is dropped is dead.
#[test]
fn bound_programs_are_ended_with_what_they_leave() {
    let marker = marker();
    let mut child = spawn_bound(&shell("sleep 60 >/dev/null 2>&1 & echo $!", &marker), &[]).unwrap();
    let left = to_end(&mut child).stdout.trim().parse().unwrap();
    let left = mi_process::Tie::to(left).unwrap();
    assert!(left.is_alive());
    assert!(left.end(Duration::from_secs(5)));
    assert!(!left.is_alive(), "it is not even a zombie");
    let child = spawn_bound(&shell("sleep 60", &marker), &[]).unwrap();
    let root = mi_process::Tie::to(child.id()).unwrap();
    drop(child);
    assert!(!root.is_alive());
    let missing = SpawnSpec { program: "no-such-program".into(), ..shell("", &marker) };
    assert!(spawn_bound(&missing, &[]).unwrap_err().is_missing_program());
}

/// What whoever started these tests left open for every program.
fn inherited() -> Vec<i32> {
    const CLOSED_AT_EXEC: i64 = 0o2_000_000;
    let open = std::fs::read_dir("/proc/self/fdinfo").unwrap();
    let passed_on = |number: &i32| {
        let info = std::fs::read_to_string(format!("/proc/self/fdinfo/{number}")).unwrap_or_default();
        let flags = info.lines().find_map(|line| line.strip_prefix("flags:")).unwrap_or("0");
        i64::from_str_radix(flags.trim(), 8).unwrap() & CLOSED_AT_EXEC == 0
    };
    let numbers = open.map(|entry| entry.unwrap().file_name().to_str().unwrap().parse().unwrap());
    numbers.filter(passed_on).collect()
}

/// A family is found, stopped, let go on and ended; a tie to a process that is gone holds nothing.
#[test]
fn families_are_found_and_ended() {
    let marker = marker();
    let mut child = spawner().spawn(&shell("sleep 60 & sleep 60 & wait", &marker)).unwrap();
    let root = mi_process::Tie::to(child.id()).unwrap();
    let last = Deadline::after(Duration::from_secs(5));
    while mi_process::family(root).len() < 3 && !last.has_passed() {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(mi_process::family(root).len(), 3);
    root.freeze();
    root.thaw();
    root.signal_below(Signal::Terminate);
    assert_eq!(to_end(&mut child).status, ExitStatus::Code(0));
    assert_eq!(mi_process::family(root), Vec::<i32>::new());
    assert!(!mi_process::Tie { id: root.id, started: root.started + 1 }.is_alive());
}
