//! What a model is shown of a project: the names of its files, and the texts that the task most likely touches.

use mi_loop::project::{self, ProjectFiles};
use mi_mind::Section;
use std::{fs, path::Path};

const MOST_NAMES: usize = 2_000;
const MOST_TEXTS: usize = 40;
const TEXT_BYTES: u64 = 24_000;

/// The project as sections of a prompt, the most important first.
pub(super) fn sections(work: &Path, task: &str) -> Vec<Section> {
    let names = names(work);
    if names.is_empty() {
        return vec![Section::evidence("files of the project", 2, "There are none yet.")];
    }
    let mut sections = vec![Section::evidence("files of the project", 2, names.join("\n"))];
    let is_named = |name: &str| {
        let last = name.rsplit('/').next().unwrap_or(name);
        task.contains(name) || task.contains(last)
    };
    let (named, others): (Vec<&String>, Vec<&String>) = names.iter().partition(|name| is_named(name));
    for (priority, name) in
        named.into_iter().map(|name| (3, name)).chain(others.into_iter().map(|name| (6, name)))
    {
        if sections.len() > MOST_TEXTS {
            break;
        }
        sections
            .extend(text(work, name).map(|text| Section::evidence(format!("file {name}"), priority, text)));
    }
    sections
}

/// The command that the project's files name as their check.
pub(super) fn main_check(work: &Path) -> Option<String> {
    let names = names(work);
    let texts = names
        .iter()
        .filter(|name| project::wanted_text(name))
        .filter_map(|name| Some((name.clone(), text(work, name)?)))
        .collect();
    let files = ProjectFiles { root: work.display().to_string(), names, texts, has_inline_tests: false };
    project::profile(&files).main_check().map(|check| check.command.clone())
}

/// Every file, sorted; folders of tools are left out.
fn names(work: &Path) -> Vec<String> {
    let mut names = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(work.join(&folder)).into_iter().flatten().flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && name != ".git" && path != ".mi/make" => folders.push(path),
                Ok(kind) if kind.is_file() => names.push(path),
                _ => {}
            }
        }
        if names.len() > MOST_NAMES {
            break;
        }
    }
    names.sort();
    names.truncate(MOST_NAMES);
    names
}

fn text(work: &Path, name: &str) -> Option<String> {
    let path = work.join(name);
    let is_small = fs::metadata(&path).is_ok_and(|known| known.len() <= TEXT_BYTES);
    fs::read_to_string(path).ok().filter(|text| is_small && !text.contains('\0'))
}
