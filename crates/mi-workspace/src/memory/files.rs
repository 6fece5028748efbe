//! The Markdown files of a knowledge folder: listed, read, taken apart.
//!
//! Holds: no link is followed; a file that cannot be read is told and does not hide the others.

use mi_model::Timestamp;
use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use crate::{FileError, error::AtPath};

/// A file larger than this is no note; only its beginning is looked at.
pub(crate) const LARGEST: u64 = 4 * 1024 * 1024;

/// One Markdown file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The file's name.
    pub name: String,
    pub path: PathBuf,
    pub text: String,
    pub modified: Timestamp,
    /// The size of the whole file.
    pub bytes: u64,
}

/// The notes of a folder by name, and what was left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Notes {
    pub notes: Vec<Note>,
    /// For the person: links, folders, files that could not be read.
    pub left_out: Vec<String>,
}

/// Reads every `.md` file of a folder; a folder that is not there has none.
pub fn read_notes(folder: &Path) -> Result<Notes, FileError> {
    let mut found = Notes::default();
    let is_link = fs::symlink_metadata(folder).is_ok_and(|metadata| metadata.is_symlink());
    if is_link {
        found.left_out.push(format!("{} is a symbolic link and is not followed", folder.display()));
        return Ok(found);
    }
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(found),
        Err(error) => return Err(error).at("list", folder),
    };
    for entry in entries {
        let path = entry.at("list", folder)?.path();
        if path.extension().is_some_and(|ending| ending == "md") {
            match read_note(&path) {
                Ok(note) => found.notes.push(note),
                Err(reason) => found.left_out.push(format!("{} was left out: {reason}", path.display())),
            }
        }
    }
    found.notes.sort_by(|left, right| left.name.cmp(&right.name));
    found.left_out.sort();
    Ok(found)
}

fn read_note(path: &Path) -> Result<Note, String> {
    let metadata = fs::symlink_metadata(path).map_err(|error| error.to_string())?;
    if metadata.is_symlink() {
        return Err("it is a symbolic link".to_owned());
    }
    if !metadata.is_file() {
        return Err("it is no file".to_owned());
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| error.to_string())?;
    file.take(LARGEST).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let since_epoch = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let millis = since_epoch.and_then(|since| i64::try_from(since.as_millis()).ok()).unwrap_or(0);
    let modified = Timestamp::from_millis(millis);
    Ok(Note { name, path: path.to_owned(), text, modified, bytes: metadata.len() })
}

/// The tags of a text's first line, `<!-- tags: a, b -->`, and the text after it (NX-147).
pub fn split_tags(text: &str) -> (Vec<String>, &str) {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (first, rest) = body.split_once('\n').unwrap_or((body, ""));
    let inner = first.trim().strip_prefix("<!--").and_then(|inner| inner.strip_suffix("-->"));
    let Some(list) = inner.and_then(|inner| inner.trim().strip_prefix("tags:")) else {
        return (Vec::new(), text);
    };
    let tags = list.split(',').map(str::trim).filter(|tag| !tag.is_empty()).map(str::to_owned);
    (tags.collect(), rest)
}

/// What a text is about: its main heading, or else its first line. Further sections may be of other topics.
pub fn title(text: &str) -> &str {
    let (_, body) = split_tags(text);
    let lines = || body.lines().map(str::trim).filter(|line| !line.is_empty());
    let main = lines().find(|line| line.starts_with("# ")).or_else(|| lines().next());
    main.map(|line| line.trim_start_matches('#').trim()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{read_notes, split_tags, title};
    use std::{fs, os::unix::fs::symlink};

    /// Only the very first line can carry tags.
    #[test]
    fn nx_147_tags_stand_on_the_first_line() {
        for (text, tags, body) in [
            ("<!-- tags: a, b c -->\nx", vec!["a", "b c"], "x"),
            ("<!--tags:a-->\n\nx\n", vec!["a"], "\nx\n"),
            ("<!-- tags: -->", vec![], ""),
            ("\n<!-- tags: a -->", vec![], "\n<!-- tags: a -->"),
            ("<!-- note -->\nx", vec![], "<!-- note -->\nx"),
            ("", vec![], ""),
        ] {
            let (found, rest) = split_tags(text);
            assert_eq!((found.iter().map(String::as_str).collect(), rest), (tags, body), "{text}");
        }
        assert_eq!(title("<!-- tags: a -->\n\nintro\n# Lock order\n"), "Lock order");
        assert_eq!(title("first line\nsecond\n\n## Another topic"), "first line");
        assert_eq!(title("## Only a section\ntext"), "Only a section");
        assert_eq!(title(""), "");
    }

    /// Links and folders are left out and told; other endings are not looked at.
    #[test]
    fn links_and_folders_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("memory");
        assert_eq!(read_notes(&root).unwrap().notes, []);
        fs::create_dir_all(root.join("sub.md")).unwrap();
        fs::write(root.join("b.md"), "two").unwrap();
        fs::write(root.join("a.md"), b"one \xff").unwrap();
        fs::write(root.join("c.txt"), "three").unwrap();
        symlink("/etc/hostname", root.join("link.md")).unwrap();
        let found = read_notes(&root).unwrap();
        let names: Vec<_> = found.notes.iter().map(|note| (note.name.as_str(), note.text.as_str())).collect();
        assert_eq!(names, [("a.md", "one \u{fffd}"), ("b.md", "two")]);
        assert_eq!(found.left_out.len(), 2, "{:?}", found.left_out);
        symlink(&root, folder.path().join("alias")).unwrap();
        assert_eq!(read_notes(&folder.path().join("alias")).unwrap().notes, []);
    }
}
