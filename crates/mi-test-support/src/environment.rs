//! The environment that tests give to programs: nothing inherited by accident.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use crate::scratch::TempHome;

/// Every variable a sealed program gets. No `MI_*` but `MI_HOME`, no model keys, no git identity.
pub fn sealed_environment(home: &TempHome) -> Vec<(OsString, OsString)> {
    vec![
        ("HOME".into(), home.user_home().into()),
        ("MI_HOME".into(), home.path().into()),
        ("TMPDIR".into(), home.temp_dir().into()),
        ("PATH".into(), tool_path()),
        ("LANG".into(), "C.UTF-8".into()),
        // Python tells a changed file by its size and the second it was written in: a fast agent would test old code.
        ("PYTHONDONTWRITEBYTECODE".into(), "1".into()),
    ]
}

/// `PATH` with the real Python and the real cargo in front: the shims of version managers look for them below
/// `HOME` and do not work under another one.
pub fn tool_path() -> OsString {
    static TOOL_PATH: OnceLock<OsString> = OnceLock::new();
    TOOL_PATH.get_or_init(find_tool_path).clone()
}

fn find_tool_path() -> OsString {
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&inherited).collect();
    let python = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
    let python = python.map(|output| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()));
    let cargo = std::env::var_os("CARGO").map(PathBuf::from);
    for program in python.ok().into_iter().chain(cargo) {
        if let Some(folder) = program.parent().filter(|folder| folder.is_absolute()) {
            folders.insert(0, folder.to_owned());
        }
    }
    std::env::join_paths(folders).expect("folders that were split off PATH can be joined again")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Python runs under the sealed environment, and nothing of the tester's own agents is in it.
    #[test]
    fn python_works_and_keys_are_absent() {
        let home = TempHome::new();
        let variables = sealed_environment(&home);
        let status = Command::new("python3")
            .env_clear()
            .envs(variables.clone())
            .args(["-c", "pass"])
            .status()
            .unwrap();
        assert!(status.success());
        let names: Vec<_> = variables.iter().map(|(name, _)| name.to_string_lossy()).collect();
        assert!(
            !names.iter().any(|name| name.starts_with("OPENAI") || name.starts_with("ANTHROPIC")),
            "{names:?}"
        );
    }
}
