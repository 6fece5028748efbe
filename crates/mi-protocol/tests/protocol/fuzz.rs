//! Made-up and broken input: file loader, expressions, event streams, tables. Nothing panics, and what `check` proves
//! about a guard is true of it. `dev/fuzz CASES mi-protocol` runs these as often as asked.

use crate::{
    properties::{base, line},
    support::{guarded, protocol, set, small, take},
};
use mi_protocol::{Engine, check, export, import, render};
use proptest::prelude::*;
use std::sync::Arc;

const FIELDS: &str = "state:\n  n: { type: integer, default: 1, min: 0, max: 10 }\n  f: { type: number, default: 0 }\n  \
    q: { type: number, nullable: true }\n  e: { type: enum, values: [x, y, z], default: x }\n  t: { type: string }\n  \
    l: { type: list }\n  b: { type: boolean, nullable: true }\n";

/// A number of the language.
fn number() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("state.n".to_owned()),
        Just("state.f".to_owned()),
        Just("state.q".to_owned()),
        Just("state.attempt_count".to_owned()),
        (-3_i64..13).prop_map(|number| number.to_string()),
        Just("9223372036854775807".to_owned()),
        (0_u8..20).prop_map(|number| format!("{}.5", number)),
        Just("size(state.l)".to_owned()),
        Just("int(state.t)".to_owned()),
    ];
    leaf.prop_recursive(2, 8, 2, |inner| {
        (inner.clone(), prop_oneof![Just("+"), Just("-"), Just("*"), Just("/"), Just("%")], inner)
            .prop_map(|(a, sign, b)| format!("({a} {sign} {b})"))
    })
}

/// A condition of the language, mostly well typed.
fn condition() -> impl Strategy<Value = String> {
    let compare = prop_oneof![Just("=="), Just("!="), Just("<"), Just("<="), Just(">"), Just(">=")];
    let leaf = prop_oneof![
        (number(), compare, number()).prop_map(|(a, sign, b)| format!("{a} {sign} {b}")),
        Just("state.gate_passed".to_owned()),
        Just("state.b".to_owned()),
        Just("state.q == null".to_owned()),
        Just("has(state.b)".to_owned()),
        Just("true".to_owned()),
        ("[xyz]", "==|!=").prop_map(|(word, sign)| format!("state.e {sign} '{word}'")),
        "[xyz]".prop_map(|word| format!("state.e in ['{word}', 'x']")),
        "[ab]{0,2}".prop_map(|word| format!("'{word}' in state.l")),
        "[ab]{0,2}".prop_map(|word| format!("state.t.startsWith('{word}')")),
        Just("state.l.all(x, x != state.t)".to_owned()),
        Just("event.to == 'B'".to_owned()),
        Just("state.phase_id == 'A'".to_owned()),
        Just("state.l[0] == 'a'".to_owned()),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            (inner.clone(), prop_oneof![Just("&&"), Just("||"), Just("->")], inner.clone())
                .prop_map(|(a, sign, b)| format!("({a} {sign} {b})")),
            inner.clone().prop_map(|a| format!("!({a})")),
            (inner.clone(), inner.clone(), inner).prop_map(|(a, b, c)| format!("({a} ? {b} : {c})")),
        ]
    })
}

/// Values for the fields above, as a `set`.
fn values() -> impl Strategy<Value = String> {
    (0_i64..=10, -5_i32..20, proptest::option::of(-5_i32..20), "[xyz]", "[ab0-9]{0,2}", proptest::collection::vec("[ab]{0,2}", 0..3), any::<bool>(), proptest::option::of(any::<bool>()))
        .prop_map(|(n, f, q, e, t, l, gate, b)| {
            let list: Vec<String> = l.iter().map(|item| format!("{item:?}")).collect();
            let or_null = |text: Option<String>| text.unwrap_or_else(|| "null".to_owned());
            let (q, b) = (or_null(q.map(|q| q.to_string())), or_null(b.map(|b| b.to_string())));
            format!("\"n\":{n},\"f\":{f}.5,\"q\":{q},\"e\":\"{e}\",\"t\":\"{t}\",\"l\":[{}],\"gate_passed\":{gate},\"b\":{b}", list.join(","))
        })
}

/// A text with a piece of it replaced.
fn damaged(text: &str, at: usize, cut: usize, with: &str) -> String {
    let mut at = at % (text.len() + 1);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let mut end = (at + cut).min(text.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    format!("{}{with}{}", &text[..at], &text[end..])
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// The expression parser and evaluator: what compiles is evaluated on any state, twice alike, and what `check`
    /// proved of it is true.
    #[test]
    fn fuzz_expressions_are_evaluated_as_they_were_analysed(guard in condition(), values in proptest::collection::vec(values(), 1..4)) {
        let file = guarded(&guard, "", FIELDS);
        let (loaded, _) = check(file.as_bytes());
        let kinds: Vec<String> = loaded.problems.iter().map(|problem| format!("{:?}", problem.kind)).collect();
        let Some(protocol) = loaded.protocol else { return Ok(()) };
        let protocol = Arc::new(protocol);
        for values in &values {
            let mut engine = Engine::new(Arc::clone(&protocol));
            let updated = engine.apply(set(values).as_bytes()).expect("an event");
            prop_assert!(updated.allowed, "{values}: {updated:?}");
            let mut other = engine.clone();
            let verdict = engine.apply(take("ab").as_bytes()).expect("an event");
            prop_assert_eq!(other.apply(take("ab").as_bytes()).expect("an event").to_json(), verdict.to_json());
            let holds = verdict.guard.is_none();
            prop_assert!(!(holds && kinds.contains(&"NeverTrue".to_owned())), "said to be never true: {guard} with {values}");
            prop_assert!(holds || !kinds.contains(&"AlwaysTrue".to_owned()), "said to be always true: {guard} with {values}");
        }
    }

    /// The expression parser on pieces in any order.
    #[test]
    fn fuzz_expressions_of_pieces(parts in proptest::collection::vec(prop_oneof![
        Just("state.tool_calls"), Just("state.score"), Just("state.gate_passed"), Just("event.type"), Just("1"), Just("0"), Just("-1"),
        Just("9223372036854775807"), Just("1.5"), Just("'a'"), Just("null"), Just("true"), Just("+"), Just("-"), Just("*"), Just("/"), Just("%"),
        Just("&&"), Just("||"), Just("->"), Just("!"), Just("=="), Just("<"), Just(">="), Just("in"), Just("["), Just("]"), Just("("), Just(")"),
        Just("?"), Just(":"), Just(","), Just("."), Just("size"), Just("has"), Just("matches"), Just("x"), Just("all"), Just("r'a'"), Just("//"), Just("0x1F"), Just("1e3")], 0..18)) {
        let loaded = mi_protocol::load(guarded(&parts.join(" "), "", "").as_bytes());
        if let Some(protocol) = loaded.protocol {
            let mut engine = Engine::new(Arc::new(protocol));
            prop_assert!(engine.apply(take("ab").as_bytes()).is_some());
        }
        mi_protocol::load(guarded(&parts.concat(), "", "").as_bytes());
    }

    /// The file loader on any text, as file, expression, part of a file, table.
    #[test]
    fn fuzz_files_of_any_text(text in any::<String>(), bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        check(text.as_bytes());
        check(&bytes);
        check(guarded(&text, "", "").as_bytes());
        check(small(&text).as_bytes());
        if let Ok(yaml) = import(text.as_bytes(), "t") {
            prop_assert!(export(yaml.as_bytes()).is_ok());
        }
        drop(export(&bytes));
    }

    /// The file loader on damaged protocol files: they load or are refused with a place; what loads is drawn and run.
    #[test]
    fn fuzz_files_that_are_damaged(which in 0_usize..3, at in any::<usize>(), with in "[\\x00-\\x7f]{0,4}|&a|\\*a|: |- |\n  ", cut in 0_usize..12) {
        let text = [crate::example::FILE.to_owned(), mi_protocol::shipped("autopilot").expect("it is shipped").to_owned(), base()][which].clone();
        let damaged = damaged(&text, at, cut, &with);
        let (loaded, _) = check(damaged.as_bytes());
        let lines = damaged.matches('\n').count() + 2;
        prop_assert!(loaded.problems.iter().all(|problem| problem.place.line as usize <= lines));
        if let Some(protocol) = loaded.protocol {
            render::svg(&protocol);
            render::mermaid(&protocol);
            render::dot(&protocol);
            let mut engine = Engine::new(Arc::new(protocol));
            for line in crate::example::EVENTS.lines() {
                engine.apply(line.as_bytes());
            }
        }
        drop(export(damaged.as_bytes()));
    }

    /// Event streams: lines in any order, some of them damaged. Every line gets its verdict, the engine's refusals change
    /// nothing, and the snapshot after each line is whole.
    #[test]
    fn fuzz_event_streams(lines in proptest::collection::vec((line(), proptest::option::weighted(0.3, (any::<usize>(), 0_usize..6, "[\\x00-\\x7f]{0,3}"))), 1..30), bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
        let protocol = protocol(&base());
        let mut engine = Engine::new(Arc::clone(&protocol));
        engine.apply(&bytes);
        for (line, damage) in lines {
            let line = damage.map_or(line.clone(), |(at, cut, with)| damaged(&line, at, cut, &with).replace('\n', " "));
            let before = engine.clone();
            let Some(verdict) = engine.apply(line.as_bytes()) else { continue };
            if verdict.by.as_deref() == Some("engine") {
                prop_assert!(!verdict.allowed);
                let strip = |snapshot: String| snapshot.lines().filter(|line| !line.contains("\"at\"")).collect::<Vec<_>>().join("\n");
                prop_assert_eq!(strip(engine.snapshot()), strip(before.snapshot()));
            }
            let restored = Engine::restore(Arc::clone(&protocol), &engine.snapshot()).expect("a snapshot is whole");
            prop_assert_eq!(restored.snapshot(), engine.snapshot());
        }
    }
}
