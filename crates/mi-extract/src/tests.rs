//! Whole replies: what comes out, in the words that programs read.

mod attacks;
mod folder;
mod naming;
mod properties;
mod reading;

use crate::{Entry, EntryKind, Extraction, Folder, Limits, NoFolder, extract};

/// `path|language|line|content` per file, `reason|line|path` per refusal.
fn shown(result: &Extraction<'_>) -> Vec<String> {
    let files = result.files.iter().map(|file| {
        format!(
            "{}|{}|{}|{}",
            file.path,
            file.language.unwrap_or("-"),
            file.line,
            file.content.escape_debug()
        )
    });
    let refused = result.refused.iter().map(|refusal| {
        format!("!{}|{}|{}", refusal.reason.as_str(), refusal.line, refusal.path.as_deref().unwrap_or("-"))
    });
    files.chain(refused).collect()
}

fn play(reply: &str) -> Vec<String> {
    shown(&extract(reply.as_bytes(), &Limits::default(), &NoFolder))
}

fn play_in(reply: &str, folder: &dyn Folder) -> Vec<String> {
    shown(&extract(reply.as_bytes(), &Limits::default(), folder))
}

/// A folder in memory: paths ending in `/` are folders, `@` at the end makes a link; all others are files.
struct Stands<'a>(&'a [(&'a str, &'a str)]);

impl Folder for Stands<'_> {
    fn entries(&self, folder: &str) -> Vec<Entry> {
        let here = self.0.iter().filter_map(|(path, _)| {
            let below =
                if folder.is_empty() { path } else { path.strip_prefix(folder)?.strip_prefix('/')? };
            let (name, rest) = below.split_once('/').map_or((below, None), |(name, rest)| (name, Some(rest)));
            match (name.strip_suffix('@'), rest) {
                (Some(link), _) => Some(Entry { name: link.to_owned(), kind: EntryKind::Link }),
                (None, Some(_)) => Some(Entry { name: name.to_owned(), kind: EntryKind::Folder }),
                (None, None) => Some(Entry { name: name.to_owned(), kind: EntryKind::File }),
            }
        });
        here.collect()
    }

    fn read(&self, path: &str) -> Option<Vec<u8>> {
        self.0.iter().find(|(known, _)| *known == path).map(|(_, content)| content.as_bytes().to_vec())
    }
}
