//! Starting the other AI: read-only, in an empty folder, within its time; two at once and no more.

use mi_gate::consult::{MOST_AT_ONCE, Mode};
use mi_process::{Environment, Limits, RunEnd, SpawnSpec, Stdin, find_program, run_to_end};
use std::{
    ffi::{OsStr, OsString},
    fs::{self, File, OpenOptions, TryLockError},
    path::{Path, PathBuf},
    time::Duration,
};

use crate::{app::App, commands::launch, failure::Failure};

/// An AI that can be asked.
pub(super) struct Other {
    pub(super) name: String,
    program: OsString,
    args: Vec<OsString>,
    images: Vec<PathBuf>,
    timeout: Duration,
}

/// How asking ended.
pub(super) enum Asked {
    Answer(String),
    Failed(String),
}

/// The right to ask; given back when dropped or when the process ends.
pub(super) struct Turn {
    _slot: File,
}

/// Takes one of the two places, or says that both are taken.
pub(super) fn take_turn(home: &Path) -> Result<Turn, Failure> {
    let folder = home.join("gate/consult");
    let fail = |error: std::io::Error| Failure::new("wait for a turn to ask another AI").because(&error);
    fs::create_dir_all(&folder).map_err(fail)?;
    for number in 0..MOST_AT_ONCE {
        let path = folder.join(format!("slot-{number}"));
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(path).map_err(fail)?;
        match file.try_lock() {
            Ok(()) => return Ok(Turn { _slot: file }),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(fail(error)),
        }
    }
    Err(Failure::needs_person("two other AIs are being asked already").todo("wait until one has answered"))
}

impl Other {
    pub(super) fn find(app: &App, by: &str, mode: Mode, images: &[PathBuf]) -> Result<Self, Failure> {
        let text = |words: &[&str]| words.iter().map(Into::into).collect::<Vec<OsString>>();
        let (program, args) = match by {
            "codex" => {
                let settings = app.settings(&app.folder(), &[])?;
                let program = mi_hands::find_native(&launch::codex_program(app, &settings));
                let mut args = text(&["exec", "--sandbox", "read-only", "--skip-git-repo-check"]);
                for image in images {
                    args.extend([OsString::from("-i"), image.file_name().unwrap_or_default().to_owned()]);
                }
                args.extend(text(&["--", "-"]));
                (program.into_os_string(), args)
            }
            "claude" => {
                let tools = match mode {
                    Mode::Research => "WebSearch,WebFetch",
                    Mode::Multimodal => "Read",
                    Mode::Review | Mode::Implement => "",
                };
                let args = [
                    "-p",
                    "--output-format",
                    "text",
                    "--permission-mode",
                    "plan",
                    "--strict-mcp-config",
                    "--tools",
                    tools,
                ];
                (find(app, "claude")?.into_os_string(), text(&args))
            }
            other => match other.strip_prefix("exec:").filter(|command| !command.trim().is_empty()) {
                Some(command) => ("/bin/sh".into(), text(&["-c", command])),
                None => {
                    return Err(Failure::usage(format!("`{other}` is not known"))
                        .todo("ask codex, claude, or exec:PROGRAM"));
                }
            },
        };
        let timeout = Duration::from_secs(mode.timeout_seconds());
        Ok(Self { name: by.to_owned(), program, args, images: images.to_vec(), timeout })
    }

    /// One try. The folder it runs in is empty but for the images.
    pub(super) fn ask(&self, text: &str, home: &Path) -> Result<Asked, Failure> {
        let work = home.join("gate/consult").join(format!("work-{}", std::process::id()));
        let fail =
            |error: std::io::Error| Failure::new(format!("prepare {}", work.display())).because(&error);
        fs::create_dir_all(&work).map_err(fail)?;
        for image in &self.images {
            fs::copy(image, work.join(image.file_name().unwrap_or_default())).map_err(fail)?;
        }
        let spec = SpawnSpec {
            program: self.program.clone(),
            args: self.args.clone(),
            cwd: work.clone(),
            environment: Environment::Inherit { set: Vec::new(), remove: Vec::new() },
            stdin: Stdin::Bytes(text.as_bytes().to_vec()),
        };
        let limits = Limits { timeout: self.timeout, max_output_bytes: 2 << 20 };
        let output = run_to_end(&launch::spawner()?, &spec, limits, None);
        drop(fs::remove_dir_all(&work));
        let output = output.map_err(|error| Failure::of(&error))?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let complaint = mi_secrets::redact(&String::from_utf8_lossy(&output.stderr)).trim().to_owned();
        Ok(match output.end {
            RunEnd::TimedOut => Asked::Failed(format!("no answer within {} s", self.timeout.as_secs())),
            end if end.is_success() && !said.trim().is_empty() => Asked::Answer(said),
            end if end.is_success() => Asked::Failed("it said nothing".to_owned()),
            _ => Asked::Failed(mi_model::shorten(complaint.lines().last().unwrap_or("it failed"), 300)),
        })
    }
}

fn find(app: &App, name: &str) -> Result<PathBuf, Failure> {
    find_program(OsStr::new(name), OsStr::new(app.variable("PATH").unwrap_or_default())).ok_or_else(|| {
        Failure::needs_person(format!("the program `{name}` is not there"))
            .todo("install it, or ask another AI")
    })
}
