//! One module per command: what it does, between the settings and the rendering.

pub mod answer;
pub mod config;
pub mod demo;
pub mod doctor;
pub mod inbox;
pub mod init;
mod journal;
pub mod last;
mod launch;
pub mod learned;
pub mod log;
pub mod manual;
mod minds;
mod person;
pub mod protocol;
pub mod replay;
pub mod run;
pub mod schema;
pub mod show;
pub mod status;
pub mod transcript;
pub mod verify;
pub mod why;
