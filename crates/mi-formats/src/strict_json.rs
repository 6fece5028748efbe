//! JSON in which no name stands twice: of `{"vote":"red","vote":"green"}` one reader sees the first and another the last.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
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
    read_whole(bytes, DoubleNames::Refuse)
}

/// Reads exactly one JSON value as any reader would, where the last of two names counts, and returns the first name that
/// stands twice in one object. For those who have to answer even what they refuse.
pub fn parse_value_with_double(bytes: &[u8]) -> serde_json::Result<(Value, Option<String>)> {
    let mut double = None;
    let value = read_whole(bytes, DoubleNames::Note(&mut double))?;
    Ok((value, double))
}

fn read_whole(bytes: &[u8], doubles: DoubleNames<'_>) -> serde_json::Result<Value> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = doubles.deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

/// What happens to a name that stands twice in one object; reads the value around it.
enum DoubleNames<'a> {
    Refuse,
    Note(&'a mut Option<String>),
}

impl DoubleNames<'_> {
    fn reborrow(&mut self) -> DoubleNames<'_> {
        match self {
            Self::Refuse => DoubleNames::Refuse,
            Self::Note(double) => DoubleNames::Note(double),
        }
    }
}

impl<'de> DeserializeSeed<'de> for DoubleNames<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for DoubleNames<'_> {
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

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self.reborrow())? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            let value = members.next_value_seed(self.reborrow())?;
            if object.contains_key(&name) {
                match &mut self {
                    Self::Refuse => {
                        return Err(A::Error::custom(format!("`{name}` stands twice in one object")));
                    }
                    Self::Note(double) => drop(double.get_or_insert_with(|| name.clone())),
                }
            }
            object.insert(name, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    /// Who has to answer gets the value that everybody reads, and the first doubled name, however it is spelled or nested.
    #[test]
    fn double_names_can_be_noted() {
        let whole = r#"{"a":[1,-2,0.5,null,true,"x",{"b":{}}],"c":18446744073709551615}"#;
        let read = |text: &str| parse_value_with_double(text.as_bytes());
        assert_eq!(read(whole).unwrap(), (serde_json::from_str(whole).unwrap(), None));
        for (text, name) in [
            (r#"{"a":1,"a":1}"#, "a"),
            (r#"{"a":1,"\u0061":2}"#, "a"),
            (r#"[{"x":{"deep":1,"deep":2}}]"#, "deep"),
        ] {
            let (value, double) = read(text).unwrap();
            assert_eq!(
                (value, double.as_deref()),
                (serde_json::from_str(text).unwrap(), Some(name)),
                "{text}"
            );
        }
        for bad in ["", "{", "{} x", &"[".repeat(100_000)] {
            assert!(read(bad).is_err());
        }
    }
}
