//! `mi gate check`: tool calls on standard input, decisions on standard output.
//!
//! What cannot be read as a call is denied: nobody knows what it would do.

use mi_gate::permission::{Action, Decision, Verdict};
use mi_hook::gate::{Call, Gate, Session, decide_action};
use std::io::{self, BufRead, Read};

use crate::{
    app::App,
    args::gate::GateCheckArgs,
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

/// The longest call that is read, in bytes.
const MAX_BYTES: u64 = 8 * 1024 * 1024;

pub fn run(app: &App, args: &GateCheckArgs) -> Outcome {
    let gate = super::open_for(app, args.actor.as_deref(), args.cwd.as_deref(), &args.rules);
    let gate = match &args.protocol {
        Some(name) => gate.with_rules(super::protocol::rules(name)?),
        None => gate,
    };
    super::tell_problems(app, &gate);
    let judge = Judge { app, gate: &gate, args, session: args.state.as_ref().map(Session::at) };
    let fail = |error: io::Error| Failure::new("read standard input").because(&error);
    if args.batch {
        let mut input = io::stdin().lock();
        let mut line = Vec::new();
        while read_line(&mut input, &mut line).map_err(fail)? {
            print(app, &judge.judge(&line), true)?;
        }
        return Ok(ExitReason::Done);
    }
    let mut bytes = Vec::new();
    io::stdin().lock().take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(fail)?;
    let decision = judge.judge(&bytes);
    print(app, &decision, app.common.json)?;
    Ok(exit(decision.verdict))
}

/// One line without its end; what is longer than a call may be is cut, and then denied.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let read = input.by_ref().take(MAX_BYTES + 1).read_until(b'\n', line)?;
    if line.last() == Some(&b'\n') {
        line.pop();
    } else if line.len() as u64 > MAX_BYTES {
        skip_rest(input)?;
    }
    Ok(read > 0)
}

fn skip_rest(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let (used, ended) = match input.fill_buf()? {
            [] => return Ok(()),
            bytes => match bytes.iter().position(|byte| *byte == b'\n') {
                Some(end) => (end + 1, true),
                None => (bytes.len(), false),
            },
        };
        input.consume(used);
        if ended {
            return Ok(());
        }
    }
}

struct Judge<'a> {
    app: &'a App,
    gate: &'a Gate,
    args: &'a GateCheckArgs,
    session: Option<Session>,
}

impl Judge<'_> {
    fn judge(&self, bytes: &[u8]) -> Decision {
        if bytes.len() as u64 > MAX_BYTES {
            return denied("the call is larger than 8 MiB".to_owned());
        }
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => return denied(format!("the call is no UTF-8: {error}")),
        };
        match Action::parse(text) {
            Ok(action) => self.decide(&action),
            Err(error) => denied(error.to_string()),
        }
    }

    fn decide(&self, action: &Action) -> Decision {
        let actor = self.args.actor.as_deref();
        let Some(session) = &self.session else {
            let decision = self.gate.decide(action, actor);
            super::tell_problems(self.app, self.gate);
            return decision;
        };
        let call = Call { action, actor, id: None };
        let ruling = decide_action(self.gate, session, &call, self.app.clock.now());
        for problem in &ruling.problems {
            self.app.talk(&format!("mi: {problem}"));
        }
        ruling.decision
    }
}

fn denied(reason: String) -> Decision {
    Decision {
        verdict: Verdict::Deny,
        rule: "mi.bad-input".to_owned(),
        reason,
        alternative: Some("send one JSON object with tool, input and cwd".to_owned()),
        parts: Vec::new(),
    }
}

pub(super) fn exit(verdict: Verdict) -> ExitReason {
    match verdict {
        Verdict::Allow => ExitReason::Done,
        Verdict::Prompt => ExitReason::NeedsYou,
        Verdict::Deny => ExitReason::Denied,
    }
}

pub(super) fn print(app: &App, decision: &Decision, json: bool) -> Outcome {
    if json {
        let value = serde_json::to_value(decision)
            .map_err(|error| Failure::new("write the decision").because(&error))?;
        return app.print_json(&value);
    }
    let word = match decision.verdict {
        Verdict::Allow => app.look.good("allow"),
        Verdict::Prompt => app.look.warn("prompt"),
        Verdict::Deny => app.look.bad("deny"),
    };
    app.print(&format!("{word}  {}  {}", decision.rule, decision.reason))?;
    for part in &decision.parts {
        app.print(&format!("  {}  {} ({}): {}", part.target, part.rule, part.effect, part.reason))?;
    }
    if let Some(alternative) = &decision.alternative {
        app.print(&format!("  instead: {alternative}"))?;
    }
    Ok(ExitReason::Done)
}
