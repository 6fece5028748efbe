//! A session log as text: six sections between machine anchors, markers of automatic saves, the roll-up of a day
//! (D.4, D.11, D.12).
//!
//! Holds: [`add`] inserts lines and changes nothing else, so that what a person wrote into a log stays; [`roll_up`] of
//! the same logs has the same bytes.

use mi_gate::messages::{Locale, Message};
use serde::Serialize;

use crate::card::heading;
use crate::front::{FrontError, quoted, set_field};

/// A section of a log; the first three are always there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Section {
    CompletedItems,
    Decisions,
    NextSteps,
    CandidateInsights,
    ExternalAiCalls,
    Incidents,
}

impl Section {
    pub const ALL: [Self; 6] = [
        Self::CompletedItems,
        Self::Decisions,
        Self::NextSteps,
        Self::CandidateInsights,
        Self::ExternalAiCalls,
        Self::Incidents,
    ];

    /// Its name in anchors and JSON.
    pub fn key(self) -> &'static str {
        self.into()
    }

    fn title(self) -> &'static str {
        match self {
            Self::CompletedItems => "Completed items",
            Self::Decisions => "Decisions",
            Self::NextSteps => "Next steps",
            Self::CandidateInsights => "Candidate insights",
            Self::ExternalAiCalls => "External AI calls",
            Self::Incidents => "Incidents",
        }
    }

    /// The section that a heading of a log without anchors begins.
    fn of_heading(words: &str) -> Option<Self> {
        Some(match words {
            "completed items" | "completed" | "done" | "完成" | "已完成" | "完成事项" => {
                Self::CompletedItems
            }
            "decisions" | "decision" | "决策" | "决定" => Self::Decisions,
            "next steps" | "next" | "下一步" | "后续" | "待办" => Self::NextSteps,
            "candidate insights" | "insights" | "候选洞察" => Self::CandidateInsights,
            "external ai calls" | "外部ai调用" => Self::ExternalAiCalls,
            "incidents" | "incident" | "事故" => Self::Incidents,
            _ => return None,
        })
    }

    fn begin(self) -> String {
        format!("<!-- mi:section {} -->", self.key())
    }

    fn end(self) -> String {
        format!("<!-- mi:end {} -->", self.key())
    }
}

/// Items by section.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Items {
    pub completed_items: Vec<String>,
    pub decisions: Vec<String>,
    pub next_steps: Vec<String>,
    pub candidate_insights: Vec<String>,
    pub external_ai_calls: Vec<String>,
    pub incidents: Vec<String>,
}

impl Items {
    pub fn of(&self, section: Section) -> &Vec<String> {
        match section {
            Section::CompletedItems => &self.completed_items,
            Section::Decisions => &self.decisions,
            Section::NextSteps => &self.next_steps,
            Section::CandidateInsights => &self.candidate_insights,
            Section::ExternalAiCalls => &self.external_ai_calls,
            Section::Incidents => &self.incidents,
        }
    }

    pub fn of_mut(&mut self, section: Section) -> &mut Vec<String> {
        match section {
            Section::CompletedItems => &mut self.completed_items,
            Section::Decisions => &mut self.decisions,
            Section::NextSteps => &mut self.next_steps,
            Section::CandidateInsights => &mut self.candidate_insights,
            Section::ExternalAiCalls => &mut self.external_ai_calls,
            Section::Incidents => &mut self.incidents,
        }
    }

    pub fn is_empty(&self) -> bool {
        Section::ALL.into_iter().all(|section| self.of(section).is_empty())
    }

    /// Only what tier A+ reads.
    pub fn for_other_windows(&self) -> Self {
        Self {
            completed_items: self.completed_items.clone(),
            decisions: self.decisions.clone(),
            ..Self::default()
        }
    }
}

const NOTHING: &str = "(none)";

/// The items of a log: by its anchors, or by its headings where it has none.
pub fn read(text: &str) -> Items {
    let anchored = text.contains("<!-- mi:section ");
    let mut items = Items::default();
    let mut section = None;
    for line in text.lines() {
        let trimmed = line.trim();
        if anchored {
            if let Some(next) = Section::ALL.into_iter().find(|one| trimmed == one.begin()) {
                section = Some(next);
                continue;
            }
            if section.is_some_and(|one| trimmed == one.end()) {
                section = None;
            }
        }
        match heading(line) {
            Some(words) if !anchored => section = Section::of_heading(&words),
            Some(_) => {}
            None => {
                if let Some(section) = section {
                    take_line(items.of_mut(section), line);
                }
            }
        }
    }
    items
}

fn take_line(items: &mut Vec<String>, line: &str) {
    let trimmed = line.trim();
    if trimmed.is_empty() || trimmed == NOTHING || trimmed == "无" || trimmed.starts_with("<!--") {
        return;
    }
    let indented = line.starts_with([' ', '\t']);
    match (bullet(trimmed), items.last_mut()) {
        (Some(text), _) if !indented => items.push(text.to_owned()),
        (_, Some(last)) if indented => {
            last.push('\n');
            last.push_str(trimmed);
        }
        (Some(text), _) => items.push(text.to_owned()),
        (None, _) => items.push(trimmed.to_owned()),
    }
}

/// The text behind `-`, `*`, `+` or `1.`, without a check box.
fn bullet(line: &str) -> Option<&str> {
    let rest =
        line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")).or_else(|| line.strip_prefix("+ "));
    let rest = rest.or_else(|| {
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        line.get(digits..).filter(|_| digits > 0)?.strip_prefix(". ")
    })?;
    let boxed = ["[ ] ", "[x] ", "[X] "].iter().find_map(|mark| rest.strip_prefix(mark));
    Some(boxed.unwrap_or(rest).trim())
}

/// An item as lines of a list; nothing in it can be taken for an anchor.
fn item_lines(item: &str) -> String {
    let harmless = item.replace("<!--", "&lt;!--");
    let mut lines = harmless.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut text = format!("- {}\n", lines.next().unwrap_or_default());
    lines.for_each(|line| text.push_str(&format!("  {line}\n")));
    text
}

/// Whose log it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogHead<'a> {
    pub date: &'a str,
    pub slot: &'a str,
    pub session: &'a str,
    pub member: &'a str,
    pub started: &'a str,
    /// The sentence of the very first log.
    pub note: Option<&'a str>,
}

/// A log without items.
pub fn new_log(head: &LogHead<'_>) -> String {
    let mut text = format!(
        "---\ndate: {}\nslot: {}\nsession: {}\nmember: {}\nstarted: {}\n---\n\n# Session {}, slot {}\n",
        head.date,
        quoted(head.slot),
        quoted(head.session),
        quoted(head.member),
        quoted(head.started),
        head.date,
        head.slot,
    );
    if let Some(note) = head.note {
        text.push_str(&format!("\n{note}\n"));
    }
    for section in Section::ALL {
        text.push('\n');
        text.push_str(&section_text(section, &[]));
    }
    text
}

fn section_text(section: Section, items: &[String]) -> String {
    let mut text = format!("{}\n## {}\n\n", section.begin(), section.title());
    if items.is_empty() {
        text.push_str(&format!("{NOTHING}\n"));
    }
    items.iter().for_each(|item| text.push_str(&item_lines(item)));
    text.push_str(&format!("{}\n", section.end()));
    text
}

/// The log with more items; those it has already are not added again.
pub fn add(log: &str, items: &Items) -> String {
    let known = read(log);
    let mut text = log.to_owned();
    for section in Section::ALL {
        let shown = |item: &String| read_back(item);
        let have: Vec<String> = known.of(section).clone();
        let mut new: Vec<&String> = Vec::new();
        for item in items.of(section) {
            let fresh = !have.contains(&shown(item)) && !new.iter().any(|other| shown(other) == shown(item));
            if fresh && !item.trim().is_empty() {
                new.push(item);
            }
        }
        if !new.is_empty() {
            let lines: String = new.into_iter().map(|item| item_lines(item)).collect();
            text = insert(&text, section, &lines);
        }
    }
    text
}

/// An item as it will be read from the log.
fn read_back(item: &str) -> String {
    let mut items = Vec::new();
    item_lines(item).lines().for_each(|line| take_line(&mut items, line));
    items.pop().unwrap_or_default()
}

/// Puts lines before a section's end anchor; a log without that anchor gets the section at its end.
fn insert(text: &str, section: Section, lines: &str) -> String {
    let mut at = 0;
    let mut begin = None;
    for line in text.split_inclusive('\n') {
        if line.trim() == section.begin() {
            begin = Some(at);
        } else if let Some(begin) = begin.filter(|_| line.trim() == section.end()) {
            let inside = &text[begin..at];
            let inside = inside.strip_suffix(&format!("{NOTHING}\n")).unwrap_or(inside);
            return format!("{}{inside}{lines}{}", &text[..begin], &text[at..]);
        }
        at += line.len();
    }
    let gap = if text.ends_with("\n\n") || text.is_empty() { "" } else { "\n" };
    let gap = if text.ends_with('\n') || text.is_empty() { gap.to_owned() } else { format!("\n{gap}") };
    format!("{text}{gap}{}\n## {}\n\n{lines}{}\n", section.begin(), section.title(), section.end())
}

/// Notes in the front matter when a log was saved and when its session ended.
pub fn stamp(log: &str, key: &str, at: &str) -> Result<String, FrontError> {
    set_field(log, key, &quoted(at))
}

/// The log with the marker of an automatic save at its end (D.12).
pub fn mark_auto_save(log: &str, trigger: u8, at: &str) -> String {
    let gap = if log.ends_with('\n') { "" } else { "\n" };
    format!("{log}{gap}<!-- mi:auto-save trigger={trigger} at={at} -->\n")
}

/// When a log was last saved by itself.
pub fn last_auto_save(log: &str) -> Option<mi_model::Timestamp> {
    let marks = log.lines().filter_map(|line| line.trim().strip_prefix("<!-- mi:auto-save "));
    marks.filter_map(|rest| rest.split_once("at=")?.1.split_whitespace().next()?.parse().ok()).max()
}

/// A log of the day for the roll-up.
#[derive(Debug, Clone, Copy)]
pub struct DayLog<'a> {
    pub slot: &'a str,
    pub file: &'a str,
    pub text: &'a str,
}

const ROLL_UP: &str = "<!-- mi:roll-up ";

/// The day's log out of its slots: same logs, same bytes.
pub fn roll_up(date: &str, logs: &[DayLog<'_>]) -> String {
    let mut sorted: Vec<&DayLog<'_>> = logs.iter().collect();
    sorted.sort_by_key(|log| log.file);
    let mut body = format!("# Sessions of {date}\n\n");
    for log in &sorted {
        body.push_str(&format!("- slot {}: {}\n", log.slot, log.file));
    }
    // The very first log says so; the day's log is that log too (D.11).
    let first = [Locale::Zh, Locale::En].map(|locale| Message::FirstSessionLog.text(locale));
    let note =
        sorted.iter().flat_map(|log| log.text.lines()).find(|line| first.iter().any(|note| note == line));
    if let Some(note) = note {
        body.push_str(&format!("\n{note}\n"));
    }
    let read: Vec<(&str, Items)> = sorted.iter().map(|log| (log.slot, read(log.text))).collect();
    for section in Section::ALL {
        let mut items: Vec<String> = Vec::new();
        for (slot, found) in &read {
            for item in found.of(section) {
                let marked = format!("[{slot}] {item}");
                // A roll-up that became a log of its own has its items marked already.
                if !items.contains(&marked) && !items.contains(item) {
                    items.push(marked);
                }
            }
        }
        body.push('\n');
        body.push_str(&section_text(section, &items));
    }
    let digest = mi_model::sha256_hex(body.as_bytes());
    format!("{ROLL_UP}{} -->\n{body}", &digest[..16])
}

/// Whether a text is a roll-up that nobody has changed.
pub fn is_roll_up(text: &str) -> bool {
    let Some((first, body)) = text.split_once('\n') else { return false };
    let digest = first.strip_prefix(ROLL_UP).and_then(|rest| rest.strip_suffix(" -->"));
    digest.is_some_and(|digest| mi_model::sha256_hex(body.as_bytes()).get(..16) == Some(digest))
}

#[cfg(test)]
mod tests;
