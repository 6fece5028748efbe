//! Finds the runner behind wrappers, package managers and paths.

use super::super::Runner;

/// A runner and what it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) runner: Runner,
    pub(super) arguments: Vec<String>,
    /// Where an option sends it (`make -C dir`).
    pub(super) directory: Option<String>,
    /// The script or target, for runners that have several (`npm run test:unit`).
    pub(super) script: Option<String>,
}

/// The runner that these words call.
pub(super) fn find(words: &[String]) -> Option<Found> {
    let (program, rest) = words.split_first()?;
    let name = program_name(program)?;
    if let Some(inner) = behind_wrapper(name, rest) {
        return find(inner);
    }
    let simple = |runner: Runner| Some(found(runner, rest));
    match name {
        "cargo" => cargo(rest),
        "cargo-nextest" => subcommand(rest, &["run", "r"], Runner::Nextest),
        "pytest" | "py.test" => simple(Runner::Pytest),
        "go" => go(rest),
        "jest" => simple(Runner::Jest),
        "react-scripts" => subcommand(rest, &["test"], Runner::Jest),
        "vitest" => simple(Runner::Vitest),
        "mocha" | "_mocha" => simple(Runner::Mocha),
        "node" => rest.iter().any(|word| word == "--test").then(|| found(Runner::NodeTest, rest)),
        "npm" | "pnpm" | "yarn" | "bun" => node_manager(name, rest),
        "deno" => deno(rest),
        "mvn" | "mvnw" => with_target(Runner::Maven, rest, &["test", "verify", "package", "install"], "-f"),
        "gradle" | "gradlew" => with_target(Runner::Gradle, rest, &["test", "check", "build"], "-p"),
        "ctest" => simple(Runner::Ctest),
        "rspec" => simple(Runner::Rspec),
        "rake" => ruby_task(rest),
        "rails" => ruby_task(rest).filter(|_| !rest.is_empty()),
        "ruby" => {
            rest.iter().any(|word| crate::project::is_test_file(word)).then(|| found(Runner::Minitest, rest))
        }
        "coverage" => covered(rest),
        "phpunit" | "pest" | "paratest" => simple(Runner::Phpunit),
        "php" => php(rest),
        "dotnet" => subcommand(rest, &["test"], Runner::Dotnet),
        "swift" => subcommand(rest, &["test"], Runner::Swift),
        "make" | "gmake" => with_target(Runner::Make, rest, &["test", "check", "tests"], "-C"),
        "tox" | "nox" => simple(Runner::Tox),
        "bats" => simple(Runner::Bats),
        _ if is_python(name) => python(rest),
        _ => None,
    }
}

/// The program's own name; None for a file of unknown worth that only bears a runner's name.
fn program_name(program: &str) -> Option<&str> {
    let Some((folder, name)) = program.rsplit_once('/') else { return Some(program) };
    let wrapper = matches!(name, "gradlew" | "mvnw");
    let tools = ["bin", ".bin"].iter().any(|end| folder == *end || folder.ends_with(&format!("/{end}")));
    (wrapper || tools).then_some(name)
}

/// What a wrapper runs: `env A=1 cargo test`, `poetry run pytest`, `timeout 60 make check`.
fn behind_wrapper<'a>(name: &str, rest: &'a [String]) -> Option<&'a [String]> {
    let first = rest.first().map(String::as_str);
    match (name, first) {
        ("env", _) => Some(skip_while(rest, |word| word.starts_with('-') || word.contains('='))),
        ("time" | "nohup" | "command" | "exec" | "unbuffer" | "stdbuf" | "xvfb-run" | "npx" | "bunx", _) => {
            Some(skip_while(rest, |word| word.starts_with('-')))
        }
        ("timeout", _) => {
            let rest = skip_while(rest, |word| word.starts_with('-'));
            rest.get(1..)
        }
        ("nice" | "ionice", _) => {
            Some(skip_while(rest, |word| word.starts_with('-') || word.parse::<i32>().is_ok()))
        }
        ("poetry" | "uv" | "pipenv" | "pdm" | "hatch" | "rye", Some("run")) => {
            Some(skip_while(&rest[1..], |word| word.starts_with('-')))
        }
        ("bundle", Some("exec")) | ("pnpm" | "yarn" | "npm", Some("exec" | "dlx")) => {
            Some(skip_while(&rest[1..], |word| word.starts_with('-')))
        }
        _ => None,
    }
}

fn skip_while(words: &[String], skipped: impl Fn(&str) -> bool) -> &[String] {
    let count = words.iter().take_while(|word| skipped(word)).count();
    &words[count..]
}

fn found(runner: Runner, arguments: &[String]) -> Found {
    Found { runner, arguments: arguments.to_vec(), directory: None, script: None }
}

fn subcommand(rest: &[String], names: &[&str], runner: Runner) -> Option<Found> {
    let (first, arguments) = rest.split_first()?;
    names.contains(&first.as_str()).then(|| found(runner, arguments))
}

fn is_python(name: &str) -> bool {
    let version = name.strip_prefix("python").or_else(|| name.strip_prefix("pypy")).unwrap_or("?");
    version.chars().all(|char| char.is_ascii_digit() || char == '.') || name == "py"
}

fn python(rest: &[String]) -> Option<Found> {
    let rest = skip_while(rest, |word| word.starts_with('-') && word != "-m");
    match rest {
        [flag, module, arguments @ ..] if flag == "-m" => match module.as_str() {
            "pytest" => Some(found(Runner::Pytest, arguments)),
            "unittest" | "nose2" => Some(found(Runner::Unittest, arguments)),
            "tox" | "nox" => Some(found(Runner::Tox, arguments)),
            "coverage" => covered(arguments),
            _ => None,
        },
        [file, task, arguments @ ..] if file.ends_with("manage.py") && task == "test" => {
            Some(found(Runner::Unittest, arguments))
        }
        [file, ..] if file.ends_with(".py") && crate::project::is_test_file(file) => {
            Some(Found { script: Some(file.clone()), ..found(Runner::Unittest, rest) })
        }
        _ => None,
    }
}

/// `coverage run -m unittest` runs what stands behind its own options.
fn covered(rest: &[String]) -> Option<Found> {
    let (_, rest) = rest.split_first().filter(|(first, _)| *first == "run")?;
    let at = rest.iter().position(|word| word == "-m" || word.ends_with(".py"))?;
    python(&rest[at..])
}

fn cargo(rest: &[String]) -> Option<Found> {
    let rest = skip_while(rest, |word| word.starts_with('+') || word.starts_with("--"));
    let (first, arguments) = rest.split_first()?;
    let runner = match first.as_str() {
        "test" | "t" => Runner::CargoTest,
        "nextest" => {
            let (action, arguments) = arguments.split_first()?;
            let listed = if action == "list" { vec!["--list".to_owned()] } else { arguments.to_vec() };
            let runs = matches!(action.as_str(), "run" | "r" | "list");
            return runs.then(|| located(found(Runner::Nextest, &listed), "--manifest-path"));
        }
        _ => return None,
    };
    Some(located(found(runner, arguments), "--manifest-path"))
}

fn go(rest: &[String]) -> Option<Found> {
    match rest {
        [flag, directory, test, arguments @ ..] if flag == "-C" && test == "test" => {
            Some(Found { directory: Some(directory.clone()), ..found(Runner::GoTest, arguments) })
        }
        _ => subcommand(rest, &["test"], Runner::GoTest),
    }
}

fn deno(rest: &[String]) -> Option<Found> {
    match rest {
        [task, name, arguments @ ..] if task == "task" && name.starts_with("test") => {
            Some(Found { script: Some(name.clone()), ..found(Runner::NodeScript, arguments) })
        }
        _ => subcommand(rest, &["test"], Runner::Deno),
    }
}

fn node_manager(name: &str, rest: &[String]) -> Option<Found> {
    let options = ["--prefix", "-C", "--dir", "--cwd"];
    let directory = option_value(rest, &options);
    let words: Vec<String> = without_option(rest, &options);
    let words = skip_while(&words, |word| word.starts_with('-'));
    let (first, arguments) = words.split_first()?;
    let script = |script: &str, arguments: &[String]| {
        let script = Some(script.to_owned());
        Some(Found { script, directory: directory.clone(), ..found(Runner::NodeScript, arguments) })
    };
    match (name, first.as_str()) {
        ("bun", "test") => Some(Found { directory: directory.clone(), ..found(Runner::Bun, arguments) }),
        (_, "test" | "t" | "tst") => script("test", arguments),
        (_, "run" | "run-script") => {
            let (task, arguments) = arguments.split_first()?;
            is_test_script(task).then(|| script(task, arguments)).flatten()
        }
        ("yarn" | "pnpm", task) if is_test_script(task) => script(task, arguments),
        ("yarn" | "pnpm", "jest" | "vitest" | "mocha" | "playwright") => find(words),
        _ => None,
    }
}

fn is_test_script(name: &str) -> bool {
    name == "test" || name == "tests" || name.starts_with("test:") || name.starts_with("test-")
}

fn ruby_task(rest: &[String]) -> Option<Found> {
    // Without a task rake runs the default one; its output tells whether those are tests.
    let Some(task) = rest.iter().find(|word| !word.starts_with('-')) else {
        return rest.is_empty().then(|| found(Runner::Minitest, rest));
    };
    let runner = match task.split(':').next().unwrap_or_default() {
        "test" => Runner::Minitest,
        "spec" => Runner::Rspec,
        _ => return None,
    };
    let arguments: Vec<String> = rest.iter().filter(|word| *word != task).cloned().collect();
    let script = task.contains(':').then(|| task.clone());
    Some(Found { script, ..found(runner, &arguments) })
}

fn php(rest: &[String]) -> Option<Found> {
    match rest {
        [artisan, test, arguments @ ..] if artisan == "artisan" && test == "test" => {
            Some(found(Runner::Phpunit, arguments))
        }
        _ => find(skip_while(rest, |word| word.starts_with('-')))
            .filter(|found| found.runner == Runner::Phpunit),
    }
}

/// Maven, Gradle and make: a check when one of the targets is a test target.
fn with_target(runner: Runner, rest: &[String], targets: &[&str], directory_option: &str) -> Option<Found> {
    let is_target = |word: &String| {
        let name = word.rsplit(':').next().unwrap_or_default();
        let starts = runner == Runner::Make && (name.starts_with("test-") || name.starts_with("check-"));
        let names_tests = runner == Runner::Gradle && name.ends_with("Test");
        !word.starts_with('-') && (targets.contains(&name) || starts || names_tests)
    };
    let target = rest.iter().find(|word| is_target(word))?;
    let whole = targets.contains(&target.as_str());
    let directory = option_value(rest, &[directory_option]);
    let kept = without_option(rest, &[directory_option]);
    // What is cleaned or built before the tests does not change what they show.
    let is_harmless =
        |word: &String| runner == Runner::Make && ["clean", "all", "build"].contains(&word.as_str());
    let arguments: Vec<String> =
        kept.into_iter().filter(|word| word != target && !is_harmless(word)).collect();
    Some(Found { script: (!whole).then(|| target.clone()), directory, ..found(runner, &arguments) })
}

/// Moves the folder that an option such as `--manifest-path x/Cargo.toml` names into `directory`.
fn located(mut found: Found, option: &str) -> Found {
    let folder = |file: &str| file.rsplit_once('/').map_or(".", |(folder, _)| folder).to_owned();
    found.directory = option_value(&found.arguments, &[option]).map(|file| folder(&file));
    found.arguments = without_option(&found.arguments, &[option]);
    found
}

fn option_value(words: &[String], options: &[&str]) -> Option<String> {
    let at = words.iter().position(|word| options.contains(&word.as_str()));
    let separate = at.and_then(|at| words.get(at + 1)).cloned();
    let joined = || {
        words.iter().find_map(|word| {
            let (name, value) = word.split_once('=')?;
            options.contains(&name).then(|| value.to_owned())
        })
    };
    separate.or_else(joined)
}

fn without_option(words: &[String], options: &[&str]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if options.contains(&word.as_str()) {
            words.next();
        } else if !word.split_once('=').is_some_and(|(name, _)| options.contains(&name)) {
            kept.push(word.clone());
        }
    }
    kept
}
