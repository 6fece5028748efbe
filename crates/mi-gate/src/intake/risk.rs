//! Spec gate, risk score, orchestration and tier (D.6, D.14, D.22).

use std::sync::LazyLock;

use regex::Regex;
use serde::Serialize;

use super::text::Text;
use super::words::{self, Topic};
use super::{Area, Message, Task, diff};
use crate::messages::Locale;

mod named;

/// Whether the request is clear enough to be scored at all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SpecGate {
    pub blocked: bool,
    pub questions: Vec<String>,
}

/// The score with everything that counted; no score behind a blocked gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Risk {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<u32>,
    pub factors: Vec<Factor>,
}

/// One thing that raised or lowered the score.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Factor {
    pub name: &'static str,
    pub points: i32,
    pub why: String,
}

/// Who looks at the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Orchestration {
    Alone,
    OfferReview,
    MustReviewHuman,
    Blocked,
}

/// How much a challenge says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    Light,
    Moderate,
    Full,
}

impl Tier {
    pub fn of(score: u32) -> Self {
        match score {
            0..=2 => Self::Light,
            3 => Self::Moderate,
            4.. => Self::Full,
        }
    }
}

/// A task alone decides; a plain message is blocked only if it orders something large or vague without saying what would be good.
pub(super) fn spec_gate(text: &Text, message: &Message<'_>, locale: Locale) -> SpecGate {
    let say = |zh: &str, en: &str| if locale == Locale::Zh { zh.to_owned() } else { en.to_owned() };
    let mut questions = Vec::new();
    let (unclear, without_criteria) = match message.task {
        Some(task) => (task.spec_unclear, task.acceptance_criteria_missing),
        None => plain_message(text, message),
    };
    if unclear {
        questions.push(say("具体要改变什么,不改变什么?", "What exactly changes, and what stays as it is?"));
    }
    if without_criteria {
        questions.push(criteria_question(locale).to_owned());
    }
    SpecGate { blocked: !questions.is_empty(), questions }
}

/// What is asked where nobody said when it is done.
pub fn criteria_question(locale: Locale) -> &'static str {
    match locale {
        Locale::Zh => "怎样算完成?请给出可以检查的验收标准。",
        Locale::En => "How will we see that it is done? Name criteria that can be checked.",
    }
}

/// Whether a text says when it is done, such as "so that the tests pass".
pub fn names_criteria(text: &str) -> bool {
    words::has(&Text::new(text), &words::WordTable::default(), Topic::Criteria)
}

/// Whether a text asks for something without saying what, such as "make it better".
pub fn is_vague(text: &str) -> bool {
    words::has(&Text::new(text), &words::WordTable::default(), Topic::Vague)
}

fn plain_message(text: &Text, message: &Message<'_>) -> (bool, bool) {
    let has = |topic| words::has(text, message.words, topic);
    let orders = has(Topic::Execution) && !text.plain.trim_end().ends_with(['?', '？']);
    let criteria = has(Topic::Criteria);
    let vague = orders && has(Topic::Vague) || names_only_a_product(&text.plain);
    let size = named::size(&text.plain);
    let large = orders && (has(Topic::LargeScope) || size.is_significant()) && words_ask_for_building(text);
    (vague && !criteria, large && !criteria && !vague)
}

/// "build me an app", 做一个网站: the whole order, without a word about what it does.
fn names_only_a_product(plain: &str) -> bool {
    static PRODUCT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"^\W*(?:(?:please|can you|could you|just|now)\s+)*(?:build|make|create|write|develop)(?:\s+me)?\s+(?:an?|the|some)\s+(?:new\s+)?(?:web\s+|mobile\s+)?",
            r"(?:app|application|website|site|platform|system|game|product|service|backend|frontend|saas|startup|thing)(?:\s+please)?\W*$",
            r"|^\W*(?:请|帮我|给我|麻烦)*(?:做|写|开发|搭建?|实现)一?个(?:网站|应用|app|系统|平台|小程序|游戏|软件|后台|产品)\W*$",
        ))
        .expect("a fixed pattern compiles")
    });
    const VERBS: [&str; 10] =
        ["build", "make", "create", "write", "develop", "做", "写", "开发", "搭", "实现"];
    // Behind so few words nothing more is said.
    plain.len() <= 100 && VERBS.iter().any(|verb| plain.contains(verb)) && PRODUCT.is_match(plain)
}

/// Verbs that build or rebuild; "list all files" is none.
fn words_ask_for_building(text: &Text) -> bool {
    let english = ["implement", "build", "rewrite", "migrate", "refactor", "redesign", "develop"];
    let chinese = ["重构", "迁移", "重写", "实现", "开发", "重新设计"];
    // "the build" is a thing.
    let is_verb = |at: usize| {
        !matches!(
            at.checked_sub(1).map(|before| text.tokens[before].word.as_str()),
            Some("the" | "a" | "this" | "our")
        )
    };
    english.iter().any(|word| text.phrase(word).into_iter().any(is_verb))
        || chinese.iter().any(|word| text.plain.contains(word))
}

/// The score of what is said, of what is to be run and (the last text) of what a diff touches, and what it was before
/// vagueness took two points off.
pub(super) fn score(texts: &[&Text], message: &Message<'_>, blocked: bool) -> (Risk, Option<u32>) {
    if blocked {
        return (Risk { score: None, factors: Vec::new() }, None);
    }
    // A task says itself what it involves; a diff is no claim, so it counts beside one.
    let texts = if message.task.is_some() { &texts[texts.len() - 1..] } else { texts };
    let has = |topic| texts.iter().any(|text| words::has(text, message.words, topic));
    let says = |claim: fn(&Task) -> bool| message.task.is_some_and(claim);
    let outside = [
        (says(|task| task.new_dependency) || has(Topic::NewDependency), "new_dependency"),
        (says(|task| task.external_service) || has(Topic::ExternalService), "external_service"),
        (says(|task| task.cross_project) || has(Topic::CrossProject), "cross_project"),
    ];
    let after_cutoff = says(|task| task.after_cutoff) || has(Topic::AfterCutoff);
    let mut factors = factors_of(&areas(texts, message), &chosen(&outside), after_cutoff);
    factors.extend(size(texts, message));
    let before = factors.iter().map(|factor| factor.points).sum::<i32>();
    if message.task.is_some_and(|task| task.spec_incomplete || task.acceptance_criteria_vague) {
        factors.push(Factor {
            name: "vague",
            points: -2,
            why: "the specification is incomplete or its criteria are vague".to_owned(),
        });
    }
    let after = factors.iter().map(|factor| factor.points).sum::<i32>();
    let natural = |points: i32| u32::try_from(points.max(0)).unwrap_or(0);
    (Risk { score: Some(natural(after)), factors }, Some(natural(before)))
}

/// What the task claims to involve and what the texts are about.
fn areas(texts: &[&Text], message: &Message<'_>) -> Vec<&'static str> {
    let topics = [
        (Area::Auth, Topic::Auth),
        (Area::Encryption, Topic::Encryption),
        (Area::Migration, Topic::Migration),
        (Area::DeleteData, Topic::DeleteData),
    ];
    let has = |text: &Text, area, topic| {
        words::has(text, message.words, topic) || area == Area::DeleteData && words::deletes_data(text)
    };
    topics
        .into_iter()
        .filter(|(area, topic)| {
            super::involves(message, *area) || texts.iter().any(|text| has(text, *area, *topic))
        })
        .map(|(area, _)| area.as_str())
        .collect()
}

fn chosen<'a>(list: &[(bool, &'a str)]) -> Vec<&'a str> {
    list.iter().filter(|(holds, _)| *holds).map(|(_, name)| *name).collect()
}

fn factors_of(areas: &[&str], outside: &[&str], after_cutoff: bool) -> Vec<Factor> {
    let mut factors = Vec::new();
    if !areas.is_empty() {
        factors.push(Factor {
            name: "sensitive_area",
            points: 3,
            why: format!("involves {}", areas.join(", ")),
        });
    }
    if !outside.is_empty() {
        factors.push(Factor { name: "outside", points: 2, why: format!("involves {}", outside.join(", ")) });
    }
    if after_cutoff {
        factors.push(Factor {
            name: "after_cutoff",
            points: 2,
            why: "needs information newer than the model's".to_owned(),
        });
    }
    factors
}

/// More than 150 lines, more than 2 directories, or a public interface.
fn size(texts: &[&Text], message: &Message<'_>) -> Option<Factor> {
    let task = message.task;
    let said = texts.iter().map(|text| named::size(&text.plain).lines).max().unwrap_or(0);
    let claimed = task.map_or(said, |task| task.lines_changed);
    let lines = claimed.max(message.diff.map_or(0, |diff| diff.lines));
    let directories = task.map_or(0, |task| task.directories).max(message.diff.map_or(0, directories));
    let public = task.is_some_and(|task| task.changes_public_api)
        || texts.iter().any(|text| words::has(text, message.words, Topic::PublicApi));
    let mut why = Vec::new();
    if lines > 150 {
        why.push(format!("{lines} lines"));
    }
    if directories > 2 {
        why.push(format!("{directories} directories"));
    }
    if public {
        why.push("a public interface".to_owned());
    }
    (!why.is_empty()).then(|| Factor { name: "size", points: 1, why: format!("changes {}", why.join(", ")) })
}

fn directories(diff: &crate::change_unit::ChangeUnits) -> u64 {
    let folders: std::collections::BTreeSet<&str> =
        diff.files.iter().map(|file| file.path.rsplit_once('/').map_or("", |(folder, _)| folder)).collect();
    folders.len() as u64
}

pub(super) fn orchestration(before_vagueness: Option<u32>) -> Orchestration {
    match before_vagueness {
        None => Orchestration::Blocked,
        Some(0..=1) => Orchestration::Alone,
        Some(2..=3) => Orchestration::OfferReview,
        Some(4..) => Orchestration::MustReviewHuman,
    }
}

/// Auth, encryption, migration and deletion are high-risk whatever the score (D.14).
pub(super) fn is_sensitive(risk: &Risk) -> bool {
    risk.factors.iter().any(|factor| factor.name == "sensitive_area")
}

/// Whether a "small change" is more than one file, ten lines and no interface (D.14).
pub(super) fn is_more_than_trivial(text: &Text, message: &Message<'_>) -> bool {
    let by_diff = message
        .diff
        .is_some_and(|diff| diff.files.len() > 1 || diff.lines > 10 || diff::changes_interface(diff));
    let by_task = message.task.is_some_and(|task| {
        task.lines_changed > 10
            || task.directories > 1
            || task.changes_public_api
            || !task.involves.is_empty()
    });
    let topics = [
        Topic::Architecture,
        Topic::PublicApi,
        Topic::Auth,
        Topic::Encryption,
        Topic::Migration,
        Topic::DeleteData,
        Topic::Irreversible,
        Topic::Money,
        Topic::LargeScope,
        Topic::CrossProject,
    ];
    by_diff
        || by_task
        || words::chooses_technology(text)
        || topics.into_iter().any(|topic| words::has(text, message.words, topic))
}
