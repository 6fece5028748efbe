//! Agents that start, end and are taken up again.

use mi_workspace::{
    lifecycle::{Completed, NewAgent, Policy, Request, Tier},
    vocabulary::Vocabulary,
};
use serde_json::Value;

use crate::{Call, HookError, field::wrong, reply::Reply};

impl Call<'_> {
    /// Records the agent, decides whether an earlier one is to be resumed instead, and briefs it.
    ///
    /// Without an `agent_id` nothing has started yet: the call only asks about resuming.
    pub(crate) fn agent_spawn(&self) -> Result<Reply, HookError> {
        let agent_id = self.fields.text("agent_id")?;
        let agent_name = self.fields.any_text(&["agent_name", "owner"])?;
        let request = self.resume_request(agent_name)?;
        let mut reply = Reply::default();
        if let Some(request) = &request {
            reply = reply.with("resume", self.lifecycle.decide_resume(request)?.to_json());
        }
        match agent_id {
            Some(agent_id) if self.is_known_to_native(agent_id)? => {
                reply.recorded.push(self.lifecycle.agent_resume(agent_id)?);
            }
            Some(agent_id) => {
                reply.recorded.push(self.lifecycle.agent_spawn(&NewAgent { agent_id, agent_name })?);
            }
            None if request.is_none() => return Err(HookError::Missing { name: "agent_id" }),
            None => {}
        }
        reply.context = Some(self.briefing(agent_name)?);
        Ok(reply)
    }

    pub(crate) fn agent_complete(&self) -> Result<Reply, HookError> {
        let files_touched = self.fields.texts("files_touched")?;
        let completed = Completed {
            agent_id: self.fields.required("agent_id")?,
            last_message: self.fields.text("last_message")?,
            files_touched: files_touched.as_deref(),
        };
        let recorded = vec![self.lifecycle.agent_complete(&completed)?];
        Ok(Reply { recorded, warnings: self.reminders(), ..Reply::default() })
    }

    pub(crate) fn agent_resume(&self) -> Result<Reply, HookError> {
        let recorded = vec![self.lifecycle.agent_resume(self.fields.required("agent_id")?)?];
        Ok(Reply { recorded, ..Reply::default() })
    }

    /// Agents report a resumed sub-agent as one that starts.
    fn is_known_to_native(&self, agent_id: &str) -> Result<bool, HookError> {
        Ok(self.harness.is_some() && self.lifecycle.is_tracked(agent_id)?)
    }

    fn resume_request(&self, agent_name: Option<&str>) -> Result<Option<Request>, HookError> {
        let target_files = self.fields.texts("target_files")?;
        let policy = self.fields.text("owner_reuse_policy")?;
        let tier = self.fields.text("resume_tier")?;
        let agent_id = self.fields.text("owner_agent_id")?;
        let asked = target_files.is_some() || policy.is_some() || tier.is_some() || agent_id.is_some();
        let Some(owner) = agent_name.filter(|_| asked) else { return Ok(None) };
        let policy = policy.map(|name| {
            Policy::from_name(name)
                .ok_or_else(|| wrong("owner_reuse_policy", "fresh, resume_if_same_artifact or resume"))
        });
        let tier = match tier {
            Some(name) => Tier::from_name(name)
                .ok_or_else(|| wrong("resume_tier", "persistent, bounded or ephemeral"))?,
            // An agent that is not in the catalogue has no tier, which is ephemeral (NX-237).
            None => Vocabulary::starter()
                .agent(owner)
                .and_then(|agent| Tier::from_name(&agent.resume_tier))
                .unwrap_or(Tier::Ephemeral),
        };
        Ok(Some(Request {
            owner: owner.to_owned(),
            tier,
            policy: policy.transpose()?,
            target_files: target_files.unwrap_or_default(),
            agent_id: agent_id.map(str::to_owned),
        }))
    }

    /// What a new agent is told: its task, what it may not do, where knowledge is (NX-193, NX-194, NX-196).
    fn briefing(&self, agent_name: Option<&str>) -> Result<String, HookError> {
        let mut parts = Vec::new();
        if let Some(id) = self.fields.number("task_id")? {
            parts.extend(self.task(id).as_ref().map(task_sections));
        }
        let vocabulary = Vocabulary::starter();
        let capabilities =
            agent_name.and_then(|name| vocabulary.agent(name)).map(|agent| &agent.capabilities);
        let added = self.fields.texts("capabilities")?.unwrap_or_default();
        let guidance: Vec<String> = capabilities
            .into_iter()
            .flatten()
            .chain(&added)
            .filter_map(|id| vocabulary.capability(id))
            .map(|capability| format!("- {}: {}", capability.id, capability.prose_guidance.trim()))
            .collect();
        if !guidance.is_empty() {
            parts.push(format!("### What you may not do\n{}", guidance.join("\n")));
        }
        parts.push(self.lifecycle.situation().knowledge.index());
        Ok(parts.join("\n\n"))
    }

    fn task(&self, id: u64) -> Option<Value> {
        let bytes = self.lifecycle.store.read(&self.lifecycle.store.layout().tasks()).ok()??;
        let file: Value = serde_json::from_slice(&bytes).ok()?;
        file["tasks"].as_array()?.iter().find(|task| task["id"] == id).cloned()
    }

    /// Tasks with acceptance criteria that nobody is set to verify (NX-200).
    fn reminders(&self) -> Vec<String> {
        let place = self.lifecycle.store.layout().tasks();
        let Ok(Some(bytes)) = self.lifecycle.store.read(&place) else { return Vec::new() };
        let Ok(file) = serde_json::from_slice::<Value>(&bytes) else { return Vec::new() };
        let tasks: Vec<&Value> = file["tasks"].as_array().into_iter().flatten().collect();
        let open = |task: &&&Value| task["status"] != "completed";
        let checks = |task: &&Value| task["owner"] == "tester" || task["owner"] == "reviewer";
        let has_acceptance =
            |task: &&&Value| task["acceptance"].as_str().is_some_and(|text| !text.trim().is_empty());
        let unverified = tasks.iter().filter(open).filter(|task| !checks(task)).filter(has_acceptance);
        let ids: Vec<String> = unverified.map(|task| task["id"].to_string()).collect();
        if ids.is_empty() || tasks.iter().any(checks) {
            return Vec::new();
        }
        vec![format!(
            "no tester or reviewer is scheduled: verify the acceptance of task {} before completing it",
            ids.join(", ")
        )]
    }
}

/// TASK, CONTEXT, APPROACH, ACCEPTANCE; absent sections are left out.
fn task_sections(task: &Value) -> String {
    let section = |(heading, field): (&str, &str)| {
        let text = task[field].as_str().filter(|text| !text.is_empty())?;
        Some(format!("{heading}: {text}"))
    };
    let fields =
        [("TASK", "title"), ("CONTEXT", "context"), ("APPROACH", "approach"), ("ACCEPTANCE", "acceptance")];
    fields.into_iter().filter_map(section).collect::<Vec<_>>().join("\n")
}
