//! OpenAI's chat completions and responses APIs, as any compatible server speaks them.

use mi_model::Usage;
use serde_json::{Value, json};

use super::{Call, Reply, ReplyAnswer, Request, http::Endpoint};
use crate::{AskError, HttpSettings, Wire};

/// One request over the wanted API; `in_words` leaves the schema to the prompt.
pub(crate) fn send(
    settings: &HttpSettings,
    wire: Wire,
    request: &Request<'_>,
    in_words: bool,
    call: &mut Call<'_>,
) -> Result<Reply, AskError> {
    let base = settings.base_url.trim_end_matches('/');
    let (path, body) = match wire {
        Wire::Chat => ("chat/completions", chat_body(settings, request, in_words)),
        Wire::Responses => ("responses", responses_body(settings, request, in_words)),
    };
    let headers =
        settings.key.iter().map(|key| ("authorization", format!("Bearer {}", key.reveal()))).collect();
    let endpoint = Endpoint { settings, url: format!("{base}/{path}"), headers, key_name: "OPENAI_API_KEY" };
    let reply = endpoint.post(&body, call)?;
    let read = match wire {
        Wire::Chat => read_chat(&reply),
        Wire::Responses => read_responses(&reply),
    };
    read.ok_or_else(|| endpoint.bad_reply("JSON without an answer in it"))
}

fn chat_body(settings: &HttpSettings, request: &Request<'_>, in_words: bool) -> Value {
    let mut body = json!({
        "model": settings.model,
        "messages": [
            {"role": "system", "content": request.prompt.system},
            {"role": "user", "content": request.prompt.user},
        ],
    });
    if !in_words {
        let schema = json!({"name": request.kind.name(), "strict": true, "schema": request.schema});
        body["response_format"] = json!({"type": "json_schema", "json_schema": schema});
    }
    body
}

fn responses_body(settings: &HttpSettings, request: &Request<'_>, in_words: bool) -> Value {
    let content = json!([{"type": "input_text", "text": request.prompt.user}]);
    let mut body = json!({
        "model": settings.model,
        "instructions": request.prompt.system,
        "input": [{"type": "message", "role": "user", "content": content}],
        "store": false,
    });
    if !in_words {
        let name = request.kind.name();
        body["text"] = json!({"format": {"type": "json_schema", "name": name, "strict": true, "schema": request.schema}});
    }
    body
}

fn read_chat(reply: &Value) -> Option<Reply> {
    let choice = reply.pointer("/choices/0")?;
    let message = choice.get("message")?;
    Some(Reply {
        answer: ReplyAnswer::Text(text_of(message.get("content").unwrap_or(&Value::Null))),
        usage: read_usage(reply, "prompt_tokens", "completion_tokens"),
        cost_usd: None,
        cut_off: choice.get("finish_reason").and_then(Value::as_str) == Some("length"),
    })
}

fn read_responses(reply: &Value) -> Option<Reply> {
    let output = reply.get("output")?.as_array()?;
    let messages = output.iter().filter(|item| item.get("type").and_then(Value::as_str) == Some("message"));
    let text: String = messages.map(|item| text_of(item.get("content").unwrap_or(&Value::Null))).collect();
    Some(Reply {
        answer: ReplyAnswer::Text(text),
        usage: read_usage(reply, "input_tokens", "output_tokens"),
        cost_usd: None,
        cut_off: reply.get("status").and_then(Value::as_str) == Some("incomplete"),
    })
}

/// Content is a text, or a list of parts with texts.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str)).collect()
        }
        _ => String::new(),
    }
}

fn read_usage(reply: &Value, input: &str, output: &str) -> Usage {
    let count = |path: &str| reply.pointer(&format!("/usage/{path}")).and_then(Value::as_u64).unwrap_or(0);
    Usage {
        input_tokens: count(input),
        cached_input_tokens: count(&format!("{input}_details/cached_tokens")),
        output_tokens: count(output),
        reasoning_output_tokens: count(&format!("{output}_details/reasoning_tokens")),
    }
}
