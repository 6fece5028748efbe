//! `mi config`: every setting with its origin.

use mi_config::Value as Setting;
use serde_json::json;

use crate::{
    app::App,
    args::{ConfigAction, ConfigArgs},
    exit_reason::ExitReason,
    failure::Outcome,
};

pub fn run(app: &App, args: &ConfigArgs) -> Outcome {
    match args.action.as_ref().unwrap_or(&ConfigAction::Show) {
        ConfigAction::Show => show(app),
        ConfigAction::Path => path(app),
    }
}

fn show(app: &App) -> Outcome {
    let folder = app.folder();
    let resolved = mi_config::resolve(&app.layers(&folder), &app.environment, &[]);
    if app.common.json {
        let settings: Vec<_> = resolved
            .shown
            .iter()
            .map(|shown| json!({"key": shown.key, "value": value(&shown.value), "origin": shown.origin.to_string()}))
            .collect();
        let problems: Vec<String> = resolved.problems.iter().map(ToString::to_string).collect();
        return app.print_json(&json!({"settings": settings, "problems": problems}));
    }
    let width = resolved.shown.iter().map(|shown| shown.key.len()).max().unwrap_or(0);
    for shown in &resolved.shown {
        let value = match &shown.value {
            Setting::Text(text) if text.is_empty() => "(not set)".to_owned(),
            value => value.to_string(),
        };
        app.print(&format!(
            "{:<width$}  {value:<28} {}",
            shown.key,
            app.look.faint(&shown.origin.to_string())
        ))?;
    }
    for problem in &resolved.problems {
        app.talk(&format!("mi: {problem}"));
    }
    Ok(ExitReason::Done)
}

fn value(setting: &Setting) -> serde_json::Value {
    match setting {
        Setting::Text(text) => json!(text),
        Setting::Number(number) => json!(number),
        Setting::Duration(duration) => json!(mi_config::format_duration(*duration)),
        Setting::Words(words) => json!(words),
        Setting::Switch(on) => json!(on),
    }
}

fn path(app: &App) -> Outcome {
    let paths = app.config_paths(&app.folder());
    if app.common.json {
        let paths: Vec<_> = paths
            .iter()
            .map(|(level, path)| json!({"level": level.as_str(), "path": path, "exists": path.exists()}))
            .collect();
        return app.print_json(&json!(paths));
    }
    for (level, path) in paths {
        let there = if path.exists() { "" } else { "  (not there)" };
        app.print(&format!("{:<8} {}{there}", level.as_str(), path.display()))?;
    }
    Ok(ExitReason::Done)
}
