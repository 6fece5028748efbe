//! What a hook answers, and how each agent wants to hear it.
//!
//! Holds: an answer that changes nothing is silence, since agents take a bare "allow" for an unknown answer; a reason is
//! never blank, since a blank one makes a denial void (measured, `docs/hooks.md`).

use serde_json::{Value, json};

use super::{Event, Harness};

/// What the agent is told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// Text for the model.
    pub context: Option<String>,
    /// Why it must not go on.
    pub block: Option<String>,
}

/// The bytes for standard output; none when there is nothing to say.
#[derive(Debug, Clone, PartialEq)]
pub struct Encoded(pub Option<Value>);

/// The answer to `called`, the event under which the agent started the hook, in the agent's dialect.
pub fn encode(harness: Harness, called: Event, answer: &Answer) -> Encoded {
    let reason =
        answer.block.as_deref().map(|reason| if reason.trim().is_empty() { "blocked by mi" } else { reason });
    match harness {
        Harness::Claude | Harness::Codex => Encoded(hook_output(called, answer.context.as_deref(), reason)),
        Harness::Opencode => Encoded(plugin_output(answer.context.as_deref(), reason)),
    }
}

fn hook_output(called: Event, context: Option<&str>, reason: Option<&str>) -> Option<Value> {
    let name = native_name(called)?;
    match (called, reason) {
        (Event::PreToolUse, Some(reason)) => Some(json!({"hookSpecificOutput": {
            "hookEventName": name, "permissionDecision": "deny", "permissionDecisionReason": reason,
        }})),
        (Event::UserMessage | Event::Stop, Some(reason)) => {
            Some(json!({"decision": "block", "reason": reason}))
        }
        _ if takes_context(called) => context.map(
            |context| json!({"hookSpecificOutput": {"hookEventName": name, "additionalContext": context}}),
        ),
        _ => None,
    }
}

/// The plugin throws on `block` and adds `context` to the message.
fn plugin_output(context: Option<&str>, reason: Option<&str>) -> Option<Value> {
    let mut answer = serde_json::Map::new();
    answer.extend(reason.map(|reason| ("block".to_owned(), reason.into())));
    answer.extend(context.map(|context| ("context".to_owned(), context.into())));
    (!answer.is_empty()).then_some(Value::Object(answer))
}

fn takes_context(called: Event) -> bool {
    matches!(called, Event::SessionStart | Event::UserMessage | Event::PostToolUse | Event::AgentSpawn)
}

pub(super) fn native_name(called: Event) -> Option<&'static str> {
    match called {
        Event::SessionStart => Some("SessionStart"),
        Event::UserMessage => Some("UserPromptSubmit"),
        Event::PreToolUse => Some("PreToolUse"),
        Event::PostToolUse => Some("PostToolUse"),
        Event::AgentSpawn => Some("SubagentStart"),
        Event::AgentComplete => Some("SubagentStop"),
        Event::Stop => Some("Stop"),
        Event::SessionEnd => Some("SessionEnd"),
        Event::AgentResume | Event::MemoryRead | Event::ContextCompact => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(called: Event, context: Option<&str>, block: Option<&str>) -> String {
        let answer = Answer { context: context.map(str::to_owned), block: block.map(str::to_owned) };
        let Encoded(output) = encode(Harness::Claude, called, &answer);
        output.map(|value| value.to_string()).unwrap_or_default()
    }

    /// Denials, blocks and context in the words that Claude Code and Codex were seen to obey; all else is silence.
    #[test]
    fn answers_in_the_common_dialect() {
        assert_eq!(
            said(Event::PreToolUse, None, Some("no")),
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}"#
        );
        assert_eq!(said(Event::Stop, None, Some(" ")), r#"{"decision":"block","reason":"blocked by mi"}"#);
        assert_eq!(
            said(Event::SessionStart, Some("c"), None),
            r#"{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"c"}}"#
        );
        for silent in [Event::PreToolUse, Event::Stop, Event::SessionEnd, Event::AgentComplete] {
            assert_eq!(said(silent, Some("c"), None), "");
        }
    }
}
