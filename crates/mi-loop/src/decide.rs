//! `decide_next` by rules: what happens after a batch that left nothing to answer and no check to plan.
//!
//! Holds: [`Next::Done`] only when every criterion is shown. `undecided` says that a model may be
//! asked; `next` is then the safe answer without one.

use mi_model::{EvidenceKind, Proof, ProveStatus};

use crate::{
    checks::CheckVerdict,
    criteria::{Criterion, CriterionKind},
    proof::{History, is_observed, is_proven, says_nothing_to_change},
    report::BatchReport,
    run::first_line,
};

/// What the decision is made from.
#[derive(Debug)]
pub struct View<'a> {
    pub report: &'a BatchReport,
    pub proof: &'a [Proof],
    pub history: &'a History,
    pub criteria: &'a [Criterion],
    pub task: &'a str,
    pub strategy: Option<&'a str>,
}

/// What the rules say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decided {
    pub next: Next,
    pub reason: String,
    pub rule: &'static str,
    pub undecided: bool,
}

/// The moves of `decide_next`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    Done,
    Send(String),
    Ask(String),
    /// The person is asked whether what cannot be shown is done.
    AskAcceptance(String),
}

/// Decides by the first rule that speaks.
pub fn decide(view: &View<'_>) -> Decided {
    let rules = [
        proven,
        changed_instead_of_answering,
        weakened_check,
        failed_check,
        gives_up,
        nothing_happened,
        nothing_changed,
        admits,
        unprovable,
        unshown,
    ];
    rules.iter().find_map(|rule| rule(view)).unwrap_or_else(|| go_on(view))
}

fn proven(view: &View<'_>) -> Option<Decided> {
    let is_accepted = view.proof.iter().any(|proof| proof.bearing == Some(mi_model::Bearing::Accepted));
    let reason =
        if is_accepted { "every criterion is shown or accepted by you" } else { "every criterion is shown" };
    is_proven(view.proof).then(|| decided(Next::Done, reason.to_owned(), "decide.proven"))
}

/// The task only asks, and files were changed: they are taken back before anything else.
fn changed_instead_of_answering(view: &View<'_>) -> Option<Decided> {
    let only_asks = view.criteria.iter().any(|criterion| criterion.kind == CriterionKind::Answer);
    (only_asks && view.history.has_changed()).then(|| {
        let files: Vec<&str> = view.history.changed_files.iter().take(5).map(String::as_str).collect();
        let input = format!(
            "I only asked; nothing was to be changed. Take back what you changed ({}), then answer in your last message: {}",
            files.join(", "),
            first_line(view.task)
        );
        decided(Next::Send(input), "the task only asks, and files were changed".to_owned(), "decide.only_asked")
    })
}

/// A check that was made easier is put back before anything else counts.
fn weakened_check(view: &View<'_>) -> Option<Decided> {
    let signs: Vec<String> =
        view.report.tamper.iter().take(10).map(|sign| format!("{}: {}", sign.path, sign.what)).collect();
    if signs.is_empty() {
        return None;
    }
    let list = signs.join("; ");
    let input = format!(
        "The checks were weakened ({list}). Put them back as they were and make the code pass them. \
         If one of them is wrong, say which and why instead of changing it."
    );
    Some(decided(Next::Send(input), format!("checks were weakened: {list}"), "decide.weakened_check"))
}

fn failed_check(view: &View<'_>) -> Option<Decided> {
    let check = &view.history.standing_failure(view.criteria)?.run;
    let CheckVerdict::Failed { why } = &check.verdict else { return None };
    // What failed before the run began is no fault of the work.
    if is_observed(view.proof) {
        return None;
    }
    let look = view.history.current_look();
    let names =
        look.filter(|look| look.report.status == ProveStatus::Red).map(|look| look.report.left.join("; "));
    let input = format!(
        "`{}` failed: {why}.{} Find the cause, fix it without weakening the check, and run it again.",
        first_line(&check.command),
        names.map(|names| format!(" New failures: {names}.")).unwrap_or_default()
    );
    Some(decided(
        Next::Send(input),
        format!("`{}` failed: {why}", first_line(&check.command)),
        "decide.failed_check",
    ))
}

/// The agent says that it cannot go on: that needs judgement.
fn gives_up(view: &View<'_>) -> Option<Decided> {
    let message = view.report.facts.last_message.to_lowercase();
    let words = [
        "i can't",
        "i cannot",
        "i am unable",
        "i'm unable",
        "not able to",
        "impossible to",
        "i give up",
        "无法",
        "做不到",
        "不能完成",
    ];
    words.iter().any(|word| message.contains(word)).then(|| Decided {
        next: Next::Ask(format!(
            "The agent says it cannot go on: \"{}\". What should it do?",
            first_line(&view.report.facts.last_message)
        )),
        reason: "the agent says that it cannot go on".to_owned(),
        rule: "decide.gives_up",
        undecided: true,
    })
}

/// A plan or a promise instead of work.
fn nothing_happened(view: &View<'_>) -> Option<Decided> {
    let facts = &view.report.facts;
    // After work in an earlier batch the open criteria say more than the task.
    let idle = facts.commands.is_empty() && !facts.changed_tree() && !view.history.has_changed();
    idle.then(|| {
        let input = format!(
            "Nothing was changed or run yet. Carry the task out now: {}",
            mi_model::shorten(view.task.trim(), 2000)
        );
        decided(Next::Send(input), "the agent only talked".to_owned(), "decide.nothing_happened")
    })
}

/// The check passes, and nothing was changed although the task asks for a change.
fn nothing_changed(view: &View<'_>) -> Option<Decided> {
    let wants_change = view.criteria.iter().any(|criterion| {
        matches!(criterion.kind, CriterionKind::Work | CriterionKind::Preserving) && !criterion.is_value
    });
    if !wants_change || view.history.has_changed() {
        return None;
    }
    if says_nothing_to_change(&view.report.facts.last_message) {
        let question = format!(
            "The agent changed nothing and says: \"{}\". Is the task done as it is? Answer `accept`, or say what it should do.",
            first_line(&view.report.facts.last_message)
        );
        return Some(ask_acceptance(
            question,
            "nothing was changed, and the agent says that nothing needs to",
        ));
    }
    let input = format!(
        "No file of the project was changed, and the task asks for a change: {}. Make it, or say plainly that \
         nothing needs to change, and why.",
        first_line(view.task)
    );
    Some(decided(Next::Send(input), "nothing was changed yet".to_owned(), "decide.nothing_changed"))
}

/// The agent itself says that something is missing.
fn admits(view: &View<'_>) -> Option<Decided> {
    let said = view.history.admitted.as_ref()?;
    let input = format!(
        "You say: \"{said}\". The task is not done with that: {}. Do what is missing, with a test that shows it. If you \
         need a decision from me, ask one question.",
        first_line(view.task)
    );
    Some(decided(
        Next::Send(input),
        format!("the agent says that something is missing: {said}"),
        "decide.admits",
    ))
}

/// Work was done, nothing is left to run, and still no command can show it.
fn unprovable(view: &View<'_>) -> Option<Decided> {
    let has_check =
        view.report.project.main_check().is_some() || view.strategy.is_some_and(|text| text.contains('`'));
    if has_check || is_observed(view.proof) {
        return None;
    }
    if let Some(strategy) = view.strategy {
        let question = format!(
            "You check this project yourself (\"{}\"). Is this done: {}? Answer `accept`, or say what is wrong.",
            first_line(strategy),
            first_line(view.task)
        );
        return Some(ask_acceptance(question, "the person looks at it"));
    }
    Some(Decided {
        next: Next::Ask(
            "No command shows that the task is done. Which one does? Give it in backticks.".to_owned(),
        ),
        reason: "no check of this project can prove the task".to_owned(),
        rule: "decide.unprovable",
        undecided: true,
    })
}

/// The checks are green, and something of the task is not shown by them.
fn unshown(view: &View<'_>) -> Option<Decided> {
    if !is_observed(view.proof) {
        return None;
    }
    let open: Vec<&Proof> = view.proof.iter().filter(|proof| !proof.is_shown()).collect();
    let look = view.history.current_look();
    let obstacle = look.and_then(|look| match (&look.obstacle, look.report.status) {
        (Some(obstacle), _) => Some(obstacle.clone()),
        (None, ProveStatus::Unknown) => Some(look.report.left.join("; ")),
        (None, _) => None,
    });
    if let Some(obstacle) = obstacle {
        let question = format!(
            "The checks pass, but whether they show {} could not be told: {obstacle}. Is it done? Answer `accept`, or say what \
             to do.",
            quoted(&open)
        );
        return Some(ask_acceptance(question, "the change could not be counter-checked"));
    }
    let reasons: Vec<String> = open
        .iter()
        .map(|proof| {
            let why = proof.evidence.iter().rev().find(|one| one.kind == EvidenceKind::Against);
            format!("- {}: {}", proof.criterion, why.map_or("nothing shows it", |why| why.text.as_str()))
        })
        .collect();
    let input = format!(
        "The checks pass, but that does not show the task. Taken back piece by piece, your change left these open:\n{}\nDo what \
         is missing. For what is done, add a test that fails without it and passes with it, then run the checks again.",
        reasons.join("\n")
    );
    let reason = format!("the checks pass, but nothing shows {}", quoted(&open));
    Some(Decided { next: Next::Send(input), reason, rule: "decide.unshown", undecided: false })
}

fn quoted(open: &[&Proof]) -> String {
    open.iter().map(|proof| format!("\"{}\"", proof.criterion)).collect::<Vec<_>>().join(", ")
}

/// A question to the person whether what cannot be shown is done.
fn ask_acceptance(question: String, reason: &str) -> Decided {
    Decided {
        next: Next::AskAcceptance(question),
        reason: reason.to_owned(),
        rule: "decide.acceptance",
        undecided: false,
    }
}

fn go_on(view: &View<'_>) -> Decided {
    let weak: Vec<&str> =
        view.proof.iter().filter(|proof| !proof.is_shown()).map(|proof| proof.criterion.as_str()).collect();
    let input =
        format!("Go on until this is done and shown by a check that you run last: {}", weak.join("; "));
    Decided {
        next: Next::Send(input),
        reason: format!("not proven yet: {}", weak.join("; ")),
        rule: "decide.go_on",
        undecided: true,
    }
}

fn decided(next: Next, reason: String, rule: &'static str) -> Decided {
    Decided { next, reason, rule, undecided: false }
}
