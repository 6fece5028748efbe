"""One throw-away world per case: a git repository, a home of `mi`, a CODEX_HOME and a scripted model.

Standard library only; everything lives in one temporary folder, traffic is loopback only.
"""
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import uuid
from pathlib import Path

import toolbox

FAKEMODEL = toolbox.ROOT / "crates/mi-test-support/assets/fakemodel.py"
TOKEN = "MI_PROOF_TOKEN"            # marks every process of a case, to find what is left over

CONFIG = """model = "gpt-5.5"
model_provider = "fake"
check_for_update_on_startup = false
[model_providers.fake]
name = "fake"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
request_max_retries = 0
stream_max_retries = 0
[analytics]
enabled = false
[features]
plugins = false
"""


def _fakemodel():
    spec = importlib.util.spec_from_file_location("fakemodel", FAKEMODEL)
    module = importlib.util.module_from_spec(spec)
    sys.modules["fakemodel"] = module
    spec.loader.exec_module(module)
    return module


fakemodel = _fakemodel()


class World:
    def __init__(self, case: dict, tools: toolbox.Tools):
        self.case, self.tools = case, tools
        self.root = Path(tempfile.mkdtemp(prefix="case-", dir=tools.work)).resolve()
        self.token = uuid.uuid4().hex
        self.repo, self.user, self.home = self.root / "repo", self.root / "user", self.root / "mi-home"
        self.tmp, self.codex_home = self.root / "tmp", self.root / "codex-home"   # CODEX_HOME must not be below TMPDIR
        for folder in (self.repo, self.user, self.tmp, self.codex_home):
            folder.mkdir()
        toolbox.write(self.repo, case["repo"])
        (self.user / ".bash_profile").write_text(tools.profile(case.get("profile", "")))
        (self.user / ".gitconfig").write_text("[user]\n\tname = Proof\n\temail = proof@example.invalid\n[init]\n\tdefaultBranch = main\n[safe]\n\tdirectory = *\n")
        self._git("init", "-q", "-b", "main")
        self.commit("start")
        for command in case.get("setup", []):
            self.sh(command)
        if case.get("setup"):
            self.commit("setup")
        self.server = fakemodel.FakeModel({}, str(self.root / "requests.jsonl"))
        self.server.scenarios = {"default": fakemodel.Scenario({"turns": case["turns"], "default": case.get("default", fakemodel.OVER)})}
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        (self.codex_home / "config.toml").write_text(CONFIG.format(url=self.server.url))

    def _git(self, *args: str) -> None:
        subprocess.run(["git", *args], cwd=self.repo, env=self.env(), check=True, stdin=subprocess.DEVNULL, capture_output=True)

    def commit(self, message: str) -> None:
        self._git("add", "-A")
        self._git("commit", "-q", "--allow-empty", "-m", message)

    def env(self, **more: str) -> dict:
        return {**self.tools.env(self.user), "TMPDIR": str(self.tmp), "CODEX_HOME": str(self.codex_home), "FAKE_KEY": "dummy",
                "XDG_CONFIG_HOME": str(self.user / ".config"), TOKEN: self.token, **self.case.get("env", {}), **more}

    def sh(self, command: str) -> subprocess.CompletedProcess:
        return subprocess.run(["bash", "-lc", command], cwd=self.repo, env=self.env(), capture_output=True, text=True,
                              errors="replace", stdin=subprocess.DEVNULL, timeout=180)

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        for pid in self.left_over():
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        shutil.rmtree(self.root, ignore_errors=True)

    def failed_edits(self) -> list:
        """What Codex answered to edits that did not apply: a mistake in the case, or in an earlier step."""
        with self.server.lock:
            entries = list(self.server.entries)
        items = [i for e in entries for i in (e.get("body") or {}).get("input") or [] if isinstance(i, dict)]
        texts = {str(i.get("output")) for i in items if str(i.get("type", "")).endswith("_output")}
        return sorted(t[:300] for t in texts if "apply_patch verification failed" in t or "Failed to find expected lines" in t)

    def left_over(self) -> list:
        """Live processes that inherited this case's token."""
        needle, found = f"{TOKEN}={self.token}".encode(), []
        for name in os.listdir("/proc"):
            if not name.isdigit() or int(name) == os.getpid():
                continue
            try:
                if needle in Path("/proc", name, "environ").read_bytes().split(b"\0"):
                    found.append(int(name))
            except OSError:
                continue
        return found
