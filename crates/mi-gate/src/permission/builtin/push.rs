//! The built-in rule about the shared history: nobody rewrites or removes `main`, by whatever program (D.19).

use crate::command::SimpleCommand;
use crate::command::risk::rows::operands;
use crate::permission::decide::Place;
use crate::permission::facts::Fact;
use crate::permission::matching::{self, Match};
use crate::permission::rules::{Matcher, Words};

const BRANCHES: [&str; 2] = ["main", "master"];
const FORCES: [&str; 8] =
    ["--force", "-f", "--force-with-lease", "--force-if-includes", "--mirror", "--delete", "-d", "--prune"];

/// Whether a refspec or the name of a ref is about the shared branch.
fn is_main(text: &str) -> bool {
    let target = text.trim_start_matches('+').rsplit(':').next().unwrap_or_default();
    let name = target.trim_start_matches("refs/").trim_start_matches("heads/");
    BRANCHES.contains(&name)
}

fn is_force(text: &str) -> bool {
    let group = text.strip_prefix('-').filter(|group| !group.starts_with('-'));
    group.map_or_else(
        || text.len() > 3 && FORCES.iter().any(|flag| flag.starts_with(text)),
        |group| group.contains(['f', 'd']),
    ) || text.starts_with("--force")
}

pub(super) fn force_push_main(fact: &Fact, place: &Place<'_>) -> Match {
    let Some(command) = &fact.command else { return Match::No };
    match command.program.as_str() {
        "git" | "hub" => git(fact, command, place),
        "gh" | "glab" => Match::when(hosting(command)),
        "jj" => {
            let words: Vec<&str> = command.arg_texts().collect();
            let forces =
                words.iter().any(|text| matches!(*text, "--allow-backwards" | "--deleted" | "--force"));
            Match::when(words.contains(&"push") && forces && words.iter().any(|text| is_main(value(text))))
        }
        "curl" | "wget" | "http" | "https" | "xh" => Match::when(changes_ref(command)),
        _ => Match::No,
    }
}

/// `--bookmark=main` is `main`.
fn value(text: &str) -> &str {
    text.rsplit('=').next().unwrap_or(text)
}

fn git(fact: &Fact, command: &SimpleCommand, place: &Place<'_>) -> Match {
    let texts: Vec<&str> = command.arg_texts().collect();
    let words = operands("git", &texts);
    let sub = words.first().copied().unwrap_or_default();
    if sub == "config" {
        let pairs = words.iter().zip(words.iter().skip(1));
        return Match::when(pairs.clone().any(|(key, value)| forces_by_setting(key, value)));
    }
    if !matches!(sub, "push" | "send-pack" | "http-push") {
        return matching::fits(&forced(), fact, place);
    }
    let settings = texts.iter().zip(texts.iter().skip(1)).filter(|(option, _)| **option == "-c");
    let set = settings
        .filter_map(|(_, setting)| setting.split_once('='))
        .any(|(key, value)| forces_by_setting(key, value));
    // What `xargs` or a function's caller adds stands among the words as well.
    let added = || fact.around.iter().flat_map(|word| word.split_whitespace());
    let refs = words.iter().skip(1).copied().chain(added()).filter(|word| !word.starts_with('-'));
    let mut about_main = refs.clone().filter(|text| is_main(text));
    let removed = about_main.clone().any(|text| text.starts_with(':'));
    let plus = about_main.clone().any(|text| text.starts_with('+'));
    let flagged = texts.iter().copied().chain(added()).any(is_force);
    let sure = set || removed || plus || flagged && about_main.next().is_some();
    Match::when(sure).max(matching::fits(&forced(), fact, place))
}

fn forced() -> Matcher {
    Matcher {
        command: Some(Words::Many(vec!["git".to_owned(), "hub".to_owned()])),
        args: vec!["push".to_owned()],
        flags: FORCES.map(str::to_owned).to_vec(),
        branch: BRANCHES.map(str::to_owned).to_vec(),
        ..Matcher::default()
    }
}

/// `remote.origin.push=+main`, `remote.origin.mirror=true`: pushes that follow are forced.
fn forces_by_setting(key: &str, value: &str) -> bool {
    let key = key.to_ascii_lowercase();
    let of_remote = |name: &str| key.starts_with("remote.") && key.ends_with(name);
    of_remote(".push") && value.starts_with('+') && (is_main(value) || value.contains('*'))
        || of_remote(".mirror") && !matches!(value, "false" | "no" | "0" | "off")
}

/// Whether a reference of main is named as hosting services do, and changed.
fn changes_ref(command: &SimpleCommand) -> bool {
    let is_ref = |text: &str| {
        let path = text.split('?').next().unwrap_or(text);
        path.split_once("/git/refs/heads/").is_some_and(|(_, name)| BRANCHES.contains(&name))
    };
    let is = |wanted: &str| command.arg_texts().any(|text| text.to_ascii_uppercase().ends_with(wanted));
    let is_forced = |text: &str| {
        let text = text.replace([' ', '"'], "");
        text.contains("force=true") || text.contains("force:true")
    };
    command.arg_texts().any(is_ref) && (is("DELETE") || is("PATCH") && command.arg_texts().any(is_forced))
}

fn hosting(command: &SimpleCommand) -> bool {
    let words: Vec<&str> = command.arg_texts().collect();
    let syncs = words.starts_with(&["repo", "sync"]) && words.iter().any(|text| is_force(text));
    let branch =
        words.iter().position(|text| matches!(*text, "-b" | "--branch")).and_then(|at| words.get(at + 1));
    let branch = branch.copied().or_else(|| words.iter().find_map(|text| text.strip_prefix("--branch=")));
    syncs && branch.is_none_or(is_main) || changes_ref(command)
}
