//! Checks every chained log of a project against its chain and its head, and the transcripts it names.
//!
//! Problems are what an honest crash cannot do: a record edited, inserted, moved, removed, or a head or transcript
//! that no longer fits. Repairs, quarantines, records of other tools and what is deliberately not kept are notes.
//! Holds: logs and transcripts are streamed; memory does not grow with them.

use mi_model::{ProjectId, Sha256Hex};
use serde::Deserialize;
use std::{collections::BTreeMap, fs, path::Path};

use crate::{
    FileError, Head, Layout, Line, LogPlace, LogReader, Mark,
    head::HeadFile,
    line::{MAX_LINE_BYTES, Scalar},
    repair_torn_tail,
};

/// After this many problems of one log the rest is counted, not listed.
const MAX_LISTED: usize = 50;

/// The kinds that a run's first append writes. A crash right after it can leave them without a head.
const FIRST_APPEND: [&str; 2] = ["run_started", "note"];

/// What a check found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VerifyReport {
    /// Records looked at, in all logs.
    pub records: u64,
    /// What does not fit; empty = all is well.
    pub problems: Vec<String>,
    pub notes: Vec<String>,
}

impl VerifyReport {
    /// True when nothing is wrong; notes do not matter.
    pub fn ok(&self) -> bool {
        self.problems.is_empty()
    }
}

/// The problems of one log, of which only the first are listed.
#[derive(Default)]
struct Problems {
    listed: Vec<String>,
    unlisted: u64,
}

impl Problems {
    fn push(&mut self, problem: String) {
        match self.listed.len() {
            MAX_LISTED => self.unlisted += 1,
            _ => self.listed.push(problem),
        }
    }

    fn into_report(self, name: &str, report: &mut VerifyReport) {
        report.problems.extend(self.listed);
        if self.unlisted > 0 {
            report.problems.push(format!("{name}: {} more problems", self.unlisted));
        }
    }
}

/// Checks one log against its chain and its head; sets a torn tail aside first.
pub fn verify_place(layout: &Layout, place: &LogPlace) -> Result<VerifyReport, FileError> {
    let mut report = VerifyReport::default();
    report.notes.extend(repair_torn_tail(&place.log)?.map(|repair| repair.to_string()));
    verify_log(layout, place, &mut report)?;
    Ok(report)
}

/// How many bytes of a short log its chain and its head vouch for; none if the log lost what the head knows of, or was
/// changed. Whoever grants something by a log asks this each time: it only looks, and repairs nothing.
pub fn vouched_bytes(place: &LogPlace) -> Result<Option<u64>, FileError> {
    // The head first: it never runs ahead of the log that is read after it.
    let (head, is_blank) = HeadFile::new(&place.head).look()?;
    let reader = LogReader::open(&place.log)?;
    let Some(head) = head else { return Ok((is_blank && reader.length()? == 0).then_some(0)) };
    let mut walk = Walk::new("");
    for line in reader.forwards(0)? {
        let line = line?;
        if line.end() > head.mark.bytes {
            break;
        }
        walk.step(&reader, &line, Some(&head))?;
    }
    let is_whole = walk.head_met && walk.foreign == 0 && walk.problems.listed.is_empty();
    Ok((is_whole && head.breaks.is_empty()).then_some(head.mark.bytes))
}

/// Checks the evidence log, the council's, both learned logs and the transcripts of a project, and what gate and box keep for
/// all projects of the home; sets torn tails aside first.
pub fn verify(layout: &Layout, project: &ProjectId) -> Result<VerifyReport, FileError> {
    let paths = layout.project(project);
    let mut report = VerifyReport::default();
    let of_the_home = [layout.global_learned(), layout.timeline()].into_iter();
    let of_the_gate = ["decisions", "permits", "deploys"].map(|name| layout.gate(name));
    let of_the_project = [paths.evidence(), paths.council(), paths.learned()];
    for place in of_the_project.into_iter().chain(of_the_home).chain(of_the_gate) {
        report.notes.extend(repair_torn_tail(&place.log)?.map(|repair| repair.to_string()));
        verify_log(layout, &place, &mut report)?;
    }
    for folder in [paths.folder().to_owned(), layout.home().join("mindspec"), paths.heads().to_owned()] {
        report.notes.extend(set_aside_earlier(layout, &folder));
    }
    Ok(report)
}

fn verify_log(layout: &Layout, place: &LogPlace, report: &mut VerifyReport) -> Result<(), FileError> {
    let (reader, name) = (LogReader::open(&place.log)?, layout.reference(&place.log));
    let (head, repair) = HeadFile::new(&place.head).load()?;
    report.notes.extend(repair.map(|repair| repair.to_string()));
    let (mut walk, mut transcripts) = (Walk::new(&name), TranscriptCheck::new(layout));
    for line in reader.forwards(0)? {
        let line = line?;
        walk.step(&reader, &line, head.as_ref())?;
        transcripts.step(&line)?;
    }
    walk.finish(&reader, head.as_ref(), report);
    walk.problems.into_report(&name, report);
    transcripts.finish(&name, report)
}

/// A pass over one log.
struct Walk<'a> {
    name: &'a str,
    count: u64,
    foreign: u64,
    last_seq: Option<u64>,
    last_hash: Option<Sha256Hex>,
    head_met: bool,
    /// There was more than one append, so that a head was written.
    was_appended_to: bool,
    problems: Problems,
}

impl<'a> Walk<'a> {
    fn new(name: &'a str) -> Self {
        Self {
            name,
            count: 0,
            foreign: 0,
            last_seq: None,
            last_hash: None,
            head_met: false,
            was_appended_to: false,
            problems: Problems::default(),
        }
    }

    fn step(&mut self, reader: &LogReader, line: &Line, head: Option<&Head>) -> Result<(), FileError> {
        self.count += 1;
        self.check_line(line);
        let hash = if line.is_cut() {
            reader.sha256(line.offset..line.offset + line.length)?
        } else {
            mi_model::sha256_hex(&line.bytes)
        };
        if let Some(head) = head.filter(|head| head.mark.bytes == line.end()) {
            self.head_met = head.mark.hash == hash && head.mark.count == self.count;
        }
        self.last_hash = Some(hash);
        Ok(())
    }

    fn check_line(&mut self, line: &Line) {
        let Some(frame) = line.frame() else {
            return match line {
                line if line.is_cut() => self.problem(&format!("is longer than {MAX_LINE_BYTES} bytes")),
                line if line.is_blank() && self.last_seq.is_none() => {}
                _ => self.problem("is not a JSON object"),
            };
        };
        match (&frame.prev, frame.seq()) {
            (Scalar::Absent, None) if self.last_seq.is_none() => self.foreign += 1,
            (Scalar::Absent, _) | (_, None) => {
                self.problem("has no place in the chain (no seq or prev): inserted?")
            }
            (prev, Some(seq)) => {
                let is_first_append = frame.kind().is_some_and(|kind| FIRST_APPEND.contains(&kind));
                self.was_appended_to |= self.last_seq.is_some() && !is_first_append;
                let wanted = self.last_hash.as_deref();
                if prev.text() != wanted || (wanted.is_none() && *prev != Scalar::Null) {
                    self.problem(
                        "does not follow from the line before it: edited, inserted, moved or removed?",
                    );
                }
                if let Some(last) = self.last_seq.filter(|last| seq <= *last) {
                    self.problem(&format!("has seq {seq} after seq {last}"));
                }
                self.last_seq = Some(seq);
            }
        }
    }

    fn problem(&mut self, what: &str) {
        self.problems.push(format!("{}: line {} {what}", self.name, self.count));
    }

    fn finish(&mut self, reader: &LogReader, head: Option<&Head>, report: &mut VerifyReport) {
        report.records += self.count;
        if self.foreign > 0 {
            report.notes.push(format!(
                "{}: the first {} records were written by another tool and carry no chain",
                self.name, self.foreign
            ));
        }
        let Some(head) = head else {
            if self.was_appended_to {
                self.problems
                    .push(format!("{}: its head is gone, so a missing end would not show", self.name));
            } else if self.last_seq.is_some() {
                report.notes.push(format!("{}: no head is kept yet", self.name));
            }
            return;
        };
        for lost in &head.breaks {
            self.problems.push(format!(
                "{}: lost records up to {} before it went on",
                self.name,
                place(lost)
            ));
        }
        if !reader.exists() {
            self.problems.push(format!("{}: the log is gone; it had {}", self.name, place(&head.mark)));
        } else if !self.head_met
            && head.mark.was_torn(reader.path(), self.count, reader.length().unwrap_or_default())
        {
            report.notes.push(format!("{}: its last record was torn and set aside", self.name));
        } else if !self.head_met {
            let found = self.count;
            self.problems.push(format!(
                "{}: does not contain its head, {}; it has {found} lines: truncated or rewritten?",
                self.name,
                place(&head.mark)
            ));
        }
    }
}

fn place(mark: &Mark) -> String {
    format!(
        "{} records up to seq {} (sha256 {})",
        mark.count,
        mark.seq,
        mark.hash.get(..12).unwrap_or(&mark.hash)
    )
}

/// The transcripts that evidence records vouch for, one file at a time.
struct TranscriptCheck<'a> {
    layout: &'a Layout,
    file: String,
    /// What the records say the file's first bytes hash to.
    claims: BTreeMap<u64, Sha256Hex>,
    not_kept: u64,
    problems: Problems,
}

#[derive(Deserialize)]
struct TranscriptClaim {
    #[serde(rename = "codex_transcript_ref", default)]
    file: String,
    #[serde(rename = "codex_transcript_sha256", default)]
    sha256: Sha256Hex,
    #[serde(rename = "codex_transcript_bytes", default)]
    bytes: u64,
}

impl<'a> TranscriptCheck<'a> {
    fn new(layout: &'a Layout) -> Self {
        let problems = Problems::default();
        Self { layout, file: String::new(), claims: BTreeMap::new(), not_kept: 0, problems }
    }

    fn step(&mut self, line: &Line) -> Result<(), FileError> {
        if memchr::memmem::find(&line.bytes, b"\"codex_transcript_ref\"").is_none() {
            return Ok(());
        }
        let Ok(claim) = serde_json::from_slice::<TranscriptClaim>(&line.bytes) else { return Ok(()) };
        if claim.sha256.is_empty() {
            self.not_kept += 1;
            return Ok(());
        }
        if claim.file != self.file {
            self.check_file()?;
            self.file = claim.file;
        }
        self.claims.insert(claim.bytes, claim.sha256);
        Ok(())
    }

    fn finish(mut self, name: &str, report: &mut VerifyReport) -> Result<(), FileError> {
        self.check_file()?;
        self.problems.into_report(name, report);
        if self.not_kept > 0 {
            report.notes.push(format!(
                "{name}: {} evidence records name no stored raw transcript (transparency.store_raw_transcript is \
                 off, or another tool wrote them)",
                self.not_kept
            ));
        }
        Ok(())
    }

    /// Checks the file whose claims were gathered, in one pass over it.
    fn check_file(&mut self) -> Result<(), FileError> {
        let claims = std::mem::take(&mut self.claims);
        let Some(longest) = claims.keys().next_back() else { return Ok(()) };
        let reader = LogReader::open(&self.layout.resolve(&self.file))?;
        let length = reader.length()?;
        if !reader.exists() {
            self.problems.push(format!("transcript {} is gone", self.file));
            return Ok(());
        }
        if *longest > length {
            let problem =
                format!("transcript {} has {length} bytes; its record vouches for {longest}", self.file);
            self.problems.push(problem);
        }
        let ends: Vec<u64> = claims.keys().copied().filter(|bytes| *bytes <= length).collect();
        for (end, digest) in ends.iter().zip(reader.sha256_of_beginnings(&ends)?) {
            if claims.get(end) != Some(&digest) {
                self.problems.push(format!("transcript {} was changed in its first {end} bytes", self.file));
            }
        }
        Ok(())
    }
}

/// What earlier commands set aside in a folder.
fn set_aside_earlier(layout: &Layout, folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let aside = names.filter(|path| {
        path.extension()
            .and_then(|extension| extension.to_str())
            .is_some_and(|extension| extension.starts_with("torn-") || extension.starts_with("corrupt-"))
    });
    let mut notes: Vec<String> =
        aside.map(|path| format!("{} was set aside", layout.reference(&path))).collect();
    notes.sort();
    notes
}
