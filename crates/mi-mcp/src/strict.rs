//! JSON in which no key stands twice.
//!
//! Of `{"vote":"red","vote":"green"}` one reader sees the first and another the last, so whoever wrote it meant nothing
//! that can be acted on. Holds: the value is what `serde_json` reads; a key that stands twice is told by its name.

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::fmt;

/// A JSON text as a value, and the first key that stands twice in one object.
pub(crate) fn read(bytes: &[u8]) -> Result<(Value, Option<String>), serde_json::Error> {
    let mut twice = None;
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = Strict { twice: &mut twice }.deserialize(&mut reader)?;
    reader.end()?;
    Ok((value, twice))
}

struct Strict<'a> {
    twice: &'a mut Option<String>,
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(Strict { twice: self.twice })? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let value = entries.next_value_seed(Strict { twice: self.twice })?;
            if fields.insert(key.clone(), value).is_some() {
                self.twice.get_or_insert(key);
            }
        }
        Ok(Value::Object(fields))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value is the one that everybody reads; a key that stands twice is named, however it is spelled or nested.
    #[test]
    fn keys_that_stand_twice_are_named() {
        let whole = r#"{"a":[1,-2,0.5,null,true,"x",{"b":{}}],"c":18446744073709551615}"#;
        assert_eq!(read(whole.as_bytes()).unwrap(), (serde_json::from_str(whole).unwrap(), None));
        for (text, key) in [
            (r#"{"a":1,"a":1}"#, "a"),
            (r#"{"a":1,"\u0061":2}"#, "a"),
            (r#"[{"x":{"deep":1,"deep":2}}]"#, "deep"),
        ] {
            assert_eq!(read(text.as_bytes()).unwrap().1.as_deref(), Some(key), "{text}");
        }
        for bad in ["", "{", "{} x", &"[".repeat(100_000)] {
            assert!(read(bad.as_bytes()).is_err());
        }
    }
}
