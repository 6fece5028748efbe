//! State fields: the seed's thirteen, and those a file declares.
//!
//! Holds: a value in a slot always fits its field; the first thirteen slots are the built-in ones.

use crate::expr::Value;

#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    pub name: String,
    pub kind: FieldKind,
    pub nullable: bool,
    pub min: Option<f64>,
    pub max: Option<f64>,
    pub default: Value,
    /// Written by the engine alone.
    pub read_only: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldKind {
    Boolean,
    Integer,
    Number,
    Text,
    Enum(Vec<String>),
    List,
}

/// The slots of the built-in fields, in the order of the seed.
pub mod slot {
    pub const PHASE_ID: usize = 0;
    pub const SUBPHASE_ID: usize = 1;
    pub const ATTEMPT_COUNT: usize = 2;
    pub const CUMULATIVE_DURATION: usize = 3;
    pub const MINIMUM_DURATION: usize = 4;
    pub const VALIDATOR_VERDICT: usize = 5;
    pub const GATE_PASSED: usize = 6;
    pub const REQUIRED_FILES_EXIST: usize = 7;
    pub const TOOL_CALLS: usize = 8;
    pub const PREVIOUS_OUTPUT_PATH: usize = 11;
    pub const LOG_UPDATED_AFTER_PHASE: usize = 12;
    /// Put back to their defaults when a node is entered and when its phase starts.
    pub const STALE: [usize; 5] =
        [GATE_PASSED, REQUIRED_FILES_EXIST, VALIDATOR_VERDICT, LOG_UPDATED_AFTER_PHASE, TOOL_CALLS];
}

/// The thirteen fields of the seed's Layer B.
pub fn built_in(start: &str) -> Vec<Field> {
    let verdicts = ["APPROVE", "REJECT", "PENDING"].map(str::to_owned).to_vec();
    let text = FieldKind::Text;
    vec![
        field("phase_id", text.clone(), Value::Text(start.to_owned())).read_only(),
        field("subphase_id", text.clone(), Value::Null).nullable().read_only(),
        field("attempt_count", FieldKind::Integer, Value::Integer(1)).counted().read_only(),
        field("cumulative_duration", FieldKind::Number, Value::Number(0.0)).counted(),
        field("minimum_duration", FieldKind::Number, Value::Number(0.0)).counted(),
        field("validator_verdict", FieldKind::Enum(verdicts), Value::Text("PENDING".to_owned())),
        field("gate_passed", FieldKind::Boolean, Value::Bool(false)),
        field("required_files_exist", FieldKind::Boolean, Value::Bool(false)),
        field("tool_calls", FieldKind::Integer, Value::Integer(0)).counted(),
        field("rejection_count", FieldKind::Integer, Value::Integer(0)).counted(),
        field("score", FieldKind::Number, Value::Null).nullable(),
        field("previous_output_path", text, Value::Null).nullable().read_only(),
        field("log_updated_after_phase", FieldKind::Boolean, Value::Bool(false)),
    ]
}

fn field(name: &str, kind: FieldKind, default: Value) -> Field {
    Field { name: name.to_owned(), kind, nullable: false, min: None, max: None, default, read_only: false }
}

impl Field {
    fn nullable(mut self) -> Self {
        self.nullable = true;
        self
    }

    fn counted(mut self) -> Self {
        self.min = Some(0.0);
        self
    }

    fn read_only(mut self) -> Self {
        self.read_only = true;
        self
    }

    /// The value as the field keeps it, or why it does not fit.
    pub fn fit(&self, value: Value) -> Result<Value, Misfit> {
        let fitted = match (&self.kind, value) {
            (_, Value::Null) => return if self.nullable { Ok(Value::Null) } else { Err(Misfit::Null) },
            (FieldKind::Boolean, value @ Value::Bool(_))
            | (FieldKind::Integer, value @ Value::Integer(_))
            | (FieldKind::Number, value @ Value::Number(_))
            | (FieldKind::Text, value @ Value::Text(_))
            | (FieldKind::List, value @ Value::List(_)) => value,
            #[expect(clippy::cast_precision_loss, reason = "a number field keeps what a number can hold")]
            (FieldKind::Number, Value::Integer(value)) => Value::Number(value as f64),
            (FieldKind::Enum(words), Value::Text(word)) => {
                if !words.contains(&word) {
                    return Err(Misfit::Word);
                }
                Value::Text(word)
            }
            _ => return Err(Misfit::Type),
        };
        #[expect(clippy::cast_precision_loss, reason = "bounds are numbers")]
        let number = match fitted {
            Value::Integer(value) => value as f64,
            Value::Number(value) => value,
            _ => return Ok(fitted),
        };
        let inside = self.min.is_none_or(|min| number >= min) && self.max.is_none_or(|max| number <= max);
        if inside { Ok(fitted) } else { Err(Misfit::Range) }
    }

    /// What kind of value it takes, for messages.
    pub fn told(&self) -> String {
        match &self.kind {
            FieldKind::Boolean => "a boolean".to_owned(),
            FieldKind::Integer => "an integer".to_owned(),
            FieldKind::Number => "a number".to_owned(),
            FieldKind::Text => "a string".to_owned(),
            FieldKind::Enum(words) => format!("one of {}", words.join(", ")),
            FieldKind::List => "a list of strings".to_owned(),
        }
    }
}

/// Why a value does not fit its field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Misfit {
    Null,
    Type,
    Word,
    Range,
}
