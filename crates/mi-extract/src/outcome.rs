//! What comes out of a reply: files, refusals with their reasons, and the next action.

use std::borrow::Cow;

/// Everything found in one reply, in its order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Extraction<'a> {
    pub files: Vec<ExtractedFile<'a>>,
    pub refused: Vec<Refusal>,
}

/// One file that may be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtractedFile<'a> {
    /// Relative, with `/`, in NFC; checked.
    pub path: String,
    /// As written on the fence.
    pub language: Option<&'a str>,
    pub content: Cow<'a, str>,
    /// 1-based in the reply.
    pub line: usize,
    /// Whether it can be run; none where the reply does not say, and what stands there keeps its bits.
    pub executable: Option<bool>,
}

/// Something that is no file, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub reason: Reason,
    /// 1-based in the reply.
    pub line: usize,
    /// The path that the name stands for; the name as written where it stands for none.
    pub path: Option<String>,
}

/// How much is taken out of one reply (E8).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub file_bytes: usize,
    pub files: usize,
}

/// What the reply leads to (E3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    Create,
    TaskAnalysis,
}

/// Every reason there is (E1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Reason {
    NoName,
    AmbiguousName,
    Split,
    Partial,
    Unterminated,
    AbsolutePath,
    ClimbingPath,
    SymlinkParent,
    ControlChar,
    ReservedName,
    BadPath,
    Conflict,
    CaseClash,
    TooLarge,
    TooMany,
    Expansion,
    Context,
    DiffBase,
    DiffConflict,
    DiffUnsupported,
    Encoding,
}

impl Extraction<'_> {
    pub(crate) fn refuse(refusal: Refusal) -> Self {
        Self { files: Vec::new(), refused: vec![refusal] }
    }

    /// What to do next (E3).
    pub fn action(&self) -> Action {
        if self.files.is_empty() { Action::TaskAnalysis } else { Action::Create }
    }

    /// Whether the files may be written: a block without a name is only a note (E2).
    pub fn may_write(&self) -> bool {
        self.refused.iter().all(|refusal| refusal.reason == Reason::NoName)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self { file_bytes: 16 << 20, files: 20_000 }
    }
}

impl Action {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::TaskAnalysis => "task_analysis",
        }
    }
}

impl Reason {
    /// The word that programs read.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// What it means, for a person.
    pub fn explained(self) -> &'static str {
        match self {
            Self::NoName => "a code block without a file name",
            Self::AmbiguousName => "two names stand before the block; name one",
            Self::Split => "a part of a file; give the whole file in one block",
            Self::Partial => "parts of the file are left out; give the whole file",
            Self::Unterminated => "the block or here-document does not end",
            Self::AbsolutePath => "not a path below the target folder",
            Self::ClimbingPath => "the path goes up with `..`",
            Self::SymlinkParent => "a symbolic link stands there",
            Self::ControlChar => "control, invisible or direction characters",
            Self::ReservedName => "a name that git or Windows keeps for itself",
            Self::BadPath => "not a portable path",
            Self::Conflict => "different contents, or a file and a folder, under one path",
            Self::CaseClash => "names that differ only in case",
            Self::TooLarge => "over the size limit",
            Self::TooMany => "over the number of files; nothing after this was read",
            Self::Expansion => "the shell would expand something here",
            Self::Context => "where this here-document goes depends on the commands around it",
            Self::DiffBase => "the file that the diff changes is not there; give --out",
            Self::DiffConflict => "the diff does not fit the file exactly",
            Self::DiffUnsupported => "only new files and changed text are taken from diffs",
            Self::Encoding => "the reply is not UTF-8",
        }
    }
}
