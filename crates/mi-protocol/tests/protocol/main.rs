//! What a protocol means, by example: one file per part of the specification.

mod acceptance;
mod bad_input;
mod check;
mod delta;
mod documented;
mod events;
mod example;
mod expressions;
mod fuzz;
mod invariants;
mod places;
mod policies;
mod properties;
mod seed_map;
mod semantics;
mod shipped;
mod snapshots;
mod support;
mod tables;
