//! JSON without the ambiguities that let two readers see two things: duplicate keys are refused.

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::fmt;

/// Why a text is no usable JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("read JSON: {0}")]
pub struct JsonError(String);

/// Reads one JSON value; duplicate keys, trailing text and nesting beyond 128 levels are errors.
pub fn read_json(text: &str) -> Result<Value, JsonError> {
    serde_json::from_str::<Strict>(text).map(|strict| strict.0).map_err(|error| JsonError(error.to_string()))
}

struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Self)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Strict(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let Strict(value) = entries.next_value()?;
            if map.contains_key(&key) {
                return Err(A::Error::custom(format!("the key `{key}` stands twice")));
            }
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What two readers could read differently is refused.
    #[test]
    fn d_17_ambiguous_json_is_refused() {
        assert!(read_json(r#"{"a":1,"a":2}"#).is_err());
        assert!(read_json(r#"{"x":{"a":1,"a":2}}"#).is_err());
        assert!(read_json(r#"{"a":1} {"a":2}"#).is_err());
        assert!(read_json(&"[".repeat(10_000)).is_err());
        assert_eq!(read_json(r#"{"a":[1,-2,0.5,"x",null,true]}"#).unwrap()["a"][3], "x");
    }
}
