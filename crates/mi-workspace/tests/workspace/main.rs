//! The eleven operations on real files: every numbered requirement of the contract that a caller can see.

mod archive;
mod damage;
mod files;
mod growth;
mod history;
mod plan;
mod support;
mod tasks;
