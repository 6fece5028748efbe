//! `mi schema`: JSON Schemas of the journal's records, made from the types that write them.

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
    match of_kind(&whole, kind) {
        Some(schema) => app.print(&pretty(&schema)),
        None => Err(Failure::usage(format!("there is no record kind `{kind}`"))
            .todo(format!("one of: {}", Entry::KINDS.join(", ")))),
    }
}

/// The record's frame with the one entry whose `kind` is this.
fn of_kind(whole: &Value, kind: &str) -> Option<Value> {
    let entries = whole.get("oneOf")?.as_array()?;
    let entry = entries
        .iter()
        .find(|entry| entry.pointer("/properties/kind/const").and_then(Value::as_str) == Some(kind))?;
    let mut schema = whole.clone();
    let object = schema.as_object_mut()?;
    object.remove("oneOf");
    object.insert("title".to_owned(), json!(kind));
    object.insert("allOf".to_owned(), json!([entry]));
    Some(schema)
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}
