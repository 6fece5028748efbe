//! What was decided before, for whoever looks for contradictions (D.14): active cards, principles, session decisions.

use mi_gate::intake::KnownDecision;
use serde::Deserialize;

use crate::{
    AccessError, Persona, Problem,
    card::Sections,
    front,
    index::Entry,
    log::{self, Items},
};

impl Persona {
    /// Every decision on record with the id by which it is cited: a card's id, or a file and a number.
    pub fn known_decisions(&self, problems: &mut Vec<Problem>) -> Result<Vec<KnownDecision>, AccessError> {
        let mut known = Vec::new();
        let cards = self.cards()?;
        let active: Vec<&Entry> = cards.active().collect();
        let paths: Vec<&str> = active.iter().map(|entry| entry.path.as_str()).collect();
        for (entry, text) in active.iter().zip(self.texts(&paths)?) {
            let text = match text {
                Ok(text) => text.unwrap_or_default(),
                Err(error) => {
                    problems.push(Problem::new(&entry.path, error));
                    continue;
                }
            };
            let content =
                front::split(&text).map(|parts| Sections::parse(parts.body).content).unwrap_or_default();
            let aliases = entry.aliases.join(". ");
            let text =
                format!("{}. {}. {aliases}. {content}", entry.title, entry.merge_key.replace('-', " "));
            known.push(KnownDecision { id: entry.id.to_string(), text });
        }
        for problem in &cards.problems {
            known.extend(self.incomplete_card(&problem.path));
        }
        problems.extend(cards.problems);
        let principles = self.read_shared("core/principles.md")?.unwrap_or_default();
        for (at, text) in principle_lines(&principles).into_iter().enumerate() {
            known.push(KnownDecision { id: format!("core/principles.md#{}", at + 1), text });
        }
        let sessions = self.session_decisions(problems)?;
        known.extend(sessions.into_iter().map(|(id, text)| KnownDecision { id, text }));
        Ok(known)
    }
}

/// A card that lacks a field still says what was decided, if it has an id and counts.
#[derive(Deserialize)]
struct Loose {
    id: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    status: Option<String>,
}

impl Persona {
    fn incomplete_card(&self, path: &str) -> Option<KnownDecision> {
        let text = self.read_shared(path).ok()??;
        let loose: Loose = front::read(&text).ok()?;
        let counts = loose.status.as_deref().is_none_or(|status| status == "active");
        let body = front::split(&text).map(|parts| parts.body).unwrap_or_default();
        counts.then(|| KnownDecision { id: loose.id, text: format!("{}. {body}", loose.title) })
    }
}

/// Each point of a list and each line of plain text is a principle; headings, comments and quotes are not.
fn principle_lines(text: &str) -> Vec<String> {
    let body = front::split(text).map_or(text, |parts| parts.body);
    let mut comment = false;
    let lines: Vec<String> = body
        .lines()
        .filter(|line| {
            let line = line.trim();
            let inside = comment || line.starts_with("<!--");
            comment = inside && !line.contains("-->");
            !inside && !line.is_empty() && !line.starts_with(['#', '>', '|']) && line != "---"
        })
        .map(|line| format!("- {}", line.trim().trim_start_matches(['-', '*', '+']).trim()))
        .collect();
    let as_log = format!("## decisions\n{}\n", lines.join("\n"));
    let Items { decisions, .. } = log::read(&as_log);
    decisions
}
