//! Anthropic's Messages API: the answer is the input of a tool that the model is made to call.

use mi_model::Usage;
use serde_json::{Value, json};

use super::{Call, Reply, ReplyAnswer, Request, http::Endpoint};
use crate::{AskError, HttpSettings};

const TOOL: &str = "answer";

/// One request; `in_words` leaves the schema to the prompt and offers no tool.
pub(crate) fn send(
    settings: &HttpSettings,
    max_output_tokens: u32,
    request: &Request<'_>,
    in_words: bool,
    call: &mut Call<'_>,
) -> Result<Reply, AskError> {
    let mut headers = vec![("anthropic-version", "2023-06-01".to_owned())];
    headers.extend(settings.key.iter().map(|key| ("x-api-key", key.reveal().to_owned())));
    let url = messages_url(&settings.base_url);
    let endpoint = Endpoint { settings, url, headers, key_name: "ANTHROPIC_API_KEY" };
    let reply = endpoint.post(&body(settings, max_output_tokens, request, in_words), call)?;
    read(&reply).ok_or_else(|| endpoint.bad_reply("JSON without an answer in it"))
}

/// The base URL may or may not name the version.
fn messages_url(base_url: &str) -> String {
    let base = base_url.trim_end_matches('/');
    let base = base.strip_suffix("/v1").unwrap_or(base);
    format!("{base}/v1/messages")
}

fn body(settings: &HttpSettings, max_output_tokens: u32, request: &Request<'_>, in_words: bool) -> Value {
    let mut body = json!({
        "model": settings.model,
        "max_tokens": max_output_tokens,
        "system": request.prompt.system,
        "messages": [{"role": "user", "content": request.prompt.user}],
    });
    if !in_words {
        let description = format!("Gives the answer of {}.", request.kind.name());
        body["tools"] = json!([{"name": TOOL, "description": description, "input_schema": request.schema}]);
        body["tool_choice"] = json!({"type": "tool", "name": TOOL});
    }
    body
}

fn read(reply: &Value) -> Option<Reply> {
    let blocks = reply.get("content")?.as_array()?;
    let of_type = |kind: &'static str| {
        blocks.iter().filter(move |block| block.get("type").and_then(Value::as_str) == Some(kind))
    };
    let called = of_type("tool_use").find(|block| block.get("name").and_then(Value::as_str) == Some(TOOL));
    let answer = match called.and_then(|block| block.get("input")) {
        Some(input) => ReplyAnswer::Value(input.clone()),
        None => ReplyAnswer::Text(
            of_type("text").filter_map(|block| block.get("text").and_then(Value::as_str)).collect(),
        ),
    };
    let cut_off = reply.get("stop_reason").and_then(Value::as_str) == Some("max_tokens");
    Some(Reply {
        answer,
        usage: read_usage(reply.get("usage").unwrap_or(&Value::Null)),
        cost_usd: None,
        cut_off,
    })
}

/// Anthropic counts cached input beside the input; here it is part of it.
pub(crate) fn read_usage(usage: &Value) -> Usage {
    let count = |name: &str| usage.get(name).and_then(Value::as_u64).unwrap_or(0);
    let cached = count("cache_read_input_tokens");
    Usage {
        input_tokens: count("input_tokens")
            .saturating_add(cached)
            .saturating_add(count("cache_creation_input_tokens")),
        cached_input_tokens: cached,
        output_tokens: count("output_tokens"),
        reasoning_output_tokens: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::messages_url;

    /// Both spellings of the base URL that people use lead to the same place.
    #[test]
    fn base_url_may_name_the_version() {
        for base in ["https://host", "https://host/", "https://host/v1", "https://host/v1/"] {
            assert_eq!(messages_url(base), "https://host/v1/messages");
        }
    }
}
