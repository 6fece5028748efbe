//! Other names of files inside a folder that is read as a whole, or behind a pattern: symbolic links that lead out of
//! it, and hard links to files that a rule guards.
//!
//! Holds: what is too large to be looked through, or cannot be read, is unknown. Work is bounded by [`MAX_ENTRIES`].

use std::collections::BTreeSet;

use super::glob::name_matches_pattern;
use super::paths::relative;
use super::world::{EntryKind, World};

/// Names that are looked at for one target.
const MAX_ENTRIES: usize = 50_000;
/// Guarded files with several names for which a folder is searched.
const MAX_SHARED: usize = 8;

/// How a reader goes through a folder.
#[derive(Debug, Clone, Copy)]
pub(super) enum Way<'a> {
    /// Everything in it.
    Whole,
    /// What fits these names and patterns, folder by folder.
    Pattern(&'a [&'a str]),
}

/// The real paths of the links that are met on the way and lead elsewhere; none if that cannot be known.
pub(super) fn behind(world: &dyn World, folder: &str, way: Way<'_>) -> Option<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    let mut open = vec![(folder.to_owned(), way)];
    let mut seen = 0;
    while let Some((inside, way)) = open.pop() {
        let entries = world.entries(&inside)?;
        seen += entries.len();
        if seen > MAX_ENTRIES {
            return None;
        }
        for entry in &entries {
            let Some(onward) = onward(way, &entry.name) else { continue };
            let path = format!("{}/{}", inside.trim_end_matches('/'), entry.name);
            match (entry.kind, onward) {
                (EntryKind::Link, onward) => {
                    let real = world.real_path(&path)?;
                    let known = matches!(way, Way::Whole) && relative(&real, folder).is_some();
                    if !known && found.insert(real.clone()) {
                        open.extend(onward.map(|way| (real, way)));
                    }
                }
                (EntryKind::Folder, Some(onward)) => open.push((path, onward)),
                (EntryKind::Folder | EntryKind::File, _) => {}
            }
        }
    }
    Some(found)
}

/// Whether the way takes this name, and how it goes on below it.
fn onward<'a>(way: Way<'a>, name: &str) -> Option<Option<Way<'a>>> {
    let Way::Pattern(parts) = way else { return Some(Some(Way::Whole)) };
    match parts {
        // `**`, and patterns that are more than stars and plain sets: any name may be meant.
        [part, ..] if *part == "**" || part.contains(['(', '\\']) || part.contains("[:") => {
            Some(Some(Way::Whole))
        }
        [part, rest @ ..] if name_matches_pattern(part, name) => {
            Some((!rest.is_empty()).then_some(Way::Pattern(rest)))
        }
        _ => None,
    }
}

/// Whether no name below the folder has blanks, quotes or backslashes in it, at which `xargs` would cut or join names.
pub(super) fn has_plain_names(world: &dyn World, folder: &str) -> bool {
    let is_odd = |char: char| char.is_whitespace() || matches!(char, '\'' | '"' | '\\');
    let mut open = vec![folder.to_owned()];
    let mut seen = 0;
    while let Some(inside) = open.pop() {
        let Some(entries) = world.entries(&inside) else { return false };
        seen += entries.len();
        if seen > MAX_ENTRIES || entries.iter().any(|entry| entry.name.contains(is_odd)) {
            return false;
        }
        let folders = entries.iter().filter(|entry| entry.kind == EntryKind::Folder && entry.name != ".git");
        open.extend(folders.map(|entry| format!("{inside}/{}", entry.name)));
    }
    true
}

/// Whether a file of `guarded` (a file, or a folder of them) has another name below `folder`.
pub(super) fn shares_a_file(world: &dyn World, guarded: &str, folder: &str) -> bool {
    let Some(shared) = files_with_other_names(world, guarded) else { return true };
    shared.iter().any(|file| world.has_name_below(file, folder))
}

/// None if there are too many.
fn files_with_other_names(world: &dyn World, guarded: &str) -> Option<Vec<String>> {
    let mut shared = Vec::new();
    let mut open = vec![guarded.to_owned()];
    let mut seen = 0;
    while let Some(path) = open.pop() {
        if world.has_other_names(&path) {
            shared.push(path);
        } else {
            let entries = world.entries(&path)?;
            seen += entries.len();
            let inner = entries.iter().filter(|entry| entry.kind != EntryKind::Link);
            open.extend(inner.map(|entry| format!("{path}/{}", entry.name)));
        }
        if shared.len() > MAX_SHARED || seen > MAX_ENTRIES {
            return None;
        }
    }
    Some(shared)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permission::Entry;

    /// Folders in folders without end, each with a file that has another name.
    struct Endless;

    impl World for Endless {
        fn real_path(&self, absolute: &str) -> Option<String> {
            Some(absolute.to_owned())
        }
        fn has_other_names(&self, absolute: &str) -> bool {
            absolute.ends_with("/file")
        }
        fn entries(&self, _: &str) -> Option<Vec<Entry>> {
            let entry = |name: &str, kind| Entry { name: name.to_owned(), kind };
            Some(vec![
                entry("file", EntryKind::File),
                entry("folder", EntryKind::Folder),
                entry(".hidden", EntryKind::Link),
                entry("link", EntryKind::Link),
            ])
        }
    }

    /// Where there is too much to look at, nothing is known; a pattern ends where it ends.
    #[test]
    fn d_19_folders_without_end_are_unknown() {
        assert_eq!(behind(&Endless, "/p", Way::Whole), None);
        assert!(shares_a_file(&Endless, "/p", "/q"));
        let found = behind(&Endless, "/p", Way::Pattern(&["folder", "l*"])).unwrap_or_default();
        assert_eq!(found.into_iter().collect::<Vec<_>>(), ["/p/folder/link"]);
        let found = behind(&Endless, "/p", Way::Pattern(&[".h*"])).unwrap_or_default();
        assert_eq!(found.into_iter().collect::<Vec<_>>(), ["/p/.hidden"]);
    }
}
