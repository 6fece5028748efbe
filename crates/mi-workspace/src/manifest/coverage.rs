//! Whether a set of fixtures covers the shapes of the state files (NX-371, NX-372).
//!
//! Every leaf field of every state schema is claimed by some fixture, and no fixture passes a parameter that it does not
//! look for afterwards. The claims are taken at their word. Elsewhere: running fixtures is a test's work.

use serde::Serialize;
use serde_json::{Map, Value};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, fs, io,
    path::{Path, PathBuf},
};

/// How far a set of fixtures reaches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Coverage {
    pub schemas: usize,
    pub fields: usize,
    pub fixtures: usize,
    pub gaps: Vec<Gap>,
}

/// Something that no fixture looks at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Gap {
    MissingFields { schema: String, fields: Vec<String> },
    UncoveredParams { file: String, test_id: String, params: Vec<String> },
    NoCovers { file: String, test_id: String },
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MissingFields { schema, fields } => {
                write!(f, "{schema}: missing fields [{}]", fields.join(", "))
            }
            Self::UncoveredParams { file, test_id, params } => {
                write!(f, "{file} ({test_id}): uncovered params [{}]", params.join(", "))
            }
            Self::NoCovers { file, test_id } => write!(f, "{file} ({test_id}): it has no `covers`"),
        }
    }
}

/// Why a set of fixtures could not be looked at.
#[derive(Debug, thiserror::Error)]
pub enum CoverageError {
    #[error("read `{}`", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("understand `{}` as JSON", path.display())]
    Parse { path: PathBuf, source: serde_json::Error },
    #[error("`{}` has no folder `state-schemas`", folder.display())]
    NoSchemas { folder: PathBuf },
}

/// The folders whose files are fixtures (NX-383).
const FIXTURES: [&str; 3] = ["tools", "scenarios", "lifecycle"];

/// Looks at a folder with `state-schemas/` and the folders of fixtures beside it, or at its sub-folder `conformance`.
pub fn coverage(folder: &Path) -> Result<Coverage, CoverageError> {
    let inner = folder.join("conformance");
    let root = if inner.is_dir() { inner } else { folder.to_owned() };
    let schemas = root.join("state-schemas");
    if !schemas.is_dir() {
        return Err(CoverageError::NoSchemas { folder: root });
    }
    let (mut fields, mut claimed, mut gaps) = (BTreeMap::new(), Claims::new(), Vec::new());
    for (path, schema) in json_files(&schemas)? {
        fields.insert(file_name(&path), leaves(&schema));
    }
    let mut fixtures = 0;
    for entry in entries(&root)? {
        // Beside them lie schemas, and examples that no runner plays.
        if !entry.is_dir() || !FIXTURES.contains(&file_name(&entry).as_str()) {
            continue;
        }
        for (path, text) in json_files(&entry)? {
            let file = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
            let listed = match text {
                Value::Array(fixtures) => fixtures,
                one => vec![one],
            };
            fixtures += listed.len();
            listed.iter().for_each(|fixture| gaps.extend(look_at(&file, fixture, &mut claimed)));
        }
    }
    let mut missing = missing(&fields, &claimed);
    missing.append(&mut gaps);
    let count = fields.values().map(BTreeSet::len).sum();
    Ok(Coverage { schemas: fields.len(), fields: count, fixtures, gaps: missing })
}

type Claims = BTreeMap<String, BTreeSet<String>>;

fn missing(fields: &Claims, claimed: &Claims) -> Vec<Gap> {
    let unclaimed = |(schema, fields): (&String, &BTreeSet<String>)| {
        let known = claimed.get(schema);
        let is_missing = |field: &&String| !known.is_some_and(|known| known.contains(*field));
        let fields: Vec<String> = fields.iter().filter(is_missing).cloned().collect();
        (!fields.is_empty()).then(|| Gap::MissingFields { schema: schema.clone(), fields })
    };
    fields.iter().filter_map(unclaimed).collect()
}

/// Takes over what a fixture claims; returns what it leaves open.
fn look_at(file: &str, fixture: &Value, claimed: &mut Claims) -> Vec<Gap> {
    let (file, test_id) = (file.to_owned(), text(&fixture["test_id"]));
    let Some(covers) = fixture["covers"].as_object() else { return vec![Gap::NoCovers { file, test_id }] };
    for (schema, paths) in covers.get("state_schemas").and_then(Value::as_object).into_iter().flatten() {
        let paths = paths.as_array().into_iter().flatten().map(text);
        claimed.entry(schema.clone()).or_default().extend(paths);
    }
    let excused: Vec<String> =
        fixture["uncovered_params"].as_array().into_iter().flatten().map(text).collect();
    let after = &fixture["postcondition"];
    let mut open = open_params(&fixture["action"], &after["return_value"], &after["state_files"]);
    for step in fixture["steps"].as_array().into_iter().flatten() {
        open.extend(open_params(&step["action"], &step["assert_return"], &step["assert_state"]));
    }
    open.retain(|param| !excused.contains(param));
    match open.is_empty() {
        true => Vec::new(),
        false => vec![Gap::UncoveredParams { file, test_id, params: open.into_iter().collect() }],
    }
}

/// The parameters that stand in no key of the assertions.
fn open_params(action: &Value, returned: &Value, files: &Value) -> BTreeSet<String> {
    let keys = |value: &Value| value.as_object().cloned().unwrap_or_default();
    let mut asserted: Vec<String> = keys(returned).keys().cloned().collect();
    for (_, file) in keys(files) {
        asserted.extend(keys(&file).keys().cloned());
    }
    let is_open = |param: &String| !asserted.iter().any(|key| key.contains(param.as_str()));
    keys(&action["params"]).keys().filter(|param| is_open(param)).cloned().collect()
}

/// Deeper than any state file; a schema that refers to itself ends here.
const DEEPEST: usize = 32;

/// The fields of a schema that have no fields below them: `a[].b`, and `a[]` for a list of plain values.
fn leaves(schema: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    // The entries of a list at the top have no name in front of them.
    let top = if schema["items"].is_object() { &schema["items"] } else { schema };
    descend(schema, top, "", DEEPEST, &mut found);
    found
}

fn descend(root: &Value, schema: &Value, path: &str, left: usize, found: &mut BTreeSet<String>) {
    if left == 0 {
        return;
    }
    if let Some(pointer) = schema["$ref"].as_str().and_then(|name| name.strip_prefix('#')) {
        return descend(root, root.pointer(pointer).unwrap_or(&Value::Null), path, left - 1, found);
    }
    if let Some(then) = schema.get("then") {
        return descend(root, then, path, left - 1, found);
    }
    if let Some(items) = schema.get("items") {
        return descend(root, items, &format!("{path}[]"), left - 1, found);
    }
    let fields: Option<&Map<String, Value>> = schema["properties"].as_object();
    match fields.filter(|fields| !fields.is_empty()) {
        Some(fields) => {
            let dot = if path.is_empty() { "" } else { "." };
            for (name, field) in fields {
                descend(root, field, &format!("{path}{dot}{name}"), left - 1, found);
            }
        }
        None if !path.is_empty() => {
            found.insert(path.to_owned());
        }
        None => {}
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, CoverageError> {
    let fail = |source| CoverageError::Read { path: folder.to_owned(), source };
    let listed = fs::read_dir(folder).map_err(fail)?;
    let mut paths =
        listed.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>().map_err(fail)?;
    paths.sort();
    Ok(paths)
}

fn json_files(folder: &Path) -> Result<Vec<(PathBuf, Value)>, CoverageError> {
    let mut files = Vec::new();
    for path in entries(folder)? {
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let bytes = fs::read(&path).map_err(|source| CoverageError::Read { path: path.clone(), source })?;
        let value = serde_json::from_slice(&bytes)
            .map_err(|source| CoverageError::Parse { path: path.clone(), source })?;
        files.push((path, value));
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::{Gap, coverage, leaves};
    use serde_json::{Value, json};
    use std::{fs, path::Path};

    /// Lists, plain lists, a list at the top, references; what has fields below it is no leaf, and `oneOf` is one.
    #[test]
    fn nx_371_leaf_fields() {
        let text = json!({"type": "string"});
        let schema = json!({"$defs": {"b": {"properties": {"c": text}}}, "properties": {
            "a": {"items": {"$ref": "#/$defs/b"}}, "plain": {"items": text}, "map": {"additionalProperties": text},
            "either": {"oneOf": [{"properties": {"x": text}}, {"type": "null"}]},
        }});
        let found: Vec<String> = leaves(&schema).into_iter().collect();
        assert_eq!(found, ["a[].c", "either", "map", "plain[]"]);
        let list = json!({"type": "array", "items": {"properties": {"id": text, "files": {"items": text}}}});
        assert_eq!(leaves(&list).into_iter().collect::<Vec<_>>(), ["files[]", "id"]);
        let endless = json!({"$defs": {"a": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"});
        assert!(leaves(&endless).is_empty());
    }

    fn set(fixture: &Value) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, value: &Value| {
            let path = folder.path().join("conformance").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, value.to_string()).unwrap();
        };
        write("state-schemas/plan.schema.json", &json!({"properties": {"id": {}, "topic": {}}}));
        write("tools/plan.json", &json!([fixture]));
        write("examples/plan.json", &json!({"id": 1}));
        folder
    }

    /// A field that no fixture claims, a parameter that no assertion names, and a fixture without claims are told.
    #[test]
    fn nx_371_nx_372_nx_383_gaps_of_fixtures_are_told() {
        let fixture = json!({
            "test_id": "one", "covers": {"state_schemas": {"plan.schema.json": ["id"]}},
            "action": {"tool": "plan_start", "params": {"topic": "t", "issues": [], "research_summary": ""}},
            "uncovered_params": ["issues"],
            "postcondition": {"return_value": {"$.topic": "t"}},
        });
        let found = coverage(set(&fixture).path()).unwrap();
        assert_eq!((found.schemas, found.fields, found.fixtures), (1, 2, 1));
        let told: Vec<String> = found.gaps.iter().map(Gap::to_string).collect();
        assert_eq!(
            told,
            [
                "plan.schema.json: missing fields [topic]",
                "tools/plan.json (one): uncovered params [research_summary]"
            ]
        );
        let steps = json!({
            "test_id": "two", "covers": {"state_schemas": {"plan.schema.json": ["id", "topic"]}},
            "steps": [{"action": {"tool": "t", "params": {"id": 1}}, "assert_state": {"f": {"$.tasks[0].id": 1}}},
                      {"action": {"tool": "t", "params": {"id": 1}}, "assert_return": {"$.x": 1}}],
        });
        let told: Vec<String> =
            coverage(set(&steps).path()).unwrap().gaps.iter().map(Gap::to_string).collect();
        assert_eq!(told, ["tools/plan.json (two): uncovered params [id]"]);
        let none = coverage(set(&json!({"test_id": "three"})).path()).unwrap().gaps;
        assert_eq!(none[1].to_string(), "tools/plan.json (three): it has no `covers`");
        assert!(coverage(Path::new("/nowhere")).is_err());
    }

    /// Our own fixtures claim every field of the state files, and look for every parameter that they pass.
    #[test]
    fn nx_372_nx_381_our_own_fixtures_cover_every_field() {
        let found = coverage(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
        assert_eq!(found.gaps, []);
        assert!(found.schemas == 6 && found.fields > 60 && found.fixtures > 20, "{found:?}");
    }
}
