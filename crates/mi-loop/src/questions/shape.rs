//! Whether a sentence asks, what kind of answer it wants, and whether the agent waits for it.

use super::{
    Kind,
    cues::{
        ADDRESSED, ANNOUNCES, ANSWERED, ASSUMED, CHINESE_STARTS, CLOSERS, CONSENT, FOREIGN_INFORMATION,
        FOREIGN_STARTS, INFORMATION, INFORMATION_ANYWHERE, NEEDS, OFFERS, REQUESTS, RHETORICAL, STARTS,
        TO_GO_ON,
    },
    prose::Unit,
    waiting,
};
use crate::words::{announces_grave, is_chinese, is_han, is_japanese};

/// What a question is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) kind: Kind,
    pub(super) waits: bool,
}

/// The shape of a sentence, or None when it asks nothing. `next` is the sentence after it in its paragraph.
pub(super) fn of(unit: &Unit, next: Option<&Unit>) -> Option<Shape> {
    let plain = plain(&unit.masked);
    let marked = unit.masked.trim_end_matches(['*', '_', ')', '）', '"', '”', ' ']).ends_with(['?', '？']);
    if has_any(&plain, CLOSERS) || is_operator(unit, next) {
        return None;
    }
    let next = next.map(|next| (self::plain(&next.masked), next.masked.as_str()));
    if marked {
        return of_marked(&plain, next);
    }
    if waiting::is_remark(&plain) {
        return Some(Shape { kind: Kind::Consent, waits: false });
    }
    if waiting::waits_for_word(&plain) {
        return Some(Shape { kind: Kind::Consent, waits: true });
    }
    if has_any(&plain, OFFERS) {
        let offers = plain.contains(" if ")
            || plain.contains(" happy to ")
            || plain.contains(" say ")
            || is_chinese(&plain);
        return offers.then_some(Shape { kind: Kind::Consent, waits: false });
    }
    asks_without_mark(&plain, &unit.masked).then(|| Shape { kind: kind(&plain), waits: true })
}

/// The shape of a sentence that is known to ask.
pub(super) fn listed(unit: &Unit) -> Shape {
    let plain = plain(&unit.masked);
    let bare =
        !unit.masked.ends_with(['?', '？']) && !has_any(&plain, CONSENT) && !plain.starts_with(" whether ");
    Shape { kind: if bare { Kind::Information } else { kind(&plain) }, waits: true }
}

/// "Done. Shall I also add a CLI?": the work is finished, and this would be more of it.
pub(super) fn offers_more_work(units: &[Unit], at: usize) -> bool {
    waiting::offers_more(&plain(&units[at].masked))
        && units[..at].iter().any(|unit| waiting::says_finished(&plain(&unit.masked)))
}

/// "I will go with option 1 unless you object" goes on by itself; only for something grave must the person speak.
pub(super) fn goes_on_harmlessly(units: &[Unit], at: usize) -> bool {
    waiting::takes_silence(&plain(&units[at].masked))
        && !units.iter().any(|unit| announces_grave(&unit.masked, ""))
}

/// Whether a sentence waits for the person's word without asking for it.
pub(super) fn is_declared(text: &str) -> bool {
    let plain = plain(text);
    let marked = text.trim_end_matches(['*', '_', ')', '）', '"', '”', ' ']).ends_with(['?', '？']);
    !marked
        && (waiting::waits_for_word(&plain) || waiting::asks_to_be_told(&plain) || has_any(&plain, REQUESTS))
}

/// Whether the sentence says that the list after it holds questions.
pub(super) fn announces_questions(unit: &Unit) -> bool {
    let plain = plain(&unit.masked);
    let colon = unit.masked.trim_end_matches(['*', ' ']).ends_with([':', '：']);
    let chooses =
        [" which ", " choose ", " pick ", " option", " prefer ", " should i ", " shall i ", "哪", "选"];
    colon && has_any(&plain, ANNOUNCES) && !has_any(&plain, &chooses)
}

/// Whether the question means nothing without the sentence before it.
pub(super) fn points_back(text: &str, empty: bool) -> bool {
    let pronouns = [
        " it ", " this ", " that ", " them ", " these ", " those ", " one ", " ones ", " so ", " there ",
        "这", "那", "它",
    ];
    empty || has_any(&plain(text), &pronouns)
}

/// "Should the transaction commit …" is not about what the agent does; "should the branch be pushed" is.
pub(super) fn is_about_the_program(text: &str) -> bool {
    let plain = plain(text);
    let mut words = plain.split_whitespace();
    let asks = ["should", "shall", "must", "will", "does", "do", "can", "could", "would", "may"];
    let persons = ["i", "we", "you", "me", "anyone", "there"];
    let asked = words.next().is_some_and(|first| asks.contains(&first));
    asked && words.next().is_some_and(|subject| !persons.contains(&subject)) && !plain.contains(" be ")
}

/// Lower case, words one space apart, a space at both ends, Chinese untouched.
pub(super) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len() + 2);
    plain.push(' ');
    for char in text.chars().flat_map(char::to_lowercase) {
        let char = if char == '’' { '\'' } else { char };
        if char.is_alphanumeric() || char == '\'' {
            plain.push(char);
        } else if !plain.ends_with(' ') && !plain.ends_with(is_han) {
            plain.push(' ');
        }
    }
    if !plain.ends_with(' ') {
        plain.push(' ');
    }
    plain
}

/// Whether one of the phrases stands in the plain text.
pub(super) fn has_any(plain: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| plain.contains(phrase))
}

fn starts_any(plain: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| plain.trim_start().starts_with(phrase))
}

fn of_marked(plain: &str, next: Option<(String, &str)>) -> Option<Shape> {
    let mut waits = true;
    if let Some((next, raw)) = next {
        let addressed = has_any(plain, ADDRESSED);
        let lower = raw.to_lowercase();
        let says =
            ["yes,", "yes.", "yes:", "yes —", "no,", "no.", "no:", "no —", "nope", "是的", "不是，", "不，"];
        let answered = starts_any(&next, ANSWERED) || says.iter().any(|start| lower.starts_with(start));
        if answered || (starts_any(plain, RHETORICAL) && !addressed) {
            return None;
        }
        waits = !starts_any(&next, ASSUMED);
    }
    let polite_offer = has_any(plain, &[" no rush ", " whenever you ", "不急"]);
    Some(Shape { kind: kind(plain), waits: waits && !polite_offer })
}

/// `a ? b : c` is no question.
fn is_operator(unit: &Unit, next: Option<&Unit>) -> bool {
    let spaced = unit.masked.ends_with(" ?");
    spaced && next.is_some_and(|next| next.masked.contains(" : "))
}

fn asks_without_mark(plain: &str, masked: &str) -> bool {
    let needs = has_any(plain, NEEDS) && has_any(plain, TO_GO_ON);
    let chinese_end = masked.trim_end_matches(['。', '.', '！']).ends_with(['吗', '呢', '么']);
    let chinese_start = CHINESE_STARTS.iter().any(|start| plain.trim_start().starts_with(start));
    let starts = starts_any(plain, STARTS) || starts_any(plain, FOREIGN_STARTS);
    let japanese_end = is_japanese(masked) && masked.trim_end_matches(['。', '.', '！']).ends_with('か');
    let requests = has_any(plain, REQUESTS) || waiting::asks_to_be_told(plain);
    requests || needs || starts || chinese_end || chinese_start || is_chinese_choice(masked) || japanese_end
}

/// "缩进用制表符还是空格" asks without any mark; "测试还是失败了" tells.
pub(super) fn is_chinese_choice(masked: &str) -> bool {
    let clause = masked.split(['，', ',', '；', ';', '：', ':']).find(|clause| clause.contains("还是"));
    clause.and_then(|clause| clause.split_once("还是")).is_some_and(|(left, right)| {
        let tells = ['了', '会', '已', '仍', '过', '没'];
        let right = right.trim_end_matches(['。', '.', ' ']);
        !left.trim().is_empty() && !right.is_empty() && !right.contains(tells) && !left.contains(['但', '不'])
    })
}

fn kind(plain: &str) -> Kind {
    let chinese_consent = ["吗", "要不要", "是否", "能不能", "可不可以", "需不需要", "好不好"];
    let asks_what = ["哪", "什么", "多少", "怎么", "如何", "怎样", "几个"];
    if has_any(plain, &chinese_consent) && !has_any(plain, &asks_what) {
        return Kind::Consent;
    }
    let last = plain.trim();
    let foreign = starts_any(plain, FOREIGN_INFORMATION)
        || is_japanese(plain)
            && has_any(plain, &["どちら", "どの", "どれ", "何", "いつ", "どこ", "誰", "どう"]);
    if starts_any(plain, INFORMATION) || has_any(plain, &asks_what) || foreign {
        return Kind::Information;
    }
    // "Can I share it?" asks for leave, "please share it" does not.
    let leave = ["can i ", "may i ", "could i ", "should i ", "shall i "];
    if !starts_any(plain, &leave)
        && has_any(
            plain,
            &[
                " tell me ",
                " provide ",
                " specify ",
                " share ",
                " clarify ",
                " paste the ",
                " paste your ",
                " send me ",
                " let me know which ",
                " let me know what ",
                " let me know where ",
                " let me know how ",
            ],
        )
    {
        return Kind::Information;
    }
    if has_any(plain, CONSENT) {
        return Kind::Consent;
    }
    if has_any(plain, INFORMATION_ANYWHERE)
        || last.starts_with("is ")
        || last.starts_with("are ")
        || last.starts_with("does ")
    {
        return Kind::Information;
    }
    if has_any(plain, NEEDS) { Kind::Information } else { Kind::Consent }
}
