//! Salience: what the numbers mean, and whether a collection still tells important from ordinary (D.13).

use serde::Serialize;

/// Cards of this salience and above are loaded on every boot.
pub const EVERY_BOOT: u8 = 9;

/// What a salience means.
pub fn band(salience: u8) -> &'static str {
    match salience {
        9.. => "axiom-level",
        7..=8 => "high-frequency",
        4..=6 => "normal",
        0..=3 => "cooling",
    }
}

/// How the saliences of a collection are spread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Calibration {
    pub total: usize,
    /// How many cards have 1, 2, … 10.
    pub counts: [usize; 10],
    /// How many lie in 5–7.
    pub middle: usize,
    pub middle_percent: usize,
    /// More than 70 % lie in 5–7.
    pub needed: bool,
}

/// Looks at the saliences of all active cards.
pub fn calibrate(saliences: impl Iterator<Item = u8>) -> Calibration {
    let mut counts = [0; 10];
    for salience in saliences {
        if let Some(count) = usize::from(salience).checked_sub(1).and_then(|at| counts.get_mut(at)) {
            *count += 1;
        }
    }
    let total: usize = counts.iter().sum();
    let middle: usize = counts[4..7].iter().sum();
    Calibration {
        total,
        counts,
        middle,
        middle_percent: (middle * 100).checked_div(total).unwrap_or(0),
        needed: middle * 10 > total * 7,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The warning comes above 70 %, not at it.
    #[test]
    fn d_13_more_than_seventy_percent_in_the_middle_is_a_warning() {
        let of = |middle: usize, other: usize| {
            calibrate(std::iter::repeat_n(6, middle).chain(std::iter::repeat_n(9, other)))
        };
        assert!(!of(7, 3).needed && of(71, 29).needed && of(1, 0).needed && !of(0, 0).needed);
        assert_eq!(of(7, 3).middle_percent, 70);
        let edges = calibrate([4, 5, 7, 8].into_iter());
        assert_eq!((edges.middle, edges.total), (2, 4));
    }

    /// The scale of the seed.
    #[test]
    fn d_13_bands() {
        let bands: Vec<&str> = (1..=10).map(band).collect();
        assert_eq!(bands[..3], ["cooling"; 3]);
        assert_eq!(bands[3..6], ["normal"; 3]);
        assert_eq!(bands[6..8], ["high-frequency"; 2]);
        assert_eq!(bands[8..], ["axiom-level"; 2]);
    }
}
