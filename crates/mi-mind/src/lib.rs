//! Asks models: prompts, strict schemas, providers over HTTP and through agent programs.
//!
//! [`Mind::ask`] takes one [`MindQuestion`] and returns one [`MindAnswer`]: a value that fits the prompt's schema,
//! or none with the reason. It never fails in another way and never guesses: what follows from "no value" (not
//! done, ask the person, else blocked) is the caller's.
//! Holds: every text that leaves, or is kept as transcript, went through the redactor; one request is at most
//! [`REQUEST_LIMIT_BYTES`]; keys stand in no record, error or transcript.
//! Elsewhere: answers without a model are `mi-loop`; starting agent programs is the caller's [`AgentRunner`].

mod accept;
mod answers;
mod ask;
mod compose;
mod cost;
mod error;
mod fence;
mod kind;
mod prompt;
mod provider;
mod schema;
mod scrub;
mod settings;

pub use answers::{
    ActionKind, CompiledDefaults, CompiledExternalActions, CompiledMindSpec, CompiledViolationResponse,
    ExternalPolicy, RefactorIntent,
};
pub use ask::{CallRecord, Mind, MindAnswer, TranscriptSink};
pub use compose::Composition;
pub use error::AskError;
pub use kind::PromptKind;
pub use prompt::{MindQuestion, REQUEST_LIMIT_BYTES, Section};
pub use provider::{AgentRun, AgentRunner, RunOutput};
pub use settings::{AgentSettings, HttpSettings, MindSettings, Provider, SecretText, Surroundings, Wire};
