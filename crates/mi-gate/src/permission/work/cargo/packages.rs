//! What compiling the packages of a project runs: their build scripts and procedural macros.
//!
//! Manifests are searched for the few keys that matter, however they are written; what cannot be read so is not allowed.

use std::collections::BTreeSet;

use super::super::{FileText, Job, Nearest};

/// Packages, and files of one, that are looked at; more are not known.
const MOST: usize = 300;

/// Refuses to compile where a build script or a macro of the project may start programs or touch files.
pub(super) fn check(job: &Job<'_>) -> Result<(), Option<String>> {
    let folder = job.here.folder.unwrap_or_default();
    let world = job.place.context.world;
    let mut open = match job.nearest(folder, &["Cargo.toml"]) {
        Nearest::Nowhere => return Ok(()),
        Nearest::Unknown => return Err(Some("the project's `Cargo.toml` cannot be read".to_owned())),
        Nearest::Found { folder, .. } => workspace_around(job, folder),
    };
    let mut seen = BTreeSet::new();
    while let Some((folder, runs)) = open.pop() {
        if !seen.insert((folder.clone(), runs)) {
            continue;
        }
        if seen.len() > MOST {
            return Err(Some("the project has too many packages".to_owned()));
        }
        let manifest = match world.text(&format!("{folder}/Cargo.toml")) {
            FileText::Missing => continue,
            FileText::Text(text) => text,
            FileText::Unknown => return Err(Some(format!("`{folder}/Cargo.toml` cannot be read"))),
        };
        let package = Package { job, folder: &folder, manifest: &manifest };
        let runs = runs || package.is_macro();
        package.check(runs)?;
        // What a build script or a macro is made of runs with it.
        let runs = runs || manifest.contains("build-dependencies");
        open.extend(package.others()?.into_iter().map(|folder| (folder, runs)));
    }
    Ok(())
}

/// The package, and the workspace that it may take its dependencies from.
fn workspace_around(job: &Job<'_>, folder: String) -> Vec<(String, bool)> {
    let above = folder.rfind('/').map(|at| folder[..at].to_owned());
    let workspace = above.and_then(|above| match job.nearest(&above, &["Cargo.toml"]) {
        Nearest::Found { folder, text } => text.contains("workspace").then_some(folder),
        Nearest::Nowhere | Nearest::Unknown => None,
    });
    std::iter::once(folder).chain(workspace).map(|folder| (folder, false)).collect()
}

struct Package<'a> {
    job: &'a Job<'a>,
    folder: &'a str,
    manifest: &'a str,
}

impl Package<'_> {
    fn is_macro(&self) -> bool {
        self.manifest.contains("proc-macro") || self.manifest.contains("proc_macro")
    }

    /// `runs`: its code runs while others are compiled.
    fn check(&self, runs: bool) -> Result<(), Option<String>> {
        let unreadable = || Some(format!("`{}/Cargo.toml` is not understood", self.folder));
        let keys = self.manifest.lines().filter_map(|line| line.split_once('='));
        if keys.map(|(key, _)| key).any(|key| key.contains('\\')) {
            return Err(unreadable());
        }
        let named = values(self.manifest, "build").ok_or_else(unreadable)?;
        for name in named.iter().copied().chain(["build.rs"]) {
            self.refuse(name, starts_something)?;
        }
        if runs {
            let roots = values(self.manifest, "path").ok_or_else(unreadable)?;
            for root in roots.into_iter().filter(|path| path.ends_with(".rs")) {
                self.refuse(root, touches_something)?;
            }
            self.refuse_all("src")?;
        }
        Ok(())
    }

    fn refuse(&self, name: &str, is_bad: fn(&str) -> bool) -> Result<(), Option<String>> {
        match self.job.place.context.world.text(&format!("{}/{name}", self.folder)) {
            FileText::Missing => Ok(()),
            FileText::Text(text) if !is_bad(&text) => Ok(()),
            FileText::Text(_) | FileText::Unknown => Err(Some(format!(
                "`{}/{name}` would run, and it starts programs or touches files",
                self.folder
            ))),
        }
    }

    /// Every source file of a macro: which of them belong to it is not looked for.
    fn refuse_all(&self, start: &str) -> Result<(), Option<String>> {
        let mut open = vec![start.to_owned()];
        let mut left = MOST;
        while let Some(folder) = open.pop() {
            let names = self.job.place.context.world.names(&format!("{}/{folder}", self.folder));
            for name in names.unwrap_or_default() {
                let path = format!("{folder}/{name}");
                left = left.checked_sub(1).ok_or(Some("a macro has too many files".to_owned()))?;
                match name.ends_with(".rs") {
                    true => self.refuse(&path, touches_something)?,
                    false if !name.contains('.') => open.push(path),
                    false => {}
                }
            }
        }
        Ok(())
    }

    /// The folders of its workspace's members and of the packages that it names by their path.
    fn others(&self) -> Result<Vec<String>, Option<String>> {
        let unreadable = || Some(format!("the packages of `{}` are not understood", self.folder));
        let mut written = values(self.manifest, "path").ok_or_else(unreadable)?;
        written.extend(values(self.manifest, "members").ok_or_else(unreadable)?);
        let mut folders = Vec::new();
        for path in written.into_iter().filter(|path| !path.ends_with(".rs")) {
            folders.extend(self.matching(path).ok_or_else(unreadable)?);
        }
        Ok(folders)
    }

    /// The folders that a path with patterns stands for.
    fn matching(&self, path: &str) -> Option<Vec<String>> {
        let mut found = vec![self.folder.to_owned()];
        if path.starts_with('/') || path.contains("..") {
            return Some(vec![self.job.here.start.resolve(self.folder, path)?]);
        }
        for part in path.split('/').filter(|part| !matches!(*part, "" | ".")) {
            if part == "**" || found.len() > MOST {
                return None;
            }
            let below = |folder: &String| match part.contains(['*', '?', '[']) {
                true => self.job.place.context.world.names(folder).unwrap_or_default(),
                false => vec![part.to_owned()],
            };
            let step = |folder: &String| {
                below(folder).into_iter().map(|name| format!("{folder}/{name}")).collect::<Vec<_>>()
            };
            found = found.iter().flat_map(step).collect();
        }
        Some(found)
    }
}

/// The texts that stand behind `key =`, wherever it stands; none if one of them is written in a way that is not read here.
fn values<'a>(manifest: &'a str, key: &str) -> Option<Vec<&'a str>> {
    let mut found = Vec::new();
    for (at, _) in manifest.match_indices(key) {
        let is_word = |char: char| char.is_alphanumeric() || matches!(char, '-' | '_');
        let behind =
            manifest[at + key.len()..].trim_start_matches(['"', '\'']).trim_start_matches([' ', '\t']);
        let Some(value) = behind.strip_prefix('=').filter(|_| !manifest[..at].ends_with(is_word)) else {
            continue;
        };
        let value = value.trim_start();
        let list = value.strip_prefix('[').map(|rest| rest.split(']').next().unwrap_or(rest));
        let texts = list.unwrap_or_else(|| value.lines().next().unwrap_or_default());
        if texts.contains("\"\"\"") || texts.contains("'''") || texts.contains('\\') {
            return None;
        }
        let quote = if texts.contains('"') { '"' } else { '\'' };
        let quoted = texts.split(quote).skip(1).step_by(2);
        found.extend(quoted.take(if list.is_some() { usize::MAX } else { 1 }));
    }
    Some(found)
}

/// The names in a text of Rust.
fn names(script: &str) -> BTreeSet<&str> {
    script.split(|char: char| !char.is_alphanumeric() && char != '_').collect()
}

/// A build script reaches beyond what it prints, or prints what makes the linker run something.
fn starts_something(script: &str) -> bool {
    let told = names(script);
    let reaches = ["include", "extern", "mod", "path", "compiler", "process"];
    touches_something(script)
        || reaches.iter().any(|name| told.contains(name))
        || ["link-arg", "rustc-flags", "rustc-{", "cargo:{", "cargo::{"]
            .iter()
            .any(|text| script.contains(text))
}

fn touches_something(script: &str) -> bool {
    let told = names(script);
    let reaches = ["Command", "fs", "File", "OpenOptions", "libc", "net", "unsafe", "asm", "global_asm"];
    reaches.iter().any(|name| told.contains(name)) || told.contains("std") && told.contains("process")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys are found however a manifest writes them.
    #[test]
    fn d_19_manifests_are_searched() {
        for (manifest, key, expected) in [
            ("[package]\nbuild = \"x.rs\" # y\n", "build", vec!["x.rs"]),
            ("build='x.rs'", "build", vec!["x.rs"]),
            ("\"build\" = 'x.rs'", "build", vec!["x.rs"]),
            ("package = { name = \"a\", build = \"x.rs\" }", "build", vec!["x.rs"]),
            ("package.build = \"x.rs\"", "build", vec!["x.rs"]),
            ("build = false", "build", vec![]),
            ("[build-dependencies]\nrebuild = \"x\"", "build", vec![]),
            ("members = [\n \"a\", # b\n \"c/*\",\n]", "members", vec!["a", "c/*"]),
            ("default-members = ['z']\nmembers = ['a']", "members", vec!["a"]),
            ("x = { path = \"../a\" }\ny = { path = 'b', version = '1' }", "path", vec!["../a", "b"]),
        ] {
            assert_eq!(values(manifest, key), Some(expected), "{manifest}");
        }
        assert_eq!(values("build = \"\"\"x.rs\"\"\"", "build"), None);
        assert_eq!(values("build = \"\\u0078.rs\"", "build"), None);
    }

    /// Scripts that only print are told from those that reach further.
    #[test]
    fn d_19_build_scripts_are_read() {
        for script in [
            "use std::fs as f; fn main() { f::write(\"M\", \"\"); }",
            "fn main() { std::fs ::write(\"M\", \"\"); }",
            "mod m; fn main() { m::x() }",
            "fn main() { println!(\"cargo:rustc-link-arg=-Bx\") }",
            "fn main() { println!(\"cargo:{}=-Bx\", x) }",
            "fn main() { println!(\"cargo:rustc-{}-arg=-Bx\", \"link\") }",
            "use std::process::Command;",
        ] {
            assert!(starts_something(script), "{script}");
        }
        for script in [
            "fn main() { println!(\"cargo:rerun-if-changed=build.rs\"); }",
            "fn main() { println!(\"cargo:rustc-env=GIT={}\", std::env::var(\"X\").unwrap_or_default()); }",
        ] {
            assert!(!starts_something(script), "{script}");
        }
    }
}
