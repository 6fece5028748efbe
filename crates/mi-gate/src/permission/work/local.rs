//! Questions to services on this machine.

use super::{Job, Work};

const PLAIN: &[&str] = &[
    "-s",
    "-S",
    "-i",
    "-I",
    "-f",
    "-v",
    "-k",
    "-g",
    "-G",
    "--silent",
    "--show-error",
    "--include",
    "--head",
    "--fail",
    "--verbose",
    "--insecure",
    "--compressed",
    "--no-progress-meter",
    "-N",
    "--no-buffer",
];
const VALUED: &[&str] = &[
    "-H",
    "--header",
    "-m",
    "--max-time",
    "--connect-timeout",
    "--retry",
    "--retry-delay",
    "-w",
    "--write-out",
    "-X",
    "--request",
    "-A",
    "--user-agent",
    "-o",
    "--output",
];

/// `curl` that asks this machine and keeps nothing.
pub(super) fn asks(job: &Job<'_>) -> Result<Work, Option<String>> {
    let texts = job.texts();
    let mut addresses = 0;
    let mut rest = texts.iter().copied();
    let no =
        |text: &str| Err(Some(format!("`curl {}` may send or keep something", mi_model::shorten(text, 60))));
    while let Some(text) = rest.next() {
        if PLAIN.contains(&text) || is_plain_group(text) {
            continue;
        }
        if VALUED.contains(&text) {
            let value = rest.next().unwrap_or_default();
            let harmless = match text {
                "-X" | "--request" => matches!(value, "GET" | "HEAD"),
                "-o" | "--output" => value == "/dev/null",
                "-w" | "--write-out" => !value.contains("output{") && !value.starts_with('@'),
                _ => !value.starts_with('@'),
            };
            if !harmless {
                return no(&format!("{text} {value}"));
            }
            continue;
        }
        if text.starts_with('-') || !is_here(text) {
            return no(text);
        }
        addresses += 1;
    }
    if addresses == 0 { no("") } else { Ok(Work::default()) }
}

/// `-sSf`: letters that only say what is shown.
fn is_plain_group(text: &str) -> bool {
    text.strip_prefix('-')
        .is_some_and(|group| !group.is_empty() && group.chars().all(|letter| "sSiIfvkgGN".contains(letter)))
}

/// `wget` that prints, `nc -z` and `ping`, all of this machine.
pub(super) fn looks(job: &Job<'_>) -> Result<Work, Option<String>> {
    let program = job.command.program.as_str();
    let texts = job.texts();
    let (plain, valued): (&[&str], &[&str]) = match program {
        "wget" => (&["-q", "-qO-", "-O-", "-nv", "-S", "--spider", "--quiet"], &["-O", "-T", "-t", "-qO"]),
        "nc" => (&["-z", "-v", "-zv", "-vz", "-n", "-zvn"], &["-w"]),
        _ => (&["-n", "-q"], &["-c", "-W", "-w", "-i"]),
    };
    let mut addresses = Vec::new();
    let mut rest = texts.iter().copied();
    while let Some(text) = rest.next() {
        let known = if valued.contains(&text) {
            let value = rest.next().unwrap_or_default();
            value == "-" && text.ends_with('O')
                || value.bytes().all(|byte| byte.is_ascii_digit()) && !text.ends_with('O')
        } else {
            if !text.starts_with('-') {
                addresses.push(text);
            }
            !text.starts_with('-') || plain.contains(&text)
        };
        if !known {
            return Err(Some(format!(
                "`{program} {}` may send or keep something",
                mi_model::shorten(text, 60)
            )));
        }
    }
    // What is fetched is printed, a port is only knocked at, and somebody stops.
    let has = |options: &[&str]| texts.iter().any(|text| options.contains(text));
    let harmless = match program {
        "wget" => {
            has(&["-qO-", "-O-", "-O", "-qO", "--spider"]) && addresses.iter().all(|text| is_here(text))
        }
        "nc" => has(&["-z", "-zv", "-vz", "-zvn"]) && addresses.first().is_some_and(|host| is_here(host)),
        _ => has(&["-c"]) && addresses.iter().all(|host| is_here(host)),
    };
    if harmless && !addresses.is_empty() {
        Ok(Work::default())
    } else {
        Err(Some(format!("`{program}` may send or keep something")))
    }
}

/// An address of this machine, written plainly.
fn is_here(address: &str) -> bool {
    let rest =
        address.strip_prefix("http://").or_else(|| address.strip_prefix("https://")).unwrap_or(address);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let name = host
        .strip_suffix(|char: char| char.is_ascii_digit())
        .map_or(host, |_| host.rsplit_once(':').map_or(host, |(name, _)| name));
    matches!(name, "localhost" | "127.0.0.1" | "[::1]" | "0.0.0.0")
        && !address.contains(['@', '\\', '{', '}'])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Only this machine is here, however another is written.
    #[test]
    fn d_19_addresses_of_this_machine() {
        for address in [
            "http://localhost:3000/health",
            "localhost:8080",
            "https://127.0.0.1/x?y=1",
            "localhost",
            "http://[::1]:80/",
        ] {
            assert!(is_here(address), "{address}");
        }
        for address in [
            "http://localhost@evil.example/",
            "http://localhost.evil.example",
            "file:///etc/passwd",
            "evil.example",
            "http://localhost:80@evil/",
            "http://{localhost,evil.example}/",
            "http://evil.example/localhost",
            "localhost\\@evil",
        ] {
            assert!(!is_here(address), "{address}");
        }
    }
}
