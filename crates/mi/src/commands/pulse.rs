//! A StatusClaim every beat while something is being worked on (Rule T).
//!
//! Holds: one claim per beat, the first at once; it ends with its owner, and a claim that cannot be written disturbs
//! nobody, since the work itself is recorded elsewhere.

use mi_autopilot::Clock;
use mi_council::beat::BeatFrame;
use mi_delivery::Chamber;
use std::{
    sync::mpsc::{RecvTimeoutError, Sender, channel},
    thread::JoinHandle,
    time::Duration,
};

use super::council;
use crate::app::App;

/// Claims until it is dropped.
pub struct Pulse {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Pulse {
    /// Claims `task_id` for the requirements that the task cites.
    pub fn start(app: &App, task_id: &str, goal_ids: Vec<String>) -> Self {
        let Ok(chamber) = council::chamber(app) else { return Self { stop: None, thread: None } };
        let (clock, task_id) = (app.clock, task_id.to_owned());
        let (stop, stopped) = channel();
        let thread = std::thread::spawn(move || {
            let mut chamber = chamber;
            let mut last = None;
            loop {
                let frame = BeatFrame::at(clock.now());
                if last != Some(frame.beat_index) {
                    claim(&mut chamber, &frame, &task_id, &goal_ids, clock);
                    last = Some(frame.beat_index);
                }
                match stopped.recv_timeout(until_next(&frame, clock)) {
                    Err(RecvTimeoutError::Timeout) => {}
                    Ok(()) | Err(RecvTimeoutError::Disconnected) => return,
                }
            }
        });
        Self { stop: Some(stop), thread: Some(thread) }
    }
}

fn claim(chamber: &mut Chamber, frame: &BeatFrame, task_id: &str, goal_ids: &[String], clock: Clock) {
    let mut claim = frame.claim(task_id, "working");
    claim.goal_ids = goal_ids.to_vec();
    let _ = chamber.claim(&claim, clock.now());
}

/// Never less than a second, so that a clock that stands still is not asked all the time.
fn until_next(frame: &BeatFrame, clock: Clock) -> Duration {
    let left = frame.ends_at.as_millis().saturating_sub(clock.now().as_millis());
    Duration::from_millis(u64::try_from(left).unwrap_or(0).max(1000))
}

impl Drop for Pulse {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // It only panics if it was killed with the process.
            let _ = thread.join();
        }
    }
}
