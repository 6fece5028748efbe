//! Files of rules: YAML, typed, with examples that are run when the file is loaded.
//!
//! Holds: a file is taken whole or not at all. One that is not taken leaves guards behind: what its readable
//! matchers would have decided about is denied, and if nothing is readable, everything is.

use mi_yaml::YamlError;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::decide::Verdict;
use super::glob::{MOST, alternatives};
use super::matching::{self, Match};

/// Where a file of rules comes from; later ones only tighten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    User,
    Project,
}

/// Rules of one file.
#[derive(Debug, Clone)]
pub struct RuleSet {
    pub file: String,
    pub layer: Layer,
    pub rules: Vec<Rule>,
    /// Why the file itself was not taken; the rules are then guards.
    pub problem: Option<String>,
}

/// One rule.
#[derive(Debug, Clone)]
pub struct Rule {
    pub id: String,
    pub verdict: Verdict,
    pub matcher: Matcher,
    pub reason: String,
    pub alternative: Option<String>,
}

/// What a rule is about; every field that is given must fit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Matcher {
    /// The program that really runs.
    #[serde(default)]
    pub command: Option<Words>,
    /// Its first operands.
    #[serde(default)]
    pub args: Vec<String>,
    /// One of these options.
    #[serde(default)]
    pub flags: Vec<String>,
    /// One of these branches is the target.
    #[serde(default)]
    pub branch: Vec<String>,
    #[serde(default)]
    pub read: Option<Words>,
    #[serde(default)]
    pub write: Option<Words>,
    #[serde(default)]
    pub delete: Option<Words>,
    #[serde(default)]
    pub actor: Option<Words>,
    /// The tool's exact name.
    #[serde(default)]
    pub tool: Option<Words>,
}

/// One word or a list of them.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Words {
    One(String),
    Many(Vec<String>),
}

impl Words {
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        match self {
            Self::One(word) => std::slice::from_ref(word).iter(),
            Self::Many(words) => words.iter(),
        }
        .map(String::as_str)
    }
}

impl Matcher {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(deserialize_with = "typed::number")]
    version: u64,
    #[serde(deserialize_with = "typed::list")]
    rules: Vec<FileRule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileRule {
    #[serde(deserialize_with = "typed::text")]
    id: String,
    decision: Verdict,
    #[serde(rename = "match")]
    matcher: Matcher,
    #[serde(deserialize_with = "typed::text")]
    reason: String,
    #[serde(default)]
    alternative: Option<String>,
    #[serde(default)]
    examples: ExampleTexts,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExampleTexts {
    #[serde(default)]
    matches: Vec<String>,
    #[serde(default)]
    passes: Vec<String>,
}

/// Values of the type that is meant: YAML reads `"1"` as a number and `5` as a text where it is let.
mod typed {
    use serde::{Deserialize, Deserializer, de::Error};
    use serde_json::Value;

    pub(super) fn number<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
        let value = Value::deserialize(from)?;
        value.as_u64().ok_or_else(|| D::Error::custom("a whole number from 0 on is expected, without quotes"))
    }

    pub(super) fn text<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
        match Value::deserialize(from)? {
            Value::String(text) => Ok(text),
            _ => Err(D::Error::custom("a text is expected; put it in quotes")),
        }
    }

    pub(super) fn list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Vec<T>, D::Error> {
        let list = Option::deserialize(from)?;
        list.ok_or_else(|| D::Error::custom("a list is expected, and there is nothing; `[]` is an empty one"))
    }
}

/// Why a file of rules was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    #[error("{file}, {source}")]
    Yaml { file: String, source: YamlError },
    #[error("{file}: version {version} is not known; write `version: 1`")]
    Version { file: String, version: u64 },
    #[error("{file}: rule `{id}` {problem}")]
    Rule { file: String, id: String, problem: String },
}

/// Whether a file's examples are run. They need not be for a text whose examples held before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Examples {
    Run,
    HeldBefore,
}

/// Reads one file of rules and runs its examples.
pub fn load(file: &str, text: &str, layer: Layer) -> Result<RuleSet, LoadError> {
    load_with(file, text, layer, Examples::Run)
}

fn load_with(file: &str, text: &str, layer: Layer, examples: Examples) -> Result<RuleSet, LoadError> {
    let parsed: File =
        mi_yaml::read(text).map_err(|source| LoadError::Yaml { file: file.to_owned(), source })?;
    if parsed.version != 1 {
        return Err(LoadError::Version { file: file.to_owned(), version: parsed.version });
    }
    let mut rules: Vec<Rule> = Vec::new();
    for rule in parsed.rules {
        let twice = rules.iter().any(|known| known.id == rule.id);
        let problem = if twice { Some("stands twice".to_owned()) } else { problem_of(&rule, examples) };
        if let Some(problem) = problem {
            return Err(LoadError::Rule { file: file.to_owned(), id: rule.id, problem });
        }
        rules.push(rule.into_rule());
    }
    Ok(RuleSet { file: file.to_owned(), layer, rules, problem: None })
}

/// As [`load`]; a file that is not taken becomes guards that deny.
pub fn load_or_guard(file: &str, text: &str, layer: Layer, examples: Examples) -> RuleSet {
    load_with(file, text, layer, examples).unwrap_or_else(|error| {
        let problem = error.to_string();
        RuleSet { file: file.to_owned(), layer, rules: guards(text, &problem), problem: Some(problem) }
    })
}

impl FileRule {
    fn into_rule(self) -> Rule {
        let Self { id, decision: verdict, matcher, reason, alternative, .. } = self;
        Rule { id, verdict, matcher, reason, alternative }
    }
}

fn problem_of(rule: &FileRule, examples: Examples) -> Option<String> {
    if rule.id.trim().is_empty() {
        return Some("has no id".to_owned());
    }
    if rule.id.starts_with("mi.") {
        return Some("has an id that begins with `mi.`, which only built-in rules have".to_owned());
    }
    if rule.matcher.is_empty() {
        return Some("matches everything: say in `match` what it is about".to_owned());
    }
    if rule.reason.trim().is_empty() {
        return Some("gives no reason".to_owned());
    }
    let needs_command =
        !rule.matcher.args.is_empty() || !rule.matcher.flags.is_empty() || !rule.matcher.branch.is_empty();
    if needs_command && rule.matcher.command.is_none() {
        return Some("names args, flags or branch without a command".to_owned());
    }
    if let Some(problem) = problem_of_paths(&rule.matcher) {
        return Some(problem);
    }
    match examples {
        Examples::Run => failing_example(rule),
        Examples::HeldBefore => None,
    }
}

fn problem_of_paths(matcher: &Matcher) -> Option<String> {
    let paths = [&matcher.read, &matcher.write, &matcher.delete];
    paths.into_iter().flatten().flat_map(Words::iter).find_map(problem_of_path)
}

/// A path that can never fit would guard nothing without a word.
fn problem_of_path(path: &str) -> Option<String> {
    if path.trim().is_empty() {
        Some("has an empty path".to_owned())
    } else if alternatives(path).is_none() {
        Some(format!("has a path whose braces stand for more than {MOST} paths"))
    } else if path.matches('{').count() != path.matches('}').count() {
        Some(format!("has a brace in `{path}` that is not closed"))
    } else {
        None
    }
}

fn failing_example(rule: &FileRule) -> Option<String> {
    let outcome = |example: &String| matching::example(&rule.matcher, example);
    if let Some(example) = rule.examples.matches.iter().find(|example| outcome(example) != Match::Yes) {
        return Some(format!("does not match its example `{example}`"));
    }
    let caught = rule.examples.passes.iter().find(|example| outcome(example) == Match::Yes)?;
    Some(format!("matches `{caught}`, which it says it lets pass"))
}

/// What can still be read of a file that was not taken.
fn guards(text: &str, problem: &str) -> Vec<Rule> {
    let list = mi_yaml::read::<Value>(text).ok().and_then(|value| value.get("rules")?.as_array().cloned());
    let Some(list) = list.filter(|list| !list.is_empty()) else { return vec![guard(None, problem)] };
    list.iter()
        .filter(|rule| rule.get("decision").and_then(Value::as_str) != Some("allow"))
        .map(|rule| guard(rule.get("match"), problem))
        .collect()
}

/// Denies what the known keys of a matcher say; without any, everything.
fn guard(matcher: Option<&Value>, problem: &str) -> Rule {
    let mut known = Matcher::default();
    for (key, value) in matcher.and_then(Value::as_object).into_iter().flatten() {
        let words = || match value {
            Value::String(word) => Some(Words::One(word.clone())),
            Value::Array(list) => list
                .iter()
                .map(|word| word.as_str().map(str::to_owned))
                .collect::<Option<_>>()
                .map(Words::Many),
            _ => None,
        };
        // A path that cannot be read may mean any.
        let paths = |words: Option<Words>| match words {
            Some(words) if words.iter().any(|path| problem_of_path(path).is_some()) => {
                Some(Words::One("**".to_owned()))
            }
            words => words,
        };
        match key.as_str() {
            "command" => known.command = words(),
            "read" => known.read = paths(words()),
            "write" => known.write = paths(words()),
            "delete" => known.delete = paths(words()),
            "tool" => known.tool = words(),
            // Leaving out the rest makes the guard wider, never narrower.
            _ => {}
        }
    }
    Rule {
        id: "mi.rules-not-loaded".to_owned(),
        verdict: Verdict::Deny,
        matcher: known,
        reason: format!("a file of rules was not loaded, so what it guards is denied: {problem}"),
        alternative: Some("correct the file; `mi gate rules` shows what is loaded".to_owned()),
    }
}
