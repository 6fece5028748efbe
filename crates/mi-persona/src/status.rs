//! The line that a boot ends with (D.2): what was last done, what is open, who else works today.

use mi_gate::messages::{Locale, Message};
use mi_model::shorten;

use crate::log::Items;

/// What the line is made of.
#[derive(Debug, Clone, Default)]
pub struct Facts<'a> {
    /// The day of the last session and what its log says; none on a first boot.
    pub last: Option<(&'a str, &'a Items)>,
    /// Other slots that are active today.
    pub parallel: &'a [String],
    pub proposals: usize,
    pub handoffs: usize,
    pub cards: usize,
    pub problems: usize,
}

/// One line for a person.
pub fn status_line(facts: &Facts<'_>, locale: Locale) -> String {
    let mut parts = Vec::new();
    match facts.last {
        Some((day, items)) => {
            parts.push(last_session(day, items, locale));
            parts.push(pending(items, locale));
        }
        None => parts.push(Message::Ready.text(locale)),
    }
    let zh = locale == Locale::Zh;
    if !facts.parallel.is_empty() {
        let slots = facts.parallel.join(", ");
        parts.push(if zh {
            format!("今日并行session:{slots}")
        } else {
            format!("parallel sessions today: {slots}")
        });
    }
    let waiting = [
        (facts.proposals, "proposals to review", "待评审proposal"),
        (facts.handoffs, "handoffs for you", "待接handoff"),
        (facts.cards, "cards", "cards"),
        (facts.problems, "problems", "问题"),
    ];
    for (count, en, zh_words) in waiting.into_iter().filter(|(count, _, _)| *count > 0) {
        parts.push(if zh { format!("{zh_words}:{count}") } else { format!("{en}: {count}") });
    }
    parts.retain(|part| !part.is_empty());
    parts.join(" | ")
}

fn last_session(day: &str, items: &Items, locale: Locale) -> String {
    let (done, decided) = (items.completed_items.len(), items.decisions.len());
    let newest =
        items.completed_items.last().map(|item| format!(" ({})", one_line(item))).unwrap_or_default();
    match locale {
        Locale::Zh => format!("上次session {day}:完成{done}项{newest},决策{decided}项"),
        Locale::En => format!("last session {day}: {done} completed{newest}, {decided} decisions"),
    }
}

fn pending(items: &Items, locale: Locale) -> String {
    let shown: Vec<String> = items.next_steps.iter().take(3).map(|item| one_line(item)).collect();
    let more = items.next_steps.len() - shown.len();
    let more = if more > 0 { format!(" (+{more})") } else { String::new() };
    let list = shown.join("; ");
    match (locale, shown.is_empty()) {
        (_, true) => String::new(),
        (Locale::Zh, false) => format!("待办:{list}{more}"),
        (Locale::En, false) => format!("pending: {list}{more}"),
    }
}

fn one_line(item: &str) -> String {
    shorten(&item.split_whitespace().collect::<Vec<_>>().join(" "), 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Last session, open tasks and parallel sessions are on one line, in both languages.
    #[test]
    fn d_02_status_has_summary_pending_and_parallel_sessions() {
        let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let items = Items {
            completed_items: texts(&["a", "b\nc"]),
            decisions: texts(&["d"]),
            next_steps: texts(&["e", "f", "g", "h"]),
            ..Items::default()
        };
        let slots = texts(&["B", "C"]);
        let facts = Facts {
            last: Some(("2026-01-02", &items)),
            parallel: &slots,
            proposals: 1,
            cards: 12,
            ..Facts::default()
        };
        assert_eq!(
            status_line(&facts, Locale::En),
            "last session 2026-01-02: 2 completed (b c), 1 decisions | pending: e; f; g (+1) | parallel sessions today: B, C | proposals to review: 1 | cards: 12"
        );
        assert_eq!(
            status_line(&facts, Locale::Zh),
            "上次session 2026-01-02:完成2项 (b c),决策1项 | 待办:e; f; g (+1) | 今日并行session:B, C | 待评审proposal:1 | cards:12"
        );
    }

    /// The first boot says the seed's words.
    #[test]
    fn d_02_first_boot_is_ready() {
        assert_eq!(
            status_line(&Facts::default(), Locale::Zh),
            "系统就绪。建议先完成一个小任务验证协作流程。"
        );
    }
}
