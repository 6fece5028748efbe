//! SHHH: which parts of a text are restricted.
//!
//! A part is marked by `<!-- SHHH: LEVEL -->` … `<!-- /SHHH -->`, on lines of their own; levels are public, internal and
//! restricted. A whole text is marked by `classification: LEVEL` in its front matter. Holds: an unknown level, and a
//! mark that is never closed, are restricted; taking a text apart and putting it together changes nothing.

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
            let mark = mark_of(line);
            if let Some(Mark::Open(level)) = mark {
                levels.push(level);
            }
            let level =
                levels.iter().copied().max().unwrap_or(Level::Internal).max(whole.unwrap_or(Level::Public));
            match sections.last_mut().filter(|last| last.level == level && mark.is_none()) {
                Some(last) => last.text.push_str(line),
                None => sections.push(Section { level, text: line.to_owned() }),
            }
            if matches!(mark, Some(Mark::Close)) {
                levels.pop();
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
                    shown.push_str("[restricted: left out]\n");
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

#[derive(Debug, Clone, Copy)]
enum Mark {
    Open(Level),
    Close,
}

fn mark_of(line: &str) -> Option<Mark> {
    let inner = line.trim().strip_prefix("<!--")?.strip_suffix("-->")?.trim();
    let lower = inner.to_ascii_lowercase();
    if lower == "/shhh" {
        return Some(Mark::Close);
    }
    Some(Mark::Open(Level::of_word(lower.strip_prefix("shhh")?.trim_start().trim_start_matches(':'))))
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
}
