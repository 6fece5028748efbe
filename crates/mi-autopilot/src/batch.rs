//! One batch, live: starts the Hands, watches them, and reports what happened to the brain.

use mi_formats::AgentEvent;
use mi_hands::{BatchEnd, BatchLimits, Ending, Observer, Verdict, stop_steps};
use mi_loop::{
    checks,
    facts::FactsBuilder,
    message::{BatchOrder, Event},
    project::{self, ProjectProfile},
    report::{BatchReport, HandsEnd, TranscriptRef},
    risk,
};
use mi_model::{
    BatchId, DecidedBy, ExternalActions, Interrupt, InterruptMode, RunId, Timestamp, error_line,
    record::{CodexInput, Entry, InterruptSent, Note, Risk, RiskEvent},
    sha256_hex,
};
use std::{
    os::fd::{AsFd, OwnedFd},
    path::{Path, PathBuf},
    time::Duration,
};

use crate::{Clock, Observatory, RunEvent, drive::Live};

/// An event that comes this soon after a digest was there before the digest was done.
const WAITING_EVENT: Duration = Duration::from_millis(5);

/// A batch that is about to start.
pub(crate) struct Plan {
    pub(crate) record: CodexInput,
    prompt: String,
    transcript: PathBuf,
}

/// What will be sent, and where its transcript goes.
pub(crate) fn plan(live: &Live<'_>, order: &BatchOrder) -> Plan {
    let prompt = match order.light_injection.as_str() {
        "" => order.input.clone(),
        injection => format!("{injection}\n{}", order.input),
    };
    let folder = live.drive.project.files.hands_transcripts();
    let transcript = unused(&folder, &format!("{}-b{:03}", live.drive.run_id, order.index));
    let record = CodexInput {
        batch_id: BatchId::numbered(order.index),
        thread_id: order.thread_id.clone().unwrap_or_default(),
        transcript_path: live.drive.project.layout.reference(&transcript),
        input: order.input.clone(),
        light_injection: order.light_injection.clone(),
        prompt_sha256: sha256_hex(prompt.as_bytes()),
    };
    Plan { record, prompt, transcript }
}

/// Runs the batch to its end.
pub(crate) fn run(live: &mut Live<'_>, order: &BatchOrder, plan: Plan) -> Event {
    let drive = &mut live.drive;
    let snapshot = drive.observatory.snapshot();
    let mut profile = drive.observatory.profile(&snapshot, &drive.criteria);
    if let Some(strategy) = &drive.strategy {
        profile = project::with_strategy(profile, strategy);
    }
    let root = drive.project.root.clone();
    let mut watcher = Watcher {
        clock: drive.clock,
        run_id: drive.run_id.clone(),
        batch: order.index,
        facts: FactsBuilder::new(&root.to_string_lossy(), snapshot.digest),
        profile: &profile,
        observatory: &mut drive.observatory,
        watch: &mut *drive.watch,
        interrupt: &drive.interrupt,
        external: &drive.external,
        wake: &drive.wake,
        interrupted: None,
        digested: None,
    };
    let hands_order = mi_hands::BatchOrder {
        batch_index: order.index,
        prompt: plan.prompt,
        thread_id: order.thread_id.clone(),
        thread_usage: live.usage_so_far,
        cwd: root,
        read_only: order.read_only,
        transcript_path: plan.transcript,
        store_raw: drive.store_raw,
        limits: batch_limits(drive.limits, drive.clock.elapsed()),
        stop_steps: stop_steps(&drive.interrupt.signal_sequence, &drive.interrupt.escalation_ms)
            .unwrap_or_default(),
        wake: Some(drive.wake.as_fd()),
    };
    let result = drive.hands.run_batch(&hands_order, &mut watcher);
    let (facts, interrupted) = (watcher.facts, watcher.interrupted);
    match result {
        Ok(end) => {
            live.keep_notes(&end, interrupted, order);
            Event::BatchEnded(Box::new(report(live, order, facts, end)))
        }
        Err(error) => Event::HandsUnusable { message: error_line(&error) },
    }
}

fn report(live: &mut Live<'_>, order: &BatchOrder, facts: FactsBuilder, end: BatchEnd) -> BatchReport {
    // A review has a conversation of its own, which ends with it.
    if !order.read_only {
        live.usage_so_far = end.thread_usage;
    }
    let drive = &mut live.drive;
    let snapshot = drive.observatory.snapshot();
    let project = drive.observatory.profile(&snapshot, &drive.criteria);
    let repo = drive.observatory.repository(&snapshot, &project);
    let tamper = drive.observatory.tamper_signs(&drive.baseline, &snapshot, &drive.task);
    let mut facts = facts.finish(snapshot.digest);
    facts.event_type_counts = end.event_types;
    facts.item_type_counts = end.item_types;
    facts.unknown_events = end.unknown_events;
    BatchReport {
        batch_id: BatchId::numbered(order.index),
        thread_id: end.thread_id.unwrap_or_default(),
        input: order.input.clone(),
        end: hands_end(end.ending),
        facts,
        repo,
        project,
        tamper,
        usage: end.usage,
        duration_ms: milliseconds(end.duration),
        elapsed_ms: milliseconds(drive.clock.elapsed()),
        transcript: TranscriptRef {
            path: drive.project.layout.reference(&end.transcript.path),
            // Without raw lines there is no transcript to vouch for; an empty digest says so.
            sha256: if drive.store_raw { end.transcript.sha256 } else { String::new() },
            bytes: end.transcript.bytes,
        },
    }
}

impl Live<'_> {
    fn keep_notes(&mut self, end: &BatchEnd, interrupted: Option<InterruptSent>, order: &BatchOrder) {
        if let Some(mut sent) = interrupted {
            sent.thread_id = end.thread_id.clone().or_else(|| order.thread_id.clone()).unwrap_or_default();
            self.keep(Entry::RiskEvent(risk_of_interrupt(&sent)));
            self.keep(Entry::Interrupt(sent));
        }
        for message in &end.notes {
            self.keep(Entry::Note(Note { message: message.clone(), path: String::new() }));
        }
    }
}

/// The judgement that stopped the agent, as the record of any other risk.
fn risk_of_interrupt(sent: &InterruptSent) -> RiskEvent {
    let signal = format!("{} {}: {}", sent.severity.as_str(), sent.category.as_str(), sent.reason);
    RiskEvent {
        batch_id: sent.batch_id.clone(),
        thread_id: sent.thread_id.clone(),
        risk: Risk {
            category: sent.category,
            severity: sent.severity,
            should_ask_user: true,
            mitigation: vec![format!("The agent was stopped with {}.", sent.signals.join(", "))],
            learned_tightening: None,
        },
        risk_signals: vec![signal],
        decided_by: DecidedBy::Rules("risk.interrupted".to_owned()),
    }
}

/// Watches a running batch: collects facts, digests the tree at checks, stops what is too risky.
struct Watcher<'a> {
    clock: Clock,
    run_id: RunId,
    batch: u32,
    facts: FactsBuilder,
    profile: &'a ProjectProfile,
    observatory: &'a mut Observatory,
    watch: &'a mut dyn FnMut(&RunEvent),
    interrupt: &'a Interrupt,
    external: &'a ExternalActions,
    wake: &'a OwnedFd,
    interrupted: Option<InterruptSent>,
    /// When the last event was a check: when its digest was done.
    digested: Option<Duration>,
}

impl Observer for Watcher<'_> {
    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    fn event(&mut self, event: &AgentEvent) -> Verdict {
        // An event that was already waiting: the agent may have changed files before the digest was taken.
        if let Some(done) = self.digested.take()
            && self.clock.elapsed().saturating_sub(done) < WAITING_EVENT
        {
            self.facts.tree_came_late();
        }
        self.facts.event(event);
        let told = RunEvent::Agent {
            ts: self.clock.now(),
            run_id: self.run_id.clone(),
            batch: self.batch,
            event: event.clone(),
        };
        (self.watch)(&told);
        match event {
            AgentEvent::CommandFinished { id, command, .. }
                if checks::is_check_like(command, self.profile) =>
            {
                let digest = self.observatory.snapshot().digest;
                self.facts.command_tree(id, digest);
                self.digested = Some(self.clock.elapsed());
                Verdict::Continue
            }
            AgentEvent::CommandStarted { command, .. } => self.judge_start(command),
            _ => Verdict::Continue,
        }
    }

    fn woken(&mut self) -> Verdict {
        let mut buffer = [0; 64];
        // What was read does not matter: any byte means that the person wants to stop.
        let _ = rustix::io::read(self.wake, &mut buffer);
        Verdict::Stop
    }
}

impl Watcher<'_> {
    /// A command is judged while it runs, from its start event.
    fn judge_start(&mut self, command: &str) -> Verdict {
        if self.interrupt.mode == InterruptMode::Off {
            return Verdict::Continue;
        }
        let Some((category, severity, reason)) =
            risk::interrupt_verdict(command, self.interrupt.mode, self.external)
        else {
            return Verdict::Continue;
        };
        self.interrupted = Some(InterruptSent {
            batch_id: BatchId::numbered(self.batch),
            thread_id: String::new(),
            command: command.to_owned(),
            category,
            severity,
            signals: self.interrupt.signal_sequence.clone(),
            reason: reason.clone(),
        });
        Verdict::Interrupt { command: command.to_owned(), reason }
    }
}

/// The batch's own limits, cut short where the run's time ends first.
fn batch_limits(limits: crate::HandsLimits, elapsed: Duration) -> BatchLimits {
    let left = limits.run.map(|run| run.saturating_sub(elapsed));
    let total = left.map_or(limits.total, |left| left.min(limits.total));
    BatchLimits { idle: Some(limits.idle), total: Some(total) }
}

fn hands_end(ending: Ending) -> HandsEnd {
    match ending {
        Ending::Completed => HandsEnd::Completed,
        Ending::Failed { message } => HandsEnd::Failed { message },
        Ending::Died { message } => HandsEnd::Died { message },
        Ending::TimedOut { message } => HandsEnd::TimedOut { message },
        Ending::Interrupted { command, reason } => HandsEnd::Interrupted { command, reason },
        Ending::Stopped => HandsEnd::Stopped,
    }
}

/// A transcript that does not exist yet: a batch that was cut off keeps its own.
fn unused(folder: &Path, name: &str) -> PathBuf {
    let first = folder.join(format!("{name}.jsonl"));
    if !first.exists() {
        return first;
    }
    (2..)
        .map(|number| folder.join(format!("{name}-{number}.jsonl")))
        .find(|path| !path.exists())
        .unwrap_or(first)
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
