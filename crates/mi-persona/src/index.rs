//! The card index: one entry per card, rebuilt whole from the cards, byte for byte the same whoever does it.

use serde::Serialize;

use crate::card::{CardId, CardType, Head, Status};
use crate::front::{quoted, quoted_list};

/// What the index says of one card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entry {
    #[serde(serialize_with = "id_text")]
    pub id: CardId,
    #[serde(rename = "type")]
    pub kind: CardType,
    pub title: String,
    pub merge_key: String,
    pub aliases: Vec<String>,
    pub salience: u8,
    pub last_reviewed: Option<String>,
    pub status: Status,
    /// From the persona, with `/`.
    pub path: String,
}

fn id_text<S: serde::Serializer>(id: &CardId, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(id.as_str())
}

impl Entry {
    pub fn new(id: CardId, head: &Head, path: String) -> Self {
        Self {
            id,
            kind: head.kind,
            title: head.title.clone(),
            merge_key: head.merge_key.clone(),
            aliases: head.aliases.clone(),
            salience: head.salience,
            last_reviewed: head.last_reviewed.clone(),
            status: head.status,
            path,
        }
    }

    /// The entry's lines in the index.
    pub fn yaml(&self) -> String {
        let reviewed = self.last_reviewed.as_deref().map_or("null".to_owned(), quoted);
        format!(
            "- id: {}\n  type: {}\n  title: {}\n  merge_key: {}\n  aliases: {}\n  salience: {}\n  last_reviewed: {}\n  status: {}\n  path: {}\n",
            self.id,
            self.kind.as_str(),
            quoted(&self.title),
            quoted(&self.merge_key),
            quoted_list(&self.aliases),
            self.salience,
            reviewed,
            self.status.as_str(),
            quoted(&self.path),
        )
    }
}

const HEADER: &str = "# Made from the cards; `mi card index` makes it again.\n";

/// The whole index from the lines of its entries, which the caller has put in order.
pub fn join<'a>(blocks: impl Iterator<Item = &'a str>) -> String {
    let mut text = String::from(HEADER);
    blocks.for_each(|block| text.push_str(block));
    if text.len() == HEADER.len() {
        text.push_str("[]\n");
    }
    text
}

/// The whole index, in the order of ids.
pub fn bytes(entries: &[Entry]) -> String {
    let mut sorted: Vec<&Entry> = entries.iter().collect();
    sorted.sort_by(|left, right| (&left.id, &left.path).cmp(&(&right.id, &right.path)));
    let blocks: Vec<String> = sorted.into_iter().map(Entry::yaml).collect();
    join(blocks.iter().map(String::as_str))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn entry(id: &str, salience: u8, reviewed: &str, title: &str) -> Entry {
        let id = CardId::parse(id).unwrap();
        Entry {
            kind: id.kind,
            title: title.to_owned(),
            merge_key: title.to_lowercase().replace(' ', "-"),
            aliases: Vec::new(),
            salience,
            last_reviewed: (!reviewed.is_empty()).then(|| reviewed.to_owned()),
            status: Status::Active,
            path: format!("cards/{}/{id}.md", id.kind.folder()),
            id,
        }
    }

    /// The order in which cards are found does not show in the index, and every field of the contract is there.
    #[test]
    fn d_15_the_index_has_the_same_bytes_whoever_makes_it() {
        let mut entries = vec![
            entry("M-002", 4, "", "Retry: \"twice\""),
            entry("X-001", 10, "2026-01-02", "Truth"),
            entry("H-010", 7, "2026-01-03", "Order"),
        ];
        entries[2].aliases = vec!["a: b".to_owned(), "锁".to_owned()];
        let text = bytes(&entries);
        entries.reverse();
        assert_eq!(text, bytes(&entries));
        assert_eq!(
            text,
            "# Made from the cards; `mi card index` makes it again.\n\
             - id: X-001\n  type: axiom\n  title: \"Truth\"\n  merge_key: \"truth\"\n  aliases: []\n  salience: 10\n  last_reviewed: \"2026-01-02\"\n  status: active\n  path: \"cards/axioms/X-001.md\"\n\
             - id: H-010\n  type: heuristic\n  title: \"Order\"\n  merge_key: \"order\"\n  aliases: [\"a: b\", \"锁\"]\n  salience: 7\n  last_reviewed: \"2026-01-03\"\n  status: active\n  path: \"cards/heuristics/H-010.md\"\n\
             - id: M-002\n  type: pattern\n  title: \"Retry: \\\"twice\\\"\"\n  merge_key: \"retry:-\\\"twice\\\"\"\n  aliases: []\n  salience: 4\n  last_reviewed: null\n  status: active\n  path: \"cards/patterns/M-002.md\"\n"
        );
        assert!(bytes(&[]).ends_with("[]\n"));
    }
}
