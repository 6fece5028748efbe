//! What a command line does to the project's files: edits (NX-206), and reads of memory files (NX-320).
//!
//! Holds: only what the words of a script say counts. A program that writes by itself (a build, a script) is no edit
//! through the shell.

use std::path::{Path, PathBuf};

use mi_gate::command::{Directory, SimpleCommand, analyze, changes_in_place, written};
use mi_workspace::without_dots;

/// What a script changes in the project.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Edits {
    /// Redirections, here-documents, `tee`, `sed -i` and the like, by name.
    pub(crate) files: Vec<String>,
    /// Files change that no word names: a patch, an archive, `xargs sed -i`.
    pub(crate) unnamed: bool,
    /// Files of other commits come into the work tree.
    pub(crate) from_commits: bool,
}

pub(crate) fn edits(script: &str, cwd: &Path, project: &Path) -> Edits {
    let analysis = analyze(script);
    let mut edits = Edits::default();
    for (index, command) in analysis.commands.iter().enumerate() {
        let written = written(&analysis, index);
        let below = |path: &str| below_project(command, path, cwd, project);
        edits.files.extend(written.paths.iter().filter_map(|path| below(path)));
        edits.unnamed |= written.folders.iter().any(|folder| below(folder).is_some());
        edits.from_commits |= written.from_commits && below(".").is_some();
    }
    edits
}

/// The files whose content a script prints whole or in part; searches and listings are not among them.
pub(crate) fn printed_files(script: &str, cwd: &Path) -> Vec<PathBuf> {
    let analysis = analyze(script);
    let mut files = Vec::new();
    for command in analysis.commands.iter().filter(|command| prints(command)) {
        let operands =
            command.args.iter().filter(|word| word.exact && !word.glob && !word.text.starts_with('-'));
        files.extend(operands.filter_map(|word| Some(folder(command, cwd)?.join(&word.text))));
    }
    files
}

fn prints(command: &SimpleCommand) -> bool {
    match command.program.as_str() {
        "cat" | "head" | "tail" | "less" | "more" | "bat" | "nl" | "tac" => true,
        "sed" => {
            let args: Vec<&str> = command.arg_texts().collect();
            args.contains(&"-n") && !changes_in_place("sed", &args)
        }
        _ => false,
    }
}

/// The name of a written path from the project's folder; none outside of it. A path that is not known counts as inside.
fn below_project(command: &SimpleCommand, path: &str, cwd: &Path, project: &Path) -> Option<String> {
    let is_descriptor = path.is_empty() || path.chars().all(|letter| letter.is_ascii_digit()) || path == "-";
    if is_descriptor
        || path.starts_with("/dev/")
        || path.starts_with("$TMPDIR")
        || path.starts_with("${TMPDIR")
    {
        return None;
    }
    let unknown = path.contains('$') || path.contains('`');
    match folder(command, cwd) {
        Some(folder) if !unknown => {
            let plain = without_dots(&folder.join(path));
            plain.strip_prefix(project).ok().map(|below| below.to_string_lossy().into_owned())
        }
        _ if Path::new(path).is_absolute() && !unknown => {
            let plain = without_dots(Path::new(path));
            plain.strip_prefix(project).ok().map(|below| below.to_string_lossy().into_owned())
        }
        _ => Some(path.to_owned()),
    }
}

fn folder(command: &SimpleCommand, cwd: &Path) -> Option<PathBuf> {
    match &command.directory {
        Directory::Start => Some(cwd.to_owned()),
        Directory::Relative(below) => Some(cwd.join(below)),
        Directory::Absolute(path) => Some(PathBuf::from(path)),
        Directory::Unknown => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Edits, edits, printed_files};
    use std::path::Path;

    /// Every named way of editing through the shell is seen, with its file.
    #[test]
    fn nx_206_edits_through_the_shell_are_seen() {
        for (script, file) in [
            ("sed -i s/a/b/ src/a.rs", "src/a.rs"),
            ("echo x > a.txt", "a.txt"),
            ("echo x >> deep/a.txt", "deep/a.txt"),
            ("cat > a.txt <<'EOF'\nx\nEOF", "a.txt"),
            ("echo x | tee a.txt", "a.txt"),
            ("cd src && echo x > a.rs", "src/a.rs"),
            ("bash -c 'echo x > a.txt'", "a.txt"),
            ("rm a.txt", "a.txt"),
            ("echo x > \"$OUT\"", "$OUT"),
            ("echo x > /p/a.txt", "a.txt"),
        ] {
            assert_eq!(edits(script, Path::new("/p"), Path::new("/p")).files, [file], "{script}");
        }
    }

    /// Edits of files that no word names are seen, if they happen in the project.
    #[test]
    fn nx_206_edits_of_files_without_names_are_seen() {
        let unnamed = |script| edits(script, Path::new("/p"), Path::new("/p")).unnamed;
        for script in ["ls | xargs sed -i s/a/b/", "patch -p1 < x", "tar xf a.tar", "git -C src apply ../x"] {
            assert!(unnamed(script), "{script}");
        }
        for script in ["cd /tmp && patch -p1 < x", "tar xf a.tar -C /tmp", "git -C /elsewhere apply x"] {
            assert!(!unnamed(script), "{script}");
        }
    }

    /// Reading, testing, and writing elsewhere are no edits.
    #[test]
    fn nx_204_other_commands_are_no_edits() {
        for script in [
            "cat a.txt",
            "cargo test 2>&1 | tail -5",
            "ls > /dev/null",
            "pytest > /tmp/log.txt",
            "git diff",
            "grep -rn x src 2>/dev/null",
            "echo '> a.txt'",
            "sed -n 1,5p a.txt",
            "cd /tmp && touch x",
        ] {
            assert_eq!(edits(script, Path::new("/p"), Path::new("/p")), Edits::default(), "{script}");
        }
    }

    /// Printing a file is reading it; searching and listing is not.
    #[test]
    fn nx_320_only_content_that_is_printed_counts_as_read() {
        let read = |script| printed_files(script, Path::new("/p"));
        assert_eq!(read("cat .nexus/memory/a.md"), [Path::new("/p/.nexus/memory/a.md")]);
        assert!(read("cd .nexus/memory && sed -n 1,9p a.md").contains(&"/p/.nexus/memory/a.md".into()));
        for script in ["ls .nexus/memory", "grep -r x .nexus/memory", "cat .nexus/memory/*.md", "echo a.md"] {
            assert_eq!(read(script), Vec::<&Path>::new(), "{script}");
        }
    }
}
