//! JSON in which no name stands twice: two readers would see two different calls.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Why a text is not one JSON object.
#[derive(Debug, thiserror::Error)]
pub enum StrictError {
    #[error("not JSON: {0}")]
    Syntax(#[from] serde_json::Error),
    #[error("not a JSON object but {0}")]
    NotAnObject(&'static str),
}

/// Reads exactly one JSON object; a name that stands twice in any object of it is an error.
pub fn parse_object(bytes: &[u8]) -> Result<Map<String, Value>, StrictError> {
    match parse_value(bytes)? {
        Value::Object(object) => Ok(object),
        Value::Array(_) => Err(StrictError::NotAnObject("a list")),
        Value::String(_) => Err(StrictError::NotAnObject("a text")),
        Value::Number(_) => Err(StrictError::NotAnObject("a number")),
        Value::Bool(_) | Value::Null => Err(StrictError::NotAnObject("a single word")),
    }
}

/// Reads exactly one JSON value in the same way; nesting beyond 128 levels is an error.
pub fn parse_value(bytes: &[u8]) -> serde_json::Result<Value> {
    serde_json::from_slice::<Strict>(bytes).map(|strict| strict.0)
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

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Strict(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some((name, Strict(value))) = members.next_entry::<String, Strict>()? {
            if object.contains_key(&name) {
                return Err(A::Error::custom(format!("`{name}` stands twice in one object")));
            }
            object.insert(name, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::parse_object;

    /// One object passes unchanged; everything else is refused with its reason.
    #[test]
    fn only_one_object_without_doubles() {
        let text = r#"{"a":[1,-2,2.5,null,true,"x"],"b":{"c":18446744073709551615}}"#;
        let object = parse_object(text.as_bytes()).unwrap();
        assert_eq!(serde_json::Value::Object(object).to_string(), text);
        let cases: [(&[u8], &str); 8] = [
            (b"", "EOF"),
            (b"{\"a\":1", "EOF"),
            (b"{} {}", "trailing"),
            (b"[]", "a list"),
            (b"null", "a single word"),
            (b"{\"a\":1,\"a\":2}", "`a` stands twice"),
            (b"{\"x\":[{\"a\":1,\"\\u0061\":2}]}", "`a` stands twice"),
            (b"{\"a\":\"\xff\"}", "invalid unicode"),
        ];
        for (text, reason) in cases {
            let error = parse_object(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
        assert!(parse_object("[".repeat(10_000).as_bytes()).is_err());
    }
}
