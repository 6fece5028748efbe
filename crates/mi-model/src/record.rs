//! Every kind of record of `evidence.jsonl`, with the seed's field names, and the frame all of them carry.
//!
//! Holds: a line of the log is [`Frame`] and one [`Entry`], flattened into a single JSON object whose `kind`
//! says which. Old lines must always load: fields are only ever added, with a default.
//! Elsewhere: `seq`, `prev` and `hlc` are given by `mi-journal` when it appends.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

use crate::{
    BatchId, DecidedBy, Proof, ProveReport, RiskCategory, RunId, RunStatus, Severity, Timestamp, Usage,
};

/// What every record carries besides its own fields.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Frame {
    pub ts: Timestamp,
    pub run_id: Option<RunId>,
    /// Grows by one with every record of the log.
    pub seq: u64,
    /// SHA-256 of the previous line without its newline; null for the first.
    pub prev: Option<String>,
    pub beat_index: i64,
    pub window_id: String,
    pub hlc: String,
    #[serde(rename = "goal.ids", default, skip_serializing_if = "Vec::is_empty")]
    pub goal_ids: Vec<String>,
}

/// One line of the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Record {
    #[serde(flatten)]
    pub frame: Frame,
    #[serde(flatten)]
    pub entry: Entry,
}

/// What a record says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Entry {
    RunStarted(RunStarted),
    CodexInput(CodexInput),
    #[serde(rename = "EvidenceItem", alias = "evidence", alias = "evidence_item")]
    EvidenceItem(Box<EvidenceItem>),
    RiskEvent(RiskEvent),
    CheckPlan(CheckPlanRecord),
    AutoAnswer(AutoAnswerRecord),
    Decision(Decision),
    LoopGuard(LoopGuard),
    Question(Question),
    UserInput(UserInput),
    MindCall(MindCall),
    Overlay(OverlayChange),
    Learned(LearnedChange),
    Interrupt(InterruptSent),
    Protocol(ProtocolStep),
    ProtocolEvidence(ProtocolEvidence),
    CounterCheck(Box<CounterCheckRecord>),
    NotVerified(NotVerified),
    Accepted(Accepted),
    Note(Note),
    RunFinished(RunFinished),
}

impl Entry {
    /// The value of the record's `kind`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::RunStarted(_) => "run_started",
            Self::CodexInput(_) => "codex_input",
            Self::EvidenceItem(_) => "EvidenceItem",
            Self::RiskEvent(_) => "risk_event",
            Self::CheckPlan(_) => "check_plan",
            Self::AutoAnswer(_) => "auto_answer",
            Self::Decision(_) => "decision",
            Self::LoopGuard(_) => "loop_guard",
            Self::Question(_) => "question",
            Self::UserInput(_) => "user_input",
            Self::MindCall(_) => "mind_call",
            Self::Overlay(_) => "overlay",
            Self::Learned(_) => "learned",
            Self::Interrupt(_) => "interrupt",
            Self::Protocol(_) => "protocol",
            Self::ProtocolEvidence(_) => "protocol_evidence",
            Self::CounterCheck(_) => "counter_check",
            Self::NotVerified(_) => "not_verified",
            Self::Accepted(_) => "accepted",
            Self::Note(_) => "note",
            Self::RunFinished(_) => "run_finished",
        }
    }

    /// All kinds, in the order of a run.
    pub const KINDS: [&str; 21] = [
        "run_started",
        "codex_input",
        "EvidenceItem",
        "risk_event",
        "check_plan",
        "auto_answer",
        "decision",
        "loop_guard",
        "question",
        "user_input",
        "mind_call",
        "overlay",
        "learned",
        "interrupt",
        "protocol",
        "protocol_evidence",
        "counter_check",
        "not_verified",
        "accepted",
        "note",
        "run_finished",
    ];
}

/// A run begins, or goes on after a crash or an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunStarted {
    pub task: String,
    pub criteria: Vec<String>,
    pub project_root: String,
    pub hands: String,
    pub mind: String,
    /// True when this process continues a run that an earlier one began.
    pub resumed: bool,
    pub process_id: u32,
    pub values_sha256: String,
    /// What the brain was started with, so that the run can be decided again.
    #[serde(default)]
    pub setup: Value,
}

/// Exactly what was sent to the Hands for a batch; on disk before the agent starts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CodexInput {
    pub batch_id: BatchId,
    pub thread_id: String,
    pub transcript_path: String,
    pub input: String,
    pub light_injection: String,
    pub prompt_sha256: String,
}

/// What a batch did, extracted from its transcript and from the repository.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct EvidenceItem {
    pub batch_id: String,
    pub thread_id: String,
    pub codex_transcript_ref: String,
    pub codex_transcript_sha256: String,
    pub codex_transcript_bytes: u64,
    pub mi_input: String,
    pub transcript_observation: TranscriptObservation,
    pub repo_observation: RepoObservation,
    pub facts: Vec<String>,
    pub actions: Vec<Action>,
    pub results: Vec<String>,
    pub unknowns: Vec<String>,
    pub risk_signals: Vec<String>,
    /// Who read more out of the batch than the rules did. Such an item comes second: it repeats the rules' sentences and
    /// adds its own, and what was used is counted with the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_by: Option<DecidedBy>,
    pub usage: Usage,
    pub duration_ms: u64,
    /// The full facts the decision was made from; `mi replay` reads them.
    pub report: Value,
}

/// Counts and lists read off the raw stream.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TranscriptObservation {
    pub event_type_counts: BTreeMap<String, u64>,
    pub item_type_counts: BTreeMap<String, u64>,
    pub file_paths: Vec<String>,
    pub non_command_actions: Vec<String>,
    pub errors: Vec<String>,
}

/// What the project looks like after a batch.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RepoObservation {
    pub project_root: String,
    pub stack_hints: Vec<String>,
    pub has_tests: bool,
    pub test_hints: Vec<String>,
    pub git_is_repo: bool,
    pub git_root: String,
    pub git_head: String,
    pub git_status_porcelain: String,
    pub git_diff_stat: String,
    pub git_diff_cached_stat: String,
    /// Digest of the project's inputs at the end of the batch.
    pub tree_digest: String,
}

/// One thing the agent did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Action {
    pub kind: ActionKind,
    pub detail: String,
}

/// The seed's three kinds of action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ActionKind {
    Command,
    Edit,
    Other,
}

/// A post-hoc judgement of what the agent did outside the project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RiskEvent {
    pub batch_id: BatchId,
    pub thread_id: String,
    pub risk: Risk,
    pub risk_signals: Vec<String>,
    pub decided_by: DecidedBy,
}

/// The answer of `risk_judge`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Risk {
    pub category: RiskCategory,
    pub severity: Severity,
    pub should_ask_user: bool,
    pub mitigation: Vec<String>,
    /// A tighter rule worth learning, if any.
    pub learned_tightening: Option<String>,
}

/// Which checks should run next.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CheckPlanRecord {
    pub batch_id: BatchId,
    pub thread_id: String,
    pub checks: CheckPlan,
    pub decided_by: DecidedBy,
}

/// The answer of `plan_min_checks`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct CheckPlan {
    pub should_run_checks: bool,
    pub needs_testless_strategy: bool,
    pub testless_strategy_question: String,
    pub check_goals: Vec<String>,
    pub commands_hints: Vec<String>,
    pub codex_check_input: String,
    pub notes: String,
}

/// What `mi` would answer to the agent's questions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AutoAnswerRecord {
    pub batch_id: BatchId,
    pub thread_id: String,
    pub auto_answer: AutoAnswer,
    /// Where each answer comes from: a values sentence, a learned rule, the overlay, an earlier answer.
    pub sources: Vec<String>,
    pub decided_by: DecidedBy,
}

/// The answer of `auto_answer_to_codex`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct AutoAnswer {
    pub should_answer: bool,
    pub confidence: f64,
    pub codex_answer_input: String,
    pub needs_user_input: bool,
    pub ask_user_question: String,
    pub unanswered_questions: Vec<String>,
    pub notes: String,
}

/// What happens next in the run, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    pub batch_id: BatchId,
    pub thread_id: String,
    pub next_action: NextAction,
    /// What the mind holds the task for at this point; a run goes on while it is `not_done`.
    pub status: RunStatus,
    pub reason: String,
    /// What is sent to the agent, or asked of the person; empty when the run stops.
    pub next_input: String,
    pub proof: Vec<Proof>,
    pub decided_by: DecidedBy,
    /// The `seq` of the records this decision stands on.
    pub stands_on: Vec<u64>,
    /// The sentences of the values, learned rules and answers it cites.
    pub cites: Vec<String>,
}

/// The moves the loop can make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NextAction {
    SendToCodex,
    AskUser,
    Stop,
}

/// A repetition was found before an input was sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoopGuard {
    pub batch_id: BatchId,
    pub thread_id: String,
    pub pattern: LoopPattern,
    pub codex_last_message: String,
    pub next_input: String,
    pub reason: String,
}

/// The shapes of repetition the guard knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LoopPattern {
    Aaa,
    Abab,
    /// Asked and answered again and again while the tree stands still.
    AnsweredWithoutChange,
}

/// What the person is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QuestionPurpose {
    /// The agent's own question, passed on.
    AnswerAgent,
    /// How a project without tests is to be checked.
    TestlessStrategy,
    /// What to do about a loop.
    LoopOverride,
    /// Whether a risky effect is acceptable.
    Risk,
    /// What the mind needs to go on.
    NextMove,
    /// Whether what cannot be shown is done.
    Acceptance,
}

/// A question that waits for the person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Question {
    pub batch_id: BatchId,
    pub thread_id: String,
    pub question: String,
    pub purpose: QuestionPurpose,
    /// Why the values, rules and records did not answer it.
    pub why: String,
}

/// The person's answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UserInput {
    pub batch_id: BatchId,
    pub thread_id: String,
    pub question: String,
    pub answer: String,
}

/// One question to a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MindCall {
    pub batch_id: BatchId,
    pub thread_id: String,
    pub prompt: String,
    pub prompt_version: String,
    pub provider: String,
    pub model: String,
    pub prompt_sha256: String,
    pub prompt_bytes: u64,
    pub transcript_path: String,
    pub attempts: u32,
    pub ok: bool,
    pub error: Option<String>,
    pub usage: Usage,
    pub cost_usd: Option<f64>,
    pub latency_ms: u64,
    /// The answer as it was accepted; null when there was none.
    pub answer: Value,
}

/// The project's overlay changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OverlayChange {
    pub batch_id: BatchId,
    pub strategy: String,
    pub rationale: String,
}

/// A rule was learned or taken back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LearnedChange {
    pub batch_id: BatchId,
    pub learned_id: String,
    pub text: String,
    pub rationale: String,
}

/// What a look at the whole change showed: its hunks, and which of them a check notices.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CounterCheckRecord {
    pub batch_id: BatchId,
    pub thread_id: String,
    pub look: ChangeLook,
}

/// A look at the whole change of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ChangeLook {
    /// Digest of the tree that was looked at.
    pub tree: String,
    pub report: ProveReport,
    /// For words that the task names: the files that have them outside of comments.
    pub found: BTreeMap<String, Vec<String>>,
    /// For modules that were to go: the files that still import them.
    pub imported: BTreeMap<String, Vec<String>>,
    /// Files that were not changed and have the name of one that was, such as the `package.json` of another package.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub namesakes: Vec<String>,
    /// Why no look was possible; the report is empty then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub obstacle: Option<String>,
}

/// The run would have been done, but a check that `mi` ran itself did not pass.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotVerified {
    pub batch_id: BatchId,
    pub why: String,
}

/// The person takes criteria as done; none named is all that were open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Accepted {
    pub batch_id: BatchId,
    pub criteria: Vec<String>,
}

/// The agent was interrupted while a command ran.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InterruptSent {
    pub batch_id: BatchId,
    pub thread_id: String,
    pub command: String,
    pub category: RiskCategory,
    pub severity: Severity,
    pub signals: Vec<String>,
    pub reason: String,
}

/// An event of the protocol that a run follows, and the engine's verdict on it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProtocolStep {
    pub batch_id: BatchId,
    /// The protocol's name.
    pub protocol: String,
    /// The event's number in the run, from 1.
    pub at: u64,
    /// The event, as `mi protocol simulate` takes it.
    pub protocol_event: Value,
    /// The verdict, as `mi protocol simulate --json` prints it.
    pub verdict: Value,
}

/// What was read before a phase was left: the files it declares, and what its edges' guards stand on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProtocolEvidence {
    pub batch_id: BatchId,
    pub read: Vec<EvidenceRead>,
}

/// One file or value that was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EvidenceRead {
    /// `FILE`, or `FILE:PATH.INTO.JSON`.
    pub source: String,
    /// Digest of the file; empty when it could not be read.
    pub sha256: String,
    /// The value at the path; null without a path.
    #[serde(default)]
    pub value: Value,
    /// Why there is no value.
    #[serde(default)]
    pub error: Option<String>,
}

/// Something `mi` did to its own files, or a fact about the run that fits no other kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Note {
    pub message: String,
    #[serde(default)]
    pub path: String,
}

/// A run ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunFinished {
    pub status: RunStatus,
    pub exit: u8,
    pub reason: String,
    pub batches: u32,
    pub proof: Vec<Proof>,
    pub mind_calls: u32,
    pub tokens: u64,
    /// What was still open.
    pub left: Vec<String>,
    /// A question waits for the person.
    #[serde(default)]
    pub waits_for_answer: bool,
    /// Files that the run changed.
    #[serde(default)]
    pub files_changed: Vec<String>,
    /// The age of the run when it ended.
    #[serde(default)]
    pub elapsed_ms: u64,
}
