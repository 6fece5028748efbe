//! Examples that a text gives: "gross(100, 7) is 107", "31 December 2023 is in week 52".

/// A clause with two values or more and a word that relates them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    pub text: String,
    /// Its numbers and quoted texts, as far as they are long enough to be looked for.
    pub literals: Vec<String>,
}

/// Words and signs between what is given and what comes of it.
const RELATING: [&str; 22] = [
    "is", "are", "returns", "return", "gives", "becomes", "yields", "equals", "in", "be", "->", "=>", "→",
    "=", "==", "ist", "sind", "ergibt", "es", "est", "donne", "da",
];
const RELATING_CJK: [&str; 6] = ["是", "等于", "返回", "应为", "变成", "になる"];
/// Numbers after these words name a document, a size or a place, not a case.
const NUMBERING: [&str; 14] = [
    "iso", "rfc", "issue", "ticket", "bug", "pr", "python", "node", "version", "line", "port", "page",
    "step", "phase",
];

/// The examples of a text.
pub fn examples(text: &str) -> Vec<Example> {
    let clauses = clauses(text).into_iter();
    clauses
        .filter_map(|clause| {
            let literals = literals(clause);
            (literals.len() >= 2 && relates(clause))
                .then(|| Example { text: clause.trim().to_owned(), literals })
        })
        .collect()
}

fn relates(clause: &str) -> bool {
    clause.split_whitespace().any(|word| RELATING.contains(&word.to_lowercase().as_str()))
        || RELATING_CJK.iter().any(|word| clause.contains(word))
}

/// Cuts at commas, colons and ends of sentences outside of brackets, quotes and code.
fn clauses(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut start, mut depth, mut quote) = (0, 0_i32, None);
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    for (index, (at, char)) in chars.iter().enumerate() {
        let next = chars.get(index + 1).map(|(_, char)| *char);
        match char {
            '`' | '"' if quote == Some(*char) => quote = None,
            '`' | '"' if quote.is_none() => quote = Some(*char),
            '(' | '[' | '{' | '（' => depth += 1,
            ')' | ']' | '}' | '）' => depth -= 1,
            _ => {}
        }
        let ends = "；;，、。：\n".contains(*char)
            || ",:.!?".contains(*char) && next.is_none_or(char::is_whitespace);
        let is_semicolon = matches!(char, ';' | '；');
        if ends && (depth <= 0 || is_semicolon) && quote.is_none() {
            depth = 0;
            found.push(&text[start..*at]);
            start = at + char.len_utf8();
        }
    }
    found.push(&text[start..]);
    found
}

/// Numbers of two digits or more, and quoted texts.
fn literals(clause: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut before = String::new();
    let clause_words = clause.replace(['(', ')'], " ");
    let is_part = |char: char| char.is_ascii_alphanumeric() || "_.#-".contains(char);
    for word in clause_words.split(|char: char| !is_part(char)).filter(|word| !word.is_empty()) {
        let number = word.trim_matches('.').trim_start_matches('-');
        // A number may carry a unit: `1.5m`, `30S`.
        let digits = number.trim_end_matches(|char: char| char.is_ascii_alphabetic());
        let is_number = number.len() > 1
            && number.len() - digits.len() <= 2
            && digits.chars().all(|char| char.is_ascii_digit() || char == '.')
            && digits.starts_with(|char: char| char.is_ascii_digit())
            && digits.matches('.').count() <= 1;
        if is_number && !word.starts_with('#') && !NUMBERING.contains(&before.as_str()) {
            found.push(number.to_owned());
        }
        before = word.to_lowercase();
    }
    if clause.matches('"').count().is_multiple_of(2) {
        let quoted = clause.split('"').skip(1).step_by(2);
        found.extend(quoted.filter(|text| text.len() > 1 && text.len() < 60).map(str::to_owned));
    }
    found.sort();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        examples(text).into_iter().map(|example| example.text).collect()
    }

    /// An example has what is given and what comes of it; other numbers are none.
    #[test]
    fn examples_have_two_values_and_a_relation() {
        assert_eq!(
            texts("We need ISO 8601 weeks: 1 January 2024 is in week 12, 31 December 2023 in week 52."),
            ["1 January 2024 is in week 12", "31 December 2023 in week 52"]
        );
        assert_eq!(texts("gross(100, 7) is 107"), ["gross(100, 7) is 107"]);
        for none in [
            "mean([]) must return 0.0",
            "Security issue #88: values are escaped",
            "add DELETE /users/:id (204, removes the user; 404 when there is none)",
            "use ubuntu-22.04 instead of 20.04",
            "RFC 3339 times are in UTC since 2020",
        ] {
            assert_eq!(texts(none), Vec::<String>::new(), "{none}");
        }
    }
}
