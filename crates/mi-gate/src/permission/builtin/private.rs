//! The built-in rule about another member's private memory: not read, not written, not listed (D.10, D.19).

use super::any;
use super::files::changed;
use super::programs::reads_as_another;
use crate::permission::decide::Place;
use crate::permission::facts::{Fact, Operation};
use crate::permission::glob::{Glob, fold};
use crate::permission::links;
use crate::permission::matching::Match;
use crate::permission::paths::{Reach, Target, relative};

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
pub(super) fn private_member(inside: &str) -> Option<&str> {
    let mut names = inside.split('/');
    let member = names.next()?.strip_prefix('.').filter(|member| !member.is_empty())?;
    names.next().is_some_and(|name| fold(name) == "private").then_some(member)
}

/// Inside the private memory of another member.
pub(super) fn is_anothers(path: &str, place: &Place<'_>) -> bool {
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
    let listed = any(&fact.lists, |target| listed(target, fact, place));
    let inside = fact.folder.as_deref().is_some_and(|folder| is_anothers(folder, place));
    touched.max(listed).max(Match::when(inside)).max(reads_as_another(fact, place))
}

/// Names alone: those of a folder far above are nobody's memory.
fn listed(target: &Target, fact: &Fact, place: &Place<'_>) -> Match {
    match &target.reach {
        Reach::Exact(path) => Match::when(is_anothers(path, place)),
        Reach::Below(folder) => Match::when(
            is_anothers(folder, place)
                || is_anothers_folder(folder, place)
                || lists_anothers(folder, &target.shown, fact, place),
        ),
        Reach::Unknown => Match::perhaps_when(place.context.persona.is_some()),
    }
}

/// The private folders of other members.
fn others(place: &Place<'_>) -> Vec<String> {
    let Some(persona) = place.context.persona else { return Vec::new() };
    let names = place.context.world.names(persona).unwrap_or_default();
    let folders = names.iter().filter(|name| other_member(name, place).is_some());
    let folders =
        folders.map(|name| format!("{persona}/{name}")).filter(|folder| holds_private(folder, place));
    folders.map(|folder| format!("{folder}/private")).collect()
}

/// A pattern, or all that is below a folder, shows names out of another member's private memory.
fn lists_anothers(folder: &str, shown: &str, fact: &Fact, place: &Place<'_>) -> bool {
    let Some(persona) = place.context.persona else { return false };
    let inside = relative(folder, persona).is_some();
    if relative(persona, folder).is_none() && !inside {
        return false;
    }
    if shown.contains(['*', '?', '[', '{']) {
        let first = shown.find(['*', '?', '[', '{']).unwrap_or(shown.len());
        let pattern = &shown[shown[..first].rfind('/').map_or(0, |at| at + 1)..];
        return others(place).iter().any(|private| may_stand_for(folder, pattern, private, fact));
    }
    // Of a folder above, only what looks for such names finds them; the person's whole disk is no memory.
    let looks = fact
        .command
        .iter()
        .flat_map(|command| command.arg_texts())
        .any(|text| fold(text).contains("private"));
    (inside || looks) && shows_hidden(fact) && !others(place).is_empty()
}

/// Whether a pattern in `folder` may stand for something in or above `private`. The shell's stars stand for no name that
/// begins with a dot; those of tools may.
fn may_stand_for(folder: &str, pattern: &str, private: &str, fact: &Fact) -> bool {
    let Some(inside) = relative(private, folder) else { return false };
    let is_tool = fact.operation == Operation::Read;
    let shell = |part: &str, name: &str| part.starts_with('.') || !name.starts_with('.');
    let parts: Vec<&str> = pattern.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    let hidden = is_tool || parts.iter().zip(inside.split('/')).all(|(part, name)| shell(part, name));
    let names = inside.split('/').count();
    let glob = Glob::new(pattern);
    // Fewer names than the way down are those of the member's folder itself, which the pattern's program goes through.
    hidden
        && (glob.may_lie_below(inside) && parts.len() >= names.saturating_sub(1)
            || is_tool && glob.matches(inside))
}

/// Whether a program that goes through folders goes through those that begin with a dot.
fn shows_hidden(fact: &Fact) -> bool {
    let Some(command) = &fact.command else { return fact.tool == "Glob" };
    let letters = |wanted: &[char]| {
        command
            .arg_texts()
            .any(|text| text.starts_with('-') && !text.starts_with("--") && text.contains(wanted))
    };
    let long =
        |wanted: &[&str]| command.arg_texts().any(|text| wanted.iter().any(|start| text.starts_with(start)));
    match command.program.as_str() {
        "ls" | "exa" | "eza" | "lsd" | "tree" => letters(&['a', 'A', 'f']) || long(&["--al"]),
        "fd" | "fdfind" | "rg" | "ag" => letters(&['H', 'u', '.']) || long(&["--hid", "--unr", "--no-ig"]),
        "find" => !command
            .args
            .windows(2)
            .any(|pair| pair[0].text == "-maxdepth" && matches!(pair[1].text.as_str(), "0" | "1")),
        _ => true,
    }
}

/// Paths of another member's private memory that stand anywhere in a script, whatever is done with them there.
pub(in crate::permission) fn mentioned(script: &str, place: &Place<'_>) -> Vec<Target> {
    let Some(persona) = place.context.persona.filter(|_| fold(script).contains("private")) else {
        return Vec::new();
    };
    let own = place.context.records.and_then(|records| records.rsplit_once('/')).map(|(home, _)| home);
    let known = [
        ("MI_HOME", own),
        ("PERSONA", Some(persona)),
        ("HOME", place.context.home),
        ("PWD", Some(place.cwd())),
    ];
    let mut text = script.to_owned();
    for (name, value) in known {
        let value = value.unwrap_or_default();
        text = text.replace(&format!("${{{name}}}"), value).replace(&format!("${name}"), value);
    }
    let signs = |sign: char| sign.is_whitespace() || ";|&()<>\"'`=:,@".contains(sign);
    let tokens = text.split(signs).filter(|token| fold(token).contains("private"));
    let is_about_it = text.contains(persona) || relative(place.cwd(), persona).is_some();
    let paths = tokens.flat_map(|token| {
        let plain = token.split(['*', '?', '[', '{']).next().unwrap_or_default().to_owned();
        let of_persona = is_about_it.then(|| format!("{persona}/{plain}"));
        [Some(plain.clone()), of_persona.filter(|_| plain.starts_with('.'))]
    });
    let targets = paths.flatten().map(|path| place.start().exact(&path));
    let is_inside =
        |target: &Target| matches!(&target.reach, Reach::Exact(path) if relative(path, persona).is_some());
    targets.filter(is_inside).take(MOST_MENTIONED).collect()
}

/// One is enough for a denial.
const MOST_MENTIONED: usize = 16;
