//! Text read into the items the rules compare.

use super::{Act, Cue, Token, TokenKind, lexicon::LEXICON, tables::KNOWN_PACKAGES, tokens};

/// What a word or phrase stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    Act(Act),
    Topic(&'static str),
    Member { category: &'static str, member: &'static str },
    Cue(Cue),
    Stop,
}

/// Something a sentence speaks of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Term {
    Topic(&'static str),
    /// One of the things of a category: tabs of indentation.
    Member {
        category: &'static str,
        member: &'static str,
    },
    /// A word the lexicon does not know, by its stem.
    Word(String),
}

impl Term {
    /// Whether both speak of the same thing. Chinese words without spaces match when one contains the other, and a name
    /// in backticks matches its parts, as prose is read without hyphens.
    pub(crate) fn matches(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Word(one), Self::Word(two)) => {
                one == two
                    || one.split('-').any(|part| part == two)
                    || two.split('-').any(|part| part == one)
                    || (super::is_chinese(one)
                        && super::is_chinese(two)
                        && one.chars().count().min(two.chars().count()) >= 2
                        && (one.contains(two.as_str()) || two.contains(one.as_str())))
            }
            _ => self == other,
        }
    }

    /// The word that stands for it in a list of topics.
    pub(crate) fn label(&self) -> &str {
        match self {
            Self::Topic(id) => id,
            Self::Member { member, .. } => member,
            Self::Word(word) => word,
        }
    }
}

/// One meaningful part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Item {
    Act {
        act: Act,
        first: bool,
        han: bool,
    },
    Term(Term),
    Cue {
        cue: Cue,
        han: bool,
    },
    Comma,
    Semicolon,
    /// A number, a path, a name: information rather than topic.
    Value(String),
}

/// The items of `text`, in order.
pub(crate) fn read(text: &str) -> Vec<Item> {
    let tokens = tokens(text);
    let mut items = Vec::new();
    let mut unknown_han = String::new();
    let mut at = 0;
    while at < tokens.len() {
        let token = &tokens[at];
        if let Some((meanings, length)) = LEXICON.longest(&tokens[at..]) {
            flush_han(&mut unknown_han, &mut items);
            let first = at == 0 || tokens[at - 1].kind == TokenKind::Mark;
            items.extend(
                meanings.iter().filter_map(|what| item_of(*what, first, token.kind == TokenKind::Han)),
            );
            at += length;
            continue;
        }
        if token.kind == TokenKind::Han {
            unknown_han.push_str(&token.stem);
        } else {
            flush_han(&mut unknown_han, &mut items);
            if is_verb(&tokens, at) {
                items.push(Item::Act { act: Act::Unknown, first: false, han: false });
            }
            push_unknown(token, &mut items);
        }
        at += 1;
    }
    flush_han(&mut unknown_han, &mut items);
    name_packages(&mut items, &tokens);
    items
}

/// What the text speaks of, without order.
pub(crate) fn terms_of(items: &[Item]) -> Vec<Term> {
    let mut terms: Vec<Term> = Vec::new();
    for item in items {
        if let Item::Term(term) = item
            && !terms.contains(term)
        {
            terms.push(term.clone());
        }
    }
    terms
}

fn item_of(what: What, first: bool, han: bool) -> Option<Item> {
    Some(match what {
        What::Act(act) => Item::Act { act, first, han },
        What::Topic(id) => Item::Term(Term::Topic(id)),
        What::Member { category, member } => Item::Term(Term::Member { category, member }),
        What::Cue(cue) => Item::Cue { cue, han },
        What::Stop => return None,
    })
}

/// Whether an unknown word stands where only a verb can: "should I obfuscate …", "… and email the customer".
fn is_verb(tokens: &[Token], at: usize) -> bool {
    const BETWEEN: &[&str] = &["also", "now", "just", "then", "first", "still", "even"];
    const OBJECTS: &[&str] = &["the", "a", "an", "your", "it", "them", "all", "this", "that", "everything"];
    const ASKS: &[&str] = &["should", "shall", "can", "may", "could"];
    let stem = |at: Option<usize>| at.and_then(|at| tokens.get(at)).map_or("", |token| token.stem.as_str());
    if tokens[at].kind != TokenKind::Word {
        return false;
    }
    let before = (0..at).rev().find(|&before| !BETWEEN.contains(&tokens[before].stem.as_str()));
    let earlier = before.and_then(|before| before.checked_sub(1));
    match stem(before) {
        "i" | "we" => ASKS.contains(&stem(earlier)),
        "to" => stem(earlier) == "me",
        "and" => OBJECTS.contains(&stem(Some(at + 1))),
        _ => false,
    }
}

fn flush_han(pending: &mut String, items: &mut Vec<Item>) {
    if pending.chars().count() >= 2 {
        items.push(Item::Term(Term::Word(std::mem::take(pending))));
    }
    pending.clear();
}

fn push_unknown(token: &Token, items: &mut Vec<Item>) {
    match token.kind {
        TokenKind::Mark => match token.stem.as_str() {
            "," | ":" | "—" | "(" | ")" => items.push(Item::Comma),
            "、" => items.push(Item::Cue { cue: Cue::Join, han: true }),
            ";" | "." => items.push(Item::Semicolon),
            _ => {}
        },
        TokenKind::Code => items.push(Item::Term(Term::Word(token.stem.clone()))),
        TokenKind::Word | TokenKind::Han if token.stem.starts_with(|char: char| char.is_ascii_digit()) => {
            items.push(Item::Value(token.stem.clone()));
        }
        TokenKind::Word | TokenKind::Han => items.push(Item::Term(Term::Word(token.stem.clone()))),
    }
}

/// "add `left-pad`" speaks of a dependency although no word says so.
fn name_packages(items: &mut Vec<Item>, tokens: &[Token]) {
    if items.iter().any(|item| {
        matches!(
            item,
            Item::Term(Term::Topic(
                "dependency"
                    | "feature flag"
                    | "tests"
                    | "docs"
                    | "file"
                    | "ci"
                    | "config"
                    | "branch"
                    | "api"
                    | "function"
                    | "log"
            ))
        )
    }) {
        return;
    }
    // Beside the word itself: a part of its own would be read as a wish of its own.
    if let Some(at) = items.iter().position(|item| *item == Item::Term(Term::Topic("install"))) {
        items.insert(at + 1, Item::Term(Term::Topic("dependency")));
        return;
    }
    let code = |word: &str| tokens.iter().any(|token| token.kind == TokenKind::Code && token.stem == word);
    let package = |word: &str| {
        KNOWN_PACKAGES.contains(&word) || (code(word) && is_package_name(word) && word.contains(['-', '@']))
    };
    let adding = items.iter().any(|item| matches!(item, Item::Act { act: Act::Add | Act::Use, .. }));
    let named = items.iter().position(|item| matches!(item, Item::Term(Term::Word(word)) if package(word)));
    if let Some(at) = named.filter(|_| adding) {
        items.insert(at, Item::Term(Term::Topic("dependency")));
    }
}

fn is_package_name(word: &str) -> bool {
    let plain = |char: char| char.is_ascii_lowercase() || char.is_ascii_digit() || "-@/_".contains(char);
    word.starts_with(|char: char| char.is_ascii_lowercase() || char == '@') && word.chars().all(plain)
}
