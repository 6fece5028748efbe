//! What a caller passed, read one parameter at a time; the first wrong one is named and ends the call (NX-004, NX-005).
//!
//! `null` stands for a parameter that was not given, since some callers must name every one. Arguments that no
//! operation knows are passed over: agents add their own, and none of them can reach a file.

use serde_json::{Map, Number, Value};

use crate::ToolError;

/// The arguments of one call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arguments<'a> {
    given: &'a Map<String, Value>,
}

impl<'a> Arguments<'a> {
    pub(crate) fn new(value: &'a Value) -> Result<Self, ToolError> {
        match value {
            Value::Object(given) => Ok(Self { given }),
            _ => Err(wrong("arguments", "an object")),
        }
    }

    pub(crate) fn text(&self, name: &'static str) -> Result<String, ToolError> {
        self.optional_text(name)?.ok_or(ToolError::Missing { parameter: name })
    }

    /// A text that is not blank: the schemas forbid empty titles, topics and contexts (NX-027, NX-082).
    pub(crate) fn filled_text(&self, name: &'static str) -> Result<String, ToolError> {
        let text = self.text(name)?;
        if text.trim().is_empty() { Err(wrong(name, "a text that is not empty")) } else { Ok(text) }
    }

    pub(crate) fn optional_text(&self, name: &'static str) -> Result<Option<String>, ToolError> {
        self.optional(name, "a string", |value| value.as_str().map(str::to_owned))
    }

    pub(crate) fn texts(&self, name: &'static str) -> Result<Vec<String>, ToolError> {
        self.optional_texts(name)?.ok_or(ToolError::Missing { parameter: name })
    }

    pub(crate) fn optional_texts(&self, name: &'static str) -> Result<Option<Vec<String>>, ToolError> {
        self.optional_list(name, "a list of strings", "a string", |value| value.as_str().map(str::to_owned))
    }

    pub(crate) fn number(&self, name: &'static str) -> Result<Number, ToolError> {
        self.optional_number(name)?.ok_or(ToolError::Missing { parameter: name })
    }

    pub(crate) fn optional_number(&self, name: &'static str) -> Result<Option<Number>, ToolError> {
        self.optional(name, "a number", plain_number)
    }

    pub(crate) fn optional_numbers(&self, name: &'static str) -> Result<Option<Vec<Number>>, ToolError> {
        self.optional_list(name, "a list of numbers", "a number", plain_number)
    }

    /// A count: a whole number that is not negative.
    pub(crate) fn optional_count(&self, name: &'static str) -> Result<Option<usize>, ToolError> {
        let count = |value: &Value| {
            let number = plain_number(value)?;
            // More than can be counted is as good as all.
            number.as_u64().map(|count| usize::try_from(count).unwrap_or(usize::MAX))
        };
        self.optional(name, "a whole number, 0 or more", count)
    }

    pub(crate) fn optional_text_map(
        &self,
        name: &'static str,
    ) -> Result<Option<Map<String, Value>>, ToolError> {
        let map = |value: &Value| {
            let map = value.as_object()?;
            map.values().all(Value::is_string).then(|| map.clone())
        };
        self.optional(name, "an object whose values are strings", map)
    }

    pub(crate) fn optional_flag(&self, name: &'static str) -> Result<Option<bool>, ToolError> {
        self.optional(name, "true or false", Value::as_bool)
    }

    /// One of the words of an enumeration; `wanted` lists them for the caller.
    pub(crate) fn optional_word(
        &self,
        name: &'static str,
        words: &[&'static str],
        wanted: &'static str,
    ) -> Result<Option<&'static str>, ToolError> {
        self.optional(name, wanted, |value| words.iter().copied().find(|word| value.as_str() == Some(*word)))
    }

    fn optional<T>(
        &self,
        name: &'static str,
        wanted: &'static str,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<Option<T>, ToolError> {
        match self.given.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => read(value).map(Some).ok_or_else(|| wrong(name, wanted)),
        }
    }

    fn optional_list<T>(
        &self,
        name: &'static str,
        wanted: &'static str,
        wanted_of_item: &'static str,
        read: impl Fn(&'a Value) -> Option<T>,
    ) -> Result<Option<Vec<T>>, ToolError> {
        let Some(items) = self.optional(name, wanted, Value::as_array)? else { return Ok(None) };
        let item =
            |(index, value)| read(value).ok_or_else(|| wrong(&format!("{name}[{index}]"), wanted_of_item));
        items.iter().enumerate().map(item).collect::<Result<_, _>>().map(Some)
    }
}

pub(crate) fn wrong(parameter: &str, wanted: &'static str) -> ToolError {
    ToolError::Wrong { parameter: parameter.to_owned(), wanted }
}

/// A number in its plain form: `2.0` is `2`, as every JSON reader of another language takes it.
pub(crate) fn plain_number(value: &Value) -> Option<Number> {
    /// Up to here every whole number is exact in a double.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let number = value.as_number()?;
    match number.as_f64() {
        Some(double) if number.is_f64() && double.fract() == 0.0 && double.abs() <= EXACT =>
        {
            #[expect(clippy::cast_possible_truncation, reason = "checked: whole and exact")]
            Some(Number::from(double as i64))
        }
        _ => Some(number.clone()),
    }
}
