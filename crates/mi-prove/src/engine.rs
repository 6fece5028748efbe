//! The proof of one change, from its two sides to the report.

use mi_bearing::{
    CheckOutcome, CheckVerdict, Depth, FileChange, Finding, Findings, Piece, Side, Strength, TrialResult,
    Variant, any_asserts, asserts_on, is_test_path, new_tests, read_outcome, search_pieces, split_change,
};
use mi_model::{
    CheckRunSummary, NewTest, ProveReport, ProveStatus, ProvenCheck, ProvenHunk, RunLimits, ShownStrength,
    shorten,
};
use mi_process::{Deadline, Spawner, Stopwatch};
use mi_tree::TreeScanner;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, fs, io,
    os::{fd::BorrowedFd, unix::fs::MetadataExt},
    path::{Path, PathBuf},
    time::Duration,
};

use crate::{
    cache::OutcomeCache,
    change::{BaseTree, HeadTree, read_change},
    git::{GitError, Repository},
    sandbox::{CheckRunner, CheckShell, SandboxEngine},
    scratch::{CopyOrder, Scratch},
};

/// What is kept of a hunk's text in a report.
const TEXT_KEPT: usize = 4000;
/// The most bytes of one test file that are read to see what it asserts.
const TEST_BYTES: u64 = 1 << 20;
/// The most bytes of all files that are read to see what tests assert.
const SOURCE_BYTES: u64 = 8 << 20;

/// What to prove, and with what.
pub struct ProveOrder<'a> {
    pub root: &'a Path,
    pub base: BaseTree,
    pub head: HeadTree,
    /// Command lines, as typed in the project's root.
    pub checks: Vec<String>,
    /// Of these checks, those that the person judges by what they print.
    pub printing: Vec<String>,
    pub engine: SandboxEngine,
    pub shell: CheckShell,
    pub limits: RunLimits,
    pub budget: Duration,
    pub spawner: &'a Spawner,
    /// Where scratch copies are made.
    pub scratch: PathBuf,
    /// Where outcomes are remembered.
    pub cache: PathBuf,
    /// Folders inside the project that are `mi`'s own.
    pub excluded: Vec<PathBuf>,
    pub home: Option<&'a Path>,
    pub search_path: &'a str,
    /// Readable when the person wants to stop.
    pub wake: Option<BorrowedFd<'a>>,
}

/// Something that happened while a change is proven.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    Copying,
    /// A check starts on head.
    CheckingHead {
        command: String,
    },
    /// A check starts with this many of all pieces taken back.
    TakenBack {
        pieces: usize,
        of: usize,
        run: u32,
    },
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Copying => f.write_str("copying the project to a scratch folder"),
            Self::CheckingHead { command } => write!(f, "counter-check: running `{command}` on the change"),
            Self::TakenBack { pieces, of, run } => {
                write!(f, "counter-check, run {run}: {pieces} of {of} hunks taken back")
            }
        }
    }
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum ProveError {
    #[error("the project is not in a git repository; without one only a run's own work can be proven")]
    NoRepository,
    #[error(transparent)]
    Git(#[from] GitError),
    #[error("read the tree that the run began with")]
    ReadStart { source: io::Error },
    #[error("copy the project to a scratch folder")]
    Copy { source: io::Error },
    #[error("bubblewrap cannot run here: {reason}")]
    Sandbox { reason: String },
    #[error("the container cannot run: {reason}")]
    Container { reason: String },
    #[error("start the check")]
    Start { source: mi_process::SpawnError },
    #[error("read the output of the check")]
    Output { source: io::Error },
    #[error("stopped by the person")]
    Interrupted,
}

/// Proves a change.
pub fn prove_change(
    order: &ProveOrder<'_>,
    watch: &mut dyn FnMut(Progress),
) -> Result<ProveReport, ProveError> {
    let clock = Stopwatch::start();
    let inputs = TreeScanner::new(order.root, order.excluded.clone()).scan();
    let change = read_change(order.spawner, order.root, &order.base, &order.head, &inputs)?;
    let mut pieces = split_change(&change.files);
    for piece in pieces.iter_mut().filter(|piece| is_check_script(&piece.path, &order.checks)) {
        piece.side = Side::Tests;
    }
    let mut prover = Prover {
        order,
        watch,
        files: &change.files,
        pieces: &pieces,
        head_digest: digest_head(order, &inputs.digest, &change.files),
        cache: OutcomeCache::new(&order.cache),
        scratch: None,
        repository: Repository::open(order.spawner, order.root),
        deadline: Deadline::after(order.budget),
        runs: 0,
        flaky: BTreeSet::new(),
        sturdy: BTreeSet::new(),
        broken_before: BTreeSet::new(),
        printed: BTreeMap::new(),
        error: None,
        inputs: inputs.files.into_iter().map(|(name, _)| name).collect(),
        sources: None,
    };
    let mut report = prover.prove()?;
    prover.cache.prune();
    report.runs = prover.runs;
    report.base = match &order.base {
        BaseTree::Commit(commit) => commit.clone(),
        BaseTree::Start(_) => "the tree the run began with".to_owned(),
    };
    report.change = prover.head_digest.clone();
    report.flaky = prover.flaky.iter().cloned().collect();
    report.left.extend(change.left_out);
    report.elapsed_ms = u64::try_from(clock.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(report)
}

/// Whether a check runs this file to check others: the command names it, and it is called after what it does.
fn is_check_script(path: &str, checks: &[String]) -> bool {
    const PURPOSES: [&str; 6] = ["check", "verify", "validate", "test", "smoke", "assert"];
    let stem = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let names = |command: &String| {
        command
            .split([' ', ';', '&', '|', '(', ')', '"', '\''])
            .any(|word| word.trim_start_matches("./") == path)
    };
    PURPOSES.iter().any(|purpose| stem.contains(purpose)) && checks.iter().any(names)
}

/// What identifies head for the cache: its inputs, the change itself, and the state of what git ignores at the top.
fn digest_head(order: &ProveOrder<'_>, inputs: &str, files: &[FileChange]) -> String {
    let mut hasher = blake3::Hasher::new();
    match &order.head {
        HeadTree::WorkingTree => hasher.update(inputs.as_bytes()),
        HeadTree::Commit(commit) => hasher.update(commit.as_bytes()),
    };
    for file in files {
        hasher.update(file.path.as_bytes());
        for body in [&file.before, &file.after] {
            let bytes = body.as_ref().map_or(&[][..], |body| &body.bytes);
            hasher.update(&[0, u8::from(body.is_some())]).update(&bytes.len().to_le_bytes()).update(bytes);
        }
    }
    for entry in fs::read_dir(order.root).into_iter().flatten().flatten() {
        let Ok(about) = entry.metadata() else { continue };
        if about.is_dir()
            && mi_loop::project::inputs::standing(&entry.file_name().to_string_lossy())
                == mi_loop::project::inputs::Standing::MaybeOutput
        {
            hasher.update(entry.file_name().as_encoded_bytes()).update(&about.mtime().to_le_bytes());
        }
    }
    // Another search path may find other tools.
    hasher.update(order.engine.as_str().as_bytes()).update(order.search_path.as_bytes());
    hasher.finalize().to_hex()[..32].to_owned()
}

struct Prover<'a, 'b> {
    order: &'a ProveOrder<'a>,
    watch: &'b mut dyn FnMut(Progress),
    files: &'a [FileChange],
    pieces: &'a [Piece],
    head_digest: String,
    cache: OutcomeCache,
    scratch: Option<Scratch>,
    repository: Option<Repository>,
    deadline: Deadline,
    runs: u32,
    flaky: BTreeSet<String>,
    /// Tests that failed in both of two runs on one tree.
    sturdy: BTreeSet<String>,
    broken_before: BTreeSet<String>,
    /// What each printing check printed on head, where it prints the same every time.
    printed: BTreeMap<String, u64>,
    /// What ended the search; it is reported when the search is over.
    error: Option<ProveError>,
    /// The names of the project's files.
    inputs: Vec<String>,
    sources: Option<Sources>,
}

/// What head's own checks came to.
enum HeadState {
    /// Green, or red only by tests that failed before.
    Usable,
    Red(Vec<String>),
    Unknown(String),
}

impl Prover<'_, '_> {
    fn prove(&mut self) -> Result<ProveReport, ProveError> {
        let mut report = ProveReport::default();
        let has_work = self.pieces.iter().any(|piece| piece.side == Side::Work && piece.kind.can_be_shown());
        let has_tests = self.pieces.iter().any(|piece| piece.side == Side::Tests);
        if self.order.checks.is_empty() || (!has_work && !has_tests) {
            report.hunks = self.hunks(None);
            report.status = if has_work { ProveStatus::Unknown } else { ProveStatus::NothingToShow };
            if has_work {
                report.left.push("no check of this project is known; give one with --check".to_owned());
            }
            return Ok(report);
        }
        let head = self.check_head(&mut report)?;
        report.broken_before = self.broken_before.iter().cloned().collect();
        match head {
            HeadState::Usable => {}
            HeadState::Red(why) => {
                (report.status, report.left) = (ProveStatus::Red, why);
                report.hunks = self.hunks(None);
                return Ok(report);
            }
            HeadState::Unknown(why) => {
                (report.status, report.left) = (ProveStatus::Unknown, vec![why]);
                report.hunks = self.hunks(None);
                return Ok(report);
            }
        }
        report.new_tests = self.new_tests();
        if !has_work {
            report.status = ProveStatus::NothingToShow;
            report.hunks = self.hunks(None);
            return Ok(report);
        }
        self.search(report)
    }

    fn search(&mut self, mut report: ProveReport) -> Result<ProveReport, ProveError> {
        let pieces = self.pieces;
        let mut first: Option<Vec<CheckRunSummary>> = None;
        let findings = search_pieces(pieces, Depth::Piece, &mut |variant| {
            let (result, summaries) = self.trial(variant);
            first.get_or_insert(summaries);
            result
        });
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        for (check, summary) in report.checks.iter_mut().zip(first.unwrap_or_default()) {
            check.taken_back = Some(summary);
        }
        report.hunks = self.hunks(Some(&findings));
        report.status = status(&report.hunks, &findings);
        let untried = findings.pieces.iter().find_map(|finding| match finding {
            Finding::Untried { why: Some(why) } => Some(why.clone()),
            _ => None,
        });
        report.left.extend(untried);
        if findings.taken_back == Some(TrialResult::Green) {
            report.left.push("every check passes without this change: no check shows it".to_owned());
        }
        Ok(report)
    }

    /// Runs the checks on head. What fails there and failed on base too is nobody's fault here.
    fn check_head(&mut self, report: &mut ProveReport) -> Result<HeadState, ProveError> {
        for command in &self.order.checks {
            (self.watch)(Progress::CheckingHead { command: command.clone() });
            let mut outcome = self.outcome(&Variant::new(), command)?;
            if matches!(outcome.verdict, CheckVerdict::Red(_)) && !outcome.is_repeated {
                outcome = self.repeat(&Variant::new(), command, outcome)?;
            }
            report.checks.push(ProvenCheck {
                command: command.clone(),
                head: summarise(&outcome),
                taken_back: None,
            });
            match &outcome.verdict {
                CheckVerdict::Green if self.order.printing.contains(command) => {
                    let again = self.run(&Variant::new(), command)?;
                    if again.output_sign == outcome.output_sign {
                        self.printed.insert(command.clone(), outcome.output_sign);
                    }
                }
                CheckVerdict::Green => {}
                CheckVerdict::Unknown(why) => return Ok(HeadState::Unknown(format!("`{command}`: {why}"))),
                CheckVerdict::Red(_) => {
                    let all: Variant = (0..self.pieces.len())
                        .map(|index| (index, mi_bearing::Treatment::TakenBack))
                        .collect();
                    let before = self.outcome(&all, command)?;
                    let new: Vec<String> = outcome
                        .failing
                        .iter()
                        .filter(|test| !before.failing.contains(test))
                        .cloned()
                        .collect();
                    let was_red = matches!(before.verdict, CheckVerdict::Red(_));
                    if was_red && outcome.failing.is_empty() && before.failing.is_empty() {
                        let why = "failed before this change too, and does not say which tests fail";
                        return Ok(HeadState::Unknown(format!("`{command}` {why}")));
                    }
                    if !was_red || !new.is_empty() || outcome.failing.is_empty() {
                        return Ok(HeadState::Red(red_reasons(command, &outcome, &new)));
                    }
                    self.broken_before.extend(outcome.failing.iter().cloned());
                }
            }
        }
        Ok(HeadState::Usable)
    }

    /// Runs the checks on a variant, up to the first that is red.
    fn trial(&mut self, variant: &Variant) -> (TrialResult, Vec<CheckRunSummary>) {
        let mut summaries = Vec::new();
        let mut unknown = None;
        for command in &self.order.checks {
            let outcome = match self.try_variant(variant, command) {
                Ok(Some(outcome)) => outcome,
                Ok(None) => {
                    let why = "the time budget was used up".to_owned();
                    return (TrialResult::Unknown { why }, summaries);
                }
                Err(error) => {
                    let why = error.to_string();
                    self.error.get_or_insert(error);
                    return (TrialResult::Unknown { why }, summaries);
                }
            };
            summaries.push(summarise(&outcome));
            let new: Vec<String> =
                outcome.failing.iter().filter(|test| !self.is_discounted(test)).cloned().collect();
            match outcome.verdict {
                CheckVerdict::Green
                    if self.printed.get(command).is_some_and(|sign| *sign != outcome.output_sign) =>
                {
                    let tests = vec![format!("the output of `{command}`")];
                    return (TrialResult::Red { strength: Strength::Strong, tests }, summaries);
                }
                CheckVerdict::Green => {}
                CheckVerdict::Unknown(why) => unknown = Some(format!("`{command}`: {why}")),
                // Only what was broken before fails here too.
                CheckVerdict::Red(_)
                    if new.is_empty() && !outcome.failing.is_empty() && !outcome.is_stopped => {}
                CheckVerdict::Red(strength) => {
                    // A stub fails whoever calls it; a test that asserts nothing would not have noticed another result.
                    let is_idle = outcome.reached_stub && !outcome.is_stopped && !self.asserts(&new);
                    let strength = if is_idle { Strength::Weak } else { strength };
                    return (TrialResult::Red { strength, tests: new }, summaries);
                }
            }
        }
        match unknown {
            Some(why) => (TrialResult::Unknown { why }, summaries),
            None => (TrialResult::Green, summaries),
        }
    }

    fn is_discounted(&self, test: &str) -> bool {
        self.broken_before.contains(test) || self.flaky.contains(test)
    }

    fn try_variant(&mut self, variant: &Variant, command: &str) -> Result<Option<CheckOutcome>, ProveError> {
        if self.error.is_some() || self.deadline.has_passed() {
            return Ok(None);
        }
        let outcome = self.outcome(variant, command)?;
        if !matches!(outcome.verdict, CheckVerdict::Red(_)) || outcome.is_repeated {
            return Ok(Some(outcome));
        }
        let is_explained = outcome.reached_stub
            || outcome.is_stopped
            || self.are_sturdy(&outcome.failing)
            || self.speaks_of(variant, &outcome) && self.sources().is_steady;
        if is_explained {
            return Ok(Some(outcome));
        }
        let repeated = self.repeat(variant, command, outcome)?;
        let lasting = repeated.failing.iter().filter(|test| !repeated.flaky.contains(test));
        self.sturdy.extend(lasting.cloned());
        Ok(Some(repeated))
    }

    /// Whether all of these tests were seen to fail twice on some tree, so that they do not fail by chance.
    fn are_sturdy(&self, failing: &[String]) -> bool {
        !failing.is_empty()
            && failing.iter().all(|test| self.sturdy.contains(test) || self.is_discounted(test))
    }

    /// Whether any of these tests asserts something; true where their texts are not known.
    fn asserts(&mut self, tests: &[String]) -> bool {
        let known = &self.sources().tests;
        any_asserts(tests, known).unwrap_or(true)
    }

    /// The texts of head's tests, read once.
    fn sources(&mut self) -> &Sources {
        let tree = self.scratch.as_ref().map_or_else(|| self.order.root.to_owned(), Scratch::tree);
        self.sources.get_or_insert_with(|| Sources::read(&tree, &self.inputs, self.files))
    }

    /// Whether a red run speaks of what was taken back, so that chance is not its reason.
    fn speaks_of(&self, variant: &Variant, outcome: &CheckOutcome) -> bool {
        let text = &outcome.tail;
        variant.keys().any(|index| {
            let piece = &self.pieces[*index];
            let name = piece.path.rsplit('/').next().unwrap_or(&piece.path);
            let stem = name.split('.').next().unwrap_or(name);
            text.contains(name)
                || stem.len() > 3 && text.contains(stem)
                || piece.function.as_ref().is_some_and(|function| text.contains(function))
        }) || self
            .new_tests()
            .iter()
            .any(|test| outcome.failing.iter().any(|failed| failed.contains(&test.name)))
    }

    /// Runs a red check once more; tests that pass now are flaky and count for nothing.
    fn repeat(
        &mut self,
        variant: &Variant,
        command: &str,
        first: CheckOutcome,
    ) -> Result<CheckOutcome, ProveError> {
        let mut second = self.run(variant, command)?;
        let only_in = |these: &[String], those: &[String]| -> Vec<String> {
            these.iter().filter(|test| !those.contains(test)).cloned().collect()
        };
        second.flaky = only_in(&first.failing, &second.failing);
        second.flaky.extend(only_in(&second.failing, &first.failing));
        self.flaky.extend(second.flaky.iter().cloned());
        second.is_repeated = true;
        if second.verdict != first.verdict && first.failing.is_empty() {
            let why = "it passes and fails on the same tree".to_owned();
            return Ok(CheckOutcome { verdict: CheckVerdict::Unknown(why), ..second });
        }
        self.cache.put(&self.key(variant, command), &second);
        Ok(second)
    }

    fn outcome(&mut self, variant: &Variant, command: &str) -> Result<CheckOutcome, ProveError> {
        let key = self.key(variant, command);
        if let Some(known) = self.cache.get(&key) {
            self.flaky.extend(known.flaky.iter().cloned());
            if known.is_repeated {
                self.sturdy.extend(known.failing.iter().filter(|test| !known.flaky.contains(test)).cloned());
            }
            return Ok(known);
        }
        let outcome = self.run(variant, command)?;
        if !matches!(outcome.verdict, CheckVerdict::Unknown(_)) {
            self.cache.put(&key, &outcome);
        }
        Ok(outcome)
    }

    fn key(&self, variant: &Variant, command: &str) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.head_digest.as_bytes()).update(command.as_bytes());
        for (index, treatment) in variant {
            hasher.update(format!("\0{index} {treatment:?}").as_bytes());
        }
        hasher.finalize().to_hex()[..40].to_owned()
    }

    fn run(&mut self, variant: &Variant, command: &str) -> Result<CheckOutcome, ProveError> {
        if self.scratch.is_none() {
            (self.watch)(Progress::Copying);
            let commit = match (&self.order.head, &self.repository) {
                (HeadTree::Commit(commit), Some(repository)) => Some((repository, commit.as_str())),
                _ => None,
            };
            self.scratch = Some(Scratch::create(&CopyOrder {
                above: &self.order.scratch,
                root: self.order.root,
                commit,
                excluded: &self.order.excluded,
            })?);
        }
        let Some(scratch) = &mut self.scratch else { return Err(ProveError::Interrupted) };
        scratch.apply(self.files, self.pieces, variant)?;
        self.runs += 1;
        if !variant.is_empty() {
            let of = self.pieces.len();
            (self.watch)(Progress::TakenBack { pieces: variant.len(), of, run: self.runs });
        }
        let runner = CheckRunner {
            spawner: self.order.spawner,
            engine: &self.order.engine,
            shell: self.order.shell,
            limits: self.order.limits,
            root: self.order.root,
            home: self.order.home,
            search_path: self.order.search_path,
            wake: self.order.wake,
        };
        let left = self.deadline.remaining().unwrap_or(Duration::MAX).max(Duration::from_secs(1));
        let ran = runner.run(scratch, command, left)?;
        Ok(read_outcome(&ran.output, ran.end))
    }

    /// The tests that the change adds or edits.
    fn new_tests(&self) -> Vec<NewTest> {
        let tests = self.pieces.iter().filter(|piece| piece.side == Side::Tests);
        let mut found: Vec<NewTest> = tests.flat_map(|piece| new_tests(&piece.path, &piece.added)).collect();
        found.dedup_by(|a, b| a.name == b.name && a.file == b.file);
        found
    }

    fn hunks(&mut self, findings: Option<&Findings>) -> Vec<ProvenHunk> {
        let pieces = self.pieces;
        let mut hunks = Vec::with_capacity(pieces.len());
        for (index, piece) in pieces.iter().enumerate() {
            let found = match findings.and_then(|findings| findings.pieces.get(index)) {
                Some(Finding::Shown { strength, tests, group }) => Some((*strength, tests.clone(), *group)),
                Some(Finding::Unshown | Finding::Untried { .. }) | None => None,
            };
            let strength = match found {
                Some((Strength::Strong, ..)) => ShownStrength::Strong,
                Some((Strength::Weak | Strength::Broken, ..)) => ShownStrength::Weak,
                None => ShownStrength::None,
            };
            let is_asserted = match found {
                Some((strength @ (Strength::Weak | Strength::Broken), ..)) => {
                    self.is_asserted(piece, strength)
                }
                Some((Strength::Strong, ..)) | None => false,
            };
            let (shown_by, group) = found.map(|(_, tests, group)| (tests, group)).unwrap_or_default();
            hunks.push(ProvenHunk {
                file: piece.path.clone(),
                lines: piece.line_label(),
                kind: piece.kind,
                strength,
                shown_by,
                is_asserted,
                group,
                is_test: piece.side == Side::Tests,
                within: piece.within.clone(),
                removed: shorten(&piece.removed, TEXT_KEPT),
                added: shorten(&piece.added, TEXT_KEPT),
            });
        }
        hunks
    }

    /// Whether a test asserts something about what a piece defines.
    fn is_asserted(&mut self, piece: &Piece, strength: Strength) -> bool {
        let names = mi_bearing::defined_names(&piece.path, &piece.added);
        // An import or a default export defines no name that a test could assert on; what fails without it, needs it.
        // A file that does not parse without some lines says nothing about them.
        if names.is_empty() {
            return strength != Strength::Broken;
        }
        self.sources().texts.iter().any(|text| asserts_on(text, &names))
    }
}

/// What the texts of a project say about its tests.
struct Sources {
    texts: Vec<String>,
    tests: Vec<NewTest>,
    /// Nothing in the project looks as if it could differ from run to run, so a red need not be repeated.
    is_steady: bool,
}

impl Sources {
    fn read(tree: &Path, names: &[String], files: &[FileChange]) -> Self {
        let mut found = Self { texts: Vec::new(), tests: Vec::new(), is_steady: true };
        let mut left = SOURCE_BYTES;
        let changed = files.iter().filter_map(|file| Some((&file.path, file.after.as_ref()?)));
        for (name, body) in changed {
            found.add(name, &String::from_utf8_lossy(&body.bytes));
        }
        for name in names.iter().filter(|name| !files.iter().any(|file| file.path == **name)) {
            let path = tree.join(name);
            let Ok(about) = fs::metadata(&path) else { continue };
            if about.len() > TEST_BYTES || about.len() > left {
                found.is_steady = false;
                continue;
            }
            left -= about.len();
            if let Ok(text) = fs::read_to_string(&path) {
                found.add(name, &text);
            }
        }
        found
    }

    fn add(&mut self, name: &str, text: &str) {
        self.is_steady &= !looks_unsteady(text);
        let has_tests = is_test_path(name) || name.ends_with(".rs") && text.contains("test]");
        if has_tests {
            self.tests.extend(new_tests(name, text));
            self.texts.push(text.to_owned());
        }
    }
}

/// Whether a text speaks of chance, time, processes, or files: reasons for two runs to differ.
fn looks_unsteady(text: &str) -> bool {
    const SIGNS: [&str; 24] = [
        "rand", "Rand", "RANDOM", "time", "Time", "sleep", "Date", "uuid", "thread", "Thread", "async",
        "await", "spawn", "socket", "http", "tmp", "temp", "pid", "environ", "getenv", "open(", "read",
        "hash", "Hash",
    ];
    SIGNS.iter().any(|sign| text.contains(sign))
}

fn status(hunks: &[ProvenHunk], findings: &Findings) -> ProveStatus {
    if let Some(TrialResult::Unknown { .. }) = findings.taken_back {
        return ProveStatus::Unknown;
    }
    let untried = |(hunk, finding): (&ProvenHunk, &Finding)| {
        hunk.needs_showing() && matches!(finding, Finding::Untried { why: Some(_) })
    };
    let mut behaviour = hunks.iter().filter(|hunk| hunk.needs_showing()).peekable();
    if behaviour.peek().is_none() {
        let any = hunks.iter().any(ProvenHunk::is_shown);
        return if any { ProveStatus::Shown } else { ProveStatus::NothingToShow };
    }
    if behaviour.all(ProvenHunk::is_shown) {
        ProveStatus::Shown
    } else if hunks.iter().zip(&findings.pieces).any(untried) {
        ProveStatus::Unknown
    } else {
        ProveStatus::Unshown
    }
}

fn red_reasons(command: &str, outcome: &CheckOutcome, new: &[String]) -> Vec<String> {
    if new.is_empty() {
        let last = outcome.tail.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        return vec![format!("`{command}` fails: {}", shorten(last.trim(), 200))];
    }
    new.iter().take(50).map(|test| format!("`{command}`: {test} fails")).collect()
}

fn summarise(outcome: &CheckOutcome) -> CheckRunSummary {
    CheckRunSummary {
        exit: outcome.exit,
        passed: outcome.passed,
        failed: outcome.failed,
        tests: outcome.failing.clone(),
    }
}
