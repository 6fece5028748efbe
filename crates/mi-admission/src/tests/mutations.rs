//! Every single-field mutation of the good request is denied.

use super::*;

/// The places of all values in a request, parents first.
fn places(value: &Value, place: String, found: &mut Vec<String>) {
    found.push(place.clone());
    match value {
        Value::Object(entries) => {
            for (key, inner) in entries {
                places(inner, format!("{place}/{key}"), found);
            }
        }
        Value::Array(items) => {
            for (index, inner) in items.iter().enumerate() {
                places(inner, format!("{place}/{index}"), found);
            }
        }
        _ => {}
    }
}

pub(super) fn all_places() -> Vec<String> {
    let mut found = Vec::new();
    places(&good(), String::new(), &mut found);
    found
}

fn assert_denied(request: &Value, what: &str) {
    let verdict = verdict(&request.to_string());
    assert!(!verdict.is_admitted(), "{what} is admitted: {request}");
    assert!(!verdict.denials().is_empty(), "{what}");
}

/// Changes that leave a good request: other words of a command, other numbers within their bounds.
fn stays_good(place: &str, value: &Value) -> bool {
    let within = match place {
        "/command/0" => vec![json!("x y")],
        "/command/1" | "/command/2" => vec![json!(""), json!("x y")],
        "/limits/pids" | "/limits/step_seconds" => vec![json!(7)],
        "/limits/cpus" => vec![json!(7), json!(1.5)],
        "/read_only" => vec![json!(true)],
        _ => Vec::new(),
    };
    within.contains(value)
}

/// A1: null, absence and every other type are denied at every place, and so is every other value that is not within
/// a field's bounds.
#[test]
fn a_1_every_place_of_another_type_or_missing_is_denied() {
    let others =
        [json!(null), json!(true), json!(7), json!(1.5), json!(""), json!("x y"), json!([]), json!({})];
    for place in all_places() {
        for other in &others {
            let mut request = good();
            *request.pointer_mut(&place).unwrap() = other.clone();
            let admitted = verdict(&request.to_string()).is_admitted();
            assert_eq!(admitted, stays_good(&place, other), "{place} = {other}");
        }
        let Some((parent, key)) = place.rsplit_once('/') else { continue };
        let mut request = good();
        match request.pointer_mut(parent).unwrap() {
            Value::Object(entries) => drop(entries.shift_remove(key)),
            Value::Array(items) if parent != "/command" => drop(items.remove(key.parse().unwrap())),
            _ => continue,
        }
        assert_denied(&request, &format!("{place} removed"));
    }
}

/// A1, A2: another spelling of a key, a second one, or one more is denied in every object.
#[test]
fn a_2_every_key_respelt_doubled_or_added_is_denied() {
    for place in all_places() {
        let Some((parent, key)) = place.rsplit_once('/') else { continue };
        if good().pointer(parent).unwrap().is_array() {
            continue;
        }
        let mut respelt = key.to_ascii_uppercase();
        if respelt == key {
            respelt = key.to_ascii_lowercase();
        }
        for other in [respelt, format!("{key} "), format!("{key}\u{0}"), key.replace('_', "-") + "s"] {
            let mut request = good();
            let entries = request.pointer_mut(parent).unwrap().as_object_mut().unwrap();
            let value = entries.shift_remove(key).unwrap();
            entries.insert(other.clone(), value);
            assert_denied(&request, &format!("{place} as {other}"));
        }
        let mut request = good();
        let entries = request.pointer_mut(parent).unwrap().as_object_mut().unwrap();
        entries.insert("extra".to_owned(), json!("none"));
        assert!(rules_against(&request).contains(&"A.unknown".to_owned()), "{parent}");
        let value = good().pointer(&place).unwrap().to_string();
        let text = good().to_string();
        let once = format!("\"{key}\":{value}");
        let escaped = format!("\"\\u{:04x}{}\":{value}", u32::from(key.as_bytes()[0]), &key[1..]);
        for second in [once.clone(), escaped] {
            let doubled = text.replacen(&once, &format!("{once},{second}"), 1);
            assert_ne!(doubled, text, "{place}");
            let rules: Vec<_> =
                verdict(&doubled).denials().iter().map(|denial| denial.rule.clone()).collect();
            assert!(rules.contains(&"A.duplicate".to_owned()), "{place}: {rules:?}");
        }
    }
}

/// The list of threats: for each field, values that another engine would take and this one must not.
#[test]
fn every_listed_threat_is_denied() {
    let digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
    let texts: [(&str, &[&str]); 12] = [
        (
            "/network",
            &[
                "",
                "None",
                "NONE",
                "none ",
                " none",
                "host",
                "bridge",
                "default",
                "container:x",
                "pull-net",
                "nonе",
            ],
        ),
        (
            "/user",
            &[
                "",
                "0",
                "00",
                "0:0",
                "0:1000",
                "1000:0",
                "1000",
                "root",
                "chorus",
                "01000:1000",
                "1000:1000 ",
                "+1000:1000",
            ],
        ),
        ("/cap_drop/0", &["", "all", "All", "ALL ", "CAP_ALL", "NET_ADMIN"]),
        (
            "/security_opt/0",
            &[
                "",
                "no-new-privileges:true",
                "no-new-privileges=false",
                "seccomp=unconfined",
                "No-New-Privileges",
            ],
        ),
        (
            "/image",
            &[
                "demo",
                "demo:latest",
                "demo@sha256:9f86d081884c7d65",
                &format!("demo@sha512:{digest}"),
                &format!("demo:1@sha256:{digest}"),
                &format!("sha256:{digest}"),
                &format!("Demo@sha256:{digest}"),
                &format!(" demo@sha256:{digest}"),
                &format!("demo@sha256:{digest}\n"),
                &format!("demo@sha256:{}", "0".repeat(64)),
                &format!("http://demo@sha256:{digest}"),
                &format!("../demo@sha256:{digest}"),
            ],
        ),
        (
            "/task_id",
            &[
                "",
                "DEMO",
                "DEMO-001",
                "demo-int-001",
                "DEMO-INT-01",
                "DEMO-INT-0000001",
                "DEMO-INT-001\n",
                "DEMO_INT-001",
            ],
        ),
        (
            "/mounts/0/source",
            &[
                "",
                "/",
                "./input",
                "input/",
                "../input",
                "~/.aws",
                "/var/run/docker.sock",
                "output",
                "nfs://x/y",
            ],
        ),
        (
            "/mounts/1/target",
            &["", "/", "/workspace/input", "/workspace/data/", "/etc", "/proc", "workspace/data"],
        ),
        ("/mounts/1/mode", &["", "ro", "RW", "rw,exec", "rw,shared", "z"]),
        ("/env/LC_ALL", &["", "C", "en_US.UTF-8", "C.utf8"]),
        ("/env/CHORUS_SEED", &["", "-1", "+1", "042", "4.2", "0x2a", "18446744073709551616", "4 2"]),
        ("/env/WORKSPACE_OUTPUT", &["", "/", "/workspace/output/", "/tmp"]),
    ];
    for (place, values) in texts {
        for value in values {
            let mut request = good();
            *request.pointer_mut(place).unwrap() = json!(value);
            assert_denied(&request, &format!("{place} = {value}"));
        }
    }
    for (name, bad) in
        [("pids", 513_u64), ("memory_bytes", 8 << 31), ("nofile", 16_385), ("job_seconds", 3_601)]
    {
        for value in [json!(0), json!(-1), json!(bad), json!(u64::MAX), json!("1"), json!(null), json!(100.0)]
        {
            let mut request = good();
            request["limits"][name] = value.clone();
            assert_denied(&request, &format!("{name} = {value}"));
        }
    }
    for text in ["1e2", "256.0", "-0", "1E400", "99999999999999999999999999999999999999999"] {
        let whole = good().to_string();
        let changed = whole.replacen("\"pids\":256", &format!("\"pids\":{text}"), 1);
        assert_ne!(changed, whole);
        assert!(!verdict(&changed).is_admitted(), "{text}");
    }
}

/// What other engines know and this request does not: each is an unknown key, with any value.
#[test]
fn every_foreign_control_is_denied() {
    let foreign = [
        "privileged",
        "cap_add",
        "binds",
        "volumes",
        "volumes_from",
        "tmpfs",
        "devices",
        "device_requests",
        "sysctls",
        "ulimits",
        "runtime",
        "ports",
        "expose",
        "extra_hosts",
        "dns",
        "restart",
        "healthcheck",
        "pid",
        "ipc",
        "uts",
        "userns",
        "cgroup_parent",
        "oom_kill_disable",
        "memory_swap",
        "labels",
        "entrypoint",
        "working_dir",
        "network_mode",
        "networks",
        "NetworkMode",
        "HostConfig",
        "platform",
        "init",
        "shm_size",
        "group_add",
        "__proto__",
        "",
    ];
    for key in foreign {
        for value in [json!(null), json!(false), json!([]), json!("none")] {
            let mut request = good();
            request[key] = value;
            assert_eq!(rules_against(&request), ["A.unknown"], "{key}");
        }
    }
}
