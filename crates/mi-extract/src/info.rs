//! The info string of a fence: its language (E5) and the name it may hold (E13).

use crate::name_like::{has_known_extension, is_name_like};

/// Up to the first space, `:`, `,` or `{`, as written.
pub(crate) fn language(info: &str) -> Option<&str> {
    let language = info.split([' ', '\t', ':', ',', '{']).next().unwrap_or_default();
    (!language.is_empty()).then_some(language)
}

/// Whether a block has one of these languages, or one of these and none at all is among them as "".
pub(crate) fn is_one_of(language: Option<&str>, known: &[&str]) -> bool {
    let language = language.unwrap_or_default();
    known.iter().any(|name| name.eq_ignore_ascii_case(language))
}

/// The name that an info string gives.
pub(crate) fn name(info: &str) -> Option<&str> {
    attribute(info).or_else(|| {
        let plain = info.split('{').next().unwrap_or_default();
        let mut words = plain.split([' ', '\t']).filter(|word| !word.is_empty());
        let (first, second, third) = (words.next()?, words.next(), words.next());
        let colon = first.split_once(':').filter(|(language, path)| !language.is_empty() && !path.is_empty());
        match (colon, second, third) {
            (Some((_, path)), _, _) => Some(path),
            (None, Some(path), None) => Some(path).filter(|path| is_name_like(path) && !path.contains('=')),
            (None, None, None) => Some(first).filter(|word| is_sole_name(word)),
            _ => None,
        }
    })
}

/// A name together with what stands in brackets behind it: `rust:a.rs (part 2)`.
pub(crate) fn with_note<'a>(info: &'a str, name: &'a str) -> &'a str {
    let start = info.find(name).filter(|place| info[place + name.len()..].trim_start().starts_with('('));
    start.map_or(name, |place| &info[place..])
}

/// A bare name such as `Makefile` is a language here.
fn is_sole_name(word: &str) -> bool {
    is_name_like(word) && !word.contains('=') && (word.contains('/') || has_known_extension(word))
}

/// The value of the first `title=`, `file=`, `filename=` or `path=`, with or without quotes or braces.
fn attribute(info: &str) -> Option<&str> {
    const KEYS: [&str; 4] = ["filename", "file", "path", "title"];
    let mut from = 0;
    while let Some(place) = info.as_bytes().get(from..).and_then(|rest| memchr::memchr(b'=', rest)) {
        let place = from + place;
        let key = info[..place].rsplit([' ', '\t', '{', ',', '}']).next().unwrap_or_default();
        let value = value(&info[place + 1..]);
        // What stands in quotes is no attribute.
        from = place + 1 + value.len();
        let Some(key) = KEYS.iter().find(|known| known.eq_ignore_ascii_case(key)) else { continue };
        if !value.is_empty() && (*key != "title" || is_name_like(value)) {
            return Some(value);
        }
    }
    None
}

fn value(rest: &str) -> &str {
    let rest = rest.strip_prefix('{').unwrap_or(rest);
    for quote in ['"', '\'', '`'] {
        if let Some((value, _)) = rest.strip_prefix(quote).and_then(|inner| inner.split_once(quote)) {
            return value;
        }
    }
    rest.split([' ', '\t', '}', ',']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e_05_language_ends_at_its_separator() {
        for (info, expected) in [
            ("rust", Some("rust")),
            ("Rust:src/a.rs", Some("Rust")),
            ("rust,ignore", Some("rust")),
            ("js{1,2}", Some("js")),
            ("c++ a.cc", Some("c++")),
            ("", None),
            ("{file=a.py}", None),
        ] {
            assert_eq!(language(info), expected, "{info}");
        }
    }

    #[test]
    fn e_13_info_strings_name_files() {
        for (info, expected) in [
            ("rust:src/main.rs", Some("src/main.rs")),
            ("text:CON", Some("CON")),
            ("rust src/main.rs", Some("src/main.rs")),
            ("python hello.py {1,3}", Some("hello.py")),
            ("src/main.rs", Some("src/main.rs")),
            ("main.rs", Some("main.rs")),
            ("js title=\"src/a.js\"", Some("src/a.js")),
            ("js title=\"My example\"", None),
            ("js {file='a b.js'}", Some("a b.js")),
            ("{.python filename=a.py}", Some("a.py")),
            ("js path=src/a.js, lines", Some("src/a.js")),
            ("js file={a.js}", Some("a.js")),
            ("js FileName=a", Some("a")),
            ("js profile=a.js", None),
            ("js title=\"é file=evil.py\"", None),
            ("js title=\"an é\" file=a.js", Some("a.js")),
            ("js title=é", None),
            ("Makefile", None),
            ("rust", None),
            ("rust,ignore", None),
            ("rust ignore", None),
            ("rust src/main.rs and more", None),
            ("python:", None),
            ("js file=", None),
            ("", None),
        ] {
            assert_eq!(name(info), expected, "{info}");
        }
    }
}
