//! Four times the text takes about four times as long, whatever the text repeats.

#![expect(clippy::disallowed_methods, reason = "a test that measures")]

use std::time::{Duration, Instant};

use mi_secrets::find;

/// Each was slow once, or has a rule that reads on from every place where it stands.
#[rustfmt::skip]
const SHAPES: &[&str] = &[
    "curl -u ", "curl -u a: ", "curl --user ", "curl -u-u-u-u", "mysql ", "mysql -p ", "login -", "redis-cli ", "login a password ", "sshpass -p ",
    "password=", "password: ", "password:\n ", "PASSWORD=", "secret=\"", "secret:\\\"a", "token is ", "<token>", "--token ", "pass:",
    "cookie:", "cookie:a=1;", "bearer ", "basic ", "eyJ", "eyJaaaaaaaa.", "SG.", "12345678:AA", "sig=", "AccountKey=", "auth\":", ":5432:a:b", "*:*:*:",
    "jdbc:oracle:thin:a/", "IncomingWebhook/", "://a:", "://a:b@", "phone ", "\u{624b}\u{673a}", "-----BEGIN PRIVATE KEY-----", "sk-", "AKIA", "[REDACTED:",
    "bm8gc2VjcmV0IGhlcmUsIG9ubHkgdGV4dCEh", "6e6f20736563726574", "13812345678", "\\", "=", "\u{5bc6}\u{7801}",
];

fn time(text: &str) -> Duration {
    let runs = (0..2).map(|_| {
        let started = Instant::now();
        std::hint::black_box(find(text));
        started.elapsed()
    });
    runs.min().unwrap_or_default()
}

/// No text takes more than linear time. A wide margin: other programs run beside the test.
#[test]
fn time_grows_with_the_text() {
    for shape in SHAPES {
        let text = |bytes: usize| shape.repeat(bytes / shape.len());
        // Once more if it seems slow: a busy machine is slow now and then, a bad rule always.
        let is_linear = || time(&text(64 * 1024)) < 12 * time(&text(16 * 1024)).max(Duration::from_millis(1));
        assert!((0..3).any(|_| is_linear()), "{shape:?} again and again");
    }
}

/// Lines that are as long as the longest value cost little more than short ones: a value that is part of another is not
/// read again.
#[test]
fn values_in_values_are_read_once() {
    for shape in ["password=", "token1=", "PASSWORD_A=", "secret:"] {
        let lines = |names: usize| format!("{}\n", shape.repeat(names)).repeat(4_000 / names);
        let is_cheap = || time(&lines(400)) < 12 * time(&lines(20)).max(Duration::from_millis(1));
        assert!((0..3).any(|_| is_cheap()), "{shape:?}");
    }
}
