//! Whether a word of a statement means the same in a question: tabs of indentation are not tabs of a browser.
//!
//! Holds: where a word has two meanings, something else in the question must point to the statement's.

use super::{asked::Asked, stance::Position};
use crate::words::{Act, Term};

/// Whether the statement can be about what is asked. `whole` is the whole question; `of_program` says that it asks
/// what a part of the program shall do.
pub(crate) fn fits(position: &Position, whole: &Asked, of_program: bool) -> bool {
    position.terms.iter().all(|term| match term {
        Term::Topic(topic) if CONDUCT.contains(topic) => !(of_program || speaks_of_data(position, whole)),
        Term::Member { category: "integration", .. } => !(of_program || speaks_of_data(position, whole)),
        Term::Member { category, member } if HOMOGRAPHS.contains(member) => {
            is_pointed_to(category, member, position, whole)
        }
        _ => true,
    })
}

/// What the agent does with its work; a program may do something of the same name with its data.
const CONDUCT: &[&str] = &["commit", "push", "merge", "release", "deploy", "branch", "install", "force"];

/// By their stems: things inside a program.
const DATA_WORDS: &[&str] = &[
    "dictionary",
    "dict",
    "list",
    "array",
    "object",
    "map",
    "hashmap",
    "transaction",
    "item",
    "element",
    "stack",
    "queue",
    "cell",
    "set",
    "string",
    "duplicat",
    "metric",
    "notification",
    "event",
    "column",
    "field",
    "key",
    "lock",
    "mutex",
    "memory",
    "buffer",
    "request",
    "struct",
    "class",
    "interval",
    "tree",
    "node",
    "字典",
    "列表",
    "数组",
    "事务",
    "队列",
    "通知",
    "对象",
    "内存",
    "事件",
];

fn speaks_of_data(position: &Position, whole: &Asked) -> bool {
    // "the requests package" is no request.
    !whole.names(&Term::Topic("dependency"))
        && whole.terms.iter().any(|(term, _)| match term {
            Term::Word(word) => {
                DATA_WORDS.iter().any(|known| word == known || (!known.is_ascii() && word.contains(known)))
                    && !position.terms.contains(term)
            }
            _ => false,
        })
}

/// Members whose name is also an everyday word.
const HOMOGRAPHS: &[&str] = &[
    "tabs",
    "spaces",
    "black",
    "ruff",
    "biome",
    "express",
    "react",
    "flask",
    "rust",
    "swift",
    "ruby",
    "node",
    "java",
    "poetry",
    "yarn",
    "bun",
    "mocha",
    "jest",
    "cypress",
    "playwright",
    "composition",
    "inheritance",
    "functional",
    "clear",
    "clever",
    "english",
    "chinese",
    "conda",
    "requests",
];

/// Another member of the category, its name, a word both share, or no other word at all.
fn is_pointed_to(category: &str, member: &str, position: &Position, whole: &Asked) -> bool {
    let terms = || whole.terms.iter().map(|(term, _)| term);
    let pair = terms().any(|term| {
        matches!(term, Term::Member { category: other, member: name } if *other == category && *name != member)
    });
    let named = terms()
        .any(|term| matches!(term, Term::Topic(topic) if *topic == category || goes_with(category, topic)));
    let shared = position.terms.iter().any(|term| !matches!(term, Term::Member { .. }) && whole.names(term));
    let written = category == "programming language"
        && (whole.acts.contains(&Act::Write)
            || terms().any(|term| matches!(term, Term::Word(word) if WRITTEN_IN.contains(&word.as_str()))));
    let foreign = terms().any(|term| match term {
        Term::Word(_) => true,
        Term::Topic(topic) => !matches!(*topic, "file" | "function"),
        Term::Member { category: other, .. } => *other != category,
    });
    pair || named || shared || written || !foreign
}

/// By their stems: what is written in a programming language.
const WRITTEN_IN: &[&str] =
    &["tool", "script", "program", "servic", "server", "cli", "modul", "written", "脚本", "程序"];

fn goes_with(category: &str, topic: &str) -> bool {
    match category {
        "indentation" | "formatter" => matches!(topic, "format" | "lint"),
        "test framework" => matches!(topic, "tests" | "mock"),
        "package manager" => matches!(topic, "install" | "dependency"),
        "language" => matches!(
            topic,
            "docs" | "comment" | "message" | "changelog" | "commit" | "name" | "log" | "errors"
        ),
        "paradigm" | "code shape" => matches!(topic, "design" | "refactor" | "function"),
        _ => false,
    }
}
