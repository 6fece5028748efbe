//! Every field of the good request, changed in ways that only look like nothing: look-alikes, hidden characters, numbers
//! that are none, values in wrappers, keys that stand twice. All denied; Rego and Rust name the same rules.

use proptest::prelude::*;

use super::{
    agreement::{assert_agree, both},
    mutations::all_places,
    *,
};

/// Characters that some reader drops, folds or takes for another one.
const HIDDEN: [char; 22] = [
    '\0',
    '\t',
    '\n',
    '\r',
    '\u{1b}',
    ' ',
    '\u{7f}',
    '\u{85}',
    '\u{a0}',
    '\u{ad}',
    '\u{301}',
    '\u{430}',
    '\u{3bf}',
    '\u{200b}',
    '\u{200d}',
    '\u{202e}',
    '\u{2028}',
    '\u{2066}',
    '\u{feff}',
    '\u{ff0d}',
    '\u{fffd}',
    '\u{1d7d9}',
];

/// Values that no field of the request has.
fn strange() -> Vec<Value> {
    let mut deep = json!("none");
    for _ in 0..12 {
        deep = json!([deep]);
    }
    vec![
        json!(null),
        json!(-1),
        json!(-0.0),
        json!(i64::MIN),
        json!(u64::MAX),
        json!(f64::MAX),
        json!(f64::MIN_POSITIVE),
        json!("NaN"),
        json!("-1"),
        json!("0"),
        json!("\u{0}"),
        json!([[]]),
        json!([null]),
        json!({"": null}),
        json!({"$ref": "#/x"}),
        json!({"__proto__": {}}),
        deep,
    ]
}

/// Places whose text is the person's own: any text is a word of a command.
fn is_free(place: &str) -> bool {
    place.starts_with("/command/")
}

#[track_caller]
fn assert_denied_by_both(text: &str) {
    let (typed, rego) = both(text).unwrap_or_default();
    assert_eq!(typed, rego, "{text}");
    // What both pass must be denied by its shape.
    assert!(!typed.is_empty() || !verdict(text).is_admitted(), "{text}");
}

/// Each value alone, in a list and in an object; each strange value at each place, and as one more entry of each object.
#[test]
fn a_01_every_place_wrapped_or_replaced_is_denied() {
    for place in all_places() {
        let old = good().pointer(&place).unwrap().clone();
        let wrapped = [json!([old]), json!([old, old]), json!({"value": old}), json!({"0": old})];
        for value in wrapped.into_iter().chain(strange()) {
            let stays = is_free(&place) && value.is_string() && !value.to_string().contains("\\u0000");
            let mut request = good();
            *request.pointer_mut(&place).unwrap() = value.clone();
            if !stays && request != good() && !is_within(&place, &value) {
                assert_denied_by_both(&request.to_string());
            }
        }
        if old.is_object() {
            for value in strange() {
                let mut request = good();
                request.pointer_mut(&place).unwrap()["more"] = value;
                assert_denied_by_both(&request.to_string());
            }
        }
    }
}

/// Two of the strange values are good ones somewhere.
fn is_within(place: &str, value: &Value) -> bool {
    *value == json!("0") && ["/env/SOURCE_DATE_EPOCH", "/env/CHORUS_SEED"].contains(&place)
}

/// Numbers as they are written: only a plain whole number is one, and only within its bounds.
#[test]
fn a_08_numbers_that_only_look_like_some_are_denied() {
    let spellings = [
        "-1",
        "-0",
        "00",
        "01",
        "1.0",
        "256.0",
        "2.56e2",
        "256e0",
        "1E+2",
        "1e-400",
        "1e400",
        "-1e400",
        "NaN",
        "nan",
        "Infinity",
        "-Infinity",
        "inf",
        "0x100",
        "0b1",
        "0o7",
        "1_0",
        "1,0",
        "1 0",
        ".5",
        "5.",
        "+1",
        "--1",
        "1e",
        "1e+",
        "9007199254740993.5",
        "18446744073709551616",
        "340282366920938463463374607431768211456",
        "\"256\"",
        "\"１\"",
        "１",
        "٣",
        "true",
        "null",
        "[256]",
        "{\"value\":256}",
        "\"\"",
    ];
    let whole = good().to_string();
    for name in ["pids", "memory_bytes", "nofile", "step_seconds", "job_seconds"] {
        let old = format!("\"{name}\":{}", good()["limits"][name]);
        for spelling in spellings {
            let text = whole.replacen(&old, &format!("\"{name}\":{spelling}"), 1);
            assert_ne!(text, whole, "{name}");
            assert_denied_by_both(&text);
        }
        let long = "9".repeat(5000);
        assert_denied_by_both(&whole.replacen(&old, &format!("\"{name}\":{long}"), 1));
        assert_denied_by_both(&whole.replacen(&old, &format!("\"{name}\":0.{long}"), 1));
    }
    for spelling in
        ["0", "-1.0", "0.0099", "16.0001", "1e400", "1e-400", "NaN", "\"1.0\"", "1.", ".5", "01.0"]
    {
        let old = format!("\"cpus\":{}", good()["limits"]["cpus"]);
        let text = whole.replacen(&old, &format!("\"cpus\":{spelling}"), 1);
        assert_ne!(text, whole);
        assert_denied_by_both(&text);
    }
}

/// Every key with a look-alike, a hidden character or another normal form in it, and twice at any depth.
#[test]
fn a_02_keys_that_only_look_like_some_are_denied() {
    for place in all_places() {
        let Some((parent, key)) = place.rsplit_once('/') else { continue };
        let Some(Value::Object(_)) = good().pointer(parent) else { continue };
        let twin = |from: char, to: char| key.replacen(from, &to.to_string(), 1);
        let twins =
            [twin('o', 'о'), twin('e', 'е'), twin('a', 'а'), twin('_', '＿'), twin('O', 'Ο'), twin('T', 'Τ')];
        let hidden = ['\u{200b}', '\u{feff}', '\u{301}', '\0'].map(|hidden| format!("{key}{hidden}"));
        for other in twins.into_iter().chain(hidden).filter(|other| other != key) {
            let mut request = good();
            let entries = request.pointer_mut(parent).unwrap().as_object_mut().unwrap();
            let value = entries.shift_remove(key).unwrap();
            entries.insert(other, value);
            assert_denied_by_both(&request.to_string());
        }
    }
    let whole = good().to_string();
    let inner = ["{\"a\":1,\"a\":1}", "[{\"a\":[],\"\\u0061\":[]}]", "{\"b\":{\"c\":[[{\"d\":1,\"d\":1}]]}}"];
    for text in inner {
        let request = whole.replacen('{', &format!("{{\"more\":{text},"), 1);
        let denials = verdict(&request);
        assert!(denials.denials().iter().any(|denial| denial.rule == "A.duplicate"), "{request}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    /// One hidden character anywhere in any text but a command's.
    #[test]
    fn a_07_hidden_characters_are_denied(
        place in prop::sample::select(all_places()),
        hidden in prop::sample::select(HIDDEN.to_vec()),
        at in any::<prop::sample::Index>(),
        replaces in any::<bool>(),
    ) {
        let Some(old) = good().pointer(&place).and_then(Value::as_str).map(str::to_owned) else { return Ok(()) };
        let mut letters: Vec<char> = old.chars().collect();
        let at = at.index(letters.len() + 1);
        if replaces && at < letters.len() {
            letters[at] = hidden;
        } else {
            letters.insert(at, hidden);
        }
        let mut request = good();
        *request.pointer_mut(&place).unwrap() = json!(letters.iter().collect::<String>());
        if is_free(&place) {
            assert_agree(&request.to_string());
            prop_assert_eq!(verdict(&request.to_string()).is_admitted(), hidden != '\0');
        } else {
            assert_denied_by_both(&request.to_string());
        }
    }

    /// One byte of the request's own text, changed, taken out or doubled: a verdict, and no admission of anything else.
    #[test]
    fn a_02_any_changed_byte_is_judged_alike(at in any::<prop::sample::Index>(), byte in any::<u8>(), kind in 0..3) {
        let mut bytes = good().to_string().into_bytes();
        let at = at.index(bytes.len());
        match kind {
            0 => bytes[at] = byte,
            1 => drop(bytes.remove(at)),
            _ => bytes.insert(at, byte),
        }
        let judged = admit(&bytes, &builtin(), &Exceptions::none(), now());
        if let Ok(text) = std::str::from_utf8(&bytes) {
            assert_agree(text);
        } else {
            prop_assert!(!judged.is_admitted());
        }
        if let Some(spec) = judged.spec() {
            let (mut plain, example) = (spec.clone(), RunSpec::example());
            // What may differ: the free words, and numbers that stay within their bounds.
            plain.command.clone_from(&example.command);
            plain.task_id.clone_from(&example.task_id);
            plain.image.clone_from(&example.image);
            plain.limits = example.limits;
            for name in ["SOURCE_DATE_EPOCH", "CHORUS_SEED"] {
                plain.env.insert(name.to_owned(), example.env[name].clone());
            }
            prop_assert_eq!(plain, example);
        }
    }
}
