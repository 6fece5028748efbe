//! What an agent and its person read about a decision (D.17): operation, target, expected effect, reason, way out.
//!
//! Holds: no secret of a command stands in it, and it is never blank.

use mi_formats::hooks::Harness;
use mi_gate::permission::{Decision, Part, Verdict};
use mi_model::shorten;

/// Parts that are shown; a long script may have hundreds.
const MOST_PARTS: usize = 3;

/// A decision that is not an allowance, in words.
pub(super) fn told(harness: Harness, decision: &Decision) -> String {
    let Decision { rule, reason, .. } = decision;
    let mut lines = vec![match decision.verdict {
        Verdict::Deny => format!("mi gate: denied by {rule}: {reason}"),
        Verdict::Prompt | Verdict::Allow => format!("mi gate: {rule} wants the person's consent: {reason}"),
    }];
    let decisive = |part: &&Part| part.verdict == decision.verdict;
    let parts: Vec<&Part> = decision.parts.iter().filter(decisive).collect();
    for part in parts.iter().take(MOST_PARTS) {
        let operation = format!("{:?}", part.operation).to_lowercase();
        lines.push(format!(
            "operation: {operation}; target: {}; effect: {}",
            shorten(&part.target, 300),
            part.effect
        ));
    }
    if parts.len() > MOST_PARTS {
        lines.push(format!("and {} more", parts.len() - MOST_PARTS));
    }
    match (decision.verdict, harness) {
        (Verdict::Deny, _) => {
            lines.extend(decision.alternative.iter().map(|way| format!("instead: {way}")));
        }
        (_, Harness::Claude) => {}
        (_, Harness::Codex | Harness::Opencode) => lines.push(format!(
            "{} cannot ask from a hook, so this was not run: tell the person exactly what you want to do and why. \
             The person allows this one action by answering `override`; after some safe uses all of its kind can be \
             allowed with `mi permit {rule} allow`. Do not look for another way around.",
            if harness == Harness::Codex { "Codex" } else { "OpenCode" }
        )),
    }
    harmless(&lines.join("\n"))
}

/// Without secrets and without control characters that a terminal would obey.
pub(crate) fn harmless(text: &str) -> String {
    let clean = mi_secrets::redact(text);
    let visible = |letter: char| if letter.is_control() && letter != '\n' { '\u{FFFD}' } else { letter };
    let clean: String = clean.chars().map(visible).collect();
    if clean.trim().is_empty() { "denied by mi".to_owned() } else { clean }
}
