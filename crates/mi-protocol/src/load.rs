//! A protocol file, read, checked and linked in one go.

use crate::{
    analyse,
    file::{Draft, decode},
    link::link,
    problem::{Kind, Level, Place, Problem, Problems},
    protocol::Protocol,
    tree,
};

/// What came of a file.
#[derive(Debug)]
pub struct Loaded {
    /// There unless an error is among the problems.
    pub protocol: Option<Protocol>,
    /// The file as written, as far as it could be read.
    pub draft: Draft,
    /// In the order of the file.
    pub problems: Vec<Problem>,
}

impl Loaded {
    pub fn is_ok(&self) -> bool {
        self.problems.iter().all(|problem| problem.kind.severity() != Level::Error)
    }
}

/// Loads for running: errors only.
pub fn load(bytes: &[u8]) -> Loaded {
    let (protocol, draft, problems) = linked(bytes);
    Loaded { protocol, draft, problems: problems.into_sorted() }
}

/// Loads and looks at the graph: errors, and warnings if there is none. Also the edges whose guard could not be decided.
pub fn check(bytes: &[u8]) -> (Loaded, Vec<String>) {
    let (protocol, draft, mut problems) = linked(bytes);
    let unknown =
        protocol.as_ref().map(|protocol| analyse::analyse(protocol, &mut problems)).unwrap_or_default();
    (Loaded { protocol, draft, problems: problems.into_sorted() }, unknown)
}

fn linked(bytes: &[u8]) -> (Option<Protocol>, Draft, Problems) {
    let mut problems = Problems::default();
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
        Err(error) => {
            let good = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            problems.add(Kind::Yaml, end_of(&good), "the file is not UTF-8 here", "save it as UTF-8");
            return (None, Draft::default(), problems);
        }
    };
    let Some(tree) = tree::parse(text, &mut problems) else { return (None, Draft::default(), problems) };
    let draft = decode(&tree, &mut problems);
    let protocol = link(&draft, text, mi_model::sha256_hex(bytes), &mut problems);
    (protocol, draft, problems)
}

fn end_of(text: &str) -> Place {
    let last = text.rsplit('\n').next().unwrap_or_default();
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    Place { line: number(text.matches('\n').count() + 1), column: number(last.chars().count() + 1) }
}
