//! One project as `mi` knows it: its folder, its files under the home, and the mind that is set on it.

use mi_journal::{
    FileError, JournalError, Layout, ProjectLayout, Repair, RunHolder, RunLock, learned::in_force,
    repair_torn_tail,
};
use mi_model::{LearnedRule, LearnedScope, MindSpec, ProjectId, ProjectOverlay, TestlessStrategy};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// A project and where its files are.
#[derive(Debug, Clone)]
pub struct Project {
    pub root: PathBuf,
    pub id: ProjectId,
    pub layout: Layout,
    pub files: ProjectLayout,
}

/// What the person values, as it holds in one project.
#[derive(Debug, Clone, PartialEq)]
pub struct Mindset {
    pub mind: MindSpec,
    pub learned: Vec<LearnedRule>,
    pub overlay: ProjectOverlay,
    /// What had to be set aside or passed over to read this.
    pub notes: Vec<String>,
}

/// Why a project could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenProjectError {
    #[error("open the project folder `{}`; give an existing folder with --cd", path.display())]
    Folder { path: PathBuf, source: io::Error },
    #[error("the project folder `{}` is a file; give its folder with --cd", path.display())]
    NotAFolder { path: PathBuf },
}

impl Project {
    /// The project at `folder`; writes nothing.
    pub fn open(home: &Path, folder: &Path) -> Result<Self, OpenProjectError> {
        let fail = |source| OpenProjectError::Folder { path: folder.to_owned(), source };
        let root = fs::canonicalize(folder).map_err(fail)?;
        if !root.is_dir() {
            return Err(OpenProjectError::NotAFolder { path: folder.to_owned() });
        }
        let id = ProjectId::of_root(&root.to_string_lossy());
        let layout = Layout::new(home);
        let files = layout.project(&id);
        Ok(Self { root, id, layout, files })
    }

    /// The values, rules and overlay that hold here. Corrupt files are set aside and said in the notes.
    pub fn mindset(&self) -> Result<Mindset, FileError> {
        let mut notes = Vec::new();
        let (mind, repair) = self.layout.base().load_or_default()?;
        notes.extend(repair.map(|repair| repair.to_string()));
        let unread = mind.extra.keys();
        notes.extend(
            unread
                .map(|name| format!("base.json: `{name}` is no field that mi reads; models are told of it")),
        );
        let (mut overlay, repair) = self.files.overlay().load_or_default()?;
        notes.extend(repair.map(|repair| repair.to_string()));
        overlay.project_id = self.id.to_string();
        overlay.root_path = self.root.to_string_lossy().into_owned();
        let mut learned = Vec::new();
        let logs = [
            (self.layout.global_learned(), LearnedScope::Global),
            (self.files.learned(), LearnedScope::Project),
        ];
        for (place, scope) in logs {
            notes.extend(repair_torn_tail(&place.log)?.map(|repair| repair.to_string()));
            let rules = in_force(&place.log, scope)?;
            learned.extend(rules.rules);
            notes.extend(rules.notes);
        }
        notes.extend(self.repair_transcripts()?.iter().map(ToString::to_string));
        Ok(Mindset { mind, learned, overlay, notes })
    }

    /// Sets aside the half line that a killed run or a full disk left at the end of the newest transcripts. While a run is
    /// open it writes them itself.
    pub fn repair_transcripts(&self) -> Result<Vec<Repair>, FileError> {
        if self.holder()?.is_some() {
            return Ok(Vec::new());
        }
        let folders = [self.files.hands_transcripts(), self.files.mind_transcripts()];
        let newest = folders.iter().filter_map(|folder| ProjectLayout::transcripts(folder).max());
        newest.filter_map(|path| repair_torn_tail(&path).transpose()).collect()
    }

    /// Remembers how this project is checked; asked once, kept for good.
    pub fn save_strategy(&self, strategy: &str) -> Result<(), JournalError> {
        let (mut overlay, _) = self.files.overlay().load_or_default()?;
        overlay.project_id = self.id.to_string();
        overlay.root_path = self.root.to_string_lossy().into_owned();
        overlay.testless_verification_strategy = Some(TestlessStrategy {
            chosen_once: true,
            strategy: strategy.to_owned(),
            rationale: "the person's answer".to_owned(),
        });
        self.files.overlay().replace(&overlay)
    }

    /// Who runs in this project now, if anybody.
    pub fn holder(&self) -> Result<Option<RunHolder>, FileError> {
        RunLock::holder(&self.files.run_lock())
    }
}

impl Mindset {
    /// How the project is checked, if the person said so.
    pub fn strategy(&self) -> Option<String> {
        let chosen = self.overlay.testless_verification_strategy.as_ref()?;
        if !self.mind.verification.remembers_strategy() {
            return None;
        }
        (chosen.chosen_once && !chosen.strategy.trim().is_empty()).then(|| chosen.strategy.clone())
    }
}
