//! Colour and width, only where a person sees them.

use anstyle::{AnsiColor, Style};

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
