//! `mi prompt`: the inserts for system prompts.

use mi_council::{
    prompts::{INSERTS, compose, insert, roles},
    template::missing_sections,
};
use serde_json::json;

use crate::{
    app::App,
    args::council::{PromptAction, PromptArgs},
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

pub fn run(app: &App, args: &PromptArgs) -> Outcome {
    match &args.action {
        PromptAction::Show { name: None } => {
            let names: Vec<&str> = INSERTS.iter().map(|insert| insert.name).collect();
            if app.common.json { app.print_json(&json!(names)) } else { app.print(&names.join("\n")) }
        }
        PromptAction::Show { name: Some(name) } => {
            let text = insert(name).ok_or_else(|| {
                Failure::usage(format!("there is no insert `{name}`")).todo("mi prompt show")
            })?;
            print(app, name, text)
        }
        PromptAction::Compose { role } => {
            let known = roles().collect::<Vec<_>>().join(", ");
            let text = compose(role).ok_or_else(|| {
                Failure::usage(format!("there is no prompt for `{role}`; roles are {known}"))
            })?;
            print(app, role, &text)
        }
        PromptAction::Check { file } => check(app, file),
    }
}

/// Says which sections an answer lacks (Rule K).
fn check(app: &App, file: &str) -> Outcome {
    let text = match file {
        "-" => app.text_or_stdin(file)?,
        file => std::fs::read(app.folder().join(file))
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .map_err(|error| Failure::usage(format!("read the answer `{file}`")).because(&error))?,
    };
    let missing = missing_sections(&text);
    match app.common.json {
        true => app.print_json(&json!({"ok": missing.is_empty(), "missing": missing}))?,
        false if missing.is_empty() => app.print("The answer has its sections.")?,
        false => app.print(&format!("missing or out of order: {}", missing.join(", ")))?,
    };
    Ok(ExitReason::failed_if(!missing.is_empty()))
}

fn print(app: &App, name: &str, text: &str) -> Outcome {
    match app.common.json {
        true => app.print_json(&json!({"name": name, "text": text})),
        false => app.print(text.trim_end()),
    }
}
