//! `mi replay`: a recorded run decided again; touches nothing.

use mi_autopilot::{Difference, Recorded, RestoreError};
use mi_loop::{message::MindQuestion, setup::MindMode};
use mi_mind::Mind;
use mi_model::{MindSpec, record::Decision};
use serde_json::{Value, json};
use std::fs;

use super::{journal, launch, minds, protocol::follow};
use crate::{
    app::App,
    args::ReplayArgs,
    failure::{Failure, Outcome},
};

pub fn run(app: &App, args: &ReplayArgs) -> Outcome {
    let project = app.project()?;
    let recorded = match Recorded::load(&project.files.evidence().log, &args.run) {
        Ok(recorded) => recorded,
        Err(RestoreError::Empty | RestoreError::Unknown(_)) => return Err(journal::missing(&args.run)),
        Err(error) => return Err(Failure::of(&error)),
    };
    let mut setup = recorded.setup.clone();
    if let Some(path) = &args.values {
        let text = fs::read_to_string(path).map_err(|error| {
            Failure::new(format!("read the values in {}", path.display())).because(&error)
        })?;
        setup.mind = MindSpec { values_text: text, values_summary: Vec::new(), ..setup.mind };
    }
    let mut mind: Option<Mind> = None;
    if let Some(name) = &args.mind {
        let settings = app.settings(&project.root, &[("mind.provider", name)])?;
        (setup.mind_mode, mind) = minds::mind(app, &settings, &launch::spawner()?)?;
    }
    let live = setup.mind_mode != MindMode::RulesOnly;
    let followed = recorded.followed().map(|followed| follow::load(&followed.file)).transpose()?.flatten();
    follow::same(followed.as_ref(), &recorded)?;
    let protocol = followed.map(|followed| followed.protocol);
    let replayed = mi_autopilot::replay(&recorded, setup, protocol, |question| {
        ask(mind.as_ref().filter(|_| live)?, question)
    });
    if app.common.json {
        let differences: Vec<Value> = replayed.differences.iter().map(as_json).collect();
        return app.print_json(&json!({
            "run_id": recorded.run_id, "decisions": replayed.decisions, "differences": differences,
        }));
    }
    for difference in &replayed.differences {
        app.print(&app.look.strong(&difference.batch_id))?;
        app.print(&format!("  was  {}", told(difference.before.as_ref())))?;
        app.print(&format!("  now  {}", told(difference.after.as_ref())))?;
    }
    app.print(&format!(
        "{} decisions of run {}, {} differ; nothing was changed",
        replayed.decisions,
        recorded.run_id,
        replayed.differences.len()
    ))
}

fn ask(mind: &Mind, question: &MindQuestion) -> Option<(String, Value)> {
    let asked = mi_autopilot::mind_question(question, String::new());
    let answer = mind.ask(&asked, &mut |_, _| Ok(()));
    Some((answer.call.model, answer.value?))
}

fn told(decision: Option<&Decision>) -> String {
    match decision {
        Some(decision) => {
            let entry = mi_model::record::Entry::Decision(decision.clone());
            format!(
                "{}\n       {}",
                crate::render::record::sentence(&entry),
                decision.next_input.lines().next().unwrap_or_default()
            )
        }
        None => "no decision".to_owned(),
    }
}

fn as_json(difference: &Difference) -> Value {
    json!({"batch_id": difference.batch_id, "before": difference.before, "after": difference.after})
}
