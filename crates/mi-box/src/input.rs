//! Fills the `input` slot: a folder's files, or the files of a reply. No link is followed (X13).

use mi_admission::Denial;
use rustix::{
    fd::OwnedFd,
    fs::{self, AtFlags, Dir, FileType, Mode, OFlags},
};
use sha2::{Digest, Sha256};
use std::{
    ffi::CStr,
    fs::File,
    io::{self, Write},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use crate::tree;

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW);
/// How deep a folder is copied.
const DEPTH: usize = 256;
/// Names that hold credentials wherever they stand (F.6, Rule S).
const SECRET_NAMES: [&str; 17] = [
    ".ssh",
    ".aws",
    ".azure",
    ".gnupg",
    ".kube",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".pypirc",
    ".git-credentials",
    ".dockercfg",
    "credentials.json",
    "application_default_credentials.json",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
];
const SECRET_PATHS: [&str; 5] =
    [".config/gcloud", ".docker/config.json", ".mozilla", ".config/google-chrome", ".config/chromium"];

/// What goes into `input`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    Nothing,
    Folder(PathBuf),
    /// Some of a folder's files and links, by their paths below it.
    Chosen {
        root: PathBuf,
        paths: Vec<String>,
    },
    /// The files of a reply.
    Files(Vec<InputFile>),
}

/// One file of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputFile {
    /// Below the slot; checked by extraction.
    pub path: String,
    pub content: Vec<u8>,
    pub executable: bool,
}

/// Why the slot was not filled.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    #[error("a secret would be seen in the box")]
    Secret(Vec<Denial>),
    #[error("copy {} into the box", .path.display())]
    Copy { path: PathBuf, source: io::Error },
}

/// Fills the slot. The answer is a digest of all names and contents.
pub(crate) fn fill(slot: &Path, input: &Input) -> Result<String, InputError> {
    let mut copy = Copy { digest: Sha256::new(), denials: Vec::new() };
    let copied = match input {
        Input::Nothing => Ok(()),
        Input::Folder(from) => copy.whole_folder(from, slot),
        Input::Chosen { root, paths } => paths.iter().try_for_each(|path| copy.chosen(root, slot, path)),
        Input::Files(files) => files.iter().try_for_each(|file| copy.file_of_reply(slot, file)),
    };
    let from = match input {
        Input::Folder(from) | Input::Chosen { root: from, .. } => from.clone(),
        Input::Nothing | Input::Files(_) => slot.to_owned(),
    };
    copied.map_err(|source| InputError::Copy { path: from, source })?;
    if !copy.denials.is_empty() {
        return Err(InputError::Secret(copy.denials));
    }
    Ok(copy.digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

struct Copy {
    digest: Sha256,
    denials: Vec<Denial>,
}

impl Copy {
    fn whole_folder(&mut self, from: &Path, slot: &Path) -> io::Result<()> {
        // The person named the folder: the last step to it may be a link.
        let source = fs::open(from, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        let target = fs::open(slot, FOLDER, Mode::empty())?;
        self.folder(&source, &target, "", DEPTH)
    }

    /// One entry of a folder, with the folders above it.
    fn chosen(&mut self, root: &Path, slot: &Path, path: &str) -> io::Result<()> {
        let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
        std::fs::create_dir_all(slot.join(above))?;
        let open = |folder: PathBuf| fs::open(folder, FOLDER, Mode::empty());
        let (from, to) = (open(root.join(above))?, open(slot.join(above))?);
        let name = std::ffi::CString::new(name).map_err(io::Error::other)?;
        self.entry(&from, &to, &name, above, DEPTH)
    }

    fn folder(&mut self, from: &OwnedFd, to: &OwnedFd, above: &str, depth: usize) -> io::Result<()> {
        let mut names: Vec<std::ffi::CString> = Vec::new();
        for entry in Dir::read_from(from)? {
            let entry = entry?;
            if !tree::is_dots(entry.file_name().to_bytes()) {
                names.push(entry.file_name().to_owned());
            }
        }
        names.sort();
        names.iter().try_for_each(|name| self.entry(from, to, name, above, depth))
    }

    fn entry(
        &mut self,
        from: &OwnedFd,
        to: &OwnedFd,
        name: &CStr,
        above: &str,
        depth: usize,
    ) -> io::Result<()> {
        let shown = name.to_string_lossy();
        let path = if above.is_empty() { shown.into_owned() } else { format!("{above}/{shown}") };
        if holds_credentials(&path) {
            let reason = "credentials do not go into the box; take them out of the folder";
            self.denials.push(Denial::new("S.mounts", format!("input/{}", path.escape_debug()), reason));
            return Ok(());
        }
        let stat = fs::statat(from, name, AtFlags::SYMLINK_NOFOLLOW)?;
        self.digest.update(path.as_bytes());
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory if depth == 0 => Err(io::Error::other(format!("{path} is too deep"))),
            FileType::Directory => {
                fs::mkdirat(to, name, Mode::from_raw_mode(0o755))?;
                let inner_from = fs::openat(from, name, FOLDER, Mode::empty())?;
                let inner_to = fs::openat(to, name, FOLDER, Mode::empty())?;
                self.digest.update(b"\0folder\0");
                self.folder(&inner_from, &inner_to, &path, depth - 1)
            }
            FileType::RegularFile => self.file(from, to, name, stat.st_mode & 0o111 != 0),
            FileType::Symlink => {
                let target = fs::readlinkat(from, name, Vec::new())?;
                self.digest.update(b"\0link\0");
                self.digest.update(target.to_bytes());
                Ok(fs::symlinkat(target.as_c_str(), to, name)?)
            }
            _ => Err(io::Error::other(format!("{path} is neither file, folder nor link; take it out"))),
        }
    }

    fn file(&mut self, from: &OwnedFd, to: &OwnedFd, name: &CStr, executable: bool) -> io::Result<()> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let mut source = File::from(fs::openat(from, name, flags, Mode::empty())?);
        let mode = Mode::from_raw_mode(if executable { 0o755 } else { 0o644 });
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let target = File::from(fs::openat(to, name, flags, mode)?);
        self.digest.update(kind(executable));
        let mut both = Both { file: target, digest: &mut self.digest };
        io::copy(&mut source, &mut both).map(drop)
    }

    fn file_of_reply(&mut self, slot: &Path, file: &InputFile) -> io::Result<()> {
        let InputFile { path, content, executable } = file;
        if holds_credentials(path) {
            let reason = "a file with this name does not go into the box";
            self.denials.push(Denial::new("S.mounts", format!("input/{path}"), reason));
            return Ok(());
        }
        let place = slot.join(path);
        if let Some(above) = place.parent() {
            std::fs::create_dir_all(above)?;
        }
        self.digest.update(path.as_bytes());
        self.digest.update(kind(*executable));
        self.digest.update(content);
        std::fs::write(&place, content)?;
        let mode = if *executable { 0o755 } else { 0o644 };
        std::fs::set_permissions(place, PermissionsExt::from_mode(mode))
    }
}

/// What stands in the digest before a file's content.
fn kind(executable: bool) -> &'static [u8] {
    if executable { b"\0program\0" } else { b"\0file\0" }
}

/// Writes to a file and a digest at once.
struct Both<'a> {
    file: File,
    digest: &'a mut Sha256,
}

impl Write for Both<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.digest.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Whether a path is one that credentials are kept under.
pub(crate) fn holds_credentials(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let below = |known: &&str| {
        path == *known || path.ends_with(&format!("/{known}")) || path.starts_with(&format!("{known}/"))
    };
    SECRET_NAMES.contains(&name) || SECRET_PATHS.iter().any(below)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// Files keep their bytes and whether they can be run; links stay links; the digest tells contents apart.
    #[test]
    fn x_13_links_are_copied_as_links_and_never_followed() {
        let scratch = mi_test_support::Scratch::new("input");
        let secret = scratch.write("outside/secret", "not for the box");
        scratch.write("from/a/b.txt", "one");
        symlink(&secret, scratch.path().join("from/leak")).unwrap();
        let slot = |name: &str| {
            std::fs::create_dir(scratch.path().join(name)).unwrap();
            scratch.path().join(name)
        };
        let input = Input::Folder(scratch.path().join("from"));
        let (one, two) = (slot("one"), slot("two"));
        let first = fill(&one, &input).unwrap();
        assert_eq!(std::fs::read(one.join("a/b.txt")).unwrap(), b"one");
        assert!(one.join("leak").is_symlink());
        assert_eq!(fill(&two, &input).unwrap(), first);
        scratch.write("from/a/b.txt", "two");
        assert_ne!(fill(&slot("three"), &input).unwrap(), first);
    }

    /// Folders that hold credentials are refused by name, wherever they stand.
    #[test]
    fn f_06_s_credentials_do_not_enter() {
        for path in
            [".ssh", "home/.aws", "x/.config/gcloud", ".netrc", "a/credentials.json", "a/.docker/config.json"]
        {
            assert!(holds_credentials(path), "{path}");
        }
        for path in ["ssh", "src/aws.rs", ".config/other", ".dockerignore", "credentials.json.md"] {
            assert!(!holds_credentials(path), "{path}");
        }
    }
}
