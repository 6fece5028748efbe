//! Packets in memory: every way to spoil one is found and named.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails here")]

use mi_council::{
    Aliases, Citation, Colour, Digest, Event, FileRecord, Now, Opened, Person, Proposal, Quorum, Role,
    Urgency, VoteForm,
    done::{Item, Proof},
    packet::{
        self, ALWAYS, EVIDENCE, FILES, KEY, MANIFEST, Node, RECEIPT, Receipt, SIGNATURE, Seals, Verification,
    },
};
use mi_supply::{exact, sign::SecretKey};
use std::collections::BTreeMap;

type Files = BTreeMap<String, Vec<u8>>;

const SEALS: Seals = Seals {
    fingerprint: |key| exact::fingerprint(key).map_err(|error| error.to_string()),
    check: |message, signature, key| exact::check(message, signature, key).map_err(|error| error.to_string()),
};

fn sign(key: &SecretKey, manifest: &[u8]) -> String {
    key.sign(manifest, &packet::trusted_comment("P-1", manifest))
}

/// The record of every item.
const RECORD: &[u8] = b"12 passed\n";

fn record(path: &str, content: &[u8]) -> FileRecord {
    FileRecord { path: path.to_owned(), sha256: Digest::of(content), bytes: content.len() as u64 }
}

/// The events of a proposal that three people find good.
fn events(digest: Digest) -> Vec<Event> {
    let address = format!("ucxl://mi:council@p:t/sha256:{}#/x", Digest::of(RECORD));
    let citation = Citation { address, given: "x".to_owned() };
    let opened = Opened {
        id: "P-1".to_owned(),
        title: "t".to_owned(),
        author: Person::named("ann").unwrap(),
        paths: vec!["src".to_owned()],
        files: Vec::new(),
        digest,
        urgency: Urgency::Standard,
        draft: false,
        quorum: Quorum::default(),
        evidence: Item::ALL
            .into_iter()
            .map(|item| (item, Proof::Proven { record: citation.clone() }))
            .collect(),
        requirements: Vec::new(),
        commit: None,
        beat: 0,
    };
    let mut events = vec![Event::ProposalOpened(Box::new(opened.clone()))];
    let proposal = Proposal::of(opened, &Aliases::default());
    for role in [Role::Owner, Role::Qa, Role::Security] {
        let form = VoteForm {
            name: role.to_string(),
            role: role.to_string(),
            colour: Colour::Green.to_string(),
            rationale: "good".to_owned(),
            evidence: vec![citation.clone()],
            ..VoteForm::default()
        };
        events.push(proposal.standing.vote(form, &Now { beat: 0, digest }, &Aliases::default()).unwrap());
    }
    events
}

/// A packet with two files, made by `keys`.
fn packet(keys: &SecretKey) -> Files {
    let artefact = [("src/a.rs", &b"fn a() {}\n"[..]), ("src/deep/b.rs", &b"fn b() {}\n"[..])];
    let records: Vec<FileRecord> = artefact.iter().map(|(path, content)| record(path, content)).collect();
    let digest = Digest::of_files(&records);
    let receipt = Receipt { proposal: "P-1".to_owned(), beat: 0, digest, events: events(digest) };
    let mut files: Files =
        artefact.iter().map(|(path, content)| (format!("{FILES}{path}"), content.to_vec())).collect();
    files.insert(RECEIPT.to_owned(), serde_json::to_vec(&receipt).unwrap());
    for name in ["DELIVERY.md", "packet.json", "proposal.md", "rollback.md", "votes.md"] {
        files.insert(name.to_owned(), format!("the text of {name}\n").into_bytes());
    }
    files.extend(Item::ALL.map(|item| (format!("{EVIDENCE}{item}"), RECORD.to_vec())));
    files.insert(KEY.to_owned(), keys.public().to_file().into_bytes());
    seal(&mut files, digest, keys);
    files
}

fn seal(files: &mut Files, digest: Digest, keys: &SecretKey) {
    let records = files.iter().map(|(path, content)| record(path, content)).collect();
    let manifest = packet::manifest("P-1", digest, records);
    files.insert(SIGNATURE.to_owned(), sign(keys, &manifest).into_bytes());
    files.insert(MANIFEST.to_owned(), manifest);
}

fn tree(files: &Files) -> BTreeMap<String, Node> {
    let mut tree: BTreeMap<String, Node> =
        files.iter().map(|(path, content)| (path.clone(), Node::of(content))).collect();
    for path in files.keys() {
        for (at, _) in path.match_indices('/') {
            tree.insert(path[..at].to_owned(), Node::Directory);
        }
    }
    tree
}

fn verify(files: &Files) -> Verification {
    packet::verify(&tree(files), None, &SEALS)
}

fn names(verification: &Verification) -> Vec<&str> {
    verification.problems.iter().map(|problem| problem.path.as_str()).collect()
}

fn keys() -> SecretKey {
    key(1)
}

fn key(number: u8) -> SecretKey {
    SecretKey::from_random([number; 32], [number; 8]).unwrap()
}

/// An honest packet has no problem, and says who signed it.
#[test]
fn deliver_verify_accepts_an_honest_packet() {
    let keys = keys();
    let verification = verify(&packet(&keys));
    assert_eq!(verification.problems, []);
    assert_eq!(verification.fingerprint, Some(exact::fingerprint(&keys.public().to_file()).unwrap()));
}

/// Every single byte of every file, changed in turn, is found, and the file is named.
#[test]
fn deliver_verify_finds_every_changed_byte() {
    let files = packet(&keys());
    let mut changed = 0;
    for (path, content) in &files {
        let mut tree = tree(&files);
        for at in 0..content.len() {
            let bit = if at % 2 == 0 { 0x01 } else { 0x20 };
            let mut spoiled = content.clone();
            spoiled[at] ^= bit;
            tree.insert(path.clone(), Node::of(&spoiled));
            let verification = mi_delivery::verify_packet(&tree, None);
            let named = names(&verification).contains(&path.as_str());
            assert!(named, "{path} byte {at} bit {bit:x}: {:?}", verification.problems);
            changed += 1;
        }
    }
    println!("{changed} single-byte changes in {} files, all found", files.len());
}

/// Missing, extra, renamed, longer and shorter files, folders and symlinks are found by name.
#[test]
fn deliver_verify_finds_missing_extra_and_renamed_files() {
    let files = packet(&keys());
    for path in files.keys() {
        let mut missing = files.clone();
        let content = missing.remove(path).unwrap();
        assert!(names(&verify(&missing)).contains(&path.as_str()), "{path} missing");
        let other = format!("{path}.bak");
        missing.insert(other.clone(), content);
        let renamed = verify(&missing);
        assert!(names(&renamed).contains(&path.as_str()), "{path} renamed");
        assert!(names(&renamed).contains(&other.as_str()), "{path} renamed");
        for length in [0, files[path].len() - 1] {
            let mut shorter = files.clone();
            shorter.get_mut(path).unwrap().truncate(length);
            assert!(names(&verify(&shorter)).contains(&path.as_str()), "{path} of {length} bytes");
        }
        let mut longer = files.clone();
        longer.get_mut(path).unwrap().push(b'\n');
        assert!(names(&verify(&longer)).contains(&path.as_str()), "{path} longer");
        let mut linked = tree(&files);
        linked.insert(path.clone(), Node::Other("a symlink"));
        assert!(names(&packet::verify(&linked, None, &SEALS)).contains(&path.as_str()), "{path} a symlink");
    }
    let mut extra = tree(&files);
    extra.insert("empty".to_owned(), Node::Directory);
    extra.insert("files/link".to_owned(), Node::Other("a symlink"));
    assert_eq!(names(&packet::verify(&extra, None, &SEALS)), ["empty", "files/link"]);
}

/// A stranger's packet is whole in itself: only the pinned key tells.
#[test]
fn deliver_verify_a_foreign_key_fails_only_where_a_key_is_trusted() {
    let (mine, foreign) = (key(1), key(2));
    let files = packet(&foreign);
    assert_eq!(verify(&files).problems, []);
    let trusted = mine.public().to_file();
    assert_eq!(names(&packet::verify(&tree(&files), Some(&trusted), &SEALS)), [KEY]);
    assert_eq!(names(&packet::verify(&tree(&files), Some("nonsense"), &SEALS)), [KEY]);
    assert_eq!(packet::verify(&tree(&files), Some(&foreign.public().to_file()), &SEALS).problems, []);
    let mut swapped = files.clone();
    swapped.insert(KEY.to_owned(), trusted.into_bytes());
    assert_eq!(names(&verify(&swapped)), [KEY, MANIFEST, SIGNATURE]);
}

/// A signature of another packet, of another key, or with another comment is bad, and names what it signs.
#[test]
fn deliver_verify_a_swapped_signature_names_the_signed_file() {
    let keys = keys();
    let files = packet(&keys);
    let manifest = files[MANIFEST].clone();
    let text = String::from_utf8(files[SIGNATURE].clone()).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let resigned = sign(&key(2), &manifest);
    let signatures = [
        sign(&keys, b"another manifest"),
        resigned,
        text.replace("trusted comment: proposal", "trusted comment: purposal"),
        keys.sign(&manifest, "another comment by the right key"),
        text.replace("signature from", "signature by"),
        text.replace('\n', "\r\n"),
        format!("{text}\n"),
        format!("{}\n{}\n{}\n{}", lines[0], lines[1], lines[2], lines[3]),
    ];
    for spoiled in signatures {
        let mut swapped = files.clone();
        swapped.insert(SIGNATURE.to_owned(), spoiled.clone().into_bytes());
        assert_eq!(names(&verify(&swapped)), [MANIFEST, SIGNATURE], "{spoiled}");
    }
}

/// A manifest that was signed, but lists what it must not, is refused: climbing, absolute, twice, another form.
#[test]
fn deliver_verify_refuses_names_that_climb_or_collide() {
    let keys = keys();
    let honest = packet(&keys);
    let listed: serde_json::Value = serde_json::from_slice(&honest[MANIFEST]).unwrap();
    let spoil = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut manifest = listed.clone();
        change(&mut manifest);
        let mut text = serde_json::to_vec_pretty(&manifest).unwrap();
        text.push(b'\n');
        let mut files = honest.clone();
        files.insert(SIGNATURE.to_owned(), sign(&keys, &text).into_bytes());
        files.insert(MANIFEST.to_owned(), text);
        names(&verify(&files)).contains(&MANIFEST)
    };
    for name in ["../a", "/a", "a//b", "a/./b", "", "a\\b", "a\nb", MANIFEST] {
        assert!(spoil(&|manifest| manifest["files"][0]["path"] = name.into()), "{name:?}");
    }
    assert!(spoil(&|manifest| manifest["files"][0]["path"] = "FILES/src/a.rs".into()), "another case");
    assert!(spoil(&|manifest| manifest["format"] = "mi-delivery/2".into()));
    assert!(spoil(&|manifest| manifest["more"] = 1.into()), "unknown fields");
}

/// Votes that do not come to CONSENSUS on these files spoil a packet, however well it is signed.
#[test]
fn deliver_verify_counts_the_votes_again() {
    let keys = keys();
    let honest = packet(&keys);
    let receipt: Receipt = serde_json::from_slice(&honest[RECEIPT]).unwrap();
    let spoil = |change: &dyn Fn(&mut Receipt)| {
        let mut receipt = receipt.clone();
        change(&mut receipt);
        let mut files = honest.clone();
        files.retain(|path, _| ![MANIFEST, SIGNATURE].contains(&path.as_str()));
        files.insert(RECEIPT.to_owned(), serde_json::to_vec(&receipt).unwrap());
        seal(&mut files, receipt.digest, &keys);
        verify(&files)
    };
    assert_eq!(spoil(&|_| {}).problems, []);
    assert_eq!(names(&spoil(&|receipt| drop(receipt.events.pop()))), [RECEIPT]);
    assert_eq!(names(&spoil(&|receipt| receipt.events.clear())), [RECEIPT]);
    assert_eq!(names(&spoil(&|receipt| receipt.digest = Digest::new([9; 32]))), [RECEIPT]);
    let by_author = spoil(&|receipt| {
        if let Some(Event::VoteCast(vote)) = receipt.events.last_mut() {
            vote.name = Person::named("ann").unwrap();
        }
    });
    assert_eq!(names(&by_author), [RECEIPT]);
}

/// A packet without its manifest, or with one that cannot be read, still has every other bad file named.
#[test]
fn mi_council_013_bad_files_are_named_without_a_manifest_too() {
    let honest = packet(&keys());
    for manifest in [None, Some(&b"{"[..])] {
        let mut files = honest.clone();
        files.remove(MANIFEST);
        files.extend(manifest.map(|text| (MANIFEST.to_owned(), text.to_vec())));
        files.remove("votes.md");
        files.insert("manifest.json.bak".to_owned(), Vec::new());
        files.insert("files/src/a.rs".to_owned(), b"fn other() {}\n".to_vec());
        files.insert("evidence/tests".to_owned(), b"0 passed\n".to_vec());
        let mut tree = tree(&files);
        tree.insert("files/link".to_owned(), Node::Other("a symlink"));
        tree.insert("empty".to_owned(), Node::Directory);
        let found = packet::verify(&tree, None, &SEALS);
        for name in
            ["empty", "evidence/tests", "files/link", MANIFEST, "manifest.json.bak", RECEIPT, "votes.md"]
        {
            assert!(names(&found).contains(&name), "{name}: {:?}", found.problems);
        }
    }
}

/// A packet that was signed anew and contradicts itself is refused: a part is gone, a record is another, the quorum is none.
#[test]
fn mi_council_013_a_packet_that_contradicts_itself_is_refused() {
    let keys = keys();
    let honest = packet(&keys);
    let receipt: Receipt = serde_json::from_slice(&honest[RECEIPT]).unwrap();
    let resealed = |change: &dyn Fn(&mut Files)| {
        let mut files = honest.clone();
        files.retain(|path, _| ![MANIFEST, SIGNATURE].contains(&path.as_str()));
        change(&mut files);
        seal(&mut files, receipt.digest, &keys);
        verify(&files)
    };
    assert_eq!(resealed(&|_| {}).problems, []);
    for path in ALWAYS {
        assert!(names(&resealed(&|files| drop(files.remove(path)))).contains(&MANIFEST), "{path}");
    }
    let other = |files: &mut Files| drop(files.insert("evidence/docs".to_owned(), b"another\n".to_vec()));
    assert_eq!(names(&resealed(&other)), ["evidence/docs"]);
    assert_eq!(names(&resealed(&|files| drop(files.remove("evidence/docs")))), ["evidence/docs"]);
    assert_eq!(
        names(&resealed(&|files| drop(files.insert("evidence/x".to_owned(), Vec::new())))),
        ["evidence/x"]
    );
    let silent = |files: &mut Files| {
        let mut receipt = receipt.clone();
        if let Some(Event::ProposalOpened(opened)) = receipt.events.first_mut() {
            opened.quorum.greens = 0;
        }
        files.insert(RECEIPT.to_owned(), serde_json::to_vec(&receipt).unwrap());
    };
    assert_eq!(names(&resealed(&silent)), [RECEIPT]);
}
