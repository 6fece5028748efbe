//! The acceptance scenario of `mi trace`: this repository itself, from its specification to a delivery made with `mi`.

use super::{
    council::{NOON, Table, records},
    council_delivery::stranger,
};
use mi_test_support::{TempHome, TempProject, workspace_dir};
use serde_json::Value;
use std::collections::BTreeMap;

/// The council's own requirements, all of which this repository claims to meet.
const REQUIREMENTS: usize = 19;

/// A clone of this repository as it stands, in a repository of its own.
fn clone() -> TempProject {
    let project = TempProject::git_with(&[("report.txt", "12 passed\n")]);
    let source = workspace_dir();
    let copy = format!(
        "git -C '{0}' ls-files -z --cached --others --exclude-standard | (cd '{0}' && xargs -0 tar cf - --ignore-failed-read 2>/dev/null) | tar xf -",
        source.display()
    );
    assert!(project.passes(&copy), "copy the files of this repository");
    project.commit("Everything");
    project
}

/// Every requirement of the council is followed from the page to the delivery, and the gaps of others are shown.
#[test]
fn rule_t_this_repository_is_traced_to_a_delivery() {
    let table = Table { home: TempHome::new(), project: clone(), now: NOON };
    let mut arguments =
        vec!["propose", "crates/mi-council", "docs/council.md", "--json", "--author", "builder"];
    arguments.extend(["--title", "The council"]);
    let records = records();
    arguments.extend(records.iter().map(String::as_str));
    let opened = table.run(&arguments).expect_exit(0).json();
    let id = opened["id"].as_str().unwrap();
    table.votes(id, "qa:green owner:green security:green");
    let out = table.home.path().join("packet");
    table.run(&["deliver", id, "--out", out.to_str().unwrap(), "--git", "delivery-1"]).expect_exit(0);
    stranger(&out, &[]).expect_exit(0);
    let traced = table.run(&["trace", "--json", "--family", "NX"]).expect_exit(0).json();
    let found: BTreeMap<&str, &Value> = traced["requirements"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["id"].as_str().unwrap(), one))
        .collect();
    for number in 1..=REQUIREMENTS {
        let id = format!("MI-COUNCIL-{number:03}");
        let one = found.get(id.as_str()).unwrap_or_else(|| panic!("{id} is nowhere"));
        for place in ["spec", "code", "test", "commit", "delivery"] {
            assert!(one["places"][place].is_array(), "{id} has no {place}: {one}");
        }
    }
    let elsewhere = found.values().find(|one| one["id"].as_str().unwrap().starts_with("NX-")).unwrap();
    assert!(elsewhere["missing"].to_string().contains("delivery"), "gaps are shown: {elsewhere}");
    assert!(traced["gaps"].as_u64() > Some(100), "{}", traced["gaps"]);
    let told = table.run(&["trace", "MI-COUNCIL-013"]).expect_exit(0).out();
    assert!(told.contains("delivery  D-1 (P-1)") && told.contains("spec      docs/council.md"), "{told}");
}
