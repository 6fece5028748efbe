//! Whether what stands before a word takes it back: "no urgency", 不急. "don't forget to" and 别忘了 take nothing back.

use super::super::text::{Text, is_chinese};

const NEGATIONS: &[&str] = &[
    "no",
    "not",
    "don't",
    "dont",
    "doesn't",
    "never",
    "without",
    "isn't",
    "aren't",
    "wasn't",
    "won't",
    "wouldn't",
    "nothing",
    "non",
    "nor",
    "can't",
    "cannot",
    "didn't",
    "avoid",
    "shouldn't",
    "hardly",
    "barely",
    "scarcely",
];

/// Two words that take back what stands further behind: "no need to do it asap", "don't treat it as urgent".
const FAR: &[(&str, &str)] = &[
    ("no", "need"),
    ("not", "need"),
    ("don't", "need"),
    ("need", "not"),
    ("not", "necessary"),
    ("don't", "treat"),
    ("not", "treat"),
    ("don't", "consider"),
    ("not", "consider"),
    ("far", "from"),
    ("nothing", "to"),
    ("unrelated", "to"),
    ("not", "about"),
    ("without", "changing"),
    ("without", "touching"),
    ("without", "modifying"),
    ("don't", "change"),
    ("don't", "touch"),
    ("not", "change"),
    ("not", "touch"),
];

/// How many words two such words reach over.
const FAR_REACH: usize = 6;

/// Behind a negation these turn it around: "don't forget to", "no choice but to", "not only".
const KEPT: &[&str] =
    &["forget", "hesitate", "only", "just", "wait", "choice", "option", "doubt", "problem", "alternative"];

/// Whether one of the three words before, in the same clause, negates.
pub(super) fn english(text: &Text, at: usize) -> bool {
    // Only a few words before are looked at, so that long messages are read in one go.
    let far = at.saturating_sub(FAR_REACH + 1);
    let (from, start) = (text.tokens[far].start, text.tokens[at].start);
    let clause = text.plain[from..start]
        .rfind(['.', '!', '?', ';', ':', '\n', ',', '。', '，', '！', '？', '；', '：'])
        .map_or(0, |end| from + end + 1);
    let word = |at: Option<usize>| at.and_then(|at| text.tokens.get(at)).map_or("", |token| &token.word);
    let pair = |first: usize| FAR.contains(&(word(Some(first)), word(Some(first + 1))));
    let is_far = (far..at.saturating_sub(1)).any(|first| text.tokens[first].start >= clause && pair(first));
    let is_less = word(at.checked_sub(1)) == "less";
    let is_near = (at.saturating_sub(3)..at).any(|before| {
        text.tokens[before].start >= clause
            && NEGATIONS.contains(&word(Some(before)))
            && !KEPT.contains(&word(Some(before + 1)))
            && word(before.checked_sub(1)) != "why"
    });
    is_near || is_far || is_less
}

/// How far before a word a Chinese negation reaches, and how much is read to understand it.
const REACH: usize = 4;
const READ: usize = 7;

/// 不, 没, 别, 无 within the four characters before, in the same clause.
pub(super) fn chinese(before: &str) -> bool {
    let last: Vec<char> = before.chars().rev().take(READ).take_while(|char| is_chinese(*char)).collect();
    (0..last.len().min(REACH)).any(|at| negates(&last, at)) || nobody(&last)
}

/// 没人, 没有人: nobody does it; 没人手 is a lack of hands.
fn nobody(last: &[char]) -> bool {
    let before: String = last.iter().rev().collect();
    ["没人", "没有人", "无人"]
        .iter()
        .filter_map(|word| before.split_once(word))
        .any(|(_, after)| !after.starts_with(['手', '力', '机', '值']))
}

/// 和支付无关, 跟退款没关系: what follows a word takes it back.
pub(super) fn chinese_behind(after: &str) -> bool {
    const UNRELATED: [&str; 6] = ["无关", "没关系", "没有关系", "没什么关系", "没啥关系", "不相关"];
    UNRELATED.iter().any(|word| after.starts_with(word))
}

/// Whether the character at `at` negates; `last` goes backwards, so what follows it stands before `at`.
fn negates(last: &[char], at: usize) -> bool {
    let follows = at.checked_sub(1).map(|next| last[next]);
    let precedes = last.get(at + 1).copied();
    let is = |char: Option<char>, list: &str| char.is_some_and(|char| list.contains(char));
    // 要不要 and 有没有 ask; 别忘了 and 不要忘记 remind; 不得不 and 不能不 insist.
    let asks = follows.is_some() && follows == precedes;
    let reminds = last[..at].contains(&'忘');
    let insists = (is(follows, "得能可") && at >= 2 && last[at - 2] == '不')
        || (is(precedes, "得能可") && last.get(at + 2) == Some(&'不'));
    match last[at] {
        // 特别, 级别, 类别, 别的 and the like are other words.
        '别' => !reminds && !is(precedes, "特级类识区性分个告离差") && !is(follows, "的人处"),
        '没' => !reminds && !asks && !is(follows, "时空问办错事"),
        '未' => !is(follows, "来知"),
        '勿' => !reminds,
        '非' => at <= 1 && !is(follows, "常"),
        // 不断, 不仅, 来不及, 不同 and the like do not negate what follows.
        '不' if follows == Some('同') => at >= 2 && last[at - 2] == '意',
        '不' => !reminds && !asks && !insists && !is(follows, "断仅但及过管久少止光只论行"),
        '无' => follows.is_none_or(|next| next == '需' || next == '须'),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What reminds, insists or asks takes nothing back; what refuses does, in both languages.
    #[test]
    fn d_03_negations_are_told_from_look_alikes() {
        for before in
            ["不", "不用", "别", "不要着", "没那么", "不是很", "无需", "非", "不打算", "并不", "尚未"]
        {
            assert!(chinese(before), "{before}");
        }
        for before in [
            "特别",
            "不得不",
            "要不要",
            "没时间了",
            "别忘了",
            "不要忘记",
            "有没有",
            "来不及了",
            "非常",
            "未来",
        ] {
            assert!(!chinese(before), "{before}");
        }
        let last = |text: &str| {
            let text = Text::new(text);
            english(&text, text.tokens.len() - 1)
        };
        for text in [
            "no urgency",
            "it is not that urgent",
            "never wipe",
            "we cannot hire",
            "no need to do it asap",
            "don't treat it as urgent",
            "far from urgent",
            "without changing the old database schema",
            "hardly urgent",
            "less urgent",
        ] {
            assert!(last(text), "{text}");
        }
        for text in
            ["don't forget to wipe", "why not hire", "no choice but hire", "no, hire", "not now: urgent"]
        {
            assert!(!last(text), "{text}");
        }
    }
}
