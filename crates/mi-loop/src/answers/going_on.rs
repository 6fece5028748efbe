//! Leave to go on with the task is given by the task itself: "Shall I continue?", "要继续吗", "Soll ich anfangen?".
//!
//! Holds: a yes is given only to a question that says nothing besides going on and what the task says; a word that is
//! neither known nor in the task makes it the person's question. Nothing is granted in a message that announces
//! something grave, and a statement that waits for the person's word is never taken for such a question.

use super::asked::Asked;
use crate::{
    questions::{Kind, Question},
    words::{Act, announces_grave, is_unspaced, plain_words, sentences, stem},
};

// Rows of words read better as rows.
#[rustfmt::skip]
mod vocabulary;

use vocabulary::{DENIALS, GO_ON, GO_ON_UNSPACED, PARTICLES, POINTS_BACK, RUNS, TESTS};

/// Whether the question asks for nothing but leave to do what the task says.
pub(crate) fn is_covered(question: &Question, task: &str) -> bool {
    let asks_leave = question.kind == Kind::Consent && question.waits && question.options.len() < 2;
    let misread = question.turns_yes_around()
        || question.has_unread_options()
        || question.is_declared()
        || question.is_about_the_program();
    if task.trim().is_empty() || !asks_leave || misread {
        return false;
    }
    let wanted = Wanted::of(task);
    let words = plain_words(&question.text);
    let is_known = words.iter().all(|word| wanted.knows(word));
    let tests = words.iter().any(|word| has_word(TESTS, word) && !wanted.names(word));
    let runs = words.iter().any(|word| has_word(RUNS, word));
    is_known
        && (!tests || runs)
        && !wanted.turns(question)
        && !announces_grave(&question.text, task)
        && (question.context.is_empty() || !points_back(&words) || wanted.speaks_of(&question.context))
        && !sentences(&question.around).iter().any(|said| announces_grave(said, task))
}

/// What the task asks for, without what it forbids.
struct Wanted {
    sentences: Vec<String>,
    words: Vec<String>,
}

impl Wanted {
    fn of(task: &str) -> Self {
        let denies = |sentence: &String| plain_words(sentence).iter().any(|word| has_word(DENIALS, word));
        let sentences: Vec<String> =
            sentences(task).into_iter().filter(|sentence| !denies(sentence)).collect();
        let words = sentences.iter().flat_map(|sentence| plain_words(sentence)).collect();
        Self { sentences, words }
    }

    /// Whether a word of the question is one of going on or of the task.
    fn knows(&self, word: &str) -> bool {
        if word.contains(is_unspaced) {
            return self.knows_unspaced(word);
        }
        is_in(GO_ON, word) || is_in(TESTS, word) || is_in(RUNS, word) || self.names(word)
    }

    fn names(&self, word: &str) -> bool {
        self.words.iter().any(|own| is_same_word(own, word))
    }

    /// Chinese and Japanese: known phrases, parts of the task and particles, until nothing is left.
    fn knows_unspaced(&self, text: &str) -> bool {
        let mut rest = text;
        while !rest.is_empty() {
            let known = GO_ON_UNSPACED
                .iter()
                .filter(|phrase| rest.starts_with(**phrase))
                .map(|phrase| phrase.len())
                .max();
            let ends = rest.char_indices().map(|(at, char)| at + char.len_utf8()).skip(1);
            let of_task = ends.filter(|end| self.words.iter().any(|own| own.contains(&rest[..*end]))).max();
            let particle = rest.chars().next().filter(|char| PARTICLES.contains(*char)).map(char::len_utf8);
            let Some(length) = known.max(of_task).or(particle) else { return false };
            rest = &rest[length..];
        }
        true
    }

    /// Whether the question would do something else to a thing than the task does: remove what is to be added.
    fn turns(&self, question: &Question) -> bool {
        let tasks: Vec<Asked> = self.sentences.iter().flat_map(|sentence| Asked::all_of(sentence)).collect();
        let proposals = Asked::all_of(&question.text);
        proposals.iter().any(|asked| {
            let undoes = |act| matches!(act, Act::Remove | Act::Skip);
            asked.negated
                || !asked.risks().is_empty()
                || asked.terms.iter().any(|(term, act)| {
                    undoes(*act) && !tasks.iter().any(|task| task.names(term) && task.act_on(term) == *act)
                })
        })
    }

    /// Whether a sentence speaks of what the task is about.
    fn speaks_of(&self, sentence: &str) -> bool {
        plain_words(sentence).iter().any(|word| !is_in(GO_ON, word) && word.len() >= 4 && self.names(word))
    }
}

fn points_back(words: &[String]) -> bool {
    let pointing = words.iter().any(|word| is_in(POINTS_BACK, word));
    let verbs =
        ["continue", "proceed", "implement", "apply", "start", "begin", "finish", "go", "run", "execute"];
    pointing && !words.iter().any(|word| verbs.contains(&word.as_str()))
}

/// Whether the word is one of the list, or holds one where words are not spaced.
fn has_word(list: &[&str], word: &str) -> bool {
    list.iter().any(|known| *known == word || known.starts_with(is_unspaced) && word.contains(known))
}

fn is_in(list: &[&str], word: &str) -> bool {
    list.contains(&word)
}

/// Forms of one word: "continue" and "continues", "fonction" and "fonctions".
fn is_same_word(one: &str, other: &str) -> bool {
    let shared: usize = one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count();
    let longest = one.chars().count().max(other.chars().count());
    one == other || stem(one) == stem(other) || (shared >= 5 && longest - shared <= 3)
}
