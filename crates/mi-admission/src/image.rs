//! Image references that name content: `name@sha256:…` by the OCI grammar, with an optional registry.

/// Whether a reference may be run; else what is wrong.
pub(crate) fn check(reference: &str) -> Result<(), &'static str> {
    let (name, digest) = reference.split_once("@sha256:").ok_or("must be pinned: name@sha256:…")?;
    let is_hexadecimal = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    if digest.len() != 64 || !digest.bytes().all(is_hexadecimal) {
        return Err("must have a digest of 64 lower-case hexadecimal digits");
    }
    if digest.bytes().all(|byte| byte == b'0') {
        return Err("must have a real digest, not zeros");
    }
    if name.len() > 255 || !is_name(name) {
        return Err("must have a name of lower-case parts, without a tag, after an optional registry");
    }
    Ok(())
}

fn is_name(name: &str) -> bool {
    match name.split_once('/') {
        None => is_part(name),
        Some((first, rest)) => (is_part(first) || is_host(first)) && rest.split('/').all(is_part),
    }
}

/// Letters and digits, joined by `.`, `_`, `__` or any number of `-`.
fn is_part(part: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
    let mut rest = part;
    loop {
        let word_end = rest.find(|letter| !is_plain(letter)).unwrap_or(rest.len());
        if word_end == 0 {
            return false;
        }
        rest = &rest[word_end..];
        if rest.is_empty() {
            return true;
        }
        let joint_end = rest.find(is_plain).unwrap_or(rest.len());
        let joint = &rest[..joint_end];
        let is_joint = matches!(joint, "." | "_" | "__") || joint.bytes().all(|byte| byte == b'-');
        if !is_joint {
            return false;
        }
        rest = &rest[joint_end..];
    }
}

/// A registry: a name with a dot or a port, or `localhost`.
fn is_host(host: &str) -> bool {
    let (labels, port) = match host.split_once(':') {
        Some((labels, port)) => (labels, Some(port)),
        None => (host, None),
    };
    let is_label = |label: &str| {
        label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let is_port = |port: &str| {
        !port.starts_with('0')
            && port.bytes().all(|digit| digit.is_ascii_digit())
            && port.parse::<u16>().is_ok_and(|port| port > 0)
    };
    labels.split('.').all(is_label)
        && port.is_none_or(is_port)
        && (port.is_some() || labels.contains('.') || labels == "localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// I: a name with a digest and nothing else.
    #[test]
    fn i_only_references_by_digest_are_taken() {
        let digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
        let good = ["demo", "localhost/demo", "a/b/c", "reg.example:5000/a-b/c__d.e", "host:1/x", "a--b"];
        for name in good {
            assert_eq!(check(&format!("{name}@sha256:{digest}")), Ok(()), "{name}");
        }
        let bad =
            ["", "Demo", "demo:latest", "a//b", "/a", "a/", "-a", "a_", "a___b", "a b", "h:0/x", "h:70000/x"];
        for name in bad {
            assert!(check(&format!("{name}@sha256:{digest}")).is_err(), "{name}");
        }
        let zeros = "0".repeat(64);
        for text in ["demo", "demo:1", "demo@sha256:9f86d0", "demo@md5:9f86", &format!("demo@sha256:{zeros}")]
        {
            assert!(check(text).is_err(), "{text}");
        }
        assert!(check(&format!("demo@sha256:{}", digest.to_uppercase())).is_err());
        assert!(check(&format!("demo@sha256:{digest}@sha256:{digest}")).is_err());
        assert!(check(&format!("demo@sha256:{digest}\n")).is_err());
    }
}
