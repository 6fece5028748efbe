//! Two readers of the same events: people and programs.

pub mod human;
pub mod json;
pub mod printer;
pub mod record;
pub mod style;
