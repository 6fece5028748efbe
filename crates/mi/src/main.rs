//! The `mi` binary.

fn main() {}
