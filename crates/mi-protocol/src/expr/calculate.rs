//! Calculating and comparing: what operators and conversions make of values.
//!
//! Holds: no result is infinite or not a number; what has no result is a [`Fault`].

use std::{borrow::Cow, cmp::Ordering};

use super::{
    ast::{Comparison, Operator},
    program::Fault,
    value::{Value, View},
};

/// A number while it is computed; small enough to stay in registers.
#[derive(Debug, Clone, Copy)]
pub(super) enum Number {
    Whole(i64),
    Real(f64),
    Fault(Fault),
    /// Not made of fields and constants alone, or no number: `value` answers.
    Other,
}

impl Number {
    #[inline]
    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::Integer(value) => Self::Whole(*value),
            Value::Number(value) => Self::Real(*value),
            _ => Self::Other,
        }
    }

    #[inline]
    #[expect(clippy::cast_precision_loss, reason = "integer and number mix as numbers")]
    pub(super) fn real(self) -> f64 {
        match self {
            Self::Whole(value) => value as f64,
            Self::Real(value) => value,
            Self::Fault(_) | Self::Other => f64::NAN,
        }
    }

    #[inline]
    pub(super) fn order(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Real(a), Self::Real(b)) => a.partial_cmp(&b),
            (Self::Whole(a), Self::Whole(b)) => Some(a.cmp(&b)),
            (Self::Whole(a), Self::Real(b)) => View::Integer(a).order(&View::Number(b)),
            (Self::Real(a), Self::Whole(b)) => View::Number(a).order(&View::Integer(b)),
            _ => None,
        }
    }
}

/// What a comparison says of two values that are equal or ordered so.
pub(super) fn compared(
    comparison: Comparison,
    equal: impl FnOnce() -> bool,
    order: impl FnOnce() -> Option<Ordering>,
) -> Result<bool, Fault> {
    match comparison {
        Comparison::Equal => return Ok(equal()),
        Comparison::Unequal => return Ok(!equal()),
        _ => {}
    }
    let order = order().ok_or(Fault::Null)?;
    Ok(match comparison {
        Comparison::Less => order == Ordering::Less,
        Comparison::LessOrEqual => order != Ordering::Greater,
        Comparison::Greater => order == Ordering::Greater,
        _ => order != Ordering::Less,
    })
}

pub(super) fn length(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

pub(super) fn arithmetic<'l>(operator: Operator, a: View<'l>, b: View<'l>) -> Result<View<'l>, Fault> {
    match (a, b) {
        (View::Integer(a), View::Integer(b)) => integers(operator, a, b).map(View::Integer),
        (View::Text(a), View::Text(b)) => Ok(View::Text(Cow::Owned(format!("{a}{b}")))),
        #[expect(clippy::cast_precision_loss, reason = "integer and number mix as numbers")]
        (View::Integer(a), View::Number(b)) => numbers(operator, a as f64, b).map(View::Number),
        #[expect(clippy::cast_precision_loss, reason = "integer and number mix as numbers")]
        (View::Number(a), View::Integer(b)) => numbers(operator, a, b as f64).map(View::Number),
        (View::Number(a), View::Number(b)) => numbers(operator, a, b).map(View::Number),
        _ => Err(Fault::Null),
    }
}

#[inline]
pub(super) fn integers(operator: Operator, a: i64, b: i64) -> Result<i64, Fault> {
    if b == 0 && matches!(operator, Operator::Divide | Operator::Remainder) {
        return Err(Fault::DivisionByZero);
    }
    match operator {
        Operator::Add => a.checked_add(b),
        Operator::Subtract => a.checked_sub(b),
        Operator::Multiply => a.checked_mul(b),
        Operator::Divide => a.checked_div(b),
        Operator::Remainder => a.checked_rem(b),
    }
    .ok_or(Fault::Overflow)
}

#[inline]
pub(super) fn numbers(operator: Operator, a: f64, b: f64) -> Result<f64, Fault> {
    let result = match operator {
        Operator::Add => a + b,
        Operator::Subtract => a - b,
        Operator::Multiply => a * b,
        Operator::Divide | Operator::Remainder if b == 0.0 => return Err(Fault::DivisionByZero),
        Operator::Divide => a / b,
        Operator::Remainder => a % b,
    };
    if result.is_finite() { Ok(result) } else { Err(Fault::Overflow) }
}

#[expect(clippy::cast_possible_truncation, reason = "the number was found to lie within the range")]
pub(super) fn to_integer<'l>(value: &View<'_>) -> Result<View<'l>, Fault> {
    match value {
        View::Integer(value) => Ok(View::Integer(*value)),
        View::Number(value) if value.abs() < 9.2e18 => Ok(View::Integer(value.trunc() as i64)),
        View::Number(_) => Err(Fault::Overflow),
        View::Text(text) => text.trim().parse().map(View::Integer).map_err(|_| Fault::NotConvertible),
        _ => Err(Fault::Null),
    }
}

pub(super) fn to_number<'l>(value: &View<'_>) -> Result<View<'l>, Fault> {
    match value {
        #[expect(clippy::cast_precision_loss, reason = "asked for")]
        View::Integer(value) => Ok(View::Number(*value as f64)),
        View::Number(value) => Ok(View::Number(*value)),
        View::Text(text) => match text.trim().parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(View::Number(number)),
            _ => Err(Fault::NotConvertible),
        },
        _ => Err(Fault::Null),
    }
}

pub(super) fn to_text(value: View<'_>) -> Result<View<'_>, Fault> {
    match value {
        View::Text(text) => Ok(View::Text(text)),
        View::Integer(value) => Ok(View::Text(Cow::Owned(value.to_string()))),
        View::Number(value) => Ok(View::Text(Cow::Owned(value.to_string()))),
        View::Bool(value) => Ok(View::Text(Cow::Owned(value.to_string()))),
        _ => Err(Fault::Null),
    }
}
