//! The transcript file: one JSON object per line of the agent, written before the line is interpreted.
//!
//! `{"ts","stream","line"}`; bytes that are no UTF-8 are in `base64` besides; a last line without its newline
//! has `"eol":false`. Without raw storage: `{"ts","stream","sha256","bytes"}` and `{"ts","event":…}`.
//! Holds: the file only grows; its digest is known when it is closed; memory is bounded.

mod escape;
mod long_line;
mod stream;
mod writer;

pub(crate) use stream::{Line, StreamName, StreamReader};
pub(crate) use writer::Writer;
