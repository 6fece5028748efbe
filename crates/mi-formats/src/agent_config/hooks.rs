//! Which events are registered with which agent, and the command line that stands for each.

use mi_model::shell_word;

use crate::hooks::{Event, Harness};

/// How `mi` is started: an absolute path, or just `mi` where a file is shared between machines.
///
/// The settings are words that the gate's command lines carry, so that no variable of an agent's environment, which a
/// repository can set, leads the gate to another home.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program(pub String, pub Vec<String>);

/// Our two sets of hooks. Each is put in and taken out by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookSet {
    /// Records what happens and informs (`mi mcp install`).
    Lifecycle,
    /// Decides what may run (`mi hooks install`).
    Gate,
}

impl HookSet {
    pub(super) const ALL: [Self; 2] = [Self::Lifecycle, Self::Gate];

    /// The flag that tells one set's command lines from the other's.
    pub(super) fn flag(self) -> &'static str {
        match self {
            Self::Lifecycle => "--lifecycle",
            Self::Gate => "--gate",
        }
    }
}

/// Seconds after which an agent gives up on a hook. Codex allows no more for the end of a session, and would compute
/// another hash than ours for a longer time.
pub(super) fn timeout_s(event: Event) -> i64 {
    match event {
        Event::SessionEnd => 3,
        _ => 10,
    }
}

/// The agent's own name of every event that is registered, with ours.
pub fn events_of(harness: Harness, set: HookSet) -> impl Iterator<Item = (&'static str, Event)> {
    const ALL: &[(&str, Event)] = &[
        ("SessionStart", Event::SessionStart),
        ("UserPromptSubmit", Event::UserMessage),
        ("PreToolUse", Event::PreToolUse),
        ("PostToolUse", Event::PostToolUse),
        ("PostToolUseFailure", Event::PostToolUse),
        ("SubagentStart", Event::AgentSpawn),
        ("SubagentStop", Event::AgentComplete),
        ("PreCompact", Event::ContextCompact),
        ("Stop", Event::Stop),
        ("SessionEnd", Event::SessionEnd),
    ];
    ALL.iter().copied().filter(move |(name, event)| match *name {
        "PostToolUseFailure" => harness == Harness::Claude,
        _ => *event != Event::ContextCompact || set == HookSet::Gate,
    })
}

impl Program {
    /// The command line of an event.
    pub(super) fn command(&self, event: Event, harness: Harness, set: HookSet) -> String {
        let event = event.as_str().replace('_', "-");
        let mut line =
            format!("{} hook {event} --harness {} {}", shell_word(&self.0), harness.as_str(), set.flag());
        for word in self.1.iter().filter(|_| set == HookSet::Gate) {
            line.push(' ');
            line.push_str(&shell_word(word));
        }
        line
    }
}

/// Whether a command line is one that [`Program::command`] makes, whatever the program's place.
pub(super) fn is_ours(command: &str, harness: Harness, set: HookSet) -> bool {
    let end = format!(" --harness {} {}", harness.as_str(), set.flag());
    let (start, settings) = command.split_once(&end).unwrap_or_default();
    if !settings.is_empty() && !settings.starts_with(" --home ") {
        return false;
    }
    start.rsplit_once(" hook ").is_some_and(|(program, event)| {
        let program = program.trim_matches('\'').rsplit('/').next();
        Event::from_name(event).is_some() && program.is_some_and(|name| name.starts_with("mi"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Our own command lines are known again, whatever the program's place; nothing else is.
    #[test]
    fn our_commands_are_recognised() {
        let home: Vec<String> = ["--home", "/a b/hook c"].map(str::to_owned).to_vec();
        for program in ["/usr/bin/mi", "mi", "/with space/mi"] {
            for (set, other) in [(HookSet::Lifecycle, HookSet::Gate), (HookSet::Gate, HookSet::Lifecycle)] {
                let command = Program(program.to_owned(), home.clone()).command(
                    Event::AgentSpawn,
                    Harness::Claude,
                    set,
                );
                assert!(is_ours(&command, Harness::Claude, set), "{command}");
                assert!(!is_ours(&command, Harness::Codex, set), "{command}");
                assert!(!is_ours(&command, Harness::Claude, other), "{command}");
            }
        }
        for other in [
            "mi hook stop --harness claude",
            "echo mi",
            "guard hook stop --harness claude --lifecycle",
            "mi hook stop --harness claude --lifecycle; x",
        ] {
            assert!(!is_ours(other, Harness::Claude, HookSet::Lifecycle), "{other}");
        }
    }
}
