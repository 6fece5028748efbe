//! Seals a run anew: with more denials, or with other outputs.
//!
//! Holds: the run's folder is the old one or the new one, whole, whenever `mi` is killed. The new one is made beside it
//! and takes its place in one step.

use mi_admission::Denial;
use mi_supply::{
    label::LABEL_FILE,
    manifest::{MANIFEST_FILE, RunManifest},
};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use std::{fs, io, path::Path};

use crate::{BoxHome, durable::make_durable, exec::sign_into, manifest::denial_line};

/// Denies what a sealed run brought out, for a reason that was only seen afterwards.
pub fn deny(home: &BoxHome, folder: &Path, denials: &[Denial]) -> io::Result<()> {
    reseal(home, folder, |_, manifest| {
        manifest.exit = 4;
        manifest.denials.extend(denials.iter().map(denial_line));
        Ok(())
    })
}

/// Makes the folder again, lets `change` work on its outputs and its manifest, and seals it. A review or an
/// archive of the old manifest is not one of the new.
pub(crate) fn reseal(
    home: &BoxHome,
    folder: &Path,
    change: impl FnOnce(&Path, &mut RunManifest) -> io::Result<()>,
) -> io::Result<()> {
    let mut manifest = RunManifest::read(&fs::read(folder.join(MANIFEST_FILE))?).map_err(io::Error::other)?;
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let live = home.begin(&format!("{name}-reseal")).map_err(|error| error.source)?;
    let stage = live.folder().join("sealed");
    fs::create_dir_all(stage.join("output"))?;
    for output in &manifest.outputs {
        let place = stage.join("output").join(&output.path);
        fs::create_dir_all(place.parent().unwrap_or(&stage))?;
        link(&folder.join("output").join(&output.path), &place)?;
    }
    link(&folder.join(LABEL_FILE), &stage.join(LABEL_FILE))?;
    change(&stage.join("output"), &mut manifest)?;
    sign_into(home, &stage, &manifest)?;
    renameat_with(CWD, &stage, CWD, folder, RenameFlags::EXCHANGE)?;
    make_durable(folder, &[])
}

/// The same file where that is possible: outputs may be large.
fn link(from: &Path, to: &Path) -> io::Result<()> {
    match fs::hard_link(from, to) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => fs::copy(from, to).map(drop),
        linked => linked,
    }
}
