//! The cards as they lie on the disk, and the cache that spares reading those that did not change.
//!
//! The cache knows a card by its inode, size and times. A card that was changed so recently that a second change could
//! have the same times is never cached. Holds: a cache that is missing, torn, edited or old changes how long this takes
//! and nothing else.

use std::{
    collections::HashMap,
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    thread,
};

use crate::{
    AccessError, Persona, Problem,
    access::{Folder, Kind, Stamp},
    card::{CardId, CardType, Head, Status, same_key},
    index::{self, Entry},
};

mod cache;

/// Where the index lies.
pub const INDEX: &str = "indexes/card-index.yaml";

/// Stands for the index's digest where cards contradict each other, so that it is told every time.
const NOT_CLEAN: [u8; 32] = [0; 32];

/// All cards of a persona.
#[derive(Debug, Default)]
pub struct Cards {
    /// In the order of ids.
    pub entries: Vec<Entry>,
    pub problems: Vec<Problem>,
    /// How many were read, because they were not in the cache.
    pub read: usize,
    /// The blake3 digest of what the index should hold.
    pub index_digest: [u8; 32],
}

/// A card file before it is read.
struct Found {
    folder: usize,
    name: String,
    path: String,
    stamp: Stamp,
}

/// A card file after.
struct Known {
    stamp: Stamp,
    entry: Entry,
}

impl Persona {
    /// Every card with its front matter, from the cache where the file is the one that was cached.
    pub fn cards(&self) -> Result<Cards, AccessError> {
        let mut problems = Vec::new();
        let folders = self.card_folders(&mut problems)?;
        let found = find(&folders, &mut problems)?;
        let cache_file = self.state().join("cards.cache");
        let bytes = fs::read(&cache_file).unwrap_or_default();
        let cached = cache::read(&bytes).unwrap_or_default();
        let (mut known, missing) = split(found, cached.records);
        let same = missing.is_empty() && known.len() == cached.count && problems.is_empty();
        if same && cached.index_digest != NOT_CLEAN {
            let entries: Vec<Entry> = known.into_iter().map(|known| known.entry).collect();
            return Ok(Cards { entries, problems, read: 0, index_digest: cached.index_digest });
        }
        let stamp = Clock::of_disk(self.state());
        let read = missing.len();
        known.extend(read_all(&folders, &missing, &mut problems));
        known.sort_by(|left, right| {
            (&left.entry.id, &left.entry.path).cmp(&(&right.entry.id, &right.entry.path))
        });
        let entries: Vec<Entry> = known.iter().map(|known| known.entry.clone()).collect();
        let index_digest = *blake3::hash(index::bytes(&entries).as_bytes()).as_bytes();
        let duplicates = duplicates(&entries);
        if let Some(clock) = stamp {
            let settled = known.iter().filter(|known| clock.is_settled(&known.stamp));
            let digest = if duplicates.is_empty() { &index_digest } else { &NOT_CLEAN };
            let new = cache::write(settled, digest);
            if new != bytes {
                // Without a cache the next start takes longer, that is all.
                let _ = mi_journal::replace_file(&cache_file, &new);
            }
        }
        problems.extend(duplicates);
        Ok(Cards { entries, problems, read, index_digest })
    }

    /// The texts of many shared files, in their order; each folder is opened once.
    pub(crate) fn texts(
        &self,
        paths: &[&str],
    ) -> Result<Vec<Result<Option<String>, AccessError>>, AccessError> {
        let mut folders: HashMap<&str, Option<Folder>> = HashMap::new();
        for folder in paths.iter().filter_map(|path| Some(path.rsplit_once('/')?.0)) {
            if !folders.contains_key(folder) {
                folders.insert(folder, self.folder(folder)?);
            }
        }
        let read = |path: &&str| match path
            .rsplit_once('/')
            .and_then(|(folder, name)| Some((folders.get(folder)?, name)))
        {
            Some((Some(folder), name)) => folder.text(name),
            _ => Ok(None),
        };
        let failed = || AccessError::NotAFile { path: "cards".to_owned() };
        in_parallel(paths, 64, read).ok_or_else(failed)
    }

    fn card_folders(&self, problems: &mut Vec<Problem>) -> Result<Vec<(CardType, Folder)>, AccessError> {
        let mut folders = Vec::new();
        for kind in CardType::ALL {
            match self.folder(&format!("cards/{}", kind.folder())) {
                Ok(Some(folder)) => folders.push((kind, folder)),
                Ok(None) => {}
                Err(AccessError::Link { path }) => {
                    problems.push(Problem::new(&path, AccessError::Link { path: path.clone() }));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(folders)
    }
}

impl Cards {
    /// Cards that count.
    pub fn active(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| entry.status == Status::Active)
    }

    pub fn by_id(&self, id: &CardId) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.id == *id)
    }
}

fn find(folders: &[(CardType, Folder)], problems: &mut Vec<Problem>) -> Result<Vec<Found>, AccessError> {
    let mut named = Vec::new();
    for (at, (_, folder)) in folders.iter().enumerate() {
        for item in folder.items()? {
            let path = folder.path_of(&item.name);
            match item.kind {
                Kind::File if item.name.ends_with(".md") => named.push((at, item.name, path)),
                Kind::Link => problems.push(Problem::new(&path, AccessError::Link { path: path.clone() })),
                Kind::File | Kind::Folder | Kind::Other => {}
            }
        }
    }
    let looked_at = in_parallel(&named, 1024, |(folder, name, path)| {
        let stamp = folders[*folder].1.stamp(name)?;
        Some(Found { folder: *folder, name: name.clone(), path: path.clone(), stamp })
    });
    let failed = || AccessError::NotAFile { path: "cards".to_owned() };
    Ok(looked_at.ok_or_else(failed)?.into_iter().flatten().collect())
}

/// Does the same to many things at once, in order: most of the time is waiting for the system. Few are done here.
/// None if a worker was lost.
fn in_parallel<T: Sync, R: Send>(things: &[T], few: usize, work: impl Fn(&T) -> R + Sync) -> Option<Vec<R>> {
    let workers = thread::available_parallelism().map_or(1, usize::from).min(8);
    if things.len() < few || workers == 1 {
        return Some(things.iter().map(work).collect());
    }
    let size = things.len().div_ceil(workers);
    thread::scope(|scope| {
        let work = &work;
        let parts: Vec<_> = things
            .chunks(size)
            .map(|chunk| scope.spawn(move || chunk.iter().map(work).collect::<Vec<R>>()))
            .collect();
        let mut all = Vec::with_capacity(things.len());
        for part in parts {
            all.extend(part.join().ok()?);
        }
        Some(all)
    })
}

/// What the cache knows, and what has to be read.
fn split(found: Vec<Found>, records: Vec<Known>) -> (Vec<Known>, Vec<Found>) {
    let by_path: HashMap<String, usize> =
        records.iter().enumerate().map(|(at, known)| (known.entry.path.clone(), at)).collect();
    let mut current = vec![false; records.len()];
    let missing = found
        .into_iter()
        .filter(|file| match by_path.get(&file.path) {
            Some(&at) if records[at].stamp == file.stamp => {
                current[at] = true;
                false
            }
            _ => true,
        })
        .collect();
    let known =
        records.into_iter().zip(current).filter(|(_, current)| *current).map(|(known, _)| known).collect();
    (known, missing)
}

fn read_all(folders: &[(CardType, Folder)], files: &[Found], problems: &mut Vec<Problem>) -> Vec<Known> {
    let lost = || vec![Err(Problem::new("cards", "some cards could not be read; please report this"))];
    let results = in_parallel(files, 64, |file| read_one(folders, file)).unwrap_or_else(lost);
    let mut known = Vec::with_capacity(results.len());
    for result in results {
        match result {
            Ok(card) => known.push(card),
            Err(problem) => problems.push(problem),
        }
    }
    known
}

fn read_one(folders: &[(CardType, Folder)], file: &Found) -> Result<Known, Problem> {
    let (kind, folder) = &folders[file.folder];
    let (bytes, stamp) = match folder.read(&file.name) {
        Ok(Some(read)) => read,
        Ok(None) => return Err(Problem::new(&file.path, "went away while the cards were read")),
        Err(error) => return Err(Problem::new(&file.path, error)),
    };
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Problem::new(&file.path, format!("is not UTF-8 text from byte {at} on"))
    })?;
    let (id, head) = Head::parse_card(&text).map_err(|error| Problem::front(&file.path, &error))?;
    if head.kind != *kind {
        let message =
            format!("a card of type {} belongs into cards/{}/", head.kind.as_str(), head.kind.folder());
        return Err(Problem::new(&file.path, message));
    }
    Ok(Known { stamp, entry: Entry::new(id, &head, file.path.clone()) })
}

/// Ids that stand twice, and merge keys that two active cards share.
fn duplicates(entries: &[Entry]) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut ids: HashMap<&CardId, &Entry> = HashMap::new();
    let mut keys: HashMap<String, &Entry> = HashMap::new();
    for entry in entries {
        if let Some(first) = ids.insert(&entry.id, entry) {
            let message = format!("has the id {} of {}; give one of them another", entry.id, first.path);
            problems.push(Problem::new(&entry.path, message));
        }
        if entry.status != Status::Active {
            continue;
        }
        if let Some(first) = keys.insert(same_key(&entry.merge_key), entry) {
            let message = format!(
                "has the merge_key `{}` of {} ({}): they are one card; move what is new there and archive this one",
                entry.merge_key, first.path, first.id
            );
            problems.push(Problem::new(&entry.path, message));
        }
    }
    problems
}

/// The disk's own clock, read from a file that was just written.
struct Clock {
    now_ns: i128,
}

impl Clock {
    /// None where nothing can be written: then nothing is cached.
    fn of_disk(state: &Path) -> Option<Self> {
        let file: PathBuf = state.join("cards.cache.stamp");
        fs::create_dir_all(state).ok()?;
        fs::write(&file, b"").ok()?;
        let data = fs::metadata(&file).ok()?;
        Some(Self { now_ns: i128::from(data.mtime()) * 1_000_000_000 + i128::from(data.mtime_nsec()) })
    }

    /// Whether a later change of the file is sure to have another time.
    fn is_settled(&self, stamp: &Stamp) -> bool {
        stamp.changed_ns.max(stamp.modified_ns) + 100_000_000 < self.now_ns
    }
}
