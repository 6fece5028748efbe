//! `mi context`: where this project stands, at a glance.

use mi_council::{
    shhh::{LEFT_OUT, Marked, shown_json},
    template::knowledge_sections,
    ucxl::{Address, AddressError},
};
use mi_delivery::{Extent, Selector};
use mi_workspace::Tool;
use serde_json::{Value, json};

use super::{
    council, git,
    workspace::{call, counted, items, text},
};
use crate::{
    app::App,
    args::{ContextArgs, council::ContextAction},
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

pub fn run(app: &App, args: &ContextArgs) -> Outcome {
    match &args.action {
        None => glance(app),
        Some(ContextAction::Get { address: Some(address), .. }) => content(app, address),
        Some(ContextAction::Get { selectors, scope, sections, address: None }) => {
            get(app, selectors, scope, *sections)
        }
    }
}

fn get(app: &App, selectors: &[String], scope: &str, sections: bool) -> Outcome {
    let text = markdown(app, selectors, scope)?;
    let text = if sections { knowledge_sections(&text) } else { text };
    match app.common.json {
        true => app.print_json(&json!({"markdown": text})),
        false => app.print(text.trim_end()),
    }
}

/// The Markdown of `context.get`.
pub fn markdown(app: &App, selectors: &[String], scope: &str) -> Result<String, Failure> {
    let wrong = |word: &str| Failure::usage(format!("`{word}` cannot be selected: summary, decisions, diff"));
    let selectors = selectors.iter().map(|word| Selector::from_word(word).ok_or_else(|| wrong(word)));
    let selectors = selectors.collect::<Result<Vec<_>, _>>()?;
    let extent = Extent::from_word(scope)
        .ok_or_else(|| Failure::usage(format!("`{scope}` is no scope: brief or full")))?;
    let chamber = council::chamber(app)?;
    let diff = match selectors.contains(&Selector::Diff) {
        true => git::head(&chamber.place.root)
            .and_then(|head| git::diff(&chamber.place.root, &head, &[".".to_owned()])),
        false => None,
    };
    // A project without a workspace simply has no work to tell of.
    let work = call(app, Tool::Context, &json!({})).map_or(String::new(), |answer| work(&answer));
    let text = chamber.context(&selectors, extent, &work, diff.as_deref(), app.clock.now());
    text.map_err(|error| council::failure(&error))
}

/// The content of an address, without what is restricted.
fn content(app: &App, address: &str) -> Outcome {
    let named: Address = address.parse().map_err(|error: AddressError| Failure::usage(error.to_string()))?;
    let chamber = council::chamber(app)?;
    let stored = chamber.stored(address).map_err(|error| council::failure(&error))?;
    let content =
        stored.ok_or_else(|| Failure::new(format!("`{address}` is not in the store of this home")))?;
    let text = String::from_utf8_lossy(&content);
    // A record is JSON, in which marks do not stand on lines.
    let shown = match serde_json::from_str::<Value>(&text) {
        _ if named.plain_path().is_some_and(|path| chamber.is_labelled_restricted(&path)) => {
            LEFT_OUT.to_owned()
        }
        Ok(value @ (Value::Object(_) | Value::Array(_))) => shown_json(&value).to_string(),
        Ok(_) | Err(_) => Marked::read(&text).shown(),
    };
    let text = mi_secrets::redact(&shown).into_owned();
    match app.common.json {
        true => app.print_json(&json!({"address": address, "text": text})),
        false => app.print(text.trim_end()),
    }
}

/// Where the work stands, in a few lines.
fn work(answer: &Value) -> String {
    let mut lines = vec![format!("- Branch: {}", text(answer, "branch"))];
    if !text(answer, "goal").is_empty() {
        lines.push(format!("- Goal: {}", text(answer, "goal")));
    }
    if let Some(summary) = answer.get("tasksSummary") {
        lines.push(format!("- Tasks: {} of {} completed", summary["completed"], summary["total"]));
    }
    lines.join("\n")
}

fn glance(app: &App) -> Outcome {
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
    Ok(ExitReason::Done)
}
