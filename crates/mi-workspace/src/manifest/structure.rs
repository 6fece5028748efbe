//! G8 to G11: nothing but prompts, in folders of one shape, under ids and triggers that agree (NX-366 to NX-369).

use serde_json::Value;

use super::{Finding, Gate, Source, source::Kind};

const PROGRAMS: [&str; 6] = [".ts", ".tsx", ".js", ".jsx", ".cjs", ".mjs"];
const TAGS: &str = "vocabulary/tags.yml";

pub(super) fn check(source: &Source) -> Vec<Finding> {
    let mut findings = prompt_only(source);
    for folder in ["agents", "skills"] {
        directory_strict(source, folder, &mut findings);
    }
    for folder in ["agents", "skills"] {
        id_match(source, folder, &mut findings);
    }
    tag_triggers(source, &mut findings);
    findings
}

fn prompt_only(source: &Source) -> Vec<Finding> {
    let is_program = |path: &str| PROGRAMS.iter().any(|ending| path.ends_with(ending));
    source
        .entries()
        .filter(|(path, kind)| *kind == Kind::File && is_program(path) && !path.starts_with("scripts/"))
        .map(|(path, _)| {
            let message = "programs belong in scripts/; everything else here is text for agents";
            Finding::error(Gate::PromptOnly, path, None, message)
        })
        .collect()
}

fn directory_strict(source: &Source, folder: &str, findings: &mut Vec<Finding>) {
    let mut say = |file: String, message: String| {
        findings.push(Finding::error(Gate::DirectoryStrict, &file, None, message));
    };
    for (name, kind) in source.children(folder) {
        let path = format!("{folder}/{name}");
        if kind == Kind::File {
            say(path, format!("{folder}/ holds folders only"));
            continue;
        }
        for (child, kind) in source.children(&path) {
            if kind == Kind::Folder || !["body.md", "meta.yml"].contains(&child) {
                say(format!("{path}/{child}"), "only body.md and meta.yml belong here".to_owned());
            }
        }
        for needed in ["body.md", "meta.yml"] {
            if !source.children(&path).any(|(child, kind)| child == needed && kind == Kind::File) {
                say(path.clone(), format!("{needed} is missing"));
            }
        }
    }
}

fn is_kebab(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_lowercase())
        && text.chars().all(|next| next.is_ascii_lowercase() || next.is_ascii_digit() || next == '-')
}

fn id_match(source: &Source, folder: &str, findings: &mut Vec<Finding>) {
    for (name, _) in source.children(folder).filter(|(_, kind)| *kind == Kind::Folder) {
        let path = format!("{folder}/{name}/meta.yml");
        let mut say =
            |line, message: String| findings.push(Finding::error(Gate::IdMatch, &path, line, message));
        if !is_kebab(name) {
            say(None, format!("the folder name `{name}` is not kebab-case"));
        }
        let Some(text) = source.text(&path) else { continue };
        let Ok(node) = text.map_err(|_| ()).and_then(|text| mi_yaml::read_tree(text).map_err(|_| ())) else {
            say(None, "the id cannot be compared: the file is not readable YAML".to_owned());
            continue;
        };
        let line = Some(node.line_of("/id"));
        match &node.to_value()["id"] {
            Value::String(id) if id != name => {
                say(line, format!("the id `{id}` is not the folder name `{name}`"))
            }
            Value::String(id) if !is_kebab(id) => say(line, format!("the id `{id}` is not kebab-case")),
            Value::String(_) => {}
            _ => say(line, "the id is not a text".to_owned()),
        }
    }
}

fn tag_triggers(source: &Source, findings: &mut Vec<Finding>) {
    let mut say =
        |line, message: String| findings.push(Finding::error(Gate::TagTrigger, TAGS, line, message));
    let node = match source.text(TAGS) {
        None => return say(None, "the file is missing".to_owned()),
        Some(Err(reason)) => return say(None, reason.to_owned()),
        Some(Ok(text)) => match mi_yaml::read_tree(text) {
            Ok(node) => node,
            Err(error) => return say(Some(error.line), format!("not YAML: {}", error.message)),
        },
    };
    let value = node.to_value();
    let Some(tags) = value["tags"].as_array() else {
        return say(None, "there is no list `tags`".to_owned());
    };
    for (at, tag) in tags.iter().enumerate() {
        let (Some(id), Some(trigger)) = (tag["id"].as_str(), tag["trigger"].as_str()) else {
            say(Some(node.line_of(&format!("/tags/{at}"))), "a tag has an id and a trigger".to_owned());
            continue;
        };
        let wanted = format!("[{}]", id.replace('-', ":"));
        if trigger != wanted {
            let line = Some(node.line_of(&format!("/tags/{at}/trigger")));
            say(line, format!("the trigger of `{id}` is `{trigger}`; it has to be `{wanted}`"));
        }
    }
}
