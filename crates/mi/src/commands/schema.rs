//! `mi schema`: JSON Schemas of the journal's records, made from the types that write them, and of the files in `.nexus/`.

use mi_model::record::{Entry, Record};
use serde_json::{Value, json};

use crate::{
    app::App,
    args::SchemaArgs,
    failure::{Failure, Outcome},
};

pub fn run(app: &App, args: &SchemaArgs) -> Outcome {
    let whole = schemars::schema_for!(Record).to_value();
    let Some(kind) = &args.kind else { return app.print(&pretty(&whole)) };
    if let Some(schema) = mi_workspace::schema(kind) {
        return app.print(&pretty(&schema));
    }
    if let Some(entry) = learned(kind) {
        return app.print(&pretty(&framed(&whole, kind, &entry)));
    }
    match of_kind(&whole, kind) {
        Some(schema) => app.print(&pretty(&schema)),
        None => {
            let files: Vec<&str> = mi_workspace::schema_names().collect();
            let (kinds, files) = (Entry::KINDS.join(", "), files.join(", "));
            let todo = format!("a kind of record: {kinds}; or a file: {files}");
            Err(Failure::usage(format!("there is no record kind and no file `{kind}`")).todo(todo))
        }
    }
}

/// The record's frame with the one entry whose `kind` is this.
fn of_kind(whole: &Value, kind: &str) -> Option<Value> {
    let entries = whole.get("oneOf")?.as_array()?;
    let entry = entries
        .iter()
        .find(|entry| entry.pointer("/properties/kind/const").and_then(Value::as_str) == Some(kind))?;
    Some(framed(whole, kind, entry))
}

/// The fields that every record has, with those of one kind.
fn framed(whole: &Value, kind: &str, entry: &Value) -> Value {
    let mut schema = whole.clone();
    if let Some(object) = schema.as_object_mut() {
        object.remove("oneOf");
        object.insert("title".to_owned(), json!(kind));
        object.insert("allOf".to_owned(), json!([entry]));
    }
    schema
}

/// The two kinds of `learned.jsonl`, which has a log of its own.
fn learned(kind: &str) -> Option<Value> {
    let text = json!({"type": "string"});
    match kind {
        "learned_add" => Some(json!({
            "type": "object",
            "required": ["kind", "id", "scope", "enabled", "text", "rationale"],
            "properties": {
                "kind": {"const": kind}, "id": text, "scope": {"enum": ["global", "project"]},
                "enabled": {"type": "boolean"}, "text": text, "rationale": text, "category": text,
            },
        })),
        "learned_disable" => Some(json!({
            "type": "object",
            "required": ["kind", "id", "action", "target_id", "rationale"],
            "properties": {
                "kind": {"const": kind}, "id": text, "action": {"const": "disable"}, "target_id": text, "rationale": text,
            },
        })),
        _ => None,
    }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}
