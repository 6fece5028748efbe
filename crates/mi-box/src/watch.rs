//! The alarm (F.6, X17): what runs in the box, and how much it has written. The wall is that there is no network.

use mi_admission::Denial;
use mi_process::{Deadline, Stopwatch};
use std::{
    collections::HashSet,
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::PathBuf,
    time::Duration,
};

use crate::{
    engine::{Job, SlotLimits},
    tree,
};

/// How often the process table is read.
pub(crate) const LOOK_EVERY: Duration = Duration::from_millis(100);
const MEASURE_EVERY: Duration = Duration::from_millis(200);

pub(crate) struct Watch {
    /// Command lines that were judged already.
    known: HashSet<u64>,
    next_measure: Deadline,
    output: PathBuf,
    data: PathBuf,
    limits: SlotLimits,
}

impl Watch {
    pub(crate) fn new(job: &Job<'_>) -> Self {
        Self {
            known: HashSet::new(),
            next_measure: Deadline::after(MEASURE_EVERY),
            output: job.live.slot("output"),
            data: job.live.slot("data"),
            limits: job.work.slots,
        }
    }

    /// An upload tool among the command lines of the box.
    pub(crate) fn judge(&mut self, lines: impl IntoIterator<Item = Vec<String>>) -> Option<Denial> {
        for line in lines {
            let mut hasher = DefaultHasher::new();
            line.hash(&mut hasher);
            if line.is_empty() || !self.known.insert(hasher.finish()) {
                continue;
            }
            let as_script = script(&line).map(|line| mi_admission::uploads_in(&line)).unwrap_or_default();
            if let Some(upload) = mi_admission::uploads_in(&line).into_iter().chain(as_script).next() {
                let reason = format!("an upload was started in the box: {upload}");
                return Some(Denial::new("F.upload", "command", reason));
            }
        }
        None
    }

    /// Too much in a slot. Measuring takes the longer the more there is, so it may take a tenth of the time.
    pub(crate) fn measure(&mut self) -> Option<Denial> {
        if !self.next_measure.has_passed() {
            return None;
        }
        let watch = Stopwatch::start();
        let (output, data) = (tree::measure(&self.output), tree::measure(&self.data));
        self.next_measure = Deadline::after(MEASURE_EVERY.max(watch.elapsed() * 10));
        over_output(output.apparent, self.limits).or_else(|| {
            (data.on_disk > self.limits.data_bytes).then(|| {
                let reason = format!("/workspace/data takes over {} bytes", self.limits.data_bytes);
                Denial::new("X.disk", "data", reason)
            })
        })
    }
}

/// The words that a process was started with; none if it has ended.
pub(crate) fn command_line(id: i32) -> Vec<String> {
    let bytes = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
    let words = bytes.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned());
    let mut words: Vec<String> = words.collect();
    while words.last().is_some_and(String::is_empty) {
        words.pop();
    }
    words
}

/// The command that an interpreter runs: `python3 /usr/bin/aws s3 cp …` is `aws s3 cp …`.
fn script(line: &[String]) -> Option<Vec<String>> {
    let (interpreter, rest) = line.split_first()?;
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let interpreter = name(interpreter);
    let known = ["sh", "bash", "dash", "ash", "zsh", "python", "node", "perl", "ruby"];
    let (program, words) = rest.split_first()?;
    if program.starts_with('-') || !known.iter().any(|known| interpreter.starts_with(known)) {
        return None;
    }
    Some(std::iter::once(name(program)).chain(words.iter().cloned()).collect())
}

pub(crate) fn over_output(bytes: u64, limits: SlotLimits) -> Option<Denial> {
    (bytes > limits.output_bytes).then(|| {
        let reason = format!("/workspace/output holds over {} bytes", limits.output_bytes);
        Denial::new("W.output", "output", reason)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tools that are scripts are seen under their own names.
    #[test]
    fn f_06_scripts_are_known_by_their_names() {
        let words = |line: &str| -> Vec<String> { line.split(' ').map(str::to_owned).collect() };
        let found =
            |line: &str| script(&words(line)).is_some_and(|line| !mi_admission::uploads_in(&line).is_empty());
        assert!(found("/usr/bin/python3.11 /usr/bin/aws s3 cp a s3://b"));
        assert!(found("/bin/sh ./rclone copy a b:c"));
        assert!(!found("/bin/sh -c rclone"));
        assert!(!found("python3 build.py copy"));
    }
}
