//! Finds secrets in text and takes them out.

use regex::Regex;
use std::{borrow::Cow, sync::LazyLock};

/// The text with every prefixed token and key block replaced by a mark.
pub fn redact(text: &str) -> Cow<'_, str> {
    static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(-----END [A-Z ]*PRIVATE KEY-----|\z)|\b(gh[pousr]_[A-Za-z0-9]{36}|sk-[A-Za-z0-9_-]{20,}|AKIA[0-9A-Z]{16}|xox[abprs]-[A-Za-z0-9-]{10,})")
            .expect("the pattern is a constant")
    });
    TOKEN.replace_all(text, "[REDACTED]")
}
