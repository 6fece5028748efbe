"""What run.py and check_cases.py share: the cases, the ecosystems and the tools each of them needs.

Everything is inside the repository or installed by dev/setup; nothing here uses the network.
"""
import collections
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "crates/mi/tests/data/proof/cases"
PYTEST = ROOT / "dev/.tools/python"                 # a virtual environment, made by dev/setup

# Ecosystem -> programs that must be on PATH. `pytest` means the virtual environment.
ECOSYSTEMS = {
    "python": ["pytest"], "unittest": ["python3"], "node": ["node", "npm"], "monorepo": ["node", "npm"], "go": ["go"],
    "rust": ["cargo"], "c": ["cc", "make", "cmake", "ctest"], "shell": ["bats", "make"], "ruby": ["ruby"],
    "java": ["javac", "java"], "php": ["php"], "lua": ["lua5.4"],
}
SETUP = {"pytest": "run dev/setup", "go": "apt: golang-go", "bats": "apt: bats", "cmake": "apt: cmake", "ruby": "apt: ruby ruby-minitest",
         "php": "apt: php-cli", "lua5.4": "apt: lua5.4", "javac": "apt: default-jdk-headless"}


def load(folder: Path = CASES) -> list:
    cases = []
    for path in sorted(folder.glob("*.json")):
        try:
            case = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise SystemExit(f"{path.name}: {error}") from error
        if case.get("name") != path.stem:
            raise SystemExit(f"{path.name}: name is {case.get('name')!r}")
        cases.append(case)
    return cases


def select(cases: list, only: list, ecosystems: list) -> list:
    unknown = set(ecosystems) - set(ECOSYSTEMS)
    if unknown:
        raise SystemExit(f"no such ecosystem: {', '.join(sorted(unknown))} (there are {', '.join(ECOSYSTEMS)})")
    return [c for c in cases if (not only or any(o in c["name"] for o in only)) and (not ecosystems or c["ecosystem"] in ecosystems)]


def write(base: Path, files: dict) -> None:
    """Files below `base`; a first line with #! makes one executable."""
    for name, content in files.items():
        path = base / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
        if content.startswith("#!"):
            path.chmod(0o755)


def is_probe(case: dict) -> bool:
    """A probe looks only at what `mi` makes of the agent's first message: its name is q and two digits."""
    return case["name"][0] == "q" and case["name"][1:3].isdigit()


def table(cases: list) -> str:
    labels = ("done", "notdone", "ask", "answer", "any")
    count = collections.Counter((c["ecosystem"], c["label"]) for c in cases)
    rows = [f"{'':10}" + "".join(f"{label:>9}" for label in labels) + f"{'all':>9}"]
    for name in ECOSYSTEMS:
        numbers = [count[name, label] for label in labels]
        if sum(numbers):
            rows.append(f"{name:10}" + "".join(f"{n:9}" for n in numbers) + f"{sum(numbers):9}")
    numbers = [sum(count[name, label] for name in ECOSYSTEMS) for label in labels]
    rows.append(f"{'all':10}" + "".join(f"{n:9}" for n in numbers) + f"{sum(numbers):9}")
    return "\n".join(rows)


class Tools:
    """Where the tools are and the environment they need. `work` must be writable for the agent's sandbox, so below /tmp."""

    def __init__(self, work: Path):
        self.work = work
        self.gocache = work / "gocache"
        self.cargo = os.environ.get("CARGO_HOME", os.path.expanduser("~/.cargo"))
        self.rustup = os.environ.get("RUSTUP_HOME", os.path.expanduser("~/.rustup"))

    def path(self) -> str:
        return os.pathsep.join([str(PYTEST / "bin"), os.environ.get("PATH", "/usr/bin:/bin"), self.cargo + "/bin"])

    def profile(self, more: str = "") -> str:
        """For ~/.bash_profile: a login shell begins with the system's PATH."""
        return (f'export PATH="{PYTEST}/bin:$PATH:{self.cargo}/bin"\n'
                f"export GOFLAGS=-mod=mod GOCACHE={self.gocache} CARGO_HOME={self.cargo} RUSTUP_HOME={self.rustup}\n{more}")

    def env(self, home: Path) -> dict:
        return {"PATH": self.path(), "HOME": str(home), "LANG": "C.UTF-8", "NO_COLOR": "1", "TERM": "dumb"}

    def missing(self, ecosystem: str) -> str:
        """Why an ecosystem's cases cannot be run here; empty when they can."""
        for program in ECOSYSTEMS[ecosystem]:
            if not shutil.which(program, path=self.path()) or program == "pytest" and not (PYTEST / "bin/pytest").exists():
                return f"{program} is missing ({SETUP.get(program, 'install it')})"
        if ecosystem == "ruby" and subprocess.run(["ruby", "-rminitest", "-e", "0"], capture_output=True).returncode:
            return "minitest is missing (apt: ruby-minitest)"
        return ""

    def warm(self, cases: list) -> None:
        """Compiles Go's standard library once, so that no case pays for it."""
        if not any(c["ecosystem"] == "go" for c in cases) or self.missing("go"):
            return
        with tempfile.TemporaryDirectory(dir=self.work) as folder:
            Path(folder, "go.mod").write_text("module warm\n\ngo 1.19\n")
            Path(folder, "w.go").write_text('package main\n\nimport (\n\t"errors"\n\t"fmt"\n\t"os"\n\t"sort"\n\t"strings"\n\t"strconv"\n)\n\nfunc main() { fmt.Println(errors.New(strings.ToUpper(strconv.Itoa(len(os.Args))))); sort.Ints(nil) }\n')
            Path(folder, "w_test.go").write_text('package main\n\nimport "testing"\n\nfunc TestW(t *testing.T) {}\n')
            env = {**self.env(Path(folder)), "GOCACHE": str(self.gocache), "GOFLAGS": "-mod=mod"}
            subprocess.run(["go", "test", "./..."], cwd=folder, env=env, capture_output=True, timeout=300)
            subprocess.run(["go", "vet", "./..."], cwd=folder, env=env, capture_output=True, timeout=300)
