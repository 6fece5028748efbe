//! Strict JSON: what another reader might understand differently is an error, not a repair.
//!
//! Holds: no input panics; nesting and size are bounded; a key that stands twice is reported and neither of its values
//! is believed; a number keeps its spelling, since `256` and `256.0` are two things here.

use std::{iter::Peekable, str::CharIndices};

use crate::{Instead, verdict::Denial};

/// The longest request that is read.
pub const MAX_BYTES: usize = 64 * 1024;
/// The deepest nesting that is read.
pub const MAX_DEPTH: usize = 16;

/// One JSON value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Json {
    Null,
    Switch(bool),
    Number(Number),
    Text(String),
    List(Vec<Json>),
    Table(Vec<(String, Json)>),
}

/// A number as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Number(pub(crate) String);

impl Number {
    /// The value, if it was written without fraction and exponent; more than fits is the largest that fits.
    pub(crate) fn whole(&self) -> Option<i128> {
        let digits = self.0.strip_prefix('-').unwrap_or(&self.0);
        let is_whole = digits.bytes().all(|digit| digit.is_ascii_digit()) && self.0 != "-0";
        let least_or_most = if self.0.starts_with('-') { i128::MIN } else { i128::MAX };
        is_whole.then(|| self.0.parse().unwrap_or(least_or_most))
    }

    pub(crate) fn float(&self) -> f64 {
        self.0.parse().unwrap_or(f64::NAN)
    }
}

impl Json {
    pub(crate) fn get(&self, key: &str) -> Option<&Json> {
        match self {
            Self::Table(entries) => entries.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// What it is, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Switch(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::Text(_) => "a string",
            Self::List(_) => "a list",
            Self::Table(_) => "an object",
        }
    }
}

/// A document, and what is wrong with it that does not keep it from being read.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) root: Json,
    pub(crate) doubles: Vec<Denial>,
}

impl Document {
    /// Replaces values; a key that is missing stays missing.
    pub(crate) fn put(&mut self, instead: &Instead<'_>) {
        let Json::Table(entries) = &mut self.root else { return };
        let text = |text: &str| Json::Text(text.to_owned());
        for (key, value) in entries {
            match key.as_str() {
                "command" if !instead.command.is_empty() => {
                    *value = Json::List(instead.command.iter().map(|word| text(word)).collect());
                }
                "image" => *value = instead.image.map_or_else(|| value.clone(), text),
                "task_id" => *value = instead.task_id.map_or_else(|| value.clone(), text),
                _ => {}
            }
        }
    }
}

/// Reads a whole document.
pub(crate) fn read(bytes: &[u8]) -> Result<Document, Denial> {
    if bytes.len() > MAX_BYTES {
        return Err(Denial::new("A.size", "", format!("a request has at most {MAX_BYTES} bytes")));
    }
    if bytes.starts_with(b"\xef\xbb\xbf") {
        return Err(Denial::new("A.encoding", "", "a request begins without a byte order mark"));
    }
    let text =
        std::str::from_utf8(bytes).map_err(|_| Denial::new("A.encoding", "", "a request is UTF-8 text"))?;
    let mut reader = Reader { rest: text.char_indices().peekable(), place: Vec::new(), doubles: Vec::new() };
    let root = reader.value(1)?;
    reader.skip_space();
    match reader.rest.peek() {
        Some((at, _)) => Err(broken(*at, "something follows the request")),
        None => Ok(Document { root, doubles: reader.doubles }),
    }
}

fn broken(at: usize, what: &str) -> Denial {
    Denial::new("A.json", "", format!("not JSON: {what} (byte {})", at + 1))
}

struct Reader<'t> {
    rest: Peekable<CharIndices<'t>>,
    /// The names that lead to the value being read.
    place: Vec<String>,
    doubles: Vec<Denial>,
}

impl Reader<'_> {
    fn value(&mut self, depth: usize) -> Result<Json, Denial> {
        if depth > MAX_DEPTH {
            let reason = format!("a request is nested at most {MAX_DEPTH} deep");
            return Err(Denial::new("A.depth", self.place.join("."), reason));
        }
        self.skip_space();
        match self.rest.peek() {
            Some((_, '{')) => self.table(depth),
            Some((_, '[')) => self.list(depth),
            Some((_, '"')) => self.text().map(Json::Text),
            Some((_, 't')) => self.word("true", Json::Switch(true)),
            Some((_, 'f')) => self.word("false", Json::Switch(false)),
            Some((_, 'n')) => self.word("null", Json::Null),
            Some((_, '-' | '0'..='9')) => self.number(),
            Some((at, _)) => Err(broken(*at, "a value is expected")),
            None => Err(Denial::new("A.json", "", "not JSON: it ends where a value is expected")),
        }
    }

    fn table(&mut self, depth: usize) -> Result<Json, Denial> {
        self.expect('{')?;
        let mut entries: Vec<(String, Json)> = Vec::new();
        let mut doubles: Vec<String> = Vec::new();
        if self.closes('}') {
            return Ok(Json::Table(entries));
        }
        loop {
            self.skip_space();
            let key = self.text()?;
            self.skip_space();
            self.expect(':')?;
            self.place.push(key.clone());
            let value = self.value(depth + 1)?;
            if entries.iter().any(|(name, _)| *name == key) {
                self.doubles.push(Denial::new("A.duplicate", self.place.join("."), "the key stands twice"));
                doubles.push(key);
            } else {
                entries.push((key, value));
            }
            self.place.pop();
            if !self.goes_on('}')? {
                break;
            }
        }
        entries.retain(|(name, _)| !doubles.contains(name));
        Ok(Json::Table(entries))
    }

    fn list(&mut self, depth: usize) -> Result<Json, Denial> {
        self.expect('[')?;
        let mut items = Vec::new();
        if self.closes(']') {
            return Ok(Json::List(items));
        }
        loop {
            self.place.push(items.len().to_string());
            items.push(self.value(depth + 1)?);
            self.place.pop();
            if !self.goes_on(']')? {
                return Ok(Json::List(items));
            }
        }
    }

    fn closes(&mut self, end: char) -> bool {
        self.skip_space();
        self.rest.next_if(|(_, letter)| *letter == end).is_some()
    }

    /// After an entry: a comma, or the end.
    fn goes_on(&mut self, end: char) -> Result<bool, Denial> {
        self.skip_space();
        match self.rest.next() {
            Some((_, ',')) => Ok(true),
            Some((_, letter)) if letter == end => Ok(false),
            Some((at, _)) => Err(broken(at, "a comma or the end of a list or object is expected")),
            None => Err(Denial::new("A.json", "", "not JSON: it ends inside a list or object")),
        }
    }

    fn number(&mut self) -> Result<Json, Denial> {
        let at = self.rest.peek().map_or(0, |(at, _)| *at);
        let mut text = String::new();
        while let Some((_, letter)) =
            self.rest.next_if(|(_, letter)| matches!(letter, '0'..='9' | '-' | '+' | '.' | 'e' | 'E'))
        {
            text.push(letter);
        }
        match is_number(&text) {
            true => Ok(Json::Number(Number(text))),
            false => Err(broken(at, "that is no number")),
        }
    }

    fn word(&mut self, word: &str, value: Json) -> Result<Json, Denial> {
        word.chars().try_for_each(|letter| self.expect(letter))?;
        Ok(value)
    }

    fn text(&mut self) -> Result<String, Denial> {
        self.expect('"')?;
        let mut text = String::new();
        loop {
            match self.rest.next() {
                Some((_, '"')) => return Ok(text),
                Some((at, '\\')) => text.push(self.escaped(at)?),
                Some((at, letter)) if letter < ' ' => {
                    return Err(broken(at, "a control character in a string"));
                }
                Some((_, letter)) => text.push(letter),
                None => return Err(Denial::new("A.json", "", "not JSON: it ends inside a string")),
            }
        }
    }

    fn escaped(&mut self, at: usize) -> Result<char, Denial> {
        let letter = self.rest.next().map(|(_, letter)| letter);
        Ok(match letter {
            Some(letter @ ('"' | '\\' | '/')) => letter,
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('u') => return self.unicode(at),
            _ => return Err(broken(at, "an unknown escape")),
        })
    }

    /// `\uXXXX`, or two of them for a character beyond the first 65,536.
    fn unicode(&mut self, at: usize) -> Result<char, Denial> {
        let first = self.four_digits(at)?;
        let code = match first {
            0xd800..=0xdbff => {
                self.expect('\\')?;
                self.expect('u')?;
                let second = self.four_digits(at)?;
                let low = second.checked_sub(0xdc00).filter(|low| *low < 0x400);
                low.map(|low| 0x10000 + ((first - 0xd800) << 10) + low)
            }
            _ => Some(first),
        };
        code.and_then(char::from_u32).ok_or_else(|| broken(at, "half a character in an escape"))
    }

    fn four_digits(&mut self, at: usize) -> Result<u32, Denial> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = self.rest.next().and_then(|(_, letter)| letter.to_digit(16));
            code = code * 16 + digit.ok_or_else(|| broken(at, "an escape needs four digits"))?;
        }
        Ok(code)
    }

    fn expect(&mut self, wanted: char) -> Result<(), Denial> {
        match self.rest.next() {
            Some((_, letter)) if letter == wanted => Ok(()),
            Some((at, _)) => Err(broken(at, &format!("`{wanted}` is expected"))),
            None => Err(Denial::new("A.json", "", format!("not JSON: it ends where `{wanted}` is expected"))),
        }
    }

    fn skip_space(&mut self) {
        while self.rest.next_if(|(_, letter)| matches!(letter, ' ' | '\t' | '\n' | '\r')).is_some() {}
    }
}

/// JSON's grammar of numbers.
fn is_number(text: &str) -> bool {
    let text = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|exponent| digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(text: &[u8]) -> String {
        match read(text) {
            Ok(document) if document.doubles.is_empty() => "read".to_owned(),
            Ok(document) => document.doubles[0].rule.clone(),
            Err(denial) => denial.rule,
        }
    }

    /// A2: what is not exactly one JSON document is refused, each case with its rule.
    #[test]
    fn a_2_only_strict_json_is_read() {
        let deep = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth)).into_bytes();
        let cases: [(&[u8], &str); 28] = [
            (b"{}", "read"),
            (b" [1, -2.5e+3, \"a\\u0041\\ud83d\\ude00\", true, null]\n", "read"),
            (b"", "A.json"),
            (b"{", "A.json"),
            (b"{} {}", "A.json"),
            (b"{}x", "A.json"),
            (b"{\"a\":1,}", "A.json"),
            (b"{a:1}", "A.json"),
            (b"{'a':1}", "A.json"),
            (b"{\"a\":1 // no\n}", "A.json"),
            (b"/* no */ {}", "A.json"),
            (b"[01]", "A.json"),
            (b"[1.]", "A.json"),
            (b"[.5]", "A.json"),
            (b"[+1]", "A.json"),
            (b"[0x10]", "A.json"),
            (b"[NaN]", "A.json"),
            (b"[Infinity]", "A.json"),
            (b"[\"\\ud800\"]", "A.json"),
            (b"[\"\\x41\"]", "A.json"),
            (b"[\"\n\"]", "A.json"),
            (b"[\"a]", "A.json"),
            (b"\xef\xbb\xbf{}", "A.encoding"),
            (b"[\"\xff\"]", "A.encoding"),
            (b"{\"a\":1,\"a\":1}", "A.duplicate"),
            (b"{\"a\":1,\"\\u0061\":1}", "A.duplicate"),
            (b"[[{\"b\":{\"a\":1,\"c\":2,\"a\":1}}]]", "A.duplicate"),
            (b"\x00", "A.json"),
        ];
        for (text, expected) in cases {
            assert_eq!(rule(text), expected, "{}", String::from_utf8_lossy(text));
        }
        assert_eq!((rule(&deep(15)), rule(&deep(16))), ("read".to_owned(), "A.depth".to_owned()));
        assert_eq!(rule(&deep(30_000)), "A.depth");
        assert_eq!(rule(&vec![b' '; MAX_BYTES + 1]), "A.size");
    }

    /// Neither value of a key that stands twice is believed.
    #[test]
    fn a_2_both_values_of_a_double_key_are_dropped() {
        let document = read(br#"{"a":1,"b":2,"a":3}"#).unwrap();
        assert_eq!(document.root, Json::Table(vec![("b".to_owned(), Json::Number(Number("2".to_owned())))]));
        assert_eq!(document.doubles[0].field, "a");
    }
}
