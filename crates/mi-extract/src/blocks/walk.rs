//! What the parser's events say: fenced blocks with their contents, and the text that ends before each.

use std::{borrow::Cow, ops::ControlFlow, ops::Range, rc::Rc};

use memchr::{memchr, memchr2};
use pulldown_cmark::{CodeBlockKind, CowStr, Event, Tag, TagEnd};

use super::{Block, Lines};
use crate::before::{Before, Piece};

/// One pass over the events of a window.
pub(super) struct Walk<'a> {
    reply: &'a str,
    depth: usize,
    /// Where the newest top-level block begins, and what stood before it.
    pub(super) settled: usize,
    pub(super) settled_before: Option<Rc<Before<'a>>>,
    /// Blocks found in it, with the offsets of their fences.
    pending: Vec<(usize, Block<'a>)>,
    pub(super) before: Option<Rc<Before<'a>>>,
    text: Option<Before<'a>>,
    is_html: bool,
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
    pub(super) fn new(reply: &'a str, start: usize, before: Option<Rc<Before<'a>>>) -> Self {
        Self {
            reply,
            depth: 0,
            settled: start,
            settled_before: before.clone(),
            pending: Vec::new(),
            before,
            text: None,
            is_html: false,
            code: None,
        }
    }

    /// Whether parsing can begin anew here. At an item of a list it can: it is read by itself, as if it began the list. At a
    /// paragraph only after an empty line: directly after a link's definition some lines are one that would be HTML or a list.
    pub(super) fn begins_block(&self, event: &Event<'_>, offset: usize) -> bool {
        match event {
            Event::Start(Tag::Item) => self.depth == 1,
            Event::Start(Tag::Paragraph) => self.depth == 0 && follows_empty_line(&self.reply[..offset]),
            Event::Start(_) | Event::Rule => self.depth == 0,
            _ => false,
        }
    }

    /// All blocks before this offset are final.
    pub(super) fn settle(
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

    pub(super) fn take(&mut self, event: Event<'_>, range: Range<usize>) {
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
            Event::Start(Tag::HtmlBlock) => {
                self.end_text();
                (self.before, self.is_html) = (None, true);
            }
            Event::End(TagEnd::HtmlBlock) => self.is_html = false,
            // The indentation of HTML comes as text.
            _ if self.is_html => {}
            Event::Rule => {
                self.end_text();
                self.before = None;
            }
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

    pub(super) fn end_text(&mut self) {
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

fn follows_empty_line(before: &str) -> bool {
    let line = before.trim_end_matches([' ', '\t']);
    let above = line.strip_suffix('\n').unwrap_or(line);
    let above = above.strip_suffix('\r').unwrap_or(above).trim_end_matches([' ', '\t']);
    above.is_empty() || above.ends_with(['\n', '\r'])
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
