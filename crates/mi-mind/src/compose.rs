//! A question whose answer is a text with files in it, not a value: the prompt of `mi make`.
//!
//! Holds: what leaves is redacted and within the budget, like every question; the reply comes back as it is.

use mi_model::Usage;

use crate::{
    AskError, Mind, PromptKind, Section, TranscriptSink,
    ask::key_of,
    cost::cost_usd,
    prompt::Prompt,
    provider::{Call, ReplyAnswer, Request, send_plain},
    scrub::Scrubber,
};

const SYSTEM: &str = include_str!("../prompts/make.v1.md");

/// A reply as the model wrote it.
#[derive(Debug, Clone, PartialEq)]
pub struct Composition {
    pub text: String,
    /// The output limit ended it; its last file may be half.
    pub cut_off: bool,
    pub usage: Usage,
    pub cost_usd: Option<f64>,
}

impl Mind {
    /// Asks for files. Agent programs are not asked: they would write files themselves.
    pub fn compose(
        &self,
        sections: &[Section],
        sink: &mut TranscriptSink<'_>,
    ) -> Result<Composition, AskError> {
        let (settings, surroundings) = (self.settings(), self.surroundings());
        let started_ms = (surroundings.now_ms)();
        let scrub = Scrubber::new(surroundings, key_of(&settings.provider));
        let closing = "Give the files now.\n";
        let prompt =
            Prompt::of_sections(SYSTEM.to_owned(), sections, settings.evidence_bytes, closing, &scrub);
        let mut call = Call::new(settings, surroundings, self.schema_in_words(), &scrub, sink, started_ms);
        // No schema goes out with it, so its kind is never named.
        let request =
            Request { kind: PromptKind::DecideNext, prompt: &prompt, schema: &serde_json::Value::Null };
        let reply = send_plain(&settings.provider, &request, &mut call)?;
        let text = match reply.answer {
            ReplyAnswer::Text(text) => text,
            ReplyAnswer::Value(value) => value.to_string(),
        };
        let told = call.cost_usd.or_else(|| cost_usd(settings.provider.model(), &reply.usage));
        Ok(Composition { text, cut_off: reply.cut_off, usage: reply.usage, cost_usd: told })
    }
}
