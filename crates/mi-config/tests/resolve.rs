//! Layers of text in, settings, origins and problems out.

use std::time::Duration;

use mi_config::{Layer, Level, MindProvider, Resolved, Sandbox, Severity, resolve};
use proptest::prelude::*;

fn layer(level: Level, path: &str, text: &str) -> Layer {
    Layer { level, path: path.into(), text: text.to_owned() }
}

fn user(text: &str) -> Layer {
    layer(Level::UserHome, "home/config.toml", text)
}

fn project(text: &str) -> Layer {
    layer(Level::Project, ".mi/config.toml", text)
}

fn problems(resolved: &Resolved) -> Vec<String> {
    resolved.problems.iter().map(ToString::to_string).collect()
}

/// The value and the origin of one setting, as `mi config show` prints them.
fn shown(resolved: &Resolved, key: &str) -> String {
    let shown = resolved.shown.iter().find(|shown| shown.key == key).expect("a setting of that name");
    format!("{} ({})", shown.value, shown.origin)
}

fn pairs(variables: &[(&str, &str)]) -> Vec<(String, String)> {
    variables.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

/// With nothing given, every setting has its default and nothing is wrong.
#[test]
fn defaults_are_complete() {
    let resolved = resolve(&[], &[], &[]);
    assert_eq!(problems(&resolved), Vec::<String>::new());
    let listed: Vec<String> = resolved
        .shown
        .iter()
        .map(|shown| format!("{} = {} ({})", shown.key, shown.value, shown.origin))
        .collect();
    insta::assert_snapshot!(listed.join("\n"), @r#"
    locale = "auto" (default)
    hands.default = "codex" (default)
    hands.idle_timeout = "15m" (default)
    hands.total_timeout = "4h" (default)
    hands.codex.program = "" (default)
    hands.codex.model = "" (default)
    hands.codex.sandbox = "workspace-write" (default)
    hands.codex.extra_args = [] (default)
    mind.provider = "auto" (default)
    mind.timeout = "2m" (default)
    mind.evidence_budget_bytes = 160000 (default)
    mind.openai.base_url = "https://api.openai.com/v1" (default)
    mind.openai.model = "" (default)
    mind.openai.wire = "chat" (default)
    mind.openai.key_command = "" (default)
    mind.anthropic.base_url = "https://api.anthropic.com" (default)
    mind.anthropic.model = "" (default)
    mind.anthropic.key_command = "" (default)
    mind.codex.model = "" (default)
    budget.max_batches = 30 (default)
    budget.max_minutes = 0 (default)
    budget.max_tokens = 0 (default)
    budget.max_cents = 0 (default)
    budget.input_cents = 0 (default)
    budget.output_cents = 0 (default)
    proof.counter_check = "auto" (default)
    prove.engine = "auto" (default)
    prove.budget = "10m" (default)
    council.reviewers = 3 (default)
    council.domain = 1 (default)
    council.quality = 1 (default)
    council.greens = 2 (default)
    council.beats = 4 (default)
    council.reviewer_timeout = "45s" (default)
    extract.max_file_bytes = 16777216 (default)
    extract.max_files = 20000 (default)
    gate.safe_uses = 5 (default)
    box.env_allow = [] (default)
    box.engine = "auto" (default)
    box.toolchains = ["auto"] (default)
    box.max_output_bytes = 1073741824 (default)
    box.max_data_bytes = 8589934592 (default)
    box.temp_bytes = 268435456 (default)
    box.limits.memory = 4294967296 (default)
    box.limits.cpus = 0 (default)
    box.limits.pids = 2048 (default)
    box.limits.time = "15m" (default)
    box.advisories = "" (default)
    box.age_recipients = [] (default)
    box.images.base = "" (default)
    box.images.rust = "" (default)
    box.images.go = "" (default)
    box.images.python = "" (default)
    box.images.node = "" (default)
    box.images.java = "" (default)
    box.images.cpp = "" (default)
    sinks.allow = [] (default)
    kaching.allow = [] (default)
    kaching.deny = [] (default)
    make.service = "auto" (default)
    make.model = "" (default)
    make.roles = [] (default)
    make.ollama_base_url = "http://127.0.0.1:11434/v1" (default)
    make.role = "developer" (default)
    make.rounds = 3 (default)
    make.timeout = "10m" (default)
    notify.command = "" (default)
    memory.categories = [] (default)
    memory.gc.automatic = false (default)
    memory.gc.age_days = 0 (default)
    memory.gc.cycles_since_read = 0 (default)
    memory.gc.reads_below = 0 (default)
    workspace.gates.edit_without_tasks = false (default)
    workspace.gates.shell_edits = false (default)
    workspace.gates.stop_with_pending = false (default)
    "#);
    assert_eq!(resolved.settings.hands.idle_timeout, Duration::from_secs(15 * 60));
    assert_eq!(resolved.settings.hands.codex.program, None);
    assert_eq!(resolved.settings.budget.max_batches.map(u64::from), Some(30));
    assert_eq!(resolved.settings.budget.max_tokens, None);
}

/// Each layer wins over all before it, in whatever order they are given.
#[test]
fn later_layers_win() {
    let key = "hands.codex.model";
    let text = |name: &str| format!("[hands.codex]\nmodel = \"{name}\"\n");
    let layers = [
        layer(Level::Local, ".mi/local.toml", &text("local")),
        project(&text("project")),
        user(&text("home")),
        layer(Level::UserXdg, "xdg/config.toml", &text("xdg")),
    ];
    let env = pairs(&[("MI_HANDS_CODEX_MODEL", "env")]);
    let flags = [(key, "flag")];
    let cases = [
        (resolve(&layers, &env, &flags), r#""flag" (flag)"#),
        (resolve(&layers, &env, &[]), r#""env" (env MI_HANDS_CODEX_MODEL)"#),
        (resolve(&layers, &[], &[]), r#""local" (local .mi/local.toml:2)"#),
        (resolve(&layers[1..], &[], &[]), r#""project" (project .mi/config.toml:2)"#),
        (resolve(&layers[2..], &[], &[]), r#""home" (user home/config.toml:2)"#),
        (resolve(&layers[3..], &[], &[]), r#""xdg" (user xdg/config.toml:2)"#),
        (resolve(&[], &[], &[]), r#""" (default)"#),
    ];
    for (resolved, expected) in cases {
        assert_eq!(shown(&resolved, key), expected);
        assert_eq!(problems(&resolved), Vec::<String>::new());
    }
}

/// What is wrong is said with its place and what to do, and everything else still counts.
#[test]
fn problems_name_the_place_and_the_way_out() {
    let cases = [
        (
            "[hands.codex]\nsandbx = \"read-only\"\n",
            "home/config.toml:2:1: `hands.codex.sandbx` is not a setting; did you mean `hands.codex.sandbox`?",
        ),
        (
            "colour = true\n",
            "home/config.toml:1:1: `colour` is not a setting; `mi config show` lists them all",
        ),
        (
            "hands = { idle_timeout = 15 }\n",
            "home/config.toml:1:11: `hands.idle_timeout` must be a duration such as \"500ms\", \"90s\", \"15m\" or \"2h\"",
        ),
        (
            "[hands.codex]\nsandbox = \"none\"\n",
            "home/config.toml:2:1: `hands.codex.sandbox` must be one of read-only, workspace-write, danger-full-access",
        ),
        (
            "# 中文\n[mind]\nevidence_budget_bytes = 1\n",
            "home/config.toml:3:1: `mind.evidence_budget_bytes` must be a whole number from 1000 to 400000",
        ),
        ("hands = \"codex\"\n", "home/config.toml:1:1: `hands` must be a section: [hands]"),
        (
            "[budget.max_batches]\nx = 1\n",
            "home/config.toml:1:9: `budget.max_batches` must be a whole number of 0 or more",
        ),
        (
            "[mind.openai]\napi_key = \"x\"\n",
            "home/config.toml:2:1: `mind.openai.api_key` is ignored: keys do not belong in files; use the environment or `key_command`, and replace the key",
        ),
    ];
    for (text, expected) in cases {
        // The good line stands before everything else, at the top level.
        let resolved = resolve(&[project("locale = \"zh\"\n"), user(text)], &[], &[]);
        assert_eq!(problems(&resolved), [expected]);
        assert_eq!(shown(&resolved, "locale"), r#""zh" (project .mi/config.toml:1)"#);
    }
}

/// A file that is no TOML is not used at all, and the message names the line and column.
#[test]
fn broken_file_is_left_out_whole() {
    let resolved = resolve(&[user("locale = \"zh\"\n[hands\n")], &[], &[]);
    assert_eq!(resolved.problems.len(), 1);
    let message = resolved.problems[0].to_string();
    assert!(message.starts_with("home/config.toml:2:7: not valid TOML ("), "{message}");
    assert_eq!(resolved.problems[0].severity(), Severity::Error);
    assert_eq!(shown(&resolved, "locale"), r#""auto" (default)"#);
}

/// A clone cannot decide what runs, what it may do, or where data goes; the person can, in every way.
#[test]
fn projects_cannot_set_security_keys() {
    let cases = [
        ("hands.default", "\"exec:evil\"", "exec:mine"),
        ("hands.codex.program", "\"./evil\"", "/usr/bin/codex"),
        ("hands.codex.sandbox", "\"danger-full-access\"", "read-only"),
        ("hands.codex.extra_args", "[\"--evil\"]", "--fine"),
        ("mind.provider", "\"openai\"", "rules"),
        ("mind.openai.base_url", "\"http://evil\"", "http://mine"),
        ("mind.openai.key_command", "\"evil\"", "pass show key"),
        ("mind.anthropic.key_command", "\"evil\"", "pass show key"),
        ("notify.command", "\"evil\"", "notify-send"),
        ("gate.rules", "\"off\"", ""),
        ("sinks.web", "\"http://evil\"", ""),
    ];
    let defaults = resolve(&[], &[], &[]).settings;
    for (key, evil, mine) in cases {
        let (section, name) = key.rsplit_once('.').unwrap();
        let text = format!("[{section}]\n{name} = {evil}\n");
        let layers = [project(&text), layer(Level::Local, ".mi/local.toml", &text)];
        let resolved = resolve(&layers, &[], &[]);
        let reason = format!(
            "`{key}` is ignored here: it decides what may run or leave this machine; set it in your own config.toml"
        );
        let expected = [format!(".mi/config.toml:2:1: {reason}"), format!(".mi/local.toml:2:1: {reason}")];
        assert_eq!(problems(&resolved), expected);
        assert_eq!(resolved.settings, defaults, "{key}");
        if !mine.is_empty() {
            assert_ne!(resolve(&layers, &[], &[(key, mine)]).settings, defaults, "{key}");
        }
    }
    let own = resolve(&[user("hands.codex.sandbox = \"danger-full-access\"\n")], &[], &[]);
    assert_eq!(own.settings.hands.codex.sandbox, Sandbox::DangerFullAccess);
}

/// A section cannot be smuggled in as a table under a security key.
#[test]
fn security_key_as_table_is_refused_too() {
    let resolved = resolve(&[project("[notify.command]\nx = 1\n[gate]\nrules = []\n")], &[], &[]);
    assert_eq!(resolved.problems.len(), 2);
    assert!(problems(&resolved).iter().all(|problem| problem.contains("is ignored here")), "{resolved:?}");
}

/// A project may lower a limit and may not raise it; 0 is no limit at all.
#[test]
fn projects_only_tighten_limits() {
    let mine = user("[budget]\nmax_tokens = 1000\n[hands]\nidle_timeout = \"10m\"\n");
    let lower = project("[budget]\nmax_tokens = 500\nmax_minutes = 5\n[hands]\nidle_timeout = \"1m\"\n");
    let resolved = resolve(&[mine.clone(), lower], &[], &[]);
    assert_eq!(problems(&resolved), Vec::<String>::new());
    assert_eq!(resolved.settings.budget.max_tokens.map(u64::from), Some(500));
    assert_eq!(resolved.settings.budget.max_minutes.map(u64::from), Some(5));
    assert_eq!(resolved.settings.hands.idle_timeout, Duration::from_secs(60));
    let higher = project("[budget]\nmax_tokens = 0\n[hands]\nidle_timeout = \"11m\"\n");
    let resolved = resolve(&[mine, higher], &[], &[]);
    assert_eq!(
        problems(&resolved),
        [
            ".mi/config.toml:2:1: `budget.max_tokens` is ignored here: a project may only make it stricter than 1000; raise it in your own config.toml",
            ".mi/config.toml:4:1: `hands.idle_timeout` is ignored here: a project may only make it stricter than \"10m\"; raise it in your own config.toml",
        ]
    );
    assert_eq!(resolved.settings.budget.max_tokens.map(u64::from), Some(1000));
}

/// Variables: ours win over the ecosystem's, empty ones do not count, misspelt ones are named.
#[test]
fn environment_is_read_by_name() {
    let env = pairs(&[
        ("OPENAI_BASE_URL", "http://theirs"),
        ("OPENAI_MODEL", "theirs"),
        ("MI_MIND_OPENAI_MODEL", "ours"),
        ("MI_MIND_PROVIDER", ""),
        ("MI_BUDGET_MAX_TOKENS", "many"),
        ("MI_BUDGET_MAX_TOKEN", "5"),
        ("MI_HOME", "/somewhere"),
        ("MICROSOFT", "x"),
    ]);
    let resolved = resolve(&[], &env, &[]);
    assert_eq!(shown(&resolved, "mind.openai.base_url"), r#""http://theirs" (env OPENAI_BASE_URL)"#);
    assert_eq!(shown(&resolved, "mind.openai.model"), r#""ours" (env MI_MIND_OPENAI_MODEL)"#);
    assert_eq!(resolved.settings.mind.provider, MindProvider::Auto);
    assert_eq!(
        problems(&resolved),
        [
            "env MI_BUDGET_MAX_TOKENS: `budget.max_tokens` must be a whole number of 0 or more",
            "env MI_BUDGET_MAX_TOKEN: `MI_BUDGET_MAX_TOKEN` is not a setting; did you mean `MI_BUDGET_MAX_TOKENS`?",
        ]
    );
}

/// A flag that names no setting, or holds a wrong value, is an error and changes nothing.
#[test]
fn wrong_flags_are_errors() {
    let resolved = resolve(&[], &[], &[("budget.max_batch", "3"), ("hands.idle_timeout", "soon")]);
    assert_eq!(
        problems(&resolved),
        [
            "flag: `budget.max_batch` is not a setting; did you mean `budget.max_batches`?",
            "flag: `hands.idle_timeout` must be a duration such as \"500ms\", \"90s\", \"15m\" or \"2h\"",
        ]
    );
    assert!(resolved.problems.iter().all(|problem| problem.severity() == Severity::Error));
}

/// The defaults, given back as a file, are the defaults: the file is a starting point for a person's own.
#[test]
fn default_file_is_valid_input() {
    let resolved = resolve(&[user(mi_config::DEFAULTS)], &[], &[]);
    assert_eq!(problems(&resolved), Vec::<String>::new());
    assert_eq!(resolved.settings, resolve(&[], &[], &[]).settings);
}

/// Automatic deletion by one or two signals is refused when loaded, with the switch on or off; all three are fine.
#[test]
fn nx_334_fewer_than_three_signals_are_refused() {
    let two = "[memory.gc]\nage_days = 90\ncycles_since_read = 20\n";
    for (text, is_refused) in [
        ("", false),
        ("[memory.gc]\nautomatic = true\n", true),
        ("[memory.gc]\nautomatic = true\nage_days = 90\n", true),
        ("[memory.gc]\nage_days = 90\n", true),
        (two, true),
        (
            &format!("automatic = true\n{two}")
                .replace("automatic = true\n[memory.gc]", "[memory.gc]\nautomatic = true"),
            true,
        ),
        (&format!("{two}reads_below = 2\nautomatic = true\n"), false),
        (&format!("{two}reads_below = 2\n"), false),
    ] {
        let resolved = resolve(&[user(text)], &[], &[]);
        let refused: Vec<_> = problems(&resolved);
        assert_eq!(refused.len(), usize::from(is_refused), "{text}: {refused:?}");
        assert!(resolved.problems.iter().all(|problem| problem.severity() == Severity::Error));
    }
    let cloned = resolve(&[project(&format!("{two}reads_below = 2\nautomatic = true\n"))], &[], &[]);
    assert!(!cloned.settings.memory.gc.automatic, "a clone must not switch deletion on");
}

proptest! {
    /// No text makes it panic, and the settings stay complete.
    #[test]
    fn arbitrary_text_never_panics(text in "\\PC*", value in "\\PC*") {
        let layers = [user(&text), project(&text)];
        let env = pairs(&[("MI_HANDS_CODEX_EXTRA_ARGS", &value), ("MI_HANDS_IDLE_TIMEOUT", &value)]);
        resolve(&layers, &env, &[(text.as_str(), value.as_str())]);
    }

    /// The same for text that is nearly right.
    #[test]
    fn nearly_right_text_never_panics(
        lines in proptest::collection::vec(
            "(\\[(hands|mind|hands\\.codex|budget)\\]|(locale|default|sandbox|max_tokens|idle_timeout|hands\\.codex) = (\"[a-z0-9]{0,5}\"|[0-9]{1,25}|\\[.{0,5}\\]|\\{.{0,5}|true|1979-05-27))",
            0..8,
        ),
    ) {
        let text = lines.join("\n");
        let resolved = resolve(&[user(&text), project(&text)], &[], &[]);
        prop_assert!(resolved.shown.len() > 20);
    }
}
