//! Tasks and the criteria that are read off them, one line per criterion.

use super::*;

/// `kind text`, with what the kind holds.
fn shown(task: &str) -> String {
    let one = |criterion: &Criterion| {
        let kind = match &criterion.kind {
            CriterionKind::Work => "work".to_owned(),
            CriterionKind::Preserving => "preserve".to_owned(),
            CriterionKind::Checks => "checks".to_owned(),
            CriterionKind::Command(NamedCommand { command, expect }) => match expect {
                Expectation::Passes => format!("passes[{command}]"),
                Expectation::Prints(text) => format!("prints[{command} = {text}]"),
                Expectation::Exits(code) => format!("exits[{command} = {code}]"),
            },
            CriterionKind::ProgramRun(path) => format!("run[{path}]"),
            CriterionKind::FileExists(path) => format!("there[{path}]"),
            CriterionKind::FileGone(path) => format!("gone[{path}]"),
            CriterionKind::Document { path, says, no_longer } => {
                let gone: String = no_longer.iter().map(|text| format!(" -{text}")).collect();
                format!(
                    "document[{path}{}{gone}]",
                    says.iter().map(|text| format!(" +{text}")).collect::<String>()
                )
            }
            CriterionKind::Renamed { from, to } => format!("renamed[{from} {to}]"),
            CriterionKind::NewTests => "tests".to_owned(),
            CriterionKind::NoNewDependencies => "no new dependencies".to_owned(),
            CriterionKind::Answer => "answer".to_owned(),
            CriterionKind::Commit => "commit".to_owned(),
            CriterionKind::Untouched(path) => format!("untouched[{path}]"),
            CriterionKind::Unread => "unread".to_owned(),
        };
        format!("{kind} {}", criterion.text)
    };
    criteria(task).iter().map(one).collect::<Vec<_>>().join(" | ")
}

/// Prose is split into what it asks for; every wish is a criterion.
#[test]
fn prose_is_split_into_wishes() {
    for (task, expected) in [
        ("Fix the flaky test\n\nIt fails on Mondays.", "work Fix the flaky test"),
        ("修复登录页面的错误", "work 修复登录页面的错误"),
        ("", "work the task"),
        (
            "Add a median(xs) function to stats.py and write tests for it.",
            "work Add a median(xs) function to stats.py | tests write tests for it",
        ),
        (
            "mean([]) must return 0.0. Fix stats.py and add a test.",
            "work mean([]) must return 0.0 | work Fix stats.py | tests add a test",
        ),
        (
            "mean([]) must return 0.0. Fix stats.py, add a test and mention it in README.md.",
            "work mean([]) must return 0.0 | work Fix stats.py | tests add a test | document[README.md] mention it in README.md",
        ),
        (
            "给 stats.py 加 median 函数，并更新 README.md",
            "work 给 stats.py 加 median 函数 | document[README.md] 更新 README.md",
        ),
        ("Fix half in packages/a and packages/b.", "work Fix half in packages/a | work packages/b"),
        (
            "Write migrate.py that converts data.csv to data.json, and run it.",
            "document[migrate.py] Write migrate.py that converts data.csv to data.json | work Write migrate.py that converts data.csv to data.json | run[migrate.py] run it",
        ),
        ("Rename foo() to bar() and commit.", "renamed[foo( bar(] Rename foo() to bar() | commit commit"),
        (
            "Move tests/test_more.py to tests/unit/test_more.py.",
            "renamed[tests/test_more.py tests/unit/test_more.py] Move tests/test_more.py to tests/unit/test_more.py",
        ),
        ("Refactor parse() into smaller functions.", "preserve Refactor parse() into smaller functions"),
        (
            "Bump the version in pyproject.toml to 0.2.0.",
            "document[pyproject.toml +0.2.0] Bump the version in pyproject.toml to 0.2.0",
        ),
        (
            "Fix the typo 'recieve' in README.md.",
            "document[README.md -recieve] Fix the typo 'recieve' in README.md",
        ),
        (
            "Document in README.md that mean raises ZeroDivisionError for an empty list.",
            "document[README.md] Document in README.md that mean raises ZeroDivisionError for an empty list",
        ),
        ("Remove the deprecated module old.py.", "gone[old.py] Remove the deprecated module old.py"),
        (
            "Add tests for the empty list to tests/test_stats.py.",
            "tests Add tests for the empty list to tests/test_stats.py",
        ),
        ("Make a.sh print hello.", "work Make a.sh print hello"),
        ("Mach, dass mean([]) 0.0 liefert.", "work Mach, dass mean([]) 0.0 liefert"),
        ("Fix add and create CHANGELOG.md", "work Fix add | there[CHANGELOG.md] create CHANGELOG.md"),
        ("Look:\n```\nCreate A.md\n```\nFix add", "work Look:; Fix add"),
    ] {
        assert_eq!(shown(task), expected, "{task}");
    }
}

/// Lists that say when a task is done, in several writings.
#[test]
fn lists_say_when_a_task_is_done() {
    for (task, expected) in [
        (
            "Build it.\n\nDone when:\n- `stats.py` has a function `median`\n- all tests pass",
            "document[stats.py +median] `stats.py` has a function `median` | checks all tests pass",
        ),
        (
            "Build it.\n\nDone when:\n- `python -m mypy .` reports no errors\n- all tests pass",
            "work Build it | passes[python -m mypy .] `python -m mypy .` reports no errors | checks all tests pass",
        ),
        (
            "Build it.\n\nDone when:\n- `python count.py --version` prints 1.0.0",
            "prints[python count.py --version = 1.0.0] `python count.py --version` prints 1.0.0",
        ),
        ("Done when:\n- `app --bad` exits with 2", "exits[app --bad = 2] `app --bad` exits with 2"),
        (
            "Build a tool.\n\nDone when:\n- `count.py` exists and counts words\n- README.md has a section Usage\n- `make lint` is clean",
            "there[count.py] `count.py` exists | work counts words | document[README.md +Usage] README.md has a section Usage | passes[make lint] `make lint` is clean",
        ),
        (
            "## Acceptance criteria\n1. `make lint` passes\n2) `out/report.md` exists",
            "passes[make lint] `make lint` passes | there[out/report.md] `out/report.md` exists",
        ),
        (
            "**Definition of done:** `cargo test` is green; README updated",
            "passes[cargo test] `cargo test` is green | document[README] README updated",
        ),
        (
            "加一个函数\n验收标准：\n1、所有测试通过\n2、`docs/api.md` 存在\n3、支持中文",
            "checks 所有测试通过 | there[docs/api.md] `docs/api.md` 存在 | work 支持中文",
        ),
        (
            "Do these:\n- fix add\n- create CHANGELOG.md\n",
            "work fix add | there[CHANGELOG.md] create CHANGELOG.md",
        ),
        ("Fix it. It fails:\n- on Mondays\n- after lunch", "work Fix it. It fails:"),
        ("Done when:\n- a b\n  c d", "work a b c d"),
    ] {
        assert_eq!(shown(task), expected, "{task}");
    }
}

/// Only what plainly asks wants no change.
#[test]
fn tasks_that_only_ask() {
    for task in [
        "Review stats.py and tell me what is wrong with it. Change nothing.",
        "Which function is the slowest?",
        "Explain how fixtures work",
        "Find out why the build is slow",
        "Run the tests and tell me the result",
        "Run `make test` and report",
        "解释一下这个模块",
        "Erkläre mir, warum der Test fehlschlägt.",
        "¿Cuál es la función más lenta?",
        "Explique pourquoi le test échoue.",
        "List all TODO comments in src/.",
    ] {
        assert!(only_asks(task), "{task}");
    }
    for task in [
        "Find out why the build is slow and fix it",
        "Fix the flaky test",
        "给解析器添加日志",
        "Run the tests and fix what fails",
        "Make the parser faster",
        "The parser drops the last line; fix it",
        "Trailing commas must be accepted by parse()",
        "Check that mean([]) returns 0.0; add a test.",
        "Show a spinner while loading must be implemented",
        "Write a summary of the API to docs/api.md",
    ] {
        assert!(!only_asks(task), "{task}");
    }
}

/// Values that can be looked at are criteria; the others are not.
#[test]
fn values_that_can_be_looked_at() {
    let kinds = |values: &str| -> Vec<String> {
        value_criteria(values, "Fix it").iter().map(|one| format!("{:?}", one.kind)).collect()
    };
    assert_eq!(
        kinds("Never change files in migrations/.\nKeep the tests green."),
        ["Untouched(\"migrations\")"]
    );
    assert_eq!(kinds("Every new function needs a test."), ["NewTests"]);
    assert_eq!(
        kinds("Always add an entry to CHANGELOG.md."),
        ["Document { path: \"CHANGELOG.md\", says: [], no_longer: [] }"]
    );
    assert_eq!(
        kinds("Prefer small, correct changes. Use tabs. Never push without asking me."),
        Vec::<String>::new()
    );
}

/// What does not fit is a criterion that nothing proves: no part of a task is dropped in silence.
#[test]
fn what_is_not_read_is_never_proven() {
    let list = |count: usize| (0..count).map(|at| format!("- f{at}.txt exists\n")).collect::<String>();
    let over = criteria(&format!("Make files.\n\nDone when:\n{}", list(CRITERIA_KEPT + 1)));
    assert_eq!((over.len(), &over[CRITERIA_KEPT].kind), (CRITERIA_KEPT + 1, &CriterionKind::Unread));
    let late = format!("Context {}\n\nDone when:\n- NOTES.md exists\n", "x ".repeat(400_000));
    assert_eq!(shown(&late), "there[NOTES.md] NOTES.md exists");
}

/// What a text names, strongest first; plain words last.
#[test]
fn names_are_found() {
    let names = |text: &str| -> Vec<String> {
        named_things(text)
            .iter()
            .filter(|name| name.kind != NameKind::Word)
            .map(|name| name.text.clone())
            .collect()
    };
    assert_eq!(names("Add a median(xs) function to stats.py"), ["median", "stats.py"]);
    assert_eq!(names("给 stats.py 加 median 函数"), ["stats.py", "median"]);
    assert_eq!(
        names("Set `max_size` to \"10 MB\" in config/app.toml"),
        ["max_size", "10 MB", "config/app.toml"]
    );
    assert_eq!(names("Bump to v1.2.3"), ["1.2.3"]);
    assert_eq!(names("Make it faster"), Vec::<String>::new());
    assert_eq!(subwords("parseTrailing_comma2"), ["parse", "trailing", "comma2"]);
}

proptest::proptest! {
    /// Any text has at least one criterion, and no more than are kept.
    #[test]
    fn any_text_is_read(task in "(?s)(Done when:|验收标准：|- |1、|`|\n| and |, |.){0,60}") {
        let count = criteria(&task).len();
        proptest::prop_assert!((1..=CRITERIA_KEPT + 1).contains(&count));
    }
}
