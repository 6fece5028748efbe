//! Text that cannot hold a fenced block, passed over without parsing it.
//!
//! Prose is most of a long reply, and reading it as CommonMark costs far more than seeing that it has no fence.
//!
//! Holds: parsing that goes on at the place given here finds the same blocks, with the same text before each.

use memchr::{memchr, memchr_iter, memchr2_iter, memrchr};

/// The place from which the reply must be parsed again: `start`, if nothing can be passed over. `fence` is the first fence
/// there or the end.
///
/// What is passed over has no fence and no HTML that could go on past an empty line. The place begins a line after an
/// empty one and is not indented, so whatever was open before it is closed; that line is the beginning of a paragraph or
/// heading, so that what stands before it does not name the block.
pub(super) fn pass(reply: &str, start: usize, fence: usize) -> usize {
    let bytes = reply.as_bytes();
    if fence == bytes.len() {
        return fence;
    }
    let mut place = fence;
    while let Some(fresh) = last_fresh_line(bytes, start, place) {
        if begins_text(&bytes[fresh..fence]) {
            return if opens_html(&bytes[start..fresh]) { start } else { fresh };
        }
        place = fresh;
    }
    start
}

/// Whether a line can begin nothing but a paragraph: no list, quote, rule, definition or HTML.
fn begins_text(line: &[u8]) -> bool {
    match line {
        [first, ..] if first.is_ascii_alphabetic() || *first >= 0x80 => true,
        [b'*', b'*', next, ..] | [b'`', next, ..] => next.is_ascii_alphanumeric(),
        _ => {
            let level = line.iter().take_while(|byte| **byte == b'#').count();
            (1..=6).contains(&level)
                && matches!(line[level..], [b' ', next, ..] if next.is_ascii_alphanumeric())
        }
    }
}

/// Three equal fence marks in a row.
pub(super) fn first_fence(bytes: &[u8], start: usize) -> Option<usize> {
    let is_fence = |at: &usize| {
        let marks = &bytes[start + at..];
        marks.len() >= 3 && marks[1] == marks[0] && marks[2] == marks[0]
    };
    memchr2_iter(b'`', b'~', &bytes[start..]).find(is_fence).map(|at| start + at)
}

/// The last line before `end` that stands after an empty line and is not indented.
fn last_fresh_line(bytes: &[u8], start: usize, end: usize) -> Option<usize> {
    let mut line_start = memrchr(b'\n', &bytes[start..end]).map(|at| start + at + 1)?;
    // A line that begins at `end` itself is not before it.
    if line_start == end {
        line_start = memrchr(b'\n', &bytes[start..end - 1]).map(|at| start + at + 1)?;
    }
    loop {
        let before = memrchr(b'\n', &bytes[start..line_start - 1]).map(|at| start + at + 1)?;
        let is_empty = bytes[before..line_start].iter().all(|byte| b" \t\r\n".contains(byte));
        let is_indented = bytes.get(line_start).is_none_or(u8::is_ascii_whitespace);
        if is_empty && !is_indented {
            return Some(line_start);
        }
        line_start = before;
    }
}

/// HTML that ends at its own mark and not at an empty line: comments, declarations, `<script`, `<pre`, `<style`,
/// `<textarea`. Any `<` that could begin one counts.
fn opens_html(bytes: &[u8]) -> bool {
    memchr(b'<', bytes).is_some()
        && memchr_iter(b'<', bytes).any(|at| {
            bytes
                .get(at + 1)
                .is_none_or(|next| matches!(next.to_ascii_lowercase(), b'!' | b'?' | b's' | b'p' | b't'))
        })
}
