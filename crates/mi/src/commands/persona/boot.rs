//! `mi boot`: what a member must know at the start of a session (D.2).

use mi_persona::{Boot, BootError, BootRequest, Loaded};
use serde_json::{Value, json};

use super::{access, age, locale, member, open, say, today};
use crate::{
    app::App,
    args::persona::BootArgs,
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

pub fn run(app: &App, args: &BootArgs) -> Outcome {
    let persona = open(app)?;
    let member = member(app, &args.who)?;
    let age = age(app, &member, args.identity.as_deref())?;
    let request = BootRequest { member: &member, today: today(app), locale: locale(app), unseal: &age };
    let boot = persona.boot(&request).map_err(|error| match &error {
        BootError::Access(source) => access(source),
        BootError::MissingCore(_) => Failure::of(&error).ending(ExitReason::Failed),
    })?;
    say(app, &boot.problems);
    if app.common.json {
        let mut value = serde_json::to_value(&boot).unwrap_or(Value::Null);
        value["persona"] = json!(persona.root());
        app.print_json(&value)?;
    } else {
        show(app, &boot, args.full)?;
    }
    Ok(ExitReason::failed_if(!boot.problems.is_empty()))
}

fn show(app: &App, boot: &Boot, full: bool) -> Outcome {
    for item in &boot.loaded {
        app.print(&line(app, item, boot))?;
        if let Some(text) = item.text.as_ref().filter(|_| full) {
            app.print(&format!("{}\n", text.trim_end()))?;
        }
    }
    for skipped in &boot.skipped {
        app.print(&app.look.faint(&format!("      {:<7} {}: {}", "-", skipped.path, skipped.message)))?;
    }
    for message in boot.messages.iter().filter(|message| !boot.status_line.contains(message.as_str())) {
        app.print(message)?;
    }
    app.print(&app.look.strong(&boot.status_line))
}

fn line(app: &App, item: &Loaded, boot: &Boot) -> String {
    let size = match item.kind {
        "index" => format!("{} cards", boot.index.cards),
        _ => format!("{} bytes", item.bytes),
    };
    format!("{:>4}  {:<7} {}  {}", item.order, item.tier, item.path, app.look.faint(&size))
}
