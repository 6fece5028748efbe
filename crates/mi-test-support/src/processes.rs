//! Finding what a test left running.
//!
//! An orphan has lost its parent, so the family tree does not lead to it. A marker does: a text that stands
//! in its command line, its environment or its working directory, and all of its children inherit it. The
//! path of a [`crate::TempHome`] or [`crate::TempProject`] is such a marker.

use std::fs;
use std::time::{Duration, Instant};

/// A living process that carries the marker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Descendant {
    pub pid: u32,
    pub command: String,
}

/// Every living process, but this one, that carries `marker`. Zombies are not alive.
pub fn descendants_with_marker(marker: &str) -> Vec<Descendant> {
    assert!(!marker.is_empty(), "every process carries the empty marker");
    let entries = fs::read_dir("/proc").expect("read /proc");
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|pid| *pid != std::process::id()).filter_map(|pid| carrier(pid, marker)).collect()
}

/// What still carries `marker` when `grace` is over; empty as soon as nothing does.
pub fn leftovers_after(marker: &str, grace: Duration) -> Vec<Descendant> {
    let mut found = descendants_with_marker(marker);
    wait_until(grace, || {
        found = descendants_with_marker(marker);
        found.is_empty()
    });
    found
}

/// Asks every 10 ms until `holds` says yes or the time is over. Returns the last answer.
pub fn wait_until(limit: Duration, mut holds: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    loop {
        if holds() {
            return true;
        }
        if start.elapsed() >= limit {
            return false;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A process may end between any two reads: then it is no carrier.
fn carrier(pid: u32, marker: &str) -> Option<Descendant> {
    let folder = format!("/proc/{pid}");
    let arguments = fs::read(format!("{folder}/cmdline")).ok()?;
    let environment = fs::read(format!("{folder}/environ")).unwrap_or_default();
    let directory = fs::read_link(format!("{folder}/cwd")).unwrap_or_default();
    let carries = contains(&arguments, marker)
        || contains(&environment, marker)
        || contains(directory.as_os_str().as_encoded_bytes(), marker);
    let command = String::from_utf8_lossy(&arguments).replace('\0', " ").trim_end().to_owned();
    (carries && is_alive(pid)).then_some(Descendant { pid, command })
}

fn contains(bytes: &[u8], marker: &str) -> bool {
    bytes.windows(marker.len()).any(|window| window == marker.as_bytes())
}

/// The state letter follows the last parenthesis of `stat`: the program's name may hold anything.
fn is_alive(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit_once(')').and_then(|(_, rest)| rest.trim_start().chars().next());
    state.is_some_and(|letter| !matches!(letter, 'Z' | 'X'))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// A process is found by its environment while it lives, and not once it is killed.
    #[test]
    fn finds_the_living_only() {
        let marker = format!("marker-{}", std::process::id());
        let mut child = Command::new("sleep").arg("600").env("MI_TEST_MARKER", &marker).spawn().unwrap();
        assert!(wait_until(Duration::from_secs(5), || descendants_with_marker(&marker).len() == 1));
        assert_eq!(descendants_with_marker(&marker)[0].command, "sleep 600");
        child.kill().unwrap();
        assert_eq!(leftovers_after(&marker, Duration::from_secs(5)), []);
        child.wait().unwrap();
    }
}
