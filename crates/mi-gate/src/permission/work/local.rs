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
    "-sS",
    "-fsS",
    "-fs",
    "-sf",
    "-sSf",
    "-si",
    "-is",
    "-sI",
    "-Is",
    "-sSI",
    "-fsSI",
    "-sk",
    "-ks",
    "-vk",
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
        if PLAIN.contains(&text) {
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
