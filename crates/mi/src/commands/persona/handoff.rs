//! `mi handoff`: a task on its way from one member to another (D.8).

use mi_persona::{
    HandoffError, Member,
    handoff::{Answer, Handoff, State},
};
use serde_json::{Value, json};

use super::{access, member, open, say, today};
use crate::{
    app::App,
    args::persona::{As, HandoffAction, HandoffArgs},
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

pub fn run(app: &App, args: &HandoffArgs) -> Outcome {
    match &args.action {
        HandoffAction::New { task, to, context, criteria, constraints, not_in_scope, who } => {
            let to = Member::new(to).map_err(|error| Failure::usage(error.to_string()))?;
            offer(
                app,
                Handoff {
                    id: String::new(),
                    from: member(app, who)?.to_string(),
                    to: to.to_string(),
                    status: State::Offered,
                    created: String::new(),
                    task: task.clone(),
                    context: context.clone(),
                    acceptance_criteria: criteria.clone(),
                    constraints: constraints.clone(),
                    not_in_scope: not_in_scope.clone(),
                    deliverables: Vec::new(),
                    reason: None,
                },
            )
        }
        HandoffAction::Accept { id, who } => answer(app, id, who, &Answer::Accept),
        HandoffAction::Reject { id, reason, who } => {
            answer(app, id, who, &Answer::Reject { reason: reason.clone() })
        }
        HandoffAction::Complete { id, deliverables, who } => {
            answer(app, id, who, &Answer::Complete { deliverables: deliverables.clone() })
        }
        HandoffAction::List => list(app),
        HandoffAction::Show { id } => show(app, id),
    }
}

fn offer(app: &App, draft: Handoff) -> Outcome {
    let (handoff, path) = open(app)?.new_handoff(draft, today(app)).map_err(|error| explain(&error))?;
    if app.common.json {
        return app.print_json(&described(&handoff, &path));
    }
    let (id, to) = (&handoff.id, &handoff.to);
    app.print(&format!(
        "{id} is offered to {to}: {path}\nNext: {to} answers: mi handoff accept {id} --as {to}"
    ))
}

fn answer(app: &App, id: &str, who: &As, answer: &Answer) -> Outcome {
    let by = member(app, who)?;
    let (handoff, path) =
        open(app)?.answer_handoff(id, by.as_str(), answer).map_err(|error| explain(&error))?;
    if app.common.json {
        return app.print_json(&described(&handoff, &path));
    }
    app.print(&format!("{} is {}.", handoff.id, handoff.status.as_str()))
}

fn described(handoff: &Handoff, path: &str) -> Value {
    let mut value = serde_json::to_value(handoff).unwrap_or(Value::Null);
    value["path"] = json!(path);
    value
}

fn list(app: &App) -> Outcome {
    let mut problems = Vec::new();
    let handoffs = open(app)?.handoffs_with(&mut problems).map_err(|error| access(&error))?;
    say(app, &problems);
    if app.common.json {
        app.print_json(&json!({"handoffs": handoffs, "problems": problems}))?;
    } else if handoffs.is_empty() {
        app.print("No handoffs.")?;
    } else {
        for handoff in &handoffs {
            let task = app.look.one_line(&handoff.task, 50);
            app.print(&format!(
                "{}  {:<9} {} → {}  {task}",
                handoff.id,
                handoff.status.as_str(),
                handoff.from,
                handoff.to
            ))?;
        }
    }
    Ok(ExitReason::failed_if(!problems.is_empty()))
}

fn show(app: &App, id: &str) -> Outcome {
    let (handoff, path, text) = open(app)?.find_handoff(id).map_err(|error| match error {
        HandoffError::Unknown(_) => Failure::of(&error),
        error => explain(&error),
    })?;
    if app.common.json {
        return app.print_json(&described(&handoff, &path));
    }
    app.print(text.trim_end())
}

fn explain(error: &HandoffError) -> Failure {
    match error {
        HandoffError::Access(source) => access(source),
        HandoffError::Refused(refusal) if refusal.is_denial() => {
            Failure::of(error).ending(ExitReason::Denied)
        }
        HandoffError::Refused(_) => Failure::of(error).ending(ExitReason::NeedsYou),
        HandoffError::Unknown(_) => Failure::of(error).ending(ExitReason::WrongUsage),
        HandoffError::Front { .. } => Failure::of(error).ending(ExitReason::Failed),
        HandoffError::Secret => Failure::of(error).ending(ExitReason::Denied),
    }
}
