//! Whether what goes is only on the screen, in code, or made again by the next build: "purge unused CSS classes".
//!
//! Words such as `wipe` or 清空 say that something goes, not what (`open_deletions`). They mean data unless what follows is
//! in `harmless`, and nothing in `data` stands beside it.

use super::super::text::{Text, is_chinese, start_of};
use super::{Topic, table};

/// Words that are read behind the verb.
const REACH: usize = 7;

pub(super) fn is_harmless(text: &Text, phrase: &str, (start, end): (usize, usize), topic: Topic) -> bool {
    if !matches!(topic, Topic::Irreversible | Topic::DeleteData) || !table::open_deletions().contains(&phrase)
    {
        return false;
    }
    let after = start_of(&text.plain[end..]);
    if phrase == "rm -rf" {
        return removes_what_is_made_again(after);
    }
    if phrase.is_ascii() {
        let object = clause(after);
        let code = object.starts_with("()") || text.plain[..start].ends_with('.');
        let words: Vec<&str> = words(object).take(REACH).collect();
        let has = |list: &[&str]| words.iter().any(|word| list.contains(word));
        return (code || has(table::harmless())) && !has(table::data());
    }
    let object: String = clause(after).chars().take(REACH * 2).collect();
    let has = |list: &[&str]| list.iter().any(|word| word.starts_with(is_chinese) && object.contains(word));
    has(table::harmless()) && !has(table::data())
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| !(char.is_alphanumeric() || char == '_')).filter(|word| !word.is_empty())
}

fn clause(after: &str) -> &str {
    after.split([',', '.', ';', '!', '?', ':', '\n', '，', '。', '；', '！', '？']).next().unwrap_or_default()
}

/// Whether a command names nothing but folders that tools make again.
fn removes_what_is_made_again(after: &str) -> bool {
    const MADE: [&str; 12] = [
        "node_modules",
        "dist",
        "build",
        "target",
        "coverage",
        "out",
        "tmp",
        ".next",
        ".cache",
        ".venv",
        "venv",
        "__pycache__",
    ];
    let command = after.split(['&', ';', '|', '\n', ',', '，', '。']).next().unwrap_or_default();
    let mut names = command.split_whitespace().take_while(|word| !matches!(*word, "and" | "then")).peekable();
    names.peek().is_some()
        && names.all(|name| MADE.contains(&name.trim_start_matches("./").trim_end_matches(['/', '.', '*'])))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder that a build makes is no loss; anything beside it may be.
    #[test]
    fn d_03_what_is_made_again_is_no_loss() {
        for command in [" node_modules", " ./dist/ build && npm i", " target and build again"] {
            assert!(removes_what_is_made_again(command), "{command}");
        }
        for command in ["", " /", " /var/build", " node_modules ../src", " ~/dist", " *"] {
            assert!(!removes_what_is_made_again(command), "{command}");
        }
    }
}
