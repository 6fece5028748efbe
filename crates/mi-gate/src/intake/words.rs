//! Words that mean something, in Chinese and English, as a table that a team can extend.
//!
//! English is matched by whole words, Chinese by characters with a list of longer words that mean something else;
//! both look at what stands before for a negation.

use std::{collections::BTreeMap, sync::LazyLock};

use regex::Regex;
use serde::Deserialize;

use super::{contradiction::DATABASES, text::Text};
use crate::yaml::{self, YamlError};

mod table;

/// What a word is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Topic {
    Urgency,
    Money,
    DataSecurity,
    Irreversible,
    Personnel,
    Architecture,
    SmallChange,
    Override,
    Closing,
    SessionEnd,
    Goodbye,
    NewTopic,
    ApproveBatch,
    Decision,
    Preference,
    Lesson,
    Principle,
    Auth,
    Encryption,
    Migration,
    DeleteData,
    NewDependency,
    ExternalService,
    CrossProject,
    AfterCutoff,
    PublicApi,
    Execution,
    LargeScope,
    Criteria,
    Vague,
    Deployment,
    Production,
}

/// The built-in words and a team's own.
#[derive(Debug, Clone, Default)]
pub struct WordTable {
    extra: BTreeMap<Topic, Vec<String>>,
}

/// Why a team's words were not taken.
#[derive(Debug, thiserror::Error)]
#[error("{file}, {source}")]
pub struct WordTableError {
    file: String,
    source: YamlError,
}

impl WordTable {
    /// Reads `urgency: [yesterday, 立刻]` and the like.
    pub fn parse(file: &str, text: &str) -> Result<Self, WordTableError> {
        let extra = yaml::read(text).map_err(|source| WordTableError { file: file.to_owned(), source })?;
        Ok(Self { extra })
    }

    fn phrases(&self, topic: Topic) -> impl Iterator<Item = &str> {
        let own = self.extra.get(&topic).into_iter().flatten().map(String::as_str);
        table::phrases(topic).iter().copied().chain(own)
    }
}

/// Whether a word of the topic stands in the text and is not negated.
pub(super) fn has(text: &Text, table: &WordTable, topic: Topic) -> bool {
    find(text, table, topic).is_some()
}

/// The first such word.
pub(super) fn find<'t>(text: &Text, table: &'t WordTable, topic: Topic) -> Option<&'t str> {
    table.phrases(topic).find(|phrase| stands(text, phrase))
}

/// Whether somebody is hired, fired or promoted by name.
pub(super) fn names_person(text: &Text) -> bool {
    static NAMED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\b(?:[Ff]ire|[Hh]ire|[Pp]romote|[Dd]emote|[Dd]ismiss|[Ll]ay off)\s+([A-Z][a-z]+)\b|\b[Ll]et ([A-Z][a-z]+) go\b")
            .expect("a fixed pattern compiles")
    });
    const THINGS: &[&str] =
        &["Event", "Events", "Request", "Trigger", "Webhook", "Hook", "Base", "Store", "Fox", "Build"];
    let name = |found: &regex::Captures<'_>| {
        found.get(1).or(found.get(2)).map_or("", |name| name.as_str()).to_owned()
    };
    NAMED.captures_iter(&text.cased).any(|found| !THINGS.contains(&name(&found).as_str()))
}

/// Whether a technology is chosen: one or another, or a move to it.
pub(super) fn chooses_technology(text: &Text) -> bool {
    const VERBS: &[&str] = &["to", "adopt", "choose", "pick"];
    const BEFORE_TO: &[&str] = &["move", "switch", "migrate", "change", "go", "back", "over"];
    let word =
        |at: Option<usize>| at.and_then(|at| text.tokens.get(at)).map_or("", |token| token.word.as_str());
    (0..text.tokens.len()).filter(|at| is_technology(word(Some(*at)))).any(|at| {
        let (before, second) = (word(at.checked_sub(1)), word(at.checked_sub(2)));
        let either =
            matches!(word(Some(at + 1)), "or" | "vs" | "versus") && is_technology(word(Some(at + 2)));
        let moved = match before {
            "to" => BEFORE_TO.contains(&second),
            "with" => second == "go" || second == "going",
            "use" => second == "let's" || second == "should" && text.plain.contains('?'),
            other => VERBS.contains(&other),
        };
        (either || moved) && !negated(text, at)
    })
}

fn is_technology(word: &str) -> bool {
    const TECHNOLOGIES: &[&str] = &[
        "cassandra",
        "redis",
        "memcached",
        "kafka",
        "rabbitmq",
        "nats",
        "elasticsearch",
        "react",
        "vue",
        "angular",
        "svelte",
        "nextjs",
        "django",
        "flask",
        "fastapi",
        "rails",
        "laravel",
        "spring",
        "graphql",
        "grpc",
        "kubernetes",
        "aws",
        "gcp",
        "azure",
        "rust",
        "golang",
        "python",
        "java",
        "typescript",
        "kotlin",
        "ruby",
        "php",
    ];
    DATABASES.contains(&word) || TECHNOLOGIES.contains(&word)
}

/// Whether an amount is sent: `transfer $500`, `打给他 500 元`.
pub(super) fn moves_money(text: &Text) -> bool {
    static AMOUNT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\b(?:send|transfer|pay|wire|charge|refund|donate|spend)\b[^.\n]{0,40}(?:[$€£¥]\s?\d|\d\s?(?:usd|eur|dollars|euros|rmb|cny))|(?:转|付|打给|汇)[^。\n]{0,12}\d+\s*(?:元|块|美元|万)")
            .expect("a fixed pattern compiles")
    });
    AMOUNT.is_match(&text.plain)
}

/// Whether the person tells us to stop arguing (D.3).
pub(super) fn says_override(text: &Text, table: &WordTable) -> bool {
    table.phrases(Topic::Override).any(|phrase| match phrase {
        "override" => text.phrase(phrase).into_iter().any(|at| is_order(text, at)),
        phrase if phrase.is_ascii() => stands(text, phrase),
        phrase => chinese(text, phrase).into_iter().any(|at| !text.asks_at(at + phrase.len())),
    })
}

/// "override" as an order, not as a word about code: nothing is overridden by name, nobody asks how.
fn is_order(text: &Text, at: usize) -> bool {
    let token = &text.tokens[at];
    let next = text.tokens.get(at + 1);
    let between = next.map_or(".", |next| &text.plain[token.end..next.start]);
    let ends = next.is_none()
        || between.contains([',', '.', '!', ':', ';', '\n', '，', '。', '！', '：', '—', '-'])
        || text.plain[token.end..].trim_start().starts_with(super::text::is_chinese);
    let goes_on = next.is_some_and(|next| {
        matches!(next.word.as_str(), "and" | "please" | "now" | "just" | "it" | "that" | "this" | "do" | "go")
    });
    let code = text.tokens.get(at + 2).is_some_and(|word| {
        matches!(
            word.word.as_str(),
            "method" | "function" | "class" | "default" | "value" | "setting" | "style"
        )
    });
    let before = at.checked_sub(1).map(|before| text.tokens[before].word.as_str());
    let talked_about =
        matches!(before, Some("to" | "an" | "the" | "a" | "i" | "method" | "css" | "of" | "this" | "with"));
    (ends || goes_on && !code)
        && !talked_about
        && !negated(text, at)
        && !text.plain[token.end..].starts_with('?')
}

fn stands(text: &Text, phrase: &str) -> bool {
    if phrase.is_ascii() {
        let excluded = table::english_others().iter().filter(|other| other.contains(phrase)).any(|other| {
            text.phrase(other).len() >= text.phrase(phrase).len() && !text.phrase(other).is_empty()
        });
        let labelled =
            |at: usize| !phrase.ends_with(':') || text.plain[text.tokens[at].end..].starts_with([':', '：']);
        return !excluded && text.phrase(phrase).into_iter().any(|at| labelled(at) && !negated(text, at));
    }
    !chinese(text, phrase).is_empty()
}

const NEGATIONS: &[&str] = &[
    "no",
    "not",
    "don't",
    "dont",
    "doesn't",
    "never",
    "without",
    "isn't",
    "won't",
    "nothing",
    "non",
    "nor",
    "can't",
    "didn't",
    "avoid",
    "shouldn't",
];

/// Whether one of the three words before, in the same sentence, negates.
fn negated(text: &Text, at: usize) -> bool {
    let start = text.tokens[at].start;
    let sentence =
        text.plain[..start].rfind(['.', '!', '?', ';', '\n', ',', '。', '，']).map_or(0, |end| end + 1);
    text.tokens[at.saturating_sub(3)..at]
        .iter()
        .any(|token| token.start >= sentence && NEGATIONS.contains(&token.word.as_str()))
}

/// Places of a Chinese phrase that is not negated and not part of another word.
fn chinese(text: &Text, phrase: &str) -> Vec<usize> {
    let phrase = phrase.to_lowercase();
    let others = || table::chinese_others().iter().filter(|other| other.contains(phrase.as_str()));
    text.plain
        .match_indices(&phrase)
        .map(|(at, _)| at)
        .filter(|at| {
            let inside_other = others().any(|other| {
                other.match_indices(phrase.as_str()).any(|(offset, _)| {
                    at.checked_sub(offset).is_some_and(|start| {
                        text.plain.get(start..).is_some_and(|rest| rest.starts_with(other))
                    })
                })
            });
            !inside_other && !chinese_negated(&text.plain[..*at])
        })
        .collect()
}

/// 不, 没, 别, 无 within the four characters before, in the same clause.
fn chinese_negated(before: &str) -> bool {
    let last: Vec<char> =
        before.chars().rev().take(4).take_while(|char| super::text::is_chinese(*char)).collect();
    last.iter().enumerate().any(|(at, char)| match char {
        '没' | '别' | '勿' | '未' => true,
        // 不断, 不得不 and 无论 do not negate what follows.
        '不' => at.checked_sub(1).is_none_or(|next| !matches!(last[next], '断' | '仅' | '但')),
        '无' => at.checked_sub(1).is_none_or(|next| last[next] == '需' || last[next] == '须'),
        _ => false,
    })
}
