//! The words that go to the agent and to the person, in the language of the question.

use super::decide::{Decision, Reply};
use crate::{questions::Question, words::is_chinese};

/// The reply to one question: which one, what was decided, on whose word.
pub(crate) fn reply_text(question: &Question, reply: &Reply) -> String {
    let asked = shortened(&question.text);
    if is_chinese(&question.text) {
        return format!("关于“{asked}”：{}（依据：“{}”）", chinese(&reply.decision), reply.words);
    }
    format!("You asked: “{asked}” {} (The user's own words: “{}”)", english(&reply.decision), reply.words)
}

/// The questions that are left, and nothing else.
pub(crate) fn ask_text(questions: &[&Question]) -> String {
    match questions {
        [] => String::new(),
        [only] => one(only),
        several => several
            .iter()
            .enumerate()
            .map(|(at, question)| format!("{}. {}", at + 1, one(question)))
            .collect::<Vec<_>>()
            .join("\n"),
    }
}

fn one(question: &Question) -> String {
    let mut text = question.full_text();
    let missing: Vec<&String> =
        question.options.iter().filter(|option| !text.contains(option.as_str())).collect();
    if !missing.is_empty() {
        let options: Vec<String> = question
            .options
            .iter()
            .enumerate()
            .map(|(at, option)| format!("({}) {option}", at + 1))
            .collect();
        text = format!("{text} {}", options.join(" "));
    }
    text
}

fn english(decision: &Decision) -> String {
    match decision {
        Decision::Yes => "Yes, go ahead.".to_owned(),
        Decision::No { instead } => match instead {
            Some("api") => "No, keep the API as it is.".to_owned(),
            Some("dependency") => "No, do without it.".to_owned(),
            Some("behaviour") => "No, keep the behaviour as it is.".to_owned(),
            Some("breaking") => "No, stay compatible.".to_owned(),
            Some("unrelated") => "No, stay with the task.".to_owned(),
            Some("tests") => "No, keep the tests.".to_owned(),
            Some(other) => format!("No, {other}."),
            None => "No, do not do it.".to_owned(),
        },
        Decision::Choose(option) => format!("Decision: {}.", as_told(option)),
        Decision::Tell(told) => format!("Answer: {}", closed(told, '.')),
        Decision::Yours => "Decide this yourself; the user leaves it to you.".to_owned(),
    }
}

fn chinese(decision: &Decision) -> String {
    match decision {
        Decision::Yes => "是，可以这样做。".to_owned(),
        Decision::No { instead } => match instead {
            Some("api") => "不，保持接口不变。".to_owned(),
            Some("dependency") => "不，不要引入新依赖。".to_owned(),
            Some("behaviour") => "不，保持现有行为。".to_owned(),
            Some("breaking") => "不，保持兼容。".to_owned(),
            Some("unrelated") => "不，只做任务本身。".to_owned(),
            Some("tests") => "不，保留测试。".to_owned(),
            Some(other) => format!("不，{other}。"),
            None => "不，不要这样做。".to_owned(),
        },
        Decision::Choose(option) => format!("选择：{}。", as_told(option)),
        Decision::Tell(told) => format!("答案：{}", closed(told, '。')),
        Decision::Yours => "由你自己决定。".to_owned(),
    }
}

/// What the agent said of itself ("I can use a lock") as the user says it ("use a lock").
fn as_told(option: &str) -> &str {
    let mut told = option;
    for lead in [
        "either ",
        "i can ",
        "i could ",
        "i'll ",
        "i will ",
        "i would ",
        "i'd ",
        "i should ",
        "i may ",
        "i ",
        "we can ",
        "we could ",
        "we'll ",
        "we will ",
        "we ",
        "我可以",
        "我来",
        "我会",
        "我们",
        "我",
    ] {
        let starts = told.get(..lead.len()).is_some_and(|start| start.eq_ignore_ascii_case(lead));
        told = if starts { told[lead.len()..].trim_start() } else { told };
    }
    told.trim_end_matches(['.', '。', '?', '？'])
}

fn closed(text: &str, end: char) -> String {
    let ended = text.ends_with(['.', '!', '?', '。', '！', '？']);
    if ended { text.to_owned() } else { format!("{text}{end}") }
}

/// Long questions are quoted by their end, where the question itself stands.
fn shortened(text: &str) -> String {
    const KEPT: usize = 200;
    let count = text.chars().count();
    if count <= KEPT {
        return text.to_owned();
    }
    format!("…{}", text.chars().skip(count - KEPT).collect::<String>())
}
