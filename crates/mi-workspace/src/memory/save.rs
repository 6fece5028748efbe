//! Keeps a lesson: checks its name, asks whether it belongs here, prefers extending a note to making another one.
//!
//! Holds: an existing text is never overwritten, only added to; saving the same text twice changes nothing; where a note
//! overlaps nothing is written before somebody decided (NX-332); the whole change is made under the project's lock.

use serde::Serialize;
use std::path::PathBuf;

use super::{
    admission::{Objection, objections},
    files::{Note, read_notes, split_tags},
    name::{MemoryName, NameError, topic_words},
    overlap::{Overlap, overlapping},
};
use crate::{FileError, Folder, OutsideError, Store};

/// A lesson to keep.
#[derive(Debug, Clone, Default)]
pub struct SaveRequest {
    /// With or without `.md`.
    pub name: String,
    /// Markdown; a first line `<!-- tags: a, b -->` gives tags as well.
    pub text: String,
    pub tags: Vec<String>,
    /// Put before the name unless it stands there.
    pub category: Option<String>,
    pub decision: Decision,
    /// Overrides objections that can be wrong; never those to secrets.
    pub force: bool,
    /// Categories of this project besides the contract's three.
    pub categories: Vec<String>,
}

/// What to do when notes on the same topic exist.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Decision {
    /// Create if nothing overlaps; otherwise show what would be extended and write nothing.
    #[default]
    Ask,
    /// Show what would happen and write nothing.
    Preview,
    /// Do what the preview proposes.
    Accept,
    /// Extend this note, or the one that overlaps most.
    Merge(Option<String>),
    /// Create a note of its own.
    New,
}

/// What was done, or would be.
#[derive(Debug, Clone, Serialize)]
pub struct SaveResult {
    /// Whether a file was written.
    pub saved: bool,
    pub action: Action,
    /// The note that was or would be written.
    pub name: String,
    pub path: PathBuf,
    /// Notes on the same topic, the most alike first.
    pub overlaps: Vec<Overlap>,
    /// Objections that were overridden.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub forced: Vec<Objection>,
    /// The whole text of the note after the change.
    pub result: String,
    /// What to decide, when nothing was written for want of a decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decide: Option<&'static str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    Create,
    Merge,
    /// The text stands in the note already.
    Unchanged,
}

/// Why nothing was saved.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    #[error(transparent)]
    Name(#[from] NameError),
    #[error("not a memory: {}", told(.0))]
    NotAdmitted(Vec<Objection>),
    #[error("`{name}` exists already and is never overwritten: merge into it, or give another name")]
    Taken { name: String },
    #[error("there is no note `{name}` to merge into; `mi memory list` has them all")]
    NoTarget { name: String },
    #[error("no note overlaps with `{name}`: name one to merge into, or create it")]
    NothingToMerge { name: String },
    #[error("`{}` cannot be extended: {reason}; mend the file first", path.display())]
    Unreadable { path: PathBuf, reason: &'static str },
    #[error(transparent)]
    Outside(#[from] OutsideError),
    #[error(transparent)]
    File(#[from] FileError),
}

const DECIDE: &str = "notes on the same topic exist: merge into one of them, or create a new note";

/// Saves a lesson, or shows what saving would do.
pub fn save(store: &Store, request: &SaveRequest) -> Result<SaveResult, SaveError> {
    let name = MemoryName::new(&with_category(request), &more_categories(request))?;
    let against = objections(&name, &request.text, store.layout().project());
    let forced = admitted(against, request.force)?;
    if request.decision == Decision::Preview {
        let plan = plan(store, request, &name)?;
        return Ok(plan.result(false, forced));
    }
    let lock = store.lock()?;
    let plan = plan(store, request, &name)?;
    let is_decided = match (&request.decision, plan.action) {
        (Decision::Ask, Action::Merge) => false,
        (Decision::Preview, _) | (_, Action::Unchanged) => false,
        (Decision::Ask | Decision::Accept | Decision::Merge(_) | Decision::New, _) => true,
    };
    if is_decided {
        store.replace(&lock, &plan.path, plan.text.as_bytes())?;
    }
    Ok(plan.result(is_decided, forced))
}

/// What would be written where.
struct Plan {
    action: Action,
    name: String,
    path: PathBuf,
    overlaps: Vec<Overlap>,
    text: String,
}

impl Plan {
    fn result(self, saved: bool, forced: Vec<Objection>) -> SaveResult {
        let Self { action, name, path, overlaps, text } = self;
        let decide = (!saved && action == Action::Merge).then_some(DECIDE);
        SaveResult { saved, action, name, path, overlaps, forced, result: text, decide }
    }
}

fn plan(store: &Store, request: &SaveRequest, name: &MemoryName) -> Result<Plan, SaveError> {
    let layout = store.layout();
    let folder = Folder::new(layout.project(), &layout.memory());
    folder.place(name.file())?;
    let notes = read_notes(&layout.memory())?.notes;
    let categories = more_categories(request);
    let overlaps = overlapping(name.file(), &request.text, &notes, &categories);
    let target = target(request, name, &overlaps)?;
    let path = folder.place(&target)?;
    let (mut tags, body) = split_tags(&request.text);
    tags.extend(request.tags.iter().map(|tag| tag.trim().to_owned()).filter(|tag| !tag.is_empty()));
    let existing = notes.iter().find(|note| note.name == target);
    let (action, text) = match existing {
        None if matches!(request.decision, Decision::Merge(Some(_))) && !path.exists() => {
            return Err(SaveError::NoTarget { name: target });
        }
        None if path.exists() => return Err(unreadable(path, "it is no readable file")),
        None => (Action::Create, joined(&tags, body.trim())),
        Some(_) if request.decision == Decision::New => return Err(SaveError::Taken { name: target }),
        Some(note) => extended(note, name, &tags, body)?,
    };
    Ok(Plan { action, name: target, path, overlaps, text })
}

/// The file that is created or extended.
fn target(request: &SaveRequest, name: &MemoryName, overlaps: &[Overlap]) -> Result<String, SaveError> {
    let nearest = overlaps.first().map(|overlap| overlap.name.clone());
    match &request.decision {
        Decision::New => Ok(name.file().to_owned()),
        Decision::Ask | Decision::Preview | Decision::Accept => {
            Ok(nearest.unwrap_or_else(|| name.file().to_owned()))
        }
        Decision::Merge(None) => nearest.ok_or_else(|| SaveError::NothingToMerge { name: name.to_string() }),
        Decision::Merge(Some(target)) => Ok(with_ending(target)),
    }
}

/// The note with the new text as a section of its own; `Unchanged` if it stands there.
fn extended(
    note: &Note,
    name: &MemoryName,
    tags: &[String],
    body: &str,
) -> Result<(Action, String), SaveError> {
    if note.text.contains('\u{fffd}') {
        return Err(unreadable(note.path.clone(), "it is not UTF-8"));
    }
    if note.bytes != note.text.len() as u64 {
        return Err(unreadable(note.path.clone(), "it is too large for a note"));
    }
    let (known_tags, known) = split_tags(&note.text);
    let mut all_tags = known_tags.clone();
    for tag in tags {
        if !all_tags.contains(tag) {
            all_tags.push(tag.clone());
        }
    }
    if has(known, body) {
        let is_same = all_tags == known_tags;
        let text = if is_same { note.text.clone() } else { joined(&all_tags, known.trim_end()) };
        return Ok((if is_same { Action::Unchanged } else { Action::Merge }, text));
    }
    let heading = heading(note, name, body);
    let text = format!("{}\n\n{heading}{}", known.trim_end(), body.trim());
    Ok((Action::Merge, joined(&all_tags, text.trim_start_matches('\n'))))
}

/// The text of a note with that of another one added.
pub(crate) fn merged(into: &Note, from: &Note) -> Result<String, SaveError> {
    let name = MemoryName::unchecked(&from.name);
    let (tags, body) = split_tags(&from.text);
    extended(from, &name, &[], body)?;
    Ok(extended(into, &name, &tags, body)?.1)
}

/// A heading for the new section, unless it brings one or is about the file's own topic.
fn heading(note: &Note, name: &MemoryName, body: &str) -> String {
    let has_own = body.trim_start().starts_with('#');
    let same_topic = topic_words(&note.name, name.category()) == name.topic() || note.name == name.file();
    if has_own || same_topic {
        return String::new();
    }
    let mut topic = name.topic();
    if let Some(first) = topic.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    format!("## {topic}\n\n")
}

/// Whether all lines of a text stand in another one, in their order and without others between.
fn has(known: &str, text: &str) -> bool {
    fn lines(text: &str) -> Vec<&str> {
        text.lines().map(|line| line.trim_start_matches('#').trim()).filter(|line| !line.is_empty()).collect()
    }
    let (known, wanted) = (lines(known), lines(text));
    !wanted.is_empty() && known.windows(wanted.len()).any(|window| window == wanted)
}

fn joined(tags: &[String], body: &str) -> String {
    let tags = if tags.is_empty() { String::new() } else { format!("<!-- tags: {} -->\n", tags.join(", ")) };
    format!("{tags}{body}\n")
}

fn admitted(objections: Vec<Objection>, force: bool) -> Result<Vec<Objection>, SaveError> {
    let is_refused = |objection: &Objection| !(force && objection.can_be_forced);
    if objections.iter().any(is_refused) { Err(SaveError::NotAdmitted(objections)) } else { Ok(objections) }
}

fn told(objections: &[Objection]) -> String {
    let told = objections.iter().map(|objection| format!("{} ({})", objection.reason, objection.rule));
    told.collect::<Vec<_>>().join("; ")
}

fn unreadable(path: PathBuf, reason: &'static str) -> SaveError {
    SaveError::Unreadable { path, reason }
}

fn with_category(request: &SaveRequest) -> String {
    match &request.category {
        Some(category) if !request.name.starts_with(&format!("{category}-")) => {
            format!("{category}-{}", request.name)
        }
        _ => request.name.clone(),
    }
}

fn more_categories(request: &SaveRequest) -> Vec<String> {
    request.categories.iter().chain(&request.category).cloned().collect()
}

fn with_ending(name: &str) -> String {
    if name.ends_with(".md") { name.to_owned() } else { format!("{name}.md") }
}

#[cfg(test)]
mod tests {
    use super::{Action, Decision, SaveError, SaveRequest, save};
    use crate::{Layout, Store};
    use std::{fs, os::unix::fs::symlink};

    struct Scene {
        _folder: tempfile::TempDir,
        store: Store,
    }

    impl Scene {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let store = Store::new(Layout::new(folder.path()));
            Self { _folder: folder, store }
        }

        fn save(&self, name: &str, text: &str, decision: Decision) -> Result<super::SaveResult, SaveError> {
            let request = SaveRequest {
                name: name.to_owned(),
                text: text.to_owned(),
                decision,
                ..SaveRequest::default()
            };
            save(&self.store, &request)
        }

        fn read(&self, name: &str) -> String {
            fs::read_to_string(self.store.layout().memory().join(name)).unwrap()
        }

        fn names(&self) -> Vec<String> {
            let Ok(entries) = fs::read_dir(self.store.layout().memory()) else { return Vec::new() };
            let mut names: Vec<String> =
                entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names
        }
    }

    const FIRST: &str = "Take the plan lock before the task lock, or two servers deadlock.";

    /// A lesson on a new topic becomes a file; the same text again changes nothing, byte by byte.
    #[test]
    fn nx_280_a_new_topic_is_created_once() {
        let scene = Scene::new();
        let made = scene.save("empirical-lock-order", FIRST, Decision::Ask).unwrap();
        assert_eq!((made.saved, made.action), (true, Action::Create));
        assert_eq!(scene.read("empirical-lock-order.md"), format!("{FIRST}\n"));
        for decision in [Decision::Ask, Decision::Accept, Decision::Merge(None)] {
            let again = scene.save("empirical-lock-order.md", FIRST, decision).unwrap();
            assert_eq!((again.saved, again.action), (false, Action::Unchanged));
        }
        assert_eq!(scene.read("empirical-lock-order.md"), format!("{FIRST}\n"));
        assert_eq!(scene.names(), ["empirical-lock-order.md"]);
    }

    /// Where a note overlaps, nothing is written until somebody decides; the preview shows the file and its result.
    #[test]
    fn nx_332_merge_comes_before_create() {
        let scene = Scene::new();
        scene.save("empirical-lock-order", FIRST, Decision::Ask).unwrap();
        let second = "Readers need no lock at all when the plan lock is taken before the task lock.";
        let shown = scene.save("empirical-lock-readers", second, Decision::Ask).unwrap();
        assert_eq!(
            (shown.saved, shown.action, shown.name.as_str()),
            (false, Action::Merge, "empirical-lock-order.md")
        );
        assert!(shown.decide.is_some() && shown.overlaps[0].overlap >= 0.5);
        assert_eq!(scene.read("empirical-lock-order.md"), format!("{FIRST}\n"));
        let merged = scene.save("empirical-lock-readers", second, Decision::Accept).unwrap();
        assert!(merged.saved);
        let text = format!("{FIRST}\n\n## Lock readers\n\n{second}\n");
        assert_eq!((scene.read("empirical-lock-order.md"), shown.result), (text.clone(), text));
        assert_eq!(scene.names(), ["empirical-lock-order.md"]);
        scene.save("empirical-lock-readers", second, Decision::New).unwrap();
        assert_eq!(scene.names(), ["empirical-lock-order.md", "empirical-lock-readers.md"]);
    }

    /// A preview writes nothing, not even the folder.
    #[test]
    fn nx_332_a_preview_writes_nothing() {
        let scene = Scene::new();
        let shown = scene.save("lock-order", FIRST, Decision::Preview).unwrap();
        assert_eq!((shown.saved, shown.action), (false, Action::Create));
        assert!(!scene.store.layout().nexus().exists());
    }

    /// An existing file is never overwritten, whatever is decided.
    #[test]
    fn nx_332_nothing_is_overwritten() {
        let scene = Scene::new();
        scene.save("lock-order", FIRST, Decision::Ask).unwrap();
        let refused = scene.save("lock-order", "Another text.", Decision::New).unwrap_err();
        assert!(matches!(refused, SaveError::Taken { .. }), "{refused}");
        scene.save("lock-order", "Another text.", Decision::Accept).unwrap();
        assert_eq!(scene.read("lock-order.md"), format!("{FIRST}\n\nAnother text.\n"));
    }

    /// Tags of both are kept on the first line.
    #[test]
    fn nx_147_tags_are_joined() {
        let scene = Scene::new();
        let request = SaveRequest {
            name: "lock-order".to_owned(),
            text: format!("<!-- tags: a -->\n{FIRST}"),
            tags: vec!["b".to_owned()],
            ..SaveRequest::default()
        };
        save(&scene.store, &request).unwrap();
        assert_eq!(scene.read("lock-order.md"), format!("<!-- tags: a, b -->\n{FIRST}\n"));
        let more =
            SaveRequest { tags: vec!["c".to_owned(), "a".to_owned()], decision: Decision::Accept, ..request };
        save(&scene.store, &more).unwrap();
        assert_eq!(scene.read("lock-order.md"), format!("<!-- tags: a, b, c -->\n{FIRST}\n"));
    }

    /// A category is put before the name once, also one that only this project has.
    #[test]
    fn nx_329_a_category_becomes_a_prefix() {
        let scene = Scene::new();
        for (name, category, file) in [
            ("lock-order", "empirical", "empirical-lock-order.md"),
            ("pattern-night-shift", "pattern", "pattern-night-shift.md"),
            ("backup-window", "ops", "ops-backup-window.md"),
        ] {
            let request = SaveRequest {
                name: name.to_owned(),
                text: format!("About {name}."),
                category: Some(category.to_owned()),
                decision: Decision::New,
                ..SaveRequest::default()
            };
            assert_eq!(save(&scene.store, &request).unwrap().name, file);
        }
    }

    /// What is no memory is refused with the reasons; force overrides all but secrets; refusals write nothing.
    #[test]
    fn nx_331_force_overrides_all_but_secrets() {
        let scene = Scene::new();
        let links = "https://a.example/x\nhttps://b.example/y";
        let token = format!("ghp_{}", "a1B2".repeat(9));
        let request = |text: &str, force| SaveRequest {
            name: "lock-order".to_owned(),
            text: text.to_owned(),
            force,
            ..SaveRequest::default()
        };
        assert!(matches!(save(&scene.store, &request(links, false)), Err(SaveError::NotAdmitted(_))));
        assert!(matches!(save(&scene.store, &request(&token, true)), Err(SaveError::NotAdmitted(_))));
        assert!(!scene.store.layout().memory().exists());
        let forced = save(&scene.store, &request(links, true)).unwrap();
        assert_eq!((forced.saved, forced.forced[0].rule), (true, "links"));
    }

    /// No link is written through, neither a file nor the folder.
    #[test]
    fn links_are_refused() {
        let scene = Scene::new();
        let memory = scene.store.layout().memory();
        fs::create_dir_all(&memory).unwrap();
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("x.md"), "theirs").unwrap();
        symlink(outside.path().join("x.md"), memory.join("lock-order.md")).unwrap();
        for decision in
            [Decision::Ask, Decision::New, Decision::Accept, Decision::Merge(Some("lock-order".to_owned()))]
        {
            assert!(scene.save("lock-order", FIRST, decision).is_err());
        }
        assert!(scene.save("other-thing", FIRST, Decision::Merge(Some("../../x".to_owned()))).is_err());
        fs::remove_dir_all(&memory).unwrap();
        symlink(outside.path(), &memory).unwrap();
        assert!(scene.save("lock-order", FIRST, Decision::New).is_err());
        assert_eq!(fs::read_to_string(outside.path().join("x.md")).unwrap(), "theirs");
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
    }

    /// A note that is not text is left alone.
    #[test]
    fn a_broken_note_is_not_extended() {
        let scene = Scene::new();
        let memory = scene.store.layout().memory();
        fs::create_dir_all(memory.join("some-folder.md")).unwrap();
        fs::write(memory.join("lock-order.md"), b"bad \xff").unwrap();
        for name in ["lock-order", "some-folder"] {
            let error = scene.save(name, FIRST, Decision::Accept).unwrap_err();
            assert!(matches!(error, SaveError::Unreadable { .. }), "{error}");
        }
        assert_eq!(fs::read(memory.join("lock-order.md")).unwrap(), b"bad \xff");
        let missing = scene.save("other-thing", "New.", Decision::Merge(Some("nowhere-to-go".to_owned())));
        assert!(matches!(missing, Err(SaveError::NoTarget { .. })));
    }

    /// Two threads that save different lessons at once both find theirs kept.
    #[test]
    fn concurrent_saves_lose_nothing() {
        let scene = Scene::new();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let scene = &scene;
                scope.spawn(move || {
                    for index in 0..10 {
                        let text = format!("Lesson {thread} {index}.");
                        scene.save("lock-order", &text, Decision::Accept).unwrap();
                    }
                });
            }
        });
        let text = scene.read("lock-order.md");
        for thread in 0..4 {
            for index in 0..10 {
                assert!(text.contains(&format!("Lesson {thread} {index}.")));
            }
        }
    }
}
