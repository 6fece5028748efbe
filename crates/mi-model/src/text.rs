//! Texts cut for people, and written for a shell.

/// `text`, or its first characters and `…`: at most `most` characters.
pub fn shorten(text: &str, most: usize) -> String {
    if text.chars().nth(most).is_none() {
        return text.to_owned();
    }
    let kept = text.chars().take(most.saturating_sub(1));
    kept.chain(['…']).take(most).collect()
}

/// `word` as a shell reads it: as this very word.
pub fn shell_word(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_@%+=:,./-".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a shell could read otherwise is quoted, quotes too.
    #[test]
    fn words_are_quoted_for_a_shell() {
        for (word, expected) in [
            ("/usr/bin/mi", "/usr/bin/mi"),
            ("", "''"),
            ("空 格", "'空 格'"),
            ("it's", r"'it'\''s'"),
            ("a=b", "a=b"),
            ("$(x)", "'$(x)'"),
        ] {
            assert_eq!(shell_word(word), expected);
        }
    }

    /// Cuts fall between characters, and the mark counts.
    #[test]
    fn texts_are_cut_between_characters() {
        for (text, most, expected) in [
            ("abc", 3, "abc"),
            ("abcd", 3, "ab…"),
            ("测试测试", 3, "测试…"),
            ("ab", 1, "…"),
            ("a", 0, ""),
            ("", 0, ""),
        ] {
            assert_eq!(shorten(text, most), expected, "{text} {most}");
        }
    }
}
