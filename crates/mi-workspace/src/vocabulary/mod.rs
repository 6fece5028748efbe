//! The words that agents, skills, tags and tools share: capabilities, categories, resume tiers, tags, invocations,
//! task exceptions, memory policy, and the agents and skills themselves.
//!
//! [`Vocabulary::starter`] is the set that is shipped; [`Vocabulary::instructions`] turns a skill's body into what one
//! harness understands. Pure: the set is part of the program.
//! Elsewhere: checking and publishing a folder of such files is `manifest`; finding tags in a message and
//! blocking tools is `mi-hook`.

mod entries;
mod expand;
mod harness_docs;
mod macros;
mod starter;

pub use entries::{
    AccessTracking, Agent, Capability, Entry, Forgetting, Information, Invocation, MemoryCategory,
    MemoryNaming, MemoryPolicy, Param, Principle, Skill, Tag, TagAction, TaskException,
};
pub use expand::{ExpandError, HarnessKind};
pub use macros::{Macro, MacroError, MacroValue, Piece, parse_body};
pub use starter::{STARTER, StarterFile};

use serde::de::DeserializeOwned;
use std::{collections::BTreeSet, sync::LazyLock};

/// A whole set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vocabulary {
    pub capabilities: Vec<Capability>,
    pub categories: Vec<Entry>,
    pub resume_tiers: Vec<Entry>,
    pub tags: Vec<Tag>,
    pub invocations: Vec<Invocation>,
    pub task_exceptions: Vec<TaskException>,
    pub memory_policy: MemoryPolicy,
    /// Sorted by id.
    pub agents: Vec<Agent>,
    /// Sorted by id.
    pub skills: Vec<Skill>,
}

/// Why a set could not be read.
#[derive(Debug, thiserror::Error)]
#[error("read `{path}` of the vocabulary: {reason}")]
pub struct VocabularyError {
    path: String,
    reason: String,
}

impl Vocabulary {
    /// The set that is shipped with `mi`. Read once.
    pub fn starter() -> &'static Self {
        static SET: LazyLock<Vocabulary> = LazyLock::new(|| {
            Vocabulary::read(STARTER).expect("a test reads the starter set, which is part of the program")
        });
        &SET
    }

    /// Reads a set from files that were checked; `mi manifest validate` finds what is wrong in others.
    pub fn read(files: &[(&str, &str)]) -> Result<Self, VocabularyError> {
        Ok(Self {
            capabilities: list(files, "capabilities.yml", "capabilities")?,
            categories: list(files, "categories.yml", "categories")?,
            resume_tiers: list(files, "resume-tiers.yml", "resume_tiers")?,
            tags: list(files, "tags.yml", "tags")?,
            invocations: list(files, "invocations.yml", "invocations")?,
            task_exceptions: list(files, "task-exceptions.yml", "task_exceptions")?,
            memory_policy: value(files, "vocabulary/memory_policy.yml", "")?,
            agents: bodied(files, "agents/", |agent: &mut Agent, body| agent.body = body)?,
            skills: bodied(files, "skills/", |skill: &mut Skill, body| skill.body = body)?,
        })
    }

    pub fn agent(&self, id: &str) -> Option<&Agent> {
        self.agents.iter().find(|agent| agent.id == id)
    }

    pub fn skill(&self, id: &str) -> Option<&Skill> {
        self.skills.iter().find(|skill| skill.id == id)
    }

    pub fn tag(&self, id: &str) -> Option<&Tag> {
        self.tags.iter().find(|tag| tag.id == id)
    }

    pub fn capability(&self, id: &str) -> Option<&Capability> {
        self.capabilities.iter().find(|capability| capability.id == id)
    }

    pub fn invocation(&self, id: &str) -> Option<&Invocation> {
        self.invocations.iter().find(|invocation| invocation.id == id)
    }

    /// The classes that an agent is denied: the union over its capabilities and those the project adds (NX-249,
    /// NX-251). An agent that is not in the set has only what is added.
    pub fn denied_classes(&self, agent: &str, added: &[String]) -> BTreeSet<&str> {
        let own = self.agent(agent).map(|agent| agent.capabilities.as_slice()).unwrap_or_default();
        own.iter()
            .chain(added)
            .filter_map(|id| self.capability(id))
            .flat_map(|capability| capability.blocks_semantic_classes.iter().map(String::as_str))
            .collect()
    }

    /// The tag that activates a skill, if there is one.
    pub fn tag_of_skill(&self, skill: &str) -> Option<&Tag> {
        self.tags.iter().find(|tag| matches!(&tag.action, TagAction::Skill(id) if id == skill))
    }
}

fn text<'a>(files: &[(&str, &'a str)], path: &str) -> Result<&'a str, VocabularyError> {
    let found = files.iter().find(|(name, _)| *name == path).map(|(_, text)| *text);
    found.ok_or_else(|| VocabularyError { path: path.to_owned(), reason: "it is missing".to_owned() })
}

fn value<T: DeserializeOwned>(
    files: &[(&str, &str)],
    path: &str,
    pointer: &str,
) -> Result<T, VocabularyError> {
    let fail = |reason: String| VocabularyError { path: path.to_owned(), reason };
    let node = mi_yaml::read_tree(text(files, path)?).map_err(|error| fail(error.message))?;
    let whole = node.to_value();
    let part = whole.pointer(pointer).ok_or_else(|| fail(format!("`{pointer}` is missing")))?;
    T::deserialize(part).map_err(|error| fail(error.to_string()))
}

fn list<T: DeserializeOwned>(
    files: &[(&str, &str)],
    name: &str,
    key: &str,
) -> Result<Vec<T>, VocabularyError> {
    value(files, &format!("vocabulary/{name}"), &format!("/{key}"))
}

fn bodied<T: DeserializeOwned>(
    files: &[(&str, &str)],
    folder: &str,
    put: impl Fn(&mut T, String),
) -> Result<Vec<T>, VocabularyError> {
    let mut metas: Vec<&str> = files
        .iter()
        .map(|(path, _)| *path)
        .filter(|path| path.starts_with(folder) && path.ends_with("/meta.yml"))
        .collect();
    metas.sort_unstable();
    let read = |path: &str| {
        let mut item: T = value(files, path, "")?;
        put(&mut item, text(files, &path.replace("/meta.yml", "/body.md"))?.to_owned());
        Ok(item)
    };
    metas.into_iter().map(read).collect()
}

#[cfg(test)]
mod tests;
