//! What the syntax alone says about how a list ends: who may leave the shell early, and whose code is passed on.

use brush_parser::ast::{
    AndOr, AndOrList, AssignmentValue, Command, CommandPrefixOrSuffixItem, CompoundCommand, CompoundList,
    Pipeline, SimpleCommand,
};

use super::scope::Scope;
use super::words::expand;

/// The words of a simple command, with quotes removed; `command` and `builtin` in front do not count.
fn words(command: &SimpleCommand) -> Vec<String> {
    let scope = Scope::default();
    let mut words = Vec::new();
    if let Some(name) = &command.word_or_name {
        words.extend(expand(&name.value, &scope).words.into_iter().map(|word| word.text));
    }
    for item in command.suffix.iter().flat_map(|suffix| &suffix.0) {
        if let CommandPrefixOrSuffixItem::Word(word) = item {
            words.extend(expand(&word.value, &scope).words.into_iter().map(|word| word.text));
        }
    }
    while matches!(words.first().map(String::as_str), Some("command" | "builtin")) {
        words.remove(0);
    }
    words
}

fn single(list: &AndOrList) -> Option<&Pipeline> {
    list.additional.is_empty().then_some(&list.first)
}

fn single_simple(list: &AndOrList) -> Option<&SimpleCommand> {
    let pipeline = single(list)?;
    match (pipeline.bang, pipeline.seq.as_slice()) {
        (false, [Command::Simple(simple)]) => Some(simple),
        _ => None,
    }
}

/// `exit 1` and the like: the code is a number other than 0.
fn exits_nonzero(words: &[String]) -> bool {
    matches!(words, [name, code] if name == "exit" && code.parse::<u8>().is_ok_and(|code| code != 0))
}

/// The pipeline never ends with 0, and if `leaves`, it ends the whole shell.
pub(super) fn always_fails(pipeline: &Pipeline, leaves: bool) -> bool {
    if pipeline.bang || pipeline.seq.len() != 1 {
        return false;
    }
    match &pipeline.seq[0] {
        Command::Simple(simple) => {
            let words = words(simple);
            exits_nonzero(&words) || (!leaves && words == ["false"])
        }
        Command::Compound(CompoundCommand::BraceGroup(group), _) => list_always_fails(&group.list, leaves),
        Command::Compound(CompoundCommand::Subshell(shell), _) => {
            !leaves && list_always_fails(&shell.list, false)
        }
        _ => false,
    }
}

/// The last item always fails and nothing before it may leave with 0.
pub(super) fn list_always_fails(list: &CompoundList, leaves: bool) -> bool {
    let Some((last, before)) = list.0.split_last() else { return false };
    single(&last.0).is_some_and(|pipeline| always_fails(pipeline, leaves))
        && !before.iter().any(|item| may_end(&item.0))
}

/// Under `set -e`, failure of this list ends the shell: no `&&`, `||` or `!`, and no compound command but a subshell,
/// because a failure that was ignored inside a compound command is ignored outside as well.
pub(super) fn aborts(list: &AndOrList) -> bool {
    let plain = |command: &Command| {
        matches!(
            command,
            Command::Simple(_)
                | Command::ExtendedTest(..)
                | Command::Compound(CompoundCommand::Subshell(_), _)
        )
    };
    single(list).is_some_and(|pipeline| !pipeline.bang && pipeline.seq.iter().all(plain))
}

/// The list may leave the shell, the function or the loop with a code that is or may be 0.
pub(super) fn may_end(list: &AndOrList) -> bool {
    pipeline_may_end(&list.first)
        || list
            .additional
            .iter()
            .any(|(AndOr::And(pipeline) | AndOr::Or(pipeline))| pipeline_may_end(pipeline))
}

fn pipeline_may_end(pipeline: &Pipeline) -> bool {
    // The parts of a longer pipeline are shells of their own.
    pipeline.seq.len() == 1 && command_may_end(&pipeline.seq[0])
}

fn command_may_end(command: &Command) -> bool {
    let any = |list: &CompoundList| list.0.iter().any(|item| may_end(&item.0));
    match command {
        Command::Simple(simple) => simple_may_end(simple),
        Command::Function(function) => compound_may_end(&function.body.0, &any),
        Command::Compound(compound, _) => compound_may_end(compound, &any),
        Command::ExtendedTest(..) => false,
    }
}

fn compound_may_end(compound: &CompoundCommand, any: &dyn Fn(&CompoundList) -> bool) -> bool {
    match compound {
        CompoundCommand::BraceGroup(group) => any(&group.list),
        CompoundCommand::ForClause(clause) => any(&clause.body.list),
        CompoundCommand::ArithmeticForClause(clause) => any(&clause.body.list),
        CompoundCommand::WhileClause(clause) | CompoundCommand::UntilClause(clause) => {
            any(&clause.0) || any(&clause.1.list)
        }
        CompoundCommand::CaseClause(clause) => {
            clause.cases.iter().filter_map(|case| case.cmd.as_ref()).any(any)
        }
        CompoundCommand::IfClause(clause) => {
            let elses = clause.elses.iter().flatten();
            any(&clause.condition)
                || any(&clause.then)
                || elses
                    .into_iter()
                    .any(|other| other.condition.as_ref().is_some_and(any) || any(&other.body))
        }
        CompoundCommand::Subshell(_) | CompoundCommand::Coprocess(_) | CompoundCommand::Arithmetic(_) => {
            false
        }
    }
}

fn simple_may_end(simple: &SimpleCommand) -> bool {
    let words = words(simple);
    match words.first().map(String::as_str) {
        Some("exit") => !exits_nonzero(&words),
        Some("exec") => words.len() > 1,
        Some("return" | "logout" | "eval" | "break" | "continue" | "suspend") => true,
        Some("set") => words[1..]
            .iter()
            .any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains('n')),
        _ => false,
    }
}

/// The item whose exit code the list passes on word for word: `X; exit $?` or `X; rc=$?; …; exit $rc`.
pub(super) fn forwarded(items: &[&AndOrList]) -> Option<usize> {
    let last = words(single_simple(items.last()?)?);
    let code = match last.as_slice() {
        [exit, code] if exit == "exit" => code.trim_start_matches('$').trim_matches(['{', '}']).to_owned(),
        _ => return None,
    };
    let before = items.len().checked_sub(2)?;
    if code == "?" {
        return Some(before);
    }
    let keeper = items[..=before].iter().position(|item| assigns(item, &code))?;
    let saves_status =
        single_simple(items[keeper]).is_some_and(|simple| assigned(simple, &code) == Some("$?".to_owned()));
    // Between saving and leaving only plain commands may stand, none of which writes the variable.
    let quiet = items[keeper + 1..=before].iter().all(|item| {
        let plain = single_simple(item).map(words);
        plain.is_some_and(|words| {
            matches!(
                words.first().map(String::as_str),
                Some("echo" | "printf" | "cat" | "tail" | "head" | "rm")
            ) && !words.contains(&"-v".to_owned())
        })
    });
    (saves_status && quiet).then(|| keeper.checked_sub(1)).flatten()
}

fn assigns(list: &AndOrList, name: &str) -> bool {
    single_simple(list).is_some_and(|simple| assigned(simple, name).is_some())
}

/// The raw value that a command without a program gives to `name`.
fn assigned(simple: &SimpleCommand, name: &str) -> Option<String> {
    if simple.word_or_name.is_some() {
        return None;
    }
    simple.prefix.iter().flat_map(|prefix| &prefix.0).find_map(|item| match item {
        CommandPrefixOrSuffixItem::AssignmentWord(assignment, _) if assignment.name.to_string() == name => {
            match &assignment.value {
                AssignmentValue::Scalar(word) => Some(word.value.clone()),
                AssignmentValue::Array(_) => None,
            }
        }
        _ => None,
    })
}
