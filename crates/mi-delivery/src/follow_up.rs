//! Doubts that become tasks: the mitigations of yellow votes, when a decision is made on a proposal.

use mi_council::{Colour, FollowUp, Proposal, RecordKind};

/// The tasks that a decision of this kind takes over from the yellow votes.
pub(crate) fn tasks(kind: &str, proposal: &Proposal, beat: i64) -> Vec<FollowUp> {
    match RecordKind::from_word(kind) {
        Some(RecordKind::Approval | RecordKind::Ordinary) => {}
        _ => return Vec::new(),
    }
    let yellow = proposal.votes.values().filter(|vote| vote.vote == Colour::Yellow);
    let mitigations = yellow.flat_map(|vote| &vote.mitigations);
    mitigations
        .filter_map(|mitigation| {
            let (owner, due) = (mitigation.owner.clone()?, mitigation.due?);
            Some(FollowUp {
                text: mitigation.text.clone(),
                owner,
                due_beat: beat.saturating_add(i64::from(due)),
            })
        })
        .collect()
}
