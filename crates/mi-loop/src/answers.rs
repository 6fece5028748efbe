//! Answers an agent's questions from what the person has said, or says who must be asked.
//!
//! Holds: every answer names the statement it comes from; a condition, a contradiction or a risk that no
//! statement names is never answered; what the rules cannot tell is `undecided`, for a model or the person.
//! Elsewhere: finding the questions is `questions`; when to answer at all is the loop's arbitration.

mod asked;
mod choice;
mod decide;
mod earlier;
mod facts;
mod going_on;
mod leave;
mod meaning;
mod narrower;
mod reply;
mod sources;
mod stance;
mod vote;

pub use decide::Context;
pub use sources::{Earlier, Origin, Sentence, Sources};

pub(crate) use asked::risks;
pub(crate) use sources::policy_sentence;
pub(crate) use stance::Stance;

use mi_model::record::AutoAnswer;

use crate::{
    questions::{Kind, Question, find_questions, question_from},
    words::{Act, Term},
};
use asked::Asked;
use decide::{Reply, Verdict};

/// What the rules make of the questions of one message.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    pub answer: AutoAnswer,
    /// Each statement an answer, or the wish to be asked, comes from.
    pub sources: Vec<String>,
    /// The id of the rule that decided.
    pub rule: String,
    /// The rules cannot tell: a model may be asked. `needs_user_input` is then the fallback.
    pub undecided: bool,
}

/// Whether the agent asks for nothing but leave to run the tests.
pub(crate) fn offers_tests(question: &Question) -> bool {
    let is_tests = |term: &Term| matches!(term, Term::Topic("tests" | "verify"));
    let proposals = Asked::of_question(question);
    let only_runs = |asked: &Asked| {
        !asked.negated
            && asked.acts.contains(&Act::Run)
            && asked.acts.iter().all(|act| matches!(act, Act::Run | Act::Any | Act::Do))
            && asked.names(&Term::Topic("tests"))
            && asked.terms.iter().all(|(term, _)| is_tests(term))
    };
    question.kind == Kind::Consent && !proposals.is_empty() && proposals.iter().all(only_runs)
}

/// Answers the questions as far as the sources cover them.
///
/// When some are covered and others cannot wait, `codex_answer_input` holds the covered part, to be sent
/// together with the person's answer to the rest, and `ask_user_question` asks for the rest alone.
pub fn answer(questions: &[Question], sources: &Sources, context: Context<'_>) -> Answered {
    let verdicts: Vec<(&Question, Verdict)> =
        questions.iter().map(|question| (question, decide::decide(question, sources, context))).collect();
    let covered: Vec<(&Question, &Reply)> = verdicts
        .iter()
        .filter_map(|(question, verdict)| match verdict {
            Verdict::Answered(reply) => Some((*question, reply)),
            Verdict::Person { .. } | Verdict::Open { .. } => None,
        })
        .collect();
    let left: Vec<(&Question, &Verdict)> = verdicts
        .iter()
        .filter(|(_, verdict)| !matches!(verdict, Verdict::Answered(_)))
        .map(|(question, verdict)| (*question, verdict))
        .collect();
    let pressing: Vec<(&Question, &Verdict)> =
        left.iter().copied().filter(|(question, _)| question.waits).collect();
    if covered.is_empty() && pressing.is_empty() {
        return nothing_to_answer(&left);
    }
    assemble(&covered, &left, &pressing)
}

/// Tries the rules on a question of the mind itself, before a person is asked.
pub fn answer_for(question_text: &str, sources: &Sources, context: Context<'_>) -> Answered {
    let mut questions = find_questions(question_text);
    if questions.is_empty() {
        questions.push(question_from(question_text));
    }
    for question in &mut questions {
        question.waits = true;
    }
    answer(&questions, sources, context)
}

fn nothing_to_answer(offers: &[(&Question, &Verdict)]) -> Answered {
    let notes = if offers.is_empty() { "no question" } else { "only offers that can wait" };
    Answered {
        answer: AutoAnswer {
            unanswered_questions: offers.iter().map(|(question, _)| question.text.clone()).collect(),
            notes: notes.to_owned(),
            confidence: 1.0,
            ..AutoAnswer::default()
        },
        sources: Vec::new(),
        rule: "answer.no_question".to_owned(),
        undecided: false,
    }
}

fn assemble(
    covered: &[(&Question, &Reply)],
    left: &[(&Question, &Verdict)],
    pressing: &[(&Question, &Verdict)],
) -> Answered {
    let ask: Vec<&Question> = pressing.iter().map(|(question, _)| *question).collect();
    let mut sources: Vec<String> = covered.iter().map(|(_, reply)| reply.source.clone()).collect();
    sources.extend(pressing.iter().filter_map(|(_, verdict)| source_of(verdict)));
    let mut seen = Vec::new();
    sources.retain(|source| {
        !seen.contains(source) && {
            seen.push(source.clone());
            true
        }
    });
    let needs_user = !pressing.is_empty();
    Answered {
        answer: AutoAnswer {
            should_answer: !needs_user,
            confidence: confidence(covered, pressing),
            codex_answer_input: covered
                .iter()
                .map(|(question, reply)| reply::reply_text(question, reply))
                .collect::<Vec<_>>()
                .join("\n"),
            needs_user_input: needs_user,
            ask_user_question: reply::ask_text(&ask),
            unanswered_questions: left.iter().map(|(question, _)| question.text.clone()).collect(),
            notes: notes(covered, left),
        },
        sources,
        rule: rule(covered, pressing),
        // Where one question is the person's anyway, a model is not asked about the others.
        undecided: needs_user && pressing.iter().all(|(_, verdict)| matches!(verdict, Verdict::Open { .. })),
    }
}

fn source_of(verdict: &Verdict) -> Option<String> {
    match verdict {
        Verdict::Person { source, .. } => source.clone(),
        Verdict::Answered(_) | Verdict::Open { .. } => None,
    }
}

fn confidence(covered: &[(&Question, &Reply)], pressing: &[(&Question, &Verdict)]) -> f64 {
    if pressing.iter().any(|(_, verdict)| matches!(verdict, Verdict::Open { .. })) {
        return 0.0;
    }
    covered.iter().map(|(_, reply)| reply.confidence).fold(0.95, f64::min)
}

/// The rule that decided: of what is left for the person if there is any, else of the answer.
fn rule(covered: &[(&Question, &Reply)], pressing: &[(&Question, &Verdict)]) -> String {
    let of_left = pressing.iter().find_map(|(_, verdict)| match verdict {
        Verdict::Person { rule, .. } | Verdict::Open { rule, .. } => Some(*rule),
        Verdict::Answered(_) => None,
    });
    of_left
        .or_else(|| covered.first().map(|(_, reply)| reply.rule))
        .unwrap_or("answer.no_question")
        .to_owned()
}

fn notes(covered: &[(&Question, &Reply)], left: &[(&Question, &Verdict)]) -> String {
    let mut notes: Vec<String> =
        covered.iter().map(|(_, reply)| format!("answered from {}", reply.source)).collect();
    notes.extend(left.iter().map(|(question, verdict)| match verdict {
        Verdict::Person { why, .. } => format!("for the person: {why}"),
        Verdict::Open { why, .. } if question.waits => format!("open: {why}"),
        Verdict::Open { .. } | Verdict::Answered(_) => "an offer that can wait".to_owned(),
    }));
    notes.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Leave to run the tests, and nothing else, in both languages.
    #[test]
    fn offers_to_run_tests() {
        for (message, offers) in [
            ("Done! Would you like me to run the tests?", true),
            ("Shall I run the test suite now?", true),
            ("已修复。需要我运行测试吗？", true),
            ("Shall I run the tests and push?", false),
            ("Should I delete the tests?", false),
            ("Should I run the tests against production?", false),
            ("Shall I skip the tests?", false),
            ("Which tests should I run?", false),
        ] {
            let found = find_questions(message);
            assert_eq!(found.iter().all(offers_tests) && !found.is_empty(), offers, "{message}: {found:?}");
        }
    }
}
