//! Tool calls of any harness, made into parts that rules can judge.
//!
//! Holds: names are matched exactly; a known tool without its input, and every unknown tool, is at least a prompt, and
//! whatever looks like a command or a path in its input is judged all the same.

use serde_json::Value;

use super::decide::{Floor, Place};
use super::facts::{Fact, Fallback, Operation};
use super::json::{self, JsonError};
use super::patch::{self, PatchEffect};
use super::paths::Target;
use super::shell;

/// One tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct Action {
    pub tool: String,
    pub input: Value,
    pub cwd: Option<String>,
    pub actor: Option<String>,
}

/// Why a text is no action.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ActionError {
    #[error(transparent)]
    Json(#[from] JsonError),
    #[error(
        "the action has no text field `{0}`; it looks like {{\"tool\":\"Bash\",\"input\":{{\"command\":\"ls\"}}}}"
    )]
    Field(&'static str),
}

impl Action {
    pub fn new(tool: &str, input: Value, cwd: Option<&str>) -> Self {
        Self { tool: tool.to_owned(), input, cwd: cwd.map(str::to_owned), actor: None }
    }

    /// Reads `{"tool":…,"input":…,"cwd":…}`.
    pub fn parse(text: &str) -> Result<Self, ActionError> {
        let value = json::read_json(text)?;
        let field = |name: &'static str| match value.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(ActionError::Field(name)),
        };
        let tool = field("tool")?.filter(|tool| !tool.is_empty()).ok_or(ActionError::Field("tool"))?;
        let input = value.get("input").cloned().unwrap_or(Value::Null);
        Ok(Self { tool, input, cwd: field("cwd")?, actor: field("actor")? })
    }
}

/// The name the gate knows for a tool of OpenCode.
pub fn opencode_tool(native: &str) -> Option<&'static str> {
    Some(match native {
        "bash" => "Bash",
        "read" => "Read",
        "write" => "Write",
        "edit" => "Edit",
        "patch" | "apply_patch" => "apply_patch",
        "glob" => "Glob",
        "grep" => "Grep",
        "list" => "LS",
        "webfetch" => "WebFetch",
        "websearch" => "WebSearch",
        "task" => "Task",
        "todowrite" => "TodoWrite",
        "todoread" => "TodoRead",
        _ => return None,
    })
}

/// Tools that stay inside the agent, and the input each must have.
const HARNESS_TOOLS: &[(&str, &str)] = &[
    ("Task", "prompt"),
    ("Agent", "prompt"),
    ("TodoWrite", "todos"),
    ("TodoRead", ""),
    ("update_plan", "plan"),
    ("ExitPlanMode", ""),
    ("EnterPlanMode", ""),
    ("AskUserQuestion", "questions"),
    ("BashOutput", "bash_id"),
    ("KillShell", "shell_id"),
    ("Skill", "skill"),
    ("StructuredOutput", ""),
    ("TaskCreate", "subject"),
    ("TaskGet", "taskId"),
    ("TaskList", ""),
    ("TaskOutput", "task_id"),
    ("TaskStop", "task_id"),
    ("TaskUpdate", "taskId"),
    ("ToolSearch", "query"),
    ("create_goal", "objective"),
    ("get_goal", ""),
    ("request_user_input", "questions"),
    ("update_goal", "status"),
];

/// Tools that read, write, run or send, as their names are matched.
const TOOLS: &[&str] = &[
    "Bash",
    "Read",
    "NotebookRead",
    "view_image",
    "Write",
    "Edit",
    "MultiEdit",
    "NotebookEdit",
    "apply_patch",
    "Grep",
    "Glob",
    "LS",
    "WebFetch",
    "WebSearch",
];

fn is_known(tool: &str) -> bool {
    TOOLS.contains(&tool) || HARNESS_TOOLS.iter().any(|(known, _)| *known == tool)
}

/// Fields of known tools that are not the ones they cannot do without, and what each must be.
const NUMBERS: &[&str] = &["timeout", "offset", "limit", "head_limit", "-A", "-B", "-C"];
const TEXTS: &[&str] = &["glob", "output_mode", "type", "description", "old_string", "new_string"];
const LISTS: &[&str] = &["todos", "plan", "questions"];

/// A field of a known tool has another type than it has: what a harness makes of that nobody knows.
fn is_mistyped(action: &Action) -> bool {
    let Some(fields) = action.input.as_object().filter(|_| is_known(&action.tool)) else { return false };
    let is_odd = |(name, value): (&String, &Value)| match name.as_str() {
        _ if value.is_null() => false,
        name if NUMBERS.contains(&name) => !value.is_number(),
        name if TEXTS.contains(&name) => !value.is_string(),
        name if LISTS.contains(&name) => !value.is_array(),
        name if PATH_FIELDS.contains(&name) => value.as_str().is_some_and(|path| path.contains('\0')),
        _ => false,
    };
    fields.iter().any(is_odd) || action.tool == "LS" && !fields.contains_key("path")
}

/// The parts of a call, and the least verdict it gets.
pub(super) fn facts(action: &Action, place: &Place<'_>) -> (Vec<Fact>, Option<Floor>) {
    let caller = Caller { action, place };
    if is_mistyped(action) {
        return caller.unknown();
    }
    let known = match action.tool.as_str() {
        "Bash" => match caller.script() {
            Some(read) => return read,
            None => None,
        },
        "Read" | "NotebookRead" | "view_image" => caller.file(Operation::Read, &[]),
        "Write" => caller.file(Operation::Write, &["content"]),
        "Edit" => caller.file(Operation::Write, &[]),
        "MultiEdit" | "NotebookEdit" => caller.file(Operation::Write, &[]),
        "apply_patch" => caller.patch(),
        "Grep" => caller.search(),
        "Glob" | "LS" => caller.list(),
        "WebFetch" => caller.send("url"),
        "WebSearch" => caller.send("query"),
        name if name.starts_with("mcp__") => Some(caller.mcp()),
        name => {
            HARNESS_TOOLS.iter().find(|(tool, _)| *tool == name).and_then(|(_, field)| caller.harness(field))
        }
    };
    match known {
        Some(facts) => (facts, None),
        None => caller.unknown(),
    }
}

struct Caller<'a> {
    action: &'a Action,
    place: &'a Place<'a>,
}

const PATH_FIELDS: &[&str] = &["file_path", "filePath", "path", "notebook_path"];

impl Caller<'_> {
    /// Every path field counts: a harness may read another than we do.
    fn file(&self, operation: Operation, needed: &[&str]) -> Option<Vec<Fact>> {
        let paths: Vec<&str> =
            PATH_FIELDS.iter().filter_map(|field| text(&self.action.input, &[field])).collect();
        let mistyped = PATH_FIELDS
            .iter()
            .any(|field| self.action.input.get(field).is_some_and(|value| !value.is_string()));
        if paths.is_empty()
            || mistyped
            || needed.iter().any(|field| text(&self.action.input, &[field]).is_none())
        {
            return None;
        }
        Some(paths.into_iter().map(|path| self.file_fact(operation, path)).collect())
    }

    /// A shell command, in the folder that some harnesses let the agent choose.
    fn script(&self) -> Option<(Vec<Fact>, Option<Floor>)> {
        let script = text(&self.action.input, &["command"])?;
        // Where a harness obeys one of these, the command alone does not say what runs.
        let others = ["cmd", "script", "args", "stdin", "env", "environment", "shell", "cwd", "directory"];
        if others.iter().any(|field| self.action.input.get(field).is_some_and(|value| !value.is_null())) {
            return None;
        }
        match self.action.input.get("workdir") {
            None | Some(Value::Null) => Some(shell::read(script, &self.action.tool, self.place)),
            Some(Value::String(folder)) => {
                let folder = self.place.start().resolve(self.place.cwd(), folder)?;
                Some(shell::read(script, &self.action.tool, &self.place.within(&folder)))
            }
            Some(_) => None,
        }
    }

    fn file_fact(&self, operation: Operation, path: &str) -> Fact {
        let fallback = match operation {
            Operation::Read => Fallback::allow("mi.shared-read", "reading shared files is free"),
            // Every other path is caught by the rule `mi.edit`.
            _ => Fallback::allow("mi.own-memory", "own memory and proposals are free"),
        };
        let mut fact = Fact::new(operation, &self.action.tool, path, fallback);
        let targets = spellings(path).map(|path| self.place.start().exact(path));
        match operation {
            Operation::Read => fact.reads.extend(targets),
            Operation::Delete => fact.deletes.extend(targets),
            _ => fact.writes.extend(targets),
        }
        fact
    }

    fn patch(&self) -> Option<Vec<Fact>> {
        // Both fields count: a harness may read another than we do.
        let mut files = Vec::new();
        for field in ["command", "patchText"] {
            match self.action.input.get(field) {
                None | Some(Value::Null) => {}
                Some(Value::String(patch)) => files.extend(patch::files(patch)?),
                Some(_) => return None,
            }
        }
        if files.is_empty() {
            return None;
        }
        let facts = files.into_iter().map(|(effect, path)| match effect {
            PatchEffect::Write => self.file_fact(Operation::Write, &path),
            PatchEffect::Delete => self.file_fact(Operation::Delete, &path),
        });
        Some(facts.collect())
    }

    fn search(&self) -> Option<Vec<Fact>> {
        text(&self.action.input, &["pattern"])?;
        let path = self.optional_path()?;
        let fallback = Fallback::allow("mi.shared-read", "searching shared files is free");
        let mut fact = Fact::new(Operation::Read, &self.action.tool, path, fallback);
        fact.reads.extend(spellings(path).map(|path| self.place.start().below(path)));
        Some(vec![fact])
    }

    fn list(&self) -> Option<Vec<Fact>> {
        let path = self.optional_path()?;
        if self.action.tool == "Glob" {
            text(&self.action.input, &["pattern"])?;
        }
        let fallback = Fallback::allow("mi.shared-read", "listing shared folders is free");
        let mut fact = Fact::new(Operation::Read, &self.action.tool, path, fallback);
        let start = self.place.start();
        fact.lists.extend(spellings(path).map(|path| start.below(path)));
        if let Some(pattern) = text(&self.action.input, &["pattern"]) {
            // Everything in front of the first sign is known.
            let plain = pattern.split(['*', '?', '[', '{']).next().unwrap_or_default();
            let folder = plain.rfind('/').map_or("", |at| &plain[..=at]);
            let is_whole = folder.starts_with(['/', '~']);
            let folder = start.below(&if is_whole { folder.to_owned() } else { format!("{path}/{folder}") });
            fact.lists.push(Target { shown: pattern.to_owned(), ..folder });
        }
        Some(vec![fact])
    }

    /// The path, `.` if there is none, nothing if it is no text.
    fn optional_path(&self) -> Option<&str> {
        match self.action.input.get("path") {
            None | Some(Value::Null) if self.action.input.is_object() => Some("."),
            Some(Value::String(path)) => Some(path),
            _ => None,
        }
    }

    fn send(&self, field: &'static str) -> Option<Vec<Fact>> {
        let address = text(&self.action.input, &[field])?;
        let fallback = Fallback::prompt("mi.network", "asks another machine");
        let mut fact = Fact::new(Operation::Send, &self.action.tool, address, fallback);
        fact.sends = texts(&self.action.input);
        // `file:` is an address of this machine.
        fact.reads.extend(spellings(address).skip(1).map(|path| self.place.start().exact(path)));
        Some(vec![fact])
    }

    fn mcp(&self) -> Vec<Fact> {
        let fallback =
            Fallback::prompt("mi.mcp-tool", "a tool of another server does what that server wants");
        let mut fact = Fact::new(Operation::Mcp, &self.action.tool, &self.action.tool, fallback);
        fact.sends = texts(&self.action.input);
        self.add_paths(&mut fact);
        self.with_commands(fact)
    }

    /// Whatever looks like a command in the input of a tool that nobody knows is judged as one.
    fn with_commands(&self, fact: Fact) -> Vec<Fact> {
        let mut facts = vec![fact];
        for script in
            ["command", "cmd", "script"].iter().filter_map(|field| text(&self.action.input, &[field]))
        {
            facts.extend(shell::read(script, &self.action.tool, self.place).0);
        }
        if let Some(Value::Array(words)) = self.action.input.get("command") {
            // Each is one word, whatever stands in it.
            let quoted = |word: &str| format!("'{}'", word.replace('\'', r"'\''"));
            let words: Vec<String> = words.iter().filter_map(Value::as_str).map(quoted).collect();
            facts.extend(shell::read(&words.join(" "), &self.action.tool, self.place).0);
        }
        facts
    }

    fn harness(&self, field: &str) -> Option<Vec<Fact>> {
        let present = match self.action.input.get(field) {
            Some(Value::String(text)) => !text.is_empty(),
            Some(Value::Array(_)) => true,
            _ => field.is_empty() && (self.action.input.is_object() || self.action.input.is_null()),
        };
        let fallback =
            Fallback::allow("mi.harness-tool", "stays inside the agent; what it starts is asked again");
        present.then(|| vec![Fact::new(Operation::Harness, &self.action.tool, &self.action.tool, fallback)])
    }

    /// A tool that nobody knows, or whose input is missing: its texts are judged, and it prompts at least.
    fn unknown(&self) -> (Vec<Fact>, Option<Floor>) {
        let tool = &self.action.tool;
        let reason = match is_known(tool) {
            true => format!(
                "the input of the tool `{tool}` is missing, of another type, or has more than it takes"
            ),
            false => format!("the tool `{tool}` is not known"),
        };
        let fallback = Fallback::prompt("mi.unknown-tool", reason.clone());
        let mut fact = Fact::new(Operation::Unknown, &self.action.tool, &self.action.tool, fallback);
        fact.sends = texts(&self.action.input);
        self.add_paths(&mut fact);
        let facts = self.with_commands(fact);
        (facts, Some(Floor { rule: "mi.unknown-tool", reason }))
    }

    /// Texts that may be paths: nobody knows what is done with them, so everything may be.
    fn add_paths(&self, fact: &mut Fact) {
        for text in texts(&self.action.input).iter().filter(|text| text.len() <= 4096 && !text.contains('\n'))
        {
            let target = self.place.start().exact(text.strip_prefix("file://").unwrap_or(text));
            fact.reads.push(target.clone());
            fact.writes.push(target.clone());
            fact.deletes.push(target);
        }
    }
}

/// A path as written, and as harnesses may take it: without blanks around it, or as an address of a file.
fn spellings(path: &str) -> impl Iterator<Item = &str> {
    let trimmed = path.trim();
    let scheme = trimmed.get(..5).filter(|scheme| scheme.eq_ignore_ascii_case("file:"));
    let rest = scheme.map(|_| &trimmed[5..]);
    let address = rest.map(|rest| rest.strip_prefix("//").unwrap_or(rest));
    let address = address.map(|rest| rest.strip_prefix("localhost").unwrap_or(rest));
    std::iter::once(path).chain((trimmed != path).then_some(trimmed)).chain(address)
}

fn text<'a>(input: &'a Value, fields: &[&str]) -> Option<&'a str> {
    fields
        .iter()
        .find_map(|field| input.get(field)?.as_str())
        .filter(|text| !text.is_empty() || fields == ["content"])
}

/// All texts of an input, however deep; bounded.
fn texts(input: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![input];
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) if found.len() < 256 => found.push(text.clone()),
            Value::Array(items) => open.extend(items),
            Value::Object(fields) => open.extend(fields.values()),
            _ => {}
        }
    }
    found
}
