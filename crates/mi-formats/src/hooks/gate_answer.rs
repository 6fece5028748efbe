//! What the gate answers, one emitter per harness.
//!
//! Holds: a denial has exactly the fields that the agent was seen to obey and a reason that is never blank, since a
//! malformed denial lets the tool run; where an agent cannot ask, a question is a denial.

use serde_json::{Map, Value, json};

use super::{Event, Harness, answer::native_name};

/// The gate's answer to one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GateAnswer {
    /// The tool may run.
    Allow,
    /// The person is asked first.
    Ask { reason: String },
    /// The tool does not run.
    Deny { reason: String },
    /// No decision: something for the model, something for the person.
    Note { model: Option<String>, person: Option<String> },
}

impl GateAnswer {
    /// Nothing to say.
    pub fn silence() -> Self {
        Self::Note { model: None, person: None }
    }
}

/// Characters of a reason; what is longer is cut.
const MOST_CHARACTERS: usize = 6000;

/// The JSON for standard output; none means silence.
pub fn encode_gate(harness: Harness, called: Event, answer: &GateAnswer) -> Option<Value> {
    match harness {
        Harness::Claude => claude(called, answer),
        Harness::Codex => codex(called, answer),
        Harness::Opencode => opencode(answer),
    }
}

fn claude(called: Event, answer: &GateAnswer) -> Option<Value> {
    match answer {
        GateAnswer::Allow => None,
        GateAnswer::Ask { reason } => Some(permission("ask", reason)),
        GateAnswer::Deny { reason } => Some(permission("deny", reason)),
        GateAnswer::Note { model, person } => note(called, model.as_deref(), person.as_deref()),
    }
}

/// `ask` and a bare `allow` are unknown to Codex: the tool would run.
fn codex(called: Event, answer: &GateAnswer) -> Option<Value> {
    match answer {
        GateAnswer::Allow => None,
        GateAnswer::Ask { reason } | GateAnswer::Deny { reason } => Some(permission("deny", reason)),
        GateAnswer::Note { model, person } => note(called, model.as_deref(), person.as_deref()),
    }
}

/// What the plugin that `mi hooks install opencode` writes understands.
fn opencode(answer: &GateAnswer) -> Option<Value> {
    match answer {
        GateAnswer::Allow => Some(json!({"decision": "allow"})),
        GateAnswer::Ask { reason } | GateAnswer::Deny { reason } => {
            Some(json!({"decision": "deny", "block": told(reason)}))
        }
        GateAnswer::Note { model, person } => {
            let text = model.as_deref().or(person.as_deref())?;
            Some(json!({"context": text}))
        }
    }
}

fn permission(decision: &str, reason: &str) -> Value {
    json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse", "permissionDecision": decision, "permissionDecisionReason": told(reason),
    }})
}

fn note(called: Event, model: Option<&str>, person: Option<&str>) -> Option<Value> {
    let takes_context =
        matches!(called, Event::SessionStart | Event::UserMessage | Event::PostToolUse | Event::AgentSpawn);
    let mut object = Map::new();
    if let (Some(model), Some(name)) = (model.filter(|_| takes_context), native_name(called)) {
        object.insert(
            "hookSpecificOutput".to_owned(),
            json!({"hookEventName": name, "additionalContext": model}),
        );
    }
    object.extend(person.map(|person| ("systemMessage".to_owned(), person.into())));
    (!object.is_empty()).then_some(Value::Object(object))
}

fn told(reason: &str) -> String {
    match reason.trim() {
        "" => "denied by mi".to_owned(),
        reason => reason.chars().take(MOST_CHARACTERS).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(harness: Harness, called: Event, answer: &GateAnswer) -> String {
        encode_gate(harness, called, answer).map(|value| value.to_string()).unwrap_or_default()
    }

    /// Each agent hears a denial, a question and an allowance in its own words; none of them is ever void.
    #[test]
    fn d_17_answers_of_the_gate() {
        let (ask, deny) =
            (GateAnswer::Ask { reason: "why".to_owned() }, GateAnswer::Deny { reason: " ".to_owned() });
        let native = |decision: &str, reason: &str| {
            format!(
                r#"{{"hookSpecificOutput":{{"hookEventName":"PreToolUse","permissionDecision":"{decision}","permissionDecisionReason":"{reason}"}}}}"#
            )
        };
        let cases = [
            (Harness::Claude, &GateAnswer::Allow, String::new()),
            (Harness::Claude, &ask, native("ask", "why")),
            (Harness::Claude, &deny, native("deny", "denied by mi")),
            (Harness::Codex, &GateAnswer::Allow, String::new()),
            (Harness::Codex, &ask, native("deny", "why")),
            (Harness::Codex, &deny, native("deny", "denied by mi")),
            (Harness::Opencode, &GateAnswer::Allow, r#"{"decision":"allow"}"#.to_owned()),
            (Harness::Opencode, &ask, r#"{"decision":"deny","block":"why"}"#.to_owned()),
            (Harness::Opencode, &deny, r#"{"decision":"deny","block":"denied by mi"}"#.to_owned()),
        ];
        for (harness, answer, expected) in cases {
            assert_eq!(said(harness, Event::PreToolUse, answer), expected, "{harness:?}");
        }
    }

    /// Notes go where the agent takes them; elsewhere only the person is told.
    #[test]
    fn d_20_notes_of_the_gate() {
        let note = GateAnswer::Note { model: Some("m".to_owned()), person: Some("p".to_owned()) };
        assert_eq!(
            said(Harness::Claude, Event::UserMessage, &note),
            r#"{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"m"},"systemMessage":"p"}"#
        );
        assert_eq!(said(Harness::Codex, Event::Stop, &note), r#"{"systemMessage":"p"}"#);
        assert_eq!(said(Harness::Opencode, Event::UserMessage, &note), r#"{"context":"m"}"#);
        assert_eq!(said(Harness::Claude, Event::Stop, &GateAnswer::silence()), "");
    }
}
