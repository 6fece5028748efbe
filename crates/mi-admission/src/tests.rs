//! The whole way from bytes to a verdict.

use super::*;

fn now() -> Timestamp {
    Timestamp::from_millis(1_770_000_000_000)
}

fn verdict(text: &str) -> Verdict {
    admit(text.as_bytes(), &Policies::builtin(), &Exceptions::none(), now())
}

/// The example with a real digest is admitted, and comes out as the struct it went in as.
#[test]
fn a_good_request_is_admitted() {
    let example = RunSpec::example();
    let verdict = verdict(&example.to_json());
    assert_eq!(verdict.denials(), []);
    assert_eq!(verdict.spec(), Some(&example));
}
