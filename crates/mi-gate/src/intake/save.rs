//! What is worth keeping (D.9), when a session is saved by itself (D.12) and when it ends (D.11).

use std::sync::LazyLock;

use mi_model::{Timestamp, sha256_hex};
use regex::Regex;
use serde::Serialize;

use super::Message;
use super::state::State;
use super::text::Text;
use super::words::{self, Topic, WordTable};

/// Whether the message holds something for a card.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Cognitive {
    pub signal: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The person said yes to the last suggestion: write this as a proposal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub save: Option<String>,
    /// What the saved one was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub save_kind: Option<String>,
    /// Where the proposal was written, from the persona.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposal: Option<String>,
}

pub(super) fn cognitive(
    text: &Text,
    message: &Message<'_>,
    contradicts: &[String],
    state: &mut State,
) -> Cognitive {
    let (pending, pending_kind) = (state.pending_card.take(), state.pending_kind.take());
    if says_save(&text.plain) {
        return Cognitive { save: pending, save_kind: pending_kind, ..Cognitive::default() };
    }
    let topics = [
        (Topic::Decision, "decision"),
        (Topic::Preference, "preference"),
        (Topic::Lesson, "lesson"),
        (Topic::Principle, "principle"),
    ];
    let found =
        topics.into_iter().find(|(topic, _)| words::said(text, message.words, *topic)).map(|(_, kind)| kind);
    let kind = found.or_else(|| (!contradicts.is_empty()).then_some("contradiction"));
    // A question decides nothing.
    let Some(kind) = kind.filter(|_| !text.plain.trim_end().ends_with(['?', '？'])) else {
        return Cognitive::default();
    };
    let description = describe(text, contradicts, kind);
    // The same words in another dress are the same suggestion.
    let words: String = description.to_lowercase().chars().filter(|char| char.is_alphanumeric()).collect();
    if !state.suggested.insert(sha256_hex(words.as_bytes())[..16].to_owned()) {
        return Cognitive::default();
    }
    state.pending_card = Some(description.clone());
    state.pending_kind = Some(kind.to_owned());
    Cognitive { signal: true, kind: Some(kind), description: Some(description), ..Cognitive::default() }
}

/// `save`, 存, "yes, save it", 好,存吧: the whole message, with nothing to be saved but the suggestion.
fn says_save(plain: &str) -> bool {
    static SAVE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^(?:(?:yes|yeah|yep|ok|okay|sure|please|好的?|可以|行|是的?|嗯)[\s,，.。!！]*)*(?:save(?: (?:it|that|this))?(?: please)?|存(?:一下|起来|了|吧|下来)*)[\s.!。！]*$")
            .expect("a fixed pattern compiles")
    });
    plain.len() <= 100 && (plain.contains("save") || plain.contains('存')) && SAVE.is_match(plain.trim())
}

/// One line, without secrets: it is shown and may be kept. Code and quotations stay in it.
fn describe(text: &Text, contradicts: &[String], kind: &str) -> String {
    let line = text.lines.iter().map(|line| line.trim()).find(|line| !line.is_empty()).unwrap_or_default();
    let line = mi_model::shorten(&mi_secrets::redact(line), 120);
    if kind == "contradiction" { format!("{line} ({})", contradicts.join(", ")) } else { line }
}

/// Whether the session is saved now, and why (not).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct AutoSave {
    pub trigger: bool,
    /// The seed's number of the trigger, 1 to 5.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_back: Option<&'static str>,
}

/// What happened in the work, from hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkEvent {
    HumanCloses,
    TestsPassedAndReported,
    ReviewAdoptionReported,
    WorkLogUpdated,
    TaskDoneAndWaiting,
}

const PAUSE_MS: i64 = 10 * 60 * 1000;

/// Judges one event by the triggers and exclusions of D.12.
pub fn auto_save(event: WorkEvent, state: &State, now: Timestamp) -> AutoSave {
    let number = match event {
        WorkEvent::HumanCloses => 1,
        WorkEvent::TestsPassedAndReported => 2,
        WorkEvent::ReviewAdoptionReported => 3,
        WorkEvent::WorkLogUpdated => 4,
        WorkEvent::TaskDoneAndWaiting => 5,
    };
    let held_back = if state.in_progress {
        Some("the task is in progress")
    } else if state.since_save(now).is_some_and(|age| age < PAUSE_MS) {
        Some("less than 10 minutes since the last save")
    } else if state.output_made == Some(false) {
        Some("nothing but discussion since the last save")
    } else {
        None
    };
    AutoSave { trigger: held_back.is_none(), number: Some(number), held_back }
}

pub(super) fn of_message(text: &Text, message: &Message<'_>, state: &mut State) -> AutoSave {
    // A goodbye closes as well; `save` by itself is an order, and nothing that happens by itself.
    let topics = [Topic::Closing, Topic::SessionEnd, Topic::Goodbye];
    let asks = |phrase: &str| text.plain.find(&phrase.to_lowercase()).is_some_and(|at| text.asks_at(at));
    let closing = topics
        .into_iter()
        .filter_map(|topic| words::closing(text, message.words, topic))
        .find(|phrase| !asks(phrase));
    let Some(phrase) = closing.or_else(|| bare_end(&text.plain)) else { return AutoSave::default() };
    let mut save = auto_save(WorkEvent::HumanCloses, state, message.now);
    if save.trigger && brings_work(text, phrase) {
        save = AutoSave { trigger: false, held_back: Some("a new instruction waits"), ..save };
    }
    if save.trigger {
        state.last_auto_save_ms = Some(message.now.as_millis());
        state.output_made = None;
    }
    save
}

/// A session that began with a question has nothing to be saved until something is asked for (D.12). Where hooks see the
/// work, they know better and say so before each message.
pub(super) fn note_talk(text: &Text, message: &Message<'_>, state: &mut State) {
    let began = message.state.topic.is_empty() && message.state.topic_number == 0;
    let asks = text.asks_at(0) || words::wants_to_know(text, message.words);
    match state.output_made {
        None if began && asks => state.output_made = Some(false),
        Some(false) if !asks && words::has(text, message.words, Topic::Execution) => state.output_made = None,
        _ => {}
    }
}

/// One word that closes only where it is the whole message.
fn bare_end(plain: &str) -> Option<&'static str> {
    let whole = plain.trim().trim_end_matches(['吧', '。', '.', '!', '！']);
    let whole = whole.strip_prefix("ok").map_or(whole, |rest| rest.trim_start_matches([',', '，', ' ']));
    let ends = ["结束", "结束了", "完成了", "搞定", "done", "finished", "next", "that's all"];
    // "done. next!" says it twice; thanks say nothing more.
    let last = whole
        .split(['.', ',', '!', '，', '。', '！'])
        .map(str::trim)
        .filter(|clause| !matches!(*clause, "" | "谢谢" | "thanks" | "thank you"));
    last.map(|clause| ends.into_iter().find(|word| clause == *word)).reduce(Option::and).flatten()
}

/// Much text beside the closing words is a new instruction.
fn brings_work(text: &Text, phrase: &str) -> bool {
    let rest = text.plain.replacen(phrase, "", 1);
    rest.chars().filter(|char| char.is_alphanumeric()).count() > 24
}

/// Why a session ends (D.11), by the seed's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndSignal {
    /// 1: `save`, `/save`, 结束, 收工.
    Asked,
    /// 2: "that's it for today", 下次继续.
    Closing,
    /// 3: a goodbye.
    Goodbye,
    /// 4: a summary of the session is asked for.
    Summary,
}

/// Whether the message ends the session, and by which of the seed's four triggers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct SessionEnd {
    pub signal: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<u8>,
}

impl From<Option<EndSignal>> for SessionEnd {
    fn from(signal: Option<EndSignal>) -> Self {
        let number = signal.map(|signal| match signal {
            EndSignal::Asked => 1,
            EndSignal::Closing => 2,
            EndSignal::Goodbye => 3,
            EndSignal::Summary => 4,
        });
        Self { signal: number.is_some(), number }
    }
}

/// Whether the message ends the session.
pub fn session_end(message: &str, table: &WordTable) -> Option<EndSignal> {
    end_signal(&Text::spoken(message), table)
}

pub(super) fn end_signal(text: &Text, table: &WordTable) -> Option<EndSignal> {
    let clause = |clause: &str| {
        let clause = clause.trim().trim_end_matches(['吧', '了', '啦', '~']);
        matches!(clause, "结束" | "收工" | "结束session" | "结束会话" | "结束今天")
    };
    let whole = text.plain.trim().trim_end_matches(['.', '!', '。', '！']).trim();
    let asked = matches!(whole, "save" | "/save" | "save session" | "save the session" | "保存session")
        || text.plain.split([',', '.', '!', '\n', '，', '。', '！', ';', '；']).any(clause);
    [
        (asked, EndSignal::Asked),
        (words::closing(text, table, Topic::SessionEnd).is_some(), EndSignal::Closing),
        (words::closing(text, table, Topic::Goodbye).is_some(), EndSignal::Goodbye),
        (asks_for_summary(&text.plain), EndSignal::Summary),
    ]
    .into_iter()
    .find_map(|(found, signal)| found.then_some(signal))
}

/// A summary of the session, not of a file.
fn asks_for_summary(plain: &str) -> bool {
    static BARE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^\s*(?:(?:please|can you|could you|give me|write|a|the|ok|now|请|帮我)[\s,]*)*(?:summary|summari[sz]e|总结一下|总结)(?:\s*(?:please|now|吧))?\s*[.!?。！？]*\s*$")
            .expect("a fixed pattern compiles")
    });
    static OF_WORK: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\bsummar(?:y|i[sz]e)\b[^.\n]{0,30}\b(?:session|today|conversation|so far|we did|we have done|we've done|our work)\b|(?:总结|回顾|复盘)[^。\n]{0,8}(?:今天|本次|这次|session|会话|对话|我们)|(?:今天|本次|这次|session|会话|对话)[^。\n]{0,4}(?:总结|回顾|复盘)|\brecap\b[^.\n]{0,20}\b(?:session|today|conversation|we did|so far)\b")
            .expect("a fixed pattern compiles")
    });
    BARE.is_match(plain) || OF_WORK.is_match(plain)
}
