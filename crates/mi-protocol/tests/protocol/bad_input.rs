//! What bad input gets, one test per kind that the issue names. Load errors name the place; what fails while it runs
//! counts as violated and stands in the trace.

use crate::support::{guarded, kinds, last, play, problems, small, take};
use mi_protocol::{export, import};

fn trace(file: &str, lines: &[&str]) -> String {
    play(file, lines).last().expect("there is an event")["trace"].to_string()
}

#[test]
fn yaml_that_does_not_parse() {
    assert_eq!(kinds("version: 1\nname: [a\n"), ["yaml 2:7"]);
    assert_eq!(kinds("version: 1\nversion: 1\n"), ["yaml 2:1"]);
    assert_eq!(kinds(""), ["yaml 1:1"]);
}

#[test]
fn unknown_keys() {
    assert_eq!(problems(&small("polices: []\n")), ["unknown_key 11:1 did you mean `policies`?"]);
}

#[test]
fn wrong_types() {
    assert_eq!(kinds(&small("policies: many\n")), ["type 11:11"]);
    assert_eq!(kinds(&guarded("state.gate_passed > 3", "", "")), ["type 9:79"]);
}

#[test]
fn unknown_fields_in_expressions() {
    let found = problems(&guarded("state.gate_pased", "", ""));
    assert_eq!(found, ["unknown_field 9:67 did you mean `state.gate_passed`?"]);
}

#[test]
fn division_by_zero() {
    for guard in
        ["1 / state.tool_calls > 0", "1.0 / state.cumulative_duration > 0", "1 % state.tool_calls > 0"]
    {
        let file = guarded(guard, "", "");
        assert_eq!(last(&file, &[&take("ab")]), "refused A block guard:ab -", "{guard}");
        assert!(trace(&file, &[&take("ab")]).contains("division by zero"), "{guard}");
    }
    let policy =
        "policies:\n  - { id: P, expr: '1 / state.tool_calls > 0', priority: 1, violation_action: alert }\n";
    assert_eq!(last(&small(policy), &[&take("ab")]), "allowed B alert P -");
    let invariant = "invariants:\n  - { invariant_id: I, invariant_expr: '1 / state.tool_calls > 0', check_timing: periodic, severity: low, fail_action: block }\n";
    assert_eq!(last(&small(invariant), &[r#"{"type":"tick"}"#]), "refused A block I failed");
}

#[test]
fn missing_values() {
    let file = guarded("state.score > 3", "", "");
    assert!(trace(&file, &[&take("ab")]).contains("a value is null"));
    assert_eq!(last(&file, &[&take("ab")]), "refused A block guard:ab -");
    let tags = guarded("state.tags[3] == 'x'", "", "state:\n  tags: { type: list }\n");
    assert!(trace(&tags, &[&take("ab")]).contains("there is no such index"));
}

#[test]
fn nesting_10_000_deep() {
    assert_eq!(kinds(&format!("{}x{}", "[".repeat(10_000), "]".repeat(10_000))), ["limit 1:65"]);
    let braces = format!("{}1{}", "{a: ".repeat(10_000), "}".repeat(10_000));
    assert!(kinds(&braces)[0].starts_with("limit 1:"));
    let guard = format!("{}true{}", "(".repeat(10_000), ")".repeat(10_000));
    assert!(kinds(&guarded(&guard, "", ""))[0].starts_with("limit 9:"));
    let event =
        format!("{{\"type\":\"update\",\"set\":{}1{}}}", "{\"a\":".repeat(10_000), "}".repeat(10_000));
    assert_eq!(last(&small(""), &[&event]), "refused A - engine bad_event");
}

#[test]
fn an_expression_of_1_mb() {
    let guard = format!("1 < 2{}", " && 1 < 2".repeat(120_000));
    assert!(kinds(&guarded(&guard, "", ""))[0].starts_with("limit 9:"));
}

#[test]
fn cyclic_references() {
    assert_eq!(kinds("a: &a [*a]"), ["yaml 1:8"]);
    let own = "policies:\n  - { id: P, expr: 'state.gate_passed', priority: 1, violation_action: block, conflicts_with: [P] }\n";
    assert_eq!(kinds(&small(own)), ["conflict 12:5"]);
}

#[test]
fn duplicate_ids() {
    let again = "  - { id: ab, from: A, to: B, class: Gate }\n";
    let file = small("").replace("  - { id: bend,", &format!("{again}  - {{ id: bend,"));
    assert_eq!(kinds(&file), ["duplicate_id 10:11"]);
    assert_eq!(kinds(&small("state:\n  score: { type: number }\n")), ["duplicate_id 12:3"]);
}

#[test]
fn equal_priority_conflicts() {
    let two = "policies:\n  - { id: P, expr: 'state.gate_passed', priority: 1, violation_action: block }\n  \
        - { id: Q, expr: 'state.gate_passed', priority: 1, violation_action: block, conflicts_with: [P] }\n";
    assert_eq!(kinds(&small(two)), ["conflict 13:5"]);
}

const HEAD: &str = "edge_id,source,target,v2_primary_class,note\n";

#[test]
fn csv_with_other_encodings() {
    let mut latin = format!("{HEAD}E1,A,B,Gate,\"two\nlines\"\n").into_bytes();
    latin.extend(b"E2,caf\xe9,B,Gate,x\n");
    let error = import(&latin, "t").expect_err("it is not UTF-8");
    assert_eq!((error.line, error.message.as_str()), (4, "row 3 is not UTF-8"));
    let wide: Vec<u8> = HEAD.encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(import(&wide, "t").is_err());
}

#[test]
fn csv_with_bom_quotes_and_newlines_in_cells() {
    let table = format!("\u{feff}{HEAD}E1,A,B,Gate,\"a, \"\"b\"\"\nand c\"\n").replace('\n', "\r\n");
    let file = import(table.as_bytes(), "t").expect("it is a table");
    assert_eq!(kinds(&file), Vec::<String>::new());
    assert_eq!(export(file.as_bytes()).expect("it has edges").csv, table);
}

#[test]
fn events_out_of_order() {
    let end = r#"{"type":"phase_end","phase":"A"}"#;
    assert_eq!(last(&small(""), &[end]), "refused A - engine out_of_order");
}

#[test]
fn events_of_unknown_type() {
    assert_eq!(last(&small(""), &[r#"{"type":"pause"}"#]), "refused A - engine unknown_event");
    assert!(trace(&small(""), &[r#"{"type":"tik"}"#]).contains("did you mean `tick`?"));
}

#[test]
fn events_for_unknown_nodes() {
    assert_eq!(
        last(&small(""), &[r#"{"type":"phase_start","phase":"Q"}"#]),
        "refused A - engine unknown_node"
    );
    assert_eq!(last(&small(""), &[&take("zz")]), "refused A - engine unknown_edge");
}
