//! `mi plan`: the plan session, for a person.

use mi_workspace::Tool;
use serde_json::{Map, Value, json};

use super::{
    planning,
    workspace::{call, counted, items, object, text},
};
use crate::{
    app::App,
    args::{PlanAction, PlanArgs},
    exit_reason::ExitReason,
    failure::Outcome,
};

pub fn run(app: &App, args: &PlanArgs) -> Outcome {
    match args.action.as_ref().unwrap_or(&PlanAction::Status) {
        PlanAction::Start { topic, issues, research } => start(app, topic, issues, research),
        PlanAction::Status => status(app),
        PlanAction::Add { title } => update(app, &json!({"action": "add", "title": title})),
        PlanAction::Edit { id, title } => {
            update(app, &json!({"action": "edit", "issue_id": id, "title": title}))
        }
        PlanAction::Remove { id } => update(app, &json!({"action": "remove", "issue_id": id})),
        PlanAction::Reopen { id } => update(app, &json!({"action": "reopen", "issue_id": id})),
        PlanAction::Decide { id, decision, agents, said, agent_ids } => {
            let arguments = object([
                ("issue_id", Some(json!(id))),
                ("decision", Some(json!(decision))),
                ("how_agents", (!agents.is_empty()).then(|| json!(agents))),
                ("how_summary", map(said)),
                ("how_agent_ids", map(agent_ids)),
            ]);
            decide(app, *id, &arguments)
        }
        PlanAction::Rules(rules) => planning::run(app, rules),
    }
}

fn map(pairs: &[(String, String)]) -> Option<Value> {
    let map: Map<String, Value> = pairs.iter().map(|(name, text)| (name.clone(), json!(text))).collect();
    (!map.is_empty()).then_some(Value::Object(map))
}

fn start(app: &App, topic: &str, issues: &[String], research: &str) -> Outcome {
    let arguments = json!({"topic": topic, "issues": issues, "research_summary": research});
    let answer = call(app, Tool::PlanStart, &arguments)?;
    if app.common.json {
        return app.print_json(&answer);
    }
    let archived =
        if answer["previousArchived"] == true { " The plan before it is in the history." } else { "" };
    let next = if issues.is_empty() { "mi plan add 'TITLE'" } else { "mi plan decide 1 'DECISION'" };
    let issues = counted(issues.len(), "issue");
    app.print(&format!("Plan {} is begun, with {issues}.{archived}\nNext: {next}", answer["plan_id"]))
}

fn status(app: &App) -> Outcome {
    let answer = call(app, Tool::PlanStatus, &json!({}))?;
    if app.common.json {
        return app.print_json(&answer);
    }
    if answer["active"] != true {
        return app.print("No plan session. Begin one: mi plan start 'TOPIC' --issue 'TITLE'");
    }
    let summary = &answer["summary"];
    let head = format!("Plan {}  {}", answer["plan_id"], text(&answer, "topic"));
    app.print(&app.look.strong(&app.look.one_line(&head, 0)))?;
    for issue in items(&answer, "issues") {
        print_issue(app, issue)?;
    }
    app.print(&app.look.faint(&format!("{} of {} decided", summary["decided"], summary["total"])))
}

fn print_issue(app: &App, issue: &Value) -> Outcome {
    let decided = text(issue, "status") == "decided";
    let mark = if decided { app.look.good("decided") } else { app.look.warn("open   ") };
    app.print(&format!(
        "{:>4}  {mark}  {}",
        issue["id"].to_string(),
        app.look.one_line(text(issue, "title"), 15)
    ))?;
    if decided {
        app.print(&format!(
            "               {}",
            app.look.faint(&app.look.one_line(text(issue, "decision"), 15))
        ))?;
    }
    Ok(ExitReason::Done)
}

fn update(app: &App, arguments: &Value) -> Outcome {
    let answer = call(app, Tool::PlanUpdate, arguments)?;
    if app.common.json {
        return app.print_json(&answer);
    }
    let id = &answer["issue"]["id"];
    app.print(&match text(arguments, "action") {
        "add" => format!("Issue {id} is added. Decide it: mi plan decide {id} 'DECISION'"),
        "edit" => format!("Issue {id} has a new title."),
        "remove" => format!("Issue {id} is removed."),
        _ => format!("Issue {id} is open again."),
    })
}

fn decide(app: &App, id: u64, arguments: &Value) -> Outcome {
    let answer = call(app, Tool::PlanDecide, arguments)?;
    if app.common.json {
        return app.print_json(&answer);
    }
    let left = items(&answer, "remaining");
    app.print(&match left.first() {
        None => format!(
            "Issue {id} is decided, and with it the plan.\nNext: mi plan synthesize (drafts the tasks), or mi task add 'TITLE' --context 'TEXT'"
        ),
        Some(next) => {
            let left = counted(left.len(), "issue");
            format!("Issue {id} is decided; {left} left.\nNext: mi plan decide {} 'DECISION'", next["id"])
        }
    })
}
