//! What the reading commands share: opening the log (repairing a torn tail first) and finding records.

use mi_autopilot::Project;
use mi_journal::{Line, LogPlace, LogView, Query, repair_torn_tail};
use mi_model::RunId;
use serde_json::{Map, Value};

use crate::{app::App, failure::Failure};

/// The project's log, ready to be looked at. What had to be set aside is said once.
pub fn open(app: &App, project: &Project) -> Result<LogView, Failure> {
    let files = &project.files;
    for place in [files.evidence(), files.learned(), files.council(), project.layout.global_learned()] {
        repair(app, &place)?;
    }
    LogView::open(&project.files.evidence().log).map_err(|error| Failure::of(&error))
}

/// Sets the torn tail of a log aside, if it has one, and says so.
pub fn repair(app: &App, place: &LogPlace) -> Result<(), Failure> {
    if let Some(repair) = repair_torn_tail(&place.log).map_err(|error| Failure::of(&error))? {
        app.talk(&format!("mi: {repair}"));
    }
    Ok(())
}

/// The newest records that fit, oldest first.
pub fn newest(view: &LogView, query: &Query, count: usize) -> Result<Vec<Map<String, Value>>, Failure> {
    let hits = view.newest(query).map_err(|error| Failure::of(&error))?;
    let mut found = Vec::new();
    for line in hits.take(count) {
        let line = line.map_err(|error| Failure::of(&error))?;
        found.extend(object(&line));
    }
    found.reverse();
    Ok(found)
}

/// The last records of the log, oldest first, whatever they are.
pub fn tail(view: &LogView, count: usize) -> Result<Vec<Map<String, Value>>, Failure> {
    let lines = view.reader().tail(count).map_err(|error| Failure::of(&error))?;
    Ok(lines.iter().filter_map(object).collect())
}

/// The newest record that fits.
pub fn newest_one(view: &LogView, query: &Query) -> Result<Option<Map<String, Value>>, Failure> {
    Ok(newest(view, query, 1)?.pop())
}

/// A line as an object; a line that is too long is told by its length.
pub fn object(line: &Line) -> Option<Map<String, Value>> {
    line.object()
}

/// What a person can call a record or a group of them.
pub enum Reference {
    Seq(u64),
    Batch(String),
    Run(RunId),
    Last,
}

impl Reference {
    pub fn read(text: &str) -> Self {
        let is_batch = |rest: &str| rest.starts_with(|first: char| first.is_ascii_digit());
        match text {
            "last" => Self::Last,
            _ if text.parse::<u64>().is_ok() => Self::Seq(text.parse().unwrap_or_default()),
            _ if text.strip_prefix('b').is_some_and(is_batch) => Self::Batch(text.to_owned()),
            _ => Self::Run(RunId::new(text)),
        }
    }
}

/// The records that a reference names, oldest first; of a batch, those of the newest run that has it.
pub fn referenced(
    view: &LogView,
    reference: &Reference,
    kinds: &[&str],
) -> Result<Vec<Map<String, Value>>, Failure> {
    let kinds: Vec<String> = kinds.iter().map(|kind| (*kind).to_owned()).collect();
    match reference {
        Reference::Last => newest(view, &Query { kinds, ..Query::default() }, 1),
        Reference::Seq(seq) => newest(view, &Query { seq: Some(*seq), kinds, ..Query::default() }, 1),
        Reference::Run(run) => {
            newest(view, &Query { run: Some(run.clone()), kinds, ..Query::default() }, usize::MAX)
        }
        Reference::Batch(batch) => batch_records(view, batch, kinds),
    }
}

fn batch_records(
    view: &LogView,
    batch: &str,
    kinds: Vec<String>,
) -> Result<Vec<Map<String, Value>>, Failure> {
    let Some(newest_record) = newest_one(view, &Query::default())? else { return Ok(Vec::new()) };
    let run = newest_record.get("run_id").and_then(Value::as_str).map(RunId::new);
    let all = newest(view, &Query { run, kinds, ..Query::default() }, usize::MAX)?;
    let of_batch = |record: &Map<String, Value>| {
        let id = record.get("batch_id").and_then(Value::as_str).unwrap_or_default();
        id == batch || id.strip_prefix(batch).is_some_and(|rest| rest.starts_with('.'))
    };
    Ok(all.into_iter().filter(of_batch).collect())
}

/// The failure of a reading command whose reference names nothing.
pub fn missing(reference: &str) -> Failure {
    Failure::new(format!("there is no `{reference}` in this project's journal"))
        .todo("use a record number, a batch such as b2, a run id or `last`; mi log lists the records")
}
