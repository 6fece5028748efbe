//! Who decides (D.7): what a member does alone, what goes to the person, what nobody does.

use serde::Serialize;

/// What is known about something a member is about to do.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    pub files_changed: usize,
    pub architecture: bool,
    pub deletes_or_irreversible: bool,
    pub external_communication: bool,
    /// An axiom or principle card is changed.
    pub changes_principle: bool,
    pub externally_visible: bool,
    pub pushes: bool,
    pub human_approved: bool,
    pub reviewed: bool,
    pub against_human_decision: bool,
    pub reads_others_private: bool,
    pub sends_secret: bool,
}

/// The answer, strictest kind that applies, with every reason of that kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "authority", content = "reasons")]
pub enum Authority {
    Alone,
    Escalate(Vec<&'static str>),
    Never(Vec<&'static str>),
}

/// More files than a member changes without asking.
pub const MAX_FILES_ALONE: usize = 5;

/// Looks at `facts` by the lists of D.7.
pub fn authority(facts: &Facts) -> Authority {
    let never = chosen([
        (facts.pushes && !facts.human_approved, "code is pushed only with the person's approval"),
        (facts.changes_principle && !facts.reviewed, "shared principles are changed only after a review"),
        (facts.against_human_decision, "the person's explicit decision stands"),
        (facts.reads_others_private, "private memory of another member is never read"),
        (facts.sends_secret, "secrets never go to an external system"),
    ]);
    if !never.is_empty() {
        return Authority::Never(never);
    }
    let escalate = chosen([
        (facts.architecture, "architecture is the person's decision"),
        (facts.deletes_or_irreversible, "it deletes something or cannot be undone"),
        (facts.files_changed > MAX_FILES_ALONE, "it changes more than 5 files"),
        (facts.external_communication, "it talks to somebody outside"),
        (facts.changes_principle, "it changes an axiom or principle card"),
        (facts.externally_visible || facts.pushes, "it is visible outside"),
    ]);
    if escalate.is_empty() { Authority::Alone } else { Authority::Escalate(escalate) }
}

fn chosen<const N: usize>(reasons: [(bool, &'static str); N]) -> Vec<&'static str> {
    reasons.into_iter().filter(|(applies, _)| *applies).map(|(_, reason)| reason).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Routine work of up to five files is done alone.
    #[test]
    fn d_07_routine_work_is_done_alone() {
        assert_eq!(authority(&Facts { files_changed: 5, ..Facts::default() }), Authority::Alone);
    }

    /// Each line of the escalation list escalates by itself.
    #[test]
    fn d_07_each_escalation_goes_to_the_person() {
        let cases = [
            Facts { files_changed: 6, ..Facts::default() },
            Facts { architecture: true, ..Facts::default() },
            Facts { deletes_or_irreversible: true, ..Facts::default() },
            Facts { external_communication: true, ..Facts::default() },
            Facts { changes_principle: true, reviewed: true, ..Facts::default() },
            Facts { externally_visible: true, ..Facts::default() },
            Facts { pushes: true, human_approved: true, ..Facts::default() },
        ];
        for facts in cases {
            assert!(matches!(authority(&facts), Authority::Escalate(ref why) if why.len() == 1), "{facts:?}");
        }
    }

    /// Each line of the last list is never done, whatever else is true.
    #[test]
    fn d_07_the_forbidden_is_never_done() {
        let cases = [
            Facts { pushes: true, ..Facts::default() },
            Facts { changes_principle: true, ..Facts::default() },
            Facts { against_human_decision: true, ..Facts::default() },
            Facts { reads_others_private: true, architecture: true, ..Facts::default() },
            Facts { sends_secret: true, human_approved: true, ..Facts::default() },
        ];
        for facts in cases {
            assert!(matches!(authority(&facts), Authority::Never(ref why) if why.len() == 1), "{facts:?}");
        }
    }
}
