//! A delivery in git: a branch with one commit of the delivered files, a patch bundle, a tag with the packet's digest.
//!
//! Holds: the work tree, the index and the checked-out branch stay as they are; the commit is made in an index of its
//! own from the packet's files.

use mi_council::packet::FILES;
use mi_delivery::{Chamber, Delivered};
use mi_model::Timestamp;
use serde::Serialize;
use std::{os::unix::fs::PermissionsExt, path::Path};

use super::git::{call, head};
use crate::failure::Failure;

/// Where it is.
#[derive(Debug, Serialize)]
pub struct GitDelivery {
    pub branch: String,
    pub commit: String,
    pub tag: String,
    pub bundle: String,
}

/// Whether a branch of that name can be made; asked before anything is handed over.
pub fn check(root: &Path, branch: &str) -> Result<String, Failure> {
    let parent = head(root).ok_or_else(|| Failure::usage("--git needs a repository with a commit"))?;
    call(root, &["check-ref-format", "--branch", branch], &[])
        .map_err(|_| Failure::usage(format!("`{branch}` is no name for a branch")))?;
    let known = call(root, &["rev-parse", "--verify", "-q", &format!("refs/heads/{branch}")], &[]);
    match known {
        Ok(_) => Err(Failure::usage(format!("the branch `{branch}` is there already; give another name"))),
        Err(_) => Ok(parent),
    }
}

pub fn deliver(
    chamber: &Chamber,
    delivered: &Delivered,
    branch: &str,
    now: Timestamp,
) -> Result<GitDelivery, Failure> {
    let date = now.to_string();
    let root = &chamber.place.root;
    let parent = check(root, branch)?;
    let index = chamber.place.files.folder().join(format!("index-{}", delivered.submission.submission));
    let commit = commit(root, &index, delivered, &parent, &date);
    // The index is scaffolding; what is left of it does no harm.
    let _ = std::fs::remove_file(&index);
    let commit = commit?;
    call(root, &["branch", "--", branch, &commit], &[])?;
    let tag = format!("delivery/{}", delivered.submission.submission);
    let note = format!("{}\n\npacket sha256:{}\n", subject(delivered), delivered.submission.packet);
    call(root, &["tag", "-a", "--no-sign", "-m", &note, &tag, &commit], &identity(&date))?;
    let mut bundle = delivered.folder.clone().into_os_string();
    bundle.push(".bundle");
    let bundle = std::path::PathBuf::from(bundle);
    let bundle = std::path::absolute(&bundle).unwrap_or(bundle).display().to_string();
    call(root, &["bundle", "create", &bundle, &format!("{parent}..{branch}")], &[])?;
    Ok(GitDelivery { branch: branch.to_owned(), commit, tag, bundle })
}

fn commit(
    root: &Path,
    index: &Path,
    delivered: &Delivered,
    parent: &str,
    date: &str,
) -> Result<String, Failure> {
    let place = index.display().to_string();
    let own = [("GIT_INDEX_FILE", place.as_str())];
    call(root, &["read-tree", parent], &own)?;
    let files = std::path::absolute(delivered.folder.join(FILES))
        .map_err(|error| Failure::new("find the packet").because(&error))?;
    for path in mi_delivery::artefact::read(&files, &[".".to_owned()]).map_err(|error| Failure::of(&error))? {
        let source = files.join(&path.path).display().to_string();
        let blob = call(root, &["hash-object", "-w", "--no-filters", "--", &source], &[])?;
        let mode = if is_executable(&files.join(&path.path)) { "100755" } else { "100644" };
        let entry = format!("{mode},{},{}", blob.trim(), path.path);
        call(root, &["update-index", "--add", "--cacheinfo", &entry], &own)?;
    }
    let tree = call(root, &["write-tree"], &own)?;
    let message = message(delivered);
    let made = call(
        root,
        &["commit-tree", "--no-gpg-sign", tree.trim(), "-p", parent, "-m", &message],
        &identity(date),
    )?;
    Ok(made.trim().to_owned())
}

fn is_executable(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|data| data.permissions().mode() & 0o111 != 0)
}

/// `CHORUS-INT-004 title`: the requirements first.
fn subject(delivered: &Delivered) -> String {
    let opened = &delivered.proposal.opened;
    let title = opened.title.split_whitespace().collect::<Vec<_>>().join(" ");
    let missing: Vec<&str> =
        opened.requirements.iter().map(String::as_str).filter(|id| !title.contains(*id)).collect();
    if missing.is_empty() { title } else { format!("{} {title}", missing.join(" ")) }
}

fn message(delivered: &Delivered) -> String {
    let opened = &delivered.proposal.opened;
    format!(
        "{}\n\nDelivery: {}\nProposal: {}\nPacket: sha256:{}\n",
        subject(delivered),
        delivered.submission.submission,
        opened.id,
        delivered.submission.packet
    )
}

/// Used where git knows nobody: a delivery is the council's, not a person's, and has the council's time.
fn identity(date: &str) -> [(&'static str, &str); 6] {
    [
        ("GIT_AUTHOR_NAME", "mi council"),
        ("GIT_AUTHOR_EMAIL", "council@localhost"),
        ("GIT_COMMITTER_NAME", "mi council"),
        ("GIT_COMMITTER_EMAIL", "council@localhost"),
        ("GIT_AUTHOR_DATE", date),
        ("GIT_COMMITTER_DATE", date),
    ]
}
