//! The published JSON Schema of a protocol file. It is data; the test below holds its words to those that the reader knows.

use serde_json::Value;

/// JSON Schema, 2020-12.
pub fn schema() -> Value {
    serde_json::from_str(include_str!("protocol.schema.json")).expect("the schema is JSON, by its test")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        builtin::BuiltIn,
        words::{
            AccessMode, Action, CheckTiming, EdgeClass, FieldTypeWord, GuardScope, GuardType, NodeKindWord,
            OverrideMode, Requirement, Severity, TrustLevel, VerificationStatus,
        },
    };

    fn words<T>(words: &[(&'static str, T)]) -> Vec<String> {
        words.iter().map(|(word, _)| (*word).to_owned()).collect()
    }

    /// The words that the schema allows for a property are exactly those that the reader takes, in its order.
    #[test]
    fn the_schema_lists_the_words_of_the_reader() {
        let classes: Vec<String> = words(EdgeClass::ALL)
            .into_iter()
            .flat_map(|word| [format!("{word}TransitionObject"), word].into_iter().rev())
            .collect();
        let built_in: Vec<String> = BuiltIn::ALL.iter().map(|built_in| built_in.id().to_owned()).collect();
        let schema = schema();
        for (list, property, expected) in [
            ("nodes", "kind", words(NodeKindWord::ALL)),
            ("edges", "class", classes.clone()),
            ("edges", "v2_primary_class", classes),
            ("edges", "guard_scope", words(GuardScope::ALL)),
            ("edges", "guard_type", words(GuardType::ALL)),
            ("edges", "trust_requirement", words(Requirement::ALL)),
            ("policies", "override_mode", words(OverrideMode::ALL)),
            ("policies", "violation_action", words(Action::OF_POLICIES)),
            ("access_rules", "access_mode", words(AccessMode::ALL)),
            ("claims", "trust_level", words(TrustLevel::ALL)),
            ("claims", "verification_status", words(VerificationStatus::ALL)),
            ("invariants", "check_timing", words(CheckTiming::ALL)),
            ("invariants", "severity", words(Severity::ALL)),
            ("invariants", "fail_action", words(Action::OF_INVARIANTS)),
            ("builtin_off", "id", built_in),
        ] {
            let listed = &schema["properties"][list]["items"]["properties"][property]["enum"];
            assert_eq!(*listed, Value::from(expected), "{list}.{property}");
        }
        let types = &schema["properties"]["state"]["additionalProperties"]["properties"]["type"]["enum"];
        assert_eq!(*types, Value::from(words(FieldTypeWord::ALL)));
    }

    /// The file is what `mi protocol schema` prints, byte for byte.
    #[test]
    fn the_schema_is_printed_as_it_stands() {
        let printed = serde_json::to_string_pretty(&schema()).expect("a value is JSON");
        assert_eq!(include_str!("protocol.schema.json"), format!("{printed}\n"));
    }
}
