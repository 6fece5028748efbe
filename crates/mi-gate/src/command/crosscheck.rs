//! The second opinion: tree-sitter's view of the same script, reduced to what both parsers can say.
//!
//! It must never see a here-document ([`super::heredocs`]) nor a character beyond ASCII: its scanner has memory
//! errors there.

use std::cell::RefCell;

use tree_sitter::{Node, Parser};

/// What a parser saw: the raw command words and the raw redirect targets, sorted.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Sighting {
    pub(super) names: Vec<String>,
    pub(super) targets: Vec<String>,
}

impl Sighting {
    pub(super) fn name(&mut self, raw: &str) {
        if !matches!(raw, "[" | "[[") {
            self.names.push(plain(raw));
        }
    }

    pub(super) fn target(&mut self, raw: &str) {
        self.targets.push(plain(raw));
    }

    pub(super) fn sorted(mut self) -> Self {
        self.names.sort_unstable();
        self.targets.sort_unstable();
        self
    }
}

/// Joined lines are the same word to both parsers, and the second one sees ASCII alone.
fn plain(raw: &str) -> String {
    ascii(&raw.replace("\\\n", "")).trim().to_owned()
}

/// `text` with a letter for every character beyond ASCII. The second parser's scanner asks the C library about
/// characters as if they were bytes, which reads outside of its tables for others; to a shell they are all letters.
fn ascii(text: &str) -> String {
    text.chars().map(|char| if char.is_ascii() { char } else { 'x' }).collect()
}

thread_local! {
    static PARSER: RefCell<Option<Parser>> = const { RefCell::new(None) };
}

/// What tree-sitter sees in `script`; None if it finds an error.
pub(super) fn sight(script: &str) -> Option<Sighting> {
    let script = ascii(script);
    let script = script.as_str();
    PARSER.with_borrow_mut(|slot| {
        let parser = match slot {
            Some(parser) => parser,
            None => slot.insert(new_parser()?),
        };
        let tree = parser.parse(script, None)?;
        let root = tree.root_node();
        if root.has_error() {
            return None;
        }
        let mut sighting = Sighting::default();
        let mut cursor = root.walk();
        loop {
            collect(cursor.node(), script, &mut sighting);
            if cursor.goto_first_child() || cursor.goto_next_sibling() {
                continue;
            }
            loop {
                if !cursor.goto_parent() {
                    return Some(sighting.sorted());
                }
                if cursor.goto_next_sibling() {
                    break;
                }
            }
        }
    })
}

fn new_parser() -> Option<Parser> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
    Some(parser)
}

fn collect(node: Node<'_>, script: &str, sighting: &mut Sighting) {
    let text = |node: Node<'_>| script.get(node.byte_range()).unwrap_or_default().to_owned();
    match node.kind() {
        "command_name" => sighting.name(&text(node)),
        "declaration_command" | "unset_command" => {
            if let Some(keyword) = node.child(0) {
                sighting.name(&text(keyword));
            }
        }
        "file_redirect" => {
            let duplicates = (0..node.child_count())
                .filter_map(|index| node.child(index))
                .any(|child| matches!(child.kind(), ">&" | "<&" | ">&-" | "<&-"));
            if let (false, Some(destination)) = (duplicates, node.child_by_field_name("destination")) {
                sighting.target(&text(destination));
            }
        }
        _ => {}
    }
}
