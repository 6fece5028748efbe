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
    plain_command(script).or_else(|| parsed(&ascii(script)))
}

/// What it would see in one command of plain words. Most calls of a hook have nothing else, and the parser and its tables
/// would be a tenth of their time. A test compares the two.
fn plain_command(script: &str) -> Option<Sighting> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b" -_./,:@%+=".contains(&byte);
    let name = script.split(' ').find(|word| !word.is_empty())?;
    let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic() || "_./".contains(first));
    if !is_name || !script.bytes().all(is_plain) || name.contains('=') || RESERVED.contains(&name) {
        return None;
    }
    Some(Sighting { names: vec![name.to_owned()], targets: Vec::new() })
}

/// Words that begin something else than a command of words.
const RESERVED: [&str; 17] = [
    "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "in",
    "select", "function", "time", "coproc",
];

fn parsed(script: &str) -> Option<Sighting> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The words that mean something to a shell, and any others.
    fn word() -> impl Strategy<Value = String> {
        let known = RESERVED.iter().chain(&[
            "export", "unset", "declare", "test", "exec", "eval", "git", "ls", "a=1", "2", ":", "-",
        ]);
        prop_oneof![
            prop::sample::select(known.map(|word| word.to_string()).collect::<Vec<_>>()),
            "[-a-zA-Z0-9_./,:@%+=]{1,8}"
        ]
    }

    proptest! {
        /// D.19: what is read by hand is what the second parser sees, where it can read it (`A%` is an error to it).
        #[test]
        fn d19_plain_commands_are_seen_as_the_second_parser_sees_them(
            words in prop::collection::vec(word(), 0..5),
            blanks in "[ ]{0,2}",
        ) {
            let script = format!("{blanks}{}{blanks}", words.join(&format!(" {blanks}")));
            if let (Some(by_hand), Some(seen)) = (plain_command(&script), parsed(&script)) {
                prop_assert_eq!(seen, by_hand, "{:?}", script);
            }
        }
    }

    /// D.19: whatever is more than words is left to the parser.
    #[test]
    fn d19_only_plain_words_are_read_by_hand() {
        for script in [
            "", "  ", "a=1 ls", "time ls", "if ls", "ls; ls", "ls\nls", "ls $x", "ls *", "ls ~", "'ls'",
            "ls >a", "l\\s", "{a,b}", "ls\ta", "l\u{a0}s",
        ] {
            assert_eq!(plain_command(script), None, "{script:?}");
        }
        assert_eq!(
            plain_command(" git log --format=%H").map(|seen| seen.names),
            Some(vec!["git".to_owned()])
        );
    }
}
