//! `mi consult`: another AI looks, read-only, with little context; its answer is checked and never applied (D.6).
//!
//! Holds: the spec gate comes first; private memory and files with secrets are refused; at most two run at once over all
//! processes; the tree is the same before and after.
//! Elsewhere: what is sent and what of the answer stands is `mi_gate::consult`.

mod context;
mod other;

use mi_gate::{
    consult::{Annotation, Brief, Checked, Mode, RETRIES, brief, check, read_answer},
    intake::{Task, criteria_question, names_criteria},
    messages::{Locale, Message},
    permission::{Action, Verdict},
};
use mi_hook::gate::{Gate, Heard, Records, hear_once};
use mi_model::sha256_hex;
use serde_json::json;

use super::{gate, intake, repository};
use crate::{
    app::App,
    args::deploy::{ConsultArgs, ConsultMode},
    failure::{Failure, Outcome},
};
use other::{Asked, Other};

pub fn run(app: &App, args: &ConsultArgs) -> Outcome {
    let mode = match args.mode {
        ConsultMode::Review => Mode::Review,
        ConsultMode::Implement => Mode::Implement,
        ConsultMode::Research => Mode::Research,
        ConsultMode::Multimodal => Mode::Multimodal,
    };
    let locale = intake::locale(app);
    let question = app.text_or_stdin(&args.question)?;
    let task = args.task.as_deref().map(intake::task).transpose()?;
    spec_gate(app, &question, task.as_ref(), locale)?;
    if mode == Mode::Implement && task.is_none() && !names_criteria(&question) {
        // What comes back is held against the criteria, so work is not given away without any (D.6).
        return Err(unclear(&[criteria_question(locale).to_owned()], locale));
    }
    let gate = gate::open(app, None, &[]);
    let context = context::gather(app, args, &gate)?;
    let task = task.unwrap_or_default();
    let sent = Brief {
        description: [task.description.as_str(), question.as_str()].join("\n").trim().to_owned(),
        criteria: task.acceptance_criteria.clone(),
        constraints: args.constraints.clone(),
        snippets: context.snippets,
    };
    if sent.description.is_empty() {
        return Err(
            Failure::usage("there is no question").todo("write it as the last argument, or --task FILE")
        );
    }
    let text = brief(mode, &sent);
    if args.dry_run {
        return app.print(&text);
    }
    let other = Other::find(app, &args.by, mode, &context.images)?;
    let _turn = other::take_turn(&app.home)?;
    let before = tree(app);
    let answer = ask(&other, &text, &app.home)?;
    if tree(app) != before {
        return Err(Failure::denied(format!(
            "{} changed the working tree; its answer is not taken",
            args.by
        ))
        .todo("look at what changed with git diff"));
    }
    let checked = verify(app, &gate, &answer, &task);
    journal(app, args, &text, &checked)?;
    print(app, &answer, &checked, locale)
}

/// Unclear requirements go to nobody.
fn spec_gate(app: &App, question: &str, task: Option<&Task>, locale: Locale) -> Result<(), Failure> {
    let heard = Heard {
        text: question,
        task,
        diff: None,
        decisions: &[],
        words: &mi_gate::intake::WordTable::default(),
        now: app.clock.now(),
        locale,
    };
    let reading = hear_once(&heard).spec_gate;
    if reading.blocked { Err(unclear(&reading.questions, locale)) } else { Ok(()) }
}

fn unclear(questions: &[String], locale: Locale) -> Failure {
    Failure::needs_person(Message::SpecUnclear { questions }.text(locale))
}

/// Asks, and once more if that failed.
fn ask(other: &Other, text: &str, home: &std::path::Path) -> Result<String, Failure> {
    let mut last = other.ask(text, home)?;
    for _ in 0..RETRIES {
        match last {
            Asked::Answer(answer) => return Ok(answer),
            Asked::Failed(_) => last = other.ask(text, home)?,
        }
    }
    match last {
        Asked::Answer(answer) => Ok(answer),
        Asked::Failed(why) => Err(Failure::new(format!("ask {}: {why}", other.name))),
    }
}

/// What git says about the tree; outside of a repository nothing can be compared.
fn tree(app: &App) -> Option<String> {
    let folder = app.folder();
    let state =
        repository::git(&folder, &["status", "--porcelain=v1", "-z", "--untracked-files=all"]).ok()?;
    let diff =
        repository::git(&folder, &["diff", "HEAD", "--no-ext-diff", "--no-textconv"]).unwrap_or_default();
    let head = repository::head(&folder).unwrap_or_default();
    Some(sha256_hex(format!("{head}\n{state}\n{diff}").as_bytes()))
}

fn verify(app: &App, gate: &Gate, answer: &str, task: &Task) -> Checked {
    let parsed = read_answer(answer).unwrap_or_default();
    let root = app.folder();
    let is_there = |file: &str| {
        let inside = !file.starts_with('/') && !file.split('/').any(|part| part == "..");
        inside && root.join(file.split(':').next().unwrap_or(file)).exists()
    };
    let forbidden = |command: &str| {
        let decision = gate.decide(&Action::new("Bash", json!({"command": command}), None), None);
        (decision.verdict == Verdict::Deny).then_some(decision.reason)
    };
    check(&parsed, &task.acceptance_criteria, &is_there, &forbidden)
}

/// Who was asked and what came of it; neither question nor answer is kept.
fn journal(app: &App, args: &ConsultArgs, sent: &str, checked: &Checked) -> Result<(), Failure> {
    let fields = json!({
        "by": args.by, "sent_sha256": sha256_hex(sent.as_bytes()), "sent_bytes": sent.len(),
        "annotation": checked.annotation, "unmet": checked.unmet.len(), "refused": checked.refused.len(),
    });
    Records::new(&app.home)
        .person(app.clock.now(), "external_ai_call", fields)
        .map_err(|error| Failure::of(&error))
}

fn print(app: &App, answer: &str, checked: &Checked, locale: Locale) -> Outcome {
    let answer = mi_secrets::redact(answer);
    if app.common.json {
        let mut value = json!(checked);
        value["answer"] = json!(answer);
        value["applied"] = json!(false);
        return app.print_json(&value);
    }
    app.print(answer.trim_end())?;
    for refused in &checked.refused {
        app.print(&format!("not taken: {} ({})", refused.what, refused.why))?;
    }
    for criterion in &checked.unmet {
        app.print(&format!("not shown to be met: {criterion}"))?;
    }
    app.print(&annotated(checked.annotation, locale))
}

/// The mark, and what it means for people who do not read it.
fn annotated(annotation: Option<Annotation>, locale: Locale) -> String {
    let Some(annotation) = annotation else { return "nothing of it could be verified".to_owned() };
    match locale {
        Locale::Zh => annotation.mark(),
        _ => format!("{} {}", annotation.mark(), annotation.message().text(locale)),
    }
}
