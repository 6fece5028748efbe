//! `mi intake`: what a message asks for.

mod lines;

use mi_gate::{
    change_unit::ChangeUnits,
    intake::{Intake, KnownDecision, Notice, NoticeKind, Task, WordTable},
    messages::{Locale, Message},
};
use mi_hook::gate::{Heard, Records, Session, Speaker, hear_once};
use mi_mind::Section;
use mi_persona::Persona;
use serde_json::json;
use std::{fs, path::Path};

use super::{cu, gate, launch, minds, persona, repository};
use crate::{
    app::App,
    args::{gate::IntakeArgs, persona::As},
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

pub fn run(app: &App, args: &IntakeArgs) -> Outcome {
    let text = app.text_or_stdin(&args.message)?;
    let task = args.task.as_deref().map(task).transpose()?;
    let words = match &args.words {
        Some(path) => {
            WordTable::parse(&path.display().to_string(), &read(path)?).map_err(|error| usage(&error))?
        }
        None => WordTable::default(),
    };
    let diff = diff(app, args)?;
    let decisions = decisions(app)?;
    let heard = Heard {
        text: &text,
        task: task.as_ref(),
        diff: diff.as_ref(),
        decisions: &decisions,
        words: &words,
        now: app.clock.now(),
        locale: locale(app),
    };
    let reading = match &args.state {
        // Anybody can run this command, so it speaks for nobody: overrides of denies come from the person's own agent.
        Some(folder) => Session::at(folder).hear(&heard, Speaker::Program, app.own_home()),
        None => Ok(hear_once(&heard)),
    };
    // What stands in the message is told, above all a secret, also where nothing can be kept.
    let (mut reading, unkept) = match reading {
        Ok(reading) => (reading, None),
        Err(error) => (hear_once(&heard), Some(Failure::of(&error))),
    };
    if unkept.is_none() {
        propose(app, &mut reading, heard.locale)?;
    }
    let reading = with_mind(app, reading, &heard);
    if args.state.is_none() && reading.says_override() {
        journal_override(app);
    }
    print(app, &reading)?;
    unkept.map_or(Ok(ExitReason::Done), Err)
}

/// What was decided before; without a persona nothing was.
fn decisions(app: &App) -> Result<Vec<KnownDecision>, Failure> {
    let Some(folder) = gate::persona(app).filter(|folder| folder.is_dir()) else { return Ok(Vec::new()) };
    let persona = Persona::in_home(&folder, &app.home).map_err(|error| Failure::of(&error))?;
    let mut problems = Vec::new();
    let known = persona.known_decisions(&mut problems).map_err(|error| Failure::of(&error))?;
    for problem in &problems {
        app.talk(&format!("mi: {problem}"));
    }
    Ok(known)
}

/// Where a mind is available it fills the parts of a challenge (D.22); where it does not answer well, they stay as the rules
/// filled them.
fn with_mind(app: &App, mut reading: Intake, heard: &Heard<'_>) -> Intake {
    let parts = reading.challenge_parts();
    if parts.is_empty() {
        return reading;
    }
    let mind = launch::spawner().and_then(|spawner| {
        let settings = app.look_at_settings(&app.folder(), &[]).settings;
        minds::mind(app, &settings, &spawner).map(|(_, mind)| mind)
    });
    let mind = match mind {
        Ok(Some(mind)) => mind,
        Ok(None) => return reading,
        Err(failure) => {
            app.talk(&format!("mi: the challenge is said by rules: {failure}"));
            return reading;
        }
    };
    let against = heard.decisions.iter().filter(|decision| reading.contradicts.contains(&decision.id));
    let decisions: String = against.map(|known| format!("{}: {}\n", known.id, known.text)).collect();
    let sections = [
        Section::person("request", 0, heard.text),
        Section::evidence("what the rules say", 1, reading.output.clone()),
        Section::evidence("decisions that it goes against", 2, decisions),
    ];
    match mind.challenge(parts, &sections, &mut |_, _| Ok(())) {
        Ok(texts) => {
            let texts: Vec<String> = texts.into_iter().flatten().collect();
            reading.fill_challenge(&texts, heard.locale);
        }
        Err(error) => app.talk(&format!("mi: the challenge is said by rules: {error}")),
    }
    reading
}

/// The person said yes to a suggestion: it becomes a proposal (D.9).
fn propose(app: &App, reading: &mut Intake, locale: Locale) -> Result<(), Failure> {
    let Some(description) = reading.cognitive.save.clone() else { return Ok(()) };
    let Some(folder) = gate::persona(app).filter(|folder| folder.is_dir()) else {
        app.talk("mi: there is no persona, so no proposal was written; mi persona init makes one");
        return Ok(());
    };
    let persona = Persona::in_home(&folder, &app.home).map_err(|error| Failure::of(&error))?;
    let member = persona::member(app, &As { member: None })?;
    let kind = reading.cognitive.save_kind.as_deref();
    let path = mi_hook::propose(&persona, &member, &description, kind, persona::today(app))
        .map_err(|error| Failure::new("write the proposal").todo(error))?;
    let text = Message::ProposalWritten { path: &path }.text(locale);
    reading.tell(Notice { kind: NoticeKind::Status, text }, locale);
    reading.cognitive.proposal = Some(path);
    Ok(())
}

/// An override outside of any session is journalled as well; it grants nothing.
fn journal_override(app: &App) {
    let Some(home) = app.own_home() else { return };
    let fields = json!({"session": null, "grants": null});
    if let Err(error) = Records::new(home).person(app.clock.now(), "override", fields) {
        app.talk(&format!("mi: the override was not journalled: {error}"));
    }
}

/// A task file.
pub fn task(path: &Path) -> Result<Task, Failure> {
    Task::parse(&path.display().to_string(), &read(path)?).map_err(|error| usage(&error))
}

fn print(app: &App, reading: &Intake) -> Outcome {
    let value =
        serde_json::to_value(reading).map_err(|error| Failure::new("write the result").because(&error))?;
    if app.common.json {
        return app.print_json(&value);
    }
    lines::of(reading, &value).iter().try_for_each(|line| app.print(line).map(drop))?;
    Ok(ExitReason::Done)
}

fn usage(error: &dyn std::error::Error) -> Failure {
    Failure::usage(error.to_string())
}

fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("read {}", path.display())).because(&error))
}

fn diff(app: &App, args: &IntakeArgs) -> Result<Option<ChangeUnits>, Failure> {
    match &args.diff {
        Some(path) => cu::count(&cu::read_diff(path)?).map(Some),
        None if args.staged => cu::count(&repository::staged(&app.folder())?).map(Some),
        None => Ok(None),
    }
}

/// `locale` of the config, then LANG.
pub fn locale(app: &App) -> Locale {
    match app.look_at_settings(&app.folder(), &[]).settings.locale {
        mi_config::Locale::Chinese => Locale::Zh,
        mi_config::Locale::English => Locale::En,
        mi_config::Locale::Auto => {
            let named = ["LC_ALL", "LC_MESSAGES", "LANG"].iter().find_map(|name| app.variable(name));
            if named.is_some_and(|named| named.starts_with("zh")) { Locale::Zh } else { Locale::En }
        }
    }
}
