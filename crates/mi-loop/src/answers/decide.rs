//! One question against all sources: answered, for the person, or open.

use mi_model::{MindSpec, RiskCategory};

use super::{
    asked::{Asked, risks},
    choice, facts, going_on, leave, meaning, narrower,
    sources::{Origin, Sentence, Sources},
    stance::{Position, Stance, positions},
    vote::{touches, vote, wants_to_be_asked},
};
use crate::{
    questions::{Kind, Question},
    words::{Act, Term, read, terms_of},
};

/// What the sources say to a question.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Verdict {
    Answered(Reply),
    /// Only the person can say; a model is not asked.
    Person {
        rule: &'static str,
        why: String,
        source: Option<String>,
    },
    /// The rules cannot tell.
    Open {
        rule: &'static str,
        why: String,
    },
}

/// What to tell the agent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reply {
    pub(crate) decision: Decision,
    pub(crate) source: String,
    /// The sentence itself, without its label.
    pub(crate) words: String,
    pub(crate) rule: &'static str,
    pub(crate) confidence: f64,
}

/// The shape of an answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Decision {
    Yes,
    /// No, with what to do instead where the lexicon knows it.
    No {
        instead: Option<&'static str>,
    },
    Choose(String),
    Tell(String),
    /// The agent is to decide by itself.
    Yours,
}

/// What besides the sources bears on an answer.
#[derive(Debug, Clone, Copy, Default)]
pub struct Context<'a> {
    /// The task as the person gave it.
    pub task: &'a str,
    /// The mind's settings, for its defaults.
    pub mindspec: Option<&'a MindSpec>,
}

/// Decides one question.
pub(crate) fn decide(question: &Question, sources: &Sources, context: Context<'_>) -> Verdict {
    let default = default_statement(question, context);
    let own: Vec<&Sentence> = sources.statements().chain(&default).collect();
    if let Some(verdict) = super::earlier::same_question(question, sources) {
        return unless_refused(verdict, question, &own, sources);
    }
    let first = decide_from(question, &own, sources);
    let silent = matches!(&first, Verdict::Open { rule: "answer.silent", .. })
        || matches!(&first, Verdict::Person { source: None, .. });
    if silent && !sources.summary.is_empty() {
        let all: Vec<&Sentence> = own.iter().copied().chain(&sources.summary).collect();
        let second = decide_from(question, &all, sources);
        if !matches!(second, Verdict::Open { rule: "answer.silent", .. }) {
            return second;
        }
    }
    let undecided = matches!(&first, Verdict::Open { rule, .. } if !DECIDED_OPEN.contains(rule));
    if undecided && going_on::is_covered(question, context.task) {
        return answered(Decision::Yes, &task_statement(context.task), 0.85);
    }
    first
}

fn decide_from(question: &Question, statements: &[&Sentence], sources: &Sources) -> Verdict {
    if let Some(verdict) = asked_first(question, statements) {
        return verdict;
    }
    let verdict = match question.kind {
        Kind::Consent => consent(question, statements),
        Kind::Choice => choice::choice(question, statements),
        Kind::Information => facts::information(question, statements, sources),
    };
    match verdict {
        Verdict::Open { rule, why } if !DECIDED_OPEN.contains(&rule) => {
            silence(question, statements, rule, why)
        }
        other => other,
    }
}

/// Statements speak of it, so that it is not the silence that leaves it open.
const DECIDED_OPEN: &[&str] = &["answer.condition", "answer.ambiguous"];

/// An earlier answer to the same question holds, but not against a rule to ask or one that says otherwise.
fn unless_refused(
    verdict: Verdict,
    question: &Question,
    statements: &[&Sentence],
    sources: &Sources,
) -> Verdict {
    if let Some(ask) = asked_first(question, statements) {
        return ask;
    }
    let others = decide_from(question, statements, sources);
    let turned = |one: &Reply, other: &Reply| {
        matches!(
            (&one.decision, &other.decision),
            (Decision::Yes, Decision::No { .. }) | (Decision::No { .. }, Decision::Yes)
        )
    };
    match (&verdict, &others) {
        (Verdict::Answered(_), Verdict::Person { rule: "answer.contradiction", .. }) => others,
        (Verdict::Answered(one), Verdict::Answered(other)) if turned(one, other) => Verdict::Person {
            rule: "answer.contradiction",
            why: format!("{} and {} say different things", one.source, other.source),
            source: Some(other.source.clone()),
        },
        _ => verdict,
    }
}

/// The person said that they want to be asked about this.
fn asked_first(question: &Question, statements: &[&Sentence]) -> Option<Verdict> {
    let proposals = Asked::all_of(&question.full_text());
    let whole = Asked::of(&question.full_text());
    let wants = |position: &Position| {
        position.stance == Stance::Ask
            && proposals.iter().chain([&whole]).any(|asked| wants_to_be_asked(position, asked))
    };
    let statement = statements.iter().find(|statement| statement.positions.iter().any(wants))?;
    Some(Verdict::Person {
        rule: "answer.ask_first",
        why: format!("{} wants to be asked first", statement.citation),
        source: Some(statement.citation.clone()),
    })
}

fn consent(question: &Question, statements: &[&Sentence]) -> Verdict {
    if question.turns_yes_around() {
        return open("answer.turned", "a yes would mean no here");
    }
    if question.has_unread_options() {
        return open("answer.unread_choice", "it offers a choice, which a yes or no does not answer");
    }
    let proposals = Asked::of_question(question);
    let verdicts = proposals.iter().map(|asked| proposal(asked, question, statements)).collect();
    merge(verdicts)
}

/// Several proposals in one question are answered together or not at all.
fn merge(mut verdicts: Vec<Verdict>) -> Verdict {
    if verdicts.len() == 1
        && let Some(only) = verdicts.pop()
    {
        return only;
    }
    if let Some(person) = verdicts.iter().find(|verdict| matches!(verdict, Verdict::Person { .. })) {
        return person.clone();
    }
    let decision = |verdict: &Verdict| match verdict {
        Verdict::Answered(reply) => Some(std::mem::discriminant(&reply.decision)),
        _ => None,
    };
    if verdicts.is_empty() {
        return silent();
    }
    let first = verdicts.first().and_then(decision);
    match verdicts.first() {
        Some(verdict) if first.is_some() && verdicts.iter().all(|other| decision(other) == first) => {
            verdict.clone()
        }
        _ => open("answer.partly", "only a part of what is asked is covered"),
    }
}

/// One proposal: every statement that decides it must say the same.
fn proposal(asked: &Asked, question: &Question, statements: &[&Sentence]) -> Verdict {
    let mut yes = None;
    let mut no = None;
    let mut unsure = None;
    let whole = Asked::of(&question.full_text());
    let of_program = question.is_about_the_program();
    for statement in statements {
        for position in statement.positions.iter().filter(|one| meaning::fits(one, &whole, of_program)) {
            match vote(position, asked) {
                Some(_) if position.unsure => unsure = Some(*statement),
                Some(true) if !asked.values.iter().all(|value| statement.values.contains(value)) => {}
                // "No dependencies over 1 MB" refuses only those.
                Some(false) if !statement.values.iter().all(|value| asked.values.contains(value)) => {
                    unsure = Some(*statement);
                }
                Some(true) => yes = yes.or(Some((*statement, position))),
                Some(false) => no = no.or(Some((*statement, position))),
                None => {}
            }
        }
    }
    if let Some(statement) = unsure {
        return open(
            "answer.condition",
            &format!("{} has a condition that needs judgement", statement.citation),
        );
    }
    let two_sided = |(statement, position): &(&Sentence, &Position)| weighs(statement, position, asked);
    if yes.iter().chain(&no).any(two_sided) {
        return open("answer.ambiguous", "the statement weighs two things that are both asked about");
    }
    let says_otherwise = |(_, position): (&Sentence, &Position), yes: bool| {
        let limited =
            narrower::otherwise(position, asked, statements, |other| vote(other, asked) == Some(!yes));
        limited.map(narrower::open_by)
    };
    if let Some(open) = yes.and_then(|one| says_otherwise(one, true)) {
        return open;
    }
    if let Some(open) = no.and_then(|one| says_otherwise(one, false)) {
        return open;
    }
    match (yes, no) {
        (Some((one, _)), Some((other, _))) => contradiction(one, other),
        (Some(_), None) if question.has_condition() => {
            open("answer.asked_condition", "what is asked hangs on a condition that needs judgement")
        }
        (Some((statement, position)), None) => granted(asked, question, statement, position),
        (None, Some((statement, position))) => {
            let instead = instead_of(position, asked);
            answered(Decision::No { instead }, statement, confidence(position))
        }
        (None, None) => delegated(asked, statements),
    }
}

/// Whether the statement also speaks the other way about something that is asked.
fn weighs(statement: &Sentence, decided: &Position, asked: &Asked) -> bool {
    let against = |position: &Position| position.stance == Stance::Against;
    statement.positions.iter().any(|position| {
        against(position) != against(decided)
            && !position.terms.is_empty()
            && position.terms.iter().all(|term| asked.names(term))
    })
}

/// Consent to something risky holds only when the source names that risk and plainly allows it.
fn granted(asked: &Asked, question: &Question, statement: &Sentence, position: &Position) -> Verdict {
    let whole = Asked::of(&question.full_text());
    let dangers = if asked.negated { Vec::new() } else { whole.risks() };
    if let Some(risk) = unnamed(&dangers, position) {
        return not_covered(statement, &format!("does not name {}", risk.as_str()));
    }
    if !dangers.is_empty() && !leave::gives(&statement.text, &whole) {
        return not_covered(statement, "is no plain leave for it");
    }
    answered(Decision::Yes, statement, confidence(position))
}

/// The statement speaks of something risky, but does not allow it.
pub(crate) fn not_covered(statement: &Sentence, why: &str) -> Verdict {
    Verdict::Person {
        rule: "answer.risky_consent",
        why: format!("{} {why}", statement.citation),
        source: Some(statement.citation.clone()),
    }
}

pub(crate) fn unnamed(dangers: &[RiskCategory], position: &Position) -> Option<RiskCategory> {
    let with = |act: Act| position.terms.iter().map(move |term| (term.clone(), act));
    let terms: Vec<(Term, Act)> = with(Act::Add).chain(with(position.act)).collect();
    let named = risks(&terms, &[position.act]);
    dangers.iter().copied().find(|risk| !named.contains(risk))
}

pub(crate) fn delegated(asked: &Asked, statements: &[&Sentence]) -> Verdict {
    let leaves = |position: &Position| {
        position.stance == Stance::Delegate
            && !position.unsure
            && position.terms.iter().all(|term| asked.names(term))
    };
    let statement = statements.iter().find(|statement| statement.positions.iter().any(leaves));
    match statement.filter(|_| asked.risks().is_empty() && !asked.terms.is_empty()) {
        Some(statement) => answered(Decision::Yours, statement, 0.7),
        None => silent(),
    }
}

/// Nothing decided it: who can?
fn silence(question: &Question, statements: &[&Sentence], rule: &'static str, why: String) -> Verdict {
    let asked = Asked::of(&question.full_text());
    let touched = statements.iter().any(|one| one.positions.iter().any(|position| touches(position, &asked)));
    let person = |rule, why: &str| Verdict::Person { rule, why: why.to_owned(), source: None };
    if asked.names(&Term::Topic("secret")) && question.kind == Kind::Information {
        return person("answer.secret", "only the person can give a secret");
    }
    if matches!(question.kind, Kind::Consent)
        && let Some(risk) = asked.risks().first()
    {
        return person("answer.risky_consent", &format!("nothing the person said names {}", risk.as_str()));
    }
    if !touched && question.asks_taste() {
        return person("answer.taste", "it asks for a preference, and nothing the person said speaks of it");
    }
    Verdict::Open { rule, why }
}

/// A refactor keeps behaviour unless the person says otherwise (MI seed, hard constraints).
fn default_statement(question: &Question, context: Context<'_>) -> Option<Sentence> {
    let intent = context.mindspec.map(|mindspec| mindspec.defaults.refactor_intent.as_str());
    let preserving = intent == Some("behavior_preserving") || intent == Some("behaviour_preserving");
    let refactor = Term::Topic("refactor");
    let task = terms_of(&read(context.task));
    let about = task.contains(&refactor) || terms_of(&read(&question.full_text())).contains(&refactor);
    let task_changes = Asked::of(context.task);
    let asks_for_change = [Term::Topic("api"), Term::Topic("behaviour"), Term::Topic("breaking")]
        .iter()
        .any(|term| task_changes.names(term));
    if !(preserving && about) || asks_for_change {
        return None;
    }
    let mut statement = Sentence::new("Refactors are behaviour-preserving.", Origin::Default, "default");
    statement.citation = "default: refactor_intent = behavior_preserving".to_owned();
    statement.positions = positions("Prefer behaviour-preserving refactors.");
    Some(statement)
}

/// The beginning of the task, to be cited.
fn task_statement(task: &str) -> Sentence {
    const KEPT: usize = 200;
    let task = task.trim();
    let end = task.floor_char_boundary(KEPT);
    let cut = if end < task.len() { format!("{}…", &task[..end]) } else { task.to_owned() };
    Sentence::new(&cut, Origin::Task, "task")
}

/// What to do in place of what is refused.
fn instead_of(position: &Position, asked: &Asked) -> Option<&'static str> {
    if asked.negated {
        return None;
    }
    if let Some(Term::Member { member, .. }) =
        position.terms.iter().find(|term| matches!(term, Term::Member { .. }))
    {
        return (position.stance == Stance::Favour).then_some(member);
    }
    position.terms.iter().find_map(|term| match term {
        Term::Topic("tests") => matches!(asked.act_on(term), Act::Remove | Act::Skip).then_some("tests"),
        Term::Topic(topic @ ("api" | "dependency" | "behaviour" | "breaking" | "unrelated")) => Some(*topic),
        _ => None,
    })
}

pub(crate) fn confidence(position: &Position) -> f64 {
    if position.hedged { 0.8 } else { 0.9 }
}

pub(crate) fn answered(decision: Decision, statement: &Sentence, confidence: f64) -> Verdict {
    Verdict::Answered(Reply {
        decision,
        source: statement.citation.clone(),
        words: statement.text.clone(),
        rule: statement.origin.rule(),
        confidence,
    })
}

pub(crate) fn contradiction(one: &Sentence, other: &Sentence) -> Verdict {
    if one.text == other.text {
        return open("answer.ambiguous", &format!("{} can be read both ways here", one.citation));
    }
    Verdict::Person {
        rule: "answer.contradiction",
        why: format!("{} and {} say different things", one.citation, other.citation),
        source: Some(one.citation.clone()),
    }
}

pub(crate) fn silent() -> Verdict {
    open("answer.silent", "nothing the person said covers it")
}

pub(crate) fn open(rule: &'static str, why: &str) -> Verdict {
    Verdict::Open { rule, why: why.to_owned() }
}
