//! Whether a sentence asks for changes at all: reading, running and asking about twelve files changes none of them.

use std::sync::LazyLock;

use regex::Regex;

/// Whether a sentence (in lower case) orders a change.
pub(super) fn orders_changes(sentence: &str) -> bool {
    changes().is_match(sentence) && !asks(sentence)
}

/// Whether a part of a sentence (in lower case) begins with one.
pub(super) fn begins_with_order(part: &str) -> bool {
    let part = ["and ", "then ", "also ", "please ", "再", "并", "然后"]
        .iter()
        .fold(part.trim(), |part, word| part.strip_prefix(word).unwrap_or(part).trim_start());
    changes().find(part).is_some_and(|found| found.start() == 0)
}

fn changes() -> &'static Regex {
    static CHANGES: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"\b(?:add|adjust|align|apply|bump|change|clean|convert|correct|create|cut|delete|do|document|drop|edit|enable|disable|extend|extract",
            r"|fix|format|implement|improve|inline|insert|introduce|localise|localize|make|merge|migrate|modify|move|need|needs|patch|port|put",
            r"|redo|refactor|reformat|remove|rename|reorder|replace|restyle|rework|rewrite|set|should|sort|split|swap|switch|tidy|touch|translate",
            r"|turn|unify|update|upgrade|use|wrap|write|must|build|generate|deprecate|deduplicate|resolve|address|handle|cover|annotate|bring|go",
            r"|chang(?:es|ing)|fix(?:es|ing)|updat(?:es|ing)|edits|modifications)\b",
            r"|改|修|加|删|换|调|移|写|做|更新|命名|替换|补|优化|实现|处理|翻译|统一|迁移|升级|拆|合并|去掉|设|增|整理|格式化|重构|要|需",
        ))
        .expect("a fixed pattern compiles")
    });
    &CHANGES
}

/// "why do tests 1, 2 and 3 fail?", 这 12 个测试是做什么的?
fn asks(sentence: &str) -> bool {
    static ASKS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"^\W*(?:why|what|what's|which|who|when|where|how|do|does|did|is|are|was|were|explain|describe|list|show|count|summari[sz]e|read)\b",
            r"|^\s*(?:为什么|解释|列出|读取|总结|看看|说明|介绍|统计)|做什么|是什么|什么意思|为什么|有哪些|-\s*why\b",
        ))
        .expect("a fixed pattern compiles")
    });
    ASKS.is_match(sentence) && !sentence.contains(" and fix") && !sentence.contains("should")
}

/// "Steps to reproduce:" stands above what happened, not above what is to be done.
pub(super) fn heads_a_report(line: &str) -> bool {
    static REPORT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"\b(?:steps to reproduce|to reproduce|repro(?:duction)?(?: steps)?|how to reproduce|acceptance criteria|definition of done",
            r"|expected(?: behaviou?r| results?)?|actual(?: behaviou?r| results?)?|output|logs?|stack ?trace|traceback|environment|context|background|for reference)\W*$",
            r"|(?:复现|重现)(?:步骤|方法)?[:：\s]*$|(?:验收标准|完成标准|报错|日志|输出|背景)(?:如下)?[:：\s]*$",
        ))
        .expect("a fixed pattern compiles")
    });
    REPORT.is_match(line.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Orders change something; questions, looks and runs do not.
    #[test]
    fn d_05_only_changes_are_counted() {
        for order in [
            "rename these 12 files",
            "can you fix the typos",
            "12 files need the header",
            "把这些都改了",
            "show all items and fix them",
        ] {
            assert!(orders_changes(order), "{order}");
        }
        for other in [
            "explain these 12 files to me",
            "run all 200 tests",
            "why do tests 1, 2 and 3 fail",
            "it prints a, b and c",
            "列出所有文件",
        ] {
            assert!(!orders_changes(other), "{other}");
        }
    }
}
