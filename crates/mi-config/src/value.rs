//! What a setting can be, and how it is read from TOML, from a flag or from the environment.

use std::fmt;
use std::time::Duration;

use toml::de::DeValue;

use crate::duration::{format_duration, parse_duration};

/// What a setting may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Choice(&'static [&'static str]),
    /// A whole number from `least` to `most`.
    Number {
        least: u64,
        most: u64,
    },
    Duration,
    Words,
    Switch,
}

/// The value of one setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    Text(String),
    Number(u64),
    Duration(Duration),
    Words(Vec<String>),
    Switch(bool),
}

impl Kind {
    /// What a person should write, for messages.
    pub(crate) fn wanted(self) -> String {
        match self {
            Self::Text => "a text in quotes".to_owned(),
            Self::Choice(words) => format!("one of {}", words.join(", ")),
            Self::Number { least, most: u64::MAX } => format!("a whole number of {least} or more"),
            Self::Number { least, most } => format!("a whole number from {least} to {most}"),
            Self::Duration => "a duration such as \"500ms\", \"90s\", \"15m\" or \"2h\"".to_owned(),
            Self::Switch => "true or false".to_owned(),
            Self::Words => "a list of texts such as [\"a\", \"b\"]".to_owned(),
        }
    }

    /// The value in a file, if it is of this kind.
    pub(crate) fn read_toml(self, value: &DeValue<'_>) -> Option<Value> {
        match (self, value) {
            (Self::Number { .. }, DeValue::Integer(number)) => {
                self.number(u64::from_str_radix(number.as_str(), number.radix()).ok()?)
            }
            (Self::Text | Self::Choice(_) | Self::Duration, DeValue::String(text)) => self.read_text(text),
            (Self::Switch, DeValue::Boolean(on)) => Some(Value::Switch(*on)),
            (Self::Words, DeValue::Array(items)) => {
                let words = items.iter().map(|item| item.get_ref().as_str().map(str::to_owned));
                words.collect::<Option<_>>().map(Value::Words)
            }
            _ => None,
        }
    }

    /// The value of a flag or a variable, if it is of this kind. A list is a TOML list, or words between spaces.
    pub(crate) fn read_text(self, text: &str) -> Option<Value> {
        match self {
            Self::Text => Some(Value::Text(text.to_owned())),
            Self::Choice(words) => words.contains(&text).then(|| Value::Text(text.to_owned())),
            Self::Number { .. } => self.number(text.parse().ok()?),
            Self::Duration => parse_duration(text).ok().map(Value::Duration),
            Self::Switch => text.parse().ok().map(Value::Switch),
            Self::Words if text.trim_start().starts_with('[') => {
                self.read_toml(DeValue::parse(text).ok()?.get_ref())
            }
            Self::Words => Some(Value::Words(text.split_whitespace().map(str::to_owned).collect())),
        }
    }

    fn number(self, number: u64) -> Option<Value> {
        match self {
            Self::Number { least, most } if (least..=most).contains(&number) => Some(Value::Number(number)),
            _ => None,
        }
    }
}

/// As it would stand in a file.
impl fmt::Display for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(formatter, "{}", toml::Value::from(text.as_str())),
            Self::Number(number) => write!(formatter, "{number}"),
            Self::Duration(duration) => write!(formatter, "\"{}\"", format_duration(*duration)),
            Self::Switch(on) => write!(formatter, "{on}"),
            Self::Words(words) => write!(formatter, "{}", toml::Value::from(words.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Kind = Kind::Number { least: 1, most: 10 };

    fn from_toml(kind: Kind, text: &str) -> Option<String> {
        kind.read_toml(DeValue::parse(text).unwrap().get_ref()).map(|value| value.to_string())
    }

    /// A value in a file is taken when it is of the kind, and shown as it would be written.
    #[test]
    fn files_give_typed_values() {
        let cases = [
            (Kind::Text, r#""a \" b""#, Some(r#"'a " b'"#)),
            (Kind::Text, "1", None),
            (Kind::Choice(&["a", "b"]), r#""b""#, Some(r#""b""#)),
            (Kind::Choice(&["a", "b"]), r#""c""#, None),
            (SIZE, "0x0a", Some("10")),
            (SIZE, "0", None),
            (SIZE, "-1", None),
            (SIZE, "11", None),
            (SIZE, "99999999999999999999999", None),
            (SIZE, r#""5""#, None),
            (Kind::Duration, r#""60s""#, Some(r#""1m""#)),
            (Kind::Duration, "60", None),
            (Kind::Words, r#"["a", "b c"]"#, Some(r#"["a", "b c"]"#)),
            (Kind::Words, r#"["a", 1]"#, None),
            (Kind::Words, r#""a""#, None),
            (Kind::Switch, "true", Some("true")),
            (Kind::Switch, r#""true""#, None),
            (Kind::Switch, "1", None),
        ];
        for (kind, text, expected) in cases {
            assert_eq!(from_toml(kind, text).as_deref(), expected, "{kind:?} {text}");
        }
    }

    /// Flags and variables are read without quotes.
    #[test]
    fn plain_text_gives_typed_values() {
        let cases = [
            (Kind::Text, "a b", Some(r#""a b""#)),
            (SIZE, "7", Some("7")),
            (SIZE, "seven", None),
            (Kind::Duration, "90s", Some(r#""90s""#)),
            (Kind::Words, "-c x=1", Some(r#"["-c", "x=1"]"#)),
            (Kind::Words, r#"["a b"]"#, Some(r#"["a b"]"#)),
            (Kind::Words, "[", None),
        ];
        for (kind, text, expected) in cases {
            assert_eq!(kind.read_text(text).map(|value| value.to_string()).as_deref(), expected, "{text}");
        }
    }
}
