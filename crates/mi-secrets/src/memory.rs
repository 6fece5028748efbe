//! What was read of a text before: the runs that several literals stand in, so that each is read once.

use memchr::memchr;

use crate::{
    class::{LETTER, Run, run},
    commands::Commands,
    cookie::Judged,
    reading::Readings,
};

/// The whole text, where in it a form is read, and what was read before.
pub(crate) struct Memory<'t> {
    pub(crate) text: &'t [u8],
    pub(crate) readings: Readings<'t>,
    pub(crate) place: usize,
    pub(crate) judged: Judged,
    pub(crate) commands: Commands,
    letters: Run,
    header: Run,
    equals: Run,
}

impl<'t> Memory<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self {
            text: text.as_bytes(),
            place: 0,
            readings: Readings::new(text),
            judged: Judged::default(),
            commands: Commands::default(),
            letters: Run::default(),
            header: Run::default(),
            equals: Run::default(),
        }
    }

    pub(crate) fn rest(&self, from: usize) -> &'t [u8] {
        self.text.get(self.place + from..).unwrap_or_default()
    }

    /// Where the letters at the place end, counted from the place.
    pub(crate) fn letters_end(&mut self) -> usize {
        let rest = self.rest(0);
        self.letters.end(self.place, || self.place + run(rest, LETTER)) - self.place
    }

    /// Where the header of which `from` is a part ends.
    pub(crate) fn header_end(&mut self, from: usize) -> usize {
        let rest = self.rest(from);
        let is_end = |byte: &u8| matches!(byte, b'\r' | b'\n' | b'"' | b'\'');
        let length = || rest.iter().position(is_end).unwrap_or(rest.len());
        self.header.end(self.place + from, || self.place + from + length()) - self.place
    }

    /// Where the next `=` stands.
    pub(crate) fn next_equals(&mut self, from: usize) -> usize {
        let rest = self.rest(from);
        let length = || memchr(b'=', rest).unwrap_or(rest.len());
        self.equals.end(self.place + from, || self.place + from + length()) - self.place
    }
}
