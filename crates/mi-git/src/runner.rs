//! How git is started in one folder.

use mi_process::{Environment, Limits, Spawner};
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    time::Duration,
};

use crate::GitCall;

/// Options of every call. `protocol.ext` would let a remote's address name a program.
const ALWAYS: [&str; 10] = [
    "--no-pager",
    "--no-optional-locks",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "commit.gpgSign=false",
    "-c",
    "tag.gpgSign=false",
    "-c",
    "protocol.ext.allow=never",
];
const NO_HOOKS: [&str; 2] = ["-c", "core.hooksPath=/dev/null"];
/// Variables that point git to another repository than that of its folder.
const REPOSITORY_VARIABLES: [&str; 5] =
    ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR"];
const DEFAULT_LIMITS: Limits = Limits { timeout: Duration::from_secs(120), max_output_bytes: 16 << 20 };

/// Calls git in one folder, with one environment and one set of settings.
#[derive(Debug, Clone)]
pub struct GitRunner {
    pub(crate) spawner: Spawner,
    pub(crate) environment: Environment,
    pub(crate) folder: PathBuf,
    pub(crate) limits: Limits,
    pub(crate) keeps_cut_output: bool,
    settings: Vec<String>,
    shows_hooks_path: bool,
}

impl GitRunner {
    /// Git in `folder`, with the variables of this process.
    pub fn new(spawner: Spawner, folder: &Path) -> Self {
        Self::with_environment(spawner, Environment::Inherit { set: Vec::new(), remove: Vec::new() }, folder)
    }

    /// Git in `folder` with the variables of `environment`, but for those that name another repository.
    pub fn with_environment(spawner: Spawner, environment: Environment, folder: &Path) -> Self {
        let environment =
            REPOSITORY_VARIABLES.iter().fold(environment, |environment, name| environment.without(name));
        Self::assemble(spawner, environment, folder)
    }

    /// Git in the repository and index that this process was given by its variables, as in a hook of git.
    pub fn of_this_process(spawner: Spawner, folder: &Path) -> Self {
        let environment = Environment::Inherit { set: Vec::new(), remove: Vec::new() };
        Self::assemble(spawner, environment, folder)
    }

    fn assemble(spawner: Spawner, environment: Environment, folder: &Path) -> Self {
        let environment = environment
            .without("GIT_EXTERNAL_DIFF")
            .with("GIT_TERMINAL_PROMPT", "0")
            .with("GIT_EDITOR", "true")
            .with("LC_ALL", "C");
        Self {
            spawner,
            environment,
            // Programs are started by a supervisor, which has a working directory of its own.
            folder: std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned()),
            limits: DEFAULT_LIMITS,
            keeps_cut_output: false,
            settings: Vec::new(),
            shows_hooks_path: false,
        }
    }

    /// The same git in another folder.
    #[must_use]
    pub fn in_folder(mut self, folder: &Path) -> Self {
        self.folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        self
    }

    /// With settings in the form of `git -c`: `core.quotePath=false`. A later one wins.
    #[must_use]
    pub fn with_settings(mut self, settings: &[&str]) -> Self {
        self.settings.extend(settings.iter().map(|setting| (*setting).to_owned()));
        self
    }

    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Output over the limit is cut off there instead of being an error.
    #[must_use]
    pub fn cutting_long_output(mut self) -> Self {
        self.keeps_cut_output = true;
        self
    }

    /// Without the settings of the person and of the machine: what git does is the same everywhere.
    #[must_use]
    pub fn without_personal_settings(mut self) -> Self {
        self.environment = self
            .environment
            .without("GIT_CONFIG_PARAMETERS")
            .without("GIT_CONFIG_COUNT")
            .with("GIT_CONFIG_NOSYSTEM", "1")
            .with("GIT_CONFIG_GLOBAL", "/dev/null");
        self
    }

    /// For asking git where its hooks are, which is the one answer that switching them off would change.
    #[must_use]
    pub fn showing_hooks_path(mut self) -> Self {
        self.shows_hooks_path = true;
        self
    }

    /// A call with these arguments, not started yet.
    pub fn call<'a>(&'a self, args: &'a [&'a str]) -> GitCall<'a> {
        GitCall::new(self, args)
    }

    /// All arguments of a call.
    pub(crate) fn arguments(&self, args: &[&str]) -> Vec<OsString> {
        let no_hooks: &[&str] = if self.shows_hooks_path { &[] } else { &NO_HOOKS };
        let settings = self.settings.iter().flat_map(|setting| ["-c", setting]);
        let all = ALWAYS.iter().chain(no_hooks).copied().chain(settings).chain(args.iter().copied());
        all.map(OsString::from).collect()
    }
}
