//! Secrets in the environment: printed whole, searched for, or one of them shown.

use mi_model::RiskCategory::Privacy;
use mi_model::Severity::{Low, Medium};

use super::Findings;
use crate::command::types::{Analysis, SimpleCommand};

pub(super) fn find(analysis: &Analysis, command: &SimpleCommand, findings: &mut Findings) {
    let later: Vec<&SimpleCommand> = analysis
        .commands
        .iter()
        .filter(|other| {
            other.place.pipeline == command.place.pipeline && other.place.position > command.place.position
        })
        .collect();
    if prints_environment(command) {
        let searches = |other: &&SimpleCommand| {
            matches!(
                other.program.as_str(),
                "grep" | "egrep" | "fgrep" | "rg" | "awk" | "gawk" | "sed" | "ag" | "ack"
            )
        };
        match later.iter().copied().find(searches) {
            Some(search) if search.arg_texts().any(names_secret) => {
                findings.add(command, Privacy, Medium, false, "searches the environment for secrets");
            }
            // What is searched for or only counted shows no secrets.
            Some(_) => {}
            None if later.iter().any(|other| other.program == "wc") => {}
            None if command.program == "printenv" || command.program == "env" => {
                findings.add(command, Privacy, Low, false, "prints the environment, which may hold secrets");
            }
            None => {}
        }
    }
    if shows_secret(command) && later.is_empty() && command.redirects.is_empty() {
        findings.add(command, Privacy, Medium, false, "prints a secret of the environment");
    }
}

fn prints_environment(command: &SimpleCommand) -> bool {
    let args: Vec<&str> = command.arg_texts().collect();
    match command.program.as_str() {
        "env" | "printenv" | "set" | "export" => {
            args.is_empty() || matches!(args.as_slice(), ["-0" | "-p" | "--null"])
        }
        "declare" | "typeset" => matches!(args.as_slice(), ["-x" | "-p" | "-px" | "-xp"]),
        _ => false,
    }
}

/// `printenv API_KEY`, `echo $GITHUB_TOKEN`.
fn shows_secret(command: &SimpleCommand) -> bool {
    let is_name =
        |name: &str| !name.is_empty() && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_');
    let is_secret = |name: &str| is_name(name) && names_secret(name);
    match command.program.as_str() {
        "printenv" => command.arg_texts().any(is_secret),
        "echo" | "printf" => command.arg_texts().any(|arg| {
            arg.split('$').skip(1).any(|rest| {
                let rest = rest.trim_start_matches('{');
                let end = rest
                    .find(|char: char| !char.is_ascii_alphanumeric() && char != '_')
                    .unwrap_or(rest.len());
                is_secret(&rest[..end])
            })
        }),
        _ => false,
    }
}

/// Whether a name or a pattern speaks of secrets. `KEY` counts only as a word of its own.
fn names_secret(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let parts = ["token", "secret", "passw", "passwd", "credential", "apikey", "api_key", "private"];
    let words = ["key", "keys", "pass", "pwd", "auth", "cred", "creds", "pat"];
    parts.iter().any(|part| lower.contains(part))
        || lower.split(|char: char| !char.is_ascii_alphanumeric()).any(|word| words.contains(&word))
}
