//! Starts processes, and makes sure that they end.
//!
//! Every process is started through a supervisor: the same binary, re-executed, which adopts all descendants
//! of the program and kills them when the program ends, when it is told to, or when its owner dies. Only what does
//! all that by itself is started without one ([`spawn_bound`]).
//! Holds: nothing that was started through a supervisor outlives its owner by more than two seconds; both pipes are always
//! drained; nothing is inherited by accident (see [`SpawnSpec`]).
//! Elsewhere: what an agent's output means is `mi-hands`. Linux only: it relies on child subreapers and `/proc`.

mod alarm;
mod bound;
mod child;
mod clock;
mod descendants;
mod family;
mod pass;
mod program;
mod run;
mod signal;
mod spawn;
mod spec;
mod supervisor;
mod usage;
mod wire;

pub use alarm::{
    LastWords, last_words_after, last_words_when_ended, outlive_full_files, stdout_was_closed, write_within,
};
pub use bound::spawn_bound;
pub use child::{Child, ProcessEvent, StopStep};
pub use clock::{Deadline, Pause, Stopwatch, pause};
pub use family::{Tie, family, holders};
pub use pass::{pass, receive};
pub use program::find_program;
pub use run::{Limits, Output, RunEnd, RunError, become_program, run_to_end};
pub use signal::{Signal, UnknownSignal};
pub use spawn::{SpawnError, Spawner};
pub use spec::{Environment, ExitStatus, SpawnSpec, Stdin};
pub use supervisor::{SUPERVISE, supervisor_main};
pub use usage::FamilyUsage;
