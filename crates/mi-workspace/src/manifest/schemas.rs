//! The shapes of the contract's files as JSON Schema 2020-12, and checking against them (NX-350, NX-351).

use mi_formats::schema::Schema;
use serde_json::{Value, json};
use std::sync::LazyLock;

/// A shape that a file can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Agent,
    Skill,
    Capabilities,
    Categories,
    ResumeTiers,
    Tags,
    Invocations,
    TaskExceptions,
    MemoryPolicy,
    Manifest,
}

/// The vocabulary files, in the order in which the manifest has them.
pub(super) const VOCABULARY: [(&str, Shape); 7] = [
    ("vocabulary/capabilities.yml", Shape::Capabilities),
    ("vocabulary/categories.yml", Shape::Categories),
    ("vocabulary/resume-tiers.yml", Shape::ResumeTiers),
    ("vocabulary/tags.yml", Shape::Tags),
    ("vocabulary/invocations.yml", Shape::Invocations),
    ("vocabulary/task-exceptions.yml", Shape::TaskExceptions),
    ("vocabulary/memory_policy.yml", Shape::MemoryPolicy),
];

/// What does not fit, and where, as a JSON pointer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Misfit {
    pub pointer: String,
    pub message: String,
}

/// Everything in `value` that does not have the shape.
pub(super) fn misfits(shape: Shape, value: &Value) -> Vec<Misfit> {
    let (_, schema) = &SCHEMAS[shape as usize];
    let told = |misfit: mi_formats::schema::Misfit<'_>| {
        let place = if misfit.pointer.is_empty() { "/" } else { &misfit.pointer };
        Misfit { message: format!("{place}: {misfit}"), pointer: misfit.pointer.clone() }
    };
    schema.misfits(value).into_iter().map(told).collect()
}

const NAMES: [(Shape, &str); 10] = [
    (Shape::Agent, "agent"),
    (Shape::Skill, "skill"),
    (Shape::Capabilities, "capabilityFile"),
    (Shape::Categories, "categoryFile"),
    (Shape::ResumeTiers, "resumeTierFile"),
    (Shape::Tags, "tagFile"),
    (Shape::Invocations, "invocationFile"),
    (Shape::TaskExceptions, "taskExceptionFile"),
    (Shape::MemoryPolicy, "memoryPolicyFile"),
    (Shape::Manifest, "manifest"),
];

static SCHEMAS: LazyLock<Vec<(Shape, Schema)>> = LazyLock::new(|| {
    let compile = |name| Schema::compile(&named(name)).expect("a test compiles every schema of the program");
    NAMES.iter().map(|(shape, name)| (*shape, compile(name))).collect()
});

static WHOLE: LazyLock<Value> = LazyLock::new(|| {
    serde_json::from_str(include_str!("schemas.json")).expect("the schemas are part of the program")
});

fn named(definition: &str) -> Value {
    json!({"$schema": WHOLE["$schema"], "$defs": WHOLE["$defs"], "$ref": format!("#/$defs/{definition}")})
}

/// What the files are called, in the order of [`NAMES`]; `agent` and `skill` are each one `meta.yml`.
const FILES: [&str; 10] = [
    "agent",
    "skill",
    "capabilities",
    "categories",
    "resume-tiers",
    "tags",
    "invocations",
    "task-exceptions",
    "memory_policy",
    "manifest",
];

pub(crate) fn schema_names() -> impl Iterator<Item = &'static str> {
    FILES.into_iter()
}

/// The schema of a file of this name.
pub(crate) fn schema(file: &str) -> Option<Value> {
    let place = FILES.iter().position(|name| *name == file)?;
    Some(named(NAMES[place].1))
}

#[cfg(test)]
mod tests {
    use super::{NAMES, SCHEMAS, Shape, misfits};
    use serde_json::json;

    /// Every shape stands at its own place, compiles, and refuses a number.
    #[test]
    fn nx_351_every_shape_has_its_schema() {
        for (place, ((shape, _), (named, _))) in SCHEMAS.iter().zip(NAMES).enumerate() {
            assert_eq!((*shape as usize, *shape), (place, named));
            assert!(!misfits(*shape, &json!(1)).is_empty());
        }
    }

    /// A skill has triggers unless only a person starts it; a tag names what its type needs.
    #[test]
    fn nx_347_nx_352_conditional_fields() {
        let skill = |more: serde_json::Value| {
            let mut value = json!({"id": "a", "name": "a", "description": "a"});
            value.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            misfits(Shape::Skill, &value).len()
        };
        assert_eq!(skill(json!({"triggers": ["plan"]})), 0);
        assert_eq!(skill(json!({"manual_only": true})), 0);
        assert_eq!(skill(json!({})), 1);
        assert_eq!(skill(json!({"manual_only": false})), 1);
        assert_eq!(skill(json!({"triggers": ["plan"], "summary": "too short"})), 1);
        let tag = |more: serde_json::Value| {
            let mut value = json!({"id": "a", "trigger": "[a]", "description": "a"});
            value.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            misfits(Shape::Tags, &json!({"tags": [value]})).len()
        };
        assert_eq!(tag(json!({"type": "skill", "skill": "b"})), 0);
        assert_eq!(tag(json!({"type": "inline_action", "handler": "b"})), 0);
        assert_eq!(tag(json!({"type": "skill", "handler": "b"})), 1);
        assert_eq!(tag(json!({"type": "inline_action", "skill": "b"})), 1);
        assert_eq!(tag(json!({"type": "skill", "skill": "b", "prose_guidance": "short"})), 1);
    }

    /// All errors are told, not the first one only.
    #[test]
    fn nx_350_all_errors_are_told() {
        let found = misfits(Shape::Agent, &json!({"id": "A", "name": "", "icon": "x"}));
        assert_eq!(found.len(), 8, "{found:?}");
    }
}
