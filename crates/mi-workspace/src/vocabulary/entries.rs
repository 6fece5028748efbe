//! The entries of the vocabulary files, of agents and of skills, as the contract shapes them.
//!
//! Unknown fields are left aside here, since a newer file may have some (NX-013); the manifest's schemas refuse them.

use serde::Deserialize;

/// Something an agent is denied (NX-245 to NX-248).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Capability {
    pub id: String,
    pub description: String,
    pub intent: String,
    pub blocks_semantic_classes: Vec<String>,
    pub prose_guidance: String,
}

/// A category or a resume tier.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Entry {
    pub id: String,
    pub description: String,
}

/// A bracket tag (NX-271).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "TagFields")]
pub struct Tag {
    pub id: String,
    pub trigger: String,
    pub action: TagAction,
    /// Allowed variants; `*` allows any (NX-273).
    pub variants: Vec<String>,
    pub description: String,
    pub prose_guidance: Option<String>,
}

/// What a tag does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TagAction {
    /// Activates the skill of this id.
    Skill(String),
    /// Runs this handler at once, on the text after the tag.
    Inline(String),
}

#[derive(Deserialize)]
struct TagFields {
    id: String,
    trigger: String,
    r#type: TagType,
    description: String,
    skill: Option<String>,
    handler: Option<String>,
    #[serde(default)]
    variants: Vec<String>,
    prose_guidance: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum TagType {
    Skill,
    InlineAction,
}

impl TryFrom<TagFields> for Tag {
    type Error = String;

    fn try_from(fields: TagFields) -> Result<Self, String> {
        let action = match (fields.r#type, fields.skill, fields.handler) {
            (TagType::Skill, Some(skill), _) => TagAction::Skill(skill),
            (TagType::InlineAction, _, Some(handler)) => TagAction::Inline(handler),
            (TagType::Skill, None, _) => return Err(format!("the tag `{}` names no skill", fields.id)),
            (TagType::InlineAction, _, None) => {
                return Err(format!("the tag `{}` names no handler", fields.id));
            }
        };
        let TagFields { id, trigger, description, variants, prose_guidance, .. } = fields;
        Ok(Self { id, trigger, action, variants, description, prose_guidance })
    }
}

impl Tag {
    /// Whether `[tag:variant]` is this tag with a variant it knows.
    pub fn allows(&self, variant: &str) -> bool {
        !variant.is_empty() && self.variants.iter().any(|known| known == "*" || known == variant)
    }
}

/// Something a skill asks of its harness (NX-295).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Invocation {
    pub id: String,
    pub description: String,
    pub intent: String,
    pub semantic_params: Vec<Param>,
    pub prose_guidance: String,
    pub fallback_behavior: String,
}

/// A parameter of an invocation.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Param {
    pub name: String,
    pub description: String,
    pub required: bool,
    pub value_type: Option<String>,
}

/// Where the usual rules of cutting work do not hold (NX-310 to NX-313).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct TaskException {
    pub id: String,
    pub description: String,
    pub applies_when: String,
    pub treatment: String,
    pub rationale: String,
}

/// What is remembered, and how it is forgotten (NX-339).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct MemoryPolicy {
    pub categories: Vec<MemoryCategory>,
    pub naming: MemoryNaming,
    pub access_tracking: AccessTracking,
    pub forgetting: Forgetting,
    pub merge: Principle,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct MemoryCategory {
    pub id: String,
    pub prefix: String,
    pub description: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct MemoryNaming {
    pub pattern: String,
    pub description: String,
    pub optional_prefix: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct AccessTracking {
    pub observation_primitive: String,
    pub scope: String,
    pub description: String,
    pub information_accumulated: Vec<Information>,
    pub storage_contract_reference: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Information {
    pub name: String,
    pub meaning: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Forgetting {
    pub manual_gate_default: bool,
    pub description: String,
    pub automatic_deletion_structure: Principle,
    pub recoverable_deletion_requirement: String,
    pub recoverable_deletion_description: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Principle {
    pub principle: String,
    pub description: String,
}

/// An agent of the catalogue (NX-261), with its prompt.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Agent {
    pub id: String,
    pub name: String,
    pub alias_ko: Option<String>,
    pub description: String,
    pub task: Option<String>,
    pub category: String,
    pub capabilities: Vec<String>,
    /// Absent counts as ephemeral (NX-237).
    #[serde(default = "ephemeral")]
    pub resume_tier: String,
    pub model_tier: String,
    #[serde(skip)]
    pub body: String,
}

fn ephemeral() -> String {
    "ephemeral".to_owned()
}

/// A skill (NX-270), with its instructions; macros are not expanded yet.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Skill {
    pub id: String,
    pub name: String,
    pub description: String,
    pub summary: Option<String>,
    #[serde(default)]
    pub triggers: Vec<String>,
    pub alias_ko: Option<String>,
    /// Only a person starts it (NX-275).
    #[serde(default)]
    pub manual_only: bool,
    #[serde(default)]
    pub harness_docs_refs: Vec<String>,
    #[serde(skip)]
    pub body: String,
}
