//! The last step into the box: `mi` once more, started by bubblewrap inside it, which puts limits, Landlock and the
//! system call filter on itself and then becomes the command.
//!
//! Holds: the command runs only after all of them are in force; no descriptor but the three streams goes on to it.

use landlock::{
    ABI, Access, AccessFs, BitFlags, PathBeneath, PathFd, RestrictionStatus, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetStatus,
};
use mi_admission::Denial;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{Resource, Rlimit, getrlimit, setrlimit},
};
use serde::{Deserialize, Serialize};
use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, Write},
    os::fd::{BorrowedFd, FromRawFd, OwnedFd, RawFd},
    process::ExitCode,
};

use super::{cgroup::JOIN, filter};

/// The first argument that makes a binary act as the last step: call [`box_main`].
pub const BOX_INIT: &str = "__box-init";
/// The interface of the kernel that the rules are written for; an older kernel gets the part it knows.
const LANDLOCK: ABI = ABI::V5;

/// What the last step has to do, as it stands on its command line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Inside {
    /// The descriptor on which the owner says [`Go`].
    pub(super) go: RawFd,
    /// The descriptor of the owner's ear.
    pub(super) report: RawFd,
    pub(super) files: u64,
    pub(super) processes: u64,
    pub(super) writable: Vec<String>,
    /// Controls that may be missing, by an Exception DR.
    pub(super) dispensable: Vec<String>,
}

/// The owner's word that the command may start. With it come the doors of the control groups to go through.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Go {
    /// A wall for each process where nothing counts the whole box.
    pub(super) data_bytes: Option<u64>,
}

/// More than any [`Go`] takes.
const GO_BYTES: usize = 256;

/// The controls that the last step puts in force and that an Exception DR can let be missing.
pub(super) const CONTROLS: [&str; 3] = ["landlock", "rlimits", "seccomp"];

/// The rule that asks for a control.
pub(super) fn rule_of(control: &str) -> String {
    if matches!(control, "groups" | "rlimits") { "X.limits".to_owned() } else { format!("F.{control}") }
}

/// What the last step tells the owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Report {
    /// Everything that was asked for is in force.
    Ready(InForce),
    /// A control could not be put in force; nothing was run.
    Failed(Missing),
    /// There is no such command, or it cannot be run.
    NoCommand { exit: i32, reason: String },
}

/// What holds in the box.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct InForce {
    /// Landlock wholly, or as far as this kernel knows it.
    pub(super) landlock: String,
    /// What an Exception DR lets be missing, and is.
    pub(super) missing: Vec<Missing>,
}

/// A control that could not be put in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Missing {
    pub(super) control: String,
    pub(super) reason: String,
}

impl Missing {
    fn new(control: &str, reason: impl ToString) -> Self {
        Self { control: control.to_owned(), reason: reason.to_string() }
    }

    pub(super) fn denial(self) -> Denial {
        Denial::new(rule_of(&self.control), self.control, self.reason)
    }
}

/// Takes the arguments after [`BOX_INIT`]. Returns only when the command was not started.
pub fn box_main(arguments: &[OsString]) -> ExitCode {
    let closed = close_on_exec();
    // Without its settings there is nobody to tell.
    let Some((inside, command)) = settings(arguments) else { return ExitCode::from(126) };
    let mut report = File::from(inherited(inside.report));
    let owner = inherited(inside.go);
    let Some((go, doors)) = word_of(&owner) else { return ExitCode::from(126) };
    let failure = match prepare(&inside, &go, &doors, closed) {
        Err(missing) => Report::Failed(missing),
        Ok(in_force) => {
            tell(&mut report, &Report::Ready(in_force));
            if !is_there(&owner) {
                return ExitCode::from(126);
            }
            let error = mi_process::become_program(command);
            let missing = error.kind() == io::ErrorKind::NotFound;
            let name = command.first().map(|name| name.to_string_lossy()).unwrap_or_default();
            Report::NoCommand {
                exit: if missing { 127 } else { 126 },
                reason: format!("start `{name}`: {error}"),
            }
        }
    };
    tell(&mut report, &failure);
    ExitCode::from(match failure {
        Report::NoCommand { exit: 127, .. } => 127,
        _ => 126,
    })
}

fn settings(arguments: &[OsString]) -> Option<(Inside, &[OsString])> {
    match arguments {
        [first, dashes, command @ ..] if dashes == "--" && !command.is_empty() => {
            Some((serde_json::from_str(first.to_str()?).ok()?, command))
        }
        _ => None,
    }
}

/// Waits for the owner's word; none if the owner is gone.
fn word_of(owner: &OwnedFd) -> Option<(Go, Vec<OwnedFd>)> {
    let mut word = [0; GO_BYTES];
    let (length, doors) = mi_process::receive(owner, &mut word).ok()?;
    Some((serde_json::from_slice(&word[..length]).ok()?, doors))
}

/// Whether the owner still lives: a box whose owner died while it was being made is not tied to it yet.
fn is_there(owner: &OwnedFd) -> bool {
    let mut end = [PollFd::new(owner, PollFlags::empty())];
    poll(&mut end, Some(&Timespec::default())).is_ok_and(|gone| gone == 0)
}

/// Nothing but the three streams goes on to the command: not the descriptors of the launcher, and not what `mi` itself
/// was given by whoever started it.
#[expect(unsafe_code, reason = "descriptors that others opened are known by their numbers only")]
fn close_on_exec() -> io::Result<()> {
    for entry in fs::read_dir("/proc/self/fd")? {
        let number = entry?.file_name().to_str().and_then(|name| name.parse::<i32>().ok());
        if let Some(number) = number.filter(|number| *number > 2) {
            // SAFETY: the number was just listed as open, this is the only thread, and nothing is closed here.
            let descriptor = unsafe { BorrowedFd::borrow_raw(number) };
            rustix::io::fcntl_setfd(descriptor, rustix::io::FdFlags::CLOEXEC)?;
        }
    }
    Ok(())
}

#[expect(unsafe_code, reason = "the launcher opened this number for this program, and nothing else has it")]
fn inherited(number: RawFd) -> OwnedFd {
    // SAFETY: `Bwrap::start` passes exactly the descriptors that it names, each is taken once, and this is the only thread.
    unsafe { OwnedFd::from_raw_fd(number) }
}

fn tell(report: &mut File, what: &Report) {
    if let Ok(mut line) = serde_json::to_vec(what) {
        line.push(b'\n');
        // An owner that is gone takes the box with it.
        let _ = report.write_all(&line);
    }
}

fn prepare(inside: &Inside, go: &Go, doors: &[OwnedFd], closed: io::Result<()>) -> Result<InForce, Missing> {
    closed.map_err(|error| Missing::new("descriptors", error))?;
    let mut in_force = InForce::default();
    let mut tried = |result: Result<String, Missing>| match result {
        Ok(how) => Ok(how),
        Err(missing) if inside.dispensable.contains(&missing.control) => {
            in_force.missing.push(missing);
            Ok(String::new())
        }
        Err(missing) => Err(missing),
    };
    join(doors).map_err(|error| Missing::new("groups", error))?;
    tried(limit(inside, go).map(|()| String::new()).map_err(|error| Missing::new("rlimits", error)))?;
    let landlock = tried(restrict(&inside.writable).map_err(|reason| Missing::new("landlock", reason)))?;
    tried(filter::apply().map(|()| String::new()).map_err(|reason| Missing::new("seccomp", reason)))?;
    in_force.landlock = landlock;
    Ok(in_force)
}

/// Goes under the limits of the whole box; what is started from here on is under them too.
fn join(doors: &[OwnedFd]) -> io::Result<()> {
    doors.iter().try_for_each(|door| Ok(rustix::io::write(door, JOIN).map(drop)?))
}

fn limit(inside: &Inside, go: &Go) -> io::Result<()> {
    let mut wanted =
        vec![(Resource::Nofile, inside.files), (Resource::Nproc, inside.processes), (Resource::Core, 0)];
    wanted.extend(go.data_bytes.map(|bytes| (Resource::Data, bytes)));
    for (resource, most) in wanted {
        let most = getrlimit(resource).maximum.map_or(most, |hard| hard.min(most));
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?;
    }
    Ok(())
}

/// Everything may be read and run; written only what the box gives to be written.
fn restrict(writable: &[String]) -> Result<String, String> {
    let read = AccessFs::from_read(LANDLOCK);
    let devices = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::ReadDir | AccessFs::IoctlDev;
    let mut rules: Vec<(&str, BitFlags<AccessFs>)> = vec![("/", read), ("/dev", devices)];
    rules.extend(writable.iter().map(|path| (path.as_str(), AccessFs::from_all(LANDLOCK))));
    let status = enforce(&rules).map_err(|error| error.to_string())?;
    match status.ruleset {
        RulesetStatus::FullyEnforced => Ok("whole".to_owned()),
        RulesetStatus::PartiallyEnforced => Ok("as far as this kernel knows it".to_owned()),
        RulesetStatus::NotEnforced => Err("this kernel has no Landlock".to_owned()),
    }
}

fn enforce(rules: &[(&str, BitFlags<AccessFs>)]) -> Result<RestrictionStatus, Box<dyn std::error::Error>> {
    let mut ruleset = Ruleset::default().handle_access(AccessFs::from_all(LANDLOCK))?.create()?;
    for (path, access) in rules {
        ruleset = ruleset.add_rule(PathBeneath::new(PathFd::new(path)?, *access))?;
    }
    Ok(ruleset.restrict_self()?)
}
