//! `mi context`: where this project stands, at a glance.

use mi_workspace::Tool;
use serde_json::{Value, json};

use super::workspace::{call, counted, items, text};
use crate::{app::App, failure::Outcome};

pub fn run(app: &App) -> Outcome {
    let answer = call(app, Tool::Context, &json!({}))?;
    if app.common.json {
        return app.print_json(&answer);
    }
    app.print(&format!("Branch     {}", app.look.one_line(text(&answer, "branch"), 11)))?;
    if answer["activeMode"].is_null() {
        return app
            .print("No tasks. Begin with: mi plan start 'TOPIC', or mi task add 'TITLE' --context 'TEXT'");
    }
    if !text(&answer, "goal").is_empty() {
        app.print(&format!("Goal       {}", app.look.one_line(text(&answer, "goal"), 11)))?;
    }
    if let Some(summary) = answer.get("tasksSummary") {
        let total = usize::try_from(summary["total"].as_u64().unwrap_or(0)).unwrap_or(usize::MAX);
        let (completed, pending) = (&summary["completed"], &summary["pending"]);
        app.print(&format!(
            "Progress   {}: {completed} completed, {pending} pending",
            counted(total, "task")
        ))?;
    }
    for (index, decision) in items(&answer, "decisions").iter().filter_map(Value::as_str).enumerate() {
        let label = if index == 0 { "Decisions" } else { "" };
        app.print(&format!("{label:<10} {}", app.look.one_line(decision, 11)))?;
    }
    Ok(0)
}
