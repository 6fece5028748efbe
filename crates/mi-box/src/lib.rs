//! Runs what an agent wrote where it can do no harm, and keeps proof of what came out (CHORUS Rules E F I N S W X).
//!
//! [`execute`] takes an admitted spec through one of two engines: containers by Docker's API, or bubblewrap. It fills
//! the slots, starts nothing that was not compared with the spec, holds the run to its limits, collects the outputs,
//! judges and seals them.
//! Holds: no run has a network; nothing of a run outlives it, also when `mi` is killed (the next start sweeps).
//! Elsewhere: what may run at all is `mi-admission`; the forms of manifests and signatures are `mi-supply`.

mod advisories;
mod bwrap;
mod collect;
mod container;
mod durable;
mod engine;
mod exec;
mod gate;
mod home;
mod input;
mod key;
mod language;
mod manifest;
mod reseal;
mod review;
mod rules;
mod sink;
mod tree;
mod verify;
mod watch;

pub use bwrap::{BOX_INIT, Bwrap, box_main, probe};
pub use container::{Container, Syft, find_socket};
pub use durable::make_durable;
pub use engine::{Control, End, EngineError, Outlet, SlotLimits, Stream, Workload};
pub use exec::{Engine, Finished, Order, SIGNATURE_FILE, execute, sbom_name};
pub use home::{BoxHome, HomeError, Live, Patience, Swept};
pub use input::{Input, InputFile};
pub use key::{signing_key, verifying_key};
pub use language::{Hints, Language, UnknownLanguage};
pub use reseal::deny;
pub use review::{is_held, redact_outputs, write_review};
pub use rules::RULES;
pub use sink::put;
pub use verify::{ARCHIVE_FILE, Verified, VerifyError, sign_archive, verify};
