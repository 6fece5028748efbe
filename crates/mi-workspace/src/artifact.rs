//! `artifact_write`: reports and other files of a session, in a folder that nothing leaves (NX-126, NX-129).

use serde_json::{Value, json};
use std::{fs, io, path::Path};

use crate::{Folder, ToolError, Workspace, arguments::Arguments, error::AtPath};

/// One file, as it was asked for.
#[derive(Debug)]
pub(crate) struct WriteRequest {
    filename: String,
    content: String,
}

impl WriteRequest {
    pub(crate) fn read(arguments: &Arguments<'_>) -> Result<Self, ToolError> {
        Ok(Self { filename: arguments.text("filename")?, content: arguments.text("content")? })
    }
}

/// A file in the session's folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// Below the folder, such as `notes/report.md`.
    pub name: String,
    pub bytes: u64,
}

pub(crate) fn write(workspace: &Workspace, request: &WriteRequest) -> Result<Value, ToolError> {
    let layout = workspace.layout();
    let path = Folder::new(layout.project(), &layout.artifacts()).place(&request.filename)?;
    let lock = workspace.store().lock()?;
    workspace.store().replace(&lock, &path, request.content.as_bytes())?;
    Ok(json!({"success": true, "path": path.to_string_lossy()}))
}

impl Workspace {
    /// Every artifact, by name. No folder is an empty list.
    pub fn artifacts(&self) -> Result<Vec<Artifact>, ToolError> {
        let root = self.layout().artifacts();
        self.store().refuse_links(&root)?;
        let mut found = Vec::new();
        collect(&root, &root, &mut found)?;
        found.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(found)
    }
}

fn collect(root: &Path, folder: &Path, found: &mut Vec<Artifact>) -> Result<(), ToolError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error).at("list", folder).map_err(ToolError::from),
    };
    for entry in entries {
        let path = entry.at("list", folder)?.path();
        let metadata = fs::symlink_metadata(&path).at("look at", &path)?;
        if metadata.is_dir() {
            collect(root, &path, found)?;
        } else if metadata.is_file() {
            let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
            found.push(Artifact { name, bytes: metadata.len() });
        }
    }
    Ok(())
}
