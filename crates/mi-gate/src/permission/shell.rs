//! A shell script as parts: one per program, with what it reads, writes, deletes and sends.
//!
//! Holds: what the analysis does not understand gives a floor of prompt; a script that makes links makes every path
//! in it unknown.

use std::collections::{HashMap, HashSet};

use super::around;
use super::builtin;
use super::decide::{Floor, Place};
use super::facts::{Fact, Fallback, Operation};
use super::leaks;
use super::links::{self, Way};
use super::paths::{Reach, Start, Target};
use super::readers;
use super::variables;
use super::work;
use crate::command::{
    Analysis, Directory, RedirectKind, SimpleCommand, Via, Word, analyze, risk, written_paths,
};

/// The parts of `script`, and why it cannot be allowed whatever they are.
pub(super) fn read(script: &str, tool: &str, place: &Place<'_>) -> (Vec<Fact>, Option<Floor>) {
    let analysis = variables::filled_in(analyze(script), script, place);
    let mut facts = Vec::new();
    let commands = analysis.commands.iter().enumerate();
    let places = commands.clone().map(|(index, command)| (index, &command.directory));
    let others = commands.flat_map(|(index, command)| {
        command.other_directories.iter().map(move |directory| (index, directory))
    });
    let leaks = leaks::find(&analysis);
    for (index, directory) in places.chain(others) {
        let mut fact = fact(&analysis, index, directory, tool, place);
        fact.leaks = leaks.get(index).is_some_and(|leaks| *leaks);
        facts.push(fact);
    }
    if analysis
        .commands
        .iter()
        .any(|command| matches!(command.program.as_str(), "ln" | "link" | "mount" | "symlink"))
    {
        facts.iter_mut().for_each(forget_paths);
    }
    if let Some(first) = facts.first_mut() {
        first.lists.extend(builtin::private::mentioned(script, place));
    }
    add_risks(&analysis, &mut facts);
    work::distrust_changed(&mut facts);
    let floor = doubt(script, &analysis).map(|reason| Floor { rule: "mi.not-understood", reason });
    (facts, floor)
}

fn doubt(script: &str, analysis: &Analysis) -> Option<String> {
    if !analysis.understood {
        let why = analysis.reasons.first().map_or("it cannot be read", String::as_str);
        return Some(format!("the command is not fully understood: {why}"));
    }
    if script.contains(['\r', '\0']) || script.chars().any(is_odd) {
        return Some("the command holds invisible or unusual characters".to_owned());
    }
    // Text in quotes may be a script for a shell that this one starts.
    let inner = |via| matches!(via, Via::Text | Via::Input | Via::Interpreter | Via::Remote);
    let whole = analysis.commands.iter().any(|command| inner(command.via));
    if let Some(why) = super::arithmetic::doubt(script, whole) {
        return Some(why);
    }
    let name = variables::first_odd(script)?;
    Some(format!("the command sets `{name}`, which may change what programs do"))
}

/// Characters that a person does not see, or sees as another.
fn is_odd(char: char) -> bool {
    (char.is_control() && !matches!(char, '\n' | '\t'))
        || (char.is_whitespace() && !char.is_ascii())
        || matches!(char, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{ad}')
}

/// One program.
fn fact(analysis: &Analysis, index: usize, directory: &Directory, tool: &str, place: &Place<'_>) -> Fact {
    let command = &analysis.commands[index];
    let folder = folder(directory, place);
    let here = Here { start: place.start(), folder: folder.as_deref() };
    let mut fact = Fact::new(Operation::Run, tool, shown(command), Fallback::allow("mi.read-only", ""));
    fact.before = analysis
        .commands
        .iter()
        .filter(|other| {
            other.place.pipeline == command.place.pipeline && other.place.position < command.place.position
        })
        .cloned()
        .collect();
    fact.around = around::words(analysis, index);
    fact.fallback = match readers::reads(analysis, index, &here, place) {
        Ok(reads) => {
            fact.reads = reads.contents;
            fact.lists = reads.names;
            Fallback::allow("mi.read-only", "only reads")
        }
        Err(why) => match work::work(analysis, index, &here, place) {
            Ok(work) => {
                fact.reads = work.reads;
                fact.reads.extend(here.named(command));
                fact.outputs = work.outputs;
                fact.obeys_project = work.obeys_project;
                Fallback::allow("mi.project-work", "builds, checks or looks at the project")
            }
            Err(other) => {
                fact.reads = here.sources(command);
                // Why git is not trusted here says more than that it may change something.
                let reason = if command.program == "git" { why } else { other.unwrap_or(why) };
                Fallback::prompt("mi.unknown-command", reason)
            }
        },
    };
    if fact.outputs.is_empty() {
        here.writes(command, &mut fact);
    }
    here.redirects(command, &mut fact);
    fact.reads.extend(here.behind_patterns(&fact.reads));
    fact.lists.extend(here.behind_patterns(&fact.lists));
    // The shell puts names in for patterns, whatever the program makes of them.
    fact.lists.extend(command.args.iter().filter(|word| word.glob).map(|word| here.target(word)));
    let mut touched = fact.reads.iter().chain(&fact.writes).chain(&fact.deletes);
    let unknown = touched.find(|target| target.reach == Reach::Unknown);
    if let (Fallback::Allow { .. }, Some(target)) = (&fact.fallback, unknown) {
        fact.fallback =
            Fallback::prompt("mi.unknown-path", format!("what `{}` stands for is not known", target.shown));
    }
    fact.folder = folder;
    fact.command = Some(command.clone());
    fact
}

fn shown(command: &SimpleCommand) -> String {
    let line = command.display_within(1_000);
    if line.is_empty() {
        return command.redirects.iter().map(|redirect| format!("> {}", redirect.target.text)).collect();
    }
    mi_model::shorten(&line, 200)
}

fn forget_paths(fact: &mut Fact) {
    for target in fact.reads.iter_mut().chain(&mut fact.writes).chain(&mut fact.deletes) {
        target.reach = Reach::Unknown;
    }
}

fn add_risks(analysis: &Analysis, facts: &mut [Fact]) {
    for finding in risk(analysis) {
        let commands: Vec<&SimpleCommand> =
            finding.places.iter().filter_map(|place| analysis.commands.get(*place)).collect();
        let is_it =
            |fact: &&mut Fact| fact.command.as_ref().is_some_and(|command| commands.contains(&command));
        facts.iter_mut().filter(is_it).for_each(|fact| fact.risks.push(finding.category));
    }
}

fn folder(directory: &Directory, place: &Place<'_>) -> Option<String> {
    match directory {
        Directory::Start => Some(place.cwd().to_owned()),
        Directory::Relative(path) => place.start().resolve(place.cwd(), path),
        Directory::Absolute(path) => place.start().resolve("/", path),
        Directory::Unknown => None,
    }
}

fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '[', '{'])
}

/// What is known of a pattern, up to the last slash before it, and the rest.
fn split_pattern(text: &str) -> (&str, &str) {
    let first = text.find(['*', '?', '[', '{']).unwrap_or(text.len());
    text.split_at(text[..first].rfind('/').map_or(0, |at| at + 1))
}

/// Where a command's paths begin.
pub(super) struct Here<'a> {
    pub(super) start: Start<'a>,
    pub(super) folder: Option<&'a str>,
}

impl Here<'_> {
    /// The path a word stands for.
    pub(super) fn target(&self, word: &Word) -> Target {
        let reach = match self.folder {
            None if !word.text.starts_with(['/', '~']) => Reach::Unknown,
            _ if !word.exact => Reach::Unknown,
            folder if word.glob => {
                let (parent, pattern) = split_pattern(&word.text);
                // A way up leads out of where the pattern begins.
                match pattern.split('/').any(|name| name == "..") {
                    true => Reach::Unknown,
                    false => {
                        self.start.resolve(folder.unwrap_or("/"), parent).map_or(Reach::Unknown, Reach::Below)
                    }
                }
            }
            folder => {
                self.start.resolve(folder.unwrap_or("/"), &word.text).map_or(Reach::Unknown, Reach::Exact)
            }
        };
        Target { shown: word.text.clone(), reach }
    }

    /// The folder a word stands for, with all that is in it.
    pub(super) fn tree(&self, word: &Word) -> Target {
        let target = self.target(word);
        let reach = match target.reach {
            Reach::Exact(path) => Reach::Below(path),
            other => other,
        };
        Target { reach, ..target }
    }

    /// Where symbolic links lead that are met when `target` is read; the target itself, unknown, if nobody can say.
    pub(super) fn behind_links(&self, target: &Target, way: Way<'_>) -> Vec<Target> {
        let Reach::Below(folder) = &target.reach else { return Vec::new() };
        let Some(found) = links::behind(self.start.world, folder, way) else {
            return vec![Target { reach: Reach::Unknown, ..target.clone() }];
        };
        let shown = |real: &str| format!("{} -> {real}", target.shown);
        found.into_iter().map(|real| Target { shown: shown(&real), reach: Reach::Below(real) }).collect()
    }

    /// The same for what a pattern stands for.
    fn behind_patterns(&self, targets: &[Target]) -> Vec<Target> {
        let is_pattern =
            |target: &&Target| matches!(target.reach, Reach::Below(_)) && is_pattern(&target.shown);
        let behind = |target: &Target| {
            let (_, pattern) = split_pattern(&target.shown);
            let parts: Vec<&str> = pattern.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
            self.behind_links(target, Way::Pattern(&parts))
        };
        targets.iter().filter(is_pattern).flat_map(behind).collect()
    }

    /// Paths that stand among the words: a tool that checks or builds may read them, and say what stands in them.
    fn named(&self, command: &SimpleCommand) -> Vec<Target> {
        let value = |word: &Word| match word.text.strip_prefix('-') {
            Some(_) => word.text.split_once('=').map(|(_, value)| Word::exact(value)),
            None => Some(word.clone()),
        };
        let words = command.args.iter().filter(|word| word.exact && !word.glob).filter_map(value);
        let is_path = |word: &Word| word.text.contains(['/', '.']) || self.is_there(word);
        words.filter(is_path).map(|word| self.target(&word)).collect()
    }

    /// Something has this name.
    pub(super) fn is_there(&self, word: &Word) -> bool {
        match self.target(word).reach {
            Reach::Exact(path) => self.start.world.real_path(&path).is_some(),
            Reach::Below(_) | Reach::Unknown => false,
        }
    }

    /// What programs that copy, pack or send take in.
    fn sources(&self, command: &SimpleCommand) -> Vec<Target> {
        let takes = matches!(
            command.program.as_str(),
            "cp" | "mv"
                | "install"
                | "rsync"
                | "scp"
                | "tar"
                | "zip"
                | "dd"
                | "curl"
                | "wget"
                | "cat"
                | "less"
                | "more"
                | "head"
                | "tail"
                | "grep"
                | "sed"
                | "awk"
                | "sort"
                | "xxd"
                | "base64"
                | "gzip"
                | "bzip2"
                | "xz"
                | "7z"
                | "nc"
                | "openssl"
                | "gpg"
                | "vim"
                | "vi"
                | "nano"
                | "code"
                | "bat"
                | "pandoc"
                | "sh"
                | "bash"
                | "python"
                | "python3"
                | "node"
                | "ruby"
                | "perl"
                | "source"
                | "."
                | "diff"
                | "patch"
                | "uniq"
                | "split"
                | "tree"
        );
        if !takes {
            return Vec::new();
        }
        let value = |word: &Word| match word.text.split_once(['=', '@']) {
            Some((_, value)) if !value.is_empty() => Word { text: value.to_owned(), ..word.clone() },
            _ => word.clone(),
        };
        let words = command
            .args
            .iter()
            .map(value)
            .filter(|word| !word.text.starts_with('-') && !word.text.contains("://"));
        words.map(|word| self.tree(&word)).collect()
    }

    fn writes(&self, command: &SimpleCommand, fact: &mut Fact) {
        let redirected: HashSet<&str> =
            command.redirects.iter().map(|redirect| redirect.target.text.as_str()).collect();
        // By their texts, the first of each: a command may name thousands of files.
        let words: HashMap<&str, &Word> =
            command.args.iter().rev().map(|word| (word.text.as_str(), word)).collect();
        let removes = matches!(command.program.as_str(), "rm" | "rmdir" | "unlink" | "shred" | "mv");
        for path in written_paths(command)
            .into_iter()
            .filter(|path| !redirected.contains(path) && *path != "/dev/null")
        {
            let word = words.get(path);
            let exact = word.map_or_else(|| !path.contains(['$', '`']), |word| word.exact);
            let word = Word { text: path.to_owned(), exact, glob: word.is_some_and(|word| word.glob) };
            if removes {
                fact.deletes.push(self.tree(&word));
            }
            if !removes || command.program == "mv" {
                fact.writes.push(self.target(&word));
            }
        }
        // `cp x folder` writes into the folder.
        if let (true, Some(last)) =
            (matches!(command.program.as_str(), "cp" | "mv" | "install" | "rsync"), command.args.last())
        {
            let folder = self.target(last);
            for source in command.args.iter().filter(|word| !word.text.starts_with('-') && *word != last) {
                let name = source.text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
                if let Reach::Exact(path) = &folder.reach {
                    let reach = Reach::Exact(format!("{path}/{name}"));
                    fact.writes.push(Target { shown: last.text.clone(), reach });
                }
            }
        }
    }

    fn redirects(&self, command: &SimpleCommand, fact: &mut Fact) {
        for redirect in &command.redirects {
            let text = redirect.target.text.as_str();
            if text.starts_with("/dev/tcp/") || text.starts_with("/dev/udp/") {
                fact.sends.push(text.to_owned());
                fact.fallback = Fallback::prompt("mi.network", "opens a connection");
                continue;
            }
            let nowhere =
                matches!(text, "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/tty" | "/dev/zero");
            let number = text.trim_end_matches('-').bytes().all(|byte| byte.is_ascii_digit());
            match redirect.kind {
                RedirectKind::Text => {}
                RedirectKind::Duplicate if number && redirect.target.exact => {}
                _ if nowhere && redirect.target.exact => {}
                RedirectKind::Read => fact.reads.push(self.target(&redirect.target)),
                RedirectKind::Write
                | RedirectKind::Append
                | RedirectKind::ReadWrite
                | RedirectKind::Duplicate => {
                    fact.writes.push(self.target(&redirect.target));
                }
            }
        }
    }
}

/// The command starts only what stands in other parts.
pub(super) fn starts_only_parts(analysis: &Analysis, index: usize) -> bool {
    let children = analysis.commands.iter().filter(|command| command.parent == Some(index));
    let mut started =
        children.filter(|command| !matches!(command.via, Via::Substitution | Via::ProcessSubstitution));
    started.next().is_some()
}
