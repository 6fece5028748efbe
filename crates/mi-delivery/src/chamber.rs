//! The council of one project: requests come in, events go to the log, nothing half.
//!
//! Holds: whoever changes something first takes the council's lock, reads how things stand, asks `mi-council`, and only
//! then writes; two writers at once take turns. Reading takes no lock.
//! Elsewhere: the rules are `mi-council`; what is cited is `evidence`; packets are `deliver`.
//! Requirements: MI-COUNCIL-001, MI-COUNCIL-019.

use mi_council::{
    Aliases, Closing, DecisionRecord, Digest, Event, Now, Opened, Person, Phase, Proposal, Quorum,
    RecordForm, RecordNumber, Refusal, Rule, Stage, Submission, Urgency, VoteForm, beat::beat_at, done::Item,
    licence::Policy, refuse_floating,
};
use mi_journal::{Layout, Line, LogView, ProjectLayout, Query, VerifyReport, verify_place};
use mi_model::{Timestamp, goal_ids};
use serde_json::{Map, Value};
use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use crate::{
    artefact,
    brief::{Brief, Checkpoints},
    bus::{Bus, JournalBus, Lasts},
    error::{At, CouncilError},
    mark::Mark,
    store::ContentStore,
};

/// Where the council works, and by whose names.
#[derive(Debug, Clone)]
pub struct Place {
    /// The project's folder, canonical.
    pub root: PathBuf,
    pub layout: Layout,
    pub files: ProjectLayout,
    pub aliases: Aliases,
    pub licences: Policy,
}

/// The council of one project.
pub struct Chamber {
    pub place: Place,
    pub store: ContentStore,
    pub bus: JournalBus,
    mark: Mark,
    /// Whether this very chamber has the turn.
    held: Arc<AtomicBool>,
}

/// A proposal to be opened.
#[derive(Debug, Clone, Default)]
pub struct Opening {
    pub paths: Vec<String>,
    pub title: String,
    pub author: String,
    pub draft: bool,
    pub urgency: Urgency,
    pub evidence: Vec<(Item, String)>,
    pub quorum: Quorum,
    pub commit: Option<String>,
}

/// The right to change something; given back when dropped.
pub(crate) struct Turn {
    _lock: File,
    held: Arc<AtomicBool>,
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.held.store(false, Ordering::Relaxed);
    }
}

impl Chamber {
    /// Names the files; touches nothing.
    pub fn new(place: Place) -> Self {
        let store = ContentStore::new(place.layout.home());
        let bus = JournalBus::new(place.files.council());
        let mark = Mark::new(place.files.folder());
        Self { place, store, bus, mark, held: Arc::default() }
    }

    fn checkpoints(&self) -> Checkpoints {
        Checkpoints { folder: self.place.files.folder().join("council") }
    }

    /// Waits for whoever is changing something just now, and makes sure that the log is what `mi` wrote.
    pub(crate) fn turn(&self) -> Result<Turn, CouncilError> {
        let turn = self.lock()?;
        self.check_chain()?;
        Ok(turn)
    }

    fn lock(&self) -> Result<Turn, CouncilError> {
        let folder = self.place.files.folder();
        fs::create_dir_all(folder).at("create the folder", folder)?;
        let path = folder.join("council.lock");
        let file =
            OpenOptions::new().write(true).create(true).truncate(false).open(&path).at("open", &path)?;
        file.lock().at("lock", &path)?;
        self.held.store(true, Ordering::Relaxed);
        Ok(Turn { _lock: file, held: Arc::clone(&self.held) })
    }

    /// Makes sure, before anything is told from the log, that nobody else wrote in it; what was repaired on the way.
    fn trust_log(&self) -> Result<Vec<String>, CouncilError> {
        if self.held.load(Ordering::Relaxed) || self.mark.fits(self.bus.place()) {
            return Ok(Vec::new());
        }
        // Whoever writes just now has a right to finish. Where there is nothing to lock, nobody writes.
        let _turn = self.lock().ok();
        self.check_chain()
    }

    fn check_chain(&self) -> Result<Vec<String>, CouncilError> {
        if self.mark.fits(self.bus.place()) {
            return Ok(Vec::new());
        }
        let report = self.verify()?;
        if let Some(problem) = report.problems.into_iter().next() {
            return Err(CouncilError::Damaged { path: self.bus.place().log.clone(), problem });
        }
        self.mark.set(self.bus.place());
        Ok(report.notes)
    }

    /// Puts right what a crash left of the log, and says what that was. A log that cannot be relied on is left to whoever
    /// asks for something in it.
    pub fn repair(&self) -> Vec<String> {
        self.trust_log().unwrap_or_default()
    }

    /// Writes events down; the log is still trusted afterwards.
    pub(crate) fn write(
        &mut self,
        now: Timestamp,
        subject: Option<&str>,
        events: &[Event],
    ) -> Result<(), CouncilError> {
        self.bus.publish(now, subject, events)?;
        self.mark.set(self.bus.place());
        Ok(())
    }

    /// Writes down what is no event of a proposal.
    pub(crate) fn note(
        &mut self,
        now: Timestamp,
        kind: &str,
        fields: Map<String, Value>,
        lasts: Lasts,
    ) -> Result<(), CouncilError> {
        let _turn = self.turn()?;
        self.bus.note(now, kind, fields, lasts)?;
        self.mark.set(self.bus.place());
        Ok(())
    }

    /// The project's name in addresses.
    pub fn project_name(&self) -> String {
        self.place
            .root
            .file_name()
            .map_or_else(|| "project".to_owned(), |name| name.to_string_lossy().into_owned())
    }

    /// How a proposal stands, quickly.
    pub fn brief(&self, id: &str) -> Result<Brief, CouncilError> {
        self.trust_log()?;
        let brief = self.checkpoints().brief(&self.bus, id, &self.place.aliases)?;
        brief.ok_or_else(|| unknown_proposal(id))
    }

    /// A proposal with all that was said about it, from the log itself.
    pub fn proposal(&self, id: &str) -> Result<Proposal, CouncilError> {
        self.trust_log()?;
        Proposal::fold(self.bus.events(id)?, &self.place.aliases).ok_or_else(|| unknown_proposal(id))
    }

    /// What is now: the beat of the clock and the digest of the files.
    pub fn now(&self, paths: &[String], now: Timestamp) -> Result<Now, CouncilError> {
        let files = artefact::read(&self.place.root, paths)?;
        Ok(Now { beat: beat_at(now), digest: Digest::of_files(&files) })
    }

    /// How a proposal stands now; remembers the beat, so that it never goes back.
    pub fn status(&mut self, id: &str, now: Timestamp) -> Result<(Brief, Now), CouncilError> {
        let mut brief = self.brief(id)?;
        let world = self.now(&brief.head.paths, now)?;
        let beat = brief.head.standing.beat_at(world.beat);
        if beat > brief.head.standing.beat && !brief.head.standing.is_over() {
            let event = Event::BeatSeen { beat };
            // Where nothing can be written, the answer is still right.
            let _ = self.turn().and_then(|_turn| self.write(now, Some(id), std::slice::from_ref(&event)));
            brief.apply(&event, &self.place.aliases);
        }
        self.reopen_items(&mut brief)?;
        Ok((brief, world))
    }

    /// What a delivery would find undone is open now already.
    fn reopen_items(&self, brief: &mut Brief) -> Result<(), CouncilError> {
        if !brief.head.standing.is_over() {
            let files = artefact::read(&self.place.root, &brief.head.paths)?;
            let undone = self.undone(&brief.head.records, &files)?;
            brief.head.standing.open_items.extend(undone.into_iter().map(|(item, _)| item));
        }
        Ok(())
    }

    /// Opens a proposal; gives its id.
    pub fn propose(&mut self, opening: Opening, now: Timestamp) -> Result<Opened, CouncilError> {
        opening.quorum.check()?;
        let author = Person::named(&opening.author).map_err(Refusal::from)?;
        if opening.title.trim().is_empty() {
            return Err(CouncilError::Usage("a proposal needs a title: --title TEXT".to_owned()));
        }
        refuse_floating(&opening.title)?;
        let title = mi_secrets::redact(&opening.title).into_owned();
        let paths = artefact::named(&self.place.root, &opening.paths)?;
        let files = artefact::read(&self.place.root, &paths)?;
        if files.is_empty() {
            return Err(CouncilError::Usage("there is no file to propose at these paths".to_owned()));
        }
        if let Some(problem) = artefact::undeliverable(&self.place.root, &files) {
            return Err(CouncilError::Usage(format!(
                "{problem}, which cannot be delivered; take it out or rename it"
            )));
        }
        let contents = self.read_evidence(&opening.evidence)?;
        let _turn = self.turn()?;
        let id = format!("P-{}", self.last_number("proposal_opened", "id", "P-")? + 1);
        let requirements = self.requirements(&title, &files)?;
        let evidence = self.store_evidence(&id, contents, &files)?;
        for file in &files {
            let place = self.place.root.join(&file.path);
            self.store.put(&fs::read(&place).at("read", &place)?)?;
        }
        let opened = Opened {
            id: id.clone(),
            title,
            author,
            digest: Digest::of_files(&files),
            paths,
            files,
            urgency: opening.urgency,
            draft: opening.draft,
            quorum: opening.quorum,
            evidence,
            requirements,
            commit: opening.commit,
            beat: beat_at(now),
        };
        self.write(now, Some(&id), &[Event::ProposalOpened(Box::new(opened.clone()))])?;
        self.catch_up();
        Ok(opened)
    }

    /// Requirement ids in the title and the files.
    fn requirements(
        &self,
        title: &str,
        files: &[mi_council::FileRecord],
    ) -> Result<Vec<String>, CouncilError> {
        let mut found = goal_ids(title);
        for file in files {
            let place = self.place.root.join(&file.path);
            let content = fs::read(&place).at("read", &place)?;
            if let Ok(text) = std::str::from_utf8(&content) {
                found.extend(goal_ids(text));
            }
        }
        found.sort();
        found.dedup();
        Ok(found)
    }

    /// Takes a vote; `form.evidence` is filled from `evidence`.
    pub fn vote(
        &mut self,
        id: &str,
        mut form: VoteForm,
        evidence: &[String],
        now: Timestamp,
    ) -> Result<(Brief, Now), CouncilError> {
        let _turn = self.turn()?;
        let mut brief = self.brief(id)?;
        let cited = self.cite(id, evidence)?;
        form.evidence = cited.iter().map(|(citation, _)| citation.clone()).collect();
        let said = form.mitigations.iter_mut().map(|mitigation| &mut mitigation.text);
        harmless(said.chain([&mut form.rationale]).chain(&mut form.scope));
        let world = self.now(&brief.head.paths, now)?;
        let event = brief.head.standing.vote(form, &world, &self.place.aliases)?;
        for content in cited.iter().filter_map(|(_, content)| content.as_ref()) {
            self.store.put(content)?;
        }
        self.publish(id, &mut brief, &[event], now)?;
        self.catch_up();
        Ok((brief, world))
    }

    /// Opens a draft, and asks one more reviewer if one is named.
    pub fn request(
        &mut self,
        id: &str,
        add: Option<(&str, &str)>,
        now: Timestamp,
    ) -> Result<(Brief, Now), CouncilError> {
        let _turn = self.turn()?;
        let mut brief = self.brief(id)?;
        let world = self.now(&brief.head.paths, now)?;
        let standing = &brief.head.standing;
        let mut events: Vec<Event> = Vec::new();
        if let Some((name, role)) = add {
            events.push(standing.add_reviewer(name, role, &world, &self.place.aliases)?);
        }
        events.extend(standing.request(&world)?);
        self.publish(id, &mut brief, &events, now)?;
        Ok((brief, world))
    }

    /// Narrows the scope to some of the files, or to parts of them (`PATH#part`).
    pub fn narrow(
        &mut self,
        id: &str,
        scope: Vec<String>,
        now: Timestamp,
    ) -> Result<(Brief, Now), CouncilError> {
        let _turn = self.turn()?;
        let mut brief = self.brief(id)?;
        let world = self.now(&brief.head.paths, now)?;
        let paths = self.paths_in_scope(&brief, &scope)?;
        let event = brief.head.standing.narrow(scope, paths, &world)?;
        self.publish(id, &mut brief, &[event], now)?;
        let world = self.now(&brief.head.paths, now)?;
        Ok((brief, world))
    }

    /// The paths that a scope names. Votes are void afterwards, so each word must name a part of what is in scope now, and
    /// something must be left out.
    fn paths_in_scope(&self, brief: &Brief, scope: &[String]) -> Result<Vec<String>, CouncilError> {
        let (root, now) = (&self.place.root, &brief.head.paths);
        let files = artefact::read(root, now)?;
        let is_below = |path: &str, folder: &str| {
            path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let (mut paths, mut parts) = (Vec::new(), false);
        for word in scope.iter().filter(|word| !word.trim().is_empty()) {
            // A file may have `#` in its name; only what is no file is split.
            let split = word.split_once('#').filter(|_| !root.join(word).is_file());
            let path = artefact::inside(root, split.map_or(word.as_str(), |(path, _)| path));
            let path = path.ok().filter(|path| {
                let is_inside = now.iter().any(|kept| kept == "." || is_below(path, kept));
                is_inside && files.iter().any(|file| is_below(&file.path, path))
            });
            let Some(path) = path else {
                let problem = format!("`{word}` names no part of the scope, which is {}", now.join(", "));
                return Err(Refusal::forbidden(Rule::Scope, problem).into());
            };
            parts |= split.is_some_and(|(_, part)| !part.trim().is_empty());
            paths.push(path);
        }
        if !paths.is_empty() && !parts && artefact::read(root, &paths)?.len() == files.len() {
            return Err(Refusal::forbidden(Rule::Scope, "this leaves nothing out of the scope").into());
        }
        Ok(paths)
    }

    /// Writes down a decision.
    pub fn decide(
        &mut self,
        mut form: RecordForm,
        cites: &[String],
        now: Timestamp,
    ) -> Result<DecisionRecord, CouncilError> {
        let _turn = self.turn()?;
        let about = form.proposal.as_deref().map(|id| self.proposal(id)).transpose()?;
        let task = form.proposal.clone().unwrap_or_else(|| "decisions".to_owned());
        let cited = self.cite(&task, cites)?;
        form.cites = cited.iter().map(|(citation, _)| citation.clone()).collect();
        let beat = about.as_ref().map_or(beat_at(now), |proposal| proposal.standing.beat_at(beat_at(now)));
        if let Some(proposal) = &about {
            form.tasks = crate::follow_up::tasks(&form.kind, proposal, beat);
        }
        let superseded = form.supersedes.map(|number| self.in_force(number)).transpose()?;
        let number = RecordNumber(self.last_number("decision_recorded", "number", "")? + 1);
        let said = [&mut form.rule, &mut form.rollback].into_iter().flatten();
        harmless(said.chain([&mut form.title, &mut form.text]));
        let standing = about.as_ref().map(|proposal| &proposal.standing);
        let record = form.read(number, beat, standing, &self.place.aliases)?;
        for content in cited.iter().filter_map(|(_, content)| content.as_ref()) {
            self.store.put(content)?;
        }
        self.store.put(&serde_json::to_vec(&record).unwrap_or_default())?;
        self.write(now, record.proposal.as_deref(), &[Event::DecisionRecorded(Box::new(record.clone()))])?;
        if let Some(old) = superseded {
            let event = Event::DecisionSuperseded { beat, number: old.number, by: record.number };
            self.write(now, old.proposal.as_deref(), &[event])?;
        }
        Ok(record)
    }

    /// One decision by its number; one that another took the place of is refused.
    fn in_force(&self, number: RecordNumber) -> Result<DecisionRecord, CouncilError> {
        match self.decisions()?.into_iter().find(|(record, _)| record.number == number) {
            Some((record, None)) => Ok(record),
            Some((_, Some(by))) => Err(Refusal::forbidden(
                Rule::Record,
                format!("{number} was superseded by {by} already; supersede that one"),
            )
            .into()),
            None => {
                Err(CouncilError::Unknown { what: "decision", id: number.to_string(), list: "mi dr list" })
            }
        }
    }

    /// Ends a proposal after its delivery.
    pub fn close(
        &mut self,
        id: &str,
        outcome: Closing,
        why: &str,
        now: Timestamp,
    ) -> Result<(Brief, Now), CouncilError> {
        let _turn = self.turn()?;
        let mut brief = self.brief(id)?;
        let world = self.now(&brief.head.paths, now)?;
        let event = brief.head.standing.close_delivery(outcome, &mi_secrets::redact(why), &world)?;
        self.publish(id, &mut brief, &[event], now)?;
        Ok((brief, world))
    }

    fn publish(
        &mut self,
        id: &str,
        brief: &mut Brief,
        events: &[Event],
        now: Timestamp,
    ) -> Result<(), CouncilError> {
        if !events.is_empty() {
            self.write(now, Some(id), events)?;
            events.iter().for_each(|event| brief.apply(event, &self.place.aliases));
            self.checkpoints().renew(&self.bus, id, &self.place.aliases);
        }
        self.reopen_items(brief)
    }

    /// Every decision, oldest first, and by which other each was superseded.
    pub fn decisions(&self) -> Result<Vec<(DecisionRecord, Option<RecordNumber>)>, CouncilError> {
        let mut found: BTreeMap<RecordNumber, (DecisionRecord, Option<RecordNumber>)> = BTreeMap::new();
        for event in
            self.newest_events(&["decision_recorded", "decision_superseded"], usize::MAX)?.into_iter().rev()
        {
            match event {
                Event::DecisionRecorded(record) => {
                    // It says so itself, should the other half have been lost in a crash.
                    if let Some((_, superseded)) = record.supersedes.and_then(|old| found.get_mut(&old)) {
                        *superseded = Some(record.number);
                    }
                    found.insert(record.number, (*record, None));
                }
                Event::DecisionSuperseded { number, by, .. } => {
                    if let Some((_, superseded)) = found.get_mut(&number) {
                        *superseded = Some(by);
                    }
                }
                _ => {}
            }
        }
        Ok(found.into_values().collect())
    }

    /// The newest events of some kinds, newest first.
    pub fn newest_events(&self, kinds: &[&str], most: usize) -> Result<Vec<Event>, CouncilError> {
        let lines = self.newest_lines(kinds, most)?;
        let mut events = Vec::new();
        for line in &lines {
            events.extend(self.bus.read(line)?);
        }
        Ok(events)
    }

    pub(crate) fn newest_lines(&self, kinds: &[&str], most: usize) -> Result<Vec<Line>, CouncilError> {
        self.trust_log()?;
        let view = LogView::open(&self.bus.place().log)?;
        let query = Query { kinds: kinds.iter().map(|&kind| kind.to_owned()).collect(), ..Query::default() };
        Ok(view.newest(&query)?.take(most).collect::<Result<_, _>>()?)
    }

    /// What was handed over: the proposal and its submission, newest first.
    pub fn deliveries(&self, most: usize) -> Result<Vec<(String, Submission)>, CouncilError> {
        let mut found = Vec::new();
        for line in self.newest_lines(&["delivery_submitted"], most)? {
            let proposal = line.frame().and_then(|frame| frame.run_id().map(str::to_owned));
            if let (Some(proposal), Some(Event::DeliverySubmitted(submission))) =
                (proposal, self.bus.read(&line)?)
            {
                found.push((proposal, *submission));
            }
        }
        Ok(found)
    }

    /// The newest proposals, newest first.
    pub fn newest(&self, most: usize) -> Result<Vec<Opened>, CouncilError> {
        let opened =
            self.newest_events(&["proposal_opened"], most)?.into_iter().filter_map(|event| match event {
                Event::ProposalOpened(opened) => Some(*opened),
                _ => None,
            });
        Ok(opened.collect())
    }

    /// The highest number that a field of a kind of record has had.
    pub(crate) fn last_number(&self, kind: &str, field: &str, prefix: &str) -> Result<u64, CouncilError> {
        let view = LogView::open(&self.bus.place().log)?;
        let query = Query { kinds: vec![kind.to_owned()], ..Query::default() };
        let Some(line) = view.newest(&query)?.next().transpose()? else { return Ok(0) };
        let value = line.object().and_then(|object| object.get(field).cloned()).unwrap_or_default();
        let number = match &value {
            Value::Number(number) => number.as_u64(),
            Value::String(text) => text.strip_prefix(prefix).and_then(|digits| digits.parse().ok()),
            _ => None,
        };
        number.ok_or_else(|| CouncilError::Damaged {
            path: self.bus.place().log.clone(),
            problem: format!("the newest {kind} has no {field}"),
        })
    }

    /// Checks the chain of the council's log.
    pub fn verify(&self) -> Result<VerifyReport, CouncilError> {
        Ok(verify_place(&self.place.layout, self.bus.place())?)
    }

    /// Brings the log's index nearer, for the next command's sake.
    fn catch_up(&self) {
        if let Ok(mut view) = LogView::open(&self.bus.place().log) {
            let _ = view.catch_up(2);
        }
    }

    /// The proposal that a tool names: by its id, else by its title or path: the newest open one, else the newest.
    pub fn find(&self, artifact: &str) -> Result<String, CouncilError> {
        if artifact.starts_with("P-") {
            return self.brief(artifact).map(|brief| brief.head.id);
        }
        let is_meant =
            |opened: &Opened| opened.title == artifact || opened.paths.iter().any(|path| path == artifact);
        let named: Vec<Opened> = self.newest(usize::MAX)?.into_iter().filter(is_meant).collect();
        for opened in &named {
            if self.is_open(&self.brief(&opened.id)?) {
                return Ok(opened.id.clone());
            }
        }
        named.into_iter().next().map(|opened| opened.id).ok_or_else(|| unknown_proposal(artifact))
    }

    /// Whether a proposal still waits for something.
    pub fn is_open(&self, brief: &Brief) -> bool {
        matches!(brief.head.standing.stage, Stage::Draft | Stage::Review)
    }

    /// The phase of a proposal now, for lists.
    pub fn phase(&self, id: &str, now: Timestamp) -> Result<Phase, CouncilError> {
        let brief = self.brief(id)?;
        let world = self.now(&brief.head.paths, now)?;
        Ok(brief.head.standing.phase(&world))
    }
}

fn unknown_proposal(id: &str) -> CouncilError {
    CouncilError::Unknown { what: "proposal", id: id.to_owned(), list: "mi review status" }
}

/// The project's folder, as addresses are made from it.
pub fn canonical(root: &Path) -> Result<PathBuf, CouncilError> {
    fs::canonicalize(root).at("open the project folder", root)
}

/// What somebody writes stands in the log for good and leaves the machine with the packet: without secrets.
fn harmless<'a>(texts: impl IntoIterator<Item = &'a mut String>) {
    for text in texts {
        *text = mi_secrets::redact(text).into_owned();
    }
}
