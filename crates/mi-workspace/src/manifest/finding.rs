//! What validation found: one record for each thing, and how it is said (NX-370).

use serde::Serialize;
use std::fmt;

/// The gates of the contract. G5' and G6' have numbers of their neighbours in their ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Gate {
    #[serde(rename = "G1-schema")]
    Schema,
    #[serde(rename = "G2-capability-integrity")]
    Capability,
    #[serde(rename = "G3-category-integrity")]
    Category,
    #[serde(rename = "G4-resume-tier-integrity")]
    ResumeTier,
    #[serde(rename = "G5-tag-integrity")]
    Tag,
    /// G5'.
    #[serde(rename = "G5-capability-integrity")]
    CapabilityEntry,
    /// G6'.
    #[serde(rename = "G6-invocation-integrity")]
    InvocationEntry,
    #[serde(rename = "G6-harness-lint")]
    HarnessLint,
    #[serde(rename = "G7-model-lint")]
    ModelLint,
    #[serde(rename = "G8-prompt-only")]
    PromptOnly,
    #[serde(rename = "G9-directory-strict")]
    DirectoryStrict,
    #[serde(rename = "G10-id-match")]
    IdMatch,
    #[serde(rename = "G11-tag-trigger")]
    TagTrigger,
}

impl Gate {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Schema => "G1-schema",
            Self::Capability => "G2-capability-integrity",
            Self::Category => "G3-category-integrity",
            Self::ResumeTier => "G4-resume-tier-integrity",
            Self::Tag => "G5-tag-integrity",
            Self::CapabilityEntry => "G5-capability-integrity",
            Self::InvocationEntry => "G6-invocation-integrity",
            Self::HarnessLint => "G6-harness-lint",
            Self::ModelLint => "G7-model-lint",
            Self::PromptOnly => "G8-prompt-only",
            Self::DirectoryStrict => "G9-directory-strict",
            Self::IdMatch => "G10-id-match",
            Self::TagTrigger => "G11-tag-trigger",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Error,
    Warning,
}

/// One thing that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Relative to the folder, with `/`.
    pub file: String,
    pub gate: Gate,
    pub severity: Severity,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    pub message: String,
}

impl Finding {
    pub(super) fn error(gate: Gate, file: &str, line: Option<u64>, message: impl Into<String>) -> Self {
        Self { file: file.to_owned(), gate, severity: Severity::Error, line, message: message.into() }
    }

    pub(super) fn warning(gate: Gate, file: &str, line: Option<u64>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(gate, file, line, message) }
    }

    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// As a workflow command of GitHub Actions.
    pub fn for_github(&self) -> String {
        let line = self.line.map(|line| format!(",line={line}")).unwrap_or_default();
        let file = escape(&self.file).replace(':', "%3A").replace(',', "%2C");
        format!("::{} file={file}{line}::[{}] {}", self.severity, self.gate.as_str(), escape(&self.message))
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
        })
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.line.map(|line| format!(":{line}")).unwrap_or_default();
        write!(f, "{}: {}{line}: [{}] {}", self.severity, self.file, self.gate.as_str(), self.message)
    }
}

/// A workflow command is one line, and `%` begins an escape.
fn escape(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

#[cfg(test)]
mod tests {
    use super::{Finding, Gate};
    use serde_json::json;

    /// The three ways in which a finding is told.
    #[test]
    fn nx_370_a_finding_is_told_in_three_ways() {
        let finding = Finding::error(Gate::IdMatch, "agents/a/meta.yml", Some(3), "100% wrong\nindeed");
        assert_eq!(finding.to_string(), "error: agents/a/meta.yml:3: [G10-id-match] 100% wrong\nindeed");
        assert_eq!(
            finding.for_github(),
            "::error file=agents/a/meta.yml,line=3::[G10-id-match] 100%25 wrong%0Aindeed"
        );
        assert_eq!(
            serde_json::to_value(&finding).unwrap(),
            json!({"file": "agents/a/meta.yml", "gate": "G10-id-match", "severity": "error", "line": 3, "message": "100% wrong\nindeed"})
        );
        let bare = Finding::warning(Gate::HarnessLint, "a", None, "x");
        assert_eq!(bare.for_github(), "::warning file=a::[G6-harness-lint] x");
        assert!(serde_json::to_value(&bare).unwrap().get("line").is_none());
    }
}
