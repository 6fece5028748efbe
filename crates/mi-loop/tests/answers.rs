//! Labelled questions: what a person expects to be answered for them, and what they want to be asked.

use mi_loop::{
    answers::{Answered, Context, Sources, answer},
    questions::find_questions,
};
use mi_model::{LearnedRule, LearnedScope, MindSpec, Timestamp};
use serde::Deserialize;

/// One line of `data/answers.jsonl` or `data/answers_hard.jsonl`.
#[derive(Debug, Deserialize, Default)]
#[serde(default)]
struct Case {
    /// The agent's last message.
    m: String,
    /// The values text.
    v: String,
    /// Learned rules.
    l: Vec<String>,
    /// The overlay's strategy for a project without tests.
    o: Option<String>,
    /// Earlier questions and answers.
    e: Vec<(String, String)>,
    /// The task.
    t: String,
    /// answered, person, undecided or none; where more than one is right, with `|` between them.
    want: String,
    /// Part of the reply to the agent.
    says: String,
    /// What the reply to the agent must not say.
    never: String,
    /// Part of a source.
    cites: String,
    /// Part of the question to the person.
    asks: String,
}

fn cases(lines: &str) -> Vec<Case> {
    lines.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

fn sources(case: &Case) -> Sources {
    let learned: Vec<LearnedRule> = case
        .l
        .iter()
        .enumerate()
        .map(|(at, text)| LearnedRule {
            id: format!("l{at}"),
            ts: Timestamp::from_millis(0),
            scope: LearnedScope::Global,
            enabled: true,
            text: text.clone(),
            rationale: String::new(),
            category: None,
        })
        .collect();
    Sources::new(&case.v, &[], &learned, case.o.as_deref(), &case.e)
}

fn run(case: &Case) -> Answered {
    let mindspec = MindSpec::default();
    let context = Context { task: &case.t, mindspec: Some(&mindspec) };
    answer(&find_questions(&case.m), &sources(case), context)
}

fn outcome(answered: &Answered) -> &'static str {
    let answer = &answered.answer;
    match (answer.should_answer, answer.needs_user_input, answered.undecided) {
        (true, false, false) => "answered",
        (false, true, true) => "undecided",
        (false, true, false) => "person",
        (false, false, false) => "none",
        _ => "inconsistent",
    }
}

fn fault(case: &Case) -> Option<String> {
    let got = run(case);
    let has = |text: &str, part: &str| text.to_lowercase().contains(&part.to_lowercase());
    let fits = case.want.split('|').any(|want| want == outcome(&got))
        && (case.never.is_empty() || !has(&got.answer.codex_answer_input, &case.never))
        && has(&got.answer.codex_answer_input, &case.says)
        && (case.cites.is_empty() || got.sources.iter().any(|source| has(source, &case.cites)))
        && has(&got.answer.ask_user_question, &case.asks);
    (!fits).then(|| {
        format!("{case:?}\n  questions {:?}\n  got {} {got:?}", find_questions(&case.m), outcome(&got))
    })
}

/// How many cases came out as labelled; fails with those that did not.
fn agreement(cases: &[Case]) -> String {
    let faults: Vec<String> = cases.iter().filter_map(fault).collect();
    let agreement = format!("agreement: {} of {}", cases.len() - faults.len(), cases.len());
    assert!(faults.is_empty(), "{agreement}\n{}", faults.join("\n"));
    agreement
}

/// Every labelled case comes out as the person who labelled it expects.
#[test]
fn labelled_questions_come_out_as_labelled() {
    let cases = cases(include_str!("data/answers.jsonl"));
    assert!(cases.len() >= 120 && cases.iter().filter(|case| !case.m.is_ascii()).count() >= 30);
    println!("{}", agreement(&cases));
}

/// Words of two meanings, narrower rules, conditions, words put into the person's mouth: in doubt, no answer.
#[test]
fn traps_are_not_answered_in_the_persons_name() {
    let cases = cases(include_str!("data/answers_hard.jsonl"));
    assert!(cases.len() >= 40);
    println!("{}", agreement(&cases));
}
