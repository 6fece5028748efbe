//! A diff's text becomes sections, one per file, with their hunks.

pub(super) const NOWHERE: &str = "/dev/null";

/// What a diff says about one file.
#[derive(Debug, Default)]
pub(super) struct Section<'a> {
    /// From 0.
    pub(super) line: usize,
    /// The two names on the `diff --git` line, if they can be told apart.
    git: Option<(&'a str, &'a str)>,
    headers: Option<(&'a str, &'a str)>,
    pub(super) hunks: Vec<Hunk<'a>>,
    pub(super) creates: bool,
    /// By its new mode.
    pub(super) executable: Option<bool>,
    /// Deletion, rename, copy, binary, or another mode.
    pub(super) unsupported: bool,
    /// Lines that belong to no hunk, a hunk that is cut off, or headers that name different files.
    pub(super) malformed: bool,
}

/// One change: where it begins in the old file (from 0), and its lines.
#[derive(Debug)]
pub(super) struct Hunk<'a> {
    pub(super) start: usize,
    pub(super) lines: Vec<HunkLine<'a>>,
}

#[derive(Debug)]
pub(super) struct HunkLine<'a> {
    pub(super) mark: Mark,
    pub(super) text: &'a str,
    /// `\ No newline at end of file` follows.
    pub(super) no_newline: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Context,
    Removed,
    Added,
}

impl<'a> Section<'a> {
    /// The old and the new name, without git's `a/` and `b/`.
    pub(super) fn names(&self) -> (&'a str, &'a str) {
        let (old, new) = self.headers.or(self.git).unwrap_or_default();
        let prefixed = (old.starts_with("a/") || old == NOWHERE) && (new.starts_with("b/") || new == NOWHERE);
        if !prefixed {
            return (old, new);
        }
        (old.strip_prefix("a/").unwrap_or(old), new.strip_prefix("b/").unwrap_or(new))
    }

    /// The file that it is about.
    pub(super) fn name(&self) -> &'a str {
        let (old, new) = self.names();
        if new == NOWHERE { old } else { new }
    }

    /// A section without hunks changes nothing unless it makes an empty file or changes a mode.
    fn finished(mut self) -> Self {
        let differs = |(git, headers): ((&str, &str), (&str, &str))| {
            git.0.get(2..) == git.1.get(2..) && headers.0 != git.0 && headers.1 != git.1
        };
        self.malformed |= self.git.zip(self.headers).is_some_and(differs);
        if self.hunks.is_empty() && !self.creates && (self.headers.is_some() || self.executable.is_none()) {
            match self.headers {
                Some(_) => self.malformed = true,
                None => self.unsupported = true,
            }
        }
        self
    }
}

pub(super) fn sections(content: &str) -> Vec<Section<'_>> {
    let lines: Vec<&str> = content.lines().collect();
    let mut found = Vec::new();
    let mut current: Option<Section<'_>> = None;
    let mut at = 0;
    while let Some(&line) = lines.get(at) {
        let next = lines.get(at + 1).copied().unwrap_or_default();
        if let Some(names) = line.strip_prefix("diff --git ") {
            found.extend(current.take());
            current = Some(Section { line: at, git: git_names(names), ..Section::default() });
        } else if let (Some(old), Some(new)) = (line.strip_prefix("--- "), next.strip_prefix("+++ ")) {
            if current.as_ref().is_none_or(|section| section.headers.is_some()) {
                found.extend(current.replace(Section { line: at, ..Section::default() }));
            }
            let section = current.get_or_insert_default();
            section.headers = Some((header_name(old), header_name(new)));
            at += 1;
        } else if let Some(section) = &mut current {
            at = read_line(section, &lines, at);
            continue;
        }
        at += 1;
    }
    found.extend(current);
    found.into_iter().map(Section::finished).collect()
}

/// Without the time after a TAB.
fn header_name(text: &str) -> &str {
    text.split('\t').next().unwrap_or_default().trim_end()
}

/// `a/x b/x`: both names are equally long, whatever spaces are in them.
fn git_names(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_end();
    let middle = text.len() / 2;
    let halves = (text.get(..middle)?, text.get(middle + 1..)?);
    let same = text.as_bytes().get(middle) == Some(&b' ') && halves.0.get(1..) == halves.1.get(1..);
    if same { Some(halves) } else { text.split_once(' ') }
}

/// One line of a section that is no name; says where to go on.
fn read_line<'a>(section: &mut Section<'a>, lines: &[&'a str], at: usize) -> usize {
    let line = lines[at];
    if line.starts_with("@@") {
        return read_hunk(section, lines, at);
    }
    const OTHER: [&str; 8] = [
        "deleted file mode",
        "rename from",
        "rename to",
        "copy from",
        "copy to",
        "similarity index",
        "Binary files",
        "GIT binary patch",
    ];
    let mode = ["new file mode ", "new mode ", "old mode "].iter().find_map(|key| line.strip_prefix(key));
    let indexed = line.strip_prefix("index ").and_then(|rest| rest.split_once(' ')).map(|(_, mode)| mode);
    let other_mode = mode.or(indexed).is_some_and(|mode| !["100644", "100755"].contains(&mode.trim()));
    let new_mode = ["new file mode ", "new mode "].iter().find_map(|key| line.strip_prefix(key));
    section.executable = new_mode.map(|mode| mode.trim() == "100755").or(section.executable);
    section.unsupported |= other_mode || OTHER.iter().any(|start| line.starts_with(start));
    section.creates |= line.starts_with("new file mode ");
    // A signature ends a mail with `-- `; other changed lines outside a hunk mean that its numbers are wrong.
    let stray = line.starts_with(['+', '-', ' ']) && line.trim_end() != "--" && !line.trim().is_empty();
    section.malformed |= stray && section.headers.is_some();
    at + 1
}

fn read_hunk<'a>(section: &mut Section<'a>, lines: &[&'a str], at: usize) -> usize {
    let Some((start, mut old, mut new)) = hunk_numbers(lines[at]).filter(|_| section.headers.is_some())
    else {
        section.malformed = true;
        return at + 1;
    };
    let mut hunk = Hunk { start, lines: Vec::new() };
    let mut at = at + 1;
    while let Some(&line) = lines.get(at) {
        if line.starts_with('\\') {
            if let Some(last) = hunk.lines.last_mut() {
                last.no_newline = true;
            }
            at += 1;
            continue;
        }
        if old == 0 && new == 0 {
            break;
        }
        // An editor may have taken the only space of an empty context line.
        let (mark, text) = match line.split_at_checked(1) {
            None => (Mark::Context, ""),
            Some((" ", text)) => (Mark::Context, text),
            Some(("-", text)) => (Mark::Removed, text),
            Some(("+", text)) => (Mark::Added, text),
            Some(_) => break,
        };
        let enough =
            |count: &mut usize, used: bool| !used || count.checked_sub(1).map(|left| *count = left).is_some();
        if !enough(&mut old, mark != Mark::Added) || !enough(&mut new, mark != Mark::Removed) {
            section.malformed = true;
        }
        hunk.lines.push(HunkLine { mark, text, no_newline: false });
        at += 1;
    }
    section.malformed |= old > 0 || new > 0;
    section.hunks.push(hunk);
    at
}

/// `@@ -3,2 +3,4 @@`: where the old lines begin, from 0, and how many there are on each side.
fn hunk_numbers(line: &str) -> Option<(usize, usize, usize)> {
    let inner = line.strip_prefix("@@ -")?;
    let (ranges, _) = inner.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let range = |text: &str| -> Option<(usize, usize)> {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    let ((start, old_count), (_, new_count)) = (range(old)?, range(new)?);
    // Without old lines the number is that of the line before.
    let start = if old_count == 0 { start } else { start.checked_sub(1)? };
    Some((start, old_count, new_count))
}
