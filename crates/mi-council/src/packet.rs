//! The delivery packet: a tree of files, a manifest over all of them, a signature over the manifest.
//!
//! [`manifest`] makes the text to sign, [`verify`] finds what is wrong with a packet, without journal, settings or
//! network. Holds: every changed, missing, extra or renamed file is named; signature and key files are compared byte for
//! byte with what is written here; the votes inside are folded again and must come to CONSENSUS on these very files, and
//! the records must be those that were cited. What [`bad_names`] refuses is never put into a packet.
//! Elsewhere: who signs, how signatures and files are read, is `mi-delivery`.
//! Requirements: MI-COUNCIL-013, MI-COUNCIL-018.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

use crate::{
    Digest, Event, FileRecord, Now, Proposal,
    done::{Item, Proof},
    people::Aliases,
    ucxl::Address,
};

pub const MANIFEST: &str = "manifest.json";
pub const SIGNATURE: &str = "manifest.json.minisig";
pub const KEY: &str = "key.pub";
pub const RECEIPT: &str = "receipt.json";
/// Below it lie the files of the artefact.
pub const FILES: &str = "files/";
/// Below it lie the records of the Definition of Done, by their items.
pub const EVIDENCE: &str = "evidence/";
/// What every packet has; the manifest lists all of it.
pub const ALWAYS: [&str; 7] =
    ["DELIVERY.md", "packet.json", "proposal.md", "rollback.md", "votes.md", RECEIPT, KEY];
/// What some packets have besides.
const SOMETIMES: [&str; 2] = ["diff.patch", "submitted.md"];
/// The files whose content, not only its digest, a check needs.
pub const READ_WHOLE: [&str; 4] = [MANIFEST, SIGNATURE, KEY, RECEIPT];
const FORMAT: &str = "mi-delivery/1";

/// What lies at a path of a packet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// `content` for the files of [`READ_WHOLE`].
    File {
        sha256: Digest,
        bytes: u64,
        content: Option<Vec<u8>>,
    },
    Directory,
    /// A symlink, a device, something that cannot be read: why it is no file.
    Other(&'static str),
}

impl Node {
    pub fn of(content: &[u8]) -> Self {
        Self::File {
            sha256: Digest::of(content),
            bytes: content.len() as u64,
            content: Some(content.to_vec()),
        }
    }
}

/// How keys and signatures are read; each refusal is a sentence. One reader serves everything that `mi` signs.
#[derive(Debug, Clone, Copy)]
pub struct Seals {
    /// The fingerprint of a public-key file.
    pub fingerprint: fn(key: &str) -> Result<String, String>,
    /// Checks a signature file over a message with a public-key file; gives its trusted comment.
    pub check: fn(message: &[u8], signature: &str, key: &str) -> Result<String, String>,
}

/// Every file of a packet, but for itself and its signature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    pub format: String,
    pub proposal: String,
    pub artefact: Digest,
    pub files: Vec<FileRecord>,
}

/// How the votes came to CONSENSUS: everything needed to count again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Receipt {
    pub proposal: String,
    pub beat: i64,
    pub digest: Digest,
    pub events: Vec<Event>,
}

/// Something that is wrong, with the file it is wrong with.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Problem {
    pub path: String,
    pub problem: String,
}

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verification {
    pub problems: Vec<Problem>,
    /// `None` where there is no key that can be read.
    pub fingerprint: Option<String>,
    pub proposal: Option<String>,
    pub artefact: Option<Digest>,
    pub files: usize,
}

/// The manifest of a packet's files, as the text that is signed.
pub fn manifest(proposal: &str, artefact: Digest, mut files: Vec<FileRecord>) -> Vec<u8> {
    files.sort_by(|left, right| left.path.cmp(&right.path));
    render(&Manifest { format: FORMAT.to_owned(), proposal: proposal.to_owned(), artefact, files })
}

/// What the signature over a manifest says about itself.
pub fn trusted_comment(proposal: &str, manifest: &[u8]) -> String {
    format!("proposal={proposal} manifest=sha256:{}", Digest::of(manifest))
}

/// What is wrong with names that are to lie in one packet: those that climb or have characters that cannot be seen, and
/// those that some file system would take for one another. Asked before a packet is made, and of every packet.
pub fn bad_names<'a>(paths: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let (mut seen, mut problems) = (BTreeMap::new(), Vec::new());
    for path in paths {
        if !is_plain(path) {
            problems.push(format!("{path:?} is no name for a file in a packet"));
        }
        match seen.insert(fold(path), path) {
            Some(first) if first == path => problems.push(format!("{path:?} is there twice")),
            Some(first) => problems.push(format!("{first:?} and {path:?} are one name on some file systems")),
            None => {}
        }
    }
    problems
}

fn render(manifest: &Manifest) -> Vec<u8> {
    let mut text = serde_json::to_vec_pretty(manifest).expect("a manifest has only texts and numbers");
    text.push(b'\n');
    text
}

/// Checks a packet; `pinned` is the text of the only key that is trusted.
pub fn verify(tree: &BTreeMap<String, Node>, pinned: Option<&str>, seals: &Seals) -> Verification {
    let mut check = Check { tree, seals, problems: BTreeSet::new() };
    let key = check.text(KEY);
    let fingerprint = key.as_deref().and_then(|key| check.key(key, pinned));
    let manifest = check.manifest();
    if let (Some(text), Some(key)) = (check.text(MANIFEST), &key) {
        check.signature(&text, key, manifest.as_ref());
    }
    match &manifest {
        Some(manifest) => check.files(manifest),
        None => check.form(),
    }
    check.receipt(manifest.as_ref());
    let files = manifest.as_ref().map_or(0, |manifest| manifest.files.len());
    Verification {
        problems: check.problems.into_iter().collect(),
        fingerprint,
        proposal: manifest.as_ref().map(|manifest| manifest.proposal.clone()),
        artefact: manifest.as_ref().map(|manifest| manifest.artefact),
        files,
    }
}

struct Check<'a> {
    tree: &'a BTreeMap<String, Node>,
    seals: &'a Seals,
    problems: BTreeSet<Problem>,
}

impl Check<'_> {
    fn problem(&mut self, path: &str, problem: impl Into<String>) {
        self.problems.insert(Problem { path: path.to_owned(), problem: problem.into() });
    }

    /// The text of a file that is needed whole; what is wrong with it is noted.
    fn text(&mut self, path: &str) -> Option<String> {
        let problem = match self.tree.get(path) {
            Some(Node::File { content: Some(content), .. }) => match String::from_utf8(content.clone()) {
                Ok(text) => return Some(text),
                Err(_) => "not UTF-8",
            },
            Some(Node::File { content: None, .. }) => "too large",
            Some(Node::Directory) => "a folder stands where a file should be",
            Some(Node::Other(what)) => what,
            None => "missing",
        };
        self.problem(path, problem);
        None
    }

    fn key(&mut self, key: &str, pinned: Option<&str>) -> Option<String> {
        let fingerprint = match (self.seals.fingerprint)(key) {
            Ok(fingerprint) => fingerprint,
            Err(problem) => {
                self.problem(KEY, problem);
                return None;
            }
        };
        if let Some(pinned) = pinned {
            match (self.seals.fingerprint)(pinned) {
                Ok(trusted) if trusted == fingerprint => {}
                Ok(trusted) => {
                    self.problem(KEY, format!("signed with {fingerprint}, not with the trusted {trusted}"))
                }
                Err(problem) => self.problem(KEY, format!("the trusted key cannot be read: {problem}")),
            }
        }
        Some(fingerprint)
    }

    fn manifest(&mut self) -> Option<Manifest> {
        let text = self.text(MANIFEST)?;
        let manifest: Manifest = match serde_json::from_str(&text) {
            Ok(manifest) => manifest,
            Err(error) => {
                self.problem(MANIFEST, format!("not a manifest: {error}"));
                return None;
            }
        };
        if manifest.format != FORMAT {
            self.problem(MANIFEST, format!("its format is `{}`, not {FORMAT}", manifest.format));
        }
        if render(&manifest) != text.as_bytes() {
            self.problem(MANIFEST, "not written as mi writes it");
        }
        self.names(&manifest);
        Some(manifest)
    }

    fn names(&mut self, manifest: &Manifest) {
        let listed = manifest.files.iter().map(|file| file.path.as_str());
        for problem in bad_names([MANIFEST, SIGNATURE].into_iter().chain(listed)) {
            self.problem(MANIFEST, problem);
        }
    }

    fn signature(&mut self, text: &str, key: &str, manifest: Option<&Manifest>) {
        let Some(signature) = self.text(SIGNATURE) else {
            self.problem(MANIFEST, "has no signature");
            return;
        };
        let problem = match (self.seals.check)(text.as_bytes(), &signature, key) {
            Ok(comment) => {
                let written = manifest.map(|manifest| trusted_comment(&manifest.proposal, text.as_bytes()));
                if written.is_none_or(|written| written == comment) {
                    return;
                }
                "its trusted comment is not what mi writes".to_owned()
            }
            Err(problem) => problem,
        };
        self.problem(MANIFEST, format!("its signature in {SIGNATURE} is bad: {problem}"));
        self.problem(SIGNATURE, problem);
    }

    /// Without a manifest, what every packet has is still known: what lacks, and what belongs to none.
    fn form(&mut self) {
        let known: BTreeSet<&str> =
            ALWAYS.into_iter().chain(SOMETIMES).chain([MANIFEST, SIGNATURE]).collect();
        for (path, node) in self.tree {
            let below = |folder: &str| path.starts_with(folder) || format!("{path}/") == folder;
            match node {
                Node::Other(what) => self.problem(path, *what),
                Node::File { .. } | Node::Directory if below(FILES) || below(EVIDENCE) => {}
                Node::File { .. } if known.contains(path.as_str()) => {}
                Node::File { .. } => self.problem(path, "belongs to no packet"),
                Node::Directory => self.problem(path, "a folder that belongs to no packet"),
            }
        }
        for path in ALWAYS.into_iter().filter(|path| !self.tree.contains_key(*path)) {
            self.problem(path, "missing");
        }
    }

    fn files(&mut self, manifest: &Manifest) {
        for file in &manifest.files {
            match self.tree.get(&file.path) {
                Some(Node::File { sha256, bytes, .. }) if (*sha256, *bytes) == (file.sha256, file.bytes) => {}
                Some(Node::File { .. }) => self.problem(&file.path, "changed"),
                Some(Node::Directory) => self.problem(&file.path, "a folder stands where a file should be"),
                Some(Node::Other(what)) => self.problem(&file.path, *what),
                None => self.problem(&file.path, "missing"),
            }
        }
        let listed: BTreeSet<&str> =
            manifest.files.iter().map(|file| file.path.as_str()).chain([MANIFEST, SIGNATURE]).collect();
        for (path, node) in self.tree {
            let inside = format!("{path}/");
            let is_folder =
                || listed.range(inside.as_str()..).next().is_some_and(|next| next.starts_with(&inside));
            let problem = match node {
                Node::Directory if is_folder() => continue,
                Node::Directory => "a folder that is not in the manifest",
                Node::File { .. } if listed.contains(path.as_str()) => continue,
                Node::File { .. } => "not in the manifest",
                Node::Other(what) => what,
            };
            self.problem(path, problem);
        }
        for path in ALWAYS.into_iter().filter(|path| !listed.contains(path)) {
            self.problem(MANIFEST, format!("does not list {path}, which every packet has"));
        }
    }

    /// What lies below a folder of the packet: by the manifest, or, where that cannot be read, as it lies there.
    fn below(&self, folder: &str, manifest: Option<&Manifest>) -> Vec<FileRecord> {
        let inner = |file: &FileRecord| {
            Some(FileRecord { path: file.path.strip_prefix(folder)?.to_owned(), ..file.clone() })
        };
        match manifest {
            Some(manifest) => manifest.files.iter().filter_map(inner).collect(),
            None => self.tree.iter().filter_map(|(path, node)| inner(&record(path, node)?)).collect(),
        }
    }

    /// The votes are counted again, on the files that lie here, and the records are held against what they were then.
    fn receipt(&mut self, manifest: Option<&Manifest>) {
        let Some(text) = self.text(RECEIPT) else { return };
        let receipt: Receipt = match serde_json::from_str(&text) {
            Ok(receipt) => receipt,
            Err(error) => return self.problem(RECEIPT, format!("not a receipt: {error}")),
        };
        let digest = Digest::of_files(&self.below(FILES, manifest));
        let fits = manifest
            .is_none_or(|manifest| (manifest.artefact, &manifest.proposal) == (digest, &receipt.proposal));
        if digest != receipt.digest || !fits {
            self.problem(RECEIPT, "is about other files than those in this packet");
        }
        let now = Now { beat: receipt.beat, digest };
        match Proposal::fold(receipt.events, &Aliases::default()) {
            Some(proposal) if proposal.opened.id == receipt.proposal => {
                let allowed =
                    proposal.standing.quorum.check().and_then(|()| proposal.standing.may_submit(&now));
                if let Err(refusal) = allowed {
                    self.problem(
                        RECEIPT,
                        format!("what it tells could not be delivered: {}", refusal.message),
                    );
                }
                self.evidence(&proposal, manifest);
            }
            _ => self.problem(RECEIPT, "has no events of its proposal"),
        }
    }

    /// Each item has the very record that the receipt cites, and nothing else lies there.
    fn evidence(&mut self, proposal: &Proposal, manifest: Option<&Manifest>) {
        let cited = |item: Item| match proposal.checklist.get(item) {
            Proof::Proven { record } => record.address.parse::<Address>().ok()?.digest(),
            Proof::Failed { .. } | Proof::Unknown => None,
        };
        let lies = self.below(EVIDENCE, manifest);
        let lies: BTreeMap<&str, Digest> =
            lies.iter().map(|record| (record.path.as_str(), record.sha256)).collect();
        let names: BTreeSet<&str> =
            Item::ALL.map(Item::as_str).into_iter().chain(lies.keys().copied()).collect();
        for name in names {
            if lies.get(name).copied() != name.parse().ok().and_then(cited) {
                self.problem(&format!("{EVIDENCE}{name}"), format!("is not the record that {RECEIPT} cites"));
            }
        }
    }
}

fn record(path: &str, node: &Node) -> Option<FileRecord> {
    match node {
        Node::File { sha256, bytes, .. } => {
            Some(FileRecord { path: path.to_owned(), sha256: *sha256, bytes: *bytes })
        }
        Node::Directory | Node::Other(_) => None,
    }
}

/// A relative path of plain parts.
fn is_plain(path: &str) -> bool {
    !path.is_empty()
        && !path.contains('\\')
        && !path.chars().any(char::is_control)
        && path.split('/').all(|part| !part.is_empty() && part != "." && part != "..")
}

fn fold(path: &str) -> String {
    use unicode_normalization::UnicodeNormalization;
    if path.is_ascii() {
        return path.to_ascii_lowercase();
    }
    let normal: String = path.nfkc().collect();
    caseless::default_case_fold_str(&normal)
}
