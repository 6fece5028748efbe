//! The live loop: events in, commands out, carried out one after the other.
//!
//! Holds: records are durable before the action that follows them; whatever happens, the run lock is held for
//! as long as the run is open. It decides nothing: that is `mi-loop`.

use mi_hands::Hands;
use mi_journal::{FileError, JournalError, LearnedLog, Log, ProjectLayout, RunHolder, RunLock, RunLockError};
use mi_loop::{
    criteria::Criterion,
    message::{BatchOrder, Command, Event, LookOrder, MindPrompt, MindQuestion, Section},
    run::Run,
    sections,
};
use mi_mind::Mind;
use mi_model::{
    Evidence, EvidenceKind, ExternalActions, Interrupt, LearnedScope, ProofLevel, RiskCategory, RunId,
    RunStatus,
    record::{Entry, LearnedChange, Question, RunFinished, RunStarted},
};
use std::{
    os::fd::{AsFd, OwnedFd},
    sync::Arc,
    time::Duration,
};

use crate::{Baseline, Clock, CounterChecking, Observatory, Project, RunEvent, batch, evidence, think};

/// The person at the other end.
pub trait Person {
    /// The answer to a question; `None` when nobody is there.
    fn ask(&mut self, question: &Question) -> Reply;
}

/// What came of asking the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    Answer(String),
    /// Nobody is there to answer.
    Absent,
    /// The person wants the run to stop.
    Stop,
}

/// Everything a run needs besides its brain.
pub struct Drive<'a> {
    pub project: &'a Project,
    pub run_id: RunId,
    pub task: String,
    pub criteria: Vec<Criterion>,
    /// How a project without tests is checked.
    pub strategy: Option<String>,
    pub clock: Clock,
    pub hands: Box<dyn Hands>,
    pub mind: Option<Arc<Mind>>,
    pub person: &'a mut dyn Person,
    pub watch: &'a mut dyn FnMut(&RunEvent),
    pub limits: HandsLimits,
    pub interrupt: Interrupt,
    pub external: ExternalActions,
    /// Whether the way to check a project without tests is kept for later runs.
    pub remembers_strategy: bool,
    /// Whether raw transcript lines are kept.
    pub store_raw: bool,
    /// Readable when the person wants the run to stop.
    pub wake: OwnedFd,
    pub observatory: Observatory,
    /// The tests as they were when the run began.
    pub baseline: Baseline,
    /// Asked before a run is recorded as done.
    pub verify: Option<Box<dyn FnMut() -> Verification + 'a>>,
    /// How the work of the run is taken back to see whether a check notices.
    pub counter_checking: CounterChecking,
    /// What the agent's conversation had used up before.
    pub thread_usage: mi_model::Usage,
}

/// What a check that `mi` runs itself shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verification {
    /// It passed: the evidence.
    Passed(String),
    /// It did not: what the agent has to know.
    Failed(String),
    /// It could not be run, and no agent can change that.
    Impossible(String),
}

/// How long an agent may be silent, and how long a batch may last.
#[derive(Debug, Clone, Copy)]
pub struct HandsLimits {
    pub idle: Duration,
    pub total: Duration,
    /// The run's own limit, from its start.
    pub run: Option<Duration>,
}

/// Why a run could not be carried out; what it had recorded is safe.
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    #[error(transparent)]
    Lock(#[from] RunLockError),
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    File(#[from] FileError),
}

/// A run that is being driven.
pub(crate) struct Live<'a> {
    pub(crate) drive: Drive<'a>,
    log: Log,
    _lock: RunLock,
    /// The requirement ids that the task cites.
    goals: Vec<String>,
    /// The `seq` of this batch's records, for decisions to cite.
    stands_on: Vec<u64>,
    next_seq: Option<u64>,
    pending: Vec<Entry>,
    mind_questions: u32,
    pub(crate) tokens: u64,
    pub(crate) usage_so_far: mi_model::Usage,
    finished: Option<RunFinished>,
}

/// Drives `run` to its end. `started` is recorded first, then `events` are fed to the brain in order.
pub fn drive(
    drive: Drive<'_>,
    run: &mut Run,
    started: RunStarted,
    notes: Vec<Entry>,
    events: Vec<Event>,
) -> Result<RunFinished, DriveError> {
    let mut live = Live::open(drive)?;
    live.pending.push(Entry::RunStarted(started));
    live.pending.extend(notes);
    let mut is_first = true;
    let mut waiting: std::collections::VecDeque<Event> = events.into();
    while let Some(event) = waiting.pop_front() {
        let commands = run.step(event);
        // A start becomes durable together with the first input, before that is sent; else before anything is done.
        if std::mem::take(&mut is_first) && !matches!(commands.as_slice(), [Command::RunBatch(_)]) {
            live.flush()?;
        }
        // Events that are already known are stepped through; only the last one's commands are carried out.
        if !waiting.is_empty() {
            live.keep_records(commands);
            continue;
        }
        waiting.extend(live.obey(run, commands)?);
    }
    live.flush()?;
    Ok(live.finished.take().expect("the brain ends every run with a run_finished record"))
}

impl<'a> Live<'a> {
    fn open(drive: Drive<'a>) -> Result<Self, DriveError> {
        drive.project.layout.create(&drive.project.id)?;
        let holder =
            RunHolder { pid: std::process::id(), run_id: drive.run_id.clone(), started: drive.clock.now() };
        let lock = RunLock::acquire(&drive.project.files.run_lock(), &holder)?;
        let log = drive.project.files.evidence().open()?;
        let repairs: Vec<Entry> = log.repairs().iter().map(crate::note).collect();
        let usage_so_far = drive.thread_usage;
        let goals = mi_model::goal_ids(&drive.task);
        Ok(Self {
            drive,
            log,
            _lock: lock,
            goals,
            stands_on: Vec::new(),
            next_seq: None,
            pending: repairs,
            mind_questions: 0,
            tokens: 0,
            usage_so_far,
            finished: None,
        })
    }

    /// Carries out what the brain ordered; returns what happened next. A run that would be done is done only if the check
    /// passes once more, run by `mi` itself.
    fn obey(&mut self, run: &Run, commands: Vec<Command>) -> Result<Option<Event>, DriveError> {
        let ends_done = commands.iter().any(|command| finished_in(command) == Some(RunStatus::Done));
        if self.drive.verify.is_none() || !ends_done {
            return self.carry_out(run, commands);
        }
        let (end, before): (Vec<Command>, Vec<Command>) =
            commands.into_iter().partition(Command::is_part_of_the_end);
        self.carry_out(run, before)?;
        self.flush()?;
        match self.verified(end) {
            Ok(end) => self.carry_out(run, end),
            Err(why) => Ok(Some(Event::NotVerified { why })),
        }
    }

    fn carry_out(&mut self, run: &Run, commands: Vec<Command>) -> Result<Option<Event>, DriveError> {
        let mut next = None;
        self.tokens = run.tokens();
        for command in commands {
            match command {
                Command::Record(entry) => self.pending.push(*entry),
                Command::RunBatch(order) => next = Some(self.run_batch(&order)?),
                Command::AskMind(question) => next = Some(self.ask_mind(run, &question)?),
                Command::AskPerson(question) => next = Some(self.ask_person(&question)?),
                Command::ReadEvidence { sources } => {
                    self.flush()?;
                    let read = evidence::read(&self.drive.project.root, &sources);
                    next = Some(Event::EvidenceRead { read });
                }
                Command::LookAtChange(order) => next = Some(self.look_at_change(&order)?),
                Command::SaveStrategy { strategy } => {
                    if self.drive.remembers_strategy {
                        self.drive.project.save_strategy(&strategy)?;
                    }
                    self.drive.strategy = Some(strategy);
                }
                Command::Learn { text, rationale, category } => self.learn(run, text, rationale, category)?,
                Command::Finish => self.flush()?,
            }
        }
        Ok(next)
    }

    /// The end as it is after the check, or what the check said against it.
    fn verified(&mut self, mut end: Vec<Command>) -> Result<Vec<Command>, String> {
        let shown = self.drive.verify.as_mut().map(|verify| verify());
        for command in &mut end {
            let Command::Record(entry) = command else { continue };
            let Entry::RunFinished(finished) = entry.as_mut() else { continue };
            match &shown {
                None => {}
                Some(Verification::Passed(evidence)) => raise(finished, evidence),
                Some(Verification::Failed(why)) => return Err(why.clone()),
                Some(Verification::Impossible(why)) => {
                    finished.status = RunStatus::Blocked;
                    finished.exit = RunStatus::Blocked.exit_code();
                    finished.reason = format!("the check could not be run in the box: {why}");
                }
            }
        }
        Ok(end)
    }

    fn look_at_change(&mut self, order: &LookOrder) -> Result<Event, DriveError> {
        self.flush()?;
        let drive = &mut self.drive;
        let snapshot = drive.observatory.snapshot();
        let (clock, run_id, watch) = (drive.clock, &drive.run_id, &mut drive.watch);
        let look = drive.counter_checking.look(
            &drive.project.root,
            &snapshot,
            order,
            drive.wake.as_fd(),
            &mut |progress| {
                watch(&RunEvent::CounterChecking { ts: clock.now(), run_id: run_id.clone(), progress });
            },
        );
        Ok(look.map_or(Event::Stopped, |look| Event::ChangeSeen { look: Box::new(look) }))
    }

    fn keep_records(&mut self, commands: Vec<Command>) {
        for command in commands {
            if let Command::Record(entry) = command {
                self.pending.push(*entry);
            }
        }
    }

    fn run_batch(&mut self, order: &BatchOrder) -> Result<Event, DriveError> {
        let plan = batch::plan(self, order);
        self.pending.push(Entry::CodexInput(plan.record.clone()));
        self.flush()?;
        Ok(batch::run(self, order, plan))
    }

    fn ask_mind(&mut self, run: &Run, question: &MindQuestion) -> Result<Event, DriveError> {
        self.flush()?;
        let prompt = question.prompt;
        let Some(mind) = self.drive.mind.clone() else {
            return Ok(Event::MindAnswered {
                prompt,
                model: "none".to_owned(),
                answer: None,
                usage: Default::default(),
            });
        };
        let ts = self.drive.clock.now();
        (self.drive.watch)(&RunEvent::AskingMind {
            ts,
            run_id: self.drive.run_id.clone(),
            prompt: prompt.as_str(),
        });
        self.mind_questions += 1;
        let name = format!("{}-{}-{:03}.jsonl", self.drive.run_id, prompt.as_str(), self.mind_questions);
        let transcript = self.drive.project.files.mind_transcripts().join(name);
        let reference = self.drive.project.layout.reference(&transcript);
        let place = (run.batch_id(), run.thread());
        let asked = think::Asked {
            question: self.with_what_is_known_here(question),
            transcript,
            reference,
            clock: self.drive.clock,
            place,
        };
        let Some((answer, call)) = think::ask(&mind, asked, self.drive.wake.as_fd()) else {
            return Ok(Event::Stopped);
        };
        let (model, usage) = (call.model.clone(), call.usage);
        self.pending.push(Entry::MindCall(call));
        self.flush()?;
        Ok(Event::MindAnswered { prompt, model, answer, usage })
    }

    /// The question with what only the live loop can read: the change where the run has not looked at it yet, and for
    /// `extract_evidence` the lines that nothing understood.
    fn with_what_is_known_here(&mut self, question: &MindQuestion) -> MindQuestion {
        let mut question = question.clone();
        let has = |title: &str| question.sections.iter().position(|section| section.title == title);
        if has(sections::CHANGE).is_none() {
            let after = has(sections::CRITERIA).map_or(question.sections.len(), |place| place + 1);
            let text = self.read_change();
            question
                .sections
                .insert(after, Section::evidence(sections::CHANGE, sections::CHANGE_BYTES, text));
        }
        if question.prompt == MindPrompt::ExtractEvidence {
            let newest = ProjectLayout::transcripts(&self.drive.project.files.hands_transcripts()).max();
            let lines = newest.map(|path| think::unread_lines(&path)).unwrap_or_default();
            question.sections.push(Section::evidence("unread_lines", think::UNREAD_BYTES, lines));
        }
        question.sections.retain(|section| !section.text.is_empty());
        question
    }

    /// The hunks since the run began, read and not checked; empty when they cannot be read.
    fn read_change(&mut self) -> String {
        let drive = &mut self.drive;
        let snapshot = drive.observatory.snapshot();
        let (root, wake) = (&drive.project.root, drive.wake.as_fd());
        let look = drive.counter_checking.look(root, &snapshot, &LookOrder::default(), wake, &mut |_| {});
        look.map(|look| sections::render_change(&look.report.hunks, &drive.criteria)).unwrap_or_default()
    }

    fn ask_person(&mut self, question: &Question) -> Result<Event, DriveError> {
        self.flush()?;
        Ok(match self.drive.person.ask(question) {
            Reply::Answer(answer) => Event::PersonAnswered { answer },
            Reply::Absent => Event::PersonAbsent,
            Reply::Stop => Event::Stopped,
        })
    }

    fn learn(
        &mut self,
        run: &Run,
        text: String,
        rationale: String,
        category: Option<RiskCategory>,
    ) -> Result<(), DriveError> {
        let mut learned = LearnedLog::open(&self.drive.project.files.learned(), LearnedScope::Project)?;
        let now = self.drive.clock.now();
        let learned_id = learned.add(now, Some(&self.drive.run_id), &text, &rationale, category)?;
        self.pending.push(Entry::Learned(LearnedChange {
            batch_id: run.batch_id(),
            learned_id,
            text,
            rationale,
        }));
        Ok(())
    }

    /// Makes what is pending durable, in one write, and tells whoever watches.
    pub(crate) fn flush(&mut self) -> Result<(), DriveError> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let mut entries = std::mem::take(&mut self.pending);
        self.cite(&mut entries);
        let ts = self.drive.clock.now();
        let seqs = self.log.append(ts, Some(&self.drive.run_id), &self.goals, &entries)?;
        self.next_seq = seqs.last().map(|last| last + 1);
        for (seq, entry) in seqs.into_iter().zip(entries) {
            if let Entry::RunFinished(finished) = &entry {
                self.finished = Some(finished.clone());
            }
            let run_id = self.drive.run_id.clone();
            (self.drive.watch)(&RunEvent::Recorded { ts, run_id, seq, entry: Box::new(entry) });
        }
        Ok(())
    }

    /// Fills in what each decision stands on: the records of its batch so far. Only the holder of the run lock
    /// appends, so the numbers that the journal will give are known.
    fn cite(&mut self, entries: &mut [Entry]) {
        let Some(first) = self.next_seq else { return };
        for (entry, seq) in entries.iter_mut().zip(first..) {
            match entry {
                Entry::Decision(decision) => decision.stands_on.clone_from(&self.stands_on),
                Entry::CodexInput(_) => self.stands_on.clear(),
                _ => self.stands_on.push(seq),
            }
        }
    }

    /// Records something without waiting for it to be durable; the next flush takes it along.
    pub(crate) fn keep(&mut self, entry: Entry) {
        self.pending.push(entry);
    }
}

/// How a run ends by this command, if it does.
fn finished_in(command: &Command) -> Option<RunStatus> {
    match command {
        Command::Record(entry) => match entry.as_ref() {
            Entry::RunFinished(finished) => Some(finished.status),
            _ => None,
        },
        _ => None,
    }
}

/// What a check showed to the harness is now seen by `mi`; what rests on other evidence stays as it is.
fn raise(finished: &mut RunFinished, evidence: &str) {
    let by_check = |one: &Evidence| one.kind == EvidenceKind::CheckPassed;
    for proof in finished.proof.iter_mut().filter(|proof| proof.evidence.iter().any(by_check)) {
        if proof.level == ProofLevel::Observed {
            proof.level = ProofLevel::Verified;
            proof.evidence.push(Evidence::new(EvidenceKind::VerifiedCheck, evidence));
        }
    }
}
