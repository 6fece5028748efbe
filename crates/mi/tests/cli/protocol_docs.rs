//! `docs/protocol.md`: every command that it gives is run.

use super::protocol::{EVENTS, FILE};
use super::{Scene, fixes_and_tests};
use mi_test_support::{Batch, TempProject};

const PAGE: &str = include_str!("../../../../docs/protocol.md");
const TABLE: &str = "edge_id,source,target,v2_primary_class,note\nE1,A,B,Gate,kept\n";

/// The commands of the page's first table, alternatives apart, words in capitals filled in.
fn commands() -> Vec<String> {
    let table = PAGE.split("| I want to… | type |").nth(1).expect("the table is there");
    let table = table.split("\n\n").next().expect("it ends");
    let quoted = table.lines().flat_map(|line| line.split('`').skip(1).step_by(2));
    let commands = quoted.filter(|text| text.starts_with("mi ") && !text.contains(" run "));
    let filled = [("EDGES.csv", "edges.csv"), ("EVENTS.jsonl", "e.jsonl"), ("FILE", "p.yaml")];
    commands
        .map(|text| filled.iter().fold(text.to_owned(), |text, (word, with)| text.replace(word, with)))
        .collect()
}

/// Each runs as it stands on the page and ends well; the run before gives them something to audit.
#[test]
fn every_command_of_the_page_runs() {
    let reviews = Batch::codex("r1").message("VERDICT: APPROVE").turn_completed(5, 1);
    let scene = Scene::new("Prefer small changes.", TempProject::python(), vec![fixes_and_tests(), reviews]);
    scene.run(&[], "Fix the failing test").expect_exit(0);
    for (name, text) in [("p.yaml", FILE), ("e.jsonl", EVENTS), ("edges.csv", TABLE)] {
        std::fs::write(scene.project.path().join(name), text).expect("write the input");
    }
    let commands = commands();
    assert!(commands.len() >= 11, "{commands:?}");
    for command in &commands {
        // What a shell does after the command is not `mi`'s.
        let (command, into) = match command.split_once(" > ") {
            Some((command, into)) => (command, Some(into)),
            None => (command.as_str(), None),
        };
        let words: Vec<&str> = command.split_whitespace().skip(1).collect();
        let output = scene.mi().run(words).expect_exit(0);
        assert!(!output.out().is_empty(), "{command}");
        if let Some(into) = into {
            std::fs::write(scene.project.path().join(into), output.out()).expect("write the output");
        }
    }
}
