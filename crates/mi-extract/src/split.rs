//! Words that say that a block is only a part of a file (E25).

/// A text with single spaces between its words.
pub(crate) fn squeezed(text: &str) -> String {
    let mut squeezed = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !squeezed.is_empty() {
            squeezed.push(' ');
        }
        squeezed.push_str(word);
    }
    squeezed
}

/// The name before a note that it is a part: `a.py` of `a.py (part 1/2)`.
pub(crate) fn before_note(name: &str) -> Option<&str> {
    let (name, note) = name.split_once(' ')?;
    says_split(&squeezed(&note.to_lowercase())).then_some(name)
}

/// Whether a text, in lower case and with single spaces, says so.
pub(crate) fn says_split(text: &str) -> bool {
    const PHRASES: [&str; 5] = ["(continued", "add this to", "add the following to", "续", "계속"];
    const WORDS: [&str; 7] =
        ["continued", "continuation", "append", "appends", "appended", "appending", "cont'd"];
    PHRASES.iter().any(|phrase| text.contains(phrase))
        || text
            .split(|letter: char| !letter.is_alphanumeric() && letter != '\'')
            .any(|word| WORDS.contains(&word))
        || says_part(text)
        || (text.contains('/') && says_fraction(text))
}

/// Whether a text, in lower case and with single spaces, speaks of writing a part: it needs no other word of intent. A fraction
/// alone does not (`3/3 tests`), nor does what something else does (`appends`, `继续`), nor a part of something else.
pub(crate) fn asks_for_part(text: &str) -> bool {
    let of_name = text.starts_with("part ") || text.contains("(part ") || text.contains(" of `");
    text.contains("(continued")
        || text
            .split(|letter: char| !letter.is_alphanumeric())
            .any(|word| ["append", "appending", "continuation"].contains(&word))
        || (of_name && says_part(text))
}

/// `part 2`, `part #2`, `part two`.
fn says_part(text: &str) -> bool {
    const NUMBERS: [&str; 5] = ["one", "two", "three", "four", "five"];
    text.match_indices("part").any(|(place, word)| {
        let starts = text[..place].chars().next_back().is_none_or(|letter| !letter.is_alphanumeric());
        let rest = text[place + word.len()..].trim_start_matches([' ', '#', '-']);
        let number = rest.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
        starts && (rest.starts_with(|letter: char| letter.is_ascii_digit()) || NUMBERS.contains(&number))
    })
}

/// `1/2` as a word of its own.
fn says_fraction(text: &str) -> bool {
    let digits =
        |part: &str| !part.is_empty() && part.len() < 5 && part.bytes().all(|byte| byte.is_ascii_digit());
    let outer = |letter: char| !letter.is_alphanumeric() && letter != '/' && letter != '.' && letter != '_';
    text.split(outer).any(|word| {
        let word = word.trim_end_matches('.');
        word.split_once('/').is_some_and(|(left, right)| digits(left) && digits(right))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e_25_parts_are_heard() {
        for text in [
            "part 2",
            "(part 1 of 3)",
            "part two:",
            "create ` (2/3):",
            "` (continued)",
            "continuation of `",
            "append to `",
            "add this to `",
            "add the  following to ` :",
            "`（续）",
            "계속",
        ] {
            assert!(says_split(&squeezed(text)), "{text}");
        }
        for text in [
            "create `:",
            "the partial `",
            "depart 2",
            "on 2024/01/02",
            "appendix",
            "either/or",
            "add the following code to `",
        ] {
            assert!(!says_split(&squeezed(text)), "{text}");
        }
    }
}
