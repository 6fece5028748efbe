//! A person's message: tags activate a skill or ask for an action; without a tag it is left alone (NX-187 to NX-191).

use mi_workspace::{lifecycle::ActiveSkill, vocabulary::Vocabulary};
use serde_json::{Value, json};

use crate::{
    Call, HookError,
    reply::Reply,
    tags::{FoundTag, detect},
};

/// The handler of `[d]`, which means something only while a plan is open (NX-279).
const DECIDE: &str = "nx_plan_decide";

impl Call<'_> {
    pub(crate) fn user_message(&self) -> Result<Reply, HookError> {
        let message = self.fields.any_text(&["message", "text", "prompt"])?;
        let message = message.ok_or(HookError::Missing { name: "message" })?;
        let mut reply = Reply { decides: true, ..Reply::default() };
        // Reading the vocabulary costs more than the whole call.
        let found =
            if message.contains('[') { detect(message, &Vocabulary::starter().tags) } else { Vec::new() };
        reply = reply.with("tags", found.iter().map(tag_json).collect::<Vec<_>>());
        if found.is_empty() {
            return Ok(reply);
        }
        let situation = self.lifecycle.situation();
        reply.warnings.clone_from(&situation.problems);
        if situation.plan.is_none() && found.iter().any(|tag| tag.handler() == Some(DECIDE)) {
            reply.block = Some("[d] is valid only in a plan session: open one with [plan]".to_owned());
            return Ok(reply);
        }
        let mut parts = Vec::new();
        for tag in &found {
            parts.push(match tag.skill() {
                Some(skill) => self.activate(skill, tag, &mut reply)?,
                None => action(tag),
            });
        }
        parts.push(situation.summary());
        reply.context = Some(parts.join("\n\n"));
        Ok(reply)
    }

    fn activate(&self, skill: &str, tag: &FoundTag<'_>, reply: &mut Reply) -> Result<String, HookError> {
        let body = Vocabulary::starter().instructions(skill, self.kind())?;
        let active = ActiveSkill { skill: skill.to_owned(), mode: tag.variant.clone() };
        reply.recorded.push(self.lifecycle.activate_skill(&active)?);
        let mode = tag.variant.as_ref().map(|variant| format!(" (mode: {variant})")).unwrap_or_default();
        Ok(format!("# Skill {skill}{mode}, activated by {}\n\n{body}", tag.typed()))
    }
}

fn tag_json(tag: &FoundTag<'_>) -> Value {
    let mut object = json!({"tag": tag.tag.id, "trigger": tag.typed(), "text": tag.text});
    if let Some(skill) = tag.skill() {
        object["type"] = "skill".into();
        object["skill"] = skill.into();
    }
    if let Some(handler) = tag.handler() {
        object["type"] = "inline_action".into();
        object["handler"] = handler.into();
    }
    if let Some(variant) = &tag.variant {
        object["variant"] = variant.as_str().into();
    }
    object
}

/// What the model does at once, with the text after the tag; no skill, no change of mode (NX-281).
fn action(tag: &FoundTag<'_>) -> String {
    let handler = tag.handler().unwrap_or_default();
    let variant = tag.variant.as_ref().map(|variant| format!(" Topic: {variant}.")).unwrap_or_default();
    let how = match handler {
        DECIDE => {
            "Record the decision on the issue under discussion with nx_plan_decide (issue_id, decision)."
        }
        "memory_store" => "Store it with memory_save (or `mi memory save`) as a lesson below .nexus/memory/.",
        "memory_gc" => "List the candidates with `mi memory gc`, and remove only what the person agrees to.",
        "rule_store" => "Store it as a rule in .nexus/rules/, one topic per file.",
        _ => "",
    };
    let guidance =
        tag.tag.prose_guidance.as_deref().map(|text| format!(" {}", text.trim())).unwrap_or_default();
    let input = if tag.text.is_empty() { "nothing: ask what is meant if it is needed" } else { &tag.text };
    format!("# {} asks for {handler}, now\n\n{how}{variant}{guidance}\n\nInput: {input}", tag.typed())
}
