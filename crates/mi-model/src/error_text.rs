//! An error with its causes, as text.

use std::error::Error;

/// The messages of an error and its causes, outermost first. A cause that the message before it repeats is left out.
pub fn error_messages(error: &dyn Error) -> Vec<String> {
    let mut messages = vec![error.to_string()];
    let mut next = error.source();
    while let Some(cause) = next {
        let message = cause.to_string();
        if !messages.last().is_some_and(|before| before.contains(&message)) {
            messages.push(message);
        }
        next = cause.source();
    }
    messages
}

/// An error with its causes on one line: `error: cause: cause`.
pub fn error_line(error: &dyn Error) -> String {
    error_messages(error).join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("{message}")]
    struct Layer {
        message: &'static str,
        source: Option<Box<Layer>>,
    }

    fn layers(messages: &[&'static str]) -> Layer {
        let source = (messages.len() > 1).then(|| Box::new(layers(&messages[1..])));
        Layer { message: messages[0], source }
    }

    /// Every cause is there once, in order.
    #[test]
    fn causes_follow_the_error_once() {
        assert_eq!(error_line(&layers(&["save the log"])), "save the log");
        let error = layers(&["save the log", "write a.jsonl: disk full", "disk full", "errno 28"]);
        assert_eq!(error_line(&error), "save the log: write a.jsonl: disk full: errno 28");
    }
}
