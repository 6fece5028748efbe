//! One search over all memories, in any language, best first; every hit says which memory it comes from.
//!
//! There is no index: the files themselves are read at every search, so a hit can never be of yesterday and there is
//! nothing to rebuild. Reading is one pass (1,000 notes and 100,000 cycles take well under a second, see
//! `docs/design/memory.md`), and its memory does not grow with the length of the history.
//! Elsewhere: what a person taught lies in the journal, which `mi` reads and passes in as [`Document`]s.

mod history;
mod needles;
mod query;
mod rank;
mod snippet;
mod source;
#[cfg(test)]
mod tests;

use serde::Serialize;
use std::path::Path;

use self::{history::CyclePlace, query::Query, rank::Ranking, snippet::snippet};
use super::{
    cycles::{Reading, Snapshot},
    files::{LARGEST, Note, read_notes, split_tags, title},
    name::topic_words,
};
use crate::{FileError, Layout, Store, error::AtPath};

pub(crate) use query::EMPTY as EMPTY_WORDS;
pub use source::Source;

/// What to look for.
#[derive(Debug, Clone)]
pub struct SearchRequest {
    pub query: String,
    /// At most this many hits.
    pub limit: usize,
    /// Where to look; empty is everywhere.
    pub sources: Vec<Source>,
}

/// A text from outside of `.nexus/` that is searched as well.
#[derive(Debug, Clone)]
pub struct Document {
    pub source: Source,
    /// What a person calls it: a rule's id, a card's name.
    pub name: String,
    /// Where it is kept, for people.
    pub place: String,
    pub text: String,
}

/// What was found.
#[derive(Debug, Clone, Serialize)]
pub struct SearchResult {
    pub query: String,
    /// How many texts have a word of the query.
    pub total: usize,
    pub showing: usize,
    pub hits: Vec<Hit>,
    /// What could not be searched, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// One text that fits.
#[derive(Debug, Clone, Serialize)]
pub struct Hit {
    pub from: Source,
    pub name: String,
    pub title: String,
    /// A path from the project's folder, or where the text is kept otherwise.
    pub place: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// For a cycle: when it was finished, and on which branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    pub snippet: String,
    /// Two decimals; only the order means something.
    pub score: f64,
}

/// Why nothing was searched.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    #[error("the query has no words to search for")]
    NoTerms,
    #[error(transparent)]
    File(#[from] FileError),
}

/// Searches the project's memories and the documents passed in.
pub fn search(
    store: &Store,
    request: &SearchRequest,
    documents: &[Document],
) -> Result<SearchResult, SearchError> {
    let query = Query::new(&request.query).ok_or(SearchError::NoTerms)?;
    let layout = store.layout();
    let wanted = |source: Source| request.sources.is_empty() || request.sources.contains(&source);
    let mut ranking = Ranking::new(query.terms());
    let mut notes = Vec::new();
    let folders = [
        (Source::Memory, layout.memory()),
        (Source::Context, layout.context()),
        (Source::Rules, layout.rules()),
    ];
    for (source, folder) in folders.into_iter().filter(|(source, _)| wanted(*source)) {
        notes.extend(rank_notes(source, &folder, &query, &mut ranking)?);
    }
    for document in documents.iter().filter(|document| wanted(document.source)) {
        let mut counts = query.nothing();
        query.count(&document.name, 3.0, &mut counts);
        query.count(&document.text, 1.0, &mut counts);
        ranking.add(document.source, &counts, || Found::Document(document.clone()));
    }
    let path = layout.history();
    let history = if wanted(Source::History) { Snapshot::open(store)? } else { None };
    if let Some(history) = &history {
        let reading = history::rank(history, &query, &mut ranking, Found::Cycle).at("read", &path)?;
        notes.extend(damage(reading, &path));
    }
    let (total, weights) = (ranking.found(), ranking.weights());
    let show = Shower { layout, query: &query, weights: &weights, history: history.as_ref() };
    let hits: Vec<Hit> = ranking
        .best(request.limit)
        .into_iter()
        .map(|(score, source, found)| show.hit(score, source, found))
        .collect::<Result<_, _>>()?;
    Ok(SearchResult { query: request.query.clone(), total, showing: hits.len(), hits, notes })
}

/// Something that has a term of the query.
enum Found {
    Note(Note),
    Document(Document),
    Cycle(CyclePlace),
}

fn rank_notes(
    source: Source,
    folder: &Path,
    query: &Query,
    ranking: &mut Ranking<Found>,
) -> Result<Vec<String>, FileError> {
    let found = read_notes(folder)?;
    let mut told = found.left_out;
    for note in found.notes {
        if note.bytes > LARGEST {
            told.push(format!("of {} only the first 4 MiB were searched", note.path.display()));
        }
        let (tags, body) = split_tags(&note.text);
        let mut counts = query.nothing();
        query.count(&topic_words(&note.name, None), 3.0, &mut counts);
        query.count(&tags.join(" "), 2.0, &mut counts);
        for line in body.lines() {
            query.count(line, if line.starts_with('#') { 2.0 } else { 1.0 }, &mut counts);
        }
        ranking.add(source, &counts, || Found::Note(note.clone()));
    }
    Ok(told)
}

fn damage(reading: Reading, path: &Path) -> Option<String> {
    match reading {
        Reading::Whole => None,
        Reading::Damaged { at } => Some(format!(
            "{} is damaged at byte {at}: only the cycles before it were searched; restore it from git",
            path.display()
        )),
    }
}

/// Turns what was found into what is shown.
struct Shower<'a> {
    layout: &'a Layout,
    query: &'a Query,
    weights: &'a [f32],
    history: Option<&'a Snapshot>,
}

impl Shower<'_> {
    fn hit(&self, score: f32, from: Source, found: Found) -> Result<Hit, FileError> {
        let score = (f64::from(score) * 100.0).round() / 100.0;
        match found {
            Found::Note(note) => Ok(self.note(score, from, &note)),
            Found::Document(document) => {
                let title = title(&document.text).to_owned();
                Ok(self.plain(score, from, (document.name, title, document.place), &document.text))
            }
            Found::Cycle(place) => self.cycle(score, &place),
        }
    }

    fn note(&self, score: f64, from: Source, note: &Note) -> Hit {
        let place = note.path.strip_prefix(self.layout.project()).unwrap_or(&note.path);
        let words = (note.name.clone(), title(&note.text).to_owned(), place.display().to_string());
        let mut hit = self.plain(score, from, words, &note.text);
        hit.line = snippet(&note.text, self.query, self.weights).map(|(line, _)| line);
        hit
    }

    fn cycle(&self, score: f64, place: &CyclePlace) -> Result<Hit, FileError> {
        let path = self.layout.history();
        let shown =
            self.history.map(|history| history::show(history, place)).transpose().at("read", &path)?;
        let name = format!("cycle {}", place.number);
        let where_kept = ".nexus/history.json".to_owned();
        let (title, text) =
            shown.as_ref().map_or_else(Default::default, |shown| (shown.title.clone(), &*shown.text));
        let mut hit = self.plain(score, Source::History, (name, title, where_kept), text);
        if let Some(shown) = shown {
            hit.completed_at = shown.completed_at;
            hit.branch = shown.branch;
        }
        Ok(hit)
    }

    fn plain(&self, score: f64, from: Source, words: (String, String, String), text: &str) -> Hit {
        let (name, title, place) = words;
        let snippet = snippet(text, self.query, self.weights).map(|(_, piece)| piece).unwrap_or_default();
        Hit { from, name, title, place, line: None, completed_at: None, branch: None, snippet, score }
    }
}
