//! One question, from prompt to checked value, with its record.
//!
//! Holds: at most one repair; a value is returned only when it was accepted; whatever goes wrong is one
//! [`AskError`] in the record, never a panic and never a value.

use mi_model::{BatchId, Usage, record::MindCall, sha256_hex};
use serde_json::Value;
use std::sync::atomic::AtomicBool;

use crate::{
    AskError, MindQuestion, PromptKind, Provider, SecretText,
    accept::{accept_text, accept_value},
    cost::cost_usd,
    prompt::Prompt,
    provider::{self, Call, ReplyAnswer, Request},
    scrub::Scrubber,
    settings::{MindSettings, Surroundings},
};

/// Takes the raw lines of a call, already redacted: the stream (`request` or `response`) and the line.
/// An error stops the call.
pub type TranscriptSink<'a> = dyn FnMut(&str, &str) -> Result<(), String> + 'a;

/// Something that answers questions by asking a model.
#[derive(Debug)]
pub struct Mind {
    settings: MindSettings,
    surroundings: Surroundings,
    /// Set once the server has refused a schema and taken the same question without one.
    schema_in_words: AtomicBool,
}

/// What came of a question.
#[derive(Debug, Clone, PartialEq)]
pub struct MindAnswer {
    /// Fits the prompt's schema and reads as its Rust type; none when there is no usable answer.
    pub value: Option<Value>,
    pub call: CallRecord,
}

/// What is recorded of a question; see [`MindCall`].
#[derive(Debug, Clone, PartialEq)]
pub struct CallRecord {
    pub prompt: String,
    pub prompt_version: String,
    pub provider: String,
    pub model: String,
    pub prompt_sha256: String,
    pub prompt_bytes: u64,
    pub transcript_path: String,
    /// Requests sent or programs run, retries and repair included.
    pub attempts: u32,
    pub ok: bool,
    pub error: Option<String>,
    pub usage: Usage,
    pub cost_usd: Option<f64>,
    pub latency_ms: u64,
    /// The answer as it was accepted, without secrets; null when there was none.
    pub answer: Value,
}

impl CallRecord {
    /// The journal's record of this call.
    pub fn into_record(self, batch_id: BatchId, thread_id: String) -> MindCall {
        MindCall {
            batch_id,
            thread_id,
            prompt: self.prompt,
            prompt_version: self.prompt_version,
            provider: self.provider,
            model: self.model,
            prompt_sha256: self.prompt_sha256,
            prompt_bytes: self.prompt_bytes,
            transcript_path: self.transcript_path,
            attempts: self.attempts,
            ok: self.ok,
            error: self.error,
            usage: self.usage,
            cost_usd: self.cost_usd,
            latency_ms: self.latency_ms,
            answer: self.answer,
        }
    }
}

impl Mind {
    pub fn new(settings: MindSettings, surroundings: Surroundings) -> Self {
        Self { settings, surroundings, schema_in_words: AtomicBool::new(false) }
    }

    pub(crate) fn settings(&self) -> &MindSettings {
        &self.settings
    }

    pub(crate) fn surroundings(&self) -> &Surroundings {
        &self.surroundings
    }

    pub(crate) fn schema_in_words(&self) -> &AtomicBool {
        &self.schema_in_words
    }

    /// The provider's name, for `decided_by` and messages.
    pub fn provider(&self) -> &Provider {
        &self.settings.provider
    }

    /// Asks, waits, checks, and once lets the model repair its answer.
    pub fn ask(&self, question: &MindQuestion, sink: &mut TranscriptSink<'_>) -> MindAnswer {
        let started_ms = (self.surroundings.now_ms)();
        let scrub = Scrubber::new(&self.surroundings, key_of(&self.settings.provider));
        let prompt = Prompt::assemble(question, self.settings.evidence_bytes, &scrub);
        let mut call =
            Call::new(&self.settings, &self.surroundings, &self.schema_in_words, &scrub, sink, started_ms);
        let outcome = self.ask_with_repair(question.kind, &prompt, &mut call);
        let (attempts, usage, told_cost) = (call.attempts, call.usage, call.cost_usd);
        let text = prompt.joined();
        let model = self.settings.provider.model().to_owned();
        let record = CallRecord {
            prompt: question.kind.name().to_owned(),
            prompt_version: question.kind.version().to_owned(),
            provider: self.settings.provider.name().to_owned(),
            prompt_sha256: sha256_hex(text.as_bytes()),
            prompt_bytes: text.len() as u64,
            transcript_path: question.transcript_path.clone(),
            attempts,
            ok: outcome.is_ok(),
            error: outcome.as_ref().err().map(|error| scrub.text(&error.to_string())),
            usage,
            cost_usd: told_cost.or_else(|| cost_usd(&model, &usage)),
            model,
            latency_ms: (self.surroundings.now_ms)().saturating_sub(started_ms),
            answer: outcome.as_ref().map_or(Value::Null, |value| scrub.value(value)),
        };
        MindAnswer { value: outcome.ok(), call: record }
    }

    fn ask_with_repair(
        &self,
        kind: PromptKind,
        prompt: &Prompt,
        call: &mut Call<'_>,
    ) -> Result<Value, AskError> {
        let schema = kind.schema();
        let (first, answer) = match self.ask_once(kind, prompt, &schema, call)? {
            Ok(value) => return Ok(value),
            Err(refused) => refused,
        };
        let repaired = prompt.with_repair(&answer, &first, call.scrub);
        match self.ask_once(kind, &repaired, &schema, call)? {
            Ok(value) => Ok(value),
            Err((second, _)) => Err(AskError::BadAnswer { first, second }),
        }
    }

    /// The accepted value, or the complaint and the answer it is about.
    fn ask_once(
        &self,
        kind: PromptKind,
        prompt: &Prompt,
        schema: &Value,
        call: &mut Call<'_>,
    ) -> Result<Result<Value, (String, String)>, AskError> {
        let reply = provider::send(&self.settings.provider, &Request { kind, prompt, schema }, call)?;
        let (accepted, answer) = match reply.answer {
            ReplyAnswer::Text(text) => (accept_text(kind, &text), text),
            ReplyAnswer::Value(value) => {
                let text = value.to_string();
                (accept_value(kind, value), text)
            }
        };
        let cut_off =
            if reply.cut_off { " (the answer was cut off at the output limit: be shorter)" } else { "" };
        Ok(accepted.map_err(|complaint| (format!("{complaint}{cut_off}"), answer)))
    }
}

pub(crate) fn key_of(provider: &Provider) -> Option<&SecretText> {
    match provider {
        Provider::OpenAi { http, .. } | Provider::Anthropic { http, .. } => http.key.as_ref(),
        Provider::Codex { .. } | Provider::Claude { .. } => None,
    }
}
