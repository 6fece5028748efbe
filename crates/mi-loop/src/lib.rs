//! What happens next in a run: facts, checks, proof, questions and answers, risk, arbitration, loop guard.
//!
//! Everything here is a function of its arguments: a night of work replays in a unit test.
//! Holds: `done` only on evidence, never on the agent's word; every answer names the source it comes from.
//! Elsewhere: starting agents is `mi-hands`; asking models is `mi-mind`; carrying decisions out is `mi-autopilot`.

pub mod answers;
pub mod checks;
pub mod criteria;
mod decide;
pub mod evidence;
pub mod facts;
mod guard;
mod injection;
mod judging;
pub mod make;
pub mod message;
mod person_words;
pub mod plan;
pub mod project;
pub mod proof;
pub mod protocol;
pub mod questions;
pub mod report;
pub mod risk;
mod rules;
pub mod run;
pub mod sections;
pub mod setup;
pub mod tamper;
mod words;
