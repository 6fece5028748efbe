use super::{Misfit, Schema};
use serde_json::{Value, json};

fn told(schema: &Value, value: &Value) -> Vec<String> {
    let schema = Schema::compile(schema).unwrap_or_else(|error| panic!("{schema}: {error}"));
    schema.misfits(value).iter().map(|misfit| format!("{}: {misfit}", misfit.pointer)).collect()
}

/// Each keyword: a value that fits, and one that does not, with what is said of it.
#[test]
fn every_keyword_has_its_message() {
    let (fits, none) = (json!({"then": 1}), "'anyOf' keyword");
    let cases = [
        (json!(true), json!(1), json!(null), ""),
        (json!({"properties": {"a": false}}), json!({}), json!({"a": 1}), "/a: 1 is not allowed here"),
        (json!({"type": "string"}), json!("x"), json!(["x"]), r#": ["x"] is not of type "string""#),
        (
            json!({"type": ["integer", "null"]}),
            json!(2.0),
            json!(2.5),
            r#": 2.5 is not of types "integer", "null""#,
        ),
        (
            json!({"enum": ["a", "b", 1, null]}),
            json!(1.0),
            json!("c"),
            r#": "c" is not one of "a", "b", 1 or null"#,
        ),
        (json!({"enum": ["a"]}), json!("a"), json!("c"), r#": "c" is not one of "a""#),
        (json!({"const": "a"}), json!("a"), json!("c"), r#": "a" was expected"#),
        (json!({"minimum": 1}), json!(1), json!(0.5), ": 0.5 is less than the minimum of 1"),
        (json!({"maximum": 1}), json!("2"), json!(2), ": 2 is greater than the maximum of 1"),
        (json!({"minLength": 2}), json!("äö"), json!("ä"), r#": "ä" is shorter than 2 characters"#),
        (json!({"maxLength": 1}), json!("ä"), json!("äö"), r#": "äö" is longer than 1 character"#),
        (json!({"pattern": "^a$"}), json!("a"), json!("ab"), r#": "ab" does not match "^a$""#),
        (json!({"minItems": 1}), json!([1]), json!([]), ": [] has less than 1 item"),
        (json!({"maxItems": 0}), json!([]), json!([1]), ": [1] has more than 0 items"),
        (
            json!({"items": {"type": "null"}}),
            json!([null]),
            json!([null, 1]),
            r#"/1: 1 is not of type "null""#,
        ),
        (json!({"required": ["a"]}), json!({"a": 1}), json!({}), r#": "a" is a required property"#),
        (
            json!({"properties": {"a/~": {"type": "null"}}}),
            json!({"a/~": null}),
            json!({"a/~": 1}),
            r#"/a~1~0: 1 is not of type "null""#,
        ),
        (
            json!({"properties": {"a": true}, "additionalProperties": false}),
            json!({"a": 1}),
            json!({"a": 1, "b": 2}),
            ": Additional properties are not allowed ('b' was unexpected)",
        ),
        (
            json!({"additionalProperties": {"type": "null"}}),
            json!({"a": null}),
            json!({"a": 1}),
            r#"/a: 1 is not of type "null""#,
        ),
        (
            json!({"propertyNames": {"pattern": "^a"}}),
            json!({"a": 1}),
            json!({"b": 1}),
            r#": {"b":1} has a field of the name 'b', which is not allowed"#,
        ),
        (json!({"anyOf": [{"type": "null"}, {"const": 1}]}), json!(1), json!(2), none),
        (json!({"oneOf": [{"type": "null"}, {"const": 1}]}), json!(1), json!(2), "'oneOf' keyword"),
        (
            json!({"oneOf": [{"type": "number"}, {"const": 1}]}),
            json!(2),
            json!(1),
            "valid under more than one of the schemas",
        ),
        (json!({"allOf": [{"type": "number"}, {"const": 1}]}), json!(1), json!(2), ": 1 was expected"),
        (
            json!({"$defs": {"a": {"const": 1}}, "$ref": "#/$defs/a", "type": "number"}),
            json!(1),
            json!(2),
            ": 1 was expected",
        ),
        (
            json!({"if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": {"required": ["c"]}}),
            json!({"c": 1}),
            json!({"a": 1}),
            r#": "b" is a required property"#,
        ),
        (
            json!({"if": {"type": "null"}, "else": {"required": ["then"]}}),
            fits,
            json!({}),
            "required property",
        ),
    ];
    for (schema, good, bad, expected) in cases {
        assert_eq!(told(&schema, &good), Vec::<String>::new(), "{schema}");
        let found = told(&schema, &bad).join("\n");
        assert!(
            found.ends_with(expected) || found.contains(expected) && expected.contains("than one"),
            "{found}"
        );
        assert!(expected.is_empty() || found.lines().count() == 1, "{found}");
    }
}

/// All misfits are told, and a long value is shown by its beginning, or not at all.
#[test]
fn all_misfits_are_told() {
    let schema = json!({"type": "object", "required": ["a", "b"], "properties": {"c": {"type": "null"}}});
    assert_eq!(
        told(&schema, &json!({"c": "x".repeat(300)})),
        [
            ": \"a\" is a required property".to_owned(),
            ": \"b\" is a required property".to_owned(),
            format!("/c: \"{}… is not of type \"null\"", "x".repeat(198)),
        ]
    );
    let (schema, value) = (Schema::compile(&schema).unwrap(), json!({"a": 1, "b": 1, "c": "secret"}));
    let masked: Vec<String> = schema.misfits(&value).iter().map(Misfit::masked).collect();
    assert_eq!(masked, [r#"value is not of type "null""#]);
}

/// What is not checked is refused, so that no schema only seems to be kept.
#[test]
fn unknown_words_are_errors() {
    let cases = [
        (
            json!({"items": {"uniqueItems": true}}),
            "at `/items`: the keyword `uniqueItems` is not one that is checked",
        ),
        (json!({"properties": {"a": {"typ": "x"}}}), "at `/properties/a`: the keyword `typ` is not one"),
        (json!({"type": "text"}), "at ``: what stands at `type` cannot be checked"),
        (json!({"enum": [[1]]}), "what stands at `enum` cannot be checked"),
        (json!({"anyOf": []}), "what stands at `anyOf` cannot be checked"),
        (json!({"minLength": -1}), "what stands at `minLength` cannot be checked"),
        (json!({"required": "a"}), "what stands at `required` cannot be checked"),
        (json!({"then": true}), "the keyword `then` is not one"),
        (json!({"$schema": "http://json-schema.org/draft-07/schema#"}), "the keyword `$schema` is not one"),
        (json!({"items": {"$id": "x"}}), "the keyword `$id` is not one"),
        (json!({"$ref": "other.json"}), "what stands at `$ref` cannot be checked"),
        (json!({"$ref": "#/$defs/none"}), "at `/$defs/none`: there is none"),
        (json!({"items": 1}), "at `/items`: what stands at `` cannot be checked"),
        (json!({"pattern": "("}), "the pattern cannot be checked: "),
        (json!({"pattern": "\\b"}), "the pattern cannot be checked: `\\b` is not known"),
    ];
    for (schema, expected) in cases {
        let error = Schema::compile(&schema).expect_err(expected).to_string();
        assert!(error.contains(expected), "{error}");
    }
}

/// Classes are those of ECMA 262, also inside of brackets.
#[test]
fn patterns_are_those_of_ecma() {
    let cases = [
        (r"^\d$", "7", "٧"),
        (r"^[\d_]$", "_", "٧"),
        (r"^\w$", "a", "ä"),
        (r"^\s$", "\u{feff}", "x"),
        (r"\S", " x", " \u{a0}\u{feff}"),
        (r"^.$", "x", "\r"),
        (r"^[.]$", ".", "x"),
        (r"^[[&&a]$", "&", "&&"),
        (r"^a\.b$", "a.b", "acb"),
    ];
    for (pattern, good, bad) in cases {
        let schema = json!({"pattern": pattern});
        assert_eq!(
            (told(&schema, &json!(good)).len(), told(&schema, &json!(bad)).len()),
            (0, 1),
            "{pattern}"
        );
    }
}

/// Numbers are compared as what they are, not as the nearest float.
#[test]
fn large_numbers_are_exact() {
    let schema = json!({"maximum": 9_007_199_254_740_992_u64});
    assert_eq!(told(&schema, &json!(9_007_199_254_740_993_u64)).len(), 1);
    assert_eq!(
        told(&json!({"const": 9_007_199_254_740_993_u64}), &json!(9_007_199_254_740_992_u64)).len(),
        1
    );
    assert_eq!(told(&json!({"type": "integer", "minimum": -1}), &json!(1e300)).len(), 0);
}

/// A value nested without end and a schema that only refers to itself are misfits, not a stack that overflows.
#[test]
fn depth_is_bounded() {
    let list = json!({"type": "array", "items": {"$ref": "#"}});
    let nested = |depth: usize| (0..depth).fold(json!([]), |inner, _| json!([inner]));
    assert_eq!(told(&list, &nested(127)), Vec::<String>::new());
    let too_deep = [": The value is nested too deeply to be checked"];
    assert_eq!(told(&list, &nested(1_000)), too_deep);
    assert_eq!(told(&json!({"type": "null"}), &nested(1_000)), too_deep);
    assert_eq!(told(&json!({"$ref": "#"}), &json!(1)), too_deep);
}
