//! `mi ack`: the person acknowledges a high-risk request (D.3, D.22). The gate denies this command to tools.

use mi_hook::gate::{Records, Session, Waiting};
use serde_json::{Value, json};

use crate::{
    app::App,
    args::gate::AckArgs,
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

pub fn run(app: &App, args: &AckArgs) -> Outcome {
    let sessions = match &args.state {
        Some(folder) => vec![Session::at(folder)],
        None => Session::all(&app.home),
    };
    match &args.id {
        Some(id) => acknowledge(app, &sessions, id),
        None => list(app, &sessions),
    }
}

fn acknowledge(app: &App, sessions: &[Session], id: &str) -> Outcome {
    let now = app.clock.now();
    for session in sessions {
        // Journalled first: what is acknowledged is never without its record.
        let waits = waiting(session)?.iter().any(|waiting| waiting.id == id);
        if waits {
            journal(app, session, id)?;
        }
        let found = session.acknowledge(id, now).map_err(|error| Failure::of(&error))?;
        if found.is_some() && app.common.json {
            return app.print_json(&json!({"acknowledged": id}));
        }
        if found.is_some() {
            return app.print(&format!("{id} is acknowledged; the work may go on."));
        }
    }
    Err(Failure::usage(format!("nothing waits under `{id}`")).todo("mi ack lists what waits"))
}

fn journal(app: &App, session: &Session, id: &str) -> Result<(), Failure> {
    let fields = json!({"session": session.name(), "id": id});
    Records::new(&app.home)
        .person(app.clock.now(), "acknowledged", fields)
        .map_err(|error| Failure::of(&error))
}

fn waiting(session: &Session) -> Result<Vec<Waiting>, Failure> {
    session.waiting().map_err(|error| Failure::of(&error))
}

fn list(app: &App, sessions: &[Session]) -> Outcome {
    let mut found = Vec::new();
    for session in sessions {
        found.extend(waiting(session)?.into_iter().map(|waiting| (session.name(), waiting)));
    }
    if app.common.json {
        let rows: Vec<_> = found
            .iter()
            .map(|(session, waiting)| {
                json!({"id": waiting.id, "session": session, "since": waiting.since, "triggers": waiting.triggers})
            })
            .collect();
        return app.print_json(&json!(rows));
    }
    if found.is_empty() {
        return app.print("Nothing waits for your acknowledgement.");
    }
    for (session, waiting) in &found {
        let triggers = json!(waiting.triggers);
        let triggers: Vec<&str> =
            triggers.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let triggers = triggers.join(", ");
        app.print(&format!(
            "{}  {}  session {session}  {triggers}",
            app.look.strong(&waiting.id),
            waiting.since
        ))?;
    }
    Ok(ExitReason::Done)
}
