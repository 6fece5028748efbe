//! `.mi/deploy.yaml`: how each target is tested, checked after a deployment, and brought back.

use mi_yaml::YamlError;
use std::collections::BTreeMap;

use serde::Deserialize;

/// The file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    version: u64,
    pub targets: BTreeMap<String, Target>,
}

/// One place that is deployed to. Paths are relative to the project.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Target {
    /// The command whose success is "all tests pass".
    pub tests: Option<String>,
    /// Names of variables that the target needs, one per line.
    pub environment: Option<String>,
    /// What the target has, as `NAME=value` lines; without it the environment of this process counts.
    pub environment_file: Option<String>,
    /// The document that says what to do when the deployment fails.
    pub rollback_plan: Option<String>,
    /// The command that goes back.
    pub rollback: Option<String>,
    /// An address that answers 200 when the service is well.
    pub health: Option<String>,
    pub smoke_test: Option<String>,
    /// The log in which start-up errors stand.
    pub log: Option<String>,
}

/// Why the file was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    #[error("{file}, {source}")]
    Yaml { file: String, source: YamlError },
    #[error("{file}: version {version} is not known; write `version: 1`")]
    Version { file: String, version: u64 },
    #[error("{file}: there is no target `{wanted}`; there are {known}")]
    NoTarget { file: String, wanted: String, known: String },
}

impl Plan {
    /// Reads the file strictly.
    pub fn parse(file: &str, text: &str) -> Result<Self, PlanError> {
        let plan: Self =
            mi_yaml::read(text).map_err(|source| PlanError::Yaml { file: file.to_owned(), source })?;
        match plan.version {
            1 => Ok(plan),
            version => Err(PlanError::Version { file: file.to_owned(), version }),
        }
    }

    /// The target of this name; without a name the only one, or `production`.
    pub fn target(&self, file: &str, wanted: Option<&str>) -> Result<(&str, &Target), PlanError> {
        let only = || self.targets.keys().next().filter(|_| self.targets.len() == 1).map(String::as_str);
        let name = wanted.or_else(only).unwrap_or("production");
        let found = self.targets.get_key_value(name).map(|(name, target)| (name.as_str(), target));
        found.ok_or_else(|| PlanError::NoTarget {
            file: file.to_owned(),
            wanted: name.to_owned(),
            known: self.targets.keys().cloned().collect::<Vec<_>>().join(", "),
        })
    }
}

/// Names in a manifest: one per line, comments and values left out.
pub fn names(text: &str) -> Vec<String> {
    text.lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim())
        .map(|line| line.strip_prefix("export ").unwrap_or(line))
        .map(|line| line.split('=').next().unwrap_or_default().trim().to_owned())
        .filter(|name| !name.is_empty())
        .collect()
}

/// Names in a file of `NAME=value` lines that have a value.
pub fn names_with_value(text: &str) -> Vec<String> {
    let has_value = |line: &&str| {
        line.split_once('=').is_some_and(|(_, value)| !value.trim().trim_matches(['"', '\'']).is_empty())
    };
    names(&text.lines().filter(has_value).collect::<Vec<_>>().join("\n"))
}

/// Lines of a log that tell of an error at the start.
pub fn startup_errors(log: &str) -> Vec<String> {
    const WORDS: [&str; 9] = [
        "error",
        "fatal",
        "panic",
        "exception",
        "traceback",
        "critical",
        "failed to start",
        "refused",
        "emerg",
    ];
    let is_bad = |line: &&str| {
        let line = line.to_lowercase();
        let good = ["0 error", "no error", "error=0", "errors=0", "without error"];
        WORDS.iter().any(|word| line.contains(word)) && !good.iter().any(|word| line.contains(word))
    };
    log.lines().filter(is_bad).take(50).map(|line| mi_model::shorten(line.trim(), 300)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The only target is meant when none is named; a wrong name is told with those that there are.
    #[test]
    fn d_16_targets_are_found_by_name() {
        let plan = Plan::parse("f", "version: 1\ntargets:\n  live: {tests: make test}\n").unwrap();
        assert_eq!(plan.target("f", None).unwrap().0, "live");
        let error = plan.target("f", Some("x")).unwrap_err().to_string();
        assert_eq!(error, "f: there is no target `x`; there are live");
        let error = Plan::parse("f", "version: 1\ntargets:\n  live: {test: make}\n").unwrap_err().to_string();
        assert!(error.contains("line 3") && error.contains("`tests`"), "{error}");
        assert!(Plan::parse("f", "version: 2\ntargets: {}\n").is_err());
    }

    /// Names are read from manifests and environment files alike; a name without a value is not set.
    #[test]
    fn d_16_names_are_read_without_values() {
        assert_eq!(names("A\n# x\nexport B=1\n\nC # why\n"), ["A", "B", "C"]);
        assert_eq!(names_with_value("A=1\nB=\nC=\"\"\nD='x'\n"), ["A", "D"]);
    }

    /// A line that counts no errors is none.
    #[test]
    fn d_16_startup_errors_are_found() {
        let log = "started\nERROR no DATABASE_URL\n0 errors\nthread 'main' panicked at x\n";
        assert_eq!(startup_errors(log), ["ERROR no DATABASE_URL", "thread 'main' panicked at x"]);
    }
}
