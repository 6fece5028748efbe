//! The policies as they are asked: the built-in rules, and the organisation's, which can only add denials.
//!
//! Holds: a rule passes only if its policy answers with literally `true`; a policy that is missing, cannot be loaded,
//! runs too long or answers anything else denies. An organisation's policy is asked in an engine of its own, so it
//! cannot change what a built-in rule says.

use regorus::{Engine, Value, utils::limits::ExecutionTimerConfig};
use std::{
    collections::{BTreeMap, BTreeSet},
    num::NonZeroU32,
    sync::OnceLock,
    time::Duration,
};

use crate::{
    document::Json,
    exception,
    found::Found,
    rules::{BUILTIN, RULES, Rule},
    verdict::Denial,
};

/// How long all rules of one engine may take.
const TIME: Duration = Duration::from_millis(500);
const CHECKED_EVERY: NonZeroU32 = NonZeroU32::new(64).expect("64 is not 0");
/// An organisation's policy may spend all its time in one call, so the clock is read after each step.
const CHECKED_ALWAYS: NonZeroU32 = NonZeroU32::MIN;

/// An organisation's policy: a Rego file with a package below `org`, whose `allow` must be `true`.
///
/// It may also say `rule` (the id of its denial, such as `X.team`), `field` and `reason`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicySource {
    /// The file's name, for messages.
    pub name: String,
    pub text: String,
}

/// Everything that is asked before a run.
#[derive(Clone)]
pub struct Policies {
    /// Names and texts.
    sources: Vec<(String, String)>,
    /// Loaded when it is first asked: that takes longer than all questions.
    builtin: OnceLock<Result<Engine, String>>,
    organisation: Vec<Organisation>,
    pub(crate) env_allow: Vec<String>,
    hash: String,
}

#[derive(Clone)]
struct Organisation {
    name: String,
    /// The engine and the package's path, such as `data.org.limits`.
    loaded: Result<(Engine, String), String>,
}

impl Policies {
    /// The built-in rules alone.
    pub fn builtin() -> Self {
        Self::new(Vec::new(), Vec::new())
    }

    /// The built-in rules, the variables that the person allows besides the eight, and the organisation's policies.
    /// Never fails: a policy that cannot be used denies every run.
    pub fn new(env_allow: Vec<String>, organisation: Vec<PolicySource>) -> Self {
        Self::from_sources(&BUILTIN, env_allow, organisation)
    }

    pub(crate) fn from_sources(
        builtin: &[(&str, &str)],
        env_allow: Vec<String>,
        organisation: Vec<PolicySource>,
    ) -> Self {
        let own = organisation.iter().map(|source| (source.name.as_str(), source.text.as_str()));
        let hash = hash(builtin.iter().copied().chain(own), &env_allow);
        let sources = builtin.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
        Self {
            sources: sources.collect(),
            builtin: OnceLock::new(),
            organisation: organisation.into_iter().map(Organisation::load).collect(),
            env_allow,
            hash,
        }
    }

    /// The hash of every text and setting that can change a verdict; part of a run's manifest.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    fn engine(&self) -> &Result<Engine, String> {
        self.builtin.get_or_init(|| {
            let sources = self.sources.iter().map(|(name, text)| (name.as_str(), text.as_str()));
            load(sources, CHECKED_EVERY).map(|(engine, _)| engine)
        })
    }

    /// The denials of all policies. `skipped` names rules that are not asked.
    pub(crate) fn ask(&self, root: &Json, found: &Found, skipped: &[&str]) -> Vec<Denial> {
        let input = input(root, found, &self.env_allow);
        let mut denials = match self.engine() {
            Ok(engine) => ask_builtin(engine.clone(), input.clone(), skipped),
            Err(reason) => vec![Denial::new("A.policy", "", format!("load the built-in rules: {reason}"))],
        };
        denials.extend(self.organisation.iter().filter_map(|policy| policy.ask(input.clone())));
        denials
    }

    /// What is shown about each of the organisation's policies: its file, what was asked, and whether it held. Its
    /// `test_…` rules must be `true`, and shown a good request it must answer in time, with `true`, `false` or nothing.
    pub fn run_tests(&self, good: &[u8]) -> Vec<(String, String, bool)> {
        let spec = crate::document::read(good).map_or(Value::Null, |document| value(&document.root));
        let input = object([("spec", spec)]);
        let tested = self.organisation.iter().map(|policy| (policy, policy.test(input.clone())));
        tested
            .flat_map(|(policy, tests)| {
                tests.into_iter().map(|(shown, passed)| (policy.name.clone(), shown, passed))
            })
            .collect()
    }
}

const TRUE: Value = Value::Bool(true);

fn ask_builtin(mut engine: Engine, input: Value, skipped: &[&str]) -> Vec<Denial> {
    engine.set_input(input);
    // All modules and no query: that would be parsed, and the prepared engine copied for it, at every admission.
    let answers = match engine.eval_modules(false) {
        Ok(answers) => answers,
        Err(reason) => return vec![Denial::new("A.policy", "", format!("ask the built-in rules: {reason}"))],
    };
    let says_true = |rule: &Rule| {
        rule.id
            .split_once('.')
            .is_some_and(|(letter, word)| answers["mi"][letter.to_ascii_lowercase().as_str()][word] == TRUE)
    };
    let asked = RULES.iter().filter(|rule| rule.by_policy && !skipped.contains(&rule.id));
    let failing = asked.filter(|rule| !says_true(rule));
    failing.map(|rule| Denial::new(rule.id, rule.field, rule.demand)).collect()
}

impl Organisation {
    fn load(source: PolicySource) -> Self {
        let loaded = load([(source.name.as_str(), source.text.as_str())].into_iter(), CHECKED_ALWAYS)
            .and_then(|loaded| match loaded.1.strip_prefix("data.org.") {
                Some(name) if !name.is_empty() => Ok(loaded),
                _ => Err(format!(
                    "its package must lie below `org`, such as `package org.limits`, not {}",
                    loaded.1
                )),
            });
        Self { name: source.name, loaded }
    }

    fn test(&self, input: Value) -> Vec<(String, bool)> {
        let failed = |reason: String| vec![(reason, false)];
        let (engine, package) = match &self.loaded {
            Ok(loaded) => loaded,
            Err(reason) => return failed(reason.clone()),
        };
        let names = rule_names(engine.clone());
        if !names.contains("allow") {
            return failed("it has no rule `allow`".to_owned());
        }
        match query(engine.clone(), input, package) {
            Ok(answers) if answers.get("allow").is_none_or(|answer| answer.as_bool().is_ok()) => {}
            Ok(_) => return failed("its `allow` is neither true nor false".to_owned()),
            Err(reason) => return failed(reason),
        }
        let answers = match query(engine.clone(), Value::new_object(), package) {
            Ok(answers) => answers,
            Err(reason) => return failed(reason),
        };
        let tests = names.iter().filter(|name| name.starts_with("test_"));
        tests.map(|name| (name.clone(), answers.get(name) == Some(&TRUE))).collect()
    }

    fn ask(&self, input: Value) -> Option<Denial> {
        let denied = |reason: String| Some(Denial::new("A.policy", "", format!("{}: {reason}", self.name)));
        let (engine, package) = match &self.loaded {
            Ok(loaded) => loaded,
            Err(reason) => return denied(reason.clone()),
        };
        let answers = match query(engine.clone(), input, package) {
            Ok(answers) => answers,
            Err(reason) => return denied(reason),
        };
        if answers.get("allow") == Some(&TRUE) {
            return None;
        }
        let text = |key: &str| Some(answers.get(key)?.as_string().ok()?.to_string());
        let rule = text("rule").filter(|rule| exception::can_be_lifted(rule));
        let reason = text("reason").unwrap_or_else(|| "its `allow` is not true".to_owned());
        let reason = format!("{}: {reason}", self.name);
        Some(Denial::new(
            rule.unwrap_or_else(|| "A.policy".to_owned()),
            text("field").unwrap_or_default(),
            reason,
        ))
    }
}

/// The names of all rules, also of those that have no value: a test that fails has none.
fn rule_names(mut engine: Engine) -> BTreeSet<String> {
    let name_of = |text: &str| -> String {
        let head = text.strip_prefix("default ").unwrap_or(text).trim_start();
        head.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect()
    };
    engine
        .get_modules()
        .iter()
        .flat_map(|module| &module.policy)
        .map(|rule| name_of(rule.span().text()))
        .collect()
}

/// An engine with the sources, ready to be asked, and the package of the last of them.
fn load<'s>(
    sources: impl Iterator<Item = (&'s str, &'s str)>,
    check_interval: NonZeroU32,
) -> Result<(Engine, String), String> {
    let mut engine = Engine::new();
    engine.set_execution_timer_config(ExecutionTimerConfig { limit: TIME, check_interval });
    let mut package = Err("there is no policy".to_owned());
    for (name, text) in sources {
        package = engine.add_policy(name.to_owned(), text.to_owned()).map_err(|error| error.to_string());
        if package.is_err() {
            break;
        }
    }
    let package = package?;
    // Any query prepares the engine; its clones are then ready, and what cannot be prepared is known here.
    engine.eval_query("true".to_owned(), false).map_err(|error| error.to_string())?;
    Ok((engine, package))
}

/// The answers of one package: rule name and value.
fn query(mut engine: Engine, input: Value, package: &str) -> Result<BTreeMap<String, Value>, String> {
    engine.set_input(input);
    let results = engine.eval_query(package.to_owned(), false).map_err(|error| error.to_string())?;
    let value =
        results.result.first().and_then(|result| result.expressions.first()).map(|answer| &answer.value);
    let answers = value.and_then(|value| value.as_object().ok()).ok_or("the policy has no answer")?;
    let named =
        answers.iter().filter_map(|(name, value)| Some((name.as_string().ok()?.to_string(), value.clone())));
    Ok(named.collect())
}

fn input(root: &Json, found: &Found, env_allow: &[String]) -> Value {
    let texts = |texts: Vec<&str>| Value::from(texts.into_iter().map(Value::from).collect::<Vec<_>>());
    let mut facts = vec![
        ("uploads", texts(found.uploads.iter().map(String::as_str).collect())),
        ("secrets", texts(found.secrets.iter().map(|secret| secret.field.as_str()).collect())),
        ("whole", texts(found.whole.clone())),
    ];
    facts.extend(found.command_bytes.map(|bytes| ("command_bytes", Value::from(bytes))));
    object([
        ("spec", value(root)),
        ("found", object(facts)),
        ("config", object([("env_allow", texts(env_allow.iter().map(String::as_str).collect()))])),
    ])
}

fn object<'k>(entries: impl IntoIterator<Item = (&'k str, Value)>) -> Value {
    let entries = entries.into_iter().map(|(key, value)| (Value::from(key), value));
    Value::from(entries.collect::<BTreeMap<_, _>>())
}

fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Switch(on) => Value::Bool(*on),
        Json::Text(text) => Value::from(text.as_str()),
        Json::List(items) => Value::from(items.iter().map(value).collect::<Vec<_>>()),
        Json::Table(entries) => object(entries.iter().map(|(key, inner)| (key.as_str(), value(inner)))),
        Json::Number(number) => match number.whole().map(i64::try_from) {
            Some(Ok(whole)) => Value::from(whole),
            _ if number.float().is_finite() => Value::from(number.float()),
            // No number that a machine holds: a text fails every rule about numbers.
            _ => Value::from(number.0.as_str()),
        },
    }
}

/// Lengths stand before texts, so that no two lists of policies have the same bytes.
fn hash<'s>(sources: impl Iterator<Item = (&'s str, &'s str)>, env_allow: &'s [String]) -> String {
    let mut bytes = Vec::new();
    let allowed = env_allow.iter().map(|name| ("env_allow", name.as_str()));
    for (name, text) in sources.chain(allowed) {
        bytes.extend_from_slice(format!("{}:{name}{}:{text}", name.len(), text.len()).as_bytes());
    }
    mi_model::sha256_hex(&bytes)
}
