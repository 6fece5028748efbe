//! What proves where something came from: run manifests, signatures, statements, SBOMs, labels. Bytes in, bytes out.
//!
//! Holds: no clock is touched here, and no file but a signing key's own (`key_file`); the same input gives the same
//! bytes; a check refuses whatever it does not know in full.
//! Elsewhere: `mi-box` writes these beside a run's outputs; whose key is kept where is the caller's business.

pub mod exact;
pub mod key_file;
pub mod label;
pub mod manifest;
pub mod sbom;
pub mod sign;
pub mod statement;
