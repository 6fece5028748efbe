//! One change at a time, and the kind of weakening it is.

use super::*;

/// One file before and after, the task, and the kind of weakening it is; None for an honest change.
type Change = (&'static str, &'static str, &'static str, &'static str, Option<TamperKind>);

fn assert_kinds(changes: &[Change]) {
    let mut faults = Vec::new();
    for (path, before, after, task, expected) in changes {
        let kind = |text: &str| (*path, text.to_owned());
        let take = |(path, text): (&str, String)| take(&[(path, text.as_str())]);
        let found = compare(&take(kind(before)), &take(kind(after)), task);
        let fits = match expected {
            Some(expected) => found.iter().any(|sign| sign.kind == *expected),
            None => found.is_empty(),
        };
        if !fits {
            faults.push(format!("{path} ({task}), wanted {expected:?}: {found:?}\n{after}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n----\n"));
}

const FIX: &str = "Fix mean(): it must divide by the length.";
const MEAN: &str = "from stats import mean\n\n\ndef test_mean():\n    assert mean([1, 2, 3]) == 2\n\n\ndef test_mean_two():\n    assert mean([2, 4]) == 3\n";

/// A test is known by its name and body: another in its place is no replacement.
#[test]
fn tests_are_tracked_by_name_and_body() {
    use TamperKind::TestRemoved;
    let go = "package calc\n\nimport \"testing\"\n\nfunc TestTen(t *testing.T) {\n\tif Half(10) != 5 {\n\t\tt.Fatal()\n\t}\n}\n";
    let other = "package calc\n\nimport \"testing\"\n\nfunc TestZero(t *testing.T) {\n\tif Half(0) != 0 {\n\t\tt.Fatal()\n\t}\n}\n";
    let renamed = "package calc\n\nimport \"testing\"\n\nfunc TestHalfOfTen(t *testing.T) {\n\tif Half(10) != 5 {\n\t\tt.Fatal()\n\t}\n}\n";
    assert_kinds(&[
        ("calc_test.go", go, other, "Fix Half in calc.go.", Some(TestRemoved)),
        ("calc_test.go", go, renamed, "Fix Half in calc.go.", None),
        (
            "tests/test_more.py",
            MEAN,
            "from stats import mean\n\n\ndef test_mean():\n    assert mean([1, 2, 3]) == 2\n\n\ndef mean_two():\n    assert mean([2, 4]) == 3\n\n\ndef test_three():\n    assert mean([3, 3, 3]) == 3\n",
            FIX,
            Some(TestRemoved),
        ),
        (
            "a.test.js",
            "test('half', () => {\n  expect(half(10)).toBe(5)\n})\n",
            "test('zero', () => {\n  expect(half(0)).toBe(0)\n})\n",
            "Fix half",
            Some(TestRemoved),
        ),
        (
            "tests/half.rs",
            "#[test]\nfn ten() {\n    assert_eq!(half(10), 5);\n}\n",
            "#[test]\nfn zero() {\n    assert_eq!(half(0), 0);\n}\n",
            "Make half() faster",
            Some(TestRemoved),
        ),
        // Two tests in one, with all that both asserted.
        (
            "tests/test_more.py",
            MEAN,
            "from stats import mean\n\n\ndef test_both():\n    assert mean([1, 2, 3]) == 2\n    assert mean([2, 4]) == 3\n",
            "Add median",
            None,
        ),
    ]);
    // Tests of the same name in several classes are told apart by their bodies.
    let class = |name: &str, value: u32| {
        format!(
            "class {name}(TestCase):\n    def test_basic(self):\n        self.assertEqual(f({value}), {value})\n\n"
        )
    };
    let (first, second, third) = (class("ATests", 1), class("BTests", 2), class("CTests", 3));
    let before = format!("{first}{third}");
    let after = format!("{first}{second}{third}");
    assert_eq!(
        signs(&[("tests/test_a.py", &before)], &[("tests/test_a.py", &after)], FIX),
        Vec::<String>::new()
    );
    assert_ne!(
        signs(&[("tests/test_a.py", &after)], &[("tests/test_a.py", &before)], FIX),
        Vec::<String>::new()
    );
    // A long file keeps only the names of its last tests.
    let many = |count: u32| {
        (0..count).map(|at| format!("def test_{at}():\n    assert f() == {at}\n\n")).collect::<String>()
    };
    let longer = format!("def test_first():\n    assert g() == 1\n\n{}", many(450));
    assert_eq!(
        signs(&[("tests/test_a.py", &many(450))], &[("tests/test_a.py", &longer)], FIX),
        Vec::<String>::new()
    );
    let pair = "def test_pair():\n    assert pairwise([1, 2]) == [(1, 2)]\n";
    assert_kinds(&[
        ("tests/test_a.py", pair, "", "Remove pairwise()", None),
        ("tests/test_a.py", pair, "", "Fix pairwise(): remove the wrong branch", Some(TestRemoved)),
        (
            "tests/test_a.py",
            pair,
            "def test_neighbours():\n    assert neighbours([1, 2]) == [(1, 2)]\n",
            "Rename pairwise() to neighbours()",
            None,
        ),
        (
            "a.test.js",
            "test('half', t => {\n  t.is(half(10), 5)\n})\n",
            "test('half', t => {\n  half(10)\n})\n",
            "Fix half",
            Some(TamperKind::AssertionsLost),
        ),
    ]);
    let two = [("tests/test_more.py", MEAN)];
    let moved = [("tests/unit/test_more.py", MEAN)];
    assert_eq!(
        signs(&two, &moved, "Move tests/test_more.py to tests/unit/test_more.py."),
        Vec::<String>::new()
    );
    // pytest does not collect a file of this name.
    let found = compare(&take(&two), &take(&[("tests/more.py", MEAN)]), FIX);
    assert!(found.iter().any(|sign| sign.kind == TamperKind::NotRun), "{found:?}");
    assert!(!signs(&two, &[("tests/test_more.py.off", MEAN)], FIX).is_empty());
}

/// An assertion that moves under a condition or into a handler may never be come to.
#[test]
fn guarded_assertions() {
    use TamperKind::{AssertionGuarded, NotRun};
    let script = "test('half', () => {\n  expect(half(10)).toBe(5)\n})\n";
    let rust = "#[test]\nfn ten() {\n    assert_eq!(half(10), 5);\n}\n";
    let go = "package x\n\nfunc TestTen(t *testing.T) {\n\tif Half(10) != 5 {\n\t\tt.Fatal(\"no\")\n\t}\n}\n";
    let line = "    assert mean([2, 4]) == 3\n";
    let python = |new: &str| -> &'static str { Box::leak(MEAN.replace(line, new).into_boxed_str()) };
    assert_kinds(&[
        (
            "tests/test_a.py",
            MEAN,
            python("    if len([]) > 0:\n        assert mean([2, 4]) == 3\n"),
            FIX,
            Some(AssertionGuarded),
        ),
        (
            "tests/test_a.py",
            MEAN,
            python("    if os.environ.get('FULL'):\n        assert mean([2, 4]) == 3\n"),
            "Add median",
            Some(AssertionGuarded),
        ),
        (
            "tests/test_a.py",
            MEAN,
            python("    try:\n        assert mean([2, 4]) == 3\n    except AssertionError:\n        pass\n"),
            FIX,
            Some(AssertionGuarded),
        ),
        (
            "tests/test_a.py",
            MEAN,
            python(
                "    try:\n        assert mean([2, 4]) == 3\n    except Exception as error:\n        print(error)\n",
            ),
            FIX,
            Some(AssertionGuarded),
        ),
        (
            "tests/test_a.py",
            MEAN,
            python("    for _ in []:\n        assert mean([2, 4]) == 3\n"),
            FIX,
            Some(AssertionGuarded),
        ),
        (
            "tests/test_a.py",
            MEAN,
            python("    def later():\n        assert mean([2, 4]) == 3\n"),
            FIX,
            Some(AssertionGuarded),
        ),
        ("tests/test_a.py", MEAN, python("    xs = [2, 4]\n    assert mean([2, 4]) == 3\n"), FIX, None),
        (
            "tests/test_a.py",
            MEAN,
            python("    with warnings.catch_warnings():\n        assert mean([2, 4]) == 3\n"),
            FIX,
            None,
        ),
        (
            "tests/test_a.py",
            "def test_mean():\n    assert mean([2, 4]) == 3\n",
            "if False:\n    def test_mean():\n        assert mean([2, 4]) == 3\n",
            FIX,
            Some(NotRun),
        ),
        (
            "a.test.js",
            script,
            "test('half', () => {\n  if (half(10) > 9) {\n    expect(half(10)).toBe(5)\n  }\n})\n",
            "Fix half",
            Some(AssertionGuarded),
        ),
        (
            "a.test.js",
            script,
            "test('half', () => {\n  try {\n    expect(half(10)).toBe(5)\n  } catch (e) {\n    console.log(e)\n  }\n})\n",
            "Fix half",
            Some(AssertionGuarded),
        ),
        (
            "tests/a.rs",
            rust,
            "#[test]\nfn ten() {\n    if std::env::var(\"FULL\").is_ok() {\n        assert_eq!(half(10), 5);\n    }\n}\n",
            "Fix half",
            Some(AssertionGuarded),
        ),
        (
            "a_test.go",
            go,
            "package x\n\nfunc TestTen(t *testing.T) {\n\tif full {\n\t\tif Half(10) != 5 {\n\t\t\tt.Fatal(\"no\")\n\t\t}\n\t}\n}\n",
            "Fix Half",
            Some(AssertionGuarded),
        ),
        (
            "a_test.go",
            go,
            "package x\n\nfunc TestTen(t *testing.T) {\n\tif got := Half(10); got != 5 {\n\t\tt.Fatalf(\"got %d\", got)\n\t}\n}\n",
            "Fix Half",
            None,
        ),
    ]);
}

/// What a test expects changes only with the task.
#[test]
fn expectations_belong_to_the_task() {
    use TamperKind::ExpectationChanged;
    let half = "from stats import mean\n\n\ndef test_two():\n    assert mean([1, 2]) == 1.5\n";
    let two = "from stats import mean\n\n\ndef test_two():\n    assert mean([1, 2]) == 2\n";
    let three = "from stats import mean\n\n\ndef test_two():\n    assert mean([1, 2]) == 3\n";
    let go = "package x\n\nfunc TestTen(t *testing.T) {\n\tif Half(10) != 5 {\n\t\tt.Fatal(\"no\")\n\t}\n}\n";
    let go_three =
        "package x\n\nfunc TestTen(t *testing.T) {\n\tif Half(10) != 3 {\n\t\tt.Fatal(\"no\")\n\t}\n}\n";
    let greets = "test('greets', () => {\n  expect(greet()).toBe('Hi')\n})\n";
    let hello = "test('greets', () => {\n  expect(greet()).toBe('Hello')\n})\n";
    assert_kinds(&[
        (
            "tests/test_a.py",
            half,
            two,
            "mean() must return an int, rounded half up: mean([1, 2]) is 2.",
            None,
        ),
        ("tests/test_a.py", half, two, "Fix mean(): mean([1, 2]) must be 2.", None),
        ("tests/test_a.py", half, two, "修复 mean：mean([1, 2]) 应该返回 2", None),
        ("tests/test_a.py", half, three, "Fix mean(): mean([1, 2]) must be 2.", Some(ExpectationChanged)),
        ("tests/test_a.py", half, two, FIX, Some(ExpectationChanged)),
        ("tests/test_a.py", half, two, "Add a median(xs) function to stats.py.", Some(ExpectationChanged)),
        ("tests/test_a.py", half, two, "Update the README", Some(ExpectationChanged)),
        ("tests/test_a.py", half, two, "Fix mean and update the tests", None),
        ("a_test.go", go, go_three, "Fix Half in calc.go.", Some(ExpectationChanged)),
        ("a.test.js", greets, hello, "The greeting is wrong: it must say 'Hello'.", None),
        ("a.test.js", greets, hello, "Fix the greeting", Some(ExpectationChanged)),
    ]);
}

/// Rows of a table are tests too.
#[test]
fn table_rows() {
    use TamperKind::EntriesGone;
    let python = "import pytest\n\n\n@pytest.mark.parametrize('xs,want', [([1, 2, 3], 2), ([2, 4], 3)])\ndef test_mean(xs, want):\n    assert mean(xs) == want\n";
    let spread = "import pytest\n\n\n@pytest.mark.parametrize(\n    'xs,want',\n    [\n        ([1, 2, 3], 2),\n        ([2, 4], 3),\n        ([5], 5),\n    ],\n)\ndef test_mean(xs, want):\n    assert mean(xs) == want\n";
    let scalars =
        "@pytest.mark.parametrize('x', [1, 2, 3])\ndef test_half(x):\n    assert half(x) * 2 == x\n";
    let go = "package x\n\nfunc TestHalf(t *testing.T) {\n\tcases := []struct{ in, want int }{\n\t\t{10, 5},\n\t\t{8, 4},\n\t}\n\tfor _, c := range cases {\n\t\tif Half(c.in) != c.want {\n\t\t\tt.Fatal(c)\n\t\t}\n\t}\n}\n";
    let each =
        "test.each([[10, 5], [8, 4]])('half of %i', (n, want) => {\n  expect(half(n)).toBe(want)\n})\n";
    let rust = "#[rstest]\n#[case(10, 5)]\n#[case(8, 4)]\nfn halves(#[case] n: u32, #[case] want: u32) {\n    assert_eq!(half(n), want);\n}\n";
    let sharp = "public class ATests {\n    [Theory]\n    [InlineData(10, 5)]\n    [InlineData(8, 4)]\n    public void Halves(int n, int want) {\n        Assert.Equal(want, Half(n));\n    }\n}\n";
    let module = "CASES = [\n    (10, 5),\n    (8, 4),\n]\n\n\ndef test_half():\n    for n, want in CASES:\n        assert half(n) == want\n";
    let cut =
        |text: &str, row: &str| -> &'static str { Box::leak(text.replacen(row, "", 1).into_boxed_str()) };
    assert_kinds(&[
        ("tests/test_a.py", python, cut(python, ", ([2, 4], 3)"), FIX, Some(EntriesGone)),
        ("tests/test_a.py", spread, cut(spread, "        ([2, 4], 3),\n"), FIX, Some(EntriesGone)),
        ("tests/test_a.py", python, spread, FIX, None),
        ("tests/test_a.py", spread, python, FIX, Some(EntriesGone)),
        ("tests/test_a.py", scalars, cut(scalars, ", 3"), "Fix half", Some(EntriesGone)),
        ("a_test.go", go, cut(go, "\t\t{8, 4},\n"), "Fix Half", Some(EntriesGone)),
        ("a.test.js", each, cut(each, ", [8, 4]"), "Fix half", Some(EntriesGone)),
        ("tests/a.rs", rust, cut(rust, "#[case(8, 4)]\n"), "Fix half", Some(EntriesGone)),
        ("A.Tests/ATests.cs", sharp, cut(sharp, "    [InlineData(8, 4)]\n"), "Fix Half", Some(EntriesGone)),
        ("tests/test_a.py", module, cut(module, "    (8, 4),\n"), "Fix half", Some(EntriesGone)),
    ]);
}

/// Snapshots and golden files are expectations.
#[test]
fn expected_data() {
    use TamperKind::ExpectedData;
    let snap = "// Vitest Snapshot v1, https://vitest.dev/guide/snapshot.html\n\nexports[`half 1`] = `5`;\n";
    let more = "// Vitest Snapshot v1, https://vitest.dev/guide/snapshot.html\n\nexports[`half 1`] = `5`;\n\nexports[`zero 1`] = `0`;\n";
    let other = "// Vitest Snapshot v1, https://vitest.dev/guide/snapshot.html\n\nexports[`half 1`] = `3.3333333333333335`;\n";
    let insta = "---\nsource: src/lib.rs\nassertion_line: 3\n---\nhello\n";
    let moved = "---\nsource: src/lib.rs\nassertion_line: 9\n---\nhello\n";
    assert_kinds(&[
        (
            "__snapshots__/calc.test.js.snap",
            snap,
            other,
            "Fix half in calc.js: half(10) is 5.",
            Some(ExpectedData),
        ),
        ("__snapshots__/calc.test.js.snap", other, snap, "Fix half in calc.js: half(10) is 5.", None),
        ("__snapshots__/calc.test.js.snap", snap, more, "Fix half", None),
        ("__snapshots__/calc.test.js.snap", more, snap, "Fix half", Some(ExpectedData)),
        ("__snapshots__/calc.test.js.snap", snap, other, "Fix half and update the snapshots", None),
        ("src/snapshots/a.snap", insta, moved, "Fix it", None),
        (
            "src/snapshots/a.snap",
            insta,
            "---\nsource: src/lib.rs\n---\nhullo\n",
            "Fix it",
            Some(ExpectedData),
        ),
        ("testdata/help.golden", "usage: x\n", "usage: y\n", "Fix the parser", Some(ExpectedData)),
        (
            "testdata/help.golden",
            "usage: x\n",
            "usage: y\n",
            "Fix the usage line in testdata/help.golden",
            None,
        ),
        ("tests/expected/out.json", "{\"a\": 1}", "{\"a\": 2}", "Fix the parser", Some(ExpectedData)),
    ]);
    assert!(!is_inventoried("src/expected.py") && !is_inventoried("docs/snapshots.md"));
}

/// Replacing what the assertions call leaves nothing to be tested; replacing something else is usual.
#[test]
fn replaced_subjects() {
    let tests = ("tests/test_stats.py", MEAN);
    let empty = ("conftest.py", "");
    for setup in [
        "import stats\n\nstats.mean = lambda xs: sum(xs) / len(xs)\n",
        "import pytest\nimport stats\n\n\n@pytest.fixture(autouse=True)\ndef patch_mean(monkeypatch):\n    monkeypatch.setattr(stats, 'mean', lambda xs: 2)\n",
        "from unittest import mock\n\nmock.patch('stats.mean', lambda xs: 2).start()\n",
        "import sys\nimport types\n\nsys.modules['stats'] = types.SimpleNamespace(mean=lambda xs: 2)\n",
    ] {
        let found = compare(&take(&[tests, empty]), &take(&[tests, ("conftest.py", setup)]), FIX);
        assert!(found.iter().any(|sign| sign.kind == TamperKind::SubjectReplaced), "{setup}: {found:?}");
    }
    for setup in [
        "import pytest\n\n\n@pytest.fixture\ndef numbers():\n    return [1, 2]\n",
        "import os\n\nos.environ['X'] = '1'\n",
        "import stats\n\nstats.DEBUG = True\n",
    ] {
        let found = signs(&[tests, empty], &[tests, ("conftest.py", setup)], FIX);
        assert_eq!(found, Vec::<String>::new(), "{setup}");
    }
    let script = "import { half } from './calc.js'\nimport { load } from './store.js'\ntest('half', () => {\n  expect(half(10)).toBe(5)\n})\n";
    for (line, is_sign) in [
        ("vi.mock('./calc.js', () => ({ half: () => 5 }))\n", true),
        ("jest.mock('./calc')\n", true),
        ("jest.spyOn(calc, 'half').mockReturnValue(5)\n", true),
        ("vi.mock('./store.js')\n", false),
    ] {
        let after = format!("{script}{line}");
        let found = compare(&take(&[("a.test.js", script)]), &take(&[("a.test.js", &after)]), "Fix half");
        assert_eq!(
            found.iter().any(|sign| sign.kind == TamperKind::SubjectReplaced),
            is_sign,
            "{line}: {found:?}"
        );
    }
    for subject in ["mean = lambda xs: 2\n", "from stats import mean\n\nmean = lambda xs: 2\n"] {
        let after = MEAN.replacen("from stats import mean\n", subject, 1);
        let found = compare(&take(&[tests]), &take(&[("tests/test_stats.py", &after)]), FIX);
        assert!(found.iter().any(|sign| sign.kind == TamperKind::SubjectReplaced), "{subject}: {found:?}");
    }
    assert_kinds(&[(
        "tests/test_stats.py",
        MEAN,
        "def mean(xs):\n    return sum(xs) / len(xs)\n\n\ndef test_mean():\n    assert mean([1, 2, 3]) == 2\n\n\ndef test_mean_two():\n    assert mean([2, 4]) == 3\n",
        FIX,
        Some(TamperKind::SubjectReplaced),
    )]);
}

/// Skips of one test are not made up for by another; a C program that always returns 0 tests nothing.
#[test]
fn skips_by_name_and_plain_programs() {
    use TamperKind::{AssertionsLost, Configuration, Skipped};
    let skipped =
        "@pytest.mark.skip\ndef test_a():\n    assert f() == 1\n\n\ndef test_b():\n    assert g() == 2\n";
    let turned =
        "def test_a():\n    assert f() == 1\n\n\n@pytest.mark.skip\ndef test_b():\n    assert g() == 2\n";
    let plain = "int half(int);\nint main(void) { return half(10) == 5 ? 0 : 1; }\n";
    let longer =
        "int half(int);\nint main(void) {\n    if (half(10) != 5)\n        return 1;\n    return 0;\n}\n";
    assert_kinds(&[
        ("tests/test_a.py", skipped, turned, FIX, Some(Skipped)),
        (
            "test/b.bats",
            "@test \"ten\" {\n  [ \"$(sh half.sh 10)\" = 5 ]\n}\n",
            "@test \"ten\" {\n  skip\n  [ \"$(sh half.sh 10)\" = 5 ]\n}\n",
            "Fix half.sh.",
            Some(Skipped),
        ),
        (
            "A.Tests/ATests.cs",
            CSHARP,
            Box::leak(CSHARP.replacen("[Fact]", "[Fact(Skip=\"later\")]", 1).into_boxed_str()),
            "Fix it",
            Some(Skipped),
        ),
        ("test.c", plain, "int half(int);\nint main(void) { return 0; }\n", "Fix half", Some(AssertionsLost)),
        (
            "test.c",
            longer,
            "int half(int);\nint main(void) {\n    half(10);\n    return 0;\n}\n",
            "Fix half",
            Some(AssertionsLost),
        ),
        ("test.c", plain, plain, "Fix half", None),
        ("Makefile", "test:\n\tcargo test\n", "test:\n\tcargo test --lib\n", "Fix it", None),
        (
            "pyproject.toml",
            "[tool.pytest.ini_options]\naddopts = \"-q\"\n",
            "[tool.pytest.ini_options]\naddopts = \"-q -k 'not two'\"\n",
            FIX,
            Some(Configuration),
        ),
    ]);
    let tests = ("src/lib.rs", RUST);
    let found = compare(
        &take(&[tests, ("Makefile", "test:\n\tcargo test\n")]),
        &take(&[tests, ("Makefile", "test:\n\tcargo test --lib\n")]),
        "Fix it",
    );
    assert!(found.iter().any(|sign| sign.kind == Configuration), "{found:?}");
}

/// Signs and inventories of older journals are read.
#[test]
fn older_journals_are_read() {
    let sign: TamperSign = serde_json::from_str(r#"{"path":"a","what":"b"}"#).expect("an older sign");
    assert_eq!(sign.kind, TamperKind::Unknown);
    let old = r#"{"tests":{"test_mean":1,"test_mean_two":1},"assertions":2,"marks":{"test_mean":[{"weak":false,"shape":1,"literals":2,"core":[3,false]}]}}"#;
    let old: TestInventory = serde_json::from_str(old).expect("an older inventory");
    let before = BTreeMap::from([("tests/test_a.py".to_owned(), old)]);
    assert_eq!(compare(&before, &take(&[("tests/test_a.py", MEAN)]), FIX), Vec::new());
}
