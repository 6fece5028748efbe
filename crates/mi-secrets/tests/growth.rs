//! Four times the text takes about four times as long, whatever the text repeats.

#![expect(clippy::disallowed_methods, reason = "a test that measures")]

use std::time::{Duration, Instant};

use mi_secrets::find;

/// Each was slow once, or has a rule that reads on from every place where it stands.
#[rustfmt::skip]
const SHAPES: &[&str] = &[
    "curl -u ", "curl -u a: ", "curl --user ", "curl -u-u-u-u", "mysql ", "mysql -p ", "login -", "redis-cli ", "login a password ", "sshpass -p ",
    "password=", "password: ", "password:\n ", "PASSWORD=", "secret=\"", "secret:\\\"a", "token is ", "<token>", "--token ", "pass:", "password a1b2c3 ", "password=<", "password: a&", "password=\"a b ",
    "cookie:", "cookie:a=1;", "bearer ", "basic ", "eyJ", "eyJaaaaaaaa.", "SG.", "12345678:AA", "sig=", "AccountKey=", "auth\":", ":5432:a:b", "*:*:*:",
    "jdbc:oracle:thin:a/", "IncomingWebhook/", "://a:", "://a:b@", "phone ", "card n", "card no 1 ", "iban ", "a@", "a@b.cd ", "\u{624b}\u{673a}", "-----BEGIN PRIVATE KEY-----", "sk-", "AKIA", "[REDACTED:",
    "bm8gc2VjcmV0IGhlcmUsIG9ubHkgdGV4dCEh", "6e6f20736563726574", "13812345678", "\\", "=", "\u{5bc6}\u{7801}",
];

fn time(text: &str) -> Duration {
    let started = Instant::now();
    std::hint::black_box(find(text));
    started.elapsed()
}

/// Whether one text takes less than twelve times as long as another. Other programs only ever make a run slower, so the
/// fastest runs are compared, and there are more of them as long as the answer is no.
fn is_near(long: &str, short: &str) -> bool {
    let (mut slow, mut fast) = (Duration::MAX, Duration::MAX);
    (0..40).any(|_| {
        (slow, fast) = (slow.min(time(long)), fast.min(time(short)));
        slow < 12 * fast.max(Duration::from_micros(500))
    })
}

/// No text takes more than linear time.
#[test]
fn time_grows_with_the_text() {
    for shape in SHAPES {
        let text = |bytes: usize| shape.repeat(bytes / shape.len());
        assert!(is_near(&text(64 * 1024), &text(16 * 1024)), "{shape:?} again and again");
    }
}

/// Lines that are as long as the longest value cost little more than short ones: a value that is part of another is not
/// read again.
#[test]
fn values_in_values_are_read_once() {
    for shape in ["password=", "token1=", "PASSWORD_A=", "secret:"] {
        let lines = |names: usize| format!("{}\n", shape.repeat(names)).repeat(4_000 / names);
        assert!(is_near(&lines(400), &lines(20)), "{shape:?}");
    }
}
