//! What owner and supervisor say to each other over one socket.
//!
//! Owner to supervisor: [`GO`] with the program's standard input attached, then one byte per signal; end of
//! file means that the owner let go or died. Supervisor to owner: five-byte [`Report`]s.

use rustix::{
    io::{Errno, retry_on_intr},
    net::{
        RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
        SendFlags, recvmsg, sendmsg,
    },
};
use std::{
    io::{self, IoSlice, IoSliceMut},
    mem::MaybeUninit,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
};

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

/// Tells the supervisor to start the program with this standard input; without one it reads nothing.
pub(crate) fn send_go(socket: impl AsFd, stdin: Option<BorrowedFd<'_>>) -> io::Result<()> {
    let descriptors: Vec<BorrowedFd<'_>> = stdin.into_iter().collect();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() {
        ancillary.push(SendAncillaryMessage::ScmRights(&descriptors));
    }
    retry_on_intr(|| sendmsg(&socket, &[IoSlice::new(&[GO])], &mut ancillary, SendFlags::NOSIGNAL))?;
    Ok(())
}

/// Waits for the owner's go. `None` if the owner is gone.
pub(crate) fn receive_go(socket: impl AsFd) -> io::Result<Option<Go>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    let received = loop {
        let flags = RecvFlags::CMSG_CLOEXEC;
        match recvmsg(&socket, &mut [IoSliceMut::new(&mut byte)], &mut ancillary, flags) {
            Err(Errno::INTR) => {}
            other => break other?,
        }
    };
    if received.bytes == 0 || byte != [GO] {
        return Ok(None);
    }
    let stdin = ancillary.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
        _ => None,
    });
    Ok(Some(Go { stdin }))
}

/// The owner's word to start.
pub(crate) struct Go {
    pub(crate) stdin: Option<OwnedFd>,
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
}
