//! After a crash: stages that nobody owns any more are finished, taken back or removed.
//!
//! A folder that only looks like a stage is left alone: a stage is this user's, closed to all others, and its journal
//! has plain paths. A clone or an archive cannot bring one along by accident.

use rustix::{
    fs::{self, AtFlags, Mode, OFlags},
    io::Errno,
};
use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use super::{
    target::{open_root, walk},
    write::{JOURNAL, JOURNAL_END, STAGE, Stage, UNDO},
};

/// Sweeps the stages in a target; says what was done to each.
pub(super) fn recover(out: &Path) -> io::Result<Vec<String>> {
    let root = match open_root(out) {
        Ok(root) => root,
        Err(Errno::NOENT | Errno::NOTDIR) => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    let names: Vec<String> = fs::Dir::read_from(&root)?
        .filter_map(|entry| entry.ok()?.file_name().to_str().ok().map(str::to_owned))
        .filter(|name| name.starts_with(STAGE))
        .collect();
    let mut said = Vec::new();
    for name in names {
        let adopted = Stage::adopt(walk(&root, "")?, &name)?;
        if let Some(mut stage) = adopted.filter(Stage::is_ours) {
            said.push(stage.settle()?);
        }
    }
    Ok(said)
}

impl Stage {
    fn is_ours(&self) -> bool {
        fs::fstat(&self.folder).is_ok_and(|known| {
            known.st_mode & 0o777 == 0o700 && known.st_uid == rustix::process::geteuid().as_raw()
        })
    }

    /// Brings a stage that its owner left to its end.
    fn settle(&mut self) -> io::Result<String> {
        if let Some(paths) = self.read_journal(UNDO)? {
            for (index, path) in paths.iter().enumerate().rev() {
                match self.take_back(index, path) {
                    Ok(()) | Err(Errno::NOENT) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            self.clear(paths.len());
            return Ok(format!("took back {} files of an interrupted extraction", paths.len()));
        }
        if let Some(paths) = self.read_journal(JOURNAL)? {
            for (index, path) in paths.iter().enumerate() {
                if fs::statat(&self.folder, index.to_string(), AtFlags::SYMLINK_NOFOLLOW).is_ok() {
                    self.place(index, path, true)?;
                }
            }
            self.clear(paths.len());
            return Ok(format!("finished an interrupted extraction of {} files", paths.len()));
        }
        // No journal: nothing reached its place.
        let staged = fs::Dir::read_from(&self.folder)?.count();
        self.clear(staged);
        Ok("removed what an interrupted extraction had staged".to_owned())
    }

    /// The paths of a journal; none if there is none, or if it was not finished.
    fn read_journal(&self, name: &str) -> io::Result<Option<Vec<String>>> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = match fs::openat(&self.folder, name, flags, Mode::empty()) {
            Ok(file) => File::from(file),
            Err(Errno::NOENT) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let mut text = String::new();
        file.take(1 << 26).read_to_string(&mut text)?;
        let Some(paths) = text.strip_suffix(JOURNAL_END) else { return Ok(None) };
        if !paths.lines().all(is_plain) {
            return Err(io::Error::other(format!("{}/{name} is not a journal of mi", self.name)));
        }
        Ok(Some(paths.lines().map(str::to_owned).collect()))
    }
}

/// Below the target, and not git's own.
fn is_plain(path: &str) -> bool {
    path.split('/').all(|part| !matches!(part, "" | "." | "..") && !part.eq_ignore_ascii_case(".git"))
}
