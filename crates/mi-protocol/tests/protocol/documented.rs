//! `docs/protocol.md` names the test that proves each row; every name that it gives is a test that there is.

const PAGE: &str = include_str!("../../../../docs/protocol.md");

/// The files of tests that the page speaks of.
const SOURCES: [&str; 7] = [
    include_str!("seed_map.rs"),
    include_str!("acceptance.rs"),
    include_str!("bad_input.rs"),
    include_str!("delta.rs"),
    include_str!("policies.rs"),
    include_str!("shipped.rs"),
    include_str!("../../../mi/tests/cli/protocol_run.rs"),
];

fn is_a_test(name: &str) -> bool {
    let head = format!("#[test]\nfn {name}()");
    SOURCES.iter().any(|source| source.contains(&head))
}

/// The names in backquotes in the last cell of the rows of a part of the page.
fn named(heading: &str) -> Vec<Vec<&'static str>> {
    let start = PAGE.find(heading).unwrap_or_else(|| panic!("the page has no `{heading}`"));
    let part = &PAGE[start + heading.len()..];
    let part = &part[..part.find("\n## ").unwrap_or(part.len())];
    let rows = part.lines().filter(|line| line.starts_with("| ") && !line.starts_with("|---")).skip(1);
    rows.map(|row| {
        let last = row.trim_end_matches(['|', ' ']).rsplit(" | ").next().unwrap_or_default();
        last.split('`').skip(1).step_by(2).collect()
    })
    .collect()
}

/// Twelve rows of the seed's §5, six criteria of §7, three phases of §6, every kind of bad input: each has its tests.
#[test]
fn every_test_that_the_page_names_is_there() {
    for (heading, rows) in [
        ("\n## What the seed could not express", 12),
        ("\n## The seed's criteria", 6),
        ("\n## The seed's roadmap", 3),
        ("\n## Bad input", 18),
    ] {
        let found = named(heading);
        assert_eq!(found.len(), rows, "{heading}: {found:?}");
        for names in found {
            assert!(!names.is_empty(), "{heading}: a row without a test");
            let missing: Vec<&&str> = names.iter().filter(|name| !is_a_test(name)).collect();
            assert!(missing.is_empty(), "{heading}: no such test: {missing:?}");
        }
    }
}
