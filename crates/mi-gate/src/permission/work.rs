//! A developer's ordinary work on the project: building, checking, looking at services, changing branches.
//!
//! [`work`] is asked about what is not known to only read. Like there, it is a closed list of programs, each with the
//! options it may have. Scripts that a project keeps for `npm run` and `make` are read and judged like the command itself.
//! Holds: what a project's files make a tool run is looked at, and what cannot be read is not allowed; where there
//! is no such file, nothing would run.
//! Elsewhere: edits, tests, commits and deletions are rules ([`super::builtin`]) and stay questions.

use super::decide::Place;
use super::facts::{Fact, Fallback};
use super::git;
use super::paths::{Reach, Target};
use super::readers;
use super::shell::{Here, starts_only_parts};
use super::world::FileText;
use crate::command::{Analysis, SimpleCommand, Word, needs_bash};

mod bodies;
mod cargo;
mod local;
mod makefile;
pub(super) mod planted;
mod queries;
mod scripts;
mod table;
#[cfg(test)]
mod tests;

/// What a piece of work touches.
#[derive(Debug, Default)]
pub(super) struct Work {
    pub(super) reads: Vec<Target>,
    pub(super) outputs: Vec<Target>,
    /// The project's own scripts that run; none if what runs does not stand in the project's files.
    pub(super) scripts: Option<Vec<Script>>,
}

impl Work {
    fn of_scripts(scripts: Vec<Script>) -> Self {
        Self { scripts: Some(scripts), ..Self::default() }
    }
}

/// A shell script of the project, and where it runs.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Script {
    pub(super) text: String,
    pub(super) folder: String,
}

/// One command with what is known around it.
struct Job<'a> {
    command: &'a SimpleCommand,
    here: &'a Here<'a>,
    place: &'a Place<'a>,
}

impl Job<'_> {
    /// The words, one after the other.
    fn texts(&self) -> Vec<&str> {
        self.command.arg_texts().collect()
    }

    /// A file, seen from where the command runs.
    fn file(&self, path: &str) -> FileText {
        match self.path(path) {
            Some(path) => self.place.context.world.text(&path),
            None => FileText::Unknown,
        }
    }

    fn path(&self, path: &str) -> Option<String> {
        self.here.start.resolve(self.here.folder?, path)
    }

    /// The nearest folder above `folder`, itself included, that holds one of the files.
    fn nearest(&self, folder: &str, names: &[&str]) -> Nearest {
        let mut folder = folder.trim_end_matches('/');
        loop {
            for name in names {
                match self.place.context.world.text(&format!("{folder}/{name}")) {
                    FileText::Missing => {}
                    FileText::Text(text) => return Nearest::Found { folder: folder.to_owned(), text },
                    FileText::Unknown => return Nearest::Unknown,
                }
            }
            match folder.rfind('/') {
                Some(at) => folder = &folder[..at],
                None => return Nearest::Nowhere,
            }
        }
    }
}

/// What was found on the way up.
enum Nearest {
    Found { folder: String, text: String },
    Nowhere,
    Unknown,
}

/// What the command does, or why it is not known to be ordinary work; no reason where the program is not known at all.
pub(super) fn work(
    analysis: &Analysis,
    index: usize,
    here: &Here<'_>,
    place: &Place<'_>,
) -> Result<Work, Option<String>> {
    let command = &analysis.commands[index];
    readers::unhindered(command).map_err(Some)?;
    let program = command.program.as_str();
    planted::check(program, here, place).map_err(Some)?;
    if let Some(script) = shell_script(&Job { command, here, place }) {
        return Ok(Work::of_scripts(vec![script]));
    }
    if asks_about_itself(command) || program == "export" && exports_harmless(command) {
        return Ok(Work::default());
    }
    if command.program_path.contains('/')
        && !readers::is_system_path(&command.program_path)
        && !is_local_tool(command)
    {
        return Err(None);
    }
    if is_runner(command) && starts_only_parts(analysis, index) {
        let tools = analysis.commands.iter().filter(|other| other.parent == Some(index));
        let known = tools.map(|tool| tool.program.as_str()).all(table::is_tool);
        return if known { Ok(Work::default()) } else { Err(None) };
    }
    let is_known = |word: &&Word| is_plain(word) || program == "psql" && queries::is_address(word);
    if let Some(word) = command.args.iter().find(|word| !is_known(word)) {
        return Err(Some(format!("what `{}` stands for is not known", word.text)));
    }
    let parent = command.parent.and_then(|parent| analysis.commands.get(parent));
    if parent.is_some_and(|parent| matches!(parent.program.as_str(), "xargs" | "find" | "fd" | "parallel")) {
        return Err(None);
    }
    let job = Job { command, here, place };
    match program {
        "git" => {
            git::work(command, here, place).map(|outputs| Work { outputs, ..Work::default() }).map_err(Some)
        }
        "cargo" => cargo::work(&job),
        "make" | "gmake" => makefile::work(&job),
        "npm" | "pnpm" | "yarn" | "bun" => scripts::work(&job),
        "psql" | "mysql" | "sqlite3" | "redis-cli" => queries::reads(&job),
        "curl" => local::asks(&job),
        "wget" | "nc" | "ping" => local::looks(&job),
        "python" | "python3" | "node" => bodies::prints(&job),
        _ => table::work(&job),
    }
}

/// A script of the project for a shell: `./scripts/build.sh`, `bash scripts/build.sh`. What it says is judged; what is not
/// there, or is for another program, is not known.
fn shell_script(job: &Job<'_>) -> Option<Script> {
    let command = job.command;
    let shell = matches!(command.program_path.as_str(), "bash" | "sh" | "dash" | "/bin/sh" | "/bin/bash");
    let own = command.program_path.contains('/') && !readers::is_system_path(&command.program_path);
    let path = match command.args.first() {
        Some(first) if shell => first.clone(),
        _ if own => Word::exact(command.program_path.as_str()),
        _ => return None,
    };
    if !path.exact || path.glob || path.text.starts_with(['-', '+']) || !command.bodies.is_empty() {
        return None;
    }
    let FileText::Text(text) = job.file(&path.text) else { return None };
    let first = text.lines().next().unwrap_or_default().trim_end();
    let is_shell =
        ["#!/bin/sh", "#!/bin/bash", "#!/usr/bin/bash", "#!/usr/bin/env bash", "#!/usr/bin/env sh"];
    if !is_shell.contains(&first) && (own || first.starts_with("#!")) {
        return None;
    }
    // For another shell than bash `[[ a > b ]]` is a program whose output goes to `b`.
    let plain = match command.program_path.as_str() {
        "bash" | "/bin/bash" => false,
        _ if own => !first.contains("bash"),
        _ => true,
    };
    if plain && (text.contains("[[") || needs_bash(&text)) {
        return None;
    }
    let folder = job.here.folder?.to_owned();
    Some(Script { text, folder })
}

/// `PROGRAM --version` and `--help`: whatever the program is, it comes from the PATH and is asked about itself.
fn asks_about_itself(command: &SimpleCommand) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'+' | b'.');
    let texts: Vec<&str> = command.arg_texts().collect();
    matches!(texts.as_slice(), ["--version" | "--help"] | ["-n", _] if texts[0] != "-n" || matches!(command.program.as_str(), "bash" | "sh"))
        && command.redirects.is_empty()
        && command.program_path.starts_with(|char: char| char.is_ascii_alphabetic())
        && command.program_path.bytes().all(plain)
        && !matches!(command.program.as_str(), "mi" | "eval" | "source" | "exec")
}

/// Values that no program takes for an instruction.
fn exports_harmless(command: &SimpleCommand) -> bool {
    let name = |word: &Word| word.text.split('=').next().unwrap_or_default().to_owned();
    !command.args.is_empty() && command.args.iter().all(|word| super::variables::is_harmless(&name(word)))
}

/// `node_modules/.bin/eslint` is what `npx eslint` starts.
fn is_local_tool(command: &SimpleCommand) -> bool {
    let path = command.program_path.strip_prefix("./").unwrap_or(&command.program_path);
    path.strip_prefix("node_modules/.bin/").is_some_and(table::is_tool)
}

/// Programs that start a tool of the project, without options of their own.
fn is_runner(command: &SimpleCommand) -> bool {
    let texts: Vec<&str> = command.arg_texts().collect();
    match (command.program.as_str(), texts.as_slice()) {
        ("npx" | "bunx" | "uvx", [tool, ..]) => !tool.starts_with('-'),
        ("pnpm" | "yarn" | "bundle" | "npm", ["exec", tool, ..]) => !tool.starts_with('-'),
        ("uv" | "poetry" | "pipenv" | "pdm" | "hatch", ["run", tool, ..]) => !tool.starts_with('-'),
        _ => false,
    }
}

/// Its value is known, and it cannot become an option.
fn is_plain(word: &Word) -> bool {
    word.exact && !(word.glob && word.text.starts_with(['*', '?', '[']))
}

/// A script that changes files may change what the project's own work then runs.
pub(super) fn distrust_changed(facts: &mut [Fact], scripts: &[(usize, Vec<Script>)]) {
    if scripts.is_empty()
        || !facts.iter().flat_map(|fact| fact.writes.iter().chain(&fact.deletes)).any(may_be_code)
    {
        return;
    }
    for (index, _) in scripts {
        if let Some(fact) = facts.get_mut(*index) {
            let reason = "the same command changes files that it may then run";
            fact.fallback = Fallback::prompt("mi.unknown-command", reason);
        }
    }
}

fn may_be_code(target: &Target) -> bool {
    let Reach::Exact(path) = &target.reach else { return true };
    !["log", "txt", "out", "md", "csv"].iter().any(|kind| path.rsplit('.').next() == Some(kind))
}
