//! The fenced blocks of a reply with their places, contents and the text that ends directly before each.
//!
//! The reply is parsed in windows that begin at top-level blocks. Where blocks begin is decided from left to right, so
//! all but the last block of a window are final; the last one is parsed again with the next window.
//!
//! Long text without a fence is passed over (`prose`).
//!
//! What is parsed and what contents are taken from are two texts with the same offsets: the parser takes neither a CR for a
//! line end nor a fence with a TAB behind it for a closing one, so others stand there for it (`seen`).
//!
//! Holds: the blocks are those of one CommonMark parse of the whole reply, at a fraction of its memory.

use std::{borrow::Cow, ops::ControlFlow, ops::Range, rc::Rc};

use memchr::{memchr, memchr_iter, memchr2, memrchr};
use pulldown_cmark::{CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd};

use crate::{
    before::{Before, Piece},
    prose,
};

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
    let mut lines = Lines { text: &seen, offset: 0, line: 1 };
    let (mut start, mut size, mut before) = (0, window, None);
    while start < reply.len() {
        let further = prose::pass(&seen, start);
        // Not for a few lines: each start costs a parser.
        if further - start > window / 64 {
            (start, size, before) = (further, window, None);
            continue;
        }
        let end = line_end(&seen, start, size);
        let mut walk = Walk::new(reply, start, before.clone());
        let events = Parser::new_ext(&seen[start..end], Options::empty()).into_offset_iter();
        for (event, range) in events {
            let range = start + range.start..start + range.end;
            if walk.begins_block(&event) && walk.settle(range.start, &mut lines, found).is_break() {
                return;
            }
            walk.take(event, range);
        }
        if end == reply.len() {
            // The end of the reply settles the last block, wherever it began; whether to stop no longer matters.
            let _ = walk.settle(end, &mut lines, found);
            return;
        }
        if walk.settled > start {
            (start, size, before) = (walk.settled, window, walk.settled_before);
        } else {
            size = size.saturating_mul(2);
        }
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

/// One pass over the events of a window.
struct Walk<'a> {
    reply: &'a str,
    depth: usize,
    /// Where the newest top-level block begins, and what stood before it.
    settled: usize,
    settled_before: Option<Rc<Before<'a>>>,
    /// Blocks found in it, with the offsets of their fences.
    pending: Vec<(usize, Block<'a>)>,
    before: Option<Rc<Before<'a>>>,
    text: Option<Before<'a>>,
    code: Option<Code<'a>>,
}

/// The code block that is being read.
struct Code<'a> {
    fence: usize,
    fenced: bool,
    /// The part of the reply that the content is, as long as it is one.
    run: Range<usize>,
    owned: Option<String>,
    last_end: usize,
    before: Option<Rc<Before<'a>>>,
}

impl<'a> Walk<'a> {
    fn new(reply: &'a str, start: usize, before: Option<Rc<Before<'a>>>) -> Self {
        Self {
            reply,
            depth: 0,
            settled: start,
            settled_before: before.clone(),
            pending: Vec::new(),
            before,
            text: None,
            code: None,
        }
    }

    fn begins_block(&self, event: &Event<'_>) -> bool {
        self.depth == 0 && matches!(event, Event::Start(_) | Event::Rule)
    }

    /// All blocks before this offset are final.
    fn settle(
        &mut self,
        offset: usize,
        lines: &mut Lines<'_>,
        found: &mut dyn FnMut(Block<'a>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        // The indentation decides what a block is.
        let indented = self.reply[..offset].trim_end_matches([' ', '\t']);
        self.settled = indented.len();
        self.settled_before.clone_from(&self.before);
        for (fence, mut block) in self.pending.drain(..) {
            block.line = lines.at(fence);
            found(block)?;
        }
        ControlFlow::Continue(())
    }

    fn take(&mut self, event: Event<'_>, range: Range<usize>) {
        match &event {
            Event::Start(_) => self.depth += 1,
            Event::End(_) => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        match event {
            Event::Start(Tag::Paragraph | Tag::Heading { .. }) => {
                self.end_text();
                self.text = Some(Before::new(self.reply));
            }
            Event::End(TagEnd::Paragraph | TagEnd::Heading(_)) => self.end_text(),
            Event::Start(Tag::CodeBlock(kind)) => self.begin_code(&kind, range),
            Event::End(TagEnd::CodeBlock) => self.end_code(range.end),
            Event::Start(Tag::HtmlBlock) | Event::Rule => {
                self.end_text();
                self.before = None;
            }
            Event::Html(_) | Event::End(TagEnd::HtmlBlock) => {}
            Event::Start(Tag::BlockQuote(_) | Tag::List(_) | Tag::Item)
            | Event::End(TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::Item) => self.end_text(),
            Event::Text(text) if self.code.is_some() => self.push_code(&text, range),
            other => self.inline(other, range),
        }
    }

    /// Inline text; in a tight list it comes without a paragraph around it.
    fn inline(&mut self, event: Event<'_>, range: Range<usize>) {
        let text = self.text.get_or_insert_with(|| Before::new(self.reply));
        let piece = match event {
            Event::Text(text) => Some(Piece::Text(of_reply(self.reply, text, &range))),
            Event::Code(code) => Some(Piece::Code(of_reply(self.reply, code, &range))),
            Event::SoftBreak | Event::HardBreak => Some(Piece::Text(" ".into())),
            _ => None,
        };
        text.push(piece, range);
    }

    fn end_text(&mut self) {
        if let Some(text) = self.text.take() {
            self.before = Some(Rc::new(text));
        }
    }

    fn begin_code(&mut self, kind: &CodeBlockKind<'_>, range: Range<usize>) {
        self.end_text();
        let opening = line_after(self.reply, &range);
        self.code = Some(Code {
            fence: range.start,
            fenced: matches!(kind, CodeBlockKind::Fenced(_)),
            run: opening..opening,
            owned: None,
            last_end: opening,
            before: self.before.take(),
        });
    }

    fn push_code(&mut self, text: &str, range: Range<usize>) {
        let reply = self.reply;
        let Some(code) = &mut self.code else { return };
        code.last_end = code.last_end.max(range.end);
        let whole = text.len() == range.len();
        match &mut code.owned {
            Some(owned) => owned.push_str(if whole { &reply[range] } else { text }),
            None if whole && code.run.is_empty() => code.run = range,
            None if whole && code.run.end == range.start => code.run.end = range.end,
            None => {
                let text = if whole { &reply[range] } else { text };
                code.owned = Some(format!("{}{text}", &reply[code.run.clone()]));
            }
        }
    }

    fn end_code(&mut self, end: usize) {
        let Some(code) = self.code.take() else { return };
        if !code.fenced {
            return;
        }
        let opening = self.reply[code.fence..end].split(['\n', '\r']).next().unwrap_or_default().trim();
        let mark = opening.chars().next().unwrap_or('`');
        // After the content only the closing fence is left, behind the marks of its containers.
        let closed = self.reply.get(code.last_end..end).is_some_and(|rest| rest.contains(mark));
        let content = with_line_feeds(code.owned.map_or(Cow::Borrowed(&self.reply[code.run]), Cow::Owned));
        let info = opening.trim_start_matches(mark).trim();
        self.pending.push((code.fence, Block { line: 0, info, content, closed, before: code.before }));
    }
}

/// A piece of text as the reply has it, where it stands there in one piece.
fn of_reply<'a>(reply: &'a str, text: CowStr<'_>, range: &Range<usize>) -> CowStr<'a> {
    match reply.get(range.clone()) {
        Some(same) if same.len() == text.len() => CowStr::Borrowed(same),
        _ => text.into_static(),
    }
}

/// Where the line after the first one of a range begins.
fn line_after(reply: &str, range: &Range<usize>) -> usize {
    let bytes = &reply.as_bytes()[range.clone()];
    let Some(end) = memchr2(b'\n', b'\r', bytes) else { return range.end };
    let both = bytes[end] == b'\r' && bytes.get(end + 1) == Some(&b'\n');
    range.start + end + if both { 2 } else { 1 }
}

/// A CR that stands alone ends a line too (E7); the parser has taken those before a LF away.
fn with_line_feeds(content: Cow<'_, str>) -> Cow<'_, str> {
    if memchr(b'\r', content.as_bytes()).is_none() {
        content
    } else {
        Cow::Owned(content.replace('\r', "\n"))
    }
}
