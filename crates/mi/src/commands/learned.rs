//! `mi learned`: rules that hold besides the values; all of them can be taken back.

use mi_journal::{JournalError, LearnedLog, LogPlace};
use mi_model::LearnedScope;
use serde_json::json;

use crate::{
    app::App,
    args::{LearnedAction, LearnedArgs, Scope},
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

pub fn run(app: &App, args: &LearnedArgs) -> Outcome {
    match &args.action {
        LearnedAction::List => list(app),
        LearnedAction::Add { text, scope } => add(app, text, *scope),
        LearnedAction::Disable { id, scope } => disable(app, id, *scope),
    }
}

fn list(app: &App) -> Outcome {
    let mindset = app.project()?.mindset().map_err(|error| Failure::of(&error))?;
    for note in &mindset.notes {
        app.talk(&format!("mi: {note}"));
    }
    if app.common.json {
        return app.print_json(&json!(mindset.learned));
    }
    if mindset.learned.is_empty() {
        return app
            .print("Nothing was learned yet. Add a rule: mi learned add 'Ask before installing packages.'");
    }
    for rule in &mindset.learned {
        let scope = match rule.scope {
            LearnedScope::Global => "global ",
            LearnedScope::Project => "project",
        };
        app.print(&format!("{}  {scope}  {}", app.look.strong(&rule.id), rule.text))?;
    }
    Ok(ExitReason::Done)
}

fn add(app: &App, text: &str, scope: Scope) -> Outcome {
    if text.trim().is_empty() {
        return Err(Failure::usage("the rule is empty"));
    }
    let mut log = open(app, scope)?;
    let id = log
        .add(app.clock.now(), None, text.trim(), "added by the person", None)
        .map_err(|error| Failure::of(&error))?;
    if app.common.json {
        return app.print_json(&json!({"id": id, "text": text.trim()}));
    }
    app.print(&format!("{id} learned. Take it back: mi learned disable {id}"))
}

fn disable(app: &App, id: &str, scope: Option<Scope>) -> Outcome {
    let scopes = scope.map_or(vec![Scope::Project, Scope::Global], |scope| vec![scope]);
    for scope in scopes {
        match open(app, scope)?.disable(app.clock.now(), None, id, "taken back by the person") {
            Ok(()) if app.common.json => return app.print_json(&json!({"disabled": id})),
            Ok(()) => return app.print(&format!("{id} no longer holds.")),
            Err(JournalError::UnknownRule { .. }) => {}
            Err(error) => return Err(Failure::of(&error)),
        }
    }
    Err(Failure::usage(format!("no learned rule `{id}` is in force")).todo("mi learned list"))
}

fn open(app: &App, scope: Scope) -> Result<LearnedLog, Failure> {
    let project = app.project()?;
    project.layout.create(&project.id).map_err(|error| Failure::of(&error))?;
    let (place, scope): (LogPlace, LearnedScope) = match scope {
        Scope::Global => (project.layout.global_learned(), LearnedScope::Global),
        Scope::Project => (project.files.learned(), LearnedScope::Project),
    };
    LearnedLog::open(&place, scope).map_err(|error| Failure::of(&error))
}
