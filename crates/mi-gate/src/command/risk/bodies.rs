//! Programs in other languages: deleting, connecting and reading secrets by their libraries' names.

use std::sync::LazyLock;

use mi_model::RiskCategory::{Delete, Network, Other, Privacy};
use mi_model::Severity::{Critical, High, Low, Medium};
use regex::Regex;

use super::Findings;
use crate::command::types::{Body, SimpleCommand};

pub(super) fn find(command: &SimpleCommand, findings: &mut Findings) {
    for body in &command.bodies {
        match body.language {
            "sql" => sql(command, body, findings),
            "sed" | "awk" | "ed" => {}
            _ => general(command, body, findings),
        }
    }
}

macro_rules! pattern {
    ($name:ident, $text:expr) => {
        static $name: LazyLock<Regex> =
            LazyLock::new(|| Regex::new($text).expect("a fixed pattern compiles"));
    };
}

pattern!(
    DROP,
    r"(?i)\b(drop\s+(table|database|schema|user|role|index|view|keyspace)|truncate\s+(table\s+)?\w|dropdatabase\s*\(|\.drop\s*\(|flushall|flushdb|deletemany\s*\(\s*\{\s*\}|drop\s+owned)\b?"
);
pattern!(DELETE_ROWS, r"(?i)\b(delete\s+from\s+\S+|update\s+\S+\s+set\s)");
pattern!(WHERE, r"(?i)\bwhere\b");
pattern!(
    REMOVES,
    r"shutil\.rmtree|os\.(remove|unlink|rmdir|removedirs)\b|\.unlink\(|\.rmdir\(|send2trash|fs\.(rm|rmSync|unlink|unlinkSync|rmdir|rmdirSync)\b|rimraf|FileUtils\.rm|File\.delete|Dir\.rmdir|\bunlink\b|\bremove_tree\b|Deno\.remove|os\.remove\(|\brmtree\b|Remove-Item"
);
pattern!(
    REMOVES_MUCH,
    r#"(rmtree|rmSync|rm_rf|rm_r|remove_tree|Remove-Item|rimraf)[^;\n]*(["'](/|~|\.\.|/home[^"']*|/etc[^"']*|/usr[^"']*|\.git)/?["']|expanduser|homedir\(|Path\.home\(|HOME)"#
);
pattern!(
    CONNECTS,
    r"\burllib|\brequests\.|\bhttpx\b|\baiohttp\b|http\.client|\bsocket\b|\bfetch\(|\baxios\b|require\(.https?.\)|node:https?|Net::HTTP|open-uri|LWP::|IO::Socket|TCPSocket|file_get_contents\(.https?|curl_init|\bsmtplib\b|\bparamiko\b|\bboto3\b|\bftplib\b|net\.connect|Invoke-WebRequest|Invoke-RestMethod|\bWebSocket\(|net\.Socket|fsockopen"
);
pattern!(LOCAL_ONLY, r"localhost|127\.0\.0\.1|\[::1\]");
pattern!(REMOTE_URL, r#"https?://([a-zA-Z0-9.-]+)"#);
pattern!(
    SECRET_FILES,
    r"\.ssh/id_|\.aws/credentials|/etc/shadow|\.netrc|\.git-credentials|\.kube/config|\.gnupg|id_rsa|id_ed25519|Keychains"
);
pattern!(ENVIRONMENT_OUT, r"(os\.environ|process\.env|ENV\.to_h|%ENV)");

fn sql(command: &SimpleCommand, body: &Body, findings: &mut Findings) {
    if DROP.is_match(&body.text) {
        findings.add(command, Delete, High, false, "drops or empties tables");
    }
    let unbounded =
        body.text.split(';').any(|statement| DELETE_ROWS.is_match(statement) && !WHERE.is_match(statement));
    if unbounded {
        findings.add(command, Delete, High, false, "deletes or changes every row");
    } else if DELETE_ROWS.is_match(&body.text) {
        findings.add(command, Delete, Low, false, "deletes or changes rows");
    }
}

fn general(command: &SimpleCommand, body: &Body, findings: &mut Findings) {
    let text = body.text.as_str();
    if REMOVES_MUCH.is_match(text) {
        findings.add(command, Delete, Critical, false, "deletes whole folders from a program");
    } else if REMOVES.is_match(text) {
        findings.add(command, Delete, Medium, false, "deletes files from a program");
    }
    let connects = CONNECTS.is_match(text) && !only_local(text);
    if connects {
        findings.add(command, Network, Medium, true, "a program talks to another machine");
    }
    if SECRET_FILES.is_match(text) {
        findings.add(
            command,
            Privacy,
            if connects { Critical } else { High },
            connects,
            "a program reads files that hold secrets",
        );
    }
    if connects && ENVIRONMENT_OUT.is_match(text) {
        findings.add(command, Privacy, High, true, "a program may send the environment away");
    }
    let runs_download = connects && (text.contains("exec(") || text.contains("eval("));
    if runs_download {
        findings.add(command, Other, High, true, "runs text that it downloads");
    }
    if text.contains("b64decode") && (text.contains("exec(") || text.contains("os.system")) {
        findings.add(command, Other, High, false, "runs hidden text");
    }
}

fn only_local(text: &str) -> bool {
    let mut hosts = REMOTE_URL.captures_iter(text).peekable();
    let all_local = hosts.all(|found| LOCAL_ONLY.is_match(&found[1]));
    all_local && LOCAL_ONLY.is_match(text)
}
