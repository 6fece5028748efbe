//! What may become a memory: only what neither the code nor the web gives back (NX-331).
//!
//! Each rule is plain and says its reason. Holds: a secret is never admitted; what else a rule refuses can be forced by
//! whoever knows better, since rules about meaning can be wrong.

use serde::Serialize;
use std::path::Path;

use super::{copies, name::MemoryName};

/// Why a text is no memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Objection {
    pub rule: &'static str,
    pub reason: String,
    /// Whether `force` overrides it.
    pub can_be_forced: bool,
}

/// Longer than this is a document.
const LONGEST: usize = 64 * 1024;

/// Everything that speaks against a text. `project` is the folder whose files it may be a copy of.
pub fn objections(name: &MemoryName, text: &str, project: &Path) -> Vec<Objection> {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if lines.is_empty() {
        return vec![hard("empty", "there is no text".to_owned())];
    }
    let soft = [
        too_long(text),
        design(name, &lines),
        rules(&lines),
        listing(text),
        tree(&lines, project),
        links(&lines),
        copies::find(&lines, project).map(|file| {
            soft("copy", format!("it stands in `{file}` already; say what that file does not tell"))
        }),
    ];
    secrets(text).into_iter().chain(soft.into_iter().flatten()).collect()
}

fn hard(rule: &'static str, reason: String) -> Objection {
    Objection { rule, reason, can_be_forced: false }
}

fn soft(rule: &'static str, reason: String) -> Objection {
    Objection { rule, reason, can_be_forced: true }
}

fn secrets(text: &str) -> Vec<Objection> {
    let found = mi_secrets::find(text).into_iter().filter(|finding| finding.level.is_redacted());
    let told = found.map(|finding| {
        let line = text.get(..finding.start).unwrap_or_default().lines().count().max(1);
        hard(
            "secret",
            format!(
                "line {line} holds what looks like a secret ({}); memory is committed to git",
                finding.rule
            ),
        )
    });
    told.collect()
}

fn too_long(text: &str) -> Option<Objection> {
    let reason = || format!("it has {} KB; keep the lesson and leave the material", text.len() / 1024);
    (text.len() > LONGEST).then(|| soft("long", reason()))
}

/// Words of names and titles that announce a design document or a primer (NX-330).
const DESIGN: [&str; 18] = [
    "architecture",
    "design principles",
    "design philosophy",
    "design overview",
    "onboarding",
    "primer",
    "getting started",
    "introduction to",
    "project overview",
    "架构",
    "设计原则",
    "入门",
    "아키텍처",
    "설계 원칙",
    "개요",
    "アーキテクチャ",
    "設計方針",
    "入門",
];

fn design(name: &MemoryName, lines: &[&str]) -> Option<Objection> {
    let heading = lines.iter().find(|line| line.starts_with('#')).copied().unwrap_or_default();
    let title = format!("{} {}", name.topic(), heading).to_lowercase();
    let word = DESIGN.iter().find(|word| title.contains(**word))?;
    Some(soft(
        "design",
        format!("`{word}` says that it is about the design: that belongs in .nexus/context/"),
    ))
}

/// How a rule begins or what it says, in lower case (NX-330).
const ORDERS: [&str; 8] =
    ["always ", "never ", "must ", "do not ", "don't ", "you must ", "you should ", "agents must "];
const ORDERS_ANYWHERE: [&str; 10] = [
    "必须",
    "禁止",
    "不得",
    "不要",
    "一律",
    "반드시",
    "금지",
    "하지 마",
    "しなければならない",
    "してはならない",
];

/// How a text calls itself a rule; one line of it is enough.
const LABELS: [&str; 9] =
    ["rule:", "rules:", "规则:", "规则：", "規則:", "規則：", "규칙:", "ルール:", "ルール："];

fn rules(lines: &[&str]) -> Option<Objection> {
    let sentences: Vec<String> = lines
        .iter()
        .filter(|line| !line.starts_with(['#', '<', '`']))
        .map(|line| {
            line.trim_start_matches([
                '-', '*', '+', ' ', '.', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9',
            ])
            .to_lowercase()
        })
        .collect();
    let is_labelled = |line: &&String| LABELS.iter().any(|label| line.starts_with(label));
    let is_order = |line: &&String| {
        is_labelled(line)
            || ORDERS.iter().any(|order| line.starts_with(order))
            || ORDERS_ANYWHERE.iter().any(|order| line.contains(order))
    };
    let orders = sentences.iter().filter(is_order).count();
    let is_told = sentences.len() >= 2 || sentences.iter().any(|line| is_labelled(&line));
    let is_mostly = is_told && orders * 3 >= sentences.len() * 2;
    is_mostly.then(|| {
        soft(
            "rules",
            format!("{orders} of {} lines are rules: those belong in .nexus/rules/", sentences.len()),
        )
    })
}

/// Code that stands in a fence.
fn listing(text: &str) -> Option<Objection> {
    let (mut inside, mut code, mut all) = (false, 0, 0);
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if line.starts_with("```") || line.starts_with("~~~") {
            inside = !inside;
            continue;
        }
        all += 1;
        code += usize::from(inside);
    }
    let is_mostly = code >= 8 && code * 10 >= all * 7;
    is_mostly.then(|| {
        soft(
            "listing",
            format!("{code} of {all} lines are a code listing; the code itself can be read again"),
        )
    })
}

fn tree(lines: &[&str], project: &Path) -> Option<Objection> {
    let is_entry = |line: &&&str| {
        let name = line.trim_start_matches(['│', '├', '└', '─', '|', '`', '+', '-', '*', ' ', '\u{a0}']);
        line.starts_with(['│', '├', '└'])
            || line.starts_with("|-- ")
            || line.starts_with("`-- ")
            || is_file(name, project)
    };
    let entries = lines.iter().filter(is_entry).count();
    let is_mostly = entries >= 5 && entries * 10 >= lines.len() * 6;
    is_mostly.then(|| {
        soft(
            "tree",
            format!("{entries} of {} lines list files; the folder itself can be listed again", lines.len()),
        )
    })
}

fn is_file(name: &str, project: &Path) -> bool {
    let name = name.trim_matches('`');
    let looks_like_one =
        name.len() < 200 && (name.contains('/') || name.contains('.')) && !name.contains(' ');
    looks_like_one && !name.contains("..") && project.join(name.trim_start_matches('/')).exists()
}

fn links(lines: &[&str]) -> Option<Objection> {
    let is_link = |line: &&&str| {
        let line = line.trim_start_matches(['-', '*', '+', '<', ' ']);
        (line.starts_with("http://") || line.starts_with("https://")) && line.split_whitespace().count() <= 2
    };
    let count = lines.iter().filter(is_link).count();
    let is_mostly = count * 10 >= lines.len() * 7;
    is_mostly.then(|| {
        soft(
            "links",
            "it is a list of links; say what was learned there that the page does not say".to_owned(),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::objections;
    use crate::memory::name::MemoryName;
    use proptest::prelude::*;
    use std::fs;

    fn rules_against(name: &str, text: &str) -> Vec<&'static str> {
        let project = tempfile::tempdir().unwrap();
        fs::create_dir_all(project.path().join("src")).unwrap();
        let code = "fn main() {\n    let settings = read_settings();\n    let server = start_server(&settings);\n    server.wait_for_clients();\n    report(&server);\n}\n";
        for file in ["src/main.rs", "src/lib.rs", "Cargo.toml", "README.md", "src/a.rs"] {
            fs::write(project.path().join(file), code).unwrap();
        }
        let name = MemoryName::new(name, &[]).unwrap();
        objections(&name, text, project.path()).into_iter().map(|objection| objection.rule).collect()
    }

    /// Lessons are admitted, in any language, also with some code in them.
    #[test]
    fn nx_331_lessons_are_admitted() {
        for text in [
            "fsync in this container takes 40 ms, ten times what the docs say.",
            "Found: the vendor counts requests per key, not per address. Never noticed before.",
            "在容器里 fsync 比预期慢十倍。",
            "토큰은 한 시간 뒤에 만료됩니다.",
            "The flag only works before the subcommand:\n```sh\ntool --fast run\n```\nAfter it, it is silently ignored.",
            "See https://example.com/docs: the page forgets to say that the limit is per key.",
            "x",
        ] {
            assert_eq!(rules_against("empirical-some-finding.md", text), Vec::<&str>::new(), "{text}");
        }
    }

    /// What code, web, context/ or rules/ hold is refused with its reason.
    #[test]
    fn nx_330_nx_331_what_can_be_had_again_is_refused() {
        let listing = format!("```rust\n{}```\n", "let x = 1;\n".repeat(10));
        let tree = "src/main.rs\nsrc/lib.rs\nCargo.toml\nREADME.md\nsrc/a.rs\n";
        let drawn = "├── a\n│   ├── b\n│   └── c\n├── d\n└── e\n";
        let copy = "fn main() {\n    let settings = read_settings();\n    let server = start_server(&settings);\n    server.wait_for_clients();\n    report(&server);\n}";
        let long = "a lesson ".repeat(10_000);
        for (name, text, rule) in [
            ("some-finding.md", " \n\t", "empty"),
            ("some-finding.md", &listing, "listing"),
            ("some-finding.md", tree, "tree"),
            ("some-finding.md", drawn, "tree"),
            ("some-finding.md", copy, "copy"),
            ("some-finding.md", &long, "long"),
            ("some-finding.md", "https://a.example/x\nhttps://b.example/y", "links"),
            ("project-architecture-notes.md", "Brains are pure.", "design"),
            ("some-finding.md", "# 架构说明\n大脑是纯的。", "design"),
            (
                "some-finding.md",
                "- Always run the tests.\n- Never push to main.\n- Do not skip review.",
                "rules",
            ),
            ("some-finding.md", "Rule: never push to main.", "rules"),
            ("some-finding.md", "提交前必须运行测试。\n禁止直接推送主干。", "rules"),
        ] {
            assert_eq!(rules_against(name, text), [rule], "{text:.60}");
        }
    }

    /// A secret is named by its rule and line, never shown, and never to be forced.
    #[test]
    fn nx_331_secrets_are_never_admitted() {
        let token = format!("ghp_{}", "a1B2".repeat(9));
        let name = MemoryName::new("deploy-token-place.md", &[]).unwrap();
        let project = tempfile::tempdir().unwrap();
        let found = objections(&name, &format!("The deploy token\nis {token} for now."), project.path());
        assert!(!found.is_empty() && found.iter().all(|objection| !objection.can_be_forced), "{found:?}");
        assert!(found[0].reason.contains("line 2") && !found[0].reason.contains(&token), "{found:?}");
    }

    proptest! {
        /// No text panics.
        #[test]
        fn any_text_is_judged(text in "(\\PC|\n|```|- |/|\\.){0,80}") {
            let name = MemoryName::new("some-finding.md", &[]).unwrap();
            objections(&name, &text, std::path::Path::new("/nonexistent"));
        }
    }
}
