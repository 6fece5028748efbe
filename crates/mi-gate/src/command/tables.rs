//! Ordinary tools that a single option turns into something that runs or loads other code.

use super::scope::Scope;
use super::simple::Started;
use super::walk::{Input, Walker};

pub(super) fn read(walker: &mut Walker, command: &Started, _scope: &Scope) {
    let program = walker.program(command).to_owned();
    let args = walker.args(command);
    let has = |test: &dyn Fn(&str) -> bool| args.iter().any(|arg| test(&arg.text));
    let followed = |option: &str, value: &str| {
        args.windows(2).any(|pair| pair[0].text == option && pair[1].text == value)
    };
    let doubt = match program.as_str() {
        "make" | "gmake" => {
            has(&|arg| {
                arg.starts_with("SHELL=") || arg.starts_with("--eval") || arg.starts_with("MAKEFLAGS=")
            }) || followed("-f", "-")
                || followed("-f", "/dev/stdin")
                || has(&|arg| matches!(arg, "-f-" | "--file=-" | "--makefile=-" | "-E"))
        }
        "cargo" => {
            args.iter()
                .zip(args.iter().skip(1))
                .any(|(option, value)| option.text == "--config" && runs_other(&value.text))
                || has(&|arg| arg.starts_with("--config=") && runs_other(arg))
        }
        "npm" | "pnpm" | "yarn" => has(&|arg| arg.contains("script-shell")),
        "crontab" => !has(&|arg| matches!(arg, "-l" | "-e" | "-r")),
        "sqlite3" => {
            has(&|arg| arg.contains(".shell") || arg.contains(".system") || arg.contains(".import |"))
                || command.input == Input::Unknown
        }
        "psql" | "mysql" => {
            has(&|arg| arg.contains("\\!") || arg.contains("TO PROGRAM") || arg.contains("system "))
        }
        "xargs" | "parallel" => args.is_empty() && program == "parallel",
        "pip" | "pip3" => false,
        _ => false,
    };
    if doubt {
        walker.doubt(format!("`{program}` is told to run other code"));
    }
}

fn runs_other(setting: &str) -> bool {
    ["runner", "wrapper", "linker", "rustc", "alias", "rustdoc"].iter().any(|key| setting.contains(key))
}
