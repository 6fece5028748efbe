//! What owner and supervisor say to each other over one socket.
//!
//! Owner to supervisor: [`GO`] with the program's descriptors attached and what to start, then one byte per signal;
//! after the program's end the next [`GO`] may come. End of file means that the owner let go or died. Supervisor to
//! owner: five-byte [`Report`]s.

use rustix::io::Errno;
use std::{
    ffi::{OsStr, OsString},
    io::{self, Write},
    os::{
        fd::{BorrowedFd, OwnedFd},
        unix::{ffi::OsStrExt, net::UnixStream},
    },
};

use crate::{Environment, SpawnSpec, Stdin, pass, receive};

/// Start the program. Without this nothing starts, so an owner that dies early leaves nothing behind.
const GO: u8 = b'g';

/// The size of a report on the wire.
pub(crate) const REPORT_BYTES: usize = 5;

/// What a supervisor tells its owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Report {
    /// The program runs, with this process id, which is also its process group.
    Started(i32),
    /// The program could not be started, for this reason of the operating system.
    Failed(i32),
    /// The program ended and nothing of it is left.
    Exited(i32),
    Signaled(i32),
}

impl Report {
    pub(crate) fn encode(self) -> [u8; REPORT_BYTES] {
        let (tag, value) = match self {
            Self::Started(value) => (b's', value),
            Self::Failed(value) => (b'f', value),
            Self::Exited(value) => (b'e', value),
            Self::Signaled(value) => (b'k', value),
        };
        let [a, b, c, d] = value.to_le_bytes();
        [tag, a, b, c, d]
    }

    pub(crate) fn decode([tag, a, b, c, d]: [u8; REPORT_BYTES]) -> Option<Self> {
        let value = i32::from_le_bytes([a, b, c, d]);
        match tag {
            b's' => Some(Self::Started(value)),
            b'f' => Some(Self::Failed(value)),
            b'e' => Some(Self::Exited(value)),
            b'k' => Some(Self::Signaled(value)),
            _ => None,
        }
    }
}

/// Tells the supervisor to start a program: what, and the descriptors that it gets.
pub(crate) fn send_go(
    socket: &UnixStream,
    spec: &SpawnSpec,
    streams: Streams<BorrowedFd<'_>>,
) -> io::Result<()> {
    let request = encode(spec);
    let length =
        u32::try_from(request.len()).map_err(|_| io::Error::from(io::ErrorKind::ArgumentListTooLong))?;
    let descriptors: Vec<BorrowedFd<'_>> =
        [streams.stdout, streams.stderr].into_iter().chain(streams.stdin).collect();
    pass(socket, &[GO], &descriptors)?;
    (&mut &*socket).write_all(&length.to_le_bytes())?;
    (&mut &*socket).write_all(&request)
}

/// Waits for the owner's go. `None` if the owner is gone. A signal for a program that has just ended is passed over.
pub(crate) fn receive_go(socket: BorrowedFd<'_>) -> io::Result<Option<Go>> {
    loop {
        let mut byte = [0];
        let (length, descriptors) = receive(socket, &mut byte)?;
        if length == 0 {
            return Ok(None);
        }
        if byte != [GO] {
            continue;
        }
        let mut descriptors = descriptors.into_iter();
        let (Some(stdout), Some(stderr)) = (descriptors.next(), descriptors.next()) else {
            return Err(io::Error::other("a request came without its pipes"));
        };
        let stdin = descriptors.next();
        let Some(spec) = read_request(socket)? else { return Ok(None) };
        return Ok(Some(Go { spec, streams: Streams { stdout, stderr, stdin } }));
    }
}

/// The owner's word to start.
pub(crate) struct Go {
    /// Its input is among the streams.
    pub(crate) spec: SpawnSpec,
    pub(crate) streams: Streams<OwnedFd>,
}

/// What a program reads and writes; without a standard input it reads nothing.
pub(crate) struct Streams<T> {
    pub(crate) stdout: T,
    pub(crate) stderr: T,
    pub(crate) stdin: Option<T>,
}

fn read_request(socket: BorrowedFd<'_>) -> io::Result<Option<SpawnSpec>> {
    let mut length = [0; 4];
    if !read_whole(socket, &mut length)? {
        return Ok(None);
    }
    let mut bytes = vec![0; u32::from_le_bytes(length) as usize];
    if !read_whole(socket, &mut bytes)? {
        return Ok(None);
    }
    decode(&bytes).map(Some).ok_or_else(|| io::Error::other("a request is not readable"))
}

/// Fills the buffer; false if the owner is gone.
fn read_whole(socket: BorrowedFd<'_>, buffer: &mut [u8]) -> io::Result<bool> {
    let mut filled = 0;
    while filled < buffer.len() {
        match rustix::io::read(socket, &mut buffer[filled..]) {
            Ok(0) | Err(Errno::CONNRESET) => return Ok(false),
            Ok(count) => filled += count,
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(true)
}

/// Four lists of texts: program and folder, arguments, variables to set, variables to remove.
fn encode(spec: &SpawnSpec) -> Vec<u8> {
    let none = Vec::new();
    let (is_exact, set, remove) = match &spec.environment {
        Environment::Exactly(variables) => (1, variables, &none),
        Environment::Inherit { set, remove } => (0, set, remove),
    };
    let pairs: Vec<&OsStr> =
        set.iter().flat_map(|(name, value)| [name.as_os_str(), value.as_os_str()]).collect();
    let mut bytes = vec![is_exact];
    put(&mut bytes, &[spec.program.as_os_str(), spec.cwd.as_os_str()]);
    put(&mut bytes, &spec.args);
    put(&mut bytes, &pairs);
    put(&mut bytes, remove);
    bytes
}

fn put<T: AsRef<OsStr>>(bytes: &mut Vec<u8>, texts: &[T]) {
    bytes.extend_from_slice(&(texts.len() as u32).to_le_bytes());
    for text in texts {
        let text = text.as_ref().as_bytes();
        bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
        bytes.extend_from_slice(text);
    }
}

fn decode(bytes: &[u8]) -> Option<SpawnSpec> {
    let (is_exact, mut rest) = bytes.split_first()?;
    let [first, args, set, remove] = [take(&mut rest)?, take(&mut rest)?, take(&mut rest)?, take(&mut rest)?];
    let [program, cwd] = <[OsString; 2]>::try_from(first).ok()?;
    let set = set.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect();
    let environment =
        if *is_exact == 1 { Environment::Exactly(set) } else { Environment::Inherit { set, remove } };
    Some(SpawnSpec { program, args, cwd: cwd.into(), environment, stdin: Stdin::Null })
}

fn take(rest: &mut &[u8]) -> Option<Vec<OsString>> {
    let number = |rest: &mut &[u8]| {
        let (first, others) = rest.split_first_chunk::<4>()?;
        *rest = others;
        Some(u32::from_le_bytes(*first) as usize)
    };
    let count = number(rest)?;
    let mut texts = Vec::new();
    for _ in 0..count {
        let length = number(rest)?;
        let (text, others) = rest.split_at_checked(length)?;
        *rest = others;
        texts.push(OsStr::from_bytes(text).to_owned());
    }
    Some(texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every report survives the wire.
    #[test]
    fn reports_are_read_as_they_were_written() {
        for report in [Report::Started(7), Report::Failed(2), Report::Exited(-1), Report::Signaled(9)] {
            assert_eq!(Report::decode(report.encode()), Some(report));
        }
        assert_eq!(Report::decode(*b"?\0\0\0\0"), None);
    }

    /// Every request survives the wire; one that was cut off anywhere is refused.
    #[test]
    fn requests_are_read_as_they_were_written() {
        let text = |bytes: &[u8]| OsStr::from_bytes(bytes).to_owned();
        let pairs = vec![(text(b"A"), text(b"")), (text(b"B"), text(b"x\n\xFF"))];
        for environment in [
            Environment::Exactly(pairs.clone()),
            Environment::Inherit { set: pairs.clone(), remove: vec![text(b"C")] },
        ] {
            let spec = SpawnSpec {
                program: text(b"sh"),
                args: vec![text(b"-c"), text(b"")],
                cwd: "/tmp".into(),
                environment,
                stdin: Stdin::Null,
            };
            let bytes = encode(&spec);
            assert_eq!(decode(&bytes), Some(spec));
            assert!((0..bytes.len()).all(|end| decode(&bytes[..end]).is_none()));
        }
    }
}
