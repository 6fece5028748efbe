//! Snapshots of `simulate`: where `--from` goes on, and what `--save` writes.

use mi_protocol::{Engine, Protocol, RestoreError};
use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::failure::Failure;

/// The run as it stood when the snapshot was made.
pub fn restore(protocol: Arc<Protocol>, path: &Path) -> Result<Engine, Failure> {
    let failed = |error: &dyn std::error::Error| {
        Failure::new(format!("go on from the snapshot {}", path.display())).because(error)
    };
    let text = fs::read_to_string(path)
        .map_err(|error| failed(&error).todo("give --from the file that --save has written"))?;
    Engine::restore(protocol, &text).map_err(|error| {
        failed(&error).todo(match error {
            RestoreError::OtherProtocol { .. } => "go on with the protocol file the snapshot was made with",
            RestoreError::Version(_) => {
                "make the snapshot again with this program, or go on with the other one"
            }
            RestoreError::Unreadable(_) | RestoreError::Misfit(_) => {
                "this is no snapshot, or a damaged one; make it again with --save"
            }
        })
    })
}

/// The whole file or none of it, in the place of what was there; a link keeps pointing to the file it names.
pub fn save(path: &Path, text: &str) -> Result<(), Failure> {
    let failed = |error: &dyn std::error::Error| {
        Failure::new(format!("write the snapshot {}", path.display()))
            .because(error)
            .todo("give --save a file in a folder that you can write to")
    };
    match fs::metadata(path) {
        // Something to write into, such as a pipe, is not a file to be exchanged.
        Ok(found) if !found.is_file() => OpenOptions::new()
            .write(true)
            .open(path)
            .and_then(|mut open| open.write_all(text.as_bytes()))
            .map_err(|error| failed(&error)),
        _ => {
            let place = place(path).map_err(|error| failed(&error))?;
            mi_journal::replace_file(&place, text.as_bytes()).map_err(|error| failed(&error))
        }
    }
}

/// Where the file stands or will stand, behind all links. Its folder is there already: a slip in a path makes none.
fn place(path: &Path) -> io::Result<PathBuf> {
    if fs::symlink_metadata(path).is_ok() {
        return path.canonicalize();
    }
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok(folder.canonicalize()?.join(name))
}
