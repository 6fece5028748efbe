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

/// An organisation's rule that says no is a denial with its own id and words; one that says yes changes nothing.
#[test]
fn a_organisation_policies_add_denials() {
    let policies = with_organisation(&[SMALL]);
    assert_eq!(denials(&policies, &good()), []);
    let mut request = good();
    request["limits"]["pids"] = json!(301);
    let expected = Denial::new("X.team", "limits.pids", "team0.rego: at most 300");
    assert_eq!(denials(&policies, &request), [expected]);
    assert_eq!(policies.run_tests(), [("team0.rego".to_owned(), "test_small".to_owned(), true)]);
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
