//! What the brain did after a batch, in the words of the labels.

use mi_loop::message::{Command, MindPrompt};
use mi_model::{
    DecidedBy, RunStatus,
    record::{Entry, NextAction, QuestionPurpose},
};

use super::case::Label;

/// What happened next.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    pub next: String,
    /// What was sent to the agent or asked of the person.
    pub text: String,
    pub rule: String,
    pub reason: String,
    pub sources: Vec<String>,
    pub proof: Vec<String>,
    /// The prompts a model was asked on the way.
    pub asked_model: Vec<MindPrompt>,
    checks_sent: bool,
}

impl Outcome {
    /// Reads the commands that the brain gave between two events from outside.
    pub fn read(commands: &[Command]) -> Self {
        let mut outcome = Self::default();
        for command in commands {
            match command {
                Command::Record(entry) => outcome.record(entry),
                Command::AskMind(question) => outcome.asked_model.push(question.prompt),
                Command::RunBatch(_)
                | Command::AskPerson(_)
                | Command::ReadEvidence { .. }
                | Command::LookAtChange(_)
                | Command::SaveStrategy { .. }
                | Command::Learn { .. }
                | Command::Finish => {}
            }
        }
        outcome
    }

    fn record(&mut self, entry: &Entry) {
        match entry {
            Entry::Decision(decision) => {
                self.rule = match &decision.decided_by {
                    DecidedBy::Rules(rule) => rule.clone(),
                    DecidedBy::Model(model) => model.clone(),
                    DecidedBy::User => "user".to_owned(),
                };
                self.text = decision.next_input.clone();
                self.reason = decision.reason.clone();
                self.proof = decision.proof.iter().map(|proof| proof.level.as_str().to_owned()).collect();
                self.next = match (decision.next_action, decision.status) {
                    (NextAction::Stop, RunStatus::Done) => "done".to_owned(),
                    (NextAction::Stop, status) => status.as_str().to_owned(),
                    (NextAction::AskUser, _) => "ask_person".to_owned(),
                    (NextAction::SendToCodex, _) => self.sent(),
                };
            }
            Entry::Question(question) => match question.purpose {
                QuestionPurpose::TestlessStrategy => self.next = "ask_testless".to_owned(),
                QuestionPurpose::Risk => self.next = "risk_ask".to_owned(),
                QuestionPurpose::AnswerAgent
                | QuestionPurpose::LoopOverride
                | QuestionPurpose::NextMove
                | QuestionPurpose::Acceptance => {}
            },
            Entry::AutoAnswer(record) => self.sources = record.sources.clone(),
            Entry::CheckPlan(record) => self.checks_sent = record.checks.should_run_checks,
            _ => {}
        }
    }

    fn sent(&self) -> String {
        match self.rule.as_str() {
            "arbitration.checks" => "send_check",
            "decide.failed_check" => "send_back",
            "decide.weakened_check" => "restore_tests",
            "hands.retry" => "retry",
            rule if rule.starts_with("answer") => "answer",
            _ => "go_on",
        }
        .to_owned()
    }

    /// Whether this is what the label says.
    pub fn fits(&self, label: &Label) -> bool {
        let has = |text: &str, part: &str| text.to_lowercase().contains(&part.to_lowercase());
        // An answer or the person's words may carry the check along.
        let carries = |kinds: &[&str]| kinds.contains(&self.next.as_str());
        let next = match label.next.as_str() {
            "send_check" => carries(&["send_check", "answer", "go_on"]) && self.checks_sent,
            "go_on" => carries(&["go_on"]) && !self.checks_sent,
            wanted => self.next == wanted,
        };
        next && has(&self.text, &label.contains)
            && (label.cites.is_empty() || self.sources.iter().any(|source| has(source, &label.cites)))
            // What the prose asks for comes before the points of a list.
            && (label.proof.is_empty() || self.proof.ends_with(&label.proof))
    }

    /// Whether this does no harm where the label says something else: not done, and nothing answered wrongly.
    pub fn is_safe(&self, label: &Label) -> bool {
        self.next != "done" && (self.next != "answer" || label.next == "answer" && self.fits(label))
    }
}
