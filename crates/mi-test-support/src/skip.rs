//! Tests that cannot run here say so by name and reason, and are counted.
//!
//! The list is a file in the target directory; `dev/test` empties it first and prints it last.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

use crate::scratch::target_dir;

/// Notes that the calling test was skipped for `reason`, on standard error and in [`skip_list`].
#[expect(clippy::print_stderr, reason = "the person who runs one test by hand must see that it was skipped")]
pub fn skipped(reason: &str) {
    let name = test_name();
    eprintln!("SKIPPED: {reason} [{name}]");
    let file = skip_list();
    let mut list = OpenOptions::new()
        .create(true)
        .append(true)
        .open(&file)
        .unwrap_or_else(|error| panic!("open {}: {error}", file.display()));
    // One write, so that lines of tests that run at the same time do not mix.
    list.write_all(format!("{name}\t{reason}\n").as_bytes())
        .unwrap_or_else(|error| panic!("write {}: {error}", file.display()));
}

/// The file with one `name TAB reason` line per skipped test.
pub fn skip_list() -> PathBuf {
    let folder = target_dir();
    fs::create_dir_all(&folder).unwrap_or_else(|error| panic!("make {}: {error}", folder.display()));
    folder.join("skipped-tests.txt")
}

/// `binary::test`. libtest names its thread after the test, unless it runs the test on the main thread: then
/// the name is the argument that is no flag.
fn test_name() -> String {
    let program = std::env::current_exe().ok();
    let stem = program.as_deref().and_then(|path| path.file_stem()).unwrap_or_default().to_string_lossy();
    let binary = stem.rsplit_once('-').map_or(&*stem, |(name, _hash)| name);
    let thread = std::thread::current().name().unwrap_or("main").to_owned();
    let test = match thread.as_str() {
        "main" => std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or(thread),
        _ => thread,
    };
    format!("{binary}::{test}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The name tells the binary and the test, under every runner.
    #[test]
    fn the_test_is_named() {
        assert_eq!(test_name(), "mi_test_support::skip::tests::the_test_is_named");
    }
}
