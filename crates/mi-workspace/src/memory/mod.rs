//! `.nexus/memory/`: what the project's agents have learned by working, in Markdown files of a few words' name.
//!
//! [`access`] and [`observe`] keep count of who reads what.

pub mod access;
pub mod name;
pub mod observe;
pub mod terms;
