//! Handoffs on the disk: `handoffs/YYYY-MM/ID.md`, one file each, kept for ever.

use jiff::civil::Date;

use crate::{
    AccessError, Persona, Problem,
    front::FrontError,
    handoff::{Answer, Handoff, Refusal, State},
};

/// Why a handoff was not written.
#[derive(Debug, thiserror::Error)]
pub enum HandoffError {
    #[error(transparent)]
    Access(#[from] AccessError),
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error("there is no handoff {0}; `mi handoff list` shows those that there are")]
    Unknown(String),
    #[error("`{path}`, {source}; correct its front matter")]
    Front { path: String, source: FrontError },
    #[error(
        "the handoff holds a secret, which goes into no memory file (D.10); take it out and replace the credential"
    )]
    Secret,
}

impl Persona {
    /// Writes a new handoff; its id, state and day are set here.
    pub fn new_handoff(&self, draft: Handoff, today: Date) -> Result<(Handoff, String), HandoffError> {
        draft.check()?;
        let lock = self.lock()?;
        let month = format!("handoffs/{:04}-{:02}", today.year(), today.month());
        let known = self.handoff_files()?;
        let taken = |id: &str| known.iter().any(|path| path.ends_with(&format!("/{id}.md")));
        let id = (1..).map(|number| format!("HO-{today}-{number}")).find(|id| !taken(id)).unwrap_or_default();
        let handoff = Handoff { id, status: State::Offered, created: today.to_string(), ..draft };
        let text = handoff.render();
        if mi_secrets::contains_secret(&text) {
            return Err(HandoffError::Secret);
        }
        let path = format!("{month}/{}.md", handoff.id);
        self.replace(&lock, &path, text.as_bytes())?;
        Ok((handoff, path))
    }

    /// The receiver's answer.
    pub fn answer_handoff(
        &self,
        id: &str,
        by: &str,
        answer: &Answer,
    ) -> Result<(Handoff, String), HandoffError> {
        let lock = self.lock()?;
        let (handoff, path, text) = self.find_handoff(id)?;
        let after = handoff.answer(by, answer)?;
        let text =
            after.update(&text).map_err(|source| HandoffError::Front { path: path.clone(), source })?;
        if mi_secrets::contains_secret(&text) {
            return Err(HandoffError::Secret);
        }
        self.replace(&lock, &path, text.as_bytes())?;
        Ok((after, path))
    }

    /// One handoff with its file.
    pub fn find_handoff(&self, id: &str) -> Result<(Handoff, String, String), HandoffError> {
        let ending = format!("/{id}.md");
        let found =
            self.handoff_files()?.into_iter().find(|path| path.ends_with(&ending) && !id.contains('/'));
        let path = found.ok_or_else(|| HandoffError::Unknown(id.to_owned()))?;
        let text = self.read(&path)?.ok_or_else(|| HandoffError::Unknown(id.to_owned()))?;
        let handoff =
            Handoff::parse(&text).map_err(|source| HandoffError::Front { path: path.clone(), source })?;
        Ok((handoff, path, text))
    }

    /// All handoffs that can be read, oldest first.
    pub fn handoffs(&self) -> Result<Vec<Handoff>, AccessError> {
        let mut problems = Vec::new();
        self.handoffs_with(&mut problems)
    }

    /// The same, and what could not be read.
    pub fn handoffs_with(&self, problems: &mut Vec<Problem>) -> Result<Vec<Handoff>, AccessError> {
        let mut found = Vec::new();
        for path in self.handoff_files()? {
            // One file that cannot be read takes nothing else with it.
            let text = match self.read(&path) {
                Ok(text) => text.unwrap_or_default(),
                Err(error) => {
                    problems.push(Problem::new(&path, error));
                    continue;
                }
            };
            match Handoff::parse(&text) {
                Ok(handoff) => found.push(handoff),
                Err(error) => problems.push(Problem::front(&path, &error)),
            }
        }
        Ok(found)
    }

    fn handoff_files(&self) -> Result<Vec<String>, AccessError> {
        let mut ignored = Vec::new();
        let files = self.files_below("handoffs", &mut ignored)?;
        let mut files: Vec<String> = files.into_iter().filter(|path| path.ends_with(".md")).collect();
        files.sort_by_key(|path| age(path));
        Ok(files)
    }
}

/// The day, then the number on that day: the tenth is younger than the second.
fn age(path: &str) -> (String, u64, String) {
    let stem = path.strip_suffix(".md").unwrap_or(path);
    let (day, number) = stem.rsplit_once('-').unwrap_or((stem, ""));
    (day.to_owned(), number.parse().unwrap_or(u64::MAX), path.to_owned())
}
