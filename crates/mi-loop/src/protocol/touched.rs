//! Which files a batch read, wrote and ran, as far as its transcript tells: edits, tools that name a path, and the words of
//! shell commands.
//!
//! Holds: only what is known from the words alone, and only inside of the project; what a program does besides is not seen.

use mi_formats::shell::unwrap_shell;
use mi_gate::command::{Directory, RedirectKind, SimpleCommand, analyze, written_paths};
use serde_json::Value;
use std::collections::BTreeSet;

use crate::{
    checks::{Place, place, shell::join},
    report::BatchReport,
};

/// How a path was used, in the words of access rules, and the path below the project.
pub(super) type Touch = (&'static str, String);

/// Everything that a batch touched, each once.
pub(super) fn touched(report: &BatchReport) -> BTreeSet<Touch> {
    let facts = &report.facts;
    let mut touches: BTreeSet<Touch> = facts.files.iter().map(|file| ("write", file.path.clone())).collect();
    for (name, arguments) in &facts.tool_calls {
        touches.extend(read_by_tool(name, arguments, &facts.root));
    }
    for command in &facts.commands {
        for simple in analyze(&unwrap_shell(command.command.trim())).commands {
            touches.extend(by_command(&simple, &facts.root));
        }
    }
    touches
}

/// Tools that are called after what they do: `Read`, `read_file`, `mcp__files__read`.
fn read_by_tool(name: &str, arguments: &str, root: &str) -> Option<Touch> {
    let name = name.to_ascii_lowercase();
    let last = name.rsplit("__").next().unwrap_or_default();
    if !matches!(last, "read" | "read_file" | "view" | "view_file" | "open_file") {
        return None;
    }
    let arguments: Value = serde_json::from_str(arguments).ok()?;
    let path =
        ["file_path", "path", "file", "filename"].iter().find_map(|key| arguments.get(key)?.as_str())?;
    inside(path, &Directory::Start, root).map(|path| ("read", path))
}

fn by_command(command: &SimpleCommand, root: &str) -> Vec<Touch> {
    let mut touches: Vec<(&'static str, &str)> = Vec::new();
    touches.extend(
        command
            .redirects
            .iter()
            .filter(|redirect| redirect.kind == RedirectKind::Read)
            .map(|redirect| ("read", redirect.target.text.as_str())),
    );
    touches.extend(read_operands(command).into_iter().map(|path| ("read", path)));
    if !matches!(command.program.as_str(), "chmod" | "chown" | "mkdir" | "rmdir" | "truncate") {
        touches.extend(written_paths(command).into_iter().map(|path| ("write", path)));
    }
    if command.program_path.contains('/') {
        touches.push(("exec", &command.program_path));
    }
    let known = touches.into_iter().filter(|(_, path)| is_path(path));
    known.filter_map(|(mode, path)| Some((mode, inside(path, &command.directory, root)?))).collect()
}

/// A word whose value is known and that can name a file.
fn is_path(word: &str) -> bool {
    !word.is_empty() && word != "-" && !word.contains(['$', '`', '*', '?', '\n'])
}

/// Programs that print what their operands hold: how many operands come before the files, and the options that take
/// the next word.
const READERS: &[(&[&str], usize, &[&str])] = &[
    (&["cat", "tac", "nl", "less", "more", "bat", "wc", "md5sum", "sha256sum", "strings"], 0, &[]),
    (&["head", "tail"], 0, &["-n", "-c", "--lines", "--bytes"]),
    (&["xxd", "od", "hexdump"], 0, &["-l", "-s", "-c", "-N", "-j", "-A", "-t", "-n"]),
    (&["sort", "uniq", "cut", "column"], 0, &["-k", "-t", "-o", "-f", "-d", "-c", "-b", "-s"]),
    (&["diff", "cmp", "comm"], 0, &["-U", "-C", "--label", "-n", "-i"]),
    (
        &["grep", "egrep", "fgrep", "rg"],
        1,
        &["-A", "-B", "-C", "-m", "-g", "-t", "--type", "--glob", "--include"],
    ),
    (&["sed", "gsed", "awk", "gawk", "jq"], 1, &["-v", "-F", "--arg"]),
];

fn read_operands(command: &SimpleCommand) -> Vec<&str> {
    let reader = READERS.iter().find(|(names, ..)| names.contains(&command.program.as_str()));
    let Some((_, before, with_value)) = reader else { return Vec::new() };
    // The pattern or script of `-e` and `-f` stands there instead of in front of the files.
    let given =
        command.arg_texts().any(|arg| matches!(arg, "-e" | "-f" | "--expression" | "--regexp" | "--file"));
    let mut words = command.args.iter();
    let mut operands = Vec::new();
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        let takes_next = with_value.contains(&text) || (*before > 0 && matches!(text, "-e" | "-f"));
        if takes_next {
            words.next();
        } else if !text.starts_with('-') && word.exact && !word.glob {
            operands.push(text);
        }
    }
    operands.into_iter().skip(if given { 0 } else { *before }).collect()
}

/// The path below the project; nothing when it leads elsewhere or cannot be told.
fn inside(path: &str, directory: &Directory, root: &str) -> Option<String> {
    let base = match directory {
        Directory::Start => ".",
        Directory::Relative(base) | Directory::Absolute(base) => base,
        Directory::Unknown => return None,
    };
    match place(&join(base, path), root) {
        Place::Inside(inside) => Some(inside),
        Place::Root | Place::Outside(_) | Place::Unknown => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(script: &str) -> Vec<String> {
        let commands = analyze(script).commands;
        let all: BTreeSet<Touch> = commands.iter().flat_map(|command| by_command(command, "/p")).collect();
        all.into_iter().map(|(mode, path)| format!("{mode} {path}")).collect()
    }

    /// What each script touches, as far as its words say.
    #[test]
    fn words_tell_what_is_touched() {
        let none: [&str; 0] = [];
        assert_eq!(of("cat a.md ./b/../c.md /p/d.md"), ["read a.md", "read c.md", "read d.md"]);
        assert_eq!(of("head -n 5 a.md; tail -3 b.md"), ["read a.md", "read b.md"]);
        assert_eq!(of("grep -rn -A 2 'x y' src/a.rs"), ["read src/a.rs"]);
        assert_eq!(of("grep -e x src/a.rs"), ["read src/a.rs"]);
        assert_eq!(of("sed -n '1,5p' a.rs"), ["read a.rs"]);
        assert_eq!(of("cd sub && cat x"), ["read sub/x"]);
        assert_eq!(of("wc -l < notes.md > out.txt"), ["read notes.md", "write out.txt"]);
        assert_eq!(of("./tools/go.sh --fast"), ["exec tools/go.sh"]);
        assert_eq!(of("rm -f old.txt; chmod +x go.sh; mkdir -p x"), ["write old.txt"]);
        assert_eq!(of("cat /etc/passwd ../other $FILE *.md - 2>/dev/null"), none);
        assert_eq!(of("echo cat a.md"), none);
        assert_eq!(of("/usr/bin/python3 -m unittest"), none);
    }

    /// Tools that read say so by their name.
    #[test]
    fn tools_name_what_they_read() {
        let read = |name: &str, arguments: &str| read_by_tool(name, arguments, "/p");
        let expected = Some(("read", "a.md".to_owned()));
        assert_eq!(read("Read", r#"{"file_path":"/p/a.md"}"#), expected);
        assert_eq!(read("mcp__files__read_file", r#"{"path":"a.md"}"#), expected);
        assert_eq!(read("Read", r#"{"file_path":"/etc/passwd"}"#), None);
        assert_eq!(read("WebFetch", r#"{"path":"a.md"}"#), None);
        assert_eq!(read("Read", "not json"), None);
    }
}
