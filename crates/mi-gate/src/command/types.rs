//! The words of an analysis.

use serde::Serialize;

/// What a script would do, as far as reading it tells.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Analysis {
    /// Every program that would run, outer before inner, in reading order.
    pub commands: Vec<SimpleCommand>,
    /// True if nothing is missing from `commands` and every command word is known.
    pub understood: bool,
    /// Why it is not understood; empty if it is.
    pub reasons: Vec<String>,
    /// It is longer or nested deeper than is read, so that a part of it was not looked at.
    pub exceeds_limits: bool,
    /// Names that the script defines as functions.
    pub functions: Vec<String>,
}

/// One program start, builtin or function call.
///
/// A redirect without a program (`> file`, `done > file`) is a command with an empty `program`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SimpleCommand {
    /// Name without quotes and without its directory.
    pub program: String,
    /// Name without quotes, as written.
    pub program_path: String,
    pub args: Vec<Word>,
    pub assignments: Vec<Assignment>,
    pub redirects: Vec<Redirect>,
    pub place: Place,
    pub directory: Directory,
    /// Where it runs instead if a `cd` before it fails.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_directories: Vec<Directory>,
    /// The command in whose words or body this one stands.
    pub parent: Option<usize>,
    pub via: Via,
    /// Programs in other languages that are handed to it (`python -c`, `awk`, a here-document for `node`).
    pub bodies: Vec<Body>,
    pub(super) visibility: Visibility,
}

impl SimpleCommand {
    /// The texts of all arguments.
    pub fn arg_texts(&self) -> impl Iterator<Item = &str> {
        self.args.iter().map(|word| word.text.as_str())
    }

    /// The command on one line, for people.
    pub fn display(&self) -> String {
        self.display_within(usize::MAX)
    }

    /// The beginning of that line: at most so many bytes, no character cut. What asks often about a long command asks this.
    pub(crate) fn display_within(&self, bytes: usize) -> String {
        let mut line = String::new();
        let words = std::iter::once(self.program_path.as_str()).chain(self.arg_texts());
        for word in words {
            if line.len() >= bytes {
                break;
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(&word[..word.floor_char_boundary(bytes - line.len())]);
        }
        line
    }
}

/// A word after quote removal.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Word {
    /// The value; parts that are not known stand as written (`$HOME/x`).
    pub text: String,
    /// Every part of the value is known from the script alone.
    pub exact: bool,
    /// It holds an unquoted pattern that the shell replaces by file names.
    pub glob: bool,
}

impl Word {
    /// A word whose value is known.
    pub fn exact(text: impl Into<String>) -> Self {
        Self { text: text.into(), exact: true, glob: false }
    }
}

/// `NAME=value` before a program, or given to `env` and `sudo`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Assignment {
    pub name: String,
    pub value: Word,
}

/// A redirect to or from a file, a descriptor or a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Redirect {
    pub kind: RedirectKind,
    /// File name or descriptor; the text itself for here-documents and here-strings.
    pub target: Word,
}

/// What a redirect does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RedirectKind {
    Read,
    Write,
    Append,
    ReadWrite,
    Duplicate,
    Text,
}

/// Where a command stands among its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Place {
    /// Commands of one pipeline share this number.
    pub pipeline: u32,
    pub position: u16,
    pub length: u16,
    /// What joins its pipeline to the one before.
    pub connector: Connector,
    pub background: bool,
    pub negated: bool,
}

/// What stands before a pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Connector {
    Start,
    And,
    Or,
    Sequence,
    Background,
}

/// How a command came to be part of the script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Via {
    Script,
    Subshell,
    Function,
    Substitution,
    ProcessSubstitution,
    /// `sudo`, `env`, `xargs` and the like.
    Wrapper,
    /// `bash -c`, `eval`, `trap`, `alias`, an option whose value is a command.
    Text,
    /// Standard input of a shell.
    Input,
    /// A string inside a program in another language.
    Interpreter,
    /// `ssh`, `docker exec`: runs elsewhere.
    Remote,
}

/// The directory a command runs in.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "path")]
pub enum Directory {
    /// Where the script was started.
    #[default]
    Start,
    /// Below or beside the start, without `.` and with `..` only in front.
    Relative(String),
    Absolute(String),
    Unknown,
}

/// A program in a language other than shell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Body {
    pub language: &'static str,
    pub text: String,
}

/// Whether exit code 0 of the script speaks for one command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "visibility")]
pub enum Visibility {
    Shown,
    Hidden { why: String },
}
