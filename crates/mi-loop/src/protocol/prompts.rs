//! The words that a phase, a reviewer and a refusal become.
//!
//! Holds: no report of steps is ever asked for; a refusal names the rule and what it looked at.

use mi_protocol::{Engine, Verdict};

/// What a prompt is made from.
pub(super) struct View<'v> {
    pub(super) engine: &'v Engine,
    pub(super) task: &'v str,
    /// What the last reviewer said.
    pub(super) review: Option<&'v str>,
    /// The conversation begins here.
    pub(super) is_first: bool,
}

/// The work of a phase.
pub(super) fn phase(view: &View<'_>) -> String {
    let mut parts = Vec::new();
    if view.is_first {
        parts.push(view.task.trim().to_owned());
    }
    parts.push(about(view));
    if let Some(review) = view.review {
        parts.push(format!("A reviewer who saw the work said:\n\n{}", review.trim()));
    }
    parts.join("\n\n")
}

/// More of the same phase.
pub(super) fn go_on(view: &View<'_>, wrong: &str) -> String {
    let mut parts = vec![format!("The phase {} is not done: {wrong}.", name(view.engine))];
    let node = view.engine.here();
    if !node.checks.is_empty() && !is_true(view.engine, "gate_passed") {
        parts.push(checks(&node.checks));
    }
    if let Some(review) = view.review {
        parts.push(format!("A reviewer who saw the work said:\n\n{}", review.trim()));
    }
    parts.push("Go on with it.".to_owned());
    parts.join("\n\n")
}

/// What a reviewer is told: everything, for its conversation is new.
pub(super) fn for_reviewer(view: &View<'_>, wrong: Option<&str>) -> String {
    let engine = view.engine;
    let mut parts = vec![
        "You review work that somebody else did in this project. Read and run what you need; change nothing: a review \
         during which a file changes does not count."
            .to_owned(),
        format!("The task was:\n\n{}", view.task.trim()),
        about(view),
    ];
    if let Some(wrong) = wrong {
        parts.push(format!("An earlier review did not settle it: {wrong}."));
    }
    let claims: Vec<&str> = engine
        .claims()
        .filter(|(_, status, _)| *status == mi_protocol::VerificationStatus::Pending)
        .map(|(claim, ..)| claim)
        .collect();
    let mut lines = String::from("End with these lines:\n\nVERDICT: APPROVE or REJECT\nSCORE: 0 to 100");
    for claim in claims {
        lines.push_str(&format!("\nCLAIM {claim}: supported, refuted or unknown, by what you saw yourself"));
    }
    let items = engine.items();
    if !items.is_empty() {
        let items: Vec<String> = items.into_iter().map(str::to_owned).collect();
        lines.push_str(&format!(
            "\nAPPROVED: which of {} must stay as they are whatever else changes, if any",
            quoted(&items)
        ));
    }
    parts.push(lines);
    parts.join("\n\n")
}

/// Why something was refused: by whom, and what was looked at.
pub(super) fn refusal(verdict: &Verdict) -> String {
    let by = verdict.by.as_deref().unwrap_or("a rule");
    let reason = verdict.reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
    let told: Vec<&str> = verdict
        .trace
        .iter()
        .filter(|line| line.kind == mi_protocol::TraceKind::Finding)
        .map(|line| line.text.trim())
        .collect();
    let told = mi_model::shorten(&told.join("; "), 600);
    if told.is_empty() { format!("{by}{reason}") } else { format!("{by}{reason}: {told}") }
}

fn name(engine: &Engine) -> String {
    let node = engine.here();
    let title = if node.title.is_empty() { String::new() } else { format!(" ({})", node.title) };
    match engine.open_subphase() {
        Some(subphase) => format!("{}{title}, part {subphase}", node.id),
        None => format!("{}{title}", node.id),
    }
}

fn about(view: &View<'_>) -> String {
    let node = view.engine.here();
    let mut parts = vec![format!("Work on this phase now: {}.", name(view.engine))];
    if !node.prompt.trim().is_empty() {
        parts.push(node.prompt.trim().to_owned());
    }
    if !node.files.is_empty() {
        parts.push(format!("When it is over, these files are there: {}.", quoted(&node.files)));
    }
    if !node.checks.is_empty() {
        parts.push(checks(&node.checks));
    }
    parts.join("\n")
}

fn checks(checks: &[String]) -> String {
    format!(
        "It is checked by {}: run each from the project root as it stands, so that its exit code shows, last of all.",
        quoted(checks)
    )
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn is_true(engine: &Engine, field: &str) -> bool {
    matches!(engine.field(field), Some(mi_protocol::Value::Bool(true)))
}
