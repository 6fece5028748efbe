//! What git does to the files of a work tree.

use super::Written;
use super::words::{Shape, Words, shape};

const ANY: Shape = shape("", &["output", "source", "pathspec-from-file"]);

pub(super) fn written<'a>(args: &[&'a str]) -> Written<'a> {
    let (folder, args) = behind_globals(args);
    let Some((sub, args)) = args.split_first() else { return Written::default() };
    let mut written = by_sub(sub, args);
    // What it names lies below the folder that it was sent to.
    if let Some(folder) = folder.filter(|_| !written.paths.is_empty() || !written.folders.is_empty()) {
        written.paths.clear();
        written.folders = vec![folder];
    }
    written
}

/// The folder of `-C`, and what stands behind the options in front of the subcommand.
fn behind_globals<'a, 'b>(args: &'b [&'a str]) -> (Option<&'a str>, &'b [&'a str]) {
    let (mut folder, mut rest) = (None, args);
    loop {
        match rest {
            ["-C" | "--work-tree", value, more @ ..] => (folder, rest) = (Some(*value), more),
            ["-c" | "--git-dir" | "--namespace" | "--config-env", _, more @ ..] => rest = more,
            [option, more @ ..] if option.starts_with('-') => rest = more,
            _ => return (folder, rest),
        }
    }
}

fn by_sub<'a>(sub: &str, args: &[&'a str]) -> Written<'a> {
    let from_commits = Written { from_commits: true, ..Written::default() };
    let words = Words::read(args, ANY);
    match sub {
        "apply" if words.has(&["apply"]) => Written::folder("."),
        "apply" if words.has(&["check", "stat", "numstat", "summary", "cached"]) => Written::default(),
        "apply" | "am" | "checkout-index" => Written::folder("."),
        "checkout" => checkout(args),
        "restore" => restore(args),
        "rm" if words.has(&["cached", "n", "dry-run"]) => Written::default(),
        "clean" if words.has(&["n", "dry-run"]) => Written::default(),
        "rm" | "mv" | "clean" => Written::paths_or(words.operands, "."),
        "reset" if words.has(&["hard", "keep", "merge"]) => from_commits,
        "stash"
            if matches!(
                words.operands.first(),
                Some(&("list" | "show" | "drop" | "clear" | "create" | "store"))
            ) =>
        {
            Written::default()
        }
        "switch" if words.has(&["c", "C", "create", "force-create", "orphan"]) => Written::default(),
        "read-tree" if !words.has(&["u"]) => Written::default(),
        "stash" | "switch" | "merge" | "rebase" | "pull" | "revert" | "cherry-pick" | "read-tree" => {
            from_commits
        }
        "clone" => Written::paths_or(words.operands.get(1).copied().into_iter().collect(), "."),
        "archive" => Written::paths(Words::read(args, shape("o", &["output"])).values(&["o", "output"])),
        "format-patch" if words.has(&["stdout"]) => Written::default(),
        "format-patch" => {
            let words = Words::read(args, shape("o", &["output-directory"]));
            Written::folder(words.values(&["o", "output-directory"]).next().unwrap_or("."))
        }
        "diff" | "log" | "show" => Written::paths(words.values(&["output"])),
        _ => Written::default(),
    }
}

/// Files, where they are told apart from a branch; a new branch leaves the files alone.
fn checkout<'a>(args: &[&'a str]) -> Written<'a> {
    let words = Words::read(args, shape("bB", &["orphan", "pathspec-from-file"]));
    if words.has(&["b", "B", "orphan"]) {
        return Written::default();
    }
    if words.has(&["p", "patch", "pathspec-from-file"]) {
        return Written::folder(".");
    }
    let behind = args.iter().position(|arg| *arg == "--").map(|at| &args[at + 1..]);
    match (behind, words.operands.as_slice()) {
        (Some(files), _) if !files.is_empty() => Written::paths(files.iter().copied()),
        (_, ["."]) => Written::paths(["."]),
        (None, [_, files @ ..]) if !files.is_empty() => Written::paths(files.iter().copied()),
        _ => Written { from_commits: true, ..Written::default() },
    }
}

fn restore<'a>(args: &[&'a str]) -> Written<'a> {
    let words = Words::read(args, shape("s", &["source", "pathspec-from-file"]));
    if words.has(&["S", "staged"]) && !words.has(&["W", "worktree"]) {
        return Written::default();
    }
    Written::paths_or(words.operands, ".")
}
