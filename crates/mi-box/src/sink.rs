//! Sends one file to a URL that the person allows. Redirects are not followed: the place was named.

use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(300);

/// `PUT`s the bytes; any answer but success is an error.
pub fn put(url: &str, bytes: &[u8]) -> Result<(), String> {
    let agent: ureq::Agent =
        ureq::Agent::config_builder().max_redirects(0).timeout_global(Some(PATIENCE)).build().into();
    let answer = agent.put(url).send(bytes).map_err(|error| error.to_string())?;
    match answer.status().as_u16() {
        200..=299 => Ok(()),
        other => Err(format!("it answered {other}")),
    }
}
