//! The protocols that come with the program, their drawings, the schema and the audit.

use crate::support::{kinds, play, protocol, take, told};
use mi_protocol::{EdgeClass, SHIPPED, audit::Audit, render, schema};
use serde_json::Value;

/// They have nothing to complain about, and all guards but a few are understood.
#[test]
fn shipped_protocols_are_free_of_problems() {
    for (name, _, text) in SHIPPED {
        assert_eq!(kinds(text), Vec::<String>::new(), "{name}");
        let (_, unknown) = mi_protocol::check(text.as_bytes());
        assert!(unknown.len() <= 3, "{name}: {unknown:?}");
    }
}

/// The reference protocol: 146 edges or more, all eight classes, 20 policies, 20 invariants.
#[test]
fn the_reference_protocol_is_large_enough() {
    let reference = protocol(mi_protocol::shipped("feature-delivery").expect("it is shipped"));
    assert!(
        reference.edges.len() >= 146 && reference.policies.len() >= 20 && reference.invariants.len() >= 20
    );
    for (word, class) in EdgeClass::ALL {
        assert!(reference.edges.iter().any(|edge| edge.class == *class), "{word}");
    }
}

/// A small, clear, low-risk request goes from intake to integration on the short way.
#[test]
fn the_reference_protocol_carries_a_small_change() {
    let file = mi_protocol::shipped("feature-delivery").expect("it is shipped");
    let set = crate::support::set;
    let lines = [
        take("E001"),
        set("\"size\":\"small\",\"risk\":\"low\",\"criteria\":1"),
        take("E004"),
        set("\"tests_failed\":1"),
        take("E016"),
        r#"{"type":"phase_start","phase":"IMPLEMENT"}"#.to_owned(),
        set("\"gate_passed\":true,\"tests_failed\":0,\"coverage\":90,\"tool_calls\":4"),
        r#"{"type":"phase_end","phase":"IMPLEMENT","set":{"log_updated_after_phase":true}}"#.to_owned(),
        take("E017"),
        r#"{"type":"phase_start","phase":"UNIT_TEST"}"#.to_owned(),
        r#"{"type":"phase_end","phase":"UNIT_TEST","set":{"tool_calls":1,"log_updated_after_phase":true}}"#
            .to_owned(),
        take("E018"),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let verdicts = play(file, &lines);
    let refused: Vec<&Value> = verdicts.iter().filter(|verdict| verdict["allowed"] == false).collect();
    assert!(refused.is_empty(), "{refused:#?}");
    assert_eq!(told(verdicts.last().expect("a verdict")), "allowed SELF_REVIEW - - -");
}

/// The schema takes what the loader takes.
#[test]
fn the_schema_takes_the_shipped_protocols() {
    let validator = jsonschema::validator_for(&schema()).expect("the schema is a schema");
    let json = serde_json::json!({
        "version": 1, "start": "A", "nodes": [{"id": "A"}, {"id": "Z", "kind": "end"}],
        "state": {"x": {"type": "enum", "values": ["a"], "default": "a"}},
        "edges": [{"affected_edge": "e", "from": "A", "to": "Z", "v2_primary_class": "GateTransitionObject", "guard_expr": true,
                   "on_guard_fail": {"reroute": "A"}}],
        "policies": [{"policy_id": "p", "text": ["x"], "priority": 1, "violation_action": "alert"}],
        "builtin_off": [{"id": "RERUN_DELTA", "reason": "r"}],
    });
    assert!(validator.is_valid(&json), "{:?}", validator.validate(&json).err());
    assert_eq!(
        kinds(&json.to_string()).iter().filter(|kind| !kind.starts_with("always")).count(),
        1,
        "the reroute loops"
    );
    for (pointer, value) in [
        ("/version", 2.into()),
        ("/nodes/0/kind", "fase".into()),
        ("/edges/0/from", Value::Null),
        ("/policies/0/priority", "1".into()),
    ] {
        let mut wrong = json.clone();
        match wrong.pointer_mut(pointer) {
            Some(place) => *place = value,
            None => wrong["nodes"][0]["kind"] = value,
        }
        assert!(!validator.is_valid(&wrong), "{pointer}");
        assert!(!mi_protocol::load(wrong.to_string().as_bytes()).is_ok(), "{pointer}");
    }
}

/// Every node and edge is in every drawing, and nothing in a name escapes it.
#[test]
fn drawings_are_complete_and_safe() {
    for (_, _, text) in SHIPPED {
        let protocol = protocol(text);
        for drawing in [render::mermaid(&protocol), render::dot(&protocol), render::svg(&protocol)] {
            assert!(protocol.nodes.iter().all(|node| drawing.contains(&*node.id)));
            assert!(protocol.edges.iter().all(|edge| drawing.contains(&*edge.id)));
        }
    }
    let nasty = crate::support::small("")
        .replace("id: ab", "id: '\"]<script>&|`{'")
        .replace("name: small", "name: '<b>\"x'");
    let protocol = protocol(&nasty);
    let svg = render::svg(&protocol);
    assert!(!svg.contains("<script>") && !svg.contains("<b>"), "{svg}");
    assert!(!render::mermaid(&protocol).contains("<script>"));
    let dot = render::dot(&protocol);
    assert!(dot.contains("tooltip=\"\\\"]<script>") && !dot.contains("<B>\"]<script>"), "{dot}");
}

/// An audit holds every record with a chain that can be checked, and its sums are right.
#[test]
fn an_audit_can_be_checked_by_anyone() {
    let mut audit = Audit::new(protocol(crate::example::FILE));
    let records: Vec<Value> = crate::example::EVENTS
        .lines()
        .filter_map(|line| audit.record(line.as_bytes()))
        .map(|record| serde_json::from_str(&record).expect("JSON"))
        .collect();
    let summary = audit.summary();
    assert_eq!((summary.events, summary.allowed, summary.refused), (12, 9, 3));
    assert_eq!((summary.node.as_str(), summary.finished), ("P7", false));
    assert_eq!(summary.edges_taken.keys().map(String::as_str).collect::<Vec<_>>(), ["E131", "E132"]);
    assert_eq!(summary.overridden["PIPELINE_CONTINUITY"], 1);
    assert_eq!(summary.claims[0].verification_status.word(), "verified");
    let mut chain = String::new();
    for mut record in records {
        let own = record.as_object_mut().and_then(|record| record.remove("chain")).expect("a chain");
        chain = mi_model::sha256_hex(format!("{chain}\n{record}").as_bytes());
        assert_eq!(own, chain);
    }
    assert_eq!(summary.chain, chain);
    assert!(mi_protocol::audit::page(&summary).lines().all(|line| line.chars().count() <= 80));
}
