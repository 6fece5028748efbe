//! YAML or JSON as a tree that knows where everything stands.
//!
//! Holds: the tree is at most [`DEEPEST`] levels deep and [`MOST_NODES`] nodes large, so that walking it is safe;
//! keys of one map differ.
//! Elsewhere: what the keys mean is `file`.

mod json;
mod trace;
mod yaml;

use crate::problem::{Kind, Place, Problems};

/// Levels of nesting; the format itself needs six.
pub const DEEPEST: usize = 64;
/// Nodes after aliases were followed.
pub const MOST_NODES: usize = 1_000_000;
/// Bytes of a protocol file.
pub const LARGEST: usize = 32 * 1024 * 1024;

#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    pub place: Place,
    pub content: Content,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    Scalar(Scalar),
    List(Vec<Tree>),
    Map(Vec<(Key, Tree)>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Key {
    pub text: String,
    pub place: Place,
}

/// A scalar as it was meant, and how it was written.
#[derive(Debug, Clone, PartialEq)]
pub struct Scalar {
    pub text: String,
    pub style: Style,
    /// The byte in the source where it begins, quote or indicator included.
    pub offset: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    Plain,
    Single,
    Double,
    Literal,
    Folded,
}

/// What a scalar is in the YAML 1.2 core schema.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Core<'t> {
    Null,
    Bool(bool),
    Integer(i64),
    Number(f64),
    Text(&'t str),
}

/// Reads a document; `None` with a problem when it cannot be read.
pub fn parse(source: &str, problems: &mut Problems) -> Option<Tree> {
    if source.len() > LARGEST {
        let message = format!("the file is larger than {} MiB", LARGEST / 1024 / 1024);
        problems.add(Kind::Limit, Place::START, message, "split the protocol");
        return None;
    }
    if json::looks_like_json(source)
        && let Ok(tree) = json::parse(source)
    {
        return Some(tree);
    }
    yaml::parse(source, problems)
}

impl Scalar {
    /// Where the character at `index` of the text stands in the source.
    pub fn place_of(&self, source: &str, start: Place, index: usize) -> Place {
        trace::place_of(self, source, start, index)
    }

    pub fn core(&self) -> Core<'_> {
        let text = self.text.as_str();
        if self.style != Style::Plain {
            return Core::Text(text);
        }
        match text {
            "" | "~" | "null" | "Null" | "NULL" => Core::Null,
            "true" | "True" | "TRUE" => Core::Bool(true),
            "false" | "False" | "FALSE" => Core::Bool(false),
            _ => number(text).unwrap_or(Core::Text(text)),
        }
    }
}

fn number(text: &str) -> Option<Core<'static>> {
    if let Some(digits) = text.strip_prefix("0x") {
        return i64::from_str_radix(digits, 16)
            .ok()
            .filter(|_| !digits.starts_with(['+', '-']))
            .map(Core::Integer);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return i64::from_str_radix(digits, 8)
            .ok()
            .filter(|_| !digits.starts_with(['+', '-']))
            .map(Core::Integer);
    }
    let body = text.strip_prefix(['+', '-']).unwrap_or(text);
    if body.is_empty()
        || !body.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'))
    {
        return None;
    }
    if body.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().map(Core::Integer).ok().or_else(|| text.parse().ok().map(Core::Number));
    }
    let first = body.bytes().next()?;
    let digits_first = first.is_ascii_digit() || (first == b'.' && body.len() > 1);
    let number: f64 = text.parse().ok().filter(|_| digits_first)?;
    number.is_finite().then_some(Core::Number(number))
}

impl Tree {
    /// The word for what it is, for messages.
    pub fn told(&self) -> &'static str {
        match &self.content {
            Content::List(_) => "a list",
            Content::Map(_) => "a mapping",
            Content::Scalar(scalar) => match scalar.core() {
                Core::Null => "null",
                Core::Bool(_) => "a boolean",
                Core::Integer(_) => "an integer",
                Core::Number(_) => "a number",
                Core::Text(_) => "a string",
            },
        }
    }
}
