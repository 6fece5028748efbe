//! The published JSON Schema of a protocol file, made from the same words that the reader knows.

use serde_json::{Value, json};

use crate::{
    builtin::BuiltIn,
    words::{
        AccessMode, Action, CheckTiming, EdgeClass, FieldTypeWord, GuardScope, GuardType, NodeKindWord,
        OverrideMode, Requirement, Severity, TrustLevel, VerificationStatus,
    },
};

/// JSON Schema, 2020-12.
pub fn schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "mi protocol",
        "description": "Phases, edges, state, policies, provenance and invariants of a workflow (05k policy runtime schema).",
        "type": "object",
        "additionalProperties": false,
        "required": ["version", "start", "nodes"],
        "properties": {
            "version": {"const": 1},
            "name": name(),
            "start": name(),
            "nodes": list(&node()),
            "state": {"type": "object", "additionalProperties": field(), "propertyNames": {"pattern": "^[A-Za-z_][A-Za-z0-9_]*$"}},
            "edges": list(&edge()),
            "policies": list(&policy()),
            "access_rules": list(&access_rule()),
            "claims": list(&claim()),
            "invariants": list(&invariant()),
            "builtin_off": list(&off()),
            "csv": {
                "type": "object",
                "additionalProperties": false,
                "description": "How the table looked that the edges came from; written by `mi protocol import`.",
                "properties": {
                    "columns": {"type": "array", "items": {"type": "string"}},
                    "bom": {"type": "boolean"},
                    "crlf": {"type": "boolean"},
                    "last_line_open": {"type": "boolean"},
                },
            },
        },
    })
}

fn name() -> Value {
    json!({"type": "string", "pattern": "\\S"})
}

fn expression() -> Value {
    json!({"type": ["string", "boolean"], "description": "CEL with `a -> b`; fields are state.NAME and event.NAME"})
}

fn list(item: &Value) -> Value {
    json!({"type": ["array", "null"], "items": item})
}

fn names() -> Value {
    list(&name())
}

fn words<T>(words: &[(&'static str, T)]) -> Value {
    json!({"enum": words.iter().map(|(word, _)| *word).collect::<Vec<_>>()})
}

fn object(required: &[&str], properties: &Value) -> Value {
    json!({"type": "object", "additionalProperties": false, "required": required, "properties": properties})
}

fn node() -> Value {
    object(
        &["id"],
        &json!({
            "id": name(),
            "kind": words(NodeKindWord::ALL),
            "title": name(),
            "validator": {"type": "boolean", "description": "its forward edges need validator_verdict APPROVE"},
            "subphases": names(),
            "minimum_duration": {"type": "number", "minimum": 0, "description": "put into state.minimum_duration on entry"},
            "files": {"description": "what must exist before the phase is done", "type": "array", "items": name()},
            "checks": {"description": "commands whose success is the phase's gate", "type": "array", "items": name()},
            "prompt": {"description": "what the agent is told in this phase", "type": "string", "pattern": "\\S"},
        }),
    )
}

/// An object whose required key may go by another name.
fn with_aliases(required: &[&str], properties: &Value, aliases: &[&[&str]]) -> Value {
    let mut object = object(required, properties);
    let either: Vec<Value> = aliases
        .iter()
        .map(|names| json!({"oneOf": names.iter().map(|name| json!({"required": [name]})).collect::<Vec<_>>()}))
        .collect();
    object["allOf"] = json!(either);
    object
}

fn edge() -> Value {
    let class: Vec<String> = EdgeClass::ALL
        .iter()
        .flat_map(|(word, _)| [(*word).to_owned(), format!("{word}TransitionObject")])
        .collect();
    with_aliases(
        &["from", "to"],
        &json!({
            "id": name(), "edge_id": name(), "affected_edge": name(),
            "from": name(),
            "to": name(),
            "class": {"enum": class}, "v2_primary_class": {"enum": class},
            "guard_expr": expression(),
            "guard_scope": words(GuardScope::ALL),
            "guard_type": words(GuardType::ALL),
            "on_guard_fail": {"oneOf": [
                {"enum": ["block", "rerun", "escalate"]},
                {"type": "string", "pattern": "^\\s*reroute[: \\t]+\\S"},
                object(&["reroute"], &json!({"reroute": name()})),
            ]},
            "guard_evidence_source": {"type": "string", "description": "FILE:PATH.INTO.JSON; {X} is the phase, sub-phase or attempt"},
            "policy_refs": names(),
            "audit_invariant_refs": names(),
            "trust_requirement": words(Requirement::ALL),
            "columns": {"type": "object", "additionalProperties": {"type": ["string", "number", "boolean", "null"]}},
        }),
        &[&["id", "edge_id", "affected_edge"], &["class", "v2_primary_class"]],
    )
}

fn field() -> Value {
    object(
        &["type"],
        &json!({
            "type": words(FieldTypeWord::ALL),
            "values": {"type": "array", "items": name(), "minItems": 1},
            "default": {"type": ["boolean", "number", "string", "array", "null"]},
            "nullable": {"type": "boolean"},
            "min": {"type": "number"},
            "max": {"type": "number"},
        }),
    )
}

fn policy() -> Value {
    with_aliases(
        &["priority", "violation_action"],
        &json!({
            "id": name(), "policy_id": name(),
            "expr": expression(), "policy_expr": expression(),
            "text": {"oneOf": [name(), {"type": "array", "items": name(), "minItems": 1}]},
            "priority": {"type": "integer"},
            "conflicts_with": names(),
            "override_mode": words(OverrideMode::ALL),
            "violation_action": words(Action::OF_POLICIES),
        }),
        &[&["id", "policy_id"], &["expr", "policy_expr", "text"]],
    )
}

fn access_rule() -> Value {
    object(
        &["actor", "resource_path", "access_mode", "access_allowed"],
        &json!({
            "actor": name(),
            "resource_path": name(),
            "access_mode": words(AccessMode::ALL),
            "access_allowed": {"type": "boolean"},
            "reason": name(),
        }),
    )
}

fn claim() -> Value {
    object(
        &["claim_id", "source", "trust_level"],
        &json!({
            "claim_id": name(),
            "source": name(),
            "trust_level": words(TrustLevel::ALL),
            "evidence_ids": names(),
            "verification_status": words(VerificationStatus::ALL),
        }),
    )
}

fn invariant() -> Value {
    object(
        &["invariant_id", "invariant_expr", "check_timing", "severity", "fail_action"],
        &json!({
            "invariant_id": name(),
            "invariant_expr": expression(),
            "check_timing": words(CheckTiming::ALL),
            "severity": words(Severity::ALL),
            "fail_action": words(Action::OF_INVARIANTS),
        }),
    )
}

fn off() -> Value {
    let ids: Vec<&str> = BuiltIn::ALL.iter().map(|built_in| built_in.id()).collect();
    object(&["id", "reason"], &json!({"id": {"enum": ids}, "reason": name()}))
}
