//! `mi gate matrix|rules|explain`.

use mi_gate::{
    permission::{Action, RuleSet, Verdict, builtin_rules, decide},
    review::{self, Must},
};
use serde_json::{Value, json};
use std::path::PathBuf;

use super::{Setup, check};
use crate::{
    app::App,
    failure::{Failure, Outcome},
};

pub fn matrix(app: &App, cu: u64, risk: u32) -> Outcome {
    let review = review::matrix(cu, risk);
    let value =
        serde_json::to_value(&review).map_err(|error| Failure::new("write the review").because(&error))?;
    if app.common.json {
        return app.print_json(&value);
    }
    let must: Vec<&str> = review.must.iter().map(|must| sentence(*must)).collect();
    let level = value["level"].as_str().unwrap_or_default();
    app.print(&format!(
        "{level}: {}",
        if must.is_empty() { "go on".to_owned() } else { must.join(", then ") }
    ))
}

fn sentence(must: Must) -> &'static str {
    match must {
        Must::OfferReview => "offer a review",
        Must::Review => "have it reviewed",
        Must::HumanConfirm => "wait for the person",
        Must::SuggestSplit => "suggest smaller batches",
    }
}

pub fn rules(app: &App, files: &[PathBuf]) -> Outcome {
    let setup = Setup::new(app, None, files);
    let rows = rows(&setup.rules);
    if app.common.json {
        let problems: Vec<&str> = setup.rules.iter().filter_map(|set| set.problem.as_deref()).collect();
        return app.print_json(&json!({"rules": rows, "problems": problems}));
    }
    let cell = |row: &Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
    for row in &rows {
        app.print(&format!(
            "{:<7} {:<22} {:<9} {}",
            cell(row, "decision"),
            cell(row, "id"),
            cell(row, "layer"),
            cell(row, "reason")
        ))?;
    }
    Ok(0)
}

fn rows(sets: &[RuleSet]) -> Vec<Value> {
    let builtin = builtin_rules().iter().map(|rule| {
        json!({"id": rule.id, "decision": rule.verdict, "layer": "built-in", "file": null, "reason": rule.reason, "alternative": rule.alternative})
    });
    let files = sets.iter().flat_map(|set| {
        set.rules.iter().map(move |rule| {
            json!({"id": rule.id, "decision": rule.verdict, "layer": set.layer, "file": set.file, "reason": rule.reason, "alternative": rule.alternative})
        })
    });
    builtin.chain(files).collect()
}

pub fn explain(app: &App, command: &str, files: &[PathBuf]) -> Outcome {
    let setup = Setup::new(app, None, files);
    let decision = decide(&Action::new("Bash", json!({"command": command}), None), &setup.context(None));
    check::print(app, &decision, app.common.json)?;
    Ok(if decision.verdict == Verdict::Allow { 0 } else { check::exit(decision.verdict) })
}
