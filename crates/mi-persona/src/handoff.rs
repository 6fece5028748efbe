//! Handing a task to another member (D.8): what must be said, and who may do what next.

use serde::{Deserialize, Serialize};

use crate::front::{self, FrontError, quoted, quoted_list};

/// Where a handoff stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
pub enum State {
    Offered,
    Accepted,
    Rejected,
    Completed,
}

impl State {
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// One task on its way from one member to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handoff {
    pub id: String,
    pub from: String,
    pub to: String,
    pub status: State,
    pub created: String,
    pub task: String,
    pub context: String,
    pub acceptance_criteria: Vec<String>,
    #[serde(default)]
    pub constraints: Vec<String>,
    #[serde(default)]
    pub not_in_scope: Vec<String>,
    #[serde(default)]
    pub deliverables: Vec<String>,
    #[serde(default)]
    pub reason: Option<String>,
}

/// Why a handoff does not go on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error(
        "acceptance criteria are missing: without them a task is not handed over (D.8); give --criterion, or ask the person what counts as done"
    )]
    NoCriteria,
    #[error(
        "`{0}` is no acceptance criterion: say what can be checked, such as `the login test passes` (D.8); ask the person if it is unclear"
    )]
    UnclearCriterion(String),
    #[error(
        "`{0}` does not say what is to be done: an unclear task goes back to the person (D.8); say what changes and what stays"
    )]
    UnclearTask(String),
    #[error("the {0} is missing: a handoff says what is to be done and in which context (D.8)")]
    Missing(&'static str),
    #[error("a task is handed to another member; {0} has it already")]
    ToOneself(String),
    #[error("{id} is for {to}; {by} cannot do this")]
    NotYours { id: String, to: String, by: String },
    #[error("{id} is {}; only one that is {} can be {}", state.as_str(), wanted.as_str(), next.as_str())]
    WrongState { id: String, state: State, wanted: State, next: State },
    #[error("deliverables are missing: completion records what was delivered (D.8); give --deliverable")]
    NoDeliverables,
    #[error("a rejection says why, so that the sender can do better; give --reason")]
    NoReason,
}

impl Refusal {
    /// Whether it is about who asks, not about what was said.
    pub fn is_denial(&self) -> bool {
        matches!(self, Self::NotYours { .. })
    }
}

/// What the receiver does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    Accept,
    Reject { reason: String },
    Complete { deliverables: Vec<String> },
}

/// Words that stand where a criterion should.
const PLACEHOLDERS: [&str; 18] = [
    "tbd", "todo", "none", "n/a", "na", "?", "??", "...", "…", "done", "works", "it works", "ok", "完成",
    "待定", "无", "没有", "同上",
];

impl Handoff {
    /// Whether it may be sent, and whether a receiver may take it.
    pub fn check(&self) -> Result<(), Refusal> {
        for (name, text) in [("task", &self.task), ("context", &self.context)] {
            if text.trim().is_empty() {
                return Err(Refusal::Missing(name));
            }
        }
        if is_placeholder(&self.task) || mi_gate::intake::is_vague(&self.task) {
            return Err(Refusal::UnclearTask(self.task.clone()));
        }
        if self.from.trim().to_lowercase() == self.to.trim().to_lowercase() {
            return Err(Refusal::ToOneself(self.to.clone()));
        }
        if self.acceptance_criteria.iter().all(|text| text.trim().is_empty()) {
            return Err(Refusal::NoCriteria);
        }
        match self.acceptance_criteria.iter().find(|text| is_unclear(text)) {
            Some(text) => Err(Refusal::UnclearCriterion(text.clone())),
            None => Ok(()),
        }
    }

    /// The handoff after the receiver's answer.
    pub fn answer(&self, by: &str, answer: &Answer) -> Result<Self, Refusal> {
        if self.to.trim().to_lowercase() != by.trim().to_lowercase() {
            return Err(Refusal::NotYours { id: self.id.clone(), to: self.to.clone(), by: by.to_owned() });
        }
        let (wanted, next) = match answer {
            Answer::Accept => (State::Offered, State::Accepted),
            Answer::Reject { .. } => (State::Offered, State::Rejected),
            Answer::Complete { .. } => (State::Accepted, State::Completed),
        };
        if self.status != wanted {
            return Err(Refusal::WrongState { id: self.id.clone(), state: self.status, wanted, next });
        }
        let mut after = Self { status: next, ..self.clone() };
        match answer {
            Answer::Accept => self.check()?,
            Answer::Reject { reason } if reason.trim().is_empty() => return Err(Refusal::NoReason),
            Answer::Reject { reason } => after.reason = Some(reason.clone()),
            Answer::Complete { deliverables } if deliverables.iter().all(|text| text.trim().is_empty()) => {
                return Err(Refusal::NoDeliverables);
            }
            Answer::Complete { deliverables } => after.deliverables = deliverables.clone(),
        }
        Ok(after)
    }

    pub fn parse(text: &str) -> Result<Self, FrontError> {
        front::read(text)
    }

    /// The file of a new handoff.
    pub fn render(&self) -> String {
        let mut text = format!(
            "---\nid: {}\nfrom: {}\nto: {}\nstatus: {}\ncreated: {}\ntask: {}\ncontext: {}\nacceptance_criteria: {}\nconstraints: {}\nnot_in_scope: {}\n---\n\n# {}\n\n{}\n\n## Acceptance criteria\n\n",
            quoted(&self.id),
            quoted(&self.from),
            quoted(&self.to),
            self.status.as_str(),
            quoted(&self.created),
            quoted(&self.task),
            quoted(&self.context),
            quoted_list(&self.acceptance_criteria),
            quoted_list(&self.constraints),
            quoted_list(&self.not_in_scope),
            one_line(&self.task),
            self.context.trim(),
        );
        let lists = [
            ("", &self.acceptance_criteria),
            ("Constraints", &self.constraints),
            ("Not in scope", &self.not_in_scope),
        ];
        for (name, items) in lists.into_iter().filter(|(_, items)| !items.is_empty()) {
            if !name.is_empty() {
                text.push_str(&format!("\n## {name}\n\n"));
            }
            items.iter().for_each(|item| text.push_str(&format!("- {}\n", one_line(item))));
        }
        text
    }

    /// The file after an answer: only the fields that the answer changed.
    pub fn update(&self, file: &str) -> Result<String, FrontError> {
        let mut text = front::set_field(file, "status", self.status.as_str())?;
        if !self.deliverables.is_empty() {
            text = front::set_field(&text, "deliverables", &quoted_list(&self.deliverables))?;
        }
        if let Some(reason) = &self.reason {
            text = front::set_field(&text, "reason", &quoted(reason))?;
        }
        Ok(text)
    }
}

fn is_unclear(criterion: &str) -> bool {
    criterion.trim().chars().count() < 3 || is_placeholder(criterion)
}

fn is_placeholder(text: &str) -> bool {
    let text = text.trim().trim_end_matches(['.', '。', '!', '！']).to_lowercase();
    text.is_empty() || PLACEHOLDERS.contains(&text.as_str())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handoff() -> Handoff {
        Handoff {
            id: "HO-2026-01-02-1".to_owned(),
            from: "ann".to_owned(),
            to: "bob".to_owned(),
            status: State::Offered,
            created: "2026-01-02".to_owned(),
            task: "Fix: login".to_owned(),
            context: "It \"fails\"\nsince Monday.".to_owned(),
            acceptance_criteria: vec!["the login test passes".to_owned()],
            constraints: vec!["no new dependency".to_owned()],
            not_in_scope: Vec::new(),
            deliverables: Vec::new(),
            reason: None,
        }
    }

    /// No criteria, no transfer; placeholders are no criteria.
    #[test]
    fn d_08_no_acceptance_criteria_no_transfer() {
        let with = |criteria: &[&str]| {
            let acceptance_criteria = criteria.iter().map(|text| (*text).to_owned()).collect();
            Handoff { acceptance_criteria, ..handoff() }.check()
        };
        assert_eq!(with(&[]), Err(Refusal::NoCriteria));
        assert_eq!(with(&["", " "]), Err(Refusal::NoCriteria));
        for vague in ["TBD", "It works.", "?", "待定", "ok"] {
            assert!(
                matches!(with(&["the test passes", vague]), Err(Refusal::UnclearCriterion(_))),
                "{vague}"
            );
        }
        assert_eq!(with(&["the test passes"]), Ok(()));
        for vague in ["TODO", "make it better", "Fix stuff", "随便弄"] {
            let refusal = Handoff { task: vague.to_owned(), ..handoff() }.check();
            assert_eq!(refusal, Err(Refusal::UnclearTask(vague.to_owned())));
        }
        assert_eq!(
            Handoff { context: " ".to_owned(), ..handoff() }.check(),
            Err(Refusal::Missing("context"))
        );
        assert!(matches!(Handoff { to: "Ann".to_owned(), ..handoff() }.check(), Err(Refusal::ToOneself(_))));
    }

    /// Only the receiver answers, in order, and completion records what was delivered.
    #[test]
    fn d_08_the_receiver_accepts_rejects_and_completes() {
        let done = Answer::Complete { deliverables: vec!["commit abc".to_owned()] };
        assert!(matches!(handoff().answer("ann", &Answer::Accept), Err(Refusal::NotYours { .. })));
        assert!(matches!(handoff().answer("bob", &done), Err(Refusal::WrongState { .. })));
        let accepted = handoff().answer("Bob", &Answer::Accept).unwrap();
        assert_eq!(
            accepted.answer("bob", &Answer::Complete { deliverables: vec![] }),
            Err(Refusal::NoDeliverables)
        );
        assert_eq!(accepted.answer("bob", &done).unwrap().deliverables, ["commit abc"]);
        let reject = |reason: &str| handoff().answer("bob", &Answer::Reject { reason: reason.to_owned() });
        assert_eq!(reject(""), Err(Refusal::NoReason));
        assert_eq!(reject("the spec is thin").unwrap().status, State::Rejected);
        let thin = Handoff { acceptance_criteria: vec![], ..handoff() };
        assert_eq!(thin.answer("bob", &Answer::Accept), Err(Refusal::NoCriteria));
    }

    /// A handoff survives its file, and an answer changes only its own fields.
    #[test]
    fn d_08_a_handoff_survives_its_file() {
        let file = handoff().render() + "\nMy notes.\n";
        assert_eq!(Handoff::parse(&file).unwrap(), handoff());
        let accepted = handoff().answer("bob", &Answer::Accept).unwrap();
        let file = accepted.update(&file).unwrap();
        assert_eq!(Handoff::parse(&file).unwrap(), accepted);
        assert!(file.ends_with("\nMy notes.\n"));
    }
}
