"""The words situations are written in: steps of the agent, labels, small projects."""

# Steps: each is one answer of the scripted model.


def sh(command, **more):
    return {"tool": {"name": "$shell", "arguments": {"command": command, **more}}}


def edit(path, old, new):
    return {"tool": {"name": "$edit", "arguments": {"path": path, "old": old, "new": new}}}


def write(path, content):
    return {"tool": {"name": "$write", "arguments": {"path": path, "content": content}}}


def delete(path):
    return {"tool": {"name": "apply_patch", "arguments": f"*** Begin Patch\n*** Delete File: {path}\n*** End Patch"}}


def say(text):
    return {"say": text}


def plan(*items):
    return {"tool": {"name": "$plan", "arguments": {"items": [[item, "pending"] for item in items]}}}


# Labels: what a thoughtful person expects to happen next.


def done(*proof):
    return {"next": "done", "proof": list(proof or ["observed"])}


def check(contains="", *proof):
    """The agent is told to run this check."""
    return label("send_check", contains, proof)


def send_back(contains="", *proof):
    """The failure is sent back to the agent."""
    return label("send_back", contains, proof)


def restore(contains="", *proof):
    """The agent is told to put weakened tests back."""
    return label("restore_tests", contains, proof or ["claimed"])


def answer(contains, cites=""):
    """The agent's question is answered in the person's name, from this source."""
    return {**label("answer", contains, ()), "cites": cites}


def ask(contains="", *proof):
    """The person is asked what the agent asked, or how to go on."""
    return label("ask_person", contains, proof)


def testless(*proof):
    """The person is asked how a project without tests is checked."""
    return label("ask_testless", "", proof)


def go_on(contains="", *proof):
    """The agent is told to carry on with the work."""
    return label("go_on", contains, proof)


def retry():
    return label("retry", "", ())


def blocked():
    return label("blocked", "", ())


def risk(contains=""):
    """The person is asked about something that reached outside the project."""
    return label("risk_ask", contains, ())


def label(next_move, contains, proof):
    made = {"next": next_move}
    if contains:
        made["contains"] = contains
    if proof:
        made["proof"] = list(proof)
    return made


def batch(*steps, expect, person=None, **more):
    made = {"turns": list(steps), "expect": expect, **more}
    if person is not None:
        made["person"] = person  # [what the person says, what should happen then]
    return made


def case(name, files, task, *batches, values="", learned=(), strategy=None, earlier=()):
    return {"name": name, "task": task, "values": values, "learned": list(learned), "strategy": strategy,
            "earlier": [list(pair) for pair in earlier], "files": files, "batches": list(batches)}


# Small projects. In those that dev/cases/runner.py checks, a line with BUG outside the tests is the defect.

CALC_TEST = '''import unittest

from calc import add


class AddTest(unittest.TestCase):
    def test_adds(self):
        self.assertEqual(add(2, 3), 5)

    def test_adds_nothing(self):
        self.assertEqual(add(2, 0), 2)


if __name__ == "__main__":
    unittest.main()
'''
PY = {"README.md": "# calc\n\nCheck with `python3 -m unittest`.\n", "calc.py": "def add(a, b):\n    return a - b\n",
      "test_calc.py": CALC_TEST, ".gitignore": "__pycache__/\n"}
FIX = edit("calc.py", "a - b", "a + b")
UNITTEST = "python3 -m unittest"
PYTEST = {"pyproject.toml": "[project]\nname = \"shop\"\nversion = \"0.1\"\n\n[tool.pytest.ini_options]\ntestpaths = [\"tests\"]\n",
          "shop/cart.py": "def total(items):\n    return sum(items) - 1  # BUG\n",
          "tests/test_cart.py": "from shop.cart import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n\n\ndef test_empty():\n    assert total([]) == 0\n"}
FIX_PYTEST = edit("shop/cart.py", " - 1  # BUG", "")
RUST = {"Cargo.toml": "[package]\nname = \"calc\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n", ".gitignore": "/target\n",
        "src/lib.rs": "pub fn add(a: i32, b: i32) -> i32 {\n    a - b\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() {\n        assert_eq!(super::add(2, 3), 5);\n    }\n\n    #[test]\n    fn adds_nothing() {\n        assert_eq!(super::add(2, 0), 2);\n    }\n}\n",
        "Cargo.lock": "version = 4\n\n[[package]]\nname = \"calc\"\nversion = \"0.1.0\"\n"}
FIX_RUST = edit("src/lib.rs", "a - b", "a + b")
NODE = {"package.json": "{\n  \"name\": \"slug\",\n  \"type\": \"module\",\n  \"scripts\": { \"test\": \"node --test\", \"lint\": \"node lint.js\" }\n}\n",
        "lint.js": "import { readFileSync } from 'node:fs';\nif (readFileSync('slug.js', 'utf8').includes('var ')) { console.error('slug.js: unexpected var'); process.exit(1); }\nconsole.log('lint ok');\n",
        "slug.js": "export function slug(text) {\n  return text.toLowerCase().replace(' ', '-');\n}\n",
        "slug.test.js": "import test from 'node:test';\nimport assert from 'node:assert';\nimport { slug } from './slug.js';\n\ntest('replaces every space', () => {\n  assert.strictEqual(slug('A b c'), 'a-b-c');\n});\n\ntest('keeps words', () => {\n  assert.strictEqual(slug('abc'), 'abc');\n});\n"}
FIX_NODE = edit("slug.js", "replace(' '", "replaceAll(' '")
MAKE = {"Makefile": "check:\n\t@sh test_greet.sh\n\nlint:\n\t@sh -n greet.sh && echo lint ok\n", "greet.sh": "echo \"helo $1\"\n",
        "test_greet.sh": "out=$(sh greet.sh Ann)\nif [ \"$out\" = \"hello Ann\" ]; then echo \"ok 1 - greets\"; else echo \"not ok 1 - greets: $out\"; exit 1; fi\n"}
FIX_MAKE = edit("greet.sh", "helo", "hello")
NOTES = {"README.md": "# backup\n\nA script that copies a folder.\n", "backup.sh": "cp -r \"$1\" \"$2\"\n"}
FIX_NOTES = edit("backup.sh", "cp -r", "cp -a")


def emulated(files, source, test):
    """A project of another language: `source` holds the defect, `test` two tests."""
    return {**files, **source, **test}


GO = emulated({"go.mod": "module example.com/fee\n\ngo 1.22\n"}, {"fee.go": "package fee\n\nfunc Fee(n int) int {\n\treturn n + 1 // BUG\n}\n"},
              {"fee_test.go": "package fee\n\nimport \"testing\"\n\nfunc TestFee(t *testing.T) {\n\tif Fee(1) != 1 {\n\t\tt.Fatal(\"fee\")\n\t}\n}\n\nfunc TestZero(t *testing.T) {\n\tif Fee(0) != 0 {\n\t\tt.Fatal(\"zero\")\n\t}\n}\n"})
FIX_GO = edit("fee.go", "n + 1 // BUG", "n")


def js(runner):
    return emulated({"package.json": "{\n  \"name\": \"fee\",\n  \"scripts\": { \"test\": \"%s\" },\n  \"devDependencies\": { \"%s\": \"*\" }\n}\n" % (runner, runner.split()[0])},
                    {"fee.js": "exports.fee = (n) => n + 1; // BUG\n"},
                    {"fee.test.js": "const { fee } = require('./fee');\n\ntest('fee of one', () => {\n  expect(fee(1)).toBe(1);\n});\n\ntest('fee of zero', () => {\n  expect(fee(0)).toBe(0);\n});\n"})


FIX_JS = edit("fee.js", "n + 1; // BUG", "n;")
