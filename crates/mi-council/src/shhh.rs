//! SHHH: which parts of a text are restricted.
//!
//! A part is marked by `<!-- SHHH: LEVEL -->` … `<!-- /SHHH -->`, and takes whole lines; levels are public, internal and
//! restricted. A whole text is marked by `classification: LEVEL` in its front matter. Holds: an unknown level, and a
//! mark that is never closed, are restricted; taking a text apart and putting it together changes nothing.

use serde_json::Value;

/// What stands in the place of what may not be shown.
pub const LEFT_OUT: &str = "[restricted: left out]";

/// Who may see a part, weakest protection first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Public,
    Internal,
    Restricted,
}

impl Level {
    /// What is not known is restricted.
    pub fn of_word(word: &str) -> Self {
        match word.trim().to_ascii_lowercase().as_str() {
            "public" => Self::Public,
            "internal" => Self::Internal,
            _ => Self::Restricted,
        }
    }
}

/// A stretch of lines of one level, with its marks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    pub level: Level,
    pub text: String,
}

/// A text, taken apart by its marks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marked {
    sections: Vec<Section>,
}

impl Marked {
    /// Takes a text apart.
    pub fn read(text: &str) -> Self {
        let whole = front_matter(text);
        let (mut sections, mut levels): (Vec<Section>, Vec<Level>) = (Vec::new(), Vec::new());
        for line in text.split_inclusive('\n') {
            let marks = marks_in(line);
            let mut highest = levels.iter().copied().max();
            for mark in &marks {
                match mark {
                    Mark::Open(level) => {
                        levels.push(*level);
                        highest = highest.max(Some(*level));
                    }
                    Mark::Close => drop(levels.pop()),
                }
            }
            let level = highest.unwrap_or(Level::Internal).max(whole.unwrap_or(Level::Public));
            match sections.last_mut().filter(|last| last.level == level && marks.is_empty()) {
                Some(last) => last.text.push_str(line),
                None => sections.push(Section { level, text: line.to_owned() }),
            }
        }
        Self { sections }
    }

    /// The text as it was.
    pub fn whole(&self) -> String {
        self.sections.iter().map(|section| section.text.as_str()).collect()
    }

    /// What may be shown, with a line in the place of what may not.
    pub fn shown(&self) -> String {
        let (mut shown, mut left_out) = (String::new(), false);
        for section in &self.sections {
            match section.level {
                Level::Public | Level::Internal => {
                    shown.push_str(&section.text);
                    left_out = false;
                }
                Level::Restricted if left_out => {}
                Level::Restricted => {
                    shown.push_str(LEFT_OUT);
                    shown.push('\n');
                    left_out = true;
                }
            }
        }
        shown
    }

    pub fn has_restricted(&self) -> bool {
        self.sections.iter().any(|section| section.level == Level::Restricted)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Open(Level),
    Close,
}

/// The marks in a line, in their order. One that does not end on its line opens what is restricted.
fn marks_in(line: &str) -> Vec<Mark> {
    let lower = line.to_ascii_lowercase();
    let (mut marks, mut rest) = (Vec::new(), lower.as_str());
    while let Some((_, after)) = rest.split_once("<!--") {
        let (inner, next) = after.split_once("-->").unwrap_or((after, ""));
        let inner = inner.trim();
        if inner == "/shhh" {
            marks.push(Mark::Close);
        } else if let Some(word) = inner.strip_prefix("shhh") {
            marks.push(Mark::Open(Level::of_word(word.trim_start().trim_start_matches(':'))));
        }
        rest = next;
    }
    marks
}

/// A JSON text without what is restricted: marked parts of its strings, and objects classified so.
pub fn shown_json(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let level = fields.get("classification").and_then(Value::as_str).map(Level::of_word);
            match level {
                Some(Level::Restricted) => Value::from(LEFT_OUT),
                _ => Value::Object(
                    fields.iter().map(|(name, value)| (name.clone(), shown_json(value))).collect(),
                ),
            }
        }
        Value::Array(items) => Value::Array(items.iter().map(shown_json).collect()),
        Value::String(text) => Value::from(Marked::read(text).shown()),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// A diff without the files in which anything is restricted: a part of it may show what lies between marks that it does
/// not show. `is_restricted` says it of a file as it is now.
pub fn shown_diff(diff: &str, is_restricted: impl Fn(&str) -> bool) -> String {
    let mut shown = String::new();
    for part in split_before(diff, "diff --git ") {
        let head = part.lines().next().unwrap_or_default();
        let path = head.rsplit_once(" b/").map_or("", |(_, path)| path);
        match is_restricted(path) || is_restricted_diff(part) {
            true => shown.push_str(&format!("{head}\n{LEFT_OUT}\n")),
            false => shown.push_str(part),
        }
    }
    shown
}

fn is_restricted_diff(part: &str) -> bool {
    let restricts = |line: &str| {
        let text = line.get(1..).unwrap_or_default().trim();
        let classified = text.strip_prefix("classification:").map(Level::of_word);
        classified == Some(Level::Restricted) || marks_in(line).contains(&Mark::Open(Level::Restricted))
    };
    part.lines().any(restricts)
}

/// The parts of a text that begin with lines that begin with `word`.
fn split_before<'a>(text: &'a str, word: &str) -> Vec<&'a str> {
    let mut starts: Vec<usize> = text.match_indices(word).map(|(at, _)| at).collect();
    starts.retain(|at| *at == 0 || text.as_bytes()[at - 1] == b'\n');
    starts.insert(0, 0);
    starts.push(text.len());
    starts.windows(2).map(|pair| &text[pair[0]..pair[1]]).filter(|part| !part.is_empty()).collect()
}

/// `classification: restricted` between the `---` lines that begin a text.
fn front_matter(text: &str) -> Option<Level> {
    let mut lines = text.lines();
    if lines.next()?.trim_end() != "---" {
        return None;
    }
    let matter = lines.take_while(|line| line.trim_end() != "---");
    matter.into_iter().find_map(|line| line.trim().strip_prefix("classification:").map(Level::of_word))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "a\n<!-- SHHH: restricted -->\nsecret\n<!-- SHHH: public -->\ninner\n<!-- /SHHH -->\nrest\n<!-- /SHHH -->\nb\n";

    /// Restricted parts are never shown, also where a laxer mark stands inside; the text itself survives.
    #[test]
    fn shhh_restricted_parts_are_left_out_and_marks_survive() {
        let marked = Marked::read(TEXT);
        assert_eq!(marked.shown(), "a\n[restricted: left out]\nb\n");
        assert_eq!(marked.whole(), TEXT);
        assert_eq!(Marked::read(&marked.whole()), marked);
    }

    /// What is unclear is restricted: an unknown level, no end, the whole text.
    #[test]
    fn shhh_doubt_is_restricted() {
        for text in [
            "<!-- SHHH: secretish -->\nx\n<!-- /SHHH -->\n",
            "<!--shhh:restricted-->\nx",
            "---\nclassification: restricted\n---\nx\n",
            "<!-- SHHH -->\nx\n",
        ] {
            let shown = Marked::read(text).shown();
            assert!(!shown.contains('x'), "{text:?}: {shown}");
        }
        assert_eq!(
            Marked::read("---\nclassification: internal\n---\nx\n").shown(),
            "---\nclassification: internal\n---\nx\n"
        );
        assert_eq!(Marked::read("<!-- a comment -->\nx").shown(), "<!-- a comment -->\nx");
    }

    /// Marks inside a line hold for that line, and for what follows until they are closed.
    #[test]
    fn shhh_marks_inside_lines_count() {
        let one = Marked::read("a\nb <!-- SHHH: restricted --> x <!-- /SHHH -->\nc\n");
        assert_eq!(one.shown(), "a\n[restricted: left out]\nc\n");
        let open = Marked::read("b <!-- SHHH: restricted -->\nx\n<!-- /SHHH --> c\nd\n");
        assert_eq!(open.shown(), "[restricted: left out]\nd\n");
    }

    /// In JSON, marked parts of strings and restricted objects are left out; the rest stays.
    #[test]
    fn shhh_json_is_looked_through() {
        let value = serde_json::json!({
            "text": "a\n<!-- SHHH: restricted -->\nx\n<!-- /SHHH -->\nb",
            "list": [{"classification": "restricted", "title": "x"}, {"classification": "internal", "title": "y"}],
        });
        let shown = shown_json(&value);
        assert_eq!(shown["text"], "a\n[restricted: left out]\nb");
        assert_eq!(shown["list"][0], LEFT_OUT);
        assert_eq!(shown["list"][1]["title"], "y");
    }

    /// A hunk between marks that it does not show, a marked file that is new or gone: none of it is in the diff.
    #[test]
    fn shhh_diffs_leave_restricted_files_out() {
        let marked = "<!-- SHHH: restricted -->\n1\n2\n3\n4\nx\n<!-- /SHHH -->\n";
        let hunk = "diff --git a/m.md b/m.md\n--- a/m.md\n+++ b/m.md\n@@ -4,2 +4,2 @@\n 3\n 4\n-w\n+x\n";
        let gone = "diff --git a/g.md b/g.md\ndeleted file mode 100644\n-<!-- SHHH: restricted -->\n-x\n-<!-- /SHHH -->\n-x\n";
        let whole =
            "diff --git a/f.md b/f.md\nnew file mode 100644\n+---\n+classification: restricted\n+---\n+x\n";
        let plain = "diff --git a/p b/p\n--- a/p\n+++ b/p\n@@ -1 +1 @@\n-a\n+b\n";
        let is_restricted = |path: &str| path == "m.md" && Marked::read(marked).has_restricted();
        let shown = shown_diff(&[hunk, gone, whole, plain].concat(), is_restricted);
        assert!(!shown.contains('x') && shown.ends_with(plain), "{shown}");
        assert_eq!(shown.matches(LEFT_OUT).count(), 3);
    }
}
