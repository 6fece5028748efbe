//! Looks at the project: the digest of its inputs, what it says about itself, its tests, its repository.
//!
//! Holds: a look costs little when nothing changed; files are read only when their content is new.
//! Elsewhere: what the looks mean is `mi-loop` (`project`, `tamper`).

use mi_git::GitRunner;
use mi_loop::{
    criteria::{Criterion, CriterionKind},
    project::{
        self, ProjectCheck, ProjectFiles, ProjectProfile,
        documents::{self, DocumentState},
    },
    tamper::{self, TamperSign, TestInventory},
};
use mi_model::record::RepoObservation;
use mi_process::{Limits, Spawner};
use mi_tree::{Snapshot, TreeScanner};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fs::File,
    io::Read,
    path::{Path, PathBuf},
    time::Duration,
};

use crate::git::{self, GitWatch};

/// The most bytes of one file that are read to understand a project.
const READ_BYTES: u64 = 512 * 1024;
/// The most names that a profile is made from.
const MOST_NAMES: usize = 200_000;
/// The most changed files that a profile names.
const CHANGED_KEPT: usize = 400;
const GIT_LIMITS: Limits = Limits { timeout: Duration::from_secs(20), max_output_bytes: 256 * 1024 };

/// The tests of a project, by file, as they were when the run began.
pub type Baseline = BTreeMap<String, TestInventory>;

/// Looks at one project over a run.
pub struct Observatory {
    root: PathBuf,
    scanner: TreeScanner,
    git: GitWatch,
    runner: GitRunner,
    profile: Option<(String, ProjectProfile)>,
    inventories: HashMap<String, (blake3::Hash, Option<TestInventory>)>,
    /// The checks that the project named when the run began.
    first_checks: Option<Vec<ProjectCheck>>,
    /// The documents as they were at the first look.
    first_documents: Option<HashMap<String, blake3::Hash>>,
}

impl Observatory {
    /// An observatory of the project at `root`. `excluded` folders inside it are `mi`'s own.
    pub fn new(root: &Path, excluded: Vec<PathBuf>, spawner: Spawner) -> Self {
        let git = GitWatch::new(root);
        let runner = GitRunner::new(spawner, root).with_settings(&git::SETTINGS);
        let runner = runner.with_limits(GIT_LIMITS).cutting_long_output();
        let mut scanner = TreeScanner::new(root, excluded);
        match git.is_repository() {
            false => scanner.leave_out_build_output(None),
            true => scanner.watch_for_build_output(),
        }
        Self {
            root: root.to_owned(),
            scanner,
            git,
            runner,
            profile: None,
            inventories: HashMap::new(),
            first_checks: None,
            first_documents: None,
        }
    }

    /// Whether the project is in a git repository.
    pub fn is_repository(&self) -> bool {
        self.git.is_repository()
    }

    /// The checks that the project named when the run began, for a run that goes on; else those of the first look.
    pub fn remember_checks(&mut self, checks: Vec<ProjectCheck>) {
        self.first_checks = Some(checks);
    }

    /// The project's inputs as they are now.
    pub fn snapshot(&mut self) -> Snapshot {
        let mut snapshot = self.scanner.scan();
        if self.scanner.wants_outputs() {
            match git::tracked_outputs(&self.root, &|args, folder| ask_git(&self.runner, args, folder)) {
                Some(tracked) => self.scanner.leave_out_build_output(Some(&tracked)),
                // Without git's word nothing is left out: a tracked file always counts.
                None => self.scanner.count_build_output(),
            }
            snapshot = self.scanner.scan();
        }
        if self.first_documents.is_none() {
            self.first_documents = Some(snapshot.files.iter().cloned().collect());
        }
        snapshot
    }

    /// What the project says about itself, and which of the files that the criteria name are there.
    pub fn profile(&mut self, snapshot: &Snapshot, criteria: &[Criterion]) -> ProjectProfile {
        let profile = match &self.profile {
            Some((digest, profile)) if *digest == snapshot.digest => profile.clone(),
            _ => {
                let files = self.project_files(snapshot);
                let mut profile = project::with_task_commands(project::profile(&files), criteria);
                profile.documents = self.documents(snapshot, criteria);
                profile.changed = self.changed_families(snapshot);
                profile.changed_files = self.changed_files(snapshot);
                let first = self.first_checks.get_or_insert_with(|| profile.checks.clone());
                profile = project::with_new_checks(profile, first, criteria);
                self.profile = Some((snapshot.digest.clone(), profile.clone()));
                profile
            }
        };
        // Files that git ignores come and go without the digest showing it.
        let names = snapshot.files.iter().map(|(name, _)| name.as_str());
        let is_there = |path: &str| self.root.join(path).symlink_metadata().is_ok();
        project::with_present(profile, names, criteria, is_there)
    }

    /// The repository as git sees it, together with the profile's part.
    pub fn repository(&mut self, snapshot: &Snapshot, profile: &ProjectProfile) -> RepoObservation {
        RepoObservation {
            project_root: self.root.to_string_lossy().into_owned(),
            stack_hints: profile.stack_hints.clone(),
            has_tests: profile.has_tests,
            test_hints: profile.test_hints.clone(),
            tree_digest: snapshot.digest.clone(),
            ..self.git.observe(snapshot, &|args, folder| ask_git(&self.runner, args, folder))
        }
    }

    /// The tests as they are now.
    pub fn tests(&mut self, snapshot: &Snapshot) -> Baseline {
        let mut tests = Baseline::new();
        for (path, hash) in &snapshot.files {
            if !tamper::is_inventoried(path) {
                continue;
            }
            let known = match self.inventories.get(path) {
                Some((known_hash, inventory)) if known_hash == hash => inventory.clone(),
                _ => {
                    let inventory =
                        read_text(&self.root.join(path)).and_then(|text| tamper::inventory(path, &text));
                    self.inventories.insert(path.clone(), (*hash, inventory.clone()));
                    inventory
                }
            };
            if let Some(inventory) = known {
                tests.insert(path.clone(), inventory);
            }
        }
        tests
    }

    /// What was done to the tests since `baseline`.
    pub fn tamper_signs(&mut self, baseline: &Baseline, snapshot: &Snapshot, task: &str) -> Vec<TamperSign> {
        let now = self.tests(snapshot);
        if now == *baseline { Vec::new() } else { tamper::compare(baseline, &now, task) }
    }

    /// The documents that the criteria name, as they are now.
    fn documents(&self, snapshot: &Snapshot, criteria: &[Criterion]) -> Vec<DocumentState> {
        let named = criteria.iter().filter_map(|criterion| match &criterion.kind {
            CriterionKind::Document { path, says, no_longer } => {
                Some((path, says.iter().chain(no_longer).cloned().collect::<Vec<_>>()))
            }
            _ => None,
        });
        named.map(|(path, texts)| self.document(path, &texts, snapshot)).collect()
    }

    fn document(&self, path: &str, says: &[String], snapshot: &Snapshot) -> DocumentState {
        let names = snapshot.files.iter().map(|(name, _)| name.as_str());
        let found = documents::candidates(path, names);
        let hash = |name: &str| {
            let at = snapshot.files.binary_search_by(|(known, _)| known.as_str().cmp(name)).ok()?;
            snapshot.files.get(at).map(|(_, hash)| *hash)
        };
        let before = |name: &str| self.first_documents.as_ref().and_then(|first| first.get(name).copied());
        let changed: Vec<&str> = found.iter().copied().filter(|name| hash(name) != before(name)).collect();
        let read = if changed.is_empty() { &found } else { &changed };
        let texts: Vec<String> = read.iter().filter_map(|name| read_text(&self.root.join(name))).collect();
        let mut content = blake3::Hasher::new();
        found.iter().filter_map(|name| hash(name)).for_each(|hash| {
            content.update(hash.as_bytes());
        });
        DocumentState {
            path: path.to_owned(),
            file: read.first().map(|name| (*name).to_owned()),
            changed: !changed.is_empty(),
            content: content.finalize().to_hex()[..32].to_owned(),
            says: says
                .iter()
                .filter(|wanted| texts.iter().any(|text| documents::says(path, text, wanted)))
                .cloned()
                .collect(),
        }
    }

    /// The files that differ from the first look, were added or are gone.
    fn changed_files(&self, snapshot: &Snapshot) -> Vec<String> {
        let Some(first) = &self.first_documents else { return Vec::new() };
        let differs = snapshot.files.iter().filter(|(name, hash)| first.get(name) != Some(hash));
        let is_gone = |name: &&String| snapshot.files.binary_search_by(|(known, _)| known.cmp(name)).is_err();
        let mut gone: Vec<String> = first.keys().filter(is_gone).cloned().collect();
        gone.sort();
        differs.map(|(name, _)| name.clone()).chain(gone).take(CHANGED_KEPT).collect()
    }

    /// The families of languages in which files differ from the first look.
    fn changed_families(&self, snapshot: &Snapshot) -> BTreeSet<String> {
        let Some(first) = &self.first_documents else { return BTreeSet::new() };
        let changed = snapshot.files.iter().filter(|(name, hash)| first.get(name) != Some(hash));
        changed.filter_map(|(name, _)| project::family(name)).map(str::to_owned).collect()
    }

    fn project_files(&self, snapshot: &Snapshot) -> ProjectFiles {
        let names: Vec<String> =
            snapshot.files.iter().take(MOST_NAMES).map(|(name, _)| name.clone()).collect();
        let wanted = names.iter().filter(|name| project::wanted_text(name));
        let texts =
            wanted.filter_map(|name| Some((name.clone(), read_text(&self.root.join(name))?))).collect();
        let has_inline_tests = names
            .iter()
            .filter(|name| name.ends_with(".rs"))
            .any(|name| read_text(&self.root.join(name)).is_some_and(|text| project::has_inline_test(&text)));
        ProjectFiles { root: self.root.to_string_lossy().into_owned(), names, texts, has_inline_tests }
    }
}

/// What git prints; `None` where it fails.
fn ask_git(runner: &GitRunner, args: &[&str], folder: &Path) -> Option<String> {
    runner.clone().in_folder(folder).call(args).lossy_text().ok()
}

/// The start of a text file; `None` when it cannot be read.
fn read_text(path: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(READ_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
