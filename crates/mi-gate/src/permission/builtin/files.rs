//! Built-in rules about files: memory, secrets, the gate's own settings.

use mi_secrets::{Level, contains_secret};

use super::any;
use crate::command::SimpleCommand;
use crate::command::risk::paths::{persistent, secret};
use crate::permission::decide::Place;
use crate::permission::facts::{Fact, Operation};
use crate::permission::glob::Glob;
use crate::permission::matching::Match;
use crate::permission::paths::{Reach, Target, relative};

/// The path inside the persona folder: below the configured one, or behind a folder of that name.
fn in_persona<'a>(path: &'a str, place: &Place<'_>) -> Option<&'a str> {
    let configured = place.context.persona.and_then(|persona| relative(path, persona));
    configured.or_else(|| path.rsplit_once("/persona/").map(|(_, rest)| rest))
}

/// The member whose private memory a path lies in.
fn private_member<'a>(path: &'a str, place: &Place<'_>) -> Option<&'a str> {
    let mut names = in_persona(path, place)?.split('/');
    let member = names.next()?.strip_prefix('.').filter(|member| !member.is_empty())?;
    names.next().is_some_and(|name| name.eq_ignore_ascii_case("private")).then_some(member)
}

pub(super) fn private_memory(fact: &Fact, place: &Place<'_>) -> Match {
    let own = |member: &str| {
        place.context.member == Some(member) || member == "self" && place.context.member.is_none()
    };
    let touched = fact.reads.iter().chain(&fact.lists).chain(changed(fact));
    any(touched, |target| match &target.reach {
        Reach::Exact(path) => Match::when(private_member(path, place).is_some_and(|member| !own(member))),
        Reach::Below(folder) => {
            let inside = private_member(folder, place).is_some_and(|member| !own(member));
            // Reading the whole persona reads everybody's memory.
            let holds_all = place.context.persona.is_some_and(|persona| relative(persona, folder).is_some());
            Match::when(inside || holds_all)
        }
        // Where there are members to protect, an unknown path may be theirs.
        Reach::Unknown => Match::perhaps_when(place.context.persona.is_some()),
    })
}

fn changed(fact: &Fact) -> impl Iterator<Item = &Target> {
    fact.writes.iter().chain(&fact.outputs).chain(&fact.deletes)
}

fn persona_starts(target: &Target, place: &Place<'_>, starts: &[&str]) -> Match {
    match &target.reach {
        Reach::Exact(path) | Reach::Below(path) => Match::when(
            in_persona(path, place).is_some_and(|rest| starts.iter().any(|start| rest.starts_with(start))),
        ),
        Reach::Unknown => Match::No,
    }
}

pub(super) fn principles(fact: &Fact, place: &Place<'_>) -> Match {
    any(changed(fact), |target| persona_starts(target, place, &["core", "cards/axioms", "cards/principles"]))
}

pub(super) fn session_logs(fact: &Fact, place: &Place<'_>) -> Match {
    any(changed(fact), |target| persona_starts(target, place, &["sessions"]))
}

/// What the gate wrote down about approvals, and what it decided.
pub(super) fn gate_records(fact: &Fact, place: &Place<'_>) -> Match {
    let Some(records) = place.context.records else { return Match::No };
    any(changed(fact), |target| match &target.reach {
        Reach::Exact(path) => Match::when(relative(path, records).is_some()),
        Reach::Below(folder) => {
            Match::when(relative(folder, records).is_some() || relative(records, folder).is_some())
        }
        Reach::Unknown => Match::No,
    })
}

/// Settings of harnesses, hooks and of the gate itself.
pub(super) fn own_files(fact: &Fact, place: &Place<'_>) -> Match {
    const PARTS: &[&str] = &[
        "/.claude/settings",
        "/.claude/hooks",
        "/.codex/",
        "/.opencode/",
        "/.config/opencode/",
        "/opencode/plugin",
        "/opencode.json",
        "/.git/hooks/",
        "/.mi/",
        "/.claude.json",
        "/.git/hooks",
        "/.claude",
        "/.codex",
        "/.opencode",
        "/.mi",
    ];
    any(changed(fact), |target| match &target.reach {
        Reach::Exact(path) | Reach::Below(path) => {
            let own = place.context.own_folders.iter().any(|folder| relative(path, folder).is_some());
            let part = PARTS.iter().any(|part| match part.ends_with(['/', 's', 'n']) {
                true => path.contains(part),
                false => path.ends_with(part),
            });
            Match::when(own || part)
        }
        Reach::Unknown => Match::No,
    })
}

/// Names of files that hold secrets, for patterns that may stand for them.
const SECRET_NAMES: [&str; 8] =
    [".env", ".env.local", ".netrc", ".pgpass", ".git-credentials", ".npmrc", "id_rsa", "id_ed25519"];

/// Whether a pattern of the shell may stand for such a file; `*` stands for no name that begins with a dot.
fn may_be_secret(shown: &str) -> bool {
    let name = shown.rsplit('/').next().unwrap_or(shown);
    let hidden = |secret: &str| !secret.starts_with('.') || name.starts_with('.');
    let is_pattern = name.contains(['*', '?', '[', '{']) && name.len() > 1;
    is_pattern
        && SECRET_NAMES
            .iter()
            .any(|secret| hidden(secret) && Glob::new(&format!("/{name}")).matches(&format!("/{secret}")))
}

pub(super) fn secret_file(fact: &Fact, _: &Place<'_>) -> Match {
    any(&fact.reads, |target| match &target.reach {
        _ if may_be_secret(&target.shown) => Match::Perhaps,
        Reach::Exact(path) | Reach::Below(path) => {
            Match::when(secret(path).is_some() || secret(&target.shown).is_some())
        }
        Reach::Unknown => Match::when(secret(&target.shown).is_some()),
    })
}

/// Files that run something later: shell start files, CI, editor tasks.
pub(super) fn persistence(fact: &Fact, place: &Place<'_>) -> Match {
    const PARTS: &[&str] = &[
        "/.github/workflows/",
        "/.gitlab-ci",
        "/.envrc",
        "/.vscode/tasks",
        "/.husky/",
        "/.gitattributes",
        "/.git/config",
        "/.pre-commit-config",
    ];
    any(changed(fact), |target| match &target.reach {
        Reach::Exact(path) | Reach::Below(path) => {
            let elsewhere = relative(path, place.root()).is_none() && persistent(path).is_some();
            Match::when(
                PARTS.iter().any(|part| path.contains(part))
                    || persistent(&target.shown).is_some()
                    || elsewhere,
            )
        }
        Reach::Unknown => Match::when(persistent(&target.shown).is_some()),
    })
}

/// Everything that is written, except for one's own memory and proposals.
pub(super) fn edit(fact: &Fact, place: &Place<'_>) -> Match {
    any(&fact.writes, |target| match &target.reach {
        Reach::Exact(path) if fact.operation != Operation::Mcp && fact.operation != Operation::Unknown => {
            Match::when(!is_free(path, place))
        }
        _ => Match::perhaps_when(matches!(fact.operation, Operation::Run | Operation::Write)),
    })
}

fn is_free(path: &str, place: &Place<'_>) -> bool {
    let proposals = in_persona(path, place).is_some_and(|rest| rest.starts_with("proposals/"));
    let own = private_member(path, place).is_some_and(|member| place.context.member == Some(member));
    proposals || own
}

/// Programs that send what they are given.
fn sends(command: &SimpleCommand) -> bool {
    let remote = || command.arg_texts().any(|text| text.contains(':') && !text.starts_with('-'));
    match command.program.as_str() {
        "curl" | "wget" | "nc" | "ncat" | "netcat" | "telnet" | "http" | "https" | "xh" | "ftp" | "sftp"
        | "mail" | "sendmail" | "socat" | "ssh" => true,
        "codex" | "claude" | "gemini" | "opencode" | "aider" | "llm" => true,
        "scp" | "rsync" | "rclone" => remote(),
        "gh" => command
            .arg_texts()
            .any(|text| matches!(text, "create" | "comment" | "edit" | "api" | "gist" | "upload")),
        "aws" | "gsutil" | "gcloud" => {
            command.arg_texts().any(|text| matches!(text, "cp" | "sync" | "mv" | "put-object"))
        }
        _ => false,
    }
}

pub(super) fn credentials_out(fact: &Fact, _: &Place<'_>) -> Match {
    if fact.sends.iter().any(|text| holds_secret(text)) {
        return Match::Yes;
    }
    let Some(command) = fact.command.as_ref().filter(|command| sends(command)) else { return Match::No };
    let words = |command: &SimpleCommand| command.arg_texts().map(str::to_owned).collect::<Vec<_>>();
    let texts = command.redirects.iter().map(|redirect| redirect.target.text.clone());
    let own: Vec<String> = words(command).into_iter().chain(texts).collect();
    let uploads = own.iter().any(|word| names_secret_file(word));
    let piped =
        fact.before.iter().flat_map(words).any(|word| names_secret_file(&word) || holds_secret(&word));
    let written = own.iter().any(|word| holds_secret(word));
    Match::when(uploads || piped || written)
}

fn holds_secret(text: &str) -> bool {
    text.len() >= 12
        && contains_secret(text)
        && mi_secrets::find(text).iter().any(|found| found.level >= Level::Suspect)
}

fn names_secret_file(word: &str) -> bool {
    let path = word.rsplit(['=', '@', '<']).next().unwrap_or(word);
    !path.contains("://") && secret(path).is_some()
}
