//! `mi plan check` and `mi plan synthesize`: the planning rules, asked about the plan of this project.

use mi_workspace::{
    Tool, ToolError, Workspace,
    planning::{ApplyError, PlanFinding, PlanState, Synthesis, apply, check, synthesize},
    vocabulary::Vocabulary,
};
use serde_json::{Value, json};

use super::workspace::{counted, failure, open};
use crate::{
    app::App,
    args::PlanRules,
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

/// Asks the rules.
pub fn run(app: &App, rules: &PlanRules) -> Outcome {
    let workspace = open(app)?;
    match rules {
        PlanRules::Check => tell_findings(app, &check(&read(app, &workspace)?, Vocabulary::starter())),
        PlanRules::Synthesize { apply: false } => draft(app, &read(app, &workspace)?),
        PlanRules::Synthesize { apply: true } => add(app, &workspace),
    }
}

fn read(app: &App, workspace: &Workspace) -> Result<PlanState, Failure> {
    let ask = |tool| {
        let answer = workspace.call(tool, &json!({}), app.clock.now()).map_err(|error| failure(&error));
        tell_notes(app, workspace);
        answer
    };
    PlanState::read(&ask(Tool::PlanStatus)?, &ask(Tool::TaskList)?, &ask(Tool::Context)?)
        .map_err(|error| Failure::of(&error))
}

fn tell_notes(app: &App, workspace: &Workspace) {
    for note in workspace.take_notes() {
        app.talk(&format!("mi: {note}"));
    }
}

fn tell_findings(app: &App, findings: &[PlanFinding]) -> Outcome {
    let errors = findings.iter().filter(|finding| finding.is_error()).count();
    let warnings = findings.len() - errors;
    if app.common.json {
        app.print_json(
            &json!({"ok": errors == 0, "errors": errors, "warnings": warnings, "findings": findings}),
        )?;
        return Ok(ExitReason::failed_if(errors > 0));
    }
    for finding in findings {
        let kind = if finding.is_error() { "error" } else { "warning" };
        app.print(&format!("{kind}: [{}] {}\n  to do: {}", finding.rule, finding.message, finding.hint))?;
    }
    app.print(&match (errors, warnings) {
        (0, 0) => "The plan breaks no rule.".to_owned(),
        _ => format!("{}, {}", counted(errors, "error"), counted(warnings, "warning")),
    })?;
    Ok(ExitReason::failed_if(errors > 0))
}

fn draft(app: &App, state: &PlanState) -> Outcome {
    if state.topic.is_none() {
        return Err(failure(&ToolError::NoActivePlan));
    }
    let made = synthesize(state);
    let next = state.tasks.iter().map(|task| task.id).max().unwrap_or(0) + 1;
    let ids: Vec<i64> = (next..).take(made.drafts.len()).collect();
    tell_drafts(app, &made, &ids, false)
}

fn add(app: &App, workspace: &Workspace) -> Outcome {
    let applied = apply(workspace, app.clock.now());
    tell_notes(app, workspace);
    let (made, ids) = applied.map_err(|error| match error {
        ApplyError::Tool(error) => failure(&error),
        ApplyError::Plan(error) => Failure::of(&error),
    })?;
    tell_drafts(app, &made, &ids, true)
}

fn tell_drafts(app: &App, made: &Synthesis, ids: &[i64], apply: bool) -> Outcome {
    let tasks: Vec<Value> = (0..made.drafts.len()).map(|place| task(made, place, ids)).collect();
    if app.common.json {
        return app.print_json(&json!({
            "applied": apply, "goal": made.goal, "decisions": made.decisions, "tasks": tasks,
            "skipped_issues": made.skipped, "undecided_issues": made.undecided,
        }));
    }
    for task in &tasks {
        let text = |name: &str| task[name].as_str().unwrap_or_default();
        let deps = match task["deps"].as_array().map(Vec::as_slice) {
            None | Some([]) => String::new(),
            Some(_) => format!(", after {}", task["deps"]),
        };
        app.print(&format!(
            "{}  {} ({}, issue {}{deps})",
            task["id"],
            text("title"),
            text("owner"),
            task["plan_issue"]
        ))?;
        for line in text("context")
            .lines()
            .filter(|line| line.contains("target_files:") || line.contains("exception:"))
        {
            app.print(&format!("   {line}"))?;
        }
    }
    for id in &made.undecided {
        app.talk(&format!("mi: issue {id} is not decided yet: no task"));
    }
    app.print(&match (tasks.len(), apply) {
        (0, _) => "Nothing to add: every decided issue has tasks.".to_owned(),
        (count, true) => format!("Added: {}.", counted(count, "task")),
        (count, false) => {
            format!("Not added yet: {}. Add them: mi plan synthesize --apply", counted(count, "task"))
        }
    })
}

/// The arguments of the call, with the id that the task has or would get.
fn task(made: &Synthesis, place: usize, ids: &[i64]) -> Value {
    let mut task = json!({"id": ids.get(place)});
    if let (Some(task), Value::Object(arguments)) = (task.as_object_mut(), made.arguments(place, ids)) {
        let own = arguments.into_iter().filter(|(name, _)| name != "goal" && name != "decisions");
        task.extend(own);
    }
    task
}
