//! What the gate asks about this machine's files.

use mi_gate::permission::{GitSettings, World};
use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
};

/// The file system as it is.
pub(super) struct Disk;

impl World for Disk {
    fn real_path(&self, absolute: &str) -> Option<String> {
        fs::canonicalize(absolute).ok()?.into_os_string().into_string().ok()
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
}

/// The nearest folder above that holds `.git`.
pub(super) fn git_root(folder: &Path) -> Option<PathBuf> {
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

fn read_settings(root: &Path) -> Option<GitSettings> {
    let own = git_folder(root)?;
    let common = match fs::read_to_string(own.join("commondir")) {
        Ok(path) => own.join(path.trim()),
        Err(_) => own.clone(),
    };
    let mut configs = Vec::new();
    for path in [common.join("config"), common.join("config.worktree"), own.join("config.worktree")] {
        if path.exists() {
            configs.push(fs::read_to_string(&path).ok()?);
        }
    }
    let hooks = fs::read_dir(common.join("hooks")).into_iter().flatten().flatten();
    let is_executable =
        |path: &Path| fs::metadata(path).is_ok_and(|file| file.permissions().mode() & 0o111 != 0);
    let hooks = hooks
        .filter(|hook| is_executable(&hook.path()))
        .map(|hook| hook.file_name().to_string_lossy().into_owned())
        .collect();
    Some(GitSettings::Found { configs, hooks })
}
