//! Whether an agent is taken up again or started anew (NX-230 to NX-240).
//!
//! [`decide`] is a function of the request and of what the tracker holds. The order in which the rules speak: no earlier
//! session, or no way to resume, means fresh (NX-236); then the policy `fresh`; then edits by others in between, which
//! mean fresh whatever the policy says (NX-235, which settles C-13); then the policy, and without one the tier.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::{Lifecycle, LifecycleError, tracker};

/// How far an agent's earlier session may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tier {
    Persistent,
    Bounded,
    Ephemeral,
}

impl Tier {
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "persistent" => Some(Self::Persistent),
            "bounded" => Some(Self::Bounded),
            "ephemeral" => Some(Self::Ephemeral),
            _ => None,
        }
    }
}

/// A task's `owner_reuse_policy`; it overrides the tier (NX-234).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    Fresh,
    ResumeIfSameArtifact,
    Resume,
}

impl Policy {
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "fresh" => Some(Self::Fresh),
            "resume_if_same_artifact" => Some(Self::ResumeIfSameArtifact),
            "resume" => Some(Self::Resume),
            _ => None,
        }
    }
}

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The agent's name, such as `engineer`.
    pub owner: String,
    pub tier: Tier,
    pub policy: Option<Policy>,
    pub target_files: Vec<String>,
    /// The earlier session that the task or the issue names (NX-238); without it, the owner's last one.
    pub agent_id: Option<String>,
}

/// One agent of the tracker, as far as it matters here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prior {
    pub agent_id: String,
    pub agent_name: Option<String>,
    pub running: bool,
    /// When its session last stopped.
    pub stopped_at: Option<String>,
    pub files_touched: Vec<String>,
}

/// The answer, with the reason in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    Fresh { reason: String },
    Resume { agent_id: String, reason: String },
}

/// Decides; `agents` are in the order of the tracker.
pub fn decide(request: &Request, agents: &[Prior]) -> Decision {
    let Some(prior) = find_prior(request, agents) else {
        return fresh(format!("no earlier session of {} is recorded", request.owner));
    };
    if prior.running {
        return fresh(format!("{} is still running", prior.agent_id));
    }
    if request.policy == Some(Policy::Fresh) {
        return fresh("the task's policy is `fresh`");
    }
    if let Some(other) = agents.iter().find(|other| intervenes(request, prior, other)) {
        return fresh(format!("{} touched the target files since", other.agent_id));
    }
    match (request.policy, request.tier) {
        (Some(Policy::Resume), _) => resume(prior, "the task's policy is `resume`"),
        (Some(Policy::ResumeIfSameArtifact), _) | (None, Tier::Bounded) => same_artifact(request, prior),
        (None, Tier::Persistent) => resume(prior, "its tier is persistent"),
        (None, Tier::Ephemeral) => fresh("its tier is ephemeral"),
        (Some(Policy::Fresh), _) => fresh("the task's policy is `fresh`"),
    }
}

/// The rule of the bounded tier (NX-232).
fn same_artifact(request: &Request, prior: &Prior) -> Decision {
    if prior.agent_name.as_ref().is_some_and(|name| *name != request.owner) {
        return fresh(format!("{} belongs to another owner", prior.agent_id));
    }
    if request.target_files.is_empty() {
        return fresh("the target files are not known");
    }
    match request.target_files.iter().find(|file| !prior.files_touched.contains(file)) {
        Some(file) => fresh(format!("{} did not touch {file}", prior.agent_id)),
        None => resume(
            prior,
            "same owner, same files, nobody else touched them; read the target files again first",
        ),
    }
}

fn find_prior<'a>(request: &Request, agents: &'a [Prior]) -> Option<&'a Prior> {
    let is_it = |prior: &&Prior| match &request.agent_id {
        Some(id) => prior.agent_id == *id,
        None => prior.agent_name.as_deref() == Some(&request.owner),
    };
    agents.iter().rev().find(is_it)
}

/// Another agent completed after the earlier session stopped, and touched a target file. Without times, it may have.
fn intervenes(request: &Request, prior: &Prior, other: &Prior) -> bool {
    let later = match (instant(other.stopped_at.as_deref()), instant(prior.stopped_at.as_deref())) {
        (Some(other), Some(prior)) => other >= prior,
        _ => true,
    };
    let meets = other.files_touched.iter().any(|file| request.target_files.contains(file));
    other.agent_id != prior.agent_id && !other.running && later && meets
}

fn instant(text: Option<&str>) -> Option<mi_model::Timestamp> {
    text.and_then(|text| text.parse().ok())
}

fn fresh(reason: impl Into<String>) -> Decision {
    Decision::Fresh { reason: reason.into() }
}

fn resume(prior: &Prior, reason: &str) -> Decision {
    Decision::Resume { agent_id: prior.agent_id.clone(), reason: reason.to_owned() }
}

impl Decision {
    pub fn to_json(&self) -> Value {
        match self {
            Self::Fresh { reason } => json!({"decision": "fresh", "reason": reason}),
            Self::Resume { agent_id, reason } => {
                json!({"decision": "resume", "reason": reason, "agent_id": agent_id})
            }
        }
    }
}

impl Lifecycle<'_> {
    /// Decides with the tracker of this harness.
    pub fn decide_resume(&self, request: &Request) -> Result<Decision, LifecycleError> {
        let agents: Vec<Prior> = self.entries()?.iter().filter_map(read_prior).collect();
        let plain = |files: &[String]| files.iter().map(|file| self.plain_name(file)).collect();
        let agents: Vec<Prior> = agents
            .into_iter()
            .map(|agent| Prior { files_touched: plain(&agent.files_touched), ..agent })
            .collect();
        let request = Request { target_files: plain(&request.target_files), ..request.clone() };
        Ok(decide(&request, &agents))
    }

    /// The place of the tracker, for messages.
    pub fn tracker_path(&self) -> PathBuf {
        self.store.layout().agent_tracker(self.harness)
    }
}

/// An entry without an id cannot be resumed and does not count (NX-236).
fn read_prior(entry: &Map<String, Value>) -> Option<Prior> {
    let text = |name: &str| entry.get(name).and_then(Value::as_str).map(str::to_owned);
    Some(Prior {
        agent_id: text("agent_id").filter(|id| !id.is_empty())?,
        agent_name: text("agent_name"),
        running: text("status").as_deref() != Some("completed"),
        stopped_at: text("stopped_at"),
        files_touched: tracker::texts(entry, "files_touched"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(id: &str, name: &str, stopped_at: &str, files: &[&str]) -> Prior {
        Prior {
            agent_id: id.to_owned(),
            agent_name: Some(name.to_owned()),
            running: false,
            stopped_at: Some(stopped_at.to_owned()),
            files_touched: files.iter().map(|file| (*file).to_owned()).collect(),
        }
    }

    fn request(tier: Tier, policy: Option<Policy>, files: &[&str]) -> Request {
        let target_files = files.iter().map(|file| (*file).to_owned()).collect();
        Request { owner: "engineer".to_owned(), tier, policy, target_files, agent_id: None }
    }

    fn resumes(decision: &Decision) -> bool {
        matches!(decision, Decision::Resume { .. })
    }

    const TIERS: [Tier; 3] = [Tier::Persistent, Tier::Bounded, Tier::Ephemeral];
    const POLICIES: [Option<Policy>; 4] =
        [None, Some(Policy::Fresh), Some(Policy::ResumeIfSameArtifact), Some(Policy::Resume)];

    /// Tiers across, policies down, for the same files with nobody in between: R resumes, F starts anew.
    #[test]
    fn nx_230_nx_231_nx_234_tiers_and_policies() {
        let agents = [agent("e1", "engineer", "2026-01-01T10:00:00Z", &["a.rs"])];
        let row = |policy| {
            TIERS.map(
                |tier| if resumes(&decide(&request(tier, policy, &["a.rs"]), &agents)) { 'R' } else { 'F' },
            )
        };
        assert_eq!(POLICIES.map(row), [['R', 'R', 'F'], ['F'; 3], ['R'; 3], ['R'; 3]]);
    }

    /// Other files, or none named: only what does not ask for the same artifact resumes.
    #[test]
    fn nx_232_nx_233_other_files_start_the_bounded_anew() {
        let agents = [agent("e1", "engineer", "2026-01-01T10:00:00Z", &["a.rs"])];
        for files in [&["a.rs", "b.rs"][..], &[]] {
            let row = |policy| TIERS.map(|tier| resumes(&decide(&request(tier, policy, files), &agents)));
            assert_eq!(POLICIES.map(row), [[true, false, false], [false; 3], [false; 3], [true; 3]]);
        }
    }

    /// An edit by another completed agent since then means fresh for every tier and every policy (C-13).
    #[test]
    fn nx_235_c_13_edits_in_between_start_everyone_anew() {
        let before = agent("w0", "writer", "2026-01-01T09:00:00Z", &["a.rs"]);
        let own = agent("e1", "engineer", "2026-01-01T10:00:00Z", &["a.rs"]);
        let after = agent("w1", "writer", "2026-01-01T12:00:00+01:00", &["a.rs"]);
        let elsewhere = agent("w2", "writer", "2026-01-01T11:00:00Z", &["c.rs"]);
        let running = Prior { running: true, ..after.clone() };
        let untimed = Prior { stopped_at: None, ..after.clone() };
        for tier in TIERS {
            for policy in POLICIES {
                let request = request(tier, policy, &["a.rs"]);
                for other in [&after, &untimed] {
                    assert!(
                        !resumes(&decide(&request, &[own.clone(), other.clone()])),
                        "{tier:?} {policy:?}"
                    );
                }
            }
        }
        let request = request(Tier::Bounded, None, &["a.rs"]);
        for other in [&before, &elsewhere, &running] {
            assert!(resumes(&decide(&request, &[own.clone(), other.clone()])), "{other:?}");
        }
    }

    /// Without a session to resume there is nothing to say but fresh; another owner's session is not ours.
    #[test]
    fn nx_236_nx_238_no_session_means_fresh() {
        let strangers = [agent("w1", "writer", "2026-01-01T10:00:00Z", &["a.rs"])];
        let mut wish = request(Tier::Bounded, Some(Policy::Resume), &["a.rs"]);
        assert!(!resumes(&decide(&wish, &[])));
        assert!(!resumes(&decide(&wish, &strangers)));
        wish.agent_id = Some("w1".to_owned());
        assert!(resumes(&decide(&wish, &strangers)), "the policy names the session itself");
        wish.policy = None;
        assert!(!resumes(&decide(&wish, &strangers)));
        let busy = [Prior { running: true, ..agent("e1", "engineer", "2026-01-01T10:00:00Z", &["a.rs"]) }];
        assert!(!resumes(&decide(&request(Tier::Persistent, None, &[]), &busy)));
    }
}
