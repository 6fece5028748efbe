//! The decision: every part against every rule, the strictest match per part, the strictest part for the call.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::builtin::builtin_rules;
use super::call::{self, Action};
use super::facts::{Fact, Fallback, Operation};
use super::glob::Glob;
use super::matching::{self, Match};
use super::paths::Start;
use super::rules::{Layer, Rule, RuleSet};
use super::transition::Permit;
use super::world::World;
use crate::authority::MAX_FILES_ALONE;

/// What happens to a call, mildest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Allow,
    Prompt,
    Deny,
}

impl Verdict {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Prompt => "prompt",
            Self::Deny => "deny",
        }
    }
}

/// The answer to one call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Decision {
    #[serde(rename = "decision")]
    pub verdict: Verdict,
    pub rule: String,
    pub reason: String,
    pub alternative: Option<String>,
    pub parts: Vec<Part>,
}

/// The answer to one part of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Part {
    pub operation: Operation,
    pub target: String,
    pub effect: String,
    #[serde(rename = "decision")]
    pub verdict: Verdict,
    pub rule: String,
    pub reason: String,
    pub alternative: Option<String>,
}

/// What a decision stands on besides the call itself.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    pub rules: &'a [RuleSet],
    pub world: &'a dyn World,
    pub actor: Option<&'a str>,
    /// The folder of calls that name none.
    pub cwd: Option<&'a str>,
    pub home: Option<&'a str>,
    /// The persona folder, and whose memory is one's own.
    pub persona: Option<&'a str>,
    pub member: Option<&'a str>,
    /// Folders of `mi` itself.
    pub own_folders: &'a [String],
    /// The folder with the gate's own records, which no tool writes.
    pub records: Option<&'a str>,
    /// Rules that the person changed, by `mi permit`.
    pub permits: &'a [Permit],
    /// Why some of what the person changed may be missing: then nothing is allowed without asking.
    pub lost_permits: Option<&'a str>,
}

impl<'a> Context<'a> {
    /// Only rules and a world; nothing else is known.
    pub fn new(rules: &'a [RuleSet], world: &'a dyn World) -> Self {
        Self {
            rules,
            world,
            actor: None,
            cwd: None,
            home: None,
            persona: None,
            member: None,
            own_folders: &[],
            records: None,
            permits: &[],
            lost_permits: None,
        }
    }
}

/// The least a call gets, whatever its parts say.
pub(super) struct Floor {
    pub(super) rule: &'static str,
    pub(super) reason: String,
}

/// Where a call happens.
pub(super) struct Place<'a> {
    pub(super) context: &'a Context<'a>,
    cwd: String,
    root: String,
}

impl<'a> Place<'a> {
    pub(super) fn of(context: &'a Context<'a>, cwd: Option<&str>) -> Self {
        let cwd = cwd.or(context.cwd).filter(|cwd| cwd.starts_with('/')).unwrap_or("/");
        let real = context.world.real_path(cwd).unwrap_or_else(|| cwd.trim_end_matches('/').to_owned());
        let root = context.world.project_root(cwd).unwrap_or_else(|| real.clone());
        Self { context, cwd: real, root }
    }

    /// The same project, seen from another of its folders.
    pub(super) fn within(&self, folder: &str) -> Self {
        Self { context: self.context, cwd: folder.to_owned(), root: self.root.clone() }
    }

    pub(super) fn start(&self) -> Start<'_> {
        Start { world: self.context.world, cwd: &self.cwd, home: self.context.home }
    }

    pub(super) fn cwd(&self) -> &str {
        &self.cwd
    }

    pub(super) fn root(&self) -> &str {
        &self.root
    }

    /// A rule's pattern, with `~` as the person's home.
    pub(super) fn glob(&self, text: &str) -> Glob {
        let text = &super::glob::without_climbing(text, self.root());
        match (text.strip_prefix("~/"), self.context.home) {
            (Some(rest), Some(home)) => Glob::new(&format!("{home}/{rest}")),
            _ => Glob::new(text),
        }
    }
}

/// Decides about one call.
pub fn decide(action: &Action, context: &Context<'_>) -> Decision {
    let context = Context { actor: action.actor.as_deref().or(context.actor), ..*context };
    let place = Place::of(&context, action.cwd.as_deref());
    let (facts, floor) = call::facts(action, &place);
    let floor = floor.or_else(|| many_files(&facts));
    let mut parts: Vec<Part> = facts.iter().map(|fact| part(fact, &place)).collect();
    if parts.is_empty() && floor.is_none() {
        parts.push(nothing(action));
    }
    let strictest =
        parts.iter().reduce(|strict, part| if part.verdict > strict.verdict { part } else { strict });
    match (strictest.cloned(), floor.or_else(|| lost(strictest, &context))) {
        (Some(part), None) => of_part(part, parts),
        (Some(part), Some(_)) if part.verdict == Verdict::Deny => of_part(part, parts),
        (_, Some(floor)) => {
            let fallback = Fallback::Prompt { rule: floor.rule, reason: floor.reason };
            let Found { verdict, rule, reason, alternative } = default(&fallback, context.permits);
            Decision { verdict, rule, reason, alternative, parts }
        }
        (None, None) => unreachable_prompt(parts),
    }
}

/// What is allowed may be what the person had made stricter, where their changes are no longer whole.
fn lost(strictest: Option<&Part>, context: &Context<'_>) -> Option<Floor> {
    let is_allowed = strictest.is_none_or(|part| part.verdict == Verdict::Allow);
    let why = context.lost_permits.filter(|_| is_allowed)?;
    Some(Floor { rule: "mi.permits-damaged", reason: why.to_owned() })
}

/// A change of more than five files goes to the person, whatever they permitted for one (D.7).
fn many_files(facts: &[Fact]) -> Option<Floor> {
    let named = facts.iter().filter(|fact| !matches!(fact.operation, Operation::Mcp | Operation::Unknown));
    let changed: BTreeSet<&str> = named
        .flat_map(|fact| fact.writes.iter().chain(&fact.deletes))
        .map(|target| target.shown.as_str())
        .collect();
    let reason =
        || format!("it changes {} files; more than {MAX_FILES_ALONE} go to the person", changed.len());
    (changed.len() > MAX_FILES_ALONE).then(|| Floor { rule: "mi.many-files", reason: reason() })
}

fn of_part(part: Part, parts: Vec<Part>) -> Decision {
    Decision {
        verdict: part.verdict,
        rule: part.rule,
        reason: part.reason,
        alternative: part.alternative,
        parts,
    }
}

/// No part and no floor: nothing is known, so nothing is allowed.
fn unreachable_prompt(parts: Vec<Part>) -> Decision {
    let reason = "nothing is known about this call".to_owned();
    Decision {
        verdict: Verdict::Prompt,
        rule: "mi.unknown-tool".to_owned(),
        reason,
        alternative: None,
        parts,
    }
}

/// A script of comments and blanks runs nothing.
fn nothing(action: &Action) -> Part {
    Part {
        operation: Operation::Harness,
        target: action.tool.clone(),
        effect: "nothing".to_owned(),
        verdict: Verdict::Allow,
        rule: "mi.read-only".to_owned(),
        reason: "nothing would run".to_owned(),
        alternative: None,
    }
}

struct Found {
    verdict: Verdict,
    rule: String,
    reason: String,
    alternative: Option<String>,
}

fn part(fact: &Fact, place: &Place<'_>) -> Part {
    let found = strictest(fact, place).unwrap_or_else(|| default(&fact.fallback, place.context.permits));
    let found = with_alternative(found);
    let Found { verdict, rule, reason, alternative } = found;
    let effect = fact.operation.effect().to_owned();
    Part {
        operation: fact.operation,
        target: fact.target.clone(),
        effect,
        verdict,
        rule,
        reason,
        alternative,
    }
}

/// What holds without a rule; the person may have made it stricter.
fn default(fallback: &Fallback, permits: &[Permit]) -> Found {
    let (own, rule, text) = match fallback {
        Fallback::Allow { rule, reason } => (Verdict::Allow, rule, reason),
        Fallback::Prompt { rule, reason } => (Verdict::Prompt, rule, reason),
    };
    let permit = Permit::of(permits, rule).filter(|permit| permit.verdict > own);
    let verdict = permit.map_or(own, |permit| permit.verdict);
    with_alternative(Found {
        verdict,
        rule: (*rule).to_owned(),
        reason: reason(text, permit),
        alternative: None,
    })
}

/// A denial always names another way (D.19).
fn with_alternative(mut found: Found) -> Found {
    if found.verdict == Verdict::Deny && found.alternative.is_none() {
        found.alternative = Some("ask the person to do it, or to say another way".to_owned());
    }
    found
}

/// The strictest rule that fits. A doubtful fit of a deny or prompt is a prompt; of an allow it is nothing.
fn strictest(fact: &Fact, place: &Place<'_>) -> Option<Found> {
    let permits = place.context.permits;
    let builtin = builtin_rules().iter().filter_map(|rule| {
        let permit = Permit::of(permits, rule.id);
        let fit = rule.fits(fact, place);
        let verdict = effective(permit.map_or(rule.verdict, |permit| permit.of_shipped(rule.verdict)), fit)?;
        let alternative = rule.alternative.filter(|_| verdict == Verdict::Deny).map(str::to_owned);
        let reason = match fit {
            Match::Perhaps => {
                format!("not all of it is known, and this rule may hold for it: {}", rule.reason)
            }
            Match::Yes | Match::No => reason(rule.reason, permit),
        };
        Some(Found { verdict, rule: rule.id.to_owned(), reason, alternative })
    });
    let files =
        place.context.rules.iter().flat_map(|set| set.rules.iter().map(move |rule| (set.layer, rule)));
    let files = files.filter_map(|(layer, rule)| {
        let fit = matching::fits(&rule.matcher, fact, place);
        // What a project says is changed in its file: anybody may name a rule there as the person named one.
        let permit = Permit::of(permits, &rule.id).filter(|_| layer == Layer::User && set_is_whole(rule));
        let verdict = effective(permit.map_or(rule.verdict, |permit| permit.of_shipped(rule.verdict)), fit)?;
        // A project's file comes with a clone: it tightens, it opens nothing.
        if verdict == Verdict::Allow
            && (layer == Layer::Project
                || permit.is_none() && writes_elsewhere(fact, rule.matcher.write.is_some()))
        {
            return None;
        }
        let reason = match fit {
            Match::Perhaps => format!("may be guarded by this rule: {}", rule.reason),
            Match::Yes | Match::No => reason(&rule.reason, permit),
        };
        Some(Found { verdict, rule: rule.id.clone(), reason, alternative: rule.alternative.clone() })
    });
    builtin.chain(files).reduce(|strict, next| if next.verdict > strict.verdict { next } else { strict })
}

/// Guards of a file that was not loaded are nobody's rule.
fn set_is_whole(rule: &Rule) -> bool {
    !rule.id.starts_with("mi.")
}

fn reason(own: &str, permit: Option<&Permit>) -> String {
    match permit {
        Some(permit) => format!("the person made this rule `{}`: {own}", permit.verdict.as_str()),
        None => own.to_owned(),
    }
}

fn effective(verdict: Verdict, fit: Match) -> Option<Verdict> {
    match (verdict, fit) {
        (_, Match::No) | (Verdict::Allow, Match::Perhaps) => None,
        (Verdict::Deny | Verdict::Prompt, Match::Perhaps) => Some(Verdict::Prompt),
        (verdict, Match::Yes) => Some(verdict),
    }
}

/// An allowed program still may not write where nobody allowed it to.
fn writes_elsewhere(fact: &Fact, rule_allows_writing: bool) -> bool {
    let changes_files = !fact.writes.is_empty() || !fact.outputs.is_empty() || !fact.deletes.is_empty();
    changes_files && !rule_allows_writing
}
