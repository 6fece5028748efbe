//! Which events are registered with which agent, and the command line that stands for each.

use crate::hooks::{Event, Harness};

/// How `mi` is started: an absolute path, or just `mi` where a file is shared between machines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program(pub String);

/// Seconds after which an agent gives up on a hook. Codex allows no more for the end of a session, and would compute
/// another hash than ours for a longer time.
pub(super) fn timeout_s(event: Event) -> i64 {
    match event {
        Event::SessionEnd => 3,
        _ => 10,
    }
}

/// The agent's own name of every event that is registered, with ours.
pub fn events_of(harness: Harness) -> &'static [(&'static str, Event)] {
    const COMMON: &[(&str, Event)] = &[
        ("SessionStart", Event::SessionStart),
        ("UserPromptSubmit", Event::UserMessage),
        ("PreToolUse", Event::PreToolUse),
        ("PostToolUse", Event::PostToolUse),
        ("SubagentStart", Event::AgentSpawn),
        ("SubagentStop", Event::AgentComplete),
        ("Stop", Event::Stop),
        ("SessionEnd", Event::SessionEnd),
    ];
    const CLAUDE: &[(&str, Event)] = &[
        ("SessionStart", Event::SessionStart),
        ("UserPromptSubmit", Event::UserMessage),
        ("PreToolUse", Event::PreToolUse),
        ("PostToolUse", Event::PostToolUse),
        ("PostToolUseFailure", Event::PostToolUse),
        ("SubagentStart", Event::AgentSpawn),
        ("SubagentStop", Event::AgentComplete),
        ("Stop", Event::Stop),
        ("SessionEnd", Event::SessionEnd),
    ];
    match harness {
        Harness::Claude => CLAUDE,
        Harness::Codex | Harness::Opencode => COMMON,
    }
}

impl Program {
    /// The command line of an event.
    pub(super) fn command(&self, event: Event, harness: Harness) -> String {
        let event = event.as_str().replace('_', "-");
        format!("{} hook {event} --harness {} --lifecycle", quoted(&self.0), harness.as_str())
    }
}

/// Whether a command line is one that [`Program::command`] makes, whatever the program's place.
pub(super) fn is_ours(command: &str, harness: Harness) -> bool {
    let end = format!(" --harness {} --lifecycle", harness.as_str());
    let event = command.strip_suffix(&end).and_then(|start| start.rsplit_once(" hook "));
    event.is_some_and(|(program, event)| {
        let program = program.trim_matches('\'').rsplit('/').next();
        Event::from_name(event).is_some() && program.is_some_and(|name| name.starts_with("mi"))
    })
}

/// As a shell reads it.
fn quoted(program: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+@%".contains(letter);
    if program.chars().all(plain) {
        program.to_owned()
    } else {
        format!("'{}'", program.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Our own command lines are known again, whatever the program's place; nothing else is.
    #[test]
    fn our_commands_are_recognised() {
        for program in ["/usr/bin/mi", "mi", "/with space/mi"] {
            let command = Program(program.to_owned()).command(Event::AgentSpawn, Harness::Claude);
            assert!(is_ours(&command, Harness::Claude), "{command}");
            assert!(!is_ours(&command, Harness::Codex), "{command}");
        }
        for other in
            ["mi hook stop --harness claude", "echo mi", "guard hook stop --harness claude --lifecycle"]
        {
            assert!(!is_ours(other, Harness::Claude), "{other}");
        }
    }
}
