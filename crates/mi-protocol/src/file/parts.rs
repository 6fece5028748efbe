//! The parts of a file: nodes, edges, policies, access rules, claims, invariants.

use super::{
    AccessRule, ClaimDraft, EdgeDraft, InvariantDraft, Named, NodeDraft, Off, OnGuardFail, PolicyDraft,
    RuleDraft,
    decode::unique,
    fields::{Fields, KeyName, bad_word, items, named, source},
};
use crate::{
    problem::{Kind, Problems},
    tree::{Content, Tree},
    words::{
        AccessMode, Action, CheckTiming, EdgeClass, GuardScope, GuardType, NodeKindWord, OverrideMode,
        Requirement, Severity, TrustLevel, VerificationStatus,
    },
};

const NODE: &[KeyName] = &[
    ("id", &[]),
    ("kind", &[]),
    ("title", &[]),
    ("validator", &[]),
    ("subphases", &[]),
    ("minimum_duration", &[]),
    ("files", &[]),
    ("checks", &[]),
    ("prompt", &[]),
];

pub fn node(tree: &Tree, problems: &mut Problems) -> Option<NodeDraft> {
    let fields = Fields::of(tree, "a node", NODE, problems)?;
    let id = fields.named("id", problems);
    let kind = fields.word("kind", NodeKindWord::ALL, problems);
    let subphases = fields.names("subphases", problems);
    unique(&subphases, "sub-phase", problems);
    let minimum_duration = fields.number("minimum_duration", problems);
    if let (Some(given), Some(tree)) = (minimum_duration, fields.get("minimum_duration"))
        && given < 0.0
    {
        problems.add(Kind::BadValue, tree.place, "a duration is never negative", "use 0 or more");
    }
    Some(NodeDraft {
        title: fields.text("title", problems).unwrap_or_default(),
        is_end: kind.is_some_and(|(kind, _)| kind == NodeKindWord::End),
        validator: fields.boolean("validator", problems).unwrap_or(false),
        files: fields.texts("files", problems),
        checks: fields.texts("checks", problems),
        prompt: fields.text("prompt", problems).unwrap_or_default(),
        place: tree.place,
        id: id?,
        subphases,
        minimum_duration,
    })
}

const EDGE: &[KeyName] = &[
    ("id", &["edge_id", "affected_edge"]),
    ("from", &[]),
    ("to", &[]),
    ("class", &["v2_primary_class"]),
    ("guard_expr", &[]),
    ("guard_scope", &[]),
    ("guard_type", &[]),
    ("on_guard_fail", &[]),
    ("guard_evidence_source", &[]),
    ("policy_refs", &[]),
    ("audit_invariant_refs", &[]),
    ("trust_requirement", &[]),
    ("columns", &[]),
];

pub fn edge(tree: &Tree, problems: &mut Problems) -> Option<EdgeDraft> {
    let fields = Fields::of(tree, "an edge", EDGE, problems)?;
    let id = fields.named("id", problems);
    let from = fields.named("from", problems);
    let to = fields.named("to", problems);
    let class = fields.named("class", problems).and_then(|word| class(&word, problems));
    let guard = fields.get("guard_expr").and_then(|tree| source(tree, problems));
    let guard_scope = fields.word("guard_scope", GuardScope::ALL, problems);
    let guard_scope = guard_scope.map_or(GuardScope::Phase, |(scope, _)| scope);
    let evidence_source = fields.get("guard_evidence_source").and_then(|tree| text(tree, problems));
    if let Some(evidence) = evidence_source.as_ref().filter(|_| guard_scope == GuardScope::Global)
        && evidence.text().contains("{X}")
    {
        let message = "`{X}` stands for nothing when the guard's scope is global";
        problems.add(Kind::BadValue, evidence.place, message, "name the file, or choose another guard_scope");
    }
    let requirement = fields.word("trust_requirement", Requirement::ALL, problems);
    Some(EdgeDraft {
        guard,
        guard_scope,
        guard_type: fields.word("guard_type", GuardType::ALL, problems),
        on_guard_fail: fields
            .get("on_guard_fail")
            .and_then(|tree| on_guard_fail(tree, problems))
            .unwrap_or(OnGuardFail::Block),
        evidence_source,
        policy_refs: fields.names("policy_refs", problems),
        invariant_refs: fields.names("audit_invariant_refs", problems),
        needs_verification: requirement.is_some_and(|(word, _)| word == Requirement::Independent),
        columns: fields.get("columns").map(|tree| columns(tree, problems)).unwrap_or_default(),
        place: tree.place,
        id: id?,
        from: from?,
        to: to?,
        // Stands in for a word that was reported, so that the mistakes beside it are found too; so do those below.
        class: class.unwrap_or(EdgeClass::Progress),
    })
}

/// A class, with or without the seed's ending.
pub fn class(word: &Named, problems: &mut Problems) -> Option<EdgeClass> {
    let short = word.text.strip_suffix("TransitionObject").unwrap_or(&word.text);
    let found = EdgeClass::from_word(short);
    if found.is_none() {
        bad_word(word, "class", EdgeClass::ALL.iter().map(|(word, _)| *word), problems);
    }
    found
}

const REROUTE: &[KeyName] = &[("reroute", &[])];
const ON_FAIL: [&str; 4] = ["block", "reroute", "rerun", "escalate"];

fn on_guard_fail(tree: &Tree, problems: &mut Problems) -> Option<OnGuardFail> {
    if let Content::Map(_) = tree.content {
        let fields = Fields::of(tree, "on_guard_fail", REROUTE, problems)?;
        return fields.named("reroute", problems).map(OnGuardFail::Reroute);
    }
    let word = named(tree, problems)?;
    let found = on_guard_fail_word(&word);
    if found.is_none() {
        if word.text == "reroute" {
            let hint = "on_guard_fail: { reroute: NODE }";
            problems.add(Kind::BadValue, word.place, "`reroute` needs a node to go to", hint);
        } else {
            bad_word(&word, "on_guard_fail", ON_FAIL.into_iter(), problems);
        }
    }
    found
}

/// `block`, `rerun`, `escalate`, `reroute:NODE` (also `reroute NODE`).
pub fn on_guard_fail_word(word: &Named) -> Option<OnGuardFail> {
    match word.text.trim() {
        "block" => Some(OnGuardFail::Block),
        "rerun" => Some(OnGuardFail::Rerun),
        "escalate" => Some(OnGuardFail::Escalate),
        other => {
            let target = other.strip_prefix("reroute")?.trim_start_matches([':', ' ', '\t']).trim();
            let spaced = target.len() < other.len() - "reroute".len();
            let target = Named { text: target.to_owned(), place: word.place };
            (spaced && !target.text.is_empty()).then_some(OnGuardFail::Reroute(target))
        }
    }
}

/// Cells that the engine does not read; they may be empty.
fn columns(tree: &Tree, problems: &mut Problems) -> Vec<(String, String)> {
    let Content::Map(entries) = &tree.content else {
        super::fields::wrong::<()>(tree, "a mapping of cells", problems);
        return Vec::new();
    };
    entries.iter().map(|(key, value)| (key.text.clone(), cell(value))).collect()
}

pub fn cell(tree: &Tree) -> String {
    match &tree.content {
        Content::Scalar(scalar) => scalar.text.clone(),
        _ => String::new(),
    }
}

const POLICY: &[KeyName] = &[
    ("id", &["policy_id"]),
    ("expr", &["policy_expr"]),
    ("text", &[]),
    ("priority", &[]),
    ("conflicts_with", &[]),
    ("override_mode", &[]),
    ("violation_action", &[]),
];

pub fn policy(tree: &Tree, problems: &mut Problems) -> Option<PolicyDraft> {
    let fields = Fields::of(tree, "a policy", POLICY, problems)?;
    let id = fields.named("id", problems);
    let rule = rule(&fields, problems);
    let priority = fields.integer("priority", problems);
    let action = fields.needed_word("violation_action", Action::OF_POLICIES, problems);
    let override_mode = fields.word("override_mode", OverrideMode::ALL, problems);
    let conflicts_with = fields.names("conflicts_with", problems);
    Some(PolicyDraft {
        place: tree.place,
        conflicts_with,
        override_mode: override_mode.map_or(OverrideMode::Merge, |(mode, _)| mode),
        id: id?,
        rule: rule?,
        priority: priority?,
        action: action.unwrap_or(Action::Reject),
    })
}

fn rule(fields: &Fields<'_>, problems: &mut Problems) -> Option<RuleDraft> {
    match (fields.get("expr"), fields.get("text")) {
        (Some(tree), None) => source(tree, problems).map(RuleDraft::Expr),
        (None, Some(tree)) => phrases(tree, problems).map(RuleDraft::Text),
        (None, None) => {
            let hint = "add `expr: …`, or `text: ['a phrase']` for what is said";
            problems.add(Kind::MissingKey, fields.place, "a policy needs `expr` or `text`", hint);
            None
        }
        (Some(_), Some(tree)) => {
            problems.add(
                Kind::BadValue,
                tree.place,
                "a policy has `expr` or `text`, not both",
                "split it in two",
            );
            None
        }
    }
}

fn phrases(tree: &Tree, problems: &mut Problems) -> Option<Vec<super::Source>> {
    let list = match &tree.content {
        Content::Scalar(_) => std::slice::from_ref(tree),
        _ => items(tree, problems),
    };
    if list.is_empty() {
        problems.add(Kind::BadValue, tree.place, "there is no phrase to look for", "text: ['a phrase']");
        return None;
    }
    // A blank phrase would match everything.
    Some(list.iter().filter_map(|item| text(item, problems)).collect())
}

/// A string that is not blank, with the places inside of it; `true` is none, unlike in an expression.
fn text(tree: &Tree, problems: &mut Problems) -> Option<super::Source> {
    named(tree, problems).and_then(|_| source(tree, problems))
}

const ACCESS: &[KeyName] =
    &[("actor", &[]), ("resource_path", &[]), ("access_mode", &[]), ("access_allowed", &[]), ("reason", &[])];

pub fn access_rule(tree: &Tree, problems: &mut Problems) -> Option<AccessRule> {
    let fields = Fields::of(tree, "an access rule", ACCESS, problems)?;
    let actor = fields.named("actor", problems);
    let pattern = fields.named("resource_path", problems);
    let mode = fields.needed_word("access_mode", AccessMode::ALL, problems);
    fields.need("access_allowed", problems);
    let allowed = fields.boolean("access_allowed", problems);
    let reason = fields.text("reason", problems);
    Some(AccessRule {
        actor: actor?.text,
        pattern: pattern?.text,
        mode: mode?.word().to_owned(),
        allowed: allowed?,
        reason,
    })
}

const CLAIM: &[KeyName] = &[
    ("claim_id", &[]),
    ("source", &[]),
    ("trust_level", &[]),
    ("evidence_ids", &[]),
    ("verification_status", &[]),
];

pub fn claim(tree: &Tree, problems: &mut Problems) -> Option<ClaimDraft> {
    let fields = Fields::of(tree, "a claim", CLAIM, problems)?;
    let id = fields.named("claim_id", problems);
    let source = fields.named("source", problems);
    let trust = fields.needed_word("trust_level", TrustLevel::ALL, problems);
    let status = fields.word("verification_status", VerificationStatus::ALL, problems);
    let status = status.map_or(VerificationStatus::Pending, |(status, _)| status);
    let evidence_ids = fields.texts("evidence_ids", problems);
    let proven = status == VerificationStatus::Verified || trust == Some(TrustLevel::Verified);
    if proven && evidence_ids.is_empty() {
        let message = "the claim counts as verified, and no evidence is named";
        problems.add(Kind::UnprovenClaim, tree.place, message, "name evidence_ids, or start as pending");
    }
    Some(ClaimDraft { place: tree.place, evidence_ids, status, id: id?, source: source?.text, trust: trust? })
}

const INVARIANT: &[KeyName] = &[
    ("invariant_id", &[]),
    ("invariant_expr", &[]),
    ("check_timing", &[]),
    ("severity", &[]),
    ("fail_action", &[]),
];

pub fn invariant(tree: &Tree, problems: &mut Problems) -> Option<InvariantDraft> {
    let fields = Fields::of(tree, "an invariant", INVARIANT, problems)?;
    let id = fields.named("invariant_id", problems);
    let expr = fields.need("invariant_expr", problems).and_then(|tree| source(tree, problems));
    let timing = fields.needed_word("check_timing", CheckTiming::ALL, problems);
    let severity = fields.needed_word("severity", Severity::ALL, problems);
    let fail_action = fields.needed_word("fail_action", Action::OF_INVARIANTS, problems);
    Some(InvariantDraft {
        place: tree.place,
        id: id?,
        expr: expr?,
        timing: timing.unwrap_or(CheckTiming::OnTransition),
        severity: severity.unwrap_or(Severity::Low),
        fail_action: fail_action.unwrap_or(Action::Block),
    })
}

const OFF: &[KeyName] = &[("id", &[]), ("reason", &[])];

pub fn off(tree: &Tree, problems: &mut Problems) -> Option<Off> {
    let fields = Fields::of(tree, "a built-in that is off", OFF, problems)?;
    let id = fields.named("id", problems);
    let reason = fields.named("reason", problems);
    Some(Off { id: id?, reason: reason?.text })
}
