//! What already stands where the files are to go. The caller looks; this room only asks.

/// A folder as it is now. Paths are relative, with `/`; the folder itself is the empty path.
pub trait Folder {
    /// What stands directly in a folder; nothing where there is no such folder.
    fn entries(&self, folder: &str) -> Vec<Entry>;
    /// A regular file's bytes, reached without following links.
    fn read(&self, path: &str) -> Option<Vec<u8>>;
}

/// One thing in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    pub kind: EntryKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    File,
    Folder,
    Link,
    Other,
}

/// No target was given: nothing is there.
#[derive(Debug, Clone, Copy)]
pub struct NoFolder;

impl Folder for NoFolder {
    fn entries(&self, _folder: &str) -> Vec<Entry> {
        Vec::new()
    }

    fn read(&self, _path: &str) -> Option<Vec<u8>> {
        None
    }
}
