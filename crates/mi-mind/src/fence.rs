//! Cuts text to a size and fences it, so that data cannot pass for anything else.
//!
//! Sizes are counted as bytes inside a JSON string, because that is how text leaves: a newline counts two.
//! Holds: cuts fall between characters; a fence's key occurs in no text it fences.

use mi_model::sha256_hex;

/// Room kept for the mark that says how much was left out.
const MARK_BYTES: usize = 64;

/// The text itself, or its beginning and end with a mark between them, at most `budget` bytes in JSON.
pub(crate) fn clip(text: &str, budget: usize) -> String {
    if json_bytes(text) <= budget {
        return text.to_owned();
    }
    let room = budget.saturating_sub(MARK_BYTES);
    // The end of a transcript says more than its beginning.
    let head_end = prefix_bytes(text, room / 3);
    let tail_start = text.len() - suffix_bytes(&text[head_end..], room - room / 3);
    let left_out = tail_start - head_end;
    let mark = format!("[… {left_out} bytes left out …]");
    match (&text[..head_end], &text[tail_start..]) {
        ("", "") => mark,
        (head, tail) => format!("{head}\n{mark}\n{tail}"),
    }
}

/// How many bytes the text takes inside a JSON string.
pub(crate) fn json_bytes(text: &str) -> usize {
    text.chars().map(json_width).sum()
}

/// A key that none of the texts contains, the same for the same texts.
///
/// Text cannot be written to contain the digest of itself, so nobody but this function knows the key beforehand.
pub(crate) fn key_for<'a>(texts: impl Iterator<Item = &'a str> + Clone) -> String {
    let mut seed = String::new();
    for text in texts.clone() {
        seed.push_str(&sha256_hex(text.as_bytes()));
    }
    loop {
        seed = sha256_hex(seed.as_bytes());
        let key = &seed[..16];
        if !texts.clone().any(|text| text.contains(key)) {
            return key.to_owned();
        }
    }
}

/// The text between its two fence lines.
pub(crate) fn fence(key: &str, label: &str, text: &str) -> String {
    format!("<<<mi:{key} {label}>>>\n{text}\n<<<mi:{key} end>>>\n")
}

/// How many bytes of the text's beginning fit.
fn prefix_bytes(text: &str, budget: usize) -> usize {
    fitting(text.chars(), budget)
}

/// How many bytes of the text's end fit.
fn suffix_bytes(text: &str, budget: usize) -> usize {
    fitting(text.chars().rev(), budget)
}

fn fitting(characters: impl Iterator<Item = char>, budget: usize) -> usize {
    let mut used = 0;
    characters
        .take_while(|&character| {
            used += json_width(character);
            used <= budget
        })
        .map(char::len_utf8)
        .sum()
}

fn json_width(character: char) -> usize {
    match character {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        other => other.len_utf8(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The size counted is the size serde_json writes, for every kind of character.
    #[test]
    fn counted_size_is_the_written_size() {
        let text: String = (0..0x3000).filter_map(char::from_u32).chain("😀\u{10ffff}".chars()).collect();
        assert_eq!(json_bytes(&text), serde_json::to_string(&text).unwrap().len() - 2);
    }

    /// Whatever the text and the budget, the cut text fits, and says how much is missing.
    #[test]
    fn cut_text_fits_its_budget() {
        for text in ["x".repeat(5000), "汉字😀\n".repeat(700), "\u{1}".repeat(3000)] {
            for budget in [100, 101, 102, 103, 999, 4000] {
                let cut = clip(&text, budget);
                assert!(json_bytes(&cut) <= budget, "{} > {budget}", json_bytes(&cut));
                let left_out: usize =
                    cut.split("[… ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
                let mark = format!("\n[… {left_out} bytes left out …]\n");
                assert_eq!(cut.len() - mark.len() + left_out, text.len());
            }
        }
        assert_eq!(clip("short", 100), "short");
        assert_eq!(clip(&"y".repeat(900), 10), "[… 900 bytes left out …]");
    }

    /// A text that names a key gets another one.
    #[test]
    fn key_is_never_in_the_text() {
        let guessed = key_for(["some log"].into_iter());
        let key = key_for(["some log", &guessed].into_iter());
        assert_ne!(key, guessed);
        assert_eq!(key_for(["some log"].into_iter()), guessed);
    }
}
