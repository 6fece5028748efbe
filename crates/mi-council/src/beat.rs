//! Cadence: where an instant lies in beats, windows and phases, and what whoever works says every beat.
//!
//! Holds: everything follows from the instant, so two processes agree without talking.

use mi_model::{BeatClock, Hlc, Timestamp};
use serde::{Deserialize, Serialize};

/// What a window is for at one of its beats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CadencePhase {
    Plan,
    Work,
    Review,
}

/// One beat (INT-A).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BeatFrame {
    pub beat_index: i64,
    pub window_id: String,
    pub phase: CadencePhase,
    pub hlc: String,
    pub starts_at: Timestamp,
    pub ends_at: Timestamp,
    pub beat_ms: i64,
    pub beats_per_window: i64,
}

/// What whoever works says every beat (INT-B).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusClaim {
    pub task_id: String,
    pub state: String,
    pub beat_index: i64,
    pub window_id: String,
    pub hlc: String,
    /// The image that the work runs in; none where it runs in no image.
    pub image_digest: Option<String>,
    pub workspace_manifest_hash: Option<String>,
    #[serde(rename = "goal.ids", default, skip_serializing_if = "Vec::is_empty")]
    pub goal_ids: Vec<String>,
}

/// The beat of an instant.
pub fn beat_at(now: Timestamp) -> i64 {
    BeatClock::default().at(now).beat_index
}

impl BeatFrame {
    /// The frame of an instant.
    pub fn at(now: Timestamp) -> Self {
        let clock = BeatClock::default();
        let beat = clock.at(now);
        let starts = beat.beat_index.saturating_mul(clock.beat_ms);
        Self {
            phase: phase_of(beat.beat_index, clock.beats_per_window),
            beat_index: beat.beat_index,
            window_id: beat.window_id,
            hlc: Hlc::default().tick(now).to_string(),
            starts_at: Timestamp::from_millis(starts),
            ends_at: Timestamp::from_millis(starts.saturating_add(clock.beat_ms)),
            beat_ms: clock.beat_ms,
            beats_per_window: clock.beats_per_window,
        }
    }

    /// What is claimed at this beat.
    pub fn claim(&self, task_id: &str, state: &str) -> StatusClaim {
        StatusClaim {
            task_id: task_id.to_owned(),
            state: state.to_owned(),
            beat_index: self.beat_index,
            window_id: self.window_id.clone(),
            hlc: self.hlc.clone(),
            image_digest: None,
            workspace_manifest_hash: None,
            goal_ids: Vec::new(),
        }
    }
}

/// A window begins with a beat of planning and ends with two of review.
fn phase_of(beat: i64, window: i64) -> CadencePhase {
    match beat.rem_euclid(window.max(1)) {
        0 => CadencePhase::Plan,
        at if at >= window - 2 => CadencePhase::Review,
        _ => CadencePhase::Work,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A beat is fifteen minutes; windows plan first and review last.
    #[test]
    fn rule_t_a_beat_is_fifteen_minutes() {
        let at = |text: &str| BeatFrame::at(text.parse().unwrap());
        let first = at("2026-02-08T12:00:00Z");
        assert_eq!(
            at("2026-02-08T12:14:59.999Z"),
            BeatFrame { hlc: at("2026-02-08T12:14:59.999Z").hlc, ..first.clone() }
        );
        assert_eq!(at("2026-02-08T12:15:00Z").beat_index, first.beat_index + 1);
        assert_eq!(
            (first.starts_at.to_string(), first.ends_at.to_string()),
            ("2026-02-08T12:00:00.000Z".to_owned(), "2026-02-08T12:15:00.000Z".to_owned())
        );
        let phases: Vec<_> = (0..8).map(|beat| phase_of(beat, 8)).collect();
        assert_eq!(phases[0], CadencePhase::Plan);
        assert!(phases[1..6].iter().all(|phase| *phase == CadencePhase::Work));
        assert!(phases[6..].iter().all(|phase| *phase == CadencePhase::Review));
        assert_eq!(phase_of(-1, 8), CadencePhase::Review);
    }
}
