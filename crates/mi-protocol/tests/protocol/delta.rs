//! Outputs of one node, one after the other.

use crate::support::{last, small, take};

fn output(path: &str, digest: &str, previous: Option<&str>, items: &str) -> String {
    let previous = previous.map(|path| format!(",\"previous_output_path\":\"{path}\"")).unwrap_or_default();
    format!(r#"{{"type":"output","path":"{path}","digest":"{digest}"{previous},"items":{{{items}}}}}"#)
}

/// Each line: events before, the last output, what it gets.
#[test]
fn a_rerun_builds_on_changes_and_keeps() {
    let first = output("a1", "d1", None, "\"x\":\"1\",\"y\":\"2\"");
    let approved = r#"{"type":"approved","items":["x"]}"#.to_owned();
    let second = output("a2", "d2", Some("a1"), "\"x\":\"1\",\"y\":\"3\"");
    let cases = [
        (vec![first.clone()], output("a2", "d2", None, ""), "refused A rerun RERUN_DELTA no_previous"),
        (vec![first.clone()], output("a2", "d2", Some("zz"), ""), "refused A rerun RERUN_DELTA no_previous"),
        (vec![first.clone()], output("a2", "d1", Some("a1"), ""), "refused A rerun RERUN_DELTA unchanged"),
        (vec![first.clone()], output("a2", "d2", Some("a1"), ""), "allowed A - - -"),
        (vec![first.clone(), approved.clone()], second.clone(), "allowed A - - -"),
        (
            vec![first.clone(), approved.clone()],
            output("a2", "d2", Some("a1"), "\"y\":\"2\""),
            "refused A rerun RERUN_DELTA approved_lost",
        ),
        (
            vec![first.clone(), approved.clone()],
            output("a2", "d2", Some("a1"), "\"x\":\"9\""),
            "refused A rerun RERUN_DELTA approved_lost",
        ),
        // What was approved since the last accepted output counts: an approval is kept once, then given anew.
        (
            vec![first.clone(), approved.clone(), second.clone()],
            output("a3", "d3", Some("a2"), "\"x\":\"9\""),
            "allowed A - - -",
        ),
        (
            vec![first, approved.clone(), second, approved],
            output("a3", "d3", Some("a2"), "\"x\":\"9\""),
            "refused A rerun RERUN_DELTA approved_lost",
        ),
    ];
    for (before, line, expected) in cases {
        let lines: Vec<&str> = before.iter().map(String::as_str).chain([line.as_str()]).collect();
        assert_eq!(last(&small(""), &lines), expected, "{lines:?}");
    }
}

/// What a validator approves in the next phase is kept when the first phase runs again; a refused output holds its node.
#[test]
fn approval_reaches_back_and_a_refused_output_holds() {
    let file = small("").replace(
        "edges:\n",
        "edges:\n  - { id: ba, from: B, to: A, class: Loop, guard_expr: state.attempt_count <= 2 }\n",
    );
    let first = output("a1", "d1", None, "\"x\":\"1\"");
    let lost = output("a2", "d2", Some("a1"), "");
    let approved = r#"{"type":"approved","items":["x"]}"#;
    let lines = [first, take("ab"), approved.to_owned(), take("ba"), lost, take("ab")];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    assert_eq!(last(&file, &lines[..5]), "refused A rerun RERUN_DELTA approved_lost");
    assert_eq!(last(&file, &lines), "refused A block RERUN_DELTA holds_node");
}
