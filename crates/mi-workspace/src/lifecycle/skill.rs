//! The skill that a tag activated: it holds until another one, or the end of the session (NX-278), and is what a
//! model that lost its context has to be told first (NX-217).

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{Lifecycle, LifecycleError};

/// A skill and the mode in which it was activated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActiveSkill {
    pub skill: String,
    pub mode: Option<String>,
}

pub(super) const ACTIVE_SKILL: &str = "active-skill.json";

impl ActiveSkill {
    pub(super) fn read(value: &Value) -> Option<Self> {
        let skill = value["skill"].as_str()?.to_owned();
        Some(Self { skill, mode: value["mode"].as_str().map(str::to_owned) })
    }
}

impl Lifecycle<'_> {
    /// Remembers the skill that is active from now on.
    pub fn activate_skill(&self, active: &ActiveSkill) -> Result<PathBuf, LifecycleError> {
        let place = self.place(ACTIVE_SKILL)?;
        self.ensure_folder()?;
        let mut record = json!({"skill": active.skill, "activated_at": self.now});
        if let Some(mode) = &active.mode {
            record["mode"] = mode.as_str().into();
        }
        let lock = self.store.lock()?;
        self.store.replace(&lock, &place, format!("{record:#}\n").as_bytes())?;
        Ok(place)
    }
}
