use super::*;

fn units(diff: &str) -> u64 {
    count(diff, &|_| false).unwrap().cu
}

fn edit(path: &str, hunks: &str) -> String {
    format!("diff --git a/{path} b/{path}\nindex 1..2 100644\n--- a/{path}\n+++ b/{path}\n{hunks}")
}

/// One function in one file is one unit, two functions are two, three files are three.
#[test]
fn d_18_units_are_counted_per_file_and_run() {
    let one = edit("a", "@@ -1 +1 @@\n-x\n+y\n");
    let two = edit("a", "@@ -1 +1 @@\n-x\n+y\n@@ -9 +9 @@\n-x\n+y\n");
    assert_eq!((units(&one), units(&two)), (1, 2));
    let three = format!("{one}{}{}", edit("b", "@@ -1 +1 @@\n-x\n+y\n"), edit("c", "@@ -1 +1 @@\n-x\n+y\n"));
    assert_eq!(units(&three), 3);
}

/// Edits in one hunk with a context line between them are two units.
#[test]
fn d_18_near_edits_are_separate_units() {
    assert_eq!(units(&edit("a", "@@ -1,3 +1,3 @@\n-x\n+y\n keep\n-x\n+y\n")), 2);
}

/// A path in conflict has no hunks in the index; it is one unit until it is resolved.
#[test]
fn d_18_conflicts_are_one_unit() {
    let diff =
        format!("* Unmerged path c\n* Unmerged path \"\\303\\274\"\n{}", edit("a", "@@ -1 +1 @@\n-x\n+y\n"));
    let counted = count(&diff, &|_| false).unwrap();
    let files: Vec<(&str, Change)> =
        counted.files.iter().map(|file| (file.path.as_str(), file.change)).collect();
    assert_eq!(files, [("c", Change::Conflicted), ("ü", Change::Conflicted), ("a", Change::Edited)]);
    assert_eq!(counted.cu, 3);
}

/// New, deleted, binary, renamed and re-moded files are one each; with edits a rename counts its edits.
#[test]
fn d_18_whole_files_are_one_unit() {
    let cases = [
        (
            "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+a\n+b\n",
            Change::Added,
            1,
        ),
        ("diff --git a/n b/n\nnew file mode 100644\nindex 0..e\n", Change::Added, 1),
        (
            "diff --git a/n b/n\ndeleted file mode 100644\n--- a/n\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
            Change::Deleted,
            1,
        ),
        ("diff --git a/n b/n\nindex 1..2 100644\nBinary files a/n and b/n differ\n", Change::Binary, 1),
        ("diff --git a/o b/n\nsimilarity index 100%\nrename from o\nrename to n\n", Change::Renamed, 1),
        (
            "diff --git a/o b/n\nsimilarity index 90%\nrename from o\nrename to n\n--- a/o\n+++ b/n\n@@ -1 +1 @@\n-a\n+b\n@@ -5 +5 @@\n-a\n+b\n",
            Change::Renamed,
            2,
        ),
        ("diff --git a/n b/n\nold mode 100644\nnew mode 100755\n", Change::ModeChanged, 1),
        (
            "diff --git a/n b/n\nold mode 100644\nnew mode 100755\n--- a/n\n+++ b/n\n@@ -1 +1 @@\n-a\n+b\n",
            Change::Edited,
            1,
        ),
    ];
    for (diff, change, cu) in cases {
        let counted = count(diff, &|_| false).unwrap();
        assert_eq!(counted.files.len(), 1, "{diff}");
        assert_eq!(
            (counted.files[0].change, counted.cu, counted.files[0].path.as_str()),
            (change, cu, "n"),
            "{diff}"
        );
    }
}

/// Generated files are listed and not counted.
#[test]
fn d_18_generated_files_are_excluded() {
    let diff =
        format!("{}{}", edit("Cargo.lock", "@@ -1 +1 @@\n-x\n+y\n"), edit("a", "@@ -1 +1 @@\n-x\n+y\n"));
    let counted = count(&diff, &|path| path.ends_with(".lock")).unwrap();
    assert_eq!((counted.cu, counted.excluded), (1, vec!["Cargo.lock".to_owned()]));
}

/// Removed lines that look like headers are lines.
#[test]
fn d_18_text_that_looks_like_a_header_is_text() {
    assert_eq!(units(&edit("a", "@@ -1,2 +1 @@\n--- a/evil\n-diff --git a/x b/x\n+++ b/evil\n")), 1);
}

/// Quoted names and names with blanks are read.
#[test]
fn d_18_odd_names_are_read() {
    let quoted = "diff --git \"a/\\303\\244 b\" \"b/\\303\\244 b\"\n--- \"a/\\303\\244 b\"\n+++ \"b/\\303\\244 b\"\n@@ -1 +1 @@\n-x\n+y\n";
    assert_eq!(count(quoted, &|_| false).unwrap().files[0].path, "ä b");
    let blank = "diff --git a/x y b/x y\nold mode 100644\nnew mode 100755\n";
    assert_eq!(count(blank, &|_| false).unwrap().files[0].path, "x y");
}

/// A merge's combined hunk is read by its own counts.
#[test]
fn d_18_combined_diffs_are_read() {
    let diff = "diff --cc a\nindex 1,2..3\n--- a/a\n+++ b/a\n@@@ -1,2 -1,2 +1,2 @@@\n  same\n- x\n -y\n++z\n";
    assert_eq!(units(diff), 1);
}

/// Nothing is nothing; other texts and cut diffs are refused with their line.
#[test]
fn d_18_bad_diffs_are_refused() {
    assert_eq!(count("", &|_| false), Ok(ChangeUnits::default()));
    assert_eq!(count("hello\n", &|_| false), Err(CountError::NoDiff));
    assert_eq!(count(&edit("a", "@@ nonsense\n"), &|_| false), Err(CountError::BadHunk { line: 5 }));
    assert_eq!(count(&edit("a", "@@ -1,3 +1,3 @@\n-x"), &|_| false), Err(CountError::Truncated { line: 6 }));
}

proptest::proptest! {
    /// No text makes it panic.
    #[test]
    fn d_18_counting_never_panics(text in "(diff --git a/x b/x\n|--- a/x\n|\\+\\+\\+ b/x\n|@@ -[0-9]{0,3},?[0-9]? \\+[0-9]{1,2} @@\n|[-+ ]x\n|rename to \"?\\\\?\n|.{0,9}\n){0,20}") {
        let _ = count(&text, &|_| false);
    }
}

/// The message of the next patch in a series does not change the file before it; `diff -r` names binary files by themselves.
#[test]
fn d_18_text_behind_hunks_changes_no_file() {
    let edits = edit("a", "@@ -1 +1 @@\n-x\n+y\n@@ -9 +9 @@\n-x\n+y\n");
    let series = format!(
        "{edits}-- \n2.40\n\nnew file mode bits are kept\nrename to b\n{}",
        edit("b", "@@ -1 +1 @@\n-x\n+y\n")
    );
    let counted = count(&series, &|_| false).unwrap();
    assert_eq!(
        counted.files.iter().map(|file| (file.path.as_str(), file.cu)).collect::<Vec<_>>(),
        [("a", 2), ("b", 1)]
    );
    let recursive =
        "diff -ru a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\nBinary files a/z and b/z differ\n";
    let counted = count(recursive, &|_| false).unwrap();
    assert_eq!(
        counted.files.iter().map(|file| (file.path.as_str(), file.cu)).collect::<Vec<_>>(),
        [("x", 1), ("z", 1)]
    );
}
