//! The council's tools for agents: `review_vote`, `review_status`, `deliver_submit`, `context_get`.
//!
//! Holds: the seed's shapes in and out; a refusal names its rule; nothing that the command line forbids is allowed here.

use mi_council::{Mitigation, Person, VoteForm};
use mi_delivery::{Chamber, Extras};
use mi_mcp::CouncilTool;
use serde_json::{Value, json};

use super::{context, council, deliver};
use crate::{app::App, failure::Failure};

const VOTE: [&str; 9] =
    ["artifact", "as", "role", "vote", "rationale", "evidence_refs", "mitigations", "scope", "digest"];

/// Carries out one call; the error is what the model is told.
pub fn call(app: &App, tool: CouncilTool, arguments: &Value) -> Result<Value, String> {
    let known: &[&str] = match tool {
        CouncilTool::ReviewVote => &VOTE,
        CouncilTool::ReviewStatus => &["artifact"],
        CouncilTool::DeliverSubmit => &["artifact", "packet_markdown", "files", "notify_roles", "urgency"],
        CouncilTool::ContextGet => &["selectors", "scope"],
    };
    if let Some(other) = unknown(arguments, known) {
        return Err(format!("there is no argument `{other}`; arguments are {}", known.join(", ")));
    }
    let answer = match tool {
        CouncilTool::ReviewVote => vote(app, arguments),
        CouncilTool::ReviewStatus => status(app, arguments),
        CouncilTool::DeliverSubmit => submit(app, arguments),
        CouncilTool::ContextGet => get(app, arguments),
    };
    answer.map_err(|failure| failure.what)
}

fn vote(app: &App, arguments: &Value) -> Result<Value, Failure> {
    let mut chamber = council::chamber(app)?;
    let id = chamber.find(required(arguments, "artifact")?).map_err(|error| council::failure(&error))?;
    let form = VoteForm {
        name: required(arguments, "as")?.to_owned(),
        role: required(arguments, "role")?.to_owned(),
        colour: required(arguments, "vote")?.to_owned(),
        rationale: optional(arguments, "rationale")?.unwrap_or_default().to_owned(),
        evidence: Vec::new(),
        mitigations: mitigations(arguments)?,
        scope: optional(arguments, "scope")?.map(str::to_owned),
        digest: optional(arguments, "digest")?.map(str::to_owned),
    };
    let evidence = words(arguments, "evidence_refs")?;
    let taken = chamber.vote(&id, form, &evidence, app.clock.now());
    let (brief, now) = taken.map_err(|error| council::failure(&error))?;
    shown(&council::status_json(&brief, &now))
}

fn status(app: &App, arguments: &Value) -> Result<Value, Failure> {
    let mut chamber = council::chamber(app)?;
    let fail = |error| council::failure(&error);
    let id = chamber.find(required(arguments, "artifact")?).map_err(fail)?;
    let (brief, now) = chamber.status(&id, app.clock.now()).map_err(fail)?;
    shown(&council::status_json(&brief, &now))
}

/// A refusal is an answer too: `rejected`, with its reason.
fn submit(app: &App, arguments: &Value) -> Result<Value, Failure> {
    let mut chamber = council::chamber(app)?;
    let artifact = required(arguments, "artifact")?;
    let urgency = optional(arguments, "urgency")?.unwrap_or("standard");
    if !["standard", "hotfix"].contains(&urgency) {
        return Err(Failure::usage(format!("`urgency` is `{urgency}`: standard or hotfix")));
    }
    let rejected =
        |failure: Failure| json!({"submission_id": null, "status": "rejected", "error": failure.what});
    let id = match chamber.find(artifact) {
        Ok(id) => id,
        Err(error) => return Ok(rejected(council::failure(&error))),
    };
    if let Err(failure) = check_files(&chamber, &id, &words(arguments, "files")?) {
        return Ok(rejected(failure));
    }
    let extras = Extras {
        diff: deliver::diff(&chamber, &id),
        rollback: None,
        markdown: optional(arguments, "packet_markdown")?.map(str::to_owned),
        notify_roles: words(arguments, "notify_roles")?,
    };
    let out = chamber.place.files.folder().join("deliveries");
    std::fs::create_dir_all(&out)
        .map_err(|error| Failure::new("create the folder of deliveries").because(&error))?;
    match deliver::hand_over(app, &mut chamber, &id, &out.join(&id), &extras) {
        Ok(delivered) => Ok(json!({
            "submission_id": delivered.submission.submission, "status": "accepted",
            "packet": delivered.folder, "fingerprint": delivered.fingerprint,
        })),
        Err(failure) => Ok(rejected(failure)),
    }
}

/// What is said to be handed over must be part of the proposal, or content that is in the store.
fn check_files(chamber: &Chamber, id: &str, files: &[String]) -> Result<(), Failure> {
    let brief = chamber.brief(id).map_err(|error| council::failure(&error))?;
    let known = mi_delivery::artefact::read(&chamber.place.root, &brief.head.paths)
        .map_err(|error| council::failure(&error))?;
    let is_known =
        |file: &String| known.iter().any(|record| record.path == *file) || brief.head.paths.contains(file);
    for file in files.iter().filter(|file| !is_known(file)) {
        if !file.starts_with("ucxl://") {
            return Err(Failure::usage(format!("`{file}` is not part of {id}")));
        }
        chamber.cite_address(file).map_err(|error| council::failure(&error))?;
    }
    Ok(())
}

fn get(app: &App, arguments: &Value) -> Result<Value, Failure> {
    let selectors = words(arguments, "selectors")?;
    let selectors =
        if selectors.is_empty() { vec!["summary".to_owned(), "decisions".to_owned()] } else { selectors };
    let scope = optional(arguments, "scope")?.unwrap_or("brief");
    Ok(json!({"markdown": context::markdown(app, &selectors, scope)?}))
}

fn shown(text: &str) -> Result<Value, Failure> {
    serde_json::from_str(text).map_err(|error| Failure::new("show the status").because(&error))
}

/// Objects `{text, owner, due}`.
fn mitigations(arguments: &Value) -> Result<Vec<Mitigation>, Failure> {
    let wrong = |what: &str| {
        Failure::usage(format!("rule `mitigation`: {what}; give objects with text, owner and due"))
    };
    let Some(value) = arguments.get("mitigations").filter(|value| !value.is_null()) else {
        return Ok(Vec::new());
    };
    let list = value.as_array().ok_or_else(|| wrong("`mitigations` is no list"))?;
    let read = |value: &Value| {
        let object = value.as_object().ok_or_else(|| wrong("a mitigation is no object"))?;
        if let Some(other) = unknown(value, &["text", "owner", "due"]) {
            return Err(wrong(&format!("a mitigation has no `{other}`")));
        }
        let text =
            object.get("text").and_then(Value::as_str).ok_or_else(|| wrong("a mitigation has no text"))?;
        let owner = match object.get("owner").filter(|owner| !owner.is_null()) {
            Some(owner) => {
                let name = owner.as_str().ok_or_else(|| wrong("an owner is no text"))?;
                Some(Person::named(name).map_err(|error| wrong(&error.to_string()))?)
            }
            None => None,
        };
        let due = match object.get("due").filter(|due| !due.is_null()) {
            Some(due) => {
                let beats = due.as_u64().and_then(|beats| u32::try_from(beats).ok());
                Some(beats.ok_or_else(|| wrong("`due` is no number of beats"))?)
            }
            None => None,
        };
        Ok(Mitigation { text: text.to_owned(), owner, due })
    };
    list.iter().map(read).collect()
}

/// The first name that is none of the known ones: a word that was spelled wrong must not be passed over.
fn unknown<'a>(object: &'a Value, known: &[&str]) -> Option<&'a str> {
    object.as_object()?.keys().map(String::as_str).find(|name| !known.contains(name))
}

fn required<'a>(arguments: &'a Value, name: &str) -> Result<&'a str, Failure> {
    let text = optional(arguments, name)?.filter(|text| !text.trim().is_empty());
    text.ok_or_else(|| Failure::usage(format!("`{name}` is required")))
}

fn optional<'a>(arguments: &'a Value, name: &str) -> Result<Option<&'a str>, Failure> {
    match arguments.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(Failure::usage(format!("`{name}` is a text"))),
    }
}

fn words(arguments: &Value, name: &str) -> Result<Vec<String>, Failure> {
    let wrong = || Failure::usage(format!("`{name}` is a list of texts"));
    match arguments.get(name) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(items)) => {
            items.iter().map(|item| item.as_str().map(str::to_owned).ok_or_else(wrong)).collect()
        }
        Some(_) => Err(wrong()),
    }
}
