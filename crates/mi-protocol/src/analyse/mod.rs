//! What a file that loads may still get wrong: warnings about its graph and its guards.
//!
//! Holds: `never_true` and `always_true` are said only when proven; guards that cannot be decided are returned.
//! Elsewhere: errors are found by `link`.

mod domain;
mod graph;
mod guards;
mod kinds;

use std::collections::HashMap;

use crate::{
    problem::{Kind, Problems},
    protocol::{Edge, Protocol},
};
use guards::Answer;

/// Adds warnings; returns the edges whose guard could not be decided.
pub fn analyse(protocol: &Protocol, problems: &mut Problems) -> Vec<String> {
    let answers = guards::answers(protocol);
    for (edge, answer) in protocol.edges.iter().zip(&answers) {
        let told = match answer {
            Answer::Never => {
                Some((Kind::NeverTrue, "never holds: the edge cannot be taken", "correct or remove the edge"))
            }
            Answer::Always => Some((
                Kind::AlwaysTrue,
                "always holds: it guards nothing",
                "take the guard out, or correct it",
            )),
            Answer::Sometimes | Answer::Unknown => None,
        };
        if let (Some((kind, message, hint)), Some(_)) = (told, edge.guard) {
            problems.add(kind, edge.guard_place, format!("the guard of `{}` {message}", edge.id), hint);
        }
    }
    graph::reach(protocol, problems);
    graph::loops(protocol, problems);
    shadowed(protocol, &answers, problems);
    kinds::guard_types(protocol, problems);
    let undecided = protocol.edges.iter().zip(&answers).filter(|(_, answer)| **answer == Answer::Unknown);
    undecided.map(|(edge, _)| edge.id.to_string()).collect()
}

/// An earlier edge of the same node and class that is always open, or open exactly when this one is.
fn shadowed(protocol: &Protocol, answers: &[Answer], problems: &mut Problems) {
    let mut open: HashMap<(usize, &str), &Edge> = HashMap::new();
    let mut same: HashMap<(usize, &str, String), &Edge> = HashMap::new();
    for (edge, answer) in protocol.edges.iter().zip(answers) {
        let group = (edge.from, edge.class.word());
        let spelling = edge.guard.map(|guard| {
            let ast = &protocol.expressions[guard].checked.ast;
            ast.canonical(ast.root)
        });
        let key = spelling.map(|spelling| (group.0, group.1, spelling));
        let earlier = open.get(&group).or_else(|| same.get(key.as_ref()?));
        if let Some(earlier) = earlier {
            let message = format!(
                "`{}` is never reached: `{}` leaves the same node with the same class and is open whenever it is",
                edge.id, earlier.id
            );
            problems.add(
                Kind::Shadowed,
                edge.place,
                message,
                "give the earlier edge a guard, or change the class",
            );
        }
        if edge.guard.is_none() || *answer == Answer::Always {
            open.entry(group).or_insert(edge);
        }
        if let Some(key) = key {
            same.entry(key).or_insert(edge);
        }
    }
}
