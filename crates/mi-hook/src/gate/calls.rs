//! Which calls of a session asked the gate, and how far its transcripts were compared with that.
//!
//! A plain file beside the session's state, one id per line: appending to it costs a hook next to nothing.

use std::{
    collections::BTreeMap,
    fs::{self, OpenOptions},
    io::{self, Write},
    path::PathBuf,
};

use mi_model::sha256_hex;

use super::session::{Session, SessionError};

const CALLS: &str = "calls";
const CHECKED: &str = "checked.json";

impl Session {
    /// Notes that the call with this id asked the gate. One write, so that hooks at the same time do not mix.
    pub fn note_call(&self, id: &str) -> Result<(), SessionError> {
        let path = self.file(CALLS);
        let keep = |source| SessionError::Keep { path: path.clone(), source };
        let line = format!("{}\n", plain(id));
        let open = || OpenOptions::new().create(true).append(true).open(&path);
        let file = open().or_else(|error| match error.kind() {
            io::ErrorKind::NotFound => fs::create_dir_all(self.folder()).and_then(|()| open()),
            _ => Err(error),
        });
        file.and_then(|mut file| file.write_all(line.as_bytes())).map_err(keep)
    }

    /// The ids of all calls that asked.
    pub fn calls(&self) -> Result<Vec<String>, SessionError> {
        let path = self.file(CALLS);
        match fs::read(&path) {
            Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(source) => Err(SessionError::Read { path, source }),
        }
    }

    /// The byte up to which a transcript was compared.
    pub fn checked_to(&self, transcript: &str) -> Option<u64> {
        self.checked().get(transcript).copied()
    }

    pub fn check_to(&self, transcript: &str, to: u64) -> Result<(), SessionError> {
        let mut checked = self.checked();
        if checked.insert(transcript.to_owned(), to) == Some(to) {
            return Ok(());
        }
        let path = self.file(CHECKED);
        let text = serde_json::to_vec(&checked).map_err(io::Error::other);
        let written = text.and_then(|text| {
            fs::create_dir_all(self.folder())?;
            fs::write(&path, text)
        });
        written.map_err(|source| SessionError::Keep { path, source })
    }

    /// A file that cannot be read means that all is compared again.
    fn checked(&self) -> BTreeMap<String, u64> {
        fs::read(self.file(CHECKED))
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default()
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }
}

/// An id that could break the line, or is endless, is known by its digest.
fn plain(id: &str) -> String {
    let is_plain = id.len() <= 200 && id.bytes().all(|byte| byte.is_ascii_graphic());
    if is_plain { id.to_owned() } else { sha256_hex(id.as_bytes()) }
}
