//! What the proof takes from the command analysis of the gate: which simple commands a script runs, where, and
//! whether the script's exit code 0 says that each of them succeeded.
//!
//! Holds: what the analysis does not understand, or runs in another order than it stands (functions), is an
//! error with the reason, and then nothing is proven. Elsewhere: reading shell is `mi_gate::command`.

use mi_gate::command::{
    Analysis, Directory, RedirectKind, SimpleCommand, Visibility, analyze, exit_code_is_visible,
};

/// One simple command that stands in the script itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Simple {
    /// Program and arguments, unquoted, without redirections and leading assignments.
    pub(crate) words: Vec<String>,
    /// The variables set before it, for it alone or, without a program, for what follows.
    pub(crate) assignments: Vec<(String, String)>,
    /// Where the `cd`s before it lead, relative to where the script starts, or absolute; `?` when unknown.
    pub(crate) directory: String,
    /// The words of the commands that it starts: behind `sudo` and `xargs`, in `bash -c` and `$(…)`.
    pub(crate) starts: Vec<Vec<String>>,
    /// Whether its output, or that of a command that it starts, is redirected into a file.
    pub(crate) writes_file: bool,
    /// Why the script's exit code says nothing about this command; None when it does.
    pub(crate) hidden: Option<String>,
}

/// The simple commands of `script`, in order; None when it is not understood.
pub(crate) fn read(script: &str) -> Option<Vec<Simple>> {
    understand(script).ok()
}

/// The simple commands of `script`, in order, or why it is not understood.
pub(crate) fn understand(script: &str) -> Result<Vec<Simple>, String> {
    let analysis = analyze(script);
    if let Some(reason) = analysis.reasons.first() {
        return Err(reason.clone());
    }
    if let Some(name) = analysis.functions.first() {
        return Err(format!("it defines the function `{name}`"));
    }
    let mut found: Vec<Simple> = Vec::new();
    for (index, command) in analysis.commands.iter().enumerate() {
        match found.last_mut() {
            // Commands that another one starts stand right behind it.
            Some(outer) if command.parent.is_some() => {
                outer.starts.push(words_of(command));
                outer.writes_file |= writes_file(command);
            }
            _ => found.push(simple(&analysis, index, command)),
        }
    }
    // What is left of `( … ) 2>&1` neither runs nor writes anything.
    found.retain(|part| !part.words.is_empty() || part.writes_file || !part.assignments.is_empty());
    Ok(found)
}

/// The words of `text` if it is one simple command.
pub(crate) fn words(text: &str) -> Option<Vec<String>> {
    match <[Simple; 1]>::try_from(read(text)?) {
        Ok([one]) => Some(one.words),
        Err(_) => None,
    }
}

/// Joins a directory to where a script stands, lexically; the result has no `.` and no inner `..`.
pub(crate) fn join(base: &str, target: &str) -> String {
    if target.contains(['$', '`', '*']) {
        return "?".to_owned();
    }
    let base = match base {
        "?" => Directory::Unknown,
        absolute if absolute.starts_with('/') => Directory::Absolute(absolute.to_owned()),
        relative => Directory::Start.join(relative),
    };
    shown(&base.join(target))
}

fn simple(analysis: &Analysis, index: usize, command: &SimpleCommand) -> Simple {
    let hidden = match exit_code_is_visible(analysis, index) {
        Visibility::Shown => None,
        Visibility::Hidden { why } => Some(why),
    };
    Simple {
        words: words_of(command),
        assignments: assignments_of(command),
        directory: shown(&command.directory),
        starts: Vec::new(),
        writes_file: writes_file(command),
        hidden,
    }
}

fn words_of(command: &SimpleCommand) -> Vec<String> {
    let program = Some(command.program_path.as_str()).filter(|program| !program.is_empty());
    program.into_iter().chain(command.arg_texts()).map(str::to_owned).collect()
}

fn assignments_of(command: &SimpleCommand) -> Vec<(String, String)> {
    command.assignments.iter().map(|set| (set.name.clone(), set.value.text.clone())).collect()
}

fn writes_file(command: &SimpleCommand) -> bool {
    command.redirects.iter().any(|redirect| {
        let writes =
            matches!(redirect.kind, RedirectKind::Write | RedirectKind::Append | RedirectKind::ReadWrite);
        writes && !redirect.target.text.starts_with("/dev/")
    })
}

fn shown(directory: &Directory) -> String {
    match directory {
        Directory::Start => ".".to_owned(),
        Directory::Absolute(path) if path.starts_with('~') => "?".to_owned(),
        Directory::Relative(path) | Directory::Absolute(path) => path.clone(),
        Directory::Unknown => "?".to_owned(),
    }
}
#[cfg(test)]
mod tests {
    use super::*;

    fn shown(script: &str) -> Vec<(String, bool, String)> {
        let simple = |simple: Simple| (simple.words.join(" "), simple.hidden.is_none(), simple.directory);
        read(script).unwrap_or_default().into_iter().map(simple).collect()
    }

    /// Exit 0 of a script says something about a command only where no operator swallows its exit code.
    #[test]
    fn operators_hide_or_show() {
        let visible_of = |script: &str, program: &str| {
            shown(script)
                .into_iter()
                .find(|(words, ..)| words.starts_with(program))
                .map(|(_, visible, _)| visible)
        };
        for (script, visible) in [
            ("cargo test", true),
            ("cargo fmt && cargo test", true),
            ("cargo test && echo ok", true),
            ("cargo test 2>&1", true),
            ("cargo test | tail -5", false),
            ("set -o pipefail; cargo test | tail -5", true),
            ("set -euo pipefail\ncargo test | tee log\necho done", true),
            ("cargo test || true", false),
            ("cargo test || exit 1; echo ok", true),
            ("cargo test || exit 0; echo ok", false),
            ("cargo test; true", false),
            ("echo a; cargo test", true),
            ("cargo test &", false),
            ("cargo test\necho done", false),
            ("(cd x && cargo test)", true),
            ("cargo test |& cat", false),
            ("set -e; cargo test; echo done", true),
        ] {
            assert_eq!(visible_of(script, "cargo test"), Some(visible), "{script}");
        }
    }

    /// What is not understood is an error with its reason.
    #[test]
    fn other_syntax_is_not_understood() {
        for (script, reason) in [
            ("cargo() { true; }; cargo test", "it defines the function `cargo`"),
            ("echo 'open", "the shell grammar does not accept it"),
            ("a && && b", "the shell grammar does not accept it"),
            ("PATH=./fake:$PATH cargo test", "`PATH` changes what programs do"),
            ("export PATH=/tmp/fake:$PATH; cargo test", "`PATH` changes what programs do"),
            ("$RUNNER test", "the command word `$RUNNER` is not known"),
        ] {
            assert_eq!(understand(script), Err(reason.to_owned()), "{script}");
        }
    }

    /// Where a check may not run, or its failure may be swallowed, its exit code is hidden.
    #[test]
    fn other_syntax_hides_the_exit_code() {
        for script in [
            "if check; then echo ok; fi",
            "for i in 1 2; do check; done",
            "while check; do sleep 1; done",
            "! check",
            "alias check=true; check",
            "trap 'exit 0' EXIT; check",
            "exit 0; check",
            "X=$(check; true)",
            "case $1 in a) check;; esac",
        ] {
            let parts = read(script).expect("it is understood");
            let check = parts.iter().find(|part| part.words == ["check"]).expect("it holds the check");
            assert!(check.hidden.is_some(), "{script}");
        }
        assert_eq!(shown("eval check")[0].0, "eval check");
        assert!(
            shown("if ! check; then exit 1; fi")
                .iter()
                .any(|(words, visible, _)| words == "check" && *visible)
        );
    }

    /// A command carries those that it starts.
    #[test]
    fn started_commands() {
        let starts = |script: &str| {
            let parts = read(script).unwrap_or_default();
            parts
                .into_iter()
                .map(|part| part.starts.iter().map(|words| words.join(" ")).collect::<Vec<_>>())
                .collect::<Vec<_>>()
        };
        assert_eq!(starts("sudo rm x; ls"), [vec!["rm x".to_owned()], vec![]]);
        assert_eq!(starts("echo $(date) && bash -c 'a; b > f'"), [vec!["date"], vec!["a", "b"]]);
        assert!(read("bash -c 'b > f'").is_some_and(|parts| parts[0].writes_file));
    }

    /// `cd` is followed; quotes and here-documents are not commands.
    #[test]
    fn directories_quotes_and_documents() {
        assert_eq!(shown("cd a && cd ../b && ls")[2].2, "b");
        assert_eq!(shown("cd /tmp/x && ls")[1].2, "/tmp/x");
        assert_eq!(shown("cd \"$DIR\" && ls")[1].2, "?");
        assert_eq!(shown("cd .. && ls")[1].2, "..");
        assert_eq!(shown("echo 'a && b; c' \"d | e\"")[0].0, "echo a && b; c d | e");
        let script = "cat > f <<'EOF'\ncargo test\nEOF\nls";
        assert_eq!(shown(script).iter().map(|(words, ..)| words.as_str()).collect::<Vec<_>>(), ["cat", "ls"]);
        let writes = |script: &str| {
            read(script).unwrap_or_default().iter().map(|part| part.writes_file).collect::<Vec<_>>()
        };
        assert_eq!(writes("a > f && b 2>&1 && c > /dev/null && d &>> log"), [true, false, false, true]);
        assert_eq!(words("A=1 b 'c d'"), Some(vec!["b".to_owned(), "c d".to_owned()]));
    }
}
