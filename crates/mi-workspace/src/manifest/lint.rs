//! G6 and G7: no tool of one harness and no concrete model is named in files that are for all (NX-359 to NX-365).

use regex::Regex;
use std::sync::LazyLock;

use super::{Finding, Gate, Source};

/// Capabilities are there to talk about tools.
const EXEMPT: &str = "vocabulary/capabilities.yml";

/// Words are bounded as ASCII bounds them, as in the contract's own patterns.
macro_rules! pattern {
    ($name:ident, $text:expr) => {
        static $name: LazyLock<Regex> =
            LazyLock::new(|| Regex::new($text).expect("a pattern of the program"));
    };
}

pattern!(
    DISTINCTIVE,
    r"(?-u:\b)(NotebookEdit|BashOutput|KillShell|Glob|Grep|WebFetch|WebSearch|TodoWrite|SendMessage|TeamCreate|AskUserQuestion|mcp__plugin_[a-z0-9_]+|TaskCreate|TaskUpdate|TaskList|TaskGet|TaskStop|TaskOutput|subagent_type|prompt_user)(?-u:\b)"
);
pattern!(CALL, r"(?-u:\b)(Skill|Agent)\s*\(");
pattern!(SLASH, r"/(?:claude-nexus|opencode-nexus):");
pattern!(AMBIGUOUS, r"(?-u:\b)(Read|Write|Edit|Bash|Task|Monitor)(?-u:\b)");
pattern!(AMBIGUOUS_LOWER, r"(?-u:\b)(edit|write|patch|multiedit|bash)(?-u:\b)");
pattern!(MODEL, r"(?i)(?-u:\b)(opus|sonnet|haiku|gpt-[0-9][a-z0-9.-]*|claude-[0-9][a-z0-9.-]*)(?-u:\b)");
pattern!(HEREDOC, r">>([A-Z][A-Z0-9_]*)");
pattern!(MACRO, r"\{\{([a-z_][a-z0-9_]*)([^}]*)\}\}");
pattern!(MACRO_START, r"\{\{([a-z_][a-z0-9_]*)");

/// `invocations` are the known primitives; `None` when their file could not be read, and then none is unknown.
pub(super) fn lint(source: &Source, invocations: Option<&[&str]>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let files = source.texts().filter(|(path, _)| *path != EXEMPT && *path != "package.json");
    for (path, text) in files {
        if path.ends_with("/body.md") {
            let without_documents = mask_heredocs(text);
            unknown_macros(path, &without_documents, invocations, &mut findings);
            harness_words(path, &mask_macros(&without_documents), &mut findings);
        } else {
            harness_words(path, text, &mut findings);
            let what = "is the name of a tool in some harness; use another word";
            report(path, text, &AMBIGUOUS, Gate::HarnessLint, what, &mut findings);
            report(path, text, &AMBIGUOUS_LOWER, Gate::HarnessLint, what, &mut findings);
        }
        report(path, text, &MODEL, Gate::ModelLint, "is a concrete model; say model_tier", &mut findings);
    }
    findings
}

fn harness_words(path: &str, text: &str, findings: &mut Vec<Finding>) {
    let cases = [
        (&DISTINCTIVE, "is a tool of one harness; name what is meant, or use a primitive of invocations.yml"),
        (&CALL, "is a call in the syntax of one harness; use a primitive of invocations.yml"),
        (&SLASH, "is a command of one harness; name the tag"),
    ];
    for (pattern, what) in cases {
        report(path, text, pattern, Gate::HarnessLint, what, findings);
    }
}

fn report(path: &str, text: &str, pattern: &Regex, gate: Gate, what: &str, findings: &mut Vec<Finding>) {
    for found in pattern.find_iter(text) {
        let line = Some(line_of(text, found.start()));
        findings.push(Finding::error(gate, path, line, format!("`{}` {what}", found.as_str())));
    }
}

/// Wider than the contract's pattern, which misses macros whose values contain `}` (C-17).
fn unknown_macros(path: &str, text: &str, invocations: Option<&[&str]>, findings: &mut Vec<Finding>) {
    let Some(known) = invocations else { return };
    for found in MACRO_START.captures_iter(text) {
        let id = &found[1];
        if !known.contains(&id) {
            let line = found.get(0).map(|start| line_of(text, start.start()));
            let message = format!("the macro `{id}` is not a primitive of vocabulary/invocations.yml");
            findings.push(Finding::warning(Gate::HarnessLint, path, line, message));
        }
    }
}

fn line_of(text: &str, at: usize) -> u64 {
    text[..at].matches('\n').count() as u64 + 1
}

/// Blanks `>>NAME … <<NAME`; the name may match by its beginning, as a back-reference would.
fn mask_heredocs(text: &str) -> String {
    let (mut masked, mut from) = (String::new(), 0);
    while let Some(found) = HEREDOC.captures_at(text, from) {
        let (Some(opening), Some(name)) = (found.get(0), found.get(1)) else { break };
        let end = (1..=name.len()).rev().find_map(|length| {
            let closing = format!("<<{}", &name.as_str()[..length]);
            let behind = name.start() + length;
            text[behind..].find(&closing).map(|at| behind + at + closing.len())
        });
        match end {
            Some(end) => {
                masked.push_str(&text[from..opening.start()]);
                masked.push_str(&blank(&text[opening.start()..end]));
                from = end;
            }
            None => {
                masked.push_str(&text[from..opening.end()]);
                from = opening.end();
            }
        }
    }
    masked.push_str(&text[from..]);
    masked
}

fn mask_macros(text: &str) -> String {
    MACRO.replace_all(text, |found: &regex::Captures<'_>| blank(&found[0])).into_owned()
}

/// Spaces of the same length, line ends kept, so that places stay what they are.
fn blank(text: &str) -> String {
    text.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect()
}

#[cfg(test)]
mod tests {
    use super::{lint, mask_heredocs, mask_macros};
    use crate::manifest::Source;

    fn found(path: &str, text: &str) -> Vec<String> {
        lint(&Source::of([(path, text)]), Some(&["user_question"])).iter().map(ToString::to_string).collect()
    }

    /// Words that every file must not have, and words that only metadata must not have.
    #[test]
    fn nx_360_nx_361_nx_362_harness_words() {
        let (body, meta) = ("agents/a/body.md", "agents/a/meta.yml");
        for word in
            ["Grep", "TodoWrite", "mcp__plugin_x_y", "subagent_type", "Skill (", "Agent(", "/claude-nexus:"]
        {
            assert_eq!(found(body, word).len(), 1, "{word}");
            assert_eq!(found(meta, word).len(), 1, "{word}");
        }
        for word in ["Read", "Task", "Monitor", "edit", "bash", "multiedit"] {
            assert_eq!(found(body, word).len(), 0, "{word}");
            assert_eq!(found(meta, word).len(), 1, "{word}");
            assert_eq!(found("vocabulary/tags.yml", word).len(), 1, "{word}");
            assert_eq!(found("vocabulary/capabilities.yml", word).len(), 0, "{word}");
        }
        for innocent in ["Grepping", "no_file_edit", "Tasks", "glob", "Agents(", "rewrite", "/nexus:"] {
            assert_eq!(found(meta, innocent).len(), 0, "{innocent}");
        }
        assert_eq!(
            found(body, "one\ntwo Grep").join(""),
            "error: agents/a/body.md:2: [G6-harness-lint] `Grep` is a tool of one harness; name what is meant, or use a primitive of invocations.yml"
        );
        // Letters of other scripts bound a word, as in the contract's own engine.
        assert_eq!(found(body, "도구Grep을").len(), 1);
    }

    /// Concrete models are found in every letter case, in bodies too, and inside of macros.
    #[test]
    fn nx_365_models() {
        for model in ["opus", "Sonnet", "HAIKU", "gpt-5.5", "GPT-4o-mini", "claude-3-5"] {
            assert_eq!(found("skills/s/body.md", &format!("use {model} here")).len(), 1, "{model}");
        }
        for innocent in ["claude-nexus", "gpt-x", "opuses", "claude"] {
            assert_eq!(found("skills/s/body.md", innocent).len(), 0, "{innocent}");
        }
        assert_eq!(found("skills/s/body.md", "{{user_question question=opus options=[]}}").len(), 1);
    }

    /// Here-documents and macros are blanked before words are looked for, and lines keep their numbers.
    #[test]
    fn nx_363_nx_364_masking_and_unknown_macros() {
        let text =
            "{{user_question prompt=>>DOC}}\nGrep {{other}}\n<<DOC\n{{user_question question=\"Glob\"}} Grep";
        let said = found("skills/s/body.md", text);
        assert_eq!(said.len(), 1);
        assert!(said[0].contains("body.md:4: "), "{said:?}");
        let unknown = found("skills/s/body.md", "a\n{{explode options=[{a: b}]}}");
        assert_eq!(
            unknown,
            [
                "warning: skills/s/body.md:2: [G6-harness-lint] the macro `explode` is not a primitive of vocabulary/invocations.yml"
            ]
        );
        assert_eq!(mask_heredocs("a >>AB x\n<<A b"), "a       \n    b");
        assert_eq!(mask_heredocs("a >>AB x <<C"), "a >>AB x <<C");
        assert_eq!(mask_macros("é {{a b}} {{A}}"), "é         {{A}}");
    }
}
