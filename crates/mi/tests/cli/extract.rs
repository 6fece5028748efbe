//! `mi extract`: what programs read, what is written, and that nothing is written when anything is refused.

use mi_test_support::{Mi, MiOutput, Scratch, TempHome};
use serde_json::json;
use std::{fs, os::unix::fs::PermissionsExt, os::unix::fs::symlink, path::Path};

struct Place {
    home: TempHome,
    scratch: Scratch,
}

impl Place {
    fn new() -> Self {
        Self { home: TempHome::new(), scratch: Scratch::new("extract") }
    }

    fn out(&self) -> std::path::PathBuf {
        self.scratch.path().join("out")
    }

    fn extract(&self, reply: impl AsRef<[u8]>, more: &[&str]) -> MiOutput {
        let reply = self.scratch.write("reply.md", reply);
        let reply = reply.display().to_string();
        let mut arguments = vec!["extract", "--json", &reply];
        arguments.extend(more);
        Mi::new(env!("CARGO_BIN_EXE_mi"), &self.home).cwd(self.scratch.path()).run(arguments)
    }
}

/// Every path below a folder, sorted.
fn tree(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut to_look = vec![folder.to_owned()];
    while let Some(folder) = to_look.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.is_symlink() {
                to_look.push(path.clone());
            }
            found.push(path.display().to_string());
        }
    }
    found.sort();
    found
}

const TWO: &str =
    "Create `src/a.py`:\n```python\nprint(1)\n```\n\n```sh\nls\n```\n\n```sh:run.sh\n./x\n```\n";

/// The object of the contract, whole; a block without a name is only a note.
#[test]
fn e_01_to_e_05_json_is_the_contract() {
    let place = Place::new();
    let output = place.extract(TWO, &["--out", "out"]).expect_exit(0);
    assert_eq!(
        output.json(),
        json!({
            "files": [
                {"path": "src/a.py", "language": "python", "bytes": 9, "sha256": sha256sum("print(1)\n"), "line": 2},
                {"path": "run.sh", "language": "sh", "bytes": 4, "sha256": sha256sum("./x\n"), "line": 10},
            ],
            "refused": [{"reason": "no_name", "line": 6, "path": null}],
            "action": "create",
        })
    );
    assert_eq!(fs::read_to_string(place.out().join("src/a.py")).unwrap(), "print(1)\n");
    assert_eq!(tree(&place.out()).len(), 3, "{:?}", tree(&place.out()));
}

/// The digest by another program.
fn sha256sum(text: &str) -> String {
    let file = Scratch::new("sha");
    let path = file.write("x", text);
    let output = std::process::Command::new("sha256sum").arg(path).output().unwrap();
    String::from_utf8_lossy(&output.stdout).split_whitespace().next().unwrap_or_default().to_owned()
}

/// Anything refused: exit 3, the good ones listed, nothing at all written, not even the folder.
#[test]
fn e_02_nothing_is_written_when_anything_is_refused() {
    for bad in [
        "```t:../x\nx\n```\n",
        "```t:/etc/x\nx\n```\n",
        "```t:.git/hooks/x\nx\n```\n",
        "```t:a\u{85}b\nx\n```\n",
        "```t:open\nx\n",
        "```t:RUN.sh\nx\n```\n",
        "```sh\ncat > a <<E\n$HOME\nE\n```\n",
        "```diff\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n```\n",
    ] {
        let place = Place::new();
        let output = place.extract(format!("```sh:run.sh\nx\n```\n{bad}"), &["--out", "out"]).expect_exit(3);
        assert!(!output.json()["refused"].as_array().unwrap().is_empty(), "{bad}");
        assert!(!place.out().exists(), "{bad}");
    }
}

#[test]
fn e_03_nothing_found_is_exit_0_and_task_analysis() {
    let place = Place::new();
    let output = place.extract("Just words.\n", &["--out", "out"]).expect_exit(0).json();
    assert_eq!(output, json!({"files": [], "refused": [], "action": "task_analysis"}));
    assert!(!place.out().exists());
}

#[test]
fn e_06_not_utf8_is_one_refusal() {
    let place = Place::new();
    let output = place.extract(b"```t:a\n\xff\n```\n", &["--out", "out"]).expect_exit(3).json();
    assert_eq!(output["refused"], json!([{"reason": "encoding", "line": 2, "path": null}]));
    assert_eq!(output["files"], json!([]));
}

/// Limits come from the person's settings.
#[test]
fn e_08_limits_are_settings() {
    let place = Place::new();
    place.home.write_config("[extract]\nmax_file_bytes = 3\nmax_files = 1\n");
    let output = place.extract("```t:a\nabc\n```\n", &[]).expect_exit(3).json();
    assert_eq!(output["refused"][0]["reason"], "too_large");
    let output = place.extract("```t:a\nx\n```\n```t:b\nx\n```\n", &[]).expect_exit(3).json();
    assert_eq!(output["refused"][0]["reason"], "too_many");
}

/// A diff changes what stands in the folder, exactly or not at all; the file keeps its permission bits.
#[test]
fn e_24_diffs_are_applied_to_the_folder() {
    let place = Place::new();
    let file = place.scratch.write("out/x.sh", "a\n");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    let diff = "```diff\n--- a/x.sh\n+++ b/x.sh\n@@ -1 +1 @@\n-a\n+b\n```\n";
    place.extract(diff, &["--out", "out"]).expect_exit(0);
    assert_eq!(fs::read_to_string(&file).unwrap(), "b\n");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o755);
    let again = place.extract(diff, &["--out", "out"]).expect_exit(3).json();
    assert_eq!(again["refused"][0], json!({"reason": "diff_conflict", "line": 2, "path": "x.sh"}));
    assert_eq!(fs::read_to_string(&file).unwrap(), "b\n");
}

/// The mode of a diff is the file's: new files, changed ones, and a change of mode alone.
#[test]
fn e_24_executable_files_stay_executable() {
    let place = Place::new();
    let mode = |name: &str| fs::metadata(place.out().join(name)).unwrap().permissions().mode() & 0o111;
    place.scratch.write("out/old.sh", "a\n");
    let plain = place.scratch.write("out/plain.sh", "a\n");
    fs::set_permissions(&plain, fs::Permissions::from_mode(0o755)).unwrap();
    let diff = "```diff\ndiff --git a/new.sh b/new.sh\nnew file mode 100755\n--- /dev/null\n+++ b/new.sh\n@@ -0,0 +1 @@\n+x\n\
                diff --git a/old.sh b/old.sh\nold mode 100644\nnew mode 100755\n--- a/old.sh\n+++ b/old.sh\n@@ -1 +1 @@\n-a\n+b\n\
                diff --git a/plain.sh b/plain.sh\nold mode 100755\nnew mode 100644\n```\n";
    place.extract(diff, &["--out", "out"]).expect_exit(0);
    assert!(mode("new.sh") != 0 && mode("old.sh") != 0);
    assert_eq!(mode("plain.sh"), 0);
    assert_eq!(fs::read_to_string(place.out().join("old.sh")).unwrap(), "b\n");
    assert_eq!(fs::read_to_string(plain).unwrap(), "a\n");
}

#[test]
fn e_33_e_34_links_and_case_in_the_folder_are_respected() {
    let place = Place::new();
    let elsewhere = place.scratch.path().join("elsewhere");
    fs::create_dir_all(&elsewhere).unwrap();
    fs::create_dir_all(place.out()).unwrap();
    symlink(&elsewhere, place.out().join("link")).unwrap();
    symlink(elsewhere.join("f"), place.out().join("file")).unwrap();
    fs::write(place.out().join("README.md"), "").unwrap();
    for (name, reason) in
        [("link/x", "symlink_parent"), ("file", "symlink_parent"), ("readme.md", "case_clash")]
    {
        let output = place.extract(format!("```t:{name}\nx\n```\n"), &["--out", "out"]).expect_exit(3).json();
        assert_eq!(output["refused"], json!([{"reason": reason, "line": 1, "path": name}]));
    }
    assert_eq!(tree(&elsewhere), Vec::<String>::new());
    assert_eq!(tree(&place.out()).len(), 3);
}

/// A hard link to a file elsewhere keeps the old content.
#[test]
fn hard_links_are_not_written_through() {
    let place = Place::new();
    let other = place.scratch.write("other", "old\n");
    fs::create_dir_all(place.out()).unwrap();
    fs::hard_link(&other, place.out().join("a")).unwrap();
    place.extract("```t:a\nnew\n```\n", &["--out", "out"]).expect_exit(0);
    assert_eq!(fs::read_to_string(&other).unwrap(), "old\n");
    assert_eq!(fs::read_to_string(place.out().join("a")).unwrap(), "new\n");
}

/// Many files are written, and nothing of the stage is left.
#[test]
fn many_files_are_written_at_once() {
    let place = Place::new();
    let reply: String =
        (0..200).map(|index| format!("```t:d{}/f{index}\n{index}\n```\n", index % 7)).collect();
    place.extract(reply, &["--out", "out"]).expect_exit(0);
    assert_eq!(tree(&place.out()).len(), 207);
    assert_eq!(fs::read_to_string(place.out().join("d3/f3")).unwrap(), "3\n");
}

#[test]
fn bad_input_is_said() {
    let place = Place::new();
    let mi = || Mi::new(env!("CARGO_BIN_EXE_mi"), &place.home).cwd(place.scratch.path());
    let output = mi().run(["extract", "/no/such/reply.md"]).expect_exit(1);
    assert!(
        output.err().contains("/no/such/reply.md") && output.err().contains("to do:"),
        "{}",
        output.err()
    );
    place.scratch.write("file", "x");
    let output = mi().stdin("```t:a\nx\n```\n").run(["extract", "-", "--out", "file"]).expect_exit(1);
    assert!(output.err().contains("file"), "{}", output.err());
    let output = mi().stdin(TWO).run(["extract"]).expect_exit(0);
    assert!(output.out().contains("src/a.py") && output.out().contains("--out DIR"), "{}", output.out());
    let output = mi().stdin("```t:a\u{202e}b\nx\n```\n").run(["extract"]).expect_exit(3);
    assert!(output.out().contains("control_char") && !output.out().contains('\u{202e}'), "{}", output.out());
}

/// A stage as a killed extraction leaves it: two staged files, the first of them placed already, and a journal.
fn plant_stage(place: &Place, journal: Option<&str>) -> std::path::PathBuf {
    let stage = place.out().join(".mi-extract-1-0");
    fs::create_dir_all(&stage).unwrap();
    fs::set_permissions(&stage, fs::Permissions::from_mode(0o700)).unwrap();
    fs::write(stage.join("0.old"), "old a").unwrap();
    fs::write(place.out().join("a"), "new a").unwrap();
    fs::write(stage.join("1"), "new b").unwrap();
    if let Some(name) = journal {
        fs::write(stage.join(name), "a\nsub/b\nend of journal\n").unwrap();
    }
    stage
}

/// What stands in the target: path and content.
fn contents(place: &Place) -> Vec<(String, String)> {
    let read = |path: &String| {
        let name = path.strip_prefix(&format!("{}/", place.out().display())).unwrap();
        Some((name.to_owned(), fs::read_to_string(path).ok()?))
    };
    tree(&place.out()).iter().filter_map(read).collect()
}

/// Killed between two renames: the next start finishes them, says so, and leaves nothing behind.
#[test]
fn e_02_interrupted_renames_are_finished() {
    let place = Place::new();
    plant_stage(&place, Some("journal"));
    let output = place.extract("no files here", &["--out", "out"]).expect_exit(0);
    assert!(output.err().contains("finished an interrupted extraction of 2 files"), "{}", output.err());
    let expected =
        [("a", "new a"), ("sub/b", "new b")].map(|(path, text)| (path.to_owned(), text.to_owned()));
    assert_eq!(contents(&place), expected);
    let again = place.extract("no files here", &["--out", "out"]).expect_exit(0);
    assert_eq!(again.err(), "");
}

/// Killed while a failed extraction was taken back: the next start takes the rest back.
#[test]
fn e_02_interrupted_undoing_is_finished() {
    let place = Place::new();
    plant_stage(&place, Some("undo"));
    place.extract("no files here", &["--out", "out"]).expect_exit(0);
    assert_eq!(contents(&place), [("a".to_owned(), "old a".to_owned())]);
}

/// Killed before the first rename: what was staged goes away.
#[test]
fn e_02_stages_without_a_journal_are_removed() {
    let place = Place::new();
    let stage = plant_stage(&place, None);
    fs::remove_file(stage.join("0.old")).unwrap();
    place.extract("no files here", &["--out", "out"]).expect_exit(0);
    assert_eq!(contents(&place), [("a".to_owned(), "new a".to_owned())]);
}

/// A folder with a stage's name that `mi` did not make changes nothing outside the target, and nothing inside.
#[test]
fn e_02_foreign_stages_are_not_obeyed() {
    let place = Place::new();
    let stage = plant_stage(&place, Some("journal"));
    fs::write(stage.join("journal"), "../escape\nsub/b\nend of journal\n").unwrap();
    fs::write(stage.join("0"), "escaped").unwrap();
    let output = place.extract("no files here", &["--out", "out"]).expect_exit(1);
    assert!(output.err().contains("not a journal of mi"), "{}", output.err());
    assert!(!place.scratch.path().join("escape").exists());
    fs::set_permissions(&stage, fs::Permissions::from_mode(0o755)).unwrap();
    place.extract("no files here", &["--out", "out"]).expect_exit(0);
    assert!(stage.exists() && !place.out().join("sub").exists());
}

/// `kill -9` at any moment of writing: after the next start all files are there, or none.
#[test]
fn e_02_kill_9_leaves_all_files_or_none() {
    let reply: String = (0..2000).map(|number| format!("```t:d{}/f{number}\nx\n```\n", number % 7)).collect();
    let mut seen = [0, 0];
    for attempt in 0..12_u64 {
        let place = Place::new();
        let file = place.scratch.write("big.md", &reply);
        let file = file.display().to_string();
        let running = Mi::new(env!("CARGO_BIN_EXE_mi"), &place.home)
            .cwd(place.scratch.path())
            .start(["extract", "--json", &file, "--out", "out"]);
        // From the first staged file on, a little later with every attempt.
        let is_there = || fs::read_dir(place.out()).is_ok_and(|mut entries| entries.next().is_some());
        mi_test_support::wait_until(std::time::Duration::from_secs(20), is_there);
        std::thread::sleep(std::time::Duration::from_millis(attempt * 12));
        running.kill();
        running.wait();
        place.extract("no files here", &["--out", "out"]).expect_exit(0);
        let files = tree(&place.out()).iter().filter(|path| Path::new(path).is_file()).count();
        assert!(files == 0 || files == 2000, "{files} files after attempt {attempt}");
        seen[usize::from(files == 2000)] += 1;
    }
    assert!(seen.iter().sum::<i32>() == 12);
}
