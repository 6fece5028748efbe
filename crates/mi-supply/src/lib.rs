//! What proves where something came from: run manifests, signatures, statements, SBOMs, labels. Bytes in, bytes out.
//!
//! Holds: no file or clock is touched here; the same input gives the same bytes; a check refuses
//! whatever it does not know in full.
//! Elsewhere: `mi-box` writes these beside a run's outputs; keys are kept by whoever calls.

pub mod exact;
pub mod label;
pub mod manifest;
pub mod sbom;
pub mod sign;
pub mod statement;
