//! Real programs that `dev/setup` installs, found by name.

use std::path::PathBuf;

use crate::scratch::workspace_dir;
use crate::skip::skipped;

/// The program that `dev/setup` installed, else one on `PATH`, else a skip that is printed and counted:
/// `let Some(inspector) = installed("mcp-inspector") else { return };`
pub fn installed(name: &str) -> Option<PathBuf> {
    let own =
        ["dev/.tools/node_modules/.bin", "dev/.tools/python/bin"].map(|folder| workspace_dir().join(folder));
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    let program = own
        .into_iter()
        .chain(std::env::split_paths(&inherited))
        .map(|folder| folder.join(name))
        .find(|program| program.is_file());
    if program.is_none() {
        skipped(&format!("{name} is not installed (run dev/setup)"));
    }
    program
}
