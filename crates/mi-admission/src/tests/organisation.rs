//! Organisation policies only add denials, and a policy that cannot be used denies.

use super::*;

fn with_organisation(texts: &[&str]) -> Policies {
    let sources = texts
        .iter()
        .enumerate()
        .map(|(index, text)| PolicySource { name: format!("team{index}.rego"), text: (*text).to_owned() });
    Policies::new(Vec::new(), sources.collect())
}

fn denials(policies: &Policies, request: &Value) -> Vec<Denial> {
    admit(request.to_string().as_bytes(), policies, &Exceptions::none(), now()).denials().to_vec()
}

const SMALL: &str = "package org.small\nrule := \"X.team\"\nfield := \"limits.pids\"\nreason := \"at most 300\"\n\
                     allow if input.spec.limits.pids <= 300\ntest_small if allow with input.spec.limits.pids as 300";

fn tested(policies: &Policies) -> Vec<(String, bool)> {
    let results = policies.run_tests(RunSpec::example().to_json().as_bytes());
    results.into_iter().map(|(_, shown, passed)| (shown, passed)).collect()
}

/// `mi box policy test` names every test that does not hold, also one that has no value, and every policy that cannot be used.
/// A policy that denies the good request is one that can.
#[test]
fn a_tests_of_policies_find_what_does_not_hold() {
    let tests = "package org.x\nallow := true\ntest_holds if allow\ntest_nothing if input.nothing\n\
                 test_false := false\ntest_text := \"true\"\ndefault test_default := false";
    let held = |name: &str, passed| (name.to_owned(), passed);
    let expected = ["test_default", "test_false", "test_holds", "test_nothing", "test_text"];
    let expected = expected.map(|name| held(name, name == "test_holds"));
    assert_eq!(tested(&with_organisation(&[tests])), expected);
    for unusable in [
        "",
        "package org.x\nx := 1 # allow",
        "package org.x\nallow := \"true\"",
        "package org.x\nallow contains 1",
        "package org.x\nallow := true\nallow := false",
        "package org.x\nallow if http.send({\"url\": \"http://localhost\"})",
        "package org.x\nallow if count([1 | some a in numbers.range(1, 3000); some b in numbers.range(1, 3000); a == b]) > 0",
    ] {
        let results = tested(&with_organisation(&[unusable]));
        assert!(matches!(&results[..], [(_, false)]), "{unusable}: {results:?}");
    }
    for usable in ["package org.x\nallow if input.spec.limits.pids < 2", "package org.x\nallow := false"] {
        assert_eq!(tested(&with_organisation(&[usable])), [], "{usable}");
    }
}

/// A policy that spends more than its time in one call denies, though it answers in the end.
#[test]
fn a_policies_that_are_slow_in_one_call_deny() {
    let slow = "package org.slow\nallow if count(numbers.range(1, 20000000)) > 0";
    let denials = denials(&with_organisation(&[slow]), &good());
    assert_eq!(denials.iter().map(|denial| denial.rule.as_str()).collect::<Vec<_>>(), ["A.policy"]);
}

/// An organisation's rule that says no is a denial with its own id and words; one that says yes changes nothing.
#[test]
fn a_organisation_policies_add_denials() {
    let policies = with_organisation(&[SMALL]);
    assert_eq!(denials(&policies, &good()), []);
    let mut request = good();
    request["limits"]["pids"] = json!(301);
    let expected = Denial::new("X.team", "limits.pids", "team0.rego: at most 300");
    assert_eq!(denials(&policies, &request), [expected]);
    assert_eq!(tested(&policies), [("test_small".to_owned(), true)]);
    assert_ne!(policies.hash(), Policies::builtin().hash());
}

/// An organisation's policy cannot make a built-in rule pass, in whatever package it stands.
#[test]
fn a_organisation_policies_lift_nothing() {
    let mut request = good();
    request["network"] = json!("host");
    for text in
        ["package org.f\nallow := true\nnetwork := true", "package mi.f\nnetwork := true\nallow := true"]
    {
        let rules: Vec<_> =
            denials(&with_organisation(&[text]), &request).into_iter().map(|denial| denial.rule).collect();
        assert!(rules.contains(&"F.network".to_owned()), "{text}");
    }
}

/// Missing, empty, unparsable, undefined, not boolean, failing, misplaced or slow: the good request is denied.
#[test]
fn a_unusable_organisation_policies_deny() {
    let slow = "package org.slow\nallow if count([1 | some a in numbers.range(1, 3000); some b in numbers.range(1, 3000); a == b]) > 0";
    let cases = [
        "",
        "package org.x",
        "package org.x\nallow if {",
        "not rego",
        "package org.x\nallow if input.spec.nothing == 1",
        "package org.x\nallow := \"true\"",
        "package org.x\nallow := 1",
        "package org.x\nallow := {true}",
        "package org.x\nallow := false",
        "package org.x\ndeny contains \"x\" if false",
        "package org.x\nallow if http.send({\"url\": \"http://localhost\"})",
        "package mi.f\nallow := true",
        "package other\nallow := true",
        "package org[\"a-b\"]\nallow := true",
        "package org.x[\"y z\"]\nallow := true",
        slow,
    ];
    for text in cases {
        let denials = denials(&with_organisation(&[text]), &good());
        assert_eq!(denials.len(), 1, "{text}: {denials:?}");
        assert_eq!(denials[0].rule, "A.policy", "{text}");
    }
}

/// Without its built-in policies, or with broken ones, nothing is admitted.
#[test]
fn a_missing_or_broken_builtin_policies_deny() {
    use crate::rules::BUILTIN;
    for (left_out, (name, _)) in BUILTIN.iter().enumerate() {
        let mut sources = BUILTIN.to_vec();
        sources.remove(left_out);
        let policies = Policies::from_sources(&sources, Vec::new(), Vec::new());
        assert_ne!(denials(&policies, &good()), [], "{name}");
    }
    for (broken, expected) in [
        ("package mi.f", "F.network"),
        ("package mi.f\nnetwork := \"true\"", "F.network"),
        ("package mi.f\nnetwork := 1", "F.network"),
        ("package mi.f\nnetwork if {", "A.policy"),
        ("", "A.policy"),
    ] {
        let mut sources = BUILTIN.to_vec();
        sources[1] = ("f.rego", broken);
        let policies = Policies::from_sources(&sources, Vec::new(), Vec::new());
        let rules: Vec<_> = denials(&policies, &good()).into_iter().map(|denial| denial.rule).collect();
        assert!(rules.contains(&expected.to_owned()), "{broken}: {rules:?}");
    }
    assert_ne!(denials(&Policies::from_sources(&[], Vec::new(), Vec::new()), &good()), []);
}
