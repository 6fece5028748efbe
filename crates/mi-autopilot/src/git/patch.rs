//! The staged content of an edited file, from the file as it is and git's patch to it: one call of git less per file.
//!
//! Holds: what is told has the very digest by which git knows the staged content, so that a file that changed while git
//! looked at it, or a patch that was cut off, is never believed.

use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use std::fmt::Write;

/// The content that has the digest `object`, if undoing the patch's changes of `name` gives it.
pub(super) fn staged_content(patch: &str, name: &str, object: &str, now: &[u8]) -> Option<Vec<u8>> {
    let header = format!("diff --git a/{name} b/{name}\n");
    let start = match patch.strip_prefix(&header) {
        Some(_) => header.len(),
        None => patch.find(&format!("\n{header}"))? + 1 + header.len(),
    };
    let section = &patch[start..];
    let section = section.find("\ndiff --git ").map_or(section, |end| &section[..=end]);
    let before = undone(section, now)?;
    (object_id(&before) == object).then_some(before)
}

/// The text before the changes of a patch without context.
fn undone(section: &str, now: &[u8]) -> Option<Vec<u8>> {
    let hunks = &section[section.find("@@ ")?..];
    let mut after = now.split_inclusive(|byte| *byte == b'\n');
    let (mut before, mut taken, mut sign) = (Vec::with_capacity(now.len()), 0, b' ');
    for line in hunks.split_inclusive('\n') {
        let last_sign = std::mem::replace(&mut sign, line.bytes().next()?);
        match sign {
            b'@' => {
                let (first, count) = new_lines(line)?;
                // Where nothing was added, the line before the place is named.
                let kept = if count == 0 { first } else { first.checked_sub(1)? };
                for _ in taken..kept {
                    before.extend_from_slice(after.next()?);
                }
                (0..count).try_for_each(|_| after.next().map(drop))?;
                taken = kept + count;
            }
            b'-' => before.extend_from_slice(&line.as_bytes()[1..]),
            // "No newline at end of file", about the line before.
            b'\\' if last_sign == b'-' => drop(before.pop()),
            _ => {}
        }
    }
    after.for_each(|line| before.extend_from_slice(line));
    Some(before)
}

/// The `12,3` of `@@ -10,2 +12,3 @@`; a count that is left out is one.
fn new_lines(header: &str) -> Option<(usize, usize)> {
    let place = header.split(' ').find_map(|word| word.strip_prefix('+'))?;
    match place.split_once(',') {
        Some((first, count)) => Some((first.parse().ok()?, count.parse().ok()?)),
        None => Some((place.parse().ok()?, 1)),
    }
}

/// The name by which git knows a content.
fn object_id(content: &[u8]) -> String {
    let mut bytes = format!("blob {}\0", content.len()).into_bytes();
    bytes.extend_from_slice(content);
    let mut hex = String::with_capacity(40);
    for byte in digest(&SHA1_FOR_LEGACY_USE_ONLY, &bytes).as_ref() {
        // Writing into a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, path::Path, process::Command};

    #[expect(clippy::disallowed_methods, reason = "the test asks the real git")]
    fn git(folder: &Path, args: &[&str]) -> String {
        let output = Command::new("git").args(args).current_dir(folder).output().unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Texts with and without an end of line at their end, with lines that look like parts of a patch.
    const TEXTS: [&str; 9] = [
        "",
        "one\n",
        "one",
        "one\ntwo\nthree\n",
        "two\nthree",
        "zero\none\ntwo\n",
        "-one\n+two\n@@ -1 +1 @@\n\\ no\n",
        "diff --git a/a b/a\n--- a/a\n",
        "one\r\ntwo\r\n\r\n",
    ];

    /// Undoing git's patch gives what is staged, for every pair of texts and two files at once.
    #[test]
    fn staged_content_is_found_from_the_patch() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        git(root, &["init", "--quiet"]);
        for before in TEXTS {
            for name in ["a", "b/c"] {
                fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
                fs::write(root.join(name), before).unwrap();
            }
            git(root, &["-c", "core.autocrlf=false", "add", "."]);
            let object = git(root, &["rev-parse", ":a"]);
            for now in TEXTS.into_iter().filter(|now| *now != before) {
                ["a", "b/c"].iter().for_each(|name| fs::write(root.join(name), now).unwrap());
                let patch = git(root, &["diff", "--unified=0"]);
                for name in ["a", "b/c"] {
                    let found = staged_content(&patch, name, object.trim(), now.as_bytes());
                    assert_eq!(found.as_deref(), Some(before.as_bytes()), "{before:?} to {now:?}\n{patch}");
                    // A file that changed since, or half a patch: the truth or nothing.
                    let (changed, half) = (format!("{now}more\n"), &patch[..patch.len() / 2]);
                    for (patch, now) in [(patch.as_str(), changed.as_str()), (half, now)] {
                        let found = staged_content(patch, name, object.trim(), now.as_bytes());
                        assert!(
                            found.is_none_or(|found| found == before.as_bytes()),
                            "{before:?} to {now:?}"
                        );
                    }
                }
            }
        }
    }
}
