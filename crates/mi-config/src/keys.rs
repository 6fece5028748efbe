//! The table of all settings: name, kind, and how far a project's own files may decide.

use crate::choices::{
    BoxEngine, CounterCheck, Locale, MakeService, MindProvider, OpenaiWire, ProveEngine, Sandbox,
};
use crate::value::Kind;

/// How far `.mi/config.toml` and `.mi/local.toml` of a project may decide. They come with a clone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// A project may choose.
    Project,
    /// A project may only make it stricter than it is: a lower limit (0 = none).
    Tighten,
    /// A project may only raise it: a higher number is stricter.
    Raise,
    /// Only the person decides: it says what runs, what it may do, or where data goes.
    User,
}

/// One setting.
#[derive(Debug)]
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) reach: Reach,
    /// A variable of the ecosystem that says the same.
    pub(crate) alias: Option<&'static str>,
}

/// One mind request is at most 400,000 bytes; below 1,000 there is no room for any evidence.
const EVIDENCE: Kind = Kind::Number { least: 1_000, most: 400_000 };
const COUNT: Kind = Kind::Number { least: 1, most: 1 << 40 };
/// At least one: a prompt never becomes an allow unseen.
const USES: Kind = Kind::Number { least: 1, most: 1 << 20 };
const SEATS: Kind = Kind::Number { least: 0, most: 1 << 20 };
const ROUNDS: Kind = Kind::Number { least: 1, most: 20 };
const LIMIT: Kind = Kind::Number { least: 0, most: u64::MAX };

pub(crate) const KEYS: &[Key] = &[
    key("locale", Kind::Choice(Locale::WORDS), Reach::Project),
    // It may name a command: `exec:CMD`.
    key("hands.default", Kind::Text, Reach::User),
    key("hands.idle_timeout", Kind::Duration, Reach::Tighten),
    key("hands.total_timeout", Kind::Duration, Reach::Tighten),
    key("hands.codex.program", Kind::Text, Reach::User),
    key("hands.codex.model", Kind::Text, Reach::Project),
    key("hands.codex.sandbox", Kind::Choice(Sandbox::WORDS), Reach::User),
    key("hands.codex.extra_args", Kind::Words, Reach::User),
    // It decides whether anything leaves the machine at all.
    key("mind.provider", Kind::Choice(MindProvider::WORDS), Reach::User),
    key("mind.timeout", Kind::Duration, Reach::Tighten),
    key("mind.evidence_budget_bytes", EVIDENCE, Reach::Tighten),
    // The key is sent there.
    key("mind.openai.base_url", Kind::Text, Reach::User).or("OPENAI_BASE_URL"),
    key("mind.openai.model", Kind::Text, Reach::Project).or("OPENAI_MODEL"),
    key("mind.openai.wire", Kind::Choice(OpenaiWire::WORDS), Reach::User),
    key("mind.openai.key_command", Kind::Text, Reach::User),
    key("mind.anthropic.base_url", Kind::Text, Reach::User).or("ANTHROPIC_BASE_URL"),
    key("mind.anthropic.model", Kind::Text, Reach::Project).or("ANTHROPIC_MODEL"),
    key("mind.anthropic.key_command", Kind::Text, Reach::User),
    key("mind.codex.model", Kind::Text, Reach::Project),
    key("budget.max_batches", LIMIT, Reach::Tighten),
    key("budget.max_minutes", LIMIT, Reach::Tighten),
    key("budget.max_tokens", LIMIT, Reach::Tighten),
    key("budget.max_cents", LIMIT, Reach::Tighten),
    // A clone must not make things look cheap.
    key("budget.input_cents", LIMIT, Reach::User),
    key("budget.output_cents", LIMIT, Reach::User),
    // Without it, or outside the box, less is proven: the person decides that.
    key("proof.counter_check", Kind::Choice(CounterCheck::WORDS), Reach::User),
    key("prove.engine", Kind::Choice(ProveEngine::WORDS), Reach::User),
    key("prove.budget", Kind::Duration, Reach::User),
    key("council.reviewers", SEATS, Reach::Raise),
    key("council.domain", SEATS, Reach::Raise),
    key("council.quality", SEATS, Reach::Raise),
    key("council.greens", SEATS, Reach::Raise),
    key("council.beats", SEATS, Reach::Raise),
    key("council.reviewer_timeout", Kind::Duration, Reach::Tighten),
    key("extract.max_file_bytes", COUNT, Reach::Tighten),
    key("extract.max_files", COUNT, Reach::Tighten),
    key("gate.safe_uses", USES, Reach::User),
    // What a run in the box sees; a clone must not add to it.
    key("box.env_allow", Kind::Words, Reach::User),
    key("box.engine", Kind::Choice(BoxEngine::WORDS), Reach::User),
    key("box.toolchains", Kind::Words, Reach::User),
    key("box.max_output_bytes", COUNT, Reach::Tighten),
    key("box.max_data_bytes", COUNT, Reach::Tighten),
    key("box.temp_bytes", COUNT, Reach::Tighten),
    // A clone may not claim more of the machine.
    key("box.limits.memory", COUNT, Reach::Tighten),
    key("box.limits.cpus", LIMIT, Reach::Tighten),
    key("box.limits.pids", COUNT, Reach::Tighten),
    key("box.limits.time", Kind::Duration, Reach::Tighten),
    key("box.advisories", Kind::Text, Reach::User),
    key("box.age_recipients", Kind::Words, Reach::User),
    key("box.images.base", Kind::Text, Reach::User),
    key("box.images.rust", Kind::Text, Reach::User),
    key("box.images.go", Kind::Text, Reach::User),
    key("box.images.python", Kind::Text, Reach::User),
    key("box.images.node", Kind::Text, Reach::User),
    key("box.images.java", Kind::Text, Reach::User),
    key("box.images.cpp", Kind::Text, Reach::User),
    // Where things leave to.
    key("sinks.allow", Kind::Words, Reach::User),
    // What may be delivered under which licence.
    key("kaching.allow", Kind::Words, Reach::User),
    key("kaching.deny", Kind::Words, Reach::User),
    // The task and the project's files are sent there.
    key("make.service", Kind::Choice(MakeService::WORDS), Reach::User),
    key("make.model", Kind::Text, Reach::User),
    key("make.roles", Kind::Words, Reach::User),
    key("make.ollama_base_url", Kind::Text, Reach::User),
    key("make.role", Kind::Text, Reach::Project),
    key("make.rounds", ROUNDS, Reach::Tighten),
    key("make.timeout", Kind::Duration, Reach::Tighten),
    key("notify.command", Kind::Text, Reach::User),
    key("memory.categories", Kind::Words, Reach::Project),
    // A clone must not bring the deletion of files with it.
    key("memory.gc.automatic", Kind::Switch, Reach::User),
    key("memory.gc.age_days", LIMIT, Reach::User),
    key("memory.gc.cycles_since_read", LIMIT, Reach::User),
    key("memory.gc.reads_below", LIMIT, Reach::User),
    // Gates of the contract, which only ever block: a project may want them.
    key("workspace.gates.edit_without_tasks", Kind::Switch, Reach::Project),
    key("workspace.gates.shell_edits", Kind::Switch, Reach::Project),
    key("workspace.gates.stop_with_pending", Kind::Switch, Reach::Project),
];

/// The section whose keys are names of people, each with a list of other names: the person's alone.
pub(crate) const ALIASES: &str = "council.aliases";
/// Sections whose every key, also one that this version does not know, is the person's alone.
const USER_SECTIONS: [&str; 2] = ["gate", "sinks"];
/// Variables of `mi` that are no settings.
const RESERVED_VARIABLES: [&str; 4] = ["MI_HOME", "MI_CODEX", "MI_MEMBER", "MI_NOW"];

const fn key(name: &'static str, kind: Kind, reach: Reach) -> Key {
    Key { name, kind, reach, alias: None }
}

impl Key {
    const fn or(mut self, alias: &'static str) -> Self {
        self.alias = Some(alias);
        self
    }

    /// `hands.codex.model` → `MI_HANDS_CODEX_MODEL`.
    pub(crate) fn variable(&self) -> String {
        format!("MI_{}", self.name.replace('.', "_").to_uppercase())
    }
}

pub(crate) fn find(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name == name)
}

pub(crate) fn is_section(name: &str) -> bool {
    KEYS.iter().any(|key| key.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')))
}

pub(crate) fn is_users_alone(name: &str) -> bool {
    let section = name.split('.').next().unwrap_or_default();
    USER_SECTIONS.contains(&section)
        || name.strip_prefix(ALIASES).is_some_and(|rest| rest.starts_with('.'))
        || find(name).is_some_and(|key| key.reach == Reach::User)
}

/// Whether a variable looks like a setting and is none.
pub(crate) fn is_unknown_variable(name: &str) -> bool {
    name.starts_with("MI_")
        && !name.starts_with("MI_TEST_")
        && !RESERVED_VARIABLES.contains(&name)
        && !KEYS.iter().any(|key| key.variable() == name)
}

/// The setting a person most likely meant.
pub(crate) fn nearest(name: &str) -> Option<&'static str> {
    let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
    let misplaced = KEYS.iter().find(|key| last(key.name) == last(name) && is_section_like(name, key.name));
    misplaced
        .map(|key| key.name)
        .or_else(|| closest(name, KEYS.iter().map(|key| (key.name.to_owned(), key.name))))
}

/// The setting whose variable a person most likely meant.
pub(crate) fn nearest_variable(name: &str) -> Option<String> {
    closest(name, KEYS.iter().map(|key| (key.variable(), key.variable())))
}

/// `sandbox` and `codex.sandbox` are `hands.codex.sandbox` with the front left out.
fn is_section_like(name: &str, known: &str) -> bool {
    known.strip_suffix(name).is_some_and(|front| front.ends_with('.'))
}

/// The candidate within a third of the name's length in edits; names far too long are not worth the search.
fn closest<T>(name: &str, candidates: impl Iterator<Item = (String, T)>) -> Option<T> {
    if name.len() > 80 {
        return None;
    }
    let limit = (name.chars().count() / 3).max(1);
    candidates
        .map(|(text, candidate)| (edit_distance(name, &text), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// How many letters to insert, delete or replace.
fn edit_distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (index, letter) in left.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for column in 1..row.len() {
            let replaced = diagonal + usize::from(right[column - 1] != letter);
            diagonal = row[column];
            row[column] = replaced.min(row[column] + 1).min(row[column - 1] + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// No two settings share a name or a variable.
    #[test]
    fn names_are_unique() {
        let names: BTreeSet<_> = KEYS.iter().map(|key| key.name).collect();
        let variables: BTreeSet<_> = KEYS.iter().map(Key::variable).collect();
        assert_eq!((names.len(), variables.len()), (KEYS.len(), KEYS.len()));
    }

    /// Typing errors, a missing section and a misspelt section all find the setting; nonsense finds none.
    #[test]
    fn nearest_name_is_found() {
        let cases = [
            ("hands.codex.sandbx", Some("hands.codex.sandbox")),
            ("hand.codex.model", Some("hands.codex.model")),
            ("sandbox", Some("hands.codex.sandbox")),
            ("codex.sandbox", Some("hands.codex.sandbox")),
            ("budget.max_token", Some("budget.max_tokens")),
            ("colour", None),
            ("x", None),
        ];
        for (name, expected) in cases {
            assert_eq!(nearest(name), expected, "{name}");
        }
        assert_eq!(nearest_variable("MI_HANDS_CODX_MODEL").as_deref(), Some("MI_HANDS_CODEX_MODEL"));
    }

    /// What decides over programs, permissions and destinations is the person's alone.
    #[test]
    fn security_keys_are_the_persons() {
        let alone: Vec<_> = KEYS.iter().map(|key| key.name).filter(|name| is_users_alone(name)).collect();
        assert_eq!(
            alone,
            [
                "hands.default",
                "hands.codex.program",
                "hands.codex.sandbox",
                "hands.codex.extra_args",
                "mind.provider",
                "mind.openai.base_url",
                "mind.openai.wire",
                "mind.openai.key_command",
                "mind.anthropic.base_url",
                "mind.anthropic.key_command",
                "budget.input_cents",
                "budget.output_cents",
                "proof.counter_check",
                "prove.engine",
                "prove.budget",
                "gate.safe_uses",
                "box.env_allow",
                "box.engine",
                "box.toolchains",
                "box.advisories",
                "box.age_recipients",
                "box.images.base",
                "box.images.rust",
                "box.images.go",
                "box.images.python",
                "box.images.node",
                "box.images.java",
                "box.images.cpp",
                "sinks.allow",
                "kaching.allow",
                "kaching.deny",
                "make.service",
                "make.model",
                "make.roles",
                "make.ollama_base_url",
                "notify.command",
                "memory.gc.automatic",
                "memory.gc.age_days",
                "memory.gc.cycles_since_read",
                "memory.gc.reads_below",
            ]
        );
        assert!(is_users_alone("gate.rules.off") && is_users_alone("sinks.x") && !is_users_alone("locale"));
    }
}
