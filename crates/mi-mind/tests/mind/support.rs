//! One way to ask: a scenario in, the whole outcome out.

use mi_mind::{
    HttpSettings, Mind, MindAnswer, MindQuestion, MindSettings, PromptKind, Provider, SecretText, Section,
    Surroundings, Wire,
};
use mi_test_support::FakeModel;
use serde_json::{Value, json};
use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

/// The three dialects a server may speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Chat,
    Responses,
    Anthropic,
}

pub(crate) const DIALECTS: [Dialect; 3] = [Dialect::Chat, Dialect::Responses, Dialect::Anthropic];

impl Dialect {
    /// The provider that speaks it to a server at this address.
    pub(crate) fn provider(self, url: &str) -> Provider {
        let mut http = HttpSettings::new(url, "fake-model");
        http.key = Some(SecretText::new(key()));
        match self {
            Self::Chat => Provider::OpenAi { http, wire: Wire::Chat },
            Self::Responses => Provider::OpenAi { http, wire: Wire::Responses },
            Self::Anthropic => Provider::Anthropic { http, max_output_tokens: 4096 },
        }
    }

    /// The turn that gives this value as the answer.
    pub(crate) fn turn(self, value: &Value) -> Value {
        match self {
            Self::Chat | Self::Responses => json!({"json": value}),
            Self::Anthropic => json!({"tool": {"name": "answer", "arguments": value}}),
        }
    }
}

/// A key and a token, put together here so that no scanner takes them for real ones.
pub(crate) fn key() -> String {
    format!("sk-test-{}", "k9".repeat(20))
}

pub(crate) fn token() -> String {
    format!("ghp_{}", "a1B2".repeat(9))
}

pub(crate) fn good_move() -> Value {
    json!({"next_action": "stop", "status": "done", "next_codex_input": null, "ask_user_question": null,
           "reason": "`cargo test` exited 0 after the last change", "confidence": 0.9})
}

pub(crate) fn question() -> MindQuestion {
    MindQuestion {
        kind: PromptKind::DecideNext,
        sections: vec![
            Section::person("task", 0, "Fix the flaky test."),
            Section::evidence("last_message", 1, "All done, trust me."),
        ],
        transcript_path: "transcripts/mind/b0.jsonl".to_owned(),
    }
}

/// Everything that can be seen of one question.
pub(crate) struct Outcome {
    pub(crate) answer: MindAnswer,
    pub(crate) transcript: Vec<(String, String)>,
    pub(crate) waits: Vec<Duration>,
}

impl Outcome {
    pub(crate) fn error(&self) -> &str {
        self.answer.call.error.as_deref().unwrap_or_default()
    }
}

/// Asks with waits that take no time.
pub(crate) fn ask(settings: MindSettings, question: &MindQuestion) -> Outcome {
    let waits = Arc::new(Mutex::new(Vec::new()));
    let mind = Mind::new(settings, surroundings(Arc::clone(&waits)));
    let (answer, transcript) = ask_mind(&mind, question);
    let waits = waits.lock().unwrap().clone();
    Outcome { answer, transcript, waits }
}

pub(crate) fn ask_mind(mind: &Mind, question: &MindQuestion) -> (MindAnswer, Vec<(String, String)>) {
    let mut transcript = Vec::new();
    let answer = mind.ask(question, &mut |stream, line| {
        transcript.push((stream.to_owned(), line.to_owned()));
        Ok(())
    });
    (answer, transcript)
}

pub(crate) fn surroundings(waits: Arc<Mutex<Vec<Duration>>>) -> Surroundings {
    #[expect(clippy::disallowed_methods, reason = "the test is the clock's owner")]
    let started = Instant::now();
    Surroundings {
        redact: Box::new(redact),
        now_ms: Box::new(move || started.elapsed().as_millis() as u64),
        pause: Box::new(move |wait| {
            waits.lock().unwrap().push(wait);
            true
        }),
        runner: None,
    }
}

/// Asks a scripted model that has these turns.
pub(crate) fn ask_script(
    dialect: Dialect,
    turns: Vec<Value>,
    question: &MindQuestion,
) -> (Outcome, Vec<Value>) {
    let model = scripted(turns);
    let outcome = ask(MindSettings::new(dialect.provider(&model.openai_url())), question);
    (outcome, model.model_requests())
}

pub(crate) fn scripted(turns: Vec<Value>) -> FakeModel {
    FakeModel::start(json!({"side_uses_turns": true, "turns": turns}))
}

/// Stands in for the real redactor: takes out everything that begins like the token.
fn redact(text: &str) -> String {
    let mut clean = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("ghp_") {
        clean.push_str(&rest[..start]);
        clean.push_str("[redacted]");
        let end = rest[start..].find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        rest = end.map_or("", |end| &rest[start + end..]);
    }
    clean + rest
}
