//! What a model says of criteria that no check shows: per criterion, with the hunks that carry it.
//!
//! Holds: a judgement counts only if every hunk it cites is one of the change, and each "shown" cites one; its "shown" never
//! outweighs a red or missing check, because it is asked only where all checks are green.
//! Elsewhere: how the criteria and the change are put to the model is [`crate::sections`].

use mi_model::{
    DecidedBy, Proof, ProvenHunk,
    answers::{CriteriaJudgement, CriterionJudgement, JudgedVerdict},
};

use crate::run::Run;

/// Keeps what holds of a judgement.
pub(super) fn keep(run: &mut Run, judgement: &CriteriaJudgement, by: &DecidedBy) {
    let Some(look) = run.history.current_look() else { return };
    let model = match by {
        DecidedBy::Model(name) => name.clone(),
        other => other.to_string(),
    };
    let shown = shown_criteria(judgement, &run.proof, &look.report.hunks, &model);
    run.history.judged.extend(shown);
}

/// The criteria that are shown, each with the reason; none at all when the answer cites what does not exist.
fn shown_criteria(
    judgement: &CriteriaJudgement,
    proof: &[Proof],
    hunks: &[ProvenHunk],
    model: &str,
) -> Vec<(String, String)> {
    let places: Vec<String> = hunks.iter().map(|hunk| format!("{}:{}", hunk.file, hunk.lines)).collect();
    let is_sound = |one: &CriterionJudgement| {
        let cites = one.verdict != JudgedVerdict::Shown || !one.hunks.is_empty();
        cites && one.hunks.iter().all(|hunk| places.contains(hunk))
    };
    // One hunk that does not exist makes the whole answer worthless.
    if !judgement.criteria.iter().all(is_sound) {
        return Vec::new();
    }
    let shown = judgement.criteria.iter().filter(|one| one.verdict == JudgedVerdict::Shown);
    shown
        .filter_map(|one| {
            let number: usize = one.id.trim().strip_prefix('c')?.parse().ok()?;
            let criterion = proof.get(number.checked_sub(1)?)?.criterion.clone();
            let hunks = one.hunks.len();
            let plural = if hunks == 1 { "" } else { "s" };
            Some((criterion, format!("judged by {model} on {hunks} hunk{plural}: {}", one.reason)))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mi_model::{HunkKind, ProofLevel, ShownStrength};
    use serde_json::{Value, json};

    fn shown(answer: Value) -> Vec<(String, String)> {
        let hunk = |file: &str, lines: &str| ProvenHunk {
            file: file.to_owned(),
            lines: lines.to_owned(),
            kind: HunkKind::Behaviour,
            strength: ShownStrength::None,
            shown_by: Vec::new(),
            is_asserted: false,
            group: None,
            is_test: false,
            within: None,
            removed: String::new(),
            added: String::new(),
        };
        let proof = |criterion: &str| Proof {
            criterion: criterion.to_owned(),
            level: ProofLevel::Observed,
            bearing: None,
            evidence: Vec::new(),
        };
        let judgement: CriteriaJudgement = serde_json::from_value(answer).unwrap();
        let hunks = [hunk("a.py", "1-4"), hunk("b.py", "-7-9")];
        shown_criteria(&judgement, &[proof("add a"), proof("remove b")], &hunks, "m")
    }

    fn one(id: &str, verdict: &str, hunks: &[&str]) -> Value {
        json!({"id": id, "verdict": verdict, "hunks": hunks, "reason": "it does"})
    }

    /// A criterion is shown by hunks of the change; what is not shown or unsure stays open.
    #[test]
    fn shown_criteria_cite_their_hunks() {
        let got = shown(json!({"criteria": [
            one("c1", "shown", &["a.py:1-4", "b.py:-7-9"]),
            one("c2", "not_shown", &["b.py:-7-9"]),
        ]}));
        assert_eq!(got, [("add a".to_owned(), "judged by m on 2 hunks: it does".to_owned())]);
        assert!(shown(json!({"criteria": [one("c1", "unsure", &[])]})).is_empty());
    }

    /// One invented hunk, or "shown" without any, makes the whole answer invalid, good parts included.
    #[test]
    fn invented_hunks_make_the_answer_invalid() {
        let good = one("c1", "shown", &["a.py:1-4"]);
        let bad = [
            one("c2", "shown", &["a.py:1-5"]),
            one("c2", "shown", &["c.py:1-4"]),
            one("c2", "not_shown", &["c.py:1-4"]),
            one("c2", "shown", &[]),
        ];
        assert_eq!(shown(json!({"criteria": [good.clone()]})).len(), 1);
        for bad in bad {
            assert_eq!(shown(json!({"criteria": [good.clone(), bad.clone()]})), [], "{bad}");
        }
    }

    /// An id that nobody asked about is passed over; the rest of the answer holds.
    #[test]
    fn unknown_ids_are_ignored() {
        for id in ["c3", "c0", "1", "x", "c", ""] {
            let got = shown(
                json!({"criteria": [one(id, "shown", &["a.py:1-4"]), one("c2", "shown", &["b.py:-7-9"])]}),
            );
            assert_eq!(got, [("remove b".to_owned(), "judged by m on 1 hunk: it does".to_owned())], "{id}");
        }
    }
}
