//! One configuration file: its text, taken apart into settings with their places.

use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::keys;
use crate::problem::{Origin, Problem, ProblemKind};
use crate::value::{Kind, Value};

/// Whose file it is, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// `$XDG_CONFIG_HOME/mi/config.toml`.
    UserXdg,
    /// `$MI_HOME/config.toml`.
    UserHome,
    /// `.mi/config.toml` of the project.
    Project,
    /// `.mi/local.toml` of the project.
    Local,
}

impl Level {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::UserXdg | Self::UserHome => "user",
            Self::Project => "project",
            Self::Local => "local",
        }
    }

    pub(crate) fn is_projects(self) -> bool {
        match self {
            Self::UserXdg | Self::UserHome => false,
            Self::Project | Self::Local => true,
        }
    }
}

/// The text of one configuration file. A file that does not exist is no layer.
#[derive(Debug, Clone)]
pub struct Layer {
    pub level: Level,
    /// As it should stand in messages.
    pub path: PathBuf,
    pub text: String,
}

/// A known setting of the right kind.
#[derive(Debug)]
pub(crate) struct Assignment {
    pub(crate) key: &'static keys::Key,
    pub(crate) value: Value,
    pub(crate) origin: Origin,
}

/// What a file says, and what is wrong in it, in the order of the text.
pub(crate) fn read(layer: &Layer) -> What {
    let mut reader = Reader {
        layer,
        line_starts: line_starts(&layer.text),
        assignments: Vec::new(),
        aliases: Vec::new(),
        problems: Vec::new(),
    };
    match DeTable::parse(&layer.text) {
        Ok(table) => reader.table("", table.get_ref()),
        Err(error) => {
            let place = error.span().map_or(0, |span| span.start);
            reader.problem(place, ProblemKind::Syntax { message: error.message().to_owned() });
        }
    }
    reader.problems.sort_by_key(|problem| match problem.origin {
        Origin::File { line, column, .. } => (line, column),
        Origin::Default | Origin::Env { .. } | Origin::Flag => (0, 0),
    });
    What { assignments: reader.assignments, aliases: reader.aliases, problems: reader.problems }
}

/// What a file says.
#[derive(Debug)]
pub(crate) struct What {
    pub(crate) assignments: Vec<Assignment>,
    /// `council.aliases`: a person and other names of theirs.
    pub(crate) aliases: Vec<(String, Vec<String>)>,
    pub(crate) problems: Vec<Problem>,
}

struct Reader<'a> {
    layer: &'a Layer,
    /// Where each line begins, so that a place is found without reading all before it.
    line_starts: Vec<usize>,
    assignments: Vec<Assignment>,
    aliases: Vec<(String, Vec<String>)>,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn table(&mut self, prefix: &str, table: &DeTable<'_>) {
        for (name, value) in table {
            let key = if prefix.is_empty() {
                name.get_ref().to_string()
            } else {
                format!("{prefix}.{}", name.get_ref())
            };
            self.entry(&key, name.span().start, value);
        }
    }

    fn entry(&mut self, key: &str, place: usize, value: &Spanned<DeValue<'_>>) {
        let known = keys::find(key);
        match (known, value.get_ref()) {
            (None, DeValue::Table(table)) => self.table(key, table),
            _ if self.layer.level.is_projects() && keys::is_users_alone(key) => {
                self.problem(place, ProblemKind::UserLevelOnly { key: key.to_owned() });
            }
            (None, value) if alias_of(key).is_some() => match Kind::Words.read_toml(value) {
                Some(Value::Words(names)) => {
                    self.aliases.push((alias_of(key).unwrap_or_default().to_owned(), names));
                }
                _ => self.wrong(key, place, Kind::Words.wanted()),
            },
            (Some(known), value) => match known.kind.read_toml(value) {
                Some(value) => {
                    let origin = self.origin(place);
                    self.assignments.push(Assignment { key: known, value, origin });
                }
                None => self.wrong(key, place, known.kind.wanted()),
            },
            (None, _) if keys::is_section(key) => self.wrong(key, place, format!("a section: [{key}]")),
            (None, _) => self.problem(place, unknown(key)),
        }
    }

    fn wrong(&mut self, key: &str, place: usize, wanted: String) {
        self.problem(place, ProblemKind::WrongValue { key: key.to_owned(), wanted });
    }

    fn problem(&mut self, place: usize, kind: ProblemKind) {
        let origin = self.origin(place);
        self.problems.push(Problem { origin, kind });
    }

    fn origin(&self, place: usize) -> Origin {
        let (line, column) = self.line_and_column(place);
        Origin::File { level: self.layer.level, path: Path::to_owned(&self.layer.path), line, column }
    }

    fn line_and_column(&self, place: usize) -> (usize, usize) {
        let text = &self.layer.text;
        let mut place = place.min(text.len());
        while !text.is_char_boundary(place) {
            place -= 1;
        }
        let line = self.line_starts.partition_point(|start| *start <= place);
        let start = self.line_starts[line - 1];
        (line, text[start..place].chars().count() + 1)
    }
}

/// Never empty: every text has a first line.
fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(newline, _)| newline + 1)).collect()
}

/// The person whose other names a key gives.
fn alias_of(key: &str) -> Option<&str> {
    key.strip_prefix(keys::ALIASES)?.strip_prefix('.')
}

/// A key that is not in the table. An API key in a file gets a warning of its own.
fn unknown(key: &str) -> ProblemKind {
    let last = key.rsplit('.').next().unwrap_or_default();
    if ["api_key", "apikey", "key", "token"].contains(&last) {
        return ProblemKind::KeyInFile { key: key.to_owned() };
    }
    ProblemKind::UnknownKey { key: key.to_owned(), nearest: keys::nearest(key).map(str::to_owned) }
}
