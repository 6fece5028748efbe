//! Plain statements about files: "create CHANGELOG.md", "old.txt is deleted", "更新 README.md".
//!
//! Holds: only what can mean nothing else is read. A file that is mentioned in passing, under a condition or with a
//! "not" asks for nothing, because a criterion that cannot be met keeps a run from ever being done.

use super::{CriterionKind, is_path};
use crate::project::{documents, is_test_file};

/// Endings of names that are files; `math.sqrt` and `v1.2` are none.
const ENDINGS: [&str; 61] = [
    "py", "rs", "js", "jsx", "ts", "tsx", "mjs", "cjs", "go", "java", "kt", "rb", "php", "cs", "swift", "c",
    "h", "cc", "cpp", "hpp", "sh", "bash", "md", "rst", "adoc", "txt", "json", "yaml", "yml", "toml", "ini",
    "cfg", "conf", "xml", "html", "css", "scss", "sql", "csv", "tsv", "lock", "env", "proto", "ipynb", "lua",
    "ex", "exs", "vue", "svelte", "bats", "gradle", "mk", "cmake", "svg", "png", "pdf", "dart", "zig", "pl",
    "ps1", "tf",
];
/// Files without an ending that are known by name.
const NAMES: [&str; 7] =
    ["Makefile", "Dockerfile", "Gemfile", "Rakefile", "Justfile", "justfile", ".gitignore"];
/// Products that are written like files.
const PRODUCTS: [&str; 14] = [
    "node.js",
    "next.js",
    "vue.js",
    "react.js",
    "express.js",
    "nuxt.js",
    "three.js",
    "d3.js",
    "chart.js",
    "moment.js",
    "discord.js",
    "alpine.js",
    "day.js",
    "backbone.js",
];
/// Words by which a sentence takes back or limits what it says.
const LIMITS: [&str; 22] = [
    "not", "don't", "never", "without", "if", "unless", "when", "instead", "whether", "avoid", "won't",
    "cannot", "不要", "别", "不得", "勿", "禁止", "如果", "除非", "不能", "避免", "不应",
];

/// What a wish asks of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wish {
    Made,
    Changed,
    Gone,
}

/// What the imperatives of a sentence ask of files.
pub(super) fn asked(sentence: &str) -> Vec<CriterionKind> {
    let words = words(sentence);
    if is_limited(&words) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut last = None;
    for clause in words.split(|word| is_joint(word)) {
        let begins = clause.iter().take_while(|word| FILLERS.contains(&word.to_lowercase().as_str())).count();
        let clause = clause.get(begins..).unwrap_or_default();
        match clause {
            [] => continue,
            // "Create a.txt and b.txt": the second has no verb of its own.
            [file] if is_file(file) => found.extend(last.map(|wish| kind(wish, file))),
            _ => {
                let wished = english(clause).or_else(|| chinese(clause));
                last = wished.map(|(wish, _)| wish);
                found.extend(wished.map(|(wish, file)| kind(wish, file)));
            }
        }
    }
    found
}

/// What a point of a list says about the files it begins with: "a.txt and b.txt exist", "old.txt is deleted".
pub(super) fn stated(point: &str) -> Vec<CriterionKind> {
    let words = words(point);
    let is_open = |word: &&String| {
        let lower = word.to_lowercase();
        is_file(word)
            || is_joint(word)
            || ["the", "a", "an", "file", "files", "new", "old", "both", "there", "is", "文件", "存在"]
                .contains(&lower.as_str())
    };
    let subject = words.iter().take_while(is_open).count();
    let (subject, rest) = words.split_at(subject);
    let lower = |words: &[String]| words.join(" ").to_lowercase();
    let rest = lower(rest);
    let says = |starts: &[&str]| starts.iter().any(|start| rest.starts_with(start));
    let begins = lower(subject);
    let wish = if says(&GONE) {
        Wish::Gone
    } else if says(&THERE) || ends_in_there(&begins) || rest.is_empty() && begins.starts_with("存在") {
        Wish::Made
    } else {
        return Vec::new();
    };
    let limited = ["if", "unless", "when", "如果"].iter().any(|word| rest.split(' ').any(|it| it == *word));
    let files = subject.iter().filter(|word| is_file(word) && !limited);
    files.map(|file| kind(wish, file)).collect()
}

/// "There is a NOTES.md", "NOTES.md is there".
fn ends_in_there(subject: &str) -> bool {
    subject.starts_with("there is ") || subject.ends_with(" is there") || subject.ends_with("存在")
}

const GONE: [&str; 19] = [
    "is deleted",
    "is removed",
    "is gone",
    "are deleted",
    "are removed",
    "are gone",
    "deleted",
    "removed",
    "gone",
    "was deleted",
    "was removed",
    "has been deleted",
    "has been removed",
    "no longer",
    "does not exist",
    "doesn't exist",
    "已删除",
    "被删除",
    "不",
];
const THERE: [&str; 14] = [
    "exist",
    "present",
    "created",
    "is present",
    "is created",
    "are there",
    "are present",
    "are created",
    "was created",
    "has been created",
    "must exist",
    "should exist",
    "已创建",
    "已存在",
];

/// Words before the verb of an imperative.
const FILLERS: [&str; 10] =
    ["please", "also", "then", "finally", "first", "next", "now", "just", "to", "afterwards"];

/// The wish of an English clause that begins with its verb.
fn english(clause: &[String]) -> Option<(Wish, &String)> {
    let (verb, rest) = clause.split_first()?;
    let wish = match verb.to_lowercase().as_str() {
        "create" | "add" | "generate" | "introduce" => Wish::Made,
        "write" | "update" | "edit" | "extend" => Wish::Changed,
        "remove" | "delete" | "drop" => Wish::Gone,
        _ => return None,
    };
    let at = rest.iter().position(|word| is_file(word))?;
    let (between, after) = (rest.get(..at)?, rest.get(at + 1..)?);
    let file = rest.get(at)?;
    let is_last =
        |allowed: &[&str]| after.first().is_none_or(|next| allowed.contains(&next.to_lowercase().as_str()));
    let direct = match wish {
        // Whatever describes the file, it is the file that goes, unless something in it is meant.
        Wish::Gone => {
            between.len() <= 4 && !between.iter().any(|word| INSIDE.contains(&word.to_lowercase().as_str()))
        }
        Wish::Made | Wish::Changed => {
            between.iter().all(|word| DIRECT.contains(&word.to_lowercase().as_str()))
        }
    };
    match (wish, direct) {
        (Wish::Gone, true) => {
            is_last(&["file", "too", "please", "now", "since", "because"]).then_some((wish, file))
        }
        (Wish::Gone, false) => None,
        (_, true) => is_last(&FOLLOWERS).then_some((wish, file)),
        // "Add a test for zero in test_zero.py" needs at least that file.
        (_, false) if is_placed(between, file) => {
            let wish = if documents::is_document(file) { Wish::Changed } else { Wish::Made };
            Some((wish, file))
        }
        (_, false) => None,
    }
}

/// Words by which something in, about or of a file is meant.
const INSIDE: [&str; 16] = [
    "from", "in", "of", "to", "for", "import", "imports", "line", "lines", "function", "call", "calls",
    "support", "class", "method", "entry",
];
/// Words between a verb and the file that is its object.
const DIRECT: [&str; 24] = [
    "a", "an", "the", "new", "empty", "file", "files", "module", "script", "named", "called", "document",
    "short", "small", "simple", "our", "this", "unused", "obsolete", "old", "test", "stale", "page",
    "package",
];
/// Words after a file that is an object; a noun would make the file its attribute ("package.json support").
const FOLLOWERS: [&str; 25] = [
    "with",
    "that",
    "which",
    "containing",
    "for",
    "to",
    "describing",
    "in",
    "under",
    "at",
    "explaining",
    "listing",
    "using",
    "so",
    "where",
    "as",
    "based",
    "file",
    "from",
    "documenting",
    "covering",
    "by",
    "first",
    "too",
    "accordingly",
];

/// Whether the words before a file say where something is put, and nothing else.
fn is_placed(between: &[String], file: &str) -> bool {
    let Some((place, thing)) = between.split_last() else { return false };
    let may_be_written = documents::is_document(file) || is_test_file(file);
    let is_place = match place.to_lowercase().as_str() {
        "in" | "into" => true,
        // "Write the report to out.txt" is what a program does.
        "to" => may_be_written,
        _ => false,
    };
    let plain = |word: &String| {
        let word = word.to_lowercase();
        !word.ends_with("ing")
            && ![
                "to",
                "that",
                "which",
                "like",
                "as",
                "from",
                "using",
                "with",
                "see",
                "described",
                "defined",
                "found",
                "used",
                "listed",
                "reference",
                "link",
                "than",
                "so",
                "of",
            ]
            .contains(&word.as_str())
    };
    is_place && !thing.is_empty() && thing.iter().all(plain)
}

/// The wish of a Chinese clause: a verb right before the file.
fn chinese(clause: &[String]) -> Option<(Wish, &String)> {
    let verbs = [
        ("创建", Wish::Made),
        ("新建", Wish::Made),
        ("新增", Wish::Made),
        ("添加", Wish::Made),
        ("增加", Wish::Made),
        ("生成", Wish::Made),
        ("编写", Wish::Changed),
        ("更新", Wish::Changed),
        ("删除", Wish::Gone),
        ("移除", Wish::Gone),
        ("删掉", Wish::Gone),
        ("去掉", Wish::Gone),
    ];
    let at = clause.iter().position(|word| is_file(word)).filter(|at| *at > 0)?;
    let (run, file) = (clause.get(at - 1)?, clause.get(at)?);
    let (start, verb, wish) = verbs
        .iter()
        .filter_map(|(verb, wish)| run.rfind(verb).map(|start| (start, *verb, *wish)))
        .max_by_key(|found| found.0)?;
    let (before, after) = (&run[..start], &run[start + verb.len()..]);
    let is_object = after.chars().all(|char| "一个新的空文件名为叫做份该此旧".contains(char));
    // "该脚本会创建 out.txt" tells what a program does.
    let is_wish = before.is_empty()
        || ["请", "并", "再", "后", "且", "和", "要", "也"].iter().any(|end| before.ends_with(end));
    let next = clause.get(at + 1).map(String::as_str).unwrap_or_default();
    let is_last = next.is_empty()
        || ["文件", "，", "并", "来", "以", "用于", "其中", "记录", "说明"]
            .iter()
            .any(|start| next.starts_with(start));
    let is_thing = wish != Wish::Gone || next.is_empty() || next == "文件";
    (is_object && is_wish && is_last && is_thing).then_some((wish, file))
}

fn kind(wish: Wish, file: &str) -> CriterionKind {
    let path = file.trim_start_matches("./").to_owned();
    match wish {
        Wish::Made => CriterionKind::FileExists(path),
        Wish::Changed => CriterionKind::Document { path, says: Vec::new(), no_longer: Vec::new() },
        Wish::Gone => CriterionKind::FileGone(path),
    }
}

fn is_limited(words: &[String]) -> bool {
    words.iter().any(|word| {
        let lower = word.to_lowercase();
        LIMITS.iter().any(|limit| if limit.is_ascii() { lower == *limit } else { lower.contains(limit) })
    })
}

fn is_joint(word: &str) -> bool {
    [",", "，", "、", "and", "And", "then", "&", "和", "与", "及", "以及", "并"].contains(&word)
}

pub(super) fn is_file(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    let ending = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, ending)| ending);
    let by_ending = ending.is_some_and(|ending| ENDINGS.contains(&ending));
    let by_name = NAMES.contains(&name) || documents::is_well_known(name) && name.to_uppercase() == name;
    (by_ending && is_path(word) || by_name && !word.starts_with('/') && !word.contains(".."))
        && !PRODUCTS.contains(&word.to_lowercase().as_str())
}

/// The words of a sentence: cut at blanks, at commas, and where Chinese and other writing meet. What stands in
/// backticks is one word, and no file unless it is nothing else.
fn words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (index, piece) in text.split('`').enumerate() {
        if index % 2 == 1 {
            found.push(piece.split_whitespace().collect::<Vec<_>>().join("\u{a0}"));
            continue;
        }
        let mut word = String::new();
        let mut was_wide = false;
        for char in piece.chars() {
            let is_wide = ('\u{3000}'..='\u{9fff}').contains(&char) || char == '，';
            let is_mark = [',', '，', '、'].contains(&char);
            if char.is_whitespace() || is_mark || is_wide != was_wide {
                found.push(std::mem::take(&mut word));
            }
            was_wide = is_wide && !is_mark;
            if is_mark {
                found.push(char.to_string());
            } else if !char.is_whitespace() {
                word.push(char);
            }
        }
        found.push(word);
    }
    let trimmed = found.iter().map(|word| {
        let word =
            word.trim_matches(['"', '\'', '(', ')', '“', '”', '「', '」', '（', '）', '*', ':', '：', '。']);
        word.trim_end_matches(['.', '!', '?', ';'])
    });
    trimmed.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(kinds: &[CriterionKind]) -> String {
        let one = |kind: &CriterionKind| match kind {
            CriterionKind::FileExists(path) => format!("+{path}"),
            CriterionKind::FileGone(path) => format!("-{path}"),
            CriterionKind::Document { path, .. } => format!("~{path}"),
            other => format!("{other:?}"),
        };
        kinds.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    /// What a task says to do with a file, where it can mean nothing else.
    #[test]
    fn imperatives_about_files() {
        for (sentence, expected) in [
            ("Create CHANGELOG.md", "+CHANGELOG.md"),
            ("Create `CHANGELOG.md` with an entry", "+CHANGELOG.md"),
            ("Fix add and create CHANGELOG.md.", "+CHANGELOG.md"),
            ("Add a module util.py with a function twice", "+util.py"),
            ("Fix add and add a test for negative numbers in test_neg.py", "+test_neg.py"),
            ("Add an entry to CHANGELOG.md", "~CHANGELOG.md"),
            ("Remove the deprecated module old.py", "-old.py"),
            ("Write a NOTES.md describing the project", "~NOTES.md"),
            ("Please update README.md", "~README.md"),
            ("Remove old.txt", "-old.txt"),
            ("Fix it, then delete the file src/old.py.", "-src/old.py"),
            ("Create a.txt, b.txt and c.txt", "+a.txt +b.txt +c.txt"),
            ("Add a Makefile", "+Makefile"),
            ("创建 CHANGELOG.md", "+CHANGELOG.md"),
            ("修复 add，并创建一个文件`docs/a.md`", "+docs/a.md"),
            ("删除 old.txt 文件", "-old.txt"),
            ("更新README.md", "~README.md"),
            ("创建a.txt和b.txt", "+a.txt +b.txt"),
        ] {
            assert_eq!(shown(&asked(sentence)), expected, "{sentence}");
        }
    }

    /// What is only mentioned, limited, or what a program does, asks for nothing.
    #[test]
    fn mentions_of_files_ask_for_nothing() {
        for sentence in [
            "Fix the bug in calc.py",
            "Write tests for calc.py",
            "Do not delete old.txt",
            "Add package.json support",
            "Add Node.js",
            "Add math.sqrt",
            "Remove old.txt from the manifest",
            "Remove the import from a.py",
            "Add an option to write the report to report.txt",
            "Write the result to out.txt",
            "The script creates out.txt",
            "Create out.txt if it is missing",
            "Add a function like the one in util.py",
            "Add a link to README.md",
            "Run `rm old.txt` and see",
            "Add v1.2 support, and/or more",
            "不要删除 old.txt",
            "该脚本会创建 out.txt",
            "修复 calc.py 里的错误",
        ] {
            assert_eq!(shown(&asked(sentence)), "", "{sentence}");
        }
    }

    /// What a point of a list says about the file that it begins with.
    #[test]
    fn statements_about_files() {
        for (point, expected) in [
            ("f1.txt exists", "+f1.txt"),
            ("old.txt is deleted", "-old.txt"),
            ("the file `old.txt` no longer exists", "-old.txt"),
            ("a.txt and b.txt exist", "+a.txt +b.txt"),
            ("there is a NOTES.md", "+NOTES.md"),
            ("NOTES.md is there", "+NOTES.md"),
            ("存在 NOTES.md", "+NOTES.md"),
            ("`docs/api.md` 存在", "+docs/api.md"),
            ("old.txt 已删除", "-old.txt"),
            ("old.txt 不存在", "-old.txt"),
            ("the script creates out.txt when in.txt does not exist", ""),
            ("old.txt is deleted if empty", ""),
            ("calc.py handles zero", ""),
        ] {
            assert_eq!(shown(&stated(point)), expected, "{point}");
        }
    }
}
