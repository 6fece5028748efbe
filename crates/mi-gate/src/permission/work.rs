//! A developer's ordinary work on the project: building, checking, looking at services, changing branches.
//!
//! [`work`] decides about commands that are not known to only read. It is a closed list of programs, each with the
//! options it may have. It never judges the text of a program: a script, a recipe, a build script or a one-liner prompts.
//! Holds: a file of the project that makes a tool run the project's own code is found, and an unreadable one prompts.
//! Elsewhere: edits, tests, commits and deletions are rules ([`super::builtin`]) and stay questions.

use super::decide::Place;
use super::facts::{Fact, Fallback};
use super::git;
use super::paths::{Reach, Target};
use super::readers;
use super::shell::{Here, starts_only_parts};
use super::world::FileText;
use crate::command::{Analysis, SimpleCommand, Word};

mod cargo;
mod local;
pub(super) mod planted;
mod table;
#[cfg(test)]
mod tests;

/// What a piece of work touches.
#[derive(Debug, Default)]
pub(super) struct Work {
    pub(super) reads: Vec<Target>,
    pub(super) outputs: Vec<Target>,
    /// It runs what the project's settings name, so that a file changed by the same command may run.
    pub(super) obeys_project: bool,
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

    /// The text of the nearest file of this name in the folder or above it.
    fn nearest(&self, name: &str) -> Option<String> {
        let start = self.here.folder?.trim_end_matches('/');
        let folders = std::iter::successors(Some(start), |folder| folder.rfind('/').map(|at| &folder[..at]));
        let mut texts = folders.map(|folder| self.place.context.world.text(&format!("{folder}/{name}")));
        match texts.find(|text| *text != FileText::Missing)? {
            FileText::Text(text) => Some(text),
            FileText::Missing | FileText::Unknown => None,
        }
    }
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
    if let Some(word) = command.args.iter().find(|word| !is_plain(word)) {
        return Err(Some(format!("what `{}` stands for is not known", word.text)));
    }
    let parent = command.parent.and_then(|parent| analysis.commands.get(parent));
    if parent.is_some_and(|parent| matches!(parent.program.as_str(), "xargs" | "find" | "fd" | "parallel")) {
        return Err(None);
    }
    let job = Job { command, here, place };
    if let Some(what) = own_code(command) {
        return table::work(&job).map_err(|_| Some(format!("`{program}` runs {what}, which is not judged")));
    }
    match program {
        "git" => {
            git::work(command, here, place).map(|outputs| Work { outputs, ..Work::default() }).map_err(Some)
        }
        "cargo" => cargo::work(&job),
        "curl" => local::asks(&job),
        "wget" | "nc" | "ping" => local::looks(&job),
        _ => table::work(&job),
    }
}

/// Programs that run code of the project or of the command line, for the reason that a person reads.
fn own_code(command: &SimpleCommand) -> Option<&'static str> {
    match command.program.as_str() {
        "make" | "gmake" | "ninja" => Some("recipes of the project"),
        "npm" | "pnpm" | "yarn" | "bun" if command.arg_texts().any(|text| text.starts_with("run")) => {
            Some("scripts of the project")
        }
        _ if !command.bodies.is_empty() => Some("a program in the command"),
        _ => None,
    }
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

/// A command that changes files may change what a build of the project then runs.
pub(super) fn distrust_changed(facts: &mut [Fact]) {
    if !facts.iter().flat_map(|fact| fact.writes.iter().chain(&fact.deletes)).any(may_be_code) {
        return;
    }
    for fact in facts.iter_mut().filter(|fact| fact.obeys_project) {
        let reason = "the same command changes files that it may then run";
        fact.fallback = Fallback::prompt("mi.unknown-command", reason);
    }
}

fn may_be_code(target: &Target) -> bool {
    let Reach::Exact(path) = &target.reach else { return true };
    !["log", "txt", "out", "md", "csv"].iter().any(|kind| path.rsplit('.').next() == Some(kind))
}
