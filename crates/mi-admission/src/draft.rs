//! A request field by field: what has the right type is there, what has not is told as a denial of rule A.
//!
//! Holds: a draft without denials becomes a [`RunSpec`] that says the same; a field that is absent or of another type
//! is `None`, so that every rule about it fails.

use crate::{
    document::{Json, Number},
    spec::{Mount, RunSpec},
    verdict::Denial,
};
use mi_model::RunLimits;

/// The fields of a request, as far as they are there.
#[derive(Debug, Clone, Default)]
pub(crate) struct Draft {
    pub(crate) task_id: Option<String>,
    pub(crate) image: Option<String>,
    pub(crate) command: Option<Vec<String>>,
    pub(crate) user: Option<String>,
    pub(crate) network: Option<String>,
    pub(crate) read_only: Option<bool>,
    pub(crate) cap_drop: Option<Vec<String>>,
    pub(crate) security_opt: Option<Vec<String>>,
    pub(crate) limits: Option<DraftLimits>,
    pub(crate) mounts: Option<Vec<DraftMount>>,
    /// A value of another type is `None`.
    pub(crate) env: Option<Vec<(String, Option<String>)>>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct DraftLimits {
    /// In the order of [`WHOLE_LIMITS`].
    pub(crate) whole: [Option<i128>; 5],
    pub(crate) cpus: Option<f64>,
    pub(crate) has_strangers: bool,
}

/// An entry that is no object has none of the three.
#[derive(Debug, Clone, Default)]
pub(crate) struct DraftMount {
    pub(crate) source: Option<String>,
    pub(crate) target: Option<String>,
    pub(crate) mode: Option<String>,
    pub(crate) has_strangers: bool,
}

impl DraftMount {
    /// The mount, if nothing is missing and nothing is too much.
    pub(crate) fn whole(&self) -> Option<(&str, &str, &str)> {
        let parts = (self.source.as_deref()?, self.target.as_deref()?, self.mode.as_deref()?);
        (!self.has_strangers).then_some(parts)
    }

    fn into_mount(self) -> Option<Mount> {
        let (source, target, mode) = self.whole()?;
        Some(Mount { source: source.to_owned(), target: target.to_owned(), mode: mode.to_owned() })
    }
}

pub(crate) const WHOLE_LIMITS: [&str; 5] = ["pids", "memory_bytes", "nofile", "step_seconds", "job_seconds"];
const LIMITS: [&str; 6] = ["pids", "memory_bytes", "cpus", "nofile", "step_seconds", "job_seconds"];
const MOUNT: [&str; 3] = ["source", "target", "mode"];
const FIELDS: [&str; 11] = [
    "task_id",
    "image",
    "command",
    "user",
    "network",
    "read_only",
    "cap_drop",
    "security_opt",
    "limits",
    "mounts",
    "env",
];
/// The variables that every run has.
pub(crate) const VARIABLES: [&str; 8] = [
    "SOURCE_DATE_EPOCH",
    "TZ",
    "LC_ALL",
    "CHORUS_SEED",
    "WORKSPACE_ROOT",
    "WORKSPACE_INPUT",
    "WORKSPACE_DATA",
    "WORKSPACE_OUTPUT",
];

/// Reads the fields. `env_allow` names the variables that may stand besides the eight.
pub(crate) fn read(root: &Json, env_allow: &[String]) -> (Draft, Vec<Denial>) {
    let mut look = Look { denials: Vec::new(), env_allow };
    if !matches!(root, Json::Table(_)) {
        look.wrong("", "an object", root);
        return (Draft::default(), look.denials);
    }
    look.keys(root, "", &FIELDS);
    let draft = Draft {
        task_id: look.text(root, "", "task_id"),
        image: look.text(root, "", "image"),
        command: look.texts(root, "command"),
        user: look.text(root, "", "user"),
        network: look.text(root, "", "network"),
        read_only: look.switch(root, "read_only"),
        cap_drop: look.texts(root, "cap_drop"),
        security_opt: look.texts(root, "security_opt"),
        limits: look.limits(root),
        mounts: look.mounts(root),
        env: look.env(root),
    };
    (draft, look.denials)
}

impl Draft {
    /// The request as one struct; none while a field is missing (the image may).
    pub(crate) fn into_spec(self) -> Option<RunSpec> {
        let limits = self.limits?;
        let [pids, memory_bytes, nofile, step_seconds, job_seconds] =
            limits.whole.map(|value| value.and_then(|value| u64::try_from(value).ok()));
        Some(RunSpec {
            task_id: self.task_id?,
            image: self.image,
            command: self.command?,
            user: self.user?,
            network: self.network?,
            read_only: self.read_only?,
            cap_drop: self.cap_drop?,
            security_opt: self.security_opt?,
            limits: RunLimits {
                pids: pids?,
                memory_bytes: memory_bytes?,
                cpus: limits.cpus?,
                nofile: nofile?,
                step_seconds: step_seconds?,
                job_seconds: job_seconds?,
            },
            mounts: self.mounts?.into_iter().map(DraftMount::into_mount).collect::<Option<_>>()?,
            env: self.env?.into_iter().map(|(name, value)| Some((name, value?))).collect::<Option<_>>()?,
        })
    }
}

struct Look<'c> {
    denials: Vec<Denial>,
    env_allow: &'c [String],
}

impl Look<'_> {
    /// Every wanted key is there, and no other; a key that stands twice has its own denial and is missing here.
    fn keys(&mut self, table: &Json, place: &str, wanted: &[&str]) {
        let Json::Table(entries) = table else { return };
        for key in wanted.iter().filter(|key| table.get(key).is_none()) {
            self.denials.push(Denial::new("A.missing", join(place, key), "the key is required"));
        }
        for (key, _) in entries.iter().filter(|(key, _)| !wanted.contains(&key.as_str())) {
            let near = wanted.iter().find(|known| known.eq_ignore_ascii_case(key));
            let hint = near.map_or(String::new(), |known| format!("; `{known}` is spelt so"));
            self.denials.push(Denial::new(
                "A.unknown",
                join(place, key),
                format!("there is no such key{hint}"),
            ));
        }
    }

    fn wrong(&mut self, field: &str, wanted: &str, found: &Json) {
        let reason = format!("must be {wanted}, is {}", found.kind());
        self.denials.push(Denial::new("A.type", field, reason));
    }

    fn text(&mut self, table: &Json, place: &str, key: &str) -> Option<String> {
        match table.get(key)? {
            Json::Text(text) => Some(text.clone()),
            other => {
                self.wrong(&join(place, key), "a string", other);
                None
            }
        }
    }

    fn texts(&mut self, table: &Json, key: &str) -> Option<Vec<String>> {
        let value = table.get(key)?;
        let Json::List(items) = value else {
            self.wrong(key, "a list of strings", value);
            return None;
        };
        let mut texts = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            match item {
                Json::Text(text) => texts.push(text.clone()),
                other => self.wrong(&format!("{key}.{index}"), "a string", other),
            }
        }
        (texts.len() == items.len()).then_some(texts)
    }

    fn switch(&mut self, table: &Json, key: &str) -> Option<bool> {
        match table.get(key)? {
            Json::Switch(on) => Some(*on),
            other => {
                self.wrong(key, "a boolean", other);
                None
            }
        }
    }

    fn limits(&mut self, root: &Json) -> Option<DraftLimits> {
        let value = root.get("limits")?;
        let Json::Table(entries) = value else {
            self.wrong("limits", "an object", value);
            return None;
        };
        self.keys(value, "limits", &LIMITS);
        let cpus = match value.get("cpus") {
            Some(Json::Number(number)) => Some(number.float()),
            Some(other) => {
                self.wrong("limits.cpus", "a number", other);
                None
            }
            None => None,
        };
        Some(DraftLimits {
            whole: WHOLE_LIMITS.map(|key| self.whole(value, key)),
            cpus,
            has_strangers: entries.iter().any(|(key, _)| !LIMITS.contains(&key.as_str())),
        })
    }

    fn whole(&mut self, limits: &Json, key: &str) -> Option<i128> {
        let wanted = "a whole number without fraction or exponent";
        let value = limits.get(key)?;
        let number = match value {
            Json::Number(number) => number.whole(),
            _ => None,
        };
        if number.is_none() {
            self.wrong(&join("limits", key), wanted, value);
        }
        number
    }

    fn mounts(&mut self, root: &Json) -> Option<Vec<DraftMount>> {
        let value = root.get("mounts")?;
        let Json::List(items) = value else {
            self.wrong("mounts", "a list of objects", value);
            return None;
        };
        Some(items.iter().enumerate().map(|(index, item)| self.mount(index, item)).collect())
    }

    fn mount(&mut self, index: usize, item: &Json) -> DraftMount {
        let place = format!("mounts.{index}");
        let Json::Table(entries) = item else {
            self.wrong(&place, "an object", item);
            return DraftMount::default();
        };
        self.keys(item, &place, &MOUNT);
        let [source, target, mode] = MOUNT.map(|key| self.text(item, &place, key));
        let has_strangers = entries.iter().any(|(key, _)| !MOUNT.contains(&key.as_str()));
        DraftMount { source, target, mode, has_strangers }
    }

    fn env(&mut self, root: &Json) -> Option<Vec<(String, Option<String>)>> {
        let value = root.get("env")?;
        let Json::Table(entries) = value else {
            self.wrong("env", "an object of strings", value);
            return None;
        };
        let mut wanted = VARIABLES.to_vec();
        let allowed = self.env_allow.iter().map(String::as_str);
        wanted.extend(allowed.filter(|name| value.get(name).is_some() && !VARIABLES.contains(name)));
        self.keys(value, "env", &wanted);
        let texts = entries.iter().map(|(name, _)| (name.clone(), self.text(value, "env", name)));
        Some(texts.collect())
    }
}

fn join(place: &str, key: &str) -> String {
    if place.is_empty() { key.to_owned() } else { format!("{place}.{key}") }
}

/// The limits that were written as whole numbers, which Rego cannot tell.
pub(crate) fn whole_limits(root: &Json) -> Vec<&'static str> {
    let is_whole = |key: &&str| {
        let value = root.get("limits").and_then(|limits| limits.get(key));
        matches!(value, Some(Json::Number(number)) if Number::whole(number).is_some())
    };
    WHOLE_LIMITS.into_iter().filter(is_whole).collect()
}
