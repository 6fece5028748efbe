//! `mi task`: the task list, for a person.

use clap::ValueEnum;
use mi_workspace::Tool;
use serde_json::{Value, json};

use super::workspace::{call, counted, items, object, text};
use crate::{
    app::App,
    args::{TaskAction, TaskAddArgs, TaskArgs},
    failure::Outcome,
    render::style::columns,
};

pub fn run(app: &App, args: &TaskArgs) -> Outcome {
    match args.action.as_ref().unwrap_or(&TaskAction::List) {
        TaskAction::Add(args) => add(app, args),
        TaskAction::List => list(app),
        TaskAction::Update { id, status } => update(app, *id, &word(*status)),
        TaskAction::Close => close(app),
    }
}

/// A value as it is typed and as the contract spells it.
fn word(value: impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

fn add(app: &App, args: &TaskAddArgs) -> Outcome {
    let given = |text: &Option<String>| text.as_ref().map(|text| json!(text));
    let arguments = object([
        ("title", Some(json!(args.title))),
        ("context", Some(json!(args.context))),
        ("deps", (!args.deps.is_empty()).then(|| json!(args.deps))),
        ("approach", given(&args.approach)),
        ("acceptance", given(&args.acceptance)),
        ("risk", given(&args.risk)),
        ("plan_issue", args.plan_issue.map(Value::from)),
        ("goal", given(&args.goal)),
        ("decisions", (!args.decisions.is_empty()).then(|| json!(args.decisions))),
        ("owner", given(&args.owner)),
        ("owner_agent_id", given(&args.owner_agent_id)),
        ("owner_reuse_policy", args.owner_reuse_policy.map(|policy| json!(word(policy)))),
    ]);
    let answer = call(app, Tool::TaskAdd, &arguments)?;
    if app.common.json {
        return app.print_json(&answer);
    }
    let id = &answer["task"]["id"];
    app.print(&format!("Task {id} is added. When it is done: mi task update {id} completed"))
}

fn list(app: &App) -> Outcome {
    let answer = call(app, Tool::TaskList, &json!({}))?;
    if app.common.json {
        return app.print_json(&answer);
    }
    if answer["exists"] == false {
        return app.print("No tasks. Add one: mi task add 'TITLE' --context 'TEXT'");
    }
    if !text(&answer, "goal").is_empty() {
        app.print(&app.look.strong(&app.look.one_line(text(&answer, "goal"), 0)))?;
    }
    let ready = items(&answer["summary"], "ready");
    for task in items(&answer, "tasks") {
        print_task(app, task, ready.contains(&task["id"]))?;
    }
    let count = |name: &str| answer["summary"][name].as_u64().unwrap_or(0);
    let (total, completed) = (items(&answer, "tasks").len(), count("completed"));
    let (doing, pending) = (count("blocked"), count("pending"));
    let total = counted(total, "task");
    app.print(
        &app.look.faint(&format!("{total}: {completed} completed, {doing} in progress, {pending} pending")),
    )
}

fn print_task(app: &App, task: &Value, ready: bool) -> Outcome {
    let mark = match text(task, "status") {
        "completed" => app.look.good("completed  "),
        "in_progress" => app.look.strong("in progress"),
        _ if ready => app.look.warn("ready      "),
        _ => app.look.faint("waiting    "),
    };
    let is_waiting = text(task, "status") == "pending" && !ready;
    let after: Vec<String> =
        items(task, "deps").iter().filter(|_| is_waiting).map(Value::to_string).collect();
    let after = if after.is_empty() { String::new() } else { format!("after {}", after.join(", ")) };
    let notes: Vec<&str> =
        [text(task, "owner"), &after].into_iter().filter(|note| !note.is_empty()).collect();
    let notes = if notes.is_empty() { String::new() } else { format!("  ({})", notes.join(", ")) };
    let title = app.look.one_line(text(task, "title"), 19 + columns(&notes));
    app.print(&format!("{:>4}  {mark}  {title}{}", task["id"].to_string(), app.look.faint(&notes)))
}

fn update(app: &App, id: u64, status: &str) -> Outcome {
    let answer = call(app, Tool::TaskUpdate, &json!({"id": id, "status": status}))?;
    if app.common.json {
        return app.print_json(&answer);
    }
    let title = app.look.one_line(text(&answer["task"], "title"), 30);
    app.print(&format!("Task {id} is {}: {title}", status.replace('_', " ")))
}

fn close(app: &App) -> Outcome {
    let answer = call(app, Tool::TaskClose, &json!({}))?;
    if app.common.json {
        return app.print_json(&answer);
    }
    let archived = &answer["archived"];
    let count = |name: &str| usize::try_from(archived[name].as_u64().unwrap_or(0)).unwrap_or(usize::MAX);
    let plan = match archived["plan"] == true {
        true => format!("the plan with {}", counted(count("decisions"), "decision")),
        false => "no plan".to_owned(),
    };
    app.print(&format!(
        "Closed on {}: {plan}, {}. {} in the history.\nNext: git add .nexus/history.json, with the work of this cycle",
        text(&answer, "branch"),
        counted(count("tasks"), "task"),
        counted(usize::try_from(answer["total_cycles"].as_u64().unwrap_or(0)).unwrap_or(usize::MAX), "cycle"),
    ))
}
