//! Git runs commands out of its options, its configuration and its aliases.

use super::scope::Scope;
use super::simple::Started;
use super::types::{Via, Word};
use super::walk::Walker;

/// Configuration keys whose value is a command; `*` stands for any part.
const COMMAND_KEYS: &[&str] = &[
    "alias.*",
    "core.fsmonitor",
    "core.pager",
    "core.editor",
    "core.sshcommand",
    "core.askpass",
    "core.gitproxy",
    "core.alternaterefscommand",
    "diff.external",
    "diff.*.textconv",
    "diff.*.command",
    "filter.*.clean",
    "filter.*.smudge",
    "filter.*.process",
    "merge.*.driver",
    "credential.helper",
    "credential.*.helper",
    "gpg.program",
    "gpg.*.program",
    "gpg.ssh.defaultkeycommand",
    "pager.*",
    "sequence.editor",
    "remote.*.uploadpack",
    "remote.*.receivepack",
    "interactive.difffilter",
    "difftool.*.cmd",
    "mergetool.*.cmd",
    "man.*.cmd",
    "browser.*.cmd",
    "trailer.*.command",
    "trailer.*.cmd",
    "hook.*.command",
    "uploadpack.packobjectshook",
    "sendemail.sendmailcmd",
    "instaweb.httpd",
    "ssh.variant",
    "submodule.*.update",
];

/// Configuration keys that point to code elsewhere.
const LOADING_KEYS: &[&str] = &[
    "core.hookspath",
    "core.worktree",
    "include.path",
    "includeif.*",
    "init.templatedir",
    "protocol.ext.allow",
    "remote.*.vcs",
    "core.attributesfile",
];

/// Options of subcommands that carry a command.
const COMMAND_OPTIONS: &[(&str, &[&str])] = &[
    ("rebase", &["-x", "--exec"]),
    ("difftool", &["-x", "--extcmd"]),
    ("grep", &["-O", "--open-files-in-pager"]),
    ("clone", &["-u", "--upload-pack", "-c", "--config", "--template"]),
    ("fetch", &["--upload-pack"]),
    ("pull", &["--upload-pack"]),
    ("ls-remote", &["--upload-pack"]),
    ("push", &["--receive-pack", "--exec"]),
    ("archive", &["--exec"]),
    (
        "filter-branch",
        &[
            "--tree-filter",
            "--index-filter",
            "--env-filter",
            "--msg-filter",
            "--commit-filter",
            "--parent-filter",
            "--tag-name-filter",
            "--setup",
        ],
    ),
    ("send-email", &["--sendmail-cmd", "--to-cmd", "--cc-cmd", "--smtp-server"]),
    ("init", &["--template"]),
];

pub(super) fn read(walker: &mut Walker, command: &Started, scope: &Scope) {
    if walker.program(command) != "git" {
        return;
    }
    let args = walker.args(command);
    let mut at = 0;
    while let Some(arg) = args.get(at).filter(|arg| arg.text.starts_with('-')) {
        let text = arg.text.as_str();
        match text {
            "-c" => setting(walker, args.get(at + 1), command, scope),
            _ if text.starts_with("--exec-path=")
                || text == "--config-env"
                || text.starts_with("--config-env=") =>
            {
                walker
                    .doubt(format!("`git {}` changes what git runs", text.split('=').next().unwrap_or(text)));
            }
            _ => {}
        }
        at += if matches!(text, "-c" | "-C" | "--git-dir" | "--work-tree" | "--namespace" | "--config-env") {
            2
        } else {
            1
        };
    }
    let Some(sub) = args.get(at) else { return };
    if !sub.exact {
        walker.doubt("the subcommand of git is not known");
    }
    subcommand(walker, &sub.text, &args[at + 1..], command, scope);
}

fn subcommand(walker: &mut Walker, sub: &str, args: &[Word], command: &Started, scope: &Scope) {
    let context = command.inside(Via::Text).uncertain("git starts it");
    match (sub, args) {
        ("config", _) => config(walker, args, command, scope),
        ("bisect", [run, rest @ ..]) if run.text == "run" => joined(walker, rest, command, scope),
        ("submodule", [each, rest @ ..]) if each.text == "foreach" => {
            let rest = rest.iter().filter(|word| !word.text.starts_with("--")).cloned().collect::<Vec<_>>();
            joined(walker, &rest, command, scope);
        }
        _ => {}
    }
    if args.iter().any(|arg| arg.text.starts_with("ext::")) {
        walker.doubt("git is given a transport that runs commands");
    }
    let options = COMMAND_OPTIONS.iter().filter(|(name, _)| *name == sub).flat_map(|(_, options)| *options);
    for option in options {
        for (at, arg) in args.iter().enumerate() {
            let value = match arg.text.strip_prefix(option) {
                Some("") => args.get(at + 1).cloned(),
                Some(rest) if rest.starts_with('=') => {
                    Some(Word { text: rest[1..].to_owned(), ..arg.clone() })
                }
                _ => None,
            };
            match value {
                Some(value) if matches!(*option, "-c" | "--config") => {
                    setting(walker, Some(&value), command, scope)
                }
                Some(_) if *option == "--template" => walker.doubt("git takes hooks from a template"),
                Some(value) => walker.script_word(&value, context, &mut scope.clone()),
                None => {}
            }
        }
    }
}

fn joined(walker: &mut Walker, words: &[Word], command: &Started, scope: &Scope) {
    let text = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    let exact = words.iter().all(|word| word.exact);
    let context = command.inside(Via::Text).uncertain("git starts it");
    walker.script_word(&Word { text, exact, glob: false }, context, &mut scope.clone());
}

/// `-c key=value`.
fn setting(walker: &mut Walker, word: Option<&Word>, command: &Started, scope: &Scope) {
    let Some((key, value)) = word.and_then(|word| word.text.split_once('=')) else { return };
    let exact = word.is_some_and(|word| word.exact);
    key_value(walker, key, &Word { text: value.to_owned(), exact, glob: false }, command, scope);
}

/// `git config [options] key value`.
fn config(walker: &mut Walker, args: &[Word], command: &Started, scope: &Scope) {
    let reads = ["--get", "--get-all", "--list", "-l", "--unset", "--get-regexp", "get", "list", "unset"];
    if args.iter().any(|arg| reads.contains(&arg.text.as_str())) {
        return;
    }
    let operands: Vec<&Word> =
        args.iter().filter(|arg| !arg.text.starts_with("--") && arg.text != "set").collect();
    if let [key, value, ..] = operands.as_slice() {
        key_value(walker, &key.text, value, command, scope);
    }
}

fn key_value(walker: &mut Walker, key: &str, value: &Word, command: &Started, scope: &Scope) {
    let key = key.to_ascii_lowercase();
    let any = |patterns: &[&str]| patterns.iter().any(|pattern| key_matches(pattern, &key));
    if any(LOADING_KEYS) {
        walker.doubt(format!("git's `{key}` loads code from elsewhere"));
    }
    if any(COMMAND_KEYS) && !value.text.is_empty() && !matches!(value.text.as_str(), "true" | "false") {
        let text = value.text.trim_start_matches('!').to_owned();
        // An alias without `!` is a git subcommand.
        let text = if key.starts_with("alias.") && !value.text.starts_with('!') {
            format!("git {text}")
        } else {
            text
        };
        let context = command.inside(Via::Text).uncertain("git starts it");
        walker.script_word(&Word { text, ..value.clone() }, context, &mut scope.clone());
    }
}

fn key_matches(pattern: &str, key: &str) -> bool {
    match pattern.split_once('*') {
        Some((start, end)) => {
            key.len() > start.len() + end.len() && key.starts_with(start) && key.ends_with(end)
        }
        None => key == pattern,
    }
}
