//! `cargo` commands that compile or look, in projects whose settings make it run nothing but the compiler.

use super::{FileText, Job, Work};
use crate::permission::paths::relative;

mod packages;

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
];

pub(super) fn work(job: &Job<'_>) -> Result<Work, Option<String>> {
    let texts = job.texts();
    let (own, behind) = match texts.iter().position(|text| *text == "--") {
        Some(at) => (&texts[..at], &texts[at + 1..]),
        None => (&texts[..], &[][..]),
    };
    let mut options = own.iter().filter(|text| text.starts_with('-'));
    if let Some(option) = options.find(|text| !OPTIONS.contains(&text.split('=').next().unwrap_or(text))) {
        return Err(Some(format!("`cargo {option}` may change what cargo runs")));
    }
    let sub = own.iter().find(|text| !text.starts_with('-')).copied();
    let checks = || own.contains(&"--check") || behind.contains(&"--check");
    let compiles = match (sub, behind) {
        (Some("build" | "b" | "check" | "c" | "doc"), []) => true,
        (Some("clippy"), _) if are_lints(behind) => true,
        (Some("fmt"), behind) if checks() && behind.iter().all(|text| *text == "--check") => false,
        (
            Some(
                "tree" | "metadata" | "search" | "audit" | "outdated" | "info" | "pkgid" | "verify-project"
                | "locate-project",
            ),
            [],
        ) => false,
        (None, []) if own.contains(&"--list") => false,
        _ => return Err(Some("this command of cargo may change or run something".to_owned())),
    };
    settings(job, sub)?;
    if compiles {
        packages::check(job)?;
    }
    Ok(Work::of_scripts(Vec::new()))
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

/// `-Dwarnings`.
fn is_lint(text: &str) -> bool {
    ["-D", "-W", "-A", "-F"].iter().any(|flag| {
        text.strip_prefix(flag).is_some_and(|lint| {
            !lint.is_empty()
                && lint.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b':' | b'_'))
        })
    })
}

/// Settings of the project that make cargo start something else.
fn settings(job: &Job<'_>, sub: Option<&str>) -> Result<(), Option<String>> {
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
        for name in [".cargo/config.toml", ".cargo/config", "rust-toolchain.toml", "rust-toolchain"] {
            let found = job.place.context.world.text(&format!("{folder}/{name}"));
            let bad = match &found {
                FileText::Missing => false,
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
