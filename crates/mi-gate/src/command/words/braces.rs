//! Brace expansion of raw words: `{a,b}` and `{1..3}`, outside quotes and expansions.

/// More results than this leave the word as it is.
const MAX_WORDS: usize = 64;

/// Longer words with braces are not expanded: looking for pairs is quadratic.
const MAX_BYTES: usize = 2048;

/// The raw words that `raw` stands for, quotes kept; None if there are too many or it is too long.
pub(super) fn expand(raw: &str) -> Option<Vec<String>> {
    if !has_open_brace(raw) {
        return Some(vec![raw.to_owned()]);
    }
    if raw.len() > MAX_BYTES {
        return None;
    }
    let mut done = Vec::new();
    let mut open = vec![raw.to_owned()];
    while let Some(word) = open.pop() {
        match first_brace(&word) {
            Some((start, end, members)) if done.len() + open.len() + members.len() <= MAX_WORDS => {
                for member in members.iter().rev() {
                    open.push(format!("{}{}{}", &word[..start], member, &word[end..]));
                }
            }
            Some(_) => return None,
            None => done.push(word),
        }
    }
    Some(done)
}

/// Whether a brace stands outside quotes and expansions.
fn has_open_brace(raw: &str) -> bool {
    let bytes = raw.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'{' {
            return true;
        }
        at = skip(bytes, at);
    }
    false
}

/// The first brace expression: its range and its members.
fn first_brace(word: &str) -> Option<(usize, usize, Vec<String>)> {
    let bytes = word.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'{' => {
                if let Some((end, members)) = members(word, at) {
                    return Some((at, end, members));
                }
                at += 1;
            }
            _ => at = skip(bytes, at),
        }
    }
    None
}

/// One step over a byte, a quoted span or an expansion.
fn skip(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at..];
    let span = |close: u8, from: usize| {
        rest[from..].iter().position(|b| *b == close).map_or(rest.len(), |i| from + i + 1)
    };
    match rest {
        [b'\\', ..] => at + 2.min(rest.len()),
        [b'\'', ..] => at + span(b'\'', 1),
        [b'"', ..] => at + span(b'"', 1),
        [b'`', ..] => at + span(b'`', 1),
        [b'$', b'{', ..] => at + span(b'}', 2),
        [b'$', b'(', ..] => at + span(b')', 2),
        _ => at + 1,
    }
}

fn members(word: &str, open: usize) -> Option<(usize, Vec<String>)> {
    let bytes = word.as_bytes();
    let (mut at, mut depth, mut start) = (open + 1, 0, open + 1);
    let mut members = Vec::new();
    while at < bytes.len() {
        match bytes[at] {
            b'{' => {
                depth += 1;
                at += 1;
            }
            b'}' if depth > 0 => {
                depth -= 1;
                at += 1;
            }
            b',' if depth == 0 => {
                members.push(word.get(start..at)?.to_owned());
                at += 1;
                start = at;
            }
            b'}' => {
                let last = word.get(start..at)?;
                if members.is_empty() {
                    return Some((at + 1, sequence(last)?));
                }
                members.push(last.to_owned());
                return Some((at + 1, members));
            }
            _ => at = skip(bytes, at),
        }
    }
    None
}

/// `1..3` or `a..c`, at most as many as a word may become.
fn sequence(text: &str) -> Option<Vec<String>> {
    let (first, last) = text.split_once("..")?;
    if let (Ok(first), Ok(last)) = (first.parse::<i32>(), last.parse::<i32>()) {
        let (low, high) = (first.min(last), first.max(last));
        let count = i64::from(high) - i64::from(low);
        return (count < MAX_WORDS as i64).then(|| (low..=high).map(|n| n.to_string()).collect());
    }
    let (&[first], &[last]) = (first.as_bytes(), last.as_bytes()) else {
        return None;
    };
    (first.is_ascii_alphabetic() && last.is_ascii_alphabetic() && first <= last)
        .then(|| (first..=last).map(|byte| char::from(byte).to_string()).collect())
}
