//! `mi mcp install` and `mi mcp uninstall`, with homes of their own.

use mi_test_support::{
    ClaudeHome, CodexHome, FakeModel, Mi, MiOutput, TempHome, TempProject, codex, installed,
    sealed_environment,
};
use serde_json::{Value, json};
use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

struct Place {
    home: TempHome,
    project: TempProject,
}

impl Place {
    fn new() -> Self {
        Self { home: TempHome::new(), project: TempProject::no_tests() }
    }

    fn mi(&self) -> Mi {
        Mi::new(env!("CARGO_BIN_EXE_mi"), &self.home).cwd(self.project.path())
    }

    fn run(&self, words: &[&str]) -> MiOutput {
        self.mi().run(words)
    }

    fn user(&self, path: &str) -> PathBuf {
        self.home.user_home().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.user(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// Every file below a folder, with its bytes.
fn tree(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(path) = waiting.pop() {
        match fs::read_dir(&path) {
            Ok(entries) => waiting.extend(entries.map(|entry| entry.unwrap().path())),
            Err(_) => found.push((path.clone(), fs::read(&path).unwrap())),
        }
    }
    found.sort();
    found
}

const SETTINGS: &str = "{\n    // mine\n    \"model\": \"opus\",\n    \"hooks\": {\n        \"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}] // keep\n    }\n}\n";
const CONFIG: &str =
    "# my codex\nmodel = \"gpt-5.5\"   # best\n\n[projects.\"/p\"]\ntrust_level = \"trusted\"\n";

/// Installing shows the change, is done once, and uninstalling gives back every byte, with and without files before.
#[test]
fn install_and_uninstall_are_opposites() {
    for (agent, scope) in [
        ("claude", "--user"),
        ("claude", "--project"),
        ("codex", "--user"),
        ("codex", "--project"),
        ("opencode", "--user"),
        ("opencode", "--project"),
    ] {
        for with_files in [false, true] {
            let place = Place::new();
            if with_files {
                for (path, text) in [
                    (".claude/settings.json", SETTINGS),
                    (".claude.json", "{\"numStartups\":3}"),
                    (".codex/config.toml", CONFIG),
                    (".config/opencode/opencode.jsonc", "{\n  // mine\n  \"theme\": \"x\",\n}\n"),
                ] {
                    place.write(path, text);
                    place.project.write(
                        &path.replace(".claude.json", ".mcp.json").replace(".config/opencode/", ""),
                        text,
                    );
                }
            }
            let before = (tree(&place.home.user_home()), tree(place.project.path()));
            let output = place.run(&["install", agent, scope, "--yes"]).expect_exit(0);
            assert!(output.out().contains("+") && output.out().contains("mcp"), "{output}");
            let installed = (tree(&place.home.user_home()), tree(place.project.path()));
            assert_ne!(installed, before, "{agent} {scope}");
            let again = place.run(&["install", agent, scope, "--yes"]).expect_exit(0);
            assert!(again.err().contains("nothing to do"), "{again}");
            assert_eq!((tree(&place.home.user_home()), tree(place.project.path())), installed);
            place.run(&["uninstall", agent, scope, "--yes"]).expect_exit(0);
            assert_eq!(
                (tree(&place.home.user_home()), tree(place.project.path())),
                before,
                "{agent} {scope} {with_files}"
            );
            assert!(
                place
                    .run(&["uninstall", agent, scope, "--yes"])
                    .expect_exit(0)
                    .err()
                    .contains("nothing to do")
            );
        }
    }
}

/// What the person changes after the installation stays when it is taken out.
#[test]
fn other_changes_survive_uninstall() {
    let place = Place::new();
    place.write(".claude/settings.json", SETTINGS);
    place.write(".codex/config.toml", CONFIG);
    for agent in ["claude", "codex"] {
        place.run(&["install", agent, "--yes"]).expect_exit(0);
    }
    let edit = |path: &str, from: &str, to: &str| {
        let text = fs::read_to_string(place.user(path)).unwrap();
        assert!(text.contains(from), "{text}");
        fs::write(place.user(path), text.replace(from, to)).unwrap();
    };
    edit(".claude/settings.json", "opus", "sonnet");
    edit(".codex/config.toml", "# best", "# better");
    for agent in ["claude", "codex"] {
        place.run(&["uninstall", agent, "--yes"]).expect_exit(0);
    }
    assert_eq!(
        fs::read_to_string(place.user(".claude/settings.json")).unwrap(),
        SETTINGS.replace("opus", "sonnet")
    );
    assert_eq!(
        fs::read_to_string(place.user(".codex/config.toml")).unwrap(),
        CONFIG.replace("# best", "# better")
    );
    assert!(!place.user(".claude/settings.json.mi-backup").exists());
}

/// A dry run and a run that cannot ask write nothing; the backup holds the first text.
#[test]
fn nothing_is_written_without_consent() {
    let place = Place::new();
    place.write(".claude/settings.json", SETTINGS);
    let before = tree(&place.home.user_home());
    let shown = place.run(&["install", "claude", "--dry-run"]).expect_exit(0);
    assert!(shown.out().contains("hook session-start --harness claude --lifecycle"), "{shown}");
    let refused = place.run(&["install", "claude"]).expect_exit(3);
    assert!(refused.err().contains("--yes"), "{refused}");
    let json = place.run(&["install", "claude", "--dry-run", "--json"]).expect_exit(0).json();
    assert_eq!((&json["agent"], &json["written"]), (&json!("claude"), &json!(false)));
    assert_eq!(tree(&place.home.user_home()), before);
    place.run(&["install", "claude", "--yes"]).expect_exit(0);
    assert_eq!(fs::read_to_string(place.user(".claude/settings.json.mi-backup")).unwrap(), SETTINGS);
}

/// A broken file, a foreign entry, a folder in the way: refused with file, place and what to do; nothing is written.
#[test]
fn broken_configurations_are_refused() {
    let cases = [
        ("claude", ".claude/settings.json", "{\n  \"model\": \n}", "line 3, column 1"),
        ("claude", ".claude.json", "{\"mcpServers\": {\"mi\": {\"command\": \"x\"}}}", "not ours"),
        ("claude", ".claude/settings.json", "{\"hooks\": {\"Stop\": 5}}", "`hooks.Stop` is not a list"),
        ("codex", ".codex/config.toml", "model = \"x\"\n[broken\n", "line 2"),
        ("codex", ".codex/config.toml", "hooks = 5\n", "`hooks` is not a table"),
        ("opencode", ".config/opencode/opencode.json", "{,}", "line 1, column 2"),
        ("opencode", ".config/opencode/plugin/mi.js", "export const x = 1\n", "not ours"),
    ];
    for (agent, path, text, reason) in cases {
        let place = Place::new();
        place.write(path, text);
        let before = tree(&place.home.user_home());
        let output = place.run(&["install", agent, "--yes"]).expect_exit(1);
        let file = path.rsplit('/').next().unwrap();
        assert!(output.err().contains(reason) && output.err().contains(file), "{output}");
        assert!(output.err().contains("to do:"), "{output}");
        assert_eq!(tree(&place.home.user_home()), before);
    }
    let place = Place::new();
    fs::create_dir_all(place.user(".claude/settings.json")).unwrap();
    place.run(&["install", "claude", "--yes"]).expect_exit(1);
    assert!(!place.user(".claude.json").exists());
}

/// A link stays a link, and who may read the file stays as it was.
#[test]
fn links_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let place = Place::new();
    place.write("dotfiles/settings.json", SETTINGS);
    place.write(".claude/x", "");
    symlink(place.user("dotfiles/settings.json"), place.user(".claude/settings.json")).unwrap();
    place.write(".claude.json", "{}");
    fs::set_permissions(place.user(".claude.json"), fs::Permissions::from_mode(0o600)).unwrap();
    place.run(&["install", "claude", "--yes"]).expect_exit(0);
    assert!(place.user(".claude/settings.json").is_symlink());
    assert!(fs::read_to_string(place.user("dotfiles/settings.json")).unwrap().contains("--lifecycle"));
    let mode = fs::metadata(place.user(".claude.json")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

/// The real Codex lists the server, trusts every hook without being asked, and its session is recorded.
#[test]
fn the_real_codex_runs_the_installed_hooks() {
    let Some(codex) = codex() else { return };
    let model = FakeModel::start(mi_test_support::scenario("happy"));
    let codex_home = CodexHome::new(&model);
    let place = Place::new();
    let original = fs::read(codex_home.path().join("config.toml")).unwrap();
    place.mi().envs(codex_home.env()).run(["install", "codex", "--yes"]).expect_exit(0);
    let run = |words: &[&str]| {
        let mut command = Command::new(&codex.program);
        command
            .args(words)
            .current_dir(place.project.path())
            .env_clear()
            .envs(sealed_environment(&place.home));
        let output = command.envs(codex_home.env()).stdin(Stdio::null()).output().unwrap();
        (
            String::from_utf8_lossy(&output.stdout).into_owned(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    let (listed, errors) = run(&["mcp", "list", "--json"]);
    let servers: Value =
        serde_json::from_str(&listed).unwrap_or_else(|error| panic!("{error}: {listed}{errors}"));
    assert_eq!(servers[0]["name"], "mi", "{listed}");
    let (events, errors) = run(&["exec", "--json", "-s", "workspace-write", "--", "say hi"]);
    assert!(events.contains("turn.completed"), "{events}{errors}");
    let log = place.project.read(".nexus/state/codex/tool-log.jsonl");
    assert!(log.contains("\"tool\":\"apply_patch\"") || log.contains("\"tool\":\"Bash\""), "{log}");
    assert!(
        !place.project.path().join(".nexus/state/codex/agent-tracker.json").exists(),
        "the session ended"
    );
    place.mi().envs(codex_home.env()).run(["uninstall", "codex", "--yes"]).expect_exit(0);
    let left = fs::read_to_string(codex_home.path().join("config.toml")).unwrap();
    let original = String::from_utf8(original).unwrap();
    assert!(left.starts_with(original.trim_end()), "{left}");
    assert!(
        !left.contains("--lifecycle") && !left.contains("trusted_hash") && !left.contains("mcp_servers"),
        "{left}"
    );
}

/// Every hook is trusted as it stands in the file, for a person and for a project.
#[test]
fn the_real_codex_trusts_every_installed_hook() {
    let Some(codex) = codex() else { return };
    let model = FakeModel::start(mi_test_support::scenario("happy"));
    for scope in ["--user", "--project"] {
        let (codex_home, place) = (CodexHome::new(&model), Place::new());
        let config = codex_home.path().join("config.toml");
        let project = place.project.path().canonicalize().unwrap();
        let trust = format!("\n[projects.{:?}]\ntrust_level = \"trusted\"\n", project.to_str().unwrap());
        fs::write(&config, fs::read_to_string(&config).unwrap() + &trust).unwrap();
        place.mi().envs(codex_home.env()).run(["install", "codex", scope, "--yes"]).expect_exit(0);
        let mut server = Command::new(&codex.program)
            .arg("app-server")
            .current_dir(&project)
            .env_clear()
            .envs(sealed_environment(&place.home))
            .envs(codex_home.env())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut input = server.stdin.take().unwrap();
        for message in [
            json!({"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "test", "version": "0"}}}),
            json!({"method": "initialized"}),
            json!({"id": 2, "method": "hooks/list", "params": {"cwds": [project]}}),
        ] {
            writeln!(input, "{message}").unwrap();
        }
        let lines = BufReader::new(server.stdout.take().unwrap()).lines();
        let answers = lines.map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
        let answer = answers.into_iter().find(|answer| answer["id"] == 2).unwrap();
        server.kill().unwrap();
        server.wait().unwrap();
        let hooks = answer["result"]["data"][0]["hooks"].as_array().unwrap();
        assert_eq!(hooks.len(), 8, "{answer:#}");
        assert!(hooks.iter().all(|hook| hook["trustStatus"] == "trusted"), "{scope}: {answer:#}");
    }
}

/// The real Claude Code starts the installed server and its hooks: a tag brings its skill to the model, tools are
/// logged, a read of memory is counted, and a plan is made over MCP.
#[test]
fn the_real_claude_runs_what_is_installed() {
    let Some(claude) = installed("claude") else { return };
    let call = |name: &str, arguments: Value| json!({"tool": {"name": name, "arguments": arguments}});
    let plan = json!({"topic": "T", "issues": ["I"], "research_summary": "R"});
    let place = Place::new();
    let memory = place.project.write(".nexus/memory/pattern-x.md", "a lesson\n").canonicalize().unwrap();
    let spawn = json!({"description": "d", "prompt": "SUBAGENT", "subagent_type": "general-purpose"});
    let model = FakeModel::start(json!({"turns": [
        {"match": "SUBAGENT", "say": "sub answer"},
        call("$read", json!({"path": memory})),
        call("$mcp", json!({"server": "mi", "tool": "nx_plan_start", "arguments": plan})),
        call("Agent", spawn),
        {"say": "Done."},
    ]}));
    let home = ClaudeHome::new(&model);
    place.mi().envs(home.env()).run(["install", "claude", "--yes"]).expect_exit(0);
    let mut command = Command::new(claude);
    command.args(["-p", "[m] keep this", "--output-format", "stream-json", "--verbose"]);
    command.args(["--permission-mode", "acceptEdits", "--allowedTools", "mcp__mi"]);
    command.env_clear().envs(sealed_environment(&place.home)).envs(home.env());
    let output = command.current_dir(place.project.path()).stdin(Stdio::null()).output().unwrap();
    let said =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}");
    let requests = model.model_requests();
    assert!(requests.iter().any(|request| request.to_string().contains("asks for memory_store")), "{said}");
    let log = place.project.read(".nexus/state/claude/tool-log.jsonl");
    assert!(
        log.contains("\"tool\":\"Read\"") && log.contains("\"tool\":\"mcp__mi__nx_plan_start\""),
        "{log}\n{said}"
    );
    assert!(place.project.path().join(".nexus/state/plan.json").exists(), "{said}");
    assert!(place.project.read(".nexus/state/claude/memory-access.jsonl").contains("pattern-x.md"));
    assert!(
        !place.project.path().join(".nexus/state/claude/agent-tracker.json").exists(),
        "the session ended"
    );
    place.mi().envs(home.env()).run(["uninstall", "claude", "--yes"]).expect_exit(0);
    let left: Vec<_> = tree(&home.path())
        .into_iter()
        .filter(|(_, bytes)| String::from_utf8_lossy(bytes).contains("--lifecycle"))
        .collect();
    let config =
        left.iter().find(|(path, _)| path.ends_with("settings.json") || path.ends_with(".claude.json"));
    assert!(config.is_none(), "{config:?}");
}
