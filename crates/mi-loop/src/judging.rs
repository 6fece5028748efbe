//! The order in which an ended batch is judged: hands, risk, checks, questions, arbitration, decision.
//!
//! Each judgement is made by rules first; where they are undecided a model may be asked, and judging goes on
//! when its answer arrives. Holds: the seed's pre-action arbitration order; a model's "done" is never taken
//! without proof.
//! Elsewhere: the rules are [`crate::rules`] and [`crate::decide`].

mod directed;
mod judgement;
mod reading;

use mi_model::{
    BatchId, DecidedBy, ProofLevel, RunStatus,
    answers::{CriteriaJudgement, EvidenceParts, MoveStatus, NextMove},
    record::{
        AutoAnswer, AutoAnswerRecord, CheckPlan, CheckPlanRecord, Entry, NextAction, OverlayChange, Question,
        QuestionPurpose, Risk, RiskEvent,
    },
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{
    answers,
    checks::{calls_known_runner, runs_command},
    criteria::{CriterionKind, NameKind, examples},
    decide,
    message::{Command, LookOrder, MindPrompt, MindQuestion},
    project, proof,
    questions::{self, Question as AgentQuestion},
    report::{BatchReport, HandsEnd},
    risk, rules,
    run::{Move, Run, Verdict, clip, first_line, record},
    sections,
    setup::MindMode,
};

/// How often in a row the agent may fail before the run stops.
const MOST_FAILURES: u32 = 2;
/// A model that is less sure than this of an answer in the person's name is not believed.
const LEAST_CONFIDENCE: f64 = 0.5;

/// One ended batch on its way to a decision.
#[derive(Debug, Clone)]
pub(crate) struct Judging {
    report: BatchReport,
    batch_id: BatchId,
    stage: Stage,
    questions: Vec<AgentQuestion>,
    plan: CheckPlan,
    auto: AutoAnswer,
    auto_by: Option<(DecidedBy, Vec<String>)>,
    /// What the person said about the agent's question or a risk; goes into the next input.
    said: Vec<String>,
    /// What a model read out of the batch where the rules could not.
    read: EvidenceParts,
    has_read: bool,
    /// A model has judged the criteria of this batch, or none is there to.
    has_judged: bool,
    /// The model's answer to the stage's prompt: `Some(None)` when it was asked and could not.
    mind: Option<(String, Option<Value>)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Hands,
    Read,
    Risk,
    Observe,
    Look,
    Plan,
    Answer,
    Arbitrate,
    Decide,
}

impl Judging {
    pub(crate) fn new(report: BatchReport) -> Self {
        Self {
            batch_id: report.batch_id.clone(),
            questions: bounded(questions::find_questions(&report.facts.last_message)),
            report,
            stage: Stage::Hands,
            plan: CheckPlan::default(),
            auto: AutoAnswer::default(),
            auto_by: None,
            said: Vec::new(),
            read: EvidenceParts::default(),
            has_read: false,
            has_judged: false,
            mind: None,
        }
    }

    pub(crate) fn last_message(&self) -> &str {
        &self.report.facts.last_message
    }

    /// What the agent was told in this batch.
    pub(crate) fn input(&self) -> &str {
        &self.report.input
    }

    pub(crate) fn mind_answered(&mut self, prompt: MindPrompt, model: &str, answer: Option<Value>) {
        // Journals of earlier versions hold no reading of the evidence: the answer is to what came after it.
        self.has_read |= self.stage == Stage::Read && prompt != MindPrompt::ExtractEvidence;
        self.mind = Some((model.to_owned(), answer));
    }

    /// Judges on until something outside is needed or the batch is decided.
    pub(crate) fn advance(&mut self, run: &mut Run, out: &mut Vec<Command>) -> Verdict {
        loop {
            let verdict = match self.stage {
                Stage::Hands => self.judge_hands(run),
                Stage::Read => self.read_evidence(run, out),
                Stage::Risk => self.judge_risk(run, out),
                Stage::Observe => self.observe(run, out),
                Stage::Look => self.look_at_change(run).or_else(|| self.judge_criteria(run)),
                Stage::Plan => self.plan_checks(run, out),
                Stage::Answer => self.answer_questions(run, out),
                Stage::Arbitrate => self.arbitrate(run),
                Stage::Decide => Some(self.decide(run, out)),
            };
            match verdict {
                Some(verdict) => return verdict,
                None => self.stage = self.stage.next(),
            }
        }
    }

    /// What the person's answer changes; judging then goes on from where it stood.
    pub(crate) fn person_answered(
        &mut self,
        run: &mut Run,
        question: &Question,
        answer: &str,
        out: &mut Vec<Command>,
    ) {
        match question.purpose {
            QuestionPurpose::TestlessStrategy => {
                run.strategy = Some(answer.to_owned());
                self.report.project = project::with_strategy(self.report.project.clone(), answer);
                run.history.replan(&self.report, &run.setup.criteria);
                self.batch_id = self.batch_id.after_testless();
                if run.setup.mind.verification.remembers_strategy() {
                    out.push(record(Entry::Overlay(OverlayChange {
                        batch_id: self.batch_id.clone(),
                        strategy: answer.to_owned(),
                        rationale: "the person's answer".to_owned(),
                    })));
                }
                out.push(Command::SaveStrategy { strategy: answer.to_owned() });
                self.plan_again(run, out);
                self.stage = Stage::Arbitrate;
            }
            QuestionPurpose::Risk if rules::is_plain_consent(answer) => self.stage = self.stage.next(),
            QuestionPurpose::Risk => {
                self.said.push(format!("About what you did outside the project, the person says: {answer}"));
                self.stage = self.stage.next();
            }
            QuestionPurpose::AnswerAgent => {
                self.said.push(format!("Answer of the person to your question: {answer}"));
                self.auto.needs_user_input = false;
            }
            QuestionPurpose::NextMove | QuestionPurpose::LoopOverride | QuestionPurpose::Acceptance => {
                self.said.push(answer.to_owned());
                self.stage = Stage::Arbitrate;
            }
        }
    }

    /// The person accepted something: what is left is decided again.
    pub(crate) fn person_accepted(&mut self) {
        self.auto.needs_user_input = false;
        self.stage = Stage::Decide;
    }

    /// Green checks show that nothing broke. Whether they show the task is found out by taking the work back.
    fn look_at_change(&mut self, run: &mut Run) -> Option<Verdict> {
        run.proof = proof::prove(&run.setup.criteria, &run.history);
        let is_looked_at = run.history.current_look().is_some();
        let is_open = proof::is_observed(&run.proof) && !proof::is_proven(&run.proof);
        // A failure that was sent back once may be older than the run.
        let is_stuck = run.failed_before && run.history.standing_failure(&run.setup.criteria).is_some();
        if run.director.is_some() || is_looked_at || !run.history.has_changed() || !(is_open || is_stuck) {
            return None;
        }
        let (mut words, mut modules) = (Vec::new(), Vec::new());
        for criterion in &run.setup.criteria {
            match &criterion.kind {
                CriterionKind::Renamed { from, to } => words.extend([from.clone(), to.clone()]),
                CriterionKind::FileGone(path) => modules.push(proof::module_name(path)),
                CriterionKind::Work | CriterionKind::Preserving => {
                    let names = criterion.names.iter();
                    let looked_for =
                        names.filter(|name| matches!(name.kind, NameKind::Symbol | NameKind::Value));
                    words.extend(looked_for.map(|name| proof::look_up_word(name).to_owned()));
                    words.extend(examples(&criterion.text).into_iter().flat_map(|example| example.literals));
                    let paths = criterion.names.iter().filter(|name| name.kind == NameKind::Path);
                    modules.extend(paths.map(|name| proof::module_name(&name.text)));
                }
                _ => {}
            }
        }
        words.sort();
        words.dedup();
        let checks = run.history.counter_checks();
        let is_chosen = |check: &&String| run.history.chosen.iter().any(|chosen| runs_command(check, chosen));
        let printing =
            checks.iter().filter(is_chosen).filter(|check| !calls_known_runner(check)).cloned().collect();
        Some(Verdict::LookAtChange(LookOrder { checks, printing, words, modules }))
    }

    /// What no check shows, a model may judge, if one is there: it must cite the hunks that carry it.
    fn judge_criteria(&mut self, run: &mut Run) -> Option<Verdict> {
        let is_open = proof::is_observed(&run.proof) && !proof::is_proven(&run.proof);
        let has_hunks = run.history.current_look().is_some_and(|look| !look.report.hunks.is_empty());
        if !is_open || !has_hunks || run.director.is_some() || self.has_judged {
            return None;
        }
        match self.model_or_rules::<CriteriaJudgement>(run, true, true) {
            Modelled::Ask => return Some(self.ask_mind(run, MindPrompt::JudgeCriteria)),
            Modelled::Answer(judgement, by) => {
                judgement::keep(run, &judgement, &by);
                run.proof = proof::prove(&run.setup.criteria, &run.history);
            }
            Modelled::Rules | Modelled::Failed => {}
        }
        self.has_judged = true;
        None
    }

    /// Whether the agent asked something that it waits for.
    fn waits(&self) -> bool {
        self.questions.iter().any(|question| question.waits)
    }

    fn judge_hands(&mut self, run: &mut Run) -> Option<Verdict> {
        let (what, retry) = match &self.report.end {
            HandsEnd::Completed => {
                run.failures = 0;
                return None;
            }
            HandsEnd::Stopped => {
                return Some(stop(RunStatus::Interrupted, "stopped by the person", "hands.stopped"));
            }
            HandsEnd::Interrupted { command, reason } => {
                return self.after_interrupt(run, &command.clone(), &reason.clone());
            }
            HandsEnd::Failed { message } => {
                (format!("the agent's turn failed: {message}"), !rules::is_final_failure(message))
            }
            HandsEnd::Died { message } => (format!("the agent ended without finishing: {message}"), true),
            HandsEnd::TimedOut { message } => (format!("the agent was stopped: {message}"), true),
        };
        run.failures += 1;
        if !retry || run.failures >= MOST_FAILURES {
            return Some(stop(RunStatus::Blocked, &what, "hands.failed"));
        }
        let input = match run.thread_id {
            Some(_) if !run.is_reviewing() => {
                "Your last turn broke off before it was finished. Go on from where you were.".to_owned()
            }
            _ => self.report.input.clone(),
        };
        Some(send(input, &what, "hands.retry"))
    }

    /// A command was stopped while it ran: the person decides, or the agent must do without it.
    fn after_interrupt(&self, run: &Run, command: &str, reason: &str) -> Option<Verdict> {
        if run.setup.mind.violation_response.prompt_user_on_high_risk
            && run.setup.mind.defaults.ask_when_uncertain
        {
            let question = format!(
                "The agent began `{}` and was stopped ({reason}). May it, or what should it do instead?",
                first_line(command)
            );
            return Some(Verdict::AskPerson {
                question,
                purpose: QuestionPurpose::NextMove,
                why: reason.to_owned(),
            });
        }
        let input = format!(
            "I stopped `{}`: {reason}. Do not run it again. Find another way inside this project, or ask.",
            first_line(command)
        );
        Some(send(input, reason, "risk.interrupted"))
    }

    fn judge_risk(&mut self, run: &mut Run, out: &mut Vec<Command>) -> Option<Verdict> {
        run.proof = proof::prove(&run.setup.criteria, &run.history);
        let signals = risk::signals(&self.report.facts);
        let read = &self.read.risk_signals;
        if signals.is_empty() && read.is_empty() {
            return None;
        }
        let words: Vec<String> =
            signals.iter().map(risk::RiskSignal::sentence).chain(read.iter().cloned()).collect();
        let ruled = risk::judge(&signals, &rules::sources(run), &run.setup.mind);
        // What only a model saw, only a model can weigh.
        let undecided = ruled.undecided || !read.is_empty();
        let (risk, decided_by) = match self.model_or_rules::<Risk>(run, undecided, true) {
            Modelled::Ask => return Some(self.ask_mind(run, MindPrompt::RiskJudge)),
            Modelled::Answer(risk, by) => (risk::combine(&ruled.risk, risk, &run.setup.mind), by),
            Modelled::Rules | Modelled::Failed => (ruled.risk, DecidedBy::Rules(ruled.rule)),
        };
        let mind = &run.setup.mind;
        if let Some(text) = risk.learned_tightening.as_ref().filter(|_| mind.violation_response.auto_learn) {
            rules::learn(run, text, &words, risk.category, out);
        }
        let ask = risk.should_ask_user;
        out.push(record(Entry::RiskEvent(RiskEvent {
            batch_id: self.batch_id.clone(),
            thread_id: run.thread(),
            risk,
            risk_signals: words.clone(),
            decided_by,
        })));
        ask.then(|| Verdict::AskPerson {
            question: format!("The agent did something outside the project: {}. Is that all right, or what should it do now?", words.join("; ")),
            purpose: QuestionPurpose::Risk,
            why: "the values do not cover it".to_owned(),
        })
    }

    /// An offer to run the tests needs no answer, unless the person spoke of it: checks are planned anyway.
    fn drop_test_offers(&mut self, run: &Run) {
        if !self.questions.iter().any(answers::offers_tests) {
            return;
        }
        let (sources, context) = (rules::sources(run), rules::context(run));
        self.questions.retain(|question| {
            let one = std::slice::from_ref(question);
            !answers::offers_tests(question) || !answers::answer(one, &sources, context).undecided
        });
    }

    fn plan_checks(&mut self, run: &mut Run, out: &mut Vec<Command>) -> Option<Verdict> {
        // A protocol says itself which checks a phase needs.
        if run.director.is_some() {
            return None;
        }
        self.drop_test_offers(run);
        let ruled = rules::plan(run, &self.report, self.waits());
        let matters = ruled.plan.should_run_checks || ruled.plan.needs_testless_strategy;
        let (plan, decided_by) = match self.model_or_rules::<CheckPlan>(run, ruled.undecided, matters) {
            Modelled::Ask => return Some(self.ask_mind(run, MindPrompt::PlanMinChecks)),
            Modelled::Answer(plan, by) => (plan, by),
            Modelled::Rules | Modelled::Failed => (ruled.plan, DecidedBy::Rules(ruled.rule.to_owned())),
        };
        self.keep_plan(run, plan, decided_by, out);
        None
    }

    fn plan_again(&mut self, run: &mut Run, out: &mut Vec<Command>) {
        let ruled = rules::plan(run, &self.report, self.waits());
        self.keep_plan(run, ruled.plan, DecidedBy::Rules(ruled.rule.to_owned()), out);
    }

    fn keep_plan(&mut self, run: &Run, plan: CheckPlan, decided_by: DecidedBy, out: &mut Vec<Command>) {
        self.plan = plan;
        out.push(record(Entry::CheckPlan(CheckPlanRecord {
            batch_id: self.batch_id.clone(),
            thread_id: run.thread(),
            checks: self.plan.clone(),
            decided_by,
        })));
    }

    fn answer_questions(&mut self, run: &mut Run, out: &mut Vec<Command>) -> Option<Verdict> {
        let changed = self.report.facts.changed_tree();
        run.guard.batch_ended(self.waits(), changed);
        let unheard = run
            .director
            .as_ref()
            .is_some_and(|director| director.is_reviewing() || director.has_complaints());
        if self.questions.is_empty() || unheard {
            return None;
        }
        let ruled = answers::answer(&self.questions, &rules::sources(run), rules::context(run));
        let (auto, by, cites) = match self.model_or_rules::<AutoAnswer>(run, ruled.undecided, true) {
            Modelled::Ask => return Some(self.ask_mind(run, MindPrompt::AutoAnswerToCodex)),
            Modelled::Answer(auto, by) => (believable(auto, self.last_message()), by, Vec::new()),
            Modelled::Rules | Modelled::Failed => (ruled.answer, DecidedBy::Rules(ruled.rule), ruled.sources),
        };
        self.auto = auto;
        self.auto_by = Some((by.clone(), cites.clone()));
        out.push(record(Entry::AutoAnswer(AutoAnswerRecord {
            batch_id: self.batch_id.clone(),
            thread_id: run.thread(),
            auto_answer: self.auto.clone(),
            sources: cites,
            decided_by: by,
        })));
        None
    }

    /// The seed's pre-action arbitration, in its order.
    fn arbitrate(&mut self, run: &mut Run) -> Option<Verdict> {
        run.proof = proof::prove(&run.setup.criteria, &run.history);
        if self.auto.needs_user_input {
            return Some(Verdict::AskPerson {
                question: clip(or_str(&self.auto.ask_user_question, self.last_message())),
                purpose: QuestionPurpose::AnswerAgent,
                why: or_else(&self.auto.notes, "values, rules and earlier answers do not cover it"),
            });
        }
        if self.plan.needs_testless_strategy && run.strategy.is_none() {
            return Some(Verdict::AskPerson {
                question: self.plan.testless_strategy_question.clone(),
                purpose: QuestionPurpose::TestlessStrategy,
                why: "the project has no tests, and nobody said yet how to check it".to_owned(),
            });
        }
        self.pre_action()
    }

    /// An answer and/or checks to send; what the person said comes first.
    fn pre_action(&self) -> Option<Verdict> {
        let mut parts = self.said.clone();
        let mut reasons: Vec<String> = Vec::new();
        if !self.said.is_empty() {
            reasons.push("the person answered".to_owned());
        }
        // Half an answer waits for the person's half.
        let answers = self.auto.should_answer || !self.said.is_empty();
        if answers && !self.auto.codex_answer_input.is_empty() {
            parts.push(self.auto.codex_answer_input.clone());
            reasons.push("the agent's question is covered".to_owned());
        }
        if self.plan.should_run_checks && !self.plan.codex_check_input.is_empty() {
            parts.push(self.plan.codex_check_input.clone());
            reasons.push(format!("no check shows it yet: {}", self.plan.commands_hints.join(", ")));
        }
        if parts.is_empty() {
            return None;
        }
        let (decided_by, cites) = match &self.auto_by {
            _ if !self.said.is_empty() => (DecidedBy::User, Vec::new()),
            Some((by, cites)) if self.auto.should_answer => (by.clone(), cites.clone()),
            _ => (DecidedBy::Rules("arbitration.checks".to_owned()), Vec::new()),
        };
        Some(Verdict::Send(Move { input: parts.join("\n\n"), reason: reasons.join("; "), decided_by, cites }))
    }

    fn decide(&mut self, run: &mut Run, out: &mut Vec<Command>) -> Verdict {
        if let Some(director) = run.director.take() {
            return self.direct(run, director, out);
        }
        // What the person said may have turned the last open check into a pass.
        if let Some(verdict) = self.look_at_change(run).or_else(|| self.judge_criteria(run)) {
            return verdict;
        }
        let ruled = decide::decide(&decide::View {
            report: &self.report,
            proof: &run.proof,
            history: &run.history,
            criteria: &run.setup.criteria,
            task: &run.setup.task,
            strategy: run.strategy.as_deref(),
        });
        let proven = proof::is_proven(&run.proof);
        match self.model_or_rules::<NextMove>(run, ruled.undecided && !proven, true) {
            Modelled::Ask => self.ask_mind(run, MindPrompt::DecideNext),
            Modelled::Answer(next, by) => self.follow_model(run, next, by, proven),
            // A model that was to decide and could not is never "done", whatever the rules make of it.
            Modelled::Failed if run.setup.mind_mode == MindMode::ModelFirst => Verdict::AskPerson {
                question: "The model gave no usable answer about what to do next. What should happen?"
                    .to_owned(),
                purpose: QuestionPurpose::NextMove,
                why: "the mind failed; its record says why".to_owned(),
            },
            Modelled::Rules | Modelled::Failed => self.follow(run, ruled),
        }
    }

    fn follow(&self, run: &Run, ruled: decide::Decided) -> Verdict {
        let decided_by = DecidedBy::Rules(ruled.rule.to_owned());
        match ruled.next {
            decide::Next::Done => {
                Verdict::Stop { status: RunStatus::Done, reason: ruled.reason, decided_by, cites: Vec::new() }
            }
            decide::Next::Send(input) => {
                Verdict::Send(Move { input, reason: ruled.reason, decided_by, cites: Vec::new() })
            }
            decide::Next::Ask(question) => self.ask_or_answer(run, question, ruled.reason),
            decide::Next::AskAcceptance(question) => {
                Verdict::AskPerson { question, purpose: QuestionPurpose::Acceptance, why: ruled.reason }
            }
        }
    }

    /// A model decides the way, never the proof.
    fn follow_model(&self, run: &Run, next: NextMove, by: DecidedBy, proven: bool) -> Verdict {
        let reason = next.reason;
        match (next.next_action, next.status) {
            (NextAction::Stop, MoveStatus::Done) if proven => {
                Verdict::Stop { status: RunStatus::Done, reason, decided_by: by, cites: Vec::new() }
            }
            (NextAction::Stop, MoveStatus::Done) => self.unproven(run, &reason, by),
            (NextAction::Stop, MoveStatus::Blocked) => {
                Verdict::Stop { status: RunStatus::Blocked, reason, decided_by: by, cites: Vec::new() }
            }
            (NextAction::Stop, MoveStatus::NotDone) => {
                Verdict::Stop { status: RunStatus::NotDone, reason, decided_by: by, cites: Vec::new() }
            }
            (NextAction::AskUser, _) => {
                let question = next.ask_user_question.filter(|text| !text.trim().is_empty());
                self.ask_or_answer(run, question.unwrap_or_else(|| reason.clone()), reason)
            }
            (NextAction::SendToCodex, _) => {
                match next.next_codex_input.filter(|text| !text.trim().is_empty()) {
                    Some(input) => Verdict::Send(Move { input, reason, decided_by: by, cites: Vec::new() }),
                    None => self.unproven(run, "the model gave no input", by),
                }
            }
        }
    }

    /// "Done" without proof: what is missing is asked for, from the agent if a command can show it.
    fn unproven(&self, run: &Run, reason: &str, by: DecidedBy) -> Verdict {
        let weak: Vec<String> = run
            .proof
            .iter()
            .filter(|proof| !proof.is_shown())
            .map(|proof| match proof.level >= ProofLevel::Observed {
                true => format!("nothing shows {}", proof.criterion),
                false => format!("{} is only {}", proof.criterion, proof.level.as_str()),
            })
            .collect();
        let why = format!("not proven: {} ({reason})", weak.join("; "));
        match rules::check_request(run, &self.report) {
            Some(input) => Verdict::Send(Move { input, reason: why, decided_by: by, cites: Vec::new() }),
            None => Verdict::AskPerson {
                question: format!("{why}. Which command shows that it is done? Give it in backticks."),
                purpose: QuestionPurpose::TestlessStrategy,
                why,
            },
        }
    }

    fn ask_or_answer(&self, run: &Run, question: String, why: String) -> Verdict {
        let answered = answers::answer_for(&question, &rules::sources(run), rules::context(run));
        if answered.answer.should_answer && !answered.answer.needs_user_input && !answered.undecided {
            return Verdict::Send(Move {
                input: answered.answer.codex_answer_input,
                reason: format!("{why}; answered from what is known"),
                decided_by: DecidedBy::Rules(answered.rule),
                cites: answered.sources,
            });
        }
        Verdict::AskPerson { question, purpose: QuestionPurpose::NextMove, why }
    }

    fn ask_mind(&self, run: &Run, prompt: MindPrompt) -> Verdict {
        Verdict::AskMind(MindQuestion {
            prompt,
            sections: sections::sections(run, &self.report, &self.plan, &self.read),
        })
    }

    /// Whether the rules' answer stands, a model is to be asked, or a model has answered.
    ///
    /// `matters`: a model that thinks first is asked too; otherwise there is nothing to think about.
    fn model_or_rules<T: DeserializeOwned>(
        &mut self,
        run: &Run,
        undecided: bool,
        matters: bool,
    ) -> Modelled<T> {
        let wanted = match run.setup.mind_mode {
            MindMode::RulesOnly => false,
            MindMode::RulesFirst => undecided,
            MindMode::ModelFirst => undecided || matters,
        };
        match self.mind.take() {
            None if wanted => Modelled::Ask,
            None => Modelled::Rules,
            Some((model, answer)) => match answer.and_then(|value| serde_json::from_value(value).ok()) {
                Some(answer) => Modelled::Answer(answer, DecidedBy::Model(model)),
                None => Modelled::Failed,
            },
        }
    }
}

/// Questions of a length that a person would read: of a longer one the end, where it asks.
fn bounded(mut questions: Vec<AgentQuestion>) -> Vec<AgentQuestion> {
    const MOST_BYTES: usize = 2000;
    for question in &mut questions {
        for text in [&mut question.text, &mut question.context] {
            if text.len() > MOST_BYTES {
                *text = format!("…{}", &text[text.ceil_char_boundary(text.len() - MOST_BYTES)..]);
            }
        }
    }
    questions.truncate(20);
    questions
}

enum Modelled<T> {
    Ask,
    Answer(T, DecidedBy),
    /// The rules' answer stands.
    Rules,
    /// The model was asked and could not answer.
    Failed,
}

impl Stage {
    fn next(self) -> Self {
        match self {
            Self::Hands => Self::Read,
            Self::Read => Self::Risk,
            Self::Risk => Self::Observe,
            Self::Observe => Self::Look,
            Self::Look => Self::Plan,
            Self::Plan => Self::Answer,
            Self::Answer => Self::Arbitrate,
            Self::Arbitrate | Self::Decide => Self::Decide,
        }
    }
}

/// A model's answer in the person's name, or the question to the person when the model is unsure.
fn believable(auto: AutoAnswer, last_message: &str) -> AutoAnswer {
    if !auto.should_answer || auto.confidence >= LEAST_CONFIDENCE {
        return auto;
    }
    let ask_user_question = or_else(&auto.ask_user_question, &clip(last_message));
    AutoAnswer { should_answer: false, needs_user_input: true, ask_user_question, ..auto }
}

fn send(input: String, reason: &str, rule: &str) -> Verdict {
    Verdict::Send(Move {
        input,
        reason: reason.to_owned(),
        decided_by: DecidedBy::Rules(rule.to_owned()),
        cites: Vec::new(),
    })
}

fn stop(status: RunStatus, reason: &str, rule: &str) -> Verdict {
    Verdict::Stop {
        status,
        reason: reason.to_owned(),
        decided_by: DecidedBy::Rules(rule.to_owned()),
        cites: Vec::new(),
    }
}

fn or_else(text: &str, fallback: &str) -> String {
    or_str(text, fallback).to_owned()
}

fn or_str<'a>(text: &'a str, fallback: &'a str) -> &'a str {
    if text.trim().is_empty() { fallback } else { text }
}
