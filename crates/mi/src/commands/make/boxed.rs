//! Where the files of a reply are run: the box, by way of `mi box exec`.

use mi_process::{Environment, ExitStatus, Limits, RunEnd, SpawnSpec, Spawner, Stdin, run_to_end};
use serde_json::Value;
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    time::Duration,
};

use crate::{app::App, args::MakeArgs, failure::Failure};

/// Runs a command on files, sealed off.
pub(super) trait BoxRunner {
    fn run(&self, work: &Path, command: &[String]) -> Result<BoxRun, Failure>;
}

/// What came of it.
pub(super) struct BoxRun {
    /// The engine `none` runs nothing; its exit code is nobody's.
    pub(super) was_run: bool,
    pub(super) exit: i32,
    pub(super) output: String,
    pub(super) manifest: Option<PathBuf>,
    pub(super) denials: Vec<Value>,
}

/// The project is read-only in the box; checks that write get a copy.
const IN_A_COPY: &str = "cp -R /workspace/input/. /workspace/data/ && cd /workspace/data && exec \"$@\"";
/// A job has an hour; this is only for a box that does not come back.
const LONGEST: Duration = Duration::from_secs(3 * 3600);
const MOST_OUTPUT_BYTES: usize = 64 << 20;

/// This very program as `mi box exec --json`: the contract that other programs use.
pub(super) struct MiExec {
    program: PathBuf,
    /// Up to `--`.
    arguments: Vec<OsString>,
    folder: PathBuf,
    spawner: Spawner,
}

impl MiExec {
    pub(super) fn new(app: &App, args: &MakeArgs, project: &Path, spawner: Spawner) -> Result<Self, Failure> {
        let program = std::env::current_exe()
            .map_err(|error| Failure::new("find the mi program itself").because(&error))?;
        let mut arguments: Vec<OsString> =
            vec!["--home".into(), app.home.clone().into(), "box".into(), "exec".into(), "--json".into()];
        for (flag, value) in
            [("--language", &args.language), ("--engine", &args.engine), ("--image", &args.image)]
        {
            arguments.extend(value.iter().flat_map(|value| [OsString::from(flag), value.into()]));
        }
        Ok(Self { program, arguments, folder: project.to_owned(), spawner })
    }
}

impl BoxRunner for MiExec {
    fn run(&self, work: &Path, command: &[String]) -> Result<BoxRun, Failure> {
        let mut args = self.arguments.clone();
        args.extend(["--from".into(), work.into(), "--".into()]);
        args.extend(["sh", "-c", IN_A_COPY, "sh"].map(OsString::from));
        args.extend(command.iter().map(OsString::from));
        let spec = SpawnSpec {
            program: self.program.clone().into(),
            args,
            cwd: self.folder.clone(),
            environment: Environment::Inherit { set: Vec::new(), remove: Vec::new() },
            stdin: Stdin::Null,
        };
        let limits = Limits { timeout: LONGEST, max_output_bytes: MOST_OUTPUT_BYTES };
        let output = run_to_end(&self.spawner, &spec, limits, None)
            .map_err(|error| Failure::new("run the check in the box").because(&error))?;
        let exit = match output.end {
            RunEnd::Exited(ExitStatus::Code(code)) => Some(code),
            _ => None,
        };
        read_events(&String::from_utf8_lossy(&output.stdout)).ok_or_else(|| {
            if output.left_out_bytes > 0 {
                return Failure::new(format!("the check printed more than {MOST_OUTPUT_BYTES} bytes"))
                    .todo("let it print less, for example into a file below /workspace/output");
            }
            let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            let exit = exit.map_or("a signal".to_owned(), |code| code.to_string());
            Failure::new(format!(
                "run the check in the box: mi box exec ended with {exit} and no result; {said}"
            ))
            .todo("mi doctor tells which engine works and why another does not")
        })
    }
}

/// The events of a run, up to its end; none if there was no end.
fn read_events(stdout: &str) -> Option<BoxRun> {
    let (mut output, mut was_run) = (String::new(), true);
    for line in stdout.lines() {
        let Ok(event) = serde_json::from_str::<Value>(line) else { continue };
        if event["event"] == "exec.finished" {
            return Some(BoxRun {
                was_run,
                exit: event["exit"].as_i64().and_then(|exit| i32::try_from(exit).ok())?,
                output,
                manifest: event["manifest"].as_str().map(PathBuf::from),
                denials: event["denials"].as_array().cloned().unwrap_or_default(),
            });
        }
        if event["event"] == "exec.started" {
            was_run = event["engine"] != "none";
        }
        if let Some(text) = event["text"].as_str() {
            output.push_str(text);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The command's output and end are read; without an end there is no result.
    #[test]
    fn o_events_of_a_run_are_read() {
        let run = "{\"event\":\"exec.output\",\"stream\":\"stdout\",\"text\":\"one\"}\nnoise\n\
                   {\"event\":\"exec.finished\",\"exit\":4,\"manifest\":null,\"denials\":[{\"rule\":\"F.upload\"}]}\n";
        let read = read_events(run).unwrap();
        assert_eq!((read.exit, read.output.as_str(), read.manifest), (4, "one", None));
        assert_eq!(read.denials[0]["rule"], "F.upload");
        assert!(read.was_run);
        assert!(read_events("{\"event\":\"exec.output\",\"text\":\"x\"}\n").is_none());
    }
}
