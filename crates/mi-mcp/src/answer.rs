//! What a client is answered: results of tools, and errors that belong to no tool.

use rmcp::{
    ErrorData,
    model::{CallToolResult, ContentBlock, CustomRequest, ErrorCode},
};
use serde_json::{Value, json};

/// A success carries its JSON as text and as structured content; a refusal does too, and says that it is one (NX-007).
/// What is Markdown and nothing else is its own text: a model pastes it as it stands.
pub(crate) fn result_of(outcome: Result<Value, String>) -> CallToolResult {
    match outcome {
        Ok(value) => {
            let alone = value.as_object().filter(|fields| fields.len() == 1);
            let markdown = alone.and_then(|fields| fields.get("markdown")?.as_str()).map(str::to_owned);
            let mut result = CallToolResult::structured(value);
            if let Some(text) = markdown {
                result.content = vec![ContentBlock::text(text)];
            }
            result
        }
        Err(error) => CallToolResult::structured_error(json!({"error": error})),
    }
}

pub(crate) fn unknown_tool(name: &str) -> ErrorData {
    ErrorData::invalid_params(format!("Unknown tool: {name}"), None)
}

/// The SDK takes a request of a known method whose parameters it cannot read for one of an unknown method.
pub(crate) fn unknown_request(request: &CustomRequest) -> ErrorData {
    let method = &request.method;
    match expected(method) {
        Some(expected) => ErrorData::invalid_params(format!("Invalid params for {method}: {expected}"), None),
        None => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("Method not found: {method}"), None),
    }
}

fn expected(method: &str) -> Option<&'static str> {
    match method {
        "initialize" => Some("protocolVersion, capabilities and clientInfo {name, version} are required"),
        "tools/call" => Some("`name` is a string, `arguments` an object"),
        "tools/list" => Some("`cursor` is a string"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An error can be seen by whoever looks at `isError`, at the text or at the structure.
    #[test]
    fn nx_007_an_error_is_seen_in_every_way() {
        let result = serde_json::to_value(result_of(Err("Issue 9 not found".to_owned()))).unwrap();
        assert_eq!(result["isError"], true);
        assert_eq!(result["structuredContent"], json!({"error": "Issue 9 not found"}));
        assert_eq!(result["content"][0]["text"], r#"{"error":"Issue 9 not found"}"#);
    }

    /// A success is the same JSON twice.
    #[test]
    fn nx_003_a_success_is_text_and_structure() {
        let result = serde_json::to_value(result_of(Ok(json!({"active": false})))).unwrap();
        assert_eq!(result["isError"], false);
        assert_eq!(result["structuredContent"], json!({"active": false}));
        assert_eq!(result["content"], json!([{"type": "text", "text": r#"{"active":false}"#}]));
    }

    /// Markdown is told as Markdown, not as JSON around it (section 7: `context.get` returns Markdown).
    #[test]
    fn section_7_markdown_is_told_as_it_stands() {
        let result = serde_json::to_value(result_of(Ok(json!({"markdown": "## Summary\n"})))).unwrap();
        assert_eq!(result["content"], json!([{"type": "text", "text": "## Summary\n"}]));
        assert_eq!(result["structuredContent"], json!({"markdown": "## Summary\n"}));
    }

    /// A known method with unreadable parameters is not called unknown.
    #[test]
    fn wrong_parameters_are_named() {
        let explain = |method: &str| unknown_request(&CustomRequest::new(method, None));
        assert_eq!(explain("tools/call").code, ErrorCode::INVALID_PARAMS);
        assert_eq!(explain("no/such").code, ErrorCode::METHOD_NOT_FOUND);
    }
}
