"""Stands in for test runners that are not installed: counts the project's tests, finds a line with BUG outside them, and
prints what that runner would print, with its exit code. Used only to make the labelled cases."""

import os
import re
import sys

TESTS = r"^\s*(?:func Test(\w+)|def (test_\w+)|(?:it|test)\(['\"](.+?)['\"]|@Test|\[Fact\]|it ['\"](.+?)['\"]|public function (test\w+)|add_test\((\w+)|func (test\w+))"
SKIPS = r"@pytest\.mark\.(skip|xfail)|\b(it|test|describe)\.skip\(|\bxit\(|t\.Skip\("


def look(arguments):
    """(names of tests, skipped tests, files with the defect)"""
    wanted = None
    for flag in ("-k", "-run", "-t", "--filter", "--tests", "-e", "--grep"):
        if flag in arguments[:-1]:
            wanted = arguments[arguments.index(flag) + 1].lower()
    paths = [argument.split("::")[0] for argument in arguments if os.path.exists(argument.split("::")[0])] or ["."]
    names, skipped, broken = [], 0, []
    for folder, folders, files in os.walk("."):
        folders[:] = [name for name in folders if not name.startswith(".") and name != "node_modules"]
        for file in files:
            path = os.path.normpath(os.path.join(folder, file))
            text = open(path, errors="replace").read()
            is_test = "test" in path.lower() or "spec" in path.lower()
            if not is_test and "BUG" in text:
                broken.append(path)
            elif is_test and any(path.startswith(os.path.normpath(given)) or given == "." for given in paths):
                found = [next((part for part in match if part), "case") for match in re.findall(TESTS, text, re.M)]
                found = [name for name in found if not wanted or wanted in name.lower()]
                skips = min(len(re.findall(SKIPS, text)), len(found))
                skipped += skips
                names += found[skips:]
    return names, skipped, broken


def show(runner, names, skipped, broken):
    """(text, exit code)"""
    total, bad = len(names), len(broken) and len(names) and 1
    good = total - bad
    where = broken[0] if broken else ""
    skip = lambda text: text.format(skipped) if skipped else ""
    if runner == "pytest":
        head = f"============================= test session starts ==============================\ncollected {total + skipped} items\n\n"
        if not total and not skipped:
            return head + "============================ no tests ran in 0.01s =============================", 5
        if bad:
            return head + f"FAILED tests/test_cart.py::{names[0]} - AssertionError: {where}\n========================= {bad} failed, {good} passed{skip(', {} skipped')} in 0.05s =========================", 1
        return head + f"============================== {good} passed{skip(', {} skipped')} in 0.03s ===============================", 0
    if runner == "go":
        if not total:
            return "testing: warning: no tests to run\nPASS\nok  \texample.com/fee\t0.002s [no tests to run]", 0
        return ("--- FAIL: TestFee (0.00s)\n    fee_test.go:7: fee\nFAIL\nFAIL\texample.com/fee\t0.002s\nFAIL", 1) if bad else ("ok  \texample.com/fee\t0.002s", 0)
    if runner == "jest":
        if not total and not skipped:
            return "No tests found, exiting with code 0", 0
        counts = f"Tests:       {f'{bad} failed, ' if bad else ''}{skip('{} skipped, ')}{good} passed, {total + skipped} total"
        return f"{'FAIL' if bad else 'PASS'} ./fee.test.js\n\nTest Suites: {'1 failed, ' if bad else ''}{'' if bad else '1 passed, '}1 total\n{counts}\nSnapshots:   0 total\nTime:        0.41 s\nRan all test suites.", int(bool(bad))
    if runner == "vitest":
        return f" {'FAIL' if bad else '✓'} fee.test.js ({total} tests)\n\n Test Files  1 {'failed' if bad else 'passed'} (1)\n      Tests  {f'{bad} failed | ' if bad else ''}{good} passed ({total})\n   Duration  210ms", int(bool(bad))
    if runner == "mocha":
        return f"\n  {good} passing (6ms)\n" + (f"  {bad} failing\n" if bad else ""), bad
    if runner == "rspec":
        return f"{'F' if bad else '.'}{'.' * good}\n\nFinished in 0.003 seconds\n{total} examples, {bad} failures", int(bool(bad))
    if runner == "phpunit":
        return (f"PHPUnit 11.2.1 by Sebastian Bergmann and contributors.\n\nFAILURES!\nTests: {total}, Assertions: {total}, Failures: {bad}.", 1) if bad else (f"PHPUnit 11.2.1 by Sebastian Bergmann and contributors.\n\nOK ({total} tests, {total} assertions)", 0)
    if runner == "dotnet":
        word = "Failed" if bad else "Passed"
        return f"{word}!  - Failed:     {bad}, Passed:     {good}, Skipped:     0, Total:     {total}, Duration: 12 ms - Fee.Tests.dll (net8.0)", int(bool(bad))
    if runner == "gradle":
        return ("> Task :test FAILED\n\nBUILD FAILED in 2s\n2 actionable tasks: 2 executed", 1) if bad else ("> Task :compileJava\n> Task :test\n\nBUILD SUCCESSFUL in 2s\n2 actionable tasks: 2 executed", 0)
    if runner == "mvn":
        line = f"[INFO] Tests run: {total}, Failures: {bad}, Errors: 0, Skipped: 0"
        return f"[INFO] Running com.example.FeeTest\n{line}\n[INFO] {'BUILD FAILURE' if bad else 'BUILD SUCCESS'}", int(bool(bad))
    if runner == "ctest":
        return f"Test project /home/dev/app/build\n    Start 1: fee\n1/{total} Test #1: fee ...   {'***Failed' if bad else 'Passed'}    0.00 sec\n\n{100 if not bad else 50}% tests passed, {bad} tests failed out of {total}", 8 if bad else 0
    if runner == "swift":
        return f"Test Suite 'All tests' {'failed' if bad else 'passed'} at 2026-01-01 10:00:00.000.\n\t Executed {total} tests, with {bad} failures (0 unexpected) in 0.002 (0.003) seconds", int(bool(bad))
    if runner == "cargo-nextest":
        return f"    Starting {total} tests across 1 binary\n        PASS [   0.003s] calc tests::adds\n------------\n     Summary [   0.004s] {total} tests run: {good} passed, 0 skipped", int(bool(bad))
    return f"{runner}: ok", 0


def main():
    runner, arguments = sys.argv[1], sys.argv[2:]
    if runner in ("pnpm", "yarn", "npx"):
        scripts = __import__("json").load(open("package.json")).get("scripts", {})
        runner = arguments[0] if runner == "npx" else scripts.get("test", "jest").split()[0]
    names, skipped, broken = look(arguments)
    if runner == "cargo-nextest":
        names = re.findall(r"#\[test\]\s+fn (\w+)", open("src/lib.rs").read())
    if "--collect-only" in arguments:
        print("\n".join(f"tests/test_cart.py::{name}" for name in names) + f"\n\n{len(names)} tests collected in 0.01s")
        return
    text, code = show(runner, names, skipped, broken)
    print(text)
    sys.exit(code)


main()
