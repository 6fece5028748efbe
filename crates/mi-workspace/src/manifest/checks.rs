//! G1 to G5, G5' and G6': what has a shape, and what names something that exists (NX-350 to NX-358).

use serde_json::Value;
use std::collections::BTreeMap;

use super::{
    Finding, Gate, Source,
    schemas::{Shape, VOCABULARY, misfits},
    source::Kind,
};
use mi_yaml::YamlNode;

/// The files that passed G1, as values.
#[derive(Debug, Default)]
pub(super) struct Checked {
    pub findings: Vec<Finding>,
    /// By folder name.
    pub agents: BTreeMap<String, Document>,
    pub skills: BTreeMap<String, Document>,
    /// All seven files, by path, or none of them.
    pub vocabulary: Option<BTreeMap<&'static str, Document>>,
}

/// One file that has its shape.
#[derive(Debug)]
pub(super) struct Document {
    pub path: String,
    pub node: YamlNode,
    pub value: Value,
}

pub(super) fn check(source: &Source) -> Checked {
    let mut checked = Checked::default();
    checked.agents = assets(source, "agents", Shape::Agent, &mut checked.findings);
    checked.skills = assets(source, "skills", Shape::Skill, &mut checked.findings);
    checked.vocabulary = vocabulary(source, &mut checked.findings);
    if let Some(vocabulary) = &checked.vocabulary {
        let findings = &mut checked.findings;
        for agent in checked.agents.values() {
            agent_names(agent, vocabulary, findings);
        }
        for skill in checked.skills.values() {
            skill_names(skill, vocabulary, findings);
        }
        capability_entries(&vocabulary["vocabulary/capabilities.yml"], findings);
        invocation_entries(&vocabulary["vocabulary/invocations.yml"], findings);
    }
    checked
}

fn assets(
    source: &Source,
    folder: &str,
    shape: Shape,
    findings: &mut Vec<Finding>,
) -> BTreeMap<String, Document> {
    let names: Vec<&str> =
        source.children(folder).filter(|(_, kind)| *kind == Kind::Folder).map(|(name, _)| name).collect();
    let mut found = BTreeMap::new();
    for name in names {
        if let Some(document) = document(source, &format!("{folder}/{name}/meta.yml"), shape, findings) {
            found.insert(name.to_owned(), document);
        }
        let body = format!("{folder}/{name}/body.md");
        if let Some(Err(reason)) = source.text(&body) {
            findings.push(Finding::error(Gate::Schema, &body, None, reason));
        }
    }
    found
}

/// A missing file is no error by the contract, yet the gates that need it cannot be asked, and that is said.
fn vocabulary(source: &Source, findings: &mut Vec<Finding>) -> Option<BTreeMap<&'static str, Document>> {
    let mut found = BTreeMap::new();
    for (path, shape) in VOCABULARY {
        if source.text(path).is_none() {
            let message =
                "the file is missing: gates G2 to G5, G5' and G6' were not asked and no manifest can be made";
            findings.push(Finding::warning(Gate::Schema, path, None, message));
        } else if let Some(document) = document(source, path, shape, findings) {
            found.insert(path, document);
        }
    }
    (found.len() == VOCABULARY.len()).then_some(found)
}

/// Reads a file and checks its shape; `None` when there is no such file or it is not as it should be.
fn document(source: &Source, path: &str, shape: Shape, findings: &mut Vec<Finding>) -> Option<Document> {
    let text = match source.text(path)? {
        Ok(text) => text,
        Err(reason) => {
            findings.push(Finding::error(Gate::Schema, path, None, reason));
            return None;
        }
    };
    let node = match mi_yaml::read_tree(text) {
        Ok(node) => node,
        Err(error) => {
            findings.push(Finding::error(
                Gate::Schema,
                path,
                Some(error.line),
                format!("not YAML: {}", error.message),
            ));
            return None;
        }
    };
    let value = node.to_value();
    let misfits = misfits(shape, &value);
    let is_whole = misfits.is_empty();
    findings.extend(misfits.into_iter().map(|misfit| {
        Finding::error(Gate::Schema, path, Some(node.line_of(&misfit.pointer)), misfit.message)
    }));
    is_whole.then(|| Document { path: path.to_owned(), node, value })
}

type Files = BTreeMap<&'static str, Document>;

/// The ids that a vocabulary file has under its one key.
fn ids<'v>(files: &'v Files, path: &str, key: &str) -> Vec<&'v str> {
    entries(&files[path].value, key).iter().filter_map(|entry| entry["id"].as_str()).collect()
}

fn entries<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value[key].as_array().map(Vec::as_slice).unwrap_or_default()
}

impl Document {
    fn unknown(&self, gate: Gate, pointer: &str, message: String) -> Finding {
        Finding::error(gate, &self.path, Some(self.node.line_of(pointer)), message)
    }
}

fn agent_names(agent: &Document, files: &Files, findings: &mut Vec<Finding>) {
    let known = ids(files, "vocabulary/capabilities.yml", "capabilities");
    for (at, capability) in entries(&agent.value, "capabilities").iter().enumerate() {
        let capability = capability.as_str().unwrap_or_default();
        if !known.contains(&capability) {
            let message = format!("the capability `{capability}` is not in vocabulary/capabilities.yml");
            findings.push(agent.unknown(Gate::Capability, &format!("/capabilities/{at}"), message));
        }
    }
    let singles = [
        ("category", "vocabulary/categories.yml", "categories", Gate::Category),
        ("resume_tier", "vocabulary/resume-tiers.yml", "resume_tiers", Gate::ResumeTier),
    ];
    for (field, path, key, gate) in singles {
        let value = agent.value[field].as_str().unwrap_or_default();
        if !ids(files, path, key).contains(&value) {
            let message = format!("the {field} `{value}` is not in {path}");
            findings.push(agent.unknown(gate, &format!("/{field}"), message));
        }
    }
}

fn skill_names(skill: &Document, files: &Files, findings: &mut Vec<Finding>) {
    let tags = entries(&files["vocabulary/tags.yml"].value, "tags");
    for (at, trigger) in entries(&skill.value, "triggers").iter().enumerate() {
        let trigger = trigger.as_str().unwrap_or_default();
        let message = match tags.iter().find(|tag| tag["id"] == trigger) {
            None => format!("the trigger `{trigger}` is not a tag of vocabulary/tags.yml"),
            Some(tag) if tag["type"] != "skill" => {
                format!("the trigger `{trigger}` is a tag of another type than `skill`")
            }
            Some(_) => continue,
        };
        findings.push(skill.unknown(Gate::Tag, &format!("/triggers/{at}"), message));
    }
}

fn is_snake(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_lowercase())
        && text.chars().all(|next| next.is_ascii_lowercase() || next.is_ascii_digit() || next == '_')
}

fn length(entry: &Value, field: &str) -> usize {
    entry[field].as_str().unwrap_or_default().trim().chars().count()
}

/// A gate, the file it looks at, and a place for what it finds.
struct EntryGate<'a> {
    gate: Gate,
    document: &'a Document,
    findings: &'a mut Vec<Finding>,
}

impl EntryGate<'_> {
    fn require(&mut self, holds: bool, pointer: &str, message: String) {
        if !holds {
            self.findings.push(self.document.unknown(self.gate, pointer, message));
        }
    }

    fn snake(&mut self, value: &Value, pointer: &str) {
        let text = value.as_str().unwrap_or_default();
        self.require(is_snake(text), pointer, format!("`{text}` is not snake_case"));
    }

    fn at_least(&mut self, entry: &Value, place: &str, field: &str, least: usize) {
        let count = length(entry, field);
        let message =
            format!("{field} has {count} characters without the space around it; {least} are needed");
        self.require(count >= least, &format!("{place}/{field}"), message);
    }
}

fn capability_entries(document: &Document, findings: &mut Vec<Finding>) {
    let mut gate = EntryGate { gate: Gate::CapabilityEntry, document, findings };
    for (at, entry) in entries(&document.value, "capabilities").iter().enumerate() {
        let place = format!("/capabilities/{at}");
        gate.snake(&entry["intent"], &format!("{place}/intent"));
        let classes = entries(entry, "blocks_semantic_classes");
        gate.require(!classes.is_empty(), &place, "it blocks no class".to_owned());
        for (number, class) in classes.iter().enumerate() {
            gate.snake(class, &format!("{place}/blocks_semantic_classes/{number}"));
        }
        gate.at_least(entry, &place, "prose_guidance", 40);
    }
}

fn invocation_entries(document: &Document, findings: &mut Vec<Finding>) {
    let mut gate = EntryGate { gate: Gate::InvocationEntry, document, findings };
    for (at, entry) in entries(&document.value, "invocations").iter().enumerate() {
        let place = format!("/invocations/{at}");
        gate.snake(&entry["intent"], &format!("{place}/intent"));
        gate.at_least(entry, &place, "prose_guidance", 40);
        gate.at_least(entry, &place, "fallback_behavior", 20);
        for (number, param) in entries(entry, "semantic_params").iter().enumerate() {
            gate.snake(&param["name"], &format!("{place}/semantic_params/{number}/name"));
        }
    }
}
