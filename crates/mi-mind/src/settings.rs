//! What a [`crate::Mind`] is made of: which provider, its limits, and what it gets from the world around it.

use std::{fmt, path::PathBuf, time::Duration};

use crate::provider::AgentRunner;

/// Who is asked, and within which limits.
#[derive(Debug, Clone)]
pub struct MindSettings {
    pub provider: Provider,
    /// For one question in all, its retries and its repair included.
    pub timeout: Duration,
    /// The most time spent waiting between tries of a busy server.
    pub retry_wait: Duration,
    /// The most bytes of sections in one prompt, as they count inside a JSON string.
    pub evidence_bytes: usize,
}

impl MindSettings {
    /// The usual limits: 120 s for a question, 30 s of them waiting, 160,000 bytes of evidence.
    pub fn new(provider: Provider) -> Self {
        Self {
            provider,
            timeout: Duration::from_secs(120),
            retry_wait: Duration::from_secs(30),
            evidence_bytes: 160_000,
        }
    }
}

/// Where answers come from.
#[derive(Debug, Clone)]
pub enum Provider {
    /// Any endpoint that speaks OpenAI's API.
    OpenAi { http: HttpSettings, wire: Wire },
    /// Anthropic's Messages API; the base URL may or may not end in `/v1`.
    Anthropic {
        http: HttpSettings,
        /// The API wants to be told; the others are not.
        max_output_tokens: u32,
    },
    /// A separate read-only run of Codex.
    Codex { agent: AgentSettings },
    /// A separate run of Claude Code without tools.
    Claude { agent: AgentSettings },
}

impl Provider {
    /// The word that records carry.
    pub fn name(&self) -> &'static str {
        match self {
            Self::OpenAi { .. } => "openai",
            Self::Anthropic { .. } => "anthropic",
            Self::Codex { .. } => "codex",
            Self::Claude { .. } => "claude",
        }
    }

    /// The model as configured; empty when the agent program chooses.
    pub fn model(&self) -> &str {
        match self {
            Self::OpenAi { http, .. } | Self::Anthropic { http, .. } => &http.model,
            Self::Codex { agent } | Self::Claude { agent } => agent.model.as_deref().unwrap_or_default(),
        }
    }
}

/// Which of OpenAI's two APIs is spoken. Every compatible endpoint has chat completions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Wire {
    #[default]
    Chat,
    Responses,
}

/// An HTTP endpoint.
#[derive(Debug, Clone)]
pub struct HttpSettings {
    pub base_url: String,
    /// None for local servers that want no key.
    pub key: Option<SecretText>,
    pub model: String,
    /// A proxy URL; loopback addresses are always reached directly. The environment is not looked at.
    pub proxy: Option<String>,
}

impl HttpSettings {
    /// An endpoint without key and proxy.
    pub fn new(base_url: impl Into<String>, model: impl Into<String>) -> Self {
        Self { base_url: base_url.into(), key: None, model: model.into(), proxy: None }
    }
}

/// An agent program used as a mind.
#[derive(Debug, Clone)]
pub struct AgentSettings {
    /// The native program; the runner starts exactly this.
    pub program: String,
    pub model: Option<String>,
    /// Put before the prompt, for example `-c` settings.
    pub extra_args: Vec<String>,
    /// An existing folder of this run's own, outside any project: the program runs there, and its schema lies there.
    pub working_dir: PathBuf,
}

/// A text that no `Debug` shows.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretText(String);

impl SecretText {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself, for the one header it belongs in.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretText(…)")
    }
}

/// What a mind is given instead of reaching for it.
pub struct Surroundings {
    /// Takes secrets out of a text.
    pub redact: Box<dyn Fn(&str) -> String + Send + Sync>,
    /// Milliseconds that only grow, for deadlines and latency.
    pub now_ms: Box<dyn Fn() -> u64 + Send + Sync>,
    /// Waits between tries; false when the run was interrupted and no further try is wanted.
    pub pause: Box<dyn Fn(Duration) -> bool + Send + Sync>,
    /// Starts agent programs; needed by [`Provider::Codex`] and [`Provider::Claude`] alone.
    pub runner: Option<Box<dyn AgentRunner>>,
}

impl fmt::Debug for Surroundings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Surroundings").field("runner", &self.runner.is_some()).finish_non_exhaustive()
    }
}
