//! Unified diffs in blocks (E24): which files they name, and what those become.

mod apply;
mod parse;

use crate::{folder::Folder, outcome::Reason, path};
use parse::Section;

/// One file of a diff.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct DiffFile {
    /// Its first header line in the block, from 0.
    pub(crate) line: usize,
    /// As written, without git's prefix.
    pub(crate) name: String,
    /// The checked path and the new content, or why not.
    pub(crate) result: Result<(String, String), Reason>,
    /// Whether it says that the file can be run.
    pub(crate) executable: Option<bool>,
}

/// Whether a block is a diff. In a block that says so it may begin anywhere; elsewhere its headers come first, since a page
/// that shows a diff is not one.
pub(crate) fn is_diff(content: &str, says_so: bool) -> bool {
    let mut lines = content.lines().skip_while(|line| line.trim().is_empty()).peekable();
    while let Some(line) = lines.next() {
        let headers = line.starts_with("--- ") && lines.peek().is_some_and(|next| next.starts_with("+++ "));
        if headers || line.starts_with("diff --git ") {
            return true;
        }
        if !says_so {
            return false;
        }
    }
    false
}

/// The file that a diff names, if it is one.
pub(crate) fn sole_name(content: &str) -> Option<String> {
    match parse::sections(content).as_slice() {
        [section] => Some(section.name().to_owned()),
        _ => None,
    }
}

/// Every file of a diff, with what it becomes in this folder.
pub(crate) fn read(content: &str, limit: usize, folder: &dyn Folder) -> Vec<DiffFile> {
    let sections = parse::sections(content);
    sections.iter().map(|section| read_section(section, limit, folder)).collect()
}

fn read_section(section: &Section<'_>, limit: usize, folder: &dyn Folder) -> DiffFile {
    let (old, new) = section.names();
    let name = section.name();
    let result = path::check(name).and_then(|path| {
        let renamed = old != new && old != parse::NOWHERE;
        if section.unsupported || new == parse::NOWHERE || renamed {
            return Err(Reason::DiffUnsupported);
        }
        let creates = old == parse::NOWHERE || section.creates;
        let base = base(&path, creates, folder)?;
        let content = apply::apply(&base, section)?;
        if content.len() > limit { Err(Reason::TooLarge) } else { Ok((path, content)) }
    });
    DiffFile { line: section.line, name: name.to_owned(), result, executable: section.executable }
}

/// The text that a diff changes.
fn base(path: &str, creates: bool, folder: &dyn Folder) -> Result<String, Reason> {
    match (folder.read(path), creates) {
        (None, true) => Ok(String::new()),
        (None, false) => Err(Reason::DiffBase),
        (Some(_), true) => Err(Reason::DiffConflict),
        (Some(bytes), false) => String::from_utf8(bytes).map_err(|_| Reason::DiffConflict),
    }
}

#[cfg(test)]
mod tests;
