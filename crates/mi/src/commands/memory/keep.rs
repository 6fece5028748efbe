//! `mi memory save`.

use mi_workspace::memory::{Action, Decision, SaveError, SaveRequest, SaveResult, save as save_note};
use serde_json::json;
use std::fs;

use super::store;
use crate::{
    app::App,
    args::memory::SaveArgs,
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

pub fn save(app: &App, args: &SaveArgs) -> Outcome {
    let (project, store) = store(app)?;
    let settings = app.settings(&project.root, &[])?;
    let request = SaveRequest {
        name: args.name.clone(),
        text: text(app, args)?,
        tags: args.tags.clone(),
        category: args.category.clone(),
        decision: decision(args),
        force: args.force,
        categories: settings.memory.categories,
    };
    let result = save_note(&store, &request).map_err(|error| failure(&error))?;
    let exit = if result.decide.is_some() && !args.dry_run { ExitReason::NeedsYou } else { ExitReason::Done };
    if app.common.json {
        app.print_json(&json!(result))?;
    } else {
        app.print(&told(app, &result))?;
    }
    Ok(exit)
}

fn text(app: &App, args: &SaveArgs) -> Result<String, Failure> {
    let Some(file) = &args.file else { return app.text_or_stdin(args.text.as_deref().unwrap_or_default()) };
    fs::read_to_string(file)
        .map_err(|error| Failure::usage(format!("read the text from {}", file.display())).because(&error))
}

fn decision(args: &SaveArgs) -> Decision {
    match &args.merge {
        Some(target) => Decision::Merge(target.clone()),
        None if args.new => Decision::New,
        None if args.yes => Decision::Accept,
        None if args.dry_run => Decision::Preview,
        None => Decision::Ask,
    }
}

fn failure(error: &SaveError) -> Failure {
    match error {
        SaveError::NotAdmitted(objections) => {
            let mut failure =
                Failure::new("this is no memory: the code, the web or another folder gives it back");
            failure.exit = ExitReason::Denied;
            failure.why = objections
                .iter()
                .map(|objection| format!("{} ({})", objection.reason, objection.rule))
                .collect();
            let can_be_forced = objections.iter().all(|objection| objection.can_be_forced);
            failure.todo(if can_be_forced {
                "say what was learned that cannot be had elsewhere; or --force if the rule is wrong"
            } else {
                "take out what is named; it is never kept, not even with --force"
            })
        }
        SaveError::Name(_)
        | SaveError::Taken { .. }
        | SaveError::NoTarget { .. }
        | SaveError::NothingToMerge { .. } => Failure::usage(error.to_string()),
        SaveError::Unreadable { .. } | SaveError::Outside(_) | SaveError::File(_) => Failure::of(error),
    }
}

fn told(app: &App, result: &SaveResult) -> String {
    let name = app.look.strong(&result.name);
    match (result.action, result.saved) {
        (Action::Unchanged, _) => format!("{name} has this already; nothing was changed."),
        (Action::Create, true) => format!("{name} created."),
        (Action::Merge, true) => format!("{name} extended."),
        (Action::Create, false) => format!("{name} would be created:\n\n{}", indented(&result.result)),
        (Action::Merge, false) => format!(
            "{} on the same topic:\n{}\n{name} would become:\n\n{}\nNothing was written. Decide: --yes (or --merge=NAME) adds it, --new makes a note of its own.",
            if result.overlaps.len() == 1 { "A note" } else { "Notes" },
            overlaps(result),
            indented(&result.result),
        ),
    }
}

fn overlaps(result: &SaveResult) -> String {
    let line = |overlap: &mi_workspace::memory::overlap::Overlap| {
        format!("  {:>3.0} %  {}\n", overlap.overlap * 100.0, overlap.name)
    };
    result.overlaps.iter().map(line).collect()
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}").trim_end().to_owned() + "\n").collect()
}
