//! What bad input gets, one test per kind that the issue names. Load errors name the place; what fails while it runs
//! counts as violated and stands in the trace.

use crate::support::{guarded, kinds, last, play, problems, small, take};
use mi_protocol::{export, import};

fn trace(file: &str, lines: &[&str]) -> String {
    play(file, lines).last().expect("there is an event")["trace"].to_string()
}

/// The place where the parser stops is named; a key that stands twice, and an empty file, are no YAML to us.
#[test]
fn yaml_that_does_not_parse() {
    assert_eq!(kinds("version: 1\nname: [a\n"), ["yaml 2:7"]);
    assert_eq!(kinds("version: 1\nversion: 1\n"), ["yaml 2:1"]);
    assert_eq!(kinds(""), ["yaml 1:1"]);
}

/// An unquoted `!` begins a YAML tag: the negation would be lost without a word, so it is said. Core types are taken.
#[test]
fn tags_are_no_negations() {
    for guard in ["!state.gate_passed", "! state.gate_passed", "!state.gate_passed == true"] {
        let file = guarded("state.gate_passed", "", "").replace("\"state.gate_passed\"", guard);
        let found = problems(&file);
        assert!(found.len() == 1 && found[0].starts_with("yaml 9:"), "{guard}: {found:?}");
        assert!(found[0].ends_with("put the value in quotes: '!…'"), "{guard}: {found:?}");
    }
    let typed = "state:\n  n: { type: integer, default: !!int '3' }\n  b: { type: boolean, default: !!bool \"true\" }\n  t: { type: string, default: !!str 7 }\n";
    let file = guarded("state.n == 3 && state.b && state.t == '7'", "", typed);
    assert_eq!(last(&file, &[&take("ab")]), "allowed B - - -");
}

/// A key that there is not is named with the nearest one.
#[test]
fn unknown_keys() {
    assert_eq!(problems(&small("polices: []\n")), ["unknown_key 11:1 did you mean `policies`?"]);
}

/// A value or an operand of another type is an error where it stands.
#[test]
fn wrong_types() {
    assert_eq!(kinds(&small("policies: many\n")), ["type 11:11"]);
    assert_eq!(kinds(&guarded("state.gate_passed > 3", "", "")), ["type 9:79"]);
    for (value, kind) in
        [("true", "type"), ("false", "type"), ("7", "type"), ("''", "bad_value"), ("' '", "bad_value")]
    {
        let file = guarded("true", &format!(", guard_evidence_source: {value}"), "");
        let found = kinds(&file);
        assert!(found.len() == 1 && found[0].starts_with(&format!("{kind} 9:")), "{value}: {found:?}");
    }
}

/// A field that there is not is named at its own character, with the nearest one.
#[test]
fn unknown_fields_in_expressions() {
    let found = problems(&guarded("state.gate_pased", "", ""));
    assert_eq!(found, ["unknown_field 9:67 did you mean `state.gate_passed`?"]);
}

/// A field whose declaration is wrong is not unknown besides: only the declaration is reported.
#[test]
fn a_faulty_field_is_reported_once() {
    let cases = [
        ("{ type: int }", "bad_value"),
        ("{ type: integer, max: 5, default: 9 }", "bad_value"),
        ("{ type: integer, default: many }", "type"),
        ("{ type: enum, values: [a, b], default: c }", "bad_value"),
        ("{ type: enum }", "missing_key"),
        ("{ type: enum, values: [] }", "bad_value"),
        ("{ default: 1 }", "missing_key"),
        ("integer", "type"),
    ];
    for (declared, kind) in cases {
        let found = kinds(&guarded("state.x == state.x", "", &format!("state:\n  x: {declared}\n")));
        assert!(found.len() == 1 && found[0].starts_with(&format!("{kind} 12:")), "{declared}: {found:?}");
    }
    // Its type is held to where it is known, and other fields are looked up as ever.
    let wrong = "state:\n  x: { type: integer, default: many }\n  y: { type: int }\n";
    let kinds_of = |guard: &str| -> Vec<String> {
        let found = kinds(&guarded(guard, "", wrong));
        found.iter().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
    };
    assert_eq!(kinds_of("state.x == 'a'"), ["type", "type", "bad_value"]);
    assert_eq!(kinds_of("state.z == state.y"), ["unknown_field", "type", "bad_value"]);
    assert_eq!(kinds_of("y == 1"), ["unknown_field", "type", "bad_value"]);
    assert_eq!(kinds_of("event.y == ''"), ["unknown_field", "type", "bad_value"]);
}

/// A wrong word does not hide what is wrong beside it.
#[test]
fn mistakes_beside_a_wrong_word_are_found() {
    let more = "policies:\n  - { id: P, expr: state.nothing, priority: 1, violation_action: explode }\ninvariants:\n  \
                - { invariant_id: I, invariant_expr: state.nothing, check_timing: never, severity: low, fail_action: block }\n";
    let file = guarded("state.nothing", "", more).replace("to: B, class: Progress", "to: B, class: Progres");
    let found = kinds(&file);
    let count = |kind: &str| found.iter().filter(|line| line.starts_with(kind)).count();
    assert_eq!((count("unknown_field"), count("bad_value"), found.len()), (3, 3, 6), "{found:?}");
}

/// Guard closed, policy violated, invariant failed; of integers and of numbers.
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

/// Ordering null, and an index that there is not, close the guard and are told.
#[test]
fn missing_values() {
    let file = guarded("state.score > 3", "", "");
    assert!(trace(&file, &[&take("ab")]).contains("a value is null"));
    assert_eq!(last(&file, &[&take("ab")]), "refused A block guard:ab -");
    let tags = guarded("state.tags[3] == 'x'", "", "state:\n  tags: { type: list }\n");
    assert!(trace(&tags, &[&take("ab")]).contains("there is no such index"));
}

/// Files, expressions and events have a depth beyond which they are refused.
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

/// An expression has a length beyond which it is refused.
#[test]
fn an_expression_of_1_mb() {
    let guard = format!("1 < 2{}", " && 1 < 2".repeat(120_000));
    assert!(kinds(&guarded(&guard, "", ""))[0].starts_with("limit 9:"));
}

/// Neither an anchor nor a conflict may refer to itself.
#[test]
fn cyclic_references() {
    assert_eq!(kinds("a: &a [*a]"), ["yaml 1:8"]);
    let own = "policies:\n  - { id: P, expr: 'state.gate_passed', priority: 1, violation_action: block, conflicts_with: [P] }\n";
    assert_eq!(kinds(&small(own)), ["conflict 12:5"]);
}

/// The second one is reported; a built-in field is there already.
#[test]
fn duplicate_ids() {
    let again = "  - { id: ab, from: A, to: B, class: Gate }\n";
    let file = small("").replace("  - { id: bend,", &format!("{again}  - {{ id: bend,"));
    assert_eq!(kinds(&file), ["duplicate_id 10:11"]);
    assert_eq!(kinds(&small("state:\n  score: { type: number }\n")), ["duplicate_id 12:3"]);
}

/// Two policies that conflict and neither of which wins do not load.
#[test]
fn equal_priority_conflicts() {
    let two = "policies:\n  - { id: P, expr: 'state.gate_passed', priority: 1, violation_action: block }\n  \
        - { id: Q, expr: 'state.gate_passed', priority: 1, violation_action: block, conflicts_with: [P] }\n";
    assert_eq!(kinds(&small(two)), ["conflict 13:5"]);
}

const HEAD: &str = "edge_id,source,target,v2_primary_class,note\n";

/// The row and the line that are not UTF-8 are named.
#[test]
fn csv_with_other_encodings() {
    let mut latin = format!("{HEAD}E1,A,B,Gate,\"two\nlines\"\n").into_bytes();
    latin.extend(b"E2,caf\xe9,B,Gate,x\n");
    let error = import(&latin, "t").expect_err("it is not UTF-8");
    assert_eq!((error.line, error.message.as_str()), (4, "the row is not UTF-8, row 3 of the table"));
    let wide: Vec<u8> = HEAD.encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(import(&wide, "t").is_err());
}

/// All of it comes back as it was.
#[test]
fn csv_with_bom_quotes_and_newlines_in_cells() {
    let table = format!("\u{feff}{HEAD}E1,A,B,Gate,\"a, \"\"b\"\"\nand c\"\n").replace('\n', "\r\n");
    let file = import(table.as_bytes(), "t").expect("it is a table");
    assert_eq!(kinds(&file), Vec::<String>::new());
    assert_eq!(export(file.as_bytes()).expect("it has edges").csv, table);
}

/// A phase ends after it began.
#[test]
fn events_out_of_order() {
    let end = r#"{"type":"phase_end","phase":"A"}"#;
    assert_eq!(last(&small(""), &[end]), "refused A - engine out_of_order");
}

/// The nearest type is named.
#[test]
fn events_of_unknown_type() {
    assert_eq!(last(&small(""), &[r#"{"type":"pause"}"#]), "refused A - engine unknown_event");
    assert!(trace(&small(""), &[r#"{"type":"tik"}"#]).contains("did you mean `tick`?"));
}

/// Nodes and edges that there are not are told apart.
#[test]
fn events_for_unknown_nodes() {
    assert_eq!(
        last(&small(""), &[r#"{"type":"phase_start","phase":"Q"}"#]),
        "refused A - engine unknown_node"
    );
    assert_eq!(last(&small(""), &[&take("zz")]), "refused A - engine unknown_edge");
}
