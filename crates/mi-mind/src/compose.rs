//! Questions whose answer is a text, not a value: the files of `mi make`, the parts of a challenge (D.22).
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

const MAKE: &str = include_str!("../prompts/make.v1.md");
const CHALLENGE: &str = include_str!("../prompts/challenge.v1.md");

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
        self.write(MAKE, sections, "Give the files now.\n", sink)
    }

    /// Asks for the named parts of a challenge; a part that the reply does not have is none. Agent programs are not
    /// asked, as above.
    pub fn challenge(
        &self,
        parts: &[&str],
        sections: &[Section],
        sink: &mut TranscriptSink<'_>,
    ) -> Result<Vec<Option<String>>, AskError> {
        let closing = format!("Write these lines now: {}\n", parts.join(", "));
        let reply = self.write(CHALLENGE, sections, &closing, sink)?;
        Ok(parts.iter().map(|name| part(&reply.text, name)).collect())
    }

    fn write(
        &self,
        system: &str,
        sections: &[Section],
        closing: &str,
        sink: &mut TranscriptSink<'_>,
    ) -> Result<Composition, AskError> {
        let (settings, surroundings) = (self.settings(), self.surroundings());
        let started_ms = (surroundings.now_ms)();
        let scrub = Scrubber::new(surroundings, key_of(&settings.provider));
        let prompt =
            Prompt::of_sections(system.to_owned(), sections, settings.evidence_bytes, closing, &scrub);
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

/// The text behind `name:` in a reply of one line per part; list marks and bold names are common.
fn part(reply: &str, name: &str) -> Option<String> {
    reply.lines().find_map(|line| {
        let line = line.trim_start_matches(|mark: char| mark.is_ascii_digit() || "-*.) \t".contains(mark));
        let rest = line.strip_prefix(name)?.trim_start_matches('*').trim_start();
        let text = rest.strip_prefix(':').or_else(|| rest.strip_prefix('：'))?.trim_matches(['*', ' ', '\t']);
        (!text.is_empty()).then(|| text.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One line per part, with or without marks; what is missing or empty is none.
    #[test]
    fn d_22_parts_are_read_from_lines() {
        let reply = "1. recommendation: Wait.\n- **risk_note:** It is late. Very.\nkey_assumption：\n";
        assert_eq!(part(reply, "recommendation").as_deref(), Some("Wait."));
        assert_eq!(part(reply, "risk_note").as_deref(), Some("It is late. Very."));
        assert_eq!(part(reply, "key_assumption"), None);
        assert_eq!(part(reply, "reversal_condition"), None);
    }
}
