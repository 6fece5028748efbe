//! What reaches outside the project, and what the person's own words make of it.

use mi_formats::ChangeKind;
use mi_loop::{
    answers::{Context, Sources, answer},
    facts::{BatchFacts, FileFact},
    questions::find_questions,
    risk::{Judged, RiskSignal, combine, judge, signals},
};
use mi_model::{LearnedRule, LearnedScope, MindSpec, RiskCategory, Severity, Timestamp, record::Risk};

fn signal(category: RiskCategory, severity: Severity, detail: &str) -> RiskSignal {
    RiskSignal {
        category,
        severity,
        detail: detail.to_owned(),
        why: "it leaves the machine".to_owned(),
        external: true,
    }
}

fn judged(values: &str, signals: &[RiskSignal]) -> Judged {
    judge(signals, &Sources::new(values, &[], &[], None, &[]), &MindSpec::default())
}

/// Searches, tools that reach out and sensitive files are signals; ordinary files and tools are not.
#[test]
fn a_batch_gives_its_signals() {
    let file = |path: &str| FileFact { path: path.to_owned(), kind: ChangeKind::Update, ..example_file() };
    let facts = BatchFacts {
        files: [".env", "src/main.rs", "a/.git/hooks/pre-commit", ".github/workflows/ci.yml", ".env.example"]
            .map(file)
            .to_vec(),
        web_searches: vec!["rust regex".to_owned()],
        tool_calls: vec![
            ("fetch".to_owned(), "{}".to_owned()),
            ("slack_post_message".to_owned(), "{}".to_owned()),
            ("update_plan".to_owned(), "{}".to_owned()),
        ],
        ..BatchFacts::default()
    };
    let found: Vec<String> = signals(&facts).iter().map(RiskSignal::sentence).collect();
    assert_eq!(
        found,
        [
            "low network: web search: rust regex (the words searched for leave the machine)",
            "low network: tool call: fetch (a tool that reads from outside)",
            "medium network: tool call: slack_post_message (a tool that sends something out)",
            "medium privacy: changed .env (this file holds secrets)",
            "high other: changed a/.git/hooks/pre-commit (this file runs on the person's machine at the next git command)",
            "medium other: changed .github/workflows/ci.yml (this file runs with the project's credentials)",
        ]
    );
}

fn example_file() -> FileFact {
    FileFact { order: 0, path: String::new(), kind: ChangeKind::Update }
}

/// Nobody said anything: a grave effect is asked about and a rule is learned from it.
#[test]
fn grave_and_unspoken_is_asked_and_learned() {
    let push = signal(RiskCategory::Push, Severity::High, "git push origin main");
    let got = judged("Use tabs.", &[signal(RiskCategory::Network, Severity::Low, "curl"), push]);
    assert!(got.risk.should_ask_user && got.rule == "risk.grave");
    assert_eq!((got.risk.category, got.risk.severity), (RiskCategory::Push, Severity::High));
    assert_eq!(
        got.risk.learned_tightening.as_deref(),
        Some("Ask before pushing or publishing, as in `git push origin main`.")
    );
}

/// What was learned is understood: the same thing is asked about next time.
#[test]
fn what_was_learned_is_asked_next_time() {
    let cases = [
        (RiskCategory::Push, "git push", "Shall I push to origin?"),
        (RiskCategory::Install, "npm install x", "May I install `x-y`?"),
        (RiskCategory::Delete, "rm -rf data", "Can I delete the old files?"),
        (RiskCategory::Network, "curl example.com", "Can I download it from the internet?"),
        (RiskCategory::Cost, "aws ec2 run-instances", "This costs $3. Go on?"),
        (RiskCategory::Privacy, "cat .env", "Can I read the password file?"),
    ];
    for (category, command, question) in cases {
        let text = judged("", &[signal(category, Severity::High, command)]).risk.learned_tightening.unwrap();
        let rule = LearnedRule {
            id: "l1".to_owned(),
            ts: Timestamp::from_millis(0),
            scope: LearnedScope::Project,
            enabled: true,
            text: text.clone(),
            rationale: String::new(),
            category: Some(category),
        };
        let sources = Sources::new("", &[], &[rule], None, &[]);
        let got = answer(&find_questions(question), &sources, Context::default());
        assert_eq!(got.rule, "answer.ask_first", "{text} / {question}: {got:?}");
    }
}

/// Words that name the risk decide: allowed is only recorded, refused and ask-first are asked about.
#[test]
fn words_that_name_the_risk_decide() {
    let cases = [
        ("You may install packages.", RiskCategory::Install, "risk.allowed_by_values", false),
        ("可以联网。", RiskCategory::Network, "risk.allowed_by_values", false),
        ("Never push.", RiskCategory::Push, "risk.refused_by_values", true),
        ("Ask me before you delete anything.", RiskCategory::Delete, "risk.ask_first", true),
        ("You may push if the tests pass.", RiskCategory::Push, "risk.grave", true),
        ("You may push. Ask me before you push.", RiskCategory::Push, "risk.ask_first", true),
        ("You may install packages.", RiskCategory::Push, "risk.grave", true),
    ];
    for (values, category, rule, asks) in cases {
        let got = judged(values, &[signal(category, Severity::High, "the command")]);
        assert_eq!((got.rule.as_str(), got.risk.should_ask_user), (rule, asks), "{values}: {got:?}");
        assert_eq!(got.risk.learned_tightening.is_some(), rule == "risk.grave", "{values}: {got:?}");
    }
}

/// A grave effect that was allowed does not hide one that was not.
#[test]
fn what_is_allowed_does_not_hide_the_rest() {
    let signals = [
        signal(RiskCategory::Install, Severity::Critical, "npm install"),
        signal(RiskCategory::Push, Severity::High, "git push"),
    ];
    let got = judged("You may install packages.", &signals);
    assert!(got.risk.category == RiskCategory::Push && got.risk.should_ask_user, "{got:?}");
}

/// What the person spoke against is asked about however small it is, and before what they said nothing of.
#[test]
fn what_was_spoken_against_is_asked_about() {
    let signals = [
        signal(RiskCategory::Network, Severity::Medium, "curl example.com"),
        signal(RiskCategory::Install, Severity::Low, "pip install x"),
    ];
    for (values, category, asks) in [
        ("Never install packages without asking me.", RiskCategory::Install, true),
        ("Ask me before you install packages.", RiskCategory::Install, true),
        ("You may install packages.", RiskCategory::Network, false),
        ("", RiskCategory::Network, false),
    ] {
        let got = judged(values, &signals);
        assert_eq!((got.risk.category, got.risk.should_ask_user), (category, asks), "{values}: {got:?}");
    }
}

/// The settings are obeyed, and nothing is learned from a low risk.
#[test]
fn settings_are_obeyed() {
    let mut mindspec = MindSpec::default();
    let push = [signal(RiskCategory::Push, Severity::High, "git push")];
    mindspec.violation_response.prompt_user_on_high_risk = false;
    mindspec.violation_response.auto_learn = false;
    let got = judge(&push, &Sources::default(), &mindspec);
    assert!(!got.risk.should_ask_user && got.risk.learned_tightening.is_none());
    let low = judged("", &[signal(RiskCategory::Network, Severity::Low, "curl")]);
    assert!(
        !low.risk.should_ask_user && low.risk.learned_tightening.is_none() && low.rule == "risk.recorded"
    );
    assert_eq!(judged("", &[]).rule, "risk.none");
}

/// A command is judged as it starts: by its gravity, or by whether it leaves the machine.
#[test]
fn a_starting_command_is_judged() {
    use mi_model::InterruptMode::{Off, OnAnyExternal, OnHighRisk};
    let cases = [
        ("git push --force origin main", Off, None),
        ("git push --force origin main", OnHighRisk, Some(RiskCategory::Push)),
        ("cargo test", OnHighRisk, None),
        ("cargo test", OnAnyExternal, None),
        ("curl https://example.com", OnAnyExternal, Some(RiskCategory::Network)),
        ("rm -rf ~", OnHighRisk, Some(RiskCategory::Delete)),
    ];
    for (command, mode, wanted) in cases {
        let got = mi_loop::risk::interrupt_verdict(command, mode, &Default::default());
        assert_eq!(got.as_ref().map(|(category, _, _)| *category), wanted, "{command} {mode:?}: {got:?}");
    }
}

fn with_policy(category: RiskCategory, policy: &str) -> MindSpec {
    let mut mindspec = MindSpec::default();
    match category {
        RiskCategory::Network => mindspec.external_actions.network_policy = policy.to_owned(),
        _ => mindspec.external_actions.install_policy = policy.to_owned(),
    }
    mindspec
}

/// Each policy of network and installing: whether it is asked about, by which rule, and whether something is learned.
#[test]
fn policies_decide_about_network_and_installing() {
    use Severity::{High, Medium};
    let cases = [
        ("values_judged", High, "risk.grave", true, true),
        ("values_judged", Medium, "risk.recorded", false, true),
        ("ask", Medium, "risk.ask_first", true, false),
        ("ask", High, "risk.ask_first", true, false),
        ("allow", High, "risk.allowed_by_policy", false, false),
        ("allow", Medium, "risk.allowed_by_policy", false, false),
        ("deny", Medium, "risk.refused_by_policy", true, false),
    ];
    for category in [RiskCategory::Network, RiskCategory::Install] {
        for (policy, severity, rule, asks, learns) in cases {
            let mindspec = with_policy(category, policy);
            let sources =
                Sources::new("Use tabs.", &[], &[], None, &[]).with_policies(&mindspec.external_actions);
            let got = judge(&[signal(category, severity, "the command")], &sources, &mindspec);
            let seen = (got.rule.as_str(), got.risk.should_ask_user, got.risk.learned_tightening.is_some());
            assert_eq!(seen, (rule, asks, learns), "{category:?} {policy} {severity:?}");
        }
        // A policy says nothing about other risks.
        let mindspec = with_policy(category, "allow");
        let sources = Sources::default().with_policies(&mindspec.external_actions);
        let push = judge(&[signal(RiskCategory::Push, High, "git push")], &sources, &mindspec);
        assert!(push.risk.should_ask_user && push.rule == "risk.grave", "{push:?}");
    }
}

/// "Ask" and "deny" are asked about also where questions about grave risks are switched off.
#[test]
fn policies_ask_although_prompts_are_switched_off() {
    for (policy, asks) in [("values_judged", false), ("ask", true), ("deny", true), ("allow", false)] {
        let mut mindspec = with_policy(RiskCategory::Network, policy);
        mindspec.violation_response.prompt_user_on_high_risk = false;
        let sources = Sources::default().with_policies(&mindspec.external_actions);
        let got = judge(&[signal(RiskCategory::Network, Severity::High, "curl")], &sources, &mindspec);
        assert_eq!(got.risk.should_ask_user, asks, "{policy}");
    }
}

/// The agent's own questions are answered from a policy, and the answer cites it.
#[test]
fn policies_answer_for_the_person() {
    let cases = [
        ("allow", "Can I install `left-pad`?", "answer.policy"),
        ("deny", "Can I install `left-pad`?", "answer.policy"),
        ("ask", "Can I install `left-pad`?", "answer.ask_first"),
        ("values_judged", "Can I install `left-pad`?", ""),
    ];
    for (policy, question, rule) in cases {
        let external = with_policy(RiskCategory::Install, policy).external_actions;
        let sources = Sources::new("Be kind.", &[], &[], None, &[]).with_policies(&external);
        let got = answer(&find_questions(question), &sources, Context::default());
        assert!(rule.is_empty() && got.answer.needs_user_input || got.rule == rule, "{policy}: {got:?}");
        if rule == "answer.policy" {
            assert_eq!(got.sources, [format!("external_actions.install_policy = {policy}")]);
        }
    }
}

/// A command is stopped by what the policies say of it, in the modes that stop at all.
#[test]
fn policies_decide_about_interrupts() {
    use mi_model::InterruptMode::{Off, OnAnyExternal, OnHighRisk};
    let curl = "curl https://example.com";
    let cases = [
        ("values_judged", OnHighRisk, false),
        ("values_judged", OnAnyExternal, true),
        ("allow", OnAnyExternal, false),
        ("deny", OnHighRisk, true),
        ("deny", Off, false),
    ];
    for (policy, mode, stops) in cases {
        let external = with_policy(RiskCategory::Network, policy).external_actions;
        let got = mi_loop::risk::interrupt_verdict(curl, mode, &external);
        assert_eq!(got.is_some(), stops, "{policy} {mode:?}: {got:?}");
    }
}

fn risk(category: RiskCategory, severity: Severity, should_ask_user: bool) -> Risk {
    Risk { category, severity, should_ask_user, mitigation: Vec::new(), learned_tightening: None }
}

/// A model may see more risk than the rules, never less of what they call grave, and no question of theirs goes away.
#[test]
fn models_raise_and_never_lower() {
    use RiskCategory::{Network, Other, Privacy, Push};
    use Severity::{Critical, High, Low, Medium};
    let cases = [
        // The rules, the model, and what holds.
        (risk(Push, High, true), risk(Other, Low, false), risk(Push, High, true)),
        (risk(Push, Critical, true), risk(Push, High, false), risk(Push, Critical, true)),
        (risk(Push, High, false), risk(Push, Medium, false), risk(Push, High, false)),
        (risk(Network, Medium, true), risk(Network, Low, false), risk(Network, Medium, true)),
        (risk(Network, Medium, false), risk(Network, Low, false), risk(Network, Low, false)),
        (risk(Network, Low, false), risk(Privacy, Critical, true), risk(Privacy, Critical, true)),
        (risk(Push, High, true), risk(Privacy, Critical, false), risk(Privacy, Critical, true)),
    ];
    for (ruled, model, expected) in cases {
        let got = combine(&ruled, model.clone(), &MindSpec::default());
        assert_eq!(got, expected, "{ruled:?} {model:?}");
    }
}

/// What a knob allows stays unasked, also when a model would ask; and a model learns nothing against it.
#[test]
fn models_do_not_ask_about_what_is_allowed() {
    let mindspec = with_policy(RiskCategory::Network, "allow");
    let tightening = Some("Ask before using the network.".to_owned());
    let model = Risk { learned_tightening: tightening, ..risk(RiskCategory::Network, Severity::High, true) };
    let got = combine(&risk(RiskCategory::Network, Severity::Low, false), model, &mindspec);
    assert!(!got.should_ask_user && got.learned_tightening.is_none(), "{got:?}");
    let privacy = risk(RiskCategory::Privacy, Severity::High, true);
    assert!(combine(&risk(RiskCategory::Network, Severity::Low, false), privacy, &mindspec).should_ask_user);
}

/// What the rules wanted to learn from a grave risk is learned, whatever a model leaves out.
#[test]
fn models_do_not_take_back_what_is_learned() {
    let ruled = judged("", &[signal(RiskCategory::Push, Severity::High, "git push")]).risk;
    let got = combine(&ruled, risk(RiskCategory::Push, Severity::High, false), &MindSpec::default());
    assert_eq!((got.learned_tightening, got.mitigation), (ruled.learned_tightening, ruled.mitigation));
}
