//! What a skill refers to by key and each harness does in its own way (NX-277).

use super::HarnessKind;

/// The text for a key; `None` when there is none, which is an error for whoever expands a skill that names it.
pub(super) fn text(kind: HarnessKind, key: &str) -> Option<&'static str> {
    match key {
        "resume_invocation" => Some(resume(kind)),
        "instruction_file" => Some(instruction_file(kind)),
        "slash_command_display" => Some(slash_command(kind)),
        "status_display" => Some(status_display(kind)),
        _ => None,
    }
}

fn resume(kind: HarnessKind) -> &'static str {
    match kind {
        HarnessKind::Claude => {
            "Taking up an agent again: send the agent of the recorded id a further message; if that is not possible, start a new one."
        }
        HarnessKind::Codex => {
            "Taking up an agent again: send further input to the agent thread of the recorded id; if it is gone, start a new one."
        }
        HarnessKind::OpenCode => {
            "Taking up an agent again: call the `task` tool with the recorded session id; if it is gone, start a new one."
        }
        HarnessKind::Plain => "Taking up an agent again is not possible here: always start anew.",
    }
}

fn instruction_file(kind: HarnessKind) -> &'static str {
    match kind {
        HarnessKind::Claude => "The instruction file is `CLAUDE.md` in the project's root.",
        HarnessKind::Codex | HarnessKind::OpenCode | HarnessKind::Plain => {
            "The instruction file is `AGENTS.md` in the project's root."
        }
    }
}

fn slash_command(kind: HarnessKind) -> &'static str {
    match kind {
        HarnessKind::Claude | HarnessKind::Codex | HarnessKind::OpenCode => {
            "The person types the tag, such as `[plan]`, in a message; no slash commands are installed."
        }
        HarnessKind::Plain => "The person types the tag, such as `[plan]`.",
    }
}

fn status_display(kind: HarnessKind) -> &'static str {
    match kind {
        HarnessKind::Claude => {
            "The status line is the command under `statusLine` in `.claude/settings.json` (project) or `~/.claude/settings.json` (user)."
        }
        HarnessKind::Codex | HarnessKind::OpenCode | HarnessKind::Plain => {
            "There is no status line to set here: `mi context` shows the state when it is asked for."
        }
    }
}
