//! Files that hold secrets, and files that decide what runs later.

use mi_model::RiskCategory::{Other, Privacy};
use mi_model::Severity::{self, Critical, High, Low, Medium};

use super::{Findings, effective};
use crate::command::types::{RedirectKind, SimpleCommand};
use crate::command::written_paths;

/// Programs whose arguments are text, names or places to write, not files to read.
const NOT_READERS: &[&str] = &[
    "echo",
    "printf",
    "ls",
    "touch",
    "mkdir",
    "rm",
    "git",
    "test",
    "[",
    "stat",
    "chmod",
    "chown",
    "cd",
    "ssh-keygen",
    "ssh",
    "ssh-add",
    "which",
    "find",
    "fd",
    "export",
    "docker",
    "basename",
    "dirname",
    "realpath",
    "readlink",
    "tee",
    "unlink",
    "rmdir",
    "mv",
    "ln",
    "alias",
    "export",
    "set",
    "kubectl",
    "cargo",
    "npm",
    "gh",
    "trap",
    "eval",
    "sh",
    "bash",
    "zsh",
    "sudo",
    "env",
    "xargs",
    "timeout",
    "nice",
    "nohup",
    "pytest",
    "make",
];

/// Parts of paths that hold secrets.
const SECRETS: &[(&str, Severity)] = &[
    (".ssh/id_", High),
    (".ssh/*", High),
    ("id_rsa", High),
    ("id_ed25519", High),
    ("id_ecdsa", High),
    (".aws/credentials", High),
    (".aws/config", Medium),
    (".aws/*", High),
    (".config/gcloud", High),
    (".azure/", High),
    (".kube/config", High),
    (".docker/config.json", High),
    (".netrc", High),
    (".git-credentials", High),
    (".pypirc", High),
    (".npmrc", Medium),
    (".gnupg", High),
    ("Library/Keychains", High),
    ("login.keychain", High),
    ("/etc/shadow", Critical),
    ("/etc/sudoers", High),
    ("/etc/gshadow", Critical),
    (".config/gh/hosts.yml", High),
    ("credentials.json", Medium),
    ("service-account", Medium),
    (".cargo/credentials", High),
    (".terraform.d/credentials", High),
    (".vault-token", High),
    (".bash_history", Medium),
    (".zsh_history", Medium),
    (".psql_history", Medium),
    (".mysql_history", Medium),
    ("wallet.dat", High),
    (".config/google-chrome", High),
    ("Cookies", Medium),
    (".mozilla/firefox", High),
    (".password-store", High),
    (".pgpass", High),
    (".my.cnf", High),
    (".codex/auth.json", High),
    (".claude/.credentials", High),
    (".boto", High),
    (".s3cfg", High),
    (".htpasswd", Medium),
    ("secrets.yml", Medium),
    ("secrets.yaml", Medium),
    ("secrets.json", Medium),
    ("master.key", High),
    ("/proc/self/environ", High),
    ("kubeconfig", Medium),
];

/// Parts of paths that decide what runs later.
const PERSISTENT: &[(&str, Severity)] = &[
    (".bashrc", High),
    (".zshrc", High),
    (".profile", High),
    (".bash_profile", High),
    (".zprofile", High),
    (".zshenv", High),
    (".bash_login", High),
    ("config.fish", High),
    (".bash_aliases", High),
    (".bash_logout", High),
    (".git/hooks/", High),
    (".git/config", High),
    (".husky/", Medium),
    ("authorized_keys", Critical),
    (".ssh/config", High),
    (".ssh/", High),
    ("/etc/", High),
    ("/usr/", High),
    ("/bin/", High),
    ("/sbin/", High),
    ("/lib/systemd", High),
    ("LaunchAgents", High),
    ("LaunchDaemons", High),
    ("/var/spool/cron", High),
    (".config/autostart", High),
    (".envrc", Medium),
    ("sudoers", Critical),
    (".gitconfig", High),
    (".npmrc", Medium),
    (".pypirc", High),
    (".aws/", High),
    (".kube/", High),
    (".config/systemd", High),
    ("sitecustomize.py", High),
    ("usercustomize.py", High),
    (".claude/settings", High),
    (".codex/config", High),
    (".codex/hooks", High),
    (".claude/hooks", High),
    (".config/opencode", High),
    ("/boot/", Critical),
    ("/proc/sys", High),
    ("/sys/", High),
    (".vimrc", Medium),
    (".inputrc", Medium),
    (".gnupg/", High),
];

pub(super) fn find(command: &SimpleCommand, findings: &mut Findings) {
    for text in read_paths(command) {
        if let Some(severity) = secret(text) {
            findings.add(
                command,
                Privacy,
                severity,
                false,
                format!("reads `{text}`, which may hold secrets"),
            );
        }
    }
    for text in handled_paths(command) {
        if let Some(severity) = secret(text) {
            findings.add(
                command,
                Privacy,
                severity,
                false,
                format!("changes who may read `{text}`, which may hold secrets"),
            );
        }
    }
    for path in written_paths(command) {
        if let Some(severity) = persistent(path) {
            findings.add(
                command,
                Other,
                severity,
                false,
                format!("changes `{path}`, which decides what runs or who may enter"),
            );
        }
    }
}

/// Files whose rights or place a command changes.
fn handled_paths(command: &SimpleCommand) -> Vec<&str> {
    let (program, args) = effective(command);
    match program {
        "chmod" | "chown" | "chgrp" | "setfacl" => {
            args.into_iter().filter(|arg| !arg.starts_with('-')).skip(1).collect()
        }
        // The last operand is where it goes.
        "mv" | "ln" => {
            let mut paths: Vec<&str> = args.into_iter().filter(|arg| !arg.starts_with('-')).collect();
            paths.pop();
            paths
        }
        _ => Vec::new(),
    }
}

/// Files that a command reads, as far as its words say.
fn read_paths(command: &SimpleCommand) -> Vec<&str> {
    let (program, args) = effective(command);
    let mut paths: Vec<&str> = command
        .redirects
        .iter()
        .filter(|redirect| matches!(redirect.kind, RedirectKind::Read | RedirectKind::ReadWrite))
        .map(|redirect| redirect.target.text.as_str())
        .collect();
    if NOT_READERS.contains(&program) {
        return paths;
    }
    let mut operands: Vec<&str> = args.iter().copied().filter(|arg| !arg.contains([' ', '\n'])).collect();
    if matches!(program, "grep" | "rg" | "sed" | "awk" | "gsed" | "egrep" | "fgrep") {
        // The first operand is the pattern.
        operands = operands.into_iter().filter(|arg| !arg.starts_with('-')).skip(1).collect();
    }
    if matches!(program, "cp" | "install" | "scp" | "rsync") {
        operands.retain(|arg| !arg.starts_with('-'));
        operands.pop();
    }
    paths.append(&mut operands);
    paths
}

/// How bad it is to read `path`.
pub(crate) fn secret(path: &str) -> Option<Severity> {
    let path = if path.len() > 1 { path.trim_end_matches('/') } else { path };
    let public = [".pub", ".example", ".sample", ".template", ".dist", ".md", "known_hosts"]
        .iter()
        .any(|end| path.ends_with(end));
    if public {
        return None;
    }
    if path.starts_with("/proc/") && path.ends_with("/environ") {
        return Some(High);
    }
    let name = path.trim_start_matches('@').rsplit(['/', '=', '@']).next().unwrap_or(path);
    let is_environment = name == ".env"
        || (name.starts_with(".env.") && !["test", "ci", "defaults", "schema"].contains(&&name[5..]));
    if is_environment {
        return Some(Medium);
    }
    if [".pem", ".p12", ".pfx", ".key", ".keystore", ".jks", ".kdbx", ".ppk", ".agekey"]
        .iter()
        .any(|end| name.ends_with(end))
        && !name.contains("cert")
        && !name.contains("pub")
    {
        return Some(Medium);
    }
    if path.ends_with("/.ssh") || path.ends_with("/.aws") || path.ends_with("/.gnupg") {
        return Some(High);
    }
    SECRETS.iter().filter(|(part, _)| path.contains(part)).map(|(_, severity)| *severity).max()
}

pub(crate) fn persistent(path: &str) -> Option<Severity> {
    let absolute = path.starts_with('/');
    let harmless = path.starts_with("/tmp/")
        || path.starts_with("/dev/")
        || path.starts_with("/usr/src/")
        || path.starts_with("/var/tmp/");
    if harmless {
        return None;
    }
    PERSISTENT
        .iter()
        .filter(
            |(part, _)| {
                if part.starts_with('/') { absolute && path.starts_with(part) } else { path.contains(part) }
            },
        )
        .map(|(_, severity)| *severity)
        .max()
        .or_else(|| (path.starts_with("~/.config/")).then_some(Low))
}
