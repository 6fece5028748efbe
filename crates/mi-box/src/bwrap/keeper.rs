//! Holds a running box to its limits: time, memory, processes, processor, slots, uploads.
//!
//! Holds: whatever it decides, it decides once; after the decision everything in the box is dead within two seconds.

use mi_admission::{Denial, RunLimits};
use mi_process::{Deadline, FamilyUsage, Signal, Stopwatch, Tie, family};
use std::time::Duration;

use super::cgroup::Groups;
use crate::{
    engine::{End, Job},
    watch::{LOOK_EVERY, Watch, command_line},
};

/// How long a command may take to end after it was asked to (X7).
const GRACE: Duration = Duration::from_secs(2);
/// How often a box is counted where no control group does it.
const COUNT_EVERY: Duration = Duration::from_millis(20);
/// Processor time that may be ahead of its share.
const BURST: Duration = Duration::from_millis(100);

pub(super) struct Keeper {
    init: Tie,
    limits: RunLimits,
    groups: Option<Groups>,
    watch: Watch,
    clock: Stopwatch,
    limit: Deadline,
    next_look: Deadline,
    next_count: Deadline,
    /// Why the box is being ended, and when what is left of it is killed.
    ending: Option<(End, Deadline)>,
    frozen_until: Option<Deadline>,
}

impl Keeper {
    pub(super) fn new(job: &Job<'_>, init: Tie, groups: Option<Groups>) -> Self {
        let limit = Deadline::after(Duration::from_secs(job.work.spec.limits.step_seconds))
            .min(job.work.job_deadline);
        Self {
            init,
            limits: job.work.spec.limits,
            groups,
            watch: Watch::new(job),
            clock: Stopwatch::start(),
            limit,
            next_look: Deadline::after(LOOK_EVERY),
            next_count: Deadline::after(COUNT_EVERY),
            ending: None,
            frozen_until: None,
        }
    }

    /// When there is something to do again.
    pub(super) fn next(&self) -> Deadline {
        let counted =
            if self.groups.is_none() { self.next_look.min(self.next_count) } else { self.next_look };
        match &self.ending {
            Some((_, kill)) => *kill,
            None => counted.min(self.limit),
        }
    }

    /// Looks at the box and does what is due. True once the box is being ended.
    pub(super) fn tick(&mut self) -> bool {
        if let Some((_, kill)) = &self.ending {
            if kill.has_passed() {
                self.init.kill();
            }
            return true;
        }
        if self.limit.has_passed() {
            self.ask_to_end(End::TimedOut);
        } else if let Some(end) = self.count().or_else(|| self.look()) {
            self.kill(end);
        }
        self.ending.is_some()
    }

    /// Asks every process to end; what does not is killed when the grace is over.
    pub(super) fn ask_to_end(&mut self, why: End) {
        if self.ending.is_none() {
            self.init.thaw();
            self.init.signal_below(Signal::Terminate);
            self.ending = Some((why, Deadline::after(GRACE)));
        }
    }

    /// How the run ended, once nothing of it is left.
    pub(super) fn verdict(self, exit: i32) -> End {
        let for_memory = self.groups.as_ref().is_some_and(|groups| groups.killed_for_memory() > 0);
        match self.ending {
            Some((end, _)) => end,
            None if for_memory => End::OutOfMemory,
            None => End::Exited(exit),
        }
    }

    pub(super) fn took(&self) -> Duration {
        self.clock.elapsed()
    }

    fn kill(&mut self, why: End) {
        self.init.kill();
        self.ending = Some((why, Deadline::after(Duration::ZERO)));
    }

    fn look(&mut self) -> Option<End> {
        if !self.next_look.has_passed() {
            return None;
        }
        self.next_look = Deadline::after(LOOK_EVERY);
        if self.groups.as_ref().is_some_and(|groups| groups.killed_for_memory() > 0) {
            return Some(End::OutOfMemory);
        }
        let lines = family(self.init).into_iter().skip(1).map(command_line);
        self.watch.judge(lines).or_else(|| self.watch.measure()).map(End::Denied)
    }

    /// Memory, processes and processor time of the whole box, where no control group counts them (X18).
    fn count(&mut self) -> Option<End> {
        if self.groups.is_some() || !self.next_count.has_passed() {
            return None;
        }
        self.next_count = Deadline::after(COUNT_EVERY);
        let ids = family(self.init);
        let used = FamilyUsage::measure(&ids);
        if used.memory_bytes > self.limits.memory_bytes {
            return Some(End::OutOfMemory);
        }
        if used.tasks > self.limits.pids {
            let reason = format!("over {} processes and threads run in the box", self.limits.pids);
            return Some(End::Denied(Denial::new("X.limits", "limits.pids", reason)));
        }
        self.throttle(used.processor);
        None
    }

    /// Stops the box for as long as it is ahead of its share of the processors.
    fn throttle(&mut self, used: Duration) {
        match self.frozen_until {
            Some(until) if until.has_passed() => {
                self.init.thaw();
                self.frozen_until = None;
            }
            Some(_) => self.init.freeze(),
            None => {
                let share = self.clock.elapsed().mul_f64(self.limits.cpus) + BURST;
                if used > share {
                    self.init.freeze();
                    let ahead = (used - share).div_f64(self.limits.cpus);
                    self.frozen_until = Some(Deadline::after(ahead.min(Duration::from_secs(1))));
                }
            }
        }
    }
}
