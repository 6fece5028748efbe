//! Whether a rule's matcher fits a part of a call: yes, perhaps, no. The weakest field decides.

use serde_json::json;

use super::call::Action;
use super::decide::{Context, Place};
use super::facts::Fact;
use super::glob::{Glob, alternatives};
use super::links;
use super::paths::{Reach, Target, relative};
use super::rules::{Matcher, Words};
use super::world::NoWorld;
use crate::command::risk::rows::operands;
use crate::command::{SimpleCommand, Word};

/// How surely something fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Match {
    No,
    Perhaps,
    Yes,
}

impl Match {
    pub(super) fn when(holds: bool) -> Self {
        if holds { Self::Yes } else { Self::No }
    }

    /// A yes that is not certain.
    pub(super) fn perhaps_when(holds: bool) -> Self {
        if holds { Self::Perhaps } else { Self::No }
    }
}

/// How surely `matcher` fits `fact`.
pub(super) fn fits(matcher: &Matcher, fact: &Fact, place: &Place<'_>) -> Match {
    let actor = |actors: &Words| Match::when(place.context.actor.is_some_and(|actor| has(actors, actor)));
    let written = || fact.writes.iter().chain(&fact.outputs).chain(&fact.deletes);
    weakest([
        &|| matcher.actor.as_ref().map(actor),
        &|| matcher.tool.as_ref().map(|tools| Match::when(has(tools, &fact.tool))),
        &|| matcher.command.as_ref().map(|programs| command(matcher, programs, fact, place)),
        &|| matcher.read.as_ref().map(|globs| paths(globs, fact.reads.iter(), place)),
        &|| matcher.write.as_ref().map(|globs| paths(globs, written(), place)),
        &|| matcher.delete.as_ref().map(|globs| paths(globs, fact.deletes.iter(), place)),
    ])
}

/// The weakest of the fields that a rule has; after a no, nothing more is looked at.
fn weakest(fields: [&dyn Fn() -> Option<Match>; 6]) -> Match {
    let mut weakest = Match::Yes;
    for field in fields {
        weakest = weakest.min(field().unwrap_or(Match::Yes));
        if weakest == Match::No {
            break;
        }
    }
    weakest
}

/// Runs an example of a rule: a command, or a path where the rule is about paths.
pub(super) fn example(matcher: &Matcher, text: &str) -> Match {
    let actor = matcher.actor.as_ref().and_then(|actors| actors.iter().next());
    let context = Context { actor, cwd: Some("/project"), ..Context::new(&[], &NoWorld) };
    let place = Place::of(&context, Some("/project"));
    let tool = matcher.tool.as_ref().and_then(|tools| tools.iter().next()).unwrap_or("Bash");
    let action =
        Action::new(tool, json!({"command": text, "file_path": text, "path": text, "content": ""}), None);
    let (facts, _) = super::call::facts(&action, &place);
    let as_command = facts.iter().map(|fact| fits(matcher, fact, &place)).max().unwrap_or(Match::No);
    if matcher.command.is_some() {
        return as_command;
    }
    let target = [place.start().exact(text)];
    let as_path = [&matcher.read, &matcher.write, &matcher.delete]
        .into_iter()
        .flatten()
        .map(|globs| paths(globs, target.iter(), &place))
        .min();
    as_path.map_or(as_command, |as_path| as_path.max(as_command))
}

fn has(words: &Words, word: &str) -> bool {
    words.iter().any(|known| known == word)
}

fn command(matcher: &Matcher, programs: &Words, fact: &Fact, place: &Place<'_>) -> Match {
    let Some(command) = &fact.command else { return Match::No };
    let name = command.program.strip_suffix(".exe").unwrap_or(&command.program);
    if !programs.iter().any(|program| program == name || program == command.program_path) {
        return Match::No;
    }
    let arguments = if matcher.args.is_empty() { Match::Yes } else { arguments(&matcher.args, command) };
    if arguments == Match::No {
        return Match::No;
    }
    let flags = if matcher.flags.is_empty() { Match::Yes } else { flags(&matcher.flags, command) };
    let branch =
        if matcher.branch.is_empty() { Match::Yes } else { branch(&matcher.branch, fact, command, place) };
    arguments.min(flags).min(branch)
}

/// The first operands, with options between them left out.
fn arguments(wanted: &[String], command: &SimpleCommand) -> Match {
    let texts: Vec<&str> = command.arg_texts().collect();
    let operands = operands(&command.program, &texts);
    if wanted.iter().zip(&operands).filter(|(want, have)| want == have).count() == wanted.len() {
        return Match::Yes;
    }
    // A subcommand that stands first and is known is no other one, whatever follows it.
    let other = command.args.first().is_some_and(|word| {
        word.exact
            && !word.glob
            && !word.text.starts_with('-')
            && wanted.first().is_some_and(|want| *want != word.text)
    });
    let unknown = !other && command.args.iter().any(|word| !word.exact || word.glob);
    // An option that nobody knows may have swallowed the word before the one that is looked for.
    let option_first = texts.first().is_some_and(|first| first.starts_with('-'));
    let somewhere = wanted.iter().all(|want| operands.contains(&want.as_str()));
    Match::perhaps_when(unknown || (option_first && somewhere))
}

fn flags(wanted: &[String], command: &SimpleCommand) -> Match {
    let is_wanted = |word: &Word| wanted.iter().any(|flag| is_flag(&word.text, flag));
    let implied = command.program == "git"
        && command.args.iter().any(|word| word.text.starts_with('+'))
        && wanted.iter().any(|flag| flag == "--force" || flag == "-f");
    if implied || command.args.iter().any(is_wanted) {
        return Match::Yes;
    }
    Match::perhaps_when(command.args.iter().any(|word| !word.exact || word.glob))
}

/// `--force`, `--force=x`, an unambiguous beginning `--forc`, or `-f` in a group.
fn is_flag(text: &str, flag: &str) -> bool {
    if let Some(long) = text.strip_prefix("--") {
        let name = long.split('=').next().unwrap_or(long);
        return flag
            .strip_prefix("--")
            .is_some_and(|flag| flag == name || (name.len() >= 2 && flag.starts_with(name)));
    }
    match (text.strip_prefix('-'), flag.strip_prefix('-')) {
        (Some(group), Some(letter)) if letter.chars().count() == 1 => group.contains(letter),
        _ => text == flag,
    }
}

/// The branches a `git push` writes to, or any operand of another command.
fn branch(wanted: &[String], fact: &Fact, command: &SimpleCommand, place: &Place<'_>) -> Match {
    let texts: Vec<&str> = command.arg_texts().collect();
    let operands = operands(&command.program, &texts);
    let unknown = command.args.iter().any(|word| !word.exact);
    let wants = |name: &str| wanted.iter().any(|branch| branch == name.trim_start_matches("refs/heads/"));
    if command.program != "git" || operands.first() != Some(&"push") {
        return Match::when(operands.iter().any(|operand| wants(operand))).max(Match::perhaps_when(unknown));
    }
    if texts.iter().any(|text| matches!(*text, "--all" | "--mirror" | "--branches")) {
        return Match::Yes;
    }
    let current = || fact.folder.as_deref().and_then(|folder| place.context.world.current_branch(folder));
    let here = || current().map_or(Match::Perhaps, |branch| Match::when(wants(&branch)));
    let refspecs = operands.get(2..).unwrap_or_default();
    let found = refspecs.iter().map(|refspec| {
        let target = refspec.trim_start_matches('+').rsplit(':').next().unwrap_or_default();
        if target == "HEAD" || target == "@" {
            here()
        } else {
            Match::when(wants(target) || target.contains('*'))
        }
    });
    let found = if refspecs.is_empty() { here() } else { found.max().unwrap_or(Match::No) };
    found.max(Match::perhaps_when(unknown))
}

/// Whether one of the targets is one of the globs.
pub(super) fn paths<'a>(
    globs: &Words,
    targets: impl Iterator<Item = &'a Target>,
    place: &Place<'_>,
) -> Match {
    let mut targets = targets.peekable();
    if targets.peek().is_none() {
        return Match::No;
    }
    // Patterns for too many names are refused when rules are loaded.
    let globs = globs.iter().flat_map(|glob| alternatives(glob).unwrap_or_else(|| vec![glob.to_owned()]));
    let globs: Vec<Glob> = globs.map(|glob| place.glob(&glob)).collect();
    targets
        .map(|target| globs.iter().map(|glob| path(glob, target, place)).max().unwrap_or(Match::No))
        .max()
        .unwrap_or(Match::No)
}

fn path(glob: &Glob, target: &Target, place: &Place<'_>) -> Match {
    match &target.reach {
        Reach::Unknown => Match::Perhaps,
        Reach::Exact(path) => {
            let sure = seen_from(glob, path, place).is_some_and(|seen| glob.matches(seen));
            let linked = !sure && place.context.world.has_other_names(path);
            Match::when(sure).max(Match::perhaps_when(linked))
        }
        Reach::Below(folder) => match seen_from(glob, folder, place) {
            Some(seen) if glob.matches(seen) => Match::Yes,
            // A search may name a single file, too.
            Some(seen) => Match::perhaps_when(
                glob.may_lie_below(seen)
                    || place.context.world.has_other_names(folder)
                    || has_other_names_below(glob, folder, place),
            ),
            // A folder above the project holds all of it.
            None => Match::perhaps_when(
                relative(place.root(), folder).is_some() || has_other_names_below(glob, folder, place),
            ),
        },
    }
}

/// Whether what a pattern names plainly has hard links below the folder.
fn has_other_names_below(glob: &Glob, folder: &str, place: &Place<'_>) -> bool {
    if glob.as_str().contains(['*', '?', '[']) {
        return false;
    }
    place
        .start()
        .resolve(place.root(), glob.as_str())
        .is_some_and(|guarded| links::shares_a_file(place.context.world, &guarded, folder))
}

/// The path as the pattern sees it: whole, or from the project's root.
fn seen_from<'a>(glob: &Glob, path: &'a str, place: &Place<'_>) -> Option<&'a str> {
    if glob.is_absolute() || (glob.as_str().starts_with("**") && relative(path, place.root()).is_none()) {
        Some(path)
    } else {
        relative(path, place.root())
    }
}
