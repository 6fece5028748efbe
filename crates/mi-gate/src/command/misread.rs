//! Syntax that the parser is known to read otherwise than bash does. A script that holds any of it is not understood.
//!
//! Each rule was found by comparing what is read with what bash 5.2 runs; `tests/oracle.rs` holds the parser to another
//! one. The rules look at text and tokens and refuse more than they must: all of it is rare.

use brush_parser::Token;

/// Why `script` may be misread, from its tokens; None if nothing is known to be.
pub(super) fn find_misread_syntax(script: &str, tokens: &[Token]) -> Option<&'static str> {
    // Bash uses some of them as marks of its own and drops others.
    if script.chars().any(|char| char.is_control() && !matches!(char, '\n' | '\t' | '\r')) {
        return Some("it holds a control character");
    }
    if tokens.windows(2).any(|pair| names_descriptor(&pair[0], &pair[1])) {
        return Some("a redirect chooses its own descriptor");
    }
    if tokens.iter().any(|token| comments_in_arithmetic(script, token)) {
        return Some("a comment may end what is computed");
    }
    find_misread_parentheses(script, tokens)
}

/// `{name}>file`: the parser takes `{name}` for a word, and for the program if it stands in front.
fn names_descriptor(word: &Token, operator: &Token) -> bool {
    let (Token::Word(word, _), Token::Operator(operator, _)) = (word, operator) else { return false };
    word.starts_with('{') && word.ends_with('}') && operator.starts_with(['<', '>'])
}

/// `$((1 # ))`: to bash there are no comments in it, so it ends where the parser sees a comment, which it drops from the word.
fn comments_in_arithmetic(script: &str, token: &Token) -> bool {
    let Token::Word(word, span) = token else { return false };
    if !word.contains("$((") && !word.contains("$[") {
        return false;
    }
    let written = script.chars().skip(span.start.index).take(span.end.index - span.start.index);
    let mut last = ' ';
    written.into_iter().any(|char| std::mem::replace(&mut last, char).is_whitespace() && char == '#')
}

/// An opening parenthesis whose end was not seen yet.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Plain,
    /// The first of `((`.
    Outer,
    /// The second of `((`, with the place behind it.
    Inner(usize),
    /// Of `name=(`.
    Array,
}

/// The parser takes any two opening parentheses for arithmetic and looks at nothing in it. To bash they are subshells if they
/// stand apart, or if the closing ones do.
fn find_misread_parentheses(script: &str, tokens: &[Token]) -> Option<&'static str> {
    let mut open: Vec<Open> = Vec::new();
    let mut letters: Option<Vec<char>> = None;
    for (index, token) in tokens.iter().enumerate() {
        let (operator, span) = match token {
            Token::Operator(operator, span) => (operator, span),
            // `x=([)]=a)`: what closes the array to the parser stands in a subscript.
            Token::Word(word, _) if open.last() == Some(&Open::Array) && is_open_subscript(word) => {
                return Some("a subscript is not closed");
            }
            Token::Word(..) => continue,
        };
        let before = index.checked_sub(1).map(|index| &tokens[index]);
        match operator.as_str() {
            "(" => {
                let computes = open.iter().any(|open| matches!(open, Open::Inner(_)));
                let touches = before.is_some_and(|before| before.location().end.index == span.start.index);
                let kind = match before {
                    Some(Token::Operator(before, _)) if before == "(" && !computes => {
                        if !touches {
                            return Some("two parentheses open apart from each other");
                        }
                        if let Some(last) = open.last_mut() {
                            *last = Open::Outer;
                        }
                        Open::Inner(span.end.index)
                    }
                    Some(Token::Word(word, _)) if word.ends_with('=') => Open::Array,
                    _ => Open::Plain,
                };
                open.push(kind);
            }
            ")" => {
                let letters = letters.get_or_insert_with(|| script.chars().collect());
                let next = letters.get(span.end.index).copied();
                match open.pop() {
                    Some(Open::Inner(start)) => {
                        let inside = letters.get(start..span.start.index).unwrap_or_default();
                        if next != Some(')') || !is_plain_arithmetic(inside) {
                            return Some("what stands in two parentheses may be commands");
                        }
                    }
                    // To bash the array ends here; the parser takes what follows for a word of its own.
                    Some(Open::Array) if next.is_some_and(|next| !" \t\n;&|)".contains(next)) => {
                        return Some("something touches the end of an array");
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
    None
}

fn is_open_subscript(word: &str) -> bool {
    word.starts_with('[') && !word.contains(']')
}

/// Nothing in it is a quote, a comment or the end of a line to one reader and not to another.
fn is_plain_arithmetic(inside: &[char]) -> bool {
    !inside.iter().any(|char| matches!(char, '\'' | '"' | '\\' | '\n'))
        && !inside.windows(2).any(|pair| pair[0].is_whitespace() && pair[1] == '#')
        && inside.first() != Some(&'#')
}
