//! Is a text a copy of a file of the project?
//!
//! Bounded: files that git ignores, large files and whatever lies beyond the first thousands are not looked at; then a
//! copy goes unnoticed, which costs less than a save that hangs.

use std::{collections::HashSet, fs, path::Path};

const MOST_FILES: usize = 5_000;
const LARGEST: u64 = 256 * 1024;
/// Shorter lines (`}`, `---`) stand in every file.
const SHORTEST: usize = 10;
/// Fewer lines than this may be alike by chance.
const FEWEST: usize = 3;

/// The file that holds at least four fifths of the lines, as a path from the project's folder.
pub(crate) fn find(lines: &[&str], project: &Path) -> Option<String> {
    let wanted: HashSet<&str> = lines.iter().copied().filter(|line| line.len() >= SHORTEST).collect();
    if wanted.len() < FEWEST {
        return None;
    }
    let files = ignore::WalkBuilder::new(project).follow_links(false).build().flatten();
    let is_file = |entry: &ignore::DirEntry| entry.file_type().is_some_and(|kind| kind.is_file());
    for entry in files.filter(is_file).take(MOST_FILES) {
        let is_small = entry.metadata().is_ok_and(|metadata| metadata.len() <= LARGEST);
        if is_small && fs::read_to_string(entry.path()).is_ok_and(|text| holds(&text, &wanted)) {
            let path = entry.path().strip_prefix(project).unwrap_or(entry.path());
            return Some(path.display().to_string());
        }
    }
    None
}

fn holds(text: &str, wanted: &HashSet<&str>) -> bool {
    let found: HashSet<&str> = text.lines().map(str::trim).filter(|line| wanted.contains(line)).collect();
    found.len() * 5 >= wanted.len() * 4
}
