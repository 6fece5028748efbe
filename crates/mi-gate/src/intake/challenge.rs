//! What is said about a message: warnings, the challenge in its tier (D.22), the batch, the fixed lines.
//!
//! Holds: each part of a challenge has at most two sentences; they are made of triggers, factors and ids.

use super::notices::{Notice, NoticeKind};
use super::risk::Tier;
use super::{Intake, Message, Mode, Trigger, secret_warning};
use crate::messages::{Locale, Message as Fixed};

pub(super) fn notices(
    reading: &Intake,
    message: &Message<'_>,
    overridden: bool,
    hurried: bool,
) -> Vec<Notice> {
    let locale = message.locale;
    let mut notices = Vec::new();
    let mut add = |kind, text: String| notices.push(Notice { kind, text });
    if !reading.secrets.is_empty() {
        add(NoticeKind::SecurityAlert, secret_warning(locale));
    }
    if overridden {
        add(NoticeKind::Override, Fixed::OverrideAcknowledged.text(locale));
    }
    if reading.spec_gate.blocked {
        add(
            NoticeKind::SpecGate,
            Fixed::SpecUnclear { questions: &reading.spec_gate.questions }.text(locale),
        );
    }
    if reading.batch.split {
        let first = if reading.batch.first.is_empty() { 5 } else { reading.batch.first.len() };
        let count = usize::try_from(reading.batch.count).unwrap_or(usize::MAX);
        add(NoticeKind::Confirmation, Fixed::SplitBatch { count, first }.text(locale));
    }
    // From risk 4 on all four parts are said, whatever called for them (D.22).
    if reading.mode == Mode::Challenge || reading.mode == Mode::Mirror && reading.needs_acknowledgement {
        add(NoticeKind::Challenge, challenge(reading, locale));
    }
    if hurried {
        add(NoticeKind::SpeedReview, Fixed::SpeedReview.text(locale));
    }
    if let Some(description) = reading.cognitive.description.as_deref() {
        add(NoticeKind::Cognitive, Fixed::CognitiveSuggestion { description }.text(locale));
    }
    notices
}

/// The parts of a tier, in the seed's words and order (D.22).
pub(super) fn part_names(tier: Tier) -> &'static [&'static str] {
    match tier {
        Tier::Light => &["recommendation", "risk_note"],
        Tier::Moderate => &["recommendation", "counter_argument", "key_assumption"],
        Tier::Full => {
            &["recommended_action", "strongest_counter_argument", "key_assumption", "reversal_condition"]
        }
    }
}

/// One line for each part.
pub(super) fn frame(tier: Tier, texts: &[String]) -> String {
    let lines = part_names(tier).iter().zip(texts).enumerate();
    lines.map(|(at, (name, text))| format!("{}. {name}: {text}", at + 1)).collect::<Vec<_>>().join("\n")
}

/// At most two sentences, on one line.
pub(super) fn two_sentences(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let ends = text.char_indices().filter(|(at, letter)| {
        let after = &text[at + letter.len_utf8()..];
        "。！？".contains(*letter) || ".!?".contains(*letter) && (after.is_empty() || after.starts_with(' '))
    });
    let second = ends.map(|(at, letter)| at + letter.len_utf8()).nth(1);
    text[..second.unwrap_or(text.len())].to_owned()
}

/// The parts without a mind: out of triggers, factors and ids.
pub(super) fn challenge(reading: &Intake, locale: Locale) -> String {
    let zh = locale == Locale::Zh;
    let assumption = pick(
        zh,
        "对触发点的判断正确,且没有别的约束。",
        "The signals above are what matters, and no other constraint is hidden.",
    );
    let reversal = pick(
        zh,
        "若有新证据表明可以撤销或影响很小,则改变建议。",
        "Evidence that it can be undone, or touches little, would change this.",
    );
    let texts =
        [recommendation(reading, zh), risk_note(reading, zh), assumption.to_owned(), reversal.to_owned()];
    frame(reading.tier, &texts)
}

fn pick<'a>(zh: bool, chinese: &'a str, english: &'a str) -> &'a str {
    if zh { chinese } else { english }
}

fn recommendation(reading: &Intake, zh: bool) -> String {
    if reading.spec_gate.blocked {
        return pick(zh, "先澄清需求与验收标准。", "Make the request and its criteria clear first.")
            .to_owned();
    }
    if reading.needs_acknowledgement {
        return pick(zh, "先由你确认,再执行。", "Wait for your acknowledgement, then go on.").to_owned();
    }
    if reading.batch.split {
        return pick(zh, "分批进行,先做第一批。", "Split it and begin with the first batch.").to_owned();
    }
    pick(zh, "可以继续,并在之后复查。", "Go on, and look at it again afterwards.").to_owned()
}

/// One sentence out of the triggers and factors.
fn risk_note(reading: &Intake, zh: bool) -> String {
    let mut reasons: Vec<String> =
        reading.triggers.iter().map(|trigger| reason(*trigger, reading, zh)).collect();
    reasons.extend(reading.risk.factors.iter().map(|factor| factor.why.clone()));
    let separator = if zh { ";" } else { "; " };
    format!("{}{}", reasons.join(separator), if zh { "。" } else { "." })
}

fn reason(trigger: Trigger, reading: &Intake, zh: bool) -> String {
    let text = match trigger {
        Trigger::BatchSize => pick(zh, "一次改动过多", "many changes at once hide mistakes"),
        Trigger::Contradiction => {
            let ids = reading.contradicts.join(", ");
            return if zh {
                format!("与已有决定冲突:{ids}")
            } else {
                format!("it goes against {ids}")
            };
        }
        Trigger::MoneySecurityIrreversible => pick(
            zh,
            "涉及资金、数据安全或不可逆操作",
            "it touches money, data security or something that cannot be undone",
        ),
        Trigger::Personnel => pick(zh, "涉及人事", "it is about people's jobs"),
        Trigger::Architecture => {
            pick(zh, "涉及架构或技术选型", "it decides about architecture, stack or schema")
        }
        Trigger::Urgency => pick(zh, "时间紧容易忽略问题", "haste overlooks things"),
        Trigger::SmallChangeClaim => pick(zh, "看似小改动,影响并不小", "it is called small and is not"),
        Trigger::Secret => pick(zh, "消息中有敏感信息", "the message holds a secret"),
    };
    text.to_owned()
}
