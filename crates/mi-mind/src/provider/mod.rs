//! The ways to a model. Each turns a [`Request`] into a [`Reply`] or says why not.
//!
//! Holds: nothing is sent before it stands in the transcript; a question ends at its deadline, whatever the
//! server does. Elsewhere: whether the reply is an answer is decided by `accept`.

mod agent;
mod anthropic;
mod http;
mod openai;

use mi_model::Usage;
use serde_json::Value;
use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

pub use agent::{AgentRun, AgentRunner, RunOutput};

use crate::{
    AskError, PromptKind, Provider, TranscriptSink,
    prompt::Prompt,
    scrub::Scrubber,
    settings::{MindSettings, Surroundings},
};

/// What is asked.
pub(crate) struct Request<'a> {
    pub(crate) kind: PromptKind,
    pub(crate) prompt: &'a Prompt,
    pub(crate) schema: &'a Value,
}

/// What a model said.
#[derive(Debug, PartialEq)]
pub(crate) struct Reply {
    pub(crate) answer: ReplyAnswer,
    pub(crate) usage: Usage,
    /// Told by the provider itself.
    pub(crate) cost_usd: Option<f64>,
    /// The output limit ended the answer.
    pub(crate) cut_off: bool,
}

#[derive(Debug, PartialEq)]
pub(crate) enum ReplyAnswer {
    Text(String),
    Value(Value),
}

/// The state of one question while it is asked.
pub(crate) struct Call<'a> {
    pub(crate) surroundings: &'a Surroundings,
    pub(crate) scrub: &'a Scrubber<'a>,
    pub(crate) attempts: u32,
    pub(crate) usage: Usage,
    pub(crate) cost_usd: Option<f64>,
    sink: &'a mut TranscriptSink<'a>,
    schema_in_words: &'a AtomicBool,
    started_ms: u64,
    timeout: Duration,
    waiting_left: Duration,
}

/// Sends the request and books its usage.
pub(crate) fn send(
    provider: &Provider,
    request: &Request<'_>,
    call: &mut Call<'_>,
) -> Result<Reply, AskError> {
    let reply = match provider {
        Provider::OpenAi { http, wire } => with_schema_fallback(request, call, |request, in_words, call| {
            openai::send(http, *wire, request, in_words, call)
        }),
        Provider::Anthropic { http, max_output_tokens } => {
            with_schema_fallback(request, call, |request, in_words, call| {
                anthropic::send(http, *max_output_tokens, request, in_words, call)
            })
        }
        Provider::Codex { agent } => agent::send_codex(agent, request, call),
        Provider::Claude { agent } => agent::send_claude(agent, request, call),
    }?;
    call.usage = call.usage.plus(&reply.usage);
    if let Some(cost) = reply.cost_usd {
        *call.cost_usd.get_or_insert(0.0) += cost;
    }
    Ok(reply)
}

/// Sends the request to an HTTP provider without any schema, and books its usage.
pub(crate) fn send_plain(
    provider: &Provider,
    request: &Request<'_>,
    call: &mut Call<'_>,
) -> Result<Reply, AskError> {
    let reply = match provider {
        Provider::OpenAi { http, wire } => openai::send(http, *wire, request, true, call),
        Provider::Anthropic { http, max_output_tokens } => {
            anthropic::send(http, *max_output_tokens, request, true, call)
        }
        Provider::Codex { .. } | Provider::Claude { .. } => {
            let message =
                "it is an agent program, which writes files itself; name an HTTP endpoint".to_owned();
            Err(AskError::Agent { place: provider.name().to_owned(), message })
        }
    }?;
    call.usage = call.usage.plus(&reply.usage);
    call.cost_usd = reply.cost_usd.or(call.cost_usd);
    Ok(reply)
}

/// Asks with the schema as the API's own feature; a server that refuses that gets it in words, now and from now on.
fn with_schema_fallback(
    request: &Request<'_>,
    call: &mut Call<'_>,
    send: impl Fn(&Request<'_>, bool, &mut Call<'_>) -> Result<Reply, AskError>,
) -> Result<Reply, AskError> {
    let in_words = Request { prompt: &request.prompt.with_schema(request.schema), ..*request };
    if call.schema_in_words.load(Ordering::Relaxed) {
        return send(&in_words, true, call);
    }
    match send(request, false, call) {
        Err(AskError::Refused { status: 400 | 422, .. }) => {
            let reply = send(&in_words, true, call)?;
            call.schema_in_words.store(true, Ordering::Relaxed);
            Ok(reply)
        }
        other => other,
    }
}

impl<'a> Call<'a> {
    pub(crate) fn new(
        settings: &MindSettings,
        surroundings: &'a Surroundings,
        schema_in_words: &'a AtomicBool,
        scrub: &'a Scrubber<'a>,
        sink: &'a mut TranscriptSink<'a>,
        started_ms: u64,
    ) -> Self {
        Self {
            surroundings,
            scrub,
            attempts: 0,
            usage: Usage::default(),
            cost_usd: None,
            sink,
            schema_in_words,
            started_ms,
            timeout: settings.timeout,
            waiting_left: settings.retry_wait,
        }
    }

    /// Puts one line into the transcript; the line is scrubbed here.
    pub(crate) fn record(&mut self, stream: &str, line: &str) -> Result<(), AskError> {
        (self.sink)(stream, &self.scrub.line(line)).map_err(|message| AskError::Transcript { message })
    }

    /// Begins one more try: the time it may take, or the end of the question.
    pub(crate) fn begin_try(&mut self, place: &str) -> Result<Duration, AskError> {
        let passed = Duration::from_millis((self.surroundings.now_ms)().saturating_sub(self.started_ms));
        let left = self.timeout.saturating_sub(passed);
        if left.is_zero() {
            return Err(self.timed_out(place));
        }
        self.attempts += 1;
        Ok(left)
    }

    pub(crate) fn timed_out(&self, place: &str) -> AskError {
        AskError::TimedOut { place: place.to_owned(), seconds: self.timeout.as_secs().max(1) }
    }

    /// Waits before another try; false when there is no time for it or the run was interrupted.
    pub(crate) fn wait(&mut self, wanted: Duration) -> bool {
        if wanted > self.waiting_left {
            return false;
        }
        self.waiting_left -= wanted;
        (self.surroundings.pause)(wanted)
    }
}
