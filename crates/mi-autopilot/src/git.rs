//! What git knows about the project, read cheaply: HEAD from git's own files, the rest by at most two calls and
//! only when something changed.
//!
//! Holds: a repository's own settings cannot make these calls run programs (no external diff, text
//! conversion, file-system monitor or hooks).

use mi_loop::project::inputs;
use mi_model::record::RepoObservation;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Runs a program to its end and gives its standard output; `None` when it failed.
pub type RunProgram<'a> = dyn Fn(&str, &[&str], &Path) -> Option<String> + 'a;

/// The most bytes of a status or diff summary that a record keeps.
const KEPT_BYTES: usize = 8 * 1024;

/// A longer list of tracked files may have been cut off.
const TRACKED_BYTES: usize = 200 * 1024;
/// Options under which a repository's own settings start no programs.
const QUIET: [&str; 7] = [
    "--no-optional-locks",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.quotePath=false",
];

/// Watches one repository over a run.
#[derive(Debug)]
pub struct GitWatch {
    /// The work tree's root and its git folder, if the project is in a repository.
    place: Option<(PathBuf, PathBuf)>,
    last: Option<(String, RepoObservation)>,
}

impl GitWatch {
    /// A watch on the repository around `root`, if there is one.
    pub fn new(root: &Path) -> Self {
        Self {
            place: root.ancestors().find_map(|folder| Some((folder.to_owned(), git_folder(folder)?))),
            last: None,
        }
    }

    /// Whether the project is in a git repository.
    pub fn is_repository(&self) -> bool {
        self.place.is_some()
    }

    /// The git part of an observation; git is only called when the tree, the index or HEAD changed.
    pub fn observe(&mut self, tree_digest: &str, run: &RunProgram<'_>) -> RepoObservation {
        let Some((root, folder)) = &self.place else { return RepoObservation::default() };
        let head = read_head(folder).unwrap_or_default();
        let key = format!("{tree_digest} {head} {}", index_stamp(folder));
        if let Some((last_key, observation)) = &self.last
            && *last_key == key
        {
            return observation.clone();
        }
        let observation = ask_git(root, head, run);
        self.last = Some((key, observation.clone()));
        observation
    }
}

/// The tracked files below `root` that look like build output; None when git does not say.
pub fn tracked_outputs(root: &Path, run: &RunProgram<'_>) -> Option<Vec<String>> {
    let folders = inputs::OUTPUT_FOLDERS.iter().map(|folder| format!(":(glob)**/{folder}/**"));
    let endings = inputs::OUTPUT_ENDINGS.iter().map(|ending| format!(":(glob)**/*{ending}"));
    let reports = inputs::OUTPUT_REPORTS.iter().map(|start| format!(":(glob)**/{start}*"));
    let patterns: Vec<String> = folders.chain(endings).chain(reports).collect();
    let args: Vec<&str> = QUIET
        .iter()
        .copied()
        .chain(["ls-files", "-z", "--"])
        .chain(patterns.iter().map(String::as_str))
        .collect();
    let names = run("git", &args, root).filter(|names| names.len() < TRACKED_BYTES)?;
    Some(names.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect())
}

fn ask_git(root: &Path, head: String, run: &RunProgram<'_>) -> RepoObservation {
    let status = git(root, &["status", "--porcelain", "--untracked-files=normal"], run);
    let staged = status.lines().any(|line| !line.starts_with([' ', '?']));
    let unstaged =
        status.lines().any(|line| line.as_bytes().get(1).is_some_and(|&code| code != b' ' && code != b'?'));
    let stat = |wanted: bool, args: &[&str]| if wanted { git(root, args, run) } else { String::new() };
    RepoObservation {
        git_is_repo: true,
        git_root: root.to_string_lossy().into_owned(),
        git_head: head,
        git_diff_stat: stat(unstaged, &["diff", "--no-ext-diff", "--no-textconv", "--stat"]),
        git_diff_cached_stat: stat(staged, &["diff", "--cached", "--no-ext-diff", "--no-textconv", "--stat"]),
        git_status_porcelain: status,
        ..RepoObservation::default()
    }
}

fn git(root: &Path, args: &[&str], run: &RunProgram<'_>) -> String {
    let all: Vec<&str> = QUIET.iter().chain(args).copied().collect();
    let mut text = run("git", &all, root).unwrap_or_default();
    if text.len() > KEPT_BYTES {
        let mut end = KEPT_BYTES;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let left_out = text.len() - end;
        text.truncate(end);
        text.push_str(&format!("\n… {left_out} more bytes"));
    }
    text
}

/// The git folder of a work tree; a linked work tree has a file that names it.
fn git_folder(work_tree: &Path) -> Option<PathBuf> {
    let dot_git = work_tree.join(".git");
    if dot_git.is_dir() {
        return Some(dot_git);
    }
    let text = fs::read_to_string(&dot_git).ok()?;
    let target = work_tree.join(text.trim().strip_prefix("gitdir:")?.trim());
    target.is_dir().then_some(target)
}

/// The commit that HEAD names.
fn read_head(folder: &Path) -> Option<String> {
    let head = fs::read_to_string(folder.join("HEAD")).ok()?;
    let Some(reference) = head.trim().strip_prefix("ref:") else { return Some(head.trim().to_owned()) };
    let reference = reference.trim();
    let common = match fs::read_to_string(folder.join("commondir")) {
        Ok(text) => folder.join(text.trim()),
        Err(_) => folder.to_owned(),
    };
    if let Ok(commit) = fs::read_to_string(common.join(reference)) {
        return Some(commit.trim().to_owned());
    }
    let packed = fs::read_to_string(common.join("packed-refs")).ok()?;
    packed.lines().find_map(|line| Some(line.strip_suffix(reference)?.trim().to_owned()))
}

fn index_stamp(folder: &Path) -> String {
    match fs::metadata(folder.join("index")) {
        Ok(metadata) => format!("{}:{:?}", metadata.len(), metadata.modified().ok()),
        Err(_) => "none".to_owned(),
    }
}
