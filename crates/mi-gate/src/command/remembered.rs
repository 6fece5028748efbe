//! The scripts that were read last. A command is looked at from several sides (permission, risk, proof, edits), and agents
//! repeat themselves; to read one again costs twenty times as much as to copy what was found.
//!
//! Holds: an analysis depends on its script alone, so what is remembered is what reading would find.

use std::{cell::RefCell, collections::VecDeque};

use super::Analysis;

/// How many scripts are remembered, and how long they may be.
const SCRIPTS: usize = 16;
const BYTES: usize = 2048;

thread_local! {
    static READ: RefCell<VecDeque<(Box<str>, Analysis)>> = const { RefCell::new(VecDeque::new()) };
}

/// What `read` finds in the script, or found.
pub(super) fn or_read(script: &str, read: impl FnOnce(&str) -> Analysis) -> Analysis {
    if script.len() > BYTES {
        return read(script);
    }
    let known = READ.with_borrow(|known| {
        known.iter().find(|(text, _)| **text == *script).map(|(_, analysis)| analysis.clone())
    });
    known.unwrap_or_else(|| {
        let analysis = read(script);
        READ.with_borrow_mut(|known| {
            if known.len() == SCRIPTS {
                known.pop_front();
            }
            known.push_back((script.into(), analysis.clone()));
        });
        analysis
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same script is read once; the oldest of many is forgotten; a long one is never kept.
    #[test]
    fn scripts_are_read_once() {
        let times = RefCell::new(0);
        let read = |script: &str| {
            or_read(script, |script| {
                *times.borrow_mut() += 1;
                Analysis { functions: vec![script.to_owned()], ..Analysis::default() }
            })
        };
        assert_eq!(read("remembered a"), read("remembered a"));
        assert_eq!(*times.borrow(), 1);
        for number in 0..SCRIPTS {
            read(&format!("remembered {number}"));
        }
        assert_eq!(read("remembered a").functions, ["remembered a"]);
        assert_eq!(*times.borrow(), 2 + SCRIPTS);
        let long = "x".repeat(BYTES + 1);
        read(&long);
        read(&long);
        assert_eq!(*times.borrow(), 4 + SCRIPTS);
    }
}
