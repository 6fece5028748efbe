//! Deleting and emptying by path: how bad depends on what is hit.

use mi_model::RiskCategory::Delete;
use mi_model::Severity::{self, Critical, High, Low, Medium};

use super::rows::has_flag;
use super::{Findings, effective};
use crate::command::scope::normal;
use crate::command::types::{Analysis, Directory, RedirectKind, SimpleCommand, Word};

/// Folders that tools make and can make again.
const BUILD_FOLDERS: &[&str] = &[
    "target",
    "build",
    "dist",
    "out",
    "node_modules",
    "__pycache__",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".tox",
    ".nox",
    ".venv",
    "venv",
    "coverage",
    "htmlcov",
    ".next",
    ".nuxt",
    ".cache",
    ".parcel-cache",
    ".turbo",
    "tmp",
    "temp",
    ".tmp",
    "logs",
    "bin",
    "obj",
    ".gradle",
    ".eggs",
    ".coverage",
    "cmake-build-debug",
    "_build",
    ".svelte-kit",
    ".angular",
    "DerivedData",
    ".build",
    "zig-cache",
    ".zig-cache",
    "zig-out",
    ".hypothesis",
    ".nyc_output",
    "test-results",
    ".vite",
    ".output",
];

/// Folders of the system whose loss is beyond repair.
const SYSTEM_FOLDERS: &[&str] = &[
    "/",
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/home",
    "/lib",
    "/lib64",
    "/opt",
    "/proc",
    "/root",
    "/run",
    "/sbin",
    "/srv",
    "/sys",
    "/usr",
    "/var",
    "/Users",
    "/System",
    "/Library",
    "/Applications",
    "/mnt",
    "/media",
    "/workspace",
];

pub(super) fn find(analysis: &Analysis, command: &SimpleCommand, findings: &mut Findings) {
    let (program, args) = effective(command);
    match program {
        "rm" | "grm" | "rimraf" | "del-cli" | "trash" | "unlink" | "rmdir" => {
            remove(analysis, command, program, &args, findings)
        }
        "find" | "gfind" | "fd" if args.contains(&"-delete") => sweep(command, &args, findings),
        "truncate" => each(command, operands(command), false, findings, "empties a file"),
        "dd" => {
            for target in args.iter().filter_map(|arg| arg.strip_prefix("of=")) {
                let device = target.starts_with("/dev/") && target != "/dev/null";
                findings.add(
                    command,
                    Delete,
                    if device { Critical } else { Medium },
                    false,
                    format!("overwrites `{target}`"),
                );
            }
        }
        "mv" => moved(command, findings),
        _ => {}
    }
    emptied(command, findings);
}

fn operands(command: &SimpleCommand) -> Vec<&Word> {
    command.args.iter().filter(|word| !word.text.starts_with('-')).collect()
}

fn remove(
    analysis: &Analysis,
    command: &SimpleCommand,
    program: &str,
    args: &[&str],
    findings: &mut Findings,
) {
    let recursive =
        program == "rimraf" || ["-r", "-R", "--recursive"].iter().any(|flag| has_flag(args, flag));
    if args.contains(&"--no-preserve-root") {
        findings.add(command, Delete, Critical, false, "deletes from the root of the system");
    }
    let targets = operands(command);
    let roots = found_roots(analysis, command);
    if !roots.is_empty() {
        each(command, roots.iter().collect(), true, findings, "deletes what it finds");
    }
    if targets.is_empty() && program != "rmdir" {
        findings.add(
            command,
            Delete,
            if recursive { High } else { Medium },
            false,
            "deletes files that only its input names",
        );
    }
    let targets = targets.into_iter().filter(|word| word.text != "{}").collect();
    each(command, targets, recursive, findings, "deletes");
}

/// Where `find … -exec rm` and `find … | xargs rm` look.
fn found_roots(analysis: &Analysis, command: &SimpleCommand) -> Vec<Word> {
    let parent = command.parent.and_then(|index| analysis.commands.get(index));
    let finder = match parent {
        Some(parent) if parent.program == "xargs" => analysis.commands.iter().find(|other| {
            other.place.pipeline == parent.place.pipeline
                && matches!(other.program.as_str(), "find" | "ls" | "echo")
                && other.place.position < parent.place.position
        }),
        other => other.filter(|parent| parent.program == "find"),
    };
    finder.map(|finder| roots(finder).into_iter().cloned().collect()).unwrap_or_default()
}

/// The folders before the first test of `find`.
fn roots(finder: &SimpleCommand) -> Vec<&Word> {
    finder.args.iter().take_while(|word| !word.text.starts_with(['-', '(', '!'])).collect()
}

fn sweep(command: &SimpleCommand, args: &[&str], findings: &mut Findings) {
    let narrow = args
        .iter()
        .any(|arg| matches!(*arg, "-name" | "-iname" | "-path" | "-regex" | "-mtime" | "-empty" | "-mmin"));
    findings.add(command, Delete, if narrow { Medium } else { High }, false, "deletes every file it finds");
    for root in roots(command) {
        let severity = severity_of(root, &command.directory, true);
        if severity.is_some_and(|severity| severity == Critical) {
            findings.add(
                command,
                Delete,
                Critical,
                false,
                format!("deletes everything it finds below `{}`", root.text),
            );
        }
    }
}

fn each(command: &SimpleCommand, targets: Vec<&Word>, recursive: bool, findings: &mut Findings, verb: &str) {
    for target in targets {
        if let Some(severity) = severity_of(target, &command.directory, recursive) {
            findings.add(command, Delete, severity, false, format!("{verb} `{}`", target.text));
        }
    }
}

/// How bad it is to lose `target`; None for files below temporary and build folders.
fn severity_of(target: &Word, directory: &Directory, recursive: bool) -> Option<Severity> {
    let text = target.text.trim_end_matches('/');
    let text = text.replace("${HOME}", "~").replace("$HOME", "~").replace("$PWD", ".").replace("${PWD}", ".");
    if text.starts_with('$') {
        return unknown(&text, target, recursive);
    }
    let everything = matches!(text.as_str(), "*" | "." | "./*" | ".*" | "./.*" | "*.*");
    let base = text.trim_end_matches("/*").trim_end_matches("/.*");
    let path = match directory.join(if base.is_empty() { "/" } else { base }) {
        Directory::Absolute(path) => path,
        Directory::Relative(path) => path,
        Directory::Start => return Some(if recursive { High } else { Medium }),
        Directory::Unknown if everything => return Some(High),
        Directory::Unknown => normal(&text),
    };
    let whole = path.strip_suffix("/*").or(path.strip_suffix("*")).unwrap_or(&path).trim_end_matches('/');
    let whole = if whole.is_empty() && path.starts_with('/') { "/" } else { whole };
    known(whole, recursive)
}

fn known(path: &str, recursive: bool) -> Option<Severity> {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let is_system = SYSTEM_FOLDERS.contains(&path) || path.starts_with("/dev/") && path != "/dev/null";
    let is_home = path == "~"
        || (parts.len() == 1 && path.starts_with('~'))
        || (parts.len() == 2 && matches!(parts[0], "home" | "Users") && path.starts_with('/'));
    let is_parent = !parts.is_empty() && parts.iter().all(|part| *part == "..");
    let is_git = parts.last() == Some(&".git") || path.contains(".git/") && !path.contains(".git/index.lock");
    if is_system || is_home || is_parent || is_git {
        return Some(if recursive || is_git || path.starts_with("/dev/") { Critical } else { High });
    }
    if path.is_empty() {
        return Some(if recursive { High } else { Medium });
    }
    if path.starts_with("/tmp/")
        || path.starts_with("/var/tmp/")
        || path.starts_with("/private/tmp/")
        || path == "/tmp"
    {
        return (path == "/tmp").then_some(High);
    }
    if parts.iter().any(|part| BUILD_FOLDERS.contains(part) || part.ends_with(".egg-info"))
        && !path.starts_with(['/', '~'])
    {
        return recursive.then_some(Low);
    }
    if path.starts_with(['/', '~']) || parts.first() == Some(&"..") {
        return Some(if recursive || path.starts_with("/etc/") || path.starts_with("/usr/") {
            High
        } else {
            Medium
        });
    }
    Some(Medium)
}

/// A target that starts with a variable nobody knows: empty, it may be the root.
fn unknown(text: &str, target: &Word, recursive: bool) -> Option<Severity> {
    let upper = text.to_ascii_uppercase();
    let temporary = ["TMP", "TEMP", "BUILD", "CACHE", "DIST", "OUT", "TARGET", "MKTEMP", "WORK", "SCRATCH"]
        .iter()
        .any(|word| upper.contains(word));
    let rest = text
        .trim_start_matches('$')
        .trim_start_matches(|char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '{' | '}'));
    let becomes_root =
        matches!(rest, "/*" | "/" | "*" | "/.") || (rest.is_empty() && target.text.ends_with('/'));
    match (recursive, becomes_root, temporary) {
        (true, true, _) => Some(High),
        (_, _, true) => recursive.then_some(Low),
        (true, false, false) => Some(Medium),
        (false, true, false) => Some(Medium),
        (false, false, false) => Some(Low),
    }
}

/// `mv x /dev/null` and moving the project or the home away.
fn moved(command: &SimpleCommand, findings: &mut Findings) {
    let operands = operands(command);
    let Some((last, sources)) = operands.split_last() else { return };
    if last.text == "/dev/null" {
        findings.add(command, Delete, Critical, false, "moves files into nothing");
    }
    for source in sources {
        if severity_of(source, &command.directory, true) == Some(Critical) {
            findings.add(command, Delete, High, false, format!("moves `{}` away", source.text));
        }
    }
}

/// `> file` with nothing to write, and writing over a disk.
fn emptied(command: &SimpleCommand, findings: &mut Findings) {
    let silent = matches!(command.program.as_str(), "" | ":" | "true")
        || (command.program == "cat" && command.arg_texts().eq(["/dev/null"]));
    let unread = !command
        .redirects
        .iter()
        .any(|redirect| matches!(redirect.kind, RedirectKind::Text | RedirectKind::Read));
    let alone = command.via != crate::command::Via::Subshell;
    for redirect in command.redirects.iter().filter(|redirect| redirect.kind == RedirectKind::Write) {
        let target = redirect.target.text.as_str();
        let device = [
            "/dev/sd",
            "/dev/nvme",
            "/dev/hd",
            "/dev/vd",
            "/dev/disk",
            "/dev/mem",
            "/dev/xvd",
            "/dev/mapper",
        ]
        .iter()
        .any(|start| target.starts_with(start));
        if device {
            findings.add(command, Delete, Critical, false, format!("overwrites `{target}`"));
        } else if silent
            && unread
            && alone
            && !target.starts_with("/dev/")
            && !target.starts_with("/tmp/")
            && (!command.program.is_empty() || command.args.is_empty())
        {
            findings.add(command, Delete, Low, false, format!("empties `{target}`"));
        }
    }
}
