//! What the tests of this crate share: a supervisor, an observer that remembers, an order with everything set.

#![allow(dead_code, reason = "each test binary uses its part")]

use mi_formats::AgentEvent;
use mi_hands::{BatchLimits, BatchOrder, Observer, Verdict};
use mi_model::{Timestamp, Usage};
use mi_process::{Environment, Signal, Spawner, StopStep};
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

pub(crate) const DRIVER: &str = env!("CARGO_BIN_EXE_mi-hands-driver");

pub(crate) fn spawner() -> Spawner {
    Spawner::new(DRIVER)
}

/// A path for programs and nothing else: no home, no git identity.
pub(crate) fn environment() -> Environment {
    Environment::Exactly(vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())])
}

/// A folder of its own outside the temp dir, where codex refuses to work.
pub(crate) fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// An order for batch 0 in `cwd`, with the transcript beside it.
pub(crate) fn order(cwd: &Path, prompt: &str) -> BatchOrder<'static> {
    let name = format!("{}.transcript.jsonl", cwd.file_name().unwrap().to_string_lossy());
    let mut transcript_path = cwd.with_file_name("transcripts").join(&name);
    let mut number = 1;
    while transcript_path.exists() {
        transcript_path = cwd.with_file_name("transcripts").join(format!("{number}-{name}"));
        number += 1;
    }
    BatchOrder {
        batch_index: 0,
        prompt: prompt.to_owned(),
        thread_id: None,
        thread_usage: Usage::default(),
        cwd: cwd.to_owned(),
        read_only: false,
        transcript_path,
        store_raw: true,
        limits: BatchLimits { idle: Some(Duration::from_secs(60)), total: Some(Duration::from_secs(120)) },
        stop_steps: vec![StopStep { signal: Signal::Interrupt, wait: Duration::from_millis(500) }],
        wake: None,
    }
}

/// The lines of a transcript, parsed: every one of them is a JSON object.
pub(crate) fn entries(path: &Path) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Remembers every event, and interrupts at the first command that contains a word.
#[derive(Default)]
pub(crate) struct Memory {
    pub(crate) events: Vec<AgentEvent>,
    pub(crate) interrupt_at: Option<String>,
    /// Looked at when files are reported as changed.
    pub(crate) watched: Option<PathBuf>,
    pub(crate) was_there: Vec<bool>,
}

impl Memory {
    pub(crate) fn messages(&self) -> Vec<&str> {
        let texts = self.events.iter().filter_map(|event| match event {
            AgentEvent::Message { text } => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    }
}

impl Observer for Memory {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_770_000_000_000)
    }

    fn event(&mut self, event: &AgentEvent) -> Verdict {
        self.events.push(event.clone());
        if let (AgentEvent::FilesChanged { .. }, Some(path)) = (event, &self.watched) {
            self.was_there.push(path.exists());
        }
        match (event, &self.interrupt_at) {
            (AgentEvent::CommandStarted { command, .. }, Some(word)) if command.contains(word) => {
                Verdict::Interrupt { command: command.clone(), reason: "test".to_owned() }
            }
            _ => Verdict::Continue,
        }
    }

    fn woken(&mut self) -> Verdict {
        Verdict::Stop
    }
}
