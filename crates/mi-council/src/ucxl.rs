//! UCXL addresses: `ucxl://agent:role@project:task/REVISION#/path#anchor`, read and written.
//!
//! An address is immutable when it names its content (`sha256:…`, `blake3:…`) or a version; anything else floats.
//! Holds: what is read is written back letter by letter, but for a `/` between revision and `#/`, which is taken and not
//! written.

use std::{fmt, str::FromStr};

use crate::Digest;

pub const SCHEME: &str = "ucxl://";

/// An address, taken apart.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Address {
    pub agent: String,
    pub role: String,
    pub project: String,
    pub task: String,
    /// What stands between the task and the path; empty where the task is a version.
    pub revision: String,
    /// Without its leading `/`; `None` for the address of a whole revision.
    pub path: Option<String>,
    pub anchor: Option<String>,
}

/// A text that is no UCXL address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is no UCXL address ({problem}); write ucxl://agent:role@project:task/REVISION#/path#anchor"
)]
pub struct AddressError {
    pub text: String,
    pub problem: &'static str,
}

impl Address {
    /// The address of stored content.
    pub fn of_content(project: &str, task: &str, digest: Digest, path: &str, anchor: Option<&str>) -> Self {
        Self {
            agent: "mi".to_owned(),
            role: "council".to_owned(),
            project: plain(project),
            task: plain(task),
            revision: format!("sha256:{digest}"),
            path: Some(encoded(path.trim_start_matches('/'))),
            anchor: anchor.filter(|anchor| !anchor.is_empty()).map(encoded),
        }
    }

    /// The path as it is in the project, if the address has one that can be read.
    pub fn plain_path(&self) -> Option<String> {
        let (mut bytes, mut rest) = (Vec::new(), self.path.as_deref()?.as_bytes());
        while let Some((first, after)) = rest.split_first() {
            let hex = after.get(..2).filter(|_| *first == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
            let byte = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
            bytes.push(byte.unwrap_or(*first));
            rest = if byte.is_some() { &after[2..] } else { after };
        }
        String::from_utf8(bytes).ok()
    }

    /// Whether it will always name the same content.
    pub fn is_immutable(&self) -> bool {
        self.is_by_version() || self.digest().is_some() || is_blake3(&self.revision)
    }

    /// Whether it is a version, and no digest, that keeps it from changing.
    pub fn is_by_version(&self) -> bool {
        match self.revision.as_str() {
            "" => is_version(&self.task),
            revision => is_version(revision),
        }
    }

    /// The digest of the content, if the address has one.
    pub fn digest(&self) -> Option<Digest> {
        self.revision.strip_prefix("sha256:")?.parse().ok()
    }
}

fn is_blake3(revision: &str) -> bool {
    revision.strip_prefix("blake3:").is_some_and(|digits| digits.parse::<Digest>().is_ok())
}

/// `2.0.0`, `v1.4`, `1.2.3-rc.1`: numbers with dots, and perhaps a suffix.
fn is_version(text: &str) -> bool {
    let text = text.strip_prefix('v').unwrap_or(text);
    let numbers = text.split(['-', '+']).next().unwrap_or_default();
    let parts: Vec<&str> = numbers.split('.').collect();
    let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    parts.len() >= 2 && parts.iter().all(is_number)
}

/// A name as it may stand in an address: what would end the part becomes `-`.
fn plain(name: &str) -> String {
    let kept: String = name.chars().map(|char| if is_part(char) { char } else { '-' }).collect();
    if kept.is_empty() { "-".to_owned() } else { kept }
}

/// What would end an address, percent-encoded.
fn encoded(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    for char in text.chars() {
        if char.is_whitespace() || char.is_control() || matches!(char, '#' | '%' | '"' | '<' | '>' | '`') {
            let mut bytes = [0; 4];
            char.encode_utf8(&mut bytes).bytes().for_each(|byte| kept.push_str(&format!("%{byte:02X}")));
        } else {
            kept.push(char);
        }
    }
    kept
}

fn is_part(char: char) -> bool {
    !char.is_whitespace()
        && !char.is_control()
        && !matches!(char, ':' | '@' | '/' | '#' | '?' | '"' | '<' | '>' | '`')
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let wrong = |problem| AddressError { text: text.to_owned(), problem };
        let rest = text.strip_prefix(SCHEME).ok_or_else(|| wrong("it does not begin with ucxl://"))?;
        if rest.chars().any(|char| char.is_whitespace() || char.is_control()) {
            return Err(wrong("it has white space or control characters"));
        }
        let (authority, rest) = rest.split_once('/').ok_or_else(|| wrong("nothing follows the task"))?;
        let (who, what) = authority.split_once('@').ok_or_else(|| wrong("there is no `@`"))?;
        let (agent, role) = who.split_once(':').ok_or_else(|| wrong("the agent has no role"))?;
        let (project, task) = what.split_once(':').ok_or_else(|| wrong("the project has no task"))?;
        if [agent, role, project, task].iter().any(|part| part.is_empty() || !part.chars().all(is_part)) {
            return Err(wrong("agent, role, project and task are words"));
        }
        let (revision, place) = match rest.split_once('#') {
            Some((revision, place)) => (revision, Some(place)),
            None => (rest, None),
        };
        let revision =
            if place.is_some() { revision.strip_suffix('/').unwrap_or(revision) } else { revision };
        if revision.contains('/') {
            return Err(wrong("the path follows `#/`"));
        }
        let (path, anchor) = read_place(place).map_err(wrong)?;
        let own = str::to_owned;
        let (agent, role, project, task) = (own(agent), own(role), own(project), own(task));
        Ok(Self { agent, role, project, task, revision: own(revision), path, anchor })
    }
}

/// `/path#anchor` after the first `#`.
fn read_place(place: Option<&str>) -> Result<(Option<String>, Option<String>), &'static str> {
    let Some(place) = place else { return Ok((None, None)) };
    let path = place.strip_prefix('/').ok_or("the path follows `#/`")?;
    let (path, anchor) = match path.split_once('#') {
        Some((path, anchor)) => (path, Some(anchor.to_owned())),
        None => (path, None),
    };
    if path.split('/').any(|part| part == ".." || part == ".") {
        return Err("the path climbs");
    }
    if anchor.as_ref().is_some_and(|anchor| anchor.is_empty() || anchor.contains('#')) {
        return Err("the anchor is empty or has another `#`");
    }
    Ok((Some(path.to_owned()), anchor))
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { agent, role, project, task, revision, path, anchor } = self;
        write!(f, "{SCHEME}{agent}:{role}@{project}:{task}/{revision}")?;
        if let Some(path) = path {
            write!(f, "#/{path}")?;
        }
        match anchor {
            Some(anchor) => write!(f, "#{anchor}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The seed's own example and others are read and written back; digests and versions are immutable.
    #[test]
    fn rule_t_addresses_survive_a_round_trip() {
        let hash = "0a".repeat(32);
        for (text, immutable) in [
            ("ucxl://arbiter:architect@CHORUS:2.0.0/#/planning/2.0.0-020-cross-project-contracts.md#CHORUS-INT-004".to_owned(), true),
            (format!("ucxl://mi:council@calc:P-1/sha256:{hash}#/calc.py"), true),
            (format!("ucxl://mi:council@calc:P-1/blake3:{hash}"), true),
            ("ucxl://a:b@c:d/v1.2#/x".to_owned(), true),
            ("ucxl://a:b@c:d/latest#/x".to_owned(), false),
            ("ucxl://a:b@c:d/main#/x".to_owned(), false),
            ("ucxl://a:b@c:d/*^#/x".to_owned(), false),
            ("ucxl://a:b@c:d/#/x".to_owned(), false),
            ("ucxl://a:b@c:d/sha256:12#/x".to_owned(), false),
            ("ucxl://a:b@c:d/".to_owned(), false),
        ] {
            let address: Address = text.parse().unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(address.to_string(), text);
            assert_eq!(address.is_immutable(), immutable, "{text}");
        }
    }

    /// A `/` between revision and path, as the seed's own example writes it, names the same content.
    #[test]
    fn rule_t_a_slash_before_the_path_is_taken() {
        let hash = "0a".repeat(32);
        for revision in [format!("sha256:{hash}"), "2.0.0".to_owned(), "latest".to_owned()] {
            let with: Address = format!("ucxl://a:b@c:d/{revision}/#/planning/x.md#Y-1").parse().unwrap();
            let without = format!("ucxl://a:b@c:d/{revision}#/planning/x.md#Y-1").parse().unwrap();
            assert_eq!(with, without);
        }
        for bad in ["ucxl://a:b@c:d/2.0.0//#/x", "ucxl://a:b@c:d/2.0.0/", "ucxl://a:b@c:d/2.0.0/x/#/y"] {
            assert!(bad.parse::<Address>().is_err(), "{bad}");
        }
    }

    /// Whatever is not an address says why.
    #[test]
    fn rule_t_other_texts_are_no_addresses() {
        for bad in [
            "",
            "http://a",
            "ucxl://",
            "ucxl://a",
            "ucxl://a/",
            "ucxl://a@b/",
            "ucxl://a:b@c/x",
            "ucxl://a:b@c:d",
            "ucxl://:b@c:d/",
            "ucxl://a:b@c:d/x/y",
            "ucxl://a:b@c:d/#x",
            "ucxl://a:b@c:d/#/../x",
            "ucxl://a:b@c:d/#/x#",
            "ucxl://a:b@c:d/#/x#y#z",
            "ucxl://a b:c@d:e/",
            "ucxl://a:b@c:d:e/",
            "ucxl://a:b@c:d/1.0\n",
        ] {
            assert!(bad.parse::<Address>().is_err(), "{bad:?}");
        }
    }

    /// An address that we make can be read, whatever the project is called.
    #[test]
    fn made_addresses_can_be_read() {
        for (path, anchor) in [("/a b.md", None), ("a#b", Some("L 1")), ("100%.md", Some(""))] {
            let made = Address::of_content("my project/x", "", Digest::new([7; 32]), path, anchor);
            assert_eq!(made.to_string().parse::<Address>().unwrap(), made, "{path}");
            assert_eq!(made.plain_path().as_deref(), Some(path.trim_start_matches('/')));
        }
    }
}
