//! Counts change units in a diff (D.18): one per run of contiguous changed lines, one per new, deleted or binary file.
//!
//! Holds: the counts of a hunk's header decide how many lines belong to it, so text that looks like a header is
//! read as text; two edits that a context line separates are two units however near.

use serde::Serialize;

mod path;
mod statement;

/// The units of a whole diff.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct ChangeUnits {
    pub cu: u64,
    pub files: Vec<FileUnits>,
    /// Generated files, which count nothing.
    pub excluded: Vec<String>,
    /// Added and removed lines of the files that count.
    pub lines: u64,
}

/// One file's part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileUnits {
    pub path: String,
    pub change: Change,
    pub cu: u64,
    pub lines: u64,
    /// Added lines that change what a database holds, for intake; they are read, never shown.
    #[serde(skip)]
    pub statements: Vec<String>,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    Edited,
    Added,
    Deleted,
    Renamed,
    Copied,
    ModeChanged,
    Binary,
    /// Its conflict is not resolved yet.
    Conflicted,
}

/// Why a diff could not be counted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CountError {
    #[error("line {line} of the diff: the hunk header cannot be read; make the diff again with `git diff`")]
    BadHunk { line: usize },
    #[error("line {line} of the diff: the hunk ends early; the diff is cut off")]
    Truncated { line: usize },
    #[error("the text is no diff; make one with `git diff`")]
    NoDiff,
}

/// Counts the units of a unified diff. Paths that are `generated` are listed and not counted.
pub fn count(diff: &str, generated: &dyn Fn(&str) -> bool) -> Result<ChangeUnits, CountError> {
    let mut reader = Reader::default();
    let mut lines = diff.split('\n').enumerate();
    while let Some((index, line)) = lines.next() {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if line.starts_with("@@") && reader.current.is_some() {
            let wanted = hunk_lines(line).ok_or(CountError::BadHunk { line: index + 1 })?;
            reader.hunk(wanted, &mut lines, index + 1)?;
        } else {
            reader.header(line);
        }
    }
    if reader.files.is_empty() && reader.current.is_none() && !diff.trim().is_empty() {
        return Err(CountError::NoDiff);
    }
    Ok(reader.finish(generated))
}

#[derive(Default)]
struct Draft {
    old: Option<String>,
    new: Option<String>,
    change: Option<Change>,
    runs: u64,
    lines: u64,
    statements: Vec<String>,
    /// Between the first header line and the first hunk.
    git: bool,
    named: bool,
}

#[derive(Default)]
struct Reader {
    files: Vec<Draft>,
    current: Option<Draft>,
}

/// Lines of a hunk: one count per parent, and that of the result.
struct HunkLines {
    parents: Vec<u64>,
    new: u64,
}

/// `@@ -1,2 +3,4 @@` or the `@@@` of a merge.
fn hunk_lines(header: &str) -> Option<HunkLines> {
    let marks = header.bytes().take_while(|byte| *byte == b'@').count();
    let mut parents = Vec::new();
    for word in header.get(marks..)?.split_whitespace() {
        let (sign, range) = word.split_at_checked(1)?;
        let length = match range.split_once(',') {
            Some((_, length)) => length.parse().ok()?,
            None => range.parse::<u64>().ok().map(|_| 1)?,
        };
        match sign {
            "-" => parents.push(length),
            "+" => {
                return (!parents.is_empty() && parents.len() + 1 == marks)
                    .then_some(HunkLines { parents, new: length });
            }
            _ => return None,
        }
    }
    None
}

impl Reader {
    fn hunk<'a>(
        &mut self,
        mut wanted: HunkLines,
        lines: &mut impl Iterator<Item = (usize, &'a str)>,
        mut at: usize,
    ) -> Result<(), CountError> {
        let Some(draft) = &mut self.current else { return Ok(()) };
        let width = wanted.parents.len();
        let mut inside = false;
        while wanted.new > 0 || wanted.parents.iter().any(|left| *left > 0) {
            let Some((index, line)) = lines.next() else { return Err(CountError::Truncated { line: at }) };
            at = index + 1;
            if line.starts_with('\\') {
                continue;
            }
            let signs = line.as_bytes().get(..width).unwrap_or(line.as_bytes());
            let removed = signs.contains(&b'-');
            let added = signs.contains(&b'+');
            for (parent, sign) in wanted.parents.iter_mut().zip(signs.iter().chain(std::iter::repeat(&b' ')))
            {
                let counts = if removed { *sign == b'-' } else { *sign != b'+' };
                *parent = parent.saturating_sub(u64::from(counts));
            }
            wanted.new = wanted.new.saturating_sub(u64::from(!removed));
            let changed = added || removed;
            draft.runs += u64::from(changed && !inside);
            draft.lines += u64::from(changed);
            if added && draft.statements.len() < statement::MOST && statement::is_one(line) {
                draft.statements.push(line[line.ceil_char_boundary(width)..].to_owned());
            }
            inside = changed;
        }
        Ok(())
    }

    fn header(&mut self, line: &str) {
        if let Some(rest) = line.strip_prefix("diff --git ") {
            let (old, new) = path::of_git_line(rest);
            self.start(Draft { old, new, git: true, ..Draft::default() });
        } else if line.starts_with("diff --cc ") || line.starts_with("diff --combined ") {
            let name = line.splitn(3, ' ').nth(2).and_then(path::unquote);
            self.start(Draft { old: name.clone(), new: name, git: true, ..Draft::default() });
        } else if let Some(rest) = line.strip_prefix("* Unmerged path ") {
            let change = Some(Change::Conflicted);
            self.start(Draft { new: path::unquote(rest), change, ..Draft::default() });
        } else if let Some(rest) = line.strip_prefix("--- ") {
            let fresh = self.current.as_ref().is_none_or(|draft| !draft.git || draft.named);
            if fresh {
                self.start(Draft::default());
            }
            self.name(rest, Side::Old);
        } else if let Some(rest) = line.strip_prefix("+++ ") {
            self.name(rest, Side::New);
        } else if self.current.as_ref().is_some_and(|draft| draft.runs > 0) {
            self.behind_hunks(line);
        } else if let Some(draft) = &mut self.current {
            draft.extended(line);
        }
    }

    /// Behind the hunks of a file stands nothing more about it: the text of the next patch of a series does not change what it
    /// is. `diff -r` names binary files without a header of their own.
    fn behind_hunks(&mut self, line: &str) {
        let names = line.strip_prefix("Binary files ").and_then(|rest| rest.strip_suffix(" differ"));
        if let Some((_, new)) = names.and_then(|names| names.split_once(" and ")) {
            let new = path::of_name_line(new);
            self.start(Draft { new, change: Some(Change::Binary), ..Draft::default() });
        }
    }

    fn start(&mut self, draft: Draft) {
        self.files.extend(self.current.replace(draft));
    }

    fn name(&mut self, text: &str, side: Side) {
        let Some(draft) = &mut self.current else { return };
        draft.named = true;
        let (name, change) =
            (path::of_name_line(text), if side == Side::Old { Change::Added } else { Change::Deleted });
        match name {
            None => draft.change = Some(change),
            Some(name) if side == Side::Old => draft.old = Some(name),
            Some(name) => draft.new = Some(name),
        }
    }

    fn finish(mut self, generated: &dyn Fn(&str) -> bool) -> ChangeUnits {
        self.files.extend(self.current.take());
        let mut units = ChangeUnits::default();
        for draft in self.files {
            let file = draft.finish();
            if generated(&file.path) {
                units.excluded.push(file.path);
                continue;
            }
            units.cu += file.cu;
            units.lines += file.lines;
            units.files.push(file);
        }
        units
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Old,
    New,
}

impl Draft {
    /// The lines of git between `diff --git` and the first hunk.
    fn extended(&mut self, line: &str) {
        let change = if line.starts_with("new file mode") {
            Change::Added
        } else if line.starts_with("deleted file mode") {
            Change::Deleted
        } else if line.starts_with("rename to ") {
            self.new = line.strip_prefix("rename to ").and_then(path::unquote);
            Change::Renamed
        } else if line.starts_with("copy to ") {
            self.new = line.strip_prefix("copy to ").and_then(path::unquote);
            Change::Copied
        } else if line.starts_with("Binary files ") || line == "GIT binary patch" {
            match self.change {
                Some(Change::Added | Change::Deleted) => return,
                _ => Change::Binary,
            }
        } else if line.starts_with("new mode ") && self.change.is_none() {
            Change::ModeChanged
        } else {
            return;
        };
        self.change = Some(change);
    }

    fn finish(self) -> FileUnits {
        let change = match self.change {
            Some(Change::ModeChanged) if self.runs > 0 => Change::Edited,
            Some(change) => change,
            None => Change::Edited,
        };
        let cu = match change {
            Change::Added | Change::Deleted | Change::Binary | Change::Conflicted => 1,
            Change::Renamed | Change::Copied | Change::ModeChanged => self.runs.max(1),
            Change::Edited => self.runs,
        };
        let path = if change == Change::Deleted { self.old.or(self.new) } else { self.new.or(self.old) };
        FileUnits {
            path: path.unwrap_or_default(),
            change,
            cu,
            lines: self.lines,
            statements: self.statements,
        }
    }
}

#[cfg(test)]
mod tests;
