//! Looking at the whole persona: what is broken, and what shared files must not hold (D.10).

use jiff::civil::Date;
use serde::Serialize;

use crate::{
    AccessError, INDEX, Persona, Problem,
    access::Kind,
    boot::CORE,
    card::{CardId, Head, Sections},
    front,
    lint::{Finding, Known, Severity, lint_text},
};

/// Everything that was found, by file.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    pub files: usize,
    pub findings: Vec<Finding>,
}

impl Report {
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Error)
    }

    /// Findings of D.10 that must not leave this machine.
    pub fn secrets(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.rule == "secret")
    }
}

/// Folders that members share.
pub(crate) const SHARED: [&str; 6] = ["core", "cards", "proposals", "sessions", "handoffs", "indexes"];

impl Persona {
    /// Looks at every shared file; private folders are not opened, only seen to be no links.
    pub fn lint(&self, known: &Known) -> Result<Report, AccessError> {
        let mut report = Report { files: 0, findings: Vec::new() };
        for path in CORE {
            // One that cannot be read is told with the other files.
            if matches!(self.read_shared(path), Ok(None)) {
                report.add("missing-core", path, 0, "is missing; mi persona init writes a template");
            }
        }
        let mut problems = Vec::new();
        for folder in SHARED {
            match self.files_below(folder, &mut problems) {
                Ok(files) => files.iter().for_each(|path| self.lint_file(path, known, &mut report)),
                Err(AccessError::Link { path }) => {
                    problems.push(Problem::new(&path, AccessError::Link { path: path.clone() }));
                }
                Err(error) => return Err(error),
            }
        }
        problems.extend(self.linked_members()?);
        // Files that are no text were told above; what is left is front matter that cannot be read.
        let mut fronts = Vec::new();
        self.proposals_with(&mut fronts)?;
        self.handoffs_with(&mut fronts)?;
        problems.extend(fronts.into_iter().filter(|problem| problem.line.is_some()));
        let cards = self.cards()?;
        problems.extend(cards.problems.iter().cloned());
        for problem in problems {
            let line = problem.line.and_then(|line| usize::try_from(line).ok()).unwrap_or(0);
            report.add("broken", &problem.path, line, &problem.message);
        }
        let standing = self.read_shared(INDEX).ok().flatten();
        let digest = standing.map(|text| *blake3::hash(text.as_bytes()).as_bytes());
        if cards.problems.is_empty() && digest != Some(cards.index_digest) {
            report.add("stale-index", INDEX, 0, "is not what the cards say; mi card index makes it again");
        }
        report.findings.sort_by(|left, right| {
            (&left.path, left.line, left.rule).cmp(&(&right.path, right.line, right.rule))
        });
        report.findings.dedup();
        Ok(report)
    }

    fn lint_file(&self, path: &str, known: &Known, report: &mut Report) {
        report.files += 1;
        let text = match self.read_shared(path) {
            Ok(text) => text.unwrap_or_default(),
            // Cards that cannot be read are told with the cards.
            Err(_) if path.starts_with("cards/") && path.ends_with(".md") => return,
            Err(error) => return report.add("broken", path, 0, &error.to_string()),
        };
        report.findings.extend(lint_text(path, &text, known));
        if path.starts_with("cards/") && path.ends_with(".md") {
            lint_card(path, &text, report);
        }
    }

    /// Members whose folder, or whose private folder, is a link (D.4).
    fn linked_members(&self) -> Result<Vec<Problem>, AccessError> {
        let mut problems = Vec::new();
        let Some(root) = self.folder("")? else { return Ok(problems) };
        for item in root.items()?.into_iter().filter(|item| item.name.starts_with('.') && item.name != ".git")
        {
            let mut links = Vec::new();
            match item.kind {
                Kind::Link => links.push(item.name.clone()),
                Kind::Folder => {
                    let inside = self.folder(&item.name)?.map(|folder| folder.items()).transpose()?;
                    let linked =
                        inside.unwrap_or_default().into_iter().filter(|inner| inner.kind == Kind::Link);
                    links.extend(linked.map(|inner| format!("{}/{}", item.name, inner.name)));
                }
                Kind::File | Kind::Other => {}
            }
            problems.extend(
                links.into_iter().map(|path| Problem::new(&path, AccessError::Link { path: path.clone() })),
            );
        }
        Ok(problems)
    }
}

fn lint_card(path: &str, text: &str, report: &mut Report) {
    // What cannot be read is told with the cards.
    let (Ok(head), Ok(parts)) = (Head::parse(text), front::split(text)) else { return };
    if let Some(id) = head.id.as_ref().filter(|id| id.as_str() != CardId::new(id.kind, id.number).as_str()) {
        let usual = CardId::new(id.kind, id.number);
        report.warn("card-form", path, &format!("has the id {id}; three digits are usual: {usual}"));
    }
    for (name, date) in [("created", &head.created), ("last_reviewed", &head.last_reviewed)] {
        if let Some(date) = date.as_deref().filter(|date| date.parse::<Date>().is_err()) {
            let message = format!("has `{date}` as {name}, which is no date such as 2026-01-02");
            report.add("card-form", path, 0, &message);
        }
    }
    let sections = Sections::parse(parts.body);
    if sections.evidence.is_empty() && head.source.is_none() {
        report.add("no-evidence", path, 0, "claims something without evidence or source (D.4)");
    }
    let missing: Vec<&str> = sections.missing().into_iter().filter(|name| *name != "evidence").collect();
    if !missing.is_empty() {
        report.warn("empty-section", path, &format!("says nothing under: {}", missing.join(", ")));
    }
}

impl Report {
    fn add(&mut self, rule: &'static str, path: &str, line: usize, message: &str) {
        let (path, message) = (path.to_owned(), message.to_owned());
        self.findings.push(Finding { rule, severity: Severity::Error, path, line, message });
    }

    fn warn(&mut self, rule: &'static str, path: &str, message: &str) {
        let (path, message) = (path.to_owned(), message.to_owned());
        self.findings.push(Finding { rule, severity: Severity::Warning, path, line: 0, message });
    }
}
