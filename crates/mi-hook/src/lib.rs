//! One hook call of an agent: JSON in, what happened recorded, JSON out.
//!
//! No async runtime and no command-line parser: an agent waits for every call.
