//! Words that reach a command from elsewhere in its script: through `xargs` and `find`, into a function's `$@`, and as
//! variables that the program which starts it was given.

use crate::command::{Analysis, SimpleCommand, Via};

/// More words are not gathered: what stands so far away tells nobody anything.
const MOST_WORDS: usize = 64;
/// Programs inside of programs that are followed outwards.
const MOST_PARENTS: usize = 8;

/// The words that are put into `analysis.commands[index]` beside its own.
pub(super) fn words(analysis: &Analysis, index: usize) -> Vec<String> {
    let command = &analysis.commands[index];
    let mut found = Vec::new();
    for parent in parents(analysis, command) {
        found.extend(parent.assignments.iter().map(|assignment| assignment.value.text.as_str()));
        if matches!(parent.program.as_str(), "xargs" | "find" | "fd" | "fdfind" | "parallel") {
            let is_before = |other: &&SimpleCommand| {
                other.place.pipeline == parent.place.pipeline && other.place.position < parent.place.position
            };
            let before = analysis.commands.iter().filter(is_before);
            found.extend(before.chain([parent]).flat_map(SimpleCommand::arg_texts).take(MOST_WORDS));
        }
    }
    let takes_arguments =
        |text: &str| ["$@", "$*", "${@", "${*", "$1", "$2"].iter().any(|sign| text.contains(sign));
    if command.args.iter().any(|word| !word.exact && takes_arguments(&word.text)) {
        let calls = analysis.commands.iter().filter(|other| analysis.functions.contains(&other.program));
        found.extend(calls.flat_map(SimpleCommand::arg_texts).take(MOST_WORDS));
    }
    found.into_iter().map(str::to_owned).collect()
}

/// The programs that start this one, the nearest first.
fn parents<'a>(
    analysis: &'a Analysis,
    command: &'a SimpleCommand,
) -> impl Iterator<Item = &'a SimpleCommand> {
    let parent = |command: &&'a SimpleCommand| match command.via {
        Via::Substitution | Via::ProcessSubstitution => None,
        _ => command.parent.and_then(|parent| analysis.commands.get(parent)),
    };
    std::iter::successors(parent(&command), parent).take(MOST_PARENTS)
}
