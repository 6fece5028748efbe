//! A member's own memory: `.MEMBER/private/`, read and written by that member alone, encrypted with age if wished.
//!
//! Encryption is the `age` program's: plain text goes to it and comes from it through pipes and never touches the disk.
//! A folder is encrypted when it holds `.age-recipients`; the identity that opens it lies outside of the persona.
//! Holds: no name leads out of the member's folder; a file is removed only after its other form was read back.

use mi_journal::FileError;
use mi_process::{Environment, Limits, RunEnd, RunError, SpawnSpec, Spawner, Stdin, run_to_end};
use serde::Serialize;
use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    time::Duration,
};

use crate::{
    AccessError, Member, Persona,
    access::{Folder, Kind, MAX_FILE_BYTES},
    persona::Lock,
};

/// Public keys that private memory is encrypted for, one per line.
const RECIPIENTS: &str = ".age-recipients";

/// One file of private memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PrivateFile {
    /// In the member's folder, without `.age`.
    pub name: String,
    /// From the persona.
    pub path: String,
    pub encrypted: bool,
}

/// Opens encrypted files.
pub trait Unseal {
    fn open(&self, sealed: &[u8]) -> Result<Vec<u8>, AgeError>;
}

/// Nothing can be opened.
pub struct Locked;

impl Unseal for Locked {
    fn open(&self, _: &[u8]) -> Result<Vec<u8>, AgeError> {
        Err(AgeError::NoIdentity { path: PathBuf::from("(none)") })
    }
}

/// Why private memory could not be used.
#[derive(Debug, thiserror::Error)]
pub enum PrivateError {
    #[error(transparent)]
    Access(#[from] AccessError),
    #[error(transparent)]
    Age(#[from] AgeError),
    #[error(
        "`{0}` is no name of a file in private memory: use letters, digits, `-`, `_` and `.`, such as notes.md"
    )]
    Name(String),
    #[error("there is no `{0}` in private memory; `mi persona private list` shows what there is")]
    Unknown(String),
    #[error(
        "the text holds a secret, which goes into no memory file (D.10); take it out and replace the credential"
    )]
    Secret,
    #[error("`{0}` does not come back as it was when it is decrypted; it was left as it is")]
    NotTheSame(String),
    #[error("private memory of {0} is not encrypted")]
    NotEncrypted(Member),
}

/// Why age did not do its part.
#[derive(Debug, thiserror::Error)]
pub enum AgeError {
    #[error(
        "the program `{0}` is not installed: install age (Debian: apt install age) to encrypt private memory"
    )]
    Missing(&'static str),
    #[error("there is no identity in `{}` to decrypt with; bring it from the machine that encrypted, or name it with --identity", path.display())]
    NoIdentity { path: PathBuf },
    #[error("{program}: {said}")]
    Failed { program: &'static str, said: String },
    #[error(transparent)]
    File(#[from] FileError),
}

/// Where a member's identity lies on this machine: never in the persona, which is shared.
pub fn identity_file(home: &Path, member: &Member) -> PathBuf {
    home.join("keys").join(format!("persona-{member}.txt"))
}

/// The `age` program and the file with a member's identity.
#[derive(Debug, Clone)]
pub struct Age {
    pub spawner: Spawner,
    pub environment: Environment,
    pub identity: PathBuf,
}

impl Unseal for Age {
    fn open(&self, sealed: &[u8]) -> Result<Vec<u8>, AgeError> {
        if !self.identity.is_file() {
            return Err(AgeError::NoIdentity { path: self.identity.clone() });
        }
        let identity = self.identity.as_os_str().to_owned();
        self.run("age", vec!["--decrypt".into(), "--identity".into(), identity], sealed)
    }
}

impl Age {
    /// Encrypts for everybody in a list of recipients.
    pub fn seal(&self, recipients: &str, plain: &[u8]) -> Result<Vec<u8>, AgeError> {
        let keys =
            recipients.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let mut arguments: Vec<std::ffi::OsString> = vec!["--encrypt".into()];
        keys.for_each(|key| arguments.extend(["--recipient".into(), key.into()]));
        self.run("age", arguments, plain)
    }

    /// The public key of the identity, which is made where there is none.
    pub fn recipient(&self) -> Result<String, AgeError> {
        if !self.identity.exists() {
            let text = self.run("age-keygen", Vec::new(), b"")?;
            write_secret(&self.identity, &text)?;
        }
        let identity = self.identity.as_os_str().to_owned();
        let key = self.run("age-keygen", vec!["-y".into(), identity], b"")?;
        Ok(String::from_utf8_lossy(&key).trim().to_owned())
    }

    fn run(
        &self,
        program: &'static str,
        args: Vec<std::ffi::OsString>,
        input: &[u8],
    ) -> Result<Vec<u8>, AgeError> {
        let spec = SpawnSpec {
            program: program.into(),
            args,
            cwd: PathBuf::from("/"),
            environment: self.environment.clone(),
            stdin: Stdin::Bytes(input.to_vec()),
        };
        let most = usize::try_from(MAX_FILE_BYTES).unwrap_or(usize::MAX);
        let limits = Limits { timeout: Duration::from_secs(30), max_output_bytes: most + 1024 * 1024 };
        let failed = |said: String| AgeError::Failed { program, said };
        let output = run_to_end(&self.spawner, &spec, limits, None).map_err(|error| match error {
            RunError::Spawn(spawn) if spawn.is_missing_program() => AgeError::Missing(program),
            other => failed(other.to_string()),
        })?;
        match output.end {
            RunEnd::Exited(status) if status.is_success() && output.left_out_bytes == 0 => Ok(output.stdout),
            RunEnd::Exited(_) => Err(failed(first_line(&output.stderr))),
            RunEnd::TimedOut | RunEnd::Woken => Err(failed("it did not end in time".to_owned())),
        }
    }
}

fn first_line(said: &[u8]) -> String {
    String::from_utf8_lossy(said).lines().next().unwrap_or("it failed without a word").to_owned()
}

/// Writes a key that only its owner can read; a key that is there is never replaced.
fn write_secret(path: &Path, text: &[u8]) -> Result<(), FileError> {
    let failed = |error: io::Error| FileError::new("write the key", path, error);
    if let Some(folder) = path.parent() {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed)?;
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).map_err(failed)?;
    file.write_all(text).and_then(|()| file.sync_all()).map_err(failed)
}

impl Persona {
    /// The files of a member's own folder. A link on the way, or in it, is refused.
    pub fn private_files(&self, member: &Member) -> Result<Vec<PrivateFile>, AccessError> {
        let mut links = Vec::new();
        let files = self.private_files_with(member, &mut links)?;
        match links.pop() {
            Some(path) => Err(AccessError::Link { path }),
            None => Ok(files),
        }
    }

    /// What is really there, where a link is named and the rest still counts: a link that somebody put there must not take
    /// a member's own memory away.
    pub(crate) fn private_files_with(
        &self,
        member: &Member,
        links: &mut Vec<String>,
    ) -> Result<Vec<PrivateFile>, AccessError> {
        let Some(folder) = self.folder(&member.private_folder())? else { return Ok(Vec::new()) };
        let mut files = Vec::new();
        gather(&folder, "", 0, &mut files, links)?;
        Ok(files)
    }

    /// The text of one file, decrypted if need be.
    pub fn private_text(
        &self,
        member: &Member,
        file: &PrivateFile,
        unseal: &dyn Unseal,
    ) -> Result<String, PrivateError> {
        let bytes = self.private_bytes(member, file, unseal)?;
        String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            AccessError::NotText { path: file.path.clone(), at }.into()
        })
    }

    fn private_bytes(
        &self,
        member: &Member,
        file: &PrivateFile,
        unseal: &dyn Unseal,
    ) -> Result<Vec<u8>, PrivateError> {
        let own = format!("{}/", member.private_folder());
        if !file.path.starts_with(&own) {
            return Err(AccessError::Private { path: file.path.clone() }.into());
        }
        let (folder, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
        let found = match self.folder(folder)? {
            Some(folder) => folder.read(name)?,
            None => None,
        };
        let (bytes, _) = found.ok_or_else(|| PrivateError::Unknown(file.name.clone()))?;
        Ok(if file.encrypted { unseal.open(&bytes)? } else { bytes })
    }

    /// One file by its name, with or without `.age`.
    pub fn private_file(&self, member: &Member, name: &str) -> Result<PrivateFile, PrivateError> {
        check_name(name)?;
        let wanted = name.strip_suffix(".age").unwrap_or(name);
        let files = self.private_files(member)?;
        files
            .into_iter()
            .find(|file| file.name == wanted)
            .ok_or_else(|| PrivateError::Unknown(name.to_owned()))
    }

    /// Writes a file, encrypted where the folder is. A text that is there is added to, never replaced.
    pub fn write_private(
        &self,
        member: &Member,
        name: &str,
        text: &str,
        age: &Age,
    ) -> Result<PrivateFile, PrivateError> {
        check_name(name)?;
        if mi_secrets::contains_secret(text) {
            return Err(PrivateError::Secret);
        }
        let lock = self.lock()?;
        let folder = member.private_folder();
        self.make_private(&lock, &folder)?;
        let recipients = self.recipients(member)?;
        let old = match self.private_file(member, name) {
            Ok(file) => Some(self.private_text(member, &file, age)?),
            Err(PrivateError::Unknown(_)) => None,
            Err(error) => return Err(error),
        };
        let new = format!("{}{}\n", old.unwrap_or_default(), text.trim_end());
        self.put(&lock, member, name, new.as_bytes(), recipients.as_deref(), age)
    }

    fn put(
        &self,
        lock: &Lock,
        member: &Member,
        name: &str,
        plain: &[u8],
        recipients: Option<&str>,
        age: &Age,
    ) -> Result<PrivateFile, PrivateError> {
        let name = name.strip_suffix(".age").unwrap_or(name).to_owned();
        let ending = if recipients.is_some() { ".age" } else { "" };
        let path = format!("{}/{name}{ending}", member.private_folder());
        let bytes = match recipients {
            Some(recipients) => age.seal(recipients, plain)?,
            None => plain.to_vec(),
        };
        self.replace(lock, &path, &bytes)?;
        Ok(PrivateFile { name, path, encrypted: recipients.is_some() })
    }

    fn recipients(&self, member: &Member) -> Result<Option<String>, AccessError> {
        self.read(&format!("{}/{RECIPIENTS}", member.private_folder()))
    }

    /// Encrypts everything in a member's folder, now and from now on.
    pub fn encrypt_private(&self, member: &Member, age: &Age) -> Result<Vec<PrivateFile>, PrivateError> {
        let lock = self.lock()?;
        self.make_private(&lock, &member.private_folder())?;
        let recipients = match self.recipients(member)? {
            Some(recipients) => recipients,
            None => {
                let key = format!("{}\n", age.recipient()?);
                self.replace(&lock, &format!("{}/{RECIPIENTS}", member.private_folder()), key.as_bytes())?;
                key
            }
        };
        self.convert(&lock, member, Some(&recipients), age)
    }

    /// Decrypts everything and leaves it plain.
    pub fn decrypt_private(&self, member: &Member, age: &Age) -> Result<Vec<PrivateFile>, PrivateError> {
        let lock = self.lock()?;
        if self.recipients(member)?.is_none() {
            return Err(PrivateError::NotEncrypted(member.clone()));
        }
        let converted = self.convert(&lock, member, None, age)?;
        self.remove(&lock, &format!("{}/{RECIPIENTS}", member.private_folder()))?;
        Ok(converted)
    }

    fn convert(
        &self,
        lock: &Lock,
        member: &Member,
        recipients: Option<&str>,
        age: &Age,
    ) -> Result<Vec<PrivateFile>, PrivateError> {
        let mut converted = Vec::new();
        for file in self.private_files(member)? {
            if file.encrypted == recipients.is_some() {
                continue;
            }
            let plain = self.private_bytes(member, &file, age)?;
            let new = self.put(lock, member, &file.name, &plain, recipients, age)?;
            if self.private_bytes(member, &new, age)? != plain {
                self.remove(lock, &new.path)?;
                return Err(PrivateError::NotTheSame(file.name));
            }
            self.remove(lock, &file.path)?;
            converted.push(new);
        }
        Ok(converted)
    }
}

fn gather(
    folder: &Folder,
    prefix: &str,
    depth: usize,
    files: &mut Vec<PrivateFile>,
    links: &mut Vec<String>,
) -> Result<(), AccessError> {
    for item in folder.items()? {
        let path = folder.path_of(&item.name);
        match item.kind {
            Kind::File if item.name.starts_with('.') || item.name.contains(".new-") => {}
            Kind::File => {
                let plain = item.name.strip_suffix(".age");
                let name = format!("{prefix}{}", plain.unwrap_or(&item.name));
                files.push(PrivateFile { name, path, encrypted: plain.is_some() });
            }
            Kind::Folder if depth < 8 => {
                if let Some(inner) = folder.below(&item.name)? {
                    gather(&inner, &format!("{prefix}{}/", item.name), depth + 1, files, links)?;
                }
            }
            Kind::Link => links.push(path),
            Kind::Folder | Kind::Other => {}
        }
    }
    Ok(())
}

/// A plain name below the folder.
fn check_name(name: &str) -> Result<(), PrivateError> {
    let fine = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && part.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.'))
    };
    if name.len() <= 200 && name.split('/').all(fine) && !name.contains(".new-") {
        return Ok(());
    }
    Err(PrivateError::Name(name.to_owned()))
}
