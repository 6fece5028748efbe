//! A decision cut into pieces of work, and pieces put together where the rules want one task.

use super::{
    files::{self, counted, is_document},
    words,
};

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    pub issue: i64,
    pub text: String,
    pub acceptance: String,
    pub files: Vec<String>,
}

/// The pieces of a decision: its list items, or the whole of it. What stands behind `Acceptance:` is no work.
pub(super) fn cut(issue: i64, decision: &str) -> Vec<Piece> {
    let (work, acceptance) = split_acceptance(decision);
    let items: Vec<&str> = work.lines().filter_map(list_item).collect();
    let texts: Vec<&str> = if items.len() > 1 { items } else { vec![work.trim()] };
    texts
        .into_iter()
        .map(|text| {
            let (text, own) = split_acceptance(text);
            let acceptance =
                [own, acceptance].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n");
            let named = files::in_text(text);
            // Files that stand in the acceptance alone are its subject as well.
            let files = if named.is_empty() { files::in_text(&acceptance) } else { named };
            Piece { issue, text: text.to_owned(), acceptance, files }
        })
        .collect()
}

fn list_item(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let item = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")).or_else(|| {
        let rest = line.trim_start_matches(|first: char| first.is_ascii_digit());
        let marked = rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") "));
        marked.filter(|_| rest.len() < line.len())
    });
    item.map(str::trim).filter(|item| !item.is_empty())
}

fn split_acceptance(text: &str) -> (&str, &str) {
    const MARKS: [&str; 4] = ["acceptance:", "accepted when", "done when", "acceptance criteria:"];
    let lower = text.to_ascii_lowercase();
    let found = MARKS.iter().filter_map(|mark| lower.find(mark).map(|at| (at, mark.len()))).min();
    match found {
        Some((at, length)) => (text[..at].trim(), text[at + length..].trim().trim_start_matches(':').trim()),
        None => (text.trim(), ""),
    }
}

/// What becomes one task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bundle {
    pub pieces: Vec<Piece>,
    pub owner: &'static str,
    pub exceptions: Vec<&'static str>,
}

impl Bundle {
    pub fn files(&self) -> Vec<String> {
        let mut files: Vec<String> = Vec::new();
        for file in self.pieces.iter().flat_map(|piece| &piece.files) {
            if !files.contains(file) {
                files.push(file.clone());
            }
        }
        files
    }

    pub fn issues(&self) -> Vec<i64> {
        let mut issues: Vec<i64> = self.pieces.iter().map(|piece| piece.issue).collect();
        issues.sort_unstable();
        issues.dedup();
        issues
    }
}

/// Puts the pieces of all new issues together: by file first (NX-312), then by owner where there are fewer than three
/// independent results, documents by their own exceptions (NX-310, NX-311).
pub(super) fn bundle(pieces: Vec<Piece>) -> Vec<Bundle> {
    let mut bundles = with_their_makers(by_file(pieces));
    for bundle in &mut bundles {
        bundle.owner = owner_of(bundle);
    }
    bundles = by_owner(bundles);
    for bundle in &mut bundles {
        note_exceptions(bundle);
    }
    bundles
}

fn by_file(pieces: Vec<Piece>) -> Vec<Bundle> {
    let mut bundles: Vec<Bundle> = Vec::new();
    for piece in pieces {
        let own = |files: &[String]| counted(files).iter().map(|file| (*file).to_owned()).collect::<Vec<_>>();
        let wanted = own(&piece.files);
        let touches = |bundle: &Bundle| own(&bundle.files()).iter().any(|file| wanted.contains(file));
        let (same, others): (Vec<Bundle>, Vec<Bundle>) = bundles.into_iter().partition(touches);
        bundles = others;
        let is_shared = !same.is_empty();
        let mut merged: Vec<Piece> = same.into_iter().flat_map(|bundle| bundle.pieces).collect();
        merged.push(piece);
        let exceptions = if is_shared { vec!["same_file_bundle"] } else { Vec::new() };
        bundles.push(Bundle { pieces: merged, owner: "", exceptions });
    }
    bundles.sort_by_key(|bundle| bundle.issues());
    bundles
}

/// A piece that is about generated files alone goes with the work of its issue that makes them (NX-313).
fn with_their_makers(bundles: Vec<Bundle>) -> Vec<Bundle> {
    let is_made = |bundle: &Bundle| !bundle.files().is_empty() && counted(&bundle.files()).is_empty();
    let (made, mut makers): (Vec<Bundle>, Vec<Bundle>) = bundles.into_iter().partition(is_made);
    for bundle in made {
        match makers.iter_mut().find(|maker| maker.issues().contains(&bundle.pieces[0].issue)) {
            Some(maker) => maker.pieces.extend(bundle.pieces),
            None => makers.push(bundle),
        }
    }
    makers
}

/// The owner table (NX-287).
fn owner_of(bundle: &Bundle) -> &'static str {
    let text = bundle.pieces.iter().map(|piece| piece.text.as_str()).collect::<Vec<_>>().join("\n");
    let files = bundle.files();
    let own = counted(&files);
    let is_same_file_sequence = bundle.pieces.len() > 1 && words::is_sequence(&text);
    if own.len() == 1 && (words::is_small(&text) || is_same_file_sequence) {
        "lead"
    } else if own.is_empty() && words::is_research(&text) {
        "researcher"
    } else if let (true, Some(agent)) = (own.is_empty(), words::designer_of(&text)) {
        agent
    } else if (!own.is_empty() && own.iter().all(|file| is_document(file)))
        || (own.is_empty() && words::is_documentation(&text))
    {
        "writer"
    } else {
        "engineer"
    }
}

/// Below three independent results one owner takes all of an issue; documents follow their own exceptions.
fn by_owner(bundles: Vec<Bundle>) -> Vec<Bundle> {
    let mut done: Vec<Bundle> = Vec::new();
    let mut groups: Vec<Vec<Bundle>> = Vec::new();
    for bundle in bundles {
        let alike =
            |group: &&mut Vec<Bundle>| group[0].owner == bundle.owner && group[0].issues() == bundle.issues();
        match groups.iter_mut().find(alike) {
            Some(group) => group.push(bundle),
            None => groups.push(vec![bundle]),
        }
    }
    for mut group in groups {
        let is_work = ["engineer", "writer", "researcher"].contains(&group[0].owner);
        if group.len() > 1 && group[0].owner == "writer" && are_apart(&group) {
            for bundle in &mut group {
                bundle.exceptions.push("docs_only.independent");
            }
            done.extend(group);
        } else if group.len() > 1 && (!is_work || results(&group) < 3) {
            done.push(merge(group));
        } else {
            done.extend(group);
        }
    }
    done
}

/// Every document has a piece of its own, and no piece names the document of another.
fn are_apart(group: &[Bundle]) -> bool {
    group
        .iter()
        .all(|bundle| !bundle.files().is_empty() && bundle.files().iter().all(|file| is_document(file)))
}

fn results(group: &[Bundle]) -> usize {
    group.iter().map(|bundle| counted(&bundle.files()).len().max(1)).sum()
}

fn merge(group: Vec<Bundle>) -> Bundle {
    let owner = group[0].owner;
    let mut exceptions: Vec<&str> = group.iter().flat_map(|bundle| bundle.exceptions.clone()).collect();
    exceptions.dedup();
    Bundle { pieces: group.into_iter().flat_map(|bundle| bundle.pieces).collect(), owner, exceptions }
}

fn note_exceptions(bundle: &mut Bundle) {
    let files = bundle.files();
    let own = counted(&files);
    let is_docs = own.len() > 1 && own.iter().all(|file| is_document(file));
    if bundle.owner == "writer" && is_docs && bundle.exceptions.is_empty() {
        bundle.exceptions.push("docs_only.coherent");
    }
    if own.len() < files.len() {
        bundle.exceptions.push("generated_artifacts");
    }
}
