//! How well each criterion of the task is shown.
//!
//! Two halves. *Nothing broke*: the project's checks pass on the final tree, fresh, whole and not weakened; that is the
//! level. *It bears on the task*: there is evidence that would not be there without the work; that is the bearing
//! ([`bearing`]). Done needs both for every criterion.
//! Holds: `observed` only for a check that passed on the tree as it is now, seen by the agent's harness; nothing is ever
//! inferred from the agent's own words except against it; a failure on the same tree after a pass outweighs that pass.

mod admissions;
mod bearing;
mod dependencies;
mod history;
mod words;

use mi_model::{
    Bearing, Evidence, EvidenceKind, Proof, ProofLevel, ProveReport, ProvenHunk, record::ChangeLook,
};

pub use admissions::{admission, promises_answer, unfinished_code};
pub(crate) use bearing::{look_up_word, module_name};
pub use history::{History, RanCommand, SeenCheck};
pub use words::{claims_done, says_nothing_to_change};

use crate::{
    checks::{CheckVerdict, Scope, runs_command},
    criteria::{Criterion, CriterionKind, Expectation, NamedCommand, criteria as read_criteria},
    project::documents,
};

/// The proof of every criterion, in their order.
pub fn prove(criteria: &[Criterion], history: &History) -> Vec<Proof> {
    let mut proofs: Vec<Proof> =
        criteria.iter().map(|criterion| prove_one(criterion, criteria, history)).collect();
    if let Some(evidence) = unchecked_code(criteria, history) {
        for proof in proofs.iter_mut().filter(|proof| proof.level >= ProofLevel::Observed) {
            (proof.level, proof.bearing) = (ProofLevel::Claimed, None);
            proof.evidence.extend(evidence.iter().cloned());
        }
    }
    let open: Vec<usize> = (0..proofs.len()).filter(|index| !proofs[*index].is_shown()).collect();
    // A change that checks notice as a whole bears on the one criterion that names nothing they could be matched with.
    if let [index] = open.as_slice()
        && proofs[*index].level >= ProofLevel::Observed
        && let Some((bearing, evidence)) = bearing::whole_change(&criteria[*index], history)
    {
        proofs[*index].bearing = Some(bearing);
        proofs[*index].evidence.retain(|one| one.kind != EvidenceKind::Against);
        proofs[*index].evidence.extend(evidence);
    }
    proofs
}

/// Why files alone do not do: code was changed, no criterion asks for checks, and they were not seen to pass.
fn unchecked_code(criteria: &[Criterion], history: &History) -> Option<Vec<Evidence>> {
    let is_file_task = criteria.iter().all(Criterion::is_about_files);
    let needs_checks =
        history.has_changed() && !history.changed_documents_only() && !history.tested.is_empty();
    let first = criteria.first().filter(|_| is_file_task && needs_checks)?;
    match by_checks(first, history) {
        Standing::Open(evidence) | Standing::Missing(evidence) => Some(evidence),
        Standing::Holds(_) | Standing::HoldsWithoutTests(_) => None,
    }
}

/// The criteria of a task judged by a counter-check alone; the checks ran green on the tree that it looked at.
pub fn prove_by_report(task: &str, report: &ProveReport) -> Vec<Proof> {
    let criteria = read_criteria(task);
    let mut history = History::after_counter_check(report);
    history.look = Some(ChangeLook { report: report.clone(), ..ChangeLook::default() });
    prove(&criteria, &history)
}

/// Whether every criterion is shown.
pub fn is_proven(proofs: &[Proof]) -> bool {
    !proofs.is_empty() && proofs.iter().all(Proof::is_shown)
}

/// Whether nothing broke: every criterion is at least observed, whatever bears on it.
pub fn is_observed(proofs: &[Proof]) -> bool {
    !proofs.is_empty() && proofs.iter().all(|proof| proof.level >= ProofLevel::Observed)
}

fn prove_one(criterion: &Criterion, criteria: &[Criterion], history: &History) -> Proof {
    let standing = standing(criterion, history);
    let (level, mut evidence) = match standing {
        Standing::Holds(evidence) => weighed(criterion, history, evidence),
        Standing::HoldsWithoutTests(evidence) => admitted(criterion, history, evidence),
        Standing::Open(evidence) => unproven(history, evidence),
        Standing::Missing(evidence) => (ProofLevel::Absent, evidence),
    };
    let mut proof = Proof { criterion: criterion.text.clone(), level, bearing: None, evidence: Vec::new() };
    if history.is_accepted(&criterion.text) {
        evidence.push(Evidence::new(EvidenceKind::Judgement, "accepted by you"));
        return Proof {
            level: level.max(ProofLevel::Judged),
            bearing: Some(Bearing::Accepted),
            evidence,
            ..proof
        };
    }
    if level >= ProofLevel::Observed {
        let (bearing, reasons) = bearing::of(criterion, criteria, history);
        proof.bearing = bearing;
        evidence.extend(reasons);
    }
    if proof.bearing.is_none()
        && let Some(judgement) = history.judgement(&criterion.text)
        && level >= ProofLevel::Observed
    {
        evidence.push(Evidence::new(EvidenceKind::Judgement, judgement));
        proof.bearing = Some(Bearing::Judged);
    }
    Proof { evidence, ..proof }
}

/// What the evidence says before claims and weakened checks are weighed.
enum Standing {
    /// A check shows it.
    Holds(Vec<Evidence>),
    /// Something that weakened tests cannot touch shows it.
    HoldsWithoutTests(Vec<Evidence>),
    Open(Vec<Evidence>),
    /// It is seen not to hold; the agent's word changes nothing.
    Missing(Vec<Evidence>),
}

fn seen(text: impl Into<String>) -> Evidence {
    Evidence::new(EvidenceKind::Seen, text)
}

fn open(text: impl Into<String>) -> Standing {
    Standing::Open(vec![Evidence::against(text)])
}

fn standing(criterion: &Criterion, history: &History) -> Standing {
    match &criterion.kind {
        CriterionKind::Checks => by_checks(criterion, history),
        CriterionKind::Work
        | CriterionKind::Preserving
        | CriterionKind::NewTests
        | CriterionKind::Renamed { .. } => by_change(criterion, history),
        CriterionKind::Command(named) => by_command(named, history),
        CriterionKind::ProgramRun(path) => by_program(path, history),
        CriterionKind::FileExists(path) => by_file(path, history),
        CriterionKind::FileGone(path) => by_missing_file(path, history),
        CriterionKind::Document { path, says, no_longer } => by_document(path, says, no_longer, history),
        CriterionKind::Answer => by_answer(history),
        CriterionKind::Commit => match history.has_committed {
            true => Standing::HoldsWithoutTests(vec![seen("HEAD is a new commit")]),
            false => open("nothing was committed; `mi run --commit` commits the proven work"),
        },
        CriterionKind::Untouched(path) => by_untouched(path, history),
        CriterionKind::NoNewDependencies => Standing::HoldsWithoutTests(Vec::new()),
        CriterionKind::Unread => Standing::Missing(vec![Evidence::against("it was not read")]),
    }
}

/// A change is checked by the project's checks, unless nothing that they could notice was changed.
fn by_change(criterion: &Criterion, history: &History) -> Standing {
    if criterion.is_value && !history.has_changed() {
        return Standing::HoldsWithoutTests(vec![seen("nothing was changed")]);
    }
    match by_checks(criterion, history) {
        Standing::Open(_) if history.changed_documents_only() => {
            Standing::HoldsWithoutTests(vec![seen("only documents were changed"), tree(history)])
        }
        other => other,
    }
}

fn by_checks(criterion: &Criterion, history: &History) -> Standing {
    let covers = |seen: &SeenCheck| match &seen.run.scope {
        Scope::Whole => true,
        Scope::Subset { selects, .. } => {
            history.covers_change(selects, &seen.run.command)
                || selects.iter().any(|selected| names(&criterion.text, selected))
        }
    };
    let relevant = |seen: &&SeenCheck| seen.run.runs_tests && covers(seen);
    match (history.standing_check(relevant), history.missing_chosen()) {
        (Some(_), Some(missing)) => open(format!("`{missing}` has not passed on the present files")),
        (Some(seen), None) => match history.untested(relevant) {
            Some(family) => open(format!(
                "`{}` passed, but does not test the {family} files that changed",
                seen.run.command.trim()
            )),
            None => Standing::Holds(shown(seen, history)),
        },
        (None, _) => match broken_before(history) {
            Some(evidence) => Standing::Holds(evidence),
            None => Standing::Open(shortfall(history, relevant)),
        },
    }
}

/// A check that fails only in tests which failed before the run began.
fn broken_before(history: &History) -> Option<Vec<Evidence>> {
    let report = &history.current_look()?.report;
    if report.broken_before.is_empty() || report.status == mi_model::ProveStatus::Red {
        return None;
    }
    let check = report.checks.first()?;
    let text = format!(
        "`{}` fails only in what failed before the run: {}",
        check.command,
        report.broken_before.join(", ")
    );
    Some(vec![Evidence::new(EvidenceKind::CheckPassed, text), tree(history)])
}

fn by_command(named: &NamedCommand, history: &History) -> Standing {
    let relevant = |seen: &&SeenCheck| runs_command(&seen.run.command, &named.command);
    match &named.expect {
        Expectation::Passes => match history.standing_check(relevant) {
            Some(seen) if seen.run.runs_tests => Standing::Holds(shown(seen, history)),
            Some(seen) => Standing::HoldsWithoutTests(shown(seen, history)),
            None => Standing::Open(shortfall(history, relevant)),
        },
        Expectation::Prints(text) => match history.newest_current(relevant) {
            Some(seen) if seen.exit_code == Some(0) && prints(&seen.said, text) => {
                let mut evidence = shown(seen, history);
                let what = if text.is_empty() {
                    "it printed nothing".to_owned()
                } else {
                    format!("it printed `{text}`")
                };
                evidence.push(self::seen(what));
                Standing::HoldsWithoutTests(evidence)
            }
            Some(seen) if text.is_empty() => {
                open(format!("`{}` printed something or failed", seen.run.command.trim()))
            }
            Some(seen) => open(format!("`{}` did not print `{text}`", seen.run.command.trim())),
            None => Standing::Open(shortfall(history, relevant)),
        },
        Expectation::Exits(code) => match history.newest_current(relevant) {
            Some(seen) if seen.exit_code == Some(*code) => Standing::HoldsWithoutTests(shown(seen, history)),
            Some(seen) => open(format!("`{}` did not end with exit code {code}", seen.run.command.trim())),
            None => Standing::Open(shortfall(history, relevant)),
        },
    }
}

fn prints(output: &str, wanted: &str) -> bool {
    if wanted.is_empty() { output.trim().is_empty() } else { says(output, wanted) }
}

/// Whether an output has a text, whatever its blanks.
fn says(output: &str, wanted: &str) -> bool {
    let squeeze = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    squeeze(output).contains(&squeeze(wanted))
}

fn by_program(path: &str, history: &History) -> Standing {
    match history.run_of(path) {
        Some(ran) => Standing::HoldsWithoutTests(vec![seen(format!(
            "`{}` ended with exit code 0",
            ran.command.trim()
        ))]),
        None => open(format!("`{path}` was not run with success")),
    }
}

fn by_file(path: &str, history: &History) -> Standing {
    if let Some(present) = &history.present {
        return match present.iter().any(|known| known == path) {
            true => Standing::HoldsWithoutTests(vec![seen(format!("`{path}` is there")), tree(history)]),
            false => open(format!("`{path}` is not there")),
        };
    }
    match history.files.get(path) {
        Some(true) => {
            Standing::HoldsWithoutTests(vec![seen(format!("the harness reported that `{path}` was written"))])
        }
        Some(false) => open(format!("`{path}` was deleted")),
        None => open(format!("`{path}` was not seen")),
    }
}

fn by_missing_file(path: &str, history: &History) -> Standing {
    let is_there = match &history.present {
        Some(present) => present.iter().any(|known| known == path),
        None => history.files.get(path) != Some(&false),
    };
    match is_there {
        true => Standing::Missing(vec![Evidence::against(format!("`{path}` is still there"))]),
        false => Standing::HoldsWithoutTests(vec![seen(format!("`{path}` is not there")), tree(history)]),
    }
}

fn by_document(path: &str, says: &[String], no_longer: &[String], history: &History) -> Standing {
    let Some(state) = history.documents.iter().find(|state| state.path == path) else {
        return by_written_lines(path, says, no_longer, history);
    };
    let Some(file) = &state.file else {
        return Standing::Missing(vec![Evidence::against(format!("`{path}` is not there"))]);
    };
    if let Some(text) = says.iter().find(|text| !state.says.contains(text)) {
        return open(format!("`{file}` does not contain `{text}`"));
    }
    if let Some(text) = no_longer.iter().find(|text| state.says.contains(text)) {
        return Standing::Missing(vec![Evidence::against(format!("`{file}` still contains `{text}`"))]);
    }
    let contains = || says.iter().map(|text| seen(format!("`{file}` contains `{text}`")));
    if state.changed {
        let changed = seen(format!("`{file}` was changed in this run"));
        return Standing::HoldsWithoutTests(std::iter::once(changed).chain(contains()).collect());
    }
    if !says.is_empty() && says_nothing_to_change(&history.last_message) {
        return Standing::HoldsWithoutTests(contains().collect());
    }
    open(format!("`{file}` was not changed in this run"))
}

/// What the hunks of a document tell, where nobody looked at the document itself.
fn by_written_lines(path: &str, says: &[String], no_longer: &[String], history: &History) -> Standing {
    let hunks = history.current_look().map(|look| look.report.hunks.as_slice()).unwrap_or_default();
    let names = hunks.iter().map(|hunk| hunk.file.as_str());
    let found = documents::candidates(path, names);
    let own: Vec<&ProvenHunk> = hunks.iter().filter(|hunk| found.contains(&hunk.file.as_str())).collect();
    if own.is_empty() {
        return open(format!("`{path}` was not changed"));
    }
    let is_missing = |text: &&String| !own.iter().any(|hunk| documents::says(&hunk.file, &hunk.added, text));
    if let Some(text) = says.iter().find(is_missing) {
        return open(format!("what was added to `{path}` does not contain `{text}`"));
    }
    if let Some(text) = no_longer.iter().find(|text| own.iter().any(|hunk| hunk.added.contains(*text))) {
        return open(format!("`{path}` still contains `{text}`"));
    }
    Standing::HoldsWithoutTests(vec![seen(format!("`{path}` was changed"))])
}

/// A few words without a number, a name or a quotation answer nothing: "Done.", "OK".
fn says_too_little(message: &str) -> bool {
    let is_telling = |char: char| char.is_ascii_digit() || "`\"'_./".contains(char) || !char.is_ascii();
    let words = message.split_whitespace().count();
    (words < 3 || words < 4 && claims_done(message)) && !message.trim_end_matches('.').contains(is_telling)
}

fn by_answer(history: &History) -> Standing {
    if history.has_changed() {
        return open("the task only asks, and files of the project were changed");
    }
    match history.last_message.trim() {
        "" => open("there is no answer yet"),
        _ if admission(&history.last_message).is_some() => {
            open("the last message says that the answer is not complete")
        }
        message if says_too_little(message) => open("the last message does not answer"),
        message if promises_answer(message) => open("the last message only promises an answer"),
        _ => Standing::HoldsWithoutTests(vec![seen("the last message answers; nothing was changed")]),
    }
}

fn by_untouched(path: &str, history: &History) -> Standing {
    let below = |file: &&String| {
        file.as_str() == path || file.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'))
    };
    match history.changed_files.iter().find(below) {
        Some(file) => Standing::Missing(vec![Evidence::against(format!("`{file}` was changed"))]),
        None => Standing::HoldsWithoutTests(vec![seen(format!("nothing in `{path}` was changed"))]),
    }
}

/// Lowers what a check shows when the check may have been weakened, when nothing was done, or when the agent itself says
/// that something is missing.
fn weighed(
    criterion: &Criterion,
    history: &History,
    mut evidence: Vec<Evidence>,
) -> (ProofLevel, Vec<Evidence>) {
    if !history.tamper.is_empty() {
        let signs = history
            .tamper
            .iter()
            .map(|sign| Evidence::against(format!("a check was weakened: {}: {}", sign.path, sign.what)));
        evidence.extend(signs);
        return (ProofLevel::Claimed, evidence);
    }
    let wants_change = matches!(criterion.kind, CriterionKind::Work | CriterionKind::Preserving);
    if wants_change && !history.has_changed() {
        evidence.push(Evidence::against("the task asks for a change, and no file of the project changed"));
        return (ProofLevel::Claimed, evidence);
    }
    admitted(criterion, history, evidence)
}

/// The agent's own words count against it.
fn admitted(
    criterion: &Criterion,
    history: &History,
    mut evidence: Vec<Evidence>,
) -> (ProofLevel, Vec<Evidence>) {
    let counts = matches!(
        criterion.kind,
        CriterionKind::Work
            | CriterionKind::Preserving
            | CriterionKind::NewTests
            | CriterionKind::Renamed { .. }
    );
    if counts && let Some(said) = &history.admitted {
        evidence.push(Evidence::against(format!("the agent says: {said}")));
        return (ProofLevel::Claimed, evidence);
    }
    (ProofLevel::Observed, evidence)
}

fn unproven(history: &History, mut evidence: Vec<Evidence>) -> (ProofLevel, Vec<Evidence>) {
    if !claims_done(&history.last_message) {
        return (ProofLevel::Absent, evidence);
    }
    evidence.push(Evidence::note("the agent says that it is done"));
    (ProofLevel::Claimed, evidence)
}

fn shown(seen: &SeenCheck, history: &History) -> Vec<Evidence> {
    let counts = seen.run.counts();
    let counts = if counts.is_empty() { String::new() } else { format!(", {counts}") };
    let code = seen.exit_code.map_or("no exit code".to_owned(), |code| format!("exit code {code}"));
    let text = format!("`{}`: {code}{counts} (batch {})", seen.run.command.trim(), seen.batch);
    vec![Evidence::new(EvidenceKind::CheckPassed, text), tree(history)]
}

fn tree(history: &History) -> Evidence {
    let text = match history.end_tree.as_str() {
        "" => "no digest of the tree was taken; nothing changed after the check".to_owned(),
        digest => format!("tree {digest}"),
    };
    Evidence::new(EvidenceKind::Tree, text)
}

/// Why no check of this kind stands: the newest one, and what it lacks.
fn shortfall(history: &History, relevant: impl Fn(&&SeenCheck) -> bool) -> Vec<Evidence> {
    let newest = history.checks.iter().rev().find(|seen| relevant(seen)).or(history.checks.last());
    let Some(seen) = newest else { return vec![Evidence::against("no check ran")] };
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
    vec![Evidence::against(format!("`{}` (batch {}) {why}", seen.run.command.trim(), seen.batch))]
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
