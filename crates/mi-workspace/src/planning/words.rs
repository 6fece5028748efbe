//! What a text asks for, by its words, in English, Korean and Chinese.
//!
//! A word of the Latin script counts as a whole word or, with `*` behind it, by its beginning; others count wherever
//! they stand. The lists are the rule: what is not in them is not seen.

/// Acceptance that speaks of what happens when something runs (NX-288).
pub(super) fn is_runtime_behaviour(text: &str) -> bool {
    has(text, RUNTIME)
}

/// Acceptance that names something to be checked in a document (NX-288).
pub(super) fn is_checkable_deliverable(text: &str) -> bool {
    has(text, DELIVERABLE) || !super::files::in_text(text).is_empty()
}

/// Behaviour stays as it is.
pub(super) fn is_pure_refactoring(text: &str) -> bool {
    has(text, REFACTORING)
}

/// Nothing but types changes.
pub(super) fn is_types_only(text: &str) -> bool {
    has(text, TYPES_ONLY)
}

pub(super) fn is_research(text: &str) -> bool {
    has(text, RESEARCH)
}

pub(super) fn is_documentation(text: &str) -> bool {
    has(text, DOCUMENTATION)
}

pub(super) fn is_small(text: &str) -> bool {
    has(text, SMALL)
}

/// Pieces that follow each other.
pub(super) fn is_sequence(text: &str) -> bool {
    has(text, SEQUENCE)
}

/// The agent for a question of design (NX-289); `None` when the text does not ask for thinking alone.
pub(super) fn designer_of(text: &str) -> Option<&'static str> {
    if !has(text, DESIGN) {
        return None;
    }
    let rows = [("designer", SCREENS), ("strategist", BUSINESS), ("postdoc", METHOD)];
    Some(rows.into_iter().find(|(_, words)| has(text, words)).map_or("architect", |(agent, _)| agent))
}

const RUNTIME: &[&str] = &[
    "run*",
    "return*",
    "print*",
    "exit*",
    "fail*",
    "pass*",
    "test*",
    "respon*",
    "request*",
    "error*",
    "output*",
    "handle*",
    "reject*",
    "refuse*",
    "accept*",
    "throw*",
    "panic*",
    "crash*",
    "work",
    "works",
    "behave*",
    "retr*",
    "timeout*",
    "latency",
    "slow*",
    "fast*",
    "start*",
    "stop*",
    "status",
    "stdout",
    "stderr",
    "executes",
    "loads",
    "saves",
    "log",
    "logs",
    "실행",
    "반환",
    "출력",
    "테스트",
    "오류",
    "동작",
    "运行",
    "返回",
    "输出",
    "测试",
    "报错",
    "通过",
];
const DELIVERABLE: &[&str] = &[
    "document*",
    "section*",
    "contain*",
    "list",
    "lists",
    "explain*",
    "describ*",
    "example*",
    "accura*",
    "link*",
    "table*",
    "page*",
    "guide*",
    "every",
    "cover*",
    "includ*",
    "state",
    "states",
    "complete*",
    "문서",
    "포함",
    "설명",
    "예시",
    "文档",
    "包含",
    "说明",
    "示例",
];
const REFACTORING: &[&str] = &[
    "refactor*",
    "behavior-preserving",
    "behaviour-preserving",
    "behavior unchanged",
    "behaviour unchanged",
    "no behavior change",
    "no behaviour change",
    "no functional change",
    "리팩터",
    "리팩토",
    "重构",
];
const TYPES_ONLY: &[&str] = &[
    "type-only",
    "types only",
    "only types",
    "type annotation*",
    "type definition*",
    "typings",
    "타입만",
    "仅类型",
];
const RESEARCH: &[&str] = &[
    "research*",
    "investigat*",
    "survey*",
    "find out",
    "look up",
    "literature",
    "benchmark other*",
    "조사",
    "리서치",
    "调研",
    "调查",
];
const DOCUMENTATION: &[&str] = &[
    "document",
    "documents",
    "documentation",
    "readme",
    "changelog",
    "guide",
    "tutorial",
    "release notes",
    "docs",
    "문서",
    "文档",
];
const SMALL: &[&str] = &[
    "small",
    "typo*",
    "one-line",
    "one line",
    "single line",
    "trivial",
    "tiny",
    "tweak*",
    "bump*",
    "오타",
    "小改",
];
const SEQUENCE: &[&str] =
    &["then", "afterwards", "first", "finally", "followed by", "그 다음", "이후", "然后", "之后"];
const DESIGN: &[&str] = &[
    "design review",
    "design analysis",
    "analyse",
    "analyze",
    "evaluate",
    "trade-off*",
    "tradeoff*",
    "weigh",
    "설계 검토",
    "분석",
    "评估",
    "权衡",
];
const SCREENS: &[&str] = &["ui", "ux", "screen*", "interaction*", "accessib*", "layout*", "화면", "界面"];
const BUSINESS: &[&str] =
    &["market*", "business", "pricing", "customer*", "position*", "사업", "시장", "市场"];
const METHOD: &[&str] =
    &["method*", "evidence", "hypothes*", "experiment*", "statistic*", "방법론", "근거", "证据"];

fn has(text: &str, words: &[&str]) -> bool {
    let text = text.to_lowercase();
    words.iter().any(|word| match word.strip_suffix('*') {
        Some(beginning) => stands(&text, beginning, false),
        None if word.is_ascii() => stands(&text, word, true),
        None => text.contains(word),
    })
}

/// Whether `word` stands in `text` at the beginning of a word, and ends where a word ends if that is wanted.
fn stands(text: &str, word: &str, whole: bool) -> bool {
    let is_letter =
        |character: Option<char>| character.is_some_and(|next| next.is_ascii_alphanumeric() || next == '_');
    text.match_indices(word).any(|(at, _)| {
        let before = is_letter(text[..at].chars().next_back());
        let after = is_letter(text[at + word.len()..].chars().next());
        !(before || whole && after)
    })
}

#[cfg(test)]
mod tests {
    use super::{designer_of, is_pure_refactoring, is_runtime_behaviour, is_types_only};

    /// Words are whole, in several languages.
    #[test]
    fn nx_288_nx_289_words_are_read() {
        for text in
            ["It returns 404", "`cargo test` passes", "오류를 반환한다", "命令返回 0", "Retries twice"]
        {
            assert!(is_runtime_behaviour(text), "{text}");
        }
        for text in ["The name is shorter", "The field is public", "Trunk is merged"] {
            assert!(!is_runtime_behaviour(text), "{text}");
        }
        assert!(is_pure_refactoring("Refactor the store") && is_types_only("type-only change"));
        let cases = [
            ("Evaluate the UI flow", Some("designer")),
            ("Analyse the API schema", Some("architect")),
            ("Weigh the business case", Some("strategist")),
            ("Evaluate the evidence", Some("postdoc")),
            ("Build the API", None),
        ];
        for (text, wanted) in cases {
            assert_eq!(designer_of(text), wanted, "{text}");
        }
    }
}
