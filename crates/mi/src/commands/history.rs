//! `mi history`: the closed cycles, for a person.

use mi_workspace::Tool;
use serde_json::{Value, json};

use super::workspace::{call, counted, items, object, text};
use crate::{
    app::App,
    args::{HistoryAction, HistoryArgs},
    exit_reason::ExitReason,
    failure::Outcome,
    render::style::columns,
};

pub fn run(app: &App, args: &HistoryArgs) -> Outcome {
    let HistoryAction::Search { query, n } = &args.action;
    let arguments = object([("query", query.as_ref().map(|query| json!(query))), ("last_n", Some(json!(n)))]);
    let answer = call(app, Tool::HistorySearch, &arguments)?;
    if app.common.json {
        return app.print_json(&answer);
    }
    for cycle in items(&answer, "cycles") {
        print_cycle(app, cycle)?;
    }
    app.print(&match answer["total"].as_u64() {
        Some(0) if query.is_some() => "No closed cycle contains that text.".to_owned(),
        Some(0) => "No cycle was closed yet.".to_owned(),
        _ => app.look.faint(&format!(
            "{} of {} cycles that match, the newest last",
            answer["showing"], answer["total"]
        )),
    })
}

fn print_cycle(app: &App, cycle: &Value) -> Outcome {
    let when = text(cycle, "completed_at").get(..16).unwrap_or(text(cycle, "completed_at")).replace('T', " ");
    let topic = cycle.get("topic").and_then(Value::as_str).unwrap_or("(no plan)");
    let tasks = usize::try_from(cycle["task_count"].as_u64().unwrap_or(0)).unwrap_or(usize::MAX);
    let about = format!("{}, {}", text(cycle, "branch"), counted(tasks, "task"));
    let topic = app.look.one_line(topic, 22 + columns(&about));
    app.print(&format!(
        "{}  {}  {}",
        app.look.faint(&when),
        app.look.strong(&topic),
        app.look.faint(&about)
    ))?;
    for decided in items(cycle, "decisions") {
        let line = format!("{}: {}", text(decided, "title"), text(decided, "decision"));
        app.print(&format!("    {}", app.look.one_line(&line, 4)))?;
    }
    Ok(ExitReason::Done)
}
