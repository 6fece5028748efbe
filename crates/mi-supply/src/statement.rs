//! An in-toto statement about a run's manifest, in a DSSE envelope.
//!
//! Holds: one subject (the manifest), one signature, one known payload type; an envelope with anything else is
//! refused, and no key is ever taken from an envelope.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    manifest::{MANIFEST_FILE, RunManifest},
    sign::{PublicKey, SecretKey},
};

/// The file's name, beside the manifest.
pub const STATEMENT_FILE: &str = "statement.dsse.json";
const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";
const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";
const PREDICATE_TYPE: &str = "https://slsa.dev/provenance/v1";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Envelope {
    payload: String,
    #[serde(rename = "payloadType")]
    payload_type: String,
    signatures: Vec<EnvelopeSignature>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EnvelopeSignature {
    keyid: String,
    sig: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Statement {
    #[serde(rename = "_type")]
    kind: String,
    subject: Vec<Subject>,
    #[serde(rename = "predicateType")]
    predicate_type: String,
    predicate: Value,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Subject {
    name: String,
    digest: SubjectDigest,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SubjectDigest {
    sha256: String,
}

/// Why an envelope does not hold.
#[derive(Debug, thiserror::Error)]
pub enum StatementError {
    #[error("read the envelope")]
    Json(#[source] serde_json::Error),
    #[error("the envelope's payload is of another type: {0}")]
    PayloadType(String),
    #[error("the envelope must have exactly one signature, by the key {0}")]
    Signer(String),
    #[error("the envelope's payload is not what was signed")]
    Signature,
    #[error("the statement is not one about exactly one manifest")]
    Form,
    #[error("the statement is about another manifest")]
    OtherManifest,
    #[error("the envelope is not written as mi writes it")]
    Spelling,
}

/// The envelope that says how a manifest came to be.
pub fn envelope(manifest: &RunManifest, key: &SecretKey) -> String {
    let statement = Statement {
        kind: STATEMENT_TYPE.to_owned(),
        subject: vec![Subject {
            name: MANIFEST_FILE.to_owned(),
            digest: SubjectDigest { sha256: mi_model::sha256_hex(manifest.to_json().as_bytes()) },
        }],
        predicate_type: PREDICATE_TYPE.to_owned(),
        predicate: predicate(manifest),
    };
    let payload = serde_json::to_vec(&statement).expect("a struct of texts is JSON");
    let envelope = Envelope {
        payload: STANDARD.encode(&payload),
        payload_type: PAYLOAD_TYPE.to_owned(),
        signatures: vec![EnvelopeSignature {
            keyid: key.public().id().to_string(),
            sig: STANDARD.encode(key.sign_bare(&pre_authentication(PAYLOAD_TYPE, &payload))),
        }],
    };
    envelope.to_text()
}

impl Envelope {
    fn to_text(&self) -> String {
        format!("{}\n", serde_json::to_string_pretty(self).expect("a struct of texts is JSON"))
    }
}

/// Checks an envelope against a key that the caller trusts and the bytes of the manifest. No byte of it may differ from what
/// [`envelope`] wrote.
pub fn verify(envelope: &[u8], key: &PublicKey, manifest: &[u8]) -> Result<(), StatementError> {
    let text = envelope;
    let envelope: Envelope = serde_json::from_slice(text).map_err(StatementError::Json)?;
    if envelope.payload_type != PAYLOAD_TYPE {
        return Err(StatementError::PayloadType(envelope.payload_type));
    }
    let [signature] = &envelope.signatures[..] else {
        return Err(StatementError::Signer(key.id().to_string()));
    };
    if signature.keyid != key.id().to_string() {
        return Err(StatementError::Signer(key.id().to_string()));
    }
    let decode = |text: &str| STANDARD.decode(text).map_err(|_| StatementError::Signature);
    let (payload, bytes) = (decode(&envelope.payload)?, decode(&signature.sig)?);
    if !key.verify_bare(&pre_authentication(PAYLOAD_TYPE, &payload), &bytes) {
        return Err(StatementError::Signature);
    }
    about(&payload, manifest)?;
    if envelope.to_text().as_bytes() == text { Ok(()) } else { Err(StatementError::Spelling) }
}

fn about(payload: &[u8], manifest: &[u8]) -> Result<(), StatementError> {
    let statement: Statement = serde_json::from_slice(payload).map_err(StatementError::Json)?;
    let [subject] = &statement.subject[..] else { return Err(StatementError::Form) };
    let is_known = statement.kind == STATEMENT_TYPE
        && statement.predicate_type == PREDICATE_TYPE
        && subject.name == MANIFEST_FILE;
    if !is_known {
        return Err(StatementError::Form);
    }
    match subject.digest.sha256 == mi_model::sha256_hex(manifest) {
        true => Ok(()),
        false => Err(StatementError::OtherManifest),
    }
}

/// DSSE's encoding of what is signed: type and payload, each with its length.
fn pre_authentication(payload_type: &str, payload: &[u8]) -> Vec<u8> {
    let head = format!("DSSEv1 {} {payload_type} {} ", payload_type.len(), payload.len());
    [head.as_bytes(), payload].concat()
}

/// SLSA provenance: what was asked for, what it was made of, who made it.
fn predicate(manifest: &RunManifest) -> Value {
    let image = manifest.image.as_ref().zip(manifest.image_digest.as_deref()).map(
        |(image, digest)| json!({"uri": image, "digest": {"sha256": digest.trim_start_matches("sha256:")}}),
    );
    let outputs: Vec<Value> = manifest
        .outputs
        .iter()
        .map(|output| json!({"name": output.path, "digest": {"sha256": output.sha256}}))
        .collect();
    json!({
        "buildDefinition": {
            "buildType": "urn:mi:run:1",
            "externalParameters": {"task_id": manifest.task_id, "command": manifest.command},
            "internalParameters": {
                "limits": manifest.limits, "determinism": manifest.determinism, "policy_hash": manifest.policy_hash,
                "exceptions": manifest.exceptions, "egress_used": manifest.egress_used,
            },
            "resolvedDependencies": image.into_iter().collect::<Vec<_>>(),
        },
        "runDetails": {
            "builder": {"id": format!("urn:mi:box:{}", manifest.engine)},
            "metadata": {
                "invocationId": manifest.run_id, "startedOn": manifest.started, "finishedOn": manifest.finished,
            },
            "byproducts": outputs,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::tests::example;

    fn key(number: u8) -> SecretKey {
        SecretKey::from_random([number; 32], [number; 8]).unwrap()
    }

    fn changed(envelope: &str, change: impl FnOnce(&mut Value)) -> Vec<u8> {
        let mut value: Value = serde_json::from_str(envelope).unwrap();
        change(&mut value);
        spelled(&value)
    }

    /// As `mi` spells it, so that it is not refused for that.
    fn spelled(value: &Value) -> Vec<u8> {
        format!("{}\n", serde_json::to_string_pretty(value).unwrap()).into_bytes()
    }

    /// An envelope that anybody signed anew over another statement.
    fn signed(payload: &Value, key: &SecretKey) -> Vec<u8> {
        let payload = payload.to_string().into_bytes();
        let sig = STANDARD.encode(key.sign_bare(&pre_authentication(PAYLOAD_TYPE, &payload)));
        let signature = json!({"keyid": key.public().id().to_string(), "sig": sig});
        spelled(&json!({
            "payload": STANDARD.encode(&payload), "payloadType": PAYLOAD_TYPE, "signatures": [signature],
        }))
    }

    /// U: the statement holds for its manifest and key; another type, key, subject or manifest is refused.
    #[test]
    fn u_statements_hold_for_one_manifest() {
        let (manifest, secret) = (example(), key(1));
        let (bytes, public) = (manifest.to_json().into_bytes(), secret.public());
        let good = envelope(&manifest, &secret);
        verify(good.as_bytes(), &public, &bytes).unwrap();
        verify(&changed(&good, |_| {}), &public, &bytes).unwrap();
        assert!(matches!(verify(good.trim().as_bytes(), &public, &bytes), Err(StatementError::Spelling)));
        let refused =
            |envelope: &[u8], what: &str| assert!(verify(envelope, &public, &bytes).is_err(), "{what}");
        assert!(matches!(verify(good.as_bytes(), &public, b"{}"), Err(StatementError::OtherManifest)));
        refused(envelope(&manifest, &key(2)).as_bytes(), "another key");
        refused(&changed(&good, |value| value["payloadType"] = json!("text/plain")), "another type");
        refused(&changed(&good, |value| value["signatures"] = json!([])), "no signature");
        refused(
            &changed(&good, |value| {
                let first = value["signatures"][0].clone();
                value["signatures"].as_array_mut().unwrap().push(first);
            }),
            "two signatures",
        );
        refused(&changed(&good, |value| value["signatures"][0]["cert"] = json!("x")), "an embedded key");
        refused(&changed(&good, |value| value["payload"] = json!("e30=")), "another payload");
    }

    /// U: zero or many subjects, or subjects with other names, are refused although they are signed.
    #[test]
    fn u_statements_have_one_subject() {
        let (manifest, secret) = (example(), key(1));
        let bytes = manifest.to_json().into_bytes();
        let subject = json!({"name": MANIFEST_FILE, "digest": {"sha256": mi_model::sha256_hex(&bytes)}});
        let other = json!({"name": "x", "digest": {"sha256": mi_model::sha256_hex(&bytes)}});
        let subjects = [vec![], vec![subject.clone(), subject.clone()], vec![other], vec![subject]];
        let results = subjects.map(|subject| {
            let statement = json!({
                "_type": STATEMENT_TYPE, "subject": subject, "predicateType": PREDICATE_TYPE, "predicate": {},
            });
            verify(&signed(&statement, &secret), &secret.public(), &bytes).is_ok()
        });
        assert_eq!(results, [false, false, false, true]);
    }
}
