//! A native call in which the gate has its say: armed with a denial, then the gate, then the life cycle, one answer.

use std::io::Read;

use mi_formats::hooks::{Answer, Event, GateAnswer, Harness, encode, encode_gate};
use serde_json::Value;

use crate::{
    Exit, HookError, MOST_BYTES, MOST_BYTES_BEFORE_TOOL, World, answer,
    arguments::{Arguments, CommandLine, Part, Problem},
    failed,
    native::{self, NativeCall, Said},
    read,
    reply::Reply,
};

/// What is printed if a call never comes to its end: a denial where the gate is asked before a tool. `why` is in this
/// program's own words: nothing in them is looked for that must not be shown, since every call makes its last word first.
pub fn last_word(line: &CommandLine, why: &'static str) -> Exit {
    ending(line, why)
}

/// The same for a call that could not begin.
pub fn not_begun(line: &CommandLine, why: &str) -> Exit {
    ending(line, &native::harmless(why))
}

fn ending(line: &CommandLine, why: &str) -> Exit {
    match &line.arguments {
        Ok(Arguments {
            harness: Some(harness),
            event: Event::PreToolUse,
            part: Part::Both | Part::Gate,
            ..
        }) => native::harmless_denial(*harness, format!("mi gate: {why}, so this is denied")),
        Err(Problem { gate: true, event: None | Some(Event::PreToolUse), .. }) => {
            native::plain_denial(&format!("{why}, so this is denied"))
        }
        _ => failed(why, 1),
    }
}

/// What is said in place of an answer that could not be printed: before a tool, silence would be an allowance.
pub fn unheard(line: &CommandLine, exit: &Exit) -> Option<Exit> {
    let before_tool = last_word(line, "").code != 1;
    (before_tool && !exit.stdout.is_empty())
        .then(|| native::plain_denial("the answer could not be printed, so this is denied"))
}

/// A command line that is not understood. The harness is not known for sure: exit 2 would block in some of them, which
/// is right only before a tool.
pub(crate) fn misunderstood(problem: &Problem, input: impl Read) -> Exit {
    let code = if problem.native { 1 } else { 2 };
    if !problem.gate || problem.event.is_some_and(|event| event != Event::PreToolUse) {
        return failed(&problem.message, code);
    }
    let payload = read(input, Some(Harness::Claude), MOST_BYTES_BEFORE_TOOL).unwrap_or_default();
    let called = payload.get("hook_event_name").and_then(Value::as_str).and_then(Event::from_name);
    match problem.event.or(called) {
        None | Some(Event::PreToolUse) => {
            native::plain_denial(&format!("{}, so this is denied", problem.message))
        }
        Some(_) => failed(&problem.message, code),
    }
}

/// The gate first, then, unless only the gate is asked, the life cycle.
pub(crate) fn run(arguments: &Arguments, harness: Harness, input: impl Read, world: &World<'_>) -> Exit {
    let fail = |event: Event, error: &HookError| match event {
        Event::PreToolUse => native::denial(
            harness,
            &format!("mi gate: the call was not understood, so it is denied: {error}"),
        ),
        _ => failed(&error.to_string(), 1),
    };
    let most = if arguments.event == Event::PreToolUse { MOST_BYTES_BEFORE_TOOL } else { MOST_BYTES };
    let payload = match read(input, Some(harness), most) {
        Ok(payload) => payload,
        Err(error) => return fail(arguments.event, &error),
    };
    // What the agent itself says it is about counts where it is a tool: nothing else may be answered then.
    let named = payload.get("hook_event_name").and_then(Value::as_str);
    let event = if named == Some("PreToolUse") { Event::PreToolUse } else { arguments.event };
    let said = match (NativeCall { harness, event, payload: &payload, world }).run() {
        Ok(said) => said,
        Err(error) if event == Event::PreToolUse || arguments.part == Part::Gate => {
            return fail(event, &error);
        }
        Err(error) => Said { answer: GateAnswer::silence(), problems: vec![error.to_string()] },
    };
    let lifecycle = match arguments.part {
        Part::Both => answer(arguments, payload, world).map(|(reply, _)| reply),
        Part::Gate | Part::Lifecycle => Ok(Reply::default()),
    };
    both(harness, event, said, lifecycle)
}

/// One answer out of two: a denial of either is a denial, what both say is said together.
fn both(harness: Harness, event: Event, said: Said, lifecycle: Result<Reply, HookError>) -> Exit {
    let mut problems = said.problems;
    let failed_both = lifecycle.is_err() && said.answer == GateAnswer::silence();
    let reply = lifecycle.unwrap_or_else(|error| {
        problems.push(error.to_string());
        Reply::default()
    });
    let stderr =
        problems.iter().map(|problem| format!("mi hook: {}\n", problem.replace(['\n', '\r'], " "))).collect();
    let value = match (said.answer, reply.block) {
        (GateAnswer::Allow | GateAnswer::Ask { .. }, Some(reason)) if event == Event::PreToolUse => {
            encode_gate(harness, event, &GateAnswer::Deny { reason })
        }
        (GateAnswer::Note { .. }, Some(reason)) => {
            encode(harness, event, &Answer { context: reply.context, block: Some(reason) }).0
        }
        (GateAnswer::Note { model, person }, None) => {
            let model = match (model, reply.context) {
                (Some(model), Some(context)) => Some(format!("{context}\n\n{model}")),
                (model, context) => model.or(context),
            };
            encode_gate(harness, event, &GateAnswer::Note { model, person })
        }
        (answer, _) => encode_gate(harness, event, &answer),
    };
    let stdout = value.map(|value| format!("{value}\n")).unwrap_or_default();
    Exit { stdout, stderr, code: u8::from(failed_both && event != Event::PreToolUse) }
}
