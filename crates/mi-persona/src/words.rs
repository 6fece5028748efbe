//! A text as keywords: words in lower case without a plural `s`, and pairs of neighbours in Chinese.

use std::collections::BTreeSet;

/// Words that say nothing about a topic.
const EMPTY: &[&str] = &[
    "a", "about", "all", "an", "and", "any", "are", "as", "at", "be", "but", "by", "can", "do", "for",
    "from", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "may", "must", "my", "no",
    "not", "of", "on", "or", "our", "please", "should", "so", "some", "that", "the", "then", "there", "thi",
    "this", "to", "up", "use", "we", "what", "when", "will", "with", "you", "your",
];

/// The keywords of a text. A lone Chinese character is one too.
pub(crate) fn keywords(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut word = String::new();
    let mut run: Vec<char> = Vec::new();
    for letter in text.chars().flat_map(char::to_lowercase).chain([' ']) {
        if is_chinese(letter) {
            end_word(&mut word, &mut found);
            run.push(letter);
            continue;
        }
        end_run(&mut run, &mut found);
        if letter.is_alphanumeric() {
            word.push(letter);
        } else {
            end_word(&mut word, &mut found);
        }
    }
    found
}

fn end_word(word: &mut String, found: &mut BTreeSet<String>) {
    if !word.is_empty() && !EMPTY.contains(&word.as_str()) {
        let plural = word.len() > 3 && word.ends_with('s') && !word.ends_with("ss");
        found.insert(if plural { word[..word.len() - 1].to_owned() } else { word.clone() });
    }
    word.clear();
}

fn end_run(run: &mut Vec<char>, found: &mut BTreeSet<String>) {
    match run.as_slice() {
        [] => {}
        [one] => {
            found.insert(one.to_string());
        }
        many => found.extend(many.windows(2).map(|pair| pair.iter().collect::<String>())),
    }
    run.clear();
}

pub(crate) fn is_chinese(letter: char) -> bool {
    matches!(letter, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// English by words, Chinese by pairs, both in one text.
    #[test]
    fn texts_become_keywords() {
        let words: Vec<String> = keywords("Fix the Locks, 锁的顺序 of class 锁").into_iter().collect();
        assert_eq!(words, ["class", "fix", "lock", "的顺", "锁", "锁的", "顺序"]);
    }
}
