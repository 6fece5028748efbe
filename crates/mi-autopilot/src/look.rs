//! Looks at the whole change of a run: its hunks, which of them a check notices, and where the words of the task stand.

use mi_loop::message::LookOrder;
use mi_model::{ProveReport, RunLimits, error_line, record::ChangeLook};
use mi_process::Spawner;
use mi_prove::{
    BaseTree, CheckShell, HeadTree, Progress, ProveError, ProveOrder, SandboxEngine, SavedStart, prove_change,
};
use mi_tree::Snapshot;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    os::fd::BorrowedFd,
    path::{Path, PathBuf},
    time::Duration,
};

/// Files over this size are not searched for words.
const SEARCHED_BYTES: u64 = 512 * 1024;
/// At most this many files are named for one word.
const FILES_NAMED: usize = 50;
/// Starts of lines that are comments in most languages.
const COMMENTS: [&str; 6] = ["#", "//", "/*", "*", "--", "<!--"];

/// What a counter-check needs besides the order.
pub struct CounterChecking {
    /// The tree that the run began with; why it is not known, where it is not.
    pub start: Result<SavedStart, String>,
    /// Where checks run; why nowhere, where nothing can.
    pub engine: Result<SandboxEngine, String>,
    pub shell: CheckShell,
    pub limits: RunLimits,
    pub budget: Duration,
    pub spawner: Spawner,
    pub scratch: PathBuf,
    pub cache: PathBuf,
    pub excluded: Vec<PathBuf>,
    pub home: Option<PathBuf>,
    pub search_path: String,
}

impl CounterChecking {
    /// Looks at the change. `None` when the person stopped it.
    pub(crate) fn look(
        &self,
        root: &Path,
        snapshot: &Snapshot,
        order: &LookOrder,
        wake: BorrowedFd<'_>,
        watch: &mut dyn FnMut(Progress),
    ) -> Option<ChangeLook> {
        let mut look = ChangeLook {
            tree: snapshot.digest.clone(),
            found: find_words(root, snapshot, &order.words, |line| !is_comment(line)),
            imported: find_words(root, snapshot, &order.modules, is_import),
            ..ChangeLook::default()
        };
        let start = match &self.start {
            Ok(start) => start,
            Err(why) => return Some(ChangeLook { obstacle: Some(why.clone()), ..look }),
        };
        let (engine, checks) = match &self.engine {
            Ok(engine) => (engine.clone(), order.checks.clone()),
            Err(why) => {
                look.obstacle = (!order.checks.is_empty()).then(|| why.clone());
                (SandboxEngine::Host, Vec::new())
            }
        };
        let proved = prove_change(
            &ProveOrder {
                root,
                base: BaseTree::Start(start.clone()),
                head: HeadTree::WorkingTree,
                printing: order.printing.clone(),
                checks,
                engine,
                shell: self.shell,
                limits: self.limits,
                budget: self.budget,
                spawner: &self.spawner,
                scratch: self.scratch.clone(),
                cache: self.cache.clone(),
                excluded: self.excluded.clone(),
                home: self.home.as_deref(),
                search_path: &self.search_path,
                wake: Some(wake),
            },
            watch,
        );
        match proved {
            Ok(report) => {
                look.namesakes = find_namesakes(snapshot, &report);
                look.report = report;
            }
            Err(ProveError::Interrupted) => return None,
            Err(error) => look.obstacle = Some(error_line(&error)),
        }
        Some(look)
    }
}

/// The unchanged files that have the name of a changed one.
fn find_namesakes(snapshot: &Snapshot, report: &ProveReport) -> Vec<String> {
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let changed: BTreeSet<&str> = report.hunks.iter().map(|hunk| hunk.file.as_str()).collect();
    let names: BTreeSet<String> = changed.iter().map(|path| name(path)).collect();
    let files = snapshot.files.iter().map(|(path, _)| path);
    let found = files.filter(|path| names.contains(&name(path)) && !changed.contains(path.as_str()));
    found.take(FILES_NAMED).cloned().collect()
}

/// The files that have each word in a line that counts.
fn find_words(
    root: &Path,
    snapshot: &Snapshot,
    words: &[String],
    counts: impl Fn(&str) -> bool,
) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> =
        words.iter().map(|word| (word.clone(), Vec::new())).collect();
    if words.is_empty() {
        return found;
    }
    for (name, _) in &snapshot.files {
        let path = root.join(name);
        if !fs::metadata(&path).is_ok_and(|about| about.is_file() && about.len() <= SEARCHED_BYTES) {
            continue;
        }
        let Ok(text) = fs::read_to_string(&path) else { continue };
        for (word, files) in
            found.iter_mut().filter(|(word, files)| files.len() < FILES_NAMED && text.contains(word.as_str()))
        {
            if text.lines().any(|line| (counts(line) || word.contains(' ')) && has_word(line, word)) {
                files.push(name.clone());
            }
        }
    }
    found
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    // A Markdown heading is text, not a comment, but no code either.
    COMMENTS.iter().any(|mark| line.starts_with(mark)) && !line.starts_with("#[") && !line.starts_with("#!")
}

/// A line that brings in another module.
fn is_import(line: &str) -> bool {
    let line = line.trim_start();
    ["import ", "from ", "use ", "mod ", "pub mod ", "#include", "require", "source ", ". "]
        .iter()
        .any(|start| line.starts_with(start))
        || line.contains("require(")
        || line.contains(" from '")
        || line.contains(" from \"")
        || line.contains("import(")
}

fn has_word(line: &str, word: &str) -> bool {
    let is_part = |char: char| char.is_alphanumeric() || char == '_';
    line.match_indices(word).any(|(at, _)| {
        let (before, after) = (line[..at].chars().next_back(), line[at + word.len()..].chars().next());
        let begins = !word.starts_with(is_part) || !before.is_some_and(is_part);
        begins && (!word.ends_with(is_part) || !after.is_some_and(is_part))
    })
}
