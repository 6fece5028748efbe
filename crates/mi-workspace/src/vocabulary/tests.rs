use super::{ExpandError, HarnessKind, MacroValue, Piece, STARTER, TagAction, Vocabulary, parse_body};
use serde_json::json;

fn starter() -> &'static Vocabulary {
    Vocabulary::starter()
}

/// All nine agents, with category, model tier, capabilities and resume tier as the contract has them.
#[test]
fn nx_240_nx_260_the_nine_agents_are_there() {
    let how = ["no_file_edit", "no_task_create", "no_task_update"].as_slice();
    let keeps = ["no_file_edit", "no_task_create"].as_slice();
    let expected = [
        ("architect", "how", "high", "persistent", how),
        ("designer", "how", "high", "persistent", how),
        ("engineer", "do", "standard", "bounded", ["no_task_create"].as_slice()),
        ("postdoc", "how", "high", "persistent", how),
        ("researcher", "do", "standard", "persistent", keeps),
        ("reviewer", "check", "standard", "ephemeral", keeps),
        ("strategist", "how", "high", "persistent", how),
        ("tester", "check", "standard", "ephemeral", keeps),
        ("writer", "do", "standard", "bounded", ["no_task_create"].as_slice()),
    ];
    let found: Vec<_> = starter()
        .agents
        .iter()
        .map(|a| {
            let capabilities: Vec<&str> = a.capabilities.iter().map(String::as_str).collect();
            (a.id.as_str(), a.category.as_str(), a.model_tier.as_str(), a.resume_tier.as_str(), capabilities)
        })
        .collect();
    let expected: Vec<_> = expected.map(|(id, c, m, t, list)| (id, c, m, t, list.to_vec())).into();
    assert_eq!(found, expected);
    assert!(starter().agents.iter().all(|agent| agent.body.len() > 300));
}

/// The four capabilities deny exactly the contract's classes; an agent is denied the union and what a project adds.
#[test]
fn nx_245_to_nx_251_capabilities_deny_classes() {
    let classes = |id: &str| starter().capability(id).unwrap().blocks_semantic_classes.clone();
    assert_eq!(
        classes("no_file_edit"),
        [
            "file_creation",
            "file_modification",
            "file_deletion",
            "partial_file_edit",
            "structured_document_edit"
        ]
    );
    assert_eq!(classes("no_task_create"), ["nexus_task_creation"]);
    assert_eq!(
        classes("no_task_update"),
        ["nexus_task_state_transition", "nexus_task_metadata_modification"]
    );
    assert_eq!(
        classes("no_shell_exec"),
        ["shell_command_exec", "subprocess_spawn", "interactive_shell_session"]
    );
    let engineer: Vec<&str> =
        starter().denied_classes("engineer", &["no_shell_exec".to_owned()]).into_iter().collect();
    assert_eq!(
        engineer,
        ["interactive_shell_session", "nexus_task_creation", "shell_command_exec", "subprocess_spawn"]
    );
    assert!(starter().denied_classes("lead", &[]).is_empty());
}

/// The tags, what they do, and their variants.
#[test]
fn nx_271_nx_273_nx_274_tags_name_skills_and_handlers() {
    let skill = |id: &str| TagAction::Skill(id.to_owned());
    let inline = |id: &str| TagAction::Inline(id.to_owned());
    let expected = [
        ("[plan]", skill("nx-plan")),
        ("[run]", skill("nx-run")),
        ("[sync]", skill("nx-sync")),
        ("[init]", skill("nx-init")),
        ("[setup]", skill("mi-setup")),
        ("[d]", inline("nx_plan_decide")),
        ("[m]", inline("memory_store")),
        ("[m:gc]", inline("memory_gc")),
        ("[rule]", inline("rule_store")),
    ];
    let found: Vec<_> = starter().tags.iter().map(|tag| (tag.trigger.as_str(), tag.action.clone())).collect();
    assert_eq!(found, expected);
    let tag = |id: &str| starter().tag(id).unwrap();
    assert!(tag("plan").allows("auto") && !tag("plan").allows("fast") && !tag("m").allows("gc"));
    assert!(tag("rule").allows("naming") && !tag("rule").allows(""));
}

/// Skills, their triggers, who may start them, and the texts they refer to.
#[test]
fn nx_270_nx_277_nx_282_skills_and_their_references() {
    let found: Vec<_> = starter()
        .skills
        .iter()
        .map(|s| (s.id.as_str(), s.triggers.join(","), s.manual_only, s.harness_docs_refs.join(",")))
        .collect();
    assert_eq!(
        found,
        [
            ("mi-setup", String::new(), true, "slash_command_display,status_display".to_owned()),
            ("nx-init", String::new(), true, "instruction_file,slash_command_display".to_owned()),
            ("nx-plan", "plan".to_owned(), false, "resume_invocation".to_owned()),
            ("nx-run", "run".to_owned(), false, "resume_invocation".to_owned()),
            ("nx-sync", "sync".to_owned(), false, String::new()),
        ]
    );
}

/// The parameters of the primitives, required ones marked.
#[test]
fn nx_295_nx_306_primitives_have_their_parameters() {
    let found: Vec<String> = starter()
        .invocations
        .iter()
        .map(|known| {
            let mark =
                |param: &super::Param| format!("{}{}", param.name, if param.required { "!" } else { "?" });
            let params: Vec<String> = known.semantic_params.iter().map(mark).collect();
            format!("{}({})", known.id, params.join(" "))
        })
        .collect();
    assert_eq!(
        found,
        [
            "skill_activation(skill! mode?)",
            "subagent_spawn(target_role! prompt! name? resume_tier_hint?)",
            "task_register(label! state!)",
            "user_question(question! options!)",
            "memory_read_observation(file_path! reader_identity! observed_at!)",
        ]
    );
}

/// The exceptions and the memory policy of the contract.
#[test]
fn nx_310_nx_339_exceptions_and_memory_policy() {
    let ids: Vec<&str> = starter().task_exceptions.iter().map(|exception| exception.id.as_str()).collect();
    assert_eq!(
        ids,
        ["docs_only.coherent", "docs_only.independent", "same_file_bundle", "generated_artifacts"]
    );
    let policy = &starter().memory_policy;
    let prefixes: Vec<&str> = policy.categories.iter().map(|category| category.prefix.as_str()).collect();
    assert_eq!(prefixes, ["empirical-", "external-", "pattern-"]);
    assert_eq!(policy.naming.pattern, r"^[a-z0-9][a-z0-9-]*\.md$");
    assert_eq!(policy.access_tracking.observation_primitive, "file_read");
    assert_eq!(policy.access_tracking.information_accumulated.len(), 3);
    assert!(policy.forgetting.manual_gate_default);
    assert_eq!(policy.forgetting.automatic_deletion_structure.principle, "minimum_three_signal_intersection");
    assert_eq!(policy.forgetting.recoverable_deletion_requirement, "git_commit");
    assert_eq!(policy.merge.principle, "merge_before_create");
}

/// Every form of value, braces inside of values, and a here-document whose macros are text.
#[test]
fn nx_296_nx_297_nx_300_the_grammar() {
    let body = "a {{x k=v s=\"two \\\"words\\\" }}\" l=[a, b c] m={k: v, n: \"w}\"} o=[{label: A, description: \"b\"}] h=>>DOC}}\n{{y}} stays\n<<DOC\nb {{ not }} {{Not}}";
    let pieces = parse_body(body).unwrap();
    let [Piece::Text("a "), Piece::Macro(call), Piece::Text(after)] = pieces.as_slice() else {
        panic!("{pieces:?}")
    };
    assert_eq!((call.id, call.line, *after), ("x", 1, "\nb {{ not }} {{Not}}"));
    let plain = MacroValue::Plain;
    assert_eq!(
        call.arguments,
        [
            ("k", plain(json!("v"))),
            ("s", plain(json!("two \"words\" }}"))),
            ("l", plain(json!(["a", "b c"]))),
            ("m", plain(json!({"k": "v", "n": "w}"}))),
            ("o", plain(json!([{"label": "A", "description": "b"}]))),
            ("h", MacroValue::Heredoc("{{y}} stays".to_owned())),
        ]
    );
}

/// What cannot be read says where and why.
#[test]
fn nx_266_nx_298_nx_302_bad_macros_fail_loudly() {
    let cases = [
        ("one\n{{explode now=1}}", "line 2: `explode` is not a primitive"),
        ("{{skill_activation skill=nx-plan", "line 1: the macro `skill_activation` is not closed"),
        ("{{skill_activation}}", "needs `skill`"),
        ("{{skill_activation skill=nx-none}}", "`nx-none` is not a skill of this set"),
        ("{{skill_activation skill=nx-plan speed=high}}", "has no parameter `speed`"),
        ("{{skill_activation skill=nx-plan skill=nx-run}}", "has `skill` twice"),
        ("{{subagent_spawn target_role=explore prompt=x}}", "`explore` is not an agent of this set"),
        ("{{task_register label=x state=blocked}}", "`blocked` is not a state"),
        ("{{user_question question=x options=[a]}}", "`options` is a list of maps"),
        ("{{subagent_spawn target_role=writer prompt=>>doc}}", "named by capital letters"),
        ("{{subagent_spawn target_role=writer prompt=>>DOC}}\ntext", "has no end"),
        ("{{subagent_spawn target_role=writer prompt=\"x}}", "a quoted text is not closed"),
        (
            "{{subagent_spawn target_role=writer prompt=>>A}}\nx\n<<A\n{{subagent_spawn target_role=writer prompt=>>A}}\ny\n<<A\n",
            "stands twice",
        ),
    ];
    for (body, wanted) in cases {
        let said = starter().expand(body, HarnessKind::Plain).unwrap_err().to_string();
        assert!(said.contains(wanted), "{body}: {said}");
    }
}

/// Each skill expands for each harness, completely; a reference without text is an error.
#[test]
fn nx_276_nx_299_every_skill_expands_everywhere() {
    for kind in HarnessKind::ALL {
        for skill in &starter().skills {
            let text = starter().instructions(&skill.id, kind).unwrap();
            assert!(!text.contains("{{") && !text.contains("}}") && !text.contains("\n<<"), "{}", skill.id);
        }
    }
    let mut set = starter().clone();
    set.skills[0].harness_docs_refs.push("no_such_text".to_owned());
    let error = set.instructions("mi-setup", HarnessKind::Claude).unwrap_err();
    assert_eq!(error, ExpandError::NoText { skill: "mi-setup".to_owned(), key: "no_such_text".to_owned() });
}

/// Where a harness cannot do something, the contract's fallback is said.
#[test]
fn nx_301_nx_303_fallbacks() {
    let say = |body: &str| starter().expand(body, HarnessKind::Plain).unwrap();
    assert!(say("{{skill_activation skill=nx-plan mode=auto}}").contains("`[plan:auto]`"));
    assert!(say("{{skill_activation skill=nx-sync}}").contains("`[sync]`"));
    assert!(
        say("{{subagent_spawn target_role=tester prompt=\"Try it\"}}")
            .contains("warn that nothing separates")
    );
    assert_eq!(say("a{{task_register label=x state=pending}}b"), "ab");
    let question = say(
        "{{user_question question=\"Which?\" options=[{label: A, description: first}, {label: B, description: second}]}}",
    );
    assert!(
        question.contains("1. A: first\n2. B: second\n")
            && question.contains("Do not go on before the reply")
    );
    assert!(say("{{user_question question=\"What?\" options=[]}}").contains("What?"));
    let read = "{{memory_read_observation file_path=.nexus/memory/a.md reader_identity=x observed_at=now}}";
    assert!(say(read).contains("nothing is ever removed automatically"));
}

/// No body and no text of the set names a model or an interface hint (NX-262, NX-390).
#[test]
fn nx_387_nx_390_the_set_is_neutral() {
    for (path, text) in STARTER.iter().filter(|(path, _)| path.ends_with(".yml")) {
        for key in ["icon:", "color:", "sort_order:", "badge:", "emoji:", "theme:", "ui_hint:"] {
            assert!(!text.contains(key), "{path} has {key}");
        }
    }
}

/// No body breaks the parser: it ends, with pieces or with an error.
#[test]
fn any_text_is_parsed_or_refused() {
    let alphabet =
        ["{{", "}}", "a", "=", "\"", "[", "]", "{", "}", ">>", "<<", "A", "\n", " ", ",", ":", "\\", "é"];
    let mut seed: u64 = 7;
    for _ in 0..5_000 {
        let mut body = String::new();
        for _ in 0..12 {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            body.push_str(alphabet[(seed >> 33) as usize % alphabet.len()]);
        }
        let _ = parse_body(&body);
    }
    assert!(parse_body(&format!("{{{{a b={}", "[".repeat(10_000))).is_err());
}

/// What a person alone starts has no trigger, and no body starts it; the others are started by their tags.
#[test]
fn nx_275_manual_skills_are_started_by_a_person_alone() {
    let manual: Vec<&str> =
        starter().skills.iter().filter(|skill| skill.manual_only).map(|skill| skill.id.as_str()).collect();
    assert_eq!(manual, ["mi-setup", "nx-init"]);
    for skill in &starter().skills {
        assert_eq!(skill.manual_only, skill.triggers.is_empty(), "{}", skill.id);
        let started = manual.iter().find(|id| skill.body.contains(&format!("skill_activation skill={id}")));
        assert_eq!(started, None, "{}", skill.id);
    }
}

/// The set-up covers scope, what is shown, what is recommended, and hands over to the set-up of knowledge.
#[test]
fn nx_282_the_set_up_skill() {
    for kind in HarnessKind::ALL {
        let text = starter().instructions("mi-setup", kind).unwrap();
        for part in [
            "## 1. Scope",
            "This project",
            "Me, everywhere",
            "mi mcp install",
            "On:",
            "Off:",
            "Recommend",
            "`[init]`",
        ] {
            assert!(text.contains(part), "{kind:?}: {part}\n{text}");
        }
    }
    let claude = starter().instructions("mi-setup", HarnessKind::Claude).unwrap();
    assert!(claude.contains("statusLine"), "{claude}");
}

/// Planning goes on with an open plan, asks nobody in auto mode, and running plans by itself where there are no tasks.
#[test]
fn nx_284_nx_285_planning_is_taken_up_and_can_do_without_a_person() {
    let body = |id: &str| starter().skill(id).unwrap().body.as_str();
    let place = |text: &str| body("nx-plan").find(text).unwrap_or_else(|| panic!("{text}"));
    assert!(place("`nx_plan_status`") < place("If a plan is open, go on"));
    assert!(place("If a plan is open, go on") < place("`nx_plan_start`"));
    assert!(body("nx-plan").contains("every decision names what\nwas chosen, what was rejected"));
    assert!(body("nx-run").contains("{{skill_activation skill=nx-plan mode=auto}}"));
}

/// Synchronising removes nothing; setting up backs up before a reset, keeps to its markers and to ten lines.
#[test]
fn nx_291_knowledge_is_kept() {
    let body = |id: &str| starter().skill(id).unwrap().body.as_str();
    assert!(body("nx-sync").contains("target_role=writer"));
    for part in ["--reset", ".nexus/bak.{timestamp}/", "PROJECT:START", "PROJECT:END", "at most ten lines"] {
        assert!(body("nx-init").contains(part), "{part}");
    }
}

/// Primitives and exceptions have every field that the contract asks for, at its length and of its form.
#[test]
fn nx_305_nx_315_entries_are_complete() {
    let is_snake = |text: &str| text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    for known in &starter().invocations {
        assert!(is_snake(&known.intent) && known.prose_guidance.len() >= 40, "{}", known.id);
        assert!(known.fallback_behavior.len() >= 20 && !known.description.is_empty(), "{}", known.id);
        assert!(known.semantic_params.iter().all(|param| is_snake(&param.name)), "{}", known.id);
    }
    for exception in &starter().task_exceptions {
        let parts: Vec<&str> = exception.id.split('.').collect();
        assert!(parts.len() <= 2 && parts.iter().all(|part| is_snake(part)), "{}", exception.id);
        for text in
            [&exception.description, &exception.applies_when, &exception.treatment, &exception.rationale]
        {
            assert!(!text.trim().is_empty(), "{}", exception.id);
        }
    }
}

/// Nothing but Markdown and YAML, no protocol, no program, and every gate is content with the words.
#[test]
fn nx_262_nx_385_nx_386_nx_388_nx_389_the_set_is_text_alone() {
    for (path, text) in STARTER {
        assert!(path.ends_with(".md") || path.ends_with(".yml"), "{path}");
        assert!(!text.to_lowercase().contains("agent client protocol"), "{path}");
    }
    let findings = crate::manifest::validate(&crate::manifest::Source::starter());
    assert_eq!(findings, []);
    let uses = |id: &str| STARTER.iter().any(|(_, text)| text.contains(&format!("{{{{{id}")));
    for id in ["skill_activation", "subagent_spawn", "task_register", "user_question"] {
        assert!(uses(id), "{id}");
    }
}
