//! Checks values against the program's own JSON Schemas: the part of 2020-12 that they use.
//!
//! [`Schema::compile`] refuses every keyword it does not know, so that no schema says more than is checked.
//! Holds: every misfit is told with its JSON pointer; no schema and no value can exhaust the stack.
//! Absent: references into other documents, and formats, which 2020-12 only notes down.

mod check;
mod compile;
mod pattern;

use std::fmt;

use mi_model::shorten;
use regex::Regex;
use serde_json::{Number, Value};

pub use compile::SchemaError;

/// The most characters of a value that a misfit shows.
const VALUE_SHOWN: usize = 200;

/// A schema that is ready to be checked against.
#[derive(Debug)]
pub struct Schema {
    /// The rules of each schema and subschema that can be reached; the first is the whole.
    nodes: Vec<Vec<Rule>>,
}

impl Schema {
    /// Reads a schema; `$ref` may point into the same document only.
    pub fn compile(document: &Value) -> Result<Self, SchemaError> {
        Ok(Self { nodes: compile::nodes(document)? })
    }

    /// Everything in `value` that does not fit.
    pub fn misfits<'v>(&self, value: &'v Value) -> Vec<Misfit<'v>> {
        check::misfits(&self.nodes, value)
    }
}

/// What does not fit, and where.
#[derive(Debug, Clone, PartialEq)]
pub struct Misfit<'v> {
    /// A JSON pointer; empty for the whole value.
    pub pointer: String,
    /// What `words` speak of; none if they can be read alone.
    value: Option<&'v Value>,
    words: String,
}

impl Misfit<'_> {
    /// The message without anything of the value but the names of its fields.
    pub fn masked(&self) -> String {
        match self.value {
            Some(_) => format!("value {}", self.words),
            None => self.words.clone(),
        }
    }
}

impl fmt::Display for Misfit<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value {
            Some(value) => write!(formatter, "{} {}", shorten(&value.to_string(), VALUE_SHOWN), self.words),
            None => formatter.write_str(&self.words),
        }
    }
}

/// Where a schema stands in [`Schema::nodes`].
type NodeId = usize;

/// What one keyword asks for.
#[derive(Debug)]
enum Rule {
    /// The schema `false`.
    Never,
    Type(Vec<Type>),
    Enum(Vec<Value>),
    Const(Value),
    Minimum(Number),
    Maximum(Number),
    MinLength(usize),
    MaxLength(usize),
    Pattern {
        source: String,
        regex: Regex,
    },
    MinItems(usize),
    MaxItems(usize),
    Items(NodeId),
    Required(Vec<String>),
    Properties(Vec<(String, NodeId)>),
    /// `additionalProperties: false`, with the names that there may be.
    NoOthers(Vec<String>),
    Others {
        known: Vec<String>,
        node: NodeId,
    },
    PropertyNames(NodeId),
    AllOf(Vec<NodeId>),
    AnyOf(Vec<NodeId>),
    OneOf(Vec<NodeId>),
    If {
        condition: NodeId,
        then: Option<NodeId>,
        otherwise: Option<NodeId>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Type {
    Array,
    Boolean,
    Integer,
    Null,
    Number,
    Object,
    String,
}

impl Type {
    const ALL: [(&'static str, Self); 7] = [
        ("array", Self::Array),
        ("boolean", Self::Boolean),
        ("integer", Self::Integer),
        ("null", Self::Null),
        ("number", Self::Number),
        ("object", Self::Object),
        ("string", Self::String),
    ];

    fn named(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|(name, _)| *name == word).map(|(_, one)| *one)
    }

    fn name(self) -> &'static str {
        Self::ALL[self as usize].0
    }
}

#[cfg(test)]
mod tests;
