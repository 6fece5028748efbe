//! What the installed codex supports, read off its own help.

use mi_process::{Environment, Limits, RunEnd, RunError, SpawnSpec, Spawner, Stdin, run_to_end};
use serde::{Deserialize, Serialize};
use std::{path::Path, time::Duration};

use super::missing;
use crate::HandsError;

/// What a version of codex supports. It holds as long as the program file is the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodexSupport {
    pub version: String,
    pub full_auto: bool,
    pub sandbox: bool,
    pub json: bool,
    pub skip_git_repo_check: bool,
    pub output_schema: bool,
}

/// Asks the program for its version and its flags.
pub fn probe(
    spawner: &Spawner,
    program: &Path,
    environment: &Environment,
) -> Result<CodexSupport, HandsError> {
    let version = ask(spawner, program, &["--version"], environment)?;
    let help = ask(spawner, program, &["exec", "--help"], environment)?;
    let support = read_help(version.split_whitespace().last().unwrap_or("unknown version"), &help);
    if !support.json {
        return Err(HandsError::TooOld { program: program.display().to_string(), version: support.version });
    }
    Ok(support)
}

fn ask(
    spawner: &Spawner,
    program: &Path,
    args: &[&str],
    environment: &Environment,
) -> Result<String, HandsError> {
    let spec = SpawnSpec {
        program: program.as_os_str().to_owned(),
        args: args.iter().map(Into::into).collect(),
        cwd: "/".into(),
        environment: environment.clone(),
        stdin: Stdin::Null,
    };
    let limits = Limits { timeout: Duration::from_secs(30), max_output_bytes: 256 * 1024 };
    let fail = |message: String| HandsError::Probe { program: program.display().to_string(), message };
    let output = match run_to_end(spawner, &spec, limits, None) {
        Ok(output) => output,
        Err(RunError::Spawn(error)) if error.is_missing_program() => return Err(missing(program)),
        Err(error) => return Err(fail(error.to_string())),
    };
    match output.end {
        RunEnd::Exited(status) if status.is_success() => {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        }
        RunEnd::Exited(status) => {
            let words = String::from_utf8_lossy(&output.stderr);
            Err(fail(format!("`{}` ended with {status}: {}", args.join(" "), words.trim())))
        }
        RunEnd::TimedOut | RunEnd::Woken => {
            Err(fail(format!("`{}` did not end within {:?}", args.join(" "), limits.timeout)))
        }
    }
}

fn read_help(version: &str, help: &str) -> CodexSupport {
    let has = |flag: &str| {
        help.split(|char: char| char.is_whitespace() || char == ',' || char == '=').any(|word| word == flag)
    };
    CodexSupport {
        version: version.to_owned(),
        full_auto: has("--full-auto"),
        sandbox: has("--sandbox"),
        json: has("--json"),
        skip_git_repo_check: has("--skip-git-repo-check"),
        output_schema: has("--output-schema"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Flags are whole words: `--sandbox-extra` is not `--sandbox`.
    #[test]
    fn flags_are_read_off_the_help() {
        let help = "  -s, --sandbox <MODE>\n      --json\n      --output-schema-x <F>\n";
        let expected = CodexSupport {
            version: "1.2.3".to_owned(),
            full_auto: false,
            sandbox: true,
            json: true,
            skip_git_repo_check: false,
            output_schema: false,
        };
        assert_eq!(read_help("1.2.3", help), expected);
    }
}
