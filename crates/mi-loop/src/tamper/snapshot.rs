//! Expected data that a program wrote: snapshots, golden and approved files.
//!
//! Kept as one number for each entry. An entry that expects something else is a sign; a new or a moved one is none.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    ENTRIES_KEPT, NAME_KEPT, TamperKind, TamperSign,
    compare::{Inventories, shown},
    strength::fingerprint,
    wish::Wish,
};

/// Whether the file holds expected data by its name.
pub(super) fn is_expected_data(path: &str) -> bool {
    const PARTS: [&str; 6] = ["golden", "snapshot", "approved", "expected", "verified", "baseline"];
    let path = path.to_lowercase();
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let is_source = [".py", ".rs", ".js", ".ts", ".tsx", ".jsx", ".go", ".java", ".rb", ".cs", ".md"]
        .iter()
        .any(|end| name.ends_with(end));
    let words = |text: &str| -> Vec<String> {
        text.split(|char: char| !char.is_alphanumeric()).map(str::to_owned).collect()
    };
    let named = |text: &str| words(text).iter().any(|word| PARTS.iter().any(|part| word.starts_with(part)));
    name.ends_with(".snap") || !is_source && (named(folders) || named(name))
}

/// The entries of a file of expected data; the whole file is one unless it names them.
pub(super) fn entries(content: &str) -> BTreeMap<String, u32> {
    let mut found = BTreeMap::new();
    for part in content.split("\nexports[`").skip(1) {
        let Some((name, value)) = part.split_once("`] = ") else { continue };
        if found.len() < ENTRIES_KEPT {
            found.insert(name[..name.floor_char_boundary(NAME_KEPT)].to_owned(), fingerprint(plain(value)));
        }
    }
    if found.is_empty() {
        found.insert(String::new(), fingerprint(plain(without_header(content))));
    }
    found
}

/// The value without the quotes and the end of its statement.
fn plain(value: &str) -> &str {
    value.trim().trim_end_matches(';').trim_matches('`').trim().trim_matches('"')
}

/// What insta writes above a snapshot says where it comes from, not what is expected.
fn without_header(content: &str) -> &str {
    let header = content.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
    header.map_or(content, |(_, body)| body)
}

/// Entries that expect something else than before, or are gone.
pub(super) fn rewritten(before: &Inventories, after: &Inventories, wish: &Wish) -> Vec<TamperSign> {
    let now: BTreeSet<u32> = after.values().flat_map(|file| file.data.values().copied()).collect();
    let mut signs = Vec::new();
    for (path, file) in before {
        let new = after.get(path).map(|file| &file.data);
        let changed: Vec<&str> = file
            .data
            .iter()
            .filter(|(name, value)| {
                let current = new.and_then(|new| new.get(*name));
                let is_claimed = current.is_some_and(|value| wish.claims_value(*value));
                current != Some(value) && !now.contains(value) && !is_claimed && !wish.allows_data(path, name)
            })
            .map(|(name, _)| if name.is_empty() { path.as_str() } else { name.as_str() })
            .collect();
        if !changed.is_empty() {
            let what = format!("expected data rewritten: {}", shown(&changed));
            signs.push(TamperSign { kind: TamperKind::ExpectedData, path: path.clone(), what });
        }
    }
    signs
}
