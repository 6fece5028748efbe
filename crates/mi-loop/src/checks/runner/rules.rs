//! What the options of each runner mean for the proof: which narrow it, which make it run nothing.

use super::super::Runner;

/// What the arguments of a call say.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Reading {
    /// The option because of which no test runs.
    pub(super) never_runs: Option<String>,
    /// The option because of which failures do not count.
    pub(super) ignores_failure: Option<String>,
    /// Options that leave tests out, as written.
    pub(super) narrowed_by: Vec<String>,
    /// What those options, and filters, select; empty as soon as something is excluded.
    pub(super) selects: Vec<String>,
    /// Files, folders, packages or filters given by position.
    pub(super) positional: Vec<String>,
    /// Whether an option names tests that do not run.
    pub(super) excludes: bool,
}

/// The options of one runner that matter.
struct Rules {
    never_runs: &'static [&'static str],
    ignores_failure: &'static [&'static str],
    /// Leave tests out; each takes a value unless it is in `bare`.
    narrows: &'static [&'static str],
    bare: &'static [&'static str],
    /// Take a value and change nothing.
    values: &'static [&'static str],
}

/// Reads the arguments of a call of `runner`.
pub(super) fn read(runner: Runner, arguments: &[String]) -> Reading {
    let rules = rules(runner);
    let mut reading = Reading::default();
    let mut words = arguments.iter().peekable();
    while let Some(word) = words.next() {
        if word == "--" {
            continue;
        }
        if !word.starts_with('-') || word == "-" {
            reading.positional.push(word.clone());
            continue;
        }
        let (name, joined) =
            word.split_once('=').map_or((word.as_str(), None), |(name, value)| (name, Some(value)));
        if ["--help", "-h", "--version"].contains(&name) || listed(rules.never_runs, word) {
            reading.never_runs = Some(word.clone());
        } else if listed(rules.ignores_failure, word) {
            reading.ignores_failure = Some(word.clone());
        } else if let Some(option) = narrowing(&rules, name) {
            let attached = (name.len() > option.len()).then(|| name[option.len()..].to_owned());
            let takes_value = !rules.bare.contains(&option) && joined.is_none() && attached.is_none();
            let value = joined.map(str::to_owned).or(attached);
            let value = value.or_else(|| if takes_value { words.next().cloned() } else { None });
            reading.narrowed_by.push(word.clone());
            reading.excludes |= excludes(option, value.as_deref());
            reading.selects.extend(value);
        } else if runner == Runner::Unittest && ["-s", "--start-directory"].contains(&name) {
            // Where discovery starts is what it covers.
            reading.positional.extend(joined.map(str::to_owned).or_else(|| words.next().cloned()));
        } else if rules.values.contains(&name) && joined.is_none() {
            words.next();
        }
    }
    if reading.excludes {
        reading.selects.clear();
    }
    reading
}

/// Whether the option names what is left out rather than what runs.
fn excludes(option: &str, value: Option<&str>) -> bool {
    let lower = option.to_lowercase();
    let negative =
        ["exclude", "skip", "ignore", "deselect", "invert"].iter().any(|word| lower.contains(word));
    negative
        || ["-x", "-LE", "-E"].contains(&option)
        || value.is_some_and(|value| value.contains("not ") || value.contains('!'))
}

fn listed(options: &[&str], word: &str) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    options.contains(&word) || options.contains(&name)
}

/// The narrowing option that `name` is: by its whole name, or a short one with its value attached (`-kfoo`).
fn narrowing(rules: &Rules, name: &str) -> Option<&'static str> {
    let exact = rules.narrows.iter().find(|option| **option == name);
    let attached = || {
        let short =
            |option: &&&str| option.len() == 2 && !rules.bare.contains(option) && !name.starts_with("--");
        rules.narrows.iter().filter(short).find(|option| name.starts_with(**option))
    };
    exact.or_else(attached).copied()
}

const NONE: Rules = Rules { never_runs: &[], ignores_failure: &[], narrows: &[], bare: &[], values: &[] };

fn rules(runner: Runner) -> Rules {
    match runner {
        Runner::CargoTest | Runner::Nextest => Rules {
            never_runs: &["--no-run", "--list", "--build-plan", "--no-tests=pass"],
            narrows: &[
                "-p",
                "--package",
                "--exclude",
                "--lib",
                "--bin",
                "--bins",
                "--test",
                "--tests",
                "--example",
                "--examples",
                "--doc",
                "--bench",
                "--skip",
                "--ignored",
                "-E",
                "--filter-expr",
                "--filterset",
                "--partition",
            ],
            bare: &["--lib", "--bins", "--tests", "--examples", "--doc", "--ignored"],
            values: &[
                "--features",
                "-F",
                "--target",
                "--target-dir",
                "--profile",
                "-j",
                "--jobs",
                "--color",
                "-Z",
                "--test-threads",
                "--message-format",
                "--config",
                "-P",
                "--retries",
                "--format",
            ],
            ..NONE
        },
        Runner::Pytest => Rules {
            never_runs: &[
                "--collect-only",
                "--co",
                "--fixtures",
                "--setup-plan",
                "--setup-only",
                "--markers",
            ],
            narrows: &[
                "-k",
                "-m",
                "--deselect",
                "--ignore",
                "--ignore-glob",
                "--lf",
                "--last-failed",
                "--ff",
                "--sw",
                "--stepwise",
                "--testmon",
                "--pyargs",
            ],
            bare: &["--lf", "--last-failed", "--ff", "--sw", "--stepwise", "--testmon", "--pyargs"],
            values: &[
                "-c",
                "--rootdir",
                "-n",
                "--tb",
                "-p",
                "--maxfail",
                "--color",
                "-o",
                "--cov",
                "--cov-report",
                "--durations",
                "-W",
                "--timeout",
                "--junitxml",
                "-r",
                "--log-level",
                "--import-mode",
                "--basetemp",
            ],
            ..NONE
        },
        Runner::Unittest => Rules {
            narrows: &["-k", "-p", "--pattern", "--tag", "--exclude-tag"],
            values: &["-s", "--start-directory", "-t", "--top-level-directory", "--settings", "--parallel"],
            ..NONE
        },
        Runner::GoTest => Rules {
            never_runs: &["-c", "-n", "-list", "--list"],
            narrows: &["-run", "--run", "-skip", "--skip"],
            values: &[
                "-count",
                "-timeout",
                "-tags",
                "-coverprofile",
                "-bench",
                "-cpu",
                "-p",
                "-parallel",
                "-o",
            ],
            ..NONE
        },
        _ => other_rules(runner),
    }
}

fn other_rules(runner: Runner) -> Rules {
    match runner {
        Runner::Jest | Runner::Vitest | Runner::Mocha | Runner::NodeTest | Runner::Bun | Runner::Deno => {
            Rules {
                never_runs: &["--listTests", "--showConfig", "--list", "--dry-run", "--no-run", "--doc"],
                ignores_failure: &["--dangerouslyIgnoreUnhandledErrors"],
                narrows: &[
                    "-t",
                    "--testNamePattern",
                    "--testPathPattern",
                    "--testPathPatterns",
                    "--testPathIgnorePatterns",
                    "-o",
                    "--onlyChanged",
                    "--changed",
                    "--changedSince",
                    "--findRelatedTests",
                    "--onlyFailures",
                    "--shard",
                    "-g",
                    "--grep",
                    "-f",
                    "--fgrep",
                    "--ignore",
                    "--exclude",
                    "--filter",
                    "--project",
                    "--selectProjects",
                    "--test-name-pattern",
                    "--test-skip-pattern",
                    "--test-only",
                    "--only",
                    "--dir",
                    "--test-shard",
                    "--invert",
                    "--runTestsByPath",
                ],
                bare: &[
                    "-o",
                    "--onlyChanged",
                    "--changed",
                    "--onlyFailures",
                    "--test-only",
                    "--only",
                    "--invert",
                    "--findRelatedTests",
                    "--runTestsByPath",
                ],
                values: &[
                    "-c",
                    "--config",
                    "-w",
                    "--maxWorkers",
                    "--reporter",
                    "--reporters",
                    "-R",
                    "-r",
                    "--require",
                    "--timeout",
                    "--testTimeout",
                    "--import",
                    "--test-reporter",
                    "--loader",
                    "--env",
                    "--environment",
                    "--pool",
                    "--coverageReporters",
                    "--test-concurrency",
                    "--parallel",
                    "--preload",
                ],
            }
        }
        Runner::Maven => Rules {
            never_runs: &["-DskipTests", "-Dmaven.test.skip", "-DskipITs", "-DskipTests=true"],
            ignores_failure: &["-Dmaven.test.failure.ignore", "-fn", "--fail-never"],
            narrows: &["-Dtest", "-pl", "--projects", "-Dgroups", "-DexcludedGroups", "-Dit.test"],
            bare: &["-Dtest", "-Dgroups", "-DexcludedGroups", "-Dit.test"],
            values: &["-P", "-s", "--settings", "-T"],
        },
        Runner::Gradle => Rules {
            never_runs: &["-m", "--dry-run"],
            narrows: &["--tests", "-x", "--exclude-task"],
            values: &["-b", "-g", "-I"],
            ..NONE
        },
        Runner::Ctest => Rules {
            never_runs: &["-N", "--show-only"],
            narrows: &["-R", "--tests-regex", "-E", "--exclude-regex", "-L", "-LE", "-I", "--rerun-failed"],
            bare: &["--rerun-failed"],
            values: &[
                "--test-dir",
                "-C",
                "--build-config",
                "-j",
                "--parallel",
                "--timeout",
                "-O",
                "--preset",
            ],
            ..NONE
        },
        Runner::Rspec | Runner::Minitest => Rules {
            never_runs: &["--dry-run", "-n", "--init"],
            narrows: &[
                "-e",
                "--example",
                "-t",
                "--tag",
                "-E",
                "-P",
                "--name",
                "-N",
                "--only-failures",
                "--next-failure",
            ],
            bare: &["--only-failures", "--next-failure"],
            values: &["-f", "--format", "-o", "--out", "-r", "--require", "--seed", "-I"],
            ..NONE
        },
        Runner::Phpunit => Rules {
            never_runs: &["--list-tests", "--list-suites", "--list-groups"],
            narrows: &[
                "--filter",
                "--group",
                "--exclude-group",
                "--testsuite",
                "--exclude-testsuite",
                "--exclude-filter",
            ],
            values: &["-c", "--configuration", "--bootstrap", "--colors"],
            ..NONE
        },
        Runner::Dotnet => Rules {
            never_runs: &["--list-tests", "-t"],
            narrows: &["--filter"],
            values: &[
                "-c",
                "--configuration",
                "-f",
                "--framework",
                "-l",
                "--logger",
                "-v",
                "--verbosity",
                "-r",
            ],
            ..NONE
        },
        Runner::Swift => Rules {
            never_runs: &["--list-tests", "list"],
            narrows: &["--filter", "--skip", "-s", "--specifier", "--test-product"],
            values: &["-c", "--configuration", "--build-path", "--package-path", "-j"],
            ..NONE
        },
        Runner::Make => Rules {
            never_runs: &["-n", "--dry-run", "--just-print", "--recon", "-q", "--question", "-t", "--touch"],
            ignores_failure: &["-i", "--ignore-errors"],
            values: &["-f", "-j", "-l", "-o"],
            ..NONE
        },
        Runner::Tox => Rules {
            never_runs: &["--notest", "-l", "--list", "-a", "--listenvs", "-n"],
            narrows: &["--skip-env", "-k"],
            values: &["-e", "-c", "-s", "--session", "-p", "--workdir", "-f"],
            ..NONE
        },
        Runner::Bats => Rules {
            never_runs: &["-c", "--count"],
            narrows: &["-f", "--filter", "--filter-tags", "--filter-status"],
            values: &["-F", "--formatter", "-j", "--jobs", "-o", "--output"],
            ..NONE
        },
        _ => NONE,
    }
}
