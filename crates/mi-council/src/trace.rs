//! Requirement → spec → code → test → commit → delivery, and what is missing.
//!
//! Ids are `PROJ-CAT-###`. A project may name families of short ids too (`NX` for `NX-042`). A test's name carries an
//! id in small letters: `chorus_int_004_…`, `nx_042_…`, or several: `nx_004_020_…`.

use mi_model::goal_ids;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Where an id can be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    Spec,
    Code,
    Test,
    Commit,
    Delivery,
}

impl Place {
    pub const ALL: [Self; 5] = [Self::Spec, Self::Code, Self::Test, Self::Commit, Self::Delivery];

    /// What a file is, by its path.
    pub fn of_path(path: &str) -> Self {
        let lower = path.to_ascii_lowercase();
        let parts: Vec<&str> = lower.split('/').collect();
        let (name, folders) = parts.split_last().map_or(("", &[][..]), |(name, folders)| (*name, folders));
        let stem = name.split('.').next().unwrap_or_default();
        let is_test =
            folders.iter().any(|folder| ["test", "tests", "spec_tests", "__tests__"].contains(folder))
                || stem.starts_with("test_")
                || stem.ends_with("_test")
                || stem == "tests"
                || name.contains(".test.")
                || name.contains(".spec.");
        let is_text = [".md", ".txt", ".rst", ".adoc"].iter().any(|ending| name.ends_with(ending));
        match (is_test, is_text) {
            (true, false) => Self::Test,
            (_, true) => Self::Spec,
            (false, false) => Self::Code,
        }
    }
}

/// One requirement and where it is met.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Traced {
    pub id: String,
    pub places: BTreeMap<Place, BTreeSet<String>>,
    pub missing: Vec<Place>,
}

/// Collects ids.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    families: Vec<String>,
    found: BTreeMap<String, BTreeMap<Place, BTreeSet<String>>>,
    /// Tests whose names read like an id: they cite it only if it stands somewhere (`up_to_nx_380` cites no `TO-NX-380`).
    named: BTreeMap<String, BTreeSet<String>>,
}

impl Trace {
    /// `families` are the prefixes of short ids, such as `NX`.
    pub fn new(families: &[String]) -> Self {
        let families =
            families.iter().map(|family| family.trim_end_matches('-').to_ascii_uppercase()).collect();
        Self { families, ..Self::default() }
    }

    /// Looks for ids in a text that was found at `source`, such as `src/a.rs`; a line number is added.
    pub fn add_file(&mut self, path: &str, text: &str) {
        let place = Place::of_path(path);
        for (index, line) in text.lines().enumerate() {
            let source = || format!("{path}:{}", index + 1);
            for id in goal_ids(line).into_iter().chain(self.short_ids(line)) {
                let inside = if place == Place::Code && line.trim_start().starts_with("fn ") {
                    Place::Test
                } else {
                    place
                };
                self.add(&id, inside, &source());
            }
            for id in self.test_ids(line) {
                self.named.entry(id).or_default().insert(source());
            }
        }
    }

    /// Looks for ids in a commit or a delivery.
    pub fn add_text(&mut self, place: Place, source: &str, text: &str) {
        for id in goal_ids(text).into_iter().chain(self.short_ids(text)) {
            self.add(&id, place, source);
        }
    }

    /// Notes that an id stands somewhere.
    pub fn add(&mut self, id: &str, place: Place, source: &str) {
        let places = self.found.entry(id.to_owned()).or_default();
        places.entry(place).or_default().insert(source.to_owned());
    }

    fn short_ids(&self, text: &str) -> Vec<String> {
        if self.families.is_empty() {
            return Vec::new();
        }
        let is_part = |char: char| char.is_ascii_alphanumeric() || char == '-' || char == '.';
        let words = text.split(|char: char| !is_part(char)).map(|word| word.trim_end_matches('.'));
        words.filter_map(|word| self.short_id(word.split_once(['-', '.'])?)).collect()
    }

    fn short_id(&self, (family, number): (&str, &str)) -> Option<String> {
        let known = self.families.iter().any(|known| known == family);
        let is_number = (1..=4).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit());
        (known && is_number).then(|| format!("{family}-{number}"))
    }

    /// `fn nx_042_…` and `def test_chorus_int_004_…`.
    fn test_ids(&self, line: &str) -> Vec<String> {
        let trimmed = line.trim_start();
        let after = ["fn ", "pub fn ", "async fn ", "def ", "func ", "function "]
            .iter()
            .find_map(|word| trimmed.strip_prefix(word));
        let Some(name) = after else { return Vec::new() };
        let name: String =
            name.chars().take_while(|char| char.is_ascii_alphanumeric() || *char == '_').collect();
        let upper = name.to_ascii_uppercase();
        let parts: Vec<&str> = upper.split('_').collect();
        let (mut found, mut stem): (Vec<String>, Option<String>) = (Vec::new(), None);
        for (at, part) in parts.iter().enumerate() {
            // `nx_004_020_…` cites two requirements of one family, `mi_council_006_007_…` two of one category.
            let numbered = part.bytes().all(|byte| byte.is_ascii_digit());
            if !numbered || part.is_empty() {
                let category = at.checked_sub(1).map(|before| format!("{}-{part}", parts[before]));
                stem = match self.families.iter().any(|family| family == part) {
                    true => Some((*part).to_owned()),
                    false => category,
                };
            } else if let Some(stem) = &stem {
                let id = format!("{stem}-{part}");
                let is_id = self.short_id((stem, part)).is_some() || goal_ids(&id) == [id.clone()];
                found.extend(is_id.then_some(id));
            }
        }
        found
    }

    /// Every id with what is missing; only the places that matter to `wanted` are asked for.
    pub fn finish(&self, wanted: &[Place]) -> Vec<Traced> {
        let mut found = self.found.clone();
        for (id, sources) in &self.named {
            if found.contains_key(id) || id.matches('-').count() == 1 {
                let tests = found.entry(id.clone()).or_default().entry(Place::Test).or_default();
                tests.extend(sources.iter().cloned());
            }
        }
        let traced = |(id, places): (String, BTreeMap<Place, BTreeSet<String>>)| {
            let missing = wanted.iter().copied().filter(|place| !places.contains_key(place)).collect();
            Traced { id, places, missing }
        };
        found.into_iter().map(traced).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An id is followed from the specification to the delivery, and gaps are named.
    #[test]
    fn rule_t_a_requirement_is_followed_to_its_delivery() {
        let mut trace = Trace::new(&["NX".to_owned()]);
        trace.add_file("docs/spec.md", "CHORUS-INT-004: beats\nNX-042 lists tasks\nSHA-256, UTF-8");
        trace.add_file("src/beat.rs", "// REQ: CHORUS-INT-004");
        trace.add_file("src/list.rs", "    fn nx_042_lists() {}");
        trace.add_file("tests/beat.py", "def test_chorus_int_004_beats():");
        trace.add_text(Place::Commit, "abc", "feat: CHORUS-INT-004 beats");
        trace.add_text(Place::Delivery, "P-1", "CHORUS-INT-004");
        let traced = trace.finish(&Place::ALL);
        let shown: Vec<(&str, &[Place])> =
            traced.iter().map(|one| (one.id.as_str(), one.missing.as_slice())).collect();
        assert_eq!(
            shown,
            [("CHORUS-INT-004", &[][..]), ("NX-042", &[Place::Code, Place::Commit, Place::Delivery][..])]
        );
        assert!(traced[0].places[&Place::Test].contains("tests/beat.py:1"));
    }

    /// A test's name may cite several numbers; nothing is made up from the parts between them.
    #[test]
    fn rule_t_a_test_may_cite_several_requirements() {
        let mut trace = Trace::new(&["NX".to_owned(), "D".to_owned()]);
        trace.add_file("docs/spec.md", "MI-COUNCIL-006 and MI-COUNCIL-007");
        for name in [
            "nx_004_nx_020_021_files",
            "d_17_gate",
            "mi_council_006_007_votes",
            "x_86_64_builds",
            "up_to_nx_380",
            "a_to_z_26_letters",
        ] {
            trace.add_file("tests/a.rs", &format!("fn {name}() {{"));
        }
        let found: Vec<String> = trace.finish(&[]).into_iter().map(|one| one.id).collect();
        assert_eq!(
            found,
            ["D-17", "MI-COUNCIL-006", "MI-COUNCIL-007", "NX-004", "NX-020", "NX-021", "NX-380"]
        );
    }
}
