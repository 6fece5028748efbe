//! The `mi` binary: flags become settings, settings go to one function per command, its result is rendered.

mod app;
mod args;
mod commands;
mod failure;
mod render;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<std::ffi::OsString> = std::env::args_os().collect();
    if arguments.get(1).is_some_and(|first| first == mi_process::SUPERVISE) {
        return mi_process::supervisor_main();
    }
    if arguments.get(1).is_some_and(|first| first == mi_box::BOX_INIT) {
        return mi_box::box_main(&arguments[2..]);
    }
    if arguments.get(1).is_some_and(|first| first == "hook") {
        return commands::hook::run(&arguments[2..]);
    }
    app::run(arguments)
}
