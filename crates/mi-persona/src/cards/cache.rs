//! The cache's own format: a header with a digest of all that follows, then one record per card.
//!
//! Fields end in 0x1f, records in 0x1e, aliases in 0x1d. A card with one of these bytes in a field is not cached.

use crate::{
    access::Stamp,
    card::{CardId, Status},
    index::Entry,
};

use super::Known;

const MAGIC: &[u8] = b"mi-cards-1\n";
const FIELDS: usize = 11;

/// What a cache holds.
#[derive(Default)]
pub(super) struct Cached {
    pub(super) records: Vec<Known>,
    /// How many cards there were; more than `records` where some were too fresh to be cached.
    pub(super) count: usize,
    pub(super) index_digest: [u8; 32],
}

/// None for anything but a whole cache of this version.
pub(super) fn read(bytes: &[u8]) -> Option<Cached> {
    let rest = bytes.strip_prefix(MAGIC)?;
    let (digest, rest) = rest.split_at_checked(32)?;
    if blake3::hash(rest).as_bytes() != digest {
        return None;
    }
    let (index_digest, rest) = rest.split_at_checked(32)?;
    let text = std::str::from_utf8(rest).ok()?;
    let records: Option<Vec<Known>> = text.split_terminator('\u{1e}').map(record).collect();
    let records = records?;
    Some(Cached { count: records.len(), records, index_digest: index_digest.try_into().ok()? })
}

fn record(text: &str) -> Option<Known> {
    let mut fields = [""; FIELDS];
    let mut given = text.split('\u{1f}');
    for field in &mut fields {
        *field = given.next()?;
    }
    let [path, inode, size, modified, changed, id, title, merge_key, aliases, rest, reviewed] = fields;
    let (salience, status) = rest.split_once(' ')?;
    let id = CardId::parse(id)?;
    Some(Known {
        stamp: Stamp {
            inode: inode.parse().ok()?,
            size: size.parse().ok()?,
            modified_ns: modified.parse().ok()?,
            changed_ns: changed.parse().ok()?,
        },
        entry: Entry {
            kind: id.kind,
            id,
            title: title.to_owned(),
            merge_key: merge_key.to_owned(),
            aliases: aliases.split_terminator('\u{1d}').map(str::to_owned).collect(),
            salience: salience.parse().ok()?,
            last_reviewed: reviewed.strip_prefix('=').map(str::to_owned),
            status: status_of(status)?,
            path: path.to_owned(),
        },
    })
}

fn status_of(word: &str) -> Option<Status> {
    [Status::Active, Status::Archived, Status::Proposed, Status::Accepted, Status::Rejected]
        .into_iter()
        .find(|status| status.as_str() == word)
}

/// The bytes of a cache.
pub(super) fn write<'a>(cards: impl Iterator<Item = &'a Known>, index_digest: &[u8; 32]) -> Vec<u8> {
    let mut body = index_digest.to_vec();
    for Known { stamp, entry } in cards {
        let aliases: String = entry.aliases.iter().map(|alias| format!("{alias}\u{1d}")).collect();
        let reviewed = entry.last_reviewed.as_ref().map_or(String::new(), |day| format!("={day}"));
        let fields: [String; FIELDS] = [
            entry.path.clone(),
            stamp.inode.to_string(),
            stamp.size.to_string(),
            stamp.modified_ns.to_string(),
            stamp.changed_ns.to_string(),
            entry.id.to_string(),
            entry.title.clone(),
            entry.merge_key.clone(),
            aliases,
            format!("{} {}", entry.salience, entry.status.as_str()),
            reviewed,
        ];
        let own = |text: &str| text.contains(['\u{1d}', '\u{1e}', '\u{1f}']);
        let odd = fields
            .iter()
            .enumerate()
            .any(|(at, field)| if at == 8 { field.contains(['\u{1e}', '\u{1f}']) } else { own(field) });
        if odd || entry.aliases.iter().any(|alias| own(alias)) {
            continue;
        }
        body.extend_from_slice(fields.join("\u{1f}").as_bytes());
        body.push(0x1e);
    }
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(blake3::hash(&body).as_bytes());
    bytes.extend_from_slice(&body);
    bytes
}
