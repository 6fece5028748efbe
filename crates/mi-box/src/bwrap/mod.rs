//! The engine `bwrap`: bubblewrap makes the namespaces, `mi` once more inside puts on the rest and becomes the command.
//!
//! Order: slots are made, bubblewrap is started, then control groups are made and the verdict is heard; the last step inside
//! waits until its network was looked at, joins the groups and puts on the rest. Its arguments travel in a file and its environment is the box's own, so nothing of `mi`
//! shows in the box (X10).
//! Elsewhere: what the box sees is `arguments`; the last step is `inside`; holding it to its limits is `keeper`.

mod arguments;
pub(crate) mod cgroup;
mod filter;
mod inside;
mod keeper;
pub(crate) mod self_test;

pub use inside::{BOX_INIT, box_main};
pub use self_test::probe;

use mi_admission::Denial;
use mi_process::{
    Child, Deadline, Environment, ExitStatus, Pause, ProcessEvent, SpawnSpec, Stdin, Tie, pause, spawn_bound,
};
use rustix::{
    fs::MemfdFlags,
    net::{AddressFamily, SocketFlags, SocketType, socketpair},
    pipe::{PipeFlags, pipe_with},
};
use serde::Deserialize;
use std::{
    fs::{self, File},
    io::{self, Read, Seek, Write},
    os::{
        fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd},
        unix::fs::MetadataExt,
    },
    path::PathBuf,
    thread,
    time::Duration,
};

use crate::{
    engine::{Control, End, EngineError, Job, MISSING, Outlet, Ran, Stream},
    home::LiveRecord,
};
use cgroup::Groups;
use inside::{Go, InForce, Inside, Missing, Report};
use keeper::Keeper;

/// How long bubblewrap may take to make its namespaces.
const START_PATIENCE: Duration = Duration::from_secs(20);
/// How long the dead may take to be gone.
const END_PATIENCE: Duration = Duration::from_secs(5);
const EARLY_WORDS: usize = 4096;

/// Bubblewrap, and the program that goes into the box with it.
#[derive(Debug, Clone)]
pub struct Bwrap {
    pub program: PathBuf,
    /// `mi` itself.
    pub launcher: PathBuf,
    /// False: as on a machine without control groups.
    pub use_groups: bool,
}

impl Bwrap {
    /// Runs one job. `polling_holds` is asked when no control group can be made.
    pub fn run(
        &self,
        job: &Job<'_>,
        outlet: &mut Outlet,
        polling_holds: &dyn Fn() -> Result<(), String>,
    ) -> Result<Ran, EngineError> {
        let start = self.start(job);
        // Bubblewrap takes longer than the groups and the verdict, and the last step inside waits for both. On the
        // processor that they share it goes first: it was seen to wait there for milliseconds, with another one idle.
        thread::yield_now();
        let groups = self.groups(job)?;
        (job.verdict)()?;
        let start = start.map_err(|error| EngineError::failed("start bubblewrap", error))?;
        let mut lifted = Vec::new();
        if groups.is_none()
            && let Err(reason) = polling_holds()
        {
            let denial = Denial::new("X.limits", "limits", reason);
            if !(job.lifts)(&denial.rule) {
                return Err(EngineError::Denied(vec![denial]));
            }
            lifted.push(denial);
        }
        let ran = self.run_under(job, outlet, start, groups.clone(), lifted);
        let left = groups.map(|groups| cgroup::remove(&groups.folders())).unwrap_or_default();
        match left.first() {
            Some(group) => Err(EngineError::failed("remove the control group", group.display())),
            None => ran,
        }
    }

    fn groups(&self, job: &Job<'_>) -> Result<Option<Groups>, EngineError> {
        let found = if self.use_groups { Groups::find(&format!("mi-{}", job.live.id)) } else { None };
        if let Some(groups) = &found {
            let cgroups = groups.folders();
            note(job, LiveRecord { engine: "bwrap".to_owned(), cgroups, ..LiveRecord::default() })?;
        }
        Ok(found.filter(|groups| groups.make(&job.work.spec.limits).is_ok()))
    }

    fn run_under(
        &self,
        job: &Job<'_>,
        outlet: &mut Outlet,
        mut start: Start,
        groups: Option<Groups>,
        mut lifted: Vec<Denial>,
    ) -> Result<Ran, EngineError> {
        let by_groups = groups.is_some();
        let Some(status) = start.status()? else {
            return Err(EngineError::failed("start bubblewrap", last_words(&mut start.child)));
        };
        let init = self.take_hold(job, &start, &status, groups.as_ref())?;
        start.go(job, groups.as_ref()).map_err(|error| EngineError::failed("let the box go", error))?;
        let mut keeper = Keeper::new(job, init, groups);
        let (exit, early) = drive(&mut start.child, &mut keeper, job, outlet)?;
        start.end()?;
        let took = keeper.took();
        let (end, inside) = start.concluded(keeper.verdict(exit), &early, outlet)?;
        let controls = controls(by_groups, &inside, &lifted);
        lifted.extend(inside.missing.into_iter().map(Missing::denial));
        Ok(Ran { end, container_id: None, controls, took, sbom: None, lifted })
    }

    fn start(&self, job: &Job<'_>) -> io::Result<Start> {
        let (status, their_status) = pipe_with(PipeFlags::CLOEXEC)?;
        let (their_go, go) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
        let (report, their_report) = pipe_with(PipeFlags::CLOEXEC)?;
        let program = OwnedFd::from(File::open(&self.launcher)?);
        let (arguments, files) = arguments::arguments(job, their_status.as_raw_fd())?;
        let arguments = memory_file(&job.live.id, &arguments)?;
        let inside = Inside {
            go: their_go.as_raw_fd(),
            report: their_report.as_raw_fd(),
            files: job.work.spec.limits.nofile,
            processes: job.work.spec.limits.pids,
            writable: arguments::WRITABLE.map(str::to_owned).to_vec(),
            dispensable: inside::CONTROLS
                .into_iter()
                .filter(|control| (job.lifts)(&inside::rule_of(control)))
                .map(str::to_owned)
                .collect(),
        };
        let mut args: Vec<String> =
            vec!["--args".to_owned(), arguments.as_raw_fd().to_string(), "--".to_owned()];
        args.push(format!("/proc/self/fd/{}", program.as_raw_fd()));
        args.extend([BOX_INIT.to_owned(), serde_json::to_string(&inside)?, "--".to_owned()]);
        args.extend(job.work.spec.command.iter().cloned());
        let variables = arguments::environment(job);
        let spec = SpawnSpec {
            program: self.program.clone().into(),
            args: args.into_iter().map(Into::into).collect(),
            cwd: PathBuf::from("/"),
            environment: Environment::Exactly(
                variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect(),
            ),
            stdin: Stdin::Null,
        };
        let mut theirs = vec![their_status.as_fd(), their_go.as_fd(), their_report.as_fd(), program.as_fd()];
        // With an ear of its own bubblewrap is not ended by a word that nobody hears any more: it would leave the box's
        // first process waiting.
        theirs.extend([arguments.as_fd(), status.as_fd()]);
        theirs.extend(files.iter().map(AsFd::as_fd));
        let child = spawn_bound(&spec, &theirs).map_err(io::Error::other)?;
        Ok(Start { child, init: None, is_over: false, status, go, report: File::from(report) })
    }

    /// The first process of the box, written down and seen to be in a network of its own, before anything runs.
    fn take_hold(
        &self,
        job: &Job<'_>,
        start: &Start,
        status: &Status,
        groups: Option<&Groups>,
    ) -> Result<Tie, EngineError> {
        let init =
            start.init.ok_or_else(|| EngineError::failed("start bubblewrap", "its first process is gone"))?;
        let own = fs::metadata("/proc/self/ns/net").map(|known| known.ino()).unwrap_or(0);
        if own == 0 || status.net_namespace == own || status.net_namespace == 0 {
            return Err(EngineError::denied(
                "F.network",
                "network",
                "the box is not in a network of its own",
            ));
        }
        let cgroups = groups.map(Groups::folders).unwrap_or_default();
        let init_record = Some((init.id, init.started));
        note(
            job,
            LiveRecord { engine: "bwrap".to_owned(), cgroups, init: init_record, ..LiveRecord::default() },
        )?;
        Ok(init)
    }
}

/// A box that waits to be let go.
struct Start {
    child: Child,
    /// The first process of the box, once it is known.
    init: Option<Tie>,
    is_over: bool,
    status: OwnedFd,
    /// Closed when this is dropped or this process dies: then the last step does not start the command.
    go: OwnedFd,
    report: File,
}

/// What bubblewrap says once its namespaces are there.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Status {
    child_pid: i32,
    #[serde(default)]
    net_namespace: u64,
}

impl Start {
    /// None if bubblewrap ended instead. From then on the first process is known.
    fn status(&mut self) -> Result<Option<Status>, EngineError> {
        let fail = |error: &dyn ToString| EngineError::failed("start bubblewrap", error.to_string());
        let last = Deadline::after(START_PATIENCE);
        let mut text = Vec::new();
        while !text.contains(&b'\n') {
            if pause(last, Some(self.status.as_fd())).map_err(|error| fail(&error))? == Pause::Over {
                return Err(fail(&"it does not answer"));
            }
            let mut bytes = [0; 1024];
            match rustix::io::read(&self.status, &mut bytes) {
                Ok(0) => return Ok(None),
                Ok(count) => text.extend_from_slice(&bytes[..count]),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(fail(&error)),
            }
        }
        let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let status: Status = serde_json::from_slice(line).map_err(|error| fail(&error))?;
        self.init = Tie::to(status.child_pid);
        Ok(Some(status))
    }

    /// The word that the last step waits for, and the doors of the groups.
    fn go(&self, job: &Job<'_>, groups: Option<&Groups>) -> io::Result<()> {
        let doors = groups.map(Groups::doors).transpose()?.unwrap_or_default();
        let doors: Vec<BorrowedFd<'_>> = doors.iter().map(AsFd::as_fd).collect();
        let data_bytes = groups.is_none().then_some(job.work.spec.limits.memory_bytes.saturating_mul(4));
        mi_process::pass(&self.go, &serde_json::to_vec(&Go { data_bytes })?, &doors)
    }

    /// Ends what the command left behind. After this nothing of the box is alive.
    fn end(&mut self) -> Result<(), EngineError> {
        self.is_over = true;
        match self.init.take() {
            Some(init) if !init.end(END_PATIENCE) => {
                Err(EngineError::failed("end the box", format!("process {} does not die", init.id)))
            }
            _ => Ok(()),
        }
    }

    /// What the last step into the box said decides whether there was a run at all.
    fn concluded(
        &mut self,
        end: End,
        early: &[u8],
        outlet: &mut Outlet,
    ) -> Result<(End, InForce), EngineError> {
        rustix::io::ioctl_fionbio(&self.report, true)
            .map_err(|error| EngineError::failed("hear of the box", error))?;
        let mut text = Vec::new();
        // What is there is read; a pipe that is still open somewhere has no more to say.
        let _ = (&self.report).take(1 << 16).read_to_end(&mut text);
        let reports: Vec<Report> =
            text.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
        let in_force = reports.iter().find_map(|report| match report {
            Report::Ready(in_force) => Some(in_force.clone()),
            Report::Failed(_) | Report::NoCommand { .. } => None,
        });
        match (reports.last(), in_force) {
            (Some(Report::Ready(_)), Some(in_force)) => Ok((end, in_force)),
            (Some(Report::NoCommand { exit, reason }), Some(in_force)) => {
                outlet.push(Stream::Stderr, format!("mi: {reason}\n").as_bytes(), || true);
                Ok((End::Exited(*exit), in_force))
            }
            (Some(Report::Failed(missing)), _) => Err(EngineError::Denied(vec![missing.clone().denial()])),
            // Ended on the way in: by its limits, or because this machine cannot do it.
            _ if !matches!(end, End::Exited(_)) => Ok((end, InForce::default())),
            _ => Err(EngineError::failed("go into the box", String::from_utf8_lossy(early).trim())),
        }
    }
}

impl Drop for Start {
    /// Ends the box from its first process on: without it bubblewrap's end would leave that waiting.
    fn drop(&mut self) {
        if !self.is_over && self.init.is_none() {
            let _ = self.status();
        }
        // What cannot be ended here stays on record for the sweep.
        let _ = self.end();
    }
}

/// Passes on what the command prints until nothing of it is left. The exit code, and its first words on standard
/// error.
fn drive(
    child: &mut Child,
    keeper: &mut Keeper,
    job: &Job<'_>,
    outlet: &mut Outlet,
) -> Result<(i32, Vec<u8>), EngineError> {
    let mut early = Vec::new();
    let mut wake = job.work.wake;
    loop {
        let event = child
            .next(keeper.next(), wake)
            .map_err(|error| EngineError::failed("read the command's output", error))?;
        match event {
            ProcessEvent::Stdout(bytes) => outlet.push(Stream::Stdout, bytes, || keeper.tick()),
            ProcessEvent::Stderr(bytes) => {
                let room = EARLY_WORDS.saturating_sub(early.len()).min(bytes.len());
                early.extend_from_slice(&bytes[..room]);
                outlet.push(Stream::Stderr, bytes, || keeper.tick());
            }
            ProcessEvent::Wake => {
                wake = None;
                keeper.ask_to_end(End::Interrupted);
            }
            ProcessEvent::Timeout => {}
            ProcessEvent::Exited(ExitStatus::Code(code)) => return Ok((code, early)),
            ProcessEvent::Exited(ExitStatus::Signal(number)) => return Ok((128 + number, early)),
            ProcessEvent::Exited(ExitStatus::Lost) => {
                return Err(EngineError::failed("watch over the box", "nobody knows how bubblewrap ended"));
            }
        }
        keeper.tick();
    }
}

/// What bubblewrap printed before it gave up.
fn last_words(child: &mut Child) -> String {
    let mut words = Vec::new();
    let last = Deadline::after(START_PATIENCE);
    while let Ok(event) = child.next(last, None) {
        match event {
            ProcessEvent::Stderr(bytes) if words.len() < EARLY_WORDS => words.extend_from_slice(bytes),
            ProcessEvent::Exited(_) | ProcessEvent::Timeout => break,
            _ => {}
        }
    }
    String::from_utf8_lossy(&words).trim().to_owned()
}

fn note(job: &Job<'_>, record: LiveRecord) -> Result<(), EngineError> {
    job.live.note(&record).map_err(|error| EngineError::failed("write down the run", error))
}

/// A file in memory with the name of the run, by which [`kill_strays`] finds who has it.
fn memory_file(run: &str, bytes: &[u8]) -> io::Result<File> {
    let mut file = File::from(rustix::fs::memfd_create(memory_name(run), MemfdFlags::CLOEXEC)?);
    file.write_all(bytes)?;
    file.rewind()?;
    Ok(file)
}

fn memory_name(run: &str) -> String {
    format!("mi-box-{run}.")
}

/// Kills what bubblewrap began for a run whose `mi` is dead and whose first process was not written down yet (X12):
/// bubblewrap that is killed at that moment leaves it waiting for ever.
pub(crate) fn kill_strays(run: &str) {
    for stray in mi_process::holders(&memory_name(run)) {
        stray.end(END_PATIENCE);
    }
}

fn controls(by_groups: bool, inside: &InForce, lifted: &[Denial]) -> Vec<Control> {
    let counted = match (by_groups, lifted.is_empty()) {
        (true, _) => "control groups",
        (false, true) => "resource limits and supervised polling",
        (false, false) => {
            "resource limits and supervised polling, which do not hold here; an exception lets them"
        }
    };
    let by = |control: &str, means: String| {
        let is_missing = inside.missing.iter().any(|missing| missing.control == control);
        if is_missing { MISSING.to_owned() } else { means }
    };
    vec![
        Control::new("network none", "a network namespace with nothing in it"),
        Control::new("user 1000:1000", "a user namespace"),
        Control::new("read-only root", "read-only mounts"),
        Control::new("all capabilities dropped", "bubblewrap"),
        Control::new("no-new-privileges", "bubblewrap"),
        Control::new("system calls", by("seccomp", "seccomp".to_owned())),
        Control::new("files", by("landlock", format!("Landlock, {}", inside.landlock))),
        Control::new("memory", counted),
        Control::new("pids", counted),
        Control::new("cpus", counted),
        Control::new("nofile", by("rlimits", "resource limits".to_owned())),
        Control::new("wall clock", "supervision"),
    ]
}
