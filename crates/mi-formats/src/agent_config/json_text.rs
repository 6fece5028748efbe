//! Changes single members of a JSON text (comments and trailing commas allowed) and leaves the rest as it stands.
//!
//! The crate `jsonc-parser` (0.34, its `cst`) is no replacement: a text on one line (`{"a":1}`) is set on several when a member is added and stays
//! so when it is taken out, `{\n}` comes back as `{}`, a byte order mark is refused, and single quotes and a key that stands twice are accepted.

use serde_json::Value;
use std::ops::Range;

use super::EditError;

/// Deeper texts are no configuration.
const MOST_DEPTH: usize = 100;

/// A parsed text that remembers where everything stands.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) span: Range<usize>,
    pub(super) kind: Kind,
}

#[derive(Debug)]
pub(super) enum Kind {
    /// Start of the key, key, value.
    Object(Vec<(usize, String, Node)>),
    Array(Vec<Node>),
    Scalar(Value),
}

impl Node {
    pub(super) fn get(&self, name: &str) -> Option<&Node> {
        match &self.kind {
            Kind::Object(members) => {
                members.iter().find(|(_, key, _)| key == name).map(|(_, _, value)| value)
            }
            Kind::Array(_) | Kind::Scalar(_) => None,
        }
    }

    pub(super) fn items(&self) -> &[Node] {
        match &self.kind {
            Kind::Array(items) => items,
            Kind::Object(_) | Kind::Scalar(_) => &[],
        }
    }

    pub(super) fn as_str(&self) -> Option<&str> {
        match &self.kind {
            Kind::Scalar(Value::String(text)) => Some(text),
            _ => None,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        match &self.kind {
            Kind::Object(members) => members.is_empty(),
            Kind::Array(items) => items.is_empty(),
            Kind::Scalar(_) => false,
        }
    }

    fn child(&self, step: &Step) -> Option<&Node> {
        match step {
            Step::Member(name) => self.get(name),
            Step::Item(index) => self.items().get(*index),
        }
    }

    /// Where each child begins and ends, keys included.
    fn children(&self) -> Vec<Range<usize>> {
        match &self.kind {
            Kind::Object(members) => members.iter().map(|(start, _, value)| *start..value.span.end).collect(),
            Kind::Array(items) => items.iter().map(|item| item.span.clone()).collect(),
            Kind::Scalar(_) => Vec::new(),
        }
    }
}

/// One step into a text.
#[derive(Debug, Clone)]
pub(super) enum Step {
    Member(String),
    Item(usize),
}

/// Reads a text; an empty one is an empty object.
pub(super) fn parse(text: &str) -> Result<Node, EditError> {
    let mut reader = Reader { text, at: 0 };
    if text.starts_with('\u{feff}') {
        reader.at = 3;
    }
    reader.skip_trivia()?;
    let node = reader.value(0)?;
    reader.skip_trivia()?;
    if reader.at < text.len() { Err(reader.error("more text after the end")) } else { Ok(node) }
}

/// Adds a member to the object at `path`, which is created where it is missing.
pub(super) fn insert(text: &str, path: &[&str], name: &str, value: &Value) -> Result<String, EditError> {
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    let root = parse(text)?;
    let mut node = &root;
    for (depth, step) in path.iter().enumerate() {
        match node.get(step) {
            Some(next) => node = next,
            None => {
                let rest = path[depth + 1..].iter().chain([&name]).rev();
                let nested = rest.fold(value.clone(), |inner, key| serde_json::json!({ *key: inner }));
                return add_child(text, node, Some(step), &nested, depth, &path[..depth]);
            }
        }
    }
    add_child(text, node, Some(name), value, path.len(), path)
}

/// Adds an item to the list at `path`, which is created where it is missing.
pub(super) fn push(text: &str, path: &[&str], value: &Value) -> Result<String, EditError> {
    let root = parse(if text.trim().is_empty() { "{}" } else { text })?;
    let mut node = Some(&root);
    for step in path {
        node = node.and_then(|node| node.get(step));
    }
    match (node, path.split_last()) {
        (Some(list), _) => match list.kind {
            Kind::Array(_) => add_child(text, list, None, value, path.len(), path),
            _ => Err(EditError::Shape { path: path.join("."), wanted: "a list" }),
        },
        (None, Some((name, above))) => insert(text, above, name, &serde_json::json!([value])),
        (None, None) => Err(EditError::Shape { path: String::new(), wanted: "a list" }),
    }
}

/// Takes out what stands at `path`.
pub(super) fn remove(text: &str, path: &[Step]) -> Result<String, EditError> {
    let root = parse(text)?;
    let Some((last, above)) = path.split_last() else { return Ok(text.to_owned()) };
    let mut node = &root;
    for step in above {
        match node.child(step) {
            Some(next) => node = next,
            None => return Ok(text.to_owned()),
        }
    }
    let index = match (last, &node.kind) {
        (Step::Member(name), Kind::Object(members)) => members.iter().position(|(_, key, _)| key == name),
        (Step::Item(index), Kind::Array(items)) => Some(*index).filter(|index| *index < items.len()),
        _ => None,
    };
    Ok(match index {
        Some(index) => without_child(text, node, index),
        None => text.to_owned(),
    })
}

fn without_child(text: &str, node: &Node, index: usize) -> String {
    let children = node.children();
    let child = children[index].clone();
    if let Some(next) = children.get(index + 1) {
        return format!("{}{}", &text[..child.start], &text[next.start..]);
    }
    if index == 0 {
        return format!("{}{}", &text[..node.span.start + 1], &text[node.span.end - 1..]);
    }
    // The last of several: its own comma, if it has one, now ends the one before.
    let before = children[index - 1].end;
    let between = &text[before..child.start];
    let kept = between.trim_end();
    let kept = match comma_after(text, child.end, node.span.end - 1) {
        Some(_) => kept.to_owned(),
        None => kept.replacen(',', "", 1),
    };
    let end = comma_after(text, child.end, node.span.end - 1).map_or(child.end, |comma| comma + 1);
    format!("{}{kept}{}", &text[..before], &text[end..])
}

fn add_child(
    text: &str,
    node: &Node,
    name: Option<&str>,
    value: &Value,
    depth: usize,
    path: &[&str],
) -> Result<String, EditError> {
    let fits = matches!((&node.kind, name), (Kind::Object(_), Some(_)) | (Kind::Array(_), None));
    if !fits {
        return Err(EditError::Shape { path: path.join("."), wanted: "an object" });
    }
    let layout = Layout::of(text, node, depth);
    let entry = layout.entry(name, value);
    let children = node.children();
    let Some(last) = children.last() else {
        let (start, end) = (node.span.start + 1, node.span.end - 1);
        let inner = text[start..end].trim_end();
        return Ok(format!(
            "{}{inner}{}{entry}{}{}",
            &text[..start],
            layout.before,
            layout.after,
            &text[end..]
        ));
    };
    let end = node.span.end - 1;
    let comma = comma_after(text, last.end, end);
    // A comment on the line of the last child stays with it.
    let from = comma.map_or(last.end, |comma| comma + 1);
    let place = from + same_line_comment(&text[from..end]);
    let (first_comma, last_comma) = if comma.is_some() { ("", ",") } else { (",", "") };
    Ok(format!(
        "{}{first_comma}{}{}{entry}{last_comma}{}",
        &text[..last.end],
        &text[last.end..place],
        layout.before,
        &text[place..]
    ))
}

/// The length of blanks and a comment up to the end of the line; 0 without a comment.
fn same_line_comment(text: &str) -> usize {
    let line = &text[..text.find('\n').unwrap_or(text.len())];
    let trimmed = line.trim_start_matches([' ', '\t']);
    if trimmed.starts_with("//") || (trimmed.starts_with("/*") && trimmed.trim_end().ends_with("*/")) {
        line.trim_end().len()
    } else {
        0
    }
}

fn comma_after(text: &str, from: usize, end: usize) -> Option<usize> {
    let mut reader = Reader { text: &text[..end], at: from };
    reader.skip_trivia().ok()?;
    text[..end][reader.at..].starts_with(',').then_some(reader.at)
}

/// How a new child is set, in the manner of its neighbours.
struct Layout {
    /// Between the neighbour (or the opening bracket) and the new child.
    before: String,
    /// Between the only child and the closing bracket.
    after: String,
    indent: String,
    unit: String,
    compact: bool,
}

impl Layout {
    fn of(text: &str, node: &Node, depth: usize) -> Self {
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let unit = unit_of(text);
        let own = indent_at(text, node.span.start);
        let last = node.children().last().cloned();
        let compact = match &last {
            Some(last) => !text[node.span.start..last.start].contains('\n'),
            None => depth > 0 && !text.contains('\n'),
        };
        if compact {
            let gap = if text.contains(", \"") || text.contains("\": ") { " " } else { "" };
            let before = if last.is_some() { gap } else { "" };
            return Self { before: before.to_owned(), after: String::new(), indent: own, unit, compact };
        }
        let indent = match &last {
            Some(last) => indent_at(text, last.start),
            None => format!("{own}{unit}"),
        };
        Self { before: format!("{newline}{indent}"), after: format!("{newline}{own}"), indent, unit, compact }
    }

    fn entry(&self, name: Option<&str>, value: &Value) -> String {
        let body = if self.compact { value.to_string() } else { self.pretty(value) };
        match name {
            Some(name) => {
                let gap = if self.compact && self.before.is_empty() { "" } else { " " };
                format!("{}:{gap}{body}", Value::from(name))
            }
            None => body,
        }
    }

    fn pretty(&self, value: &Value) -> String {
        let newline = if self.before.starts_with("\r\n") { "\r\n" } else { "\n" };
        let text = format!("{value:#}");
        let lines = text.lines().map(|line| {
            let bare = line.trim_start_matches(' ');
            format!("{}{bare}", self.unit.repeat((line.len() - bare.len()) / 2))
        });
        let lines: Vec<String> = lines.collect();
        lines.join(&format!("{newline}{}", self.indent))
    }
}

/// The blanks at the start of the line on which `place` stands.
fn indent_at(text: &str, place: usize) -> String {
    let start = text[..place].rfind('\n').map_or(0, |newline| newline + 1);
    text[start..].chars().take_while(|letter| *letter == ' ' || *letter == '\t').collect()
}

/// One level of indentation: that of the first line that has any.
fn unit_of(text: &str) -> String {
    let indents = text.lines().map(|line| line.len() - line.trim_start_matches([' ', '\t']).len());
    let first = text.lines().zip(indents).find(|(line, indent)| *indent > 0 && !line.trim().is_empty());
    first.map_or_else(|| "  ".to_owned(), |(line, indent)| line[..indent].to_owned())
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn error(&self, reason: &str) -> EditError {
        let at = self.at.min(self.text.len());
        let before = self.text.get(..at).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        EditError::Syntax {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            reason: reason.to_owned(),
        }
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn skip_trivia(&mut self) -> Result<(), EditError> {
        loop {
            self.at += self.rest().len() - self.rest().trim_start().len();
            if self.rest().starts_with("//") {
                self.at += self.rest().find('\n').unwrap_or(self.rest().len());
            } else if self.rest().starts_with("/*") {
                let end = self.rest().find("*/").ok_or_else(|| self.error("a comment is not closed"))?;
                self.at += end + 2;
            } else {
                return Ok(());
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node, EditError> {
        if depth > MOST_DEPTH {
            return Err(self.error("too deep"));
        }
        let start = self.at;
        let kind = match self.rest().chars().next() {
            Some('{') => self.object(depth)?,
            Some('[') => self.array(depth)?,
            Some('"') => Kind::Scalar(Value::String(self.string()?)),
            Some(_) => self.word()?,
            None => return Err(self.error("the text ends where a value should be")),
        };
        Ok(Node { span: start..self.at, kind })
    }

    fn object(&mut self, depth: usize) -> Result<Kind, EditError> {
        let mut members: Vec<(usize, String, Node)> = Vec::new();
        self.at += 1;
        loop {
            self.skip_trivia()?;
            if self.take('}') {
                return Ok(Kind::Object(members));
            }
            let start = self.at;
            let name = self.string()?;
            if members.iter().any(|(_, known, _)| *known == name) {
                self.at = start;
                return Err(self.error(&format!("`{name}` stands twice in one object")));
            }
            self.skip_trivia()?;
            if !self.take(':') {
                return Err(self.error("`:` is missing after a name"));
            }
            self.skip_trivia()?;
            let value = self.value(depth + 1)?;
            members.push((start, name, value));
            self.separator('}')?;
        }
    }

    fn array(&mut self, depth: usize) -> Result<Kind, EditError> {
        let mut items = Vec::new();
        self.at += 1;
        loop {
            self.skip_trivia()?;
            if self.take(']') {
                return Ok(Kind::Array(items));
            }
            items.push(self.value(depth + 1)?);
            self.separator(']')?;
        }
    }

    /// A comma, or the closing bracket, which is left standing.
    fn separator(&mut self, close: char) -> Result<(), EditError> {
        self.skip_trivia()?;
        if self.take(',') || self.rest().starts_with(close) {
            Ok(())
        } else {
            Err(self.error(&format!("`,` or `{close}` is missing")))
        }
    }

    fn take(&mut self, letter: char) -> bool {
        let found = self.rest().starts_with(letter);
        self.at += usize::from(found);
        found
    }

    fn string(&mut self) -> Result<String, EditError> {
        if !self.rest().starts_with('"') {
            return Err(self.error("a text in double quotes is missing"));
        }
        let mut escaped = false;
        for (offset, byte) in self.rest().bytes().enumerate().skip(1) {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => {
                    let text = &self.rest()[..=offset];
                    let value = serde_json::from_str(text).map_err(|error| self.error(&error.to_string()))?;
                    self.at += offset + 1;
                    return Ok(value);
                }
                b'\n' => break,
                _ => {}
            }
        }
        Err(self.error("a text is not closed"))
    }

    fn word(&mut self) -> Result<Kind, EditError> {
        let end = |letter: char| letter.is_whitespace() || ",]}:/".contains(letter);
        let length = self.rest().find(end).unwrap_or(self.rest().len());
        let value =
            serde_json::from_str(&self.rest()[..length]).map_err(|_| self.error("this is no JSON value"))?;
        self.at += length;
        Ok(Kind::Scalar(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const TEXTS: [&str; 12] = [
        "{}",
        "{}\n",
        "{\n}\n",
        "{\"a\":1}",
        "{\"a\": 1, \"b\": [1, 2]}\n",
        "{\n  \"a\": 1\n}\n",
        "{\n\t\"a\": {\n\t\t\"b\": []\n\t}\n}\n",
        "{\n    \"a\": 1 // last\n}\n",
        "// top\n{\n  \"a\": 1, /* trailing comma */\n}",
        "{\r\n  \"a\": {\r\n    \"x\": 1\r\n  }\r\n}\r\n",
        "{\n  \"m\": {\n    \"other\": {\"command\": \"x\"}\n  }\n}\n",
        "{\"a\": \"ü \\\" }\", \"m\": {}}",
    ];

    /// What is put in is there, the rest reads the same, and taking it out gives back the very bytes.
    #[test]
    fn insert_and_remove_are_opposites() {
        for text in TEXTS {
            let value = json!({"command": "mi", "args": ["mcp"]});
            let with = insert(text, &["m"], "mi", &value).unwrap();
            let node = parse(&with).unwrap();
            assert!(node.get("m").and_then(|m| m.get("mi")).is_some(), "{with}");
            let had = parse(text).unwrap().get("m").is_some();
            let step = |name: &str| Step::Member(name.to_owned());
            let path = if had { vec![step("m"), step("mi")] } else { vec![step("m")] };
            let without = remove(&with, &path).unwrap();
            let blank = ["{\n}\n"];
            if !blank.contains(&text) {
                assert_eq!(without, text, "after:\n{with}");
            }
        }
    }

    /// The new member takes the manner of its neighbours.
    #[test]
    fn new_members_look_like_their_neighbours() {
        let pushed = push(
            "{\n    \"h\": {\n        \"X\": [\n            {\"a\": 1}\n        ]\n    }\n}\n",
            &["h", "X"],
            &json!({"b": [2]}),
        );
        assert_eq!(
            pushed.unwrap(),
            "{\n    \"h\": {\n        \"X\": [\n            {\"a\": 1},\n            {\n                \"b\": [\n                    2\n                ]\n            }\n        ]\n    }\n}\n"
        );
        assert_eq!(insert("{\"a\":1}", &[], "b", &json!([2])).unwrap(), "{\"a\":1,\"b\":[2]}");
        assert_eq!(insert("", &[], "b", &json!(2)).unwrap(), "{\n  \"b\": 2\n}\n");
    }

    /// A broken text is refused with its place.
    #[test]
    fn broken_texts_are_refused() {
        for (text, line, column) in [
            ("{\n  \"a\": 1\n  \"b\": 2\n}", 3, 3),
            ("{\"a\": }", 1, 7),
            ("{\"a\": 1", 1, 8),
            ("{\"a\": 1, \"a\": 2}", 1, 10),
            ("{} x", 1, 4),
            ("[1, 2", 1, 6),
            ("{'a': 1}", 1, 2),
        ] {
            match insert(text, &[], "b", &json!(1)) {
                Err(EditError::Syntax { line: l, column: c, .. }) => {
                    assert_eq!((l, c), (line, column), "{text}")
                }
                other => panic!("{text}: {other:?}"),
            }
        }
        assert!(matches!(insert("{\"a\": 5}", &["a"], "b", &json!(1)), Err(EditError::Shape { .. })));
        assert!(matches!(push("{\"a\": {}}", &["a"], &json!(1)), Err(EditError::Shape { .. })));
        assert!(parse(&"[".repeat(100_000)).is_err());
    }
}
