//! What is wrong with a protocol file, where, and what to do about it.
//!
//! Holds: the kind alone decides whether a problem is an error or a warning.

use serde::Serialize;
use std::fmt;

use crate::nearest::nearest;

/// A line and a column, both counted from 1; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    pub line: u32,
    pub column: u32,
}

impl Place {
    pub const START: Self = Self { line: 1, column: 1 };
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Yaml,
    UnknownKey,
    MissingKey,
    Type,
    BadValue,
    Syntax,
    UnknownField,
    UnknownRef,
    DuplicateId,
    Conflict,
    UnprovenClaim,
    Limit,
    Unreachable,
    DeadEnd,
    UnboundedLoop,
    NeverTrue,
    AlwaysTrue,
    Shadowed,
    GuardType,
}

impl Kind {
    pub fn severity(self) -> Level {
        match self {
            Self::Yaml
            | Self::UnknownKey
            | Self::MissingKey
            | Self::Type
            | Self::BadValue
            | Self::Syntax
            | Self::UnknownField
            | Self::UnknownRef
            | Self::DuplicateId
            | Self::Conflict
            | Self::UnprovenClaim
            | Self::Limit => Level::Error,
            Self::Unreachable
            | Self::DeadEnd
            | Self::UnboundedLoop
            | Self::NeverTrue
            | Self::AlwaysTrue
            | Self::Shadowed
            | Self::GuardType => Level::Warning,
        }
    }
}

/// How bad a problem is: an error keeps the file from loading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    Error,
    Warning,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub kind: Kind,
    pub place: Place,
    pub message: String,
    pub hint: String,
}

/// More problems than this help nobody.
const MOST: usize = 1000;
/// Nearest names are looked for this often; the search is not free.
const MOST_NEAREST: usize = 200;

/// Collects problems; says once when there are too many.
#[derive(Debug, Default)]
pub struct Problems {
    found: Vec<Problem>,
    searched: usize,
}

impl Problems {
    pub fn add(&mut self, kind: Kind, place: Place, message: impl Into<String>, hint: impl Into<String>) {
        if self.found.len() < MOST {
            self.found.push(Problem { kind, place, message: message.into(), hint: hint.into() });
        } else if self.found.len() == MOST {
            let message = format!("more than {MOST} problems");
            self.found.push(Problem {
                kind: Kind::Limit,
                place,
                message,
                hint: "correct the first ones".to_owned(),
            });
        }
    }

    /// "did you mean `x`?", or what there is.
    pub fn suggestion<'n>(&mut self, name: &str, known: impl Iterator<Item = &'n str> + Clone) -> String {
        self.searched += 1;
        let found = if self.searched > MOST_NEAREST { None } else { nearest(name, known.clone()) };
        match found {
            Some(near) => format!("did you mean `{near}`?"),
            None => listed(known),
        }
    }

    pub fn has_errors(&self) -> bool {
        self.found.iter().any(|problem| problem.kind.severity() == Level::Error)
    }

    /// In the order of the file.
    pub fn into_sorted(mut self) -> Vec<Problem> {
        self.found.sort_by(|a, b| (a.place, a.kind, &a.message).cmp(&(b.place, b.kind, &b.message)));
        self.found
    }
}

/// "one of: a, b, c", not endlessly.
pub fn listed<'n>(known: impl Iterator<Item = &'n str>) -> String {
    let mut names: Vec<&str> = known.take(25).collect();
    if names.is_empty() {
        return "there is none to name".to_owned();
    }
    if names.len() == 25 {
        names[24] = "…";
    }
    format!("one of: {}", names.join(", "))
}
