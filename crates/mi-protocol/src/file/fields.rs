//! One mapping of the file, read key by key: unknown keys, missing keys and wrong types are said where they stand.

use super::{Named, Source};
use crate::{
    problem::{Kind, Place, Problems, listed},
    tree::{Content, Core, Key, Tree},
};

/// A key and the other names it goes by.
pub type KeyName = (&'static str, &'static [&'static str]);

pub struct Fields<'t> {
    keys: &'static [KeyName],
    /// The value of each key, in the order of `keys`.
    found: Vec<Option<&'t Tree>>,
    pub place: Place,
    what: &'static str,
}

impl<'t> Fields<'t> {
    /// The entries of a mapping; keys that are not known are reported.
    pub fn of(
        tree: &'t Tree,
        what: &'static str,
        keys: &'static [KeyName],
        problems: &mut Problems,
    ) -> Option<Self> {
        let Content::Map(entries) = &tree.content else {
            let message = format!("{what} is a mapping, and this is {}", tree.told());
            let names = keys.iter().map(|(name, _)| *name);
            problems.add(Kind::Type, tree.place, message, format!("its keys are {}", listed(names)));
            return None;
        };
        let mut found: Vec<Option<&'t Tree>> = vec![None; keys.len()];
        for (key, value) in entries {
            let known = keys
                .iter()
                .position(|(name, aliases)| *name == key.text || aliases.contains(&key.text.as_str()));
            match known {
                None => unknown_key(key, what, keys, problems),
                Some(at) if found[at].is_some() => {
                    let message =
                        format!("`{}` is another name of `{}`, which stands here too", key.text, keys[at].0);
                    problems.add(Kind::Yaml, key.place, message, "keep one of them");
                }
                Some(at) => found[at] = Some(value),
            }
        }
        Some(Self { keys, found, place: tree.place, what })
    }

    /// The value of a key, under any of its names.
    pub fn get(&self, name: &str) -> Option<&'t Tree> {
        self.keys.iter().position(|(known, _)| *known == name).and_then(|at| self.found[at])
    }

    pub fn need(&self, name: &str, problems: &mut Problems) -> Option<&'t Tree> {
        let found = self.get(name);
        if found.is_none() {
            let message = format!("{} needs `{name}`", self.what);
            problems.add(Kind::MissingKey, self.place, message, format!("add `{name}: …`"));
        }
        found
    }

    pub fn named(&self, name: &str, problems: &mut Problems) -> Option<Named> {
        named(self.need(name, problems)?, problems)
    }

    pub fn text(&self, name: &str, problems: &mut Problems) -> Option<String> {
        Some(named(self.get(name)?, problems)?.text)
    }

    pub fn boolean(&self, name: &str, problems: &mut Problems) -> Option<bool> {
        let tree = self.get(name)?;
        match core(tree) {
            Some(Core::Bool(value)) => Some(value),
            _ => wrong(tree, "true or false", problems),
        }
    }

    pub fn integer(&self, name: &str, problems: &mut Problems) -> Option<i64> {
        let tree = self.need(name, problems)?;
        match core(tree) {
            Some(Core::Integer(value)) => Some(value),
            _ => wrong(tree, "an integer", problems),
        }
    }

    pub fn number(&self, name: &str, problems: &mut Problems) -> Option<f64> {
        let tree = self.get(name)?;
        match core(tree) {
            #[expect(clippy::cast_precision_loss, reason = "bounds and durations are numbers")]
            Some(Core::Integer(value)) => Some(value as f64),
            Some(Core::Number(value)) => Some(value),
            _ => wrong(tree, "a number", problems),
        }
    }

    /// One of a list of words.
    pub fn word<T: Copy>(
        &self,
        name: &str,
        words: &[(&'static str, T)],
        problems: &mut Problems,
    ) -> Option<(T, Place)> {
        let tree = self.get(name)?;
        let word = named(tree, problems)?;
        match words.iter().find(|(known, _)| *known == word.text) {
            Some((_, value)) => Some((*value, word.place)),
            None => {
                bad_word(&word, name, words.iter().map(|(word, _)| *word), problems);
                None
            }
        }
    }

    pub fn needed_word<T: Copy>(
        &self,
        name: &str,
        words: &[(&'static str, T)],
        problems: &mut Problems,
    ) -> Option<T> {
        self.need(name, problems)?;
        self.word(name, words, problems).map(|(value, _)| value)
    }

    /// The items of a list; none when the key is not there.
    pub fn list(&self, name: &str, problems: &mut Problems) -> &'t [Tree] {
        self.get(name).map(|tree| items(tree, problems)).unwrap_or_default()
    }

    /// What the items of a list say.
    pub fn each<T>(
        &self,
        name: &str,
        read: fn(&Tree, &mut Problems) -> Option<T>,
        problems: &mut Problems,
    ) -> Vec<T> {
        self.list(name, problems).iter().filter_map(|item| read(item, problems)).collect()
    }

    pub fn names(&self, name: &str, problems: &mut Problems) -> Vec<Named> {
        let Some(tree) = self.get(name) else { return Vec::new() };
        items(tree, problems).iter().filter_map(|item| named(item, problems)).collect()
    }

    pub fn texts(&self, name: &str, problems: &mut Problems) -> Vec<String> {
        self.names(name, problems).into_iter().map(|named| named.text).collect()
    }
}

fn unknown_key(key: &Key, what: &str, keys: &'static [KeyName], problems: &mut Problems) {
    let hint = problems.suggestion(&key.text, keys.iter().map(|(name, _)| *name));
    problems.add(Kind::UnknownKey, key.place, format!("{what} has no key `{}`", key.text), hint);
}

/// "`x` is no such word": the allowed ones are listed, the nearest first.
pub fn bad_word<'n>(
    word: &Named,
    of: &str,
    known: impl Iterator<Item = &'n str> + Clone,
    problems: &mut Problems,
) {
    let all = listed(known.clone());
    let near = problems.suggestion(&word.text, known);
    let hint = if near == all { all } else { format!("{near} {all}") };
    problems.add(Kind::BadValue, word.place, format!("`{of}` is never `{}`", word.text), hint);
}

pub fn core(tree: &Tree) -> Option<Core<'_>> {
    match &tree.content {
        Content::Scalar(scalar) => Some(scalar.core()),
        _ => None,
    }
}

pub fn wrong<T>(tree: &Tree, wanted: &str, problems: &mut Problems) -> Option<T> {
    let hint = match core(tree) {
        Some(Core::Integer(_) | Core::Number(_) | Core::Bool(_)) if wanted == "a string" => {
            "put it in quotes"
        }
        _ => "see `mi protocol schema`",
    };
    problems.add(
        Kind::Type,
        tree.place,
        format!("{wanted} is wanted here, and this is {}", tree.told()),
        hint,
    );
    None
}

/// A string that is not blank.
pub fn named(tree: &Tree, problems: &mut Problems) -> Option<Named> {
    match core(tree) {
        Some(Core::Text(text)) if text.trim().is_empty() => {
            problems.add(
                Kind::BadValue,
                tree.place,
                "the string is empty",
                "write something or leave the key out",
            );
            None
        }
        Some(Core::Text(text)) => Some(Named { text: text.to_owned(), place: tree.place }),
        _ => wrong(tree, "a string", problems),
    }
}

/// An expression: a string, or `true` and `false` as YAML reads them.
pub fn source(tree: &Tree, problems: &mut Problems) -> Option<Source> {
    match (&tree.content, core(tree)) {
        (Content::Scalar(scalar), Some(Core::Text(_) | Core::Bool(_))) => {
            Some(Source { scalar: scalar.clone(), place: tree.place })
        }
        _ => wrong(tree, "a string", problems),
    }
}

pub fn items<'t>(tree: &'t Tree, problems: &mut Problems) -> &'t [Tree] {
    match &tree.content {
        Content::List(items) => items,
        Content::Scalar(scalar) if scalar.core() == Core::Null => &[],
        _ => {
            wrong::<()>(tree, "a list", problems);
            &[]
        }
    }
}
