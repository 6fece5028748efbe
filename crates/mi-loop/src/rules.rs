//! The judgements of the rules mind, as the loop asks for them.

use mi_model::{ExternalStance, LearnedRule, LearnedScope, RiskCategory, Timestamp};

use crate::{
    answers::{Context, Sources},
    message::Command,
    plan::{self, Planned, Situation},
    report::BatchReport,
    run::Run,
};

/// Everything that can answer a question in the person's name.
pub(crate) fn sources(run: &Run) -> Sources {
    let mind = &run.setup.mind;
    let external = &mind.external_actions;
    // Rules that mi learned by itself tighten what nobody had spoken of; a knob that allows it has.
    let is_allowed = |rule: &&LearnedRule| {
        rule.category.is_some_and(|category| external.stance_on(category) == ExternalStance::Allow)
    };
    let learned: Vec<LearnedRule> = run.learned.iter().filter(|rule| !is_allowed(rule)).cloned().collect();
    Sources::new(&mind.values_text, &mind.values_summary, &learned, run.strategy.as_deref(), &run.answers)
        .with_policies(external)
}

/// What besides the sources bears on an answer.
pub(crate) fn context(run: &Run) -> Context<'_> {
    Context { task: &run.setup.task, mindspec: Some(&run.setup.mind) }
}

/// Which check should run next.
pub(crate) fn plan(run: &Run, report: &BatchReport, has_open_question: bool) -> Planned {
    let situation = Situation { has_open_question, waits_for_person: false };
    plan::plan_checks(report, &run.history, &run.setup.criteria, run.strategy.as_deref(), situation)
}

/// What to tell the agent so that the project's check runs, if the project has one.
pub(crate) fn check_request(run: &Run, report: &BatchReport) -> Option<String> {
    let planned = plan(run, report, false).plan;
    (planned.should_run_checks && !planned.codex_check_input.is_empty()).then_some(planned.codex_check_input)
}

/// Learns a tighter rule, once.
pub(crate) fn learn(
    run: &mut Run,
    text: &str,
    signals: &[String],
    category: RiskCategory,
    out: &mut Vec<Command>,
) {
    if run.learned.iter().any(|rule| rule.text == text) {
        return;
    }
    let rationale = format!("seen in {}: {}", run.batch_id(), signals.join("; "));
    run.learned.push(LearnedRule {
        id: String::new(),
        ts: Timestamp::from_millis(0),
        scope: LearnedScope::Project,
        enabled: true,
        text: text.to_owned(),
        rationale: rationale.clone(),
        category: Some(category),
    });
    out.push(Command::Learn { text: text.to_owned(), rationale, category: Some(category) });
}

/// A failure that trying again cannot mend.
pub(crate) fn is_final_failure(message: &str) -> bool {
    let message = message.to_lowercase();
    let signs = [
        "401",
        "403",
        "unauthorized",
        "forbidden",
        "invalid api key",
        "api key",
        "not logged in",
        "quota",
        "billing",
    ];
    signs.iter().any(|sign| message.contains(sign))
}

/// An answer that says no more than "fine".
pub(crate) fn is_plain_consent(answer: &str) -> bool {
    let word = answer.trim().trim_end_matches(['.', '!', '。', '！']).to_lowercase();
    let consents = [
        "ok",
        "okay",
        "yes",
        "y",
        "fine",
        "sure",
        "accept",
        "accepted",
        "go on",
        "continue",
        "that is fine",
        "that's fine",
        "all right",
        "好",
        "可以",
        "行",
        "同意",
        "没问题",
        "继续",
    ];
    consents.contains(&word.as_str())
}
