//! The body of a here-document as the shell would hand it on (E21, E22).

use super::read::Here;
use crate::outcome::Reason;

/// The content of the file, or `expansion` where the shell would put something in.
pub(super) fn resolve(body: &str, here: &Here) -> Result<String, Reason> {
    let body = if here.strip_tabs { without_tabs(body, here) } else { body.to_owned() };
    if here.literal || !body.contains(['\\', '`', '$']) {
        return Ok(body);
    }
    let mut content = String::with_capacity(body.len());
    let mut letters = body.chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, letters.peek()) {
            ('\\', Some('\n')) => drop(letters.next()),
            ('\\', Some(&next @ ('$' | '`' | '\\'))) => {
                letters.next();
                content.push(next);
            }
            ('`', _) => return Err(Reason::Expansion),
            ('$', Some(&next)) if next.is_ascii_alphanumeric() || "_{(@*#?-$!".contains(next) => {
                return Err(Reason::Expansion);
            }
            _ => content.push(letter),
        }
    }
    Ok(content)
}

/// Lines are joined first: tabs after a backslash-newline stay.
fn without_tabs(body: &str, here: &Here) -> String {
    let mut is_joined = false;
    let stripped = body.split_inclusive('\n').map(|line| {
        let shown = if is_joined { line } else { line.trim_start_matches('\t') };
        is_joined = here.goes_on(line.trim_end_matches('\n'));
        shown
    });
    stripped.collect()
}
