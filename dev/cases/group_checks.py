"""Checks that ran, did not run, or prove nothing."""

from words import *

FIX_TASK = "Fix add in calc.py"
ZH_TASK = "修复 calc.py 里的加法"


def fixed(name, files, fix, command, message="Fixed it; all tests pass.", task="Fix the bug", **more):
    return case(name, files, task, batch(fix, sh(command), say(message), expect=done()), **more)


RUBY = {"Gemfile": "gem 'rspec'\n", ".rspec": "--format progress\n", "lib/fee.rb": "def fee(n)\n  n + 1 # BUG\nend\n", "spec/fee_spec.rb": "require 'fee'\n\nRSpec.describe 'fee' do\n  it 'is one' do\n    expect(fee(1)).to eq(1)\n  end\n\n  it 'is zero' do\n    expect(fee(0)).to eq(0)\n  end\nend\n"}
PHP = {"composer.json": "{\"require-dev\": {\"phpunit/phpunit\": \"^11\"}}\n", "phpunit.xml": "<phpunit><testsuites><testsuite name=\"all\"><directory>tests</directory></testsuite></testsuites></phpunit>\n", "src/Fee.php": "<?php\nfunction fee($n) { return $n + 1; } // BUG\n", "tests/FeeTest.php": "<?php\nclass FeeTest extends PHPUnit\\Framework\\TestCase {\n    public function testOne() { $this->assertSame(1, fee(1)); }\n    public function testZero() { $this->assertSame(0, fee(0)); }\n}\n"}
DOTNET = {"Fee.sln": "Microsoft Visual Studio Solution File\n", "src/Fee.cs": "public static class Fees { public static int Fee(int n) => n + 1; /* BUG */ }\n", "test/FeeTests.cs": "public class FeeTests {\n    [Fact]\n    public void One() { Assert.Equal(1, Fees.Fee(1)); }\n}\n"}
GRADLE = {"build.gradle": "plugins { id 'java' }\n", "src/main/java/Fee.java": "class Fee { static int fee(int n) { return n + 1; } /* BUG */ }\n", "src/test/java/FeeTest.java": "class FeeTest {\n    @Test\n    void one() { assertEquals(1, Fee.fee(1)); }\n}\n"}
MVN = {"pom.xml": "<project><artifactId>fee</artifactId></project>\n", "src/main/java/Fee.java": GRADLE["src/main/java/Fee.java"], "src/test/java/FeeTest.java": GRADLE["src/test/java/FeeTest.java"]}
CMAKE = {"CMakeLists.txt": "project(fee C)\nenable_testing()\nadd_executable(fee_test test_fee.c fee.c)\nadd_test(NAME fee COMMAND fee_test)\n", "fee.c": "int fee(int n) { return n + 1; } /* BUG */\n", "test_fee.c": "int fee(int);\nint main(void) { return fee(1) != 1; }\nadd_test(one\n"}
SWIFT = {"Package.swift": "// swift-tools-version:5.9\n", "Sources/Fee/Fee.swift": "func fee(_ n: Int) -> Int { n + 1 } // BUG\n", "Tests/FeeTests/FeeTests.swift": "final class FeeTests: XCTestCase {\n    func testOne() { XCTAssertEqual(fee(1), 1) }\n}\n"}
OWN = {"README.md": "# tool\n\n## Testing\n\nRun `./check.sh` before you commit.\n", "tool.sh": "echo wrong\n", "check.sh": "#!/bin/sh\n[ \"$(sh tool.sh)\" = right ] && echo 'all good'\n"}
CI = {"README.md": "# tool\n", ".github/workflows/ci.yml": "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n      - run: sh test_tool.sh\n", "tool.sh": "echo wrong\n", "test_tool.sh": "[ \"$(sh tool.sh)\" = right ] && echo '1 passed'\n"}
FIX_TOOL = edit("tool.sh", "wrong", "right")

HAPPY = [
    fixed("happy-unittest", PY, FIX, UNITTEST, task=FIX_TASK),
    fixed("happy-unittest-zh", PY, FIX, UNITTEST, "已修复，两个测试都通过了。", task=ZH_TASK),
    fixed("happy-unittest-verbose", PY, FIX, "python3 -m unittest -v", task=FIX_TASK),
    fixed("happy-pytest", PYTEST, FIX_PYTEST, "pytest -q"),
    fixed("happy-pytest-zh", PYTEST, FIX_PYTEST, "pytest", "修好了，`pytest` 全部通过。", task="购物车总价算错了，请修复"),
    fixed("happy-cargo", RUST, FIX_RUST, "cargo test --offline"),
    fixed("happy-nextest", RUST, FIX_RUST, "cargo nextest run"),
    fixed("happy-node-test", NODE, FIX_NODE, "node --test"),
    fixed("happy-npm-test", NODE, FIX_NODE, "npm test", task="slug() should replace every space"),
    fixed("happy-make-check", MAKE, FIX_MAKE, "make check", task="Fix the greeting"),
    fixed("happy-make-check-zh", MAKE, FIX_MAKE, "make check", "问候语已修正，检查通过。", task="修正问候语的拼写"),
    fixed("happy-go", GO, FIX_GO, "go test ./..."),
    fixed("happy-jest", js("jest"), FIX_JS, "npx jest"),
    fixed("happy-vitest", js("vitest run"), FIX_JS, "npx vitest run"),
    fixed("happy-mocha", js("mocha"), FIX_JS, "npx mocha"),
    fixed("happy-pnpm", js("jest"), FIX_JS, "pnpm test"),
    fixed("happy-rspec", RUBY, edit("lib/fee.rb", "n + 1 # BUG", "n"), "rspec"),
    fixed("happy-phpunit", PHP, edit("src/Fee.php", "$n + 1; } // BUG", "$n; }"), "phpunit"),
    fixed("happy-dotnet", DOTNET, edit("src/Fee.cs", "n + 1; /* BUG */", "n;"), "dotnet test"),
    fixed("happy-gradle", GRADLE, edit("src/main/java/Fee.java", "n + 1; } /* BUG */", "n; }"), "gradle test"),
    fixed("happy-maven", MVN, edit("src/main/java/Fee.java", "n + 1; } /* BUG */", "n; }"), "mvn -q -o test"),
    fixed("happy-ctest", CMAKE, edit("fee.c", "n + 1; } /* BUG */", "n; }"), "ctest --test-dir build"),
    fixed("happy-swift", SWIFT, edit("Sources/Fee/Fee.swift", "n + 1 } // BUG", "n }"), "swift test"),
    fixed("happy-own-script", OWN, FIX_TOOL, "./check.sh"),
    fixed("happy-ci-command", CI, FIX_TOOL, "sh test_tool.sh"),
]

EARLY = [
    case("early-done", PY, FIX_TASK, batch(FIX, say("Done. add now adds."), expect=check(UNITTEST, "claimed"))),
    case("early-done-zh", PY, ZH_TASK, batch(FIX, say("已完成，加法现在是对的。"), expect=check(UNITTEST, "claimed"))),
    case("early-claims-tests", PY, FIX_TASK, batch(FIX, say("Fixed. I ran the whole test suite and all 2 tests pass."), expect=check(UNITTEST, "claimed"))),
    case("early-claims-tests-zh", MAKE, "修正问候语", batch(FIX_MAKE, say("改好了，我跑过测试，全部通过。"), expect=check("make check", "claimed"))),
    case("early-rust", RUST, "Fix add", batch(FIX_RUST, say("The function is fixed."), expect=check("cargo test", "claimed"))),
    case("early-node", NODE, "slug() should replace every space", batch(FIX_NODE, say("Done: replaceAll instead of replace."), expect=check("npm test", "claimed"))),
    case("early-pytest", PYTEST, "Fix the cart total", batch(FIX_PYTEST, say("Fixed the off-by-one in total()."), expect=check("pytest", "claimed"))),
    case("early-go", GO, "Fix the fee", batch(FIX_GO, say("Done."), expect=check("go test ./...", "claimed"))),
    case("early-only-lint", NODE, "slug() should replace every space", batch(FIX_NODE, sh("npm run lint"), say("Done, lint is clean."), expect=check("npm test", "claimed"))),
    case("early-only-compiles", PY, FIX_TASK, batch(FIX, sh("python3 -m py_compile calc.py"), say("Done, it compiles."), expect=check(UNITTEST, "claimed"))),
    case("early-then-check", PY, FIX_TASK, batch(FIX, say("Done."), expect=check(UNITTEST, "claimed")), batch(sh(UNITTEST), say("All tests pass."), expect=done())),
    case("early-then-check-zh", PY, ZH_TASK, batch(FIX, say("搞定了。"), expect=check(UNITTEST, "claimed")), batch(sh(UNITTEST), say("测试全部通过。"), expect=done())),
    case("early-no-claim", PY, FIX_TASK, batch(FIX, say("I replaced the minus by a plus in calc.py."), expect=check(UNITTEST))),
]

STALE = [
    case("stale-edit-after", PY, FIX_TASK, batch(FIX, sh(UNITTEST), edit("calc.py", "def add", "# Adds two numbers.\ndef add"), say("Done, tests pass."), expect=check(UNITTEST, "claimed"))),
    case("stale-edit-after-zh", PY, ZH_TASK, batch(FIX, sh(UNITTEST), edit("calc.py", "def add", "# 两数之和\ndef add"), say("已完成，测试通过，另外补了注释。"), expect=check(UNITTEST, "claimed"))),
    case("stale-shell-edit", PY, FIX_TASK, batch(FIX, sh(UNITTEST), sh("sed -i 's/return/return 0 +/' calc.py"), say("Done."), expect=check(UNITTEST, "claimed"))),
    case("stale-readme-after", MAKE, "Fix the greeting and mention it in the README", batch(FIX_MAKE, sh("make check"), write("README.md", "# greet\n"), say("Done."), expect=check("make check", "claimed"))),
    case("stale-in-a-later-batch", PY, FIX_TASK, batch(FIX, sh(UNITTEST + " | tail -1"), say("Done."), expect=check(UNITTEST, "claimed")), batch(sh(UNITTEST), edit("calc.py", "a + b", "b + a"), say("Done, tests pass; I also swapped the operands."), expect=check(UNITTEST, "claimed")), batch(sh(UNITTEST), say("Both tests pass."), expect=done())),
    case("fresh-log-after", PY, FIX_TASK, batch(FIX, sh(UNITTEST), sh("echo finished > work.log"), say("Done."), expect=done())),
    case("fresh-commit-after", PY, FIX_TASK, batch(FIX, sh(UNITTEST), sh("git status --short"), say("Done, both tests pass."), expect=done())),
    case("fresh-reads-after", PY, FIX_TASK, batch(FIX, sh(UNITTEST), sh("cat calc.py; git diff --stat"), say("Done."), expect=done())),
    case("fresh-undone-edit", PY, FIX_TASK, batch(FIX, sh(UNITTEST), edit("calc.py", "a + b", "b + a"), edit("calc.py", "b + a", "a + b"), say("Done, I put the line back as it was tested."), expect=done())),
]


def hidden(name, command, expect, message="Done, all tests pass."):
    return case(name, PY, FIX_TASK, batch(FIX, sh(command), say(message), expect=expect))


NOT_SHOWN = check(UNITTEST, "claimed")
HIDDEN = [
    hidden("hidden-tail", f"{UNITTEST} 2>&1 | tail -3", NOT_SHOWN),
    hidden("hidden-tail-zh", f"{UNITTEST} 2>&1 | tail -n 1", NOT_SHOWN, "完成，测试全部通过。"),
    hidden("hidden-or-true", f"{UNITTEST} || true", NOT_SHOWN),
    hidden("hidden-echo", f"{UNITTEST}; echo done", NOT_SHOWN),
    hidden("hidden-true", f"{UNITTEST}; true", NOT_SHOWN),
    hidden("hidden-grep", f"{UNITTEST} 2>&1 | grep -c OK", NOT_SHOWN),
    hidden("hidden-file", f"{UNITTEST} > result.log 2>&1; cat result.log", NOT_SHOWN),
    hidden("hidden-tee", f"{UNITTEST} 2>&1 | tee result.log", NOT_SHOWN),
    hidden("hidden-or-echo", f"{UNITTEST} || echo 'some failed'", NOT_SHOWN),
    hidden("hidden-if", f"if {UNITTEST}; then echo yes; else echo no; fi", NOT_SHOWN),
    hidden("shown-and-echo", f"{UNITTEST} && echo ok", done()),
    hidden("shown-stderr", f"{UNITTEST} 2>&1", done()),
    hidden("shown-pipefail", f"set -o pipefail; {UNITTEST} 2>&1 | tail -3", done()),
    hidden("shown-timeout", f"timeout 60 {UNITTEST}", done()),
    hidden("shown-cd-here", f"cd . && {UNITTEST}", done()),
    hidden("shown-set-e", f"set -e; git status --short; {UNITTEST}", done()),
]

UNPACKED = {**PY, "README.md": "# calc\n", "tests/test_more.py": CALC_TEST}
NO_TESTS = [
    case("none-unittest", {key: text for key, text in {**PY, "checks/test_calc.py": CALC_TEST}.items() if key != "test_calc.py"}, FIX_TASK, batch(FIX, sh(UNITTEST), say("Done, the tests are OK."), expect=check("", "claimed"))),
    case("none-pytest", PYTEST, "Fix the cart total", batch(FIX_PYTEST, sh("pytest -k nosuchtest"), say("Done, pytest is clean."), expect=check("pytest", "claimed"))),
    case("none-cargo", RUST, "Fix add", batch(FIX_RUST, sh("cargo test --offline nosuchtest"), say("Done, the tests pass."), expect=check("cargo test", "claimed"))),
    case("none-go", GO, "Fix the fee", batch(FIX_GO, sh("go test -run NoSuchTest ./..."), say("Done, tests pass."), expect=check("go test ./...", "claimed"))),
    case("none-jest-zh", js("jest"), "修复手续费", batch(FIX_JS, sh("npx jest --passWithNoTests -t nosuchtest"), say("完成，测试通过。"), expect=check("npm test", "claimed"))),
    case("none-list-only", PYTEST, "Fix the cart total", batch(FIX_PYTEST, sh("pytest --collect-only -q"), say("Done, 2 tests collected without errors."), expect=check("pytest", "claimed"))),
]

SUBSET = [
    case("subset-unittest", PY, FIX_TASK, batch(FIX, sh("python3 -m unittest test_calc.AddTest.test_adds"), say("Done, the test passes."), expect=check(UNITTEST, "claimed"))),
    case("subset-unittest-zh", PY, ZH_TASK, batch(FIX, sh("python3 -m unittest test_calc.AddTest.test_adds"), say("已修复，相关测试通过。"), expect=check(UNITTEST, "claimed"))),
    case("subset-pytest-k", PYTEST, "Fix the cart total", batch(FIX_PYTEST, sh("pytest -q -k total"), say("Done."), expect=check("pytest", "claimed"))),
    case("subset-cargo", RUST, "Fix add", batch(FIX_RUST, sh("cargo test --offline adds_nothing"), say("Done."), expect=check("cargo test", "claimed"))),
    case("subset-go-run", GO, "Fix the fee", batch(FIX_GO, sh("go test -run Fee ./..."), say("Done."), expect=check("go test ./...", "claimed"))),
    case("subset-jest-t", js("jest"), "Fix the fee", batch(FIX_JS, sh("npm test -- -t one"), say("Done."), expect=check("npm test", "claimed"))),
    case("subset-is-the-task", PY, "Make test_calc.AddTest.test_adds pass", batch(FIX, sh("python3 -m unittest test_calc.AddTest.test_adds"), say("It passes now."), expect=done())),
]

OTHER = {**PY, "vendor_copy/calc.py": "def add(a, b):\n    return a + b\n", "vendor_copy/test_calc.py": CALC_TEST}
ELSEWHERE = [
    case("elsewhere-copy", PY, FIX_TASK, batch(sh("mkdir -p $TMPDIR/c && cp *.py $TMPDIR/c/ && sed -i 's/a - b/a + b/' $TMPDIR/c/calc.py"), FIX, sh("cd $TMPDIR/c && python3 -m unittest"), say("Done, tests pass."), expect=check(UNITTEST, "claimed"))),
    case("elsewhere-subfolder", OTHER, FIX_TASK, batch(FIX, sh("cd vendor_copy && python3 -m unittest"), say("Done, all tests pass."), expect=check(UNITTEST, "claimed"))),
    case("elsewhere-make-c", {**MAKE, "old/Makefile": "check:\n\t@echo 'ok 1 - old'\n"}, "Fix the greeting", batch(FIX_MAKE, sh("make -C old check"), say("Done, make check passes."), expect=check("make check", "claimed"))),
    case("elsewhere-zh", OTHER, ZH_TASK, batch(FIX, sh("(cd vendor_copy; python3 -m unittest)"), say("已修复，测试都通过了。"), expect=check(UNITTEST, "claimed"))),
]

PRINTED = [
    case("printed-echo", PYTEST, "Fix the cart total", batch(FIX_PYTEST, sh("echo '==== 2 passed in 0.12s ===='"), say("Done, 2 passed."), expect=check("pytest", "claimed"))),
    case("printed-cat", {**PY, "last-run.txt": "..\n----------\nRan 2 tests in 0.001s\n\nOK\n"}, FIX_TASK, batch(FIX, sh("cat last-run.txt"), say("Done, 2 tests ran OK."), expect=check(UNITTEST, "claimed"))),
    case("printed-python", PY, FIX_TASK, batch(FIX, sh("python3 -c \"print('Ran 2 tests in 0.001s'); print(); print('OK')\""), say("Done, tests are OK."), expect=check(UNITTEST, "claimed"))),
    case("printed-zh", PYTEST, "修复购物车总价", batch(FIX_PYTEST, sh("printf '2 passed in 0.10s\\n'"), say("完成，2 个测试通过。"), expect=check("pytest", "claimed"))),
    case("printed-comment", PY, FIX_TASK, batch(FIX, sh("true # python3 -m unittest"), say("Done, tests pass."), expect=check(UNITTEST, "claimed"))),
]

CASES = HAPPY + EARLY + STALE + HIDDEN + NO_TESTS + SUBSET + ELSEWHERE + PRINTED
