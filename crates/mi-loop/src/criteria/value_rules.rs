//! Values of the person that can be looked at: "never change files in migrations/", "every change has a test".

use super::{
    Criterion, CriterionKind,
    named_things::{NameKind, named_things},
};
use crate::project::documents;

/// The criteria that the person's values add to a task which changes something.
pub fn value_criteria(values: &str, task: &str) -> Vec<Criterion> {
    let task = task.to_lowercase();
    // A task that asks for a package is an exception from the value.
    let asks_for_package =
        ["dependenc", "install ", "the package", "a package", "library", "依赖", "abhängigkeit"]
            .iter()
            .any(|word| task.contains(word));
    let rules = values.lines().flat_map(|line| line.split(". ")).filter_map(read_rule);
    rules.filter(|rule| rule.kind != CriterionKind::NoNewDependencies || !asks_for_package).collect()
}

fn read_rule(sentence: &str) -> Option<Criterion> {
    let text = sentence.trim().trim_end_matches(['.', '。']);
    let lower = text.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let names = named_things(text);
    let path = names
        .iter()
        .find(|name| name.kind == NameKind::Path || name.text.ends_with('/'))
        .map(|name| name.text.clone());
    let path = path.or_else(|| folder(text));
    let forbids = has(&[
        "never change",
        "never edit",
        "never touch",
        "never modify",
        "do not change",
        "do not touch",
        "don't touch",
        "don't change",
        "do not edit",
        "不要改",
        "不要修改",
        "不要动",
        "nie ändern",
    ]);
    let always = has(&[
        "always", "every", "each", "keep", "must", "每次", "每个", "必须", "immer", "jede", "siempre",
        "toujours",
    ]);
    let kind = match path {
        Some(path) if forbids => CriterionKind::Untouched(path.trim_end_matches('/').to_owned()),
        Some(path) if always && documents::is_document(&path) => {
            CriterionKind::Document { path, says: Vec::new(), no_longer: Vec::new() }
        }
        _ if forbids_dependencies(&lower) => CriterionKind::NoNewDependencies,
        None if always && has(&["changelog", "变更日志"]) => CriterionKind::Document {
            path: "CHANGELOG.md".to_owned(),
            says: Vec::new(),
            no_longer: Vec::new(),
        },
        _ if always
            && has(&[
                "needs a test",
                "has a test",
                "have a test",
                "with a test",
                "a test for",
                "add a test",
                "need tests",
                "要有测试",
                "写测试",
                "einen test",
            ]) =>
        {
            CriterionKind::NewTests
        }
        _ => return None,
    };
    Some(Criterion { is_value: true, ..Criterion::new(text, kind) })
}

/// "Avoid new dependencies", "no new packages": said plainly, without a condition.
fn forbids_dependencies(lower: &str) -> bool {
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    has(&["dependenc", "packages", "librar", "依赖", "abhängigkeit", "dependencia", "dépendance"])
        && has(&[
            "no new",
            "never add",
            "avoid",
            "do not add",
            "don't add",
            "without new",
            "keine neuen",
            "不要",
            "不加",
            "避免",
        ])
        && !has(&["unless", "ask", "if ", "without asking", "除非", "先问", "außer"])
}

/// A folder that is written with its slash: `migrations/`.
fn folder(text: &str) -> Option<String> {
    let word = text
        .split_whitespace()
        .map(|word| word.trim_matches(['`', '"', ',', '.']))
        .find(|word| word.ends_with('/') && word.len() > 1)?;
    Some(word.to_owned())
}
