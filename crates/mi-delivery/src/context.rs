//! `context.get`: what the project itself knows, as Markdown, without what is restricted.

use mi_council::{
    RecordKind,
    shhh::{LEFT_OUT, Marked, shown_diff},
};
use mi_model::Timestamp;
use mi_supply::label::{Classification, LABEL_FILE, Label};
use std::{fmt::Write, fs, io, path::Path};

use crate::{chamber::Chamber, error::CouncilError};

/// How much is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Extent {
    #[default]
    Brief,
    Full,
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selector {
    Summary,
    Decisions,
    Diff,
}

impl Selector {
    pub fn from_word(word: &str) -> Option<Self> {
        match word.trim() {
            "summary" => Some(Self::Summary),
            "decisions" => Some(Self::Decisions),
            "diff" => Some(Self::Diff),
            _ => None,
        }
    }
}

impl Extent {
    pub fn from_word(word: &str) -> Option<Self> {
        match word.trim() {
            "brief" => Some(Self::Brief),
            "full" => Some(Self::Full),
            _ => None,
        }
    }

    fn most(self) -> usize {
        match self {
            Self::Brief => 10,
            Self::Full => usize::MAX,
        }
    }
}

const PRECEDENCE: &str =
    "> Precedence: Internal Project Context (UCXL/DRs) > Native training > Web. What follows is internal.\n";

impl Chamber {
    /// The Markdown; `work` tells where the work stands, `diff` what was changed.
    pub fn context(
        &self,
        selectors: &[Selector],
        extent: Extent,
        work: &str,
        diff: Option<&str>,
        now: Timestamp,
    ) -> Result<String, CouncilError> {
        let mut text = format!("{PRECEDENCE}\n");
        for selector in selectors {
            match selector {
                Selector::Summary => self.summary(&mut text, extent, work, now)?,
                Selector::Decisions => self.decided(&mut text, extent)?,
                Selector::Diff => {
                    let diff = diff.filter(|diff| !diff.trim().is_empty()).unwrap_or("no changes are known");
                    let diff = shown_diff(diff, |path| self.is_restricted(path));
                    let _ = writeln!(text, "## Diff\n\n```diff\n{}\n```\n", diff.trim_end());
                }
            }
        }
        self.conflicts(&mut text, now)?;
        Ok(mi_secrets::redact(&text).into_owned())
    }

    /// Whether anything in a file of the project is restricted now, or all of it by its label.
    fn is_restricted(&self, path: &str) -> bool {
        let content = fs::read(self.place.root.join(path)).unwrap_or_default();
        self.is_labelled_restricted(path) || Marked::read(&String::from_utf8_lossy(&content)).has_restricted()
    }

    /// Whether a label (Rule S: `artifact.meta.json`) beside a file, or above it in the project, keeps it back. One that
    /// cannot be read does.
    pub fn is_labelled_restricted(&self, path: &str) -> bool {
        let keeps_back = |folder: &Path| match fs::read(self.place.root.join(folder).join(LABEL_FILE)) {
            Ok(bytes) => {
                Label::read(&bytes).map_or(true, |label| label.classification == Classification::Restricted)
            }
            Err(error) => {
                error.kind() != io::ErrorKind::NotFound && error.kind() != io::ErrorKind::NotADirectory
            }
        };
        Path::new(path).ancestors().skip(1).any(keeps_back)
    }

    fn summary(
        &self,
        text: &mut String,
        extent: Extent,
        work: &str,
        now: Timestamp,
    ) -> Result<(), CouncilError> {
        text.push_str("## Summary\n\n");
        if !work.trim().is_empty() {
            let _ = writeln!(text, "{}\n", Marked::read(work).shown().trim_end());
        }
        let proposals = self.newest(extent.most())?;
        if proposals.is_empty() {
            text.push_str("No proposals.\n");
        }
        for opened in proposals {
            let phase = self.phase(&opened.id, now)?;
            let _ = writeln!(text, "- {} {}: {phase}", opened.id, one_line(&opened.title));
        }
        text.push('\n');
        Ok(())
    }

    fn decided(&self, text: &mut String, extent: Extent) -> Result<(), CouncilError> {
        text.push_str("## Decisions\n\n");
        let decisions = self.decisions()?;
        if decisions.is_empty() {
            text.push_str("No decisions.\n");
        }
        for (record, superseded) in decisions.iter().rev().take(extent.most()) {
            if record.classification == "restricted" {
                let _ = writeln!(text, "- {}: {LEFT_OUT}", record.number);
                continue;
            }
            let gone = superseded.map_or(String::new(), |by| format!(" (superseded by {by})"));
            let _ = writeln!(
                text,
                "- {} [{}] {}{gone}",
                record.number,
                record.record_kind,
                one_line(&record.title)
            );
            if extent == Extent::Full && !record.text.trim().is_empty() {
                let _ = writeln!(text, "\n{}\n", Marked::read(&record.text).shown().trim_end());
            }
        }
        text.push('\n');
        Ok(())
    }

    /// Open disagreements, and proposals on which a red stands: what an answer must not pass over.
    fn conflicts(&self, text: &mut String, now: Timestamp) -> Result<(), CouncilError> {
        let mut lines = Vec::new();
        for (record, superseded) in self.decisions()? {
            let open = record.record_kind == RecordKind::Disagreement && superseded.is_none();
            if open && record.classification != "restricted" {
                lines.push(format!("- {} disagreement: {}", record.number, one_line(&record.title)));
            }
        }
        for opened in self.newest(Extent::Brief.most())? {
            let brief = self.brief(&opened.id)?;
            if self.is_open(&brief) {
                let world = self.now(&brief.head.paths, now)?;
                let tally = brief.head.standing.tally(&world);
                lines.extend(
                    tally.reds.iter().map(|person| format!("- {} is blocked by red:{person}", opened.id)),
                );
                lines.extend(
                    tally
                        .drifted
                        .iter()
                        .map(|person| format!("- {} has drifted from drift:{person}", opened.id)),
                );
            }
        }
        text.push_str("## Conflicts\n\n");
        text.push_str(&if lines.is_empty() {
            "None are known.\n".to_owned()
        } else {
            lines.join("\n") + "\n"
        });
        Ok(())
    }
}

fn one_line(text: &str) -> String {
    Marked::read(text).shown().split_whitespace().collect::<Vec<_>>().join(" ")
}
