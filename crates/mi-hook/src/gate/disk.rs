//! What the gate asks about this machine's files.
//!
//! Holds: nothing is started; what a repository makes git run is read from its files, those of its submodules too, and
//! what cannot be read is unknown, which is never taken for harmless.

use mi_gate::permission::{Entry, EntryKind, FileText, GitSettings, World};
use std::{
    fs, io,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::{Component, Path, PathBuf},
};

/// The file system as it is.
#[derive(Debug, Clone, Copy, Default)]
pub struct Disk;

impl World for Disk {
    fn real_path(&self, absolute: &str) -> Option<String> {
        follow(Path::new(absolute))?.into_os_string().into_string().ok()
    }

    fn project_root(&self, folder: &str) -> Option<String> {
        let folder = fs::canonicalize(folder).ok()?;
        git_root(&folder)?.into_os_string().into_string().ok()
    }

    fn current_branch(&self, folder: &str) -> Option<String> {
        let root = git_root(&fs::canonicalize(folder).ok()?)?;
        let head = fs::read_to_string(git_folder(&root)?.join("HEAD")).ok()?;
        Some(head.trim().strip_prefix("ref: refs/heads/")?.to_owned())
    }

    fn git_settings(&self, folder: &str) -> GitSettings {
        let Ok(folder) = fs::canonicalize(folder) else { return GitSettings::Unknown };
        // Git takes a folder that looks like a bare repository for one.
        if folder.ancestors().any(|folder| folder.join("HEAD").exists() && folder.join("objects").exists()) {
            return GitSettings::Unknown;
        }
        let Some(root) = git_root(&folder) else { return GitSettings::None };
        read_settings(&root).unwrap_or(GitSettings::Unknown)
    }

    fn has_other_names(&self, absolute: &str) -> bool {
        fs::metadata(absolute).is_ok_and(|file| file.is_file() && file.nlink() > 1)
    }

    fn has_name_below(&self, absolute: &str, folder: &str) -> bool {
        let Ok(file) = fs::metadata(absolute) else { return false };
        let mut open = vec![PathBuf::from(folder)];
        let mut seen = 0;
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                seen += 1;
                // Not all of it was looked at.
                if seen > MAX_NAMES {
                    return true;
                }
                match entry.metadata() {
                    Ok(found) if found.is_dir() => open.push(entry.path()),
                    Ok(found) if (found.dev(), found.ino()) == (file.dev(), file.ino()) => return true,
                    _ => {}
                }
            }
        }
        false
    }

    fn text(&self, absolute: &str) -> FileText {
        match fs::symlink_metadata(absolute) {
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return FileText::Missing;
            }
            Err(_) => return FileText::Unknown,
            Ok(_) => {}
        }
        // A pipe or a device would be waited for.
        let ordinary =
            fs::metadata(absolute).is_ok_and(|file| file.is_file() && file.len() <= MAX_CONFIG_BYTES);
        match ordinary.then(|| fs::read_to_string(absolute)) {
            Some(Ok(text)) => FileText::Text(text),
            _ => FileText::Unknown,
        }
    }

    fn names(&self, folder: &str) -> Option<Vec<String>> {
        match fs::read_dir(folder) {
            Ok(entries) => entries
                .take(MAX_NAMES)
                .map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
                .collect(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Some(Vec::new()),
            Err(_) => None,
        }
    }

    fn entries(&self, folder: &str) -> Option<Vec<Entry>> {
        let read = match fs::read_dir(folder) {
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Some(Vec::new());
            }
            read => read.ok()?,
        };
        let entries: Option<Vec<Entry>> =
            read.take(MAX_ENTRIES + 1).map(|found| entry(&found.ok()?)).collect();
        entries.filter(|entries| entries.len() <= MAX_ENTRIES)
    }
}

fn entry(found: &fs::DirEntry) -> Option<Entry> {
    let kind = match found.file_type().ok()? {
        kind if kind.is_symlink() => EntryKind::Link,
        kind if kind.is_dir() => EntryKind::Folder,
        _ => EntryKind::File,
    };
    Some(Entry { name: found.file_name().to_string_lossy().into_owned(), kind })
}

/// Things in one folder that are looked at one by one.
const MAX_ENTRIES: usize = 50_000;

/// Names of one folder that are looked at.
const MAX_NAMES: usize = 4096;

/// Where a path leads, also through a link to something that is not there yet: writing to it would make it.
fn follow(path: &Path) -> Option<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..40 {
        if let Ok(real) = fs::canonicalize(&path) {
            return Some(real);
        }
        let target = fs::read_link(&path).ok()?;
        let next = plain(&path.parent()?.join(target));
        if fs::symlink_metadata(&next).is_err() {
            let parent = next.parent().and_then(|parent| fs::canonicalize(parent).ok());
            return Some(match (parent, next.file_name()) {
                (Some(parent), Some(name)) => parent.join(name),
                _ => next,
            });
        }
        path = next;
    }
    None
}

/// Without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

/// The nearest folder above that holds `.git`.
pub fn git_root(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok()).map(Path::to_path_buf)
}

/// `.git`, or where a worktree's `.git` file points.
fn git_folder(root: &Path) -> Option<PathBuf> {
    let path = root.join(".git");
    if path.is_dir() {
        return Some(path);
    }
    let pointer = fs::read_to_string(&path).ok()?;
    Some(root.join(pointer.trim().strip_prefix("gitdir:")?.trim()))
}

/// A settings file that is larger than this is not an ordinary one.
const MAX_CONFIG_BYTES: u64 = 1 << 20;
/// Submodules that are looked into.
const MAX_MODULES: usize = 500;

fn read_settings(root: &Path) -> Option<GitSettings> {
    let own = git_folder(root)?;
    let common = match fs::read_to_string(own.join("commondir")) {
        Ok(path) => own.join(path.trim()),
        Err(_) => own.clone(),
    };
    let mut configs = Vec::new();
    let mut hooks = Vec::new();
    for folder in [common.clone(), own.clone()].into_iter().chain(modules(&common.join("modules"))?) {
        let is_module = folder != common && folder != own;
        for name in ["config", "config.worktree"] {
            configs.extend(config(&folder.join(name), is_module)?);
        }
        hooks.extend(executables(&folder.join("hooks")));
    }
    // A repository inside of the tree that no submodule folder stands for has settings of its own.
    if has_links(&own.join("index"))? && !common.join("modules").is_dir() {
        return None;
    }
    Some(GitSettings::Found { configs, hooks })
}

/// The text of a settings file; an empty one where there is none. Submodules name their own tree, which is no danger.
fn config(path: &Path, is_module: bool) -> Option<Vec<String>> {
    let Ok(found) = fs::metadata(path) else {
        return path.symlink_metadata().is_err().then(Vec::new);
    };
    if !found.is_file() || found.len() > MAX_CONFIG_BYTES {
        return None;
    }
    let text = fs::read_to_string(path).ok()?;
    let names_tree = |line: &&str| line.trim_start().to_lowercase().starts_with("worktree");
    Some(vec![match is_module {
        true => text.lines().filter(|line| !names_tree(line)).collect::<Vec<_>>().join("\n"),
        false => text,
    }])
}

fn executables(folder: &Path) -> Vec<String> {
    let is_executable =
        |path: &Path| fs::metadata(path).is_ok_and(|file| file.permissions().mode() & 0o111 != 0);
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter(|hook| is_executable(&hook.path()))
        .map(|hook| hook.file_name().to_string_lossy().into_owned())
        .collect()
}

/// The git folders of submodules, which `git status` looks into; none if there are too many to read.
fn modules(folder: &Path) -> Option<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        let is_repository = folder.join("HEAD").is_file();
        if is_repository {
            found.push(folder.clone());
        }
        if found.len() > MAX_MODULES || open.len() > MAX_MODULES {
            return None;
        }
        let inner = if is_repository { folder.join("modules") } else { folder };
        let entries = fs::read_dir(inner).into_iter().flatten().flatten();
        open.extend(entries.map(|entry| entry.path()).filter(|path| path.is_dir()));
    }
    Some(found)
}

/// An index that is larger than this is not looked through.
const MAX_INDEX_BYTES: u64 = 64 << 20;

/// Whether the index has entries that are repositories themselves (mode 160000).
fn has_links(index: &Path) -> Option<bool> {
    match fs::metadata(index) {
        Ok(file) if file.is_file() && file.len() <= MAX_INDEX_BYTES => {
            let bytes = fs::read(index).ok()?;
            Some(bytes.windows(4).any(|mode| mode == [0, 0, 0xe0, 0]))
        }
        Ok(_) => None,
        Err(_) => Some(false),
    }
}
