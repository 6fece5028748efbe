//! What a question offers to choose from: "A or B", "A还是B", "A) … B) …", a list before or after it.

use regex_lite::Regex;
use std::sync::LazyLock;

use super::{
    cues::{CHOOSES, COMPARES},
    prose::{Unit, mask},
    shape::{has_any, plain},
};
use crate::words::{Act, Item, Term, read, terms_of};

/// The items of the list after a question, when they are its options.
pub(super) fn from_list(unit: &Unit, items: &[Unit]) -> Option<Vec<String>> {
    let fits = (2..=8).contains(&items.len()) && has_any(&plain(&unit.masked), CHOOSES);
    let asks = items.iter().any(|item| item.masked.ends_with(['?', '？']));
    (fits && !asks).then(|| items.iter().map(|item| item.text.clone()).collect())
}

/// The options in the sentence itself, or in the list before it when it asks which.
pub(super) fn of(units: &[Unit], at: usize) -> Vec<String> {
    let unit = &units[at];
    for options in [lettered(&labelled(unit)), numbered(&unit.text), joined(unit), chinese(unit)] {
        if options.len() >= 2 {
            return options;
        }
    }
    if !has_any(&plain(&unit.masked), COMPARES) {
        return Vec::new();
    }
    let before =
        at.checked_sub(1).map(|before| &units[before]).filter(|before| !before.masked.ends_with(['?', '？']));
    for options in [before.map(|unit| lettered(&labelled(unit))), before.map(joined)].into_iter().flatten() {
        if options.len() >= 2 {
            return options;
        }
    }
    list_before(units, at)
}

/// Whether a sentence without options still says "or" between alternatives: "open it in tabs or windows?".
/// "tests for null or empty input" names one thing, and leave for either of two is one question.
pub(super) fn has_unread(text: &str) -> bool {
    let masked = mask(text);
    let lower = masked.to_ascii_lowercase();
    let Some(or) = lower.find(" or ").filter(|_| !asks_leave(&lower)) else {
        return masked.contains("还是");
    };
    let one_thing = lower[..or].split_whitespace().rev().take(3).any(|word| matches!(word, "for" | "of"));
    !one_thing && !EMPTY.iter().any(|word| lower[or + 4..].starts_with(word))
}

fn asks_leave(lower: &str) -> bool {
    ["can i ", "may i ", "could i ", "ok to ", "okay to ", "ok if ", "okay if "]
        .iter()
        .any(|lead| lower.contains(lead))
}

/// What follows an "or" that offers nothing.
const EMPTY: &[&str] = &[
    "not",
    "so",
    "something",
    "anything",
    "else",
    "more",
    "less",
    "similar",
    "whatever",
    "other",
    "are you",
    "do you have",
    "is there",
];

/// The sentence with the marker of its list item, which may be the first label.
fn labelled(unit: &Unit) -> String {
    format!("{}{}", unit.marker, unit.text)
}

/// `A) use a lock B) use a channel`, `(1) … (2) …`.
fn lettered(text: &str) -> Vec<String> {
    static LABEL: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?:^|[\s\u{3000}:：，,;；。])[(（]?(?:[Oo]ption\s+)?([A-Ea-e1-5])[)）:：、]\s*")
            .expect("the pattern of labels is valid")
    });
    let marks: Vec<(usize, usize, char)> = LABEL
        .captures_iter(text)
        .filter_map(|found| {
            let whole = found.get(0)?;
            Some((whole.start(), whole.end(), found.get(1)?.as_str().chars().next()?.to_ascii_lowercase()))
        })
        .collect();
    let in_order = marks.windows(2).all(|pair| u32::from(pair[1].2) == u32::from(pair[0].2) + 1);
    let from_first = marks.first().is_some_and(|(_, _, label)| matches!(label, 'a' | '1'));
    if marks.len() < 2 || !in_order || !from_first {
        return Vec::new();
    }
    let ends = marks.iter().skip(1).map(|mark| mark.0).chain([text.len()]);
    let options = marks.iter().zip(ends).map(|(mark, end)| tidy(&text[mark.1..end]));
    options.filter(|option| !option.is_empty()).collect()
}

/// `option 1 (add a crate) or option 2 (write it)`: each with its label.
fn numbered(text: &str) -> Vec<String> {
    static OPTION: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)\boption\s+[a-e1-5]\b").expect("the pattern of numbered options is valid")
    });
    let starts: Vec<usize> = OPTION.find_iter(text).map(|found| found.start()).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let options: Vec<String> = starts.iter().zip(ends).map(|(&from, to)| tidy(&text[from..to])).collect();
    if options.len() >= 2 { options } else { Vec::new() }
}

/// Words that open a question before its options.
const LEADS: &[&str] = &[
    "should i ",
    "shall i ",
    "do i ",
    "do you want me to ",
    "would you like me to ",
    "want me to ",
    "would you prefer ",
    "do you prefer ",
    "do you want ",
    "would you like ",
    "would you rather ",
    "should we ",
    "shall we ",
    "prefer ",
    "do you use ",
    "are you using ",
    "is it ",
    "should it be ",
    "choose between ",
    "decide between ",
    "whether to ",
    "whether i should ",
    "should ",
    "i can ",
    "i could ",
    "we can ",
    "we could ",
];

/// `A or B`, `A, B or C`.
fn joined(unit: &Unit) -> Vec<String> {
    let lower = unit.masked.to_ascii_lowercase();
    let Some(or) = lower.rfind(" or ").filter(|_| !asks_leave(&lower)) else { return Vec::new() };
    let right_at = or + 4;
    if EMPTY.iter().any(|word| lower[right_at..].starts_with(word)) {
        return Vec::new();
    }
    let left_at = lead_end(&lower[..or]);
    let (left, right) = without_shared(&unit.text[left_at..or], strip_lead(&unit.text[right_at..]));
    if left.is_empty() || right.is_empty() || !parallel(&left, &right) {
        return Vec::new();
    }
    let mark = if left.contains(" or ") { " or " } else { ", " };
    let mut options: Vec<String> = match left.split(mark).collect::<Vec<_>>() {
        parts if parts.len() > 1 && parts.iter().all(|part| part.split_whitespace().count() <= 5) => {
            parts.into_iter().map(tidy).collect()
        }
        _ => vec![left],
    };
    options.push(right);
    options.retain(|option| !option.is_empty());
    // "Tabs or spaces, and npm or pnpm?" is more than one choice.
    let nested = options.iter().any(|option| option.contains(" or "))
        || (mark == " or " && options.iter().any(|option| option.contains(", ")));
    if nested {
        return Vec::new();
    }
    options
}

/// `indent with tabs` or `with spaces`: tabs or spaces.
fn without_shared(left: &str, right: &str) -> (String, String) {
    let (left, right) = (tidy(left), tidy(right));
    for shared in ["with ", "using "] {
        let begins = right.get(..shared.len()).is_some_and(|start| start.eq_ignore_ascii_case(shared));
        if let Some(at) = left.rfind(shared).filter(|_| begins) {
            return (tidy(&left[at + shared.len()..]), tidy(&right[shared.len()..]));
        }
    }
    for shared in ["in ", "to ", "on ", "as ", "from ", "into ", "under ", "at "] {
        let begins = right.get(..shared.len()).is_some_and(|start| start.eq_ignore_ascii_case(shared));
        if let Some(at) = left.rfind(&format!(" {shared}")).filter(|_| begins) {
            return (tidy(&left[at..]), right);
        }
    }
    let tail =
        ends_with_place(&left).filter(|_| right.split_whitespace().count() <= 3 && !verb_first(&right));
    (tail.unwrap_or(left), right)
}

/// `write the script in Python`: Python, if something else is said before it.
fn ends_with_place(left: &str) -> Option<String> {
    const PLACES: &[&str] = &["in", "with", "as", "to", "on", "into", "using", "at", "under", "inside"];
    let words: Vec<&str> = left.split_whitespace().collect();
    let at = words.iter().rposition(|word| PLACES.contains(&word.to_ascii_lowercase().as_str()))?;
    let tail = words.get(at + 1..)?;
    let fits = at >= 2 && (1..=2).contains(&tail.len()) && !left.contains([',', ';']);
    fits.then(|| tail.join(" "))
}

fn verb_first(text: &str) -> bool {
    matches!(read(text).first(), Some(Item::Act { first: true, .. }))
}

/// Where the first option begins.
fn lead_end(before: &str) -> usize {
    let lead = LEADS.iter().filter_map(|lead| before.rfind(lead).map(|at| at + lead.len())).max();
    let mark =
        before.rfind([':', ';', '—']).map(|at| at + before[at..].chars().next().map_or(1, char::len_utf8));
    lead.or(mark).unwrap_or(0)
}

fn strip_lead(text: &str) -> &str {
    let lower = text.to_ascii_lowercase();
    let lead = LEADS.iter().find(|lead| lower.starts_with(*lead));
    lead.map_or(text, |lead| text.get(lead.len()..).unwrap_or(text))
}

/// Whether the two sides are things to choose between: both begin with a verb, both are of one category, or
/// what stands left of the "or" is a short name. "a test for null or empty input" is none of these.
fn parallel(left: &str, right: &str) -> bool {
    if verb_first(left) && verb_first(right) {
        return true;
    }
    let categories = |text: &str| -> Vec<&'static str> {
        let members = terms_of(&read(text)).into_iter().filter_map(|term| match term {
            Term::Member { category, .. } => Some(category),
            _ => None,
        });
        members.collect()
    };
    let right_categories = categories(right);
    if categories(left).iter().any(|category| right_categories.contains(category)) {
        return true;
    }
    let words: Vec<String> = left.split_whitespace().map(str::to_lowercase).collect();
    let starts_act = verb_first(left);
    let name = if starts_act { words.get(1..).unwrap_or_default() } else { &words[..] };
    let prepositions = [
        "for", "of", "in", "on", "to", "with", "when", "if", "that", "from", "by", "at", "into", "is", "are",
        "be",
    ];
    let right_first = right.split_whitespace().next().unwrap_or_default().to_lowercase();
    let same_preposition = prepositions.contains(&right_first.as_str()) && name.contains(&right_first);
    let leaves = matches!(read(right).first(), Some(Item::Act { act: Act::Keep, .. }));
    leaves
        || same_preposition
        || (name.len() <= 4 && !name.iter().any(|word| prepositions.contains(&word.as_str())))
}

/// `用A还是B`, `A、B还是C`.
fn chinese(unit: &Unit) -> Vec<String> {
    let asks = unit.masked.ends_with(['?', '？', '呢']) || unit.masked.contains(['你', '您', '请']);
    let Some(at) = unit.masked.find("还是").filter(|_| asks) else { return Vec::new() };
    let left = &unit.text[..at];
    let right = tidy(&unit.text[at + "还是".len()..]);
    let left = left.trim_end_matches([',', '，', ' ']);
    let left = left.rsplit(['，', '：', ':', '；', '。']).next().unwrap_or(left);
    let leads = [
        "请问",
        "你希望",
        "您希望",
        "你想要",
        "您想要",
        "你更喜欢",
        "您更喜欢",
        "你想",
        "您想",
        "我应该",
        "应该",
        "我们",
        "你们",
        "需要",
        "要",
        "是",
        "我",
    ];
    let mut left = left.trim();
    for lead in leads {
        left = left.strip_prefix(lead).unwrap_or(left);
    }
    let mut options: Vec<String> = left.split('、').map(tidy).collect();
    options.push(right);
    options.retain(|option| !option.is_empty());
    if options.len() >= 2 { options } else { Vec::new() }
}

/// The list that ends just before the question.
fn list_before(units: &[Unit], at: usize) -> Vec<String> {
    let mut found: Vec<&Unit> = Vec::new();
    for unit in units[..at].iter().rev() {
        if unit.marked {
            found.push(unit);
        } else if !found.is_empty() || unit.paragraph + 2 < units[at].paragraph {
            break;
        }
    }
    found.reverse();
    let asks = found.iter().any(|unit| unit.masked.ends_with(['?', '？']));
    let fits = (2..=6).contains(&found.len()) && !asks;
    if fits { found.iter().map(|unit| tidy(&unit.text)).collect() } else { Vec::new() }
}

fn tidy(text: &str) -> String {
    let text = text.trim().trim_start_matches("either ").trim_start_matches("and ");
    let text = text.trim_end_matches(['?', '？', '.', '。', ',', '，', ';', '；', ':', '：', ' ', '*', '呢']);
    let text = text.trim_end_matches(" or").trim_end_matches(", ").trim();
    debug_assert_eq!(mask(text).len(), text.len(), "masking keeps the length");
    text.to_owned()
}
