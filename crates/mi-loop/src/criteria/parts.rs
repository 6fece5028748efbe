//! Takes a task's text apart: points of explicit lists, and the wishes of its prose and plain lists.

use crate::{
    criteria::{
        CriterionKind, name_roles,
        named_things::{NameKind, named_things},
    },
    project::in_backticks,
};

/// A task, taken apart.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct TaskText {
    /// Points of lists that say when the task is done.
    pub(super) points: Vec<String>,
    /// Everything else that is wished for, one part each.
    pub(super) wishes: Vec<String>,
    /// Lines of a stack trace or of an error, which ask for nothing.
    traces: Vec<String>,
}

const HEADINGS: [&str; 22] = [
    "done when",
    "acceptance criteria",
    "acceptance",
    "definition of done",
    "success criteria",
    "exit criteria",
    "done criteria",
    "completion criteria",
    "it is done when",
    "fertig, wenn",
    "fertig wenn",
    "abnahmekriterien",
    "criterios de aceptación",
    "terminado cuando",
    "critères d'acceptation",
    "terminé quand",
    "完了条件",
    "验收标准",
    "验收条件",
    "完成标准",
    "完成条件",
    "完成的标准",
];

impl TaskText {
    pub(super) fn read(task: &str) -> Self {
        let mut text = Self::default();
        let (mut in_list, mut seen_bullet, mut fenced, mut is_context) = (false, false, false, false);
        let lines: Vec<&str> = task.lines().collect();
        for (index, line) in lines.iter().copied().enumerate() {
            if line.trim_start().starts_with("```") {
                fenced = !fenced;
                continue;
            }
            if fenced {
                continue;
            }
            if let Some(rest) = heading(line) {
                (in_list, seen_bullet) = (true, false);
                text.points.extend(split_inline(rest));
                continue;
            }
            if line.trim().is_empty() {
                // A blank line ends the context of a list, not the list itself.
                is_context = false;
                continue;
            }
            match (bullet(line), in_list) {
                (Some(point), true) => {
                    seen_bullet = true;
                    text.points.push(point.to_owned());
                }
                (Some(point), false) if !is_context => text.wishes.extend(split_parts(point)),
                (Some(_), false) => {}
                (None, true) if seen_bullet && line.starts_with([' ', '\t']) => {
                    join(text.points.last_mut(), line)
                }
                (None, _) => {
                    in_list = false;
                    is_context = introduces_context(line);
                    let next = lines[index + 1..].iter().find(|line| !line.trim().is_empty());
                    let introduces = line.trim_end().ends_with([':', '：'])
                        && next.is_some_and(|next| bullet(next).is_some());
                    if !introduces {
                        text.add_prose(line);
                    }
                }
            }
        }
        text.points.retain(|point| point.chars().any(char::is_alphanumeric));
        text.wishes = join_symptoms(std::mem::take(&mut text.wishes));
        text
    }

    fn add_prose(&mut self, line: &str) {
        for sentence in sentences(line.trim().trim_start_matches(['#', '>', ' '])) {
            if let Some(rest) = done_when(sentence) {
                self.points.extend(split_inline(rest));
            } else if is_trace(line) {
                self.traces.push(sentence.to_owned());
            } else if self.wishes.is_empty() || is_wish(sentence) {
                self.wishes.extend(split_parts(sentence));
            }
        }
    }
}

/// A report of what goes wrong belongs to the sentence that says what is wanted instead.
fn join_symptoms(wishes: Vec<String>) -> Vec<String> {
    let mut joined: Vec<String> = Vec::new();
    for wish in wishes {
        let first =
            wish.split(|char: char| !char.is_alphanumeric()).next().unwrap_or_default().to_lowercase();
        let is_own = WISHING.contains(&first.as_str())
            || special_wish(&wish).is_some()
            || super::document_wish(&wish).is_some();
        match joined.last_mut() {
            Some(last) if !is_own && name_roles::is_symptom(last) => {
                last.push_str("; ");
                last.push_str(&wish);
            }
            _ => joined.push(wish),
        }
    }
    joined
}

/// Whether a line was copied from a program's output: a frame of a stack trace, or the error itself.
fn is_trace(line: &str) -> bool {
    let text = line.trim_start();
    let is_indented = line.len() - text.len() >= 4 || line.starts_with('\t');
    let is_frame =
        ["at ", "File \"", "Traceback (", "thread '", "Exception in thread", "Caused by:", "from "]
            .iter()
            .any(|start| text.starts_with(start));
    let is_error = text.split_once(": ").is_some_and(|(name, _)| {
        !name.contains(' ') && (name.ends_with("Error") || name.ends_with("Exception"))
    });
    is_error || is_frame && (is_indented || text.contains(':'))
}

fn join(last: Option<&mut String>, line: &str) {
    if let Some(last) = last {
        last.push(' ');
        last.push_str(line.trim());
    }
}

/// The first line that says something.
pub(super) fn first_line(task: &str) -> &str {
    let first = task.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    first.trim_start_matches(['#', ' '])
}

/// What follows the heading on its own line, if the line is one.
fn heading(line: &str) -> Option<&str> {
    let line = line.trim().trim_start_matches(['#', '*', ' ', '-']);
    let lower = line.to_lowercase();
    let name = HEADINGS.iter().filter(|name| lower.starts_with(**name)).max_by_key(|name| name.len())?;
    // Lower-casing can change lengths; then the line is not one of our headings.
    let rest = line.get(name.len()..)?.trim_start_matches(['*', ' ']);
    let after = rest.strip_prefix(':').or_else(|| rest.strip_prefix('：'));
    match after {
        Some(rest) => Some(rest.trim_start_matches(['*', ' ']).trim()),
        None => rest.is_empty().then_some(""),
    }
}

/// What follows "done when" in a sentence.
fn done_when(sentence: &str) -> Option<&str> {
    let at = sentence.to_ascii_lowercase().find("done when ")?;
    sentence.get(at + "done when ".len()..).map(|rest| rest.trim_end_matches('.'))
}

fn split_inline(rest: &str) -> Vec<String> {
    rest.split([';', '；']).map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// The text of a bullet or a numbered point.
fn bullet(line: &str) -> Option<&str> {
    let line = line.trim();
    let signs = ["- ", "* ", "• ", "+ ", "· "];
    let marked = signs.iter().find_map(|sign| line.strip_prefix(sign));
    let numbered = || {
        let line = line.trim_start_matches(['(', '（']);
        let rest = line.trim_start_matches(|char: char| char.is_ascii_digit());
        let after = ['.', ')', '、', '）', '．'].iter().find_map(|sign| rest.strip_prefix(*sign));
        after
            .filter(|rest| rest.starts_with([' ', '\t']) || !rest.is_ascii())
            .filter(|_| rest.len() < line.len())
    };
    let text = marked.or_else(numbered)?.trim();
    let unchecked = ["[ ]", "[x]", "[X]"].iter().find_map(|mark| text.strip_prefix(mark));
    Some(unchecked.unwrap_or(text).trim())
}

/// A line after which a list tells what happens rather than what is wished.
fn introduces_context(line: &str) -> bool {
    let lower = line.trim().to_lowercase();
    lower.ends_with([':', '：'])
        && [
            "fail",
            "error",
            "crash",
            "see ",
            "reproduce",
            "context",
            "background",
            "example",
            "happens",
            "currently",
            "symptom",
            "错误",
            "失败",
            "例如",
        ]
        .iter()
        .any(|word| lower.contains(word))
}

/// Sentences of a line; a dot inside a name, number or abbreviation ends none.
fn sentences(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut start, mut in_code) = (0, false);
    let chars: Vec<(usize, char)> = line.char_indices().collect();
    let start_of = |text: &str| text.as_ptr() as usize - line.as_ptr() as usize;
    let quoted: Vec<std::ops::Range<usize>> = super::single_quoted_parts(line)
        .into_iter()
        .map(|text| start_of(text)..start_of(text) + text.len())
        .collect();
    for (index, (at, char)) in chars.iter().enumerate() {
        in_code ^= *char == '`';
        let next = chars.get(index + 1).map(|(_, char)| *char);
        let is_quoted = quoted.iter().any(|span| span.contains(at));
        let ends = match char {
            _ if is_quoted => false,
            '。' | '！' | '？' | '；' => true,
            '.' | '!' | '?' | ';' => {
                next.is_none_or(char::is_whitespace) && !is_abbreviation(&line[start..*at])
            }
            _ => false,
        };
        if ends && !in_code {
            found.push(line[start..*at].trim());
            start = at + char.len_utf8();
        }
    }
    found.push(line[start..].trim());
    found.retain(|sentence| sentence.chars().any(char::is_alphanumeric));
    found
}

fn is_abbreviation(text: &str) -> bool {
    ["e.g", "i.e", "etc", "z.B", "vs", "cf", " bzw"].iter().any(|end| text.ends_with(end))
}

/// Whether a sentence after the first adds a wish of its own, rather than telling about the first.
fn is_wish(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let first = lower.split(|char: char| !char.is_alphanumeric() && char != '\'').next().unwrap_or_default();
    let tells = [
        "it",
        "this",
        "that",
        "these",
        "they",
        "there",
        "see",
        "currently",
        "because",
        "note",
        "for",
        "the",
        "i",
        "we",
        "you",
        "when",
        "if",
        "today",
        "now",
        "here",
        "as",
        "in",
        "after",
        "since",
        "es",
        "das",
        "die",
        "der",
        "le",
        "la",
        "el",
        "il",
    ];
    let obliges = [
        " must ",
        " should ",
        " shall ",
        " has to ",
        " have to ",
        " needs to ",
        " need to ",
        " muss ",
        " soll ",
        " doit ",
        " debe ",
        "必须",
        "应该",
        "需要",
        "要求",
        "しなければ",
    ];
    obliges.iter().any(|word| lower.contains(word))
        || name_roles::obliges(&lower)
        || !tells.contains(&first) && !lower.ends_with('?')
}

/// The parts of a compound wish: cut where something new is asked for.
pub(super) fn split_parts(sentence: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for (joint, piece) in cut(sentence) {
        let piece = piece.trim().trim_end_matches(['.', '。', '!', '！', ',', '，']).trim();
        if !piece.chars().any(char::is_alphanumeric) {
            continue;
        }
        match parts.last_mut() {
            Some(last) if !stands_alone(piece) => {
                last.push_str(joint);
                last.push_str(piece);
            }
            _ => parts.push(piece.to_owned()),
        }
    }
    parts
}

/// Cuts at conjunctions outside of code and quotes; each piece with the conjunction before it.
fn cut(sentence: &str) -> Vec<(&str, &str)> {
    let joints = [
        ", and then ",
        ", then ",
        " and then ",
        ", and also ",
        " and also ",
        ", and ",
        " and ",
        ", ",
        "; ",
        " und ",
        " y ",
        " et ",
        "，并且",
        "，并",
        "，然后",
        "，再",
        "，同时",
        "，",
        "、并",
        "然后",
    ];
    let mut found = Vec::new();
    let (mut start, mut at, mut last_joint) = (0, 0, "");
    let mut depth = 0_i32;
    let (mut in_code, mut in_quote) = (false, false);
    while at < sentence.len() {
        let rest = &sentence[at..];
        let char = rest.chars().next().unwrap_or(' ');
        match char {
            '`' => in_code = !in_code,
            '"' => in_quote = !in_quote,
            '(' | '[' | '（' => depth += 1,
            ')' | ']' | '）' => depth -= 1,
            _ => {}
        }
        let is_open = in_code || in_quote || depth > 0;
        match joints.iter().filter(|joint| rest.starts_with(**joint)).max_by_key(|joint| joint.len()) {
            Some(joint) if !is_open => {
                found.push((last_joint, &sentence[start..at]));
                last_joint = &sentence[at..at + joint.len()];
                at += joint.len();
                start = at;
            }
            _ => at += char.len_utf8(),
        }
    }
    found.push((last_joint, &sentence[start..]));
    found
}

/// What stands between two wishes and belongs to neither.
const FILLERS: [&str; 8] =
    ["while you are at it", "while you're at it", "while at it", "also", "please", "then", "dann", "auch"];

/// Whether a part begins with a verb of wishing and goes on long enough to mean something alone: not "fix it".
pub(super) fn begins_wish(piece: &str) -> bool {
    let lower = piece.to_lowercase();
    let rest = FILLERS.iter().find_map(|filler| lower.strip_prefix(filler)).unwrap_or(&lower).trim_start();
    let words: Vec<&str> =
        rest.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.len() > 4 && words.first().is_some_and(|first| WISHING.contains(first))
}

/// Whether a piece after a conjunction is a wish of its own: it begins with a verb of wishing, or names a file of its own.
fn stands_alone(piece: &str) -> bool {
    let lower = piece.to_lowercase();
    let lower = FILLERS.iter().find_map(|filler| lower.strip_prefix(filler)).unwrap_or(&lower).trim_start();
    let first = lower.split(|char: char| !char.is_alphanumeric()).next().unwrap_or_default();
    let is_verb = WISHING.contains(&first) || WISHING_CJK.iter().any(|verb| piece.starts_with(verb));
    if goal_id_alone(piece) {
        return false;
    }
    let begins_with_code = piece.starts_with('`') || first_token_is_call(piece);
    is_verb
        || begins_with_code
        || is_place(piece)
        || special_wish(piece).is_some()
        || super::document_wish(piece).is_some()
}

/// Whether a part is nothing but a name: "run(args)", "`total`".
pub(super) fn is_bare_name(piece: &str) -> bool {
    let piece = piece.trim();
    piece.split_whitespace().count() == 1 && (first_token_is_call(piece) || piece.starts_with('`'))
}

/// `CALC-ADD-001: …` cites a requirement; it is no wish of its own.
fn goal_id_alone(piece: &str) -> bool {
    !mi_model::goal_ids(piece.split_whitespace().next().unwrap_or_default().trim_end_matches(':')).is_empty()
}

/// "`a()` and `b()`": each of them is wished for.
fn first_token_is_call(piece: &str) -> bool {
    let first = piece.split_whitespace().next().unwrap_or_default();
    first.contains('(') && first.starts_with(|char: char| char.is_alphabetic()) && !first.starts_with('(')
}

/// Whether a part only says where: "in textkit/__init__.py", "packages/b".
pub(super) fn is_place(piece: &str) -> bool {
    let words: Vec<&str> = piece.split_whitespace().collect();
    let fillers = [
        "in", "to", "for", "into", "also", "the", "of", "from", "im", "en", "dans", "auch", "too", "file",
        "files",
    ];
    let names = named_things(piece);
    words.len() <= 5
        && names.iter().any(|name| name.kind == NameKind::Path)
        && words.iter().all(|word| {
            let word = word
                .trim_matches(|char: char| !char.is_alphanumeric() && !"./_-".contains(char))
                .trim_end_matches('.');
            fillers.contains(&word.to_lowercase().as_str())
                || names.iter().any(|name| name.kind == NameKind::Path && name.text == word)
        })
}

/// Verbs that begin a wish in the middle of a sentence. A wish that begins with another verb stays part of the one before
/// it, which only makes the criterion longer.
const WISHING: [&str; 67] = [
    "add",
    "adjust",
    "adapt",
    "bump",
    "change",
    "clean",
    "commit",
    "convert",
    "cover",
    "create",
    "delete",
    "describe",
    "document",
    "drop",
    "ensure",
    "explain",
    "export",
    "extend",
    "extract",
    "fix",
    "format",
    "generate",
    "handle",
    "implement",
    "improve",
    "include",
    "introduce",
    "log",
    "make",
    "mention",
    "migrate",
    "move",
    "print",
    "raise",
    "reject",
    "refactor",
    "remove",
    "rename",
    "replace",
    "report",
    "run",
    "set",
    "show",
    "simplify",
    "split",
    "support",
    "test",
    "translate",
    "update",
    "use",
    "validate",
    "write",
    "füge",
    "schreibe",
    "ergänze",
    "aktualisiere",
    "teste",
    "lösche",
    "añade",
    "agrega",
    "escribe",
    "actualiza",
    "ajoute",
    "écris",
    "mets",
    "supprime",
    "push",
];
const WISHING_CJK: [&str; 26] = [
    "修复", "添加", "新增", "创建", "新建", "编写", "删除", "移除", "更新", "实现", "修改", "增加", "重构",
    "运行", "确保", "写", "加", "补", "提交", "测试", "改", "支持", "追加", "更新", "書", "実行",
];

/// A point of a list whose first statement is about files may go on with more: "`count.py` exists and counts words".
pub(super) fn split_statement(text: &str) -> (&str, Option<&str>) {
    let lower = text.to_lowercase();
    let ends = [" exists and ", " is there and ", " is present and "];
    match ends.iter().find_map(|joint| lower.find(joint).map(|at| (at, joint.len()))) {
        Some((at, length)) if text.is_char_boundary(at) && text.is_char_boundary(at + length) => {
            (&text[..at + length - " and ".len()], Some(text[at + length..].trim()))
        }
        _ => (text, None),
    }
}

/// Wishes that are shown in their own way: tests, commits, runs, renamings.
pub(super) fn special_wish(text: &str) -> Option<CriterionKind> {
    let lower = text.trim().to_lowercase();
    let words: Vec<&str> =
        lower.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    if let Some((from, to)) = renaming(text, &lower) {
        let is_path = |name: &str| name.contains('/') || super::files::is_file(name);
        // A function that moves into a file keeps its name: that is a change which keeps behaviour.
        return Some(match is_path(&from) == is_path(&to) {
            true => CriterionKind::Renamed { from, to },
            false => CriterionKind::Preserving,
        });
    }
    let runs_tests = [
        "run the tests",
        "run all tests",
        "run the test suite",
        "run tests",
        "run the checks",
        "运行测试",
        "跑测试",
        "führe die tests aus",
    ];
    if runs_tests.iter().any(|form| lower.starts_with(form)) && words.len() <= 6 {
        return Some(CriterionKind::Checks);
    }
    if wants_tests(&lower, &words) {
        return Some(CriterionKind::NewTests);
    }
    let begins = |starts: &[&str]| starts.iter().any(|start| lower.starts_with(start));
    if begins(&["commit", "提交", "committe", "haz commit", "コミット"]) && words.len() <= 6 {
        return Some(CriterionKind::Commit);
    }
    if [
        "run it",
        "run them",
        "run the script",
        "execute it",
        "运行它",
        "并运行",
        "运行一下",
        "führe es aus",
        "ejecútalo",
        "exécute le",
        "実行する",
    ]
    .iter()
    .any(|form| lower == *form || lower.starts_with(form))
    {
        return Some(CriterionKind::ProgramRun(String::new()));
    }
    None
}

/// Whether new tests are wished for: a verb of making and the word test as what is made.
fn wants_tests(lower: &str, words: &[&str]) -> bool {
    let makes = [
        "add", "write", "create", "include", "provide", "cover", "extend", "schreibe", "schreib", "ergänze",
        "füge", "añade", "agrega", "escribe", "ajoute", "écris", "with",
    ];
    let tests = [
        "test",
        "tests",
        "testcase",
        "testcases",
        "regression",
        "prueba",
        "pruebas",
        "testfall",
        "testfälle",
    ];
    let at = words.iter().position(|word| tests.contains(word));
    let made = at.is_some_and(|at| {
        let before = &words[..at];
        // "Add a test helper" is no test, "add --test flag" neither.
        let next = words.get(at + 1).copied().unwrap_or_default();
        let follows = [
            "",
            "for",
            "that",
            "of",
            "in",
            "to",
            "which",
            "and",
            "with",
            "when",
            "where",
            "as",
            "so",
            "on",
            "covering",
            "case",
            "cases",
            "too",
            "file",
            "files",
            "für",
            "der",
            "die",
            "das",
            "dafür",
            "para",
            "que",
            "pour",
            "qui",
            "dazu",
            "accordingly",
            "first",
            "it",
            "them",
            "each",
            "coverage",
            "function",
            "functions",
        ];
        let is_attribute = !follows.contains(&next) && next.is_ascii();
        before.len() <= 6 && before.iter().any(|word| makes.contains(word)) && !is_attribute
    });
    let chinese = [
        "写测试",
        "加测试",
        "添加测试",
        "补测试",
        "补充测试",
        "增加测试",
        "编写测试",
        "新增测试",
        "写单元测试",
        "添加单元测试",
        "テストを追加",
        "テストを書",
    ];
    let between = ["写", "加", "补", "增"].iter().any(|verb| {
        lower.find(verb).is_some_and(|at| lower[at..].find("测试").is_some_and(|test| test <= 24))
    });
    let repairs = words
        .iter()
        .any(|word| ["fix", "failing", "broken", "flaky", "repair", "pass", "passes"].contains(word));
    if repairs {
        return false;
    }
    let with = [
        "with tests",
        "with a test",
        "mit test",
        "con prueba",
        "con una prueba",
        "con tests",
        "avec un test",
        "avec des tests",
        "each with a test",
        "测试过",
    ];
    let tests_it = [
        "test it",
        "test them",
        "test that",
        "test this",
        "teste es",
        "pruébalo",
        "teste-le",
        "with a check in",
    ];
    let states = with.iter().any(|form| lower.starts_with(form) || lower.ends_with(form)) && words.len() <= 6
        || tests_it.iter().any(|form| lower.starts_with(form))
        || lower.starts_with("there should be a test")
        || lower.starts_with("there is a test")
        || lower.starts_with("there are tests")
        || lower.contains("has a test")
        || lower.contains("covered by a test")
        || lower.contains("is tested");
    made || states
        || chinese.iter().any(|form| lower.contains(form))
        || between && !lower.contains("测试通过")
}

/// "rename a to b", "move x.py to y.py".
fn renaming(text: &str, lower: &str) -> Option<(String, String)> {
    let is_renaming = [
        "rename",
        "move ",
        "重命名",
        "改名",
        "移动",
        "umbenenn",
        "benenne",
        "renombra",
        "renomme",
        "déplace",
        "verschiebe",
        "mueve",
    ]
    .iter()
    .any(|verb| lower.contains(verb));
    if !is_renaming {
        return None;
    }
    let coded = in_backticks(text);
    if let [from, to, ..] = coded.as_slice() {
        return Some((bare(from), bare(to)));
    }
    // In this order: "rename a to b in the header" has its target after "to".
    let joints = [" to ", " into ", " zu ", " nach ", " in ", " a ", " en ", "为", "成", "到"];
    let (at, joint) = joints.iter().find_map(|joint| Some((lower.find(joint)?, *joint)))?;
    let word = |text: &str, last: bool| {
        let mut words = text
            .split(|char: char| char.is_whitespace() || ('\u{3000}'..='\u{9fff}').contains(&char))
            .map(|word| {
                word.trim_matches(|char: char| !char.is_alphanumeric() && !"._/-()".contains(char))
                    .trim_end_matches('.')
            })
            .filter(|word| !word.is_empty() && word.is_ascii());
        let found = if last {
            words.next_back()
        } else {
            words.find(|word| !["the", "a", "function", "file", "module", "class"].contains(word))
        };
        found.map(str::to_owned)
    };
    let before = text.get(..at)?;
    let after = text.get(at + joint.len()..)?;
    // The thing that is renamed is the first thing named after the verb.
    let named =
        named_things(before).into_iter().find(|name| name.kind != NameKind::Word).map(|name| name.text);
    let named =
        named.map(|name| if before.contains(&format!("{name}(")) { format!("{name}(") } else { name });
    let target =
        named_things(after).into_iter().find(|name| name.kind != NameKind::Word).map(|name| name.text);
    let target =
        target.map(|name| if after.contains(&format!("{name}(")) { format!("{name}(") } else { name });
    // "Move it into a module of its own" names no target; a new name can be any word.
    let moves = lower.contains("move ") && !lower.contains("rename");
    let target = if moves { target } else { target.or_else(|| word(after, false)) };
    let (from, to) = (named.or_else(|| word(before, true))?, target?);
    (from != to && from.len() > 1 && to.len() > 1 && from.is_ascii()).then(|| (bare(&from), bare(&to)))
}

/// The name alone; a call keeps its bracket, by which it is told from the plain word.
fn bare(name: &str) -> String {
    match name.split_once('(') {
        Some((name, _)) => format!("{name}("),
        None => name.trim_start_matches("./").to_owned(),
    }
}

/// Whether a wish asks for a change that keeps behaviour.
pub(super) fn keeps_behaviour(text: &str) -> bool {
    let lower = text.to_lowercase();
    lower.starts_with("move ")
        || [
            "refactor",
            "clean up",
            "cleanup",
            "tidy",
            "simplify",
            "restructure",
            "reorganize",
            "reorganise",
            "reformat",
            "format the",
            "extract ",
            "inline ",
            "split ",
            "deduplicate",
            "remove duplicat",
            "without changing behavio",
            "behaviour stays",
            "behavior stays",
            "same behaviour",
            "same behavior",
            "see no difference",
            "verhalten bleibt",
            "mismo comportamiento",
            "même comportement",
            "挙動は",
            "行为不变",
            "pull the",
            "without changing what",
            "without changing how",
            "without changing the",
            "without altering",
            "ohne das verhalten",
            "sin cambiar",
            "sans changer",
            "变えずに",
            "不改变",
            "不影响",
            "no behaviour change",
            "no behavior change",
            "重构",
            "整理",
            "格式化",
            "简化",
            "refaktor",
            "aufräumen",
            "vereinfach",
            "refactoriza",
            "limpia",
            "simplifie",
            "リファクタ",
            "整形",
        ]
        .iter()
        .any(|word| lower.contains(word))
}
