//! Making a persona: honest templates where nothing is, nothing changed where something is.

use std::{fs, path::Path};

use mi_journal::FileError;

use crate::{AccessError, INDEX, Member, Persona, boot::CORE, card::CardType, index};

const IGNORE: &str = include_str!("../templates/gitignore");
const TEXTS: [&str; 3] = [
    include_str!("../templates/boot.md"),
    include_str!("../templates/principles.md"),
    include_str!("../templates/challenge-core.md"),
];

/// Makes the folder and every file of it that is missing; returns what was made.
pub fn init(root: &Path, state: &Path, member: &Member) -> Result<(Persona, Vec<String>), AccessError> {
    fs::create_dir_all(root).map_err(|error| FileError::new("create the folder", root, error))?;
    let persona = Persona::open(root, state)?;
    let lock = persona.lock()?;
    let mut made = Vec::new();
    let empty_index = index::bytes(&[]);
    let files = CORE.into_iter().zip(TEXTS).chain([(".gitignore", IGNORE), (INDEX, empty_index.as_str())]);
    for (path, text) in files {
        if persona.read(path)?.is_none() {
            persona.replace(&lock, path, text.as_bytes())?;
            made.push(path.to_owned());
        }
    }
    let folders = CardType::ALL.map(|kind| format!("cards/{}", kind.folder()));
    for folder in folders.into_iter().chain(["proposals".to_owned(), "sessions".to_owned()]) {
        if persona.folder(&folder)?.is_none() {
            let path = root.join(&folder);
            fs::create_dir_all(&path).map_err(|error| FileError::new("create the folder", &path, error))?;
            made.push(format!("{folder}/"));
        }
    }
    let private = member.private_folder();
    if persona.folder(&private)?.is_none() {
        persona.make_private(&lock, &private)?;
        made.push(format!("{private}/"));
    }
    drop(lock);
    Ok((persona, made))
}
