//! What counts as leave for something risky: a sentence that allows that very thing and says nothing else.
//!
//! Holds: every word of it is known to allow, to name what is asked, or to carry no meaning. A refusal, a wish to be
//! asked, a condition, a caution or any word that is not known makes it no leave, so that a sentence that was misread
//! elsewhere still gives none.

use mi_model::RiskCategory;

use super::{
    asked::{Asked, risks},
    vote::same,
};
use crate::words::{
    Act, Cue, Term, Token, TokenKind,
    lexicon::{LEXICON, What},
    tokens,
};

/// Whether `text` is leave, and nothing but leave, for what is asked.
pub(crate) fn gives(text: &str, asked: &Asked) -> bool {
    let tokens = tokens(text);
    let (mut orders, mut permits) = (false, false);
    // An order begins with its verb: "We push" only tells.
    let mut begins = true;
    let mut named = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let token = &tokens[at];
        let known = LEXICON.longest(&tokens[at..]);
        let length = known.map_or_else(|| unknown_length(&tokens[at..]), |(_, length)| length);
        let form: String = tokens[at..at + length].iter().map(|token| token.stem.as_str()).collect();
        let plain = match known {
            _ if CARRIES_NOTHING.split('|').any(|word| word == form) => true,
            Some((meanings, _)) => {
                let is_act = |what: &What| matches!(what, What::Act(_));
                orders |= begins && meanings.iter().any(is_act);
                permits |= meanings.contains(&What::Cue(Cue::Permit));
                begins = false;
                named.extend(meanings.iter().filter_map(term_of));
                meanings.iter().all(|what| is_plain(*what, asked))
            }
            None => {
                named.push(Term::Word(form.clone()));
                is_plain_word(token.kind, &form, asked)
            }
        };
        if !plain {
            return false;
        }
        at += length;
    }
    // "Use npm for installing" says how, not that.
    let says_how = named.iter().any(|term| matches!(term, Term::Member { .. }));
    (permits || orders && !says_how) && !text.contains(['?', '？']) && covers_target(&named, asked)
}

fn is_plain(what: What, asked: &Asked) -> bool {
    match what {
        What::Act(act) => asked.acts.iter().any(|asked| same(act, *asked)),
        What::Topic(_) | What::Member { .. } => {
            term_of(&what).is_some_and(|term| asked.names(&term) || is_same_risk(&term, asked))
        }
        What::Cue(cue) => {
            matches!(cue, Cue::Permit | Cue::Copula | Cue::Join | Cue::Unasked | Cue::NoAsk)
        }
        What::Stop => false,
    }
}

fn term_of(what: &What) -> Option<Term> {
    match *what {
        What::Topic(topic) => Some(Term::Topic(topic)),
        What::Member { category, member } => Some(Term::Member { category, member }),
        What::Act(_) | What::Cue(_) | What::Stop => None,
    }
}

/// "You may install packages" names the risk of adding a library.
fn is_same_risk(term: &Term, asked: &Asked) -> bool {
    let own = risks(&[(term.clone(), Act::Add)], &[]);
    let dangers = asked.risks();
    !own.is_empty() && own.iter().all(|risk| dangers.contains(risk))
}

/// How many tokens an unknown word takes: Chinese characters up to the next known form, else one.
fn unknown_length(tokens: &[Token]) -> usize {
    let unknown =
        |at: &usize| tokens[*at].kind == TokenKind::Han && LEXICON.longest(&tokens[*at..]).is_none();
    (0..tokens.len()).take_while(unknown).count().max(1)
}

fn is_plain_word(kind: TokenKind, word: &str, asked: &Asked) -> bool {
    match kind {
        TokenKind::Mark => matches!(word, "." | ","),
        _ if word.starts_with(|char: char| char.is_ascii_digit()) => {
            asked.values.iter().any(|own| own == word)
        }
        _ => asked.names(&Term::Word(word.to_owned())),
    }
}

/// What cannot be brought back must be named word for word: leave to delete files is none to delete the archive.
fn covers_target(named: &[Term], asked: &Asked) -> bool {
    let grave = |risk: &RiskCategory| {
        matches!(risk, RiskCategory::Delete | RiskCategory::Privacy | RiskCategory::Other)
    };
    !asked.risks().iter().any(grave)
        || asked
            .terms
            .iter()
            .all(|(term, _)| !matches!(term, Term::Word(_)) || named.iter().any(|own| own.matches(term)))
}

/// By their stems: words that neither allow nor limit.
const CARRIES_NOTHING: &str = "a|an|the|to|of|for|with|on|in|from|any|all|every|each|new|it|them|this|that|these|those|whatever|anything|everything|always|also|too|please|freely|yourself|directly|straight|must|should|shall|you|your|own|here|你|您|的|了|把|都|也|就|吧|请|要|新|被|给|到|直接|新的|任何|所有";
