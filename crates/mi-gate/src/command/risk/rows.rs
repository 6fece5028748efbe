//! Rows of data: program, subcommand and flags that mean a risk whatever else the command says.

use mi_model::{RiskCategory, Severity};

use super::{Findings, effective};
use crate::command::types::SimpleCommand;

mod change;
mod install;
mod machine;
mod network;
mod push;

/// One rule. A command matches if its program is listed, its operands start with one of `subs` (if any are given),
/// it has one of `flags` (if any are given) and none of `without`.
pub(super) struct Row {
    programs: &'static [&'static str],
    subs: &'static [&'static str],
    flags: &'static [&'static str],
    without: &'static [&'static str],
    category: RiskCategory,
    severity: Severity,
    external: bool,
    why: &'static str,
    /// Commands that must match, and commands that must not.
    #[cfg_attr(not(test), expect(dead_code, reason = "read by the test that checks every row"))]
    examples: Examples,
}

#[cfg_attr(not(test), expect(dead_code, reason = "read by the test that checks every row"))]
struct Examples {
    hits: &'static [&'static str],
    misses: &'static [&'static str],
}

/// A row for `programs` with one of the subcommands.
const fn row(
    programs: &'static [&'static str],
    subs: &'static [&'static str],
    category: RiskCategory,
    severity: Severity,
    why: &'static str,
) -> Row {
    let external = matches!(
        category,
        RiskCategory::Network | RiskCategory::Install | RiskCategory::Push | RiskCategory::Cost
    );
    Row {
        programs,
        subs,
        flags: &[],
        without: &[],
        category,
        severity,
        external,
        why,
        examples: Examples { hits: &[], misses: &[] },
    }
}

impl Row {
    const fn flags(self, flags: &'static [&'static str]) -> Self {
        Self { flags, ..self }
    }

    const fn without(self, without: &'static [&'static str]) -> Self {
        Self { without, ..self }
    }

    const fn external(self) -> Self {
        Self { external: true, ..self }
    }

    const fn local(self) -> Self {
        Self { external: false, ..self }
    }

    const fn examples(self, hits: &'static [&'static str], misses: &'static [&'static str]) -> Self {
        Self { examples: Examples { hits, misses }, ..self }
    }

    fn matches(&self, program: &str, args: &[&str], operands: &[&str]) -> bool {
        self.programs.contains(&program)
            && (self.subs.is_empty() || self.subs.iter().any(|sub| starts_with(operands, sub)))
            && (self.flags.is_empty() || self.flags.iter().any(|flag| has_flag(args, flag)))
            && !self.without.iter().any(|flag| has_flag(args, flag) || operands.contains(flag))
    }
}

const TABLES: &[&[Row]] = &[network::ROWS, install::ROWS, push::ROWS, change::ROWS, machine::ROWS];

pub(super) fn find(command: &SimpleCommand, findings: &mut Findings) {
    let (program, args) = effective(command);
    let operands = operands(program, &args);
    for row in TABLES.iter().copied().flatten().filter(|row| row.matches(program, &args, &operands)) {
        findings.add(command, row.category, row.severity, row.external, row.why);
    }
}

/// Options before the subcommand that take the next word.
const VALUED: &[(&str, &[&str])] = &[
    ("git", &["-C", "-c", "--git-dir", "--work-tree", "--namespace"]),
    ("docker", &["-H", "--host", "--context", "-c", "--config", "-l", "--log-level"]),
    ("kubectl", &["-n", "--namespace", "--context", "--kubeconfig", "--cluster", "--user", "-s", "--server"]),
    ("helm", &["-n", "--namespace", "--kube-context", "--kubeconfig"]),
    ("aws", &["--region", "--profile", "--output", "--endpoint-url", "--query"]),
    ("gcloud", &["--project", "--zone", "--region", "--account", "--configuration"]),
    ("az", &["--subscription", "--output", "-o"]),
    ("gh", &["-R", "--repo"]),
    ("npm", &["--prefix", "-C", "-w", "--workspace", "--registry"]),
    ("pnpm", &["-C", "--dir", "--filter", "-F"]),
    ("yarn", &["--cwd"]),
    ("cargo", &["--config", "-Z", "-C", "--manifest-path", "--color"]),
    ("make", &["-C", "-f", "-j", "--directory", "--file"]),
    ("terraform", &["-chdir"]),
    ("apt-get", &["-o", "-t", "-c"]),
    ("apt", &["-o", "-t", "-c"]),
    ("uv", &["--directory", "--project", "--python", "-p"]),
    ("systemctl", &["-H", "--host", "-M"]),
    ("mysqladmin", &["-u", "-h", "-P", "--user", "--host"]),
    ("redis-cli", &["-h", "-p", "-a", "-n", "-u"]),
    ("heroku", &["-a", "--app"]),
    ("fly", &["-a", "--app", "-c"]),
    ("flyctl", &["-a", "--app", "-c"]),
    ("gsutil", &["-o", "-h"]),
    ("rclone", &["--config"]),
    ("vercel", &["--token", "--cwd", "-A"]),
    ("hcloud", &["--context", "--config"]),
    ("pulumi", &["-C", "--cwd", "-s"]),
    ("poetry", &["-C", "--directory"]),
    ("bundle", &["--gemfile"]),
    ("composer", &["-d", "--working-dir"]),
    ("mvn", &["-f", "-P", "-pl", "-s"]),
    ("mvnw", &["-f", "-P", "-pl", "-s"]),
    ("gradlew", &["-p", "-b"]),
    ("rails", &["-e"]),
];

/// The words that are neither options nor values of known options.
pub(crate) fn operands<'a>(program: &str, args: &[&'a str]) -> Vec<&'a str> {
    let valued = VALUED.iter().find(|(name, _)| *name == program).map_or(&[][..], |(_, options)| *options);
    let mut operands = Vec::new();
    let mut skip = false;
    for arg in args {
        if std::mem::take(&mut skip) {
            continue;
        }
        if valued.contains(arg) && operands.is_empty() {
            skip = true;
            continue;
        }
        let is_option = arg.starts_with('-') && arg.len() > 1;
        let is_toolchain = program == "cargo" && arg.starts_with('+');
        if !is_option && !is_toolchain {
            operands.push(*arg);
        }
    }
    operands
}

fn starts_with(operands: &[&str], sub: &str) -> bool {
    let mut rest = operands.iter();
    sub.split(' ').all(|want| rest.next().is_some_and(|have| *have == want))
}

/// `--flag`, `--flag=value`, or the letter of `-f` in a group like `-xdf`.
pub(crate) fn has_flag(args: &[&str], flag: &str) -> bool {
    let letter = flag.strip_prefix('-').filter(|rest| rest.len() == 1 && *rest != "-");
    args.iter().any(|arg| {
        let long = arg.strip_prefix(flag).is_some_and(|rest| rest.is_empty() || rest.starts_with('='));
        let grouped = letter.is_some_and(|letter| {
            let group = arg.strip_prefix('-').filter(|group| !group.starts_with('-'));
            group.is_some_and(|group| {
                group.len() <= 6
                    && group.bytes().all(|byte| byte.is_ascii_alphabetic())
                    && group.contains(letter)
            })
        });
        long || grouped
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::analyze;

    fn matches(row: &Row, script: &str) -> bool {
        analyze(script).commands.iter().any(|command| {
            let (program, args) = effective(command);
            row.matches(program, &args, &operands(program, &args))
        })
    }

    /// Every row matches what it says it matches, and nothing it says it leaves alone.
    #[test]
    fn every_row_has_examples_that_hold() {
        let mut wrong = Vec::new();
        for row in TABLES.iter().copied().flatten() {
            if row.examples.hits.is_empty() || row.examples.misses.is_empty() {
                wrong.push(format!("no examples: {}", row.why));
            }
            let hits = row.examples.hits.iter().filter(|script| !matches(row, script));
            wrong.extend(hits.map(|script| format!("`{script}` must match: {}", row.why)));
            let misses = row.examples.misses.iter().filter(|script| matches(row, script));
            wrong.extend(misses.map(|script| format!("`{script}` must not match: {}", row.why)));
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}
