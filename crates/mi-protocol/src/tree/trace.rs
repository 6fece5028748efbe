//! From a character of a scalar's text back to its place in the source: escapes, folding and indentation undone.

use super::{Scalar, Style};
use crate::problem::Place;

pub fn place_of(scalar: &Scalar, source: &str, start: Place, index: usize) -> Place {
    let rest = source.get(scalar.offset..).unwrap_or_default();
    let mut walk = Walk { source: rest, place: start };
    match scalar.style {
        Style::Plain => walk.flow(&scalar.text, index, None),
        Style::Single => walk.flow(&scalar.text, index, Some('\'')),
        Style::Double => walk.flow(&scalar.text, index, Some('"')),
        Style::Literal | Style::Folded => walk.block(&scalar.text, index),
    }
    walk.place
}

struct Walk<'s> {
    source: &'s str,
    place: Place,
}

impl Walk<'_> {
    fn peek(&self) -> Option<char> {
        self.source.chars().next()
    }

    fn step(&mut self) {
        if let Some(char) = self.peek() {
            self.source = &self.source[char.len_utf8()..];
            if char == '\n' {
                self.place = Place { line: self.place.line + 1, column: 1 };
            } else {
                self.place.column += 1;
            }
        }
    }

    fn steps(&mut self, count: usize) {
        (0..count).for_each(|_| self.step());
    }

    /// Plain and quoted scalars: a line break with its white space stands for one space or for blank lines.
    fn flow(&mut self, text: &str, index: usize, quote: Option<char>) {
        self.steps(usize::from(quote.is_some()));
        let mut chars = text.chars().take(index).peekable();
        while let Some(char) = chars.next() {
            if matches!(char, ' ' | '\n') && self.at_break() {
                while self.peek().is_some_and(char::is_whitespace) {
                    self.step();
                }
                while char == '\n' && chars.next_if_eq(&'\n').is_some() {}
                continue;
            }
            match (quote, self.peek()) {
                (Some('\''), Some('\'')) => self.steps(2),
                (Some('"'), Some('\\')) => self.escape(char),
                _ => self.step(),
            }
        }
    }

    /// Only white space up to the end of the line.
    fn at_break(&self) -> bool {
        self.source.trim_start_matches([' ', '\t']).starts_with(['\n', '\r'])
    }

    fn escape(&mut self, meant: char) {
        let length = match self.source.chars().nth(1) {
            Some('x') => 4,
            Some('u') if u32::from(meant) > 0xFFFF => 12,
            Some('u') => 6,
            Some('U') => 10,
            _ => 2,
        };
        self.steps(length);
    }

    /// Block scalars: content begins on the next line, after its indentation.
    fn block(&mut self, text: &str, index: usize) {
        self.line_end();
        let indent = self
            .source
            .lines()
            .find(|line| !line.trim().is_empty())
            .map_or(0, |line| line.len() - line.trim_start_matches(' ').len());
        self.indentation(indent);
        for char in text.chars().take(index) {
            let folded = char == ' ' && self.peek().is_some_and(|next| next == '\n' || next == '\r');
            if char == '\n' || folded {
                self.line_end();
                self.indentation(indent);
            } else {
                self.step();
            }
        }
    }

    fn line_end(&mut self) {
        while self.peek().is_some_and(|char| char != '\n') {
            self.step();
        }
        self.step();
    }

    fn indentation(&mut self, indent: usize) {
        for _ in 0..indent {
            if self.peek() == Some(' ') {
                self.step();
            }
        }
    }
}
