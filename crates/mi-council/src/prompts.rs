//! The inserts for system prompts, as files that are put together for a role.

/// One insert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Insert {
    pub name: &'static str,
    pub text: &'static str,
}

/// Every insert, in the order in which they are put together.
pub const INSERTS: [Insert; 7] = [
    Insert { name: "rule-0", text: include_str!("../prompts/rule-0.md") },
    Insert { name: "rule-t", text: include_str!("../prompts/rule-t.md") },
    Insert { name: "rule-k", text: include_str!("../prompts/rule-k.md") },
    Insert { name: "agent", text: include_str!("../prompts/agent.md") },
    Insert { name: "reviewer", text: include_str!("../prompts/reviewer.md") },
    Insert { name: "rubric", text: include_str!("../prompts/rubric.md") },
    Insert { name: "safety", text: include_str!("../prompts/safety.md") },
];

/// The rules that all role prompts compose.
const COMMON: [&str; 3] = ["rule-0", "rule-t", "rule-k"];
/// What each role gets besides.
const ROLES: [(&str, &[&str]); 2] =
    [("agent", &["agent", "safety"]), ("reviewer", &["reviewer", "rubric", "safety"])];

pub fn insert(name: &str) -> Option<&'static str> {
    INSERTS.iter().find(|insert| insert.name == name).map(|insert| insert.text)
}

/// The roles that have a prompt.
pub fn roles() -> impl Iterator<Item = &'static str> {
    ROLES.iter().map(|(role, _)| *role)
}

/// The prompt of a role: the common rules first, then its own.
pub fn compose(role: &str) -> Option<String> {
    let (_, own) = ROLES.iter().find(|(name, _)| *name == role)?;
    let texts: Vec<&str> = COMMON.iter().chain(own.iter()).filter_map(|name| insert(name)).collect();
    Some(texts.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every role gets the common rules, and its own part and no other's.
    #[test]
    fn section_6_prompts_are_composed_by_role() {
        let agent = compose("agent").unwrap();
        let reviewer = compose("reviewer").unwrap();
        for prompt in [&agent, &reviewer] {
            assert!(COMMON.iter().all(|name| prompt.contains(insert(name).unwrap())));
            assert!(prompt.contains("Safety & tempo"));
        }
        assert!(agent.contains("Do not self-approve") && !agent.contains("Reviewer behavior"));
        assert!(reviewer.contains("residual risk negligible") && !reviewer.contains("Agent behavior"));
        assert_eq!(compose("boss"), None);
    }
}
