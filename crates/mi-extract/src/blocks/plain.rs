//! A block whose fence begins a line, read without a parser.
//!
//! Such a fence stands in no list or quote, so its content is the reply's own lines up to the closing fence. Whether it opens
//! a block at all (it may close one, or stand in HTML) is for the caller to find out.

use std::borrow::Cow;

use memchr::{memchr, memchr2, memmem};

/// Where the closing fence is looked for, so that fences that never close do not each cost the rest of the reply.
const LONGEST_BYTES: usize = 32 << 20;

/// What stands there if the fence opens a block.
pub(super) struct Plain<'a> {
    pub(super) info: &'a str,
    pub(super) content: Cow<'a, str>,
    /// After the opening line.
    pub(super) opened: usize,
    /// After the closing line.
    pub(super) end: usize,
}

/// The block at this fence; nothing if it does not begin a line, or has no end.
pub(super) fn read<'a>(reply: &'a str, seen: &str, fence: usize) -> Option<Plain<'a>> {
    let bytes = seen.as_bytes();
    let mark = *bytes.get(fence)?;
    if fence > 0 && bytes[fence - 1] != b'\n' {
        return None;
    }
    let opened = fence + memchr(b'\n', &bytes[fence..])? + 1;
    let opening = reply[fence..opened].trim();
    let length = opening.bytes().take_while(|byte| *byte == mark).count();
    let info = opening[length..].trim();
    let near = &bytes[..bytes.len().min(opened + LONGEST_BYTES)];
    let (closing, end) = closing(near, opened, mark, length)?;
    Some(Plain { info, content: with_line_feeds(&reply[opened..closing]), opened, end })
}

/// Where the line of the closing fence begins and ends.
fn closing(bytes: &[u8], from: usize, mark: u8, length: usize) -> Option<(usize, usize)> {
    let marks = [mark; 3];
    let mut at = from;
    loop {
        at += memmem::find(&bytes[at..], &marks)?;
        let run = bytes[at..].iter().take_while(|byte| **byte == mark).count();
        let indent = bytes[from..at].iter().rev().take_while(|byte| **byte == b' ').count();
        let begins_line = at - indent == from || bytes[at - indent - 1] == b'\n';
        at += run;
        if begins_line && indent < 4 && run >= length {
            let rest = memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |place| at + place + 1);
            if bytes[at..rest].iter().all(|byte| matches!(byte, b' ' | b'\r' | b'\n')) {
                return Some((at - run - indent, rest));
            }
        }
    }
}

/// CRLF and a CR that stands alone end a line as LF does (E7).
fn with_line_feeds(content: &str) -> Cow<'_, str> {
    let bytes = content.as_bytes();
    if memchr(b'\r', bytes).is_none() {
        return Cow::Borrowed(content);
    }
    let mut lines = String::with_capacity(content.len());
    let mut from = 0;
    while let Some(place) = memchr2(b'\n', b'\r', &bytes[from..]) {
        lines.push_str(&content[from..from + place]);
        lines.push('\n');
        from += place + 1;
        if bytes[from - 1] == b'\r' && bytes.get(from) == Some(&b'\n') {
            from += 1;
        }
    }
    lines.push_str(&content[from..]);
    Cow::Owned(lines)
}
