//! The seed's templates, filled from evidence: Completion Proposal, Review Vote, Delivery Packet, Rule K sections.
//!
//! Holds: nothing is invented; a field without evidence says so.

use std::fmt::Write;

use crate::{
    Citation, Colour, Mitigation, Now, Proposal, RecordKind, Vote,
    done::{Item, Proof},
};

const NO_EVIDENCE: &str = "no evidence";

/// What only the caller knows.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// RFC 3339, UTC.
    pub time: String,
    /// The diff, if there is one.
    pub diff: Option<String>,
    /// How to go back.
    pub rollback: Option<String>,
    /// What the SHHH scan of the artefact found.
    pub secrets: Option<String>,
    /// The UCXL addresses of the artefact's files.
    pub addresses: Vec<String>,
}

/// `### Completion Proposal`.
pub fn completion_proposal(proposal: &Proposal, now: &Now, around: &Surroundings) -> String {
    let opened = &proposal.opened;
    let mut text = String::from("### Completion Proposal\n");
    field(&mut text, "Artifact", &format!("{} ({})", opened.title, opened.id));
    let scope = match proposal.scope.as_slice() {
        [] => proposal.paths.join(", "),
        scope => scope.join(", "),
    };
    field(&mut text, "Scope", &or_none(&scope));
    field(&mut text, "Snapshot", &format!("{}, sha256:{}", around.time, proposal.standing.digest(now)));
    field(&mut text, "Spec & DR Links", &spec_and_records(proposal));
    field(&mut text, "Diff Summary", &proof(proposal, Item::Diff));
    field(&mut text, "Tests", &proof(proposal, Item::Tests));
    field(&mut text, "Perf/SLO", &proof(proposal, Item::Perf));
    field(&mut text, "Security", &with_note(&proof(proposal, Item::Security), around.secrets.as_deref()));
    field(&mut text, "Compliance", &proof(proposal, Item::Licence));
    field(&mut text, "Docs/Runbooks", &proof(proposal, Item::Docs));
    field(&mut text, "Rollback Plan", around.rollback.as_deref().unwrap_or(NO_EVIDENCE));
    field(&mut text, "Open Yellows", &open_yellows(proposal, now));
    text.push_str("\n### Provenance\n");
    list(&mut text, "UCXL addresses", &around.addresses);
    let _ = writeln!(text, "- Lineage note: {}", proof(proposal, Item::Trace));
    text.push_str("\n### Evidence\n");
    for item in Item::ALL {
        let done = if matches!(proposal.checklist.get(item), Proof::Proven { .. }) { "x" } else { " " };
        let _ = writeln!(text, "- [{done}] {item}: {}", proof(proposal, item));
    }
    text.push_str("\n### Request for Review\n");
    let needs = &proposal.standing.quorum;
    let roles =
        format!("{} reviewers, {} of domain, {} of quality", needs.reviewers, needs.domain, needs.quality);
    field(&mut text, "Needed roles", &roles);
    field(&mut text, "Due by", &format!("beat {}", proposal.standing.due_beat));
    text
}

/// `### Review Vote (green|yellow|red)`.
pub fn review_vote(vote: &Vote) -> String {
    let mut text = format!("### Review Vote ({})\n", vote.vote);
    field(&mut text, "Reviewer", &format!("{} ({})", vote.name, vote.role));
    field(&mut text, "Focus Areas", &vote.scope);
    field(&mut text, "Rationale", &quoted(&vote.rationale));
    field(&mut text, "Evidence Anchors", &citations(&vote.evidence));
    if vote.vote != Colour::Green {
        field(&mut text, "Mitigations", &mitigations(&vote.mitigations));
    }
    text
}

/// `### Delivery Packet`.
pub fn delivery_packet(proposal: &Proposal, now: &Now, around: &Surroundings) -> String {
    let counted = || {
        proposal.votes.iter().filter(|(person, _)| {
            proposal
                .standing
                .ballots
                .get(person)
                .is_some_and(|ballot| proposal.standing.counts(person.as_str(), &ballot, now))
        })
    };
    let count = |colour: Colour| counted().filter(|(_, vote)| vote.vote == colour).count();
    let reviewers: Vec<String> = counted().map(|(person, vote)| format!("{person}/{}", vote.role)).collect();
    let digest = proposal.standing.digest(now);
    let mut text = String::from("### Delivery Packet\n");
    field(&mut text, "Artifact", &format!("{} ({})", proposal.opened.title, proposal.opened.id));
    field(&mut text, "Version", &digest.to_string()[..12]);
    text.push_str("**Consensus Receipt:**\n");
    let _ = writeln!(text, "- Reviewers: {}", or_none(&reviewers.join(", ")));
    let (green, yellow, red) = (count(Colour::Green), count(Colour::Yellow), count(Colour::Red));
    let _ = writeln!(text, "- Votes: {green} green / {yellow} yellow / {red} red");
    let _ = writeln!(text, "- DR: {}", records_of(proposal, RecordKind::Approval));
    text.push_str("**Provenance:**\n");
    list(&mut text, "UCXL lineage ids", &around.addresses);
    let _ = writeln!(text, "- Snapshot time: {}", around.time);
    text.push_str("**Contents:**\n- Completion Proposal (final): proposal.md\n");
    let diff = if around.diff.is_some() { "diff.patch" } else { NO_EVIDENCE };
    let _ = writeln!(text, "- Final Diff: {diff}");
    let _ = writeln!(
        text,
        "- Test & Bench Summaries: {}; {}",
        proof(proposal, Item::Tests),
        proof(proposal, Item::Perf)
    );
    let _ = writeln!(text, "- Updated Docs/Runbooks: {}", proof(proposal, Item::Docs));
    let _ = writeln!(text, "- Rollback Plan: {}", around.rollback.as_deref().unwrap_or(NO_EVIDENCE));
    text.push_str("**Compliance:**\n");
    let shhh = with_note(&proof(proposal, Item::Security), around.secrets.as_deref());
    let _ = writeln!(text, "- SHHH checks: {shhh}\n- KACHING checks: {}", proof(proposal, Item::Licence));
    text
}

/// The sections of Rule K, in their order.
pub const KNOWLEDGE_SECTIONS: [&str; 5] = [
    "Knowledge Cutoff",
    "Internal Context (from Project)",
    "Latest Context (from Web)",
    "Reasoned Answer",
    "Next Steps",
];

/// Rule K's skeleton around what `context.get` returned.
pub fn knowledge_sections(internal: &str) -> String {
    let mut text = String::new();
    for section in KNOWLEDGE_SECTIONS {
        let body = if section == KNOWLEDGE_SECTIONS[1] { internal } else { "" };
        let _ = writeln!(text, "## {section}\n\n{body}");
    }
    text
}

/// Which sections an answer lacks or has out of order; the one about the web may be left out.
pub fn missing_sections(answer: &str) -> Vec<&'static str> {
    let lines: Vec<&str> = answer.lines().collect();
    let mut from = 0;
    let mut missing = Vec::new();
    for section in KNOWLEDGE_SECTIONS {
        match lines[from..].iter().position(|line| opens_section(line, section)) {
            Some(at) => from += at + 1,
            None if section == KNOWLEDGE_SECTIONS[2] => {}
            None => missing.push(section),
        }
    }
    missing
}

/// Whether a line opens a section: as a heading, or as Rule K writes it, `Knowledge Cutoff: one line.`
fn opens_section(line: &str, section: &str) -> bool {
    let line = line.trim_start();
    let name = line.trim_start_matches(['#', '*', '_', '-', ' ']);
    let Some((name, rest)) = name.split_at_checked(section.len()) else { return false };
    let rest = rest.trim_start_matches(['*', '_', ' ']);
    let ends = rest.starts_with(':') || (line.starts_with('#') && rest.trim_end().is_empty());
    name.eq_ignore_ascii_case(section) && ends
}

fn field(text: &mut String, name: &str, value: &str) {
    let _ = writeln!(text, "**{name}:** {value}");
}

fn list(text: &mut String, name: &str, items: &[String]) {
    match items {
        [] => text.push_str(&format!("- {name}: {NO_EVIDENCE}\n")),
        items => {
            text.push_str(&format!("- {name}:\n"));
            items.iter().for_each(|item| text.push_str(&format!("  - {item}\n")));
        }
    }
}

fn or_none(text: &str) -> String {
    if text.trim().is_empty() { NO_EVIDENCE.to_owned() } else { text.to_owned() }
}

fn with_note(text: &str, note: Option<&str>) -> String {
    note.map_or_else(|| text.to_owned(), |note| format!("{text}; {note}"))
}

/// On one line, so that a rationale cannot pretend to be another field.
fn quoted(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn proof(proposal: &Proposal, item: Item) -> String {
    match proposal.checklist.get(item) {
        Proof::Proven { record } => format!("{} ({})", record.given, record.address),
        Proof::Failed { record, why } => format!("FAILED: {why} ({})", record.given),
        Proof::Unknown => NO_EVIDENCE.to_owned(),
    }
}

fn citations(citations: &[Citation]) -> String {
    let one = |citation: &Citation| match citation.is_by_version() {
        true => format!("{} (unchecked: a version, kept elsewhere)", citation.address),
        false => citation.address.clone(),
    };
    citations.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn mitigations(mitigations: &[Mitigation]) -> String {
    let one = |mitigation: &Mitigation| {
        let owner = mitigation.owner.as_ref().map_or(String::new(), |owner| format!(", owner {owner}"));
        let due = mitigation.due.map_or(String::new(), |due| format!(", due in {due} beats"));
        format!("{}{owner}{due}", quoted(&mitigation.text))
    };
    or_none(&mitigations.iter().map(one).collect::<Vec<_>>().join("; "))
}

fn records_of(proposal: &Proposal, kind: RecordKind) -> String {
    let records =
        proposal.records.iter().filter(|record| record.record_kind == kind && proposal.holds(record.number));
    let shown: Vec<String> = records.map(|record| record.number.to_string()).collect();
    if shown.is_empty() { "none".to_owned() } else { shown.join(", ") }
}

fn spec_and_records(proposal: &Proposal) -> String {
    let records = proposal.records.iter().filter(|record| proposal.holds(record.number));
    let shown = records.map(|record| format!("{} {}", record.number, record.title));
    let all: Vec<String> = std::iter::once(proof(proposal, Item::Spec)).chain(shown).collect();
    all.join("; ")
}

fn open_yellows(proposal: &Proposal, now: &Now) -> String {
    let is_open = |(person, vote): &(&crate::Person, &Vote)| {
        vote.vote == Colour::Yellow
            && proposal
                .standing
                .ballots
                .get(person)
                .is_some_and(|ballot| proposal.standing.counts(person.as_str(), &ballot, now))
    };
    let yellows: Vec<String> = proposal
        .votes
        .iter()
        .filter(is_open)
        .map(|(person, vote)| format!("{person}: {}", mitigations(&vote.mitigations)))
        .collect();
    if yellows.is_empty() { "none".to_owned() } else { yellows.join(" | ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An answer with Rule K's sections in order passes; the web may be left out, nothing else.
    #[test]
    fn rule_k_sections_are_inserted_and_checked() {
        assert_eq!(missing_sections(&knowledge_sections("facts")), Vec::<&str>::new());
        let answer =
            "## Knowledge Cutoff\nx\n## Internal Context (from Project)\n## Reasoned Answer:\n## Next Steps";
        assert_eq!(missing_sections(answer), Vec::<&str>::new());
        let in_words = "Knowledge Cutoff: May.\n**Internal Context (from Project):** x\n- Latest Context (from Web): y\n\
                        reasoned answer: z\n**Next Steps**: none";
        assert_eq!(missing_sections(in_words), Vec::<&str>::new());
        let only_mentioned = in_words.replace("Next Steps**:", "Next Steps** are none");
        assert_eq!(missing_sections(&only_mentioned), ["Next Steps"]);
        assert_eq!(
            missing_sections("## Reasoned Answer\n## Knowledge Cutoff"),
            ["Internal Context (from Project)", "Reasoned Answer", "Next Steps"]
        );
    }
}
