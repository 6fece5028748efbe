//! Fixtures of the contract's form, played against the real `mi mcp` and `mi hook`; they cover every field.

use mi_test_support::{McpClient, Mi, TempHome, TempProject, sealed_environment, workspace_dir};
use mi_workspace::schema;
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

const HARNESS: &str = "our-harness";

/// One project for one fixture.
struct Scene {
    home: TempHome,
    project: TempProject,
}

/// What a step gave back.
struct Returned {
    value: Value,
    is_error: bool,
}

impl Scene {
    fn new() -> Self {
        Self { home: TempHome::new(), project: TempProject::python() }
    }

    /// Only two tokens are known; any other is a mistake of the fixture (NX-378).
    fn resolve(text: &str) -> String {
        let text = text.replace("{STATE_ROOT}", ".nexus/state").replace("{HARNESS_ID}", HARNESS);
        assert!(!text.contains('{'), "an unknown token: {text}");
        text
    }

    fn path(&self, name: &str) -> PathBuf {
        self.project.path().join(Self::resolve(name))
    }

    /// Whatever its ending, a file is written as JSON; null takes it away (NX-376, NX-377).
    fn prepare(&self, files: &Value) {
        for (name, content) in files.as_object().into_iter().flatten() {
            let path = self.path(name);
            if content.is_null() {
                let _ = fs::remove_file(path);
                continue;
            }
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content.to_string().replace("{HARNESS_ID}", HARNESS)).unwrap();
        }
    }

    /// Each call has a server of its own: nothing may live in memory only.
    fn act(&self, action: &Value) -> Returned {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mi"));
        command.arg("mcp").env_clear().envs(sealed_environment(&self.home)).current_dir(self.project.path());
        let mut server = McpClient::connect(&mut command);
        let answer = server.call(&format!("nx_{}", action["tool"].as_str().unwrap()), &action["params"]);
        assert!(server.close().success());
        let text = answer["content"][0]["text"].as_str().unwrap();
        let value: Value = serde_json::from_str(text).unwrap();
        assert_eq!(answer["structuredContent"], value);
        Returned { value, is_error: answer["isError"] == true }
    }

    fn happen(&self, event: &Value) -> Returned {
        let mut payload = event.get("params").cloned().unwrap_or_else(|| json!({}));
        payload["harness_id"] = HARNESS.into();
        let output = Mi::new(env!("CARGO_BIN_EXE_mi"), &self.home)
            .cwd(self.project.path())
            .stdin(payload.to_string())
            .run(["hook", event["type"].as_str().unwrap()]);
        let value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| json!({"error": output.err()}));
        Returned { value, is_error: output.code() != Some(0) }
    }

    fn step(&self, step: &Value) -> Returned {
        match (step.get("action"), step.get("event")) {
            (Some(action), None) => self.act(action),
            (None, Some(event)) => self.happen(event),
            _ => panic!("a step is an action or an event: {step}"),
        }
    }

    fn check_files(&self, files: &Value) -> Vec<String> {
        let mut wrong = Vec::new();
        for (name, wanted) in files.as_object().into_iter().flatten() {
            let path = self.path(name);
            match (wanted.is_null(), path.exists()) {
                (true, false) => {}
                (true, true) => wrong.push(format!("{name} is there")),
                (false, false) => wrong.push(format!("{name} is missing")),
                // An empty object asks for the file alone: it may be no JSON.
                (false, true) if wanted == &json!({}) => {}
                (false, true) => {
                    let found = check_values(&parsed(&path), wanted, Nulls::AreAbsent);
                    wrong.extend(found.into_iter().map(|wrong| format!("{name}: {wrong}")));
                }
            }
        }
        wrong
    }

    /// Every state file that is there has the published shape (NX-012).
    fn check_shapes(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        for name in
            ["state/plan.json", "state/tasks.json", "history.json"].map(str::to_owned).into_iter().chain(
                ["agent-tracker.json", "memory-access.jsonl", "tool-log.jsonl"]
                    .map(|file| format!("state/{HARNESS}/{file}")),
            )
        {
            let path = self.project.path().join(".nexus").join(&name);
            if path.is_file() {
                wrong.extend(misfits(&path));
            }
        }
        wrong
    }
}

fn parsed(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap();
    if path.extension().is_some_and(|extension| extension == "jsonl") {
        return text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()).collect();
    }
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// What in a file is not as its published schema says.
pub(crate) fn misfits(path: &Path) -> Vec<String> {
    let name = path.file_name().unwrap().to_str().unwrap();
    let schema = schema(name).unwrap_or_else(|| panic!("no schema of {name}"));
    let validator = jsonschema::draft202012::options().should_validate_formats(true).build(&schema).unwrap();
    let values = match (name.ends_with(".jsonl"), parsed(path)) {
        (true, Value::Array(lines)) => lines,
        (_, whole) => vec![whole],
    };
    let told = |value: &Value| -> Vec<String> {
        validator
            .iter_errors(value)
            .map(|error| format!("{name}: {}: {error}", error.instance_path()))
            .collect()
    };
    values.iter().flat_map(told).collect()
}

/// What null asks for: in a file also a field that is not there (C-27), in an answer for null itself or nothing.
#[derive(Clone, Copy, PartialEq)]
enum Nulls {
    AreAbsent,
    AreNull,
}

fn check_values(value: &Value, wanted: &Value, nulls: Nulls) -> Vec<String> {
    let mut wrong = Vec::new();
    for (path, wanted) in wanted.as_object().into_iter().flatten() {
        let found = at(value, path);
        if !fits(found.as_ref(), wanted, nulls) {
            wrong.push(format!("{path} is {found:?}, not {wanted}"));
        }
    }
    wrong
}

/// `$.a[0].b`, `$[0]`, `$.list.length`, and `[-1]` for the last (NX-379).
fn at(value: &Value, path: &str) -> Option<Value> {
    let path = path.strip_prefix('$').expect("a path begins with $");
    let mut found = value.clone();
    for part in path.replace('[', ".[").split('.').filter(|part| !part.is_empty()) {
        found = match (part.strip_prefix('['), &found) {
            (Some(index), Value::Array(items)) => {
                let index: i64 = index.trim_end_matches(']').parse().unwrap();
                let index = if index < 0 { items.len() as i64 + index } else { index };
                items.get(usize::try_from(index).ok()?)?.clone()
            }
            (None, Value::Array(items)) if part == "length" => json!(items.len()),
            (None, Value::Object(fields)) => fields.get(part)?.clone(),
            _ => return None,
        };
    }
    Some(found)
}

fn fits(found: Option<&Value>, wanted: &Value, nulls: Nulls) -> bool {
    let Some(matcher) = wanted.as_object().filter(|matcher| matcher.contains_key("type")) else {
        return match (wanted, found) {
            (Value::Null, None) => true,
            (Value::Null, Some(found)) => found.is_null() && nulls == Nulls::AreNull,
            (Value::String(text), Some(found)) => *found == json!(text.replace("{HARNESS_ID}", HARNESS)),
            (_, Some(found)) => {
                found == wanted || found.as_f64().is_some_and(|number| Some(number) == wanted.as_f64())
            }
            (_, None) => false,
        };
    };
    let Some(found) = found else { return false };
    let bound = |name: &str| matcher.get(name).and_then(Value::as_f64);
    match matcher["type"].as_str() {
        Some("iso8601") => found.as_str().is_some_and(|text| text.parse::<mi_model::Timestamp>().is_ok()),
        Some("boolean") => found.is_boolean(),
        Some("number") => found.as_f64().is_some_and(|number| {
            bound("min").is_none_or(|least| number >= least) && bound("max").is_none_or(|most| number <= most)
        }),
        Some("string") => found.as_str().is_some_and(|text| {
            let long = bound("minLength").is_none_or(|least| text.chars().count() as f64 >= least);
            long && matcher.get("pattern").is_none_or(|pattern| {
                let pattern = json!({"type": "string", "pattern": pattern});
                jsonschema::draft202012::new(&pattern).unwrap().is_valid(found)
            })
        }),
        _ => panic!("an unknown matcher: {wanted}"),
    }
}

/// Plays one fixture; says what is wrong.
fn play(fixture: &Value) -> Vec<String> {
    let kinds = ["action", "event", "steps"].iter().filter(|kind| fixture.get(**kind).is_some()).count();
    if fixture["covers"].is_null() || kinds != 1 {
        return vec!["a fixture has `covers` and one of action, event, steps (NX-380)".to_owned()];
    }
    let scene = Scene::new();
    scene.prepare(&fixture["precondition"]["state_files"]);
    let mut wrong = Vec::new();
    for step in fixture["steps"].as_array().into_iter().flatten() {
        let returned = scene.step(step);
        wrong.extend(check_values(&returned.value, &step["assert_return"], Nulls::AreNull));
        wrong.extend(scene.check_files(&step["assert_state"]));
    }
    let after = &fixture["postcondition"];
    if fixture.get("steps").is_none() {
        let returned = scene.step(fixture);
        let contains = after["error_contains"].as_str();
        let wants_error =
            after["error"] == true || contains.is_some() || !after["return_value"]["$.error"].is_null();
        if returned.is_error != wants_error {
            wrong.push(format!(
                "an error is {} and wanted {wants_error}: {}",
                returned.is_error, returned.value
            ));
        }
        let said = returned.value["error"].as_str().unwrap_or_default();
        if !contains.is_none_or(|text| said.contains(text)) {
            wrong.push(format!("the error is {said:?}"));
        }
        wrong.extend(check_values(&returned.value, &after["return_value"], Nulls::AreNull));
    }
    wrong.extend(scene.check_files(&after["state_files"]));
    wrong.extend(scene.check_shapes());
    wrong
}

fn fixtures(root: &Path) -> Vec<Value> {
    let mut all = Vec::new();
    for kind in ["tools", "scenarios", "lifecycle"] {
        for entry in fs::read_dir(root.join(kind)).unwrap() {
            match parsed(&entry.unwrap().path()) {
                Value::Array(listed) => all.extend(listed),
                one => all.push(one),
            }
        }
    }
    all
}

/// Every fixture of ours passes, with files of the published shape after each.
#[test]
fn nx_012_nx_375_to_nx_380_our_fixtures_pass() {
    let root = workspace_dir().join("crates/mi-workspace/conformance");
    let mut wrong = Vec::new();
    let listed = fixtures(&root);
    assert!(listed.len() > 20);
    for fixture in listed {
        let told = play(&fixture);
        wrong.extend(told.into_iter().map(|told| format!("{}: {told}", fixture["test_id"])));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The player itself sees what is wrong: each of these fixtures claims something that is not so.
#[test]
fn nx_376_nx_379_the_player_sees_what_is_wrong() {
    let value = json!({"a": [{"b": "x"}, {"b": null}], "n": 3});
    for (wanted, right) in [
        (json!({"$.a[0].b": "x", "$.a.length": 2, "$.a[-1].b": null, "$.n": 3.0, "$.c": null}), true),
        (json!({"$.a[0].b": "y"}), false),
        (json!({"$.a.length": 1}), false),
        (json!({"$.n": {"type": "number", "min": 4}}), false),
        (json!({"$.n": {"type": "number", "max": 2}}), false),
        (json!({"$.n": {"type": "string"}}), false),
        (json!({"$.a[0].b": {"type": "string", "minLength": 2}}), false),
        (json!({"$.a[0].b": {"type": "string", "pattern": "^y"}}), false),
        (json!({"$.a[0].b": {"type": "iso8601"}}), false),
        (json!({"$.a[0].b": null}), false),
    ] {
        assert_eq!(check_values(&value, &wanted, Nulls::AreNull).is_empty(), right, "{wanted}");
    }
    assert_eq!(check_values(&value, &json!({"$.a[1].b": null}), Nulls::AreAbsent).len(), 1);
    let fixture = |after: Value| json!({"test_id": "x", "covers": {}, "action": {"tool": "task_list", "params": {}}, "postcondition": after});
    for after in [
        json!({"error": true}),
        json!({"return_value": {"$.exists": true}}),
        json!({"state_files": {"{STATE_ROOT}/plan.json": {}}}),
        json!({"state_files": {"calc.py": null}}),
    ] {
        assert_eq!(play(&fixture(after.clone())).len(), 1, "{after}");
    }
    assert_eq!(play(&json!({"test_id": "x", "action": {}})).len(), 1);
}
