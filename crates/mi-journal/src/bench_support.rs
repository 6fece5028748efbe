//! Makes big logs fast, for measurements: the same lines as [`crate::Log`] writes, without a flush per group.

use mi_model::{BatchId, DecidedBy, RunId, RunStatus, Timestamp, record};
use std::{
    fs::File,
    io::{BufWriter, Write},
};

use crate::{
    JournalError, LogPlace, Mark,
    error::AtPath,
    frame::{Body, ChainEnd, Stamp},
    head::{Head, HeadFile},
};

/// Batches of one made-up run.
const BATCHES: u32 = 16;

/// Writes a new log of `records` records, as runs of sixteen batches with six records each would leave it.
///
/// Replaces what is there; `start` is the time of the first record.
pub fn fill(place: &LogPlace, start: Timestamp, records: u64) -> Result<(), JournalError> {
    let path = &place.log;
    for folder in [place.log.parent(), place.head.parent()].into_iter().flatten() {
        std::fs::create_dir_all(folder).at("create the folder", folder)?;
    }
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path).at("create", path)?);
    let (mut end, mut bytes, mut group) = (ChainEnd::default(), 0, Vec::new());
    for run in 0.. {
        let run_id = RunId::new(format!("r{run:08}"));
        for (step, entry) in run_entries(run).into_iter().enumerate() {
            if end.next_seq == records {
                out.flush().and_then(|()| out.get_ref().sync_all()).at("write", path)?;
                let mark = Mark {
                    count: records,
                    seq: records.saturating_sub(1),
                    hash: end.hash.unwrap_or_default(),
                    bytes,
                };
                return Ok(HeadFile::new(&place.head).save(&Head { turn: 1, mark, breaks: Vec::new() })?);
            }
            let now = Timestamp::from_millis(start.as_millis() + (end.next_seq * 250 + step as u64) as i64);
            end.add_line(&Stamp::new(now, Some(&run_id), &[]), &Body::of_entry(&entry)?, &mut group);
            out.write_all(&group).at("write", path)?;
            bytes += group.len() as u64;
            group.clear();
        }
    }
    Ok(())
}

/// The six records of a batch, of realistic size.
pub fn batch_entries(run: u64, batch: u32) -> Vec<record::Entry> {
    let (batch_id, thread_id) = (BatchId::numbered(batch), format!("t-{run}"));
    let decided_by = DecidedBy::Rules("checks.fresh".to_owned());
    let input = format!(
        "Fix the flaky test number {run} in module m{batch}; run `cargo test` afterwards. 先跑测试再提交。"
    );
    vec![
        record::Entry::CodexInput(record::CodexInput {
            batch_id: batch_id.clone(),
            thread_id: thread_id.clone(),
            transcript_path: format!("transcripts/hands/{run}-{batch}.jsonl"),
            input: input.clone(),
            light_injection: "Prefer behaviour-preserving refactors. Ask when uncertain.".to_owned(),
            prompt_sha256: mi_model::sha256_hex(input.as_bytes()),
        }),
        evidence(run, batch, &input),
        record::Entry::CheckPlan(record::CheckPlanRecord {
            batch_id: batch_id.clone(),
            thread_id: thread_id.clone(),
            checks: record::CheckPlan { notes: "the checks are fresh".to_owned(), ..Default::default() },
            decided_by: decided_by.clone(),
        }),
        record::Entry::AutoAnswer(record::AutoAnswerRecord {
            batch_id: batch_id.clone(),
            thread_id: thread_id.clone(),
            auto_answer: record::AutoAnswer::default(),
            sources: Vec::new(),
            decided_by: decided_by.clone(),
        }),
        record::Entry::Note(record::Note {
            message: format!("batch {batch} took 12 s"),
            path: String::new(),
        }),
        record::Entry::Decision(record::Decision {
            batch_id,
            thread_id,
            next_action: record::NextAction::SendToCodex,
            status: RunStatus::NotDone,
            reason: "the last change has not been checked yet".to_owned(),
            next_input: input,
            proof: Vec::new(),
            decided_by,
            stands_on: vec![1, 2, 3],
            cites: vec!["Prefer behaviour-preserving refactors.".to_owned()],
        }),
    ]
}

fn run_entries(run: u64) -> Vec<record::Entry> {
    let mut entries = vec![record::Entry::RunStarted(record::RunStarted {
        task: format!("make test {run} reliable"),
        criteria: vec!["tests pass".to_owned()],
        project_root: "/project".to_owned(),
        hands: "codex".to_owned(),
        mind: "auto".to_owned(),
        resumed: false,
        process_id: 4711,
        values_sha256: String::new(),
        setup: serde_json::Value::Null,
    })];
    entries.extend((0..BATCHES).flat_map(|batch| batch_entries(run, batch)));
    entries.push(record::Entry::RunFinished(record::RunFinished {
        status: RunStatus::Done,
        exit: 0,
        reason: "all criteria are observed".to_owned(),
        batches: BATCHES,
        proof: Vec::new(),
        mind_calls: 0,
        tokens: 0,
        left: Vec::new(),
        waits_for_answer: false,
        files_changed: Vec::new(),
        elapsed_ms: 0,
    }));
    entries
}

fn evidence(run: u64, batch: u32, input: &str) -> record::Entry {
    let commands = (0..4).map(|step| record::Action {
        kind: record::ActionKind::Command,
        detail: format!("cargo test --test t{run} case_{step} -- --nocapture"),
    });
    record::Entry::EvidenceItem(Box::new(record::EvidenceItem {
        batch_id: format!("b{batch}"),
        thread_id: format!("t-{run}"),
        mi_input: input.to_owned(),
        facts: vec![format!("changed src/m{batch}.rs"), "`cargo test` exited with 0".to_owned()],
        actions: commands.collect(),
        results: vec!["12 passed; 0 failed".to_owned()],
        ..Default::default()
    }))
}
