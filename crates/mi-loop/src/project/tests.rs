//! Projects as lists of files, and the checks found in them.

use super::*;

fn files(names: &[&str], texts: &[(&str, &str)]) -> ProjectFiles {
    let mut all: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    all.extend(texts.iter().map(|(name, _)| (*name).to_owned()));
    ProjectFiles {
        root: "/p".to_owned(),
        names: all,
        texts: texts.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect(),
        has_inline_tests: false,
    }
}

fn commands(files: &ProjectFiles) -> Vec<String> {
    let show =
        |check: ProjectCheck| if check.runs_tests { check.command } else { format!("({})", check.command) };
    profile(files).checks.into_iter().map(show).collect()
}

/// Each stack's convention, and what the project itself says.
#[test]
fn checks_of_projects() {
    let readme = "# App\n\n## Testing\n\nRun the tests:\n\n```sh\n$ pytest tests\n$ pytest tests/test_a.py -k one\n```\n";
    let ci = "jobs:\n  test:\n    steps:\n      - uses: actions/checkout@v4\n      - run: cargo test --workspace\n      - run: |\n          cargo fmt --check\n          cargo test --doc\n";
    for (project, expected) in [
        (files(&["Cargo.toml", "tests/a.rs"], &[]), vec!["cargo test"]),
        (files(&["Cargo.toml", "src/main.rs"], &[]), vec!["(cargo check)"]),
        (
            files(&["tests/a.rs"], &[("Cargo.toml", ""), (".github/workflows/ci.yml", ci)]),
            vec!["cargo test", "cargo test --workspace"],
        ),
        (files(&["go.mod", "a_test.go"], &[]), vec!["go test ./..."]),
        (files(&["tests/test_a.py"], &[("README.md", readme)]), vec!["pytest tests"]),
        (files(&["app.py", "test_app.py"], &[]), vec!["python3 -m unittest"]),
        (files(&["pyproject.toml", "tests/test_a.py", "tests/conftest.py"], &[]), vec!["python3 -m pytest"]),
        (files(&["tests/test_a.py"], &[("setup.cfg", "")]), vec!["python3 -m unittest discover -s tests"]),
        (
            files(&["a.test.js"], &[("package.json", r#"{"scripts":{"test":"jest","lint":"eslint ."}}"#)]),
            vec!["npm test", "(npm run lint)"],
        ),
        (
            files(&["pnpm-lock.yaml"], &[("package.json", r#"{"scripts":{"test":"vitest run"}}"#)]),
            vec!["pnpm test"],
        ),
        (
            files(
                &[],
                &[("package.json", r#"{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}"#)],
            ),
            vec![],
        ),
        (files(&[], &[("package.json", r#"{"scripts":{"test":"true"}}"#)]), vec![]),
        (files(&[], &[("package.json", "{broken")]), vec![]),
        (files(&[], &[("Makefile", "all:\n\tcc a.c\n\ncheck: all\n\t./verify\n")]), vec!["make check"]),
        (files(&[], &[("Makefile", "test:\n\t@true\n")]), vec![]),
        (
            files(&["Cargo.toml", "tests/a.rs"], &[("Makefile", "check:\n\tcargo clippy\n\tcargo test\n")]),
            vec!["cargo test", "make check"],
        ),
        (files(&["spec/a_spec.rb", "Gemfile"], &[]), vec!["bundle exec rspec"]),
        (files(&["pom.xml", "mvnw", "src/test/java/ATest.java"], &[]), vec!["./mvnw test"]),
        (
            files(&["backend/tests/test_a.py"], &[("backend/pyproject.toml", "[tool.pytest.ini_options]")]),
            vec!["cd backend && python3 -m pytest"],
        ),
        (files(&["notes.txt"], &[]), vec![]),
        (
            files(
                &[],
                &[(
                    "README.md",
                    "To check your work run `./scripts/check.sh` first. Install with `npm install test`.",
                )],
            ),
            vec!["./scripts/check.sh"],
        ),
        (files(&[], &[("README.md", "测试：运行 `make test`")]), vec!["make test"]),
    ] {
        assert_eq!(commands(&project), expected, "{:?}", project.names);
    }
}

/// Which files are tests, by the conventions of their language.
#[test]
fn test_files_by_name() {
    for path in [
        "tests/a.rs",
        "test_a.py",
        "pkg/a_test.py",
        "src/a.test.ts",
        "src/a.spec.tsx",
        "src/__tests__/a.js",
        "a_test.go",
        "src/test/java/ATest.java",
        "spec/a_spec.rb",
        "test/test_a.rb",
        "tests/ATest.php",
        "A.Tests/ATests.cs",
        "Tests/AppTests/ATests.swift",
        "test/a.bats",
        "tests/test_a.cpp",
        "test/index.js",
    ] {
        assert!(is_test_file(path), "{path}");
    }
    for path in [
        "src/lib.rs",
        "app.py",
        "src/latest.ts",
        "contest.go",
        "node_modules/x/a.test.js",
        "README.md",
        "testing.md",
        "src/Attest.java",
    ] {
        assert!(!is_test_file(path), "{path}");
    }
}

/// The engine reads few files, and none of them deep in the tree.
#[test]
fn wanted_texts() {
    for path in [
        "README.md",
        "readme.rst",
        "package.json",
        "web/package.json",
        ".github/workflows/ci.yml",
        "AGENTS.md",
    ] {
        assert!(wanted_text(path), "{path}");
    }
    for path in ["src/main.rs", "a/b/package.json", "docs/README.md", "x.csproj"] {
        assert!(!wanted_text(path), "{path}");
    }
}

/// Tests inside sources count as tests.
#[test]
fn inline_tests() {
    let project = ProjectFiles { has_inline_tests: true, ..files(&["Cargo.toml", "src/lib.rs"], &[]) };
    assert!(profile(&project).has_tests);
    assert_eq!(commands(&project), ["cargo test"]);
    assert!(has_inline_test("#[tokio::test]\nasync fn a() {}") && !has_inline_test("fn main() {}"));
}

/// The person's strategy comes first; words without a command add no check.
#[test]
fn strategies() {
    let base = profile(&files(&["app.sh"], &[]));
    let with = |strategy: &str| {
        with_strategy(base.clone(), strategy)
            .checks
            .into_iter()
            .map(|check| check.command)
            .collect::<Vec<_>>()
    };
    assert_eq!(with("Run `sh app.sh --check`, then look."), ["sh app.sh --check"]);
    assert_eq!(with("sh app.sh --check"), ["sh app.sh --check"]);
    assert_eq!(with("open the page and look"), Vec::<String>::new());
    assert_eq!(
        with("Run `python3 -m py_compile a.py` and then `python3 a.py`"),
        ["python3 -m py_compile a.py", "python3 a.py"]
    );
    assert_eq!(with("`a.py` must still run: `python3 a.py`"), ["python3 a.py"]);
    assert_eq!(with("`x = 2` must hold: `mytool check` and `./t.sh`"), ["mytool check", "./t.sh"]);
    assert_eq!(with("`selftest`"), ["selftest"]);
}
