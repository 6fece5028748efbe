//! Puts a run together and drives it: `mi run`, `mi run --resume`, `mi answer` and `mi demo` all end here.

use mi_autopilot::{
    Baseline, CounterChecking, Drive, DriveError, HandsLimits, Mindset, Observatory, Person, Project,
    Recorded, RestoreError, RunEvent, Verification, drive,
};
use mi_config::{CounterCheck, Settings};
use mi_hands::{Codex, CodexSettings, Exec, Hands, PromptPolicy, RecordSettings, Recorder, Replay};
use mi_journal::{LogView, Query};
use mi_loop::{
    criteria::{Criterion, CriterionKind, criteria, value_criteria},
    message::Event,
    project::ProjectCheck,
    run::Run,
    setup::{Limits, MindMode, Setup},
};
use mi_mind::Mind;
use mi_model::{
    RunId, RunStatus, Usage, goal_ids,
    record::{Entry, Note, RunFinished, RunStarted},
    sha256_hex,
};
use mi_process::{Environment, Spawner, run_to_end};
use mi_protocol::Protocol;
use mi_prove::{CheckShell, SavedStart, save_start};
use serde_json::{Value, json};
use std::{
    fs,
    io::{self, BufRead, BufReader, IsTerminal, Write},
    os::fd::{AsFd, OwnedFd},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use super::{
    boxed::{check, exec},
    council, git, kaching, minds, person,
    protocol::follow::{self, Followed},
    prove,
    pulse::{Claimed, Pulse, Workspace},
};
use crate::{
    app::App,
    args::{CheckArgs, ProveArgs, RunArgs, VerifyBy},
    failure::{Failure, Outcome},
    render::{human::LiveView, json as json_lines, record},
};

/// How many earlier answers of a project a run knows.
const EARLIER_ANSWERS: usize = 50;

/// Everything about a run but its task.
pub struct Launch<'a> {
    app: &'a App,
    project: Project,
    settings: Settings,
    mindset: Mindset,
    hands: Box<dyn Hands>,
    hands_name: String,
    mode: MindMode,
    mind: Option<Mind>,
    spawner: Spawner,
    limits: Limits,
    show: bool,
    followed: Option<Followed>,
    verify: bool,
    commit: bool,
}

impl<'a> Launch<'a> {
    pub fn prepare(app: &'a App, project: &Project, args: &RunArgs) -> Result<Self, Failure> {
        let number = |value: Option<u64>| value.map(|number| number.to_string());
        let batches = number(args.max_batches.map(u64::from));
        let (minutes, tokens) = (number(args.max_minutes), number(args.max_tokens));
        let typed = [
            ("hands.default", args.hands.as_deref()),
            ("mind.provider", args.mind.as_deref()),
            ("budget.max_batches", batches.as_deref()),
            ("budget.max_minutes", minutes.as_deref()),
            ("budget.max_tokens", tokens.as_deref()),
        ];
        let flags: Vec<(&str, &str)> =
            typed.into_iter().filter_map(|(key, value)| Some((key, value?))).collect();
        let settings = app.settings(&project.root, &flags)?;
        let followed = args.protocol.as_deref().map(follow::load).transpose()?.flatten();
        let mindset = project.mindset().map_err(|error| Failure::of(&error))?;
        let spawner = spawner()?;
        let hands = hands(app, &settings, &spawner, args.record.as_deref())?;
        let (mode, mind) = minds::mind(app, &settings, &spawner)?;
        let limits = Limits {
            max_batches: settings
                .budget
                .max_batches
                .map(|most| u32::try_from(most.get()).unwrap_or(u32::MAX)),
            max_minutes: settings.budget.max_minutes.map(std::num::NonZeroU64::get),
            budget: kaching::budget(&settings)?,
        };
        let (project, hands_name) = (project.clone(), lasting_name(&settings.hands.default));
        Ok(Self {
            app,
            project,
            settings,
            mindset,
            hands,
            hands_name,
            mode,
            mind,
            spawner,
            limits,
            show: args.show,
            followed,
            verify: args.verify.is_some(),
            commit: args.commit,
        })
    }

    fn observatory(&self) -> Observatory {
        observatory_with(self.app, &self.project.root, self.spawner.clone())
    }

    /// What the task asks for, and what the phases of a protocol are checked by.
    fn criteria(&self, task: &str) -> Vec<Criterion> {
        match &self.followed {
            Some(followed) => mi_loop::protocol::criteria(task, &followed.protocol),
            None => {
                let mut found = criteria(task);
                // What mi commits itself is no criterion of the agent's work.
                if self.commit && found.len() > 1 {
                    found.retain(|one| one.kind != CriterionKind::Commit);
                }
                if !found.iter().any(|one| one.kind == CriterionKind::Answer) {
                    found.extend(value_criteria(&self.mindset.mind.values_text, task));
                }
                found
            }
        }
    }

    fn protocol(&self) -> Option<Arc<Protocol>> {
        self.followed.as_ref().map(|followed| Arc::clone(&followed.protocol))
    }

    fn setup(&self, task: &str) -> Setup {
        Setup {
            task: task.to_owned(),
            criteria: self.criteria(task),
            mind: self.mindset.mind.clone(),
            learned: self.mindset.learned.clone(),
            strategy: self.mindset.strategy(),
            earlier_answers: earlier_answers(&self.project),
            limits: self.limits,
            mind_mode: self.mode,
        }
    }
}

/// Looks at the project at `root`.
pub fn observatory(app: &App, root: &Path) -> Result<Observatory, Failure> {
    Ok(observatory_with(app, root, spawner()?))
}

fn observatory_with(app: &App, root: &Path, spawner: Spawner) -> Observatory {
    Observatory::new(root, vec![app.home.clone()], spawner)
}

/// A new run.
pub fn begin(launch: Launch<'_>, task: &str) -> Outcome {
    let setup = launch.setup(task);
    let mut observatory = launch.observatory();
    let snapshot = observatory.snapshot();
    let baseline = observatory.tests(&snapshot);
    let checks = observatory.profile(&snapshot, &setup.criteria).checks;
    let run_id = RunId::generate(launch.app.clock.now(), std::process::id());
    let folder = launch.project.files.starts().join(run_id.as_str());
    let start = save_start(&launch.spawner, &launch.project.root, &snapshot.files, &folder)
        .map_err(|error| format!("the tree that the run began with was not kept: {error}"));
    let started = started(&launch, &setup, Some((&baseline, &checks)));
    let mut run = match launch.protocol() {
        Some(protocol) => Run::with_protocol(setup, protocol),
        None => Run::new(setup),
    };
    go(
        launch,
        &mut run,
        Journey {
            run_id,
            started,
            observatory,
            baseline,
            start,
            usage: Usage::default(),
            tree: Some(snapshot.digest),
            events: vec![Event::Start],
        },
    )
}

/// The newest run of a project, as its journal tells it.
pub fn last_run(project: &Project) -> Result<Recorded, Failure> {
    Recorded::load(&project.files.evidence().log, "last").map_err(|error| match error {
        RestoreError::Empty => Failure::usage(error.to_string()),
        other => Failure::of(&other),
    })
}

/// The last run, taken up where its journal ends.
pub fn resume(launch: Launch<'_>, recorded: Recorded) -> Outcome {
    follow::same(launch.followed.as_ref(), &recorded)?;
    let mut run = recorded.restore(launch.protocol());
    // A check that could not be run can be tried again; any other end stands.
    let is_settled = |finished: &RunFinished| finished.status == RunStatus::Done || !run.is_done();
    let finished = recorded.finished().filter(|(_, finished)| is_settled(finished));
    if let (true, Some(finished)) = (run.is_over(), finished) {
        launch.app.talk("mi: the last run is over; this is how it ended");
        if launch.app.common.json {
            launch.app.print_json(&json!({"event": "run.finished", "ts": finished.0, "run_id": recorded.run_id, "status": finished.1.status,
                "exit": finished.1.exit, "reason": finished.1.reason, "batches": finished.1.batches, "proof": finished.1.proof,
                "mind_calls": finished.1.mind_calls, "tokens": finished.1.tokens, "left": finished.1.left}))?;
            return Ok(finished.1.status.into());
        }
        return end(launch.app, &launch.project, &launch.settings, &launch.spawner, &finished.1);
    }
    if let Some(thread_id) =
        recorded.cut_off_transcript().and_then(|path| thread_of(&launch.project.layout.resolve(&path)))
    {
        run.found_thread(thread_id);
    }
    let events = vec![Event::Resumed { limits: launch.limits }];
    go_on(launch, run, &recorded, events)
}

/// The last run, with the answer it waits for.
pub fn answer(launch: Launch<'_>, recorded: Recorded, answer: &str) -> Outcome {
    follow::same(launch.followed.as_ref(), &recorded)?;
    let run = recorded.restore(launch.protocol());
    let events =
        vec![Event::Resumed { limits: launch.limits }, Event::PersonAnswered { answer: answer.to_owned() }];
    go_on(launch, run, &recorded, events)
}

/// The last run, with criteria that the person takes as done.
pub fn accept(launch: Launch<'_>, recorded: Recorded, criteria: Vec<String>) -> Outcome {
    follow::same(launch.followed.as_ref(), &recorded)?;
    let run = recorded.restore(launch.protocol());
    go_on(launch, run, &recorded, vec![Event::PersonAccepted { criteria }])
}

/// The flags as typed, and where nothing was typed, those of the recorded run.
pub fn as_before(typed: &RunArgs, recorded: &Recorded) -> RunArgs {
    let (hands, mind) = recorded.hands_and_mind();
    let protocol = recorded.followed().map(|followed| followed.file);
    RunArgs {
        hands: typed.hands.clone().or(hands),
        mind: typed.mind.clone().or(mind),
        protocol: typed.protocol.clone().or(protocol),
        verify: typed.verify.or_else(|| recorded.is_verified_by_box().then_some(VerifyBy::Box)),
        ..typed.clone()
    }
}

fn go_on(launch: Launch<'_>, mut run: Run, recorded: &Recorded, events: Vec<Event>) -> Outcome {
    let mut observatory = launch.observatory();
    if let Some(checks) = recorded.checks() {
        observatory.remember_checks(checks);
    }
    let baseline = recorded.baseline();
    let started = started(&launch, &recorded.setup, None);
    let usage = recorded.thread_usage(&run.thread());
    let run_id = recorded.run_id.clone();
    let start = SavedStart::load(&launch.project.files.starts().join(run_id.as_str()))
        .map_err(|error| format!("the tree that the run began with is not kept any more: {error}"));
    go(launch, &mut run, Journey { run_id, started, observatory, baseline, start, usage, tree: None, events })
}

/// What differs between a new run and one that goes on.
struct Journey {
    run_id: RunId,
    started: RunStarted,
    observatory: Observatory,
    baseline: Baseline,
    /// The tree that the run began with, or why it is not known.
    start: Result<SavedStart, String>,
    usage: Usage,
    /// The digest of the project's files as the run began, if it began here.
    tree: Option<String>,
    events: Vec<Event>,
}

fn go(launch: Launch<'_>, run: &mut Run, journey: Journey) -> Outcome {
    let app = launch.app;
    refuse_read_only(&launch.project.root)?;
    let wake = wake_on_signals()?;
    let asked = wake.try_clone().map_err(|error| Failure::new("watch for Ctrl-C").because(&error))?;
    let mut terminal = person::Terminal { wake: asked.as_fd() };
    let mut nobody = person::Nobody;
    let person: &mut dyn Person = if app.can_ask() { &mut terminal } else { &mut nobody };
    let view =
        LiveView::start(app.look_of_talk(), io::stderr().is_terminal() && !app.common.json, launch.show);
    let json = app.common.json;
    let mut watch = |event: &RunEvent| {
        if json {
            print_line(json_lines::line(event));
        } else {
            view.show(event);
        }
    };
    let claimed = Claimed {
        task_id: journey.run_id.as_str().to_owned(),
        goal_ids: goal_ids(&journey.started.task),
        image_digest: None,
        workspace: journey.tree.map_or(Workspace::Unknown, Workspace::Known),
    };
    // A claim that cannot be made disturbs nobody.
    let chamber = council::chamber_of(launch.project.clone(), &launch.settings).ok();
    let pulse = chamber.map(|chamber| Pulse::start_in(chamber, app.clock, claimed));
    let interrupt = launch.mindset.mind.interrupt.clone();
    let counter_checking = counter_checking(&launch, journey.start);
    let notes = notes(&launch);
    let task = journey.started.task.clone();
    let all_criteria = launch.criteria(&task);
    let result = drive(
        Drive {
            project: &launch.project,
            run_id: journey.run_id,
            task: journey.started.task.clone(),
            criteria: all_criteria,
            strategy: launch.mindset.strategy(),
            clock: app.clock,
            hands: launch.hands,
            mind: launch.mind.map(Arc::new),
            person,
            watch: &mut watch,
            limits: HandsLimits {
                idle: launch.settings.hands.idle_timeout,
                total: launch.settings.hands.total_timeout,
                run: launch.limits.max_minutes.map(|minutes| Duration::from_secs(minutes.saturating_mul(60))),
            },
            interrupt,
            external: launch.mindset.mind.external_actions.clone(),
            remembers_strategy: launch.mindset.mind.verification.remembers_strategy(),
            store_raw: launch.mindset.mind.transparency.store_raw_transcript,
            wake,
            observatory: journey.observatory,
            baseline: journey.baseline,
            verify: launch.verify.then(|| verify_in_the_box(app, launch.project.root.clone())),
            counter_checking,
            thread_usage: journey.usage,
        },
        run,
        journey.started,
        notes,
        journey.events,
    );
    view.clear();
    drop(pulse);
    match result {
        Ok(finished) => {
            if launch.commit && finished.status == RunStatus::Done {
                commit_work(app, &launch.project, &task, &finished)?;
            }
            end(app, &launch.project, &launch.settings, &launch.spawner, &finished)
        }
        Err(error) => Err(drive_failure(&error)),
    }
}

/// How the work of a run is taken back.
fn counter_checking(launch: &Launch<'_>, start: Result<SavedStart, String>) -> CounterChecking {
    let (app, settings) = (launch.app, &launch.settings);
    let engine = match settings.proof.counter_check {
        CounterCheck::Off => Err("counter-checks are switched off (proof.counter_check)".to_owned()),
        CounterCheck::Auto => {
            prove::engine(app, settings, &ProveArgs::default()).map_err(|failure| failure.what)
        }
    };
    let limits = prove::limits(settings, &ProveArgs::default());
    let (engine, limits) = match limits {
        Ok(limits) => (engine, limits),
        Err(failure) => (Err(failure.what), mi_model::RunLimits::default()),
    };
    CounterChecking {
        start,
        engine,
        shell: CheckShell::Login,
        limits,
        budget: settings.proof.budget,
        spawner: launch.spawner.clone(),
        scratch: launch.project.layout.scratch(),
        cache: launch.project.files.check_outcomes(),
        excluded: vec![app.home.clone()],
        home: app.variable("HOME").map(PathBuf::from),
        search_path: app.variable("PATH").unwrap_or_default().to_owned(),
    }
}

/// The project's check, run by `mi` itself. What is denied is not tried another way, and no agent can change it.
fn verify_in_the_box<'a>(app: &'a App, root: PathBuf) -> Box<dyn FnMut() -> Verification + 'a> {
    Box::new(move || {
        let wake = match wake_on_signals() {
            Ok(wake) => wake,
            Err(failure) => return Verification::Impossible(failure.to_string()),
        };
        match check::check(app, &root, &CheckArgs::default(), wake.as_fd()) {
            Err(no_plan) => Verification::Impossible(exec::failure(no_plan).what),
            Ok(checked) => checked.verification(),
        }
    })
}

/// Commits what the run changed: the task as the message, the proof as trailers.
fn commit_work(app: &App, project: &Project, task: &str, finished: &RunFinished) -> Result<(), Failure> {
    let title: String =
        task.lines().next().unwrap_or(task).trim().trim_end_matches('.').chars().take(72).collect();
    let proofs = finished.proof.iter().map(|proof| {
        format!(
            "Proof: {} ({}, {})",
            proof.criterion,
            proof.level_word(),
            proof.bearing.map_or("none", mi_model::Bearing::as_str)
        )
    });
    let message = format!("{title}\n\n{}", proofs.collect::<Vec<_>>().join("\n"));
    let mut add = vec!["add", "--all", "--"];
    add.extend(finished.files_changed.iter().map(String::as_str));
    let committed = git::call(&project.root, &add, &[])
        .and_then(|_| git::call(&project.root, &["commit", "--quiet", "-m", &message], &[]));
    committed.map_err(|failure| failure.todo("the work is proven, but not committed; commit it by hand"))?;
    app.talk("mi: committed the proven work");
    Ok(())
}

/// No agent can do anything where nothing can be written.
fn refuse_read_only(root: &Path) -> Result<(), Failure> {
    rustix::fs::access(root, rustix::fs::Access::WRITE_OK).map_err(|error| {
        Failure::needs_person(format!("the project {} cannot be written to", root.display()))
            .because(&io::Error::from(error))
            .todo("make it writable, or give another folder with --cd")
    })
}

fn end(
    app: &App,
    project: &Project,
    settings: &Settings,
    spawner: &Spawner,
    finished: &RunFinished,
) -> Outcome {
    if let (Some(command), RunStatus::Blocked) = (&settings.notify.command, finished.status) {
        let limits = mi_process::Limits { timeout: Duration::from_secs(10), max_output_bytes: 4096 };
        let mut spec = minds::shell(command, project.root.clone());
        spec.environment = spec.environment.with("MI_REASON", &finished.reason);
        drop(run_to_end(spawner, &spec, limits, None));
    }
    if app.common.json {
        return Ok(finished.status.into());
    }
    let entry = Entry::RunFinished(finished.clone());
    let mut text = format!("\n{}", record::paint(&entry, &record::sentence(&entry), &app.look));
    for line in record::proof_lines(finished, &app.look) {
        text.push_str(&format!("\n{line}"));
    }
    text.push_str(&format!("\n{}", app.look.faint(&totals(finished, settings))));
    text.push_str(&format!("\n{}", app.look.faint(next_step(finished))));
    // A reader that went away does not change how the run ended.
    drop(app.print(&text));
    Ok(finished.status.into())
}

/// `2 files changed (a.py, b.py) · 3 batches · 41 s · 12,300 tokens`
fn totals(finished: &RunFinished, settings: &Settings) -> String {
    let count = |number: usize, what: &str| format!("{number} {what}{}", if number == 1 { "" } else { "s" });
    let mut files = count(finished.files_changed.len(), "file");
    files.push_str(" changed");
    let named: Vec<&str> = finished.files_changed.iter().take(5).map(String::as_str).collect();
    if !named.is_empty() {
        let more = if finished.files_changed.len() > named.len() { ", …" } else { "" };
        files.push_str(&format!(" ({}{more})", named.join(", ")));
    }
    let seconds = finished.elapsed_ms / 1000;
    let time = if seconds < 120 { format!("{seconds} s") } else { format!("{} min", seconds / 60) };
    let mut parts = vec![files, count(finished.batches as usize, "batch").replace("batchs", "batches"), time];
    parts.push(format!("{} tokens", finished.tokens));
    if settings.budget.input_cents > 0 {
        parts.push(format!("{:.2} USD at most", cents(finished, settings) / 100.0));
    }
    parts.join(" · ")
}

/// What the tokens cost if all of them were of the dearer kind.
fn cents(finished: &RunFinished, settings: &Settings) -> f64 {
    let dearest = settings.budget.input_cents.max(settings.budget.output_cents);
    finished.tokens as f64 * dearest as f64 / 1e6
}

fn next_step(finished: &RunFinished) -> &'static str {
    match finished.status {
        RunStatus::Done => "See why: mi why · everything: mi log · the agent's words: mi transcript",
        RunStatus::Blocked if finished.waits_for_answer => {
            "Answer it: mi answer 'TEXT' · take it as done: mi accept · end it: mi stop"
        }
        RunStatus::Blocked => "See why: mi why · go on: mi run --resume",
        RunStatus::Interrupted => "Go on where it stopped: mi run --resume",
        RunStatus::Failed | RunStatus::NotDone if finished.batches <= 1 && finished.tokens == 0 => {
            "See what is missing: mi doctor · then go on: mi run --resume"
        }
        RunStatus::Failed | RunStatus::NotDone => "See why: mi why · the agent's words: mi transcript",
    }
}

/// The record of a start; `first` is what the project was like, for a run that does not go on.
fn started(launch: &Launch<'_>, setup: &Setup, first: Option<(&Baseline, &[ProjectCheck])>) -> RunStarted {
    let resumed = first.is_none();
    let mut value = if resumed { json!({"limits": launch.limits}) } else { json!(setup) };
    if launch.verify {
        value["verify"] = json!("box");
    }
    if let (Some((baseline, checks)), Value::Object(fields)) = (first, &mut value) {
        fields.insert("baseline".to_owned(), json!(baseline));
        fields.insert("checks".to_owned(), json!(checks));
        if let Some(followed) = &launch.followed {
            fields.insert("protocol".to_owned(), json!(followed.reference()));
        }
    }
    RunStarted {
        task: setup.task.clone(),
        criteria: setup.criteria.iter().map(|criterion| criterion.text.clone()).collect(),
        project_root: launch.project.root.to_string_lossy().into_owned(),
        hands: launch.hands_name.clone(),
        mind: launch.settings.mind.provider.as_str().to_owned(),
        resumed,
        process_id: std::process::id(),
        values_sha256: sha256_hex(setup.mind.values_text.as_bytes()),
        setup: value,
    }
}

fn notes(launch: &Launch<'_>) -> Vec<Entry> {
    let note = |message: &String| Entry::Note(Note { message: message.clone(), path: String::new() });
    launch.mindset.notes.iter().map(note).collect()
}

fn hands(
    app: &App,
    settings: &Settings,
    spawner: &Spawner,
    record: Option<&Path>,
) -> Result<Box<dyn Hands>, Failure> {
    let environment = Environment::Inherit { set: Vec::new(), remove: Vec::new() };
    let name = settings.hands.default.as_str();
    let hands: Box<dyn Hands> = match name.split_once(':') {
        None if name == "codex" => {
            let codex = CodexSettings {
                program: codex_program(app, settings),
                model: settings.hands.codex.model.clone(),
                sandbox: settings.hands.codex.sandbox.as_str().to_owned(),
                extra_args: settings.hands.codex.extra_args.clone(),
                environment,
            };
            Box::new(Codex::new(spawner.clone(), codex, None))
        }
        Some(("replay", dir)) => Box::new(
            Replay::open(Path::new(dir), spawner.clone(), environment)
                .map_err(|error| Failure::usage(format!("open the recording `{dir}`")).because(&error))?,
        ),
        Some(("exec", command)) if !command.trim().is_empty() => {
            Box::new(Exec::new(spawner.clone(), command, environment))
        }
        _ => {
            return Err(Failure::usage(format!("there are no hands `{name}`"))
                .todo("use codex, replay:DIR or exec:CMD"));
        }
    };
    match record {
        None => Ok(hands),
        Some(dir) => {
            let settings = RecordSettings {
                dir: dir.to_owned(),
                name: dir
                    .file_name()
                    .map_or("recording".to_owned(), |name| name.to_string_lossy().into_owned()),
                prompt_policy: PromptPolicy::Any,
                redact: Box::new(|text| mi_secrets::redact(text).into_owned()),
                left_out: mi_loop::project::inputs::cache_patterns(),
                environment: Environment::Inherit { set: Vec::new(), remove: Vec::new() },
            };
            let recorder = Recorder::create(hands, spawner.clone(), settings);
            Ok(Box::new(recorder.map_err(|error| Failure::of(&error))?))
        }
    }
}

/// The hands as a later `mi answer` can find them again, whatever folder it is typed in.
fn lasting_name(hands: &str) -> String {
    let recording = hands.strip_prefix("replay:").and_then(|dir| fs::canonicalize(dir).ok());
    recording.map_or_else(|| hands.to_owned(), |dir| format!("replay:{}", dir.display()))
}

/// `hands.codex.program`, else `$MI_CODEX`, else `codex` in `PATH`.
pub fn codex_program(app: &App, settings: &Settings) -> PathBuf {
    let configured = settings.hands.codex.program.as_deref().or_else(|| app.variable("MI_CODEX"));
    let named = configured.unwrap_or("codex").to_owned();
    mi_process::find_program(named.as_ref(), app.variable("PATH").unwrap_or_default().as_ref())
        .unwrap_or_else(|| PathBuf::from(named))
}

/// Starts programs with this very binary as their supervisor.
pub fn spawner() -> Result<Spawner, Failure> {
    let program = std::env::current_exe()
        .map_err(|error| Failure::new("find the mi program itself").because(&error))?;
    Ok(Spawner::new(program))
}

/// A descriptor that becomes readable when the person presses Ctrl-C or the system asks to stop.
pub fn wake_on_signals() -> Result<OwnedFd, Failure> {
    let fail = |error: io::Error| Failure::new("watch for Ctrl-C").because(&error);
    let (read, write) =
        rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).map_err(|error| fail(error.into()))?;
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP] {
        let write = write.try_clone().map_err(fail)?;
        signal_hook::low_level::pipe::register(signal, write).map_err(fail)?;
    }
    Ok(read)
}

/// The questions that the person answered in this project, newest last.
fn earlier_answers(project: &Project) -> Vec<(String, String)> {
    let query = Query { kinds: vec!["user_input".to_owned()], ..Query::default() };
    let Ok(view) = LogView::open(&project.files.evidence().log) else { return Vec::new() };
    let Ok(hits) = view.newest(&query) else { return Vec::new() };
    let records = hits.take(EARLIER_ANSWERS).filter_map(|line| line.ok()?.record().ok());
    let mut answers: Vec<(String, String)> = records
        .filter_map(|record| match record.entry {
            Entry::UserInput(input) => Some((input.question, input.answer)),
            _ => None,
        })
        .collect();
    answers.reverse();
    answers
}

/// The conversation id that a transcript names, if the agent came that far; raw lines or events alone.
fn thread_of(transcript: &Path) -> Option<String> {
    let lines = BufReader::new(fs::File::open(transcript).ok()?).lines().take(200).map_while(Result::ok);
    lines.filter_map(|line| serde_json::from_str::<Value>(&line).ok()).find_map(|wrapped| {
        if let Some(thread_id) = wrapped.pointer("/event/thread_id").and_then(Value::as_str) {
            return Some(thread_id.to_owned());
        }
        match mi_formats::codex::read_line(wrapped.get("line")?.as_str()?) {
            mi_formats::AgentEvent::ThreadStarted { thread_id } => Some(thread_id),
            _ => None,
        }
    })
}

fn print_line(line: Option<Vec<u8>>) {
    if let Some(line) = line {
        // A reader that went away does not stop the run; the journal has everything.
        drop(io::stdout().lock().write_all(&line));
    }
}

fn drive_failure(error: &DriveError) -> Failure {
    match error {
        DriveError::Lock(mi_journal::RunLockError::Held(_)) => Failure::needs_person(error.to_string()),
        _ => Failure::of(error),
    }
}
