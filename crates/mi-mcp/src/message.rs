//! From a line to a message, or to the error that its sender is told.

use mi_formats::strict_json::parse_value_with_double;
use rmcp::{
    ErrorData,
    model::{ClientJsonRpcMessage, ClientRequest, ErrorCode, GetMeta, NumberOrString, RequestId},
};
use serde_json::Value;

use crate::{
    answer::unknown_request,
    lines::{Line, MAX_LINE_BYTES},
};

/// A line that is no message: which request it was, if that can be told, and why it is refused.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) id: Option<RequestId>,
    pub(crate) error: ErrorData,
}

/// What a line turned out to be.
#[derive(Debug)]
pub(crate) enum Reading {
    Message(Box<ClientJsonRpcMessage>),
    Refused(Refusal),
    /// An empty line, which needs no answer.
    Nothing,
}

pub(crate) fn read(line: &Line) -> Reading {
    let bytes = match line {
        Line::Whole(bytes) if bytes.iter().all(u8::is_ascii_whitespace) => return Reading::Nothing,
        Line::Whole(bytes) => bytes,
        Line::TooLong { start, end } => return Reading::Refused(too_long(start, end)),
    };
    let (value, twice) = match parse_value_with_double(bytes) {
        Ok(read) => read,
        Err(error) => {
            let error = ErrorData::new(ErrorCode::PARSE_ERROR, format!("Parse error: {error}"), None);
            return Reading::Refused(Refusal { id: id_in(bytes), error });
        }
    };
    let id = value.get("id").and_then(request_id);
    if let Some(key) = twice {
        return Reading::Refused(Refusal { id, error: stands_twice(&key) });
    }
    serde_json::from_value(value).map_or_else(
        |_| {
            let error =
                ErrorData::invalid_request("Invalid request: one JSON-RPC 2.0 message per line", None);
            Reading::Refused(Refusal { id, error })
        },
        |message| Reading::Message(Box::new(message)),
    )
}

/// What a message is answered in which a key stands twice.
pub(crate) fn stands_twice(key: &str) -> ErrorData {
    ErrorData::invalid_request(format!("Invalid request: the key `{key}` stands twice"), None)
}

/// Whether the SDK's handshake ends with this message, after which notifications are welcome.
pub(crate) fn opens(message: &ClientJsonRpcMessage) -> bool {
    let ClientJsonRpcMessage::Request(request) = message else { return false };
    match &request.request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        other => other.get_meta().protocol_version().is_some(),
    }
}

/// A request that no handler could make sense of, before there is a handler to say so.
pub(crate) fn unreadable(message: &ClientJsonRpcMessage) -> Option<Refusal> {
    let ClientJsonRpcMessage::Request(request) = message else { return None };
    let ClientRequest::CustomRequest(custom) = &request.request else { return None };
    Some(Refusal { id: Some(request.id.clone()), error: unknown_request(custom) })
}

fn request_id(value: &Value) -> Option<RequestId> {
    match value {
        Value::Number(number) => number.as_i64().map(NumberOrString::Number),
        Value::String(text) => Some(NumberOrString::String(text.as_str().into())),
        _ => None,
    }
}

fn too_long(start: &[u8], end: &[u8]) -> Refusal {
    let error = ErrorData::invalid_request(
        format!("Message too long: at most {MAX_LINE_BYTES} bytes are taken"),
        None,
    );
    Refusal { id: id_at_start(start).or_else(|| id_at_end(end)), error }
}

/// The id in a text that looks like one message but is none: a lone surrogate, a number out of bounds, nested too deep.
fn id_in(bytes: &[u8]) -> Option<RequestId> {
    let text = bytes.trim_ascii();
    let is_object = text.starts_with(b"{") && text.ends_with(b"}");
    is_object.then(|| id_at_start(text).or_else(|| id_at_end(text))).flatten()
}

/// Clients write the id first or last. Inside, it could be a tool's own `id`, and another request would be answered.
fn id_at_start(start: &[u8]) -> Option<RequestId> {
    let text = String::from_utf8_lossy(start);
    let before_params = text.split("\"params\"").next()?;
    let (_, after) = before_params.split_once("\"id\"")?;
    first_value(after.trim_start().strip_prefix(':')?)
}

fn id_at_end(end: &[u8]) -> Option<RequestId> {
    let text = String::from_utf8_lossy(end);
    let (_, after) = text.rsplit_once("\"id\"")?;
    let value = after.trim_start().strip_prefix(':')?.trim_end().strip_suffix('}')?;
    request_id(&serde_json::from_str(value).ok()?)
}

fn first_value(text: &str) -> Option<RequestId> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    request_id(&values.next()?.ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> (Option<RequestId>, i32) {
        match read(&Line::Whole(text.as_bytes().to_vec())) {
            Reading::Refused(refusal) => (refusal.id, refusal.error.code.0),
            other => panic!("{other:?}"),
        }
    }

    /// What is no message is refused with its id where it has one.
    #[test]
    fn refusals_name_the_request() {
        assert_eq!(refusal("garbage"), (None, -32700));
        assert_eq!(refusal("{\"jsonrpc\":\"2.0\",\"id\":1"), (None, -32700));
        assert_eq!(refusal("[]"), (None, -32600));
        for odd in ["\"\\ud800\"", "1e400", &("[".repeat(200) + &"]".repeat(200))] {
            let first = format!("{{\"id\":7,\"method\":\"tools/call\",\"params\":{{\"id\":9,\"a\":{odd}}}}}");
            assert_eq!(refusal(&first), (Some(NumberOrString::Number(7)), -32700), "{first}");
            let last =
                format!("{{\"method\":\"tools/call\",\"params\":{{\"id\":9,\"a\":{odd}}},\"id\":\"x\"}}");
            assert_eq!(refusal(&last), (Some(NumberOrString::String("x".into())), -32700), "{last}");
            let without = format!("{{\"method\":\"x\",\"params\":{{\"a\":{odd},\"id\":9}}}}");
            assert_eq!(refusal(&without), (None, -32700), "{without}");
        }
        assert_eq!(refusal("{\"id\":7}"), (Some(NumberOrString::Number(7)), -32600));
        let twice = r#"{"id":7,"jsonrpc":"2.0","method":"ping","params":{"a":1,"a":2}}"#;
        assert_eq!(refusal(twice), (Some(NumberOrString::Number(7)), -32600));
        assert!(matches!(read(&Line::Whole(b"  \r".to_vec())), Reading::Nothing));
    }

    /// The id of a message that was too long is found at its ends, and never guessed from its middle.
    #[test]
    fn ids_are_found_at_the_ends_alone() {
        let found = |start: &str, end: &str| too_long(start.as_bytes(), end.as_bytes()).id;
        let three = Some(NumberOrString::Number(3));
        assert_eq!(
            found("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"a", "x\"}}"),
            three
        );
        assert_eq!(
            found(
                "{\"method\":\"tools/call\",\"params\":{\"id\":9,\"a",
                "x\"},\"jsonrpc\":\"2.0\",\"id\":3}"
            ),
            three
        );
        assert_eq!(found("{\"method\":\"tools/call\",\"params\":{\"id\":9,\"a", "x\",\"id\":8}}"), None);
        let text = Some(NumberOrString::String("a-1".into()));
        assert_eq!(found("{ \"id\" : \"a-1\", \"params\"", ""), text);
    }
}
