//! Reads claims: does the agent say that it is done, or that nothing needs to change.

/// Whether a message claims that the work is done.
pub fn claims_done(message: &str) -> bool {
    let claims = [
        "done",
        "fixed",
        "complete",
        "completed",
        "finished",
        "implemented",
        "resolved",
        "ready",
        "succeeded",
        "passes",
        "passing",
        "passed",
        "pass",
        "green",
        "works",
        "added",
        "updated",
        "created",
    ];
    let chinese = [
        "已完成",
        "完成了",
        "已经完成",
        "修复了",
        "已修复",
        "全部通过",
        "测试通过",
        "都通过",
        "搞定",
        "已实现",
        "已添加",
        "做完",
    ];
    sentences(message).any(|sentence| {
        let lower = sentence.to_lowercase();
        let claimed = words(&lower).any(|word| claims.contains(&word))
            || chinese.iter().any(|part| lower.contains(part));
        claimed && !is_denied(&lower) && !sentence.trim_end().ends_with(['?', '？'])
    })
}

/// Whether a message says that nothing needed to change.
pub fn says_nothing_to_change(message: &str) -> bool {
    let lower = message.to_lowercase();
    let phrases = [
        "no change needed",
        "no changes needed",
        "no change is needed",
        "no changes are needed",
        "no change was needed",
        "no changes were needed",
        "no change required",
        "no changes required",
        "no changes were required",
        "no changes necessary",
        "no changes were necessary",
        "nothing to change",
        "nothing to fix",
        "nothing to do",
        "nothing needed to",
        "nothing needs to",
        "already pass",
        "already fixed",
        "already implemented",
        "already exists",
        "already done",
        "already correct",
        "already in place",
        "already present",
        "already supports",
        "already handles",
        "did not need to change",
        "didn't need to change",
        "无需修改",
        "无需改动",
        "不需要修改",
        "不需要改动",
        "没有需要修改",
        "已经存在",
        "已经实现",
        "已经修复",
        "无须修改",
        "不用改",
    ];
    phrases.iter().any(|phrase| lower.contains(phrase))
}

fn is_denied(sentence: &str) -> bool {
    let denials = [
        "not",
        "cannot",
        "can't",
        "unable",
        "isn't",
        "aren't",
        "doesn't",
        "don't",
        "haven't",
        "hasn't",
        "won't",
        "incomplete",
        "todo",
        "until",
        "once",
        "when",
        "if",
    ];
    let chinese = ["未完成", "没有完成", "还没", "尚未", "无法", "不能", "没能"];
    let spaced = sentence.split_whitespace().map(|word| word.trim_matches([',', '.', ':', ';', '(', ')']));
    spaced.into_iter().any(|word| denials.contains(&word))
        || chinese.iter().any(|part| sentence.contains(part))
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(['\n', '。', '！', '？', '!', '?']).flat_map(|part| part.split(". "))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A claim is a statement, not a denial, a condition or a question.
    #[test]
    fn claims() {
        for (message, claimed) in [
            ("Done. All tests pass.", true),
            ("I fixed the bug and ran the tests.", true),
            ("已完成，测试全部通过。", true),
            ("I could not get it done yet, it is not finished.", false),
            ("Shall I mark it as done?", false),
            ("尚未完成", false),
            ("There is one commit. Shall I squash it, or leave it?", false),
            ("I will tell you when it is done.", false),
            ("", false),
        ] {
            assert_eq!(claims_done(message), claimed, "{message}");
        }
    }

    /// "Nothing to change" is said of the task, not of the rest.
    #[test]
    fn nothing_to_change() {
        assert!(says_nothing_to_change("The test already passes; no changes were needed."));
        assert!(says_nothing_to_change("代码无需修改"));
        assert!(!says_nothing_to_change("I changed nothing else."));
    }
}
