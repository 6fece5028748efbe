//! What models are given, and what each knob of `mindspec/base.json` changes.

use super::{CHECK, FIXED, Scene, fixes_and_tests};
use mi_test_support::{Batch, FakeModel, MiOutput, TempProject};
use serde_json::{Value, json};

const VALUES: &str = "Prefer small changes. Never touch the changelog.";
const TASK: &str = "Fix the failing test";

fn scene(knobs: &Value, batches: Vec<Batch>) -> Scene {
    let scene = Scene::new(VALUES, TempProject::python(), batches);
    let mut spec = json!({"values_text": VALUES});
    for (name, value) in knobs.as_object().into_iter().flatten() {
        spec[name] = value.clone();
    }
    scene.home.write_mindspec(&spec);
    scene
}

/// An agent that does something with the network, installs, or both, and then the work.
fn with_command(command: &str) -> Batch {
    Batch::codex("t1")
        .command(command, "", 0)
        .write_file("calc.py", FIXED)
        .run(CHECK)
        .message("Fixed, all tests pass.")
        .turn_completed(10, 1)
}

fn with_model(scene: &Scene, model: &FakeModel, mind: &str, task: &str) -> MiOutput {
    let hands = scene.agent.hands();
    scene
        .mi()
        .env("OPENAI_BASE_URL", model.openai_url())
        .env("OPENAI_API_KEY", "none")
        .env("OPENAI_MODEL", "scripted")
        .run(["run", "--json", "--mind", mind, "--max-batches", "2", "--hands", &hands, task])
}

/// Whatever a model judges, it sees the task, the MindSpec, the criteria and the hunks, also before the run looked at its change
/// itself. No secret of the change leaves, and a change of megabytes makes no large request.
#[test]
fn judges_see_the_change_and_no_secret() {
    let token = ["ghp_", "q7Rk2Lm9Zx4Vb8Nc1Ds6Fg3Hj5Kp0Wt2Yu4I"].concat();
    let long = ["AKIA", "Q7RK2LM9ZX4VB8NC"].concat();
    let pem = [
        "-----BEGIN RSA PRIVATE ",
        "KEY-----\nMIIEowIBAAKCAQEAq7Rk2Lm9Zx4Vb8Nc1Ds6Fg3Hj5Kp0Wt2Yu4IqQ7RkLmZx\n",
    ]
    .concat()
        + "Vb8Nc1Ds6Fg3Hj5Kp0Wt2Yu4IqQ7RkLmZxq7Rk2Lm9Zx4Vb8Nc1Ds6Fg3Hj5Kp0W\n"
        + &["-----END RSA PRIVATE ", "KEY-----"].concat();
    let code = format!(
        "TOKEN = \"{token}\"\nAWS = '{long}'\nKEY = \"\"\"{pem}\"\"\"\n\n\ndef add(first_number, b):\n    return first_number + b\n"
    );
    let works = Batch::codex("t1")
        .command("curl -s https://example.com/data.json", "", 0)
        .write_file("calc.py", &code)
        .shell("python3 -c \"open('big.lock','w').write(''.join('entry %d \\\"x\\\" = {}\\n' % at for at in range(90000)))\"")
        .run(CHECK)
        .message("Fixed. Which licence header do you want, MIT or BSD?")
        .turn_completed(10, 1);
    let procedure =
        json!({"summary": "Weigh safety before speed.", "mermaid": "flowchart TD\n  A[Unsure] --> B[Ask]"});
    let knobs = json!({"decision_procedure": procedure, "values_summary": ["Small steps win."]});
    let scene = scene(&knobs, vec![works, fixes_and_tests()]);
    let harmless = json!({"category": "network", "severity": "low", "should_ask_user": false, "mitigation": [],
        "learned_tightening": null});
    let turn = json!({"match_any": "should_ask_user", "repeat": 0, "json": harmless});
    let model = FakeModel::start(json!({"turns": [turn], "side_uses_turns": true}));
    let output = with_model(&scene, &model, "openai", TASK);
    let asked: Vec<String> = output
        .events_named("mind.answered")
        .iter()
        .map(|call| call["prompt"].as_str().unwrap().to_owned())
        .collect();
    for prompt in ["extract_evidence", "risk_judge", "auto_answer_to_codex"] {
        assert!(asked.iter().any(|one| one == prompt), "{asked:?}");
    }
    let requests = model.model_requests();
    assert!(requests.len() >= asked.len(), "{output}");
    for (at, request) in requests.iter().enumerate() {
        let body = request["body"].to_string();
        for seen in [
            TASK,
            "Never touch the changelog.",
            "Small steps win.",
            "Weigh safety before speed.",
            "A[Unsure] --> B[Ask]",
            "external_actions.network_policy",
            "c1: ",
            "def add(first_number, b):",
            "return first_number + b",
            "calc.py:",
        ] {
            assert!(body.contains(seen), "request {at} does not show {seen}: {body}");
        }
        for secret in
            [token.as_str(), &long, "Vb8Nc1Ds6Fg3Hj5Kp0Wt2Yu4IqQ7RkLmZxq7Rk2Lm9Zx4Vb8Nc1Ds6Fg3Hj5Kp0W"]
        {
            assert!(!body.contains(secret), "request {at} shows {secret}");
        }
        assert!(body.len() <= 400_000, "request {at}: {} bytes", body.len());
    }
}

/// `extract_evidence` is asked where the stream holds lines that nothing understands; it sees them, and its reading is recorded.
#[test]
fn unread_lines_are_read_by_a_model() {
    let reading = json!({"facts": ["a sub-agent reviewed calc.py"], "actions": [], "results": [],
        "unknowns": ["whether the review is finished"], "risk_signals": []});
    let strange = json!({"type": "item.completed", "item": {"id": "x1", "type": "collab_review", "text": "reviewed calc.py"}});
    let works = Batch::codex("t1").event(&strange).message("Still working on it.").turn_completed(10, 1);
    let scene = scene(&json!({}), vec![works, fixes_and_tests()]);
    let model = FakeModel::start(json!({"turns": [{"json": reading}], "side_uses_turns": true}));
    let output = with_model(&scene, &model, "auto", TASK).expect_exit(0);
    let read = &output.events_named("evidence.read")[0];
    assert_eq!(read["read_by"], "model:scripted", "{read}");
    assert!(read["facts"].to_string().contains("a sub-agent reviewed calc.py"), "{read}");
    assert!(
        read["unknowns"].to_string().contains("lines of the agent's stream were not understood"),
        "{read}"
    );
    assert!(model.model_requests()[0]["body"].to_string().contains("collab_review"));
    assert_eq!(output.events_named("batch.ended").len(), 2);
    scene.mi().run(["replay", "last"]).expect_exit(0);
    scene.mi().run(["verify"]).expect_exit(0);
}

/// `external_actions.network_policy` and `install_policy`: allowed, asked about, denied, or judged by the values.
#[test]
fn network_and_install_policies_decide_about_questions() {
    let curl = "curl -s -m 1 https://example.com/data.json";
    for (knob, command) in [("network_policy", curl), ("install_policy", "pip install requests")] {
        for (policy, exit) in [("values_judged", 0), ("allow", 0), ("ask", 3), ("deny", 3)] {
            let scene = scene(&json!({"external_actions": {knob: policy}}), vec![with_command(command)]);
            let output = scene.run(&[], TASK).expect_exit(exit);
            let risk = &output.events_named("risk.judged")[0];
            assert_eq!(risk["risk"]["should_ask_user"], exit == 3, "{knob} {policy}: {risk}");
            let is_learned = !output.events_named("learned.added").is_empty();
            assert!(!is_learned || policy == "values_judged", "{knob} {policy}: {output}");
            let told = &scene.agent.prompts()[0];
            let says = match policy {
                "allow" => "You may ",
                "ask" => "Ask me before you ",
                "deny" => "Never ",
                _ => continue,
            };
            let about = if knob == "network_policy" { "use the network." } else { "install packages." };
            assert!(told.contains(&format!("- {says}{about}")), "{knob} {policy}: {told}");
        }
    }
}

/// `verification.no_tests_policy`: a project without tests is asked about once, or in every run.
#[test]
fn no_tests_policy_remembers_or_asks_again() {
    for (policy, second) in [("ask_once_per_project_then_remember", 0), ("ask_every_run", 3)] {
        let work = |text: &str| {
            Batch::codex("t1")
                .shell(&format!("echo 'echo {text}' >> app.sh"))
                .message("Done.")
                .turn_completed(10, 1)
        };
        let check = Batch::codex("t1").run("sh app.sh").message("Done.").turn_completed(10, 1);
        let scene = scene(
            &json!({"verification": {"no_tests_policy": policy}}),
            vec![work("one"), check.clone(), work("two"), check],
        );
        for name in ["test_calc.py", "calc.py", "README.md"] {
            let _ = std::fs::remove_file(scene.project.path().join(name));
        }
        scene.project.write("app.sh", "echo hello\n");
        let first =
            scene.run(&["--max-batches", "2"], "Make the greeting of the program friendlier").expect_exit(3);
        assert_eq!(first.events_named("question.asked")[0]["purpose"], "testless_strategy", "{first}");
        scene.mi().run(["answer", "--json", "`sh app.sh`"]);
        let overlay =
            std::fs::read_dir(scene.home.path().join("projects")).unwrap().next().unwrap().unwrap().path();
        let is_kept = std::fs::read_to_string(overlay.join("overlay.json"))
            .is_ok_and(|text| text.contains("sh app.sh"));
        assert_eq!(is_kept, second == 0, "{policy}");
        let again = scene.run(&["--max-batches", "2"], "Make the farewell of the program friendlier");
        let asks =
            again.events_named("question.asked").iter().any(|asked| asked["purpose"] == "testless_strategy");
        assert_eq!(asks, second == 3, "{policy}: {again}");
    }
}

/// `decision_procedure` is shown by `mi why`, beside the decision it was made for.
#[test]
fn why_shows_how_the_person_decides() {
    let procedure =
        json!({"summary": "Weigh safety before speed.", "mermaid": "flowchart TD\n  A[Unsure] --> B[Ask]"});
    let scene = scene(&json!({"decision_procedure": procedure}), vec![fixes_and_tests()]);
    scene.run(&[], TASK).expect_exit(0);
    let why = scene.mi().run(["why"]).expect_exit(0).out();
    assert!(
        why.contains("you decide  Weigh safety before speed.") && why.contains("A[Unsure] --> B[Ask]"),
        "{why}"
    );
    let why = scene.mi().run(["why", "--json"]).expect_exit(0).json();
    assert_eq!(why["decision_procedure"], procedure);
}

/// `defaults.refactor_intent` is what the agent is told about refactoring; `ask_when_uncertain` is whether anybody is asked.
#[test]
fn defaults_are_told_and_obeyed() {
    for (intent, is_told) in [("behavior_preserving", true), ("behavior_changing", false)] {
        let scene = scene(&json!({"defaults": {"refactor_intent": intent}}), vec![fixes_and_tests()]);
        scene.run(&[], TASK).expect_exit(0);
        assert_eq!(scene.agent.prompts()[0].contains("A refactor keeps behaviour"), is_told, "{intent}");
    }
    let asks =
        || Batch::codex("t1").message("Which of the two designs do you like better?").turn_completed(1, 1);
    for (ask, waits) in [(true, true), (false, false)] {
        let scene = scene(&json!({"defaults": {"ask_when_uncertain": ask}}), vec![asks()]);
        let output = scene.run(&[], TASK).expect_exit(3);
        assert_eq!(!output.events_named("question.asked").is_empty(), waits, "{output}");
    }
}

/// `interrupt.mode` decides what is stopped while it runs, and the stop is recorded as the risk it was; the signals are sent in
/// the order that was written.
#[test]
fn interrupt_mode_stops_and_records_the_risk() {
    let pushes = || {
        Batch::codex("t1")
            .command_started("git push --force origin main")
            .shell("sleep 5")
            .message("Pushed.")
            .turn_completed(1, 1)
    };
    let interrupt = |mode: &str| json!({"interrupt": {"mode": mode, "signal_sequence": ["TERM", "SIGKILL"], "escalation_ms": [500]}});
    let scene_on = scene(&interrupt("on_high_risk"), vec![pushes()]);
    let output = scene_on.run(&["--max-batches", "1"], TASK).expect_exit(3);
    let stopped = &output.events_named("agent.interrupted")[0];
    assert_eq!(
        (&stopped["category"], &stopped["signals"]),
        (&json!("push"), &json!(["TERM", "SIGKILL"])),
        "{stopped}"
    );
    let risk = &output.events_named("risk.judged")[0];
    assert_eq!(
        (&risk["risk"]["category"], &risk["risk"]["severity"]),
        (&stopped["category"], &stopped["severity"])
    );
    assert_eq!(
        (&risk["decided_by"], &risk["batch_id"]),
        (&json!("rules:risk.interrupted"), &json!("b0")),
        "{risk}"
    );
    assert!(risk["risk_signals"][0].as_str().unwrap().contains("git push"), "{risk}");
    let scene_off = scene(&interrupt("off"), vec![pushes()]);
    let output = scene_off.run(&["--max-batches", "1"], TASK).expect_exit(3);
    assert!(output.events_named("agent.interrupted").is_empty(), "{output}");
}

/// `violation_response`: whether a grave risk is asked about, and whether something is learned from it.
#[test]
fn violation_response_is_obeyed() {
    for (ask, learn) in [(true, true), (false, false)] {
        let knobs = json!({"violation_response": {"auto_learn": learn, "prompt_user_on_high_risk": ask}});
        let scene = scene(&knobs, vec![with_command("git push --force origin main")]);
        let output = scene.run(&[], TASK).expect_exit(if ask { 3 } else { 0 });
        assert_eq!(!output.events_named("learned.added").is_empty(), learn, "{output}");
    }
}

/// `transparency`: raw lines are kept or not, transcripts are shown or not.
#[test]
fn transparency_is_obeyed() {
    for (store, show) in [(true, true), (false, true), (true, false)] {
        let knobs =
            json!({"transparency": {"store_raw_transcript": store, "ui_expandable_transcript": show}});
        let scene = scene(&knobs, vec![fixes_and_tests()]);
        scene.run(&[], TASK).expect_exit(0);
        let output = scene.mi().run(["transcript", "--raw"]);
        assert_eq!(output.out().contains("agent_message"), store && show, "{knobs}: {output}");
        if !show {
            assert!(output.expect_exit(3).err().contains("transparency.ui_expandable_transcript"));
        }
    }
}

/// What would not be obeyed is refused by its name before anything runs; the file stays, and reading commands go on.
#[test]
fn unsupported_knobs_are_refused_by_name() {
    let cases = [
        ("external_actions.network_policy", json!({"external_actions": {"network_policy": "sometimes"}})),
        ("external_actions.install_policy", json!({"external_actions": {"install_policy": true}})),
        ("verification.no_tests_policy", json!({"verification": {"no_tests_policy": "never"}})),
        ("transparency.store_evidence_log", json!({"transparency": {"store_evidence_log": false}})),
        ("interrupt.mode", json!({"interrupt": {"mode": "always"}})),
        ("interrupt.signal_sequence", json!({"interrupt": {"signal_sequence": ["SIGSTOP"]}})),
        ("defaults.refactor_intent", json!({"defaults": {"refactor_intent": "free"}})),
        ("violation_response.autolearn", json!({"violation_response": {"autolearn": false}})),
        ("version", json!({"version": "v2"})),
    ];
    for (name, knobs) in cases {
        let scene = scene(&knobs, vec![fixes_and_tests()]);
        let refused = scene
            .mi()
            .run(["run", "--mind", "rules", "--hands", &scene.agent.hands(), TASK])
            .expect_exit(1)
            .err();
        assert!(refused.contains(&format!("`{name}`")) && refused.contains("base.json"), "{name}: {refused}");
        assert!(scene.agent.prompts().is_empty() && scene.home.path().join("mindspec/base.json").exists());
        assert!(scene.mi().run(["status"]).expect_exit(0).err().contains(name), "{name}");
        assert!(scene.mi().run(["doctor"]).out().contains(name), "{name}");
    }
}

/// A field that nobody knows is told, not refused: the file is the person's own.
#[test]
fn unknown_fields_are_told() {
    let scene = scene(&json!({"team": "blue"}), vec![fixes_and_tests()]);
    let output = scene.run(&[], TASK).expect_exit(0);
    let notes = output.events_named("note");
    assert!(notes.iter().any(|note| note["message"].to_string().contains("`team`")), "{notes:?}");
}
