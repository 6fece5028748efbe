//! Whether words that close something end their clause: "next task, please" does, "the next task list" does not.

use super::super::text::{Text, end_of, start_of};
use super::{Topic, WordTable, chinese, ends_clause, negation, stands};

/// The first phrase of the topic with which the person closes.
pub(super) fn find<'t>(text: &Text, table: &'t WordTable, topic: Topic) -> Option<&'t str> {
    table.phrases(topic).find(|phrase| {
        stands(text, phrase, topic)
            && if phrase.is_ascii() {
                closes_in_english(text, phrase)
            } else {
                closes_in_chinese(text, phrase, topic)
            }
    })
}

fn closes_in_english(text: &Text, phrase: &str) -> bool {
    const GO_ON: &[&str] = &[
        "please", "thanks", "thank", "now", "then", "for", "today", "tomorrow", "later", "soon", "everyone",
        "all", "guys", "here", "to", "and", "with", "so", "ok", "bye", "next",
    ];
    // "when you are done" waits; "say goodbye" is work.
    const HOLD: &[&str] = &[
        "when", "if", "once", "until", "after", "before", "unless", "say", "says", "print", "add", "fix",
        "show", "write", "log", "the", "a",
    ];
    let length = Text::new(phrase).tokens.len();
    text.phrase(phrase).into_iter().any(|at| {
        let Some(last) = text.tokens.get(at + length - 1) else { return false };
        let next = text.tokens.get(at + length);
        let ends = next.is_none_or(|next| {
            ends_clause(&text.plain[last.end..next.start]) || GO_ON.contains(&next.word.as_str())
        });
        ends && !negation::english(text, at) && !clause_before(text, at).any(|word| HOLD.contains(&word))
    })
}

/// Words of the clause that stand before a token, except for an article of the phrase itself ("on to the next one").
fn clause_before(text: &Text, at: usize) -> impl Iterator<Item = &str> {
    let mut next = at;
    let start = (at.saturating_sub(20)..at)
        .rev()
        .take_while(|before| {
            let same = !ends_clause(&text.plain[text.tokens[*before].end..text.tokens[next].start]);
            next = *before;
            same
        })
        .last()
        .unwrap_or(at);
    let words: Vec<&str> = text.tokens[start..at].iter().map(|token| token.word.as_str()).collect();
    let moves_on = words.contains(&"to") || words.contains(&"on");
    words.into_iter().filter(move |word| !(moves_on && matches!(*word, "the" | "a")))
}

fn closes_in_chinese(text: &Text, phrase: &str, topic: Topic) -> bool {
    const ENDS: [char; 15] =
        ['，', '。', '！', '？', '；', '：', '、', ',', '.', '!', '?', ';', ':', '\n', '~'];
    const WAITS: &[&str] =
        &["等", "如果", "若", "要是", "是不是", "是否", "一旦", "点击", "跳转", "把", "逻辑"];
    const RESTS: &[&str] = &["", "任务", "做", "里", "儿", "这里", "谢谢", "辛苦", "thanks"];
    chinese(text, phrase, topic).into_iter().any(|at| {
        let (before, after) = (end_of(&text.plain[..at]), start_of(&text.plain[at + phrase.len()..]));
        let before = before.rsplit(ENDS).next().unwrap_or_default();
        let after = after.split(ENDS).next().unwrap_or_default();
        let after = after.trim().trim_end_matches(['吧', '了', '啦', '哈', '呀', '哦', '呢', ' ']);
        RESTS.contains(&after) && !WAITS.iter().any(|word| before.contains(word))
    })
}
