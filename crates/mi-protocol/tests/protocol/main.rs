//! What a protocol means, by example: one file per part of the specification.

mod example;
mod support;
