//! What a question would have the agent do: the things it names, what is done to each, and what that risks.

use mi_model::RiskCategory;

use crate::{
    questions::Question,
    words::{Act, Cue, Item, Term, read},
};

/// One thing the agent proposes or asks about.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Asked {
    /// Each thing named, with what is to be done to it.
    pub(crate) terms: Vec<(Term, Act)>,
    pub(crate) acts: Vec<Act>,
    /// "Should I avoid …": yes means no.
    pub(crate) negated: bool,
    /// A negation that does not hold for all of it, as in "push without running the tests": what a yes or a no to one part
    /// says of the whole is too easily misread.
    pub(crate) tangled: bool,
    /// It speaks of parts that are there already.
    pub(crate) own: bool,
    /// Numbers it names.
    pub(crate) values: Vec<String>,
}

impl Asked {
    /// Reads one proposal.
    pub(crate) fn of(text: &str) -> Self {
        Self::of_items(&read(text))
    }

    /// The proposals of a question; "run the tests and push" is two.
    pub(crate) fn all_of(text: &str) -> Vec<Self> {
        let items = read(text);
        let is_join = |item: &Item| matches!(item, Item::Cue { cue: Cue::Join | Cue::Then, .. });
        let is_act = |item: &Item| matches!(item, Item::Act { .. });
        let mut parts: Vec<Vec<Item>> = vec![Vec::new()];
        for (at, item) in items.iter().enumerate() {
            let splits = is_join(item)
                && parts.last().is_some_and(|part| part.iter().any(is_act))
                && items[at + 1..].iter().take(3).any(is_act);
            match parts.last_mut().filter(|_| !splits) {
                Some(part) => part.push(item.clone()),
                None => parts.push(Vec::new()),
            }
        }
        parts.iter().map(|part| Self::of_items(part)).collect()
    }

    /// The proposals of a question that may lean on the sentence before it ("… `left-pad`. Can I add it?").
    pub(crate) fn of_question(question: &Question) -> Vec<Self> {
        if question.context.is_empty() {
            return Self::all_of(&question.text);
        }
        let own = Self::of(&question.text);
        let mut before = Self::of(&question.full_text());
        match own.acts.last() {
            Some(act) => {
                before.terms.iter_mut().for_each(|(_, on)| *on = *act);
                vec![Self { acts: own.acts.clone(), negated: own.negated, ..before }]
            }
            // "I will not push. OK?": what a yes would mean is too easily misread.
            None if Self::of(&question.context).negated => Vec::new(),
            None => Self::all_of(&question.full_text()),
        }
    }

    /// Reads items that are already found.
    fn of_items(items: &[Item]) -> Self {
        let mut asked = Self {
            terms: Vec::new(),
            acts: Vec::new(),
            negated: false,
            tangled: is_tangled(items),
            own: false,
            values: Vec::new(),
        };
        let mut current = Act::Any;
        let mut moment = false;
        for item in items {
            match item {
                Item::Act { .. } | Item::Term(_) | Item::Cue { .. } if moment => {}
                Item::Act { act, .. } => {
                    current = *act;
                    asked.acts.push(*act);
                    // "Should dependencies be added", "a crate is needed; add one?"
                    for (_, open) in asked.terms.iter_mut().filter(|(_, open)| *open == Act::Any) {
                        *open = *act;
                    }
                }
                Item::Term(term) => asked.terms.push((term.clone(), current)),
                Item::Cue { cue, .. } => match cue {
                    Cue::Against | Cue::Not | Cue::Without => asked.negated = true,
                    Cue::Own => asked.own = true,
                    // "before committing" only says when.
                    Cue::Before => moment = true,
                    Cue::Moment => asked.terms.clear(),
                    _ => {}
                },
                Item::Semicolon => (asked.negated, moment) = (false, false),
                Item::Comma => moment = false,
                Item::Value(value) => asked.values.push(value.clone()),
            }
        }
        asked.name_install();
        asked
    }

    /// Adding a library installs it: "Never install anything" speaks of "Can I add `left-pad`?".
    fn name_install(&mut self) {
        let install = Term::Topic("install");
        let dependency = Term::Topic("dependency");
        if !self.own && self.act_on(&dependency) == Act::Add && !self.names(&install) {
            self.terms.push((install, Act::Add));
        }
    }

    /// The same act-less option read as one about what the other options name: "fix the test or delete it".
    pub(crate) fn borrowing(mut self, others: &[Self]) -> Self {
        let Some(act) = self.acts.first().copied().filter(|_| self.terms.is_empty()) else { return self };
        let named = others
            .iter()
            .flat_map(|other| &other.terms)
            .filter(|(term, _)| !matches!(term, Term::Member { .. }));
        self.terms = named.map(|(term, _)| (term.clone(), act)).collect();
        self
    }

    /// Whether it names the thing.
    pub(crate) fn names(&self, wanted: &Term) -> bool {
        self.terms.iter().any(|(term, _)| term.matches(wanted))
    }

    /// What is done to the thing.
    pub(crate) fn act_on(&self, wanted: &Term) -> Act {
        let mut acts = self.terms.iter().filter(|(term, _)| term.matches(wanted)).map(|(_, act)| *act);
        acts.clone().find(|act| *act != Act::Any).or_else(|| acts.next()).unwrap_or(Act::Any)
    }

    /// The verb that is not known, if there is one.
    pub(crate) fn unknown_verb(&self) -> Option<&Term> {
        self.terms.iter().find(|(_, act)| *act == Act::Unknown).map(|(term, _)| term)
    }

    /// What can go wrong outside the project if this is done.
    pub(crate) fn risks(&self) -> Vec<RiskCategory> {
        risks(&self.terms, &self.acts)
    }
}

/// Whether something is named before the negation, more than one thing is done after it, or it is turned around again.
fn is_tangled(items: &[Item]) -> bool {
    items.split(|item| *item == Item::Semicolon).any(|part| {
        let is_negation =
            |item: &Item| matches!(item, Item::Cue { cue: Cue::Against | Cue::Not | Cue::Without, .. });
        let is_act = |item: &&Item| matches!(item, Item::Act { .. });
        let Some(at) = part.iter().position(is_negation) else { return false };
        let (before, after) = (&part[..at], &part[at + 1..]);
        before.iter().any(|item| matches!(item, Item::Term(_)))
            || after.iter().any(is_negation)
            || after.iter().filter(is_act).count() > 1
    })
}

/// The risks of these acts on these things.
pub(crate) fn risks(terms: &[(Term, Act)], acts: &[Act]) -> Vec<RiskCategory> {
    let mut found = Vec::new();
    for (term, act) in terms {
        let topic = match term {
            Term::Topic(topic) => *topic,
            Term::Word(word) if SENDS.contains(&word.as_str()) => "privacy",
            Term::Word(_) | Term::Member { .. } => continue,
        };
        let risk = match topic {
            "push" | "force" | "release" | "deploy" => Some(RiskCategory::Push),
            "production" | "sudo" => Some(RiskCategory::Other),
            "install" => Some(RiskCategory::Install),
            "dependency" if matches!(act, Act::Add) => Some(RiskCategory::Install),
            "migration" if matches!(act, Act::Run | Act::Do) => Some(RiskCategory::Other),
            "schema" | "history" if matches!(act, Act::Change | Act::Remove) => Some(RiskCategory::Other),
            "network" => Some(RiskCategory::Network),
            "cost" => Some(RiskCategory::Cost),
            "secret" | "privacy" => Some(RiskCategory::Privacy),
            _ => None,
        };
        found.extend(risk.filter(|risk| !found.contains(risk)));
    }
    let harmless = terms.iter().any(|(term, _)| match term {
        Term::Topic(topic) => HARMLESS.contains(topic),
        Term::Word(word) => word == "support",
        Term::Member { category, .. } => *category != "database",
    });
    let is_topic = |wanted: &'static str| terms.iter().any(|(term, _)| *term == Term::Topic(wanted));
    let grave = GRAVE.iter().any(|topic| is_topic(topic)) || is_topic("log") && is_topic("file");
    if acts.contains(&Act::Remove) && (grave || !harmless) {
        found.push(RiskCategory::Delete);
    }
    found
}

/// By their stems: what leaves the machine for other people.
const SENDS: &[&str] = &["email", "mail", "send", "tweet", "发送", "发给", "邮件"];

/// Removing these is a loss, whatever else is named beside them.
const GRAVE: &[&str] = &["data", "backup", "history", "branch", "database", "production"];

/// Removing these changes only the code, which can be brought back.
const HARMLESS: &[&str] = &[
    "dead code",
    "comment",
    "todo",
    "log",
    "tests",
    "mock",
    "docs",
    "feature flag",
    "function",
    "types",
    "api",
    "dependency",
    "refactor",
    "errors",
    "panic",
    "cache",
    "retry",
];
