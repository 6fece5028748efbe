//! Built-in rules about files: memory, secrets, the gate's own settings.

use mi_secrets::{Level, contains_secret};

use super::any;
use super::programs::reads_as_another;
use crate::command::SimpleCommand;
use crate::command::risk::paths::{persistent, secret};
use crate::permission::decide::Place;
use crate::permission::facts::{Fact, Operation};
use crate::permission::glob::fold;
use crate::permission::matching::Match;
use crate::permission::paths::{Reach, Target, relative};
use crate::permission::{leaks, links};

/// The path inside the persona folder: below the configured one, or behind a folder of that name.
fn in_persona<'a>(path: &'a str, place: &Place<'_>) -> Option<&'a str> {
    let configured = place.context.persona.and_then(|persona| relative(path, persona));
    configured.or_else(|| path.rsplit_once("/persona/").map(|(_, rest)| rest))
}

/// Every way in which a path lies in a persona folder: names may stand in it twice.
fn in_personas<'a>(path: &'a str, place: &Place<'_>) -> impl Iterator<Item = &'a str> {
    const FOLDER: &str = "/persona/";
    let configured = place.context.persona.and_then(|persona| relative(path, persona));
    configured.into_iter().chain(path.match_indices(FOLDER).map(|(at, _)| &path[at + FOLDER.len()..]))
}

pub(super) fn is_own(member: &str, place: &Place<'_>) -> bool {
    place.context.member == Some(member) || member == "self" && place.context.member.is_none()
}

/// The name of another member's folder.
fn other_member<'a>(name: &'a str, place: &Place<'_>) -> Option<&'a str> {
    name.strip_prefix('.').filter(|member| !matches!(*member, "" | ".") && !is_own(member, place))
}

/// The member whose private memory a path inside a persona folder lies in.
fn private_member(inside: &str) -> Option<&str> {
    let mut names = inside.split('/');
    let member = names.next()?.strip_prefix('.').filter(|member| !member.is_empty())?;
    names.next().is_some_and(|name| fold(name) == "private").then_some(member)
}

/// Inside the private memory of another member.
fn is_anothers(path: &str, place: &Place<'_>) -> bool {
    in_personas(path, place).filter_map(private_member).any(|member| !is_own(member, place))
}

/// The folder of another member, with private memory in it.
fn is_anothers_folder(folder: &str, place: &Place<'_>) -> bool {
    in_personas(folder, place).any(|name| !name.contains('/') && other_member(name, place).is_some())
        && holds_private(folder, place)
}

fn holds_private(folder: &str, place: &Place<'_>) -> bool {
    place.context.world.names(folder).is_none_or(|names| names.iter().any(|name| fold(name) == "private"))
}

/// A persona folder with the private memory of another member, also one that nobody configured.
fn holds_anothers(folder: &str, place: &Place<'_>) -> bool {
    let persona = if folder.ends_with("/persona") { folder.to_owned() } else { format!("{folder}/persona") };
    let names = place.context.world.names(&persona).unwrap_or_default();
    names
        .iter()
        .any(|name| other_member(name, place).is_some() && holds_private(&format!("{persona}/{name}"), place))
}

/// The file is another member's under another name (a hard link).
fn is_anothers_file(path: &str, place: &Place<'_>) -> bool {
    let world = place.context.world;
    let Some(persona) = place.context.persona.filter(|_| world.has_other_names(path)) else { return false };
    let members = world.names(persona).unwrap_or_default();
    members
        .iter()
        .filter(|name| other_member(name, place).is_some())
        .any(|name| world.has_name_below(path, &format!("{persona}/{name}")))
}

/// A file of another member's private memory has another name below the folder.
fn shares_anothers_file(folder: &str, place: &Place<'_>) -> bool {
    let world = place.context.world;
    let Some(persona) = place.context.persona else { return false };
    let members = world.names(persona).unwrap_or_default();
    members
        .iter()
        .filter(|name| other_member(name, place).is_some())
        .any(|name| links::shares_a_file(world, &format!("{persona}/{name}"), folder))
}

pub(super) fn private_memory(fact: &Fact, place: &Place<'_>) -> Match {
    let touched = any(fact.reads.iter().chain(changed(fact)), |target| match &target.reach {
        Reach::Exact(path) => Match::when(is_anothers(path, place) || is_anothers_file(path, place)),
        Reach::Below(folder) => {
            // Reading the whole persona reads everybody's memory.
            let holds_all = place.context.persona.is_some_and(|persona| relative(persona, folder).is_some());
            Match::when(
                holds_all
                    || is_anothers(folder, place)
                    || is_anothers_folder(folder, place)
                    || holds_anothers(folder, place)
                    || is_anothers_file(folder, place),
            )
            .max(Match::perhaps_when(shares_anothers_file(folder, place)))
        }
        // Where there are members to protect, an unknown path may be theirs.
        Reach::Unknown => Match::perhaps_when(place.context.persona.is_some()),
    });
    // Names alone: those of a folder far above are nobody's memory.
    let listed = any(&fact.lists, |target| match &target.reach {
        Reach::Exact(path) => Match::when(is_anothers(path, place)),
        Reach::Below(folder) => Match::when(is_anothers(folder, place) || is_anothers_folder(folder, place)),
        Reach::Unknown => Match::perhaps_when(place.context.persona.is_some()),
    });
    touched.max(listed).max(reads_as_another(fact, place))
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
    // Their heads, without which nobody would see that something is missing, lie apart from them.
    let heads = records.rsplit_once('/').map(|(home, name)| format!("{home}/heads/{name}"));
    let own = || std::iter::once(records).chain(heads.as_deref());
    any(changed(fact), |target| match &target.reach {
        Reach::Exact(path) => Match::when(own().any(|own| relative(path, own).is_some())),
        Reach::Below(folder) => {
            Match::when(own().any(|own| relative(folder, own).is_some() || relative(own, folder).is_some()))
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
        "/.mcp.json",
        "/.git/hooks",
        "/.claude",
        "/.codex",
        "/.opencode",
        "/.mi",
    ];
    any(changed(fact), |target| match &target.reach {
        Reach::Exact(path) | Reach::Below(path) => {
            let own = place.context.own_folders.iter().any(|folder| relative(path, folder).is_some());
            let folded = fold(path);
            let part = PARTS.iter().any(|part| match part.ends_with(['/', 's', 'n']) {
                true => folded.contains(part),
                false => folded.ends_with(part),
            });
            let linked = place.context.world.has_other_names(path);
            Match::when(own || part).max(Match::perhaps_when(linked))
        }
        Reach::Unknown => Match::No,
    })
}

pub(super) fn secret_file(fact: &Fact, _: &Place<'_>) -> Match {
    any(&fact.reads, |target| match &target.reach {
        _ if leaks::may_be_secret(&target.shown) => Match::Perhaps,
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
            let folded = fold(path);
            let elsewhere = relative(path, place.root()).is_none() && persistent(path).is_some();
            Match::when(
                PARTS.iter().any(|part| folded.contains(part))
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
    let own = in_persona(path, place)
        .and_then(private_member)
        .is_some_and(|member| place.context.member == Some(member));
    (proposals || own) && !is_anothers(path, place)
}

pub(super) fn credentials_out(fact: &Fact, _: &Place<'_>) -> Match {
    if fact.leaks || fact.sends.iter().any(|text| holds_secret(text)) {
        return Match::Yes;
    }
    let Some(command) = fact.command.as_ref().filter(|command| leaks::sends(command)) else {
        return Match::No;
    };
    let words = |command: &SimpleCommand| command.arg_texts().map(str::to_owned).collect::<Vec<_>>();
    let texts = command.redirects.iter().map(|redirect| redirect.target.text.clone());
    let own = words(command).into_iter().chain(texts);
    let handed_over = fact.around.iter().any(|word| leaks::names_secret_file(word, false));
    Match::when(handed_over || own.chain(fact.before.iter().flat_map(words)).any(|word| holds_secret(&word)))
}

fn holds_secret(text: &str) -> bool {
    text.len() >= 12
        && contains_secret(text)
        && mi_secrets::find(text).iter().any(|found| found.level >= Level::Suspect)
}
