//! The JSON Schemas of the files in `.nexus/` and of a manifest, as they are published.
//!
//! They say what we write (NX-012). What we read may have more fields (NX-013). A line of a `.jsonl` file is one value.

use serde_json::Value;

use crate::manifest;

macro_rules! schemas {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../conformance/state-schemas/", $name, ".schema.json")))),*]
    };
}

const STATE: [(&str, &str); 6] =
    schemas!["plan", "tasks", "history", "agent-tracker", "memory-access", "tool-log"];

/// The names that [`schema`] knows.
pub fn schema_names() -> impl Iterator<Item = &'static str> {
    STATE.iter().map(|(name, _)| *name).chain(manifest::schema_names())
}

/// The schema of a file, by its name with or without its ending: `plan`, `plan.json`.
pub fn schema(file: &str) -> Option<Value> {
    let name =
        [".json", ".jsonl", ".yml"].iter().find_map(|ending| file.strip_suffix(ending)).unwrap_or(file);
    let state = STATE.iter().find(|(known, _)| *known == name);
    match state {
        Some((_, text)) => serde_json::from_str(text).ok(),
        None => manifest::schema(name),
    }
}

#[cfg(test)]
mod tests {
    use super::{schema, schema_names};

    /// Every schema is one, closed to fields that it does not declare (NX-012).
    #[test]
    fn nx_012_every_schema_compiles() {
        for name in schema_names() {
            let schema = schema(name).unwrap_or_else(|| panic!("{name}"));
            jsonschema::meta::validate(&schema).unwrap_or_else(|error| panic!("{name}: {error}"));
            jsonschema::draft202012::new(&schema).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(schema.to_string().contains("\"additionalProperties\":false"), "{name}");
        }
        assert_eq!(schema("plan"), schema("plan.json"));
        assert_eq!(schema("memory-access"), schema("memory-access.jsonl"));
        assert!(schema("nothing").is_none());
    }
}
