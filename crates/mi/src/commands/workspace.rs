//! What the commands on `.nexus` share: one call, its answer or its failure.

use mi_workspace::{Layout, Tool, ToolError, Workspace};
use serde_json::Value;
use std::{fs, io, path::PathBuf};

use crate::{app::App, exit_reason::ExitReason, failure::Failure};

/// The workspace of the project.
pub fn open(app: &App) -> Result<Workspace, Failure> {
    Ok(Workspace::new(Layout::new(root(app)?)))
}

/// `--cd`, else `NEXUS_PROJECT_ROOT`, else the working directory.
pub fn root(app: &App) -> Result<PathBuf, Failure> {
    let named = app.common.cd.clone().or_else(|| app.variable("NEXUS_PROJECT_ROOT").map(PathBuf::from));
    let folder = named.unwrap_or_else(|| PathBuf::from("."));
    let fail = |error: &io::Error| {
        Failure::usage(format!("open the project folder `{}`", folder.display()))
            .because(error)
            .todo("give an existing folder with --cd or NEXUS_PROJECT_ROOT")
    };
    let root = fs::canonicalize(&folder).map_err(|error| fail(&error))?;
    match root.is_dir() {
        true => Ok(root),
        false => Err(fail(&io::ErrorKind::NotADirectory.into())),
    }
}

/// Carries out one operation; what had to be repaired is said on standard error.
pub fn call(app: &App, tool: Tool, arguments: &Value) -> Result<Value, Failure> {
    let workspace = open(app)?;
    let answer = workspace.call(tool, arguments, app.clock.now());
    for note in workspace.take_notes() {
        app.talk(&format!("mi: {note}"));
    }
    answer.map_err(|error| failure(&error))
}

/// What was typed wrong ends in 2, what is not there or cannot be written in 1.
pub fn failure(error: &ToolError) -> Failure {
    let failure = Failure::new(error.to_string());
    match error {
        ToolError::Missing { .. }
        | ToolError::Wrong { .. }
        | ToolError::IssueIdRequired { .. }
        | ToolError::EditNeedsBoth
        | ToolError::TitleRequired
        | ToolError::UnknownAction
        | ToolError::Outside(_) => failure.ending(ExitReason::WrongUsage),
        ToolError::NoActivePlan => failure.todo("begin one: mi plan start 'TOPIC' --issue 'TITLE'"),
        ToolError::IssueNotFound { .. } => failure.todo("see the issues: mi plan status"),
        ToolError::TasksNotFound => failure.todo("add a task: mi task add 'TITLE' --context 'TEXT'"),
        ToolError::TaskNotFound { .. } => failure.todo("see the tasks: mi task list"),
        ToolError::NoIdLeft { .. } | ToolError::Damaged(_) | ToolError::File(_) => failure,
    }
}

/// A text field of an answer.
pub fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// The items of a list field of an answer.
pub fn items<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value.get(field).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// `1 task`, `2 tasks`.
pub fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Puts what was given into an object and leaves out what was not.
pub fn object<const N: usize>(fields: [(&str, Option<Value>); N]) -> Value {
    Value::Object(fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect())
}
