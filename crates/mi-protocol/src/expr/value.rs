//! Values of state fields and of expressions.

use serde::{Deserialize, Serialize};
use std::{borrow::Cow, cmp::Ordering, fmt};

/// The value of a state field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    Null,
    Bool(bool),
    Integer(i64),
    Number(f64),
    Text(String),
    List(Vec<String>),
}

impl Value {
    pub fn view(&self) -> View<'_> {
        match self {
            Self::Null => View::Null,
            Self::Bool(value) => View::Bool(*value),
            Self::Integer(value) => View::Integer(*value),
            Self::Number(value) => View::Number(*value),
            Self::Text(text) => View::Text(Cow::Borrowed(text)),
            Self::List(texts) => View::Texts(texts),
        }
    }
}

/// The same as for views; what is alike is compared where it stands.
impl Value {
    pub fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Integer(a), Self::Integer(b)) => a == b,
            (Self::List(a), Self::List(b)) => a == b,
            _ => self.view().equals(&other.view()),
        }
    }

    pub fn order(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Integer(a), Self::Integer(b)) => Some(a.cmp(b)),
            (Self::Number(a), Self::Number(b)) => a.partial_cmp(b),
            _ => self.view().order(&other.view()),
        }
    }
}

/// How it reads in a trace: texts in quotes, long ones cut.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Integer(value) => write!(f, "{value}"),
            Self::Number(value) => write!(f, "{value}"),
            Self::Text(text) => write!(f, "{:?}", mi_model::shorten(text, 40)),
            Self::List(texts) => write!(f, "a list of {}", texts.len()),
        }
    }
}

/// A value while it is computed; borrows from state, event and constants.
#[derive(Debug, Clone)]
pub enum View<'v> {
    Null,
    Bool(bool),
    Integer(i64),
    Number(f64),
    Text(Cow<'v, str>),
    Texts(&'v [String]),
    List(Vec<View<'v>>),
}

impl View<'_> {
    /// The same value, borrowing nothing.
    pub fn into_owned(self) -> View<'static> {
        match self {
            Self::Null => View::Null,
            Self::Bool(value) => View::Bool(value),
            Self::Integer(value) => View::Integer(value),
            Self::Number(value) => View::Number(value),
            Self::Text(text) => View::Text(Cow::Owned(text.into_owned())),
            Self::Texts(texts) => {
                View::List(texts.iter().map(|text| View::Text(Cow::Owned(text.clone()))).collect())
            }
            Self::List(items) => View::List(items.into_iter().map(View::into_owned).collect()),
        }
    }

    /// Equality across integer and number; values of different kinds differ.
    pub fn equals(&self, other: &View<'_>) -> bool {
        match (self, other) {
            (Self::Null, View::Null) => true,
            (Self::Bool(a), View::Bool(b)) => a == b,
            (Self::Text(a), View::Text(b)) => a == b,
            (Self::Texts(a), View::Texts(b)) => a == b,
            (Self::List(a), View::List(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.equals(b)),
            (Self::Texts(texts), View::List(items)) => same(texts, items),
            (Self::List(items), View::Texts(texts)) => same(texts, items),
            _ => self.order(other) == Some(Ordering::Equal) && self.is_number() && other.is_number(),
        }
    }

    fn is_number(&self) -> bool {
        matches!(self, Self::Integer(_) | Self::Number(_))
    }

    /// The order of two numbers, texts or booleans; none for null and for different kinds.
    pub fn order(&self, other: &View<'_>) -> Option<Ordering> {
        match (self, other) {
            (Self::Integer(a), View::Integer(b)) => Some(a.cmp(b)),
            (Self::Number(a), View::Number(b)) => a.partial_cmp(b),
            (Self::Integer(a), View::Number(b)) => mixed(*a, *b),
            (Self::Number(a), View::Integer(b)) => mixed(*b, *a).map(Ordering::reverse),
            (Self::Text(a), View::Text(b)) => Some(a.cmp(b)),
            (Self::Bool(a), View::Bool(b)) => Some(a.cmp(b)),
            _ => None,
        }
    }
}

fn same(texts: &[String], items: &[View<'_>]) -> bool {
    texts.len() == items.len()
        && texts.iter().zip(items).all(|(text, item)| matches!(item, View::Text(other) if other == text))
}

/// Exact, also where an integer has more digits than a number can hold.
fn mixed(integer: i64, number: f64) -> Option<Ordering> {
    if number.is_nan() {
        return None;
    }
    if number >= 9_223_372_036_854_775_808.0 {
        return Some(Ordering::Less);
    }
    if number < -9_223_372_036_854_775_808.0 {
        return Some(Ordering::Greater);
    }
    let whole = number.trunc();
    #[expect(clippy::cast_possible_truncation, reason = "the number was found to lie within the range")]
    let order = integer.cmp(&(whole as i64));
    Some(order.then(0.0.partial_cmp(&(number - whole))?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Integers and numbers compare by what they are worth, not by what they convert to.
    #[test]
    fn integers_and_numbers_compare_exactly() {
        let cases = [
            (1, 1.0, Ordering::Equal),
            (1, 1.5, Ordering::Less),
            (-1, -1.5, Ordering::Greater),
            (i64::MAX, 9_223_372_036_854_775_807.0, Ordering::Less),
            (9_007_199_254_740_993, 9_007_199_254_740_992.0, Ordering::Greater),
            (i64::MIN, f64::NEG_INFINITY, Ordering::Greater),
        ];
        for (integer, number, expected) in cases {
            assert_eq!(
                View::Integer(integer).order(&View::Number(number)),
                Some(expected),
                "{integer} {number}"
            );
        }
    }
}
