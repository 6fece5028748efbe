//! `mi prove`: which hunks of a change a check notices.

use mi_autopilot::Project;
use mi_config::{ProveEngine, Settings, parse_duration};
use mi_model::{ProveReport, ProveStatus, ProvenHunk, RunLimits, ShownStrength};
use mi_process::{Spawner, find_program};
use mi_prove::{
    BaseTree, CheckShell, HeadTree, ProveError, ProveOrder, Repository, SandboxEngine, SavedStart,
    find_sandbox, prove_change, sweep_scratch,
};
use serde_json::json;
use std::{
    ffi::OsStr,
    io::{self, IsTerminal},
    os::fd::AsFd,
    path::Path,
    time::Duration,
};

use super::launch;
use crate::{
    app::App,
    args::ProveArgs,
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

/// At most this many hunks are listed one by one for a person.
const HUNKS_SHOWN: usize = 40;
/// A line about a hunk is cut at this width, or at that of a narrower terminal.
const MOST_WIDTH: usize = 100;

pub fn run(app: &App, args: &ProveArgs) -> Outcome {
    let project = app.project()?;
    let settings = app.settings(&project.root, &[])?;
    let spawner = launch::spawner()?;
    let (base, note) = base_tree(&project, &spawner, args)?;
    if let Some(note) = note {
        app.talk(&format!("mi: {note}"));
    }
    let head = head_tree(&project, &spawner, args)?;
    let checks = checks(app, &project, args)?;
    let wake = launch::wake_on_signals()?;
    let order = ProveOrder {
        root: &project.root,
        base,
        head,
        checks,
        printing: Vec::new(),
        engine: engine(app, &settings, args)?,
        shell: CheckShell::Plain,
        limits: limits(&settings, args)?,
        budget: args
            .budget
            .as_deref()
            .map_or(Ok(settings.proof.budget), |text| duration("--budget", text))?,
        spawner: &spawner,
        scratch: project.layout.scratch(),
        cache: project.files.check_outcomes(),
        excluded: vec![app.home.clone()],
        home: app.variable("HOME").map(Path::new),
        search_path: app.variable("PATH").unwrap_or_default(),
        wake: Some(wake.as_fd()),
    };
    let is_talkative = io::stderr().is_terminal() && !app.common.json;
    let report = prove_change(&order, &mut |progress| {
        if is_talkative {
            app.talk(&format!("  {progress}"));
        }
    });
    let mut report = report.or_else(|error| unusable(&error))?;
    if let Some(task) = &args.task {
        let task = std::fs::read_to_string(task).unwrap_or_else(|_| task.clone());
        report.criteria = mi_loop::proof::prove_by_report(&task, &report);
    }
    if app.common.json {
        app.print_json(&to_json(&report))?;
    } else {
        app.print(&to_text(app, &report))?;
    }
    Ok(exit(&report))
}

/// Removes what killed processes left in the home: scratch copies, and containers that still run.
pub fn sweep_left_copies(app: &App) {
    let Some(home) = app.own_home() else { return };
    let scratch = mi_journal::Layout::new(home).scratch();
    if scratch.is_dir()
        && let Ok(spawner) = launch::spawner()
    {
        sweep_scratch(&spawner, &scratch);
    }
}

/// Open criteria of a task count like an unshown hunk.
fn exit(report: &ProveReport) -> ExitReason {
    let is_open = |proof: &mi_model::Proof| !proof.is_shown();
    match report.status {
        ProveStatus::Shown | ProveStatus::NothingToShow => {
            ExitReason::failed_if(report.criteria.iter().any(is_open))
        }
        ProveStatus::Unshown | ProveStatus::Red => ExitReason::Failed,
        ProveStatus::Unknown => ExitReason::NeedsYou,
    }
}

fn base_tree(
    project: &Project,
    spawner: &Spawner,
    args: &ProveArgs,
) -> Result<(BaseTree, Option<String>), Failure> {
    let repository = Repository::open(spawner, &project.root);
    let fail = |error: mi_prove::GitError| {
        Failure::usage(error.to_string()).todo("name a commit of this repository with --base")
    };
    if let Some(revision) = &args.base {
        let repository = repository.ok_or_else(no_repository)?;
        let commit = repository.resolve(revision).map_err(fail)?;
        if args.head.is_some() {
            return Ok((BaseTree::Commit(commit), None));
        }
        let shared = repository.merge_base(&commit).map_err(fail)?;
        let note = (shared != commit).then(|| {
            format!(
                "{revision} is not an ancestor of HEAD; compared with their merge base {}",
                &shared[..12.min(shared.len())]
            )
        });
        return Ok((BaseTree::Commit(shared), note));
    }
    if args.head.is_none()
        && let Ok(Some(run)) = mi_autopilot::newest_run(&project.files.evidence().log)
        && let Ok(start) = SavedStart::load(&project.files.starts().join(run.as_str()))
    {
        return Ok((BaseTree::Start(start), None));
    }
    let repository = repository.ok_or_else(no_repository)?;
    let commit = repository.fork_point().ok_or_else(|| {
        Failure::usage("there is no branch main or master to compare with")
            .todo("name the base: mi prove --base REV")
    })?;
    Ok((BaseTree::Commit(commit), None))
}

fn no_repository() -> Failure {
    Failure::usage("the project is not in a git repository, and no run began here")
        .todo("run `git init` and commit, or let `mi run` do the work")
}

fn head_tree(project: &Project, spawner: &Spawner, args: &ProveArgs) -> Result<HeadTree, Failure> {
    let Some(revision) = &args.head else { return Ok(HeadTree::WorkingTree) };
    let repository = Repository::open(spawner, &project.root).ok_or_else(no_repository)?;
    let commit = repository.resolve(revision).map_err(|error| Failure::usage(error.to_string()))?;
    Ok(HeadTree::Commit(commit))
}

fn checks(app: &App, project: &Project, args: &ProveArgs) -> Result<Vec<String>, Failure> {
    if !args.check.is_empty() {
        return Ok(args.check.clone());
    }
    let mut observatory = launch::observatory(app, &project.root)?;
    let snapshot = observatory.snapshot();
    let profile = observatory.profile(&snapshot, &[]);
    Ok(profile.main_check().map(|check| check.command.clone()).into_iter().collect())
}

/// Where checks run. Outside of a sandbox only if the person said so.
pub fn engine(app: &App, settings: &Settings, args: &ProveArgs) -> Result<SandboxEngine, Failure> {
    let search_path = app.variable("PATH").unwrap_or_default();
    match args.engine.unwrap_or(settings.proof.engine) {
        ProveEngine::Host => Ok(SandboxEngine::Host),
        ProveEngine::Auto | ProveEngine::Bwrap => find_sandbox(search_path).ok_or_else(|| {
            Failure::needs_person("bubblewrap is not installed, so no check can run in a sandbox")
                .todo("install bubblewrap, or run checks on this machine itself: mi prove --engine host")
        }),
        ProveEngine::Container => {
            let image = args.image.as_ref().map(|image| image.to_string_lossy().into_owned());
            let image =
                image.or_else(|| settings.r#box.image("base").map(str::to_owned)).ok_or_else(|| {
                    Failure::needs_person("no image is set for --engine container")
                        .todo("set box.images.base, or give --image NAME")
                })?;
            let program = ["podman", "docker"]
                .iter()
                .find_map(|name| find_program(OsStr::new(name), OsStr::new(search_path)))
                .ok_or_else(|| Failure::needs_person("neither podman nor docker is installed"))?;
            Ok(SandboxEngine::Container { program, image })
        }
    }
}

/// The limits of one run of a check: settings, and flags above them.
pub fn limits(settings: &Settings, args: &ProveArgs) -> Result<RunLimits, Failure> {
    let set = settings.r#box.limits;
    let time = args.time.as_deref().map_or(Ok(set.time), |text| duration("--time", text))?;
    let memory_bytes = args.memory.as_deref().map_or(Ok(set.memory_bytes), size)?;
    let cpus = args.cpus.or(set.cpus.map(std::num::NonZeroU64::get)).unwrap_or(0);
    Ok(RunLimits {
        pids: args.pids.unwrap_or(set.pids),
        memory_bytes,
        cpus: cpus as f64,
        nofile: 0,
        step_seconds: time.as_secs().max(1),
        job_seconds: time.as_secs().max(1),
    })
}

fn duration(flag: &str, text: &str) -> Result<Duration, Failure> {
    parse_duration(text).map_err(|error| Failure::usage(format!("{flag} {text}: {error}")))
}

/// `4G`, `512M`, `64K` or a number of bytes.
fn size(text: &str) -> Result<u64, Failure> {
    let lower = text.to_ascii_lowercase();
    let lower = lower.trim_end_matches("ib").trim_end_matches('b');
    let (digits, shift) = match lower.as_bytes().last() {
        Some(b'g') => (&lower[..lower.len() - 1], 30),
        Some(b'm') => (&lower[..lower.len() - 1], 20),
        Some(b'k') => (&lower[..lower.len() - 1], 10),
        _ => (lower, 0),
    };
    let number =
        digits.parse::<u64>().ok().and_then(|number| number.checked_mul(1 << shift)).filter(|size| *size > 0);
    number.ok_or_else(|| Failure::usage(format!("--memory {text} is not a size such as 512M or 4G")))
}

/// What stood in the way of an answer: unknown, unless it is a mistake of the caller or the person stopped it.
fn unusable(error: &ProveError) -> Result<ProveReport, Failure> {
    match error {
        ProveError::Interrupted => Err(Failure::new("stopped").ending(ExitReason::Interrupted)),
        ProveError::NoRepository => Err(no_repository()),
        ProveError::Git(_) => Err(Failure::of(error)),
        ProveError::Container { .. } => Err(Failure::of(error)
            .ending(ExitReason::NeedsYou)
            .todo("see that `podman run` or `docker run` works with this image")),
        ProveError::Sandbox { .. } => Err(Failure::of(error)
            .ending(ExitReason::NeedsYou)
            .todo("run checks on this machine itself: mi prove --engine host")),
        ProveError::ReadStart { .. }
        | ProveError::Copy { .. }
        | ProveError::Start { .. }
        | ProveError::Output { .. } => Err(Failure::of(error).ending(ExitReason::NeedsYou)),
    }
}

fn to_json(report: &ProveReport) -> serde_json::Value {
    json!({
        "status": report.status.as_str(), "checks": report.checks, "hunks": report.hunks,
        "broken_before": report.broken_before, "flaky": report.flaky, "criteria": report.criteria, "left": report.left,
        "new_tests": report.new_tests, "base": report.base, "runs": report.runs, "elapsed_ms": report.elapsed_ms,
    })
}

fn to_text(app: &App, report: &ProveReport) -> String {
    let mut lines = vec![headline(report)];
    for check in &report.checks {
        lines.push(format!("  `{}`", check.command));
        let back =
            check.taken_back.as_ref().map(|summary| format!("; without the work: {}", counts(summary)));
        lines.push(format!("    {}{}", counts(&check.head), back.unwrap_or_default()));
    }
    let work: Vec<&ProvenHunk> = report.hunks.iter().filter(|hunk| !hunk.is_test).collect();
    let mut file = "";
    for hunk in work.iter().take(HUNKS_SHOWN) {
        if hunk.file != file {
            lines.push(format!("  {}", hunk.file));
            file = &hunk.file;
        }
        lines.push(hunk_line(app, hunk));
    }
    if work.len() > HUNKS_SHOWN {
        lines.push(format!("  … and {} more; --json lists all", work.len() - HUNKS_SHOWN));
    }
    for test in &report.broken_before {
        lines.push(format!("  failed before this change too: {test}"));
    }
    for test in &report.flaky {
        lines.push(format!("  flaky, shows nothing: {test}"));
    }
    if report.status == ProveStatus::NothingToShow && !report.new_tests.is_empty() {
        lines.extend(new_test_lines(report));
    }
    for proof in &report.criteria {
        let bearing = proof.bearing.map_or("nothing bears on it", mi_model::Bearing::as_str);
        lines.push(format!("  {:<9} {} ({bearing})", proof.level.as_str(), proof.criterion));
    }
    for left in &report.left {
        lines.push(format!("  {left}"));
    }
    if report.status == ProveStatus::Unshown {
        lines.push("  A test that fails without these lines would show them.".to_owned());
    }
    let runs = if report.runs == 1 { "run" } else { "runs" };
    let time = report.elapsed_ms as f64 / 1000.0;
    lines.push(app.look.faint(&format!("{} {runs} of a check, {time:.1} s", report.runs)));
    lines.join("\n")
}

fn counts(summary: &mi_model::CheckRunSummary) -> String {
    match (summary.passed, summary.failed, summary.exit) {
        (Some(passed), Some(failed), _) if failed > 0 => format!("{passed} passed, {failed} failed"),
        (Some(passed), _, _) => format!("{passed} passed"),
        (None, _, Some(exit)) => format!("exit {exit}"),
        (None, _, None) => "no result".to_owned(),
    }
}

fn new_test_lines(report: &ProveReport) -> Vec<String> {
    let idle: Vec<&str> =
        report.new_tests.iter().filter(|test| !test.asserts).map(|test| test.name.as_str()).collect();
    let count = report.new_tests.len();
    let mut lines =
        vec![format!("  {count} {} in this change ran", if count == 1 { "test" } else { "tests" })];
    if !idle.is_empty() {
        lines.push(format!("  these assert nothing that could fail: {}", idle.join(", ")));
    }
    lines
}

fn headline(report: &ProveReport) -> String {
    let needed: Vec<&ProvenHunk> = report.hunks.iter().filter(|hunk| hunk.needs_showing()).collect();
    let shown = needed.iter().filter(|hunk| hunk.is_shown()).count();
    match report.status {
        ProveStatus::Shown => {
            format!("shown: a check notices {shown} of {} hunks of behaviour", needed.len())
        }
        ProveStatus::Unshown => {
            format!("unshown: a check notices {shown} of {} hunks of behaviour", needed.len())
        }
        ProveStatus::Red => "red: a check fails on this change".to_owned(),
        ProveStatus::Unknown => "unknown: it cannot be told whether a check shows this change".to_owned(),
        ProveStatus::NothingToShow if report.hunks.is_empty() => {
            "nothing to show: nothing changed".to_owned()
        }
        ProveStatus::NothingToShow => "nothing to show: no hunk changes what the program does".to_owned(),
    }
}

/// `    shown    15-19  by tests::halves`, within the width of the terminal.
fn hunk_line(app: &App, hunk: &ProvenHunk) -> String {
    let by = match hunk.shown_by.as_slice() {
        [] => String::new(),
        [test] => format!("by {test}"),
        [first, rest @ ..] => format!("by {first} and {} more", rest.len()),
    };
    let (mark, about) = match (hunk.strength, hunk.is_shown()) {
        (ShownStrength::Strong, _) => ("shown", by),
        (ShownStrength::Weak, true) => ("weak", "the tests do not build or load without it".to_owned()),
        (ShownStrength::Weak, false) => ("name", "needed by name; no test asserts what it does".to_owned()),
        (ShownStrength::None, _) if hunk.needs_showing() => ("UNSHOWN", first_line(hunk)),
        (ShownStrength::None, _) => ("-", hunk.kind.as_str().to_owned()),
    };
    let group = hunk.group.map(|group| format!("(group {group}) ")).unwrap_or_default();
    let lines = match hunk.lines.rsplit_once('-') {
        Some((first, last)) if first.trim_start_matches('-') == last => first,
        _ => &hunk.lines,
    };
    let start = format!("    {mark:<7}  {lines:<9}  ");
    let room = app.look.width.min(MOST_WIDTH).saturating_sub(start.len()).max(20);
    let rest = mi_model::shorten(format!("{group}{about}").trim(), room);
    format!("{start}{}", app.look.faint(&rest)).trim_end().to_owned()
}

/// The first line of a hunk that says something.
fn first_line(hunk: &ProvenHunk) -> String {
    let text = if hunk.added.trim().is_empty() { &hunk.removed } else { &hunk.added };
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let sign = if hunk.added.trim().is_empty() { "- " } else { "" };
    format!("{sign}{line}")
}
