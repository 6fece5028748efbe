//! Every `sh` block of the documentation is run, line by line, in a project with a finished run.
//!
//! A line that ends in `# exit N` must end with that code, all others with 0.

#![expect(clippy::disallowed_methods, reason = "tests start programs of their own")]

use mi_test_support::{Batch, FakeAgent, TempHome, TempProject, sealed_environment, workspace_dir};
use std::{fs, os::unix::fs::symlink, process::Command};

fn agent() -> FakeAgent {
    FakeAgent::new(vec![
        Batch::codex("t1")
            .write_file("calc.py", "def add(a, b):\n    return a + b\n")
            .run("python3 -m unittest")
            .message("Fixed; if nothing is left to change, all tests pass.")
            .turn_completed(10, 1),
    ])
}

fn blocks(text: &str) -> Vec<String> {
    let mut lines = text.lines();
    let mut found = Vec::new();
    while let Some(line) = lines.next() {
        if line == "```sh" {
            found.extend(lines.by_ref().take_while(|line| *line != "```").map(str::to_owned));
        }
    }
    found
}

#[test]
fn every_documented_command_works() {
    let mut ran = 0;
    let mut pages: Vec<_> =
        fs::read_dir(workspace_dir().join("docs")).unwrap().map(|entry| entry.unwrap().path()).collect();
    pages.sort();
    for page in pages.iter().filter(|page| page.extension().is_some_and(|ending| ending == "md")) {
        let (home, project, agent) =
            (TempHome::with_values("Prefer small changes."), TempProject::python(), agent());
        let programs = home.path().join("programs");
        fs::create_dir_all(&programs).unwrap();
        symlink(env!("CARGO_BIN_EXE_mi"), programs.join("mi")).unwrap();
        let shell = |line: &str| {
            Command::new("sh")
                .args(["-c", &format!("PATH={}:$PATH; {line}", programs.display())])
                .current_dir(project.path())
                .env_clear()
                .envs(sealed_environment(&home))
                .env("AGENT", agent.hands())
                .output()
                .unwrap()
        };
        let first = shell("mi run --mind rules --hands \"$AGENT\" 'Fix the failing test'");
        assert!(first.status.success(), "{}", String::from_utf8_lossy(&first.stderr));
        for line in blocks(&fs::read_to_string(page).unwrap()) {
            let wanted = line.rsplit_once("# exit ").map_or(0, |(_, code)| code.trim().parse().unwrap());
            let output = shell(&line);
            let said = format!(
                "{}{}",
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr)
            );
            assert_eq!(output.status.code(), Some(wanted), "{}: {line}\n{said}", page.display());
            ran += 1;
        }
    }
    assert!(ran > 20, "only {ran} commands were found");
}
