//! Finds secrets and personal data in text, and takes them out.
//!
//! [`find`] names what stands where, [`redact`] replaces it, [`contains_secret`] only says whether. One pass of
//! a literal prefilter picks the rules that look closer, so ordinary text costs little and only the patterns
//! that are needed are ever built.
//! Holds: no input panics; ranges lie on character boundaries; redacting twice changes nothing more.
//! Elsewhere: who is told, and what is refused because of a finding, is the caller's.

mod assign;
mod between;
mod checksum;
mod class;
mod commands;
mod cookie;
mod forms;
mod key_block;
mod memory;
pub mod people;
mod personal;
mod placeholder;
mod prefilter;
mod reading;
mod redact;
mod rule;
mod runs;
mod scan;
mod shapes;
mod spoken;
mod tokens;
mod value;

pub use redact::{contains_secret, redact};
pub use rule::Rule;
pub use scan::find;

/// One thing that was found, as a byte range of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finding {
    /// The rule that found it.
    pub rule: Rule,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// How sure the rule is.
    pub level: Level,
}

/// How sure a finding is, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Worth a look: long random text, a bare phone number. Never redacted.
    Notice,
    /// Has a secret's prefix and enough characters, but not its exact length or checksum. Redacted.
    Suspect,
    /// Has the exact form of a secret, or stands where a secret stands. Redacted and worth a warning.
    Secret,
}

impl Level {
    /// Whether [`redact`] takes it out.
    pub fn is_redacted(self) -> bool {
        self >= Self::Suspect
    }
}

#[cfg(test)]
mod adversarial;
#[cfg(test)]
mod examples;
#[cfg(test)]
mod innocent;
#[cfg(test)]
mod reference;
