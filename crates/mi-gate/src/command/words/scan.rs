//! Finds where quotes, substitutions and here-documents end in raw text.

use super::Nested;
use crate::command::heredocs::unveiled;

/// Index of the `close` that ends what was opened just before `text`, or its length.
///
/// Quotes, nested brackets, comments and here-documents are stepped over.
pub(super) fn closing(text: &str, close: u8) -> usize {
    let open = match close {
        b')' => b'(',
        b']' => b'[',
        _ => b'{',
    };
    let bytes = text.as_bytes();
    let mut pending: Vec<(String, bool)> = Vec::new();
    let (mut at, mut depth) = (0, 0usize);
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'\'' => at = after(bytes, at + 1, b'\''),
            b'"' => at = double_quoted(text, at + 1),
            b'`' => at = after(bytes, at + 1, b'`'),
            b'#' if close == b')' && starts_word(bytes, at) => {
                at = after(bytes, at, b'\n').saturating_sub(1).max(at + 1)
            }
            b'<' if close == b')' && bytes[at..].starts_with(b"<<") && !bytes[at..].starts_with(b"<<<") => {
                at = here_document(text, at + 2, &mut pending);
            }
            b'<' if bytes[at..].starts_with(b"<<<") => at += 3,
            b'\n' if !pending.is_empty() => at = skip_documents(text, at + 1, &mut pending),
            b'$' if close == b'}' && bytes.get(at + 1) == Some(&b'(') => {
                at = (at + 2 + closing(&text[at + 2..], b')') + 1).min(bytes.len());
            }
            byte if byte == close && depth == 0 => return at,
            byte => {
                depth = match byte {
                    byte if byte == open => depth + 1,
                    byte if byte == close => depth - 1,
                    _ => depth,
                };
                at += 1;
            }
        }
    }
    text.len()
}

/// Whether `text` begins with `((` that the shell computes: the ends of both touch. Otherwise the first opens a script, in
/// which the second opens a subshell. Bash counts parentheses after it wrote substitutions anew, which adds or drops those of a `case`,
/// and sees no comments.
pub(super) fn is_arithmetic(text: &str) -> bool {
    let Some(inner) = text.strip_prefix("((") else { return false };
    let end = closing(inner, b')');
    inner.as_bytes().get(end + 1) == Some(&b')')
        && !["esac", " #", "\t#", "\n#"].iter().any(|odd| inner[..end].contains(odd))
}

fn starts_word(bytes: &[u8], at: usize) -> bool {
    at == 0 || matches!(bytes[at - 1], b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(')
}

fn after(bytes: &[u8], from: usize, close: u8) -> usize {
    let from = from.min(bytes.len());
    bytes[from..].iter().position(|byte| *byte == close).map_or(bytes.len(), |index| from + index + 1)
}

/// Index after the closing double quote; substitutions inside may hold quotes of their own.
fn double_quoted(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = from;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => return at + 1,
            b'\\' => at += 2,
            b'$' if bytes.get(at + 1) == Some(&b'(') => {
                at = (at + 2 + closing(&text[at + 2..], b')') + 1).min(bytes.len());
            }
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Reads the delimiter after `<<` and remembers that its text starts on the next line.
fn here_document(text: &str, from: usize, pending: &mut Vec<(String, bool)>) -> usize {
    let bytes = text.as_bytes();
    let strip = bytes.get(from) == Some(&b'-');
    let mut at = from + usize::from(strip);
    while matches!(bytes.get(at), Some(b' ' | b'\t')) {
        at += 1;
    }
    let start = at.min(bytes.len());
    let mut quote = None;
    while let Some(byte) = bytes.get(at) {
        match (quote, byte) {
            (None, b'\'' | b'"') => quote = Some(*byte),
            (Some(open), byte) if open == *byte => quote = None,
            (None, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')') => break,
            _ => {}
        }
        at += 1;
    }
    let delimiter = text.get(start..at).unwrap_or_default().replace(['\'', '"', '\\'], "");
    pending.push((delimiter, strip));
    at
}

fn skip_documents(text: &str, from: usize, pending: &mut Vec<(String, bool)>) -> usize {
    let mut at = from;
    for (delimiter, strip) in pending.drain(..) {
        while at < text.len() {
            let end = text[at..].find('\n').map_or(text.len(), |index| at + index);
            let line = &text[at..end];
            let line = if strip { line.trim_start_matches('\t') } else { line };
            at = (end + 1).min(text.len());
            if line == delimiter {
                break;
            }
        }
    }
    at
}

/// The script inside backquotes, unescaped, and the bytes up to and including the closing one.
pub(super) fn backquoted(text: &str) -> (String, usize) {
    let mut script = String::new();
    let mut chars = text.char_indices();
    while let Some((index, char)) = chars.next() {
        match char {
            '`' => return (script, index + 1),
            '\\' => match chars.next() {
                Some((_, escaped @ ('`' | '\\' | '$'))) => script.push(escaped),
                Some((_, other)) => script.extend(['\\', other]),
                None => {}
            },
            plain => script.push(plain),
        }
    }
    (script, text.len())
}

/// The substitutions of a text in which quotes mean nothing: here-documents, arithmetic, `${ … }`.
pub(in crate::command) fn substitutions(text: &str) -> Vec<Nested> {
    let text = unveiled(text);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(offset) = text[at..].find(['\\', '$', '`']) {
        at += offset;
        let rest = &text[at..];
        if let Some(escaped) = rest.strip_prefix('\\') {
            at += 1 + escaped.chars().next().map_or(0, char::len_utf8);
        } else if let Some(inner) = rest.strip_prefix('`') {
            let (script, length) = backquoted(inner);
            found.push(Nested { script, process: false });
            at += 1 + length;
        } else if rest.starts_with("$((") && is_arithmetic(&rest[1..]) {
            at += 3;
        } else if let Some(inner) = rest.strip_prefix("$(") {
            let end = closing(inner, b')');
            found.push(Nested { script: inner[..end].to_owned(), process: false });
            at = (at + 2 + end + 1).min(text.len());
        } else {
            at += 1;
        }
    }
    found
}

/// Decodes `$'…'` after its opening quote; gives the text and the bytes read, closing quote included.
pub(super) fn ansi_c(text: &str) -> (String, usize) {
    let mut value = String::new();
    let mut at = 0;
    while let Some(char) = text[at..].chars().next() {
        at += char.len_utf8();
        match char {
            '\'' => return (value, at),
            '\\' => at += escape(&text[at..], &mut value),
            plain => value.push(plain),
        }
    }
    (value, at)
}

/// Decodes one escape after its backslash; gives the bytes read.
fn escape(text: &str, value: &mut String) -> usize {
    let Some(kind) = text.chars().next() else { return 0 };
    let rest = &text[kind.len_utf8()..];
    let simple = match kind {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'a' => '\x07',
        'b' => '\x08',
        'e' | 'E' => '\x1b',
        'f' => '\x0c',
        'v' => '\x0b',
        '\\' | '\'' | '"' | '?' => kind,
        // Without digits it stays as it is written.
        'x' | 'u' | 'U' if !rest.starts_with(|digit: char| digit.is_ascii_hexdigit()) => {
            value.extend(['\\', kind]);
            return 1;
        }
        'x' => return 1 + number(rest, 16, 2, value),
        'u' => return 1 + number(rest, 16, 4, value),
        'U' => return 1 + number(rest, 16, 8, value),
        '0'..='7' => return number(text, 8, 3, value),
        'c' => {
            let Some(control) = rest.chars().next() else { return 1 };
            value.push(char::from((control as u32 as u8) & 0x1f));
            return 1 + control.len_utf8();
        }
        other => {
            value.extend(['\\', other]);
            return other.len_utf8();
        }
    };
    value.push(simple);
    kind.len_utf8()
}

fn number(text: &str, radix: u32, digits: usize, value: &mut String) -> usize {
    let length = text.chars().take(digits).take_while(|c| c.is_digit(radix)).count();
    let code = u32::from_str_radix(&text[..length], radix).ok();
    value.extend(code.and_then(char::from_u32));
    length
}
