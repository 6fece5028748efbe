//! Finds the native codex behind the npm wrapper.
//!
//! The wrapper is a node script that starts the native binary. Killing the wrapper leaves the binary at work,
//! and it doubles the start time.

use std::path::{Path, PathBuf};

/// The folder under `vendor`, by operating system and processor.
const TARGETS: [(&str, &str, &str, &str); 4] = [
    ("linux", "x86_64", "codex-linux-x64", "x86_64-unknown-linux-musl"),
    ("linux", "aarch64", "codex-linux-arm64", "aarch64-unknown-linux-musl"),
    ("macos", "x86_64", "codex-darwin-x64", "x86_64-apple-darwin"),
    ("macos", "aarch64", "codex-darwin-arm64", "aarch64-apple-darwin"),
];

/// The native binary that `program` leads to; `program` itself if it is native already, or none is found.
pub fn find_native(program: &Path) -> PathBuf {
    native_behind(program).unwrap_or_else(|| program.to_owned())
}

fn native_behind(program: &Path) -> Option<PathBuf> {
    let wrapper = program.canonicalize().ok()?;
    if wrapper.extension()? != "js" {
        return None;
    }
    let here = (std::env::consts::OS, std::env::consts::ARCH);
    let (_, _, package, target) = TARGETS.into_iter().find(|(os, arch, ..)| (*os, *arch) == here)?;
    // .../node_modules/@openai/codex/bin/codex.js
    let own_package = wrapper.parent()?.parent()?;
    let scope = own_package.parent()?;
    let packages =
        [scope.join(package), own_package.join("node_modules/@openai").join(package), own_package.to_owned()];
    let places = packages.iter().flat_map(|folder| {
        let vendor = folder.join("vendor").join(target);
        [vendor.join("bin/codex"), vendor.join("codex/codex")]
    });
    places.into_iter().find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(path: &Path) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
    }

    /// The link in `.bin` leads to the wrapper, and the wrapper to the binary of this machine.
    #[test]
    fn wrapper_leads_to_the_binary() {
        let folder = tempfile::tempdir().unwrap();
        let modules = folder.path().canonicalize().unwrap().join("node_modules");
        let wrapper = modules.join("@openai/codex/bin/codex.js");
        touch(&wrapper);
        let link = modules.join(".bin/codex");
        std::fs::create_dir_all(modules.join(".bin")).unwrap();
        std::os::unix::fs::symlink("../@openai/codex/bin/codex.js", &link).unwrap();
        assert_eq!(find_native(&link), link);

        let here = (std::env::consts::OS, std::env::consts::ARCH);
        let (_, _, package, target) =
            TARGETS.into_iter().find(|(os, arch, ..)| (*os, *arch) == here).unwrap();
        let native = modules.join(format!("@openai/{package}/vendor/{target}/bin/codex"));
        touch(&native);
        assert_eq!(find_native(&link), native);
        assert_eq!(find_native(&native), native);
        assert_eq!(find_native(Path::new("/no/such/codex")), Path::new("/no/such/codex"));
    }
}
