//! `mi session`: the log of what was done, decided and comes next (D.11, D.12).

use mi_gate::{
    intake::{WordTable, session_end},
    messages::Message,
};
use mi_persona::{AutoSave, Moment, OpenSession, Persona, Save, Saved, SessionError, log::Items, trigger};
use serde_json::{Value, json};

use super::{access, locale, member, open, today};
use crate::{
    app::App,
    args::persona::{As, EndArgs, SaveArgs, SessionAction, SessionArgs, WhatArgs},
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

pub fn run(app: &App, args: &SessionArgs) -> Outcome {
    match &args.action {
        SessionAction::Start { slot, who } => start(app, slot.as_deref(), who),
        SessionAction::Save(args) => save(app, args),
        SessionAction::End(args) => end(app, args),
        SessionAction::List { n } => list(app, *n),
    }
}

fn start(app: &App, slot: Option<&str>, who: &As) -> Outcome {
    let persona = open(app)?;
    let member = member(app, who)?;
    open_sessions(app, &persona)?;
    let session = persona.start_session(&moment(app, &member), slot).map_err(|error| explain(&error))?;
    if app.common.json {
        return app.print_json(&json!(session));
    }
    app.print(&format!(
        "Session {} is open in slot {}.\nNext: mi session end --completed 'TEXT' --next 'TEXT'",
        session.session, session.slot
    ))
}

/// The sessions that are open; a list that could not be read is told.
fn open_sessions(app: &App, persona: &Persona) -> Result<Vec<OpenSession>, Failure> {
    let mut notes = Vec::new();
    let open = persona.open_sessions_with(&mut notes).map_err(|error| explain(&error))?;
    notes.iter().for_each(|note| app.talk(&format!("mi: {note}")));
    Ok(open)
}

fn moment<'a>(app: &App, member: &'a mi_persona::Member) -> Moment<'a> {
    Moment {
        member,
        today: today(app),
        now: app.clock.now(),
        locale: locale(app),
        salt: u64::from(std::process::id()),
    }
}

fn save(app: &App, args: &SaveArgs) -> Outcome {
    let auto = args.auto.and_then(trigger).map(|event| AutoSave {
        event,
        in_progress: args.in_progress,
        new_instruction: args.new_instruction,
    });
    if auto.is_none() && items(&args.what).is_empty() {
        return Err(Failure::usage("there is nothing to save")
            .todo("give --completed, --decision, --next, --insight, --external or --incident"));
    }
    write(app, &args.what, auto, false)
}

fn end(app: &App, args: &EndArgs) -> Outcome {
    if let Some(message) = &args.on_message {
        let message = app.text_or_stdin(message)?;
        if session_end(&message, &WordTable::default()).is_none() {
            return match app.common.json {
                true => app.print_json(&json!({"triggered": false, "saved": false})),
                false => app.print("The message does not end the session; nothing was written."),
            };
        }
    }
    write(app, &args.what, None, true)
}

fn write(app: &App, what: &WhatArgs, auto: Option<AutoSave>, end: bool) -> Outcome {
    let persona = open(app)?;
    let member = member(app, &what.who)?;
    let save = Save { session: what.session.clone(), slot: what.slot.clone(), items: items(what), auto, end };
    let saved = persona.save_session(&moment(app, &member), &save).map_err(|error| explain(&error))?;
    if saved.redacted {
        app.talk(&Message::SecretDetected.text(locale(app)));
    }
    for note in &saved.notes {
        app.talk(&format!("mi: {note}"));
    }
    if app.common.json {
        let mut value = serde_json::to_value(&saved).unwrap_or(Value::Null);
        value["triggered"] = json!(saved.held_back.is_none());
        return app.print_json(&value);
    }
    show(app, &saved)
}

fn show(app: &App, saved: &Saved) -> Outcome {
    if let Some(reason) = saved.held_back {
        return app.print(&format!("Not saved: {reason}."));
    }
    // An automatic save is reported in one line (D.12).
    if let Some(line) = &saved.line {
        return app.print(line);
    }
    let first = if saved.first { " It is the first log of this persona." } else { "" };
    app.print(&format!("Saved to {}, day's log {}.{first}", saved.path, saved.roll_up))?;
    if saved.ended && saved.next_steps == 0 {
        // The session is over: the same command again would begin another one.
        app.talk(&format!(
            "mi: {} lists no next steps; write them into it, or end with --next 'TEXT'",
            saved.path
        ));
    }
    if saved.ended && saved.pending_proposals > 0 {
        app.print(&format!(
            "{} wait for review: mi card list --proposals",
            crate::commands::workspace::counted(saved.pending_proposals, "proposal")
        ))?;
    }
    Ok(ExitReason::Done)
}

fn items(what: &WhatArgs) -> Items {
    Items {
        completed_items: what.completed.clone(),
        decisions: what.decisions.clone(),
        next_steps: what.next.clone(),
        candidate_insights: what.insights.clone(),
        external_ai_calls: what.external.clone(),
        incidents: what.incidents.clone(),
    }
}

fn list(app: &App, most: usize) -> Outcome {
    let persona = open(app)?;
    let open_sessions = open_sessions(app, &persona)?;
    let mut logs = persona.list_sessions().map_err(|error| explain(&error))?;
    let total = logs.len();
    logs.truncate(most);
    if app.common.json {
        return app.print_json(&json!({"open": open_sessions, "logs": logs, "total": total}));
    }
    for session in &open_sessions {
        let line = format!(
            "open  {}  slot {}  {}  since {:.16}",
            session.session,
            session.slot,
            session.member,
            session.started.to_string()
        );
        app.print(&app.look.strong(&line))?;
    }
    for log in &logs {
        let slot = log.slot.as_deref().map_or("day".to_owned(), |slot| format!("slot {slot}"));
        app.print(&format!("{}  {slot:<8} {}", log.date, app.look.faint(&log.path)))?;
    }
    if logs.is_empty() && open_sessions.is_empty() {
        return app.print("No sessions yet. Begin one: mi session start");
    }
    Ok(ExitReason::Done)
}

fn explain(error: &SessionError) -> Failure {
    match error {
        SessionError::Access(source) => access(source),
        SessionError::State(_) | SessionError::Front { .. } => Failure::of(error).ending(ExitReason::Failed),
        SessionError::SlotName(_)
        | SessionError::SlotTaken { .. }
        | SessionError::Unknown(_)
        | SessionError::Ambiguous(_) => Failure::of(error).ending(ExitReason::WrongUsage),
    }
}
