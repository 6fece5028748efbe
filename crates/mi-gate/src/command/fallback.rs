//! Splits what no parser accepts into likely commands, so that danger is still looked for.
//!
//! It never makes a script understood. One pass, no recursion into quotes.

use super::scope::Scope;
use super::simple::Parts;
use super::types::Word;
use super::walk::{Context, Input, Walker};

/// Reads `text` word by word; every word after a separator may be a program.
pub(super) fn read(walker: &mut Walker, text: &str, context: Context) {
    let context = context.detached("the script is not understood");
    let mut scope = Scope::elsewhere();
    let text = &text[..text.floor_char_boundary(super::MAX_SCRIPT_BYTES)];
    for words in split(text) {
        if walker.analysis.commands.len() >= super::MAX_COMMANDS {
            return walker.doubt_limit("too many commands");
        }
        let start = words.iter().position(|word| !is_prefix(word)).unwrap_or(words.len());
        let words: Vec<Word> = words[start..].iter().map(Word::exact).collect();
        if !words.is_empty() {
            let inner = Context { depth: context.depth.saturating_add(1), ..context };
            walker.run(Parts::of_words(words), Input::Unknown, inner, &mut scope);
        }
    }
}

/// Keywords and assignments that stand before a program.
fn is_prefix(word: &str) -> bool {
    let keyword = [
        "if", "then", "else", "elif", "do", "while", "until", "!", "time", "{", "}", "fi", "done", "esac",
        "coproc",
    ];
    let assignment = word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    });
    keyword.contains(&word) || assignment
}

/// Words between separators, quotes removed; a quote that never closes is plain text.
fn split(text: &str) -> Vec<Vec<String>> {
    let mut commands = Vec::new();
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut at = 0;
    while let Some(char) = text[at..].chars().next() {
        at += char.len_utf8();
        match char {
            '\\' => {
                let escaped = text[at..].chars().next();
                at += escaped.map_or(0, char::len_utf8);
                word.get_or_insert_default().extend(escaped.filter(|char| *char != '\n'));
            }
            '\'' | '"' => match text[at..].find(char) {
                Some(end) => {
                    word.get_or_insert_default().push_str(&text[at..at + end]);
                    at += end + 1;
                }
                None => word.get_or_insert_default().push(char),
            },
            ';' | '|' | '&' | '\n' | '(' | ')' | '`' => {
                words.extend(word.take());
                if !words.is_empty() {
                    commands.push(std::mem::take(&mut words));
                }
            }
            white if white.is_whitespace() => words.extend(word.take()),
            plain => word.get_or_insert_default().push(plain),
        }
    }
    words.extend(word.take());
    if !words.is_empty() {
        commands.push(words);
    }
    commands
}
