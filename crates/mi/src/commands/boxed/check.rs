//! `mi box check`: the project's own checks, run by `mi` itself in the box; what passes is verified, for this very tree.

use mi_autopilot::{Snapshot, Verification};
use mi_box::{Engine, Input, Outlet, Patience};
use mi_loop::{
    checks::{CheckVerdict, Scope, recognise},
    facts::CommandFact,
    project::ProjectProfile,
};
use mi_model::{ProofLevel, shell_word};
use mi_process::Deadline;
use serde_json::json;
use std::{
    os::fd::{AsFd, BorrowedFd},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use super::{
    exec,
    plan::{NoPlan, Plan, plan},
};
use crate::{
    app::App,
    args::{CheckArgs, ExecArgs},
    commands::{admission::denial_line, launch},
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

/// What is kept of a check's output: its end tells how it went.
const TAIL_BYTES: usize = 256 << 10;
const TASK: &str = "MI-CHECK-001";

/// What a check in the box showed.
pub struct Checked {
    pub command: String,
    pub tree: String,
    /// The engine `none` runs nothing.
    pub was_run: bool,
    /// A person ended it before it was over.
    pub was_stopped: bool,
    pub level: ProofLevel,
    pub why: String,
    pub exit: i32,
    pub manifest: Option<PathBuf>,
    pub denials: Vec<mi_admission::Denial>,
}

impl Checked {
    /// What it means for a run that would be done.
    pub fn verification(self) -> Verification {
        let said = format!("`{}` {}", self.command, self.why);
        match self.level {
            ProofLevel::Verified => Verification::Passed(format!("{said}, tree {}", self.tree)),
            _ if !self.was_run => Verification::Impossible(said),
            _ if self.denials.is_empty() => Verification::Failed(said),
            _ => Verification::Impossible(said),
        }
    }
}

pub fn run(app: &App, args: &CheckArgs) -> Outcome {
    let root = app.project()?.root;
    let wake = launch::wake_on_signals()?;
    let checked = check(app, &root, args, wake.as_fd()).map_err(exec::failure)?;
    let level = json!(checked.level);
    if app.common.json {
        app.print_json(&json!({
            "event": "check.finished", "ts": app.clock.now(), "command": checked.command, "tree": checked.tree,
            "proof": level, "reason": checked.why, "exit": checked.exit, "manifest": checked.manifest,
            "denials": checked.denials,
        }))?;
    } else {
        let word = level.as_str().unwrap_or_default();
        app.print(&format!("{word}: `{}` {}\ntree {}", checked.command, checked.why, checked.tree))?;
    }
    Ok(match checked.level {
        ProofLevel::Verified => ExitReason::Done,
        _ if !checked.denials.is_empty() => ExitReason::Denied,
        _ if checked.was_stopped => ExitReason::Interrupted,
        _ => ExitReason::Failed,
    })
}

/// Runs one check on the tree as it is.
pub fn check(app: &App, root: &Path, args: &CheckArgs, wake: BorrowedFd<'_>) -> Result<Checked, NoPlan> {
    let mut observatory = launch::observatory(app, root)?;
    let snapshot = observatory.snapshot();
    let profile = observatory.profile(&snapshot, &[]);
    let command = command(args, &profile)?;
    let mut plan = plan_of(app, args, &command)?;
    plan.input = Input::Chosen { root: root.to_owned(), paths: paths(&snapshot) };
    plan.verdict().map_err(|denials| NoPlan::Denied(denials.to_vec()))?;
    exec::sweep(app, &plan, Patience::None);
    let run_id = exec::new_run(app);
    let output = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&output);
    let mut outlet = Outlet::new(move |_, bytes| {
        let mut tail = kept.lock().unwrap_or_else(PoisonError::into_inner);
        tail.extend_from_slice(bytes);
        let over = tail.len().saturating_sub(TAIL_BYTES);
        tail.drain(..over);
    });
    let deadline = Deadline::after(Duration::from_secs(plan.spec.limits.job_seconds));
    let (finished, _slots) = exec::through(app, &plan, &run_id, deadline, Some(wake), &mut outlet, &|| {});
    let finished = exec::record(app, &run_id, &plan, finished);
    let text = String::from_utf8_lossy(&output.lock().unwrap_or_else(PoisonError::into_inner)).into_owned();
    let fact = CommandFact {
        order: 0,
        command: command.clone(),
        exit_code: Some(finished.exit),
        finished: true,
        output: text.clone(),
        tree: Some(snapshot.digest.clone()),
    };
    let unchanged = observatory.snapshot().digest == snapshot.digest;
    let was_run = !matches!(plan.engine, Engine::Nothing);
    let was_stopped = exec::is_stopped(wake);
    let obstacle = if !finished.denials.is_empty() {
        let denials: Vec<String> = finished.denials.iter().map(denial_line).collect();
        Some(format!("was denied: {}", denials.join("; ")))
    } else if !was_run {
        // Its exit code is nobody's (X20).
        Some("was not run: the engine is `none`".to_owned())
    } else if was_stopped {
        Some("was interrupted".to_owned())
    } else if !unchanged {
        Some("proves nothing: the tree changed while it was checked".to_owned())
    } else {
        None
    };
    let (level, why) = match obstacle {
        Some(why) => (ProofLevel::Absent, why),
        None => verdict(&fact, &profile),
    };
    let why = if level == ProofLevel::Verified {
        why
    } else {
        format!("{why}\n{}", mi_model::shorten(text.trim(), 2000)).trim_end().to_owned()
    };
    let (exit, manifest, denials) = (finished.exit, finished.manifest, finished.denials);
    Ok(Checked { command, tree: snapshot.digest, was_run, was_stopped, level, why, exit, manifest, denials })
}

fn command(args: &CheckArgs, profile: &ProjectProfile) -> Result<String, Failure> {
    match &args.command[..] {
        [] => {}
        // One word is a line as a person would type it.
        [line] => return Ok(line.clone()),
        // `sh -c 'exit 1'` must not become `sh -c exit 1`, which passes.
        words => return Ok(words.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" ")),
    }
    profile.main_check().map(|check| check.command.clone()).ok_or_else(|| {
        Failure::needs_person("this project names no check").todo("give one: mi box check -- CMD…")
    })
}

/// The tree is copied to where it may be written; the check runs there, as a person would run it.
fn plan_of(app: &App, args: &CheckArgs, command: &str) -> Result<Plan, NoPlan> {
    let script = format!("cp -a /workspace/input/. /workspace/data/ && cd /workspace/data && {command}");
    let exec = ExecArgs {
        engine: args.engine,
        image: args.image.clone(),
        task_id: Some(TASK.to_owned()),
        command: vec!["/bin/sh".to_owned(), "-c".to_owned(), script],
        ..ExecArgs::default()
    };
    plan(app, &exec)
}

fn paths(snapshot: &Snapshot) -> Vec<String> {
    snapshot.files.iter().map(|(path, _)| path.clone()).collect()
}

/// What a check that was run on an unchanged tree shows.
fn verdict(fact: &CommandFact, profile: &ProjectProfile) -> (ProofLevel, String) {
    let exit = fact.exit_code.unwrap_or(-1);
    match recognise(fact, profile) {
        Some(run) => match (run.verdict.clone(), &run.scope) {
            (CheckVerdict::Passed, Scope::Whole) => {
                let counts = run.counts();
                (
                    ProofLevel::Verified,
                    format!("passed in the box (exit code {exit}) {counts}").trim_end().to_owned(),
                )
            }
            (CheckVerdict::Passed, Scope::Subset { why, .. }) => {
                (ProofLevel::Absent, format!("passed, but is only a part: {why}"))
            }
            (CheckVerdict::Failed { why }, _) => (ProofLevel::Absent, format!("failed: {why}")),
            (CheckVerdict::NoProof { why }, _) => (ProofLevel::Absent, format!("proves nothing: {why}")),
        },
        None if exit == 0 => (ProofLevel::Verified, "ended with exit code 0 in the box".to_owned()),
        None => (ProofLevel::Absent, format!("failed with exit code {exit}")),
    }
}
