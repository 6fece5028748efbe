//! Folders that a box has written: measured without following links, and removed whatever their shape.

use rustix::{
    fd::OwnedFd,
    fs::{self, AtFlags, CWD, Dir, FileType, Mode, OFlags},
    io::Errno,
};
use std::{io, path::Path};

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW);
/// How deep a folder is looked into; deeper ones are removed, never collected.
pub(crate) const DEPTH: usize = 64;

/// What lies in a folder, by apparent size and on the disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) apparent: u64,
    pub(crate) on_disk: u64,
}

/// Adds up the files below a folder. What cannot be opened counts nothing now and is looked at again later.
pub(crate) fn measure(folder: &Path) -> Size {
    let mut size = Size::default();
    if let Ok(folder) = fs::open(folder, FOLDER, Mode::empty()) {
        add_up(&folder, DEPTH, &mut size);
    }
    size
}

fn add_up(folder: &OwnedFd, depth: usize, size: &mut Size) {
    let Ok(listing) = Dir::read_from(folder) else { return };
    for entry in listing.filter_map(Result::ok).filter(|entry| !is_dots(entry.file_name().to_bytes())) {
        let Ok(known) = fs::statat(folder, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW) else { continue };
        size.on_disk += known.st_blocks.unsigned_abs() * 512;
        match FileType::from_raw_mode(known.st_mode) {
            FileType::RegularFile => size.apparent += known.st_size.unsigned_abs(),
            FileType::Directory if depth > 0 => {
                if let Ok(inner) = fs::openat(folder, entry.file_name(), FOLDER, Mode::empty()) {
                    add_up(&inner, depth - 1, size);
                }
            }
            _ => {}
        }
    }
}

pub(crate) fn is_dots(name: &[u8]) -> bool {
    matches!(name, b"." | b"..")
}

/// Removes every folder below that holds no file.
pub(crate) fn remove_empty_folders(folder: &OwnedFd) -> io::Result<()> {
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let known = fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
        if is_dots(name.to_bytes()) || FileType::from_raw_mode(known.st_mode) != FileType::Directory {
            continue;
        }
        remove_empty_folders(&fs::openat(folder, name, FOLDER, Mode::empty())?)?;
        match fs::unlinkat(folder, name, AtFlags::REMOVEDIR) {
            Ok(()) | Err(Errno::NOTEMPTY | Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Removes a folder and all in it. Folders without permissions are given them; folders inside are moved up before
/// they are emptied, so that no depth and no length of a path is too much.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    let top = match open_folder(CWD, path) {
        Ok(top) => top,
        Err(Errno::NOENT) => return Ok(()),
        Err(Errno::NOTDIR | Errno::LOOP) => return Ok(fs::unlink(path)?),
        Err(error) => return Err(error.into()),
    };
    let mut number = 0_u64;
    while let Some(inner) = empty_but_for_one(&top, None, &mut number)? {
        let folder = open_folder(&top, inner.as_c_str())?;
        while empty_but_for_one(&folder, Some(&top), &mut number)?.is_some() {}
        fs::unlinkat(&top, inner.as_c_str(), AtFlags::REMOVEDIR)?;
    }
    Ok(fs::rmdir(path)?)
}

/// Unlinks all files of a folder. Folders are moved to `up`; without it the first one is named.
fn empty_but_for_one(
    folder: &OwnedFd,
    up: Option<&OwnedFd>,
    number: &mut u64,
) -> io::Result<Option<std::ffi::CString>> {
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if is_dots(name.to_bytes()) {
            continue;
        }
        match fs::unlinkat(folder, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(Errno::ISDIR | Errno::PERM) => match up {
                None => return Ok(Some(name.to_owned())),
                Some(up) => move_up(folder, name, up, number)?,
            },
            Err(error) => return Err(error.into()),
        }
    }
    Ok(None)
}

fn move_up(folder: &OwnedFd, name: &std::ffi::CStr, up: &OwnedFd, number: &mut u64) -> io::Result<()> {
    loop {
        *number += 1;
        match fs::renameat_with(folder, name, up, format!(".mi-{number}"), fs::RenameFlags::NOREPLACE) {
            Err(Errno::EXIST) => {}
            // A folder that may not be written cannot be moved either: its `..` changes.
            Err(Errno::ACCESS) => {
                fs::chmodat(folder, name, Mode::RWXU, AtFlags::empty())?;
            }
            other => return Ok(other?),
        }
    }
}

/// Opens a folder; one that its owner may not read is made readable first.
fn open_folder<P: rustix::path::Arg + Copy>(at: impl rustix::fd::AsFd, path: P) -> Result<OwnedFd, Errno> {
    let known = fs::statat(&at, path, AtFlags::SYMLINK_NOFOLLOW)?;
    if FileType::from_raw_mode(known.st_mode) == FileType::Directory && known.st_mode & 0o700 != 0o700 {
        // Between the two a link cannot get there: everything that could put it there is dead.
        let _ = fs::chmodat(&at, path, Mode::RWXU, AtFlags::empty());
    }
    fs::openat(&at, path, FOLDER, Mode::empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    /// Links are removed, not followed; closed and very deep folders go as well.
    #[test]
    fn w_whatever_a_box_leaves_is_removed() {
        let scratch = mi_test_support::Scratch::new("tree");
        let kept = scratch.write("kept/file", "x");
        let top = scratch.path().join("top");
        scratch.write("top/closed/inner/file", "12345");
        symlink(scratch.path().join("kept"), top.join("link")).unwrap();
        std::fs::set_permissions(top.join("closed/inner"), PermissionsExt::from_mode(0o000)).unwrap();
        std::fs::set_permissions(top.join("closed"), PermissionsExt::from_mode(0o500)).unwrap();
        let mut at = open_folder(CWD, top.as_path()).unwrap();
        for _ in 0..3000 {
            fs::mkdirat(&at, "d", Mode::RWXU).unwrap();
            at = fs::openat(&at, "d", FOLDER, Mode::empty()).unwrap();
        }
        assert!(measure(&top).apparent <= 5);
        remove(&top).unwrap();
        assert!(!top.exists() && kept.exists());
        remove(&top).unwrap();
    }
}
