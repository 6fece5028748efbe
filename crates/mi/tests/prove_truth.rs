//! `mi prove` against small repositories whose truth is known: which hunks a check really notices, and which not.
//!
//! The repositories are written down in `data/prove/LANGUAGE.txt`. The truth of each hunk was decided by reading the
//! code, before `mi prove` was run on it. A hunk that is wrongly called shown fails the test at once; of all hunks at most
//! one in twenty may be wrongly called unshown.
//!
//! ```text
//! === name
//! check COMMAND            the check; may be given more than once
//! need TOOL                skip where it is not installed
//! status WORD              the status that mi must report
//! shown FILE: TEXT         a check notices the hunk of FILE with this TEXT (`*` for any)
//! unshown FILE: TEXT       no check does
//! kind KIND FILE: TEXT     the hunk is of this kind, and needs no showing
//! group FILE FILE          hunks of these files go red only together
//! broken-before TEST, flaky TEST
//! >>> base|head|both FILE [x]   a file as it was, as it is, or both; `x` for executable
//! >>> gone FILE                 a file of base that head does not have
//! ```

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]
#![expect(clippy::disallowed_methods, reason = "PROVE_CASE picks repositories by name")]

use mi_test_support::{Mi, MiOutput, TempHome, TempProject, installed, skipped, workspace_dir};
use serde_json::Value;
use std::{
    collections::BTreeMap, fmt::Write as _, fs, os::unix::fs::PermissionsExt, path::Path, time::Duration,
};

/// One repository and what is true of it.
#[derive(Debug, Default)]
struct Case {
    name: String,
    checks: Vec<String>,
    needs: Vec<String>,
    status: String,
    marks: Vec<Mark>,
    groups: Vec<Vec<String>>,
    broken_before: Vec<String>,
    flaky: Vec<String>,
    base: BTreeMap<String, Body>,
    /// `None` for a file that head does not have.
    head: BTreeMap<String, Option<Body>>,
}

/// What is true of the hunks of `file` that contain `text`.
#[derive(Debug)]
struct Mark {
    file: String,
    text: String,
    truth: Truth,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Truth {
    Shown,
    Unshown,
    Kind(String),
}

#[derive(Debug, Clone, Default)]
struct Body {
    text: String,
    is_executable: bool,
}

/// What became of one language's repositories.
#[derive(Debug, Default)]
struct Tally {
    repositories: usize,
    hunks: usize,
    wrong_shown: Vec<String>,
    wrong_unshown: Vec<String>,
    /// Other disagreements: statuses, exit codes, kinds, groups.
    others: Vec<String>,
}

fn read_cases(language: &str) -> Vec<Case> {
    let path = workspace_dir().join(format!("crates/mi/tests/data/prove/{language}.txt"));
    let text = fs::read_to_string(path).unwrap();
    let mut cases: Vec<Case> = Vec::new();
    // The file that lines are added to: where it belongs, and its name.
    let mut open: Option<(String, String)> = None;
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("=== ") {
            cases.push(Case { name: name.to_owned(), ..Case::default() });
            open = None;
            continue;
        }
        let Some(case) = cases.last_mut() else { continue };
        if let Some(header) = line.strip_prefix(">>> ") {
            open = case.open_file(header);
        } else if let Some((side, file)) = &open {
            case.add_line(side, file, line);
        } else if !line.is_empty() {
            case.read_directive(line);
        }
    }
    cases.iter_mut().for_each(Case::trim_files);
    cases
}

impl Case {
    fn open_file(&mut self, header: &str) -> Option<(String, String)> {
        let words: Vec<&str> = header.split(' ').collect();
        let (side, file) = (words[0].to_owned(), words[1].to_owned());
        let body = Body { is_executable: words.get(2) == Some(&"x"), ..Body::default() };
        match side.as_str() {
            "base" => drop(self.base.insert(file.clone(), body)),
            "head" => drop(self.head.insert(file.clone(), Some(body))),
            "both" => drop(self.base.insert(file.clone(), body)),
            "gone" => drop(self.head.insert(file.clone(), None)),
            other => panic!("{}: `{other}` is no side", self.name),
        }
        Some((side, file))
    }

    fn add_line(&mut self, side: &str, file: &str, line: &str) {
        let body = match side {
            "head" => self.head.get_mut(file).and_then(Option::as_mut),
            _ => self.base.get_mut(file),
        };
        if let Some(body) = body {
            body.text.push_str(line);
            body.text.push('\n');
        }
    }

    /// Blank lines before the next repository belong to nobody.
    fn trim_files(&mut self) {
        for body in self.base.values_mut().chain(self.head.values_mut().flatten()) {
            let kept = body.text.trim_end_matches('\n').len();
            body.text.truncate(kept);
            body.text.push('\n');
        }
    }

    fn read_directive(&mut self, line: &str) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let mark = |rest: &str, truth: Truth| {
            let (file, text) = rest.split_once(": ").unwrap_or_else(|| panic!("`{rest}` is no mark"));
            Mark { file: file.to_owned(), text: text.to_owned(), truth }
        };
        match word {
            "check" => self.checks.push(rest.to_owned()),
            "need" => self.needs.push(rest.to_owned()),
            "status" => self.status = rest.to_owned(),
            "shown" => self.marks.push(mark(rest, Truth::Shown)),
            "unshown" => self.marks.push(mark(rest, Truth::Unshown)),
            "kind" => {
                let (kind, rest) = rest.split_once(' ').unwrap();
                self.marks.push(mark(rest, Truth::Kind(kind.to_owned())));
            }
            "group" => self.groups.push(rest.split(' ').map(str::to_owned).collect()),
            "broken-before" => self.broken_before.push(rest.to_owned()),
            "flaky" => self.flaky.push(rest.to_owned()),
            other => panic!("{}: `{other}` is no directive", self.name),
        }
    }

    /// The repository: base committed, head in the working tree.
    fn build(&self) -> TempProject {
        let texts: Vec<(&str, &str)> =
            self.base.iter().map(|(name, body)| (name.as_str(), body.text.as_str())).collect();
        let project = TempProject::git_with(&texts);
        let executables = self.base.iter().filter(|(_, body)| body.is_executable);
        for (name, _) in executables {
            make_executable(&project.path().join(name));
        }
        project.commit("Base");
        for (name, body) in &self.head {
            match body {
                None => fs::remove_file(project.path().join(name)).unwrap(),
                Some(body) => {
                    let path = project.write(name, &body.text);
                    if body.is_executable {
                        make_executable(&path);
                    }
                }
            }
        }
        project
    }

    fn judge(&self, output: &MiOutput, tally: &mut Tally) {
        let report = output.json();
        if report["hunks"].is_null() {
            return tally.others.push(format!("{}: no report", self.name));
        }
        let mut say = |text: String| tally.others.push(format!("{}: {text}", self.name));
        let exit = match self.status.as_str() {
            "shown" | "nothing_to_show" => 0,
            "unshown" | "red" => 1,
            _ => 3,
        };
        if report["status"] != self.status.as_str() || output.code() != Some(exit) {
            say(format!(
                "{} and exit {:?}, not {}: {}",
                report["status"],
                output.code(),
                self.status,
                report["left"]
            ));
        }
        for (field, wanted) in [("broken_before", &self.broken_before), ("flaky", &self.flaky)] {
            let named: Vec<String> = strings(&report[field]);
            if named.len() != wanted.len()
                || !wanted.iter().all(|test| named.iter().any(|name| name.contains(test)))
            {
                say(format!("{field} is {named:?}, not {wanted:?}"));
            }
        }
        if self.status == "red" {
            return;
        }
        let hunks: Vec<&Value> =
            report["hunks"].as_array().unwrap().iter().filter(|hunk| hunk["is_test"] != true).collect();
        let mut found = vec![false; self.marks.len()];
        for hunk in &hunks {
            self.judge_hunk(hunk, &mut found, tally);
        }
        for (mark, _) in self.marks.iter().zip(found).filter(|(_, found)| !found) {
            tally.others.push(format!("{}: no hunk for {mark:?}", self.name));
        }
        for files in &self.groups {
            let numbers: Vec<&Value> = hunks
                .iter()
                .filter(|hunk| files.iter().any(|file| hunk["file"] == file.as_str()))
                .map(|hunk| &hunk["group"])
                .collect();
            if numbers.len() < files.len()
                || numbers.iter().any(|number| number.is_null() || *number != numbers[0])
            {
                tally.others.push(format!("{}: {files:?} are no group: {numbers:?}", self.name));
            }
        }
    }

    fn judge_hunk(&self, hunk: &Value, found: &mut [bool], tally: &mut Tally) {
        let text = |field: &str| hunk[field].as_str().unwrap_or_default().to_owned();
        let (file, added, removed) = (text("file"), text("added"), text("removed"));
        let mut truths = Vec::new();
        for (mark, found) in self.marks.iter().zip(found) {
            if mark.file == file
                && (mark.text == "*" || added.contains(&mark.text) || removed.contains(&mark.text))
            {
                *found = true;
                truths.push(&mark.truth);
            }
        }
        let place = format!(
            "{}: {file}:{} ({}, {}, {})",
            self.name,
            text("lines"),
            text("kind"),
            text("strength"),
            added.trim()
        );
        let is_shown =
            hunk["strength"] == "strong" || hunk["strength"] == "weak" && hunk["is_asserted"] == true;
        let needs_showing = hunk["kind"] == "behaviour";
        for kind in truths.iter().filter_map(|truth| match truth {
            Truth::Kind(kind) => Some(kind),
            Truth::Shown | Truth::Unshown => None,
        }) {
            if hunk["kind"] != kind.as_str() {
                tally.others.push(format!("{place}: not {kind}"));
            }
        }
        let is_marked = truths.iter().any(|truth| matches!(truth, Truth::Shown | Truth::Unshown));
        if needs_showing && !is_marked && !truths.iter().any(|truth| matches!(truth, Truth::Kind(_))) {
            tally.others.push(format!("{place}: nothing is known of it"));
        }
        tally.hunks += 1;
        // A hunk that holds both is noticed as a whole.
        if truths.contains(&&Truth::Shown) {
            if !is_shown {
                tally.wrong_unshown.push(place);
            }
        } else if is_shown {
            tally.wrong_shown.push(place);
        }
    }
}

fn strings(value: &Value) -> Vec<String> {
    let items = value.as_array().into_iter().flatten();
    items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
}

fn make_executable(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// `PATH` with the tools that `dev/setup` installs in front.
fn search_path() -> std::ffi::OsString {
    let own = workspace_dir().join("dev/.tools/python/bin");
    let all = mi_test_support::tool_path();
    let folders = std::iter::once(own).chain(std::env::split_paths(&all));
    std::env::join_paths(folders).unwrap()
}

fn lacks(tool: &str) -> bool {
    match tool {
        "pytest" => !workspace_dir().join("dev/.tools/python/bin/pytest").exists(),
        tool => installed(tool).is_none(),
    }
}

/// Runs `mi prove` on every repository of a language and compares what it says with what is true.
#[expect(clippy::print_stderr, reason = "the numbers are the point")]
fn check_language(language: &str, tools: &[&str]) {
    for tool in tools.iter().chain(&["bwrap"]) {
        if lacks(tool) {
            skipped(&format!("{tool} is not installed"));
            return;
        }
    }
    let only = std::env::var("PROVE_CASE").ok();
    let home = TempHome::new();
    let mut tally = Tally::default();
    let mut outputs = String::new();
    for case in read_cases(language) {
        if only.as_ref().is_some_and(|only| !case.name.contains(only.as_str())) {
            continue;
        }
        if let Some(tool) = case.needs.iter().find(|tool| lacks(tool)) {
            skipped(&format!("{tool} is not installed: {}", case.name));
            continue;
        }
        let project = case.build();
        let mi = Mi::new(env!("CARGO_BIN_EXE_mi"), &home).cwd(project.path()).env("PATH", search_path());
        let checks = case.checks.iter().flat_map(|check| ["--check", check]);
        let output = mi.limit(Duration::from_secs(300)).run(["prove", "--json"].into_iter().chain(checks));
        let before = tally.wrong_shown.len() + tally.wrong_unshown.len() + tally.others.len();
        case.judge(&output, &mut tally);
        tally.repositories += 1;
        if tally.wrong_shown.len() + tally.wrong_unshown.len() + tally.others.len() > before {
            writeln!(outputs, "--- {}\n{output}", case.name).unwrap();
        }
    }
    eprintln!(
        "{language}: {} repositories, {} hunks: wrong shown {}, wrong unshown {}",
        tally.repositories,
        tally.hunks,
        tally.wrong_shown.len(),
        tally.wrong_unshown.len()
    );
    let is_fine = tally.wrong_shown.is_empty()
        && tally.others.is_empty()
        && tally.wrong_unshown.len() * 20 <= tally.hunks;
    assert!(is_fine, "{tally:#?}\n{outputs}");
}

#[test]
fn python() {
    check_language("python", &["python3"]);
}

/// Repositories that were added, with their truth, after all others had been told rightly: nothing was tuned to them first.
#[test]
fn mixed() {
    check_language("mixed", &["python3"]);
}

#[test]
fn javascript() {
    check_language("javascript", &["node"]);
}

#[test]
fn rust() {
    check_language("rust", &["cargo"]);
}

#[test]
fn go() {
    check_language("go", &["go"]);
}

#[test]
fn c() {
    check_language("c", &["cc", "make"]);
}

#[test]
fn ruby() {
    check_language("ruby", &["ruby"]);
}

#[test]
fn shell() {
    check_language("shell", &[]);
}

#[test]
fn java() {
    check_language("java", &["javac"]);
}

#[test]
fn php() {
    check_language("php", &["php"]);
}

#[test]
fn lua() {
    check_language("lua", &["lua5.4"]);
}
