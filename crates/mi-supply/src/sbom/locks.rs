//! Lock files of languages.

use serde_json::Value;

use super::{Package, PackageKind};

/// `[[package]]` tables with a name and a version: Cargo, Poetry, uv, PDM.
pub(super) fn toml(text: &str, kind: PackageKind) -> Result<Vec<Package>, String> {
    let lock: toml::Table = text.parse().map_err(|error: toml::de::Error| error.message().to_owned())?;
    let entries = lock.get("package").and_then(|packages| packages.as_array()).cloned().unwrap_or_default();
    let package = |entry: &toml::Value| {
        let field = |name: &str| entry.get(name).and_then(|value| value.as_str());
        let mut package = Package::new(kind, field("name")?, field("version")?);
        package.sha256 = field("checksum").filter(|sum| is_sha256(sum)).map(str::to_owned);
        Some(package)
    };
    Ok(entries.iter().filter_map(package).collect())
}

/// `package-lock.json` of all three versions. The project itself is not one of its packages.
pub(super) fn npm(text: &str) -> Result<Vec<Package>, String> {
    let lock: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let mut found = Vec::new();
    if let Some(packages) = lock["packages"].as_object() {
        for (path, entry) in packages {
            let Some((_, name)) = path.rsplit_once("node_modules/") else { continue };
            let name = entry["name"].as_str().unwrap_or(name);
            found.extend(
                entry["version"].as_str().map(|version| Package::new(PackageKind::Npm, name, version)),
            );
        }
    } else {
        npm_dependencies(&lock, 0, &mut found);
    }
    Ok(found)
}

/// Version 1 nests what a package brings along.
fn npm_dependencies(entry: &Value, depth: usize, found: &mut Vec<Package>) {
    let Some(dependencies) = entry["dependencies"].as_object().filter(|_| depth < 64) else { return };
    for (name, entry) in dependencies {
        found.extend(entry["version"].as_str().map(|version| Package::new(PackageKind::Npm, name, version)));
        npm_dependencies(entry, depth + 1, found);
    }
}

/// Lines that pin a version; others name no package that is there.
pub(super) fn requirements(text: &str) -> Vec<Package> {
    let package = |line: &str| {
        let line = line.split('#').next().unwrap_or_default();
        let line = line.split([';', '\\']).next().unwrap_or_default();
        let (name, version) = line.split_once("==")?;
        let name = name.split('[').next().unwrap_or_default().trim();
        let version = version.trim_start_matches('=').split_whitespace().next()?;
        let is_name = |name: &str| {
            !name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
        };
        (is_name(name) && !version.contains(['*', ',']))
            .then(|| Package::new(PackageKind::Python, name, version))
    };
    text.lines().filter_map(package).collect()
}

/// Modules whose content is in the file, not only their `go.mod`.
pub(super) fn go(text: &str) -> Vec<Package> {
    let package = |line: &str| {
        let mut words = line.split_whitespace();
        let (name, version) = (words.next()?, words.next()?);
        (!version.ends_with("/go.mod")).then(|| Package::new(PackageKind::Go, name, version))
    };
    text.lines().filter_map(package).collect()
}

fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

#[cfg(test)]
mod tests {
    use crate::sbom::packages;

    fn named(path: &str, text: &str) -> Vec<String> {
        let found = packages(path, text).unwrap().unwrap();
        found.iter().map(|package| format!("{} {}", package.name, package.version)).collect()
    }

    /// I: each lock file gives its pinned packages.
    #[test]
    fn i_lock_files_are_read() {
        let cargo =
            "version = 4\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\n[[package]]\nname = \"b\"\n";
        assert_eq!(named("x/Cargo.lock", cargo), ["a 1.0.0"]);
        assert_eq!(named("poetry.lock", cargo), ["a 1.0.0"]);
        let npm = r#"{"packages":{"":{"version":"9"},"node_modules/@s/a":{"version":"1.0.0"},
            "node_modules/a/node_modules/b":{"version":"2.0.0"},"packages/own":{"version":"3"}}}"#;
        assert_eq!(named("package-lock.json", npm), ["@s/a 1.0.0", "b 2.0.0"]);
        let old = r#"{"dependencies":{"a":{"version":"1.0.0","dependencies":{"b":{"version":"2.0.0"}}}}}"#;
        assert_eq!(named("package-lock.json", old), ["a 1.0.0", "b 2.0.0"]);
        let python = "# c\nA_b==1.0 ; python_version > '3'\nc[x]==2.0 \\\n  --hash=sha256:0\nd>=1\ne==1.*\n-r other.txt\n";
        assert_eq!(named("requirements-dev.txt", python), ["A_b 1.0", "c 2.0"]);
        let go =
            "m.example/a v1.0.0 h1:x=\nm.example/a v1.0.0/go.mod h1:y=\nm.example/b v2.0.0/go.mod h1:z=\n";
        assert_eq!(named("go.sum", go), ["m.example/a v1.0.0"]);
        assert!(packages("README.md", "").is_none());
    }

    /// A lock file that cannot be read is an error with its name.
    #[test]
    fn i_broken_lock_files_are_errors() {
        for path in ["Cargo.lock", "package-lock.json"] {
            let error = packages(path, "{ not").unwrap().unwrap_err();
            assert!(error.to_string().contains(path));
        }
    }
}
