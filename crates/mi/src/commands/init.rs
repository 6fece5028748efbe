//! `mi init`: the person's values, stored exactly as given and compiled if a model may be asked.

use mi_mind::{CompiledMindSpec, MindQuestion, PromptKind, Section};
use mi_model::MindSpec;
use serde_json::json;
use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{launch, minds};
use crate::{
    app::App,
    args::InitArgs,
    failure::{Failure, Outcome},
};

/// Values are part of every run's record and of what models are asked.
const MOST_BYTES: usize = 1 << 20;

pub fn run(app: &App, args: &InitArgs) -> Outcome {
    let values_text = values(app, args)?;
    let file = mi_journal::Layout::new(&app.home).base();
    let (known, repair) = file.load_or_default().map_err(|error| Failure::of(&error))?;
    if let Some(repair) = repair {
        app.talk(&format!("mi: {repair}"));
    }
    let (mut notes, known_values) = (Vec::new(), known.values_text.clone());
    let plain =
        MindSpec { values_summary: Vec::new(), decision_procedure: Default::default(), values_text, ..known };
    let mind = if args.no_compile { plain } else { compile(app, args, plain, &mut notes)? };
    let earlier = (!args.dry_run && file.path().exists() && known_values != mind.values_text)
        .then(|| keep_earlier(file.path()))
        .transpose()?;
    if !args.dry_run {
        if let Some(folder) = file.path().parent() {
            fs::create_dir_all(folder).map_err(|error| {
                Failure::new(format!("create {}", folder.display()))
                    .because(&error)
                    .todo("choose another home with --home")
            })?;
        }
        file.replace(&mind).map_err(|error| Failure::of(&error))?;
    }
    if let Some(earlier) = earlier {
        notes.push(format!("your earlier values are kept in {}", earlier.display()));
    }
    let written = (!args.dry_run).then(|| file.path().display().to_string());
    if app.common.json {
        return app.print_json(&json!({"written": written, "notes": notes, "mindspec": mind}));
    }
    for note in &notes {
        app.talk(&format!("mi: {note}"));
    }
    if args.show || args.dry_run {
        show(app, &mind)?;
    }
    match written {
        Some(path) => app
            .print(&format!("Your values are in {path}; edit them there at any time.\nNext: mi run 'TASK'")),
        None => app.print("Nothing was written (--dry-run)."),
    }
}

/// Keeps the values that are about to be replaced: put back, they hold again.
fn keep_earlier(path: &Path) -> Result<PathBuf, Failure> {
    let earlier = path.with_extension("json.before");
    fs::copy(path, &earlier).map_err(|error| {
        Failure::new(format!("keep your earlier values in {}", earlier.display())).because(&error)
    })?;
    Ok(earlier)
}

fn values(app: &App, args: &InitArgs) -> Result<String, Failure> {
    let text = match (&args.values, &args.values_file) {
        (Some(text), _) => text.clone(),
        (None, Some(path)) if path.as_os_str() == "-" => io::read_to_string(io::stdin())
            .map_err(|error| Failure::usage("read your values from standard input").because(&error))?,
        (None, Some(path)) => fs::read_to_string(path).map_err(|error| {
            Failure::new(format!("read your values from {}", path.display()))
                .because(&error)
                .todo("give an existing text file, or --values TEXT")
        })?,
        (None, None) => {
            return Err(
                Failure::usage("your values are missing").todo("mi init --values 'Prefer small changes. …'")
            );
        }
    };
    if text.len() > MOST_BYTES {
        return Err(Failure::usage(format!(
            "your values have {} bytes; at most {MOST_BYTES} are read",
            text.len()
        ))
        .todo("say how you decide in fewer words"));
    }
    if text.trim().is_empty() {
        return Err(Failure::usage("your values are empty")
            .todo(format!("say how you decide; see `mi init --help` ({})", app.home.display())));
    }
    Ok(text)
}

/// Asks the mind to compile; without a mind, or when it fails, the text and the defaults are kept.
fn compile(
    app: &App,
    args: &InitArgs,
    plain: MindSpec,
    notes: &mut Vec<String>,
) -> Result<MindSpec, Failure> {
    let flags: Vec<(&str, &str)> =
        args.mind.as_deref().map(|mind| ("mind.provider", mind)).into_iter().collect();
    let settings = app.settings(&app.folder(), &flags)?;
    let (_, mind) = minds::mind(app, &settings, &launch::spawner()?)?;
    let Some(mind) = mind else {
        notes.push(
            "no model is configured, so the text is stored as it is (rules read it directly)".to_owned(),
        );
        return Ok(plain);
    };
    let question = MindQuestion {
        kind: PromptKind::CompileMindspec,
        sections: vec![Section::person("values", 0, plain.values_text.clone())],
        transcript_path: String::new(),
    };
    let answer = mind.ask(&question, &mut |_, _| Ok(()));
    let compiled = answer.value.and_then(|value| serde_json::from_value::<CompiledMindSpec>(value).ok());
    Ok(match compiled {
        Some(compiled) => compiled.merge_into(plain),
        None => {
            let why = answer.call.error.unwrap_or_else(|| "no usable answer".to_owned());
            notes.push(format!("the model could not compile them ({why}), so the text is stored as it is"));
            plain
        }
    })
}

fn show(app: &App, mind: &MindSpec) -> Outcome {
    let mut text = String::from("Values:\n");
    let lines: Vec<String> = if mind.values_summary.is_empty() {
        mind.values_text.lines().map(str::to_owned).collect()
    } else {
        mind.values_summary.clone()
    };
    for line in lines {
        text.push_str(&format!("  - {line}\n"));
    }
    if !mind.decision_procedure.summary.is_empty() {
        text.push_str(&format!(
            "How you decide: {}\n\n{}\n",
            mind.decision_procedure.summary, mind.decision_procedure.mermaid
        ));
    }
    app.print(&text)
}
