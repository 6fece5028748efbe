//! Sessions, compaction and stopping.

use mi_workspace::{
    lifecycle::{Situation, TrackerAtStart},
    vocabulary::{HarnessKind, Vocabulary},
};

use crate::{Call, HookError, reply::Reply};

impl Call<'_> {
    /// A session that goes on (`source` other than `startup`) keeps its tracker.
    pub(crate) fn session_start(&self) -> Result<Reply, HookError> {
        let tracker = match self.fields.text("source")? {
            None | Some("startup") => TrackerAtStart::Reset,
            Some(_) => TrackerAtStart::Keep,
        };
        let started = self.lifecycle.session_start(tracker)?;
        let knowledge = &started.situation.knowledge;
        let counts = serde_json::json!({
            "memory": knowledge.memory, "context": knowledge.context, "rules": knowledge.rules,
        });
        let mut context = started.situation.knowledge.index();
        for warning in &started.warnings {
            context.push_str(&format!("\n\nNote: {warning}"));
        }
        let reply = Reply {
            recorded: started.recorded,
            warnings: started.warnings,
            context: Some(context),
            ..Reply::default()
        };
        Ok(reply.with("knowledge", counts))
    }

    pub(crate) fn session_end(&self) -> Result<Reply, HookError> {
        let ended = self.lifecycle.session_end()?;
        Ok(Reply { recorded: ended.removed, warnings: ended.warnings, ..Reply::default() })
    }

    /// Everything that a model needs to go on, read from the disk (NX-217).
    pub(crate) fn context_compact(&self) -> Result<Reply, HookError> {
        let situation = self.lifecycle.situation();
        let mut context = situation.whole();
        let mut reply = Reply { warnings: situation.problems.clone(), ..Reply::default() };
        if let Some(active) = &situation.skill {
            let body = Vocabulary::starter().instructions(&active.skill, self.kind())?;
            let mode = active.mode.as_ref().map(|mode| format!(" (mode: {mode})")).unwrap_or_default();
            context = format!("# Active skill: {}{mode}\n\n{body}\n\n{context}", active.skill);
            reply = reply.with("skill", active.skill.as_str());
        }
        reply.context = Some(context);
        Ok(reply)
    }

    /// Says what is unfinished; blocks only where the project wants it, and never twice in a row.
    pub(crate) fn stop(&self) -> Result<Reply, HookError> {
        let again = self.fields.flag("stop_hook_active")?;
        let situation = self.lifecycle.situation();
        let mut reply = Reply { warnings: situation.unfinished(), decides: true, ..Reply::default() };
        if !again && let Some(reason) = pending(&situation) {
            let (gates, problems) = (self.gates)(self.lifecycle.store.layout().project());
            reply.warnings.extend(problems);
            reply.block = gates.stop_with_pending.then_some(reason);
        }
        Ok(reply)
    }

    pub(crate) fn kind(&self) -> HarnessKind {
        HarnessKind::of(self.harness.map_or(self.lifecycle.harness.as_str(), |harness| harness.as_str()))
    }
}

fn pending(situation: &Situation) -> Option<String> {
    let tasks = situation.tasks.as_ref()?;
    let open = tasks.unfinished();
    (open > 0).then(|| {
        format!(
            "{open} of {} tasks are not completed: go on with the ready ones, or close the cycle with nx_task_close",
            tasks.tasks.len()
        )
    })
}
