//! Transfers whose meaning depends on where they go and what they carry.

use mi_model::RiskCategory::{Network, Other, Privacy, Push};
use mi_model::Severity::{Critical, High, Low, Medium};

use super::{Findings, effective, loopback::is_loopback};
use crate::command::types::{SimpleCommand, Via};

pub(super) fn find(command: &SimpleCommand, findings: &mut Findings) {
    let (program, args) = effective(command);
    match program {
        "curl" | "wget" | "wget2" | "curlie" => fetch(command, &args, findings),
        "scp" | "rsync" => copy(command, program, &args, findings),
        "nc" | "ncat" | "netcat"
            if args.iter().any(|arg| matches!(*arg, "-e" | "-c" | "--exec" | "--sh-exec")) =>
        {
            findings.add(command, Other, Critical, true, "gives a shell to whoever connects");
        }
        "socat"
            if args.iter().any(|arg| {
                arg.to_ascii_uppercase().contains("EXEC:") || arg.to_ascii_uppercase().contains("SYSTEM:")
            }) =>
        {
            findings.add(command, Other, Critical, true, "gives a shell to whoever connects");
        }
        "openssl" if args.first() == Some(&"s_client") => {
            findings.add(command, Network, Medium, true, "opens a raw connection")
        }
        _ => {}
    }
    if command.via == Via::Remote && command.place.position == 0 && !command.program.is_empty() {
        remote(command, findings);
    }
    sockets(command, findings);
}

fn fetch(command: &SimpleCommand, args: &[&str], findings: &mut Findings) {
    if args.iter().any(|arg| matches!(*arg, "--version" | "-V" | "--help" | "-h")) {
        return;
    }
    let urls: Vec<&&str> = args.iter().filter(|arg| arg.contains("://") || is_loopback(arg)).collect();
    if !urls.is_empty() && urls.iter().all(|url| is_loopback(url)) {
        return;
    }
    findings.add(command, Network, Medium, true, "talks to another machine");
    if uploads_file(args) {
        findings.add(command, Privacy, High, true, "sends a file to another machine");
    }
    let api = args.iter().any(|arg| {
        [
            "api.openai.com",
            "api.anthropic.com",
            "generativelanguage.googleapis.com",
            "api.replicate.com",
            "api.stripe.com",
            "api.twilio.com",
            "api.cohere.ai",
            "openrouter.ai",
            "api.mistral.ai",
        ]
        .iter()
        .any(|host| arg.contains(host))
    });
    if api {
        findings.add(command, mi_model::RiskCategory::Cost, Medium, true, "calls a paid service");
    }
    let method = args.windows(2).any(|pair| {
        matches!(pair[0], "-X" | "--request" | "--method")
            && matches!(pair[1].to_ascii_uppercase().as_str(), "DELETE" | "PUT" | "PATCH" | "POST")
    });
    let glued = args.iter().any(|arg| {
        [
            "-XPOST",
            "-XPUT",
            "-XDELETE",
            "-XPATCH",
            "--request=DELETE",
            "--request=POST",
            "--method=POST",
            "--method=DELETE",
        ]
        .contains(arg)
    });
    if method || glued {
        findings.add(command, Push, Medium, true, "changes something on another machine");
    }
    if args.iter().any(|arg| arg.contains("169.254.169.254") || arg.contains("metadata.google.internal")) {
        findings.add(command, Privacy, Critical, true, "reads the machine's cloud credentials");
    }
    if args.iter().any(|arg| arg.contains("$(") || arg.contains('`')) {
        findings.add(command, Privacy, Medium, true, "sends what another command printed");
    }
}

fn uploads_file(args: &[&str]) -> bool {
    let value_has_at = |value: &str| value.starts_with('@') || value.contains("=@") || value.contains("=<");
    let pairs = args.windows(2).any(|pair| {
        (matches!(
            pair[0],
            "-d" | "--data"
                | "--data-binary"
                | "--data-raw"
                | "--data-ascii"
                | "--data-urlencode"
                | "-F"
                | "--form"
                | "--json"
        ) && value_has_at(pair[1]))
            || matches!(pair[0], "-T" | "--upload-file" | "--post-file" | "--body-file")
    });
    let glued = args.iter().any(|arg| {
        [
            "-d@",
            "--data=@",
            "--data-binary=@",
            "--upload-file=",
            "--post-file=",
            "--body-file=",
            "--json=@",
            "-T/",
            "-T.",
        ]
        .iter()
        .any(|start| arg.starts_with(start))
            || (arg.starts_with("-F") && arg.contains("=@"))
    });
    pairs || glued
}

fn copy(command: &SimpleCommand, program: &str, args: &[&str], findings: &mut Findings) {
    let is_remote = |arg: &str| {
        let host = arg.split(':').next().unwrap_or_default();
        arg.starts_with("rsync://")
            || (arg.contains(':') && !host.contains('/') && host.len() > 1 && !arg.starts_with('-'))
                && !is_loopback(host)
    };
    let operands: Vec<&&str> = args.iter().filter(|arg| !arg.starts_with('-')).collect();
    if !operands.iter().any(|arg| is_remote(arg)) {
        return;
    }
    findings.add(command, Network, Medium, true, "copies to or from another machine");
    if operands.last().is_some_and(|arg| is_remote(arg)) {
        findings.add(command, Push, High, true, format!("`{program}` puts files on another machine"));
    }
}

/// What `ssh HOST …` and containers run.
fn remote(command: &SimpleCommand, findings: &mut Findings) {
    let quiet = [
        "ls", "cat", "echo", "pwd", "whoami", "hostname", "uptime", "df", "test", "true", "sh", "bash",
        "python", "python3", "npm", "pytest", "cargo", "go", "node",
    ];
    let severity = if quiet.contains(&command.program.as_str()) { Low } else { Medium };
    findings.add(command, Push, severity, true, "runs on another machine or in a container");
}

/// Bash's own sockets.
fn sockets(command: &SimpleCommand, findings: &mut Findings) {
    let is_socket = |text: &str| {
        let after = ["/dev/tcp/", "/dev/udp/"].iter().find_map(|start| text.split_once(start));
        after.is_some_and(|(_, host)| !is_loopback(host))
    };
    let redirected = command.redirects.iter().any(|redirect| {
        redirect.kind != crate::command::RedirectKind::Text && is_socket(&redirect.target.text)
    });
    let read = !matches!(command.program.as_str(), "echo" | "printf" | "grep" | "rg" | "git")
        && command.arg_texts().any(|text| is_socket(text) && !text.contains(' '));
    if redirected || read {
        let shell = matches!(command.program.as_str(), "bash" | "sh" | "zsh" | "exec");
        findings.add(command, Network, if shell { Critical } else { High }, true, "opens a raw connection");
    }
}
