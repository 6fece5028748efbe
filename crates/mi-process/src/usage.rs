//! What a family of processes uses together, read from `/proc`.

use std::{fs, time::Duration};

const TICK_MILLIS: u64 = 10;

/// What some processes use together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FamilyUsage {
    /// Anonymous and shared memory.
    pub memory_bytes: u64,
    /// Threads of all of them.
    pub tasks: u64,
    pub processor: Duration,
}

impl FamilyUsage {
    /// Measures processes by their ids; those that are gone count nothing.
    pub fn measure(ids: &[i32]) -> Self {
        let mut usage = Self::default();
        for id in ids {
            let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
            usage.memory_bytes += 1024 * (read_field(&status, "RssAnon:") + read_field(&status, "RssShmem:"));
            usage.tasks += read_field(&status, "Threads:");
            usage.processor += processor_time(*id);
        }
        usage
    }
}

fn read_field(status: &str, name: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    line.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// Its own time and that of its children that have ended.
fn processor_time(id: i32) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks: u64 =
        fields.split_whitespace().skip(11).take(4).filter_map(|text| text.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * TICK_MILLIS)
}
