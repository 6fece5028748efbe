//! Servers that speak no API at all: each gives a failure in words, never a value.

use mi_mind::{MindSettings, Provider, SecretText};
use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    thread,
    time::Duration,
};

use crate::support::{DIALECTS, Dialect, Outcome, ask, question};

/// Answers every connection with these bytes, whatever was asked.
fn ask_server_that_sends(dialect: Dialect, bytes: Vec<u8>) -> Outcome {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            read_request(&mut stream);
            // The client may leave in the middle of a huge reply.
            let _ = stream.write_all(&bytes);
        }
    });
    ask(MindSettings::new(dialect.provider(&format!("http://{address}/v1"))), &question())
}

fn read_request(stream: &mut TcpStream) {
    let mut request = Vec::new();
    let mut piece = [0; 65536];
    while !is_whole(&request) {
        let read = stream.read(&mut piece).unwrap();
        assert!(read > 0, "the client left before it asked");
        request.extend_from_slice(&piece[..read]);
    }
}

fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request);
    let Some((head, _)) = text.split_once("\r\n\r\n") else { return false };
    let length = head
        .lines()
        .find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse::<usize>().ok());
    request.len() >= head.len() + 4 + length.expect("a request has a length")
}

fn reply(status: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

/// Empty, foreign, cut, invalid and oversized replies, over every dialect.
#[test]
fn broken_replies_are_failures() {
    let cases: [(&str, Vec<u8>, &str); 9] = [
        ("empty body", reply("200 OK", b""), "an empty body"),
        ("white space", reply("200 OK", b" \n"), "an empty body"),
        ("a web page", reply("200 OK", b"<html>Log in</html>"), "not JSON"),
        ("invalid UTF-8", reply("200 OK", b"\xff\xfe{"), "not JSON"),
        ("other JSON", reply("200 OK", br#"{"error":{"message":"x"}}"#), "JSON without an answer in it"),
        (
            "wrong shapes",
            reply("200 OK", br#"{"choices":{},"output":7,"content":"x"}"#),
            "JSON without an answer in it",
        ),
        ("not HTTP", b"SSH-2.0-OpenSSH_9.2\r\n\r\n".to_vec(), "is no reply of this API"),
        ("huge body", reply("200 OK", &vec![b'['; 9 << 20]), "more than 2097152 bytes"),
        ("a redirect", reply("302 Found\r\nlocation: http://127.0.0.1:1/", b""), "(HTTP 302)"),
    ];
    for dialect in DIALECTS {
        for (name, bytes, expected) in &cases {
            let outcome = ask_server_that_sends(dialect, bytes.clone());
            assert_eq!(outcome.answer.value, None, "{name}");
            assert!(outcome.error().contains(expected), "{dialect:?}, {name}: {}", outcome.error());
            assert_eq!(outcome.answer.call.attempts, 1, "{name}");
        }
    }
}

/// Deeply nested JSON is refused by the parser, not by the stack.
#[test]
fn nested_reply_does_not_overflow() {
    let outcome = ask_server_that_sends(Dialect::Chat, reply("200 OK", &vec![b'['; 1 << 20]));
    assert!(outcome.error().contains("recursion limit"), "{}", outcome.error());
}

/// A reply that comes drop by drop does not hold the question past its timeout.
#[test]
fn trickling_reply_is_left_at_the_timeout() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        read_request(&mut stream);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n");
        while stream.write_all(b" ").is_ok() {
            thread::sleep(Duration::from_millis(20));
        }
    });
    let mut settings = MindSettings::new(Dialect::Chat.provider(&format!("http://{address}/v1")));
    settings.timeout = Duration::from_millis(500);
    let outcome = ask(settings, &question());
    assert!(outcome.error().contains("gave no answer within"), "{}", outcome.error());
    assert!((400..5_000).contains(&outcome.answer.call.latency_ms), "{}", outcome.answer.call.latency_ms);
}

/// A key that fits in no header, for example with a line break in it, is said and not shown.
#[test]
fn unusable_key_is_an_error() {
    let mut provider = Dialect::Chat.provider("http://127.0.0.1:1/v1");
    if let Provider::OpenAi { http, .. } = &mut provider {
        http.key = Some(SecretText::new("two-lines\nof-a-key"));
    }
    let outcome = ask(MindSettings::new(provider), &question());
    assert!(
        outcome.error().contains("the base URL or the key is not valid in a request"),
        "{}",
        outcome.error()
    );
    assert!(!outcome.error().contains("of-a-key"));
}

/// A connection that breaks before the reply is tried again, within bounds.
#[test]
fn broken_connection_is_retried_within_bounds() {
    let outcome = ask_server_that_sends(Dialect::Chat, Vec::new());
    assert_eq!(
        (outcome.answer.value.as_ref(), outcome.answer.call.attempts),
        (None, 6),
        "{}",
        outcome.error()
    );
}

/// Nobody listening, no such host and no URL at all: one clear message each, at once.
#[test]
fn unreachable_servers_are_named() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let nobody = format!("http://127.0.0.1:{port}/v1");
    for (base_url, expected) in [
        (nobody.as_str(), "Check the base URL and that the server is running"),
        ("http://user:hunter2@127.0.0.1:1/v1", "reach http://127.0.0.1:1/v1/"),
        ("not a url", "Check the base URL"),
        ("", "Check the base URL"),
        ("file:///etc/passwd", "Check the base URL"),
    ] {
        for dialect in DIALECTS {
            let outcome = ask(MindSettings::new(dialect.provider(base_url)), &question());
            assert_eq!(
                (outcome.answer.value.as_ref(), outcome.answer.call.attempts),
                (None, 1),
                "{base_url}"
            );
            assert!(outcome.error().contains(expected), "{base_url}: {}", outcome.error());
            assert!(!outcome.error().contains("hunter2"));
        }
    }
}
