//! The expression language, seen through a guard: open means it held.

use crate::support::{guarded, kinds, last, play, take};

const FIELDS: &str = "state:\n  word: { type: string, default: 'Hello wörld' }\n  tags: { type: list, default: [a, b] }\n  \
    big: { type: integer, default: 9223372036854775807 }\n  maybe: { type: number, nullable: true }\n  kind: { type: enum, values: [x, y], default: x }\n";

fn holds(guard: &str) -> bool {
    match last(&guarded(guard, "", FIELDS), &[&take("ab")]).as_str() {
        "allowed B - - -" => true,
        "refused A block guard:ab -" => false,
        other => panic!("{guard}: {other}"),
    }
}

/// Each of these holds.
#[test]
fn what_holds() {
    let cases = [
        "1 + 2 * 3 == 7",
        "(1 + 2) * 3 == 9",
        "-3 % 2 == -1",
        "-9223372036854775808 < -9223372036854775807",
        "-0x8000000000000000 + state.big == -1",
        "7 / 2 == 3",
        "7 / 2.0 == 3.5",
        "1 == 1.0",
        "0x1F == 31",
        "1.5e1 == 15",
        ".5 < 1",
        "2u > 1",
        "!false",
        "true && !false || false",
        "false -> false",
        "false -> true -> false",
        "(true -> false) -> false",
        "true ? true : false",
        "1 < 2 ? 3 > 2 : false",
        "'a' < 'b'",
        "\"it's\" == 'it\\'s'",
        "r'\\d' == '\\\\d'",
        "'''a''' == \"a\"",
        "'\\u0041\\x42' == 'AB'",
        "'a' in ['a', 'b']",
        "!('c' in state.tags)",
        "'b' in state.tags",
        "state.tags[1] == 'b'",
        "state.tags.size() == 2",
        "size(state.word) == 11",
        "state.word.contains('wör')",
        "state.word.startsWith('Hello')",
        "state.word.endsWith('ld')",
        "state.word.matches('^H.*d$')",
        "state.tags.exists(t, t == 'b')",
        "state.tags.all(t, t.size() == 1)",
        "state.tags.exists_one(t, t == 'a')",
        "state.tags.filter(t, t == 'b').size() == 1",
        "state.tags.filter(t, t != 'a') == ['b']",
        "state.tags.filter(t, t == 'z') == []",
        "state.tags.map(t, t + '!') == ['a!', 'b!']",
        "'b!' in state.tags.map(t, t + '!')",
        "state.tags.map(t, t.size()).all(n, n == 1)",
        "state.tags.map(t, state.tags.filter(u, u == t))[1] == ['b']",
        "matches(state.word, '^H')",
        "has(event.edge) && !has(event.actor)",
        "state.maybe == null",
        "!has(state.maybe)",
        "has(state.score) == false",
        "state.kind == 'x'",
        "state.kind in ['x', 'y']",
        "event.transition && !event.tick",
        "event.type == 'transition' && event.edge == 'ab' && event.from == 'A' && event.to == 'B' && event.phase == ''",
        "int('12') == 12",
        "double(1) == 1.0",
        "string(12) == '12'",
        "int(3.9) == 3",
        "'x' + 'y' == 'xy'",
        "state.phase_id == 'A'",
        "state.attempt_count == 1",
        "state.cumulative_duration == 0",
        "[1, 2] == [1, 2]",
        "state.maybe != 1",
        "1 in [1.0, 2.0] // a comment",
        // Errors are absorbed as in CEL.
        "true || 1 / 0 > 0",
        "1 / 0 > 0 || true",
        "!(false && 1 / 0 > 0)",
        "!(1 / 0 > 0 && false)",
        "false -> 1 / 0 > 0",
        "1 / 0 > 0 -> true",
        "state.tags.exists(t, t == 'b' || 1 / 0 > 0)",
    ];
    for guard in cases {
        assert!(holds(guard), "{guard}");
    }
}

/// Each of these has no value, which counts as not holding; the trace says why.
#[test]
fn what_cannot_be_evaluated() {
    let cases = [
        ("1 / 0 == 1", "division by zero"),
        ("1 % 0 == 1", "division by zero"),
        ("1.0 / 0.0 > 1.0", "division by zero"),
        ("state.big + 1 > 0", "too large"),
        ("state.big * 2 > 0", "too large"),
        ("1e308 * 10.0 > 1.0", "too large"),
        ("state.maybe > 1", "null"),
        ("state.maybe + 1 == 2", "null"),
        ("state.tags[2] == 'c'", "no such index"),
        ("state.tags[-1] == 'c'", "no such index"),
        ("int('x') == 1", "converted"),
        ("state.tags.filter(t, 1 / 0 > 0) == []", "division by zero"),
        ("state.tags.map(t, state.tags[7]) == []", "no such index"),
        ("!(1 / 0 == 1)", "division by zero"),
        ("true && 1 / 0 == 1", "division by zero"),
        // A list is made before anything is looked for in it, wherever the part that has no value stands.
        ("3 in [3, 10 / state.tool_calls]", "division by zero"),
        ("3 in [10 / state.tool_calls, 3]", "division by zero"),
        ("1 + 2 in [3, 10 / state.tool_calls]", "division by zero"),
        ("state.tags.exists(t, t in [t, state.tags[7]])", "no such index"),
    ];
    for (guard, why) in cases {
        let verdict = play(&guarded(guard, "", FIELDS), &[&take("ab")]).pop().expect("a verdict");
        assert_eq!(verdict["allowed"], false, "{guard}");
        assert!(verdict["trace"].to_string().contains(why), "{guard}: {verdict}");
    }
}

/// What is wrong with an expression is known when the file is loaded, with its kind and the very character.
#[test]
fn mistakes_are_found_at_load() {
    // How many characters of the guard stand before the mistake.
    let cases = [
        ("state.gate_pased", "unknown_field", 6),
        ("gate_passed", "unknown_field", 0),
        ("event.edg == 'x'", "unknown_field", 6),
        ("state.tool_calls", "type", 6),
        ("state.tool_calls == 'x'", "type", 17),
        ("state.gate_passed && 1", "type", 21),
        ("state.word > 1", "type", 11),
        ("!state.word", "type", 7),
        ("state.tags == 'a'", "type", 11),
        ("state.kind == 'z'", "bad_value", 14),
        ("state.kind in ['x', 'z']", "bad_value", 20),
        ("state.word.matches('(')", "bad_value", 19),
        ("state.word.shout()", "unknown_ref", 11),
        ("state.tags.filter(t, t) == []", "type", 21),
        ("state.tags.map(t, u) == []", "unknown_field", 18),
        ("state.word.map(t, t) == []", "type", 6),
        ("has(event.tick)", "type", 10),
        ("1 +", "syntax", 3),
        ("(1 < 2", "syntax", 6),
        ("1 < 2)", "syntax", 5),
        ("state.score = 1", "syntax", 12),
        ("'abc", "syntax", 0),
        ("a $ b", "syntax", 2),
        ("99999999999999999999 > 1", "syntax", 0),
        ("9223372036854775808 > 1", "syntax", 0),
        ("1 - -9223372036854775809 > 1", "syntax", 5),
        ("", "syntax", 0),
        ("{'a': 1}", "syntax", 0),
    ];
    for (guard, kind, before) in cases {
        let file = guarded(guard, "", FIELDS);
        let line = file.lines().nth(8).expect("the line of the guard");
        let start = line.find("guard_expr: \"").expect("the guard") + "guard_expr: \"".len() + 1;
        assert_eq!(kinds(&file), [format!("{kind} 9:{}", start + before)], "{guard}");
    }
}

/// Nesting and length are bounded.
#[test]
fn limits_are_kept() {
    let deep = format!("{}true{}", "(".repeat(10_000), ")".repeat(10_000));
    let nots = format!("{}true", "!".repeat(10_000));
    let long = format!("1 < 2{}", " && 1 < 2".repeat(150_000));
    let chain = format!("true{}", " -> true".repeat(5_000));
    let sum = format!("1{} > 0", " + 1".repeat(5_000));
    for guard in [deep, nots, long, chain, sum] {
        let found = kinds(&guarded(&guard, "", FIELDS));
        assert!(found.len() == 1 && found[0].starts_with("limit 9:"), "{found:?}");
    }
    let wide = format!("1 < 2{}", " && 1 < 2".repeat(5_000));
    assert!(holds(&wide));
}

/// Quantifiers cannot run for ever.
#[test]
fn evaluation_is_bounded() {
    let tags: Vec<String> = (0..1000).map(|number| format!("\"t{number}\"")).collect();
    let lines = [crate::support::set(&format!("\"tags\":[{}]", tags.join(","))), take("ab")];
    let guard = "state.tags.all(a, state.tags.all(b, state.tags.all(c, c != a + b)))";
    let verdict = play(&guarded(guard, "", FIELDS), &[&lines[0], &lines[1]]).pop().expect("a verdict");
    assert!(verdict["trace"].to_string().contains("too many steps"), "{}", verdict["trace"]);
}
