//! Which of several options the sources want.
//!
//! Holds: an answer is one of the options, never a yes or no; two statements for different options decide nothing
//! unless one is narrower and the question names what it is about.

use mi_model::RiskCategory;

use super::{
    asked::Asked,
    decide::{Decision, Verdict, answered, confidence, contradiction, delegated, not_covered, open, unnamed},
    leave, meaning,
    narrower::{self, is_narrower, wins},
    sources::Sentence,
    stance::{Position, Stance},
    vote::{
        fits_scope, is_category_of, is_mere_place, measures_work, names_two_of_a_kind, same_category, vote,
    },
};
use crate::{
    questions::Question,
    words::{Act, Term},
};

pub(crate) fn choice(question: &Question, statements: &[&Sentence]) -> Verdict {
    let read: Vec<Asked> = question.options.iter().map(|option| Asked::of(option)).collect();
    let mut options: Vec<Asked> = read.iter().map(|option| option.clone().borrowing(&read)).collect();
    let mut whole = Asked::of(&question.full_text());
    name_reuse(&mut options, &mut whole);
    let of_program = question.is_about_the_program();
    let mut liked: Vec<Said<'_>> = vec![None; options.len()];
    let mut refused: Vec<Said<'_>> = vec![None; options.len()];
    let mut best = 0.9_f64;
    for statement in statements {
        for position in statement.positions.iter().filter(|one| meaning::fits(one, &whole, of_program)) {
            let known = |option: &Asked| option.values.iter().all(|value| statement.values.contains(value));
            let votes: Vec<Option<bool>> = (0..options.len())
                .map(|at| {
                    option_vote(position, at, &options, &whole).filter(|yes| !yes || known(&options[at]))
                })
                .collect();
            if narrower::is_elsewhere(position, &statement.text, &whole) {
                continue;
            }
            if votes.iter().any(Option::is_some) && position.unsure {
                return open(
                    "answer.condition",
                    &format!("{} has a condition that needs judgement", statement.citation),
                );
            }
            for (at, vote) in votes.iter().enumerate() {
                best = if vote.is_some() { best.min(confidence(position)) } else { best };
                match vote {
                    Some(true) => liked[at] = narrowest(liked[at], (statement, position)),
                    Some(false) => refused[at] = narrowest(refused[at], (statement, position)),
                    None => {}
                }
            }
        }
    }
    let Some((at, statement, position)) = (match elect(&liked, &refused, &whole) {
        Ok(chosen) => chosen,
        Err(verdict) => return verdict,
    }) else {
        return delegated(&whole, statements);
    };
    let against = |other: &Position| {
        (0..options.len()).any(|option| option_vote(other, option, &options, &whole) == Some(option != at))
    };
    if let Some(other) = narrower::otherwise(position, &whole, statements, against) {
        return narrower::open_by(other);
    }
    if question.has_condition() {
        return open("answer.asked_condition", "what is asked hangs on a condition that needs judgement");
    }
    // What is only left over when the other is refused was not asked for.
    let by_rest = liked[at].is_none();
    if let Some(risk) =
        options[at].risks().iter().find(|risk| by_rest || !allows(**risk, statement, &options[at]))
    {
        return not_covered(statement, &format!("does not allow {}", risk.as_str()));
    }
    let confidence = if by_rest { best - 0.1 } else { best };
    answered(Decision::Choose(question.options[at].clone()), statement, confidence)
}

/// "Use the existing helper or write a new one": one option takes what is there, and that is reuse.
fn name_reuse(options: &mut [Asked], whole: &mut Asked) {
    let reuse = Term::Topic("reuse");
    let takes = |option: &Asked| option.own && !option.names(&Term::Topic("dependency"));
    if options.iter().filter(|option| takes(option) || option.names(&reuse)).count() != 1 {
        return;
    }
    for option in options.iter_mut().filter(|option| takes(option) && !option.names(&reuse)) {
        option.terms.push((reuse.clone(), Act::Use));
    }
    if !whole.names(&reuse) {
        whole.terms.push((reuse, Act::Use));
    }
}

/// Who speaks of an option.
type Said<'a> = Option<(&'a Sentence, &'a Position)>;

/// Of two that say the same, the one that says it most exactly.
fn narrowest<'a>(known: Said<'a>, new: (&'a Sentence, &'a Position)) -> Said<'a> {
    known.filter(|(_, position)| !is_narrower(new.1, position)).or(Some(new))
}

/// The one option that is wanted and not refused; of two, the one that is left when the other is refused.
fn elect<'a>(
    liked: &[Said<'a>],
    refused: &[Said<'a>],
    whole: &Asked,
) -> Result<Option<(usize, &'a Sentence, &'a Position)>, Verdict> {
    let mut wanted: Vec<(usize, (&Sentence, &Position))> =
        liked.iter().enumerate().filter_map(|(at, said)| said.map(|said| (at, said))).collect();
    // What was said of exactly this goes before what was said in general.
    let all = wanted.clone();
    wanted.retain(|(_, (_, general))| !all.iter().any(|(_, (_, exact))| wins(exact, general, whole)));
    match wanted.as_slice() {
        [(at, (one, position))] => match refused[*at] {
            Some((other, general)) if !wins(position, general, whole) => Err(contradiction(one, other)),
            _ => Ok(Some((*at, one, position))),
        },
        [(_, (one, _)), (_, (other, _)), ..] if one.text != other.text => Err(contradiction(one, other)),
        [_, _, ..] => Err(open("answer.ambiguous", "one statement speaks for more than one of the options")),
        [] => Ok(match refused {
            [Some((statement, position)), None] => Some((1, statement, position)),
            [None, Some((statement, position))] => Some((0, statement, position)),
            _ => None,
        }),
    }
}

/// Whether the statement allows the risk of an option. To prefer a library is to allow that it is added; what reaches
/// farther needs plain leave.
fn allows(risk: RiskCategory, statement: &Sentence, option: &Asked) -> bool {
    let wanted = |position: &Position| {
        matches!(position.stance, Stance::Favour | Stance::Permit | Stance::Fact)
            && unnamed(&[risk], position).is_none()
    };
    match risk {
        RiskCategory::Install => statement.positions.iter().any(wanted),
        _ => leave::gives(&statement.text, option),
    }
}

/// What a position says to one of several options.
fn option_vote(position: &Position, at: usize, options: &[Asked], whole: &Asked) -> Option<bool> {
    let option = &options[at];
    let measure = position.terms.iter().find_map(|term| match term {
        Term::Member { category, .. } => Some(*category),
        _ => None,
    });
    let unfit = measure.is_some_and(|category| !fits_scope(category, position, whole));
    if unfit || names_two_of_a_kind(position) {
        return None;
    }
    // "handle errors with exceptions or …": what is named outside of the options does not decide between them.
    let count = |asked: &Asked, term: &Term| asked.terms.iter().filter(|(own, _)| own.matches(term)).count();
    let inside = |term: &Term| count(whole, term) <= count(option, term);
    let subject_only = option.acts.is_empty()
        && option.values.is_empty()
        && position.terms.iter().any(|term| option.names(term))
        && !position.terms.iter().any(|term| option.names(term) && inside(term));
    if subject_only {
        return None;
    }
    if let Some(vote) = vote(position, option) {
        return Some(vote);
    }
    let wants = match position.stance {
        Stance::Favour | Stance::Fact => true,
        Stance::Against => false,
        Stance::Permit | Stance::Ask | Stance::Delegate => return None,
    };
    let by_member = position.terms.iter().any(|term| {
        matches!(term, Term::Member { .. }) && whole.terms.iter().any(|(other, _)| same_category(term, other))
    });
    let others = || options.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, other)| other);
    let tells_apart =
        |term: &&Term| option.names(term) && !others().any(|other| other.names(term)) && inside(term);
    // "small, focused commits" decides by its size, not by naming commits.
    // A bug is the occasion of work, not a thing to be chosen.
    let decides =
        |term: &&Term| (!by_member || matches!(term, Term::Member { .. })) && **term != Term::Topic("bug");
    let deciding = position.terms.iter().filter(decides).find(tells_apart)?;
    let in_scope = position.terms.iter().all(|term| match term {
        Term::Topic(_) if is_mere_place(term, &position.terms.iter().collect::<Vec<_>>()) => true,
        Term::Topic(_) | Term::Member { .. } => {
            whole.names(term) || same_category(term, deciding) || is_category_of(term, deciding)
        }
        // What is only told must be understood: "Tabs drive me crazy" is no wish for tabs.
        Term::Word(_) => whole.names(term) || !(position.told || matches!(deciding, Term::Word(_))),
    });
    let measures = measure.is_some_and(|category| measures_work(category, position, option.act_on(deciding)));
    let act_fits = measures
        || match (option.act_on(deciding), position.act) {
            (Act::Remove | Act::Skip | Act::Change, own) => own == option.act_on(deciding),
            (_, Act::Remove | Act::Skip | Act::Change) => false,
            _ => true,
        };
    let own_parts = *deciding == Term::Topic("dependency") && option.own;
    (in_scope && act_fits && !own_parts).then_some(wants)
}
