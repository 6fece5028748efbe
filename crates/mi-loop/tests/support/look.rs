//! A look at a change that checks notice in every part, for runs that are played without a tree.

use mi_loop::criteria::{NameKind, criteria};
use mi_model::{HunkKind, NewTest, ProveReport, ProveStatus, ProvenHunk, ShownStrength, record::ChangeLook};

/// Everything that the task names was changed, and a check goes red without it.
pub fn everything_shown(task: &str, tree: &str) -> ChangeLook {
    let names = criteria(task).into_iter().flat_map(|criterion| criterion.names);
    let paths = names.filter(|name| name.kind == NameKind::Path).map(|name| name.text);
    let hunk = |file: String| ProvenHunk {
        file,
        lines: "1-2".to_owned(),
        kind: HunkKind::Behaviour,
        strength: ShownStrength::Strong,
        shown_by: vec!["new_test".to_owned()],
        is_asserted: false,
        group: None,
        is_test: false,
        within: None,
        removed: String::new(),
        added: task.to_owned(),
    };
    let report = ProveReport {
        status: ProveStatus::Shown,
        hunks: paths.chain(["src/lib.rs".to_owned()]).map(hunk).collect(),
        new_tests: vec![NewTest {
            name: "new_test".to_owned(),
            file: "tests/new.rs".to_owned(),
            asserts: true,
        }],
        ..ProveReport::default()
    };
    ChangeLook { tree: tree.to_owned(), report, ..ChangeLook::default() }
}
