//! File names as git writes them in a diff, quoted or not.

/// `a/x b/x`, where names may hold blanks: both halves are equal unless a rename line says otherwise.
pub(super) fn of_git_line(rest: &str) -> (Option<String>, Option<String>) {
    if rest.starts_with('"') {
        let end = closing_quote(rest);
        let (old, new) = rest.split_at(end);
        return (unquote(old).map(without_side), unquote(new.trim_start()).map(without_side));
    }
    let middle = rest.len() / 2;
    let halves = rest.split_at_checked(middle).filter(|(_, right)| right.starts_with(' '));
    match halves {
        Some((left, right)) => {
            (Some(without_side(left.to_owned())), Some(without_side(right[1..].to_owned())))
        }
        None => match rest.split_once(" b/").or_else(|| rest.split_once(" \"b/")) {
            Some((left, right)) => {
                (Some(without_side(left.to_owned())), Some(right.trim_end_matches('"').to_owned()))
            }
            None => (None, None),
        },
    }
}

/// The name behind `--- ` or `+++ `; none for `/dev/null`.
pub(super) fn of_name_line(text: &str) -> Option<String> {
    let name = if text.starts_with('"') { unquote(text)? } else { text.split('\t').next()?.to_owned() };
    (name != "/dev/null").then(|| without_side(name))
}

fn without_side(name: String) -> String {
    match name.split_at_checked(2) {
        Some(("a/" | "b/" | "i/" | "w/" | "c/" | "o/", rest)) => rest.to_owned(),
        _ => name,
    }
}

fn closing_quote(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

/// Takes the quotes of C off: `"a\303\244"` is `aä`.
pub(super) fn unquote(text: &str) -> Option<String> {
    let Some(inner) = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return Some(text.to_owned());
    };
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(if byte == b'\\' { escaped(&mut rest)? } else { byte });
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn escaped(rest: &mut std::str::Bytes<'_>) -> Option<u8> {
    Some(match rest.next()? {
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'a' => 7,
        b'b' => 8,
        b'v' => 11,
        b'f' => 12,
        first @ b'0'..=b'3' => {
            let (second, third) = (rest.next()?, rest.next()?);
            let digit = |byte: u8| (b'0'..=b'7').contains(&byte).then(|| byte - b'0');
            digit(first)? * 64 + digit(second)? * 8 + digit(third)?
        }
        other => other,
    })
}
