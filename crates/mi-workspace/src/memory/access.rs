//! `memory-access.jsonl`: who read which memory file last, and how often (NX-321).
//!
//! One line per path, in the order of first observation; a new observation changes its line in place. Holds: lines
//! that are no access records, and fields this version does not know, are kept as they are; counts only grow.
//! Elsewhere: which reads count and where the file lies is [`super::observe`].

use mi_model::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value};

/// What is known about the reads of one memory file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AccessRecord {
    pub path: String,
    pub last_accessed_ts: Timestamp,
    pub access_count: u64,
    /// Opaque: only shown and compared (NX-324).
    pub last_agent: String,
    /// `schema_version` and what a newer version may have added.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// A log, line by line.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AccessLog {
    lines: Vec<Line>,
}

/// A line that is no access record; it stays in the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OddLine {
    /// Counted from 1.
    pub line: usize,
    pub reason: String,
}

#[derive(Debug, Clone, PartialEq)]
enum Line {
    Record(AccessRecord),
    Odd { bytes: Vec<u8>, reason: String },
}

impl AccessLog {
    /// Reads a file's bytes. Nothing fails: what is no record is kept and told by [`AccessLog::odd_lines`].
    ///
    /// Two records of one path, as a writer that only appends would leave them, become one.
    pub fn parse(bytes: &[u8]) -> Self {
        let mut log = Self::default();
        for line in bytes.split(|byte| *byte == b'\n') {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            match read_record(line) {
                Ok(record) => log.add(record),
                Err(reason) => log.lines.push(Line::Odd { bytes: line.to_owned(), reason }),
            }
        }
        log
    }

    /// A log of one record.
    pub fn of(record: AccessRecord) -> Self {
        Self { lines: vec![Line::Record(record)] }
    }

    pub fn records(&self) -> impl Iterator<Item = &AccessRecord> {
        self.lines.iter().filter_map(|line| match line {
            Line::Record(record) => Some(record),
            Line::Odd { .. } => None,
        })
    }

    pub fn find(&self, path: &str) -> Option<&AccessRecord> {
        self.records().find(|record| record.path == path)
    }

    pub fn odd_lines(&self) -> Vec<OddLine> {
        let told = |(index, line): (usize, &Line)| match line {
            Line::Record(_) => None,
            Line::Odd { reason, .. } => Some(OddLine { line: index + 1, reason: reason.clone() }),
        };
        self.lines.iter().enumerate().filter_map(told).collect()
    }

    /// Counts one read. The clock may have gone back: then the later time stays, and the reader is still the last one.
    pub fn observe(&mut self, path: &str, agent: &str, now: Timestamp) {
        match self.record_mut(path) {
            Some(record) => {
                record.access_count = record.access_count.saturating_add(1);
                record.last_accessed_ts = record.last_accessed_ts.max(now);
                agent.clone_into(&mut record.last_agent);
            }
            None => self.lines.push(Line::Record(AccessRecord {
                path: path.to_owned(),
                last_accessed_ts: now,
                access_count: 1,
                last_agent: agent.to_owned(),
                more: Map::new(),
            })),
        }
    }

    /// Takes over what another log knows: counts are added, the latest read and its reader win (NX-325).
    pub fn merge(&mut self, other: &Self) {
        for line in &other.lines {
            match line {
                Line::Record(record) => self.add(record.clone()),
                Line::Odd { .. } => self.lines.push(line.clone()),
            }
        }
    }

    /// Drops the records for which `gone` holds; returns how many there were.
    pub fn remove(&mut self, gone: impl Fn(&AccessRecord) -> bool) -> usize {
        let before = self.lines.len();
        self.lines.retain(|line| !matches!(line, Line::Record(record) if gone(record)));
        before - self.lines.len()
    }

    /// The file's bytes, each line ended.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for line in &self.lines {
            match line {
                Line::Record(record) => bytes.extend(record.to_line().into_bytes()),
                Line::Odd { bytes: odd, .. } => bytes.extend_from_slice(odd),
            }
            bytes.push(b'\n');
        }
        bytes
    }

    fn add(&mut self, record: AccessRecord) {
        match self.record_mut(&record.path) {
            Some(known) => known.join(record),
            None => self.lines.push(Line::Record(record)),
        }
    }

    fn record_mut(&mut self, path: &str) -> Option<&mut AccessRecord> {
        self.lines.iter_mut().find_map(|line| match line {
            Line::Record(record) if record.path == path => Some(record),
            Line::Record(_) | Line::Odd { .. } => None,
        })
    }
}

impl AccessRecord {
    /// One JSON object with the contract's fields in the contract's order.
    pub fn to_line(&self) -> String {
        let mut object = Map::new();
        object.insert("path".to_owned(), self.path.clone().into());
        object.insert("last_accessed_ts".to_owned(), self.last_accessed_ts.to_string().into());
        object.insert("access_count".to_owned(), self.access_count.into());
        object.insert("last_agent".to_owned(), self.last_agent.clone().into());
        object.extend(self.more.clone());
        Value::Object(object).to_string()
    }

    fn join(&mut self, other: Self) {
        self.access_count = self.access_count.saturating_add(other.access_count);
        if other.last_accessed_ts > self.last_accessed_ts {
            self.last_accessed_ts = other.last_accessed_ts;
            self.last_agent = other.last_agent;
        }
        for (name, value) in other.more {
            self.more.entry(name).or_insert(value);
        }
    }
}

fn read_record(line: &[u8]) -> Result<AccessRecord, String> {
    let value: Value = serde_json::from_slice(line).map_err(|error| format!("not JSON ({error})"))?;
    let Value::Object(mut object) = value else { return Err("not a JSON object".to_owned()) };
    let path = take_text(&mut object, "path")?;
    let time = take_text(&mut object, "last_accessed_ts")?;
    let last_accessed_ts = time.parse().map_err(|error| format!("last_accessed_ts: {error}"))?;
    let count = object.shift_remove("access_count");
    let access_count = count.as_ref().and_then(whole_number).ok_or("access_count is no whole number")?;
    let last_agent = take_text(&mut object, "last_agent")?;
    Ok(AccessRecord { path, last_accessed_ts, access_count, last_agent, more: object })
}

fn take_text(object: &mut Map<String, Value>, name: &str) -> Result<String, String> {
    match object.shift_remove(name) {
        Some(Value::String(text)) if !text.is_empty() => Ok(text),
        _ => Err(format!("{name} is no text, or empty")),
    }
}

/// JSON Schema counts 3.0 as an integer, and some writers have no other numbers.
fn whole_number(value: &Value) -> Option<u64> {
    let as_float = |float: f64| {
        let fits = float >= 0.0 && float.fract() == 0.0 && float <= 9_007_199_254_740_992.0;
        fits.then_some(float as u64)
    };
    value.as_u64().or_else(|| value.as_f64().and_then(as_float))
}

#[cfg(test)]
mod tests {
    use super::AccessLog;
    use mi_model::Timestamp;

    fn time(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn text(log: &AccessLog) -> String {
        String::from_utf8_lossy(&log.to_bytes()).into_owned()
    }

    /// The second read of a file changes its line, which stays where it was.
    #[test]
    fn nx_321_an_observation_changes_its_line_in_place() {
        let mut log = AccessLog::default();
        log.observe("/p/a.md", "one", time("2026-01-01T00:00:00Z"));
        log.observe("/p/b.md", "two", time("2026-01-02T00:00:00Z"));
        log.observe("/p/a.md", "three", time("2026-01-03T00:00:00Z"));
        assert_eq!(
            text(&log),
            "{\"path\":\"/p/a.md\",\"last_accessed_ts\":\"2026-01-03T00:00:00.000Z\",\"access_count\":2,\"last_agent\":\"three\"}\n\
             {\"path\":\"/p/b.md\",\"last_accessed_ts\":\"2026-01-02T00:00:00.000Z\",\"access_count\":1,\"last_agent\":\"two\"}\n"
        );
    }

    /// What is no record stays in the file, byte by byte, with its reason told; unknown fields stay in their record.
    #[test]
    fn nx_013_what_is_not_understood_is_kept() {
        let odd = b"garbage\xff\n[1]\n{\"path\":\"/p/x.md\",\"access_count\":\"many\"}\n{\"path\":\"/p/a.md\",\"last_accessed_ts\":\"2026-01-01T00:00:00+00:00\",\"access_count\":2.0,\"last_agent\":\"x\",\"schema_version\":\"0.11\",\"mood\":\"new\"}\n{\"torn";
        let mut log = AccessLog::parse(odd);
        assert_eq!(log.odd_lines().iter().map(|odd| odd.line).collect::<Vec<_>>(), [1, 2, 3, 5]);
        log.observe("/p/a.md", "y", time("2026-01-02T00:00:00Z"));
        let written = log.to_bytes();
        assert!(written.starts_with(b"garbage\xff\n[1]\n{\"path\":\"/p/x.md\",\"access_count\":\"many\"}\n"));
        assert!(written.ends_with(b"\n{\"torn\n"));
        let record = log.find("/p/a.md").unwrap();
        assert_eq!((record.access_count, record.last_agent.as_str()), (3, "y"));
        assert_eq!((&record.more["schema_version"], &record.more["mood"]), (&"0.11".into(), &"new".into()));
        assert_eq!(AccessLog::parse(&written).to_bytes(), written);
    }

    /// Counts are added; the latest read and its reader win, whichever log has it.
    #[test]
    fn nx_325_two_logs_merge_by_path_with_counts_added() {
        let mut first = AccessLog::parse(
            b"{\"path\":\"/a\",\"last_accessed_ts\":\"2026-01-05T00:00:00Z\",\"access_count\":2,\"last_agent\":\"x\"}\nodd\n",
        );
        let second = AccessLog::parse(
            b"{\"path\":\"/b\",\"last_accessed_ts\":\"2026-01-01T00:00:00Z\",\"access_count\":1,\"last_agent\":\"y\"}\n\
              {\"path\":\"/a\",\"last_accessed_ts\":\"2026-01-04T23:00:00-05:00\",\"access_count\":5,\"last_agent\":\"z\"}\nodder",
        );
        first.merge(&second);
        let found: Vec<_> = first
            .records()
            .map(|record| (record.path.as_str(), record.access_count, record.last_agent.as_str()))
            .collect();
        assert_eq!(found, [("/a", 7, "z"), ("/b", 1, "y")]);
        assert_eq!(first.odd_lines().len(), 2);
    }

    /// A log with the same path twice, as an appending writer leaves it, counts both lines.
    #[test]
    fn nx_321_repeated_lines_of_a_path_become_one() {
        let line = "{\"path\":\"/a\",\"last_accessed_ts\":\"2026-01-05T00:00:00Z\",\"access_count\":1,\"last_agent\":\"x\"}\n";
        let log = AccessLog::parse(line.repeat(3).as_bytes());
        assert_eq!(log.records().map(|record| record.access_count).collect::<Vec<_>>(), [3]);
    }

    /// The greatest count stays the greatest; a clock that went back does not move the time of the last read.
    #[test]
    fn counts_and_times_do_not_go_back() {
        let mut log = AccessLog::parse(
            format!("{{\"path\":\"/a\",\"last_accessed_ts\":\"2026-01-05T00:00:00Z\",\"access_count\":{},\"last_agent\":\"x\"}}", u64::MAX)
                .as_bytes(),
        );
        log.observe("/a", "y", time("2025-01-01T00:00:00Z"));
        let record = log.find("/a").unwrap();
        assert_eq!((record.access_count, record.last_accessed_ts), (u64::MAX, time("2026-01-05T00:00:00Z")));
    }
}
