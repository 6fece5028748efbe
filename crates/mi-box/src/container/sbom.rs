//! What an image is made of: its package databases, taken out of the container that was made from it (Rule I).

use mi_model::Timestamp;
use mi_supply::sbom::{Package, Subject, packages, spdx};

use super::http::Client;

/// Where package managers keep what is installed.
const DATABASES: [&str; 4] =
    ["/var/lib/dpkg/status", "/lib/apk/db/installed", "/usr/lib/apk/db/installed", "/usr/lib/dpkg/status"];

/// The SPDX document of the image that a container was made from.
pub(super) fn document(client: &Client, container: &str, image: &str, created: Timestamp) -> String {
    let (name, digest) = image.rsplit_once("@sha256:").unwrap_or((image, ""));
    let mut found: Vec<Package> = Vec::new();
    for path in DATABASES {
        let Some(text) = read(client, container, path) else { continue };
        found.extend(packages(path, &text).and_then(Result::ok).unwrap_or_default());
    }
    let release = read(client, container, "/etc/os-release").unwrap_or_default();
    let id = release.lines().find_map(|line| line.strip_prefix("ID=")).unwrap_or("linux");
    let subject = Subject {
        name: name.to_owned(),
        digest: digest.to_owned(),
        distribution: id.trim_matches('"').to_owned(),
    };
    spdx(&subject, &found, created)
}

/// A file of the container; none if there is no such file.
fn read(client: &Client, container: &str, path: &str) -> Option<String> {
    let answer = client.ask("GET", &format!("/containers/{container}/archive?path={path}"), None).ok()?;
    first_file(&answer.body).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
}

/// The first plain file of a tar archive.
fn first_file(archive: &[u8]) -> Option<&[u8]> {
    let mut rest = archive;
    loop {
        let (head, after) = rest.split_at_checked(512)?;
        let digits = head.get(124..136)?.split(|byte| *byte == 0 || *byte == b' ').next()?;
        let size = usize::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok()?;
        let content = after.get(..size)?;
        // Plain files; what stands before them may be records about them.
        if matches!(head[156], b'0' | 0) {
            return Some(content);
        }
        rest = after.get(size.div_ceil(512).checked_mul(512)?..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(kind: u8, content: &[u8]) -> Vec<u8> {
        let mut head = vec![0; 512];
        head[..4].copy_from_slice(b"name");
        head[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
        head[156] = kind;
        head.extend_from_slice(content);
        head.resize(512 + content.len().div_ceil(512) * 512, 0);
        head
    }

    /// The file is found behind records about it; an archive that was cut off holds none.
    #[test]
    fn i_files_are_taken_out_of_archives() {
        let archive = [entry(b'x', b"12 path=a\n"), entry(b'0', b"content")].concat();
        assert_eq!(first_file(&archive), Some(&b"content"[..]));
        assert_eq!(first_file(&archive[..600]), None);
        assert_eq!(first_file(b""), None);
    }
}
