//! Rego and Rust say the same about every rule, whatever the request.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::rules::BUILTIN;

/// The failing rules by each of the two.
pub(super) fn both(text: &str) -> Option<(BTreeSet<String>, BTreeSet<String>)> {
    both_by(&builtin(), text)
}

fn both_by(policies: &Policies, text: &str) -> Option<(BTreeSet<String>, BTreeSet<String>)> {
    let document = document::read(text.as_bytes()).ok()?;
    let (draft, _) = draft::read(&document.root, &policies.env_allow);
    let found = found::look(&document.root, &draft);
    let names = |denials: Vec<Denial>| denials.into_iter().map(|denial| denial.rule).collect();
    let typed = typed::check(&draft, &found, &policies.env_allow);
    Some((names(typed), names(policies.ask(&document.root, &found, &[]))))
}

/// The built-in rules with variables that a person allows, one of them named like the workspace's.
fn allowing() -> Policies {
    thread_local! {
        static LOADED: Policies = Policies::new(vec!["HOME".to_owned(), "WORKSPACE_X".to_owned()], Vec::new());
    }
    LOADED.with(Policies::clone)
}

pub(super) fn assert_agree(text: &str) {
    if let Some((typed, rego)) = both(text) {
        assert_eq!(typed, rego, "{text}");
    }
}

/// Values that lie near what the rules ask for.
fn near() -> impl Strategy<Value = Value> {
    let texts = prop::sample::select(vec![
        "",
        "none",
        "None",
        "1000:1000",
        "ALL",
        "no-new-privileges",
        "UTC",
        "C.UTF-8",
        "0",
        "42",
        "00",
        "1",
        "18446744073709551615",
        "18446744073709551616",
        "99999999999999999999",
        "/workspace",
        "/workspace/input",
        "/workspace/data",
        "/workspace/output",
        "input",
        "data",
        "output",
        "ro",
        "rw",
        "nas:/x",
        "a:/x",
        "//x",
        "C:\\x",
        "\\\\x",
        "x://y",
        "DEMO-INT-001",
        "DEMO-INT-1",
        "A-B-C-000001",
        "A-001",
        "é",
        "\n",
        "\u{0}",
        "git",
        "push",
        "scp",
    ]);
    let names = "[a-zA-Z0-9._:/@-]{0,12}".prop_map(|name| {
        Value::from(format!("{name}@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"))
    });
    prop_oneof![
        texts.prop_map(Value::from),
        names,
        "[A-Z0-9-]{0,14}".prop_map(Value::from),
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-2_i64..600).prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1.0..20.0_f64).prop_map(Value::from),
        Just(json!([])),
        Just(json!({})),
        Just(json!(["ALL"])),
        Just(json!(["a", 1])),
        Just(json!({"source": "input", "target": "/workspace/input", "mode": "ro"})),
        Just(json!({"source": "input", "target": "/workspace/input", "mode": "rw"})),
        Just(json!({"source": "input", "target": "/workspace/input"})),
        Just(json!({"source": "nas:/x", "target": "/x", "mode": "ro"})),
        Just(json!({"source": "nas:/x", "target": "/x", "mode": "ro", "extra": 1})),
    ]
}

/// A place in the request: one of those that are there, or a new key.
fn place() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "/task_id",
        "/image",
        "/command",
        "/command/0",
        "/command/2",
        "/user",
        "/network",
        "/read_only",
        "/cap_drop",
        "/cap_drop/0",
        "/security_opt",
        "/security_opt/0",
        "/limits",
        "/limits/pids",
        "/limits/memory_bytes",
        "/limits/cpus",
        "/limits/nofile",
        "/limits/step_seconds",
        "/limits/job_seconds",
        "/limits/swap",
        "/mounts",
        "/mounts/0",
        "/mounts/0/source",
        "/mounts/1/target",
        "/mounts/2/mode",
        "/mounts/0/extra",
        "/env",
        "/env/TZ",
        "/env/LC_ALL",
        "/env/CHORUS_SEED",
        "/env/SOURCE_DATE_EPOCH",
        "/env/WORKSPACE_ROOT",
        "/env/WORKSPACE_DATA",
        "/env/WORKSPACE_X",
        "/env/HOME",
        "/extra",
    ])
    .prop_map(str::to_owned)
}

#[derive(Debug, Clone)]
enum Change {
    Set(String, Value),
    Remove(String),
}

fn apply(request: &mut Value, change: &Change) {
    let (Change::Set(place, _) | Change::Remove(place)) = change;
    let (parent, key) = place.rsplit_once('/').unwrap();
    match (request.pointer_mut(parent), change) {
        (Some(Value::Object(entries)), Change::Set(_, value)) => {
            drop(entries.insert(key.to_owned(), value.clone()))
        }
        (Some(Value::Object(entries)), Change::Remove(_)) => drop(entries.shift_remove(key)),
        (Some(Value::Array(items)), Change::Set(_, value)) => {
            let index = key.parse::<usize>().unwrap_or(0).min(items.len());
            items.insert(index, value.clone());
        }
        (Some(Value::Array(items)), Change::Remove(_)) => drop(items.pop()),
        _ => {}
    }
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        4 => (place(), near()).prop_map(|(place, value)| Change::Set(place, value)),
        1 => place().prop_map(Change::Remove),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// One to four changes of the good request: both implementations name the same rules.
    #[test]
    fn rego_and_rust_agree(changes in prop::collection::vec(change(), 1..=4)) {
        let mut request = good();
        for change in &changes {
            apply(&mut request, change);
        }
        assert_agree(&request.to_string());
        let (typed, rego) = both_by(&allowing(), &request.to_string()).unwrap();
        prop_assert_eq!(typed, rego, "with more variables allowed: {}", request);
    }

    /// Any text as a request is a verdict, and never an admission.
    #[test]
    fn any_text_is_denied(text in "\\PC{0,80}") {
        prop_assert!(!verdict(&text).is_admitted());
    }
}

/// I: image references that are hardly right or hardly wrong, which random changes seldom meet.
#[test]
fn i_both_judge_images_at_the_edge_alike() {
    let digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
    let (longest, too_long) = ("a".repeat(255), "a".repeat(256));
    let good =
        ["demo", "localhost/demo", "localhost:80/demo", "reg.example/a", "Reg.example:5000/a-b/c__d.e"];
    for name in good.into_iter().chain(["h:1/x", "h:65535/x", &longest]) {
        assert_both("/image", &format!("{name}@sha256:{digest}"), true);
    }
    let ports = ["h:65536/x", "h:0/x", "h:080/x", "h:/x", "h:8x/x"];
    let hosts = ["H/x", "Localhost/x", "a..B/x", "-A.b/x", "a-.B/x", "reg.example/A", "reg.example:1"];
    let parts = ["", &too_long, "demo:1", "a___b", "a_/b", "a//b", "/a", "a/", "demo\n", "dem\u{f6}"];
    for name in ports.into_iter().chain(hosts).chain(parts) {
        assert_both("/image", &format!("{name}@sha256:{digest}"), false);
    }
    let (short, zeros) = (&digest[1..], "0".repeat(64));
    for text in ["", digest, &format!("{short}0\n"), short, &format!("{digest}0"), &zeros] {
        assert_both("/image", &format!("demo@sha256:{text}"), text == digest);
    }
    for text in [&digest.to_uppercase(), &format!("{short}g"), &format!("{digest}@sha256:{digest}")] {
        assert_both("/image", &format!("demo@sha256:{text}"), false);
    }
    assert_both("/image", digest, false);
}

/// X: the numbers of 64 bits to the last one, and no other spelling of them.
#[test]
fn x_both_judge_counts_at_the_edge_alike() {
    for text in ["0", "7", "9999999999999999999", "10000000000000000000", "18446744073709551615"] {
        assert_both("/env/CHORUS_SEED", text, true);
    }
    let large =
        ["18446744073709551616", "18446744073709551617", "99999999999999999999", "100000000000000000000"];
    let spelt = ["", "00", "07", "-1", "+1", "1.0", "1e3", "1 2", " 1", "1\n", "0x1", "\u{663}"];
    for text in large.into_iter().chain(spelt) {
        assert_both("/env/CHORUS_SEED", text, false);
    }
}

fn assert_both(place: &str, text: &str, passes: bool) {
    let mut request = good();
    *request.pointer_mut(place).unwrap() = json!(text);
    let (typed, rego) = both(&request.to_string()).unwrap();
    assert_eq!((rego.is_empty(), &rego), (passes, &typed), "{place} {text:?}");
}

/// The good request passes both; every rule that a policy decides can fail in both.
#[test]
fn both_pass_the_good_request() {
    let (typed, rego) = both(&good().to_string()).unwrap();
    assert_eq!((typed.len(), rego.len()), (0, 0));
    let (typed, rego) = both("{}").unwrap();
    assert_eq!(typed, rego);
    let token = format!("ghp_{}", "a".repeat(36));
    let (worst_typed, worst_rego) = both(&json!({"command": ["scp", token]}).to_string()).unwrap();
    assert_eq!(worst_typed, worst_rego);
    let by_policy: BTreeSet<String> =
        RULES.iter().filter(|rule| rule.by_policy).map(|rule| rule.id.to_owned()).collect();
    let seen: BTreeSet<String> = typed.union(&worst_typed).cloned().collect();
    assert_eq!(seen, by_policy);
}

/// Every rule has an id of the form LETTER.word, its own policy text, and stands in the table once.
#[test]
fn a_3_the_table_of_rules_is_sound() {
    let ids: BTreeSet<_> = RULES.iter().map(|rule| rule.id).collect();
    assert_eq!(ids.len(), RULES.len());
    for rule in &RULES {
        let (letter, word) = rule.id.split_once('.').unwrap();
        assert!("AFNIXSPUW".contains(letter) && letter.len() == 1, "{}", rule.id);
        let head = format!("{word} if {{");
        assert_eq!(rule.by_policy, rule.policy().is_some_and(|text| text.contains(&head)), "{}", rule.id);
    }
    assert_eq!(BUILTIN.len(), 7);
}
