//! What one part of a call would do, in the words that rules use.

use mi_model::RiskCategory;
use serde::Serialize;

use super::decide::Verdict;
use super::paths::Target;
use crate::command::SimpleCommand;

/// One part of a call: a program, a file access, something that leaves the machine.
#[derive(Debug, Clone)]
pub(super) struct Fact {
    pub(super) operation: Operation,
    pub(super) tool: String,
    /// For people: the command line, the path, the address.
    pub(super) target: String,
    pub(super) command: Option<SimpleCommand>,
    /// Other programs of the same pipeline, before it.
    pub(super) before: Vec<SimpleCommand>,
    /// Words that reach it from elsewhere in its script, as through `xargs`.
    pub(super) around: Vec<String>,
    /// It sends a secret away that the script reads.
    pub(super) leaks: bool,
    /// It runs what the project's settings name.
    pub(super) obeys_project: bool,
    pub(super) reads: Vec<Target>,
    /// Only names are looked at.
    pub(super) lists: Vec<Target>,
    pub(super) writes: Vec<Target>,
    /// Folders and products of a build: rules see them, but they are no edits.
    pub(super) outputs: Vec<Target>,
    pub(super) deletes: Vec<Target>,
    /// Texts that leave the machine.
    pub(super) sends: Vec<String>,
    /// The folder it runs in, if that is known.
    pub(super) folder: Option<String>,
    pub(super) risks: Vec<RiskCategory>,
    pub(super) fallback: Fallback,
}

/// The kind of thing a part does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    Run,
    Read,
    Write,
    Delete,
    Send,
    Mcp,
    Harness,
    Unknown,
}

impl Operation {
    /// What is to be expected, in one sentence (D.17).
    pub(super) fn effect(self) -> &'static str {
        match self {
            Self::Run => "starts this program",
            Self::Read => "reads this",
            Self::Write => "creates or changes this",
            Self::Delete => "removes this",
            Self::Send => "sends something to another machine",
            Self::Mcp => "calls a tool of another server",
            Self::Harness => "stays inside the agent",
            Self::Unknown => "is not known",
        }
    }
}

/// What holds when no rule matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fallback {
    Allow { rule: &'static str, reason: String },
    Prompt { rule: &'static str, reason: String },
}

/// What holds when no rule matches, by name: the person may make it stricter, and never milder than it came.
pub struct DefaultRule {
    pub id: &'static str,
    pub verdict: Verdict,
    pub reason: &'static str,
}

const fn default(id: &'static str, verdict: Verdict, reason: &'static str) -> DefaultRule {
    DefaultRule { id, verdict, reason }
}

/// Every name that a [`Fallback`] or a floor can have.
pub const DEFAULT_RULES: &[DefaultRule] = &[
    default("mi.many-files", Verdict::Prompt, "changes more than five files"),
    default(
        "mi.permits-damaged",
        Verdict::Prompt,
        "what the person permitted is damaged, and a rule may be lost",
    ),
    default("mi.not-understood", Verdict::Prompt, "cannot be understood as a whole"),
    default("mi.unknown-command", Verdict::Prompt, "starts a program of which more is not known"),
    default("mi.unknown-path", Verdict::Prompt, "is about a path that is not known beforehand"),
    default("mi.unknown-tool", Verdict::Prompt, "is a tool that is not known, or without its input"),
    default("mi.mcp-tool", Verdict::Prompt, "calls a tool of another server"),
    default("mi.harness-tool", Verdict::Allow, "stays inside the agent"),
    default("mi.project-work", Verdict::Allow, "builds, checks or looks at the project"),
    default("mi.own-memory", Verdict::Allow, "writes own memory or proposals"),
    default("mi.shared-read", Verdict::Allow, "reads shared files"),
    default("mi.read-only", Verdict::Allow, "only reads"),
];

impl Fallback {
    pub(super) fn allow(rule: &'static str, reason: impl Into<String>) -> Self {
        Self::Allow { rule, reason: reason.into() }
    }

    pub(super) fn prompt(rule: &'static str, reason: impl Into<String>) -> Self {
        Self::Prompt { rule, reason: reason.into() }
    }
}

impl Fact {
    pub(super) fn new(
        operation: Operation,
        tool: &str,
        target: impl Into<String>,
        fallback: Fallback,
    ) -> Self {
        Self {
            operation,
            tool: tool.to_owned(),
            target: target.into(),
            command: None,
            before: Vec::new(),
            around: Vec::new(),
            leaks: false,
            obeys_project: false,
            reads: Vec::new(),
            lists: Vec::new(),
            writes: Vec::new(),
            outputs: Vec::new(),
            deletes: Vec::new(),
            sends: Vec::new(),
            folder: None,
            risks: Vec::new(),
            fallback,
        }
    }
}
