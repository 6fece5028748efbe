//! A run request becomes one typed spec, or a verdict that names every rule against it (CHORUS Rules A F I N S W X).
//!
//! [`admit`] reads a request strictly, asks the built-in Rego policies, the same rules written in Rust and the
//! organisation's policies, and lets Exception DRs lift single rules. Any of them denies; none can be left out.
//!
//! Holds: no input panics; whatever is missing, undefined, slow or not literally `true` denies; a spec comes out only
//! with an admission.
//! Elsewhere: reading files, journalling exceptions and running the box are the caller's.

mod document;
mod draft;
mod examples;
mod exception;
mod found;
mod image;
mod policies;
mod rules;
mod spec;
mod typed;
mod uploads;
mod verdict;

#[cfg(test)]
mod tests;

pub use document::{MAX_BYTES, MAX_DEPTH};
pub use examples::{RuleTest, test_rules};
pub use exception::{ExceptionError, ExceptionRecord, Exceptions};
pub use found::begins_key;
pub use mi_model::RunLimits;
pub use policies::{Policies, PolicySource};
pub use rules::{RULES, Rule, rule_named};
pub use spec::{Mount, RunSpec};
pub use uploads::find as uploads_in;
pub use verdict::{Denial, Verdict, Waived};

use document::Document;
use mi_model::Timestamp;

/// Judges a request.
pub fn admit(bytes: &[u8], policies: &Policies, exceptions: &Exceptions, now: Timestamp) -> Verdict {
    admit_with(bytes, &Instead::default(), policies, exceptions, now)
}

/// What is said beside a request and stands for what it says itself (X2). A request must be whole all the same.
#[derive(Debug, Clone, Default)]
pub struct Instead<'a> {
    /// None if empty.
    pub command: &'a [String],
    pub image: Option<&'a str>,
    pub task_id: Option<&'a str>,
}

/// Judges a request as it would run: what is replaced in it is not asked about.
pub fn admit_with(
    bytes: &[u8],
    instead: &Instead<'_>,
    policies: &Policies,
    exceptions: &Exceptions,
    now: Timestamp,
) -> Verdict {
    match document::read(bytes) {
        Ok(mut document) => {
            document.put(instead);
            judge(&document, ImageRule::Asked, policies, exceptions, now)
        }
        Err(denial) => Verdict::Denied { denials: vec![denial.redacted()], waived: Vec::new() },
    }
}

/// Whether rule I is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageRule {
    /// A run without an image is denied.
    Asked,
    /// The engine has no images: a spec without one may pass; one that is there is still checked.
    NotAsked,
}

/// Judges a spec that was put together here, by the same rules and the same way as a request.
pub fn admit_spec(
    spec: &RunSpec,
    image: ImageRule,
    policies: &Policies,
    exceptions: &Exceptions,
    now: Timestamp,
) -> Verdict {
    let without = if spec.image.is_none() { image } else { ImageRule::Asked };
    match document::read(spec.to_json().as_bytes()) {
        Ok(document) => judge(&document, without, policies, exceptions, now),
        Err(denial) => Verdict::Denied { denials: vec![denial.redacted()], waived: Vec::new() },
    }
}

fn judge(
    document: &Document,
    image: ImageRule,
    policies: &Policies,
    exceptions: &Exceptions,
    now: Timestamp,
) -> Verdict {
    let (draft, shape) = draft::read(&document.root, &policies.env_allow);
    let found = found::look(&document.root, &draft);
    let mut denials = document.doubles.clone();
    denials.extend(shape);
    let typed = typed::check(&draft, &found, &policies.env_allow);
    let skipped: &[&str] = if image == ImageRule::NotAsked { &["I.image"] } else { &[] };
    let by_policies = policies.ask(&document.root, &found, skipped);
    // What only a policy says is added; what both say has the better words here.
    let only_policies: Vec<Denial> = by_policies
        .into_iter()
        .filter(|denial| !typed.iter().any(|known| known.rule == denial.rule))
        .collect();
    denials.extend(typed);
    denials.extend(only_policies);
    if image == ImageRule::NotAsked {
        denials.retain(|denial| denial.field != "image");
    }
    conclude(draft, denials, exceptions, now)
}

fn conclude(draft: draft::Draft, denials: Vec<Denial>, exceptions: &Exceptions, now: Timestamp) -> Verdict {
    let (mut standing, mut waived) = (Vec::new(), Vec::new());
    for denial in denials.into_iter().map(Denial::redacted) {
        match exceptions.lifting(&denial.rule, now) {
            Some(exception) => waived.push(Waived { denial, exception: exception.clone() }),
            None => standing.push(denial),
        }
    }
    standing.sort();
    standing.dedup();
    match draft.into_spec() {
        Some(spec) if standing.is_empty() => Verdict::Admitted { spec: Box::new(spec), waived },
        None if standing.is_empty() => {
            let reason = "the request cannot be held in numbers of 64 bits";
            Verdict::Denied { denials: vec![Denial::new("A.type", "limits", reason)], waived }
        }
        _ => Verdict::Denied { denials: standing, waived },
    }
}
