//! `mi permit`: rules become milder or stricter by the transitions of D.19, and in no other way.
//!
//! Holds: what changes is shown before it does; making a rule milder needs a person who types its name on a terminal;
//! every change is on the disk before it counts, and can be taken back.

use mi_gate::permission::{DEFAULT_RULES, History, Layer, Permit, Verdict, builtin_rules, transition_of};
use mi_hook::gate::{Gate, PermitError, PermitLine, Permits, Records};
use mi_journal::Layout;
use serde_json::json;
use std::io::{self, BufRead, IsTerminal, Write};

use super::{gate, journal};
use crate::{
    app::App,
    args::gate::{PermitArgs, PermitDecision},
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

pub fn run(app: &App, args: &PermitArgs) -> Outcome {
    journal::repair(app, &Layout::new(&app.home).gate("permits"))?;
    match (&args.rule, args.decision, &args.undo) {
        (Some(rule), Some(decision), _) => change(app, args, rule, verdict(decision)),
        (_, _, Some(id)) => undo(app, args, id),
        _ => list(app),
    }
}

fn verdict(decision: PermitDecision) -> Verdict {
    match decision {
        PermitDecision::Allow => Verdict::Allow,
        PermitDecision::Prompt => Verdict::Prompt,
        PermitDecision::Deny => Verdict::Deny,
    }
}

fn change(app: &App, args: &PermitArgs, rule: &str, to: Verdict) -> Outcome {
    let gate = gate::open(app, None, &[]);
    gate::tell_problems(app, &gate);
    let (from, what) = standing(app, &gate, rule)?;
    if let Some(why) = gate.lost_permits().filter(|_| to < from) {
        return Err(Failure::denied(format!("`{rule}` stays {}: {why}", from.as_str())));
    }
    if let Some(known) = DEFAULT_RULES.iter().find(|known| known.id == rule && to < known.verdict) {
        let stays = format!("`{rule}` stays {}", from.as_str());
        let why = format!("what is not known is asked about; never milder than {}", known.verdict.as_str());
        return Err(Failure::denied(format!("{stays}: {why}")));
    }
    let safe_uses = Records::new(&app.home).safe_uses(rule).map_err(|error| Failure::of(&error))?;
    // Making a rule stricter needs no settings, and so works also where they are broken.
    let needed_uses = if to < from { app.settings(&app.folder(), &[])?.gate.safe_uses } else { 0 };
    let history = History { human_approved: true, justification: &args.reason, safe_uses, needed_uses };
    if let Err(refusal) = transition_of(rule, from, to, &history) {
        return Err(Failure::denied(format!("`{rule}` stays {}: {refusal}", from.as_str())));
    }
    let change = PermitLine {
        id: String::new(),
        ts: app.clock.now(),
        rule: rule.to_owned(),
        from,
        to,
        reason: mi_secrets::redact(&args.reason).into_owned(),
        safe_uses,
    };
    if from == to {
        return told(app, &change, "nothing to do");
    }
    app.talk(&format!(
        "{rule}: {} -> {}  ({what}; {safe_uses} safe uses on record)",
        from.as_str(),
        to.as_str()
    ));
    if args.dry_run {
        return told(app, &change, "dry run: nothing was changed");
    }
    if to < from {
        confirm(app, rule)?;
    }
    let id = Permits::open(&app.home)
        .and_then(|mut permits| permits.add(app.clock.now(), &change))
        .map_err(|error| Failure::of(&error))?;
    told(app, &PermitLine { id, ..change }, "changed")
}

/// What the rule is now, and what it is about.
fn standing(app: &App, gate: &Gate, rule: &str) -> Result<(Verdict, String), Failure> {
    let sets = gate.rule_sets(&app.folder());
    let builtin = builtin_rules().iter().find(|known| known.id == rule);
    let of_user = sets.iter().filter(|set| set.layer == Layer::User).flat_map(|set| &set.rules);
    let default = DEFAULT_RULES.iter().find(|known| known.id == rule);
    let shipped = match (builtin, default, of_user.into_iter().find(|known| known.id == rule)) {
        (Some(known), _, _) => (known.verdict, known.reason.to_owned()),
        (None, Some(known), _) => (known.verdict, known.reason.to_owned()),
        (None, None, Some(known)) => (known.verdict, known.reason.clone()),
        (None, None, None) => {
            return Err(Failure::usage(format!("there is no rule `{rule}` of the gate or of yours"))
                .todo("mi gate rules lists them; a project's rules are changed in its .mi/gate.yaml"));
        }
    };
    let now = Permit::of(gate.permits(), rule).map_or(shipped.0, |permit| permit.of_shipped(shipped.0));
    Ok((now, shipped.1))
}

/// Variables that agents set for the programs they start.
const AGENTS: [&str; 8] = [
    "CLAUDECODE",
    "CODEX_SANDBOX",
    "CODEX_THREAD_ID",
    "CODEX_CI",
    "OPENCODE",
    "GEMINI_CLI",
    "CURSOR_AGENT",
    "AI_AGENT",
];

/// Only a person at a terminal makes a rule milder, and types its name to do so.
fn confirm(app: &App, rule: &str) -> Result<(), Failure> {
    let agent = AGENTS.iter().find(|name| app.variable(name).is_some());
    if agent.is_some() || !io::stdin().is_terminal() {
        return Err(Failure::needs_person(
            "only a person at a terminal makes a rule milder; nothing was changed",
        )
        .todo("run the same command in a terminal of your own"));
    }
    let mut out = io::stderr().lock();
    drop(write!(out, "Type {rule} to agree: ").and_then(|()| out.flush()));
    drop(out);
    let mut answer = String::new();
    io::stdin()
        .lock()
        .read_line(&mut answer)
        .map_err(|error| Failure::new("read the answer").because(&error))?;
    if answer.trim() == rule {
        return Ok(());
    }
    Err(Failure::needs_person("nothing was changed").todo(format!("type {rule} when asked")))
}

/// Taking back makes a rule what it was before, which may be milder: then the person is asked as well.
fn undo(app: &App, args: &PermitArgs, id: &str) -> Outcome {
    let fail = |error: PermitError| Failure::of(&error);
    let standing = Permits::lines(&app.home).map_err(fail)?;
    let Some(line) = standing.iter().find(|line| line.id == id) else {
        return Err(Failure::usage(format!("no change `{id}` stands")).todo("mi permit lists those that do"));
    };
    // Changes are taken back from the newest on, so that each leaves what was there before it.
    if standing.iter().rev().find(|other| other.rule == line.rule).is_some_and(|newest| newest.id != id) {
        return Err(Failure::usage(format!("`{}` was changed again after {id}", line.rule))
            .todo("take the newer change back first"));
    }
    app.talk(&format!("{}: {} -> {}", line.rule, line.to.as_str(), line.from.as_str()));
    if args.dry_run {
        return told(app, line, "dry run: nothing was changed");
    }
    if line.from < line.to {
        confirm(app, &line.rule)?;
    }
    let mut permits = Permits::open(&app.home).map_err(fail)?;
    permits.undo(app.clock.now(), id, &args.reason).map_err(fail)?;
    told(app, line, "taken back")
}

fn told(app: &App, line: &PermitLine, status: &str) -> Outcome {
    if app.common.json {
        return app.print_json(&json!({
            "id": line.id, "rule": line.rule, "from": line.from, "to": line.to, "reason": line.reason,
            "safe_uses": line.safe_uses, "status": status,
        }));
    }
    let id =
        if line.id.is_empty() { String::new() } else { format!("  take back: mi permit --undo {}", line.id) };
    app.print(&format!("{} {} -> {}: {status}{id}", line.rule, line.from.as_str(), line.to.as_str()))
}

fn list(app: &App) -> Outcome {
    let lines = Permits::lines(&app.home).map_err(|error| Failure::of(&error))?;
    if app.common.json {
        return app.print_json(&json!(lines));
    }
    if lines.is_empty() {
        return app.print("No rule was changed. Change one: mi permit RULE allow|prompt|deny --reason '…'");
    }
    for line in &lines {
        app.print(&format!(
            "{}  {}  {} -> {}  {}",
            app.look.strong(&line.id),
            line.rule,
            line.from.as_str(),
            line.to.as_str(),
            line.reason
        ))?;
    }
    Ok(ExitReason::Done)
}
