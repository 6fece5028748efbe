//! Macros in skill bodies: `{{id key=val key="with spaces" key=[a, b] key={k: v} key=>>IDENT}}`, the text of a
//! here-document following until a line `<<IDENT` (NX-296, NX-297).
//!
//! Holds: braces and brackets balance, so values may contain `}` (NX-300); what stands in a here-document is text and
//! nothing else; every character of a body is in exactly one piece.

use serde_json::{Map, Value};

/// A part of a body.
#[derive(Debug, Clone, PartialEq)]
pub enum Piece<'a> {
    Text(&'a str),
    Macro(Macro<'a>),
}

/// A call of a primitive.
#[derive(Debug, Clone, PartialEq)]
pub struct Macro<'a> {
    pub id: &'a str,
    pub arguments: Vec<(&'a str, MacroValue)>,
    /// Where it begins, from 1.
    pub line: usize,
}

/// The value of an argument.
#[derive(Debug, Clone, PartialEq)]
pub enum MacroValue {
    /// A word, a quoted text, a list of values or a map, as JSON.
    Plain(Value),
    /// The text of a here-document, as it stands.
    Heredoc(String),
}

impl MacroValue {
    /// The text of a word, a quoted text or a here-document.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Plain(value) => value.as_str(),
            Self::Heredoc(text) => Some(text),
        }
    }
}

/// A macro that cannot be read.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("line {line}: {problem}")]
pub struct MacroError {
    pub line: usize,
    pub problem: String,
}

/// Cuts a body into text and macros. `{{` that no identifier follows is text.
pub fn parse_body(body: &str) -> Result<Vec<Piece<'_>>, MacroError> {
    let (mut pieces, mut rest, mut names) = (Vec::new(), 0, Vec::new());
    let mut from = 0;
    while let Some(found) = body[from..].find("{{").map(|at| from + at) {
        from = found + 2;
        if !body[from..].starts_with(is_id_start) {
            continue;
        }
        let mut cursor = Cursor { body, at: from };
        let mut call = cursor.call(found)?;
        cursor.heredocs(&mut call, &mut names)?;
        if rest < found {
            pieces.push(Piece::Text(&body[rest..found]));
        }
        pieces.push(Piece::Macro(call));
        (rest, from) = (cursor.at, cursor.at);
    }
    if rest < body.len() {
        pieces.push(Piece::Text(&body[rest..]));
    }
    Ok(pieces)
}

fn is_id_start(character: char) -> bool {
    character.is_ascii_lowercase() || character == '_'
}

fn is_id(character: char) -> bool {
    is_id_start(character) || character.is_ascii_digit()
}

/// Values nest this deep at most: `options=[{label: x}]` needs two.
const DEPTH: usize = 16;

struct Cursor<'a> {
    body: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a str {
        &self.body[self.at..]
    }

    fn fail<T>(&self, problem: impl Into<String>) -> Result<T, MacroError> {
        Err(MacroError { line: line_at(self.body, self.at), problem: problem.into() })
    }

    fn take(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|character| !wanted(character)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn eat(&mut self, text: &str) -> bool {
        let is_next = self.rest().starts_with(text);
        self.at += if is_next { text.len() } else { 0 };
        is_next
    }

    fn skip_space(&mut self) {
        self.take(char::is_whitespace);
    }

    /// From behind `{{` to behind `}}`.
    fn call(&mut self, start: usize) -> Result<Macro<'a>, MacroError> {
        let id = self.take(is_id);
        let mut call = Macro { id, arguments: Vec::new(), line: line_at(self.body, start) };
        loop {
            self.skip_space();
            if self.eat("}}") {
                return Ok(call);
            }
            let key = self.take(is_id);
            if key.is_empty() || !self.eat("=") {
                return self.fail(format!(
                    "the macro `{id}` is not closed, or has something other than key=value in it"
                ));
            }
            if call.arguments.iter().any(|(known, _)| *known == key) {
                return self.fail(format!("the macro `{id}` has `{key}` twice"));
            }
            let value = self.argument()?;
            call.arguments.push((key, value));
        }
    }

    fn argument(&mut self) -> Result<MacroValue, MacroError> {
        if self.eat(">>") {
            let name = self.take(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
            if !name.starts_with(|c: char| c.is_ascii_uppercase()) {
                return self.fail("a here-document is named by capital letters, digits and `_`");
            }
            return Ok(MacroValue::Heredoc(name.to_owned()));
        }
        self.value(|c| c.is_whitespace() || c == '}', 0).map(MacroValue::Plain)
    }

    /// A quoted text, a list, a map, or a word that ends before `is_end`.
    fn value(&mut self, is_end: impl Fn(char) -> bool, depth: usize) -> Result<Value, MacroError> {
        if depth > DEPTH {
            return self.fail("values nest too deep");
        }
        if self.eat("\"") {
            return self.quoted().map(Value::String);
        }
        if self.eat("[") {
            return self.items(depth).map(Value::Array);
        }
        if self.eat("{") {
            return self.fields(depth).map(Value::Object);
        }
        match self.take(|character| !is_end(character)).trim() {
            "" => self.fail("a value is missing"),
            word => Ok(Value::from(word)),
        }
    }

    fn quoted(&mut self) -> Result<String, MacroError> {
        let mut text = String::new();
        let mut characters = self.rest().char_indices();
        while let Some((at, character)) = characters.next() {
            match character {
                '"' => {
                    self.at += at + 1;
                    return Ok(text);
                }
                '\\' => match characters.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, escaped @ ('"' | '\\'))) => text.push(escaped),
                    Some((_, other)) => text.extend(['\\', other]),
                    None => break,
                },
                other => text.push(other),
            }
        }
        self.fail("a quoted text is not closed")
    }

    fn items(&mut self, depth: usize) -> Result<Vec<Value>, MacroError> {
        let mut items = Vec::new();
        loop {
            self.skip_space();
            if self.eat("]") {
                return Ok(items);
            }
            items.push(self.value(|c| matches!(c, ',' | ']' | '\n'), depth + 1)?);
            self.skip_space();
            if !self.eat(",") && !self.rest().starts_with(']') {
                return self.fail("a list is not closed");
            }
        }
    }

    fn fields(&mut self, depth: usize) -> Result<Map<String, Value>, MacroError> {
        let mut fields = Map::new();
        loop {
            self.skip_space();
            if self.eat("}") {
                return Ok(fields);
            }
            let key = self.take(|c| !matches!(c, ':' | '}' | ',' | '\n')).trim();
            if key.is_empty() || !self.eat(":") {
                return self.fail("a map is not closed, or has an entry that is not `key: value`");
            }
            self.skip_space();
            let value = self.value(|c| matches!(c, ',' | '}' | '\n'), depth + 1)?;
            if fields.insert(key.to_owned(), value).is_some() {
                return self.fail(format!("a map has `{key}` twice"));
            }
            self.skip_space();
            if !self.eat(",") && !self.rest().starts_with('}') {
                return self.fail("a map is not closed");
            }
        }
    }

    /// Replaces the names of here-documents by the texts that follow the macro's line.
    fn heredocs(&mut self, call: &mut Macro<'a>, names: &mut Vec<String>) -> Result<(), MacroError> {
        for (_, value) in &mut call.arguments {
            let MacroValue::Heredoc(name) = value else { continue };
            if names.contains(name) {
                return self.fail(format!("the here-document `{name}` stands twice in this body"));
            }
            names.push(name.clone());
            *value = MacroValue::Heredoc(self.heredoc(name)?);
        }
        Ok(())
    }

    fn heredoc(&mut self, name: &str) -> Result<String, MacroError> {
        let mut lines = self.rest().split_inclusive('\n');
        let behind = lines.next().unwrap_or_default();
        if !behind.trim().is_empty() && !behind.trim().starts_with("<<") {
            return self
                .fail(format!("nothing may follow the macro on its line before the here-document `{name}`"));
        }
        let start = self.at + behind.len();
        let mut end = start;
        for line in lines {
            if line.trim().strip_prefix("<<") == Some(name) {
                // The line end stays: what follows the here-document begins a line of its own.
                self.at = end + line.trim_end().len();
                return Ok(self.body[start..end].trim_end_matches(['\n', '\r']).to_owned());
            }
            end += line.len();
        }
        self.fail(format!("the here-document `{name}` has no end: a line `<<{name}`"))
    }
}

fn line_at(body: &str, at: usize) -> usize {
    body[..at].matches('\n').count() + 1
}
