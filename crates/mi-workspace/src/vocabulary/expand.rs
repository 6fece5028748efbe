//! Macros of a skill's body become what one harness understands (NX-299); where it cannot do something, the
//! contract's fallback stands instead (NX-301).

use serde_json::Value;
use std::fmt::Write as _;

use super::{Macro, MacroError, Piece, Skill, Vocabulary, harness_docs, parse_body};

/// A family of harnesses that say things in the same way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HarnessKind {
    Claude,
    Codex,
    OpenCode,
    /// Nothing is known of it: every primitive falls back.
    Plain,
}

impl HarnessKind {
    pub const ALL: [Self; 4] = [Self::Claude, Self::Codex, Self::OpenCode, Self::Plain];

    /// By the harness id or the name of the agent program, such as `claude-nexus` or `codex`.
    pub fn of(harness_id: &str) -> Self {
        match harness_id.split('-').next() {
            Some("claude") => Self::Claude,
            Some("codex") => Self::Codex,
            Some("opencode") => Self::OpenCode,
            _ => Self::Plain,
        }
    }
}

/// Why a skill's body could not be turned into instructions.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum ExpandError {
    #[error("there is no skill `{id}`")]
    NoSkill { id: String },
    #[error("expand the macros of the skill `{skill}`")]
    Macro { skill: String, source: MacroError },
    #[error("the skill `{skill}` refers to `{key}`, for which this harness has no text")]
    NoText { skill: String, key: String },
}

impl Vocabulary {
    /// What is injected when a skill becomes active: its body with all macros expanded, and the texts it refers to
    /// (NX-276).
    pub fn instructions(&self, skill: &str, kind: HarnessKind) -> Result<String, ExpandError> {
        let skill = self.skill(skill).ok_or_else(|| ExpandError::NoSkill { id: skill.to_owned() })?;
        let mut text = self
            .expand(&skill.body, kind)
            .map_err(|source| ExpandError::Macro { skill: skill.id.clone(), source })?;
        append_docs(&mut text, skill, kind)?;
        Ok(text)
    }

    /// Expands the macros of any body. An unknown primitive, a missing or unknown parameter, and an agent or skill
    /// that is not in this set are errors (NX-298, NX-302).
    pub fn expand(&self, body: &str, kind: HarnessKind) -> Result<String, MacroError> {
        let mut text = String::new();
        for piece in parse_body(body)? {
            match piece {
                Piece::Text(plain) => text.push_str(plain),
                Piece::Macro(call) => text.push_str(&self.say(&call, kind)?),
            }
        }
        Ok(text)
    }

    fn say(&self, call: &Macro<'_>, kind: HarnessKind) -> Result<String, MacroError> {
        self.check(call)?;
        Ok(match call.id {
            "skill_activation" => self.skill_activation(call),
            "subagent_spawn" => subagent_spawn(call, kind),
            "task_register" => task_register(call, kind),
            "user_question" => user_question(call, kind),
            "memory_read_observation" => memory_read(call, kind),
            // The project's own primitive: there is no syntax for it, so its fallback is all that can be said.
            id => {
                self.invocation(id).map(|known| known.fallback_behavior.trim().to_owned()).unwrap_or_default()
            }
        })
    }

    fn check(&self, call: &Macro<'_>) -> Result<(), MacroError> {
        let fail = |problem: String| Err(MacroError { line: call.line, problem });
        let Some(known) = self.invocation(call.id) else {
            let ids: Vec<&str> = self.invocations.iter().map(|known| known.id.as_str()).collect();
            return fail(format!("`{}` is not a primitive; known are {}", call.id, ids.join(", ")));
        };
        let missing =
            known.semantic_params.iter().find(|param| param.required && value(call, &param.name).is_none());
        if let Some(param) = missing {
            return fail(format!("the macro `{}` needs `{}`", call.id, param.name));
        }
        let is_known = |name: &str| known.semantic_params.iter().any(|param| param.name == name);
        if let Some((name, _)) = call.arguments.iter().find(|(name, _)| !is_known(name)) {
            return fail(format!("the macro `{}` has no parameter `{name}`", call.id));
        }
        self.check_values(call)
    }

    fn check_values(&self, call: &Macro<'_>) -> Result<(), MacroError> {
        let problem = match call.id {
            "skill_activation" if self.skill(text(call, "skill")).is_none() => {
                format!("`{}` is not a skill of this set", text(call, "skill"))
            }
            "subagent_spawn" if self.agent(text(call, "target_role")).is_none() => {
                format!("`{}` is not an agent of this set", text(call, "target_role"))
            }
            "task_register" if !STATES.contains(&text(call, "state")) => {
                format!("`{}` is not a state: use {}", text(call, "state"), STATES.join(", "))
            }
            "user_question" if options(call).is_none() => {
                "`options` is a list of maps with `label` and `description`, or an empty list".to_owned()
            }
            _ => return Ok(()),
        };
        Err(MacroError { line: call.line, problem })
    }

    /// Skills come into force through their tag in every harness: none is registered under a name of its own.
    fn skill_activation(&self, call: &Macro<'_>) -> String {
        let (skill, mode) = (text(call, "skill"), text(call, "mode"));
        let tag = self.tag_of_skill(skill).map(|tag| match mode {
            "" => tag.trigger.clone(),
            mode => format!("{}:{mode}]", tag.trigger.trim_end_matches(']')),
        });
        let how = tag.map(|tag| format!(" with the tag `{tag}`")).unwrap_or_default();
        format!(
            "Activate the skill `{skill}`{how}; `mi manifest show {skill}` prints its instructions. Follow them now."
        )
    }
}

const STATES: [&str; 3] = ["pending", "in_progress", "completed"];

fn append_docs(text: &mut String, skill: &Skill, kind: HarnessKind) -> Result<(), ExpandError> {
    if skill.harness_docs_refs.is_empty() {
        return Ok(());
    }
    text.push_str("\n## In this harness\n\n");
    for key in &skill.harness_docs_refs {
        let doc = harness_docs::text(kind, key)
            .ok_or_else(|| ExpandError::NoText { skill: skill.id.clone(), key: key.clone() })?;
        let _ = writeln!(text, "- {doc}");
    }
    Ok(())
}

fn value<'m>(call: &'m Macro<'_>, name: &str) -> Option<&'m super::MacroValue> {
    call.arguments.iter().find(|(key, _)| *key == name).map(|(_, value)| value)
}

fn text<'m>(call: &'m Macro<'_>, name: &str) -> &'m str {
    value(call, name).and_then(super::MacroValue::as_text).unwrap_or_default()
}

fn subagent_spawn(call: &Macro<'_>, kind: HarnessKind) -> String {
    let (role, name) = (text(call, "target_role"), text(call, "name"));
    let label = if name.is_empty() { role } else { name };
    let how = match kind {
        HarnessKind::Claude => format!(
            "Start a subagent (Agent tool, `subagent_type` `{role}` if it is installed, else `general-purpose`; description \"{label}\")"
        ),
        HarnessKind::Codex => {
            format!("Start an agent (`spawn_agent`, if you have it) named \"{label}\" in the role `{role}`")
        }
        HarnessKind::OpenCode => format!(
            "Start a subagent (`task` tool, `subagent_type` `{role}` if it is installed, else `general`; description \"{label}\")"
        ),
        HarnessKind::Plain => format!(
            "No second session can be opened here: do this yourself in the role `{role}`, say so, and warn that nothing separates the two roles"
        ),
    };
    let hint = match text(call, "resume_tier_hint") {
        "" => String::new(),
        hint => format!(" Resume tier: {hint}."),
    };
    let prompt = text(call, "prompt").lines().map(|line| format!("> {line}\n")).collect::<String>();
    format!(
        "{how}; `mi manifest show {role}` prints its instructions.{hint} Prompt:\n\n{}",
        prompt.trim_end()
    )
}

fn task_register(call: &Macro<'_>, kind: HarnessKind) -> String {
    let (label, state) = (text(call, "label"), text(call, "state"));
    match kind {
        HarnessKind::Claude => format!("Show \"{label}\" as `{state}` in your task list, if you have one."),
        HarnessKind::Codex => format!("Show \"{label}\" as `{state}` with `update_plan`, if you have it."),
        HarnessKind::OpenCode => format!("Show \"{label}\" as `{state}` with `todowrite`, if you have it."),
        HarnessKind::Plain => String::new(),
    }
}

fn user_question(call: &Macro<'_>, kind: HarnessKind) -> String {
    let mut said = match kind {
        HarnessKind::Claude => {
            format!("Ask the person (AskUserQuestion, if you have it): {}", text(call, "question"))
        }
        HarnessKind::Codex | HarnessKind::OpenCode | HarnessKind::Plain => {
            format!("Ask the person, in your message: {}", text(call, "question"))
        }
    };
    said.push('\n');
    for (number, (label, description)) in options(call).unwrap_or_default().iter().enumerate() {
        let _ = write!(said, "\n{}. {label}: {description}", number + 1);
    }
    said.push_str("\n\nThen wait. Do not go on before the reply; it may be a number or free words.");
    said
}

/// Label and description of each option; `None` when they have another shape.
fn options(call: &Macro<'_>) -> Option<Vec<(String, String)>> {
    let super::MacroValue::Plain(Value::Array(items)) = value(call, "options")? else { return None };
    let field = |item: &Value, name: &str| Some(item.get(name)?.as_str()?.to_owned());
    items.iter().map(|item| Some((field(item, "label")?, field(item, "description")?))).collect()
}

/// The harness observes; there is nothing for the model to do.
fn memory_read(call: &Macro<'_>, kind: HarnessKind) -> String {
    let file = text(call, "file_path");
    match kind {
        HarnessKind::Claude | HarnessKind::Codex | HarnessKind::OpenCode => {
            format!("(That `{file}` was opened is counted by the hooks, if they are installed.)")
        }
        HarnessKind::Plain => {
            format!("(That `{file}` was opened is not seen here; nothing is ever removed automatically.)")
        }
    }
}
