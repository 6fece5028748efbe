//! What runs in the box: `mi exec`, `mi check`, `mi box`, `mi publish`.

pub mod check;
pub mod decisions;
mod encrypt;
pub mod engines;
pub mod exec;
pub mod manage;
mod place;
mod plan;
pub mod publish;
mod release;
