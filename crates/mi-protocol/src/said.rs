//! Comparing what people write: upper and lower case, and how it is spaced, do not matter.

/// Case-folded, white space collapsed and trimmed.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        fold_into(&mut folded, word);
    }
    folded
}

/// The name of a source: case-folded and trimmed; what stands between its words is part of it.
pub fn fold_source(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    fold_into(&mut folded, text.trim());
    folded
}

fn fold_into(folded: &mut String, text: &str) {
    for char in text.chars() {
        if char.is_ascii() {
            folded.push(char.to_ascii_lowercase());
        } else if char == 'ı' {
            // The one letter whose upper case belongs to another: it is not an `i`.
            folded.push(char);
        } else {
            // There and back, so that `ß` and `ẞ` meet `SS` and both forms of sigma meet.
            let upper = char.to_lowercase().flat_map(char::to_uppercase);
            folded.extend(upper.flat_map(char::to_lowercase));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::fold;

    /// The same sentence, however it is typed.
    #[test]
    fn spelling_and_spacing_do_not_matter() {
        let cases = [
            ("  Should\tI \n proceed ", "should i proceed"),
            ("STRASSE", "strasse"),
            ("Straße", "strasse"),
            ("STRAẞE", "strasse"),
            ("SICIL KAYDI", "sicil kaydi"),
            ("sıcak", "sıcak"),
            ("İ", "i\u{307}"),
            ("ΟΔΟΣ", "οδοσ"),
            ("οδος", "οδοσ"),
            ("是否继续", "是否继续"),
            ("\u{3000}a\u{a0}b", "a b"),
            ("", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(fold(text), expected);
        }
    }
}
