//! `mi gate check`: tool calls on standard input, decisions on standard output.
//!
//! What cannot be read as a call is denied: nobody knows what it would do.

use mi_gate::permission::{Action, Decision, Verdict, decide};
use std::io::{self, BufRead, Read};

use super::Setup;
use crate::{
    app::App,
    args::gate::GateCheckArgs,
    failure::{Failure, Outcome},
};

/// The longest call that is read, in bytes.
const MAX_BYTES: u64 = 8 * 1024 * 1024;

pub fn run(app: &App, args: &GateCheckArgs) -> Outcome {
    let setup = Setup::new(app, args.cwd.as_deref(), &args.rules);
    let judge = |bytes: &[u8]| judge(bytes, &setup, args.actor.as_deref());
    let fail = |error: io::Error| Failure::new("read standard input").because(&error);
    if args.batch {
        let mut input = io::stdin().lock();
        let mut line = Vec::new();
        while read_line(&mut input, &mut line).map_err(fail)? {
            print(app, &judge(&line), true)?;
        }
        return Ok(0);
    }
    let mut bytes = Vec::new();
    io::stdin().lock().take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(fail)?;
    let decision = judge(&bytes);
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

fn judge(bytes: &[u8], setup: &Setup, actor: Option<&str>) -> Decision {
    if bytes.len() as u64 > MAX_BYTES {
        return denied("the call is larger than 8 MiB".to_owned());
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => return denied(format!("the call is no UTF-8: {error}")),
    };
    match Action::parse(text) {
        Ok(action) => decide(&action, &setup.context(actor)),
        Err(error) => denied(error.to_string()),
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

pub(super) fn exit(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Allow => 0,
        Verdict::Prompt => 3,
        Verdict::Deny => 4,
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
    Ok(0)
}
