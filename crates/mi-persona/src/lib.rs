//! The persona folder: how a person's agents remember who they work for, across windows, members and machines.
//!
//! Pure parts first: [`card`], [`front`], [`index`], [`retrieval`], [`salience`], [`log`], [`slots`], [`status`], [`lint`],
//! [`handoff`], [`member`]. They read no file and no clock. [`Persona`] keeps the files.
//!
//! Holds: files change under one lock and are replaced whole; no symbolic link below the folder is followed; nobody's
//! private folder but one's own is read; what is derived (index, roll-ups, cache) never wins over the files.
//! Elsewhere: what a message means is `mi-gate`; the environment and the clock are `mi`'s.

pub mod card;
pub mod front;
pub mod handoff;
pub mod index;
pub mod lint;
pub mod log;
pub mod member;
pub mod retrieval;
pub mod salience;
pub mod slots;
pub mod status;
mod words;

mod access;
mod boot;
mod cards;
mod check;
mod decisions;
mod export;
mod handoffs;
mod init;
mod persona;
mod private;
mod proposals;
mod sessions;
mod sync;

pub use access::AccessError;
pub use boot::{Boot, BootError, BootRequest, CORE, IndexState, Loaded};
pub use cards::{Cards, INDEX};
pub use check::Report;
pub use export::{ExportError, Exported};
pub use handoffs::HandoffError;
pub use init::init;
pub use jiff::civil::Date;
pub use member::{Member, MemberError};
pub use persona::{Lock, Persona, Problem};
pub use private::{Age, AgeError, Locked, PrivateError, PrivateFile, Unseal, identity_file};
pub use proposals::{CardError, Pending, Proposal, Reviewed, Verdict};
pub use sessions::{AutoSave, Listed, Moment, OpenSession, Save, Saved, SessionError, trigger};
pub use sync::{SyncError, Synced};

#[cfg(test)]
mod tests;
