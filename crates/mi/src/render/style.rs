//! Colour and width, only where a person sees them.

use anstyle::{AnsiColor, Style};

/// `text` without what a terminal would obey: an agent must not clear the screen or forge lines.
///
/// Our own colours (`ESC [ … m`), line ends and tabs stay.
pub fn harmless(text: &str) -> std::borrow::Cow<'_, str> {
    if text.as_bytes().chunks(1024).all(is_plain)
        || !text.chars().any(|char| char.is_control() && char != '\n' && char != '\t')
    {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(char) = rest.chars().next() {
        match colour_length(rest) {
            Some(length) => {
                shown.push_str(&rest[..length]);
                rest = &rest[length..];
                continue;
            }
            None if char.is_control() && char != '\n' && char != '\t' => shown.push('\u{FFFD}'),
            None => shown.push(char),
        }
        rest = &rest[char.len_utf8()..];
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

/// The length of the colour sequence at the start of a text.
fn colour_length(text: &str) -> Option<usize> {
    let body = text.strip_prefix("\u{1b}[")?;
    let end = body.find(|char: char| !char.is_ascii_digit() && char != ';')?;
    body[end..].starts_with('m').then_some(end + 3)
}

/// How output looks: plain unless it goes to a terminal that wants colour.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    pub colour: bool,
    pub width: usize,
}

impl Look {
    /// `text` in bold.
    pub fn strong(&self, text: &str) -> String {
        self.paint(Style::new().bold(), text)
    }

    /// `text` for what is less important.
    pub fn faint(&self, text: &str) -> String {
        self.paint(Style::new().dimmed(), text)
    }

    /// `text` for what is well.
    pub fn good(&self, text: &str) -> String {
        self.paint(AnsiColor::Green.on_default().bold(), text)
    }

    /// `text` for what needs a look.
    pub fn warn(&self, text: &str) -> String {
        self.paint(AnsiColor::Yellow.on_default(), text)
    }

    /// `text` for what is wrong.
    pub fn bad(&self, text: &str) -> String {
        self.paint(AnsiColor::Red.on_default().bold(), text)
    }

    /// The first line of `text`, cut to what is left of the width after `used` columns.
    pub fn one_line(&self, text: &str, used: usize) -> String {
        let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        mi_model::shorten(line, self.width.saturating_sub(used).max(20))
    }

    fn paint(&self, style: Style, text: &str) -> String {
        if self.colour { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::harmless;

    /// Sequences that clear, move or rename are made visible; colours and text stay.
    #[test]
    fn terminal_orders_are_taken_out() {
        assert_eq!(harmless("plain 汉字\n\ttext"), "plain 汉字\n\ttext");
        assert_eq!(harmless("\u{1b}[1;32mdone\u{1b}[0m"), "\u{1b}[1;32mdone\u{1b}[0m");
        assert_eq!(harmless("a\u{1b}[2Jb\u{1b}]0;x\u{7}c\rd"), "a\u{FFFD}[2Jb\u{FFFD}]0;x\u{FFFD}c\u{FFFD}d");
    }
}
