//! A reply's text becomes files and refusals (CHORUS Rule O; E1–E34 of the box's semantics).
//!
//! [`extract`] reads the reply as CommonMark, finds what each fenced block is and what it is called, checks every
//! name, and says what may be written. It opens no file: what already stands in the target is asked of a [`Folder`].
//!
//! Holds: same bytes and same folder, same answer; no input panics; every path in `files` stays below the target.
//! Elsewhere: reading the reply, showing the result and writing files is `mi extract`.

mod before;
mod block;
mod blocks;
mod comment;
mod decode;
mod diff;
mod folder;
mod gather;
mod header;
mod info;
mod name_like;
mod outcome;
mod path;
mod shell;
mod split;

#[cfg(test)]
mod tests;

pub use folder::{Entry, EntryKind, Folder, NoFolder};
pub use outcome::{Action, ExtractedFile, Extraction, Limits, Reason, Refusal};

use std::ops::ControlFlow;

/// How much of a reply is parsed at once: little enough that the parser's tree stays in the processor's cache.
const WINDOW_BYTES: usize = 128 << 10;
/// Refusals past this are not worth reading; the list ends in one `too_many`.
const REFUSALS: usize = 100_000;

/// Finds the files in a reply, and what is against each of those that are not taken.
pub fn extract<'a>(reply: &'a [u8], limits: &Limits, folder: &dyn Folder) -> Extraction<'a> {
    let text = match decode::decode(reply) {
        Ok(text) => text,
        Err(line) => return Extraction::refuse(Refusal { reason: Reason::Encoding, line, path: None }),
    };
    let mut drafts = Vec::new();
    let mut counts = Counts::default();
    blocks::each_block(text, WINDOW_BYTES, &mut |found| {
        let first = drafts.len();
        block::read(&found, limits, folder, &mut drafts);
        counts.add(&drafts[first..]);
        if counts.files <= limits.files && counts.refused <= REFUSALS {
            return ControlFlow::Continue(());
        }
        drafts.push(block::Draft::Refused(Refusal { reason: Reason::TooMany, line: found.line, path: None }));
        ControlFlow::Break(())
    });
    gather::gather(drafts, limits, folder)
}

/// How much was found so far.
#[derive(Default)]
struct Counts {
    files: usize,
    refused: usize,
}

impl Counts {
    fn add(&mut self, drafts: &[block::Draft<'_>]) {
        let refused = drafts.iter().filter(|draft| matches!(draft, block::Draft::Refused(_))).count();
        self.refused += refused;
        self.files += drafts.len() - refused;
    }
}
