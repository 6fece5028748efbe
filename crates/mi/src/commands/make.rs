//! `mi make`: from a task to a branch with checked files.
//!
//! What follows a round is decided by `mi_loop::make`; this asks, extracts, runs and shows.

mod boxed;
mod material;
mod repository;

use mi_council::budget::{Budget, Spent};
use mi_loop::make::{CheckRun, End, Next, Round, next};
use mi_mind::{Composition, Mind, Section};
use serde_json::{Value, json};
use std::{
    cell::Cell,
    fs::{self, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
};

use self::{
    boxed::{BoxRun, BoxRunner, MiExec},
    repository::Repository,
};
use crate::{
    app::App,
    args::MakeArgs,
    commands::{extract, kaching, launch, minds},
    exit_reason::ExitReason,
    failure::{Failure, Outcome},
};

/// One making, with everything it needs.
struct Making<'a> {
    app: &'a App,
    id: String,
    /// Replies, transcript and reports; below `MI_HOME`.
    folder: PathBuf,
    /// The project's files with those of the last reply.
    work: PathBuf,
    mind: Mind,
    runner: &'a dyn BoxRunner,
    command: Vec<String>,
    task: String,
    budget: Budget,
}

/// What the last round left.
#[derive(Default)]
struct Made {
    files: Vec<String>,
    run: Option<BoxRun>,
    denials: Vec<Value>,
}

pub fn run(app: &App, args: &MakeArgs) -> Outcome {
    let settings = app.settings(&app.folder(), &[])?;
    let task = app.text_or_stdin(&args.task)?;
    if task.trim().is_empty() {
        return Err(Failure::usage("there is no task").todo("say what is to be made: mi make 'Add …'"));
    }
    let budget = kaching::budget(&settings)?;
    let spawner = launch::spawner()?;
    let role = args.role.as_deref().unwrap_or(&settings.make.role);
    let mind = minds::for_role(app, &settings, role, &spawner)?;
    let id = format!("make-{}", &mi_model::sha256_hex(format!("{task}{}", app.clock.now()).as_bytes())[..10]);
    let place = Place::make(app.home.join("make").join(&id))?;
    // Programs are started from elsewhere, so the folder is named in full.
    let project = std::path::absolute(app.folder())
        .map_err(|error| Failure::new("find the project's folder").because(&error))?;
    let repository = Repository::open(&project, &place.folder, &spawner);
    repository.fill(&place.work())?;
    let runner = MiExec::new(app, args, &project, spawner.clone())?;
    let (folder, work) = (place.folder.clone(), place.work());
    let making =
        Making { app, id, folder, work, mind, runner: &runner, command: args.command.clone(), task, budget };
    making.say(&json!({
        "event": "make.started", "id": making.id, "role": role, "provider": making.mind.provider().name(),
        "model": making.mind.provider().model(),
    }));
    let most = args.rounds.unwrap_or(settings.make.rounds);
    let (end, rounds, result) = making.rounds(most)?;
    let branch = match end {
        End::Done | End::Unchecked => {
            let branch = making.keep(&repository, &result, end)?;
            if branch.is_none() {
                place.keep_work();
            }
            branch
        }
        End::TaskAnalysis | End::OutOfRounds | End::OutOfBudget | End::Denied => None,
    };
    making.finish(end, rounds, &result, branch.as_deref())
}

/// A making's folder below `MI_HOME`. However the making ends, the copy of the project in it goes; replies and the
/// transcript stay.
struct Place {
    folder: PathBuf,
    keeps_work: Cell<bool>,
}

impl Place {
    fn make(folder: PathBuf) -> Result<Self, Failure> {
        let place = Self { folder, keeps_work: Cell::new(false) };
        fs::create_dir_all(place.work())
            .map_err(|error| Failure::new(format!("make {}", place.work().display())).because(&error))?;
        Ok(place)
    }

    /// The project's files with those of the last reply.
    fn work(&self) -> PathBuf {
        self.folder.join("work")
    }

    /// Where there is no repository for a branch, the files are nowhere else.
    fn keep_work(&self) {
        self.keeps_work.set(true);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_file(self.folder.join("index"));
        if !self.keeps_work.get() {
            let _ = fs::remove_dir_all(self.work());
        }
        // Goes only if nothing was said yet.
        let _ = fs::remove_dir(&self.folder);
    }
}

impl Making<'_> {
    fn rounds(&self, most: u32) -> Result<(End, u32, Made), Failure> {
        let mut feedback = None;
        let (mut number, mut spent) = (0, Spent::default());
        loop {
            number += 1;
            let reply = self.ask(number, feedback.as_deref())?;
            self.budget.spend(&mut spent, &reply.usage);
            let (round, result) = self.try_out(number, &reply)?;
            match (next(&round, number, most), self.budget.reached(&spent)) {
                (Next::Stop(end), _) => return Ok((end, number, result)),
                (Next::Again { .. }, Some(reached)) => {
                    self.app.talk(&format!("mi: {reached}"));
                    return Ok((End::OutOfBudget, number, result));
                }
                (Next::Again { feedback: said }, None) => feedback = Some(said),
            }
        }
    }

    /// Asks the model; its reply is on disk before it is used.
    fn ask(&self, number: u32, feedback: Option<&str>) -> Result<Composition, Failure> {
        let mut sections = vec![Section::person("task", 0, &self.task)];
        sections.extend(feedback.map(|text| Section::evidence("what came of your last reply", 1, text)));
        sections.extend(material::sections(&self.work, &self.task));
        let transcript = self.folder.join("transcript.jsonl");
        let mut sink = |stream: &str, line: &str| {
            let entry = json!({"round": number, "stream": stream, "line": line});
            let file = OpenOptions::new().create(true).append(true).open(&transcript);
            file.and_then(|mut file| writeln!(file, "{entry}")).map_err(|error| error.to_string())
        };
        let reply = self.mind.compose(&sections, &mut sink).map_err(|error| {
            Failure::new(format!("ask the model for files (round {number})"))
                .because(&error)
                .todo("mi doctor shows which models are reachable; make.roles in your settings names others")
        })?;
        let path = self.folder.join(format!("reply-{number}.md"));
        self.write(&path, reply.text.as_bytes())?;
        Ok(reply)
    }

    fn try_out(&self, number: u32, reply: &Composition) -> Result<(Round, Made), Failure> {
        let mut taken = extract::take(self.app, reply.text.as_bytes(), &self.work)?;
        if reply.cut_off {
            taken
                .refused
                .push("the reply ended at the model's output limit: give fewer or shorter files".to_owned());
        }
        self.say(&json!({
            "event": "make.extracted", "round": number, "action": taken.action, "files": taken.files,
            "refused": taken.refused,
        }));
        let mut result = Made { files: taken.files, ..Made::default() };
        if !taken.written || reply.cut_off {
            let round = match taken.refused.is_empty() {
                true => Round::Nothing,
                false => Round::Refused { reasons: taken.refused },
            };
            return Ok((round, result));
        }
        let Some(command) = self.check_command() else { return Ok((Round::Unchecked, result)) };
        let run = self.runner.run(&self.work, &command)?;
        self.say(&json!({
            "event": "make.checked", "round": number, "command": command, "exit": run.exit, "manifest": run.manifest,
            "denials": run.denials,
        }));
        result.denials.clone_from(&run.denials);
        let round = if run.denials.is_empty() && !run.was_run {
            Round::Unchecked
        } else if run.denials.is_empty() {
            Round::Checked(CheckRun {
                command: command.join(" "),
                exit: run.exit,
                output: run.output.clone(),
            })
        } else {
            Round::Denied { rules: run.denials.iter().map(|denial| denial["rule"].to_string()).collect() }
        };
        result.run = Some(run);
        Ok((round, result))
    }

    /// What was typed after `--`, else what the project's files name as its check.
    fn check_command(&self) -> Option<Vec<String>> {
        if !self.command.is_empty() {
            return Some(self.command.clone());
        }
        let check = material::main_check(&self.work)?;
        Some(["sh", "-c", &check].map(str::to_owned).to_vec())
    }

    /// Puts files, manifest and report onto a branch of their own.
    fn keep(&self, repository: &Repository, result: &Made, end: End) -> Result<Option<String>, Failure> {
        let kept = self.work.join(".mi/make").join(&self.id);
        fs::create_dir_all(&kept).map_err(|error| Failure::new("keep the report").because(&error))?;
        let report = json!({
            "id": self.id, "task": self.task, "status": end.as_str(), "files": result.files,
            "exit": result.run.as_ref().map(|run| run.exit),
            "output": result.run.as_ref().map(|run| mi_secrets::redact(&run.output).into_owned()),
        });
        let text = format!("{}\n", serde_json::to_string_pretty(&report).unwrap_or_default());
        self.write(&kept.join("check.json"), text.as_bytes())?;
        let mut paths = result.files.clone();
        paths.push(format!(".mi/make/{}/check.json", self.id));
        if let Some(manifest) = result.run.as_ref().and_then(|run| run.manifest.as_deref()) {
            fs::copy(manifest, kept.join("manifest.json")).map_err(|error| {
                Failure::new(format!("read the manifest {}", manifest.display())).because(&error)
            })?;
            paths.push(format!(".mi/make/{}/manifest.json", self.id));
        }
        repository.commit(&self.work, &paths, &self.id, &self.task)
    }

    fn finish(&self, end: End, rounds: u32, result: &Made, branch: Option<&str>) -> Outcome {
        let manifest = result.run.as_ref().and_then(|run| run.manifest.as_ref());
        if self.app.common.json {
            self.app.print_json(&json!({
                "event": "make.finished", "id": self.id, "status": end.as_str(), "rounds": rounds, "branch": branch,
                "folder": self.folder, "files": result.files, "manifest": manifest, "denials": result.denials,
            }))?;
        } else {
            self.app.print(&self.for_people(end, rounds, result, branch))?;
        }
        Ok(match end {
            End::Done => ExitReason::Done,
            End::Unchecked | End::TaskAnalysis | End::OutOfRounds | End::OutOfBudget => ExitReason::NeedsYou,
            End::Denied => ExitReason::Denied,
        })
    }

    fn for_people(&self, end: End, rounds: u32, result: &Made, branch: Option<&str>) -> String {
        let reply = self.folder.join(format!("reply-{rounds}.md"));
        let mut lines: Vec<String> = result.files.iter().map(|file| format!("  {file}")).collect();
        lines.push(match end {
            End::Done => format!("Done in {rounds} rounds: the check passed in the box"),
            End::Unchecked => {
                "Files were made; there is no check to run them with. Give one after --".to_owned()
            }
            End::TaskAnalysis => {
                format!("No files in the reply. Next: task_analysis, read {}", reply.display())
            }
            End::OutOfRounds => {
                format!("Still failing after {rounds} rounds; the last reply is {}", reply.display())
            }
            End::OutOfBudget => {
                format!("The budget is spent after {rounds} rounds; the last reply is {}", reply.display())
            }
            End::Denied => {
                let rules: Vec<String> =
                    result.denials.iter().map(|denial| denial["rule"].to_string()).collect();
                format!("Denied: {}. `mi box policy explain RULE` says what a rule asks", rules.join(", "))
            }
        });
        match branch {
            Some(branch) => lines.push(format!("Branch {branch}; `git diff HEAD...{branch}` shows it")),
            None if matches!(end, End::Done | End::Unchecked) => {
                lines.push(format!("No repository here; the files are in {}", self.work.display()));
            }
            None => {}
        }
        lines.join("\n")
    }

    /// An event for programs; progress for people.
    fn say(&self, event: &Value) {
        if self.app.common.json {
            // A reader that went away is noticed at the end.
            let _ = self.app.print_json(event);
            return;
        }
        let word = |key: &str| event[key].as_str().unwrap_or_default().to_owned();
        self.app.talk(&match event["event"].as_str() {
            Some("make.started") => {
                format!("mi: asking {} {} as {}", word("provider"), word("model"), word("role"))
            }
            Some("make.extracted") => {
                let refused = event["refused"].as_array().map_or(0, Vec::len);
                let files = event["files"].as_array().map_or(0, Vec::len);
                format!("mi: round {}: {files} files, {refused} refused", event["round"])
            }
            _ => format!("mi: round {}: the check ended with {}", event["round"], event["exit"]),
        });
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), Failure> {
        fs::write(path, bytes)
            .map_err(|error| Failure::new(format!("write {}", path.display())).because(&error))
    }
}
