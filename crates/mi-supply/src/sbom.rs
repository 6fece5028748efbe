//! SBOMs: what an image or a project is made of, as SPDX 2.3 JSON.
//!
//! [`packages`] reads the databases of package managers and lock files by their names; [`spdx`] writes the document.
//! Holds: every package stands in a document once, in order; what is not known is NOASSERTION, never a guess.

mod locks;
mod purl;
mod spdx;
mod system;

pub use spdx::{Subject, spdx};

/// One package with the version that is there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Package {
    pub kind: PackageKind,
    pub name: String,
    pub version: String,
    pub architecture: Option<String>,
    /// Who keeps it, as the database says.
    pub maintainer: Option<String>,
    /// Lower-case hexadecimal.
    pub sha256: Option<String>,
}

/// Where a package comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PackageKind {
    Alpine,
    Cargo,
    Debian,
    Go,
    Npm,
    Python,
}

/// Why a database or lock file could not be read.
#[derive(Debug, thiserror::Error)]
#[error("read the packages of {file}: {reason}")]
pub struct PackagesError {
    file: String,
    reason: String,
}

/// The packages that a file names, by the file's path; none if it is no file that names packages.
pub fn packages(path: &str, text: &str) -> Option<Result<Vec<Package>, PackagesError>> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let found = match name {
        "status" if path.contains("dpkg/") => Ok(system::dpkg(text)),
        _ if path.contains("dpkg/status.d/") => Ok(system::dpkg(text)),
        "installed" if path.contains("apk/db/") => Ok(system::apk(text)),
        "Cargo.lock" => locks::toml(text, PackageKind::Cargo),
        "poetry.lock" | "uv.lock" | "pdm.lock" => locks::toml(text, PackageKind::Python),
        "package-lock.json" | "npm-shrinkwrap.json" => locks::npm(text),
        "go.sum" => Ok(locks::go(text)),
        _ if name.starts_with("requirements") && name.ends_with(".txt") => Ok(locks::requirements(text)),
        _ => return None,
    };
    Some(found.map_err(|reason| PackagesError { file: path.to_owned(), reason }))
}

impl Package {
    fn new(kind: PackageKind, name: &str, version: &str) -> Self {
        Self {
            kind,
            name: name.to_owned(),
            version: version.to_owned(),
            architecture: None,
            maintainer: None,
            sha256: None,
        }
    }
}
