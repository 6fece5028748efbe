//! Whether a command changes the project's inputs, as far as its words tell.
//!
//! Holds: `Writes` is said only of commands that are known to write inside the project; a program that is not
//! known, or a place that cannot be read off the words, is `Unknown`.

use mi_formats::shell::unwrap_shell;
use mi_gate::command::{Analysis, Directory, analyze, changes_in_place, written};

use super::{
    runner,
    shell::{self, join},
};
use crate::project::inputs::{Standing, standing};

/// What running a command does to the project's inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Effect {
    Reads,
    Unknown,
    Writes,
}

/// The effect of a whole command, run in the project at `root` (empty when not known).
pub(crate) fn effect(command: &str, root: &str) -> Effect {
    if command.contains(super::CUT_MARK) {
        return Effect::Unknown;
    }
    let analysis = analyze(&unwrap_shell(command.trim()));
    let floor = if analysis.understood { Effect::Reads } else { Effect::Unknown };
    (0..analysis.commands.len()).map(|index| of_command(&analysis, index, root)).fold(floor, Effect::max)
}

fn of_command(analysis: &Analysis, index: usize, root: &str) -> Effect {
    let command = &analysis.commands[index];
    let words: Vec<&str> = std::iter::once(command.program.as_str()).chain(command.arg_texts()).collect();
    let exact = command.args.iter().all(|word| word.exact);
    let written = written(analysis, index);
    let written = written.paths.iter().chain(&written.folders).map(|path| at(path, &command.directory, root));
    let written = written.fold(Effect::Reads, Effect::max);
    // What a redirect, `sed -i` or `cp` writes is known by its path; of the rest the program's name decides.
    let by_name = match of_words(&words) {
        Effect::Writes if writes_its_operands(&words) => Effect::Reads,
        other => other,
    };
    let by_name = if is_outside(&command.directory, root) { by_name.min(Effect::Unknown) } else { by_name };
    // An empty folder is no input.
    let written = if words.first() == Some(&"mkdir") { Effect::Reads } else { written };
    let written = if exact { written } else { written.min(Effect::Unknown) };
    written.max(by_name)
}

/// The effect of writing to `path` from `directory`.
fn at(path: &str, directory: &Directory, root: &str) -> Effect {
    if path.starts_with("/dev/") {
        return Effect::Reads;
    }
    let base = match directory {
        Directory::Start => ".",
        Directory::Relative(path) | Directory::Absolute(path) => path,
        Directory::Unknown => "?",
    };
    let inside = match runner::place(&join(base, path), root) {
        runner::Place::Inside(inside) => inside,
        runner::Place::Root => return Effect::Writes,
        runner::Place::Outside(_) => return Effect::Reads,
        runner::Place::Unknown if ["/tmp/", "/var/tmp/"].iter().any(|start| path.starts_with(start)) => {
            return Effect::Reads;
        }
        runner::Place::Unknown => return Effect::Unknown,
    };
    match standing(&inside) {
        Standing::Input => Effect::Writes,
        Standing::MaybeOutput => Effect::Unknown,
        Standing::Never => Effect::Reads,
    }
}

fn is_outside(directory: &Directory, root: &str) -> bool {
    match directory {
        Directory::Start | Directory::Unknown => false,
        Directory::Relative(path) | Directory::Absolute(path) => {
            matches!(runner::place(path, root), runner::Place::Outside(_))
        }
    }
}

/// Programs whose written files are all among their words.
fn writes_its_operands(words: &[&str]) -> bool {
    matches!(
        words.first().copied().unwrap_or_default(),
        "rm" | "mv"
            | "cp"
            | "tee"
            | "touch"
            | "truncate"
            | "install"
            | "ln"
            | "chmod"
            | "sed"
            | "gsed"
            | "perl"
            | "ruby"
            | "awk"
            | "gawk"
    )
}

/// The effect of a simple command by its words.
pub(super) fn of_words(words: &[&str]) -> Effect {
    let has = |option: &str| words.iter().any(|word| word.starts_with(option));
    match words {
        [] | [""] => Effect::Reads,
        [program, args @ ..] if changes_in_place(program, args) => Effect::Writes,
        ["find", ..] if has("-delete") || has("-exec") => Effect::Unknown,
        ["git", rest @ ..] => git(rest),
        ["rm" | "mv" | "cp" | "tee" | "touch" | "truncate" | "install" | "ln" | "chmod", ..] => {
            Effect::Writes
        }
        ["patch" | "apply_patch" | "applypatch" | "rsync" | "unzip", ..] => Effect::Writes,
        ["cargo", "fmt", ..] | ["rustfmt" | "black" | "isort", ..] if has("--check") => Effect::Reads,
        ["cargo", "fmt" | "fix" | "add" | "remove" | "update", ..] => Effect::Writes,
        ["rustfmt" | "black" | "isort" | "autopep8" | "yapf", ..] => Effect::Writes,
        ["go", "fmt" | "generate" | "get", ..] | ["go", "mod", "tidy", ..] => Effect::Writes,
        ["gofmt" | "goimports" | "clang-format" | "shfmt", ..] if has("-w") || has("-i") => Effect::Writes,
        ["ruff", "format", ..] if !has("--check") && !has("--diff") => Effect::Writes,
        ["ruff" | "eslint" | "npx", ..] if has("--fix") => Effect::Writes,
        ["prettier" | "biome", ..] | ["npx", "prettier" | "biome", ..] if has("--write") || has("-w") => {
            Effect::Writes
        }
        ["cargo", "test" | "check" | "clippy" | "build" | "nextest" | "tree" | "metadata", ..]
        | ["go", "test" | "vet" | "build" | "version" | "list", ..] => Effect::Reads,
        ["ruff", "check", ..]
        | ["python" | "python3", "-m", "mypy" | "flake8" | "pylint" | "pyright", ..] => Effect::Reads,
        ["mypy" | "pyright" | "flake8" | "pylint" | "shellcheck" | "eslint", ..] => Effect::Reads,
        ["tsc", ..] if has("--noEmit") => Effect::Reads,
        _ if runs_a_script(words) => Effect::Unknown,
        [program, ..] if READERS.contains(program) => Effect::Reads,
        _ => unknown_unless_runner(words),
    }
}

const READERS: [&str; 56] = [
    "ls", "cat", "head", "tail", "grep", "egrep", "fgrep", "rg", "wc", "pwd", "echo", "printf", "true",
    "false", "test", "[", "[[", "cd", "pushd", "popd", "sed", "gsed", "find", "fd", "tree", "file", "stat",
    "diff", "cmp", "which", "type", "sleep", "date", "sort", "uniq", "cut", "awk", "jq", "nl", "less",
    "export", "set", "pytest", "mkdir", "command", "exit", "wait", "env", "bash", "sh", "timeout", "time",
    "basename", "dirname", "du", ":",
];

fn git(rest: &[&str]) -> Effect {
    let has = |options: &[&str]| rest.iter().any(|word| options.contains(word));
    let takes_value = |word: &str| ["-c", "-C", "--git-dir", "--work-tree"].contains(&word);
    let mut values = rest
        .iter()
        .scan(false, |is_value, word| Some((std::mem::replace(is_value, takes_value(word)), *word)));
    let subcommand = values.find(|(is_value, word)| !is_value && !word.starts_with('-'));
    let subcommand = subcommand.map_or("", |(_, word)| word);
    match subcommand {
        "" | "status" | "diff" | "log" | "show" | "rev-parse" | "branch" | "blame" | "grep" | "ls-files"
        | "add" | "commit" | "tag" | "remote" | "config" | "describe" | "shortlog" | "reflog" | "push"
        | "fetch" | "init" | "cat-file" | "rev-list" | "ls-tree" | "merge-base" => Effect::Reads,
        "stash" if has(&["list", "show", "drop"]) => Effect::Reads,
        "checkout" | "switch" if has(&["-b", "-B", "-c", "-C", "--orphan"]) => Effect::Unknown,
        "apply" if has(&["--check", "--stat"]) => Effect::Reads,
        "rm" if has(&["--cached"]) => Effect::Reads,
        "reset" if has(&["--soft", "--mixed"]) || !has(&["--hard", "--keep", "--merge"]) => Effect::Unknown,
        "restore" if has(&["--staged"]) && !has(&["--worktree"]) => Effect::Reads,
        "checkout" | "switch" | "restore" | "reset" | "stash" | "apply" | "am" | "merge" | "rebase"
        | "pull" | "revert" | "cherry-pick" | "clean" | "rm" | "mv" | "read-tree" | "checkout-index" => {
            Effect::Writes
        }
        _ => Effect::Unknown,
    }
}

/// A test runner leaves the project's inputs alone.
fn unknown_unless_runner(words: &[&str]) -> Effect {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    if runner::is_runner(&words) { Effect::Reads } else { Effect::Unknown }
}

/// Whether it runs a file of commands, which can do anything.
fn runs_a_script(words: &[&str]) -> bool {
    let Some((program, rest)) = words.split_first() else { return false };
    let interpreters =
        ["sh", "bash", "zsh", "dash", "ksh", "python", "python3", "node", "ruby", "perl", "php"];
    let name = program.rsplit('/').next().unwrap_or_default();
    if interpreters.contains(&name) {
        // `-c` brings its commands along, `-m` names a module; both are judged by themselves.
        let is_inline = rest.iter().any(|word| ["-c", "-m", "-e", "-lc", "-ec", "-xc"].contains(word));
        return !is_inline && rest.iter().any(|word| !word.starts_with('-'));
    }
    program.contains('/') && !program.starts_with('/')
}

/// Whether a part of the same script changes files: then the digest at its end is not what the check saw.
pub(super) fn changes_files(part: &shell::Simple) -> bool {
    let logs = part.words.first().is_some_and(|program| program == "tee");
    let writes = |words: &Vec<String>| {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        of_words(&words) == Effect::Writes
            || runs_a_script(&words) && unknown_unless_runner(&words) != Effect::Reads
    };
    !logs && (part.writes_file || std::iter::once(&part.words).chain(&part.starts).any(writes))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Commands that write inside the project, that only read, and that nobody knows.
    #[test]
    fn commands_by_effect() {
        for (command, expected) in [
            ("cat x; ls -la; git status && git diff | head -5", Effect::Reads),
            ("git add -A && git commit -m 'x > y'", Effect::Reads),
            ("python3 -m unittest -v", Effect::Reads),
            ("bash -lc 'cat x'", Effect::Reads),
            ("echo hi > /tmp/x 2>/dev/null", Effect::Reads),
            ("cd /elsewhere && sed -i s/a/b/ x.py", Effect::Reads),
            ("echo x >> app.log", Effect::Reads),
            ("mkdir -p src/new", Effect::Reads),
            ("git stash list", Effect::Reads),
            ("mypy calc.py && ruff check . && python3 -m flake8", Effect::Reads),
            ("ruff check --fix .", Effect::Writes),
            ("tsc", Effect::Unknown),
            ("sed -i 's/+/*/' calc.py", Effect::Writes),
            ("sed -Ei 's/+/*/' calc.py", Effect::Writes),
            ("ls | xargs sed -i 's/+/*/'", Effect::Writes),
            ("awk '{print > \"calc.py\"}' x", Effect::Writes),
            ("/bin/bash -lc \"sed -i s/+/*/ calc.py\"", Effect::Writes),
            ("echo x > calc.py", Effect::Writes),
            ("echo x | tee calc.py", Effect::Writes),
            ("cat <<'E' > /p/src/a.py\nx\nE", Effect::Writes),
            ("mv a.py b.py", Effect::Writes),
            ("cp /tmp/calc.py .", Effect::Writes),
            ("rm calc.py", Effect::Writes),
            ("patch -p1 < x.diff", Effect::Writes),
            ("git checkout -- .", Effect::Writes),
            ("git -c a.b=c stash", Effect::Writes),
            ("cargo fmt", Effect::Writes),
            ("black .", Effect::Writes),
            ("npx prettier --write .", Effect::Writes),
            ("go generate ./...", Effect::Writes),
            ("rm -r target", Effect::Unknown),
            ("mkdir -p build && echo y > build/out.o", Effect::Unknown),
            ("./generate", Effect::Unknown),
            ("python3 fix.py", Effect::Unknown),
            ("python3 -c \"open('calc.py','w').write('x')\"", Effect::Unknown),
            ("echo x > $OUT", Effect::Unknown),
            ("git checkout -b topic", Effect::Unknown),
        ] {
            assert_eq!(effect(command, "/p"), expected, "{command}");
        }
    }
}
