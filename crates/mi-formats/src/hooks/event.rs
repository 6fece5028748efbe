//! The names of events and of agents.

/// What happened in the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Event {
    SessionStart,
    UserMessage,
    PreToolUse,
    PostToolUse,
    AgentSpawn,
    AgentComplete,
    AgentResume,
    MemoryRead,
    ContextCompact,
    Stop,
    SessionEnd,
}

impl Event {
    pub const ALL: [Self; 11] = [
        Self::SessionStart,
        Self::UserMessage,
        Self::PreToolUse,
        Self::PostToolUse,
        Self::AgentSpawn,
        Self::AgentComplete,
        Self::AgentResume,
        Self::MemoryRead,
        Self::ContextCompact,
        Self::Stop,
        Self::SessionEnd,
    ];

    /// The name as it stands in JSON; on the command line `-` may stand for `_`.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Reads a name with `-` or `_`; the contract's `subagent_…` names are the same events (NX-180), and so are the
    /// agents' own names.
    pub fn from_name(name: &str) -> Option<Self> {
        if let Some((_, event)) = Self::NATIVE.iter().find(|(native, _)| *native == name) {
            return Some(*event);
        }
        let name = name.replace('-', "_");
        let name = name.strip_prefix("sub").filter(|rest| rest.starts_with("agent_")).unwrap_or(&name);
        match name {
            "agent_start" => Some(Self::AgentSpawn),
            "agent_stop" => Some(Self::AgentComplete),
            "pre_compact" => Some(Self::ContextCompact),
            "user_prompt_submit" => Some(Self::UserMessage),
            _ => Self::ALL.into_iter().find(|event| event.as_str() == name),
        }
    }

    /// What Claude Code and Codex call them.
    const NATIVE: [(&'static str, Self); 10] = [
        ("SessionStart", Self::SessionStart),
        ("UserPromptSubmit", Self::UserMessage),
        ("PreToolUse", Self::PreToolUse),
        ("PostToolUse", Self::PostToolUse),
        ("PostToolUseFailure", Self::PostToolUse),
        ("SubagentStart", Self::AgentSpawn),
        ("SubagentStop", Self::AgentComplete),
        ("PreCompact", Self::ContextCompact),
        ("Stop", Self::Stop),
        ("SessionEnd", Self::SessionEnd),
    ];
}

/// An agent whose hook payloads are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Harness {
    Claude,
    Codex,
    Opencode,
}

impl Harness {
    pub const ALL: [Self; 3] = [Self::Claude, Self::Codex, Self::Opencode];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Opencode => "opencode",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|harness| harness.as_str() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::Event;

    /// Both spellings and the contract's names of an event mean the same; anything else means nothing.
    #[test]
    fn nx_180_names_of_events() {
        for event in Event::ALL {
            assert_eq!(Event::from_name(event.as_str()), Some(event));
            assert_eq!(Event::from_name(&event.as_str().replace('_', "-")), Some(event));
        }
        assert_eq!(Event::from_name("subagent-spawn"), Some(Event::AgentSpawn));
        assert_eq!(Event::from_name("subagent_complete"), Some(Event::AgentComplete));
        assert_eq!(Event::from_name("subagent-stop"), Some(Event::AgentComplete));
        assert_eq!(Event::from_name("pre-compact"), Some(Event::ContextCompact));
        assert_eq!(Event::from_name("PreToolUse"), Some(Event::PreToolUse));
        for odd in ["", "substop", "agent", "agent-spawned", "pretooluse"] {
            assert_eq!(Event::from_name(odd), None, "{odd}");
        }
    }
}
