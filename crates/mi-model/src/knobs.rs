//! Which values the knobs of `mindspec/base.json` may have. The file is edited by hand, so whatever `mi` would not obey is
//! refused by the knob's name instead of being passed over.
//!
//! Elsewhere: what each knob does is where it is read; `docs/minds.md` lists them all.

use serde_json::{Map, Value};

use crate::{ExternalActions, RiskCategory, Verification};

/// How network access or installing is to be judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExternalStance {
    /// By the person's words alone.
    ValuesJudged,
    /// The person is asked each time.
    Ask,
    /// It needs no question.
    Allow,
    /// The agent is told not to, and the person hears of it when it happens.
    Deny,
}

impl ExternalStance {
    /// The stance of that name. An unknown name, which only old records can have, asks.
    fn from_name(name: &str) -> Self {
        match name {
            "values_judged" => Self::ValuesJudged,
            "allow" => Self::Allow,
            "deny" => Self::Deny,
            _ => Self::Ask,
        }
    }
}

impl ExternalActions {
    /// The stance on a risk; `ValuesJudged` for risks that no knob is about.
    pub fn stance_on(&self, category: RiskCategory) -> ExternalStance {
        self.knob_for(category)
            .map_or(ExternalStance::ValuesJudged, |(_, value)| ExternalStance::from_name(value))
    }

    /// The name and the value of the knob that is about a risk.
    pub fn knob_for(&self, category: RiskCategory) -> Option<(&'static str, &str)> {
        match category {
            RiskCategory::Network => Some(("external_actions.network_policy", &self.network_policy)),
            RiskCategory::Install => Some(("external_actions.install_policy", &self.install_policy)),
            RiskCategory::Push
            | RiskCategory::Delete
            | RiskCategory::Privacy
            | RiskCategory::Cost
            | RiskCategory::Other => None,
        }
    }
}

impl Verification {
    /// Whether the way to check a project without tests is kept for later runs.
    pub fn remembers_strategy(&self) -> bool {
        self.no_tests_policy != "ask_every_run"
    }
}

/// What a knob may be set to.
enum Allowed {
    Flag,
    OneOf(&'static [&'static str]),
    /// Names of signals, the gentlest first.
    Signals,
    Milliseconds,
    /// Only `true`; the reason is told.
    Always(&'static str),
    /// Free text, which has no wrong values.
    Text,
}

const STANCES: &[&str] = &["values_judged", "ask", "allow", "deny"];
const SIGNALS: &[&str] = &["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGKILL"];

/// Every knob: its group, its name, its values.
const KNOBS: &[(&str, &str, Allowed)] = &[
    ("decision_procedure", "summary", Allowed::Text),
    ("decision_procedure", "mermaid", Allowed::Text),
    (
        "defaults",
        "refactor_intent",
        Allowed::OneOf(&["behavior_preserving", "behaviour_preserving", "behavior_changing"]),
    ),
    ("defaults", "ask_when_uncertain", Allowed::Flag),
    (
        "verification",
        "no_tests_policy",
        Allowed::OneOf(&["ask_once_per_project_then_remember", "ask_every_run"]),
    ),
    ("external_actions", "network_policy", Allowed::OneOf(STANCES)),
    ("external_actions", "install_policy", Allowed::OneOf(STANCES)),
    ("interrupt", "mode", Allowed::OneOf(&["off", "on_high_risk", "on_any_external"])),
    ("interrupt", "signal_sequence", Allowed::Signals),
    ("interrupt", "escalation_ms", Allowed::Milliseconds),
    ("transparency", "store_raw_transcript", Allowed::Flag),
    (
        "transparency",
        "store_evidence_log",
        Allowed::Always(
            "the evidence log is what a run is proven, continued and explained by; delete it afterwards if you must",
        ),
    ),
    ("transparency", "ui_expandable_transcript", Allowed::Flag),
    ("violation_response", "auto_learn", Allowed::Flag),
    ("violation_response", "prompt_user_on_high_risk", Allowed::Flag),
];

const VERSION: &str = "v1";

/// Why the knobs of a `base.json` cannot be obeyed, each by its name; empty when all can.
pub fn refused_knobs(file: &Value) -> Vec<String> {
    let Some(fields) = file.as_object() else { return Vec::new() };
    let mut refused = Vec::new();
    if let Some(version) = fields.get("version").filter(|version| *version != VERSION) {
        refused.push(format!("`version` is {version}, and this mi reads \"{VERSION}\""));
    }
    let mut groups: Vec<&str> = KNOBS.iter().map(|(group, _, _)| *group).collect();
    groups.dedup();
    for group in groups {
        match fields.get(group) {
            None => {}
            Some(Value::Object(knobs)) => refused.extend(refused_in(group, knobs)),
            Some(other) => refused.push(format!("`{group}` is {other} instead of a group of knobs")),
        }
    }
    refused
}

fn refused_in(group: &str, knobs: &Map<String, Value>) -> Vec<String> {
    let known: Vec<(&str, &Allowed)> =
        KNOBS.iter().filter(|(of, _, _)| *of == group).map(|(_, name, allowed)| (*name, allowed)).collect();
    knobs
        .iter()
        .filter_map(|(name, value)| {
            let complaint = match known.iter().find(|(knob, _)| knob == name) {
                Some((_, allowed)) => allowed.complaint(value)?,
                None => {
                    let names: Vec<&str> = known.iter().map(|(knob, _)| *knob).collect();
                    format!("is not a knob; `{group}` has {}", names.join(", "))
                }
            };
            Some(format!("`{group}.{name}` {complaint}"))
        })
        .collect()
}

impl Allowed {
    /// What is wrong with a value, if anything is.
    fn complaint(&self, value: &Value) -> Option<String> {
        let (is_good, wanted) = match self {
            Self::Text => (value.is_string(), "text".to_owned()),
            Self::Flag => (value.is_boolean(), "true or false".to_owned()),
            Self::OneOf(words) => {
                (value.as_str().is_some_and(|word| words.contains(&word)), words.join(", "))
            }
            Self::Signals => (is_list_of(value, is_signal), format!("a list of {}", SIGNALS.join(", "))),
            Self::Milliseconds => (is_list_of(value, Value::is_u64), "a list of milliseconds".to_owned()),
            Self::Always(why) => {
                let is_good = *value == Value::Bool(true);
                return (!is_good).then(|| format!("is {value}, which is not supported: {why}"));
            }
        };
        (!is_good).then(|| format!("is {value}, which is not supported; it takes {wanted}"))
    }
}

fn is_list_of(value: &Value, fits: impl Fn(&Value) -> bool) -> bool {
    value.as_array().is_some_and(|list| !list.is_empty() && list.iter().all(fits))
}

/// `SIGINT` and `INT`, in any case.
fn is_signal(value: &Value) -> bool {
    value.as_str().is_some_and(|name| {
        let upper = name.trim().to_ascii_uppercase();
        let bare = upper.strip_prefix("SIG").unwrap_or(&upper);
        SIGNALS.iter().any(|known| known.strip_prefix("SIG") == Some(bare))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MindSpec;
    use serde_json::json;

    /// The defaults are obeyed, and every field of them is a knob that is known here.
    #[test]
    fn defaults_are_known_and_supported() {
        let file = serde_json::to_value(MindSpec::default()).unwrap();
        assert_eq!(refused_knobs(&file), Vec::<String>::new());
        let no_knobs = ["version", "values_text", "values_summary"];
        for (group, fields) in
            file.as_object().unwrap().iter().filter(|(name, _)| !no_knobs.contains(&name.as_str()))
        {
            for name in fields.as_object().unwrap().keys() {
                assert!(KNOBS.iter().any(|(of, knob, _)| of == group && knob == name), "{group}.{name}");
            }
        }
    }

    /// Every knob that has wrong values refuses one, by its full name.
    #[test]
    fn unsupported_values_are_refused_by_name() {
        for (group, name, allowed) in KNOBS {
            let wrong = if matches!(allowed, Allowed::Text) { json!(7) } else { json!("sometimes") };
            let refused = refused_knobs(&json!({*group: {*name: wrong}}));
            assert_eq!(refused.len(), 1, "{group}.{name}: {refused:?}");
            assert!(refused[0].starts_with(&format!("`{group}.{name}` is ")), "{refused:?}");
        }
        let cases = [
            (json!({"version": "v2"}), "`version` is \"v2\", and this mi reads \"v1\""),
            (json!({"interrupt": 7}), "`interrupt` is 7 instead of a group of knobs"),
            (
                json!({"external_actions": {"netwrok_policy": "deny"}}),
                "`external_actions.netwrok_policy` is not a knob; `external_actions` has network_policy, install_policy",
            ),
            (
                json!({"interrupt": {"signal_sequence": ["SIGINT", "SIGSTOP"]}}),
                "`interrupt.signal_sequence` is [\"SIGINT\",\"SIGSTOP\"], which is not supported; it takes a list of SIGINT, \
                 SIGTERM, SIGHUP, SIGQUIT, SIGKILL",
            ),
        ];
        for (file, expected) in cases {
            assert_eq!(refused_knobs(&file), [expected]);
        }
        assert!(refused_knobs(&json!({"mine": {"anything": 1}, "values_text": "x"})).is_empty());
    }

    /// Only network and installing have knobs; a name that no version knew asks.
    #[test]
    fn stances_are_read() {
        let of = |network: &str| ExternalActions {
            network_policy: network.to_owned(),
            install_policy: "allow".to_owned(),
        };
        let on = |network: &str| of(network).stance_on(RiskCategory::Network);
        assert_eq!(on("values_judged"), ExternalStance::ValuesJudged);
        assert_eq!(
            (on("ask"), on("deny"), on("once")),
            (ExternalStance::Ask, ExternalStance::Deny, ExternalStance::Ask)
        );
        assert_eq!(of("deny").stance_on(RiskCategory::Install), ExternalStance::Allow);
        assert_eq!(of("deny").stance_on(RiskCategory::Push), ExternalStance::ValuesJudged);
    }
}
