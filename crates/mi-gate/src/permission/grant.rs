//! One override of one denied action (D.3, D.19): this action, once, in this topic, for ten minutes.
//!
//! The rule stays a deny. Who may make a grant, and that it is journalled, is the caller's: only a person's message.

use mi_model::{Sha256Hex, Timestamp, sha256_hex};
use serde::{Deserialize, Serialize};

use super::call::Action;

/// What the person allowed once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    pub action: Sha256Hex,
    pub topic: u64,
    pub granted_at: Timestamp,
    pub used: bool,
}

/// How long a grant lasts, in milliseconds.
const LASTS_MS: i64 = 10 * 60 * 1000;

impl Grant {
    /// Whether it lets `action` through now. A clock that went back closes it.
    pub fn covers(&self, action: &str, topic: u64, now: Timestamp) -> bool {
        let age = now.as_millis().saturating_sub(self.granted_at.as_millis());
        !self.used && self.action == action && self.topic == topic && (0..=LASTS_MS).contains(&age)
    }
}

/// What tells one action from another: tool, whole input, folder.
pub fn action_digest(action: &Action) -> Sha256Hex {
    let parts = serde_json::json!([action.tool, action.input, action.cwd]);
    sha256_hex(parts.to_string().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grant is for one action, one topic, one use, ten minutes.
    #[test]
    fn d_19_override_covers_exactly_one_action_once() {
        let action = |command: &str| {
            action_digest(&Action::new("Bash", serde_json::json!({"command": command}), Some("/p")))
        };
        let at = Timestamp::from_millis;
        let grant = Grant { action: action("a"), topic: 1, granted_at: at(1000), used: false };
        assert!(grant.covers(&action("a"), 1, at(1000 + LASTS_MS)));
        assert!(!grant.covers(&action("a"), 1, at(1001 + LASTS_MS)));
        assert!(!grant.covers(&action("a"), 1, at(999)));
        assert!(!grant.covers(&action("b"), 1, at(1000)));
        assert!(!grant.covers(&action("a"), 2, at(1000)));
        assert!(!Grant { used: true, ..grant.clone() }.covers(&action("a"), 1, at(1000)));
    }
}
