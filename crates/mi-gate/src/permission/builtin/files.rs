//! Built-in rules about files: memory, secrets, the gate's own settings.

use mi_secrets::{Level, contains_secret};

use super::any;
use super::private::{is_anothers, private_member};
use crate::command::SimpleCommand;
use crate::command::risk::paths::{persistent, secret};
use crate::permission::decide::Place;
use crate::permission::facts::{Fact, Operation};
use crate::permission::glob::fold;
use crate::permission::leaks;
use crate::permission::matching::Match;
use crate::permission::paths::{Reach, Target, relative};

/// The path inside the persona folder: below the configured one, or behind a folder of that name.
fn in_persona<'a>(path: &'a str, place: &Place<'_>) -> Option<&'a str> {
    let configured = place.context.persona.and_then(|persona| relative(path, persona));
    configured.or_else(|| path.rsplit_once("/persona/").map(|(_, rest)| rest))
}

pub(super) fn changed(fact: &Fact) -> impl Iterator<Item = &Target> {
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
