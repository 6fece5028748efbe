//! Addresses that never leave this machine: `localhost`, 127.0.0.0/8 and `::1`.

use core::net::IpAddr;

use super::{effective, rows::operands};
use crate::command::types::SimpleCommand;

/// Whether a URL, an address or `user@host:port` is this machine.
pub(super) fn is_loopback(address: &str) -> bool {
    let host = host_of(address).to_ascii_lowercase();
    let names = ["localhost", "0.0.0.0", "host.docker.internal"];
    let numeric = host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    names.contains(&host.as_str()) || host.ends_with(".localhost") || numeric
}

/// Whether the command talks to this machine alone.
pub(super) fn stays_here(command: &SimpleCommand) -> bool {
    let (program, args) = effective(command);
    let operands = operands(program, &args);
    let is_method = |word: &&&str| word.chars().all(|char| char.is_ascii_uppercase());
    match program {
        "ssh" | "sftp" | "telnet" | "ftp" | "nc" | "ncat" | "netcat" | "nmap" | "ping" | "mosh" => {
            operands.first().is_some_and(|host| is_loopback(host))
        }
        "http" | "https" | "xh" | "curlie" => {
            operands.iter().find(|word| !is_method(word)).is_some_and(|host| is_loopback(host))
        }
        _ => false,
    }
}

/// The host of a URL, an address or `user@host:port`.
fn host_of(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let rest = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let rest = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    if let Some(inner) = rest.strip_prefix('[') {
        return inner.split(']').next().unwrap_or(inner);
    }
    // More than one colon is an address of version 6 without a port.
    match rest.matches(':').count() {
        1 => rest.split(':').next().unwrap_or(rest),
        _ => rest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every spelling of this machine, and none that only looks like it.
    #[test]
    fn loopback_addresses() {
        for address in [
            "localhost",
            "LOCALHOST:3000",
            "http://localhost/x",
            "127.0.0.1",
            "127.0.0.2:80",
            "http://127.255.0.9/?q=1",
            "[::1]:80",
            "::1",
            "http://[::1]/",
            "http://user:pass@127.0.0.1:8000/a",
            "me@localhost",
            "app.localhost:80",
        ] {
            assert!(is_loopback(address), "{address}");
        }
        for address in [
            "example.com",
            "http://127.0.0.1.evil.com/",
            "http://localhost.evil.com",
            "1270.0.0.1",
            "128.0.0.1",
            "::2",
            "http://localhost@evil.com/",
            "10.0.0.1",
            "http://evil.com/127.0.0.1",
            "",
        ] {
            assert!(!is_loopback(address), "{address}");
        }
    }
}
