//! Words that mean something, in Chinese and English, as a table that a team can extend.
//!
//! English is matched by whole words, Chinese by characters with a list of longer words that mean something else;
//! both look at what stands before for a negation.

use mi_yaml::YamlError;
use std::{collections::BTreeMap, sync::LazyLock};

use regex::Regex;
use serde::Deserialize;

use super::text::Text;

mod closing;
mod deletion;
mod mention;
mod negation;
mod table;
mod technology;

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
        let extra = mi_yaml::read(text).map_err(|source| WordTableError { file: file.to_owned(), source })?;
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

/// Whether one stands there that the person says and does not ask about.
pub(super) fn said(text: &Text, table: &WordTable, topic: Topic) -> bool {
    table.phrases(topic).any(|phrase| {
        places(text, phrase, topic).into_iter().any(|(start, end)| {
            let before = &text.plain[..start];
            !text.asks_at(end) && !asks_before(before) && !asks_about_self(before)
        })
    })
}

/// "which one do I prefer", "should we always …": a question without its mark.
fn asks_about_self(before: &str) -> bool {
    let sentence = super::text::end_of(before).rsplit(['.', '!', '?', '\n', ';']).next().unwrap_or_default();
    let mut words = sentence.split_whitespace();
    match words.next() {
        Some("which" | "why") => true,
        Some("do" | "does" | "did" | "should" | "would") => matches!(words.next(), None | Some("i" | "we")),
        _ => false,
    }
}

/// The first such word.
pub(super) fn find<'t>(text: &Text, table: &'t WordTable, topic: Topic) -> Option<&'t str> {
    table.phrases(topic).find(|phrase| stands(text, phrase, topic))
}

/// The first phrase of the topic that closes its clause, as the end of a task or a session does.
pub(super) fn closing<'t>(text: &Text, table: &'t WordTable, topic: Topic) -> Option<&'t str> {
    closing::find(text, table, topic)
}

/// Whether somebody is hired, fired or promoted by name.
pub(super) fn names_person(text: &Text) -> bool {
    static NAMED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\b(?:[Ff]ire|[Hh]ire|[Pp]romote|[Dd]emote|[Dd]ismiss|[Ll]ay off)\s+([A-Z][a-z]+)\b|\b[Ll]et ([A-Z][a-z]+) go\b|\b[Kk]eep ([A-Z][a-z]+) (?:on|in|with) (?:the|our) (?:team|company|staff|payroll)\b|\b[Ss]hould ([A-Z][a-z]+) (?:stay|leave)\b|([给让](?:[老小]\p{Han}|他|她)转正)|(裁掉?[^，。,\s]{0,2}个人|[把将][老小]\p{Han}{1,2}?(?:调到|调去|换掉|踢|开了|辞))")
            .expect("a fixed pattern compiles")
    });
    const THINGS: &[&str] =
        &["Event", "Events", "Request", "Trigger", "Webhook", "Hook", "Base", "Store", "Fox", "Build"];
    let name = |found: &regex::Captures<'_>| {
        found.iter().skip(1).flatten().next().map_or("", |name| name.as_str()).to_owned()
    };
    NAMED.captures_iter(&text.cased).any(|found| !THINGS.contains(&name(&found).as_str()))
}

/// Whether a technology is chosen: one or another, or a move to it.
pub(super) fn chooses_technology(text: &Text) -> bool {
    technology::is_chosen(text)
}

/// "What is the architecture?" wants to know and decides nothing; "what database should we use?" decides.
pub(super) fn wants_to_know(text: &Text, table: &WordTable) -> bool {
    let first = text.tokens.first().filter(|token| text.plain[..token.start].trim().is_empty());
    let asks =
        first.is_some_and(|first| {
            matches!(
                first.word.as_str(),
                "what" | "what's" | "where" | "explain" | "describe" | "show" | "read" | "why" | "how"
            )
        }) || ["什么是", "解释", "介绍", "看看"].iter().any(|word| text.plain.trim_start().starts_with(word));
    let decides = ["should", "which", "or", "why not", "how about", "what about", "what if"]
        .iter()
        .any(|word| !text.phrase(word).is_empty());
    // "how do I …" orders nothing by its `do`.
    let orders = || {
        table.phrases(Topic::Execution).any(|phrase| phrase != "do" && stands(text, phrase, Topic::Execution))
    };
    asks && !decides && !orders()
}

/// Whether an amount is sent: `transfer $500`, `打给他 500 元`.
pub(super) fn moves_money(text: &Text) -> bool {
    static AMOUNT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\b(?:send|transfer|pay|wire|charge|refund|donate|spend)\b[^.\n]{0,40}(?:[$€£¥]\s?\d|\d\s?(?:usd|eur|dollars|euros|rmb|cny))|(?:转|付|打给|汇|发放|发给|退|扣|赔)[^。\n]{0,12}\d+\s*(?:元|块|美元|万)")
            .expect("a fixed pattern compiles")
    });
    AMOUNT.is_match(&text.plain)
}

/// Whether data is done away with, however the sentence is built: 把线上的订单数据全部删掉.
pub(super) fn deletes_data(text: &Text) -> bool {
    static DELETED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?:(?:线上|生产|全部|所有|用户|客户|订单|历史|数据库)的?[^，。,\s]{0,4}?(?:数据|记录|账号|账户|备份|订单|库|表)|[a-z_]+\s*表)",
            r"[^，。,\s]{0,4}?(?:删(?:掉|除|光|干净|了)|清空|清掉|清除|抹掉)(?P<after>.?)",
            r"|格式化(?:[^，。,\s]{0,4}?)(?:硬盘|磁盘|数据盘|系统盘|分区)(?P<disk>.?)",
            r"|(?:删(?:掉|除|光)?|清(?:掉|空|除)|抹掉)了?(?:所有|全部|整个)?[^，。,\s]{0,4}?(?:用户|客户|订单|线上|生产)[^，。,\s]{0,3}?(?:数据|记录|账号|资料|库|表)(?P<thing>.?)",
        ))
        .expect("a fixed pattern compiles")
    });
    text.plain.contains(['删', '清', '抹', '盘'])
        && DELETED.captures_iter(&text.plain).any(|found| {
            let start = found.get(0).map_or(0, |whole| whole.start());
            let negated = negation::chinese(&text.plain[..start])
                || found.get(0).is_some_and(|whole| whole.as_str().contains(['不', '没', '别', '未']));
            // 数据删除功能 and 删除用户表单 name something.
            let next = ["after", "thing", "disk"].into_iter().find_map(|name| found.name(name));
            let next = next.map_or("", |next| next.as_str());
            !negated
                && !matches!(
                    next,
                    "功" | "接"
                        | "按"
                        | "逻"
                        | "事"
                        | "时"
                        | "后"
                        | "的"
                        | "失"
                        | "单"
                        | "格"
                        | "头"
                        | "情"
                        | "达"
                )
        })
}

/// Whether a sentence begins with haste: "quick, fix it", "please quickly rename it"; "quick question" is none.
pub(super) fn hurries(text: &Text) -> bool {
    static HASTE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?:^|[.!?\n,;:]\s*)(?:(?:please|can you|could you|just|ok|now)[\s,]+){0,2}(?:quick\s*[,!]|quickly\s+[a-z]+)|\bdo (?:it|this|that) fast\b|\bbe fast\b|\bfast,? please\b")
            .expect("a fixed pattern compiles")
    });
    // Patterns are compiled only where they can match: a hook lives for milliseconds.
    ["quick", "fast"].iter().any(|word| text.plain.contains(word)) && HASTE.is_match(&text.plain)
}

/// Whether the person tells us to stop arguing (D.3).
pub(super) fn says_override(text: &Text, table: &WordTable) -> bool {
    table.phrases(Topic::Override).any(|phrase| match phrase {
        "override" => text.phrase(phrase).into_iter().any(|at| is_order(text, at)),
        phrase if phrase.is_ascii() => stands(text, phrase, Topic::Override),
        phrase => chinese(text, phrase, Topic::Override)
            .into_iter()
            .any(|at| !text.asks_at(at + phrase.len()) && !asks_before(&text.plain[..at])),
    })
}

/// Whether the person wants to be argued with again: "don't override any more", 先讨论.
pub(super) fn takes_override_back(text: &Text) -> bool {
    const BACK: [&str; 6] = [
        "discuss first",
        "let's discuss",
        "discuss it first",
        "discuss this first",
        "no more override",
        "stop overriding",
    ];
    const BACK_CHINESE: [&str; 5] = ["先讨论", "讨论一下", "不要直接做", "别直接做", "先不要直接"];
    let negated = text.phrase("override").into_iter().any(|at| negation::english(text, at));
    negated
        || BACK.iter().any(|phrase| text.phrase(phrase).into_iter().any(|at| !negation::english(text, at)))
        || BACK_CHINESE.iter().any(|phrase| {
            text.plain.match_indices(phrase).any(|(at, _)| !negation::chinese(&text.plain[..at]))
        })
}

/// 为什么, 能不能 and the like in the clause before make it a question.
fn asks_before(before: &str) -> bool {
    let clause = super::text::end_of(before)
        .rsplit(['，', '。', '！', '？', '；', ',', '.', '!', '?', ';', '\n'])
        .next()
        .unwrap_or_default();
    ["为什么", "为何", "怎么", "能不能", "可不可以", "是否", "是不是", "要不要", "该不该"]
        .iter()
        .any(|word| clause.contains(word))
}

/// "override" as an order, not as a word about code: it begins a clause or follows a word that only leads to it, and nothing
/// but an objection is overridden by name.
fn is_order(text: &Text, at: usize) -> bool {
    leads_to_order(text, at)
        && ends_order(text, at)
        && !negation::english(text, at)
        && !text.asks_at(text.tokens[at].end)
        && !text.plain[..text.tokens[at].start].trim_end().ends_with(['(', '（'])
        && !is_asked_about(&text.plain[text.tokens[at].end..])
}

/// "override?", "override: what does it do?", "override `foo`" are about the word or about code.
fn is_asked_about(after: &str) -> bool {
    const ASKS: [&str; 5] = ["what", "why", "how", "when", "where"];
    let after = super::text::start_of(after).trim_start();
    let rest = after.trim_start_matches([':', ',', ' ', '：', '，']);
    after.starts_with(['?', '？', '`'])
        || ASKS.iter().any(|word| rest.starts_with(word)) && rest.trim_end().ends_with(['?', '？'])
}

/// Whether what stands between two words ends a clause; a dot or a hyphen inside a name (`a.override`) does not.
fn ends_clause(between: &str) -> bool {
    between.contains([',', '!', '?', ':', ';', '\n', '，', '。', '！', '？', '：', '；', '—'])
        || [". ", "- ", " -"].iter().any(|mark| between.contains(mark))
}

/// Whatever an agent quotes or a method is called, the person's own order stands alone: "please override", "I said override".
fn leads_to_order(text: &Text, at: usize) -> bool {
    const LEADS: &[&str] = &[
        "please",
        "just",
        "yes",
        "ok",
        "okay",
        "yeah",
        "yep",
        "sure",
        "said",
        "say",
        "now",
        "so",
        "then",
        "and",
        "again",
        "explicitly",
        "hereby",
        "still",
        "it",
        "anyway",
    ];
    let Some(before) = at.checked_sub(1).map(|before| &text.tokens[before]) else {
        return leads_in_chinese(&text.plain[..text.tokens[at].start]);
    };
    let between = &text.plain[before.end..text.tokens[at].start];
    let chinese = between.contains(super::text::is_chinese);
    ends_clause(between) && leads_in_chinese(between)
        || chinese && leads_in_chinese(between)
        || !chinese && LEADS.contains(&before.word.as_str())
}

/// Nothing, the end of a clause, or 请, 说, 就 and the like directly before.
fn leads_in_chinese(before: &str) -> bool {
    before
        .trim_end()
        .chars()
        .next_back()
        .is_none_or(|last| !super::text::is_chinese(last) || "请说就再了吧".contains(last))
}

/// "override", "override and push", "override it", "override the rule".
fn ends_order(text: &Text, at: usize) -> bool {
    const OBJECTIONS: &[&str] = &[
        "gate",
        "rule",
        "rules",
        "warning",
        "warnings",
        "objection",
        "objections",
        "check",
        "block",
        "challenge",
        "denial",
        "deny",
        "policy",
        "limit",
        "concern",
        "concerns",
    ];
    let word = |at: usize| text.tokens.get(at).map_or("", |token| token.word.as_str());
    let closed = |at: usize| {
        let (token, next) = (&text.tokens[at], text.tokens.get(at + 1));
        let between = next.map_or(".", |next| &text.plain[token.end..next.start]);
        next.is_none()
            || ends_clause(between)
            || text.plain[token.end..].trim_start().starts_with(super::text::is_chinese)
    };
    let objection = matches!(word(at + 1), "the" | "your" | "this" | "that" | "all" | "its")
        && OBJECTIONS.contains(&word(at + 2))
        && (closed(at + 2) || matches!(word(at + 3), "and" | "now" | "please"));
    let goes_on =
        matches!(word(at + 1), "and" | "please" | "now" | "just" | "it" | "that" | "this" | "do" | "go");
    let code = matches!(
        word(at + 2),
        "method" | "function" | "class" | "default" | "value" | "setting" | "style" | "field" | "property"
    );
    closed(at) || goes_on && !code || objection
}

fn stands(text: &Text, phrase: &str, topic: Topic) -> bool {
    !places(text, phrase, topic).is_empty()
}

/// Where a phrase stands that is not negated, not part of another one and not only mentioned, by bytes.
fn places(text: &Text, phrase: &str, topic: Topic) -> Vec<(usize, usize)> {
    let open = |span: (usize, usize)| !deletion::is_harmless(text, phrase, span, topic);
    if phrase.is_ascii() {
        let excluded = table::english_others().iter().filter(|other| other.contains(phrase)).any(|other| {
            text.phrase(other).len() >= text.phrase(phrase).len() && !text.phrase(other).is_empty()
        });
        let labelled = |end: usize| {
            let last = || end.checked_sub(1).and_then(|last| text.tokens.get(last));
            !phrase.ends_with(':')
                || last().is_some_and(|last| text.plain[last.end..].starts_with([':', '：']))
        };
        if excluded {
            return Vec::new();
        }
        return text
            .phrase_spans(phrase)
            .into_iter()
            .filter(|(at, end)| {
                labelled(*end) && !negation::english(text, *at) && !mention::english(text, (*at, *end), topic)
            })
            .filter_map(|(at, end)| {
                Some((text.tokens.get(at)?.start, text.tokens.get(end.checked_sub(1)?)?.end))
            })
            .filter(|span| open(*span))
            .collect();
    }
    chinese(text, phrase, topic)
        .into_iter()
        .map(|at| (at, at + phrase.len()))
        .filter(|span| open(*span))
        .collect()
}

/// Places of a Chinese phrase that is not negated and not part of another word.
fn chinese(text: &Text, phrase: &str, topic: Topic) -> Vec<usize> {
    let phrase = phrase.to_lowercase();
    let others = || {
        table::chinese_others()
            .iter()
            .filter(|other| other.len() > phrase.len() && other.contains(phrase.as_str()))
    };
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
            !inside_other
                && !negation::chinese(&text.plain[..*at])
                && !negation::chinese_behind(&text.plain[at + phrase.len()..])
                && !mention::chinese(text, (*at, at + phrase.len()), topic)
        })
        .collect()
}
