//! What may run: here the analysis of shell commands, on which risk, interruption, proof and permission stand.
//!
//! Everything is a function of its arguments.
//! Holds: what is not fully understood says so; nothing panics, and work is bounded, on any input.
//! Elsewhere: taking a command out of an agent's event is `mi-formats`; what a check proves is `mi-loop`.

pub mod command;
