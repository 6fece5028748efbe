//! Cuts a change into pieces that can be taken back one by one, and puts a file together again without some of them.
//!
//! A piece is a hunk of a text file, one added function, or a whole file that is not text.
//! Holds: with no piece taken back a file renders as head; with all of them taken back, as base.

use imara_diff::{Algorithm, Diff, InternedInput};
use mi_model::HunkKind;
use std::{cmp::Ordering, collections::BTreeMap, ops::Range};

use crate::{
    language::{Definition, Language, StubEdit},
    sides,
};

/// One file as it was and as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    pub path: String,
    pub before: Option<FileBody>,
    pub after: Option<FileBody>,
}

/// The content of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileBody {
    pub bytes: Vec<u8>,
    pub is_executable: bool,
    /// The content is the target of a symbolic link.
    pub is_link: bool,
}

/// A part of the change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    pub path: String,
    pub kind: HunkKind,
    pub side: Side,
    /// Lines of base that it replaces, counted from 0.
    pub before: Range<usize>,
    /// Lines of head that it brings, counted from 0.
    pub after: Range<usize>,
    /// The function it defines, if it is exactly one added function.
    pub function: Option<String>,
    /// The function or class around it.
    pub within: Option<String>,
    pub removed: String,
    pub added: String,
    /// Where the content went, if this is the old place of a file that was moved.
    pub moved_to: Option<String>,
    stub: Option<StubEdit>,
}

/// Whether a piece is the work or belongs to the tests that check it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Work,
    Tests,
}

/// What happens to a piece in a variant of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Treatment {
    TakenBack,
    Stubbed,
}

/// A tree made from head: the pieces (by index) that are not as they are there.
pub type Variant = BTreeMap<usize, Treatment>;

impl Piece {
    /// `A-B` in head's numbering, `-A-B` in base's for pure deletions.
    pub fn line_label(&self) -> String {
        let label = |lines: &Range<usize>| format!("{}-{}", lines.start + 1, lines.end.max(lines.start + 1));
        let blank = self.added.lines().take_while(|line| line.trim().is_empty()).count();
        if self.after.is_empty() && !self.before.is_empty() {
            format!("-{}", label(&self.before))
        } else {
            let is_all_blank = blank >= self.after.len();
            label(&if is_all_blank { self.after.clone() } else { self.after.start + blank..self.after.end })
        }
    }

    /// The strongest way to undo it without breaking those who only need its name.
    pub fn gentle_treatment(&self) -> Treatment {
        if self.stub.is_some() { Treatment::Stubbed } else { Treatment::TakenBack }
    }

    /// Whether it only adds lines.
    pub fn is_addition(&self) -> bool {
        self.before.is_empty()
    }
}

/// The pieces of a whole change, in the order of its files.
pub fn split_change(files: &[FileChange]) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = files.iter().flat_map(split_file).collect();
    for file in files.iter().filter(|file| file.after.is_none()) {
        let is_new_place = |other: &&FileChange| {
            other.before.is_none() && is_mostly_same(text_of(&file.before), text_of(&other.after))
        };
        let Some(new) = files.iter().find(is_new_place) else { continue };
        for piece in pieces.iter_mut().filter(|piece| piece.path == file.path) {
            piece.moved_to = Some(new.path.clone());
        }
    }
    pieces
}

/// Whether two thirds of the lines of a text are in another one.
fn is_mostly_same(before: Option<&str>, after: Option<&str>) -> bool {
    let (Some(before), Some(after)) = (before, after) else { return false };
    let mut there: BTreeMap<&str, usize> = BTreeMap::new();
    for line in after.lines() {
        *there.entry(line.trim()).or_default() += 1;
    }
    let lines: Vec<&str> = before.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let mut is_there = |line: &&&str| match there.get_mut(**line) {
        Some(count) if *count > 0 => {
            *count -= 1;
            true
        }
        _ => false,
    };
    !lines.is_empty() && 3 * lines.iter().filter(|line| is_there(line)).count() >= 2 * lines.len()
}

fn split_file(file: &FileChange) -> Vec<Piece> {
    let texts = (text_of(&file.before), text_of(&file.after));
    let (Some(before), Some(after)) = texts else { return vec![whole_file(file)] };
    if file.after.is_none() {
        let mut piece = whole_file(file);
        let lines: Vec<&str> = before.split_inclusive('\n').collect();
        piece.before = 0..lines.len();
        piece.removed = before.to_owned();
        return vec![piece];
    }
    let language = Language::detect(&file.path, if after.is_empty() { before } else { after });
    let (old, new) = (Source::read(language, before), Source::read(language, after));
    let mut pieces = split_lines(file, &old, &new, before);
    let same_mode = match (&file.before, &file.after) {
        (Some(before), Some(after)) => {
            before.is_executable == after.is_executable && before.is_link == after.is_link
        }
        _ => true,
    };
    if pieces.is_empty() && !same_mode {
        pieces.push(Piece { kind: HunkKind::Configuration, ..whole_file(file) });
    }
    if pieces.is_empty() && (file.before.is_none() || file.after.is_none()) {
        pieces.push(whole_file(file));
    }
    pieces
}

/// The pieces of a text. Added functions are set aside first: a line diff would align their lines with those of others.
fn split_lines(file: &FileChange, old: &Source<'_>, new: &Source<'_>, before: &str) -> Vec<Piece> {
    let set_aside = new.added_units(old);
    let kept: Vec<usize> = (0..new.lines.len())
        .filter(|line| !set_aside.iter().any(|(lines, _)| lines.contains(line)))
        .collect();
    let kept_lines: Vec<&str> = kept.iter().map(|line| new.lines[*line]).collect();
    let kept_text = kept_lines.concat();
    let input = InternedInput::new(before, kept_text.as_str());
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let mut pieces: Vec<Piece> = set_aside
        .into_iter()
        .map(|(lines, function)| describe(file, old, new, 0..0, lines, function))
        .collect();
    let hunks = diff
        .hunks()
        .flat_map(|hunk| realign(&old.lines, &kept_lines, range(&hunk.before), range(&hunk.after)));
    for (removed, added) in hunks {
        let mut from = removed.clone();
        for added in runs(&kept, added) {
            let to = from.end;
            pieces.extend(split_hunk(file, old, new, from, added));
            from = to..to;
        }
    }
    pieces.sort_by_key(|piece| (piece.after.start, piece.after.end));
    join_closers(pieces)
}

/// Head's line numbers of a range of kept lines, cut where something was set aside.
fn runs(kept: &[usize], lines: Range<usize>) -> Vec<Range<usize>> {
    if lines.is_empty() {
        let at = lines.start.checked_sub(1).map_or(0, |before| kept[before] + 1);
        return std::iter::once(at..at).collect();
    }
    let mut found: Vec<Range<usize>> = Vec::new();
    for line in &kept[lines] {
        match found.last_mut() {
            Some(last) if last.end == *line => last.end += 1,
            _ => found.push(*line..line + 1),
        }
    }
    found
}

fn split_hunk(
    file: &FileChange,
    old: &Source<'_>,
    new: &Source<'_>,
    removed: Range<usize>,
    added: Range<usize>,
) -> Vec<Piece> {
    let mut parts = new.units(added.clone());
    if parts.is_empty() {
        parts.push((added, None));
    }
    // Of what replaces removed lines, whole new functions are pieces of their own; the rest is the replacement.
    let replacing = parts.iter().position(|(_, function)| function.is_none()).unwrap_or(0);
    let part = |(index, (added, function)): (usize, (Range<usize>, Option<Definition>))| {
        let (before, function) = match index.cmp(&replacing) {
            Ordering::Less => (removed.start..removed.start, function),
            Ordering::Equal if removed.is_empty() => (removed.clone(), function),
            Ordering::Equal => (removed.clone(), None),
            Ordering::Greater => (removed.end..removed.end, function),
        };
        describe(file, old, new, before, added, function)
    };
    parts.into_iter().enumerate().map(part).collect()
}

/// Brackets that close what an added function is in cannot be taken back without it: they join its piece, and so do
/// blank lines.
fn join_closers(pieces: Vec<Piece>) -> Vec<Piece> {
    let closes = |line: &str| ["", "}", "};", "end", ")", "});", "})", ");"].contains(&line.trim());
    let mut joined: Vec<Piece> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let is_closer = piece.is_addition() && !piece.added.is_empty() && piece.added.lines().all(closes);
        match joined.last_mut() {
            Some(last)
                if is_closer
                    && last.function.is_some()
                    && last.side == piece.side
                    && last.after.end == piece.after.start =>
            {
                last.after.end = piece.after.end;
                last.added.push_str(&piece.added);
            }
            _ => joined.push(piece),
        }
    }
    joined
}

/// Splits a replacement that was aligned with the wrong closing bracket.
///
/// Where a changed function is followed by a new one, a line diff may keep the last `}` of both and call everything between
/// one replacement. Taking that back would unbalance the file, so the replacement ends at the first equal closing line
/// instead, and the rest is an insertion.
fn realign(
    old: &[&str],
    new: &[&str],
    removed: Range<usize>,
    added: Range<usize>,
) -> Vec<(Range<usize>, Range<usize>)> {
    let balance = |lines: &[&str]| -> i32 {
        let weigh = |char| match char {
            '{' | '(' | '[' => 1,
            '}' | ')' | ']' => -1,
            _ => 0,
        };
        lines.iter().flat_map(|line| line.chars()).map(weigh).sum()
    };
    let closing = old.get(removed.end).filter(|line| ["}", "};", "end", ")", "});"].contains(&line.trim()));
    let Some(closing) = closing.filter(|_| !removed.is_empty()) else { return vec![(removed, added)] };
    let wanted = balance(&old[removed.clone()]);
    let cut = (added.start + 1..added.end)
        .find(|at| new[*at] == *closing && balance(&new[added.start..*at]) == wanted);
    match cut {
        Some(at) => vec![
            (removed.clone(), added.start..at),
            (removed.end + 1..removed.end + 1, at + 1..added.end + 1),
        ],
        None => vec![(removed, added)],
    }
}

fn range(lines: &Range<u32>) -> Range<usize> {
    lines.start as usize..lines.end as usize
}

/// The text of a side; an absent side is empty, a side that is not text is None.
fn text_of(body: &Option<FileBody>) -> Option<&str> {
    match body {
        None => Some(""),
        Some(body) if body.is_link || body.bytes.contains(&0) => None,
        Some(body) => std::str::from_utf8(&body.bytes).ok(),
    }
}

fn whole_file(file: &FileChange) -> Piece {
    let side = if sides::is_test_path(&file.path) { Side::Tests } else { Side::Work };
    Piece {
        path: file.path.clone(),
        kind: kind_of_path(&file.path).unwrap_or(HunkKind::Behaviour),
        side,
        before: 0..0,
        after: 0..0,
        function: None,
        within: None,
        removed: String::new(),
        added: String::new(),
        moved_to: None,
        stub: None,
    }
}

/// One side of a file, read once.
struct Source<'a> {
    language: Option<Language>,
    lines: Vec<&'a str>,
    definitions: Vec<Definition>,
    tests: Vec<Range<usize>>,
    docstrings: Vec<bool>,
}

impl<'a> Source<'a> {
    fn read(language: Option<Language>, text: &'a str) -> Self {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let definitions = language.map(|language| language.find_definitions(&lines)).unwrap_or_default();
        let tests =
            language.map(|language| sides::test_regions(language, &lines, &definitions)).unwrap_or_default();
        let docstrings = if language == Some(Language::Python) {
            docstring_lines(&lines)
        } else {
            vec![false; lines.len()]
        };
        Self { language, lines, definitions, tests, docstrings }
    }

    /// Functions that only this side has, with the blank lines above them, and its tests where the other side has none.
    /// Empty where the other side has functions that this one has not: then an added function may be a renamed one.
    fn added_units(&self, old: &Self) -> Vec<(Range<usize>, Option<Definition>)> {
        let has = |source: &Self, name: &str| source.definitions.iter().any(|one| one.name == name);
        if old.definitions.iter().any(|one| !has(self, &one.name)) {
            return Vec::new();
        }
        let mut found: Vec<(Range<usize>, Option<Definition>)> = Vec::new();
        if self.language == Some(Language::Rust) && old.tests.is_empty() {
            let modules = self.tests.iter().filter(|lines| self.lines[lines.start].contains("cfg(test)"));
            found.extend(modules.map(|lines| (lines.clone(), None)));
        }
        for one in self.definitions.iter().filter(|one| !has(old, &one.name)) {
            let is_free = |(lines, _): &(Range<usize>, Option<Definition>)| {
                lines.end <= one.lines.start || one.lines.end <= lines.start
            };
            if found.iter().all(is_free) {
                found.push((one.lines.clone(), Some(one.clone())));
            }
        }
        found.sort_by_key(|(lines, _)| lines.start);
        let mut end = 0;
        for (lines, _) in &mut found {
            let is_blank = |line: &usize| self.lines[*line].trim().is_empty();
            lines.start = (end..lines.start).rev().take_while(is_blank).last().unwrap_or(lines.start);
            end = lines.end;
        }
        found
    }

    /// Splits added lines into whole added functions, test regions, and what is between them.
    fn units(&self, added: Range<usize>) -> Vec<(Range<usize>, Option<Definition>)> {
        let within = |lines: &Range<usize>| added.start <= lines.start && lines.end <= added.end;
        let mut marks: Vec<(Range<usize>, Option<Definition>)> = Vec::new();
        let overlaps = |marks: &[(Range<usize>, Option<Definition>)], lines: &Range<usize>| {
            marks.iter().any(|(mark, _)| mark.start < lines.end && lines.start < mark.end)
        };
        for region in self.tests.iter().filter(|region| within(region)) {
            if !overlaps(&marks, region) {
                marks.push((region.clone(), None));
            }
        }
        for definition in self.definitions.iter().filter(|definition| within(&definition.lines)) {
            if !overlaps(&marks, &definition.lines) {
                marks.push((definition.lines.clone(), Some(definition.clone())));
            }
        }
        marks.sort_by_key(|(lines, _)| lines.start);
        let mut parts = Vec::new();
        let mut at = added.start;
        for (lines, definition) in marks {
            self.push_rest(&mut parts, at..lines.start);
            at = lines.end;
            parts.push((lines, definition));
        }
        self.push_rest(&mut parts, at..added.end);
        parts
    }

    /// Blank lines between functions join the piece before them.
    fn push_rest(&self, parts: &mut Vec<(Range<usize>, Option<Definition>)>, rest: Range<usize>) {
        if rest.is_empty() {
            return;
        }
        let is_blank = self.lines[rest.clone()].iter().all(|line| line.trim().is_empty());
        match parts.last_mut() {
            Some((last, _)) if is_blank => last.end = rest.end,
            _ => parts.push((rest, None)),
        }
    }

    /// The definition that holds these lines.
    fn enclosing(&self, lines: &Range<usize>) -> Option<String> {
        let holds = |definition: &&Definition| {
            definition.lines.start <= lines.start && lines.end <= definition.lines.end && !lines.is_empty()
        };
        self.definitions.iter().find(holds).map(|definition| definition.name.clone())
    }

    fn in_tests(&self, lines: &Range<usize>) -> bool {
        let text = lines.clone().find(|line| !self.lines[*line].trim().is_empty());
        let lines = text.unwrap_or(lines.start)..lines.end;
        !lines.is_empty() && self.tests.iter().any(|test| test.start <= lines.start && lines.end <= test.end)
    }
}

fn describe(
    file: &FileChange,
    old: &Source<'_>,
    new: &Source<'_>,
    before: Range<usize>,
    after: Range<usize>,
    function: Option<Definition>,
) -> Piece {
    let in_tests = sides::is_test_path(&file.path)
        || (new.in_tests(&after) || after.is_empty()) && (old.in_tests(&before) || before.is_empty());
    let removed: String = old.lines[before.clone()].concat();
    let added: String = new.lines[after.clone()].concat();
    let within = new.enclosing(&after).or_else(|| old.enclosing(&before));
    let kind = match kind_of_path(&file.path) {
        Some(HunkKind::Configuration) if is_only_comments(&removed) && is_only_comments(&added) => {
            HunkKind::Comment
        }
        Some(kind) => kind,
        None => kind_of_lines(old, new, &before, &after),
    };
    Piece {
        path: file.path.clone(),
        kind,
        side: if in_tests { Side::Tests } else { Side::Work },
        before,
        after,
        function: function.as_ref().map(|definition| definition.name.clone()),
        within,
        removed,
        added,
        moved_to: None,
        stub: function.map(|definition| definition.stub),
    }
}

/// Whether lines of a configuration file are comments or blank.
fn is_only_comments(lines: &str) -> bool {
    lines
        .lines()
        .map(str::trim)
        .all(|line| line.is_empty() || line.starts_with(['#', ';']) || line.starts_with("//"))
}

/// The kind that the path alone decides.
fn kind_of_path(path: &str) -> Option<HunkKind> {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let extension = name.rsplit_once('.').map_or("", |(_, end)| end).to_ascii_lowercase();
    let upper = name.to_ascii_uppercase();
    let is_text = ["md", "rst", "adoc", "txt", "org", ""].contains(&extension.as_str());
    let named = ["README", "CHANGELOG", "CHANGES", "LICENSE", "COPYING", "AUTHORS", "CONTRIBUTING", "NOTICE"];
    if ["md", "rst", "adoc", "org"].contains(&extension.as_str())
        || is_text && named.iter().any(|start| upper.starts_with(start))
        || is_text && folders.split('/').any(|folder| folder == "docs" || folder == "doc")
    {
        return Some(HunkKind::Documentation);
    }
    if is_data(folders, name, &extension) {
        return Some(HunkKind::Behaviour);
    }
    let configuration =
        ["yml", "yaml", "toml", "json", "ini", "cfg", "conf", "lock", "properties", "editorconfig"];
    let tools =
        ["Makefile", "Dockerfile", "CMakeLists.txt", ".gitignore", ".dockerignore", "go.mod", "go.sum"];
    (configuration.contains(&extension.as_str()) || tools.contains(&name)).then_some(HunkKind::Configuration)
}

/// Whether a file that looks like configuration is data that the program works on.
fn is_data(folders: &str, name: &str, extension: &str) -> bool {
    const FOLDERS: [&str; 12] = [
        "data",
        "locales",
        "locale",
        "i18n",
        "lang",
        "translations",
        "resources",
        "assets",
        "static",
        "templates",
        "schemas",
        "content",
    ];
    const OF_TOOLS: [&str; 5] =
        ["package.json", "package-lock.json", "tsconfig.json", "Cargo.toml", "pyproject.toml"];
    ["json", "yml", "yaml", "toml", "ini", "properties"].contains(&extension)
        && !OF_TOOLS.contains(&name)
        && folders.split('/').any(|folder| FOLDERS.contains(&folder))
}

fn kind_of_lines(
    old: &Source<'_>,
    new: &Source<'_>,
    before: &Range<usize>,
    after: &Range<usize>,
) -> HunkKind {
    let (removed, added) = (&old.lines[before.clone()], &new.lines[after.clone()]);
    let all_docstring =
        before.clone().all(|index| old.docstrings[index] || old.lines[index].trim().is_empty())
            && after.clone().all(|index| new.docstrings[index] || new.lines[index].trim().is_empty());
    let is_comment = |line: &&&str| match new.language {
        Some(language) => language.is_comment_line(line),
        None => line.trim().is_empty(),
    };
    if removed.iter().chain(added).all(|line| is_comment(&line)) {
        let is_blank = removed.iter().chain(added).all(|line| line.trim().is_empty());
        return if is_blank { HunkKind::Formatting } else { HunkKind::Comment };
    }
    if all_docstring {
        return HunkKind::Documentation;
    }
    let code = |lines: &[&str]| -> Vec<String> {
        let strip = |line: &&str| {
            new.language.map_or_else(|| (*line).to_owned(), |language| without_comment(language, line))
        };
        lines.iter().map(strip).filter(|line| !line.trim().is_empty()).collect()
    };
    let squeeze = |lines: &[&str]| -> String {
        lines.iter().flat_map(|line| line.chars()).filter(|char| !char.is_whitespace()).collect()
    };
    let raw = (squeeze(removed), squeeze(added));
    let (removed, added) = (code(removed), code(added));
    if removed == added {
        return HunkKind::Comment;
    }
    let is_indented = new.language.is_none_or(Language::is_indented);
    let squeezed = |lines: &[String]| -> String {
        lines.iter().flat_map(|line| line.chars()).filter(|char| !char.is_whitespace()).collect()
    };
    let indents = |lines: &[String]| -> Vec<usize> {
        lines.iter().map(|line| line.len() - line.trim_start().len()).collect()
    };
    if squeezed(&removed) == squeezed(&added)
        && !added.is_empty()
        && (!is_indented || indents(&removed) == indents(&added))
    {
        return if raw.0 == raw.1 { HunkKind::Formatting } else { HunkKind::Comment };
    }
    if is_dead(&added) && removed.is_empty() {
        return HunkKind::DeadCode;
    }
    HunkKind::Behaviour
}

/// The line without a comment at its end. Quotes are respected as far as one line tells.
fn without_comment(language: Language, line: &str) -> String {
    let mark = if language.is_comment_line("# x") {
        "#"
    } else if language.is_comment_line("// x") {
        "//"
    } else if language.is_comment_line("-- x") {
        "--"
    } else {
        return line.trim_end().to_owned();
    };
    let mut quote = None;
    for (at, char) in line.char_indices() {
        match quote {
            Some(open) if char == open => quote = None,
            Some(_) => {}
            None if char == '"' || char == '\'' || char == '`' => quote = Some(char),
            None if line[at..].starts_with(mark) => return line[..at].trim_end().to_owned(),
            None => {}
        }
    }
    without_block_comment(line).trim_end().to_owned()
}

/// The line without `/* … */` parts.
fn without_block_comment(line: &str) -> String {
    let mut rest = line.to_owned();
    while let Some(start) = rest.find("/*")
        && let Some(length) = rest[start..].find("*/")
    {
        rest.replace_range(start..start + length + 2, "");
    }
    rest
}

/// Code under a condition that is never true.
fn is_dead(lines: &[String]) -> bool {
    let Some(first) = lines.first() else { return false };
    let text: String = first.chars().filter(|char| !char.is_whitespace()).collect();
    ["ifFalse:", "if0:", "if(false)", "if(0)", "#if0", "iffalse{"].iter().any(|start| text.starts_with(start))
}

/// Which lines of a Python text are inside a triple-quoted string that stands alone.
fn docstring_lines(lines: &[&str]) -> Vec<bool> {
    let mut inside: Option<&str> = None;
    lines
        .iter()
        .map(|line| {
            let text = line.trim();
            match inside {
                Some(quote) => {
                    if text.contains(quote) {
                        inside = None;
                    }
                    true
                }
                None => {
                    let Some(quote) = ["\"\"\"", "'''"].into_iter().find(|quote| text.starts_with(*quote))
                    else {
                        return false;
                    };
                    if !text[quote.len()..].contains(quote) {
                        inside = Some(quote);
                    }
                    true
                }
            }
        })
        .collect()
}

/// A changed file in a variant of the tree; `None` when it is not there. `pieces` are those of the whole change.
pub fn render_file(file: &FileChange, pieces: &[Piece], variant: &Variant) -> Option<FileBody> {
    let own: Vec<(&Piece, Option<Treatment>)> = pieces
        .iter()
        .enumerate()
        .filter(|(_, piece)| piece.path == file.path)
        .map(|(index, piece)| (piece, variant.get(&index).copied()))
        .collect();
    if own.iter().all(|(_, treatment)| treatment.is_none()) {
        return file.after.clone();
    }
    if own.iter().all(|(_, treatment)| *treatment == Some(Treatment::TakenBack)) {
        return file.before.clone();
    }
    let (Some(before), Some(after)) = (text_of(&file.before), text_of(&file.after)) else {
        return file.after.clone();
    };
    let (old, new): (Vec<&str>, Vec<&str>) =
        (before.split_inclusive('\n').collect(), after.split_inclusive('\n').collect());
    let mut text = String::with_capacity(after.len());
    let mut at = 0;
    for (piece, treatment) in own {
        text.extend(new[at..piece.after.start].iter().copied());
        at = piece.after.end;
        match (treatment, &piece.stub) {
            (None, _) => text.extend(new[piece.after.clone()].iter().copied()),
            (Some(Treatment::Stubbed), Some(stub)) => {
                for index in piece.after.clone() {
                    text.push_str(if index == stub.line { &stub.text } else { new[index] });
                }
            }
            (Some(_), _) => text.extend(old[piece.before.clone()].iter().copied()),
        }
    }
    text.extend(new[at..].iter().copied());
    let body = file.after.as_ref().or(file.before.as_ref())?;
    Some(FileBody { bytes: text.into_bytes(), ..body.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(text: &str) -> Option<FileBody> {
        Some(FileBody { bytes: text.as_bytes().to_vec(), is_executable: false, is_link: false })
    }

    fn change(path: &str, before: Option<&str>, after: Option<&str>) -> FileChange {
        FileChange { path: path.to_owned(), before: before.and_then(body), after: after.and_then(body) }
    }

    fn kinds(path: &str, before: &str, after: &str) -> Vec<(HunkKind, Side)> {
        let pieces = split_change(&[change(path, Some(before), Some(after))]);
        pieces.iter().map(|piece| (piece.kind, piece.side)).collect()
    }

    fn text(body: Option<FileBody>) -> String {
        body.map_or("(gone)".to_owned(), |body| String::from_utf8(body.bytes).unwrap())
    }

    /// Each kind of hunk is told apart from real behaviour.
    #[test]
    fn kinds_are_told_apart() {
        use HunkKind::*;
        let cases = [
            ("a.py", "def f():\n    return 1\n", "# why\ndef f():\n    return 1\n", Comment),
            ("a.py", "x = 1\n", "x = 1  # one\n", Comment),
            (
                "calc.go",
                "func Half(n int) int { return n / 3 }\n",
                "func Half(n int) int { return n / 3 /* half */ }\n",
                Comment,
            ),
            ("a.rs", "fn f() { g(1,2) }\n", "fn f() {\n    g(1, 2)\n}\n", Formatting),
            ("a.py", "if a:\n    b()\nc()\n", "if a:\n    b()\n    c()\n", Behaviour),
            (
                "a.py",
                "def f():\n    \"\"\"Old.\"\"\"\n    return 1\n",
                "def f():\n    \"\"\"New.\"\"\"\n    return 1\n",
                Documentation,
            ),
            ("README.md", "a\n", "b\n", Documentation),
            ("pyproject.toml", "a = 1\n", "a = 2\n", Configuration),
            ("a.py", "x = 1\n", "x = 1\nif False:\n    x = 2\n", DeadCode),
            ("a.py", "x = 1\n", "x = 2\n", Behaviour),
            ("a.py", "x = '#a'\n", "x = '#b'\n", Behaviour),
            ("a.html", "<b>a</b>\n", "<b>b</b>\n", Behaviour),
        ];
        for (path, before, after, kind) in cases {
            assert_eq!(kinds(path, before, after), [(kind, Side::Work)], "{path}: {before:?} {after:?}");
        }
    }

    /// Tests inside a Rust source are tests, the code above them is work.
    #[test]
    fn inline_rust_tests_are_tests() {
        let before = "fn half(n: i64) -> i64 {\n    n / 3\n}\n";
        let after = "fn half(n: i64) -> i64 {\n    n / 2\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn ten() {\n        assert_eq!(super::half(10), 5);\n    }\n}\n";
        let sides: Vec<Side> = kinds("src/lib.rs", before, after).into_iter().map(|(_, side)| side).collect();
        assert_eq!(sides, [Side::Work, Side::Tests]);
    }

    /// Two functions added side by side are two pieces, each with a stub of its own.
    #[test]
    fn added_functions_are_pieces_of_their_own() {
        let file = change(
            "a.py",
            Some("X = 1\n"),
            Some("X = 1\n\n\ndef f():\n    return 1\n\n\ndef g():\n    return 2\n"),
        );
        let pieces = split_change(std::slice::from_ref(&file));
        let names: Vec<Option<&str>> = pieces.iter().map(|piece| piece.function.as_deref()).collect();
        assert_eq!(names, [Some("f"), Some("g")]);
        assert_eq!(pieces[0].line_label(), "4-5");
        let only_g = Variant::from([(1, Treatment::Stubbed)]);
        assert_eq!(
            text(render_file(&file, &pieces, &only_g)),
            "X = 1\n\n\ndef f():\n    return 1\n\n\ndef g():\n    raise AssertionError(\"mi took this back\")\n    return 2\n"
        );
    }

    /// A changed line that a new function follows is two pieces, and each can be taken back without the other.
    #[test]
    fn a_replacement_and_a_new_function_are_two_pieces() {
        let file = change(
            "a.py",
            Some("def f(x):\n    return x\n"),
            Some("def f(x):\n    return x + 1\n\n\ndef g():\n    return 2\n"),
        );
        let pieces = split_change(std::slice::from_ref(&file));
        let names: Vec<Option<&str>> = pieces.iter().map(|piece| piece.function.as_deref()).collect();
        assert_eq!(names, [None, Some("g")]);
        let without = |index: usize| {
            let treatment = pieces[index].gentle_treatment();
            text(render_file(&file, &pieces, &Variant::from([(index, treatment)])))
        };
        assert_eq!(without(0), "def f(x):\n    return x\n\n\ndef g():\n    return 2\n");
        assert!(without(1).contains("return x + 1") && without(1).contains("mi took this back"));
    }

    /// A new function whose body looks like that of a changed one is not taken for it.
    #[test]
    fn a_new_function_is_not_aligned_with_an_old_one() {
        let file = change(
            "calc.go",
            Some("func Half(n int) int {\n\treturn n / 3\n}\n"),
            Some("func Half(n int) int {\n\treturn n / 2\n}\n\nfunc Third(n int) int {\n\treturn n / 3\n}\n"),
        );
        let pieces = split_change(std::slice::from_ref(&file));
        let added: Vec<&str> = pieces.iter().map(|piece| piece.added.as_str()).collect();
        assert_eq!(added, ["\treturn n / 2\n", "\nfunc Third(n int) int {\n\treturn n / 3\n}\n"]);
    }

    /// The bracket that closes a new class goes with its last method.
    #[test]
    fn closing_brackets_are_no_pieces() {
        let text = "class A {\n  one() {\n    return 1;\n  }\n\n  two() {\n    return 2;\n  }\n}\n";
        let pieces = split_change(&[change("a.js", None, Some(text))]);
        let added: Vec<&str> = pieces.iter().map(|piece| piece.added.as_str()).collect();
        assert_eq!(
            added,
            ["class A {\n", "  one() {\n    return 1;\n  }\n", "\n  two() {\n    return 2;\n  }\n}\n"]
        );
    }

    /// With nothing taken back a file is head's, with everything taken back it is base's, also where it was added or deleted.
    #[test]
    fn nothing_and_everything_taken_back() {
        let files = [
            change("a.txt2", Some("1\n2\n3\n4"), Some("1\nx\n3\ny")),
            change("new.py", None, Some("def f():\n    return 1\n")),
            change("old.py", Some("x\n"), None),
            change("empty.py", None, Some("")),
        ];
        let pieces = split_change(&files);
        let all: Variant = (0..pieces.len()).map(|index| (index, Treatment::TakenBack)).collect();
        for file in &files {
            assert_eq!(render_file(file, &pieces, &Variant::new()), file.after, "{}", file.path);
            assert_eq!(render_file(file, &pieces, &all), file.before, "{}", file.path);
        }
    }
}
