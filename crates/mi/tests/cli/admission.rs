//! `mi box admit` and `mi box policy`: the contract that programs read, exit codes, and the files that rules come from.

use mi_test_support::{Mi, MiOutput, TempHome, workspace_dir};
use serde_json::{Value, json};
use std::fs;

const DIGEST: &str = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

fn good() -> Value {
    let home = TempHome::new();
    serde_json::from_str(&Mi::new(env!("CARGO_BIN_EXE_mi"), &home).run(["policy", "example"]).out()).unwrap()
}

fn admit(home: &TempHome, request: impl Into<Vec<u8>>) -> MiOutput {
    Mi::new(env!("CARGO_BIN_EXE_mi"), home).stdin(request).run(["admit", "--json", "-"])
}

/// A good request is admitted with exactly the object of the contract, from a file and from standard input.
#[test]
fn a_admit_prints_the_contract() {
    let home = TempHome::new();
    let file = home.write("spec.json", good().to_string());
    let output = Mi::new(env!("CARGO_BIN_EXE_mi"), &home)
        .run(["admit".as_ref(), "--json".as_ref(), file.as_os_str()])
        .expect_exit(0);
    assert_eq!(output.json(), json!({"admitted": true, "denials": []}));
    let mut request = good();
    request["network"] = json!("host");
    let denied = admit(&home, request.to_string()).expect_exit(4).json();
    assert_eq!(
        denied,
        json!({
            "admitted": false,
            "denials": [{"rule": "F.network", "field": "network", "reason": "must be exactly \"none\""}],
        })
    );
}

/// A2: whatever is no request is a verdict with a denial of rule A and exit 4, never a usage error.
#[test]
fn a_2_bad_input_is_a_verdict() {
    let home = TempHome::new();
    let text = good().to_string();
    let cases: [Vec<u8>; 12] = [
        b"".to_vec(),
        b"not json".to_vec(),
        b"null".to_vec(),
        format!("\u{feff}{text}").into_bytes(),
        format!("{text} {text}").into_bytes(),
        format!("// comment\n{text}").into_bytes(),
        text.replacen("\"network\":\"none\"", "\"network\":\"none\",\"netwo\\u0072k\":\"none\"", 1)
            .into_bytes(),
        text.replacen("\"network\"", "\"Network\"", 1).into_bytes(),
        text.replacen("256", "\"256\"", 1).into_bytes(),
        format!("{text}{}", " ".repeat(70_000)).into_bytes(),
        format!("{}{}", "[".repeat(50_000), "]".repeat(10)).into_bytes(),
        b"\xff\xfe{\x00}\x00".to_vec(),
    ];
    for case in cases {
        let output = admit(&home, case.clone()).expect_exit(4).json();
        let shown = String::from_utf8_lossy(&case[..case.len().min(40)]).into_owned();
        assert_eq!(output["admitted"], false, "{shown}");
        let has_a = |denial: &Value| denial["rule"].as_str().unwrap().starts_with("A.");
        assert!(output["denials"].as_array().unwrap().iter().any(has_a), "{shown}: {output}");
    }
}

/// The example of the documentation has a digest of zeros, which is no image; with a real one it is admitted.
#[test]
fn i_a_digest_of_zeros_is_denied() {
    let home = TempHome::new();
    let mut request = good();
    request["image"] = json!(format!("localhost/demo@sha256:{}", "0".repeat(64)));
    let denied = admit(&home, request.to_string()).expect_exit(4).json();
    assert_eq!(denied["denials"][0]["rule"], "I.image");
    request["image"] = json!(format!("registry.example:5000/team/demo@sha256:{DIGEST}"));
    admit(&home, request.to_string()).expect_exit(0);
}

/// A10: `box.env_allow` counts in the person's own settings and not in a project's.
#[test]
fn a_10_only_the_persons_settings_allow_variables() {
    let home = TempHome::new();
    let mut request = good();
    request["env"]["RUST_LOG"] = json!("debug");
    let project = mi_test_support::Scratch::new("project");
    project.write(".mi/config.toml", "[box]\nenv_allow = [\"RUST_LOG\"]\n");
    let from_project = |home: &TempHome| {
        Mi::new(env!("CARGO_BIN_EXE_mi"), home)
            .cwd(project.path())
            .stdin(request.to_string())
            .run(["admit", "--json", "-"])
    };
    assert_ne!(from_project(&home).code(), Some(0));
    home.write_config("[box]\nenv_allow = [\"RUST_LOG\"]\n");
    fs::remove_dir_all(project.path().join(".mi")).unwrap();
    from_project(&home).expect_exit(0);
}

/// Policies that cannot be listed or read deny, and a pipe among them is not waited for; `mi box policy test` fails for a test
/// that does not hold and for a policy that cannot be used.
#[test]
fn a_policies_that_cannot_be_read_deny() {
    let request = good().to_string();
    let home = TempHome::new();
    let folder = home.write("policies", "no folder");
    assert_eq!(admit(&home, request.clone()).expect_exit(4).json()["denials"][0]["rule"], "A.policy");
    fs::remove_file(&folder).unwrap();
    home.write("policies/team.rego", "package org.team\nallow := true\ntest_a if 1 == 2");
    admit(&home, request.clone()).expect_exit(0);
    let tested = Mi::new(env!("CARGO_BIN_EXE_mi"), &home).run(["policy", "test"]).expect_exit(1);
    assert!(tested.out().contains("FAIL team.rego       test_a"), "{}", tested.out());
    home.write("policies/team.rego", "package org.team\nallow := \"true\"");
    let tested = Mi::new(env!("CARGO_BIN_EXE_mi"), &home).run(["policy", "test"]).expect_exit(1);
    assert!(tested.out().contains("its `allow` is neither true nor false"), "{}", tested.out());
    fs::remove_file(folder.join("team.rego")).unwrap();
    let pipe = folder.join("pipe.rego");
    rustix::fs::mknodat(rustix::fs::CWD, pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    assert_eq!(admit(&home, request).expect_exit(4).json()["denials"][0]["rule"], "A.policy");
}

/// Organisation policies in `MI_HOME/policies` add denials; a broken one denies everything and names its file.
#[test]
fn a_organisation_policies_are_read_from_home() {
    let home = TempHome::new();
    home.write(
        "policies/team.rego",
        "package org.team\nrule := \"X.team\"\nallow if input.spec.limits.pids <= 100\ntest_ok if true\n",
    );
    let denied = admit(&home, good().to_string()).expect_exit(4).json();
    assert_eq!(denied["denials"][0]["rule"], "X.team");
    let tests =
        Mi::new(env!("CARGO_BIN_EXE_mi"), &home).run(["policy", "test", "--json"]).expect_exit(0).json();
    assert_eq!(tests["passed"], true);
    home.write("policies/zz.rego", "package org.zz\nallow if {");
    let denied = admit(&home, good().to_string()).expect_exit(4).json().to_string();
    assert!(denied.contains("A.policy") && denied.contains("zz.rego"), "{denied}");
    Mi::new(env!("CARGO_BIN_EXE_mi"), &home).run(["policy", "test"]).expect_exit(1);
}

/// An Exception DR lifts its rule until it expires; one that is no exception lifts nothing and is said.
#[test]
fn a_exceptions_are_read_from_home_and_expire() {
    let home = TempHome::new();
    let mut request = good();
    request["limits"]["memory_bytes"] = json!(9_u64 << 30);
    let exception = json!({
        "id": "DR-7", "rule": "X.limits", "owner": "ada", "reason": "a large link step",
        "expiry": "2026-03-01T00:00:00Z", "rollback": "remove DR-7.json",
    });
    home.write("exceptions/DR-7.json", exception.to_string());
    let at = |now: &str| {
        Mi::new(env!("CARGO_BIN_EXE_mi"), &home)
            .env("MI_NOW", now)
            .stdin(request.to_string())
            .run(["admit", "--json", "-"])
    };
    let admitted = at("2026-02-01T00:00:00Z").expect_exit(0).json();
    assert_eq!(admitted["waived"][0]["exception"]["id"], "DR-7");
    at("2026-03-01T00:00:00Z").expect_exit(4);
    home.write("exceptions/DR-7.json", exception.to_string().replace("\"owner\":\"ada\",", ""));
    let denied = at("2026-02-01T00:00:00Z").expect_exit(4);
    assert!(denied.err().contains("DR-7.json") && denied.err().contains("owner"), "{}", denied.err());
}

/// Every rule is listed and explained; a request is explained rule by rule.
#[test]
fn a_rules_are_listed_tested_and_explained() {
    let home = TempHome::new();
    let mi = || Mi::new(env!("CARGO_BIN_EXE_mi"), &home);
    let listed = mi().run(["policy", "list", "--json"]).expect_exit(0).json();
    let rules: Vec<&str> =
        listed["rules"].as_array().unwrap().iter().map(|rule| rule["rule"].as_str().unwrap()).collect();
    for rule in [
        "F.network",
        "I.image",
        "X.limits",
        "S.mounts",
        "N.mounts",
        "W.env",
        "A.task_id",
        "F.upload",
        "S.secret",
    ] {
        assert!(rules.contains(&rule), "{rule}");
        let explained = mi().run(["policy", "explain", rule]).expect_exit(0).out();
        assert!(explained.contains("package mi."), "{explained}");
    }
    mi().run(["policy", "test"]).expect_exit(0);
    let mut request = good();
    request["user"] = json!("0");
    let explained = mi().stdin(request.to_string()).run(["policy", "explain", "-"]).expect_exit(4).out();
    assert!(explained.contains("DENY  F.user") && explained.contains("ok    F.network"), "{explained}");
    mi().run(["policy", "explain", "no-such-file"]).expect_exit(1);
    let unknown = mi().run(["policy", "explain", "F.nothing"]).expect_exit(2);
    assert!(unknown.err().contains("no rule `F.nothing`"), "{unknown}");
    // What a run is denied by is explained too, and only what asks for exceptions says that one lifts it.
    for (rule, lifted) in
        [("F.landlock", true), ("F.seccomp", true), ("W.output", false), ("N.engine", false)]
    {
        assert!(rules.contains(&rule), "{rule}");
        let explained = mi().run(["policy", "explain", "--json", rule]).expect_exit(0).json();
        assert_eq!(explained["can_be_lifted"], lifted, "{explained}");
    }
}

/// The policies in the source tree are those of the program.
#[test]
fn a_every_policy_file_is_part_of_the_program() {
    let folder = workspace_dir().join("crates/mi-admission/policies");
    assert_eq!(fs::read_dir(folder).unwrap().count(), 7);
}
