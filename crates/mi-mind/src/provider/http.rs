//! One POST of JSON, with bounded retries where the server is busy.
//!
//! Holds: redirects are not followed (a key must not travel to another host); the environment's proxies are not
//! used; a reply is read up to [`REPLY_LIMIT_BYTES`].

use serde_json::{Value, json};
use std::{io::ErrorKind, time::Duration};
use ureq::{Agent, Error, Proxy, http::HeaderMap};

use super::Call;
use crate::{AskError, HttpSettings, prompt::REQUEST_LIMIT_BYTES};

/// The most bytes of a reply that are read.
const REPLY_LIMIT_BYTES: u64 = 2 * 1024 * 1024;
const MOST_TRIES: u32 = 8;
const FIRST_WAIT: Duration = Duration::from_millis(500);
/// How much of a server's own words an error repeats.
const MESSAGE_BYTES: usize = 300;

/// Where a request goes.
pub(crate) struct Endpoint<'a> {
    pub(crate) settings: &'a HttpSettings,
    pub(crate) url: String,
    pub(crate) headers: Vec<(&'static str, String)>,
    /// The variable the key comes from, for advice.
    pub(crate) key_name: &'static str,
}

struct Response {
    status: u16,
    retry_after: Option<Duration>,
    body: String,
}

enum Failure {
    /// The connection broke; another try may work.
    Broken(String),
    Final(AskError),
}

impl Endpoint<'_> {
    /// The JSON of a 2xx reply.
    pub(crate) fn post(&self, body: &Value, call: &mut Call<'_>) -> Result<Value, AskError> {
        let bytes = body.to_string();
        if bytes.len() > REQUEST_LIMIT_BYTES {
            return Err(AskError::TooLarge { bytes: bytes.len(), limit: REQUEST_LIMIT_BYTES });
        }
        call.record("request", &json!({"method": "POST", "url": self.place(), "body": body}).to_string())?;
        let mut tries = 0;
        loop {
            tries += 1;
            let time_left = call.begin_try(&self.place())?;
            let (wait, give_up) = match self.post_once(&bytes, time_left, call) {
                Ok(response) => {
                    record_response(&response, call)?;
                    match response.status {
                        200..=299 => return self.read(&response.body),
                        408 | 429 | 500..=599 => (response.retry_after, self.busy(&response, tries, call)),
                        _ => return Err(self.refused(&response, call)),
                    }
                }
                Err(Failure::Broken(message)) => {
                    (None, AskError::Unreachable { place: self.place(), message })
                }
                Err(Failure::Final(error)) => return Err(error),
            };
            let backoff = FIRST_WAIT * 2_u32.pow(tries - 1);
            if tries >= MOST_TRIES || !call.wait(wait.unwrap_or(backoff)) {
                return Err(give_up);
            }
        }
    }

    /// The URL without user name, password and query.
    pub(crate) fn place(&self) -> String {
        let (scheme, rest) = self.url.split_once("://").unwrap_or(("", &self.url));
        let rest = rest.split(['?', '#']).next().unwrap_or_default();
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        let host = host.rsplit('@').next().unwrap_or_default();
        format!("{scheme}://{host}/{path}")
    }

    fn post_once(&self, bytes: &str, time_left: Duration, call: &Call<'_>) -> Result<Response, Failure> {
        let agent = self.agent(time_left).map_err(Failure::Final)?;
        let mut request = agent.post(&self.url).header("content-type", "application/json");
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        let mut response = request.send(bytes).map_err(|error| self.failure(&error, call))?;
        let retry_after = retry_after(response.headers());
        let status = response.status().as_u16();
        let body = response.body_mut().with_config().limit(REPLY_LIMIT_BYTES).read_to_vec();
        let body = body.map_err(|error| self.failure(&error, call))?;
        Ok(Response { status, retry_after, body: String::from_utf8_lossy(&body).into_owned() })
    }

    fn agent(&self, time_left: Duration) -> Result<Agent, AskError> {
        let proxy = match &self.settings.proxy {
            Some(url) if !is_loopback(&self.place()) => {
                Some(Proxy::new(url).map_err(|_| self.unreachable("the proxy URL is not valid"))?)
            }
            _ => None,
        };
        let config = Agent::config_builder()
            .timeout_global(Some(time_left))
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(proxy)
            .user_agent(concat!("mi/", env!("CARGO_PKG_VERSION")))
            .build();
        Ok(Agent::new_with_config(config))
    }

    fn failure(&self, error: &Error, call: &Call<'_>) -> Failure {
        let message = call.scrub.text(&error.to_string());
        match error {
            Error::Timeout(_) => Failure::Final(call.timed_out(&self.place())),
            Error::Io(source) if source.kind() == ErrorKind::TimedOut => {
                Failure::Final(call.timed_out(&self.place()))
            }
            Error::Io(source) if is_broken(source.kind()) => Failure::Broken(message),
            Error::BadUri(_) | Error::Http(_) => {
                Failure::Final(self.unreachable("the base URL or the key is not valid in a request"))
            }
            Error::BodyExceedsLimit(limit) => {
                Failure::Final(self.bad_reply(&format!("more than {limit} bytes")))
            }
            Error::Protocol(_) => Failure::Final(self.bad_reply(&message)),
            _ => Failure::Final(self.unreachable(&message)),
        }
    }

    fn read(&self, body: &str) -> Result<Value, AskError> {
        if body.trim().is_empty() {
            return Err(self.bad_reply("an empty body"));
        }
        serde_json::from_str(body).map_err(|error| self.bad_reply(&format!("not JSON ({error})")))
    }

    pub(crate) fn bad_reply(&self, message: &str) -> AskError {
        AskError::BadReply { place: self.place(), message: message.to_owned() }
    }

    fn unreachable(&self, message: &str) -> AskError {
        AskError::Unreachable { place: self.place(), message: message.to_owned() }
    }

    fn busy(&self, response: &Response, tries: u32, call: &Call<'_>) -> AskError {
        let (place, status) = (self.place(), response.status);
        AskError::Busy { place, status, attempts: tries, message: server_message(response, call) }
    }

    fn refused(&self, response: &Response, call: &Call<'_>) -> AskError {
        let (place, status, message) = (self.place(), response.status, server_message(response, call));
        match status {
            401 | 403 => {
                let advice = match self.settings.key {
                    Some(_) => format!("Check that {} is valid for this server and model", self.key_name),
                    None => format!("Set {}", self.key_name),
                };
                AskError::KeyRefused { place, status, message, advice }
            }
            _ => AskError::Refused { place, status, message },
        }
    }
}

fn record_response(response: &Response, call: &mut Call<'_>) -> Result<(), AskError> {
    let body = serde_json::from_str(&response.body).unwrap_or_else(|_| Value::String(response.body.clone()));
    call.record("response", &json!({"status": response.status, "body": body}).to_string())
}

/// What the server says about its refusal, short and without secrets.
fn server_message(response: &Response, call: &Call<'_>) -> String {
    let parsed: Value = serde_json::from_str(&response.body).unwrap_or_default();
    let told = parsed.pointer("/error/message").or_else(|| parsed.get("message")).and_then(Value::as_str);
    let message = call.scrub.text(told.unwrap_or(&response.body));
    if message.trim().is_empty() {
        "no message".to_owned()
    } else {
        crate::fence::clip(message.trim(), MESSAGE_BYTES)
    }
}

fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let number = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<f64>().ok();
    let seconds = number("retry-after-ms").map(|ms| ms / 1000.0).or_else(|| number("retry-after"))?;
    Duration::try_from_secs_f64(seconds).ok()
}

fn is_broken(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::BrokenPipe
            | ErrorKind::UnexpectedEof
    )
}

fn is_loopback(place: &str) -> bool {
    let host = place.split("://").nth(1).unwrap_or_default();
    ["127.", "localhost", "[::1]"].iter().any(|start| host.starts_with(start))
}
