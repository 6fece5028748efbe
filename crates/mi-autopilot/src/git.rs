//! What git knows about the project, read cheaply: HEAD from git's own files, the rest by git itself, and only what
//! can have changed since the last look.
//!
//! A batch that changed nothing costs no call; one that makes new files or edits a file for the first time costs one;
//! further edits of a file cost none (`edits`). Which files changed is known from the tree's snapshot.
//! Holds: what is told is what `git status --porcelain` and `git diff --stat` would tell now; a repository's own
//! settings cannot make these calls run programs: no external diff, text conversion or filter (the rest is `mi-git`).

mod edits;
mod patch;
mod stat;

use mi_loop::project::inputs;
use mi_model::record::RepoObservation;
use std::{
    collections::{BTreeMap, HashSet},
    fs,
    path::{Path, PathBuf},
};

use edits::{Change, Edits, EditsAt};
use mi_tree::Snapshot;

/// Runs git with these arguments in this folder, under [`SETTINGS`], and gives its output; `None` when it failed.
pub(crate) type AskGit<'a> = dyn Fn(&[&str], &Path) -> Option<String> + 'a;

/// The most bytes of a status or diff summary that a record keeps.
const KEPT_BYTES: usize = 8 * 1024;
/// A status longer than this may have been cut off where it was read, and is not built upon.
const WHOLE_BYTES: usize = 128 * 1024;
const UNSTAGED: [&str; 5] = ["diff", "--no-ext-diff", "--no-textconv", "--raw", "--stat"];
/// The same with all that is needed to know what is staged, whatever a person has set.
const UNSTAGED_WITH_PATCH: [&str; 12] = [
    "diff",
    "--no-ext-diff",
    "--no-textconv",
    "--raw",
    "--stat",
    "--no-abbrev",
    "--patch",
    "--unified=0",
    "--inter-hunk-context=0",
    "--no-color",
    "--src-prefix=a/",
    "--dst-prefix=b/",
];
const STAGED: [&str; 5] = ["diff", "--cached", "--no-ext-diff", "--no-textconv", "--stat"];

/// A longer list of tracked files may have been cut off.
const TRACKED_BYTES: usize = 200 * 1024;
/// Paths as they are, and looking writes nothing.
pub(crate) const SETTINGS: [&str; 2] = ["diff.autoRefreshIndex=false", "core.quotePath=false"];

/// Watches one repository over a run.
#[derive(Debug)]
pub struct GitWatch {
    /// The work tree's root and its git folder, if the project is in a repository.
    place: Option<(PathBuf, PathBuf)>,
    /// Whether the project is the whole work tree, so that a snapshot shows all that git sees.
    is_whole: bool,
    last: Option<Look>,
    edits: Edits,
}

/// What git said at one time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Look {
    head: String,
    index: String,
    files: Snapshot,
    status: String,
    diff_stat: String,
    diff_cached_stat: String,
}

impl GitWatch {
    /// A watch on the repository around `root`, if there is one.
    pub fn new(root: &Path) -> Self {
        let place = root.ancestors().find_map(|folder| Some((folder.to_owned(), git_folder(folder)?)));
        let is_whole = place.as_ref().is_some_and(|(work_tree, _)| work_tree == root);
        Self { place, is_whole, last: None, edits: Edits::default() }
    }

    /// Whether the project is in a git repository.
    pub fn is_repository(&self) -> bool {
        self.place.is_some()
    }

    /// The git part of an observation; git is only called when the tree, the index or HEAD changed.
    pub fn observe(&mut self, files: &Snapshot, ask: &AskGit<'_>) -> RepoObservation {
        let Some((root, folder)) = &self.place else { return RepoObservation::default() };
        if runs_filters(folder) {
            return RepoObservation {
                git_status_porcelain: NOT_ASKED.to_owned(),
                ..bare_observation(root, folder)
            };
        }
        let (head, index) = (read_head(folder).unwrap_or_default(), index_stamp(folder));
        let last = self.last.take().filter(|last| last.head == head && last.index == index);
        if last.is_none() {
            self.edits = Edits::default();
        }
        let git = |args: &[&str]| ask(args, root).unwrap_or_default();
        let look = match last {
            Some(last) if last.files.digest == files.digest => last,
            Some(last) if self.is_whole => last.after_edits(files, &git, &mut self.edits.at(root)),
            _ => {
                let mut edits = self.is_whole.then(|| self.edits.at(root));
                Look { head, index, files: files.clone(), ..Look::whole(&git, edits.as_mut()) }
            }
        };
        let observation = look.observation(root);
        self.last = Some(look);
        observation
    }
}

/// The tracked files below `root` that look like build output; None when git does not say.
pub fn tracked_outputs(root: &Path, ask: &AskGit<'_>) -> Option<Vec<String>> {
    let folders = inputs::OUTPUT_FOLDERS.iter().map(|folder| format!(":(glob)**/{folder}/**"));
    let endings = inputs::OUTPUT_ENDINGS.iter().map(|ending| format!(":(glob)**/*{ending}"));
    let reports = inputs::OUTPUT_REPORTS.iter().map(|start| format!(":(glob)**/{start}*"));
    let patterns: Vec<String> = folders.chain(endings).chain(reports).collect();
    let patterns = patterns.iter().map(String::as_str);
    let args: Vec<&str> = ["ls-files", "-z", "--"].into_iter().chain(patterns).collect();
    let names = ask(&args, root).filter(|names| names.len() < TRACKED_BYTES)?;
    Some(names.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect())
}

impl Look {
    /// Everything, without knowing anything.
    fn whole(git: &dyn Fn(&[&str]) -> String, edits: Option<&mut EditsAt<'_>>) -> Self {
        let status = ask_status(git);
        let diff_stat = match has_unstaged(&status) {
            true => ask_unstaged(git, edits, &edited_names(&status)).1,
            false => String::new(),
        };
        let staged = status.lines().any(|line| !line.starts_with([' ', '?']));
        let diff_cached_stat = if staged { git(&STAGED) } else { String::new() };
        Self { status, diff_stat, diff_cached_stat, ..Self::default() }
    }

    /// What git says now that files differ while HEAD and the index are the same as at this look.
    fn after_edits(
        mut self,
        files: &Snapshot,
        git: &dyn Fn(&[&str]) -> String,
        edits: &mut EditsAt<'_>,
    ) -> Self {
        let (has_other_names, edited) = compare(&self.files, files);
        if has_other_names {
            self.status = ask_status(git);
        }
        let tracked: Vec<&str> =
            edited.iter().copied().filter(|name| !is_untracked(&self.status, name)).collect();
        let touches_tracked = !tracked.is_empty();
        let mut diff = None;
        if touches_tracked && !has_other_names {
            let (changes, stat) = match edits.diff(&self.status, &tracked) {
                Some((changes, stat)) => (Some(changes), stat),
                None => ask_unstaged(git, Some(edits), &tracked),
            };
            let status = changes.and_then(|changes| with_changes(&self.status, &changes));
            self.status = status.unwrap_or_else(|| ask_status(git));
            diff = Some(stat);
        }
        if touches_tracked {
            self.diff_stat = match diff {
                Some(stat) => stat,
                None if has_unstaged(&self.status) => split_diff(&git(&UNSTAGED)).stat,
                None => String::new(),
            };
        }
        Self { files: files.clone(), ..self }
    }

    fn observation(&self, root: &Path) -> RepoObservation {
        RepoObservation {
            git_is_repo: true,
            git_root: root.to_string_lossy().into_owned(),
            git_head: self.head.clone(),
            git_status_porcelain: clipped(&self.status),
            git_diff_stat: clipped(&self.diff_stat),
            git_diff_cached_stat: clipped(&self.diff_cached_stat),
            ..RepoObservation::default()
        }
    }
}

/// The unstaged changes, if they are all that is counted, and their summary; `edits` takes the staged contents in.
fn ask_unstaged(
    git: &dyn Fn(&[&str]) -> String,
    edits: Option<&mut EditsAt<'_>>,
    names: &[&str],
) -> (Option<Vec<Change>>, String) {
    let wants_patch = edits.as_ref().is_some_and(|edits| edits.are_small(names));
    let text = if wants_patch { git(&UNSTAGED_WITH_PATCH) } else { git(&UNSTAGED) };
    let Diff { changes, stat, patch } = split_diff(&text);
    // Git lists what was written again with the same content, but does not count it.
    let changes = Some(changes).filter(|changes| changes.len() == files_counted(&stat));
    if let (Some(changes), Some(edits)) = (&changes, edits) {
        edits.learn(changes, &stat, patch, git);
    }
    (changes, stat)
}

/// The tracked files that a status tells to be edited, and nothing more.
fn edited_names(status: &str) -> Vec<&str> {
    status.lines().filter_map(|line| line.strip_prefix(" M ")).collect()
}

/// The number in `3 files changed, …`, with which a summary ends.
fn files_counted(stat: &str) -> usize {
    let last = stat.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
    last.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// What stands in for a status where asking for it would run programs that the repository names.
const NOT_ASKED: &str = "(not asked: this repository's own settings name filter programs)";

/// Whether the repository's own settings make git run programs on the files it compares. There is no switch that
/// turns all of them off, so git is not asked then.
fn runs_filters(folder: &Path) -> bool {
    let config = fs::read_to_string(folder.join("config")).unwrap_or_default();
    let worktree = fs::read_to_string(folder.join("config.worktree")).unwrap_or_default();
    [config, worktree].iter().any(|text| {
        let text = text.to_lowercase();
        text.contains("[filter") || text.contains("[include")
    })
}

fn bare_observation(root: &Path, folder: &Path) -> RepoObservation {
    RepoObservation {
        git_is_repo: true,
        git_root: root.to_string_lossy().into_owned(),
        git_head: read_head(folder).unwrap_or_default(),
        ..RepoObservation::default()
    }
}

fn ask_status(git: &dyn Fn(&[&str]) -> String) -> String {
    git(&["status", "--porcelain", "--untracked-files=normal"])
}

fn has_unstaged(status: &str) -> bool {
    status.lines().any(|line| line.as_bytes().get(1).is_some_and(|&code| code != b' ' && code != b'?'))
}

/// Whether there are files of other names, and which were edited, came or went.
fn compare<'a>(before: &'a Snapshot, now: &'a Snapshot) -> (bool, Vec<&'a str>) {
    let old: HashSet<&(String, blake3::Hash)> = before.files.iter().collect();
    let new: HashSet<&(String, blake3::Hash)> = now.files.iter().collect();
    let differing: Vec<&str> = old.symmetric_difference(&new).map(|(name, _)| name.as_str()).collect();
    // A file that was edited is in both, with two contents; one that came or went is there once.
    let names: HashSet<&str> = differing.iter().copied().collect();
    (differing.len() != 2 * names.len(), names.into_iter().collect())
}

/// Whether a status lists the file, or a folder above it, as untracked.
fn is_untracked(status: &str, name: &str) -> bool {
    status.lines().filter_map(|line| line.strip_prefix("?? ")).any(|entry| {
        let entry = entry.trim_matches('"');
        entry == name || (entry.ends_with('/') && name.starts_with(entry))
    })
}

/// What git says about differences.
struct Diff<'a> {
    changes: Vec<Change>,
    stat: String,
    /// Empty if it was not asked for.
    patch: &'a str,
}

/// The changes of a `--raw --stat` diff, by name, its summary, and the patch that may follow.
fn split_diff(text: &str) -> Diff<'_> {
    let (summary, patch) = match text.find("\ndiff --git ") {
        Some(end) => (text[..end].trim_end_matches('\n'), &text[end + 1..]),
        None => (text, ""),
    };
    let (mut changes, mut stat) = (Vec::new(), String::new());
    for line in summary.lines() {
        match line.strip_prefix(':').and_then(|raw| raw.split_once('\t')) {
            Some((columns, name)) => changes.push(Change::read(columns, name)),
            None => stat.extend([line, "\n"]),
        }
    }
    Diff { changes, stat, patch }
}

/// A status with other unstaged changes. `None` where it takes more than that: a merge, a rename, a name that is
/// spelt in quotes.
fn with_changes(status: &str, changes: &[Change]) -> Option<String> {
    let is_plain = |change: &Change| "MTDA".contains(change.letter) && !change.name.contains([' ', '"']);
    if status.len() > WHOLE_BYTES || status.contains('"') || !changes.iter().all(is_plain) {
        return None;
    }
    let (mut tracked, mut untracked) = (BTreeMap::new(), String::new());
    for line in status.lines() {
        let (codes, name) = line.split_at_checked(3)?;
        match codes.as_bytes() {
            b"?? " => untracked.extend([line, "\n"]),
            [staged @ (b' ' | b'M' | b'T' | b'A'), _, b' '] => {
                tracked.insert(name.to_owned(), (char::from(*staged), ' '));
            }
            _ => return None,
        }
    }
    for change in changes {
        tracked.entry(change.name.clone()).or_insert((' ', ' ')).1 = change.letter;
    }
    let lines = tracked.iter().filter(|(_, codes)| **codes != (' ', ' '));
    let text: String =
        lines.map(|(name, (staged, unstaged))| format!("{staged}{unstaged} {name}\n")).collect();
    Some(text + &untracked)
}

fn clipped(text: &str) -> String {
    if text.len() <= KEPT_BYTES {
        return text.to_owned();
    }
    let mut end = KEPT_BYTES;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}\n… {} more bytes", &text[..end], text.len() - end)
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

#[cfg(test)]
mod tests {
    use super::*;
    use mi_tree::TreeScanner;
    use std::{cell::Cell, process::Command};

    #[expect(clippy::disallowed_methods, reason = "the test asks the real git")]
    fn git(folder: &Path, args: &[&str]) -> String {
        // Else this look itself would refresh the index, and the watch would have to look again.
        let settings = SETTINGS.iter().flat_map(|setting| ["-c", setting]);
        let identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com"];
        let output = Command::new("git")
            .arg("--no-optional-locks")
            .args(settings)
            .args(identity)
            .args(args)
            .current_dir(folder)
            .output()
            .unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn make_executable(path: &Path) {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// What the watch tells is what git tells, and how often git was called for it.
    fn look(watch: &mut GitWatch, scanner: &mut TreeScanner, folder: &Path) -> u32 {
        let calls = Cell::new(0);
        let ask = |args: &[&str], root: &Path| {
            calls.set(calls.get() + 1);
            Some(git(root, args))
        };
        let told = watch.observe(&scanner.scan(), &ask);
        assert_eq!(told.git_status_porcelain, git(folder, &["status", "--porcelain"]));
        assert_eq!(told.git_diff_stat, git(folder, &["diff", "--stat"]));
        assert_eq!(told.git_diff_cached_stat, git(folder, &["diff", "--cached", "--stat"]));
        calls.get()
    }

    /// The first edit of a file costs one call, further ones and no change none; every step tells the same as git.
    #[test]
    fn edits_cost_few_calls_and_tell_the_truth() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let write = |name: &str, text: &str| {
            fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            fs::write(root.join(name), text).unwrap();
        };
        git(root, &["init", "--quiet"]);
        for name in ["b.py", "d/c.py", "e f.py"] {
            write(name, "one\n");
        }
        git(root, &["add", "."]);
        git(root, &["commit", "--quiet", "-m", "First"]);
        let (mut watch, mut scanner) = (GitWatch::new(root), TreeScanner::new(root, Vec::new()));
        let steps: [(&str, &dyn Fn(), u32); 22] = [
            ("the first look at a clean tree", &|| {}, 1),
            ("nothing", &|| {}, 0),
            ("an edit", &|| write("b.py", "two\n"), 1),
            ("a second edit", &|| write("b.py", "one\ntwo\nthree\n"), 0),
            ("the edit of another file", &|| write("d/c.py", "one\ntwo\n"), 1),
            ("an edit of both", &|| ["b.py", "d/c.py"].iter().for_each(|name| write(name, "both\n")), 0),
            ("one is taken back", &|| write("b.py", "one\n"), 0),
            ("it is made executable", &|| make_executable(&root.join("d/c.py")), 2),
            ("it is edited again", &|| write("d/c.py", "one\ntwo\nthree"), 2),
            ("bytes that are no text", &|| fs::write(root.join("b.py"), b"a\0\xff\n").unwrap(), 1),
            ("text again", &|| write("b.py", "one\n"), 2),
            ("a new file", &|| write("a.py", "new\n"), 1),
            (
                "new files in a new folder",
                &|| ["n/x.py", "n/y.py"].iter().for_each(|name| write(name, "new\n")),
                1,
            ),
            (
                "an edit of untracked files",
                &|| ["a.py", "n/x.py"].iter().for_each(|name| write(name, "newer\n")),
                0,
            ),
            ("both kinds", &|| ["b.py", "a.py"].iter().for_each(|name| write(name, "both\n")), 1),
            ("a name with a blank", &|| write("e f.py", "two\n"), 3),
            ("line ends that git does not count", &|| write(".gitattributes", "*.py eol=crlf\n"), 2),
            ("something is staged", &|| drop(git(root, &["add", "b.py"])), 3),
            ("what is staged is edited", &|| write("b.py", "three\n"), 2),
            ("a deletion", &|| fs::remove_file(root.join("d/c.py")).unwrap(), 2),
            ("a rename", &|| drop(git(root, &["mv", "b.py", "z.py"])), 3),
            (
                "a commit of it all",
                &|| drop((git(root, &["add", "."]), git(root, &["commit", "-qm", "Second"]))),
                1,
            ),
        ];
        for (step, change, most) in steps {
            // Git itself looks at whole seconds: whatever it takes for changed only by its time shows in the next one.
            std::thread::sleep(std::time::Duration::from_millis(55));
            change();
            let calls = look(&mut watch, &mut scanner, root);
            assert!(calls <= most, "{step}: {calls} calls");
        }
    }
}
