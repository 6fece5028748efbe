//! When a result gets a task that verifies it, and by whom (NX-288).

use super::{Task, words};

/// What the rule says about verifying one task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pairing {
    /// By the agent of this name.
    Wanted(&'static str),
    /// It may be there: the exception `docs_only` asks for a reviewer, the general rule leaves it out.
    Free(&'static str),
    /// Not, for this reason.
    Unwanted(&'static str),
}

/// The rule for one task, whatever other tasks there are.
pub(super) fn of(task: &Task) -> Pairing {
    let acceptance = task.acceptance.as_deref().unwrap_or_default();
    match task.owner() {
        "engineer" if is_docs_only(task) => Pairing::Unwanted("only documents change"),
        "engineer" => engineer(&task.text(), acceptance),
        "writer" if is_docs_only(task) => Pairing::Free("reviewer"),
        "writer" if words::is_checkable_deliverable(acceptance) => Pairing::Wanted("reviewer"),
        "writer" => Pairing::Unwanted("its acceptance names no deliverable that can be checked"),
        "researcher" => Pairing::Unwanted("findings go to Lead or to those who asked, not to a verifier"),
        "tester" | "reviewer" => Pairing::Unwanted("it is a verification itself"),
        _ => Pairing::Free("tester"),
    }
}

fn engineer(text: &str, acceptance: &str) -> Pairing {
    if words::is_pure_refactoring(text) {
        Pairing::Unwanted("it is pure refactoring")
    } else if words::is_types_only(text) {
        Pairing::Unwanted("only types change")
    } else if words::is_runtime_behaviour(acceptance) {
        Pairing::Wanted("tester")
    } else {
        Pairing::Unwanted("its acceptance speaks of no behaviour at run time")
    }
}

fn is_docs_only(task: &Task) -> bool {
    task.records("docs_only.coherent") || task.records("docs_only.independent")
}

/// Whether a task verifies others.
pub(super) fn is_verification(task: &Task) -> bool {
    ["tester", "reviewer"].contains(&task.owner())
}
