//! Colour and width, only where a person sees them.

use anstyle::{AnsiColor, Reset, Style};
use std::borrow::Cow;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// `text` without what a terminal would obey: an agent must not clear the screen, hide text or forge lines.
///
/// Line ends and tabs stay; everything else is made visible.
pub fn harmless(text: &str) -> Cow<'_, str> {
    without_orders(text, &[])
}

/// `text` with no orders for a terminal but those that begin with one of `own`.
fn without_orders<'t>(text: &'t str, own: &[String]) -> Cow<'t, str> {
    if text.as_bytes().chunks(1024).all(is_plain)
        || !text.chars().any(|char| char.is_control() && char != '\n' && char != '\t')
    {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(char) = rest.chars().next() {
        let order = own.iter().find(|order| rest.starts_with(order.as_str()));
        match order {
            Some(order) => shown.push_str(order),
            None if char.is_control() && char != '\n' && char != '\t' => shown.push('\u{FFFD}'),
            None => shown.push(char),
        }
        rest = &rest[order.map_or(char.len_utf8(), String::len)..];
    }
    shown.into()
}

/// Whether no byte can be of a control character: C2 begins those beyond ASCII, and others.
///
/// Without a branch, so that the machine looks at many bytes at once.
fn is_plain(bytes: &[u8]) -> bool {
    let doubtful =
        |byte: u8| ((byte < b' ') & (byte != b'\n') & (byte != b'\t')) | (byte == 0x7F) | (byte == 0xC2);
    bytes.iter().fold(0, |found, byte| found | u8::from(doubtful(*byte))) == 0
}

const STRONG: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();
const GOOD: Style = AnsiColor::Green.on_default().bold();
const WARN: Style = AnsiColor::Yellow.on_default();
const BAD: Style = AnsiColor::Red.on_default().bold();

/// How output looks: plain unless it goes to a terminal that wants colour.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    pub colour: bool,
    pub width: usize,
}

impl Look {
    /// `text` in bold.
    pub fn strong(&self, text: &str) -> String {
        self.paint(STRONG, text)
    }

    /// `text` for what is less important.
    pub fn faint(&self, text: &str) -> String {
        self.paint(FAINT, text)
    }

    /// `text` for what is well.
    pub fn good(&self, text: &str) -> String {
        self.paint(GOOD, text)
    }

    /// `text` for what needs a look.
    pub fn warn(&self, text: &str) -> String {
        self.paint(WARN, text)
    }

    /// `text` for what is wrong.
    pub fn bad(&self, text: &str) -> String {
        self.paint(BAD, text)
    }

    /// The first line of `text`, cut to what is left of the width after `used` columns.
    pub fn one_line(&self, text: &str, used: usize) -> String {
        let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        fit(line, self.width.saturating_sub(used).max(20))
    }

    /// `text` without what a terminal would obey, but for the colours of this look; data has none on a terminal either.
    pub fn harmless<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if !self.colour || !text.contains('\u{1b}') {
            return harmless(text);
        }
        // The longer ones first: some begin with another.
        let own = [GOOD, BAD, STRONG, FAINT, WARN].map(|style| style.render().to_string());
        without_orders(text, &[&own[..], &[Reset.render().to_string()]].concat())
    }

    fn paint(&self, style: Style, text: &str) -> String {
        if self.colour { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }
}

/// How many columns a text takes on a terminal: characters of Chinese take two.
pub fn columns(text: &str) -> usize {
    text.width()
}

/// `text` cut to so many columns, with a mark if something is missing.
fn fit(text: &str, most: usize) -> String {
    if columns(text) <= most {
        return text.to_owned();
    }
    let mut used = 1;
    let is_room = |char: &char| {
        used += char.width().unwrap_or(1);
        used <= most
    };
    text.chars().take_while(is_room).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sequences that clear, move, rename, colour or hide are made visible; text stays.
    #[test]
    fn terminal_orders_are_taken_out() {
        assert_eq!(harmless("plain 汉字\n\ttext"), "plain 汉字\n\ttext");
        assert_eq!(harmless("\u{1b}[1;32mdone\u{1b}[0m"), "\u{FFFD}[1;32mdone\u{FFFD}[0m");
        assert_eq!(harmless("a\u{1b}[2Jb\u{1b}]0;x\u{7}c\rd"), "a\u{FFFD}[2Jb\u{FFFD}]0;x\u{FFFD}c\u{FFFD}d");
    }

    /// Colours that `mi` gives pass where colours are wanted, those of data never hide anything.
    #[test]
    fn only_our_own_colours_pass() {
        let terminal = Look { colour: true, width: 80 };
        let painted = terminal.bad("no") + &terminal.faint("faint");
        assert_eq!(terminal.harmless(&painted), painted);
        assert_eq!(terminal.harmless("\u{1b}[8mhidden"), "\u{FFFD}[8mhidden");
        let file = Look { colour: false, width: 80 };
        assert_eq!(file.harmless(&painted), harmless(&painted));
    }

    /// A line is cut by the columns it takes, so that it never takes two lines.
    #[test]
    fn lines_are_cut_by_columns() {
        let look = Look { colour: false, width: 24 };
        assert_eq!(look.one_line("全角字符占两列所以要小心", 4), "全角字符占两列所以…");
        assert_eq!(look.one_line("short 短", 4), "short 短");
        assert_eq!(look.one_line("abcdefghijklmnopqrstuvwxyz", 4), "abcdefghijklmnopqrs…");
    }
}
