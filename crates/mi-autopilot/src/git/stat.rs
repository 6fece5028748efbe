//! The summary that `git diff --stat` prints, made from line counts.
//!
//! Covers what an agent's edits of text files need; the caller holds the result against git's own words once before it
//! relies on it, so that a person's settings (widths, another algorithm) are never overlooked.

use imara_diff::{Algorithm, Diff, InternedInput};
use std::fmt::Write;

/// What git calls wide enough when nobody looks at a terminal.
const WIDTH: usize = 80;
/// Bytes in which git looks for a zero to call a file binary.
const BINARY_PROBE: usize = 8000;

/// The lines that were added and removed in one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Counts {
    added: usize,
    removed: usize,
}

impl Counts {
    /// Counts by lines; `None` for what is no text.
    pub(super) fn between(before: &[u8], now: &[u8]) -> Option<Self> {
        if is_binary(before) || is_binary(now) {
            return None;
        }
        let input = InternedInput::new(before, now);
        let diff = Diff::compute(Algorithm::Myers, &input);
        Some(Self { added: diff.count_additions() as usize, removed: diff.count_removals() as usize })
    }

    fn total(self) -> usize {
        self.added + self.removed
    }
}

/// The summary of files in the order given; git gives them in the order of their names' bytes.
pub(super) fn summary(files: &[(&str, Counts)]) -> String {
    let most = files.iter().map(|(_, counts)| counts.total()).max().unwrap_or(0);
    let longest = files.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    if files.is_empty() {
        return String::new();
    }
    let widths = Widths::fit(longest, most);
    let mut text = String::new();
    for (name, counts) in files {
        widths.line(&mut text, name, *counts);
    }
    let added = files.iter().map(|(_, counts)| counts.added).sum();
    let removed = files.iter().map(|(_, counts)| counts.removed).sum();
    last_line(&mut text, files.len(), added, removed);
    text
}

/// How many columns each part of a line has.
struct Widths {
    name: usize,
    number: usize,
    graph: usize,
    most: usize,
}

impl Widths {
    fn fit(longest: usize, most: usize) -> Self {
        let number = most.to_string().len();
        let width = WIDTH.max(16 + 6 + number);
        let (mut name, mut graph) = (longest, most);
        if name + number + 6 + graph > width {
            graph = graph.min((width * 3 / 8).saturating_sub(number + 6).max(6));
            if name > width - number - 6 - graph {
                name = width - number - 6 - graph;
            } else {
                graph = width - number - 6 - name;
            }
        }
        Self { name, number, graph, most }
    }

    fn line(&self, text: &mut String, name: &str, counts: Counts) {
        let (prefix, shown) = self.shortened(name);
        let padding = self.name.saturating_sub(prefix.len() + shown.len());
        let (plus, minus) = self.bars(counts);
        let (total, blank) = (counts.total(), if counts.total() > 0 { " " } else { "" });
        let (plus, minus, number) = ("+".repeat(plus), "-".repeat(minus), self.number);
        // Writing into a string cannot fail.
        let _ = writeln!(text, " {prefix}{shown}{:padding$} | {total:>number$}{blank}{plus}{minus}", "");
    }

    /// A name that is too long loses its beginning, up to a slash if there is one.
    fn shortened<'a>(&self, name: &'a str) -> (&'static str, &'a str) {
        if name.len() <= self.name {
            return ("", name);
        }
        let kept = &name[name.len() - self.name.saturating_sub(3)..];
        ("...", kept.find('/').map_or(kept, |slash| &kept[slash..]))
    }

    fn bars(&self, Counts { added, removed }: Counts) -> (usize, usize) {
        if self.graph > self.most {
            return (added, removed);
        }
        let scaled = |count: usize| if count == 0 { 0 } else { 1 + count * (self.graph - 1) / self.most };
        let mut total = scaled(added + removed);
        if total < 2 && added > 0 && removed > 0 {
            total = 2;
        }
        if added < removed {
            (scaled(added), total.saturating_sub(scaled(added)))
        } else {
            (total.saturating_sub(scaled(removed)), scaled(removed))
        }
    }
}

fn last_line(text: &mut String, files: usize, added: usize, removed: usize) {
    let _ = write!(text, " {files} file{} changed", plural(files));
    if added > 0 || removed == 0 {
        let _ = write!(text, ", {added} insertion{}(+)", plural(added));
    }
    if removed > 0 || added == 0 {
        let _ = write!(text, ", {removed} deletion{}(-)", plural(removed));
    }
    text.push('\n');
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

fn is_binary(bytes: &[u8]) -> bool {
    bytes[..bytes.len().min(BINARY_PROBE)].contains(&0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, process::Command};

    #[expect(clippy::disallowed_methods, reason = "the test asks the real git")]
    fn git(folder: &std::path::Path, args: &[&str]) -> String {
        let output = Command::new("git").args(args).current_dir(folder).output().unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// A repeatable mix of edits, small and large, in names short and long.
    fn edited(seed: usize, lines: usize) -> String {
        let mut state = seed.wrapping_mul(0x9e37_79b9) | 1;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 33
        };
        let mut text = String::new();
        for line in 0..lines {
            match next() % 7 {
                0 => {}
                1 => text.push_str("new\n"),
                2 => text.push_str(&format!("line {line}\nextra {}\n", next() % 5)),
                _ => text.push_str(&format!("line {line}\n")),
            }
        }
        if next() % 3 == 0 {
            text.pop();
        }
        text
    }

    /// The summary is git's own, byte for byte.
    #[test]
    fn summary_is_what_git_prints() {
        let long = format!("{}deep/name_of_a_file.py", "a_long_folder_name/".repeat(4));
        for round in 0..12 {
            let folder = tempfile::tempdir().unwrap();
            let root = folder.path();
            git(root, &["init", "--quiet"]);
            let names = ["a.py", "b/c.py", long.as_str(), "z.txt"];
            let before = |index: usize| {
                (0..index * 40 * (round + 1)).map(|n| format!("line {n}\n")).collect::<String>()
            };
            for (index, name) in names.iter().enumerate() {
                fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
                fs::write(root.join(name), before(index)).unwrap();
            }
            git(root, &["add", "."]);
            let now = |index: usize| edited(round * 10 + index, index * 40 * (round + 1) + 3);
            for (index, name) in names.iter().enumerate() {
                fs::write(root.join(name), now(index)).unwrap();
            }
            let counts: Vec<(&str, Counts)> = names
                .iter()
                .enumerate()
                .map(|(index, name)| {
                    (*name, Counts::between(before(index).as_bytes(), now(index).as_bytes()).unwrap())
                })
                .filter(|(_, counts)| counts.total() > 0)
                .collect();
            let mut sorted = counts.clone();
            sorted.sort_by_key(|(name, _)| *name);
            assert_eq!(summary(&sorted), git(root, &["diff", "--stat"]), "round {round}");
        }
    }
}
