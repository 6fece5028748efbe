//! Before and after of test files and configuration, and the signs found.

use super::*;

mod kinds;

fn take(files: &[(&str, &str)]) -> BTreeMap<String, TestInventory> {
    let one = |(path, text): &(&str, &str)| Some(((*path).to_owned(), inventory(path, text)?));
    files.iter().filter_map(one).collect()
}

fn signs(before: &[(&str, &str)], after: &[(&str, &str)], task: &str) -> Vec<String> {
    compare(&take(before), &take(after), task).into_iter().map(|sign| sign.what).collect()
}

const RUST: &str = "#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() {\n        assert_eq!(add(1, 2), 3);\n        assert!(add(0, 0) == 0);\n    }\n\n    #[test]\n    fn subtracts() {\n        assert_eq!(sub(2, 1), 1);\n    }\n}\n";
const PYTHON: &str = "import pytest\n\ndef test_one():\n    assert one() == 1\n    assert two() == 2\n\n\nclass TestThing:\n    def test_two(self):\n        self.assertEqual(1, one())\n";
const SCRIPT: &str = "import { expect, it } from 'vitest'\n\ndescribe('a', () => {\n  it('adds', () => {\n    expect(add(1, 2)).toBe(3)\n  })\n  it('throws', () => {\n    expect(() => add()).toThrow()\n  })\n})\n";
const GO: &str = "package a\n\nfunc TestAdd(t *testing.T) {\n\tif add(1, 2) != 3 {\n\t\tt.Fatalf(\"bad\")\n\t}\n}\n\nfunc TestSub(t *testing.T) {\n\trequire.Equal(t, 1, sub(2, 1))\n}\n";
const JAVA: &str = "class ATest {\n    @Test\n    void adds() {\n        assertEquals(3, add(1, 2));\n    }\n    @Test\n    void subs() {\n        assertThat(sub(2, 1)).isEqualTo(1);\n    }\n}\n";
const RUBY: &str = "describe A do\n  it 'adds' do\n    expect(add(1, 2)).to eq(3)\n  end\n  it 'subs' do\n    expect(sub(2, 1)).to eq(1)\n  end\nend\n";
const PHP: &str = "<?php\nclass ATest extends TestCase {\n    public function testAdds() {\n        $this->assertSame(3, add(1, 2));\n    }\n    public function testSubs() {\n        self::assertSame(1, sub(2, 1));\n    }\n}\n";
const CSHARP: &str = "public class ATests {\n    [Fact]\n    public void Adds() {\n        Assert.Equal(3, Add(1, 2));\n    }\n    [Fact]\n    public void Subs() {\n        Assert.Equal(1, Sub(2, 1));\n    }\n}\n";
const SWIFT: &str = "final class ATests: XCTestCase {\n    func testAdds() {\n        XCTAssertEqual(add(1, 2), 3)\n    }\n    func testSubs() {\n        XCTAssertEqual(sub(2, 1), 1)\n    }\n}\n";
const BATS: &str = "@test \"adds\" {\n  run ./add 1 2\n  [ \"$output\" = \"3\" ]\n}\n@test \"subs\" {\n  run ./sub 2 1\n  [ \"$output\" = \"1\" ]\n}\n";

/// Path, source, and the two names of its tests with the assertions of each.
type Source = (&'static str, &'static str, [(&'static str, u32); 2]);

const SOURCES: [Source; 10] = [
    ("src/lib.rs", RUST, [("adds", 2), ("subtracts", 1)]),
    ("tests/test_a.py", PYTHON, [("test_one", 2), ("test_two", 1)]),
    ("src/a.test.ts", SCRIPT, [("adds", 1), ("throws", 1)]),
    ("a_test.go", GO, [("TestAdd", 1), ("TestSub", 1)]),
    ("src/test/java/ATest.java", JAVA, [("adds", 1), ("subs", 1)]),
    ("spec/a_spec.rb", RUBY, [("adds", 1), ("subs", 1)]),
    ("tests/ATest.php", PHP, [("testAdds", 1), ("testSubs", 1)]),
    ("A.Tests/ATests.cs", CSHARP, [("Adds", 1), ("Subs", 1)]),
    ("Tests/ATests.swift", SWIFT, [("testAdds", 1), ("testSubs", 1)]),
    ("test/a.bats", BATS, [("adds", 1), ("subs", 1)]),
];

/// Tests and assertions are found in every language.
#[test]
fn inventories() {
    for (path, source, tests) in SOURCES {
        let found = inventory(path, source).unwrap_or_default();
        let expected: BTreeMap<String, u32> =
            tests.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
        assert!(is_inventoried(path), "{path}");
        let counts: BTreeMap<String, u32> =
            found.tests.iter().map(|(name, case)| (name.clone(), case.assertions)).collect();
        assert_eq!((counts, found.skips, found.trivial), (expected, 0, 0), "{path}");
    }
    assert_eq!(inventory("src/main.rs", "fn main() { assert!(x); }"), None);
    assert!(!is_inventoried("src/app.py") && !is_inventoried("target/debug/build/x/tests/a.rs"));
}

/// In every language: a deleted file, a moved file, a renamed test, an added test.
#[test]
fn deleting_is_a_sign_and_moving_is_none() {
    for (path, source, tests) in SOURCES {
        assert!(!signs(&[(path, source)], &[], "Fix the bug").is_empty(), "{path}");
        let moved = format!("tests/moved/{}", path.rsplit('/').next().unwrap_or(path));
        assert_eq!(
            signs(&[(path, source)], &[(&moved, source)], "Fix the bug"),
            Vec::<String>::new(),
            "{path}"
        );
        let renamed = source.replace(tests[0].0, &format!("{}Renamed", tests[0].0));
        assert_eq!(signs(&[(path, source)], &[(path, &renamed)], ""), Vec::<String>::new(), "{path}");
        assert_eq!(signs(&[], &[(path, source)], ""), Vec::<String>::new(), "{path}");
        let asked = format!("Delete the obsolete file {path} please.");
        assert_eq!(signs(&[(path, source)], &[], &asked), Vec::<String>::new(), "{path}");
    }
}

/// In every language: a skip, an assertion that cannot fail, a comment around an assertion.
#[test]
fn weakening_by_language() {
    let skip = |what: &str| what.starts_with("skipped or narrowed tests");
    let trivial = |what: &str| what.starts_with("assertions that cannot fail");
    let fewer = |what: &str| what.starts_with("assertions went from");
    type Found = fn(&str) -> bool;
    let cases: [(usize, &str, &str, Found); 34] = [
        (0, "#[test]\n    fn adds", "#[test]\n    #[ignore]\n    fn adds", skip),
        (0, "assert_eq!(add(1, 2), 3);", "assert!(true);", trivial),
        (0, "assert_eq!(add(1, 2), 3);", "// assert_eq!(add(1, 2), 3);", fewer),
        (0, "assert_eq!(add(1, 2), 3);", "/* assert_eq!(add(1, 2), 3); */", fewer),
        (1, "def test_one", "@pytest.mark.skip(reason='flaky')\ndef test_one", skip),
        (1, "def test_one", "@pytest.mark.xfail\ndef test_one", skip),
        (1, "    assert one() == 1", "    pytest.skip('later')\n    assert one() == 1", skip),
        (1, "assert one() == 1", "assert True", trivial),
        (1, "assert one() == 1", "# assert one() == 1", fewer),
        (2, "it('adds'", "it.skip('adds'", skip),
        (2, "it('adds'", "xit('adds'", skip),
        (2, "it('adds'", "it.only('adds'", skip),
        (2, "describe('a'", "describe.skip('a'", skip),
        (2, "expect(add(1, 2)).toBe(3)", "expect(true).toBe(true)", trivial),
        (2, "expect(add(1, 2)).toBe(3)", "add(1, 2)", fewer),
        (3, "func TestAdd(t *testing.T) {\n", "func TestAdd(t *testing.T) {\n\tt.Skip(\"later\")\n", skip),
        (3, "t.Fatalf(\"bad\")", "t.Logf(\"bad\")", fewer),
        (3, "require.Equal(t, 1, sub(2, 1))", "require.True(t, true)", trivial),
        (4, "@Test\n    void adds", "@Disabled\n    @Test\n    void adds", skip),
        (4, "assertEquals(3, add(1, 2));", "assertTrue(true);", trivial),
        (4, "assertEquals(3, add(1, 2));", "add(1, 2);", fewer),
        (5, "it 'adds' do", "xit 'adds' do", skip),
        (5, "it 'adds' do\n", "it 'adds' do\n    pending 'later'\n", skip),
        (5, "expect(add(1, 2)).to eq(3)", "expect(true).to be(true)", trivial),
        (6, "$this->assertSame(3, add(1, 2));", "$this->markTestSkipped('later');", skip),
        (6, "$this->assertSame(3, add(1, 2));", "$this->assertTrue(true);", trivial),
        (6, "$this->assertSame(3, add(1, 2));", "add(1, 2);", fewer),
        (7, "[Fact]\n    public void Adds", "[Fact(Skip = \"later\")]\n    public void Adds", skip),
        (7, "Assert.Equal(3, Add(1, 2));", "Assert.True(true);", trivial),
        (8, "func testAdds() {\n", "func testAdds() throws {\n        throw XCTSkip(\"later\")\n", skip),
        (8, "XCTAssertEqual(add(1, 2), 3)", "XCTAssertTrue(true)", trivial),
        (8, "XCTAssertEqual(add(1, 2), 3)", "_ = add(1, 2)", fewer),
        (9, "@test \"adds\" {\n", "@test \"adds\" {\n  skip \"later\"\n", skip),
        (9, "[ \"$output\" = \"3\" ]", "[ \"$output\" = \"3\" ] || true", trivial),
    ];
    for (index, from, to, expected) in cases {
        let (path, source, _) = SOURCES[index];
        let changed = source.replacen(from, to, 1);
        assert_ne!(changed, source, "{path}: {from}");
        let found = signs(&[(path, source)], &[(path, &changed)], "Fix the bug");
        assert!(found.iter().any(|what| expected(what)), "{path}: {to}: {found:?}");
    }
}

/// A test that keeps its name and loses its assertions is a sign, even when another test gains as many.
#[test]
fn emptied_tests_are_a_sign() {
    let before = "def test_a():\n    assert f() == 1\n";
    let after = "def test_a():\n    f()\n\ndef test_b():\n    assert g() == 1\n    assert h() == 1\n";
    let found = signs(&[("tests/test_a.py", before)], &[("tests/test_a.py", after)], "");
    assert_eq!(found, ["tests without assertions now: `test_a`"]);
}

/// Where something is to be mended, a test that now expects something else is a sign; layout and additions are none.
#[test]
fn altered_expectations() {
    let before = "def test_a():\n    assert f(1) == 5\n";
    let other = "def test_a():\n    assert f(1) == -1\n";
    let more =
        "def test_a():\n    assert (\n        f(1) == 5\n    )\n    assert f(1) == 5\n    assert f(2) == 6\n";
    let expect = "expected values changed: `test_a`";
    for (after, task, expected) in [
        (other, "Fix f", vec![expect]),
        (other, "修复 f", vec![expect]),
        (other, "Fix f so that all tests pass", vec![expect]),
        (other, "Fix the wrong expectation in the tests", vec![]),
        (other, "f should return -1 instead of 5", vec![]),
        (more, "Fix f", vec![]),
    ] {
        let found = signs(&[("tests/test_a.py", before)], &[("tests/test_a.py", after)], task);
        assert_eq!(found, expected, "{task}");
    }
    let one_line = RUST.replace(
        "assert_eq!(add(1, 2), 3);",
        "assert_eq!(\n            add(1, 2),\n            3,\n        );",
    );
    assert_eq!(signs(&[("src/lib.rs", RUST)], &[("src/lib.rs", &one_line)], "Fix add"), Vec::<String>::new());
    let spread = one_line.replace("            3,\n", "            4,\n");
    for before in [RUST, &one_line] {
        assert_eq!(
            signs(&[("src/lib.rs", before)], &[("src/lib.rs", &spread)], "Fix add"),
            ["expected values changed: `adds`"]
        );
    }
}

/// Only the assertion counts, not what else a test says around it.
#[test]
fn other_literals_of_a_test_are_no_expectations() {
    let before = "it('adds', () => {\n  const x = 1;\n  expect(\n    add(x, 2)\n  ).toBe(3);\n});\n";
    let after = "it('adds', () => {\n  const x = 1;\n  log('now 7');\n  expect(add(x, 2)).toBe(3);\n});\n";
    let other = after.replace("toBe(3)", "toBe(4)");
    let found = |after: &str| signs(&[("a.test.js", before)], &[("a.test.js", after)], "Fix add");
    assert_eq!(found(after), Vec::<String>::new());
    assert_eq!(found(&other), ["expected values changed: `adds`"]);
    let chained = "it('adds', () => {\n  expect(add(x, 2))\n    .toBe(3);\n});\n";
    let other = chained.replace("toBe(3)", "toBe(4)");
    assert_eq!(
        signs(&[("a.test.js", chained)], &[("a.test.js", &other)], "Fix add"),
        ["expected values changed: `adds`"]
    );
}

/// What the task asks for by name is no sign; a warning about it is no permission.
#[test]
fn permission_of_the_task() {
    let path = "tests/test_a.py";
    let before = "def test_old():\n    assert f() == 1\n\ndef test_new():\n    assert g() == 1\n";
    let after = "def test_new():\n    assert g() == 1\n";
    for (task, expected) in [
        ("Remove the obsolete test_old test.", 0),
        ("删除过时的测试 test_old", 0),
        ("Fix test_old.", 2),
        ("Fix the bug, but do not delete test_old.", 2),
        ("不要删除 test_old，修复它", 2),
        ("Remove dead code", 2),
    ] {
        let found = signs(&[(path, before)], &[(path, after)], task);
        assert_eq!(found.len(), expected, "{task}: {found:?}");
    }
}

/// Configuration that leaves tests or failures out.
#[test]
fn configuration() {
    for (path, before, after) in [
        ("pytest.ini", "[pytest]\naddopts = -q\n", "[pytest]\naddopts = -q --ignore=tests/slow\n"),
        (
            "pyproject.toml",
            "[tool.pytest.ini_options]\naddopts = \"-q\"\n",
            "[tool.pytest.ini_options]\naddopts = \"-q -k 'not flaky'\"\n",
        ),
        (
            "setup.cfg",
            "[tool:pytest]\naddopts =\n    -q\n",
            "[tool:pytest]\naddopts =\n    -q\n    --deselect tests/a.py::test_b\n",
        ),
        ("tests/conftest.py", "import pytest\n", "import pytest\ncollect_ignore = ['test_a.py']\n"),
        ("package.json", r#"{"scripts":{"test":"jest"}}"#, r#"{"scripts":{"test":"true"}}"#),
        ("package.json", r#"{"scripts":{"test":"jest"}}"#, r#"{"scripts":{"test":"exit 0"}}"#),
        ("package.json", r#"{"scripts":{"test":"jest"}}"#, r#"{"scripts":{"test":"echo ok"}}"#),
        ("package.json", r#"{"scripts":{"test":"jest"}}"#, r#"{"scripts":{"test":"jest || true"}}"#),
        ("package.json", r#"{"scripts":{"test":"jest"}}"#, r#"{"scripts":{"build":"tsc"}}"#),
        (
            "package.json",
            r#"{"scripts":{"test":"jest"}}"#,
            r#"{"scripts":{"test":"jest"},"jest":{"testPathIgnorePatterns":["legacy"]}}"#,
        ),
        (
            "jest.config.js",
            "module.exports = {\n  testPathIgnorePatterns: ['/node_modules/'],\n}\n",
            "module.exports = {\n  testPathIgnorePatterns: ['/node_modules/', 'src/auth'],\n}\n",
        ),
        (
            "vitest.config.ts",
            "export default { test: {} }\n",
            "export default { test: {\n  exclude: [\n    'src/auth.test.ts',\n  ],\n} }\n",
        ),
        ("Makefile", "test:\n\tcargo test\n", "test:\n\t@true\n"),
        ("Makefile", "test:\n\tcargo test\n", "test:\n\t-cargo test\n"),
        ("Makefile", "test:\n\tcargo test\n", "test:\n\tcargo test || true\n"),
        ("Makefile", "test:\n\tcargo test\n", "all:\n\tcargo build\n"),
        (
            ".github/workflows/ci.yml",
            "steps:\n  - run: cargo test\n",
            "steps:\n  - run: cargo test\n    continue-on-error: true\n",
        ),
        (
            ".github/workflows/ci.yml",
            "steps:\n  - run: cargo test\n  - run: cargo nextest run\n",
            "steps:\n  - run: cargo nextest run\n",
        ),
        (
            "Cargo.toml",
            "[package]\nname = \"a\"\n",
            "[package]\nname = \"a\"\n[[test]]\nname = \"t\"\ntest = false\n",
        ),
        (
            ".config/nextest.toml",
            "[profile.default]\n",
            "[profile.default]\ndefault-filter = 'not test(slow)'\n",
        ),
        (
            "CMakeLists.txt",
            "add_test(NAME a COMMAND a)\n",
            "add_test(NAME a COMMAND a)\nset_tests_properties(a PROPERTIES WILL_FAIL TRUE)\n",
        ),
        (
            "CMakeLists.txt",
            "add_test(NAME a COMMAND a)\nadd_test(NAME b COMMAND b)\n",
            "add_test(NAME b COMMAND b)\n",
        ),
        ("Makefile", "test:\n\tcargo test\n", "MAKEFLAGS += -i\ntest:\n\tcargo test\n"),
        (".cargo/config.toml", "[build]\n", "[target.x86_64-unknown-linux-gnu]\nrunner = \"true\"\n"),
        ("pom.xml", "<project/>", "<project>\n<skipTests>true</skipTests>\n</project>"),
        ("build.gradle", "test {}\n", "test {\n  ignoreFailures = true\n}\n"),
    ] {
        assert!(is_inventoried(path), "{path}");
        assert!(!signs(&[(path, before)], &[(path, after)], "").is_empty(), "{path}\n{after}");
        assert_eq!(
            signs(&[(path, after)], &[(path, before)], "")
                .iter()
                .filter(|what| what.contains("leaves out"))
                .count(),
            0,
            "{path}"
        );
    }
    for (path, before, after) in [
        ("pytest.ini", "[pytest]\naddopts = -q\n", "[pytest]\naddopts = -q -v --strict-markers\n"),
        (
            "package.json",
            r#"{"scripts":{"test":"jest"}}"#,
            r#"{"scripts":{"test":"vitest run","lint":"eslint"},"dependencies":{"a":"1"}}"#,
        ),
        ("Makefile", "test:\n\tcargo test\n", "test:\n\t@echo testing\n\tcargo test --workspace\n"),
        (
            ".github/workflows/ci.yml",
            "steps:\n  - run: cargo test\n",
            "steps:\n  - run: cargo test --workspace\n",
        ),
        (
            "Cargo.toml",
            "[package]\nversion = \"1\"\n",
            "[package]\nversion = \"2\"\n[dependencies]\nserde = \"1\"\n",
        ),
    ] {
        assert_eq!(signs(&[(path, before)], &[(path, after)], ""), Vec::<String>::new(), "{path}");
    }
}

/// A module that takes the runner's place is a sign.
#[test]
fn shadowed_runner() {
    let found = signs(&[], &[("pytest.py", "print('5 passed in 0.1s')\n")], "Fix the bug");
    assert_eq!(found, ["configuration now leaves out: `this module takes the test runner's place`"]);
}

/// An inventory survives the journal.
#[test]
fn inventories_are_journalled() {
    let taken = take(&[("src/lib.rs", RUST), ("pytest.ini", "[pytest]\naddopts = -k x\n")]);
    let text = serde_json::to_string(&taken).expect("plain data");
    assert_eq!(
        serde_json::from_str::<BTreeMap<String, TestInventory>>(&text).expect("what was written"),
        taken
    );
}

proptest::proptest! {
    /// Any content of any file is read without a panic, and comparing it with itself finds nothing.
    #[test]
    fn any_content_is_read(
        path in "(src/lib\\.rs|tests/test_a\\.py|a\\.test\\.ts|a_test\\.go|ATest\\.java|a_spec\\.rb|ATest\\.php|ATests\\.cs|ATests\\.swift|a\\.bats|tests/a\\.cpp|package\\.json|Makefile|pytest\\.ini|jest\\.config\\.js|\\.github/workflows/a\\.yml|CMakeLists\\.txt)",
        content in "(?s)(#\\[test\\]|fn |def test|it\\(|expect\\(|assert|\"\"\"|/\\*|\\*/|'|\"|`|\n|\t|\\{|\\}|:|\\[|addopts|test:|.){0,60}",
    ) {
        let taken: BTreeMap<String, TestInventory> =
            inventory(&path, &content).into_iter().map(|inventory| (path.clone(), inventory)).collect();
        proptest::prop_assert!(compare(&taken, &taken, &content).is_empty());
        let _ = compare(&taken, &BTreeMap::new(), &content);
        let _ = compare(&BTreeMap::new(), &taken, &content);
    }
}

const CALC: &str = "import unittest\n\nclass T(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(1, 2), 3)\n    def test_zero(self):\n        self.assertEqual(add(0, 0), 0)\n";

/// Tests that keep their names and counts, and cannot fail as before.
#[test]
fn quietly_weaker_tests() {
    let line = "        self.assertEqual(add(1, 2), 3)\n";
    let python = |new: &str| ("test_calc.py", CALC.to_owned(), CALC.replacen(line, new, 1));
    let plain = "def test_add():\n    assert add(1,2)==3\n";
    let rust = "#[test]\nfn adds(){ assert_eq!(add(1,2),3); }\n";
    let script = "test('adds',()=>{ expect(add(1,2)).toBe(3); });\n";
    let go = "package x\nfunc TestAdd(t *testing.T){\n\tif Add(1,2)!=3 { t.Fatal(\"bad\") }\n}\n";
    let of = |path: &'static str, old: &str, from: &str, to: &str| {
        (path, old.to_owned(), old.replacen(from, to, 1))
    };
    for (path, old, new) in [
        python(&format!("        return\n{line}")),
        python(
            "        try:\n            self.assertEqual(add(1, 2), 3)\n        except AssertionError:\n            pass\n",
        ),
        python("        self.assertIsNotNone(add(1, 2))\n"),
        python("        self.assertEqual(add(1, 2), -1)\n"),
        of("tests/test_a.py", plain, "==3", "==3 or True"),
        of("tests/test_a.py", plain, "==3", ""),
        of("tests/t.rs", rust, "#[test]\n", "#[test]\n#[should_panic]\n"),
        of("a.test.js", script, "toBe(3)", "toBeDefined()"),
        of("a_test.go", go, "package x", "//go:build never\n\npackage x"),
        of("Cargo.toml", "[package]\nname = \"x\"\n", "[package]", "[lib]\ntest=false\n[package]"),
        of(
            "pom.xml",
            "<project><build/></project>",
            "<build/>",
            "<maven.test.failure.ignore>true</maven.test.failure.ignore>",
        ),
        of("verify.sh", "#!/bin/sh\ngrep -q plus add.txt\n", "grep -q plus add.txt", "exit 0"),
    ] {
        assert_ne!(old, new, "{path}");
        assert!(
            !signs(&[(path, &old)], &[(path, &new)], "Make the failing test pass").is_empty(),
            "{path}\n{new}"
        );
        assert!(signs(&[(path, &old)], &[(path, &old)], "Make the failing test pass").is_empty(), "{path}");
    }
    let tests = ("tests/test_a.py", plain);
    let narrowed = [("pyproject.toml", "[tool.pytest.ini_options]\ntestpaths = [\"nothing\"]\n"), tests];
    assert!(!signs(&[tests], &narrowed, "Fix it").is_empty());
    let make = ("Makefile", "check:\n\t./go.sh\n");
    let gutted = signs(&[make, ("go.sh", "./run\n")], &[make, ("go.sh", "true\n")], "Fix it");
    assert_eq!(gutted, ["the check's own script was changed"]);
}

/// Renames, added tests and assertions, and what the task asks for are no signs.
#[test]
fn honest_changes_are_no_signs() {
    let renamed = CALC.replace("add(", "plus(");
    let added =
        CALC.replace("    def test_zero", "        self.assertEqual(add(2, 2), 4)\n    def test_zero");
    let more = format!("{CALC}    def test_none(self):\n        self.assertIsNotNone(add(1, 1))\n");
    let early = CALC.replace(
        "        self.assertEqual(add(1, 2), 3)\n",
        "        if skip_it():\n            return\n        self.assertEqual(add(1, 2), 3)\n",
    );
    for new in [&renamed, &added, &more, &early] {
        let found = signs(&[("test_calc.py", CALC)], &[("test_calc.py", new)], "Fix the bug");
        assert_eq!(found, Vec::<String>::new(), "{new}");
    }
    let other = CALC.replace("2), 3)", "2), 4)");
    for task in ["Let add() carry one more", "Fix add; test_add is wrong", "Fix add and update the tests"] {
        let found = signs(&[("test_calc.py", CALC)], &[("test_calc.py", &other)], task);
        assert_eq!(found, Vec::<String>::new(), "{task}");
    }
    let panics = "#[test]\n#[should_panic]\nfn panics() { run(); }\n";
    assert!(
        signs(&[("tests/a.rs", RUST)], &[("tests/a.rs", &format!("{RUST}{panics}"))], "Fix it").is_empty()
    );
    let script = |text: &'static str| [("verify.sh", text)];
    assert!(signs(&script("a\n"), &script("b\n"), "Rewrite verify.sh").is_empty());
    assert!(signs(&[("deploy.sh", "a\n")], &[("deploy.sh", "b\n")], "Fix it").is_empty());
}

/// 00-overview, point 3: an assertion that is still there to read, and is not come to, cannot fail, or asks another thing.
#[test]
fn assertions_that_only_look_alive() {
    let line = "        self.assertEqual(add(1, 2), 3)\n";
    let python = |new: &str| ("test_calc.py", CALC.to_owned(), CALC.replacen(line, new, 1));
    let file = |from: &str, to: &str| ("test_calc.py", CALC.to_owned(), CALC.replacen(from, to, 1));
    let rust = "use x::a;\n\n#[test]\nfn adds() {\n    assert_eq!(a(), 2);\n}\n\n#[test]\nfn other() {\n    assert_eq!(b(), 7);\n}\n";
    let inner = format!("#[cfg(test)]\nmod t {{\n{rust}}}\n");
    let of = |path: &'static str, old: &str, from: &str, to: &str| {
        (path, old.to_owned(), old.replacen(from, to, 1))
    };
    let script =
        "test('a', () => {\n  expect(f()).toBe(2)\n})\ntest('b', () => {\n  expect(g()).toBe(2)\n})\n";
    for (path, old, new) in [
        python("        pass # self.assertEqual(add(1, 2), 3)\n"),
        python("        pass  # TODO: self.assertEqual(add(1, 2), 3)\n"),
        python("        if False:\n            self.assertEqual(add(1, 2), 3)\n"),
        python("        if False: self.assertEqual(add(1, 2), 3)\n"),
        python("        True or self.assertEqual(add(1, 2), 3)\n"),
        python("        lambda: self.assertEqual(add(1, 2), 3)\n"),
        python(
            "        with self.assertRaises(AssertionError):\n            self.assertEqual(add(1, 2), 3)\n",
        ),
        python("        self.assertEqual(add(1, 2), add(1, 2))\n"),
        python("        self.assertAlmostEqual(add(1, 2), 3, delta=100)\n"),
        python("        self.assertIn(add(1, 2), (3, -1))\n"),
        python("        self.assertNotEqual(add(1, 2), 3)\n"),
        file("import unittest", "import sys; sys.exit(0)\nimport unittest"),
        file(
            "import unittest\n",
            "import unittest\ndef load_tests(a, b, c):\n    return unittest.TestSuite()\n",
        ),
        file("unittest.TestCase", "object"),
        of("a.test.js", script, "expect(f()).toBe(2)", "f() // expect(f()).toBe(2)"),
        of("a.test.js", script, "expect(f()).toBe(2)", "if (false) expect(f()).toBe(2)"),
        of("a.test.js", script, "expect(f()).toBe(2)", "expect(f()).not.toBe(3)"),
        of("tests/a.rs", rust, "assert_eq!(a(), 2);", "a(); // assert_eq!(a(), 2);"),
        of("tests/a.rs", rust, "assert_eq!(a(), 2);", "if false { assert_eq!(a(), 2); }"),
        of("tests/a.rs", rust, "assert_eq!(a(), 2);", "assert_ne!(a(), 2);"),
        of("tests/a.rs", rust, "use x::a;", "#![cfg(feature = \"never\")]\nuse x::a;"),
        of("tests/a.rs", rust, "#[test]\nfn adds", "#[cfg(windows)]\n#[test]\nfn adds"),
        of("tests/a.rs", rust, "#[test]\nfn adds", "#[test]\n#[cfg_attr(all(), ignore)]\nfn adds"),
        of("src/lib.rs", &inner, "#[cfg(test)]", "#[cfg(all(test, feature = \"slow\"))]"),
    ] {
        assert_ne!(old, new, "{path}");
        assert!(!signs(&[(path, &old)], &[(path, &new)], "Fix the failing test").is_empty(), "{path}\n{new}");
    }
    let tests = ("a.test.js", script);
    for (path, before, after) in [
        (
            "jest.config.js",
            "module.exports = { verbose: true };\n",
            "module.exports = { verbose: true, testPathIgnorePatterns: [\"a.test.js\"] };\n",
        ),
        ("jest.config.js", "", "module.exports = {\n  testMatch: [\"**/never/*.js\"],\n};\n"),
        ("vitest.config.ts", "", "export default {test:{exclude:[\"a.test.js\"]}}\n"),
        ("unittest/__main__.py", "", "print('OK')\n"),
        ("sitecustomize.py", "", "import os; os._exit(0)\n"),
    ] {
        let old: Vec<_> = [tests, (path, before)].into_iter().filter(|(_, text)| !text.is_empty()).collect();
        assert!(!signs(&old, &[tests, (path, after)], "Fix it").is_empty(), "{path}\n{after}");
    }
}

/// Comments, messages, renames, new tests and new settings that leave nothing out are no signs.
#[test]
fn honest_edits_beside_assertions_are_no_signs() {
    let rust = "fn helper<'a>(x: &'a str) -> &'a str { x }\n\n#[test]\nfn adds() {\n    assert_eq!(a(), 2);\n    assert_eq!(url(), \"http://x\"); // as told\n}\n";
    let script = "test('a', () => {\n  expect(f()).toBe('http://x#y')\n})\n";
    for (path, old, from, to) in [
        ("tests/a.rs", rust, "assert_eq!(a(), 2);", "assert_eq!(a(), 2); // both halves"),
        ("tests/a.rs", rust, "assert_eq!(a(), 2);", "assert_eq!(a(), 2, \"a is two\");"),
        ("tests/a.rs", rust, "assert_eq!(a(), 2);", "assert_eq!(calc::a(), 2);"),
        (
            "tests/a.rs",
            rust,
            "#[test]\nfn adds",
            "#[cfg(unix)]\n#[test]\nfn more() {\n    assert_eq!(c(), 4);\n}\n\n#[test]\nfn adds",
        ),
        ("tests/a.rs", rust, "fn helper", "#[cfg(unix)]\nfn other() {}\nfn helper"),
        ("a.test.js", script, "expect(f())", "expect(await f())"),
        (
            "test_calc.py",
            CALC,
            "        self.assertEqual(add(1, 2), 3)\n",
            "        self.assertEqual(add(1, 2), 3)  # plain\n        self.assertEqual(add(2, 2), 4)\n",
        ),
        (
            "test_calc.py",
            CALC,
            "    def test_zero",
            "    def test_text(self):\n        self.assertEqual(add('#', 'a'), '#a')\n    def test_zero",
        ),
        (
            "test_calc.py",
            CALC,
            "import unittest\n",
            "import sys\nimport unittest\n\nif __name__ == '__main__':\n    sys.exit(unittest.main())\n",
        ),
    ] {
        let new = old.replacen(from, to, 1);
        assert_ne!(old, new, "{path} {from}");
        let found = signs(&[(path, old)], &[(path, &new)], "Fix the bug");
        assert_eq!(found, Vec::<String>::new(), "{path}\n{new}");
    }
    let tests = ("a.test.js", script);
    let config = "export default { test: { include: ['**/*.test.js'], coverage: { include: ['src/**'] }, environment: 'node' } }\n";
    assert_eq!(signs(&[tests], &[tests, ("vitest.config.ts", config)], "Fix it"), Vec::<String>::new());
}
