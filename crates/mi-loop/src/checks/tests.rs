//! Labelled cases: a command, its exit code, its output, and what it proves.

use super::*;
use crate::project::ProjectCheck;

const ROOT: &str = "/home/dev/app";

fn project() -> ProjectProfile {
    let check = |command: &str, runs_tests: bool| ProjectCheck {
        command: command.to_owned(),
        source: "README.md".to_owned(),
        runs_tests,
        ..ProjectCheck::default()
    };
    ProjectProfile {
        root: ROOT.to_owned(),
        has_tests: true,
        test_hints: vec!["tests/test_a.py".to_owned(), "tests/unit/test_b.py".to_owned()],
        test_file_count: 2,
        test_folders: vec!["tests".to_owned(), "tests/unit".to_owned()],
        checks: vec![
            check("make check", true),
            check("./run-tests.sh --all", true),
            check("npm run lint", false),
            check("cmake --build build && ctest --test-dir build", true),
        ],
        ..ProjectProfile::default()
    }
}

fn fact(command: &str, exit_code: i32, output: &str) -> CommandFact {
    CommandFact {
        order: 0,
        command: command.to_owned(),
        exit_code: Some(exit_code),
        finished: true,
        output: output.to_owned(),
        tree: None,
    }
}

/// `passed 12`, `part 3` (a passed subset), `failed: why`, `nothing: why`, or `-` for no check.
fn shown(command: &str, exit_code: i32, output: &str) -> String {
    let Some(run) = recognise(&fact(command, exit_code, output), &project()) else { return "-".to_owned() };
    let count = run.passed.map(|count| format!(" {count}")).unwrap_or_default();
    match (run.verdict, run.scope) {
        (CheckVerdict::Passed, Scope::Whole) => format!("passed{count}"),
        (CheckVerdict::Passed, Scope::Subset { .. }) => format!("part{count}"),
        (CheckVerdict::Failed { why }, _) => format!("failed: {why}"),
        (CheckVerdict::NoProof { why }, _) => format!("nothing: {why}"),
    }
}

fn all(cases: &[(&str, i32, &str, &str)]) {
    for (command, code, output, expected) in cases {
        assert_eq!(shown(command, *code, output), *expected, "{command}\n{output}");
        // What stands before a summary, however long, does not hide it.
        let long = format!("{}{output}", "   reading module_17 of the parser\n".repeat(150));
        assert_eq!(shown(command, *code, &long), *expected, "long output of {command}\n{output}");
    }
}

const CARGO: &str = "running 2 tests\n..\n\ntest result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n   Doc-tests app\n\nrunning 1 test\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n";
const CARGO_FAILED: &str = "test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\nerror: test failed, to rerun pass `--lib`\n";
const CARGO_NONE: &str = "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 9 filtered out; finished in 0.00s\n";
const HIDDEN_PIPE: &str =
    "nothing: its exit code is hidden: it is piped, and the pipe reports the exit code of its last command";
const HIDDEN_OR: &str = "nothing: its exit code is hidden: `||` hides its exit code";
const HIDDEN_LATER: &str =
    "nothing: its exit code is hidden: another command follows it, and only the last exit code is reported";
const NO_TEST: &str = "nothing: it ran no test";
const UNSEEN: &str = "nothing: its output does not show that a test ran";

/// One summary line is counted once, although it has the form of two runners.
#[test]
fn a_failed_summary_of_cargo_is_counted_once() {
    let reading = crate::checks::read_any_output(CARGO_FAILED).unwrap();
    assert_eq!((reading.passed, reading.failed), (Some(1), Some(1)));
}

/// Cargo and nextest.
#[test]
fn rust() {
    all(&[
        ("cargo test", 0, CARGO, "passed 3"),
        ("cargo t -q --workspace --all-features", 0, CARGO, "passed 3"),
        ("RUST_BACKTRACE=1 cargo +nightly test -- --nocapture --test-threads=1", 0, CARGO, "passed 3"),
        ("cargo fmt --all && cargo test 2>&1", 0, CARGO, "passed 3"),
        ("cd /home/dev/app && cargo test", 0, CARGO, "passed 3"),
        ("timeout 300 cargo test", 0, CARGO, "passed 3"),
        ("cargo test", 101, CARGO_FAILED, "failed: exit code 101, 1 test failed"),
        (
            "cargo test",
            101,
            "error: could not compile `app` (lib) due to 1 previous error\n",
            "failed: exit code 101, something failed",
        ),
        ("cargo test", 0, CARGO_FAILED, "failed: exit code 0, but the output says that 1 test failed"),
        ("cargo test | tail -3", 0, CARGO, HIDDEN_PIPE),
        (
            "cargo test | tail -3",
            0,
            CARGO_FAILED,
            "failed: exit code 0, but the output says that 1 test failed",
        ),
        ("set -o pipefail && cargo test 2>&1 | tail -30", 0, CARGO, "passed 3"),
        ("cargo test || true", 0, CARGO, HIDDEN_OR),
        ("cargo test; echo done", 0, CARGO, HIDDEN_LATER),
        ("cargo test parse_date", 0, CARGO, "part 3"),
        ("cargo test parse_date", 0, CARGO_NONE, NO_TEST),
        ("cargo test --lib", 0, CARGO, "part 3"),
        ("cargo test -p core", 0, CARGO, "part 3"),
        ("cargo test -- --skip slow", 0, CARGO, "part 3"),
        (
            "cargo test --no-run",
            0,
            "    Finished `test` profile\n",
            "nothing: `--no-run` makes it run no test",
        ),
        (
            "cargo test -- --list",
            0,
            "a: test\n1 test, 0 benchmarks\n",
            "nothing: `--list` makes it run no test",
        ),
        ("cargo test --help", 0, "Usage: cargo test", "nothing: `--help` makes it run no test"),
        (
            "cargo test",
            0,
            "test result: ok. 0 passed; 0 failed; 4 ignored; 0 measured; 0 filtered out\n",
            "nothing: every test was skipped",
        ),
        ("cargo test > log.txt 2>&1", 0, "", UNSEEN),
        ("cd /tmp/copy && cargo test", 0, CARGO, "nothing: it ran in `/tmp/copy`, not in the project"),
        (
            "cargo test --manifest-path /tmp/x/Cargo.toml",
            0,
            CARGO,
            "nothing: it ran in `/tmp/x`, not in the project",
        ),
        ("cd $WORK && cargo test", 0, CARGO, "nothing: the directory it ran in is not known"),
        ("cd crates/core && cargo test", 0, CARGO, "part 3"),
        (
            "if cargo test; then echo ok; fi",
            0,
            CARGO,
            "nothing: its exit code is hidden: it is only a condition",
        ),
        (
            "cargo() { echo 'test result: ok. 1 passed; 0 failed'; }; cargo test",
            0,
            CARGO,
            "nothing: the command is too involved to tell what its exit code means: it defines the function `cargo`",
        ),
        (
            "PATH=./fake:$PATH cargo test",
            0,
            CARGO,
            "nothing: the command is too involved to tell what its exit code means: `PATH` changes what programs do",
        ),
        ("PATH=$HOME/.cargo/bin:$PATH cargo test", 0, CARGO, "passed 3"),
        (
            "./cargo test",
            0,
            CARGO,
            "nothing: it only printed a result; it is not a test runner, and the project does not name it",
        ),
        (
            "cargo nextest run",
            0,
            "     Summary [   0.012s] 12 tests run: 12 passed, 2 skipped\n",
            "passed 12",
        ),
        (
            "cargo nextest run",
            100,
            "     Summary [   0.012s] 12 tests run: 11 passed, 1 failed, 0 skipped\n",
            "failed: exit code 100, 1 test failed",
        ),
        ("cargo nextest run nothing", 4, "error: no tests to run\n", NO_TEST),
        ("cargo nextest list", 0, "app a::b\n", "nothing: `--list` makes it run no test"),
        (
            "git stash && cargo test && git stash pop",
            0,
            CARGO,
            "nothing: a later part of the same command may change files",
        ),
        (
            "cargo test && sed -i s/a/b/ src/lib.rs",
            0,
            CARGO,
            "nothing: a later part of the same command may change files",
        ),
        (
            "cargo test && echo x > src/lib.rs",
            0,
            CARGO,
            "nothing: a later part of the same command may change files",
        ),
        (
            "cargo test && git ls-files | xargs sed -i s/a/b/",
            0,
            CARGO,
            "nothing: a later part of the same command may change files",
        ),
        ("cargo test && sh after.sh", 0, CARGO, "nothing: a later part of the same command may change files"),
        ("cargo test && ./after", 0, CARGO, "nothing: a later part of the same command may change files"),
        ("cargo test && bash -c 'git status'", 0, CARGO, "passed 3"),
        ("if ! cargo test; then exit 1; fi", 0, CARGO, "passed 3"),
        ("cd \"$PWD\" && cargo test", 0, CARGO, "passed 3"),
        ("cargo test && cargo clippy && git diff --stat", 0, CARGO, "passed 3"),
        ("cargo build", 0, "    Finished\n", "-"),
        ("/bin/bash -lc 'cargo test'", 0, CARGO, "passed 3"),
    ]);
}

/// pytest and unittest.
#[test]
fn python() {
    let passed = "collected 5 items\n\ntests/test_a.py .....    [100%]\n\n============ 5 passed in 0.12s ============\n";
    all(&[
        ("pytest", 0, passed, "passed 5"),
        ("python3 -m pytest -q", 0, ".....   [100%]\n5 passed in 0.01s\n", "passed 5"),
        ("poetry run pytest -x -vv", 0, passed, "passed 5"),
        ("uv run pytest", 0, passed, "passed 5"),
        (".venv/bin/pytest tests", 0, passed, "passed 5"),
        ("pytest tests/test_a.py tests/unit/test_b.py", 0, passed, "passed 5"),
        ("pytest tests/test_a.py", 0, passed, "part 5"),
        ("pytest tests/test_a.py::test_one", 0, "1 passed in 0.01s\n", "part 1"),
        ("pytest -k one", 0, "1 passed, 4 deselected in 0.01s\n", "part 1"),
        ("pytest -kone", 0, "1 passed, 4 deselected in 0.01s\n", "part 1"),
        ("pytest --ignore=tests/unit", 0, passed, "part 5"),
        ("pytest", 1, "= 1 failed, 4 passed, 1 warning in 0.12s =\n", "failed: exit code 1, 1 test failed"),
        ("pytest", 2, "= 2 errors in 0.05s =\n", "failed: exit code 2, 2 tests failed"),
        ("pytest", 5, "= no tests ran in 0.01s =\n", NO_TEST),
        (
            "pytest; true",
            0,
            "= 1 failed, 4 passed in 0.12s =\n",
            "failed: exit code 0, but the output says that 1 test failed",
        ),
        (
            "pytest --collect-only -q",
            0,
            "5 tests collected in 0.01s\n",
            "nothing: `--collect-only` makes it run no test",
        ),
        ("pytest", 0, "= 3 skipped in 0.01s =\n", "nothing: every test was skipped"),
        ("pytest -q 2>&1 | tail -5", 0, "5 passed in 0.01s\n", HIDDEN_PIPE),
        (
            "pytest",
            0,
            "rootdir: /tmp/copy\n= 5 passed in 0.1s =\n",
            "nothing: its output shows that it ran in `/tmp/copy`",
        ),
        (
            "pytest",
            127,
            "bash: pytest: command not found\n",
            "nothing: it could not be started (exit code 127)",
        ),
        ("python -m unittest", 0, "..\n------\nRan 2 tests in 0.001s\n\nOK\n", "passed 2"),
        ("python -m unittest discover -s tests", 0, "Ran 2 tests in 0.001s\n\nOK (skipped=1)\n", "passed 1"),
        (
            "python -m unittest",
            1,
            "Ran 3 tests in 0.001s\n\nFAILED (failures=1, errors=1)\n",
            "failed: exit code 1, 2 tests failed",
        ),
        ("python -m unittest", 0, "Ran 0 tests in 0.000s\n\nOK\n", NO_TEST),
        ("python -m unittest tests.test_a", 0, "Ran 2 tests in 0.001s\n\nOK\n", "part 2"),
        ("python3 tests/test_a.py", 0, "Ran 2 tests in 0.001s\n\nOK\n", "part 2"),
        ("python manage.py test", 0, "Ran 7 tests in 1.2s\n\nOK\n", "passed 7"),
        (
            "tox -e py311",
            0,
            "  py311: commands[0]> pytest\n= 5 passed in 0.1s =\n  congratulations :) (1.2 seconds)\n",
            "passed 5",
        ),
        ("tox -e lint", 0, "  congratulations :) (1.2 seconds)\n", UNSEEN),
        ("nox", 0, "nox > Session tests was successful.\n5 passed in 0.10s\n", "passed 5"),
        ("pip install pytest", 0, "Successfully installed pytest\n", "-"),
    ]);
}

/// Go.
#[test]
fn go() {
    all(&[
        (
            "go test ./...",
            0,
            "ok  \texample.com/app\t0.003s\n?   \texample.com/app/cmd\t[no test files]\n",
            "passed",
        ),
        ("go test ./...", 0, "ok  \texample.com/app\t(cached)\n", "passed"),
        (
            "go test -v ./...",
            0,
            "=== RUN   TestA\n--- PASS: TestA (0.00s)\n--- SKIP: TestB (0.00s)\nPASS\nok  \tapp\t0.003s\n",
            "passed 1",
        ),
        (
            "go test ./...",
            1,
            "--- FAIL: TestA (0.00s)\nFAIL\nFAIL\tapp\t0.003s\nFAIL\n",
            "failed: exit code 1, 1 test failed",
        ),
        ("go test ./...", 1, "FAIL\tapp [build failed]\nFAIL\n", "failed: exit code 1, something failed"),
        ("go test ./...", 0, "?   \tapp\t[no test files]\n", NO_TEST),
        ("go test -run TestNone ./...", 0, "ok  \tapp\t0.003s [no tests to run]\n", NO_TEST),
        ("go test -run TestA ./...", 0, "ok  \tapp\t0.003s\n", "part"),
        ("go test ./pkg", 0, "ok  \tapp/pkg\t0.003s\n", "part"),
        ("go test -c", 0, "", "nothing: `-c` makes it run no test"),
        (
            "go test -json ./...",
            0,
            "{\"Action\":\"pass\",\"Package\":\"app\",\"Test\":\"TestA\"}\n",
            "passed 1",
        ),
        ("go test ./... || echo failed", 0, "ok  \tapp\t0.003s\n", HIDDEN_OR),
    ]);
}

/// JavaScript runners and package managers.
#[test]
fn node() {
    let jest = "Test Suites: 1 passed, 1 total\nTests:       1 skipped, 4 passed, 5 total\nTime: 1 s\n";
    let vitest = " Test Files  1 passed (1)\n      Tests  5 passed (5)\n";
    let tap = "# tests 3\n# suites 0\n# pass 3\n# fail 0\n# cancelled 0\n# skipped 0\n# todo 0\n";
    all(&[
        ("npx jest", 0, jest, "passed 4"),
        ("./node_modules/.bin/jest --ci", 0, jest, "passed 4"),
        ("npx jest -t parse", 0, jest, "part 4"),
        ("npx jest", 1, "Tests:       1 failed, 4 passed, 5 total\n", "failed: exit code 1, 1 test failed"),
        ("npx jest --passWithNoTests", 0, "No tests found, exiting with code 0\n", NO_TEST),
        ("npx vitest run", 0, vitest, "passed 5"),
        (
            "npx vitest run",
            0,
            "\u{1b}[2m      Tests \u{1b}[22m \u{1b}[1m\u{1b}[32m5 passed\u{1b}[39m\u{1b}[22m\u{1b}[90m (5)\u{1b}[39m\n",
            "passed 5",
        ),
        ("npx vitest run", 1, "      Tests  1 failed | 4 passed (5)\n", "failed: exit code 1, 1 test failed"),
        ("pnpm exec vitest run --reporter verbose", 0, vitest, "passed 5"),
        ("yarn vitest run src/a.test.ts", 0, vitest, "part 5"),
        ("npx mocha", 0, "  ✔ adds\n\n  5 passing (12ms)\n  2 pending\n", "passed 5"),
        ("npx mocha", 2, "  3 passing (9ms)\n  2 failing\n", "failed: exit code 2, 2 tests failed"),
        ("npx mocha", 0, "  0 passing (1ms)\n", NO_TEST),
        ("node --test", 0, tap, "passed 3"),
        ("node --test", 0, "ℹ tests 3\nℹ pass 3\nℹ fail 0\n", "passed 3"),
        ("node --test", 1, "# tests 3\n# pass 2\n# fail 1\n", "failed: exit code 1, 1 test failed"),
        ("node --test --test-name-pattern=add", 0, tap, "part 3"),
        ("node index.js", 0, "hello\n", "-"),
        ("npm test", 0, "> app@1.0.0 test\n> jest\n\nTests:       5 passed, 5 total\n", "passed 5"),
        (
            "npm test",
            1,
            "> app@1.0.0 test\n> echo \"Error: no test specified\" && exit 1\n\nError: no test specified\n",
            "failed: exit code 1",
        ),
        ("npm test", 0, "> app@1.0.0 test\n> echo ok\n\nok\n", "nothing: its script checks nothing"),
        ("ENV=test npm test", 0, "> jest\nTests:       5 passed, 5 total\n", "passed 5"),
        ("npm test -- -t parse", 0, "> jest -t parse\nTests:       1 passed, 1 total\n", "part 1"),
        ("npm run test:unit", 0, "> vitest run\n      Tests  5 passed (5)\n", "part 5"),
        (
            "npm --prefix /tmp/copy test",
            0,
            "Tests:       5 passed, 5 total\n",
            "nothing: it ran in `/tmp/copy`, not in the project",
        ),
        ("pnpm test", 0, vitest, "passed 5"),
        (
            "yarn test",
            1,
            "      Tests  1 failed | 4 passed (5)\nerror Command failed with exit code 1.\n",
            "failed: exit code 1, 1 test failed",
        ),
        (
            "bun test",
            0,
            "bun test v1.1\n\n 5 pass\n 0 fail\nRan 5 tests across 1 files. [12.00ms]\n",
            "passed 5",
        ),
        (
            "bun test",
            1,
            " 4 pass\n 1 fail\nRan 5 tests across 1 files. [12.00ms]\n",
            "failed: exit code 1, 1 test failed",
        ),
        ("npm install", 0, "added 5 packages\n", "-"),
        ("npm run lint", 0, "", "passed"),
        ("deno test", 0, "ok | 5 passed | 0 failed (12ms)\n", "passed 5"),
        ("deno test -A", 1, "FAILED | 4 passed | 1 failed (12ms)\n", "failed: exit code 1, 1 test failed"),
        ("deno test --no-run", 0, "", "nothing: `--no-run` makes it run no test"),
    ]);
}

/// JVM, C, Ruby, PHP, .NET, Swift, shell.
#[test]
fn other_stacks() {
    let maven = "[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.05 s -- in ATest\n[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 1\n[INFO] BUILD SUCCESS\n";
    all(&[
        ("mvn test", 0, maven, "passed 4"),
        ("./mvnw -B verify", 0, maven, "passed 4"),
        ("mvn test -Dtest=ATest", 0, maven, "part 4"),
        (
            "mvn package -DskipTests",
            0,
            "[INFO] BUILD SUCCESS\n",
            "nothing: `-DskipTests` makes it run no test",
        ),
        (
            "mvn test -Dmaven.test.failure.ignore=true",
            0,
            maven,
            "nothing: `-Dmaven.test.failure.ignore=true` makes it pass whatever fails",
        ),
        (
            "mvn test",
            1,
            "[ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 0\n[INFO] BUILD FAILURE\n",
            "failed: exit code 1, 1 test failed",
        ),
        ("mvn test", 0, "[INFO] No tests to run.\n[INFO] BUILD SUCCESS\n", NO_TEST),
        ("./gradlew test", 0, "> Task :compileJava\n> Task :test\n\nBUILD SUCCESSFUL in 3s\n", "passed"),
        (
            "./gradlew test",
            0,
            "> Task :compileTestJava NO-SOURCE\n> Task :test NO-SOURCE\n\nBUILD SUCCESSFUL in 1s\n",
            NO_TEST,
        ),
        (
            "gradle test",
            1,
            "5 tests completed, 1 failed\n\nBUILD FAILED in 3s\n",
            "failed: exit code 1, 1 test failed",
        ),
        ("gradle test --tests ATest", 0, "> Task :test\nBUILD SUCCESSFUL in 3s\n", "part"),
        ("ctest --test-dir build", 0, "100% tests passed, 0 tests failed out of 12\n", "passed 12"),
        (
            "cd build && ctest",
            8,
            "67% tests passed, 1 tests failed out of 3\n",
            "failed: exit code 8, 1 test failed",
        ),
        ("ctest", 0, "No tests were found!!!\n", NO_TEST),
        ("ctest -N", 0, "Total Tests: 3\n", "nothing: `-N` makes it run no test"),
        (
            "cmake --build build && ctest --test-dir build",
            0,
            "100% tests passed, 0 tests failed out of 12\n",
            "passed 12",
        ),
        ("bundle exec rspec", 0, "12 examples, 0 failures, 1 pending\n", "passed 11"),
        ("rspec", 1, "12 examples, 2 failures\n", "failed: exit code 1, 2 tests failed"),
        ("rspec", 0, "No examples found.\n\n0 examples, 0 failures\n", NO_TEST),
        ("rspec spec/a_spec.rb:12", 0, "1 example, 0 failures\n", "part 1"),
        ("bin/rails test", 0, "12 runs, 24 assertions, 0 failures, 0 errors, 1 skips\n", "passed 11"),
        (
            "rake test",
            1,
            "12 runs, 24 assertions, 1 failures, 1 errors, 0 skips\n",
            "failed: exit code 1, 2 tests failed",
        ),
        ("vendor/bin/phpunit", 0, "OK (12 tests, 24 assertions)\n", "passed 12"),
        (
            "vendor/bin/phpunit",
            1,
            "FAILURES!\nTests: 2, Assertions: 2, Failures: 1.\n",
            "failed: exit code 1, 1 test failed",
        ),
        ("vendor/bin/phpunit", 0, "No tests executed!\n", NO_TEST),
        ("vendor/bin/phpunit --filter testA", 0, "OK (1 test, 1 assertion)\n", "part 1"),
        (
            "dotnet test",
            0,
            "Passed!  - Failed:     0, Passed:     5, Skipped:     0, Total:     5, Duration: 12 ms - App.dll (net8.0)\n",
            "passed 5",
        ),
        (
            "dotnet test",
            1,
            "Failed!  - Failed:     1, Passed:     4, Skipped:     0, Total:     5\n",
            "failed: exit code 1, 1 test failed",
        ),
        (
            "dotnet test",
            0,
            "Test summary: total: 5, failed: 0, succeeded: 5, skipped: 0, duration: 1.2s\n",
            "passed 5",
        ),
        (
            "dotnet test --list-tests",
            0,
            "The following Tests are available:\n",
            "nothing: `--list-tests` makes it run no test",
        ),
        (
            "swift test",
            0,
            "Executed 5 tests, with 0 failures (0 unexpected) in 0.002 (0.004) seconds\n",
            "passed 5",
        ),
        (
            "swift test",
            1,
            "Executed 5 tests, with 2 failures (0 unexpected) in 0.002 (0.004) seconds\n",
            "failed: exit code 1, 2 tests failed",
        ),
        ("swift test", 0, "✔ Test run with 5 tests passed after 0.001 seconds.\n", "passed 5"),
        ("bats -r .", 0, "1..3\nok 1 a\nok 2 b # skip later\nok 3 c\n", "passed 2"),
        ("bats tests", 1, "1..2\nok 1 a\nnot ok 2 b\n", "failed: exit code 1, 1 test failed"),
    ]);
}

/// make, and commands that only the project names.
#[test]
fn named_by_the_project() {
    all(&[
        ("make check", 0, "./scripts/verify\nall good\n", "passed"),
        ("make check", 2, "make: *** [Makefile:3: check] Error 1\n", "failed: exit code 2"),
        ("make check || true", 0, "", HIDDEN_OR),
        ("make -n check", 0, "./scripts/verify\n", "nothing: `-n` makes it run no test"),
        ("make -i check", 0, "", "nothing: `-i` makes it pass whatever fails"),
        ("make check", 0, "make: Nothing to be done for 'check'.\n", "nothing: it had nothing to run"),
        ("make test", 0, "hello\n", UNSEEN),
        (
            "make test",
            0,
            "PASS: a\n# TOTAL: 2\n# PASS:  2\n# SKIP:  0\n# FAIL:  0\n# XPASS: 0\n# ERROR: 0\n",
            "passed 2",
        ),
        ("make -C /tmp/other check", 0, "", "nothing: it ran in `/tmp/other`, not in the project"),
        ("./run-tests.sh --all", 0, "fine\n", "passed"),
        ("bash run-tests.sh --all -v", 0, "fine\n", "passed"),
        ("./run-tests.sh --all one", 0, "fine\n", "part"),
        ("./run-tests.sh", 0, "fine\n", "-"),
        ("./run-tests.sh --all", 3, "", "failed: exit code 3"),
        ("cd /tmp && ./run-tests.sh --all", 0, "", "nothing: it ran in `/tmp`, not in the project"),
        ("./run-tests.sh --all | tee log", 0, "", HIDDEN_PIPE),
        (
            "./run-tests.sh --all",
            0,
            "== 2 failed, 1 passed in 0.1s ==\n",
            "failed: exit code 0, but the output says that 2 tests failed",
        ),
    ]);
}

/// What only prints a result is no check.
#[test]
fn printed_results() {
    let printed =
        "nothing: it only printed a result; it is not a test runner, and the project does not name it";
    all(&[
        ("echo 'test result: ok. 5 passed; 0 failed'", 0, "test result: ok. 5 passed; 0 failed\n", printed),
        ("cat old.log", 0, "===== 5 passed in 0.12s =====\n", printed),
        ("printf 'OK (3 tests, 3 assertions)\\n'", 0, "OK (3 tests, 3 assertions)\n", printed),
        ("ls", 0, "README.md\n", "-"),
        ("echo done", 0, "done\n", "-"),
        ("git log --oneline", 0, "435862f one\n", "-"),
        ("", 0, "", "-"),
    ]);
}

/// A command that still runs, or whose code is unknown, or whose text was cut, proves nothing.
#[test]
fn unfinished_and_cut_commands() {
    let running = CommandFact { finished: false, exit_code: None, ..fact("cargo test", 0, "") };
    let unreported = CommandFact { exit_code: None, ..fact("cargo test", 0, CARGO) };
    let cut = fact(&format!("cargo test {CUT_MARK} || true"), 0, CARGO);
    for (command, why) in [
        (running, "it was still running when the batch ended"),
        (unreported, "the agent's harness reported no exit code"),
        (cut, "the command is too involved to tell what its exit code means: its text was cut"),
    ] {
        let verdict = recognise(&command, &project()).map(|run| run.verdict);
        assert_eq!(verdict, Some(CheckVerdict::NoProof { why: why.to_owned() }));
    }
}

/// What the person chose stands for the whole project, as it is written.
#[test]
fn strategy_is_the_whole_check() {
    let project = crate::project::with_strategy(project(), "Run `pytest -k smoke` and look at the log.");
    let run = recognise(&fact("pytest -k smoke", 0, "1 passed, 9 deselected in 0.1s\n"), &project);
    assert_eq!(run.map(|run| (run.scope, run.verdict)), Some((Scope::Whole, CheckVerdict::Passed)));
    let project = crate::project::with_strategy(project, "python3 app.py --self-test");
    let run =
        recognise(&fact("python app.py --self-test", 0, ""), &project).expect("it is the project's check");
    assert!(run.is_passed() && run.runs_tests && run.scope == Scope::Whole);
}

/// A command named in a criterion may carry harmless flags, and must show its exit code.
#[test]
fn named_commands_are_compared_by_words() {
    for (command, check, same) in [
        ("make lint", "make lint", true),
        ("cd . && make lint -s", "make lint", true),
        ("make lint | tail", "make lint", false),
        ("make lint-fix", "make lint", false),
        ("cargo clippy -- -D warnings", "cargo clippy", false),
        ("python3 x.py", "python x.py", true),
        ("bash ./ci.sh", "./ci.sh", true),
    ] {
        assert_eq!(runs_command(command, check), same, "{command} / {check}");
    }
}

proptest::proptest! {
    /// Any command with any output is read without a panic, and exit codes other than 0 never pass.
    #[test]
    fn any_command_is_read(
        command in "(cargo test|pytest|npm test|go test|make check|cd |&&|\\|\\||;|\\||'|\"|\\(|\\)|<<EOF|\n| |\\$\\(|`|-k|--|\\PC){0,12}",
        output in "(?s)(test result: |passed|failed|in 0.1s|Tests|Ran |[0-9]{1,30}|: |, |\n|\u{1b}\\[|.){0,30}",
        code in -2_i32..3,
    ) {
        let run = recognise(&fact(&command, code, &output), &project());
        proptest::prop_assert!(code == 0 || !run.is_some_and(|run| run.is_passed()));
        let _ = is_check_like(&command, &project());
    }
}

/// A runner that was sent elsewhere, or that may not be the real one, proves nothing.
#[test]
fn ran_elsewhere() {
    let ok = "Ran 2 tests in 0.001s\n\nOK\n";
    let pytest = "===== 2 passed in 0.01s =====\n";
    let go = "ok  \tx\t0.002s\n";
    let sent = |to: &str| format!("nothing: it was sent to `{to}`, not to the project");
    let path = "nothing: it ran with a search path that may hide the real program";
    let cases = [
        ("python3 -m unittest discover -s /other/dir", ok, sent("/other/dir")),
        ("python3 -m unittest discover -s ../other", ok, sent("../other")),
        ("pytest /tmp/x", pytest, sent("/tmp/x")),
        ("pytest --rootdir=/tmp/x", pytest, sent("/tmp/x")),
        ("pytest ~/x", pytest, sent("~/x")),
        ("go test -C /other ./...", go, sent("/other")),
        ("make -f /other/Makefile test", pytest, sent("/other/Makefile")),
        (
            "cargo test --manifest-path /other/Cargo.toml",
            CARGO,
            "nothing: it ran in `/other`, not in the project".to_owned(),
        ),
        ("go -C /other test ./...", go, "nothing: it ran in `/other`, not in the project".to_owned()),
        ("make -C /other test", pytest, "nothing: it ran in `/other`, not in the project".to_owned()),
        ("npm --prefix /other test", pytest, "nothing: it ran in `/other`, not in the project".to_owned()),
        ("PATH=/shadow:$PATH python3 -m unittest", ok, path.to_owned()),
        ("export PATH=/shadow:$PATH && python3 -m unittest", ok, path.to_owned()),
        ("PATH=/shadow:$PATH; export PATH; python3 -m unittest", ok, path.to_owned()),
        ("env PATH=/shadow python3 -m unittest", ok, path.to_owned()),
        (
            "PYTHONPATH=/other python3 -m unittest",
            ok,
            "nothing: `PYTHONPATH` leads to `/other`, outside the project".to_owned(),
        ),
        (
            "PYTEST_ADDOPTS='-k one' pytest",
            pytest,
            "nothing: `PYTEST_ADDOPTS` changes how it runs".to_owned(),
        ),
        (
            "alias python3=true; python3 -m unittest",
            ok,
            "nothing: the command is too involved to tell what its exit code means".to_owned(),
        ),
        (
            "python3() { true; }; python3 -m unittest",
            ok,
            "nothing: the command is too involved to tell what its exit code means".to_owned(),
        ),
        ("PYTHONPATH=src:. python3 -m unittest", ok, "passed 2".to_owned()),
        ("PYTHONPATH=$PWD/src pytest", pytest, "passed 2".to_owned()),
        ("pytest /home/dev/app/tests --junitxml=/tmp/r.xml", pytest, "passed 2".to_owned()),
        ("python3 -m unittest discover -s tests", ok, "passed 2".to_owned()),
        ("python3 -m unittest discover -s tests/unit", ok, "part 2".to_owned()),
        ("PATH=/usr/local/go/bin:$PATH go test ./...", go, "passed".to_owned()),
    ];
    for (command, output, expected) in cases {
        let told = shown(command, 0, output);
        // The gate may refuse a script before the proof gets to say why; that it proves nothing is what counts.
        let refused = expected.starts_with("nothing: ") && told.starts_with("nothing: ");
        assert!(told == expected || refused, "{command}: {told}, expected {expected}");
    }
}

/// 10-autopilot names minitest; a project with one file of tests is checked by running that file.
#[test]
fn single_files_coverage_and_minitest() {
    let project = |test: &str| ProjectProfile {
        root: ROOT.to_owned(),
        has_tests: true,
        test_hints: vec![test.to_owned()],
        test_file_count: 1,
        test_folders: vec![test.rsplit_once('/').map_or(".", |(folder, _)| folder).to_owned()],
        ..ProjectProfile::default()
    };
    let unit = "Ran 1 test in 0.0s\n\nOK\n";
    let mini = "1 runs, 1 assertions, 0 failures, 0 errors, 0 skips\n";
    for (test, command, output, expected) in [
        ("test/a_test.rb", "ruby -Itest test/a_test.rb", mini, true),
        ("test/a_test.rb", "ruby test/a_test.rb", mini, true),
        ("test/a_test.rb", "bundle exec rake", mini, true),
        ("test/a_test.rb", "bundle exec rake", "nothing\n", false),
        ("test/a_test.rb", "ruby a.rb", mini, false),
        ("test/b_test.rb", "ruby test/a_test.rb", mini, false),
        ("test_calc.py", "python3 test_calc.py", unit, true),
        ("test_calc.py", "python3 -m unittest test_calc", unit, true),
        ("test_calc.py", "python3 -m unittest test_calc.T.test_add", unit, false),
        ("test_calc.py", "coverage run -m unittest", unit, true),
        ("test_calc.py", "python3 -m coverage run --branch -m unittest", unit, true),
        ("test_calc.py", "coverage report", unit, false),
    ] {
        let run = recognise(&fact(command, 0, output), &project(test));
        let whole = run.is_some_and(|run| run.is_passed() && run.scope == Scope::Whole);
        assert_eq!(whole, expected, "{command}");
    }
}
