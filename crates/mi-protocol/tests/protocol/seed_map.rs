//! The seed's §5: one test per row of the mapping table in `docs/protocol.md`.

use crate::{
    example::FILE,
    support::{guarded, last, play, set, small, take, told},
};

/// 累计时长硬门槛: Layer A + B.
#[test]
fn row_01_cumulative_time_floor() {
    let file = guarded("state.cumulative_duration >= state.minimum_duration", "", "");
    let under = set("\"minimum_duration\":10,\"cumulative_duration\":9.5");
    let over = set("\"cumulative_duration\":10");
    assert_eq!(last(&file, &[&under, &take("ab")]), "refused A block guard:ab -");
    assert_eq!(last(&file, &[&under, &over, &take("ab")]), "allowed B - - -");
}

/// Rule 6 覆盖 Rule 7: Layer C.
#[test]
fn row_02_rule_6_overrides_rule_7() {
    let file = small(
        "policies:\n  - { id: R6, expr: 'state.score == null', priority: 6, conflicts_with: [R7], override_mode: hard_override, violation_action: block }\n  \
         - { id: R7, expr: 'state.score == null', priority: 5, violation_action: reject }\n",
    );
    let verdict = play(&file, &[&take("ab")]).pop().expect("a verdict");
    assert_eq!(told(&verdict), "refused A block R6 -");
    assert_eq!(verdict["overrode"], serde_json::json!(["R7"]));
}

const TEXTS: &str = "policies:\n  - { id: NO_EXCUSES, text: ['good enough for now'], priority: 5, violation_action: reject }\n  \
     - { id: NO_ASKING, text: ['是否继续', 'should i proceed'], priority: 4, violation_action: rerun }\n";

/// 禁止合理化语句: Layer C, policy lint.
#[test]
fn row_03_forbidden_rationalisations() {
    let said = r#"{"type":"said","actor":"w","text":"It is  GOOD\nenough for now, I think"}"#;
    assert_eq!(last(&small(TEXTS), &[said]), "refused A reject NO_EXCUSES -");
    let fine = r#"{"type":"said","actor":"w","text":"It is good. Enough for now!"}"#;
    assert_eq!(last(&small(TEXTS), &[fine]), "allowed A - - -");
}

/// 不得询问用户继续: Layer C, interaction policy.
#[test]
fn row_04_no_asking_whether_to_continue() {
    let said = r#"{"type":"said","actor":"w","text":"第六阶段完成。是否继续？"}"#;
    assert_eq!(last(&small(TEXTS), &[said]), "refused A rerun NO_ASKING -");
}

/// 完成条件多重合取: Layer A + B + E.
#[test]
fn row_05_done_is_a_conjunction() {
    let guard = "state.required_files_exist && state.gate_passed && state.validator_verdict == \"APPROVE\"";
    let file = guarded(guard, "", "");
    let parts =
        ["\"required_files_exist\":true", "\"gate_passed\":true", "\"validator_verdict\":\"APPROVE\""];
    for left_out in 0..3 {
        let some: Vec<&str> =
            parts.iter().enumerate().filter(|(at, _)| *at != left_out).map(|(_, part)| *part).collect();
        assert_eq!(last(&file, &[&set(&some.join(",")), &take("ab")]), "refused A block guard:ab -");
    }
    assert_eq!(last(&file, &[&set(&parts.join(",")), &take("ab")]), "allowed B - - -");
}

/// validator REJECT 直至 APPROVE: Layer B + E.
#[test]
fn row_06_reject_until_approve() {
    let file = small("").replace("{ id: A, kind: phase }", "{ id: A, kind: phase, validator: true }");
    let blocked = "refused A block VALIDATOR_APPROVAL_REQUIRED failed";
    assert_eq!(last(&file, &[&take("ab")]), blocked);
    assert_eq!(last(&file, &[&set("\"validator_verdict\":\"REJECT\""), &take("ab")]), blocked);
    assert_eq!(last(&file, &[&set("\"validator_verdict\":\"APPROVE\""), &take("ab")]), "allowed B - - -");
}

/// 0 tool uses = failure: Layer B + E.
#[test]
fn row_07_zero_tool_uses_fail() {
    let start = r#"{"type":"phase_start","phase":"A"}"#;
    let end = |calls: u8| {
        format!(
            r#"{{"type":"phase_end","phase":"A","set":{{"log_updated_after_phase":true,"tool_calls":{calls}}}}}"#
        )
    };
    assert_eq!(last(&small(""), &[start, &end(0)]), "refused A rerun TOOL_USE_NONZERO failed");
    assert_eq!(last(&small(""), &[start, &end(1)]), "allowed A - - -");
}

/// director file-ban: Layer D.
#[test]
fn row_08_file_ban() {
    let read =
        r#"{"type":"access","actor":"director","path":"output/phase_x/agent_output.md","mode":"read"}"#;
    assert_eq!(last(FILE, &[read]), "refused P5 - access:director file-ban");
}

/// external_resources 独立验证: Layer D.
#[test]
fn row_09_independent_verification() {
    let file = small(
        "claims:\n  - { claim_id: OWN, source: us, trust_level: internal_authoritative }\n  \
         - { claim_id: C, source: vendor, trust_level: external_unverified, evidence_ids: [], verification_status: pending }\n",
    )
    .replace("to: B, class: Progress }", "to: B, class: Progress, trust_requirement: independent_verification_required }");
    let evidence = r#"{"type":"evidence","id":"1","claim":"C","source":"lab","supports":true}"#;
    let verdict = play(&file, &[&take("ab")]).pop().expect("a verdict");
    assert_eq!(told(&verdict), "refused A block trust:C -");
    assert_eq!((&verdict["claim"], &verdict["verification_status"]), (&"C".into(), &"pending".into()));
    assert_eq!(last(&file, &[evidence, &take("ab")]), "allowed B - - -");
}

/// rerun 必须基于 previous_output 改进: Layer B + E, delta invariant.
#[test]
fn row_10_a_rerun_improves_its_previous_output() {
    let first = r#"{"type":"output","path":"a1","digest":"d1"}"#;
    let same = r#"{"type":"output","path":"a2","digest":"d1","previous_output_path":"a1"}"#;
    assert_eq!(last(&small(""), &[first, same]), "refused A rerun RERUN_DELTA unchanged");
}

/// 每阶段后立即更新 orchestration_log: Layer E.
#[test]
fn row_11_the_log_is_updated_at_once() {
    let start = r#"{"type":"phase_start","phase":"A"}"#;
    let end = r#"{"type":"phase_end","phase":"A","set":{"tool_calls":1}}"#;
    assert_eq!(last(&small(""), &[start, end]), "refused A block ORCH_LOG_IMMEDIATE_UPDATE failed");
}

/// 7A-7F 每子阶段 manifest + resume: Layer B + E.
#[test]
fn row_12_subphases_have_manifests_and_resume() {
    let file = small("").replace("{ id: A, kind: phase }", "{ id: A, kind: phase, subphases: [7A, 7B] }");
    let start = |sub: &str| format!(r#"{{"type":"subphase_start","phase":"A","subphase":"{sub}"}}"#);
    let end = |sub: &str, manifest: &str| {
        format!(r#"{{"type":"subphase_end","phase":"A","subphase":"{sub}","manifest":{manifest}}}"#)
    };
    let resume = r#"{"type":"resume"}"#;
    assert_eq!(last(&file, &[&start("7B")]), "refused A - engine out_of_order");
    assert_eq!(last(&file, &[&start("7A"), &end("7A", "[]")]), "refused A block manifest:7A -");
    assert_eq!(last(&file, &[&take("ab")]), "refused A block manifest:7A -");
    let a = [start("7A"), end("7A", "[\"x\"]"), start("7B")];
    let lines: Vec<&str> = a.iter().map(String::as_str).chain([resume]).collect();
    let verdicts = play(&file, &lines);
    assert_eq!(verdicts.last().expect("a verdict")["subphase"], "7B");
    let b =
        [start("7A"), end("7A", "[\"x\"]"), start("7B"), end("7B", "[\"y\"]"), resume.to_owned(), take("ab")];
    let lines: Vec<&str> = b.iter().map(String::as_str).collect();
    let verdicts = play(&file, &lines);
    assert_eq!(verdicts[4]["subphase"], serde_json::Value::Null);
    assert!(verdicts[4].get("subphase").is_some());
    assert_eq!(told(&verdicts[5]), "allowed B - - -");
}
