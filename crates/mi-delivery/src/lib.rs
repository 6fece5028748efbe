//! The council at work: its log, its content store, and the delivery packets that it leaves.
//!
//! [`Chamber`] takes requests for one project, asks `mi-council`, and writes what was accepted. [`verify_folder`] checks
//! a packet with nothing but the packet.
//!
//! Holds: it reads no clock and no environment, and starts no process; it writes under the home folder it is given and,
//! for a delivery, the folder it is told.
//! Elsewhere: what is allowed is `mi-council`; commands, git and words for people are `mi`.

pub mod artefact;
mod brief;
mod bus;
mod chamber;
mod context;
mod deliver;
mod error;
mod evidence;
mod follow_up;
mod keys;
mod mark;
mod notice;
mod store;

pub use brief::{Brief, BriefHead};
pub use bus::{Bus, JournalBus, Lasts};
pub use chamber::{Chamber, Opening, Place, canonical};
pub use context::{Extent, Selector};
pub use deliver::{Delivered, Extras, read_packet, verify_folder, verify_packet};
pub use error::CouncilError;
pub use evidence::Cited;
pub use keys::{SigningKey, fingerprint};
pub use notice::Notice;
pub use store::ContentStore;
