//! Laying the layers over each other.

use std::collections::BTreeMap;

use crate::file::{Assignment, Layer, Level, What, read};
use crate::keys::{self, KEYS, Key, Reach};
use crate::problem::{Origin, Problem, ProblemKind};
use crate::settings::Settings;
use crate::value::Value;
use crate::{DEFAULTS, Shown};

/// The settings, where each comes from, and what could not be used.
#[derive(Debug, Clone)]
pub struct Resolved {
    pub settings: Settings,
    /// Every setting, in the order of the documentation.
    pub shown: Vec<Shown>,
    pub problems: Vec<Problem>,
}

impl Resolved {
    /// Where a setting comes from; none for a name that is not a setting.
    pub fn origin_of(&self, key: &str) -> Option<&Origin> {
        self.shown.iter().find(|shown| shown.key == key).map(|shown| &shown.origin)
    }
}

/// Flag > `MI_*` variable > ecosystem variable > local > project > `MI_HOME` > XDG > default.
///
/// `layers` may come in any order. `env` may be the whole environment: only variables of ours and the aliases
/// are looked at, and an empty one counts as not set. `flags` are pairs of setting and text.
pub fn resolve(layers: &[Layer], env: &[(String, String)], flags: &[(&str, &str)]) -> Resolved {
    let mut pile = Pile::with_defaults();
    let mut files: Vec<&Layer> = layers.iter().collect();
    files.sort_by_key(|layer| layer.level);
    for layer in files {
        let What { assignments, aliases, problems } = read(layer);
        pile.problems.extend(problems);
        pile.aliases.extend(aliases);
        for assignment in assignments {
            pile.lay_from_file(layer.level, assignment);
        }
    }
    pile.lay_environment(env);
    pile.lay_flags(flags);
    let mut settings = Settings::from_shown(&pile.shown);
    settings.council.aliases = std::mem::take(&mut pile.aliases);
    if !settings.memory.gc.is_sound() {
        let origin = pile.origin_of_first("memory.gc.");
        pile.problems.push(Problem { origin, kind: ProblemKind::TooFewSignals });
    }
    Resolved { settings, shown: pile.shown, problems: pile.problems }
}

/// The values in force so far.
struct Pile {
    shown: Vec<Shown>,
    aliases: BTreeMap<String, Vec<String>>,
    problems: Vec<Problem>,
}

impl Pile {
    fn with_defaults() -> Self {
        let layer = Layer { level: Level::UserXdg, path: "defaults.toml".into(), text: DEFAULTS.to_owned() };
        let What { assignments, problems, .. } = read(&layer);
        let value_of = |key: &Key| {
            let found = assignments.iter().find(|assignment| assignment.key.name == key.name);
            found.expect("defaults.toml sets every setting, as a test shows").value.clone()
        };
        let shown = KEYS
            .iter()
            .map(|key| Shown { key: key.name, value: value_of(key), origin: Origin::Default })
            .collect();
        Self { shown, aliases: BTreeMap::new(), problems }
    }

    fn value(&self, key: &str) -> &Value {
        let found = self.shown.iter().find(|shown| shown.key == key);
        &found.expect("every key of the table is shown").value
    }

    /// Where the first setting of a section comes from that somebody has set.
    fn origin_of_first(&self, section: &str) -> Origin {
        let set =
            self.shown.iter().find(|shown| shown.key.starts_with(section) && shown.origin != Origin::Default);
        set.map_or(Origin::Default, |shown| shown.origin.clone())
    }

    fn lay(&mut self, key: &Key, value: Value, origin: Origin) {
        if let Some(shown) = self.shown.iter_mut().find(|shown| shown.key == key.name) {
            shown.value = value;
            shown.origin = origin;
        }
    }

    fn lay_from_file(&mut self, level: Level, assignment: Assignment) {
        let Assignment { key, value, origin } = assignment;
        let in_force = self.value(key.name);
        let loosens = match key.reach {
            Reach::Tighten => !is_stricter(&value, in_force),
            Reach::Raise => !is_higher(&value, in_force),
            Reach::Project | Reach::User => false,
        };
        if level.is_projects() && loosens {
            let kind = ProblemKind::Loosens { key: key.name.to_owned(), in_force: in_force.to_string() };
            self.problems.push(Problem { origin, kind });
        } else {
            self.lay(key, value, origin);
        }
    }

    fn lay_environment(&mut self, env: &[(String, String)]) {
        for key in KEYS {
            let variable = key.variable();
            let set = |name: &str| env.iter().find(|(variable, text)| variable == name && !text.is_empty());
            let Some((name, text)) = set(&variable).or_else(|| key.alias.and_then(set)) else { continue };
            self.lay_text(key, text, Origin::Env { name: name.clone() });
        }
        for (name, _) in env.iter().filter(|(name, _)| keys::is_unknown_variable(name)) {
            let kind = ProblemKind::UnknownKey { key: name.clone(), nearest: keys::nearest_variable(name) };
            self.problems.push(Problem { origin: Origin::Env { name: name.clone() }, kind });
        }
    }

    fn lay_flags(&mut self, flags: &[(&str, &str)]) {
        for (name, text) in flags {
            match keys::find(name) {
                Some(key) => self.lay_text(key, text, Origin::Flag),
                None => {
                    let nearest = keys::nearest(name).map(str::to_owned);
                    let kind = ProblemKind::UnknownKey { key: (*name).to_owned(), nearest };
                    self.problems.push(Problem { origin: Origin::Flag, kind });
                }
            }
        }
    }

    fn lay_text(&mut self, key: &Key, text: &str, origin: Origin) {
        match key.kind.read_text(text) {
            Some(value) => self.lay(key, value, origin),
            None => {
                let kind = ProblemKind::WrongValue { key: key.name.to_owned(), wanted: key.kind.wanted() };
                self.problems.push(Problem { origin, kind });
            }
        }
    }
}

/// Whether a number is higher than, or the same as, the one in force.
fn is_higher(value: &Value, in_force: &Value) -> bool {
    match (value, in_force) {
        (Value::Number(value), Value::Number(in_force)) => value >= in_force,
        _ => false,
    }
}

/// Whether a limit is as strict as the one in force, or stricter. A number of 0 is no limit.
fn is_stricter(value: &Value, in_force: &Value) -> bool {
    let limit = |number: u64| if number == 0 { u64::MAX } else { number };
    match (value, in_force) {
        (Value::Number(new), Value::Number(old)) => limit(*new) <= limit(*old),
        (Value::Duration(new), Value::Duration(old)) => new <= old,
        _ => false,
    }
}
