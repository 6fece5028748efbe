//! The one place where the time of day enters: the machine's clock, or the instant that `MI_NOW` fixes.

use mi_model::Timestamp;
use std::time::{Duration, Instant, SystemTime};

/// Tells the time to everything that stamps records.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    fixed: Option<Timestamp>,
    started: Instant,
}

impl Clock {
    /// The machine's clock, or one that always shows `fixed`.
    #[expect(clippy::disallowed_methods, reason = "this is the clock that everything else asks")]
    pub fn new(fixed: Option<Timestamp>) -> Self {
        Self { fixed, started: Instant::now() }
    }

    /// The time of day.
    #[expect(clippy::disallowed_methods, reason = "this is the clock that everything else asks")]
    pub fn now(&self) -> Timestamp {
        self.fixed.unwrap_or_else(|| {
            let since_epoch =
                SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
            Timestamp::from_millis(i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX))
        })
    }

    /// How long this process has run; does not jump when the time of day does.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}
