//! Sets of values that a field can have: intervals of numbers, sets of words, both booleans, and null.

use std::collections::BTreeSet;

use crate::{
    expr::{Value, ast::Comparison},
    state::{Field, FieldKind},
};

#[derive(Debug, Clone, PartialEq)]
pub struct Domain {
    pub null: bool,
    pub values: Values,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    Bools {
        yes: bool,
        no: bool,
    },
    /// Disjoint, rising.
    Numbers(Vec<Interval>),
    /// Exactly these words, or all but these.
    Words {
        words: BTreeSet<String>,
        all_but: bool,
    },
    /// Values that are not told apart; whether there is any.
    Any(bool),
}

/// Numbers between two bounds; an open bound is not included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    pub low: f64,
    pub low_open: bool,
    pub high: f64,
    pub high_open: bool,
}

impl Interval {
    pub const ALL: Self =
        Self { low: f64::NEG_INFINITY, low_open: true, high: f64::INFINITY, high_open: true };

    fn is_empty(self) -> bool {
        self.low > self.high || (self.low == self.high && (self.low_open || self.high_open))
    }

    fn meet(self, other: Self) -> Self {
        let (low, low_open) = match self.low.total_cmp(&other.low) {
            std::cmp::Ordering::Greater => (self.low, self.low_open),
            std::cmp::Ordering::Less => (other.low, other.low_open),
            std::cmp::Ordering::Equal => (self.low, self.low_open || other.low_open),
        };
        let (high, high_open) = match self.high.total_cmp(&other.high) {
            std::cmp::Ordering::Less => (self.high, self.high_open),
            std::cmp::Ordering::Greater => (other.high, other.high_open),
            std::cmp::Ordering::Equal => (self.high, self.high_open || other.high_open),
        };
        Self { low, low_open, high, high_open }
    }

    /// The interval of the integers in it.
    fn whole(self) -> Self {
        // Beyond this, neighbouring integers are not told apart.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        let mut whole = self;
        if self.low.is_finite() && self.low.abs() < EXACT {
            whole.low = if self.low_open { self.low.floor() + 1.0 } else { self.low.ceil() };
            whole.low_open = false;
        }
        if self.high.is_finite() && self.high.abs() < EXACT {
            whole.high = if self.high_open { self.high.ceil() - 1.0 } else { self.high.floor() };
            whole.high_open = false;
        }
        whole
    }
}

impl Domain {
    /// All that a field can hold.
    pub fn of(field: &Field) -> Self {
        let values = match &field.kind {
            FieldKind::Boolean => Values::Bools { yes: true, no: true },
            FieldKind::Integer | FieldKind::Number => {
                let mut all = Interval::ALL;
                if let Some(min) = field.min {
                    (all.low, all.low_open) = (min, false);
                }
                if let Some(max) = field.max {
                    (all.high, all.high_open) = (max, false);
                }
                Values::Numbers(vec![all])
            }
            FieldKind::Text => Values::Words { words: BTreeSet::new(), all_but: true },
            FieldKind::Enum(words) => {
                Values::Words { words: words.iter().cloned().collect(), all_but: false }
            }
            FieldKind::List => Values::Any(true),
        };
        Self { null: field.nullable, values }
    }

    /// The values for which a comparison with a constant is true, among those of the same kind; never null.
    pub fn compared(comparison: Comparison, constant: &Value) -> Option<Self> {
        let values = match constant {
            Value::Integer(value) => {
                #[expect(clippy::cast_precision_loss, reason = "bounds that large are not reasoned about")]
                let number = *value as f64;
                if value.unsigned_abs() > 1 << 52 {
                    return None;
                }
                Values::Numbers(intervals(comparison, number))
            }
            Value::Number(value) => Values::Numbers(intervals(comparison, *value)),
            Value::Text(word) => match comparison {
                Comparison::Equal => Values::Words { words: BTreeSet::from([word.clone()]), all_but: false },
                Comparison::Unequal => Values::Words { words: BTreeSet::from([word.clone()]), all_but: true },
                _ => return None,
            },
            Value::Bool(value) => match comparison {
                Comparison::Equal => Values::Bools { yes: *value, no: !*value },
                Comparison::Unequal => Values::Bools { yes: !*value, no: *value },
                _ => return None,
            },
            Value::Null | Value::List(_) => return None,
        };
        Some(Self { null: false, values })
    }

    pub fn is_empty(&self, whole: bool) -> bool {
        if self.null {
            return false;
        }
        match &self.values {
            Values::Bools { yes, no } => !yes && !no,
            Values::Numbers(intervals) => {
                intervals.iter().all(|interval| if whole { interval.whole() } else { *interval }.is_empty())
            }
            Values::Words { words, all_but } => words.is_empty() && !all_but,
            Values::Any(any) => !any,
        }
    }

    pub fn meet(&self, other: &Self) -> Self {
        let values = match (&self.values, &other.values) {
            (Values::Bools { yes, no }, Values::Bools { yes: other_yes, no: other_no }) => {
                Values::Bools { yes: *yes && *other_yes, no: *no && *other_no }
            }
            (Values::Numbers(own), Values::Numbers(others)) => {
                let pairs = own.iter().flat_map(|a| others.iter().map(move |b| a.meet(*b)));
                Values::Numbers(pairs.filter(|interval| !interval.is_empty()).collect())
            }
            (Values::Words { words: a, all_but: false }, Values::Words { words: b, all_but: false }) => {
                Values::Words { words: a & b, all_but: false }
            }
            (Values::Words { words: a, all_but: true }, Values::Words { words: b, all_but: true }) => {
                Values::Words { words: a | b, all_but: true }
            }
            (Values::Words { words: a, all_but: false }, Values::Words { words: b, all_but: true }) => {
                Values::Words { words: a - b, all_but: false }
            }
            (Values::Words { words: a, all_but: true }, Values::Words { words: b, all_but: false }) => {
                Values::Words { words: b - a, all_but: false }
            }
            (Values::Any(a), Values::Any(b)) => Values::Any(*a && *b),
            // Only lists are not told apart, and lists are compared with nothing else.
            (values, _) => values.clone(),
        };
        Self { null: self.null && other.null, values }
    }

    /// The least and the greatest number in it.
    pub fn bounds(&self) -> Option<(f64, f64)> {
        match &self.values {
            Values::Numbers(intervals) => {
                let low = intervals.iter().map(|interval| interval.low).fold(f64::INFINITY, f64::min);
                let high = intervals.iter().map(|interval| interval.high).fold(f64::NEG_INFINITY, f64::max);
                Some((low, high))
            }
            _ => None,
        }
    }
}

fn intervals(comparison: Comparison, at: f64) -> Vec<Interval> {
    let below = |high_open| Interval { high: at, high_open, ..Interval::ALL };
    let above = |low_open| Interval { low: at, low_open, ..Interval::ALL };
    match comparison {
        Comparison::Equal => vec![Interval { low: at, low_open: false, high: at, high_open: false }],
        Comparison::Unequal => vec![below(true), above(true)],
        Comparison::Less => vec![below(true)],
        Comparison::LessOrEqual => vec![below(false)],
        Comparison::Greater => vec![above(true)],
        Comparison::GreaterOrEqual => vec![above(false)],
    }
}
