//! One configuration file: its text before and after, its backup, and writing it.

use imara_diff::{Algorithm, BasicLineDiffPrinter, Diff, InternedInput, UnifiedDiffConfig};
use mi_formats::agent_config::EditError;
use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, Write},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use super::Wish;
use crate::failure::Failure;

pub type Add = Box<dyn Fn(&str) -> Result<String, EditError>>;
pub type Remove = Box<dyn Fn(&str, Option<&str>) -> Result<String, EditError>>;

/// A file with entries of ours.
pub struct Target {
    pub path: PathBuf,
    pub add: Add,
    /// Takes the text and the one from before.
    pub remove: Remove,
    pub backups: Backups,
    /// A new file gets the right to run.
    pub runs: bool,
}

/// Whose first texts are kept: two installations in one file know each their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backups {
    Install,
    Gate,
}

/// A file that is to be written or removed.
#[derive(Debug)]
pub struct Change {
    pub path: PathBuf,
    before: Option<String>,
    /// None removes the file.
    after: Option<String>,
    backup: Backup,
    backup_path: PathBuf,
    /// What the backup of the other installation becomes: it holds our entries if they came first.
    other_backup: Option<(PathBuf, Option<String>)>,
    runs: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum Backup {
    Leave,
    Write,
    Remove,
}

impl Target {
    /// What has to change; none when all is as it should be.
    pub fn change(&self, wish: Wish) -> Result<Option<Change>, Failure> {
        let before = read(&self.path)?;
        let backup = read(&self.backup_path())?;
        let fail = |error: &EditError| {
            Failure::new(format!("read the configuration `{}`", self.path.display()))
                .because(error)
                .todo("correct it by hand and try again; nothing was written")
        };
        let change = match wish {
            Wish::Install => self.install(before, backup.is_some()),
            Wish::Uninstall => {
                let other = self.other_backup(backup.as_deref())?;
                let change = self.uninstall(before, backup);
                change.map(|change| change.map(|change| Change { other_backup: other, ..change }))
            }
        };
        change.map_err(|error| fail(&error))
    }

    fn backup_path(&self) -> PathBuf {
        self.backup_of(self.backups)
    }

    fn backup_of(&self, backups: Backups) -> PathBuf {
        let mut name = OsString::from(&self.path);
        name.push(match backups {
            Backups::Install => ".mi-backup",
            Backups::Gate => ".mi-gate-backup",
        });
        PathBuf::from(name)
    }

    /// The other installation's backup as it would be if we had never been there, where it was made right after us.
    fn other_backup(&self, own: Option<&str>) -> Result<Option<(PathBuf, Option<String>)>, Failure> {
        let path = self.backup_of(match self.backups {
            Backups::Install => Backups::Gate,
            Backups::Gate => Backups::Install,
        });
        let Some(other) = read(&path)? else { return Ok(None) };
        let is_ours_alone = (self.add)(own.unwrap_or_default()).is_ok_and(|added| added == other);
        Ok(is_ours_alone.then(|| (path, own.map(str::to_owned))))
    }

    fn to(&self, before: Option<String>, after: Option<String>, backup: Backup) -> Change {
        let (path, backup_path) = (self.path.clone(), self.backup_path());
        Change { path, before, after, backup, backup_path, other_backup: None, runs: self.runs }
    }

    fn install(&self, before: Option<String>, has_backup: bool) -> Result<Option<Change>, EditError> {
        let text = before.clone().unwrap_or_default();
        let after = (self.add)(&text)?;
        if before.as_ref() == Some(&after) {
            return Ok(None);
        }
        // A backup from before an earlier installation that still stands is the better one.
        let is_update = has_backup && (self.remove)(&text, None)? != text;
        let backup = if before.is_some() && !is_update { Backup::Write } else { Backup::Leave };
        Ok(Some(self.to(before, Some(after), backup)))
    }

    fn uninstall(&self, before: Option<String>, backup: Option<String>) -> Result<Option<Change>, EditError> {
        let Some(text) = before else { return Ok(None) };
        let untouched = (self.add)(backup.as_deref().unwrap_or_default()).is_ok_and(|added| added == text);
        let after = match &backup {
            _ if !untouched => {
                let removed = (self.remove)(&text, backup.as_deref())?;
                // What differs only in its end is what was there before.
                let same = backup.clone().filter(|backup| backup.trim_end() == removed.trim_end());
                Some(same.unwrap_or(removed))
            }
            backup => backup.clone(),
        };
        let is_blank = |text: &String| matches!(text.trim(), "" | "{}");
        // Nothing is left but a shell, and before us there was no file, or one of our other hooks alone: it goes.
        let ours = |text: &String| text.contains(" --lifecycle") || text.contains(" --gate");
        let was_none = backup.as_ref().is_none_or(ours);
        let after = after.filter(|after| !is_blank(after) || is_blank(&text) || !was_none);
        let keep = if backup.is_some() { Backup::Remove } else { Backup::Leave };
        if after.as_ref() == Some(&text) && keep == Backup::Leave {
            return Ok(None);
        }
        Ok(Some(self.to(Some(text), after, keep)))
    }
}

impl Change {
    /// What a person is shown.
    pub fn diff(&self) -> String {
        let (before, after) =
            (self.before.as_deref().unwrap_or_default(), self.after.as_deref().unwrap_or_default());
        let input = InternedInput::new(before, after);
        let mut diff = Diff::compute(Algorithm::Histogram, &input);
        diff.postprocess_lines(&input);
        let printer = BasicLineDiffPrinter(&input.interner);
        let lines = diff.unified_diff(&printer, UnifiedDiffConfig::default(), &input);
        let what = match (&self.before, &self.after) {
            (None, _) => " (new)",
            (_, None) => " (removed)",
            _ => "",
        };
        format!("--- {}{what}\n{lines}", self.path.display())
    }

    /// Writes the backup, then the file, each as a whole.
    pub fn write(&self) -> Result<(), Failure> {
        if read(&self.path)? != self.before {
            return Err(Failure::new(format!("`{}` changed meanwhile", self.path.display()))
                .todo("run the command again"));
        }
        let fail =
            |error: io::Error| Failure::new(format!("write `{}`", self.path.display())).because(&error);
        if let (Backup::Write, Some(before)) = (&self.backup, &self.before) {
            replace(&self.backup_path, before, &self.path, false).map_err(fail)?;
        }
        match &self.other_backup {
            Some((path, Some(text))) => replace(path, text, path, false).map_err(fail)?,
            Some((path, None)) => fs::remove_file(path).map_err(fail)?,
            None => {}
        }
        match &self.after {
            // The text from before gets the rights from before: a hook that was switched off is so again.
            Some(after) if self.backup == Backup::Remove => {
                replace(&self.path, after, &self.backup_path, false).map_err(fail)?;
            }
            Some(after) => replace(&self.path, after, &self.path, self.runs).map_err(fail)?,
            None => {
                fs::remove_file(&self.path).map_err(fail)?;
                remove_empty_folders(&self.path);
            }
        }
        match self.backup {
            Backup::Remove => fs::remove_file(&self.backup_path).map_err(fail),
            Backup::Write | Backup::Leave => Ok(()),
        }
    }
}

/// Takes away the folders that an agent keeps its configuration in, if nothing is left in them.
fn remove_empty_folders(file: &Path) {
    const FOLDERS: [&str; 6] = [".claude", ".codex", ".githooks", ".opencode", "opencode", "plugin"];
    let is_agents =
        |folder: &&Path| folder.file_name().is_some_and(|name| FOLDERS.iter().any(|known| name == *known));
    for folder in file.ancestors().skip(1).take_while(is_agents) {
        // One that holds something stays, and so do those above it.
        if fs::remove_dir(folder).is_err() {
            break;
        }
    }
}

fn read(path: &Path) -> Result<Option<String>, Failure> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        // In the place of a link to nothing a file would be put, and the link would be lost.
        Err(error) if error.kind() == io::ErrorKind::NotFound && path.is_symlink() => {
            Err(Failure::new(format!("read the configuration `{}`", path.display()))
                .because(&error)
                .todo("it is a link to a file that is not there: make that file, or remove the link; nothing was written"))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::new(format!("read the configuration `{}`", path.display()))
            .because(&error)
            .todo("make it a readable text file; nothing was written")),
    }
}

/// Through a new file that takes the old one's place: a reader sees one or the other. A link keeps pointing to the file
/// it names, and who may read it stays as it was.
fn replace(path: &Path, text: &str, like: &Path, runs: bool) -> io::Result<()> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut name = OsString::from(&path);
    name.push(".mi-new");
    let new = PathBuf::from(name);
    let written = (|| {
        let mut file = File::create(&new)?;
        let like = fs::metadata(like).map(|metadata| metadata.permissions());
        if let Ok(mut permissions) = like.or_else(|_| file.metadata().map(|data| data.permissions())) {
            let mode = permissions.mode();
            permissions.set_mode(if runs { mode | ((mode & 0o444) >> 2) } else { mode });
            file.set_permissions(permissions)?;
        }
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, &path)
    })();
    if written.is_err() {
        // Nothing was replaced; a leftover would only be litter.
        let _ = fs::remove_file(&new);
    }
    written
}
