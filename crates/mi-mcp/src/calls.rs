//! Where calls are carried out: one after the other, in the order in which they came.
//!
//! Handing a call to another thread and back costs more than most calls, so one that is short and need not wait is
//! carried out on the protocol's thread. What may take long, or waits for another process that holds the lock, is
//! carried out on a thread of its own, and the protocol goes on meanwhile.

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::atomic::{AtomicUsize, Ordering},
};

use tokio::sync::{Mutex, Notify};

/// The calls of one server.
#[derive(Default)]
pub(crate) struct Calls {
    /// How many are carried out, or wait, on another thread.
    apart: AtomicUsize,
    went_apart: Notify,
    /// Given in the order in which it was asked for.
    turn: Mutex<()>,
}

impl Calls {
    /// The error says how the work was cut off.
    pub(crate) async fn carry_out<T: Send + 'static>(
        &self,
        waits: bool,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, String> {
        if !waits && !self.any_apart() {
            // What is kept between calls lies behind locks that a panic leaves whole.
            return catch_unwind(AssertUnwindSafe(work)).map_err(|_| "it panicked".to_owned());
        }
        let _apart = Apart::count(self);
        let _turn = self.turn.lock().await;
        tokio::task::spawn_blocking(work).await.map_err(|error| error.to_string())
    }

    /// Whether the protocol's thread may be stopped by reading: no call needs it.
    pub(crate) fn any_apart(&self) -> bool {
        self.apart.load(Ordering::Relaxed) > 0
    }

    pub(crate) async fn one_goes_apart(&self) {
        self.went_apart.notified().await;
    }
}

/// Counts a call as long as it lives, also when its future is dropped.
struct Apart<'a>(&'a Calls);

impl<'a> Apart<'a> {
    fn count(calls: &'a Calls) -> Self {
        calls.apart.fetch_add(1, Ordering::Relaxed);
        calls.went_apart.notify_one();
        Self(calls)
    }
}

impl Drop for Apart<'_> {
    fn drop(&mut self) {
        self.0.apart.fetch_sub(1, Ordering::Relaxed);
    }
}

/// One thread for the protocol; further ones are started when a call goes apart.
pub(crate) fn runtime(sockets: Sockets) -> io::Result<tokio::runtime::Runtime> {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_time();
    match sockets {
        Sockets::None => {}
        Sockets::Used => drop(builder.enable_io()),
    }
    builder.build()
}

/// Whether the runtime watches sockets; setting that up costs start-up time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sockets {
    None,
    Used,
}
