//! `cargo` commands that compile or look, in projects that give it nothing of their own to run.
//!
//! A manifest that may bring a build script, a procedural macro or a further package prompts; none of them is read.

use super::{FileText, Job, Work};
use crate::permission::paths::relative;

const OPTIONS: &[&str] = &[
    "--release",
    "-r",
    "--workspace",
    "--all",
    "--all-targets",
    "--all-features",
    "--features",
    "-F",
    "--no-default-features",
    "-p",
    "--package",
    "--exclude",
    "--bin",
    "--bins",
    "--lib",
    "--example",
    "--examples",
    "--test",
    "--tests",
    "--bench",
    "--benches",
    "-q",
    "--quiet",
    "-v",
    "-vv",
    "--verbose",
    "--locked",
    "--offline",
    "--frozen",
    "--message-format",
    "--color",
    "-j",
    "--jobs",
    "--keep-going",
    "--no-deps",
    "--document-private-items",
    "--profile",
    "-i",
    "--invert",
    "-d",
    "--duplicates",
    "--depth",
    "-e",
    "--edges",
    "--prefix",
    "--format-version",
    "--check",
    "--limit",
    "--help",
    "-h",
    "--list",
    "--timings",
    "--target",
    "--no-run",
];

pub(super) fn work(job: &Job<'_>) -> Result<Work, Option<String>> {
    let texts = job.texts();
    let texts = match texts.as_slice() {
        [first, rest @ ..] if is_channel(first) => rest,
        all => all,
    };
    let (own, behind) = match texts.iter().position(|text| *text == "--") {
        Some(at) => (&texts[..at], &texts[at + 1..]),
        None => (texts, &[][..]),
    };
    let mut options = own.iter().filter(|text| text.starts_with('-'));
    if let Some(option) = options.find(|text| !OPTIONS.contains(&text.split('=').next().unwrap_or(text))) {
        return Err(Some(format!("`cargo {option}` may change what cargo runs")));
    }
    // A description of a target names a linker.
    if values(own, "--target").any(|target| target.contains(['/', '.', '$'])) {
        return Err(Some("a target of the project's own may name a linker".to_owned()));
    }
    let sub = own.iter().find(|text| !text.starts_with('-')).copied();
    let checks = || own.contains(&"--check") || behind.contains(&"--check");
    let compiles = match (sub, behind) {
        (Some("build" | "b" | "check" | "c" | "doc" | "bloat" | "udeps"), []) => true,
        (Some("test" | "t" | "bench"), []) if own.contains(&"--no-run") => true,
        (Some("clippy"), _) if are_lints(behind) => true,
        (Some("fmt"), behind) if checks() && behind.iter().all(|text| FORMAT.contains(text)) => false,
        (
            Some(
                "tree" | "metadata" | "search" | "audit" | "outdated" | "info" | "pkgid" | "verify-project"
                | "locate-project" | "read-manifest" | "help" | "machete" | "geiger",
            ),
            [],
        ) => false,
        (Some("install" | "package"), []) if own.contains(&"--list") => false,
        (Some("deny"), []) if words(own).nth(1) == Some("check") => false,
        (None, []) if own.contains(&"--list") => false,
        _ => return Err(Some("this command of cargo may change or run something".to_owned())),
    };
    settings(job, sub, compiles)?;
    Ok(Work { obeys_project: true, ..Work::default() })
}

/// `-D warnings -Aclippy::all`, and nothing that the compiler would take for anything else.
fn are_lints(words: &[&str]) -> bool {
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let known = match *word {
            "-D" | "-W" | "-A" | "-F" => rest.next().is_some_and(|lint| !lint.starts_with('-')),
            word => is_lint(word),
        };
        if !known {
            return false;
        }
    }
    true
}

/// What `cargo fmt --check` may be told further.
const FORMAT: &[&str] = &[
    "--check",
    "--color",
    "never",
    "always",
    "auto",
    "-l",
    "--files-with-diff",
    "-v",
    "--verbose",
    "-q",
    "--quiet",
];

/// `+nightly`, `+1.80.0`: toolchains that rustup itself brings.
fn is_channel(text: &str) -> bool {
    let Some(name) = text.strip_prefix('+') else { return false };
    let (channel, date) = name.split_once('-').unwrap_or((name, ""));
    let numbers = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-'));
    (matches!(channel, "stable" | "beta" | "nightly") || channel.starts_with("1.") && numbers(channel))
        && numbers(date)
}

/// The values of an option, glued or in the next word.
fn values<'a>(words: &'a [&'a str], option: &'a str) -> impl Iterator<Item = &'a str> {
    let glued = words.iter().filter_map(move |word| word.strip_prefix(option)?.strip_prefix('='));
    let next = words.iter().zip(words.iter().skip(1)).filter(move |(word, _)| **word == option);
    glued.chain(next.map(|(_, value)| *value))
}

fn words<'a>(own: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
    own.iter().copied().filter(|text| !text.starts_with('-'))
}

/// `-Dwarnings`.
fn is_lint(text: &str) -> bool {
    ["-D", "-W", "-A", "-F"].iter().any(|flag| {
        text.strip_prefix(flag).is_some_and(|lint| {
            !lint.is_empty()
                && lint.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b':' | b'_'))
        })
    })
}

/// Words of a manifest that may name code which runs while cargo compiles. Escapes may stand for any letter.
const RUNS_CODE: &[&str] = &[
    "build",
    "proc-macro",
    "proc_macro",
    "path",
    "members",
    "workspace",
    "rustflags",
    "codegen-backend",
    "\\",
];

/// Settings of the project that make cargo start something else.
fn settings(job: &Job<'_>, sub: Option<&str>, compiles: bool) -> Result<(), Option<String>> {
    let mut folder =
        job.here.folder.ok_or(Some("the folder of cargo is not known".to_owned()))?.trim_end_matches('/');
    // Escapes may stand for any letter.
    let words = [
        "runner",
        "wrapper",
        "linker",
        "rustc",
        "rustdoc",
        "rustflags",
        "credential",
        "[env",
        "include",
        "\\",
    ];
    // Other sources and places are a person's own choice at home; a project may point them at itself.
    let of_projects = ["paths", "source", "patch", "target-dir", "build-dir"];
    loop {
        let files = [".cargo/config.toml", ".cargo/config", "rust-toolchain.toml", "rust-toolchain"];
        let of_packages = ["Cargo.toml", "build.rs"].into_iter().filter(|_| compiles);
        for name in files.into_iter().chain(of_packages) {
            let found = job.place.context.world.text(&format!("{folder}/{name}"));
            let bad = match &found {
                FileText::Missing => false,
                FileText::Text(_) if name == "build.rs" => true,
                FileText::Text(text) if name == "Cargo.toml" => {
                    RUNS_CODE.iter().any(|word| text.contains(word))
                }
                FileText::Text(text) if name.starts_with("rust-toolchain") => {
                    text.contains("path") || text.contains('\\')
                }
                FileText::Text(text) => {
                    words.iter().any(|word| text.contains(word))
                        || relative(folder, job.place.root()).is_some()
                            && of_projects.iter().any(|word| text.contains(word))
                        || sub.is_some_and(|sub| text.contains("alias") && text.contains(sub))
                }
                FileText::Unknown => true,
            };
            if bad {
                return Err(Some(format!("`{folder}/{name}` changes what cargo runs")));
            }
        }
        match folder.rfind('/') {
            Some(at) => folder = &folder[..at],
            None => return Ok(()),
        }
    }
}
