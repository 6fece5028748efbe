#!/usr/bin/env python3
"""Labelled runs: is "done" about the task?  `mi run` above the real Codex CLI on a scripted model, one project per case.

`python3 dev/proof/run.py [--mi PATH] [--codex PATH] [--only PART …] [--ecosystem NAME …] [--part K/N] [--jobs N] [-v] [--out FILE]`

Every case in crates/mi/tests/data/proof/cases says what an honest engineer would say at the end of the agent's script:
done | notdone | ask (the person must be asked) | answer (mi must answer or go on) | any. See README.md beside this file.
The last line counts; the exit is 0 only within --max-false, --max-missed and --max-questions, and without errors.
"""
import argparse
import collections
import concurrent.futures
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import toolbox  # noqa: E402
from world import World  # noqa: E402


def objects(text: str) -> list:
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def judge(case: dict, code: int, asked: bool, answered: bool, inputs: list) -> str:
    label, done = case["label"], code == 0
    if toolbox.is_probe(case):
        went_on = len(inputs) > 1 and case["why"] in ("cont", "task")
        got = "ask" if asked else "answer" if answered or went_on else "ignored"
        return "ok" if got == label or label == "any" else f"QUESTION-{got.upper()}-NOT-{label.upper()}"
    if done and label in ("notdone", "ask"):
        return "FALSE-DONE"
    if not done and label == "done":
        return "MISSED-DONE"
    return "NOT-ASKED" if label == "ask" and code != 3 else "ok"


def run(case: dict, a, tools: toolbox.Tools) -> dict:
    world, begin = World(case, tools), time.time()
    try:
        env = world.env(MI_CODEX=a.codex, MI_HOME=str(world.home))

        def mi(*args):
            return subprocess.run([a.mi, "--home", str(world.home), *map(str, args)], env=env, cwd=world.repo, capture_output=True,
                                  text=True, errors="replace", stdin=subprocess.DEVNULL, timeout=a.timeout)
        mi("init", "--no-compile", "--values", case["values"])
        r = mi("run", "--cd", world.repo / case.get("sub", ""), "--hands", "codex", "--mind", "rules", "--json",
               *case.get("args", ["--max-batches", "6"]), *a.extra, case["task"])
        for answer in case.get("answers", []):
            if r.returncode != 3:
                break
            r = mi("answer", "--json", answer)
        end = ([e for e in objects(r.stdout) if e.get("event") == "run.finished"] or [{}])[-1]
        records = [x for p in glob.glob(str(world.home / "projects/*/evidence.jsonl")) for x in objects(Path(p).read_text())]
        first = [x for x in records if x.get("batch_id") == "b0"]
        asked = [x.get("question") for x in first if x.get("kind") == "question"]
        answered = any(x.get("kind") == "auto_answer" and x["auto_answer"].get("should_answer") for x in first)
        inputs = [x["input"] for x in records if x.get("kind") == "codex_input"]
        verdict = judge(case, r.returncode, bool(asked), answered, inputs)
        if not inputs:
            verdict = f"ERROR the agent was never started: exit {r.returncode} {r.stderr.strip()[-200:]}"
        if world.failed_edits():
            verdict = f"ERROR {world.failed_edits()[0]}"
        truth = None
        if r.returncode == 0 and case["label"] == "done" and case.get("truth"):
            truth = world.sh(case["truth"]).returncode == 0
            if not truth:                       # stopped before the honest end of the script, or an edit did not apply
                verdict = "FALSE-DONE" if case.get("early") else "ERROR the final tree is not what the case says"
        return {"name": case["name"], "ecosystem": case["ecosystem"], "label": case["label"], "why": case["why"], "verdict": verdict,
                "exit": r.returncode, "batches": end.get("batches"), "truth": truth, "proof": end.get("proof"), "left": end.get("left"),
                "inputs": inputs[1:], "asked": asked, "repeats": max(collections.Counter(inputs[1:]).values(), default=0),
                "seconds": round(time.time() - begin, 1), "stderr": r.stderr[-300:]}
    finally:
        world.close()


def show(r: dict, all_of_it: bool) -> None:
    print(f'{r["verdict"]:24} {r["name"]:32} exit={r.get("exit")} batches={r.get("batches")} {r.get("seconds", "")}s {r.get("why") or ""}'[:200])
    if all_of_it:
        print("   proof", json.dumps(r.get("proof"), ensure_ascii=False)[:600])
        for text in r.get("inputs", []):
            print("   in", text[:300].replace("\n", " / "))


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--mi", default=str(toolbox.ROOT / "target/debug/mi"))
    p.add_argument("--codex", default=str(toolbox.ROOT / "dev/.tools/node_modules/.bin/codex"))
    p.add_argument("--only", nargs="*", default=[], help="parts of names")
    p.add_argument("--ecosystem", nargs="*", default=[], help=", ".join(toolbox.ECOSYSTEMS))
    p.add_argument("--part", help="K/N: every N-th of them, from the K-th on")
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("--timeout", type=int, default=300, help="seconds for one command of mi")
    p.add_argument("--out", help="all results as JSON")
    p.add_argument("-v", action="store_true", help="every case, with its proof and what was sent to the agent")
    p.add_argument("--missing", action="store_true", help="only say what is missing, one ecosystem a line; exit 3 when something is")
    p.add_argument("extra", nargs="*", help="further words for `mi run`, after --")
    a = p.parse_args()
    work = tempfile.mkdtemp(prefix="mi-proof-")
    try:
        sys.exit(begin(a, toolbox.Tools(Path(work))))
    finally:
        shutil.rmtree(work, ignore_errors=True)


KNOWN = toolbox.CASES.parent / "known_faults.txt"


def begin(a, tools: toolbox.Tools) -> int:
    cases = [c for c in toolbox.select(toolbox.load(), a.only, a.ecosystem) if c["label"] != "any"]
    if a.part:
        k, n = map(int, a.part.split("/"))
        cases = cases[k - 1::n]
    missing = {e: reason for e in toolbox.ECOSYSTEMS if any(c["ecosystem"] == e for c in cases) and (reason := tools.missing(e))}
    for name, reason in missing.items():
        print(f"{name}: {reason}")
    if a.missing:
        return 3 if missing else 0
    if missing or not cases:
        print("nothing was run" if missing else "no such case")
        return 2
    a.mi, a.codex = os.path.abspath(a.mi), os.path.abspath(a.codex)
    for program in (a.mi, a.codex):
        if not os.access(program, os.X_OK):
            print(f"{program} is not there; build mi, run dev/setup")
            return 2
    tools.warm(cases)

    def one(case: dict) -> dict:
        try:
            return run(case, a, tools)
        except Exception as error:  # noqa: BLE001
            return {"name": case["name"], "ecosystem": case["ecosystem"], "label": case["label"], "why": case["why"], "verdict": f"ERROR {error!r}"[:200], "repeats": 0}
    results = []
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        for result in pool.map(one, cases):
            results.append(result)
            if a.v or result["verdict"] != "ok":
                show(result, a.v)
                sys.stdout.flush()
    if a.out:
        Path(a.out).write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")

    def count(*starts: str) -> int:
        return sum(r["verdict"].startswith(starts) for r in results)
    n = collections.Counter("probe" if toolbox.is_probe(c) else c["label"] for c in cases)
    false, missed, questions, errors = count("FALSE"), count("MISSED"), count("QUESTION", "NOT-ASKED"), count("ERROR")
    print(f'{len(results)} cases: false done {false} of {n["notdone"] + n["ask"]}, missed done {missed} of {n["done"]}, questions wrong {questions}, '
          f'errors {errors}, same input sent at most {max(r["repeats"] for r in results)} times')
    known = known_faults()
    new = [r["name"] for r in results if r["verdict"] != "ok" and r["name"] not in known]
    mended = [r["name"] for r in results if r["verdict"] == "ok" and r["name"] in known]
    if new:
        print(f'wrong, and not in {KNOWN.name}: {", ".join(new)}')
    if mended:
        print(f'right now, take them out of {KNOWN.name}: {", ".join(mended)}')
    return 1 if new or mended or errors else 0


def known_faults() -> dict:
    """Cases that are judged wrongly so far, with the reason."""
    rows = (line.split(": ", 1) for line in KNOWN.read_text().splitlines() if ": " in line and not line.startswith("#"))
    return dict(rows)


if __name__ == "__main__":
    main()
