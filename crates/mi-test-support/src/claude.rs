//! The real Claude Code CLI, pointed at the scripted model and at nothing else.

use std::ffi::OsString;
use std::fs;

use crate::fake_model::FakeModel;
use crate::scratch::Scratch;

/// A configuration folder of its own, and the variables that keep Claude Code on this machine: no account, no
/// updates, no telemetry, no retries.
///
/// Without tools (`--tools ""`) its requests look like side requests to the scripted model: such a scenario sets
/// `"side_uses_turns": true`.
#[derive(Debug)]
pub struct ClaudeHome {
    scratch: Scratch,
    model_url: String,
}

impl ClaudeHome {
    pub fn new(model: &FakeModel) -> Self {
        let scratch = Scratch::new("claude");
        fs::create_dir(scratch.path().join("home")).expect("make a folder in a fresh directory");
        Self { scratch, model_url: model.url() }
    }

    /// What `CLAUDE_CONFIG_DIR` is set to.
    pub fn path(&self) -> std::path::PathBuf {
        self.scratch.path().join("home")
    }

    /// The variables a Claude Code process needs, over a sealed environment.
    pub fn env(&self) -> Vec<(OsString, OsString)> {
        let switches = [
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
            "DISABLE_AUTOUPDATER",
            "DISABLE_TELEMETRY",
            "DISABLE_ERROR_REPORTING",
        ];
        let mut variables: Vec<(OsString, OsString)> =
            switches.iter().map(|name| (name.into(), "1".into())).collect();
        variables.extend([
            ("ANTHROPIC_BASE_URL".into(), self.model_url.clone().into()),
            // Any value will do.
            ("ANTHROPIC_API_KEY".into(), "no-key".into()),
            ("CLAUDE_CONFIG_DIR".into(), self.path().into()),
            ("CLAUDE_CODE_MAX_RETRIES".into(), "0".into()),
        ]);
        variables
    }
}
