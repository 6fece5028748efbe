//! The MCP server: the workspace's operations as tools, over stdio or loopback HTTP.
//!
//! The only crate that names the MCP SDK. Stdout is the protocol; nothing else is written there.
//! Holds: what a tool refuses is a result the model can read (`isError` and `{"error": …}`), never a protocol error;
//! calls are carried out one after the other, in the order they came.
//! Elsewhere: what the tools do is `mi-workspace`; clock, environment and flags are `mi`.

mod answer;
mod bundle;
mod calls;
mod council;
mod handler;
mod http;
mod lines;
mod message;
mod stdio;
mod tools;

pub use council::{Council, CouncilTool};
pub use handler::{Server, Surroundings};
pub use http::{AddressError, HttpAddress, ServeHttpError, serve_http};
pub use stdio::{ServeStdioError, serve_stdio};
