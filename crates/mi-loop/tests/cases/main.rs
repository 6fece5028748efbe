//! Labelled cases from real Codex streams: what `auto` decides by rules, how often it asks a model, and whether a
//! person would have decided the same. `dev/make-cases` makes the data; `docs/measurements-mind.md` records the figures.
#![expect(clippy::print_stderr, reason = "the table is what the measurement is for")]

mod case;
#[path = "../support/look.rs"]
mod look;
mod outcome;

use case::{Case, Label};
use mi_loop::{
    message::{Command, Event},
    run::Run,
    setup::MindMode,
};
use mi_model::Usage;
use outcome::Outcome;
use std::collections::BTreeMap;

/// What came of one decision of one case.
struct Judged {
    case: String,
    group: String,
    at: usize,
    label: Label,
    outcome: Outcome,
}

impl Judged {
    /// The same as the label by rules alone, or, where a model is asked, nothing unsafe without its answer.
    fn agrees(&self) -> bool {
        let asked = !self.outcome.asked_model.is_empty();
        self.outcome.fits(&self.label)
            || asked && self.label.next != "done" && self.outcome.is_safe(&self.label)
    }
}

fn cases() -> Vec<Case> {
    let files = [
        include_str!("../data/cases/checks.jsonl"),
        include_str!("../data/cases/questions.jsonl"),
        include_str!("../data/cases/work.jsonl"),
    ];
    let line = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line:.80}"));
    files.iter().flat_map(|file| file.lines()).map(line).collect()
}

/// Steps the brain until it waits for the agent or the person, or ends. A model that is asked has no answer. The streams
/// were recorded without their trees, so whatever was changed counts as shown: these cases are about the checks.
fn settle(run: &mut Run, case: &Case, tree: &str, event: Event) -> (Outcome, Option<String>) {
    let mut commands = run.step(event);
    loop {
        let next = match commands.last() {
            Some(Command::AskMind(question)) => Event::MindAnswered {
                prompt: question.prompt,
                model: "none".to_owned(),
                answer: None,
                usage: Usage::default(),
            },
            Some(Command::LookAtChange(_)) => {
                Event::ChangeSeen { look: Box::new(look::everything_shown(&case.task, tree)) }
            }
            _ => break,
        };
        commands.extend(run.step(next));
    }
    let input = commands.iter().rev().find_map(|command| match command {
        Command::RunBatch(order) => Some(order.input.clone()),
        _ => None,
    });
    (Outcome::read(&commands), input)
}

fn play(case: &Case) -> Vec<Judged> {
    let mut run = Run::new(case.setup(MindMode::RulesFirst));
    let (_, mut input) = settle(&mut run, case, "", Event::Start);
    let mut judged = Vec::new();
    let mut keep = |at: usize, label: &Label, outcome: Outcome| {
        let (case, group) = (case.name.clone(), case.group().to_owned());
        judged.push(Judged { case, group, at, label: label.clone(), outcome });
    };
    for (at, batch) in case.batches.iter().enumerate() {
        // A wrong turn before this leaves nothing to compare with.
        let Some(sent) = input.take() else { break };
        let report = case.report(at, &sent);
        let tree = report.facts.end_tree.clone();
        let (outcome, next) = settle(&mut run, case, &tree, Event::BatchEnded(Box::new(report)));
        input = next;
        keep(at, &batch.expect, outcome);
        if let Some((answer, label)) = batch.person.as_ref().filter(|_| run.waiting_for().is_some()) {
            let (outcome, next) =
                settle(&mut run, case, &tree, Event::PersonAnswered { answer: answer.clone() });
            input = next;
            keep(at, label, outcome);
        }
    }
    judged
}

/// A share in percent.
fn percent(part: usize, of: usize) -> f64 {
    100.0 * part as f64 / of.max(1) as f64
}

/// At least 120 cases, 25 of them Chinese; a person agrees with 95 of 100, also where no model is there to ask; a model is
/// asked at every second batch at most; what is not done is never called done, and no open question is answered.
#[test]
fn labelled_cases_agree() {
    let cases = cases();
    let judged: Vec<Judged> = cases.iter().flat_map(play).collect();
    let batches: usize = cases.iter().map(|case| case.batches.len()).sum();
    let calls: usize = judged.iter().map(|one| one.outcome.asked_model.len()).sum();
    let good = judged.iter().filter(|one| one.agrees()).count();
    let by_rules = judged.iter().filter(|one| one.outcome.fits(&one.label)).count();
    let chinese = cases.iter().filter(|case| case.is_chinese()).count();
    let calls_per_batch = calls as f64 / batches as f64;
    eprintln!("{} cases ({chinese} Chinese), {batches} batches, {} decisions", cases.len(), judged.len());
    eprintln!("model calls per batch: {calls_per_batch:.3} ({calls})");
    eprintln!(
        "agreement: {:.1} % ({good}); by rules alone {:.1} % ({by_rules})",
        percent(good, judged.len()),
        percent(by_rules, judged.len())
    );
    print_groups(&judged);
    print_disagreements(&judged);
    let wrong = |bad: &dyn Fn(&Judged) -> bool| -> Vec<&str> {
        judged.iter().filter(|one| bad(one)).map(|one| one.case.as_str()).collect()
    };
    let called_done = wrong(&|one| one.outcome.next == "done" && one.label.next != "done");
    let answered = wrong(&|one| one.outcome.next == "answer" && one.label.next == "ask_person");
    assert_eq!(called_done, Vec::<&str>::new(), "called done, and a person says it is not");
    assert_eq!(answered, Vec::<&str>::new(), "answered, and nothing covers it");
    assert!(cases.len() >= 120 && chinese >= 25, "{} cases, {chinese} Chinese", cases.len());
    assert!(calls_per_batch <= 0.5, "{calls_per_batch}");
    assert!(percent(good, judged.len()) >= 95.0, "{good} of {}", judged.len());
    assert!(percent(by_rules, judged.len()) >= 95.0, "{by_rules} of {} by rules alone", judged.len());
}

fn print_groups(judged: &[Judged]) {
    let mut groups: BTreeMap<&str, (usize, usize, usize)> = BTreeMap::new();
    for one in judged {
        let group = groups.entry(&one.group).or_default();
        group.0 += 1;
        group.1 += usize::from(one.agrees());
        group.2 += one.outcome.asked_model.len();
    }
    for (name, (all, good, calls)) in groups {
        eprintln!("  {name:<12} {good:>3} of {all:>3} agree, {calls} model calls");
    }
}

fn print_disagreements(judged: &[Judged]) {
    for one in judged.iter().filter(|one| !one.outcome.fits(&one.label)) {
        let Judged { case, at, label, outcome, .. } = one;
        let mark = if one.agrees() { "~" } else { "!" };
        eprintln!("{mark} {case}[{at}] expected {label:?}");
        eprintln!(
            "    got {} by {} {:?} asked {:?}",
            outcome.next, outcome.rule, outcome.proof, outcome.asked_model
        );
        eprintln!(
            "    sources {:?} reason {:.160} text {:.300}",
            outcome.sources, outcome.reason, outcome.text
        );
    }
}
