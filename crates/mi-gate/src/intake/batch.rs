//! How many changes a message asks for, and the first batch of at most five (D.5).

use std::sync::LazyLock;

use regex::Regex;
use serde::Serialize;

use super::state::State;
use super::text::Text;
use super::words::{self, Topic, WordTable};
use crate::change_unit::ChangeUnits;

mod asked;
mod limit;

/// The most changes that go in one batch.
pub(super) const LIMIT: u64 = 5;

/// How many changes were counted, and what to begin with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Batch {
    pub count: u64,
    /// Splitting is proposed.
    pub split: bool,
    /// The person lifted the limit for this request.
    pub approved: bool,
    /// The first batch, where the message lists its items.
    pub first: Vec<String>,
}

pub(super) fn read(text: &Text, diff: Option<&ChangeUnits>, state: &mut State, table: &WordTable) -> Batch {
    let items = items(text);
    let listed = u64::try_from(items.len()).unwrap_or(u64::MAX);
    let count = listed.max(named_number(&text.plain)).max(diff.map_or(0, |diff| diff.cu));
    // A bare yes answers the question that was just asked; other words say themselves what they approve.
    let says_so = words::has(text, table, Topic::ApproveBatch) || state.batch_asked && agrees(&text.plain);
    let large = count > LIMIT;
    // An approval counts once: for this message's own list, or for the one that waited and is sent again.
    let approved = says_so || (large && state.batch_approved);
    state.batch_approved = !large && (state.batch_approved || says_so && state.batch_waits);
    let split = large && !approved;
    state.batch_asked = split;
    state.batch_waits = split || (state.batch_waits && !large && !says_so);
    let touched = || diff.into_iter().flat_map(|diff| &diff.files).map(|file| file.path.clone()).collect();
    let named = if items.is_empty() { touched() } else { items };
    let first = if split { named.into_iter().take(5).collect() } else { Vec::new() };
    Batch { count, split, approved, first }
}

/// `yes`, `go ahead`, `ok do it`, 同意: the whole message.
fn agrees(plain: &str) -> bool {
    static AGREES: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"^(?:(?:yes|yep|yeah|sure|ok(?:ay)?|please|好的?|可以|行|嗯)[\s,，.。!！]*)*",
            r"(?:yes|yep|yeah|sure|go ahead|go for it|do it|proceed|agreed|i agree|同意|做吧|继续做|就这么做)[\s.!。！]*$",
        ))
        .expect("a fixed pattern compiles")
    });
    plain.len() <= 60 && AGREES.is_match(plain.trim())
}

/// Lines of a list, or the parts of an enumeration in a sentence.
fn items(text: &Text) -> Vec<String> {
    static ITEM: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^\s*(?:[-*•+]\s+|\(?\d{1,3}[.)、:：]\s*|\(?[a-z][.)]\s+|[一二三四五六七八九十]+[、.．]\s*)(\S.*)$").expect("a fixed pattern compiles")
    });
    let listed: Vec<String> =
        orders(text).iter().filter_map(|line| Some(ITEM.captures(line)?[1].trim().to_owned())).collect();
    if listed.len() >= 2 {
        return listed;
    }
    let counted = counted_in_a_line(&orders(text).join("\n"));
    if counted.len() > 2 {
        return counted;
    }
    text.cased
        .split(['\n', '。', '!', '！', ';', '；'])
        // A dot ends a sentence only before a space: `a.rs` is a name.
        .flat_map(|line| line.split(". "))
        .filter_map(|sentence| {
            let items = enumeration(&without_brackets(sentence));
            (items.len() > 2 && asked::orders_changes(&sentence.to_lowercase())).then_some(items)
        })
        .max_by_key(Vec::len)
        .unwrap_or_else(|| file_names(text))
}

/// `a.py b.py c.py` in a line that orders a change: names without a comma between them.
fn file_names(text: &Text) -> Vec<String> {
    let is_name = |word: &&str| {
        word.rsplit_once('.').is_some_and(|(stem, ending)| {
            stem.starts_with(|char: char| char.is_ascii_alphanumeric() || "_./".contains(char))
                && (1..=5).contains(&ending.len())
                && ending.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
                && ending.starts_with(|char: char| char.is_ascii_lowercase())
        })
    };
    let rows = text.cased.lines().filter(|line| asked::orders_changes(&line.to_lowercase())).map(|line| {
        let mut names: Vec<String> = line.split_whitespace().filter(is_name).map(str::to_owned).collect();
        names.dedup();
        names
    });
    rows.filter(|names| names.len() > 2).max_by_key(Vec::len).unwrap_or_default()
}

/// The lines that order something: what stands below "steps to reproduce" tells what happened, up to the next blank line
/// or heading.
fn orders(text: &Text) -> Vec<String> {
    static NUMBERED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^\s*(?:[-*•+]|\(?\w{1,3}[.)、:：]|[一二三四五六七八九十]+[、.．])")
            .expect("a fixed pattern compiles")
    });
    if !text.cased.contains('\n') {
        return vec![plain_numbers(&text.cased)];
    }
    let mut tells = false;
    let mut lines = Vec::new();
    for line in text.cased.lines().map(plain_numbers) {
        if !NUMBERED.is_match(&line) {
            tells = asked::heads_a_report(&line.to_lowercase());
        }
        if !tells {
            lines.push(line);
        }
    }
    lines
}

/// ① and （1） as `1)`.
fn plain_numbers(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    for char in line.chars() {
        match char {
            '①'..='⑳' => plain.push_str(&format!(" {}) ", char as u32 - '①' as u32 + 1)),
            '（' => plain.push('('),
            '）' => plain.push(')'),
            other => plain.push(other),
        }
    }
    ordinals(&plain)
}

/// 第一,…;第二,… as `1) … 2) …`.
fn ordinals(line: &str) -> String {
    static ORDINAL: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"第([一二三四五六七八九十]{1,3})[,，、:：]\s*").expect("a fixed pattern compiles")
    });
    if !line.contains('第') {
        return line.to_owned();
    }
    let number = |found: &regex::Captures<'_>| {
        chinese_number(&found[1]).map_or_else(|| found[0].to_owned(), |number| format!(" {number}) "))
    };
    ORDINAL.replace_all(line, number).into_owned()
}

/// `1. this 2. that 3. more` in one line: numbers that go up by one from 1.
fn counted_in_a_line(text: &str) -> Vec<String> {
    static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?:^|[\s:：,，;；])\(?(\d{1,3})[.)、]\s*").expect("a fixed pattern compiles")
    });
    let mut starts: Vec<(usize, usize)> = Vec::new();
    for found in NUMBER.captures_iter(text) {
        let (Some(whole), Some(number)) = (found.get(0), found.get(1)) else { continue };
        if number.as_str().parse() == Ok(starts.len() + 1) {
            starts.push((whole.start(), whole.end()));
        }
    }
    let ends = starts.iter().skip(1).map(|(start, _)| *start).chain([text.len()]);
    let items = starts.iter().zip(ends).map(|((_, start), end)| text[*start..end].trim().to_owned());
    items.filter(|item| !item.is_empty()).collect()
}

/// Lists in brackets are code.
fn without_brackets(sentence: &str) -> String {
    static BRACKETS: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\{[^}]*\}|\[[^\]]*\]").expect("a fixed pattern compiles"));
    if !sentence.contains(['{', '[']) {
        return sentence.to_owned();
    }
    BRACKETS.replace_all(sentence, " ").into_owned()
}

/// `a, b, c and d` with short parts: long ones are clauses of a sentence.
fn enumeration(sentence: &str) -> Vec<String> {
    let chinese = sentence.matches('、').count() >= 2;
    let separators: &[char] = if chinese { &['、', '和'] } else { &[',', '，'] };
    let parts: Vec<String> = sentence
        .split(separators)
        .flat_map(|part| part.split(" and "))
        .map(|part| part.trim().trim_start_matches("and ").to_owned())
        .filter(|part| !part.is_empty())
        .collect();
    if parts.len() < 3 || parts.iter().skip(1).all(|part| part.parse::<f64>().is_ok()) {
        return Vec::new();
    }
    let words = |part: &String| part.split_whitespace().count();
    // "rename a, add logging to b, fix the import in c": each part is an order.
    let ordered = parts.iter().skip(1).filter(|part| asked::begins_with_order(&part.to_lowercase())).count();
    if ordered * 3 >= (parts.len() - parts.len().min(1)) * 2 && ordered > 0 {
        return parts;
    }
    // Behind a row of names the sentence may go on: "a.rs, b.rs and c.rs to use the helper".
    let names = parts.len() > 3 && parts[1..parts.len() - 1].iter().all(|part| words(part) <= 2);
    let listed = if names { &parts[1..parts.len() - 1] } else { parts.get(1..).unwrap_or_default() };
    let short = listed.iter().all(|part| words(part) <= 4 && part.chars().count() <= 40);
    if short { parts } else { Vec::new() }
}

/// "change 8 files", "修改 7 个文件", "twelve changes"; "the page shows 10 items" asks for no change.
fn named_number(plain: &str) -> u64 {
    static ENGLISH: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"((?:\w+\s+)?)\b(\d{1,4}|",
            r"(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ](?:one|two|three|four|five|six|seven|eight|nine))?|",
            r"six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|dozen|hundred)",
            r"\s+(?:[\w-]+\s+){0,2}?(?:changes|files|edits|modifications|functions|modules|bugs|issues|fixes|features|components|endpoints|tests",
            r"|places|spots|locations|tasks|items|things|pages|screens|tables|classes|methods|services|packages|scripts|configs|routes",
            r"|variables|typos|dependencies|sites|columns|fields|strings|docs|documents|patches|constants|imports|warnings|errors",
            r"|occurrences|controllers|views|models|templates|handlers|migrations|crates|libraries|repos|repositories|structs|types",
            r"|buttons|labels|icons|links|images|colours|colors|styles|titles|headings|lines|links|sections|forms|menus|dialogs|comments|messages",
            r"|assertions|cases|snapshots|calls|usages|references|settings|keys|paths|names)\b",
        ))
        .expect("a fixed pattern compiles")
    });
    static CHINESE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(返回|显示|展示|列出|包含|支持|最多|每页|里有|共有|有)?\s*(\d{1,4}|[一二两三四五六七八九十百几]+)\s*",
            r"(?:(?:个|处|项|条|张|份)\s*[^，。,\s\d]{0,4}?(?:改动|修改|文件|函数|模块|功能|地方|问题|接口|页面|任务|bug|变更|组件|变量|依赖|字段|方法|类|",
            r"脚本|配置|服务|表|需求|错误|样式|用例|测试|文档|按钮)|处)",
        ))
        .expect("a fixed pattern compiles")
    });
    // What trails off goes on: "half a dozen... no, a dozen".
    let plain = &plain.replace("...", ",").replace('…', ",");
    // What was told to be there is asked for: "there are seven typos, fix them".
    let asks_in_english = ["need", "must", "should", "to change", "to fix", "to update", " them"];
    let asks_in_chinese = ["要", "需", "改", "修"];
    let english = ENGLISH.captures_iter(plain).filter(|found| {
        let before = found.get(1).map_or("", |before| before.as_str().trim());
        let after = rest_of_sentence(plain, found);
        // "to 25 items" is a size.
        let is_size = before == "to" && found.get(0).is_some_and(|whole| whole.as_str().ends_with("items"));
        asked::orders_changes(&sentence_of(plain, found))
            && !is_size
            && !limit::is_one(plain, found)
            && !after.contains(" per ")
            && (!TELLING.contains(&before) || asks_in_english.iter().any(|word| after.contains(word)))
    });
    let chinese = CHINESE.captures_iter(plain).filter(|found| {
        let after = rest_of_sentence(plain, found);
        // 所有 40 个 are all of them, not some that are there.
        let all = found.get(1).is_some_and(|word| plain[..word.start()].ends_with('所'));
        asked::orders_changes(&sentence_of(plain, found))
            && !limit::is_one(plain, found)
            && (found.get(1).is_none() || all || asks_in_chinese.iter().any(|word| after.contains(word)))
    });
    english
        .filter_map(|found| {
            limit::part_of(plain, &found, english_number).or_else(|| english_number(found.get(2)?.as_str()))
        })
        .chain(chinese.filter_map(|found| {
            limit::part_of(plain, &found, chinese_number).or_else(|| chinese_number(found.get(2)?.as_str()))
        }))
        .max()
        .unwrap_or(0)
}

/// The sentence around the number; the next one counts where it takes up what was counted: "seven typos. Fix them."
fn sentence_of(plain: &str, found: &regex::Captures<'_>) -> String {
    const ENDS: [char; 7] = ['.', '!', '?', '\n', '。', '！', '？'];
    let start = found.get(2).map_or(0, |number| number.start());
    let before = super::text::end_of(&plain[..start]).rsplit(ENDS).next().unwrap_or_default();
    let after = super::text::start_of(&plain[start..]);
    let end = after.find(ENDS).map_or(after.len(), |end| end + 3);
    let sentence = &after[..after.floor_char_boundary(end)];
    let takes_up = after[sentence.len()..].contains("them") || after[sentence.len()..].contains("都");
    format!("{before}{}", if takes_up { after } else { sentence })
}

/// What follows the number.
fn rest_of_sentence<'a>(plain: &'a str, found: &regex::Captures<'_>) -> &'a str {
    let rest = &plain[found.get(2).map_or(0, |number| number.end())..];
    super::text::start_of(rest).split(['.', '!', '?', '\n', '。', '！', '？']).next().unwrap_or_default()
}

/// Words before a number that tell how something is, and order nothing.
const TELLING: [&str; 26] = [
    "of", "return", "returns", "show", "shows", "display", "displays", "has", "have", "had", "contains",
    "contain", "are", "were", "reads", "read", "loads", "load", "lists", "list", "prints", "supports",
    "with", "takes", "passes", "runs",
];

fn english_number(text: &str) -> Option<u64> {
    const SMALL: [&str; 20] = [
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
    ];
    const TENS: [&str; 10] =
        ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
    let place = |list: &[&str], word: &str| list.iter().position(|known| *known == word).map(|at| at as u64);
    match text {
        "dozen" => return Some(12),
        "hundred" => return Some(100),
        _ => {}
    }
    let mut words = text.split([' ', '-']);
    let first = words.next()?;
    let tens = place(&TENS, first)
        .map(|tens| tens * 10 + words.next().and_then(|word| place(&SMALL, word)).unwrap_or(0));
    tens.or_else(|| place(&SMALL, first)).or_else(|| text.parse().ok())
}

/// 六, 十二, 二十五, 一百, 十几.
fn chinese_number(text: &str) -> Option<u64> {
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    let (mut sum, mut last) = (0, 0);
    for char in text.chars() {
        match char {
            '十' => (sum, last) = (sum + last.max(1) * 10, 0),
            '百' => (sum, last) = (sum + last.max(1) * 100, 0),
            '两' => last = 2,
            '几' => last = 1,
            other => last = "零一二三四五六七八九".chars().position(|known| known == other)? as u64,
        }
    }
    Some(sum + last)
}
