//! A card: one piece of knowledge with its front matter and its four sections.
//!
//! Holds: a file that lacks an id of its type, a title, a merge key or a salience from 1 to 10 is no card, and the error
//! says on which line. Fields that are not ours are kept by whoever changes a file ([`crate::front::set_field`]).

use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

use crate::front::{self, FrontError, quoted, quoted_list};

/// What kind of knowledge a card is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, strum::IntoStaticStr,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
pub enum CardType {
    Axiom,
    Principle,
    Heuristic,
    Pattern,
}

impl CardType {
    pub const ALL: [Self; 4] = [Self::Axiom, Self::Principle, Self::Heuristic, Self::Pattern];

    pub fn as_str(self) -> &'static str {
        self.into()
    }

    pub fn letter(self) -> char {
        match self {
            Self::Axiom => 'X',
            Self::Principle => 'P',
            Self::Heuristic => 'H',
            Self::Pattern => 'M',
        }
    }

    /// The folder below `cards/`.
    pub fn folder(self) -> &'static str {
        match self {
            Self::Axiom => "axioms",
            Self::Principle => "principles",
            Self::Heuristic => "heuristics",
            Self::Pattern => "patterns",
        }
    }

    /// The type that a word in a card means: `axiom`, its folder's name, or the letter of its ids.
    pub fn from_word(word: &str) -> Option<Self> {
        let word = word.trim().to_lowercase();
        Self::ALL.into_iter().find(|kind| {
            word == kind.as_str() || word == kind.folder() || word == kind.letter().to_lowercase().to_string()
        })
    }

    /// Changes of these go to the person (D.7).
    pub fn needs_human(self) -> bool {
        matches!(self, Self::Axiom | Self::Principle)
    }
}

/// Whether a card counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
pub enum Status {
    #[default]
    Active,
    Archived,
    Proposed,
    Accepted,
    Rejected,
}

impl Status {
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// `X-001`, `P-012`, `H-3`, `M-100`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CardId {
    pub kind: CardType,
    pub number: u32,
    text: String,
}

impl CardId {
    pub fn new(kind: CardType, number: u32) -> Self {
        Self { kind, number, text: format!("{}-{number:03}", kind.letter()) }
    }

    pub fn parse(text: &str) -> Option<Self> {
        let (letter, digits) = text.split_once('-')?;
        let kind =
            CardType::ALL.into_iter().find(|kind| letter.eq_ignore_ascii_case(&kind.letter().to_string()))?;
        let plain =
            !digits.is_empty() && digits.len() <= 9 && digits.bytes().all(|byte| byte.is_ascii_digit());
        let number = digits.parse().ok().filter(|_| plain)?;
        Some(Self { kind, number, text: text.to_ascii_uppercase() })
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for CardId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// What the front matter of a card or a proposal says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// None in a proposal.
    pub id: Option<CardId>,
    pub kind: CardType,
    pub title: String,
    pub merge_key: String,
    pub aliases: Vec<String>,
    pub salience: u8,
    pub created: Option<String>,
    pub last_reviewed: Option<String>,
    pub source: Option<String>,
    pub status: Status,
    pub proposed_by: Option<String>,
    pub reviewed_by: Option<String>,
}

/// The four sections of a card.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sections {
    pub content: String,
    pub applies: String,
    pub bends: String,
    pub evidence: String,
}

#[derive(Deserialize)]
struct Fields {
    id: Option<String>,
    #[serde(rename = "type", deserialize_with = "card_type")]
    kind: CardType,
    title: String,
    merge_key: String,
    aliases: Option<Vec<String>>,
    #[serde(deserialize_with = "salience")]
    salience: u8,
    created: Option<String>,
    last_reviewed: Option<String>,
    source: Option<String>,
    status: Option<Status>,
    proposed_by: Option<String>,
    reviewed_by: Option<String>,
}

fn card_type<'de, D: Deserializer<'de>>(deserializer: D) -> Result<CardType, D::Error> {
    let word = String::deserialize(deserializer)?;
    CardType::from_word(&word).ok_or_else(|| {
        serde::de::Error::custom(format!("`{word}` is no type; it is axiom, principle, heuristic or pattern"))
    })
}

fn salience<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
    let value = i64::deserialize(deserializer)
        .map_err(|_| serde::de::Error::custom("salience is no number; it goes from 1 to 10"))?;
    u8::try_from(value)
        .ok()
        .filter(|salience| (1..=10).contains(salience))
        .ok_or_else(|| serde::de::Error::custom(format!("salience is {value}; it goes from 1 to 10")))
}

impl Head {
    /// Reads a card, which has an id, or a proposal, which has none.
    pub fn parse(text: &str) -> Result<Self, FrontError> {
        let fields: Fields = front::read(text)?;
        let wrong = |message: String| FrontError { line: 2, message };
        let id = match &fields.id {
            None => None,
            Some(id) => Some(CardId::parse(id).ok_or_else(|| {
                wrong(format!(
                    "`{id}` is no card's id: it is X, P, H or M, a hyphen and a number, such as H-012"
                ))
            })?),
        };
        if let Some(id) = id.as_ref().filter(|id| id.kind != fields.kind) {
            let (letter, kind) = (fields.kind.letter(), fields.kind.as_str());
            return Err(wrong(format!(
                "id {id} is not of type {kind}: that would be {letter}-{:03}",
                id.number
            )));
        }
        if fields.title.trim().is_empty() || fields.merge_key.trim().is_empty() {
            return Err(wrong("title and merge_key must not be empty".to_owned()));
        }
        Ok(Self {
            id,
            kind: fields.kind,
            title: fields.title,
            merge_key: fields.merge_key,
            aliases: fields.aliases.unwrap_or_default(),
            salience: fields.salience,
            created: fields.created,
            last_reviewed: fields.last_reviewed,
            source: fields.source.filter(|source| !source.trim().is_empty()),
            status: fields.status.unwrap_or_default(),
            proposed_by: fields.proposed_by,
            reviewed_by: fields.reviewed_by,
        })
    }

    /// Reads a card; one without an id is none.
    pub fn parse_card(text: &str) -> Result<(CardId, Self), FrontError> {
        let head = Self::parse(text)?;
        match head.id.clone() {
            Some(id) => Ok((id, head)),
            None => Err(FrontError { line: 2, message: "`id` is missing, such as H-012".to_owned() }),
        }
    }
}

/// By what two cards are the same: case and spaces do not count.
pub fn same_key(merge_key: &str) -> String {
    merge_key.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// A whole card or proposal as a file.
pub fn render(head: &Head, sections: &Sections) -> String {
    let mut text = String::from("---\n");
    if let Some(id) = &head.id {
        text.push_str(&format!("id: {id}\n"));
    }
    text.push_str(&format!("type: {}\n", head.kind.as_str()));
    text.push_str(&format!("title: {}\n", quoted(&head.title)));
    text.push_str(&format!("merge_key: {}\n", quoted(&head.merge_key)));
    text.push_str(&format!("aliases: {}\n", quoted_list(&head.aliases)));
    text.push_str(&format!("salience: {}\n", head.salience));
    let optional = [
        ("created", &head.created),
        ("last_reviewed", &head.last_reviewed),
        ("source", &head.source),
        ("proposed_by", &head.proposed_by),
        ("reviewed_by", &head.reviewed_by),
    ];
    for (key, value) in optional {
        // A card has all fields of the contract; one whose evidence is its source says so by an empty one.
        let value = value.as_deref().or_else(|| (head.id.is_some() && key == "source").then_some(""));
        if let Some(value) = value {
            text.push_str(&format!("{key}: {}\n", quoted(value)));
        }
    }
    text.push_str(&format!("status: {}\n---\n", head.status.as_str()));
    for (name, body) in SECTIONS.into_iter().zip(sections.in_order()) {
        text.push_str(&format!("\n## {name}\n"));
        if !body.trim().is_empty() {
            text.push_str(&format!("\n{}\n", body.trim()));
        }
    }
    text
}

const SECTIONS: [&str; 4] = ["content", "when it applies", "when it bends", "evidence"];

impl Sections {
    fn in_order(&self) -> [&str; 4] {
        [&self.content, &self.applies, &self.bends, &self.evidence]
    }

    fn named(&mut self, name: &str) -> Option<&mut String> {
        Some(match name {
            "content" => &mut self.content,
            "when it applies" | "applies" => &mut self.applies,
            "when it bends" | "bends" => &mut self.bends,
            "evidence" => &mut self.evidence,
            _ => return None,
        })
    }

    /// The sections of a card's body. What stands under other headings belongs to the section before it.
    pub fn parse(body: &str) -> Self {
        let mut sections = Self::default();
        let mut current = None;
        let mut fenced = false;
        for line in body.lines() {
            fenced ^= line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
            let heading = heading(line).filter(|name| !fenced && sections.named(name).is_some());
            match (heading, &current) {
                (Some(name), _) => current = Some(name),
                (None, Some(name)) => {
                    if let Some(text) = sections.named(name) {
                        text.push_str(line);
                        text.push('\n');
                    }
                }
                (None, None) => {}
            }
        }
        for text in
            [&mut sections.content, &mut sections.applies, &mut sections.bends, &mut sections.evidence]
        {
            *text = text.trim().to_owned();
        }
        sections
    }

    /// Names of the sections that are empty.
    pub fn missing(&self) -> Vec<&'static str> {
        SECTIONS
            .into_iter()
            .zip(self.in_order())
            .filter(|(_, text)| text.is_empty())
            .map(|(name, _)| name)
            .collect()
    }
}

/// The words of a Markdown heading, in lower case and with spaces.
pub(crate) fn heading(line: &str) -> Option<String> {
    let marks = line.bytes().take_while(|byte| *byte == b'#').count();
    let rest = line.get(marks..).filter(|rest| (1..=6).contains(&marks) && rest.starts_with([' ', '\t']))?;
    let words = rest.trim().trim_end_matches(['#', ':', '：', ' ']).replace('_', " ");
    Some(words.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase())
}

/// Where a section's heading is, and where it ends, in a body; for adding to it.
fn section_end(text: &str, wanted: &str) -> Option<usize> {
    let (mut at, mut inside, mut fenced, mut end) = (0, false, false, None);
    for line in text.split_inclusive('\n') {
        fenced ^= line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
        let name = heading(line.trim_end()).filter(|_| !fenced);
        if let Some(name) = name.filter(|name| SECTIONS.contains(&name.as_str())) {
            inside = name == wanted;
        }
        at += line.len();
        if inside && !line.trim().is_empty() {
            end = Some(at);
        }
    }
    end
}

/// What a card becomes when a proposal with the same merge key is accepted: nothing of the card is lost.
pub fn merge(card: &str, proposal: &str, today: &str, reviewer: &str) -> Result<String, FrontError> {
    let (old, new) = (Head::parse(card)?, Head::parse(proposal)?);
    let known = |text: &str| {
        same_key(&old.title) == same_key(text)
            || old.aliases.iter().any(|alias| same_key(alias) == same_key(text))
    };
    let mut aliases = old.aliases.clone();
    for alias in std::iter::once(&new.title).chain(&new.aliases) {
        if !known(alias) && !aliases.iter().any(|other| same_key(other) == same_key(alias)) {
            aliases.push(alias.clone());
        }
    }
    let mut text = front::set_field(card, "aliases", &quoted_list(&aliases))?;
    text = front::set_field(&text, "salience", &old.salience.max(new.salience).to_string())?;
    text = front::set_field(&text, "last_reviewed", &quoted(today))?;
    // Each part was proposed by one and reviewed by another: both lists keep everybody.
    for (key, old, new) in [
        ("proposed_by", &old.proposed_by, new.proposed_by.as_deref().unwrap_or_default()),
        ("reviewed_by", &old.reviewed_by, reviewer),
    ] {
        let mut names: Vec<&str> = old.as_deref().unwrap_or_default().split(", ").collect();
        names.push(new);
        names.retain(|name| !name.is_empty());
        let mut seen = std::collections::BTreeSet::new();
        names.retain(|name| seen.insert(name.to_lowercase()));
        text = front::set_field(&text, key, &quoted(&names.join(", ")))?;
    }
    let source = match (&old.source, &new.source) {
        (Some(old), Some(new)) if !has_part(old, new, "; ") => Some(format!("{old}; {new}")),
        (None, Some(new)) => Some(new.clone()),
        _ => None,
    };
    if let Some(source) = source {
        text = front::set_field(&text, "source", &quoted(&source))?;
    }
    let have = Sections::parse(front::split(&text)?.body);
    let add = Sections::parse(front::split(proposal)?.body);
    for ((name, old), new) in SECTIONS.into_iter().zip(have.in_order()).zip(add.in_order()) {
        if !new.is_empty() && !has_part(old, new, "\n") {
            text = add_to_section(&text, name, new)?;
        }
    }
    Ok(text)
}

/// Whether a text says something already, between two of its separators: part of a sentence may say the opposite.
fn has_part(text: &str, part: &str, separator: &str) -> bool {
    let edged = |text: &str| format!("{separator}{text}{separator}");
    edged(text).contains(&edged(part))
}

fn add_to_section(card: &str, name: &str, new: &str) -> Result<String, FrontError> {
    let body = front::split(card)?.body;
    let start = card.len() - body.len();
    Ok(match section_end(body, name) {
        Some(end) => {
            let (before, after) = card.split_at(start + end);
            let gap = if before.ends_with('\n') { "\n" } else { "\n\n" };
            format!("{before}{gap}{new}\n{after}")
        }
        None => format!("{}\n\n## {name}\n\n{new}\n", card.trim_end()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    pub(crate) fn head(kind: CardType, number: Option<u32>) -> Head {
        Head {
            id: number.map(|number| CardId::new(kind, number)),
            kind,
            title: "Locks: order".to_owned(),
            merge_key: "lock-order".to_owned(),
            aliases: vec!["deadlock".to_owned()],
            salience: 7,
            created: Some("2026-01-02".to_owned()),
            last_reviewed: Some("2026-01-03".to_owned()),
            source: Some("incident 12".to_owned()),
            status: Status::Active,
            proposed_by: Some("ann".to_owned()),
            reviewed_by: None,
        }
    }

    fn sections(evidence: &str) -> Sections {
        Sections {
            content: "Take A first.".to_owned(),
            applies: "Two locks.".to_owned(),
            bends: "".to_owned(),
            evidence: evidence.to_owned(),
        }
    }

    /// What is written is read back.
    #[test]
    fn d_04_a_card_survives_its_file() {
        let text =
            render(&head(CardType::Heuristic, Some(12)), &sections("It hung.\n\n```\n# no heading\n```"));
        assert_eq!(Head::parse(&text).unwrap(), head(CardType::Heuristic, Some(12)));
        let read = Sections::parse(front::split(&text).unwrap().body);
        assert_eq!(read, sections("It hung.\n\n```\n# no heading\n```"));
        assert_eq!(read.missing(), ["when it bends"]);
    }

    /// Each mistake in a card has a message with its line.
    #[test]
    fn d_04_broken_cards_are_told_with_their_line() {
        let good = "---\nid: H-001\ntype: heuristic\ntitle: a\nmerge_key: b\nsalience: 5\n---\n";
        assert!(Head::parse_card(good).is_ok());
        let cases = [
            ("salience: 5", "salience: 11", 6, "goes from 1 to 10"),
            ("salience: 5", "salience: many", 6, "salience"),
            ("salience: 5\n", "", 5, "salience"),
            ("H-001", "Z-001", 2, "no card's id"),
            ("H-001", "P-001", 2, "not of type heuristic"),
            ("id: H-001\n", "", 2, "`id` is missing"),
            ("title: a", "title: ''", 2, "must not be empty"),
            ("type: heuristic", "type: myth", 3, "myth"),
            ("type: heuristic", "type: heuristic\ntype: axiom", 4, "`type` stands here twice"),
        ];
        for (from, to, line, words) in cases {
            let error = Head::parse_card(&good.replacen(from, to, 1)).unwrap_err();
            assert!(error.message.contains(words), "{to}: {error}");
            assert_eq!(error.line, line, "{to}: {error}");
        }
    }

    /// The same merge key merges: aliases, sources and sections are added, the id and own words stay.
    #[test]
    fn d_04_merging_loses_nothing() {
        let card = render(&head(CardType::Heuristic, Some(3)), &sections("It hung."))
            .replace("status: active\n", "mine: kept\nstatus: active\n");
        let mut proposed = head(CardType::Heuristic, None);
        proposed.title = "Lock ordering".to_owned();
        proposed.aliases = vec!["Deadlock".to_owned(), "mutex".to_owned()];
        proposed.salience = 8;
        proposed.source = Some("incident 20".to_owned());
        let merged = merge(&card, &render(&proposed, &sections("Again.")), "2026-02-01", "bob").unwrap();
        let (id, read) = Head::parse_card(&merged).unwrap();
        assert_eq!((id.as_str(), read.title.as_str(), read.salience), ("H-003", "Locks: order", 8));
        assert_eq!(read.aliases, ["deadlock", "Lock ordering", "mutex"]);
        assert_eq!(read.source.as_deref(), Some("incident 12; incident 20"));
        assert_eq!(read.last_reviewed.as_deref(), Some("2026-02-01"));
        assert!(merged.contains("mine: kept"));
        let body = Sections::parse(front::split(&merged).unwrap().body);
        assert_eq!((body.content.as_str(), body.evidence.as_str()), ("Take A first.", "It hung.\n\nAgain."));
    }

    /// D.4: what was accepted is kept also where its words stand inside an older sentence; the same text is added once.
    #[test]
    fn d_04_merging_keeps_a_text_that_is_part_of_another() {
        let card = |content: &str, source: &str| {
            let head = Head { source: Some(source.to_owned()), ..head(CardType::Heuristic, Some(3)) };
            render(&head, &Sections { content: content.to_owned(), ..sections("It hung.") })
        };
        let (old, new) =
            (card("Never use TLS 1.0 in tests", "incident 12"), card("use TLS 1.0", "incident 1"));
        let once = merge(&old, &new, "2026-02-01", "bob").unwrap();
        let twice = merge(&once, &new, "2026-02-01", "bob").unwrap();
        for merged in [once, twice] {
            let body = Sections::parse(front::split(&merged).unwrap().body);
            assert_eq!(body.content, "Never use TLS 1.0 in tests\n\nuse TLS 1.0");
            assert_eq!(Head::parse(&merged).unwrap().source.as_deref(), Some("incident 12; incident 1"));
        }
    }

    proptest! {
        /// No text makes reading, changing or merging a card panic.
        #[test]
        fn any_text_can_be_a_card(text in "(---\n)?(\\PC{0,20}\n){0,4}(---\n)?(## (content|evidence)\n)?\\PC{0,20}", key in "[a-z]{1,5}") {
            let good = render(&head(CardType::Heuristic, Some(1)), &sections("x"));
            let _ = (Head::parse(&text), front::set_field(&text, &key, "1"));
            let _ = (merge(&text, &good, "2026-01-01", "bob"), merge(&good, &text, "2026-01-01", "bob"));
            let _ = Sections::parse(&text);
        }
    }

    /// A type is known by its word, its folder or its letter.
    #[test]
    fn d_15_types_have_three_names() {
        for (word, kind) in
            [("axiom", CardType::Axiom), ("Principles", CardType::Principle), ("m", CardType::Pattern)]
        {
            assert_eq!(CardType::from_word(word), Some(kind));
        }
        assert_eq!(CardType::from_word("myth"), None);
    }

    /// Ids are read in either case and refused in any other shape.
    #[test]
    fn d_15_ids_have_one_shape() {
        assert_eq!(CardId::parse("x-001").unwrap().as_str(), "X-001");
        assert_eq!(CardId::new(CardType::Pattern, 7).to_string(), "M-007");
        for bad in ["X001", "X-", "Q-1", "X-1a", "X-+1", "-1", "X-1234567890"] {
            assert!(CardId::parse(bad).is_none(), "{bad}");
        }
    }
}
