//! Where secrets go inside of a script: from what reads them, through pipes, substitutions, variables and files, to a
//! program that sends (D.19: credentials to external systems).
//!
//! Holds: one pass over the commands for each way, so that time grows with the length of the script.

use std::collections::{HashMap, HashSet};

use super::glob::Glob;
use crate::command::risk::paths::secret;
use crate::command::{Analysis, Body, RedirectKind, SimpleCommand, Via, Word};

mod variables;

/// Which commands send a secret away.
pub(super) fn find(analysis: &Analysis) -> Vec<bool> {
    let commands = &analysis.commands;
    if !commands.iter().any(sends) {
        return vec![false; commands.len()];
    }
    let mut carries: Vec<bool> = commands.iter().map(reads_secret).collect();
    // A substitution in a pipe in a substitution: each round takes a secret one step further out.
    for _ in 0..4 {
        let before = carries.clone();
        spread(commands, &mut carries);
        if before == carries {
            break;
        }
    }
    let leaks = |(command, carries): (&SimpleCommand, bool)| carries && sends(command);
    commands.iter().zip(carries).map(leaks).collect()
}

/// One step along every way that a secret can take.
fn spread(commands: &[SimpleCommand], carries: &mut [bool]) {
    outwards(commands, carries);
    let mut first: HashMap<u32, u16> = HashMap::new();
    let mut seen: HashMap<u32, u16> = HashMap::new();
    let mut files: HashSet<&str> = HashSet::new();
    // The redirect of a loop stands behind what is in the loop.
    let held = commands.iter().zip(carries.iter()).any(|(command, carries)| *carries && is_held(command));
    let mut any = false;
    for (command, carries) in commands.iter().zip(carries.iter_mut()) {
        let place = command.place;
        let piped = first.get(&place.pipeline).is_some_and(|start| *start < place.position);
        // Where a group stands before the pipe, its commands have pipelines of their own.
        let missing = seen.get(&place.pipeline).copied().unwrap_or_default() < place.position;
        let filled = held && command.args.iter().chain(targets(command)).any(|word| !word.exact);
        let named = !files.is_empty() && words(command).any(|word| files.contains(value(word)));
        *carries |= piped || (missing && any) || filled || named;
        let next = place.position.saturating_add(1);
        let most = seen.entry(place.pipeline).or_default();
        *most = next.max(*most);
        if *carries {
            any = true;
            let start = first.entry(place.pipeline).or_insert(place.position);
            *start = place.position.min(*start);
            files.extend(copies(command));
        }
    }
}

/// What a substitution or a wrapped program prints is its parent's.
fn outwards(commands: &[SimpleCommand], carries: &mut [bool]) {
    for index in (0..commands.len()).rev() {
        if let (true, Some(parent)) = (carries[index], commands[index].parent) {
            let stays = matches!(commands[index].via, Via::Remote | Via::Function);
            if let (false, Some(slot)) = (stays, carries.get_mut(parent)) {
                *slot = true;
            }
        }
    }
}

/// A variable now holds it: `x=$(cat .env)`, `read x < .env`, `while read x; do …; done < .env`.
fn is_held(command: &SimpleCommand) -> bool {
    match command.program.as_str() {
        "export" | "declare" | "local" | "readonly" | "typeset" | "read" | "mapfile" | "readarray" => true,
        "" => true,
        _ => command.via == Via::Substitution && command.parent.is_none(),
    }
}

/// The files that hold it afterwards.
fn copies(command: &SimpleCommand) -> impl Iterator<Item = &str> {
    let copies = matches!(
        command.program.as_str(),
        "cp" | "mv"
            | "ln"
            | "tar"
            | "zip"
            | "7z"
            | "gzip"
            | "dd"
            | "install"
            | "tee"
            | "openssl"
            | "gpg"
            | "age"
            | "base64"
            | "rsync"
            | "split"
            | "xz"
            | "bzip2"
            | "zstd"
            | "sqlite3"
    );
    let writes = |kind| matches!(kind, RedirectKind::Write | RedirectKind::Append | RedirectKind::ReadWrite);
    let written = command.redirects.iter().filter(move |redirect| writes(redirect.kind));
    let written =
        written.map(|redirect| redirect.target.text.as_str()).filter(|text| !text.starts_with("/dev/"));
    let named = command.arg_texts().filter(move |text| copies && !text.starts_with('-')).map(value);
    written.chain(named)
}

fn targets(command: &SimpleCommand) -> impl Iterator<Item = &Word> {
    command.redirects.iter().map(|redirect| &redirect.target)
}

fn words(command: &SimpleCommand) -> impl Iterator<Item = &str> {
    command.args.iter().chain(targets(command)).map(|word| word.text.as_str())
}

/// `f=@x`, `of=x`: the name at the end.
fn value(word: &str) -> &str {
    word.rsplit(['=', '@', '<']).next().unwrap_or(word)
}

/// The command itself reads a secret.
fn reads_secret(command: &SimpleCommand) -> bool {
    names_secret(command)
        || prints_secrets(command)
        || variables::are_given_away(command)
        || command.bodies.iter().any(body_reads_secret)
}

/// Options whose value is used to prove who one is, and is not sent.
fn is_key_option(program: &str, option: &str) -> bool {
    match program {
        "ssh" | "scp" | "sftp" | "rsync" | "mosh" | "autossh" => matches!(option, "-i" | "-F" | "-e"),
        "curl" => matches!(
            option,
            "--key"
                | "--cert"
                | "-E"
                | "--cacert"
                | "--capath"
                | "--netrc-file"
                | "--proxy-key"
                | "--proxy-cert"
        ),
        "wget" => matches!(option, "--private-key" | "--certificate" | "--ca-certificate"),
        _ => false,
    }
}

fn names_secret(command: &SimpleCommand) -> bool {
    if matches!(
        command.program.as_str(),
        "source" | "." | "ls" | "stat" | "test" | "[" | "[[" | "rm" | "touch" | "chmod"
    ) {
        return false;
    }
    let mut options = std::iter::once("").chain(command.arg_texts());
    let words = command.args.iter().filter(|_| {
        let option = options.next().unwrap_or_default();
        !is_key_option(&command.program, option)
    });
    // What is typed to such a program names files among its own words.
    let typed = targets(command)
        .filter(|_| matches!(command.program.as_str(), "sftp" | "ftp" | "lftp" | "smbclient"));
    words.chain(targets(command)).any(|word| names_secret_file(&word.text, word.glob))
        || typed.flat_map(|word| word.text.split_whitespace()).any(|part| names_secret_file(part, false))
}

/// The word is, or may be, the name of a file that holds secrets, also as `f=@x`, `HEAD:x` and `FILE:x`.
pub(super) fn names_secret_file(word: &str, is_pattern: bool) -> bool {
    let path = value(word);
    let is_address = path.contains("://");
    let inside = path.rsplit_once(':').map(|(_, inside)| inside);
    !is_address && (secret(path).is_some() || inside.is_some_and(|path| secret(path).is_some()))
        || is_pattern && may_be_secret(path)
}

/// Names of files that hold secrets, for patterns that may stand for them.
const SECRET_NAMES: [&str; 8] =
    [".env", ".env.local", ".netrc", ".pgpass", ".git-credentials", ".npmrc", "id_rsa", "id_ed25519"];

/// Whether a pattern of the shell may stand for such a file; `*` stands for no name that begins with a dot, and what is
/// nothing but stars looks for none of them.
pub(super) fn may_be_secret(shown: &str) -> bool {
    let name = shown.rsplit('/').next().unwrap_or(shown);
    let hidden = |secret: &str| !secret.starts_with('.') || name.starts_with('.');
    let is_pattern = name.contains(['*', '?', '[', '{']) && name.contains(|sign| sign != '*');
    is_pattern
        && SECRET_NAMES
            .iter()
            .any(|secret| hidden(secret) && Glob::new(&format!("/{name}")).matches(&format!("/{secret}")))
}

/// Programs that print secrets without naming a file.
fn prints_secrets(command: &SimpleCommand) -> bool {
    let texts: Vec<&str> = command.arg_texts().collect();
    match (command.program.as_str(), texts.as_slice()) {
        ("env" | "printenv" | "set" | "export" | "declare" | "typeset", []) => true,
        ("env" | "printenv", ["-0" | "--null"])
        | ("export" | "declare" | "typeset", ["-p" | "-x" | "-px"]) => true,
        ("printenv", names) => names.iter().any(|name| variables::is_secret(name)),
        ("gh" | "glab", ["auth", "token" | "status", ..]) => true,
        ("gcloud", words) => words.iter().any(|word| word.starts_with("print-") && word.ends_with("-token")),
        ("aws", ["configure", "get" | "export-credentials", ..] | ["sts", ..] | ["secretsmanager", ..]) => {
            true
        }
        ("security", [find, ..]) => find.starts_with("find-") || *find == "dump-keychain",
        ("op", ["read" | "item", ..]) | ("vault", ["read" | "kv" | "token", ..]) => true,
        ("pass" | "gopass" | "secret-tool" | "keyring" | "bw", [_, ..]) => true,
        ("gpg", words) => words.iter().any(|word| word.starts_with("--export-secret")),
        ("kubectl" | "oc", words) => {
            words.iter().any(|word| matches!(*word, "secret" | "secrets")) && words.contains(&"get")
        }
        ("git", words) => words.contains(&"credential") && words.contains(&"fill"),
        _ => false,
    }
}

fn body_reads_secret(body: &Body) -> bool {
    let secrets = [
        ".env'",
        ".env\"",
        "id_rsa",
        "id_ed25519",
        ".aws/credentials",
        ".netrc",
        ".ssh/",
        ".git-credentials",
    ];
    body.language != "sql" && (secrets.iter().any(|name| body.text.contains(name)) || body_dumps(body))
}

/// All variables at once.
fn body_dumps(body: &Body) -> bool {
    let whole = ["dict(os.environ", "str(os.environ", "process.env)", "ENV.to_h", "json.dumps(os.environ"];
    whole.iter().any(|name| body.text.contains(name))
}

fn body_sends(body: &Body) -> bool {
    let ways = [
        "http",
        "socket",
        "requests.",
        "urllib",
        "fetch(",
        "net.connect",
        "Net::",
        "LWP",
        "smtplib",
        "ftplib",
    ];
    body.language != "sql" && ways.iter().any(|way| body.text.contains(way))
}

/// Programs that send what they are given.
pub(super) fn sends(command: &SimpleCommand) -> bool {
    let has = |wanted: &[&str]| command.arg_texts().any(|text| wanted.contains(&text));
    let remote = || command.arg_texts().any(|text| text.contains(':') && !text.starts_with('-'));
    let connects = |text: &str| text.starts_with("/dev/tcp/") || text.starts_with("/dev/udp/");
    if targets(command).any(|target| connects(&target.text)) || command.bodies.iter().any(body_sends) {
        return true;
    }
    match command.program.as_str() {
        "curl" | "wget" | "nc" | "ncat" | "netcat" | "nc.traditional" | "nc.openbsd" | "telnet" | "http"
        | "https" | "xh" | "curlie" | "httpie" | "aria2c" | "websocat" | "wscat" | "grpcurl" | "lynx"
        | "w3m" | "ftp" | "lftp" | "tftp" | "ncftpput" | "sftp" | "mail" | "mailx" | "mutt" | "neomutt"
        | "s-nail" | "sendmail" | "msmtp" | "swaks" | "socat" | "ssh" | "transfer" | "croc" | "wormhole"
        | "ffsend" | "cryptcat" => true,
        // A name that is looked up is told to whoever answers for it.
        "dig" | "nslookup" | "host" | "drill" | "ping" | "ping6" | "whois" | "kdig" | "resolvectl" => true,
        "codex" | "claude" | "gemini" | "opencode" | "aider" | "llm" | "cursor-agent" | "copilot"
        | "qwen" | "sgpt" | "chatgpt" | "goose" | "amp" => true,
        "openssl" => has(&["s_client"]),
        "busybox" | "toybox" => {
            has(&["nc", "wget", "telnet", "ftpput", "tftp", "sendmail", "nslookup", "ping"])
        }
        "scp" | "rsync" | "rclone" | "mc" => remote(),
        "gh" | "glab" => {
            has(&["create", "comment", "edit", "api", "gist", "upload", "set", "note", "update", "review"])
        }
        "aws" | "gsutil" | "gcloud" | "az" | "s3cmd" | "b2" | "doctl" => has(&[
            "cp",
            "sync",
            "mv",
            "put-object",
            "put",
            "upload",
            "upload-batch",
            "upload_file",
            "rsync",
            "send-message",
            "publish",
            "invoke",
        ]),
        "git" => {
            has(&["push", "clone", "ls-remote", "fetch", "pull", "send-email"])
                || has(&["remote"]) && has(&["add", "set-url"])
        }
        _ => false,
    }
}
