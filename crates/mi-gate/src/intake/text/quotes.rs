//! Words in quotation marks: what is named, not what is said.

/// A longer quotation is a sentence of somebody, and is read.
const LONGEST: usize = 40;

/// The line with a blank for each short quotation.
pub(super) fn without(line: &str) -> String {
    let mut said = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(|char: char| closing_mark(char).is_some()) {
        let (before, from) = rest.split_at(at);
        said.push_str(before);
        let mark = from.chars().next().map_or(0, char::len_utf8);
        match quotation(&said, from) {
            Some(length) => {
                said.push(' ');
                rest = &from[length..];
            }
            None => {
                said.push_str(&from[..mark]);
                rest = &from[mark..];
            }
        }
    }
    said.push_str(rest);
    said
}

/// The bytes of the quotation that begins here, if it is short and closed.
fn quotation(before: &str, from: &str) -> Option<usize> {
    let open = from.chars().next()?;
    let close = closing_mark(open)?;
    let inner = &from[open.len_utf8()..];
    // An apostrophe stands behind a letter: don't, the users' data.
    if open == '\'' && before.ends_with(char::is_alphanumeric) {
        return None;
    }
    let (end, _) = inner.char_indices().take(LONGEST + 1).find(|(at, char)| {
        let after = &inner[at + char.len_utf8()..];
        *char == close && !(close == '\'' && after.starts_with(char::is_alphanumeric))
    })?;
    (!inner[..end].trim().is_empty()).then_some(open.len_utf8() + end + close.len_utf8())
}

fn closing_mark(open: char) -> Option<char> {
    Some(match open {
        '"' => '"',
        '\'' => '\'',
        '“' => '”',
        '‘' => '’',
        '「' => '」',
        '『' => '』',
        '《' => '》',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Short quotations go; apostrophes, open marks and whole sentences stay.
    #[test]
    fn d_03_quotations_are_mentions() {
        for (line, said) in [
            ("bold \"urgent\" here", "bold   here"),
            ("把“直接做”加粗", "把 加粗"),
            ("the 'override' flag", "the   flag"),
            ("don't hurry, it isn't", "don't hurry, it isn't"),
            ("the users' data and the teams' data", "the users' data and the teams' data"),
            ("5\" screen", "5\" screen"),
            (
                "she wrote \"the production site is down, please fix it\"",
                "she wrote \"the production site is down, please fix it\"",
            ),
            ("empty \"\" stays", "empty \"\" stays"),
        ] {
            assert_eq!(without(line), said, "{line}");
        }
    }
}
