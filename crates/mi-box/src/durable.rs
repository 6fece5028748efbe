//! Waits until a sealed run is on the disk. A run is reported only after that.
//!
//! Holds: all of it is asked for at once, so that the file system writes its journal once or twice, not once for
//! every file.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

/// More than this many files are not worth a wait each: the whole file system is asked instead.
const EACH: usize = 64;
const AT_ONCE: usize = 8;

/// Waits for everything below the folder of a run, for its name, and for `others` that tell of it.
pub fn make_durable(run: &Path, others: &[PathBuf]) -> io::Result<()> {
    let mut paths: Vec<PathBuf> = run.parent().map(Path::to_owned).into_iter().collect();
    paths.extend_from_slice(others);
    let named = paths.len();
    list(run, &mut paths)?;
    if paths.len() > EACH {
        rustix::fs::syncfs(File::open(run)?)?;
        paths.truncate(named);
    }
    wait_for(&paths)
}

/// The folder and all below it; a sealed run holds nothing but files and folders.
fn list(folder: &Path, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    paths.push(folder.to_owned());
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            list(&entry.path(), paths)?;
        } else if kind.is_file() {
            paths.push(entry.path());
        }
        if paths.len() > EACH {
            break;
        }
    }
    Ok(())
}

fn wait_for(paths: &[PathBuf]) -> io::Result<()> {
    let sync = |path: &PathBuf| File::open(path)?.sync_all();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_ONCE.min(paths.len()))
            .map(|first| scope.spawn(move || paths.iter().skip(first).step_by(AT_ONCE).try_for_each(sync)))
            .collect();
        workers.into_iter().try_for_each(|worker| {
            worker.join().unwrap_or_else(|_| Err(io::Error::other("a thread that waits for the disk ended")))
        })
    })
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
