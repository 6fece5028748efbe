//! For tests: the supervisor that git is started through.

use mi_process::{SUPERVISE, supervisor_main};
use std::process::ExitCode;

fn main() -> ExitCode {
    match std::env::args_os().nth(1) {
        Some(word) if word == SUPERVISE => supervisor_main(),
        _ => ExitCode::from(2),
    }
}
