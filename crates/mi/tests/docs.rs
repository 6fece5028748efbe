//! Every `sh` block of the documentation is run, line by line, in a project with a finished run.
//!
//! A line that ends in `# exit N` must end with that code, all others with 0.

#![allow(clippy::unwrap_used, reason = "helpers of tests may panic as tests do")]
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
            // Every run that is shown begins with the failing test.
            let reset = if line.starts_with("mi run") { "git checkout -q .; " } else { "" };
            Command::new("sh")
                .args(["-c", &format!("PATH={}:$PATH; {reset}{line}", programs.display())])
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

/// Every test that the checklist of D.23 names exists, in a crate that is here.
#[test]
fn d_23_checklist_names_tests_that_exist() {
    let text = fs::read_to_string(workspace_dir().join("docs/rules-d23.md")).unwrap();
    let mut missing = Vec::new();
    let mut checked = 0;
    for cell in text.split([';', '|']) {
        let Some((name, tests)) = cell.trim().split_once(": ") else { continue };
        let folder = workspace_dir().join("crates").join(name);
        if !folder.is_dir() {
            continue;
        }
        let sources = sources(&folder);
        for test in tests.split('`').filter(|word| word.contains('_')) {
            checked += 1;
            if !sources.contains(&format!("#[test]\nfn {test}("))
                && !sources.contains(&format!("#[test]\n    fn {test}("))
            {
                missing.push(format!("{name} {test}"));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(checked > 30, "only {checked} names were found");
}

/// Each line of the seed's checklist has its row, in the seed's words and order, and at least one test.
#[test]
fn d_23_checklist_is_complete() {
    let text = fs::read_to_string(workspace_dir().join("docs/rules-d23.md")).unwrap();
    let (must, should) = text.split_once("## SHOULD").unwrap();
    let rows = |part: &str| -> Vec<(String, usize)> {
        let lines = part.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| line "));
        let row = |line: &str| {
            let mut cells = line.trim_matches(['|', ' ']).split(" | ");
            (cells.next().unwrap().to_owned(), cells.next().unwrap_or_default().matches('`').count() / 2)
        };
        lines.map(row).collect()
    };
    let expected_must = [
        "Reading files from a local directory structure",
        "Writing files (session logs, proposals, private memory)",
        "Detecting interaction mode triggers from user messages",
        "Risk scoring for incoming tasks",
        "Invoking external AI systems",
        "Maintaining session state across the conversation",
        "Outputting structured session logs at session end",
        "Deployment safety checklist enforcement (D.16)",
        "Hook-based confirmation for high-risk operations (D.17)",
        "Change Unit counting and review gate matrix (D.18)",
        "Three-state permission model (D.19)",
        "Challenge output tiering based on risk score (D.22)",
    ];
    let expected_should = [
        "Persistent memory across sessions (via file system)",
        "Card management (create, review, archive)",
        "Multiple AI member identities with boot selection",
        "Cross-device synchronization of persona files",
        "ISB notification consolidation (D.20)",
        "Speed mode levels (D.21)",
    ];
    for (part, expected) in [(must, &expected_must[..]), (should, &expected_should[..])] {
        let rows = rows(part);
        assert_eq!(rows.iter().map(|(line, _)| line.as_str()).collect::<Vec<_>>(), expected);
        assert!(rows.iter().all(|(_, tests)| *tests > 0), "{rows:#?}");
    }
}

fn sources(folder: &std::path::Path) -> String {
    let mut text = String::new();
    let mut open = vec![folder.to_owned()];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path()));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            text.push_str(&fs::read_to_string(path).unwrap_or_default());
        }
    }
    text
}
