//! How well each criterion of the task is proven, on the evidence of the whole run.
//!
//! *Observed* needs a check that the harness reported with exit code 0, that covers the criterion, and that saw the
//! tree as it is now; a sign that a check was weakened lowers it to *claimed*. The agent's word alone is *claimed*.
//! *Verified* is not made here: it needs the box.
//!
//! Holds: a run in which nothing changed although the task asks for a change is observed only when the agent says
//! that nothing needed to change; a failed check on the present tree outweighs an earlier pass.

mod history;
mod words;

use mi_model::{Proof, ProofLevel};

pub use history::{History, SeenCheck};
pub use words::{asks_for_change, claims_done, says_nothing_to_change};

use crate::{
    checks::{CheckVerdict, Scope, runs_command},
    criteria::{Criterion, CriterionKind},
};

/// The proof of every criterion, in their order.
pub fn prove(criteria: &[Criterion], history: &History) -> Vec<Proof> {
    criteria.iter().map(|criterion| prove_one(criterion, history)).collect()
}

/// Whether every criterion is at least observed.
pub fn is_proven(proofs: &[Proof]) -> bool {
    !proofs.is_empty() && proofs.iter().all(|proof| proof.level >= ProofLevel::Observed)
}

fn prove_one(criterion: &Criterion, history: &History) -> Proof {
    let standing = match &criterion.kind {
        CriterionKind::Checks | CriterionKind::General => by_checks(criterion, history),
        CriterionKind::Command(command) => by_command(command, history),
        CriterionKind::FileExists(path) => by_file(path, history),
        CriterionKind::FileGone(path) => by_missing_file(path, history),
        CriterionKind::Unread => Standing::Missing(vec!["nobody looked at it".to_owned()]),
        CriterionKind::Document { path, says } => by_document(path, says, history),
    };
    let (level, evidence) = match standing {
        Standing::Holds(evidence) => weighed(history, evidence),
        Standing::HoldsWithoutTests(evidence) => (ProofLevel::Observed, evidence),
        Standing::Open(evidence) => unproven(history, evidence),
        Standing::Missing(evidence) => (ProofLevel::Absent, evidence),
    };
    Proof { criterion: criterion.text.clone(), level, evidence }
}

/// What the evidence says before claims and weakened checks are weighed.
enum Standing {
    /// A check shows it.
    Holds(Vec<String>),
    /// Something that weakened tests cannot touch shows it.
    HoldsWithoutTests(Vec<String>),
    Open(Vec<String>),
    /// It is seen not to hold; the agent's word changes nothing.
    Missing(Vec<String>),
}

fn by_checks(criterion: &Criterion, history: &History) -> Standing {
    let covers = |seen: &SeenCheck| match &seen.run.scope {
        Scope::Whole => true,
        Scope::Subset { selects, .. } => selects.iter().any(|selected| names(&criterion.text, selected)),
    };
    let relevant = |seen: &&SeenCheck| seen.run.runs_tests && covers(seen);
    match (history.standing_check(relevant), history.missing_chosen()) {
        (Some(_), Some(missing)) => {
            Standing::Open(vec![format!("`{missing}` has not passed on the present files")])
        }
        (Some(seen), None) => match history.untested(relevant) {
            Some(family) => {
                let why = format!(
                    "`{}` passed, but does not test the {family} files that changed",
                    seen.run.command.trim()
                );
                Standing::Open(vec![why])
            }
            None => Standing::Holds(shown(seen, history)),
        },
        (None, _) => Standing::Open(shortfall(history, relevant)),
    }
}

fn by_command(command: &str, history: &History) -> Standing {
    let relevant = |seen: &&SeenCheck| runs_command(&seen.run.command, command);
    match history.standing_check(relevant) {
        Some(seen) if seen.run.runs_tests => Standing::Holds(shown(seen, history)),
        Some(seen) => Standing::HoldsWithoutTests(shown(seen, history)),
        None => Standing::Open(shortfall(history, relevant)),
    }
}

fn by_file(path: &str, history: &History) -> Standing {
    if let Some(present) = &history.present {
        return match present.iter().any(|known| known == path) {
            true => Standing::HoldsWithoutTests(vec![format!("`{path}` is there"), tree(history)]),
            false => Standing::Open(vec![format!("`{path}` is not there")]),
        };
    }
    match history.files.get(path) {
        Some(true) => {
            Standing::HoldsWithoutTests(vec![format!("the harness reported that `{path}` was written")])
        }
        Some(false) => Standing::Open(vec![format!("`{path}` was deleted")]),
        None => Standing::Open(vec![format!("`{path}` was not seen")]),
    }
}

fn by_missing_file(path: &str, history: &History) -> Standing {
    let is_there = match &history.present {
        Some(present) => present.iter().any(|known| known == path),
        None => history.files.get(path) != Some(&false),
    };
    match is_there {
        true => Standing::Missing(vec![format!("`{path}` is still there")]),
        false => Standing::HoldsWithoutTests(vec![format!("`{path}` is not there"), tree(history)]),
    }
}

fn by_document(path: &str, says: &[String], history: &History) -> Standing {
    let Some(state) = history.documents.iter().find(|state| state.path == path) else {
        return Standing::Open(vec![format!("nobody looked at `{path}`")]);
    };
    let Some(file) = &state.file else {
        return Standing::Missing(vec![format!("`{path}` is not there")]);
    };
    if let Some(text) = says.iter().find(|text| !state.says.contains(text)) {
        return Standing::Open(vec![format!("`{file}` does not contain `{text}`")]);
    }
    let contains = || says.iter().map(|text| format!("`{file}` contains `{text}`"));
    if state.changed {
        let changed = format!("`{file}` was changed in this run");
        return Standing::HoldsWithoutTests(std::iter::once(changed).chain(contains()).collect());
    }
    if !says.is_empty() && says_nothing_to_change(&history.last_message) {
        return Standing::HoldsWithoutTests(contains().collect());
    }
    Standing::Open(vec![format!("`{file}` was not changed in this run")])
}

/// Lowers what a check shows when the check may have been weakened, or when nothing was done.
fn weighed(history: &History, mut evidence: Vec<String>) -> (ProofLevel, Vec<String>) {
    if !history.tamper.is_empty() {
        let signs =
            history.tamper.iter().map(|sign| format!("a check was weakened: {}: {}", sign.path, sign.what));
        evidence.extend(signs);
        return (ProofLevel::Claimed, evidence);
    }
    if history.asks_for_change && !history.has_changed() && !says_nothing_to_change(&history.last_message) {
        evidence.push("the task asks for a change, and no file of the project changed".to_owned());
        return (ProofLevel::Claimed, evidence);
    }
    (ProofLevel::Observed, evidence)
}

fn unproven(history: &History, mut evidence: Vec<String>) -> (ProofLevel, Vec<String>) {
    if !claims_done(&history.last_message) {
        return (ProofLevel::Absent, evidence);
    }
    evidence.push("the agent says that it is done".to_owned());
    (ProofLevel::Claimed, evidence)
}

fn shown(seen: &SeenCheck, history: &History) -> Vec<String> {
    let counts = seen.run.counts();
    let counts = if counts.is_empty() { String::new() } else { format!(", {counts}") };
    let code = seen.exit_code.map_or("no exit code".to_owned(), |code| format!("exit code {code}"));
    vec![format!("`{}`: {code}{counts} (batch {})", seen.run.command.trim(), seen.batch), tree(history)]
}

fn tree(history: &History) -> String {
    match history.end_tree.as_str() {
        "" => "no digest of the tree was taken; nothing changed after the check".to_owned(),
        digest => format!("tree {digest}"),
    }
}

/// Why no check of this kind stands: the newest one, and what it lacks.
fn shortfall(history: &History, relevant: impl Fn(&&SeenCheck) -> bool) -> Vec<String> {
    let newest = history.checks.iter().rev().find(|seen| relevant(seen)).or(history.checks.last());
    let Some(seen) = newest else { return vec!["no check ran".to_owned()] };
    let why = match (&seen.run.verdict, &seen.run.scope) {
        (CheckVerdict::Failed { why }, _) => format!("failed: {why}"),
        (CheckVerdict::NoProof { why }, _) => format!("proves nothing: {why}"),
        (CheckVerdict::Passed, _) if seen.is_unknown && seen.batch == history.last_batch => {
            "passed, but whether files changed after it is not known: something ran before they were looked at"
                .to_owned()
        }
        (CheckVerdict::Passed, _) if !history.is_current(seen) => {
            "passed, but the tree changed after it".to_owned()
        }
        (CheckVerdict::Passed, Scope::Subset { why, .. }) => format!("passed, but is only a part: {why}"),
        (CheckVerdict::Passed, Scope::Whole) => "passed, but does not cover this or failed later".to_owned(),
    };
    vec![format!("`{}` (batch {}) {why}", seen.run.command.trim(), seen.batch)]
}

/// Whether a text names what a check was narrowed to: a test or a file, as a whole word that is no plain English.
fn names(text: &str, selected: &str) -> bool {
    let is_part = |char: char| char.is_alphanumeric() || "_.-".contains(char);
    let looks_like_code = |part: &str| {
        part.len() >= 4 && (part.contains(['_', '.']) || part.chars().skip(1).any(|char| char.is_uppercase()))
    };
    let wanted: Vec<&str> =
        selected.split(|char: char| !is_part(char)).filter(|part| looks_like_code(part)).collect();
    text.split(|char: char| !is_part(char))
        .map(|word| word.trim_end_matches('.'))
        .any(|word| wanted.contains(&word))
}

#[cfg(test)]
pub(crate) mod tests;
