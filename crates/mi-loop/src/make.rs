//! What `mi make` does next: which model a role is, and whether another round is worth asking for.
//!
//! Holds: a role always has a model if any model is configured; there are never more rounds than allowed; a denied
//! run is never tried another way.
//! Elsewhere: asking is `mi-mind`, finding files is `mi-extract`, running is the box.

mod roles;
mod rounds;

pub use roles::{ModelChoice, RoleModels, Service};
pub use rounds::{CheckRun, End, Next, Round, next};
