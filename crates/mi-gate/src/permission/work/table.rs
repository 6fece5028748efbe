//! Tools that check, compile and list, with the options that they may have. The rows are data: `tools.txt`.

use super::{FileText, Job, Reach, Target, Work, readers};
use crate::command::Word;
use crate::permission::paths::relative;

const TOOLS: &str = include_str!("tools.txt");

/// One row: a program's subcommands, and what else may stand there.
struct Tool {
    /// First operands; empty for programs without subcommands.
    subs: Vec<&'static str>,
    /// Options it may have. `-W*` stands for all that begin so, `-t:a,b` for `-t` with one of these values.
    options: Vec<&'static str>,
    /// Options of which it must have one.
    needs: Vec<&'static str>,
    /// Options whose value is a file or folder that is made.
    outputs: Vec<&'static str>,
    /// At most this many operands.
    most: usize,
}

/// The rows of a program.
fn rows(program: &str) -> impl Iterator<Item = Tool> {
    let lines = TOOLS.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(move |line| {
        let mut columns = line.split('|').map(str::trim);
        columns.next()?.split(' ').any(|name| name == program).then(|| {
            let mut next = || columns.next().unwrap_or_default();
            let words = |text: &'static str| text.split_whitespace().collect();
            Tool {
                subs: next().split(", ").filter(|sub| !sub.is_empty()).collect(),
                options: words(next()),
                needs: words(next()),
                outputs: words(next()),
                most: next().parse().unwrap_or(usize::MAX),
            }
        })
    })
}

/// Tools that may be started by `npx`, `uv run` and the like.
pub(super) fn is_tool(program: &str) -> bool {
    const NO_TOOLS: &[&str] = &[
        "read", "mkdir", "docker", "gh", "aws", "kubectl", "man", "less", "clear", "gcc", "cc", "npm",
        "pnpm", "yarn", "bun", "node",
    ];
    !NO_TOOLS.contains(&program) && rows(program).next().is_some()
}

pub(super) fn work(job: &Job<'_>) -> Result<Work, Option<String>> {
    let command = job.command;
    let program = command.program.as_str();
    let texts: Vec<&str> = command.arg_texts().collect();
    let rows: Vec<Tool> = rows(program).collect();
    if rows.is_empty() {
        return Err(None);
    }
    let row = rows
        .into_iter()
        .find(|row| row.fits(program, &texts))
        .ok_or(Some(format!("`{program}` may do more than look or build here")))?;
    refuse(program, &texts)?;
    let mut work = Work { outputs: row.made(job), ..Work::default() };
    if let Some(output) = work.outputs.iter().find(|output| is_somebodys(output, job)) {
        return Err(Some(format!("`{}` is no place for what `{program}` makes", output.shown)));
    }
    if matches!(
        program,
        "less"
            | "more"
            | "most"
            | "bat"
            | "batcat"
            | "gunzip"
            | "gzip"
            | "xz"
            | "zstd"
            | "bzip2"
            | "bunzip2"
            | "unxz"
            | "pandoc"
            | "javap"
            | "jar"
    ) {
        work.reads = operands(&command.args).map(|word| job.here.target(word)).collect();
    }
    Ok(work)
}

impl Tool {
    fn fits(&self, program: &str, texts: &[&str]) -> bool {
        let plain: Vec<&str> = texts.iter().copied().filter(|text| !text.starts_with('-')).collect();
        let is_sub = |sub: &&str| {
            let words: Vec<&str> = sub.split(' ').collect();
            let behind = || readers::behind_globals(program, texts);
            let source = if sub.contains(" -") || sub.starts_with('-') { texts } else { behind() };
            source.get(..words.len()) == Some(words.as_slice())
        };
        let next = texts.iter().skip(1).copied().map(Some).chain([None]);
        let allowed = texts
            .iter()
            .zip(next)
            .filter(|(text, _)| text.starts_with('-') && text.len() > 1)
            .all(|(text, next)| self.takes(text, next));
        let needed = self.needs.is_empty() || texts.iter().any(|text| self.needs.contains(text));
        (self.subs.is_empty() || self.subs.iter().any(is_sub))
            && allowed
            && needed
            && plain.len() <= self.most
    }

    fn takes(&self, text: &str, next: Option<&str>) -> bool {
        let (name, value) = text.split_once('=').map_or((text, next), |(name, value)| (name, Some(value)));
        let is_one_of = |values: &str| value.is_some_and(|value| values.split(',').any(|one| one == value));
        let counted = |option: &str| {
            text.strip_prefix(option)
                .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
        };
        self.options.iter().any(|option| match option.strip_suffix('*') {
            Some(start) => text.starts_with(start),
            None if option.contains(':') && !text.starts_with(option) => {
                option.split_once(':').is_some_and(|(option, values)| name == option && is_one_of(values))
            }
            None if option.contains('=') => text == *option,
            None => name == *option || counted(option),
        })
    }

    fn made(&self, job: &Job<'_>) -> Vec<Target> {
        let args = &job.command.args;
        if matches!(job.command.program.as_str(), "mkdir" | "meson") {
            return operands(args).map(|word| job.here.target(word)).collect();
        }
        let next = args
            .iter()
            .zip(args.iter().skip(1))
            .filter(|(option, _)| self.outputs.contains(&option.text.as_str()));
        let glued = args.iter().filter_map(|word| {
            let option = self
                .outputs
                .iter()
                .find(|option| word.text.len() > option.len() && word.text.starts_with(**option))?;
            Some(Word::exact(word.text[option.len()..].trim_start_matches('=')))
        });
        let named = next.map(|(_, value)| value.clone()).chain(glued);
        let named: Vec<Target> = named.map(|word| job.here.target(&word)).collect();
        if named.is_empty() { unnamed(job) } else { named }
    }
}

/// A text that somebody wrote, a place where programs are kept to be run by their names, or one outside of the project.
fn is_somebodys(output: &Target, job: &Job<'_>) -> bool {
    let Reach::Exact(path) = &output.reach else { return false };
    let inside = relative(path, job.place.root());
    let kept = |name: &str| matches!(name, ".git" | "node_modules" | ".venv" | "venv");
    let folder = job.command.program == "mkdir";
    match inside {
        Some(inside) if folder => inside.split('/').any(|name| name == ".git"),
        Some(inside) => {
            let is_text =
                matches!(job.place.context.world.text(path), FileText::Text(text) if !text.is_empty());
            is_text || inside.split('/').any(kept)
        }
        None => !folder && !["/tmp", "/var/tmp"].iter().any(|start| relative(path, start).is_some()),
    }
}

/// What compilers make if they are not told where: `a.out`, and for each source a file of its name.
fn unnamed(job: &Job<'_>) -> Vec<Target> {
    match job.command.program.as_str() {
        "go" => return of_go(job),
        "tsc" | "vue-tsc" => return of_typescript(job),
        _ => {}
    }
    if !matches!(job.command.program.as_str(), "gcc" | "g++" | "cc" | "c++" | "clang" | "clang++") {
        return Vec::new();
    }
    let stems = operands(&job.command.args).filter_map(|word| {
        let file = word.text.rsplit('/').next()?;
        Some(file.rsplit_once('.')?.0.to_owned())
    });
    let made = stems.flat_map(|stem| ["o", "s"].map(|kind| format!("{stem}.{kind}")));
    made.chain(["a.out".to_owned()]).map(|name| job.here.target(&Word::exact(name))).collect()
}

/// `go build` makes a program with the name of the module, of the folder or of the package that it is given.
fn of_go(job: &Job<'_>) -> Vec<Target> {
    if job.texts().first() != Some(&"build") {
        return Vec::new();
    }
    let last = |path: &str| path.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
    let folder = job.here.folder.unwrap_or_default();
    let module = job.nearest("go.mod").and_then(|text| {
        text.lines().find_map(|line| line.trim().strip_prefix("module").map(|name| last(name.trim())))
    });
    let packages = operands(&job.command.args).skip(1).map(|word| last(word.text.trim_end_matches(".go")));
    let names = packages.chain(module).chain([last(folder)]);
    names.map(|name| job.here.target(&Word::exact(name.trim_matches(['"', '`'])))).collect()
}

/// Files and folders that a project's `tsconfig.json` names for what is made.
fn of_typescript(job: &Job<'_>) -> Vec<Target> {
    let args = &job.command.args;
    let told = args
        .iter()
        .zip(args.iter().skip(1))
        .find(|(option, _)| matches!(option.text.as_str(), "-p" | "--project" | "-b" | "--build"));
    let path = told.map_or("tsconfig.json", |(_, value)| value.text.as_str());
    let found = [path.to_owned(), format!("{path}/tsconfig.json")].into_iter().find_map(|path| {
        match job.file(&path) {
            FileText::Text(text) => Some((job.path(&path)?, text)),
            FileText::Missing | FileText::Unknown => None,
        }
    });
    let Some((path, text)) = found else { return Vec::new() };
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let keys = ["\"outFile\"", "\"tsBuildInfoFile\"", "\"outDir\"", "\"declarationDir\""];
    let values = keys.iter().flat_map(|key| text.split(key).skip(1));
    let values = values.filter_map(|behind| behind.split('"').nth(1));
    values.map(|value| job.here.target(&Word::exact(format!("{folder}/{value}")))).collect()
}

fn operands(args: &[Word]) -> impl Iterator<Item = &Word> {
    args.iter().filter(|word| !word.text.starts_with('-'))
}

/// What the lists of options do not say.
fn refuse(program: &str, texts: &[&str]) -> Result<(), Option<String>> {
    let no = |why: &str| Err(Some(format!("`{program}` {why}")));
    let any = |test: &dyn Fn(&str) -> bool| texts.iter().any(|text| test(text));
    match program {
        // A file of further options.
        _ if any(&|text| text.starts_with('@')) => no("reads further options from a file"),
        "less" | "more" | "most" if any(&|text| text.starts_with('+') && !is_place_in_file(text)) => {
            no("is told to do something at its start")
        }
        "man" | "tldr" | "info" | "help" if any(&|text| text.contains('/') || text.contains('.')) => {
            no("is given a file")
        }
        "pandoc" if any(&|text| !text.starts_with('-') && !is_plain_document(text)) => {
            no("is given something else than a document of its own")
        }
        "npm" | "pnpm" | "yarn" | "bun" if any(&|text| text == "fix") => no("would change dependencies"),
        "npm" | "pnpm" | "yarn" | "bun" if any(&names_token) => no("would show a token"),
        // With another word the version is set.
        "uv" | "poetry" if texts.first() == Some(&"version") && words(texts) > 1 => {
            no("may change the version")
        }
        "mix" if matches!(texts.first(), Some(&("credo" | "dialyzer"))) && words(texts) > 1 => {
            no("may do more than check")
        }
        "gradle" if texts.windows(2).any(|pair| pair[0] == "-x" && pair[1].starts_with('-')) => {
            no("is told to leave out what is not known")
        }
        "cspell"
            if any(&|text| !text.starts_with(['-']) && !text.contains(['.', '/', '*']) && text != "lint") =>
        {
            no("may change its settings")
        }
        "esbuild" if texts.iter().any(|text| is_outside_of_builds(text)) => no("may replace a source file"),
        "kubectl" | "oc" if any(&|text| names_secret(text)) => no("would show secrets"),
        "kubectl" | "oc" if any(&|text| text == "--raw" || text.contains("://")) => no("is given an address"),
        "docker" | "docker-compose" | "podman" | "nerdctl" if any(&|text| text.contains("://")) => {
            no("is given an address")
        }
        "kubectl" | "oc" if any(&|text| text.contains("-file")) => no("shows a file"),
        "aws" if any(&|text| text.contains("file://") || text.contains("fileb://")) => no("sends a file"),
        // Tests are asked about (D.19), also those that a build runs by itself.
        "mvn" if any(&|text| matches!(text, "package" | "verify" | "install")) && !any(&skips_tests) => {
            no("runs the project's tests")
        }
        "gradle" if any(&|text| text == "build") && !leaves_tests_out(texts) => {
            no("runs the project's tests")
        }
        "terraform" | "tofu" if texts.starts_with(&["providers", "lock"]) => no("writes the lock file"),
        "terraform" | "tofu" if texts.first() == Some(&"fmt") && !any(&|text| text == "-check") => {
            no("would rewrite files")
        }
        "dotnet" if texts.first() == Some(&"format") && !any(&|text| text == "--verify-no-changes") => {
            no("would rewrite files")
        }
        "biome" if any(&|text| !matches!(text, "check" | "lint" | "ci" | ".") && text.starts_with('-')) => {
            no("may rewrite files")
        }
        "dmypy" | "sqlfluff" if any(&|text| matches!(text, "fix" | "format" | "run")) => {
            no("may rewrite files")
        }
        "gh" if any(&|text| text.contains("://")) => no("is given an address"),
        "gh" if texts.first() != Some(&"api") => match texts.get(1) {
            Some(&("view" | "list" | "status" | "diff" | "checks")) => Ok(()),
            _ => no("may change something"),
        },
        // The last of `-t` and `-d` counts, and `-d` writes a file and deletes another.
        "xz" | "unxz" | "bzip2" | "bunzip2" | "zstd"
            if any(&|text| text == "-d")
                && !any(&|text| matches!(text, "-c" | "-dc" | "-cd" | "--stdout")) =>
        {
            no("unpacks a file")
        }
        // `-x c -` and programs in other languages through standard input.
        "gcc" | "g++" | "cc" | "c++" | "clang" | "clang++" if asks_compiler(texts) => Ok(()),
        "gcc" | "g++" | "cc" | "c++" | "clang" | "clang++" | "javac"
            if !any(&|text| has_source(text)) || any(&|text| text == "-") =>
        {
            no("is given no source file, or one of which nothing is known")
        }
        "gcc" | "g++" | "cc" | "c++" | "clang" | "clang++" if output_is_source(texts) => {
            no("would replace a source file")
        }
        "mix" if texts.first() == Some(&"deps") && texts.len() > 1 => no("may change dependencies"),
        "zig" if any(&|text| matches!(text, "run" | "test" | "install")) => no("runs what it builds"),
        "gradle" | "mvn" if without_excluded(texts).any(is_task) => no("is given a task that is not known"),
        "cmake" | "meson" if any(&|text| matches!(text, "test" | "install" | "check" | "clean" | "run")) => {
            no("does more than build")
        }
        "read" if !texts.iter().all(|text| *text == "-r" || is_own_name(text)) => {
            no("sets a variable that programs may obey")
        }
        "dotnet" if any(&|text| text.starts_with('/') && text.contains(':')) => {
            no("is told to do more than build")
        }
        "go" if any(&|text| text.contains('@')) => no("is given another version"),
        _ => Ok(()),
    }
}

fn words(texts: &[&str]) -> usize {
    texts.iter().filter(|text| !text.starts_with('-')).count()
}

/// Kinds of documents that bring in no other files; names of formats too.
fn is_plain_document(text: &str) -> bool {
    let kinds = ["md", "markdown", "html", "htm", "docx", "txt"];
    !text.contains("://") && text.rsplit_once('.').is_none_or(|(_, kind)| kinds.contains(&kind))
}

/// `+G`, `+F` and `+120`: where to begin.
fn is_place_in_file(text: &str) -> bool {
    let place = text.trim_start_matches('+');
    matches!(place, "G" | "F") || !place.is_empty() && place.bytes().all(|byte| byte.is_ascii_digit())
}

/// What a bundler makes belongs into folders for it.
fn is_outside_of_builds(text: &str) -> bool {
    let made = text.strip_prefix("--outfile").or_else(|| text.strip_prefix("--outdir"));
    made.is_some_and(|path| {
        let path = path.trim_start_matches('=').trim_start_matches("./");
        let first = path.split('/').next().unwrap_or_default();
        !matches!(first, "dist" | "build" | "out") || path.contains("..")
    })
}

/// Questions about the compiler itself, and its own macros.
fn asks_compiler(texts: &[&str]) -> bool {
    let asks = |text: &&str| text.starts_with("-dump") || text.starts_with("-print-");
    let operands = texts.iter().filter(|text| !text.starts_with('-'));
    let macros = texts.contains(&"-dM") && texts.contains(&"-E");
    let writes = texts.iter().any(|text| text.starts_with("-o"));
    texts.iter().all(asks) || macros && !writes && operands.clone().all(|text| matches!(*text, "c" | "c++"))
}

fn names_secret(text: &str) -> bool {
    let text = text.to_lowercase();
    text.split([',', '/', '.']).any(|kind| kind.starts_with("secret"))
}

/// Settings of a package manager that hold a token.
fn names_token(text: &str) -> bool {
    let text = text.to_lowercase();
    ["auth", "token", "password"].iter().any(|word| text.contains(word))
}

fn has_source(text: &str) -> bool {
    let kinds = [
        "c", "cc", "cpp", "cxx", "C", "m", "mm", "o", "a", "so", "s", "S", "h", "hpp", "java", "kt", "scala",
        "ll", "i",
    ];
    !text.starts_with('-') && text.rsplit_once('.').is_some_and(|(_, kind)| kinds.contains(&kind))
}

/// `gcc -o main.c x.o` would overwrite what somebody wrote.
fn output_is_source(texts: &[&str]) -> bool {
    let value = texts
        .iter()
        .zip(texts.iter().skip(1))
        .filter(|(option, _)| **option == "-o")
        .map(|(_, value)| *value);
    let glued = texts.iter().filter_map(|text| text.strip_prefix("-o")).filter(|value| !value.is_empty());
    value.chain(glued).any(|name| {
        let file = name.rsplit('/').next().unwrap_or(name);
        file.rsplit_once('.').is_some_and(|(_, kind)| {
            !matches!(
                kind,
                "o" | "a" | "so" | "out" | "exe" | "wasm" | "obj" | "dll" | "dylib" | "bc" | "ll" | "s" | "i"
            )
        })
    })
}

/// Maven's ways of building without tests.
fn skips_tests(text: &str) -> bool {
    matches!(text, "-DskipTests" | "-DskipTests=true" | "-Dmaven.test.skip=true")
}

/// Gradle is told to leave the tests out, or to do nothing.
fn leaves_tests_out(texts: &[&str]) -> bool {
    let is_left_out = |pair: &[&str]| matches!(pair, ["-x" | "--exclude-task", "test" | "check"]);
    texts.windows(2).any(is_left_out) || texts.iter().any(|text| matches!(*text, "-m" | "--dry-run"))
}

/// Words of gradle and maven that are not among the known goals.
fn is_task(text: &str) -> bool {
    let known = [
        "tasks",
        "dependencies",
        "projects",
        "properties",
        "assemble",
        "classes",
        "compileJava",
        "compileKotlin",
        "build",
        "help",
        "lint",
        "dependencyInsight",
        "compile",
        "package",
        "verify",
        "install",
        "validate",
        "test-compile",
        "dependency:tree",
        "dependency:analyze",
        "help:effective-pom",
        "versions:display-dependency-updates",
        "dependency:list",
        "dependency:resolve",
        "versions:display-plugin-updates",
        "help:evaluate",
        "help:active-profiles",
        "checkstyle:check",
        "spotless:check",
        "spotbugs:check",
        "pmd:check",
        "fmt:check",
        "enforcer:enforce",
        "compileTestJava",
        "compileTestKotlin",
        "testClasses",
        "jar",
        "javadoc",
        "assembleDebug",
        "spotlessCheck",
        "ktlintCheck",
        "checkstyleMain",
        "detekt",
        "plain",
        "rich",
        "auto",
    ];
    let value = text.bytes().all(|byte| byte.is_ascii_digit()) || text.ends_with("Classpath");
    !text.starts_with('-')
        && !value
        && !known.contains(&text.rsplit(':').next().unwrap_or(text))
        && !known.contains(&text)
}

/// The words of gradle without `-x TASK`, which leaves a task out.
fn without_excluded<'a>(texts: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
    let before = [""].into_iter().chain(texts.iter().copied());
    before.zip(texts.iter().copied()).filter(|(before, _)| *before != "-x").map(|(_, text)| text)
}

/// A name in small letters: no program takes instructions from it.
fn is_own_name(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_' || byte.is_ascii_digit())
        && !text.starts_with(|char: char| char.is_ascii_digit())
}
