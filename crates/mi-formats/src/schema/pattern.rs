//! Patterns as JSON Schema has them (ECMA 262), for an engine that takes no longer than its text is long.

use regex::Regex;

const SPACES: &str = r"\t\n\x0B\x0C\r \u{a0}\u{feff}\p{Zs}\u{2028}\u{2029}";

/// Classes mean what they mean in ECMA 262; what has no equal there or here is refused.
pub(super) fn compile(source: &str) -> Result<Regex, String> {
    let mut translated = String::with_capacity(source.len());
    let mut in_class = false;
    let mut characters = source.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => translated.push_str(&escape(characters.next())?),
            '.' if !in_class => translated.push_str(r"[^\n\r\u{2028}\u{2029}]"),
            '[' if in_class => translated.push_str(r"\["),
            '&' | '~' if in_class => translated.extend(['\\', character]),
            _ => translated.push(character),
        }
        in_class = match character {
            '[' => true,
            ']' => false,
            _ => in_class,
        };
    }
    Regex::new(&translated).map_err(|error| error.to_string())
}

/// What stands after a backslash. A class is right inside of another one too.
fn escape(character: Option<char>) -> Result<String, String> {
    match character {
        Some('d') => Ok("[0-9]".to_owned()),
        Some('D') => Ok("[^0-9]".to_owned()),
        Some('w') => Ok("[A-Za-z0-9_]".to_owned()),
        Some('W') => Ok("[^A-Za-z0-9_]".to_owned()),
        Some('s') => Ok(format!("[{SPACES}]")),
        Some('S') => Ok(format!("[^{SPACES}]")),
        Some(same @ ('n' | 'r' | 't' | 'f' | 'v')) => Ok(format!("\\{same}")),
        Some(plain) if plain.is_ascii_punctuation() => Ok(format!("\\{plain}")),
        Some(other) => Err(format!("`\\{other}` is not known")),
        None => Err("it ends with a backslash".to_owned()),
    }
}
