//! Finds every descendant of this process by walking `/proc`, also those in sessions of their own.

use rustix::process::{Pid, getpid, kill_process};
use std::fs;

use crate::Signal;

/// Sends `signal` to every living descendant. One that ends meanwhile is none of our concern.
pub(crate) fn signal_all(signal: Signal) {
    for pid in living(getpid().as_raw_nonzero().get()) {
        let _ = kill_process(pid, signal.raw());
    }
}

/// Every descendant of `root` that is not a zombie, parents before their children.
pub(crate) fn living(root: i32) -> Vec<Pid> {
    let processes: Vec<Process> = fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(|entry| read_process(entry.ok()?.file_name().to_str()?))
        .collect();
    let mut family = vec![root];
    let mut found = Vec::new();
    let mut next = 0;
    while let Some(&parent) = family.get(next) {
        next += 1;
        for process in processes.iter().filter(|process| process.parent == parent) {
            family.push(process.id);
            if !process.is_zombie {
                found.extend(Pid::from_raw(process.id));
            }
        }
    }
    found
}

#[derive(Debug, PartialEq, Eq)]
struct Process {
    id: i32,
    parent: i32,
    is_zombie: bool,
}

/// When a process started, in ticks since the machine did: with its id, that names it for good.
pub(crate) fn start_time(id: i32) -> Option<u64> {
    let stat = fs::read(format!("/proc/{id}/stat")).ok()?;
    let after_name = stat.iter().rposition(|byte| *byte == b')')? + 1;
    let rest = std::str::from_utf8(stat.get(after_name..)?).ok()?;
    rest.split_ascii_whitespace().nth(19)?.parse().ok()
}

fn read_process(name: &str) -> Option<Process> {
    let id = name.parse().ok()?;
    let stat = fs::read(format!("/proc/{name}/stat")).ok()?;
    parse_stat(id, &stat)
}

/// Reads `PID (NAME) STATE PPID …`; the name may hold blanks and brackets, so the last bracket counts.
fn parse_stat(id: i32, stat: &[u8]) -> Option<Process> {
    let after_name = stat.iter().rposition(|byte| *byte == b')')? + 1;
    let rest = std::str::from_utf8(stat.get(after_name..)?).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    let is_zombie = matches!(fields.next()?, "Z" | "X");
    Some(Process { id, parent: fields.next()?.parse().ok()?, is_zombie })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program may call itself anything.
    #[test]
    fn names_with_brackets_do_not_hide_a_parent() {
        let process = parse_stat(7, b"7 (a) S 1 (b)) Z 42 7 7 0 -1").unwrap();
        assert_eq!(process, Process { id: 7, parent: 42, is_zombie: true });
        assert_eq!(parse_stat(7, b"7 (no end"), None);
    }
}
