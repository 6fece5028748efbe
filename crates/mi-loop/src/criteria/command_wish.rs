//! Commands that a criterion names, and what it says of them: "`make lint` is clean", "`app --version` prints 1.0.0".

use serde::{Deserialize, Deserializer, Serialize};

use super::named_things::{NameRole, named_things};
use crate::{
    checks::{calls_known_runner, hold_known_runner, shell},
    project::in_backticks,
};

/// A command and what it has to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NamedCommand {
    pub command: String,
    pub expect: Expectation,
}

/// What a command has to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "does", content = "what", rename_all = "snake_case")]
pub enum Expectation {
    /// It ends with exit code 0.
    Passes,
    /// It ends with exit code 0 and prints this; nothing at all, if this is empty.
    Prints(String),
    /// It ends with this exit code.
    Exits(i32),
}

impl NamedCommand {
    pub fn passes(command: impl Into<String>) -> Self {
        Self { command: command.into(), expect: Expectation::Passes }
    }
}

impl<'de> Deserialize<'de> for NamedCommand {
    /// Journals of earlier versions hold the command alone.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Stored {
            Command(String),
            Named { command: String, expect: Expectation },
        }
        Ok(match Stored::deserialize(deserializer)? {
            Stored::Command(command) => Self::passes(command),
            Stored::Named { command, expect } => Self { command, expect },
        })
    }
}

pub(super) const PASSES: [&str; 22] = [
    "pass",
    "succeed",
    "green",
    "exit 0",
    "exits 0",
    "exits with 0",
    "is clean",
    "are clean",
    "works",
    "no error",
    "no warning",
    "without error",
    "runs through",
    "通过",
    "成功",
    "跑通",
    "没有错误",
    "无错误",
    "läuft durch",
    "erfolgreich",
    "成功する",
    "通る",
];
const PRINTS: [&str; 14] = [
    " prints ",
    " print ",
    " outputs ",
    " output ",
    " shows ",
    " reports ",
    " displays ",
    " writes ",
    " returns ",
    "输出",
    "打印",
    "显示",
    " gibt ",
    " affiche ",
];

/// The command that a text names together with what it has to do.
pub(super) fn read(text: &str) -> Option<NamedCommand> {
    let lower = text.to_lowercase();
    let command = in_backticks(text).into_iter().find(|piece| is_command(piece) || reads_like_call(piece))?;
    if is_denied(&lower) {
        return None;
    }
    if let Some(code) = exit_code(&lower) {
        let expect = if code == 0 { Expectation::Passes } else { Expectation::Exits(code) };
        return Some(NamedCommand { command, expect });
    }
    if let Some(printed) = printed_text(text, &command) {
        return Some(NamedCommand { command, expect: Expectation::Prints(printed) });
    }
    let passes = PASSES.iter().any(|word| lower.contains(word)) && !lower.contains("pass it");
    let is_bare = text.trim().trim_matches('`') == command;
    let is_run = ["run `", "execute `", "运行 `", "运行`"].iter().any(|start| lower.starts_with(start));
    // "We run tests with `make check`" speaks of nothing but the command.
    let is_custom = ["ci runs", "we run", "run tests with", "tests with", "checked with", "checked by"]
        .iter()
        .any(|form| lower.contains(form));
    let counts = passes
        || is_run
        || is_custom
        || is_bare && calls_known_runner(&command)
        || is_command(&command) && says_what_it_does(text, &command);
    counts.then(|| NamedCommand::passes(command))
}

/// "`npm run lint` reports nothing": a verb follows the command, in a sentence that reports no failure.
fn says_what_it_does(text: &str, command: &str) -> bool {
    let is_wanted =
        named_things(text).iter().any(|name| name.text == command && name.role == NameRole::Wanted);
    let (before, after) = text.split_once(&format!("`{command}`")).unzip();
    let last =
        before.and_then(|before| before.split_whitespace().next_back()).unwrap_or_default().to_lowercase();
    if ["with", "run", "running", "execute", "using", "via", "mit", "avec", "con", "用", "运行"]
        .contains(&last.as_str())
    {
        return is_wanted;
    }
    let after = after.map(str::trim_start);
    let verb =
        after.and_then(|after| after.split(|char: char| !char.is_alphabetic()).next()).unwrap_or_default();
    is_wanted && (verb.len() > 2 && verb.ends_with('s') || ["must", "should", "is"].contains(&verb))
}

/// "`cargo test` fails on main" tells of a symptom.
fn is_denied(lower: &str) -> bool {
    [" fails", " failed", " failing", "失败", " schlägt fehl"].iter().any(|word| lower.contains(word))
        && exit_code(lower).is_none()
}

/// "exits with 3", "exit code 2", "returns exit status 1".
fn exit_code(lower: &str) -> Option<i32> {
    let at = lower.find("exits with").or_else(|| lower.find("exit code")).or_else(|| lower.find("exits "))?;
    let words = lower[at..].split_whitespace().skip(1);
    words.take(4).find_map(|word| word.trim_matches(|char: char| !char.is_ascii_digit()).parse().ok())
}

/// What follows "prints": quoted, in backticks, or the rest of the sentence.
fn printed_text(text: &str, command: &str) -> Option<String> {
    let lower = text.to_lowercase();
    let after_command = lower.find(&command.to_lowercase()).map_or(0, |at| at + command.len());
    let rest_lower = lower.get(after_command..)?;
    let (at, verb) = PRINTS.iter().filter_map(|verb| Some((rest_lower.find(verb)?, *verb))).min()?;
    let rest = text.get(after_command + at + verb.len()..)?.trim();
    if let Some(structure) = bracketed(rest) {
        return Some(structure.to_owned());
    }
    let pieces = in_backticks(rest);
    let quoted = rest.split('"').nth(1).map(str::to_owned).filter(|_| rest.matches('"').count() >= 2);
    let plain = || {
        let plain = rest.split([',', ';', '。']).next().unwrap_or_default().trim().trim_end_matches('.');
        Some(plain.to_owned()).filter(|text| !text.is_empty() && text.split_whitespace().count() <= 6)
    };
    let found = pieces.into_iter().next().or(quoted).or_else(plain)?;
    let lower = found.to_lowercase();
    let is_printed = ["print", "output", "打印", "输出"].iter().any(|word| verb.contains(word));
    if is_printed && ["nothing", "no output"].iter().any(|start| lower.starts_with(start)) {
        return Some(String::new());
    }
    let is_vague =
        ["no error", "nothing", "the ", "a ", "an ", "its "].iter().any(|start| lower.starts_with(start));
    (!is_vague).then_some(found)
}

/// A list or an object at the beginning of a text.
fn bracketed(text: &str) -> Option<&str> {
    let mut depth = 0_i32;
    for (at, char) in text.char_indices() {
        depth += match char {
            '{' | '[' => 1,
            '}' | ']' => -1,
            _ if depth == 0 => return None,
            _ => 0,
        };
        if depth == 0 {
            return text.get(..=at);
        }
    }
    None
}

/// Whether a piece of code is a shell command rather than a name in a program.
pub(crate) fn is_command(piece: &str) -> bool {
    let parts = shell::read(piece).unwrap_or_default();
    if hold_known_runner(&parts) {
        return true;
    }
    let Some(words) = parts.first().map(|part| &part.words) else { return false };
    let Some(program) = words.first() else { return false };
    let known = [
        "make", "just", "task", "cargo", "go", "npm", "pnpm", "yarn", "bun", "npx", "node", "deno", "python",
        "python3", "ruby", "bundle", "php", "composer", "mvn", "gradle", "dotnet", "swift", "bash", "sh",
        "ruff", "mypy", "eslint", "tsc", "flake8", "black", "cmake", "ninja", "mix", "docker", "uv",
        "poetry", "curl", "test",
    ];
    program.starts_with("./") || (known.contains(&program.as_str()) && words.len() > 1)
}

/// A program's name and its arguments, rather than an expression.
fn reads_like_call(piece: &str) -> bool {
    let words: Vec<&str> = piece.split_whitespace().collect();
    let is_name = |char: char| char.is_alphanumeric() || "._-/".contains(char);
    let is_code = piece.contains(['(', ')', '{', '}', ';'])
        || words.iter().any(|word| ["=", "==", "+", "->", "=>"].contains(word));
    let has_option = words.iter().skip(1).any(|word| word.starts_with('-'));
    words.len() > 1 && !is_code && has_option && words.first().is_some_and(|first| first.chars().all(is_name))
}
