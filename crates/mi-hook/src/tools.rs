//! Before and after a tool: capability gates, the opt-in gates, the tool log, reads of memory files.

use std::path::{Path, PathBuf};

use mi_formats::hooks::{Effect, command_line, effect_of_call, input_files};
use mi_workspace::{
    lifecycle::ToolUse,
    memory::observe::{memory_file, observe},
    vocabulary::Vocabulary,
};

use crate::{
    Call, HookError,
    capability::{classes_of, is_leads_own},
    field::wrong,
    reply::Reply,
    shell,
};

/// Who acts when no agent is named: the person's own session (NX-254).
const LEAD: &str = "lead";

/// One tool call, as far as it matters here.
struct Tool<'a> {
    name: &'a str,
    effect: Effect,
    command: Option<String>,
    files: Vec<String>,
}

/// What a tool call changes, named from the project.
#[derive(Default)]
struct Edits {
    files: Vec<String>,
    /// Files change whose names are not known.
    unnamed: bool,
    /// Files of other commits come into the work tree; that is no edit of a task's.
    from_commits: bool,
}

impl Edits {
    /// One file that is edited, for a message; `?` where no name is known.
    fn first(&self, wanted: impl Fn(&str) -> bool) -> Option<&str> {
        let named = self.files.iter().map(String::as_str).find(|file| wanted(file));
        named.or(self.unnamed.then_some("?"))
    }
}

impl Call<'_> {
    pub(crate) fn pre_tool_use(&self) -> Result<Reply, HookError> {
        let tool = self.tool()?;
        let mut reply = Reply { decides: true, ..Reply::default() };
        let edits = self.edits(&tool);
        let unknown = self.unknown_capabilities()?;
        reply.block = self.capability_gate(&tool, &edits)?.or_else(|| {
            let may_matter = !classes_of(tool.name, tool.effect).is_empty();
            unknown.clone().filter(|_| may_matter)
        });
        reply.warnings.extend(unknown);
        if reply.block.is_none() && (edits.unnamed || !edits.files.is_empty()) {
            let (gates, problems) = (self.gates)(self.project());
            reply.warnings.extend(problems);
            reply.block = self.task_gates(gates, &tool, &edits);
        }
        Ok(reply)
    }

    pub(crate) fn post_tool_use(&self) -> Result<Reply, HookError> {
        let tool = self.tool()?;
        let error = self.fields.text("error")?;
        let status = self.fields.any_text(&["status", "result_status"])?;
        let status = status.unwrap_or(if error.is_some() { "error" } else { "ok" });
        let agent_id = self.fields.text("agent_id")?.filter(|id| !id.is_empty()).unwrap_or(LEAD);
        let (files, effect) = match tool.effect {
            Effect::Shell if tool.files.is_empty() => {
                let edited = self.edits(&tool).files;
                let effect = if edited.is_empty() { Effect::Shell } else { Effect::Write };
                (edited, effect)
            }
            effect => (tool.files.clone(), effect),
        };
        let files: Vec<String> = files.iter().map(|file| self.named(file)).collect();
        let used =
            ToolUse { agent_id, tool: tool.name, files: &files, effect: effect.as_str(), status, error };
        let mut reply = Reply::default();
        reply.recorded.push(self.lifecycle.log_tool(&used)?);
        if status != "error" {
            self.observe_reads(&tool, agent_id, &mut reply)?;
        }
        Ok(reply)
    }

    pub(crate) fn memory_read(&self) -> Result<Reply, HookError> {
        let path = self.fields.any_text(&["file_path", "path"])?;
        let path = path.ok_or(HookError::Missing { name: "file_path" })?;
        let reader =
            self.fields.any_text(&["reader_identity", "agent_id", "agent_name", "agent"])?.unwrap_or(LEAD);
        let now = match self.fields.text("observed_at")? {
            Some(time) => time.parse().map_err(|_| wrong("observed_at", "an RFC 3339 time"))?,
            None => self.lifecycle.now,
        };
        let observed = observe(self.lifecycle.store, self.lifecycle.harness, Path::new(path), reader, now)?;
        let record = observed.ok_or_else(|| HookError::NotMemory { path: path.to_owned() })?;
        let recorded = vec![self.lifecycle.store.layout().memory_access(self.lifecycle.harness)];
        let reply = Reply { recorded, ..Reply::default() };
        Ok(reply.with("access_count", record.access_count))
    }

    fn tool(&self) -> Result<Tool<'_>, HookError> {
        let name =
            self.fields.any_text(&["tool", "tool_name"])?.ok_or(HookError::Missing { name: "tool" })?;
        let input = self.fields.input();
        let path = self.fields.any_text(&["file_path", "path"])?;
        let mut files = self.fields.texts("files")?.unwrap_or_default();
        if files.is_empty() {
            files = match path {
                Some(path) => vec![path.to_owned()],
                None => input_files(name, input),
            };
        }
        let told = match self.fields.text("effect")? {
            Some("read") => Some(Effect::Read),
            Some("write") => Some(Effect::Write),
            Some("shell") => Some(Effect::Shell),
            _ => None,
        };
        let effect = told.unwrap_or_else(|| effect_of_call(name, input));
        let command = self.fields.text("command").ok().flatten().map(str::to_owned);
        Ok(Tool { name, effect, command: command.or_else(|| command_line(input)), files })
    }

    /// What the tool would change; a tool that writes is one with a name or without.
    fn edits(&self, tool: &Tool<'_>) -> Edits {
        match (tool.effect, &tool.command) {
            (Effect::Shell, Some(command)) => {
                let found = shell::edits(command, &self.cwd(), self.project());
                Edits { files: found.files, unnamed: found.unnamed, from_commits: found.from_commits }
            }
            (Effect::Write, _) => {
                let files: Vec<String> = tool.files.iter().map(|file| self.named(file)).collect();
                Edits { unnamed: files.is_empty(), files, from_commits: false }
            }
            _ => Edits::default(),
        }
    }

    /// What is said of capabilities that the vocabulary does not have: nobody knows what they would deny.
    fn unknown_capabilities(&self) -> Result<Option<String>, HookError> {
        let vocabulary = Vocabulary::starter();
        let added = self.fields.texts("capabilities")?.unwrap_or_default();
        let unknown: Vec<String> =
            added.into_iter().filter(|id| vocabulary.capability(id).is_none()).collect();
        if unknown.is_empty() {
            return Ok(None);
        }
        let known: Vec<&str> = vocabulary.capabilities.iter().map(|known| known.id.as_str()).collect();
        Ok(Some(format!("no capability is called `{}`: use {}", unknown.join("`, `"), known.join(", "))))
    }

    /// Whether the agent's capabilities forbid this (NX-203, NX-251).
    fn capability_gate(&self, tool: &Tool<'_>, edits: &Edits) -> Result<Option<String>, HookError> {
        let added = self.fields.texts("capabilities")?.unwrap_or_default();
        let agent = self.agent()?;
        if agent.is_none() && added.is_empty() {
            return Ok(None);
        }
        let agent = agent.unwrap_or_else(|| LEAD.to_owned());
        if agent != LEAD && is_leads_own(tool.name) {
            return Ok(Some(format!(
                "only Lead plans: {agent} may not use {}. Report to Lead instead.",
                tool.name
            )));
        }
        let denied = Vocabulary::starter().denied_classes(&agent, &added);
        if let Some(class) = classes_of(tool.name, tool.effect).iter().find(|class| denied.contains(*class)) {
            return Ok(Some(format!(
                "{agent} may not use {}: its capabilities deny {class}. Report to Lead instead.",
                tool.name
            )));
        }
        let through_shell = tool.effect == Effect::Shell && denied.contains("file_modification");
        let file = edits.first(|_| true).or(edits.from_commits.then_some("the work tree"));
        Ok(file.filter(|_| through_shell).map(|file| {
            format!(
                "{agent} may not edit files, through the shell neither (`{file}`). Report to Lead instead."
            )
        }))
    }

    /// The agent that acts, if it is not Lead.
    fn agent(&self) -> Result<Option<String>, HookError> {
        if let Some(name) = self.fields.any_text(&["agent_name", "agent"])? {
            return Ok(Some(name.to_owned()).filter(|name| !name.is_empty() && name != LEAD));
        }
        match self.fields.text("agent_id")?.filter(|id| !id.is_empty()) {
            Some(LEAD) | None => Ok(None),
            // Whoever has an id was started by Lead, known by name or not (NX-254).
            Some(id) => Ok(Some(self.lifecycle.agent_name(id)?.unwrap_or_else(|| format!("agent {id}")))),
        }
    }

    /// The contract's gates, where the project has switched them on (NX-202, NX-206).
    fn task_gates(&self, gates: crate::Gates, tool: &Tool<'_>, edits: &Edits) -> Option<String> {
        let guarded = edits.first(|file| !file.starts_with(".nexus/") && !Path::new(file).is_absolute())?;
        let is_setting = guarded.starts_with(".mi/") && tool.effect == Effect::Write;
        if gates.unreadable && !is_setting {
            return Some(format!(
                "the settings say something about gates that cannot be read, so `{guarded}` is not edited: repair them first"
            ));
        }
        let has_tasks = self.lifecycle.store.layout().tasks().exists();
        if gates.edit_without_tasks && !has_tasks {
            return Some(format!(
                "there are no tasks, so `{guarded}` is not edited: plan first ([plan], or nx_task_add)"
            ));
        }
        if gates.shell_edits && has_tasks && tool.effect == Effect::Shell {
            return Some(format!("files are not edited through the shell (`{guarded}`): use the edit tools"));
        }
        None
    }

    /// Reads of memory files, by a tool or by a command that prints them (NX-210).
    fn observe_reads(&self, tool: &Tool<'_>, reader: &str, reply: &mut Reply) -> Result<(), HookError> {
        let read: Vec<PathBuf> = match (tool.effect, &tool.command) {
            (Effect::Read, _) => tool.files.iter().map(|file| self.cwd().join(file)).collect(),
            (Effect::Shell, Some(command)) if command.contains("memory") => {
                shell::printed_files(command, &self.cwd())
            }
            _ => Vec::new(),
        };
        let store = self.lifecycle.store;
        let is_there = |path: &&PathBuf| memory_file(store.layout(), path).is_some_and(|file| file.is_file());
        for path in read.iter().filter(is_there) {
            observe(store, self.lifecycle.harness, path, reader, self.lifecycle.now)?;
            reply.recorded.push(store.layout().memory_access(self.lifecycle.harness));
        }
        reply.recorded.dedup();
        Ok(())
    }

    fn project(&self) -> &Path {
        self.lifecycle.store.layout().project()
    }

    /// Where the agent stands: its own word, else the project.
    fn cwd(&self) -> PathBuf {
        let own = self.fields.text("cwd").ok().flatten();
        own.map_or_else(|| self.project().to_owned(), |cwd| self.project().join(cwd))
    }

    /// A file's name from the project's folder; as it is where it lies elsewhere.
    fn named(&self, file: &str) -> String {
        let path = self.cwd().join(file);
        let below = path.strip_prefix(self.project()).map(|below| below.to_string_lossy().into_owned());
        below.unwrap_or_else(|_| file.to_owned())
    }
}
