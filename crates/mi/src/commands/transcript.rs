//! `mi transcript`: what the agent or the mind said, rendered or raw.

use mi_formats::{AgentEvent, codex};
use mi_journal::{Follower, Line, LogReader, ProjectLayout};
use serde_json::Value;
use std::{
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use crate::{
    app::App,
    args::{Speaker, TranscriptArgs},
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

/// The most of one stored line that is rendered.
const MOST_CHARACTERS: usize = 2000;

pub fn run(app: &App, args: &TranscriptArgs) -> Outcome {
    let project = app.project()?;
    let (mind, _) = project.layout.base().load_or_default().map_err(|error| Failure::of(&error))?;
    if !mind.transparency.ui_expandable_transcript {
        return Err(Failure::needs_person(
            "transcripts are not shown (transparency.ui_expandable_transcript is false)",
        )
        .todo(format!(
            "read `mi log` and `mi why`, or set it to true in {}",
            project.layout.base().path().display()
        )));
    }
    let folder = match args.speaker {
        Speaker::Hands => project.files.hands_transcripts(),
        Speaker::Mind => project.files.mind_transcripts(),
    };
    for repair in project.repair_transcripts().map_err(|error| Failure::of(&error))? {
        app.talk(&format!("mi: {repair}"));
    }
    let Some(newest) = ProjectLayout::transcripts(&folder).max() else {
        return Err(
            Failure::new("there is no transcript for this project yet").todo("start with: mi run 'TASK'")
        );
    };
    let reader = LogReader::open(&newest).map_err(|error| Failure::of(&error))?;
    app.talk(&app.look_of_talk().faint(&format!("{}", newest.display())));
    for line in reader.tail(args.n).map_err(|error| Failure::of(&error))? {
        print(app, args, &line)?;
    }
    if !args.follow {
        return Ok(ExitReason::Done);
    }
    let end = reader.length().map_err(|error| Failure::of(&error))?;
    follow(app, args, &folder, newest, end)
}

/// Prints what is added, and goes over to the next batch's transcript when there is one.
fn follow(app: &App, args: &TranscriptArgs, folder: &Path, newest: PathBuf, end: u64) -> Outcome {
    let (mut current, mut follower) = (newest.clone(), Follower::new(&newest, end));
    loop {
        // Looked for before the last lines are read: whoever starts the next one has finished this one.
        let next = ProjectLayout::transcripts(folder).filter(|path| *path > current).min();
        let lines = follower.poll(1000).map_err(|error| Failure::of(&error))?;
        for line in &lines {
            print(app, args, line)?;
        }
        match next {
            Some(next) if lines.is_empty() => {
                app.talk(&app.look_of_talk().faint(&format!("{}", next.display())));
                (follower, current) = (Follower::new(&next, 0), next);
            }
            None if lines.is_empty() => thread::sleep(Duration::from_millis(200)),
            _ => {}
        }
    }
}

fn print(app: &App, args: &TranscriptArgs, line: &Line) -> Outcome {
    if args.raw || app.common.json {
        return app.print(&String::from_utf8_lossy(&line.bytes));
    }
    let Some(object) = line.object() else { return app.print(&String::from_utf8_lossy(&line.bytes)) };
    let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default();
    let time = text("ts").get(11..19).unwrap_or_default();
    let event =
        object.get("event").and_then(|event| serde_json::from_value::<AgentEvent>(event.clone()).ok());
    let said = match text("stream") {
        _ if event.is_some() => event.map(spoken).unwrap_or_default(),
        _ if object.contains_key("bytes") && !object.contains_key("line") => {
            format!("({} bytes, not kept)", object.get("bytes").unwrap_or(&Value::Null))
        }
        "stdout" => rendered(text("line")),
        _ => cut(text("line")),
    };
    app.print(&format!("{} {}", app.look.faint(&format!("{time} {:<6}", text("stream"))), said))
}

fn rendered(line: &str) -> String {
    match codex::read_line(line) {
        AgentEvent::Unknown { .. } => cut(line),
        event => spoken(event),
    }
}

fn spoken(event: AgentEvent) -> String {
    match event {
        AgentEvent::ThreadStarted { thread_id } => format!("thread {thread_id}"),
        AgentEvent::TurnStarted => "turn started".to_owned(),
        AgentEvent::Message { text } => cut(&text),
        AgentEvent::Reasoning { text } => format!("thinks: {}", cut(&text)),
        AgentEvent::CommandStarted { command, .. } => format!("$ {command}"),
        AgentEvent::CommandFinished { command, exit_code, output, .. } => {
            let exit = exit_code.map_or("?".to_owned(), |code| code.to_string());
            format!("$ {command}\n{}[exit {exit}]", cut(&output))
        }
        AgentEvent::FilesChanged { changes, .. } => {
            let names: Vec<String> = changes.iter().map(|change| change.path.clone()).collect();
            format!("edits {}", names.join(", "))
        }
        AgentEvent::ToolCall { name, arguments, .. } => format!("tool {name} {}", cut(&arguments)),
        AgentEvent::WebSearch { query } => format!("searches the web: {query}"),
        AgentEvent::Plan { items } => {
            let lines: Vec<String> = items
                .iter()
                .map(|(text, done)| format!("[{}] {text}", if *done { "x" } else { " " }))
                .collect();
            format!("plan: {}", lines.join("; "))
        }
        AgentEvent::Warning { message } => format!("warning: {message}"),
        AgentEvent::TurnEnded { end, usage } => {
            let tokens =
                usage.map_or(String::new(), |usage| format!(", {} tokens in this thread", usage.total()));
            format!("turn ended: {end:?}{tokens}")
        }
        AgentEvent::Unknown { kind } => format!("({kind})"),
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MOST_CHARACTERS) {
        Some((end, _)) => format!("{}… ({} more bytes; --raw shows them)", &text[..end], text.len() - end),
        None => text.to_owned(),
    }
}
