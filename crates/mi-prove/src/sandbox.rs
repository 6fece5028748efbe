//! Runs one check on a scratch copy: in bubblewrap without a network, or on the host where the person allows that.
//!
//! In bubblewrap the machine is read-only and the copy stands at the project's own path, so that paths which a tool wrote
//! down stay true. Holds: nothing outside the scratch folder can be written; nothing of a check outlives it.

use mi_bearing::HowEnded;
use mi_model::RunLimits;
use mi_process::{
    Deadline, Environment, ExitStatus, FamilyUsage, Limits, ProcessEvent, Signal, SpawnSpec, Spawner, Stdin,
    StopStep, Stopwatch, Tie, family, find_program, run_to_end,
};
use std::{
    ffi::{OsStr, OsString},
    fs,
    os::fd::BorrowedFd,
    path::{Path, PathBuf},
    time::Duration,
};

use crate::{engine::ProveError, scratch::Scratch};

/// How often memory and processes of a check are counted.
const COUNT_EVERY: Duration = Duration::from_millis(50);
/// How often it is looked at where its processor time is limited.
const THROTTLE_EVERY: Duration = Duration::from_millis(20);
/// Processor time that may be ahead of its share.
const BURST: Duration = Duration::from_millis(100);
/// Kept of a check's output: its beginning and its end.
const HEAD_BYTES: usize = 128 << 10;
const TAIL_BYTES: usize = 512 << 10;
/// More entries of a temporary folder than this are not shown to a check.
const MOST_TEMPORARY: usize = 300;
/// Folders of a home with keys that no check needs.
const KEYS: [&str; 7] = [".ssh", ".gnupg", ".aws", ".kube", ".docker", ".config/gcloud", ".password-store"];

/// Where checks run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SandboxEngine {
    /// Bubblewrap, by its path.
    Bubblewrap(PathBuf),
    /// A container without network, by podman or docker.
    Container { program: PathBuf, image: String },
    /// On the machine itself, in the scratch copy.
    Host,
}

impl SandboxEngine {
    /// The name that settings and reports use.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Bubblewrap(_) => "bwrap",
            Self::Container { .. } => "container",
            Self::Host => "host",
        }
    }
}

/// How a check's command line is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckShell {
    /// As the person's own shell would: with the environment as it is.
    Plain,
    /// In a login shell, as coding agents start commands.
    Login,
}

/// Bubblewrap, if it is installed.
pub fn find_sandbox(search_path: &str) -> Option<SandboxEngine> {
    find_program(OsStr::new("bwrap"), OsStr::new(search_path)).map(SandboxEngine::Bubblewrap)
}

/// What all checks of one proof share.
pub(crate) struct CheckRunner<'a> {
    pub(crate) spawner: &'a Spawner,
    pub(crate) engine: &'a SandboxEngine,
    pub(crate) shell: CheckShell,
    pub(crate) limits: RunLimits,
    pub(crate) root: &'a Path,
    pub(crate) home: Option<&'a Path>,
    pub(crate) search_path: &'a str,
    pub(crate) wake: Option<BorrowedFd<'a>>,
}

/// What one run of a check came to.
#[derive(Debug)]
pub(crate) struct CheckRan {
    pub(crate) end: HowEnded,
    pub(crate) output: String,
}

impl CheckRunner<'_> {
    /// Runs a command in the copy, at most for `time`.
    pub(crate) fn run(
        &self,
        scratch: &Scratch,
        command: &str,
        time: Duration,
    ) -> Result<CheckRan, ProveError> {
        let spec = match self.engine {
            SandboxEngine::Bubblewrap(program) => self.boxed(program, scratch, command),
            SandboxEngine::Container { program, image } => self.contained(program, image, scratch, command),
            SandboxEngine::Host => self.on_host(scratch, command),
        };
        let time = time.min(Duration::from_secs(self.limits.step_seconds));
        if let SandboxEngine::Container { program, .. } = self.engine {
            scratch.note_container(program).map_err(|source| ProveError::Copy { source })?;
        }
        let ran = self.watch(&spec, time);
        if let SandboxEngine::Container { program, .. } = self.engine {
            // Its client may have been stopped while the container went on.
            if !matches!(&ran, Ok(CheckRan { end: HowEnded::Exited(_), .. })) {
                remove_container(self.spawner, program, &scratch.container_name());
            }
            scratch.forget_container();
        }
        let ran = ran?;
        if matches!(self.engine, SandboxEngine::Container { .. }) && matches!(ran.end, HowEnded::Exited(125))
        {
            let reason = ran.output.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
            return Err(ProveError::Container { reason: reason.trim().to_owned() });
        }
        if matches!(self.engine, SandboxEngine::Bubblewrap(_))
            && let Some(line) = ran.output.lines().find(|line| line.starts_with("bwrap: "))
            && matches!(ran.end, HowEnded::Exited(1))
        {
            return Err(ProveError::Sandbox { reason: line.to_owned() });
        }
        Ok(ran)
    }

    /// The command behind what every check needs to find: private caches and temporary files.
    fn script(&self, scratch: &Scratch, temporary: &Path, command: &str) -> String {
        let cache = scratch.cache();
        let mut script = String::new();
        let mut export = |name: &str, value: &str| {
            script.push_str(&format!("export {name}={}\n", mi_model::shell_word(value)));
        };
        export("TMPDIR", &temporary.to_string_lossy());
        export("PYTHONDONTWRITEBYTECODE", "1");
        // A profile may have set these to folders that cannot be written here.
        for (name, folder) in [
            ("XDG_CACHE_HOME", "xdg"),
            ("GOCACHE", "go"),
            ("npm_config_cache", "npm"),
            ("PIP_CACHE_DIR", "pip"),
            ("GRADLE_USER_HOME", "gradle"),
        ] {
            export(name, &cache.join(folder).to_string_lossy());
        }
        if self.shell == CheckShell::Login {
            script.push_str(&format!("PATH=\"$PATH\":{}\n", mi_model::shell_word(self.search_path)));
        }
        script.push_str(command);
        script.push('\n');
        script
    }

    fn shell_arguments(&self, script: String) -> [OsString; 3] {
        match self.shell {
            CheckShell::Plain => ["sh".into(), "-c".into(), script.into()],
            CheckShell::Login => ["bash".into(), "-lc".into(), script.into()],
        }
    }

    fn on_host(&self, scratch: &Scratch, command: &str) -> SpawnSpec {
        // Without mounts the copy has another path than the project.
        let tree = scratch.tree();
        let command = command.replace(&*self.root.to_string_lossy(), &tree.to_string_lossy());
        let [program, args @ ..] = self.shell_arguments(self.script(scratch, &scratch.temporary(), &command));
        SpawnSpec { program, args: args.into(), cwd: tree, environment: inherited(), stdin: Stdin::Null }
    }

    fn boxed(&self, bubblewrap: &Path, scratch: &Scratch, command: &str) -> SpawnSpec {
        let mut args: Vec<OsString> = Vec::new();
        let mut add = |words: &[&OsStr]| args.extend(words.iter().map(|word| (*word).to_owned()));
        for word in ["--unshare-user-try", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"]
        {
            add(&[word.as_ref()]);
        }
        add(&["--die-with-parent".as_ref(), "--new-session".as_ref()]);
        add(&["--ro-bind".as_ref(), "/".as_ref(), "/".as_ref()]);
        add(&["--dev".as_ref(), "/dev".as_ref(), "--proc".as_ref(), "/proc".as_ref()]);
        // New temporary files are the check's own; what others left there can still be read, since tools may live there.
        let temporary = Path::new("/tmp");
        add(&["--bind".as_ref(), scratch.temporary().as_ref(), temporary.as_ref()]);
        for entry in visible_temporary(temporary, self.root) {
            add(&["--ro-bind-try".as_ref(), entry.as_ref(), entry.as_ref()]);
        }
        for folder in
            self.home.iter().flat_map(|home| KEYS.map(|name| home.join(name))).filter(|path| path.is_dir())
        {
            add(&["--tmpfs".as_ref(), folder.as_ref()]);
        }
        add(&["--bind".as_ref(), scratch.cache().as_ref(), scratch.cache().as_ref()]);
        add(&["--bind".as_ref(), scratch.tree().as_ref(), self.root.as_ref()]);
        let git = self.root.join(".git");
        if git.exists() {
            // Checks ask git for versions and names of files.
            add(&["--ro-bind".as_ref(), git.as_ref(), git.as_ref()]);
        }
        for below in &scratch.mounted {
            let path = self.root.join(below);
            add(&["--ro-bind".as_ref(), path.as_ref(), path.as_ref()]);
        }
        add(&["--chdir".as_ref(), self.root.as_ref(), "--".as_ref()]);
        args.extend(self.shell_arguments(self.script(scratch, temporary, command)));
        SpawnSpec {
            program: bubblewrap.into(),
            args,
            cwd: PathBuf::from("/"),
            environment: inherited(),
            stdin: Stdin::Null,
        }
    }

    /// The copy stands at the project's own path; everything else is the image's.
    fn contained(&self, program: &Path, image: &str, scratch: &Scratch, command: &str) -> SpawnSpec {
        let root = self.root.to_string_lossy();
        let volume = |from: PathBuf, to: &str| format!("{}:{to}", from.display());
        let cache = scratch.cache();
        let mut args: Vec<OsString> = ["run", "--rm", "--network", "none", "--name"].map(Into::into).into();
        args.extend([scratch.container_name().into(), "--workdir".into()]);
        args.extend([OsString::from(&*root), "--volume".into(), volume(scratch.tree(), &root).into()]);
        args.extend(["--volume".into(), volume(cache.clone(), &cache.to_string_lossy()).into()]);
        args.extend(["--memory".into(), self.limits.memory_bytes.to_string().into()]);
        args.extend(["--pids-limit".into(), self.limits.pids.to_string().into()]);
        if self.limits.cpus > 0.0 {
            args.extend(["--cpus".into(), self.limits.cpus.to_string().into()]);
        }
        args.extend([image.into(), "sh".into(), "-c".into()]);
        args.push(self.script(scratch, Path::new("/tmp"), command).into());
        SpawnSpec {
            program: program.into(),
            args,
            cwd: PathBuf::from("/"),
            environment: inherited(),
            stdin: Stdin::Null,
        }
    }

    /// Runs to the end, within limits of time, memory and processes.
    fn watch(&self, spec: &SpawnSpec, time: Duration) -> Result<CheckRan, ProveError> {
        let mut child = self.spawner.spawn(spec).map_err(|source| ProveError::Start { source })?;
        let process = Tie::to(child.id());
        let last = Deadline::after(time);
        let (mut kept, mut stopped) = (Kept::default(), None);
        let mut wake = self.wake;
        let mut throttle = Throttle::new(self.engine, self.limits.cpus);
        let count_every = if throttle.is_some() { THROTTLE_EVERY } else { COUNT_EVERY };
        let mut next_count = Deadline::after(count_every);
        loop {
            let deadline = if stopped.is_some() { Deadline::never() } else { last.min(next_count) };
            let event = child.next(deadline, wake).map_err(|source| ProveError::Output { source })?;
            match event {
                ProcessEvent::Stdout(bytes) | ProcessEvent::Stderr(bytes) => kept.push(bytes),
                ProcessEvent::Exited(status) => {
                    return match stopped {
                        Some(Stopped::ByPerson) => Err(ProveError::Interrupted),
                        Some(Stopped::At(end)) => Ok(CheckRan { end, output: kept.into_text() }),
                        None => Ok(CheckRan { end: how_ended(status), output: kept.into_text() }),
                    };
                }
                ProcessEvent::Wake => {
                    (stopped, wake) = (Some(Stopped::ByPerson), None);
                    child.stop(&[]);
                    continue;
                }
                ProcessEvent::Timeout => {}
            }
            if stopped.is_some() {
                continue;
            }
            if last.has_passed() {
                stopped = Some(Stopped::At(HowEnded::TimedOut));
            } else if next_count.has_passed() {
                next_count = Deadline::after(count_every);
                let ids = process.map(family).unwrap_or_default();
                let used = FamilyUsage::measure(&ids);
                if used.memory_bytes > self.limits.memory_bytes {
                    stopped = Some(Stopped::At(HowEnded::OutOfMemory));
                } else if used.tasks > self.limits.pids {
                    stopped = Some(Stopped::At(HowEnded::TooManyTasks));
                } else if let Some(throttle) = &mut throttle {
                    throttle.hold(&ids, used.processor);
                }
            }
            if stopped.is_some() {
                if let (Some(throttle), Some(process)) = (&mut throttle, process) {
                    throttle.release(&family(process));
                }
                child.stop(&[StopStep { signal: Signal::Terminate, wait: Duration::from_millis(300) }]);
            }
        }
    }
}

/// Holds a check to its share of the processors: stops it while it is ahead.
struct Throttle {
    cpus: f64,
    clock: Stopwatch,
    /// Processes at the beginning of the family that only wait for the others.
    waiting: usize,
    frozen_until: Option<Deadline>,
}

impl Throttle {
    /// None where nothing is to be held: no limit, or a container, whose engine holds it.
    fn new(engine: &SandboxEngine, cpus: f64) -> Option<Self> {
        let waiting = match engine {
            SandboxEngine::Bubblewrap(_) => 1,
            SandboxEngine::Host => 0,
            SandboxEngine::Container { .. } => return None,
        };
        (cpus > 0.0).then(|| Self { cpus, clock: Stopwatch::start(), waiting, frozen_until: None })
    }

    fn hold(&mut self, ids: &[i32], used: Duration) {
        match self.frozen_until {
            Some(until) if until.has_passed() => self.release(ids),
            // What was started just before it was stopped is stopped too.
            Some(_) => self.signal(ids, rustix::process::Signal::STOP),
            None => {
                let share = self.clock.elapsed().mul_f64(self.cpus) + BURST;
                if used > share {
                    self.signal(ids, rustix::process::Signal::STOP);
                    let ahead = (used - share).div_f64(self.cpus);
                    self.frozen_until = Some(Deadline::after(ahead.min(Duration::from_secs(1))));
                }
            }
        }
    }

    fn release(&mut self, ids: &[i32]) {
        if self.frozen_until.take().is_some() {
            self.signal(ids, rustix::process::Signal::CONT);
        }
    }

    fn signal(&self, ids: &[i32], signal: rustix::process::Signal) {
        for id in ids.iter().skip(self.waiting).filter_map(|id| rustix::process::Pid::from_raw(*id)) {
            // One that has just ended needs no signal.
            let _ = rustix::process::kill_process(id, signal);
        }
    }
}

/// Removes a container, running or not. One that is gone already is no mistake.
pub(crate) fn remove_container(spawner: &Spawner, program: &Path, name: &str) {
    let spec = SpawnSpec {
        program: program.into(),
        args: ["rm", "--force", name].map(Into::into).into(),
        cwd: PathBuf::from("/"),
        environment: inherited(),
        stdin: Stdin::Null,
    };
    let limits = Limits { timeout: Duration::from_secs(30), max_output_bytes: 64 << 10 };
    let _ = run_to_end(spawner, &spec, limits, None);
}

enum Stopped {
    ByPerson,
    At(HowEnded),
}

fn inherited() -> Environment {
    Environment::Inherit { set: Vec::new(), remove: Vec::new() }
}

fn how_ended(status: ExitStatus) -> HowEnded {
    match status {
        ExitStatus::Code(code) => HowEnded::Exited(code),
        ExitStatus::Signal(number) => HowEnded::Signalled(number),
        // Somebody killed the supervisor: most likely the kernel, for memory.
        ExitStatus::Lost => HowEnded::OutOfMemory,
    }
}

/// The entries of a temporary folder that a check may read, all but the way to the project itself.
fn visible_temporary(folder: &Path, root: &Path) -> Vec<PathBuf> {
    let entries: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    let is_plain =
        |path: &PathBuf| path.symlink_metadata().is_ok_and(|about| about.is_dir() || about.is_file());
    let shown: Vec<PathBuf> = entries.into_iter().filter(is_plain).collect();
    if shown.len() > MOST_TEMPORARY {
        return shown.into_iter().filter(|path| root.starts_with(path)).collect();
    }
    shown
}

/// The beginning and the end of an output.
#[derive(Default)]
struct Kept {
    head: Vec<u8>,
    tail: Vec<u8>,
    left_out: u64,
}

impl Kept {
    fn push(&mut self, bytes: &[u8]) {
        let room = HEAD_BYTES.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..room]);
        self.tail.extend_from_slice(&bytes[room..]);
        if self.tail.len() > 2 * TAIL_BYTES {
            let surplus = self.tail.len() - TAIL_BYTES;
            self.tail.drain(..surplus);
            self.left_out += surplus as u64;
        }
    }

    fn into_text(mut self) -> String {
        if self.left_out > 0 {
            self.head.extend_from_slice(format!("\n[{} bytes left out]\n", self.left_out).as_bytes());
        }
        self.head.extend_from_slice(&self.tail);
        String::from_utf8_lossy(&self.head).into_owned()
    }
}
