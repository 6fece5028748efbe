//! A disk that fills up at once, or cannot be written: a tmpfs on a folder.

use std::{
    fs::OpenOptions,
    io::Write,
    path::{Path, PathBuf},
    process::Command,
};

use crate::skipped;

/// A small disk mounted on a folder; unmounted when dropped.
#[derive(Debug)]
pub struct SmallDisk {
    folder: PathBuf,
}

impl SmallDisk {
    /// Mounts a disk of `kibibytes`. `None`, and the test is noted as skipped, where that is not allowed.
    pub fn mount(folder: &Path, kibibytes: u32) -> Option<Self> {
        let size = format!("size={kibibytes}k");
        if !mount(&["-t", "tmpfs", "-o", &size, "tmpfs"], folder) {
            skipped("a small tmpfs cannot be mounted here (needs root)");
            return None;
        }
        Some(Self { folder: folder.to_owned() })
    }

    /// Fills the disk to its last page. The file can be removed again.
    pub fn fill(&self) -> PathBuf {
        let path = self.folder.join("filler");
        let mut file = OpenOptions::new().create(true).append(true).open(&path).expect("open the filler");
        while file.write_all(&[b'x'; 4096]).is_ok() {}
        path
    }

    /// From now on nothing can be written.
    pub fn make_read_only(&self) {
        assert!(mount(&["-o", "remount,ro"], &self.folder), "make {} read-only", self.folder.display());
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.folder).status();
    }
}

fn mount(arguments: &[&str], folder: &Path) -> bool {
    Command::new("mount").args(arguments).arg(folder).output().is_ok_and(|done| done.status.success())
}
