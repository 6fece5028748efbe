//! Front matter: the YAML between two `---` lines at the head of a Markdown file, read strictly, changed line by line.
//!
//! Holds: [`set_field`] changes one field and leaves every other byte as it was, so that what a person added stays.

use mi_yaml::YamlError;
use serde::de::DeserializeOwned;

/// A file with front matter, in its two parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts<'a> {
    pub front: &'a str,
    pub body: &'a str,
}

/// Front matter that cannot be read, with the line of the file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct FrontError {
    pub line: u64,
    pub message: String,
}

/// Front matter is at most this long; more is not front matter.
const MAX_BYTES: usize = 64 * 1024;

/// Cuts a file into front matter and body.
pub fn split(text: &str) -> Result<Parts<'_>, FrontError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let first = text.lines().next().unwrap_or_default();
    let start = text.find('\n').map_or(text.len(), |at| at + 1);
    if first.trim_end() != "---" {
        let message = "front matter is missing: the first line must be `---`".to_owned();
        return Err(FrontError { line: 1, message });
    }
    let mut at = start;
    for line in text[start..].split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Ok(Parts { front: &text[start..at], body: &text[at + line.len()..] });
        }
        at += line.len();
        if at > MAX_BYTES {
            break;
        }
    }
    let message = "front matter has no end: a line `---` must follow it".to_owned();
    Err(FrontError { line: 1, message })
}

/// Reads the front matter of a file as `T`.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, FrontError> {
    // The line before it is the `---`, so that places are those of the file.
    let front = format!("\n{}", split(text)?.front);
    mi_yaml::read(&front).map_err(|YamlError { line, message }| FrontError { line: line.max(2), message })
}

/// The file with one field set to a value that is already YAML; a field that was not there is added at the end.
pub fn set_field(text: &str, key: &str, value: &str) -> Result<String, FrontError> {
    let parts = split(text)?;
    let front_start = parts.front.as_ptr() as usize - text.as_ptr() as usize;
    let front_end = front_start + parts.front.len();
    let newline = if parts.front.contains("\r\n") { "\r\n" } else { "\n" };
    let mut front = String::with_capacity(parts.front.len() + value.len());
    let (mut done, mut inside) = (false, false);
    for line in parts.front.split_inclusive('\n') {
        let goes_on = line.starts_with([' ', '\t']) || line.starts_with("- ") || line.trim_end() == "-";
        if inside && goes_on {
            continue;
        }
        inside = line.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with(':'));
        if inside {
            front.push_str(&format!("{key}: {value}{newline}"));
            done = true;
        } else {
            front.push_str(line);
        }
    }
    if !done {
        front.push_str(&format!("{key}: {value}{newline}"));
    }
    Ok(format!("{}{front}{}", &text[..front_start], &text[front_end..]))
}

/// A text as a YAML scalar in double quotes: one spelling for everybody.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    if text.bytes().all(|byte| (0x20..0x7f).contains(&byte) && !matches!(byte, b'"' | b'\\')) {
        out.push_str(text);
        out.push('"');
        return out;
    }
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            letter if letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}' | '\u{feff}') => {
                out.push_str(&format!("\\u{:04X}", u32::from(letter)));
            }
            letter => out.push(letter),
        }
    }
    out.push('"');
    out
}

/// A list of texts on one line.
pub fn quoted_list<T: AsRef<str>>(texts: &[T]) -> String {
    let items: Vec<String> = texts.iter().map(|text| quoted(text.as_ref())).collect();
    format!("[{}]", items.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[derive(serde::Deserialize)]
    struct Titled {
        #[expect(dead_code, reason = "only whether it can be read counts")]
        title: String,
    }

    /// What breaks front matter is told with the line of the file.
    #[test]
    fn broken_front_matter_has_its_line() {
        let line = |text: &str| read::<Titled>(text).err().map(|error| error.line);
        assert_eq!(line("title: x\n"), Some(1));
        assert_eq!(line("---\ntitle: x\n"), Some(1));
        assert_eq!(line("---\ntitle: x\ntitle: y\n---\n"), Some(3));
        assert_eq!(line("---\na: [1\n---\n"), Some(2));
        assert_eq!(line("\u{feff}---\r\ntitle: x\r\n---\r\nbody"), None);
    }

    /// One field is changed, also where it spans lines; a person's own words stay.
    #[test]
    fn a_field_is_set_and_the_rest_stays() {
        let text = "---\ntitle: a # mine\naliases:\n- x\n- y\nstatus: active\n---\n\nstatus: body\n";
        let changed = set_field(text, "aliases", "[\"z\"]").unwrap();
        assert_eq!(changed, "---\ntitle: a # mine\naliases: [\"z\"]\nstatus: active\n---\n\nstatus: body\n");
        assert_eq!(
            set_field("---\na: 1\n---\n", "status", "archived").unwrap(),
            "---\na: 1\nstatus: archived\n---\n"
        );
    }

    proptest! {
        /// Whatever is quoted is read back.
        #[test]
        fn quoted_text_comes_back(text in any::<String>()) {
            let file = format!("---\ntitle: {}\n---\n", quoted(&text));
            prop_assert_eq!(read::<BTreeMap<String, String>>(&file).unwrap().remove("title"), Some(text));
        }
    }
}
