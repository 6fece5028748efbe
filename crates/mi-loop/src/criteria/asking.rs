//! Tasks that only ask: to explain, find out, review, list. Their answer is their result.

use crate::project::documents;

/// Words that begin a question or a request to look, by which nothing is to be changed.
const LOOKING: [&str; 82] = [
    "explain",
    "describe",
    "what",
    "why",
    "how",
    "which",
    "who",
    "where",
    "when",
    "review",
    "show",
    "list",
    "tell",
    "analyze",
    "analyse",
    "summarize",
    "summarise",
    "summary",
    "look",
    "investigate",
    "count",
    "compare",
    "plan",
    "propose",
    "suggest",
    "audit",
    "inspect",
    "read",
    "find",
    "figure",
    "check",
    "verify",
    "report",
    "estimate",
    "assess",
    "identify",
    "search",
    "trace",
    "erkläre",
    "erklär",
    "warum",
    "wieso",
    "welche",
    "welcher",
    "welches",
    "wie",
    "was",
    "wo",
    "beschreibe",
    "prüfe",
    "liste",
    "zeige",
    "finde",
    "explica",
    "cuál",
    "cuáles",
    "qué",
    "por",
    "cómo",
    "dónde",
    "describe",
    "revisa",
    "lista",
    "explique",
    "pourquoi",
    "quel",
    "quelle",
    "quels",
    "quelles",
    "comment",
    "où",
    "décris",
    "vérifie",
    "relis",
    "dis",
    "enumera",
    "enumere",
    "montre",
    "analysiere",
    "resume",
    "résume",
    "dime",
];
const LOOKING_CJK: [&str; 30] = [
    "解释",
    "说明",
    "为什么",
    "为何",
    "哪个",
    "哪些",
    "哪里",
    "什么",
    "分析",
    "看看",
    "看一下",
    "列出",
    "总结",
    "查一下",
    "查找",
    "审查",
    "检查",
    "评审",
    "告诉我",
    "找出",
    "怎么",
    "如何",
    "説明",
    "なぜ",
    "どの",
    "どう",
    "教えて",
    "調べて",
    "一覧",
    "確認して",
];
/// Words by which a task says that nothing may be changed.
const UNCHANGED: [&str; 28] = [
    "不要改代码",
    "只需要解释",
    "只解释",
    "不要动代码",
    "change nothing",
    "do not change anything",
    "don't change anything",
    "without changing anything",
    "no changes please",
    "read-only",
    "read only",
    "do not modify anything",
    "don't modify anything",
    "do not edit anything",
    "don't edit anything",
    "only explain",
    "just explain",
    "just tell",
    "不要修改任何",
    "不要改任何",
    "不要修改代码",
    "什么都不要改",
    "别改",
    "ändere nichts",
    "nichts ändern",
    "no cambies nada",
    "no modifiques nada",
    "ne change rien",
];
/// Verbs of change that a part may go on with.
const CHANGING: [&str; 40] = [
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
    "replace",
    "convert",
    "bump",
    "correct",
    "repair",
    "make",
    "move",
    "install",
    "upgrade",
    "behebe",
    "ändere",
    "füge",
    "schreibe",
    "arregla",
    "añade",
    "corrige",
    "ajoute",
    "修复",
    "修改",
    "添加",
    "实现",
    "新增",
    "改成",
    "改为",
    "删除",
    "更新",
    "直して",
    "修正",
];

/// Whether a task plainly only asks, so that its answer is its result.
pub fn only_asks(task: &str) -> bool {
    let lower = task.trim().to_lowercase();
    if lower.is_empty() {
        return false;
    }
    let prose: String = lower.split('`').step_by(2).collect::<Vec<_>>().join(" ");
    let forbids = UNCHANGED.iter().any(|phrase| prose.contains(phrase));
    let without: String = UNCHANGED.iter().fold(prose.clone(), |text, phrase| text.replace(phrase, " "));
    let clauses = without
        .split(['\n', '.', ';', '。', '；', ',', '，'])
        .flat_map(|part| part.split(" and ").flat_map(|part| part.split(" und ")));
    let clauses: Vec<&str> =
        clauses.map(str::trim).filter(|clause| clause.chars().any(char::is_alphanumeric)).collect();
    let looks = |clause: &str| {
        let first = first_word(clause);
        LOOKING.contains(&first)
            || LOOKING_CJK.iter().any(|word| clause.contains(word))
            || clause.ends_with('?')
    };
    let runs = |clause: &str| {
        ["run", "execute", "führe", "ejecuta", "运行", "跑"]
            .iter()
            .any(|word| first_word(clause) == *word || clause.starts_with(word))
    };
    let changes = |clause: &str| {
        let first = first_word(clause);
        CHANGING.iter().any(|verb| if verb.is_ascii() { first == *verb } else { clause.contains(verb) })
    };
    let begins = clauses.first().is_some_and(|first| looks(first) || runs(first));
    let only_runs = clauses.iter().all(|clause| runs(clause));
    // "Can you add …?" is a wish in the form of a question.
    let wishes = [
        "can you",
        "could you",
        "would you",
        "will you",
        "can we",
        "please",
        "kannst du",
        "puedes",
        "peux-tu",
    ];
    let is_question = lower.ends_with(['?', '？']) && !wishes.iter().any(|form| lower.contains(form));
    (begins && !only_runs || forbids || is_question)
        && (forbids || !clauses.iter().any(|clause| changes(clause)))
        && !states_wish(&without)
        && !clauses.iter().any(|clause| writes_document(clause))
}

/// "Describe add in the README", "list the flags in docs/cli.md": the answer belongs into a file.
fn writes_document(clause: &str) -> bool {
    let words: Vec<&str> =
        clause.split_whitespace().map(|word| word.trim_matches(['"', '`', ',', ':'])).collect();
    let asks =
        ["what", "which", "why", "how", "whether", "was", "warum"].iter().any(|word| words.contains(word));
    let is_document = |word: &str| {
        documents::is_document(word) || ["readme", "changelog"].contains(&word) || word.starts_with("docs/")
    };
    let is_place = |pair: &[&str]| {
        ["in", "into", "to", "the", "im", "dans", "en", "at"].contains(&pair[0]) && is_document(pair[1])
    };
    let chinese = ["在 readme", "到 readme", "在readme", "写进", "写到", "写入"]
        .iter()
        .any(|form| clause.contains(form));
    !asks
        && (chinese
            || words.windows(2).any(is_place)
                && !words.starts_with(&["review"])
                && !words.starts_with(&["read"]))
}

/// A wish in a list or with an obligation is no question.
fn states_wish(text: &str) -> bool {
    ["done when", "acceptance", "验收", "完成条件", " must ", " should be ", "make sure"]
        .iter()
        .any(|word| text.contains(word))
}

fn first_word(clause: &str) -> &str {
    let fillers = ["please", "then", "also", "first", "bitte", "por", "请", "now", "just"];
    let mut words = clause.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty());
    words.find(|word| !fillers.contains(word)).unwrap_or_default()
}
