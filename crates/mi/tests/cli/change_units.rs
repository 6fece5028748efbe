//! `mi cu` on real repositories.

use super::{Mi, TempHome, TempProject};
use serde_json::{Value, json};

struct Scene {
    home: TempHome,
    project: TempProject,
}

fn scene() -> Scene {
    let text: String = (1..=40).map(|number| format!("line {number}\n")).collect();
    let project = TempProject::git_with(&[("a.txt", &text), ("b.txt", "b\n"), ("c.txt", &text)]);
    Scene { home: TempHome::new(), project }
}

impl Scene {
    fn cu(&self, arguments: &[&str]) -> Value {
        let mut all = vec!["cu", "--json"];
        all.extend(arguments);
        Mi::new(env!("CARGO_BIN_EXE_mi"), &self.home).cwd(self.project.path()).run(all).expect_exit(0).json()
    }

    fn edit(&self, path: &str, lines: &[usize]) {
        let text = self.project.read(path);
        let changed: Vec<String> = text
            .lines()
            .enumerate()
            .map(
                |(at, line)| {
                    if lines.contains(&(at + 1)) { format!("{line} changed") } else { line.to_owned() }
                },
            )
            .collect();
        self.project.write(path, changed.join("\n") + "\n");
    }
}

/// Separate edits are separate units however near; a new, a deleted and a binary file are one each.
#[test]
fn d_18_staged_units_are_counted() {
    let scene = scene();
    scene.edit("a.txt", &[3, 5, 20, 21]);
    scene.project.write("new.txt", "1\n2\n3\n");
    scene.project.write("x.bin", [0_u8, 159, 1]);
    std::fs::remove_file(scene.project.path().join("b.txt")).unwrap();
    scene.project.git(&["add", "-A"]);
    let counted = scene.cu(&["--staged"]);
    assert_eq!(counted["cu"], 6, "{counted}");
    let of = |path: &str| {
        let files = counted["files"].as_array().unwrap();
        files.iter().find(|file| file["path"] == path).unwrap()["cu"].clone()
    };
    assert_eq!(
        [of("a.txt"), of("new.txt"), of("x.bin"), of("b.txt")],
        [json!(3), json!(1), json!(1), json!(1)]
    );
    assert_eq!(counted["excluded"], json!([]));
}

/// A rename without edits is one unit; with edits its edits count. A mode change is one.
#[test]
fn d_18_renames_and_modes_are_counted() {
    let scene = scene();
    scene.project.git(&["mv", "a.txt", "d.txt"]);
    assert_eq!(scene.cu(&["--staged"])["cu"], 1);
    scene.edit("d.txt", &[2, 9]);
    scene.project.git(&["add", "-A"]);
    assert_eq!(scene.cu(&["--staged"])["cu"], 2);
    scene.project.commit("renamed");
    scene.project.git(&["update-index", "--chmod=+x", "b.txt"]);
    assert_eq!(scene.cu(&["--staged"])["cu"], 1);
}

/// Build output is listed and counts nothing.
#[test]
fn d_18_generated_files_are_excluded_and_listed() {
    let scene = scene();
    scene.project.write("dist/app.js", "x\n");
    scene.project.write("Cargo.lock", "x\n");
    scene.project.write("src/a.rs", "x\n");
    scene.project.git(&["add", "-A"]);
    let counted = scene.cu(&["--staged"]);
    assert_eq!(counted["cu"], 1);
    assert_eq!(counted["excluded"], json!(["Cargo.lock", "dist/app.js"]));
}

/// A range of commits, a file, standard input and the working tree count alike.
#[test]
fn d_18_every_source_counts_alike() {
    let scene = scene();
    scene.edit("c.txt", &[1, 40]);
    assert_eq!(scene.cu(&[])["cu"], 2);
    let diff = scene.project.git(&["diff"]);
    scene.project.write("new.txt", "x\n");
    assert_eq!(scene.cu(&[])["cu"], 3);
    std::fs::remove_file(scene.project.path().join("new.txt")).unwrap();
    let file = scene.home.write("change.diff", format!("{diff}\n"));
    assert_eq!(scene.cu(&["--diff", file.to_str().unwrap()])["cu"], 2);
    let piped = Mi::new(env!("CARGO_BIN_EXE_mi"), &scene.home).stdin(format!("{diff}\n"));
    assert_eq!(piped.run(["cu", "--json", "--diff", "-"]).expect_exit(0).json()["cu"], 2);
    scene.project.commit("two edits");
    assert_eq!(scene.cu(&["--range", "HEAD~1..HEAD"])["cu"], 2);
    assert_eq!(scene.cu(&["--range", "HEAD..HEAD"])["cu"], 0);
}

/// What a repository plants into git's settings does not run when it is counted.
#[test]
fn d_18_counting_runs_nothing_of_the_repository() {
    let scene = scene();
    scene.edit("a.txt", &[1]);
    scene.project.write("evil", "#!/bin/sh\ntouch ran\n");
    scene.project.git(&["config", "core.fsmonitor", "sh ./evil"]);
    scene.project.git(&["config", "diff.external", "sh ./evil"]);
    scene.project.git(&["add", "a.txt"]);
    std::fs::remove_file(scene.project.path().join("ran")).unwrap_or_default();
    assert_eq!(scene.cu(&["--staged"])["cu"], 1);
    assert!(!scene.project.path().join("ran").exists());
}

/// Bad sources are refused with what to do.
#[test]
fn d_18_bad_sources_are_refused() {
    let scene = scene();
    let mi = || Mi::new(env!("CARGO_BIN_EXE_mi"), &scene.home).cwd(scene.project.path());
    let text = scene.home.write("text", "no diff\n");
    mi().run(["cu", "--diff", text.to_str().unwrap()]).expect_exit(2);
    mi().run(["cu", "--diff", "/no/such/file"]).expect_exit(2);
    mi().run(["cu", "--range", "HEAD"]).expect_exit(2);
    mi().run(["cu", "--range", "--output=x..y"]).expect_exit(2);
    mi().run(["cu", "--range", "nothing..HEAD"]).expect_exit(1);
    mi().run(["cu", "--staged", "--range", "a..b"]).expect_exit(2);
    assert_eq!(mi().stdin("").run(["cu", "--diff", "-", "--json"]).expect_exit(0).json()["cu"], 0);
}
