//! Questions that ask for something to be told: a version, a name, a way of doing it.

use super::{
    asked::Asked,
    decide::{Decision, Verdict, answered, contradiction, open, silent},
    narrower,
    sources::{Earlier, Sentence, Sources},
    stance::{Position, Stance},
};
use crate::{
    questions::Question,
    words::{Act, Term, lexicon::is_exclusive, read, terms_of},
};

/// Answers from whatever names the asked thing: a member of the asked category, an earlier answer, a fact.
pub(crate) fn information(question: &Question, statements: &[&Sentence], sources: &Sources) -> Verdict {
    let wanted = terms_of(&read(&question.text));
    if wanted.is_empty() {
        return silent();
    }
    for attempt in [of_category(&wanted, statements), from_earlier(&wanted, sources)] {
        if !matches!(attempt, Verdict::Open { rule: "answer.silent", .. }) {
            return attempt;
        }
    }
    if let Some(verdict) = from_overlay(question, &wanted, sources) {
        return verdict;
    }
    if let Some(verdict) = version(question, &wanted, statements) {
        return verdict;
    }
    if question.asks_taste() || question.compares() {
        return silent();
    }
    told(&wanted, statements)
}

/// "Which package manager?" is answered by "Use pnpm."
fn of_category(wanted: &[Term], statements: &[&Sentence]) -> Verdict {
    let mut found: Option<(&'static str, &Sentence, &Position)> = None;
    for statement in statements {
        for position in &statement.positions {
            let Some((category, member)) = position.terms.iter().find_map(|term| asked_member(term, wanted))
            else {
                continue;
            };
            let rest_named = position.terms.iter().all(|term| {
                matches!(term, Term::Member { .. }) || names(wanted, term) || goes_with(category, term)
            });
            let general = wanted.iter().all(|term| match term {
                Term::Topic(topic) => {
                    // What carries it is no limit: "Which license should the new file carry?"
                    *topic == category
                        || *topic == "file"
                        || is_exclusive(category)
                        || names(&position.terms, term)
                }
                Term::Member { .. } => names(&position.terms, term),
                Term::Word(_) => true,
            });
            let wants = matches!(position.stance, Stance::Favour | Stance::Fact);
            if !(rest_named && general && wants) {
                continue;
            }
            if position.unsure {
                return open(
                    "answer.condition",
                    &format!("{} has a condition that needs judgement", statement.citation),
                );
            }
            match found {
                Some((other, earlier, _)) if other != member => return contradiction(earlier, statement),
                _ => found = Some((member, statement, position)),
            }
        }
    }
    match found {
        Some((member, statement, decided)) => match other_member(member, decided, wanted, statements) {
            Some(other) => narrower::open_by(other),
            None => answered(Decision::Tell(member.to_owned()), statement, 0.85),
        },
        None => silent(),
    }
}

/// Whoever names another member of the category, for a place that the question does not name: "In the frontend use pnpm".
fn other_member<'a>(
    member: &str,
    decided: &Position,
    wanted: &[Term],
    statements: &[&'a Sentence],
) -> Option<&'a Sentence> {
    let wants = |position: &Position| !matches!(position.stance, Stance::Against | Stance::Ask);
    let other = |position: &Position| {
        position.terms.iter().filter_map(|term| asked_member(term, wanted)).any(|(_, name)| name != member)
    };
    // What is said of another place is no exception to what is said of the place that was asked about.
    let within = |position: &Position| {
        let named = |term: &&Term| !matches!(term, Term::Member { .. }) && names(wanted, term);
        decided.terms.iter().filter(named).all(|term| names(&position.terms, term))
    };
    statements.iter().copied().find(|statement| {
        statement.positions.iter().any(|position| wants(position) && other(position) && within(position))
    })
}

/// "We test with pytest" names the framework although it does not say the word.
fn goes_with(category: &str, term: &Term) -> bool {
    matches!(
        (category, term),
        ("test framework", Term::Topic("tests"))
            | ("package manager", Term::Topic("install" | "dependency"))
            | ("formatter", Term::Topic("format"))
            | ("database", Term::Topic("data"))
    )
}

fn asked_member(term: &Term, wanted: &[Term]) -> Option<(&'static str, &'static str)> {
    match term {
        Term::Member { category, member } if names(wanted, &Term::Topic(category)) => {
            Some((category, member))
        }
        _ => None,
    }
}

fn names(terms: &[Term], wanted: &Term) -> bool {
    terms.iter().any(|term| term.matches(wanted))
}

/// The newest earlier answer that speaks of all that is asked.
fn from_earlier(wanted: &[Term], sources: &Sources) -> Verdict {
    let mut told: Vec<(String, &Earlier)> = Vec::new();
    for earlier in &sources.earlier {
        told.extend(earlier_value(wanted, earlier).map(|value| (value, earlier)));
    }
    let Some((value, earlier)) = told.last() else { return silent() };
    if let Some((_, other)) = told.iter().find(|(other, _)| other != value) {
        return contradiction(&other.said, &earlier.said);
    }
    answered(Decision::Tell(value.clone()), &earlier.said, 0.85)
}

/// Topics that ask for a number rather than a name.
const NUMBERS: &[&str] = &["version", "port", "line width", "deadline", "coverage"];

fn earlier_value(wanted: &[Term], earlier: &Earlier) -> Option<String> {
    let knows = |term: &Term| names(&earlier.asked_terms, term) || names(&earlier.said.terms, term);
    let number = wanted.iter().find_map(|term| match term {
        Term::Topic(topic) if NUMBERS.contains(topic) => Some(*topic),
        _ => None,
    });
    let mut subject = wanted.iter().filter(|term| !is_number(term)).peekable();
    let has_subject = subject.peek().is_some();
    if !subject.all(knows) {
        return None;
    }
    match number {
        // "Postgres 15" gives the version of Postgres without saying so; other numbers must be named.
        Some("version") if has_subject || knows(&Term::Topic("version")) => only_number(earlier),
        Some(topic) if knows(&Term::Topic(topic)) => only_number(earlier),
        Some(_) => None,
        None if has_subject && !super::earlier::is_yes_or_no(&earlier.answer) => {
            wanted.iter().all(|term| names(&earlier.asked_terms, term)).then(|| earlier.answer.clone())
        }
        None => None,
    }
}

/// "We run Python 3.11." gives the version that is asked for, if it speaks of nothing else and both only use it.
fn version(question: &Question, wanted: &[Term], statements: &[&Sentence]) -> Option<Verdict> {
    let version = Term::Topic("version");
    let asked = Asked::of(&question.full_text());
    let uses = |act: &Act| matches!(act, Act::Any | Act::Use | Act::Run);
    if !names(wanted, &version) || wanted.len() < 2 || asked.negated || !asked.acts.iter().all(uses) {
        return None;
    }
    let about = |statement: &&Sentence| {
        let speaks = wanted.iter().all(|term| *term == version || names(&statement.terms, term));
        speaks && !statement.values.is_empty()
    };
    let plain = |position: &Position| {
        !position.unsure
            && !position.hedged
            && uses(&position.act)
            && matches!(position.stance, Stance::Favour | Stance::Fact)
    };
    let exact = |statement: &Sentence| match statement.values.as_slice() {
        [value] => {
            is_version(value)
                && statement.terms.iter().all(|term| *term == version || names(wanted, term))
                && statement.positions.iter().all(plain)
        }
        _ => false,
    };
    let (exact, vague): (Vec<&Sentence>, Vec<&Sentence>) =
        statements.iter().copied().filter(about).partition(|statement| exact(statement));
    let first = exact.first()?;
    if let Some(other) = exact.iter().chain(&vague).find(|other| other.values != first.values) {
        return Some(contradiction(first, other));
    }
    let value = first.values.first()?;
    Some(answered(Decision::Tell(value.clone()), first, 0.8))
}

fn is_version(value: &str) -> bool {
    value.chars().all(|char| char.is_ascii_digit() || char == '.')
}

fn is_number(term: &Term) -> bool {
    matches!(term, Term::Topic(topic) if NUMBERS.contains(topic))
}

fn only_number(earlier: &Earlier) -> Option<String> {
    match earlier.said.values.as_slice() {
        [only] => Some(only.clone()),
        _ => None,
    }
}

/// How this project is checked was decided once.
fn from_overlay(question: &Question, wanted: &[Term], sources: &Sources) -> Option<Verdict> {
    let text = sources.overlay_text.as_deref()?;
    let statement = sources.overlay.first()?;
    let about_checking = wanted.iter().any(|term| matches!(term, Term::Topic("verify" | "tests")));
    let only_checking =
        wanted.iter().all(|term| matches!(term, Term::Topic("verify" | "tests" | "file") | Term::Word(_)));
    let lower = question.text.to_lowercase();
    let asks_how =
        ["how ", "what should i run", "怎么", "如何", "怎样"].iter().any(|cue| lower.contains(cue));
    (about_checking && only_checking && asks_how)
        .then(|| answered(Decision::Tell(text.to_owned()), statement, 0.85))
}

/// A sentence that speaks of everything asked and says something more gives the information.
fn told(wanted: &[Term], statements: &[&Sentence]) -> Verdict {
    let specific = |terms: &[Term]| terms.iter().any(|term| !matches!(term, Term::Topic("design")));
    if !specific(wanted) {
        return silent();
    }
    let mut found: Option<&Sentence> = None;
    for statement in statements {
        let speaks = wanted.iter().all(|term| names(&statement.terms, term));
        let says_more =
            statement.terms.iter().any(|term| !names(wanted, term)) || !statement.values.is_empty();
        if !(speaks && says_more) {
            continue;
        }
        let usable = |stance: Stance| matches!(stance, Stance::Favour | Stance::Against | Stance::Fact);
        if statement.positions.iter().any(|position| position.unsure || !usable(position.stance)) {
            return open(
                "answer.condition",
                &format!("{} has a condition that needs judgement", statement.citation),
            );
        }
        match found {
            Some(other) if other.text != statement.text => {
                return open("answer.ambiguous", "more than one statement speaks of it");
            }
            _ => found = Some(statement),
        }
    }
    match found {
        Some(statement) => answered(Decision::Tell(statement.text.clone()), statement, 0.75),
        None => silent(),
    }
}
