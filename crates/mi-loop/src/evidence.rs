//! The `EvidenceItem` of a batch: what its transcript and its repository showed, in short true sentences.

use mi_model::record::EvidenceItem;

use crate::{facts, report::BatchReport, risk};

/// The record of one ended batch.
pub fn evidence_item(report: &BatchReport) -> EvidenceItem {
    let said = facts::evidence(report);
    EvidenceItem {
        batch_id: report.batch_id.to_string(),
        thread_id: report.thread_id.clone(),
        codex_transcript_ref: report.transcript.path.clone(),
        codex_transcript_sha256: report.transcript.sha256.clone(),
        codex_transcript_bytes: report.transcript.bytes,
        mi_input: report.input.clone(),
        transcript_observation: facts::observation(&report.facts),
        repo_observation: report.repo.clone(),
        facts: said.facts,
        actions: said.actions,
        results: said.results,
        unknowns: said.unknowns,
        risk_signals: risk::signals(&report.facts).iter().map(risk::RiskSignal::sentence).collect(),
        read_by: None,
        usage: report.usage,
        duration_ms: report.duration_ms,
        report: serde_json::to_value(report).unwrap_or_default(),
    }
}
