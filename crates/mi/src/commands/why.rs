//! `mi why`: who decided, on which evidence, by which values.

use mi_journal::{LogView, Query};
use mi_model::{
    DecisionProcedure,
    record::{Decision, Record},
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::journal::{self, Reference};
use crate::{
    app::App,
    args::WhyArgs,
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
    render::record,
};

pub fn run(app: &App, args: &WhyArgs) -> Outcome {
    let view = journal::open(app, &app.project()?)?;
    let reference = args.reference.as_deref().unwrap_or("last");
    let decisions = match Reference::read(reference) {
        Reference::Seq(seq) => decision_for(&view, seq)?,
        // Of a whole run, what it came to.
        Reference::Run(run) => {
            let mut all = journal::referenced(&view, &Reference::Run(run), &["decision"])?;
            all.split_off(all.len().saturating_sub(1))
        }
        other => journal::referenced(&view, &other, &["decision"])?,
    };
    if decisions.is_empty() {
        return Err(missing(args.reference.as_deref()));
    }
    for found in decisions {
        let evidence = evidence(&view, &found)?;
        let procedure = procedure(&view, &found)?;
        if app.common.json {
            app.print_json(
                &json!({"decision": found, "stands_on": evidence, "decision_procedure": procedure}),
            )?;
        } else {
            app.print(&explain(app, &found, &evidence, procedure.as_ref())?)?;
        }
    }
    Ok(ExitReason::Done)
}

fn missing(reference: Option<&str>) -> Failure {
    match reference {
        Some(reference) => Failure::new(format!(
            "there is no decision for `{reference}` in this project's journal"
        ))
        .todo(
            "use a record number, a batch such as b2 or a run id; mi log --kind decision lists the decisions",
        ),
        None => Failure::new("there is no decision in this project's journal yet")
            .todo("start with: mi run 'TASK'"),
    }
}

/// The decision with this number, or the first one that stands on the record with it.
fn decision_for(view: &LogView, seq: u64) -> Result<Vec<Map<String, Value>>, Failure> {
    let Some(record) = journal::newest_one(view, &Query { seq: Some(seq), ..Query::default() })? else {
        return Ok(Vec::new());
    };
    if record.get("kind").and_then(Value::as_str) == Some("decision") {
        return Ok(vec![record]);
    }
    let run = record.get("run_id").and_then(Value::as_str).map(mi_model::RunId::new);
    let decisions = journal::newest(
        view,
        &Query { run, kinds: vec!["decision".to_owned()], ..Query::default() },
        usize::MAX,
    )?;
    let stands_on = |decision: &Map<String, Value>| {
        let list = decision.get("stands_on").and_then(Value::as_array);
        list.is_some_and(|list| list.iter().any(|number| number.as_u64() == Some(seq)))
    };
    Ok(decisions.into_iter().find(stands_on).into_iter().collect())
}

fn evidence(view: &LogView, decision: &Map<String, Value>) -> Result<Vec<Value>, Failure> {
    let numbers = decision.get("stands_on").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut found = Vec::new();
    for seq in numbers.iter().filter_map(Value::as_u64) {
        let line = view.by_seq(seq).map_err(|error| Failure::of(&error))?;
        found.extend(line.and_then(|line| line.object()).map(Value::Object));
    }
    Ok(found)
}

/// How the person decides, as it stood when the decision's run began; none when the values were never compiled.
fn procedure(view: &LogView, decision: &Map<String, Value>) -> Result<Option<DecisionProcedure>, Failure> {
    let run = decision.get("run_id").and_then(Value::as_str).map(mi_model::RunId::new);
    let query = Query { run, kinds: vec!["run_started".to_owned()], ..Query::default() };
    let started = journal::newest(view, &query, usize::MAX)?;
    let recorded =
        started.iter().find_map(|record| record.get("setup")?.get("mind")?.get("decision_procedure"));
    let procedure: Option<DecisionProcedure> =
        recorded.and_then(|value| serde_json::from_value(value.clone()).ok());
    Ok(procedure.filter(|procedure| !procedure.summary.is_empty() || !procedure.mermaid.is_empty()))
}

fn explain(
    app: &App,
    found: &Map<String, Value>,
    evidence: &[Value],
    procedure: Option<&DecisionProcedure>,
) -> Result<String, Failure> {
    let record: Record = Record::deserialize(&Value::Object(found.clone()))
        .map_err(|error| Failure::new("read the decision").because(&error))?;
    let mi_model::record::Entry::Decision(decision) = &record.entry else {
        return Err(Failure::new("the record is not a decision"));
    };
    let look = &app.look;
    let mut lines = vec![
        format!(
            "{} {}",
            look.strong(&format!("{} #{}", decision.batch_id, record.frame.seq)),
            record::sentence(&record.entry)
        ),
        format!("  decided by  {}", decision.decided_by),
        format!("  because     {}", decision.reason),
    ];
    lines.extend(sent(decision));
    lines.extend(decision.cites.iter().map(|cite| format!("  citing      {cite}")));
    if let Some(procedure) = procedure {
        lines.push(format!("  you decide  {}", procedure.summary));
        lines.extend(procedure.mermaid.lines().map(|line| format!("              {}", look.faint(line))));
    }
    for proof in &decision.proof {
        lines.push(format!(
            "  proof       {}, {}: {}",
            proof.level_word(),
            proof.bearing.map_or("no bearing", mi_model::Bearing::as_str),
            look.one_line(&proof.criterion, 40)
        ));
        lines.extend(proof.evidence.iter().map(|one| format!("              {}", look.faint(&one.text))));
    }
    if !evidence.is_empty() {
        lines.push("  standing on".to_owned());
        lines.extend(evidence.iter().map(|value| record::listing(value, look)));
    }
    Ok(lines.join("\n"))
}

fn sent(decision: &Decision) -> Option<String> {
    let first = decision.next_input.lines().next().filter(|line| !line.is_empty())?;
    Some(format!("  next input  {first}"))
}
