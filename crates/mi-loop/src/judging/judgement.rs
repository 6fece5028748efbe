//! What a model says of criteria that no check shows: per criterion, with the hunks that carry it.
//!
//! Holds: a judgement counts only if every hunk it cites is one of the change; its "shown" never outweighs a red or missing
//! check, because it is asked only where all checks are green.

use mi_model::{DecidedBy, Proof};
use serde::Deserialize;

use crate::run::Run;

/// The answer of `judge_criteria`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct CriteriaJudgement {
    criteria: Vec<Judged>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct Judged {
    id: String,
    verdict: JudgedVerdict,
    hunks: Vec<String>,
    reason: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum JudgedVerdict {
    Shown,
    NotShown,
    Unsure,
}

/// Keeps what holds of a judgement.
pub(super) fn keep(run: &mut Run, judgement: &CriteriaJudgement, by: &DecidedBy) {
    let Some(look) = run.history.current_look() else { return };
    let places: Vec<String> =
        look.report.hunks.iter().map(|hunk| format!("{}:{}", hunk.file, hunk.lines)).collect();
    // A hunk that does not exist makes the whole answer worthless.
    if judgement.criteria.iter().flat_map(|one| &one.hunks).any(|hunk| !places.contains(hunk)) {
        return;
    }
    let model = match by {
        DecidedBy::Model(name) => name.clone(),
        other => other.to_string(),
    };
    let shown: Vec<(String, String)> = judgement
        .criteria
        .iter()
        .filter(|one| one.verdict == JudgedVerdict::Shown && !one.hunks.is_empty())
        .filter_map(|one| {
            let index: usize = one.id.trim_start_matches('c').parse().ok()?;
            let criterion = run.proof.get(index.checked_sub(1)?)?.criterion.clone();
            let hunks = one.hunks.len();
            Some((
                criterion,
                format!(
                    "judged by {model} on {hunks} hunk{}: {}",
                    if hunks == 1 { "" } else { "s" },
                    one.reason
                ),
            ))
        })
        .collect();
    run.history.judged.extend(shown);
}

/// The open criteria as the model is given them.
pub(crate) fn open_criteria(proof: &[Proof]) -> String {
    let open = proof.iter().enumerate().filter(|(_, proof)| !proof.is_shown());
    open.map(|(index, proof)| {
        let why: Vec<&str> = proof.evidence.iter().map(|one| one.text.as_str()).collect();
        format!("c{}: {}\n   {}", index + 1, proof.criterion, why.join("; "))
    })
    .collect::<Vec<_>>()
    .join("\n")
}
