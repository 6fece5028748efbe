//! JSON into the same tree. YAML reads most JSON, but not surrogate pairs, escaped slashes or tabs as indentation.

use std::collections::HashSet;

use super::{Content, DEEPEST, Key, MOST_NODES, Scalar, Style, Tree};
use crate::problem::Place;

/// Whether it is worth trying: an object whose first key is quoted.
pub fn looks_like_json(source: &str) -> bool {
    source.trim_start().strip_prefix('{').is_some_and(|rest| rest.trim_start().starts_with(['"', '}']))
}

/// The whole text as one value. What is wrong is left to the YAML parser to say.
pub fn parse(source: &str) -> Result<Tree, NotJson> {
    let mut reader = Reader { source, offset: 0, place: Place::START, nodes: 0 };
    reader.space();
    let tree = reader.value(0)?;
    reader.space();
    if reader.offset == source.len() { Ok(tree) } else { Err(NotJson) }
}

#[derive(Debug)]
pub struct NotJson;

struct Reader<'s> {
    source: &'s str,
    offset: usize,
    place: Place,
    nodes: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.source[self.offset..].chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let char = self.peek()?;
        self.offset += char.len_utf8();
        if char == '\n' {
            self.place = Place { line: self.place.line + 1, column: 1 };
        } else {
            self.place.column += 1;
        }
        Some(char)
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(' ' | '\t' | '\n' | '\r')) {
            self.next();
        }
    }

    fn expect(&mut self, wanted: char) -> Result<(), NotJson> {
        if self.next() == Some(wanted) { Ok(()) } else { Err(NotJson) }
    }

    fn value(&mut self, depth: usize) -> Result<Tree, NotJson> {
        self.nodes += 1;
        if depth > DEEPEST || self.nodes > MOST_NODES {
            return Err(NotJson);
        }
        let place = self.place;
        let content = match self.peek().ok_or(NotJson)? {
            '{' => self.object(depth)?,
            '[' => self.array(depth)?,
            '"' => {
                let offset = self.offset;
                Content::Scalar(Scalar { text: self.string()?, style: Style::Double, offset })
            }
            _ => self.word()?,
        };
        Ok(Tree { place, content })
    }

    fn object(&mut self, depth: usize) -> Result<Content, NotJson> {
        let (mut entries, mut seen) = (Vec::new(), HashSet::new());
        self.expect('{')?;
        self.space();
        while self.peek() != Some('}') {
            if !entries.is_empty() {
                self.expect(',')?;
                self.space();
            }
            let place = self.place;
            let text = self.string()?;
            if !seen.insert(text.clone()) {
                return Err(NotJson);
            }
            self.space();
            self.expect(':')?;
            self.space();
            let value = self.value(depth + 1)?;
            entries.push((Key { text, place }, value));
            self.space();
        }
        self.expect('}')?;
        Ok(Content::Map(entries))
    }

    fn array(&mut self, depth: usize) -> Result<Content, NotJson> {
        let mut items = Vec::new();
        self.expect('[')?;
        self.space();
        while self.peek() != Some(']') {
            if !items.is_empty() {
                self.expect(',')?;
                self.space();
            }
            items.push(self.value(depth + 1)?);
            self.space();
        }
        self.expect(']')?;
        Ok(Content::List(items))
    }

    fn string(&mut self) -> Result<String, NotJson> {
        let start = self.offset;
        self.expect('"')?;
        loop {
            match self.next().ok_or(NotJson)? {
                '"' => break,
                '\\' => drop(self.next()),
                '\n' => return Err(NotJson),
                _ => {}
            }
        }
        serde_json::from_str(&self.source[start..self.offset]).map_err(|_| NotJson)
    }

    fn word(&mut self) -> Result<Content, NotJson> {
        let offset = self.offset;
        while self.peek().is_some_and(|char| char.is_ascii_alphanumeric() || "+-.".contains(char)) {
            self.next();
        }
        let text = &self.source[offset..self.offset];
        match serde_json::from_str::<serde_json::Value>(text) {
            Ok(_) => Ok(Content::Scalar(Scalar { text: text.to_owned(), style: Style::Plain, offset })),
            Err(_) => Err(NotJson),
        }
    }
}
