//! The manifest: everything that a consumer needs to know about a set, in one JSON file (NX-340 to NX-348).
//!
//! Holds: the same files, version and commit give the same bytes; agents and skills stand in the order of their ids.

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::{
    Finding, Gate, Source,
    checks::{Checked, Document},
    schemas::{Shape, VOCABULARY, misfits},
};

/// The version of the schemas that a manifest names.
const SCHEMA_CONTRACT: &str = "2.0";
/// What stands for a commit where none is known; it has the form of one, unlike a word.
const NO_COMMIT: &str = "0000000";
const NO_VERSION: &str = "0.0.0";
const INVOCATION_FIELDS: [&str; 4] = ["id", "description", "intent", "fallback_behavior"];

/// Where version and commit come from, before the files themselves are asked (NX-345).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Provenance {
    pub version: Option<String>,
    pub commit: Option<String>,
}

/// A manifest, and what a person should know about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Manifest {
    pub value: Value,
    pub notes: Vec<String>,
}

impl Manifest {
    /// As it is written: two spaces, a line end at the end.
    pub fn to_text(&self) -> String {
        let mut text = serde_json::to_string_pretty(&self.value).unwrap_or_default();
        text.push('\n');
        text
    }
}

/// `sha256:` and the digest of a body: CRLF as LF, no space at the end, one line end (NX-342).
pub fn body_hash(body: &str) -> String {
    let plain = body.replace("\r\n", "\n");
    hash(&format!("{}\n", plain.trim_end_matches(is_space)))
}

/// The digest of the bytes as they are, which some consumers of upstream compare with (C-19).
pub fn raw_body_hash(body: &str) -> String {
    hash(body)
}

fn hash(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().fold("sha256:".to_owned(), |text, byte| format!("{text}{byte:02x}"))
}

/// White space as ECMAScript trims it, since that is what the published hashes were made with.
fn is_space(character: char) -> bool {
    character == '\u{feff}' || (character.is_whitespace() && character != '\u{85}')
}

/// Makes the manifest of files that passed the gates; errors say why there is none.
pub(super) fn build(source: &Source, checked: &Checked, from: &Provenance) -> Result<Manifest, Vec<Finding>> {
    let Some(vocabulary) = &checked.vocabulary else { return Err(Vec::new()) };
    let mut notes = Vec::new();
    let (agents, skills) = (
        entries(source, checked.agents.values(), &mut notes),
        entries(source, checked.skills.values(), &mut notes),
    );
    let mut words = Map::new();
    for (path, _) in VOCABULARY {
        let (key, value) = vocabulary_part(path, &vocabulary[path].value);
        words.insert(key.to_owned(), value);
    }
    let value = json!({
        "nexus_core_version": version(source, from, &mut notes),
        "nexus_core_commit": commit(from, &mut notes),
        "schema_contract_version": SCHEMA_CONTRACT,
        "agents": agents?,
        "skills": skills?,
        "vocabulary": words,
    });
    let wrong: Vec<Finding> = misfits(Shape::Manifest, &value)
        .into_iter()
        .map(|misfit| Finding::error(Gate::Schema, "manifest.json", None, misfit.message))
        .collect();
    if wrong.is_empty() { Ok(Manifest { value, notes }) } else { Err(wrong) }
}

/// Each `meta.yml` as it is, with the hash of its body last (NX-341).
fn entries<'d>(
    source: &Source,
    documents: impl Iterator<Item = &'d Document>,
    notes: &mut Vec<String>,
) -> Result<Vec<Value>, Vec<Finding>> {
    let mut sorted: Vec<&Document> = documents.collect();
    sorted.sort_by_key(|document| document.value["id"].as_str().unwrap_or_default().to_owned());
    sorted
        .into_iter()
        .map(|document| {
            let path = document.path.replace("/meta.yml", "/body.md");
            let Some(Ok(body)) = source.text(&path) else {
                let message = "the body is missing, so that it has no hash";
                return Err(vec![Finding::error(Gate::Schema, &path, None, message)]);
            };
            if raw_body_hash(body) != body_hash(body) {
                notes.push(format!(
                    "{path}: the hash is that of the normalised text, not of the bytes: end the file with one LF and use no CRLF"
                ));
            }
            let mut entry = document.value.clone();
            entry["body_hash"] = body_hash(body).into();
            Ok(entry)
        })
        .collect()
}

/// The key under which a file's content stands: its only one, or the whole file for the memory policy.
fn vocabulary_part(path: &'static str, value: &Value) -> (&'static str, Value) {
    let key = match path {
        "vocabulary/capabilities.yml" => "capabilities",
        "vocabulary/categories.yml" => "categories",
        "vocabulary/resume-tiers.yml" => "resume_tiers",
        "vocabulary/tags.yml" => "tags",
        "vocabulary/invocations.yml" => "invocations",
        "vocabulary/task-exceptions.yml" => "task_exceptions",
        _ => return ("memory_policy", value.clone()),
    };
    let mut part = value[key].clone();
    if key == "invocations" {
        for entry in part.as_array_mut().into_iter().flatten() {
            let kept = INVOCATION_FIELDS.map(|field| (field.to_owned(), entry[field].clone()));
            *entry = Value::Object(kept.into_iter().collect());
        }
    }
    (key, part)
}

fn version(source: &Source, from: &Provenance, notes: &mut Vec<String>) -> String {
    let package = || {
        let text = source.text("package.json")?.ok()?;
        serde_json::from_str::<Value>(text).ok()?["version"].as_str().map(str::to_owned)
    };
    from.version.clone().or_else(package).unwrap_or_else(|| {
        notes.push(format!(
            "no version is known (no npm_package_version, no package.json): {NO_VERSION} stands for it"
        ));
        NO_VERSION.to_owned()
    })
}

fn commit(from: &Provenance, notes: &mut Vec<String>) -> String {
    let is_commit = |text: &String| {
        (7..=40).contains(&text.len()) && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    from.commit.clone().filter(is_commit).unwrap_or_else(|| {
        notes.push(format!("no commit is known (no GITHUB_SHA, no git): {NO_COMMIT} stands for it"));
        NO_COMMIT.to_owned()
    })
}
