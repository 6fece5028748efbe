//! What holds for any input.

use crate::support::{guarded, protocol};
use mi_protocol::{Engine, export, import};
use proptest::prelude::*;

/// Lines that are mostly events of the small protocol, in any order, and sometimes anything.
pub fn line() -> impl Strategy<Value = String> {
    let field = prop_oneof![
        "gate_passed|required_files_exist".prop_map(|_| "\"gate_passed\":true".to_owned()),
        (0..4_u8).prop_map(|n| format!("\"tool_calls\":{n}")),
        (0..4_u8).prop_map(|n| format!("\"cumulative_duration\":{n}.5")),
        Just("\"validator_verdict\":\"APPROVE\"".to_owned()),
        Just("\"log_updated_after_phase\":true".to_owned()),
        Just("\"nope\":1".to_owned()),
        Just("\"score\":null".to_owned()),
        Just("\"score\":2".to_owned())
    ];
    let event = prop_oneof![
        Just("\"type\":\"transition\",\"edge\":\"ab\"".to_owned()),
        Just("\"type\":\"transition\",\"edge\":\"bend\"".to_owned()),
        Just("\"type\":\"transition\",\"edge\":\"ba\"".to_owned()),
        "[AB]".prop_map(|node| format!("\"type\":\"phase_start\",\"phase\":\"{node}\"")),
        "[AB]".prop_map(|node| format!("\"type\":\"phase_end\",\"phase\":\"{node}\"")),
        "7[AB]".prop_map(|sub| format!("\"type\":\"subphase_start\",\"phase\":\"A\",\"subphase\":\"{sub}\"")),
        "7[AB]".prop_map(|sub| format!("\"type\":\"subphase_end\",\"phase\":\"A\",\"subphase\":\"{sub}\",\"manifest\":[\"m\"]")),
        ("[a-c]", "[a-c]", proptest::bool::ANY).prop_map(|(id, source, yes)| format!("\"type\":\"evidence\",\"id\":\"{id}\",\"claim\":\"C\",\"source\":\"{source}\",\"supports\":{yes}")),
        ("[ab]", "[ab]", "[ab]").prop_map(|(path, digest, old)| format!("\"type\":\"output\",\"path\":\"{path}\",\"digest\":\"{digest}\",\"previous_output_path\":\"{old}\",\"items\":{{\"x\":\"{digest}\"}}")),
        Just("\"type\":\"approved\",\"items\":[\"x\"]".to_owned()), Just("\"type\":\"tick\"".to_owned()),
        Just("\"type\":\"resume\"".to_owned()), Just("\"type\":\"update\"".to_owned()),
        "[a-z ]{0,12}".prop_map(|text| format!("\"type\":\"said\",\"actor\":\"w\",\"text\":\"{text}\"")),
        "[a-z./]{0,8}".prop_map(|path| format!("\"type\":\"access\",\"actor\":\"w\",\"path\":\"{path}\",\"mode\":\"read\"")),
    ];
    prop_oneof![
        20 => (event, proptest::collection::vec(field, 0..3)).prop_map(|(event, set)| {
            let set: std::collections::BTreeSet<String> = set.into_iter().collect();
            let set: Vec<String> = set.into_iter().collect();
            let set = if set.is_empty() { String::new() } else { format!(",\"set\":{{{}}}", set.join(",")) };
            format!("{{{event}{set}}}")
        }),
        1 => any::<String>(),
    ]
}

const RULES: &str = "policies:\n  - { id: p, expr: 'state.score == 2.0', priority: 3, conflicts_with: [q], override_mode: soft_override, violation_action: rerun }\n  \
    - { id: q, expr: 'state.tool_calls == 1', priority: 2, violation_action: block }\n  - { id: t, text: ['ab'], priority: 1, violation_action: rerun }\n\
    access_rules:\n  - { actor: '*', resource_path: 'a/**', access_mode: read, access_allowed: true }\n\
    claims:\n  - { claim_id: C, source: a, trust_level: external_unverified, evidence_ids: [] }\n\
    invariants:\n  - { invariant_id: i, invariant_expr: 'state.tool_calls < 3', check_timing: periodic, severity: low, fail_action: rerun }\n";

pub fn base() -> String {
    guarded("state.gate_passed || state.tool_calls > 1", ", on_guard_fail: rerun", RULES)
        .replace("{ id: A, kind: phase }", "{ id: A, kind: phase, subphases: [7A, 7B] }")
        .replace("edges:\n", "edges:\n  - { id: ba, from: B, to: A, class: Loop, guard_expr: 'state.attempt_count <= 2', on_guard_fail: { reroute: A } }\n")
}

fn verdicts(file: &str, lines: &[String]) -> Vec<String> {
    let mut engine = Engine::new(protocol(file));
    lines.iter().filter_map(|line| engine.apply(line.as_bytes())).map(|verdict| verdict.to_json()).collect()
}

/// The edges that were allowed, in order, as long as both runs are at the same node.
fn taken(file: &str, lines: &[String]) -> Vec<(String, bool)> {
    let mut engine = Engine::new(protocol(file));
    lines
        .iter()
        .filter_map(|line| engine.apply(line.as_bytes()))
        .map(|verdict| (verdict.node.to_string(), verdict.allowed))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Same file and events, same bytes.
    #[test]
    fn same_input_same_bytes(lines in proptest::collection::vec(line(), 0..40)) {
        prop_assert_eq!(verdicts(&base(), &lines), verdicts(&base(), &lines));
    }

    /// A snapshot at any point continues with the same verdicts.
    #[test]
    fn a_snapshot_changes_nothing(lines in proptest::collection::vec(line(), 1..40), cut in 0_usize..40) {
        let cut = cut.min(lines.len());
        let mut first = Engine::new(protocol(&base()));
        let mut got: Vec<String> = lines[..cut].iter().filter_map(|line| first.apply(line.as_bytes())).map(|verdict| verdict.to_json()).collect();
        let mut second = Engine::restore(protocol(&base()), &first.snapshot()).expect("a snapshot");
        got.extend(lines[cut..].iter().filter_map(|line| second.apply(line.as_bytes())).map(|verdict| verdict.to_json()));
        prop_assert_eq!(got, verdicts(&base(), &lines));
    }

    /// A stricter rule set never allows more: compared event by event for as long as both are at the same node.
    #[test]
    fn stricter_never_allows_more(lines in proptest::collection::vec(line(), 0..40), which in 0_usize..8) {
        let stricter = match which {
            0 => base().replace("state.gate_passed || state.tool_calls > 1", "(state.gate_passed || state.tool_calls > 1) && state.score != 2.0"),
            1 => base().replace("policies:\n", "policies:\n  - { id: more, expr: 'state.tool_calls == 2', priority: 1, override_mode: merge, violation_action: block }\n"),
            2 => base().replace("invariants:\n", "invariants:\n  - { invariant_id: more, invariant_expr: 'state.score == null', check_timing: on_transition, severity: low, fail_action: block }\n"),
            3 => base().replace("policies:\n", "policies:\n  - { id: more, expr: 'state.score != 2.0', priority: 9, override_mode: soft_override, violation_action: continue_with_workaround }\n"),
            4 => base().replace("policies:\n", "policies:\n  - { id: more, expr: 'state.gate_passed', priority: 9, violation_action: alert }\n"),
            5 => base().replace("{ id: bend, from: B, to: END, class: Progress }", "{ id: bend, from: B, to: END, class: Progress, guard_expr: state.tool_calls > 0, on_guard_fail: escalate }"),
            6 => base().replace("invariants:\n", "invariants:\n  - { invariant_id: more, invariant_expr: 'state.tool_calls != 2', check_timing: post_phase, severity: high, fail_action: rerun }\n"),
            _ => base().replace("invariants:\n", "invariants:\n  - { invariant_id: TOOL_USE_NONZERO, invariant_expr: 'true', check_timing: periodic, severity: low, fail_action: block }\n"),
        };
        for ((node, allowed), (other_node, other_allowed)) in taken(&base(), &lines).into_iter().zip(taken(&stricter, &lines)) {
            prop_assert!(allowed || !other_allowed || node != other_node);
            if node != other_node || allowed != other_allowed {
                break;
            }
        }
    }

    /// Any table of cells comes back cell for cell.
    #[test]
    fn any_cells_come_back(cells in proptest::collection::vec(any::<String>(), 1..5), crlf in any::<bool>()) {
        let quoted: Vec<String> = cells.iter().map(|cell| if cell.contains([',', '"', '\n', '\r']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.clone() }).collect();
        let end = if crlf { "\r\n" } else { "\n" };
        let mut table = String::from("edge_id,source,target,v2_primary_class,note") + end;
        for (at, cell) in quoted.iter().enumerate() {
            table.push_str(&format!("E{at},A,B,Gate,{cell}{end}"));
        }
        let yaml = import(table.as_bytes(), "t").map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(export(yaml.as_bytes()).map_err(|problems| TestCaseError::fail(format!("{problems:?}\n{yaml}")))?.csv, table);
    }
}
