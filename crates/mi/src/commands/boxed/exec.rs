//! `mi box exec`: admits, runs, collects, seals; prints as it goes, and always ends with how it ended.

use mi_admission::Denial;
use mi_box::{Finished, Input, InputFile, Live, Order, Outlet, Patience, Stream, Workload, execute};
use mi_model::RunId;
use mi_process::{Deadline, Pause, pause};
use mi_supply::manifest::Output;
use serde_json::{Map, Value, json};
use std::{
    cell::{Cell, OnceCell},
    io::{self, Write},
    os::fd::{AsFd, BorrowedFd},
    path::Path,
    thread,
    time::Duration,
};

use super::{
    encrypt,
    plan::{NoPlan, Plan, plan},
};
use crate::{
    app::App,
    args::ExecArgs,
    commands::{
        admission::denial_line,
        launch,
        pulse::{Claimed, Pulse, Workspace},
    },
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

pub fn run(app: &App, args: &ExecArgs) -> Outcome {
    let plan = match plan(app, args) {
        Ok(plan) => plan,
        Err(NoPlan::Failed(failure)) => return Err(failure),
        Err(NoPlan::Denied(denials)) => return end(app, None, &Finished::denied(denials)),
    };
    let may_come = sweep(app, &plan, Patience::None);
    let wake = launch::wake_on_signals()?;
    let deadline = Deadline::after(Duration::from_secs(plan.spec.limits.job_seconds));
    let run_id = new_run(app);
    let pulse = OnceCell::new();
    let once = |run_id: &str| {
        let begun = || {
            pulse.get_or_init(|| Pulse::start(app, claimed(&plan)));
        };
        once(app, &plan, run_id, deadline, wake.as_fd(), &begun)
    };
    let keep = |run_id: &str, finished| {
        record(app, run_id, &plan, encrypt::manifest(&plan.home, &plan.age_recipients, finished))
    };
    let (mut finished, mut slots) = once(&run_id);
    // Who is stopped by a person has proven nothing.
    let is_stopped = || is_stopped(wake.as_fd());
    if args.prove && finished.denials.is_empty() && !is_stopped() {
        drop(slots);
        let second = format!("{run_id}-again");
        let (mut again, its_slots) = once(&second);
        slots = its_slots;
        if is_stopped() {
            finished.exit = ExitReason::Interrupted.code().into();
        } else {
            prove(app, &plan, &mut finished, &mut again);
        }
        deny(&mut finished, keep(&second, again).denials);
    }
    drop(pulse);
    let finished = thread::scope(|scope| {
        scope.spawn(|| drop(slots));
        keep(&run_id, finished)
    });
    let outcome = end(app, plan.verdict().is_ok().then_some(&run_id), &finished);
    if may_come {
        sweep(app, &plan, Patience::Short);
    }
    // The process ends here; to take the policies apart first takes time that somebody waits for.
    std::mem::forget(plan);
    outcome
}

/// Whether a person asked for an end by a signal.
pub fn is_stopped(wake: BorrowedFd<'_>) -> bool {
    pause(Deadline::after(Duration::ZERO), Some(wake)).is_ok_and(|woken| woken == Pause::Woken)
}

/// What is claimed every beat while it runs (Rule T).
fn claimed(plan: &Plan) -> Claimed {
    let digest =
        |image: &String| image.split_once('@').map_or_else(|| image.clone(), |(_, digest)| digest.to_owned());
    Claimed {
        task_id: plan.spec.task_id.clone(),
        goal_ids: mi_model::goal_ids(&plan.spec.task_id),
        image_digest: plan.spec.image.as_ref().map(digest),
        workspace: match &plan.input {
            Input::Nothing => Workspace::Unknown,
            Input::Folder(folder) | Input::Chosen { root: folder, .. } => Workspace::Folder(folder.clone()),
            Input::Files(files) => Workspace::Known(hash_of(files)),
        },
    }
}

fn hash_of(files: &[InputFile]) -> String {
    let lines = files.iter().map(|file| format!("{} {}\n", mi_model::sha256_hex(&file.content), file.path));
    format!("sha256:{}", mi_model::sha256_hex(lines.collect::<String>().as_bytes()))
}

pub fn new_run(app: &App) -> String {
    RunId::generate(app.clock.now(), std::process::id()).as_str().replacen('r', "x", 1)
}

/// Takes away what dead runs left. What cannot be taken away is said. True if a container of one may still come: nobody
/// waits for that before their own command, and it stays on record until it was found or is out of the question.
pub fn sweep(app: &App, plan: &Plan, patience: Patience) -> bool {
    let all = plan.home.sweep(patience);
    let may_come = all.iter().any(|swept| swept.may_come);
    for swept in all.into_iter().filter(|swept| !swept.may_come) {
        match swept.left {
            Some(reason) => app.talk(&format!("mi: the run {} left something behind: {reason}", swept.run)),
            None => app.talk(&format!("mi: took away what the run {} left", swept.run)),
        }
    }
    may_come
}

/// One run of the plan, with its output printed live. Tells `begun` once it is admitted.
fn once(
    app: &App,
    plan: &Plan,
    run_id: &str,
    job_deadline: Deadline,
    wake: BorrowedFd<'_>,
    begun: &dyn Fn(),
) -> (Finished, Option<Live>) {
    let told = Cell::new(false);
    let begun = || {
        if app.common.json && !told.replace(true) {
            line(&json!({
                "event": "exec.started", "ts": app.clock.now(), "run": run_id, "engine": plan.engine.name(),
                "task_id": plan.spec.task_id, "image": plan.spec.image, "command": plan.spec.command,
            }));
        }
        begun();
    };
    let mut outlet = outlet(app, run_id);
    through(app, plan, run_id, job_deadline, Some(wake), &mut outlet, &begun)
}

/// One run of the plan, with its output given to `outlet`. Tells `begun`, perhaps twice, once it is admitted.
pub fn through(
    app: &App,
    plan: &Plan,
    run_id: &str,
    job_deadline: Deadline,
    wake: Option<BorrowedFd<'_>>,
    outlet: &mut Outlet,
    begun: &dyn Fn(),
) -> (Finished, Option<Live>) {
    let verdict = || plan.verdict().inspect(|_| begun());
    let now = || app.clock.now();
    let order = Order {
        run_id: run_id.to_owned(),
        work: Workload {
            spec: &plan.spec,
            slots: plan.slots,
            toolchains: &plan.toolchains,
            advisories: plan.advisories.as_deref(),
            job_deadline,
            wake,
        },
        verdict: &verdict,
        exceptions: &plan.rules.exceptions,
        engine: &plan.engine,
        input: &plan.input,
        policy_hash: plan.rules.policies.hash(),
        now: &now,
    };
    execute(&plan.home, &order, outlet)
}

/// To people the bytes as they are; to programs events of text, cut between characters.
fn outlet(app: &App, run_id: &str) -> Outlet {
    if !app.common.json {
        return Outlet::new(|stream, bytes| {
            // A reader that went away does not stop the run.
            let _ = match stream {
                Stream::Stdout => {
                    io::stdout().lock().write_all(bytes).and_then(|()| io::stdout().lock().flush())
                }
                Stream::Stderr => io::stderr().lock().write_all(bytes),
            };
        });
    }
    let mut events = Events { run: run_id.to_owned(), cut: Default::default() };
    Outlet::new(move |stream, bytes| events.take(stream, bytes))
}

/// Output as events. What was cut off at the very end is said when it is dropped.
struct Events {
    run: String,
    /// The first bytes of a character whose rest is still to come, of both streams.
    cut: [Vec<u8>; 2],
}

impl Events {
    fn take(&mut self, stream: Stream, bytes: &[u8]) {
        let kept = &mut self.cut[usize::from(stream == Stream::Stderr)];
        kept.extend_from_slice(bytes);
        let whole = whole_characters(kept);
        self.say(stream, whole);
    }

    fn say(&mut self, stream: Stream, count: usize) {
        let kept = &mut self.cut[usize::from(stream == Stream::Stderr)];
        if count > 0 {
            let text = String::from_utf8_lossy(&kept[..count]).into_owned();
            kept.drain(..count);
            line(&json!({"event": "exec.output", "run": self.run, "stream": stream.as_str(), "text": text}));
        }
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        for stream in [Stream::Stdout, Stream::Stderr] {
            self.say(stream, self.cut[usize::from(stream == Stream::Stderr)].len());
        }
    }
}

/// How many bytes end before a character that is not there whole. What is no character at all counts as there.
fn whole_characters(bytes: &[u8]) -> usize {
    let from = bytes.len().saturating_sub(3);
    for at in (from..bytes.len()).rev() {
        let wanted = match bytes[at] {
            0xC0..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xF7 => 4,
            0x80..=0xBF => continue,
            _ => 1,
        };
        return if bytes.len() - at < wanted { at } else { bytes.len() };
    }
    bytes.len()
}

pub fn line(value: &Value) {
    let mut bytes = value.to_string().into_bytes();
    bytes.push(b'\n');
    let _ = io::stdout().lock().write_all(&bytes);
}

/// Compares the outputs of two runs (Rule 1): the same names and hashes, or what differs. Then neither is complete, and
/// the manifests of both say so.
fn prove(app: &App, plan: &Plan, first: &mut Finished, again: &mut Finished) {
    let sbom = mi_box::sbom_name(&plan.spec);
    let differences = differences(first, again, sbom.as_deref());
    if app.common.json {
        let proven = differences.is_empty();
        line(&json!({"event": "exec.proved", "reproducible": proven, "differences": differences}));
    } else if differences.is_empty() {
        app.talk("mi: reproducible: both runs gave the same outputs");
    }
    let denials: Vec<Denial> =
        differences.iter().map(|difference| Denial::new("X.reproducible", "output", difference)).collect();
    for finished in [first, again] {
        deny(finished, denials.clone());
        let folder = finished.manifest.as_deref().and_then(Path::parent).filter(|_| !denials.is_empty());
        if let Some(Err(error)) = folder.map(|folder| mi_box::deny(&plan.home, folder, &denials)) {
            let reason = format!("seal the run anew: {error}");
            deny(finished, vec![Denial::new("W.output", "manifest", reason)]);
        }
    }
}

/// Adds what is not said yet.
fn deny(finished: &mut Finished, denials: Vec<Denial>) {
    for denial in denials {
        finished.exit = ExitReason::Denied.code().into();
        if !finished.denials.contains(&denial) {
            finished.denials.push(denial);
        }
    }
}

/// What differs. The SBOM, which `mi` adds to the first run of an image, is no output of the command.
fn differences(first: &Finished, again: &Finished, sbom: Option<&str>) -> Vec<String> {
    let of_command = |finished: &Finished| -> Vec<Output> {
        finished.outputs.iter().filter(|output| Some(output.path.as_str()) != sbom).cloned().collect()
    };
    let (outputs, others) = (of_command(first), of_command(again));
    let mut found = Vec::new();
    if first.exit != again.exit {
        found.push(format!("the exit code was {} and then {}", first.exit, again.exit));
    }
    for output in &outputs {
        match others.iter().find(|other| other.path == output.path) {
            None => found.push(format!("output/{} came out only once", output.path)),
            Some(other) if other.sha256 != output.sha256 => {
                found.push(format!(
                    "output/{} differs: {} and {} bytes",
                    output.path, output.bytes, other.bytes
                ));
            }
            Some(other) if other.executable != output.executable => {
                found.push(format!("output/{} was executable only once", output.path));
            }
            Some(_) => {}
        }
    }
    let only_again = others.iter().filter(|output| !outputs.iter().any(|known| known.path == output.path));
    found.extend(only_again.map(|output| format!("output/{} came out only the second time", output.path)));
    found.extend(again.denials.iter().map(denial_line));
    found
}

/// The summary on the timeline, with every exception that was used (F.5, X20); then waits until it and the sealed run
/// are on the disk. A run that cannot be kept is not complete.
pub fn record(app: &App, run_id: &str, plan: &Plan, finished: Finished) -> Finished {
    let Some(manifest) = finished.manifest.clone() else { return finished };
    let bytes = std::fs::read(&manifest).unwrap_or_default();
    let summary =
        mi_supply::manifest::RunManifest::read(&bytes).map(|manifest| manifest.summary()).unwrap_or_default();
    let mut fields = Map::new();
    fields.insert("run".to_owned(), json!(run_id));
    fields.insert("project".to_owned(), super::decisions::folder_of(app));
    fields.insert(
        "ucxl".to_owned(),
        json!(format!("ucxl://mi:box@local:{}/#/box/runs/{run_id}", plan.spec.task_id)),
    );
    let title = format!("Run {run_id} of {}", plan.spec.task_id);
    let decision =
        json!({"id": format!("DR-{run_id}"), "kind": "attestation", "title": title, "text": summary});
    fields.insert("dr".to_owned(), decision);
    fields.insert("summary".to_owned(), json!(summary));
    fields.insert("manifest_sha256".to_owned(), json!(mi_model::sha256_hex(&bytes)));
    fields.insert("denials".to_owned(), json!(finished.denials));
    fields.insert("exceptions".to_owned(), json!(finished.waived));
    let timeline = mi_journal::Layout::new(&app.home).timeline();
    let written = timeline
        .open()
        .and_then(|mut log| log.append_values_soon(app.clock.now(), &[("box_run", fields)]))
        .map_err(|error| error.to_string());
    let folder = manifest.parent().unwrap_or(&manifest);
    let kept = written
        .and_then(|_| mi_box::make_durable(folder, &[timeline.log]).map_err(|error| error.to_string()));
    match kept {
        Ok(()) => finished,
        Err(reason) => {
            let mut denials = finished.denials;
            denials.push(Denial::new("W.output", "manifest", format!("keep the run on the disk: {reason}")));
            Finished { exit: ExitReason::Denied.code().into(), denials, ..finished }
        }
    }
}

/// The last word, whatever happened (X15).
pub fn end(app: &App, run_id: Option<&str>, finished: &Finished) -> Outcome {
    if app.common.json {
        line(&json!({
            "event": "exec.finished", "ts": app.clock.now(), "run": run_id, "exit": finished.exit,
            "manifest": finished.manifest, "denials": finished.denials, "outputs": finished.outputs,
        }));
    } else {
        for denial in &finished.denials {
            app.talk(&format!("mi: denied: {}", denial_line(denial)));
        }
        if let Some(manifest) = &finished.manifest {
            app.talk(&format!("mi: {} outputs; manifest {}", finished.outputs.len(), manifest.display()));
        }
    }
    Ok(u8::try_from(finished.exit).map_or(ExitReason::Failed, ExitReason::PassedOn))
}

/// A plan that is not there, for commands that have no event of their own.
pub fn failure(no_plan: NoPlan) -> Failure {
    match no_plan {
        NoPlan::Failed(failure) => failure,
        NoPlan::Denied(denials) => {
            let lines: Vec<String> = denials.iter().map(denial_line).collect();
            Failure::denied(format!("denied: {}", lines.join("; ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pieces are cut between characters; bytes that are no text do not hold anything back.
    #[test]
    fn x_08_events_are_cut_between_characters() {
        for (bytes, whole) in [
            (&b"abc"[..], 3),
            ("aé".as_bytes(), 3),
            (&"aé".as_bytes()[..2], 1),
            (&"€".as_bytes()[..2], 0),
            (&"🦀".as_bytes()[..3], 0),
            (b"a\xFF", 2),
            (b"\x80\x80\x80\x80", 4),
            (b"", 0),
        ] {
            assert_eq!(whole_characters(bytes), whole, "{bytes:?}");
        }
    }
}
