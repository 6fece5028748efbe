//! `mi status`, and bare `mi`: what runs, what waits, what to type next.

use mi_autopilot::Project;
use mi_journal::{LogReader, RunHolder};
use mi_model::{ProjectId, RunStatus};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

use super::{inbox, journal};
use crate::{
    app::App,
    failure::{Failure, Outcome},
};

/// How far back the newest run is looked for.
const LOOK_BACK: usize = 4000;

pub fn run(app: &App) -> Outcome {
    let project = app.project()?;
    drop(journal::open(app, &project)?);
    let status = Status::read(app, &project)?;
    if app.common.json { app.print_json(&status.as_json()) } else { app.print(&status.text(app)) }
}

struct Status {
    project: String,
    has_values: bool,
    running: Option<RunHolder>,
    last: Option<LastRun>,
    waiting: Option<inbox::Waiting>,
    /// Where nothing ran here: the nearest folder above in which something did.
    above: Option<PathBuf>,
}

struct LastRun {
    run_id: String,
    task: String,
    status: Option<RunStatus>,
    finished: Option<Value>,
}

impl Status {
    fn read(app: &App, project: &Project) -> Result<Self, Failure> {
        let fail = |error: mi_journal::FileError| Failure::of(&error);
        // A file that is refused is told; status reads on.
        let (mind, repair) = project.layout.base().load_or_default().unwrap_or_else(|error| {
            app.talk(&Failure::of(&error).to_string());
            Default::default()
        });
        if let Some(repair) = repair {
            app.talk(&format!("mi: {repair}"));
        }
        for problem in app.look_at_settings(&project.root, &[]).problems {
            if problem.severity() == mi_config::Severity::Error {
                app.talk(&format!("mi: {problem}"));
            }
        }
        let last = last_run(project)?;
        let above = if last.is_none() { project_above(project) } else { None };
        Ok(Self {
            project: project.root.to_string_lossy().into_owned(),
            has_values: !mind.values_text.trim().is_empty(),
            running: project.holder().map_err(fail)?,
            last,
            above,
            waiting: inbox::of_project(&mi_journal::Layout::new(&app.home), &project.id)?.into_iter().next(),
        })
    }

    fn next(&self) -> String {
        match (&self.running, &self.waiting, &self.last) {
            (Some(_), _, _) => "mi log -f".to_owned(),
            (None, Some(_), _) => "mi answer 'TEXT'".to_owned(),
            (
                None,
                None,
                Some(LastRun { status: None | Some(RunStatus::Interrupted | RunStatus::Blocked), .. }),
            ) => "mi run --resume".to_owned(),
            (None, None, None) if self.above.is_some() => {
                let above = self.above.as_deref().unwrap_or(Path::new("..")).to_string_lossy();
                format!("mi --cd {} status", mi_model::shell_word(&above))
            }
            (None, None, _) if !self.has_values => "mi init --values 'how you decide'".to_owned(),
            (None, None, Some(LastRun { status: Some(RunStatus::Failed | RunStatus::NotDone), .. })) => {
                "mi why".to_owned()
            }
            (None, None, _) => "mi run 'TASK'".to_owned(),
        }
    }

    fn as_json(&self) -> Value {
        let last = self.last.as_ref();
        json!({
            "project": self.project,
            "values": self.has_values,
            "running": self.running.as_ref().map(|holder| json!({"pid": holder.pid, "run_id": holder.run_id, "since": holder.started})),
            "run_id": last.map(|run| &run.run_id),
            "task": last.map(|run| &run.task),
            "status": last.map(|run| run.status.map_or(if self.running.is_some() { "running" } else { "cut_off" }, RunStatus::as_str)),
            "last": last.and_then(|run| run.finished.clone()),
            "waiting": self.waiting.as_ref().map(inbox::as_json),
            "above": self.above,
            "next": self.next(),
        })
    }

    fn text(&self, app: &App) -> String {
        let look = &app.look;
        let mut lines = vec![format!("project  {}", self.project)];
        if !self.has_values {
            lines.push(look.warn("values   none yet: mi decides by its defaults"));
        }
        if let Some(holder) = &self.running {
            lines.push(format!(
                "running  run {} in process {} since {}",
                holder.run_id, holder.pid, holder.started
            ));
        }
        match &self.last {
            None => match &self.above {
                Some(above) => {
                    lines.push(format!("runs     none here; there are some in {}", above.display()))
                }
                None => lines.push("runs     none yet".to_owned()),
            },
            Some(run) => {
                let status = match run.status {
                    Some(RunStatus::Done) => look.good("done"),
                    Some(status) => look.warn(status.as_str()),
                    None if self.running.is_some() => look.strong("running"),
                    None => look.warn("cut off: the process ended without finishing"),
                };
                lines.push(format!("last     {status}  {}", look.one_line(&run.task, 24)));
                if let Some(reason) =
                    run.finished.as_ref().and_then(|record| record.get("reason")).and_then(Value::as_str)
                {
                    lines.push(format!("         {}", look.faint(&look.one_line(reason, 9))));
                }
            }
        }
        if let Some(waiting) = &self.waiting {
            lines.push(look.warn(&format!("waits    {}", look.one_line(&waiting.question, 9))));
        }
        lines.push(format!("next     {}", look.strong(&self.next())));
        lines.join("\n")
    }
}

/// The nearest folder above that has a journal: a person in a part of a repository may have meant the whole.
fn project_above(project: &Project) -> Option<PathBuf> {
    let has_runs = |folder: &&Path| {
        let id = ProjectId::of_root(&folder.to_string_lossy());
        project.layout.project(&id).evidence().log.exists()
    };
    project.root.ancestors().skip(1).find(has_runs).map(Path::to_owned)
}

/// The newest run, told from the end of the log. Of a long run only its last line and its edges are read closely.
fn last_run(project: &Project) -> Result<Option<LastRun>, Failure> {
    let fail = |error: mi_journal::FileError| Failure::of(&error);
    let reader = LogReader::open(&project.files.evidence().log).map_err(fail)?;
    let mut newest: Option<LastRun> = None;
    for line in reader.backwards().map_err(fail)?.take(LOOK_BACK) {
        let line = line.map_err(fail)?;
        if newest.is_some() && !line.mentions("run_started") && !line.mentions("run_finished") {
            continue;
        }
        let Some(frame) = line.frame() else { continue };
        let Some(run_id) = frame.run_id() else { continue };
        let run = newest.get_or_insert_with(|| LastRun {
            run_id: run_id.to_owned(),
            task: String::new(),
            status: None,
            finished: None,
        });
        match frame.kind() {
            _ if run.run_id != run_id => {}
            Some("run_finished") if run.finished.is_none() => {
                run.finished = line.object().map(Value::Object);
                let word = run.finished.as_ref().and_then(|record| record.get("status")).cloned();
                run.status = word.and_then(|word| serde_json::from_value(word).ok());
            }
            Some("run_started") => {
                let task = line
                    .object()
                    .and_then(|object| object.get("task").and_then(Value::as_str).map(str::to_owned));
                run.task = task.unwrap_or_default();
                break;
            }
            _ => {}
        }
    }
    Ok(newest)
}
