//! Claims: evidence counts when its source is not the claim's own.

use super::{Engine, Refusal, Refused, Verdict, run::evidence_key};
use crate::{
    protocol::Protocol,
    said::fold_source,
    words::{TrustLevel, VerificationStatus},
};

impl Engine {
    /// Every claim with its status now.
    pub fn claims(&self) -> impl Iterator<Item = (&str, VerificationStatus, TrustLevel)> {
        let states = self.protocol.claims.iter().zip(&self.run.claims);
        states.map(|(claim, state)| (claim.id.as_str(), state.status, state.trust))
    }

    pub(super) fn claim(&self, protocol: &Protocol, id: &str, claim: &str) -> Result<usize, Refused> {
        let Some(&found) = protocol.claim_index.get(claim) else {
            let near = crate::nearest::nearest(claim, protocol.claims.iter().map(|claim| claim.id.as_str()));
            let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            let claim = mi_model::shorten(claim, 60);
            return Err((Refusal::UnknownClaim, format!("there is no claim `{claim}`{near}")));
        };
        if self.run.evidence.contains(&evidence_key(id)) {
            return Err((
                Refusal::DuplicateEvidence,
                format!("evidence `{}` was given before", mi_model::shorten(id, 60)),
            ));
        }
        Ok(found)
    }

    pub(super) fn evidence(
        &mut self,
        protocol: &Protocol,
        claim: usize,
        id: &str,
        source: &str,
        supports: bool,
        verdict: &mut Verdict,
    ) {
        self.run.evidence.insert(evidence_key(id));
        let source = fold_source(source);
        let state = &mut self.run.claims[claim];
        let own = source.is_empty() || source == protocol.claims[claim].source;
        let told = if own {
            "its source is the claim's own: recorded, it changes nothing"
        } else if !supports {
            state.status = VerificationStatus::Rejected;
            "an independent source speaks against the claim"
        } else if state.status == VerificationStatus::Rejected {
            "the claim was rejected and stays so"
        } else {
            state.status = VerificationStatus::Verified;
            state.trust = TrustLevel::Verified;
            "an independent source supports the claim"
        };
        verdict.trace.push(format!("evidence {}: {told}", mi_model::shorten(id, 60)));
        verdict.claim = Some(protocol.claims[claim].id.clone());
        verdict.verification_status = Some(state.status);
    }

    /// The first claim from outside that is not verified.
    pub(super) fn unverified(&self, protocol: &Protocol) -> Option<usize> {
        (0..protocol.claims.len()).find(|claim| {
            let state = self.run.claims[*claim];
            state.trust != TrustLevel::Internal && state.status != VerificationStatus::Verified
        })
    }
}
