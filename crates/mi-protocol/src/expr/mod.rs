//! The one expression language: CEL's syntax with `a -> b`, checked against declared fields when it is loaded,
//! evaluated on numbered slots.
//!
//! Holds: a [`Program`] that exists has the type that was asked for; at run time only values can go wrong.
//! Elsewhere: which fields exist is `state`; what a result means is `engine`.

pub mod ast;
mod calculate;
mod check;
mod lex;
mod parse;
mod program;
mod value;

pub use check::{Checked, compile};
pub use parse::parse;
pub use program::{Facts, Fault};
pub use value::{Value, View};

use crate::problem::Kind;

/// Bytes of one expression.
pub const LONGEST: usize = 64 * 1024;

/// Why a text is no expression, and at which of its characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExprError {
    pub kind: Kind,
    pub at: usize,
    pub message: String,
    pub hint: String,
}

impl ExprError {
    pub fn new(kind: Kind, at: usize, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind, at, message: message.into(), hint: hint.into() }
    }

    fn syntax(at: usize, message: impl Into<String>) -> Self {
        Self::new(Kind::Syntax, at, message, "expressions are CEL with `a -> b` for implication")
    }

    fn limit(at: usize, message: impl Into<String>) -> Self {
        Self::new(Kind::Limit, at, message, "split the rule")
    }
}
