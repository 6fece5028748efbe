//! What must not stand in shared files (D.10): absolute paths of one machine, names and numbers of people, secrets.
//!
//! Names that nobody told are only guessed, behind words such as `Author:`, so that is a warning.

use regex::Regex;
use serde::Serialize;
use std::sync::OnceLock;

/// One thing that is wrong, with its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub rule: &'static str,
    pub severity: Severity,
    /// From the persona.
    pub path: String,
    pub line: usize,
    pub message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Warning,
    Error,
}

/// What is looked for besides the fixed rules.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// Names of people that must not appear.
    pub names: Vec<String>,
    /// The person's folders and the variables that stand for them, longest first.
    pub folders: Vec<(String, &'static str)>,
}

/// Names of accounts that say nothing about a person.
const NOBODY: [&str; 12] =
    ["root", "user", "admin", "ubuntu", "runner", "test", "self", "human", "owner", "vscode", "node", "app"];

impl Known {
    /// Takes a name if it identifies somebody: three letters or two Chinese characters at least.
    pub fn add_name(&mut self, name: &str) {
        let name = name.trim();
        let long = if name.is_ascii() { name.len() >= 3 } else { name.chars().count() >= 2 };
        let nobody = NOBODY.iter().any(|word| word.eq_ignore_ascii_case(name));
        if long && !nobody && !self.names.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            self.names.push(name.to_owned());
        }
    }
}

/// Everything that is wrong with one shared text.
pub fn lint_text(path: &str, text: &str, known: &Known) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let mut report = |rule, severity, message| {
            findings.push(Finding { rule, severity, path: path.to_owned(), line: at + 1, message });
        };
        for found in absolute_paths(line, known) {
            report("absolute-path", Severity::Error, found);
        }
        for name in known.names.iter().filter(|name| stands_in(line, name)) {
            let message = format!("names a person ({name}): use a role, such as `owner`");
            report("identifying-name", Severity::Error, message);
        }
        if names_somebody(line) {
            let message = "may name a person: use a role, such as `owner`".to_owned();
            report("identifying-name", Severity::Warning, message);
        }
        if mail().is_match(line) {
            let message = "holds a mail address: take it out".to_owned();
            report("identifying-address", Severity::Error, message);
        }
    }
    findings.extend(secrets(path, text));
    findings.extend(numbers(path, text));
    findings.sort_by_key(|finding| finding.line);
    findings
}

fn secrets(path: &str, text: &str) -> Vec<Finding> {
    let finding = |found: &mi_secrets::Finding| {
        let secret = found.level.is_redacted();
        let person = found.rule.name() == "cn-mobile";
        let (rule, severity, message) = match (secret, person) {
            (true, _) => (
                "secret",
                Severity::Error,
                format!("holds a secret ({}): take it out and replace the credential", found.rule),
            ),
            (false, true) => {
                ("identifying-number", Severity::Error, "holds a phone number: take it out".to_owned())
            }
            (false, false) => return None,
        };
        let line = text[..found.start].matches('\n').count() + 1;
        Some(Finding { rule, severity, path: path.to_owned(), line, message })
    };
    mi_secrets::find(text).iter().filter_map(finding).collect()
}

/// Telephone, card and account numbers and the like; addresses are found line by line.
fn numbers(path: &str, text: &str) -> Vec<Finding> {
    let places = mi_secrets::people::find(text).into_iter().filter(|place| place.kind != "email");
    let finding = |place: mi_secrets::people::Personal| Finding {
        rule: "identifying-number",
        severity: Severity::Error,
        path: path.to_owned(),
        line: text[..place.range.start].matches('\n').count() + 1,
        message: format!("holds a number of a person ({}): take it out", place.kind),
    };
    places.map(finding).collect()
}

fn absolute_paths(line: &str, known: &Known) -> Vec<String> {
    let advice = |found: &str| {
        let own = known.folders.iter().find(|(folder, _)| {
            found.strip_prefix(folder.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        });
        let variable = own.map_or("$PERSONA or $PROJECTS", |(_, variable)| variable);
        format!("has a path of one machine ({}): use {variable}", shown(found))
    };
    paths()
        .find_iter(line)
        .map(|found| {
            advice(found.as_str().trim_start_matches(|letter: char| {
                !matches!(letter, '/' | '~' | '\\') && !letter.is_ascii_alphabetic()
            }))
        })
        .collect()
}

/// Enough of a path to find it; what follows may be anybody's.
fn shown(path: &str) -> String {
    mi_model::shorten(path, 60)
}

/// Home folders, shares and other absolute paths with two parts at least. URLs and `$VARIABLE/…` are none.
fn paths() -> &'static Regex {
    static PATHS: OnceLock<Regex> = OnceLock::new();
    PATHS.get_or_init(|| {
        Regex::new(
            r#"(?:^|[^A-Za-z0-9_.$}~/*@%-]|\bfile://)(?:/(?:home|Users|root|var|opt|srv|mnt|media|data|private|Volumes|work|workspace|tmp)(?:/[^\s"'`)<>\],，）]+)|~(?:[a-z_][a-z0-9_-]*)?/[^\s"'`)<>\],，）]+|\\\\[A-Za-z0-9][A-Za-z0-9._-]+\\[A-Za-z0-9][^\s"'`)<>]*|[A-Za-z]:[\\/][^\s"'`)<>/]+)"#,
        )
        .expect("the pattern is fixed and was tried")
    })
}

/// `Author: John Smith`, `负责人：王小明`: two words with capitals, or a common surname and one or two more characters.
fn names_somebody(line: &str) -> bool {
    static NAMED: OnceLock<Regex> = OnceLock::new();
    let named = NAMED.get_or_init(|| {
        Regex::new(
            r"(?:\b(?i:authors?|owner|maintainer|contact|assignee|reviewer|reported by)\s*:\s*(?P<latin>[A-Z][a-z]+ [A-Z][a-z]+)\b|(?:作者|负责人|联系人|姓名|经办人|审核人)\s*[:：]\s*[王李张刘陈杨黄赵吴周徐孙马朱胡郭何林罗高郑梁谢宋唐许韩冯邓曹彭曾肖田董潘袁蔡蒋余于杜叶程魏苏吕丁任卢姚沈钟姜崔谭陆范汪廖石金韦贾夏付方邹熊白孟秦邱侯江尹薛闫段雷龙黎史陶贺毛郝顾龚邵万覃武钱戴严莫孔向常汤]\p{Han}{1,2}(?:\P{Han}|$))",
        )
        .expect("the pattern is fixed and was tried")
    });
    const GROUPS: [&str; 7] = ["Team", "Group", "Department", "Office", "Role", "Lead", "Owner"];
    let is_group = |words: &str| GROUPS.iter().any(|group| words.ends_with(group));
    named.captures_iter(line).any(|found| !found.name("latin").is_some_and(|words| is_group(words.as_str())))
}

fn mail() -> &'static Regex {
    static MAIL: OnceLock<Regex> = OnceLock::new();
    MAIL.get_or_init(|| {
        Regex::new(r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}\b")
            .expect("the pattern is fixed and was tried")
    })
}

/// Whether a name stands in a line as a word of its own, in any case.
fn stands_in(line: &str, name: &str) -> bool {
    let (line, name) = (line.to_lowercase(), name.to_lowercase());
    let edge = |letter: Option<char>| {
        !name.is_ascii() || letter.is_none_or(|letter| !letter.is_alphanumeric() || !letter.is_ascii())
    };
    line.match_indices(&name).any(|(at, found)| {
        edge(line[..at].chars().next_back()) && edge(line[at + found.len()..].chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rules(text: &str) -> Vec<&'static str> {
        let mut known = Known::default();
        known.add_name("Ann Miller");
        known.add_name("amiller");
        known.add_name("王小明");
        known.add_name("root");
        known.folders = vec![("/srv/persona".to_owned(), "$PERSONA")];
        lint_text("core/boot.md", text, &known).iter().map(|finding| finding.rule).collect()
    }

    /// Paths of one machine are found, variables and web addresses are not.
    #[test]
    fn d_10_absolute_paths_are_found() {
        for bad in [
            "see /home/x/notes.md",
            "(/Users/x/y)",
            "`~/work/a`",
            r"C:\Users\x",
            "path=/srv/persona/a",
            "在：/home/王/a",
            "文件在/home/x/a",
            "file:///home/x/a",
            "E:/projects/x",
            "~alice/x",
            r"on \\server\share\x",
        ] {
            assert_eq!(rules(bad), ["absolute-path"], "{bad}");
        }
        for good in [
            "$PERSONA/core/boot.md",
            "https://example.com/home/x",
            "and/or",
            "/save",
            "a ~ b",
            "1/2",
            "run /help now",
            "${PERSONA}/data/x",
            "src/**/data/x",
            "@/data/x",
            "http://localhost:80/data/x",
            "about ~5/10 of them",
            r"match \\d\\w",
        ] {
            assert!(rules(good).is_empty(), "{good}");
        }
        let known = Known { folders: vec![("/srv/persona".to_owned(), "$PERSONA")], ..Known::default() };
        let found = lint_text("a.md", "x\n/srv/persona/a", &known);
        assert!(found[0].message.ends_with("use $PERSONA") && found[0].line == 2, "{found:?}");
    }

    /// Names, addresses and numbers of people are found as whole words.
    #[test]
    fn d_10_identifying_info_is_found() {
        assert_eq!(rules("ask ann miller"), ["identifying-name"]);
        assert_eq!(rules("by AMILLER."), ["identifying-name"]);
        assert_eq!(rules("问王小明吧"), ["identifying-name"]);
        assert_eq!(rules("mail a.b@example.com"), ["identifying-address"]);
        assert_eq!(rules("call 13812345678"), ["identifying-number"]);
        assert_eq!(rules("phone +1 415 555 2671"), ["identifying-number"]);
        assert_eq!(rules("Author: John Smith"), ["identifying-name"]);
        assert_eq!(rules("负责人:李小龙"), ["identifying-name"]);
        for good in [
            "amillers",
            "the root cause",
            "annmiller",
            "@example",
            "Owner: Platform Team",
            "author: the owner",
            "负责人:待定",
            "作者:高级工程师",
        ] {
            assert!(rules(good).is_empty(), "{good}");
        }
    }

    proptest! {
        /// Any text can be looked at, and every line that is named exists.
        #[test]
        fn any_text_can_be_linted(text in any::<String>(), name in "\\PC{0,6}") {
            let mut known = Known::default();
            known.add_name(&name);
            let lines = text.lines().count() + 1;
            prop_assert!(lint_text("a.md", &text, &known).iter().all(|finding| (1..=lines).contains(&finding.line)));
        }
    }

    /// Secrets are found with their line and never shown.
    #[test]
    fn d_10_secrets_are_found_and_not_shown() {
        let token = format!("ghp_{}", "a".repeat(36));
        let found = lint_text("cards/a.md", &format!("one\ntoken {token}\n"), &Known::default());
        assert_eq!((found[0].rule, found[0].line), ("secret", 2));
        assert!(!found[0].message.contains(&token));
    }
}
