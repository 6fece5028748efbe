//! What the gate asks about the machine. The caller looks; nothing here does.

/// Facts that only the file system knows. What a world does not say, it does not know.
pub trait World {
    /// The path with every symbolic link followed; none if nothing is there.
    fn real_path(&self, _absolute: &str) -> Option<String> {
        None
    }
    /// The git root above `folder`.
    fn project_root(&self, _folder: &str) -> Option<String> {
        None
    }
    /// The branch that is checked out there.
    fn current_branch(&self, _folder: &str) -> Option<String> {
        None
    }
    /// What the repository around `folder` makes git run.
    fn git_settings(&self, _folder: &str) -> GitSettings {
        GitSettings::Unknown
    }
    /// The file has more than one name.
    fn has_other_names(&self, _absolute: &str) -> bool {
        false
    }
    /// One of the file's other names lies below `folder`.
    fn has_name_below(&self, _absolute: &str, _folder: &str) -> bool {
        false
    }
    /// What a file says.
    fn text(&self, _absolute: &str) -> FileText {
        FileText::Unknown
    }
    /// The names in a folder; none if it cannot be read. A folder that is not there holds no names.
    fn names(&self, _folder: &str) -> Option<Vec<String>> {
        None
    }
    /// What stands in a folder, nothing in what is no folder; none if it cannot be read or is too large.
    fn entries(&self, _folder: &str) -> Option<Vec<Entry>> {
        Some(Vec::new())
    }
}

/// Something in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    pub kind: EntryKind,
}

/// What a name in a folder stands for, without following it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    File,
    Folder,
    Link,
}

/// A file's content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileText {
    /// Nothing is there, not even a link.
    Missing,
    Text(String),
    /// Something is there that cannot be read, is no file, no text, or too large.
    Unknown,
}

/// A repository's own settings, as texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GitSettings {
    /// There is no repository.
    None,
    /// Texts of its config files, and names of its executable hooks.
    Found { configs: Vec<String>, hooks: Vec<String> },
    /// They could not be read.
    Unknown,
}

/// Knows nothing: paths are taken as written, and git is not trusted.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoWorld;

impl World for NoWorld {}
