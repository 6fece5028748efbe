//! What votes, decisions and items of the Definition of Done stand on: read, judged, stored by content, cited by address.
//!
//! Holds: what is cited by digest is in the store; only files are read. Elsewhere: what a record says is judged in
//! `mi-council`.
//! Requirements: MI-COUNCIL-001, MI-COUNCIL-015.

use mi_council::{
    Citation, Digest, Event, FileRecord, Refusal, Rule,
    beat::beat_at,
    done::{Item, Proof, judge},
    ucxl::Address,
};
use mi_model::Timestamp;
use std::{collections::BTreeMap, fs};

use crate::{
    artefact,
    chamber::Chamber,
    error::{At, CouncilError},
};

/// A citation, and the content it stands for if that is not stored yet.
pub type Cited = (Citation, Option<Vec<u8>>);

impl Chamber {
    pub(crate) fn read_evidence(
        &self,
        evidence: &[(Item, String)],
    ) -> Result<Vec<(Item, String, Vec<u8>)>, CouncilError> {
        let read = |(item, path): &(Item, String)| {
            let place = self.place.root.join(path);
            match artefact::content(&place) {
                Ok(content) => Ok((*item, path.clone(), content)),
                Err(error) => Err(CouncilError::from(Refusal::malformed(
                    Rule::Evidence,
                    format!("the record of {item} `{path}` cannot be read: {error}"),
                ))),
            }
        };
        evidence.iter().map(read).collect()
    }

    pub(crate) fn store_evidence(
        &self,
        id: &str,
        contents: Vec<(Item, String, Vec<u8>)>,
        files: &[FileRecord],
    ) -> Result<BTreeMap<Item, Proof>, CouncilError> {
        let mut evidence = BTreeMap::new();
        for (item, path, content) in contents {
            let record = self.cite_content(id, &path, None, &content)?;
            self.store.put(&content)?;
            let secret = if item == Item::Security { self.secret_in(files)? } else { None };
            let proof = match secret {
                Some(path) => Proof::Failed { record, why: format!("`{path}` contains a secret") },
                None => judge(item, record, &content, &self.place.licences),
            };
            evidence.insert(item, proof);
        }
        Ok(evidence)
    }

    /// The first file in which the SHHH scan finds a secret.
    pub fn secret_in(&self, files: &[FileRecord]) -> Result<Option<String>, CouncilError> {
        for file in files {
            let place = self.place.root.join(&file.path);
            let content = fs::read(&place).at("read", &place)?;
            if mi_secrets::contains_secret(&String::from_utf8_lossy(&content)) {
                return Ok(Some(file.path.clone()));
            }
        }
        Ok(None)
    }

    /// Items whose proof does not hold any more, and why: a record that is gone, or tells a secret, proves nothing to a
    /// stranger, and the files may have got a secret since the record of security was made.
    pub(crate) fn undone(
        &self,
        records: &BTreeMap<Item, String>,
        files: &[FileRecord],
    ) -> Result<Vec<(Item, String)>, CouncilError> {
        let secret = self.secret_in(files)?.map(|path| format!("{path:?} contains a secret; take it out"));
        let mut undone: Vec<(Item, String)> = secret.map(|why| (Item::Security, why)).into_iter().collect();
        for (item, address) in records {
            let why = match self.stored(address) {
                Ok(Some(content)) if !mi_secrets::contains_secret(&String::from_utf8_lossy(&content)) => {
                    continue;
                }
                Ok(Some(_)) => "its record contains a secret",
                Ok(None) => "its record is no longer in the store",
                Err(_) => "its record cannot be read",
            };
            undone.push((*item, format!("{why}; give it anew: mi review evidence ID {item}=FILE")));
        }
        Ok(undone)
    }

    /// Adds the record of an item of the Definition of Done.
    pub fn add_evidence(
        &mut self,
        id: &str,
        item: Item,
        path: &str,
        now: Timestamp,
    ) -> Result<Proof, CouncilError> {
        let contents = self.read_evidence(&[(item, path.to_owned())])?;
        let _turn = self.turn()?;
        let brief = self.brief(id)?;
        if brief.head.standing.is_over() {
            return Err(Refusal::forbidden(Rule::Phase, "it was handed over already").into());
        }
        let files = artefact::read(&self.place.root, &brief.head.paths)?;
        let proof = self.store_evidence(id, contents, &files)?.remove(&item).unwrap_or(Proof::Unknown);
        let beat = brief.head.standing.beat_at(beat_at(now));
        self.write(now, Some(id), &[Event::EvidenceAdded { beat, item, proof: proof.clone() }])?;
        Ok(proof)
    }

    /// Cites content of a project path; nothing is stored yet.
    fn cite_content(
        &self,
        task: &str,
        path: &str,
        anchor: Option<&str>,
        content: &[u8],
    ) -> Result<Citation, CouncilError> {
        let digest = Digest::of(content);
        let address = Address::of_content(&self.project_name(), task, digest, path, anchor);
        let given = anchor.map_or_else(|| path.to_owned(), |anchor| format!("{path}#{anchor}"));
        Ok(Citation { address: address.to_string(), given })
    }

    /// Reads what a vote or a decision cites: an address, or a path of the project with its content.
    pub fn cite(&self, task: &str, given: &[String]) -> Result<Vec<Cited>, CouncilError> {
        given.iter().map(|text| self.cite_one(task, text)).collect()
    }

    fn cite_one(&self, task: &str, text: &str) -> Result<Cited, CouncilError> {
        if text.starts_with(mi_council::ucxl::SCHEME) {
            return Ok((self.cite_address(text)?, None));
        }
        let malformed = |problem: String| Refusal::malformed(Rule::Evidence, format!("`{text}` {problem}"));
        if text.trim().is_empty() {
            return Err(malformed("is empty".to_owned()).into());
        }
        // A file may have `#` in its name; only what is no file is split.
        let whole = self.place.root.join(text).is_file();
        let (path, anchor) = match text.rsplit_once('#') {
            Some((path, anchor)) if !whole => (path, Some(anchor)),
            _ => (text, None),
        };
        let kept = artefact::inside(&self.place.root, path)
            .map_err(|error| malformed(format!("is no evidence: {error}")))?;
        let content = artefact::content(&self.place.root.join(&kept)).map_err(|error| {
            malformed(format!("is neither a UCXL address nor a file of the project: {error}"))
        })?;
        Ok((self.cite_content(task, &kept, anchor, &content)?, Some(content)))
    }

    /// An address by digest must lead to content that is here: nobody could look at anything else. One by version names
    /// what lies elsewhere; it may be cited (Rule T), and is told to be unchecked wherever it is shown.
    pub fn cite_address(&self, text: &str) -> Result<Citation, CouncilError> {
        let citation = Citation::of_address(text)?;
        if citation.is_by_version() || self.stored(&citation.address)?.is_some() {
            return Ok(citation);
        }
        let problem = format!(
            "`{text}` cannot be resolved: no content with this digest is in the store of this home; cite the file itself \
             (PATH#anchor), which stores it"
        );
        Err(Refusal::forbidden(Rule::Evidence, problem).into())
    }
}
