//! The MCP server: the workspace's operations as tools, over stdio or loopback HTTP.
//!
//! The only crate that names the MCP SDK. Stdout is the protocol; nothing else is written there.
