//! Whether a check that the project names is worth something: it is the project's own, not made by the agent in this run,
//! and the script behind it can fail.

use super::{ProjectCheck, ProjectProfile, STRATEGY_SOURCE, TASK_SOURCE};
use crate::{
    checks::{calls_known_runner, shell, trivial_script},
    criteria::Criterion,
};

/// The profile with those checks marked that were not there, or did something else, when the run began: the agent's
/// word, not the project's. What the task names is the person's.
pub fn with_new_checks(
    mut profile: ProjectProfile,
    first: &[ProjectCheck],
    criteria: &[Criterion],
) -> ProjectProfile {
    for check in &mut profile.checks {
        let was_there = first.iter().any(|old| old.command == check.command && old.script == check.script);
        let is_named = criteria.iter().any(|criterion| criterion.text.contains(&check.source));
        let of_person = [STRATEGY_SOURCE, TASK_SOURCE].contains(&check.source.as_str());
        check.is_new = !(was_there || is_named || of_person || check.source.starts_with("convention: "));
    }
    profile
}

impl ProjectCheck {
    /// Why its exit code 0 says nothing, if the project's own script swallows failures.
    pub(crate) fn hides_failure(&self) -> Option<String> {
        hides_failure(&self.script)
            .then(|| format!("`{}` goes on when `{}` fails", self.source, first_line(&self.script)))
    }

    /// Why it is the agent's word rather than the project's. A script that calls a known runner shows by its output
    /// what ran, whoever wrote it.
    pub(crate) fn is_agents_word(&self) -> Option<String> {
        let shows_tests =
            calls_known_runner(&self.script) || self.script.is_empty() && calls_known_runner(&self.command);
        (self.is_new && !shows_tests)
            .then(|| format!("`{}` names it as a check only since this run", self.source))
    }
}

/// Whether nothing of what a script or recipe runs can make it fail. Each line of a recipe counts.
fn hides_failure(script: &str) -> bool {
    let mut hides = false;
    for line in script.lines().map(|line| line.trim().trim_start_matches(['@', '+', ' '])) {
        if let Some(ignored) = line.strip_prefix('-') {
            hides |= !trivial_script(ignored);
            continue;
        }
        // What is not understood may fail.
        let Some(parts) = shell::read(line) else { return false };
        let works = parts.iter().filter(|part| part.words.first().is_some_and(|program| !is_idle(program)));
        for part in works {
            if part.hidden.is_none() {
                return false;
            }
            hides = true;
        }
    }
    hides
}

/// Programs that check nothing.
fn is_idle(program: &str) -> bool {
    ["echo", "printf", "true", ":", "exit", "cd", "export", "set", "mkdir", "rm", "sleep"].contains(&program)
}

fn first_line(script: &str) -> String {
    mi_model::shorten(script.lines().next().unwrap_or_default().trim(), 80)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 11-autopilot-semantics: a command that hides its exit code proves nothing, also inside the project's own files.
    #[test]
    fn scripts_that_swallow_failures() {
        for (script, expected) in [
            ("node check.js || true", true),
            ("jest; true", true),
            ("jest || exit 0; echo ok", true),
            ("-./run.sh", true),
            ("@-./run.sh\n@echo done", true),
            ("./run.sh || true", true),
            ("", false),
            ("jest", false),
            ("tsc; jest", false),
            ("-rm -f x\npytest", false),
            ("$(PYTEST) -q", false),
        ] {
            assert_eq!(hides_failure(script), expected, "{script}");
        }
    }

    /// A check that the agent made or redefined is its own word, unless the task speaks of it or a known runner shows
    /// what ran.
    #[test]
    fn checks_of_the_agent_are_no_checks_of_the_project() {
        let check = |source: &str, command: &str, script: &str| ProjectCheck {
            command: command.to_owned(),
            source: source.to_owned(),
            runs_tests: true,
            script: script.to_owned(),
            is_new: false,
        };
        let first = [check("Makefile", "make test", "./run.sh")];
        for (now, task, expected) in [
            (check("Makefile", "make test", "./run.sh"), "Fix it", false),
            (check("Makefile", "make test", "./ok.sh"), "Fix it", true),
            (check("Makefile", "make test", "./ok.sh"), "Let the Makefile run ok.sh", false),
            (check("Makefile", "make test", "pytest -q"), "Fix it", false),
            (check("README.md", "./verify.sh", ""), "Fix it", true),
            (check("README.md", "pytest", ""), "Fix it", false),
            (check("package.json", "npm test", "node ok.js"), "Fix it", true),
            (check("convention: rust", "cargo test", ""), "Fix it", false),
        ] {
            let profile = ProjectProfile { checks: vec![now.clone()], ..ProjectProfile::default() };
            let marked = with_new_checks(profile, &first, &crate::criteria::criteria(task));
            assert_eq!(marked.checks[0].is_agents_word().is_some(), expected, "{now:?} {task}");
        }
    }
}
