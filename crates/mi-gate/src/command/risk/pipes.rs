//! What several commands do together: download and run, read secrets and send them, breed without end.

use mi_model::RiskCategory::{Install, Other, Privacy};
use mi_model::Severity::{Critical, High, Medium};

use super::{Findings, paths};
use crate::command::interpreters::reads_programs;
use crate::command::types::{Analysis, SimpleCommand, Via};

const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "ksh", "ash", "fish"];
const FETCHERS: &[&str] = &[
    "curl", "wget", "wget2", "aria2c", "nc", "ncat", "ssh", "scp", "http", "https", "gsutil", "aws", "socat",
    "telnet", "ftp", "rsync", "mail", "curlie", "xh",
];

pub(super) fn find(analysis: &Analysis, index: usize, findings: &mut Findings) {
    let command = &analysis.commands[index];
    if runs_text(command) {
        downloaded(analysis, index, findings);
    }
    if FETCHERS.contains(&command.program.as_str()) {
        sent(analysis, command, findings);
    }
    let later_copy = analysis
        .commands
        .get(index + 1..)
        .unwrap_or_default()
        .iter()
        .any(|other| other.program == command.program && other.place.pipeline == command.place.pipeline);
    if analysis.functions.contains(&command.program) && command.via == Via::Function && later_copy {
        findings.add(command, Other, Critical, false, "starts itself without end");
    }
}

/// Whether the command runs what it reads or is given.
fn runs_text(command: &SimpleCommand) -> bool {
    let program = command.program.as_str();
    SHELLS.contains(&program)
        || matches!(program, "eval" | "source" | "." | "xargs" | "at")
        || reads_programs(program)
}

/// The commands before it in its pipeline.
fn before<'a>(analysis: &'a Analysis, command: &'a SimpleCommand) -> impl Iterator<Item = &'a SimpleCommand> {
    analysis.commands.iter().filter(|other| {
        other.place.pipeline == command.place.pipeline && other.place.position < command.place.position
    })
}

/// Whether `child` stands inside `index`, at any depth.
fn is_inside(analysis: &Analysis, child: &SimpleCommand, index: usize) -> bool {
    let mut parent = child.parent;
    for _ in 0..16 {
        match parent {
            Some(found) if found == index => return true,
            Some(found) => parent = analysis.commands.get(found).and_then(|command| command.parent),
            None => return false,
        }
    }
    false
}

fn downloaded(analysis: &Analysis, index: usize, findings: &mut Findings) {
    let command = &analysis.commands[index];
    let is_fetcher = |other: &SimpleCommand| FETCHERS.contains(&other.program.as_str());
    let is_decoder = |other: &SimpleCommand| {
        matches!(
            other.program.as_str(),
            "base64" | "base32" | "xxd" | "openssl" | "gunzip" | "zcat" | "gzip" | "rev" | "tr" | "uudecode"
        ) && other.arg_texts().any(|arg| {
            matches!(arg, "-d" | "-D" | "--decode" | "-r" | "-rp" | "enc" | "-di")
                || other.program == "rev"
                || other.program == "tr"
        })
    };
    let inside: Vec<&SimpleCommand> = analysis
        .commands
        .iter()
        .filter(|other| {
            matches!(other.via, Via::Substitution | Via::ProcessSubstitution)
                && is_inside(analysis, other, index)
        })
        .collect();
    let reads_pipe = command.program != "xargs" || command.arg_texts().any(|arg| SHELLS.contains(&arg));
    if reads_pipe && before(analysis, command).any(is_fetcher) || inside.iter().any(|other| is_fetcher(other))
    {
        findings.add(command, Install, High, true, "downloads code and runs it");
    }
    if reads_pipe && before(analysis, command).any(is_decoder) || inside.iter().any(|other| is_decoder(other))
    {
        findings.add(command, Other, High, false, "runs hidden text");
    }
    let shell_from_pipe =
        SHELLS.contains(&command.program.as_str()) && command.place.position > 0 && command.args.is_empty();
    if shell_from_pipe
        && before(analysis, command).any(|other| !matches!(other.program.as_str(), "echo" | "printf" | "cat"))
    {
        findings.add(command, Other, Medium, false, "runs what another program prints");
    }
}

fn sent(analysis: &Analysis, command: &SimpleCommand, findings: &mut Findings) {
    let is_environment = |other: &SimpleCommand| {
        matches!(other.program.as_str(), "env" | "printenv" | "set" | "export") && other.args.len() < 2
    };
    let is_secret = |other: &SimpleCommand| {
        other.arg_texts().any(|arg| !arg.starts_with('-') && paths::secret(arg).is_some())
    };
    let index = analysis.commands.iter().position(|other| std::ptr::eq(other, command));
    let inside = |other: &&SimpleCommand| index.is_some_and(|index| is_inside(analysis, other, index));
    let mut sources = before(analysis, command).chain(analysis.commands.iter().filter(inside));
    if sources.any(|other| is_environment(other) || is_secret(other)) {
        findings.add(command, Privacy, Critical, true, "sends secrets to another machine");
    } else if is_secret(command) {
        findings.add(command, Privacy, High, true, "sends a file that may hold secrets");
    }
}
