//! What was decided before (D.14): active cards, principles, decisions in session logs.
//!
//! Holds: files that cannot be read are passed over, and work is bounded: this only helps to challenge. Private folders
//! and proposals are never opened.

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
};

use mi_gate::intake::KnownDecision;

/// Files that are looked at, the newest names first.
const MOST_FILES: usize = 20_000;
const MOST_BYTES: u64 = 64 * 1024;

/// Everything on record in a persona folder.
pub fn known_decisions(persona: &Path) -> Vec<KnownDecision> {
    let mut found = Vec::new();
    for path in files(&persona.join("cards")) {
        found.extend(read(&path).and_then(|text| card(&path, &text)));
    }
    let principles = persona.join("core/principles.md");
    found.extend(
        read(&principles).iter().flat_map(|text| lines("principles.md", body(text).lines().enumerate())),
    );
    for path in files(&persona.join("sessions")) {
        let name = path.strip_prefix(persona).unwrap_or(&path).display().to_string();
        found.extend(read(&path).iter().flat_map(|text| session(&name, text)));
    }
    found
}

/// Markdown files below a folder, without following links.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        for entry in entries.take(MOST_FILES) {
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && open.len() < MOST_FILES => open.push(path),
                Ok(kind) if kind.is_file() && path.extension().is_some_and(|end| end == "md") => {
                    found.push(path)
                }
                _ => {}
            }
        }
    }
    found.sort_by(|left, right| right.cmp(left));
    found.truncate(MOST_FILES);
    found
}

fn read(path: &Path) -> Option<String> {
    let mut text = Vec::new();
    fs::File::open(path).ok()?.take(MOST_BYTES).read_to_end(&mut text).ok()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

/// An active card by its id; text is what its front matter names and what it says.
fn card(path: &Path, text: &str) -> Option<KnownDecision> {
    let (front, rest) = split(text)?;
    let field = |name: &str| {
        let line = front.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        Some(line.trim().trim_matches(['"', '\'']).to_owned())
    };
    let status = field("status").unwrap_or_default();
    if !matches!(status.as_str(), "" | "active" | "accepted") {
        return None;
    }
    let stem = || path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let id = field("id").or_else(stem)?;
    let named: Vec<String> = ["title", "merge_key"].iter().filter_map(|name| field(name)).collect();
    Some(KnownDecision { id, text: format!("{}\n{rest}", named.join("\n")) })
}

/// The front matter between `---` lines, and what follows it.
fn split(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start_matches('\u{feff}').strip_prefix("---")?;
    text.split_once("\n---")
}

fn body(text: &str) -> &str {
    split(text).map_or(text, |(_, rest)| rest)
}

/// Lines below a heading about decisions, anchored or not.
fn session(name: &str, text: &str) -> Vec<KnownDecision> {
    let mut inside = false;
    let chosen = text.lines().enumerate().filter(|(_, line)| {
        if line.trim_start().starts_with('#') {
            let heading = line.to_lowercase();
            inside = ["decision", "决定", "决策"].iter().any(|word| heading.contains(word));
            return false;
        }
        inside
    });
    lines(name, chosen)
}

/// Each line with words is one decision.
fn lines<'a>(name: &str, lines: impl Iterator<Item = (usize, &'a str)>) -> Vec<KnownDecision> {
    lines
        .map(|(number, line)| (number, line.trim().trim_start_matches(['-', '*', '+', ' '])))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with(['#', '<']))
        .map(|(number, line)| KnownDecision { id: format!("{name}:{}", number + 1), text: line.to_owned() })
        .collect()
}
