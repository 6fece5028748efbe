//! One run as a state machine: [`Run::step`] takes an event and returns the commands to carry out.
//!
//! It reads no clock, file or socket. A run is restored after a crash by stepping through the events that its
//! journal recorded, and decided again with other values in the same way.
//! Holds: a batch is only ever ordered after its reason is recorded; a run ends exactly once per process.
//! Elsewhere: the judgements themselves are in [`crate::rules`]; the order of judging is [`crate::judging`].

mod unverified;

use mi_council::budget::Spent;
use mi_model::{
    BatchId, DecidedBy, EvidenceKind, LearnedRule, Proof, ProofLevel, RunStatus,
    record::{
        Accepted, ChangeLook, CounterCheckRecord, Decision, Entry, LoopGuard as LoopGuardRecord, LoopPattern,
        NextAction, ProtocolEvidence, Question, QuestionPurpose, RunFinished, UserInput,
    },
};

use crate::{
    guard::{LoopGuard, Repetition},
    injection,
    judging::Judging,
    message::{BatchOrder, Command, Event, LookOrder},
    person_words::{PersonOrder, read_order},
    project,
    proof::{self, History},
    protocol::{Director, Next},
    report::BatchReport,
    setup::{Limits, Setup},
};

/// A run, at one moment of its life.
#[derive(Debug, Clone)]
pub struct Run {
    pub(crate) setup: Setup,
    pub(crate) learned: Vec<LearnedRule>,
    pub(crate) strategy: Option<String>,
    pub(crate) answers: Vec<(String, String)>,
    pub(crate) history: History,
    pub(crate) guard: LoopGuard,
    pub(crate) proof: Vec<Proof>,
    /// Batches of this run in which the agent failed, in a row.
    pub(crate) failures: u32,
    /// A failed check was sent back to the agent before.
    pub(crate) failed_before: bool,
    pub(crate) spent: Spent,
    pub(crate) mind_calls: u32,
    pub(crate) thread_id: Option<String>,
    /// There when the run follows a protocol.
    pub(crate) director: Option<Box<Director>>,
    batches: u32,
    current: BatchId,
    elapsed_ms: u64,
    injected_rules: usize,
    /// The run ends because nobody is there to answer.
    is_asking: bool,
    /// How the run was done, once it was.
    done: Option<Done>,
    /// How and why the run last ended.
    ended: Option<(RunStatus, String)>,
    state: State,
}

/// A run that is done, unless a check in the box says otherwise.
#[derive(Debug, Clone)]
struct Done {
    /// The agent's last words.
    last_message: String,
    /// What ends the run but is not recorded before that check: the protocol's last step and the decision to stop.
    stop: Vec<Command>,
}

/// Where a run stands.
#[derive(Debug, Clone)]
enum State {
    New,
    Working(BatchOrder),
    AskingMind(Box<Judging>),
    /// The whole change is being looked at.
    Looking {
        judging: Box<Judging>,
        order: LookOrder,
    },
    /// The protocol wants to know these before it goes on.
    ReadingEvidence {
        judging: Box<Judging>,
        sources: Vec<String>,
    },
    AskingPerson {
        judging: Option<Box<Judging>>,
        question: Question,
    },
    /// The run stopped before this was sent; a later process may send it.
    Held(Move),
    Finished,
}

/// The next input for the agent and why it is sent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Move {
    pub input: String,
    pub reason: String,
    pub decided_by: DecidedBy,
    pub cites: Vec<String>,
}

impl Run {
    /// A run that has not begun.
    pub fn new(setup: Setup) -> Self {
        Self {
            learned: setup.learned.clone(),
            strategy: setup.strategy.clone(),
            answers: setup.earlier_answers.clone(),
            history: History::default(),
            guard: LoopGuard::default(),
            proof: absent_proof(&setup),
            failures: 0,
            failed_before: false,
            spent: Spent::default(),
            mind_calls: 0,
            thread_id: None,
            director: None,
            batches: 0,
            current: BatchId::numbered(0),
            elapsed_ms: 0,
            injected_rules: setup.learned.len(),
            is_asking: false,
            done: None,
            ended: None,
            state: State::New,
            setup,
        }
    }

    /// A run that follows a protocol and has not begun.
    pub fn with_protocol(setup: Setup, protocol: std::sync::Arc<mi_protocol::Protocol>) -> Self {
        let director = Director::new(protocol, &setup.task);
        Self { director: Some(Box::new(director)), ..Self::new(setup) }
    }

    /// Takes one event; what it returns is to be carried out in that order.
    pub fn step(&mut self, event: Event) -> Vec<Command> {
        let mut out = Vec::new();
        match event {
            Event::Start => self.send_first(&mut out),
            Event::BatchEnded(report) => self.batch_ended(*report, &mut out),
            Event::MindAnswered { prompt, model, answer, usage } => {
                self.mind_calls += 1;
                self.setup.limits.budget.spend(&mut self.spent, &usage);
                if let State::AskingMind(mut judging) = std::mem::replace(&mut self.state, State::Finished) {
                    judging.mind_answered(prompt, &model, answer);
                    self.judge(*judging, &mut out);
                }
            }
            Event::EvidenceRead { read } => self.evidence_read(read, &mut out),
            Event::ChangeSeen { look } => self.change_seen(*look, &mut out),
            Event::PersonAccepted { criteria } => self.person_accepted(criteria, &mut out),
            Event::PersonAnswered { answer } => self.person_answered(answer, &mut out),
            Event::NotVerified { why } => self.not_verified(&why, &mut out),
            Event::PersonAbsent => self.person_absent(&mut out),
            Event::Resumed { limits } => self.resume(limits, &mut out),
            Event::Stopped => self.stop_and_hold(RunStatus::Interrupted, "stopped by the person", &mut out),
            Event::HandsUnusable { message } => self.stop_and_hold(RunStatus::Failed, &message, &mut out),
        }
        out
    }

    /// How many batches were ordered so far.
    pub fn batches(&self) -> u32 {
        self.batches
    }

    /// Hand and mind tokens used so far.
    pub fn tokens(&self) -> u64 {
        self.spent.tokens
    }

    /// The question the run waits for, if it does.
    pub fn waiting_for(&self) -> Option<&Question> {
        match &self.state {
            State::AskingPerson { question, .. } => Some(question),
            _ => None,
        }
    }

    /// Whether the run ended and cannot go on by itself.
    pub fn is_over(&self) -> bool {
        matches!(self.state, State::Finished)
    }

    /// Whether the run ended as done, as far as it knows itself; a check in the box may have kept it from being so.
    pub fn is_done(&self) -> bool {
        self.done.is_some()
    }

    /// The conversation id that a cut-off batch had reached, found in its transcript.
    pub fn found_thread(&mut self, thread_id: String) {
        // A review that was cut off begins anew; its conversation is nobody's.
        if self.is_reviewing() {
            return;
        }
        if let State::Working(order) = &mut self.state {
            order.thread_id = Some(thread_id.clone());
        }
        self.thread_id = Some(thread_id);
    }

    /// The batch that runs, or the one that is being judged.
    pub fn batch_id(&self) -> BatchId {
        self.current.clone()
    }

    /// The agent's conversation; empty before it has one.
    pub fn thread(&self) -> String {
        self.thread_id.clone().unwrap_or_default()
    }

    /// Whether the phase at hand is a reviewer's.
    pub(crate) fn is_reviewing(&self) -> bool {
        self.director.as_ref().is_some_and(|director| director.is_reviewing())
    }

    fn evidence_read(&mut self, read: Vec<mi_model::record::EvidenceRead>, out: &mut Vec<Command>) {
        let State::ReadingEvidence { judging, .. } = std::mem::replace(&mut self.state, State::Finished)
        else {
            return;
        };
        out.push(record(Entry::ProtocolEvidence(ProtocolEvidence {
            batch_id: self.batch_id(),
            read: read.clone(),
        })));
        if let Some(director) = &mut self.director {
            director.evidence_read(read);
        }
        self.judge(*judging, out);
    }

    fn change_seen(&mut self, look: ChangeLook, out: &mut Vec<Command>) {
        let State::Looking { judging, .. } = std::mem::replace(&mut self.state, State::Finished) else {
            return;
        };
        out.push(record(Entry::CounterCheck(Box::new(CounterCheckRecord {
            batch_id: self.batch_id(),
            thread_id: self.thread(),
            look: look.clone(),
        }))));
        self.history.look = Some(look);
        self.history.judged.clear();
        self.judge(*judging, out);
    }

    /// The person takes criteria as done, whatever the run is at.
    fn person_accepted(&mut self, criteria: Vec<String>, out: &mut Vec<Command>) {
        out.push(record(Entry::Accepted(Accepted { batch_id: self.batch_id(), criteria: criteria.clone() })));
        if criteria.is_empty() {
            self.history.accepted.insert(String::new());
        } else {
            self.history.accepted.extend(criteria);
        }
        self.proof = proof::prove(&self.setup.criteria, &self.history);
        match std::mem::replace(&mut self.state, State::Finished) {
            State::AskingPerson { judging: Some(mut judging), .. } => {
                judging.person_accepted();
                self.judge(*judging, out);
            }
            _ if proof::is_proven(&self.proof) => self.finish_accepted(out),
            state => {
                self.finish(RunStatus::Blocked, "the person accepted a part; the rest is still open", out);
                self.state = state;
            }
        }
    }

    fn finish_accepted(&mut self, out: &mut Vec<Command>) {
        let reason = "accepted by the person";
        let stop = Move {
            input: String::new(),
            reason: reason.to_owned(),
            decided_by: DecidedBy::User,
            cites: Vec::new(),
        };
        out.push(self.decision(NextAction::Stop, RunStatus::Done, &stop));
        self.finish(RunStatus::Done, reason, out);
    }

    /// The first phase of a protocol.
    fn begin_protocol(&mut self, mut director: Box<Director>, out: &mut Vec<Command>) {
        let next = director.begin(&self.batch_id(), out);
        self.director = Some(director);
        match next {
            Next::Work { input, reason, by } => {
                self.order(Move { input, reason, decided_by: by, cites: Vec::new() }, out);
            }
            Next::Ask { question, why } => {
                self.ask_person(None, question, QuestionPurpose::NextMove, why, out);
            }
            Next::End { status, reason, .. } => self.finish(status, &reason, out),
            Next::Read(_) | Next::Prove { .. } => {
                self.finish(RunStatus::Failed, "the protocol could not begin", out);
            }
        }
    }

    fn send_first(&mut self, out: &mut Vec<Command>) {
        if let Some(director) = self.director.take() {
            return self.begin_protocol(director, out);
        }
        let first = Move {
            input: self.setup.task.clone(),
            reason: "the task".to_owned(),
            decided_by: DecidedBy::User,
            cites: Vec::new(),
        };
        self.order(first, out);
    }

    fn batch_ended(&mut self, mut report: BatchReport, out: &mut Vec<Command>) {
        if !report.thread_id.is_empty() && !self.is_reviewing() {
            self.thread_id = Some(report.thread_id.clone());
        }
        self.current = report.batch_id.clone();
        self.setup.limits.budget.spend(&mut self.spent, &report.usage);
        self.elapsed_ms = report.elapsed_ms;
        if let Some(strategy) = &self.strategy {
            report.project = project::with_strategy(report.project, strategy);
        }
        self.history.add(&report, &self.setup.criteria);
        out.push(record(Entry::EvidenceItem(Box::new(crate::evidence::evidence_item(&report)))));
        self.judge(Judging::new(report), out);
    }

    fn judge(&mut self, mut judging: Judging, out: &mut Vec<Command>) {
        match judging.advance(self, out) {
            Verdict::AskMind(question) => {
                out.push(Command::AskMind(question));
                self.state = State::AskingMind(Box::new(judging));
            }
            Verdict::LookAtChange(order) => {
                out.push(Command::LookAtChange(order.clone()));
                self.state = State::Looking { judging: Box::new(judging), order };
            }
            Verdict::ReadEvidence { sources } => {
                out.push(Command::ReadEvidence { sources: sources.clone() });
                self.state = State::ReadingEvidence { judging: Box::new(judging), sources };
            }
            Verdict::AskPerson { question, purpose, why } => {
                self.ask_person(Some(judging), question, purpose, why, out);
            }
            Verdict::Send(next) => {
                self.failed_before |= self.history.standing_failure(&self.setup.criteria).is_some();
                self.send(judging.last_message(), next, out);
            }
            Verdict::Stop { status, reason, decided_by, cites } => {
                let stop = Move { input: String::new(), reason: reason.clone(), decided_by, cites };
                out.push(self.decision(NextAction::Stop, status, &stop));
                self.done = (status == RunStatus::Done).then(|| Done {
                    last_message: judging.last_message().to_owned(),
                    stop: out.iter().filter(|command| command.is_part_of_the_end()).cloned().collect(),
                });
                self.finish(status, &reason, out);
                if matches!(status, RunStatus::Blocked | RunStatus::Interrupted) {
                    self.state = State::Held(go_on(judging.input()));
                }
            }
        }
    }

    /// Sends an input to the agent unless a limit or the loop guard forbids it.
    fn send(&mut self, last_message: &str, next: Move, out: &mut Vec<Command>) {
        if let Some(limit) = self.limit_reached() {
            return self.hold(next, &limit, out);
        }
        if let Some(pattern) = self.guard.check(last_message, &next.input) {
            return self.break_loop(pattern, last_message, &next, out);
        }
        let tree = self.history.end_tree.clone();
        let input = match self.guard.repetition(&next.input, &tree) {
            Repetition::First => next.input,
            Repetition::AfterChange(times) => {
                format!(
                    "{}\n\n(Asked {} before; files changed since, so it has to be seen again.)",
                    next.input,
                    times_word(times)
                )
            }
            Repetition::Unchanged(1) => self.say_more(&next.input, last_message),
            Repetition::Unchanged(_) => {
                return self.break_loop(LoopPattern::Aaa, last_message, &next, out);
            }
        };
        self.order(Move { input, ..next }, out);
    }

    /// The second time an input says what came of the first.
    fn say_more(&self, input: &str, last_message: &str) -> String {
        let mut text = input.to_owned();
        let failing = self.history.current_look().map(|look| look.report.left.join("; ")).unwrap_or_default();
        if !failing.is_empty() {
            text.push_str(&format!("\n\nWhat was seen: {failing}."));
        }
        text.push_str(&format!(
            "\n\nI asked for this before and nothing changed since. You said: \"{}\". If something outside of the project stands in \
             the way, say exactly what, and what you need.",
            first_line(last_message)
        ));
        text
    }

    fn break_loop(&mut self, pattern: LoopPattern, last_message: &str, next: &Move, out: &mut Vec<Command>) {
        let reason = format!("the run repeats itself; next would have been: {}", next.reason);
        out.push(record(Entry::LoopGuard(LoopGuardRecord {
            batch_id: self.batch_id(),
            thread_id: self.thread(),
            pattern,
            codex_last_message: clip(last_message),
            next_input: next.input.clone(),
            reason: reason.clone(),
        })));
        let question = format!(
            "The agent goes in circles ({}). Its last words: \"{}\". What should it do instead? `accept` takes it as done, `stop` ends \
             the run.",
            next.reason,
            first_line(last_message)
        );
        self.ask_person(None, question, QuestionPurpose::LoopOverride, reason, out);
    }

    fn order(&mut self, next: Move, out: &mut Vec<Command>) {
        if let Some(limit) = self.limit_reached() {
            return self.hold(next, &limit, out);
        }
        if self.batches > 0 {
            out.push(self.decision(NextAction::SendToCodex, RunStatus::NotDone, &next));
        }
        let order = BatchOrder {
            index: self.batches,
            input: next.input,
            light_injection: self.injection(),
            thread_id: self.thread_id.clone().filter(|_| !self.is_reviewing()),
            read_only: self.is_reviewing(),
        };
        self.current = BatchId::numbered(self.batches);
        self.batches += 1;
        out.push(Command::RunBatch(order.clone()));
        self.state = State::Working(order);
    }

    /// The whole injection opens a conversation; later only rules that are new are told.
    fn injection(&mut self) -> String {
        if self.is_reviewing() {
            return injection::light_injection(&self.setup.mind, &self.learned);
        }
        let told = std::mem::replace(&mut self.injected_rules, self.learned.len());
        match self.thread_id {
            None => injection::opening(&self.setup, &self.learned),
            Some(_) => injection::learned_since(&self.learned[told.min(self.learned.len())..]),
        }
    }

    fn hold(&mut self, next: Move, limit: &str, out: &mut Vec<Command>) {
        let reason = format!("{limit}; next would have been: {}", next.reason);
        out.push(self.decision(
            NextAction::Stop,
            RunStatus::Blocked,
            &Move { reason: reason.clone(), ..next.clone() },
        ));
        self.finish(RunStatus::Blocked, &reason, out);
        self.state = State::Held(next);
    }

    fn limit_reached(&self) -> Option<String> {
        let limits = &self.setup.limits;
        if limits.max_batches.is_some_and(|most| self.batches >= most) {
            return Some(format!("the limit of {} batches is reached (--max-batches)", self.batches));
        }
        if limits.max_minutes.is_some_and(|most| self.elapsed_ms >= most.saturating_mul(60_000)) {
            return Some(format!(
                "the time limit is reached after {} s (--max-minutes)",
                self.elapsed_ms / 1000
            ));
        }
        limits.budget.reached(&self.spent)
    }

    fn ask_person(
        &mut self,
        judging: Option<Judging>,
        question: String,
        purpose: QuestionPurpose,
        why: String,
        out: &mut Vec<Command>,
    ) {
        let decided_by = DecidedBy::Rules("ask_person".to_owned());
        let ask = Move { input: question.clone(), reason: why.clone(), decided_by, cites: Vec::new() };
        if !self.setup.mind.defaults.ask_when_uncertain {
            out.push(self.decision(NextAction::Stop, RunStatus::Blocked, &ask));
            self.finish(RunStatus::Blocked, &format!("{why}; nobody may be asked: {question}"), out);
            self.state = State::Held(go_on(judging.as_ref().map_or("", Judging::input)));
            return;
        }
        let question =
            Question { batch_id: self.batch_id(), thread_id: self.thread(), question, purpose, why };
        out.push(self.decision(NextAction::AskUser, RunStatus::Blocked, &ask));
        out.push(record(Entry::Question(question.clone())));
        out.push(Command::AskPerson(question.clone()));
        self.state = State::AskingPerson { judging: judging.map(Box::new), question };
    }

    fn person_absent(&mut self, out: &mut Vec<Command>) {
        if let State::AskingPerson { judging, question } = std::mem::replace(&mut self.state, State::Finished)
        {
            let reason = format!("needs an answer: {}", question.question);
            self.is_asking = true;
            self.finish(RunStatus::Blocked, &reason, out);
            self.state = State::AskingPerson { judging, question };
        }
    }

    fn person_answered(&mut self, answer: String, out: &mut Vec<Command>) {
        let State::AskingPerson { judging, question } = std::mem::replace(&mut self.state, State::Finished)
        else {
            return;
        };
        out.push(record(Entry::UserInput(UserInput {
            batch_id: question.batch_id.clone(),
            thread_id: question.thread_id.clone(),
            question: question.question.clone(),
            answer: answer.clone(),
        })));
        self.answers.push((question.question.clone(), answer.clone()));
        let asks_whether_done = question.purpose == QuestionPurpose::Acceptance;
        match read_order(&answer, asks_whether_done) {
            Some(PersonOrder::Stop) => {
                return self.finish(RunStatus::NotDone, "the person said to stop", out);
            }
            Some(PersonOrder::Accept) => {
                self.history.accepted.insert(String::new());
                self.proof = proof::prove(&self.setup.criteria, &self.history);
                return self.finish_accepted(out);
            }
            Some(PersonOrder::Skip) => {
                let open =
                    self.proof.iter().find(|proof| !proof.is_shown()).map(|proof| proof.criterion.clone());
                self.state = State::AskingPerson { judging, question };
                return self.person_accepted(open.into_iter().collect(), out);
            }
            None => {}
        }
        match (question.purpose, judging) {
            (QuestionPurpose::LoopOverride, _) | (_, None) => {
                self.guard.reset();
                let next = Move {
                    input: answer,
                    reason: "the person said how to go on".to_owned(),
                    decided_by: DecidedBy::User,
                    cites: vec![format!("answer to: {}", question.question)],
                };
                self.order(next, out);
            }
            (_, Some(mut judging)) => {
                judging.person_answered(self, &question, &answer, out);
                self.judge(*judging, out);
            }
        }
    }

    /// Ends this process's part of the run; what was under way can be taken up again.
    fn stop_and_hold(&mut self, status: RunStatus, reason: &str, out: &mut Vec<Command>) {
        let before = std::mem::replace(&mut self.state, State::Finished);
        let stop = Move { input: String::new(), reason: reason.to_owned(), ..go_on("") };
        let decided_by = DecidedBy::Rules(format!("stop.{}", status.as_str()));
        out.push(self.decision(NextAction::Stop, status, &Move { decided_by, ..stop }));
        self.finish(status, reason, out);
        self.state = match before {
            State::Working(order) => {
                self.batches = order.index;
                State::Held(Move { input: order.input, ..go_on("") })
            }
            other => other,
        };
    }

    fn resume(&mut self, limits: Limits, out: &mut Vec<Command>) {
        self.setup.limits = limits;
        let batch = self.batch_id();
        let is_under_way = !matches!(self.state, State::New | State::Finished);
        if let Some(director) = self.director.as_mut().filter(|_| is_under_way) {
            director.resume(&batch, out);
        }
        match std::mem::replace(&mut self.state, State::Finished) {
            State::New => self.send_first(out),
            State::Held(next) => self.order(next, out),
            State::AskingPerson { judging, question } => {
                out.push(Command::AskPerson(question.clone()));
                self.state = State::AskingPerson { judging, question };
            }
            State::AskingMind(judging) => self.judge(*judging, out),
            State::Looking { judging, order } => {
                out.push(Command::LookAtChange(order.clone()));
                self.state = State::Looking { judging, order };
            }
            State::ReadingEvidence { judging, sources } => {
                out.push(Command::ReadEvidence { sources: sources.clone() });
                self.state = State::ReadingEvidence { judging, sources };
            }
            State::Working(order) => self.resend(order, out),
            // Cut off after it was judged and before that was recorded.
            State::Finished => {
                out.extend(self.done.iter().flat_map(|done| done.stop.clone()));
                if let Some((status, reason)) = self.ended.clone() {
                    self.finish(status, &reason, out);
                }
            }
        }
    }

    /// A batch was cut off with `mi` itself: the same conversation goes on, or the same input is sent again.
    fn resend(&mut self, order: BatchOrder, out: &mut Vec<Command>) {
        self.batches = order.index;
        if !order.read_only {
            self.thread_id.clone_from(&order.thread_id);
        }
        let next = match order.thread_id {
            Some(_) => go_on(&order.input),
            None => Move { input: order.input, ..go_on("") },
        };
        self.order(next, out);
    }

    fn finish(&mut self, status: RunStatus, reason: &str, out: &mut Vec<Command>) {
        out.push(record(Entry::RunFinished(RunFinished {
            status,
            exit: status.exit_code(),
            reason: reason.to_owned(),
            batches: self.batches,
            proof: self.proof.clone(),
            mind_calls: self.mind_calls,
            tokens: self.spent.tokens,
            left: self.left(status),
            waits_for_answer: std::mem::take(&mut self.is_asking),
            files_changed: self.history.changed_files.clone(),
            elapsed_ms: self.elapsed_ms,
        })));
        out.push(Command::Finish);
        self.ended = Some((status, reason.to_owned()));
        self.state = State::Finished;
    }

    /// What is still open, in words.
    fn left(&self, status: RunStatus) -> Vec<String> {
        if status == RunStatus::Done {
            return Vec::new();
        }
        let open = self.proof.iter().filter(|proof| !proof.is_shown());
        open.map(|proof| {
            let why = proof.evidence.iter().rev().find(|one| one.kind == EvidenceKind::Against);
            let why = why.map(|why| format!(": {}", why.text)).unwrap_or_default();
            format!("{} ({}){why}", proof.criterion, proof.level.as_str())
        })
        .collect()
    }

    fn decision(&self, next_action: NextAction, status: RunStatus, next: &Move) -> Command {
        record(Entry::Decision(Decision {
            batch_id: self.batch_id(),
            thread_id: self.thread(),
            next_action,
            status,
            reason: next.reason.clone(),
            next_input: next.input.clone(),
            proof: self.proof.clone(),
            decided_by: next.decided_by.clone(),
            stands_on: Vec::new(),
            cites: next.cites.clone(),
        }))
    }
}

/// The input that takes a stopped batch up again.
fn go_on(input: &str) -> Move {
    Move {
        input: format!("Your last turn was cut off. Go on from where you were. It was about:\n\n{input}"),
        reason: "the batch was cut off; it is taken up again".to_owned(),
        decided_by: DecidedBy::Rules("resume.cut_off".to_owned()),
        cites: Vec::new(),
    }
}

/// What judging a batch came to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Verdict {
    AskMind(crate::message::MindQuestion),
    AskPerson { question: String, purpose: QuestionPurpose, why: String },
    ReadEvidence { sources: Vec<String> },
    LookAtChange(LookOrder),
    Send(Move),
    Stop { status: RunStatus, reason: String, decided_by: DecidedBy, cites: Vec<String> },
}

pub(crate) fn record(entry: Entry) -> Command {
    Command::Record(Box::new(entry))
}

/// The start of a text, for records that quote it.
pub(crate) fn clip(text: &str) -> String {
    mi_model::shorten(text, 4000)
}

pub(crate) fn first_line(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    line.chars().take(200).collect()
}

fn times_word(times: u32) -> String {
    if times == 1 { "once".to_owned() } else { format!("{times} times") }
}

fn absent_proof(setup: &Setup) -> Vec<Proof> {
    let absent = |text: &String| Proof {
        criterion: text.clone(),
        level: ProofLevel::Absent,
        bearing: None,
        evidence: Vec::new(),
    };
    setup.criteria.iter().map(|criterion| absent(&criterion.text)).collect()
}
