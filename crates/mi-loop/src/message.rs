//! What passes between the brain and the live loop: events in, commands out.

use mi_model::{
    RiskCategory, Usage,
    answers::SectionOrigin,
    record::{ChangeLook, Entry, EvidenceRead, NextAction, Question},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{report::BatchReport, setup::Limits};

/// Something happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The run begins.
    Start,
    BatchEnded(Box<BatchReport>),
    /// A model answered, or could not (`None`).
    MindAnswered {
        prompt: MindPrompt,
        model: String,
        answer: Option<Value>,
        usage: Usage,
    },
    PersonAnswered {
        answer: String,
    },
    /// What a protocol wanted to know of the project's files.
    EvidenceRead {
        read: Vec<EvidenceRead>,
    },
    /// The whole change was looked at, and taken back where checks could tell.
    ChangeSeen {
        look: Box<ChangeLook>,
    },
    /// The person takes these criteria as done; none named is all that are open.
    PersonAccepted {
        criteria: Vec<String>,
    },
    /// The run would have been done, but the check that `mi` ran itself did not pass.
    NotVerified {
        why: String,
    },
    /// Nobody is there to ask.
    PersonAbsent,
    /// A later process takes the run up again, with the limits it was given.
    Resumed {
        limits: Limits,
    },
    /// The person stopped the run.
    Stopped,
    /// The agent could not be started at all.
    HandsUnusable {
        message: String,
    },
}

/// What the live loop must do, in this order.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Make this durable before anything that follows.
    Record(Box<Entry>),
    RunBatch(BatchOrder),
    AskMind(MindQuestion),
    AskPerson(Question),
    /// Read these evidence sources (`FILE`, `FILE:PATH`) of the project.
    ReadEvidence {
        sources: Vec<String>,
    },
    /// Look at everything that changed since the run began, and see which of these checks notices it.
    LookAtChange(LookOrder),
    SaveStrategy {
        strategy: String,
    },
    Learn {
        text: String,
        rationale: String,
        category: Option<RiskCategory>,
    },
    /// The run is over; its `run_finished` record came before this.
    Finish,
}

impl Command {
    /// Whether this ends a run: a protocol's last step, the decision to stop, its record, and the end itself. Before a
    /// check has shown that a run is done, none of these is carried out.
    pub fn is_part_of_the_end(&self) -> bool {
        match self {
            Self::Record(entry) => match entry.as_ref() {
                Entry::Protocol(step) => step.protocol_event["type"] == "transition",
                Entry::Decision(decision) => decision.next_action == NextAction::Stop,
                Entry::RunFinished(_) => true,
                _ => false,
            },
            Self::Finish => true,
            _ => false,
        }
    }
}

/// What to find out about the whole change.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LookOrder {
    /// Command lines to run with the work taken back; none only reads the change.
    pub checks: Vec<String>,
    /// Of these, commands that the person chose and judges by what they print.
    pub printing: Vec<String>,
    /// Words of the task that are looked for in the project.
    pub words: Vec<String>,
    /// Modules whose imports are looked for.
    pub modules: Vec<String>,
}

/// One batch to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchOrder {
    pub index: u32,
    pub input: String,
    pub light_injection: String,
    /// The conversation to go on with; `None` starts a new one.
    pub thread_id: Option<String>,
    /// The agent is to look and change nothing.
    pub read_only: bool,
}

/// A question to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct MindQuestion {
    pub prompt: MindPrompt,
    /// What the model is given, most important first; the engine cuts the last ones to fit its budget.
    pub sections: Vec<Section>,
}

/// One text that a model is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    pub title: &'static str,
    pub origin: SectionOrigin,
    /// What is left of it at most, once its secrets are out.
    pub most_bytes: usize,
    pub text: String,
}

impl Section {
    /// Data of at most so many bytes.
    pub fn evidence(title: &'static str, most_bytes: usize, text: String) -> Self {
        Self { title, origin: SectionOrigin::Evidence, most_bytes, text }
    }
}

/// The prompts of the seed that the loop itself asks (`compile_mindspec` belongs to `mi init`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum MindPrompt {
    ExtractEvidence,
    RiskJudge,
    PlanMinChecks,
    AutoAnswerToCodex,
    DecideNext,
    JudgeCriteria,
}

impl MindPrompt {
    /// The seed's name of the prompt.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The prompt of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        [
            Self::ExtractEvidence,
            Self::RiskJudge,
            Self::PlanMinChecks,
            Self::AutoAnswerToCodex,
            Self::DecideNext,
            Self::JudgeCriteria,
        ]
        .into_iter()
        .find(|prompt| prompt.as_str() == name)
    }
}
