//! The whole way from bytes to a verdict.

mod agreement;
mod attacks;
mod hostile;
mod mutations;
mod organisation;
mod uploads;

use super::*;
use serde_json::{Value, json};

fn now() -> Timestamp {
    Timestamp::from_millis(1_770_000_000_000)
}

/// The built-in rules, loaded once per test: loading them takes longer than asking them.
fn builtin() -> Policies {
    thread_local! {
        static LOADED: Policies = Policies::builtin();
    }
    LOADED.with(Policies::clone)
}

fn verdict(text: &str) -> Verdict {
    admit(text.as_bytes(), &builtin(), &Exceptions::none(), now())
}

/// The good request as a value that tests change.
fn good() -> Value {
    serde_json::from_str(&RunSpec::example().to_json()).unwrap()
}

/// The ids of the rules against a request, without repetition.
fn rules_against(request: &Value) -> Vec<String> {
    let mut rules: Vec<String> =
        verdict(&request.to_string()).denials().iter().map(|denial| denial.rule.clone()).collect();
    rules.dedup();
    rules
}

/// The example with a real digest is admitted, and comes out as the struct it went in as.
#[test]
fn a_good_request_is_admitted() {
    let example = RunSpec::example();
    let verdict = verdict(&example.to_json());
    assert_eq!(verdict.denials(), []);
    assert_eq!(verdict.spec(), Some(&example));
}

/// A3: each rule has its letter by its field, and all failing rules are listed.
#[test]
fn a_3_every_failing_rule_is_listed_by_its_letter() {
    let cases: [(&str, Value, &[&str]); 24] = [
        ("/task_id", json!("demo-1"), &["A.task_id"]),
        ("/image", json!("localhost/demo:latest"), &["I.image"]),
        ("/command", json!([]), &["A.command"]),
        ("/command", json!(["git", "push"]), &["F.upload"]),
        ("/command/2", json!("make && scp a b:c"), &["F.upload"]),
        ("/command/0", json!(""), &["A.command"]),
        ("/user", json!("0:0"), &["F.user"]),
        ("/network", json!("host"), &["F.network"]),
        ("/read_only", json!(false), &["F.read_only"]),
        ("/cap_drop", json!(["all"]), &["F.cap_drop"]),
        ("/security_opt", json!(["no-new-privileges:true"]), &["F.security_opt"]),
        ("/limits/pids", json!(513), &["X.limits"]),
        ("/limits/pids", json!(-1), &["X.limits"]),
        ("/limits/memory_bytes", json!(16_777_215), &["X.limits"]),
        ("/limits/cpus", json!(0), &["X.limits"]),
        ("/limits/step_seconds", json!(3601), &["X.limits"]),
        ("/limits/job_seconds", json!(899), &["X.limits"]),
        ("/mounts/0/source", json!("/home/ada/.ssh"), &["S.mounts", "W.mounts"]),
        ("/mounts/0/source", json!("nas:/export"), &["N.mounts", "W.mounts"]),
        ("/mounts/0/mode", json!("rw"), &["W.mounts"]),
        ("/mounts/2/target", json!("/etc"), &["S.mounts", "W.mounts"]),
        ("/env/TZ", json!("CET"), &["X.determinism"]),
        ("/env/WORKSPACE_ROOT", json!("/"), &["W.env"]),
        ("/limits/pids", json!("256"), &["A.type", "X.limits"]),
    ];
    for (place, value, expected) in cases {
        let mut request = good();
        *request.pointer_mut(place).unwrap() = value;
        assert_eq!(rules_against(&request), expected, "{place} {request}");
    }
    let mut request = good();
    request["network"] = json!("bridge");
    request["user"] = json!("root");
    request["limits"]["pids"] = json!(0);
    assert_eq!(rules_against(&request), ["F.network", "F.user", "X.limits"]);
}

/// A10: a variable besides the eight needs `box.env_allow`, which lets through nothing but its name.
#[test]
fn a_10_more_variables_only_by_the_persons_config() {
    let mut request = good();
    request["env"]["RUST_LOG"] = json!("debug");
    assert_eq!(rules_against(&request), ["A.unknown", "S.env"]);
    let allowing = Policies::new(vec!["RUST_LOG".to_owned()], Vec::new());
    let judged = |request: &Value| {
        admit(request.to_string().as_bytes(), &allowing, &Exceptions::none(), now()).is_admitted()
    };
    assert!(judged(&request));
    assert!(judged(&good()), "an allowed variable is not a required one");
    request["env"]["RUST_LOG"] = json!(1);
    assert!(!judged(&request));
    assert_ne!(allowing.hash(), Policies::builtin().hash());
}

/// S: a secret is found wherever it stands, and its text is repeated nowhere.
#[test]
fn s_secrets_anywhere_are_denied() {
    let token = format!("ghp_{}", "a".repeat(36));
    for place in ["/task_id", "/command/2", "/env/TZ", "/user", "/mounts/0/source"] {
        let mut request = good();
        *request.pointer_mut(place).unwrap() = json!(format!("x {token}"));
        assert!(rules_against(&request).contains(&"S.secret".to_owned()), "{place}");
        let told = format!("{:?}", verdict(&request.to_string()));
        assert!(!told.contains(&token), "{place}: {told}");
    }
    let mut request = good();
    request["labels"] = json!({"note": token.clone(), token.clone(): 1});
    assert_eq!(rules_against(&request), ["A.unknown", "S.secret"]);
    assert!(!format!("{:?}", verdict(&request.to_string())).contains(&token));
}

/// X2: an engine without images is not asked rule I; a spec that has an image is.
#[test]
fn x_2_rule_i_is_not_asked_without_images() {
    let without = RunSpec { image: None, ..RunSpec::example() };
    let rules = |spec: &RunSpec, image: ImageRule| {
        let verdict = admit_spec(spec, image, &Policies::builtin(), &Exceptions::none(), now());
        verdict.denials().iter().map(|denial| denial.rule.clone()).collect::<Vec<_>>()
    };
    assert_eq!(rules(&without, ImageRule::NotAsked), Vec::<String>::new());
    assert_eq!(rules(&without, ImageRule::Asked), ["A.missing", "I.image"]);
    let tagged = RunSpec { image: Some("demo:1".to_owned()), ..RunSpec::example() };
    assert_eq!(rules(&tagged, ImageRule::NotAsked), ["I.image"]);
}

/// An Exception DR lifts its own rule until it expires, and nothing else.
#[test]
fn a_exception_lifts_one_rule_until_it_expires() {
    let mut request = good();
    request["limits"]["memory_bytes"] = json!(9_u64 << 30);
    let exception = ExceptionRecord {
        id: "DR-7".to_owned(),
        rule: "X.limits".to_owned(),
        owner: "ada".to_owned(),
        reason: "a large link step".to_owned(),
        expiry: Timestamp::from_millis(now().as_millis() + 1),
        rollback: "remove DR-7".to_owned(),
    };
    let judged = |request: &Value, at: i64| {
        let exceptions = Exceptions::new(vec![exception.clone()]);
        let now = Timestamp::from_millis(now().as_millis() + at);
        admit(request.to_string().as_bytes(), &Policies::builtin(), &exceptions, now)
    };
    let admitted = judged(&request, 0);
    assert_eq!(admitted.spec().unwrap().limits.memory_bytes, 9 << 30);
    assert_eq!(admitted.waived()[0].exception.id, "DR-7");
    assert!(!judged(&request, 1).is_admitted(), "expired");
    request["network"] = json!("host");
    assert_eq!(judged(&request, 0).denials()[0].rule, "F.network");
    let mut unreadable = good();
    unreadable["limits"]["pids"] = json!("256");
    assert_eq!(judged(&unreadable, 0).denials()[0].rule, "A.type", "an exception repairs no request");
}

/// Nothing that is thrown at it makes it panic or be admitted.
#[test]
fn a_2_garbage_is_a_verdict() {
    let whole = RunSpec::example().to_json();
    for end in 0..whole.len() {
        assert!(!verdict(&whole[..end]).is_admitted());
    }
    for text in ["null", "[]", "0", "\"\"", "true", "{}"] {
        let verdict = verdict(text);
        assert!(verdict.denials().iter().any(|denial| denial.rule.starts_with("A.")), "{text}");
    }
}
