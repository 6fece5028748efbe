//! What an image is made of: its package databases and the lock files beside its program, taken out of the container that
//! was made from it (Rule I).

use mi_model::Timestamp;
use mi_supply::sbom::{Package, Subject, packages, spdx};

use super::http::Client;

/// Where package managers keep what is installed; the folder is that of images without a package manager.
const DATABASES: [&str; 5] = [
    "/var/lib/dpkg/status",
    "/usr/lib/dpkg/status",
    "/var/lib/dpkg/status.d",
    "/lib/apk/db/installed",
    "/usr/lib/apk/db/installed",
];
/// Where a program of the image may stand, besides the folder that it starts in. Every file asked for takes an engine long.
const PROGRAMS: [&str; 1] = ["/app"];
const LOCKS: [&str; 8] = [
    "Cargo.lock",
    "go.sum",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "pdm.lock",
    "poetry.lock",
    "requirements.txt",
    "uv.lock",
];

/// The SPDX document of the image that a container was made from.
pub(super) fn document(
    client: &Client,
    container: &str,
    image: &str,
    starts_in: &str,
    created: Timestamp,
) -> String {
    let (name, digest) = image.rsplit_once("@sha256:").unwrap_or((image, ""));
    let mut found: Vec<Package> = Vec::new();
    for place in places(starts_in) {
        for (path, text) in read(client, container, &place) {
            found.extend(packages(&path, &text).and_then(Result::ok).unwrap_or_default());
        }
    }
    let release = read(client, container, "/etc/os-release").pop().unwrap_or_default().1;
    let id = release.lines().find_map(|line| line.strip_prefix("ID=")).unwrap_or("linux");
    let subject = Subject {
        name: name.to_owned(),
        digest: digest.to_owned(),
        distribution: id.trim_matches('"').to_owned(),
    };
    spdx(&subject, &found, created)
}

fn places(starts_in: &str) -> Vec<String> {
    let mut folders = PROGRAMS.to_vec();
    let own = starts_in.trim_end_matches('/');
    // An image may name any text as its folder; only plain paths are asked for.
    let is_plain = own.starts_with('/')
        && own.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte));
    if is_plain && !folders.contains(&own) {
        folders.push(own);
    }
    let locks = folders.iter().flat_map(|folder| LOCKS.map(|name| format!("{folder}/{name}")));
    DATABASES.map(str::to_owned).into_iter().chain(locks).collect()
}

/// The plain files at a path of the container, with their own paths; none if there is nothing.
fn read(client: &Client, container: &str, path: &str) -> Vec<(String, String)> {
    let Ok(answer) = client.ask("GET", &format!("/containers/{container}/archive?path={path}"), None) else {
        return Vec::new();
    };
    let above = path.rsplit_once('/').map_or("", |(above, _)| above);
    let files = files(&answer.body).into_iter();
    files
        .map(|(name, bytes)| (format!("{above}/{name}"), String::from_utf8_lossy(bytes).into_owned()))
        .collect()
}

/// The plain files of a tar archive, with their names; what was cut off is not among them.
fn files(archive: &[u8]) -> Vec<(String, &[u8])> {
    let mut found = Vec::new();
    let mut rest = archive;
    while let Some((head, content)) = first(rest) {
        // What stands before a plain file may be records about it.
        if matches!(head[156], b'0' | 0) && head[0] != 0 {
            let name = head[..100].split(|byte| *byte == 0).next().unwrap_or_default();
            found.push((String::from_utf8_lossy(name).into_owned(), content));
        }
        rest = rest.get(512 + content.len().div_ceil(512) * 512..).unwrap_or_default();
    }
    found
}

/// The first entry of an archive: its head and its content.
fn first(archive: &[u8]) -> Option<(&[u8], &[u8])> {
    let (head, after) = archive.split_at_checked(512)?;
    let digits = head.get(124..136)?.split(|byte| *byte == 0 || *byte == b' ').next()?;
    let size = match std::str::from_utf8(digits).ok()? {
        "" => 0,
        digits => usize::from_str_radix(digits, 8).ok()?,
    };
    Some((head, after.get(..size)?))
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

    /// Files are found behind records about them and behind each other; of an archive that was cut off, those that are whole.
    #[test]
    fn i_files_are_taken_out_of_archives() {
        let archive =
            [entry(b'5', b""), entry(b'x', b"12 path=a\n"), entry(b'0', b"content"), entry(0, b"more")]
                .concat();
        let found = |archive: &[u8]| {
            files(archive).into_iter().map(|(_, content)| content.to_vec()).collect::<Vec<_>>()
        };
        assert_eq!(found(&archive), [b"content".to_vec(), b"more".to_vec()]);
        assert_eq!(files(&archive)[0].0, "name");
        assert_eq!(found(&archive[..archive.len() - 510]), [b"content".to_vec()]);
        assert_eq!(found(&[archive, vec![0; 1024]].concat()).len(), 2);
        assert!(found(b"").is_empty());
    }

    /// Lock files are looked for where programs stand, and where this image's own starts, if that is a plain path.
    #[test]
    fn i_lock_files_are_looked_for_beside_the_program() {
        assert!(places("/srv/x/").contains(&"/srv/x/Cargo.lock".to_owned()));
        assert!(places("").contains(&"/app/go.sum".to_owned()));
        for odd in ["/a?b", "/a&path=/etc/shadow", "relative", "/a b", "/\r\n"] {
            assert_eq!(places(odd), places(""), "{odd}");
        }
    }
}
