//! Durations as people write them: `500ms`, `90s`, `15m`, `2h`.

use std::time::Duration;

/// Why a text is no duration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a duration: write a whole number above 0 and a unit, such as 500ms, 90s, 15m or 2h")]
pub struct DurationError {
    pub text: String,
}

/// Reads one whole number and one unit. Zero is refused: a limit of no time at all is a mistake.
pub fn parse_duration(text: &str) -> Result<Duration, DurationError> {
    let error = || DurationError { text: text.to_owned() };
    let digits = text.find(|character: char| !character.is_ascii_digit()).ok_or_else(error)?;
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().map_err(|_| error())?;
    let unit_ms: u64 = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return Err(error()),
    };
    match number.checked_mul(unit_ms) {
        None | Some(0) => Err(error()),
        Some(total_ms) => Ok(Duration::from_millis(total_ms)),
    }
}

/// The shortest text that [`parse_duration`] reads back to the same duration (to the millisecond).
pub fn format_duration(duration: Duration) -> String {
    let total_ms = duration.as_millis();
    let (unit_ms, unit) = [(3_600_000, "h"), (60_000, "m"), (1_000, "s")]
        .into_iter()
        .find(|(unit_ms, _)| total_ms > 0 && total_ms.is_multiple_of(*unit_ms))
        .unwrap_or((1, "ms"));
    format!("{}{unit}", total_ms / unit_ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every unit is read, and written back in the largest unit that fits.
    #[test]
    fn reads_and_writes_every_unit() {
        let cases = [
            ("500ms", 500, "500ms"),
            ("90s", 90_000, "90s"),
            ("15m", 900_000, "15m"),
            ("120m", 7_200_000, "2h"),
        ];
        for (text, total_ms, written) in cases {
            assert_eq!(parse_duration(text), Ok(Duration::from_millis(total_ms)), "{text}");
            assert_eq!(format_duration(Duration::from_millis(total_ms)), written);
        }
    }

    /// Anything else is refused.
    #[test]
    fn refuses_anything_else() {
        for text in [
            "",
            "15",
            "m",
            "15 m",
            "1.5h",
            "-1s",
            "0s",
            "15d",
            "1h30m",
            "１s",
            "99999999999999999999h",
            "18446744073709551615h",
        ] {
            assert_eq!(parse_duration(text), Err(DurationError { text: text.to_owned() }), "{text}");
        }
    }
}
