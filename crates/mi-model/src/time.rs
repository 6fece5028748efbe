//! Instants, the hybrid logical clock and the beat grid. All arithmetic; the instant itself is an argument.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::{fmt, str::FromStr};

/// Milliseconds since the Unix epoch, written as RFC 3339 in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, JsonSchema)]
#[schemars(with = "String")]
pub struct Timestamp(i64);

/// A text that is not an RFC 3339 instant.
#[derive(Debug, thiserror::Error)]
#[error("`{text}` is not an RFC 3339 time such as 2026-02-08T12:00:00Z")]
pub struct TimestampError {
    text: String,
    source: jiff::Error,
}

impl Timestamp {
    /// The instant this many milliseconds after the epoch; out of range saturates to the epoch.
    pub fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since the epoch.
    pub fn as_millis(self) -> i64 {
        self.0
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let instant = jiff::Timestamp::from_millisecond(self.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        write!(f, "{instant:.3}")
    }
}

impl FromStr for Timestamp {
    type Err = TimestampError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.parse::<jiff::Timestamp>() {
            Ok(instant) => Ok(Self(instant.as_millisecond())),
            Err(source) => Err(TimestampError { text: text.to_owned(), source }),
        }
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// A hybrid logical clock reading: never goes back, even when the machine's clock does.
///
/// Written `MILLIS-COUNTER`, both zero-padded, so that text order is time order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Hlc {
    millis: i64,
    counter: u32,
}

impl Hlc {
    /// The reading for an event at `now` that comes after this one.
    #[must_use]
    pub fn tick(self, now: Timestamp) -> Self {
        if now.as_millis() > self.millis {
            Self { millis: now.as_millis(), counter: 0 }
        } else {
            Self { millis: self.millis, counter: self.counter.saturating_add(1) }
        }
    }
}

impl fmt::Display for Hlc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:013}-{:05}", self.millis, self.counter)
    }
}

impl FromStr for Hlc {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (millis, counter) = text.split_once('-').ok_or(())?;
        Ok(Self { millis: millis.parse().map_err(|_| ())?, counter: counter.parse().map_err(|_| ())? })
    }
}

/// The beat grid that every process on every machine derives alike: beats counted from the epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BeatClock {
    pub beat_ms: i64,
    pub beats_per_window: i64,
}

impl Default for BeatClock {
    fn default() -> Self {
        Self { beat_ms: 15 * 60_000, beats_per_window: 8 }
    }
}

/// Where an instant lies on the beat grid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Beat {
    pub beat_index: i64,
    pub window_id: String,
}

impl BeatClock {
    /// The beat and window of `now`.
    pub fn at(&self, now: Timestamp) -> Beat {
        let beat_index = now.as_millis().div_euclid(self.beat_ms.max(1));
        let window = beat_index.div_euclid(self.beats_per_window.max(1));
        Beat { beat_index, window_id: format!("w{window}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is written is read back to the millisecond.
    #[test]
    fn timestamp_survives_its_text_form() {
        let instant: Timestamp = "2026-02-08T12:00:00.250Z".parse().unwrap();
        assert_eq!(instant.to_string(), "2026-02-08T12:00:00.250Z");
    }

    /// A clock that goes back does not take the order of records with it.
    #[test]
    fn hlc_never_goes_back_when_the_clock_does() {
        let first = Hlc::default().tick(Timestamp::from_millis(5_000));
        let second = first.tick(Timestamp::from_millis(4_000));
        assert!(second > first && second.to_string() > first.to_string());
        assert_eq!(second.to_string().parse(), Ok(second));
    }
}
