//! Hunks are applied exactly: every line where it is said to be, byte for byte.

use super::parse::{HunkLine, Mark, Section};
use crate::outcome::Reason;

pub(super) fn apply(base: &str, section: &Section<'_>) -> Result<String, Reason> {
    if section.malformed {
        return Err(Reason::DiffConflict);
    }
    let old: Vec<&str> = base.split_inclusive('\n').collect();
    let mut content = String::with_capacity(base.len());
    let mut at = 0;
    for hunk in &section.hunks {
        let kept = old.get(at..hunk.start).ok_or(Reason::DiffConflict)?;
        content.extend(kept.iter().copied());
        at = hunk.start;
        for line in &hunk.lines {
            if line.mark != Mark::Added {
                let fits = old.get(at).is_some_and(|known| is_same(known, line));
                if !fits {
                    return Err(Reason::DiffConflict);
                }
                at += 1;
            }
            if line.mark != Mark::Removed {
                begins_line(&content)?;
                content.push_str(line.text);
                content.push_str(if line.no_newline { "" } else { "\n" });
            }
        }
    }
    let rest = old.get(at..).unwrap_or_default();
    if !rest.is_empty() {
        begins_line(&content)?;
    }
    content.extend(rest.iter().copied());
    Ok(content)
}

/// A line without an end can only be the last one.
fn begins_line(content: &str) -> Result<(), Reason> {
    if content.is_empty() || content.ends_with('\n') { Ok(()) } else { Err(Reason::DiffConflict) }
}

fn is_same(known: &str, line: &HunkLine<'_>) -> bool {
    match known.strip_suffix('\n') {
        Some(text) => text == line.text && !line.no_newline,
        None => known == line.text && line.no_newline,
    }
}
