//! One module per command: what it does, between the settings and the rendering.

pub mod answer;
pub mod config;
pub mod demo;
pub mod doctor;
pub mod hook;
pub mod inbox;
pub mod init;
pub mod install;
mod journal;
pub mod last;
mod launch;
pub mod learned;
pub mod log;
pub mod manual;
pub mod mcp;
mod minds;
mod person;
pub mod replay;
pub mod run;
pub mod schema;
pub mod show;
pub mod status;
pub mod transcript;
pub mod verify;
pub mod why;
