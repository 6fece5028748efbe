//! Reads claims and wishes: does the agent say it is done, does the task ask for a change.

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

/// Whether a task asks for the project to be changed.
///
/// A task about failing tests asks that they pass, whoever made them pass; a flaky test that happens to pass is
/// not mended.
pub fn asks_for_change(task: &str) -> bool {
    if wants_tests_to_pass(task) {
        return false;
    }
    let verbs = [
        "fix",
        "add",
        "implement",
        "create",
        "write",
        "change",
        "refactor",
        "rename",
        "remove",
        "delete",
        "update",
        "improve",
        "migrate",
        "replace",
        "convert",
        "upgrade",
        "bump",
        "optimize",
        "optimise",
        "extract",
        "introduce",
        "extend",
        "translate",
        "repair",
    ];
    // Words that are as often nouns count only where a verb must stand.
    let ambiguous =
        ["make", "build", "support", "port", "document", "move", "split", "correct", "clean", "handle"];
    let chinese = [
        "修复",
        "修改",
        "添加",
        "新增",
        "实现",
        "增加",
        "重构",
        "删除",
        "更新",
        "优化",
        "改成",
        "改为",
        "编写",
        "创建",
        "支持",
        "翻译",
        "移除",
        "重命名",
        "写一个",
        "加一个",
    ];
    let inspecting = [
        "explain",
        "describe",
        "what",
        "why",
        "how",
        "run",
        "review",
        "show",
        "list",
        "find",
        "tell",
        "analyze",
        "analyse",
        "summarize",
        "summarise",
        "check",
        "look",
        "verify",
    ];
    // Commands are named in backticks, and `make` is no wish.
    let prose: String = task.split('`').step_by(2).collect::<Vec<_>>().join(" ").to_lowercase();
    let words: Vec<&str> = words(&prose).collect();
    let only_looks = words.first().is_some_and(|first| inspecting.contains(first));
    let wished = words.iter().enumerate().any(|(index, word)| {
        let begins = index == 0 || ["and", "then", "to"].contains(&words[index - 1]);
        verbs.contains(word) && (begins || !only_looks) || ambiguous.contains(word) && begins
    });
    wished || chinese.iter().any(|verb| prose.contains(verb))
}

fn wants_tests_to_pass(task: &str) -> bool {
    let lower = task.to_lowercase();
    let tests =
        ["failing test", "tests pass", "test pass", "broken test", "red test", "失败的测试", "测试通过"];
    tests.iter().any(|words| lower.contains(words)) && !lower.contains("flak") && !lower.contains("偶发")
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

    /// Tasks that ask for a change, and tasks that only ask.
    #[test]
    fn changes() {
        for (task, asked) in [
            ("Fix the flaky test", true),
            ("给解析器添加日志", true),
            ("Run the tests and tell me the result", false),
            ("Explain how fixtures work", false),
            ("Explain the last fix", false),
            ("Run `make test` and report", false),
            ("Run the tests and fix what fails", true),
            ("Make the parser faster", true),
            ("The parser drops the last line; fix it", true),
        ] {
            assert_eq!(asks_for_change(task), asked, "{task}");
        }
        assert!(says_nothing_to_change("The test already passes; no changes were needed."));
        assert!(says_nothing_to_change("代码无需修改"));
        assert!(!says_nothing_to_change("I changed nothing else."));
    }
}
