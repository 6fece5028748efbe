//! YAML 1.2 through an event parser: places for everything, aliases within bounds, no duplicate keys.

use granit_parser::{ErrorKind, Event, Marker, Parser, ScalarStyle, ScanError, Span};
use std::collections::{HashMap, HashSet};

use super::{Content, DEEPEST, Key, MOST_NODES, Scalar, Style, Tree};
use crate::problem::{Kind, Place, Problems};

/// The one document of a stream.
pub fn parse(source: &str, problems: &mut Problems) -> Option<Tree> {
    let mut options = granit_parser::options! { flow_nesting_limit: DEEPEST, block_nesting_limit: DEEPEST };
    options.set_emit_comments(false);
    let mut builder = Builder::default();
    for next in Parser::new_from_str_with_options(source, options) {
        let outcome = match next {
            Ok((event, span)) if has_own_tag(&event) => {
                // A `!` in front of an expression would be lost, and the guard be its own opposite.
                let message = "what begins with `!` is a tag to YAML, not a part of the value";
                problems.add(Kind::Yaml, place(&span.start), message, "put the value in quotes: '!…'");
                return None;
            }
            Ok((event, span)) => builder.take(event, span),
            Err(error) => Err(scan_problem(&error)),
        };
        if let Err((kind, place, message)) = outcome {
            problems.add(
                kind,
                place,
                message,
                "correct the YAML here; a value that begins with a sign goes in quotes",
            );
            return None;
        }
    }
    if builder.root.is_none() {
        problems.add(Kind::Yaml, Place::START, "the file is empty", "see `mi protocol schema`");
    }
    builder.root
}

/// Whether an event carries a tag that is none of YAML's core types.
fn has_own_tag(event: &Event<'_>) -> bool {
    event.tag().is_some_and(|tag| tag.core_suffix().is_none())
}

type Trouble = (Kind, Place, String);

fn scan_problem(error: &ScanError) -> Trouble {
    let kind = match error.kind() {
        ErrorKind::RecursionLimitExceeded => Kind::Limit,
        _ => Kind::Yaml,
    };
    let message = match kind {
        Kind::Limit => format!("nested deeper than {DEEPEST} levels"),
        _ => error.info(),
    };
    (kind, place(error.marker()), message)
}

fn place(marker: &Marker) -> Place {
    let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
    Place { line: number(marker.line()).max(1), column: number(marker.col()).saturating_add(1) }
}

#[derive(Default)]
struct Builder {
    open: Vec<Open>,
    anchors: HashMap<usize, Tree>,
    nodes: usize,
    documents: usize,
    root: Option<Tree>,
}

/// A collection whose end was not seen yet.
struct Open {
    anchor: usize,
    place: Place,
    content: Content,
    /// The key whose value comes next.
    key: Option<Key>,
    /// The keys of a large map.
    seen: HashSet<String>,
}

impl Builder {
    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), Trouble> {
        let place = place(&span.start);
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err((
                        Kind::Yaml,
                        place,
                        "there is more than one document in the file".to_owned(),
                    ));
                }
                Ok(())
            }
            Event::Scalar(text, style, anchor, tag) => {
                let scalar = Scalar {
                    text: text.into_owned(),
                    style: style_of(style, tag.as_ref().and_then(|tag| tag.core_suffix())),
                    offset: span.start.byte_offset().unwrap_or(usize::MAX),
                };
                self.finished(Tree { place, content: Content::Scalar(scalar) }, anchor)
            }
            Event::SequenceStart(_, anchor, _) => self.opened(Content::List(Vec::new()), anchor, place),
            Event::MappingStart(_, anchor, _) => self.opened(Content::Map(Vec::new()), anchor, place),
            Event::SequenceEnd | Event::MappingEnd => self.closed(),
            Event::Alias(id) => match self.anchors.get(&id) {
                Some(tree) => {
                    // Aliases are the only way to grow beyond the text.
                    self.nodes += size(tree);
                    let mut copy = tree.clone();
                    copy.place = place;
                    self.finished(copy, 0)
                }
                None => {
                    Err((Kind::Yaml, place, "an alias inside its own anchor refers to itself".to_owned()))
                }
            },
            _ => Ok(()),
        }
    }

    fn opened(&mut self, content: Content, anchor: usize, place: Place) -> Result<(), Trouble> {
        if let Some(open) = self.open.last()
            && matches!(open.content, Content::Map(_))
            && open.key.is_none()
        {
            return Err((Kind::Type, place, "a key must be a string".to_owned()));
        }
        if self.open.len() >= DEEPEST {
            return Err((Kind::Limit, place, format!("nested deeper than {DEEPEST} levels")));
        }
        self.open.push(Open { anchor, place, content, key: None, seen: HashSet::new() });
        Ok(())
    }

    fn closed(&mut self) -> Result<(), Trouble> {
        match self.open.pop() {
            Some(open) => self.finished(Tree { place: open.place, content: open.content }, open.anchor),
            None => Ok(()),
        }
    }

    fn finished(&mut self, tree: Tree, anchor: usize) -> Result<(), Trouble> {
        self.nodes += 1;
        if anchor != 0 {
            self.nodes += size(&tree);
            self.anchors.insert(anchor, tree.clone());
        }
        if self.nodes > MOST_NODES {
            return Err((Kind::Limit, tree.place, format!("more than {MOST_NODES} values in one file")));
        }
        match self.open.last_mut() {
            None => {
                self.root = Some(tree);
                Ok(())
            }
            Some(open) => open.add(tree),
        }
    }
}

impl Open {
    fn add(&mut self, tree: Tree) -> Result<(), Trouble> {
        match (&mut self.content, self.key.take()) {
            (Content::List(items), _) => items.push(tree),
            (Content::Map(entries), Some(key)) => entries.push((key, tree)),
            (Content::Map(entries), None) => {
                let Content::Scalar(scalar) = tree.content else {
                    return Err((Kind::Type, tree.place, "a key must be a string".to_owned()));
                };
                if is_there(entries, &mut self.seen, &scalar.text) {
                    return Err((
                        Kind::Yaml,
                        tree.place,
                        format!("the key `{}` stands here twice", scalar.text),
                    ));
                }
                self.key = Some(Key { text: scalar.text, place: tree.place });
            }
            (Content::Scalar(_), _) => {}
        }
        Ok(())
    }
}

/// Whether a map has a key. Small ones are looked through, large ones get a set.
fn is_there(entries: &[(Key, Tree)], seen: &mut HashSet<String>, key: &str) -> bool {
    if entries.len() < 32 {
        return entries.iter().any(|(known, _)| known.text == key);
    }
    if seen.is_empty() {
        seen.extend(entries.iter().map(|(known, _)| known.text.clone()));
    }
    !seen.insert(key.to_owned())
}

fn size(tree: &Tree) -> usize {
    match &tree.content {
        Content::Scalar(_) => 1,
        Content::List(items) => 1 + items.iter().map(size).sum::<usize>(),
        Content::Map(entries) => 1 + entries.iter().map(|(_, value)| size(value)).sum::<usize>(),
    }
}

/// How a scalar was written; a type that is named decides, whatever the quotes.
fn style_of(style: ScalarStyle, named_type: Option<&str>) -> Style {
    match (style, named_type) {
        (ScalarStyle::Plain, Some("str")) => Style::Single,
        (ScalarStyle::Plain, _) | (_, Some("int" | "float" | "bool" | "null")) => Style::Plain,
        (ScalarStyle::SingleQuoted, _) => Style::Single,
        (ScalarStyle::DoubleQuoted, _) => Style::Double,
        (ScalarStyle::Literal, _) => Style::Literal,
        (ScalarStyle::Folded, _) => Style::Folded,
    }
}
