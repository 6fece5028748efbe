//! Where runs live: `MI_HOME/box/live/ID` while they run, `MI_HOME/box/runs/ID` once they are sealed.
//!
//! Holds: a live run's folder carries a lock that its `mi` holds until it dies, so the sweep takes away only what
//! nobody owns any more (X12); a run is in `runs` only whole.

use mi_admission::Denial;
use mi_process::{Deadline, Tie, pause};
use serde::{Deserialize, Serialize};
use std::{
    fs::{self, DirBuilder, File, OpenOptions, TryLockError},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, PermissionsExt},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use crate::{
    bwrap::{self, cgroup},
    container::{self, BEING_MADE, Leftover},
    tree,
};

/// Kept free for manifests, whatever commands do to the disk.
const RESERVED_BYTES: u64 = 4 << 20;
const RESERVE: &str = "reserve";
/// What has to be taken away; locked as long as the run's `mi` lives.
const RECORD: &str = "run.json";

/// The box's part of `MI_HOME`.
#[derive(Debug, Clone)]
pub struct BoxHome {
    root: PathBuf,
}

/// A run that has begun and is not sealed. Dropping it removes all of it.
#[derive(Debug)]
pub struct Live {
    pub id: String,
    folder: PathBuf,
    /// Its record, with the lock on it; none once the folder is gone.
    record: Option<File>,
}

/// What the sweep has to know about a run, written before the thing it names exists.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LiveRecord {
    pub engine: String,
    pub cgroups: Vec<PathBuf>,
    /// The first process of a bwrap box: id and start.
    pub init: Option<(i32, u64)>,
    pub socket: Option<PathBuf>,
    pub container: Option<String>,
    /// Whether the engine has said that the container is there.
    pub is_made: bool,
}

/// What a sweep did with one leftover.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Swept {
    pub run: String,
    /// Why it could not be taken away; it is tried again next time.
    pub left: Option<String>,
    /// Its container may still be in the making: it stays on record, and the next sweep looks again.
    #[serde(skip)]
    pub may_come: bool,
}

/// How long a sweep waits for a container that an engine may be making for a `mi` that is dead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// Not at all: somebody wants their command to run.
    None,
    /// As long as a quick engine takes.
    Short,
    /// As long as any engine may take.
    Full,
}

impl Patience {
    fn deadline(self) -> Deadline {
        Deadline::after(match self {
            Self::None => Duration::ZERO,
            Self::Short => Duration::from_secs(1),
            Self::Full => BEING_MADE,
        })
    }
}

/// Why there is no place for a run.
#[derive(Debug, thiserror::Error)]
#[error("make a place for the run in {}", .path.display())]
pub struct HomeError {
    pub path: PathBuf,
    pub source: io::Error,
}

impl BoxHome {
    pub fn new(mi_home: &Path) -> Self {
        Self { root: mi_home.join("box") }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn runs(&self) -> PathBuf {
        self.root.join("runs")
    }

    fn live(&self) -> PathBuf {
        self.root.join("live")
    }

    /// Makes the slots of a new run.
    pub fn begin(&self, id: &str) -> Result<Live, HomeError> {
        let folder = self.live().join(id);
        let fail = |source| HomeError { path: folder.clone(), source };
        self.try_begin(id).map_err(fail)
    }

    fn try_begin(&self, id: &str) -> io::Result<Live> {
        private_folder(&self.live())?;
        private_folder(&self.runs())?;
        let guard = self.guard()?;
        let folder = self.live().join(id);
        DirBuilder::new().mode(0o700).create(&folder)?;
        let record = open_record(&folder)?;
        record.lock()?;
        drop(guard);
        let live = Live { id: id.to_owned(), folder, record: Some(record) };
        for (slot, mode) in [("input", 0o755), ("data", 0o777), ("output", 0o777)] {
            let path = live.folder.join(slot);
            fs::create_dir(&path)?;
            // The box's user may be another one than ours; the folder above is closed to everybody else.
            fs::set_permissions(&path, PermissionsExt::from_mode(mode))?;
        }
        self.reserve()?;
        Ok(live)
    }

    /// Takes the space that is kept free, unless it is taken. One file for all runs: to make and remove one for each
    /// costs more than the rest of its folder.
    fn reserve(&self) -> io::Result<()> {
        let path = self.root.join(RESERVE);
        if fs::metadata(&path).is_ok_and(|known| known.len() >= RESERVED_BYTES) {
            return Ok(());
        }
        let file = OpenOptions::new().create(true).write(true).truncate(false).open(path)?;
        match rustix::fs::fallocate(&file, rustix::fs::FallocateFlags::empty(), 0, RESERVED_BYTES) {
            // Some file systems cannot promise space.
            Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) | Ok(()) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// The space that is left for runs, in bytes.
    fn space(&self) -> io::Result<u64> {
        let disk = rustix::fs::statvfs(&self.root)?;
        // Some blocks are kept for root alone.
        let free = if rustix::process::geteuid().is_root() { disk.f_bfree } else { disk.f_bavail };
        Ok(free.saturating_mul(disk.f_frsize))
    }

    /// What a run on a full disk wrote may be cut off, and its own exit code need not tell.
    pub(crate) fn full_disk(&self) -> io::Result<Option<Denial>> {
        /// Less than the smallest file systems still give to a file.
        const NOTHING: u64 = 16 << 10;
        let reason =
            "the disk ran full during the run, so outputs may be cut off: make room and run it again";
        Ok((self.space()? < NOTHING).then(|| Denial::new("X.disk", "output", reason)))
    }

    /// Gives the kept space back if there is no other: a manifest is to be written.
    pub(crate) fn release(&self) -> io::Result<()> {
        if self.space()? >= RESERVED_BYTES {
            return Ok(());
        }
        match fs::remove_file(self.root.join(RESERVE)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Held while a run's folder gets its lock, so that no sweep takes a run for dead that is being born.
    fn guard(&self) -> io::Result<File> {
        let guard =
            OpenOptions::new().create(true).write(true).truncate(false).open(self.live().join(".guard"))?;
        guard.lock()?;
        Ok(guard)
    }

    /// Takes away what runs left whose `mi` is dead. Other homes and living runs are not touched.
    pub fn sweep(&self, patience: Patience) -> Vec<Swept> {
        let patience = patience.deadline();
        let swept = self.dead_runs().into_iter().map(|live| {
            let run = live.id.clone();
            let taken = live.take_away(patience);
            let may_come = taken == Ok(Leftover::MayCome);
            Swept { run, left: taken.err(), may_come }
        });
        swept.collect()
    }

    fn dead_runs(&self) -> Vec<Live> {
        let Ok(entries) = fs::read_dir(self.live()) else { return Vec::new() };
        let folders: Vec<PathBuf> =
            entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.is_dir()).collect();
        if folders.is_empty() {
            return Vec::new();
        }
        let Ok(_guard) = self.guard() else { return Vec::new() };
        folders.into_iter().filter_map(dead_run).collect()
    }
}

/// The run, locked by us, if nobody else holds it.
fn dead_run(folder: PathBuf) -> Option<Live> {
    let id = folder.file_name()?.to_str()?.to_owned();
    let record = open_record(&folder).ok()?;
    match record.try_lock() {
        Ok(()) => Some(Live { id, folder, record: Some(record) }),
        Err(TryLockError::WouldBlock | TryLockError::Error(_)) => None,
    }
}

fn open_record(folder: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).open(folder.join(RECORD))
}

fn private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

impl Live {
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn slot(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Writes down what has to be taken away if this process dies now; the last whole line counts.
    pub fn note(&self, record: &LiveRecord) -> io::Result<()> {
        let mut line = serde_json::to_vec(record)?;
        line.push(b'\n');
        match &self.record {
            Some(record) => (&mut &*record).write_all(&line),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn record(&self) -> LiveRecord {
        let bytes = fs::read(self.folder.join(RECORD)).unwrap_or_default();
        let mut lines = bytes.rsplit(|byte| *byte == b'\n');
        lines.find_map(|line| serde_json::from_slice(line).ok()).unwrap_or_default()
    }

    /// When a container was asked for that may still be in the making; long ago, if the engine has said that it is there.
    fn asked_for_at(&self, record: &LiveRecord) -> SystemTime {
        let written = fs::metadata(self.folder.join(RECORD)).and_then(|known| known.modified());
        written.ok().filter(|_| !record.is_made).unwrap_or(SystemTime::UNIX_EPOCH)
    }

    /// Scrubs the scratch slot (Rule W).
    pub fn scrub(&self) -> io::Result<()> {
        tree::remove(&self.slot("data"))
    }

    /// Ends what the record names and removes the folder.
    fn take_away(mut self, patience: Deadline) -> Result<Leftover, String> {
        bwrap::kill_strays(&self.id);
        let outcome = self.clear(patience);
        // What is left is the next sweep's.
        self.record = None;
        outcome
    }

    fn clear(&self, patience: Deadline) -> Result<Leftover, String> {
        let record = self.record();
        if let Some((id, started)) = record.init {
            Tie { id, started }.kill();
        }
        let left = cgroup::remove(&record.cgroups);
        if let Some(group) = left.first() {
            return Err(format!("the control group {} cannot be removed", group.display()));
        }
        if let (Some(socket), Some(container)) = (&record.socket, &record.container) {
            let asked_for = self.asked_for_at(&record);
            if container::remove_leftover(socket, container, asked_for, patience)? == Leftover::MayCome {
                return Ok(Leftover::MayCome);
            }
        }
        self.remove_folder().map_err(|error| format!("remove {}: {error}", self.folder.display()))?;
        Ok(Leftover::Gone)
    }

    /// Processes that are just being killed may still make files.
    fn remove_folder(&self) -> io::Result<()> {
        let last = Deadline::after(Duration::from_secs(5));
        loop {
            match tree::remove(&self.folder) {
                Ok(()) => return Ok(()),
                Err(error) if last.has_passed() => return Err(error),
                Err(_) => drop(pause(Deadline::after(Duration::from_millis(20)), None)),
            }
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        if self.record.is_some() && self.folder.exists() {
            // What cannot be removed now is named by the next sweep.
            let _ = self.clear(Patience::Full.deadline());
        }
    }
}
