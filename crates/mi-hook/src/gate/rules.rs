//! Files of rules: `gate.yaml` of the user, `.mi/gate.yaml` of the project, and those that were named.
//!
//! Holds: a file that is there and cannot be taken denies what it would have guarded.

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
};

use mi_gate::permission::{Examples, Layer, RuleSet, load_or_guard};
use mi_model::sha256_hex;

/// The user's own file and those that were named.
pub(super) fn of_user(home: Option<&Path>, named: &[PathBuf]) -> Vec<RuleSet> {
    let own = home.map(|home| home.join("gate.yaml")).filter(|path| is_there(path));
    own.iter().chain(named).map(|path| read(path, Layer::User, home)).collect()
}

/// The project's file, which only tightens.
pub(super) fn of_project(root: &Path, home: Option<&Path>) -> Option<RuleSet> {
    let path = root.join(".mi/gate.yaml");
    is_there(&path).then(|| read(&path, Layer::Project, home))
}

/// What is wrong with a file of rules, in one line.
pub(super) fn problem(set: &RuleSet) -> Option<String> {
    let problem = set.problem.as_deref()?;
    Some(format!("these rules were not loaded; what they guard is denied: {problem}"))
}

/// A link to nowhere is there too.
fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// More than the loader takes, so that it says so itself.
const MAX_BYTES: u64 = 2 << 20;

fn read(path: &Path, layer: Layer, home: Option<&Path>) -> RuleSet {
    let name = path.display().to_string();
    let mut bytes = Vec::new();
    let outcome = open(path).and_then(|file| file.take(MAX_BYTES).read_to_end(&mut bytes));
    match (outcome, std::str::from_utf8(&bytes)) {
        (Ok(_), Ok(text)) => load(&name, text, layer, home),
        (Ok(_), Err(error)) => unreadable(&name, layer, &error.to_string()),
        (Err(error), _) => unreadable(&name, layer, &error.to_string()),
    }
}

/// Examples take longer than the rules themselves, and a hook is waited for: a text whose examples held is remembered
/// by its digest, in a folder that no tool writes.
fn load(name: &str, text: &str, layer: Layer, home: Option<&Path>) -> RuleSet {
    let seed = format!("{}\n{text}", env!("CARGO_PKG_VERSION"));
    let mark = home.map(|home| home.join("gate/checked").join(sha256_hex(seed.as_bytes())));
    let known = mark.as_deref().is_some_and(Path::exists);
    let examples = if known { Examples::HeldBefore } else { Examples::Run };
    let set = load_or_guard(name, text, layer, examples);
    if let Some(mark) = mark.filter(|_| !known && set.problem.is_none()) {
        // Where it cannot be kept, the examples are run again next time.
        drop(mark.parent().map(fs::create_dir_all).transpose().and_then(|_| fs::write(&mark, "")));
    }
    set
}

/// A pipe or a device would keep us waiting.
fn open(path: &Path) -> std::io::Result<fs::File> {
    if !fs::metadata(path)?.is_file() {
        return Err(std::io::Error::other("not a file"));
    }
    fs::File::open(path)
}

fn unreadable(name: &str, layer: Layer, why: &str) -> RuleSet {
    let problem = format!("{name}: {why}");
    let mut set = load_or_guard(name, "", layer, Examples::Run);
    for rule in &mut set.rules {
        rule.reason = format!("a file of rules was not loaded, so everything is denied: {problem}");
    }
    RuleSet { problem: Some(problem), ..set }
}
