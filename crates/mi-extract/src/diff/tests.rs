//! Diffs against a small folder.

use super::*;
use crate::folder::{Entry, NoFolder};

struct One(&'static str, &'static str);

impl Folder for One {
    fn entries(&self, _folder: &str) -> Vec<Entry> {
        Vec::new()
    }

    fn read(&self, path: &str) -> Option<Vec<u8>> {
        (path == self.0).then(|| self.1.as_bytes().to_vec())
    }
}

fn result(diff: &str, folder: &dyn Folder) -> Result<(String, String), &'static str> {
    let mut found = read(diff, 1000, folder);
    assert_eq!(found.len(), 1, "{diff}\n{found:?}");
    found.remove(0).result.map_err(Reason::as_str)
}

const BASE: One = One("src/a", "one\ntwo\nthree\n");

#[test]
fn e_24_changes_are_applied_exactly() {
    let changed = |text: &str| Ok(("src/a".to_owned(), text.to_owned()));
    for (diff, expected) in [
        ("--- a/src/a\n+++ b/src/a\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n", changed("one\n2\nthree\n")),
        ("--- src/a\t2024-01-01\n+++ src/a\t2024\n@@ -2 +2 @@ fn\n-two\n+2\n", changed("one\n2\nthree\n")),
        (
            "diff --git a/src/a b/src/a\nindex 1..2 100644\n--- a/src/a\n+++ b/src/a\n@@ -1,0 +2 @@\n+x\n",
            changed("one\nx\ntwo\nthree\n"),
        ),
        (
            "--- a/src/a\n+++ b/src/a\n@@ -3 +3 @@\n-three\n+three\n\\ No newline at end of file\n",
            changed("one\ntwo\nthree"),
        ),
        ("--- a/src/a\n+++ b/src/a\n@@ -1,2 +1,2 @@\n one\n-2\n+x\n", Err("diff_conflict")),
        ("--- a/src/a\n+++ b/src/a\n@@ -2,2 +2,2 @@\n one\n-two\n+x\n", Err("diff_conflict")),
        ("--- a/src/a\n+++ b/src/a\n@@ -1,9 +1,9 @@\n one\n-two\n+x\n", Err("diff_conflict")),
        ("--- a/src/a\n+++ b/src/a\n@@ -1 +1 @@\n-one\n+1\n-two\n+2\n", Err("diff_conflict")),
        ("--- a/src/a\n+++ b/src/a\n@@ ... @@\n-one\n+1\n", Err("diff_conflict")),
        ("--- a/src/a\n+++ b/src/a\n@@ -99 +99 @@\n-one\n+1\n", Err("diff_conflict")),
        ("--- a/src/a\n+++ b/src/a\n", Err("diff_conflict")),
        ("--- /dev/null\n+++ b/src/a\n@@ -0,0 +1 @@\n+x\n", Err("diff_conflict")),
        ("--- a/src/b\n+++ b/src/b\n@@ -1 +1 @@\n-x\n+y\n", Err("diff_base")),
    ] {
        assert_eq!(result(diff, &BASE), expected, "{diff}");
    }
}

#[test]
fn e_24_new_files_need_no_base() {
    let made = |path: &str, text: &str| Ok((path.to_owned(), text.to_owned()));
    for (diff, expected) in [
        ("--- /dev/null\n+++ b/new.py\n@@ -0,0 +1,2 @@\n+a\n+b\n", made("new.py", "a\nb\n")),
        (
            "diff --git a/n b/n\nnew file mode 100755\nindex 0..1\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+a\n",
            made("n", "a\n"),
        ),
        ("diff --git a/n b/n\nnew file mode 100644\nindex 0000000..e69de29\n", made("n", "")),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", Err("diff_base")),
    ] {
        assert_eq!(result(diff, &NoFolder), expected, "{diff}");
    }
}

#[test]
fn e_24_other_changes_are_unsupported() {
    for (diff, reason) in [
        (
            "diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
            "diff_unsupported",
        ),
        ("--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", "diff_unsupported"),
        ("diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n", "diff_unsupported"),
        (
            "diff --git a/x b/y\nsimilarity index 90%\ncopy from x\ncopy to y\n--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n",
            "diff_unsupported",
        ),
        (
            "diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+/etc\n",
            "diff_unsupported",
        ),
        (
            "diff --git a/x b/x\nindex 1..2 160000\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
            "diff_unsupported",
        ),
        ("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", "diff_base"),
        ("diff --git a/x b/x\nindex 1..2 100644\nBinary files a/x and b/x differ\n", "diff_unsupported"),
        ("diff --git a/x b/x\nindex 1..2\nGIT binary patch\nliteral 1\n", "diff_unsupported"),
        ("--- /dev/null\n+++ b/../x\n@@ -0,0 +1 @@\n+a\n", "climbing_path"),
        ("--- /dev/null\n+++ /etc/x\n@@ -0,0 +1 @@\n+a\n", "absolute_path"),
        ("--- /dev/null\n+++ b/.git/hooks/x\n@@ -0,0 +1 @@\n+a\n", "reserved_name"),
        ("--- /dev/null\n+++ \"b/\\303\\251\"\n@@ -0,0 +1 @@\n+a\n", "bad_path"),
    ] {
        assert_eq!(result(diff, &NoFolder), Err(reason), "{diff}");
    }
}

/// The new mode says whether a file can be run; without one nothing is said.
#[test]
fn e_24_modes_are_kept() {
    let hunk = "--- a/src/a\n+++ b/src/a\n@@ -2 +2 @@\n-two\n+2\n";
    for (head, expected) in [
        ("", None),
        ("index 1..2 100755\n", None),
        ("old mode 100644\nnew mode 100755\n", Some(true)),
        ("old mode 100755\nnew mode 100644\n", Some(false)),
    ] {
        let found = read(&format!("diff --git a/src/a b/src/a\n{head}{hunk}"), 1000, &BASE);
        assert_eq!((found[0].executable, found[0].result.is_ok()), (expected, true), "{head}");
    }
    let made = "diff --git a/n b/n\nnew file mode 100755\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+a\n";
    assert_eq!(read(made, 1000, &NoFolder)[0].executable, Some(true));
}

/// Several files in one diff, also without `diff --git`, each at its first header line.
#[test]
fn e_04_files_of_a_diff_know_their_lines() {
    let diff = "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n--- /dev/null\n+++ b/y\n@@ -0,0 +1 @@\n+--- b\ndiff --git a/z b/z\nnew file mode 100644\n";
    let found = read(diff, 1000, &NoFolder);
    let lines: Vec<_> =
        found.iter().map(|file| (file.line, file.name.as_str(), file.result.is_ok())).collect();
    assert_eq!(lines, [(0, "x", true), (4, "y", true), (8, "z", true)]);
}

#[test]
fn only_blocks_with_headers_are_diffs() {
    assert!(is_diff("\n--- a\n+++ b\n", false) && is_diff("diff --git a/x b/x\n", false));
    assert!(is_diff("Some words\n--- a\n+++ b\n", true) && !is_diff("Some words\n--- a\n+++ b\n", false));
    assert!(!is_diff("--- a\nb\n", true) && !is_diff("+x\n-y\n", true) && !is_diff("", true));
}
