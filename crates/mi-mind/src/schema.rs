//! Strict JSON Schemas from Rust types: what `codex --output-schema` and OpenAI's strict mode accept.
//!
//! Holds: every property is required, optional is `anyOf [null, …]`, nothing else is allowed, and only keywords
//! that strict modes know are left (no `$ref`, `oneOf`, `format`, bounds, defaults).

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value, json};

/// The strict schema of `T`; the top-level properties in `nullable` may also be null.
pub(crate) fn strict_schema<T: JsonSchema>(nullable: &[&str]) -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let generated = settings.into_generator().into_root_schema_for::<T>();
    let mut schema = strict(&Value::from(generated));
    for name in nullable {
        if let Some(property) = schema.pointer_mut(&format!("/properties/{name}")) {
            *property = json!({"anyOf": [{"type": "null"}, property.take()]});
        }
    }
    schema
}

fn strict(schema: &Value) -> Value {
    let Some(words) = schema.as_object() else { return schema.clone() };
    if let Some(choices) = words.get("oneOf").or_else(|| words.get("anyOf")).and_then(Value::as_array) {
        return strict_choice(choices);
    }
    if let Some(Value::Array(types)) = words.get("type") {
        return nullable_type(words, types);
    }
    let mut kept = Map::new();
    for key in ["type", "description", "enum", "const"] {
        if let Some(value) = words.get(key) {
            kept.insert(key.to_owned(), value.clone());
        }
    }
    if let Some(items) = words.get("items") {
        kept.insert("items".to_owned(), strict(items));
    }
    if let Some(properties) = words.get("properties").and_then(Value::as_object) {
        let strict_properties: Map<_, _> =
            properties.iter().map(|(name, property)| (name.clone(), strict(property))).collect();
        kept.insert("required".to_owned(), strict_properties.keys().cloned().collect());
        kept.insert("properties".to_owned(), Value::Object(strict_properties));
        kept.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    Value::Object(kept)
}

/// Choices between constants are one `enum`; `null` comes first in the others.
fn strict_choice(choices: &[Value]) -> Value {
    let constants: Option<Vec<Value>> = choices.iter().map(|choice| choice.get("const").cloned()).collect();
    if let Some(constants) = constants {
        return json!({"type": "string", "enum": constants});
    }
    let is_null = |choice: &&Value| choice.get("type").and_then(Value::as_str) == Some("null");
    let nulls = choices.iter().filter(is_null);
    let others = choices.iter().filter(|choice| !is_null(choice));
    json!({"anyOf": nulls.chain(others).map(strict).collect::<Vec<_>>()})
}

/// `"type": ["string", "null"]` as a choice, which every strict mode accepts.
fn nullable_type(words: &Map<String, Value>, types: &[Value]) -> Value {
    let choices: Vec<Value> = types
        .iter()
        .map(|one| {
            let mut choice = words.clone();
            choice.insert("type".to_owned(), one.clone());
            // Strict modes refuse an `enum` with a value of another type.
            if let Some(Value::Array(values)) = choice.get_mut("enum") {
                values.retain(|value| !value.is_null());
            }
            if one.as_str() == Some("null") { json!({"type": "null"}) } else { Value::Object(choice) }
        })
        .collect();
    strict_choice(&choices)
}

#[cfg(test)]
mod tests {
    use crate::PromptKind;
    use serde_json::{Value, json};

    fn check_strict(schema: &Value, place: &str) {
        const KNOWN: [&str; 9] = [
            "type",
            "description",
            "enum",
            "const",
            "items",
            "required",
            "properties",
            "additionalProperties",
            "anyOf",
        ];
        for (key, value) in schema.as_object().expect("a schema is an object") {
            assert!(KNOWN.contains(&key.as_str()), "{place}: keyword {key}");
            match key.as_str() {
                "properties" => {
                    let names: Vec<Value> =
                        value.as_object().unwrap().keys().map(|name| json!(name)).collect();
                    assert_eq!(schema["required"], Value::Array(names), "{place}");
                    assert_eq!(schema["additionalProperties"], json!(false), "{place}");
                    for (name, property) in value.as_object().unwrap() {
                        check_strict(property, &format!("{place}.{name}"));
                    }
                }
                "items" => check_strict(value, &format!("{place}[]")),
                "anyOf" => value.as_array().unwrap().iter().for_each(|choice| check_strict(choice, place)),
                _ => {}
            }
        }
        assert!(schema.get("type").is_some() || schema.get("anyOf").is_some(), "{place}: no type");
        assert!(schema["type"] != "object" || schema.get("properties").is_some(), "{place}: open object");
        check_values(schema, place);
    }

    /// Strict modes refuse an `enum` or `const` value that is not of the schema's own type.
    fn check_values(schema: &Value, place: &str) {
        let constants = schema.get("const").into_iter();
        let listed = schema.get("enum").map(|values| values.as_array().expect("an enum is a list").iter());
        for value in constants.chain(listed.into_iter().flatten()) {
            let fits = match schema["type"].as_str() {
                Some("string") => value.is_string(),
                Some("boolean") => value.is_boolean(),
                Some("number") => value.is_number(),
                Some("integer") => value.is_i64() || value.is_u64(),
                Some("null") => value.is_null(),
                _ => false,
            };
            assert!(fits, "{place}: {value} is not of type {}", schema["type"]);
        }
        assert!(schema["type"].is_null() || schema["type"].is_string(), "{place}: several types");
        let is_empty =
            |key: &str| schema.get(key).is_some_and(|list| list.as_array().is_none_or(Vec::is_empty));
        assert!(!is_empty("enum") && !is_empty("anyOf"), "{place}: an empty choice");
    }

    /// Every object of every schema names all its keys as required and allows no other.
    #[test]
    fn all_schemas_are_strict() {
        for kind in PromptKind::ALL {
            check_strict(&kind.schema(), kind.name());
        }
    }

    /// A choice that may be left open is null or one of its words, and null is never among the words.
    #[test]
    fn optional_choices_are_null_or_a_word() {
        let schema = PromptKind::CompileMindspec.schema();
        let optional = [
            ("/properties/interrupt_mode", json!(["off", "on_high_risk", "on_any_external"])),
            (
                "/properties/defaults/properties/refactor_intent",
                json!(["behavior_preserving", "behavior_changing"]),
            ),
            (
                "/properties/external_actions/properties/network_policy",
                json!(["values_judged", "ask", "allow", "deny"]),
            ),
            (
                "/properties/external_actions/properties/install_policy",
                json!(["values_judged", "ask", "allow", "deny"]),
            ),
        ];
        for (place, words) in optional {
            let choice = &schema.pointer(place).unwrap_or_else(|| panic!("{place} is missing"))["anyOf"];
            assert_eq!(choice[0], json!({"type": "null"}), "{place}");
            assert_eq!((&choice[1]["type"], &choice[1]["enum"]), (&json!("string"), &words), "{place}");
            assert_eq!(choice.as_array().map(Vec::len), Some(2), "{place}");
        }
    }

    /// The schema of the answer that can end a run, in full.
    #[test]
    fn schema_of_decide_next() {
        let text_or_null =
            |about: &str| json!({"anyOf": [{"type": "null"}, {"type": "string", "description": about}]});
        let expected = json!({
            "type": "object",
            "description": "The answer of `decide_next`.",
            "required": ["next_action", "status", "next_codex_input", "ask_user_question", "reason", "confidence"],
            "properties": {
                "next_action": {"type": "string", "description": "The moves a model may choose.",
                                "enum": ["send_to_codex", "ask_user", "stop"]},
                "status": {"type": "string", "description": "What a model may hold the task for.",
                           "enum": ["done", "not_done", "blocked"]},
                "next_codex_input":
                    text_or_null("What to send to the agent; null unless `next_action` is `send_to_codex`."),
                "ask_user_question": text_or_null("What to ask the person; null unless `next_action` is `ask_user`."),
                "reason": {"type": "string", "description": "What the decision stands on."},
                "confidence": {"type": "number"},
            },
            "additionalProperties": false,
        });
        assert_eq!(PromptKind::DecideNext.schema(), expected);
    }
}
