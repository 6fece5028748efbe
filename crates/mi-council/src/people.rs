//! Who is meant by a name.
//!
//! Names are compared NFKC-normalised, trimmed (also of doubled spaces) and case-folded; a name with characters that nobody sees is refused,
//! because it would look like somebody else's. Aliases say which names are one person.
//! Holds: folding a folded name changes nothing.
//! Requirements: MI-COUNCIL-004.

use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fmt};
use unicode_normalization::UnicodeNormalization;

/// No name of a person is longer.
const MOST_CHARACTERS: usize = 100;

/// One person, by the folded form of a name.
///
/// A name that is read from a log or a packet must be in that form already: two spellings of it would be two people.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Person(String);

impl From<Person> for String {
    fn from(person: Person) -> Self {
        person.0
    }
}

impl TryFrom<String> for Person {
    type Error = NameError;

    fn try_from(text: String) -> Result<Self, NameError> {
        let person = Self::named(&text)?;
        if person.0 == text { Ok(person) } else { Err(NameError::NotFolded { folded: person }) }
    }
}

/// Why a text is nobody's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    #[error("the name is empty")]
    Empty,
    #[error(
        "the name has a character that cannot be seen (U+{code:04X}): control, zero-width and bidi characters are refused"
    )]
    Hidden { code: u32 },
    #[error("the name is longer than {MOST_CHARACTERS} characters")]
    TooLong,
    #[error("the name is another spelling of `{folded}`")]
    NotFolded { folded: Person },
}

impl Person {
    /// The person whom a text names.
    pub fn named(text: &str) -> Result<Self, NameError> {
        if let Some(hidden) = text.chars().find(|char| is_hidden(*char)) {
            return Err(NameError::Hidden { code: hidden.into() });
        }
        let folded = fold(text);
        match folded.chars().count() {
            0 => Err(NameError::Empty),
            length if length > MOST_CHARACTERS => Err(NameError::TooLong),
            _ => Ok(Self(folded)),
        }
    }

    /// The person of a name that was folded before.
    pub(crate) fn folded(name: &str) -> Self {
        Self(name.to_owned())
    }

    /// The folded name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Person {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Folding can bring forth what normalisation changes again, so both are repeated until nothing moves.
fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase().split_ascii_whitespace().collect::<Vec<_>>().join(" ");
    }
    let mut folded = text.to_owned();
    for _ in 0..4 {
        let normal: String = folded.nfkc().collect();
        let next: String = caseless::default_case_fold_str(normal.trim()).nfkc().collect();
        let next = next.split_whitespace().collect::<Vec<_>>().join(" ");
        if next == folded {
            break;
        }
        folded = next;
    }
    folded
}

/// Control, format, zero-width, bidi, filler and tag characters, and the line separators.
fn is_hidden(char: char) -> bool {
    char.is_control()
        || matches!(u32::from(char),
            0x00AD | 0x034F | 0x061C | 0x070F | 0x115F | 0x1160 | 0x17B4 | 0x17B5 | 0x180B..=0x180F
            | 0x200B..=0x200F | 0x2028..=0x202E | 0x2060..=0x206F | 0x2800 | 0x3164 | 0xFE00..=0xFE0F | 0xFEFF
            | 0xFFA0 | 0xFFF0..=0xFFFB | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A | 0xE0000..=0xE0FFF)
}

/// Which names are one person: `[council.aliases] alice = ["al"]`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Aliases {
    of: BTreeMap<Person, Person>,
}

/// Why a table of aliases cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AliasError {
    #[error("`council.aliases` has `{text}`: {source}")]
    Name { text: String, source: NameError },
    #[error("`council.aliases` gives `{alias}` to both `{first}` and `{second}`")]
    Twice { alias: Person, first: Person, second: Person },
    #[error("`council.aliases` leads from `{alias}` back to itself")]
    Circle { alias: Person },
}

impl Aliases {
    /// Reads a table of names and their other spellings.
    pub fn new(table: &BTreeMap<String, Vec<String>>) -> Result<Self, AliasError> {
        let read = |text: &str| {
            Person::named(text).map_err(|source| AliasError::Name { text: text.to_owned(), source })
        };
        let mut aliases = Self::default();
        for (name, others) in table {
            let person = read(name)?;
            for other in others {
                let alias = read(other)?;
                if alias == person {
                    continue;
                }
                match aliases.of.insert(alias.clone(), person.clone()) {
                    Some(first) if first != person => {
                        return Err(AliasError::Twice { alias, first, second: person });
                    }
                    _ => {}
                }
            }
        }
        let circle = aliases.of.keys().find(|alias| aliases.of.contains_key(&aliases.person(alias)));
        match circle {
            Some(alias) => Err(AliasError::Circle { alias: alias.clone() }),
            None => Ok(aliases),
        }
    }

    /// The one person behind a name, through as many aliases as there are.
    pub fn person(&self, name: &Person) -> Person {
        let mut person = name;
        for _ in 0..=self.of.len() {
            match self.of.get(person) {
                Some(next) => person = next,
                None => break,
            }
        }
        person.clone()
    }

    /// The pairs in force, for a digest of what a cached state was made with.
    pub fn pairs(&self) -> impl Iterator<Item = (&Person, &Person)> {
        self.of.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(left: &str, right: &str) -> bool {
        Person::named(left).unwrap() == Person::named(right).unwrap()
    }

    /// One person in many spellings; different people stay apart.
    #[test]
    fn mi_council_004_spellings_of_one_name_are_one_person() {
        for (left, right) in [
            ("Alice", " alice "),
            ("ＡＬＩＣＥ", "alice"),
            ("Straße", "STRASSE"),
            ("ﬁona", "Fiona"),
            ("Ａ\u{301}", "\u{e1}"),
            ("ΣΊΣΥΦΟΣ", "σίσυφος"),
            ("\u{a0}bob\u{3000}", "bob"),
            ("bob\u{2003} smith", "Bob Smith"),
        ] {
            assert!(same(left, right), "{left} {right}");
        }
        assert!(!same("alice", "аlice"), "a Cyrillic letter is another letter");
    }

    /// What cannot be seen is refused, wherever it stands.
    #[test]
    fn mi_council_004_hidden_characters_are_refused() {
        for hidden in [
            '\u{0}',
            '\n',
            '\t',
            '\u{7f}',
            '\u{200b}',
            '\u{200d}',
            '\u{202e}',
            '\u{2066}',
            '\u{feff}',
            '\u{ad}',
            '\u{3164}',
            '\u{e0041}',
        ] {
            for text in [format!("al{hidden}ice"), format!("alice{hidden}"), format!("{hidden}alice")] {
                assert_eq!(Person::named(&text), Err(NameError::Hidden { code: hidden.into() }), "{text:?}");
            }
        }
        assert_eq!(Person::named(" \u{a0} "), Err(NameError::Empty));
        assert_eq!(Person::named(&"x".repeat(101)), Err(NameError::TooLong));
    }

    /// A log or a packet tells of people by their folded names; another spelling would be somebody else.
    #[test]
    fn mi_council_004_only_folded_names_are_read() {
        for folded in ["bob", "bob smith", "straße"] {
            let text = serde_json::to_string(folded).unwrap();
            let read = serde_json::from_str::<Person>(&text);
            assert_eq!(read.is_ok(), Person::named(folded).unwrap().as_str() == folded, "{folded}");
        }
        for other in ["Bob", " bob", "bob  smith", "ＢＯＢ", "b\u{200b}ob", ""] {
            let text = serde_json::to_string(other).unwrap();
            assert!(serde_json::from_str::<Person>(&text).is_err(), "{other}");
        }
        assert_eq!(serde_json::to_string(&Person::named("Bob").unwrap()).unwrap(), "\"bob\"");
    }

    fn table(pairs: &[(&str, &[&str])]) -> BTreeMap<String, Vec<String>> {
        let own = |text: &&str| (*text).to_owned();
        pairs.iter().map(|(name, others)| ((*name).to_owned(), others.iter().map(own).collect())).collect()
    }

    /// Aliases lead to one person, through chains; contradictions and circles are errors.
    #[test]
    fn mi_council_004_aliases_lead_to_one_person() {
        let aliases = Aliases::new(&table(&[("Alice", &["AL", "alice"]), ("al", &["a"])])).unwrap();
        for name in ["alice", "al", "a", "A"] {
            assert_eq!(aliases.person(&Person::named(name).unwrap()).as_str(), "alice", "{name}");
        }
        assert!(matches!(
            Aliases::new(&table(&[("a", &["x"]), ("b", &["X"])])),
            Err(AliasError::Twice { .. })
        ));
        assert!(matches!(
            Aliases::new(&table(&[("a", &["b"]), ("b", &["a"])])),
            Err(AliasError::Circle { .. })
        ));
        assert!(matches!(Aliases::new(&table(&[("a", &["\u{200b}"])])), Err(AliasError::Name { .. })));
    }
}
