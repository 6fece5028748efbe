//! Whether a word only names something: the label of a button, the value of a field, a name that is misspelt.

use std::sync::LazyLock;

use regex::Regex;

use super::super::text::{Text, document_ending, end_of, is_chinese, start_of};
use super::Topic;

/// Whether the words from one token to another (not included) mean what they say.
pub(super) fn english(text: &Text, tokens: (usize, usize), topic: Topic) -> bool {
    let (Some(first), Some(last)) = (text.tokens.get(tokens.0), text.tokens.get(tokens.1 - 1)) else {
        return false;
    };
    if topic == Topic::Urgency && (is_value(text, tokens) || is_past(text, tokens.0)) {
        return true;
    }
    is_label(text, tokens.1, topic)
        || is_name_in_code(text, (first.start, last.end), topic)
        || topic == Topic::Urgency && is_one_of_the_values(text, tokens)
        || is_spelling(text, (first.start, last.end), topic)
        || is_in_document(text, (first.start, last.end), topic)
}

/// The same for Chinese, by bytes.
pub(super) fn chinese(text: &Text, bytes: (usize, usize), topic: Topic) -> bool {
    static NAMED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^\p{Han}?[这那两三四几一]个?[字词]|^的?(?:表情|字样)").expect("a fixed pattern compiles")
    });
    const PAGES: [&str; 5] = ["页", "栏目", "板块", "模块", "墙"];
    const DOCUMENTS: [&str; 3] = ["图", "文档", "说明"];
    let after = start_of(&text.plain[bytes.1..]);
    // 急 stands by itself in front of anything: 很急按钮点不了.
    let before = end_of(&text.plain[..bytes.0]).trim_end();
    NAMED.is_match(after)
        || [" word", " character"].iter().any(|named| before.ends_with(named))
        || document_ending(after).is_some()
        || topic == Topic::Urgency && is_no_haste(text, bytes)
        || topic != Topic::Urgency && is_chinese_label(after)
        || topic == Topic::Principle && PAGES.iter().any(|page| after.starts_with(page))
        || topic == Topic::Architecture && DOCUMENTS.iter().any(|document| after.starts_with(document))
        || is_spelling(text, bytes, topic)
}

/// 清空购物车按钮: what goes on until the label is its name.
fn is_chinese_label(after: &str) -> bool {
    const LABELS: [&str; 5] = ["按钮", "图标", "文案", "标签", "输入框"];
    const LONGEST: usize = 5;
    let name: String = after.chars().take_while(|char| is_chinese(*char)).take(LONGEST + 3).collect();
    LABELS.iter().filter_map(|label| name.split_once(label)).any(|(name, _)| {
        name.chars().count() <= LONGEST && !name.contains(['并', '和', '再', '把', '后', '改', '的', '了'])
    })
}

/// 为什么这么快, 怎么写比较快, 昨天很急: it asks about speed, or tells of the past.
fn is_no_haste(text: &Text, (start, end): (usize, usize)) -> bool {
    const ENDS: [char; 9] = [',', '.', '!', '?', '\n', '，', '。', '！', '？'];
    const ASKS: [&str; 5] = ["为什么", "为何", "怎么", "如何", "哪"];
    const PAST: [&str; 5] = ["昨天", "上周", "上个月", "当时", "那时"];
    let before = end_of(&text.plain[..start]).rsplit(ENDS).next().unwrap_or_default();
    &text.plain[start..end] == "快" && ASKS.iter().any(|word| before.contains(word))
        || PAST.iter().any(|word| before.contains(word))
}

/// `Employee.hire()`, `ticket.urgent`, `hiring.html`: a name in code, where nothing is done to data by it.
fn is_name_in_code(text: &Text, (start, end): (usize, usize), topic: Topic) -> bool {
    let mut before = text.plain[..start].chars().rev();
    let is_member =
        before.next() == Some('.') && before.next().is_some_and(|char| char.is_ascii_alphanumeric());
    let is_named = matches!(topic, Topic::Urgency | Topic::Personnel | Topic::Money | Topic::Architecture);
    is_named && (is_member || text.plain[end..].starts_with("()"))
        || (is_named || topic == Topic::DataSecurity) && is_file_name(&text.plain[end..])
}

/// `.html` and the like behind a word; what is in a schema's own file decides about it.
fn is_file_name(after: &str) -> bool {
    const ENDINGS: [&str; 28] = [
        "html", "css", "scss", "less", "js", "jsx", "mjs", "ts", "tsx", "vue", "json", "yaml", "yml", "toml",
        "py", "rs", "go", "java", "kt", "swift", "rb", "php", "c", "h", "cpp", "sh", "xml", "csv",
    ];
    let Some(rest) = after.strip_prefix('.') else { return false };
    let ending = rest.split(|char: char| !char.is_ascii_alphanumeric()).next().unwrap_or_default();
    ENDINGS.contains(&ending)
}

/// "the enum value URGENT", "the URGENT constant": a value of a field.
fn is_value(text: &Text, (start, end): (usize, usize)) -> bool {
    const BEFORE: [&str; 8] = ["value", "constant", "enum", "variant", "named", "called", "status", "label"];
    const BEHIND: [&str; 9] =
        ["constant", "enum", "value", "variant", "flag", "column", "status", "state", "keyword"];
    let is = |list: &[&str], at: Option<usize>| {
        at.and_then(|at| text.tokens.get(at)).is_some_and(|token| list.contains(&token.word.as_str()))
    };
    let next_in_clause = || {
        let (last, next) = (text.tokens.get(end.checked_sub(1)?)?, text.tokens.get(end)?);
        (!super::ends_clause(&text.plain[last.end..next.start])).then_some(end)
    };
    is(&BEFORE, start.checked_sub(1)) || is(&BEHIND, next_in_clause())
}

/// "it was urgent yesterday".
fn is_past(text: &Text, start: usize) -> bool {
    let before = start.checked_sub(1).and_then(|at| text.tokens.get(at));
    before.is_some_and(|before| matches!(before.word.as_str(), "was" | "were"))
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
    const FIELDS: [&str; 4] = ["field", "fields", "input", "box"];
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
            || topic == Topic::DataSecurity && FIELDS.contains(&after.word.as_str())
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

/// A name that is misspelt, or a thing that looks wrong, stays what it names: "the typo in the billing docs" and "the price
/// column is misaligned" move no money.
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
    const JOINS: [&str; 6] = [" and ", " then ", " but ", "并", "然后", "同时"];
    // What is on a page; a hole in it is one however it looks.
    const SHOWN: [&str; 4] = ["password", "passwords", "密码", "权限"];
    const ENDS: [char; 11] = ['!', '?', ';', '\n', ',', '。', '，', '！', '？', '；', '：'];
    static SPELLING: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\b(?:typos?|misspel[a-z]+|spelling|spelt wrong|spelled wrong)\b|错别字|错字|拼写|拼错")
            .expect("a fixed pattern compiles")
    });
    static LOOK: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"\b(?:css|styl(?:e|es|ing)|(?:mis)?align(?:ed|ment)?|padding|fonts?|colou?rs?|icons?|placeholders?|tooltips?|layout|caption",
            r"|wording|hover|blurry)\b|样式|颜色|字体|对齐|占位|间距|图标|文案|排版|错位|布局|居中",
        ))
        .expect("a fixed pattern compiles")
    });
    let before = end_of(&text.plain[..start]).rsplit(ENDS).next().unwrap_or_default();
    let after = start_of(&text.plain[end..]).split(ENDS).next().unwrap_or_default();
    // A dot ends a sentence only before a space: `a.md` is a name.
    let before = before.rsplit(". ").next().unwrap_or_default();
    let after = after.split(". ").next().unwrap_or_default();
    let has = |pattern: &Regex| pattern.is_match(before) || pattern.is_match(after);
    // Another order may follow in the same clause: "charge the customer and make the icon blue".
    let joins = |part: &str| JOINS.iter().any(|word| part.contains(word));
    let is_shown = matches!(topic, Topic::Money | Topic::Personnel | Topic::Auth)
        || topic == Topic::DataSecurity && SHOWN.contains(&&text.plain[start..end]);
    ABOUT.contains(&topic) && has(&SPELLING) || is_shown && !joins(before) && !joins(after) && has(&LOOK)
}

/// "split the table in the README": a table of a document holds no data.
fn is_in_document(text: &Text, (start, end): (usize, usize), topic: Topic) -> bool {
    const DOCUMENTS: [&str; 6] = ["readme", "docs", "document", "markdown", "wiki", "slide"];
    let after = start_of(&text.plain[end..]).split(['.', ',', ';', '\n']).next().unwrap_or_default();
    topic == Topic::Architecture
        && text.plain[start..end].contains("table")
        && DOCUMENTS.iter().any(|document| after.contains(document))
}
