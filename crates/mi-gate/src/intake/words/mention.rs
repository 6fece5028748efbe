//! Whether a word only names something: the label of a button, the value of a field, a name that is misspelt.

use std::sync::LazyLock;

use regex::Regex;

use super::super::text::{Text, document_ending, end_of, start_of};
use super::Topic;

/// Whether the words from one token to another (not included) mean what they say.
pub(super) fn english(text: &Text, tokens: (usize, usize), topic: Topic) -> bool {
    let (Some(first), Some(last)) = (text.tokens.get(tokens.0), text.tokens.get(tokens.1 - 1)) else {
        return false;
    };
    is_label(text, tokens.1, topic)
        || is_name_in_code(text, (first.start, last.end), topic)
        || topic == Topic::Urgency && is_one_of_the_values(text, tokens)
        || is_spelling(text, (first.start, last.end), topic)
}

/// The same for Chinese, by bytes.
pub(super) fn chinese(text: &Text, bytes: (usize, usize), topic: Topic) -> bool {
    static NAMED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^\p{Han}?[这那两三四几一]个?[字词]|^的?(?:表情|字样)").expect("a fixed pattern compiles")
    });
    const LABELS: [&str; 4] = ["按钮", "图标", "文案", "标签"];
    const DOCUMENTS: [&str; 3] = ["图", "文档", "说明"];
    let after = start_of(&text.plain[bytes.1..]);
    // 急 stands by itself in front of anything: 很急按钮点不了.
    let before = end_of(&text.plain[..bytes.0]).trim_end();
    NAMED.is_match(after)
        || [" word", " character"].iter().any(|named| before.ends_with(named))
        || document_ending(after).is_some()
        || topic != Topic::Urgency && LABELS.iter().any(|label| after.starts_with(label))
        || topic == Topic::Architecture && DOCUMENTS.iter().any(|document| after.starts_with(document))
        || is_spelling(text, bytes, topic)
}

/// `Employee.hire()`, `ticket.urgent`: a name in code, where nothing is done to data by it.
fn is_name_in_code(text: &Text, (start, end): (usize, usize), topic: Topic) -> bool {
    let mut before = text.plain[..start].chars().rev();
    let is_member =
        before.next() == Some('.') && before.next().is_some_and(|char| char.is_ascii_alphanumeric());
    matches!(topic, Topic::Urgency | Topic::Personnel | Topic::Money | Topic::Architecture)
        && (is_member || text.plain[end..].starts_with("()"))
}

/// "the hire button", "a password placeholder".
fn is_label(text: &Text, next: usize, topic: Topic) -> bool {
    const LABELS: [&str; 14] = [
        "button",
        "buttons",
        "label",
        "labels",
        "icon",
        "icons",
        "placeholder",
        "placeholders",
        "tooltip",
        "tooltips",
        "emoji",
        "badge",
        "badges",
        "heading",
    ];
    // The picture of an architecture decides nothing about it.
    const DOCUMENTS: [&str; 6] = ["diagram", "diagrams", "docs", "documentation", "document", "drawing"];
    let Some((before, after)) =
        next.checked_sub(1).and_then(|at| text.tokens.get(at)).zip(text.tokens.get(next))
    else {
        return false;
    };
    let between = &text.plain[before.end..after.start];
    !matches!(topic, Topic::Override | Topic::ApproveBatch)
        && !super::ends_clause(between)
        && (LABELS.contains(&after.word.as_str())
            || topic == Topic::Architecture && DOCUMENTS.contains(&after.word.as_str()))
}

/// "low, normal or urgent" are values of a field.
fn is_one_of_the_values(text: &Text, (start, end): (usize, usize)) -> bool {
    const VALUES: [&str; 9] =
        ["low", "normal", "medium", "high", "critical", "minor", "major", "routine", "blocker"];
    const JOINS: [&str; 3] = ["or", "and", "vs"];
    let is = |list: &[&str], at: Option<usize>| {
        at.and_then(|at| text.tokens.get(at)).is_some_and(|token| list.contains(&token.word.as_str()))
    };
    is(&VALUES, start.checked_sub(1))
        || is(&JOINS, start.checked_sub(1)) && is(&VALUES, start.checked_sub(2))
        || is(&VALUES, Some(end)) && text.plain[text.tokens[end - 1].end..].starts_with([',', '/', '|'])
        || is(&JOINS, Some(end)) && is(&VALUES, Some(end + 1))
}

/// A name that is misspelt stays what it names: "the typo in the billing docs" moves no money.
fn is_spelling(text: &Text, (start, end): (usize, usize), topic: Topic) -> bool {
    const ABOUT: [Topic; 8] = [
        Topic::Money,
        Topic::DataSecurity,
        Topic::Personnel,
        Topic::Architecture,
        Topic::Auth,
        Topic::Encryption,
        Topic::Migration,
        Topic::PublicApi,
    ];
    const ENDS: [char; 11] = ['!', '?', ';', '\n', ',', '。', '，', '！', '？', '；', '：'];
    static SPELLING: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\b(?:typos?|misspel[a-z]+|spelling|spelt wrong|spelled wrong)\b|错别字|错字|拼写|拼错")
            .expect("a fixed pattern compiles")
    });
    let before = end_of(&text.plain[..start]).rsplit(ENDS).next().unwrap_or_default();
    let after = start_of(&text.plain[end..]).split(ENDS).next().unwrap_or_default();
    let clause = |part: &str, last: bool| {
        // A dot ends a sentence only before a space: `a.md` is a name.
        let part = if last { part.rsplit(". ").next() } else { part.split(". ").next() };
        SPELLING.is_match(part.unwrap_or_default())
    };
    ABOUT.contains(&topic) && (clause(before, true) || clause(after, false))
}
