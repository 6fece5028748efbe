//! The fenced blocks of a reply with their places, contents and the text that ends directly before each.
//!
//! The reply is parsed in windows that begin at top-level blocks. Where blocks begin is decided from left to right, so
//! all but the last block of a window are final; the last one is parsed again with the next window.
//!
//! Long text without a fence is passed over (`prose`), and the contents of blocks whose fence begins a line are not parsed
//! at all (`plain`): most of a reply is one or the other.
//!
//! What is parsed and what contents are taken from are two texts with the same offsets: the parser takes neither a CR for a
//! line end nor a fence with a TAB behind it for a closing one, so others stand there for it (`seen`).
//!
//! Holds: the blocks are those of one CommonMark parse of the whole reply, at a fraction of its memory.

mod plain;
mod prose;
mod walk;

use std::{borrow::Cow, ops::ControlFlow, rc::Rc};

use memchr::{memchr, memchr_iter, memchr2, memrchr};
use pulldown_cmark::{Event, Options, Parser, Tag};

use crate::before::Before;
use walk::Walk;

/// One fenced block.
#[derive(Debug, Clone)]
pub(crate) struct Block<'a> {
    /// The opening fence, 1-based.
    pub(crate) line: usize,
    /// As written: no escapes resolved.
    pub(crate) info: &'a str,
    pub(crate) content: Cow<'a, str>,
    pub(crate) closed: bool,
    /// The paragraph or heading that ends directly before the fence (E14).
    pub(crate) before: Option<Rc<Before<'a>>>,
}

/// Hands over every fenced block in order, until told to stop.
pub(crate) fn each_block<'a>(
    reply: &'a str,
    window: usize,
    found: &mut dyn FnMut(Block<'a>) -> ControlFlow<()>,
) {
    let seen = seen(reply);
    let mut reading = Reading::new(reply, &seen);
    let mut size = window;
    while reading.start < reply.len() {
        match reading.next(size, window, found) {
            Step::Stop => return,
            Step::Further => size = window,
            Step::Longer => size = size.saturating_mul(2),
        }
    }
}

/// The same by one parse of everything: what the short ways are checked against.
#[cfg(test)]
pub(crate) fn parse_all<'a>(reply: &'a str, found: &mut dyn FnMut(Block<'a>) -> ControlFlow<()>) {
    let seen = seen(reply);
    Reading::new(reply, &seen).parse(usize::MAX, found);
}

/// What a step came to.
enum Step {
    Further,
    /// No block ended within the window.
    Longer,
    Stop,
}

/// How far a reply is read. What begins at `start` is at the top level.
struct Reading<'a, 's> {
    reply: &'a str,
    seen: &'s str,
    lines: Lines<'s>,
    start: usize,
    /// The text that ends directly before `start`.
    before: Option<Rc<Before<'a>>>,
    /// The first fence marks not before `start`; may be out of date, then they are before it.
    fence: usize,
}

impl<'a, 's> Reading<'a, 's> {
    fn new(reply: &'a str, seen: &'s str) -> Self {
        let lines = Lines { text: seen, offset: 0, line: 1 };
        Self { reply, seen, lines, start: 0, before: None, fence: 0 }
    }

    fn next(
        &mut self,
        size: usize,
        window: usize,
        found: &mut dyn FnMut(Block<'a>) -> ControlFlow<()>,
    ) -> Step {
        if self.fence <= self.start {
            self.fence = prose::first_fence(self.seen.as_bytes(), self.start).unwrap_or(self.reply.len());
        }
        let further = prose::pass(self.seen, self.start, self.fence);
        if further > self.start {
            (self.start, self.before) = (further, None);
        }
        if self.fence - self.start <= window
            && let Some(plain) = plain::read(self.reply, self.seen, self.fence)
            && let Some(step) = self.take_plain(plain, found)
        {
            return step;
        }
        self.parse(size, found)
    }

    /// Takes a block at the start of a line together with what stands before it, if its fence does open a block.
    fn take_plain(
        &mut self,
        plain: plain::Plain<'a>,
        found: &mut dyn FnMut(Block<'a>) -> ControlFlow<()>,
    ) -> Option<Step> {
        let mut walk = Walk::new(self.reply, self.start, self.before.clone());
        let events = Parser::new_ext(&self.seen[self.start..plain.opened], Options::empty());
        let mut opens = false;
        for (event, range) in events.into_offset_iter() {
            let range = self.start + range.start..self.start + range.end;
            if range.start == self.fence && walk.begins_block(&event, range.start) {
                opens = matches!(event, Event::Start(Tag::CodeBlock(_)));
                break;
            }
            walk.take(event, range);
        }
        if !opens {
            return None;
        }
        walk.end_text();
        let before = walk.before.take();
        if walk.settle(self.fence, &mut self.lines, found).is_break() {
            return Some(Step::Stop);
        }
        let line = self.lines.at(self.fence);
        (self.start, self.before) = (plain.end, None);
        let block = Block { line, info: plain.info, content: plain.content, closed: true, before };
        Some(if found(block).is_break() { Step::Stop } else { Step::Further })
    }

    /// Parses a window and takes all of its blocks but the last, which may go on.
    fn parse(&mut self, size: usize, found: &mut dyn FnMut(Block<'a>) -> ControlFlow<()>) -> Step {
        let end = line_end(self.seen, self.start, size);
        let mut walk = Walk::new(self.reply, self.start, self.before.clone());
        let events = Parser::new_ext(&self.seen[self.start..end], Options::empty()).into_offset_iter();
        for (event, range) in events {
            let range = self.start + range.start..self.start + range.end;
            if walk.begins_block(&event, range.start)
                && walk.settle(range.start, &mut self.lines, found).is_break()
            {
                return Step::Stop;
            }
            walk.take(event, range);
        }
        if end == self.reply.len() {
            // The end of the reply settles the last block, wherever it began; whether to stop no longer matters.
            let _ = walk.settle(end, &mut self.lines, found);
            return Step::Stop;
        }
        if walk.settled == self.start {
            return Step::Longer;
        }
        (self.start, self.before) = (walk.settled, walk.settled_before);
        Step::Further
    }
}

/// The end of the last whole line within `size` bytes, or of the first line if it is longer.
fn line_end(reply: &str, start: usize, size: usize) -> usize {
    let bytes = reply.as_bytes();
    let wanted = start.saturating_add(size);
    if wanted >= bytes.len() {
        return bytes.len();
    }
    match memrchr(b'\n', &bytes[start..wanted]) {
        Some(place) => start + place + 1,
        None => memchr(b'\n', &bytes[wanted..]).map_or(bytes.len(), |place| wanted + place + 1),
    }
}

/// The reply as the parser sees it: a CR that stands alone is a line end, and tabs between a fence and the end of its line
/// are spaces.
fn seen(reply: &str) -> Cow<'_, str> {
    let bytes = reply.as_bytes();
    let mut changed: Option<Vec<u8>> = None;
    let mut from = 0;
    while let Some(at) = memchr2(b'\t', b'\r', &bytes[from..]).map(|place| from + place) {
        from = at + 1;
        if bytes[at] == b'\r' {
            if bytes.get(from) != Some(&b'\n') {
                changed.get_or_insert_with(|| bytes.to_vec())[at] = b'\n';
            }
            continue;
        }
        let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t');
        from = at + bytes[at..].iter().take_while(is_blank).count();
        let fence = at - bytes[..at].iter().rev().take_while(is_blank).count();
        let closes = matches!(bytes.get(from), None | Some(b'\n' | b'\r'))
            && ["```", "~~~"].iter().any(|mark| bytes[..fence].ends_with(mark.as_bytes()));
        if closes {
            changed.get_or_insert_with(|| bytes.to_vec())[at..from].fill(b' ');
        }
    }
    // Single bytes became others of ASCII, so it is text still.
    changed.and_then(|bytes| String::from_utf8(bytes).ok()).map_or(Cow::Borrowed(reply), Cow::Owned)
}

/// Counts lines forward.
struct Lines<'t> {
    text: &'t str,
    offset: usize,
    line: usize,
}

impl Lines<'_> {
    fn at(&mut self, offset: usize) -> usize {
        self.line += memchr_iter(b'\n', &self.text.as_bytes()[self.offset..offset]).count();
        self.offset = offset;
        self.line
    }
}
