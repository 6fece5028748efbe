//! Texts cut for people.

/// `text`, or its first characters and `…`: at most `most` characters.
pub fn shorten(text: &str, most: usize) -> String {
    if text.chars().nth(most).is_none() {
        return text.to_owned();
    }
    let kept = text.chars().take(most.saturating_sub(1));
    kept.chain(['…']).take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
