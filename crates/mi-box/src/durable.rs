//! Waits until a sealed run is on the disk. A run is reported only after that.
//!
//! Holds: files come before the folders that name them. On a machine that has little else to write, one wait for the whole
//! file system is the shortest. On a busy one that would be a wait for everybody's files: ours are waited for side by
//! side, since a disk that has much to do takes them together (measured: a quarter of the time of one after the other).

use std::{
    fs::{self, File},
    io::{self, Write},
    os::{fd::AsRawFd, unix::fs::MetadataExt},
    path::{Path, PathBuf},
    thread,
};

/// More than this many files are not worth a wait each: the whole file system is asked instead.
const EACH: usize = 64;
/// More threads would not be faster.
const SIDE_BY_SIDE: usize = 8;
/// A disk takes this in a few milliseconds.
const QUIET_KIBIBYTES: u64 = 4096;

/// Writes a file that is to be waited for later.
pub(crate) fn write(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes.as_ref())?;
    send_off(&file);
    Ok(())
}

/// Waits for everything below the folder of a run, for its name, and for `others` that tell of it.
pub fn make_durable(run: &Path, others: &[PathBuf]) -> io::Result<()> {
    let mut found = Found::default();
    found.list(run)?;
    let others = others.iter().map(File::open).collect::<io::Result<Vec<File>>>()?;
    let place = File::open(run)?;
    let device = place.metadata()?.dev();
    let are_near = others.iter().all(|file| file.metadata().is_ok_and(|known| known.dev() == device));
    let is_many = found.files.len() + found.folders.len() > EACH;
    if is_many || (are_near && is_quiet() && whole_tells_errors()) {
        rustix::fs::syncfs(place)?;
        return if is_many { others.iter().try_for_each(File::sync_all) } else { Ok(()) };
    }
    let open = |paths: &[PathBuf]| paths.iter().map(File::open).collect::<io::Result<Vec<File>>>();
    let mut files = open(&found.files)?;
    files.extend(others);
    files.iter().for_each(send_off);
    wait_for(&files)?;
    let mut folders = found.folders;
    folders.extend(run.parent().map(Path::to_owned));
    wait_for(&open(&folders)?)
}

/// Waits for all of them, side by side.
fn wait_for(files: &[File]) -> io::Result<()> {
    let wait = |part: &[File]| part.iter().try_for_each(File::sync_all);
    let share = files.len().div_ceil(SIDE_BY_SIDE).max(1);
    thread::scope(|scope| {
        let begin = |part| {
            let begun = thread::Builder::new().spawn_scoped(scope, move || wait(part));
            // Without a thread it is waited for here.
            begun.map_err(|_| part)
        };
        let begun: Vec<_> = files.chunks(share).map(begin).collect();
        begun.into_iter().try_for_each(|begun| match begun {
            Ok(thread) => {
                thread.join().unwrap_or_else(|_| Err(io::Error::other("the wait for the disk failed")))
            }
            Err(part) => wait(part),
        })
    })
}

/// Whether nothing on this machine waits to be written but a little.
fn is_quiet() -> bool {
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kibibytes = |name: &str| {
        let line = memory.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    let waiting = kibibytes("Dirty:").and_then(|dirty| Some(dirty + kibibytes("Writeback:")?));
    waiting.is_some_and(|waiting| waiting <= QUIET_KIBIBYTES)
}

/// Whether a wait for the whole file system says what could not be written: since Linux 5.8.
fn whole_tells_errors() -> bool {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let mut numbers = release.split('.').map(str::parse::<u32>);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => (major, minor) >= (5, 8),
        _ => false,
    }
}

/// Begins to write a file to the disk. Only a head start: whether it arrives is known when it is waited for.
#[expect(unsafe_code, reason = "no library has this call")]
fn send_off(file: &File) {
    // SAFETY: the descriptor is open while it is borrowed, and no memory is passed.
    let _ = unsafe { libc::sync_file_range(file.as_raw_fd(), 0, 0, libc::SYNC_FILE_RANGE_WRITE) };
}

#[derive(Default)]
struct Found {
    files: Vec<PathBuf>,
    /// The innermost first.
    folders: Vec<PathBuf>,
}

impl Found {
    /// The folder and all below it; a sealed run holds nothing but files and folders.
    fn list(&mut self, folder: &Path) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                self.list(&entry.path())?;
            } else if kind.is_file() {
                self.files.push(entry.path());
            }
            if self.files.len() + self.folders.len() > EACH {
                break;
            }
        }
        self.folders.push(folder.to_owned());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Few files, many files, and what is not there.
    #[test]
    fn u_sealed_runs_are_waited_for() {
        let scratch = mi_test_support::Scratch::new("durable");
        let run = scratch.path().join("runs/one");
        let log = scratch.write("log", "x");
        for number in 0..100 {
            scratch.write(&format!("runs/one/output/{}/{number}", number % 7), "x");
            if number % 33 == 0 {
                make_durable(&run, std::slice::from_ref(&log)).unwrap();
            }
        }
        assert!(make_durable(&run, &[scratch.path().join("gone")]).is_err());
        assert!(make_durable(&scratch.path().join("runs/two"), &[]).is_err());
    }
}
