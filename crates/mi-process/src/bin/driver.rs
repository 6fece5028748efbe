//! For tests: a supervisor, and a parent that holds a program until it is killed or the program ends.

use mi_process::{
    Deadline, Environment, ProcessEvent, SUPERVISE, SpawnSpec, Spawner, Stdin, supervisor_main,
};
use std::{ffi::OsString, io::Write, process::ExitCode};

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    match args.next() {
        Some(word) if word == SUPERVISE => supervisor_main(),
        Some(script) => hold(script),
        None => ExitCode::from(2),
    }
}

fn hold(script: OsString) -> ExitCode {
    let spec = SpawnSpec {
        program: "/bin/sh".into(),
        args: vec!["-c".into(), script],
        cwd: "/".into(),
        environment: Environment::Inherit { set: Vec::new(), remove: Vec::new() },
        stdin: Stdin::Null,
    };
    let spawner = Spawner::new(std::env::current_exe().expect("a running program has a path"));
    let mut child = spawner.spawn(&spec).expect("a shell starts");
    loop {
        match child.next(Deadline::never(), None).expect("events are read") {
            ProcessEvent::Stdout(bytes) | ProcessEvent::Stderr(bytes) => {
                std::io::stdout().write_all(bytes).expect("stdout is open");
                std::io::stdout().flush().expect("stdout is open");
            }
            ProcessEvent::Exited(_) => return ExitCode::SUCCESS,
            ProcessEvent::Wake | ProcessEvent::Timeout => {}
        }
    }
}
