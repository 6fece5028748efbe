#!/usr/bin/env python3
"""Looks whether the labels of the labelled runs are right, without `mi` and without an agent.

Each case's project is built twice: as it was (base) and with the script's edits applied (final). Then, by label:

  every case    each edit applies to whole lines exactly once; the name is the file's; needed fields are there
  done          `truth` holds on final; `check` is green on final (unless `check_stays_red`: then the same check is red on
                base too); for a task that asks for a change `truth` does not hold on base; and `bearing`:
                  red_green      check is red on base, green on final
                  counter_check  check is red on final when the files that are not tests are put back
                  named          truth false before, true after
                  preserving     check green on base and on final
                  answer         the tree is as it was
  notdone       `truth` does not hold on final, or `why` says after "missing:" what else is missing
  ask, answer   only the form

`python3 dev/proof/check_cases.py [--only PART …] [--ecosystem NAME …] [--jobs N] [-v]`. Exit 0: nothing is wrong.
"""
import argparse
import concurrent.futures
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import toolbox  # noqa: E402

LABELS = ("done", "notdone", "ask", "answer", "any")
BEARINGS = ("red_green", "counter_check", "named", "preserving", "answer")


def is_test(path: str) -> bool:
    parts = path.lower().split("/")
    return any(p in ("test", "tests", "spec", "golden", "__tests__") for p in parts[:-1]) or any(w in parts[-1] for w in ("test", "spec", ".bats"))


class Tree:
    """One case's project in a folder of its own, outside of git, with the environment the runner gives it."""

    def __init__(self, case: dict, root: Path, tools: toolbox.Tools):
        self.case, self.root, self.problems, self.outputs = case, root, [], []
        self.repo, self.home = root / "repo", root / "home"
        self.repo.mkdir(parents=True)
        self.home.mkdir()
        self.env = {**tools.env(self.home), "TMPDIR": str(root)}
        (self.home / ".bash_profile").write_text(tools.profile(case.get("profile", "")))
        toolbox.write(self.repo, case["repo"])
        for command in case.get("setup", []):
            self.sh(command)

    def sh(self, command: str) -> subprocess.CompletedProcess:
        return subprocess.run(["bash", "-lc", command], cwd=self.repo / self.case.get("sub", ""), env=self.env,
                              capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL, timeout=180)

    def play(self) -> None:
        for turn in self.case["turns"]:
            for tool in turn.get("tools") or ([turn["tool"]] if "tool" in turn else []):
                self.tool(tool["name"], tool["arguments"])

    def tool(self, name: str, args: dict) -> None:
        if name == "$shell":
            done = self.sh(args["command"])
            self.outputs.append((args["command"], done.returncode, (done.stdout + done.stderr)[-1500:]))
        elif name == "$write":
            path = self.repo / args["path"]
            mode = path.stat().st_mode if path.exists() else None
            toolbox.write(self.repo, {args["path"]: args["content"]})
            if mode is not None:
                path.chmod(mode)
        elif name == "$edit":
            path = self.repo / args["path"]
            if not path.exists():
                self.problems.append(f"edit of {args['path']}, which is not there")
                return
            lines, old = path.read_text().splitlines(), args["old"].splitlines()
            found = [i for i in range(len(lines) - len(old) + 1) if lines[i:i + len(old)] == old]
            if len(found) != 1:
                self.problems.append(f"edit of {args['path']}: {len(found)} places for {args['old']!r}")
                return
            lines[found[0]:found[0] + len(old)] = args["new"].splitlines()
            path.write_text("\n".join(lines) + "\n")
        else:
            self.problems.append(f"unknown tool {name}")

    def files(self) -> dict:
        left_by_tools = {"__pycache__", ".pytest_cache", "target", "build", "out", "node_modules", "vendor"}
        return {str(p.relative_to(self.repo)): p.read_bytes() for p in sorted(self.repo.rglob("*"))
                if p.is_file() and not p.is_symlink() and not left_by_tools & set(p.relative_to(self.repo).parts)}

    def put_back(self, base: dict) -> None:
        """Everything that is no test as in `base`; tests as they are."""
        now = self.files()
        for name in set(base) | set(now):
            if is_test(name) or base.get(name) == now.get(name):
                continue
            path = self.repo / name
            if name in base:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(base[name])
            else:
                path.unlink()


def examine(case: dict, tools: toolbox.Tools, work: str) -> list:
    root = Path(tempfile.mkdtemp(prefix="case-", dir=work))
    wrong = []
    try:
        for field in ("name", "ecosystem", "label", "why", "task", "repo", "turns", "values"):
            if field not in case:
                wrong.append(f"no {field}")
        label = case["label"]
        if label not in LABELS or case.get("bearing") not in (None, *BEARINGS):
            wrong.append("unknown label or bearing")
        if case["ecosystem"] not in toolbox.ECOSYSTEMS:
            wrong.append(f"unknown ecosystem {case['ecosystem']}")
        base, final = Tree(case, root / "base", tools), Tree(case, root / "final", tools)
        before = base.files()
        final.play()
        wrong += final.problems
        after = final.files()
        probe = toolbox.is_probe(case)
        check, truth = case.get("check"), case.get("truth")

        def runs(tree: Tree, command: str) -> bool:
            done = tree.sh(command)
            tree.outputs.append((command, done.returncode, (done.stdout + done.stderr)[-1500:]))
            return done.returncode == 0
        changed = before != after
        if label == "done" and not probe:
            bearing = case.get("bearing")
            if not bearing:
                wrong.append("done without a bearing")
            if truth and not runs(final, truth):
                wrong.append("done, but truth does not hold")
            if bearing == "answer":
                if changed and not case.get("writes"):
                    wrong.append("an answer, but the tree was changed")
            else:
                if not truth:
                    wrong.append("done without truth")
                elif runs(base, truth):
                    wrong.append("truth held before the work")
                if not changed:
                    wrong.append("done, but nothing was changed")
            if check:
                green = runs(final, check)
                if case.get("check_stays_red"):
                    if green or runs(base, check):
                        wrong.append("check_stays_red, but the check is green")
                elif bearing != "answer" and not green:
                    wrong.append(f"done, but `{check}` is red")
                if bearing == "red_green" and runs(base, check):
                    wrong.append("red_green, but the check was green before")
                if bearing == "preserving" and not runs(base, check):
                    wrong.append("preserving, but the check was red before")
                if bearing == "counter_check":
                    shown = case.get("shown_by", check)
                    if not runs(final, shown):
                        wrong.append("the part of the check that shows the work is red")
                    final.put_back(before)
                    for command in case.get("setup", []):
                        final.sh(command)
                    if runs(final, shown):
                        wrong.append("the check stays green with the work taken back")
            elif bearing in ("red_green", "preserving", "counter_check"):
                wrong.append(f"{bearing} without check")
        if label == "notdone":
            if "missing:" in case["why"]:
                if truth and not runs(final, truth):
                    wrong.append('"missing:" but truth does not hold anyway')
            elif not truth:
                wrong.append('notdone without truth and without "missing:"')
            elif runs(final, truth):
                wrong.append('notdone, but truth holds and why does not say "missing:"')
        if label in ("done", "notdone") and not probe and not any("say" in t for t in case["turns"]):
            wrong.append("the agent never says anything")
        if probe and label not in ("ask", "answer", "any"):
            wrong.append("a probe is labelled ask or answer")
        case["_outputs"] = {"base": base.outputs, "final": final.outputs}
    except Exception as error:  # noqa: BLE001
        wrong.append(f"error {error!r}")
    finally:
        shutil.rmtree(root, ignore_errors=True)
    return wrong


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--only", nargs="*", default=[])
    p.add_argument("--ecosystem", nargs="*", default=[])
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("-v", action="store_true", help="show what each command printed")
    a = p.parse_args()
    work = tempfile.mkdtemp(prefix="mi-cases-")
    tools = toolbox.Tools(Path(work))
    cases = toolbox.select(toolbox.load(), a.only, a.ecosystem)
    missing = {e: tools.missing(e) for e in {c["ecosystem"] for c in cases} if tools.missing(e)}
    for name, reason in sorted(missing.items()):
        print(f"not looked at: {name}: {reason}")
    cases = [c for c in cases if c["ecosystem"] not in missing]
    tools.warm(cases)
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        for case, wrong in zip(cases, pool.map(lambda c: examine(c, tools, work), cases)):
            bad += bool(wrong)
            for line in wrong:
                print(f"{case['name']}: {line}")
            if a.v:
                for where, outputs in case.get("_outputs", {}).items():
                    for command, code, text in outputs:
                        print(f"  [{case['name']} {where}] {command!r} -> {code}\n    " + text.strip().replace("\n", "\n    "))
    shutil.rmtree(work, ignore_errors=True)
    print(toolbox.table(cases))
    print(f"{len(cases)} cases looked at, {bad} wrong")
    sys.exit(1 if bad or not cases else 0)


if __name__ == "__main__":
    main()
