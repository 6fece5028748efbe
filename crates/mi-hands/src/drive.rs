//! Runs a process as a batch: drains it, watches its limits, stops it when it is told to.

use mi_process::{Deadline, ProcessEvent, SpawnError, SpawnSpec, Spawner};
use std::time::Duration;

use crate::{
    BatchEnd, BatchOrder, HandsError, Observer, Verdict,
    interpret::Dialect,
    session::{Judge, Session},
};

/// Starts the program and stays with it until nothing of it is left.
pub(crate) fn drive(
    spawner: &Spawner,
    spec: &SpawnSpec,
    dialect: Dialect,
    judge: Judge,
    order: &BatchOrder<'_>,
    observer: &mut dyn Observer,
) -> Result<BatchEnd, HandsError> {
    let mut session = Session::begin(order, dialect, observer)?;
    let mut child = match spawner.spawn(spec) {
        Ok(child) => child,
        Err(error) => return Err(give_up(order, error)),
    };
    let limit = |wait: Option<Duration>| wait.map_or_else(Deadline::never, Deadline::after);
    let total = limit(order.limits.total);
    let mut idle = limit(order.limits.idle);
    loop {
        let deadline = if session.is_stopped() { Deadline::never() } else { idle.min(total) };
        let event = child.next(deadline, order.wake).map_err(|reason| HandsError::Read { reason })?;
        let was_stopped = session.is_stopped();
        match event {
            ProcessEvent::Stdout(bytes) => {
                session.stdout(bytes, observer)?;
                idle = limit(order.limits.idle);
            }
            ProcessEvent::Stderr(bytes) => {
                session.stderr(bytes, observer)?;
                idle = limit(order.limits.idle);
            }
            ProcessEvent::Exited(status) => {
                return session.finish(order, observer, Some(status), judge);
            }
            ProcessEvent::Wake => match observer.woken() {
                // The person insists: no more waiting.
                Verdict::Stop if was_stopped => {
                    session.obey(Verdict::Stop);
                    child.stop(&[]);
                }
                verdict => session.obey(verdict),
            },
            ProcessEvent::Timeout if total.has_passed() => {}
            ProcessEvent::Timeout => session.time_out(idle_message(order.limits.idle)),
        }
        if total.has_passed() {
            session.time_out(total_message(order.limits.total));
        }
        if session.is_stopped() && !was_stopped {
            child.stop(&order.stop_steps);
        }
    }
}

/// A program that did not start leaves no transcript: the next try may use the same name.
fn give_up(order: &BatchOrder<'_>, error: SpawnError) -> HandsError {
    let _ = std::fs::remove_file(&order.transcript_path);
    HandsError::Spawn(error)
}

pub(crate) fn idle_message(limit: Option<Duration>) -> String {
    format!("no output for {:?}: hands.idle_timeout", limit.unwrap_or_default())
}

pub(crate) fn total_message(limit: Option<Duration>) -> String {
    format!("still running after {:?}: the time limit of a batch", limit.unwrap_or_default())
}
