//! `POST /decision/bundle`: the hand-over for clients that speak plain HTTP, beside the MCP endpoint.
//!
//! Holds: the same fields and the same answer as the tool `deliver_submit`; only this machine is listened to, by `Host` and
//! `Origin`, and only JSON is taken, which no web page can send here unasked.

use std::convert::Infallible;

use http_body_util::{BodyExt, Full, Limited, combinators::BoxBody};
use hyper::{
    Method, Request, Response, StatusCode,
    body::{Bytes, Incoming},
    header::{ALLOW, CONTENT_TYPE, HOST, HeaderMap, HeaderName, ORIGIN},
};
use mi_formats::strict_json::parse_value_with_double;
use serde_json::{Value, json};

use crate::{Server, lines::MAX_LINE_BYTES};

pub(crate) const PATH: &str = "/decision/bundle";
const HOSTS: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

pub(crate) type Answer = Response<BoxBody<Bytes, Infallible>>;

/// Answers one request.
pub(crate) async fn answer(server: &Server, request: Request<Incoming>) -> Answer {
    if !is_local(request.headers()) {
        return rejected(StatusCode::FORBIDDEN, "only this machine may ask");
    }
    if request.method() != Method::POST {
        let mut answer = rejected(StatusCode::METHOD_NOT_ALLOWED, "POST a decision bundle");
        answer.headers_mut().insert(ALLOW, hyper::header::HeaderValue::from_static("POST"));
        return answer;
    }
    let is_json =
        text(request.headers(), CONTENT_TYPE).is_some_and(|kind| kind.starts_with("application/json"));
    if !is_json {
        return rejected(StatusCode::UNSUPPORTED_MEDIA_TYPE, "send application/json");
    }
    let Ok(body) = Limited::new(request.into_body(), MAX_LINE_BYTES).collect().await else {
        return rejected(StatusCode::PAYLOAD_TOO_LARGE, "the bundle is too large, or was cut off");
    };
    match parse_value_with_double(&body.to_bytes()) {
        Ok((_, Some(key))) => {
            rejected(StatusCode::BAD_REQUEST, &format!("the key `{key}` of the bundle stands twice"))
        }
        Ok((bundle, None)) if bundle.is_object() => submit(server, bundle).await,
        Ok(_) => rejected(StatusCode::BAD_REQUEST, "a bundle is a JSON object"),
        Err(error) => rejected(StatusCode::BAD_REQUEST, &format!("not JSON: {error}")),
    }
}

async fn submit(server: &Server, bundle: Value) -> Answer {
    match server.submit(bundle).await {
        Ok(Ok(answer)) if answer.get("status") == Some(&json!("rejected")) => {
            reply(StatusCode::CONFLICT, &answer)
        }
        Ok(Ok(answer)) => reply(StatusCode::OK, &answer),
        Ok(Err(problem)) => rejected(StatusCode::BAD_REQUEST, &problem),
        Err(problem) => rejected(StatusCode::INTERNAL_SERVER_ERROR, &problem),
    }
}

fn is_local(headers: &HeaderMap) -> bool {
    let host = text(headers, HOST).is_some_and(|host| HOSTS.contains(&without_port(host)));
    let origin = text(headers, ORIGIN).is_none_or(|origin| {
        let rest = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        rest.is_some_and(|host| HOSTS.contains(&without_port(host)))
    });
    host && origin && headers.get_all(HOST).iter().count() == 1
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

fn rejected(status: StatusCode, problem: &str) -> Answer {
    reply(status, &json!({"submission_id": null, "status": "rejected", "error": problem}))
}

pub(crate) fn reply(status: StatusCode, value: &Value) -> Answer {
    let body = Full::new(Bytes::from(value.to_string())).boxed();
    let mut answer = Response::new(body);
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, hyper::header::HeaderValue::from_static("application/json"));
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names of this machine, with and without a port, are taken; others and a page's origin are not.
    #[test]
    fn only_this_machine_is_listened_to() {
        let headers = |pairs: &[(HeaderName, &'static str)]| {
            let made = pairs
                .iter()
                .map(|(name, value)| (name.clone(), hyper::header::HeaderValue::from_static(value)));
            is_local(&made.collect())
        };
        assert!(
            headers(&[(HOST, "127.0.0.1:8765")])
                && headers(&[(HOST, "[::1]:1")])
                && headers(&[(HOST, "localhost")])
        );
        assert!(headers(&[(HOST, "localhost:1"), (ORIGIN, "http://localhost:3000")]));
        assert!(
            !headers(&[])
                && !headers(&[(HOST, "evil.example")])
                && !headers(&[(HOST, "localhost.evil.example:80")])
        );
        assert!(!headers(&[(HOST, "localhost:1"), (ORIGIN, "https://evil.example")]));
        assert!(!headers(&[(HOST, "localhost:1"), (ORIGIN, "null")]));
    }
}
