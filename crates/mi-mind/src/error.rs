//! Why a model gave no answer: what was tried, where, and what to do about it.

/// Why there is no answer. The text is what the record and the person see; it never holds a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    #[error("{place} refused the key (HTTP {status}): {message}. {advice}")]
    KeyRefused { place: String, status: u16, message: String, advice: String },
    #[error(
        "{place} is over its limit or failing (HTTP {status}) after {attempts} tries: {message}. Try again later, or choose another mind"
    )]
    Busy { place: String, status: u16, attempts: u32, message: String },
    #[error("{place} refused the request (HTTP {status}): {message}. Check the model name and the base URL")]
    Refused { place: String, status: u16, message: String },
    #[error("reach {place}: {message}. Check the base URL and that the server is running")]
    Unreachable { place: String, message: String },
    #[error("{place} gave no answer within {seconds} s. Raise the mind's timeout, or choose a faster model")]
    TimedOut { place: String, seconds: u64 },
    #[error("{place} sent something that is no reply of this API: {message}. Check the base URL")]
    BadReply { place: String, message: String },
    #[error("run {place} as the mind: {message}")]
    Agent { place: String, message: String },
    #[error("the model's answer was refused twice; first: {first}; then: {second}")]
    BadAnswer { first: String, second: String },
    #[error("the request would have {bytes} bytes, more than {limit}: lower the mind's evidence budget")]
    TooLarge { bytes: usize, limit: usize },
    #[error("write the mind's transcript: {message}. Nothing is asked that cannot be recorded")]
    Transcript { message: String },
}
