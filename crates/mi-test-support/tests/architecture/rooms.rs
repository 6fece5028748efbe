//! Which room may use which: every crate has a height, and a dependency must lie strictly lower.
//!
//! That alone keeps surfaces apart from each other, engines in order, and brains on brains.

use toml::{Table, Value};

/// The floor plan, top first; rooms on one line are neighbours and do not know each other.
const FLOORS: [&[&str]; 13] = [
    &["mi"],
    &["mi-hook", "mi-mcp", "mi-web", "mi-fleet"],
    &["mi-autopilot"],
    &["mi-delivery", "mi-hands", "mi-mind", "mi-persona", "mi-prove"],
    &["mi-journal", "mi-workspace", "mi-box", "mi-egress", "mi-tree"],
    &["mi-git"],
    &["mi-process", "mi-supply"],
    &["mi-bearing"],
    &["mi-loop", "mi-admission"],
    &["mi-gate"],
    &["mi-formats", "mi-extract", "mi-secrets", "mi-config", "mi-protocol", "mi-council"],
    &["mi-yaml"],
    &["mi-model"],
];
/// From this floor down there are only brains.
const FIRST_BRAIN_FLOOR: usize = 7;
const TEST_SUPPORT: &str = "mi-test-support";
/// Who alone may name a heavy dependency.
const OWNERS: [(&str, &str); 3] = [("rmcp", "mi-mcp"), ("axum", "mi-web"), ("async-nats", "mi-fleet")];

pub(crate) fn is_brain(name: &str) -> bool {
    floor(name).is_some_and(|floor| floor >= FIRST_BRAIN_FLOOR)
}

/// What is wrong with the dependencies in one `Cargo.toml`.
pub(crate) fn check_manifest(text: &str) -> Vec<String> {
    let manifest: Table = text.parse().unwrap_or_else(|error| panic!("parse a Cargo.toml: {error}\n{text}"));
    let name = manifest["package"]["name"].as_str().expect("a package has a name");
    if name == TEST_SUPPORT {
        return Vec::new();
    }
    let Some(own) = floor(name) else {
        return vec![format!("{name}: not on the floor plan; give it a place in rooms.rs")];
    };
    dependencies(&manifest).iter().filter_map(|used| check_arrow(name, own, used)).collect()
}

fn check_arrow(name: &str, own: usize, used: &str) -> Option<String> {
    if used == TEST_SUPPORT {
        return Some(format!("{name} -> {used}: only dev-dependencies may use it"));
    }
    if let Some((_, owner)) = OWNERS.iter().find(|(dependency, owner)| *dependency == used && *owner != name)
    {
        return Some(format!("{name} -> {used}: only {owner} names it"));
    }
    match floor(used) {
        Some(lower) if lower <= own => Some(format!("{name} -> {used}: arrows point down only")),
        None if used.starts_with("mi-") => Some(format!("{name} -> {used}: not on the floor plan")),
        _ => None,
    }
}

fn floor(name: &str) -> Option<usize> {
    FLOORS.iter().position(|rooms| rooms.contains(&name))
}

/// The packages named in `dependencies` and `build-dependencies`, also per target, also under another name.
fn dependencies(manifest: &Table) -> Vec<String> {
    let targets = manifest.get("target").and_then(Value::as_table);
    let per_target = targets.into_iter().flatten().filter_map(|(_, value)| value.as_table());
    std::iter::once(manifest)
        .chain(per_target)
        .flat_map(|table| ["dependencies", "build-dependencies"].map(|kind| table.get(kind)))
        .flatten()
        .filter_map(Value::as_table)
        .flatten()
        .map(|(name, value)| value.get("package").and_then(Value::as_str).unwrap_or(name).to_owned())
        .collect()
}

/// Each line breaks one rule.
#[test]
fn planted_arrows_are_caught() {
    let cases = [
        ("mi-web", "[dependencies]\nmi-mcp.workspace = true", "mi-web -> mi-mcp: arrows point down only"),
        (
            "mi-hands",
            "[dependencies]\nmi-autopilot.workspace = true",
            "mi-hands -> mi-autopilot: arrows point down only",
        ),
        (
            "mi-hands",
            "[dependencies]\nmi-mind.workspace = true",
            "mi-hands -> mi-mind: arrows point down only",
        ),
        (
            "mi-gate",
            "[dependencies]\nmi-process.workspace = true",
            "mi-gate -> mi-process: arrows point down only",
        ),
        ("mi-gate", "[dependencies]\nmi-loop.workspace = true", "mi-gate -> mi-loop: arrows point down only"),
        (
            "mi-model",
            "[build-dependencies]\nmi-gate.workspace = true",
            "mi-model -> mi-gate: arrows point down only",
        ),
        (
            "mi-secrets",
            "[target.'cfg(unix)'.dependencies]\nother = { package = \"mi-hands\", path = \"x\" }",
            "mi-secrets -> mi-hands: arrows point down only",
        ),
        (
            "mi-loop",
            "[dependencies]\nmi-test-support.workspace = true",
            "mi-loop -> mi-test-support: only dev-dependencies may use it",
        ),
        ("mi", "[dependencies]\naxum.workspace = true", "mi -> axum: only mi-web names it"),
        ("mi", "[dependencies]\nmi-attic.workspace = true", "mi -> mi-attic: not on the floor plan"),
        ("mi-attic", "", "mi-attic: not on the floor plan; give it a place in rooms.rs"),
    ];
    for (name, tables, expected) in cases {
        assert_eq!(check_manifest(&format!("[package]\nname = \"{name}\"\n{tables}\n")), [expected]);
    }
}

/// What the plan allows is allowed.
#[test]
fn arrows_down_are_allowed() {
    let cases = [
        ("mi", "[dependencies]\nmi-web.workspace = true\nmi-model.workspace = true\nclap = \"4\""),
        ("mi-loop", "[dependencies]\nmi-gate.workspace = true\nregex = \"1\""),
        (
            "mi-hands",
            "[dependencies]\nmi-journal.workspace = true\n[dev-dependencies]\nmi-test-support.workspace = true",
        ),
        ("mi-web", "[dependencies]\naxum = \"1\""),
    ];
    for (name, tables) in cases {
        assert_eq!(
            check_manifest(&format!("[package]\nname = \"{name}\"\n{tables}\n")),
            Vec::<String>::new()
        );
    }
    assert!(is_brain("mi-loop") && is_brain("mi-model") && !is_brain("mi-process") && !is_brain("mi"));
}
