//! HTTP/1.1 over the engine's socket: one request per connection, bounded, with a time limit.

use serde_json::Value;
use std::{
    fmt::Write as _,
    fs::File,
    io::{self, BufRead, BufReader, Read, Write},
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    time::Duration,
};

const PATIENCE: Duration = Duration::from_secs(60);
const HEAD_BYTES: u64 = 64 << 10;
const BODY_BYTES: u64 = 64 << 20;

/// Asks one engine.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    socket: PathBuf,
}

#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) body: Vec<u8>,
    /// Podman says with every answer that it is one.
    pub(crate) is_podman: bool,
}

/// Why an engine gave no answer, or not the one that was wanted.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AskError {
    #[error("the container engine at {} does not run: {source}", .socket.display())]
    NotRunning { socket: PathBuf, source: io::Error },
    #[error("the container engine broke off at {what}: {source}")]
    Broken { what: String, source: io::Error },
    #[error("the container engine answered {what} with {status}: {message}")]
    Refused { what: String, status: u16, message: String },
}

impl AskError {
    pub(crate) fn is_missing(&self) -> bool {
        matches!(self, Self::Refused { status: 404, .. })
    }
}

impl Client {
    pub(crate) fn new(socket: &Path) -> Self {
        Self { socket: socket.to_owned() }
    }

    /// Sends a request and reads the whole answer; a status of 300 or more is an error.
    pub(crate) fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Response, AskError> {
        let what = format!("{method} {}", path.split('?').next().unwrap_or(path));
        let broken = |source| AskError::Broken { what: what.clone(), source };
        let mut stream = self.connect()?;
        send(&mut stream, method, path, body, false).map_err(broken)?;
        let mut reader = BufReader::new(stream);
        let head = read_head(&mut reader).map_err(broken)?;
        let body = read_body(&mut reader, &head).map_err(broken)?;
        accept(&what, &head, body)
    }

    /// As [`Client::ask`] with GET, with the answer written to a file. What is longer than `most` is an error.
    pub(crate) fn download(&self, path: &str, most: u64, file: &mut File) -> Result<(), AskError> {
        let what = format!("GET {path}");
        let broken = |source| AskError::Broken { what: what.clone(), source };
        let mut stream = self.connect()?;
        send(&mut stream, "GET", path, None, false).map_err(broken)?;
        let mut reader = BufReader::with_capacity(128 << 10, stream);
        let head = read_head(&mut reader).map_err(broken)?;
        if head.status == 200 {
            return copy_body(&mut reader, &head, most, file).map_err(broken);
        }
        let body = read_body(&mut reader, &head).map_err(broken)?;
        accept(&what, &head, body).map(drop)
    }

    /// As [`Client::ask`], with the answer read as JSON.
    pub(crate) fn json(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Value, AskError> {
        self.ask(method, path, body)?.json(method, path)
    }

    /// Turns a connection into a stream of the container's output. The reader may hold the first of it already.
    pub(crate) fn attach(&self, path: &str) -> Result<BufReader<UnixStream>, AskError> {
        let what = "POST attach".to_owned();
        let broken = |source| AskError::Broken { what: what.clone(), source };
        let mut stream = self.connect()?;
        send(&mut stream, "POST", path, None, true).map_err(broken)?;
        let mut reader = BufReader::with_capacity(128 << 10, stream);
        let head = read_head(&mut reader).map_err(broken)?;
        if head.status == 101 || head.status == 200 {
            return Ok(reader);
        }
        let body = read_body(&mut reader, &head).map_err(broken)?;
        match accept(&what, &head, body) {
            Ok(_) => Err(broken(io::Error::other("it does not attach"))),
            Err(error) => Err(error),
        }
    }

    fn connect(&self) -> Result<UnixStream, AskError> {
        let connected = UnixStream::connect(&self.socket).and_then(|stream| {
            stream.set_read_timeout(Some(PATIENCE))?;
            stream.set_write_timeout(Some(PATIENCE))?;
            Ok(stream)
        });
        connected.map_err(|source| AskError::NotRunning { socket: self.socket.clone(), source })
    }
}

impl Response {
    pub(crate) fn json(&self, method: &str, path: &str) -> Result<Value, AskError> {
        serde_json::from_slice(&self.body).map_err(|error| AskError::Broken {
            what: format!("{method} {}", path.split('?').next().unwrap_or(path)),
            source: io::Error::other(error),
        })
    }
}

fn accept(what: &str, head: &Head, body: Vec<u8>) -> Result<Response, AskError> {
    let status = head.status;
    // 304 is "it is so already".
    if status < 300 || status == 304 {
        return Ok(Response { body, is_podman: head.is_podman });
    }
    let said = serde_json::from_slice::<Value>(&body).ok();
    let message = said.as_ref().and_then(|said| said["message"].as_str().or(said["cause"].as_str()));
    let message = message.map_or_else(|| String::from_utf8_lossy(&body).trim().to_owned(), str::to_owned);
    Err(AskError::Refused {
        what: what.to_owned(),
        status,
        message: mi_model::shorten(&message, 400).to_string(),
    })
}

fn send(
    stream: &mut UnixStream,
    method: &str,
    path: &str,
    body: Option<&Value>,
    upgrade: bool,
) -> io::Result<()> {
    let body = body.map(Value::to_string).unwrap_or_default();
    let mut head = format!("{method} {path} HTTP/1.1\r\nHost: engine\r\n");
    let _ = match upgrade {
        true => write!(head, "Connection: Upgrade\r\nUpgrade: tcp\r\n"),
        false => write!(head, "Connection: close\r\n"),
    };
    let _ = write!(head, "Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    stream.write_all(head.as_bytes())
}

struct Head {
    status: u16,
    length: Option<u64>,
    chunked: bool,
    is_podman: bool,
}

fn read_head(reader: &mut impl BufRead) -> io::Result<Head> {
    let bad = || io::Error::new(io::ErrorKind::InvalidData, "this is no HTTP answer");
    let mut limited = reader.take(HEAD_BYTES);
    let mut line = String::new();
    limited.read_line(&mut line)?;
    let status = line.strip_prefix("HTTP/1.").and_then(|rest| rest.split(' ').nth(1)?.trim().parse().ok());
    let mut head = Head { status: status.ok_or_else(bad)?, length: None, chunked: false, is_podman: false };
    loop {
        line.clear();
        if limited.read_line(&mut line)? == 0 {
            return Err(bad());
        }
        let text = line.trim_end();
        if text.is_empty() {
            return Ok(head);
        }
        let (name, value) = text.split_once(':').ok_or_else(bad)?;
        match name.to_ascii_lowercase().as_str() {
            "content-length" => head.length = Some(value.trim().parse().map_err(|_| bad())?),
            "libpod-api-version" => head.is_podman = true,
            "transfer-encoding" => head.chunked = value.to_ascii_lowercase().contains("chunked"),
            _ => {}
        }
    }
}

fn read_body(reader: &mut impl BufRead, head: &Head) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    copy_body(reader, head, BODY_BYTES, &mut body)?;
    Ok(body)
}

/// By length, in chunks, or until the end; what is cut off or longer than `most` is an error.
fn copy_body(reader: &mut impl BufRead, head: &Head, most: u64, body: &mut impl Write) -> io::Result<()> {
    if matches!(head.status, 101 | 204 | 304) {
        return Ok(());
    }
    if head.chunked {
        return copy_chunks(reader, most, body);
    }
    let wanted = head.length.unwrap_or(u64::MAX).min(most.saturating_add(1));
    let read = io::copy(&mut reader.take(wanted), body)?;
    match head.length {
        _ if read > most => Err(io::Error::other(TOO_LONG)),
        Some(length) if read < length => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => Ok(()),
    }
}

const TOO_LONG: &str = "the answer is too long";

fn copy_chunks(reader: &mut impl BufRead, most: u64, body: &mut impl Write) -> io::Result<()> {
    let bad = || io::Error::new(io::ErrorKind::InvalidData, "a chunk is not readable");
    let mut line = String::new();
    let mut left = most;
    loop {
        line.clear();
        reader.take(1024).read_line(&mut line)?;
        let digits = line.trim().split(';').next().unwrap_or_default();
        let length = u64::from_str_radix(digits, 16).map_err(|_| bad())?;
        if length == 0 {
            return Ok(());
        }
        left = left.checked_sub(length).ok_or_else(|| io::Error::other(TOO_LONG))?;
        if io::copy(&mut reader.take(length), body)? != length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        line.clear();
        reader.take(2).read_line(&mut line)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(text: &str) -> io::Result<Vec<u8>> {
        let mut reader = BufReader::new(text.as_bytes());
        let head = read_head(&mut reader)?;
        read_body(&mut reader, &head)
    }

    /// Bodies come by length, in chunks, or until the end; what was cut off is an error.
    #[test]
    fn answers_are_read_whole_or_not_at_all() {
        assert_eq!(answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab").unwrap(), b"ab");
        assert_eq!(answer("HTTP/1.1 200 OK\r\n\r\nabc").unwrap(), b"abc");
        let chunked =
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n1;x=y\r\nc\r\n0\r\n\r\n";
        assert_eq!(answer(chunked).unwrap(), b"abc");
        assert_eq!(answer("HTTP/1.1 204 No Content\r\n\r\n").unwrap(), b"");
        for bad in [
            "",
            "nonsense",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab",
            "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
        ] {
            assert!(answer(bad).is_err(), "{bad:?}");
        }
    }
}
