//! What a person has said that can answer for them, each statement with its exact words for citing.

use mi_model::{ExternalActions, ExternalStance, LearnedRule, RiskCategory};

use super::stance::{Position, positions};
use crate::words::{Item, Term, is_chinese, read, sentences, terms_of};

/// Where a statement comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    Values,
    /// A line of the compiled summary: used only where the values' own words are silent.
    Summary,
    Learned,
    Overlay,
    Earlier,
    /// A default of the mind's settings.
    Default,
    /// A knob of the mind's settings.
    Policy,
    /// The task itself, for leave to do what it says.
    Task,
}

impl Origin {
    /// The id of the rule that answers from here.
    pub fn rule(self) -> &'static str {
        match self {
            Self::Values => "answer.values",
            Self::Summary => "answer.values_summary",
            Self::Learned => "answer.learned",
            Self::Overlay => "answer.overlay",
            Self::Earlier => "answer.earlier",
            Self::Default => "answer.default",
            Self::Policy => "answer.policy",
            Self::Task => "answer.task",
        }
    }
}

/// One sentence that can be cited.
#[derive(Debug, Clone, PartialEq)]
pub struct Sentence {
    /// Exactly as it was said.
    pub text: String,
    pub origin: Origin,
    /// How it is cited: `values: “Use tabs.”`.
    pub citation: String,
    pub(crate) positions: Vec<Position>,
    pub(crate) terms: Vec<Term>,
    /// Numbers and the like that the sentence gives.
    pub(crate) values: Vec<String>,
}

impl Sentence {
    pub(crate) fn new(text: &str, origin: Origin, label: &str) -> Self {
        let items = read(text);
        let values = items.iter().filter_map(|item| match item {
            Item::Value(value) => Some(value.clone()),
            _ => None,
        });
        // "Tabs?" asks; it does not say.
        let asks = text.ends_with(['?', '？']);
        let unsure = |position: Position| Position { unsure: position.unsure || asks, ..position };
        Self {
            text: text.to_owned(),
            origin,
            citation: format!("{label}: “{text}”"),
            positions: positions(text).into_iter().map(unsure).collect(),
            terms: terms_of(&items),
            values: values.collect(),
        }
    }
}

/// A question the person was asked before, and what they said.
#[derive(Debug, Clone, PartialEq)]
pub struct Earlier {
    pub question: String,
    pub answer: String,
    pub(crate) said: Sentence,
    pub(crate) asked_terms: Vec<Term>,
}

/// Everything that may answer for the person.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sources {
    pub values: Vec<Sentence>,
    pub summary: Vec<Sentence>,
    pub learned: Vec<Sentence>,
    pub overlay: Vec<Sentence>,
    pub overlay_text: Option<String>,
    pub earlier: Vec<Earlier>,
}

impl Sources {
    /// Reads the person's texts into statements. Disabled rules do not speak.
    pub fn new(
        values_text: &str,
        values_summary: &[String],
        learned: &[LearnedRule],
        overlay_strategy: Option<&str>,
        earlier: &[(String, String)],
    ) -> Self {
        let cut = |text: &str, origin: Origin, label: &str| -> Vec<Sentence> {
            sentences(text).iter().map(|sentence| Sentence::new(sentence, origin, label)).collect()
        };
        let overlay_text = overlay_strategy.map(str::trim).filter(|text| !text.is_empty());
        Self {
            values: cut(values_text, Origin::Values, "values"),
            summary: values_summary
                .iter()
                .flat_map(|line| cut(line, Origin::Summary, "values summary"))
                .collect(),
            learned: learned
                .iter()
                .filter(|rule| rule.enabled)
                .flat_map(|rule| cut(&rule.text, Origin::Learned, &format!("learned {}", rule.id)))
                .collect(),
            overlay: overlay_text.map_or_else(Vec::new, |text| cut(text, Origin::Overlay, "overlay")),
            overlay_text: overlay_text.map(str::to_owned),
            earlier: earlier.iter().map(|(question, answer)| Earlier::new(question, answer)).collect(),
        }
    }

    /// The same, with what the person's knobs say about network and installing.
    #[must_use]
    pub fn with_policies(mut self, external: &ExternalActions) -> Self {
        let knobs = [RiskCategory::Network, RiskCategory::Install].into_iter();
        let said = knobs.filter_map(|category| {
            let (name, value) = external.knob_for(category)?;
            let mut sentence = Sentence::new(policy_sentence(external, category)?, Origin::Policy, name);
            sentence.citation = format!("{name} = {value}");
            Some(sentence)
        });
        self.values.extend(said);
        self
    }

    /// The statements of the person, without the summary made from them.
    pub(crate) fn statements(&self) -> impl Iterator<Item = &Sentence> {
        let earlier = self.earlier.iter().map(|earlier| &earlier.said);
        self.values.iter().chain(&self.learned).chain(&self.overlay).chain(earlier)
    }
}

/// What a knob says, in words that the agent is told and that questions are answered by; nothing when the values judge.
pub fn policy_sentence(external: &ExternalActions, category: RiskCategory) -> Option<&'static str> {
    let (allow, ask, deny) = match category {
        RiskCategory::Network => {
            ("You may use the network.", "Ask me before you use the network.", "Never use the network.")
        }
        RiskCategory::Install => {
            ("You may install packages.", "Ask me before you install packages.", "Never install packages.")
        }
        RiskCategory::Push
        | RiskCategory::Delete
        | RiskCategory::Privacy
        | RiskCategory::Cost
        | RiskCategory::Other => return None,
    };
    match external.stance_on(category) {
        ExternalStance::ValuesJudged => None,
        ExternalStance::Allow => Some(allow),
        ExternalStance::Ask => Some(ask),
        ExternalStance::Deny => Some(deny),
    }
}

impl Earlier {
    fn new(question: &str, answer: &str) -> Self {
        let answer = answer.trim();
        let mut said = Sentence::new(answer, Origin::Earlier, "earlier answer");
        // "yes" and "the second one" mean nothing without their question.
        if is_bare(answer) {
            said.positions.clear();
        }
        Self {
            question: question.trim().to_owned(),
            answer: answer.to_owned(),
            said,
            asked_terms: terms_of(&read(question)),
        }
    }
}

/// Whether an answer only points back at its question.
fn is_bare(answer: &str) -> bool {
    let lower = answer.trim_end_matches(['.', '!', '。', '！']).to_lowercase();
    let short =
        if is_chinese(&lower) { lower.chars().count() <= 4 } else { lower.split_whitespace().count() <= 3 };
    short
        && [
            "yes",
            "no",
            "ok",
            "sure",
            "go",
            "do it",
            "please",
            "the first",
            "the second",
            "first",
            "second",
            "option",
            "both",
            "neither",
            "a",
            "b",
            "1",
            "2",
            "好",
            "是",
            "不",
            "可以",
            "行",
            "要",
            "第一",
            "第二",
            "嗯",
            "对",
        ]
        .iter()
        .any(|start| {
            lower == *start
                || (is_chinese(start) && lower.starts_with(start))
                || lower.starts_with(&format!("{start} "))
                || lower.starts_with(&format!("{start},"))
        })
}
