//! The engine `container`: Docker's API over a local socket, spoken by Docker and by Podman.
//!
//! Order: the image is looked up by its digest, the container is made from the admitted spec, inspected and compared,
//! attached to, started, watched, removed. It is written down before it is made, so a sweep finds it.

mod create;
mod http;
mod sbom;
mod socket;
mod syft;

pub use socket::find_socket;
pub use syft::Syft;

use mi_admission::{Denial, RunSpec};
use mi_model::RunLimits;
use mi_process::{Deadline, Pause, Stopwatch, Tie, family, pause};
use serde_json::Value;
use std::{
    io::{BufReader, Read},
    os::{fd::AsFd, unix::net::UnixStream},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use crate::{
    advisories,
    engine::{Control, End, EngineError, Job, MISSING, Outlet, Ran, Sbom, Stream},
    home::LiveRecord,
    watch::{LOOK_EVERY, Watch, command_line},
};
use http::{AskError, Client};

/// How long a command may take to end after it was asked to (X7).
const GRACE: Duration = Duration::from_secs(2);
/// How often the container is compared again while it runs.
const COMPARE_EVERY: Duration = Duration::from_secs(1);
/// How long an ended container's output, or its exit code, may be late.
const LATE: Duration = Duration::from_secs(10);
/// How long to wait before an ended container is asked again for its exit code.
const SOON: Duration = Duration::from_millis(2);
/// How long after it was written down an engine may still be making a container, for a `mi` that is dead.
pub(crate) const BEING_MADE: Duration = Duration::from_secs(10);
const FRAME_HEAD: usize = 8;

/// One engine, by its socket.
#[derive(Debug, Clone)]
pub struct Container {
    socket: PathBuf,
    client: Client,
    syft: Option<Syft>,
}

/// An image as its engine knows it.
pub(super) struct Image {
    /// What the engine says of it.
    said: Value,
    is_podman: bool,
}

impl Container {
    pub fn new(socket: &Path) -> Self {
        Self { socket: socket.to_owned(), client: Client::new(socket), syft: None }
    }

    /// The same engine, with SBOMs by syft.
    #[must_use]
    pub fn with_syft(self, syft: Option<Syft>) -> Self {
        Self { syft, ..self }
    }

    /// Its name and version, if it answers.
    pub fn version(&self) -> Result<String, String> {
        let version = self.client.json("GET", "/version", None).map_err(|error| error.to_string())?;
        let part = version["Components"][0]["Name"].as_str().unwrap_or("engine");
        Ok(format!("{part} {}", version["Version"].as_str().unwrap_or("unknown")))
    }

    /// Runs one job.
    pub fn run(&self, job: &Job<'_>, home: &str, outlet: &mut Outlet) -> Result<Ran, EngineError> {
        let wanted = job.work.spec.image.as_deref().unwrap_or_default();
        let image = self.image(wanted)?;
        let name = format!("mi-{}", job.live.id);
        self.note(job, &name, false)?;
        let ran = self.run_named(job, &image, &name, home, outlet);
        // Removed whatever happened; where that fails the record stays, and the next sweep tries again.
        let removed = remove(&self.client, &name);
        if removed.is_ok() {
            // Nothing of it is left to be swept.
            let nothing = LiveRecord { engine: "container".to_owned(), ..LiveRecord::default() };
            let _ = job.live.note(&nothing);
        }
        let ran = ran?;
        removed.map_err(|reason| EngineError::failed("remove the container", reason))?;
        Ok(ran)
    }

    /// Writes down what a sweep has to take away.
    fn note(&self, job: &Job<'_>, name: &str, is_made: bool) -> Result<(), EngineError> {
        let record = LiveRecord {
            engine: "container".to_owned(),
            socket: Some(self.socket.clone()),
            container: Some(name.to_owned()),
            is_made,
            ..LiveRecord::default()
        };
        job.live.note(&record).map_err(|error| EngineError::failed("write down the run", error))
    }

    /// What the engine says of an image, which it must have under this very digest (Rule I).
    fn image(&self, wanted: &str) -> Result<Image, EngineError> {
        let path = format!("/images/{wanted}/json");
        let answer = self.client.ask("GET", &path, None).map_err(|error| {
            if error.is_missing() {
                let reason = format!("the image {wanted} is not on this machine; load it, then try again");
                return EngineError::denied("I.image", "image", reason);
            }
            asked(error)
        })?;
        let image = answer.json("GET", &path).map_err(asked)?;
        let digest = wanted.rsplit_once('@').map(|(_, digest)| digest).unwrap_or_default();
        let listed = image["RepoDigests"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let has = listed.chain(image["Digest"].as_str()).any(|known| known.ends_with(digest));
        if digest.is_empty() || !has {
            let reason = format!("the engine's image is not {wanted}: {}", image["RepoDigests"]);
            return Err(EngineError::denied("I.image", "image", reason));
        }
        Ok(Image { said: image, is_podman: answer.is_podman })
    }

    fn run_named(
        &self,
        job: &Job<'_>,
        image: &Image,
        name: &str,
        home: &str,
        outlet: &mut Outlet,
    ) -> Result<Ran, EngineError> {
        let wanted = job.work.spec.image.as_deref().unwrap_or_default();
        let body = create::request(job, wanted, image, home);
        let image = &image.said;
        let made = self
            .client
            .json("POST", &format!("/containers/create?name={name}"), Some(&body))
            .map_err(asked)?;
        let id = made["Id"].as_str().filter(|id| !id.is_empty());
        let id = id.ok_or_else(|| EngineError::failed("make the container", "the engine gave it no id"))?;
        self.note(job, name, true)?;
        self.compare(job, image, id)?;
        let sbom = self.sbom(job, image, id)?;
        let clock = Stopwatch::start();
        let end = match self.start(id) {
            Ok(output) => self.follow(job, image, id, output, outlet)?,
            Err(AskError::Refused { message, .. }) if is_missing_command(&message) => {
                outlet.push(Stream::Stderr, format!("mi: {message}\n").as_bytes(), || true);
                End::Exited(exit_of_missing(&message))
            }
            Err(error) => return Err(asked(error)),
        };
        Ok(Ran {
            end,
            container_id: Some(id.to_owned()),
            controls: controls(job.work.spec),
            took: clock.elapsed(),
            sbom,
            lifted: Vec::new(),
        })
    }

    /// Attached first, so that nothing of the output is missed. Some engines find out here that there is no such command,
    /// some at the start.
    fn start(&self, id: &str) -> Result<BufReader<UnixStream>, AskError> {
        let output = self.client.attach(&format!("/containers/{id}/attach?stream=1&stdout=1&stderr=1"))?;
        self.client.ask("POST", &format!("/containers/{id}/start"), None)?;
        Ok(output)
    }

    /// The image's SBOM if it had none yet; critical advisories about what stands in it deny the start.
    fn sbom(&self, job: &Job<'_>, image: &Value, id: &str) -> Result<Option<String>, EngineError> {
        let name = job.work.spec.image.as_deref().unwrap_or_default();
        let (text, made) = match &job.sbom {
            Sbom::Known(text) => (text.clone(), None),
            Sbom::MadeAt(created) => {
                let by_syft =
                    self.syft.as_ref().and_then(|syft| syft.document(&self.client, name, job.live.folder()));
                let starts_in = image["Config"]["WorkingDir"].as_str().unwrap_or_default();
                let text =
                    by_syft.unwrap_or_else(|| sbom::document(&self.client, id, name, starts_in, *created));
                (text.clone(), Some(text))
            }
            Sbom::None => return Ok(None),
        };
        let denials = job.work.advisories.map(|file| advisories::denials(file, &text)).unwrap_or_default();
        if denials.is_empty() { Ok(made) } else { Err(EngineError::Denied(denials)) }
    }

    fn compare(&self, job: &Job<'_>, image: &Value, id: &str) -> Result<Value, EngineError> {
        let made = self.inspect(id)?;
        let denials = create::differences(job, image, &made);
        if denials.is_empty() { Ok(made) } else { Err(EngineError::Denied(denials)) }
    }

    fn inspect(&self, id: &str) -> Result<Value, EngineError> {
        self.client.json("GET", &format!("/containers/{id}/json"), None).map_err(asked)
    }

    /// Passes on the output and keeps the limits until the container has ended.
    fn follow(
        &self,
        job: &Job<'_>,
        image: &Value,
        id: &str,
        output: BufReader<UnixStream>,
        outlet: &mut Outlet,
    ) -> Result<End, EngineError> {
        let mut keeper = Keeper {
            engine: self,
            job,
            image,
            id,
            init: None,
            watch: Watch::new(job),
            limit: Deadline::after(Duration::from_secs(job.work.spec.limits.step_seconds))
                .min(job.work.job_deadline),
            next_look: Deadline::after(LOOK_EVERY),
            next_compare: Deadline::after(COMPARE_EVERY),
            ending: None,
            failed: None,
            wake: job.work.wake.is_some(),
        };
        let mut frames = Frames { output, pending: Vec::new(), over: false };
        while !frames.over && keeper.failed.is_none() {
            frames.pass_on(&mut keeper, outlet)?;
            keeper.tick();
        }
        if let Some(error) = keeper.failed {
            self.kill(id, "SIGKILL");
            return Err(error);
        }
        let exit = self.exit_code(id, keeper.ending.is_some())?;
        Ok(match keeper.ending {
            Some((end, _)) => end,
            None => exit,
        })
    }

    fn exit_code(&self, id: &str, ending: bool) -> Result<End, EngineError> {
        let last = Deadline::after(LATE);
        loop {
            let state = self.inspect(id)?["State"].clone();
            if state["Running"] == Value::Bool(false) && state["Status"] != "created" {
                if state["OOMKilled"] == Value::Bool(true) {
                    return Ok(End::OutOfMemory);
                }
                let code = state["ExitCode"].as_i64().and_then(|code| i32::try_from(code).ok());
                return code.map(End::Exited).ok_or_else(|| {
                    EngineError::failed("learn how the command ended", "there is no exit code")
                });
            }
            if last.has_passed() {
                let why = if ending { "it does not die" } else { "its output ended but it goes on" };
                return Err(EngineError::failed("wait for the container", why));
            }
            let _ = pause(Deadline::after(SOON), None);
        }
    }

    /// One that has just ended cannot be killed; that is seen elsewhere.
    fn kill(&self, id: &str, signal: &str) {
        let _ = self.client.ask("POST", &format!("/containers/{id}/kill?signal={signal}"), None);
    }

    /// The container's first process: it runs on this machine, so the system's own table tells what runs in it.
    fn init(&self, id: &str) -> Option<Tie> {
        let process =
            self.inspect(id).ok()?.pointer("/State/Pid")?.as_i64().filter(|process| *process > 0)?;
        Tie::to(i32::try_from(process).ok()?)
    }
}

/// What is known of a leftover after a look at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leftover {
    Gone,
    /// It is not there, and the engine may be making it at this moment.
    MayCome,
}

/// Removes a container that another `mi` left (X12). One that is not there may be being made at this moment, for a `mi`
/// that was killed right after it asked: if it was `noted` just now, it is waited for, at most until `patience` ends.
pub(crate) fn remove_leftover(
    socket: &Path,
    name: &str,
    noted: SystemTime,
    patience: Deadline,
) -> Result<Leftover, String> {
    let client = Client::new(socket);
    // A clock that was set back meanwhile gives no age; then nobody waits.
    let is_young = || noted.elapsed().is_ok_and(|age| age < BEING_MADE);
    loop {
        // Asked to remove one that it is still making, Podman says that it did, and goes on making it.
        let was_there = is_there(&client, name)?;
        if was_there {
            remove(&client, name)?;
        }
        match (is_young(), was_there && is_there(&client, name)?) {
            (_, false) if was_there => return Ok(Leftover::Gone),
            (false, false) => return Ok(Leftover::Gone),
            (false, true) => return Err(format!("the engine does not remove the container {name}")),
            (true, _) if patience.has_passed() => return Ok(Leftover::MayCome),
            (true, _) => drop(pause(Deadline::after(Duration::from_millis(100)), None)),
        }
    }
}

fn is_there(client: &Client, name: &str) -> Result<bool, String> {
    match client.ask("GET", &format!("/containers/{name}/json"), None) {
        Ok(_) => Ok(true),
        Err(error) if error.is_missing() => Ok(false),
        Err(error) => Err(error.to_string()),
    }
}

/// Also fine where there is none.
fn remove(client: &Client, name: &str) -> Result<(), String> {
    match client.ask("DELETE", &format!("/containers/{name}?force=true&v=true"), None) {
        Ok(_) => Ok(()),
        Err(error) if error.is_missing() => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

fn asked(error: AskError) -> EngineError {
    EngineError::failed("ask the container engine", error)
}

/// As a shell: 126 is there and cannot be run, 127 is not there.
fn exit_of_missing(message: &str) -> i32 {
    if message.to_ascii_lowercase().contains("permission denied") { 126 } else { 127 }
}

fn is_missing_command(message: &str) -> bool {
    let text = message.to_ascii_lowercase();
    [
        "executable file",
        "no such file",
        "not found in $path",
        "permission denied: oci",
        "\": permission denied",
    ]
    .iter()
    .any(|sign| text.contains(sign))
}

/// Holds a running container to its limits.
struct Keeper<'a> {
    engine: &'a Container,
    job: &'a Job<'a>,
    image: &'a Value,
    id: &'a str,
    init: Option<Tie>,
    watch: Watch,
    limit: Deadline,
    next_look: Deadline,
    next_compare: Deadline,
    /// Why it is being ended, and when it is killed.
    ending: Option<(End, Deadline)>,
    failed: Option<EngineError>,
    /// The person may still ask to stop.
    wake: bool,
}

impl Keeper<'_> {
    fn next(&self) -> Deadline {
        match &self.ending {
            Some((_, kill)) => *kill,
            None => self.next_look.min(self.limit),
        }
    }

    /// True once the container is being ended.
    fn tick(&mut self) -> bool {
        self.listen();
        if let Some((_, kill)) = &mut self.ending {
            if kill.has_passed() {
                *kill = Deadline::after(GRACE);
                self.engine.kill(self.id, "SIGKILL");
            }
            return true;
        }
        if self.limit.has_passed() {
            self.ask_to_end(End::TimedOut);
        } else if let Some(denial) = self.look() {
            self.engine.kill(self.id, "SIGKILL");
            self.ending = Some((End::Denied(denial), Deadline::after(GRACE)));
        }
        self.ending.is_some()
    }

    fn listen(&mut self) {
        let woken = self.wake
            && matches!(pause(Deadline::after(Duration::ZERO), self.job.work.wake), Ok(Pause::Woken));
        if woken {
            self.wake = false;
            self.ask_to_end(End::Interrupted);
        }
    }

    fn ask_to_end(&mut self, why: End) {
        if self.ending.is_none() {
            self.engine.kill(self.id, "SIGTERM");
            self.ending = Some((why, Deadline::after(GRACE)));
        }
    }

    fn look(&mut self) -> Option<Denial> {
        if !self.next_look.has_passed() {
            return None;
        }
        self.init = self.init.or_else(|| self.engine.init(self.id));
        let lines = self.init.map(family).unwrap_or_default().into_iter().map(command_line);
        let found = self.watch.judge(lines).or_else(|| self.watch.measure());
        self.next_look = Deadline::after(LOOK_EVERY);
        if found.is_none() && self.next_compare.has_passed() {
            self.next_compare = Deadline::after(COMPARE_EVERY);
            return self.compare_again();
        }
        found
    }

    /// A container that was changed after its start is ended; an engine that is gone ends the watch.
    fn compare_again(&mut self) -> Option<Denial> {
        match self.engine.compare(self.job, self.image, self.id) {
            Ok(made) => create::powers(&made),
            Err(EngineError::Denied(denials)) => denials.into_iter().next(),
            Err(error @ EngineError::Failed { .. }) => {
                self.failed = Some(error);
                None
            }
        }
    }
}

/// The output as the engine sends it: a head of eight bytes, with the stream and a length, before each piece.
struct Frames {
    output: BufReader<UnixStream>,
    pending: Vec<u8>,
    over: bool,
}

impl Frames {
    /// Waits for output, at most until the keeper has to look, and passes on what is there.
    fn pass_on(&mut self, keeper: &mut Keeper<'_>, outlet: &mut Outlet) -> Result<(), EngineError> {
        let fail = |error: std::io::Error| EngineError::failed("read the command's output", error);
        if self.output.buffer().is_empty() {
            let waited = pause(keeper.next(), Some(self.output.get_ref().as_fd())).map_err(fail)?;
            if waited == Pause::Over {
                return Ok(());
            }
        }
        let mut bytes = [0; 64 << 10];
        let count = self.output.read(&mut bytes).map_err(fail)?;
        self.over = count == 0;
        self.pending.extend_from_slice(&bytes[..count]);
        self.take_whole_frames(keeper, outlet);
        Ok(())
    }

    fn take_whole_frames(&mut self, keeper: &mut Keeper<'_>, outlet: &mut Outlet) {
        let mut at = 0;
        while let Some(head) = self.pending.get(at..at + FRAME_HEAD) {
            let length = u32::from_be_bytes([head[4], head[5], head[6], head[7]]) as usize;
            let stream = if head[0] == 2 { Stream::Stderr } else { Stream::Stdout };
            let have = self.pending.len() - at - FRAME_HEAD;
            // A long piece is passed on as it comes: what is left of it gets a head of its own.
            let part = length.min(have);
            if part < length && part == 0 {
                break;
            }
            let piece = at + FRAME_HEAD..at + FRAME_HEAD + part;
            outlet.push(stream, &self.pending[piece], || keeper.tick());
            at += FRAME_HEAD + part;
            if part < length {
                let rest = u32::try_from(length - part).unwrap_or(u32::MAX).to_be_bytes();
                let kind = if stream == Stream::Stderr { 2 } else { 1 };
                self.pending = [&[kind, 0, 0, 0][..], &rest].concat();
                return;
            }
        }
        self.pending.drain(..at);
    }
}

/// What held. An Exception DR may have lifted some of it, and then the manifest says so.
fn controls(spec: &RunSpec) -> Vec<Control> {
    let engine = "the container engine, inspected before the start";
    let RunLimits { memory_bytes, pids, cpus, nofile, .. } = spec.limits;
    let has = |words: &[String], word: &str| words.iter().any(|one| one == word);
    [
        ("network none", true),
        ("user 1000:1000", spec.user == "1000:1000"),
        ("read-only root", spec.read_only),
        ("all capabilities dropped", has(&spec.cap_drop, "ALL")),
        ("no-new-privileges", has(&spec.security_opt, "no-new-privileges")),
        ("memory", memory_bytes > 0),
        ("pids", pids > 0),
        ("cpus", cpus > 0.0),
        ("nofile", nofile > 0),
    ]
    .into_iter()
    .map(|(control, holds)| Control::new(control, if holds { engine } else { MISSING }))
    .chain([
        Control::new("system calls", "the engine's default filter"),
        Control::new("wall clock", "supervision"),
    ])
    .collect()
}
