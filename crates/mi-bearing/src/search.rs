//! Finds out which pieces of a change a check depends on, with as few runs of the check as that takes.
//!
//! The whole work is taken back first, then files, then halves of their pieces. A set that stays green shows nothing; a
//! set that goes red although neither half does is shown as one group.
//! Holds: a piece is never called shown unless the check went red without it, or without the group it belongs to.

use mi_model::HunkKind;
use std::collections::{BTreeMap, BTreeSet};

use crate::{
    outcome::Strength,
    pieces::{Piece, Side, Treatment, Variant},
};

/// Sets of at most this many pieces are taken back one by one.
const FEW: usize = 4;

/// What the checks said about one variant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrialResult {
    Green,
    Red {
        strength: Strength,
        tests: Vec<String>,
    },
    /// It could not be told: time, memory or a tool was missing.
    Unknown {
        why: String,
    },
}

/// How fine the answer has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    File,
    Piece,
}

/// What is known about one piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    Shown {
        strength: Strength,
        tests: Vec<String>,
        group: Option<u32>,
    },
    Unshown,
    /// Nothing to show, or not tried before the budget ran out.
    Untried {
        why: Option<String>,
    },
}

/// The answer for a whole change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Findings {
    /// One per piece, in their order.
    pub pieces: Vec<Finding>,
    /// What the checks said with all work taken back; `None` when there was no work to take back.
    pub taken_back: Option<TrialResult>,
}

/// Searches with `trial`, which runs the checks on a variant; it answers `Unknown` when the budget is used up.
pub fn search_pieces(
    pieces: &[Piece],
    depth: Depth,
    trial: &mut dyn FnMut(&Variant) -> TrialResult,
) -> Findings {
    let of_kind = |kind: HunkKind| indexes(pieces, |piece| piece.side == Side::Work && piece.kind == kind);
    let configuration = of_kind(HunkKind::Configuration);
    // Configuration decides which tests run: taken back together with the code it may hide the very tests that notice it.
    let work = match of_kind(HunkKind::Behaviour) {
        behaviour if behaviour.is_empty() => configuration.clone(),
        behaviour => behaviour,
    };
    let mut search = Search { pieces, depth, trial, groups: 0, findings: BTreeMap::new() };
    if work.is_empty() {
        return search.conclude(None);
    }
    let whole = search.try_whole(&work);
    match &whole {
        TrialResult::Green => search.mark(&work, &Finding::Unshown),
        TrialResult::Unknown { why } => search.mark(&work, &Finding::Untried { why: Some(why.clone()) }),
        TrialResult::Red { strength, tests } => {
            search.refine(&work, *strength, tests);
            search.try_together();
            search.settle_weak();
            search.join_headers();
        }
    }
    if !configuration.is_empty() && work != configuration && !matches!(whole, TrialResult::Unknown { .. }) {
        match search.run_without(&configuration) {
            TrialResult::Red { strength, tests } => search.refine(&configuration, strength, &tests),
            TrialResult::Green => search.mark(&configuration, &Finding::Unshown),
            TrialResult::Unknown { why } => search.mark(&configuration, &Finding::Untried { why: Some(why) }),
        }
    }
    search.conclude(Some(whole))
}

struct Search<'a> {
    pieces: &'a [Piece],
    depth: Depth,
    trial: &'a mut dyn FnMut(&Variant) -> TrialResult,
    groups: u32,
    findings: BTreeMap<usize, Finding>,
}

fn indexes(pieces: &[Piece], wanted: impl Fn(&Piece) -> bool) -> Vec<usize> {
    pieces.iter().enumerate().filter(|(_, piece)| wanted(piece)).map(|(index, _)| index).collect()
}

impl Search<'_> {
    /// Takes all work back. Added functions are stubbed, so that a test which imports them still fails by what it asserts.
    fn try_whole(&mut self, work: &[usize]) -> TrialResult {
        let result = self.run_without(work);
        let is_weak = matches!(result, TrialResult::Red { strength: Strength::Weak | Strength::Broken, .. });
        let has_stub = work.iter().any(|index| self.pieces[*index].gentle_treatment() == Treatment::Stubbed);
        if !is_weak || !has_stub {
            return result;
        }
        // Something else that was added (an import, a type) is needed to compile: leave additions that are no function.
        let kept = |index: &usize| {
            let piece = &self.pieces[*index];
            !piece.is_addition() || piece.gentle_treatment() == Treatment::Stubbed
        };
        let narrower: Vec<usize> = work.iter().copied().filter(kept).collect();
        if narrower.len() == work.len() {
            return result;
        }
        match self.run_without(&narrower) {
            strong @ TrialResult::Red { strength: Strength::Strong, .. } => strong,
            _ => result,
        }
    }

    fn run_without(&mut self, set: &[usize]) -> TrialResult {
        let variant = self.gentle(set);
        (self.trial)(&variant)
    }

    /// The set without its pieces. Where all pieces of a deleted or added file go, so does the file.
    fn gentle(&self, set: &[usize]) -> Variant {
        set.iter().map(|index| (*index, self.pieces[*index].gentle_treatment())).collect()
    }

    fn refine(&mut self, set: &[usize], strength: Strength, tests: &[String]) {
        let parts = self.parts(set);
        if parts.len() < 2 {
            return self.show(set, strength, tests);
        }
        let mut green: Vec<usize> = Vec::new();
        let mut any_red = false;
        for part in &parts {
            match self.run_without(part) {
                TrialResult::Green => green.extend(part),
                TrialResult::Unknown { why } => {
                    // The set as a whole was red: without more time that is all that can be said of this part.
                    any_red = true;
                    self.mark(part, &Finding::Untried { why: Some(why) });
                }
                TrialResult::Red { strength, tests } => {
                    any_red = true;
                    self.refine(part, strength, &tests);
                }
            }
        }
        if any_red { self.mark(&green, &Finding::Unshown) } else { self.show(set, strength, tests) }
    }

    /// Files first, then halves.
    fn parts(&self, set: &[usize]) -> Vec<Vec<usize>> {
        let mut files: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for index in set {
            let piece = &self.pieces[*index];
            files.entry(piece.moved_to.as_ref().unwrap_or(&piece.path)).or_default().push(*index);
        }
        if files.len() > 1 {
            return files.into_values().collect();
        }
        match self.depth {
            // Halves of so few would mostly cost more runs than they save.
            Depth::Piece if set.len() <= FEW => set.iter().map(|index| vec![*index]).collect(),
            Depth::Piece => set.chunks(set.len().div_ceil(2)).map(<[usize]>::to_vec).collect(),
            _ => vec![set.to_vec()],
        }
    }

    /// Pieces that show nothing alone may do so together.
    fn try_together(&mut self) {
        let unshown = self.indexes_of(|finding| *finding == Finding::Unshown);
        if unshown.len() < 2 {
            return;
        }
        if let TrialResult::Red { strength, tests } = self.run_without(&unshown) {
            self.show(&unshown, strength, &tests);
        }
    }

    /// Decides about pieces without which something only fails to compile or import.
    ///
    /// Such pieces may hold up nothing but each other, or others that show nothing. Taken back together with those they
    /// leave a tree that runs, and that run tells.
    fn settle_weak(&mut self) {
        let weak = self.indexes_of(|finding| {
            matches!(finding, Finding::Shown { strength: Strength::Weak | Strength::Broken, .. })
        });
        let mut open: Vec<usize> = Vec::new();
        for index in weak {
            let unshown = self.indexes_of(|finding| *finding == Finding::Unshown);
            let is_held = unshown.iter().any(|other| self.are_related(index, *other));
            if !is_held || !self.settle(&[index]) {
                open.push(index);
            }
        }
        let mut files: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for index in &open {
            files.entry(&self.pieces[*index].path).or_default().push(*index);
        }
        for set in files.into_values().filter(|set| set.len() > 1) {
            if self.is_connected(&set) && self.settle(&set) {
                open.retain(|index| !set.contains(index));
            }
        }
        if open.len() > 1 && self.is_connected(&open) {
            self.settle(&open);
        }
    }

    /// The line that opens a block does not parse away; it is needed for what is shown right below it.
    fn join_headers(&mut self) {
        let broken =
            self.indexes_of(|finding| matches!(finding, Finding::Shown { strength: Strength::Broken, .. }));
        for index in broken {
            let Some(next) = self.pieces.get(index + 1) else { continue };
            let piece = &self.pieces[index];
            let is_next = piece.path == next.path && piece.after.end == next.after.start;
            if let Some(Finding::Shown { strength: Strength::Strong, tests, .. }) =
                self.findings.get(&(index + 1))
                && is_next
            {
                let finding = Finding::Shown { strength: Strength::Weak, tests: tests.clone(), group: None };
                self.mark(&[index], &finding);
            }
        }
    }

    /// Whether one of two pieces may need the other: they share a name, or one of them does not parse without the other.
    fn are_related(&self, one: usize, other: usize) -> bool {
        let is_broken = |index: &usize| {
            matches!(self.findings.get(index), Some(Finding::Shown { strength: Strength::Broken, .. }))
        };
        let (a, b) = (&self.pieces[one], &self.pieces[other]);
        if a.path == b.path && (is_broken(&one) || is_broken(&other)) {
            return true;
        }
        let names = names_in(a);
        names_in(b).iter().any(|name| names.contains(name))
    }

    /// Whether any two pieces of a set are related.
    fn is_connected(&self, set: &[usize]) -> bool {
        let pairs =
            set.iter().enumerate().flat_map(|(at, one)| set[at + 1..].iter().map(move |two| (*one, *two)));
        pairs.into_iter().any(|(one, two)| self.are_related(one, two))
    }

    /// Takes a set back with everything that is unshown. True if that decided about it.
    fn settle(&mut self, set: &[usize]) -> bool {
        let unshown = self.indexes_of(|finding| *finding == Finding::Unshown);
        let mut variant = self.gentle(&unshown);
        variant.extend(set.iter().map(|index| (*index, Treatment::TakenBack)));
        match (self.trial)(&variant) {
            TrialResult::Green => self.mark(set, &Finding::Unshown),
            TrialResult::Red { strength: Strength::Strong, tests } => {
                self.show(set, Strength::Strong, &tests);
            }
            TrialResult::Red { .. } | TrialResult::Unknown { .. } => {
                // A stub keeps the body below it, which may still need the set.
                let whole: Variant = variant.keys().map(|index| (*index, Treatment::TakenBack)).collect();
                if whole == variant || (self.trial)(&whole) != TrialResult::Green {
                    return false;
                }
                self.mark(set, &Finding::Unshown);
            }
        }
        true
    }

    /// What is known of a whole file: shown if each of its pieces is. Nothing notices that a moved file left its old
    /// place; what counts is whether its new place is needed.
    fn finding_of_file(&self, path: &str) -> Option<Finding> {
        let mut found = self.findings.iter().filter(|(index, _)| self.pieces[**index].path == path);
        let (_, first) = found.next()?;
        let rest = found.map(|(_, finding)| finding);
        Some(rest.fold(first.clone(), |so_far, next| match (so_far, next) {
            (
                Finding::Shown { strength, mut tests, .. },
                Finding::Shown { strength: other, tests: more, .. },
            ) => {
                tests.extend(more.iter().filter(|test| !tests.contains(test)).cloned().collect::<Vec<_>>());
                Finding::Shown { strength: strength.min(*other), tests, group: None }
            }
            (Finding::Shown { .. }, other) => other.clone(),
            (so_far, _) => so_far,
        }))
    }

    fn indexes_of(&self, wanted: impl Fn(&Finding) -> bool) -> Vec<usize> {
        self.findings.iter().filter(|(_, finding)| wanted(finding)).map(|(index, _)| *index).collect()
    }

    fn show(&mut self, set: &[usize], strength: Strength, tests: &[String]) {
        let group = (set.len() > 1).then(|| {
            self.groups += 1;
            self.groups
        });
        self.mark(set, &Finding::Shown { strength, tests: tests.to_vec(), group });
    }

    fn mark(&mut self, set: &[usize], finding: &Finding) {
        for index in set {
            self.findings.insert(*index, finding.clone());
        }
    }

    fn conclude(self, taken_back: Option<TrialResult>) -> Findings {
        let moved: Vec<(usize, Finding)> = self
            .findings
            .keys()
            .filter_map(|index| Some((*index, self.finding_of_file(self.pieces[*index].moved_to.as_ref()?)?)))
            .collect();
        let mut findings = self.findings;
        findings.extend(moved);
        let pieces = (0..self.pieces.len())
            .map(|index| findings.remove(&index).unwrap_or(Finding::Untried { why: None }))
            .collect();
        Findings { pieces, taken_back }
    }
}

/// The identifiers that a piece adds or removes.
fn names_in(piece: &Piece) -> BTreeSet<&str> {
    let is_part = |char: char| char.is_alphanumeric() || char == '_';
    let words =
        [&piece.added, &piece.removed].into_iter().flat_map(|text| text.split(move |char| !is_part(char)));
    words.filter(|word| word.len() > 2 && !word.starts_with(|char: char| char.is_ascii_digit())).collect()
}

impl Findings {
    /// The tests that went red for any piece.
    pub fn tests(&self) -> BTreeSet<String> {
        let of = |finding: &Finding| match finding {
            Finding::Shown { tests, .. } => tests.clone(),
            Finding::Unshown | Finding::Untried { .. } => Vec::new(),
        };
        self.pieces.iter().flat_map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pieces::{FileBody, FileChange, split_change};

    /// A change of `count` separate lines in each of `files`.
    fn change(files: &[(&str, usize)]) -> Vec<Piece> {
        let file = |(path, count): &(&str, usize)| {
            let text = |sign: &str| {
                (0..*count).map(|index| format!("{sign}{index}\nkeep{index}\n")).collect::<String>()
            };
            let body = |text: String| {
                Some(FileBody { bytes: text.into_bytes(), is_executable: false, is_link: false })
            };
            FileChange { path: (*path).to_owned(), before: body(text("old")), after: body(text("new")) }
        };
        split_change(&files.iter().map(file).collect::<Vec<_>>())
    }

    /// Runs the search against a check that goes red when `needs` holds of the taken-back pieces.
    fn play(pieces: &[Piece], needs: impl Fn(&BTreeSet<usize>) -> bool) -> (String, u32) {
        let mut runs = 0;
        let findings = search_pieces(pieces, Depth::Piece, &mut |variant| {
            runs += 1;
            let gone: BTreeSet<usize> = variant.keys().copied().collect();
            if needs(&gone) {
                TrialResult::Red { strength: Strength::Strong, tests: vec!["t".to_owned()] }
            } else {
                TrialResult::Green
            }
        });
        let sign = |finding: &Finding| match finding {
            Finding::Shown { group: None, .. } => "s".to_owned(),
            Finding::Shown { group: Some(group), .. } => group.to_string(),
            Finding::Unshown => "u".to_owned(),
            Finding::Untried { .. } => "?".to_owned(),
        };
        (findings.pieces.iter().map(sign).collect(), runs)
    }

    /// One piece that a check needs is found with one run.
    #[test]
    fn one_shown_piece_costs_one_run() {
        assert_eq!(play(&change(&[("a.js", 1)]), |gone| gone.contains(&0)), ("s".to_owned(), 1));
    }

    /// Green without all of the work: nothing is shown, and no further run can change that.
    #[test]
    fn green_without_the_work_shows_nothing() {
        assert_eq!(play(&change(&[("a.js", 3), ("b.js", 2)]), |_| false), ("uuuuu".to_owned(), 1));
    }

    /// The pieces that no check needs are named among those that one does.
    #[test]
    fn unshown_pieces_are_found_among_shown_ones() {
        let pieces = change(&[("a.js", 4), ("b.js", 2)]);
        let (signs, _) = play(&pieces, |gone| gone.contains(&1) || gone.contains(&4));
        assert_eq!(signs, "usuusu");
    }

    /// Pieces that go red only together carry one group.
    #[test]
    fn pieces_needed_only_together_are_a_group() {
        let pieces = change(&[("a.js", 1), ("b.js", 1), ("c.js", 1)]);
        let (signs, _) = play(&pieces, |gone| gone.contains(&0) || gone.contains(&1) && gone.contains(&2));
        assert_eq!(signs, "s11");
    }

    /// A budget that ends leaves the rest untried, never shown.
    #[test]
    fn out_of_budget_is_untried() {
        let pieces = change(&[("a.js", 1), ("b.js", 1)]);
        let mut left = 1;
        let findings = search_pieces(&pieces, Depth::Piece, &mut |_| {
            left -= 1;
            match left {
                0 => TrialResult::Red { strength: Strength::Strong, tests: Vec::new() },
                _ => TrialResult::Unknown { why: "budget".to_owned() },
            }
        });
        assert!(
            findings.pieces.iter().all(|finding| matches!(finding, Finding::Untried { why: Some(_) })),
            "{findings:?}"
        );
    }
}
