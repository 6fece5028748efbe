//! A copy that may be shown to others (D.10): no private folder, no proposal, nothing hidden, no secret.

use mi_journal::FileError;
use serde::Serialize;
use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use crate::{
    AccessError, Persona, Problem,
    lint::{Finding, Known},
};

/// Folders that are copied, whatever else lies in the persona.
const EXPORTED: [&str; 5] = ["core", "cards", "sessions", "handoffs", "indexes"];

/// What was copied.
#[derive(Debug, Clone, Serialize)]
pub struct Exported {
    pub out: PathBuf,
    pub files: Vec<String>,
    /// Names and paths of D.10 that a person should look at before sharing.
    pub findings: Vec<Finding>,
    /// Links, which are not followed.
    pub left_out: Vec<Problem>,
}

/// Why there is no copy.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error(transparent)]
    Access(#[from] AccessError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error("`{}` exists; name a folder that does not", .0.display())]
    Exists(PathBuf),
    #[error("`{}` lies inside the persona; name a folder outside of it", .0.display())]
    Inside(PathBuf),
    #[error("nothing was exported: a secret stands in {0} (D.10); take it out and replace the credential")]
    Secret(String),
}

impl Persona {
    /// Copies what may be shared into a new folder, all or nothing.
    pub fn export(&self, out: &Path, known: &Known) -> Result<Exported, ExportError> {
        if out.symlink_metadata().is_ok() {
            return Err(ExportError::Exists(out.to_owned()));
        }
        let above = out.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let real =
            fs::canonicalize(above).map_err(|error| FileError::new("find the folder", above, error))?;
        let root =
            fs::canonicalize(self.root()).map_err(|error| FileError::new("find", self.root(), error))?;
        if real.starts_with(&root) {
            return Err(ExportError::Inside(out.to_owned()));
        }
        let _lock = self.lock()?;
        let report = self.lint(known)?;
        let shared = |path: &str| EXPORTED.iter().any(|folder| path.starts_with(&format!("{folder}/")));
        if let Some(found) = report.secrets().find(|finding| shared(&finding.path)) {
            return Err(ExportError::Secret(format!("{}, line {}", found.path, found.line)));
        }
        let mut exported =
            Exported { out: out.to_owned(), files: Vec::new(), findings: Vec::new(), left_out: Vec::new() };
        exported.findings = report.findings.into_iter().filter(|finding| shared(&finding.path)).collect();
        let name = out.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let draft = real.join(format!(".{name}.new-{}", std::process::id()));
        let copied = self.copy_into(&draft, &mut exported);
        let moved = copied.and_then(|()| {
            fs::rename(&draft, out).map_err(|error| FileError::new("move into place", out, error).into())
        });
        if let Err(error) = moved {
            // A half-made copy helps nobody.
            let _ = fs::remove_dir_all(&draft);
            return Err(error);
        }
        Ok(exported)
    }

    fn copy_into(&self, draft: &Path, exported: &mut Exported) -> Result<(), ExportError> {
        fs::create_dir(draft).map_err(|error| FileError::new("create the folder", draft, error))?;
        for folder in EXPORTED {
            for path in self.files_below(folder, &mut exported.left_out)? {
                // Hidden files are somebody's own, wherever they lie.
                let Some(text) = self.read_shared(&path).or_else(hidden)? else { continue };
                let target = draft.join(&path);
                let failed = |error: io::Error| FileError::new("copy to", &target, error);
                if let Some(parent) = target.parent() {
                    fs::create_dir_all(parent).map_err(failed)?;
                }
                let mut file = fs::File::create_new(&target).map_err(failed)?;
                file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(failed)?;
                exported.files.push(path);
            }
        }
        Ok(())
    }
}

fn hidden(error: AccessError) -> Result<Option<String>, AccessError> {
    match error {
        AccessError::Private { .. } => Ok(None),
        other => Err(other),
    }
}
