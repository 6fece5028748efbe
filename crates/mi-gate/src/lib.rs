//! A person's working rules as functions: what a message asks for, what a tool call may do, what a change needs.
//!
//! Everything is a function of its arguments; files, time and environment come in as values or through
//! [`permission::World`].
//! Holds: what is not fully understood is never allowed; nothing panics, and work is bounded, on any input.
//! Elsewhere: taking a command out of an agent's event is `mi-formats`; answering a harness is `mi-hook`; keeping
//! cards and sessions is `mi-persona`.

pub mod authority;
pub mod change_unit;
pub mod command;
pub mod consult;
pub mod deploy;
pub mod intake;
pub mod messages;
pub mod permission;
pub mod review;
