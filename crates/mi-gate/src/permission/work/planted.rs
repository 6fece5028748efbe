//! Files of a project that make a tool run the project's own code, even when it is only asked for its version.

use super::FileText;
use crate::permission::decide::Place;
use crate::permission::shell::Here;

/// The files for a program, and whether what one says is a program of the project.
fn files(program: &str) -> (&'static [&'static str], fn(&str) -> bool) {
    match program {
        "cargo" | "rustc" | "rustfmt" | "rustup" | "rustdoc" | "clippy-driver" => {
            (&["rust-toolchain.toml", "rust-toolchain"], |text| text.contains("path"))
        }
        "yarn" => (&[".yarnrc.yml", ".yarnrc"], |text| text.lines().any(is_foreign_yarn)),
        "mvn" => (&[".mvn/jvm.config", ".mvn/maven.config"], |text| {
            ["agent", "-cp", "classpath", "class.path", "OnError", "OnOutOfMemory", "@"]
                .iter()
                .any(|word| text.contains(word))
        }),
        "dotnet" => (&["global.json"], |text| text.contains("\"paths\"")),
        _ => (&[], |_| false),
    }
}

/// Releases that yarn itself puts there are what their name says; anything else is a script.
fn is_foreign_yarn(line: &str) -> bool {
    let line = line.trim().trim_start_matches('"');
    let value = line.strip_prefix("yarnPath").or_else(|| line.strip_prefix("yarn-path"));
    value.is_some_and(|value| {
        let path = value.trim_matches([':', ' ', '"', '\'']).trim_start_matches("./");
        !path.starts_with(".yarn/releases/yarn-") || path.contains("..")
    })
}

/// Refuses a tool that would run what a file around here names.
pub(in crate::permission) fn check(program: &str, here: &Here<'_>, place: &Place<'_>) -> Result<(), String> {
    let (names, is_code) = files(program);
    if names.is_empty() {
        return Ok(());
    }
    let Some(folder) = here.folder else { return Err(format!("the folder of `{program}` is not known")) };
    let mut folder = folder.trim_end_matches('/');
    loop {
        for name in names {
            let bad = match place.context.world.text(&format!("{folder}/{name}")) {
                FileText::Missing => false,
                FileText::Text(text) => is_code(&text),
                FileText::Unknown => true,
            };
            if bad {
                return Err(format!("`{folder}/{name}` changes what `{program}` runs"));
            }
        }
        match folder.rfind('/') {
            Some(at) => folder = &folder[..at],
            None => return Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Yarn's own releases are its own; every other path is a script of the project.
    #[test]
    fn d_19_yarn_paths() {
        for line in ["yarnPath: ./evil.cjs", "yarnPath: .yarn/releases/yarn-../../x", "yarn-path \"./x.js\""]
        {
            assert!(is_foreign_yarn(line), "{line}");
        }
        for line in ["yarnPath: .yarn/releases/yarn-4.5.0.cjs", "nodeLinker: node-modules", ""] {
            assert!(!is_foreign_yarn(line), "{line}");
        }
    }
}
