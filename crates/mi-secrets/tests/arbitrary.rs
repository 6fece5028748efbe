//! Whatever the text, scanning it does not fail and redacting it is final.

use mi_secrets::{contains_secret, find, redact};
use proptest::prelude::*;

/// Pieces that rules look at, in any order, with anything between them.
fn pieces() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "password",
        "secret",
        "token",
        "api_key",
        "=",
        ": ",
        "\"",
        "\\\"",
        "'",
        "--",
        "://",
        "@",
        "://a:b1c2d3@h",
        "Bearer ",
        "Basic ",
        "cookie: ",
        "-----BEGIN RSA PRIVATE KEY-----",
        "-----END RSA PRIVATE KEY-----",
        "\\n",
        "\n",
        "sk-",
        "eyJ",
        ".eyJ",
        "AKIA",
        ":AA",
        "8Q~",
        "密码",
        "：",
        "是",
        "[REDACTED:password]",
        "[REDACTED:",
        "]",
        "value",
        "curl -u ",
        "身份证",
        "手机",
        "+86",
        "é",
        "{",
        "}",
        "<",
        ">",
        "bm8gc2VjcmV0IGhlcmU=",
        "cGFzc3dvcmQ9aHVudGVyMmFiYw==",
        "SG.",
        "login a password ",
        "hunter2",
        "sig=",
        " is ",
    ]);
    let run = prop_oneof!["[A-Za-z0-9]{1,50}", "[0-9]{1,20}", "[a-f0-9]{30,66}", "\\PC{0,6}"];
    let piece = prop_oneof![known.prop_map(str::to_owned), run, token()];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn token() -> impl Strategy<Value = String> {
    let prefixes = prop::sample::select(vec!["ghp", "gho", "npm", "glpat", "sk-ant", "hf"]);
    let joints = prop::sample::select(vec!["_", "-"]);
    (prefixes, joints, "[A-Za-z0-9]{0,48}").prop_map(|(prefix, joint, body)| format!("{prefix}{joint}{body}"))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: ProptestConfig::default().cases.max(4_000), ..ProptestConfig::default() })]

    /// Findings are ranges of the text, redaction changes what they say it does, and a second one nothing.
    #[test]
    fn redaction_is_final(text in prop_oneof![pieces(), any::<String>()]) {
        for found in find(&text) {
            prop_assert!(found.start < found.end && text.get(found.start..found.end).is_some());
        }
        let clean = redact(&text);
        prop_assert_eq!(contains_secret(&text), clean != text);
        prop_assert!(!contains_secret(&clean), "{}", clean);
        prop_assert_eq!(redact(&clean), clean.as_ref());
    }

    /// A real token is gone, wherever it stands and however often.
    #[test]
    fn a_token_does_not_survive(before in pieces(), body in "[A-Za-z0-9]{36}", after in pieces()) {
        let token = format!("{}_{body}", "ghp");
        let clean = redact(&format!("{before} {token} {after} {token}")).into_owned();
        prop_assert!(!clean.contains(&token), "{}", clean);
    }

    /// What was found as a secret is no longer in the text.
    #[test]
    fn found_secrets_are_gone(text in pieces()) {
        let clean = redact(&text);
        for found in find(&text) {
            let secret = &text[found.start..found.end];
            let is_word = secret.len() < 8 || secret.bytes().all(|byte| byte.is_ascii_alphabetic());
            let is_mark = secret.contains("[REDACTED:");
            prop_assert!(!found.level.is_redacted() || is_word || is_mark || !clean.contains(secret), "{secret} in {clean}");
        }
    }
}
