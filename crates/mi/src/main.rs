//! The `mi` binary: flags become settings, settings go to one function per command, its result is rendered.

mod app;
mod args;
mod commands;
mod exit_reason;
mod failure;
mod render;

use std::{backtrace::Backtrace, env, process::ExitCode};

fn main() -> ExitCode {
    make_errors_without_traces();
    let arguments: Vec<std::ffi::OsString> = env::args_os().collect();
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

/// Where in the program an error was made is noted for panics alone. Parsers make many errors and drop them: whoever
/// has `RUST_BACKTRACE` set for their own work would wait for all of these.
#[expect(
    unsafe_code,
    clippy::disallowed_methods,
    reason = "the standard library takes this from the environment"
)]
fn make_errors_without_traces() {
    const NAME: &str = "RUST_LIB_BACKTRACE";
    if env::var_os("RUST_BACKTRACE").is_none() || env::var_os(NAME).is_some() {
        return;
    }
    // SAFETY: no other thread is there yet. It is read once, here; what `mi` starts does not see it.
    unsafe { env::set_var(NAME, "0") };
    drop(Backtrace::capture());
    // SAFETY: as above.
    unsafe { env::remove_var(NAME) };
}
