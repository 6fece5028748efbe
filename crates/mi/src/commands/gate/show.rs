//! `mi gate matrix|rules|explain`.

use mi_gate::{
    permission::{Action, DEFAULT_RULES, Layer, Permit, RuleSet, Verdict, builtin_rules},
    review::{self, Must},
};
use mi_hook::gate::{Gate, OFTEN, Records};
use serde_json::{Value, json};
use std::path::PathBuf;

use super::check;
use crate::{
    app::App,
    exit_reason::ExitReason,
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
    let gate = super::open(app, None, files);
    let sets = gate.rule_sets(&app.folder());
    let rows = rows(&gate, &sets);
    let problems: Vec<&str> = sets.iter().filter_map(|set| set.problem.as_deref()).collect();
    let proposals = proposals(&gate)?;
    super::tell_problems(app, &gate);
    if app.common.json {
        return app.print_json(&json!({"rules": rows, "problems": problems, "proposals": proposals}));
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
    for proposal in &proposals {
        app.print(&format!("{}: {}", cell(proposal, "rule"), cell(proposal, "proposal")))?;
    }
    Ok(ExitReason::Done)
}

fn rows(gate: &Gate, sets: &[RuleSet]) -> Vec<Value> {
    let now =
        |id: &str, own: Verdict| Permit::of(gate.permits(), id).map_or(own, |permit| permit.of_shipped(own));
    let builtin = builtin_rules().iter().map(|rule| {
        json!({"id": rule.id, "decision": now(rule.id, rule.verdict), "shipped": rule.verdict, "layer": "built-in",
            "file": null, "reason": rule.reason, "alternative": rule.alternative})
    });
    let defaults = DEFAULT_RULES.iter().map(|rule| {
        json!({"id": rule.id, "decision": now(rule.id, rule.verdict), "shipped": rule.verdict, "layer": "default",
            "file": null, "reason": rule.reason, "alternative": null})
    });
    let files = sets.iter().flat_map(|set| {
        set.rules.iter().map(move |rule| {
            let verdict = if set.layer == Layer::User { now(&rule.id, rule.verdict) } else { rule.verdict };
            json!({"id": rule.id, "decision": verdict, "shipped": rule.verdict, "layer": set.layer,
                "file": set.file, "reason": rule.reason, "alternative": rule.alternative})
        })
    });
    builtin.chain(files).chain(defaults).collect()
}

/// Rules that the person overrides again and again; they decide whether to adjust them (D.17).
fn proposals(gate: &Gate) -> Result<Vec<Value>, Failure> {
    let Some(home) = gate.home() else { return Ok(Vec::new()) };
    let found = Records::new(home).overridden().map_err(|error| Failure::of(&error))?;
    let often = found.into_iter().filter(|rule| rule.count >= OFTEN);
    let proposal = |count: u32, rule: &str| {
        format!("overridden {count} times; if it is too strict: mi permit {rule} prompt --reason '…'")
    };
    Ok(often
        .map(|found| {
            json!({"rule": found.rule, "overridden": found.count, "proposal": proposal(found.count, &found.rule)})
        })
        .collect())
}

pub fn explain(app: &App, command: &str, files: &[PathBuf]) -> Outcome {
    let gate = super::open(app, None, files);
    let decision = gate.decide(&Action::new("Bash", json!({"command": command}), None), None);
    super::tell_problems(app, &gate);
    check::print(app, &decision, app.common.json)?;
    Ok(check::exit(decision.verdict))
}
