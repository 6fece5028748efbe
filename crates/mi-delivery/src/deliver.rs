//! Making a packet on disk, and reading one to check it.
//!
//! Holds: a packet appears under its name whole or not at all; it is on the disk before it is recorded, and recorded
//! before it is reported. Whatever fails leaves no folder behind.
//! Requirements: MI-COUNCIL-012, MI-COUNCIL-013.

use mi_council::{
    Digest, Event, FileRecord, Now, Packed, Proposal, Refusal, Rule, Submission,
    done::{Item, Proof},
    packet::{
        self, EVIDENCE, FILES, KEY, MANIFEST, Node, READ_WHOLE, RECEIPT, Receipt, SIGNATURE, Verification,
    },
    template::{self, Surroundings},
    ucxl::Address,
};
use mi_model::Timestamp;
use serde_json::json;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File, Permissions},
    io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use crate::{
    artefact,
    bus::Bus,
    chamber::Chamber,
    error::{At, CouncilError},
    keys::{SEALS, SigningKey},
    store::write_synced,
};

/// The files of a packet that are read whole are at most so large.
const MOST_BYTES: u64 = 256 << 20;

/// What the caller adds to a packet.
#[derive(Debug, Clone, Default)]
pub struct Extras {
    pub diff: Option<String>,
    pub rollback: Option<String>,
    /// A Delivery Packet that an agent wrote.
    pub markdown: Option<String>,
    pub notify_roles: Vec<String>,
}

/// What was handed over.
#[derive(Debug, Clone)]
pub struct Delivered {
    pub submission: Submission,
    pub proposal: Proposal,
    pub folder: PathBuf,
    pub fingerprint: String,
}

impl Chamber {
    /// Hands a proposal over as a packet in `out`.
    pub fn deliver(
        &mut self,
        id: &str,
        out: &Path,
        extras: &Extras,
        now: Timestamp,
    ) -> Result<Delivered, CouncilError> {
        let _turn = self.turn()?;
        let report = self.verify()?;
        if let Some(problem) = report.problems.first() {
            return Err(CouncilError::Damaged {
                path: self.bus.place().log.clone(),
                problem: problem.clone(),
            });
        }
        let proposal = self.proposal(id)?;
        let files = artefact::read(&self.place.root, &proposal.paths)?;
        let world = Now { beat: mi_council::beat::beat_at(now), digest: Digest::of_files(&files) };
        proposal.standing.may_submit(&world)?;
        if let Some(problem) = artefact::undeliverable(&self.place.root, &files) {
            let problem = format!("{problem}, which cannot be delivered");
            return Err(Refusal::forbidden(Rule::Phase, problem).into());
        }
        if let Some((item, why)) = self.undone(&proven(&proposal), &files)?.first() {
            return Err(undone(*item, why));
        }
        refuse_taken(out)?;
        let submission = format!("D-{}", self.last_number("delivery_submitted", "submission", "D-")? + 1);
        let key = SigningKey::of_home(self.place.layout.home())?;
        let contents = self.contents(&proposal, &files, &world, extras, &submission, now)?;
        let (tree, manifest) = seal(id, &world, contents, &key);
        write_packet(out, &tree, &self.executables(&files))?;
        let submission = Submission {
            submission,
            digest: world.digest,
            packet: manifest,
            notify_roles: extras
                .notify_roles
                .iter()
                .map(|role| mi_secrets::redact(role).into_owned())
                .collect(),
            beat: proposal.standing.beat_at(world.beat),
        };
        let event = proposal.standing.submit(submission.clone(), &world)?;
        if let Err(error) = self.write(now, Some(id), &[event]) {
            // It was not recorded, so it was not handed over.
            let _ = fs::remove_dir_all(out);
            return Err(error);
        }
        Ok(Delivered { submission, proposal, folder: out.to_owned(), fingerprint: key.fingerprint() })
    }

    /// The paths in the packet of files that can be run: a script that is delivered stays one.
    fn executables(&self, files: &[FileRecord]) -> BTreeSet<String> {
        let can_run = |file: &&FileRecord| {
            let data = fs::metadata(self.place.root.join(&file.path));
            data.is_ok_and(|data| data.permissions().mode() & 0o111 != 0)
        };
        files.iter().filter(can_run).map(|file| format!("{FILES}{}", file.path)).collect()
    }

    fn contents(
        &self,
        proposal: &Proposal,
        files: &[FileRecord],
        world: &Now,
        extras: &Extras,
        submission: &str,
        now: Timestamp,
    ) -> Result<BTreeMap<String, Vec<u8>>, CouncilError> {
        let id = &proposal.opened.id;
        let mut contents = BTreeMap::new();
        for file in files {
            let place = self.place.root.join(&file.path);
            let content = fs::read(&place).at("read", &place)?;
            if Digest::of(&content) != file.sha256 {
                return Err(Refusal::forbidden(
                    Rule::Digest,
                    format!("`{}` is being changed just now", file.path),
                )
                .into());
            }
            self.store.put(&content)?;
            contents.insert(format!("{FILES}{}", file.path), content);
        }
        for (item, address) in proven(proposal) {
            let gone = || undone(item, "its record was taken away just now");
            contents.insert(format!("{EVIDENCE}{item}"), self.stored(&address)?.ok_or_else(gone)?);
        }
        let mut around = self.surroundings(proposal, files, now)?;
        around.diff.clone_from(&extras.diff);
        if let Some(rollback) = &extras.rollback {
            around.rollback = Some(rollback.clone());
        }
        let aliases = &self.place.aliases;
        let events: Vec<Event> =
            self.bus.events(id)?.into_iter().map(|event| event.named_by(aliases)).collect();
        let receipt = Receipt {
            proposal: id.clone(),
            beat: proposal.standing.beat_at(world.beat),
            digest: world.digest,
            events,
        };
        let votes: Vec<String> = proposal.votes.values().map(template::review_vote).collect();
        let records = [
            (RECEIPT, pretty(&receipt)),
            ("packet.json", pretty(&self.machine_form(proposal, world, &around, submission))),
        ];
        // What programs read cannot be redacted and stay what it is. A file's name, or a record of before, may tell a secret.
        if let Some((path, _)) = records.iter().find(|(_, text)| mi_secrets::contains_secret(text)) {
            let why = format!("{path} would contain a secret; open a new proposal without it");
            return Err(undone(Item::Security, &why));
        }
        let mut texts = vec![
            ("DELIVERY.md", template::delivery_packet(proposal, world, &around)),
            ("proposal.md", template::completion_proposal(proposal, world, &around)),
            ("votes.md", votes.join("\n")),
            ("rollback.md", format!("{}\n", around.rollback.as_deref().unwrap_or("no evidence"))),
        ];
        // A diff also shows what was taken out, and an agent may write anything.
        texts.extend(extras.diff.clone().map(|diff| ("diff.patch", diff)));
        texts.extend(extras.markdown.clone().map(|text| ("submitted.md", text)));
        let texts = texts.into_iter().map(|(path, text)| (path, mi_secrets::redact(&text).into_owned()));
        let texts = texts.chain(records);
        contents.extend(texts.map(|(path, text)| (path.to_owned(), text.into_bytes())));
        Ok(contents)
    }

    /// What the templates are filled from besides the proposal.
    fn surroundings(
        &self,
        proposal: &Proposal,
        files: &[FileRecord],
        now: Timestamp,
    ) -> Result<Surroundings, CouncilError> {
        let (project, id) = (self.project_name(), &proposal.opened.id);
        let address =
            |file: &FileRecord| Address::of_content(&project, id, file.sha256, &file.path, None).to_string();
        let secrets = match self.secret_in(files)? {
            Some(path) => format!("scan: {path:?} contains a secret"),
            None => "scan: no secret found".to_owned(),
        };
        Ok(Surroundings {
            time: now.to_string(),
            diff: None,
            rollback: proposal.opened.commit.as_ref().map(|commit| format!("git checkout {commit}")),
            secrets: Some(secrets),
            addresses: files.iter().map(address).collect(),
        })
    }

    /// The Completion Proposal as it stands now: the seed's template, filled from evidence.
    pub fn completion_proposal(&self, id: &str, now: Timestamp) -> Result<String, CouncilError> {
        let proposal = self.proposal(id)?;
        let files = artefact::read(&self.place.root, &proposal.paths)?;
        let world = Now { beat: mi_council::beat::beat_at(now), digest: Digest::of_files(&files) };
        let around = self.surroundings(&proposal, &files, now)?;
        Ok(mi_secrets::redact(&template::completion_proposal(&proposal, &world, &around)).into_owned())
    }

    fn machine_form(
        &self,
        proposal: &Proposal,
        world: &Now,
        around: &Surroundings,
        submission: &str,
    ) -> serde_json::Value {
        let mut history = Packed::default();
        proposal.history.iter().for_each(|past| history.push(past.name.as_str(), &past.ballot()));
        let status = proposal.standing.to_json(world, &history, &[]);
        json!({
            "submission_id": submission,
            "proposal": proposal.opened.id,
            "title": proposal.opened.title,
            "author": proposal.standing.author,
            "requirements": proposal.opened.requirements,
            "snapshot": around.time,
            "status": serde_json::from_str::<serde_json::Value>(&status).unwrap_or_default(),
            "definition_of_done": proposal.checklist,
            "decisions": proposal.records,
            "ucxl": around.addresses,
        })
    }

    /// The content that an address names, if it is in the store.
    pub fn stored(&self, address: &str) -> Result<Option<Vec<u8>>, CouncilError> {
        match address.parse::<Address>().ok().and_then(|address| address.digest()) {
            Some(digest) => self.store.get(digest),
            None => Ok(None),
        }
    }
}

fn pretty(value: &impl serde::Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}

/// Adds key, manifest and signature; gives the manifest's digest too.
fn seal(
    id: &str,
    world: &Now,
    mut contents: BTreeMap<String, Vec<u8>>,
    key: &SigningKey,
) -> (BTreeMap<String, Vec<u8>>, Digest) {
    contents.insert(KEY.to_owned(), key.public_file().into_bytes());
    let record = |(path, content): (&String, &Vec<u8>)| FileRecord {
        path: path.clone(),
        sha256: Digest::of(content),
        bytes: content.len() as u64,
    };
    let manifest = packet::manifest(id, world.digest, contents.iter().map(record).collect());
    let digest = Digest::of(&manifest);
    let signature = key.sign(&manifest, &packet::trusted_comment(id, &manifest));
    contents.insert(SIGNATURE.to_owned(), signature.into_bytes());
    contents.insert(MANIFEST.to_owned(), manifest);
    (contents, digest)
}

/// The addresses of the records that prove items.
fn proven(proposal: &Proposal) -> BTreeMap<Item, String> {
    let address = |item: Item| match proposal.checklist.get(item) {
        Proof::Proven { record } => Some((item, record.address.clone())),
        Proof::Failed { .. } | Proof::Unknown => None,
    };
    Item::ALL.into_iter().filter_map(address).collect()
}

fn undone(item: Item, problem: &str) -> CouncilError {
    Refusal::forbidden(Rule::Done, format!("the Definition of Done has an open item, dod:{item}: {problem}"))
        .into()
}

/// An empty folder may be filled; anything else stays as it is.
fn refuse_taken(out: &Path) -> Result<(), CouncilError> {
    let is_empty = fs::read_dir(out).is_ok_and(|mut entries| entries.next().is_none());
    let is_free = match fs::symlink_metadata(out) {
        Ok(data) => data.is_dir() && is_empty,
        Err(_) => true,
    };
    match is_free {
        true => Ok(()),
        false => {
            let message =
                format!("`{}` is there already; give a folder that is not, or is empty", out.display());
            Err(CouncilError::Usage(message))
        }
    }
}

/// Writes beside `out` first, so that `out` is whole or not there.
fn write_packet(
    out: &Path,
    files: &BTreeMap<String, Vec<u8>>,
    executables: &BTreeSet<String>,
) -> Result<(), CouncilError> {
    let parent = match out.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    };
    let name =
        out.file_name().ok_or_else(|| CouncilError::Usage("--out needs the name of a folder".to_owned()))?;
    let prefix = format!(".{}.new-", name.to_string_lossy());
    sweep(&parent, &prefix);
    let temporary = parent.join(format!("{prefix}{}", std::process::id()));
    let missing: Vec<&Path> = parent.ancestors().take_while(|folder| !folder.exists()).collect();
    let written = fs::create_dir_all(&parent)
        .and_then(|()| write_files(&temporary, files, executables))
        .and_then(|()| fs::rename(&temporary, out));
    if written.is_err() {
        let _ = fs::remove_dir_all(&temporary);
        // Folders made for it go too; what somebody else put into them meanwhile stays.
        missing.iter().for_each(|folder| drop(fs::remove_dir(folder)));
    }
    written.at("write the packet", out)?;
    File::open(&parent).and_then(|folder| folder.sync_all()).at("flush the folder", &parent)
}

/// Takes away what deliveries to the same folder left that were killed. Whoever still lives is left alone.
fn sweep(parent: &Path, prefix: &str) {
    let is_dead =
        |process: u32| Path::new("/proc/self").exists() && !Path::new(&format!("/proc/{process}")).exists();
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let process = entry.file_name().to_str().and_then(|name| name.strip_prefix(prefix)?.parse().ok());
        if process.is_some_and(is_dead) {
            // Only litter: where it cannot be removed, the delivery is none the worse.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn write_files(
    folder: &Path,
    files: &BTreeMap<String, Vec<u8>>,
    executables: &BTreeSet<String>,
) -> io::Result<()> {
    fs::create_dir(folder)?;
    for (path, content) in files {
        let place = folder.join(path);
        if let Some(parent) = place.parent() {
            fs::create_dir_all(parent)?;
        }
        write_synced(&place, content)?;
        if executables.contains(path) {
            fs::set_permissions(&place, Permissions::from_mode(0o755))?;
        }
    }
    Ok(())
}

/// Checks the packet in a folder; needs nothing but the folder.
pub fn verify_folder(folder: &Path, pinned: Option<&str>) -> Result<Verification, CouncilError> {
    Ok(verify_packet(&read_packet(folder)?, pinned))
}

/// Checks a packet that was read.
pub fn verify_packet(tree: &BTreeMap<String, Node>, pinned: Option<&str>) -> Verification {
    packet::verify(tree, pinned, &SEALS)
}

/// Reads a packet as it lies in a folder, whatever lies there.
pub fn read_packet(folder: &Path) -> Result<BTreeMap<String, Node>, CouncilError> {
    let mut tree = BTreeMap::new();
    read_folder(folder, "", &mut tree)?;
    Ok(tree)
}

fn read_folder(folder: &Path, prefix: &str, tree: &mut BTreeMap<String, Node>) -> Result<(), CouncilError> {
    for entry in fs::read_dir(folder).at("read the packet", folder)? {
        let entry = entry.at("read the packet", folder)?;
        let name = entry.file_name();
        let path = format!("{prefix}{}", name.to_string_lossy());
        let node = match entry.file_type() {
            _ if name.to_str().is_none() => Node::Other("its name is not UTF-8"),
            Ok(kind) if kind.is_dir() => {
                read_folder(&entry.path(), &format!("{path}/"), tree)?;
                Node::Directory
            }
            Ok(kind) if kind.is_file() => read_file(&entry.path(), &path),
            Ok(kind) if kind.is_symlink() => Node::Other("a symlink"),
            Ok(_) => Node::Other("neither a file nor a folder"),
            Err(_) => Node::Other("cannot be read"),
        };
        tree.insert(path, node);
    }
    Ok(())
}

fn read_file(place: &Path, path: &str) -> Node {
    let too_large =
        fs::metadata(place).is_ok_and(|data| READ_WHOLE.contains(&path) && data.len() > MOST_BYTES);
    if too_large {
        return Node::Other("too large");
    }
    match fs::read(place) {
        Ok(content) => {
            let (sha256, bytes) = (Digest::of(&content), content.len() as u64);
            Node::File { sha256, bytes, content: READ_WHOLE.contains(&path).then_some(content) }
        }
        Err(_) => Node::Other("cannot be read"),
    }
}
