//! One line of a log, as bytes, and the few fields every record carries, read without building the rest.
//!
//! Holds: a line that is not a JSON object, or not UTF-8, has no frame; nothing here fails on foreign fields.

use mi_model::{Hlc, Timestamp, record::Record};
use serde::{Deserialize, Deserializer, de};
use serde_json::{Map, Value};
use std::{borrow::Cow, fmt};

/// No record is longer, so that reading one back needs bounded memory.
pub const MAX_LINE_BYTES: usize = 16 << 20;

/// How much is kept of a line that another tool wrote longer than [`MAX_LINE_BYTES`].
pub(crate) const CUT_BYTES: usize = 64 << 10;

/// One complete line of a log, without its newline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Where it starts in the file.
    pub offset: u64,
    /// How long it is in the file.
    pub length: u64,
    /// Its bytes; of a line longer than [`MAX_LINE_BYTES`] only the beginning.
    pub bytes: Vec<u8>,
}

impl Line {
    /// True when the line is too long to be held whole.
    pub fn is_cut(&self) -> bool {
        (self.bytes.len() as u64) < self.length
    }

    /// Where the next line starts.
    pub fn end(&self) -> u64 {
        self.offset + self.length + 1
    }

    /// True for a line of nothing but white space.
    pub fn is_blank(&self) -> bool {
        self.bytes.iter().all(u8::is_ascii_whitespace)
    }

    /// The fields all records carry; `None` if the line is not one JSON object in UTF-8.
    pub fn frame(&self) -> Option<LineFrame<'_>> {
        // A JSON array would fill the same fields by position, so the opening brace is asked for.
        if self.is_cut() || self.bytes.trim_ascii_start().first() != Some(&b'{') {
            return None;
        }
        serde_json::from_str(std::str::from_utf8(&self.bytes).ok()?).ok()
    }

    /// Whether the text stands anywhere in the line: much cheaper than to read it.
    pub fn mentions(&self, text: &str) -> bool {
        memchr::memmem::find(&self.bytes, text.as_bytes()).is_some()
    }

    /// The whole record; an error for a foreign kind or shape.
    pub fn record(&self) -> Result<Record, serde_json::Error> {
        serde_json::from_slice(&self.bytes)
    }

    /// The whole object, for records of any shape.
    pub fn object(&self) -> Option<Map<String, Value>> {
        serde_json::from_slice(&self.bytes).ok()
    }
}

/// What can be said of any record, ours or foreign.
#[derive(Debug, Deserialize)]
pub struct LineFrame<'a> {
    #[serde(borrow, default)]
    kind: Scalar<'a>,
    #[serde(borrow, default)]
    ts: Scalar<'a>,
    #[serde(borrow, default)]
    run_id: Scalar<'a>,
    #[serde(borrow, default)]
    seq: Scalar<'a>,
    #[serde(borrow, default)]
    pub(crate) prev: Scalar<'a>,
    #[serde(borrow, default)]
    hlc: Scalar<'a>,
    #[serde(borrow, default)]
    pub(crate) status: Scalar<'a>,
    #[serde(borrow, default)]
    pub(crate) resumed: Scalar<'a>,
}

impl LineFrame<'_> {
    /// The record's `kind`.
    pub fn kind(&self) -> Option<&str> {
        self.kind.text()
    }

    /// The run it belongs to.
    pub fn run_id(&self) -> Option<&str> {
        self.run_id.text()
    }

    /// Its number in the log.
    pub fn seq(&self) -> Option<u64> {
        match self.seq {
            Scalar::Number(number) => Some(number),
            _ => None,
        }
    }

    /// When it was written.
    pub fn timestamp(&self) -> Option<Timestamp> {
        self.ts.text()?.parse().ok()
    }

    pub(crate) fn hlc(&self) -> Option<Hlc> {
        self.hlc.text()?.parse().ok()
    }
}

/// A JSON value of which only texts and whole numbers are of interest.
#[derive(Debug, Default, PartialEq)]
pub(crate) enum Scalar<'a> {
    #[default]
    Absent,
    Null,
    Text(Cow<'a, str>),
    Number(u64),
    True,
    Other,
}

impl Scalar<'_> {
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Scalar<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ScalarVisitor)
    }
}

struct ScalarVisitor;

impl<'de> de::Visitor<'de> for ScalarVisitor {
    type Value = Scalar<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Scalar::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Scalar::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Scalar::Number(number))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Scalar::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Scalar::Other)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(if value { Scalar::True } else { Scalar::Other })
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Scalar::Null)
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        while items.next_element::<de::IgnoredAny>()?.is_some() {}
        Ok(Scalar::Other)
    }

    fn visit_map<A: de::MapAccess<'de>>(self, mut fields: A) -> Result<Self::Value, A::Error> {
        while fields.next_entry::<de::IgnoredAny, de::IgnoredAny>()?.is_some() {}
        Ok(Scalar::Other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &[u8]) -> Line {
        Line { offset: 0, length: text.len() as u64, bytes: text.to_vec() }
    }

    /// Foreign types in the common fields are passed over, not refused.
    #[test]
    fn frame_reads_what_it_can() {
        let line = line(br#"{"kind":"x","seq":"7","ts":12,"run_id":null,"prev":[1,{"a":2}],"hlc":{}}"#);
        let frame = line.frame().unwrap();
        assert_eq!((frame.kind(), frame.seq(), frame.run_id()), (Some("x"), None, None));
    }

    /// What is not one JSON object in UTF-8 has no frame.
    #[test]
    fn other_text_has_no_frame() {
        for text in
            [&b"{\"kind\":\"x\""[..], b"[]", b"7", b"", b"{} {}", b"{\"kind\":\"\xff\"}", b"{\"a\":\"\xff\"}"]
        {
            assert!(line(text).frame().is_none(), "{}", text.escape_ascii());
        }
    }
}
