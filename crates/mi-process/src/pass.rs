//! Hands descriptors from one process to another, with a word.

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

/// The most descriptors that go with one word.
const MOST: usize = 4;

/// Sends a word, which may not be empty, and descriptors with it.
pub fn pass(socket: impl AsFd, word: &[u8], descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
    if descriptors.len() > MOST {
        return Err(io::Error::other("more descriptors than go with one word"));
    }
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() {
        ancillary.push(SendAncillaryMessage::ScmRights(descriptors));
    }
    let sent =
        retry_on_intr(|| sendmsg(&socket, &[IoSlice::new(word)], &mut ancillary, SendFlags::NOSIGNAL))?;
    if sent == word.len() { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
}

/// Waits for a word, as much of it as there is room for, and what goes with it. Its length is 0 when the other is gone.
pub fn receive(socket: impl AsFd, word: &mut [u8]) -> io::Result<(usize, Vec<OwnedFd>)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let received = loop {
        match recvmsg(&socket, &mut [IoSliceMut::new(word)], &mut ancillary, RecvFlags::CMSG_CLOEXEC) {
            Err(Errno::INTR) => {}
            Err(Errno::CONNRESET) => return Ok((0, Vec::new())),
            other => break other?.bytes,
        }
    };
    let messages = ancillary.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(descriptors) => Some(descriptors),
        _ => None,
    });
    Ok((received, messages.flatten().collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{io::Read, os::unix::net::UnixStream};

    /// A word arrives with its descriptors, also with none; what is gone is seen.
    #[test]
    fn words_arrive_with_their_descriptors() {
        let (mine, theirs) = UnixStream::pair().unwrap();
        let (reader, writer) = io::pipe().unwrap();
        pass(&mine, b"go", &[writer.as_fd()]).unwrap();
        drop(writer);
        let mut word = [0; 8];
        let (length, descriptors) = receive(&theirs, &mut word).unwrap();
        assert_eq!((&word[..length], descriptors.len()), (&b"go"[..], 1));
        rustix::io::write(&descriptors[0], b"through").unwrap();
        drop(descriptors);
        assert_eq!(io::read_to_string(reader.take(9)).unwrap(), "through");
        pass(&mine, b"on", &[]).unwrap();
        assert_eq!(receive(&theirs, &mut word).unwrap().0, 2);
        assert!(pass(&mine, b"x", &[mine.as_fd(); MOST + 1]).is_err());
        drop(mine);
        assert_eq!(receive(&theirs, &mut word).unwrap().0, 0);
        assert!(pass(&theirs, b"x", &[]).is_err());
    }
}
