//! What the agent did that reaches outside the project, judged by what the person said about it.
//!
//! [`signals`] reads a batch, [`judge`] weighs it, [`interrupt_verdict`] looks at a command that just started.
//! Holds: only a statement that names the risk lowers it; nothing is learned from a low risk; a model's judgement
//! ([`combine`]) never lowers what the rules call grave and never takes back a question.
//! Elsewhere: what a shell command would do is `mi_gate::command`; asking the person is the loop.

mod paths;

use mi_model::{
    ExternalActions, ExternalStance, InterruptMode, MindSpec, RiskCategory, Severity, record::Risk, shorten,
};
use serde::{Deserialize, Serialize};

use crate::{
    answers::{Origin, Sentence, Sources, Stance, risks},
    facts::BatchFacts,
    words::Act,
};

/// One thing that reaches outside the project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RiskSignal {
    pub category: RiskCategory,
    pub severity: Severity,
    /// The command, path, query or tool call.
    pub detail: String,
    pub why: String,
    /// Whether it leaves the machine.
    pub external: bool,
}

impl RiskSignal {
    /// The signal in words a person can check.
    pub fn sentence(&self) -> String {
        format!("{} {}: {} ({})", self.severity.as_str(), self.category.as_str(), self.detail, self.why)
    }
}

/// What the rules make of the signals of one batch.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    pub risk: Risk,
    /// The id of the rule that decided.
    pub rule: String,
    /// The rules cannot tell: a model may be asked.
    pub undecided: bool,
    /// The statements that name the risk.
    pub sources: Vec<String>,
}

/// Everything in the batch that reaches outside the project.
pub fn signals(facts: &BatchFacts) -> Vec<RiskSignal> {
    let commands = facts.commands.iter().flat_map(|command| findings(&command.command));
    let searches = facts.web_searches.iter().map(|query| RiskSignal {
        category: RiskCategory::Network,
        severity: Severity::Low,
        detail: format!("web search: {query}"),
        why: "the words searched for leave the machine".to_owned(),
        external: true,
    });
    let tools = facts.tool_calls.iter().filter_map(|(name, arguments)| tool_signal(name, arguments));
    let files = facts.files.iter().filter_map(|file| paths::signal(&file.path, file.kind));
    let mut found: Vec<RiskSignal> = Vec::new();
    for signal in commands.chain(searches).chain(tools).chain(files) {
        if !found.contains(&signal) {
            found.push(signal);
        }
    }
    found
}

/// Weighs the signals: the gravest that the person did not allow decides.
pub fn judge(signals: &[RiskSignal], sources: &Sources, mindspec: &MindSpec) -> Judged {
    let weighed = signals.iter().map(|signal| (signal, said_about(signal, sources)));
    // Of equals the first: the order of the batch.
    let gravest = weighed
        .rev()
        .max_by_key(|(signal, told)| (presses(signal, told), !is_allowed(told), signal.severity));
    let Some((gravest, told)) = gravest else { return nothing() };
    let allowed = is_allowed(&told);
    let refused = told.iter().find(|(word, _)| *word != Word::Allowed);
    let grave = gravest.severity >= Severity::High;
    let is_by_policy = told.iter().any(|(_, sentence)| sentence.origin == Origin::Policy);
    // A knob that says "ask" or "deny" is a wish to be asked, whatever else is switched off.
    let may_ask = mindspec.violation_response.prompt_user_on_high_risk || is_by_policy;
    let asks = may_ask && presses(gravest, &told);
    let learns =
        mindspec.violation_response.auto_learn && told.is_empty() && gravest.severity > Severity::Low;
    let rule = match (refused.map(|(word, _)| *word), allowed) {
        (Some(Word::Refused), _) if is_by_policy => "risk.refused_by_policy",
        (Some(Word::Refused), _) => "risk.refused_by_values",
        (Some(Word::Asks | Word::Allowed), _) => "risk.ask_first",
        (None, true) if is_by_policy => "risk.allowed_by_policy",
        (None, true) => "risk.allowed_by_values",
        (None, false) if grave => "risk.grave",
        (None, false) => "risk.recorded",
    };
    Judged {
        risk: Risk {
            category: gravest.category,
            severity: if allowed { Severity::Low } else { gravest.severity },
            should_ask_user: asks,
            mitigation: if allowed { Vec::new() } else { mitigation(signals, gravest) },
            learned_tightening: learns.then(|| tightening(gravest)),
        },
        rule: rule.to_owned(),
        undecided: false,
        sources: told.iter().map(|(_, sentence)| sentence.citation.clone()).collect(),
    }
}

/// A model's judgement beside the rules': it may see more risk, never less of what the rules call grave, and it never
/// takes back a question of theirs. What a knob allows is not asked about either way.
pub fn combine(ruled: &Risk, model: Risk, mindspec: &MindSpec) -> Risk {
    let is_grave = ruled.severity >= Severity::High || ruled.should_ask_user;
    let lowers = is_grave && model.severity < ruled.severity;
    let category = if lowers { ruled.category } else { model.category };
    let is_allowed = |category| mindspec.external_actions.stance_on(category) == ExternalStance::Allow;
    let may_ask = mindspec.violation_response.prompt_user_on_high_risk && !is_allowed(model.category);
    let mut mitigation = model.mitigation;
    if is_grave {
        mitigation.extend(ruled.mitigation.iter().cloned());
        mitigation.dedup();
    }
    let from_rules = ruled.learned_tightening.clone().filter(|_| is_grave);
    let from_model = model.learned_tightening.filter(|_| !is_allowed(model.category));
    Risk {
        category,
        severity: if lowers { ruled.severity } else { model.severity },
        should_ask_user: ruled.should_ask_user || (model.should_ask_user && may_ask),
        mitigation,
        learned_tightening: from_model.or(from_rules),
    }
}

fn nothing() -> Judged {
    Judged {
        risk: Risk {
            category: RiskCategory::Other,
            severity: Severity::Low,
            should_ask_user: false,
            mitigation: Vec::new(),
            learned_tightening: None,
        },
        rule: "risk.none".to_owned(),
        undecided: false,
        sources: Vec::new(),
    }
}

/// Whether the person has to hear of it: it is grave, or they spoke against it, and they did not allow it.
fn presses(signal: &RiskSignal, told: &[(Word, &Sentence)]) -> bool {
    let spoken_against = told.iter().any(|(word, _)| *word != Word::Allowed);
    spoken_against || (signal.severity >= Severity::High && !is_allowed(told))
}

fn is_allowed(told: &[(Word, &Sentence)]) -> bool {
    !told.is_empty() && told.iter().all(|(word, _)| *word == Word::Allowed)
}

/// Whether a command that just started is to be stopped, and why. What a knob allows is not; what one denies counts as
/// grave.
pub fn interrupt_verdict(
    command: &str,
    mode: InterruptMode,
    external: &ExternalActions,
) -> Option<(RiskCategory, Severity, String)> {
    let stops = |signal: &RiskSignal| {
        let stance = external.stance_on(signal.category);
        let is_grave = signal.severity >= Severity::High || stance == ExternalStance::Deny;
        match mode {
            InterruptMode::Off => false,
            _ if stance == ExternalStance::Allow => false,
            InterruptMode::OnHighRisk => is_grave,
            InterruptMode::OnAnyExternal => signal.external || is_grave,
        }
    };
    let signal = findings(command).into_iter().filter(stops).max_by_key(|signal| signal.severity)?;
    let reason = format!("`{}`: {}", signal.detail, signal.why);
    Some((signal.category, signal.severity, reason))
}

/// What the command analysis of the gate finds in a script. The only place that calls it.
fn findings(script: &str) -> Vec<RiskSignal> {
    let found = mi_gate::command::risk(&mi_gate::command::analyze(script));
    let signal = |finding: mi_gate::command::RiskFinding| RiskSignal {
        category: finding.category,
        severity: finding.severity,
        detail: finding.command,
        why: finding.why,
        external: finding.external,
    };
    found.into_iter().map(signal).collect()
}

/// Tools beside the shell that look as if they reach out.
fn tool_signal(name: &str, arguments: &str) -> Option<RiskSignal> {
    const REACHES: &[&str] = &[
        "fetch", "http", "browser", "search", "web", "download", "upload", "slack", "mail", "github", "jira",
        "post", "url",
    ];
    let lower = name.to_lowercase();
    let reaches = REACHES.iter().any(|word| lower.contains(word)) || arguments.contains("://");
    let sends = ["upload", "post", "send", "create", "delete", "update", "publish", "merge"]
        .iter()
        .any(|word| lower.contains(word));
    reaches.then(|| RiskSignal {
        category: RiskCategory::Network,
        severity: if sends { Severity::Medium } else { Severity::Low },
        detail: format!("tool call: {name}"),
        why: if sends { "a tool that sends something out" } else { "a tool that reads from outside" }
            .to_owned(),
        external: true,
    })
}

/// How a statement bears on a risk it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Word {
    Allowed,
    Refused,
    Asks,
}

/// The statements that name the risk of the signal. A condition does not allow.
fn said_about<'a>(signal: &RiskSignal, sources: &'a Sources) -> Vec<(Word, &'a Sentence)> {
    let mut found = Vec::new();
    for sentence in sources.statements() {
        for position in &sentence.positions {
            let terms: Vec<_> = position.terms.iter().map(|term| (term.clone(), Act::Add)).collect();
            if !risks(&terms, &[position.act]).contains(&signal.category) {
                continue;
            }
            let word = match position.stance {
                Stance::Permit | Stance::Favour if !(position.unsure || position.told) => Word::Allowed,
                Stance::Against => Word::Refused,
                Stance::Ask => Word::Asks,
                Stance::Permit | Stance::Favour | Stance::Delegate | Stance::Fact => continue,
            };
            found.push((word, sentence));
        }
    }
    found
}

fn mitigation(signals: &[RiskSignal], gravest: &RiskSignal) -> Vec<String> {
    let mut steps = vec![
        match gravest.category {
            RiskCategory::Network => "See what left the machine and where it went.",
            RiskCategory::Install => "Look at what was installed and remove what is not needed.",
            RiskCategory::Push => "Look at what was published; take it back if it was not meant.",
            RiskCategory::Delete => "Check what was deleted and restore it from git or a backup.",
            RiskCategory::Privacy => {
                "Check which secrets or personal data were touched; renew them if they left."
            }
            RiskCategory::Cost => "Check what was spent and stop what still runs.",
            RiskCategory::Other => "Look at what was changed outside the usual files.",
        }
        .to_owned(),
    ];
    let others = signals.len().saturating_sub(1);
    steps.push(format!("It was: {} ({}).", gravest.detail, gravest.why));
    if others > 0 {
        steps.push(format!("{others} more signal(s) in this batch; the record lists them."));
    }
    steps
}

/// A rule to learn: what to ask about from now on, in words that the answers can read again.
fn tightening(signal: &RiskSignal) -> String {
    let category = match signal.category {
        RiskCategory::Network => "using the network",
        RiskCategory::Install => "installing packages",
        RiskCategory::Push => "pushing or publishing",
        RiskCategory::Delete => "deleting anything",
        RiskCategory::Privacy => "touching secrets or private data",
        RiskCategory::Cost => "doing anything that costs money",
        RiskCategory::Other => "anything like it",
    };
    format!("Ask before {category}, as in `{}`.", short(&signal.detail))
}

/// The start of a long command, on one line, without backticks.
fn short(detail: &str) -> String {
    let line: String = detail.split_whitespace().collect::<Vec<_>>().join(" ").replace('`', "'");
    shorten(&line, 80)
}
