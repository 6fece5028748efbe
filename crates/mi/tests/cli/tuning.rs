//! Setting up and tuning: values, learned rules, settings, help, the demo.

use super::{Scene, fixes_and_tests};
use mi_test_support::{Batch, FakeModel, Mi, TempHome, TempProject};
use serde_json::{Value, json};
use std::{fs, time::Duration};

fn mi(home: &TempHome) -> Mi {
    Mi::new(env!("CARGO_BIN_EXE_mi"), home)
}

/// Values are stored exactly as given.
#[test]
fn init_stores_values_exactly() {
    let home = TempHome::new();
    let values = "  Prefer small changes.\n\n先跑测试再提交。\t";
    mi(&home).run(["init", "--no-compile", "--values", values]).expect_exit(0);
    let base: Value =
        serde_json::from_str(&fs::read_to_string(home.path().join("mindspec/base.json")).unwrap()).unwrap();
    assert_eq!(base["values_text"], values);
    assert_eq!(base["defaults"]["refactor_intent"], "behavior_preserving");
}

/// Values that are replaced are kept, and it is said where.
#[test]
fn init_keeps_the_earlier_values() {
    let home = TempHome::new();
    for values in ["Use tabs.", "Use spaces."] {
        mi(&home).run(["init", "--no-compile", "--values", values]).expect_exit(0);
    }
    let kept = fs::read_to_string(home.path().join("mindspec/base.json.before")).unwrap();
    assert!(kept.contains("Use tabs."), "{kept}");
    let long = "x".repeat((1 << 20) + 1);
    mi(&home).stdin(long).run(["init", "--no-compile", "--values-file", "-"]).expect_exit(2);
}

/// `--dry-run` writes nothing.
#[test]
fn init_dry_run_writes_nothing() {
    let home = TempHome::new();
    mi(&home).run(["init", "--no-compile", "--dry-run", "--values", "x"]).expect_exit(0);
    assert!(!home.path().join("mindspec/base.json").exists());
}

/// A model compiles the values; the text stays the person's own.
#[test]
fn init_compiles_with_a_model() {
    let compiled = json!({
        "values_summary": ["Small changes"],
        "decision_procedure": {"summary": "Ask when unsure", "mermaid": "flowchart TD\n  A --> B"},
        "defaults": {"refactor_intent": null, "ask_when_uncertain": null},
        "external_actions": {"network_policy": null, "install_policy": null},
        "interrupt_mode": null,
        "violation_response": {"auto_learn": null, "prompt_user_on_high_risk": null},
    });
    let model = FakeModel::start(json!({"turns": [{"json": compiled}], "side_uses_turns": true}));
    let home = TempHome::new();
    let output = mi(&home)
        .env("OPENAI_BASE_URL", model.openai_url())
        .env("OPENAI_API_KEY", "none")
        .env("OPENAI_MODEL", "scripted")
        .run(["init", "--values", "I like small changes.", "--json"])
        .expect_exit(0)
        .json();
    assert_eq!(output["mindspec"]["values_summary"][0], "Small changes", "{output}");
    assert_eq!(output["mindspec"]["values_text"], "I like small changes.");
}

/// A learned rule answers questions like a value does.
#[test]
fn learned_rule_answers() {
    let asks = Batch::codex("t1").message("Tabs or spaces?").turn_completed(1, 1);
    let scene = Scene::new("Be kind.", TempProject::python(), vec![asks, fixes_and_tests()]);
    scene.mi().run(["learned", "add", "Use tabs."]).expect_exit(0);
    let output = scene.run(&[], "Fix the failing test").expect_exit(0);
    assert!(scene.agent.prompts()[1].to_lowercase().contains("tabs"), "{}", output.out());
}

/// In `auto` a model is asked where the rules are undecided, and its answer is recorded.
#[test]
fn auto_asks_a_model_where_rules_are_undecided() {
    let answer = json!({
        "should_answer": true, "confidence": 0.9, "codex_answer_input": "Take the first design.", "needs_user_input": false,
        "ask_user_question": null, "unanswered_questions": [], "notes": null,
    });
    let model = FakeModel::start(json!({"turns": [{"json": answer}], "side_uses_turns": true}));
    let asks =
        Batch::codex("t1").message("Which of the two designs do you like better?").turn_completed(1, 1);
    let scene = Scene::new("Prefer simple designs.", TempProject::python(), vec![asks, fixes_and_tests()]);
    let hands = scene.agent.hands();
    let output = scene
        .mi()
        .env("OPENAI_BASE_URL", model.openai_url())
        .env("OPENAI_API_KEY", "none")
        .env("OPENAI_MODEL", "scripted")
        .run(["run", "--json", "--hands", &hands, "Fix the failing test"])
        .expect_exit(0);
    assert_eq!(output.finished()["mind_calls"], 1);
    assert_eq!(output.events_named("question.auto_answered")[0]["decided_by"], "model:scripted");
    assert!(scene.agent.prompts()[1].contains("first design"));
}

/// Settings know where they come from; a project cannot set what runs.
#[test]
fn config_shows_origins_and_guards_security_keys() {
    let scene = Scene::new("x", TempProject::python(), vec![fixes_and_tests()]);
    scene.home.write_config("[budget]\nmax_minutes = 7\n");
    scene.project.write(".mi/config.toml", "[hands.codex]\nprogram = \"/evil\"\n[budgett]\nx = 1\n");
    let shown = scene.mi().run(["config", "show", "--json"]).expect_exit(0).json();
    let find = |key: &str| {
        shown["settings"].as_array().unwrap().iter().find(|setting| setting["key"] == key).unwrap().clone()
    };
    assert!(find("budget.max_minutes")["origin"].to_string().contains("config.toml"), "{shown}");
    assert_eq!(find("hands.codex.program")["value"], "");
    assert_eq!(shown["problems"].as_array().map(Vec::len), Some(2), "{}", shown["problems"]);
}

/// The first screen fits 24 lines of 80 columns, with two lines to spare.
#[test]
fn first_screen_of_help() {
    let home = TempHome::new();
    let help = mi(&home).run(["--help"]).expect_exit(0).out();
    insta::assert_snapshot!(help.replace(env!("CARGO_PKG_VERSION"), "VERSION"), @r"
    mi VERSION: runs coding agents and stops only when the work is proven done
    Usage: mi [--home DIR] [--cd DIR] [--json] COMMAND

      run TASK       Run an agent on TASK until the work is proven done
      answer, inbox  Answer the question of a run; list all waiting questions
      accept         Accept criteria that you have checked yourself
      stop           Stop this project's run
      status         Show what is running and what to do next (also: bare `mi`)
      log, show      List the records of this project; print one of them
      why [REF]      Explain a decision: who made it, and on what evidence
      prove          Check whether any test notices a change
      init, doctor   Write down how you decide; check this machine
      hooks, mcp     Install your rules and tools in an agent, or uninstall them

    Groups: `mi help GROUP` lists the commands of one, `mi help all` lists them all
      journal        Read and replay what was recorded
      workspace      Plans, tasks, notes and files that every agent can read
      persona        What you and your agents remember from session to session
      guard          Decide what agents may run, and check deployments
      box            Run code in a sealed box: no network, none of your files
      council        Review, decide and deliver with evidence
      setup          Install, uninstall and configure mi
    ");
    assert!(help.lines().count() <= 24, "{help}");
    for words in [&["help"][..], &["-h"], &["--json", "--help"]] {
        assert_eq!(mi(&home).run(words).expect_exit(0).out(), help, "{words:?}");
    }
}

/// `mi help GROUP` fits 80 columns and describes each command in one line; `mi help all` is all groups. Every command
/// and subcommand has an example, and every group but the first is on the first screen.
#[test]
fn group_pages_list_every_command() {
    let home = TempHome::new();
    let first = mi(&home).run(["--help"]).expect_exit(0).out();
    let all = mi(&home).run(["help", "all"]).expect_exit(0).out();
    let mut groups = Vec::new();
    for page in all.split("\n\n") {
        let (head, rows) = page.trim_end().split_once('\n').unwrap_or_default();
        let (group, about) = head.split_once(": ").unwrap_or_default();
        let own = mi(&home).run(["help", group]).expect_exit(0).out();
        assert!(own.starts_with(&format!("{group}: {about}\n{rows}\n\n`mi help COMMAND`")), "{group}: {own}");
        assert!(own.lines().all(|line| line.chars().count() < 80), "{own}");
        assert!(
            group == "everyday" || first.contains(&format!("\n  {group:<13}  {about}\n")),
            "{group}: {about}"
        );
        for row in rows.lines() {
            let (name, about) = row.trim().split_once("  ").unwrap_or_default();
            assert!(about.trim().len() > 10, "{row}");
            expect_example(&home, &name.split(' ').collect::<Vec<_>>());
        }
        groups.push(group);
    }
    assert_eq!(groups, ["everyday", "journal", "workspace", "persona", "guard", "box", "council", "setup"]);
}

/// `mi help` takes groups, commands and subcommands, and suggests near names for others.
#[test]
fn help_takes_names_and_suggests_near_ones() {
    let home = TempHome::new();
    for (words, shown) in [
        (&["plan", "start"][..], "mi plan start"),
        (&["run"], "--max-batches"),
        (&["box", "exec"], "--language"),
        (&["exec"], "--language"),
        (&["box"], "box admit"),
        (&["council"], "propose"),
    ] {
        let help = mi(&home).run([&["help"], words].concat()).expect_exit(0).out();
        assert!(help.contains(shown), "{words:?}: {help}");
    }
    for (words, near) in [
        (&["docter"][..], Some("mi help doctor")),
        (&["councli"], Some("mi help council")),
        (&["plan", "strat"], Some("mi help plan start")),
        (&["persona", "lnit"], Some("mi help persona init")),
        (&["xyzzy"], None),
    ] {
        let said = mi(&home).run([&["help"], words].concat()).expect_exit(2).err();
        assert!(said.contains(&format!("no command or group `{}`", words.join(" "))), "{said}");
        match near {
            Some(near) => assert!(said.contains("did you mean") && said.contains(near), "{said}"),
            None => assert!(!said.contains("did you mean"), "{said}"),
        }
    }
}

/// Completions, the manual page and the version are there, and name no former command.
#[test]
fn completions_manual_and_version() {
    let home = TempHome::new();
    for shell in ["bash", "zsh", "fish"] {
        assert!(mi(&home).run(["completions", shell]).expect_exit(0).out().contains("transcript"), "{shell}");
    }
    let manual = mi(&home).run(["man"]).expect_exit(0).out();
    assert!(manual.contains(".TH") && !manual.contains("mi-uninstall"), "{manual}");
    assert_eq!(
        mi(&home).run(["version"]).expect_exit(0).out(),
        mi(&home).run(["--version"]).expect_exit(0).out()
    );
}

/// The help of a command has an example of that very command, and so have its subcommands.
fn expect_example(home: &TempHome, words: &[&str]) {
    let help = mi(home).run([words, &["--help"]].concat()).expect_exit(0).out();
    let example = help.split_once("Example:").map(|(_, example)| example).unwrap_or_default();
    assert!(example.contains(&format!("mi {}", words.join(" "))), "{words:?}: {help}");
    let Some((_, rest)) = help.split_once("\nCommands:\n") else { return };
    let names = rest.lines().take_while(|line| !line.is_empty()).filter(|line| !line.starts_with("   "));
    for name in names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help") {
        expect_example(home, &[words, &[name]].concat());
    }
}

/// What needs no home works without one.
#[test]
fn version_and_manual_need_no_home() {
    let home = TempHome::new();
    for words in [&["version"][..], &["man"], &["completions", "bash"], &["help", "all"], &["schema"]] {
        mi(&home).env("HOME", "").env("MI_HOME", "").run(words).expect_exit(0);
    }
}

/// A program is told about a wrong command line as about any other failure.
#[test]
fn wrong_usage_is_told_to_programs() {
    let home = TempHome::new();
    for words in
        [&["--json", "run", "--nope"][..], &["nope", "--json"], &["task", "update", "1", "off", "--json"]]
    {
        let error = mi(&home).run(words).expect_exit(2).json();
        assert_eq!((&error["event"], &error["exit"]), (&json!("error"), &json!(2)), "{error}");
        assert!(!error["error"].as_str().unwrap_or_default().contains('\u{1b}'), "{error}");
    }
    mi(&home).run(["--json", "--help"]).expect_exit(0);
}

/// A path before the command is the project.
#[test]
fn path_first_is_the_project() {
    let scene = Scene::new("x", TempProject::python(), vec![fixes_and_tests()]);
    let path = scene.project.path().to_str().unwrap_or_default();
    let status = mi(&scene.home).run([path, "status", "--json"]).expect_exit(0).json();
    assert_eq!(
        status["project"].as_str().map(fs::canonicalize).and_then(Result::ok),
        fs::canonicalize(path).ok()
    );
}

/// In a part of a repository, status tells where the runs are.
#[test]
fn status_in_a_subfolder_names_the_project_above() {
    let scene = Scene::new("x", TempProject::python(), vec![fixes_and_tests()]);
    scene.run(&[], "Fix the failing test").expect_exit(0);
    let part = scene.project.path().join("a part");
    fs::create_dir(&part).unwrap();
    let status = mi(&scene.home).run([part.to_str().unwrap(), "status", "--json"]).expect_exit(0).json();
    assert_eq!(status["above"], json!(fs::canonicalize(scene.project.path()).unwrap()), "{status}");
    assert!(status["next"].to_string().contains("--cd"), "{status}");
}

/// The demo works with an empty home, catches the early claim, answers the question, and ends done.
#[test]
fn demo_ends_done() {
    let home = TempHome::new();
    let output = mi(&home).limit(Duration::from_secs(50)).run(["demo"]).expect_exit(0);
    let text = output.out();
    let last: Vec<&str> = text.lines().rev().take(12).collect();
    assert!(last.iter().any(|line| line.contains("done")), "{text}");
    assert!(text.contains("observed"), "{text}");
}
