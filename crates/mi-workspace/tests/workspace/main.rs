//! The eleven operations on real files: every numbered requirement of the contract that a caller can see.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod archive;
mod contract;
mod damage;
mod files;
mod growth;
mod history;
mod plan;
mod support;
mod tasks;
